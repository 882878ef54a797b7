/* run/there_cache.c - programs of engines on disk: compiling takes a library seconds, loading a millisecond.
 *
 * The folder is that of compiled loops (TUTTI=cache:DIR, else in $XDG_CACHE_HOME or ~/.cache), and is used only if no
 * other user may write to it, since what is read is run. A file is named by a hash of its sources: Tutti's version,
 * the library's version, path, size and time, the kinds of its devices, and the program's text. It contains these
 * sources, to be compared, then the program, and a checksum; a file that differs is deleted and its program compiled
 * again. Files are written under another name and renamed, so several processes may use a folder at once. Files unused
 * for sixty days are deleted when a program is added. */
#include "there.h"
#include "../base/thread.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MAGIC = 0x31504a54, DAY = 86400, KEPT = 60 * DAY };
#define LARGEST ((size_t)1 << 31)
typedef struct { uint32_t magic, unused; uint64_t sources, program, sum; } head;
typedef struct { char folder[3000], path[3100]; const char *sources; size_t n; } place;

static _Atomic int64_t loaded, compiled;

void run_there_programs(int64_t *from_disk, int64_t *fresh) { *from_disk = loaded, *fresh = compiled; }

static bool make_folders(char *path)                     /* True if it is there, this user's, and no other may write */
{
    struct stat s;
    for (char *p = path + 1; *p; p++) {
        if (*p != '/') continue;
        *p = '\0';
        mkdir(path, 0700);
        *p = '/';
    }
    mkdir(path, 0700);
    return !stat(path, &s) && S_ISDIR(s.st_mode) && s.st_uid == geteuid() && !(s.st_mode & (S_IWGRP | S_IWOTH));
}

static bool cache_folder(char *to, size_t capacity)
{
    const char *const word = base_switch("cache"), *const xdg = secure_getenv("XDG_CACHE_HOME"),
                      *const home = secure_getenv("HOME");
    int n = -1;
    if (base_switch("no-cache")) return false;
    if (word && *word) n = base_snprintf(to, capacity, "%s", word);
    else if (xdg && *xdg == '/') n = base_snprintf(to, capacity, "%s/tutti", xdg);
    else if (home && *home == '/') n = base_snprintf(to, capacity, "%s/.cache/tutti", home);
    return n > 0 && n < (int)capacity && make_folders(to);
}

/* Sets where the program's file is to be; false: nowhere. */
static bool place_of(base_arena *a, const run_engine *e, const run_source *s, place *p)
{
    struct stat file;
    base_text t = { .arena = a };
    if (stat(e->path, &file) || !cache_folder(p->folder, sizeof p->folder)) return false;
    base_appendf(&t, "Tutti engine interface %d\n%s\n%s\n%lld bytes, %lld.%09ld\n", RUN_ENGINE_ABI, e->path, e->version,
                 (long long)file.st_size, (long long)file.st_mtim.tv_sec, file.st_mtim.tv_nsec);
    for (int k = 0; k < s->devices; k++) {
        const int d = s->order ? (int)s->order[k] : k;
        base_appendf(&t, "%s %d %s\n", e->platform, d, e->device[d]);
    }
    base_appendf(&t, "%s", s->text);
    p->sources = t.s, p->n = t.n;
    base_snprintf(p->path, sizeof p->path, "%s/pjrt-%016llx%016llx", p->folder,
                  (unsigned long long)base_hash(1, t.s, t.n), (unsigned long long)base_hash(2, t.s, t.n));
    return true;
}

/* The bytes of a file, or NULL; to be freed by base_pages_free. */
static char *contents(const char *path, size_t *n)
{
    struct stat s;
    char *at = NULL;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) return NULL;
    const bool good = !fstat(fd, &s) && S_ISREG(s.st_mode) && (size_t)s.st_size > sizeof(head) &&
                      (size_t)s.st_size < LARGEST;
    if (good) at = base_pages(*n = (size_t)s.st_size);
    for (size_t got = 0; at && got < *n;) {
        const ssize_t k = read(fd, at + got, *n - got);
        if (k < 0 && errno == EINTR) continue;
        if (k <= 0) base_pages_free(at, *n), at = NULL;
        else got += (size_t)k;
    }
    if (at && time(NULL) - s.st_mtime > DAY) futimens(fd, NULL);     /* marks the file as used */
    close(fd);
    return at;
}

static uint64_t sum_of(const head *h, const char *sources, const char *program)
{
    return base_hash(base_hash(h->program, sources, h->sources), program, h->program);
}

/* The program in a file's bytes, or NULL. */
static const char *program_in(const place *p, const char *bytes, size_t n, size_t *size)
{
    head h;
    memcpy(&h, bytes, sizeof h);
    if (h.magic != MAGIC || h.sources != p->n || h.sources > n - sizeof h || h.program != n - sizeof h - h.sources)
        return NULL;
    const char *const sources = bytes + sizeof h, *const program = sources + h.sources;
    *size = h.program;
    return !memcmp(sources, p->sources, p->n) && sum_of(&h, sources, program) == h.sum ? program : NULL;
}

static void *load(run_engine *e, const run_source *s, const place *p)
{
    size_t n, size = 0;
    const char *why;
    char *const bytes = contents(p->path, &n);
    const char *const program = bytes ? program_in(p, bytes, n, &size) : NULL;
    void *const got = program ? e->load(e, program, size, s, &why) : NULL;
    if (bytes && !got) unlink(p->path);
    if (bytes) base_pages_free(bytes, n);
    return got;
}

static void delete_old(const char *folder)
{
    DIR *const d = opendir(folder);
    for (const struct dirent *f; d && (f = readdir(d));) {
        char path[3400];
        struct stat s;
        if (strncmp(f->d_name, "pjrt-", 5)) continue;
        base_snprintf(path, sizeof path, "%s/%s", folder, f->d_name);
        if (!lstat(path, &s) && time(NULL) - s.st_mtime > KEPT) unlink(path);
    }
    if (d) closedir(d);
}

static bool write_all(int fd, const char *p, size_t n)
{
    while (n) {
        const ssize_t k = write(fd, p, n);
        if (k < 0 && errno == EINTR) continue;
        if (k <= 0) return false;
        p += k, n -= (size_t)k;
    }
    return true;
}

static void store(const place *p, const char *program, size_t n)
{
    static _Atomic int64_t number;
    char path[3200];
    head h = { MAGIC, 0, p->n, n, 0 };
    h.sum = sum_of(&h, p->sources, program);
    base_snprintf(path, sizeof path, "%s/pjrt-new-%ld-%lld", p->folder, (long)getpid(), (long long)number++);
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) return;
    bool good = write_all(fd, (const char *)&h, sizeof h) && write_all(fd, p->sources, p->n) &&
                write_all(fd, program, n);
    if (close(fd)) good = false;
    if (good && !rename(path, p->path)) delete_old(p->folder);
    else unlink(path);
}

static void save(run_engine *e, void *program, const place *p)
{
    const char *bytes, *why;
    size_t n = 0;
    void *const held = e->save(e, program, &bytes, &n, &why);
    if (held && n) store(p, bytes, n);
    if (held) e->release(e, held);
}

typedef struct { base_arena *arena; run_engine *engine; const run_source *source; place place; bool is; } placing;

static void find_place(void *env)
{
    placing *const p = env;
    p->arena = base_open();
    p->is = place_of(p->arena, p->engine, p->source, &p->place);
}

void *run_there_program(run_engine *e, const run_source *s, const char **why)
{
    static _Thread_local placing *p;                     /* large, and read after an unwinding */
    if (!p && !base_thread_memory(&p, sizeof *p)) return *why = "out of memory", NULL;
    *p = (placing){ .engine = e, .source = s };
    const bool caught = base_catch(find_place, p);
    void *program = caught && p->is ? load(e, s, &p->place) : NULL;
    if (program) atomic_fetch_add(&loaded, 1);
    else if (caught && (program = e->compile(e, s, why))) {
        atomic_fetch_add(&compiled, 1);
        if (p->is) save(e, program, &p->place);
    }
    base_close(p->arena);
    return program;
}
