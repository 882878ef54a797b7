/* ranks.c - data sets of several processes: the rows that each assembles, against the same data set on no mesh; orders
 * and sizes that differ; MNIST that one process of the host fetches; files as global arrays; a loop that is resumed by
 * another number of processes. The test starts itself under mpirun of each MPI library. */
#include "data/data.h"
#include "job.h"

#include <tutti.h>
#include <unistd.h>

static char dir[64] = "/tmp/tutti-data-ranks-XXXXXX";
static int me, ranks = 1, each = 1;

static void silent(const tt_error_info *e, void *env) { (void)e, (void)env; }

static tt_mesh all(void)
{
    char text[80];
    snprintf(text, sizeof text, "data:%d, model:%d", each > 1 ? ranks * each / 2 : ranks, each > 1 ? 2 : 1);
    return tt_mesh(text);
}

static const char *path_of(const char *name)
{
    static char path[2][200];
    static int turn;
    snprintf(path[turn ^= 1], sizeof path[0], "%s/%s", dir, name);
    return path[turn];
}

static bool says(const char *part)
{
    const bool good = !tt_ok() && strstr(tt_error(), part);
    if (!good) printf("expected \"%s\", found: %s\n", part, tt_error());
    tt_clear();
    return good;
}

/* True if the parts that this process has of v are those of a value that it has whole. */
static bool same_parts(tt_val v, tt_val whole)
{
    const int64_t n = tt_process_parts(v, 0, 0, NULL);
    tt_part *const part = calloc((size_t)(n > 0 ? n : 1), sizeof *part);
    const size_t bytes = tt_bytes(whole);
    char *const a = malloc(bytes + 1), *const b = malloc(bytes + 1);
    bool same = tt_process_parts(v, 0, n, part) == n && tt_count(v) == tt_count(whole);
    for (int64_t i = 0; same && i < n; i++) {
        size_t size = tt_count(v) ? bytes / (size_t)tt_count(v) : 0;
        for (int d = 0; d < tt_rank(v); d++) size *= (size_t)part[i].n[d];
        if (!part[i].here) continue;
        same = tt_read_box(v, part[i].lo, part[i].n, (void *)a) &&
               tt_read_box(whole, part[i].lo, part[i].n, (void *)b) && !memcmp(a, b, size);
    }
    free(part), free(a), free(b);
    return same && tt_ok();
}

/* ---- batches ---- */

enum { ROWS = 46 };

static tt_val rows(void)
{
    float x[ROWS * 6];
    int32_t y[ROWS];
    for (int i = 0; i < ROWS * 6; i++) x[i] = (float)i;
    for (int i = 0; i < ROWS; i++) y[i] = i;
    return tt_dict("x", tt_array(TT_F32, x, ROWS, 2, 3), "y", tt_reshape(tt_array(TT_I32, y, ROWS), ROWS, 1));
}

static void batches_of(int64_t batch, int keep, int wrap, int ahead, const char *spec)
{
    const tt_scope scope = tt_scope_open();
    const tt_val key = tt_key(5);
    const tt_data far = tt_dataset(rows(), .batch = batch, .shuffle = key, .keep_last = keep, .wrap = wrap,
                                   .ahead = ahead, .mesh = all(), .spec = spec);
    const tt_data near = tt_dataset(rows(), .batch = batch, .shuffle = key, .keep_last = keep, .wrap = wrap);
    CHECK(far.p && near.p, "%s", tt_error());
    for (int epoch = 0; tt_ok() && epoch < 2; epoch++) {
        tt_loop one = tt_batches(near);
        int n = 0;
        for (tt_loop it = tt_batches(far); tt_next(&it) && tt_next(&one); n++) {
            const tt_val x = tt_get(it.batch, "x"), y = tt_get(it.batch, "y");
            CHECK(same_parts(x, tt_get(one.batch, "x")) && same_parts(y, tt_get(one.batch, "y")),
                  "batch %d of %d, \"%s\": %s", n, (int)batch, spec, tt_error());
            CHECK(tt_has_layout(x, all(), spec), "%s", tt_error());
        }
        CHECK(n == ROWS / batch + (keep || wrap), "%d batches of %d", n, (int)batch);
        while (tt_next(&one)) n++;
    }
    CHECK(far.p && far.p->rows[0].n <= batch && (strcmp(spec, "data") || far.p->rows[0].n < batch),
          "%d rows of %d are assembled", far.p ? (int)far.p->rows[0].n : 0, (int)batch);
    tt_clear();
    tt_scope_close(scope);
}

/* What differs between processes is an error of all. */
static void differ(void)
{
    const tt_scope scope = tt_scope_open();
    tt_dataset(rows(), .batch = me == 1 ? 8 : 4, .mesh = all());
    CHECK(says("a data set: rank"), "other batches in process 1");
    tt_dataset(tt_dict("x", tt_full(me == 1, TT_F32, 8, 2)), .batch = 4, .mesh = all());
    CHECK(says("8 rows of x ("), "other examples in process 1");
    tt_dataset(tt_dict("x", tt_zeros(me == 1 ? TT_I32 : TT_F32, 8, 2)), .batch = 4, .mesh = all());
    CHECK(says("8 rows of x ("), "examples of another type in process 1");
    const tt_val x = tt_zeros(TT_F32, 8, 2);
    tt_dataset(tt_dict("image", x, me == 1 ? "lable" : "label", x), .batch = 4, .mesh = all());
    CHECK(says("8 rows of image, label (") || says("8 rows of image, lable ("), "another name in process 1");
    tt_dataset(x, .batch = 4, .mesh = all(), .spec = me == 1 ? "_" : "data");
    CHECK(says("in batches of 4 as \"_\""), "another layout in process 1");
    const tt_data d = tt_dataset(rows(), .batch = 4, .mesh = all(), .shuffle = tt_key(me == 1));
    int n = 0;
    for (tt_loop it = tt_batches(d); tt_next(&it);) n++;
    CHECK(!n && says("tt_batches: rank"), "another order in process 1");
    tt_scope_close(scope);
}

/* ---- files ---- */

static void meet(const char *what)
{
    static const tt_agreement none;
    CHECK(tt_process_agree(what, &none), "%s", tt_error());
}

static void files(void)
{
    const tt_val all_rows = rows(), x = tt_get(all_rows, "x");
    if (!me) {
        FILE *f = fopen(path_of("x.csv"), "w");
        for (int i = 0; f && i < ROWS; i++) fprintf(f, "%d,%d\n", i, 1000 - i);
        CHECK(f && !fclose(f) && tt_write_npy(path_of("x.npy"), x), "NPY: %s", tt_error());
        CHECK(tt_write_npz(path_of("x.npz"), all_rows), "NPZ: %s", tt_error());
    }
    meet("written");
    const tt_val npy = tt_read_npy(path_of("x.npy")), csv = tt_read_csv(path_of("x.csv"), .dtype = TT_I32),
                 npz = tt_get(tt_read_npz(path_of("x.npz")), "y");
    CHECK(same_parts(tt_shard(npy, all(), "data"), x), "NPY: %s", tt_error());
    CHECK(same_parts(tt_shard(npz, all(), "data+model"), tt_get(all_rows, "y")), "NPZ: %s", tt_error());
    CHECK(same_parts(tt_shard(csv, all(), "data, model"), csv), "CSV: %s", tt_error());
    meet("read");
}

/* ---- MNIST ---- */

/* The cache is empty, and curl writes a line when it is called. */
static void fetched(const char *from)
{
    char url[4200], search[4400], text[80] = "";
    int calls = 0;
    const tt_scope scope = tt_scope_open();
    snprintf(url, sizeof url, "file://%s/mnist", from);
    snprintf(search, sizeof search, "%s/bin:%s", dir, getenv("PATH"));
    unsetenv("TUTTI_DATA"), setenv("TUTTI_DATA_URL", url, 1), setenv("PATH", search, 1);
    setenv("XDG_CACHE_HOME", path_of("cache"), 1);
    const tt_data d = tt_mnist("mnist", .part = "test", .batch = 64, .mesh = all());
    CHECK(d.p && tt_data_count(d) == 10000, "%s", tt_error());
    const tt_data near = tt_mnist("mnist", .part = "test", .batch = 64);
    tt_loop far = tt_batches(d), one = tt_batches(near);
    CHECK(tt_next(&far) && tt_next(&one) && same_parts(tt_get(far.batch, "image"), tt_get(one.batch, "image")) &&
              same_parts(tt_get(far.batch, "label"), tt_get(one.batch, "label")), "MNIST: %s", tt_error());
    while (tt_next(&far)) break;
    FILE *f = fopen(path_of("calls"), "r");
    while (f && fgets(text, sizeof text, f)) calls++;
    if (f) fclose(f);
    CHECK(calls == 2, "%d downloads of two files", calls);
    tt_clear();
    tt_scope_close(scope);
    setenv("TUTTI_DATA", from, 1), unsetenv("TUTTI_DATA_URL");
}

static bool written(const char *folder, const char *name, const uint8_t *head, size_t nhead, const uint8_t *at,
                    size_t n)
{
    char path[300];
    snprintf(path, sizeof path, "%s/digits/%s", folder, name);
    FILE *f = fopen(path, "w");
    const bool good = f && fwrite(head, 1, nhead, f) == nhead && fwrite(at, 1, n, f) == n;
    return f && !fclose(f) && good;
}

/* Each process has files of its own: of equal labels, and another pixel in process 1. */
static void other_images(const char *data)
{
    enum { COUNT = 8, IMAGE = 28 * 28 };
    static const uint8_t of_images[] = { 0, 0, 8, 3, 0, 0, 0, COUNT, 0, 0, 0, 28, 0, 0, 0, 28 },
                         of_labels[] = { 0, 0, 8, 1, 0, 0, 0, COUNT };
    static uint8_t image[COUNT * IMAGE], label[COUNT];
    char own[100], command[200];
    snprintf(own, sizeof own, "%s/of-%d-%d", dir, ranks, me);
    snprintf(command, sizeof command, "mkdir -p %s/digits", own);
    image[COUNT * IMAGE - 1] = me == 1;
    CHECK(!system(command) && written(own, "t10k-images-idx3-ubyte.gz", of_images, 16, image, sizeof image) &&
              written(own, "t10k-labels-idx1-ubyte.gz", of_labels, 8, label, sizeof label), "%s", own);
    setenv("TUTTI_DATA", own, 1);
    tt_mnist("digits", .part = "test", .batch = 4, .mesh = all());
    CHECK(says("8 examples ("), "other images in process 1");
    if (data) setenv("TUTTI_DATA", data, 1);
    else unsetenv("TUTTI_DATA");
}

/* ---- resumed ---- */

/* Sums labels over two epochs; saves where it is after each batch. Ends after `most` batches. */
static void trained(int most)
{
    const tt_scope scope = tt_scope_open();
    const tt_manager m = tt_manager_open(path_of("run"), .keep = 2, .background = 1);
    const int64_t from = tt_manager_newest(m);
    const tt_data d = tt_dataset(rows(), .batch = 7, .shuffle = tt_key(9), .keep_last = 1, .mesh = all());
    int64_t step = 0, want = 0, sum = 0;
    if (from >= 0) sum = (int64_t)tt_num(tt_get(tt_manager_load(m, from, .mesh = all()), "sum"));
    for (int epoch = 0; tt_ok() && epoch < 2; epoch++)
        for (tt_loop it = tt_batches(d); tt_next(&it); step++) {
            int32_t part[ROWS] = { 0 };
            const tt_val own = tt_shard(tt_get(it.batch, "y"), all(), "_");
            CHECK(tt_read(own, (void *)part, tt_bytes(own)), "%s", tt_error());
            for (int i = 0; i < tt_dim(own, 0); i++) want += part[i];
            if (step <= from || step >= most) continue;
            for (int i = 0; i < tt_dim(own, 0); i++) sum += part[i];
            const tt_val state = tt_dict("sum", tt_i(sum), "epoch", tt_i(epoch), "batch", tt_i(it.i), "y",
                                         tt_get(it.batch, "y"));
            CHECK(tt_manager_save(m, step, state), "%s", tt_error());
        }
    CHECK(tt_manager_wait(m) && step == 14 && want == ROWS * (ROWS - 1) && (most < 14 || sum == want),
          "%d steps, a sum of %d: %s", (int)step, (int)sum, tt_error());
    tt_scope_close(scope);
}

/* ---- the ranks ---- */

static int inside(char **argv)                           /* DEVICES DIR WHAT */
{
    const char *const data = getenv("TUTTI_DATA");
    each = atoi(argv[0]);
    tt_on_error(silent, NULL);
    if (!tt_join(.devices = each, .patience = JOB_PATIENCE)) return 1;
    me = tt_process_index(), ranks = tt_process_count();
    snprintf(dir, sizeof dir, "%s", argv[1]);
    CHECK_RUN(batches_of(8, 0, 0, 0, "data"));
    CHECK_RUN(batches_of(8, 1, 0, 3, "data"));
    CHECK_RUN(batches_of(7, 0, 1, 2, "data+model"));
    CHECK_RUN(batches_of(16, 1, 0, 0, "model, _"));
    CHECK_RUN(batches_of(9, 1, 0, 1, "_, data"));
    CHECK_RUN(batches_of(5, 0, 1, 1, "model, data"));
    CHECK_RUN(differ());
    CHECK_RUN(files());
    CHECK_RUN(other_images(data));
    if (argv[2][0] == 'm' && data) CHECK_RUN(fetched(data));
    CHECK_RUN(trained(argv[2][0] == 'm' ? 5 : 14));
    job_report(check_passed, check_failed);
    const int code = tt_done();
    return code ? code : check_failed != 0;
}

static void run_of(int mpi, int r, int devices, const char *what)
{
    char args[200], of[40];
    if (!job_possible(mpi)) return;
    snprintf(args, sizeof args, "%d %s %s", devices, dir, what);
    snprintf(of, sizeof of, " of %d devices", devices);
    const job_result j = job_run(mpi, r, args);
    job_good(of, &j, mpi, r);
}

int main(int argc, char **argv)
{
    char command[400];
    if (argc > 4 && !strcmp(argv[1], "--inside")) return inside(argv + 2);
    if (!check_main_one(argc, argv, __FILE__)) return check_done();
    if (!check_folder(dir)) return 1;
    snprintf(command, sizeof command, "mkdir %s/bin && printf '#!/bin/sh\\necho x >> %s/calls\\nexec %%s \"$@\"\\n' "
             "\"$(command -v curl)\" > %s/bin/curl && chmod +x %s/bin/curl", dir, dir, dir, dir);
    CHECK(!system(command), "%s", command);
    if (!getenv("TUTTI_DATA")) CHECK_SKIP("TUTTI_DATA is not set: no MNIST to fetch");
    run_of(1, 2, 1, "mnist");                            /* begins the run that the others resume */
    run_of(0, 2, 2, "resume");
    run_of(1, 4, 2, "resume");
    run_of(0, 4, 1, "resume");
    snprintf(command, sizeof command, "rm -rf %s", dir);
    CHECK(!system(command), "%s", command);
    return check_done();
}
