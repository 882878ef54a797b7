/* ranks.c - metrics of a job: process 0 writes, or each process its own; values that are on a mesh of all processes;
 * calls that differ between processes. The test starts itself under mpirun of each MPI library. */
#include "job.h"

#include <tutti.h>
#include <unistd.h>

static char dir[64] = "/tmp/tutti-metrics-ranks-XXXXXX";

static const char *at(const char *name)
{
    static char path[2][200];
    static int turn;
    snprintf(path[turn ^= 1], sizeof path[0], "%s/%s", dir, name);
    return path[turn];
}

static int lines(const char *path)
{
    FILE *f = fopen(path, "r");
    int n = 0, c;
    while (f && (c = getc(f)) != EOF) n += c == '\n';
    if (f) fclose(f);
    return f ? n : -1;
}

static void silent(const tt_error_info *e, void *env) { (void)e, (void)env; }

/* True if this process has an error with that part. */
static bool says(const char *part)
{
    const bool good = !tt_ok() && strstr(tt_error(), part);
    if (!good) printf("expected \"%s\", found: %s\n", part, tt_error());
    tt_clear();
    return good;
}

/* What differs between processes is an error of all, and nothing is written. */
static void differ(void)
{
    const tt_scope scope = tt_scope_open();
    const int me = tt_process_index();
    const tt_val x = tt_shard(tt_arange(TT_F32, 8), tt_mesh("data:4"), "_"), f = tt_f(1);
    tt_on_error(silent, NULL);
    tt_metric_writer w = tt_metric_writer_open(at("apart"));
    CHECK(!tt_write_scalars(w, me, tt_dict("a", f)) && says("\"step 1 of a\""), "another step");
    CHECK(!tt_write_scalars(w, 0, tt_dict(me ? "b" : "a", f)) && says("\"step 0 of b\""), "another name");
    CHECK(!tt_write_scalars(w, 0, tt_dict("a", me ? x : f)) && says("expected a real scalar"), "another shape");
    CHECK(!tt_write_histograms(w, me, tt_dict("x", x)) && says("\"step 1 of x\""), "another step");
    CHECK(!tt_write_images(w, me, tt_dict("x", tt_ones(TT_F32, 2, 2))) && says("\"step 1 of x\""), "of images");
    CHECK(!tt_write_text(w, me, "a", "b") && says("\"step 1\""), "another step of a text");
    CHECK(!tt_write_text(w, 0, "a", me ? "b" : NULL) && says("there is no text"), "an error of process 0");
    CHECK(tt_write_histograms(w, 7, tt_dict("x", x)) && tt_metric_writer_flush(w), "%s", tt_error());
    tt_metric_writer_open(me ? at("apart2") : "/dev/null/metrics");
    CHECK(says("/dev/null"), "a path that process 0 cannot open");
    tt_metric_writer_open(at("apart3"), .all_processes = me);
    CHECK(says("\".all_processes = 1\""), "other processes write");
    tt_metric_writer_open(at("apart4"), .formats = me ? "jsonl" : "csv");
    CHECK(says("\".all_processes = 0, jsonl\""), "other formats");
    tt_metric_writer_open(at("apart5"), .formats = "csv", .columns = me ? "a, b" : "a");
    CHECK(says("csv of columns a, b"), "other columns");
    tt_on_error(NULL, NULL);
    tt_scope_close(scope);
}

static int inside(char **argv)
{
    snprintf(dir, sizeof dir, "%s", argv[0]);
    if (!tt_join(.devices = 2, .patience = JOB_PATIENCE)) return 1;
    const tt_scope scope = tt_scope_open();
    const tt_val x = tt_shard(tt_arange(TT_F32, 8), tt_mesh("data:4"), "data"), sum = tt_sum(x);
    tt_metric_writer one = tt_metric_writer_open(at("one")), all = tt_metric_writer_open(at("all.jsonl"),
                                                                                       .all_processes = 1);
    for (int i = 0; i < 3; i++) {
        CHECK(tt_write_scalars(one, i, tt_dict("sum", sum)), "%s", tt_error());
        CHECK(tt_write_scalars(all, i, tt_dict("me", tt_i(tt_process_index()))), "%s", tt_error());
    }
    CHECK(tt_write_histograms(one, 3, tt_dict("x", tt_mul(tt_process_allgather(x, .tiled = 1), tt_f(2)))), "%s",
          tt_error());
    tt_scope_close(scope);
    differ();
    job_report(check_passed, check_failed);
    const int code = tt_done();
    return code ? code : check_failed != 0;
}

int main(int argc, char **argv)
{
    char command[200];
    if (argc > 2 && !strcmp(argv[1], "--inside")) return inside(argv + 2);
    if (!check_main_one(argc, argv, __FILE__)) return check_done();
    for (int mpi = 0; mpi < 2; mpi++) {
        if (!job_possible(mpi) || !check_folder(strcpy(dir, "/tmp/tutti-metrics-ranks-XXXXXX"))) continue;
        const job_result j = job_run(mpi, 2, dir);
        job_good("", &j, mpi, 2);
        CHECK(lines(at("one/metrics.jsonl")) == 4, "one: %d lines", lines(at("one/metrics.jsonl")));
        CHECK(lines(at("all.rank0.jsonl")) == 3 && lines(at("all.rank1.jsonl")) == 3, "each process has its own file");
        CHECK(lines(at("all.jsonl")) < 0, "and no other");
        CHECK(lines(at("apart/metrics.jsonl")) == 1, "apart: %d lines", lines(at("apart/metrics.jsonl")));
        snprintf(command, sizeof command, "rm -rf %s", dir);
        CHECK(!system(command), "%s stays", dir);
    }
    return check_done();
}
