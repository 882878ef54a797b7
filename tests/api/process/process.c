/* tests/api/process/process.c - a program in several processes, through the public interface alone: where processes
 * and devices are, values of one rank and of all, what is refused, who prints, and how a job ends. */
#include "job.h"
#include "tutti.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

static tt_val sum_of_squares(tt_val x) { return tt_sum(tt_mul(x, x)); }
static int n, me;

static void places(int64_t devices)
{
    n = tt_process_count(), me = tt_process_index();
    CHECK(n == wire_ranks() && me == wire_rank(), "process %d of %d", me, n);
    CHECK(tt_local_device_count() == devices && tt_device_count() == devices * n, "%lld devices here, %lld in all",
          (long long)tt_local_device_count(), (long long)tt_device_count());
    for (int64_t d = 0; d < devices * n; d++)
        CHECK(tt_device_process(d) == d / devices, "device %lld is of process %d", (long long)d, tt_device_process(d));
    CHECK(tt_local_device(0) == me * devices && tt_local_device(devices) == -1 && tt_device_process(-1) == -1,
          "numbers of devices");
}

static void local_meshes(void)
{
    int64_t order[16];
    char text[40];
    for (int d = 0; d < 2 * n; d++) order[d] = d % 2 * n + d / 2;       /* each rank has devices of several rows */
    snprintf(text, sizeof text, "data:%d, model:2", n);
    const tt_mesh mine = tt_local_mesh(tt_mesh(text));
    CHECK(tt_mesh_size(mine, "data") == 1 && tt_mesh_size(mine, "model") == 2 && tt_device_id(mine, 0) == 2 * me,
          "a row of %s: %s", text, tt_mesh_spec(mine));
    const tt_mesh other = tt_local_mesh(tt_mesh(text, .order = order));
    CHECK(n > 2 || (tt_mesh_size(other, "data") == 2 && tt_mesh_size(other, "model") == 1), "a column of %s: %s", text,
          tt_mesh_spec(other));
}

static double at(tt_val v, int64_t i) { return tt_num(tt_slice(v, 0, i, i + 1, 1)); }

static void together(void)
{
    char axis[20];
    snprintf(axis, sizeof axis, "data:%d", 2 * n);
    const tt_mesh m = tt_mesh(axis);
    const tt_val x = tt_shard(tt_arange(TT_F32, 6 * n), m, "data");
    const double last = 6 * n - 1, sum = last * (last + 1) * (2 * last + 1) / 6;
    CHECK(tt_num(tt_call(tt_jit(sum_of_squares), x)) == sum, "a sum over all: %s", tt_error());
    CHECK(!strcmp(tt_value_text(x), tt_type_text(x)), "the text of what others hold: %s", tt_value_text(x));
    tt_show(x);
    tt_show(tt_dict("x", x));
    CHECK(tt_ok(), "shown: %s", tt_error());
    tt_config("timeit:1");
    CHECK(strstr(tt_timeit(sum_of_squares, x), "per loop"), "as many loops on all ranks: %s", tt_error());
    CHECK(!tt_is_fully_addressable(x) && !tt_is_fully_replicated(x) && tt_is_fully_addressable(tt_f(1)), "who holds x");
    CHECK(tt_is_fully_replicated(tt_shard(x, m, "_")), "replicated");
    const tt_val all = tt_process_allgather(x);
    float f[6 * 8];
    tt_read(all, f, (size_t)(6 * n) * sizeof *f);
    int bad = 0;
    for (int i = 0; i < 6 * n; i++) bad += f[i] != i;
    CHECK(tt_ok() && !bad && tt_is_fully_addressable(all), "%d elements differ: %s", bad, tt_error());
    const tt_val mine = tt_full(me, TT_F32, 2), stacked = tt_process_allgather(mine),
                 joined = tt_process_allgather(mine, .tiled = 1);
    CHECK(tt_rank(stacked) == 2 && tt_dim(stacked, 0) == n, "stacked: %s", tt_type_text(stacked));
    CHECK(tt_dim(joined, 0) == 2 * n && at(joined, 2 * n - 1) == n - 1, "joined: %s", tt_type_text(joined));
    CHECK(tt_num(tt_broadcast_one_to_all(tt_f(me + 5))) == 5, "what rank 0 gave");
    CHECK(tt_num(tt_broadcast_one_to_all(tt_f(me + 5), .source = n - 1)) == n + 4, "what the last rank gave");
    CHECK(tt_sync_global_devices("here") && tt_assert_equal(tt_tuple(tt_f(2), all)), "all are equal: %s", tt_error());
    const tt_val parts = tt_array_from_process_local_data(tt_full(me, TT_F32, 4, 3), m, "data, _");
    CHECK(tt_dim(parts, 0) == 4 * n && tt_num(tt_sum(parts)) == 6.0 * n * (n - 1), "parts: %s", tt_type_text(parts));
    const tt_val back = tt_global_array_to_host_local_array(parts);
    CHECK(tt_dim(back, 0) == 4 && tt_num(tt_amin(back)) == me && tt_num(tt_amax(back)) == me, "and back: %s",
          tt_type_text(back));
    const tt_val taken = tt_array_from_process_local_data(tt_zeros(TT_F32, 2, 3), m, "data, _", .global_shape = "2, 3");
    CHECK(tt_dim(taken, 0) == 2, "a dim that is whole: %s", tt_error());
}

static bool refuses(const char *part)
{
    const bool good = !tt_ok() && strstr(tt_error(), part);
    if (!good) printf("not refused by \"%s\": %s\n", part, tt_error());
    tt_clear();
    return good;
}

/* Of texts that differ the error has where they do so, wherever that is. */
static void texts(int me)
{
    char same[1400];
    const tt_agreement apart = { .same = same };
    snprintf(same, sizeof same, "%s: %080d", me ? "one" : "two", 7);
    CHECK(!tt_process_agree("test", &apart) && refuses("\"two: 00"), "texts that differ at their beginning");
    snprintf(same, sizeof same, "%080d%s%0100d", 7, me ? "one" : "two", 0);
    CHECK(!tt_process_agree("test", &apart) && refuses("007two00"), "in the middle");
    snprintf(same, sizeof same, "%080d%s", 7, me ? "" : "more");
    CHECK(!tt_process_agree("test", &apart) && refuses("7more\""), "at their end");
    snprintf(same, sizeof same, "%01200d%s", 7, me ? "one" : "two");
    CHECK(!tt_process_agree("test", &apart) && refuses("behind its first 1023 bytes"), "far behind");
    snprintf(same, sizeof same, "%01200d", 7);
    CHECK(tt_process_agree("test", &apart), "the same: %s", tt_error());
}

/* Layouts over axes whose names differ at their end alone. */
static void long_names(void)
{
    char axis[220], spec[200];
    snprintf(spec, sizeof spec, "x%0170d%c", 7, me ? 'a' : 'b');
    snprintf(axis, sizeof axis, "%s:%d", spec, 2 * n);
    tt_shard(tt_arange(TT_F32, 4 * n), tt_mesh(axis), spec);
    CHECK(refuses("07b\" over "), "a value over axes of other names");
    tt_array_from_process_local_data(tt_zeros(TT_F32, 4), tt_mesh(axis), spec);
    CHECK(refuses("07a\" over "), "parts over axes of other names");
}

static void refusals(void)
{
    char axis[20];
    snprintf(axis, sizeof axis, "data:%d", 2 * n);
    const tt_mesh m = tt_mesh(axis);
    static float f[6 * 8];
    tt_read(tt_shard(tt_arange(TT_F32, 6 * n), m, "data"), f, (size_t)(6 * n) * sizeof *f);
    CHECK(refuses("tt_process_allgather"), "reading what others hold");
    tt_shard(tt_full(me, TT_F32, 8), m, "_");
    CHECK(refuses("tt_broadcast_one_to_all"), "values that differ");
    tt_assert_equal(tt_f(me));
    CHECK(refuses("rank 1 gives another value"), "assert_equal");
    tt_sync_global_devices(me ? "there" : "here");
    CHECK(refuses("\"there\""), "other names");
    tt_process_allgather(me ? tt_zeros(TT_F32, 3) : tt_zeros(TT_F32, 4));
    CHECK(refuses("f32[3]"), "other shapes");
    tt_broadcast_one_to_all(tt_f(1), .source = n);
    CHECK(refuses(".source"), "no such source");
    tt_broadcast_one_to_all(tt_f(me), .source = me ? 1 : 0);
    CHECK(refuses(".source = 1"), "sources that differ");
    tt_array_from_process_local_data(tt_full(me, TT_F32, 4), m, "_");
    CHECK(refuses("rank 1 gives another value than rank 0"), "replicas that differ");
    tt_host_local_array_to_global_array(tt_f(me), m, "");
    CHECK(refuses("rank 1 gives another value than rank 0"), "replicas of a number that differ");
    const tt_val replicas = tt_array_from_process_local_data(tt_ones(TT_F32, 4), m, "_");
    CHECK(tt_num(tt_sum(replicas)) == 4, "replicas: %s", tt_error());
    tt_array_from_process_local_data(tt_zeros(TT_F32, me ? 2 : 3, 2), m, "data, _", .global_shape = "64, 2");
    CHECK(refuses("dim 0 has"), "parts of another size");
    tt_array_from_process_local_data(tt_zeros(TT_F32, 2, 2), m, "data, _", .global_shape = "4");
    CHECK(refuses(".global_shape"), "another number of dims");
    tt_array_from_process_local_data(tt_zeros(TT_F32, me ? 4 : 2, 2), m, "data, _");
    CHECK(refuses("rank 0 gives parts of f32["), "parts of different sizes without .global_shape");
    tt_array_from_process_local_data(tt_zeros(me ? TT_I32 : TT_F32, 2, 2), m, "data, _");
    CHECK(refuses("rank 1 i32["), "parts of different types");
    tt_array_from_process_local_data(me ? tt_zeros(TT_F32, 2) : tt_zeros(TT_F32, 2, 2), m, "data");
    CHECK(refuses(", rank 1 f32["), "parts of different ranks");
    tt_array_from_process_local_data(tt_zeros(TT_F32, 2, 2), m, me ? "_, data" : "data, _");
    CHECK(refuses("\"_, data\""), "parts with different layouts");
    tt_host_local_array_to_global_array(tt_zeros(TT_F32, 2, me ? 3 : 2), m, "data, _");
    CHECK(refuses("rank 0 gives parts of"), "parts of different rows");
    tt_shard(tt_arange(TT_F32, 8), m, me ? "_" : "data");
    CHECK(refuses("\"data\""), "different layouts of one value");
    long_names();
    texts(me);
    const tt_agreement hurry = { .patience = -1 };
    CHECK(!tt_process_agree("test", &hurry) && refuses("a patience of -1"), "a negative patience");
    const tt_val x = tt_shard(tt_arange(TT_F32, 6), m, "data");
    CHECK(tt_num(tt_call(tt_jit(sum_of_squares), x)) == 55, "after refusals: %s", tt_error());
    tt_join();
    tt_join(.devices = 2);
    CHECK(tt_ok(), "joining again does nothing: %s", tt_error());
    CHECK(!tt_join(.devices = 7) && refuses("each process has 2"), "joining again with another number of devices");
}

/* Messages that come late: a sum takes as long as the link, and is the same. */
static void over_a_link(void)
{
    char axis[20];
    snprintf(axis, sizeof axis, "data:%d", 2 * n);
    const tt_val x = tt_shard(tt_arange(TT_F32, 6 * n), tt_mesh(axis), "data");
    const tt_fn f = tt_jit(sum_of_squares);
    const double want = tt_num(tt_call(f, x)), start = base_seconds();
    CHECK(tt_num(tt_call(f, x)) == want, "the same sum: %s", tt_error());
    const double took = base_seconds() - start;
    CHECK(took >= 0.03, "%.3f s over a link of 30 ms", took);
}

/* Ctrl-C on one rank: all ranks' loops end at the same iteration, and calls of all ranks work behind them. */
static void stopped(void)
{
    char axis[20];
    snprintf(axis, sizeof axis, "data:%d", 2 * n);
    const tt_val x = tt_shard(tt_arange(TT_F32, 6 * n), tt_mesh(axis), "data");
    const tt_fn f = tt_jit(sum_of_squares);
    int64_t last = -1, own = 0;
    for (tt_loop l = tt_steps(1000000); tt_next(&l);) {
        if (me == n - 1 && l.i == 7) raise(SIGINT);
        tt_num(tt_call(f, x));
        last = l.i;
    }
    const tt_val all = tt_process_allgather(tt_i(last));
    CHECK(last >= 7 && last < 100 && tt_num(tt_amin(all)) == (double)last && tt_num(tt_amax(all)) == (double)last,
          "the last iteration here is %lld: %s", (long long)last, tt_error());
    for (tt_loop l = tt_steps(5); tt_next(&l);) last = -2;
    CHECK(last != -2, "a later loop ends too");
    tt_clear();
    for (tt_loop l = tt_steps(5); tt_next(&l);) tt_num(tt_call(f, x)), own++;
    CHECK(own == 5, "%lld iterations after tt_clear", (long long)own);
    if (me == 0) raise(SIGINT);
    for (tt_loop l = tt_steps(1000000); me == 0 && tt_next(&l);) own++;
    CHECK(own <= 7, "a loop of one rank alone ends at once: %lld", (long long)own);
    tt_clear();
}

static void silent(const tt_error_info *e, void *env) { (void)e, (void)env; }

static tt_val long_work(tt_val x, tt_val y)
{
    for (int i = 0; i < 6; i++) x = tt_tanh(tt_add(tt_matmul(x, y), x));
    return tt_sum(x);
}

/* A process that a rank forks has the rank's memory, which the ranks share: its calls are refused, and the rank's
 * numbers stay right. A child that makes no call, or only tt_done, ends by itself. */
static void forks(void)
{
    enum { CHILDREN = 3, CALLS = 300 };
    const tt_val a = tt_normal(tt_key(1), TT_F32, 128, 128), b = tt_normal(tt_key(2), TT_F32, 128, 128);
    const tt_fn f = tt_jit(long_work);
    const double want = tt_num(tt_call(f, a, b)), other = tt_num(tt_call(f, b, a));
    pid_t pid[CHILDREN];
    int bad = 0;
    for (int i = 0; i < CHILDREN; i++) {
        if ((pid[i] = fork())) continue;
        if (i == 1) exit(tt_done());
        if (i == 2) exit(0);
        bool told = false;
        for (int k = 0; k < CALLS; k++) {
            const double is = tt_num(tt_call(f, b, a));
            told |= !tt_ok() && strstr(tt_error(), "forked by rank");
            bad += tt_ok() && is != other;
            tt_clear();
        }
        _exit(bad ? 1 : told ? 0 : 2);
    }
    for (int k = 0; k < CALLS; k++) bad += tt_num(tt_call(f, a, b)) != want;
    CHECK(!bad, "%d of %d sums are wrong beside a forked process", bad, CALLS);
    for (int i = 0; i < CHILDREN; i++) {
        int status = -1;
        CHECK(waitpid(pid[i], &status, 0) == pid[i] && status == 0, "child %d: status %x", i, status);
    }
    const tt_val all = tt_process_allgather(tt_i(me));
    CHECK(tt_num(tt_sum(all)) == n * (n - 1) / 2, "the job goes on: %s", tt_error());
}

static int inside(const char *part)
{
    const bool link = !strcmp(part, "--link"), stop = !strcmp(part, "--stop"), forked = !strcmp(part, "--fork");
    tt_on_error(silent, NULL);
    if (link) tt_config("link:30ms, 1GB/s");
    tt_join(.devices = 2, .patience = JOB_PATIENCE);
    places(2);
    if (stop) stopped();
    if (link) over_a_link();
    if (forked) forks();
    if (link || stop || forked) {
        job_report(check_passed, check_failed);
        return tt_done() + check_failed;
    }
    local_meshes();
    together();
    refusals();
    job_report(check_passed, check_failed);
    const int code = tt_done();
    return code ? code : check_failed != 0;
}

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "--inside --link --stop --fork")) return check_done();
    if (argc > 1 && !strcmp(argv[1], "--inside")) return inside(argc > 2 ? argv[2] : "");
    n = 1;
    CHECK(tt_process_count() == 1 && tt_process_index() == 0 && tt_join(), "without a job: %s", tt_error());
    setenv("SLURM_NTASKS", "4", 1), setenv("SLURM_PROCID", "0", 1);
    CHECK(!tt_join() && strstr(tt_error(), "--mpi=pmix") && strstr(tt_error(), "process.c:"), "srun without MPI: %s",
          tt_error());
    tt_clear();
    CHECK(!tt_config("no-amx, ranks") && refuses("srun has started 4"), "ranks that do not join");
    CHECK(!tt_config_value("no-amx") && !tt_config_value("ranks"), "words beside it were taken");
    unsetenv("SLURM_NTASKS"), unsetenv("SLURM_PROCID");
    CHECK(tt_join(.devices = 2) && tt_device_count() == 2, "devices without a job: %s", tt_error());
    CHECK(!tt_mesh("i:4").p && refuses("a mesh of 4 devices"), "more than were given");
    CHECK(!tt_join(.devices = 3) && refuses("each process has 2"), "another number of devices");
    for (int mpi = 0; mpi < 2; mpi++) {
        if (job_possible(mpi)) {
            const job_result r = job_run(mpi, 2, "--link"), s = job_run(mpi, 3, "--stop");
            job_good(", a link", &r, mpi, 2);
            CHECK(s.reports == 3 && !s.failed, "%s, Ctrl-C: status %d, %d reports, %d failed", job_mpi[mpi], s.status,
                  s.reports, s.failed);
            const job_result t = job_run(mpi, 2, "--fork");
            job_good(", forks", &t, mpi, 2);
        }
        for (int ranks = 2; ranks <= 4 && job_possible(mpi); ranks *= 2) {
            const job_result r = job_run(mpi, ranks, "");
            job_good("", &r, mpi, ranks);
        }
    }
    return check_done();
}
