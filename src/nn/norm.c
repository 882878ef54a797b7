/* nn/norm.c - batch, layer, RMS, group and instance norm: y = (x - mean) * (rsqrt(var + eps) * scale) + bias.
 *
 * Statistics are computed in float32, of float64 in float64; of complex numbers the mean is complex, and x^2 is |x|^2.
 * The variance is max(0, E[x^2] - E[x]^2), in one pass, as in Flax; with .two_pass it is computed from the deviations.
 * The result has x's type, for integers float32. Layer and RMS norm may be over several dims, which their scale and
 * bias then have.
 */
#include "nn.h"

#include <stdlib.h>
#include <string.h>

/* By convention: names of scale, bias, running mean and variance. */
static const char *norm_name_of(const nn_frame *f, int i)
{
    static const char *const flax[] = { "scale", "bias", "mean", "var" };
    static const char *const keras[] = { "gamma", "beta", "moving_mean", "moving_variance" };
    return (f->root->keys == NN_KERAS ? keras : flax)[i];
}
static double eps_of(const nn_frame *f, const tt_norm_opts *o, double flax)      /* 1e-3 in Keras */
{
    return nn_number(o, "eps", o->eps, f->root->keys == NN_KERAS ? 1e-3 : flax);
}

static bool nothing(const char *site, const char *layer, const char *init, const char *other)
{
    nn_nothing(site, layer, init, other);
    return false;
}

/* The layer's options; NULL with the error set if one of `others`, which the layer does not have, is given, or a number
 * is out of range. */
static const tt_norm_opts *checked(const char *site, const char *layer, const char *others, const tt_norm_opts *o,
                                   tt_val x)
{
    if (!TT_CHECKED(tt_norm_opts, site, layer, o)) return NULL;
    if (tt_ok() && tt_rank_at(site, x) == 0)
        return tt_fail_at(site, TT_ESHAPE, "%s: of %s; expected rank 1 or more", layer, tt_type_text_at(site, x)), NULL;
    const struct { const char *name; bool set; } has[] = {
        { "momentum", o->momentum != 0 }, { "unbiased", o->unbiased }, { "axis", o->axis }, { "dims", o->dims },
        { "two_pass", o->two_pass }, { "bias_init", o->bias_init },
    };
    for (size_t i = 0; i < sizeof has / sizeof *has; i++)
        if (strstr(others, has[i].name) && (has[i].set || tt_given(o, has[i].name))) {
            tt_fail_at(site, TT_EARG, "%s has no .%s", layer, has[i].name);
            if (i < 3) tt_hint("tt_batch_norm has .%s", has[i].name);
            else if (i == 3) tt_hint("tt_layer_norm and tt_rms_norm have .%s", has[i].name);
            else if (i == 4) tt_hint("%s subtracts no mean", layer);
            else tt_hint("%s has a scale, and no bias", layer);
            return NULL;
        }
    if (o->scale_init && o->no_scale && !nothing(site, layer, "scale_init", "no_scale")) return NULL;
    if (o->bias_init && o->no_bias && !nothing(site, layer, "bias_init", "no_bias")) return NULL;
    const bool momentum = o->momentum >= 0 && o->momentum <= 1;
    if (momentum && o->eps >= 0) return o;
    if (momentum) tt_fail_at(site, TT_EARG, "%s: .eps = %g; expected 0 or more", layer, o->eps);
    else tt_fail_at(site, TT_EARG, "%s: .momentum = %g; expected 0 to 1", layer, o->momentum);
    if (!momentum) tt_hint("the running statistics are momentum times their own, and 1 - momentum times the batch's");
    return NULL;
}

static bool is_complex(const char *site, tt_val x) { return tt_ok() && tt_dtype_kind(tt_dtype_of_at(site, x)) == 'c'; }
static tt_val squared(const char *site, tt_val x)        /* |x|^2 */
{
    if (!is_complex(site, x)) return tt_square_at(site, x);
    return tt_add_at(site, tt_square_at(site, tt_real_at(site, x)), tt_square_at(site, tt_imag_at(site, x)));
}
/* x in the type of its statistics. */
static tt_val norm_wide(const char *site, tt_val x)
{
    return is_complex(site, x) || (tt_ok() && tt_dtype_of_at(site, x) == TT_F64) ? x : tt_cast_at(site, x, TT_F32);
}

/* Mean and variance over the dims `over`; with `keep` reduced dims stay with size 1. */
typedef struct { tt_val mean, var; } moments;
static moments moments_of(const char *site, tt_val x, const char *over, bool keep, bool two_pass, const char *axis)
{
    const tt_reduce_opts all = { .size = sizeof all, .dims = over, .keepdims = keep };
    const tt_reduce_opts kept = { .size = sizeof kept, .dims = over, .keepdims = 1 };
    const tt_reduce_axes_opts across = { .size = sizeof across };
    x = norm_wide(site, x);
    if (two_pass) {
        tt_val mean = tt_mean_at(site, x, &kept);
        if (axis) mean = tt_pmean_at(site, mean, axis, &across);
        tt_val var = tt_mean_at(site, squared(site, tt_sub_at(site, x, mean)), &all);
        if (axis) var = tt_pmean_at(site, var, axis, &across);
        /* sums over dims of size 1: removes them */
        return (moments){ keep ? mean : tt_sum_at(site, mean, &all), var };
    }
    tt_val now = tt_tuple_at(
        site, (const tt_val[]){ tt_mean_at(site, x, &all), tt_mean_at(site, squared(site, x), &all), tt_end });
    if (axis) now = tt_pmean_at(site, now, axis, &across);
    const tt_val e = tt_item_at(site, now, 0), e2 = tt_item_at(site, now, 1);
    return (moments){ e, tt_max_at(site, tt_f(0), tt_sub_at(site, e2, squared(site, e))) };
}

/* The layer's scale and bias, if it has them. */
typedef struct { tt_val of[2]; bool has[2]; } affine;
static affine affine_in(nn_frame *f, const int64_t *dims, const tt_norm_opts *o, bool may_bias)
{
    affine a = { .has = { !o->no_scale, may_bias && !o->no_bias } };
    for (int i = 0; i < 2; i++) {
        const char *init = i ? o->bias_init : o->scale_init;
        const tt_param_opts made = { .size = sizeof made, .init = init ? init : i ? "zeros" : "ones", .axes = o->axes,
                                     .dtype = o->param_dtype };
        if (a.has[i]) a.of[i] = nn_weight(f, norm_name_of(f, i), dims, &made);
    }
    return a;
}
static affine affine_of(nn_frame *f, int64_t channels, const tt_norm_opts *o, bool may_bias)
{
    return affine_in(f, (const int64_t[]){ channels, TT_DIM_END }, o, may_bias);
}

/* True if `over` lists dims of x, each once, which sets on[]; else sets the error. */
static bool named_dims(const char *site, tt_val x, const char *over, bool on[NN_RANK])
{
    const int rank = tt_rank_at(site, x);
    const char *s = over;
    memset(on, 0, sizeof *on * NN_RANK);
    while (tt_ok()) {
        char *end;
        long d = strtol(s, &end, 10);
        if (d < 0) d += rank;
        if (end == s || d < 0 || d >= rank || on[d]) break;
        on[d] = true;
        for (s = end; *s == ' '; s++) { }
        if (!*s) return true;
        if (*s++ != ',') break;
    }
    tt_fail_at(site, TT_EARG, "norm: .dims = \"%s\" of %s; expected its dims, each once", over,
               tt_type_text_at(site, x));
    return false;
}

/* Scale and bias of the dims `over`, in x's order, shaped to broadcast against x. */
static bool affine_over(nn_frame *f, tt_val x, const char *over, const tt_norm_opts *o, bool may_bias, affine *a)
{
    bool on[NN_RANK];
    int64_t own[NN_RANK + 1], met[NN_RANK + 1];
    const int rank = tt_rank_at(f->site, x);
    int n = 0;
    if (!named_dims(f->site, x, over, on)) return false;
    for (int d = 0; d < rank; d++) {
        met[d] = on[d] ? tt_dim_at(f->site, x, d) : 1;
        if (on[d]) own[n++] = met[d];
    }
    own[n] = met[rank] = TT_DIM_END;
    *a = affine_in(f, own, o, may_bias);
    for (int i = 0; i < 2 && !(n == 1 && on[rank - 1]); i++)
        if (a->has[i]) a->of[i] = tt_reshape_at(f->site, a->of[i], met);
    return true;
}

/* dtype: of the result; 0: x's, for integers the type of computation. */
static tt_val normalized(const char *site, tt_val x, tt_val mean, tt_val var, double eps, const affine *a,
                         tt_dtype dtype)
{
    tt_val factor = tt_rsqrt_at(site, tt_add_at(site, var, tt_f(eps)));
    if (a->has[0]) factor = tt_mul_at(site, factor, a->of[0]);
    tt_val y = tt_mul_at(site, nn_is(mean) ? tt_sub_at(site, x, mean) : x, factor);
    if (a->has[1]) y = tt_add_at(site, y, a->of[1]);
    const tt_dtype own = tt_ok() ? tt_dtype_of_at(site, x) : 0;
    return nn_in(site, y, dtype ? dtype : own && !strchr("biu", tt_dtype_kind(own)) ? own : 0);
}

static tt_val running(const char *site, double keep, tt_val old, tt_val now)
{
    now = tt_cast_at(site, tt_stop_gradient_at(site, now), TT_F32);
    return tt_add_at(site, tt_mul_at(site, tt_f(keep), old), tt_mul_at(site, tt_f(1 - keep), now));
}

/* Training: statistics over all dims but the last, running = m old + (1 - m) new. .unbiased: the running variance uses
 * n / (n - 1) times the batch's, as in PyTorch. axis: statistics are also averaged over that mesh axis. */
tt_val tt_batch_norm_at(const char *site, tt_nn m, const char *name, tt_val x, const tt_norm_opts *o)
{
    TT_ENTRY(site);
    if (!(o = checked(site, "batch_norm", "dims", o, x))) return tt_poison;
    nn_frame f;
    char over[64];
    if (!nn_enter(&f, m, site, nn_class(site, m, "BatchNorm", 1), name)) return tt_poison;
    if (is_complex(site, x))
        return tt_fail_at(site, TT_ETYPE, "batch_norm: of %s; its running mean is of real numbers",
                          tt_type_text_at(site, x));
    const double keep = nn_number(o, "momentum", o->momentum, 0.99);
    const int64_t channels = tt_dim_at(site, x, -1), dims[] = { channels, TT_DIM_END };
    const affine a = affine_of(&f, channels, o, true);
    tt_val mean = nn_stat(&f, norm_name_of(&f, 2), 0, dims), var = nn_stat(&f, norm_name_of(&f, 3), 1, dims);
    if (tt_training_at(site, m)) {
        const double rows = channels ? (double)(tt_count_at(site, x) / channels) : 0;
        const moments now = moments_of(site, x, nn_dims_text(0, tt_rank_at(site, x) - 1, over), false, o->two_pass,
                                       o->axis);
        const tt_val seen = o->unbiased && rows > 1 ? tt_mul_at(site, now.var, tt_f(rows / (rows - 1))) : now.var;
        nn_update(&f, norm_name_of(&f, 2), running(site, keep, mean, now.mean));
        nn_update(&f, norm_name_of(&f, 3), running(site, keep, var, seen));
        mean = now.mean, var = now.var;
    }
    return nn_leave(&f, normalized(site, x, mean, var, eps_of(&f, o, 1e-5), &a, o->dtype));
}

tt_val tt_layer_norm_at(const char *site, tt_nn m, const char *name, tt_val x, const tt_norm_opts *o)
{
    TT_ENTRY(site);
    if (!(o = checked(site, "layer_norm", "momentum unbiased axis", o, x))) return tt_poison;
    nn_frame f;
    affine a;
    const char *over = o->dims ? o->dims : "-1";
    if (!nn_enter(&f, m, site, nn_class(site, m, "LayerNorm", 1), name) || !affine_over(&f, x, over, o, true, &a))
        return tt_poison;
    const moments now = moments_of(site, x, over, true, o->two_pass, NULL);
    return nn_leave(&f, normalized(site, x, now.mean, now.var, eps_of(&f, o, 1e-6), &a, o->dtype));
}

tt_val tt_rms_norm_at(const char *site, tt_nn m, const char *name, tt_val x, const tt_norm_opts *o)
{
    TT_ENTRY(site);
    if (!(o = checked(site, "rms_norm", "momentum unbiased axis two_pass bias_init", o, x))) return tt_poison;
    nn_frame f;
    affine a;
    const tt_reduce_opts all = { .size = sizeof all, .dims = o->dims ? o->dims : "-1", .keepdims = 1 };
    if (!nn_enter(&f, m, site, nn_class(site, m, "RMSNorm", 1), name) || !affine_over(&f, x, all.dims, o, false,
        &a)) return tt_poison;
    const tt_val square = tt_mean_at(site, squared(site, norm_wide(site, x)), &all);
    const double eps = nn_number(o, "eps", o->eps, 1e-6);
    return nn_leave(&f, normalized(site, x, (tt_val){ 0 }, square, eps, &a, o->dtype));
}

/* x [N, spatial..., C] as [N, spatial..., groups, C / groups]: statistics over the spatial dims and the last. */
static tt_val grouped(nn_frame *f, tt_val x, int64_t groups, const tt_norm_opts *o)
{
    const char *site = f->site;
    const int rank = tt_rank_at(site, x);
    const int64_t channels = tt_dim_at(site, x, -1);
    int64_t apart[NN_RANK + 2], flat[NN_RANK + 1], dims[NN_RANK + 2];
    char over[64];
    if (rank < 2 || rank >= NN_RANK || groups < 1 || channels % groups)
        return tt_fail_at(site, TT_ESHAPE,
                          "group_norm: %lld groups of %s; expected [N, ..., C] and groups that divide C",
                              (long long)groups, tt_type_text_at(site, x));
    for (int d = 0; d < rank; d++) flat[d] = apart[d] = tt_dim_at(site, x, d), dims[d] = d && d < rank - 1 ? 1
        : apart[d];
    apart[rank - 1] = dims[rank - 1] = groups, apart[rank] = dims[rank] = channels / groups;
    apart[rank + 1] = dims[rank + 1] = TT_DIM_END, flat[rank] = TT_DIM_END;
    for (int d = 1; d < rank - 1; d++) flat[d] = 1;
    nn_dims_text(1, rank - 1, over);
    strcat(over, *over ? ", -1" : "-1");
    const affine a = affine_of(f, channels, o, true);
    const moments now = moments_of(site, tt_reshape_at(site, x, apart), over, true, o->two_pass, NULL);
    const tt_val mean = tt_reshape_at(site, tt_broadcast_at(site, now.mean, dims), flat);
    const tt_val var = tt_reshape_at(site, tt_broadcast_at(site, now.var, dims), flat);
    return nn_leave(f, normalized(site, x, mean, var, eps_of(f, o, 1e-6), &a, o->dtype));
}

tt_val tt_group_norm_at(const char *site, tt_nn m, const char *name, tt_val x, int64_t groups, const tt_norm_opts *o)
{
    TT_ENTRY(site);
    if (!(o = checked(site, "group_norm", "momentum unbiased axis dims", o, x))) return tt_poison;
    nn_frame f;
    if (!nn_enter(&f, m, site, nn_class(site, m, "GroupNorm", 1), name)) return tt_poison;
    return grouped(&f, x, groups == -1 ? tt_dim_at(site, x, -1) : groups, o);
}

tt_val tt_instance_norm_at(const char *site, tt_nn m, const char *name, tt_val x, const tt_norm_opts *o)
{
    TT_ENTRY(site);
    if (!(o = checked(site, "instance_norm", "momentum unbiased axis dims", o, x))) return tt_poison;
    nn_frame f;
    return nn_enter(&f, m, site, "InstanceNorm", name) ? grouped(&f, x, tt_dim_at(site, x, -1), o) : tt_poison;
}
