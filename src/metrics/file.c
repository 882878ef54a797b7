/* metrics/file.c - files that grow by complete lines or records.
 *
 * Each append is one write at the file's end. One that fails is taken back, so that the file ends with a complete line
 * unless the process was killed in the write; then the next open takes the incomplete line away. An advisory lock keeps
 * a second writer out. */
#include "metrics.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static bool file_failed(const char *site, const char *path, const char *what)
{
    tt_fail_at(site, TT_EIO, "%s: %s: %s", path, what, strerror(errno));
    return false;
}

bool metrics_folder_make(const char *site, const char *path)
{
    char part[METRICS_PATH];
    struct stat s;
    snprintf(part, sizeof part, "%s", path);
    for (char *p = part + 1; *p; p++) {
        if (*p != '/') continue;
        *p = 0;
        if (mkdir(part, 0777) && errno != EEXIST) return file_failed(site, part, "the folder cannot be made");
        *p = '/';
    }
    if (mkdir(part, 0777) && errno != EEXIST) return file_failed(site, part, "the folder cannot be made");
    if (!stat(part, &s) && S_ISDIR(s.st_mode)) return true;
    tt_fail_at(site, TT_EIO, "%s: is not a folder", part);
    tt_hint("a path that ends with .jsonl or .csv is one file; any other is a folder");
    return false;
}

/* A file's name is on the disk when its folder is. Not every file system can sync a folder. */
static void sync_folder_of(const char *path)
{
    char folder[METRICS_PATH];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash) slash[slash == folder] = 0;
    const int fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    fsync(fd);
    close(fd);
}

static bool lock(const char *site, metrics_file *f)
{
    if (!flock(f->fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK) return true;  /* some file systems have no locks */
    tt_fail_at(site, TT_EIO, "%s: another writer has the file open", f->path);
    tt_hint("one run, one path; a writer closes with the scope in which it was opened");
    return false;
}

/* The whole file with a zero behind it; NULL with the error set. */
static char *file_read(const char *site, const metrics_file *f, size_t *n)
{
    struct stat s;
    if (fstat(f->fd, &s)) return file_failed(site, f->path, "cannot be read"), NULL;
    if (!S_ISREG(s.st_mode)) return tt_fail_at(site, TT_EIO, "%s: is not a file", f->path), NULL;
    char *text = malloc((size_t)s.st_size + 1);
    if (!text) return tt_fail_at(site, TT_EMEM, "%s: out of memory", f->path), NULL;
    for (*n = 0; *n < (size_t)s.st_size;) {
        const ssize_t got = pread(f->fd, text + *n, (size_t)s.st_size - *n, (off_t)*n);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return file_failed(site, f->path, "cannot be read"), free(text), NULL;
        if (got == 0) break;
        *n += (size_t)got;
    }
    text[*n] = 0;
    return text;
}

/* The step of a line; false: it has none. */
static bool line_step(const char *line, const char *start, int64_t *step)
{
    char *end;
    const size_t n = strlen(start);
    if (strncmp(line, start, n)) return false;
    errno = 0;
    *step = strtoll(line + n, &end, 10);
    return end > line + n && !errno && (*end == ',' || *end == '}');
}

/* Moves the lines before the step `purge` together; returns their bytes; -1 with the error set. first: bytes of a
 * title, which stays. */
static int64_t keep_before(const char *site, const char *path, char *text, size_t n, size_t first, const char *start,
                           int64_t purge)
{
    size_t to = first;
    int64_t number = first ? 2 : 1, step;
    for (size_t at = first, next; at < n; at = next, number++) {
        next = at + strcspn(text + at, "\n") + 1;
        if (!line_step(text + at, start, &step)) {
            tt_fail_at(site, TT_ETEXT, "%s:%lld: the line has no step", path, (long long)number);
            tt_hint(".purge_step reads the steps of all lines");
            return -1;
        }
        if (step >= purge) continue;
        memmove(text + to, text + at, next - at);
        to += next - at;
    }
    return (int64_t)to;
}

bool metrics_file_replace(const char *site, metrics_file *f, const metrics_bytes *kept)
{
    char beside[METRICS_PATH + 8];
    snprintf(beside, sizeof beside, "%s.tmp", f->path);
    const int fd = open(beside, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) return file_failed(site, beside, "cannot be written");
    metrics_file made = { .fd = fd };
    snprintf(made.path, sizeof made.path, "%s", f->path);
    bool good = lock(site, &made) && metrics_file_append(site, &made, kept->p, kept->n) &&
                metrics_file_sync(site, &made);
    if (good && rename(beside, f->path)) good = file_failed(site, f->path, "cannot be replaced");
    if (!good) {
        unlink(beside);
        close(fd);
        return false;
    }
    close(f->fd);
    f->fd = fd;
    f->end = made.end;
    sync_folder_of(f->path);
    return true;
}

bool metrics_file_before(const char *site, const metrics_file *f, bool titled, const char *start, int64_t purge,
                         metrics_bytes *kept)
{
    size_t n = 0;
    char *const text = file_read(site, f, &n);
    const size_t line = text ? strcspn(text, "\n") : 0;
    const int64_t left = text ? keep_before(site, f->path, text, n, titled && line < n ? line + 1 : 0, start, purge)
                              : -1;
    if (left >= 0 && (size_t)left < n) *kept = (metrics_bytes){ .p = (unsigned char *)text, .n = (size_t)left };
    else free(text);
    return left >= 0;
}

static bool continue_file(const char *site, metrics_file *f, char *text, size_t n, const char *title)
{
    const size_t known = strlen(title) < n ? strlen(title) : n;
    if (memcmp(text, title, known)) {
        tt_fail_at(site, TT_ETEXT, "%s: is not a file of metrics; it would begin with %s", f->path, title);
        tt_hint("nothing was written; take another path");
        return false;
    }
    size_t whole = n;
    while (whole && text[whole - 1] != '\n') whole--;
    text[whole] = 0;
    const size_t line = strcspn(text, "\n"), end = line && text[line - 1] == '\r' ? line - 1 : line;
    if (whole && !(f->head = strndup(text, end))) return tt_fail_at(site, TT_EMEM, "out of memory"), false;
    f->end = (int64_t)whole;
    return whole == n || !ftruncate(f->fd, f->end) || file_failed(site, f->path, "cannot be written");
}

bool metrics_file_open(const char *site, metrics_file *f, const char *path, const char *title)
{
    size_t n = 0;
    snprintf(f->path, sizeof f->path, "%s", path);
    f->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (f->fd < 0) return file_failed(site, path, "cannot be opened");
    char *text = lock(site, f) ? file_read(site, f, &n) : NULL;
    const bool good = text && continue_file(site, f, text, n, title);
    free(text);
    if (good) sync_folder_of(path);
    else metrics_file_close(f);
    return good;
}

bool metrics_file_new(const char *site, metrics_file *f, const char *path)
{
    snprintf(f->path, sizeof f->path, "%s", path);
    f->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (f->fd < 0) return errno == EEXIST ? false : file_failed(site, path, "cannot be made");
    sync_folder_of(path);
    return true;
}

bool metrics_file_append(const char *site, metrics_file *f, const void *data, size_t n)
{
    for (size_t done = 0; done < n;) {
        const ssize_t put = pwrite(f->fd, (const char *)data + done, n - done, (off_t)f->end + (off_t)done);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) {
            if (!put) errno = ENOSPC;
            file_failed(site, f->path, "cannot be written");
            if (ftruncate(f->fd, f->end)) tt_hint("the last line of the file is incomplete");
            return false;
        }
        done += (size_t)put;
    }
    f->end += (int64_t)n;
    f->unsynced = true;
    return true;
}

bool metrics_file_sync(const char *site, metrics_file *f)
{
    if (f->lost) {
        tt_fail_at(site, TT_EIO, "%s: is not written to the disk: an earlier fsync failed", f->path);
        tt_hint("open a new writer, and write what came after the last good flush again");
        return false;
    }
    if (!f->unsynced) return true;
    if (fsync(f->fd)) {
        f->lost = true;
        return file_failed(site, f->path, "is not written to the disk");
    }
    f->unsynced = false;
    return true;
}

void metrics_file_close(metrics_file *f)
{
    if (f->fd >= 0) close(f->fd);
    f->fd = -1;
    free(f->head);
    f->head = NULL;
}
