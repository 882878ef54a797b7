/* num/ctc.c - connectionist temporal classification: the forward recursion of Graves and others, 2006, over the time
 * steps, as a scan.
 *
 * The state has, for each n, two log-probabilities of the steps so far: phi[n], that n labels were emitted and the last
 * step is a blank; emit[n], that the last step is label n. Both are sums over the steps, in float32 (of f64 float64),
 * whatever the logits' type: 1e5 is beyond float16, and a sum of bfloat16 numbers stops to grow. */
#include "num.h"

#include <math.h>

/* The caller's site, for every step. */
static _Thread_local const char *caller;
#undef TT_AT
#define TT_AT(text) ((void)sizeof(text), caller)

typedef struct {
    const char *site;
    double log_epsilon;
} ctc;

static tt_val ctc_part(tt_val v, int64_t from, int64_t to) { return tt_slice_at(caller, v, 1, from, to, 1); }

/* phi[0], then phi[n] with the contribution of label n - 1. */
static tt_val ctc_after(tt_val phi, tt_val more)
{
    const int64_t n = tt_dim_at(caller, phi, 1);
    const tt_val rest = tt_logaddexp_at(caller, ctc_part(phi, 1, n), more);
    return tt_concat_at(caller, 1, (const tt_val[]){ ctc_part(phi, 0, 1), rest, tt_end });
}

/* One time step: (phi, emit, repeat), (log-probabilities of the labels, of the blank, padding). */
static tt_val ctc_next(void *env, int n, const tt_val *v)
{
    const ctc *c = env;
    (void)n;
    caller = c->site;
    const tt_val phi = tt_item(v[0], 0), emit = tt_item(v[0], 1), repeat = tt_item(v[0], 2);
    const tt_val label = tt_item(v[1], 0), blank = tt_item(v[1], 1),
                 pad = tt_expand_dims_at(caller, tt_item(v[1], 2), 1);
    const tt_val never = tt_f(c->log_epsilon), one = tt_f(1);
    const int64_t labels = tt_dim_at(caller, emit, 1);
    const tt_val now = ctc_after(phi, tt_add(emit, tt_mul(never, repeat)));
    const tt_val next = tt_logaddexp_at(caller, tt_add(ctc_part(now, 0, labels), label), tt_add(emit, label));
    const tt_val once = tt_add(tt_add(emit, blank), tt_mul(never, tt_sub(one, repeat)));
    const tt_val quiet = ctc_after(tt_add(now, blank), once), on = tt_sub(one, pad);
    const tt_val out_phi = tt_add(tt_mul(pad, phi), tt_mul(on, quiet));
    const tt_val out_emit = tt_add(tt_mul(pad, emit), tt_mul(on, next));
    return tt_tuple(tt_tuple(out_phi, out_emit, repeat), tt_none());
}

/* True if v is an array [first, second]; else sets the error. */
static bool ctc_is(const char *what, tt_val v, int64_t first, int64_t second)
{
    const bool fits =
        tt_rank_at(caller, v) == 2 && tt_dim_at(caller, v, 0) == first && tt_dim_at(caller, v, 1) == second;
    if (fits || !tt_ok()) return fits && tt_ok();
    tt_fail_at(caller, TT_ESHAPE, "ctc_loss: %s are %s; expected [%lld, %lld]", what, tt_type_text_at(caller, v),
               (long long)first, (long long)second);
    return false;
}

static bool ctc_fits(tt_val logits, tt_val logit_paddings, tt_val labels, tt_val label_paddings, int64_t blank)
{
    if (!tt_ok() || !num_real_only(caller, "ctc_loss", logits)) return false;
    if (tt_rank_at(caller, logits) != 3 || tt_rank_at(caller, labels) != 2 || !num_is_integer(caller, labels)) {
        if (!tt_ok()) return false;
        tt_fail_at(caller, TT_ESHAPE, "ctc_loss: logits %s and labels %s; expected [B, T, K] and integers [B, N]",
                   tt_type_text_at(caller, logits), tt_type_text_at(caller, labels));
        return false;
    }
    const int64_t batch = tt_dim_at(caller, logits, 0), n = tt_dim_at(caller, labels, 1),
                  k = tt_dim_at(caller, logits, 2);
    if (!ctc_is("labels", labels, batch, n) || !ctc_is("label_paddings", label_paddings, batch, n) ||
        !ctc_is("logit_paddings", logit_paddings, batch, tt_dim_at(caller, logits, 1)))
        return false;
    if (n < 1) return tt_fail_at(caller, TT_ESHAPE, "ctc_loss: labels %s; expected [B, N] with N of 1 or more",
                                 tt_type_text_at(caller, labels)), false;
    if (blank >= 0 && blank < k) return true;
    tt_fail_at(caller, TT_EARG, "ctc_loss: the blank is class %lld; expected 0 to %lld", (long long)blank,
               (long long)k - 1);
    return false;
}

tt_val tt_ctc_loss_at(const char *site, tt_val logits, tt_val logit_paddings, tt_val labels, tt_val label_paddings,
                      const tt_ctc_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_ctc_opts, site, "ctc_loss", o)) return tt_poison;
    caller = site;
    if (!ctc_fits(logits, logit_paddings, labels, label_paddings, o->blank)) return tt_poison;
    ctc c = { site, o->log_epsilon != 0 || tt_given(o, "log_epsilon") ? o->log_epsilon : -1e5 };
    if (!(c.log_epsilon < 0 && isfinite(c.log_epsilon))) {
        tt_fail_at(site, TT_EARG, "ctc_loss: log_epsilon = %g; it is finite and below 0", c.log_epsilon);
        tt_hint("it stands for the logarithm of probability 0; without it -1e5");
        return tt_poison;
    }
    const int64_t batch = tt_dim_at(site, logits, 0), n = tt_dim_at(site, labels, 1), k = tt_dim_at(site, logits, 2);
    const tt_dtype d = tt_dtype_of_at(site, logits) == TT_F64 ? TT_F64 : TT_F32;
    const tt_val shares = tt_cast_at(site, tt_log_softmax_at(site, logits, NULL), d);
    const tt_val p = tt_moveaxis_at(site, shares, 1, 0); /* [T, B, K] */
    const tt_val hot = tt_one_hot_at(site, labels, k, d), pads = tt_cast_at(site, logit_paddings, d);
    const tt_val label = tt_einsum_at(site, "tbk,bnk->tbn", (const tt_val[]){ p, hot, tt_end });
    const tt_val blank = tt_slice_at(site, p, 2, o->blank, o->blank + 1, 1);
    tt_val repeat = tt_full_at(site, 0, d, (const int64_t[]){ batch, 1, TT_DIM_END });
    if (n > 1) {
        const tt_val same = tt_eq(ctc_part(labels, 0, n - 1), ctc_part(labels, 1, n));
        repeat = tt_concat_at(site, 1, (const tt_val[]){ tt_cast_at(site, same, d), repeat, tt_end });
    }
    const tt_val never = tt_full_at(site, c.log_epsilon, d, (const int64_t[]){ batch, n, TT_DIM_END });
    const tt_val sure = tt_full_at(site, 0, d, (const int64_t[]){ batch, 1, TT_DIM_END });
    const tt_val start = tt_concat_at(site, 1, (const tt_val[]){ sure, never, tt_end });
    const tt_val xs = tt_tuple(label, blank, tt_swapaxes_at(site, pads, 0, 1));
    const tt_scan_opts usual = { .size = sizeof usual };
    const tt_fn next = tt_bind_env("ctc", ctc_next, &c, sizeof c, 2);
    const tt_val end = tt_item(tt_scan_at(site, next, tt_tuple(start, never, repeat), xs, &usual), 0);
    const tt_val last = ctc_after(tt_item(end, 0), tt_item(end, 1));
    const tt_reduce_opts rows = { .size = sizeof rows, .dims = "1" };
    const tt_val padded = tt_cast_at(site, tt_sum_at(site, label_paddings, &rows), TT_I32);
    const tt_val length = tt_sub(tt_i(n), padded), chosen = tt_one_hot_at(site, length, n + 1, d);
    return tt_neg(tt_sum_at(site, tt_mul(last, chosen), &rows));
}
