/* nn/layer.c - dense, convolution, batch norm, dropout, with Flax Linen's defaults and formulas. Images are NHWC, kernels HWIO. */
#include "nn.h"

#include <math.h>
#include <string.h>

static tt_val computed_in(const char *site, tt_val v, tt_dtype d) { return d ? tt_cast_at(site, v, d) : v; }

/* x [..., K] -> [..., features] */
tt_val tt_dense_at(const char *site, tt_nn m, const char *name, tt_val x, int64_t features, const tt_dense_opts *o)
{
    nn_frame f;
    if (!nn_enter(&f, m, site, "Dense", name)) return x;
    const char *kernel_init = o->kernel_init ? o->kernel_init : "lecun_normal";
    const char *bias_init = o->bias_init ? o->bias_init : "zeros";
    const int64_t dims[] = { tt_dim(x, -1), features, TT_DIM_END };
    const tt_val w = nn_param(&f, "kernel", kernel_init, TT_F32, dims, o->axes);
    const tt_val y = tt_matmul_at(site, computed_in(site, x, o->dtype), computed_in(site, w, o->dtype));
    if (o->no_bias) return y;
    const char *axes = o->axes ? strrchr(o->axes, ',') : NULL;       /* the bias lies as the kernel's last dim */
    if (axes) axes += 1 + strspn(axes + 1, " ");
    const tt_val b = nn_param(&f, "bias", bias_init, TT_F32, (const int64_t[]){ features, TT_DIM_END }, axes);
    return tt_add_at(site, y, computed_in(site, b, o->dtype));
}

/* x [N, spatial..., C] -> [N, spatial'..., features], kernel [window..., C / groups, features] */
tt_val tt_conv_at(const char *site, tt_nn m, const char *name, tt_val x, int64_t features, const tt_conv_opts *o)
{
    nn_frame f;
    int64_t dims[12];
    int n = 0;
    if (!nn_enter(&f, m, site, "Conv", name)) return x;
    while (n < 8 && o->window[n]) dims[n] = o->window[n], n++;
    if (n == 0 || tt_rank(x) != n + 2) {
        const tt_val bad = tt_fail_at(site, TT_ESHAPE, "conv: a window of %d dims over %s", n, tt_type_text(x));
        tt_hint("x is [N, spatial..., C]; write .window = {3, 3} for images");
        return bad;
    }
    const int64_t groups = o->groups ? o->groups : 1;
    dims[n] = tt_dim(x, -1) / groups;
    dims[n + 1] = features;
    dims[n + 2] = TT_DIM_END;
    const tt_val w = nn_param(&f, "kernel", o->kernel_init ? o->kernel_init : "lecun_normal", TT_F32, dims, o->axes);
    tt_convolve_opts c = { .size = sizeof c, .pad = o->pad ? o->pad : "SAME", .groups = groups };
    memcpy(c.stride, o->stride, sizeof c.stride);
    memcpy(c.window_dilation, o->dilation, sizeof c.window_dilation);
    const tt_val y = tt_convolve_at(site, computed_in(site, x, o->dtype), computed_in(site, w, o->dtype), &c);
    if (o->no_bias) return y;
    const tt_val b = nn_param(&f, "bias", o->bias_init ? o->bias_init : "zeros", TT_F32,
                              (const int64_t[]){ features, TT_DIM_END }, NULL);
    return tt_add_at(site, y, computed_in(site, b, o->dtype));
}

/* m old + (1 - m) new */
static void run_on(nn_frame *f, const char *name, tt_val old, tt_val now, double m)
{
    const char *site = f->site;
    const tt_val kept = tt_mul_at(site, tt_f(m), old), added = tt_mul_at(site, tt_f(1 - m), tt_stop_at(site, now));
    nn_update(f, name, tt_add_at(site, kept, added));
}

static double option(double x, double usual) { return x == 0 ? usual : x == TT_ZERO ? 0 : x; }

/* Training: batch statistics over all dims but the last, var = max(0, E[x^2] - E[x]^2), running = m old + (1 - m) new.
 * y = (x - mean) * (rsqrt(var + eps) * scale) + bias. axis: statistics are averaged over that axis too. */
tt_val tt_batch_norm_at(const char *site, tt_nn m, const char *name, tt_val x, const tt_norm_opts *o)
{
    nn_frame f;
    if (!nn_enter(&f, m, site, "BatchNorm", name)) return x;
    const double keep = option(o->momentum, 0.99), eps = option(o->eps, 1e-5);
    const int64_t dims[] = { tt_dim(x, -1), TT_DIM_END };
    tt_val mean = nn_stat(&f, "mean", 0, dims), var = nn_stat(&f, "var", 1, dims);
    const tt_val scale = nn_param(&f, "scale", "ones", TT_F32, dims, NULL),
                 bias = nn_param(&f, "bias", "zeros", TT_F32, dims, NULL);
    if (tt_training(m)) {
        char over[32] = "";
        for (int d = 0; d + 1 < tt_rank(x); d++) {
            over[2 * d] = (char)('0' + d);
            over[2 * d + 1] = ',';
            over[2 * d + 2] = 0;
        }
        if (*over) over[strlen(over) - 1] = 0;
        const tt_red_opts all = { .size = sizeof all, .over = over };
        const tt_val x32 = tt_cast_at(site, x, TT_F32);
        const tt_val first = tt_mean_at(site, x32, &all), second = tt_mean_at(site, tt_square_at(site, x32), &all);
        tt_val now = tt_tuple_at(site, (const tt_val[]){ first, second, tt_end });
        if (o->axis)
            now = tt_pmean_at(site, now, o->axis, &(tt_reduce_axes_opts){ .size = sizeof(tt_reduce_axes_opts) });
        const tt_val e = tt_item_at(site, now, 0), e2 = tt_item_at(site, now, 1);
        const tt_val v = tt_max_at(site, tt_f(0), tt_sub_at(site, e2, tt_square_at(site, e)));
        run_on(&f, "mean", mean, e, keep);
        run_on(&f, "var", var, v, keep);
        mean = e, var = v;
    }
    const tt_val factor = tt_mul_at(site, tt_rsqrt_at(site, tt_add_at(site, var, tt_f(eps))), scale);
    const tt_val y = tt_add_at(site, tt_mul_at(site, tt_sub_at(site, x, mean), factor), bias);
    return tt_cast_at(site, y, tt_dtype_of(x));
}

/* select(uniform < 1 - rate, x / (1 - rate), 0); the identity outside training. */
tt_val tt_dropout_at(const char *site, tt_nn m, tt_val x, double rate)
{
    nn_frame f;
    int64_t dims[16];
    if (!nn_enter(&f, m, site, "Dropout", NULL)) return x;
    if (!(rate >= 0 && rate <= 1)) return tt_fail_at(site, TT_EARG, "dropout: rate %g is not between 0 and 1", rate);
    if (!tt_training(m) || rate == 0) return x;
    if (rate == 1) return tt_mul_at(site, x, tt_i(0));
    const int rank = tt_rank(x);
    for (int i = 0; i < rank; i++) dims[i] = tt_dim(x, i);
    dims[rank > 0 ? rank : 0] = TT_DIM_END;
    const tt_val keep = tt_bernoulli_at(site, nn_stream_key(&f, "dropout"), tt_f(1 - rate), dims);
    return tt_where_at(site, keep, tt_div_at(site, x, tt_f(1 - rate)), tt_f(0));
}
