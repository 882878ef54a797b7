/* tutti/nn.h - modules: C functions of a frame and a value. The same body creates parameters and applies them. */
#include <tutti.h>
#ifndef TUTTI_NN_H
#define TUTTI_NN_H

#ifdef __cplusplus
extern "C" {
#endif

/* A module is a C function of a frame and a value: tt_init runs it and creates its variables, tt_apply runs it with
 * them.
 *
 *     static tt_val net(tt_nn m, tt_val x) { return tt_dense(m, "out", tt_relu(tt_dense(m, "in", x, 64)), 10); }
 *     tt_val vars = tt_init(net, tt_key(0), x), y = tt_apply(net, vars, x);
 *
 * A layer's name is a module's name in the tree of variables. NULL: the layer's class and a number as in Flax, Dense_0,
 * Dense_1. ".": no module of its own; its variables are those of m. */
typedef tt_val tt_module(tt_nn m, tt_val x);
/* The variables of a module for an input like x: a tree by names. key: one key for all streams of random numbers, or a
 * dict of keys by stream name ("params", "dropout", ...; with "nnx" and "keras", "default" serves streams without a
 * key). keys: the rule that derives the key of each draw:
 * - "linen" (default): fold_in by the SHA-1 of the path and a number;
 * - "nnx": fold_in by one counter per stream;
 * - "keras": the stream's words, increased by (0, 1) at each draw: a SeedGenerator, tt_seed(n). Also Keras's names
 *   (conv2d_1, gamma, beta, moving_mean), kernels by GlorotUniform, norms with epsilon 1e-3; the tree is tagged
 *   "keras".
 *     tt_val vars = tt_init(net, tt_key(0), x, .keys = "nnx");
 *     tt_val y = tt_apply(net, vars, x); */
typedef struct tt_init_opts { TT_OPTION_HEAD const char *keys TT_DEFAULT; } tt_init_opts;
#define tt_init(...)         TT_INIT_(TT_AT("tt_init(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_INIT_(at, module, key, x, ...) tt_init_at(at, module, key, x, TT_OPTS(tt_init_opts, __VA_ARGS__))
TT_API tt_val tt_init_at(const char *site, tt_module *, tt_val key, tt_val x, const tt_init_opts *);
#define tt_apply(module, vars, x) tt_apply_at(TT_AT("tt_apply(" #module ", " #vars ", " #x ")"), module, vars, x)
/* inference: no dropout, running statistics */
TT_API tt_val tt_apply_at(const char *site, tt_module *, tt_val vars, tt_val x);
/*     tt_unpack(tt_apply_train(net, vars, x, key), &y, &vars); */
#define tt_apply_train(module, vars, x, rng) \
    tt_apply_train_at(TT_AT("tt_apply_train(" #module ", " #vars ", " #x ", " #rng ")"), module, vars, x, rng)
/* (y, variables with new statistics) */
TT_API tt_val tt_apply_train_at(const char *site, tt_module *, tt_val vars, tt_val x, tt_val rng);
/*     if (tt_training(m)) x = tt_add(x, tt_mul(tt_f(0.1), tt_normal(tt_stream_key(m, "noise"), TT_F32, 8, 4))); */
#define tt_training(m)       tt_training_at(TT_AT("tt_training(" #m ")"), m)
TT_API int tt_training_at(const char *site, tt_nn);

/* ---- variables and keys of a module ---- */

/* An initializer as a C function: returns an array of these dims, drawn with this key. */
typedef tt_val tt_initializer(tt_val key, tt_dtype dtype, const int64_t *dims);
/* dims: TT_DIMS(64, 8), or a list that TT_DIM_END ends (of a scalar, only that); NULL is an error.
 * - axes: logical axes ("embed, hidden").
 * - init: an initializer by form ("normal(0.02)", tutti/random.h; default zeros); make: one as a C function.
 * - stream: the stream of its key, default "params".
 * - drawn_as: the dims with which the parameter is drawn before it is reshaped; fans are computed from these dims.
 *     tt_val scale = tt_param(m, "scale", TT_DIMS(64), .init = "ones", .axes = "embed"); */
typedef struct tt_param_opts {
    TT_OPTION_HEAD
    const char *axes TT_DEFAULT, *init TT_DEFAULT; tt_dtype dtype TT_DEFAULT;
    tt_initializer *make TT_DEFAULT; const char *stream TT_DEFAULT; const int64_t *drawn_as TT_DEFAULT;
} tt_param_opts;
#define tt_param(m, name, dims, ...) \
    tt_param_at(TT_AT("tt_param(" #m ", " #name ")"), m, name, dims, TT_OPTS(tt_param_opts, __VA_ARGS__))
TT_API tt_val tt_param_at(const char *site, tt_nn, const char *name, const int64_t *dims, const tt_param_opts *);
/* The next key of a stream ("noise"), as from Linen's make_rng and NNX's rngs.noise().
 *     tt_val noise = tt_normal(tt_stream_key(m, "noise"), TT_F32, 8, 4); */
#define tt_stream_key(m, stream) tt_stream_key_at(TT_AT("tt_stream_key(" #m ", " #stream ")"), m, stream)
TT_API tt_val tt_stream_key_at(const char *site, tt_nn, const char *stream);
/* Declares `name` as another name of m's layer `of`, which has already run: both share their variables, whose gradients
 * add up, as when a module holds one layer twice.
 *     tt_alias(m, "decoder", "encoder"); */
#define tt_alias(m, name, of) tt_alias_at(TT_AT("tt_alias(" #m ", " #name ", " #of ")"), m, name, of)
TT_API void tt_alias_at(const char *site, tt_nn, const char *name, const char *of);
/* Lists y under a name of its own in summaries: for a function that is a layer in other libraries, tt_called(m, "ReLU",
 * tt_relu(x)).
 *     x = tt_called(m, "ReLU", tt_relu(x)); */
#define tt_called(m, cls, y) tt_called_at(TT_AT("tt_called(" #m ", " #cls ")"), m, cls, y)
TT_API tt_val tt_called_at(const char *site, tt_nn, const char *cls, tt_val y);
/* Runs a module inside a module, under a name.
 *     x = tt_sub_module(m, "head", block, x); */
#define tt_sub_module(m, name, module, x) \
    tt_sub_module_at(TT_AT("tt_sub_module(" #m ", " #name ", " #module ")"), m, name, module, x)
TT_API tt_val tt_sub_module_at(const char *site, tt_nn, const char *name, tt_module *, tt_val x);
/* n copies of a module in sequence, run as one scan. axis: the dim of the parameters on which the copies are stacked
 * (0). same_keys: all copies draw the same parameters (Linen's scan without split rngs). layer: the logical axis of
 * that dim, in the parameters that have logical axes. remat: a copy's values are computed again in the backward pass
 * instead of stored; only the values passed from copy to copy are stored. Variables of collections (tutti/module.h)
 * are stacked on dim 0.
 *     x = tt_stack(m, "layers", block, 12, x, .layer = "layer", .remat = 1); */
typedef struct tt_stack_opts {
    TT_OPTION_HEAD
    int axis TT_DEFAULT, same_keys TT_DEFAULT; const char *layer TT_DEFAULT; int remat TT_DEFAULT;
} tt_stack_opts;
#define tt_stack(...)        TT_STACK_(TT_AT("tt_stack(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_STACK_(at, m, name, module, n, x, ...) \
    tt_stack_at(at, m, name, module, n, x, TT_OPTS(tt_stack_opts, __VA_ARGS__))
TT_API tt_val tt_stack_at(const char *site, tt_nn, const char *name, tt_module *, int64_t n, tt_val x,
    const tt_stack_opts *);

/* A spec from logical axes and rules, without a mesh: "layer, embed, hidden" with "batch:data, hidden:model" gives "_,
 * _, model". Flax Linen's precedence, as in tt_jit(.rules): the rules are applied in order; a rule applies if its name
 * occurs, the name's dim has no axis yet, and none of the rule's mesh axes is in use. lookup: NNX's rule, each name
 * independently. "": an error (a name on two dims, a rule without ':'). Lives until the eighth call after this one.
 *     puts(tt_logical_spec("layer, embed, hidden", "batch:data, hidden:model")); */
typedef struct tt_logical_opts { TT_OPTION_HEAD int lookup TT_DEFAULT; } tt_logical_opts;
#define tt_logical_spec(...) TT_LOGICAL_(TT_AT("tt_logical_spec(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_LOGICAL_(at, names, rules, ...) tt_logical_spec_at(at, names, rules, TT_OPTS(tt_logical_opts, __VA_ARGS__))
TT_API const char *tt_logical_spec_at(const char *site, const char *names, const char *rules, const tt_logical_opts *);
/* The logical axes of an array with one dim added or removed: "embed, hidden" with "layer" at 0 is "layer, embed,
 * hidden". Lives as long as tt_logical_spec's text.
 *     puts(tt_names_with("embed, hidden", 0, "layer")), puts(tt_names_without("layer, embed, hidden", 0)); */
#define tt_names_with(names, dim, name) \
    tt_names_with_at(TT_AT("tt_names_with(" #names ", " #dim ", " #name ")"), names, dim, name)
#define tt_names_without(names, dim) \
    tt_names_without_at(TT_AT("tt_names_without(" #names ", " #dim ")"), names, dim)
TT_API const char *tt_names_with_at(const char *site, const char *names, int dim, const char *name);
TT_API const char *tt_names_without_at(const char *site, const char *names, int dim);

/* ---- layers. Options of all layers: axes, logical axes of the kernel ("embed, hidden"); kernel_init, bias_init,
 * initializers by form (default "lecun_normal", "zeros"); dtype, the type of computation (default: the promotion of the
 * parameters' and the input's types); param_dtype, the type of the parameters (float32); precision, of dense, conv and
 * attention, as in tt_matmul (array.h). ---- */

/* y = x kernel + bias. dims: the dims of x that are contracted ("-1") with the first dims of the kernel, in x's order
 * whatever the text's, as in Flax's DenseGeneral: "2, 1" is "1, 2"; the other dims of x come first in y. split:
 * splits the features into several dims with this product. lora: the rank of a low-rank term x lora_a lora_b, which
 * starts at zero.
 *     x = tt_dense(m, "up", x, 256, .axes = "embed, hidden", .kernel_init = "normal(0.02)"); */
typedef struct tt_dense_opts {
    TT_OPTION_HEAD
    const char *axes TT_DEFAULT; int no_bias TT_DEFAULT; const char *kernel_init TT_DEFAULT, *bias_init TT_DEFAULT;
    tt_dtype dtype TT_DEFAULT; const char *dims TT_DEFAULT; int64_t split[8] TT_FROM_1, lora TT_DEFAULT;
    const char *precision TT_DEFAULT; tt_dtype param_dtype TT_DEFAULT;
} tt_dense_opts;
#define tt_dense(...)        TT_DENSE_(TT_AT("tt_dense(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_DENSE_(at, m, name, x, n, ...) tt_dense_at(at, m, name, x, n, TT_OPTS(tt_dense_opts, __VA_ARGS__))
TT_API tt_val tt_dense_at(const char *site, tt_nn, const char *name, tt_val x, int64_t features, const tt_dense_opts *);

/* Rows of a table [rows, features] at integer indices of any shape (init: "variance_scaling(1, fan_in, normal,
 * out_axis=0)"); tt_attend: x times the transpose of the table of that name, which ties a model's last layer to its
 * first (dtype: of the product; precision: as in tt_matmul).
 *     x = tt_embed(m, "tokens", ids, 50257, 768), logits = tt_attend(m, "tokens", x); */
typedef struct tt_embed_opts {
    TT_OPTION_HEAD
    const char *axes TT_DEFAULT, *init TT_DEFAULT; tt_dtype dtype TT_DEFAULT, param_dtype TT_DEFAULT;
} tt_embed_opts;
#define tt_embed(...)        TT_EMBED_(TT_AT("tt_embed(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_EMBED_(at, m, name, ids, rows, n, ...) \
    tt_embed_at(at, m, name, ids, rows, n, TT_OPTS(tt_embed_opts, __VA_ARGS__))
TT_API tt_val tt_embed_at(const char *site, tt_nn, const char *name, tt_val ids, int64_t rows, int64_t features,
    const tt_embed_opts *);
typedef struct tt_attend_opts {
    TT_OPTION_HEAD
    tt_dtype dtype TT_DEFAULT; const char *precision TT_DEFAULT;
} tt_attend_opts;
#define tt_attend(...)       TT_ATTEND_(TT_AT("tt_attend(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_ATTEND_(at, m, name, x, ...) tt_attend_at(at, m, name, x, TT_OPTS(tt_attend_opts, __VA_ARGS__))
TT_API tt_val tt_attend_at(const char *site, tt_nn, const char *name, tt_val x, const tt_attend_opts *);

/* Convolutions of x [N, spatial..., C] with kernel [window..., C / groups, features].
 * - pad: "SAME" (default), "VALID", "CAUSAL" (one spatial dim), "CIRCULAR", or "1:1, 0:2", low:high per spatial dim.
 * - dilation: of the window; base_dilation: of x.
 * - depthwise: `multiplier` features per channel, kernel [window..., 1, C multiplier].
 * - separable: depthwise (.multiplier, 1), then 1 x 1 across channels; variables depthwise_kernel, pointwise_kernel,
 *   bias.
 * - transpose: x dilated by .stride, kernel [window..., C, features]; .flip: kernel [window..., features, C], the
 *   gradient of a convolution; "SAME" gives stride times the extent.
 *     x = tt_conv(m, "conv", x, 32, .window = { 3, 3 }, .stride = { 2, 2 });
 *     x = tt_conv_transpose(m, "up", x, 16, .window = { 2, 2 }, .stride = { 2, 2 });
 *     x = tt_depthwise_conv(m, "depth", x, 1, .window = { 3, 3 });
 *     x = tt_separable_conv(m, "sep", x, 64, .window = { 3, 3 }); */
typedef struct tt_conv_opts {
    TT_OPTION_HEAD
    int64_t window[8] TT_FROM_1, stride[8] TT_FROM_1; const char *pad TT_DEFAULT;
    int64_t dilation[8] TT_FROM_1, groups TT_FROM_1;
    const char *axes TT_DEFAULT; int no_bias TT_DEFAULT; const char *kernel_init TT_DEFAULT, *bias_init TT_DEFAULT;
    tt_dtype dtype TT_DEFAULT; int64_t base_dilation[8] TT_FROM_1, multiplier TT_FROM_1; int flip TT_DEFAULT;
    const char *precision TT_DEFAULT; tt_dtype param_dtype TT_DEFAULT;
} tt_conv_opts;
#define tt_conv(...)         TT_CONV_(tt_conv_at, TT_AT("tt_conv(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_conv_transpose(...) \
    TT_CONV_(tt_conv_transpose_at, TT_AT("tt_conv_transpose(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_depthwise_conv(...) \
    TT_CONV_(tt_depthwise_conv_at, TT_AT("tt_depthwise_conv(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_separable_conv(...) \
    TT_CONV_(tt_separable_conv_at, TT_AT("tt_separable_conv(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_CONV_(f, at, m, name, x, n, ...) f(at, m, name, x, n, TT_OPTS(tt_conv_opts, __VA_ARGS__))
TT_API tt_val tt_conv_at(const char *site, tt_nn, const char *name, tt_val x, int64_t features, const tt_conv_opts *);
TT_API tt_val tt_conv_transpose_at(const char *site, tt_nn, const char *name, tt_val x, int64_t features,
    const tt_conv_opts *);
TT_API tt_val tt_depthwise_conv_at(const char *site, tt_nn, const char *name, tt_val x, int64_t multiplier,
    const tt_conv_opts *);
TT_API tt_val tt_separable_conv_at(const char *site, tt_nn, const char *name, tt_val x, int64_t features,
    const tt_conv_opts *);

/* Norms, by the dims over which the statistics are computed:
 * - batch: all dims but the last (momentum 0.99, eps 1e-5; running mean and var). axis: statistics are also averaged
 *   over that mesh axis; unbiased: the running variance is n / (n - 1) times the batch's.
 * - layer and RMS: the last dim, or .dims ("1, 2"), which scale and bias then have. RMS norm has no bias.
 * - group: groups of channels with all spatial dims (-1: each channel is a group); instance: spatial dims (eps 1e-6).
 *
 * two_pass: the variance is computed from the deviations. scale_init, bias_init: default "ones", "zeros". Statistics
 * are float32 (of f64 float64), running ones always float32; the result has the input's type, or dtype.
 *     x = tt_batch_norm(m, "bn", x, .momentum = 0.9), x = tt_layer_norm(m, "ln", x);
 *     x = tt_rms_norm(m, "rms", x);
 *     x = tt_instance_norm(m, "in", x), x = tt_group_norm(m, "gn", x, 8); */
typedef struct tt_norm_opts {
    TT_OPTION_HEAD
    double momentum TT_DEFAULT, eps TT_DEFAULT; const char *axis TT_DEFAULT;
    int no_scale TT_DEFAULT, no_bias TT_DEFAULT, two_pass TT_DEFAULT, unbiased TT_DEFAULT; const char *axes TT_DEFAULT;
    const char *dims TT_DEFAULT, *scale_init TT_DEFAULT, *bias_init TT_DEFAULT;
    tt_dtype dtype TT_DEFAULT, param_dtype TT_DEFAULT;
} tt_norm_opts;
#define tt_batch_norm(...)   TT_NORM_(tt_batch_norm_at, TT_AT("tt_batch_norm(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_layer_norm(...)   TT_NORM_(tt_layer_norm_at, TT_AT("tt_layer_norm(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_rms_norm(...)     TT_NORM_(tt_rms_norm_at, TT_AT("tt_rms_norm(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_instance_norm(...) TT_NORM_(tt_instance_norm_at, TT_AT("tt_instance_norm(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_group_norm(...)   TT_GN_(TT_AT("tt_group_norm(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_NORM_(f, at, m, name, x, ...) f(at, m, name, x, TT_OPTS(tt_norm_opts, __VA_ARGS__))
#define TT_GN_(at, m, name, x, groups, ...) tt_group_norm_at(at, m, name, x, groups, TT_OPTS(tt_norm_opts, __VA_ARGS__))
#define TT_NORM1(layer) TT_API tt_val tt_##layer##_at(const char *site, tt_nn, const char *name, tt_val x, \
    const tt_norm_opts *);
TT_NORM1(batch_norm) TT_NORM1(layer_norm) TT_NORM1(rms_norm) TT_NORM1(instance_norm)
TT_API tt_val tt_group_norm_at(const char *site, tt_nn, const char *name, tt_val x, int64_t groups,
    const tt_norm_opts *);

/* In training x / (1 - rate) or 0, by a mask drawn from stream "dropout". same: dims along which the mask is constant
 * ("1"). key: the mask's key. seed: the layer gets a variable "seed" with this initial value, which is not trained; a
 * training pass takes the variable as key and increases it by (0, 1), as Keras's dropout.
 *     x = tt_dropout(m, x, 0.1); */
typedef struct tt_dropout_opts {
    TT_OPTION_HEAD
    const char *name TT_DEFAULT, *same TT_DEFAULT; tt_val key TT_DEFAULT, seed TT_DEFAULT;
} tt_dropout_opts;
#define tt_dropout(...)      TT_DROPOUT_(TT_AT("tt_dropout(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_DROPOUT_(at, m, x, rate, ...) tt_dropout_at(at, m, x, rate, TT_OPTS(tt_dropout_opts, __VA_ARGS__))
TT_API tt_val tt_dropout_at(const char *site, tt_nn, tt_val x, double rate, const tt_dropout_opts *);

/* Recurrent cells map a carry [batch, hidden] and x [batch, features] to (next carry, output); the LSTM's carry is (c,
 * h). gru: the reset gate acts after the recurrent product; gru_before: before it; mgu: the bias of its gate starts at
 * 1, all other biases at 0. tt_rnn runs a cell over xs [time, batch, features] and returns (last carry, outputs [time,
 * batch, hidden]).
 * - reverse: from the last step to the first; each output stays at its step's index.
 * - act, gate: replace the cells' tanh and logistic (tt_relu_at, tt_hard_sigmoid_at).
 * - no_bias: no biases; recurrent_init: of the kernels that multiply the carry (default "orthogonal").
 *     tt_unpack(tt_gru_cell(m, "gru", carry, x), &carry, &y);
 *     tt_unpack(tt_gru_before_cell(m, "gru2", carry, x), &carry, &y);
 *     tt_unpack(tt_lstm_cell(m, "lstm", carry, x), &carry, &y);
 *     tt_unpack(tt_simple_cell(m, "rnn", carry, x), &carry, &y);
 *     tt_unpack(tt_mgu_cell(m, "mgu", carry, x), &carry, &y);
 *     tt_unpack(tt_rnn(m, "encoder", tt_gru_cell, carry, xs, .reverse = 1), &carry, &ys); */
typedef tt_val tt_cell(const char *site, tt_nn, const char *name, tt_val carry, tt_val x);
TT_API tt_cell tt_gru_cell_at, tt_gru_before_cell_at, tt_lstm_cell_at, tt_simple_cell_at, tt_mgu_cell_at;
#define tt_gru_cell(m, name, carry, x) tt_gru_cell_at(TT_AT("tt_gru_cell(" #name ")"), m, name, carry, x)
#define tt_gru_before_cell(m, name, carry, x) \
    tt_gru_before_cell_at(TT_AT("tt_gru_before_cell(" #name ")"), m, name, carry, x)
#define tt_lstm_cell(m, name, carry, x) tt_lstm_cell_at(TT_AT("tt_lstm_cell(" #name ")"), m, name, carry, x)
#define tt_simple_cell(m, name, carry, x) tt_simple_cell_at(TT_AT("tt_simple_cell(" #name ")"), m, name, carry, x)
#define tt_mgu_cell(m, name, carry, x) tt_mgu_cell_at(TT_AT("tt_mgu_cell(" #name ")"), m, name, carry, x)
typedef tt_val tt_activation(const char *site, tt_val x);
typedef struct tt_rnn_opts {
    TT_OPTION_HEAD
    int reverse TT_DEFAULT, no_bias TT_DEFAULT; tt_activation *act TT_DEFAULT, *gate TT_DEFAULT;
    const char *kernel_init TT_DEFAULT, *recurrent_init TT_DEFAULT, *bias_init TT_DEFAULT;
    tt_dtype dtype TT_DEFAULT, param_dtype TT_DEFAULT;
} tt_rnn_opts;
#define tt_rnn(...)          TT_RNN_(TT_AT("tt_rnn(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_RNN_(at, m, name, cell, carry, xs, ...) \
    tt_rnn_at(at, m, name, cell##_at, carry, xs, TT_OPTS(tt_rnn_opts, __VA_ARGS__))
TT_API tt_val tt_rnn_at(const char *site, tt_nn, const char *name, tt_cell *, tt_val carry, tt_val xs,
    const tt_rnn_opts *);

/* relu(x + norm(conv(relu(norm(conv x))))), 3 x 3, the first convolution with .stride; if the shape changes, x passes
 * through a 1 x 1 convolution and a norm (plain_skip: no norm). Variables conv1, bn1, conv2, bn2, conv3, bn3. bias: the
 * convolutions have a bias; pad: of the 3 x 3 convolutions; norm: the norms' options.
 *     x = tt_res_block(m, "block1", x, 64, .stride = 2); */
typedef struct tt_res_opts {
    TT_OPTION_HEAD
    int64_t stride TT_FROM_1; int bias TT_DEFAULT, plain_skip TT_DEFAULT; const char *pad TT_DEFAULT;
    tt_norm_opts norm TT_DEFAULT;
} tt_res_opts;
#define tt_res_block(...)    TT_RES_(TT_AT("tt_res_block(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_RES_(at, m, name, x, n, ...) tt_res_block_at(at, m, name, x, n, TT_OPTS(tt_res_opts, __VA_ARGS__))
TT_API tt_val tt_res_block_at(const char *site, tt_nn, const char *name, tt_val x, int64_t filters,
    const tt_res_opts *);

/* params with the kernels of dense layers (also those of attention, gated networks, stacks) packed as tt_quantize does:
 * each becomes a dict of "codes" [out, in] and "scales", frozen. A module runs on them without a change, its products
 * on the packed numbers (tt_scaled_matmul). x: an input, which may be abstract: the module runs on its type, since the
 * layers know which dims of a kernel are inputs.
 * - bits, group: those of tt_quantize. tables = 1: tables of embeddings too.
 * - skip: kernels that stay as they are, by the ends of their paths, "head.kernel out.kernel".
 * Low-rank terms are trained beside packed kernels. Errors: rows that groups do not divide, a skip of nothing.
 *     tt_val small = tt_pack_params(net, params, tt_shape(TT_F32, 8, 64), .bits = 4); */
typedef struct tt_pack_opts {
    TT_OPTION_HEAD
    int bits TT_FROM_1; int64_t group TT_FROM_1; int tables TT_DEFAULT; const char *skip TT_DEFAULT;
} tt_pack_opts;
#define tt_pack_params(...)  TT_PACK_(TT_AT("tt_pack_params(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_PACK_(at, module, params, x, ...) \
    tt_pack_params_at(at, module, params, x, TT_OPTS(tt_pack_opts, __VA_ARGS__))
TT_API tt_val tt_pack_params_at(const char *site, tt_module *, tt_val params, tt_val x, const tt_pack_opts *);

/* A table of the variables: path, type, count; the total. Lives until this thread requests the next, or ends.
 *     puts(tt_summary(vars)); */
#define tt_summary(vars)     tt_summary_at(TT_AT("tt_summary(" #vars ")"), vars)
TT_API const char *tt_summary_at(const char *site, tt_val vars);
/* A table of a module's layers for an input like x (which may be abstract), obtained by running the module without
 * computing: the layers in the order in which they run, as Keras's summary() prints them, with the types of their
 * results (dim 0, the batch, as "None"), and the numbers of trainable and other parameters. Layers inside layers count
 * as one; plain functions appear only through tt_called. Lives until this thread requests the next, or ends; "": an
 * error.
 *     puts(tt_layers(net, tt_shape(TT_F32, 8, 28, 28, 1))); */
typedef struct tt_layers_opts { TT_OPTION_HEAD const char *keys TT_DEFAULT, *name TT_DEFAULT; } tt_layers_opts;
#define tt_layers(...)       TT_LAYERS_(TT_AT("tt_layers(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_LAYERS_(at, module, x, ...) tt_layers_at(at, module, x, TT_OPTS(tt_layers_opts, __VA_ARGS__))
TT_API const char *tt_layers_at(const char *site, tt_module *, tt_val x, const tt_layers_opts *);
/* The module's variables in order of creation, which is Keras's order (a tree's leaves are ordered by name). Returns
 * their number, -1: an error; fills at most n. The paths live until this thread requests the next variables, or
 * ends.
 *     tt_variable variables[64]; const int n64 = tt_variables(net, x, 64, variables); */
typedef struct tt_variable { const char *path; tt_val like; int trainable; } tt_variable;
#define tt_variables(...)    TT_VARIABLES_(TT_AT("tt_variables(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_VARIABLES_(at, module, x, n, out, ...) \
    tt_variables_at(at, module, x, n, out, TT_OPTS(tt_layers_opts, __VA_ARGS__))
TT_API int tt_variables_at(const char *site, tt_module *, tt_val x, int n, tt_variable *out, const tt_layers_opts *);

#ifdef __cplusplus
}
#endif
#endif
