/* data/batches.c - batches of a data set: rows of arrays, or MNIST's images as float32 in [0, 1] and labels as int32;
 * in their order, or in a new one each epoch.
 *
 * The order is jax.random's: rng, k = split(rng); permutation(k, n). The incomplete batch is dropped unless kept.
 */
#include "data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIXELS = 28 * 28 };

static void freed(void *p)
{
    data_set *s = p;
    if (s->shuffled) tt_drop(s->key);
    data_free(&s->images);
    data_free(&s->labels);
    if (s->nleaf) tt_drop(s->tree);
    for (int i = 0; i < s->nleaf; i++) free(s->leaf[i]);
    free(s->leaf);
    free(s->unit);
    free(s->order);
    free(s);
}

data_set *data_set_new(const char *site, const tt_data_opts *o)
{
    data_set *s = calloc(1, sizeof *s);
    if (!s) return tt_fail_at(site, TT_EMEM, "out of memory"), NULL;
    s->batch = o->batch ? o->batch : 128;
    s->keep_last = o->keep_last;
    s->shuffled = o->shuffle.slot || o->shuffle.born;
    if (s->shuffled) s->key = tt_keep(o->shuffle);
    tt_own(s, freed);
    return s;
}

int64_t tt_data_count(tt_data d) { return d.p ? d.p->count : 0; }
const char *tt_data_from(tt_data d) { return d.p ? d.p->from : ""; }

/* Rows of the leaves of tt_rows, gathered: a tree like theirs. */
static tt_val rows(const data_set *s, int64_t first, int64_t n)
{
    tt_val *leaf = calloc((size_t)s->nleaf + 1, sizeof *leaf), out = tt_none();
    if (leaf) tt_leaves(s->tree, s->nleaf, leaf);
    for (int l = 0; leaf && l < s->nleaf && tt_ok(); l++) {
        const size_t unit = s->unit[l];
        uint8_t *to = malloc((size_t)n * unit + 1);
        int64_t dim[16] = { n };
        const int rank = tt_rank(leaf[l]);
        for (int d = 1; d < rank; d++) dim[d] = tt_dim(leaf[l], d);
        dim[rank] = TT_DIM_END;
        for (int64_t k = 0; to && k < n; k++) {
            const int64_t at = s->order ? s->order[first + k] : first + k;
            memcpy(to + (size_t)k * unit, s->leaf[l] + (size_t)at * unit, unit);
        }
        leaf[l] = to ? tt_array_at(NULL, tt_dtype_of(leaf[l]), to, dim)
                     : tt_fail_at(NULL, TT_EMEM, "a batch of %lld rows: out of memory", (long long)n);
        free(to);
    }
    if (leaf && tt_ok()) out = tt_rebuild_at(NULL, s->tree, s->nleaf, leaf);
    free(leaf);
    return out;
}

static tt_val batch(void *env, int64_t i)
{
    const data_set *s = env;
    const int64_t first = i * s->batch, n = first + s->batch <= s->count ? s->batch : s->count - first;
    if (s->nleaf) return rows(s, first, n);
    float *image = malloc((size_t)(n * PIXELS) * sizeof *image);
    int32_t *label = malloc((size_t)n * sizeof *label);
    tt_val out = tt_none();
    if (!image || !label) out = tt_fail_at(NULL, TT_EMEM, "a batch of %lld images: out of memory", (long long)n);
    else {
        for (int64_t k = 0; k < n; k++) {
            const int64_t at = s->order ? s->order[first + k] : first + k;
            for (int j = 0; j < PIXELS; j++) image[k * PIXELS + j] = (float)s->image[at * PIXELS + j] / 255.0f;
            label[k] = s->label[at];
        }
        const tt_val part[] = { tt_array_at(NULL, TT_F32, image, (const int64_t[]){ n, 28, 28, 1, TT_DIM_END }),
                                tt_array_at(NULL, TT_I32, label, (const int64_t[]){ n, TT_DIM_END }) };
        out = tt_dict_n(NULL, 2, (const char *[]){ "image", "label" }, part);
    }
    free(image);
    free(label);
    return out;
}

static bool reorder(const char *site, data_set *s)
{
    if (!s->order) s->order = malloc((size_t)s->count * sizeof *s->order);
    if (!s->order) return tt_fail_at(site, TT_EMEM, "out of memory"), false;
    const tt_scope scope = tt_scope_open();
    const tt_val keys = tt_split_at(site, s->key, 2);
    const tt_val order = tt_permutation_at(site, tt_take_at(site, keys, tt_i(1), 0), tt_i(s->count), 0, 0);
    const bool ok = tt_read_at(site, order, s->order, (size_t)s->count * sizeof *s->order);
    const tt_val next = tt_keep(tt_take_at(site, keys, tt_i(0), 0));
    tt_drop(s->key);
    s->key = next;
    tt_scope_close(scope);
    return ok;
}

/* ---- data sets of arrays ---- */

static bool take_leaf(const char *site, data_set *s, int i, tt_val v)
{
    if (!tt_ok()) return false;
    if (tt_rank(v) < 1 || tt_dim(v, 0) != s->count) {
        tt_fail_at(site, TT_ESHAPE, "rows: \"%s\" is %s, expected %lld rows", tt_leaf_path(s->tree, i), tt_type_text(v),
                   (long long)s->count);
        tt_hint("all arrays of a data set have one row per example, on dim 0");
        return false;
    }
    const size_t bytes = tt_bytes(v);
    if (!(s->leaf[i] = malloc(bytes + 1))) return tt_fail_at(site, TT_EMEM, "rows: out of memory"), false;
    s->unit[i] = s->count ? bytes / (size_t)s->count : 0;
    return tt_read_at(site, v, s->leaf[i], bytes);
}

tt_data tt_rows_at(const char *site, tt_val tree, const tt_data_opts *o)
{
    static const tt_data none = { NULL };
    const int n = tt_leaves(tree, 0, NULL);
    if (!tt_ok()) return none;
    if (n < 1 || o->batch < 0 || o->limit < 0)
        return tt_fail_at(site, TT_EARG, n < 1 ? "rows of no arrays" : "rows: a negative batch or limit"), none;
    data_set *s = data_set_new(site, o);
    tt_val *leaf = s ? calloc((size_t)n, sizeof *leaf) : NULL;
    if (leaf) s->leaf = calloc((size_t)n, sizeof *s->leaf), s->unit = calloc((size_t)n, sizeof *s->unit);
    if (!leaf || !s->leaf || !s->unit) {
        free(leaf);
        return tt_fail_at(site, TT_EMEM, "rows: out of memory"), none;
    }
    tt_leaves(tree, n, leaf);
    s->count = tt_rank(leaf[0]) > 0 ? tt_dim(leaf[0], 0) : 0;
    s->tree = tt_keep(tree);
    s->nleaf = n;
    snprintf(s->from, sizeof s->from, "arrays of the program");
    bool ok = true;
    for (int i = 0; i < n && ok; i++) ok = take_leaf(site, s, i, leaf[i]);
    free(leaf);
    if (o->limit && o->limit < s->count) s->count = o->limit;
    if (ok && s->batch > s->count && !s->keep_last)
        tt_fail_at(site, TT_EARG, "rows: batches of %lld from %lld rows", (long long)s->batch, (long long)s->count);
    return tt_ok() ? (tt_data){ s } : none;
}

tt_val tt_data_arrays_at(const char *site, tt_data d)
{
    const data_set *s = d.p;
    if (!s) return tt_fail_at(site, TT_ELIFE, "arrays of no data set");
    if (s->nleaf) return s->tree;
    const tt_val part[] = { tt_array_at(site, TT_U8, s->image, (const int64_t[]){ s->count, 28, 28, TT_DIM_END }),
                            tt_array_at(site, TT_U8, s->label, (const int64_t[]){ s->count, TT_DIM_END }) };
    return tt_dict_n(site, 2, (const char *[]){ "image", "label" }, part);
}

/* ---- loops ---- */

void tt_batches_at(const char *site, tt_data d, const tt_loop_opts *o, tt_loop *out)
{
    data_set *s = d.p;
    if (!s && tt_ok()) tt_fail_at(site, TT_ELIFE, "batches of no data set");
    const bool ok = s && tt_ok() && (!s->shuffled || reorder(site, s));
    const int64_t n = !ok ? 0 : s->keep_last ? (s->count + s->batch - 1) / s->batch : s->count / s->batch;
    tt_loop_of_at(site, n, batch, s, o, out);
}
