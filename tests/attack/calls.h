/* attack/calls.h - the system calls of a save, here instead of in libc: each is counted, and the n-th may fail, once or
 * all from there on, or be the last one of the process. They come before libc's because the program is looked through
 * first. Included by one file of a program. */
#ifndef TUTTI_TESTS_CALLS_H
#define TUTTI_TESTS_CALLS_H

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* at: which one fails, from 1; 0: none. ever: all from there on. why: errno; 0: the process ends there. */
static struct { atomic_long n; long at; bool ever; int why; } calls;

/* What changes a disk is told to this one, after it was done: "made", "wrote", "synced", "named", "exchanged", "gone".
 * Paths as they were given; fd of a file or folder. NULL: to nobody. */
static void (*calls_heard)(const char *what, int fd, const char *path, const char *to, const void *p, size_t n);

static int calls_note(int r, const char *what, int fd, const char *path, const char *to)
{
    const int why = errno;
    if (calls_heard && r >= 0) calls_heard(what, fd < 0 ? r : fd, path, to, NULL, 0);
    errno = why;
    return r;
}

static bool calls_fail(void)
{
    const long n = atomic_fetch_add(&calls.n, 1) + 1;
    if (!calls.at || (calls.ever ? n < calls.at : n != calls.at)) return false;
    if (!calls.why) syscall(SYS_exit_group, 9);
    errno = calls.why;
    return true;
}

static mode_t calls_mode(int flags, va_list v) { return flags & (O_CREAT | __O_TMPFILE) ? va_arg(v, mode_t) : 0; }

int open(const char *path, int flags, ...)
{
    va_list v;
    va_start(v, flags);
    const mode_t mode = calls_mode(flags, v);
    va_end(v);
    if (calls_fail()) return -1;
    const int fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    return flags & O_CREAT ? calls_note(fd, "made", -1, path, NULL) : fd;
}

int openat(int dir, const char *path, int flags, ...)
{
    va_list v;
    va_start(v, flags);
    const mode_t mode = calls_mode(flags, v);
    va_end(v);
    return calls_fail() ? -1 : (int)syscall(SYS_openat, dir, path, flags, mode);
}

ssize_t write(int fd, const void *p, size_t n)
{
    const ssize_t k = calls_fail() ? -1 : syscall(SYS_write, fd, p, n);
    if (k > 0 && calls_heard) calls_heard("wrote", fd, NULL, NULL, p, (size_t)k);
    return k;
}
ssize_t read(int fd, void *p, size_t n) { return calls_fail() ? -1 : syscall(SYS_read, fd, p, n); }
ssize_t pread(int fd, void *p, size_t n, off_t at) { return calls_fail() ? -1 : syscall(SYS_pread64, fd, p, n, at); }
int fsync(int fd) { return calls_fail() ? -1 : calls_note((int)syscall(SYS_fsync, fd), "synced", fd, NULL, NULL); }
int close(int fd)                                        /* it is closed whatever is said, as Linux does */
{
    const bool fails = calls_fail();
    const int r = (int)syscall(SYS_close, fd);
    return fails ? (errno = calls.why, -1) : r;
}
int mkdir(const char *path, mode_t mode)
{
    return calls_fail() ? -1 : calls_note((int)syscall(SYS_mkdirat, AT_FDCWD, path, mode), "made", -1, path, NULL);
}
int renameat2(int a, const char *from, int b, const char *to, unsigned how)
{
    if (calls_fail()) return -1;
    return calls_note((int)syscall(SYS_renameat2, a, from, b, to, how), how == 2 ? "exchanged" : "named", -1, from, to);
}
int rename(const char *from, const char *to) { return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0); }
int remove(const char *path)
{
    if (calls_fail()) return -1;
    int r = (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    if (r && (errno == EISDIR || errno == EPERM)) r = (int)syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
    return calls_note(r, "gone", -1, path, NULL);
}
int unlink(const char *path) { return remove(path); }

#endif
