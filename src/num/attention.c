/* num/attention.c - scaled dot-product attention (Vaswani and others, 2017) and rotary positions (Su and others, 2021).
 *
 * Logits and softmax are computed at least in float32. With fewer key heads, the query heads of one key head are a dim
 * of their own, [batch, key heads, time, group, keys], so that keys are never repeated.
 */
#include "num.h"

#include <math.h>
#include <string.h>

typedef struct { const char *site; int64_t b, tq, tk, h, hk, d; } sizes;

static bool is_value(tt_val v) { return v.slot || v.born; }

static tt_val refused(const sizes *s, const char *what, tt_val v, const char *expected)
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
    if (!fits) return refused(s, what, v, "it is [batch, heads, queries, keys], any of them 1");
    const int64_t group = s->h / s->hk, own = have[1] == 1 ? 1 : s->hk;
    const int64_t apart[] = { have[0], own, have[1] == 1 ? 1 : group, have[2], have[3], TT_DIM_END };
    return tt_transpose_at(s->site, tt_reshape_at(s->site, v, apart), (const int64_t[]){ 0, 1, 3, 2, 4, TT_DIM_END });
}

static tt_val both(const char *site, tt_val a, tt_val b) { return is_value(a) ? tt_and_at(site, a, b) : b; }

/* True where a query's and a key's positions are within the window: [tq, 1, tk]. */
static tt_val in_reach(const sizes *s, const tt_attention_opts *o, tt_val may)
{
    const char *at = s->site;
    const int64_t dims[] = { s->tq, 1, s->tk, TT_DIM_END };
    const tt_val i = tt_iota_at(at, TT_I32, 0, dims), j = tt_iota_at(at, TT_I32, 2, dims);
    if (o->causal) may = both(at, may, tt_compare_at(at, 3, j, i));
    if (!o->window[0] && !o->window[1] && !tt_given(o, "window")) return may;
    may = both(at, may, tt_compare_at(at, 5, j, tt_sub_at(at, i, tt_i(o->window[0]))));
    return both(at, may, tt_compare_at(at, 3, j, tt_add_at(at, i, tt_i(o->window[1]))));
}

/* position < length of each batch row: [b, n], shaped as `dims` */
static tt_val attention_within(const sizes *s, tt_val length, int64_t n, const int64_t *dims)
{
    const bool whole = strchr("iu", tt_dtype_kind(tt_dtype_of_at(s->site, length)));
    if (tt_ok() && (!whole || tt_rank_at(s->site, length) != 1 || tt_dim_at(s->site, length, 0) != s->b)) {
        const tt_val bad = tt_fail_at(s->site, TT_ESHAPE, "attention: lengths %s of a batch of %lld",
                                      tt_type_text_at(s->site, length), (long long)s->b);
        tt_hint("give .q_len and .kv_len one integer per row of the batch");
        return bad;
    }
    length = num_ids(s->site, length);
    const tt_val place = tt_arange_at(s->site, tt_dtype_of_at(s->site, length), n);
    const tt_val row = tt_reshape_at(s->site, length, (const int64_t[]){ s->b, 1, TT_DIM_END });
    return tt_reshape_at(s->site, tt_compare_at(s->site, 2, place, row), dims);
}

static tt_val probabilities(const sizes *s, tt_val q, tt_val k, const tt_attention_opts *o)
{
    const char *at = s->site;
    const tt_dtype wide = tt_dtype_of_at(at, q) == TT_F64 ? TT_F64 : TT_F32;
    const tt_dot_opts dot = { .size = sizeof dot, .batch = "0:0, 2:2", .sum = "4:3", .result = wide };
    tt_val l = tt_dot_at(at, q, k, &dot), may = { 0 };       /* [b, hk, tq, group, tk] */
    l = tt_mul_at(at, l, tt_f(o->scale != 0 || tt_given(o, "scale") ? o->scale : 1 / sqrt((double)s->d)));
    if (is_value(o->bias) && tt_dtype_of_at(at, o->bias) == TT_BOOL) {
        tt_fail_at(at, TT_ETYPE, "attention: .bias is %s; it is added to the logits", tt_type_text_at(at, o->bias));
        tt_hint("truths are a .mask: true where a query may look");
        return tt_poison;
    }
    if (is_value(o->bias)) l = tt_add_at(at, l, tt_cast_at(at, per_head(s, o->bias, ".bias"), wide));
    if (is_value(o->mask)) may = per_head(s, o->mask, ".mask");
    may = in_reach(s, o, may);
    const int64_t row[] = { s->b, 1, 1, 1, s->tk, TT_DIM_END };
    if (is_value(o->kv_len)) may = both(at, may, attention_within(s, o->kv_len, s->tk, row));
    if (is_value(may)) l = tt_where_at(at, may, l, tt_f(-0.7 * 3.4028234663852886e38));
    return tt_cast_at(at, tt_softmax_at(at, l, NULL), tt_dtype_of_at(at, k));
}

tt_val tt_attention_at(const char *site, tt_val q, tt_val k, tt_val v, const tt_attention_opts *o)
{
    TT_ENTRY(site);
    if (!tt_ok()) return tt_poison;
    if (!TT_CHECKED(tt_attention_opts, site, "attention", o)) return tt_poison;
    if (o->window[0] < 0 || o->window[1] < 0)
        return tt_fail_at(site, TT_EARG, "attention: .window = { %lld, %lld }; keys are 0 or more places away",
                          (long long)o->window[0], (long long)o->window[1]);
    const bool ranks = tt_rank_at(site, q) == 4 && tt_rank_at(site, k) == 4 && tt_rank_at(site, v) == 4;
    sizes s = { .site = site };
    if (ranks)
        s = (sizes){ site, tt_dim_at(site, q, 0), tt_dim_at(site, q, 1), tt_dim_at(site, k, 1), tt_dim_at(site, q, 2),
                     tt_dim_at(site, k, 2), tt_dim_at(site, q, 3) };
    const bool fit = s.hk >= 1 && s.h % s.hk == 0 && tt_dim_at(site, k, 0) == s.b && tt_dim_at(site, k, 3) == s.d &&
                     tt_dim_at(site, v, 0) == s.b && tt_dim_at(site, v, 1) == s.tk && tt_dim_at(site, v, 2) == s.hk;
    if (!fit) {
        const tt_val bad = tt_fail_at(site, TT_ESHAPE, "attention: queries %s, keys %s, values %s",
                                      tt_type_text_at(site, q), tt_type_text_at(site, k), tt_type_text_at(site, v));
        tt_hint("they are [batch, time, heads, depth]; the heads of the queries divide by those of the keys");
        return bad;
    }
    const int64_t group = s.h / s.hk;
    const int64_t split[] = { s.b, s.tq, s.hk, group, s.d, TT_DIM_END };
    const tt_val p = probabilities(&s, tt_reshape_at(site, q, split), k, o);
    const tt_dot_opts dot = { .size = sizeof dot, .batch = "0:0, 1:2", .sum = "4:1" };
    tt_val y = tt_dot_at(site, p, v, &dot);                  /* [b, hk, tq, group, d] */
    y = tt_transpose_at(site, y, (const int64_t[]){ 0, 2, 1, 3, 4, TT_DIM_END });
    y = tt_reshape_at(site, y, (const int64_t[]){ s.b, s.tq, s.h, tt_dim_at(site, v, 3), TT_DIM_END });
    const int64_t row[] = { s.b, s.tq, 1, 1, TT_DIM_END };
    return is_value(o->q_len) ? tt_where_at(site, attention_within(&s, o->q_len, s.tq, row), y, tt_f(0)) : y;
}

/* x [batch, time, heads, depth]: pairs are rotated by the angle p base^(-2i/d): (i, i + d/2), or interleaved (2i, 2i +
 * 1). */
tt_val tt_rope_at(const char *site, tt_val x, const tt_rope_opts *o)
{
    TT_ENTRY(site);
    if (!tt_ok()) return tt_poison;
    if (!TT_CHECKED(tt_rope_opts, site, "rope", o)) return tt_poison;
    if (tt_ok() && (tt_rank_at(site, x) != 4 || tt_dim_at(site, x, 3) % 2)) {
        const tt_val bad = tt_fail_at(site, TT_ESHAPE, "rope: of %s", tt_type_text_at(site, x));
        tt_hint("it is [batch, time, heads, depth] with an even depth");
        return bad;
    }
    x = num_real(site, x);
    const int64_t t = tt_dim_at(site, x, 1), d = tt_dim_at(site, x, 3), half = d / 2;
    const double base = o->base != 0 ? o->base : 10000;
    const tt_dtype wide = tt_dtype_of_at(site, x) == TT_F64 ? TT_F64 : TT_F32;
    const int64_t shape[] = { 1, t, 1, half, TT_DIM_END };
    const tt_val pair = tt_iota_at(site, wide, 3, shape);
    const tt_val turn = tt_pow_at(site, tt_f(base), tt_mul_at(site, pair, tt_f(-2.0 / (double)d)));
    tt_val place = tt_iota_at(site, wide, 1, shape);
    if (is_value(o->positions))                              /* [batch, time] */
        place = tt_reshape_at(site, tt_cast_at(site, o->positions, wide), (const int64_t[]){ -1, t, 1, 1, TT_DIM_END });
    const tt_val angle = tt_mul_at(site, tt_add_at(site, place, tt_f((double)o->offset)), turn);
    const tt_val c = tt_cos_at(site, angle), s = tt_sin_at(site, angle);
    tt_val a, b, pairs = x;
    if (o->interleaved) {
        pairs = tt_reshape_at(site, x, (const int64_t[]){ tt_dim_at(site, x, 0), t, tt_dim_at(site, x, 2), half, 2,
                                                          TT_DIM_END });
        a = tt_squeeze_at(site, tt_slice_at(site, pairs, 4, 0, 1, 1), 4);
        b = tt_squeeze_at(site, tt_slice_at(site, pairs, 4, 1, 2, 1), 4);
    } else a = tt_slice_at(site, x, 3, 0, half, 1), b = tt_slice_at(site, x, 3, half, d, 1);
    const tt_val u = tt_sub_at(site, tt_mul_at(site, a, c), tt_mul_at(site, b, s));
    const tt_val v = tt_add_at(site, tt_mul_at(site, b, c), tt_mul_at(site, a, s));
    const tt_val turned[] = { u, v, tt_end };
    const tt_val y = o->interleaved ? tt_flatten_at(site, tt_stack_values_at(site, -1, turned), 3)
                                    : tt_concat_at(site, 3, turned);
    return tt_cast_at(site, y, tt_dtype_of_at(site, x));
}
