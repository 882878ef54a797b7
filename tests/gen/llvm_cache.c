/* llvm_cache.c - compiled kernels on disk: a second process compiles nothing and does not even open LLVM; damaged
 * files are deleted and compiled again; several processes at once, a disk that takes nothing, a folder that is none,
 * and one that others may write to all give the same numbers; one that exits while kernels are compiled ends well; what
 * runs once is not compiled. Each process is this program with an argument: it runs kernels and compares them with the
 * interpreter's. Skipped where there is no LLVM. */
#include "gen/gen.h"
#include "gen/tile/tile.h"

#include "check.h"
#include "op/ops.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 5000, KERNELS = 3 };

/* ---- processes that run kernels ---- */

typedef struct { base_arena *a; int which; ir_fn *f; int64_t n; } program;
static void make_program(void *arg)                      /* tanh(x c + y) / y, and so on: different kernels */
{
    program *p = arg;
    const int64_t n = p->n ? p->n : N;
    ir_build *b = ir_begin(p->a, base_intern("kernel"), NULL);
    const ir_type *t = ir_type_of(p->which == 2 ? TT_F64 : TT_F32, 1, &n);
    const ir_id x = ir_arg(b, t), y = ir_arg(b, t);
    ir_id *ret = BASE_NEW(p->a, ir_id, 1), v = op_add(b, op_mul(b, x, op_splat(b, t, 1.5 + p->which)), y);
    v = ir_emit(b, p->which == 1 ? &prim_sin : &prim_tanh, NULL, 1, &v, 0, NULL);
    ret[0] = op_div(b, v, y);
    p->f = ir_end(b, 1, ret);
}

static void run(program *p, const char *words, char *result, const char *x, const char *y)
{
    const ir_eqn *e[16];
    const ir_id in[] = { 1, 2 };
    const int64_t n = N;
    const tt_dtype d = p->f->type[1]->dtype;
    for (uint32_t k = 0; k < p->f->neqn; k++) e[k] = &p->f->eqn[k];
    const gen_group g = { .neqn = p->f->neqn, .eqn = e, .nin = 2, .in = in, .nout = 1, .out = p->f->ret };
    ir_box arg[] = { ir_box_dense((void *)(uintptr_t)x, ir_type_of(d, 1, &n)),
                     ir_box_dense((void *)(uintptr_t)y, ir_type_of(d, 1, &n)),
                     ir_box_dense(result, ir_type_of(d, 1, &n)) };
    run_kernel k;
    base_switches(NULL, words);
    if (!gen_tile.make(p->a, &g, &k)) return;
    char *scratch = base_new(p->a, (size_t)k.scratch(k.self, arg) + 128);
    scratch = (char *)(((uintptr_t)scratch + 63) & ~(uintptr_t)63);
    k.code(k.self, &(run_job){ .arg = arg, .count = k.tiles(k.self, arg), .scratch = scratch });
    const gen_tile_code *c = k.self;
    const gen_fused *f = c->hot ? atomic_load(&c->hot->fused) : NULL;
    if (strstr(words, "now") && !(f && atomic_load(&f->loop))) printf("not compiled\n");
}

static void print(const char *line) { puts(line); }

/* Asks for kernels in a thread, as a worker does, and exits so many milliseconds later. */
static void *ask(void *unused)
{
    (void)unused;
    for (int i = 0; i < KERNELS; i++) {
        program p = { base_open(), i, NULL, 0 };
        const ir_eqn *e[16];
        const ir_id in[] = { 1, 2 };
        run_kernel k;
        if (!base_catch(make_program, &p) || !p.f) _exit(1);
        for (uint32_t q = 0; q < p.f->neqn; q++) e[q] = &p.f->eqn[q];
        const gen_group g = { .neqn = p.f->neqn, .eqn = e, .nin = 2, .in = in, .nout = 1, .out = p.f->ret };
        if (!gen_tile.make(p.a, &g, &k) || !gen_fuse(k.self)) _exit(1);
        base_close(p.a);
    }
    return NULL;
}
static int leave(int milliseconds)
{
    pthread_t t;
    if (!base_switches(NULL, "no-cache") || pthread_create(&t, NULL, ask, NULL) || pthread_join(t, NULL)) return 1;
    usleep((useconds_t)milliseconds * 1000);
    exit(0);
}

static int child(const char *words, bool full)
{
    static double x[N], y[N], want[N], got[N];
    char now[4200], *map = NULL;
    size_t n = 0;
    base_set_log_sink(print);
    snprintf(now, sizeof now, "llvm:now,time,%s", words);
    if (full) {
        const struct rlimit none = { 64, 64 };
        setrlimit(RLIMIT_FSIZE, &none);
    }
    for (int i = 0; i < KERNELS; i++) {
        program p = { base_open(), i, NULL, 0 };
        if (!base_catch(make_program, &p) || !p.f) return 1;
        for (int k = 0; k < N; k++) {
            const double u = sin(k * 0.7) * 3, v = cos(k * 0.3) + 2;
            if (i == 2) x[k] = u, y[k] = v;
            else ((float *)x)[k] = (float)u, ((float *)y)[k] = (float)v;
        }
        run(&p, "", (char *)want, (char *)x, (char *)y);
        run(&p, now, (char *)got, (char *)x, (char *)y);
        if (memcmp(want, got, (i == 2 ? 8 : 4) * N)) puts("different");
        base_close(p.a);
    }
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && getline(&map, &n, maps) > 0) if (strstr(map, "libLLVM")) { puts("opened"); break; }
    if (maps) fclose(maps);
    free(map);
    return 0;
}

/* ---- the parent ---- */

static char self[1024];
typedef struct { int compiled, found, damaged, unwritten, notes; bool same, opened; } seen;

static FILE *start(const char *words, const char *how)
{
    char line[6000];
    snprintf(line, sizeof line, "'%s' %s '%s' 2>&1", self, how, words);
    return popen(line, "r");
}

static seen finish(FILE *f, const char *what)
{
    seen s = { -1, -1, -1, -1, 0, true, false };
    char line[4096];
    while (f && fgets(line, sizeof line, f)) {
        sscanf(line, "llvm: %d kernels compiled, %d from the cache, %d damaged there, %d could not", &s.compiled,
               &s.found, &s.damaged, &s.unwritten);
        s.notes += !strncmp(line, "note: TUTTI=cache:", 18) && strstr(line, " is not used, ");
        if (!strcmp(line, "opened\n")) s.opened = true;
        if (!strncmp(line, "different", 9) || !strncmp(line, "not compiled", 12)) s.same = false;
    }
    const int status = f ? pclose(f) : -1;
    CHECK(status == 0, "%s: its process ended with status %d", what, status);
    CHECK(s.same, "%s: not the interpreter's numbers", what);
    return s;
}

static seen once(const char *words, const char *how, const char *what) { return finish(start(words, how), what); }

/* The path of the i-th kernel in a folder; how many files there are. */
static int files(const char *folder, int i, char *path, size_t capacity)
{
    DIR *d = opendir(folder);
    int n = 0;
    for (struct dirent *e; d && (e = readdir(d));)
        if (strlen(e->d_name) == 32 && n++ == i && path) snprintf(path, capacity, "%s/%.40s", folder, e->d_name);
    if (d) closedir(d);
    return n;
}

static void flip(const char *path, double where)         /* a bit at that part of the file's length */
{
    const int fd = open(path, O_RDWR);
    struct stat s;
    char c = 0;
    if (fd < 0 || fstat(fd, &s)) return;
    const off_t at = (off_t)(where * (double)(s.st_size - 1));
    bool done = pread(fd, &c, 1, at) == 1;
    c ^= 16;
    done = done && pwrite(fd, &c, 1, at) == 1;
    CHECK(done, "flips a bit of %s", path);
    close(fd);
}

static void test_damage(const char *folder, const char *words)
{
    static const double where[] = { 0, 0.001, 0.01, 0.5, 0.98, 1 };
    char path[1400];
    for (int i = 0; i < 6; i++) {
        files(folder, i % KERNELS, path, sizeof path);
        flip(path, where[i]);
        const seen s = once(words, "run", "a flipped bit");
        CHECK(s.compiled == 1 && s.found == KERNELS - 1 && s.damaged == 1 && files(folder, -1, NULL, 0) == KERNELS,
              "a flipped bit at %g: %d compiled, %d found, %d damaged, %d files", where[i], s.compiled, s.found,
              s.damaged, files(folder, -1, NULL, 0));
    }
    for (int i = 0; i < 2; i++) {
        files(folder, i, path, sizeof path);
        CHECK(!truncate(path, i ? 0 : 1000), "truncates");
    }
    const seen s = once(words, "run", "short files");
    CHECK(s.compiled == 2 && s.damaged == 2, "short files: %d compiled, %d damaged", s.compiled, s.damaged);
}

static void test_cache(const char *folder)
{
    enum { TOGETHER = 4 };
    char words[1200], path[1400];
    FILE *f[TOGETHER];
    snprintf(words, sizeof words, "cache:%s", folder);
    seen s = once(words, "run", "the first process");
    CHECK(s.compiled == KERNELS && s.found == 0 && s.opened, "first: %d compiled, %d found", s.compiled, s.found);
    s = once(words, "run", "the second process");
    CHECK(s.compiled == 0 && s.found == KERNELS && !s.opened, "second: %d compiled, %d found, LLVM %sopened",
          s.compiled, s.found, s.opened ? "" : "not ");
    test_damage(folder, words);
    for (int i = 0; files(folder, 0, path, sizeof path) > 0 && i < 100; i++) unlink(path);
    for (int i = 0; i < TOGETHER; i++) f[i] = start(words, "run");
    for (int i = 0; i < TOGETHER; i++) {
        s = finish(f[i], "one of several at once");
        CHECK(s.compiled + s.found == KERNELS && !s.damaged && !s.unwritten,
            "at once: %d compiled, %d found, %d damaged, %d "
              "not written", s.compiled, s.found, s.damaged, s.unwritten);
    }
    CHECK(files(folder, -1, NULL, 0) == KERNELS, "as many files as kernels");
    s = once(words, "run", "after them");
    CHECK(s.compiled == 0 && s.found == KERNELS, "after them: %d compiled", s.compiled);
    snprintf(path, sizeof path, "%s/llvm", folder);
    CHECK(!unlink(path), "there is a record of which LLVM it was");
    s = once(words, "run", "without the record");
    CHECK(s.compiled == 0 && s.found == KERNELS && s.opened, "without the record: %d compiled", s.compiled);
}

/* Nothing can be kept: counted, the same numbers; a folder that is refused is said once. */
static void test_refusals(const char *folder)
{
    char words[1400], path[1300];
    snprintf(path, sizeof path, "%s/full", folder);
    snprintf(words, sizeof words, "cache:%s", path);
    seen s = once(words, "full", "a full disk");
    CHECK(s.compiled == KERNELS && s.unwritten == KERNELS && !files(path, -1, NULL, 0),
        "a full disk: %d compiled, %d not "
          "written", s.compiled, s.unwritten);
    snprintf(words, sizeof words, "cache:%s/llvm/below", folder);
    s = once(words, "run", "below a file");
    CHECK(s.compiled == KERNELS && s.found == 0, "below a file: %d compiled", s.compiled);
    CHECK(s.notes == 1, "a folder that cannot be there is said %d times", s.notes);
    snprintf(path, sizeof path, "%s/shared", folder);
    CHECK(!mkdir(path, 0700) && !chmod(path, 0777), "a folder for all");
    snprintf(words, sizeof words, "cache:%s", path);
    s = once(words, "run", "a folder that others may write to");
    CHECK(s.notes == 1, "a folder that others may write to is said %d times", s.notes);
    CHECK(s.compiled == KERNELS && !files(path, -1, NULL, 0), "a folder that others may write to is not used");
    s = once("no-cache", "run", "no cache");
    CHECK(s.compiled == KERNELS && s.found == 0 && s.unwritten == 0, "no cache: %d compiled", s.compiled);
}

/* What LLVM makes while it compiles is taken down at exit: its threads must have ended by then. */
static void test_leaving(void)
{
    for (int ms = 0; ms < 80; ms += 8) {
        char line[600];
        snprintf(line, sizeof line, "exec '%.500s' leave %d", self, ms);
        const int status = system(line);
        CHECK(status == 0, "an exit %d ms behind the first kernel: status %d", ms, status);
    }
}

/* Two jobs, one after the other: the first tile of each, whether the second has other boxes, whether the kernel has
 * taken long, and whether compiling is requested behind the second. A rank of several computes shares that do not begin
 * at tile 0. */
static const struct { const char *name; int64_t first, then; bool other, took_long, asked; } pairs[] = {
    { "one that comes again", 0, 0, false, false, true },
    { "one over two boxes", 0, 0, true, false, false },
    { "one that takes long", 0, 0, true, true, true },
    { "a share that comes again", 1, 1, false, false, true },
    { "a share over two boxes", 1, 1, true, false, false },
    { "two shares", 1, 2, false, false, false },
    { "two workers' parts", 0, 1, false, false, false },
};

/* Checks that compiling a kernel is requested after many elements, or after few in a job that has come before. */
static void test_again(void)
{
    program p = { base_open(), 0, NULL, (1 << 22) + 64 };
    base_switches(NULL, "no-cache");
    const bool made = base_catch(make_program, &p) && p.f;
    CHECK(made, "makes a program");
    float *x = calloc((size_t)p.n, sizeof *x), *z = calloc((size_t)p.n, sizeof *z);
    const ir_eqn *e[16];
    const ir_id in[] = { 1, 2 };
    for (uint32_t k = 0; made && k < p.f->neqn; k++) e[k] = &p.f->eqn[k];
    run_kernel k = { 0 };
    const ir_type *t = ir_type_of(TT_F32, 1, &p.n);
    ir_box first[] = { ir_box_dense(x, t), ir_box_dense(x, t), ir_box_dense(z, t) }, other[3];
    memcpy(other, first, sizeof first);
    for (size_t how = 0; made && x && z && how < sizeof pairs / sizeof *pairs; how++) {
        const gen_group g = { .neqn = p.f->neqn, .eqn = e, .nin = 2, .in = in, .nout = 1, .out = p.f->ret };
        if (!gen_tile.make(p.a, &g, &k)) continue;
        gen_hot *const hot = ((const gen_tile_code *)k.self)->hot;
        char *scratch = base_new(p.a, (size_t)k.scratch(k.self, first) + 128);
        run_job job = { .arg = first, .scratch = (char *)(((uintptr_t)scratch + 63) & ~(uintptr_t)63) };
        const int64_t tiles = k.tiles(k.self, first);
        CHECK(tiles > 3, "%lld tiles", (long long)tiles);
        job.first = pairs[how].first, job.count = tiles - job.first;
        k.code(k.self, &job);
        CHECK(!atomic_load(&hot->requested), "a kernel that ran once is asked for");
        if (pairs[how].other) job.arg = other;
        if (pairs[how].took_long) atomic_store(&hot->done, (int64_t)1 << 40);
        job.first = pairs[how].then, job.count = tiles - job.first;
        k.code(k.self, &job);
        const bool asked = atomic_load(&hot->requested);
        CHECK(asked == pairs[how].asked, "%s: %s", asked ? "asked for" : "not asked for", pairs[how].name);
    }
    free(x), free(z);
    base_close(p.a);
}

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "[TEXT...]")) return check_done();
    char folder[] = "/tmp/tutti-cache-XXXXXX", line[128];
    if (argc > 2 && !strcmp(argv[1], "leave")) return leave(atoi(argv[2]));
    if (argc > 2) return child(argv[2], !strcmp(argv[1], "full"));
    base_set_log_sink(print);
    base_arena *a = base_open();
    const char *report = strstr(gen_plugin_report(a), "llvm: "), *end = report ? strstr(report, ".so") : NULL;
    if (gen_isa_best() == GEN_BASE) CHECK_SKIP("gen_llvm_cache: this processor is not one that it is written for");
    else if (!end || (end[3] && end[3] != '\n')) CHECK_SKIP("gen_llvm_cache: %s", report ? report : "no plug-in");
    base_close(a);
    if (check_skipped) return check_done();
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    CHECK(n > 0 && mkdtemp(folder), "a folder of its own");
    test_cache(folder);
    test_refusals(folder);
    test_leaving();
    test_again();
    snprintf(line, sizeof line, "rm -rf %s", folder);
    CHECK(!system(line), "cleans up");
    return check_done();
}
