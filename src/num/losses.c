/* num/losses.c - the losses of optax that num/loss.c does not have, in optax's order of operations. */
#include "num.h"

#include <math.h>

/* The caller's site, for every operation below. */
static _Thread_local const char *caller;
#undef TT_AT
#define TT_AT(text) ((void)sizeof(text), caller)

static const tt_reduce_opts last = { .size = sizeof(tt_reduce_opts), .dims = "-1" };
static const tt_reduce_opts all = { .size = sizeof(tt_reduce_opts) };
static tt_val losses_sum(tt_val v) { return tt_sum_at(caller, v, &last); }

/* True if a and b are arrays of real numbers of one shape; else sets the error. Sets the caller's site. */
static bool alike(const char *site, const char *what, tt_val a, tt_val b)
{
    caller = site;
    if (!tt_ok() || !num_real_only(site, what, a) || !num_real_only(site, what, b)) return false;
    const int rank = tt_rank_at(site, a);
    bool same = rank >= 0 && rank == tt_rank_at(site, b);
    for (int i = 0; same && i < rank; i++) same = tt_dim_at(site, a, i) == tt_dim_at(site, b, i);
    if (same || !tt_ok()) return same;
    tt_fail_at(site, TT_ESHAPE, "%s: of %s and %s; expected one shape", what, tt_type_text_at(site, a),
               tt_type_text_at(site, b));
    return false;
}

/* The same, for vectors over a last dim. */
static bool alike_rows(const char *site, const char *what, tt_val a, tt_val b)
{
    if (!alike(site, what, a, b)) return false;
    if (tt_rank_at(site, a) > 0) return true;
    tt_fail_at(site, TT_ESHAPE, "%s: of scalars; expected vectors, or a batch of them", what);
    return false;
}

tt_val tt_squared_error_at(const char *site, tt_val a, tt_val b)
{
    TT_ENTRY(site);
    if (!alike(site, "squared_error", a, b)) return tt_poison;
    return tt_square_at(site, tt_sub(num_real(site, a), num_real(site, b)));
}

tt_val tt_cosine_distance_at(const char *site, tt_val a, tt_val b, double eps)
{
    TT_ENTRY(site);
    return tt_sub_at(site, tt_f(1), tt_cosine_at(site, a, b, eps));
}

tt_val tt_kl_with_log_targets_at(const char *site, tt_val log_p, tt_val log_q)
{
    TT_ENTRY(site);
    if (!alike_rows(site, "kl_with_log_targets", log_p, log_q)) return tt_poison;
    return losses_sum(tt_mul(tt_exp(log_q), tt_sub(log_q, log_p)));
}

tt_val tt_generalized_kl_at(const char *site, tt_val log_p, tt_val q)
{
    TT_ENTRY(site);
    if (!alike_rows(site, "generalized_kl", log_p, q)) return tt_poison;
    return tt_add(tt_kl_at(site, log_p, q), losses_sum(tt_sub(tt_exp(log_p), q)));
}

tt_val tt_perceptron_loss_at(const char *site, tt_val y, tt_val target)
{
    TT_ENTRY(site);
    if (!alike(site, "perceptron_loss", y, target)) return tt_poison;
    return tt_max(tt_f(0), tt_neg(tt_mul(num_real(site, y), target)));
}

/* The labels of each row as one-hot vectors of scores' type. Returns false with the error set. */
static bool label_rows(const char *site, const char *what, tt_val scores, tt_val labels, tt_val *hot)
{
    caller = site;
    if (!tt_ok() || !num_real_only(site, what, scores)) return false;
    const int rank = tt_rank_at(site, scores);
    bool fit = rank > 0 && tt_rank_at(site, labels) == rank - 1 && num_is_integer(site, labels);
    for (int i = 0; fit && i < rank - 1; i++) fit = tt_dim_at(site, scores, i) == tt_dim_at(site, labels, i);
    if (!fit) {
        if (tt_ok())
            tt_fail_at(site, TT_ESHAPE, "%s: scores %s and labels %s; expected [B, K] and integers [B]", what,
                       tt_type_text_at(site, scores), tt_type_text_at(site, labels));
        return false;
    }
    *hot = tt_one_hot_at(site, labels, tt_dim_at(site, scores, -1), tt_dtype_of_at(site, scores));
    return tt_ok();
}

tt_val tt_multiclass_hinge_loss_at(const char *site, tt_val scores, tt_val labels)
{
    TT_ENTRY(site);
    tt_val hot;
    scores = tt_ok() ? num_real(site, scores) : scores;
    if (!label_rows(site, "multiclass_hinge_loss", scores, labels, &hot)) return tt_poison;
    const tt_val best = tt_amax_at(site, tt_sub(tt_add(scores, tt_f(1)), hot), &last);
    return tt_sub(best, losses_sum(tt_mul(scores, hot)));
}

tt_val tt_multiclass_perceptron_loss_at(const char *site, tt_val scores, tt_val labels)
{
    TT_ENTRY(site);
    tt_val hot;
    scores = tt_ok() ? num_real(site, scores) : scores;
    if (!label_rows(site, "multiclass_perceptron_loss", scores, labels, &hot)) return tt_poison;
    return tt_sub(tt_amax_at(site, scores, &last), losses_sum(tt_mul(scores, hot)));
}

tt_val tt_ranking_softmax_loss_at(const char *site, tt_val logits, tt_val labels)
{
    TT_ENTRY(site);
    if (!alike_rows(site, "ranking_softmax_loss", logits, labels)) return tt_poison;
    const tt_val rows = losses_sum(tt_mul(num_real(site, labels), tt_log_softmax_at(site, logits, NULL)));
    return tt_neg(tt_mean_at(site, rows, &all));
}

tt_val tt_sigmoid_focal_loss_at(const char *site, tt_val logits, tt_val labels, const tt_focal_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_focal_opts, site, "sigmoid_focal_loss", o)) return tt_poison;
    if (!alike(site, "sigmoid_focal_loss", logits, labels)) return tt_poison;
    const double gamma = o->gamma != 0 || tt_given(o, "gamma") ? o->gamma : 2;
    const bool weighted = o->alpha != 0 || tt_given(o, "alpha");
    if (!(o->alpha >= 0 && o->alpha <= 1) || !(gamma >= 0))
        return tt_fail_at(site, TT_EARG, "sigmoid_focal_loss: alpha = %g, gamma = %g; expected 0 to 1, and 0 or more",
                          o->alpha, gamma);
    logits = num_real(site, logits);
    const tt_val y = tt_cast_at(site, labels, tt_dtype_of_at(site, logits)), rest = tt_sub(tt_f(1), y);
    const tt_val loss = tt_bce_at(site, logits, y);
    /* log(1 - p of the right class) = log((1 - y) p + y (1 - p)), with the larger exponent of the terms with a weight
     * taken out: that of the other term would leave e^-104, 0, whose logarithm has no slope. */
    const tt_val none = tt_f(-(double)INFINITY), zero = tt_f(0);
    const tt_val p = tt_where(tt_ne(rest, zero), tt_log_sigmoid_at(site, logits), none);
    const tt_val q = tt_where(tt_ne(y, zero), tt_log_sigmoid_at(site, tt_neg(logits)), none), larger = tt_max(p, q);
    const tt_val top = tt_stop_gradient(tt_where(tt_is_finite(larger), larger, zero));
    const tt_val sum = tt_add(tt_mul(rest, tt_exp(tt_sub(p, top))), tt_mul(y, tt_exp(tt_sub(q, top))));
    const tt_val wrong = tt_add(tt_log(sum), top), focal = tt_mul(loss, tt_exp(tt_mul(tt_f(gamma), wrong)));
    if (!weighted) return focal;
    return tt_mul(tt_add(tt_mul(tt_f(o->alpha), y), tt_mul(tt_f(1 - o->alpha), rest)), focal);
}

tt_val tt_poly_loss_cross_entropy_at(const char *site, tt_val logits, tt_val labels, const tt_poly_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_poly_opts, site, "poly_loss_cross_entropy", o)) return tt_poison;
    if (!alike_rows(site, "poly_loss_cross_entropy", logits, labels)) return tt_poison;
    const double epsilon = o->epsilon != 0 || tt_given(o, "epsilon") ? o->epsilon : 2;
    const tt_val wrong = losses_sum(tt_mul(labels, tt_sub(tt_f(1), tt_softmax_at(site, logits, NULL))));
    const tt_val entropy = tt_neg(losses_sum(tt_mul(labels, tt_log_softmax_at(site, logits, NULL))));
    return tt_add(entropy, tt_mul(tt_f(epsilon), wrong));
}

static tt_val apart(tt_val a, tt_val b, double norm, double eps)
{
    const tt_val gap = tt_sub(a, b), power = norm == 2 ? tt_mul(gap, gap) : tt_pow(tt_abs(gap), tt_f(norm));
    const tt_val sum = tt_add(losses_sum(power), tt_f(eps));
    return norm == 2 ? tt_sqrt(sum) : tt_pow(sum, tt_f(1 / norm));
}

tt_val tt_triplet_margin_loss_at(const char *site, tt_val anchors, tt_val positives, tt_val negatives,
                                 const tt_triplet_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_triplet_opts, site, "triplet_margin_loss", o)) return tt_poison;
    if (!alike_rows(site, "triplet_margin_loss", anchors, positives) ||
        !alike_rows(site, "triplet_margin_loss", anchors, negatives))
        return tt_poison;
    const double margin = o->margin != 0 || tt_given(o, "margin") ? o->margin : 1, norm = o->norm != 0 ? o->norm : 2;
    const double eps = o->eps != 0 || tt_given(o, "eps") ? o->eps : 1e-6;
    const tt_val near = apart(anchors, positives, norm, eps), far = apart(anchors, negatives, norm, eps);
    return tt_max(tt_add(tt_sub(near, far), tt_f(margin)), tt_f(0));
}

tt_val tt_ntxent_at(const char *site, tt_val embeddings, tt_val labels, const tt_ntxent_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_ntxent_opts, site, "ntxent", o)) return tt_poison;
    caller = site;
    if (!tt_ok() || !num_real_only(site, "ntxent", embeddings)) return tt_poison;
    if (tt_rank_at(site, embeddings) != 2 || tt_rank_at(site, labels) != 1 ||
        tt_dim_at(site, labels, 0) != tt_dim_at(site, embeddings, 0))
        return tt_fail_at(site, TT_ESHAPE, "ntxent: embeddings %s and labels %s; expected [B, D] and [B]",
                          tt_type_text_at(site, embeddings), tt_type_text_at(site, labels));
    const tt_reduce_opts rows = { .size = sizeof rows, .dims = "1", .keepdims = 1 };
    const int64_t n = tt_dim_at(site, embeddings, 0);
    const tt_val endless = tt_f(-(double)INFINITY), square = tt_sum_at(site, tt_mul(embeddings, embeddings), &rows);
    const double least = tt_dtype_of_at(site, embeddings) == TT_F64 ? 0x1p-52 : 0x1p-23;
    const tt_val unit = tt_div(embeddings, tt_sqrt(tt_max(square, tt_f(least))));
    const tt_matmul_opts usual = { .size = sizeof usual };
    const tt_val close = tt_matmul_at(site, unit, tt_swapaxes_at(site, unit, 0, 1), &usual);
    const tt_val near = tt_div(close, tt_f(o->temperature != 0 ? o->temperature : 0.07));
    const tt_val same = tt_eq(tt_expand_dims_at(site, labels, 1), tt_expand_dims_at(site, labels, 0));
    const tt_val row = tt_arange_at(site, TT_I32, n);
    const tt_val itself = tt_eq(tt_expand_dims_at(site, row, 1), tt_expand_dims_at(site, row, 0));
    const tt_val match = tt_and(same, tt_not(itself)), differ = tt_not(same);
    const tt_val others = tt_where(differ, near, endless), friends = tt_where(match, near, endless);
    const tt_val top = tt_stop_gradient(tt_amax_at(site, tt_max(others, friends), &rows));
    const tt_val repel = tt_sum_at(site, tt_where(differ, tt_exp(tt_sub(near, top)), tt_f(0)), &rows);
    const tt_val pull = tt_sub(near, top), down = tt_add(repel, tt_where(match, tt_exp(pull), tt_f(1)));
    const tt_val each = tt_where(match, tt_sub(pull, tt_log(down)), tt_f(0));
    const tt_val count = tt_sum_at(site, tt_cast_at(site, match, tt_dtype_of_at(site, near)), &all);
    return tt_neg(tt_div(tt_sum_at(site, each, &all), count));
}
