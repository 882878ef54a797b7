/* pass/simplify_rules.c - exact rewrite rules: in floating point only those that change no bit.
 *
 * - x + (-0), x - 0, x * 1, x / 1 are x; x + 0 is not (x may be -0).
 * - abs of abs x or of neg x is abs x; a whole number, rounded to a whole number, is itself.
 * - A move of a move becomes one move; a move that changes nothing is removed.
 * - A scalar that is broadcast and then moved is broadcast to the final shape.
 * - A transpose before or after a contraction becomes part of the contraction's dimension numbers, if the order of the
 *   result's dims allows it.
 * - A conversion of a table, of which rows are gathered, becomes one of the rows.
 * - A transpose before a reduction is removed, if the reduction then takes the same elements in the same order. */
#include "inner.h"
#include "../op/ops.h"

#include <string.h>

typedef struct { pass_simplifier *s; const pass_from *p; const ir_eqn *e; const ir_id *x; const ir_type *y; } rule;
typedef ir_id rule_fn(const rule *);

/* True if operand id is defined by an equation of primitive op, which is copied to *d, since pointers into the build do
 * not outlast an emission. */
static bool made_by(const rule *r, ir_id id, const op_prim *op, ir_eqn *d)
{
    const ir_eqn *e = ir_def(r->s->b, id);
    if (!e || e->op != op) return false;
    *d = *e;
    return true;
}

static const ir_type *type(const rule *r, ir_id id) { return ir_typeof(r->s->b, id); }
static ir_id emit1(const rule *r, const op_prim *op, const void *attr, ir_id x)
{
    return pass_emit(r->s, op, attr, 1, &x, 0, NULL);
}
static bool floats(const rule *r) { return ir_dtype_of(r->y->dtype)->cls >= IR_FLOAT_CLASS; }

/* ---- arithmetic ---- */

static ir_id add_rule(const rule *r)
{
    const double zero = floats(r) ? -0.0 : 0.0;
    return pass_is(r->s->b, r->x[1], zero) ? r->x[0] : pass_is(r->s->b, r->x[0], zero) ? r->x[1] : 0;
}

static ir_id sub_rule(const rule *r) { return pass_is(r->s->b, r->x[1], 0.0) ? r->x[0] : 0; }

static ir_id mul_rule(const rule *r)
{
    return pass_is(r->s->b, r->x[1], 1) ? r->x[0] : pass_is(r->s->b, r->x[0], 1) ? r->x[1] : 0;
}

static ir_id div_rule(const rule *r) { return pass_is(r->s->b, r->x[1], 1) ? r->x[0] : 0; }
static ir_id same_rule(const rule *r) { return r->x[0] == r->x[1] ? r->x[0] : 0; }      /* max, min, and, or */

static ir_id twice_rule(const rule *r)                   /* neg neg, not not, reverse reverse */
{
    ir_eqn d;
    return made_by(r, r->x[0], r->e->op, &d) && d.attr == r->e->attr ? d.in[0] : 0;
}

/* abs of abs x, of neg x; exact for complex numbers too, whose abs is real */
static ir_id abs_rule(const rule *r)
{
    ir_eqn d;
    if (made_by(r, r->x[0], &prim_abs, &d)) return r->x[0];
    return made_by(r, r->x[0], &prim_neg, &d) ? emit1(r, &prim_abs, NULL, d.in[0]) : 0;
}

static ir_id round_rule(const rule *r)                   /* floor, ceil, round_even, round_away */
{
    static const op_prim *const wholes[] = { &prim_floor, &prim_ceil, &prim_round_even, &prim_round_away };
    ir_eqn d;
    for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++) if (made_by(r, r->x[0], wholes[i], &d)) return r->x[0];
    return 0;
}

static ir_id power_rule(const rule *r) { return IR_ATTR(r->e, op_integer_pow_attr)->y == 1 ? r->x[0] : 0; }

static ir_id select_rule(const rule *r)
{
    if (r->x[1] == r->x[2] || pass_is(r->s->b, r->x[0], 1)) return r->x[1];
    return pass_is(r->s->b, r->x[0], 0) ? r->x[2] : 0;
}

/* True if every value of dtype a is a value of dtype b. */
static bool simplify_rules_holds(tt_dtype b, tt_dtype a)
{
    static const struct { tt_dtype a, b; } table[] = {
        { TT_BF16, TT_F32 }, { TT_BF16, TT_F64 }, { TT_F16, TT_F32 }, { TT_F16, TT_F64 }, { TT_F32, TT_F64 },
        { TT_I8, TT_I16 },   { TT_I8, TT_I32 },   { TT_I8, TT_I64 },  { TT_I16, TT_I32 }, { TT_I16, TT_I64 },
        { TT_I32, TT_I64 },  { TT_U8, TT_U16 },   { TT_U8, TT_U32 },  { TT_U8, TT_U64 },  { TT_U16, TT_U32 },
        { TT_U16, TT_U64 },  { TT_U32, TT_U64 },  { TT_U8, TT_I32 },  { TT_U8, TT_F32 },  { TT_I8, TT_F32 },
        { TT_U16, TT_F32 },  { TT_I16, TT_F32 },  { TT_I32, TT_F64 }, { TT_U32, TT_F64 },
    };
    if (a == TT_BOOL) return b != TT_F8E8M0FNU;          /* f8e8m0fnu has no zero */
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) if (table[i].a == a && table[i].b == b) return true;
    return a == b;
}

/* convert(convert(x)) = convert(x), if the inner conversion is exact. A conversion from integer to integer by way of a
 * float is kept, unless the result type holds all values: an integer that is too large wraps when it is converted
 * directly, but saturates by way of a float. */
static ir_id convert_rule(const rule *r)
{
    const tt_dtype x = type(r, r->x[0])->dtype, y = r->y->dtype;
    ir_eqn d;
    if (x == y) return r->x[0];
    if (!made_by(r, r->x[0], &prim_convert, &d)) return 0;
    const tt_dtype from = type(r, d.in[0])->dtype;
    const bool whole = !ir_is_float(from) && !ir_is_float(y) && y != TT_BOOL;
    if (!simplify_rules_holds(x, from) || (ir_is_float(x) && whole && !simplify_rules_holds(y, from))) return 0;
    return from == y ? d.in[0] : emit1(r, &prim_convert, r->e->attr, d.in[0]);
}

/* Rules of complex numbers. part_rule: real(complex(re, im)) = re, imag(complex(re, im)) = im. complex_rule:
 * complex(real(z), imag(z)) = z. */
static ir_id part_rule(const rule *r)
{
    ir_eqn d;
    return made_by(r, r->x[0], &prim_complex, &d) ? d.in[r->e->op == &prim_imag] : 0;
}

static ir_id complex_rule(const rule *r)
{
    ir_eqn p, q;
    return made_by(r, r->x[0], &prim_real, &p) && made_by(r, r->x[1], &prim_imag, &q) &&
        p.in[0] == q.in[0] ? p.in[0] : 0;
}

/* ---- moves ---- */

static bool rising(ir_dims d)
{
    for (int i = 0; i < d.n; i++) if (d.v[i] != i) return false;
    return true;
}

static bool all(ir_dims d, int64_t v)
{
    for (int i = 0; i < d.n; i++) if (d.v[i] != v) return false;
    return true;
}

/* A move of a broadcast scalar: broadcasts the scalar to the result's shape. */
static ir_id scalar_moved(const rule *r)
{
    ir_eqn d;
    if (!made_by(r, r->x[0], &prim_broadcast_in_dim, &d) || type(r, d.in[0])->rank) return 0;
    return emit1(r, &prim_broadcast_in_dim, &(op_broadcast_attr){ { r->y->rank, r->y->dim }, { 0 } }, d.in[0]);
}

static ir_id reshape_rule(const rule *r)
{
    ir_eqn d;
    if (type(r, r->x[0]) == r->y) return r->x[0];
    if (!made_by(r, r->x[0], &prim_reshape, &d)) return scalar_moved(r);
    return type(r, d.in[0]) == r->y ? d.in[0] : emit1(r, &prim_reshape, r->e->attr, d.in[0]);
}

static ir_id broadcast_rule(const rule *r)
{
    const op_broadcast_attr *a = IR_ATTR(r->e, op_broadcast_attr);
    ir_eqn d;
    int64_t to[IR_RANK];
    if (type(r, r->x[0]) == r->y && rising(a->broadcast_dimensions)) return r->x[0];
    if (!made_by(r, r->x[0], &prim_broadcast_in_dim, &d)) return 0;
    const ir_dims inner = ((const op_broadcast_attr *)d.attr)->broadcast_dimensions;
    for (int i = 0; i < inner.n; i++) to[i] = a->broadcast_dimensions.v[inner.v[i]];
    return emit1(r, &prim_broadcast_in_dim, &(op_broadcast_attr){ a->shape, { inner.n, to } }, d.in[0]);
}

static ir_id slice_rule(const rule *r)
{
    const op_slice_attr *a = IR_ATTR(r->e, op_slice_attr);
    return type(r, r->x[0]) == r->y && all(a->strides, 1) ? r->x[0] : scalar_moved(r);
}

static ir_id pad_rule(const rule *r)
{
    const op_pad_attr *a = IR_ATTR(r->e, op_pad_attr);
    return all(a->edge_padding_low, 0) && all(a->edge_padding_high, 0) && all(a->interior_padding, 0) ? r->x[0] : 0;
}

static ir_id concatenate_rule(const rule *r) { return r->e->nin == 1 ? r->x[0] : 0; }

static ir_id reverse_rule(const rule *r)
{
    return IR_ATTR(r->e, op_reverse_attr)->dimensions.n ? twice_rule(r) : r->x[0];
}

/* A dynamic slice with constant starts is a slice. */
static ir_id dynamic_slice_rule(const rule *r)
{
    const ir_dims size = IR_ATTR(r->e, op_dynamic_slice_attr)->slice_sizes;
    const ir_type *x = type(r, r->x[0]);
    int64_t lo[IR_RANK], hi[IR_RANK], one[IR_RANK];
    static const int64_t zero[1];
    for (int d = 0; d < size.n; d++) {
        const op_const_attr *c = pass_const(r->s->b, r->x[1 + d]);
        if (!c) return 0;
        const ir_box b = ir_box_dense((void *)(uintptr_t)c->data.p, type(r, r->x[1 + d]));
        const int64_t i = ir_load(&b, zero).i, last = x->dim[d] - size.v[d];
        lo[d] = i < 0 ? 0 : i > last ? last : i;
        hi[d] = lo[d] + size.v[d];
        one[d] = 1;
    }
    return type(r, r->x[0]) == r->y ? r->x[0]
         : emit1(r, &prim_slice, &(op_slice_attr){ { size.n, lo }, { size.n, hi }, { size.n, one } }, r->x[0]);
}

/* gather(convert(x)) = convert(gather(x)) of floats, where fewer elements are converted then: rows of a table. An
 * element that is not there is 0 or NaN before and after. */
static ir_id gather_rule(const rule *r)
{
    ir_eqn d;
    if (!floats(r) || r->e->nin != 2 || !made_by(r, r->x[0], &prim_convert, &d)) return 0;
    const ir_type *x = type(r, d.in[0]);
    if (ir_dtype_of(x->dtype)->cls != ir_dtype_of(r->y->dtype)->cls || ir_is_narrow(x->dtype) ||
        ir_is_narrow(r->y->dtype) || 2 * ir_count(r->y) > ir_count(x)) return 0;
    const ir_id y = pass_emit(r->s, &prim_gather, r->e->attr, 2, (const ir_id[]){ d.in[0], r->x[1] }, 0, NULL);
    return y ? emit1(r, &prim_convert, d.attr, y) : 0;
}

/* ---- contractions ---- */

static int64_t place_in(ir_dims l, int64_t d)            /* index of d in l; -1: none */
{
    for (int i = 0; i < l.n; i++) if (l.v[i] == d) return i;
    return -1;
}

/* Maps an operand's batch and contracted dims to those before the operand's transpose. Returns false if the order of
 * the free dims would change. */
static bool simplify_rules_before(ir_dims perm, ir_dims batch, ir_dims sum, int64_t *b, int64_t *k)
{
    int64_t last = -1;
    for (int i = 0; i < batch.n; i++) b[i] = perm.v[batch.v[i]];
    for (int i = 0; i < sum.n; i++) k[i] = perm.v[sum.v[i]];
    for (int d = 0; d < perm.n; d++) {
        if (place_in(batch, d) >= 0 || place_in(sum, d) >= 0) continue;
        if (perm.v[d] < last) return false;
        last = perm.v[d];
    }
    return true;
}

static ir_id dot_rule(const rule *r)
{
    const op_dot_attr *a = IR_ATTR(r->e, op_dot_attr);
    op_dot_attr n = *a;
    int64_t b[2][IR_RANK], k[2][IR_RANK];
    ir_id x[2] = { r->x[0], r->x[1] };
    ir_dims *const batch[2] = { &n.lhs_batching_dimensions, &n.rhs_batching_dimensions };
    ir_dims *const sum[2] = { &n.lhs_contracting_dimensions, &n.rhs_contracting_dimensions };
    bool any = false;
    for (int i = 0; i < 2; i++) {
        ir_eqn d;
        if (!made_by(r, x[i], &prim_transpose, &d)) continue;
        const ir_dims perm = ((const op_transpose_attr *)d.attr)->permutation;
        if (!simplify_rules_before(perm, *batch[i], *sum[i], b[i], k[i])) continue;
        *batch[i] = (ir_dims){ batch[i]->n, b[i] };
        *sum[i] = (ir_dims){ sum[i]->n, k[i] };
        x[i] = d.in[0];
        any = true;
    }
    return any ? pass_emit(r->s, &prim_dot_general, &n, 2, x, 0, NULL) : 0;
}

/* transpose(x . y) that exchanges the free dims of x and y is y . x. Only if x . y has no other reader. */
static ir_id swapped(const rule *r, ir_dims perm)
{
    ir_eqn d;
    if (r->p->uses[r->e->in[0]] != 1 || !made_by(r, r->x[0], &prim_dot_general, &d)) return 0;
    const op_dot_attr *a = d.attr;
    const int batch = a->lhs_batching_dimensions.n, left = type(r, d.in[0])->rank - batch
        - a->lhs_contracting_dimensions.n;
    const int right = perm.n - batch - left;
    for (int i = 0; i < perm.n; i++) {
        const int want = i < batch ? i : i < batch + right ? left + i : i - right;
        if (perm.v[i] != want) return 0;
    }
    const op_dot_attr n = { a->rhs_batching_dimensions, a->lhs_batching_dimensions, a->rhs_contracting_dimensions,
                            a->lhs_contracting_dimensions, a->preferred_element_type,
                            a->precision };
    return pass_emit(r->s, &prim_dot_general, &n, 2, (const ir_id[]){ d.in[1], d.in[0] }, 0, NULL);
}

static ir_id transpose_rule(const rule *r)
{
    const ir_dims p = IR_ATTR(r->e, op_transpose_attr)->permutation;
    ir_eqn d;
    int64_t q[IR_RANK];
    if (rising(p)) return r->x[0];
    if (!made_by(r, r->x[0], &prim_transpose, &d)) {
        const ir_id y = swapped(r, p);
        return y ? y : scalar_moved(r);
    }
    const ir_dims inner = ((const op_transpose_attr *)d.attr)->permutation;
    for (int i = 0; i < p.n; i++) q[i] = inner.v[p.v[i]];
    return rising((ir_dims){ p.n, q }) ? d.in[0]
                                       : emit1(r, &prim_transpose, &(op_transpose_attr){ { p.n, q } }, d.in[0]);
}

/* reduce(transpose(x)) = reduce(x) over the permuted dims, if the transpose keeps the order of the reduced dims and of
 * the other dims. Only if the transpose has no other reader. */
static ir_id reduce_rule(const rule *r)
{
    const ir_dims over = IR_ATTR(r->e, op_reduce_attr)->dimensions;
    int64_t dims[IR_RANK], last[2] = { -1, -1 };
    ir_eqn d;
    if (r->e->nin != 2 || r->p->uses[r->e->in[0]] != 1 || !made_by(r, r->x[0], &prim_transpose, &d)) return 0;
    const ir_dims perm = ((const op_transpose_attr *)d.attr)->permutation;
    for (int i = 0; i < perm.n; i++) {
        int64_t *const before_it = &last[place_in(over, i) >= 0];
        if (perm.v[i] < *before_it) return 0;
        *before_it = perm.v[i];
    }
    for (int i = 0; i < over.n; i++) dims[i] = perm.v[over.v[i]];
    return pass_emit(r->s, &prim_reduce, &(op_reduce_attr){ { over.n, dims } }, 2, (ir_id[]){ d.in[0], r->x[1] }, 1,
                     r->e->sub);
}

ir_id pass_simplify_rule(pass_simplifier *s, const pass_from *p, const ir_eqn *e, const ir_id *x)
{
    static const struct { const op_prim *op; rule_fn *fn; } rules[] = {
        { &prim_add, add_rule }, { &prim_sub, sub_rule }, { &prim_mul, mul_rule }, { &prim_div, div_rule },
        { &prim_max, same_rule }, { &prim_min, same_rule }, { &prim_and, same_rule }, { &prim_or, same_rule },
        { &prim_neg, twice_rule }, { &prim_not, twice_rule }, { &prim_integer_pow, power_rule },
        { &prim_abs, abs_rule }, { &prim_floor, round_rule }, { &prim_ceil, round_rule },
        { &prim_round_even, round_rule }, { &prim_round_away, round_rule }, { &prim_select, select_rule },
        { &prim_convert, convert_rule }, { &prim_reshape, reshape_rule },
        { &prim_broadcast_in_dim, broadcast_rule }, { &prim_slice, slice_rule }, { &prim_pad, pad_rule },
        { &prim_concatenate, concatenate_rule }, { &prim_reverse, reverse_rule },
        { &prim_dynamic_slice, dynamic_slice_rule }, { &prim_gather, gather_rule }, { &prim_dot_general, dot_rule },
        { &prim_transpose, transpose_rule }, { &prim_real, part_rule }, { &prim_imag, part_rule },
        { &prim_complex, complex_rule }, { &prim_reduce, reduce_rule },
    };
    const rule r = { s, p, e, x, IR_OUT(e, 0) };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) if (rules[i].op == e->op) return rules[i].fn(&r);
    return 0;
}
