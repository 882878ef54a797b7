/* oracle/layer_parts.c - kind `layer`: parts of transformers (a cache, dropout of probabilities, masks, gated
 * networks), norms around layers, cells in both directions, images in other sizes. */
#include "layer.h"

#include <stdio.h>
#include <string.h>

/* ---- attention with a cache: one position after the other ---- */

static tt_val mha_cached(tt_nn m, tt_val x)
{
    return tt_attention_layer(m, "a", x, oracle_int(layer_params(), "heads", 1), .causal = 1,
                              .cache = tt_dim(layer_arg("x"), 1));
}
static tt_val one_more(void *env, int n, const tt_val *arg)      /* (cache, x [batch, features]) */
{
    tt_val y, cache;
    (void)n;
    tt_unpack(tt_apply_with(mha_cached, *(tt_val *)env, tt_expand_dims(arg[1], 1), .collections = arg[0],
                            .updates = "cache"), &y, &cache);
    return tt_tuple(cache, tt_squeeze(y, 1));
}
static tt_val do_mha_decode(void)
{
    const tt_val x = layer_arg("x");
    tt_val vars = tt_dict("a", layer_vars("x")), cache, y;
    cache = tt_init_collections(mha_cached, vars, tt_slice(x, 1, 0, 1, 1));
    const tt_fn step = tt_bind_env("one_more", one_more, &vars, sizeof vars, 2);
    tt_unpack(tt_scan(step, cache, tt_moveaxis(x, 1, 0)), &cache, &y);
    return tt_dict("y", tt_moveaxis(y, 0, 1), "cached_key", tt_get(cache, "cache.a.cached_key"));
}

static tt_val mha_drops(tt_nn m, tt_val x)
{
    const json_t *p = layer_params();
    return tt_attention_layer(m, ".", x, oracle_int(p, "heads", 1), .causal = 1, .dropout = oracle_real(p, "rate", 0),
                              .dropout_each = oracle_flag(p, "each"));
}
static tt_val do_mha_dropout(void)
{
    return tt_get(layer_trained(mha_drops, "x key", layer_arg("x"), layer_arg("key")), "y");
}

static tt_val do_mask(void)
{
    const char *pair = oracle_text(layer_params(), "pair", "and");
    const tt_val q = layer_arg("q"), k = layer_arg("k"), some = tt_gt(q, tt_i(0));
    if (!strcmp(pair, "combined"))
        return tt_cast(tt_combine_masks(tt_make_causal_mask(q), tt_make_attention_mask(some, some)), TT_F32);
    return tt_cast(tt_make_attention_mask(q, k, .pair = pair), TT_F32);
}

static tt_val gated(tt_nn m, tt_val x) { return tt_gated_mlp(m, ".", x, oracle_int(layer_params(), "hidden", 1)); }
static tt_val do_gated(void) { return layer_applied(gated, "x", layer_arg("x")); }

/* ---- norms around a layer ---- */

static tt_val inner(tt_nn m, tt_val x) { return tt_dense(m, "d", x, oracle_int(layer_params(), "features", 1)); }
static tt_val spectral(tt_nn m, tt_val x)
{
    return tt_spectral_norm(m, "s", inner, x, .steps = oracle_int(layer_params(), "steps", 1));
}
static tt_val do_spectral(void)
{
    const tt_val out = layer_trained(spectral, "x", layer_arg("x"), tt_key(0)), new = tt_get(out, "new");
    return tt_dict("y", tt_get(out, "y"), "new_u", tt_get(new, "s.d/kernel/u"), "sigma",
                   tt_get(new, "s.d/kernel/sigma"));
}
static tt_val weighed(tt_nn m, tt_val x)
{
    return tt_weight_norm(m, "s", inner, x, .no_scale = !oracle_flag(layer_params(), "scaled"));
}
static tt_val do_weight(void) { return layer_applied(weighed, "x", layer_arg("x")); }

static tt_val both_ways(tt_nn m, tt_val x)
{
    const tt_val h = tt_zeros(TT_F32, tt_dim(x, 1), oracle_int(layer_params(), "hidden", 1));
    return tt_item(tt_bidirectional(m, ".", tt_gru_cell, h, x), 1);
}
static tt_val do_both_ways(void) { return layer_applied(both_ways, "x", layer_arg("x")); }

static tt_val do_resize(void)
{
    const json_t *p = layer_params();
    int64_t to[9] = { 0 };
    layer_ints(p, "to", to, 0);
    to[tt_rank(layer_arg("x"))] = TT_DIM_END;
    return tt_image_resize(layer_arg("x"), to, .method = oracle_text(p, "method", ""),
                           .aliased = oracle_flag(p, "aliased"));
}

const layer_row layer_parts[] = {
    { "mha_decode", do_mha_decode }, { "mha_dropout", do_mha_dropout }, { "attention_mask", do_mask },
    { "gated_mlp", do_gated }, { "spectral_norm", do_spectral }, { "weight_norm", do_weight },
    { "bidirectional", do_both_ways }, { "image_resize", do_resize }, { NULL, NULL },
};
