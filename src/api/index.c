/* api/index.c - rows by index, sorting, and random bits. */
#include "index.h"
#include "../op/ops.h"

#include <string.h>

bool index_integers(base_site site, const char *what, const trace_value *i)
{
    const ir_class c = ir_dtype_of(i->type->dtype)->cls;
    if (c == IR_INT_CLASS || c == IR_UINT_CLASS) return true;
    base_fail(TT_ETYPE, site, "%s: indices must be integers, not %s", what, trace_text(i->type));
    return trace_cite(i);
}

/* ---- rows by index ---- */

int index_mode(base_site site, const char *what, const char *mode, const char *usual)
{
    static const struct { const char *word; index_beyond mode; } all[] = {
        { "clip", CLIP }, { "wrap", WRAP }, { "promise_in_bounds", PROMISED }
    };
    if (!mode || !strcmp(mode, usual)) return FILL;
    for (int i = 0; i < 3; i++) if (!strcmp(mode, all[i].word)) return (int)all[i].mode;
    base_fail(TT_EARG, site, "%s: no mode \"%s\"", what, mode);
    base_hint_choices("the modes are", mode, strlen(mode),
                      base_format(trace_temp(), "%s, clip, wrap, promise_in_bounds", usual));
    return -1;
}

static ir_id index_number(ir_build *b, ir_id like, int64_t v)
{
    const ir_type *t = ir_typeof(b, like);
    return t ? op_splat(b, ir_type_of(t->dtype, t->rank, t->dim), (double)v) : 0;
}

/* Converts indices whose type is too narrow for the size to i32. */
static ir_id index_widened(ir_build *b, ir_id i)
{
    const ir_type *t = ir_typeof(b, i);
    return t && ir_dtype_of(t->dtype)->bytes < 4 ? op_convert(b, i, TT_I32) : i;
}

static bool is_signed(ir_build *b, ir_id i)
{
    const ir_type *t = ir_typeof(b, i);
    return t && ir_dtype_of(t->dtype)->cls == IR_INT_CLASS;
}

/* Negative indices count from the end. */
static ir_id from_end(ir_build *b, ir_id i, int64_t size)
{
    if (!is_signed(b, i)) return i;
    return op_select(b, op_less(b, i, index_number(b, i, 0)), op_add(b, i, index_number(b, i, size)), i);
}

static ir_id clipped(ir_build *b, ir_id i, int64_t size)
{
    if (is_signed(b, i)) i = op_max(b, i, index_number(b, i, 0));
    return op_min(b, i, index_number(b, i, size > 0 ? size - 1 : 0));
}

static ir_id around(ir_build *b, ir_id i, int64_t size)
{
    return from_end(b, op_rem(b, i, index_number(b, i, size > 0 ? size : 1)), size);
}

static ir_id emit_take(ir_build *b, ir_id v, ir_id index, int d, bool fill, bool nan, bool checked)
{
    const ir_type *x = ir_typeof(b, v), *i = ir_typeof(b, index);
    int64_t offset[IR_RANK], slice[IR_RANK], n = 0;
    const int64_t at = d;
    if (!x || !i) return 0;
    for (int k = 0; k < x->rank; k++) {
        slice[k] = k == d ? 1 : x->dim[k];
        if (k != d) offset[n++] = k < d ? k : k - 1 + i->rank;
    }
    const op_gather_attr a = { .offset_dims = { (int)n, offset },
                               .collapsed_slice_dims = { 1, &at },
                               .start_index_map = { 1, &at },
                               .index_vector_dim = i->rank,
                               .slice_sizes = { x->rank, slice },
                               .fill = fill, .nan = nan, .checked = checked };
    return ir_emit(b, &prim_gather, &a, 2, (const ir_id[]){ v, index }, 0, NULL);
}

/* The same indices, looked up in 0, 1, ..: an index out of range is an error there. */
static ir_id looked_up(ir_build *b, ir_id i, int64_t size)
{
    const ir_type *t = ir_typeof(b, i);
    if (!t) return i;
    const ir_id all = op_iota(b, ir_type_of(t->dtype, 1, &size), 0);
    return emit_take(b, all, i, 0, true, false, true);
}

ir_id index_ready(ir_build *b, ir_id i, int64_t size, int mode, bool checked)
{
    i = index_widened(b, i);
    i = mode == WRAP ? around(b, i, size) : from_end(b, i, size);
    if (mode == CLIP) i = clipped(b, i, size);
    return mode == FILL && checked ? looked_up(b, i, size) : i;
}

ir_id index_inside(ir_build *b, ir_id i, int64_t size)
{
    const ir_id in = op_less(b, i, index_number(b, i, size));
    return is_signed(b, i) ? op_and(b, in, op_not(b, op_less(b, i, index_number(b, i, 0)))) : in;
}

ir_id index_missing(ir_build *b, tt_dtype dtype)
{
    int64_t least;
    uint64_t most;
    if (!ir_int_range(dtype, &least, &most)) return 0;
    return op_int(b, dtype, ir_dtype_of(dtype)->cls == IR_INT_CLASS ? least : (int64_t)most);
}

/* Fills the places of indices out of range in an integer result with the lowest number (unsigned: the highest); d: as
 * in emit_take. */
static ir_id marked(ir_build *b, ir_id y, ir_id i, int d, int64_t size)
{
    const ir_type *t = ir_typeof(b, y), *it = ir_typeof(b, i);
    int64_t dims[IR_RANK];
    if (!t || !it) return 0;
    for (int k = 0; k < it->rank; k++) dims[k] = d + k;
    const ir_id in = op_broadcast(b, index_inside(b, i, size), ir_type_of(TT_BOOL, t->rank, t->dim), it->rank, dims);
    const ir_type *bare = ir_type_of(t->dtype, t->rank, t->dim);
    return op_select(b, in, y, op_broadcast(b, index_missing(b, t->dtype), bare, 0, NULL));
}

/* A take from an empty dim, where there must be no indices. */
static ir_id taken_of_none(ir_build *b, const ir_type *x, const ir_type *i, int d)
{
    int64_t dim[IR_RANK];
    int n = 0;
    for (int k = 0; k < d; k++) dim[n++] = x->dim[k];
    for (int k = 0; k < i->rank; k++) dim[n++] = i->dim[k];
    for (int k = d + 1; k < x->rank; k++) dim[n++] = x->dim[k];
    return op_splat(b, ir_type_of(x->dtype, n, dim), 0);
}

/* known: the index is a C number in range; checked: TUTTI=bounds. Integers only: pieces are found by these bytes. */
typedef struct { int dim, mode, known, checked; } take_env;

static bool take_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const take_env *t = env;
    const ir_type *x = ir_typeof(b, in[0]);
    const int64_t size = x->dim[t->dim];
    const ir_class c = ir_dtype_of(x->dtype)->cls;
    const bool whole = c == IR_INT_CLASS || c == IR_UINT_CLASS, fill = t->mode == FILL && !t->known;
    const ir_type *it = ir_typeof(b, in[1]);
    if (!size && it && x->rank - 1 + it->rank <= IR_RANK) return (out[0] = taken_of_none(b, x, it, t->dim)) != 0;
    ir_id i = index_widened(b, in[1]);
    i = t->mode == CLIP ? clipped(b, i, size) : t->mode == WRAP ? around(b, i, size) : from_end(b, i, size);
    if (fill && t->checked) i = looked_up(b, i, size);
    out[0] = emit_take(b, in[0], i, t->dim, fill, fill && !whole, false);
    if (fill && whole && out[0]) out[0] = marked(b, out[0], i, t->dim, size);
    return out[0] != 0;
}

VAL4(tt_take, tt_val, v, tt_val, index, int, dim, const tt_take_opts *, o)
{
    trace_value *x = trace_array(site, "tt_take", v), *i = x ? trace_array(site, "tt_take", index) : NULL, *y = NULL;
    if (!i || !API_OPTIONS(site, "tt_take", tt_take_opts, o)) return trace_poison;
    const int d = index_integers(site, "tt_take", i) ? api_dim(site, "tt_take", x, dim) : -1;
    const int mode = d < 0 ? -1 : index_mode(site, "take", o->mode, "fill");
    if (mode < 0) return trace_poison;
    const int64_t size = x->type->dim[d];
    if (!size && ir_count(i->type)) {
        base_fail(TT_ESHAPE, site, "take: no elements to take: dim %d of %s has size 0", d, trace_text(x->type));
        trace_cite(x);
        return trace_poison;
    }
    const bool known = i->form == TRACE_NUMBER && i->i64 >= -size && i->i64 < size;
    const take_env env = { d, mode, known, base_switch("bounds") != NULL };
    if (trace_do(site, take_body, &env, sizeof env, 2, (trace_value *[]){ x, i }, 1, &y)) y->weak = x->weak;
    return api_handle(y);
}

static bool places_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const int64_t size = ((const int64_t *)env)[0];
    out[0] = from_end(b, index_widened(b, in[0]), size);
    if (((const int64_t *)env)[1]) out[0] = looked_up(b, out[0], size);
    return out[0] != 0;
}

VAL2(tt_places, tt_val, index, int64_t, n)
{
    trace_value *i = trace_array(site, "tt_places", index);
    if (!i || !index_integers(site, "tt_places", i)) return trace_poison;
    if (n < 0) {
        base_fail(TT_EARG, site, "tt_places: n = %lld; expected 0 or more", (long long)n);
        return trace_poison;
    }
    const int64_t env[2] = { n, base_switch("bounds") != NULL };
    return api_handle(api_piece1(site, places_body, env, sizeof env, i));
}

ir_fn *index_region(ir_build *b, const op_prim *how, tt_dtype dtype)
{
    if (how) return op_reducer(b, how, dtype);
    ir_build *r = ir_region(b, base_intern("put"));
    const ir_type *t = ir_type_of(dtype, 0, NULL);
    ir_arg(r, t);
    const ir_id update = ir_arg(r, t);
    return ir_end(r, 1, &update);
}

typedef struct { int add, mode, checked; } update_env;

static bool update_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const update_env *p = env;
    const ir_type *x = ir_typeof(b, in[0]);
    int64_t window[IR_RANK];
    const int64_t zero = 0, size = x->dim[0];
    for (int k = 1; k < x->rank; k++) window[k - 1] = k;
    const op_scatter_attr a = { .update_window_dims = { x->rank - 1, window }, .inserted_window_dims = { 1, &zero },
                                .scatter_dims_to_operand_dims = { 1, &zero }, .index_vector_dim = 1 };
    const ir_id i = index_ready(b, in[1], size, p->mode, p->checked);
    const ir_id arg[3] = { in[0], i, op_convert(b, in[2], x->dtype) };
    ir_fn *region = index_region(b, p->add ? &prim_add : NULL, x->dtype);
    return region && (out[0] = ir_emit(b, &prim_scatter, &a, 3, arg, 1, &region)) != 0;
}

VAL5(tt_index_set, tt_val, v, tt_val, index, tt_val, rows, int, add, const tt_take_opts *, o)
{
    const char *what = add ? "index_add" : "index_set";
    trace_value *x = trace_array(site, what, v), *i = x ? trace_array(site, what, index) : NULL;
    trace_value *r = i ? trace_array(site, what, rows) : NULL, *y = NULL;
    if (!r || !API_OPTIONS(site, what, tt_take_opts, o) || !index_integers(site, what, i)) return trace_poison;
    const int mode = index_mode(site, what, o->mode, "drop");
    if (mode < 0) return trace_poison;
    bool fits =
        i->type->rank == 1 && x->type->rank && r->type->rank == x->type->rank && r->type->dim[0] == i->type->dim[0];
    for (int k = 1; fits && k < x->type->rank; k++) fits = r->type->dim[k] == x->type->dim[k];
    if (!fits) {
        base_fail(TT_ESHAPE, site, "%s: rows %s do not fit indices %s of %s", what, trace_text(r->type),
                  trace_text(i->type), trace_text(x->type));
        trace_cite(x);
        trace_cite(i);
        trace_cite(r);
        base_hint("the index is [k], the rows are [k, ...] as those of the value");
        return trace_poison;
    }
    if (!api_goes_into(site, what, r, x)) return trace_poison;
    const update_env env = { add != 0, mode, base_switch("bounds") != NULL };
    trace_do(site, update_body, &env, sizeof env, 3, (trace_value *[]){ x, i, r }, 1, &y);
    return api_handle(y);
}

/* ---- sort ---- */

typedef struct { int n; op_sort_attr attr; } sort_env;

static bool sort_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const sort_env *s = env;
    const ir_id y = ir_emit(b, &prim_sort, &s->attr, (uint32_t)s->n, in, 0, NULL);
    for (int i = 0; i < s->n; i++) out[i] = y ? y + (ir_id)i : 0;
    return y != 0;
}

VAL3(tt_sort, tt_val, v, int, dim, const tt_sort_opts *, o)
{
    trace_value *x = trace_get(site, v);
    sort_env s;
    memset(&s, 0, sizeof s);
    if (!x || !API_OPTIONS(site, "tt_sort", tt_sort_opts, o)) return trace_poison;
    s.n = trace_nleaf(x);
    if (!s.n || (o->keys && (o->keys < 1 || o->keys > s.n))) {
        base_fail(TT_EARG, site,
                  s.n ? "sort: .keys = %d of %d value%s; expected 1 or more, at most all"
                      : "sort: a tree without arrays",
                  o->keys, s.n, s.n == 1 ? "" : "s");
        return trace_poison;
    }
    trace_value **leaf = BASE_NEW(trace_temp(), trace_value *, s.n), **y = BASE_NEW(trace_temp(), trace_value *, s.n),
                *out = NULL;
    for (int i = 0; i < s.n; i++) {
        leaf[i] = trace_leaf_of(x, i);
        const ir_type *t = leaf[i]->type, *t0 = leaf[0]->type;
        if (ir_same_dims(t, t0)) continue;
        base_fail(TT_ESHAPE, site, "sort: values %s and %s; expected one shape", trace_text(t0), trace_text(t));
        trace_cite(leaf[0]);
        trace_cite(leaf[i]);
        return trace_poison;
    }
    const int d = api_dim(site, "tt_sort", leaf[0], dim);
    if (d < 0) return trace_poison;
    s.attr.dimension = d;
    s.attr.is_stable = true;
    s.attr.num_keys = o->keys ? o->keys : 1;
    s.attr.descending = o->descending != 0;
    if (trace_do(site, sort_body, &s, sizeof s, s.n, leaf, s.n, y)) out = trace_tree_value(site, x->tree, y);
    for (int i = 0; i < s.n; i++) trace_unref(y[i]);
    return api_handle(out);
}

/* ---- random bits ---- */

typedef struct { int64_t width, layout; int rank; int64_t dim[IR_RANK]; } bits_env;

static bool bits_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const bits_env *e = env;
    const op_random_bits_attr a = { { e->rank, e->dim }, e->width, e->layout };
    return (out[0] = ir_emit(b, &prim_random_bits, &a, 1, in, 0, NULL)) != 0;
}

const char *tt_random_layout(void) { return trace_random_layout(); }

static bool no_layout(base_site site, const char *layout)
{
    base_fail(TT_EARG, site, "no layout of random bits \"%s\"", layout);
    return base_hint_choices("the layouts are", layout, strlen(layout), "partitionable, original");
}

ENTRY1(const char *, NULL, tt_set_random_layout, const char *, layout)
{
    const bool original = layout && !strcmp(layout, "original");
    if (!layout || original || !strcmp(layout, "partitionable"))
        return trace_choose_random_layout(!layout ? NULL : original ? "original" : "partitionable");
    no_layout(site, layout);
    return NULL;
}

VAL4(tt_random_bits, tt_val, key, int, width, const char *, layout, const int64_t *, dims)
{
    trace_value *k = trace_array(site, "tt_random_bits", key), *y = NULL;
    bits_env e;
    memset(&e, 0, sizeof e);
    if (!k || (e.rank = api_dims(site, "tt_random_bits", dims, e.dim)) < 0) return trace_poison;
    if (k->type->dtype != TT_U32 || k->type->rank != 1 || k->type->dim[0] != 2) {
        base_fail(TT_ETYPE, site, "tt_random_bits: a key is u32[2], not %s", trace_text(k->type));
        trace_cite(k);
        base_hint(k->type->rank == 2 && k->type->dim[1] == 2
                      ? "these are several keys: take one, tt_squeeze(tt_dynamic_slice(keys, 0, i, 1), 0), or tt_vmap "
                          "over them"
                      : "keys come from tt_key, tt_split and tt_fold_in");
        return trace_poison;
    }
    if (!layout) layout = tt_random_layout();
    e.width = width;
    e.layout = strcmp(layout, "original") != 0;
    if (e.layout && strcmp(layout, "partitionable")) {
        no_layout(site, layout);
        return trace_poison;
    }
    trace_do(site, bits_body, &e, sizeof e, 1, &k, 1, &y);
    return api_handle(y);
}

static bool threefry_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const ir_type *x = ir_typeof(b, in[1]);
    (void)env;
    ir_id arg[4] = { 0, 0, in[1], in[2] };
    for (int64_t i = 0; i < 2; i++) {
        const ir_id word =
            op_reshape(b,
                       op_slice(b, in[0], (ir_dims){ 1, (int64_t[]){ i } }, (ir_dims){ 1, (int64_t[]){ i + 1 } },
                                (ir_dims){ 1, (int64_t[]){ 1 } }),
                       0, NULL);
        arg[i] = op_broadcast(b, word, x, 0, NULL);
    }
    const ir_id y = ir_emit(b, &prim_threefry2x32, NULL, 4, arg, 0, NULL);
    out[0] = y;
    out[1] = y + 1;
    return y != 0;
}

VAL3(tt_threefry, tt_val, key, tt_val, x0, tt_val, x1)
{
    trace_value *x[3], *y[2] = { NULL }, *out = NULL;
    const tt_val in[3] = { key, x0, x1 };
    for (int i = 0; i < 3; i++) {
        if (!(x[i] = trace_array(site, "tt_threefry", in[i]))) return trace_poison;
        const ir_type *t = x[i]->type, *t1 = x[i ? 1 : 0]->type;
        if (t->dtype == TT_U32 && (i ? t == t1 : t->rank == 1 && t->dim[0] == 2)) continue;
        base_fail(TT_ETYPE, site, i ? "threefry: operand %d is %s; expected two arrays of u32 of one shape"
                                : "threefry: operand %d is %s; expected a key, u32[2]", i, trace_text(t));
        trace_cite(x[i]);
        return trace_poison;
    }
    if (trace_do(site, threefry_body, NULL, 0, 3, x, 2, y)) {
        const trace_tree *leaf[2] = { trace_leaf(NULL, false), trace_leaf(NULL, false) };
        out = trace_tree_value(site, trace_tuple_of(2, leaf), y);
    }
    trace_unref(y[0]);
    trace_unref(y[1]);
    return api_handle(out);
}
