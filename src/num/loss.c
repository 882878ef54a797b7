/* num/loss.c - one_hot and losses, one value per example, in the operation order of jax.nn and optax. */
#include "num.h"

#include <math.h>

static const tt_reduce_opts last = { .size = sizeof(tt_reduce_opts), .dims = "-1" };
static const tt_reduce_opts last_kept = { .size = sizeof(tt_reduce_opts), .dims = "-1", .keepdims = 1 };

/* max(v) over the last dim, a constant of differentiation. */
static tt_val loss_top(const char *site, tt_val v)
{
    return tt_stop_gradient_at(site, tt_amax_at(site, v, &last_kept));
}
/* True if v is not an array of truth values; else sets the error. */
static bool loss_numbers(const char *site, const char *what, tt_val v)
{
    if (!tt_ok() || tt_rank_at(site, v) < 0 || tt_dtype_of_at(site, v) != TT_BOOL) return tt_ok();
    tt_fail_at(site, TT_ETYPE, "%s: of %s; expected numbers", what, tt_type_text_at(site, v));
    tt_hint("tt_cast(v, TT_F32) makes numbers of bools");
    return false;
}

tt_val tt_one_hot_at(const char *site, tt_val v, int64_t n, tt_dtype dtype)
{
    TT_ENTRY(site);
    if (n < 0) return tt_fail_at(site, TT_EARG, "one_hot: %lld classes; expected 0 or more", (long long)n);
    v = num_ids(site, v);
    const tt_val hot = tt_compare_at(site, 0, tt_expand_dims_at(site, v, -1),
                                     tt_arange_at(site, tt_dtype_of_at(site, v), n));
    return tt_cast_at(site, hot, dtype);
}

tt_val tt_smooth_labels_at(const char *site, tt_val labels, double alpha)
{
    TT_ENTRY(site);
    if (!(alpha >= 0 && alpha <= 1))
        return tt_fail_at(site, TT_EARG, "smooth_labels: alpha = %g; expected 0 to 1", alpha);
    if (tt_ok() && tt_rank_at(site, labels) >= 0 && tt_dtype_kind(tt_dtype_of_at(site, labels)) != 'f') {
        tt_fail_at(site, TT_ETYPE, "smooth_labels: labels %s; expected a distribution of floats",
                   tt_type_text_at(site, labels));
        return tt_hint("tt_one_hot(labels, classes, TT_F32) makes a distribution of integer labels"), tt_poison;
    }
    const double classes = tt_rank_at(site, labels) > 0 ? (double)tt_dim_at(site, labels, -1) : 1;
    return tt_add_at(site, tt_mul_at(site, labels, tt_f(1 - alpha)), tt_f(alpha / classes));
}

/* True if labels have the first n dims of logits: one label, or one distribution, per row. A broadcast label would
 * count for all rows. */
static bool labels_fit(const char *site, tt_val logits, tt_val labels, int n)
{
    bool fit = tt_rank_at(site, labels) == n;
    for (int i = 0; fit && i < n; i++) fit = tt_dim_at(site, labels, i) == tt_dim_at(site, logits, i);
    if (fit || !tt_ok()) return fit;
    if (tt_rank_at(site, labels) == n)
        tt_fail_at(site, TT_ESHAPE, "xent: labels %s do not fit logits %s", tt_type_text_at(site, labels),
                   tt_type_text_at(site, logits));
    else if (n == tt_rank_at(site, logits))
        tt_fail_at(site, TT_ESHAPE, "xent: labels %s of floats are a distribution; expected the dims of logits %s",
                   tt_type_text_at(site, labels), tt_type_text_at(site, logits));
    else
        tt_fail_at(site, TT_ESHAPE, "xent: integer labels have %d dims, expected %d: one label per row of logits",
                   tt_rank_at(site, labels), n);
    tt_hint("give logits [B, K] with labels [B], or a distribution [B, K] of floats");
    return false;
}

/* Integer labels: log(sum(exp(s))) - s[label], where s is v - max(v), or v where that is infinite. Negative labels
 * count from the end; for a label out of range s[label] is NaN, a constant, as in optax. */
static tt_val xent_of_ids(const char *site, tt_val v, tt_val labels)
{
    const int64_t classes = tt_dim_at(site, v, -1);
    const tt_val at = tt_places_at(site, labels, classes), hot = tt_one_hot_at(site, at, classes, TT_BOOL);
    if (tt_count_at(site, v)) {
        const tt_val top = loss_top(site, v);
        v = tt_sub_at(site, v, tt_where_at(site, tt_is_finite_at(site, top), top, tt_f(0)));
    }
    tt_val wrong = tt_compare_at(site, 5, at, tt_i(classes));
    if (tt_dtype_kind(tt_dtype_of_at(site, at)) == 'i')
        wrong = tt_or_at(site, wrong, tt_compare_at(site, 2, at, tt_i(0)));
    const tt_val label = tt_sum_at(site, tt_where_at(site, hot, v, tt_f(0)), &last);
    const tt_val log_sum = tt_log_at(site, tt_sum_at(site, tt_exp_at(site, v), &last));
    return tt_sub_at(site, log_sum, tt_where_at(site, wrong, tt_f((double)NAN), label));
}

/* A distribution: -sum(labels * log_softmax). */
tt_val tt_xent_at(const char *site, tt_val logits, tt_val labels)
{
    TT_ENTRY(site);
    const bool share = tt_dtype_kind(tt_dtype_of_at(site, labels)) == 'f';
    if (!num_real_only(site, "xent", logits) || !num_real_only(site, "xent", labels)) return tt_poison;
    if (!loss_numbers(site, "xent", logits) || !loss_numbers(site, "xent", labels)) return tt_poison;
    if (!labels_fit(site, logits, labels, tt_rank_at(site, logits) - !share)) return tt_poison;
    logits = num_real(site, logits);
    if (!share) return xent_of_ids(site, logits, labels);
    return tt_neg_at(site, tt_sum_at(site, tt_mul_at(site, labels, tt_log_softmax_at(site, logits, NULL)), &last));
}

/* True if one of the two shapes is the shape of the losses; then both values become floats of their common type. [B]
 * and [B, 1] would broadcast to [B, B], which is no loss per example. */
static bool loss_alike(const char *site, const char *what, tt_val *a, tt_val *b)
{
    const int n = tt_rank_at(site, *a), m = tt_rank_at(site, *b);
    bool longer = n > m, shorter = n < m;
    if (!num_real_only(site, what, *a) || !num_real_only(site, what, *b)) return false;
    for (int i = 1; i <= n && i <= m; i++) {
        const int64_t p = tt_dim_at(site, *a, -i), q = tt_dim_at(site, *b, -i);
        longer |= q == 1 && p != 1, shorter |= p == 1 && q != 1;
    }
    if (tt_ok() && n >= 0 && m >= 0 && longer && shorter) {
        tt_fail_at(site, TT_ESHAPE, "%s: %s and %s would both be broadcast", what, tt_type_text_at(site, *a),
                   tt_type_text_at(site, *b));
        tt_hint("give both one shape: tt_reshape, tt_squeeze or tt_expand_dims of one of them");
        return false;
    }
    num_reals(site, a, b);
    return true;
}

tt_val tt_l2_loss_at(const char *site, tt_val a, tt_val b)
{
    TT_ENTRY(site);
    if (!loss_alike(site, "l2_loss", &a, &b)) return tt_poison;
    return tt_mul_at(site, tt_f(0.5), tt_square_at(site, tt_sub_at(site, a, b)));
}

/* -y log s(x) - (1 - y) log s(-x), in the logits' type, as in optax */
tt_val tt_bce_at(const char *site, tt_val logits, tt_val labels)
{
    TT_ENTRY(site);
    if (tt_ok() && tt_rank_at(site, logits) >= 0 && tt_dtype_kind(tt_dtype_of_at(site, logits)) == 'f' &&
        num_real_only(site, "bce", labels))
        labels = tt_cast_at(site, labels, tt_dtype_of_at(site, logits));
    if (!loss_alike(site, "bce", &logits, &labels)) return tt_poison;
    const tt_val yes = tt_mul_at(site, labels, tt_log_sigmoid_at(site, logits));
    const tt_val no = tt_log_sigmoid_at(site, tt_neg_at(site, logits));
    return tt_neg_at(site, tt_add_at(site, yes, tt_mul_at(site, tt_sub_at(site, tt_f(1), labels), no)));
}

/* e^2 / 2 up to delta, then delta (|e| - delta / 2) */
tt_val tt_huber_at(const char *site, tt_val a, tt_val b, double delta)
{
    TT_ENTRY(site);
    if (!(delta > 0)) return tt_fail_at(site, TT_EARG, "huber: delta = %g; expected a number above 0", delta);
    if (!loss_alike(site, "huber", &a, &b)) return tt_poison;
    const tt_val e = tt_abs_at(site, tt_sub_at(site, a, b)), near = tt_min_at(site, e, tt_f(delta));
    const tt_val far = tt_mul_at(site, tt_f(delta), tt_sub_at(site, e, near));
    return tt_add_at(site, tt_mul_at(site, tt_f(0.5), tt_square_at(site, near)), far);
}

tt_val tt_log_cosh_at(const char *site, tt_val a, tt_val b)
{
    TT_ENTRY(site);
    if (!loss_alike(site, "log_cosh", &a, &b)) return tt_poison;
    const tt_val e = tt_sub_at(site, a, b);
    return tt_sub_at(site, tt_logaddexp_at(site, e, tt_neg_at(site, e)), tt_f(0.69314718055994530942));
}

tt_val tt_hinge_at(const char *site, tt_val a, tt_val b)
{
    TT_ENTRY(site);
    if (!loss_alike(site, "hinge", &a, &b)) return tt_poison;
    return tt_max_at(site, tt_f(0), tt_sub_at(site, tt_f(1), tt_mul_at(site, a, b)));
}

/* The term is 0 where q is 0. */
tt_val tt_kl_at(const char *site, tt_val log_p, tt_val q)
{
    TT_ENTRY(site);
    if (!num_real_only(site, "kl", log_p) || !num_real_only(site, "kl", q)) return tt_poison;
    const tt_val none = tt_compare_at(site, 0, q, tt_f(0));
    const tt_val log_q = tt_where_at(site, none, tt_f(0), tt_log_at(site, tt_where_at(site, none, tt_f(1), q)));
    return tt_sum_at(site, tt_mul_at(site, q, tt_sub_at(site, log_q, log_p)), &last);
}

/* v divided by its length, where lengths below eps count as eps. At length 0 the gradient is 0. */
static tt_val direction(const char *site, tt_val v, double eps)
{
    const tt_val square = tt_sum_at(site, tt_square_at(site, v), &last_kept), least = tt_f(eps * eps);
    const tt_val short_ = tt_compare_at(site, 3, square, least);
    const tt_val length =
        tt_where_at(site, short_, tt_f(eps), tt_sqrt_at(site, tt_where_at(site, short_, tt_f(1), square)));
    return tt_div_at(site, v, length);
}

tt_val tt_cosine_at(const char *site, tt_val a, tt_val b, double eps)
{
    TT_ENTRY(site);
    if (!(eps >= 0)) return tt_fail_at(site, TT_EARG, "cosine: eps = %g; expected 0 or more", eps);
    if (!num_real_only(site, "cosine", a) || !num_real_only(site, "cosine", b)) return tt_poison;
    a = num_real(site, a), b = num_real(site, b);
    return tt_sum_at(site, tt_mul_at(site, direction(site, a, eps), direction(site, b, eps)), &last);
}
