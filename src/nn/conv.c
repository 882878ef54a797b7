/* nn/conv.c - convolutions over 1 to 8 spatial dims: plain, transposed, depthwise, separable; with Flax's defaults.
 *
 * x [N, spatial..., C], kernel [window..., C / groups, features]. "CAUSAL" (one dim) pads (k - 1) zeros on the left,
 * "CIRCULAR" wraps around, where k is the dilated window. A transposed convolution dilates x by its strides and
 * convolves with stride 1 (jax.lax.conv_transpose); with .flip it is the gradient of a forward convolution.
 */
#include "nn.h"

#include <stdio.h>
#include <string.h>

typedef struct { const char *site; int n; int64_t window[8], spread[8], stride[8]; char pad[256]; } shape;
/* spread: the window's extent with its dilation */

static bool per_dim(const char *site, const char *what, const char *option, int n, const int64_t x[8])
{
    int given = 0;
    while (given < 8 && x[given]) given++;
    if (!given || given == n) return true;
    tt_fail_at(site, TT_EARG, "%s: .%s has %d number%s for a window of %d", what, option, given,
               given == 1 ? "" : "s", n);
    tt_hint("give one for each dim, .%s = { 2, 2 }, or leave it out", option);
    return false;
}

/* True if none of the options `others`, which belong to other convolutions, is given; else sets the error. */
static bool takes(const char *site, const char *what, const char *others, const tt_conv_opts *o)
{
    const struct { const char *name; bool set; } has[] = {
        { "groups", o->groups }, { "multiplier", o->multiplier }, { "flip", o->flip },
        { "base_dilation", o->base_dilation[0] },
    };
    for (size_t i = 0; i < sizeof has / sizeof *has; i++)
        if (strstr(others, has[i].name) && (has[i].set || tt_given(o, has[i].name)))
            return tt_fail_at(site, TT_EARG, "%s has no .%s", what, has[i].name), false;
    return true;
}

static bool conv_shape_of(const char *site, const char *what, const char *others, tt_val x, const tt_conv_opts *o,
    shape *s)
{
    memset(s, 0, sizeof *s);
    if (!takes(site, what, others, o)) return false;
    s->site = site;
    while (s->n < 8 && o->window[s->n]) s->n++;
    if (s->n == 0) {
        tt_fail_at(site, TT_EARG, "%s: .window is missing", what);
        tt_hint("x is [N, spatial..., C]; write .window = { 3, 3 } for images");
        return false;
    }
    if (tt_rank_at(site, x) != s->n + 2) {
        tt_fail_at(site, TT_ESHAPE, "%s: .window has %d sizes, x is %s", what, s->n, tt_type_text_at(site, x));
        tt_hint("x is [N, spatial..., C]; write .window = { 3, 3 } for images");
        return false;
    }
    if (!per_dim(site, what, "stride", s->n, o->stride) || !per_dim(site, what, "dilation", s->n, o->dilation) ||
        !per_dim(site, what, "base_dilation", s->n, o->base_dilation))
        return false;
    for (int i = 0; i < s->n; i++) {
        const int64_t dilation = o->dilation[i] ? o->dilation[i] : 1;
        s->window[i] = o->window[i];
        s->spread[i] = (o->window[i] - 1) * dilation + 1;
        s->stride[i] = o->stride[i] ? o->stride[i] : 1;
    }
    return tt_ok();
}

static void pad_with(shape *s, int64_t low, int64_t high)
{
    const size_t n = strlen(s->pad);
    snprintf(s->pad + n, sizeof s->pad - n, "%s%lld:%lld", n ? ", " : "", (long long)low, (long long)high);
}

/* x extended cyclically along dim d: the last `low` elements are repeated before x, the first `high` elements after
 * x. */
static tt_val wrapped(const char *site, tt_val x, int d, int64_t low, int64_t high)
{
    const int64_t n = tt_dim_at(site, x, d);
    if (low > n || high > n)
        return tt_fail_at(site, TT_ESHAPE, "conv: .pad = \"CIRCULAR\" wraps more than once around %s",
                          tt_type_text_at(site, x));
    const tt_val around[] = { tt_slice_at(site, x, d, n - low, n, 1), x, tt_slice_at(site, x, d, 0, high, 1), tt_end };
    return tt_concat_at(site, d, around);
}

/* The padding in tt_convolve's notation; circular: x is extended instead. */
static const char *padding(shape *s, const char *pad, tt_val *x)
{
    if (!pad) return "SAME";
    if (!strcmp(pad, "CAUSAL")) {
        if (s->n == 1) pad_with(s, s->spread[0] - 1, 0);
        else tt_fail_at(s->site, TT_EARG, "conv: .pad = \"CAUSAL\" of %d spatial dims; expected one", s->n);
        return s->pad;
    }
    if (strcmp(pad, "CIRCULAR")) return pad;
    for (int i = 0; i < s->n; i++) *x = wrapped(s->site, *x, i + 1, (s->spread[i] - 1) / 2, s->spread[i] / 2);
    return "VALID";
}

static tt_val convolved(const shape *s, tt_val x, tt_val w, const char *pad, const tt_conv_opts *o, int64_t groups)
{
    tt_convolve_opts c = { .size = sizeof c, .pad = pad, .groups = groups, .precision = o->precision };
    memcpy(c.stride, o->stride, sizeof c.stride);
    memcpy(c.window_dilation, o->dilation, sizeof c.window_dilation);
    memcpy(c.base_dilation, o->base_dilation, sizeof c.base_dilation);
    return tt_convolve_at(s->site, nn_in(s->site, x, o->dtype), nn_in(s->site, w, o->dtype), &c);
}

static tt_val weight(nn_frame *f, const char *name, const shape *s, int64_t in, int64_t out, const tt_conv_opts *o)
{
    int64_t dims[12];
    memcpy(dims, s->window, sizeof s->window);
    dims[s->n] = in, dims[s->n + 1] = out, dims[s->n + 2] = TT_DIM_END;
    const tt_param_opts made = { .size = sizeof made, .init = nn_kernel_init(f, o->kernel_init), .axes = o->axes,
                                 .dtype = o->param_dtype };
    return nn_weight(f, name, dims, &made);
}

static tt_val biased(nn_frame *f, tt_val y, int64_t features, const tt_conv_opts *o)
{
    if (o->no_bias) return y;
    /* the bias has the logical axis of the kernel's last dim */
    const char *axes = o->axes ? strrchr(o->axes, ',') : NULL;
    const tt_param_opts made = { .size = sizeof made, .init = o->bias_init, .dtype = o->param_dtype,
                                 .axes = axes ? axes + 1 + strspn(axes + 1, " ") : NULL };
    const tt_val b = nn_weight(f, "bias", (const int64_t[]){ features, TT_DIM_END }, &made);
    return tt_add_at(f->site, y, nn_in(f->site, b, o->dtype));
}

tt_val tt_conv_at(const char *site, tt_nn m, const char *name, tt_val x, int64_t features, const tt_conv_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_conv_opts, site, "conv", o)) return tt_poison;
    if (o->no_bias && o->bias_init) return nn_nothing(site, "conv", "bias_init", "no_bias");
    nn_frame f;
    shape s;
    const char *cls = nn_class(site, m, "Conv", tt_rank_at(site, x) - 2);
    if (!nn_enter(&f, m, site, cls, name) || !conv_shape_of(site, "conv", "multiplier flip", x, o, &s))
        return tt_poison;
    const int64_t groups = o->groups ? o->groups : 1;
    const tt_val w = weight(&f, "kernel", &s, tt_dim_at(site, x, -1) / groups, features, o);
    const char *pad = padding(&s, o->pad, &x);
    return nn_leave(&f, biased(&f, convolved(&s, x, w, pad, o, groups), features, o));
}

tt_val tt_depthwise_conv_at(const char *site, tt_nn m, const char *name, tt_val x, int64_t multiplier,
                            const tt_conv_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_conv_opts, site, "depthwise_conv", o)) return tt_poison;
    if (o->no_bias && o->bias_init) return nn_nothing(site, "depthwise_conv", "bias_init", "no_bias");
    nn_frame f;
    shape s;
    const char *cls = nn_class(site, m, "DepthwiseConv", tt_rank_at(site, x) - 2);
    if (!nn_enter(&f, m, site, cls, name) || !conv_shape_of(site, "depthwise_conv", "groups multiplier flip", x, o, &s))
        return tt_poison;
    const int64_t channels = tt_dim_at(site, x, -1);
    const tt_val w = weight(&f, "kernel", &s, 1, channels * multiplier, o);
    const char *pad = padding(&s, o->pad, &x);
    return nn_leave(&f, biased(&f, convolved(&s, x, w, pad, o, channels), channels * multiplier, o));
}

tt_val tt_separable_conv_at(const char *site, tt_nn m, const char *name, tt_val x, int64_t features,
                            const tt_conv_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_conv_opts, site, "separable_conv", o)) return tt_poison;
    if (o->no_bias && o->bias_init) return nn_nothing(site, "separable_conv", "bias_init", "no_bias");
    nn_frame f;
    shape s;
    const char *cls = nn_class(site, m, "SeparableConv", tt_rank_at(site, x) - 2);
    if (!nn_enter(&f, m, site, cls, name) || !conv_shape_of(site, "separable_conv", "groups flip", x, o, &s))
        return tt_poison;
    const int64_t channels = tt_dim_at(site, x, -1), inner = channels * (o->multiplier ? o->multiplier : 1);
    const tt_val deep = weight(&f, "depthwise_kernel", &s, 1, inner, o);
    shape point = s;
    for (int i = 0; i < s.n; i++) point.window[i] = 1;
    const tt_val across = weight(&f, "pointwise_kernel", &point, inner, features, o);
    const char *pad = padding(&s, o->pad, &x);
    const tt_val y = convolved(&s, x, deep, pad, o, channels);
    const tt_conv_opts plain = { .size = sizeof plain, .dtype = o->dtype, .precision = o->precision };
    return nn_leave(&f, biased(&f, convolved(&point, y, across, "VALID", &plain, 1), features, o));
}

/* The padding of the dilated image: for "SAME" and "VALID" that of JAX; explicit padding unchanged. */
static const char *transposed_padding(shape *s, const char *pad)
{
    const bool same = !pad || !strcmp(pad, "SAME");
    if (!same && strcmp(pad, "VALID")) return pad;
    for (int i = 0; i < s->n; i++) {
        const int64_t k = s->spread[i], stride = s->stride[i];
        const int64_t all = k + stride - 2 + (same || k < stride ? 0 : k - stride);
        const int64_t low = !same || stride > k - 1 ? k - 1 : (all + 1) / 2;
        pad_with(s, low, all - low);
    }
    return s->pad;
}

/* Kernel [window..., C, features]; .flip: [window..., features, C], reversed, and its last two dims exchanged. */
tt_val tt_conv_transpose_at(const char *site, tt_nn m, const char *name, tt_val x, int64_t features,
                            const tt_conv_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_conv_opts, site, "conv_transpose", o)) return tt_poison;
    if (o->no_bias && o->bias_init) return nn_nothing(site, "conv_transpose", "bias_init", "no_bias");
    nn_frame f;
    shape s;
    const char *cls = nn_class(site, m, "ConvTranspose", tt_rank_at(site, x) - 2);
    const char *const others = "groups multiplier base_dilation";
    if (!nn_enter(&f, m, site, cls, name) || !conv_shape_of(site, "conv_transpose", others, x, o, &s)) return tt_poison;
    const int64_t channels = tt_dim_at(site, x, -1);
    tt_val w = weight(&f, "kernel", &s, o->flip ? features : channels, o->flip ? channels : features, o);
    if (o->flip) {
        int64_t perm[12];
        for (int i = 0; i < s.n; i++) w = tt_reverse_at(site, w, i), perm[i] = i;
        perm[s.n] = s.n + 1, perm[s.n + 1] = s.n, perm[s.n + 2] = TT_DIM_END;
        w = tt_transpose_at(site, w, perm);
    }
    tt_conv_opts plain = *o;
    memset(plain.stride, 0, sizeof plain.stride);
    memcpy(plain.base_dilation, o->stride, sizeof plain.base_dilation);
    return nn_leave(&f, biased(&f, convolved(&s, x, w, transposed_padding(&s, o->pad), &plain, 1), features, o));
}
