/* model/folder.c - a folder of files that is written beside its path and gets its name when it is complete. */
#include "model.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { BLOCK = 1 << 20, FOLDER_TRIES = 1000 };

static bool folder_failed(const model_folder *f, const char *folder)
{
    tt_fail_at(f->site, TT_EIO, "%s: %s: %s", f->what, folder, strerror(errno));
    return false;
}

bool model_file_failed(const model_folder *f, const char *folder, const char *file)
{
    const int why = errno;
    if (folder == f->to) folder = f->path;               /* the name that the folder is to have */
    const size_t n = strlen(folder);
    const char *const slash = n && folder[n - 1] != '/' ? "/" : "";
    tt_fail_at(f->site, TT_EIO, "%s: %s%s%s: %s", f->what, folder, slash, file, strerror(why));
    return false;
}

bool model_file_unread(const model_folder *f, FILE *from, const char *folder, const char *file)
{
    if (!feof(from)) return model_file_failed(f, folder, file);
    tt_fail_at(f->site, TT_EDATA, "%s: %s/%s: the file ends early; it was longer when the model was loaded", f->what,
               folder, file);
    return false;
}

FILE *model_file_open(const model_folder *f, const char *folder, const char *file, const char *mode)
{
    char path[MODEL_FOLDER];
    if ((size_t)snprintf(path, sizeof path, "%s%s%s", folder, *folder ? "/" : "", file) >= sizeof path)
        errno = ENAMETOOLONG;
    else {
        FILE *const open = fopen(path, mode);
        if (open) return open;
    }
    model_file_failed(f, folder, file);
    return NULL;
}

bool model_file_close(const model_folder *f, FILE *file, const char *name)
{
    const bool ok = !fflush(file) && !fsync(fileno(file));
    return (!fclose(file) && ok) || model_file_failed(f, f->to, name);
}

bool model_file_copy(const model_folder *f, FILE *from, const char *folder, FILE *to, int64_t n, const char *file)
{
    while (n) {
        const size_t ask = n < 0 || n > BLOCK ? BLOCK : (size_t)n, got = fread(f->block, 1, ask, from);
        if (ferror(from) || (got < ask && n > 0)) return model_file_unread(f, from, folder, file);
        if (fwrite(f->block, 1, got, to) != got) return model_file_failed(f, f->to, file);
        if (n < 0 && got < ask) return true;
        if (n > 0) n -= (int64_t)got;
    }
    return true;
}

bool model_folder_each(const model_folder *f, const char *folder, bool (*each)(void *env, const char *name), void *env)
{
    DIR *const d = opendir(folder);
    const struct dirent *e;
    bool ok = d != NULL;
    while (ok && (errno = 0, e = readdir(d))) {
        char path[MODEL_FOLDER + 300];
        struct stat st;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (!stat(path, &st) && S_ISREG(st.st_mode)) ok = each(env, e->d_name);
    }
    const bool unread = !d || (ok && errno);
    if (unread) folder_failed(f, folder);
    if (d) closedir(d);
    return ok && !unread;
}

bool model_folder_may(const char *site, const char *what, const char *path)
{
    struct stat st;
    if (!path || !*path || strlen(path) > MODEL_FOLDER - 400)
        return tt_fail_at(site, TT_EARG, "%s: the path is %s", what, !path ? "NULL" : *path ? "too long" : "empty"),
               false;
    if (!lstat(path, &st)) return tt_fail_at(site, TT_EIO, "%s: %s is there already", what, path), false;
    if (tt_process_count() < 2) return true;
    tt_fail_at(site, TT_EARG, "%s: in a job of %d processes; expected one", what, (int)tt_process_count());
    return false;
}

static void folder_remove(const model_folder *f)
{
    DIR *const d = opendir(f->to);
    for (const struct dirent *e; d && (e = readdir(d));) unlinkat(dirfd(d), e->d_name, 0);
    if (d) closedir(d);
    rmdir(f->to);
}

bool model_folder_begin(model_folder *f, const char *site, const char *what, const char *path)
{
    *f = (model_folder){ .site = site, .what = what, .path = path, .block = malloc(BLOCK) };
    if (!f->block) return tt_fail_at(site, TT_EMEM, "%s: out of memory", what), false;
    int n = (int)strlen(path);
    while (n > 1 && path[n - 1] == '/') n--;             /* beside "mine/" is beside "mine" */
    /* A folder of this process's numbers is another's: of a process that was ended while it saved, or of one of another
     * host or container, which saves now. */
    for (int k = 1; !f->made && (k == 1 || errno == EEXIST) && k < FOLDER_TRIES; k++) {
        snprintf(f->to, sizeof f->to, "%.*s.partial-%ld-%ld-%d", n, path, (long)getpid(), (long)syscall(SYS_gettid), k);
        f->made = !mkdir(f->to, 0777);
    }
    return f->made || folder_failed(f, f->path);
}

/* Makes the names in a folder durable. */
static bool synced(const model_folder *f, const char *folder)
{
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool ok = fd >= 0 && (!fsync(fd) || errno == EINVAL);      /* not every file system can sync a folder */
    const int why = errno;
    if (fd >= 0) close(fd);
    errno = why;
    return ok || folder_failed(f, folder);
}

static bool folder_above_synced(const model_folder *f)
{
    char above[MODEL_FOLDER] = ".";
    const char *const slash = strrchr(f->to, '/');
    if (slash) snprintf(above, sizeof above, "%.*s", slash == f->to ? 1 : (int)(slash - f->to), f->to);
    return synced(f, above);
}

bool model_folder_end(model_folder *f, bool ok)
{
    const bool moved = ok && synced(f, f->to) && (!rename(f->to, f->path) || folder_failed(f, f->path));
    if (f->made && !moved) folder_remove(f);
    free(f->block);
    return moved && folder_above_synced(f);
}
