/* data/file.c - reads and writes complete files. Gzip is recognised by its first bytes and unpacked by zlib. */
#include "data.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
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

/* True if there is space for more bytes behind the n that are in use. */
static bool file_reserve(data_bytes *b, size_t *cap)
{
    if (b->p && b->n < *cap) return true;
    uint8_t *more = realloc(b->p, *cap = b->p ? 2 * *cap : *cap);
    if (more) b->p = more;
    return more != NULL;
}

static const char *raw(const char *path, size_t cap, data_bytes *out)
{
    FILE *f = fopen(path, "rb");
    const char *why = f ? NULL : strerror(errno);
    for (size_t got = 1; !why && got; out->n += got) {
        if (!file_reserve(out, &cap)) why = "out of memory", got = 0;
        else if (!(got = fread(out->p + out->n, 1, cap - out->n, f)) && ferror(f)) why = strerror(errno);
    }
    if (f) fclose(f);
    return why;
}

/* Decompresses gzip's members, one behind the other. Zeros behind the last are padding. */
static const char *inflated(data_bytes in, data_bytes *out)
{
    z_stream z = { .next_in = in.p };
    size_t cap = 4 * in.n + 65536, left = in.n;
    const char *why = inflateInit2(&z, 15 + 16) == Z_OK ? NULL : "out of memory";
    if (why) return why;
    while (!why) {
        if (!file_reserve(out, &cap)) { why = "out of memory"; break; }
        const size_t space = cap - out->n;
        const uInt take = left > 1 << 30 ? 1u << 30 : (uInt)left, give = space > 1 << 30 ? 1u << 30 : (uInt)space;
        z.avail_in = take, z.avail_out = give;
        z.next_out = out->p + out->n;
        const int code = inflate(&z, Z_NO_FLUSH);
        left -= take - z.avail_in, out->n += give - z.avail_out;
        if (code == Z_STREAM_END) {
            if (left > 1 && z.next_in[0] == 0x1f && z.next_in[1] == 0x8b) {
                inflateReset(&z);
                continue;
            }
            while (left && !*z.next_in) z.next_in++, left--;
            if (left) why = "there are bytes behind the compressed data";
            break;
        }
        if (code == Z_BUF_ERROR || (code == Z_OK && !left && z.avail_out))
            why = "the file ends before its compressed data do";
        else if (code != Z_OK) why = code == Z_MEM_ERROR ? "out of memory" : "the compressed data are damaged";
    }
    inflateEnd(&z);
    return why;
}

/* NULL: success; else the reason (static text), and nothing is owned. Decompresses what begins as gzip does. */
const char *data_read(const char *path, data_bytes *out)
{
    struct stat st;
    *out = (data_bytes){ 0 };
    if (stat(path, &st) != 0) return strerror(errno);
    if (S_ISDIR(st.st_mode)) return "is a folder";
    const char *why = raw(path, (size_t)st.st_size + 65536, out);
    if (!why && out->n > 1 && out->p[0] == 0x1f && out->p[1] == 0x8b) {
        data_bytes packed = *out;
        *out = (data_bytes){ 0 };
        why = inflated(packed, out);
        data_free(&packed);
    }
    if (why) data_free(out);
    return why;
}

bool data_slurp(const char *site, const char *path, data_bytes *out)
{
    *out = (data_bytes){ 0 };
    if (!path || !*path) return tt_fail_at(site, TT_EARG, path ? "the path is empty" : "the path is NULL"), false;
    const char *why = data_read(path, out);
    return why ? failed(site, access(path, R_OK) ? TT_EIO : TT_EDATA, path, why) : true;
}

/* A number of the host and, on it, of the space of process numbers: processes of other hosts and containers, which may
 * write to the same folder, have the same process numbers. It is FNV-1a of both names. */
static unsigned long long here(void)
{
    struct utsname u;
    char space[64] = "";
    const ssize_t n = readlink("/proc/self/ns/pid", space, sizeof space - 1);
    unsigned long long h = 0xcbf29ce484222325u;
    if (uname(&u) != 0) u.nodename[0] = 0;
    for (const char *p = u.nodename; *p; p++) h = (h ^ (unsigned char)*p) * 0x100000001b3u;
    for (ssize_t i = -1; i < n; i++) h = (h ^ (i < 0 ? 0 : (unsigned char)space[i])) * 0x100000001b3u;
    return h;
}

bool data_part_of(const char *path, char part[DATA_PATH])
{
    return snprintf(part, DATA_PATH, "%s.part-%016llx-%ld-%ld", path, here(), (long)getpid(), syscall(SYS_gettid)) <
           DATA_PATH;
}

bool data_begin(const char *site, const char *path, data_file *f)
{
    *f = (data_file){ .fd = -1, .path = path };
    if (!path || !*path) return tt_fail_at(site, TT_EARG, path ? "the path is empty" : "the path is NULL"), false;
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))        /* a device must not be replaced by a file */
        return failed(site, TT_EIO, path, S_ISDIR(st.st_mode) ? "is a folder" : "is not an ordinary file");
    if (!data_part_of(path, f->part)) return failed(site, TT_EIO, path, "the path is too long");
    f->fd = open(f->part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return f->fd >= 0 || failed(site, TT_EIO, path, strerror(errno));
}

bool data_append(const char *site, data_file *f, const void *p, size_t n)
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

/* True if the name, "HOST-PID-TID", is of this host, and no thread has its process and thread numbers. */
static bool is_left(const char *name)
{
    char *end;
    if (strtoull(name, &end, 16) != here() || end != name + 16 || *end != '-') return false;
    const long pid = strtol(end + 1, &end, 10), thread = *end == '-' ? strtol(end + 1, &end, 10) : 0;
    if (*end || pid <= 1 || thread <= 1) return false;
    return syscall(SYS_tgkill, pid, thread, 0) != 0 && errno == ESRCH;
}

/* Removes the remains of earlier writes to this path by threads of this host that have ended. */
static void swept(const char *dir, const char *base)
{
    DIR *d = opendir(dir);
    const size_t n = strlen(base);
    for (struct dirent *f; d && (f = readdir(d));) {
        if (strncmp(f->d_name, base, n) != 0 || strncmp(f->d_name + n, ".part-", 6) != 0) continue;
        if (is_left(f->d_name + n + 6)) unlinkat(dirfd(d), f->d_name, 0);
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
    return data_begin(site, path, &f) && data_done(site, &f, data_append(site, &f, p, n));
}

uint32_t data_crc(const uint8_t *p, size_t n) { return (uint32_t)crc32_z(crc32_z(0, NULL, 0), p, n); }
