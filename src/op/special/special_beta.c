/* op/special/special_beta.c - powers over the beta function, x^p y^q / beta(p, q) with x + y = 1, without the
 * cancellation of logarithms of gamma functions that are large; and the incomplete beta function where both parameters
 * are so large that its continued fraction takes too many steps. In f64.
 *
 * With s = p + q, lgamma(z) = (z - 1/2) ln z - z + ln(2 pi) / 2 + D(z), e = x s / p - 1 and g = y s / q - 1, the
 * logarithm is that of sqrt(p q / (2 pi s)), less p (e - ln(1 + e)) + q (g - ln(1 + g)), less D(p) + D(q) - D(s) (A.
 * Didonato and A. Morris, ACM TOMS 708, 1992). With one small parameter only the other's two gamma functions are
 * replaced by Stirling's series. */
#include "special.h"
#include "../ops.h"

#include <math.h>

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))
static const double stirling_from = 10;                  /* where D's series has f64's accuracy */

static ir_id beta_num(ir_build *b, ir_id x, double v) { return op_num(b, x, v); }
static ir_id beta_times(ir_build *b, ir_id x, double v) { return op_mul(b, x, op_num(b, x, v)); }

/* D(z) for z >= 10. */
static ir_id beyond_stirling(ir_build *b, ir_id z)
{
    static const double c[] = { 1. / 12, -1. / 360, 1. / 1260, -1. / 1680, 1. / 1188, -691. / 360360, 1. / 156 };
    const ir_id over = op_div(b, beta_num(b, z, 1), z), square = op_mul(b, over, over);
    ir_id y = beta_num(b, z, c[COUNT(c) - 1]);
    for (int i = COUNT(c) - 2; i >= 0; i--) y = op_add(b, op_mul(b, y, square), beta_num(b, z, c[i]));
    return op_mul(b, y, over);
}

/* e - ln(1 + e) for e > -1; log: the logarithm. */
static ir_id less_log(ir_build *b, ir_id e, ir_id log)
{
    const ir_id near = op_less(b, op_abs(b, e), beta_num(b, e, 0.3));
    return op_select(b, near, op_beyond_log(b, op_select(b, near, e, beta_num(b, e, 0))), op_sub(b, e, log));
}

/* ln x, of x and 1 - x. */
static ir_id beta_log(ir_build *b, ir_id x, ir_id past)
{
    const ir_id small = op_less(b, x, beta_num(b, x, 0.5));
    return op_select(b, small, op_log(b, x), op_log1p(b, op_neg(b, past)));
}

/* x (p + q) - p by the smaller of x and y, which is exact where the other is 1 less it; with what p + q loses. */
ir_id op_beta_off(ir_build *b, ir_id p, ir_id q, ir_id x, ir_id y)
{
    const ir_id s = op_add(b, p, q), least = op_min(b, p, q), most = op_max(b, p, q), small = op_less(b, x, y);
    const ir_id lost = op_sub(b, least, op_sub(b, s, most)), at = op_select(b, small, x, y);
    const ir_id off = op_fma(b, at, s, op_neg(b, op_select(b, small, p, q)));
    const ir_id all = op_add(b, off, op_mul(b, at, lost));
    return op_select(b, small, all, op_neg(b, all));
}

/* off: x s - p; fall: p (e - ln(1 + e)) + q (g - ln(1 + g)). */
typedef struct { ir_id s, off, fall; } beta_apart;
static beta_apart apart_of(ir_build *b, ir_id p, ir_id q, ir_id x, ir_id y)
{
    const ir_id s = op_add(b, p, q), off = op_beta_off(b, p, q, x, y);
    const ir_id e = op_div(b, off, p), g = op_neg(b, op_div(b, off, q));
    const ir_id by_p = op_mul(b, p, less_log(b, e, op_log(b, op_div(b, op_mul(b, x, s), p))));
    const ir_id by_q = op_mul(b, q, less_log(b, g, op_log(b, op_div(b, op_mul(b, y, s), q))));
    return (beta_apart){ s, off, op_add(b, by_p, by_q) };
}

/* sqrt(p q / (2 pi s)) */
static ir_id beta_root(ir_build *b, ir_id p, ir_id q, ir_id s)
{
    return op_sqrt(b, op_mul(b, beta_times(b, p, 1 / (2 * M_PI)), op_div(b, q, s)));
}

ir_id op_beta_powers64(ir_build *b, ir_id p, ir_id q, ir_id x, ir_id y)
{
    const ir_id least = op_min(b, p, q), most = op_max(b, p, q), from = beta_num(b, p, stirling_from);
    const ir_id both = op_compare(b, OP_CMP_LE, from, least), one = op_compare(b, OP_CMP_LE, from, most);
    const ir_id n = op_select(b, both, beta_num(b, p, 1), least), m = op_max(b, most, from), sum = op_add(b, m, n);
    const ir_id log1p = op_log1p(b, op_div(b, n, m));
    const ir_id stirling = op_sub(b, beyond_stirling(b, m), beyond_stirling(b, sum));
    const ir_id less_half = op_sub(b, sum, beta_num(b, p, 0.5));
    const ir_id by_log = op_sub(b, op_sub(b, n, op_mul(b, n, op_log(b, m))), op_mul(b, less_half, log1p));
    const ir_id few = op_min(b, most, from);
    const ir_id plain = op_sub(b, op_lgamma64(b, few), op_lgamma64(b, op_add(b, few, n)));
    const ir_id log_beta = op_add(b, op_lgamma64(b, n), op_select(b, one, op_add(b, by_log, stirling), plain));
    const ir_id powers = op_add(b, op_mul(b, p, beta_log(b, x, y)), op_mul(b, q, beta_log(b, y, x)));
    const ir_id pl = op_max(b, p, from), ql = op_max(b, q, from);
    const beta_apart d = apart_of(b, op_select(b, both, p, from), op_select(b, both, q, from), x, y);
    const ir_id rest = op_sub(b, op_add(b, beyond_stirling(b, pl), beyond_stirling(b, ql)),
                              beyond_stirling(b, op_add(b, pl, ql)));
    const ir_id large = op_mul(b, beta_root(b, pl, ql, op_add(b, pl, ql)),
                               op_exp(b, op_neg(b, op_add(b, d.fall, rest))));
    return op_select(b, both, large, op_exp(b, op_sub(b, powers, log_beta)));
}

/* The first term of DLMF 8.18.9: erfc(-eta sqrt(s / 2)) / 2 + e^-fall / sqrt(2 pi s) (1 / eta - sqrt(p q) / off), with
 * s eta^2 / 2 = fall and off's sign; near 0 the bracket is (q - p) / (3 sqrt(p q)). */
ir_id op_betainc_large(ir_build *b, ir_id p0, ir_id q0, ir_id x, ir_id y)
{
    const ir_id least = beta_num(b, p0, OP_BETA_LARGE), p = op_max(b, p0, least), q = op_max(b, q0, least);
    const beta_apart d = apart_of(b, p, q, x, y);
    const ir_id root = op_sqrt(b, d.fall), left = op_less(b, d.off, beta_num(b, p, 0));
    const ir_id at = op_select(b, left, root, op_neg(b, root)), near = op_less(b, root, beta_num(b, p, 1e-4));
    const ir_id scaled = op_select(b, near, beta_num(b, p, 1), op_neg(b, at));   /* eta sqrt(s / 2) */
    const ir_id off = op_select(b, near, beta_num(b, p, 1), d.off), pq = op_mul(b, op_sqrt(b, p), op_sqrt(b, q));
    const ir_id over_eta = op_div(b, op_sqrt(b, beta_times(b, d.s, 0.5)), scaled);
    const ir_id middle = op_div(b, op_sub(b, q, p), beta_times(b, pq, 3));
    const ir_id c = op_select(b, near, middle, op_sub(b, over_eta, op_div(b, pq, off)));
    const ir_id second = op_div(b, op_mul(b, op_exp(b, op_neg(b, d.fall)), c),
                                op_sqrt(b, beta_times(b, d.s, 2 * M_PI)));
    return op_add(b, beta_times(b, op_erfc64(b, at), 0.5), second);
}
