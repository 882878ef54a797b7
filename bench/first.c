/* bench/first.c - the first call of a step, each in a process of its own: what it takes more than a call that is warm,
 * with an empty cache of compiled loops and with one that is filled; and a process from its start to its first result.
 *
 * usage: first [ROUNDS [CASE]]. Milliseconds, least and median over rounds. A first call is tracing, simplifying,
 * laying out, planning, binding and the step itself; loops are compiled by threads of their own meanwhile. The
 * transformers are small in everything but their layers, for what is traced and compiled does not depend on sizes. Rows
 * are the medians.
 */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "models.h"
#include "results.h"

enum { ROUNDS = 50, MEMBER = 8 };
typedef struct { tt_fn step; tt_val state, x, y; } work;
typedef struct { double first, warm, whole; } times; /* seconds; warm: a later call; whole: from the process's start */

/* ---- what is called ---- */

static work nnx(int devices)
{
    const tt_val k = tt_key(0), x = tt_normal(k, TT_F32, B, D), y = tt_normal(tt_key(1), TT_F32, B, D);
    if (devices == 1) return (work){ tt_jit(dots_step, .donate = "0"), tt_call(tt_jit(dots_create), k, x), x, y };
    const tt_mesh m = tt_mesh("data:2, model:4");
    const char *rules = "batch:data, hidden:model";
    const tt_val sx = tt_shard(x, m, "data, _"), sy = tt_shard(y, m, "data, _");
    const tt_fn make = tt_jit(dots_create, .mesh = m, .rules = rules);
    return (work){ tt_jit(dots_step, .mesh = m, .rules = rules, .donate = "0"), tt_call(make, k, sx), sx, sy };
}

static work digits(int devices)
{
    const tt_val x = tt_uniform(tt_key(2), TT_F32, BATCH, 28, 28, 1);
    const tt_val y = tt_randint(tt_key(3), TT_I32, tt_i(0), tt_i(10), BATCH);
    if (devices == 1) return (work){ tt_jit(cnn_step, .donate = "0"), tt_call(tt_jit(cnn_create), tt_key(0)), x, y };
    const tt_mesh m = tt_mesh("data:8");
    return (work){ tt_jit(cnn_step, .mesh = m, .donate = "0"), tt_call(tt_jit(cnn_create, .mesh = m), tt_key(0)),
                   tt_shard(x, m, "data"), tt_shard(y, m, "data") };
}

static work ensemble(int devices)
{
    const tt_val x = tt_uniform(tt_key(2), TT_F32, MEMBERS, BATCH, 28, 28, 1);
    const tt_val y = tt_randint(tt_key(3), TT_I32, tt_i(0), tt_i(10), MEMBERS, BATCH),
        keys = tt_split(tt_key(0), MEMBERS);
    if (devices == 1)
        return (work){ tt_jit(tt_vmap(cnn_step), .donate = "0"), tt_call(tt_jit(tt_vmap(cnn_create)), keys), x, y };
    const tt_mesh m = tt_mesh("member:8");
    return (work){ tt_pmap(cnn_step, .mesh = m, .axis = "member", .donate = "0"),
                   tt_call(tt_pmap(cnn_create, .mesh = m, .axis = "member"), keys), x, y };
}

static work language(int devices, tt_val (*make)(tt_val, tt_val), tt_val (*step)(tt_val, tt_val, tt_val))
{
    const tt_val k = tt_key(0), x = tt_randint(tt_key(1), TT_I32, tt_i(0), tt_i(gpt.vocab), gpt.batch, gpt.time);
    if (devices == 1) return (work){ tt_jit(step, .donate = "0"), tt_call(tt_jit(make), k, x), x, x };
    const tt_mesh m = tt_mesh("data:8");
    const tt_val sx = tt_shard(x, m, "data");
    return (work){ tt_jit(step, .mesh = m, .donate = "0"), tt_call(tt_jit(make, .mesh = m), k, sx), sx, sx };
}
static void twelve(void) { gpt.layers = 12, gpt.width = 64, gpt.time = 16; }

static work small(int devices) { return language(devices, gpt_create, gpt_step); }
static work small_scan(int devices) { return language(devices, gpt_scanned_create, gpt_scanned_step); }
static work deep(int devices) { return twelve(), small(devices); }
static work deep_scan(int devices) { return twelve(), small_scan(devices); }

static tt_val hello(tt_val x) { return tt_sum(tt_square(tt_tanh(tt_matmul(x, x)))); }

static const struct { const char *name; int devices; work (*make)(int devices); } cases[] = {
    { "W1 nnx x1", 1, nnx },           { "W1 nnx x1", 8, nnx },
    { "W2 cnn", 1, digits },           { "W2 cnn", 8, digits },
    { "W2 ensemble", 1, ensemble },    { "W2 ensemble", 8, ensemble },
    { "W5 gpt", 1, small },            { "W5 gpt", 8, small },
    { "W5 gpt scanned", 1, small_scan },
    { "12 layers", 1, deep },          { "12 layers", 8, deep },
    { "12 layers scanned", 1, deep_scan },
};
enum { CASES = sizeof cases / sizeof *cases };

/* ---- one process ---- */

static double once(work *w)
{
    const double t = limits_seconds();
    const tt_scope scope = tt_scope_open();
    const tt_val out = tt_call(w->step, w->state, w->x, w->y);
    tt_assign(&w->state, tt_item(out, 0));
    tt_wait(w->state);
    const double took = limits_seconds() - t;
    tt_scope_close(scope);
    return took;
}

static int rising(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The first call, and the median of some that come when all loops are made. */
static int child(int number, double start)
{
    enum { WARM = 5 };
    const double first = limits_seconds();
    if (number == CASES) {                               /* a process's first result */
        tt_wait(tt_call(tt_jit(hello), tt_ones(TT_F32, 64, 64)));
        const double now = limits_seconds();
        printf("%.9g %.9g %.9g\n", now - first, 0.0, now - start);
        return tt_done();
    }
    work w = cases[number].make(cases[number].devices);
    tt_wait(w.state);
    times t = { .first = once(&w) };
    t.whole = limits_seconds() - start;
    double warm[WARM];
    usleep(400000);
    once(&w);
    for (int i = 0; i < WARM; i++) warm[i] = once(&w);
    qsort(warm, WARM, sizeof *warm, rising);
    printf("%.9g %.9g %.9g\n", t.first, warm[WARM / 2], t.whole);
    return tt_done();
}

/* ---- all of them ---- */

static bool started(const char *self, int number, times *t)
{
    char line[512];
    snprintf(line, sizeof line, "exec '%s' - %d %.9f", self, number, limits_seconds());
    FILE *f = popen(line, "r");
    const bool good = f && fscanf(f, "%lf %lf %lf", &t->first, &t->warm, &t->whole) == 3;
    return f && pclose(f) == 0 && good;
}

typedef struct { double cold[ROUNDS], kept[ROUNDS]; } found;

static void say(const char *name, int devices, found *d, int rounds)
{
    qsort(d->cold, (size_t)rounds, sizeof(double), rising);
    qsort(d->kept, (size_t)rounds, sizeof(double), rising);
    char work[64];
    snprintf(work, sizeof work, "first call, %s", name);
    rows_put(work, devices, d->cold[rounds / 2]);
    printf("%-26s %8d %10.1f %10.1f %10.1f %10.1f\n", name, devices, 1e3 * d->cold[0], 1e3 * d->cold[rounds / 2],
           1e3 * d->kept[0],
           1e3 * d->kept[rounds / 2]);
}

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "-")) return child(atoi(argv[2]), atof(argv[3]));
    const int asked = argc > 1 ? atoi(argv[1]) : 5, rounds = asked < 1 ? 1 : asked > ROUNDS ? ROUNDS : asked;
    static found all[CASES + 1];
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i <= CASES; i++) {
            char folder[] = "/tmp/tutti-first-XXXXXX", line[128];
            times cold, kept;
            if (argc > 2 && i < CASES && strcmp(argv[2], cases[i].name)) continue;
            if (!mkdtemp(folder)) return 1;
            setenv("XDG_CACHE_HOME", folder, 1);
            const bool done = started(argv[0], i, &cold) && started(argv[0], i, &kept);
            snprintf(line, sizeof line, "rm -rf %s", folder);
            if (system(line) || !done) return fprintf(stderr, "failed: %s\n", i < CASES ? cases[i].name : "a process"),
                1;
            all[i].cold[r] = i < CASES ? cold.first - cold.warm : cold.whole;
            all[i].kept[r] = i < CASES ? kept.first - kept.warm : kept.whole;
        }
    printf("%-26s %8s %10s %10s %10s %10s\n", "ms, first call - warm", "devices", "cold least", "median",
           "kept least", "median");
    for (int i = 0; i < CASES; i++)
        if (argc < 3 || !strcmp(argv[2], cases[i].name)) say(cases[i].name, cases[i].devices, &all[i], rounds);
    say("a process, to its result", 1, &all[CASES], rounds);
    return 0;
}
