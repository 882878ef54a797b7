/* data/batches.c - batches of a data set: rows of arrays, or MNIST's images as float32 in [0, 1] and labels as int32;
 * in order, or in a new random order each epoch.
 *
 * The order is jax.random's: rng, k = split(rng); permutation(k, n). The incomplete batch is dropped, kept, or filled.
 * A batch is assembled without a call of the library, so that a thread can do it in advance (ahead.c).
 */
#include "data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIXELS = 28 * 28 };

static void freed(void *p)
{
    data_set *s = p;
    data_ahead_stop(s);
    if (s->shuffled) tt_drop(s->key);
    data_free(&s->images);
    data_free(&s->labels);
    if (s->nleaf) tt_drop(s->tree);
    for (int i = 0; i < s->nleaf; i++) free(s->leaf[i]);
    free(s->leaf);
    free(s->unit);
    free(s->order);
    for (int i = 0; i < 2; i++) free(s->rows[i].run);
    free(s);
}

/* True if the options are compatible; else sets the error. */
static bool agree(const char *site, const tt_data_opts *o)
{
    if (o->ahead < 0) tt_fail_at(site, TT_EARG, ".ahead = %d; expected 0 or more", o->ahead);
    else if (o->keep_last && o->wrap) {
        tt_fail_at(site, TT_EARG, "both .keep_last and .wrap are given");
        tt_hint("give one of them: .keep_last keeps a shorter last batch, .wrap fills it up");
    } else if (o->spec && !o->mesh.p) {
        tt_fail_at(site, TT_EARG, ".spec = \"%s\" has no effect without .mesh", o->spec);
    } else if (o->spec && strlen(o->spec) >= sizeof((data_set *)0)->spec) {
        tt_fail_at(site, TT_ESPEC, ".spec has %zu characters; at most %zu", strlen(o->spec),
                   sizeof((data_set *)0)->spec - 1);
    } else return true;
    return false;
}

/* True if the key of .shuffle gives an order; else sets the error. */
static bool is_key(const char *site, tt_val key)
{
    if (tt_ok() && tt_rank_at(site, key) == 1 && tt_dim_at(site, key, 0) == 2 && tt_dtype_of_at(site, key) == TT_U32)
        return true;
    if (!tt_ok()) return false;
    tt_fail_at(site, TT_ETYPE, ".shuffle is %s; expected a key, u32[2]", tt_type_text_at(site, key));
    tt_hint("write .shuffle = tt_key(0)");
    return false;
}

data_set *data_set_new(const char *site, const tt_data_opts *o)
{
    const bool shuffled = o->shuffle.slot || o->shuffle.born;
    if (!agree(site, o) || (shuffled && !is_key(site, o->shuffle))) return NULL;
    data_set *s = calloc(1, sizeof *s);
    if (!s) return tt_fail_at(site, TT_EMEM, "out of memory"), NULL;
    s->site = site;
    s->batch = o->batch ? o->batch : 128;
    s->keep_last = o->keep_last;
    s->wrap = o->wrap;
    s->ahead = o->ahead > 0 ? o->ahead : 0;
    s->mesh = o->mesh;
    if (o->spec) snprintf(s->spec, sizeof s->spec, "%s", o->spec);
    else if (o->mesh.p) {                                /* default: the mesh's first axis */
        const char *text = tt_mesh_text_at(site, o->mesh, "str"), *axis = strchr(text, '\'');
        if (axis) snprintf(s->spec, sizeof s->spec, "%.*s", (int)strcspn(axis + 1, "'"), axis + 1);
    }
    s->shuffled = shuffled;
    if (shuffled) s->key = tt_keep_at(site, o->shuffle);
    tt_own(s, freed);                                    /* without memory, s is freed */
    return tt_ok() ? s : NULL;
}

static tt_val laid_out(void *env, int n, const tt_val *batch)
{
    const data_set *s = *(data_set **)env;
    return n ? tt_shard_at(s->site, batch[0], s->mesh, s->spec) : tt_poison;
}

bool data_fits_spec(const data_set *s, tt_val like)
{
    const tt_val args[] = { like, tt_end };
    if (s->mesh.p && tt_ok()) tt_eval_shape_at(s->site, tt_bind_env_at(NULL, "batch", laid_out, &s, sizeof s, 1), args);
    return tt_ok();
}

static bool is_there(const char *site, const char *what, tt_data d)
{
    if (!d.p) tt_fail_at(site, TT_ELIFE, "%s: the tt_data is empty", what);
    return d.p && tt_is_live_at(site, what, d.alive);
}

int64_t tt_data_count_at(const char *site, tt_data d)
{
    TT_ENTRY(site);
    return is_there(site, "examples", d) ? d.p->count : 0;
}
const char *tt_data_from_at(const char *site, tt_data d)
{
    TT_ENTRY(site);
    return is_there(site, "the origin", d) ? d.p->from : "";
}

/* ---- elements of a batch ---- */

int64_t data_batches(const data_set *s)
{
    return s->count / s->batch + ((s->keep_last || s->wrap) && s->count % s->batch != 0);
}

void data_batch_free(data_batch *b)
{
    for (int i = 0; i < DATA_PARTS; i++) free(b->part[i]);
    if (b->is_there) tt_drop(b->there);
    memset(b, 0, sizeof *b);
}

static int64_t row_at(const data_set *s, int64_t k)      /* row k of the epoch; beyond the end from the first again */
{
    k %= s->count;
    return s->order ? s->order[k] : k;
}

/* A buffer for n elements of unit bytes; NULL: no memory, or the size overflows. */
static void *alloc_elements(int64_t n, size_t unit)
{
    return unit && (uint64_t)n > PTRDIFF_MAX / unit ? NULL : malloc((size_t)n * unit + 1);
}

static bool fill_digits(const data_set *s, int64_t first, const data_rows *rows, data_batch *b)
{
    float *image = b->part[0] = alloc_elements(rows->n, PIXELS * sizeof *image);
    int32_t *label = b->part[1] = alloc_elements(rows->n, sizeof *label);
    if (!image || !label) return false;
    for (const data_run *r = rows->run; r < rows->run + rows->nrun; r++)
        for (int64_t i = 0; i < r->n; i++) {
            const int64_t at = row_at(s, first + r->lo + i), k = r->at + i;
            for (int j = 0; j < PIXELS; j++) image[k * PIXELS + j] = (float)s->image[at * PIXELS + j] / 255.0f;
            label[k] = s->label[at];
        }
    return true;
}

static bool fill_leaf(const data_set *s, int l, int64_t first, const data_rows *rows, data_batch *b)
{
    const size_t unit = s->unit[l];
    uint8_t *const to = b->part[l] = alloc_elements(rows->n, unit);
    if (!to) return false;
    for (const data_run *r = rows->run; r < rows->run + rows->nrun; r++)
        for (int64_t i = 0; i < r->n; i++)
            memcpy(to + (size_t)(r->at + i) * unit, s->leaf[l] + (size_t)row_at(s, first + r->lo + i) * unit, unit);
    return true;
}

bool data_fill(const data_set *s, int64_t i, data_batch *b)
{
    const int64_t first = i * s->batch, whole = first + s->batch <= s->count || s->wrap;
    memset(b, 0, sizeof *b);
    b->n = whole ? s->batch : s->count - first;
    b->rows = s->shared ? &s->rows[!whole] : NULL;
    data_run every = { 0, b->n, 0 };
    const data_rows all = { b->n, 1, &every }, *const rows = b->rows ? b->rows : &all;
    bool ok = s->nleaf || fill_digits(s, first, rows, b);
    for (int l = 0; l < s->nleaf && ok; l++) ok = fill_leaf(s, l, first, rows, b);
    if (!ok) data_batch_free(b);
    return ok;
}

/* ---- values from batches ---- */

/* True if each device, or process, gets its part of a batch and no more. */
static bool by_parts(const data_set *s) { return s->shared || (s->there && s->mesh.p); }

/* Array l of a batch, in the layout of batches if it is made by parts, else on no mesh. */
static tt_val batch_array(const data_set *s, const data_batch *b, int l, size_t unit, tt_dtype dtype,
                          const int64_t *dim)
{
    return by_parts(s) ? data_shared_array(s, b, b->part[l], unit, dtype, dim)
                       : tt_array_at(s->site, dtype, b->part[l], dim);
}

static tt_val digits(const data_set *s, const data_batch *b)
{
    const int64_t image[] = { b->n, 28, 28, 1, TT_DIM_END }, label[] = { b->n, TT_DIM_END };
    const tt_val part[] = { batch_array(s, b, 0, PIXELS * sizeof(float), TT_F32, image),
                            batch_array(s, b, 1, sizeof(int32_t), TT_I32, label) };
    return tt_dict_n(s->site, 2, (const char *[]){ "image", "label" }, part);
}

static tt_val batches_rows(const data_set *s, const data_batch *b) /* a tree with tt_dataset's structure */
{
    tt_val leaf[DATA_PARTS];
    tt_tree_leaves_at(s->site, s->tree, s->nleaf, leaf);
    for (int l = 0; l < s->nleaf && tt_ok(); l++) {
        int64_t dim[16] = { b->n };
        const int rank = tt_rank_at(s->site, leaf[l]);
        for (int d = 1; d < rank; d++) dim[d] = tt_dim_at(s->site, leaf[l], d);
        dim[rank] = TT_DIM_END;
        leaf[l] = batch_array(s, b, l, s->unit[l], tt_dtype_of_at(s->site, leaf[l]), dim);
    }
    return tt_ok() ? tt_tree_unflatten_at(s->site, s->tree, s->nleaf, leaf) : tt_none();
}

static tt_val batch_value(const data_set *s, const data_batch *b)
{
    const tt_val v = s->nleaf ? batches_rows(s, b) : digits(s, b);
    return s->mesh.p && !by_parts(s) && tt_ok() ? tt_shard_at(s->site, v, s->mesh, s->spec) : v;
}

void data_batch_send(const data_set *s, data_batch *b)
{
    const tt_scope scope = tt_scope_open();
    const tt_val v = batch_value(s, b);
    if (tt_ok()) b->there = tt_keep_at(s->site, v), b->is_there = true;
    else tt_clear();
    tt_scope_close(scope);
}

/* The batch that was sent, as a value of the current scope. */
static tt_val batch_there(const data_set *s, const data_batch *b)
{
    tt_val leaf[DATA_PARTS];
    const int n = tt_tree_leaves_at(s->site, b->there, 0, NULL);
    tt_tree_leaves_at(s->site, b->there, n, leaf);
    return tt_ok() ? tt_tree_unflatten_at(s->site, b->there, n, leaf) : tt_poison;
}

/* One loop over a data set; of the scope around it. */
typedef struct { data_set *set; int64_t number; } epoch;

static tt_val batch(void *env, int64_t i)
{
    const epoch *const e = env;
    data_set *const s = e->set;
    data_batch b;
    if (s->shuffled && e->number != s->epoch) {
        tt_fail_at(s->site, TT_EARG, "batches: another loop over this data set has begun, with another order of rows");
        tt_hint("with .shuffle there is one loop at a time; a second tt_dataset of the same arrays has its own");
        return tt_poison;
    }
    if (!(data_ahead_next(s) == i ? data_ahead_take(s, &b) : data_fill(s, i, &b)))
        return tt_fail_at(s->site, TT_EMEM, "a batch of %lld rows: out of memory", (long long)s->batch);
    const tt_val v = b.is_there ? batch_there(s, &b) : batch_value(s, &b);
    data_batch_free(&b);
    return v;
}

static bool reorder(const char *site, data_set *s)
{
    if (!s->order) s->order = malloc((size_t)s->count * sizeof *s->order);
    if (!s->order) return tt_fail_at(site, TT_EMEM, "out of memory"), false;
    const tt_scope scope = tt_scope_open();
    const tt_val keys = tt_split_at(site, s->key, 2);
    const tt_val order = tt_permutation_at(site, tt_take_at(site, keys, tt_i(1), 0, NULL), tt_i(s->count), 0, 0);
    const bool ok = tt_read_at(site, order, s->order, (size_t)s->count * sizeof *s->order);
    const tt_val next = tt_keep_at(site, tt_take_at(site, keys, tt_i(0), 0, NULL));
    tt_drop(s->key);
    s->key = next;
    tt_scope_close(scope);
    return ok;
}

/* ---- data sets of arrays ---- */

static bool take_leaf(const char *site, data_set *s, int i, tt_val v)
{
    if (!tt_ok()) return false;
    if (tt_rank_at(site, v) < 1 || tt_dim_at(site, v, 0) != s->count) {
        const char *const path = tt_leaf_path_at(site, s->tree, i), *const type = tt_type_text_at(site, v);
        char name[200] = "";
        if (path && *path) snprintf(name, sizeof name, "\"%.190s\" is ", path);
        if (tt_rank_at(site, v) < 1)
            tt_fail_at(site, TT_ESHAPE, "dataset: %s%s; expected rows, one per example", name, type);
        else
            tt_fail_at(site, TT_ESHAPE, "dataset: %s%s; expected %lld rows", name, type, (long long)s->count);
        tt_hint("all arrays of a data set have one row per example, on dim 0");
        return false;
    }
    const size_t bytes = tt_bytes_at(site, v);
    if (!(s->leaf[i] = malloc(bytes + 1))) return tt_fail_at(site, TT_EMEM, "dataset: out of memory"), false;
    s->unit[i] = s->count ? bytes / (size_t)s->count : 0;
    return tt_read_at(site, v, s->leaf[i], bytes);
}

static tt_val shape_of_batch(const data_set *s, tt_val leaf)
{
    int64_t dim[16] = { s->wrap || s->batch < s->count ? s->batch : s->count };
    const int rank = tt_rank_at(s->site, leaf);
    for (int d = 1; d < rank; d++) dim[d] = tt_dim_at(s->site, leaf, d);
    dim[rank] = TT_DIM_END;
    return tt_shape_at(s->site, tt_dtype_of_at(s->site, leaf), dim);
}

tt_data tt_dataset_at(const char *site, tt_val tree, const tt_data_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_data_opts, site, "dataset", o)) return (tt_data){ 0 };
    static const tt_data none = { 0 };
    const int n = tt_tree_leaves_at(site, tree, 0, NULL);
    if (!tt_ok()) return none;
    if (n < 1 || n > DATA_PARTS)
        return tt_fail_at(site, TT_EARG, "dataset: a tree of %d arrays; expected 1 to %d", n, DATA_PARTS), none;
    if (o->batch < 0 || o->limit < 0)
        return tt_fail_at(site, TT_EARG, "dataset: .batch = %lld, .limit = %lld; expected 0 or more",
                          (long long)o->batch, (long long)o->limit), none;
    if (o->part)
        return tt_fail_at(site, TT_EARG, "dataset: .part = \"%s\" has no effect: tt_mnist has parts", o->part), none;
    data_set *s = data_set_new(site, o);
    tt_val *leaf = s ? calloc((size_t)n, sizeof *leaf) : NULL;
    if (leaf) s->leaf = calloc((size_t)n, sizeof *s->leaf), s->unit = calloc((size_t)n, sizeof *s->unit);
    if (!leaf || !s->leaf || !s->unit) {
        free(leaf);
        return tt_fail_at(site, TT_EMEM, "dataset: out of memory"), none;
    }
    tt_tree_leaves_at(site, tree, n, leaf);
    s->count = tt_rank_at(site, leaf[0]) > 0 ? tt_dim_at(site, leaf[0], 0) : 0;
    s->tree = tt_keep_at(site, tree);
    s->nleaf = n;
    snprintf(s->from, sizeof s->from, "arrays of the program");
    bool ok = true;
    for (int i = 0; i < n && ok; i++) ok = take_leaf(site, s, i, leaf[i]);
    for (int i = 0; i < n && ok && s->mesh.p; i++) leaf[i] = shape_of_batch(s, leaf[i]);
    ok = ok && (!s->mesh.p || data_fits_spec(s, tt_tree_unflatten_at(site, tree, n, leaf)));
    const tt_val like = leaf[0];
    free(leaf);
    if (o->limit && o->limit < s->count) s->count = o->limit;
    if (ok && s->batch > s->count && !s->keep_last && !s->wrap)
        tt_fail_at(site, TT_EARG, "dataset: .batch = %lld of %lld rows; .keep_last or .wrap allow it",
                   (long long)s->batch, (long long)s->count);
    if (s->mesh.p && data_in_job()) data_share(s, like);
    return tt_ok() ? (tt_data){ s, tt_alive_at(site) } : none;
}

tt_val tt_data_arrays_at(const char *site, tt_data d)
{
    TT_ENTRY(site);
    const data_set *s = d.p;
    if (!is_there(site, "arrays", d)) return tt_poison;
    if (s->nleaf) return s->tree;
    const tt_val part[] = { tt_array_at(site, TT_U8, s->image, (const int64_t[]){ s->count, 28, 28, TT_DIM_END }),
                            tt_array_at(site, TT_U8, s->label, (const int64_t[]){ s->count, TT_DIM_END }) };
    return tt_dict_n(site, 2, (const char *[]){ "image", "label" }, part);
}

/* ---- loops ---- */

void tt_batches_at(const char *site, tt_data d, const tt_loop_opts *o, tt_loop *out)
{
    TT_ENTRY(site);
    data_set *s = is_there(site, "batches", d) ? d.p : NULL;
    if (s) data_ahead_stop(s);                           /* a thread of an unfinished epoch */
    bool ok = s && tt_ok() && (!s->shuffled || reorder(site, s));
    if (s && s->shared) ok = data_same_order(site, s) && ok;
    if (ok) s->there = strncmp(tt_devices(), "embedded:", 9) != 0;
    const int64_t n = ok ? data_batches(s) : 0;
    if (ok && s->ahead && !data_ahead_start(s, n)) s->ahead = 0;  /* no thread: batches are assembled on request */
    epoch *const e = ok ? malloc(sizeof *e) : NULL;
    if (ok && !e) tt_fail_at(site, TT_EMEM, "batches: out of memory");
    if (e) *e = (epoch){ s, ++s->epoch }, tt_own(e, free);
    tt_loop_of_at(site, tt_ok() ? n : 0, batch, e, o, out);
}
