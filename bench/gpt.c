/* bench/gpt.c - training steps of a language model (W5), float32, AdamW: 4 layers of 256 on 8 rows of 128 bytes, on one
 * device, as a scan over the layers, and data-parallel on eight devices with the same global work; or GPT-2 (124M).
 *
 * usage: gpt [ROUNDS [gpt2]]. Times are as jobs.h says, after the machine's own limits in the same round. GF/s
 * counts the multiply-adds of the products, forward and backward.
 */
#include <string.h>

#include "jobs.h"
#include "models.h"

int main(int argc, char **argv)
{
    const int rounds = jobs_rounds(argc, argv, 5);
    const int big = argc > 2 && !strcmp(argv[2], "gpt2");
    if (big) gpt.batch = 4, gpt.time = 64, gpt.layers = gpt.heads = 12, gpt.width = 768;
    if (big) gpt.vocab = 50304, gpt.places = 1024;
    const double c = (double)gpt.width, tokens = (double)(gpt.batch * gpt.time);
    const double flops = 6 * tokens * (12 * c * c * (double)gpt.layers + c * (double)gpt.vocab
        + 2 * (double)(gpt.layers * gpt.time) * c);
    const tt_mesh rows = tt_mesh(big ? "data:1" : "data:8");
    const tt_val k = tt_key(0), text = tt_randint(tt_key(1), TT_I32, tt_i(0), tt_i(gpt.vocab), gpt.batch, gpt.time + 1);
    const tt_val x = tt_dynamic_slice(text, 1, tt_i(0), gpt.time), y = tt_dynamic_slice(text, 1, tt_i(1), gpt.time);
    const tt_val rx = big ? x : tt_shard(x, rows, "data"), ry = big ? y : tt_shard(y, rows, "data");
    job jobs[] = {
        { .work = big ? "W5 gpt2" : "W5 gpt", .devices = 1, .create = tt_jit(gpt_create),
            .step = tt_jit(gpt_step, .donate = "0"), .key = k, .x = x, .y = y, .flops = flops },
        { .work = big ? "W5 gpt2 scanned" : "W5 gpt scanned", .devices = 1, .create = tt_jit(gpt_scanned_create),
            .step = tt_jit(gpt_scanned_step, .donate = "0"), .key = k, .x = x, .y = y, .flops = flops },
        { .work = "W5 gpt", .devices = 8, .create = tt_jit(gpt_create, .mesh = rows),
            .step = tt_jit(gpt_step, .mesh = rows, .donate = "0"), .key = k, .x = rx, .y = ry, .flops = flops },
        { .work = "W5 gpt scanned", .devices = 8, .create = tt_jit(gpt_scanned_create, .mesh = rows),
            .step = tt_jit(gpt_scanned_step, .mesh = rows, .donate = "0"), .key = k, .x = rx, .y = ry, .flops = flops },
    };
    jobs_run(jobs, big ? 2 : 4, rounds);
    return tt_done();
}
