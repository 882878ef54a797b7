/* num/ring.c - attention over a sequence that is sharded over a mesh axis, inside a shard_map (Liu and others, 2023).
 *
 * Blocks of keys and values are passed around the ring of devices; each device keeps the running maximum m of its
 * logits, the sum l of their exponentials and the weighted sum o of values, and rescales both sums when m grows. The
 * derivative keeps q, k, v, y and m + log l, and passes the blocks around a second time together with the gradients of
 * keys and values, so residuals do not grow with the number of devices. */
#include "num.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The call; its bytes are its identity. zigzag: device i has the parts i and 2 n - 1 - i of the sequence's 2 n
 * parts. */
typedef struct { const char *site; char axis[64]; int64_t devices; double scale; int causal, zigzag; } ring;
enum { AXIS = 64 };

/* The type of sums, logits and probabilities. */
static tt_dtype ring_wide(const ring *r, tt_val q) { return tt_dtype_of_at(r->site, q) == TT_F64 ? TT_F64 : TT_F32; }

/* The positions i32[n] of the elements of device `at`'s block. */
static tt_val positions_of(const ring *r, tt_val at, int64_t n)
{
    const char *site = r->site;
    const tt_val i = tt_arange_at(site, TT_I32, n);
    if (!r->zigzag) return tt_add_at(site, tt_mul_at(site, at, tt_i(n)), i);
    const tt_val half = tt_i(n / 2), far = tt_sub_at(site, tt_i(2 * r->devices - 1), at);
    const tt_val second = tt_sub_at(site, tt_add_at(site, tt_mul_at(site, far, half), i), half);
    return tt_where_at(site, tt_compare_at(site, 2, i, half), tt_add_at(site, tt_mul_at(site, at, half), i), second);
}

/* For q [b, t, hk, group, d] and the k [b, t, hk, d] of the device `steps` before this one: the logits [b, hk, t,
 * group, t], very low where a mask hides the key from the query. */
static tt_val ring_logits(const ring *r, tt_val q, tt_val k, int64_t steps)
{
    const char *site = r->site;
    const tt_dot_opts dot = { .size = sizeof dot, .batch = "0:0, 2:2", .sum = "4:3", .result = ring_wide(r, q) };
    const tt_val l = tt_mul_at(site, tt_dot_at(site, q, k, &dot), tt_f(r->scale));
    if (!r->causal) return l;
    const int64_t tq = tt_dim_at(site, q, 1), tk = tt_dim_at(site, k, 1);
    const tt_val me = tt_axis_index_at(site, r->axis), n = tt_i(r->devices);
    const tt_val other = tt_mod_at(site, tt_sub_at(site, me, tt_i(steps)), n);
    const tt_val i = tt_reshape_at(site, positions_of(r, me, tq), (const int64_t[]){ tq, 1, 1, TT_DIM_END });
    const tt_val j = tt_reshape_at(site, positions_of(r, other, tk), (const int64_t[]){ 1, 1, tk, TT_DIM_END });
    return tt_where_at(site, tt_compare_at(site, 3, j, i), l, tt_f(-0.7 * 3.4028234663852886e38));
}

static tt_val shifted(const ring *r, tt_val v) { return tt_pshift_at(r->site, v, r->axis, 1); }
static tt_val ring_last(const ring *r, tt_val v) { return tt_expand_dims_at(r->site, v, -1); }

/* (y, m + log l): y [b, t, hk, group, d] in the wide type, the logarithms [b, hk, t, group] */
static tt_val ring_forward(const ring *r, tt_val q, tt_val k, tt_val v)
{
    const char *site = r->site;
    const tt_reduce_opts last = { .size = sizeof last, .dims = "-1" };
    const tt_dot_opts weighed = { .size = sizeof weighed, .batch = "0:0, 1:2", .sum = "4:1",
                                  .result = ring_wide(r, q) };
    tt_val m = tt_poison, l = tt_poison, o = tt_poison;
    for (int64_t step = 0; step < r->devices && tt_ok(); step++) {
        const tt_val s = ring_logits(r, q, k, step), top = tt_amax_at(site, s, &last);
        const tt_val now = step ? tt_max_at(site, m, top) : top;
        const tt_val p = tt_exp_at(site, tt_sub_at(site, s, ring_last(r, now)));
        const tt_val sum = tt_sum_at(site, p, &last);
        const tt_val part = tt_dot_at(site, tt_cast_at(site, p, tt_dtype_of_at(site, v)), v, &weighed);
        const tt_val old = step ? tt_exp_at(site, tt_sub_at(site, m, now)) : m;
        l = step ? tt_add_at(site, tt_mul_at(site, l, old), sum) : sum;
        o = step ? tt_add_at(site, tt_mul_at(site, o, ring_last(r, old)), part) : part;
        m = now;
        if (step + 1 < r->devices) k = shifted(r, k), v = shifted(r, v);
    }
    o = tt_div_at(site, o, ring_last(r, l));
    const tt_val y = tt_transpose_at(site, o, (const int64_t[]){ 0, 2, 1, 3, 4, TT_DIM_END });
    return tt_tuple_at(site, (const tt_val[]){ y, tt_add_at(site, m, tt_log_at(site, l)), tt_end });
}

static tt_val ring_value(void *env, int n, const tt_val *x)
{
    const ring *r = env;
    (void)n;
    const tt_val y = tt_item_at(r->site, ring_forward(r, x[0], x[1], x[2]), 0);
    return tt_cast_at(r->site, y, tt_dtype_of_at(r->site, x[0]));
}

static tt_val ring_fwd(void *env, int n, const tt_val *x)
{
    const ring *r = env;
    (void)n;
    const tt_val out = ring_forward(r, x[0], x[1], x[2]), y = tt_item_at(r->site, out, 0);
    const tt_val kept[] = { x[0], x[1], x[2], y, tt_item_at(r->site, out, 1), tt_end };
    const tt_val result = tt_cast_at(r->site, y, tt_dtype_of_at(r->site, x[0]));
    return tt_tuple_at(r->site, (const tt_val[]){ result, tt_tuple_at(r->site, kept), tt_end });
}

/* With p = exp(s - log sum): dv = p' dy, ds = p (dy v' - sum(dy y)), dq = ds k, dk = ds' q. The two sums of ds cancel
 * where p is near 1, so neither is rounded to a type of 16 bits, nor is y before. dy: [b, hk, t, group, d]. */
static tt_val ring_bwd(void *env, int n, const tt_val *x)
{
    const ring *r = env;
    const char *site = r->site;
    tt_val q, k, v, y, lse, dk = tt_poison, dv = tt_poison, dq = tt_poison;
    const tt_reduce_opts last = { .size = sizeof last, .dims = "-1" };
    (void)n;
    if (!tt_unpack_at(site, x[0], (tt_val *const[]){ &q, &k, &v, &y, &lse, NULL })) return tt_poison;
    const tt_dtype dtype[3] = { tt_dtype_of_at(site, q), tt_dtype_of_at(site, k), tt_dtype_of_at(site, v) };
    const int64_t heads_first[] = { 0, 2, 1, 3, 4, TT_DIM_END };
    const tt_val dy = tt_cast_at(site, tt_transpose_at(site, x[1], heads_first), ring_wide(r, q));
    const tt_val dot_y = tt_sum_at(site, tt_mul_at(site, dy, tt_transpose_at(site, y, heads_first)), &last);
    for (int64_t step = 0; step < r->devices && tt_ok(); step++) {
        const tt_val p = tt_exp_at(site, tt_sub_at(site, ring_logits(r, q, k, step), ring_last(r, lse)));
        const tt_val dp = tt_einsum_at(site, "bhigd,bjhd->bhigj", (const tt_val[]){ dy, v, tt_end });
        const tt_val ds = tt_mul_at(site, tt_mul_at(site, p, tt_sub_at(site, dp, ring_last(r, dot_y))), tt_f(r->scale));
        const tt_val vs = tt_einsum_at(site, "bhigj,bhigd->bjhd", (const tt_val[]){ p, dy, tt_end });
        const tt_val ks = tt_einsum_at(site, "bhigj,bihgd->bjhd", (const tt_val[]){ ds, q, tt_end });
        const tt_val qs = tt_einsum_at(site, "bhigj,bjhd->bihgd", (const tt_val[]){ ds, k, tt_end });
        dv = step ? tt_add_at(site, dv, vs) : vs, dk = step ? tt_add_at(site, dk, ks) : ks;
        dq = step ? tt_add_at(site, dq, qs) : qs;
        if (step + 1 < r->devices) k = shifted(r, k), v = shifted(r, v);
        dk = shifted(r, dk), dv = shifted(r, dv);        /* at the end they return to their own device */
    }
    return tt_tuple_at(site, (const tt_val[]){ tt_cast_at(site, dq, dtype[0]), tt_cast_at(site, dk, dtype[1]),
                                               tt_cast_at(site, dv, dtype[2]), tt_end });
}

/* True if q, k and v fit each other; else sets the error. */
static bool ring_fits(const char *site, tt_val q, tt_val k, tt_val v, const tt_ring_attention_opts *o)
{
    bool fits = tt_rank_at(site, q) == 4 && tt_rank_at(site, k) == 4 && tt_rank_at(site, v) == 4;
    for (int d = 0; fits && d < 4; d++)
        fits = d == 2 || (tt_dim_at(site, k, d) == tt_dim_at(site, q, d) &&
                          tt_dim_at(site, v, d) == tt_dim_at(site, q, d));
    fits = fits && tt_dim_at(site, k, 2) == tt_dim_at(site, v, 2) && tt_dim_at(site, q, 2) % tt_dim_at(site, k, 2) == 0;
    if (tt_ok() && !fits) {
        tt_fail_at(site, TT_ESHAPE, "ring_attention: queries %s, keys %s and values %s do not fit each other",
                   tt_type_text_at(site, q), tt_type_text_at(site, k), tt_type_text_at(site, v));
        tt_hint("each is a block [batch, time, heads, depth] of one size; the heads of the keys divide those of the "
                "queries");
    } else if (tt_ok() && o->zigzag && tt_dim_at(site, q, 1) % 2)
        tt_fail_at(site, TT_ESHAPE, "ring_attention: .zigzag with %lld positions a device; expected an even number",
                   (long long)tt_dim_at(site, q, 1));
    return tt_ok();
}

tt_val tt_ring_attention_at(const char *site, tt_val q, tt_val k, tt_val v, const char *axis,
                            const tt_ring_attention_opts *o)
{
    TT_ENTRY(site);
    if (!tt_ok() || !TT_CHECKED(tt_ring_attention_opts, site, "ring_attention", o)) return tt_poison;
    if (!axis || !*axis || strlen(axis) >= AXIS)
        return tt_fail_at(site, TT_EARG, "ring_attention: the axis is %s%.40s%s; expected a name of 1 to %d characters",
                          axis ? "\"" : "", axis ? axis : "NULL", axis ? "\"" : "", AXIS - 1);
    if (!ring_fits(site, q, k, v, o)) return tt_poison;
    const int64_t b = tt_dim_at(site, q, 0), t = tt_dim_at(site, q, 1), h = tt_dim_at(site, q, 2);
    const int64_t hk = tt_dim_at(site, k, 2), d = tt_dim_at(site, q, 3);
    ring r;
    memset(&r, 0, sizeof r);
    r.site = site, r.devices = tt_axis_size_at(site, axis), r.causal = o->causal, r.zigzag = o->zigzag;
    r.scale = o->scale != 0 || tt_given(o, "scale") ? o->scale : 1 / sqrt((double)d);
    snprintf(r.axis, sizeof r.axis, "%s", axis);
    const tt_fn f = tt_custom_vjp_at(site, tt_bind_env_at(NULL, "ring_attention", ring_value, &r, sizeof r, 3),
                                     tt_bind_env_at(NULL, "ring_attention", ring_fwd, &r, sizeof r, 3),
                                     tt_bind_env_at(NULL, "ring_attention", ring_bwd, &r, sizeof r, 2));
    const tt_val apart = tt_reshape_at(site, q, (const int64_t[]){ b, t, hk, h / hk, d, TT_DIM_END });
    const tt_val y = tt_call_n(site, f, 3, (const tt_val[]){ apart, k, v });
    return tt_reshape_at(site, y, (const int64_t[]){ b, t, h, d, TT_DIM_END });
}
