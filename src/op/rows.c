/* op/rows.c - the table of primitives. rows.h is made by tools/rows.sh from the names of the files in
 * src/op/(folder)/, so a new primitive is one new file. Lookup is by binary search over indices sorted once by
 * name and by StableHLO name. */
#include "op.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define OP_ROW(n) extern const op_row row_##n;
#include <op/rows.h>
#undef OP_ROW
#define OP_ROW(n) &row_##n,
const op_row *const op_rows[] = {
#include <op/rows.h>
    NULL
};
#undef OP_ROW

enum { ROWS = sizeof op_rows / sizeof *op_rows - 1 };
static const op_row *by_name[ROWS + 1], *by_hlo[ROWS + 1];
static size_t nname, nhlo;
static pthread_once_t sorted = PTHREAD_ONCE_INIT;

static int name_order(const void *a, const void *b)
{
    return strcmp((*(const op_row *const *)a)->name, (*(const op_row *const *)b)->name);
}

static int hlo_order(const void *a, const void *b)
{
    return strcmp((*(const op_row *const *)a)->hlo, (*(const op_row *const *)b)->hlo);
}

static void sort_rows(void)
{
    for (const op_row *const *r = op_rows; *r; r++) {
        by_name[nname++] = *r;
        if ((*r)->hlo && *(*r)->hlo) by_hlo[nhlo++] = *r;
    }
    qsort(by_name, nname, sizeof *by_name, name_order);
    qsort(by_hlo, nhlo, sizeof *by_hlo, hlo_order);
}

static const op_row *find(const op_row *const *list, size_t n, const op_row *key,
                          int (*order)(const void *, const void *))
{
    const op_row *const *hit = bsearch(&key, list, n, sizeof *list, order);
    return hit ? *hit : NULL;
}

const op_row *op_find(const char *name)
{
    pthread_once(&sorted, sort_rows);
    return find(by_name, nname, &(op_row){ .name = name }, name_order);
}

const op_row *op_find_hlo(const char *name)
{
    pthread_once(&sorted, sort_rows);
    return find(by_hlo, nhlo, &(op_row){ .hlo = name }, hlo_order);
}
