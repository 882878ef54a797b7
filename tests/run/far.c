/* tests/run/far.c - programs on a mesh of several ranks: results, what a rank cannot read, and ranks that run different
 * programs. Random programs on ranks: fuzz_spmd --ranks. */
#include "job.h"
#include "run/run.h"
#include "tutti.h"

enum { ROWS = 24, WIDTH = 96, TURNS = JOB_WATCHED ? 250 : 2500 };
static int ranks;                                        /* of the job, or of TUTTI=ranks:N */

static tt_val sum_of_squares(tt_val x) { return tt_sum(tt_mul(x, x)); }
static tt_val total(tt_val x) { return tt_add(tt_sum(x), tt_f(1)); }

/* 0, 1, ... along the axis of a mesh with two devices to a rank. */
static tt_val numbers(void)
{
    char axis[32];
    snprintf(axis, sizeof axis, "data:%d", 2 * ranks);
    return tt_shard(tt_arange(TT_F32, ROWS * ranks), tt_mesh(axis), "data");
}

static void results(void)
{
    const int n = ROWS * ranks;
    const double want = (double)n * (n - 1) * (2 * n - 1) / 6;
    const tt_val y = tt_call(tt_jit(sum_of_squares), numbers());
    const double got = tt_num(y);
    CHECK(tt_ok() && got > want * 0.999999 && got < want * 1.000001, "%.0f, not %.0f: %s", got, want, tt_error());
    tt_clear();
}

static tt_val gradient(tt_val x, tt_val y) { return tt_matmul(tt_transpose(x, 1, 0), y); }

/* A sum over devices of products: along near atoms one product, along far ones a sum of products. So its bits depend on
 * the number of ranks, and are those of one process that plans as the ranks do. */
static uint64_t digest(void)
{
    static float g[WIDTH * WIDTH];
    char axis[32];
    snprintf(axis, sizeof axis, "data:%d", 2 * ranks);
    const tt_mesh m = tt_mesh(axis);
    const tt_val x = tt_shard(tt_normal(tt_key(1), TT_F32, 64 * ranks, WIDTH), m, "data, _");
    const tt_val y = tt_shard(tt_normal(tt_key(2), TT_F32, 64 * ranks, WIDTH), m, "data, _");
    const tt_val z = tt_shard(tt_call(tt_jit(gradient), x, y), m, "_, _");
    tt_read(z, g, sizeof g);
    CHECK(tt_ok(), "%s", tt_error());
    return base_hash(0, g, sizeof g);
}

static void elsewhere(void)
{
    static float x[ROWS * 64];
    tt_read(numbers(), x, ROWS * ranks * sizeof *x);
    CHECK(!tt_ok() && strstr(tt_error(), "does not hold this part") && strstr(tt_error(), "far.c:"),
          "a part of another rank is read: %s", tt_error());
    tt_clear();
}

/* Rank 0 runs one program, all others another: every rank that hears of it has both lines. */
static void others(void)
{
    const tt_val x = numbers();
    const tt_fn f = tt_jit(sum_of_squares), g = tt_jit(total);
    const tt_val y = wire_rank() ? tt_call(g, x) : tt_call(f, x);
    const char *const text = tt_error(), *const first = strstr(text, "far.c:");      /* of this rank, then of another */
    CHECK(!tt_ok() && strstr(text, " is at ") && strstr(text, "(launch ") && first && strstr(first + 1, "far.c:"),
          "both lines: %s", text);
    (void)y;
}

/* Random delays of random ranks between launches, of programs that exchange little or much; every result is known:
 * nothing is lost, mixed up, or waits for ever. */
static tt_val swapped(tt_val x, tt_val t) { return tt_psum(tt_pshift(tt_mul(x, t), "data", 1), "data"); }

static void delays(int turns)
{
    enum { SIZES = 3, MOST = 40000 };
    static const int64_t size[SIZES] = { 1, 700, MOST };
    static float host[MOST];
    const int n = 2 * ranks;
    char axis[32];
    snprintf(axis, sizeof axis, "data:%d", n);
    const tt_mesh m = tt_mesh(axis);
    const tt_fn f = tt_jit(tt_shard_map(swapped, .mesh = m, .in = "data, _; _", .out = "_, _", .unchecked = 1));
    tt_val x[SIZES];
    unsigned all = 1, own = (unsigned)wire_rank() + 1;   /* what all ranks draw, what this rank draws */
    int bad = 0;
    for (int k = 0; k < SIZES; k++) x[k] = tt_shard(tt_ones(TT_F32, n, size[k]), m, "data, _");
    for (int i = 0; i < turns && tt_ok() && !bad; i++) {
        const tt_scope scope = tt_scope_open();
        all = all * 1664525 + 1013904223, own = own * 1664525 + 1013904223;
        const int k = all >> 28 ? (all >> 16) % 2 : SIZES - 1;
        if (!(own >> 29)) usleep(own >> 16 & 1023);
        tt_read(tt_call(f, x[k], tt_f(i % 100)), host, (size_t)size[k] * sizeof *host);
        for (int64_t j = 0; j < size[k]; j++) bad += host[j] != (float)(n * (i % 100));
        tt_scope_close(scope);
    }
    CHECK(tt_ok() && !bad, "%d bad numbers: %s", bad, tt_error());
}

static int inside(bool differ)
{
    base_arena *a = base_open();
    if (!job_join(a)) return 1;
    ranks = wire_ranks();
    run_job_set((run_job_shape){ wire_rank(), ranks, 0 });
    if (differ) {
        others();
        job_report(check_passed, check_failed);
        sleep(1);                                        /* what this rank has sent reaches the others */
        _Exit(check_failed ? 9 : 0);                     /* the ranks are out of step: none of them leaves the job */
    }
    results();
    elsewhere();
    delays(check_share(TURNS));
    printf("digest %016llx\n", (unsigned long long)digest());
    job_report(check_passed, check_failed);
    wire_now()->end(true, 0);
    base_close(a);
    return check_failed != 0;
}

/* The same job, in which every message is waited for at once. */
static job_result without_overlap(int mpi)
{
    const char *const own = getenv("TUTTI");
    char *const kept = own ? strdup(own) : NULL, words[256];
    snprintf(words, sizeof words, "%s%sno-overlap", kept ? kept : "", kept && *kept ? "," : "");
    setenv("TUTTI", words, 1);
    const job_result r = job_run(mpi, 2, "");
    if (kept) setenv("TUTTI", kept, 1);
    else unsetenv("TUTTI");
    free(kept);
    return r;
}

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "--inside --differ --digest N")) return check_done();
    if (argc > 1 && !strcmp(argv[1], "--inside")) return inside(argc > 2);
    if (argc > 2) {
        ranks = atoi(argv[2]);
        return printf("digest %016llx\n", (unsigned long long)digest()) < 0;
    }
    for (int mpi = 0; mpi < 2; mpi++) {
        if (!job_possible(mpi)) continue;
        for (int n = 2; n <= 4; n *= 2) {
            char number[12], one[20] = "none";
            snprintf(number, sizeof number, "%d", n);
            const job_result r = job_run(mpi, n, "");
            job_good("", &r, mpi, n);
            job_alone(n, number, one);
            CHECK(r.digests == n && !strcmp(r.digest, one), "%s, %d ranks: digest %s from %d, %s from one process",
                  job_mpi[mpi], n, r.digest, r.digests, one);
            if (mpi || n > 2) continue;
            const job_result at_once = without_overlap(mpi);
            CHECK(at_once.digests == 2 && !strcmp(at_once.digest, one), "no-overlap: digest %s from %d, not %s",
                  at_once.digest, at_once.digests, one);
        }
        const job_result r = job_run(mpi, 2, "--differ");
        CHECK(r.reports == 2 && r.passed == 2 && !r.failed, "%s: %d reports, %d passed, %d failed", job_mpi[mpi],
              r.reports, r.passed, r.failed);
    }
    return check_done();
}
