/* files.c - metrics in JSON lines, CSV and event files: their text, restarts behind a line that was cut, steps that
 * are dropped, columns, full disks, what is refused. --for-tensorboard FOLDER: writes what tests/metrics.py reads again
 * with the real TensorBoard.
 *
 * Longer than 400 lines: a list of cases over one folder of files. */
#include "check.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <tutti.h>
#include <unistd.h>

static char dir[64] = "/tmp/tutti-metrics-XXXXXX";
static bool disk_fails;                                  /* the library calls this fsync instead of libc's */
int fsync(int fd) { return disk_fails ? (errno = EIO, -1) : (int)syscall(SYS_fsync, fd); }

static void quiet(const tt_error_info *e, void *env) { (void)e, (void)env; }
static void refused(const char *text)
{
    CHECK(!tt_ok() && strstr(tt_error(), text), "expected \"%s\", found: %s", text, tt_ok() ? "accepted" : tt_error());
    tt_clear();
}

static const char *at(const char *name)
{
    static char path[4][200];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[0], "%s/%s", dir, name);
    return path[turn];
}

static char *text_of(const char *path)                   /* the caller does not free it */
{
    static char text[1 << 16];
    FILE *f = fopen(path, "rb");
    const size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    text[n] = 0;
    if (f) fclose(f);
    return text;
}

static void put(const char *path, const char *mode, const char *text)
{
    FILE *f = fopen(path, mode);
    if (f) fputs(text, f), fclose(f);
}

/* The text with each wall time as T. */
static const char *without_time(char *text)
{
    for (char *p = text; (p = strstr(p, "\"wall_time\": ")); ) {
        p += strlen("\"wall_time\": ");
        const size_t n = strspn(p, "0123456789.");
        *p = 'T';
        memmove(p + 1, p + n, strlen(p + n) + 1);
    }
    return text;
}

/* Of CSV: the second field. */
static const char *without_second(char *text)
{
    for (char *line = strchr(text, '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
        char *p = strchr(line, ',') + 1;
        const size_t n = strcspn(p, ",\n");
        *p = 'T';
        memmove(p + 1, p + n, strlen(p + n) + 1);
    }
    return text;
}

static void is(const char *got, const char *want) { CHECK(!strcmp(got, want), "got\n%s\nexpected\n%s", got, want); }

static int entries(const char *path, const char *begins)
{
    DIR *d = opendir(path);
    int n = 0;
    for (struct dirent *e; d && (e = readdir(d));) n += !strncmp(e->d_name, begins, strlen(begins));
    if (d) closedir(d);
    return n;
}

static void json_lines(void)
{
    const tt_scope scope = tt_scope_open();
    const int64_t large = 9007199254740993;
    const uint64_t most = UINT64_MAX;
    tt_metric_writer w = tt_metric_writer_open(at("new/deep/x.jsonl"));
    CHECK(tt_write_scalars(w, 0, tt_dict("loss", tt_f(0.1), "train", tt_dict("accuracy", tt_i(2147483647)))), "%s",
          tt_error());
    CHECK(tt_write_scalars(w, 7, tt_dict("f64", tt_full(0.1, TT_F64), "bf16", tt_full(0.5, TT_BF16), "yes", tt_b(1))),
          "%s", tt_error());
    CHECK(tt_write_scalars(w, 8, tt_dict("a", tt_f(NAN), "b", tt_f(-INFINITY), "c", tt_f(INFINITY))), "%s", tt_error());
    CHECK(tt_write_scalars(w, 9, tt_dict("i", tt_array(TT_I64, &large), "u", tt_array(TT_U64, &most),
                                         "t", tt_tuple(tt_i(1), tt_i(-2)))), "%s", tt_error());
    CHECK(tt_write_text(w, 9, "note", "a \"b\"\n\\c"), "%s", tt_error());
    const float x[] = { 0, 1, 2, 4, NAN };
    CHECK(tt_write_histograms(w, 10, tt_dict("h", tt_array(TT_F32, x, 5)), .bins = 2), "%s", tt_error());
    CHECK(tt_metric_writer_flush(w), "%s", tt_error());
    tt_scope_close(scope);
    is(without_time(text_of(at("new/deep/x.jsonl"))),
       "{\"step\": 0, \"wall_time\": T, \"loss\": 0.1, \"train/accuracy\": 2147483647}\n"
       "{\"step\": 7, \"wall_time\": T, \"bf16\": 0.5, \"f64\": 0.1, \"yes\": 1}\n"
       "{\"step\": 8, \"wall_time\": T, \"a\": \"NaN\", \"b\": \"-Infinity\", \"c\": \"Infinity\"}\n"
       "{\"step\": 9, \"wall_time\": T, \"i\": 9007199254740993, \"t/0\": 1, \"t/1\": -2, "
       "\"u\": 18446744073709551615}\n"
       "{\"step\": 9, \"wall_time\": T, \"note\": \"a \\\"b\\\"\\n\\\\c\"}\n"
       "{\"step\": 10, \"wall_time\": T, \"h\": {\"counts\": [2, 2], \"edges\": [0, 2, 4], \"not_finite\": 1}}\n");
}

static void one_run(const char *path, int64_t from, int64_t to, const tt_metric_writer_opts *o)
{
    const tt_scope scope = tt_scope_open();
    tt_metric_writer w = tt_metric_writer_open_at(NULL, path, o);
    for (int64_t i = from; i < to; i++) tt_write_scalars(w, i, tt_dict("loss", tt_i(i * i), "n", tt_i(i)));
    CHECK(tt_ok(), "%s", tt_error());
    tt_scope_close(scope);
}

static void restarts(void)
{
    const tt_metric_writer_opts none = { .size = sizeof none };
    const tt_metric_writer_opts purge = { .size = sizeof purge, .purge_step = 1 }, all = { .size = sizeof all,
                                          .given = ".purge_step" };
    one_run(at("r.jsonl"), 0, 2, &none);
    put(at("r.jsonl"), "a", "{\"step\": 2, \"wall_ti");  /* killed in a write */
    one_run(at("r.jsonl"), 2, 3, &none);
    is(without_time(text_of(at("r.jsonl"))), "{\"step\": 0, \"wall_time\": T, \"loss\": 0, \"n\": 0}\n"
       "{\"step\": 1, \"wall_time\": T, \"loss\": 1, \"n\": 1}\n"
       "{\"step\": 2, \"wall_time\": T, \"loss\": 4, \"n\": 2}\n");
    one_run(at("r.jsonl"), 5, 6, &purge);
    is(without_time(text_of(at("r.jsonl"))), "{\"step\": 0, \"wall_time\": T, \"loss\": 0, \"n\": 0}\n"
       "{\"step\": 5, \"wall_time\": T, \"loss\": 25, \"n\": 5}\n");
    one_run(at("r.jsonl"), 3, 4, &all);
    is(without_time(text_of(at("r.jsonl"))), "{\"step\": 3, \"wall_time\": T, \"loss\": 9, \"n\": 3}\n");
    one_run(at("r.csv"), 0, 2, &none);
    put(at("r.csv"), "a", "2,17");
    one_run(at("r.csv"), 2, 3, &none);
    is(without_second(text_of(at("r.csv"))), "step,wall_time,loss,n\n0,T,0,0\n1,T,1,1\n2,T,4,2\n");
    one_run(at("r.csv"), 1, 2, &purge);
    is(without_second(text_of(at("r.csv"))), "step,wall_time,loss,n\n0,T,0,0\n1,T,1,1\n");
    put(at("torn.csv"), "w", "step,wall_ti");            /* killed in the first line */
    one_run(at("torn.csv"), 0, 1, &none);
    is(without_second(text_of(at("torn.csv"))), "step,wall_time,loss,n\n0,T,0,0\n");
    CHECK(!entries(dir, "r.csv.tmp") && !entries(dir, "r.jsonl.tmp"), "what was written beside is gone");
    put(at("odd.jsonl"), "w", "{\"step\": 0, \"a\": 1}\n{\"step\": x}\n");
    tt_metric_writer_open(at("odd.jsonl"), .purge_step = 4);
    refused("odd.jsonl:2: the line has no step");
}

static void columns(void)
{
    const tt_scope scope = tt_scope_open();
    tt_metric_writer w = tt_metric_writer_open(at("c.csv"));
    tt_write_scalars(w, 0, tt_dict("loss", tt_f(0.5), "a, \"b\"", tt_f(NAN)));
    tt_write_scalars(w, 1, tt_dict("loss", tt_f(-INFINITY)));
    CHECK(tt_ok(), "%s", tt_error());
    tt_write_scalars(w, 2, tt_dict("loss", tt_f(1), "test/loss", tt_f(2)));
    refused("c.csv has no column \"test/loss\"");
    tt_write_histograms(w, 2, tt_dict("h", tt_ones(TT_F32, 3)));
    refused("none of the writer's formats takes such values");
    tt_scope_close(scope);
    is(without_second(text_of(at("c.csv"))), "step,wall_time,\"a, \"\"b\"\"\",loss\n0,T,nan,0.5\n1,T,,-inf\n");
    const tt_scope again = tt_scope_open();
    w = tt_metric_writer_open(at("c.csv"));
    CHECK(tt_write_scalars(w, 3, tt_dict("a, \"b\"", tt_f(1))), "%s", tt_error());
    tt_write_scalars(w, 4, tt_dict("new", tt_f(1)));
    refused("has no column \"new\"");
    tt_metric_writer_open(at("c.csv"));
    refused("another writer has the file open");
    tt_scope_close(again);
    tt_metric_writer_open(at("c.csv"), .columns = "loss");
    refused("c.csv begins with step,wall_time,");
    const tt_scope named = tt_scope_open();
    w = tt_metric_writer_open(at("d.csv"), .columns = "loss, test/loss");
    CHECK(tt_write_scalars(w, 0, tt_dict("loss", tt_f(3))), "%s", tt_error());
    tt_scope_close(named);
    is(without_second(text_of(at("d.csv"))), "step,wall_time,loss,test/loss\n0,T,3,\n");
    tt_metric_writer_open(at("e.csv"), .columns = "loss,, x");
    refused("a name is empty");
    tt_metric_writer_open(at("e.csv"), .columns = "x, x");
    refused("\"x\" is given twice");
    tt_metric_writer_open(at("e.csv"), .columns = "step");
    refused("\"step\" is there by itself");
    tt_metric_writer_open(at("folder"), .columns = "x");
    refused(".columns = \"x\" without the format csv");
}

static void columns_there(void)                          /* by the first line of a file that somebody else wrote */
{
    static const struct { const char *title, *why; } bad[] = {
        { "step,wall_time,\n", "does not name columns" }, { "step,wall_time,a,\n", "does not name columns" },
        { "step,wall_time,\"a\n", "does not name columns" }, { "step,wall_time,\"a\"b\n", "does not name columns" },
        { "step,wall_times,a\n", "does not name columns" }, { "step,wall_time,a,b,a\n", "has the column \"a\" twice" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put(at("there.csv"), "w", bad[i].title);
        tt_metric_writer_open(at("there.csv"));
        refused(bad[i].why);
        is(text_of(at("there.csv")), bad[i].title);
    }
    const tt_scope scope = tt_scope_open();
    put(at("none.csv"), "w", "step,wall_time\n");
    const tt_metric_writer none = tt_metric_writer_open(at("none.csv"));
    tt_write_scalars(none, 0, tt_dict("loss", tt_f(1)));
    refused("none.csv has no column \"loss\"");
    put(at("crlf.csv"), "w", "step,wall_time,loss\r\n1,2.0,3\r\n");
    const tt_metric_writer crlf = tt_metric_writer_open(at("crlf.csv"));
    CHECK(tt_write_scalars(crlf, 2, tt_dict("loss", tt_f(4))), "%s", tt_error());
    tt_scope_close(scope);
    is(text_of(at("none.csv")), "step,wall_time\n");
    CHECK(strstr(text_of(at("crlf.csv")), ",4\n"), "%s", text_of(at("crlf.csv")));
}

/* .purge_step takes records from all files, or after an error from none. */
static void purges(void)
{
    static const char lines[] = "{\"step\": 1, \"a\": 1}\n{\"step\": 9, \"a\": 1}\n";
    static const char rows[] = "step,wall_time,a\n1,T,1\n9,T,1\n";
    static const struct { const char *csv, *columns, *why; } bad[] = {
        { rows, "b", "begins with step,wall_time,a" }, { rows, "a, a", "given twice" },
        { "step,wall_time,a\n1,T,1\nx,T,1\n", NULL, "3: the line has no step" },
    };
    mkdir(at("purged"), 0777);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put(at("purged/metrics.jsonl"), "w", lines), put(at("purged/metrics.csv"), "w", bad[i].csv);
        tt_metric_writer_open(at("purged"), .formats = "jsonl, csv", .columns = bad[i].columns, .purge_step = 5);
        refused(bad[i].why);
        is(text_of(at("purged/metrics.jsonl")), lines);
        is(text_of(at("purged/metrics.csv")), bad[i].csv);
    }
    const int64_t steps[] = { 10, 9, 1, 0 };
    for (int i = 0; i < 4; i++) {
        put(at("purged/metrics.jsonl"), "w", lines), put(at("purged/metrics.csv"), "w", rows);
        const tt_scope scope = tt_scope_open();
        tt_metric_writer_open(at("purged"), .formats = "jsonl, csv", .purge_step = steps[i]);
        CHECK(tt_ok(), "%s", tt_error());
        tt_scope_close(scope);
        is(text_of(at("purged/metrics.jsonl")), i == 0 ? lines : i == 1 ? "{\"step\": 1, \"a\": 1}\n" : "");
        is(text_of(at("purged/metrics.csv")),
           i == 0 ? rows : i == 1 ? "step,wall_time,a\n1,T,1\n" : "step,wall_time,a\n");
    }
}

/* Bins that numpy.histogram refuses are an error, before anything is written; their neighbours are counted. */
static void bins(void)
{
    const tt_scope scope = tt_scope_open();
    const tt_metric_writer w = tt_metric_writer_open(at("bins.jsonl"));
    const double far[] = { -1.7e308, 1.7e308 }, near[] = { 0, 5e-324 }, wide[] = { -8e307, 8e307 };
    const tt_val good = tt_ones(TT_F32, 3);
    tt_write_histograms(w, 0, tt_dict("a", good, "b", tt_full(1e20, TT_F32, 4)));
    refused("\"b\": there are no 30 bins between 1e+20 and 1e+20");
    tt_write_histograms(w, 0, tt_dict("a", good, "b", tt_array(TT_F64, far, 2)));
    refused("\"b\": there are no 30 bins between -1.7e+308 and 1.7e+308");
    tt_write_histograms(w, 0, tt_dict("a", good, "b", tt_array(TT_F64, near, 2)), .bins = 2);
    refused("\"b\": there are no 2 bins between 0 and 4.94066e-324");
    is(text_of(at("bins.jsonl")), "");
    CHECK(tt_write_histograms(w, 0, tt_dict("b", tt_array(TT_F64, near, 2)), .bins = 1), "%s", tt_error());
    CHECK(strstr(text_of(at("bins.jsonl")), "\"counts\": [2]"), "%s", text_of(at("bins.jsonl")));
    CHECK(tt_write_histograms(w, 1, tt_dict("b", tt_array(TT_F64, wide, 2)), .bins = 2), "%s", tt_error());
    CHECK(strstr(text_of(at("bins.jsonl")), "\"counts\": [1, 1]"), "%s", text_of(at("bins.jsonl")));
    tt_scope_close(scope);
}

static double seconds_of(int n)                          /* of the processor, to write a line of n names */
{
    const tt_scope scope = tt_scope_open();
    typedef char word[16];
    word *const name = calloc((size_t)n, sizeof *name);
    const char **const p = calloc((size_t)n, sizeof *p);
    tt_val *const v = calloc((size_t)n, sizeof *v);
    char file[30];
    snprintf(file, sizeof file, "%d.csv", n);
    for (int i = 0; name && p && v && i < n; i++) snprintf(name[i], 16, "n%05d", i), p[i] = name[i], v[i] = tt_i(i);
    const tt_metric_writer w = tt_metric_writer_open(at(file));
    const clock_t began = clock();
    CHECK(tt_write_scalars(w, 0, tt_dict_n(NULL, n, p, v)), "%s", tt_error());
    const double took = (double)(clock() - began) / CLOCKS_PER_SEC;
    free(name), free(p), free(v);
    tt_scope_close(scope);
    return took;
}

static void names(void)                                  /* many: time is linear; none that JSON cannot have */
{
    const tt_scope scope = tt_scope_open();
    const double few = seconds_of(7500), many = seconds_of(60000);
    CHECK(many < 24 * few + 0.05, "7,500 names took %.2f s, eight times as many %.2f s", few, many);
    const tt_metric_writer lines = tt_metric_writer_open(at("bytes.jsonl"));
    tt_write_text(lines, 0, "a", "b\xff");
    refused("the text is no UTF-8");
    tt_write_text(lines, 0, "a\xc3", "b");
    refused("the name is no UTF-8");
    CHECK(tt_write_text(lines, 0, "a", "\xc3\xa9"), "%s", tt_error());
    tt_scope_close(scope);
}

static void folders(void)
{
    const tt_scope scope = tt_scope_open();
    tt_metric_writer w = tt_metric_writer_open(at("run/"), .formats = "csv, events, jsonl");
    CHECK(tt_write_scalars(w, 3, tt_dict("loss", tt_f(3))), "%s", tt_error());
    tt_scope_close(scope);
    CHECK(entries(at("run"), "metrics.csv") && entries(at("run"), "metrics.jsonl") &&
              entries(at("run"), "events.out.tfevents.") == 1, "the three files");
    const tt_scope both = tt_scope_open();
    tt_metric_writer_open(at("run"), .formats = "events"), tt_metric_writer_open(at("run"), .formats = "events");
    CHECK(tt_ok() && entries(at("run"), "events.out.tfevents.") == 3, "a file for each writer: %s", tt_error());
    tt_metric_writer_open(at("own"), .all_processes = 1);
    CHECK(tt_ok() && entries(at("own/rank0"), "metrics.jsonl") == 1, "%s", tt_error());
    tt_metric_writer_open(at("own.jsonl"), .all_processes = 1);
    CHECK(tt_ok() && entries(dir, "own.rank0.jsonl") == 1, "%s", tt_error());
    tt_scope_close(both);
    const pid_t child = fork();
    if (!child) {
        tt_config("dry");
        w = tt_metric_writer_open(at("dry/run"));
        _exit(!tt_write_scalars(w, 0, tt_dict("loss", tt_f(3))));
    }
    int status = 1;
    CHECK(waitpid(child, &status, 0) == child && !status && !entries(dir, "dry"), "a dry run writes nothing");
}

static void refusals(void)
{
    const tt_scope scope = tt_scope_open();
    tt_metric_writer w = tt_metric_writer_open(at("f.jsonl")), gone;
    const tt_scope inner = tt_scope_open();
    gone = tt_metric_writer_open(at("g.jsonl"));
    tt_scope_close(inner);
    tt_write_scalars(gone, 0, tt_dict("a", tt_f(1)));
    refused("write_scalars");
    tt_write_scalars((tt_metric_writer){ 0 }, 0, tt_dict("a", tt_f(1)));
    refused("the tt_metric_writer is empty");
    tt_write_scalars(w, -1, tt_dict("a", tt_f(1)));
    refused("step -1; expected 0 or more");
    tt_write_scalars(w, 0, tt_f(1));
    refused("f32[] has no name");
    tt_write_scalars(w, 0, tt_dict("x", tt_dict("a", tt_ones(TT_F32, 3))));
    refused("\"x/a\" is f32[3]; expected a real scalar");
    tt_write_scalars(w, 0, tt_dict("a", tt_complex(tt_f(1), tt_f(1))));
    refused("expected a real scalar");
    tt_write_scalars(w, 0, tt_dict("step", tt_f(1)));
    refused("\"step\" is the name of a field of every line");
    tt_write_scalars(w, 0, tt_dict("a/b", tt_f(1), "a", tt_dict("b", tt_f(2))));
    refused("\"a/b\" is given twice");
    tt_write_images(w, 0, tt_dict("a", tt_ones(TT_F32, 3, 3)));
    refused("none of the writer's formats takes such values");
    tt_write_histograms(w, 0, tt_dict("a", tt_zeros(TT_F32, 0)));
    refused("\"a\" is f32[0]");
    tt_write_text(w, 0, NULL, "x");
    refused("there is no name");
    tt_metric_writer_open(at("x.json"));
    refused("no format has this ending");
    tt_metric_writer_open("");
    refused("the path is empty");
    tt_metric_writer_open(at("x"), .formats = "jsonl, csvs");
    refused("no format \"csvs\"");
    tt_metric_writer_open(at("x"), .formats = "csv, csv");
    refused("\"csv\" is given twice");
    tt_metric_writer_open(at("x.csv"), .formats = "csv");
    refused("the path is the file");
    tt_metric_writer_open(at("x"), .purge_step = -1);
    refused(".purge_step = -1");
    put(at("mine.jsonl"), "w", "hello");
    tt_metric_writer_open(at("mine.jsonl"));
    refused("is not a file of metrics");
    is(text_of(at("mine.jsonl")), "hello");
    tt_metric_writer_open(at("mine.jsonl/x"));
    refused("mine.jsonl");
    tt_scope_close(scope);
    is(text_of(at("f.jsonl")), "");
}

/* A disk that is full in the middle of a line: an error, and the file ends with a complete line. */
static void full(void)
{
    const tt_scope scope = tt_scope_open();
    tt_metric_writer w = tt_metric_writer_open(at("full.jsonl"));
    struct rlimit was, small;
    getrlimit(RLIMIT_FSIZE, &was);
    small = was;
    small.rlim_cur = 200;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    int64_t i = 0;
    while (i < 100 && tt_write_scalars(w, i, tt_dict("loss", tt_f(0.25)))) i++;
    setrlimit(RLIMIT_FSIZE, &was);
    CHECK(i > 0 && i < 100, "%d lines", (int)i);
    refused("full.jsonl: cannot be written");
    const char *text = text_of(at("full.jsonl"));
    CHECK(*text && text[strlen(text) - 1] == '\n', "a torn line: %s", text);
    CHECK(tt_write_scalars(w, i, tt_dict("loss", tt_f(0.25))), "and it goes on: %s", tt_error());
    tt_scope_close(scope);
}

/* A disk that has failed once: what was lost then is on no disk after the next flush either, whatever fsync says. */
static void disk_failed(void)
{
    const tt_scope scope = tt_scope_open();
    const tt_metric_writer w = tt_metric_writer_open(at("lost.jsonl"));
    CHECK(tt_write_scalars(w, 0, tt_dict("loss", tt_f(1))) && tt_metric_writer_flush(w), "%s", tt_error());
    tt_write_scalars(w, 1, tt_dict("loss", tt_f(1)));
    disk_fails = true;
    CHECK(!tt_metric_writer_flush(w), "the disk fails");
    refused("lost.jsonl: is not written to the disk");
    disk_fails = false;
    for (int i = 0; i < 2; i++) {
        CHECK(!tt_metric_writer_flush(w), "flush %d after a failed one", i);
        refused("lost.jsonl: is not written to the disk: an earlier fsync failed");
    }
    tt_scope_close(scope);
    if (!tt_ok()) tt_clear();                            /* closing says it once more */
    const tt_scope again = tt_scope_open();
    const tt_metric_writer v = tt_metric_writer_open(at("lost.jsonl"));
    CHECK(tt_write_scalars(v, 2, tt_dict("loss", tt_f(1))) && tt_metric_writer_flush(v), "a new one: %s", tt_error());
    tt_scope_close(again);
}

/* What was written is there after SIGKILL, line by line. */
static void killed(void)
{
    const pid_t child = fork();
    if (!child) {
        tt_metric_writer w = tt_metric_writer_open(at("killed"), .formats = "jsonl, csv, events");
        for (int i = 0; i < 3; i++) tt_write_scalars(w, i, tt_dict("loss", tt_f(i)));
        kill(getpid(), SIGKILL);
    }
    int status;
    waitpid(child, &status, 0);
    is(without_second(text_of(at("killed/metrics.csv"))), "step,wall_time,loss\n0,T,0\n1,T,1\n2,T,2\n");
}

static void for_tensorboard(const char *folder)
{
    const int64_t step = 3;
    float x[1000], picture[2 * 3 * 3];
    uint8_t grey[2 * 4 * 5];
    for (int i = 0; i < 1000; i++) x[i] = (float)((i * 7919) % 1000) / 250 - 1;
    for (int i = 0; i < 18; i++) picture[i] = (float)i / 16;              /* the last ones above 1 */
    for (int i = 0; i < 40; i++) grey[i] = (uint8_t)(i * 6);
    tt_metric_writer w = tt_metric_writer_open(folder, .formats = "events, jsonl, csv");
    for (int i = 0; i < 5; i++)
        tt_write_scalars(w, i, tt_dict("loss", tt_f(1.0 / (i + 1)), "test", tt_dict("accuracy", tt_f(i / 8.0))));
    x[0] = NAN;
    tt_write_histograms(w, step, tt_dict("weights", tt_array(TT_F32, x, 1000)));
    tt_write_images(w, step, tt_dict("color", tt_array(TT_F32, picture, 2, 3, 3),
                                     "grey", tt_array(TT_U8, grey, 2, 4, 5, 1)));
    tt_write_text(w, step, "note", "**bold** \xc3\xbc");
    w = tt_metric_writer_open(folder, .formats = "events", .purge_step = 4);    /* step 4 is written again */
    tt_write_scalars(w, 4, tt_dict("loss", tt_f(-1)));
}

int main(int argc, char **argv)
{
    if (argc > 2 && !strcmp(argv[1], "--for-tensorboard")) return for_tensorboard(argv[2]), tt_done();
    check_main(argc, argv);
    if (!check_folder(dir)) return 1;
    tt_on_error(quiet, NULL);
    CHECK_RUN(json_lines());
    CHECK_RUN(restarts());
    CHECK_RUN(columns());
    CHECK_RUN(columns_there());
    CHECK_RUN(purges());
    CHECK_RUN(bins());
    CHECK_RUN(names());
    CHECK_RUN(folders());
    CHECK_RUN(refusals());
    CHECK_RUN(full());
    CHECK_RUN(disk_failed());
    CHECK_RUN(killed());
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", dir);
    CHECK(!system(command), "%s stays", dir);
    tt_done();
    return check_done();
}
