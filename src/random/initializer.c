/* random/initializer.c - jax.nn.initializers by name: variance scaling with fans of (in_axis -2, out_axis -1), constants.
 *
 * The variance is formed in double and rounded to float32; a truncated normal sample is multiplied by
 * sqrt(variance) / .87962566103423978, in that order.
 */
#include "random.h"

#include <stdlib.h>
#include <string.h>

typedef struct { const char *name; double scale; const char *mode, *distribution; } scaled;
static const scaled named[] = {
    { "lecun_normal", 1, "fan_in", "truncated_normal" },   { "lecun_uniform", 1, "fan_in", "uniform" },
    { "glorot_normal", 1, "fan_avg", "truncated_normal" }, { "glorot_uniform", 1, "fan_avg", "uniform" },
    { "xavier_normal", 1, "fan_avg", "truncated_normal" }, { "xavier_uniform", 1, "fan_avg", "uniform" },
    { "he_normal", 2, "fan_in", "truncated_normal" },      { "he_uniform", 2, "fan_in", "uniform" },
    { "kaiming_normal", 2, "fan_in", "truncated_normal" }, { "kaiming_uniform", 2, "fan_in", "uniform" },
};

/* The product of the dims listed in text ("0, -1"). */
static double sizes(const char *site, const int64_t *dims, int rank, const char *text)
{
    double n = 1;
    for (const char *p = text; *p;) {
        char *end;
        const long d = strtol(p, &end, 10);
        if (end == p || d < -rank || d >= rank) {
            tt_fail_at(site, TT_EARG, "variance scaling: \"%s\" names no dims of a shape of %d", text, rank);
            return 1;
        }
        n *= (double)dims[d < 0 ? d + rank : d];
        p = end + strspn(end, ", ");
    }
    return n;
}

static double fan(const char *site, const int64_t *dims, const tt_variance_opts *o)
{
    const int rank = random_rank(dims);
    if (rank < 2) {
        tt_fail_at(site, TT_ESHAPE, "variance scaling: a shape of %d dims has no fans", rank);
        tt_hint("at least two dims are needed; use \"normal\" or \"zeros\" for vectors");
        return 1;
    }
    double all = 1;
    for (int d = 0; d < rank; d++) all *= (double)dims[d];
    const double in = sizes(site, dims, rank, o->in ? o->in : "-2"),
                 out = sizes(site, dims, rank, o->out ? o->out : "-1");
    const double rest = in * out * sizes(site, dims, rank, o->batch ? o->batch : ""), field = rest > 0 ? all / rest : 1;
    const double fan_in = in * field, fan_out = out * field;
    const char *mode = o->mode ? o->mode : "fan_in";
    if (!strcmp(mode, "fan_in")) return fan_in;
    if (!strcmp(mode, "fan_out")) return fan_out;
    if (!strcmp(mode, "fan_avg")) return (fan_in + fan_out) / 2;
    tt_fail_at(site, TT_EARG, "variance scaling: mode \"%s\"; expected fan_in, fan_out or fan_avg", mode);
    return 1;
}

tt_val tt_variance_scaling_at(const char *site, tt_val key, tt_dtype dtype, const int64_t *dims,
                              const tt_variance_opts *o)
{
    const char *how = o->distribution ? o->distribution : "truncated_normal";
    const double denominator = fan(site, dims, o);
    if (!tt_ok() || !random_is_float(site, "variance scaling", dtype))
        return tt_fail_at(site, TT_ETYPE, "this draw was refused");
    const tt_val variance = random_real(site, dtype, (o->scale ? o->scale : 1) / (denominator > 0 ? denominator : 1));
    if (!strcmp(how, "normal"))
        return tt_mul_at(site, tt_normal_at(site, key, dtype, dims), tt_sqrt_at(site, variance));
    if (!strcmp(how, "uniform")) {
        const tt_val u = tt_uniform_in_at(site, key, dtype, -1, 1, dims);
        return tt_mul_at(site, u, tt_sqrt_at(site, tt_mul_at(site, random_real(site, dtype, 3), variance)));
    }
    if (!strcmp(how, "truncated_normal")) {
        const tt_val stddev = tt_div_at(site, tt_sqrt_at(site, variance), random_real(site, dtype, .87962566103423978));
        return tt_mul_at(site, tt_truncated_normal_at(site, key, dtype, -2, 2, dims), stddev);
    }
    return tt_fail_at(site, TT_EARG,
                      "variance scaling: distribution \"%s\"; expected truncated_normal, normal or uniform", how);
}

tt_val tt_init_named_at(const char *site, const char *name, tt_val key, tt_dtype dtype, const int64_t *dims)
{
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (!strcmp(name, named[i].name))
            return tt_variance_scaling_at(site, key, dtype, dims,
                                          &(tt_variance_opts){ .size = sizeof(tt_variance_opts),
                                                               .scale = named[i].scale,
                                                               .mode = named[i].mode,
                                                               .distribution = named[i].distribution });
    if (!strcmp(name, "zeros")) return tt_full_at(site, 0, dtype, dims);
    if (!strcmp(name, "ones")) return tt_full_at(site, 1, dtype, dims);
    if (!strcmp(name, "normal"))
        return tt_mul_at(site, tt_normal_at(site, key, dtype, dims), random_real(site, dtype, 1e-2));
    if (!strcmp(name, "uniform"))
        return tt_mul_at(site, tt_uniform_at(site, key, dtype, dims), random_real(site, dtype, 1e-2));
    const tt_val bad = tt_fail_at(site, TT_EARG, "no initializer \"%s\"", name);
    tt_hint("there are lecun_, glorot_, xavier_, he_ and kaiming_ _normal and _uniform, normal, uniform, zeros, ones");
    return bad;
}
