/* ckpt/file.c - errors as text, and a folder of files as a store of named byte strings.
 *
 * Names come from files that may be damaged or hostile: only relative ones without "..", only regular files. */
#include "ckpt.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

bool ckpt_fail(ckpt_err *e, tt_code code, const char *fmt, ...)
{
    va_list v;
    if (e->code) return false;
    e->code = code;
    va_start(v, fmt);
    vsnprintf(e->text, sizeof e->text, fmt, v);
    va_end(v);
    return false;
}

tt_val ckpt_tell(const char *site, const ckpt_err *e)
{
    return tt_fail_at(site, e->code ? e->code : TT_EMEM, "%s", e->code ? e->text : "out of memory");
}

void ckpt_free(ckpt_bytes *b)
{
    free(b->p);
    *b = (ckpt_bytes){ 0 };
}

bool ckpt_room(ckpt_err *e, ckpt_bytes *b, size_t n)
{
    *b = (ckpt_bytes){ malloc(n ? n : 1), n };
    if (b->p) return true;
    b->n = 0;
    return ckpt_fail(e, TT_EMEM, "out of memory for %zu bytes", n);
}

char *ckpt_text(const char *fmt, ...)
{
    va_list v;
    va_start(v, fmt);
    char *s = NULL;
    if (vasprintf(&s, fmt, v) < 0) s = NULL;
    va_end(v);
    return s;
}

bool ckpt_key_good(const char *key)
{
    if (!*key || *key == '/') return false;
    for (const char *p = key; *p;) {
        const size_t n = strcspn(p, "/");
        if (!n || (n == 1 && *p == '.') || (n == 2 && p[0] == '.' && p[1] == '.')) return false;
        p += n + (p[n] == '/');
        if (!*p && p[-1] == '/') return false;
    }
    return true;
}

/* A file opened for reading, with its size; -1: none (absent), -2: an error. */
static int opened(const ckpt_store *s, const char *key, int64_t *size, ckpt_err *e)
{
    char path[CKPT_PATH];
    struct stat st;
    if (!ckpt_key_good(key) || snprintf(path, sizeof path, "%s/%s", s->root, key) >= (int)sizeof path) {
        ckpt_fail(e, TT_EDATA, "%s: \"%.200s\" is no name of a file in it", s->root, key);
        return -2;
    }
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) return -1;
    if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        ckpt_fail(e, TT_EIO, "%s: %s", path, fd < 0 ? strerror(errno) : "is no regular file");
        if (fd >= 0) close(fd);
        return -2;
    }
    *size = st.st_size;
    return fd;
}

static int64_t file_size(const ckpt_store *s, const char *key, ckpt_err *e)
{
    int64_t size = 0;
    const int fd = opened(s, key, &size, e);
    if (fd < 0) return fd;
    close(fd);
    return size;
}

/* All n bytes, or an error. */
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

/* The file, when it has these bytes; else -1, and an error. */
static int holding(const ckpt_store *s, const char *key, int64_t at, int64_t n, ckpt_err *e)
{
    int64_t size = 0;
    const int fd = opened(s, key, &size, e);
    if (fd == -1) ckpt_fail(e, TT_EDATA, "%s/%s is missing", s->root, key);
    if (fd < 0 || (at >= 0 && n >= 0 && at <= size && n <= size - at)) return fd < 0 ? -1 : fd;
    ckpt_fail(e, TT_EDATA, "%s/%s: has %lld bytes; bytes %lld to %lld were to be read", s->root, key, (long long)size,
              (long long)at, (long long)(at + n));
    close(fd);
    return -1;
}

static bool file_read(const ckpt_store *s, const char *key, int64_t at, int64_t n, void *to, ckpt_err *e)
{
    const int fd = holding(s, key, at, n, e);
    if (fd < 0) return false;
    const bool ok = all_of(fd, s->root, key, at, n, to, e);
    close(fd);
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
        if (!ok || k <= 0) continue;                     /* it stopped amid a place: the rest of that one by itself */
        const int64_t rest = (int64_t)v[i].iov_len - k;
        ok = all_of(fd, s->root, key, at + k, rest, (char *)v[i].iov_base + k, e);
        at += (int64_t)v[i++].iov_len;
    }
    if (fd >= 0) close(fd);
    return ok;
}

static void file_ahead(const ckpt_store *s, const char *key)
{
    ckpt_err quiet = { 0 };
    int64_t size = 0;
    const int fd = opened(s, key, &size, &quiet);
    if (fd < 0) return;
    posix_fadvise(fd, 0, 0, POSIX_FADV_WILLNEED);
    close(fd);
}

ckpt_store *ckpt_folder(const char *root, ckpt_err *e)
{
    ckpt_store *s = calloc(1, sizeof *s);
    if (s) *s = (ckpt_store){ .root = ckpt_text("%s", root), .size = file_size, .read = file_read,
                               .scatter = file_scatter, .ahead = file_ahead };
    if (s && s->root) return s;
    free(s);
    ckpt_fail(e, TT_EMEM, "out of memory");
    return NULL;
}

void ckpt_store_close(ckpt_store *s)
{
    if (!s) return;
    if (s->close) s->close(s);
    free(s->root);
    free(s);
}

bool ckpt_whole(const ckpt_store *s, const char *key, size_t most, ckpt_bytes *out, ckpt_err *e)
{
    const int64_t n = s->size(s, key, e);
    *out = (ckpt_bytes){ 0 };
    if (n < 0) return n == -1 ? ckpt_fail(e, TT_EDATA, "%s/%s is missing", s->root, key) : false;
    if ((size_t)n > most)
        return ckpt_fail(e, TT_EDATA, "%s/%s: has %lld bytes, more than %zu", s->root, key, (long long)n, most);
    if (!ckpt_room(e, out, (size_t)n)) return false;
    if (s->read(s, key, 0, n, out->p, e)) return true;
    ckpt_free(out);
    return false;
}

bool ckpt_json(const ckpt_store *s, const char *key, json_t **out, ckpt_err *e)
{
    ckpt_bytes b;
    json_error_t why;
    if (!ckpt_whole(s, key, (size_t)1 << 28, &b, e)) return false;
    *out = json_loadb((const char *)b.p, b.n, JSON_REJECT_DUPLICATES, &why);
    ckpt_free(&b);
    if (*out && json_is_object(*out)) return true;
    json_decref(*out);
    const bool read = *out != NULL;
    *out = NULL;
    return ckpt_fail(e, TT_EDATA, "%s/%s: %s%s", s->root, key, read ? "is no JSON object" : "is no whole JSON text: ",
                     read ? "" : why.text);
}

static bool stat_of(const char *dir, const char *name, struct stat *st)
{
    char path[CKPT_PATH];
    return snprintf(path, sizeof path, "%s/%s", dir, name) < (int)sizeof path && stat(path, st) == 0;
}

bool ckpt_is_file(const char *dir, const char *name)
{
    struct stat st;
    return stat_of(dir, name, &st) && S_ISREG(st.st_mode);
}

bool ckpt_is_dir(const char *dir, const char *name)
{
    struct stat st;
    return stat_of(dir, name, &st) && S_ISDIR(st.st_mode);
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

int ckpt_names(const char *dir, char ***out)
{
    DIR *d = opendir(dir);
    int n = 0, cap = 0;
    *out = NULL;
    if (!d) return -1;
    for (struct dirent *f; (f = readdir(d));) {
        if (f->d_name[0] == '.') continue;
        if (n == cap) {
            char **more = realloc(*out, (size_t)(cap = 2 * cap + 16) * sizeof *more);
            if (!more) break;
            *out = more;
        }
        if (!((*out)[n] = ckpt_text("%s", f->d_name))) break;
        n++;
    }
    closedir(d);
    if (n) qsort(*out, (size_t)n, sizeof **out, by_name);
    return n;
}

void ckpt_names_free(int n, char **name)
{
    for (int i = 0; i < n; i++) free(name[i]);
    free(name);
}
