/* op/special/special_large.c - the incomplete gamma functions where the forms of special_loops.c lose digits, in f64.
 *
 * For large a and x near a: N. Temme's uniform expansion (DLMF 8.12). With mu = (x - a) / a and eta^2 / 2 = mu - ln(1 +
 * mu), eta of mu's sign, P is erfc(-eta sqrt(a / 2)) / 2 - S and Q is erfc(eta sqrt(a / 2)) / 2 + S, where S = e^(-a
 * eta^2 / 2) / sqrt(2 pi a) times the sum of c_k(eta) / a^k. The c_k are computed by their power series: c_0 = 1 / mu -
 * 1 / eta, and each further one from the one before. For small a: the upper function as 1 less the lower one, free of
 * cancellation (Cephes's igamc_series). */
#include "special.h"
#include "../ops.h"

#include <math.h>

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

static ir_id special_large_plus(ir_build *b, ir_id x, double v) { return op_add(b, x, op_num(b, x, v)); }
static ir_id special_large_times(ir_build *b, ir_id x, double v) { return op_mul(b, x, op_num(b, x, v)); }
static ir_id series(ir_build *b, ir_id x, int n, const double *c)        /* lowest degree first */
{
    ir_id y = op_num(b, x, c[n - 1]);
    for (int i = n - 2; i >= 0; i--) y = special_large_plus(b, op_mul(b, y, x), c[i]);
    return y;
}

/* mu^2 (1/2 - mu/3 + mu^2/4 - ...) */
ir_id op_beyond_log(ir_build *b, ir_id mu)
{
    enum { TERMS = 32 };
    double c[TERMS];
    for (int i = 0; i < TERMS; i++) c[i] = (i % 2 ? -1.0 : 1.0) / (i + 2);
    return op_mul(b, op_mul(b, mu, mu), series(b, mu, TERMS, c));
}

static const double c0[] = { -0.3333333333333333,    0.08333333333333333,     -0.014814814814814815,
                             0.0011574074074074073,  0.0003527336860670194,   -0.0001787551440329218,
                             3.919263178522438e-05,  -2.185448510679992e-06,  -1.85406221071516e-06,
                             8.296711340953087e-07,  -1.7665952736826078e-07, 6.707853543401498e-09,
                             1.0261809784240309e-08, -4.382036018453353e-09,  9.14769958223679e-10,
                             -2.5514193994946248e-11, -5.830772132550426e-11, 2.4361948020667415e-11 };
static const double c1[] = { -0.001851851851851852,   -0.003472222222222222,  0.0026455026455026454,
                             -0.0009902263374485596,  0.00020576131687242798, -4.018775720164609e-07,
                             -1.8098550334489977e-05, 7.64916091608111e-06,   -1.6120900894563446e-06,
                             4.647127802807434e-09,   1.378633446915721e-07,  -5.752545603517705e-08 };
static const double c2[] = { 0.004133597883597883,    -0.0026813271604938273, 0.0007716049382716049,
                             2.0093878600823047e-06,  -0.0001073665322636516, 5.2923448829120125e-05,
                             -1.2760635188618728e-05, 3.423578734096138e-08 };
static const double c3[] = { 0.0006494341563786008, 0.00022947209362139917, -0.0004691894943952557,
                             0.00026772063206283885 };
static const struct { const double *c; int n; } temme[] = {
    { c0, COUNT(c0) }, { c1, COUNT(c1) }, { c2, COUNT(c2) }, { c3, COUNT(c3) },
};

/* The sum of c_k(eta) / a^k; its derivative by eta; the sum of k c_k(eta) / a^k. over: 1 / a */
typedef enum { TERMS, BY_ETA, BY_ORDER } expansion_part;
static ir_id expansion(ir_build *b, ir_id eta, ir_id over, expansion_part what)
{
    double c[COUNT(c0)];
    ir_id sum = 0;
    for (int k = COUNT(temme) - 1; k >= 0; k--) {
        const int n = what == BY_ETA ? temme[k].n - 1 : temme[k].n;
        for (int i = 0; i < n; i++)
            c[i] = what == BY_ETA ? (i + 1) * temme[k].c[i + 1] : what == BY_ORDER ? k * temme[k].c[i] : temme[k].c[i];
        const ir_id term = series(b, eta, n, c);
        sum = sum ? op_add(b, op_mul(b, sum, over), term) : term;
    }
    return sum;
}

typedef struct { ir_id mu, eta, over, fall; } near_a;    /* over: 1 / a; fall: e^(-a eta^2 / 2) */
static near_a near_of(ir_build *b, ir_id a, ir_id x)
{
    const ir_id mu = op_div(b, op_sub(b, x, a), a), less = op_less(b, mu, op_num(b, mu, 0));
    const ir_id square = op_beyond_log(b, mu), size = op_sqrt(b, special_large_times(b, square, 2));
    return (near_a){ mu, op_select(b, less, op_neg(b, size), size), op_div(b, op_num(b, a, 1), a),
                     op_exp(b, op_neg(b, op_mul(b, a, square))) };
}
static ir_id over_root(ir_build *b, ir_id v, ir_id a)    /* v / sqrt(2 pi a) */
{
    return op_div(b, v, op_sqrt(b, special_large_times(b, a, 2 * M_PI)));
}

ir_id op_igamma_large(ir_build *b, ir_id a, ir_id x, bool upper)
{
    const near_a n = near_of(b, a, x);
    const ir_id s = over_root(b, op_mul(b, n.fall, expansion(b, n.eta, n.over, TERMS)), a);
    const ir_id at = op_mul(b, n.eta, op_sqrt(b, special_large_times(b, a, 0.5)));
    const ir_id tail = special_large_times(b, op_erfc64(b, upper ? at : op_neg(b, at)), 0.5);
    return upper ? op_add(b, tail, s) : op_sub(b, tail, s);
}

/* With d(a eta^2 / 2) / da = -ln(1 + mu) and d eta / da = -mu / (eta a), P's derivative is e^(-a eta^2 / 2) /
 * sqrt(2 pi a) times -ln(1 + mu) / eta - C (ln(1 + mu) - 1 / (2a)) + (C' mu / eta + K) / a, where C is the sum of
 * c_k / a^k and K that of k c_k / a^k. At mu = 0 both quotients are 1. A sample's derivative divides by -dP / dx =
 * -e^(-a eta^2 / 2) a / (x sqrt(2 pi a) g), g = gamma(a) / (sqrt(2 pi / a) (a / e)^a) by Stirling's series. */
ir_id op_igamma_large_by_a(ir_build *b, ir_id a, ir_id x, bool of_sample)
{
    const near_a n = near_of(b, a, x);
    const ir_id one = op_num(b, a, 1), log = op_log1p(b, n.mu);
    const ir_id middle = op_less(b, op_abs(b, n.mu), op_num(b, a, 1e-150)), eta = op_select(b, middle, one, n.eta);
    const ir_id log_by = op_select(b, middle, one, op_div(b, log, eta)),
                mu_by = op_select(b, middle, one, op_div(b, n.mu, eta));
    const ir_id slope = op_sub(b, log, special_large_times(b, n.over, 0.5));
    const ir_id first = op_mul(b, expansion(b, n.eta, n.over, TERMS), slope);
    const ir_id inner = op_add(b, op_mul(b, expansion(b, n.eta, n.over, BY_ETA), mu_by),
                               expansion(b, n.eta, n.over, BY_ORDER));
    const ir_id sum = op_sub(b, op_mul(b, n.over, inner), op_add(b, log_by, first));
    if (!of_sample) return over_root(b, op_mul(b, n.fall, sum), a);
    static const double stirling[] = { 1, 1.0 / 12, 1.0 / 288, -139.0 / 51840 };
    const ir_id g = series(b, n.over, COUNT(stirling), stirling);
    return op_neg(b, op_mul(b, op_mul(b, sum, op_mul(b, x, n.over)), g));
}

/* 1 - x^a / gamma(1 + a) - x^a / gamma(a) sum of (-x)^n / (n! (a + n)) over n >= 1, for x <= 1.1 */
ir_id op_igammac_small(ir_build *b, ir_id a, ir_id x)
{
    enum { TERMS = 24 };
    ir_id sum = op_num(b, x, 0), power = op_num(b, x, 1);
    for (int n = 1; n <= TERMS; n++) {
        power = op_mul(b, power, special_large_times(b, x, -1.0 / n));
        sum = op_add(b, sum, op_div(b, power, special_large_plus(b, a, n)));
    }
    const ir_id log = op_sub(b, op_mul(b, a, op_log(b, x)), op_lgamma1p64(b, a));
    return op_sub(b, op_neg(b, op_expm1(b, log)), op_mul(b, op_mul(b, a, op_exp(b, log)), sum));
}
