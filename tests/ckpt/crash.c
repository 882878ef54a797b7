/* crash.c - saves that die, disks that are full, bits that flip: the last committed checkpoint restores, nothing
 * else is visible, and each damage is one clear error.
 *
 * usage: ckpt_crash [--kills N] [--seed N]. A child saves one step after the other, and then one path over and over;
 * it is killed at a random moment. Its pipe says which step was last promised. */
#include "check.h"
#include "ckpt/ckpt.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <tutti.h>
#include <unistd.h>

static char dir[] = "/tmp/tutti-crash-XXXXXX";

static void silent(const tt_error_info *e, void *env) { (void)e, (void)env; }

/* Of step n: a value that tells n in every element, and its layout. */
static tt_val tree_of(int64_t n)
{
    const tt_mesh mesh = tt_mesh("data:2, model:4");
    const tt_val w = tt_add(tt_zeros(TT_F32, 96, 200), tt_f((double)n));
    return tt_dict("w", tt_shard(w, mesh, "data, model"), "b", tt_add(tt_zeros(TT_BF16, 40), tt_f((double)(n % 128))),
                   "n", tt_cast(tt_f((double)n), TT_I32));
}

static bool is_of(tt_val t, int64_t n)
{
    return tt_ok() && tt_num(tt_get(t, "n")) == (double)n && tt_num(tt_amin(tt_get(t, "w"))) == (double)n &&
           tt_num(tt_amax(tt_get(t, "w"))) == (double)n &&
           tt_num(tt_amax(tt_cast(tt_get(t, "b"), TT_F32))) == (double)(n % 128);
}

/* ---- killed ---- */

static int saver(char **argv)                            /* "--save" DIR first */
{
    char at[300];
    snprintf(at, sizeof at, "%s/over", argv[2]);
    const tt_manager m = tt_manager_open(argv[2], .keep = 3);
    for (int32_t n = (int32_t)atoi(argv[3]); tt_ok() && n < 1 << 24; n++) {
        const tt_scope scope = tt_scope_open();
        const int32_t begun[2] = { 0, n }, done[2] = { 1, n };
        if (write(1, begun, sizeof begun) < 0) return 1;
        const tt_val t = tree_of(n);
        if (!tt_manager_save(m, n, t) || !tt_save(at, t, .force = 1)) return 2;
        if (write(1, done, sizeof done) < 0) return 1;
        tt_scope_close(scope);
    }
    return 3;
}

static int visible(const char *path)                     /* names that are not of something unfinished */
{
    DIR *d = opendir(path);
    int n = 0;
    for (struct dirent *f; d && (f = readdir(d));)
        n += f->d_name[0] != '.' && !strstr(f->d_name, ".orbax-checkpoint-tmp");
    if (d) closedir(d);
    return n;
}

/* Lets a child save from step `first` on, kills it after `wait` microseconds; *begun and *done: what it said last. */
static void killed(int first, int64_t wait, int *begun, int *done)
{
    int pipes[2];
    char number[24];
    int32_t said[2];
    if (pipe(pipes)) return;
    snprintf(number, sizeof number, "%d", first);
    const pid_t pid = fork();
    if (!pid) {
        dup2(pipes[1], 1);
        close(pipes[0]);
        execl("/proc/self/exe", "ckpt_crash", "--save", dir, number, (char *)NULL);
        _exit(99);
    }
    close(pipes[1]);
    bool waiting = true;
    while (read(pipes[0], said, sizeof said) == (ssize_t)sizeof said) {
        if (said[0]) *done = said[1];
        else *begun = said[1];
        if (waiting) {                                   /* the clock starts with the first save */
            nanosleep(&(struct timespec){ wait / 1000000, wait % 1000000 * 1000 }, NULL);
            kill(pid, SIGKILL);
            waiting = false;
        }
    }
    close(pipes[0]);
    waitpid(pid, NULL, 0);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Microseconds in which a child saves some three times here: disks differ a hundredfold. */
static int64_t some_saves(void)
{
    char at[300];
    snprintf(at, sizeof at, "%s.time", dir);
    tt_save(at, tree_of(1), .force = 1);
    const double began = now();
    tt_save(at, tree_of(1), .force = 1);
    const double one = now() - began;
    snprintf(at, sizeof at, "rm -rf %s.time", dir);
    CHECK(tt_ok() && system(at) == 0, "%s", tt_error());
    return (int64_t)(6e6 * one) + 2000;
}

static void kills(int count, unsigned seed)
{
    int begun = -1, done = -1, whole = 0;
    int64_t span = some_saves();
    char over[300];
    snprintf(over, sizeof over, "%s/over", dir);
    for (int i = 0; i < count; i++) {
        const tt_scope scope = tt_scope_open();
        int64_t step[64];
        killed(begun + 1, rand_r(&seed) % span, &begun, &done);
        const tt_manager m = tt_manager_open(dir, .keep = 3);
        const int n = tt_manager_steps(m, 64, step);
        bool good = true;
        for (int k = 0; k < n && k < 64; k++) {
            const char *path = tt_manager_path(m, step[k]);
            good = good && tt_ckpt_verify(path, NULL) && is_of(tt_manager_load(m, step[k]), step[k]);
        }
        const int64_t newest = tt_manager_newest(m);
        CHECK(good && (done < 0 || n > 0) && newest >= done && newest <= begun,
              "kill %d: %d steps, newest %lld, promised %d, "
              "begun %d: %s",
              i, n, (long long)newest, done, begun, tt_ok() ? "" : tt_error());
        tt_clear();
        if (access(over, F_OK) == 0) {
            const tt_val t = tt_load(over);
            const int64_t at = tt_ok() ? (int64_t)tt_num(tt_get(t, "n")) : -1;
            CHECK(tt_ckpt_verify(over, NULL) && is_of(t, at) && at >= done && at <= begun,
                  "kill %d: saved over: step %lld: %s", i, (long long)at, tt_ok() ? "" : tt_error());
            whole++;
        } else CHECK(done < 0, "kill %d: what was saved over is gone", i);
        CHECK(visible(dir) == n + (access(over, F_OK) == 0), "kill %d: %d names are visible", i, visible(dir));
        if (i % 4 == 3 && (done <= 0 || !whole)) span *= 2;      /* the machine is slower than when it was measured */
        tt_clear();
        tt_scope_close(scope);
    }
    CHECK(done > 0 && whole > 0, "no save was ever finished: the test tests nothing");
}

/* ---- a full disk ---- */

/* One save after the other into `path` until it fails: what was there stays, and the error is one. */
static void until_full(const char *path, const char *how, const char *text, tt_val t)
{
    char a[300], b[300];
    snprintf(a, sizeof a, "%s/kept", path);
    snprintf(b, sizeof b, "%s/next", path);
    CHECK(tt_save(a, tree_of(7)), "%s: %s", how, tt_error());
    CHECK(!tt_save(b, t) && strstr(tt_error(), text), "%s: expected \"%s\", got %s", how, text,
          tt_ok() ? "no error" : tt_error());
    tt_clear();
    CHECK(!tt_save(a, t, .force = 1) && !tt_ok(), "%s: replaced", how);
    tt_clear();
    CHECK(visible(path) == 1 && is_of(tt_load(a), 7), "%s: what was there: %s", how, tt_ok() ? "changed" : tt_error());
    tt_clear();
    struct stat st;
    char left[330];
    snprintf(left, sizeof left, "%s.orbax-checkpoint-tmp", b);
    CHECK(stat(left, &st) != 0, "%s: a part is left", how);
}

static void full(void)
{
    char path[256];
    const tt_val big = tt_dict("x", tt_ones(TT_F32, 1024, 1536), "y", tt_ones(TT_F32, 512, 512));
    const struct rlimit small = { 1 << 20, RLIM_INFINITY };
    struct rlimit was;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &was);
    snprintf(path, sizeof path, "%s/limit", dir);
    mkdir(path, 0777);
    if (setrlimit(RLIMIT_FSIZE, &small) == 0) {
        until_full(path, "a limit of a file's size", "is not written: File too large", big);
        setrlimit(RLIMIT_FSIZE, &was);
    } else CHECK_SKIP("a limit of a file's size cannot be set");
    snprintf(path, sizeof path, "%s/tmpfs", dir);
    mkdir(path, 0777);
    if (mount("tmpfs", path, "tmpfs", 0, "size=2m") != 0) {
        CHECK_SKIP("a full disk: no tmpfs can be mounted (%s)", strerror(errno));
        return;
    }
    until_full(path, "a full disk", "nothing was written", big);
    umount(path);
    /* Room by the disk's own word, but not when it comes to it: many small files, each a block of its own. */
    if (mount("tmpfs", path, "tmpfs", 0, "size=2m,nr_inodes=60") != 0) return;
    tt_val many = tt_dict_n(0, 0, NULL, NULL);
    for (int i = 0; i < 40; i++) {
        char name[16];
        snprintf(name, sizeof name, "leaf%d", i);
        many = tt_set(many, name, tt_ones(TT_F32, 4));
    }
    until_full(path, "no inodes", "No space left on device", many);
    umount(path);
}

/* ---- damage ---- */

typedef struct { char *p; size_t n; } bytes;

static bytes slurp(const char *path)
{
    FILE *f = fopen(path, "rb");
    bytes b = { calloc(1, 1 << 20), 0 };
    if (f) b.n = fread(b.p, 1, 1 << 20, f), fclose(f);
    return b;
}

static void spill(const char *path, const char *p, size_t n)
{
    FILE *f = fopen(path, "wb");
    if (f) fwrite(p, 1, n, f), fclose(f);
}

/* Each damage is seen by verify; a load gives an error or the same values (padding is no value). */
static void judged(const char *root, const char *file, const char *what)
{
    const bool seen = !tt_ckpt_verify(root, NULL);
    const char *error = tt_ok() ? "" : tt_error();
    CHECK(seen && strlen(error) > 10, "%s %s: not seen", file, what);
    tt_clear();
    const tt_val t = tt_load(root);
    CHECK(!tt_ok() || is_of(t, 5), "%s %s: loads other values", file, what);
    tt_clear();
}

static void damage_file(const char *root, const char *path, unsigned *seed)
{
    const tt_scope scope = tt_scope_open();
    bytes b = slurp(path);
    const bool marker = strstr(path, "commit_success") != NULL;  /* its second line counts; the others are for people */
    const char *const line = marker && b.n ? strstr(b.p, "manifest_crc32c") : b.p;
    const size_t first = (size_t)(line - b.p), n = marker ? 24 : b.n;
    for (size_t k = 0; k < (marker ? 8 * n : 6) && b.n; k++) {
        const size_t at = marker ? first + k / 8 : (size_t)rand_r(seed) % n;
        const char bit = (char)(1 << (marker ? k % 8 : (size_t)rand_r(seed) % 8));
        b.p[at] ^= bit;
        spill(path, b.p, b.n);
        judged(root, path, "with a flipped bit");
        b.p[at] ^= bit;
    }
    if (!marker) {
        spill(path, b.p, b.n - b.n / 3 - 1);
        judged(root, path, "cut");
        char *longer = calloc(b.n + 4, 1);
        memcpy(longer, b.p, b.n);
        spill(path, longer, b.n + 4);
        free(longer);
        judged(root, path, "too long");
    }
    unlink(path);
    judged(root, path, "missing");
    spill(path, b.p, b.n);
    free(b.p);
    tt_scope_close(scope);
}

static void damage_all(const char *root, const char *below, unsigned *seed)
{
    DIR *d = opendir(below);
    for (struct dirent *f; d && (f = readdir(d));) {
        char path[1024];
        struct stat st;
        snprintf(path, sizeof path, "%s/%s", below, f->d_name);
        if (f->d_name[0] == '.' || stat(path, &st) != 0) continue;
        if (S_ISDIR(st.st_mode)) damage_all(root, path, seed);
        else damage_file(root, path, seed);
    }
    if (d) closedir(d);
}

static void damage(unsigned seed)
{
    char path[256];
    snprintf(path, sizeof path, "%s/flipped", dir);
    CHECK(tt_save(path, tree_of(5)), "%s", tt_error());
    damage_all(path, path, &seed);
    CHECK(tt_ckpt_verify(path, NULL) && is_of(tt_load(path), 5), "mended: %s", tt_error());
    tt_clear();
}

/* Many files on their way to the disk at once: all are closed when they are waited for, and one that cannot be written
 * there (a pipe cannot) is told then, however many are handed in behind it. */
static void syncs(void)
{
    enum { FILES = 200 };
    int fd[FILES], ends[2], open_still = 0;
    ckpt_err e = { 0 };
    ckpt_sync *s = ckpt_sync_begin(&e);
    for (int turn = 0; s && turn < 3; turn++) {          /* files; a folder among them that knows no sync; a failure */
        for (int i = 0; i < FILES; i++) {
            char path[64];
            snprintf(path, sizeof path, "%s/sync-%d", dir, i);
            fd[i] = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
            CHECK(write(fd[i], path, sizeof path) == (ssize_t)sizeof path, "writes %s", path);
            if (turn && i == FILES / 2 && !pipe(ends)) ckpt_sync_add(s, ends[1], turn == 1, "the pipe"), close(ends[0]);
            ckpt_sync_add(s, fd[i], false, path);
        }
        const bool good = ckpt_sync_wait(s, &e);
        CHECK(good == (turn < 2), "turn %d: %s", turn, good ? "nothing failed" : e.text);
        for (int i = 0; i < FILES; i++) open_still += fcntl(fd[i], F_GETFD) >= 0;
    }
    CHECK(s && !open_still && e.code == TT_EIO && strstr(e.text, "the pipe: is not written to the disk"),
          "\"%s\", %d open", e.text, open_still);
    ckpt_sync_end(s);
}

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "--save N --kills N --seed N [TEXT...]")) return check_done();
    int count = 20;
    unsigned seed = 1;
    char command[64];
    tt_on_error(silent, NULL);
    if (argc > 3 && !strcmp(argv[1], "--save")) return saver(argv);
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--kills")) count = atoi(argv[i + 1]);
        if (!strcmp(argv[i], "--seed")) seed = (unsigned)atoi(argv[i + 1]);
    }
    if (!mkdtemp(dir)) return 1;
    kills(count, seed);
    CHECK_VOLUME(count, "savers that were killed");
    full();
    damage(seed);
    syncs();
    snprintf(command, sizeof command, "rm -rf %s", dir);
    CHECK(system(command) == 0, "%s stays", dir);
    tt_done();
    return check_done();
}
