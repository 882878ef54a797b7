/* num/special.c - ndtri, computed in float64 and rounded once: Wichura's AS241. Where two forms meet, each gets
 * operands at which it is finite. Other special functions are primitives (op/special/special.c,
 * op/special/special_loops.c). */
#include <tutti.h>

#include <math.h>

/* The caller's site, for every operation below. */
static _Thread_local const char *caller;
#undef TT_AT
#define TT_AT(text) ((void)sizeof(text), caller)

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))
typedef tt_val special(tt_val);                          /* of float64 */

static tt_val special_wide(const char *site, tt_val x, special *f)
{
    const tt_dtype d = tt_dtype_of_at(site, x), back = d < TT_F16 ? TT_F32 : d;
    if (!tt_ok()) return tt_poison;
    if (d > TT_F64)
        return tt_fail_at(site, TT_ETYPE, "a special function of %s; expected real numbers", tt_type_text_at(site, x));
    caller = site;
    return tt_cast_at(site, f(tt_cast_at(site, x, TT_F64)), back);
}

static tt_val special_num(double v) { return tt_f(v); }
static tt_val special_plus(tt_val x, double v) { return tt_add(x, special_num(v)); }
static tt_val special_less(tt_val a, double b) { return tt_lt(a, special_num(b)); }
static tt_val special_within(tt_val x, double lo, double hi) { return tt_min(tt_max(x, special_num(lo)),
    special_num(hi)); }
static tt_val horner(tt_val x, int n, const double *c)   /* highest degree first */
{
    tt_val y = special_num(c[0]);
    for (int i = 1; i < n; i++) y = special_plus(tt_mul(y, x), c[i]);
    return y;
}

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
    const tt_val q = special_plus(p, -0.5), middle = tt_le(tt_abs(q), special_num(0.425));
    const tt_val r = tt_sub(special_num(0.180625), tt_mul(tt_where(middle, q, special_num(0)),
        tt_where(middle, q, special_num(0))));
    const tt_val near = tt_div(tt_mul(q, horner(r, COUNT(a), a)), horner(r, COUNT(b), b));
    const tt_val side = tt_where(special_less(q, 0), p, tt_sub(special_num(1), p)),
        safe = special_within(side, 1e-320, 0.25);
    const tt_val s = tt_sqrt(tt_neg(tt_log(safe)));
    const tt_val mild = special_within(special_plus(s, -1.6), -1, 3.4),
        wild = special_within(special_plus(s, -5), 0, 40);
    const tt_val tail = tt_where(tt_le(s, special_num(5)), tt_div(horner(mild, COUNT(c), c), horner(mild, COUNT(d), d)),
                                 tt_div(horner(wild, COUNT(e), e), horner(wild, COUNT(f), f)));
    const tt_val y = tt_where(middle, near, tt_where(special_less(q, 0), tt_neg(tail), tail)),
        inf = special_num(HUGE_VAL);
    const tt_val ends = tt_where(tt_eq(p, special_num(0)), tt_neg(inf), tt_where(tt_eq(p, special_num(1)), inf, y));
    return tt_where(tt_and(tt_le(special_num(0), p), tt_le(p, special_num(1))), ends, special_num(NAN));
}

static tt_val ndtri_value(void *env, int n, const tt_val *v)
{
    caller = *(const char **)env;
    (void)n;
    return ndtri64(*v);
}

/* sqrt(2 pi) e^(y^2/2) dx: infinite at 0 and 1, and NaN outside, as y is. */
static tt_val ndtri_tangent(void *env, int n, const tt_val *v)
{
    caller = *(const char **)env;
    (void)n;
    const tt_val slope = tt_exp(tt_mul(special_num(0.5), tt_mul(v[1], v[1])));
    return tt_mul(tt_mul(special_num(2.50662827463100050242), slope), tt_item(v[2], 0));
}

static tt_val ndtri_ruled(tt_val p)
{
    const char *site = caller;
    const tt_fn y = tt_bind_env_at(NULL, "ndtri", ndtri_value, &site, sizeof site, 1);
    const tt_fn dy = tt_bind_env_at(NULL, "ndtri", ndtri_tangent, &site, sizeof site, 3);
    return tt_call_n(site, tt_custom_tangent_at(site, y, dy), 1, &p);
}

tt_val tt_ndtri_at(const char *site, tt_val p)
{
    TT_ENTRY(site);
    return special_wide(site, p, ndtri_ruled);
}
