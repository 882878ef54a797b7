/* nn/attention.c - multi-head attention with its projections, named as in Flax Linen: query, key, value, out.
 *
 * A projection's kernel is [features, heads, depth], out's [heads, depth, features]. If there are fewer key heads than
 * query heads, groups of successive query heads share one. With a cache, keys and values of earlier passes are
 * variables of collection "cache", into which those of this pass are written.
 */
#include "nn.h"

#include <stdio.h>
#include <string.h>

typedef struct { int64_t heads, depth; char in[NN_LIST], out[NN_LIST]; const tt_mha_opts *o; } plan;
typedef struct { bool is; tt_val k, v, from; } cached;  /* all keys and values; from: the number of earlier ones */

static tt_val projected(nn_frame *f, const char *name, tt_val x, int64_t heads, const plan *p)
{
    const tt_mha_opts *o = p->o;
    const tt_dense_opts d = { .size = sizeof d, .split = { heads, p->depth }, .no_bias = o->no_bias,
                              .kernel_init = o->kernel_init, .bias_init = o->bias_init, .dtype = o->dtype,
                              .precision = o->precision, .param_dtype = o->param_dtype, .lora = o->lora,
                              .axes = o->axes ? p->in : NULL };
    return tt_dense_at(f->site, (tt_nn){ f, f->alive }, name, x, heads * p->depth, &d);
}

static tt_val normalized(nn_frame *f, const char *name, tt_val v, const tt_mha_opts *o)
{
    const tt_norm_opts n = { .size = sizeof n, .no_bias = 1, .dtype = o->dtype, .param_dtype = o->param_dtype };
    return tt_layer_norm_at(f->site, (tt_nn){ f, f->alive }, name, v, &n);
}

/* Logical axes "embed, heads, depth" of the projections, and "heads, depth, embed" of out. */
static bool axes_of(const char *site, plan *p)
{
    const char *axes = p->o->axes, *one = axes ? strchr(axes, ',') : NULL, *two = one ? strchr(one + 1, ',') : NULL;
    if (!axes) return true;
    if (!two || strchr(two + 1, ',') || strlen(axes) >= NN_LIST) {
        tt_fail_at(site, TT_ESPEC, "attention_layer: .axes = \"%s\"; expected three names", axes);
        tt_hint("\"embed, heads, depth\" are the axes of the projections' kernels");
        return false;
    }
    snprintf(p->in, sizeof p->in, "%s", axes);
    snprintf(p->out, sizeof p->out, "%s, %.*s", one + 1 + strspn(one + 1, " "), (int)(one - axes), axes);
    return true;
}

/* True if the options fit each other; else sets the error. */
static bool mha_options(const char *site, const tt_mha_opts *o)
{
    const bool drops = o->dropout != 0 || tt_given(o, "dropout");
    const char *const wrong = o->rope_scaling && o->rope == 0 ? ".rope_scaling without .rope"
                              : o->dropout_each && !drops     ? ".dropout_each without .dropout"
                              : o->cache && !o->causal        ? ".cache without .causal"
                              : o->cache && nn_is(o->kv)      ? ".cache with .kv"
                              : o->cache && nn_is(o->value)   ? ".cache with .value"
                                                              : NULL;
    if (wrong) tt_fail_at(site, TT_EARG, "attention_layer: %s", wrong);
    if (wrong && o->cache && !strncmp(wrong, ".cache", 6))
        tt_hint("a cache holds the positions before x, to which x attends: it needs .causal, and keys and values of x");
    if (tt_ok() && !(o->dropout >= 0 && o->dropout <= 1))
        tt_fail_at(site, TT_EARG, "attention_layer: .dropout = %g; expected 0 to 1", o->dropout);
    return tt_ok();
}

static tt_val mha_roped(const char *site, tt_val v, const cached *c, const tt_mha_opts *o)
{
    tt_rope_opts r = { .size = sizeof r, .base = o->rope, .scaling = o->rope_scaling };
    if (c->is)
        r.positions = tt_expand_dims_at(
            site, tt_add_at(site, tt_arange_at(site, TT_I32, tt_dim_at(site, v, 1)), c->from), 0);
    return tt_rope_at(site, v, &r);
}

/* The variable of a projection v [batch, time, heads, depth], [batch, cache, heads, depth]; zeros at first. */
static tt_val kept_of(nn_frame *f, const char *name, tt_val v, int64_t places)
{
    const int64_t dims[] = { tt_dim_at(f->site, v, 0), places, tt_dim_at(f->site, v, 2), tt_dim_at(f->site, v, 3),
                             TT_DIM_END };
    const tt_val kept = nn_collected(f, "cache", name, tt_full_at(f->site, 0, tt_dtype_of_at(f->site, v), dims));
    bool fits = tt_ok() && tt_rank_at(f->site, kept) == 4;
    for (int d = 0; fits && d < 4; d++) fits = tt_dim_at(f->site, kept, d) == dims[d];
    if (tt_ok() && !fits) {
        tt_fail_at(f->site, TT_ESHAPE, "attention_layer: the cache is %s; x needs [%lld, %lld, %lld, %lld]",
                   tt_type_text_at(f->site, kept), (long long)dims[0], (long long)dims[1], (long long)dims[2],
                   (long long)dims[3]);
        tt_hint("make it with tt_init_collections() for an x with this number of rows");
    }
    return kept;
}

/* Writes k and v behind the earlier ones. */
static void cache_written(nn_frame *f, cached *c, tt_val k, tt_val v, int64_t places)
{
    const char *site = f->site;
    c->k = kept_of(f, "cached_key", k, places), c->v = kept_of(f, "cached_value", v, places);
    if (f->root->collections.making || !tt_ok()) return;
    c->k = tt_dynamic_update_slice_at(site, c->k, tt_cast_at(site, k, tt_dtype_of_at(site, c->k)), 1, c->from);
    c->v = tt_dynamic_update_slice_at(site, c->v, tt_cast_at(site, v, tt_dtype_of_at(site, c->v)), 1, c->from);
    nn_collect(f, "cache", "cached_key", c->k);
    nn_collect(f, "cache", "cached_value", c->v);
    nn_collect(f, "cache", "cache_index", tt_add_at(site, c->from, tt_i(tt_dim_at(site, k, 1))));
}

/* y, or NaN if positions of x are beyond the cache. */
static tt_val within_cache(const char *site, tt_val y, const cached *c, int64_t time, int64_t places)
{
    const tt_val fits = tt_compare_at(site, 3, tt_add_at(site, c->from, tt_i(time)), tt_i(places));
    return tt_where_at(site, fits, y, tt_f((double)__builtin_nanf("")));
}

static tt_val attended(nn_frame *f, tt_val q, tt_val k, tt_val v, const tt_mha_opts *o)
{
    const char *site = f->site;
    cached c = { .is = o->cache && (f->root->collections.making || nn_is_collected(f, "cache", "cache_index")) };
    const int64_t time = tt_dim_at(site, q, 1);
    if (c.is) {
        const int64_t scalar[] = { TT_DIM_END };
        c.from = nn_collected(f, "cache", "cache_index", tt_full_i_at(site, 0, TT_I32, scalar));
        const bool one = tt_ok() && tt_rank_at(site, c.from) == 0 && tt_dtype_of_at(site, c.from) == TT_I32;
        if (tt_ok() && (!one || (!tt_is_traced_at(site, c.from) && tt_num_at(site, c.from) < 0)))
            return tt_fail_at(site, TT_EARG, "attention_layer: the cache_index is %s; expected the number of earlier "
                              "positions, i32[]", tt_value_text_at(site, c.from));
        if (tt_ok() && !tt_is_traced_at(site, c.from) && tt_num_at(site, c.from) + (double)time > (double)o->cache) {
            tt_fail_at(site, TT_ESHAPE, "attention_layer: %lld positions after %g are more than .cache = %lld",
                       (long long)time, tt_num_at(site, c.from), (long long)o->cache);
            tt_hint("give a larger .cache, or begin an empty one with tt_init_collections()");
            return tt_poison;
        }
    }
    if (o->rope != 0) q = mha_roped(site, q, &c, o), k = mha_roped(site, k, &c, o);
    if (c.is) cache_written(f, &c, k, v, o->cache);
    const bool drops = o->dropout > 0 && f->root->mode == NN_TRAIN;
    tt_attention_opts a = { .size = sizeof a, .mask = o->mask, .bias = o->bias, .causal = o->causal,
                            .window = { o->window[0], o->window[1] }, .dropout = drops ? o->dropout : 0,
                            .dropout_each = o->dropout_each && drops,
                            .given = tt_given(o, "window") ? ".window" : NULL };
    if (drops) a.key = nn_key(f, "dropout");
    if (!c.is || f->root->collections.making) return tt_attention_at(site, q, k, v, &a);
    if (a.causal || a.window[0] || a.window[1] || a.given) a.offset = c.from;
    return within_cache(site, tt_attention_at(site, q, c.k, c.v, &a), &c, time, o->cache);
}

tt_val tt_attention_layer_at(const char *site, tt_nn m, const char *name, tt_val x, int64_t heads, const tt_mha_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_mha_opts, site, "attention_layer", o)) return tt_poison;
    if (o->no_bias && (o->bias_init || o->out_bias_init))
        return nn_nothing(site, "attention_layer", o->bias_init ? "bias_init" : "out_bias_init", "no_bias");
    nn_frame f;
    if (!mha_options(site, o) || !nn_enter(&f, m, site, "MultiHeadDotProductAttention", name)) return tt_poison;
    const int64_t features = tt_dim_at(site, x, -1), inner = o->qkv ? o->qkv : features;
    const int64_t shared = o->kv_heads ? o->kv_heads : heads, made = o->out ? o->out : features;
    if (tt_ok() && (tt_rank_at(site, x) != 3 || heads < 1 || inner % heads || heads % shared)) {
        const tt_val bad = tt_fail_at(site, TT_ESHAPE,
                                      "attention: %lld heads (%lld of keys) and %lld features do not fit %s",
                                          (long long)heads, (long long)shared, (long long)inner,
                                              tt_type_text_at(site, x));
        tt_hint("x is [batch, time, features]; the features must divide by the heads, the heads by those of the keys");
        return bad;
    }
    plan p = { .heads = heads, .depth = heads > 0 ? inner / heads : 1, .o = o };
    if (!tt_ok() || !axes_of(site, &p)) return tt_poison;
    const tt_val from = nn_is(o->kv) ? o->kv : x, values = nn_is(o->value) ? o->value : from;
    tt_val q = projected(&f, "query", x, heads, &p), k = projected(&f, "key", from, shared, &p);
    const tt_val v = projected(&f, "value", values, shared, &p);
    if (o->normalize_qk) q = normalized(&f, "query_ln", q, o), k = normalized(&f, "key_ln", k, o);
    const tt_dense_opts out = { .size = sizeof out, .dims = "-2, -1", .no_bias = o->no_bias,
                                .kernel_init = o->out_kernel_init ? o->out_kernel_init : o->kernel_init,
                                .bias_init = o->out_bias_init ? o->out_bias_init : o->bias_init, .dtype = o->dtype,
                                .precision = o->precision, .param_dtype = o->param_dtype, .lora = o->lora,
                                .axes = o->axes ? p.out : NULL };
    return nn_leave(&f, tt_dense_at(site, (tt_nn){ &f, f.alive }, "out", attended(&f, q, k, v, o), made, &out));
}
