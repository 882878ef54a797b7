/* optim/losses.c - parts that read the loss: reduce_on_plateau lowers the scale of the steps when the loss stays, and
 * Polyak's step is the loss over the squared gradient (Loizou and others, 2021). */
#include "optim.h"

#include <math.h>
#include <string.h>

static tt_val losses_get(const optim_step *s, const optim_part *p, const char *name)
{
    return tt_get_at(s->site, tt_get_at(s->site, *s->state, p->number), name);
}

/* ---- reduce_on_plateau: k = factor, patience, rtol, atol, cooldown, accumulation_size, min_scale ---- */

static tt_val plateau_start(const char *site, const optim_part *p, int f, tt_val v)
{
    static const char *const names[] = {
        "avg_value", "best_value", "cooldown_count", "count", "plateau_count", "scale"
    };
    const int64_t none[] = { TT_DIM_END };
    const tt_val zero = tt_full_at(site, 0, TT_I32, none), real = tt_full_at(site, 0, TT_F32, none);
    const tt_val best = tt_full_at(site, (double)INFINITY, TT_F32, none), one = tt_full_at(site, 1, TT_F32, none);
    (void)p, (void)f, (void)v;
    return tt_dict_n(site, 6, names, (const tt_val[]){ real, best, zero, zero, zero, one });
}

static void plateau_begin(optim_step *s, optim_part *p)
{
    const char *site = s->site;
    const tt_val zero = tt_i(0), one = tt_i(1), best = losses_get(s, p, "best_value"), old = losses_get(s, p, "scale");
    const tt_val count = losses_get(s, p, "count"), next = tt_add_at(site, count, one);
    const tt_val cool = losses_get(s, p, "cooldown_count"), flat = losses_get(s, p, "plateau_count");
    const tt_val loss = tt_cast_at(site, *s->value, TT_F32), n = tt_cast_at(site, count, TT_F32);
    const tt_val mean = F("(n*mean + loss)/(n + 1)", n, losses_get(s, p, "avg_value"), loss);
    const tt_val due = tt_compare_at(site, 0, next, tt_i((int64_t)p->k[5]));
    const tt_val better = tt_compare_at(site, 2, mean, F("keep*best - atol", tt_f(1 - p->k[2]), best, tt_f(p->k[3])));
    const tt_val stayed = tt_where_at(site, better, zero, tt_add_at(site, flat, one));
    const tt_val cooling = tt_compare_at(site, 4, cool, zero),
                 full = tt_compare_at(site, 0, stayed, tt_i((int64_t)p->k[1]));
    const tt_val low =
        tt_max_at(site, tt_where_at(site, full, tt_mul_at(site, old, tt_f(p->k[0])), old), tt_f(p->k[6]));
    const tt_val rest = tt_where_at(site, full, tt_i((int64_t)p->k[4]), zero);
    const struct {
        const char *name;
        tt_val now, was;
    } t[] = {
        { "scale", tt_where_at(site, cooling, old, low), old },
        { "best_value", tt_where_at(site, better, mean, best), best },
        { "plateau_count", tt_where_at(site, tt_or_at(site, cooling, full), zero, stayed), flat },
        { "cooldown_count", tt_where_at(site, cooling, tt_sub_at(site, cool, one), rest), cool },
        { "count", zero, next },
        { "avg_value", tt_f(0), mean },
    };
    tt_val mine = tt_get_at(site, *s->state, p->number);
    for (int i = 0; i < 6 && tt_ok(); i++) {
        const tt_dtype d = tt_dtype_of_at(site, tt_get_at(site, mine, t[i].name));
        const tt_val v = tt_cast_at(site, tt_where_at(site, due, t[i].now, t[i].was), d);
        mine = tt_set_at(site, mine, t[i].name, v);
    }
    *s->state = tt_set_at(site, *s->state, p->number, mine);
    p->s[0] = tt_get_at(site, mine, "scale");
}
static void plateau(optim_step *s, optim_part *p, int i)
{
    s->u[i] = tt_mul_at(s->site, s->u[i], tt_cast_at(s->site, p->s[0], tt_dtype_of_at(s->site, s->u[i])));
}

/* ---- Polyak's step: k = f_min, max_learning_rate, eps ---- */

static void polyak_begin(optim_step *s, optim_part *p)
{
    const tt_reduce_opts all = { .size = sizeof all };
    const char *site = s->site;
    tt_val sum = tt_f(0);
    for (int i = 0; i < s->n; i++)
        if (s->on[i]) sum = tt_add_at(site, sum, tt_sum_at(site, tt_square_at(site, s->u[i]), &all));
    sum = tt_add_at(site, sum, tt_f(p->k[2]));
    tt_val gap = tt_sub_at(site, *s->value, tt_f(p->k[0]));
    char word[16];
    const char *const variant = tt_form_word(&p->form, "variant", "sps", word, sizeof word);
    if (variant && !strcmp(variant, "sps+")) gap = tt_relu_at(site, gap);
    else if (variant && strcmp(variant, "sps") != 0) {
        tt_form_fail(&p->form, tt_form_value(&p->form, "variant"), "no variant \"%s\"", variant);
        tt_hint_choices("the variants are", variant, -1, "sps, sps+");
        return;
    }
    const tt_val none = tt_compare_at(site, 3, sum, tt_f(0x1p-23));
    const tt_val step = tt_min_at(site, tt_div_at(site, gap, sum), tt_f(p->k[1]));
    p->s[0] = tt_where_at(site, none, tt_f(0), step);
}

const optim_rule optim_losses[] = {
    { "reduce_on_plateau", "factor=0.1 patience=10 rtol=1e-4 atol=0 cooldown=0 accumulation_size=1 min_scale=0",
      "=plateau", LOSS | LINEAR, plateau_begin, plateau, NULL, plateau_start },
    { "scale_by_polyak", "f_min=0 max_learning_rate=1 eps=0 variant", "", LOSS, polyak_begin, plateau, NULL, NULL },
    { NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL },
};
