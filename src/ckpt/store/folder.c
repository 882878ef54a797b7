/* ckpt/store/folder.c - a folder of files, or one file, as a store of named byte strings.
 *
 * The folder is opened once and every file is opened relative to it: if a save replaces the checkpoint meanwhile, a
 * mixture of both is never read. A single file stays open for the same reason. Names come from files that may be
 * damaged or hostile: only relative names without ".." are accepted, and only regular files. */
#include "../ckpt.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* A file opened for reading, with its size; -1: none (absent), -2: an error. */
static int folder_opened(const ckpt_store *s, const char *key, int64_t *size, ckpt_err *e)
{
    struct stat st;
    if (!ckpt_key_good(key)) {
        ckpt_fail(e, TT_EDATA, "%s: \"%.200s\" is not the name of a file in the folder", s->root, key);
        return -2;
    }
    if (s->own && strcmp(s->own, key) != 0) return -1;
    const int fd = s->own ? s->fd : openat(s->fd, key, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) return -1;
    if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        ckpt_fail(e, TT_EIO, "%s/%.1000s: %s", s->root, key, fd < 0 ? strerror(errno) : "is not a regular file");
        if (fd >= 0 && fd != s->fd) close(fd);
        return -2;
    }
    *size = st.st_size;
    return fd;
}

static void done(const ckpt_store *s, int fd)
{
    if (fd >= 0 && fd != s->fd) close(fd);
}

static int64_t file_size(const ckpt_store *s, const char *key, ckpt_err *e)
{
    int64_t size = 0;
    const int fd = folder_opened(s, key, &size, e);
    done(s, fd);
    return fd < 0 ? fd : size;
}

/* Reads exactly n bytes, or sets an error. */
static bool all_of(int fd, const char *root, const char *key, int64_t at, int64_t n, void *to, ckpt_err *e)
{
    while (n > 0) {
        const ssize_t k = pread(fd, to, n > 1 << 30 ? 1 << 30 : (size_t)n, at);
        if (k < 0 && errno == EINTR) continue;
        if (k <= 0) return ckpt_fail(e, TT_EIO, "%s/%s: %s", root, key, k ? strerror(errno) : "became shorter");
        to = (char *)to + k, at += k, n -= k;
    }
    return true;
}

/* The file, if it has these bytes; else -1, and an error. */
static int holding(const ckpt_store *s, const char *key, int64_t at, int64_t n, ckpt_err *e)
{
    int64_t size = 0;
    const int fd = folder_opened(s, key, &size, e);
    if (fd == -1) ckpt_fail(e, TT_EDATA, "%s/%s is missing", s->root, key);
    if (fd < 0 || (at >= 0 && n >= 0 && at <= size && n <= size - at)) return fd < 0 ? -1 : fd;
    ckpt_fail(e, TT_EDATA, "%s/%s: has %lld bytes; bytes %lld to %lld were to be read", s->root, key, (long long)size,
              (long long)at, (long long)(at + n));
    done(s, fd);
    return -1;
}

static bool file_read(const ckpt_store *s, const char *key, int64_t at, int64_t n, void *to, ckpt_err *e)
{
    const int fd = holding(s, key, at, n, e);
    if (fd < 0) return false;
    const bool ok = all_of(fd, s->root, key, at, n, to, e);
    done(s, fd);
    return ok;
}

static bool file_scatter(const ckpt_store *s, const char *key, int64_t at, const struct iovec *v, int n, ckpt_err *e)
{
    int64_t bytes = 0;
    for (int i = 0; i < n; i++) bytes += (int64_t)v[i].iov_len;
    const int fd = holding(s, key, at, bytes, e);
    bool ok = fd >= 0;
    for (int i = 0; ok && i < n;) {
        ssize_t k = preadv(fd, v + i, n - i, at);
        if (k < 0 && errno == EINTR) continue;
        if (k <= 0)
            ok = ckpt_fail(e, TT_EIO, "%s/%s: %s", s->root, key, k ? strerror(errno) : "became shorter");
        while (ok && i < n && k >= (ssize_t)v[i].iov_len) at += (int64_t)v[i].iov_len, k -= (ssize_t)v[i++].iov_len;
        if (!ok || k <= 0) continue;                     /* it stopped within a buffer: read the rest of that one */
        const int64_t rest = (int64_t)v[i].iov_len - k;
        ok = all_of(fd, s->root, key, at + k, rest, (char *)v[i].iov_base + k, e);
        at += (int64_t)v[i++].iov_len;
    }
    done(s, fd);
    return ok;
}

static void file_ahead(const ckpt_store *s, const char *key)
{
    ckpt_err quiet = { 0 };
    int64_t size = 0;
    const int fd = folder_opened(s, key, &size, &quiet);
    if (fd >= 0) posix_fadvise(fd, 0, 0, POSIX_FADV_WILLNEED);
    done(s, fd);
}

void *ckpt_file_map(const ckpt_store *s, const char *key, int64_t *n, int *descriptor)
{
    ckpt_err quiet = { 0 };
    const int fd = s->close ? -1 : folder_opened(s, key, n, &quiet);
    void *const at = fd >= 0 && *n > 0 ? mmap(NULL, (size_t)*n, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    *descriptor = at == MAP_FAILED ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
    done(s, fd);
    return at == MAP_FAILED ? NULL : at;
}

/* Takes the descriptor. name: of the file, for a single file. */
static ckpt_store *store_of(const char *root, int fd, const char *name, ckpt_err *e)
{
    ckpt_store *s = calloc(1, sizeof *s);
    if (s) *s = (ckpt_store){ .root = ckpt_text("%s", root), .fd = fd, .size = file_size, .read = file_read,
                              .scatter = file_scatter, .ahead = file_ahead };
    if (s && name) s->own = ckpt_text("%s", name);
    if (s && s->root && !name == !s->own) return s;
    if (s) free(s->root), free(s->own);
    free(s);
    close(fd);
    ckpt_fail(e, TT_EMEM, "out of memory");
    return NULL;
}

ckpt_store *ckpt_folder(const char *root, ckpt_err *e)
{
    const int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) return store_of(root, fd, NULL, e);
    ckpt_fail(e, TT_EIO, "%s: %s", root, strerror(errno));
    return NULL;
}

ckpt_store *ckpt_folder_in(const ckpt_store *s, const char *sub, ckpt_err *e)
{
    char path[2 * CKPT_PATH];
    const int fd = openat(s->fd, *sub ? sub : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    snprintf(path, sizeof path, "%.4000s%s%.4000s", s->root, *sub ? "/" : "", sub);
    if (fd >= 0) return store_of(path, fd, NULL, e);
    ckpt_fail(e, TT_EIO, "%s: %s", path, strerror(errno));
    return NULL;
}

ckpt_store *ckpt_single(const char *path, const char **key, ckpt_err *e)
{
    const char *slash = strrchr(path, '/');
    char dir[CKPT_PATH];
    *key = slash ? slash + 1 : path;
    ckpt_above(path, dir, sizeof dir);
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0) return store_of(dir, fd, *key, e);
    ckpt_fail(e, TT_EIO, "%s: %s", path, strerror(errno));
    return NULL;
}

void ckpt_store_close(ckpt_store *s)
{
    if (!s) return;
    if (s->close) s->close(s);
    else free(s->own);
    if (s->fd >= 0) close(s->fd);
    free(s->root);
    free(s);
}

/* ---- the names in a folder ---- */

static bool is_kind(int fd, const char *name, mode_t kind)
{
    struct stat st;
    return fstatat(fd, name, &st, 0) == 0 && (st.st_mode & S_IFMT) == kind;
}

bool ckpt_has(const ckpt_store *s, const char *name) { return is_kind(s->fd, name, S_IFREG); }
bool ckpt_has_dir(const ckpt_store *s, const char *name) { return is_kind(s->fd, name, S_IFDIR); }

static bool folder_named(const char *dir, const char *name, mode_t kind)
{
    char path[CKPT_PATH];
    return snprintf(path, sizeof path, "%s/%s", dir, name) < (int)sizeof path && is_kind(AT_FDCWD, path, kind);
}

bool ckpt_is_file(const char *dir, const char *name) { return folder_named(dir, name, S_IFREG); }
bool ckpt_is_dir(const char *dir, const char *name) { return folder_named(dir, name, S_IFDIR); }

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

int ckpt_names_in(const ckpt_store *s, char ***out, ckpt_err *e)
{
    const int fd = openat(s->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    int n = 0, cap = 0;
    *out = NULL;
    if (!d && fd >= 0) close(fd);
    if (!d) return ckpt_fail(e, TT_EIO, "%s: %s", s->root, strerror(errno)), -1;
    bool ok = true;
    for (struct dirent *f; ok && (errno = 0, f = readdir(d)) != NULL;) {
        if (f->d_name[0] == '.') continue;
        char **more = n == cap ? realloc(*out, (size_t)(cap = 2 * cap + 16) * sizeof *more) : *out;
        if (more) *out = more;
        ok = more && ((*out)[n] = ckpt_text("%s", f->d_name)) != NULL;
        if (ok) n++;
        else ckpt_fail(e, TT_EMEM, "%s: out of memory for its names", s->root);
    }
    if (ok && errno) ok = ckpt_fail(e, TT_EIO, "%s: %s", s->root, strerror(errno));
    closedir(d);
    if (!ok) {
        ckpt_names_free(n, *out);
        return *out = NULL, -1;
    }
    if (n) qsort(*out, (size_t)n, sizeof **out, by_name);
    return n;
}

int ckpt_names(const char *dir, char ***out, ckpt_err *e)
{
    *out = NULL;
    ckpt_store *s = ckpt_folder(dir, e);
    const int n = s ? ckpt_names_in(s, out, e) : -1;
    ckpt_store_close(s);
    return n;
}

void ckpt_names_free(int n, char **name)
{
    for (int i = 0; i < n; i++) free(name[i]);
    free(name);
}
