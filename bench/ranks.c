/* bench/ranks.c - exchanges between ranks (W14): sums, gathers and moves to another layout of 2 and 4 ranks of one
 * device, and the step of an MLP 784-512-512-10 (batch 1024, Adam), data parallel and fully sharded.
 *
 * usage: ranks [ROUNDS [MPI [LINK...]]]. MPI: openmpi (as it is), mpich. Each round starts a job of 2 ranks, one of 4,
 * and one process with as many devices each. The job times MPI's own collectives in the same processes, in turns with
 * ours; a time is the slowest rank's median, and the table's is the median over rounds, as are the ratios beside their
 * targets (* above it); the last columns are the ratios of the least times. Ranks share the processors: four ranks on
 * two of them are oversubscribed.
 *
 * LINK, for example 50us+1GB/s: only the steps, of 2 ranks between which TUTTI=link simulates such a network, with and
 * without TUTTI=no-overlap.
 */
#include <dlfcn.h>
#include <math.h>
#include <tutti.h>
#include <unistd.h>

#include "base/base.h"
#include "results.h"
#include "wire/wire.h"

enum { CASES = 10, STEPS = 6, MOST_ROUNDS = 20, TURNS = 400, BATCH = 1024, LAYERS = 3, KINDS = 2 };
enum { ALLREDUCE, ALLGATHER, REDUCE_SCATTER, BARRIER };  /* as in mpi/collectives.c */
typedef enum { PSUM, GATHER, SCATTER, TO_ALL, TO_COLUMNS, DATA_PARALLEL, FULLY_SHARDED } ranks_work;
/* turns: timed ones; batch: calls of a turn. to_mpi, to_one: targets for 2 ranks; crowded: to_one for 4. 0: none */
static const struct { const char *name; ranks_work work; int64_t n; int turns, batch; double to_mpi, to_one, crowded; }
cases[CASES] = {
    { "psum 4 B", PSUM, 1, 40, 200, 2.5, 0, 0 },
    { "psum 64 KB", PSUM, 1 << 14, 40, 20, 0, 0, 0 },
    { "psum 1 MB", PSUM, 1 << 18, 100, 1, 0.4, 0, 0 },
    { "psum 64 MB", PSUM, 1 << 24, 7, 1, 0.4, 0, 0 },
    { "all_gather 64 MB", GATHER, 1 << 24, 7, 1, 0.4, 0, 0 },
    { "psum_scatter 64 MB", SCATTER, 1 << 24, 7, 1, 0.4, 0, 0 },
    { "move to all 64 MB", TO_ALL, 1 << 24, 7, 1, 0.4, 0, 0 },
    { "rows to columns 64 MB", TO_COLUMNS, 1 << 24, 7, 1, 0, 0, 0 },
    { "data-parallel step", DATA_PARALLEL, 0, 60, 1, 0, 1.05, 1.25 },
    { "fully sharded step", FULLY_SHARDED, 0, 60, 1, 0, 1.05, 1.25 },
};
typedef void mpi_call(int which, const float *x, float *y, int n);
static mpi_call *mpi;                                    /* NULL: one process */
static int devices, ranks = 1;
static tt_mesh over;

static bool is_step(int which) { return cases[which].work == DATA_PARALLEL || cases[which].work == FULLY_SHARDED; }

/* ---- timing ---- */

typedef struct {
    tt_fn fn; const char *spec; tt_val x, y, state; bool steps;          /* spec: of a move; NULL: fn is called */
    const float *from; float *to; int which, n;
} timed;

static void ours(timed *t)
{
    const tt_scope scope = tt_scope_open();
    if (t->steps) {
        const tt_val out = tt_call(t->fn, t->state, t->x, t->y);
        tt_assign(&t->state, tt_item(out, 0));
        tt_num(tt_item(out, 1));
    } else {
        tt_wait(t->spec ? tt_shard(t->x, over, t->spec) : tt_call(t->fn, t->x));
    }
    tt_scope_close(scope);
}

static void theirs(timed *t) { mpi(t->which, t->from, t->to, t->n); }

static double ranks_turn(timed *t, void call(timed *), int batch)
{
    if (mpi) mpi(BARRIER, NULL, NULL, 0);
    const double start = limits_seconds();
    for (int i = 0; i < batch; i++) call(t);
    return (limits_seconds() - start) / batch;
}

static double ranks_median(double *t, int n)
{
    qsort(t, (size_t)n, sizeof *t, limits_rising);
    return n % 2 ? t[n / 2] : (t[n / 2 - 1] + t[n / 2]) / 2;
}

typedef struct { double median, least; } spent;

/* The slowest rank's. */
static spent slowest(double *t, int n)
{
    const double median = ranks_median(t, n);            /* sorts */
    spent mine = { median, t[0] }, all[64], most = { 0, 0 };
    if (!wire_gather(NULL, &mine, sizeof mine, all, "the times of a benchmark")) return most;
    for (int r = 0; r < ranks; r++)
        most = (spent){ fmax(most.median, all[r].median), fmax(most.least, all[r].least) };
    return most;
}

/* Prints "row CASE SECONDS LEAST MPI MPI_LEAST" on rank 0; 0: MPI has no such call. */
static void measure(int which, timed *t)
{
    static double own[TURNS], other[TURNS];
    const int turns = cases[which].turns, batch = cases[which].batch;
    const bool both = mpi && t->from;
    for (int i = 0; i < 2; i++) {
        ours(t);
        if (both) theirs(t);
    }
    for (int i = 0; i < turns && tt_ok(); i++) {
        own[i] = ranks_turn(t, ours, batch);
        if (both) other[i] = ranks_turn(t, theirs, batch);
    }
    if (!tt_ok()) return;
    const spent a = slowest(own, turns), b = both ? slowest(other, turns) : (spent){ 0, 0 };
    if (!wire_rank()) printf("row %d %.9g %.9g %.9g %.9g\n", which, a.median, a.least, b.median, b.least);
    fflush(stdout);
}

/* ---- collectives ---- */

static tt_val psum(tt_val x) { return tt_psum(x, "data"); }
static tt_val gather(tt_val x) { return tt_all_gather(x, "data", .dim = 0); }
static tt_val scatter(tt_val x) { return tt_psum_scatter(x, "data", .dim = 0); }

static void collective(int which)
{
    static tt_f1 *const f[] = { psum, gather, scatter };
    static const int as[] = { ALLREDUCE, ALLGATHER, REDUCE_SCATTER, ALLGATHER, ALLGATHER };
    const ranks_work work = cases[which].work;
    const int64_t n = cases[which].n, all = work == PSUM || work == SCATTER ? n * devices : n;
    const tt_scope scope = tt_scope_open();
    timed t = { .which = as[work], .n = (int)n };
    if (work >= TO_ALL) {
        t.x = tt_shard(tt_ones(TT_F32, 1 << 12, all >> 12), over, "data, _");
        t.spec = work == TO_ALL ? "_, _" : "_, data";
    } else {
        t.x = tt_shard(tt_ones(TT_F32, all), over, "data");
        t.fn = tt_jit(tt_shard_map(f[work], .mesh = over, .in = "data", .out = work == SCATTER ? "data" : "_",
                                   .unchecked = 1));
    }
    float *const from = calloc((size_t)n, sizeof *from), *const to = calloc((size_t)n, sizeof *to);
    if (from && to) {
        for (int64_t i = 0; i < n; i++) from[i] = to[i] = 1;     /* in memory of its own, not in a page of zeros */
        t.from = mpi && work != TO_COLUMNS ? from : NULL, t.to = to;
        measure(which, &t);
    }
    free(from), free(to);
    tt_scope_close(scope);
}

/* ---- steps ---- */

TT_RECORD(state, params, opt);

static tt_val net(tt_val p, tt_val x)
{
    for (int i = 0; i < LAYERS; i++) {
        x = tt_add(tt_matmul(x, tt_item(p, 2 * i)), tt_item(p, 2 * i + 1));
        if (i + 1 < LAYERS) x = tt_relu(x);
    }
    return x;
}

static tt_val loss(tt_val p, tt_val x, tt_val y) { return tt_mean(tt_xent(net(p, x), y)); }

static tt_val train(tt_val s, tt_val x, tt_val y)
{
    state st = state_of(s);
    tt_val l, g;
    tt_unpack(tt_call(tt_value_and_grad(loss), st.params, x, y), &l, &g);
    tt_opt_step(&st.params, &st.opt, g);
    return tt_tuple(state_val(st), l);
}

static void step(int which)
{
    static const int64_t width[] = { 784, 512, 512, 10 };
    const tt_scope scope = tt_scope_open();
    tt_val p[STEPS];
    for (int i = 0; i < LAYERS; i++) {
        const bool shards = cases[which].work == FULLY_SHARDED && width[i] % devices == 0;
        p[2 * i] = tt_shard(tt_mul(tt_normal(tt_key(i), TT_F32, width[i], width[i + 1]), tt_f(1.0 / 28)), over,
                            shards ? "data, _" : "_, _");
        p[2 * i + 1] = tt_shard(tt_zeros(TT_F32, width[i + 1]), over, "_");
    }
    const tt_val params = tt_tuple(p[0], p[1], p[2], p[3], p[4], p[5]);
    timed t = { .fn = tt_jit(train, .mesh = over, .donate = "0"), .steps = true };
    t.x = tt_shard(tt_normal(tt_key(7), TT_F32, BATCH, width[0]), over, "data, _");
    t.y = tt_shard(tt_randint(tt_key(8), TT_I32, tt_i(0), tt_i(10), BATCH), over, "data");
    t.state = state_val((state){ params, tt_adam(params, .rate = 1e-3) });
    measure(which, &t);
    tt_scope_close(scope);
}

/* ---- processes ---- */

static void all_cases(void)
{
    char text[32];
    snprintf(text, sizeof text, "data:%d", devices);
    over = tt_mesh(text);
    for (int i = 0; i < CASES && tt_ok(); i++) {
        if (!rows_requested(cases[i].name)) continue;
        if (is_step(i)) step(i);
        else if (!base_switch("link")) collective(i);
    }
    if (!tt_ok()) printf("rank %d: %s\n", wire_rank(), tt_error());
}

/* As a rank of a job; library: mpi/collectives.c. */
static int inside(const char *library)
{
    if (!tt_join(.devices = 1)) return tt_done();
    devices = ranks = tt_process_count();
    void *const lib = dlopen(library, RTLD_NOW | RTLD_LOCAL), *const at = lib ? dlsym(lib, "bench_mpi") : NULL;
    memcpy(&mpi, &at, sizeof mpi);
    if (!at) return printf("%s\n", dlerror()), 1;
    all_cases();
    return tt_done();
}

/* ---- the driver ---- */

/* ranks, MPI, one process: medians and the least */
static spent found[KINDS][3][CASES][MOST_ROUNDS];

static bool start(const char *command, int kind, int column, int round)
{
    char line[500];
    FILE *const f = popen(command, "r");
    while (f && fgets(line, sizeof line, f)) {
        int i;
        spent a, b;
        if (sscanf(line, "row %d %lg %lg %lg %lg", &i, &a.median, &a.least, &b.median, &b.least) != 5 || i < 0 ||
            i >= CASES) {
            fputs(line, stderr);
            continue;
        }
        found[kind][column][i][round] = a;
        if (!column) found[kind][1][i][round] = b;
    }
    return f && pclose(f) == 0;
}

/* A job of 2 or 4 ranks; more: words of TUTTI that begin with a comma. */
static bool job(const char *self, const char *name, const char *more, int kind, int column, int round)
{
    char command[9000];
    const int n = 2 << kind, cores = (int)sysconf(_SC_NPROCESSORS_ONLN), each = cores / n > 1 ? cores / n : 1;
    const int dir = (int)(strrchr(self, '/') - self);
    snprintf(command, sizeof command, "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 TUTTI=workers:%d%s "
             "mpirun.%s %s -n %d '%s' --inside '%.*s/ranks_mpi_%s.so'", each, more, name,
             strcmp(name, "openmpi") ? "" : "--oversubscribe --bind-to none", n, self, dir, self, name);
    return start(command, kind, column, round);
}

static bool ranks_round(const char *self, const char *name, int kind, int round)
{
    char command[9000];
    if (!job(self, name, "", kind, 0, round)) return false;
    snprintf(command, sizeof command, "'%s' --alone %d", self, 2 << kind);
    return start(command, kind, 2, round);
}

static void ranks_ratio(double a, double b, double target)
{
    char text[20] = "";
    if (target > 0) snprintf(text, sizeof text, "<= %.2f%s", target, a <= target * b ? "" : " *");
    if (b > 0) printf(" %8.3f %-9s", a / b, text);
    else printf(" %8s %-9s", "", "");
}

/* The median over rounds, and the least of all. */
static spent over_rounds(const spent *s, int rounds)
{
    double t[MOST_ROUNDS], least = s[0].least;
    for (int r = 0; r < rounds; r++) t[r] = s[r].median, least = fmin(least, s[r].least);
    return (spent){ ranks_median(t, rounds), least };
}

static void table(int rounds)
{
    static const char *const who[] = { "tutti", "mpi", "one process" };
    printf("%-32s %10s %10s %10s %8s %-9s %8s %-9s %8s %8s\n", "", "ranks ms", "MPI ms", "one ms", "of MPI", "",
           "of one", "", "by least", "times");
    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < CASES; i++) {
            char work[64];
            spent m[3];
            if (!rows_requested(cases[i].name)) continue;
            snprintf(work, sizeof work, "W14 %d ranks: %s", 2 << k, cases[i].name);
            for (int c = 0; c < 3; c++) {
                m[c] = over_rounds(found[k][c][i], rounds);
                if (m[c].median > 0) rows_put_as(who[c], work, 2 << k, 1e3 * m[c].median, "ms");
            }
            printf("%-32s %10.4f %10.4f %10.4f", work, 1e3 * m[0].median, 1e3 * m[1].median, 1e3 * m[2].median);
            ranks_ratio(m[0].median, m[1].median, k ? 0 : cases[i].to_mpi);
            ranks_ratio(m[0].median, m[2].median, k ? cases[i].crowded : cases[i].to_one);
            printf(" %8.3f %8.3f\n", m[1].least > 0 ? m[0].least / m[1].least : 0,
                   m[2].least > 0 ? m[0].least / m[2].least : 0);
        }
}

/* What overlap gains over a link: the steps of 2 ranks with it (column 0) and without (2). */
static bool over_link(const char *self, const char *name, const char *link, int rounds)
{
    char with[80], without[100];
    snprintf(with, sizeof with, ",link:%s", link);
    snprintf(without, sizeof without, ",link:%s,no-overlap", link);
    for (int r = 0; r < rounds; r++)
        if (!job(self, name, with, 0, 0, r) || !job(self, name, without, 0, 2, r)) return false;
    for (int i = 0; i < CASES; i++) {
        if (!is_step(i) || !rows_requested(cases[i].name)) continue;
        const spent a = over_rounds(found[0][0][i], rounds), b = over_rounds(found[0][2][i], rounds);
        printf("W14 2 ranks, link %-14s %-20s %10.4f ms, %10.4f without overlap: %6.3f\n", link, cases[i].name,
               1e3 * a.median, 1e3 * b.median, a.median / b.median);
    }
    return true;
}

int main(int argc, char **argv)
{
    char self[4096] = "", ask[64];
    if (argc > 2 && !strcmp(argv[1], "--inside")) return inside(argv[2]);
    if (argc > 2 && !strcmp(argv[1], "--alone")) {
        devices = atoi(argv[2]);
        all_cases();
        return tt_done();
    }
    const int asked = argc > 1 ? atoi(argv[1]) : 3, rounds = asked < 1 ? 1 : asked < MOST_ROUNDS ? asked : MOST_ROUNDS;
    const char *const name = argc > 2 ? argv[2] : "openmpi";
    snprintf(ask, sizeof ask, "command -v mpirun.%s >/dev/null", name);
    if (system(ask)) return printf("ranks: mpirun.%s is not installed\n", name) < 0;
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) return 1;
    for (int i = 3; i < argc; i++) if (!over_link(self, name, argv[i], rounds)) return 1;
    if (argc > 3) return 0;
    for (int r = 0; r < rounds; r++)
        for (int k = 0; k < KINDS; k++) if (!ranks_round(self, name, k, r)) return 1;
    table(rounds);
    return 0;
}
