/* hlo/write/lower_schur.c - Schur form in operations of StableHLO, for compilers without LAPACK's: Hessenberg form,
 * then the QR algorithm with implicit shifts, as in op/linalg/schur_form_any.h: two shifts at once for reals
 * (J. Francis), one for complex numbers.
 *
 * Shapes are static, so a sweep is a loop over all rows, in which the rows outside the window that has not converged,
 * one window for each matrix of the batch, are left as they are; sweeps end when no matrix has a window, or one has not
 * shrunk for TURNS sweeps, whose results are NaN. A reflector is of 3 rows (reals) or 2; a real matrix has a row and a
 * column of zeros more, so that the last reflector has its third row.
 *
 * The 2 x 2 blocks of reals are brought into LAPACK's standard form at once, by products with a matrix of rotations. */
#include "lower_algebra.h"

#include <float.h>
#include <math.h>

enum { TURNS = 60 };                                     /* as many for an eigenvalue as op/linalg has */
/* t: the type of h; n: rows without the additional one; wide: rows of a reflector. */
typedef struct { ir_build *b; const ir_type *t; int lead; int64_t n; int wide; } schur;

static double rounding(const schur *w) { return op_real_dtype(w->t->dtype) == TT_F64 ? DBL_EPSILON : FLT_EPSILON; }
static double least(const schur *w) { return op_real_dtype(w->t->dtype) == TT_F64 ? DBL_MIN : FLT_MIN; }
static ir_id either(ir_build *b, ir_id p, ir_id x, ir_id y) { return hlo_where(b, p, x, y); }

/* [.., n, 1]: of row i the number in column i + by; 0 where there is none. */
static ir_id line(ir_build *b, ir_id h, int by)
{
    return h ? hlo_reduced(b, &prim_add, op_where_compare(b, OP_CMP_EQ, by, h, 0), ir_typeof(b, h)->rank - 1) : 0;
}

/* [.., n, 1]: row i has what row i - by of v has; 0 where there is none. */
static ir_id moved_down(ir_build *b, ir_id v, int by)
{
    int64_t lo[IR_RANK] = { 0 }, hi[IR_RANK] = { 0 }, inside[IR_RANK] = { 0 };
    const ir_type *const t = v ? ir_typeof(b, v) : NULL;
    if (!t) return 0;
    lo[t->rank - 2] = by, hi[t->rank - 2] = -by;
    return op_pad(b, v, (ir_dims){ t->rank, lo }, (ir_dims){ t->rank, hi }, (ir_dims){ t->rank, inside });
}

static ir_id in_row(ir_build *b, ir_id v, ir_id at)      /* [.., 1, 1]: v's number in row `at` */
{
    const ir_type *const t = v ? ir_typeof(b, v) : NULL;
    const ir_id here = t ? hlo_compare(b, OP_CMP_EQ, hlo_numbers(b, t, false), at) : 0;
    return here ? hlo_reduced(b, &prim_add, hlo_where(b, here, v, 0), t->rank - 2) : 0;
}

static ir_id plus(ir_build *b, ir_id at, int k) { return op_add(b, at, hlo_filled(b, at, k)); }
static ir_id scaled_to(ir_build *b, ir_id x, double by) { return op_mul(b, x, hlo_filled(b, x, by)); }

/* Sets negligible numbers below the diagonal to 0. *low, *high: the window, "i32[.., 1, 1]"; high 0: there is none. */
static ir_id deflated(const schur *w, ir_id h, ir_id *low, ir_id *high)
{
    ir_build *const b = w->b;
    const ir_id diagonal = hlo_size1(b, line(b, h, 0)), below = hlo_size1(b, line(b, h, -1));
    const ir_id near = op_add(b, diagonal, moved_down(b, diagonal, 1));
    const ir_id bound = op_max(b, scaled_to(b, near, rounding(w)),
        hlo_filled(b, near, least(w) * (double)w->n / rounding(w)));
    const ir_id stays = bound ? op_less(b, bound, below) : 0;
    const ir_id as_number = stays ? op_convert(b, stays, TT_I32) : 0, rows = as_number ? hlo_numbers(b, w->t,
        false) : 0;
    if (!rows) return 0;
    /* of reals a window has two such numbers in a row: 2 x 2 blocks stay */
    const ir_id open = w->wide > 2 ? op_mul(b, as_number, moved_down(b, as_number, 1)) : as_number;
    *high = hlo_reduced(b, &prim_max, op_mul(b, open, rows), w->lead);
    const ir_id ends = op_and(b, op_not(b, stays), hlo_compare(b, OP_CMP_LE, rows, *high));
    *low = hlo_reduced(b, &prim_max, hlo_where(b, ends, op_as(b, rows, ir_typeof(b, ends)), 0), w->lead);
    const ir_id drop = op_where_compare(b, OP_CMP_EQ, -1, hlo_spread(b, op_not(b, stays), w->t), 0);
    return hlo_where(b, drop, hlo_filled(b, h, 0), h);
}

/* [.., wide, 1] of [.., 1, 1] each */
static ir_id stacked(const schur *w, const ir_id *x)
{
    for (int i = 0; i < w->wide; i++) if (!x[i]) return 0;
    return op_concatenate(w->b, w->wide, x, w->lead);
}

/* The first column of (h - s1)(h - s2) in rows low ..; the shifts are the eigenvalues of the last 2 x 2 block or, after
 * ten sweeps in vain, others. */
static ir_id first_of_reals(const schur *w, ir_id h, ir_id low, ir_id high, ir_id odd)
{
    ir_build *const b = w->b;
    const ir_id d = line(b, h, 0), under = line(b, h, -1), over = line(b, h, 1), before = plus(b, high, -1);
    const ir_id a = in_row(b, d, before), z = in_row(b, d, high), right = in_row(b, over, before),
        last = in_row(b, under, high);
    const ir_id size = op_add(b, op_abs(b, last), op_abs(b, in_row(b, under, before)));
    const ir_id other = op_add(b, scaled_to(b, size, 0.75), z), square = scaled_to(b, op_mul(b, size, size), 0.4375);
    const ir_id sum = either(b, odd, scaled_to(b, other, 2), op_add(b, a, z));
    const ir_id product = either(b, odd, op_add(b, op_mul(b, other, other), square),
                                 op_sub(b, op_mul(b, a, z), op_mul(b, right, last)));
    const ir_id next = plus(b, low, 1), p = in_row(b, d, low), q = in_row(b, d, next), c = in_row(b, under, next);
    const ir_id top = op_add(b, op_mul(b, p, op_sub(b, p, sum)), product);
    const ir_id v[] = { op_add(b, top, op_mul(b, in_row(b, over, low), c)), op_mul(b, c, op_sub(b, op_add(b, p, q),
        sum)),
                        op_mul(b, c, in_row(b, under, plus(b, low, 2))) };
    return stacked(w, v);
}

/* The first column of h - s in rows low ..; the shift is the eigenvalue of the last 2 x 2 block that is nearest to its
 * corner. */
static ir_id first_of_complex(const schur *w, ir_id h, ir_id low, ir_id high, ir_id odd)
{
    ir_build *const b = w->b;
    const ir_id d = line(b, h, 0), under = line(b, h, -1), over = line(b, h, 1), before = plus(b, high, -1);
    const ir_id a = in_row(b, d, before), z = in_row(b, d, high), last = in_row(b, under, high);
    const ir_id both = op_mul(b, in_row(b, over, before), last), half = scaled_to(b, op_sub(b, a, z), 0.5);
    const ir_id root = op_sqrt(b, op_add(b, op_mul(b, half, half), both));
    const op_parts x = op_parts_of(b, half), y = op_parts_of(b, root);
    const ir_id way = op_add(b, op_mul(b, x.re, y.re), op_mul(b, x.im, y.im));
    const ir_id away = op_less(b, way, hlo_filled(b, way, 0));
    const ir_id far = either(b, away, op_sub(b, half, root), op_add(b, half, root));
    const ir_id none = op_equal(b, far, hlo_filled(b, far, 0));
    const ir_id usual = op_sub(b, z, either(b, none, hlo_filled(b, z, 0), op_div(b, both, far)));
    const ir_id other = op_add(b, z, op_convert(b, op_abs(b, last), w->t->dtype));
    const ir_id v[] = { op_sub(b, in_row(b, d, low), either(b, odd, other, usual)), in_row(b, under, plus(b, low, 1)) };
    return stacked(w, v);
}

/* One reflector of a sweep. consts: the window, the first column; carry: h, z; x: the row. */
static ir_fn *chased(const schur *outer, const ir_id *in)
{
    schur w = *outer;
    ir_build *const b = w.b = ir_region(outer->b, base_intern("chase"));
    ir_id x[5];
    for (int i = 0; i < 5; i++) x[i] = ir_arg(b, ir_typeof(outer->b, in[i]));
    const ir_id at = ir_arg(b, ir_type_of(TT_I32, 0, NULL)), low = x[0], high = x[1], zero = op_int(b, TT_I32, 0);
    const ir_id here = hlo_spread_as(b, at, low), begins = op_equal(b, here, low);
    const ir_id active = op_and(b, op_compare(b, OP_CMP_GE, here, low), op_less(b, here, high));
    const ir_id left = op_sub(b, at, op_int(b, TT_I32, 1)), rows = hlo_cut(b, x[3], w.lead, at, w.wide);
    const ir_id usual = hlo_cut(b, rows, w.lead + 1, op_max(b, left, zero), 1);
    const ir_id column = either(b, begins, x[2], usual);
    const ir_id numbers = column ? hlo_numbers(b, ir_typeof(b, column), false) : 0;
    const ir_id within = hlo_compare(b, OP_CMP_LE, numbers, op_sub(b, high, here));
    hlo_reflector r;
    if (!active || !hlo_reflector_of(b, hlo_where(b, within, column, 0), zero, &r)) return NULL;
    r.tau = hlo_where(b, active, r.tau, 0), r.v = hlo_where(b, active, r.v, 0);
    const ir_id turned = hlo_reflected(b, &r, rows);
    /* the column that is cleared: beta above exact zeros */
    const ir_id top = hlo_compare(b, OP_CMP_EQ, numbers, zero), clear = hlo_where(b, top, hlo_spread_as(b, r.beta,
        column), 0);
    const ir_id set = op_and(b, active, op_not(b, begins));
    const ir_id there = turned ? hlo_compare(b, OP_CMP_EQ, hlo_numbers(b, ir_typeof(b, turned), true), left) : 0;
    const ir_id place = there ? op_and(b, hlo_spread_as(b, set, there), there) : 0;
    const ir_id kept = clear ? hlo_where(b, place, hlo_spread_as(b, clear, turned), turned) : 0;
    const ir_id h = hlo_put(b, x[3], w.lead, at, kept);
    const ir_id columns = hlo_cut(b, h, w.lead + 1, at, w.wide), of_z = hlo_cut(b, x[4], w.lead + 1, at, w.wide);
    const ir_id ret[] = { hlo_put(b, h, w.lead + 1, at, hlo_reflected_right(b, &r, columns)),
                          hlo_put(b, x[4], w.lead + 1, at, hlo_reflected_right(b, &r, of_z)) };
    return ret[0] && ret[1] ? ir_end(b, 2, ret) : NULL;
}

/* carry: h, z, the window, the number of sweeps since it has last shrunk. */
static ir_fn *swept(const schur *outer, const ir_id *in)
{
    schur w = *outer;
    ir_build *const b = w.b = ir_region(outer->b, base_intern("sweep"));
    const int64_t steps = w.n - 1;
    const op_scan_attr loop = { .length = steps, .num_consts = 3, .num_carry = 2 };
    ir_id x[5], low = 0, high = 0;
    for (int i = 0; i < 5; i++) x[i] = ir_arg(b, ir_typeof(outer->b, in[i]));
    const ir_id odd = op_equal(b, op_rem(b, x[4], hlo_filled(b, x[4], 10)), hlo_filled(b, x[4], 9));
    const ir_id first = (w.wide > 2 ? first_of_reals : first_of_complex)(&w, x[0], x[2], x[3], odd);
    const ir_id arg[] = { x[2], x[3], first, x[0], x[1], op_iota(b, ir_type_of(TT_I32, 1, &steps), 0) };
    ir_fn *const body = first ? chased(&w, arg) : NULL;
    const ir_id y = body ? ir_emit(b, &prim_scan, &loop, 6, arg, 1, &body) : 0;
    const ir_id h = y ? deflated(&w, y, &low, &high) : 0;
    const ir_id shrunk = h ? op_less(b, high, x[3]) : 0;
    const ir_id ret[] = { h, y + 1, low, high, shrunk ? hlo_where(b, shrunk, hlo_filled(b, x[4], 0),
        plus(b, x[4], 1)) : 0 };
    return ret[4] ? ir_end(b, 5, ret) : NULL;
}

/* True if a matrix has a window and sweeps left. */
static ir_fn *has_window(const schur *outer, const ir_id *in)
{
    ir_build *const b = ir_region(outer->b, base_intern("window"));
    ir_id x[5];
    for (int i = 0; i < 5; i++) x[i] = ir_arg(b, ir_typeof(outer->b, in[i]));
    const ir_id open = op_and(b, op_less(b, hlo_filled(b, x[3], 0), x[3]), op_less(b, x[4], hlo_filled(b, x[4],
        TURNS)));
    const int64_t n = open ? ir_count(ir_typeof(b, open)) : 0, zero = 0;
    const ir_id list = open ? op_convert(b, op_reshape(b, open, 1, &n), TT_I32) : 0;
    const ir_id more = list ? op_less(b, op_int(b, TT_I32, 0), op_reduce_dims(b, &prim_max, list, 1, &zero)) : 0;
    return more ? ir_end(b, 1, &more) : NULL;
}

/* ---- blocks of reals ---- */

/* Matrices with x, y, z, x' in the places of blocks that begin in the rows of `begins`, 1 elsewhere on the diagonal. */
static ir_id of_blocks(ir_build *b, ir_id begins, const ir_id *p, const ir_type *t)
{
    const ir_id one = hlo_filled(b, p[0], 1), behind = moved_down(b, op_convert(b, begins, TT_I32), 1);
    const ir_id second = op_compare(b, OP_CMP_NE, behind, hlo_filled(b, behind, 0));
    const ir_id at = either(b, begins, p[0], either(b, second, moved_down(b, p[3], 1), one));
    const ir_id right = hlo_where(b, begins, p[1], 0), under = moved_down(b, hlo_where(b, begins, p[2], 0), 1);
    const ir_id below = op_where_compare(b, OP_CMP_EQ, -1, hlo_spread(b, under, t), 0);
    return op_where_compare(b, OP_CMP_EQ, 0, hlo_spread(b, at, t), op_where_compare(b, OP_CMP_EQ, 1, hlo_spread(b,
        right, t), below));
}

static ir_id block_begins(ir_build *b, ir_id h)          /* [.., n,
    1]: True if the next row has a number below the diagonal */
{
    const ir_id next = moved_down(b, line(b, h, -1), -1);
    return next ? op_compare(b, OP_CMP_NE, next, hlo_filled(b, next, 0)) : 0;
}

static ir_id with_sign(ir_build *b, ir_id size, ir_id of)
{
    const ir_id negative = op_less(b, of, hlo_filled(b, of, 0));
    return either(b, negative, op_neg(b, size), size);
}

static ir_id length_of(ir_build *b, ir_id x, ir_id y)    /* hypot */
{
    const ir_id z = op_parts_join(b, (op_parts){ x, y });
    return z ? op_abs(b, z) : 0;
}

/* Rotations that make blocks triangular or, for complex eigenvalues, their diagonals equal. */
static bool standardised(ir_build *b, ir_id *t, ir_id *z)
{
    const ir_id d = line(b, *t, 0), a = d, e = moved_down(b, d, -1), over = line(b, *t, 1),
        c = moved_down(b, line(b, *t, -1), -1);
    const ir_id begins = block_begins(b, *t), gap = op_sub(b, a, e), half = scaled_to(b, gap, 0.5),
        sum = op_add(b, over, c);
    if (!begins || !sum || !half) return false;
    const ir_id zero = hlo_filled(b, half, 0), one = hlo_filled(b, half, 1), root = op_add(b, op_mul(b, half, half),
        op_mul(b, over, c));
    const ir_id real = op_compare(b, OP_CMP_GE, root, zero);
    const ir_id far = op_add(b, half, with_sign(b, op_sqrt(b, op_max(b, root, zero)), half)), r = length_of(b, far, c);
    const ir_id by = either(b, begins, r, one), q = either(b, real, one, length_of(b, sum, gap));
    const ir_id size = either(b, op_equal(b, q, zero), one, q);
    const ir_id cs = op_sqrt(b, scaled_to(b, op_add(b, one, op_div(b, op_abs(b, sum), size)), 0.5));
    const ir_id sn = with_sign(b, op_neg(b, op_div(b, half, op_mul(b, size, cs))), sum);
    const ir_id done = op_and(b, op_equal(b, a, e), op_compare(b, OP_CMP_NE, op_less(b, over, zero),
        op_less(b, c, zero)));
    const ir_id cosine = either(b, done, one, either(b, real, op_div(b, far, by), cs));
    const ir_id sine = either(b, done, zero, either(b, real, op_div(b, c, by), sn));
    const ir_id p[] = { cosine, sine, op_neg(b, sine), cosine };
    const ir_id turn = of_blocks(b, begins, p, ir_typeof(b, *t)), back = op_matrix_transpose(b, turn);
    const ir_id h = op_product(b, op_product(b, turn, *t), back);
    *z = op_product(b, *z, back);
    if (!h || !*z) return false;
    /* exact zeros below real eigenvalues, and exactly equal numbers on the diagonal above complex ones */
    const ir_id pair = op_and(b, begins, op_not(b, real)), i32 = op_convert(b, pair, TT_I32);
    const ir_id second = op_compare(b, OP_CMP_NE, moved_down(b, i32, 1), hlo_filled(b, i32, 0));
    const ir_id x = line(b, h, 0), mean = scaled_to(b, op_add(b, x, moved_down(b, x, -1)), 0.5);
    const ir_id even = either(b, pair, mean, either(b, second, moved_down(b, mean, 1), x));
    const ir_id under = hlo_where(b, second, line(b, h, -1), 0);
    const ir_type *const full = ir_typeof(b, h);
    const ir_id low = op_where_compare(b, OP_CMP_EQ, -1, hlo_spread(b, under, full), 0);
    *t = op_where_compare(b, OP_CMP_LT, 0, h, op_where_compare(b, OP_CMP_EQ, 0, hlo_spread(b, even, full), low));
    return *t != 0;
}

/* [.., n, 1]: the imaginary part of the eigenvalue whose block begins in a row */
static ir_id imaginary(ir_build *b, ir_id t)
{
    const ir_id over = line(b, t, 1), under = moved_down(b, line(b, t, -1), -1);
    return under ? op_mul(b, op_sqrt(b, op_abs(b, over)), op_sqrt(b, op_abs(b, under))) : 0;
}

static ir_id schur_values(ir_build *b, ir_id t)          /* [.., n] */
{
    ir_id w = line(b, t, 0);
    if (w && !op_is_complex(ir_typeof(b, w)->dtype)) {
        const ir_id size = imaginary(b, t);
        w = op_parts_join(b, (op_parts){ w, size ? op_sub(b, size, moved_down(b, size, 1)) : 0 });
    }
    const ir_type *const y = w ? ir_typeof(b, w) : NULL;
    return y ? op_reshape(b, w, y->rank - 1, y->dim) : 0;
}

bool hlo_schur_complex(ir_build *b, ir_id t, ir_id z, ir_id *ct, ir_id *cz)
{
    const tt_dtype d = ir_typeof(b, t)->dtype == TT_F64 ? TT_C128 : TT_C64;
    const ir_id begins = block_begins(b, t), gap = imaginary(b, t), under = moved_down(b, line(b, t, -1), -1);
    const ir_id r = gap && under ? length_of(b, gap, under) : 0, by = either(b, begins, r, hlo_filled(b, r, 1));
    if (!by) return false;
    const ir_id zero = hlo_filled(b, gap, 0), c = op_parts_join(b, (op_parts){ zero, op_div(b, gap, by) });
    const ir_id s = op_convert(b, op_div(b, under, by), d), big = op_convert(b, t, d);
    const ir_id p[] = { hlo_conjugate(b, c), s, op_neg(b, s), c };
    const ir_id turn = of_blocks(b, begins, p, ir_typeof(b, big)), back = op_adjoint(b, turn);
    *ct = op_where_compare(b, OP_CMP_LE, 0, op_product(b, op_product(b, turn, big), back), 0);
    *cz = op_product(b, op_convert(b, z, d), back);
    return *ct && *cz;
}

/* ---- all of it ---- */

/* Q of the Hessenberg form, and H alone. */
static bool reduced(ir_build *b, ir_id a, ir_id *h, ir_id *q)
{
    const ir_type *const t = ir_typeof(b, a);
    const int64_t n = t->dim[t->rank - 1], k = n - 1;
    ir_id y[2];
    int64_t lo[IR_RANK] = { 0 }, none[IR_RANK] = { 0 };
    const ir_id one = op_as(b, op_where_compare(b, OP_CMP_EQ, 0, hlo_filled(b, a, 1), 0), t);
    if (n < 2) return (*h = a, *q = one) != 0;
    if (!hlo_hessenberg(b, a, y)) return false;
    const ir_id in[] = { op_part_of(b, y[0], 1, n, 0, k), y[1] };
    const ir_id inner = in[0] ? ir_emit(b, &prim_householder_product, NULL, 2, in, 0, NULL) : 0;
    lo[t->rank - 2] = lo[t->rank - 1] = 1;
    const ir_dims low = { t->rank, lo }, zero = { t->rank, none };
    const ir_id all = inner ? op_pad(b, inner, low, zero, zero) : 0;
    *q = all ? hlo_where(b, hlo_compare(b, OP_CMP_EQ, hlo_numbers(b, t, false), op_int(b, TT_I32, 0)), one, all) : 0;
    *h = op_where_compare(b, OP_CMP_LE, -1, y[0], 0);
    return *q && *h;
}

/* a, with 0 for a matrix that has a number that is not finite, by a factor that keeps the squares of its numbers
 * finite; *back: the inverse, NaN for such a matrix. */
static ir_id in_range(ir_build *b, ir_id a, ir_id *back)
{
    const tt_dtype d = op_real_dtype(ir_typeof(b, a)->dtype);
    const double far = d == TT_F64 ? 0x1p300 : 0x1p30;
    const ir_id most = hlo_total(b, &prim_max, hlo_size1(b, a));
    const ir_id zero = most ? op_sub(b, most, most) : 0, finite = zero ? op_equal(b, zero, hlo_filled(b, zero, 0)) : 0;
    const ir_id large = op_less(b, hlo_filled(b, most, far), most), small = op_less(b, most, hlo_filled(b, most,
        1 / far));
    const ir_id some = op_less(b, hlo_filled(b, most, 0), most), off = op_or(b, large, op_and(b, small, some));
    const ir_id by = either(b, off, most, hlo_filled(b, most, 1));
    *back = by ? hlo_where(b, finite, by, hlo_filled(b, by, NAN)) : 0;
    const ir_id safe = *back ? hlo_where(b, finite, by, hlo_filled(b, by, 1)) : 0;
    const ir_type *const t = ir_typeof(b, a);
    const ir_id all = safe ? hlo_where(b, finite, a, 0) : 0;
    return all ? op_div(b, all, hlo_spread(b, op_convert(b, safe, t->dtype), t)) : 0;
}

bool hlo_schur(ir_build *b, ir_id a, ir_id *y)
{
    const ir_type *const from = ir_typeof(b, a);
    const int64_t n = from->dim[from->rank - 1];
    const bool real = !op_is_complex(from->dtype);
    ir_id back, h, z, low, high, window = 0;
    const ir_id x = in_range(b, a, &back);
    if (!x || !reduced(b, x, &h, &z)) return false;
    if (n > 1) {
        int64_t more[IR_RANK] = { 0 }, none[IR_RANK] = { 0 };
        const ir_dims zero = { from->rank, none };
        more[from->rank - 1] = real;
        z = op_pad(b, z, zero, (ir_dims){ from->rank, more }, zero);
        more[from->rank - 2] = real;
        h = op_pad(b, h, zero, (ir_dims){ from->rank, more }, zero);
        schur w = { b, h ? ir_typeof(b, h) : NULL, from->rank - 2, n, real ? 3 : 2 };
        if (!h || !z || !(h = deflated(&w, h, &low, &high))) return false;
        const ir_id in[] = { h, z, low, high, op_as(b, op_zeros(b, hlo_matrix_of(from, TT_I32, 1, 1)),
            ir_typeof(b, high)) };
        ir_fn *const both[] = { has_window(&w, in), in[4] ? swept(&w, in) : NULL };
        const ir_id out = both[0] && both[1] ? ir_emit(b, &prim_while, NULL, 5, in, 2, both) : 0;
        if (!out) return false;
        h = op_part_of(b, out, 0, n, 0, n), z = op_part_of(b, out + 1, 0, n, 0, n), window = out + 3;
        if (real && (!h || !z || !standardised(b, &h, &z))) return false;
    }
    const ir_id left = window ? op_less(b, hlo_filled(b, window, 0), window) : 0;  /* one that did not converge */
    if (left) back = hlo_where(b, left, hlo_filled(b, back, NAN), back);
    const ir_id values = back ? schur_values(b, h) : 0, wrong = back ? op_sub(b, back, back) : 0;
    const ir_type *const t = values ? ir_typeof(b, values) : NULL;
    if (!t) return false;
    const ir_id list = op_reshape(b, back, t->rank, hlo_matrix_of(from, TT_F32, 1, 1)->dim);
    y[0] = hlo_scaled_by(b, h, back);
    y[1] = op_add(b, z, hlo_spread_as(b, op_convert(b, wrong, from->dtype), z));
    y[2] = list ? op_mul(b, values, hlo_spread(b, op_convert(b, list, t->dtype), t)) : 0;
    return y[0] && y[1] && y[2];
}

bool hlo_spell_schur(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    if (ir_count(IR_IN(e, 0))) return hlo_schur(b, x[0], y);
    y[0] = y[1] = x[0], y[2] = op_zeros(b, IR_OUT(e, 2));
    return y[2] != 0;
}
