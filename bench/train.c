/* bench/train.c - GPT-2 (124M) in training, AdamW, one process: the time of a step, and the most memory that the
 * process has had. Weights and moments are float32; bf16: products and what is between the layers are of bfloat16.
 *
 * usage: train f32|bf16 [STEPS [BATCH TIME [LAYERS]]]. bench/train.sh runs it beside its peers. */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "models.h"
#include "results.h"

enum { WARM = 2 };

static double seconds_of(clockid_t of)
{
    struct timespec t;
    clock_gettime(of, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    const char *const type = argc > 1 ? argv[1] : "bf16";
    const int steps = argc > 2 ? atoi(argv[2]) : 3;
    if (strcmp(type, "f32") && strcmp(type, "bf16")) return fprintf(stderr, "train: %s? f32 or bf16\n", type), 2;
    if (steps < 1) return fprintf(stderr, "train: %s steps?\n", argv[2]), 2;
    gpt.batch = argc > 4 ? atoi(argv[3]) : 4, gpt.time = argc > 4 ? atoi(argv[4]) : 128;
    gpt.layers = argc > 5 ? atoi(argv[5]) : 12;
    gpt.heads = 12, gpt.width = 768, gpt.vocab = 50304, gpt.places = 1024;
    gpt.dtype = strcmp(type, "bf16") ? 0 : TT_BF16;
    const tt_val text = tt_randint(tt_key(1), TT_I32, tt_i(0), tt_i(gpt.vocab), gpt.batch, gpt.time + 1);
    const tt_val x = tt_dynamic_slice(text, 1, tt_i(0), gpt.time), y = tt_dynamic_slice(text, 1, tt_i(1), gpt.time);
    const tt_fn step = tt_jit(gpt_step, .donate = "0");
    tt_val state = tt_call(tt_jit(gpt_create), tt_key(0), x);
    double wall = 0, cpu = 0, loss = 0;
    for (int i = -WARM; i < steps && tt_ok(); i++) {     /* the first one compiles */
        const double from = seconds_of(CLOCK_MONOTONIC), used = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
        const tt_scope scope = tt_scope_open();
        const tt_val out = tt_call(step, state, x, y);
        tt_assign(&state, tt_item(out, 0));
        loss = tt_num(tt_item(out, 1));
        tt_wait(state);
        tt_scope_close(scope);
        if (i >= 0) wall += seconds_of(CLOCK_MONOTONIC) - from, cpu += seconds_of(CLOCK_PROCESS_CPUTIME_ID) - used;
    }
    struct rusage all;
    getrusage(RUSAGE_SELF, &all);
    const double tokens = (double)(gpt.batch * gpt.time), mib = (double)all.ru_maxrss / 1024;
    tt_print("tutti %s: %.0f ms a step, %.0f of the processor, %.1f tokens a second, %.0f MiB, loss %.4f", type,
             1e3 * wall / steps, 1e3 * cpu / steps, tokens * steps / wall, mib, loss);
    char work[60];
    snprintf(work, sizeof work, "W14 train gpt2 %s", type);
    rows_put(work, 1, wall / steps);
    const char *const device = getenv("BENCH_DEVICE");
    if (device && strcmp(device, "cpu")) return tt_done();     /* the rest is the process's, not the device's */
    snprintf(work, sizeof work, "processor of W14 train gpt2 %s", type);
    rows_put(work, 1, cpu / steps);
    snprintf(work, sizeof work, "memory of W14 train gpt2 %s", type);
    rows_put_as("tutti", work, 1, mib, "MiB");
    return tt_done();
}
