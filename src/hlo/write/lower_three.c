/* hlo/write/lower_three.c - systems of three diagonals in operations of StableHLO, for compilers without LAPACK's: the
 * elimination of op/linalg/schur_form_any.h, with exchange of rows, as a loop over the rows, and a loop back. */
#include "lower_algebra.h"

#include <float.h>
#include <math.h>

typedef struct { ir_build *b; tt_dtype real; double epsilon; } three;    /* epsilon 0: a singular matrix gives NaN */

static ir_id times(ir_build *b, ir_id x, ir_id row) { return op_mul(b, hlo_spread_as(b, x, row), row); }
static ir_id none(ir_build *b, ir_id x) { return op_equal(b, x, hlo_filled(b, x, 0)); }

/* True where rows are exchanged: the number below is the larger one; with an epsilon, in proportion to its row's
 * size. */
static ir_id exchanges(const three *w, ir_id mid, ir_id low, ir_id scale, ir_id next)
{
    ir_build *const b = w->b;
    if (!(w->epsilon > 0)) return op_less(b, hlo_size1(b, mid), hlo_size1(b, low));
    const ir_id here = op_div(b, op_abs(b, mid), hlo_where(b, none(b, mid), hlo_filled(b, scale, 1), scale));
    const ir_id below = op_div(b, op_abs(b, low), hlo_where(b, none(b, low), hlo_filled(b, next, 1), next));
    return op_less(b, here, below);
}

/* carry: this row's number on the diagonal and the one to its right, its right sides, its size; x: the next row's three
 * and right sides; y: the row as eliminated: mid, high, the second to its right, right sides. */
static ir_fn *eliminated(const three *outer, const ir_id *in)
{
    three w = *outer;
    ir_build *const b = w.b = ir_region(outer->b, base_intern("row"));
    ir_id c[4], x[4];
    for (int i = 0; i < 4; i++) c[i] = ir_arg(b, ir_typeof(outer->b, in[i]));
    for (int i = 0; i < 4; i++) {
        const ir_type *const t = ir_typeof(outer->b, in[4 + i]);
        x[i] = ir_arg(b, ir_type_as(t, t->dtype, t->rank - 1, t->dim + 1));
    }
    const ir_id mid = c[0], high = c[1], right = c[2], low = x[0];
    const ir_id next = op_add(b, op_add(b, op_abs(b, low), op_abs(b, x[1])), op_abs(b, x[2]));
    const ir_id turn = exchanges(&w, mid, low, c[3], next);
    if (!turn) return NULL;
    const ir_id below = hlo_where(b, turn, low, mid), above = hlo_where(b, turn, mid, low);
    const ir_id f = hlo_where(b, none(b, above), hlo_filled(b, above, 0), op_div(b, above, below));
    const ir_id row_high = hlo_where(b, turn, x[1], high), row_second = hlo_where(b, turn, x[2], 0);
    const ir_id row_right = hlo_where(b, turn, x[3], right);
    const ir_id left = hlo_where(b, turn, high, x[1]), after = hlo_where(b, turn, right, x[3]);
    const ir_id new_mid = op_sub(b, left, op_mul(b, f, row_high));
    const ir_id new_high = hlo_where(b, turn, op_neg(b, op_mul(b, f, x[2])), x[2]);
    const ir_id scale = hlo_where(b, turn, op_add(b, op_abs(b, new_mid), op_abs(b, new_high)), next);
    const ir_id ret[] = { new_mid, new_high, op_sub(b, after, times(b, f, row_right)), scale, below, row_high,
        row_second,
                          row_right };
    return ret[0] && ret[1] && ret[2] && scale ? ir_end(b, 8, ret) : NULL;
}

/* LAPACK's lagts: the pivot moves away from 0 by `move`, which doubles, until x divided by it is a number; pivots below
 * `tiny` are scaled together with x instead. carry: pivot, x, move, whether it is done; not `body`: the condition. */
static ir_fn *sounder(const three *outer, const ir_id *in, bool body)
{
    const double tiny = outer->real == TT_F64 ? DBL_MIN : FLT_MIN;
    ir_build *const b = ir_region(outer->b, base_intern(body ? "pivot" : "moving"));
    ir_id c[4];
    for (int i = 0; i < 4; i++) c[i] = ir_arg(b, ir_typeof(outer->b, in[i]));
    if (!body) {
        const ir_type *const t = ir_typeof(b, c[3]);
        const int64_t n = ir_count(t), zero = 0;
        const ir_id open = op_convert(b, op_not(b, op_reshape(b, c[3], 1, &n)), TT_I32);
        const ir_id more = op_less(b, op_int(b, TT_I32, 0), op_reduce_dims(b, &prim_max, open, 1, &zero));
        return more ? ir_end(b, 1, &more) : NULL;
    }
    const ir_id size = op_abs(b, c[0]), most = op_abs(b, c[1]), least = hlo_filled(b, size, tiny);
    const ir_id small = op_less(b, size, least), some = op_not(b, none(b, size));
    const ir_id fits = op_compare(b, OP_CMP_LE, most, op_div(b, size, least));
    const ir_id scales = op_and(b, op_and(b, small, some), op_compare(b, OP_CMP_LE, op_mul(b, most, least), size));
    const ir_id large = op_not(b, op_less(b, size, hlo_filled(b, size, 1)));
    const ir_id now = op_or(b, large, op_or(b, scales, op_and(b, op_not(b, small), fits)));
    const ir_id by = hlo_filled(b, c[0], tiny), open = op_not(b, op_or(b, c[3], now));
    const ir_id first = op_and(b, op_and(b, op_not(b, c[3]), op_not(b, large)), scales);
    const ir_id ret[] = { hlo_where(b, first, op_div(b, c[0], by), hlo_where(b, open, op_add(b, c[0], c[2]), c[0])),
                          hlo_where(b, first, op_div(b, c[1], by), c[1]),
                          hlo_where(b, open, op_add(b, c[2], c[2]), c[2]), op_or(b, c[3], now) };
    return ret[0] && ret[1] && ret[2] && ret[3] ? ir_end(b, 4, ret) : NULL;
}

static ir_id divided(const three *w, ir_id x, ir_id mid, ir_id least)
{
    ir_build *const b = w->b;
    const ir_id pivot = hlo_spread_as(b, mid, x);
    if (!(w->epsilon > 0) || !pivot) return op_div(b, x, pivot);
    const op_parts p = op_parts_of(b, pivot);
    const ir_id size = hlo_spread_as(b, least, p.re), down = op_less(b, p.re, hlo_filled(b, p.re, 0));
    const ir_type *const t = ir_typeof(b, x);
    const ir_id move = op_convert(b, hlo_where(b, down, op_neg(b, size), size), t->dtype);
    const ir_id in[] = { pivot, x, move, op_as(b, op_zeros(b, ir_type_of(TT_BOOL, t->rank, t->dim)), t) };
    if (!move || !in[3]) return 0;
    ir_fn *const both[] = { sounder(w, in, false), sounder(w, in, true) };
    const ir_id out = both[0] && both[1] ? ir_emit(b, &prim_while, NULL, 4, in, 2, both) : 0;
    return out ? op_div(b, out + 1, out) : 0;
}

/* consts: by how much pivots are moved; carry: the solutions of the next row and of the one behind it; x: a row. */
static ir_fn *substituted(const three *outer, const ir_id *in)
{
    three w = *outer;
    ir_build *const b = w.b = ir_region(outer->b, base_intern("back"));
    ir_id c[3], x[4];
    for (int i = 0; i < 3; i++) c[i] = ir_arg(b, ir_typeof(outer->b, in[i]));
    for (int i = 0; i < 4; i++) {
        const ir_type *const t = ir_typeof(outer->b, in[3 + i]);
        x[i] = ir_arg(b, ir_type_as(t, t->dtype, t->rank - 1, t->dim + 1));
    }
    const ir_id known = op_add(b, times(b, x[1], c[1]), times(b, x[2], c[2]));
    const ir_id y = divided(&w, op_sub(b, x[3], known), x[0], c[0]);
    const ir_id ret[] = { y, c[1], y };
    return y ? ir_end(b, 3, ret) : NULL;
}

/* x with one more number at the end of dim 0. */
static ir_id ended(ir_build *b, ir_id x, ir_id last)
{
    const ir_type *const t = last ? ir_typeof(b, last) : NULL;
    int64_t dim[IR_RANK] = { 1 };
    if (!t) return 0;
    for (int d = 0; d < t->rank; d++) dim[d + 1] = t->dim[d];
    const ir_id alone = op_reshape(b, last, t->rank + 1, dim), one = x ? op_as(b, alone, ir_typeof(b, x)) : alone;
    return !x ? one : one ? op_concatenate(b, 2, (const ir_id[]){ x, one }, 0) : 0;
}

/* [.., n, k] or [.., n] as [n, .., k or 1] */
static ir_id by_rows(ir_build *b, ir_id x, int rank)
{
    const ir_type *const t = ir_typeof(b, x);
    int64_t dim[IR_RANK];
    for (int d = 0; d < t->rank; d++) dim[d] = t->dim[d];
    dim[rank - 1] = t->rank == rank ? dim[rank - 1] : 1;
    return op_move(b, op_reshape(b, x, rank, dim), rank - 2, 0);
}

static ir_id rows_between(ir_build *b, ir_id x, int64_t from, int64_t to)
{
    int64_t lo[IR_RANK] = { from }, hi[IR_RANK] = { to }, one[IR_RANK];
    const ir_type *const t = x ? ir_typeof(b, x) : NULL;
    for (int d = 0; t && d < t->rank; d++) one[d] = 1, hi[d] = d ? t->dim[d] : to;
    return t ? op_slice(b, x, (ir_dims){ t->rank, lo }, (ir_dims){ t->rank, hi }, (ir_dims){ t->rank, one }) : 0;
}

static ir_id first_row(ir_build *b, ir_id x)             /* without dim 0 */
{
    const ir_type *const t = x ? ir_typeof(b, x) : NULL;
    return t ? op_reshape(b, rows_between(b, x, 0, 1), t->rank - 1, t->dim + 1) : 0;
}

static ir_id most_of_rows(ir_build *b, ir_id x)               /* over dim 0 */
{
    const int64_t zero = 0;
    return x ? op_reduce_dims(b, &prim_max, op_abs(b, x), 1, &zero) : 0;
}

/* row: mid, high, second, right sides, [n, ..], as eliminated. */
static bool all_eliminated(const three *w, int64_t n, const ir_id *three_of, ir_id right, ir_id *row)
{
    ir_build *const b = w->b;
    const ir_id mid = first_row(b, three_of[1]), high = first_row(b, three_of[2]);
    const ir_id size = op_add(b, op_abs(b, mid), op_abs(b, high));
    ir_id in[8] = { mid, high, first_row(b, right), size }, out[3];
    const ir_id from[] = { three_of[0], three_of[1], three_of[2], right };
    for (int i = 0; i < 4; i++) if (!in[i]) return false;
    for (int i = 0; i < 3; i++) out[i] = in[i];
    for (int i = 0; i < 4; i++) row[i] = 0;
    if (n > 1) {
        const op_scan_attr loop = { .length = n - 1, .num_carry = 4 };
        for (int i = 0; i < 4; i++) if (!(in[4 + i] = rows_between(b, from[i], 1, n))) return false;
        ir_fn *const body = eliminated(w, in);
        const ir_id y = body ? ir_emit(b, &prim_scan, &loop, 8, in, 1, &body) : 0;
        if (!y) return false;
        for (int i = 0; i < 3; i++) out[i] = y + (ir_id)i;
        for (int i = 0; i < 4; i++) row[i] = y + 4 + (ir_id)i;
    }
    row[0] = ended(b, row[0], out[0]), row[1] = ended(b, row[1], hlo_filled(b, out[1], 0));
    row[2] = ended(b, row[2], hlo_filled(b, out[1], 0)), row[3] = ended(b, row[3], out[2]);
    return row[0] && row[1] && row[2] && row[3];
}

bool hlo_spell_tridiagonal_solve(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    const ir_type *const t = IR_IN(e, 0);
    const int64_t n = t->dim[t->rank - 2];
    three w = { b, op_real_dtype(t->dtype), 0 };
    if (IR_ATTR(e, op_three_attr)->perturb_singular) w.epsilon = w.real == TT_F64 ? DBL_EPSILON : FLT_EPSILON;
    ir_id of[3], row[4];
    if (!ir_count(t)) return (y[0] = x[0]) != 0;
    for (int i = 0; i < 3; i++) of[i] = op_as(b, by_rows(b, x[1 + i], t->rank), t);
    const ir_id last = of[2] && n > 1 ? rows_between(b, of[2], 0, n - 1) : 0;    /* high's last number is none */
    of[2] = ended(b, last, hlo_filled(b, first_row(b, of[2]), 0));
    for (int i = 0; i < 3; i++) of[i] = op_as(b, of[i], t);
    const ir_id right = by_rows(b, x[0], t->rank);
    if (!of[0] || !of[1] || !of[2] || !right || !all_eliminated(&w, n, of, right, row)) return false;
    const ir_id most = op_max(b, most_of_rows(b, row[0]), op_max(b, most_of_rows(b, row[1]), most_of_rows(b, row[2])));
    const double tiny = w.real == TT_F64 ? DBL_MIN : FLT_MIN;
    const ir_id move = op_max(b, op_mul(b, most, hlo_filled(b, most, w.epsilon)), hlo_filled(b, most, tiny));
    const ir_id zeros = op_as(b, hlo_filled(b, first_row(b, right), 0), ir_typeof(b, right));
    const ir_id in[] = { move, zeros, zeros, row[0], row[1], row[2], row[3] };
    const op_scan_attr loop = { .length = n, .num_consts = 1, .num_carry = 2, .reverse = true };
    ir_fn *const body = move && zeros ? substituted(&w, in) : NULL;
    const ir_id out = body ? ir_emit(b, &prim_scan, &loop, 7, in, 1, &body) : 0;
    const ir_id all = out ? op_move(b, out + 2, 0, t->rank - 2) : 0;
    if (!all || w.epsilon > 0) return (y[0] = all) != 0;
    const ir_id singular = op_convert(b, none(b, row[0]), TT_I32);
    const ir_id any = singular ? op_reduce_dims(b, &prim_max, singular, 1, (const int64_t[]){ 0 }) : 0;
    const ir_id wrong = any ? op_compare(b, OP_CMP_NE, any, hlo_filled(b, any, 0)) : 0;     /* [.., 1] */
    const ir_type *const d = wrong ? ir_typeof(b, wrong) : NULL;
    int64_t one[IR_RANK];
    if (!d) return false;
    for (int i = 0; i < d->rank; i++) one[i] = d->dim[i];
    one[d->rank] = 1;
    const ir_id nan = hlo_filled(b, all, NAN);
    return (y[0] = hlo_where(b, op_reshape(b, wrong, d->rank + 1, one), nan, all)) != 0;
}
