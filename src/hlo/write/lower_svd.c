/* hlo/write/lower_svd.c - singular values and vectors in operations of StableHLO, for compilers without LAPACK's: by
 * one-sided Jacobi rotations (M. Hestenes), n / 2 pairs of columns at a time (R. Brent, F. Luk).
 *
 * A tall matrix is reduced to its R first; a wide one is taken by its adjoint. Columns of W = R' are rotated until all
 * are orthogonal: W V = U S, so that R = V S U'. They are stored as rows, in two halves: the pairs are rows of the same
 * number, and between two rounds all rows but the first move on by one place, so that after n - 1 rounds, a sweep, each
 * pair has met. Rotations also go to V's columns, behind those of W. Sweeps end when no two columns have an angle whose
 * cosine is above the rounding of a sum of n. U is W's Q, with the phases of R's diagonal, so that it is orthonormal
 * though singular values be 0. An odd n has one column of zeros more, which is known by its number and comes last. */
#include "lower_algebra.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SWEEPS = 40 };
/* t: the type of the square matrix; half: rows of a half; n: columns of W; rounding: of a cosine. */
typedef struct { const ir_type *t; int lead; int64_t half, n; double rounding; } jacobi;

static ir_id svd_identity(ir_build *b, const ir_type *t) { return op_where_compare(b, OP_CMP_EQ, 0, op_ones(b, t), 0); }

static ir_id conjugate(ir_build *b, ir_id x)
{
    return x && op_is_complex(ir_typeof(b, x)->dtype) ? op_conj(b, x) : x;
}

static ir_id rows(ir_build *b, ir_id x, int64_t from, int64_t to)
{
    return x ? op_part_of(b, x, from, to, 0, ir_typeof(b, x)->dim[ir_typeof(b, x)->rank - 1]) : 0;
}

static ir_id beside(ir_build *b, ir_id x, ir_id y, int back) /* along dim rank - back */
{
    return x && y ? op_concatenate(b, 2, (const ir_id[]){ x, y }, ir_typeof(b, x)->rank - back) : 0;
}

static ir_id summed(ir_build *b, ir_id x)                /* over the last dim */
{
    const int64_t last = x ? ir_typeof(b, x)->rank - 1 : 0;
    return x ? op_reduce_dims(b, &prim_add, x, 1, &last) : 0;
}

static ir_id squares(ir_build *b, ir_id x)               /* sums of |x|^2 over the last dim */
{
    if (!x || !op_is_complex(ir_typeof(b, x)->dtype)) return x ? summed(b, op_mul(b, x, x)) : 0;
    const op_parts p = op_parts_of(b, x);
    return summed(b, op_add(b, op_mul(b, p.re, p.re), op_mul(b, p.im, p.im)));
}

static ir_id real_splat(ir_build *b, ir_id like, double v) { return op_splat(b, ir_typeof(b, like), v); }

/* One factor for each row, "[.., half]", at all columns of x and in its type. */
static ir_id at_rows(ir_build *b, ir_id v, ir_id x)
{
    const ir_type *const t = v && x ? ir_typeof(b, x) : NULL;
    int64_t dim[IR_RANK];
    if (!t) return 0;
    for (int d = 0; d < t->rank - 1; d++) dim[d] = d;
    return op_broadcast(b, op_convert(b, v, t->dtype), ir_type_of(t->dtype, t->rank, t->dim), t->rank - 1, dim);
}

/* The rotation of the pairs (p, q) of rows: c, s, the phase of their product, and the largest cosine of an angle. */
typedef struct { ir_id c, s, phase, cosine; } rotation;

static bool rotation_of(ir_build *b, const jacobi *j, ir_id p, ir_id q, rotation *r)
{
    const ir_id wp = op_part_of(b, p, 0, j->half, 0, j->n), wq = op_part_of(b, q, 0, j->half, 0, j->n);
    const ir_id alpha = squares(b, wp), beta = squares(b, wq);
    const ir_id gamma = wp && wq ? summed(b, op_mul(b, conjugate(b, wp), wq)) : 0;
    if (!alpha || !beta || !gamma) return false;
    const ir_id size = op_abs(b, gamma), one = real_splat(b, size, 1), zero = real_splat(b, size, 0);
    const ir_id norms = op_mul(b, op_sqrt(b, alpha), op_sqrt(b, beta)), some = op_less(b, zero, norms);
    const ir_id cosine = op_select(b, some, op_div(b, size, op_select(b, some, norms, one)), op_mul(b, size, zero));
    const ir_id turns = op_less(b, real_splat(b, size, j->rounding), cosine), by = op_select(b, turns, size, one);
    const ir_id zeta = op_div(b, op_sub(b, beta, alpha), op_add(b, by, by));
    const ir_id root = op_sqrt(b, op_add(b, op_mul(b, zeta, zeta), one));
    const ir_id way = op_select(b, op_less(b, zeta, zero), op_neg(b, one), one);
    const ir_id tangent = op_div(b, way, op_add(b, op_abs(b, zeta), root));
    const ir_id c = op_div(b, one, op_sqrt(b, op_add(b, op_mul(b, tangent, tangent), one)));
    const ir_type *const t = ir_typeof(b, gamma);
    r->c = op_select(b, turns, c, one);
    r->s = op_select(b, turns, op_mul(b, c, tangent), zero);
    r->phase = op_select(b, turns, op_div(b, gamma, op_convert(b, by, t->dtype)), op_ones(b, t));
    const ir_id list = op_reshape(b, cosine, 1, (const int64_t[]){ ir_count(ir_typeof(b, cosine)) });
    r->cosine = list ? op_reduce_dims(b, &prim_max, list, 1, (const int64_t[]){ 0 }) : 0;
    return r->c && r->s && r->phase && r->cosine;
}

/* All rows but the first of p move on: p = p0, q0, p1 .. ; q = q1 .., the last of p. */
static void moved_on(ir_build *b, int64_t half, ir_id *p, ir_id *q)
{
    if (half < 2) return;
    const ir_id head = beside(b, rows(b, *p, 0, 1), rows(b, *q, 0, 1), 2);
    const ir_id above = half > 2 ? beside(b, head, rows(b, *p, 1, half - 1), 2) : head;
    *q = beside(b, rows(b, *q, 1, half), rows(b, *p, half - 1, half), 2);
    *p = above;
}

/* A round: carry: both halves, the numbers of their columns, the largest cosine of the sweep. */
static ir_fn *round_of(ir_build *outer, const jacobi *j, const ir_id *carry)
{
    ir_build *const b = ir_region(outer, base_intern("round"));
    ir_id x[5];
    rotation r;
    for (int i = 0; i < 5; i++) x[i] = ir_arg(b, ir_typeof(outer, carry[i]));
    ir_arg(b, ir_type_of(TT_I32, 0, NULL));
    if (!rotation_of(b, j, x[0], x[1], &r)) return NULL;
    const ir_id c = at_rows(b, r.c, x[0]), s = at_rows(b, r.s, x[0]);
    const ir_id q = op_mul(b, at_rows(b, conjugate(b, r.phase), x[1]), x[1]);
    ir_id low = op_sub(b, op_mul(b, c, x[0]), op_mul(b, s, q)), high = op_add(b, op_mul(b, s, x[0]), op_mul(b, c, q));
    moved_on(b, j->half, &low, &high);
    moved_on(b, j->half, &x[2], &x[3]);
    const ir_id ret[] = { low, high, x[2], x[3], op_max(b, x[4], r.cosine) };
    return low && high ? ir_end(b, 5, ret) : NULL;
}

/* carry: both halves, both lists of numbers, the largest cosine of the sweep before, the number of sweeps. */
static ir_fn *sweep(ir_build *outer, const jacobi *j, const ir_id *carry)
{
    ir_build *const b = ir_region(outer, base_intern("sweep"));
    const int64_t pairs = 2 * j->half - 1;
    const op_scan_attr loop = { .length = pairs, .num_carry = 5 };
    ir_id x[6], in[6];
    for (int i = 0; i < 6; i++) x[i] = ir_arg(b, ir_typeof(outer, carry[i]));
    memcpy(in, x, 4 * sizeof *in);
    in[4] = op_zeros_as(b, ir_typeof(b, x[4]));
    in[5] = op_iota(b, ir_type_of(TT_I32, 1, &pairs), 0);
    ir_fn *const body = round_of(b, j, in);
    const ir_id y = body ? ir_emit(b, &prim_scan, &loop, 6, in, 1, &body) : 0;
    const ir_id ret[] = { y, y + 1, y + 2, y + 3, y + 4, op_add(b, x[5], op_int(b, TT_I32, 1)) };
    return y ? ir_end(b, 6, ret) : NULL;
}

static ir_fn *goes_on(ir_build *outer, const jacobi *j, const ir_id *carry)
{
    ir_build *const b = ir_region(outer, base_intern("turning"));
    ir_id x[6];
    for (int i = 0; i < 6; i++) x[i] = ir_arg(b, ir_typeof(outer, carry[i]));
    const ir_id more = op_and(b, op_less(b, real_splat(b, x[4], j->rounding), x[4]),
                              op_less(b, x[5], op_int(b, TT_I32, SWEEPS)));
    return more ? ir_end(b, 1, &more) : NULL;
}

/* Rotates the rows of y, "[.., 2 half, wide]"; they come back in the order of their norms; norm: the greatest first. */
static bool rotated(ir_build *b, const jacobi *j, ir_id *y, ir_id *norm)
{
    const ir_type *const ids = hlo_matrix_of(j->t, TT_I32, 2 * j->half, 1);
    const ir_id id = op_as(b, op_iota(b, ids, j->lead), ir_typeof(b, *y));
    const tt_dtype real = op_real_dtype(j->t->dtype);
    const ir_id in[] = { rows(b, *y, 0, j->half), rows(b, *y, j->half, 2 * j->half), rows(b, id, 0, j->half),
                         rows(b, id, j->half, 2 * j->half), op_as(b, op_real(b, real, 2), ir_typeof(b, *y)),
                         op_int(b, TT_I32, 0) };
    for (int i = 0; i < 6; i++) if (!in[i]) return false;
    ir_fn *const both[] = { goes_on(b, j, in), sweep(b, j, in) };
    const ir_id out = both[0] && both[1] ? ir_emit(b, &prim_while, NULL, 6, in, 2, both) : 0;
    const ir_id all = out ? beside(b, out, out + 1, 2) : 0, number = out ? beside(b, out + 2, out + 3, 2) : 0;
    if (!all || !number) return false;
    const ir_id size = op_sqrt(b, squares(b, op_part_of(b, all, 0, 2 * j->half, 0, j->n)));
    const ir_type *const t = ir_typeof(b, size);
    const ir_id which = op_reshape(b, number, t->rank, t->dim);
    const ir_id none = op_compare(b, OP_CMP_GE, which, op_splat(b, ir_typeof(b, which), (double)j->n));
    const op_sort_attr order = { .dimension = t->rank - 1, .is_stable = true, .num_keys = 1, .descending = true };
    const ir_id place = op_as(b, op_iota(b, ir_type_of(TT_I32, t->rank, t->dim), t->rank - 1), ir_typeof(b, size));
    const ir_id keys[] = { op_select(b, none, op_splat(b, t, -1), size), place };
    const ir_id sorted = keys[0] ? ir_emit(b, &prim_sort, &order, 2, keys, 0, NULL) : 0;
    *norm = sorted;
    *y = sorted ? op_permuted_rows(b, all, sorted + 1) : 0;
    return *y != 0;
}

/* q and r of x = q r; q has k columns. */
static bool factored(ir_build *b, ir_id x, int64_t k, ir_id *q, ir_id *r)
{
    const ir_type *const t = x ? ir_typeof(b, x) : NULL;
    const ir_id p = t ? ir_emit(b, &prim_geqrf, NULL, 1, &x, 0, NULL) : 0;
    if (!p) return false;
    const int64_t m = t->dim[t->rank - 2], n = t->dim[t->rank - 1];
    const ir_id zeros = k > n ? op_zeros_as(b, ir_type_as(ir_typeof(b, p), t->dtype, t->rank,
                                                          hlo_matrix_of(t, t->dtype, m, k - n)->dim)) : 0;
    const ir_id in[] = { k > n ? beside(b, p, zeros, 1) : p, p + 1 };
    *q = in[0] ? ir_emit(b, &prim_householder_product, NULL, 2, in, 0, NULL) : 0;
    *r = op_where_compare(b, OP_CMP_LE, 0, rows(b, p, 0, n), 0);
    return *q && *r;
}

/* x / |x|, 1 for 0 */
static ir_id phase_of(ir_build *b, ir_id x)
{
    if (!x) return 0;
    const ir_type *const t = ir_typeof(b, x);
    const ir_id size = op_abs(b, x), some = op_less(b, real_splat(b, size, 0), size);
    const ir_id by = op_convert(b, op_select(b, some, size, real_splat(b, size, 1)), t->dtype);
    return op_select(b, some, op_div(b, x, by), op_ones(b, t));
}

/* s, u [.., n, n], v' [.., n, n] of a square matrix whose numbers are at most 1. */
static bool square_svd(ir_build *b, ir_id r, ir_id *y)
{
    const ir_type *const t = r ? ir_typeof(b, r) : NULL;
    if (!t) return false;
    const int64_t n = t->dim[t->rank - 1], odd = n % 2;
    const double epsilon = op_real_dtype(t->dtype) == TT_F64 ? DBL_EPSILON : FLT_EPSILON;
    jacobi j = { t, t->rank - 2, (n + odd) / 2, n, epsilon * sqrt((double)n) };
    const ir_id v = op_as(b, svd_identity(b, ir_type_of(t->dtype, t->rank, t->dim)), t);
    ir_id all = beside(b, conjugate(b, r), v, 1), norm, q, rest;
    if (odd && all) {
        const ir_type *const one = ir_typeof(b, all);
        all = beside(b, all, op_zeros_as(b, ir_type_as(one, one->dtype, one->rank,
                                                       hlo_matrix_of(t, t->dtype, 1, 2 * n)->dim)), 2);
    }
    if (!all || !rotated(b, &j, &all, &norm)) return false;
    const ir_id w = op_matrix_transpose(b, op_part_of(b, all, 0, n, 0, n));
    if (!factored(b, w, n, &q, &rest)) return false;
    const ir_id u = op_mul(b, q, op_by_column(b, phase_of(b, op_diagonal(b, rest)), ir_typeof(b, q)));
    const ir_type *const s = ir_typeof(b, norm);
    int64_t dim[IR_RANK], lo[IR_RANK] = { 0 }, step[IR_RANK];
    memcpy(dim, s->dim, (size_t)s->rank * sizeof *dim);
    for (int d = 0; d < s->rank; d++) step[d] = 1;
    dim[s->rank - 1] = n;
    y[0] = op_slice(b, norm, (ir_dims){ s->rank, lo }, (ir_dims){ s->rank, dim }, (ir_dims){ s->rank, step });
    y[1] = op_matrix_transpose(b, op_part_of(b, all, 0, n, n, 2 * n));
    y[2] = op_adjoint(b, u);
    return y[0] && y[1] && y[2];
}

/* Divides by the largest number of each matrix: the sums of squares neither overflow nor vanish; 1 for zeros. A matrix
 * with a number that is not finite becomes NaN. */
static ir_id scaled(ir_build *b, ir_id x, ir_id *scale)
{
    const ir_type *const t = ir_typeof(b, x);
    const int64_t both[] = { t->rank - 2, t->rank - 1 };
    const op_parts p = op_parts_of(b, x);
    const ir_id size = p.im ? op_max(b, op_abs(b, p.re), op_abs(b, p.im)) : op_abs(b, x);
    const ir_id most = op_reduce_dims(b, &prim_max, size, 2, both);
    if (!most) return 0;
    const ir_id none = op_equal(b, most, real_splat(b, most, 0));
    const ir_id by = op_select(b, none, real_splat(b, most, 1), most);
    *scale = op_add(b, by, op_mul(b, op_sub(b, by, by), by));        /* NaN for infinity */
    int64_t lead[IR_RANK];
    for (int d = 0; d < t->rank - 2; d++) lead[d] = d;
    const ir_id all = *scale ? op_broadcast(b, op_convert(b, *scale, t->dtype), ir_type_of(t->dtype, t->rank, t->dim),
                                            t->rank - 2, lead) : 0;
    return all ? op_div(b, x, all) : 0;
}

/* y: s, u, v' of a matrix of at least as many rows as columns; u has `columns` columns. */
static bool tall(ir_build *b, ir_id a, int64_t columns, ir_id *y)
{
    ir_id scale = 0, q = 0, r = a ? scaled(b, a, &scale) : 0;
    const ir_type *const t = r ? ir_typeof(b, r) : NULL;
    if (!t) return false;
    const int64_t m = t->dim[t->rank - 2], n = t->dim[t->rank - 1];
    if (m > n && !factored(b, r, columns, &q, &r)) return false;
    if (!square_svd(b, r, y)) return false;
    const ir_type *const s = ir_typeof(b, y[0]);
    int64_t lead[IR_RANK];
    for (int d = 0; d < s->rank - 1; d++) lead[d] = d;
    y[0] = op_mul(b, y[0], op_broadcast(b, scale, ir_type_of(s->dtype, s->rank, s->dim), s->rank - 1, lead));
    if (m > n) {
        const ir_id u = op_product(b, op_part_of(b, q, 0, m, 0, n), y[1]);
        y[1] = columns > n ? beside(b, u, op_part_of(b, q, 0, m, n, columns), 1) : u;
    }
    return y[0] && y[1];
}

bool hlo_spell_svd(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    const ir_type *const t = IR_IN(e, 0), *const u = IR_OUT(e, 1), *const v = IR_OUT(e, 2);
    const int64_t m = t->dim[t->rank - 2], n = t->dim[t->rank - 1];
    if (!ir_count(t)) {
        y[0] = op_zeros(b, IR_OUT(e, 0));
        y[1] = svd_identity(b, u), y[2] = svd_identity(b, v);
        return y[0] && y[1] && y[2];
    }
    if (m >= n) return tall(b, x[0], u->dim[u->rank - 1], y);
    ir_id z[3];
    if (!tall(b, op_adjoint(b, x[0]), v->dim[v->rank - 2], z)) return false;
    y[0] = z[0], y[1] = op_adjoint(b, z[2]), y[2] = op_adjoint(b, z[1]);
    return y[1] && y[2];
}

bool hlo_spell_svdvals(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    (void)e;
    return (y[0] = ir_emit(b, &prim_svd, &(op_full_attr){ false }, 1, x, 0, NULL)) != 0;
}
