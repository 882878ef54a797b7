/* tutti/optim.h - optimizers are data: a tree, tagged with its chain, whose leaves are the rate and the moments.
 *
 *     tt_val opt = tt_adamw(params, .rate = 1e-3, .decay = 0.1, .mask = "not bias scale", .clip_norm = 1);
 *     tt_opt_step(&params, &opt, grads);                        // both are replaced, each in the scope of its slot
 *
 * Names, defaults and formulas are optax's; .keras = 1: those of Keras 3's optimizer of the same name. The state's
 * leaves are named "rate", "count", "mu", "nu", "trace", ...; the rate may be replaced (tt_set(opt, "rate", ...))
 * without a retrace; a name that the chain does not have is an error of tt_opt_step. Frozen leaves (tt_leaf(.frozen =
 * 1), batch statistics) do not change and have no moments. Complex parameters work with sgd and with parts of chains
 * that neither square nor compare gradients. */
#include <tutti.h>
#ifndef TUTTI_OPTIM_H
#define TUTTI_OPTIM_H

#ifdef __cplusplus
extern "C" {
#endif

/* Options of all optimizers:
 * - rate, or schedule: the rate as a form of the number of previous steps (tt_schedule);
 * - clip_norm: gradients are scaled to at most this global norm; clip_value: each element is clipped to this magnitude;
 *   both are above 0; without them nothing is clipped;
 * - every: the mean of this many gradients makes one step;
 * - keras: names, defaults and formulas of Keras 3.
 *
 * A rate, decay, b1 or momentum given as 0 is 0. Errors: a schedule that is not one form, a mask with anything but ends
 * of paths. */
#define TT_OPT_COMMON \
    TT_OPTION_HEAD \
    double rate TT_DEFAULT, clip_norm TT_ABOVE_0, clip_value TT_ABOVE_0; const char *schedule TT_DEFAULT; \
    int every TT_FROM_1, keras TT_DEFAULT;
#define TT_OPT_(f, T, at, params, ...) f(at, params, TT_OPTS(T, __VA_ARGS__))

/* Stochastic gradient descent. Default rate: 0.01. mu_dtype: dtype of the stored momentum.
 *     opt = tt_sgd(params, .rate = 0.1, .momentum = 0.9, .nesterov = 1); */
typedef struct tt_sgd_opts {
    TT_OPT_COMMON
    double momentum TT_DEFAULT; int nesterov TT_DEFAULT; tt_dtype mu_dtype TT_DEFAULT;
} tt_sgd_opts;
#define tt_sgd(...)          TT_OPT_(tt_sgd_at, tt_sgd_opts, TT_AT("tt_sgd(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_API tt_val tt_sgd_at(const char *site, tt_val params, const tt_sgd_opts *);

/* Adam and its relatives. Defaults: rate 1e-3, b1 0.9, b2 0.999, eps 1e-8 (LAMB 1e-6, Keras 1e-7).
 * - b1, b2: below 1 where moments are divided by 1 - b^t; eps_root: added inside the root;
 * - nesterov: Nesterov's momentum; mu_dtype: dtype of the first moment;
 * - decay: decoupled weight decay (adamw 1e-4, else 0);
 * - mask: the leaves that decay, by the ends of their paths, "w" or "not bias scale"; each end must match a leaf and
 *   may be listed once.
 *     opt = tt_adam(params, .rate = 1e-3), opt = tt_adamw(params, .decay = 0.1, .mask = "kernel");
 *     opt = tt_nadam(params);
 *     opt = tt_radam(params), opt = tt_amsgrad(params), opt = tt_adamax(params);
 *     opt = tt_lamb(params, .rate = 1e-2); */
typedef struct tt_adam_opts {
    TT_OPT_COMMON
    double b1 TT_DEFAULT, b2 TT_DEFAULT, eps TT_DEFAULT, eps_root TT_DEFAULT, decay TT_DEFAULT;
    int nesterov TT_DEFAULT; const char *mask TT_DEFAULT; tt_dtype mu_dtype TT_DEFAULT;
} tt_adam_opts;
#define TT_ADAM_(f, at, params, ...) \
    TT_OPT_(f, tt_adam_opts, at, params, __VA_ARGS__)
#define tt_adam(...)         TT_ADAM_(tt_adam_at, TT_AT("tt_adam(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_adamw(...)        TT_ADAM_(tt_adamw_at, TT_AT("tt_adamw(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_nadam(...)        TT_ADAM_(tt_nadam_at, TT_AT("tt_nadam(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_radam(...)        TT_ADAM_(tt_radam_at, TT_AT("tt_radam(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_amsgrad(...)      TT_ADAM_(tt_amsgrad_at, TT_AT("tt_amsgrad(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_adamax(...)       TT_ADAM_(tt_adamax_at, TT_AT("tt_adamax(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_lamb(...)         TT_ADAM_(tt_lamb_at, TT_AT("tt_lamb(" #__VA_ARGS__ ")"), __VA_ARGS__, )
/* Other defaults: AdaBelief: eps 1e-16, eps_root 1e-16; Yogi: eps 1e-3; NovoGrad: b2 0.25, eps 1e-6, and .decay acts
 * inside the moment.
 *     opt = tt_adabelief(params), opt = tt_yogi(params), opt = tt_novograd(params, .decay = 1e-3); */
#define tt_adabelief(...)    TT_ADAM_(tt_adabelief_at, TT_AT("tt_adabelief(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_yogi(...)         TT_ADAM_(tt_yogi_at, TT_AT("tt_yogi(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_novograd(...)     TT_ADAM_(tt_novograd_at, TT_AT("tt_novograd(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_ADAM1(name) TT_API tt_val tt_##name##_at(const char *site, tt_val params, const tt_adam_opts *);
TT_ADAM1(adam) TT_ADAM1(adamw) TT_ADAM1(nadam) TT_ADAM1(radam) TT_ADAM1(amsgrad) TT_ADAM1(adamax) TT_ADAM1(lamb)
TT_ADAM1(adabelief) TT_ADAM1(yogi) TT_ADAM1(novograd)

/* Lion. Defaults: rate 1e-4, b1 0.9, b2 0.99, decay 1e-3.
 *     opt = tt_lion(params, .rate = 1e-4); */
typedef struct tt_lion_opts {
    TT_OPT_COMMON
    double b1 TT_DEFAULT, b2 TT_DEFAULT, decay TT_DEFAULT; const char *mask TT_DEFAULT;
} tt_lion_opts;
#define tt_lion(...)         TT_OPT_(tt_lion_at, tt_lion_opts, TT_AT("tt_lion(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_API tt_val tt_lion_at(const char *site, tt_val params, const tt_lion_opts *);

/* LARS. Defaults: rate 0.01, momentum 0.9, trust 0.001 (the trust coefficient), decay 0, eps 0. mask: the leaves that
 * decay; trust_mask: the leaves whose steps are scaled by the trust ratio (default: all).
 *     opt = tt_lars(params, .decay = 1e-4, .mask = "kernel"); */
typedef struct tt_lars_opts {
    TT_OPT_COMMON
    double decay TT_DEFAULT, trust TT_DEFAULT, eps TT_DEFAULT, momentum TT_DEFAULT; int nesterov TT_DEFAULT;
    const char *mask TT_DEFAULT, *trust_mask TT_DEFAULT;
} tt_lars_opts;
#define tt_lars(...)         TT_OPT_(tt_lars_at, tt_lars_opts, TT_AT("tt_lars(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_API tt_val tt_lars_at(const char *site, tt_val params, const tt_lars_opts *);

/* RMSprop. Defaults: rate 1e-3, rho 0.9 (optax's `decay`), eps 1e-8 (Keras 1e-7). centered: divides by the standard
 * deviation; initial: the initial second moment; eps_outside: eps is added outside the root.
 *     opt = tt_rmsprop(params, .momentum = 0.9, .centered = 1); */
typedef struct tt_rmsprop_opts {
    TT_OPT_COMMON
    double rho TT_DEFAULT, eps TT_DEFAULT, momentum TT_DEFAULT, initial TT_DEFAULT;
    int centered TT_DEFAULT, nesterov TT_DEFAULT, bias_correction TT_DEFAULT, eps_outside TT_DEFAULT;
} tt_rmsprop_opts;
#define tt_rmsprop(...) \
    TT_OPT_(tt_rmsprop_at, tt_rmsprop_opts, TT_AT("tt_rmsprop(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_API tt_val tt_rmsprop_at(const char *site, tt_val params, const tt_rmsprop_opts *);

/* Adagrad. Defaults: rate 0.01, initial 0.1 (the initial sum of squares), eps 1e-7.
 *     opt = tt_adagrad(params, .rate = 0.1); */
typedef struct tt_adagrad_opts { TT_OPT_COMMON double initial TT_DEFAULT, eps TT_DEFAULT; } tt_adagrad_opts;
#define tt_adagrad(...) \
    TT_OPT_(tt_adagrad_at, tt_adagrad_opts, TT_AT("tt_adagrad(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_API tt_val tt_adagrad_at(const char *site, tt_val params, const tt_adagrad_opts *);

/* Adadelta. Defaults: rate 1, rho 0.9, eps 1e-6.
 *     opt = tt_adadelta(params, .rho = 0.95); */
typedef struct tt_adadelta_opts {
    TT_OPT_COMMON
    double rho TT_DEFAULT, eps TT_DEFAULT, decay TT_DEFAULT;
} tt_adadelta_opts;
#define tt_adadelta(...) \
    TT_OPT_(tt_adadelta_at, tt_adadelta_opts, TT_AT("tt_adadelta(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_API tt_val tt_adadelta_at(const char *site, tt_val params, const tt_adadelta_opts *);

/* Adafactor: second moments per row and column of leaves whose two largest dims have `from` elements or more (128).
 * rate 0.01, rate_of_decay 0.8, threshold 1 (clip_by_block_rms), by_scale 1 (steps in proportion to the parameters),
 * eps 1e-30, momentum and decay none.
 *     opt = tt_adafactor(params, .from = 32); */
typedef struct tt_adafactor_opts {
    TT_OPT_COMMON
    double momentum TT_DEFAULT, rate_of_decay TT_DEFAULT, threshold TT_DEFAULT, eps TT_DEFAULT, decay TT_DEFAULT;
    int from TT_FROM_1, by_scale TT_DEFAULT; const char *mask TT_DEFAULT;
} tt_adafactor_opts;
#define tt_adafactor(...) \
    TT_OPT_(tt_adafactor_at, tt_adafactor_opts, TT_AT("tt_adafactor(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_API tt_val tt_adafactor_at(const char *site, tt_val params, const tt_adafactor_opts *);

/* L-BFGS with a zoom line search, for tt_opt_step_with. memory: the number of differences kept, 10; rate: default 1.
 * Other searches: tt_optimizer(params, "scale_by_lbfgs(); scale(-1); scale_by_backtracking_linesearch(20)"). */
typedef struct tt_lbfgs_opts { TT_OPTION_HEAD double rate TT_DEFAULT; int memory TT_FROM_1; } tt_lbfgs_opts;
#define tt_lbfgs(...)        TT_OPT_(tt_lbfgs_at, tt_lbfgs_opts, TT_AT("tt_lbfgs(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_API tt_val tt_lbfgs_at(const char *site, tt_val params, const tt_lbfgs_opts *);

/* Any chain of parts, as optax.chain: "clip_by_global_norm(1); scale_by_adam(b1=0.8); add_decayed_weights(0.1, mask=w);
 * scale_by_learning_rate(linear(0.1, 0.01, 30))".
 * - Complete optimizers may be parts: adamw(...), keras.SGD(...), and those without a call of their own: adan, sm3,
 *   rprop, sign_sgd, signum, noisy_sgd, optimistic_gradient_descent, optimistic_adam_v2, polyak_sgd.
 * - Parts: scale_by_adam, _amsgrad, _radam, _adamax, _lion, _rms, _stddev, _rss, _adadelta, _belief, _yogi, _adan,
 *   _novograd, _sm3, _factored_rms, _rprop, _sign, _optimistic_gradient, _trust_ratio (mask=w), _param_block_norm,
 *   _param_block_rms, _learning_rate (flip_sign=0), _schedule, _lbfgs, _backtracking_linesearch, _zoom_linesearch,
 *   _polyak; scale, trace, ema, apply_every, add_decayed_weights, add_noise, centralize, normalize_by_update_norm,
 *   clip, clip_by_block_rms, clip_by_global_norm, clip_by_norm, adaptive_grad_clip, reduce_on_plateau, identity,
 *   set_to_zero.
 * - Groups: masked(chain, mask=kernel) applies a chain to the leaves that the words select, other leaves pass
 *   unchanged; partition(kernel=adam(0.01), others=sgd(0.1)) gives each leaf to the chain of its group, an end of
 *   paths. A leaf in no group, or in two, is an error.
 * - Before a chain, once each: multi_steps(every=4) (use_grad_mean=0: sums): between two steps of the chain, parameters
 *   stay, and a NaN gradient spoils the step of its own round; optax 0.2.8 multiplies by 0 instead, so that the NaN is
 *   in the parameters at once and in acc_grads for ever; apply_if_finite(max_consecutive_errors=5)
 *   leaves out steps whose gradients are not finite; lookahead(sync_period=5, slow_step_size=0.5): the slow parameters
 *   are the state's "slow", and every sync_period steps the parameters are set to them; params_ema(decay=0.999): the
 *   state's "params_ema" is the mean of the parameters after each step, and begins as the parameters.
 *     opt = tt_optimizer(params, "clip_by_global_norm(1); adamw(1e-3)"); */
#define tt_optimizer(params, text) tt_optimizer_at(TT_AT("tt_optimizer(" #params ", " #text ")"), params, text)
TT_API tt_val tt_optimizer_at(const char *site, tt_val params, const char *text);
/* The value of a schedule at a count (integers of any shape), f32: "warmup_cosine_decay(0, 0.1, 10, 60)". Schedules:
 * constant, linear, polynomial, exponential_decay, cosine_decay, warmup_constant, warmup_cosine_decay,
 * warmup_exponential_decay, piecewise_constant, piecewise_interpolate, cosine_onecycle, linear_onecycle, sgdr,
 * join_schedules, with optax's arguments in optax's order.
 *     tt_val rates = tt_schedule("warmup_cosine_decay(0, 0.1, 10, 60)", tt_arange(TT_I32, 60)); */
#define tt_schedule(text, count) tt_schedule_at(TT_AT("tt_schedule(" #text ", " #count ")"), text, count)
TT_API tt_val tt_schedule_at(const char *site, const char *text, tt_val count);

/* Replaces params and the state, each in the scope of its slot. The gradients and the state's moments must match the
 * parameters (tt_match).
 *     tt_opt_step(&params, &opt, grads); */
#define tt_opt_step(params, opt, grads) \
    tt_opt_step_at(TT_AT("tt_opt_step(" #params ", " #opt ", " #grads ")"), params, opt, grads)
TT_API void tt_opt_step_at(const char *site, tt_val *params, tt_val *opt, tt_val grads);
/* tt_opt_step for chains with reduce_on_plateau or scale_by_polyak, which read the loss at params: one number.
 *     tt_opt_step_value(&params, &opt, grads, l); */
#define tt_opt_step_value(params, opt, grads, value) \
    tt_opt_step_value_at(TT_AT("tt_opt_step_value(" #params ", " #opt ", " #grads ", " #value ")"), params, opt, \
        grads, value)
TT_API void tt_opt_step_value_at(const char *site, tt_val *params, tt_val *opt, tt_val grads, tt_val value);
/* A step of any chain with the loss as a function of (params, arguments...), at most seven, which returns one number.
 * Its gradient is taken here, and line searches evaluate the loss at other points. Returns the loss before the step:
 *     tt_val opt = tt_lbfgs(params);
 *     for (tt_loop it = tt_steps(100); tt_next(&it); ) tt_opt_step_with(&params, &opt, loss, x, y); */
#define tt_opt_step_with(...) \
    TT_STEP_WITH_(TT_AT("tt_opt_step_with(" #__VA_ARGS__ ")"), __VA_ARGS__, tt_end)
#define TT_STEP_WITH_(at, params, opt, loss, ...) \
    tt_opt_step_with_at(at, params, opt, TT_FN(loss), TT_LIST(tt_val, __VA_ARGS__))
TT_API tt_val tt_opt_step_with_at(const char *site, tt_val *params, tt_val *opt, tt_fn loss, const tt_val *args);
/* The minimum of f(x), or with .with = w of f(x, w), by the BFGS method with a zoom line search (Nocedal and Wright,
 * algorithms 6.1 and 3.5), as jax.scipy.optimize.minimize. x0: an array of floats; f returns one number. It ends when
 * the largest element of the gradient is at most tol (1e-5), after maxiter iterations (200 times x0's number of
 * elements), or when no step lowers f. The result is a dict: x; fun, jac, hess_inv: f, its gradient and the inverse
 * Hessian [n, n] there; nit, the number of iterations; success, true if the gradient is at most tol. tt_minimize has
 * no derivative.
 *     tt_val found = tt_minimize(energy, x, .tol = 1e-6), at = tt_get(found, "x"); */
typedef struct tt_minimize_opts {
    TT_OPTION_HEAD
    tt_val with TT_DEFAULT; double tol TT_ABOVE_0; int64_t maxiter TT_FROM_1;
} tt_minimize_opts;
#define tt_minimize(...)     TT_MINIMIZE_(TT_AT("tt_minimize(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_MINIMIZE_(at, f, x0, ...) tt_minimize_at(at, TT_FN(f), x0, TT_OPTS(tt_minimize_opts, __VA_ARGS__))
TT_API tt_val tt_minimize_at(const char *site, tt_fn f, tt_val x0, const tt_minimize_opts *);
/* params + updates, added in the wider type and returned in the parameters' type
 *     params = tt_apply_updates(params, updates), grads = tt_clip_by_norm(grads, 1); */
#define tt_apply_updates(params, updates) \
    tt_apply_updates_at(TT_AT("tt_apply_updates(" #params ", " #updates ")"), params, updates)
TT_API tt_val tt_apply_updates_at(const char *site, tt_val params, tt_val updates);
#define tt_clip_by_norm(grads, max) tt_clip_by_norm_at(TT_AT("tt_clip_by_norm(" #grads ", " #max ")"), grads, max)
/* target + step (source - target) leaf by leaf, as optax.incremental_update: means of parameters, target networks.
 *     target = tt_incremental_update(params, target, 0.005); */
#define tt_incremental_update(source, target, step) \
    tt_incremental_update_at(TT_AT("tt_incremental_update(" #source ", " #target ", " #step ")"), source, target, step)
TT_API tt_val tt_incremental_update_at(const char *site, tt_val source, tt_val target, double step);
TT_API tt_val tt_clip_by_norm_at(const char *site, tt_val grads, double max);

#ifdef __cplusplus
}
#endif
#endif
