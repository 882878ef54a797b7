/* oracle/init.c - kind `init`: initializers of jax.nn.initializers. */
#include "kinds.h"

#include <stdio.h>
#include <string.h>

static tt_val scaled(const oracle_case *c, double scale, const char *mode, const char *how, tt_dtype d, const int64_t *dim)
{
    const json_t *p = c->params;
    return tt_variance_scaling_at(0, oracle_key(c), d, dim, &(tt_variance_opts){
        .size = sizeof(tt_variance_opts), .scale = scale, .mode = mode, .distribution = how,
        .in_axis = (int)oracle_int(p, "in_axis", -2), .out_axis = (int)oracle_int(p, "out_axis", -1) });
}

void oracle_init(oracle_case *c)
{
    const json_t *p = c->params;
    const tt_dtype d = oracle_dtype(oracle_text(p, "dtype", "float32"));
    int64_t dim[14];
    const bool lists = json_is_array(json_object_get(p, "in_axis")) || json_is_array(json_object_get(p, "out_axis"));
    if (lists || oracle_has(p, "batch_axis")) {
        oracle_skip(c, "initializers with several or batch axes");
        return;
    }
    oracle_dims(p, "shape", dim);
    tt_set_random_layout(oracle_text(p, "layout", NULL));
    static const char *const plain[] = { "zeros", "ones" };
    tt_val got = tt_none();
    char name[64];
    snprintf(name, sizeof name, "%s", c->fn);
    for (int i = 0; i < 2; i++) if (!strcmp(name, plain[i])) got = tt_init_named_at(0, name, oracle_key(c), d, dim);
    if (!strcmp(name, "variance_scaling"))
        got = scaled(c, oracle_real(p, "scale", 1), oracle_text(p, "mode", "fan_in"), oracle_text(p, "distribution", "normal"), d, dim);
    else if (!strcmp(name, "constant")) got = tt_full_at(0, oracle_real(p, "value", 0), d, dim);
    else if (!strcmp(name, "normal")) got = tt_mul(tt_normal_at(0, oracle_key(c), d, dim), tt_full(oracle_real(p, "stddev", 0.01), d));
    else if (!strcmp(name, "uniform")) got = tt_mul(tt_uniform_at(0, oracle_key(c), d, dim), tt_full(oracle_real(p, "scale", 0.01), d));
    else if (!strcmp(name, "truncated_normal"))
        got = tt_mul(tt_truncated_normal_at(0, oracle_key(c), d, oracle_real(p, "lower", -2), oracle_real(p, "upper", 2), dim), tt_full(oracle_real(p, "stddev", 0.01), d));
    else if (strstr(name, "_normal") || strstr(name, "_uniform")) {
        const bool he = !strncmp(name, "he", 2) || !strncmp(name, "kaiming", 7), lecun = !strncmp(name, "lecun", 5);
        got = scaled(c, he ? 2 : 1, he || lecun ? "fan_in" : "fan_avg", strstr(name, "_normal") ? "truncated_normal" : "uniform", d, dim);
    } else if (strcmp(name, "zeros") && strcmp(name, "ones")) {
        tt_set_random_layout(NULL);
        oracle_skip(c, c->fn);
        return;
    }
    if (c->nout) oracle_expect(c, 0, got);
    tt_set_random_layout(NULL);
}
