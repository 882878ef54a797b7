/* data/ranks.c - data sets of the processes of a job. Each process has all examples, or the file that they are in, and
 * assembles the rows of its own parts of a batch. Keys and orders are the same in all processes, which compare them. */
#include "data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool data_in_job(void) { return tt_process_count() > 1; }

bool data_agree(const char *site, const char *what, const char *same, double patience)
{
    const tt_error_info *const e = tt_error_record();
    const tt_agreement mine = { .code = e->code, .text = e->message, .same = same, .patience = patience };
    return tt_process_agree_at(site, what, &mine);
}

/* ---- the rows of a process ---- */

static int by_row(const void *a, const void *b)
{
    const data_run *const x = a, *const y = b;
    return (x->lo > y->lo) - (x->lo < y->lo);
}

/* The rows of dim 0 that lie in parts of this process, of an array with a layout. */
static bool rows_of(const char *site, tt_val v, data_rows *rows)
{
    const int64_t n = tt_process_parts_at(site, v, 0, 0, NULL);
    tt_part *const part = n > 0 ? malloc((size_t)n * sizeof *part) : NULL;
    rows->run = part ? malloc((size_t)n * sizeof *rows->run) : NULL;
    rows->n = rows->nrun = 0;
    bool ok = part && rows->run && tt_process_parts_at(site, v, 0, n, part) == n;
    int found = 0;
    for (int64_t i = 0; ok && i < n; i++)
        if (part[i].here && part[i].n[0]) rows->run[found++] = (data_run){ part[i].lo[0], part[i].n[0], 0 };
    if (found) qsort(rows->run, (size_t)found, sizeof *rows->run, by_row);
    for (int i = 0; i < found; i++) {                    /* those that meet become one */
        data_run *const last = &rows->run[rows->nrun - 1], r = rows->run[i];
        if (rows->nrun && r.lo <= last->lo + last->n) {
            if (r.lo + r.n > last->lo + last->n) last->n = r.lo + r.n - last->lo;
        } else rows->run[rows->nrun++] = r;
    }
    for (int i = 0; i < rows->nrun; i++) rows->run[i].at = rows->n, rows->n += rows->run[i].n;
    free(part);
    if (!ok && tt_ok()) tt_fail_at(site, TT_EMEM, "out of memory");
    return ok;
}

/* A shape like this one with n rows, in the layout of batches. */
static tt_val with_rows(const data_set *s, tt_val like, int64_t n)
{
    int64_t dim[16] = { n };
    const int rank = tt_rank_at(s->site, like);
    for (int d = 1; d < rank; d++) dim[d] = tt_dim_at(s->site, like, d);
    dim[rank] = TT_DIM_END;
    return tt_shard_at(s->site, tt_shape_at(s->site, tt_dtype_of_at(s->site, like), dim), s->mesh, s->spec);
}

/* A checksum of a leaf: its rows, of many bytes only some that are evenly spread; its type and sizes. */
static uint32_t leaf_crc(const data_set *s, int i, tt_val leaf)
{
    enum { MOST = 64 << 20 };
    const size_t unit = s->unit[i], bytes = unit * (size_t)s->count, step = bytes / MOST + 1;
    uint32_t crc = (uint32_t)tt_dtype_of_at(s->site, leaf);
    for (int d = 1; d < tt_rank_at(s->site, leaf); d++) crc = crc * 31 + (uint32_t)tt_dim_at(s->site, leaf, d);
    if (step == 1) return crc * 31 + data_crc(s->leaf[i], bytes);
    for (size_t r = 0; r < (size_t)s->count; r += step) crc = crc * 31 + data_crc(s->leaf[i] + r * unit, unit);
    return crc;
}

/* " of a, b.c (checksum)": the leaves' names, or how many there are, and a checksum of names and examples. "": it is a
 * published data set, of which the files are compared (mnist.c). */
static void examples_text(const data_set *s, char to[64])
{
    char names[32] = "";
    size_t n = 0;
    uint32_t crc = 0;
    tt_val leaf[DATA_PARTS];
    *to = 0;
    if (!s->nleaf || !tt_ok()) return;
    tt_tree_leaves_at(s->site, s->tree, s->nleaf, leaf);
    for (int i = 0; i < s->nleaf && tt_ok(); i++) {
        const char *const name = tt_leaf_path_at(s->site, s->tree, i);
        crc = (crc * 31 + leaf_crc(s, i, leaf[i])) * 31 + data_crc((const uint8_t *)name, strlen(name));
        if (n < sizeof names) n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", i ? ", " : "", name);
    }
    if (n >= sizeof names) snprintf(names, sizeof names, "%d leaves", s->nleaf);
    snprintf(to, 64, "%s%s (%08x)", *names ? " of " : "", names, crc);
}

bool data_share(data_set *s, tt_val like)
{
    char same[320], examples[64];
    const int64_t whole = s->batch < s->count || s->wrap ? s->batch : s->count, rest = s->count % s->batch;
    examples_text(s, examples);
    if (tt_ok() && rows_of(s->site, with_rows(s, like, whole), &s->rows[0]))
        rows_of(s->site, with_rows(s, like, rest), &s->rows[1]);
    snprintf(same, sizeof same, "%lld rows%s in batches of %lld as \"%s\"%s%s", (long long)s->count, examples,
             (long long)s->batch, s->spec, s->keep_last ? ", .keep_last" : "", s->wrap ? ", .wrap" : "");
    return s->shared = data_agree(s->site, "a data set", same, 0);
}

bool data_same_order(const char *site, const data_set *s)
{
    char same[64];
    const uint32_t crc = s->order ? data_crc((const uint8_t *)s->order, (size_t)s->count * sizeof *s->order) : 0;
    snprintf(same, sizeof same, "the order of rows %08x", crc);
    return data_agree(site, "tt_batches", same, 0);
}

/* ---- arrays ---- */

typedef struct { const data_rows *rows; const char *at; size_t row; int rank; const int64_t *dim; } source;

/* Copies the box of one row, in dims from d on, dense to `to`; returns the end of what was written. */
static char *copy_row(const source *s, const int64_t *lo, const int64_t *n, int d, size_t bytes, const char *from,
                      char *to)
{
    if (d == s->rank) return (char *)memcpy(to, from, bytes) + bytes;
    const size_t step = bytes / (size_t)(s->dim[d] ? s->dim[d] : 1);
    bool rest = true;                                    /* the dims behind this one are whole */
    for (int k = d + 1; k < s->rank; k++) rest &= n[k] == s->dim[k];
    from += (size_t)lo[d] * step;
    if (rest) return (char *)memcpy(to, from, (size_t)n[d] * step) + (size_t)n[d] * step;
    for (int64_t i = 0; i < n[d]; i++) to = copy_row(s, lo, n, d + 1, step, from + (size_t)i * step, to);
    return to;
}

static bool copy_rows(void *env, const int64_t *lo, const int64_t *n, void *to)
{
    const source *const s = env;
    const data_run *r = s->rows->run;
    while (lo[0] >= r->lo + r->n) r++;                   /* the run that has the rows */
    for (int64_t i = 0; i < n[0]; i++)
        to = copy_row(s, lo, n, 1, s->row, s->at + (size_t)(r->at + lo[0] - r->lo + i) * s->row, to);
    return true;
}

tt_val data_shared_array(const data_set *s, const data_batch *b, const void *part, size_t unit, tt_dtype dtype,
                         const int64_t *dim)
{
    data_run every = { 0, b->n, 0 };
    const data_rows all = { b->n, 1, &every };
    source from = { .rows = b->rows ? b->rows : &all, .at = part, .row = unit, .dim = dim };
    while (dim[from.rank] != TT_DIM_END) from.rank++;
    return tt_array_from_callback_at(s->site, dtype, dim, s->mesh, s->spec, copy_rows, &from);
}
