/* data/file.c - reads and writes complete files. Gzip is recognised by its first bytes and unpacked by zlib. */
#include "data.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

void data_free(data_bytes *b)
{
    free(b->p);
    *b = (data_bytes){ 0 };
}

bool data_exists(const char *path) { return access(path, R_OK) == 0; }

static bool failed(const char *site, tt_code code, const char *path, const char *why)
{
    tt_fail_at(site, code, "%s: %s", path, why);
    return false;
}

/* gzread passes plain files through unchanged. NULL: success; else the reason (static text), and nothing is owned. */
const char *data_read(const char *path, data_bytes *out)
{
    struct stat st;
    const char *why = NULL;
    *out = (data_bytes){ 0 };
    if (stat(path, &st) != 0) return strerror(errno);
    if (S_ISDIR(st.st_mode)) return "is a folder";
    gzFile f = gzopen(path, "rb");
    if (!f) return strerror(errno);
    size_t cap = (size_t)st.st_size + 65536;
    gzbuffer(f, 1 << 17);
    for (int got = 1, code; got > 0 && !why;) {
        uint8_t *more = out->n + 65536 > cap || !out->p ? realloc(out->p, cap = out->p ? 2 * cap : cap) : out->p;
        if (!more) { why = "out of memory"; break; }
        out->p = more;
        const size_t capacity = cap - out->n;
        got = gzread(f, out->p + out->n, capacity > 1 << 30 ? 1u << 30 : (unsigned)capacity);
        if (got > 0) out->n += (size_t)got;
        gzerror(f, &code);
        if (got <= 0 && code == Z_BUF_ERROR) why = "the file ends before its compressed data do";
        else if (got < 0) why = code == Z_ERRNO ? strerror(errno) : "the compressed data are damaged";
    }
    gzclose(f);
    if (why) data_free(out);
    return why;
}

bool data_slurp(const char *site, const char *path, data_bytes *out)
{
    if (!path) return *out = (data_bytes){ 0 }, tt_fail_at(site, TT_EARG, "no path: it is NULL"), false;
    const char *why = data_read(path, out);
    return why ? failed(site, access(path, R_OK) ? TT_EIO : TT_EDATA, path, why) : true;
}

bool data_begin(const char *site, const char *path, data_file *f)
{
    *f = (data_file){ .fd = -1, .path = path };
    if (!path) return tt_fail_at(site, TT_EARG, "no path: it is NULL"), false;
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))        /* a device must not be replaced by a file */
        return failed(site, TT_EIO, path, S_ISDIR(st.st_mode) ? "is a folder" : "is no ordinary file");
    if (snprintf(f->part, sizeof f->part, "%s.part-%ld", path, (long)getpid()) >= (int)sizeof f->part)
        return failed(site, TT_EIO, path, "the path is too long");
    f->fd = open(f->part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return f->fd >= 0 || failed(site, TT_EIO, path, strerror(errno));
}

bool data_put(const char *site, data_file *f, const void *p, size_t n)
{
    while (n) {
        const ssize_t k = write(f->fd, p, n > 1 << 30 ? 1 << 30 : n);
        if (k < 0 && errno == EINTR) continue;
        if (k <= 0) return failed(site, TT_EIO, f->path, strerror(k ? errno : ENOSPC));
        p = (const char *)p + k;
        n -= (size_t)k;
    }
    return true;
}

/* Removes the remains of earlier writes to this path by dead processes. */
static void swept(const char *dir, const char *base)
{
    DIR *d = opendir(dir);
    const size_t n = strlen(base);
    for (struct dirent *f; d && (f = readdir(d));) {
        if (strncmp(f->d_name, base, n) != 0 || strncmp(f->d_name + n, ".part-", 6) != 0) continue;
        char *end;
        const long pid = strtol(f->d_name + n + 6, &end, 10);
        if (!*end && pid > 1 && kill((pid_t)pid, 0) != 0 && errno == ESRCH) unlinkat(dirfd(d), f->d_name, 0);
    }
    if (d) closedir(d);
}

bool data_done(const char *site, data_file *f, bool ok)
{
    char dir[4096] = ".";
    const char *slash = strrchr(f->path, '/');
    if (slash) snprintf(dir, sizeof dir, "%.*s", slash == f->path ? 1 : (int)(slash - f->path), f->path);
    if (ok && fsync(f->fd) != 0) ok = failed(site, TT_EIO, f->path, strerror(errno));
    if (f->fd >= 0 && close(f->fd) != 0 && ok) ok = failed(site, TT_EIO, f->path, strerror(errno));
    if (ok && rename(f->part, f->path) != 0) ok = failed(site, TT_EIO, f->path, strerror(errno));
    if (!ok && f->fd >= 0) unlink(f->part);
    if (!ok) return false;
    const int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || (fsync(fd) != 0 && errno != EINVAL)) ok = failed(site, TT_EIO, f->path, strerror(errno));
    if (fd >= 0) close(fd);
    if (ok) swept(dir, slash ? slash + 1 : f->path);
    return ok;
}

bool data_write(const char *site, const char *path, const void *p, size_t n)
{
    data_file f;
    return data_begin(site, path, &f) && data_done(site, &f, data_put(site, &f, p, n));
}

uint32_t data_crc(const uint8_t *p, size_t n) { return (uint32_t)crc32_z(crc32_z(0, NULL, 0), p, n); }
