/* oracle/layers/layer_keras_act.c - Keras's options that many layers have (data_format, axis, activation), and its
 * layers without weights that act on elements: activations, rescaling. */
#include "layer_keras.h"

#include <stdio.h>
#include <string.h>

const json_t *keras_options(void) { return json_object_get(layer_params(), "options"); }
bool keras_call(const char *flag) { return oracle_flag(json_object_get(layer_params(), "call"), flag); }
bool keras_lacks(const char *role) { return !layer_has(role); }

/* ---- where dims are ---- */

tt_val keras_moved(tt_val v, int from, int to)
{
    int64_t perm[14];
    const int rank = tt_rank(v);
    int n = 0;
    for (int d = 0; d < rank; d++) {
        if (n == to) perm[n++] = from;
        if (d != from) perm[n++] = d;
    }
    if (n < rank) perm[n++] = from;
    perm[rank] = TT_DIM_END;
    return from == to || rank < 0 ? v : tt_transpose_at(0, v, perm);
}

static bool channels_first(void)
{
    return !strcmp(oracle_text(keras_options(), "data_format", "channels_last"), "channels_first");
}
tt_val keras_x(void)
{
    const tt_val x = layer_arg("x");
    return channels_first() ? keras_moved(x, 1, tt_rank(x) - 1) : x;
}
tt_val keras_out(tt_val y) { return channels_first() ? keras_moved(y, tt_rank(y) - 1, 1) : y; }

int keras_axes(tt_val x, char over[64], int dims[8])
{
    const json_t *axis = json_object_get(keras_options(), "axis");
    const int rank = tt_rank(x);
    int n = 0;
    for (size_t i = 0; i < json_array_size(axis) && i < 8; i++)
        dims[n++] = (int)json_integer_value(json_array_get(axis, i));
    if (!json_is_array(axis)) dims[n++] = (int)oracle_int(keras_options(), "axis", -1);
    *over = 0;
    for (int i = 0; i < n; i++) {
        if (dims[i] < 0) dims[i] += rank;
        snprintf(over + strlen(over), 64 - strlen(over), "%s%d", i ? ", " : "", dims[i]);
    }
    return n;
}

/* ---- activations by name ---- */

static tt_val linear(const char *site, tt_val x) { return (void)site, x; }
static tt_val elu(const char *site, tt_val x) { return tt_elu_at(site, x, 1); }
static tt_val celu(const char *site, tt_val x) { return tt_celu_at(site, x, 1); }
static tt_val leaky(const char *site, tt_val x) { return tt_leaky_relu_at(site, x, 0.2); }
static tt_val tanh_shrink(const char *site, tt_val x) { return tt_sub_at(site, x, tt_tanh_at(site, x)); }
static tt_val hard_shrink(const char *site, tt_val x)            /* 0 up to 0.5 from it */
{
    return tt_where_at(site, tt_gt(tt_abs_at(site, x), tt_f(0.5)), x, tt_f(0));
}
static tt_val soft_shrink(const char *site, tt_val x)            /* nearer to 0 by 0.5 */
{
    const tt_val low = tt_where_at(site, tt_lt(x, tt_f(-0.5)), tt_add_at(site, x, tt_f(0.5)), tt_f(0));
    return tt_where_at(site, tt_gt(x, tt_f(0.5)), tt_sub_at(site, x, tt_f(0.5)), low);
}
static tt_val sparse_sigmoid(const char *site, tt_val x)         /* 0, (x + 1) / 2, 1 */
{
    const tt_val half = tt_mul_at(site, tt_f(0.5), tt_add_at(site, x, tt_f(1)));
    return tt_where_at(site, tt_le(x, tt_f(-1)), tt_f(0),
                       tt_where_at(site, tt_ge(x, tt_f(1)), tt_f(1), half));
}

static tt_val softmax(const char *site, tt_val x) { return tt_softmax_at(site, x, NULL); }
static tt_val log_softmax(const char *site, tt_val x) { return tt_log_softmax_at(site, x, NULL); }

tt_activation *keras_named_activation(const char *name)
{
    static const struct { const char *name; tt_activation *f; } of[] = {
        { "linear", linear }, { "relu", tt_relu_at }, { "relu6", tt_relu6_at }, { "sigmoid", tt_logistic_at },
        { "tanh", tt_tanh_at }, { "softmax", softmax }, { "log_softmax", log_softmax }, { "elu", elu },
        { "celu", celu }, { "selu", tt_selu_at }, { "leaky_relu", leaky }, { "gelu", tt_gelu_erf_at },
        { "silu", tt_silu_at }, { "swish", tt_silu_at }, { "softplus", tt_softplus_at },
        { "softsign", tt_soft_sign_at }, { "exponential", tt_exp_at }, { "hard_sigmoid", tt_hard_sigmoid_at },
        { "hard_silu", tt_hard_silu_at }, { "hard_swish", tt_hard_silu_at }, { "hard_tanh", tt_hard_tanh_at },
        { "mish", tt_mish_at }, { "log_sigmoid", tt_log_sigmoid_at }, { "squareplus", tt_squareplus_at },
        { "sparse_plus", tt_sparse_plus_at }, { "glu", tt_glu_at }, { "tanh_shrink", tanh_shrink },
        { "hard_shrink", hard_shrink }, { "soft_shrink", soft_shrink }, { "sparse_sigmoid", sparse_sigmoid },
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) if (!strcmp(of[i].name, name)) return of[i].f;
    tt_fail_at(NULL, TT_EARG, "no activation \"%s\" here", name);
    return linear;
}
tt_activation *keras_activation(const char *option, const char *usual)
{
    const json_t *v = json_object_get(keras_options(), option);
    return keras_named_activation(json_is_null(v) ? "linear" : oracle_text(keras_options(), option, usual));
}
tt_val keras_activated(tt_val y) { return keras_activation("activation", "linear")(0, y); }

/* ---- layers ---- */

static tt_val do_activation(void) { return keras_activated(layer_arg("x")); }
static tt_val do_same(void) { return layer_arg("x"); }           /* what acts in training only */

/* Keras's ReLU: above the threshold x, at most max_value; below it slope (x - threshold). */
static tt_val do_relu(void)
{
    const json_t *o = keras_options();
    const double slope = oracle_real(o, "negative_slope", 0), from = oracle_real(o, "threshold", 0);
    const tt_val x = layer_arg("x");
    tt_val y = from != 0 ? tt_where(tt_gt(x, tt_f(from)), x, tt_f(0)) : tt_relu(x);
    if (oracle_has(o, "max_value")) y = tt_clamp(tt_f(0), y, tt_f(oracle_real(o, "max_value", 0)));
    return slope != 0 ? tt_sub(y, tt_mul(tt_f(slope), tt_relu(tt_sub(tt_f(from), x)))) : y;
}
static tt_val do_leaky(void)
{
    return tt_leaky_relu(layer_arg("x"), oracle_real(keras_options(), "negative_slope", 0.3));
}
static tt_val do_elu(void) { return tt_elu(layer_arg("x"), oracle_real(keras_options(), "alpha", 1)); }
static tt_val do_prelu(void)
{
    const tt_val x = layer_arg("x");
    return tt_where(tt_gt(x, tt_f(0)), x, tt_mul(x, layer_arg("alpha")));
}

/* Over one dim, which goes last and back; over several, through their logsumexp. */
static tt_val do_softmax(void)
{
    const tt_val x = layer_arg("x");
    char over[64];
    int dim[8];
    if (keras_axes(x, over, dim) > 1) return tt_exp(tt_sub(x, tt_logsumexp(x, .dims = over, .keepdims = 1)));
    const int last = tt_rank(x) - 1;
    return keras_moved(tt_softmax(keras_moved(x, dim[0], last)), last, dim[0]);
}

/* One number, or one for every channel. */
static tt_val numbers(const char *option, double usual)
{
    const json_t *v = json_object_get(keras_options(), option);
    float f[64];
    const size_t n = json_array_size(v);
    if (!n) return tt_f(oracle_real(keras_options(), option, usual));
    for (size_t i = 0; i < n && i < 64; i++) f[i] = (float)json_number_value(json_array_get(v, i));
    return tt_array(TT_F32, f, (int64_t)(n < 64 ? n : 64));
}
static tt_val do_rescale(void)
{
    return keras_out(tt_add(tt_mul(keras_x(), numbers("scale", 1)), numbers("offset", 0)));
}

const layer_row layer_keras_act[] = {
    { "keras.Activation", do_activation }, { "keras.ReLU", do_relu }, { "keras.LeakyReLU", do_leaky },
    { "keras.ELU", do_elu }, { "keras.PReLU", do_prelu }, { "keras.Softmax", do_softmax },
    { "keras.Rescaling", do_rescale }, { "keras.Identity", do_same }, { "keras.Dropout", do_same },
    { "keras.GaussianNoise", do_same }, { "keras.GaussianDropout", do_same }, { "keras.AlphaDropout", do_same },
    { "keras.SpatialDropout1D", do_same }, { "keras.SpatialDropout2D", do_same },
    { "keras.SpatialDropout3D", do_same }, { "keras.ActivityRegularization", do_same }, { NULL, NULL },
};
