/* model/experts.c - mixtral's network: a router chooses experts for each token, and the results of those count by their
 * probabilities, divided by their sum. All experts run on all tokens, so that nothing is dropped and shapes are known.
 */
#include "model.h"

#include <stdio.h>

/* The weight of each expert for each token, f32 [batch, time, experts]; 0: it is not among the chosen. */
static tt_val shares(const model_pass *p, const char *path, tt_val x)
{
    const char *const site = p->site;
    const tt_reduce_opts last = { .size = sizeof last, .dims = "-1", .keepdims = 1 },
                         dim = { .size = sizeof dim, .dims = "-2" };
    const tt_softmax_opts over = { .size = sizeof over };
    const tt_val logits = tt_cast_at(site, model_linear(p, path, x, false), TT_F32);
    const tt_val top = tt_top_k_at(site, tt_softmax_at(site, logits, &over), p->c->top);
    const tt_val value = tt_item_at(site, top, 0), one = tt_one_hot_at(site, tt_item_at(site, top, 1), p->c->experts,
                                                                       TT_F32);
    const tt_val share = tt_div_at(site, value, tt_sum_at(site, value, &last));
    return tt_sum_at(site, tt_mul_at(site, one, tt_expand_dims_at(site, share, -1)), &dim);
}

tt_val model_experts(const model_pass *p, int layer, tt_val x)
{
    const char *const site = p->site;
    char path[MODEL_PATH];
    snprintf(path, sizeof path, "layers.%d.block_sparse_moe.gate", layer);
    const tt_val share = shares(p, path, x);
    tt_val y = { 0 };
    for (int e = 0; e < p->c->experts; e++) {
        const int n = snprintf(path, sizeof path, "layers.%d.block_sparse_moe.experts.%d.w1", layer, e) - 1;
        const tt_val gate = model_act(p, model_linear(p, path, x, false));
        path[n] = '3';
        tt_val h = tt_mul_at(site, gate, model_linear(p, path, x, false));
        path[n] = '2';
        h = model_linear(p, path, tt_logical_constraint_at(site, h, "batch, time, hidden"), false);
        h = tt_mul_at(site, tt_cast_at(site, h, TT_F32), tt_slice_at(site, share, 2, e, e + 1, 1));
        y = e ? tt_add_at(site, y, h) : h;
    }
    return tt_cast_at(site, y, p->c->dtype);
}
