/* oracle/losses.c - kind `losses`: losses of tutti/losses.h, and the gradients of their sums. */
#include "kinds.h"

#include <string.h>

static tt_val losses_value(const char *fn, const json_t *p, const tt_val *v)
{
    static const struct {
        const char *fn;
        tt_val (*f)(const char *, tt_val, tt_val);
    } t[] = {
        { "squared_error", tt_squared_error_at },
        { "kl_with_log_targets", tt_kl_with_log_targets_at },
        { "generalized_kl", tt_generalized_kl_at },
        { "perceptron_loss", tt_perceptron_loss_at },
        { "multiclass_hinge_loss", tt_multiclass_hinge_loss_at },
        { "multiclass_perceptron_loss", tt_multiclass_perceptron_loss_at },
        { "ranking_softmax_loss", tt_ranking_softmax_loss_at },
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        if (!strcmp(t[i].fn, fn)) return t[i].f(0, v[0], v[1]);
    if (!strcmp(fn, "cosine_distance")) return tt_cosine_distance(v[0], v[1], 0);
    if (!strcmp(fn, "ntxent")) return tt_ntxent(v[0], v[1], .temperature = oracle_real(p, "temperature", 0.07));
    if (!strcmp(fn, "poly_loss_cross_entropy"))
        return tt_poly_loss_cross_entropy(v[0], v[1], .epsilon = oracle_real(p, "epsilon", 2));
    if (!strcmp(fn, "sigmoid_focal_loss") && oracle_has(p, "alpha"))
        return tt_sigmoid_focal_loss(v[0], v[1], .alpha = oracle_real(p, "alpha", 0),
                                     .gamma = oracle_real(p, "gamma", 2));
    if (!strcmp(fn, "sigmoid_focal_loss")) return tt_sigmoid_focal_loss(v[0], v[1]);
    if (!strcmp(fn, "triplet_margin_loss"))
        return tt_triplet_margin_loss(v[0], v[1], v[2], .margin = oracle_real(p, "margin", 1),
                                      .eps = oracle_real(p, "eps", 1e-6));
    if (!strcmp(fn, "ctc_loss"))
        return tt_ctc_loss(v[0], v[1], v[2], v[3], .blank = oracle_int(p, "blank", 0),
                           .log_epsilon = oracle_real(p, "log_epsilon", -1e5));
    return tt_fail_at(0, TT_EARG, "no loss %s", fn);
}

static tt_val losses_total(void *env, int n, const tt_val *v)
{
    const oracle_case *c = *(oracle_case **)env;
    (void)n;
    return tt_sum(losses_value(c->fn, c->params, v));
}

void oracle_losses(oracle_case *c)
{
    enum { MOST = 4 };
    const json_t *grad = json_object_get(c->params, "grad");
    tt_val v[MOST];
    for (int i = 0; i < c->nin && i < MOST; i++) v[i] = oracle_in(c, i);
    oracle_expect(c, 0, losses_value(c->fn, c->params, v));
    for (size_t i = 0; i < json_array_size(grad); i++) {
        const char by[2] = { (char)('0' + json_integer_value(json_array_get(grad, i))), 0 };
        const tt_fn f = tt_bind_env("total", losses_total, &c, sizeof c, c->nin);
        oracle_expect(c, (int)i + 1, tt_call_n(0, tt_grad(f, .wrt = by), c->nin, v));
    }
}
