/* optim/optim.c - optimizers as data: a tree tagged "sgd:…" or "adam:…" whose leaves are the rate, the count and the moments.
 *
 * Hyperparameters that never change between steps are in the tag, and so in the structure: a compiled step has them as
 * constants. The rate is a leaf: schedules replace it without a retrace. Formulas are optax's; keras=1 is Keras's Adam.
 * Leaves that do not learn (tt_leaf(.frozen = 1)) keep their value and have moments of no elements.
 */
#include <tutti.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAVES = 4096 };

static double chosen(double x, double usual) { return x == 0 ? usual : x == TT_ZERO ? 0 : x; }

static double setting(const char *tag, const char *name)
{
    char key[32];
    snprintf(key, sizeof key, "%s=", name);
    const char *p = strstr(tag, key);
    return p ? strtod(p + strlen(key), NULL) : 0;
}

static tt_val scalar(const char *site, tt_dtype d, double x)
{
    return tt_full_at(site, x, d, (const int64_t[]){ TT_DIM_END });
}

/* A tree like params with zeros in every leaf that learns. */
static tt_val moments(const char *site, tt_val params)
{
    tt_val leaf[LEAVES];
    const int n = tt_leaves(params, LEAVES, leaf);
    if (n > LEAVES) return tt_fail_at(site, TT_EARG, "optimizer: %d parameters; at most %d", n, LEAVES);
    for (int i = 0; i < n; i++)
        leaf[i] = tt_leaf_frozen(leaf[i])
                      ? tt_full_at(site, 0, tt_dtype_of(leaf[i]), (const int64_t[]){ 0, TT_DIM_END })
                      : tt_mul_at(site, tt_stop_at(site, leaf[i]), tt_i(0));
    return tt_rebuild_at(site, params, n, leaf);
}

tt_val tt_sgd_at(const char *site, tt_val params, const tt_sgd_opts *o)
{
    char tag[96];
    const double momentum = chosen(o->momentum, 0);
    snprintf(tag, sizeof tag, "sgd:momentum=%.17g,nesterov=%d", momentum, o->nesterov);
    const tt_val rate = scalar(site, TT_F32, chosen(o->rate, 0.01));
    if (momentum == 0) return tt_tagged(tag, tt_dict_n(site, 1, (const char *[]){ "rate" }, &rate));
    const tt_val part[] = { rate, moments(site, params) };
    return tt_tagged(tag, tt_dict_n(site, 2, (const char *[]){ "rate", "trace" }, part));
}

static tt_val adam(const char *site, tt_val params, const tt_adam_opts *o, double decay, double eps)
{
    char tag[256];
    snprintf(tag, sizeof tag, "adam:b1=%.17g,b2=%.17g,eps=%.17g,eps_root=%.17g,decay=%.17g,keras=%d,nesterov=%d",
             chosen(o->b1, 0.9), chosen(o->b2, 0.999), chosen(o->eps, eps), chosen(o->eps_root, 0),
             chosen(o->decay, decay), o->keras, o->nesterov);
    const tt_val part[] = { scalar(site, TT_I32, 0), moments(site, params), moments(site, params),
                            scalar(site, TT_F32, chosen(o->rate, 1e-3)) };
    return tt_tagged(tag, tt_dict_n(site, 4, (const char *[]){ "count", "mu", "nu", "rate" }, part));
}

tt_val tt_adam_at(const char *site, tt_val params, const tt_adam_opts *o)
{
    return adam(site, params, o, 0, o->keras ? 1e-7 : 1e-8);
}
tt_val tt_adamw_at(const char *site, tt_val params, const tt_adam_opts *o) { return adam(site, params, o, 1e-4, 1e-8); }

/* One leaf: its value, gradient, moments (read and written), and numbers of the step. */
typedef struct { const char *site, *tag; tt_val rate, correct1, correct2, next1; } step;     /* next1: of the step after */

static tt_val add_scaled(const char *site, tt_val a, double ca, tt_val b, double cb)     /* ca a + cb b */
{
    return tt_add_at(site, tt_mul_at(site, a, tt_f(ca)), tt_mul_at(site, b, tt_f(cb)));
}

static tt_val moved(const step *s, tt_val p, tt_val update)      /* p - rate * update, in p's dtype */
{
    const tt_val by = tt_mul_at(s->site, tt_neg_at(s->site, s->rate), update);
    return tt_add_at(s->site, p, tt_cast_at(s->site, by, tt_dtype_of(p)));
}

static tt_val sgd_leaf(const step *s, tt_val p, tt_val g, tt_val *trace)
{
    const double m = setting(s->tag, "momentum");
    if (m == 0) return moved(s, p, g);
    *trace = tt_add_at(s->site, g, tt_mul_at(s->site, *trace, tt_f(m)));
    const bool nesterov = setting(s->tag, "nesterov") != 0;
    return moved(s, p, nesterov ? tt_add_at(s->site, g, tt_mul_at(s->site, *trace, tt_f(m))) : *trace);
}

static tt_val adam_leaf(const step *s, tt_val p, tt_val g, tt_val *mu, tt_val *nu)
{
    const char *at = s->site;
    const double b1 = setting(s->tag, "b1"), b2 = setting(s->tag, "b2"), eps = setting(s->tag, "eps");
    const double decay = setting(s->tag, "decay"), root = setting(s->tag, "eps_root");
    if (setting(s->tag, "keras")) {                      /* m += (g - m)(1 - b1); p -= alpha m / (sqrt(v) + eps) */
        *mu = tt_add_at(at, *mu, tt_mul_at(at, tt_sub_at(at, g, *mu), tt_f(1 - b1)));
        *nu = tt_add_at(at, *nu, tt_mul_at(at, tt_sub_at(at, tt_mul_at(at, g, g), *nu), tt_f(1 - b2)));
        const tt_val alpha = tt_div_at(at, tt_mul_at(at, s->rate, tt_sqrt_at(at, s->correct2)), s->correct1);
        const tt_val down = tt_add_at(at, tt_sqrt_at(at, *nu), tt_f(eps));
        return tt_sub_at(at, p, tt_div_at(at, tt_mul_at(at, *mu, alpha), down));
    }
    *mu = add_scaled(at, g, 1 - b1, *mu, b1);
    *nu = add_scaled(at, tt_mul_at(at, g, g), 1 - b2, *nu, b2);
    const tt_dtype d = tt_dtype_of(*mu);
    const tt_val now = tt_cast_at(at, s->correct1, d), next = tt_cast_at(at, s->next1, d);
    const bool ahead = setting(s->tag, "nesterov") != 0;
    const tt_val m =
        ahead ? add_scaled(at, tt_div_at(at, *mu, next), b1, tt_div_at(at, g, now), 1 - b1) : tt_div_at(at, *mu, now);
    tt_val v = tt_div_at(at, *nu, tt_cast_at(at, s->correct2, d));
    if (root != 0) v = tt_add_at(at, v, tt_f(root));
    tt_val u = tt_div_at(at, m, tt_add_at(at, tt_sqrt_at(at, v), tt_f(eps)));
    if (decay != 0) u = tt_add_at(at, u, tt_mul_at(at, p, tt_f(decay)));
    return moved(s, p, u);
}

typedef struct { tt_val p[LEAVES], g[LEAVES], a[LEAVES], b[LEAVES]; } leaves;

static bool load(const char *site, leaves *l, int n, tt_val params, tt_val grads, tt_val a, tt_val b)
{
    tt_leaves(params, n, l->p);
    const struct { const char *what; tt_val tree; tt_val *to; } part[] = {
        { "gradients", grads, l->g }, { "first moments", a, l->a }, { "second moments", b, l->b },
    };
    for (int i = 0; i < 3; i++) {
        if (part[i].tree.slot == UINT32_MAX) continue;
        if (tt_leaves(part[i].tree, n, part[i].to) == n) continue;
        tt_fail_at(site, TT_ETREE, "opt_step: %d parameters, %d %s", n, tt_leaves(part[i].tree, 0, NULL), part[i].what);
        tt_hint("make the optimizer from these parameters, and differentiate with respect to them");
        return false;
    }
    return true;
}

static void sgd_step(const char *site, const char *tag, tt_val *params, tt_val *opt, tt_val grads, leaves *l)
{
    const bool has = tt_has(*opt, "trace");
    const int n = tt_leaves(*params, 0, NULL);
    const step s = { .site = site, .tag = tag, .rate = tt_get_at(site, *opt, "rate") };
    if (!load(site, l, n, *params, grads, has ? tt_get_at(site, *opt, "trace") : tt_end, tt_end)) return;
    for (int i = 0; i < n; i++) if (!tt_leaf_frozen(l->p[i])) l->p[i] = sgd_leaf(&s, l->p[i], l->g[i], &l->a[i]);
    if (has) tt_assign_at(site, opt, tt_set_at(site, *opt, "trace", tt_rebuild_at(site, *params, n, l->a)));
    tt_assign_at(site, params, tt_rebuild_at(site, *params, n, l->p));
}

static tt_val correction(const char *site, double b, tt_val t)   /* 1 - b^t */
{
    return tt_sub_at(site, tt_f(1), tt_pow_at(site, scalar(site, TT_F32, b), t));
}

static void adam_step(const char *site, const char *tag, tt_val *params, tt_val *opt, tt_val grads, leaves *l)
{
    const int n = tt_leaves(*params, 0, NULL);
    const tt_val count = tt_add_at(site, tt_get_at(site, *opt, "count"), tt_i(1)), t = tt_cast_at(site, count, TT_F32);
    step s = { .site = site, .tag = tag, .rate = tt_get_at(site, *opt, "rate") };
    s.correct1 = correction(site, setting(tag, "b1"), t);
    s.correct2 = correction(site, setting(tag, "b2"), t);
    s.next1 = correction(site, setting(tag, "b1"), tt_add_at(site, t, tt_f(1)));
    if (!load(site, l, n, *params, grads, tt_get_at(site, *opt, "mu"), tt_get_at(site, *opt, "nu"))) return;
    for (int i = 0; i < n; i++)
        if (!tt_leaf_frozen(l->p[i])) l->p[i] = adam_leaf(&s, l->p[i], l->g[i], &l->a[i], &l->b[i]);
    tt_val o = tt_set_at(site, *opt, "count", count);
    o = tt_set_at(site, o, "mu", tt_rebuild_at(site, *params, n, l->a));
    tt_assign_at(site, opt, tt_set_at(site, o, "nu", tt_rebuild_at(site, *params, n, l->b)));
    tt_assign_at(site, params, tt_rebuild_at(site, *params, n, l->p));
}

void tt_opt_step_at(const char *site, tt_val *params, tt_val *opt, tt_val grads)
{
    if (!tt_ok()) return;
    const char *tag = tt_tag(*opt);
    const bool sgd = tag && !strncmp(tag, "sgd:", 4), is_adam = tag && !strncmp(tag, "adam:", 5);
    if (!sgd && !is_adam) {
        tt_fail_at(site, TT_ETREE, "opt_step: the second value is no optimizer state");
        tt_hint("make one with tt_sgd(params) or tt_adam(params)");
        return;
    }
    if (tt_leaves(*params, 0, NULL) > LEAVES) return;    /* refused when the state was made */
    leaves *l = calloc(1, sizeof *l);
    if (!l) {
        tt_fail_at(site, TT_EMEM, "opt_step: out of memory");
        return;
    }
    (sgd ? sgd_step : adam_step)(site, tag, params, opt, grads, l);
    free(l);
}

/* grads * min(1, max / norm) */
tt_val tt_clip_by_norm_at(const char *site, tt_val grads, double max)
{
    const tt_val norm = tt_global_norm_at(site, grads);
    const tt_val scale =
        tt_where_at(site, tt_compare_at(site, 2, norm, tt_f(max)), tt_f(1), tt_div_at(site, tt_f(max), norm));
    return tt_mul_at(site, grads, scale);
}
