/* op/special/special_large.c - the incomplete gamma functions where the forms of special_loops.c lose digits, in f64.
 *
 * For large a and x near a: N. Temme's uniform expansion (DLMF 8.12): with mu = (x - a) / a and eta^2 / 2 = mu - ln(1 +
 * mu), eta of mu's sign, P is erfc(-eta sqrt(a / 2)) / 2 - S and Q is erfc(eta sqrt(a / 2)) / 2 + S, S = e^(-a eta^2 /
 * 2) / sqrt(2 pi a) sum of c_k(eta) / a^k. The c_k are computed by their power series: c_0 = 1 / mu - 1 / eta, and each
 * further one from the one before. For small a: the upper function as 1 less the lower one, free of cancellation
 * (Cephes's igamc_series). */
#include "special.h"

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

/* mu - ln(1 + mu) for |mu| < 0.3: mu^2 (1/2 - mu/3 + mu^2/4 - ...) */
static ir_id beyond_log(ir_build *b, ir_id mu)
{
    enum { TERMS = 32 };
    double c[TERMS];
    for (int i = 0; i < TERMS; i++) c[i] = (i % 2 ? -1.0 : 1.0) / (i + 2);
    return op_mul(b, op_mul(b, mu, mu), series(b, mu, TERMS, c));
}

ir_id op_igamma_large(ir_build *b, ir_id a, ir_id x, bool upper)
{
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
    const ir_id mu = op_div(b, op_sub(b, x, a), a), less = op_less(b, mu, op_num(b, mu, 0));
    const ir_id square = beyond_log(b, mu), size = op_sqrt(b, special_large_times(b, square, 2));
    const ir_id eta = op_select(b, less, op_neg(b, size), size), over = op_div(b, op_num(b, a, 1), a);
    ir_id sum = series(b, eta, COUNT(c3), c3);
    sum = op_add(b, op_mul(b, sum, over), series(b, eta, COUNT(c2), c2));
    sum = op_add(b, op_mul(b, sum, over), series(b, eta, COUNT(c1), c1));
    sum = op_add(b, op_mul(b, sum, over), series(b, eta, COUNT(c0), c0));
    const ir_id fall = op_exp(b, op_neg(b, op_mul(b, a, square)));
    const ir_id s = op_div(b, op_mul(b, fall, sum), op_sqrt(b, special_large_times(b, a, 2 * M_PI)));
    const ir_id at = op_mul(b, eta, op_sqrt(b, special_large_times(b, a, 0.5)));
    const ir_id tail = special_large_times(b, op_erfc64(b, upper ? at : op_neg(b, at)), 0.5);
    return upper ? op_add(b, tail, s) : op_sub(b, tail, s);
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
