/* bench/compile.c - how long it takes until something runs: a 12-layer transformer's training step (T 64, width 768,
 * AdamW) traced, laid out and planned for 1, 8 and 4,096 devices (W7), and a process from its start to its first result
 * (W9).
 *
 * Every time is a fresh process's: without anything on disk, then with what the process before left there. The mesh is
 * data x model, 4 of them model: attention's heads and the hidden units over it, the batch of 512 (4,096) over data.
 * Nothing of it is computed or allocated; kernels are made, LLVM's come when they run. A first result with LLVM is of a
 * chain that waits for its compiled loop; otherwise the interpreter begins.
 *
 * usage: compile [ROUNDS]. Medians.
 */
#include <tutti.h>
#include <unistd.h>

#include "results.h"

enum { LAYERS = 12, WIDTH = 768, HEADS = 12, TIME = 64, WORDS = 50304, PLACES = 1024, ROUNDS = 50 };
static const char rules[] = "batch:data, heads:model, hidden:model";

/* ---- W7 ---- */

static tt_val attention(tt_nn m, tt_val x)
{
    static const char *const name[] = { "q", "k", "v" };
    const int64_t batch = tt_dim(x, 0), time = tt_dim(x, 1);
    tt_val part[3];
    for (int i = 0; i < 3; i++)
        part[i] = tt_reshape(tt_dense(m, name[i], x, WIDTH, .axes = "embed, heads"), batch, time, HEADS, WIDTH / HEADS);
    const tt_val out = tt_reshape(tt_attention(part[0], part[1], part[2], .causal = 1), batch, time, WIDTH);
    return tt_dense(m, "out", out, WIDTH, .axes = "heads, embed");
}
static tt_val block(tt_nn m, tt_val x)
{
    x = tt_add(x, tt_sub_module(m, "attention", attention, tt_layer_norm(m, "norm1", x, .eps = 1e-5)));
    const tt_val h = tt_gelu(tt_dense(m, "up", tt_layer_norm(m, "norm2", x, .eps = 1e-5), 4 * WIDTH,
                                      .axes = "embed, hidden"));
    return tt_add(x, tt_dense(m, "down", h, WIDTH, .axes = "hidden, embed"));
}
static tt_val start(tt_nn m, tt_val x)
{
    return tt_add(tt_embed(m, "words", x, WORDS, WIDTH), tt_embed(m, "places", tt_arange(TT_I32, TIME), PLACES, WIDTH));
}
static tt_val finish(tt_nn m, tt_val h) { return tt_attend(m, "words", tt_layer_norm(m, "norm", h, .eps = 1e-5)); }
static tt_val unrolled(tt_nn m, tt_val x)
{
    tt_val h = start(m, x);
    for (int i = 0; i < LAYERS; i++) {
        char name[32];
        snprintf(name, sizeof name, "layer%d", i);
        h = tt_sub_module(m, name, block, h);
    }
    return finish(m, h);
}
static tt_val scanned(tt_nn m, tt_val x)
{
    return finish(m, tt_stack(m, "layers", block, LAYERS, start(m, x), .layer = "layer"));
}

static tt_val create(tt_module *net, tt_val key, tt_val x)
{
    const tt_val p = tt_init(net, key, x);
    return tt_tuple(p, tt_adamw(p, .rate = 3e-4));
}
static tt_val trained(tt_val (*loss)(tt_val, tt_val, tt_val), tt_val s, tt_val x, tt_val y)
{
    tt_val p = tt_item(s, 0), o = tt_item(s, 1), l, g;
    tt_unpack(tt_call(tt_value_and_grad(loss), p, x, y), &l, &g);
    tt_opt_step(&p, &o, g);
    return tt_tuple(tt_tuple(p, o), l);
}
#define NET(net) \
    static tt_val net##_loss(tt_val p, tt_val x, tt_val y) { return tt_mean(tt_xent(tt_apply(net, p, x), y)); } \
    static tt_val net##_create(tt_val key, tt_val x) { return create(net, key, x); } \
    static tt_val net##_step(tt_val s, tt_val x, tt_val y) { return trained(net##_loss, s, x, y); }
NET(unrolled)
NET(scanned)

/* Prints the milliseconds of one plan. The shapes of the state are there before: JAX has them given, too. */
static int plan(int devices, int scan)
{
    char text[64];
    snprintf(text, sizeof text, "data:%d, model:%d", devices > 4 ? devices / 4 : 1, devices > 4 ? 4 : 1);
    const tt_mesh mesh = tt_mesh(text);
    const int64_t batch = devices > 512 ? 4096 : 512;
    const tt_val x = tt_shard(tt_shape(TT_I32, batch, TIME), mesh, "data");
    const tt_fn init = scan ? tt_jit(scanned_create, .mesh = mesh, .rules = rules)
                            : tt_jit(unrolled_create, .mesh = mesh, .rules = rules);
    const tt_val state = tt_eval_shape(init, tt_key(0), x);
    const tt_fn step = scan ? tt_jit(scanned_step, .mesh = mesh, .rules = rules, .donate = "0")
                            : tt_jit(unrolled_step, .mesh = mesh, .rules = rules, .donate = "0");
    const double t = limits_seconds();
    const tt_budget *b = tt_plan(step, state, x, x);
    if (b && tt_ok()) printf("%.6g\n", limits_seconds() - t);
    return tt_done();
}

/* ---- W9 ---- */

static tt_val more(tt_val x) { return tt_add(x, tt_f(1)); }
static tt_val chain(tt_val x) { return tt_gelu(more(x)); }
static int first(int devices, int llvm)
{
    tt_val x = tt_ones(TT_F32, 8);
    if (devices > 1) x = tt_shard(x, tt_mesh("i:8"), "i");
    printf("%g\n", tt_num(tt_sum(tt_call(llvm ? tt_jit(chain) : tt_jit(more), x))));
    return tt_done();
}

/* ---- each in a process of its own ---- */

/* Seconds: what the child prints (asked), or its own whole life. Negative: it failed. */
static double child(const char *self, const char *folder, const char *switches, const char *what, int asked)
{
    char command[1024], line[64] = "";
    snprintf(command, sizeof command, "XDG_CACHE_HOME='%s' TUTTI='%s' '%s' %s", folder, switches, self, what);
    const double begin = limits_seconds();
    FILE *f = popen(command, "r");
    const int said = f && fgets(line, sizeof line, f);
    const int bad = !f || pclose(f);
    const double took = limits_seconds() - begin;
    return bad || !said ? -1 : asked ? atof(line) : took;
}

typedef struct { const char *work, *what, *switches; int devices, asked, kept; double t[ROUNDS]; } job;

int main(int argc, char **argv)
{
    static job jobs[] = {
        { "W7 compile 12 layers", "plan 1 0", "", 1, 1, 0, { 0 } },
        { "W7 compile 12 layers, again", "plan 1 0", "", 1, 1, 1, { 0 } },
        { "W7 compile 12 layers", "plan 8 0", "", 8, 1, 0, { 0 } },
        { "W7 compile 12 layers, again", "plan 8 0", "", 8, 1, 1, { 0 } },
        { "W7 compile 12 layers", "plan 4096 0", "", 4096, 1, 0, { 0 } },
        { "W7 compile 12 layers, again", "plan 4096 0", "", 4096, 1, 1, { 0 } },
        { "W7 compile 12 layers scanned", "plan 1 1", "", 1, 1, 0, { 0 } },
        { "W7 compile 12 layers scanned", "plan 8 1", "", 8, 1, 0, { 0 } },
        { "W7 compile 12 layers scanned", "plan 4096 1", "", 4096, 1, 0, { 0 } },
        { "W9 start to first result", "first 1 0", "", 1, 0, 0, { 0 } },
        { "W9 start to first result, again", "first 1 0", "", 1, 0, 1, { 0 } },
        { "W9 start to first result, with LLVM", "first 1 1", "llvm:now", 1, 0, 0, { 0 } },
        { "W9 start to first result", "first 8 0", "", 8, 0, 0, { 0 } },
    };
    enum { JOBS = sizeof jobs / sizeof *jobs };
    if (argc > 3 && !strcmp(argv[1], "plan")) return plan(atoi(argv[2]), atoi(argv[3]));
    if (argc > 3 && !strcmp(argv[1], "first")) return first(atoi(argv[2]), atoi(argv[3]));
    const int asked = argc > 1 ? atoi(argv[1]) : 3, rounds = asked < 1 ? 1 : asked > ROUNDS ? ROUNDS : asked;
    char folder[] = "/tmp/tutti-bench-XXXXXX", clear[64];
    if (!mkdtemp(folder)) return perror(folder), 1;
    snprintf(clear, sizeof clear, "rm -rf '%s'", folder);
    int bad = 0;
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < JOBS; i++) {
            if (!rows_requested(jobs[i].work)) continue;
            if (!jobs[i].kept && system(clear)) return 1;
            jobs[i].t[r] = child(argv[0], folder, jobs[i].switches, jobs[i].what, jobs[i].asked);
            bad |= jobs[i].t[r] < 0;
        }
    if (system(clear) || bad) return fprintf(stderr, "compile: a child failed\n"), 1;
    printf("%-38s %8s %12s %12s\n", "until it can run", "devices", "median ms", "least ms");
    for (int i = 0; i < JOBS; i++) {
        if (!rows_requested(jobs[i].work)) continue;
        qsort(jobs[i].t, (size_t)rounds, sizeof *jobs[i].t, limits_rising);
        printf("%-38s %8d %12.1f %12.1f\n", jobs[i].work, jobs[i].devices, 1e3 * jobs[i].t[rounds / 2],
               1e3 * jobs[i].t[0]);
        rows_put(jobs[i].work, jobs[i].devices, jobs[i].t[rounds / 2]);
    }
    return 0;
}
