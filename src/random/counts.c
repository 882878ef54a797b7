/* random/counts.c - draws of counts: Poisson, binomial, multinomial, geometric, with jax.random's formulas.
 *
 * - Poisson: below a rate of 10 Knuth's product of uniform numbers, else Hoermann's transformed rejection, "The
 *   transformed rejection method for generating Poisson random variables", 1993.
 * - Binomial: up to a mean of 10 sums of geometric gaps, else Hoermann's BTRS, "The generation of binomial random
 *   variates", 1993.
 *
 * All elements share the loop's keys, and a loop ends when its last element is accepted. */
#include "random.h"

#include <math.h>

/* The caller's site, for every operation below. */
static _Thread_local const char *caller;
#undef TT_AT
#define TT_AT(text) ((void)sizeof(text), caller)

static tt_val counts_formula(const char *formula, const char *names, const tt_val *v)
{
    return tt_formula_at(caller, formula, names, v);
}
#define C(formula, names, ...) counts_formula(formula, names, TT_LIST(tt_val, __VA_ARGS__, tt_end))

static tt_val counts_any(tt_val v) { return tt_any(v); }
static tt_val counts_uniform(tt_val key, tt_val like)
{
    const random_dims shape = random_shape(caller, like);
    return tt_uniform_at(caller, key, tt_dtype_of_at(caller, like), shape.d);
}
/* x everywhere, with like's dims and layout */
static tt_val counts_full(tt_val like, double x) { return tt_where(tt_lt(like, like), like, tt_f(x)); }
static tt_val counts_not_yet(tt_val like) { return tt_lt(like, like); } /* false everywhere */

/* ---- Poisson ---- */

/* state (k, key, log of the product, lam) */
static tt_val knuth_more(tt_val s) { return counts_any(tt_gt(tt_item(s, 2), tt_neg(tt_item(s, 3)))); }
static tt_val knuth_next(tt_val s)
{
    const tt_val k = tt_item(s, 0), product = tt_item(s, 2), lam = tt_item(s, 3);
    const tt_val keys = tt_split_at(caller, tt_item(s, 1), 2), more = tt_gt(product, tt_neg(lam));
    const tt_val u = counts_uniform(random_key(caller, keys, 1), lam);
    return tt_tuple(tt_where(more, tt_add(k, tt_f(1)), k), random_key(caller, keys, 0), tt_add(product, tt_log(u)),
                    lam);
}

static tt_val knuth(tt_val key, tt_val lam)
{
    const tt_val zero = counts_full(lam, 0);
    const tt_val end = tt_while_at(caller, TT_FN(knuth_more), TT_FN(knuth_next), tt_tuple(zero, key, zero, lam));
    return tt_sub(tt_item(end, 0), tt_f(1));
}

/* log (k - 1)! for k >= 1, by Lanczos's approximation in k's own type, as XLA computes it: where lam is large, the
 * acceptance test depends on the last bits. */
static tt_val counts_lgamma(tt_val k)
{
    static const double c[] = { 676.520368121885098567009190444019, -1259.13921672240287047156078755283,
                                771.3234287776530788486528258894,   -176.61502916214059906584551354,
                                12.507343278686904814458936853,     -0.13857109526572011689554707,
                                9.984369578019570859563e-6,         1.50563273514931155834e-7 };
    const tt_val z = tt_sub(k, tt_f(1)), t = tt_add(z, tt_f(7.5));
    tt_val sum = tt_f(0.99999999999980993227684700473478);
    for (int i = 0; i < 8; i++) sum = tt_add(sum, tt_div(tt_f(c[i]), tt_add(z, tt_f(i + 1))));
    const tt_val log_t = tt_add(tt_f(2.01490302054226464), tt_log1p(tt_div(z, tt_f(7.5))));
    const tt_val part = C("z + 0.5 - t/l", "z, t, l", z, t, log_t), root = counts_full(part, 0.91893853320467274178);
    return tt_add(tt_fma(part, log_t, root), tt_log(sum));
}

/* state (k, accepted, key, lam) */
static tt_val counts_unaccepted(tt_val s) { return counts_any(tt_not(tt_item(s, 1))); }
static tt_val rejection_next(tt_val s)
{
    const tt_val lam = tt_item(s, 3), keys = tt_split_at(caller, tt_item(s, 2), 3);
    const tt_val b = C("0.931 + 2.53*sqrt(lam)", "lam", lam), a = C("0.02483*b - 0.059", "b", b);
    const tt_val inverse = C("1.1239 + 1.1328/(b - 3.4)", "b", b), top = C("0.9277 - 3.6224/(b - 2)", "b", b);
    const tt_val u = tt_sub(counts_uniform(random_key(caller, keys, 1), lam), tt_f(0.5));
    const tt_val v = counts_uniform(random_key(caller, keys, 2), lam), near = tt_sub(tt_f(0.5), tt_abs(u));
    const tt_val wide = C("2*a/near + b", "a, near, b", a, near, b),
                 k = tt_floor(tt_add(tt_fma(wide, u, lam), tt_f(0.43)));
    const tt_val left = C("log(v*inverse/(a/(near*near) + b))", "v, inverse, a, near, b", v, inverse, a, near, b);
    const tt_val right = tt_sub(tt_fma(k, tt_log(lam), tt_neg(lam)), counts_lgamma(tt_add(k, tt_f(1))));
    const tt_val quick = tt_and(tt_ge(near, tt_f(0.07)), tt_le(v, top));
    const tt_val outside = tt_or(tt_lt(k, tt_f(0)), tt_and(tt_lt(near, tt_f(0.013)), tt_gt(v, near)));
    const tt_val taken = tt_or(quick, tt_and(tt_not(outside), tt_le(left, right)));
    return tt_tuple(tt_where(taken, k, tt_item(s, 0)), tt_or(tt_item(s, 1), taken), random_key(caller, keys, 0), lam);
}

static tt_val rejection(tt_val key, tt_val lam)
{
    const tt_val start = tt_tuple(counts_full(lam, -1), counts_not_yet(lam), key, lam);
    return tt_item(tt_while_at(caller, TT_FN(counts_unaccepted), TT_FN(rejection_next), start), 0);
}

static tt_val counts_poisson(const char *site, tt_val key, tt_dtype d, const tt_val *p, const int64_t *dims)
{
    (void)dims;
    caller = site;
    const tt_val lam = p[0], few = tt_or(tt_ne(lam, lam), tt_lt(lam, tt_f(10))), zero = counts_full(lam, 0);
    const tt_val small = knuth(key, tt_where(few, lam, tt_f(0))), large = rejection(key, tt_where(few, tt_f(1e5), lam));
    return tt_cast_at(caller, tt_where(tt_eq(lam, tt_f(0)), tt_mul(zero, small), tt_where(few, small, large)), d);
}

tt_val tt_poisson_at(const char *site, tt_val key, tt_dtype d, tt_val lam, const int64_t *dims)
{
    TT_ENTRY(site);
    if (!random_is_integer(site, "poisson", d)) return tt_poison;
    return random_drawn_by(site, "poisson", counts_poisson, key, d, TT_F32, 1, &lam, dims);
}

/* ---- binomial ---- */

/* state (number of gaps, their sum, key, count, log(1 - p)) */
static tt_val inversion_more(tt_val s) { return counts_any(tt_le(tt_item(s, 1), tt_item(s, 3))); }
static tt_val inversion_next(tt_val s)
{
    const tt_val n = tt_item(s, 0), sum = tt_item(s, 1), count = tt_item(s, 3), by = tt_item(s, 4);
    const tt_val keys = tt_split_at(caller, tt_item(s, 2), 2);
    const tt_val gap = tt_ceil(tt_div(tt_log(counts_uniform(random_key(caller, keys, 0), by)), by));
    return tt_tuple(tt_where(tt_le(sum, count), tt_add(n, tt_f(1)), n), tt_add(sum, gap), random_key(caller, keys, 1),
                    count, by);
}

static tt_val inversion(tt_val key, tt_val count, tt_val p)
{
    const tt_val zero = tt_mul(p, tt_f(0));
    const tt_val start = tt_tuple(zero, zero, key, count, tt_log1p(tt_neg(p)));
    const tt_val end = tt_while_at(caller, TT_FN(inversion_more), TT_FN(inversion_next), start);
    return tt_sub(tt_item(end, 0), tt_f(1));
}

static tt_val stirling(tt_val k) /* log k! - (k + 1/2) log(k + 1) + k + 1 - log sqrt(2 pi) */
{
    static const double small[] = { 0.0810614667953272,  0.0413406959554092, 0.0276779256849983, 0.02079067210376509,
                                    0.0166446911898211,  0.0138761288230707, 0.0118967099458917, 0.0104112652619720,
                                    0.00925546218271273, 0.00833056343336287 };
    const tt_dtype d = tt_dtype_of_at(caller, k);
    const tt_val few = tt_le(k, tt_f(9)), at = tt_clamp(random_real(caller, d, 0), k, random_real(caller, d, 9));
    const tt_val rest = C("(1/12 - (1/360 - 1/1260/(m*m))/(m*m))/m", "m", tt_add(at, tt_f(1)));
    const tt_val values = tt_cast_at(caller, tt_array_at(caller, TT_F64, small, random_dims1(10).d), d);
    const tt_take_opts inside = { .size = sizeof inside, .mode = "promise_in_bounds" };
    return tt_where(few, tt_take_at(caller, values, tt_cast_at(caller, tt_floor(at), TT_I32), 0, &inside), rest);
}

/* The logarithm of the ratio of the probabilities of k and of the mode m. */
static tt_val btrs_bound(tt_val k, tt_val count, tt_val p)
{
    const tt_val m = tt_floor(C("(n + 1)*p", "n, p", count, p)), r = C("p/(1 - p)", "p", p);
    const tt_val first = C("(m + 0.5)*log((m + 1)/(r*(n - m + 1)))", "m, r, n", m, r, count);
    const tt_val second = C("(n + 1)*log((n - m + 1)/(n - k + 1))", "n, m, k", count, m, k);
    const tt_val third = C("(k + 0.5)*log(r*(n - k + 1)/(k + 1))", "k, r, n", k, r, count);
    const tt_val tails[] = { stirling(m), stirling(tt_sub(count, m)), stirling(k), stirling(tt_sub(count, k)) };
    tt_val sum = tt_add(tt_add(first, second), third);
    for (int i = 0; i < 4; i++) sum = i < 2 ? tt_add(sum, tails[i]) : tt_sub(sum, tails[i]);
    return sum;
}

/* state (k, accepted, key, count, p) */
static tt_val btrs_next(tt_val s)
{
    const tt_val count = tt_item(s, 3), p = tt_item(s, 4), keys = tt_split_at(caller, tt_item(s, 2), 3);
    const tt_val wide = C("sqrt(n*p*(1 - p))", "n, p", count, p), b = C("1.15 + 2.53*wide", "wide", wide);
    const tt_val a = C("0.0248*b - 0.0873 + 0.01*p", "b, p", b, p), c = C("n*p + 0.5", "n, p", count, p);
    const tt_val u = tt_sub(counts_uniform(random_key(caller, keys, 1), p), tt_f(0.5));
    const tt_val v = counts_uniform(random_key(caller, keys, 2), p), near = tt_sub(tt_f(0.5), tt_abs(u));
    const tt_val quick = tt_and(tt_ge(near, tt_f(0.07)), tt_le(v, C("0.92 - 4.2/b", "b", b)));
    const tt_val k = tt_floor(C("(2*a/near + b)*u + c", "a, near, b, u, c", a, near, b, u, c));
    const tt_val outside = tt_or(tt_lt(k, tt_f(0)), tt_gt(k, count)),
                 alpha = C("(2.83 + 5.1/b)*wide", "b, wide", b, wide);
    const tt_val height = C("log(v*alpha/(a/(near*near) + b))", "v, alpha, a, near, b", v, alpha, a, near, b);
    const tt_val taken = tt_or(quick, tt_and(tt_not(outside), tt_le(height, btrs_bound(k, count, p))));
    return tt_tuple(tt_where(taken, k, tt_item(s, 0)), tt_or(tt_item(s, 1), taken), random_key(caller, keys, 0), count,
                    p);
}

static tt_val btrs(tt_val key, tt_val count, tt_val p)
{
    const tt_val start = tt_tuple(counts_full(p, -1), counts_not_yet(p), key, count, p);
    return tt_item(tt_while_at(caller, TT_FN(counts_unaccepted), TT_FN(btrs_next), start), 0);
}

static tt_val counts_binomial(const char *site, tt_val key, tt_dtype d, const tt_val *v, const int64_t *dims)
{
    (void)dims;
    caller = site;
    const tt_val n = v[0], p = v[1], small = tt_lt(p, tt_f(0.5)), given = tt_where(small, p, tt_sub(tt_f(1), p));
    const tt_val wrong = tt_or(tt_ne(n, n), tt_lt(n, tt_f(0))),
                 no_p = tt_or(tt_ne(given, given), tt_lt(given, tt_f(0)));
    const tt_val q = tt_where(no_p, tt_f(0.01), given), few = tt_or(wrong, tt_le(tt_mul(n, q), tt_f(10)));
    const tt_val whole = tt_floor(n), endless = tt_isinf(n), invalid = tt_or(no_p, wrong);
    const tt_val by_gaps = inversion(key, tt_where(few, whole, tt_f(0)), q);
    const tt_val by_btrs = btrs(key, tt_where(few, tt_f(1e4), whole), tt_where(few, tt_f(0.5), q));
    tt_val y = tt_cast_at(caller, tt_where(few, by_gaps, by_btrs), d);
    y = tt_where(invalid, tt_f(NAN), y);
    y = tt_where(tt_and(endless, tt_not(invalid)), tt_f(INFINITY), y);
    const tt_val kept = tt_or(tt_or(small, wrong), tt_or(tt_ne(given, given), endless));
    return tt_where(kept, y, tt_sub(tt_cast_at(caller, whole, d), y));
}

/* The float type in which JAX computes with probabilities of p's type. */
static tt_dtype counts_float(const char *site, tt_val p)
{
    const tt_dtype d = tt_rank_at(site, p) < 0 ? TT_F32 : tt_dtype_of_at(site, p);
    return tt_dtype_kind(d) == 'f' ? d : tt_config_value("x64") ? TT_F64 : TT_F32;
}

tt_val tt_binomial_at(const char *site, tt_val key, tt_dtype d, tt_val n, tt_val p, const int64_t *dims)
{
    TT_ENTRY(site);
    if (!random_is_float(site, "binomial", d) || !tt_ok()) return tt_poison;
    const tt_val both[] = { n, p };
    return random_drawn_by(site, "binomial", counts_binomial, key, d, counts_float(site, p), 2, both, dims);
}

/* ---- multinomial: the outcomes one after the other, each binomial of the remaining trials ---- */

typedef struct {
    const char *site;
    int64_t dtype;
} trials;
static tt_val multinomial_next(void *env, int n, const tt_val *v) /* the remaining trials, (ratio, key) */
{
    const trials *t = env;
    (void)n;
    caller = t->site;
    const tt_val ratio = tt_item(v[1], 0),
                 both[] = { v[0], tt_clamp(tt_mul(ratio, tt_f(0)), ratio, counts_full(ratio, 1)) };
    const random_dims shape = random_shape(caller, v[0]);
    const tt_val count = counts_binomial(caller, tt_item(v[1], 1), (tt_dtype)t->dtype, both, shape.d);
    return tt_tuple(tt_sub(v[0], count), count);
}

static tt_val counts_multinomial(const char *site, tt_val key, tt_dtype d, const tt_val *v, const int64_t *dims)
{
    (void)dims;
    caller = site;
    const tt_cum_opts backward = { .size = sizeof backward, .reverse = 1 };
    const tt_scan_opts usual = { .size = sizeof usual };
    trials t = { site, tt_dtype_of_at(site, v[0]) };
    const tt_val p = tt_moveaxis(v[1], -1, 0), left = tt_cumsum_at(site, p, 0, &backward);
    const tt_val ratios = tt_div(p, tt_where(tt_eq(left, tt_f(0)), tt_f(1), left));
    const tt_val xs = tt_tuple(ratios, tt_split_at(site, key, tt_dim_at(site, p, 0)));
    const tt_val end =
        tt_scan_at(site, tt_bind_env_at(NULL, "multinomial", multinomial_next, &t, sizeof t, 2), v[0], xs, &usual);
    return tt_cast_at(site, tt_moveaxis(tt_item(end, 1), 0, -1), d);
}

tt_val tt_multinomial_at(const char *site, tt_val key, tt_dtype d, tt_val n, tt_val p, const int64_t *dims)
{
    TT_ENTRY(site);
    random_dims shape;
    const tt_val both[] = { n, p };
    if (!random_is_float(site, "multinomial", d) || !tt_ok()) return tt_poison;
    if (tt_rank_at(site, p) < 1)
        return tt_fail_at(site, TT_ESHAPE, "multinomial: probabilities %s; expected a vector, or a batch of them",
                          tt_type_text_at(site, p));
    if (!random_dims_by(site, "multinomial", dims, 2, both, (const int[]){ 0, 1 }, &shape)) return tt_poison;
    const tt_dtype as = counts_float(site, p);
    const int rank = random_rank(shape.d);
    const tt_val trials = tt_broadcast_at(site, tt_cast_at(site, n, as), shape.d);
    shape.d[rank] = tt_dim_at(site, p, -1);
    shape.d[rank + 1] = TT_DIM_END;
    const tt_val v[] = { trials, tt_broadcast_at(site, tt_cast_at(site, p, as), shape.d) };
    return random_compiled(site, "multinomial", counts_multinomial, key, d, 2, v, shape.d);
}

/* ---- geometric: 1 + floor(log u / log(1 - p)) ---- */

static tt_val counts_geometric(const char *site, tt_val key, tt_dtype d, const tt_val *v, const int64_t *dims)
{
    caller = site;
    const tt_val u = tt_uniform_at(site, key, tt_dtype_of_at(site, v[0]), dims);
    const tt_val safe = tt_where(tt_eq(u, tt_f(0)), tt_f(1), u);
    return tt_cast_at(site, tt_add(tt_floor(tt_div(tt_log(safe), tt_log1p(tt_neg(v[0])))), tt_f(1)), d);
}

tt_val tt_geometric_at(const char *site, tt_val key, tt_dtype d, tt_val p, const int64_t *dims)
{
    TT_ENTRY(site);
    if (!random_is_integer(site, "geometric", d) || !tt_ok()) return tt_poison;
    return random_drawn_by(site, "geometric", counts_geometric, key, d, counts_float(site, p), 1, &p, dims);
}
