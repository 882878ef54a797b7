/* data/file.c - whole files in and out. Gzip is seen by its first bytes and unpacked by zlib. */
#include "data.h"

#include <errno.h>
#include <fcntl.h>
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

/* gzread passes plain files through unchanged. NULL: read; else why not (static text), and nothing is owned. */
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
        const size_t room = cap - out->n;
        got = gzread(f, out->p + out->n, room > 1 << 30 ? 1u << 30 : (unsigned)room);
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
    const char *why = data_read(path, out);
    return why ? failed(site, access(path, R_OK) ? TT_EIO : TT_EDATA, path, why) : true;
}

static bool written(int fd, const uint8_t *p, size_t n)
{
    while (n) {
        const ssize_t k = write(fd, p, n);
        if (k < 0 && errno == EINTR) continue;
        if (k <= 0) return false;
        p += k;
        n -= (size_t)k;
    }
    return fsync(fd) == 0;
}

bool data_write(const char *site, const char *path, const void *p, size_t n)
{
    char part[4096];
    if (snprintf(part, sizeof part, "%s.part-%ld", path, (long)getpid()) >= (int)sizeof part)
        return failed(site, TT_EIO, path, "the path is too long");
    const int fd = open(part, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd < 0) return failed(site, TT_EIO, path, strerror(errno));
    const bool ok = written(fd, p, n);
    const int why = errno;
    if (close(fd) == 0 && ok && rename(part, path) == 0) return true;
    failed(site, TT_EIO, path, strerror(ok ? errno : why));
    unlink(part);
    return false;
}

uint32_t data_crc(const uint8_t *p, size_t n) { return (uint32_t)crc32_z(crc32_z(0, NULL, 0), p, n); }
