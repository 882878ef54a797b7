/* tutti/optim.h - optimizers are data: a tree tagged with its rule, its rate a leaf, so that schedules need no
 * retrace. */
#ifndef TUTTI_OPTIM_H
#define TUTTI_OPTIM_H

#include <tutti/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/* rate 0.01 */
typedef struct tt_sgd_opts {
    TT_OPTION_HEAD
    double rate TT_DEFAULT, momentum TT_DEFAULT; int nesterov TT_DEFAULT;
} tt_sgd_opts;
#define tt_sgd(...)          TT_SGD_(TT_AT("tt_sgd(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_SGD_(at, params, ...) tt_sgd_at(at, params, TT_OPTS(tt_sgd_opts, __VA_ARGS__))
TT_API tt_val tt_sgd_at(const char *site, tt_val params, const tt_sgd_opts *);
/* rate 1e-3, b1 0.9, b2 0.999, eps 1e-8; eps_root: within the root; decay: decoupled weight decay (adam 0; adamw 1e-4);
 * nesterov: the mean one step ahead. keras: Keras's epsilon outside the bias correction (eps 1e-7). */
typedef struct tt_adam_opts {
    TT_OPTION_HEAD
    double rate TT_DEFAULT, b1 TT_DEFAULT, b2 TT_DEFAULT, eps TT_DEFAULT, eps_root TT_DEFAULT, decay TT_DEFAULT;
    int keras TT_DEFAULT, nesterov TT_DEFAULT;
} tt_adam_opts;
#define tt_adam(...)         TT_ADAM_(TT_AT("tt_adam(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_adamw(...)        TT_ADAMW_(TT_AT("tt_adamw(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_ADAM_(at, params, ...) tt_adam_at(at, params, TT_OPTS(tt_adam_opts, __VA_ARGS__))
#define TT_ADAMW_(at, params, ...) tt_adamw_at(at, params, TT_OPTS(tt_adam_opts, __VA_ARGS__))
TT_API tt_val tt_adam_at(const char *site, tt_val params, const tt_adam_opts *),
    tt_adamw_at(const char *site, tt_val params, const tt_adam_opts *);
/* params and state are replaced, each in the scope of its slot. Frozen leaves (batch statistics) are taken from grads'
 * twin unchanged. */
#define tt_opt_step(params, opt, grads) \
    tt_opt_step_at(TT_AT("tt_opt_step(" #params ", " #opt ", " #grads ")"), params, opt, grads)
TT_API void tt_opt_step_at(const char *site, tt_val *params, tt_val *opt, tt_val grads);
#define tt_clip_by_norm(grads, max) tt_clip_by_norm_at(TT_AT("tt_clip_by_norm(" #grads ", " #max ")"), grads, max)
TT_API tt_val tt_clip_by_norm_at(const char *site, tt_val grads, double max);

#ifdef __cplusplus
}
#endif
#endif
