/* op/special/special.c - erfc, the gamma functions, zeta, scaled Bessel functions: in f64, for primitives that round
 * the result once.
 *
 * - erfc: 1 - erf near 0, e^(-x^2) P(x) / Q(x) beyond 1 (S. Moshier's coefficients, Cephes).
 * - lgamma, digamma: Lanczos's sum, g = 7, reflected below 1/2; lgamma near its zeros 1 and 2 by its power series.
 * - zeta: ten terms and the Euler-Maclaurin formula for the remaining ones.
 * - Bessel functions: the power series up to 18, the asymptotic one beyond.
 * Where two forms of a function are evaluated, each gets operands at which it is finite. */
#include "special.h"
#include "../ops.h"

#include <math.h>

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

/* ---- short names ---- */

ir_id op_num(ir_build *b, ir_id like, double v) { return like ? op_splat(b, ir_typeof(b, like), v) : 0; }
static ir_id special_plus(ir_build *b, ir_id x, double v) { return op_add(b, x, op_num(b, x, v)); }
static ir_id special_times(ir_build *b, ir_id x, double v) { return op_mul(b, x, op_num(b, x, v)); }
static ir_id special_less(ir_build *b, ir_id x, double v) { return op_less(b, x, op_num(b, x, v)); }
static ir_id special_above(ir_build *b, double v, ir_id x) { return op_less(b, op_num(b, x, v), x); }
static ir_id special_is(ir_build *b, ir_id x, double v) { return op_equal(b, x, op_num(b, x, v)); }
static ir_id special_is_integer(ir_build *b, ir_id x) { return op_equal(b, x, op_floor(b, x)); }
static ir_id special_within(ir_build *b, ir_id x, double lo, double hi)
{
    return op_min(b, op_max(b, x, op_num(b, x, lo)), op_num(b, x, hi));
}

static ir_id horner(ir_build *b, ir_id x, int n, const double *c)        /* highest degree first */
{
    ir_id y = op_num(b, x, c[0]);
    for (int i = 1; i < n; i++) y = special_plus(b, op_mul(b, y, x), c[i]);
    return y;
}

bool op_by_special1(ir_build *b, op_special1 *f, const ir_id *x, ir_id *y)
{
    const ir_id v = f(b, op_convert(b, x[0], TT_F64));
    y[0] = v ? op_convert(b, v, ir_typeof(b, x[0])->dtype) : 0;
    return y[0] != 0;
}

bool op_by_special2(ir_build *b, op_special2 *f, const ir_id *x, ir_id *y)
{
    const ir_id v = f(b, op_convert(b, x[0], TT_F64), op_convert(b, x[1], TT_F64));
    y[0] = v ? op_convert(b, v, ir_typeof(b, x[0])->dtype) : 0;
    return y[0] != 0;
}

/* ---- erfc ---- */

ir_id op_erfc64(ir_build *b, ir_id x)
{
    static const double p[] = { 2.46196981473530512524E-10, 5.64189564831068821977E-1, 7.46321056442269912687E0,
                                4.86371970985681366614E1, 1.96520832956077098242E2, 5.26445194995477358631E2,
                                9.34528527171957607540E2, 1.02755188689515710272E3, 5.57535335369399327526E2 };
    static const double q[] = { 1, 1.32281951154744992508E1, 8.67072140885989742329E1, 3.54937778887819891062E2,
                                9.75708501743205489753E2, 1.82390916687909736289E3, 2.24633760818710981792E3,
                                1.65666309194161350182E3, 5.57535340817727675546E2 };
    static const double s[] = { 5.64189583547755073984E-1, 1.27536670759978104416E0, 5.01905042251180477414E0,
                                6.16021097993053585195E0, 7.40974269950448939160E0, 2.97886665372100240670E0 };
    static const double t[] = { 1, 2.26052863220117276590E0, 9.39603524938001434673E0, 1.20489539808096656605E1,
                                1.70814450747565897222E1, 9.60896809063285878198E0, 3.36907645100081516050E0 };
    const ir_id a = op_abs(b, x), near = special_within(b, a, 1, 8), far = special_within(b, a, 8, 28),
        is_far = special_above(b, 8, a);
    const ir_id e = op_exp(b, op_neg(b, op_select(b, is_far, op_mul(b, far, far), op_mul(b, near, near))));
    const ir_id ratio = op_select(b, is_far, op_div(b, horner(b, far, COUNT(s), s), horner(b, far, COUNT(t), t)),
                                  op_div(b, horner(b, near, COUNT(p), p), horner(b, near, COUNT(q), q)));
    const ir_id tail = op_mul(b, e, ratio), two = op_num(b, x, 2), one = op_num(b, x, 1);
    const ir_id out = op_select(b, special_less(b, x, 0), op_sub(b, two, tail), tail);
    const ir_id y = op_select(b, special_above(b, 1, a), out, op_sub(b, one, op_erf(b, special_within(b, x, -1, 1))));
    return op_select(b, op_compare(b, OP_CMP_NE, x, x), x, y);
}

/* ---- lgamma, digamma ---- */

static const double lanczos[] = { 676.520368121885098567009190444019, -1259.13921672240287047156078755283,
                                  771.3234287776530788486528258894,    -176.61502916214059906584551354,
                                  12.507343278686904814458936853,      -0.13857109526572011699554707,
                                  9.984369578019570859563e-6,          1.50563273514931155834e-7 };
static const double lanczos_base = 0.99999999999980993227684700473478;

/* The argument of the sum: x - 1, or -x below 1/2; log_shift: ln(z + 7.5). */
static ir_id sum_at(ir_build *b, ir_id x, ir_id reflect) { return op_select(b, reflect, op_neg(b, x),
    special_plus(b, x, -1)); }
static ir_id log_shift(ir_build *b, ir_id z) { return special_plus(b, op_log1p(b, special_times(b, z, 1 / 7.5)),
    2.0149030205422647); }

/* lgamma(2 + z), |z| <= 1/2: (1 - Euler's constant) z + sum of (-1)^k (zeta(k) - 1) / k z^k */
static ir_id lgamma_from_2(ir_build *b, ir_id z)
{
    static const double c[] = {
        -2.7595228851242334e-10, 5.7313672416788623e-10,  -1.1921401405860912e-09, 2.4836745438024785e-09,
        -5.1834750419700466e-09, 1.0838659214896955e-08,  -2.2711094608943164e-08, 4.7698101693639811e-08,
        -1.00432248239681e-07,   2.1207184805554667e-07,  -4.4924691987645662e-07, 9.5514121304074194e-07,
        -2.0392157538013662e-06, 4.3748667899074873e-06,  -9.439488275268395e-06,  2.0507212775670694e-05,
        -4.4926236738133142e-05, 9.9457512781808531e-05,  -0.00022315475845357936, 0.00050966952474304245,
        -0.001192753911703261,   0.0028905103307415234,   -0.0073855510286739857,  0.020580808427784546,
        -0.067352301053198102,   0.3224670334241132,      0.42278433509846714 };
    return op_mul(b, z, horner(b, z, COUNT(c), c));
}

/* lgamma(1 + z), z >= 0, to full accuracy also for small z */
ir_id op_lgamma1p64(ir_build *b, ir_id z)
{
    const ir_id small = special_less(b, z, 0.5), s = op_select(b, small, z, op_num(b, z, 0));
    return op_select(b, small, op_sub(b, lgamma_from_2(b, s), op_log1p(b, s)), op_lgamma64(b, special_plus(b, z, 1)));
}

ir_id op_lgamma64(ir_build *b, ir_id x)
{
    const ir_id reflect = special_less(b, x, 0.5), z = sum_at(b, x, reflect), log_t = log_shift(b, z),
        zero = op_num(b, x, 0);
    ir_id sum = op_num(b, x, lanczos_base);
    for (int k = 0; k < COUNT(lanczos); k++)
        sum = op_add(b, sum, op_div(b, op_num(b, x, lanczos[k]), special_plus(b, z, k + 1)));
    const ir_id power = op_mul(b, op_sub(b, special_plus(b, z, 0.5), op_div(b, special_plus(b, z, 7.5), log_t)), log_t);
    const ir_id y = op_add(b, special_plus(b, power, 0.91893853320467274178), op_log(b, sum));
    const ir_id a = op_abs(b, x), rest = op_sub(b, a, op_floor(b, a));   /* log |sin pi x| from the fraction */
    const ir_id part = op_select(b, special_above(b, 0.5, rest), op_sub(b, op_num(b, x, 1), rest), rest);
    const ir_id angle = special_times(b, op_select(b, reflect, part, op_num(b, x, 0.5)), M_PI);
    const ir_id below = op_sub(b, op_sub(b, op_num(b, x, 1.1447298858494002), op_log(b, op_sin(b, angle))), y);
    const ir_id near = op_and(b, op_not(b, reflect), special_less(b, x, 2.5)), first = special_less(b, x, 1.5);
    const ir_id off = op_select(b, near, op_sub(b, x, op_select(b, first, op_num(b, x, 1), op_num(b, x, 2))), zero);
    const ir_id from_1 = op_log1p(b, op_select(b, first, off, zero)), by_power = op_sub(b, lgamma_from_2(b, off),
        from_1);
    const ir_id right = op_select(b, near, by_power, y), inf = op_num(b, x, HUGE_VAL);
    return op_select(b, op_equal(b, a, inf), inf, op_select(b, reflect, below, right));
}

ir_id op_digamma64(ir_build *b, ir_id x)
{
    const ir_id reflect = special_less(b, x, 0.5), z = sum_at(b, x, reflect);
    ir_id sum = op_num(b, x, lanczos_base), slope = op_num(b, x, 0);
    for (int k = 0; k < COUNT(lanczos); k++) {
        const ir_id d = special_plus(b, z, k + 1), c = op_num(b, x, lanczos[k]);
        sum = op_add(b, sum, op_div(b, c, d));
        slope = op_sub(b, slope, op_div(b, c, op_mul(b, d, d)));
    }
    const ir_id smooth = op_add(b, log_shift(b, z), op_div(b, slope, sum));
    const ir_id y = op_sub(b, smooth, op_div(b, op_num(b, x, 7), special_plus(b, z, 7.5)));
    /* x less the nearest integer */
    const ir_id rest = op_sub(b, x, op_floor(b, special_plus(b, x, 0.5)));
    const ir_id angle = special_times(b, op_select(b, reflect, rest, op_num(b, x, 0.25)), M_PI);
    const ir_id below = op_sub(b, y, op_div(b, special_times(b, op_cos(b, angle), M_PI), op_sin(b, angle)));
    const ir_id pole = op_and(b, op_compare(b, OP_CMP_LE, x, op_num(b, x, 0)), special_is_integer(b, x));
    const ir_id at_pole = op_select(b, special_is(b, x, 0), op_num(b, x, -HUGE_VAL), op_num(b, x, (double)NAN));
    return op_select(b, pole, at_pole, op_select(b, reflect, below, y));
}

/* ---- zeta(x, q) = sum of (q + k)^-x over k >= 0, polygamma ---- */

/* For q > 0; with a = q + 10: a^-x (a / (x - 1) + 1/2 + sum of B_2j / (2j)! x (x + 1) .. (x + 2j - 2) a^(1 - 2j)). */
static ir_id zeta_above(ir_build *b, ir_id x, ir_id q)
{
    static const double over[] = { 12, -720, 30240, -1209600, 47900160, -1307674368000. / 691, 74724249600.,
                                   -10670622842880000. / 3617, 5109094217170944000. / 43867,
                                   -802857662698291200000. / 174611, 14101100039391805440000. / 77683 };
    enum { TERMS = 10 };
    const ir_id down = op_neg(b, x), one = op_num(b, x, 1);
    ir_id sum = op_pow(b, q, down);
    for (int k = 1; k < TERMS; k++) sum = op_add(b, sum, op_pow(b, special_plus(b, q, k), down));
    const ir_id a = special_plus(b, q, TERMS), last = op_pow(b, a, down);
    const ir_id under = op_select(b, special_is(b, x, 1), one, special_plus(b, x, -1)), square = op_mul(b, a, a);
    ir_id term = op_div(b, x, a), rest = special_times(b, term, 1 / over[0]);
    for (int j = 1; j < COUNT(over); j++) {
        term = op_div(b, op_mul(b, term, op_mul(b, special_plus(b, x, 2 * j - 1), special_plus(b, x, 2 * j))), square);
        rest = op_add(b, rest, special_times(b, term, 1 / over[j]));
    }
    const ir_id tail = op_mul(b, last, op_add(b, special_plus(b, op_div(b, a, under), 0.5), rest));
    return op_select(b, special_is(b, last, 0), sum, op_add(b, sum, tail));
}

/* For q < 0 the terms below 0 are those of zeta(x, u) to zeta(x, 1 - q), with signs, where u = ceil(q) - q; the others
 * are zeta(x, q - floor(q)). */
ir_id op_zeta64(ir_build *b, ir_id x, ir_id q)
{
    const ir_id one = op_num(b, x, 1), nan = op_num(b, x, (double)NAN), inf = op_num(b, x, HUGE_VAL),
        pole = special_is(b, x, 1);
    const ir_id left = op_compare(b, OP_CMP_LE, q, op_num(b, q, 0)),
        even = special_is_integer(b, special_times(b, x, 0.5)),
        below = op_and(b, left, op_not(b, special_is_integer(b, q)));
    const ir_id first = op_select(b, below, op_sub(b, op_ceil(b, q), q), one),
        past = op_select(b, below, op_sub(b, one, q), one);
    const ir_id above = zeta_above(b, x, op_select(b, below, op_sub(b, q, op_floor(b, q)), q));
    const ir_id size = op_sub(b, zeta_above(b, x, first), zeta_above(b, x, past));
    const ir_id signed_size = op_select(b, even, size, op_neg(b, size));
    const ir_id y = op_select(b, below, op_add(b, above, signed_size), above);
    const ir_id poles = op_select(b, even, inf, nan), some = op_select(b, special_is_integer(b, x), y, nan);
    const ir_id known = op_select(b, left, op_select(b, special_is_integer(b, q), poles, some), y);
    return op_select(b, pole, inf, op_select(b, special_less(b, x, 1), nan, known));
}

/* (-1)^(n + 1) n! zeta(n + 1, x); digamma for n = 0; NaN if n is not an integer >= 0. */
ir_id op_polygamma64(ir_build *b, ir_id n, ir_id x)
{
    const ir_id some = op_and(b, special_is_integer(b, n), special_above(b, 0.5, n)),
        m = op_select(b, some, n, op_num(b, n, 1));
    const ir_id size = op_mul(b, op_exp(b, op_lgamma64(b, special_plus(b, m, 1))),
        op_zeta64(b, special_plus(b, m, 1), x));
    const ir_id y = op_select(b, special_is_integer(b, special_times(b, m, 0.5)), op_neg(b, size), size);
    const ir_id other = op_select(b, special_is(b, n, 0), op_digamma64(b, x), op_num(b, x, (double)NAN));
    return op_select(b, some, y, other);
}

/* ---- e^-|x| I0(x), e^-|x| I1(x) ---- */

/* order 0: sum (x^2/4)^k / k!^2; order 1: x/2 times sum (x^2/4)^k / (k! (k + 1)!). Beyond 18: Hankel's series. */
static ir_id bessel(ir_build *b, ir_id x, int order)
{
    enum { NEAR = 18, TERMS = 48, FAR_TERMS = 30 };
    const ir_id a = op_abs(b, x), n = op_min(b, a, op_num(b, a, NEAR)), f = op_max(b, a, op_num(b, a, NEAR));
    const ir_id q = special_times(b, op_mul(b, n, n), 0.25);
    ir_id near = op_num(b, x, 1), far = op_num(b, x, 1);
    for (int k = TERMS; k > 0; k--) near = special_plus(b, special_times(b, op_mul(b, near, q),
        1 / ((double)k * (k + order))), 1);
    for (int k = FAR_TERMS; k > 0; k--) {
        const double odd = 2 * k - 1;
        far = special_plus(b, special_times(b, op_div(b, far, f), -(4.0 * order * order - odd * odd) / (8.0 * k)), 1);
    }
    near = op_mul(b, near, op_exp(b, op_neg(b, n)));
    if (order) near = op_mul(b, near, special_times(b, n, 0.5));
    const ir_id is_far = special_above(b, NEAR, a), tail = op_div(b, far, op_sqrt(b, special_times(b, f, 2 * M_PI)));
    const ir_id y = op_select(b, is_far, tail, near);
    const ir_id turned = order ? op_select(b, special_less(b, x, 0), op_neg(b, y), y) : y;
    return op_select(b, op_compare(b, OP_CMP_NE, x, x), x, turned);
}

ir_id op_i0e64(ir_build *b, ir_id x) { return bessel(b, x, 0); }
ir_id op_i1e64(ir_build *b, ir_id x) { return bessel(b, x, 1); }
