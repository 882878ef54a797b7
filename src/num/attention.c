/* num/attention.c - scaled dot-product attention (Vaswani and others, 2017).
 *
 * Logits and softmax are computed in float32 or a wider type. With fewer key heads than query heads, the query heads
 * that share a key head are a dim of their own, [batch, key heads, time, group, keys], so that keys are never
 * repeated. */
#include "num.h"

#include <math.h>
#include <string.h>

typedef struct { const char *site; int64_t b, tq, tk, h, hk, d; } sizes;


static tt_val attention_refused(const sizes *s, const char *what, tt_val v, const char *expected)
{
    const tt_val bad = tt_fail_at(s->site, TT_ESHAPE, "attention: %s is %s", what, tt_type_text_at(s->site, v));
    tt_hint("%s", expected);
    return bad;
}

/* mask or bias [b or 1, heads or 1, tq or 1, tk or 1] -> [b, hk, tq, group, tk], where dims of size 1 stay 1 */
static tt_val per_head(const sizes *s, tt_val v, const char *what)
{
    int64_t have[4];
    const int64_t want[4] = { s->b, s->h, s->tq, s->tk };
    bool fits = tt_rank_at(s->site, v) == 4;
    for (int i = 0; fits && i < 4; i++) fits = (have[i] = tt_dim_at(s->site, v, i)) == 1 || have[i] == want[i];
    if (!fits) return attention_refused(s, what, v, "it is [batch, heads, queries, keys], any of them 1");
    const int64_t group = s->h / s->hk, own = have[1] == 1 ? 1 : s->hk;
    const int64_t apart[] = { have[0], own, have[1] == 1 ? 1 : group, have[2], have[3], TT_DIM_END };
    return tt_transpose_at(s->site, tt_reshape_at(s->site, v, apart), (const int64_t[]){ 0, 1, 3, 2, 4, TT_DIM_END });
}

static tt_val both(const char *site, tt_val a, tt_val b) { return num_given(a) ? tt_and_at(site, a, b) : b; }

/* True if only keys within a distance are attended to. */
static bool attention_windowed(const tt_attention_opts *o)
{
    return o->window[0] || o->window[1] || tt_given(o, "window");
}

/* True where a query's and a key's positions are within the window: [tq, 1, tk]. */
static tt_val in_reach(const sizes *s, const tt_attention_opts *o, tt_val may)
{
    const char *at = s->site;
    const int64_t dims[] = { s->tq, 1, s->tk, TT_DIM_END };
    const tt_val j = tt_iota_at(at, TT_I32, 2, dims);
    tt_val i = tt_iota_at(at, TT_I32, 0, dims);
    if (num_given(o->offset)) i = tt_add_at(at, i, tt_cast_at(at, o->offset, TT_I32));
    if (o->causal) may = both(at, may, tt_compare_at(at, 3, j, i));
    if (!attention_windowed(o)) return may;
    may = both(at, may, tt_compare_at(at, 5, j, tt_sub_at(at, i, tt_i(o->window[0]))));
    return both(at, may, tt_compare_at(at, 3, j, tt_add_at(at, i, tt_i(o->window[1]))));
}

/* position < length of each batch row: [b, n], shaped as `dims` */
static tt_val attention_within(const sizes *s, tt_val length, int64_t n, const int64_t *dims)
{
    const bool whole = strchr("iu", tt_dtype_kind(tt_dtype_of_at(s->site, length)));
    if (tt_ok() && (!whole || tt_rank_at(s->site, length) != 1 || tt_dim_at(s->site, length, 0) != s->b)) {
        const tt_val bad = tt_fail_at(s->site, TT_ESHAPE, "attention: the lengths are %s; expected %lld integers",
                                      tt_type_text_at(s->site, length), (long long)s->b);
        tt_hint(".q_len and .kv_len have one integer per row of the batch");
        return bad;
    }
    length = num_ids(s->site, length);
    const tt_val place = tt_arange_at(s->site, tt_dtype_of_at(s->site, length), n);
    const tt_val row = tt_reshape_at(s->site, length, (const int64_t[]){ s->b, 1, TT_DIM_END });
    return tt_reshape_at(s->site, tt_compare_at(s->site, 2, place, row), dims);
}

/* p [b, hk, tq, group, tk] where a random mask keeps it, divided by the rate at which the mask keeps it; drawn as Flax
 * draws it. */
static tt_val attention_dropped(const sizes *s, tt_val p, const tt_attention_opts *o)
{
    const char *at = s->site;
    if (o->dropout == 1) return tt_mul_at(at, p, tt_f(0));
    const int64_t one[] = { 1, 1, s->tq, s->tk, TT_DIM_END }, each[] = { s->b, s->h, s->tq, s->tk, TT_DIM_END };
    const tt_val keep = tt_bernoulli_at(at, o->key, tt_f(1 - o->dropout), o->dropout_each ? each : one);
    return tt_where_at(at, per_head(s, keep, "the mask of dropout"), tt_div_at(at, p, tt_f(1 - o->dropout)), tt_f(0));
}

/* True if the options are in their ranges; else sets the error. */
static bool attention_options(const char *site, const tt_attention_opts *o)
{
    if (o->window[0] < 0 || o->window[1] < 0)
        tt_fail_at(site, TT_EARG, "attention: .window = { %lld, %lld }; expected 0 or more places to each side",
                   (long long)o->window[0], (long long)o->window[1]);
    else if (o->causal && !o->window[0] && o->window[1]) {
        tt_fail_at(site, TT_EARG, "attention: .window = { 0, %lld } has no effect with .causal: it has no later keys",
                   (long long)o->window[1]);
        tt_hint("the first number counts earlier keys: .window = { %lld, 0 }", (long long)o->window[1]);
    } else if (!(o->dropout >= 0 && o->dropout <= 1))
        tt_fail_at(site, TT_EARG, "attention: .dropout = %g; expected 0 to 1", o->dropout);
    else if (o->dropout > 0 && !num_given(o->key)) {
        tt_fail_at(site, TT_EARG, "attention: .dropout = %g without a .key", o->dropout);
        tt_hint("give the key by which the mask is drawn: .key = tt_stream_key(m, \"dropout\")");
    } else if (o->dropout == 0 && !tt_given(o, "dropout") && (o->dropout_each || num_given(o->key)))
        tt_fail_at(site, TT_EARG, "attention: .%s has no effect without .dropout",
                   o->dropout_each ? "dropout_each" : "key");
    else if (num_given(o->offset) && tt_ok() && (tt_rank_at(site, o->offset)
               || !strchr("iu", tt_dtype_kind(tt_dtype_of_at(site, o->offset)))))
        tt_fail_at(site, TT_ETYPE, "attention: .offset is %s; expected an integer scalar",
                   tt_type_text_at(site, o->offset));
    else if (num_given(o->offset) && !o->causal && !attention_windowed(o))
        tt_fail_at(site, TT_EARG, "attention: .offset has no effect without .causal or .window");
    return tt_ok();
}

static tt_val probabilities(const sizes *s, tt_val q, tt_val k, const tt_attention_opts *o)
{
    const char *at = s->site;
    const tt_dtype wide = tt_dtype_of_at(at, q) == TT_F64 ? TT_F64 : TT_F32;
    const tt_dot_opts dot = { .size = sizeof dot, .batch = "0:0, 2:2", .sum = "4:3", .result = wide };
    tt_val l = tt_dot_at(at, q, k, &dot), may = { 0 };       /* [b, hk, tq, group, tk] */
    l = tt_mul_at(at, l, tt_f(o->scale != 0 || tt_given(o, "scale") ? o->scale : 1 / sqrt((double)s->d)));
    if (num_given(o->bias) && tt_dtype_of_at(at, o->bias) == TT_BOOL) {
        tt_fail_at(at, TT_ETYPE, "attention: .bias is %s; expected numbers, which are added to the logits",
                   tt_type_text_at(at, o->bias));
        tt_hint("give bools as .mask: true where a query may look");
        return tt_poison;
    }
    if (num_given(o->bias)) l = tt_add_at(at, l, tt_cast_at(at, per_head(s, o->bias, ".bias"), wide));
    if (num_given(o->mask)) may = per_head(s, o->mask, ".mask");
    may = in_reach(s, o, may);
    const int64_t row[] = { s->b, 1, 1, 1, s->tk, TT_DIM_END };
    if (num_given(o->kv_len)) may = both(at, may, attention_within(s, o->kv_len, s->tk, row));
    if (num_given(may)) l = tt_where_at(at, may, l, tt_f(-0.7 * 3.4028234663852886e38));
    return tt_cast_at(at, tt_softmax_at(at, l, NULL), tt_dtype_of_at(at, k));
}

tt_val tt_attention_at(const char *site, tt_val q, tt_val k, tt_val v, const tt_attention_opts *o)
{
    TT_ENTRY(site);
    if (!tt_ok()) return tt_poison;
    if (!TT_CHECKED(tt_attention_opts, site, "attention", o)) return tt_poison;
    if (!attention_options(site, o)) return tt_poison;
    const bool ranks = tt_rank_at(site, q) == 4 && tt_rank_at(site, k) == 4 && tt_rank_at(site, v) == 4;
    sizes s = { .site = site };
    if (ranks)
        s = (sizes){ site, tt_dim_at(site, q, 0), tt_dim_at(site, q, 1), tt_dim_at(site, k, 1), tt_dim_at(site, q, 2),
                     tt_dim_at(site, k, 2), tt_dim_at(site, q, 3) };
    const bool fit = s.hk >= 1 && s.h % s.hk == 0 && tt_dim_at(site, k, 0) == s.b && tt_dim_at(site, k, 3) == s.d &&
                     tt_dim_at(site, v, 0) == s.b && tt_dim_at(site, v, 1) == s.tk && tt_dim_at(site, v, 2) == s.hk;
    if (!fit) {
        const tt_val bad = tt_fail_at(site, TT_ESHAPE,
                                      "attention: queries %s, keys %s and values %s do not fit each other",
                                          tt_type_text_at(site, q), tt_type_text_at(site, k), tt_type_text_at(site, v));
        tt_hint("each is [batch, time, heads, depth]; the heads of the keys divide those of the queries");
        return bad;
    }
    const int64_t group = s.h / s.hk;
    const int64_t split[] = { s.b, s.tq, s.hk, group, s.d, TT_DIM_END };
    tt_val p = probabilities(&s, tt_reshape_at(site, q, split), k, o);
    if (o->dropout > 0) p = attention_dropped(&s, p, o);
    const tt_dot_opts dot = { .size = sizeof dot, .batch = "0:0, 1:2", .sum = "4:1" };
    tt_val y = tt_dot_at(site, p, v, &dot);                  /* [b, hk, tq, group, d] */
    y = tt_transpose_at(site, y, (const int64_t[]){ 0, 2, 1, 3, 4, TT_DIM_END });
    y = tt_reshape_at(site, y, (const int64_t[]){ s.b, s.tq, s.h, tt_dim_at(site, v, 3), TT_DIM_END });
    const int64_t row[] = { s.b, s.tq, 1, 1, TT_DIM_END };
    return num_given(o->q_len) ? tt_where_at(site, attention_within(&s, o->q_len, s.tq, row), y, tt_f(0)) : y;
}
