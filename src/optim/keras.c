/* optim/keras.c - Keras 3's optimizers, whose formulas differ from optax's: epsilon outside the bias correction,
 * momentum that includes the rate, weight decay by the rate before the step. Each is one part, with the rate.
 *
 * Keys begin with learning_rate and weight_decay: k[0], k[1]; s[0] is the rate of the step.
 */
#include "optim.h"

static void keras_begin(optim_step *s, optim_part *p) { p->s[0] = optim_rate(s, p, "learning_rate"); }

/* Sets the update of a leaf to -`by`, plus its weight decay. */
static void keras_taken(optim_step *s, const optim_part *p, int i, tt_val by)
{
    if (p->k[1] == 0) s->u[i] = tt_neg_at(s->site, by);
    else s->u[i] = F("-(w*(decay*rate)) - by", s->p[i], tt_f(p->k[1]), p->s[0], by);
}

/* k[2..5] = beta_1, beta_2, epsilon, amsgrad; alpha = rate sqrt(1 - b2^t) / (1 - b1^t) */
static void adam_begin(optim_step *s, optim_part *p)
{
    keras_begin(s, p);
    const tt_val rate = p->s[0], c1 = optim_unbias(s, p->k[2], s->t), c2 = optim_unbias(s, p->k[3], s->t);
    p->s[1] = F("rate*sqrt(c2)/c1", rate, c2, c1);
}

static void adam(optim_step *s, optim_part *p, int i)
{
    const tt_val g = s->u[i], a1 = tt_f(1 - p->k[2]), a2 = tt_f(1 - p->k[3]), eps = tt_f(p->k[4]);
    const tt_val m = p->f[0][i] = F("m + (g - m)*a1", p->f[0][i], g, a1);
    tt_val v = p->f[1][i] = F("v + (g*g - v)*a2", p->f[1][i], g, a2);
    if (*p->field[2]) v = p->f[2][i] = tt_max_at(s->site, p->f[2][i], v);
    keras_taken(s, p, i, F("m*alpha/(sqrt(v) + eps)", m, p->s[1], v, eps));
}

/* k[2] = momentum, k[3] = nesterov */
static void sgd(optim_step *s, optim_part *p, int i)
{
    const tt_val by = F("g*rate", s->u[i], p->s[0]), k = tt_f(p->k[2]);
    const tt_val m = p->f[0][i] = F("m*k - by", p->f[0][i], k, by);
    keras_taken(s, p, i, p->k[3] != 0 ? F("by - m*k", by, m, k) : tt_neg_at(s->site, m));
}
static void keras_plain_update(optim_step *s, optim_part *p, int i) { keras_taken(s, p, i,
    F("g*rate", s->u[i], p->s[0])); }

/* k[2..4] = rho, epsilon, momentum */
static tt_val rms(optim_step *s, optim_part *p, int i, int mean)
{
    const tt_val g = s->u[i], b = tt_f(p->k[2]), a = tt_f(1 - p->k[2]), eps = tt_f(p->k[3]), rate = p->s[0];
    const tt_val v = p->f[0][i] = F("b*v + a*(g*g)", b, p->f[0][i], a, g);
    tt_val down = F("v + eps", v, eps);
    if (mean) {
        const tt_val m = p->f[mean][i] = F("b*m + a*g", b, p->f[mean][i], a, g);
        down = F("down - m*m", down, m);
    }
    return F("rate*g/sqrt(down)", rate, g, down);
}
static tt_val pushed(optim_step *s, optim_part *p, int i, tt_val by)     /* momentum of the updates, field 1 */
{
    return p->f[1][i] = F("k*m + by", tt_f(p->k[4]), p->f[1][i], by);
}
static void rmsprop(optim_step *s, optim_part *p, int i) { keras_taken(s, p, i, rms(s, p, i, 0)); }
static void rms_centred(optim_step *s, optim_part *p, int i) { keras_taken(s, p, i, rms(s, p, i, 1)); }
static void rms_pushed(optim_step *s, optim_part *p, int i) { keras_taken(s, p, i, pushed(s, p, i, rms(s, p, i, 0))); }
static void rms_both(optim_step *s, optim_part *p, int i) { keras_taken(s, p, i, pushed(s, p, i, rms(s, p, i, 2))); }

/* k[2], k[3] = initial_accumulator_value, epsilon */
static double initial(const optim_part *p, int f) { return f == 0 ? p->k[2] : 0; }
static void adagrad(optim_step *s, optim_part *p, int i)
{
    const tt_val g = s->u[i], sum = p->f[0][i] = F("sum + g*g", p->f[0][i], g);
    keras_taken(s, p, i, F("rate*g/sqrt(sum + eps)", p->s[0], g, sum, tt_f(p->k[3])));
}

/* k[2], k[3] = beta_1, beta_2 */
static void lion(optim_step *s, optim_part *p, int i)
{
    const tt_val g = s->u[i], m = p->f[0][i], b1 = tt_f(p->k[2]), a1 = tt_f(1 - p->k[2]);
    p->f[0][i] = F("m*b2 + g*a2", m, tt_f(p->k[3]), g, tt_f(1 - p->k[3]));
    keras_taken(s, p, i, F("rate*sign(m*b1 + g*a1)", p->s[0], m, b1, g, a1));
}

/* k[2], k[3] = rho, epsilon; fields: means of squares of gradients, and of steps */
static void adadelta(optim_step *s, optim_part *p, int i)
{
    const tt_val g = s->u[i], b = tt_f(p->k[2]), a = tt_f(1 - p->k[2]), eps = tt_f(p->k[3]), x = p->f[1][i];
    const tt_val v = p->f[0][i] = F("b*v + a*(g*g)", b, p->f[0][i], a, g);
    const tt_val by = F("sqrt(x + eps)*g/sqrt(v + eps)", x, eps, g, v);
    p->f[1][i] = F("b*x + a*(by*by)", b, x, a, by);
    keras_taken(s, p, i, F("rate*by", p->s[0], by));
}

/* k[2..4] = beta_1, beta_2, epsilon; s[1], s[2] = 1 - b1^t, 1 - b2^t */
static void unbiased(optim_step *s, optim_part *p)
{
    keras_begin(s, p);
    p->s[1] = optim_unbias(s, p->k[2], s->t);
    p->s[2] = optim_unbias(s, p->k[3], s->t);
}
static void adamax(optim_step *s, optim_part *p, int i)
{
    const tt_val g = s->u[i], eps = tt_f(p->k[4]);
    const tt_val m = p->f[0][i] = F("m + (g - m)*a1", p->f[0][i], g, tt_f(1 - p->k[2]));
    const tt_val faded = F("b2*u", tt_f(p->k[3]), p->f[1][i]);
    const tt_val u = p->f[1][i] = tt_max_at(s->site, faded, tt_abs_at(s->site, g));
    keras_taken(s, p, i, F("rate*m/(c1*(u + eps))", p->s[0], m, p->s[1], u, eps));
}

/* beta_1 of this step, u = beta_1 (1 - 0.96^t / 2), of the next step, and the product of all so far: s[1..3]. */
static void nadam_begin(optim_step *s, optim_part *p)
{
    const tt_val b1 = tt_f(p->k[2]), next = tt_add_at(s->site, s->t, tt_f(1));
    const tt_val was = tt_get_at(s->site, *s->state, p->number);
    keras_begin(s, p);
    p->s[1] = F("b1*(1 - 0.5*now)", b1, tt_pow_at(s->site, tt_f(0.96), s->t));
    p->s[2] = F("b1*(1 - 0.5*then)", b1, tt_pow_at(s->site, tt_f(0.96), next));
    p->s[3] = F("was*u", was, p->s[1]);
    *s->state = tt_set_at(s->site, *s->state, p->number, p->s[3]);
}
static void nadam(optim_step *s, optim_part *p, int i)
{
    const tt_val g = s->u[i], u = p->s[1], then = p->s[2], all = p->s[3];
    /* computed from float32 numbers, only here */
    const tt_val a1 = tt_f(1 - (float)p->k[2]), a2 = tt_f(1 - (float)p->k[3]);
    const tt_val m = p->f[0][i] = F("m + (g - m)*a1", p->f[0][i], g, a1);
    const tt_val v = p->f[1][i] = F("v + (g*g - v)*a2", p->f[1][i], g, a2);
    const tt_val ahead = F("then*m/(1 - all*then) + (1 - u)*g/(1 - all)", then, m, all, u, g);
    const tt_val square = F("v/c2", v, optim_unbias(s, p->k[3], s->t));
    keras_taken(s, p, i, F("ahead*rate/(sqrt(square) + eps)", ahead, p->s[0], square, tt_f(p->k[4])));
}

/* The leaf after its weight decay, which Keras applies first. */
static tt_val decayed(optim_step *s, const optim_part *p, int i)
{
    return p->k[1] == 0 ? s->p[i] : F("w - w*(decay*rate)", s->p[i], tt_f(p->k[1]), p->s[0]);
}
static tt_val length(optim_step *s, tt_val v)
{
    const tt_reduce_opts all = { .size = sizeof all };
    return tt_sqrt_at(s->site, tt_sum_at(s->site, F("v*v", v), &all));
}
static void lamb(optim_step *s, optim_part *p, int i)
{
    const tt_val g = s->u[i], a1 = tt_f(1 - p->k[2]), a2 = tt_f(1 - p->k[3]), eps = tt_f(p->k[4]);
    const tt_val m = p->f[0][i] = F("m + (g - m)*a1", p->f[0][i], g, a1);
    const tt_val v = p->f[1][i] = F("v + (g*g - v)*a2", p->f[1][i], g, a2);
    const tt_val by = F("m/c1/(sqrt(v/c2) + eps)", m, p->s[1], v, p->s[2], eps);
    const tt_val w = length(s, decayed(s, p, i)), d = length(s, by), none = tt_f(0);
    const tt_val some = tt_and_at(s->site, tt_compare_at(s->site, 4, w, none), tt_compare_at(s->site, 4, d, none));
    const tt_val trust = tt_where_at(s->site, some, F("w/d", w, d), tt_f(1));
    keras_taken(s, p, i, F("trust*rate*by", trust, p->s[0], by));
}

/* k[2..7] = learning_rate_power, initial_accumulator_value, l1, l2, l2_shrinkage, beta: the leaf is recomputed from the
 * sum of squares and the linear term. */
static double ftrl_start(const optim_part *p, int f) { return f == 0 ? p->k[3] : 0; }
static void ftrl(optim_step *s, optim_part *p, int i)
{
    const tt_val g = s->u[i], w = decayed(s, p, i), power = tt_f(-p->k[2]), rate = p->s[0], l1 = tt_f(p->k[4]);
    const tt_val was = tt_pow_at(s->site, p->f[0][i], power), sum = p->f[0][i] = F("sum + g*g", p->f[0][i], g);
    const tt_val now = tt_pow_at(s->site, sum, power), h = F("g + twice*w", g, tt_f(2 * p->k[6]), w);
    const tt_val z = p->f[1][i] = F("z + (h - (now - was)/rate*w)", p->f[1][i], h, now, was, rate, w);
    const tt_val square = F("now/rate + 2*(l2 + beta/(2*rate))", now, rate, tt_f(p->k[5]), tt_f(p->k[7]));
    const tt_val cut = tt_min_at(s->site, tt_max_at(s->site, z, tt_f(-p->k[4])), l1);
    s->u[i] = F("(cut - z)/square - w", cut, z, square, s->p[i]);
}

#define RATE "learning_rate=0.001 weight_decay=0 "
#define RMS "rho=0.9 epsilon=1e-7 momentum=0"
const optim_rule optim_keras[] = {
    { "keras_adam", RATE "beta_1=0.9 beta_2=0.999 epsilon=1e-7", "mu nu", COUNTS, adam_begin, adam, NULL, NULL },
    { "keras_amsgrad", RATE "beta_1=0.9 beta_2=0.999 epsilon=1e-7", "mu nu nu_max", COUNTS, adam_begin, adam, NULL,
      NULL },
    { "keras_sgd", "learning_rate=0.01 weight_decay=0", "", COUNTS | LINEAR, keras_begin, keras_plain_update, NULL,
      NULL },
    { "keras_momentum", "learning_rate=0.01 weight_decay=0 momentum=0 nesterov?=0", "trace", COUNTS | LINEAR,
        keras_begin,
      sgd, NULL, NULL },
    { "keras_rmsprop", RATE RMS, "nu", COUNTS, keras_begin, rmsprop, NULL, NULL },
    { "keras_rmsprop_centered", RATE RMS, "nu mu", COUNTS, keras_begin, rms_centred, NULL, NULL },
    { "keras_rmsprop_momentum", RATE RMS, "nu trace", COUNTS, keras_begin, rms_pushed, NULL, NULL },
    { "keras_rmsprop_both", RATE RMS, "nu trace mu", COUNTS, keras_begin, rms_both, NULL, NULL },
    { "keras_adagrad", RATE "initial_accumulator_value=0.1 epsilon=1e-7", "sum_of_squares", COUNTS, keras_begin,
        adagrad,
      initial, NULL },
    { "keras_lion", RATE "beta_1=0.9 beta_2=0.99", "mu", COUNTS, keras_begin, lion, NULL, NULL },
    { "keras_adadelta", RATE "rho=0.95 epsilon=1e-7", "e_g e_x", COUNTS, keras_begin, adadelta, NULL, NULL },
    { "keras_adamax", RATE "beta_1=0.9 beta_2=0.999 epsilon=1e-7", "mu nu", COUNTS, unbiased, adamax, NULL, NULL },
    { "keras_nadam", RATE "beta_1=0.9 beta_2=0.999 epsilon=1e-7", "mu nu =u_product", COUNTS, nadam_begin, nadam,
      NULL, NULL },
    { "keras_lamb", RATE "beta_1=0.9 beta_2=0.999 epsilon=1e-7", "mu nu", COUNTS, unbiased, lamb, NULL, NULL },
    { "keras_ftrl", RATE "learning_rate_power=-0.5 initial_accumulator_value=0.1 l1_regularization_strength=0 "
      "l2_regularization_strength=0 l2_shrinkage_regularization_strength=0 beta=0", "sum_of_squares linear", COUNTS,
      keras_begin, ftrl, ftrl_start, NULL },
    { NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL },
};
