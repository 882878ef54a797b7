/* bench/gpt.c - training steps of a language model (W5), float32, AdamW: 4 layers of 256 on 8 rows of 128 bytes, on one
 * device, as a scan over the layers, and data-parallel on eight devices with the same global work; or GPT-2 (124M).
 *
 * usage: gpt [ROUNDS [gpt2]]. Times are medians over rounds, after the machine's own limits in the same round. GF/s
 * counts the multiply-adds of the products, forward and backward.
 */
#include <string.h>

#include "jobs.h"

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

int main(int argc, char **argv)
{
    const int rounds = jobs_rounds(argc, argv, 5);
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
        { .work = big ? "W5 gpt2" : "W5 gpt", .devices = 1, .step = tt_jit(unrolled_step, .donate = "0"),
            .state = tt_call(tt_jit(unrolled_create), k, x), .x = x, .y = y, .flops = flops },
        { .work = big ? "W5 gpt2 scanned" : "W5 gpt scanned", .devices = 1, .step = tt_jit(scanned_step, .donate = "0"),
            .state = tt_call(tt_jit(scanned_create), k, x), .x = x, .y = y, .flops = flops },
        { .work = "W5 gpt", .devices = 8, .step = tt_jit(unrolled_step, .mesh = rows, .donate = "0"), .flops = flops },
    };
    if (!big) {
        jobs[2].x = tt_shard(x, rows, "data"), jobs[2].y = tt_shard(y, rows, "data");
        jobs[2].state = tt_call(tt_jit(unrolled_create, .mesh = rows), k, jobs[2].x);
    }
    jobs_run(jobs, big ? 2 : 3, rounds);
    return tt_done();
}
