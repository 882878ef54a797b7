/* oracle/layers/layer_keras_shape.c - Keras's layers without weights that act on dims: pools, paddings, croppings,
 * repeats, reshapes. x is [N, spatial..., C]. */
#include "layer_keras.h"

#include <string.h>

enum { DIMS = 14 };
static int spatial(tt_val x) { return tt_rank(x) - 2; }

/* ---- pools ---- */

static tt_val pooled(tt_val f(const char *, tt_val, const tt_pool_opts *))
{
    const json_t *o = keras_options();
    const tt_val x = keras_x();
    char pads[128];
    const int n = spatial(x);
    tt_pool_opts p = { .size = sizeof p, .pad = layer_pads(o, pads), .real_only = f == tt_avg_pool_at };
    for (int i = 0; i < n; i++) p.window[i] = 2;
    layer_ints(o, "pool_size", p.window, n);
    layer_ints(o, "strides", p.stride, n);
    if (!p.stride[0]) memcpy(p.stride, p.window, sizeof p.stride);
    if (!*pads) p.pad = "VALID";
    return keras_out(f(0, x, &p));
}
static tt_val do_max_pool(void) { return pooled(tt_max_pool_at); }
static tt_val do_avg_pool(void) { return pooled(tt_avg_pool_at); }

static tt_val of_all(tt_val f(const char *, tt_val, const tt_reduce_opts *))
{
    static const char *const over[] = { "", "1", "1, 2", "1, 2, 3" };
    const tt_val x = keras_x();
    const int keep = oracle_flag(keras_options(), "keepdims"), n = spatial(x);
    if (n < 1 || n > 3) return tt_fail_at(NULL, TT_ESHAPE, "a global pool of %s", tt_type_text(x));
    const tt_val y = f(0, x, &(tt_reduce_opts){ .size = sizeof(tt_reduce_opts), .dims = over[n], .keepdims = keep });
    return keep ? keras_out(y) : y;
}
static tt_val do_mean_all(void) { return of_all(tt_mean_at); }
static tt_val do_max_all(void) { return of_all(tt_amax_at); }

/* ---- edges ---- */

/* Low and high of each spatial dim: n; (a, b), which is one dim's pair or, of several, each dim's both sides; or a pair
 * for each. */
static void edges(const char *option, int64_t usual, int n, int64_t low[DIMS], int64_t high[DIMS])
{
    const json_t *p = json_object_get(keras_options(), option);
    for (int d = 0; d < n; d++) {
        const json_t *v = json_is_array(p) && n > 1 ? json_array_get(p, (size_t)d) : p;
        const bool pair = json_is_array(v);
        low[d + 1] = v ? json_integer_value(pair ? json_array_get(v, 0) : v) : usual;
        high[d + 1] = v ? json_integer_value(pair ? json_array_get(v, 1) : v) : usual;
    }
}
static tt_val do_zero_pad(void)
{
    const tt_val x = keras_x();
    int64_t low[DIMS] = { 0 }, high[DIMS] = { 0 }, none[DIMS] = { 0 };
    edges("padding", 1, spatial(x), low, high);
    return keras_out(tt_pad(x, tt_f(0), low, high, none));
}
static tt_val do_crop(void)
{
    const tt_val x = keras_x();
    int64_t low[DIMS] = { 0 }, high[DIMS] = { 0 };
    tt_val y = x;
    edges("cropping", spatial(x) != 2, spatial(x), low, high);       /* of 2 dims: none by default */
    for (int d = 1; d <= spatial(x); d++) y = tt_slice(y, d, low[d], tt_dim(x, d) - high[d], 1);
    return keras_out(y);
}

/* ---- repeats ---- */

static tt_val repeated(tt_val y, int d, int64_t by)      /* each element of dim d so many times */
{
    int64_t apart[DIMS], flat[DIMS];
    const int rank = tt_rank(y);
    const tt_val wide = tt_expand_dims(y, d + 1);
    for (int i = 0; i <= rank; i++) apart[i] = i == d + 1 ? by : tt_dim(wide, i);
    for (int i = 0; i < rank; i++) flat[i] = tt_dim(y, i) * (i == d ? by : 1);
    apart[rank + 1] = TT_DIM_END;
    return layer_shaped(tt_broadcast_at(0, wide, apart), rank, flat);
}

/* Dim d `by` times as long, linearly between the elements' middles: output o is at (o + 1/2) / by - 1/2; beyond the
 * first and the last middle it is the element itself. */
static tt_val between(tt_val y, int d, int64_t by)
{
    enum { MOST = 64 };
    float w[MOST * MOST] = { 0 };
    const int64_t n = tt_dim(y, d), m = n * by;
    const int last = tt_rank(y) - 1;
    if (n < 1 || n * m > MOST * MOST) return tt_fail_at(NULL, TT_ESHAPE, "%s is too large here", tt_type_text(y));
    for (int64_t o = 0; o < m; o++) {
        const double at = ((double)o + 0.5) / (double)by - 0.5, end = (double)(n - 1);
        const double in = at < 0 ? 0 : at > end ? end : at;
        const int64_t i = (int64_t)in;
        w[i * m + o] += (float)(1 - (in - (double)i));
        if (i + 1 < n) w[(i + 1) * m + o] += (float)(in - (double)i);
    }
    return keras_moved(tt_matmul(keras_moved(y, d, last), tt_array(TT_F32, w, n, m)), last, d);
}

static tt_val do_upsample(void)
{
    static const struct { const char *how; tt_val (*f)(tt_val, int, int64_t); } ways[] = {
        { "nearest", repeated }, { "bilinear", between },
    };
    const char *how = oracle_text(keras_options(), "interpolation", "nearest");
    tt_val y = keras_x();
    const int n = spatial(y), way = strcmp(how, ways[0].how) != 0;
    int64_t by[8] = { 2, 2, 2 };
    if (strcmp(how, ways[way].how)) return tt_fail_at(NULL, TT_EARG, "no interpolation \"%s\" here", how);
    layer_ints(keras_options(), "size", by, n);
    for (int d = 1; d <= n; d++) y = ways[way].f(y, d, by[d - 1]);
    return keras_out(y);
}
static tt_val do_repeat(void)                            /* [N, C] as [N, n, C] */
{
    const tt_val x = layer_arg("x");
    return tt_broadcast(tt_expand_dims(x, 1), tt_dim(x, 0), oracle_int(keras_options(), "n", 1), tt_dim(x, 1));
}

/* ---- shapes ---- */

static tt_val do_flatten(void)                           /* channels last, before data_format's move */
{
    const tt_val x = keras_x();
    return tt_rank(x) < 2 ? tt_expand_dims(x, 1) : tt_reshape(x, tt_dim(x, 0), tt_count(x) / tt_dim(x, 0));
}
static tt_val do_reshape(void)
{
    const tt_val x = layer_arg("x");
    int64_t to[8] = { 0 }, dims[9] = { tt_dim(x, 0) };
    layer_ints(keras_options(), "target_shape", to, 1);
    const json_t *shape = json_object_get(keras_options(), "target_shape");
    const int n = json_is_array(shape) ? (int)json_array_size(shape) : 1;
    memcpy(dims + 1, to, sizeof *to * (size_t)(n < 8 ? n : 8));
    return layer_shaped(x, 1 + n, dims);
}
static tt_val do_permute(void)                           /* dims count from 1; the batch stays */
{
    int64_t perm[DIMS] = { 0 };
    const tt_val x = layer_arg("x");
    layer_ints(keras_options(), "dims", perm + 1, 1);
    perm[tt_rank(x)] = TT_DIM_END;
    return tt_transpose_at(0, x, perm);
}
static tt_val do_unit_norm(void)
{
    const tt_val x = layer_arg("x");
    char over[64];
    int dim[8];
    keras_axes(x, over, dim);
    const tt_val square = tt_sum(tt_square(x), .dims = over, .keepdims = 1);
    return tt_mul(x, tt_min(tt_rsqrt(square), tt_f(1e12)));
}

const layer_row layer_keras_shape[] = {
    { "keras.MaxPooling1D", do_max_pool }, { "keras.MaxPooling2D", do_max_pool }, { "keras.MaxPooling3D", do_max_pool },
    { "keras.AveragePooling1D", do_avg_pool }, { "keras.AveragePooling2D", do_avg_pool },
    { "keras.AveragePooling3D", do_avg_pool }, { "keras.GlobalAveragePooling1D", do_mean_all },
    { "keras.GlobalAveragePooling2D", do_mean_all }, { "keras.GlobalAveragePooling3D", do_mean_all },
    { "keras.GlobalMaxPooling1D", do_max_all }, { "keras.GlobalMaxPooling2D", do_max_all },
    { "keras.GlobalMaxPooling3D", do_max_all }, { "keras.ZeroPadding1D", do_zero_pad },
    { "keras.ZeroPadding2D", do_zero_pad }, { "keras.ZeroPadding3D", do_zero_pad }, { "keras.Cropping1D", do_crop },
    { "keras.Cropping2D", do_crop }, { "keras.Cropping3D", do_crop }, { "keras.UpSampling1D", do_upsample },
    { "keras.UpSampling2D", do_upsample }, { "keras.UpSampling3D", do_upsample },
    { "keras.RepeatVector", do_repeat }, { "keras.Flatten", do_flatten }, { "keras.Reshape", do_reshape },
    { "keras.Permute", do_permute }, { "keras.UnitNormalization", do_unit_norm }, { NULL, NULL },
};
