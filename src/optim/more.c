/* optim/more.c - parts of optax beyond those of moments.c: AdaBelief, Yogi, Adan, NovoGrad, Rprop, optimistic
 * gradients, noise, centred and normalised gradients, norms of parameters.
 *
 * AdaBelief: Zhuang and others, 2020; Yogi: Zaheer and others, 2018; Adan: Xie and others, 2022; NovoGrad: Ginsburg and
 * others, 2019; Rprop: Riedmiller and Braun, 1993; optimistic gradients: Mokhtari and others, 2019; noise: Neelakantan
 * and others, 2015; centred: Yong and others, 2020; distance over gradients: Ivgi and others, 2023; adaptive clipping:
 * Brock and others, 2021.
 */
#include "optim.h"

#include <string.h>

static const tt_reduce_opts all = { .size = sizeof(tt_reduce_opts) };

/* ---- moments: k = b1, b2, eps, eps_root; s = 1 - b1^t, 1 - b2^t, 1 - b1^(t+1) ---- */

static void more_begin(optim_step *s, optim_part *p)
{
    p->s[0] = optim_unbias(s, p->k[0], s->t);
    p->s[1] = optim_unbias(s, p->k[1], s->t);
    p->s[2] = optim_unbias(s, p->k[0], tt_add_at(s->site, s->t, tt_f(1)));
}

static void belief(optim_step *s, optim_part *p, int i)
{
    const tt_val g = s->u[i], b1 = tt_f(p->k[0]), a1 = tt_f(1 - p->k[0]), b2 = tt_f(p->k[1]), a2 = tt_f(1 - p->k[1]);
    const tt_val m = p->f[0][i] = F("a1*g + b1*m", a1, g, b1, p->f[0][i]);
    const tt_val off = tt_sub_at(s->site, g, m);
    const tt_val v = p->f[1][i] = F("a2*(off*off) + b2*v + root", a2, off, b2, p->f[1][i], tt_f(p->k[3]));
    const tt_val mean =
        p->k[4] != 0 ? F("b1*(m/next) + a1*(g/now)", b1, m, p->s[2], a1, g, p->s[0]) : F("m/now", m, p->s[0]);
    s->u[i] = F("mean/(sqrt(v/square) + eps)", mean, v, p->s[1], tt_f(p->k[2]));
}

static double yogi_start(const optim_part *p, int f) { return (void)f, p->k[4]; }
static void yogi(optim_step *s, optim_part *p, int i)
{
    const tt_val g = s->u[i], a2 = tt_f(1 - p->k[1]), eps = tt_f(p->k[2]), root = tt_f(p->k[3]), old = p->f[1][i];
    const tt_val m = p->f[0][i] = F("a1*g + b1*m", tt_f(1 - p->k[0]), g, tt_f(p->k[0]), p->f[0][i]);
    const tt_val v = p->f[1][i] = F("v - a2*sign(v - g*g)*(g*g)", old, a2, g);
    s->u[i] = F("(m/now)/(sqrt(v/square + root) + eps)", m, p->s[0], v, p->s[1], root, eps);
}

/* k = b1, b2, b3, eps, eps_root; fields: means of gradients, of their differences, of squares; the last gradient */
static void adan_begin(optim_step *s, optim_part *p)
{
    for (int k = 0; k < 3; k++) p->s[k] = optim_unbias(s, p->k[k], s->t);
    p->s[3] = tt_compare_at(s->site, 0, s->count, tt_i(0));
}
static void adan(optim_step *s, optim_part *p, int i)
{
    const tt_val g = s->u[i], a2 = tt_f(1 - p->k[1]);
    const tt_val step = tt_where_at(s->site, p->s[3], tt_f(0), tt_sub_at(s->site, g, p->f[3][i]));
    const tt_val m = p->f[0][i] = F("a1*g + b1*m", tt_f(1 - p->k[0]), g, tt_f(p->k[0]), p->f[0][i]);
    const tt_val v = p->f[1][i] = F("a2*d + b2*v", a2, step, tt_f(p->k[1]), p->f[1][i]);
    const tt_val ahead = F("g + a2*d", g, a2, step);
    const tt_val n = p->f[2][i] = F("a3*(x*x) + b3*n", tt_f(1 - p->k[2]), ahead, tt_f(p->k[2]), p->f[2][i]);
    const tt_val up = F("m/c1 + a2*(v/c2)", m, p->s[0], a2, v, p->s[1]);
    s->u[i] = F("up/(sqrt(n/c3 + root) + eps)", up, n, p->s[2], tt_f(p->k[4]), tt_f(p->k[3]));
    p->f[3][i] = g;
}

/* k = b1, b2, eps, eps_root, weight_decay; the second moment is one number for each leaf */
static tt_val novograd_shape(const char *site, const optim_part *p, int f, tt_val v)
{
    (void)p;
    return f == 1 ? tt_full_at(site, 0, tt_dtype_of_at(site, v), (const int64_t[]){ TT_DIM_END }) : (tt_val){ 0, 0 };
}
static void novograd_begin(optim_step *s, optim_part *p) { p->s[0] = tt_compare_at(s->site, 0, s->count, tt_i(0)); }
static void novograd(optim_step *s, optim_part *p, int i)
{
    const char *site = s->site;
    const tt_val g = s->u[i], b2 = tt_f(p->k[1]), a2 = tt_f(1 - p->k[1]);
    const tt_val square = tt_sum_at(site, tt_square_at(site, g), &all);
    const tt_val v = p->f[1][i] = tt_where_at(site, p->s[0], square, F("a2*n + b2*v", a2, square, b2, p->f[1][i]));
    const tt_val root = tt_f(p->k[3]), eps = tt_f(p->k[2]), decay = tt_f(p->k[4]);
    const tt_val add = F("g/(sqrt(v + root) + eps) + decay*w", g, v, root, eps, decay, s->p[i]);
    const tt_val m = p->f[0][i];
    const tt_val next = tt_where_at(site, p->s[0], add, F("b1*m + add", tt_f(p->k[0]), m, add));
    s->u[i] = p->f[0][i] = tt_cast_at(site, next, tt_dtype_of_at(site, m));
}

/* ---- signs and steps ---- */

static void sign_of(optim_step *s, optim_part *p, int i) { (void)p, s->u[i] = tt_sign_at(s->site, s->u[i]); }

/* k = learning_rate, eta_minus, eta_plus, min_step_size, max_step_size; fields: step sizes, the last updates */
static double rprop_start(const optim_part *p, int f) { return f == 0 ? p->k[0] : 0; }
static void rprop(optim_step *s, optim_part *p, int i)
{
    const char *site = s->site;
    const tt_val g = s->u[i], size = p->f[0][i], before = p->f[1][i], zero = tt_f(0), both = F("g*b", g, before);
    const tt_val same = tt_compare_at(site, 4, both, zero), turned = tt_compare_at(site, 2, both, zero);
    const tt_val by = tt_where_at(site, same, tt_f(p->k[2]), tt_f(p->k[1])), scaled = tt_mul_at(site, size, by);
    const tt_val clipped = tt_min_at(site, tt_max_at(site, scaled, tt_f(p->k[3])), tt_f(p->k[4]));
    const tt_val next = p->f[0][i] = tt_where_at(site, tt_compare_at(site, 0, both, zero), size, clipped);
    s->u[i] = tt_where_at(site, turned, zero, before);   /* the step before, as optax */
    p->f[1][i] = tt_where_at(site, turned, zero, F("n*sign(g)", next, g));
}

/* k = alpha, beta */
static void optimistic(optim_step *s, optim_part *p, int i)
{
    const tt_val g = s->u[i], first = tt_compare_at(s->site, 0, s->count, tt_i(0));
    const tt_val before = tt_where_at(s->site, first, g, p->f[0][i]);
    s->u[i] = F("both*g - beta*b", tt_f(p->k[0] + p->k[1]), g, tt_f(p->k[1]), before);
    p->f[0][i] = g;
}

/* k = k: the sum of k updates, then one step */
static void every_begin(optim_step *s, optim_part *p)
{
    const tt_val c = tt_rem_at(s->site, s->count, tt_i((int64_t)p->k[0]));
    p->s[0] = tt_compare_at(s->site, 0, c, tt_i(0));
    p->s[1] = tt_compare_at(s->site, 0, c, tt_i((int64_t)p->k[0] - 1));
}
static void apply_every(optim_step *s, optim_part *p, int i)
{
    const tt_val sum = F("g + a", s->u[i], tt_where_at(s->site, p->s[0], tt_f(0), p->f[0][i]));
    p->f[0][i] = sum;
    s->u[i] = tt_where_at(s->site, p->s[1], sum, tt_f(0));
}

static void nothing(optim_step *s, optim_part *p, int i) { (void)s, (void)p, (void)i; }
static void set_to_zero(optim_step *s, optim_part *p, int i)
{
    (void)p, s->u[i] = optim_zeros_like(s->site, s->u[i], tt_dtype_of_at(s->site, s->u[i]));
}

/* ---- noise: k = eta, gamma, key; variance eta / t^gamma ---- */

static tt_val noise_key(const char *site, const optim_part *p, int f, tt_val v)
{
    (void)v;
    return f < 0 ? tt_key_at(site, (int64_t)p->k[2]) : (tt_val){ 0, 0 };
}
static tt_val more_row(const char *site, tt_val v, int64_t i)
{
    return tt_squeeze_at(site, tt_slice_at(site, v, 0, i, i + 1, 1), 0);
}
static void noise_begin(optim_step *s, optim_part *p)
{
    const char *site = s->site;
    const tt_val keys = tt_split_at(site, tt_get_at(site, *s->state, p->number), 2);
    int taken = 0;
    for (int i = 0; i < s->n; i++) taken += s->on[i];
    *s->state = tt_set_at(site, *s->state, p->number, more_row(site, keys, 0));
    p->s[0] = tt_split_at(site, more_row(site, keys, 1), taken > 0 ? taken : 1);
    p->s[1] = tt_sqrt_at(site, tt_div_at(site, tt_f(p->k[0]), tt_pow_at(site, s->t, tt_f(p->k[1]))));
}
static void noise(optim_step *s, optim_part *p, int i)
{
    int64_t dims[16], own = 0;
    const int rank = tt_rank_at(s->site, s->u[i]);
    for (int k = 0; k < rank && k < 15; k++) dims[k] = tt_dim_at(s->site, s->u[i], k);
    dims[rank < 15 ? rank : 15] = TT_DIM_END;
    for (int k = 0; k < i; k++) own += s->on[k];
    const tt_val key = more_row(s->site, p->s[0], own);
    const tt_val n = tt_normal_at(s->site, key, tt_dtype_of_at(s->site, s->u[i]), dims);
    s->u[i] = F("g + size*n", s->u[i], p->s[1], n);
}

/* ---- norms ---- */

/* without the mean over all dims but the first */
static void centralize(optim_step *s, optim_part *p, int i)
{
    char dims[64] = "1";
    const int rank = tt_rank_at(s->site, s->u[i]);
    (void)p;
    for (int k = 2; k < rank && k < 12; k++) {
        const size_t n = strlen(dims);
        tt_snprintf(dims + n, sizeof dims - n, ", %d", k);
    }
    const tt_reduce_opts rest = { .size = sizeof rest, .dims = dims, .keepdims = 1 };
    if (rank > 1) s->u[i] = tt_sub_at(s->site, s->u[i], tt_mean_at(s->site, s->u[i], &rest));
}

/* k = min_scale: times the parameter's norm, or root mean square, at least that */
static void by_norm(optim_step *s, const optim_part *p, int i, tt_val square)
{
    const tt_val least = tt_f(p->k[0]), norm = tt_sqrt_at(s->site, square);
    s->u[i] = tt_mul_at(s->site, s->u[i], tt_max_at(s->site, norm, least));
}
static void block_norm(optim_step *s, optim_part *p, int i)
{
    by_norm(s, p, i, tt_sum_at(s->site, tt_square_at(s->site, s->p[i]), &all));
}
static void block_rms(optim_step *s, optim_part *p, int i)
{
    by_norm(s, p, i, tt_mean_at(s->site, tt_square_at(s->site, s->p[i]), &all));
}

/* k = scale_factor, eps: over the norm of all leaves */
static void normal_begin(optim_step *s, optim_part *p)
{
    tt_val sum = tt_f(0);
    for (int i = 0; i < s->n; i++)
        if (s->on[i]) sum = tt_add_at(s->site, sum, tt_sum_at(s->site, tt_square_at(s->site, s->u[i]), &all));
    p->s[0] = F("(sqrt(sum) + eps)/factor", sum, tt_f(p->k[1]), tt_f(p->k[0]));
}
static void normalized(optim_step *s, optim_part *p, int i)
{
    s->u[i] = tt_div_at(s->site, s->u[i], tt_cast_at(s->site, p->s[0], tt_dtype_of_at(s->site, s->u[i])));
}

/* The norms of units: over all dims but the last, of vectors over all, of two and three dims over the first. */
static tt_val unit_norm(const char *site, tt_val v)
{
    int64_t large = 0;
    const int rank = tt_rank_at(site, v);
    for (int k = 0; k < rank; k++) large += tt_dim_at(site, v, k) > 1;
    const char *dims = large <= 1 ? NULL : rank == 2 || rank == 3 ? "0" : rank == 4 ? "0, 1, 2" : "0, 1, 2, 3";
    const tt_reduce_opts o = { .size = sizeof o, .dims = dims, .keepdims = 1 };
    return tt_sqrt_at(site, tt_sum_at(site, tt_square_at(site, v), &o));
}
/* k = clipping, eps */
static void adaptive_clip(optim_step *s, optim_part *p, int i)
{
    const char *site = s->site;
    const int rank = tt_rank_at(site, s->u[i]);
    if (rank > 5) {
        tt_fail_at(site, TT_ESHAPE, "adaptive_grad_clip: \"%s\" has %d dims; at most 5",
                   tt_leaf_path_at(site, s->params, i), rank);
        return;
    }
    const tt_val g = unit_norm(site, s->u[i]), w = tt_max_at(site, unit_norm(site, s->p[i]), tt_f(p->k[1]));
    const tt_val most = tt_mul_at(site, w, tt_f(p->k[0])), safe = tt_max_at(site, g, tt_f(1e-6));
    const tt_val by = tt_where_at(site, tt_compare_at(site, 2, g, most), tt_f(1), tt_div_at(site, most, safe));
    s->u[i] = tt_mul_at(site, s->u[i], by);
}

#define MOMENTS "b1=0.9 b2=0.999 "
const optim_rule optim_more[] = {
    { "scale_by_belief", MOMENTS "eps=1e-16 eps_root=1e-16 nesterov?=0", "mu nu", COUNTS, more_begin, belief, NULL,
      NULL },
    { "scale_by_yogi", MOMENTS "eps=1e-3 eps_root=0 initial_accumulator_value=1e-6", "mu nu", COUNTS, more_begin, yogi,
      yogi_start, NULL },
    { "scale_by_adan", "b1=0.98 b2=0.92 b3=0.99 eps=1e-8 eps_root=0", "m v n g", COUNTS, adan_begin, adan, NULL, NULL },
    { "scale_by_novograd", "b1=0.9 b2=0.25 eps=1e-8 eps_root=0 weight_decay=0 mu_dtype", "mu nu", COUNTS,
      novograd_begin, novograd, NULL, novograd_shape },
    { "scale_by_sign", "", "", 0, NULL, sign_of, NULL, NULL },
    { "scale_by_rprop", "learning_rate=0 eta_minus=0.5 eta_plus=1.2 min_step_size=1e-6 max_step_size=50",
      "step_sizes prev_updates", 0, NULL, rprop, rprop_start, NULL },
    { "scale_by_optimistic_gradient", "alpha=1 beta=1", "previous_gradient", COUNTS | LINEAR, NULL, optimistic, NULL,
      NULL },
    { "apply_every", "k=1", "grad_acc", COUNTS | LINEAR, every_begin, apply_every, NULL, NULL },
    { "identity", "", "", LINEAR, NULL, nothing, NULL, NULL },
    { "set_to_zero", "", "", LINEAR, NULL, set_to_zero, NULL, NULL },
    { "add_noise", "eta=0 gamma=0 key=0", "=rng_key", COUNTS, noise_begin, noise, NULL, noise_key },
    { "centralize", "", "", LINEAR, NULL, centralize, NULL, NULL },
    { "scale_by_param_block_norm", "min_scale=1e-3", "", 0, NULL, block_norm, NULL, NULL },
    { "scale_by_param_block_rms", "min_scale=1e-3", "", 0, NULL, block_rms, NULL, NULL },
    { "normalize_by_update_norm", "scale_factor=1 eps=1e-6", "", 0, normal_begin, normalized, NULL, NULL },
    { "adaptive_grad_clip", "clipping=0 eps=1e-3", "", 0, NULL, adaptive_clip, NULL, NULL },
    { NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL },
};
