/* program_steps.c - training steps that JAX, Flax, Optax and Keras printed (jax 0.10.2): ten steps each, on one device
 * and on 2x4, with the losses that JAX gave. Arrays are a formula's: parameters 0.25 sin(0.7 k + 1.3 i), the
 * optimizer's state zeros. tests/corpus/steps/print.py prints those that are compressed. */
#include <tutti.h>
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

enum { STEPS = 10, MOST = 256, TEXT = 1 << 20 };
static const struct { const char *name; int params, state; float loss[STEPS]; int classes[2]; } programs[] = {
    /* Flax: convolutions, momentum; a GPT of four layers, Adam; a small UNet, AdamW. Keras: convolutions, batch norm,
     * dropout, Adam. classes: ranges of integer data */
    { "cnn", 6, 12,
      { 2.34536529F, 2.32901073F, 2.30603981F, 2.28761244F, 2.27467489F, 2.26268363F, 2.24911523F, 2.23442531F,
        2.22034073F, 2.20182681F }, { 0, 10 } },
    { "gpt", 70, 211,
      { 3.47123957F, 3.47388625F, 3.46325922F, 3.45703554F, 3.4530077F, 3.4504416F, 3.44876885F, 3.44743156F,
        3.44591022F, 3.44379735F }, { 32, 31 } },
    { "unet", 10, 31,
      { 0.156238228F, 0.128046289F, 0.105014101F, 0.0869760066F, 0.0731257796F, 0.0629776195F, 0.055573415F,
        0.0501241125F, 0.0464906134F, 0.0443996973F }, { 0, 0 } },
    { "keras", 7, 25,
      { 2.52706909F, 2.52437997F, 2.43502092F, 2.51429319F, 2.49802423F, 2.48910952F, 2.43503237F, 2.42948389F,
        2.49239826F, 2.44571733F }, { 0, 10 } },
};

static tt_val filled(tt_val like, int i, int classes, bool zero)
{
    int64_t dim[13];
    int rank = 0;
    const int64_t n = tt_count(like);
    for (; rank < tt_rank(like); rank++) dim[rank] = tt_dim(like, rank);
    dim[rank] = TT_DIM_END;
    const bool whole = tt_dtype_of(like) == TT_I32;
    int32_t *const p = calloc((size_t)n + 1, sizeof(int64_t));
    for (int64_t k = 0; p && k < n && !zero; k++) {
        const float x = (float)(0.25 * sin(0.7 * (double)k + 1.3 * i));
        if (whole) p[k] = (int32_t)((7 * k + 3) % classes);
        else ((float *)p)[k] = x;
    }
    const tt_val v = tt_array_at(0, tt_dtype_of(like), p, dim);
    free(p);
    return v;
}

static tt_fn imported(const char *path)                  /* zlib reads what is not compressed as it is */
{
    static char text[TEXT];
    const gzFile z = gzopen(path, "rb");
    const int n = z ? gzread(z, text, TEXT - 1) : -1;
    if (z) gzclose(z);
    text[n > 0 ? n : 0] = 0;
    CHECK(n > 0 && n < TEXT - 1, "%s", path);
    return tt_import(text);
}

static void run(int p, bool mesh)
{
    char path[200];
    tt_val x[MOST];
    snprintf(path, sizeof path, "tests/corpus/steps/%s.mlir", programs[p].name);
    FILE *const plain = fopen(path, "rb");
    if (plain) fclose(plain);
    else strcat(path, ".gz");
    const tt_fn f = imported(path);
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

int main(int argc, char **argv)
{
    if (!check_main_one(argc, argv, __FILE__)) return check_done();
    for (int p = 0; p < (int)(sizeof programs / sizeof *programs); p++)
        for (int mesh = 0; mesh < 2; mesh++) {
            const tt_scope scope = tt_scope_open();
            run(p, mesh);
            tt_scope_close(scope);
        }
    return check_done();
}
