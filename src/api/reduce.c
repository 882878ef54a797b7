/* api/reduce.c - reductions of dims, windows, cumulative reductions; argmax. Sums of bools count in i32; sums of 16-bit
 * floats add in f32 and round once, as in JAX. */
#include "api.h"
#include "../op/ops.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct { const op_prim *prim; int n, keep; int64_t dims[IR_RANK]; tt_dtype in, work, out; } fold_env;

/* restores reduced dims with size 1 */
static ir_id reduce_kept(ir_build *b, ir_id y, const ir_type *t, const fold_env *f)
{
    int64_t dim[IR_RANK];
    if (t->rank) memcpy(dim, t->dim, (size_t)t->rank * sizeof *dim);
    for (int i = 0; i < f->n; i++) dim[f->dims[i]] = 1;
    return f->keep ? op_reshape(b, y, t->rank, dim) : y;
}

static bool fold_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const fold_env *f = env;
    const ir_type *t = ir_typeof(b, in[0]);
    const ir_id x = f->work == TT_BOOL && t->dtype != TT_BOOL
                        ? op_compare(b, OP_CMP_NE, in[0], op_splat(b, ir_type_of(t->dtype, t->rank, t->dim), 0))
                        : op_convert(b, in[0], f->work);
    const ir_id y = f->n ? op_reduce_dims(b, f->prim, x, f->n, f->dims) : x;
    return (out[0] = reduce_kept(b, op_convert(b, y, f->out), t, f)) != 0;
}

/* Reads "0, -1" as dims in rising order; NULL: all. name: what the call's user wrote, ".dims". */
static bool reduce_named(base_site site, const char *what, const char *name, const trace_value *x, const char *text,
                         fold_env *f)
{
    bool in[IR_RANK] = { false };
    const int r = x->type->rank;
    const char *p = text ? text : "";
    for (bool more = *p; more; p++) {
        char *end;
        while (isspace((unsigned char)*p)) p++;
        const long d = strtol(p, &end, 10), at = d < 0 ? d + r : d;
        const char *const number = p;
        for (p = end; isspace((unsigned char)*p);) p++;
        const bool listed = end != number && (!*p || *p == ',');
        if (!listed || at < 0 || at >= r || in[at]) {
            if (!listed)
                base_fail(TT_ESHAPE, site, "%s: %s = \"%s\"; expected dims, with a comma between two", what, name,
                          text);
            else if (at >= 0 && at < r) base_fail(TT_ESHAPE, site, "%s: %s names dim %ld twice", what, name, at);
            else base_fail(TT_ESHAPE, site, "%s: %s names dim %.*s of a value of rank %d", what, name,
                           (int)(end - number), number, r);
            base_caret(text, (size_t)((listed || end == number ? number : p) - text));
            trace_cite(x);
            return base_hint("\"0, 2\" or \"-1\"%s", *name == '.' ? "; without .dims all dims are reduced" : "");
        }
        in[at] = true;
        more = *p == ',';
    }
    for (int d = 0; d < r; d++) if (in[d] || !text) f->dims[f->n++] = d;
    return true;
}

static bool reduce_over(base_site site, const char *what, const trace_value *x, const char *text, fold_env *f)
{
    return reduce_named(site, what, ".dims", x, text, f);
}

bool api_dims_argument(base_site site, const char *what, const trace_value *x, const char *text, int *n)
{
    fold_env f;
    memset(&f, 0, sizeof f);
    if (!reduce_named(site, what, "the argument dims", x, text, &f)) return false;
    *n = f.n;
    return true;
}

ENTRY4(int, -1, tt_dims_listed, const char *, what, tt_val, v, const char *, text, int *, dim)
{
    const trace_value *x = trace_array(site, what, v);
    fold_env f;
    memset(&f, 0, sizeof f);
    if (!x || !reduce_over(site, what, x, text, &f)) return -1;
    for (int i = 0; i < f.n && dim; i++) dim[i] = (int)f.dims[i];
    return f.n;
}

typedef enum { SUM, EXTREME, TRUTH } fold_kind;

/* The type of a sum: small integers and bools are summed, and returned, in 32 bits; with TUTTI=x64 in 64. */
static tt_dtype reduce_summed(tt_dtype t)
{
    const ir_dtype *d = ir_dtype_of(t);
    if (trace_x64() && !ir_is_float(t) && d->bits < 64) return d->cls == IR_UINT_CLASS ? TT_U64 : TT_I64;
    return d->bits >= 32 || ir_is_float(t) ? t : d->cls == IR_UINT_CLASS ? TT_U32 : TT_I32;
}

typedef struct { mesh_reduce reduce; tt_dtype dtype; } neutral_env;
static bool neutral_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const neutral_env *e = env;
    (void)in;
    return (out[0] = op_identity(b, e->reduce, e->dtype)) != 0;
}

/* The element that changes nothing, as a value of v's type. Of extremes the least or greatest number, not .initial:
 * where .initial is the result, elements that are left out would share its gradient. */
static tt_val neutral(base_site site, const op_prim *prim, fold_kind kind, tt_val v)
{
    const tt_dtype d = tt_dtype_of_at(site, v);
    if (kind != EXTREME) return tt_cast_at(site, tt_i(prim == &prim_mul || prim == &prim_and), d);
    const neutral_env e = { prim == &prim_max ? MESH_MAX : MESH_MIN, d };
    trace_value *y = NULL;
    trace_do(site, neutral_body, &e, sizeof e, 0, NULL, 1, &y);
    return api_handle(y);
}

static bool is_given(tt_val v) { return v.slot || v.born; }

/* True if .where and .initial suit the reduction; else sets the error. */
static bool fold_options(base_site site, const char *what, fold_kind kind, const trace_value *x,
                         const tt_reduce_opts *o)
{
    if (kind == TRUTH && is_given(o->initial)) {
        base_fail(TT_EARG, site, "%s has no .initial", what);
        return base_hint("tt_or and tt_and combine the result with a value");
    }
    if (kind == EXTREME && is_given(o->where) && !is_given(o->initial)) {
        base_fail(TT_EARG, site, "%s: .where without .initial: the extreme of no elements", what);
        return base_hint("give .initial = tt_f(-INFINITY), or another number that takes part");
    }
    if (!is_given(o->where)) return true;
    const trace_value *m = trace_array(site, what, o->where);
    if (!m) return false;
    bool fits = m->type->rank <= x->type->rank;
    for (int i = 1; fits && i <= m->type->rank; i++) {
        const int64_t n = m->type->dim[m->type->rank - i];
        fits = n == 1 || n == x->type->dim[x->type->rank - i];
    }
    if (fits && m->type->dtype == TT_BOOL) return true;
    base_fail(fits ? TT_ETYPE : TT_ESHAPE, site, "%s: .where is %s; expected bools%s%s", what, trace_text(m->type),
              fits ? "" : " that broadcast to ", fits ? "" : trace_text(x->type));
    return trace_cite(m);
}

/* y combined with .initial, in y's type. */
static tt_val fold_initial(base_site site, const char *what, const op_prim *prim, tt_val y, tt_val initial)
{
    trace_value *x = trace_get(site, y), *i = x ? trace_array(site, what, initial) : NULL;
    if (!i || !api_goes_into(site, what, i, x)) return trace_poison;
    if (i->type->rank) {
        base_fail(TT_ESHAPE, site, "%s: .initial is %s; expected a scalar", what, trace_text(i->type));
        trace_cite(i);
        return trace_poison;
    }
    const tt_val first = tt_cast_at(site, initial, x->type->dtype);
    return prim == &prim_add ? tt_add_at(site, y, first) : prim == &prim_mul ? tt_mul_at(site, y, first)
           : prim == &prim_max ? tt_max_at(site, y, first) : tt_min_at(site, y, first);
}

static tt_val fold(base_site site, const char *what, const op_prim *prim, fold_kind kind, tt_val v,
    const tt_reduce_opts *o)
{
    trace_value *x = trace_array(site, what, v), *y = NULL;
    fold_env f;
    memset(&f, 0, sizeof f);
    if (!x || !API_OPTIONS(site, what, tt_reduce_opts, o) || !fold_options(site, what, kind, x, o)) return trace_poison;
    if (is_given(o->where)) {
        x = trace_get(site, tt_where_at(site, o->where, v, neutral(site, prim, kind, v)));
        if (!x) return trace_poison;
    }
    if (!reduce_over(site, what, x, o->dims, &f)) return trace_poison;
    const tt_dtype t = x->type->dtype;
    f.prim = prim;
    f.keep = o->keepdims != 0;
    f.out = kind == TRUTH ? TT_BOOL : kind == SUM ? reduce_summed(t) : t;
    f.work = kind == SUM && ir_is_float(t) ? ir_widened(t) : f.out;
    for (int i = 0; kind == EXTREME && !is_given(o->initial) && i < f.n; i++)
        if (!x->type->dim[f.dims[i]]) {
            base_fail(TT_ESHAPE, site, "%s: nothing to choose from: dim %d has size 0 in %s", what, (int)f.dims[i],
                      trace_text(x->type));
            trace_cite(x);
            return trace_poison;
        }
    if (trace_do(site, fold_body, &f, sizeof f, 1, &x, 1, &y)) y->weak = x->weak && kind != TRUTH;
    const tt_val all = api_handle(y);
    return y && is_given(o->initial) ? fold_initial(site, what, prim, all, o->initial) : all;
}

VAL2(tt_sum, tt_val, v, const tt_reduce_opts *, o) { return fold(site, "sum", &prim_add, SUM, v, o); }
VAL2(tt_prod, tt_val, v, const tt_reduce_opts *, o) { return fold(site, "prod", &prim_mul, SUM, v, o); }
VAL2(tt_amax, tt_val, v, const tt_reduce_opts *, o) { return fold(site, "amax", &prim_max, EXTREME, v, o); }
VAL2(tt_amin, tt_val, v, const tt_reduce_opts *, o) { return fold(site, "amin", &prim_min, EXTREME, v, o); }
VAL2(tt_all, tt_val, v, const tt_reduce_opts *, o) { return fold(site, "all", &prim_and, TRUTH, v, o); }
VAL2(tt_any, tt_val, v, const tt_reduce_opts *, o) { return fold(site, "any", &prim_or, TRUTH, v, o); }

/* ---- argmax: a reduction of pairs (value, index); the first of equal values, and NaN first ---- */

typedef struct { fold_env f; bool least, flat; } arg_env;

static ir_fn *arg_region(ir_build *b, tt_dtype t, bool least)
{
    ir_build *r = ir_region(b, base_intern("first"));
    const ir_type *v = ir_type_of(t, 0, NULL), *i = ir_type_of(TT_I32, 0, NULL);
    const ir_id a = ir_arg(r, v), ai = ir_arg(r, i), c = ir_arg(r, v), ci = ir_arg(r, i);
    const ir_id better = op_or(r, op_compare(r, least ? OP_CMP_LT : OP_CMP_GT, a, c), op_compare(r, OP_CMP_NE, a, a));
    const ir_id first = op_or(r, better, op_and(r, op_equal(r, a, c), op_less(r, ai, ci)));
    const ir_id out[2] = { op_select(r, better, a, c), op_select(r, first, ai, ci) };
    return ir_end(r, 2, out);
}

static bool arg_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const arg_env *e = env;
    const ir_type *t = ir_typeof(b, in[0]);
    ir_id x = in[0];
    const int64_t all = ir_count(t), dim = e->flat ? 0 : e->f.dims[0];
    if (e->flat) x = op_reshape(b, x, 1, &all);
    t = ir_typeof(b, x);
    const ir_id index = op_iota(b, ir_type_of(TT_I32, t->rank, t->dim), (int)dim);
    const ir_id arg[4] = { x, index, op_identity(b, e->least ? MESH_MIN : MESH_MAX, t->dtype), op_int(b, TT_I32, 0) };
    ir_fn *region = arg_region(b, t->dtype, e->least);
    const op_reduce_attr attr = { { 1, &dim } };
    const ir_id y = region ? ir_emit(b, &prim_reduce, &attr, 4, arg, 1, &region) : 0;
    return y && (out[0] = reduce_kept(b, y + 1, ir_typeof(b, in[0]), &e->f)) != 0;
}

static tt_val arg(base_site site, const char *what, bool least, tt_val v, const tt_reduce_opts *o)
{
    trace_value *x = trace_array(site, what, v), *y = NULL;
    arg_env e;
    memset(&e, 0, sizeof e);
    if (!x || !API_OPTIONS(site, what, tt_reduce_opts, o)) return trace_poison;
    if (is_given(o->where) || is_given(o->initial)) {
        base_fail(TT_EARG, site, "%s has no .%s", what, is_given(o->where) ? "where" : "initial");
        base_hint("tt_where(mask, x, y) selects elements before the call");
        return trace_poison;
    }
    if (!reduce_over(site, what, x, o->dims, &e.f)) return trace_poison;
    e.least = least;
    e.flat = !o->dims && x->type->rank != 1;
    e.f.keep = o->keepdims != 0;
    const bool one = e.flat || e.f.n == 1;
    if (!one || !(e.flat ? ir_count(x->type) : x->type->dim[e.f.dims[0]])) {
        if (one) base_fail(TT_ESHAPE, site, "%s: nothing to choose from in %s", what, trace_text(x->type));
        else base_fail(TT_ESHAPE, site, "%s: over %d dims of %s; expected one dim, or all", what, e.f.n,
                       trace_text(x->type));
        trace_cite(x);
        return trace_poison;
    }
    trace_value *still = trace_stop(site, x);            /* an index has no derivative */
    if (still) trace_do(site, arg_body, &e, sizeof e, 1, &still, 1, &y);
    trace_unref(still);
    return api_handle(y);
}

VAL2(tt_argmax, tt_val, v, const tt_reduce_opts *, o) { return arg(site, "argmax", false, v, o); }
VAL2(tt_argmin, tt_val, v, const tt_reduce_opts *, o) { return arg(site, "argmin", true, v, o); }

/* ---- windows over the spatial dims of [N, spatial..., C] ---- */

typedef struct {
    const op_prim *prim;
    mesh_reduce reduce;
    int rank;
    int64_t window[IR_RANK], stride[IR_RANK], low[IR_RANK], high[IR_RANK];
} window_env;

static bool window_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const window_env *w = env;
    const tt_dtype t = ir_typeof(b, in[0])->dtype;
    int64_t one[IR_RANK];
    for (int i = 0; i < IR_RANK; i++) one[i] = 1;
    const op_window_attr a = { { w->rank, w->window }, { w->rank, w->stride }, { w->rank, one },
                               { w->rank, one },       { w->rank, w->low },    { w->rank, w->high } };
    const ir_id x[2] = { in[0], op_identity(b, w->reduce, t) };
    ir_fn *region = op_reducer(b, w->prim, t);
    return region && (out[0] = ir_emit(b, &prim_reduce_window, &a, 2, x, 1, &region)) != 0;
}

static tt_val reduce_window(base_site site, const char *what, const op_prim *prim, mesh_reduce reduce, tt_val v,
    const tt_pool_opts *o)
{
    trace_value *x = trace_array(site, what, v);
    window_env w;
    memset(&w, 0, sizeof w);
    if (!x || !API_OPTIONS(site, what, tt_pool_opts, o)) return trace_poison;
    if (o->real_only) {
        base_fail(TT_EARG, site, "%s: .real_only has no effect", what);
        base_hint("tt_avg_pool has .real_only");
        return trace_poison;
    }
    const int n = x->type->rank - 2;
    w.prim = prim;
    w.reduce = reduce;
    w.rank = x->type->rank;
    if (n < 1 || n > 8) {
        base_fail(TT_ESHAPE, site, "%s: the image is %s; expected [N, spatial..., C]", what, trace_text(x->type));
        trace_cite(x);
        return trace_poison;
    }
    for (int i = 0; i < w.rank; i++) w.window[i] = w.stride[i] = 1;
    if (!o->window[0]) {
        base_fail(TT_EARG, site, "%s: .window is missing", what);
        base_hint("write the sizes of the window, .window = { 2, 2 } for images");
        return trace_poison;
    }
    if (!api_per_dim(site, what, "window", n, o->window) || !api_per_dim(site, what, "stride", n, o->stride))
        return trace_poison;
    for (int i = 0; i < n; i++) {
        w.window[i + 1] = o->window[i];
        w.stride[i + 1] = o->stride[i] ? o->stride[i] : 1;
    }
    if (!api_padding(site, what, o->pad ? o->pad : "VALID", n, x->type->dim + 1, w.window + 1, w.stride + 1,
                     w.low + 1, w.high + 1))
        return trace_poison;
    return api_handle(api_piece1(site, window_body, &w, sizeof w, x));
}

VAL2(tt_window_sum, tt_val, v, const tt_pool_opts *, o) { return reduce_window(site, "window_sum", &prim_add, MESH_SUM,
    v, o); }
VAL2(tt_window_max, tt_val, v, const tt_pool_opts *, o) { return reduce_window(site, "window_max", &prim_max, MESH_MAX,
    v, o); }

/* ---- cumulative ---- */

static tt_val cumulate(base_site site, const op_prim *prim, tt_val v, int dim, const tt_cum_opts *o)
{
    trace_value *x = trace_array(site, prim->name, v), *work;
    if (!x || !API_OPTIONS(site, prim->name, tt_cum_opts, o)) return trace_poison;
    const op_cum_attr attr = { api_dim(site, prim->name, x, dim), o->reverse != 0 };
    if (attr.dimension < 0) return trace_poison;
    work = x->type->dtype == TT_BOOL ? api_cast(site, x, trace_x64() ? TT_I64 : TT_I32) : trace_ref(x);
    trace_value *y = work ? trace_emit(site, prim, &attr, 1, &work) : NULL;
    trace_unref(work);
    return api_handle(y);
}

VAL3(tt_cumsum, tt_val, v, int, dim, const tt_cum_opts *, o) { return cumulate(site, &prim_cumsum, v, dim, o); }
VAL3(tt_cumprod, tt_val, v, int, dim, const tt_cum_opts *, o) { return cumulate(site, &prim_cumprod, v, dim, o); }
VAL3(tt_cummax, tt_val, v, int, dim, const tt_cum_opts *, o) { return cumulate(site, &prim_cummax, v, dim, o); }
VAL3(tt_cummin, tt_val, v, int, dim, const tt_cum_opts *, o) { return cumulate(site, &prim_cummin, v, dim, o); }
