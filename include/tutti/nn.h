/* tutti/nn.h - modules: C functions of a frame and a value. The same body creates parameters and applies them. */
#ifndef TUTTI_NN_H
#define TUTTI_NN_H

#include <tutti/array.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef tt_val tt_module(tt_nn m, tt_val x);
/* The variables of a module for an input like x: a tree by names. keys: "linen" (default: fold_in by the path's SHA-1),
 * "nnx". */
typedef struct tt_init_opts { TT_OPTION_HEAD const char *keys TT_DEFAULT; } tt_init_opts;
#define tt_init(...)         TT_INIT_(TT_AT("tt_init(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_INIT_(at, module, key, x, ...) tt_init_at(at, module, key, x, TT_OPTS(tt_init_opts, __VA_ARGS__))
TT_API tt_val tt_init_at(const char *site, tt_module *, tt_val key, tt_val x, const tt_init_opts *);
#define tt_apply(module, vars, x) tt_apply_at(TT_AT("tt_apply(" #module ", " #vars ", " #x ")"), module, vars, x)
/* inference: no dropout, running statistics */
TT_API tt_val tt_apply_at(const char *site, tt_module *, tt_val vars, tt_val x);
#define tt_apply_train(module, vars, x, rng) \
    tt_apply_train_at(TT_AT("tt_apply_train(" #module ", " #vars ", " #x ", " #rng ")"), module, vars, x, rng)
/* (y, variables with new statistics) */
TT_API tt_val tt_apply_train_at(const char *site, tt_module *, tt_val vars, tt_val x, tt_val rng);

/* Layers. axes: logical axes of the kernel ("embed, hidden"). kernel_init, bias_init: initializer names. dtype:
 * computed in. */
typedef struct tt_dense_opts {
    TT_OPTION_HEAD
    const char *axes TT_DEFAULT; int no_bias TT_DEFAULT; const char *kernel_init TT_DEFAULT, *bias_init TT_DEFAULT;
    tt_dtype dtype TT_DEFAULT;
} tt_dense_opts;
#define tt_dense(...)        TT_DENSE_(TT_AT("tt_dense(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_DENSE_(at, m, name, x, n, ...) tt_dense_at(at, m, name, x, n, TT_OPTS(tt_dense_opts, __VA_ARGS__))
TT_API tt_val tt_dense_at(const char *site, tt_nn, const char *name, tt_val x, int64_t features, const tt_dense_opts *);
typedef struct tt_conv_opts {
    TT_OPTION_HEAD
    int64_t window[8] TT_DEFAULT, stride[8] TT_DEFAULT; const char *pad TT_DEFAULT;
    int64_t dilation[8] TT_DEFAULT, groups TT_DEFAULT;
    const char *axes TT_DEFAULT; int no_bias TT_DEFAULT; const char *kernel_init TT_DEFAULT, *bias_init TT_DEFAULT;
    tt_dtype dtype TT_DEFAULT;
} tt_conv_opts;
#define tt_conv(...)         TT_CONV_(TT_AT("tt_conv(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_CONV_(at, m, name, x, n, ...) tt_conv_at(at, m, name, x, n, TT_OPTS(tt_conv_opts, __VA_ARGS__))
TT_API tt_val tt_conv_at(const char *site, tt_nn, const char *name, tt_val x, int64_t features, const tt_conv_opts *);
typedef struct tt_norm_opts {
    TT_OPTION_HEAD
    double momentum TT_DEFAULT, eps TT_DEFAULT; const char *axis TT_DEFAULT;
} tt_norm_opts;
#define tt_batch_norm(...)   TT_BN_(TT_AT("tt_batch_norm(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_BN_(at, m, name, x, ...) tt_batch_norm_at(at, m, name, x, TT_OPTS(tt_norm_opts, __VA_ARGS__))
TT_API tt_val tt_batch_norm_at(const char *site, tt_nn, const char *name, tt_val x, const tt_norm_opts *);
#define tt_dropout(m, x, p)  tt_dropout_at(TT_AT("tt_dropout(" #m ", " #x ", " #p ")"), m, x, p)
TT_API tt_val tt_dropout_at(const char *site, tt_nn, tt_val x, double rate);
/* n copies of a module in a row, parameters stacked on a leading dim, run as one scan. */
#define tt_stack(m, name, module, n, x) \
    tt_stack_at(TT_AT("tt_stack(" #m ", " #name ", " #module ", " #n ")"), m, name, module, n, x)
TT_API tt_val tt_stack_at(const char *site, tt_nn, const char *name, tt_module *, int64_t n, tt_val x);
/* A module inside a module, under a name; and a parameter of the module itself. */
#define tt_sub_module(m, name, module, x) \
    tt_sub_module_at(TT_AT("tt_sub_module(" #m ", " #name ", " #module ")"), m, name, module, x)
TT_API tt_val tt_sub_module_at(const char *site, tt_nn, const char *name, tt_module *, tt_val x);
typedef struct tt_param_opts {
    TT_OPTION_HEAD
    const char *axes TT_DEFAULT, *init TT_DEFAULT; tt_dtype dtype TT_DEFAULT;
} tt_param_opts;
#define tt_param(m, name, dims, ...) \
    tt_param_at(TT_AT("tt_param(" #m ", " #name ")"), m, name, dims, TT_OPTS(tt_param_opts, __VA_ARGS__))
TT_API tt_val tt_param_at(const char *site, tt_nn, const char *name, const int64_t *dims, const tt_param_opts *);
TT_API int tt_training(tt_nn);
/* A table of the variables: path, type, count; the total. Lives as long as the program. */
TT_API const char *tt_summary(tt_val vars);

#ifdef __cplusplus
}
#endif
#endif
