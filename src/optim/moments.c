/* optim/moments.c - parts with moving averages: Adam and relatives, Lion, RMS, Adadelta, momentum, with optax's
 * formulas.
 *
 * Adam: Kingma and Ba, 2014; Nesterov's step ahead: Dozat, 2016; AMSGrad: Reddi and others, 2018; RAdam: Liu and
 * others, 2019; Lion: Chen and others, 2023; Adadelta: Zeiler, 2012; RMSprop: Hinton's lecture; Adagrad: Duchi and
 * others, 2011. g is a leaf's current update; t counts from 1.
 */
#include "optim.h"

/* converted to the type in which the moment is stored */
static tt_val stored(const optim_step *s, tt_val moment, const optim_part *p, int i)
{
    return tt_cast_at(s->site, moment, tt_dtype_of_at(s->site, p->f[0][i]));
}

/* b times the first moment. If the moment is stored with fewer bits, b is rounded to that type, and the product is not
 * rounded, as in XLA. */
static tt_val faded(const optim_step *s, const optim_part *p, int i, double b)
{
    const tt_val m = p->f[0][i];
    const tt_dtype own = tt_dtype_of_at(s->site, m), wide = tt_dtype_of_at(s->site, s->u[i]);
    if (own == wide) return tt_mul_at(s->site, m, tt_f(b));
    const tt_val by = tt_cast_at(s->site, tt_cast_at(s->site, tt_f(b), own), wide);
    return tt_mul_at(s->site, tt_cast_at(s->site, m, wide), by);
}

/* ---- Adam: k = b1, b2, eps, eps_root, nesterov; s = 1 - b1^t, 1 - b2^t, 1 - b1^(t+1) ---- */

static void adam_begin(optim_step *s, optim_part *p)
{
    p->s[0] = optim_unbias(s, p->k[0], s->t);
    p->s[1] = optim_unbias(s, p->k[1], s->t);
    p->s[2] = optim_unbias(s, p->k[0], tt_add_at(s->site, s->t, tt_f(1)));
}

typedef struct { tt_val m, v; } both;                    /* of this step: bias-corrected moments */

static tt_val as_type(const optim_step *s, tt_val v, tt_val of)  /* corrections are computed in the moment's type */
{
    return tt_cast_at(s->site, v, tt_dtype_of_at(s->site, of));
}

static both adam_moments(optim_step *s, optim_part *p, int i)
{
    const tt_val g = s->u[i], b1 = tt_f(p->k[0]), a1 = tt_f(1 - p->k[0]), b2 = tt_f(p->k[1]), a2 = tt_f(1 - p->k[1]);
    const tt_val m = F("a1*g + old", a1, g, faded(s, p, i, p->k[0])), v = F("a2*(g*g) + b2*v", a2, g, b2, p->f[1][i]);
    const tt_val now = as_type(s, p->s[0], m), next = as_type(s, p->s[2], m), square = as_type(s, p->s[1], v);
    p->f[0][i] = stored(s, m, p, i);
    p->f[1][i] = v;
    const tt_val mean = p->k[5] != 0 ? F("(m/next)*b1 + (g/now)*a1", m, next, b1, g, now, a1) : F("m/now", m, now);
    return (both){ mean, F("v/square", v, square) };
}

static tt_val ratio(optim_step *s, const optim_part *p, tt_val m, tt_val v)      /* m / (sqrt(v + eps_root) + eps) */
{
    const tt_val eps = tt_f(p->k[2]), root = tt_f(p->k[3]);
    return p->k[3] != 0 ? F("m/(sqrt(v + root) + eps)", m, v, root, eps) : F("m/(sqrt(v) + eps)", m, v, eps);
}

static void adam(optim_step *s, optim_part *p, int i)
{
    const both now = adam_moments(s, p, i);
    s->u[i] = ratio(s, p, now.m, now.v);
}

static void amsgrad(optim_step *s, optim_part *p, int i)
{
    const both now = adam_moments(s, p, i);
    p->f[2][i] = tt_max_at(s->site, p->f[2][i], now.v);
    s->u[i] = ratio(s, p, now.m, p->f[2][i]);
}

/* k[4]: the length of the average from which on the variance is used; s[3]: the present length */
static void radam_begin(optim_step *s, optim_part *p)
{
    const tt_val longest = tt_f(2 / (1 - p->k[1]) - 1), two = tt_f(2), t = s->t;
    adam_begin(s, p);
    const tt_val power = tt_sub_at(s->site, tt_f(1), p->s[1]), rest = p->s[1];
    p->s[3] = F("longest - two*t*power/rest", longest, two, t, power, rest);
}

static void radam(optim_step *s, optim_part *p, int i)
{
    const double longest = 2 / (1 - p->k[1]) - 1;
    const both now = adam_moments(s, p, i);
    const tt_val n = p->s[3], enough = tt_compare_at(s->site, 5, n, tt_f(p->k[4]));
    const tt_val safe = tt_where_at(s->site, enough, n, tt_f(p->k[4]));
    const tt_val by = tt_f(longest / ((longest - 4) * (longest - 2)));
    const tt_val r = F("sqrt((n - 4)*(n - 2)*by/n)", safe, by);
    s->u[i] = tt_where_at(s->site, enough, tt_mul_at(s->site, r, ratio(s, p, now.m, now.v)), now.m);
}

/* k = b1, b2, eps: v = max(|g| + eps, b2 v) */
static void adamax(optim_step *s, optim_part *p, int i)
{
    const tt_val g = s->u[i], b1 = tt_f(p->k[0]), a1 = tt_f(1 - p->k[0]), b2 = tt_f(p->k[1]), eps = tt_f(p->k[2]);
    const tt_val m = p->f[0][i] = F("a1*g + b1*m", a1, g, b1, p->f[0][i]);
    const tt_val v = p->f[1][i] = tt_max_at(s->site, F("abs(g) + eps", g, eps), F("b2*v", b2, p->f[1][i]));
    s->u[i] = F("m/now/v", m, p->s[0], v);
}

/* k = b1, b2 */
static void lion(optim_step *s, optim_part *p, int i)
{
    const tt_val g = s->u[i], a1 = tt_f(1 - p->k[0]), a2 = tt_f(1 - p->k[1]), next = faded(s, p, i, p->k[1]);
    s->u[i] = F("sign(a1*g + old)", a1, g, faded(s, p, i, p->k[0]));
    p->f[0][i] = stored(s, F("a2*g + old", a2, g, next), p, i);
}

/* ---- RMS: k = decay, eps, initial_scale, eps_in_sqrt, bias_correction ---- */

static double initial(const optim_part *p, int f) { return f == 0 ? p->k[2] : 0; }

static void rms_begin(optim_step *s, optim_part *p) { p->s[0] = optim_unbias(s, p->k[0], s->t); }

static tt_val square_mean(optim_step *s, optim_part *p, int i)
{
    const tt_val g = s->u[i], b = tt_f(p->k[0]), a = tt_f(1 - p->k[0]);
    const tt_val v = p->f[0][i] = F("a*(g*g) + b*v", a, g, b, p->f[0][i]);
    return p->k[4] != 0 ? F("v/now", v, p->s[0]) : v;
}

static tt_val over_root(optim_step *s, const optim_part *p, tt_val g, tt_val v)
{
    const tt_val eps = tt_f(p->k[1]);
    return p->k[3] != 0 ? F("g*rsqrt(v + eps)", g, v, eps) : F("g/(sqrt(v) + eps)", g, v, eps);
}

static void rms(optim_step *s, optim_part *p, int i) { s->u[i] = over_root(s, p, s->u[i], square_mean(s, p, i)); }

static void stddev(optim_step *s, optim_part *p, int i)
{
    const tt_val g = s->u[i], b = tt_f(p->k[0]), a = tt_f(1 - p->k[0]), v = square_mean(s, p, i);
    tt_val m = p->f[1][i] = F("a*g + b*m", a, g, b, p->f[1][i]);
    if (p->k[4] != 0) m = F("m/now", m, p->s[0]);
    s->u[i] = over_root(s, p, g, F("v - m*m", v, m));
}

/* k = initial_accumulator_value, eps */
static double moments_first(const optim_part *p, int f) { return f == 0 ? p->k[0] : 0; }
static void rss(optim_step *s, optim_part *p, int i)
{
    const tt_val g = s->u[i], eps = tt_f(p->k[1]), sum = p->f[0][i] = F("g*g + sum", g, p->f[0][i]);
    const tt_val some = tt_compare_at(s->site, 4, sum, tt_f(0));
    s->u[i] = tt_mul_at(s->site, g, tt_where_at(s->site, some, F("rsqrt(sum + eps)", sum, eps), tt_f(0)));
}

/* k = rho, eps */
static void adadelta(optim_step *s, optim_part *p, int i)
{
    const tt_val g = s->u[i], b = tt_f(p->k[0]), a = tt_f(1 - p->k[0]), eps = tt_f(p->k[1]);
    const tt_val v = p->f[0][i] = F("a*(g*g) + b*v", a, g, b, p->f[0][i]), x = p->f[1][i];
    const tt_val d = s->u[i] = F("sqrt(x + eps)/sqrt(v + eps)*g", x, eps, v, g);
    p->f[1][i] = F("a*(d*d) + b*x", a, d, b, x);
}

/* ---- momentum: k = decay, nesterov; ema: k = decay, debias ---- */

static void trace(optim_step *s, optim_part *p, int i)
{
    const tt_val g = s->u[i], b = tt_f(p->k[0]), m = F("g + old", g, faded(s, p, i, p->k[0]));
    s->u[i] = p->k[1] != 0 ? F("g + m*b", g, m, b) : m;
    p->f[0][i] = stored(s, m, p, i);
}

static void ema(optim_step *s, optim_part *p, int i)
{
    const tt_val a = tt_f(1 - p->k[0]), m = F("a*g + old", a, s->u[i], faded(s, p, i, p->k[0]));
    s->u[i] = p->k[1] != 0 ? F("m/now", m, p->s[0]) : m;
    p->f[0][i] = stored(s, m, p, i);
}

#define ADAM "b1=0.9 b2=0.999 eps=1e-8 eps_root=0"
#define RMS "decay=0.9 eps=1e-8 initial_scale=0 eps_in_sqrt?=1 bias_correction?=0"
const optim_rule optim_moments[] = {
    { "scale_by_adam", ADAM " mu_dtype nesterov?=0", "mu nu", COUNTS, adam_begin, adam, NULL, NULL },
    { "scale_by_amsgrad", ADAM " mu_dtype", "mu nu nu_max", COUNTS, adam_begin, amsgrad, NULL, NULL },
    { "scale_by_radam", ADAM " threshold=5 nesterov?=0", "mu nu", COUNTS, radam_begin, radam, NULL, NULL },
    { "scale_by_adamax", "b1=0.9 b2=0.999 eps=1e-8", "mu nu", COUNTS, adam_begin, adamax, NULL, NULL },
    { "scale_by_lion", "b1=0.9 b2=0.99 mu_dtype", "mu", COUNTS, NULL, lion, NULL, NULL },
    { "scale_by_rms", RMS, "nu", COUNTS, rms_begin, rms, initial, NULL },
    { "scale_by_stddev", RMS, "nu mu", COUNTS, rms_begin, stddev, initial, NULL },
    { "scale_by_rss", "initial_accumulator_value=0.1 eps=1e-7", "sum_of_squares", 0, NULL, rss, moments_first, NULL },
    { "scale_by_adadelta", "rho=0.9 eps=1e-6", "e_g e_x", 0, NULL, adadelta, NULL, NULL },
    { "trace", "decay=0.9 nesterov?=0 mu_dtype", "trace", LINEAR, NULL, trace, NULL, NULL },
    { "ema", "decay=0.9 debias?=1 mu_dtype", "ema", COUNTS | LINEAR, rms_begin, ema, NULL, NULL },
    { NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL },
};
