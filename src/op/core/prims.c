/* op/core/prims.c - the table of primitives. tools/prims.sh generates prims.h from the names of the files in
 * src/op/(folder)/, so a new primitive is one new file. Lookup is by binary search over two index arrays, by name and
 * by StableHLO name, each sorted when it is read first: most programs read no StableHLO. */
#include "../build.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define OP_PRIM(n) extern const op_prim prim_##n;
#include <op/prims.h>
#undef OP_PRIM
#define OP_PRIM(n) &prim_##n,
const op_prim *const op_prims[] = {
#include <op/prims.h>
    NULL
};
#undef OP_PRIM

enum { ROWS = sizeof op_prims / sizeof *op_prims - 1 };
static const op_prim *by_name[ROWS + 1], *by_hlo[ROWS + 1];
static size_t nname, nhlo;
static pthread_once_t named = PTHREAD_ONCE_INIT, hlo_named = PTHREAD_ONCE_INIT;

static int name_order(const void *a, const void *b)
{
    return strcmp((*(const op_prim *const *)a)->name, (*(const op_prim *const *)b)->name);
}

static int hlo_order(const void *a, const void *b)
{
    return strcmp((*(const op_prim *const *)a)->hlo, (*(const op_prim *const *)b)->hlo);
}

static void sort_by_name(void)
{
    for (const op_prim *const *r = op_prims; *r; r++) by_name[nname++] = *r;
    qsort(by_name, nname, sizeof *by_name, name_order);
}

static void sort_by_hlo(void)
{
    for (const op_prim *const *r = op_prims; *r; r++) if ((*r)->hlo && *(*r)->hlo) by_hlo[nhlo++] = *r;
    qsort(by_hlo, nhlo, sizeof *by_hlo, hlo_order);
}

static const op_prim *prims_find(const op_prim *const *list, size_t n, const op_prim *key,
                                 int (*order)(const void *, const void *))
{
    const op_prim *const *hit = bsearch(&key, list, n, sizeof *list, order);
    return hit ? *hit : NULL;
}

const op_prim *op_find(const char *name)
{
    pthread_once(&named, sort_by_name);
    return prims_find(by_name, nname, &(op_prim){ .name = name }, name_order);
}

const op_prim *op_find_hlo(const char *name)
{
    pthread_once(&hlo_named, sort_by_hlo);
    return prims_find(by_hlo, nhlo, &(op_prim){ .hlo = name }, hlo_order);
}
