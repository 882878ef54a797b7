/* nn/attention.c - multi-head attention with its projections, named as in Flax Linen: query, key, value, out.
 *
 * A projection's kernel is [features, heads, depth], out's [heads, depth, features]. If there are fewer key heads than
 * query heads, groups of successive query heads share one.
 */
#include "nn.h"

typedef struct { int64_t heads, depth; const tt_mha_opts *o; } plan;

static tt_val projected(nn_frame *f, const char *name, tt_val x, int64_t heads, const plan *p)
{
    const tt_mha_opts *o = p->o;
    const tt_dense_opts d = { .size = sizeof d, .split = { heads, p->depth }, .no_bias = o->no_bias,
                              .kernel_init = o->kernel_init, .bias_init = o->bias_init, .dtype = o->dtype,
                              .precision = o->precision, .param_dtype = o->param_dtype };
    return tt_dense_at(f->site, (tt_nn){ f, f->alive }, name, x, heads * p->depth, &d);
}

static tt_val normalized(nn_frame *f, const char *name, tt_val v, const tt_mha_opts *o)
{
    const tt_norm_opts n = { .size = sizeof n, .no_bias = 1, .dtype = o->dtype, .param_dtype = o->param_dtype };
    return tt_layer_norm_at(f->site, (tt_nn){ f, f->alive }, name, v, &n);
}

tt_val tt_attention_layer_at(const char *site, tt_nn m, const char *name, tt_val x, int64_t heads, const tt_mha_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_mha_opts, site, "attention_layer", o)) return tt_poison;
    if (o->no_bias && (o->bias_init || o->out_bias_init))
        return nn_nothing(site, "attention_layer", o->bias_init ? "bias_init" : "out_bias_init", "no_bias");
    nn_frame f;
    if (!nn_enter(&f, m, site, "MultiHeadDotProductAttention", name)) return tt_poison;
    const int64_t features = tt_dim_at(site, x, -1), inner = o->qkv ? o->qkv : features;
    const int64_t shared = o->kv_heads ? o->kv_heads : heads, made = o->out ? o->out : features;
    if (tt_ok() && (tt_rank_at(site, x) != 3 || heads < 1 || inner % heads || heads % shared)) {
        const tt_val bad = tt_fail_at(site, TT_ESHAPE, "attention: %lld heads (%lld of keys) of %lld features of %s",
                                      (long long)heads, (long long)shared, (long long)inner, tt_type_text_at(site, x));
        tt_hint("x is [batch, time, features]; the features must divide by the heads, the heads by those of the keys");
        return bad;
    }
    const plan p = { heads, inner / heads, o };
    const tt_val from = nn_is(o->kv) ? o->kv : x, values = nn_is(o->value) ? o->value : from;
    tt_val q = projected(&f, "query", x, heads, &p), k = projected(&f, "key", from, shared, &p);
    const tt_val v = projected(&f, "value", values, shared, &p);
    if (o->normalize_qk) q = normalized(&f, "query_ln", q, o), k = normalized(&f, "key_ln", k, o);
    if (o->rope != 0) {
        const tt_rope_opts r = { .size = sizeof r, .base = o->rope };
        q = tt_rope_at(site, q, &r), k = tt_rope_at(site, k, &r);
    }
    const tt_attention_opts a = { .size = sizeof a, .mask = o->mask, .bias = o->bias, .causal = o->causal,
                                  .window = { o->window[0], o->window[1] },
                                  .given = tt_given(o, "window") ? ".window" : NULL };
    const tt_dense_opts out = { .size = sizeof out, .dims = "-2, -1", .no_bias = o->no_bias,
                                .kernel_init = o->out_kernel_init ? o->out_kernel_init : o->kernel_init,
                                .bias_init = o->out_bias_init ? o->out_bias_init : o->bias_init, .dtype = o->dtype,
                                .precision = o->precision, .param_dtype = o->param_dtype };
    const tt_val y = tt_dense_at(site, (tt_nn){ &f, f.alive }, "out", tt_attention_at(site, q, k, v, &a), made, &out);
    return nn_leave(&f, y);
}
