/* hlo/write/lower_reflect.c - Hessenberg and tridiagonal forms and QR with pivoting in operations of StableHLO, for
 * compilers without LAPACK's: Householder reflectors by a counted loop, with LAPACK's choice of signs (op/linalg has
 * the same equations). */
#include "lower_algebra.h"

static ir_id parts_joined(ir_build *b, ir_id re, ir_id im)   /* im 0: a real number */
{
    return im ? op_parts_join(b, (op_parts){ re, im }) : re;
}

/* Numbers are divided by the largest of them first; a column of zeros below a real number has tau 0. */
bool hlo_reflector_of(ir_build *b, ir_id column, ir_id at, hlo_reflector *r)
{
    const ir_type *const t = column && at ? ir_typeof(b, column) : NULL;
    if (!t) return false;
    const int row = t->rank - 2;
    const ir_id rows = hlo_numbers(b, t, false), here = hlo_compare(b, OP_CMP_EQ, rows, at),
        below = hlo_compare(b, OP_CMP_GT, rows, at);
    const ir_id alpha = hlo_reduced(b, &prim_add, hlo_where(b, here, column, 0), row),
        tail = hlo_where(b, below, column, 0);
    const op_parts x = op_parts_of(b, alpha), y = op_parts_of(b, tail);
    if (!x.re || !y.re) return false;
    const ir_id size = y.im ? op_max(b, op_abs(b, y.re), op_abs(b, y.im)) : op_abs(b, y.re);
    const ir_id most = hlo_reduced(b, &prim_max, size, row), zero = hlo_filled(b, most, 0),
        one = hlo_filled(b, most, 1);
    const ir_id real = x.im ? op_equal(b, x.im, zero) : 0, none = op_equal(b, most, zero);
    const ir_id is_done = real ? op_and(b, none, real) : none;
    const ir_id all = op_max(b, most, x.im ? op_max(b, op_abs(b, x.re), op_abs(b, x.im)) : op_abs(b, x.re));
    const ir_id scale = op_select(b, op_equal(b, all, zero), one, all), by = hlo_spread_as(b, scale, y.re);
    const op_parts u = { op_div(b, y.re, by), y.im ? op_div(b, y.im, by) : 0 };
    const op_parts w = { op_div(b, x.re, scale), x.im ? op_div(b, x.im, scale) : 0 };
    ir_id squares = op_mul(b, u.re, u.re), sum = op_mul(b, w.re, w.re);
    if (u.im) squares = op_add(b, squares, op_mul(b, u.im, u.im)), sum = op_add(b, sum, op_mul(b, w.im, w.im));
    const ir_id norm = op_sqrt(b, op_add(b, sum, hlo_reduced(b, &prim_add, squares, row)));
    const ir_id beta = op_select(b, op_less(b, x.re, zero), norm, op_neg(b, norm)),
        safe = op_select(b, is_done, one, beta);
    const ir_id tau = op_select(b, is_done, zero, op_div(b, op_sub(b, beta, w.re), safe));
    const ir_id under = parts_joined(b, op_sub(b, w.re, safe), w.im), over = parts_joined(b, u.re, u.im);
    const ir_id slope = hlo_where(b, op_not(b, is_done), op_div(b, over, hlo_spread_as(b, under, over)), 0);
    r->beta = op_convert(b, op_select(b, is_done, x.re, op_mul(b, beta, scale)), t->dtype);
    r->tau = parts_joined(b, tau, w.im ? op_select(b, is_done, zero, op_div(b, op_neg(b, w.im), safe)) : 0);
    r->v = slope ? hlo_where(b, here, hlo_filled(b, slope, 1), slope) : 0;
    return r->beta && r->tau && r->v;
}

ir_id hlo_reflected(ir_build *b, const hlo_reflector *r, ir_id x)
{
    const ir_id w = op_product(b, op_adjoint(b, r->v), x);
    return op_sub(b, x, op_product(b, r->v, hlo_scaled_by(b, w, hlo_conjugate(b, r->tau))));
}

ir_id hlo_reflected_right(ir_build *b, const hlo_reflector *r, ir_id x)
{
    return op_sub(b, x, op_product(b, hlo_scaled_by(b, op_product(b, x, r->v), r->tau), op_adjoint(b, r->v)));
}

/* x with its column `at` as the factorisations store it: beta in row `row`, and v below it. */
static ir_id with_vector(ir_build *b, const hlo_reflector *r, ir_id x, ir_id at, ir_id row)
{
    const ir_type *const t = x ? ir_typeof(b, x) : NULL;
    if (!t) return 0;
    const ir_id old = hlo_cut(b, x, t->rank - 1, at, 1), rows = hlo_numbers(b, t, false);
    const ir_id below = hlo_where(b, hlo_compare(b, OP_CMP_GT, rows, row), r->v, old);
    const ir_id column = below ? hlo_where(b, hlo_compare(b, OP_CMP_EQ, rows, row), hlo_spread_as(b, r->beta, below),
        below) : 0;
    return column ? hlo_put(b, x, t->rank - 1, at, column) : 0;
}

/* The columns of x behind number `at`, those of `old` elsewhere. */
static ir_id behind(ir_build *b, ir_id at, ir_id x, ir_id old)
{
    return x ? hlo_where(b, hlo_compare(b, OP_CMP_GT, hlo_numbers(b, ir_typeof(b, x), true), at), x, old) : 0;
}

/* "T[k, .., 1, 1]" as "T[.., k]" */
static ir_id as_list(ir_build *b, ir_id x)
{
    const ir_type *const t = x ? ir_typeof(b, x) : NULL;
    return t ? op_move(b, op_reshape(b, x, t->rank - 2, t->dim), 0, t->rank - 3) : 0;
}

/* carry: a; x: the column; y: tau. */
static ir_fn *hessenberg_body(ir_build *outer, ir_id a)
{
    ir_build *const b = ir_region(outer, base_intern("column"));
    const ir_id x = ir_arg(b, ir_typeof(outer, a)), at = ir_arg(b, ir_type_of(TT_I32, 0, NULL));
    const ir_id row = op_add(b, at, op_int(b, TT_I32, 1));
    hlo_reflector r;
    if (!hlo_reflector_of(b, hlo_cut(b, x, ir_typeof(b, x)->rank - 1, at, 1), row, &r)) return NULL;
    const ir_id right = hlo_reflected_right(b, &r, x);
    const ir_id ret[] = { with_vector(b, &r, behind(b, at, hlo_reflected(b, &r, right), x), at, row), r.tau };
    return ret[0] ? ir_end(b, 2, ret) : NULL;
}

bool hlo_hessenberg(ir_build *b, ir_id a, ir_id *y)
{
    const ir_type *const t = a ? ir_typeof(b, a) : NULL;
    const int64_t k = t ? t->dim[t->rank - 1] - 1 : 0;
    const op_scan_attr loop = { .length = k, .num_carry = 1 };
    if (!t) return false;
    const ir_id in[] = { a, op_iota(b, ir_type_of(TT_I32, 1, &k), 0) };
    ir_fn *const body = hessenberg_body(b, a);
    const ir_id out = body ? ir_emit(b, &prim_scan, &loop, 2, in, 1, &body) : 0;
    y[0] = out, y[1] = out ? as_list(b, out + 1) : 0;
    return y[1] != 0;
}

bool hlo_spell_hessenberg(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    if (ir_count(IR_OUT(e, 1))) return hlo_hessenberg(b, x[0], y);
    return (y[0] = x[0], y[1] = op_zeros(b, IR_OUT(e, 1))) != 0; /* of one row, or of no matrix */
}

/* ---- tridiagonal ---- */

/* carry: a, Hermitian on and below the diagonal from column `at` on; x: the column; y: tau. The rest becomes
 * H' a H = a - v p' - p v', p = tau a v - tau (tau a v)' v / 2 v. */
static ir_fn *tridiagonal_body(ir_build *outer, ir_id a)
{
    ir_build *const b = ir_region(outer, base_intern("column"));
    const ir_id x = ir_arg(b, ir_typeof(outer, a)), at = ir_arg(b, ir_type_of(TT_I32, 0, NULL));
    const ir_id row = op_add(b, at, op_int(b, TT_I32, 1));
    hlo_reflector r;
    if (!hlo_reflector_of(b, hlo_cut(b, x, ir_typeof(b, x)->rank - 1, at, 1), row, &r)) return NULL;
    const ir_id all = hlo_scaled_by(b, op_product(b, x, r.v), r.tau);
    const ir_id p = all ? hlo_where(b, hlo_compare(b, OP_CMP_GE, hlo_numbers(b, ir_typeof(b, all), false), row), all,
        0) : 0;
    const ir_id half = op_mul(b, op_product(b, op_adjoint(b, p), r.v), hlo_filled(b, r.tau, 0.5));
    const ir_id q = op_sub(b, p, hlo_scaled_by(b, hlo_scaled_by(b, r.v, r.tau), half));
    const ir_id less = op_sub(b, x, op_product(b, r.v, op_adjoint(b, q)));
    const ir_id rest = op_sub(b, less, op_product(b, q, op_adjoint(b, r.v)));
    const ir_id ret[] = { with_vector(b, &r, rest, at, row), r.tau };
    return ret[0] ? ir_end(b, 2, ret) : NULL;
}

static ir_id real_part(ir_build *b, ir_id x) { return op_parts_of(b, x).re; }

/* y: of the lower triangle. */
static bool tridiagonal_lower(ir_build *b, ir_id a, ir_id *y)
{
    const ir_type *const t = ir_typeof(b, a);
    const int64_t n = t->dim[t->rank - 1], k = n - 1;
    const op_scan_attr loop = { .length = k, .num_carry = 1 };
    const ir_id low = op_where_compare(b, OP_CMP_GT, 0, a, 0);
    const ir_id diagonal = op_where_compare(b, OP_CMP_EQ, 0, op_convert(b, real_part(b, a), t->dtype), 0);
    const ir_id whole = op_add(b, op_add(b, low, op_adjoint(b, low)), diagonal);
    const ir_id in[] = { whole, op_iota(b, ir_type_of(TT_I32, 1, &k), 0) };
    ir_fn *const body = whole ? tridiagonal_body(b, whole) : NULL;
    const ir_id out = body ? ir_emit(b, &prim_scan, &loop, 2, in, 1, &body) : 0;
    if (!out) return false;
    const ir_id middle = op_convert(b, real_part(b, out), t->dtype);
    y[0] = op_where_compare(b, OP_CMP_GT, 0, out, op_where_compare(b, OP_CMP_EQ, 0, middle, a));
    y[1] = real_part(b, op_diagonal(b, out));
    y[2] = real_part(b, op_diagonal(b, op_part_of(b, out, 1, n, 0, k)));
    y[3] = as_list(b, out + 1);
    return y[0] && y[1] && y[2] && y[3];
}

bool hlo_spell_tridiagonal(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    const bool lower = IR_ATTR(e, op_lower_attr)->lower;
    if (!ir_count(IR_OUT(e, 2))) {                       /* of one row, or of no matrix */
        const ir_type *const d = IR_OUT(e, 1);
        const ir_id re = real_part(b, x[0]);
        y[0] = op_convert(b, re, IR_IN(e, 0)->dtype), y[1] = op_reshape(b, re, d->rank, d->dim);
        y[2] = op_zeros(b, IR_OUT(e, 2)), y[3] = op_zeros(b, IR_OUT(e, 3));
        return y[0] && y[1] && y[2] && y[3];
    }
    if (!tridiagonal_lower(b, lower ? x[0] : hlo_reversed(b, x[0], 2), y)) return false;
    for (int i = 0; !lower && i < 4; i++) if (!(y[i] = hlo_reversed(b, y[i], i ? 1 : 2))) return false;
    return true;
}

/* ---- QR with pivoting ---- */

/* carry: the order of columns, "i32[.., 1, n]", and how many stand in front; x: a column, "i32[.., 1, 1]" whether it is
 * to be there. */
static ir_fn *fixed_body(ir_build *outer, ir_id order, ir_id fixed)
{
    ir_build *const b = ir_region(outer, base_intern("fixed"));
    const ir_id x = ir_arg(b, ir_typeof(outer, order)), n = ir_arg(b, ir_typeof(outer, fixed)),
                at = ir_arg(b, ir_type_of(TT_I32, 0, NULL)), pivot = ir_arg(b, ir_typeof(outer, fixed));
    const ir_id first = op_compare(b, OP_CMP_NE, pivot, hlo_filled(b, pivot, 0));
    ir_id part;
    const ir_id moved = hlo_exchanged(b, x, true, hlo_spread_as(b, at, n), n, &part);
    const ir_id ret[] = { moved ? hlo_where(b, first, moved, x) : 0, op_add(b, n, op_convert(b, first, TT_I32)) };
    return ret[0] && ret[1] ? ir_end(b, 2, ret) : NULL;
}

/* consts: the largest size of each matrix, how many columns are fixed; carry: a, the order of columns; x: the step; y:
 * tau. */
static ir_fn *pivoted_body(ir_build *outer, const ir_id *in)
{
    ir_build *const b = ir_region(outer, base_intern("column"));
    ir_id x[4], part, other;
    for (int i = 0; i < 4; i++) x[i] = ir_arg(b, ir_typeof(outer, in[i]));
    const ir_id at = ir_arg(b, ir_type_of(TT_I32, 0, NULL));
    const ir_type *const t = ir_typeof(b, x[2]);
    const ir_id size = op_div(b, op_abs(b, x[2]), hlo_spread(b, x[0], t));
    const ir_id here = hlo_compare(b, OP_CMP_GE, hlo_numbers(b, t, false), at);
    const ir_id sums = hlo_reduced(b, &prim_add, hlo_where(b, here, op_mul(b, size, size), 0), t->rank - 2);
    const ir_id columns = hlo_numbers(b, t, true);
    const ir_id free = hlo_where(b, hlo_compare(b, OP_CMP_GE, columns, at), sums, hlo_filled(b, x[0], -1));
    const ir_id most = hlo_reduced(b, &prim_max, free, t->rank - 1), found = hlo_compare(b, OP_CMP_EQ, free, most);
    const ir_id k = hlo_spread_as(b, at, x[1]), last = hlo_filled(b, columns, (double)(t->dim[t->rank - 1] - 1));
    const ir_id best = hlo_reduced(b, &prim_min, found ? op_select(b, found, hlo_spread_as(b, columns, found),
        hlo_spread_as(b, last, found)) : 0, t->rank - 1);
    const ir_id q = op_select(b, op_less(b, k, x[1]), k, best);
    const ir_id a = hlo_exchanged(b, x[2], true, k, q, &part), order = hlo_exchanged(b, x[3], true, k, q, &other);
    hlo_reflector r;
    if (!a || !order || !hlo_reflector_of(b, part, at, &r)) return NULL;
    const ir_id ret[] = { with_vector(b, &r, behind(b, at, hlo_reflected(b, &r, a), a), at, at), order, r.tau };
    return ret[0] ? ir_end(b, 3, ret) : NULL;
}

/* pivot: "i32[.., n]", columns that come first; *fixed: "i32[.., 1, 1]", their number. */
static ir_id first_order(ir_build *b, const ir_type *t, ir_id a, ir_id pivot, ir_id *fixed)
{
    const int64_t n = t->dim[t->rank - 1];
    const op_scan_attr loop = { .length = n, .num_carry = 2 };
    const ir_type *const one = hlo_matrix_of(t, TT_I32, 1, 1);
    int64_t dim[IR_RANK] = { n };
    for (int d = 0; d < one->rank; d++) dim[d + 1] = one->dim[d];
    const ir_id list = op_as(b, op_reshape(b, op_move(b, pivot, t->rank - 2, 0), t->rank + 1, dim), ir_typeof(b, a));
    const ir_id in[] = { op_as(b, hlo_numbers(b, t, true), ir_typeof(b, a)), op_as(b, op_zeros(b, one), ir_typeof(b,
        a)),
                         op_iota(b, ir_type_of(TT_I32, 1, &n), 0), list };
    ir_fn *const body = list && in[0] && in[1] ? fixed_body(b, in[0], in[1]) : NULL;
    const ir_id out = body ? ir_emit(b, &prim_scan, &loop, 4, in, 1, &body) : 0;
    *fixed = out + 1;
    return out;
}

bool hlo_spell_geqp3(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    const ir_type *const t = IR_IN(e, 0), *const p = IR_OUT(e, 1);
    const int64_t m = t->dim[t->rank - 2], n = t->dim[t->rank - 1], k = m < n ? m : n;
    const op_scan_attr loop = { .length = k, .num_consts = 2, .num_carry = 2 };
    ir_id fixed = 0, order = ir_count(p) ? first_order(b, t, x[0], x[1], &fixed) : op_zeros(b, p);
    y[0] = x[0], y[2] = op_zeros(b, IR_OUT(e, 2));
    if (order && ir_count(t)) {
        const ir_id most = hlo_total(b, &prim_max, op_abs(b, x[0])), some = op_less(b, hlo_filled(b, most, 0), most);
        const ir_id list = op_reshape(b, order, p->rank, p->dim);
        const ir_id a = op_matrix_transpose(b, op_permuted_rows(b, op_matrix_transpose(b, x[0]), list));
        const ir_id in[] = { hlo_where(b, some, most, hlo_filled(b, most, 1)), fixed, a, order,
                             op_iota(b, ir_type_of(TT_I32, 1, &k), 0) };
        ir_fn *const body = in[0] && a ? pivoted_body(b, in) : NULL;
        const ir_id out = body ? ir_emit(b, &prim_scan, &loop, 5, in, 1, &body) : 0;
        y[0] = out, order = out ? out + 1 : 0, y[2] = out ? as_list(b, out + 2) : 0;
    }
    const ir_id from_one = order ? op_add(b, order, hlo_filled(b, order, 1)) : 0;
    y[1] = from_one ? op_reshape(b, from_one, p->rank, p->dim) : 0;
    return y[0] && y[1] && y[2];
}
