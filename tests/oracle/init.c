/* oracle/init.c - kind `init`: initializers of jax.nn.initializers. */
#include "kinds.h"

#include <stdio.h>
#include <string.h>

static const char *axes(const json_t *p, const char *key, char *to,
                        size_t size) /* a number or a list: "0, 1"; NULL: absent */
{
    int64_t dim[14];
    const int n = oracle_dims(p, key, dim);
    *to = 0;
    for (int i = 0; i < n; i++) snprintf(to + strlen(to), size - strlen(to), "%s%d", i ? ", " : "", (int)dim[i]);
    return n < 0 ? NULL : to;
}

static tt_val scaled(const oracle_case *c, double scale, const char *mode, const char *how, tt_dtype d,
                     const int64_t *dim)
{
    char in[64], out[64], batch[64];
    return tt_variance_scaling_at(0, oracle_key(c), d, dim,
                                  &(tt_variance_opts){ .size = sizeof(tt_variance_opts),
                                                       .scale = scale,
                                                       .mode = mode,
                                                       .distribution = how,
                                                       .in = axes(c->params, "in_axis", in, sizeof in),
                                                       .out = axes(c->params, "out_axis", out, sizeof out),
                                                       .batch = axes(c->params, "batch_axis", batch, sizeof batch) });
}

static bool is_scaled(const char *name) { return strstr(name, "_normal") || strstr(name, "_uniform"); }

static tt_val value(const oracle_case *c, const char *name, tt_dtype d, const int64_t *dim)
{
    const json_t *p = c->params;
    const double stddev = oracle_real(p, "stddev", 0.01);
    const tt_val key = oracle_key(c);
    if (!strcmp(name, "variance_scaling"))
        return scaled(c, oracle_real(p, "scale", 1), oracle_text(p, "mode", "fan_in"),
                      oracle_text(p, "distribution", "normal"), d, dim);
    if (!strcmp(name, "constant")) return tt_full_at(0, oracle_real(p, "value", 0), d, dim);
    if (!strcmp(name, "normal")) return tt_mul(tt_normal_at(0, key, d, dim), tt_full(stddev, d));
    if (!strcmp(name, "uniform"))
        return tt_mul(tt_uniform_at(0, key, d, dim), tt_full(oracle_real(p, "scale", 0.01), d));
    if (!strcmp(name, "truncated_normal")) {
        const double lower = oracle_real(p, "lower", -2), upper = oracle_real(p, "upper", 2);
        return tt_mul(tt_truncated_normal_at(0, key, d, lower, upper, dim), tt_full(stddev, d));
    }
    if (!is_scaled(name) || (!oracle_has(p, "in_axis") && !oracle_has(p, "out_axis") && !oracle_has(p, "batch_axis")))
        return tt_init_named_at(0, name, key, d, dim);
    const bool he = !strncmp(name, "he", 2) || !strncmp(name, "kaiming", 7), lecun = !strncmp(name, "lecun", 5);
    return scaled(c, he ? 2 : 1, he || lecun ? "fan_in" : "fan_avg",
                  strstr(name, "_normal") ? "truncated_normal" : "uniform", d, dim);
}

void oracle_init(oracle_case *c)
{
    static const char *const others[] = { "zeros",  "ones",    "variance_scaling", "constant",
                                          "normal", "uniform", "truncated_normal" };
    const json_t *p = c->params;
    bool known = is_scaled(c->fn);
    int64_t dim[14];
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) known |= !strcmp(c->fn, others[i]);
    if (!known) {
        oracle_skip(c, c->fn);
        return;
    }
    oracle_dims(p, "shape", dim);
    tt_set_random_layout(oracle_text(p, "layout", NULL));
    const tt_val got = value(c, c->fn, oracle_dtype(oracle_text(p, "dtype", "float32")), dim);
    if (c->nout) oracle_expect(c, 0, got);
    tt_set_random_layout(NULL);
}
