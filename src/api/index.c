/* api/index.c - rows by index, sorting, and random bits. */
#include "api.h"

#include <string.h>

static bool integers(base_site site, const char *what, const trace_value *i)
{
    const ir_class c = ir_dtype_of(i->type->dtype)->cls;
    if (c == IR_INT_CLASS || c == IR_UINT_CLASS) return true;
    base_fail(TT_ETYPE, site, "%s: indices must be integers, not %s", what, trace_text(i->type));
    return trace_cite(i);
}

/* Negative indices count from the end. */
static ir_id wrapped(ir_build *b, ir_id i, int64_t size)
{
    const ir_type *t = ir_typeof(b, i);
    if (!t || ir_dtype_of(t->dtype)->cls == IR_UINT_CLASS) return i;
    const ir_type *bare = ir_type_of(t->dtype, t->rank, t->dim);
    return op_select(b, op_less(b, i, op_splat(b, bare, 0)), op_add(b, i, op_splat(b, bare, (double)size)), i);
}

static bool take_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const int d = *(const int *)env;
    const ir_type *x = ir_typeof(b, in[0]), *i = ir_typeof(b, in[1]);
    int64_t offset[IR_RANK], slice[IR_RANK], n = 0;
    const int64_t at = d;
    for (int k = 0; k < x->rank; k++) {
        slice[k] = k == d ? 1 : x->dim[k];
        if (k != d) offset[n++] = k < d ? k : k - 1 + i->rank;
    }
    const op_gather_attr a = { .offset_dims = { (int)n, offset },
                               .collapsed_slice_dims = { 1, &at },
                               .start_index_map = { 1, &at },
                               .index_vector_dim = i->rank,
                               .slice_sizes = { x->rank, slice } };
    const ir_id arg[2] = { in[0], wrapped(b, in[1], x->dim[d]) };
    return (out[0] = ir_emit(b, &row_gather, &a, 2, arg, 0, NULL)) != 0;
}

VAL3(tt_take, tt_val, v, tt_val, index, int, dim)
{
    trace_value *x = trace_array(site, "tt_take", v), *i = x ? trace_array(site, "tt_take", index) : NULL, *y = NULL;
    const int d = i && integers(site, "tt_take", i) ? api_dim(site, "tt_take", x, dim) : -1;
    if (d < 0) return trace_poison;
    if (!x->type->dim[d] && ir_count(i->type)) {
        base_fail(TT_ESHAPE, site, "take: nothing to take from: dim %d has size 0", d);
        trace_cite(x);
        return trace_poison;
    }
    if (trace_do(site, take_body, &d, sizeof d, 2, (trace_value *[]){ x, i }, 1, &y)) y->weak = x->weak;
    return api_hand(y);
}

static bool put_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const int add = *(const int *)env;
    const ir_type *x = ir_typeof(b, in[0]);
    int64_t window[IR_RANK];
    const int64_t zero = 0;
    for (int k = 1; k < x->rank; k++) window[k - 1] = k;
    const op_scatter_attr a = { .update_window_dims = { x->rank - 1, window }, .inserted_window_dims = { 1, &zero },
                                .scatter_dims_to_operand_dims = { 1, &zero }, .index_vector_dim = 1 };
    const ir_id arg[3] = { in[0], wrapped(b, in[1], x->dim[0]), op_convert(b, in[2], x->dtype) };
    ir_fn *region;
    if (add) {
        region = op_reducer(b, &row_add, x->dtype);
    } else {
        ir_build *r = ir_region(b, base_intern("put"));
        const ir_type *t = ir_type_of(x->dtype, 0, NULL);
        ir_arg(r, t);
        const ir_id update = ir_arg(r, t);
        region = ir_end(r, 1, &update);
    }
    return region && (out[0] = ir_emit(b, &row_scatter, &a, 3, arg, 1, &region)) != 0;
}

VAL4(tt_put_rows, tt_val, v, tt_val, index, tt_val, rows, int, add)
{
    const char *what = add ? "add_rows" : "put_rows";
    trace_value *x = trace_array(site, what, v), *i = x ? trace_array(site, what, index) : NULL;
    trace_value *r = i ? trace_array(site, what, rows) : NULL, *y = NULL;
    if (!r || !integers(site, what, i)) return trace_poison;
    bool fits =
        i->type->rank == 1 && x->type->rank && r->type->rank == x->type->rank && r->type->dim[0] == i->type->dim[0];
    for (int k = 1; fits && k < x->type->rank; k++) fits = r->type->dim[k] == x->type->dim[k];
    if (!fits) {
        base_fail(TT_ESHAPE, site, "%s: rows %s at indices %s of %s", what, trace_text(r->type), trace_text(i->type),
                  trace_text(x->type));
        trace_cite(x);
        trace_cite(i);
        trace_cite(r);
        base_hint("the index is [k], the rows are [k, ...] as those of the value");
        return trace_poison;
    }
    const int env = add != 0;
    trace_do(site, put_body, &env, sizeof env, 3, (trace_value *[]){ x, i, r }, 1, &y);
    return api_hand(y);
}

/* ---- sort ---- */

typedef struct { int n; op_sort_attr attr; } sort_env;

static bool sort_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const sort_env *s = env;
    const ir_id y = ir_emit(b, &row_sort, &s->attr, (uint32_t)s->n, in, 0, NULL);
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
        base_fail(TT_EARG, site, s.n ? "sort: %d keys of %d values" : "sort of nothing", o->keys, s.n);
        return trace_poison;
    }
    trace_value **leaf = BASE_NEW(trace_temp(), trace_value *, s.n), **y = BASE_NEW(trace_temp(), trace_value *, s.n),
                *out = NULL;
    for (int i = 0; i < s.n; i++) {
        leaf[i] = trace_leaf_of(x, i);
        const ir_type *t = leaf[i]->type, *t0 = leaf[0]->type;
        if (t->rank == t0->rank && (!t->rank || !memcmp(t->dim, t0->dim, (size_t)t->rank * sizeof *t->dim))) continue;
        base_fail(TT_ESHAPE, site, "sort: values of shapes %s and %s", trace_text(t0), trace_text(t));
        trace_cite(leaf[0]);
        trace_cite(leaf[i]);
        return trace_poison;
    }
    const int d = api_dim(site, "tt_sort", leaf[0], dim);
    if (d < 0) return trace_poison;
    s.attr.dimension = d;
    s.attr.stable = true;
    s.attr.num_keys = o->keys ? o->keys : 1;
    s.attr.descending = o->descending != 0;
    if (trace_do(site, sort_body, &s, sizeof s, s.n, leaf, s.n, y)) out = trace_branch(site, x->tree, y);
    for (int i = 0; i < s.n; i++) trace_unref(y[i]);
    return api_hand(out);
}

/* ---- random bits ---- */

typedef struct { int64_t width, layout; int rank; int64_t dim[IR_RANK]; } bits_env;

static bool bits_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const bits_env *e = env;
    const op_random_bits_attr a = { { e->rank, e->dim }, e->width, e->layout };
    return (out[0] = ir_emit(b, &row_random_bits, &a, 1, in, 0, NULL)) != 0;
}

const char *tt_random_layout(void) { return trace_random_layout(); }

ENTRY1(const char *, NULL, api_random_layout, const char *, layout)
{
    const bool original = layout && !strcmp(layout, "original");
    if (!layout || original || !strcmp(layout, "partitionable"))
        return trace_choose_random_layout(!layout ? NULL : original ? "original" : "partitionable");
    base_fail(TT_EARG, site, "random layout \"%s\": expected \"partitionable\" or \"original\"", layout);
    return NULL;
}
const char *tt_set_random_layout(const char *layout) { return api_random_layout_at(NULL, layout); }

VAL4(tt_random_bits, tt_val, key, int, width, const char *, layout, const int64_t *, dims)
{
    trace_value *k = trace_array(site, "tt_random_bits", key), *y = NULL;
    bits_env e;
    memset(&e, 0, sizeof e);
    if (!k || (e.rank = api_dims(site, "tt_random_bits", dims, e.dim)) < 0) return trace_poison;
    if (k->type->dtype != TT_U32 || k->type->rank < 1 || k->type->dim[k->type->rank - 1] != 2) {
        base_fail(TT_ETYPE, site, "a key is u32[2], not %s", trace_text(k->type));
        trace_cite(k);
        base_hint("keys come from tt_key, tt_split and tt_fold");
        return trace_poison;
    }
    if (!layout) layout = tt_random_layout();
    e.width = width;
    e.layout = strcmp(layout, "original") != 0;
    if (e.layout && strcmp(layout, "partitionable")) {
        base_fail(TT_EARG, site, "random bits: layout \"%s\"", layout);
        base_hint("layouts are \"partitionable\" and \"original\"");
        return trace_poison;
    }
    trace_do(site, bits_body, &e, sizeof e, 1, &k, 1, &y);
    return api_hand(y);
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
    const ir_id y = ir_emit(b, &row_threefry2x32, NULL, 4, arg, 0, NULL);
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
        base_fail(TT_ETYPE, site, "threefry takes a key u32[2] and two arrays of u32, not %s", trace_text(t));
        trace_cite(x[i]);
        return trace_poison;
    }
    if (trace_do(site, threefry_body, NULL, 0, 3, x, 2, y)) {
        const trace_tree *leaf[2] = { trace_leaf(NULL, false), trace_leaf(NULL, false) };
        out = trace_branch(site, trace_tuple_of(2, leaf), y);
    }
    trace_unref(y[0]);
    trace_unref(y[1]);
    return api_hand(out);
}
