/* num/entropy.c - products with logarithms that are 0 where the factor is 0, as in jax.scipy.special: xlogy and related
 * products, entropies, logit, Box and Cox's transforms. The derivatives of these functions are written out, so that a
 * logarithm of 0 whose factor is 0 gives no NaN. */
#include "num.h"

#include <math.h>

/* The caller's site, for every operation below. */
static _Thread_local const char *caller;
#undef TT_AT
#define TT_AT(text) ((void)sizeof(text), caller)

/* True if the shapes broadcast; else sets the error, which names the types that were given. */
static bool entropy_broadcast(const char *site, const char *what, tt_val x, tt_val y)
{
    const int n = tt_rank_at(site, x), m = tt_rank_at(site, y);
    for (int i = 1; i <= n && i <= m; i++) {
        const int64_t a = tt_dim_at(site, x, n - i), b = tt_dim_at(site, y, m - i);
        if (a == b || a == 1 || b == 1) continue;
        tt_fail_at(site, TT_ESHAPE, "%s: shapes do not broadcast: %s and %s", what, tt_type_text_at(site, x),
                   tt_type_text_at(site, y));
        tt_hint("dims are compared from the last; they must be equal, or one of them 1");
        return false;
    }
    return tt_ok();
}

/* Makes the operands of a real function floats of one type. Returns false with the error set. */
static bool entropy_operands(const char *site, const char *what, tt_val *x, tt_val *y)
{
    caller = site;
    if (!tt_ok() || !num_real_only(site, what, *x) || (y && !num_real_only(site, what, *y))) return false;
    if (y && !entropy_broadcast(site, what, *x, *y)) return false;
    if (y) num_reals(site, x, y);
    else *x = num_real(site, *x);
    return tt_ok();
}

/* x f(y), where log is f(y); 0 where x is 0 and y is not NaN. */
static tt_val product(tt_val x, tt_val y, tt_val log)
{
    const tt_val counts = tt_or(tt_ne(x, tt_f(0)), tt_ne(y, y));
    return tt_where(counts, tt_mul(x, log), tt_f(0));
}
static tt_val xlogy_value(void *env, int n, const tt_val *v)
{
    (void)n;
    caller = *(const char **)env;
    return product(v[0], v[1], tt_log(v[1]));
}
static tt_val xlogy_tangent(void *env, int n, const tt_val *v) /* log y dx + x/y dy */
{
    (void)n;
    caller = *(const char **)env;
    const tt_val x = tt_item(v[0], 0), y = tt_item(v[0], 1), dx = tt_item(v[2], 0), dy = tt_item(v[2], 1);
    return tt_add(tt_mul(tt_log(y), dx), tt_mul(tt_div(x, y), dy));
}
static tt_val xlog1py_value(void *env, int n, const tt_val *v)
{
    (void)n;
    caller = *(const char **)env;
    return product(v[0], v[1], tt_log1p(v[1]));
}
static tt_val xlog1py_tangent(void *env, int n, const tt_val *v)
{
    (void)n;
    caller = *(const char **)env;
    const tt_val x = tt_item(v[0], 0), y = tt_item(v[0], 1), dx = tt_item(v[2], 0), dy = tt_item(v[2], 1);
    return tt_add(tt_mul(tt_log1p(y), dx), tt_mul(tt_div(x, tt_add(tt_f(1), y)), dy));
}

/* Gives both operands all dims of the result, as a custom rule's tangents require. */
static void entropy_spread(tt_val v[2])
{
    const tt_val both = tt_mul(tt_add(v[0], v[1]), tt_f(0)), yes = tt_ge(tt_f(1), tt_f(0));
    for (int i = 0; i < 2; i++) v[i] = tt_where(yes, v[i], tt_stop_gradient(both));
}

tt_val tt_xlogy_at(const char *site, tt_val x, tt_val y)
{
    TT_ENTRY(site);
    if (!entropy_operands(site, "xlogy", &x, &y)) return tt_poison;
    tt_val v[] = { x, y };
    entropy_spread(v);
    return num_ruled(site, "xlogy", xlogy_value, xlogy_tangent, 2, v);
}
tt_val tt_xlog1py_at(const char *site, tt_val x, tt_val y)
{
    TT_ENTRY(site);
    if (!entropy_operands(site, "xlog1py", &x, &y)) return tt_poison;
    tt_val v[] = { x, y };
    entropy_spread(v);
    return num_ruled(site, "xlog1py", xlog1py_value, xlog1py_tangent, 2, v);
}

static tt_val xlogx_value(void *env, int n, const tt_val *v)
{
    (void)n;
    caller = *(const char **)env;
    return product(v[0], v[0], tt_log(v[0]));
}
static tt_val xlogx_tangent(void *env, int n, const tt_val *v) /* (log x + 1) dx */
{
    (void)n;
    caller = *(const char **)env;
    return tt_mul(tt_add(tt_log(tt_item(v[0], 0)), tt_f(1)), tt_item(v[2], 0));
}

tt_val tt_entr_at(const char *site, tt_val x)
{
    TT_ENTRY(site);
    if (!entropy_operands(site, "entr", &x, NULL)) return tt_poison;
    const tt_val y = tt_neg(num_ruled(site, "entr", xlogx_value, xlogx_tangent, 1, &x));
    caller = site;
    return tt_where(tt_lt(x, tt_f(0)), tt_f(-(double)INFINITY), y);
}

tt_val tt_rel_entr_at(const char *site, tt_val p, tt_val q)
{
    TT_ENTRY(site);
    if (!entropy_operands(site, "rel_entr", &p, &q)) return tt_poison;
    const tt_val zero = tt_f(0), both = tt_and(tt_gt(p, zero), tt_gt(q, zero));
    const tt_val none = tt_and(tt_eq(p, zero), tt_ge(q, zero));
    const tt_val safe_p = tt_where(both, p, tt_f(1)), safe_q = tt_where(both, q, tt_f(1));
    const tt_val y = tt_mul(safe_p, tt_sub(tt_log(safe_p), tt_log(safe_q)));
    return tt_where(both, y, tt_where(none, zero, tt_f((double)INFINITY)));
}

tt_val tt_kl_div_at(const char *site, tt_val p, tt_val q)
{
    TT_ENTRY(site);
    if (!entropy_operands(site, "kl_div", &p, &q)) return tt_poison;
    const tt_val y = tt_rel_entr_at(site, p, q);
    return tt_add(tt_sub(y, p), q);
}

static tt_val logit_value(void *env, int n, const tt_val *v)
{
    (void)n;
    caller = *(const char **)env;
    return tt_log(tt_div(v[0], tt_sub(tt_f(1), v[0])));
}
static tt_val logit_tangent(void *env, int n, const tt_val *v) /* dx / (x (1 - x)) */
{
    (void)n;
    caller = *(const char **)env;
    const tt_val x = tt_item(v[0], 0);
    return tt_div(tt_item(v[2], 0), tt_mul(x, tt_sub(tt_f(1), x)));
}
tt_val tt_logit_at(const char *site, tt_val x)
{
    TT_ENTRY(site);
    if (!entropy_operands(site, "logit", &x, NULL)) return tt_poison;
    return num_ruled(site, "logit", logit_value, logit_tangent, 1, &x);
}
tt_val tt_expit_at(const char *site, tt_val x)
{
    TT_ENTRY(site);
    if (!entropy_operands(site, "expit", &x, NULL)) return tt_poison;
    return tt_logistic_at(site, x);
}

/* expm1(k log x) / k; where k is 0, its limit. */
static tt_val boxcox(tt_val log, tt_val k)
{
    const tt_val none = tt_eq(k, tt_f(0)), safe = tt_where(none, tt_f(1), k);
    return tt_where(none, log, tt_div(tt_expm1(tt_mul(safe, log)), safe));
}
tt_val tt_boxcox_at(const char *site, tt_val x, tt_val k)
{
    TT_ENTRY(site);
    if (!entropy_operands(site, "boxcox", &x, &k)) return tt_poison;
    return boxcox(tt_log(x), k);
}
tt_val tt_boxcox1p_at(const char *site, tt_val x, tt_val k)
{
    TT_ENTRY(site);
    if (!entropy_operands(site, "boxcox1p", &x, &k)) return tt_poison;
    return boxcox(tt_log1p(x), k);
}
