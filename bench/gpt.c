/* bench/gpt.c - training steps of a language model (W5), float32, AdamW: 4 layers of 256 on 8 rows of 128 bytes, on one
 * device, as a scan over the layers, and data-parallel on eight devices with the same global work; or GPT-2 (124M).
 *
 * usage: gpt [ROUNDS [gpt2]]. Times are medians over rounds, after the machine's own limits in the same round. GF/s
 * counts the multiply-adds of the products, forward and backward.
 */
#include <math.h>
#include <string.h>
#include <tutti.h>

#include "rows.h"

enum { ROUNDS = 50 };
static struct { int64_t batch, time, layers, heads, width, vocab, places; } size = { 8, 128, 4, 4, 256, 256, 128 };

/* ---- the model: x [B, T] of integers -> logits [B, T, vocab], by the table of the embedding ---- */

static tt_val block(tt_nn m, tt_val x)
{
    x = tt_add(x, tt_attention_layer(m, "attention", tt_layer_norm(m, "norm1", x, .eps = 1e-5), size.heads, .causal = 1));
    const tt_val h = tt_gelu(tt_dense(m, "up", tt_layer_norm(m, "norm2", x, .eps = 1e-5), 4 * size.width));
    return tt_add(x, tt_dense(m, "down", h, size.width));
}

static tt_val start(tt_nn m, tt_val x)
{
    const tt_val places = tt_embed(m, "places", tt_arange(TT_I32, size.time), size.places, size.width);
    return tt_add(tt_embed(m, "words", x, size.vocab, size.width), places);
}
static tt_val finish(tt_nn m, tt_val h) { return tt_attend(m, "words", tt_layer_norm(m, "norm", h, .eps = 1e-5)); }

static tt_val unrolled(tt_nn m, tt_val x)
{
    tt_val h = start(m, x);
    for (int64_t i = 0; i < size.layers; i++) {
        char name[32];
        snprintf(name, sizeof name, "layer%lld", (long long)i);
        h = tt_sub_module(m, name, block, h);
    }
    return finish(m, h);
}
static tt_val scanned(tt_nn m, tt_val x) { return finish(m, tt_stack(m, "layers", block, size.layers, start(m, x))); }

/* ---- a step of each ---- */

static tt_val create(tt_module *model, tt_val key, tt_val x)
{
    const tt_val p = tt_init(model, key, x);
    return tt_tuple(p, tt_adamw(p, .rate = 3e-4, .b2 = 0.95, .decay = 0.1));
}
static tt_val step(tt_val (*loss)(tt_val, tt_val, tt_val), tt_val s, tt_val x, tt_val y)
{
    tt_val p = tt_item(s, 0), o = tt_item(s, 1), l, g;
    tt_unpack(tt_call(tt_value_and_grad(loss), p, x, y), &l, &g);
    tt_opt_step(&p, &o, g);
    return tt_tuple(tt_tuple(p, o), l);
}

static tt_val unrolled_loss(tt_val p, tt_val x, tt_val y) { return tt_mean(tt_xent(tt_apply(unrolled, p, x), y)); }
static tt_val scanned_loss(tt_val p, tt_val x, tt_val y) { return tt_mean(tt_xent(tt_apply(scanned, p, x), y)); }
static tt_val unrolled_create(tt_val key, tt_val x) { return create(unrolled, key, x); }
static tt_val scanned_create(tt_val key, tt_val x) { return create(scanned, key, x); }
static tt_val unrolled_step(tt_val s, tt_val x, tt_val y) { return step(unrolled_loss, s, x, y); }
static tt_val scanned_step(tt_val s, tt_val x, tt_val y) { return step(scanned_loss, s, x, y); }

typedef struct {
    const char *work;
    int devices;
    tt_fn create, step;
    tt_val x, y, state;
    double t[ROUNDS], first, loss;
} job;

static void once(job *j, int round)
{
    const double t = limits_seconds();
    const tt_scope scope = tt_scope_open();
    const tt_val out = tt_call(j->step, j->state, j->x, j->y);
    tt_assign(&j->state, tt_item(out, 0));
    tt_wait(j->state);
    *(round < 0 ? &j->first : &j->t[round]) = limits_seconds() - t;
    j->loss = tt_num(tt_item(out, 1));
    tt_scope_close(scope);
}

int main(int argc, char **argv)
{
    const int asked = argc > 1 ? atoi(argv[1]) : 5, rounds = asked < 1 ? 1 : asked > ROUNDS ? ROUNDS : asked;
    const int big = argc > 2 && !strcmp(argv[2], "gpt2");
    if (big) size.batch = 4, size.time = 64, size.layers = size.heads = 12, size.width = 768;
    if (big) size.vocab = 50304, size.places = 1024;
    const double c = (double)size.width, tokens = (double)(size.batch * size.time);
    const double flops = 6 * tokens * (12 * c * c * (double)size.layers + c * (double)size.vocab
        + 2 * (double)(size.layers * size.time) * c);
    const tt_mesh rows = tt_mesh("data:8");
    const tt_val k = tt_key(0), text = tt_randint(tt_key(1), TT_I32, tt_i(0), tt_i(size.vocab), size.batch, size.time + 1);
    const tt_val x = tt_slice(text, 1, tt_i(0), size.time), y = tt_slice(text, 1, tt_i(1), size.time);
    job jobs[] = {
        { .work = big ? "W5 gpt2" : "W5 gpt", .devices = 1, .create = tt_jit(unrolled_create),
            .step = tt_jit(unrolled_step, .donate = "0"), .x = x, .y = y },
        { .work = big ? "W5 gpt2 scanned" : "W5 gpt scanned", .devices = 1, .create = tt_jit(scanned_create),
            .step = tt_jit(scanned_step, .donate = "0"), .x = x, .y = y },
        { .work = "W5 gpt", .devices = 8, .create = tt_jit(unrolled_create, .mesh = rows),
            .step = tt_jit(unrolled_step, .mesh = rows, .donate = "0"), .x = tt_shard(x, rows, "data"),
            .y = tt_shard(y, rows, "data") },
    };
    const int n = big ? 2 : 3;
    double peak = 0, copy = 0;
    for (int i = 0; i < n && tt_ok(); i++) {
        jobs[i].state = tt_call(jobs[i].create, k, jobs[i].x);
        once(&jobs[i], -1), once(&jobs[i], 0);
    }
    for (int r = 0; r < rounds && tt_ok(); r++) {
        peak = fmax(peak, limits_fma_gflops());
        copy = fmax(copy, rows_copy_gbs());
        for (int i = 0; i < n && tt_ok(); i++) once(&jobs[i], r);
    }
    if (!tt_ok()) return tt_done();
    rows_limits(peak, copy);
    printf("machine: %.0f GF/s of fused multiply-adds on one thread, copy %.1f GB/s\n", peak, copy);
    printf("%-26s %8s %10s %10s %10s %10s %10s\n", "step", "devices", "median ms", "min ms", "first ms", "GF/s", "loss");
    for (int i = 0; i < n; i++) {
        qsort(jobs[i].t, (size_t)rounds, sizeof *jobs[i].t, limits_rising);
        const double m = jobs[i].t[rounds / 2];
        printf("%-26s %8d %10.2f %10.2f %10.1f %10.1f %10.4f\n", jobs[i].work, jobs[i].devices, 1e3 * m, 1e3 * jobs[i].t[0],
            1e3 * jobs[i].first, flops / m * 1e-9, jobs[i].loss);
        rows_put(jobs[i].work, jobs[i].devices, m);
    }
    return tt_done();
}
