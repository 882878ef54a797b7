/* oracle/layers/layer_keras_loss.c - functions `keras.loss.*`: Keras's losses, one per example, then the mean over the
 * batch. Keras keeps probabilities 1e-7 from 0 and 1. */
#include "layer_keras.h"

#include <string.h>

static tt_val x_of(void) { return layer_arg("x"); }
static tt_val labels(void) { return layer_arg("labels"); }
static bool logits(void) { return oracle_flag(keras_options(), "from_logits"); }
static double option(const char *key, double usual) { return oracle_real(keras_options(), key, usual); }

/* Of the examples', by option `reduction`. */
static tt_val reduced(tt_val v)
{
    const char *how = oracle_text(keras_options(), "reduction", "sum_over_batch_size");
    return !strcmp(how, "sum") ? tt_sum(v) : !strcmp(how, "none") ? v : tt_mean(v);
}
static tt_val of_elements(tt_val v) { return reduced(tt_mean(v, .dims = "-1")); }
static tt_val clipped(tt_val p) { return tt_clamp(tt_f(1e-7), p, tt_f(1 - 1e-7)); }
static tt_val log_p(void)                                /* probabilities are normalised first */
{
    const tt_val x = x_of();
    return logits() ? tt_log_softmax(x) : tt_log(clipped(tt_div(x, tt_sum(x, .dims = "-1", .keepdims = 1))));
}

/* ---- of classes ---- */

/* ignore_class: those examples have no part, and the mean is of the others. */
static tt_val do_sparse(void)
{
    const tt_val hot = tt_one_hot(labels(), tt_dim(x_of(), -1), TT_F32);
    if (!oracle_has(keras_options(), "ignore_class")) return reduced(tt_neg(tt_sum(tt_mul(hot, log_p()),
        .dims = "-1")));
    const tt_val valid = tt_ne(labels(), tt_i(oracle_int(keras_options(), "ignore_class", 0)));
    const tt_val per = tt_where(valid, tt_neg(tt_sum(tt_mul(hot, log_p()), .dims = "-1")), tt_f(0));
    const tt_val n = tt_sum(tt_cast(valid, TT_F32));
    const tt_val weight = tt_div(tt_f((double)tt_count(labels())), tt_max(n, tt_f(1)));
    const char *how = oracle_text(keras_options(), "reduction", "sum_over_batch_size");
    return reduced(strncmp(how, "sum_", 4) && strcmp(how, "mean") ? per : tt_mul(per, weight));
}
static tt_val smoothed(void) { return tt_smooth_labels(labels(), option("label_smoothing", 0)); }
static tt_val do_categorical(void) { return reduced(tt_neg(tt_sum(tt_mul(smoothed(), log_p()), .dims = "-1"))); }
static tt_val do_categorical_focal(void)
{
    const tt_val x = x_of(), share = tt_div(x, tt_sum(x, .dims = "-1", .keepdims = 1));
    const tt_val p = clipped(logits() ? tt_softmax(x) : share);
    const tt_val factor = tt_mul(tt_f(option("alpha", 0.25)), tt_pow(tt_sub(tt_f(1), p), tt_f(option("gamma", 2))));
    return reduced(tt_neg(tt_sum(tt_mul(factor, tt_mul(smoothed(), tt_log(p))), .dims = "-1")));
}
static tt_val do_kl(void)
{
    const tt_val t = tt_clamp(tt_f(1e-7), labels(), tt_f(1)), p = tt_clamp(tt_f(1e-7), x_of(), tt_f(1));
    return reduced(tt_kl(tt_log(p), t));
}

/* ---- of two classes ---- */

static tt_val yes(void)                                  /* smoothed towards one half */
{
    const double by = option("label_smoothing", 0);
    return by == 0 ? labels() : tt_add(tt_mul(labels(), tt_f(1 - by)), tt_f(0.5 * by));
}
static tt_val bce_of(tt_val p, tt_val t)                 /* of probabilities */
{
    const tt_val q = clipped(p), no = tt_mul(tt_sub(tt_f(1), t), tt_log(tt_sub(tt_f(1), q)));
    return tt_neg(tt_add(tt_mul(t, tt_log(q)), no));
}
static tt_val do_binary(void) { return of_elements(logits() ? tt_bce(x_of(), yes()) : bce_of(x_of(), yes())); }
static tt_val do_binary_focal(void)
{
    const tt_val t = yes(), no = tt_sub(tt_f(1), t), p = logits() ? tt_logistic(x_of()) : x_of();
    const tt_val right = tt_add(tt_mul(t, p), tt_mul(no, tt_sub(tt_f(1), p)));
    const tt_val v = tt_mul(tt_pow(tt_sub(tt_f(1), right), tt_f(option("gamma", 2))), bce_of(p, t));
    const double alpha = option("alpha", 0.25);
    const tt_val weight = tt_add(tt_mul(t, tt_f(alpha)), tt_mul(no, tt_f(1 - alpha)));
    return of_elements(oracle_flag(keras_options(), "apply_class_balancing") ? tt_mul(weight, v) : v);
}

/* ---- of numbers ---- */

static tt_val apart(void) { return tt_sub(x_of(), labels()); }
static tt_val do_squared(void) { return of_elements(tt_square(apart())); }
static tt_val do_absolute(void) { return of_elements(tt_abs(apart())); }
static tt_val do_huber(void) { return of_elements(tt_huber(x_of(), labels(), option("delta", 1))); }
static tt_val do_log_cosh(void) { return of_elements(tt_log_cosh(x_of(), labels())); }
static tt_val do_percentage(void)
{
    const tt_val share = tt_div(tt_neg(apart()), tt_max(tt_abs(labels()), tt_f(1e-7)));
    return reduced(tt_mul(tt_f(100), tt_mean(tt_abs(share), .dims = "-1")));
}
static tt_val log_of(tt_val v) { return tt_log(tt_add(tt_max(v, tt_f(1e-7)), tt_f(1))); }
static tt_val do_logarithmic(void) { return of_elements(tt_square(tt_sub(log_of(x_of()), log_of(labels())))); }
static tt_val do_poisson(void)
{
    return of_elements(tt_sub(x_of(), tt_mul(labels(), tt_log(tt_add(x_of(), tt_f(1e-7))))));
}
static tt_val unit(tt_val v)
{
    return tt_mul(v, tt_min(tt_rsqrt(tt_sum(tt_square(v), .dims = "-1", .keepdims = 1)), tt_f(1e7)));
}
static tt_val do_cosine(void) { return reduced(tt_neg(tt_sum(tt_mul(unit(labels()), unit(x_of())), .dims = "-1"))); }

/* ---- margins ---- */

static tt_val margin(void)                               /* labels of 0 and 1 only count as -1 and 1 */
{
    const tt_val t = labels(), two = tt_or(tt_eq(t, tt_f(0)), tt_eq(t, tt_f(1)));
    const tt_val sign = tt_where(tt_all(two), tt_sub(tt_mul(tt_f(2), t), tt_f(1)), t);
    return tt_max(tt_sub(tt_f(1), tt_mul(sign, x_of())), tt_f(0));
}
static tt_val do_hinge(void) { return of_elements(margin()); }
static tt_val do_squared_hinge(void) { return of_elements(tt_square(margin())); }
static tt_val do_categorical_hinge(void)
{
    const tt_val pos = tt_sum(tt_mul(labels(), x_of()), .dims = "-1");
    const tt_val neg = tt_amax(tt_mul(tt_sub(tt_f(1), labels()), x_of()), .dims = "-1");
    return reduced(tt_max(tt_add(tt_sub(neg, pos), tt_f(1)), tt_f(0)));
}

const layer_row layer_keras_loss[] = {
    { "keras.loss.SparseCategoricalCrossentropy", do_sparse }, { "keras.loss.CategoricalCrossentropy", do_categorical },
    { "keras.loss.CategoricalFocalCrossentropy", do_categorical_focal }, { "keras.loss.KLDivergence", do_kl },
    { "keras.loss.BinaryCrossentropy", do_binary }, { "keras.loss.BinaryFocalCrossentropy", do_binary_focal },
    { "keras.loss.MeanSquaredError", do_squared }, { "keras.loss.MeanAbsoluteError", do_absolute },
    { "keras.loss.MeanAbsolutePercentageError", do_percentage },
    { "keras.loss.MeanSquaredLogarithmicError", do_logarithmic }, { "keras.loss.Huber", do_huber },
    { "keras.loss.LogCosh", do_log_cosh }, { "keras.loss.Poisson", do_poisson },
    { "keras.loss.CosineSimilarity", do_cosine }, { "keras.loss.Hinge", do_hinge },
    { "keras.loss.SquaredHinge", do_squared_hinge }, { "keras.loss.CategoricalHinge", do_categorical_hinge },
    { NULL, NULL },
};
