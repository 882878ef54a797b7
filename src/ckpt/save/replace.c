/* ckpt/save/replace.c - what a save with .force may replace: a checkpoint of Tutti or of Orbax, an empty folder, a file
 * of the same format or an empty file. So a mistyped path destroys no other data. */
#include "../ckpt.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static bool refused(const char *path, const char *why, const char *holds, ckpt_err *e)
{
    static const char hint[] = "name another path, or move what is there away: .force replaces checkpoints and empty "
                               "folders only";
    return ckpt_fail_hint(e, TT_EARG, hint, "%s: %s%s%.200s, so .force does not replace it", path, why,
                          *holds ? ", it holds " : "", holds);
}

/* True if the name is a folder that contains an Orbax item and is not itself a checkpoint. */
static bool is_item(const ckpt_store *s, const char *name)
{
    static const char *const file[] = { "_METADATA", "_CHECKPOINT_METADATA", "commit_success.txt" };
    bool has[3];
    for (int i = 0; i < 3; i++) {
        char path[300];
        snprintf(path, sizeof path, "%s/%s", name, file[i]);
        has[i] = ckpt_has(s, path);
    }
    return has[0] && !has[1] && !has[2];
}

/* True if every entry is an item or metrics, as in a manager's step; or if there is no entry. other: the first entry
 * that is neither. */
static bool is_step(const ckpt_store *s, DIR *d, char *other, size_t capacity)
{
    int n = 0, items = 0;
    for (struct dirent *f; (f = readdir(d));) {
        if (!strcmp(f->d_name, ".") || !strcmp(f->d_name, "..")) continue;
        const bool is = is_item(s, f->d_name);
        n++, items += is;
        if (is || !strcmp(f->d_name, "metrics")) continue;
        snprintf(other, capacity, "%s", f->d_name);
        return false;
    }
    return items || !n;
}

static bool folder(const char *path, ckpt_err *e)
{
    static const char *const marks[] = { "_METADATA", "_CHECKPOINT_METADATA", "commit_success.txt" };
    char other[256] = "";
    ckpt_store *s = ckpt_folder(path, e);
    bool is = false;
    for (size_t i = 0; s && !is && i < sizeof marks / sizeof *marks; i++) is = ckpt_has(s, marks[i]);
    DIR *d = s && !is ? opendir(path) : NULL;
    if (s && !is && !d) ckpt_fail(e, TT_EIO, "%s: %s", path, strerror(errno));
    if (d) is = is_step(s, d, other, sizeof other);
    if (d) closedir(d);
    ckpt_store_close(s);
    return is || refused(path, "is no checkpoint", other, e);
}

static bool file(const char *path, const ckpt_format *format, ckpt_err *e)
{
    char why[60];
    uint8_t head[9];
    FILE *f = fopen(path, "rb");
    if (!f) return ckpt_fail(e, TT_EIO, "%s: %s", path, strerror(errno));
    const size_t n = fread(head, 1, sizeof head, f);
    fclose(f);
    if (!n || format->begins(head, (int64_t)n)) return true;
    snprintf(why, sizeof why, "is no %s file", format->title);
    return refused(path, why, "", e);
}

bool ckpt_may_replace(const char *path, const ckpt_format *format, ckpt_err *e)
{
    struct stat st;
    if (stat(path, &st) != 0) return true;               /* nothing is there; or the save reports why not */
    if (!format) return S_ISDIR(st.st_mode) ? folder(path, e) : refused(path, "is no folder", "", e);
    return S_ISREG(st.st_mode) ? file(path, format, e) : refused(path, "is no regular file", "", e);
}
