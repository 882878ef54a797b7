/* oracle/propagate.c - kind `propagate`: a StableHLO text with arguments laid out; which layout the result gets when
 * nothing asks for one, and that its value is one device's: to the bit in reproducible mode, which promises that; else
 * but for the rounding of sums, which are taken in another order over devices. */
#include "layout.h"

#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 8 };
#define ROUNDING 0x1p-20                                 /* of the largest element */

static tt_val input(oracle_case *c, int i)               /* a walk through [-2, 2) that repeats nowhere near */
{
    const json_t *shapes = json_object_get(c->params, "shapes"), *shape = json_array_get(shapes, (size_t)i);
    int64_t dim[14], n = 1;
    size_t rank = 0;
    for (; rank < json_array_size(shape) && rank < 12; rank++)
        n *= dim[rank] = json_integer_value(json_array_get(shape, rank));
    dim[rank] = TT_DIM_END;
    float *x = malloc((size_t)(n + 1) * sizeof *x);
    for (int64_t k = 0; x && k < n; k++) x[k] = (float)((k * 389 + 71 * i + 13) % 1009) / 252.25f - 2.0f;
    const tt_val v = tt_array_at(0, TT_F32, x, dim);
    free(x);
    return v;
}

void oracle_propagate(oracle_case *c)
{
    char path[2400];
    tt_val x[MOST], laid[MOST];
    const json_t *in = json_object_get(c->json, "in_specs"), *out = json_object_get(c->json, "out_specs");
    const int n = (int)json_array_size(in);
    snprintf(path, sizeof path, "%s/%s", oracle_suite_dir(c->suite), oracle_text(c->json, "file", "?"));
    const tt_fn f = tt_jit(tt_import(path));
    const tt_mesh m = oracle_mesh(c, "mesh");
    if (n > MOST) oracle_fail(c, "%d inputs", n);
    for (int i = 0; i < n && i < MOST; i++) {
        x[i] = input(c, i);
        laid[i] = tt_shard(x[i], m, oracle_notation(json_string_value(json_array_get(in, (size_t)i))));
    }
    if (!c->user) tt_config("even");                     /* layouts as in JAX; users' may name parts of an axis */
    const tt_val y = tt_call_n(0, f, n, laid);
    if (!c->user) base_switch_off("even");
    const tt_val alone = tt_call_n(0, f, n, x);
    for (size_t j = 0; tt_ok() && j < json_array_size(out); j++) {
        const tt_val got = tt_items(y) ? tt_item(y, (int)j) : y,
                     want = tt_items(alone) ? tt_item(alone, (int)j) : alone;
        const char *spec = json_string_value(json_array_get(out, j));
        if (!tt_has_layout(got, m, oracle_notation(spec))) oracle_fail(c, "is laid out as %s, expected %s",
            tt_spec(got), spec);
        if (!c->user) oracle_expect_array(c, "value", got, want);
        else if (tt_ok()) oracle_expect_near(c, "value", got, want, 0, ROUNDING * tt_num(tt_amax(tt_abs(want))));
    }
}
