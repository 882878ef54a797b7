/* hlo/write/lower_eig.c - eigenvalues and eigenvectors of any square matrix in operations of StableHLO, for compilers
 * without LAPACK's: from the Schur form, all vectors at once by substitution in the triangle, a row at a time
 * (op/linalg/schur_form.c has the same equations). */
#include "lower_algebra.h"

#include <float.h>

/* consts: the largest size of a number, the diagonal as a row; carry: x, whose rows behind this one are known; xs: the
 * number of the row, and t's row behind the diagonal. */
static ir_fn *substituted_row(ir_build *outer, const ir_id *in, double epsilon)
{
    ir_build *const b = ir_region(outer, base_intern("row"));
    ir_id c[3];
    for (int i = 0; i < 3; i++) c[i] = ir_arg(b, ir_typeof(outer, in[i]));
    const ir_id at = ir_arg(b, ir_type_of(TT_I32, 0, NULL)), x = c[2];
    const ir_type *const list = ir_typeof(outer, in[4]);
    const ir_id row = ir_arg(b, ir_type_as(list, list->dtype, list->rank - 1, list->dim + 1));
    const ir_type *const t = ir_typeof(b, x);
    const ir_id sum = op_product(b, row, x), here = hlo_cut(b, c[1], t->rank - 1, at, 1);
    const ir_id gap = here ? op_sub(b, hlo_spread_as(b, here, c[1]), c[1]) : 0;
    const ir_id size = gap ? op_abs(b, gap) : 0, bound = size ? op_mul(b, c[0], hlo_filled(b, c[0], epsilon)) : 0;
    const ir_id near = bound ? hlo_compare(b, OP_CMP_LT, size, bound) : 0;
    const ir_id by = near ? hlo_where(b, near, op_convert(b, hlo_spread_as(b, bound, size), t->dtype), gap) : 0;
    const ir_id columns = hlo_numbers(b, t, true), number = by ? op_div(b, op_neg(b, sum), by) : 0;
    const ir_id behind = number ? hlo_where(b, hlo_compare(b, OP_CMP_GT, columns, at), number, 0) : 0;
    const ir_id now = behind ? hlo_where(b, hlo_compare(b, OP_CMP_EQ, columns, at), hlo_filled(b, behind, 1),
        behind) : 0;
    const ir_id next = now ? hlo_put(b, x, t->rank - 2, at, now) : 0, large = now ? op_abs(b, now) : 0;
    if (!next || !large) return NULL;
    const ir_id grown = op_less(b, hlo_filled(b, large, 1 / epsilon), large);  /* columns stay finite */
    const ir_id scale = op_convert(b, hlo_where(b, grown, large, hlo_filled(b, large, 1)), t->dtype);
    const ir_id ret = op_div(b, next, hlo_spread_as(b, scale, next));
    return ret ? ir_end(b, 1, &ret) : NULL;
}

/* x: upper triangular, (t - t_kk) x_k = 0 for each column k. */
static ir_id triangle_vectors(ir_build *b, ir_id t)
{
    const ir_type *const type = t ? ir_typeof(b, t) : NULL;
    if (!type) return 0;
    const int64_t n = type->dim[type->rank - 1];
    const bool wide = type->dtype == TT_C128;
    int64_t dim[IR_RANK] = { n };
    for (int d = 0; d < type->rank; d++) dim[d + 1] = d == type->rank - 2 ? 1 : type->dim[d];
    const ir_id most = hlo_total(b, &prim_max, op_abs(b, t));
    const ir_id scale = most ? op_max(b, most, hlo_filled(b, most,
        wide ? DBL_MIN / DBL_EPSILON : FLT_MIN / FLT_EPSILON)) : 0;
    const ir_id diagonal = hlo_reduced(b, &prim_add, op_where_compare(b, OP_CMP_EQ, 0, t, 0), type->rank - 2);
    const ir_id above = op_where_compare(b, OP_CMP_LT, 0, t, 0);
    const ir_id rows = op_reshape(b, op_move(b, above, type->rank - 2, 0), type->rank + 1, dim);
    const ir_id in[] = { scale, diagonal, op_as(b, hlo_filled(b, t, 0), type), op_iota(b, ir_type_of(TT_I32, 1, &n),
        0), rows };
    const op_scan_attr loop = { .length = n, .num_consts = 2, .num_carry = 1, .reverse = true };
    for (int i = 0; i < 5; i++) if (!in[i]) return 0;
    ir_fn *const body = substituted_row(b, in, wide ? DBL_EPSILON : FLT_EPSILON);
    return body ? ir_emit(b, &prim_scan, &loop, 5, in, 1, &body) : 0;
}

/* Columns of norm 1 whose largest number, the first of equal ones, is real. */
static ir_id normalised(ir_build *b, ir_id v)
{
    const ir_type *const t = v ? ir_typeof(b, v) : NULL;
    if (!t) return 0;
    const int row = t->rank - 2;
    const ir_id size = op_abs(b, v), most = hlo_reduced(b, &prim_max, size, row);
    const ir_id some = most ? op_less(b, hlo_filled(b, most, 0), most) : 0;
    const ir_id by = some ? hlo_where(b, some, most, hlo_filled(b, most, 1)) : 0;
    const ir_id part = by ? op_div(b, size, hlo_spread_as(b, by, size)) : 0;
    const ir_id norm = part ? op_sqrt(b, hlo_reduced(b, &prim_add, op_mul(b, part, part), row)) : 0;
    const ir_id rows = hlo_spread_as(b, hlo_numbers(b, t, false), size);
    const ir_id first = norm ? hlo_reduced(b, &prim_min, hlo_where(b, hlo_compare(b, OP_CMP_EQ, size, most), rows,
        hlo_filled(b, rows, INT32_MAX)), row) : 0;
    const ir_id turn = first ? hlo_reduced(b, &prim_add, hlo_where(b, hlo_compare(b, OP_CMP_EQ, rows, first), v, 0),
        row) : 0;
    const ir_id unit = turn ? op_div(b, hlo_conjugate(b, turn), op_convert(b, op_mul(b, by, by), t->dtype)) : 0;
    const ir_id length = unit ? op_convert(b, hlo_where(b, op_less(b, hlo_filled(b, norm, 0), norm), norm,
        hlo_filled(b, norm, 1)), t->dtype) : 0;
    return length ? op_mul(b, v, hlo_spread_as(b, op_div(b, unit, length), v)) : 0;
}

/* Of a real matrix: vectors of real eigenvalues are real, those of a pair conjugates of each other. w: [.., 1, n] */
static ir_id of_reals(ir_build *b, ir_id w, ir_id v)
{
    int64_t lo[IR_RANK] = { 0 }, hi[IR_RANK] = { 0 }, none[IR_RANK] = { 0 };
    const ir_type *const t = v ? ir_typeof(b, v) : NULL;
    if (!t) return 0;
    lo[t->rank - 1] = 1, hi[t->rank - 1] = -1;
    const op_parts p = op_parts_of(b, w), q = op_parts_of(b, v);
    const ir_id zero = hlo_filled(b, p.im, 0), real = op_equal(b, p.im, zero), second = op_less(b, p.im, zero);
    const ir_id left = op_pad(b, v, (ir_dims){ t->rank, lo }, (ir_dims){ t->rank, hi }, (ir_dims){ t->rank, none });
    const ir_id other = left ? hlo_where(b, second, hlo_conjugate(b, left), v) : 0;
    return other ? hlo_where(b, real, op_convert(b, q.re, t->dtype), other) : 0;
}

bool hlo_spell_eig(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    const op_eig_attr *const a = IR_ATTR(e, op_eig_attr);
    const bool wanted[] = { a->compute_left_eigenvectors, a->compute_right_eigenvectors };
    const ir_type *const from = IR_IN(e, 0);
    const bool real = !op_is_complex(from->dtype);
    ir_id form[3];
    for (int j = 0; j < 3; j++) if (!(y[j] = op_as(b, op_zeros(b, IR_OUT(e, j)), from))) return false;
    if (!ir_count(from)) return true;
    if (!hlo_schur(b, x[0], form)) return false;
    y[0] = form[2];
    if (!wanted[0] && !wanted[1]) return true;
    if (real && !hlo_schur_complex(b, form[0], form[1], &form[0], &form[1])) return false;
    const int64_t n = from->dim[from->rank - 1];
    const ir_type *const row = hlo_matrix_of(from, IR_OUT(e, 0)->dtype, 1, n);
    const ir_id w = op_reshape(b, y[0], row->rank, row->dim);
    for (int side = 0; side < 2; side++) {               /* left vectors are the right ones of the adjoint */
        if (!wanted[side]) continue;
        const ir_id right = triangle_vectors(b, side ? form[0] : hlo_reversed(b, op_adjoint(b, form[0]), 2));
        const ir_id v = normalised(b, op_product(b, form[1], side ? right : hlo_reversed(b, right, 2)));
        if (!(y[1 + side] = real ? of_reals(b, w, v) : v)) return false;
    }
    return true;
}
