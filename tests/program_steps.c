/* program_steps.c - training steps that JAX, Flax and Optax printed (jax 0.10.2): ten steps each, on one device and
 * on 2x4, with the losses that JAX gave. Arrays are a formula's: parameters 0.25 sin(0.7 k + 1.3 i), the optimizer's
 * state zeros. */
#include <tutti.h>
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 10, MOST = 128 };
static const struct { const char *name; int params, state; float loss[STEPS]; int classes[2]; } programs[] = {
    /* convolutions, momentum; a block of a transformer, Adam; a small UNet, AdamW. classes: ranges of integer data */
    { "cnn", 6, 12,
      { 2.34536529F, 2.32901073F, 2.30603981F, 2.28761244F, 2.27467489F, 2.26268363F, 2.24911523F, 2.23442531F,
        2.22034073F, 2.20182681F }, { 0, 10 } },
    { "gpt", 22, 67,
      { 3.47256732F, 3.4420042F, 3.40172863F, 3.36958027F, 3.31972337F, 3.28362465F, 3.23022032F, 3.18542099F,
        3.13645482F, 3.08841801F }, { 32, 31 } },
    { "unet", 10, 31,
      { 0.156238228F, 0.128046289F, 0.105014101F, 0.0869760066F, 0.0731257796F, 0.0629776195F, 0.055573415F,
        0.0501241125F, 0.0464906134F, 0.0443996973F }, { 0, 0 } },
};

static tt_val filled(tt_val like, int i, int classes, bool zero)
{
    int64_t dim[13];
    int rank = 0;
    const int64_t n = tt_count(like);
    for (; rank < tt_rank(like); rank++) dim[rank] = tt_dim(like, rank);
    dim[rank] = TT_DIM_END;
    const bool whole = tt_dtype_of(like) == TT_I32;
    int32_t *const p = calloc((size_t)n + 1, sizeof *p);
    for (int64_t k = 0; p && k < n && !zero; k++) {
        const float x = (float)(0.25 * sin(0.7 * (double)k + 1.3 * i));
        if (whole) p[k] = (int32_t)((7 * k + 3) % classes);
        else ((float *)p)[k] = x;
    }
    const tt_val v = tt_array_at(0, whole ? TT_I32 : TT_F32, p, dim);
    free(p);
    return v;
}

static void run(int p, bool mesh)
{
    char path[200];
    tt_val x[MOST];
    snprintf(path, sizeof path, "tests/corpus/steps/%s.mlir", programs[p].name);
    const tt_fn f = tt_import(path);
    const tt_val args = tt_import_args(f);
    const int n = tt_items(args), state = programs[p].state;
    CHECK(tt_ok() && n == state + 2 && n < MOST, "%s: %s", path, tt_ok() ? "arguments" : tt_error());
    if (!tt_ok()) {
        tt_clear();
        return;
    }
    const tt_mesh m = mesh ? tt_mesh("data:2, model:4") : (tt_mesh){ NULL };
    for (int i = 0; i < n; i++) {
        const int data = i - state;
        x[i] = filled(tt_item(args, i), data < 0 ? i : 99 - data, data < 0 ? 1 : programs[p].classes[data],
                      data < 0 && i >= programs[p].params);
        if (mesh) x[i] = tt_shard(x[i], m, data >= 0 ? "data" : tt_rank(x[i]) == 2 ? "_, model" : "");
    }
    const tt_fn step = mesh ? tt_jit(f, .mesh = m) : tt_jit(f);
    for (int k = 0; k < STEPS && tt_ok(); k++) {
        const tt_val y = tt_call_n(0, step, n, x);
        for (int i = 0; i < state; i++) x[i] = tt_item(y, i);
        const double loss = tt_num(tt_item(y, state)), want = (double)programs[p].loss[k];
        CHECK(fabs(loss - want) <= 2e-5 * fabs(want), "%s%s, step %d: loss %.9g instead of %.9g", programs[p].name,
              mesh ? " on 2x4" : "", k, loss, want);
    }
    CHECK(tt_ok(), "%s: %s", path, tt_ok() ? "" : tt_error());
    tt_clear();
}

int main(void)
{
    for (int p = 0; p < 3; p++)
        for (int mesh = 0; mesh < 2; mesh++) {
            const tt_scope scope = tt_scope_open();
            run(p, mesh);
            tt_scope_close(scope);
        }
    return check_done();
}
