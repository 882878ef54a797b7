/* num/special.c - the incomplete gamma functions and ndtri: computed in float64 and rounded once.
 *
 * igamma: the series where x < a + 1, else the continued fraction by Lentz's method. ndtri: Wichura's AS241. Where
 * two forms meet, each gets operands at which it is finite. Special functions without loops are primitives
 * (op/special.c). */
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
    const tt_val log_scale = tt_sub(tt_sub(tt_mul(a, tt_log(x)), x), tt_lgamma(a)), scale = tt_exp(log_scale);
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
