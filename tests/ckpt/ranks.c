/* ranks.c - checkpoints of several processes: saved by ranks x devices, read by others and by one process, under other
 * layouts; the same bytes as from one process; a manager; what one process alone gets wrong; ranks that are killed
 * while they save. Folders that Orbax wrote in several processes: tests/ranks.sh.
 *
 * usage: ckpt_ranks [--kills N] [--seed N] [--runs N]. The test starts itself under mpirun of each MPI library; of the
 * pairs of library and ranks x devices it runs the first N.
 *
 * Longer than 400 lines: the program is both the ranks and the one process that starts them and compares. */
#include "job.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <tutti.h>
#include <unistd.h>

static char dir[64] = "/tmp/tutti-ckpt-ranks-XXXXXX";
static int me, ranks = 1, devices;                       /* of the job; of all ranks */

static void silent(const tt_error_info *e, void *env) { (void)e, (void)env; }

static tt_mesh mesh_of_all(const char *form)
{
    char text[80];
    snprintf(text, sizeof text, form, devices / ranks > 1 ? devices / 2 : devices, devices / ranks > 1 ? 2 : 1);
    return tt_mesh(text);
}
static tt_mesh line(void) { return mesh_of_all("data:%d, model:%d"); }

/* The devices in reversed order; the first two devices alone. */
static tt_mesh turned(void)
{
    int64_t order[64];
    char text[20];
    for (int i = 0; i < devices; i++) order[i] = devices - 1 - i;
    snprintf(text, sizeof text, "back:%d", devices);
    return tt_mesh(text, .order = order);
}
static tt_mesh few(void) { return tt_mesh("few:2"); }

/* ---- a tree whose elements are known ---- */

enum { LEAVES = 12, OWN = 9, TURNED, FEW };
static const struct { const char *name, *spec, *other; tt_dtype dtype; int rank; int64_t dim[3]; } leaves[LEAVES] = {
    { "even", "data, _", "_, data", TT_F32, 2, { 48, 16 } },
    { "columns", "_, data+model", "data, _", TT_F32, 2, { 256, 264 } },
    { "uneven", "data+model, _", "_, model+data", TT_F32, 2, { 1001, 70 } },
    { "small", "data, model", "_", TT_I32, 2, { 37, 5 } },
    { "whole", "_", "model", TT_F32, 1, { 30 } },
    { "bf16", "model", "data+model", TT_BF16, 1, { 40 } },
    { "cube", "model, _, data", "data", TT_I32, 3, { 16, 3, 560 } },
    { "none", "data, _", "_, data", TT_F32, 2, { 0, 4 } },
    { "scalar", "", "", TT_I32, 0, { 0 } },
    { "own", NULL, NULL, TT_F32, 1, { 3 } },             /* on no mesh: every process has another one */
    { "turned", "back", "data", TT_F32, 2, { 130, 131 } },
    { "few", "_, few", "data", TT_F32, 2, { 3, 7000 } },
};

static int64_t count_of(int rank, const int64_t *n)
{
    int64_t all = 1;
    for (int d = 0; d < rank; d++) all *= n[d];
    return all;
}

static void put(int leaf, int64_t i, int plus, char *to)
{
    const float x = (float)((i * 7 + leaf) % 200 + plus);
    const int32_t whole = (int32_t)x;
    uint32_t bits;
    memcpy(&bits, &x, 4);
    const uint16_t half = (uint16_t)(bits >> 16);
    if (leaves[leaf].dtype == TT_BF16) memcpy(to, &half, 2);
    else memcpy(to, leaves[leaf].dtype == TT_I32 ? (const void *)&whole : &x, 4);
}

static tt_val leaf_of(int k, int plus)
{
    int64_t dim[4] = { 0 };
    const int64_t n = count_of(leaves[k].rank, leaves[k].dim);
    const int unit = leaves[k].dtype == TT_BF16 ? 2 : 4;
    char *const p = malloc((size_t)n * 4 + 4);
    for (int64_t i = 0; i < n; i++) put(k, i, plus, p + i * unit);
    memcpy(dim, leaves[k].dim, sizeof leaves[k].dim);
    dim[leaves[k].rank] = TT_DIM_END;
    const tt_val v = tt_array_at(NULL, leaves[k].dtype, p, dim);
    free(p);
    return leaves[k].spec ? tt_shard(v, k == TURNED ? turned() : k == FEW ? few() : line(), leaves[k].spec) : v;
}

static tt_val tree_of(int plus)
{
    tt_val leaf[LEAVES];
    const char *name[LEAVES];
    for (int k = 0; k < LEAVES; k++) leaf[k] = leaf_of(k, plus + (k == OWN ? me : 0)), name[k] = leaves[k].name;
    return tt_dict_n(NULL, LEAVES, name, leaf);
}

/* The number of wrong elements in the parts that this process has. */
static int wrong_in(tt_val v, int k, int plus)
{
    const int unit = leaves[k].dtype == TT_BF16 ? 2 : 4, rank = leaves[k].rank;
    const int64_t parts = tt_process_parts_at(NULL, v, 0, 0, NULL);
    tt_part *const part = calloc((size_t)(parts > 0 ? parts : 1), sizeof *part);
    int bad = tt_process_parts_at(NULL, v, 0, parts, part) != parts || parts < 1;
    for (int64_t i = 0; !bad && i < parts; i++) {
        if (!part[i].here) continue;
        const int64_t n = count_of(rank, part[i].n);
        char *const p = malloc((size_t)n * 4 + 4), want[4];
        bad += !tt_read_box_at(NULL, v, part[i].lo, part[i].n, p);
        for (int64_t j = 0; j < n; j++) {
            int64_t rest = j, at = 0, step = 1;
            for (int d = rank - 1; d >= 0; d--) {
                at += (part[i].lo[d] + rest % part[i].n[d]) * step;
                rest /= part[i].n[d];
                step *= leaves[k].dim[d];
            }
            put(k, at, plus, want);
            bad += memcmp(want, p + j * unit, (size_t)unit) != 0;
        }
        free(p);
    }
    free(part);
    return bad;
}

static int wrong(tt_val tree, int plus)
{
    int bad = !tt_ok() || tt_items(tree) != LEAVES;
    for (int k = 0; !bad && k < LEAVES; k++) bad += wrong_in(tt_get(tree, leaves[k].name), k, plus);
    return bad + !tt_ok();
}

/* ---- in a rank ---- */

static const char *path_of(const char *name)
{
    static char path[4][200];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", dir, name);
    return path[turn];
}

/* What to load a checkpoint like: its types in other layouts. */
static tt_val others(void)
{
    tt_val leaf[LEAVES];
    const char *name[LEAVES];
    for (int k = 0; k < LEAVES; k++) {
        int64_t dim[4] = { 0 };
        memcpy(dim, leaves[k].dim, sizeof leaves[k].dim);
        dim[leaves[k].rank] = TT_DIM_END;
        leaf[k] = tt_shape_at(NULL, leaves[k].dtype, dim);
        if (leaves[k].other) leaf[k] = tt_shard(leaf[k], line(), leaves[k].other);
        name[k] = leaves[k].name;
    }
    return tt_dict_n(NULL, LEAVES, name, leaf);
}

static void loads(const char *name)
{
    const tt_val as_saved = tt_load(path_of(name), .mesh = line());
    CHECK(!wrong(as_saved, 3), "%s, on this mesh: %s", name, tt_error());
    tt_clear();
    const tt_val like = tt_load(path_of(name), .like = others());
    CHECK(!wrong(like, 3), "%s, in other layouts: %s", name, tt_error());
    CHECK(tt_has_layout(tt_get(like, "columns"), line(), "data, _"), "%s", tt_error());
    tt_clear();
}

static void saves(const char *name)
{
    char file[200];
    CHECK(tt_save(path_of(name), tree_of(3)), "%s: %s", name, tt_error());
    CHECK(tt_save(path_of(name), tree_of(3), .force = 1), "%s again: %s", name, tt_error());
    snprintf(file, sizeof file, "%s.npz", name);
    CHECK(tt_save(path_of(file), tree_of(3), .force = 1), "%s: %s", file, tt_error());
    snprintf(file, sizeof file, "%s.safetensors", name);
    CHECK(tt_save(path_of(file), tree_of(3)), "%s: %s", file, tt_error());
    snprintf(file, sizeof file, "%s.store", name);
    CHECK(tt_save(path_of(file), tree_of(3), .ocdbt = 1), "%s: %s", file, tt_error());
    loads(file);
    tt_clear();
}

static bool says(const char *part)
{
    const bool good = !tt_ok() && strstr(tt_error(), part);
    if (!good) printf("expected \"%s\", found: %s\n", part, tt_error());
    tt_clear();
    return good;
}

/* The leaf that differs is named, with what two processes have: in folders and in single files. */
static void trees_differ(const char *fresh)
{
    static const char *const name[] = { "a", "b", "c", "d", "e", "f" };
    static const char *const ending[] = { "", ".npz", ".safetensors" };
    char to[220];
    for (int i = 0; i < 18; i++) {
        tt_val v[6];
        const int leaf = i % 6;
        for (int k = 0; k < 6; k++) v[k] = tt_ones(TT_F32, k + 1 + (k == leaf && me == 1));
        const tt_val tree = leaf == 5 && me == 1 ? tt_dict_n(NULL, 5, name, v) : tt_dict_n(NULL, 6, name, v);
        char part[120];
        snprintf(part, sizeof part, leaf == 5 ? "tt_save: leaf 5 is \"f\", f32[6] in rank 0, no leaf more in rank 1"
                 : "tt_save: leaf %d is \"%s\", f32[%d] in rank 0, \"%s\", f32[%d] in rank 1",
                 leaf, name[leaf], leaf + 1, name[leaf], leaf + 2);
        snprintf(to, sizeof to, "%s%s", fresh, ending[i / 6]);
        CHECK(!tt_save(to, tree) && says(part), "leaf %d of process 1", leaf);
    }
    const tt_val w = tt_ones(TT_F32, 200, 200), a = tt_shard(w, line(), "data"), b = tt_shard(w, line(), "model");
    CHECK(!tt_save(fresh, tt_dict("w", me == 1 ? b : a)) && says("as \""), "another layout in process 1");
}

/* Errors of one process are errors of all, which stay in step. */
static void refusals(const char *saved)
{
    const tt_val x = tt_shard(tt_arange(TT_F32, 24), line(), "data");
    char fresh[200];
    snprintf(fresh, sizeof fresh, "%s", path_of("refused"));
    CHECK(!tt_save(fresh, x, .writers = 9) && says(".writers = 9 in a job of"), "another number of writers");
    CHECK(!tt_save(fresh, x, .writer = me + 1) && says(".writer ="), "another writer");
    CHECK(!tt_save(path_of(saved), x) && says("is there already"), "an existing path");
    CHECK(!tt_save(path_of("no/such/folder"), x) && says("no/such"), "no folder");
    const tt_val other = me == 1 ? tt_arange(TT_F32, 25) : tt_arange(TT_F32, 24);
    CHECK(!tt_save(fresh, other) && says("tt_save: leaf "), "another tree in process 1");
    trees_differ(fresh);
    const tt_val gone = me == 1 ? tt_get(tt_dict("a", x), "b") : x;
    CHECK(!tt_save(fresh, gone) && says(me == 1 ? "\"b\"" : "rank 1: "), "poison in process 1");
    const bool there = me == 1 ?
        tt_save(fresh, x) : tt_save(fresh, x, .force = 1);
    CHECK(!there && says("ranks.c:"), "two lines");
    tt_load(path_of(me == 1 ? "absent" : saved));
    CHECK(says("absent"), "a path that process 1 does not see");
    tt_load(path_of(me == 1 ? "one" : saved), .mesh = line());
    CHECK(says("tt_load: rank"), "two checkpoints");
    CHECK(access(fresh, F_OK) != 0, "a refused save leaves nothing");
}

/* A disk that is full for one process: no file of more than 4,000 bytes. What was there stays, in all processes. */
static void full(const char *saved, int who)
{
    struct rlimit was, few_bytes;
    getrlimit(RLIMIT_FSIZE, &was);
    few_bytes = (struct rlimit){ 4000, was.rlim_max };
    signal(SIGXFSZ, SIG_IGN);
    if (me == who) setrlimit(RLIMIT_FSIZE, &few_bytes);
    for (int k = 0; k < 4; k++)                          /* what the others do meanwhile differs */
        CHECK(!tt_save(path_of(saved), tree_of(9), .force = 1) && says("ranks.c:"), "process %d has no space", who);
    char root[80];
    snprintf(root, sizeof root, "%s-full-%d", saved, who);
    const tt_scope scope = tt_scope_open();
    const tt_manager m = tt_manager_open(path_of(root), .background = 1);
    for (int k = 0; k < 4; k++) {
        CHECK(tt_manager_save(m, 1, tree_of(9)), "the copy is made: %s", tt_error());
        CHECK(!tt_manager_wait(m) && says("ranks.c:"), "a background save in process %d", who);
    }
    if (me == who) setrlimit(RLIMIT_FSIZE, &was);
    CHECK(tt_manager_newest(m) == -1 && tt_manager_save(m, 1, tree_of(2)) && tt_manager_wait(m), "%s", tt_error());
    CHECK(!wrong(tt_manager_load(m, 1, .like = others()), 2), "%s", tt_error());
    CHECK(!wrong(tt_load(path_of(saved), .like = others()), 3), "what was there: %s", tt_error());
    tt_clear();
    tt_scope_close(scope);
}

/* Which steps stay is decided by process 0 and known to all. */
static void manages(const char *name, int background)
{
    static const double loss[] = { 5, 1, 4, 3, 2 };
    const tt_scope scope = tt_scope_open();
    const tt_manager m = tt_manager_open(path_of(name), .keep = 2, .best = "min loss", .background = background,
                                         .ocdbt = background);
    int64_t step[8] = { 0 };
    for (int k = 0; k < 5; k++) {
        const tt_scope inner = tt_scope_open();
        CHECK(tt_manager_save(m, k + 1, tree_of(k), .metrics = tt_dict("loss", tt_f(loss[k] + me))), "%s", tt_error());
        tt_scope_close(inner);
    }
    CHECK(tt_manager_wait(m), "%s", tt_error());
    const int n = tt_manager_steps(m, 8, step);
    CHECK(n == 3 && step[0] == 2 && step[1] == 4 && step[2] == 5, "%d steps", n);
    CHECK(tt_manager_best(m) == 2 && tt_manager_newest(m) == 5, "%s", tt_error());
    CHECK(!tt_manager_save(m, 3, tree_of(0), .metrics = tt_dict("loss", tt_f(9))) && says("would be removed at once"),
          "an old step");
    CHECK(!wrong(tt_manager_load(m, 2, .mesh = line()), 1), "%s", tt_error());
    CHECK(!wrong(tt_manager_load(m, 5, .like = others()), 4), "%s", tt_error());
    CHECK(tt_manager_save(m, 5, tree_of(8), .force = 1, .metrics = tt_none()) && tt_manager_wait(m), "%s", tt_error());
    CHECK(!wrong(tt_manager_load(m, 5, .like = others()), 8), "%s", tt_error());
    tt_manager_load(m, 7);
    CHECK(says("there is no step 7"), "no such step");
    tt_manager_open(path_of("differ"), .keep = 2 + me % 2);
    CHECK(ranks == 1 || says(".keep = 3"), "another number of steps to keep in each process");
    tt_clear();
    tt_scope_close(scope);
}

/* ---- killed ---- */

enum { WIDE = 96 * 200, SHORT = 31 };

static tt_val numbered(int n)                            /* tells n in every element */
{
    static float x[WIDE];
    for (int i = 0; i < WIDE; i++) x[i] = (float)n;
    return tt_dict("w", tt_shard(tt_array(TT_F32, x, 96, 200), line(), "data, model"),
                   "u", tt_shard(tt_array(TT_F32, (const void *)x, SHORT), line(), "data"), "n", tt_f(n));
}

static int saver(int first)
{
    const tt_manager m = tt_manager_open(path_of("steps"), .keep = 3);
    printf("pid %d %d\n", me, (int)getpid());
    for (int n = first; tt_ok() && n < 1 << 24; n++) {
        const tt_scope scope = tt_scope_open();
        if (!me) printf("begun %d\n", n);
        fflush(stdout);
        const tt_val t = numbered(n);
        if (!tt_manager_save(m, n, t) || !tt_save(path_of("over"), t, .force = 1, .ocdbt = n % 2)) break;
        if (!me) printf("done %d\n", n);
        tt_scope_close(scope);
    }
    printf("ended: %s\n", tt_error());
    fflush(stdout);
    _Exit(3);
}

/* ---- the ranks ---- */

static int inside(char **argv)                           /* WHAT DEVICES DIR [MORE] */
{
    const int each = atoi(argv[1]);
    tt_on_error(silent, NULL);
    if (!tt_join(.devices = each, .patience = JOB_PATIENCE)) return 1;
    me = tt_process_index(), ranks = tt_process_count(), devices = ranks * each;
    snprintf(dir, sizeof dir, "%s", argv[2]);
    if (!strcmp(argv[0], "kill")) return saver(atoi(argv[3]));
    char *const list = argv[4], *const name = argv[3];
    CHECK_RUN(saves(name));
    for (char *one = strtok(list, ","); one; one = strtok(NULL, ",")) CHECK_RUN(loads(one));
    char managed[80];
    for (int background = ranks > 2; background < 2; background++) {
        snprintf(managed, sizeof managed, "%s-steps-%d", name, background);
        CHECK_RUN(manages(managed, background));
    }
    if (ranks < 8) CHECK_RUN(refusals(name));
    if (ranks < 8) CHECK_RUN(full(name, ranks == 2));
    job_report(check_passed, check_failed);
    const int code = tt_done();
    return code ? code : check_failed != 0;
}

/* ---- the one process ---- */

/* The files of a checkpoint are those that one process writes. */
static void same_bytes(const char *name, int n)
{
    char command[1000], alone[100];
    snprintf(alone, sizeof alone, "%s.alone", name);
    devices = n;
    CHECK(tt_save(path_of(alone), tree_of(3)), "%s", tt_error());
    snprintf(command, sizeof command, "cd %s; diff -r -x _MANIFEST -x commit_success.txt -x _CHECKPOINT_METADATA %s %s "
             "&& cmp %s.npz one.npz && cmp %s.safetensors one.safetensors", dir, name, alone, name, name);
    CHECK(!system(command), "%s has the bytes of one process", name);
}

static void read_alone(const char *name)
{
    char file[100];
    CHECK(tt_ckpt_verify(path_of(name), NULL), "%s: %s", name, tt_error());
    CHECK(!wrong(tt_load(path_of(name)), 3), "%s: %s", name, tt_error());
    snprintf(file, sizeof file, "%s.store", name);
    CHECK(tt_ckpt_verify(path_of(file), NULL) && !wrong(tt_load(path_of(file)), 3), "%s: %s", file, tt_error());
    snprintf(file, sizeof file, "%s-steps-1", name);
    const tt_manager m = tt_manager_open(path_of(file));
    CHECK(tt_manager_newest(m) == 5 && !wrong(tt_manager_load(m, 5), 8), "%s: %s", file, tt_error());
    tt_clear();
}

static void run_of(int mpi, int r, int each, const char *list)
{
    char name[40], args[400], of[40];
    snprintf(name, sizeof name, "%s-%dx%d", job_mpi[mpi], r, each);
    snprintf(of, sizeof of, " of %d devices", each);
    snprintf(args, sizeof args, "all %d %s %s %s", each, dir, name, list);
    const job_result j = job_run(mpi, r, args);
    job_good(of, &j, mpi, r);
    ranks = r;                                           /* for a mesh as the ranks have it */
    same_bytes(name, r * each);
    ranks = 1, devices = 1;
    read_alone(name);
}

/* Each run loads what those before have saved. */
static void all_runs(int most)
{
    static const int form[][3] = { { 0, 2, 1 }, { 1, 4, 2 }, { 0, 2, 2 }, { 1, 4, 1 }, { 1, 8, 1 },
                                   { 1, 2, 1 }, { 0, 4, 2 }, { 1, 2, 2 }, { 0, 4, 1 }, { 0, 8, 1 } };
    char list[400] = "one,one.npz,one.safetensors,one.store", more[80];
    for (int i = 0; i < most && i < (int)(sizeof form / sizeof *form); i++) {
        if (!job_possible(form[i][0])) continue;
        run_of(form[i][0], form[i][1], form[i][2], list);
        snprintf(more, sizeof more, ",%s-%dx%d", job_mpi[form[i][0]], form[i][1], form[i][2]);
        strcat(list, more);
    }
}

/* ---- kills ---- */

static int64_t since(const struct timespec *t)           /* microseconds */
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - t->tv_sec) * 1000000 + (now.tv_nsec - t->tv_nsec) / 1000;
}

static bool gone(const int *pid, int n)                  /* in 5 s */
{
    int left = n;
    for (int tries = 0; left && tries < 500; tries++) {
        left = 0;
        for (int k = 0; k < n; k++) left += pid[k] && !kill(pid[k], 0);
        if (left) usleep(10000);
    }
    return !left;
}

/* Ranks save from step `first` on; rank `victim` is killed some time after the first step began. */
static void killed(int mpi, int r, int each, int first, int victim, int64_t wait, int *begun, int *done)
{
    char self[4096] = "", command[8300], text[400];
    int pid[8] = { 0 }, k, n, known = 0;
    struct timespec start = { 0, 0 };
    bool shot = false;
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) return;
    snprintf(command, sizeof command, "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout -k 5 100 "
             "mpirun.%s %s -n %d '%s' --inside kill %d %s %d 2>/dev/null", job_mpi[mpi],
             mpi ? "" : "--oversubscribe", r, self, each, dir, first);
    FILE *f = popen(command, "r");
    while (f && fgets(text, sizeof text, f)) {
        if (sscanf(text, "pid %d %d", &k, &n) == 2 && k >= 0 && k < 8) pid[k] = n, known++;
        if (sscanf(text, "begun %d", &n) == 1) *begun = n;
        if (sscanf(text, "done %d", &n) == 1) *done = n;
        if (shot || known < r || *begun < first) continue;
        clock_gettime(CLOCK_MONOTONIC, &start);
        while (since(&start) < wait) usleep(200);
        CHECK(!kill(pid[victim], SIGKILL), "rank %d is there", victim);
        shot = true;
    }
    const int status = f ? pclose(f) : -1;
    CHECK(shot && status, "%s: status %d", job_mpi[mpi], status);
    CHECK(gone(pid, r), "a rank is left over");
}

static bool is_of(tt_val t, int n)
{
    static float x[WIDE + SHORT];
    bool same = tt_read(tt_get(t, "w"), (void *)x, WIDE * sizeof *x) &&
                tt_read(tt_get(t, "u"), (void *)(x + WIDE), SHORT * sizeof *x) && tt_num(tt_get(t, "n")) == n;
    for (int i = 0; i < WIDE + SHORT; i++) same &= x[i] == (float)n;
    return same && tt_ok();
}

static void kills(int times, uint32_t seed)
{
    const int mpi = system("command -v mpirun.mpich >/dev/null") == 0;
    int first = 1, over = 0, done = -1;
    for (int k = 0; k < times; k++) {
        const tt_scope scope = tt_scope_open();
        seed = seed * 1664525u + 1013904223u;
        const int r = k % 10 == 9 ? 4 : 2, which = k % 20 == 19 ? 0 : mpi;        /* MPICH starts faster */
        int begun = first - 1;
        if (!job_possible(which)) return;
        killed(which, r, 1, first, (int)(seed >> 8) % r, (seed >> 12) % 8000, &begun, &done);
        const tt_manager m = tt_manager_open(path_of("steps"), .keep = 3);
        const int64_t newest = tt_manager_newest(m);
        char count[300];
        snprintf(count, sizeof count, "test $(ls %s | grep -vc orbax-checkpoint-tmp) -eq %d", path_of("steps"),
                 tt_manager_steps(m, 0, NULL));
        CHECK(!system(count), "kill %d: something unfinished is visible", k);
        CHECK(newest >= done && newest <= begun, "kill %d: step %d, done %d, begun %d", k, (int)newest, done, begun);
        if (newest >= 0) CHECK(is_of(tt_manager_load(m, newest), (int)newest), "kill %d: %s", k, tt_error());
        if (!access(path_of("over"), F_OK)) {
            const tt_val t = tt_load(path_of("over"));
            over = (int)tt_num(tt_get(t, "n"));
            CHECK(is_of(t, over) && over >= done && over <= begun, "kill %d: over %d: %s", k, over, tt_error());
        } else CHECK(!over && done < 0, "kill %d: what was saved is there", k);
        tt_clear();
        first = (newest > begun ? (int)newest : begun) + 1;
        tt_scope_close(scope);
    }
    CHECK_VOLUME(times, "ranks killed while they save");
}

int main(int argc, char **argv)
{
    int times = CHECK_STEP > 1 ? 4 : 40, seed = 1, runs = CHECK_STEP > 1 ? 2 : 3;
    if (argc > 5 && !strcmp(argv[1], "--inside")) return inside(argv + 2);
    if (!check_main_options(argc, argv, __FILE__, "--kills N --seed N --runs N")) return check_done();
    for (int i = 1; i + 1 < argc; i += 2)
        *(!strcmp(argv[i], "--seed") ? &seed : !strcmp(argv[i], "--runs") ? &runs : &times) = atoi(argv[i + 1]);
    devices = 1;
    if (!check_folder(dir)) return 1;
    tt_on_error(silent, NULL);
    saves("one");
    all_runs(runs);
    kills(times, (uint32_t)seed);
    char command[200];
    snprintf(command, sizeof command, "rm -rf %s", dir);
    CHECK(!system(command), "%s", command);
    return check_done();
}
