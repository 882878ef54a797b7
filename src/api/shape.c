/* api/shape.c - functions that move elements: reshape, transpose, slices, concatenation, padding. */
#include "api.h"
#include "../op/ops.h"

#include <math.h>
#include <string.h>

typedef struct {
    int n;
    int64_t a[IR_RANK], b[IR_RANK], c[IR_RANK];
} lists; /* env of most pieces: lists of integers */

static bool reshape_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const lists *l = env;
    return (out[0] = op_reshape(b, in[0], l->n, l->a)) != 0;
}

VAL2(tt_reshape, tt_val, v, const int64_t *, dims)
{
    trace_value *x = trace_array(site, "tt_reshape", v);
    lists l;
    int64_t count = 1, free = -1;
    memset(&l, 0, sizeof l);
    if (!x) return trace_poison;
    for (; dims && dims[l.n] != TT_DIM_END; l.n++) {
        if (l.n == IR_RANK || dims[l.n] < -1 || (dims[l.n] == -1 && free >= 0)) {
            if (l.n == IR_RANK) base_fail(TT_ESHAPE, site, "reshape: more than the limit of %d dims", IR_RANK);
            else if (dims[l.n] == -1)
                base_fail(TT_ESHAPE, site, "reshape: dims %d and %d are -1; one dim may be", (int)free, l.n);
            else base_fail(TT_ESHAPE, site, "reshape: dim %d is %lld; expected 0 or more, or -1", l.n,
                           (long long)dims[l.n]);
            return trace_poison;
        }
        if (dims[l.n] == -1) free = l.n;
        else if (__builtin_mul_overflow(count, dims[l.n], &count)) count = -1;
        l.a[l.n] = dims[l.n];
    }
    const int64_t have = ir_count(x->type);
    if (free >= 0 && count > 0 && have % count == 0) count *= l.a[free] = have / count;
    if (count != have) {
        base_text s = { .arena = trace_temp() };
        for (int i = 0; i < l.n; i++) base_appendf(&s, "%s%lld", i ? ", " : "", (long long)dims[i]);
        base_fail(TT_ESHAPE, site, "reshape: %s has %lld elements, which do not fill [%s]", trace_text(x->type),
                  (long long)have, s.s ? s.s : "");
        trace_cite(x);
        base_hint(free < 0 ? "the dims' product must be %lld" : "the product of the other dims must divide %lld",
                  (long long)have);
        return trace_poison;
    }
    if (l.n == x->type->rank && (!l.n || !memcmp(l.a, x->type->dim, (size_t)l.n * sizeof *l.a)))
        return trace_handle(trace_as(x, site, trace_leaf(NULL, false)));
    return api_handle(api_piece1(site, reshape_body, &l, sizeof l, x));
}

static bool transpose_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const lists *l = env;
    return (out[0] = op_transpose(b, in[0], l->a)) != 0;
}

/* Without perm: reverses the dims, as in NumPy. */
VAL2(tt_transpose, tt_val, v, const int64_t *, perm)
{
    trace_value *x = trace_array(site, "tt_transpose", v);
    lists l;
    bool seen[IR_RANK] = { false }, same = true;
    memset(&l, 0, sizeof l);
    if (!x) return trace_poison;
    const int r = x->type->rank;
    while (perm && perm[l.n] != TT_DIM_END && l.n < r) l.n++;
    if ((perm && perm[l.n] != TT_DIM_END) || (l.n && l.n != r)) {
        base_fail(TT_ESHAPE, site, "transpose: a permutation of %s%d dims for %s", l.n == r ? "more than " : "", l.n,
                  trace_text(x->type));
        trace_cite(x);
        return trace_poison;
    }
    for (int i = 0; i < r; i++) {
        int64_t d = l.n ? perm[i] : r - 1 - i;
        if (d < 0) d += r;
        if (d < 0 || d >= r || seen[d]) {
            base_fail(TT_ESHAPE, site, d < 0 || d >= r ? "transpose: no dim %lld in %s"
                      : "transpose: dim %lld of %s is named twice", (long long)perm[i], trace_text(x->type));
            trace_cite(x);
            return trace_poison;
        }
        seen[d] = true;
        same &= d == i;
        l.a[i] = d;
    }
    l.n = r;
    return api_handle(same ? trace_as(x, site, trace_leaf(NULL, false))
                         : api_piece1(site, transpose_body, &l, sizeof l, x));
}

static bool broadcast_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const lists *l = env;
    const ir_type *t = ir_typeof(b, in[0]);
    int64_t to[IR_RANK];
    for (int d = 0; d < t->rank; d++) to[d] = d + l->n - t->rank;
    return (out[0] = op_broadcast(b, in[0], ir_type_as(t, t->dtype, l->n, l->a), t->rank, to)) != 0;
}

VAL2(tt_broadcast, tt_val, v, const int64_t *, dims)
{
    trace_value *x = trace_array(site, "tt_broadcast", v);
    lists l;
    memset(&l, 0, sizeof l);
    if (!x || (l.n = api_dims(site, "tt_broadcast", dims, l.a)) < 0) return trace_poison;
    const ir_type *t = x->type;
    bool fits = t->rank <= l.n;
    for (int d = 0; fits && d < t->rank; d++) fits = t->dim[d] == 1 || t->dim[d] == l.a[d + l.n - t->rank];
    if (!fits) {
        base_fail(TT_ESHAPE, site, "broadcast: %s cannot be broadcast to %s", trace_text(t),
                  trace_text(ir_type_of(t->dtype, l.n, l.a)));
        trace_cite(x);
        return trace_poison;
    }
    if (t->rank == l.n && (!l.n || !memcmp(t->dim, l.a, (size_t)l.n * sizeof *l.a)))
        return trace_handle(trace_as(x, site, trace_leaf(NULL, false)));
    return api_handle(api_piece1(site, broadcast_body, &l, sizeof l, x));
}

/* ---- slices ---- */

static bool static_slice_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const lists *l = env;
    return (out[0] = op_slice(b, in[0], (ir_dims){ l->n, l->a }, (ir_dims){ l->n, l->b }, (ir_dims){ l->n, l->c })) !=
           0;
}

static trace_value *shape_slice(base_site site, trace_value *x, int d, int64_t from, int64_t to, int64_t step)
{
    lists l;
    memset(&l, 0, sizeof l);
    l.n = x->type->rank;
    for (int i = 0; i < l.n; i++) l.b[i] = x->type->dim[i], l.c[i] = 1;
    l.a[d] = from;
    l.b[d] = to;
    l.c[d] = step;
    return api_piece1(site, static_slice_body, &l, sizeof l, x);
}

VAL5(tt_slice, tt_val, v, int, dim, int64_t, from, int64_t, to, int64_t, step)
{
    trace_value *x = trace_array(site, "tt_slice", v);
    const int d = x ? api_dim(site, "tt_slice", x, dim) : -1;
    if (d < 0) return trace_poison;
    const int64_t size = x->type->dim[d];
    if (from < 0) from += size;
    if (to < 0) to += size;
    if (step < 1 || from < 0 || to > size || from > to) {
        if (step < 1) base_fail(TT_ESHAPE, site, "slice: the step is %lld; expected 1 or more", (long long)step);
        else base_fail(TT_ESHAPE, site, "slice: [%lld, %lld) of a dim of size %lld", (long long)from, (long long)to,
                       (long long)size);
        trace_cite(x);
        return trace_poison;
    }
    return api_handle(shape_slice(site, x, d, from, to, step));
}

typedef struct { int64_t dim, n; } part;                 /* no padding: pieces are found by these bytes */

/* The index as i32: a wider one is clamped before the conversion, not truncated. */
static ir_id as_i32(ir_build *b, ir_id i)
{
    const ir_type *t = ir_typeof(b, i);
    int64_t least = 0;
    uint64_t most = 0;
    const bool wide = t && ir_int_range(t->dtype, &least, &most) && most > INT32_MAX;
    if (wide) i = op_clamp(b, op_int(b, t->dtype, least ? INT32_MIN : 0), i, op_int(b, t->dtype, INT32_MAX));
    return op_convert(b, i, TT_I32);
}

ir_id api_start(ir_build *b, ir_id from, int64_t size)
{
    const ir_type *const index = ir_typeof(b, from);
    const ir_id at = as_i32(b, from);
    if (!index || ir_dtype_of(index->dtype)->cls != IR_INT_CLASS) return at;
    return op_select(b, op_less(b, at, op_int(b, TT_I32, 0)), op_add(b, at, op_int(b, TT_I32, size)), at);
}

/* The start of the slice in each dim. */
static void starts(ir_build *b, ir_id from, ir_id x, int dim, ir_id *out)
{
    const ir_type *const t = ir_typeof(b, x);
    const ir_id zero = op_int(b, TT_I32, 0);
    for (int i = 0; t && i < t->rank; i++) out[i] = i == dim ? api_start(b, from, t->dim[dim]) : zero;
}

static bool slice_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const part *p = env;
    const ir_type *t = ir_typeof(b, in[0]);
    ir_id at[IR_RANK];
    int64_t size[IR_RANK];
    for (int i = 0; i < t->rank; i++) size[i] = i == p->dim ? p->n : t->dim[i];
    starts(b, in[1], in[0], p->dim, at);
    return (out[0] = op_dynamic_slice(b, in[0], at, (ir_dims){ t->rank, size })) != 0;
}

static bool good_index(base_site site, const char *what, const trace_value *i)
{
    const ir_class c = ir_dtype_of(i->type->dtype)->cls;
    if (!i->type->rank && (c == IR_INT_CLASS || c == IR_UINT_CLASS)) return true;
    base_fail(TT_ETYPE, site, "%s: the index must be one integer, not %s", what, trace_text(i->type));
    return trace_cite(i);
}

VAL4(tt_dynamic_slice, tt_val, v, int, dim, tt_val, from, int64_t, n)
{
    trace_value *x = trace_array(site, "tt_dynamic_slice", v),
        *i = x ? trace_array(site, "tt_dynamic_slice", from) : NULL, *y = NULL;
    const int d = i ? api_dim(site, "tt_dynamic_slice", x, dim) : -1;
    if (d < 0 || !good_index(site, "tt_dynamic_slice", i)) return trace_poison;
    const int64_t size = x->type->dim[d];
    if (n < 0 || n > size) {
        base_fail(TT_ESHAPE, site, "dynamic_slice: %lld elements of dim %d; expected 0 to %lld", (long long)n, d,
                  (long long)size);
        trace_cite(x);
        return trace_poison;
    }
    if (i->form == TRACE_NUMBER) {
        int64_t at = i->i64 < 0 ? i->i64 + size : i->i64;
        at = at < 0 ? 0 : at > size - n ? size - n : at;
        return api_handle(shape_slice(site, x, d, at, at + n, 1));
    }
    const part p = { d, n };
    if (trace_do(site, slice_body, &p, sizeof p, 2, (trace_value *[]){ x, i }, 1, &y)) y->weak = x->weak;
    return api_handle(y);
}

/* True if an integer type has numbers that another integer type, or bool, does not have; false for bool. */
static bool wraps(tt_dtype from, tt_dtype to)
{
    int64_t low, least = 0;
    uint64_t high, most = 1;
    const ir_class b = ir_dtype_of(to)->cls;
    if (!ir_int_range(from, &low, &high) || (!ir_int_range(to, &least, &most) && b != IR_BOOL_CLASS)) return false;
    return low < least || high > most;
}

bool api_goes_into(base_site site, const char *what, trace_value *part, trace_value *whole)
{
    const tt_dtype from = part->type->dtype, to = whole->type->dtype;
    const ir_class a = ir_dtype_of(from)->cls, b = ir_dtype_of(to)->cls;
    const bool cut = a == IR_COMPLEX_CLASS ? b != a
                     : a == IR_FLOAT_CLASS ? b != a && b != IR_COMPLEX_CLASS
                                           : !part->weak && wraps(from, to);
    int64_t least = 0;
    uint64_t most = 1;
    ir_int_range(to, &least, &most);
    const double x = part->form == TRACE_NUMBER ? part->real : NAN;
    if (!cut || (x == floor(x) && x >= (double)least && x <= (double)most))
        return trace_number_fits(site, what, part, to);
    base_fail(TT_ETYPE, site, "%s: elements of %s would be cut to %s", what, ir_dtype_of(from)->name,
              ir_dtype_of(to)->name);
    trace_cite(whole);
    trace_cite(part);
    return base_hint(a == IR_FLOAT_CLASS || a == IR_COMPLEX_CLASS
                         ? "tt_cast says how: tt_cast(part, dtype) cuts fractions and imaginary parts off"
                         : "tt_cast says how: tt_cast(part, dtype) keeps the low bits");
}

static bool update_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const part *p = env;
    ir_id at[IR_RANK];
    starts(b, in[2], in[0], p->dim, at);
    return (out[0] = op_dynamic_update_slice(b, in[0], op_convert(b, in[1], ir_typeof(b, in[0])->dtype), at)) != 0;
}

VAL4(tt_dynamic_update_slice, tt_val, v, tt_val, piece, int, dim, tt_val, from)
{
    trace_value *x = trace_array(site, "tt_dynamic_update_slice", v),
        *u = x ? trace_array(site, "tt_dynamic_update_slice", piece) : NULL;
    trace_value *i = u ? trace_array(site, "tt_dynamic_update_slice", from) : NULL, *y = NULL;
    const int d = i ? api_dim(site, "tt_dynamic_update_slice", x, dim) : -1;
    if (d < 0 || !good_index(site, "tt_dynamic_update_slice", i)) return trace_poison;
    bool fits = u->type->rank == x->type->rank;
    for (int k = 0; fits && k < x->type->rank; k++)
        fits = k == d ? u->type->dim[k] <= x->type->dim[k] : u->type->dim[k] == x->type->dim[k];
    if (!fits) {
        base_fail(TT_ESHAPE, site, "dynamic_update_slice: the part %s does not fit into %s along dim %d",
                  trace_text(u->type), trace_text(x->type), d);
        trace_cite(x);
        trace_cite(u);
        return trace_poison;
    }
    if (!api_goes_into(site, "tt_dynamic_update_slice", u, x)) return trace_poison;
    const part p = { d, 0 };
    const int64_t size = x->type->dim[d];
    const bool from_end = i->form == TRACE_NUMBER && i->i64 < 0;
    trace_value *in[] = { x, u, from_end ? trace_number(site, TT_I32, 0, i->i64 < -size ? 0 : i->i64 + size) : i };
    if (trace_do(site, update_body, &p, sizeof p, 3, in, 1, &y)) y->weak = x->weak && u->weak;
    if (from_end) trace_unref(in[2]);
    return api_handle(y);
}

/* ---- concatenation ---- */

static bool concat_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const part *p = env;
    return (out[0] = op_concatenate(b, (int)p->n, in, p->dim)) != 0;
}

VAL2(tt_concat, int, dim, const tt_val *, list)
{
    const int n = api_list(site, "tt_concat", list);
    if (n < 0) return trace_poison;
    trace_value **x = BASE_NEW(trace_temp(), trace_value *, n + 1), *y = NULL;
    for (int i = 0; i < n; i++) if (!(x[i] = trace_array(site, "tt_concat", list[i]))) return trace_poison;
    if (!n) {
        base_fail(TT_EARG, site, "tt_concat: the list of values is empty");
        return trace_poison;
    }
    const int d = api_dim(site, "tt_concat", x[0], dim);
    if (d < 0) return trace_poison;
    for (int i = 1; i < n; i++) {
        bool fits = x[i]->type->rank == x[0]->type->rank;
        for (int k = 0; fits && k < x[0]->type->rank; k++) fits = k == d || x[i]->type->dim[k] == x[0]->type->dim[k];
        if (fits) continue;
        base_fail(TT_ESHAPE, site, "concat: shapes differ in other dims than %d: %s and %s", d, trace_text(x[0]->type),
                  trace_text(x[i]->type));
        trace_cite(x[0]);
        trace_cite(x[i]);
        return trace_poison;
    }
    if (!api_together(site, n, x)) return trace_poison;
    const part p = { d, n };
    trace_do(site, concat_body, &p, sizeof p, n, x, 1, &y);
    for (int i = 0; i < n; i++) trace_unref(x[i]);
    return api_handle(y);
}

static bool reverse_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const int64_t d = ((const part *)env)->dim;
    return (out[0] = op_reverse(b, in[0], (ir_dims){ 1, &d })) != 0;
}

VAL2(tt_reverse, tt_val, v, int, dim)
{
    trace_value *x = trace_array(site, "tt_reverse", v);
    const part p = { x ? api_dim(site, "tt_reverse", x, dim) : -1, 0 };
    return p.dim < 0 ? trace_poison : api_handle(api_piece1(site, reverse_body, &p, sizeof p, x));
}

static bool pad_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const lists *l = env;
    const op_pad_attr a = { { l->n, l->a }, { l->n, l->b }, { l->n, l->c } };
    const ir_id x[2] = { in[0], op_convert(b, in[1], ir_typeof(b, in[0])->dtype) };
    return (out[0] = ir_emit(b, &prim_pad, &a, 2, x, 0, NULL)) != 0;
}

VAL5(tt_pad, tt_val, v, tt_val, value, const int64_t *, low, const int64_t *, high, const int64_t *, interior)
{
    trace_value *x = trace_array(site, "tt_pad", v), *p = x ? trace_array(site, "tt_pad", value) : NULL, *y = NULL;
    lists l;
    memset(&l, 0, sizeof l);
    if (!p) return trace_poison;
    if (p->type->rank) {
        base_fail(TT_ESHAPE, site, "tt_pad: the value must be a scalar, not %s", trace_text(p->type));
        trace_cite(p);
        return trace_poison;
    }
    if (!api_goes_into(site, "tt_pad", p, x)) return trace_poison;
    l.n = x->type->rank;
    for (int i = 0; i < l.n; i++) {
        l.a[i] = low ? low[i] : 0;
        l.b[i] = high ? high[i] : 0;
        l.c[i] = interior ? interior[i] : 0;
    }
    if (trace_do(site, pad_body, &l, sizeof l, 2, (trace_value *[]){ x, p }, 1, &y)) y->weak = x->weak;
    return api_handle(y);
}
