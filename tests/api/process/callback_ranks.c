/* callback_ranks.c - functions of C in a job: effects on values that all ranks have happen on rank 0, which sends the
 * results or the error; pure functions on each; where ranks see different values, on each for its own devices. The test
 * starts itself under mpirun of each MPI library. */
#include "job.h"

#include <tutti.h>

enum { EACH = 2 };                                       /* devices of a rank */
static int me, calls;

static void silent(const tt_error_info *e, void *env) { (void)e, (void)env; }

static const char *looks(void *env, int nin, const tt_box *in, int nout, const tt_box *out)
{
    (void)nin, (void)nout, (void)out;
    calls++;
    *(double *)env += *(const float *)in[0].data;
    return NULL;
}

static const char *numbers(void *env, int nin, const tt_box *in, int nout, const tt_box *out)
{
    (void)env, (void)nin, (void)nout;
    calls++;
    *(float *)out[0].data = *(const float *)in[0].data + 100 * (float)calls;
    return calls == 3 ? "the third fails" : NULL;
}

static double sum;
static tt_val seen(tt_val x) { tt_debug_callback(looks, &sum, tt_sum(x)); return x; }
static tt_val own(tt_val x) { tt_debug_callback(looks, &sum, x); return x; }
static tt_val shown(tt_val x) { tt_debug(tt_sum(x), "sum {}"); return x; }
static tt_val shown_own(tt_val x) { tt_debug(x, "own {}"); return x; }
static tt_val effect(tt_val x) { return tt_io_callback(numbers, NULL, tt_shape(TT_F32), tt_sum(x)); }
static tt_val pure(tt_val x) { return tt_pure_callback(numbers, NULL, tt_shape(TT_F32), tt_sum(x)); }

/* What the calls print here. */
static char printed[4096];
static void prints(const char *want, tt_fn f, tt_val x)
{
    char path[] = "/tmp/tutti-callback-XXXXXX";
    fflush(stdout);
    const int was = dup(1), to = mkstemp(path);
    dup2(to, 1);
    tt_call(f, x);
    fflush(stdout);
    dup2(was, 1);
    const ssize_t n = pread(to, printed, sizeof printed - 1, 0);
    printed[n > 0 ? n : 0] = '\0';
    close(was), close(to), remove(path);
    CHECK(tt_ok() && !strcmp(printed, want), "rank %d printed \"%s\", not \"%s\" %s", me, printed, want, tt_error());
}

static int inside(void)
{
    char want[120];
    tt_on_error(silent, NULL);
    if (!tt_join(.devices = EACH, .patience = JOB_PATIENCE)) return 1;
    me = tt_process_index();
    const int ranks = tt_process_count();
    snprintf(want, sizeof want, "i:%d", EACH * ranks);
    const tt_mesh all = tt_mesh(want);
    const tt_val x = tt_shard(tt_arange(TT_F32, EACH * ranks), all, "i");
    const double total = EACH * ranks * (EACH * ranks - 1) / 2., mine = EACH * (2. * EACH * me + EACH - 1) / 2;
    tt_call(tt_jit(seen), x);
    CHECK(tt_ok() && calls == !me && sum == (me ? 0 : total), "%d calls, %g %s", calls, sum, tt_error());
    calls = 0, sum = 0;
    tt_call(tt_shard_map(own, .mesh = all, .in = "i", .out = "i"), x);
    CHECK(tt_ok() && calls == EACH && sum == mine, "%d calls, %g %s", calls, sum, tt_error());
    snprintf(want, sizeof want, "sum %.1f\n", total);
    prints(me ? "" : want, tt_jit(shown), x);
    snprintf(want, sizeof want, "[%d] own [%d.]\n[%d] own [%d.]\n", me, EACH * me, me, EACH * me + 1);
    prints(want, tt_shard_map(shown_own, .mesh = all, .in = "i", .out = "i"), x);
    calls = 0;
    const tt_fn f = tt_jit(effect);
    for (int i = 1; i <= 2; i++) {
        const double got = tt_num(tt_call(f, x));
        CHECK(got == total + 100 * i && calls == (me ? 0 : i), "%g after %d calls %s", got, calls, tt_error());
    }
    tt_call(f, x);
    CHECK(!tt_ok() && strstr(tt_error(), "the third fails"), "%s", tt_error());
    tt_clear();
    calls = 0;
    CHECK(tt_num(tt_call(tt_jit(pure), x)) == total + 100 && calls == 1, "%d calls %s", calls, tt_error());
    job_report(check_passed, check_failed);
    const int code = tt_done();
    return code ? code : check_failed != 0;
}

static void run_of(int mpi, int ranks)
{
    if (!job_possible(mpi)) return;
    const job_result j = job_run(mpi, ranks, "");
    job_good("", &j, mpi, ranks);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--inside")) return inside();
    if (!check_main_one(argc, argv, __FILE__)) return check_done();
    run_of(0, 2);
    run_of(1, 2);
    return check_done();
}
