/* tests/run/rank_sums.c - sums over devices of several ranks: nodes, owners' pieces, and the bits of one process. */
#include "job.h"
#include "run/run.h"
#include "tutti.h"

enum { DEVICES = 8, MOST = 40000 };
static const char *at_axis = "i";
static tt_val sum(tt_val x) { return tt_psum(x, at_axis); }
static tt_val most(tt_val x) { return tt_pmax(x, at_axis); }
static tt_val pieces(tt_val x) { return tt_psum_scatter(x, at_axis, .dim = 0); }

/* Adds the bits of f over random numbers, `rows` of `columns` for each device, to the hash. */
static uint64_t bits(uint64_t hash, tt_f1 *f, tt_mesh m, tt_dtype dtype, int64_t rows, int64_t columns, const char *out)
{
    static char host[4 * MOST];
    const tt_val x = tt_shard(tt_cast(tt_normal(tt_key(rows), TT_F32, DEVICES * rows, columns), dtype), m, "i, _");
    const tt_val y = tt_call(tt_jit(tt_shard_map(f, .mesh = m, .in = "i, _", .out = out, .unchecked = 1)), x);
    const tt_val z = tt_shard(y, m, "_, _");
    const size_t bytes = (size_t)(rows * columns * (dtype == TT_F32 ? 4 : 2));
    tt_read(z, host, bytes);
    CHECK(tt_ok(), "%s", tt_error());
    return base_hash(hash, host, bytes);
}

static uint64_t rank_sums_digest(void)
{
    static const int64_t shape[][2] = { { 8, 300 }, { 1, 1 }, { 3, 4111 }, { 1, 9001 }, { 40, 101 } };
    const tt_dtype dtypes[] = { TT_F32, TT_BF16, TT_F16 };
    const tt_mesh m = tt_mesh("i:8");
    uint64_t h = 0;
    for (int d = 0; d < 3; d++)
        for (int k = 0; k < 5; k++) {
            if (!check_turn((size_t)(d * 5 + k))) continue;
            h = bits(h, sum, m, dtypes[d], shape[k][0], shape[k][1], "_, _");
            h = bits(h, most, m, dtypes[d], shape[k][0], shape[k][1], "_, _");
            if (shape[k][0] % DEVICES == 0) h = bits(h, pieces, m, dtypes[d], shape[k][0], shape[k][1], "i, _");
        }
    return h;
}

static int rank_sums_inside(void)
{
    base_arena *a = base_open();
    if (!job_join(a)) return 1;
    run_job_set((run_job_shape){ wire_rank(), wire_ranks(), 0 });
    printf("digest %016llx\n", (unsigned long long)rank_sums_digest());
    job_report(check_passed, check_failed);
    wire_now()->end(true, 0);
    base_close(a);
    return check_failed != 0;
}

/* The number of exchanges in the plan of a sum of 8 x 300 numbers, as `ranks` ranks make it. */
static int exchanges(int ranks)
{
    char self[4096] = "", command[8300], line[1000];
    int n = 0, all = 0;
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) return -1;
    snprintf(command, sizeof command, "TUTTI=plan,ranks:%d '%s' --digest 2>&1", ranks, self);
    FILE *f = popen(command, "r");
    while (f && fgets(line, sizeof line, f)) {
        if (!strncmp(line, "----", 4)) n = 0;            /* the next plan */
        n += strstr(line, "  exchange ") && strstr(line, "tt_psum(");
        if (n && !all && strstr(line, "return r0 f32[8, 300]")) all = n;
    }
    if (f) pclose(f);
    return all;
}

int main(int argc, char **argv)
{
    char one[20] = "none", same[20];
    if (!check_main_options(argc, argv, __FILE__, "--inside --digest")) return check_done();
    if (argc > 1 && !strcmp(argv[1], "--inside")) return rank_sums_inside();
    if (argc > 1) return printf("digest %016llx\n", (unsigned long long)rank_sums_digest()) < 0;
    job_alone(0, "", one);
    for (int n = 2; n <= DEVICES; n *= 2) {
        snprintf(same, sizeof same, "none");
        job_alone(n, "", same);
        CHECK(!strcmp(one, same), "planned for %d ranks: digest %s, %s without", n, same, one);
    }
    const int whole = exchanges(1), nodes = exchanges(2), owned = exchanges(4);
    CHECK(whole == 1 && nodes == 2 && owned == 3, "%d, %d and %d exchanges, not 1, 2 (nodes) and 3 (pieces)", whole,
          nodes, owned);
    for (int mpi = 0; mpi < 2; mpi++) {
        if (!job_possible(mpi)) continue;
        for (int n = 2; n <= 4; n *= 2) {
            const job_result r = job_run(mpi, n, "");
            CHECK(!r.status && r.digests == n && !strcmp(r.digest, one), "%s, %d ranks: status %d, digest %s from %d, "
                  "%s from one process", job_mpi[mpi], n, r.status, r.digest, r.digests, one);
        }
    }
    return check_done();
}
