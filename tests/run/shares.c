/* tests/run/shares.c - updates of values that all ranks hold, of which each rank computes a share: the bits of programs
 * without shares, where the results are, and arrays that some ranks keep while others give theirs away. */
#include "job.h"
#include "run/run.h"
#include "tutti.h"

enum { WIDE = 30000, ROWS = 3, TURNS = 12 };
extern int64_t run_common_blocks(void), run_common_taken(void), run_shares_least;
static tt_mesh m;

/* As Adam does: a sum over the rows of all devices, then an update of two values by it. The first of them is read by a
 * step behind the update. */
static tt_val update(tt_val w, tt_val v, tt_val x)
{
    const tt_val g = tt_mean(x, .dims = "0");
    const tt_val u = tt_add(tt_mul(v, tt_f(0.9)), tt_mul(g, g));
    const tt_val y = tt_sub(w, tt_div(g, tt_add(tt_sqrt(tt_abs(u)), tt_f(1e-3))));
    return tt_tuple(y, u, tt_sum(y));
}

static tt_fn updates(const char *donate)
{
    return tt_jit(update, .mesh = m, .donate = donate);
}

static tt_val rows_of(int turn, const char *spec)
{
    return tt_shard(tt_normal(tt_key(turn), TT_F32, 8, ROWS, WIDE), m, spec);
}

static uint64_t bits_of(tt_val v)
{
    static float host[ROWS * WIDE];
    tt_read(v, host, sizeof host);
    return base_hash(1, host, sizeof host);
}

static tt_val whole(tt_val v) { return tt_process_allgather(v); }

/* A layout of the values, and of the rows that are summed; kept_by: the rank that keeps what it gives, every third
 * turn; -1: none, -2: all. */
typedef struct { const char *name, *mesh, *w, *x, *donate; int kept_by; } shares_case;

static tt_val same(tt_val x) { return x; }

/* The bits of w and v after each turn, and of a sum that is read behind the update; what ranks keep does not change.
 * Returns how many blocks this rank took in the turns from the second on. */
static int64_t loop(const shares_case *c, uint64_t bits[TURNS][3], bool shares)
{
    run_trim();
    const tt_scope scope = tt_scope_open();
    const tt_fn f = updates(c->donate), keeps = tt_jit(same);
    tt_val w = tt_shard(tt_normal(tt_key(77), TT_F32, ROWS, WIDE), m, c->w),
           v = tt_shard(tt_zeros(TT_F32, ROWS, WIDE), m, c->w), kept = tt_f(0);
    const int n = check_share(TURNS);
    uint64_t was = 0;
    int64_t taken = 0, blocks = 0;
    const char *const text = tt_plan_text(0, TT_FN(update), (tt_val[]){ w, v, rows_of(0, c->x), tt_end });
    CHECK(!text || !shares == !strstr(text, "in shares of the ranks"), "%s: the plan %s\n%s", c->name,
          shares ? "has no shares" : "has shares", text);
    for (int i = 0; i < n && tt_ok(); i++) {
        const tt_scope turn = tt_scope_open();
        if (i % 3 == 1 && c->kept_by != -1) {            /* all ranks call, and some keep */
            const tt_scope call = tt_scope_open();
            const tt_val k = tt_call(keeps, w);
            if (c->kept_by < 0 || c->kept_by == wire_rank()) tt_assign(&kept, k), was = bits[i - 1][0];
            tt_scope_close(call);
        }
        const tt_val out = tt_call(f, w, v, rows_of(i, c->x));
        tt_assign(&w, tt_item(out, 0)), tt_assign(&v, tt_item(out, 1));
        bits[i][0] = bits_of(whole(w)), bits[i][1] = bits_of(whole(v));
        const float sum = (float)tt_num(tt_item(out, 2));
        memcpy(&bits[i][2], &sum, sizeof sum);
        tt_scope_close(turn);
        if (i == 0) taken = run_common_taken();
        if (i == 3) blocks = run_common_blocks();
    }
    if (was && !strchr(c->mesh, ','))
        CHECK(bits_of(kept) == was, "%s: what rank %d kept has changed", c->name, wire_rank());
    const int64_t all = run_common_blocks();
    CHECK(n < 5 || all - blocks <= 4, "%s: %lld blocks, then %lld", c->name, (long long)blocks, (long long)all);
    CHECK(tt_ok(), "%s: %s", c->name, tt_error());
    tt_clear();
    tt_scope_close(scope);
    return run_common_taken() - taken;
}

static void all_cases(void)
{
    static const shares_case cases[] = {
        { "given away", "data:0", "_, _", "data, _, _", "0, 1", -1 },
        { "kept by the first rank", "data:0", "_, _", "data, _, _", "0, 1", 0 },
        { "kept by another rank", "data:0", "_, _", "data, _, _", "0, 1", 1 },
        { "kept by all", "data:0", "_, _", "data, _, _", "0, 1", -2 },
        { "one is given away", "data:0", "_, _", "data, _, _", "1", -1 },
        { "none is given away", "data:0", "_, _", "data, _, _", "", -1 },
        { "in two groups", "data:2, model:4", "_, model", "data, _, model", "0, 1", -1 },
        { "in groups, kept by a rank", "data:2, model:4", "_, model", "data, _, model", "0, 1", 1 },
    };
    static uint64_t bits[TURNS][3];
    base_switches_env();
    const bool shares = !base_switch("no-common");
    int64_t taken[sizeof cases / sizeof *cases] = { 0 };
    uint64_t digest = 1;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char axes[32];
        const bool groups = strstr(cases[k].mesh, "model") != NULL;
        if (groups && wire_ranks() != 4) continue;
        snprintf(axes, sizeof axes, "data:%d", 2 * wire_ranks());
        m = tt_mesh(groups ? cases[k].mesh : axes);
        memset(bits, 0, sizeof bits);
        taken[k] = loop(&cases[k], bits, shares);
        digest = base_hash(digest, bits, sizeof bits);
    }
    /* what is given away is written in place; else the first rank takes two blocks in each turn, or one */
    const int64_t n = check_share(TURNS) - 1, more = taken[5] - taken[0], one = taken[4] - taken[0];
    CHECK(!shares || wire_rank() || (more == 2 * n && one == n), "%lld turns: %lld and %lld blocks more", (long long)n,
          (long long)more, (long long)one);
    printf("digest %016llx\n", (unsigned long long)digest);
}

static int inside(void)
{
    base_arena *a = base_open();
    if (!job_join(a)) return 1;
    run_job_set((run_job_shape){ wire_rank(), wire_ranks(), 2 });
    run_shares_least = 1 << 12;
    all_cases();
    job_report(check_passed, check_failed);
    wire_now()->end(true, 0);
    base_close(a);
    return check_failed != 0;
}

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "--inside")) return check_done();
    if (argc > 1 && !strcmp(argv[1], "--inside")) return inside();
    for (int mpi = 0; mpi < 2; mpi++)
        for (int n = 2; n <= 4 && job_possible(mpi); n *= 2) {
            const job_result r = job_run(mpi, n, "");
            setenv("TUTTI", "no-common", 1);
            const job_result without = job_run(mpi, n, "");
            unsetenv("TUTTI");
            job_good("", &r, mpi, n);
            job_good(" without shares", &without, mpi, n);
            CHECK(r.digests == n && without.digests == n && !strcmp(r.digest, without.digest),
                  "%s, %d ranks: %d and %d have the bits %s with shares and %s without", job_mpi[mpi], n, r.digests,
                  without.digests, r.digest, without.digest);
        }
    return check_done();
}
