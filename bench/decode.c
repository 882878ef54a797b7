/* bench/decode.c - a language model that speaks: ids in a second of one text, beside what reading the weights once
 * allows, measured in the same round; a prompt of 512 ids; and a process from its start to its first id, beside reading
 * the file.
 *
 * usage: decode ROUNDS FILE.gguf ..., or decode --start ROUNDS FILE.gguf ...: starts and readings alone, of files that
 * the system has in memory and of files that are on the disk only. `python bench/peers/gguf_files.py DIR` makes such
 * files; `python bench/peers/with_llama.py ROUNDS FILE.gguf ...` prints the same of llama.cpp. Medians over rounds.
 * Rows of bench/run.sh have what reading alone would take as those of a peer, "reading". */
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <tutti.h>

#include "results.h"

enum { NEW = 64, PROMPT = 512, FILES = 16, MOST = 64, READERS = 2 };
typedef struct { double ids, share, prompt, start, read; } found;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the limit: two threads read the file's bytes in memory ---- */

typedef struct { const uint64_t *p; size_t n; uint64_t sum; } part;

static void *summed(void *env)
{
    part *const t = env;
    uint64_t s[8] = { 0 };
    for (size_t i = 0; i + 8 <= t->n; i += 8) for (int k = 0; k < 8; k++) s[k] += t->p[i + (size_t)k];
    for (int k = 0; k < 8; k++) t->sum += s[k];
    return NULL;
}

static double read_once(const char *bytes, size_t n)
{
    part t[READERS];
    pthread_t thread[READERS];
    const double from = now();
    for (int i = 0; i < READERS; i++) {
        t[i] = (part){ (const void *)(bytes + n / READERS / 64 * 64 * (size_t)i), n / READERS / 8, 0 };
        pthread_create(&thread[i], NULL, summed, &t[i]);
    }
    for (int i = 0; i < READERS; i++) pthread_join(thread[i], NULL);
    const double s = now() - from;
    return t[0].sum + t[1].sum == 1 ? 0 : s;
}

/* The least of a few: threads that are new, and other work, only lengthen a reading. */
static double read_seconds(const char *bytes, size_t n)
{
    enum { TIMES = 8 };
    double least = read_once(bytes, n);
    for (int i = 1; i < TIMES; i++) {
        const double s = read_once(bytes, n);
        if (s < least) least = s;
    }
    return least;
}

/* ---- speaking ---- */

typedef struct { int n; double first, last; } stamps;

static bool stamp(void *env, int row, int64_t id)
{
    stamps *const s = env;
    (void)row, (void)id;
    s->last = now();
    if (!s->n++) s->first = s->last;
    return true;
}

static stamps spoken(tt_model m, tt_val prompt, int64_t n)
{
    stamps s = { 0 };
    tt_generate(m, prompt, n, .go_on = 1, .each = stamp, .env = &s);
    return s;
}

static tt_val ids(int64_t n) { return tt_cast(tt_add(tt_arange(TT_I32, n), tt_i(5)), TT_I32); }

/* A process of its own: the file's first id, in seconds from its start. Spawned, since fork() copies the page tables of
 * this process, which has all models in memory. */
static double started(const char *path)
{
    extern char **environ;
    char *const argv[] = { "decode", "--first", (char *)(uintptr_t)path, NULL };
    const double from = now();
    pid_t child;
    int status = 1;
    if (!posix_spawn(&child, "/proc/self/exe", NULL, NULL, argv, environ)) waitpid(child, &status, 0);
    const double s = now() - from;
    if (status) fprintf(stderr, "decode: a process that was to load %s ended with status %d\n", path, status), exit(1);
    return s;
}

static int first(const char *path)
{
    const tt_model m = tt_model_load(path);
    spoken(m, ids(8), 1);
    return tt_done();
}

static double file_read(const char *path)
{
    static char block[1 << 20];
    const double from = now();
    const int f = open(path, O_RDONLY);
    while (f >= 0 && read(f, block, sizeof block) > 0) ;
    if (f >= 0) close(f);
    return now() - from;
}

static found measured(const char *path, tt_model m, const char *bytes, size_t n)
{
    const double limit = read_seconds(bytes, n);
    const stamps s = spoken(m, ids(8), NEW);
    const double each = (s.last - s.first) / (NEW - 1), from = now();
    const stamps p = spoken(m, ids(PROMPT), 1);
    return (found){ 1 / each, limit / each, PROMPT / (p.first - from), started(path), file_read(path) };
}

/* The system's memory has no page of the file any longer. */
static void forgotten(const char *path)
{
    const int f = open(path, O_RDONLY);
    if (f < 0 || fdatasync(f) || posix_fadvise(f, 0, 0, POSIX_FADV_DONTNEED))
        fprintf(stderr, "decode: %s stays in memory\n", path), exit(1);
    close(f);
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const found *f, int n, size_t at)
{
    double v[MOST];
    for (int i = 0; i < n; i++) memcpy(&v[i], (const char *)&f[i] + at, sizeof *v);
    qsort(v, (size_t)n, sizeof *v, by_size);
    return v[n / 2];
}

static int starts(int rounds, int files, char **path)
{
    static found all[2][FILES][MOST];                    /* in memory, on the disk */
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < files; i++)
            for (int disk = 0; disk < 2; disk++) {
                found *const f = &all[disk][i][r];
                if (disk) forgotten(path[i]);
                else file_read(path[i]);
                f->start = started(path[i]);
                if (disk) forgotten(path[i]);
                f->read = file_read(path[i]);
            }
    printf("%-28s %10s %10s %14s %10s\n", "file", "first ms", "read ms", "disk first ms", "read ms");
    for (int i = 0; i < files; i++) {
        const char *const slash = strrchr(path[i], '/'), *const name = slash ? slash + 1 : path[i];
        double ms[2][2];
        char work[120];
        for (int disk = 0; disk < 2; disk++) {
            ms[disk][0] = 1e3 * median(all[disk][i], rounds, offsetof(found, start));
            ms[disk][1] = 1e3 * median(all[disk][i], rounds, offsetof(found, read));
            snprintf(work, sizeof work, "first id of %s%s", name, disk ? " from the disk" : "");
            rows_put(work, 1, ms[disk][0] / 1e3), rows_put_as("reading", work, 1, ms[disk][1], "ms");
        }
        printf("%-28s %10.0f %10.0f %14.0f %10.0f\n", name, ms[0][0], ms[0][1], ms[1][0], ms[1][1]);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "--first")) return first(argv[2]);
    const bool only = argc > 1 && !strcmp(argv[1], "--start");
    argc -= only, argv += only;
    const int rounds = argc > 2 ? atoi(argv[1]) : 0, files = argc - 2 < FILES ? argc - 2 : FILES;
    static found all[FILES][MOST];
    if (rounds < 1 || rounds > MOST) return fprintf(stderr, "usage: decode [--start] ROUNDS FILE.gguf ...\n"), 2;
    if (only) return starts(rounds, files, argv + 2);
    tt_model m[FILES];
    char *bytes[FILES];
    size_t size[FILES];
    for (int i = 0; i < files; i++) {
        struct stat st;
        m[i] = tt_model_load(argv[2 + i]);
        if (!tt_ok() || stat(argv[2 + i], &st)) return tt_done();
        size[i] = (size_t)st.st_size, bytes[i] = malloc(size[i]);
        if (!bytes[i]) return 1;
        memset(bytes[i], 1, size[i]);
        spoken(m[i], ids(8), NEW), spoken(m[i], ids(PROMPT), 1);     /* compiled before they are measured */
    }
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < files; i++) all[i][r] = measured(argv[2 + i], m[i], bytes[i], size[i]);
    printf("%-28s %10s %10s %12s %10s %10s\n", "file", "ids/s", "of reading", "prompt ids/s", "first ms", "read ms");
    for (int i = 0; i < files; i++) {
        const char *const slash = strrchr(argv[2 + i], '/'), *const name = slash ? slash + 1 : argv[2 + i];
        const double speed = median(all[i], rounds, offsetof(found, ids));
        const double share = median(all[i], rounds, offsetof(found, share));
        const double prompt = median(all[i], rounds, offsetof(found, prompt));
        const double start = median(all[i], rounds, offsetof(found, start));
        const double read = median(all[i], rounds, offsetof(found, read));
        char work[120];
        printf("%-28s %10.1f %9.0f%% %12.0f %10.0f %10.0f\n", name, speed, 100 * share, prompt, 1e3 * start,
               1e3 * read);
        snprintf(work, sizeof work, "decode %s", name), rows_put_as("tutti", work, 1, speed, "ids/s");
        rows_put_as("reading", work, 1, speed / share, "ids/s");
        snprintf(work, sizeof work, "prompt of 512 %s", name), rows_put_as("tutti", work, 1, prompt, "ids/s");
        snprintf(work, sizeof work, "first id of %s", name), rows_put(work, 1, start);
        rows_put_as("reading", work, 1, 1e3 * read, "ms");
        free(bytes[i]);
    }
    return tt_done();
}
