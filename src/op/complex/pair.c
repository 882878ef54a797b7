/* op/complex/pair.c - complex numbers as two reals: splits equations on complex values.
 *
 * A primitive's .pair emits the equation in real and imaginary parts. This file has the parts themselves (primitives
 * real, imag, complex), the cells of primitives that are linear in both parts alike (sums, selections, products,
 * contractions), and the entry points of the pass and the reference evaluator. Moves (reshape, gather, ...) have no
 * .pair: their kernels copy elements of 8 or 16 bytes. The elementary functions are in pair_elem.c. */
#include "../build.h"
#include "../ops.h"

bool op_is_complex(tt_dtype t) { return ir_dtype_of(t)->cls == IR_COMPLEX_CLASS; }
tt_dtype op_real_dtype(tt_dtype t) { return t == TT_C64 ? TT_F32 : t == TT_C128 ? TT_F64 : t; }

static bool touches(const ir_eqn *e)
{
    for (uint32_t i = 0; i < e->nin; i++) if (op_is_complex(IR_IN(e, i)->dtype)) return true;
    for (uint32_t j = 0; j < e->nout; j++) if (op_is_complex(IR_OUT(e, j)->dtype)) return true;
    return false;
}

/* True if e is a small product, which four kernels would compute more slowly than its reference. */
static bool small(const ir_eqn *e)
{
    enum { FEW = 4096 };
    const ir_dims sum = IR_ATTR(e, op_dot_attr)->lhs_contracting_dimensions;
    int64_t n = ir_count(IR_OUT(e, 0));
    for (int i = 0; i < sum.n; i++) n *= IR_IN(e, 0)->dim[sum.v[i]];
    return n <= FEW;
}

/* True if e is complex and split by .pair. Of products, small ones are not; of equations with a region, only sums of
 * one operand are. */
bool op_pairs(const ir_eqn *e)
{
    if (!e->op->pair || !touches(e)) return false;
    if (e->op == &prim_dot_general && small(e)) return false;
    return !e->nsub || (e->nout == 1 && op_monoid(e->sub[0]) == MESH_SUM);
}

static ir_id pair_emit(ir_build *b, const op_prim *prim, ir_id x) { return x ? ir_emit(b, prim, NULL, 1, &x, 0, NULL)
    : 0; }

op_parts op_parts_of(ir_build *b, ir_id x)
{
    const bool split = x && op_is_complex(ir_typeof(b, x)->dtype);
    return (op_parts){ split ? pair_emit(b, &prim_real, x) : x, split ? pair_emit(b, &prim_imag, x) : 0 };
}

ir_id op_parts_join(ir_build *b, op_parts z)
{
    return z.re && z.im ? ir_emit(b, &prim_complex, NULL, 2, (const ir_id[]){ z.re, z.im }, 0, NULL) : 0;
}

ir_id op_conj(ir_build *b, ir_id x)                      /* a real number itself */
{
    const op_parts z = op_parts_of(b, x);
    return z.im ? op_parts_join(b, (op_parts){ z.re, op_neg(b, z.im) }) : x;
}

bool op_pair_apart(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    op_parts *in = IR_NEW(b, op_parts, e->nin + 1), out = { 0, 0 };
    for (uint32_t i = 0; i < e->nin; i++) in[i] = op_parts_of(b, x[i]);
    if (!e->op->pair(b, e, in, &out) || !out.re) return false;
    y[0] = out.im ? op_parts_join(b, out) : out.re;
    return y[0] != 0;
}

/* ---- the same equation on the real parts, and on the imaginary parts ---- */

static ir_id on_parts(ir_build *b, const ir_eqn *e, const op_parts *x, bool imaginary)
{
    ir_id *in = IR_NEW(b, ir_id, e->nin + 1);
    for (uint32_t i = 0; i < e->nin; i++) in[i] = imaginary && x[i].im ? x[i].im : x[i].re;
    ir_fn *sum = e->nsub ? op_reducer(b, &prim_add, op_real_dtype(IR_OUT(e, 0)->dtype)) : NULL;
    return e->nsub && !sum ? 0 : ir_emit(b, e->op, e->attr, e->nin, in, e->nsub, &sum);
}

bool op_pair_each(ir_build *b, const ir_eqn *e, const op_parts *x, op_parts *y)
{
    *y = (op_parts){ on_parts(b, e, x, false), on_parts(b, e, x, true) };
    return y->re && y->im;
}

/* ---- products: of numbers, or by an equation that multiplies and adds reals ---- */

typedef ir_id product(ir_build *, const void *env, ir_id x, ir_id y);

static op_parts multiplied(ir_build *b, product *times, const void *env, op_parts x, op_parts y)
{
    const ir_id ac = times(b, env, x.re, y.re), bd = x.im && y.im ? times(b, env, x.im, y.im) : 0;
    const ir_id ad = y.im ? times(b, env, x.re, y.im) : 0, bc = x.im ? times(b, env, x.im, y.re) : 0;
    return (op_parts){ bd ? op_sub(b, ac, bd) : ac, op_plus(b, ad, bc) };
}

static ir_id by_mul(ir_build *b, const void *env, ir_id x, ir_id y) { return (void)env, op_mul(b, x, y); }
op_parts op_pair_times(ir_build *b, op_parts x, op_parts y) { return multiplied(b, by_mul, NULL, x, y); }

bool op_pair_mul(ir_build *b, const ir_eqn *e, const op_parts *x, op_parts *y)
{
    (void)e;
    *y = op_pair_times(b, x[0], x[1]);
    return true;
}

static ir_id by_dot(ir_build *b, const void *env, ir_id x, ir_id y)
{
    op_dot_attr a = *(const op_dot_attr *)env;
    a.preferred_element_type = op_real_dtype(a.preferred_element_type);
    return op_dot(b, x, y, &a);
}

bool op_pair_dot(ir_build *b, const ir_eqn *e, const op_parts *x, op_parts *y)
{
    *y = multiplied(b, by_dot, e->attr, x[0], x[1]);
    return true;
}

static ir_id by_convolution(ir_build *b, const void *env, ir_id x, ir_id y)
{
    op_conv_attr a = *(const op_conv_attr *)env;
    a.preferred_element_type = op_real_dtype(a.preferred_element_type);
    return ir_emit(b, &prim_convolution, &a, 2, (const ir_id[]){ x, y }, 0, NULL);
}

bool op_pair_convolution(ir_build *b, const ir_eqn *e, const op_parts *x, op_parts *y)
{
    *y = multiplied(b, by_convolution, e->attr, x[0], x[1]);
    return true;
}

/* ---- comparisons, by the real part and then the imaginary one; conversions ---- */

bool op_pair_compare(ir_build *b, const ir_eqn *e, const op_parts *x, op_parts *y)
{
    const op_cmp how = (op_cmp)IR_ATTR(e, op_compare_attr)->comparison_direction;
    const ir_id re = op_compare(b, how, x[0].re, x[1].re), im = op_compare(b, how, x[0].im, x[1].im);
    if (how == OP_CMP_EQ || how == OP_CMP_NE) y->re = how == OP_CMP_EQ ? op_and(b, re, im) : op_or(b, re, im);
    else y->re = op_select(b, op_equal(b, x[0].re, x[1].re), im, re);
    return true;
}

static ir_id nan_of(ir_build *b, op_parts z)
{
    return op_or(b, op_compare(b, OP_CMP_NE, z.re, z.re), op_compare(b, OP_CMP_NE, z.im, z.im));
}

/* Writes the lesser of the two operands, or if `greater` the greater one. If an operand is NaN, writes that operand; if
 * both are, the first one. */
void op_pair_extreme(ir_build *b, bool greater, const op_parts *x, op_parts *y)
{
    const op_parts *const l = &x[!greater], *const r = &x[greater];
    const ir_id down = op_and(b, op_equal(b, l->re, r->re), op_less(b, l->im, r->im));
    const ir_id second = op_and(b, op_not(b, nan_of(b, x[0])),
                                op_or(b, op_or(b, op_less(b, l->re, r->re), down), nan_of(b, x[1])));
    *y = (op_parts){ op_select(b, second, x[1].re, x[0].re), op_select(b, second, x[1].im, x[0].im) };
}

bool op_pair_convert(ir_build *b, const ir_eqn *e, const op_parts *x, op_parts *y)
{
    const tt_dtype to = IR_OUT(e, 0)->dtype, part = op_real_dtype(to);
    y->re = op_convert(b, x->re, part);
    if (to == TT_BOOL && x->im) y->re = op_or(b, y->re, op_convert(b, x->im, part));
    if (op_is_complex(to)) y->im = x->im ? op_convert(b, x->im, part) : y->re ? op_zeros(b, ir_typeof(b, y->re)) : 0;
    return true;
}

bool op_pair_finite(ir_build *b, const ir_eqn *e, const op_parts *x, op_parts *y)
{
    (void)e;
    y->re = op_and(b, op_is_finite(b, x->re), op_is_finite(b, x->im));
    return true;
}
