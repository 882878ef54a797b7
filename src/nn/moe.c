/* nn/moe.c - a mixture of experts: each token goes to the `top` experts that a router chooses (Shazeer and others,
 * 2017), each of which takes at most a number of tokens of a group, in GShard's order (Lepikhin and others, 2020): all
 * first choices before the second ones, and the tokens in their order.
 *
 * Dispatch and combination are products with [group, token, expert, place], so that a mesh that shards groups and
 * experts over one axis moves the tokens by two all-to-alls.
 */
#include "nn.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    nn_frame *f; const tt_moe_opts *o;
    int64_t groups, tokens, features, experts, hidden, top, places;
    char axes[3][NN_NAME], down[NN_LIST], dispatched[NN_LIST];
} moe;

/* Logical axes "expert, embed, hidden": those of down, and of what the experts take. */
static bool moe_axes(moe *s)
{
    int n = 0;
    for (const char *p = s->o->axes ? s->o->axes : ""; *(p += strspn(p, ", ")); n++) {
        const size_t len = strcspn(p, ", ");
        if (n < 3) snprintf(s->axes[n], NN_NAME, "%.*s", (int)len, p);
        p += len;
    }
    if (s->o->axes && n != 3) {
        tt_fail_at(s->f->site, TT_ESPEC, "moe: .axes = \"%s\"; expected three names", s->o->axes);
        tt_hint("\"expert, embed, hidden\" are the axes of the experts' kernels");
        return false;
    }
    snprintf(s->down, sizeof s->down, "%s, %s, %s", s->axes[0], s->axes[2], s->axes[1]);
    snprintf(s->dispatched, sizeof s->dispatched, "_, %s, _, _", s->axes[0]);
    return true;
}

static tt_val moe_kernel(moe *s, const char *name, int64_t in, int64_t out, const char *axes)
{
    const int64_t dims[] = { s->experts, in, out, TT_DIM_END };
    const tt_param_opts p = { .size = sizeof p, .axes = s->o->axes ? axes : NULL, .dtype = s->o->param_dtype,
                              .init = s->o->kernel_init ? s->o->kernel_init : "lecun_normal(batch_axis=0)" };
    return nn_in(s->f->site, nn_weight(s->f, name, dims, &p), s->o->dtype);
}

static tt_val moe_einsum(const moe *s, const char *text, tt_val a, tt_val b)
{
    return tt_einsum_at(s->f->site, text, (const tt_val[]){ a, b, tt_end });
}

/* What the experts make of their tokens [group, expert, place, features]. */
static tt_val expert_of(moe *s, tt_val x)
{
    const char *site = s->f->site;
    const tt_val up = moe_einsum(s, "gecf,efh->gech", x, moe_kernel(s, "up", s->features, s->hidden, s->o->axes));
    tt_activation *act = s->o->act ? s->o->act : tt_silu_at;
    tt_val h = up;
    if (s->o->plain) h = nn_activated(site, "moe: .act", act, up);
    else {
        const tt_val gate = moe_kernel(s, "gate", s->features, s->hidden, s->o->axes);
        h = tt_mul_at(site, nn_activated(site, "moe: .act", act, moe_einsum(s, "gecf,efh->gech", x, gate)), up);
    }
    return moe_einsum(s, "gech,ehf->gecf", h, moe_kernel(s, "down", s->hidden, s->features, s->down));
}

/* The choices of one rank (0: the first): weights and experts [group, token]. Adds to `combine` [group, token, expert,
 * place], and to `taken` [group, 1, expert], the tokens that each expert was sent so far. */
static void choice(const moe *s, tt_val weight, tt_val expert, tt_val *combine, tt_val *taken, tt_val *kept)
{
    const char *site = s->f->site;
    const tt_reduce_opts last = { .size = sizeof last, .dims = "-1" };
    const tt_reduce_opts tokens = { .size = sizeof tokens, .dims = "1", .keepdims = 1 };
    const tt_val hot = tt_one_hot_at(site, expert, s->experts, TT_F32);              /* [group, token, expert] */
    const tt_val before = tt_sub_at(site, tt_cumsum_at(site, hot, 1, NULL), hot);
    const tt_val place = tt_sum_at(site, tt_mul_at(site, tt_add_at(site, before, *taken), hot), &last);
    const tt_val fits = tt_compare_at(site, 2, place, tt_f((double)s->places));
    const tt_val at = tt_one_hot_at(site, tt_cast_at(site, place, TT_I32), s->places, TT_F32);
    const tt_val by = tt_where_at(site, fits, weight, tt_f(0));
    const tt_val share = tt_mul_at(site, hot, tt_expand_dims_at(site, by, 2));
    const tt_val sent = tt_mul_at(site, tt_expand_dims_at(site, share, 3), tt_expand_dims_at(site, at, 2));
    const tt_val count = tt_sum_at(site, tt_cast_at(site, fits, TT_F32), NULL);
    *combine = nn_is(*combine) ? tt_add_at(site, *combine, sent) : sent;
    *taken = tt_add_at(site, *taken, tt_sum_at(site, hot, &tokens));
    *kept = nn_is(*kept) ? tt_add_at(site, *kept, count) : count;
}

/* experts times the sum over experts of (share of first choices) (mean probability), as Switch (Fedus and others,
 * 2021); 1 if all experts get the same. */
static tt_val balance(const moe *s, tt_val p, tt_val first)
{
    const char *site = s->f->site;
    const tt_reduce_opts all = { .size = sizeof all, .dims = "0, 1" };
    const tt_val share = tt_mean_at(site, tt_one_hot_at(site, first, s->experts, TT_F32), &all);
    const tt_val product = tt_mul_at(site, tt_stop_gradient_at(site, share), tt_mean_at(site, p, &all));
    return tt_mul_at(site, tt_sum_at(site, product, NULL), tt_f((double)s->experts));
}

static tt_val routed(moe *s, tt_val x)                   /* x [group, token, features] */
{
    const char *site = s->f->site;
    const tt_dense_opts r = { .size = sizeof r, .no_bias = 1, .dtype = TT_F32, .kernel_init = s->o->router_init };
    const tt_nn in = { s->f, s->f->alive };
    const tt_val p = tt_softmax_at(site, tt_dense_at(site, in, "router", x, s->experts, &r), NULL);
    const tt_val best = tt_top_k_at(site, p, s->top);
    tt_val weight = tt_item_at(site, best, 0), combine = { 0 }, kept = { 0 };
    const tt_val expert = tt_item_at(site, best, 1);
    const tt_reduce_opts last = { .size = sizeof last, .dims = "-1", .keepdims = 1 };
    if (!s->o->unscaled) weight = tt_div_at(site, weight, tt_sum_at(site, weight, &last));
    tt_val taken = tt_full_at(site, 0, TT_F32, (const int64_t[]){ s->groups, 1, s->experts, TT_DIM_END });
    const tt_val first = tt_take_at(site, expert, tt_i(0), 2, NULL);
    for (int64_t k = 0; k < s->top && tt_ok(); k++)
        choice(s, tt_take_at(site, weight, tt_i(k), 2, NULL), tt_take_at(site, expert, tt_i(k), 2, NULL), &combine,
               &taken, &kept);
    if (!tt_ok()) return tt_poison;
    const tt_dtype d = s->o->dtype ? s->o->dtype : tt_dtype_of_at(site, x);
    const tt_val sent = tt_cast_at(site, tt_compare_at(site, 4, combine, tt_f(0)), d);
    tt_val h = moe_einsum(s, "gtec,gtf->gecf", sent, tt_cast_at(site, x, d));
    if (s->o->axes) h = tt_logical_constraint_at(site, h, s->dispatched);
    h = expert_of(s, h);
    if (s->o->axes) h = tt_logical_constraint_at(site, h, s->dispatched);
    const tt_val y = moe_einsum(s, "gtec,gecf->gtf", tt_cast_at(site, combine, d), h);
    const tt_val sums = tt_f((double)(s->groups * s->tokens * s->top));
    return tt_tuple_at(site, (const tt_val[]){ y, balance(s, p, first), tt_sub_at(site, sums, kept), tt_end });
}

tt_val tt_moe_at(const char *site, tt_nn m, const char *name, tt_val x, int64_t experts, int64_t hidden,
                 const tt_moe_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_moe_opts, site, "moe", o)) return tt_poison;
    nn_frame f;
    if (!nn_enter(&f, m, site, "MoE", name)) return tt_poison;
    if (tt_ok() && tt_rank_at(site, x) != 3) {
        tt_fail_at(site, TT_ESHAPE, "moe: x is %s; expected [groups, tokens, features]", tt_type_text_at(site, x));
        tt_hint("the rows of a batch make good groups");
        return tt_poison;
    }
    moe s = { .f = &f, .o = o, .experts = experts, .hidden = hidden, .top = o->top ? o->top : 2 };
    if (tt_ok() && (experts < 1 || hidden < 1 || s.top > experts))
        return tt_fail_at(site,
                          TT_EARG, "moe: .top = %lld of %lld experts with %lld hidden features; expected 1 or more of "
                                   "each, and .top at most the experts", (long long)s.top, (long long)experts,
                                       (long long)hidden);
    s.groups = tt_dim_at(site, x, 0), s.tokens = tt_dim_at(site, x, 1), s.features = tt_dim_at(site, x, 2);
    const double share = (double)(s.tokens * s.top) * (o->capacity > 0 ? o->capacity : 1.25) / (double)experts;
    s.places = (int64_t)fmin((double)s.tokens, fmax(1, ceil(share)));
    if (!tt_ok() || !moe_axes(&s)) return tt_poison;
    const tt_val out = routed(&s, x);
    if (tt_ok()) nn_leave(&f, tt_item_at(site, out, 0));
    return out;
}
