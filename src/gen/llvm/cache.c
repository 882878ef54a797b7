/* gen/llvm/cache.c - compiled kernels on disk: a process that finds all its kernels here never opens LLVM.
 *
 * A kernel is a file named by a hash of its sources: Tutti's version, LLVM's version, and the kernel's text, which
 * names the instruction set. The file contains these sources too, and a checksum; a file that differs is deleted and
 * its kernel compiled again. Files are written under another name and renamed, so that several processes may use a
 * folder at once. A kernel that cannot be written is counted; the process still runs it. A folder is used only if no
 * other user may write to it. Files unused for sixty days are deleted when a kernel is added.
 *
 * The version of LLVM is not known before LLVM is opened: the file "llvm" records the version that was opened last, and
 * is valid as long as that library is the same file. */
#include "llvm.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tutti.h"

enum { MAGIC = 0x31545454, LARGEST = 1 << 24, DAY = 86400, KEPT = 60 * DAY, ABANDONED = 3600 };
typedef struct {                                         /* followed by the sources, then the code */
    uint32_t magic, made_from, code, entry;
    uint64_t sum;                                        /* of all that follows, and of the fields above */
} head;

static char folder[3000];                                /* empty: no cache */
static _Atomic(const char *) versions;                   /* NULL: not known yet */
static _Atomic int64_t temporary;                        /* number of the next temporary file */

static uint64_t hash(uint64_t h, const char *p, size_t n)
{
    for (; n >= 8; p += 8, n -= 8) {
        uint64_t w;
        memcpy(&w, p, 8);
        h = (h ^ w) * 0x9e3779b97f4a7c15u, h ^= h >> 29;
    }
    for (; n; p++, n--) h = (h ^ (unsigned char)*p) * 0x9e3779b97f4a7c15u, h ^= h >> 29;
    return (h ^ h >> 32) * 0xd6e8feb86659fd93u;
}

/* ---- the folder ---- */

/* NULL if the path is a folder that this user owns, and no other may write to; else what it is. */
static const char *not_usable(const char *path)
{
    struct stat s;
    if (stat(path, &s)) return strerror(errno);
    if (!S_ISDIR(s.st_mode)) return "it is no folder";
    if (s.st_uid != geteuid()) return "it belongs to another user";
    return s.st_mode & (S_IWGRP | S_IWOTH) ? "others may write to it" : NULL;
}

/* NULL if the folder is there and usable; else why it is not. */
static const char *make_folders(char *path)
{
    for (char *p = path + 1; *p; p++) {
        if (*p != '/') continue;
        *p = '\0';
        mkdir(path, 0700);
        *p = '/';
    }
    mkdir(path, 0700);
    return not_usable(path);
}

/* The contents of a file, followed by a zero; to be freed. NULL: no file, or too large. */
static char *contents(const char *path, size_t *n)
{
    struct stat s;
    char *text = NULL;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return NULL;
    if (!fstat(fd, &s) && S_ISREG(s.st_mode) && s.st_size < LARGEST) text = malloc((size_t)s.st_size + 1);
    for (*n = 0; text && *n < (size_t)s.st_size;) {
        const ssize_t k = read(fd, text + *n, (size_t)s.st_size - *n);
        if (k < 0 && errno == EINTR) continue;
        if (k <= 0) break;
        *n += (size_t)k;
    }
    if (text) text[*n] = '\0';
    if (text && time(NULL) - s.st_mtime > DAY) futimens(fd, NULL); /* marks the file as used */
    close(fd);
    return text;
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

/* Replaces the file `name` by a new one, completely or not at all. */
static bool cache_store(const char *name, const char *const part[], const size_t n[], int parts)
{
    char path[4000], to[4000];
    snprintf(path, sizeof path, "%s/new-%ld-%lld", folder, (long)getpid(), (long long)temporary++);
    snprintf(to, sizeof to, "%s/%s", folder, name);
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) return false;
    bool good = true;
    for (int i = 0; i < parts && good; i++) good = write_all(fd, part[i], n[i]);
    if (close(fd)) good = false;
    if (good && !rename(path, to)) return true;
    unlink(path);
    return false;
}

/* Sets `versions` to a line written in `text`, a buffer that is never freed. The two sources of LLVM's version, the
 * record and LLVM itself, have a buffer each. */
static void name_versions(char text[static 256], const char *llvm)
{
    snprintf(text, 256, "Tutti %s, interface %u, LLVM %s\n", TT_VERSION, GEN_ABI, llvm);
    atomic_store(&versions, text);
}

/* A line that changes if the library is replaced by another one. */
static bool describe(const llvm_found *l, char *line, size_t capacity)
{
    struct stat s;
    if (!*l->file || stat(l->file, &s)) return false;
    return snprintf(line, capacity, "%s\n%s\n%lld %lld.%09ld\n", l->version, l->file, (long long)s.st_size,
                    (long long)s.st_mtim.tv_sec, s.st_mtim.tv_nsec) < (int)capacity;
}

void llvm_cache_open(void)
{
    const char *word = llvm_host->option("cache"), *xdg = secure_getenv("XDG_CACHE_HOME"),
        *home = secure_getenv("HOME");
    char path[sizeof folder], now[sizeof(llvm_found) + 64];
    int n = -1;
    static char recorded[256];
    if (llvm_host->option("no-cache")) return;
    if (word && *word) n = snprintf(path, sizeof path, "%s", word);
    else if (xdg && *xdg == '/') n = snprintf(path, sizeof path, "%s/tutti", xdg);
    else if (home && *home == '/') n = snprintf(path, sizeof path, "%s/.cache/tutti", home);
    const char *const why = n <= 0 || n >= (int)sizeof path ? "its path is too long" : make_folders(path);
    if (why && word && *word)
        llvm_host->log("note: TUTTI=cache:%s is not used, %s: compiled loops are not kept", word, why);
    if (why) return;
    memcpy(folder, path, (size_t)n + 1);
    char record[sizeof folder + 8];
    snprintf(record, sizeof record, "%s/llvm", folder);
    size_t bytes = 0;
    char *text = contents(record, &bytes);
    llvm_found l = { "", "" };
    const bool read = text && sscanf(text, "%31[^\n]\n%1023[^\n]", l.version, l.file) == 2;
    if (read && describe(&l, now, sizeof now) && !strcmp(now, text)) name_versions(recorded, l.version);
    free(text);
}

void llvm_cache_knows(const llvm_found *l)
{
    static char opened[256];
    char now[sizeof *l + 64];
    const char *before = versions;
    if (!*folder) return;
    name_versions(opened, l->version);
    if ((before && !strcmp(before, opened)) || !describe(l, now, sizeof now)) return;
    cache_store("llvm", (const char *const[]){ now }, (size_t[]){ strlen(now) }, 1);
}

/* ---- kernels ---- */

static uint64_t cache_sum(const head *h, const char *from, size_t nfrom, const char *code)
{
    const uint64_t s = hash(hash(h->magic, from, nfrom), code, h->code);
    return hash(s, (const char *)h, offsetof(head, sum));
}

static void cache_name_of(const char *text, char *name, size_t capacity)
{
    const uint64_t v = hash(1, versions, strlen(versions));
    const uint64_t a = hash(v, text, strlen(text)), b = hash(~v, text, strlen(text));
    snprintf(name, capacity, "%016llx%016llx", (unsigned long long)a, (unsigned long long)b);
}

/* Takes the kernel from a file's bytes. Returns false if the file is damaged or has another kernel, or if memory is
 * short. */
static bool cache_take(const char *file, size_t n, const char *text, llvm_code *code)
{
    const size_t nv = strlen(versions), nt = strlen(text);
    head h;
    if (n < sizeof h) return false;
    memcpy(&h, file, sizeof h);
    const char *from = file + sizeof h, *at = from + nv + nt;
    if (h.magic != MAGIC || h.made_from != nv + nt || (uint64_t)n != sizeof h + (uint64_t)h.made_from + h.code)
        return false;
    if (!h.code || h.entry >= h.code || memcmp(from, versions, nv) || memcmp(from + nv, text, nt)) return false;
    if (cache_sum(&h, from, nv + nt, at) != h.sum) return false;
    *code = (llvm_code){ malloc(h.code), h.code, h.entry };
    if (code->at) memcpy(code->at, at, h.code);
    return code->at != NULL;
}

bool llvm_cache_find(const char *text, llvm_code *code)
{
    char name[64], path[4000];
    size_t n = 0;
    if (!*folder || !versions) return false;
    cache_name_of(text, name, sizeof name);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    char *file = contents(path, &n);
    const bool good = file && cache_take(file, n, text, code);
    if (file && !good) unlink(path), llvm_counts.damaged++;
    free(file);
    return good;
}

/* Deletes files that have long been unused, and temporary files of processes that were killed. */
static void tidy(void)
{
    DIR *d = opendir(folder);
    const time_t now = time(NULL);
    for (struct dirent *e; d && (e = readdir(d));) {
        struct stat s;
        const bool left = !strncmp(e->d_name, "new-", 4);
        const bool kernel = strspn(e->d_name, "0123456789abcdef") == 32 && !e->d_name[32];
        if ((!left && !kernel) || fstatat(dirfd(d), e->d_name, &s, AT_SYMLINK_NOFOLLOW)) continue;
        if (now - s.st_mtime > (left ? ABANDONED : KEPT)) unlinkat(dirfd(d), e->d_name, 0);
    }
    if (d) closedir(d);
}

void llvm_cache_keep(const char *text, const llvm_code *code)
{
    static atomic_bool tidied;
    char name[64];
    if (!*folder || !versions) return;
    head h = { MAGIC, (uint32_t)(strlen(versions) + strlen(text)), (uint32_t)code->n, (uint32_t)code->entry, 0 };
    if (code->n >= LARGEST / 2 || h.made_from >= LARGEST / 4) return;
    if (!atomic_exchange(&tidied, true)) tidy();
    char *from = malloc(h.made_from + 1);
    if (from) {
        strcat(strcpy(from, versions), text);
        h.sum = cache_sum(&h, from, h.made_from, code->at);
        cache_name_of(text, name, sizeof name);
    }
    const bool kept = from && cache_store(name, (const char *const[]){ (const char *)&h, from, code->at },
                                          (size_t[]){ sizeof h, h.made_from, code->n }, 3);
    if (!kept) llvm_counts.unwritten++;
    free(from);
}
