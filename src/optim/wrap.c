/* optim/wrap.c - what is around a chain: multi_steps gathers gradients, apply_if_finite leaves out steps that are not
 * finite, lookahead (Zhang and others, 2019) pulls the parameters back to a slow copy, params_ema keeps their mean. */
#include "optim.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* A whole number of the form, from `least` on; -1 with the error set. */
static int wrap_count(const tt_form *f, const char *key, double usual, double least)
{
    const double n = tt_form_number(f, key, usual);
    if (n >= least && n <= INT_MAX && n == trunc(n)) return (int)n;
    tt_form_fail(f, f->name, "%s = %g; expected a whole number of steps, %g or more", key, n, least);
    return -1;
}

static bool wrap_needs(const tt_form *f, const char *key)
{
    if (tt_form_has(f, key)) return true;
    return tt_form_fail(f, f->name, "%.*s: %s is missing", f->name.n, f->name.p, key), false;
}

static int wrap_twice(const tt_form *f)
{
    tt_form_fail(f, f->name, "%.*s applies to the whole chain: write it once, before the chain", f->name.n, f->name.p);
    return -1;
}

/* A number of the form within [0, 1]; NaN with the error set. */
static double wrap_part(const tt_form *f, const char *key)
{
    const double x = wrap_needs(f, key) ? tt_form_number(f, key, 0) : NAN;
    if ((x >= 0 && x <= 1) || !tt_ok()) return x;
    tt_form_fail(f, f->name, "%s = %g; expected 0 to 1", key, x);
    return NAN;
}

static int read_steps(optim_chain *c, tt_form *f)
{
    char names[OPTIM_NAMES];
    if (!optim_keys(f, "every use_grad_mean?", names)) return -1;
    const int every = wrap_count(f, "every", 1, 1);
    if (every < 0) return -1;
    if (c->every || c->n) return wrap_twice(f);
    c->sum = tt_form_number(f, "use_grad_mean", 1) == 0;
    c->every = every;
    return 1;
}

static int read_finite(optim_chain *c, tt_form *f)
{
    if (!tt_form_keys(f, "max_consecutive_errors") || !wrap_needs(f, "max_consecutive_errors")) return -1;
    const int most = wrap_count(f, "max_consecutive_errors", 0, 0);
    if (most < 0) return -1;
    if (c->finite_set || c->n) return wrap_twice(f);
    c->finite_set = true, c->finite = most;
    return 1;
}

static int read_lookahead(optim_chain *c, tt_form *f)
{
    if (!tt_form_keys(f, "sync_period slow_step_size") || !wrap_needs(f, "sync_period")) return -1;
    const int sync = wrap_count(f, "sync_period", 1, 1);
    const double slow = sync < 0 ? NAN : wrap_part(f, "slow_step_size");
    if (isnan(slow)) return -1;
    if (c->sync || c->n) return wrap_twice(f);
    c->sync = sync, c->slow = slow;
    return 1;
}

static int read_ema(optim_chain *c, tt_form *f)
{
    const double decay = tt_form_keys(f, "decay") ? wrap_part(f, "decay") : NAN;
    if (isnan(decay)) return -1;
    if (c->ema != 0 || c->n) return wrap_twice(f);
    c->ema = decay != 0 ? decay : -1; /* -1: no decay */
    return 1;
}

int optim_wrapper(optim_chain *c, tt_form *f)
{
    if (tt_form_is(f, "multi_steps")) return read_steps(c, f);
    if (tt_form_is(f, "apply_if_finite")) return read_finite(c, f);
    if (tt_form_is(f, "lookahead")) return read_lookahead(c, f);
    if (tt_form_is(f, "params_ema")) return read_ema(c, f);
    return 0;
}

/* ---- the state ---- */

#define STEPS "mini_step gradient_step acc_grads "
#define FINITE "notfinite_count last_finite total_notfinite "
#define SLOW "slow steps_since_sync "
#define MEAN "params_ema "
const char *optim_wrap_names(const optim_chain *c)
{
    static const char *const names[16] = {
        "", STEPS, FINITE, STEPS FINITE, SLOW, STEPS SLOW, FINITE SLOW, STEPS FINITE SLOW, MEAN, STEPS MEAN,
        FINITE MEAN, STEPS FINITE MEAN, SLOW MEAN, STEPS SLOW MEAN, FINITE SLOW MEAN, STEPS FINITE SLOW MEAN,
    };
    return names[(c->every > 0) + 2 * c->finite_set + 4 * (c->sync > 0) + 8 * (c->ema != 0)];
}

static tt_val wrap_zero(const char *site) { return tt_full_at(site, 0, TT_I32, (const int64_t[]){ TT_DIM_END }); }

void optim_wrap_state(const char *site, const optim_chain *c, tt_val params, tt_val *state)
{
    const tt_val zero = wrap_zero(site);
    if (c->every > 0) {
        *state = tt_set_at(site, *state, "mini_step", zero);
        *state = tt_set_at(site, *state, "gradient_step", zero);
        *state = tt_set_at(site, *state, "acc_grads", optim_zeros(site, params));
    }
    if (c->finite_set) {
        *state = tt_set_at(site, *state, "notfinite_count", zero);
        *state = tt_set_at(site, *state, "last_finite", tt_compare_at(site, 0, zero, zero));
        *state = tt_set_at(site, *state, "total_notfinite", zero);
    }
    if (c->sync > 0) {
        *state = tt_set_at(site, *state, "slow", params);
        *state = tt_set_at(site, *state, "steps_since_sync", zero);
    }
    if (c->ema != 0) *state = tt_set_at(site, *state, "params_ema", params);
}

/* ---- a step ---- */

/* The state is the new one where `go` is true, else the old one. */
static void wrap_choose(optim_step *s, tt_val old, tt_val go)
{
    for (int i = 0; i < tt_tree_leaves_at(s->site, old, 0, NULL) && tt_ok(); i++) {
        const char *path = tt_leaf_path_at(s->site, old, i);
        const tt_val was = tt_get_at(s->site, old, path), now = tt_get_at(s->site, *s->state, path);
        if (tt_count_at(s->site, was))
            *s->state = tt_set_at(s->site, *s->state, path, tt_where_at(s->site, go, now, was));
    }
}

/* Accumulates `every` gradients into their mean or sum for one step; in between, parameters and the chain's state
 * stay. */
static bool wrap_gather(optim_step *s, optim_chain *c, tt_val *buffer, const bool *frozen)
{
    const char *site = s->site;
    const tt_val old = *s->state, done = tt_get_at(site, old, "gradient_step");
    const tt_val mini = tt_get_at(site, old, "mini_step");
    const tt_val last = tt_compare_at(site, 0, mini, tt_i(c->every - 1));
    const tt_val part = tt_div_at(site, tt_f(1), tt_cast_at(site, tt_add_at(site, mini, tt_i(1)), TT_F32));
    tt_val *acc = buffer + OPTIM_FIELDS * (size_t)s->n;
    if (!optim_leaves(site, "the optimizer's acc_grads", s->params, tt_get_at(site, old, "acc_grads"), acc))
        return false;
    for (int i = 0; i < s->n; i++)
        if (!frozen[i])
            s->u[i] = acc[i] = c->sum ? F("a + g", acc[i], s->u[i]) : F("a + (g - a)*part", acc[i], s->u[i], part);
    if (!optim_run(s, c, buffer, frozen)) return false;
    for (int i = 0; i < s->n; i++) {
        if (frozen[i]) continue;
        s->u[i] = tt_where_at(site, last, s->u[i], tt_f(0));
        acc[i] = tt_where_at(site, last, tt_f(0), acc[i]);
    }
    wrap_choose(s, old, last);
    const tt_val next = tt_where_at(site, last, tt_i(0), tt_add_at(site, mini, tt_i(1)));
    *s->state = tt_set_at(site, *s->state, "mini_step", next);
    *s->state = tt_set_at(site, *s->state, "gradient_step", tt_add_at(site, done, tt_cast_at(site, last, TT_I32)));
    *s->state = tt_set_at(site, *s->state, "acc_grads", optim_field(site, s->params, acc));
    return tt_ok();
}

static bool wrap_inner(optim_step *s, optim_chain *c, tt_val *buffer, const bool *frozen)
{
    return (c->every > 0 ? wrap_gather : optim_run)(s, c, buffer, frozen);
}

/* A gradient that is not finite changes nothing, unless there were more than `finite` of them in a row. */
static bool wrap_finite(optim_step *s, optim_chain *c, tt_val *buffer, const bool *frozen)
{
    const char *site = s->site;
    const tt_reduce_opts all = { .size = sizeof all };
    const tt_val old = *s->state, zero = wrap_zero(site), one = tt_i(1);
    tt_val finite = tt_compare_at(site, 0, zero, zero);
    for (int i = 0; i < s->n; i++)
        if (!frozen[i]) finite = tt_and_at(site, finite, tt_all_at(site, tt_is_finite_at(site, s->u[i]), &all));
    const tt_val failed = tt_add_at(site, tt_get_at(site, old, "notfinite_count"), one);
    const tt_val count = tt_where_at(site, finite, zero, failed), total = tt_get_at(site, old, "total_notfinite");
    const tt_val go = tt_or_at(site, finite, tt_compare_at(site, 4, count, tt_i(c->finite)));
    if (!wrap_inner(s, c, buffer, frozen)) return false;
    for (int i = 0; i < s->n; i++)
        if (!frozen[i]) s->u[i] = tt_where_at(site, go, s->u[i], tt_f(0));
    wrap_choose(s, old, go);
    *s->state = tt_set_at(site, *s->state, "notfinite_count", count);
    *s->state = tt_set_at(site, *s->state, "last_finite", finite);
    *s->state =
        tt_set_at(site, *s->state, "total_notfinite", tt_where_at(site, finite, total, tt_add_at(site, total, one)));
    return tt_ok();
}

bool optim_wrapped(optim_step *s, optim_chain *c, tt_val *buffer, const bool *frozen)
{
    return (c->finite_set ? wrap_finite : wrap_inner)(s, c, buffer, frozen);
}

/* Every sync_period steps the slow parameters go a part of the way to the fast ones, and both are there. */
static bool wrap_lookahead(optim_step *s, const optim_chain *c, const bool *frozen, tt_val *slow)
{
    const char *site = s->site;
    const tt_val since = tt_get_at(site, *s->state, "steps_since_sync");
    const tt_val sync = tt_compare_at(site, 0, since, tt_i(c->sync - 1));
    if (!optim_leaves(site, "the optimizer's slow", s->params, tt_get_at(site, *s->state, "slow"), slow)) return false;
    for (int i = 0; i < s->n; i++) {
        if (frozen[i]) continue;
        const tt_val next = F("slow + by*(fast - slow)", slow[i], tt_f(c->slow), s->p[i]);
        const tt_val typed = tt_cast_at(site, next, tt_dtype_of_at(site, s->p[i]));
        slow[i] = tt_where_at(site, sync, typed, slow[i]);
        s->p[i] = tt_where_at(site, sync, typed, s->p[i]);
    }
    const tt_val next = tt_where_at(site, sync, tt_i(0), tt_add_at(site, since, tt_i(1)));
    *s->state = tt_set_at(site, *s->state, "steps_since_sync", next);
    *s->state = tt_set_at(site, *s->state, "slow", optim_field(site, s->params, slow));
    return tt_ok();
}

bool optim_wrap_after(optim_step *s, const optim_chain *c, const bool *frozen, tt_val *buffer)
{
    const char *site = s->site;
    if (c->sync > 0 && !wrap_lookahead(s, c, frozen, buffer)) return false;
    if (c->ema == 0) return tt_ok();
    const tt_val decay = tt_f(c->ema < 0 ? 0 : c->ema), rest = tt_f(1 - (c->ema < 0 ? 0 : c->ema));
    const tt_val mean = tt_get_at(site, *s->state, "params_ema");
    if (!optim_leaves(site, "the optimizer's params_ema", s->params, mean, buffer)) return false;
    for (int i = 0; i < s->n; i++)
        if (!frozen[i])
            buffer[i] = tt_cast_at(site, F("decay*mean + rest*w", decay, buffer[i], rest, s->p[i]),
                                   tt_dtype_of_at(site, s->p[i]));
    *s->state = tt_set_at(site, *s->state, "params_ema", optim_field(site, s->params, buffer));
    return tt_ok();
}
