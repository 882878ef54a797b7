/* api/ops.c - elementwise functions of values. All promote, broadcast, and work leafwise on trees
 * (trace/record/apply.c). The table of primitives gives most of them; those with .by_hand follow below. */
#include "api.h"
#include "../op/ops.h"

#include <string.h>

#define UNARY(name)   VAL1(tt_##name, tt_val, x) { return trace_apply(site, &prim_##name, NULL, 1, &x); }
#define BINARY(name)                                                                                                   \
    VAL2(tt_##name, tt_val, x, tt_val, y) { return trace_apply(site, &prim_##name, NULL, 2, (tt_val[]){ x, y }); }
#define TERNARY(name)                                                                                                  \
    VAL3(tt_##name, tt_val, x, tt_val, y, tt_val, z)                                                                   \
    {                                                                                                                  \
        return trace_apply(site, &prim_##name, NULL, 3, (tt_val[]){ x, y, z });                                        \
    }

OP_CALLS_1(UNARY)
OP_CALLS_2(BINARY)
OP_CALLS_3(TERNARY)

/* Integers are unchanged: as floats those beyond 2^24 would be rounded. */
static trace_value *rounded_leaf(base_site site, trace_value *v, const void *row)
{
    const ir_class c = ir_dtype_of(v->type->dtype)->cls;
    if (c == IR_INT_CLASS || c == IR_UINT_CLASS || c == IR_BOOL_CLASS) return trace_ref(v);
    return trace_map(site, row, NULL, 1, &v);
}

/* true| is true, as in JAX. */
static trace_value *size_leaf(base_site site, trace_value *v, const void *row)
{
    return v->type->dtype == TT_BOOL ? trace_ref(v) : trace_map(site, row, NULL, 1, &v);
}

static tt_val by_leaf(base_site site, tt_val v, trace_each *f, const op_prim *prim)
{
    trace_value *x = trace_get(site, v);
    return x ? api_handle(trace_leafwise(site, x, f, prim)) : trace_poison;
}
static tt_val rounded(base_site site, tt_val v, const op_prim *prim) { return by_leaf(site, v, rounded_leaf, prim); }
VAL1(tt_abs, tt_val, x) { return by_leaf(site, x, size_leaf, &prim_abs); }
VAL1(tt_floor, tt_val, x) { return rounded(site, x, &prim_floor); }
VAL1(tt_ceil, tt_val, x) { return rounded(site, x, &prim_ceil); }
VAL1(tt_round_even, tt_val, x) { return rounded(site, x, &prim_round_even); }
VAL1(tt_round_away, tt_val, x) { return rounded(site, x, &prim_round_away); }

/* A bound to whose shape x is broadcast is nearly always x itself: NumPy's clip and PyTorch's clamp take x first. */
VAL3(tt_clamp, tt_val, lo, tt_val, x, tt_val, hi)
{
    trace_value *const v[] = { trace_peek(lo), trace_peek(x), trace_peek(hi) };
    int rank, of = v[1] && v[1]->type ? v[1]->type->rank : 0;
    int64_t dim[IR_RANK];
    if (v[0] && v[1] && v[2] && v[0]->type && v[1]->type && v[2]->type) {
        if (!trace_broadcast(site, "clamp", 3, v, &rank, dim)) return trace_poison;
        if (rank != of || memcmp(dim, v[1]->type->dim, sizeof *dim * (size_t)rank)) {
            const ir_type *const all = ir_type_of(v[1]->type->dtype, rank, dim);
            base_fail(TT_ESHAPE, site, "clamp: bounds that make %s of x, which is %s", trace_text(all),
                      trace_text(v[1]->type));
            for (int i = 0; i < 3; i++) trace_cite(v[i]);
            base_hint("the order is tt_clamp(lo, x, hi); the bounds are scalars, or broadcast to the shape of x");
            return trace_poison;
        }
    }
    return trace_apply(site, &prim_clamp, NULL, 3, (tt_val[]){ lo, x, hi });
}

bool api_power(base_site site, trace_value *x, int64_t n)
{
    const ir_class c = x && x->type ? ir_dtype_of(x->type->dtype)->cls : IR_FLOAT_CLASS;
    if (n >= 0 || (x && x->weak) || (c != IR_INT_CLASS && c != IR_UINT_CLASS && c != IR_BOOL_CLASS)) return true;
    base_fail(TT_ETYPE, site, "pow: %s to the %lld is no integer", trace_text(x->type), (long long)n);
    trace_cite(x);
    return base_hint("tt_cast the base to a float type, or divide by the positive power");
}

/* A C integer as exponent is exact for every base, as x ** 2 is in Python. */
VAL2(tt_pow, tt_val, x, tt_val, y)
{
    const trace_value *e = trace_peek(y);
    if (e && e->form == TRACE_NUMBER && e->integer && e->weak) {
        const op_integer_pow_attr attr = { e->i64 };
        if (!api_power(site, trace_peek(x), e->i64)) return trace_poison;
        return trace_apply(site, &prim_integer_pow, &attr, 1, &x);
    }
    return trace_apply(site, &prim_pow, NULL, 2, (tt_val[]){ x, y });
}

VAL2(tt_integer_pow, tt_val, v, int64_t, n)
{
    const op_integer_pow_attr attr = { n };
    if (!api_power(site, trace_peek(v), n)) return trace_poison;
    return trace_apply(site, &prim_integer_pow, &attr, 1, &v);
}

VAL3(tt_reduce_precision, tt_val, v, int64_t, exponent_bits, int64_t, mantissa_bits)
{
    const op_precision_attr attr = { exponent_bits, mantissa_bits };
    return trace_apply(site, &prim_reduce_precision, &attr, 1, &v);
}

VAL3(tt_compare, int, direction, tt_val, a, tt_val, b)
{
    if (direction < 0 || direction > 5) {
        base_fail(TT_EARG, site, "tt_compare: direction %d; expected 0 to 5", direction);
        return trace_poison;
    }
    const op_compare_attr attr = { direction, false };
    return trace_apply(site, &prim_compare, &attr, 2, (tt_val[]){ a, b });
}

typedef struct { const op_prim *prim; tt_dtype to; } cast_env;

/* The type of x with its bits read as numbers of another width; NULL with the error set. */
static const ir_type *other_width(base_site site, const ir_type *x, tt_dtype to)
{
    const ir_dtype *const have = ir_dtype_of(x->dtype), *const want = ir_dtype_of(to);
    const int n = have->bits, m = want->bits, parts = n > m ? n / m : m / n;
    int64_t dim[IR_RANK + 1];
    for (int d = 0; d < x->rank; d++) dim[d] = x->dim[d];
    if (n % m && m % n) {
        base_fail(TT_ETYPE, site, "bitcast: %s and %s differ in width, and neither is a multiple of the other",
                  have->name, want->name);
        return NULL;
    }
    if (n > m && x->rank < IR_RANK) return dim[x->rank] = parts, ir_type_of(to, x->rank + 1, dim);
    if (n > m)
        base_fail(TT_ESHAPE, site, "bitcast: %s to %s adds a dim of %d, and %s has %d, the limit", have->name,
                  want->name, parts, trace_text(x), IR_RANK);
    else if (x->rank && dim[x->rank - 1] == parts) return ir_type_of(to, x->rank - 1, dim);
    else
        base_fail(TT_ESHAPE, site, "bitcast: %s to %s takes a last dim of %d; found %s", have->name, want->name, parts,
                  trace_text(x));
    return NULL;
}

static bool width_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const ir_type *const to = other_width(NULL, ir_typeof(b, in[0]), *(const tt_dtype *)env);
    return (out[0] = op_bits_as(b, in[0], to)) != 0;
}

static trace_value *bits_leaf(base_site site, trace_value *v, const void *env)
{
    const cast_env *c = env;
    const ir_dtype *const from = ir_dtype_of(v->type->dtype), *const to = ir_dtype_of(c->to);
    const op_convert_attr attr = { c->to };
    const bool plain = from->cls != IR_BOOL_CLASS && from->cls != IR_COMPLEX_CLASS && to->cls != IR_BOOL_CLASS
                       && to->cls != IR_COMPLEX_CLASS;
    trace_value *y = NULL;
    if (plain && from->bits != to->bits) {
        const bool good = other_width(site, v->type, c->to)
                          && trace_do(site, width_body, &c->to, sizeof c->to, 1, &v, 1, &y);
        if (!good) trace_cite(v);
        return y;
    }
    return trace_emit(site, &prim_bitcast, &attr, 1, &v);
}

static trace_value *cast_leaf(base_site site, trace_value *v, const void *env)
{
    const cast_env *c = env;
    return c->prim == &prim_convert ? api_cast(site, v, c->to) : bits_leaf(site, v, env);
}

static tt_val cast(base_site site, tt_val v, const op_prim *prim, tt_dtype to)
{
    const cast_env c = { prim, to };
    trace_value *x = trace_get(site, v);
    return x && api_dtype(site, prim->name, to) ? api_handle(trace_leafwise(site, x, cast_leaf, &c)) : trace_poison;
}

VAL2(tt_cast, tt_val, v, tt_dtype, dtype) { return cast(site, v, &prim_convert, dtype); }
VAL2(tt_bitcast, tt_val, v, tt_dtype, dtype) { return cast(site, v, &prim_bitcast, dtype); }
