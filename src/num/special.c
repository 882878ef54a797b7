/* num/special.c - erfc, the gamma functions, scaled Bessel functions, ndtri: computed in float64 and rounded once.
 *
 * erfc: 1 - erf near 0, e^(-x^2) P(x) / Q(x) beyond 1 (Cephes). lgamma, digamma: Lanczos's sum, g = 7, reflected below
 * 1/2. igamma: the series where x < a + 1, else the continued fraction by Lentz's method. Bessel: the power series up
 * to 18, the asymptotic one beyond. ndtri: Wichura's AS241. Where two forms meet, each gets operands at which it is
 * finite.
 */
#include <tutti.h>

#include <math.h>

/* Every operation below stands at the caller's site. */
static _Thread_local const char *caller;
#undef TT_AT
#define TT_AT(text) ((void)sizeof(text), caller)

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))
typedef tt_val special(tt_val);                          /* of float64 */

static tt_val wide(const char *site, tt_val x, special *f)
{
    const tt_dtype d = tt_dtype_of(x), back = d < TT_F16 ? TT_F32 : d;
    if (tt_ok() && d > TT_F64) return tt_fail_at(site, TT_ETYPE, "%s: of real numbers only", tt_type_text(x));
    caller = site;
    return tt_cast_at(site, f(tt_cast_at(site, x, TT_F64)), back);
}

static tt_val num(double v) { return tt_f(v); }
static tt_val plus(tt_val x, double v) { return tt_add(x, num(v)); }
static tt_val times(tt_val x, double v) { return tt_mul(x, num(v)); }
static tt_val less(tt_val a, double b) { return tt_lt(a, num(b)); }
static tt_val within(tt_val x, double lo, double hi) { return tt_min(tt_max(x, num(lo)), num(hi)); }
static tt_val horner(tt_val x, int n, const double *c)   /* highest degree first */
{
    tt_val y = num(c[0]);
    for (int i = 1; i < n; i++) y = plus(tt_mul(y, x), c[i]);
    return y;
}

/* ---- erfc ---- */

static tt_val erfc64(tt_val x)
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
    const tt_val a = tt_abs(x), near = within(a, 1, 8), far = within(a, 8, 28), is_far = tt_lt(num(8), a);
    const tt_val e = tt_exp(tt_neg(tt_where(is_far, tt_mul(far, far), tt_mul(near, near))));
    const tt_val ratio = tt_where(is_far, tt_div(horner(far, COUNT(s), s), horner(far, COUNT(t), t)),
                                  tt_div(horner(near, COUNT(p), p), horner(near, COUNT(q), q)));
    const tt_val tail = tt_mul(e, ratio), out = tt_where(less(x, 0), tt_sub(num(2), tail), tail);
    const tt_val y = tt_where(tt_lt(num(1), a), out, tt_sub(num(1), tt_erf(within(x, -1, 1))));
    return tt_where(tt_ne(x, x), x, y);
}

tt_val tt_erfc_at(const char *site, tt_val x) { return wide(site, x, erfc64); }

/* ---- lgamma, digamma ---- */

static const double lanczos[] = { 676.520368121885098567009190444019, -1259.13921672240287047156078755283,
                                  771.3234287776530788486528258894,    -176.61502916214059906584551354,
                                  12.507343278686904814458936853,      -0.13857109526572011689554707,
                                  9.984369578019570859563e-6,          1.50563273514931155834e-7 };
static const double lanczos_base = 0.99999999999980993227684700473478;

/* The argument that the sum takes: x - 1, or -x below 1/2. */
static tt_val sum_at(tt_val x, tt_val reflect) { return tt_where(reflect, tt_neg(x), plus(x, -1)); }
static tt_val log_shift(tt_val z) { return plus(tt_log1p(times(z, 1 / 7.5)), 2.0149030205422647); }    /* ln(z + 7.5) */

static tt_val lgamma64(tt_val x)
{
    const tt_val reflect = less(x, 0.5), z = sum_at(x, reflect), log_t = log_shift(z), inf = num(HUGE_VAL);
    tt_val sum = num(lanczos_base);
    for (int k = 0; k < COUNT(lanczos); k++) sum = tt_add(sum, tt_div(num(lanczos[k]), plus(z, k + 1)));
    const tt_val power = tt_mul(tt_sub(plus(z, 0.5), tt_div(plus(z, 7.5), log_t)), log_t);
    const tt_val y = tt_add(plus(power, 0.91893853320467274178), tt_log(sum));
    const tt_val a = tt_abs(x), rest = tt_sub(a, tt_floor(a));           /* log |sin pi x| from the fraction */
    const tt_val part = tt_where(tt_lt(num(0.5), rest), tt_sub(num(1), rest), rest);
    const tt_val angle = times(tt_where(reflect, part, num(0.5)), M_PI);
    const tt_val below = tt_sub(tt_sub(num(1.1447298858494002), tt_log(tt_sin(angle))), y);
    return tt_where(tt_eq(a, inf), inf, tt_where(reflect, below, y));
}

static tt_val digamma64(tt_val x)
{
    const tt_val reflect = less(x, 0.5), z = sum_at(x, reflect);
    tt_val sum = num(lanczos_base), slope = num(0);
    for (int k = 0; k < COUNT(lanczos); k++) {
        const tt_val d = plus(z, k + 1), c = num(lanczos[k]);
        sum = tt_add(sum, tt_div(c, d));
        slope = tt_sub(slope, tt_div(c, tt_mul(d, d)));
    }
    const tt_val y = tt_sub(tt_add(log_shift(z), tt_div(slope, sum)), tt_div(num(7), plus(z, 7.5)));
    const tt_val rest = tt_sub(x, tt_floor(plus(x, 0.5)));               /* the nearest whole number taken away */
    const tt_val angle = times(tt_where(reflect, rest, num(0.25)), M_PI);
    const tt_val below = tt_sub(y, tt_div(times(tt_cos(angle), M_PI), tt_sin(angle)));
    const tt_val pole = tt_and(tt_le(x, num(0)), tt_eq(x, tt_floor(x)));
    return tt_where(pole, num(NAN), tt_where(reflect, below, y));
}

tt_val tt_lgamma_at(const char *site, tt_val x) { return wide(site, x, lgamma64); }
tt_val tt_digamma_at(const char *site, tt_val x) { return wide(site, x, digamma64); }

/* ---- the incomplete gamma functions: loops until nothing changes ---- */

static tt_val moving(tt_val s)                           /* (step, ..., changes): are there any changes left? */
{
    return tt_and(tt_lt(tt_item(s, 0), num(20000)), tt_any(tt_item(s, tt_items(s) - 1)));
}

/* (n, a, x, term, sum, changes): sum of x^n / (a (a + 1) ... (a + n)) */
static tt_val series_step(tt_val s)
{
    const tt_val n = plus(tt_item(s, 0), 1), a = tt_item(s, 1), x = tt_item(s, 2);
    const tt_val term = tt_div(tt_mul(tt_item(s, 3), x), tt_add(a, n)), sum = tt_add(tt_item(s, 4), term);
    return tt_tuple(n, a, x, term, sum, tt_lt(times(sum, 1e-17), term));
}

/* (n, a, b, c, d, h, changes): h = 1/(b -) 1 (1 - a)/(b + 2 -) 2 (2 - a)/(b + 4 -) ..., b = x + 1 - a */
static tt_val fraction_step(tt_val s)
{
    const tt_val n = plus(tt_item(s, 0), 1), a = tt_item(s, 1), b = plus(tt_item(s, 2), 2), tiny = num(1e-300);
    const tt_val by = tt_mul(n, tt_sub(a, n)), raw = tt_add(tt_mul(by, tt_item(s, 4)), b);
    const tt_val d = tt_div(num(1), tt_where(less(tt_abs(raw), 1e-300), tiny, raw));
    const tt_val next = tt_add(b, tt_div(by, tt_item(s, 3))), c = tt_where(less(tt_abs(next), 1e-300), tiny, next);
    const tt_val factor = tt_mul(c, d), h = tt_mul(tt_item(s, 5), factor);
    return tt_tuple(n, a, b, c, d, h, tt_lt(num(1e-15), tt_abs(plus(factor, -1))));
}

/* Both from whichever form converges; outside a > 0, x >= 0: NaN. */
static tt_val gamma_part(const char *site, tt_val a, tt_val x, bool upper)
{
    const tt_dtype d = tt_dtype_of(tt_add_at(site, a, x)), back = d < TT_F16 ? TT_F32 : d;
    caller = site;
    a = tt_cast_at(site, a, TT_F64), x = tt_cast_at(site, x, TT_F64);
    const tt_val zero = tt_mul(tt_add(a, x), num(0)), fine = tt_and(tt_lt(num(0), a), tt_le(num(0), x));
    const tt_val one = plus(tt_where(fine, zero, num(0)), 1), low = tt_lt(x, plus(a, 1)), inf = tt_eq(x, num(HUGE_VAL));
    a = tt_mul(tt_where(fine, a, num(1)), one), x = tt_mul(tt_where(tt_and(fine, tt_not(inf)), x, num(1)), one);
    const tt_val log_scale = tt_sub(tt_sub(tt_mul(a, tt_log(x)), x), lgamma64(a)), scale = tt_exp(log_scale);
    const tt_val xs = tt_where(low, x, one), first = tt_div(one, a), any = tt_lt(num(0), one);
    const tt_val sum = tt_while(moving, series_step, tt_tuple(tt_cast(num(0), TT_F64), a, xs, first, first, any));
    const tt_val far = tt_where(low, plus(a, 2), x), b = plus(tt_sub(far, a), 1), d0 = tt_div(one, b);
    const tt_val start = tt_tuple(tt_cast(num(0), TT_F64), a, b, times(one, 1e300), d0, d0, any);
    const tt_val part = tt_while(moving, fraction_step, start);
    const tt_val p = tt_mul(tt_item(sum, 4), scale), q = tt_mul(tt_item(part, 5), scale);
    const tt_val other = tt_sub(num(1), upper ? p : q), own = upper ? q : p;
    const tt_val y = upper ? tt_where(low, other, own) : tt_where(low, own, other);
    return tt_cast_at(site, tt_where(fine, tt_where(inf, num(upper ? 0 : 1), y), num(NAN)), back);
}

tt_val tt_igamma_at(const char *site, tt_val a, tt_val x) { return gamma_part(site, a, x, false); }
tt_val tt_igammac_at(const char *site, tt_val a, tt_val x) { return gamma_part(site, a, x, true); }

/* ---- e^-|x| I0(x), e^-|x| I1(x) ---- */

/* order 0: sum (x^2/4)^k / k!^2; order 1: x/2 times sum (x^2/4)^k / (k! (k + 1)!). Beyond 18: Hankel's series. */
static tt_val bessel(tt_val x, int order)
{
    enum { NEAR = 18, TERMS = 48, FAR_TERMS = 30 };
    const tt_val a = tt_abs(x), n = tt_min(a, num(NEAR)), f = tt_max(a, num(NEAR)), q = times(tt_mul(n, n), 0.25);
    tt_val near = num(1), far = num(1);
    for (int k = TERMS; k > 0; k--) near = plus(times(tt_mul(near, q), 1 / ((double)k * (k + order))), 1);
    for (int k = FAR_TERMS; k > 0; k--) {
        const double odd = 2 * k - 1;
        far = plus(times(tt_div(far, f), -(4.0 * order * order - odd * odd) / (8.0 * k)), 1);
    }
    near = tt_mul(near, tt_exp(tt_neg(n)));
    if (order) near = tt_mul(near, times(n, 0.5));
    const tt_val y = tt_where(tt_le(a, num(NEAR)), near, tt_div(far, tt_sqrt(times(f, 2 * M_PI))));
    return tt_where(tt_ne(x, x), x, order ? tt_where(less(x, 0), tt_neg(y), y) : y);
}
static tt_val i0e64(tt_val x) { return bessel(x, 0); }
static tt_val i1e64(tt_val x) { return bessel(x, 1); }

tt_val tt_bessel_i0e_at(const char *site, tt_val x) { return wide(site, x, i0e64); }
tt_val tt_bessel_i1e_at(const char *site, tt_val x) { return wide(site, x, i1e64); }

/* ---- the inverse of the normal distribution function ---- */

static tt_val ndtri64(tt_val p)
{
    static const double a[] = { 2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4,
                                4.5921953931549871457e4, 1.3731693765509461125e4, 1.9715909503065514427e3,
                                1.3314166789178437745e2, 3.3871328727963666080e0 };
    static const double b[] = { 5.2264952788528545610e3, 2.8729085735721942674e4, 3.9307895800092710610e4,
                                2.1213794301586595867e4, 5.3941960214247511077e3, 6.8718700749205790830e2,
                                4.2313330701600911252e1, 1 };
    static const double c[] = { 7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1,
                                1.27045825245236838258e0, 3.64784832476320460504e0, 5.76949722146069140550e0,
                                4.63033784615654529590e0, 1.42343711074968357734e0 };
    static const double d[] = { 1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2,
                                1.48103976427480074590e-1, 6.89767334985100004550e-1, 1.67638483018380384940e0,
                                2.05319162663775882187e0, 1 };
    static const double e[] = { 2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3,
                                2.65321895265761230930e-2, 2.96560571828504891230e-1, 1.78482653991729133580e0,
                                5.46378491116411436990e0, 6.65790464350110377720e0 };
    static const double f[] = { 2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5,
                                7.86869131145613259100e-4, 1.48753612908506148525e-2, 1.36929880922735805310e-1,
                                5.99832206555887937690e-1, 1 };
    const tt_val q = plus(p, -0.5), middle = tt_le(tt_abs(q), num(0.425));
    const tt_val r = tt_sub(num(0.180625), tt_mul(tt_where(middle, q, num(0)), tt_where(middle, q, num(0))));
    const tt_val near = tt_div(tt_mul(q, horner(r, COUNT(a), a)), horner(r, COUNT(b), b));
    const tt_val side = tt_where(less(q, 0), p, tt_sub(num(1), p)), safe = within(side, 1e-320, 0.25);
    const tt_val s = tt_sqrt(tt_neg(tt_log(safe)));
    const tt_val mild = within(plus(s, -1.6), -1, 3.4), wild = within(plus(s, -5), 0, 40);
    const tt_val tail = tt_where(tt_le(s, num(5)), tt_div(horner(mild, COUNT(c), c), horner(mild, COUNT(d), d)),
                                 tt_div(horner(wild, COUNT(e), e), horner(wild, COUNT(f), f)));
    const tt_val y = tt_where(middle, near, tt_where(less(q, 0), tt_neg(tail), tail)), inf = num(HUGE_VAL);
    const tt_val ends = tt_where(tt_eq(p, num(0)), tt_neg(inf), tt_where(tt_eq(p, num(1)), inf, y));
    return tt_where(tt_and(tt_le(num(0), p), tt_le(p, num(1))), ends, num(NAN));
}

tt_val tt_ndtri_at(const char *site, tt_val p) { return wide(site, p, ndtri64); }
