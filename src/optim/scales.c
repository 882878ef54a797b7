/* optim/scales.c - parts without moments: the rate, weight decay, trust ratios, clipping, with optax's formulas.
 *
 * LAMB and LARS scale a leaf's update by the ratio of the leaf's length to the update's (You and others, 2017 and
 * 2019).
 */
#include "optim.h"

static const tt_reduce_opts all = { .size = sizeof(tt_reduce_opts) };

static void rate_begin(optim_step *s, optim_part *p) { p->s[0] = optim_rate(s, p, "learning_rate"); }
static void rate(optim_step *s, optim_part *p, int i) /* k[1] = 0: with the sign of the update */
{
    s->u[i] = p->k[1] != 0 ? F("-rate*g", p->s[0], s->u[i]) : F("rate*g", p->s[0], s->u[i]);
}

static void schedule_begin(optim_step *s, optim_part *p)
{
    tt_form schedule;
    p->s[0] = tt_form_of(&p->form, "step_size_fn", &schedule) ? optim_schedule(&schedule, s->count) : tt_f(0);
}
static void scheduled(optim_step *s, optim_part *p, int i)
{
    s->u[i] = tt_mul_at(s->site, tt_cast_at(s->site, p->s[0], tt_dtype_of_at(s->site, s->u[i])), s->u[i]);
}

static void scale(optim_step *s, optim_part *p, int i) { s->u[i] = tt_mul_at(s->site, s->u[i], tt_f(p->k[0])); }

static void decay_begin(optim_step *s, optim_part *p)    /* k[0], or the schedule's value */
{
    tt_form schedule;
    const bool scheduled = optim_is_form(&p->form, "weight_decay") && tt_form_of(&p->form, "weight_decay", &schedule);
    p->s[0] = scheduled ? optim_schedule(&schedule, s->count) : tt_f(p->k[0]);
}
static void decayed(optim_step *s, optim_part *p, int i)
{
    if (p->k[0] == 0 && !optim_is_form(&p->form, "weight_decay")) return;
    const tt_val by = tt_cast_at(s->site, p->s[0], tt_dtype_of_at(s->site, s->u[i]));
    s->u[i] = F("g + by*w", s->u[i], by, s->p[i]);
}

static tt_val length(const optim_step *s, tt_val v)
{
    return tt_sqrt_at(s->site, tt_sum_at(s->site, tt_square_at(s->site, v), &all));
}

/* k = min_norm, trust_coefficient, eps; if a length is zero the update is unchanged */
static void trusted(optim_step *s, optim_part *p, int i)
{
    const tt_val least = tt_f(p->k[0]), zero = tt_f(0), by = tt_f(p->k[1]), eps = tt_f(p->k[2]);
    const tt_val w = tt_max_at(s->site, length(s, s->p[i]), least), u = tt_max_at(s->site, length(s, s->u[i]), least);
    const tt_val none = tt_or_at(s->site, tt_compare_at(s->site, 0, w, zero), tt_compare_at(s->site, 0, u, zero));
    const tt_val ratio = tt_where_at(s->site, none, tt_f(1), F("by*w/(u + eps)", by, w, u, eps));
    s->u[i] = tt_mul_at(s->site, s->u[i], ratio);
}

const optim_rule optim_scales[] = {
    { "scale_by_learning_rate", "learning_rate=0 flip_sign?=1", "", LINEAR, rate_begin, rate, NULL, NULL },
    { "scale_by_schedule", "step_size_fn", "", COUNTS | LINEAR, schedule_begin, scheduled, NULL, NULL },
    { "scale", "step_size=1", "", LINEAR, NULL, scale, NULL, NULL },
    { "add_decayed_weights", "weight_decay=0 mask", "", LINEAR, decay_begin, decayed, NULL, NULL },
    { "scale_by_trust_ratio", "min_norm=0 trust_coefficient=1 eps=0 mask", "", 0, NULL, trusted, NULL, NULL },
    { NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL },
};

/* ---- clipping ---- */

static void clip(optim_step *s, optim_part *p, int i)
{
    const tt_val most = tt_f(p->k[0]), least = tt_f(-p->k[0]);
    s->u[i] = tt_max_at(s->site, tt_min_at(s->site, s->u[i], most), least);
}

/* u / max(1, rms(u) / threshold) */
static void clip_rms(optim_step *s, optim_part *p, int i)
{
    const tt_val rms = tt_sqrt_at(s->site, tt_mean_at(s->site, tt_square_at(s->site, s->u[i]), &all));
    const tt_val over = tt_max_at(s->site, tt_f(1), tt_div_at(s->site, rms, tt_f(p->k[0])));
    s->u[i] = tt_div_at(s->site, s->u[i], over);
}

static tt_val shorter(const char *site, tt_val norm, double max)         /* min(1, max / norm) */
{
    const tt_val fits = tt_compare_at(site, 2, norm, tt_f(max));
    return tt_where_at(site, fits, tt_f(1), tt_div_at(site, tt_f(max), norm));
}

/* The norm is of the leaves to which the part applies: frozen ones have meaningless updates. */
static void norm_begin(optim_step *s, optim_part *p)
{
    tt_val sum = tt_f(0);
    bool some = false;
    for (int i = 0; i < s->n; i++) {
        if (!s->on[i]) continue;
        const tt_val square = tt_sum_at(s->site, tt_square_at(s->site, s->u[i]), &all);
        sum = some ? tt_add_at(s->site, sum, square) : square;
        some = true;
    }
    p->s[0] = shorter(s->site, tt_sqrt_at(s->site, sum), p->k[0]);
}
static void clip_norm(optim_step *s, optim_part *p, int i)
{
    s->u[i] = tt_mul_at(s->site, s->u[i], tt_cast_at(s->site, p->s[0], tt_dtype_of_at(s->site, s->u[i])));
}

static void clip_leaf(optim_step *s, optim_part *p, int i)
{
    s->u[i] = tt_mul_at(s->site, s->u[i], shorter(s->site, length(s, s->u[i]), p->k[0]));
}

const optim_rule optim_clips[] = {
    { "clip", "max_delta=1", "", 0, NULL, clip, NULL, NULL },
    { "clip_by_block_rms", "threshold=1", "", 0, NULL, clip_rms, NULL, NULL },
    { "clip_by_global_norm", "max_norm=1", "", 0, norm_begin, clip_norm, NULL, NULL },
    { "clip_by_norm", "max_norm=1", "", 0, NULL, clip_leaf, NULL, NULL },
    { NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL },
};

tt_val tt_clip_by_norm_at(const char *site, tt_val grads, double max)
{
    TT_ENTRY(site);
    if (!(max > 0)) return tt_fail_at(site, TT_EARG, "clip_by_norm: max = %g; expected a number above 0", max);
    return tt_mul_at(site, grads, shorter(site, tt_global_norm_at(site, grads), max));
}
