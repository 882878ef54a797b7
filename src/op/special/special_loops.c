/* op/special/special_loops.c - the incomplete gamma and beta functions, in f64: series and continued fractions, which
 * loop until no element changes; each element stops separately, so that its value does not depend on its neighbours.
 *
 * Gamma (S. Moshier's forms, Cephes): a series where x <= 1 or x <= a, else a continued fraction, both differentiated
 * with respect to a along the way. Beta: Lentz's method on the even part of DLMF 8.17.22 where x < (a + 1) / (a + b +
 * 2); else by the symmetric form. What is outside of the fraction: special_beta.c. */
#include "special.h"
#include "../ops.h"

#include <float.h>
#include <math.h>

/* ---- references ---- */

typedef struct {
    const ir_eqn *e;
    const ir_box *x, *y;
    base_arena *arena;
    bool ok;
} scalars;

static void one_by_one(void *arg)
{
    scalars *const s = arg;
    const ir_eqn *const e = s->e;
    int64_t i[IR_RANK];
    s->arena = base_open();
    ir_build *const b = ir_begin(s->arena, e->op->name, NULL);
    ir_id *const in = BASE_NEW(s->arena, ir_id, e->nin);
    ir_id out = 0;
    ir_box *const x = BASE_NEW(s->arena, ir_box, e->nin);
    for (uint32_t k = 0; k < e->nin; k++) in[k] = ir_arg(b, ir_type_of(IR_IN(e, k)->dtype, 0, NULL));
    const ir_fn *const f = e->op->decompose(b, e, in, &out) ? ir_end(b, 1, &out) : NULL;
    s->ok = f != NULL;
    for (bool more = f && ir_first(s->y, i); more && s->ok; more = ir_next(s->y, i)) {
        ir_box y = { .dtype = s->y->dtype };
        double v[4], result = 0;
        for (uint32_t k = 0; k < e->nin; k++) {
            x[k] = (ir_box){ .at = &v[k], .dtype = s->x[k].dtype };
            ir_store(&x[k], i, ir_load(&s->x[k], i));
        }
        y.at = &result;
        s->ok = ir_eval(f, x, &y);
        if (s->ok) ir_store(s->y, i, ir_load(&y, i));
    }
}

bool op_ref_scalars(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    scalars s = { e, x, y, NULL, false };
    const bool done = base_catch(one_by_one, &s);
    base_close(s.arena);
    if (!done) base_unwind(0);
    return s.ok;
}

/* ---- loops ---- */

static const double small = 2 * DBL_EPSILON; /* relative change that counts as none */

/* OPEN: bool, true while the element changes; ITERATION: scalar number of the iteration, from 1; then f64 state */
enum { OPEN, ITERATION, FIRST, STATES = 16 };
typedef ir_id update(ir_build *, const ir_id *s,
                     ir_id *next); /* returns true where the element changes; looped() keeps the state of others */

static ir_id special_loops_any(ir_build *b, ir_id x)
{
    int64_t dims[IR_RANK];
    const int rank = x ? ir_typeof(b, x)->rank : 0;
    for (int d = 0; d < rank; d++) dims[d] = d;
    return rank ? op_reduce_dims(b, &prim_or, x, rank, dims) : x;
}

static void parameters(ir_build *b, ir_build *outer, int n, const ir_id *s, ir_id *p)
{
    for (int i = 0; i < n; i++) p[i] = ir_arg(b, ir_typeof(outer, s[i]));
}

/* Iterates s until no element is open, or up to iteration `most`. */
static bool looped(ir_build *b, int n, ir_id *s, int64_t most, update *step)
{
    ir_id p[STATES], next[STATES];
    const ir_type *all = NULL;                           /* in a checked region the states vary together */
    for (int i = 0; i < n; i++) {
        if (!s[i]) return false;
        const ir_type *const t = ir_typeof(b, s[i]);
        all = ir_type_vary(t, (mesh_set)(t->vary | (all ? all->vary : 0)));
    }
    for (int i = 0; i < n; i++) s[i] = op_as(b, s[i], all);
    ir_build *const cond = ir_region(b, base_intern("open")), *const body = ir_region(b, base_intern("turn"));
    parameters(cond, b, n, s, p);
    const ir_id less = op_less(cond, p[ITERATION], op_real(cond, TT_F64, (double)most));
    const ir_id on = op_and(cond, less, special_loops_any(cond, p[OPEN]));
    parameters(body, b, n, s, p);
    next[OPEN] = op_and(body, p[OPEN], step(body, p, next));
    next[ITERATION] = op_add(body, p[ITERATION], op_real(body, TT_F64, 1));
    for (int i = FIRST; i < n; i++) next[i] = op_select(body, p[OPEN], next[i], p[i]);
    ir_fn *const sub[] = { ir_end(cond, 1, &on), ir_end(body, (uint32_t)n, next) };
    const ir_id y = sub[0] && sub[1] ? ir_emit(b, &prim_while, NULL, (uint32_t)n, s, 2, sub) : 0;
    for (int i = 0; i < n; i++) s[i] = y ? y + (ir_id)i : 0;
    return y != 0;
}

static ir_id special_loops_plus(ir_build *b, ir_id x, double v) { return op_add(b, x, op_num(b, x, v)); }
static ir_id special_loops_times(ir_build *b, ir_id x, double v) { return op_mul(b, x, op_num(b, x, v)); }
static ir_id special_loops_below(ir_build *b, ir_id x, double v) { return op_less(b, x, op_num(b, x, v)); }
static ir_id special_loops_above(ir_build *b, ir_id x, double v) { return op_less(b, op_num(b, x, v), x); }
static ir_id special_loops_is(ir_build *b, ir_id x, double v) { return op_equal(b, x, op_num(b, x, v)); }
static ir_id none_of(ir_build *b, ir_id x, ir_id y) { return op_and(b, op_not(b, x), op_not(b, y)); }

/* ---- gamma ---- */

typedef enum { VALUE, BY_A, OF_SAMPLE } part;

enum { S_R = FIRST, S_C, S_ANS, S_X, S_DC, S_DANS, S_COUNT };

static ir_id series_step(ir_build *b, const ir_id *s, ir_id *n)
{
    const ir_id r = special_loops_plus(b, s[S_R], 1), by = op_div(b, s[S_X], r);
    n[S_R] = r, n[S_X] = s[S_X];
    n[S_DC] = op_sub(b, op_mul(b, s[S_DC], by), op_div(b, op_mul(b, s[S_C], s[S_X]), op_mul(b, r, r)));
    n[S_DANS] = op_add(b, s[S_DANS], n[S_DC]);
    n[S_C] = op_mul(b, s[S_C], by);
    n[S_ANS] = op_add(b, s[S_ANS], n[S_C]);
    const ir_id more = op_less(b, special_loops_times(b, n[S_ANS], small), n[S_C]);
    return op_or(b, more, op_less(b, special_loops_times(b, op_abs(b, n[S_DANS]), small), op_abs(b, n[S_DC])));
}

/* ax = x^a e^-x / gamma(a), times the sum of x^k / ((a + 1) ... (a + k)); or its derivative with respect to a. */
static ir_id series(ir_build *b, ir_id ax, ir_id x, ir_id a, ir_id open, part what)
{
    enum { MOST = 5000 };
    const ir_id one = op_num(b, a, 1), zero = op_num(b, a, 0);
    ir_id s[S_COUNT] = { open, op_real(b, TT_F64, 1), a, one, one, x, zero, zero };
    if (!looped(b, S_COUNT, s, MOST, series_step)) return 0;
    if (what == VALUE) return op_div(b, op_mul(b, s[S_ANS], ax), a);
    const ir_id log = op_sub(b, op_log(b, x), op_digamma64(b, special_loops_plus(b, a, 1)));
    const ir_id sum = op_add(b, op_mul(b, s[S_ANS], log), s[S_DANS]);
    return what == BY_A ? op_div(b, op_mul(b, ax, sum), a) : op_neg(b, op_div(b, op_mul(b, sum, x), a));
}

enum { F_ANS = FIRST, F_Y, F_Z, F_P1, F_Q1, F_P2, F_Q2, F_DP1, F_DQ1, F_DP2, F_DQ2, F_DANS, F_COUNT };

/* p_k = p_(k-1) z - p_(k-2) y k, likewise q; and their derivatives with respect to a, where dy = dz = -1 */
static ir_id fraction_step(ir_build *b, const ir_id *s, ir_id *n)
{
    const ir_id y = special_loops_plus(b, s[F_Y], 1), z = special_loops_plus(b, s[F_Z], 2);
    const ir_id k = op_broadcast(b, s[ITERATION], ir_typeof(b, y), 0, NULL), yk = op_mul(b, y, k);
    ir_id now[2], d[2];
    for (int i = 0; i < 2; i++) {
        const ir_id v1 = s[F_P1 + i], v2 = s[F_P2 + i], d1 = s[F_DP1 + i], d2 = s[F_DP2 + i];
        now[i] = op_sub(b, op_mul(b, v1, z), op_mul(b, v2, yk));
        const ir_id inner = op_sub(b, op_mul(b, v2, k), v1);
        d[i] = op_add(b, op_sub(b, op_mul(b, d1, z), op_mul(b, d2, yk)), inner);
    }
    const ir_id some = op_compare(b, OP_CMP_NE, now[1], op_num(b, y, 0)),
                q = op_select(b, some, now[1], op_num(b, y, 1));
    const ir_id r = op_select(b, some, op_div(b, now[0], q), s[F_ANS]);
    const ir_id dr = op_select(b, some, op_div(b, op_sub(b, d[0], op_mul(b, r, d[1])), q), s[F_DANS]);
    const ir_id scale =
        op_select(b, special_loops_above(b, op_abs(b, now[0]), 1 / DBL_EPSILON), op_num(b, y, DBL_EPSILON),
            op_num(b, y, 1));
    const ir_id far = op_less(b, special_loops_times(b, op_abs(b, r), small), op_abs(b, op_sub(b, s[F_ANS], r)));
    n[F_ANS] = r, n[F_DANS] = dr, n[F_Y] = y, n[F_Z] = z;
    for (int i = 0; i < 2; i++) {
        n[F_P2 + i] = op_mul(b, s[F_P1 + i], scale), n[F_P1 + i] = op_mul(b, now[i], scale);
        n[F_DP2 + i] = op_mul(b, s[F_DP1 + i], scale), n[F_DP1 + i] = op_mul(b, d[i], scale);
    }
    const ir_id wild = op_less(b, special_loops_times(b, op_abs(b, dr), small), op_abs(b, op_sub(b, s[F_DANS], dr)));
    return op_or(b, op_not(b, some), op_or(b, far, wild));
}

static ir_id fraction(ir_build *b, ir_id ax, ir_id x, ir_id a, ir_id open, part what)
{
    enum { MOST = 2000 };
    const ir_id y = op_sub(b, op_num(b, a, 1), a), z = op_add(b, op_add(b, x, y), op_num(b, x, 1));
    const ir_id p1 = special_loops_plus(b, x, 1), q1 = op_mul(b, z, x), zero = op_num(b, x, 0), ans = op_div(b, p1, q1);
    const ir_id dans = op_div(b, op_mul(b, ans, x), q1);
    ir_id s[F_COUNT] = { open, op_real(b, TT_F64, 1), ans,  y,    z,   p1, q1, op_num(b, x, 1), x,
                         zero, op_neg(b, x),          zero, zero, dans };
    if (!looped(b, F_COUNT, s, MOST, fraction_step)) return 0;
    if (what == VALUE) return op_mul(b, s[F_ANS], ax);
    const ir_id log = op_sub(b, op_log(b, x), op_digamma64(b, a));
    const ir_id sum = op_add(b, op_mul(b, s[F_ANS], log), s[F_DANS]);
    return what == BY_A ? op_mul(b, ax, sum) : op_neg(b, op_mul(b, sum, x));
}

/* The upper function y, replaced for small a, where the lower function is so near 1 that 1 less the lower function
 * loses digits. */
static ir_id left_of_one(ir_build *b, ir_id a, ir_id x, ir_id y)
{
    const ir_id most = op_num(b, x, 1.1), low = special_loops_below(b, x, 0.5), safe = op_min(b, x, op_num(b, x, 0.4));
    const ir_id small = op_select(b, low, op_div(b, op_num(b, x, -0.4), op_log(b, safe)),
        special_loops_times(b, x, 1.1));
    const ir_id is_small = op_and(b, op_compare(b, OP_CMP_LE, x, most), op_less(b, a, small));
    const ir_id one = op_num(b, a, 1), at = op_select(b, is_small, a, one), xs = op_select(b, is_small, x, one);
    return op_select(b, is_small, op_igammac_small(b, at, xs), y);
}

/* Selects between series and fraction, each evaluated at operands at which it is finite. upper: Q instead of P. */
static ir_id gamma_part(ir_build *b, ir_id a0, ir_id x0, part what, bool upper)
{
    const ir_id one = op_num(b, a0, 1), zero = op_num(b, a0, 0), nan = op_num(b, a0, (double)NAN);
    const ir_id infinite = special_loops_is(b, x0, HUGE_VAL), at_zero = special_loops_is(b, x0, 0),
        a_zero = special_loops_is(b, a0, 0);
    const ir_id a_infinite = special_loops_is(b, a0, HUGE_VAL), ended = op_or(b, infinite, a_infinite);
    const ir_id fine = op_and(b, op_less(b, zero, a0), op_and(b, op_less(b, zero, x0), op_not(b, ended)));
    const ir_id a = op_select(b, fine, a0, one), x = op_select(b, fine, x0, one);
    const ir_id right = op_and(b, special_loops_above(b, x, 1), op_less(b, a, x)); /* where the fraction is used */
    const ir_id log_ax = op_sub(b, op_sub(b, op_mul(b, a, op_log(b, x)), x), op_lgamma64(b, a));
    const ir_id apart = op_abs(b, op_sub(b, x, a)), near = op_less(b, apart, special_loops_times(b, a, 0.3));
    const ir_id large = op_and(b, special_loops_above(b, a, 500), near);
    const ir_id some = op_and(b, op_and(b, fine, op_not(b, large)), special_loops_above(b, log_ax, -log(DBL_MAX)));
    const ir_id ax = op_exp(b, log_ax);
    const ir_id xl = op_select(b, right, one, x), xr = op_select(b, right, x, special_loops_plus(b, a, 2));
    const ir_id low = series(b, ax, xl, a, op_and(b, some, op_not(b, right)), what);
    const ir_id high = fraction(b, ax, xr, a, op_and(b, some, right), what);
    const ir_id at = op_select(b, large, a, op_num(b, a, 1000)), xs = op_select(b, large, x, op_num(b, x, 1000));
    ir_id y;
    if (what == VALUE) {
        y = upper ? op_select(b, right, high, op_sub(b, one, low)) : op_select(b, right, op_sub(b, one, high), low);
        y = op_select(b, large, op_igamma_large(b, at, xs, upper), y);
        if (upper) y = left_of_one(b, a, x, y);
    }
    else y = op_select(b, large, op_igamma_large_by_a(b, at, xs, what == OF_SAMPLE),
                       op_select(b, right, op_neg(b, high), low));
    const bool ends = what == VALUE; /* the limits at x = 0 and infinity; for values also at a = 0 */
    const ir_id first = op_num(b, a0, ends && upper ? 1 : 0), last = op_num(b, a0, ends && !upper ? 1 : 0);
    y = op_select(b, at_zero, first, op_select(b, infinite, ends ? last : nan, y));
    const ir_id positive = op_and(b, op_less(b, zero, a0), op_compare(b, OP_CMP_LE, zero, x0));
    /* gamma(0) is infinite: all weight is below x */
    const ir_id beyond = op_and(b, a_zero, op_less(b, zero, x0));
    y = op_select(b, positive, y, nan);
    y = ends ? op_select(b, beyond, last, y) : y;
    if (!ends) return y;
    /* all weight is above x */
    const ir_id none = op_and(b, a_infinite, op_less(b, x0, op_num(b, x0, HUGE_VAL)));
    y = op_select(b, op_and(b, none, positive), op_num(b, a0, upper ? 1 : 0), y);
    return op_select(b, op_and(b, a_infinite, infinite), nan, y);
}

/* dP = P_a da + x^(a - 1) e^-x / gamma(a) dx; the second factor in f64, since its logarithm is a difference of numbers
 * of the size of a ln a */
ir_id op_igamma_tangent(ir_build *b, const ir_id *x, const ir_id *dx)
{
    ir_id by_x = 0;
    if (dx[1]) {
        const ir_id a = op_convert(b, x[0], TT_F64), at = op_convert(b, x[1], TT_F64);
        const ir_id power = op_mul(b, op_sub(b, a, op_num(b, a, 1)), op_log(b, at));
        const ir_id slope = op_exp(b, op_sub(b, op_sub(b, power, at), op_lgamma(b, a)));
        by_x = op_mul(b, dx[1], op_convert(b, slope, ir_typeof(b, x[1])->dtype));
    }
    return op_plus(b, by_x, dx[0] ? op_mul(b, dx[0], op_igamma_grad_a(b, x[0], x[1])) : 0);
}

ir_id op_igamma64(ir_build *b, ir_id a, ir_id x) { return gamma_part(b, a, x, VALUE, false); }
ir_id op_igammac64(ir_build *b, ir_id a, ir_id x) { return gamma_part(b, a, x, VALUE, true); }
ir_id op_igamma_grad_a64(ir_build *b, ir_id a, ir_id x) { return gamma_part(b, a, x, BY_A, false); }
ir_id op_random_gamma_grad64(ir_build *b, ir_id a, ir_id x) { return gamma_part(b, a, x, OF_SAMPLE, false); }

/* ---- beta ---- */

enum { B_A = FIRST, B_B, B_X, B_LEAD, B_C, B_D, B_H, B_COUNT };

/* Iteration m of the even part of DLMF 8.17.22 (A. Didonato and A. Morris, ACM TOMS 708, 1992, formula 9), which has no
 * differences of numbers near 1 where x is near 1: the numerator (a + m - 1)(a + b + m - 1) m (b - m) x^2 / (a + 2m -
 * 1)^2, the denominator m + m (b - m) x / (a + 2m - 1) + (a + m)(lead + m (2 - x)) / (a + 2m + 1) with lead = a y - b x
 * + 1. */
static ir_id beta_step(ir_build *b, const ir_id *s, ir_id *n)
{
    const ir_type *const t = ir_typeof(b, s[B_A]);
    const ir_id m = op_broadcast(b, s[ITERATION], t, 0, NULL), a = s[B_A], c = s[B_B], x = s[B_X];
    const ir_id tiny = op_num(b, a, 1e-300), one = op_num(b, a, 1);
    const ir_id a2m = op_add(b, a, special_loops_plus(b, special_loops_times(b, m, 2), -1));
    const ir_id below = op_add(b, a, special_loops_plus(b, m, -1)), am = op_add(b, a, m);
    const ir_id mx = op_mul(b, op_mul(b, m, op_sub(b, c, m)), x);
    const ir_id left = op_div(b, below, a2m);
    const ir_id right = op_div(b, op_mul(b, op_add(b, below, c), x), a2m);
    const ir_id by = op_mul(b, op_mul(b, left, right), mx);
    const ir_id rise = op_add(b, s[B_LEAD], op_mul(b, m, op_sub(b, op_num(b, x, 2), x)));
    const ir_id last = op_div(b, op_mul(b, am, rise), special_loops_plus(b, a2m, 2));
    const ir_id over = op_add(b, op_add(b, m, op_div(b, mx, a2m)), last);
    const ir_id cn = op_add(b, over, op_div(b, by, s[B_C])), dn = op_add(b, over, op_mul(b, by, s[B_D]));
    const ir_id safe_c = op_select(b, special_loops_below(b, op_abs(b, cn), 1e-300), tiny, cn);
    const ir_id d = op_div(b, one, op_select(b, special_loops_below(b, op_abs(b, dn), 1e-300), tiny, dn)),
                delta = op_mul(b, safe_c, d);
    n[B_A] = a, n[B_B] = c, n[B_X] = x, n[B_LEAD] = s[B_LEAD];
    n[B_C] = safe_c, n[B_D] = d, n[B_H] = op_mul(b, s[B_H], delta);
    return special_loops_above(b, op_abs(b, special_loops_plus(b, delta, -1)), small);
}

ir_id op_betainc64(ir_build *b, ir_id a0, ir_id b0, ir_id x0)
{
    enum { MOST = 20000 };                               /* some sqrt(min(p, q)) are needed */
    const ir_id zero = op_num(b, a0, 0), one = op_num(b, a0, 1), nan = op_num(b, a0, (double)NAN);
    /* all weight is at 0 if a is 0 or b infinite, at 1 if b is 0 or a infinite */
    const ir_id at0 = op_or(b, special_loops_is(b, a0, 0), special_loops_is(b, b0, HUGE_VAL)),
        at1 = op_or(b, special_loops_is(b, b0, 0), special_loops_is(b, a0, HUGE_VAL));
    const ir_id x_first = special_loops_is(b, x0, 0), x_last = special_loops_is(b, x0, 1);
    const ir_id inside = op_and(b, op_less(b, zero, x0), op_less(b, x0, one));
    const ir_id fine =
        op_and(b, op_and(b, op_less(b, zero, a0), op_less(b, zero, b0)), op_and(b, inside, none_of(b, at0, at1)));
    const ir_id p = op_select(b, fine, a0, one), q = op_select(b, fine, b0, one),
                z = op_select(b, fine, x0, op_num(b, x0, 0.5));
    const ir_id near = op_less(b, z, op_div(b, special_loops_plus(b, p, 1), special_loops_plus(b, op_add(b, p, q), 2)));
    const ir_id a = op_select(b, near, p, q), c = op_select(b, near, q, p), rest = op_sub(b, one, z);
    const ir_id x = op_select(b, near, z, rest), past = op_select(b, near, rest, z);     /* past: 1 - x */
    const ir_id large = special_loops_above(b, op_min(b, a, c), OP_BETA_LARGE);
    const ir_id open = op_and(b, fine, op_not(b, large));
    const ir_id lead = special_loops_plus(b, op_neg(b, op_beta_off(b, a, c, x, past)), 1);
    const ir_id first = op_mul(b, op_div(b, a, special_loops_plus(b, a, 1)), lead);
    ir_id s[B_COUNT] = { open, op_real(b, TT_F64, 1), a, c, x, lead, first, zero, first };
    if (!looped(b, B_COUNT, s, MOST, beta_step)) return 0;
    const ir_id by_fraction = op_div(b, op_beta_powers64(b, a, c, x, past), s[B_H]);
    const ir_id part = op_min(b, op_select(b, large, op_betainc_large(b, a, c, x, past), by_fraction), one);
    ir_id y = op_select(b, near, part, op_sub(b, one, part));
    y = op_select(b, op_or(b, x_first, op_and(b, at1, op_not(b, x_last))), zero, y);
    y = op_select(b, op_or(b, x_last, op_and(b, at0, op_not(b, x_first))), one, y);
    const ir_id domain = op_and(b, op_and(b, op_compare(b, OP_CMP_LE, zero, a0), op_compare(b, OP_CMP_LE, zero, b0)),
                                op_and(b, op_compare(b, OP_CMP_LE, zero, x0), op_compare(b, OP_CMP_LE, x0, one)));
    return op_select(b, op_and(b, domain, op_not(b, op_and(b, at0, at1))), y, nan);
}
