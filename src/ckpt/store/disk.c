/* ckpt/store/disk.c - durable files: written once under a new name, synced, their folders synced, renamed into place.
 *
 * A failure of fsync is final: the kernel forgets which pages were not written, so repeating it proves nothing. */
#include "../ckpt.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

const char ckpt_suffix[] = ".orbax-checkpoint-tmp";

static bool failed(ckpt_err *e, const char *what, const char *path)
{
    const int why = errno;
    return ckpt_fail(e, TT_EIO, "%s: %s: %s", path, what, strerror(why));
}

/* Opens the file. If there is no descriptor, it waits for those of files that are being synced: a save with few of them
 * is slower, but whole. */
static int disk_opened(const char *path, int how)
{
    uint64_t seen = ckpt_sync_closed();
    for (;;) {
        const int fd = open(path, how | O_CLOEXEC, 0666);
        if (fd >= 0 || (errno != EMFILE && errno != ENFILE)) return fd;
        const int why = errno;
        if (!ckpt_sync_closes(&seen)) return errno = why, -1;
    }
}

bool ckpt_random_name(char hex[33], ckpt_err *e)          /* 128 bits */
{
    uint8_t b[16];
    const int fd = disk_opened("/dev/urandom", O_RDONLY);
    if (fd < 0) return failed(e, "cannot be opened", "/dev/urandom");
    const bool ok = read(fd, b, sizeof b) == (ssize_t)sizeof b;
    close(fd);
    for (int i = 0; i < 16; i++) snprintf(hex + 2 * i, 3, "%02x", b[i]);
    return ok || ckpt_fail(e, TT_EIO, "/dev/urandom: no random bytes for the name of a file");
}

bool ckpt_file_new(ckpt_file *f, const char *dir, const char *name, ckpt_err *e)
{
    f->crc = 0;
    f->n = 0;
    if (snprintf(f->path, sizeof f->path, "%s/%s", dir, name) >= (int)sizeof f->path)
        return ckpt_fail(e, TT_EARG, "%.200s...: the path is longer than %d bytes", dir, (int)sizeof f->path - 1);
    f->fd = disk_opened(f->path, O_WRONLY | O_CREAT | O_EXCL);
    return f->fd >= 0 || failed(e, "cannot be made", f->path);
}

bool ckpt_file_write(ckpt_file *f, const void *p, size_t n, ckpt_err *e)
{
    return ckpt_file_write_known(f, p, n, 0, 0, e);
}

bool ckpt_file_write_known(ckpt_file *f, const void *p, size_t n, size_t known, uint32_t crc, ckpt_err *e)
{
    if (known) f->crc = ckpt_crc32c_join(f->crc, crc, known);
    f->crc = ckpt_crc32c(f->crc, (const char *)p + known, n - known);
    f->n += (int64_t)n;
    while (n) {
        const ssize_t k = write(f->fd, p, n > 1 << 30 ? 1 << 30 : n);
        if (k < 0 && errno == EINTR) continue;
        if (k == 0) errno = ENOSPC;
        if (k <= 0) return failed(e, "is not written", f->path);
        p = (const char *)p + k;
        n -= (size_t)k;
    }
    return true;
}

bool ckpt_file_close(ckpt_file *f, bool ok, ckpt_err *e)
{
    if (f->fd < 0) return false;
    if (ok && fsync(f->fd) != 0) ok = failed(e, "is not written to the disk", f->path);
    if (close(f->fd) != 0 && ok) ok = failed(e, "is not written", f->path);
    f->fd = -1;
    return ok;
}

bool ckpt_file_hand(ckpt_file *f, ckpt_sync *s, bool ok)
{
    if (f->fd < 0) return false;
    if (ok) ckpt_sync_add(s, f->fd, false, f->path);
    else close(f->fd);
    f->fd = -1;
    return ok;
}

bool ckpt_file_text(const char *dir, const char *name, const char *text, size_t n, uint32_t *crc, ckpt_err *e)
{
    ckpt_file f;
    if (!ckpt_file_new(&f, dir, name, e)) return false;
    const bool ok = ckpt_file_close(&f, ckpt_file_write(&f, text, n, e), e);
    if (crc) *crc = f.crc;
    return ok;
}

bool ckpt_dir_make(const char *path, ckpt_err *e)
{
    return mkdir(path, 0777) == 0 || (errno == EEXIST && ckpt_is_dir(path, ".")) || failed(e, "cannot be made", path);
}

bool ckpt_dir_sync(const char *path, ckpt_err *e)
{
    const int fd = disk_opened(path, O_RDONLY | O_DIRECTORY);
    if (fd < 0) return failed(e, "cannot be opened", path);
    const bool ok = fsync(fd) == 0 || errno == EINVAL || failed(e, "is not written to the disk", path);
    close(fd);
    return ok;
}

bool ckpt_dir_hand(const char *path, ckpt_sync *s, ckpt_err *e)
{
    const int fd = disk_opened(path, O_RDONLY | O_DIRECTORY);
    if (fd < 0) return failed(e, "cannot be opened", path);
    ckpt_sync_add(s, fd, true, path);
    return true;
}

static int removed(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    remove(path);
    return 0;
}

/* With few descriptors left, one folder is open at a time. */
void ckpt_remove(const char *path)
{
    if (nftw(path, removed, 16, FTW_DEPTH | FTW_PHYS) != 0) nftw(path, removed, 1, FTW_DEPTH | FTW_PHYS);
}

void ckpt_above(const char *path, char *to, size_t capacity)
{
    const char *slash = strrchr(path, '/');
    if (!slash) snprintf(to, capacity, ".");
    else snprintf(to, capacity, "%.*s", slash == path ? 1 : (int)(slash - path), path);
}

#ifndef RENAME_NOREPLACE                                 /* as in Linux; musl has them from 1.2.5 on */
enum { RENAME_NOREPLACE = 1, RENAME_EXCHANGE = 2 };
static int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned how)
{
    return (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, how);
}
#endif

static bool renamed(const char *from, const char *to, unsigned how)
{
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, how) == 0;
}

/* For a file system without these kinds of rename: the old file is first moved to a name that says what it was. */
static bool replaced(const char *from, const char *to, ckpt_err *e)
{
    char aside[CKPT_PATH + 64];
    snprintf(aside, sizeof aside, "%s.replaced%s", to, ckpt_suffix);
    ckpt_remove(aside);
    if (rename(to, aside) != 0) return failed(e, "cannot be replaced", to);
    if (rename(from, to) != 0) {
        const int why = errno;
        rename(aside, to);
        errno = why;
        return failed(e, "cannot be moved into place", from);
    }
    ckpt_remove(aside);
    return true;
}

bool ckpt_move(const char *from, const char *to, bool force, ckpt_err *e)
{
    char dir[CKPT_PATH];
    ckpt_above(to, dir, sizeof dir);
    if (renamed(from, to, RENAME_NOREPLACE)) return ckpt_dir_sync(dir, e);
    const bool without = errno == EINVAL || errno == ENOSYS;
    const bool there = access(to, F_OK) == 0;
    if (there && !force) return ckpt_there(e, to);
    if (there && renamed(from, to, RENAME_EXCHANGE)) {
        const bool ok = ckpt_dir_sync(dir, e);
        ckpt_remove(from);                               /* the replaced file */
        return ok;
    }
    if (there) return replaced(from, to, e) && ckpt_dir_sync(dir, e);
    if (without && rename(from, to) == 0) return ckpt_dir_sync(dir, e);
    return failed(e, "cannot be moved into place", from);
}
