/* tutti/losses.h - losses of optax beyond those of num.h; tt_xent, tt_bce, tt_huber, tt_kl, tt_cosine and others are
 * in num.h.
 *
 *     tt_val loss = tt_mean(tt_ctc_loss(logits, logit_paddings, labels, label_paddings));
 *
 * One value per example, unless a line says otherwise: [B, K] gives [B]. Formulas, names and defaults are optax's.
 * Errors: shapes that would broadcast against each other where optax requires equal ones, types that optax rejects. */
#include <tutti.h>
#ifndef TUTTI_LOSSES_H
#define TUTTI_LOSSES_H

#ifdef __cplusplus
extern "C" {
#endif

/* Of two values:
 * - squared_error: (a - b)^2, elementwise;
 * - cosine_distance: 1 - the cosine similarity over the last dim; eps: the least length, as in tt_cosine.
 *     tt_mean(tt_squared_error(y, target)), tt_mean(tt_cosine_distance(a, b, 1e-8)); */
#define tt_squared_error(a, b) tt_squared_error_at(TT_AT("tt_squared_error(" #a ", " #b ")"), a, b)
#define tt_cosine_distance(a, b, eps) \
    tt_cosine_distance_at(TT_AT("tt_cosine_distance(" #a ", " #b ", " #eps ")"), a, b, eps)
TT_API tt_val tt_cosine_distance_at(const char *site, tt_val a, tt_val b, double eps);
/* Divergences over the last dim; the first operand is log-probabilities.
 * - kl_with_log_targets: the targets are log-probabilities as well;
 * - generalized_kl: the targets are probabilities; neither operand need sum to 1, and the sum of p - q is added
 *   (optax's convex_kl_divergence).
 *     tt_mean(tt_kl_with_log_targets(log_p, log_q)), tt_mean(tt_generalized_kl(log_p, q)); */
#define tt_kl_with_log_targets(log_p, log_q) \
    tt_kl_with_log_targets_at(TT_AT("tt_kl_with_log_targets(" #log_p ", " #log_q ")"), log_p, log_q)
#define tt_generalized_kl(log_p, q) tt_generalized_kl_at(TT_AT("tt_generalized_kl(" #log_p ", " #q ")"), log_p, q)
/* max(0, -y target), elementwise, for targets -1 and 1.
 *     tt_mean(tt_perceptron_loss(y, target)); */
#define tt_perceptron_loss(y, target) tt_perceptron_loss_at(TT_AT("tt_perceptron_loss(" #y ", " #target ")"), y, target)
/* Of scores [B, K] and integer labels [B]:
 * - multiclass_perceptron_loss: the largest score, less the label's score;
 * - multiclass_hinge_loss: the same, where the scores of wrong classes are 1 larger.
 *     tt_mean(tt_multiclass_hinge_loss(scores, labels)), tt_mean(tt_multiclass_perceptron_loss(scores, labels)); */
#define tt_multiclass_hinge_loss(scores, labels) \
    tt_multiclass_hinge_loss_at(TT_AT("tt_multiclass_hinge_loss(" #scores ", " #labels ")"), scores, labels)
#define tt_multiclass_perceptron_loss(scores, labels) \
    tt_multiclass_perceptron_loss_at(TT_AT("tt_multiclass_perceptron_loss(" #scores ", " #labels ")"), scores, labels)
/* Of scores [B, items] and relevances of the same shape: minus the sum of relevance log_softmax(scores) over the items,
 * its mean over B: a scalar.
 *     tt_val rank_loss = tt_ranking_softmax_loss(scores, relevances); */
#define tt_ranking_softmax_loss(logits, labels) \
    tt_ranking_softmax_loss_at(TT_AT("tt_ranking_softmax_loss(" #logits ", " #labels ")"), logits, labels)
TT_NUM2(squared_error) TT_NUM2(kl_with_log_targets) TT_NUM2(generalized_kl) TT_NUM2(perceptron_loss)
TT_NUM2(multiclass_hinge_loss) TT_NUM2(multiclass_perceptron_loss) TT_NUM2(ranking_softmax_loss)

/* Binary cross-entropy times (1 - p)^gamma with p the probability of the right class, elementwise (Lin and others,
 * 2017). gamma: default 2. alpha: the weight of labels 1; labels 0 have the weight 1 - alpha. Default: both weights 1.
 *     tt_mean(tt_sigmoid_focal_loss(logits, labels, .alpha = 0.25)); */
typedef struct tt_focal_opts { TT_OPTION_HEAD double alpha TT_DEFAULT, gamma TT_DEFAULT; } tt_focal_opts;
#define tt_sigmoid_focal_loss(...) TT_FOCAL_(TT_AT("tt_sigmoid_focal_loss(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_FOCAL_(at, logits, labels, ...) \
    tt_sigmoid_focal_loss_at(at, logits, labels, TT_OPTS(tt_focal_opts, __VA_ARGS__))
TT_API tt_val tt_sigmoid_focal_loss_at(const char *site, tt_val logits, tt_val labels, const tt_focal_opts *);
/* Cross-entropy with a distribution [B, K], plus epsilon (default 2) times the probability of the wrong classes (Leng
 * and others, 2022).
 *     tt_mean(tt_poly_loss_cross_entropy(logits, tt_one_hot(labels, 10, TT_F32))); */
typedef struct tt_poly_opts { TT_OPTION_HEAD double epsilon TT_DEFAULT; } tt_poly_opts;
#define tt_poly_loss_cross_entropy(...) TT_POLY_(TT_AT("tt_poly_loss_cross_entropy(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_POLY_(at, logits, labels, ...) \
    tt_poly_loss_cross_entropy_at(at, logits, labels, TT_OPTS(tt_poly_opts, __VA_ARGS__))
TT_API tt_val tt_poly_loss_cross_entropy_at(const char *site, tt_val logits, tt_val labels, const tt_poly_opts *);
/* max(0, d(anchor, positive) - d(anchor, negative) + margin), of vectors along the last dim, with the distance
 * d(a, b) = (eps + the sum of |a - b|^norm)^(1/norm). Defaults: margin 1, norm 2, eps 1e-6.
 *     tt_mean(tt_triplet_margin_loss(anchors, positives, negatives, .margin = 0.5)); */
typedef struct tt_triplet_opts {
    TT_OPTION_HEAD
    double margin TT_DEFAULT, norm TT_ABOVE_0, eps TT_DEFAULT;
} tt_triplet_opts;
#define tt_triplet_margin_loss(...) TT_TRIPLET_(TT_AT("tt_triplet_margin_loss(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_TRIPLET_(at, anchors, positives, negatives, ...) \
    tt_triplet_margin_loss_at(at, anchors, positives, negatives, TT_OPTS(tt_triplet_opts, __VA_ARGS__))
TT_API tt_val tt_triplet_margin_loss_at(const char *site, tt_val anchors, tt_val positives, tt_val negatives,
    const tt_triplet_opts *);
/* Of embeddings [B, D] with integer labels [B], a scalar: rows with the same label attract each other, all others repel
 * (Sohn, 2016; Chen and others, 2020). temperature: default 0.07.
 *     tt_val contrast = tt_ntxent(embeddings, labels, .temperature = 0.1); */
typedef struct tt_ntxent_opts { TT_OPTION_HEAD double temperature TT_ABOVE_0; } tt_ntxent_opts;
#define tt_ntxent(...)       TT_NTXENT_(TT_AT("tt_ntxent(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_NTXENT_(at, embeddings, labels, ...) \
    tt_ntxent_at(at, embeddings, labels, TT_OPTS(tt_ntxent_opts, __VA_ARGS__))
TT_API tt_val tt_ntxent_at(const char *site, tt_val embeddings, tt_val labels, const tt_ntxent_opts *);
/* Connectionist temporal classification (Graves and others, 2006): -log of the probability of labels [B, N], summed
 * over all alignments of the labels with the logits [B, T, K], [B]. The paddings, [B, T] and [B, N], are floats: 1
 * where there is no element; padded elements come last. The losses are float32 (of f64 float64), of logits of 16 bits
 * too. blank: the class of the blank, 0; log_epsilon: the logarithm that stands for probability 0, finite and below
 * 0, -1e5. */
typedef struct tt_ctc_opts { TT_OPTION_HEAD int64_t blank TT_DEFAULT; double log_epsilon TT_DEFAULT; } tt_ctc_opts;
#define tt_ctc_loss(...)     TT_CTC_(TT_AT("tt_ctc_loss(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_CTC_(at, logits, logit_paddings, labels, label_paddings, ...) \
    tt_ctc_loss_at(at, logits, logit_paddings, labels, label_paddings, TT_OPTS(tt_ctc_opts, __VA_ARGS__))
TT_API tt_val tt_ctc_loss_at(const char *site, tt_val logits, tt_val logit_paddings, tt_val labels,
    tt_val label_paddings, const tt_ctc_opts *);

#ifdef __cplusplus
}
#endif
#endif
