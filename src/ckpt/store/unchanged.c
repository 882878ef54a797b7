/* ckpt/store/unchanged.c - detects whether everything that was read is from one checkpoint.
 *
 * A checkpoint may be replaced (a save with .force) or removed (a manager) while it is read. Its folder or file is held
 * open, so no file of another checkpoint is read; but removed files are missing, and a file that another process writes
 * into the same folder would be mixed in. So the versions of the checkpoint's documents are recorded when it is opened,
 * and compared after everything has been read; if a document has changed, the load starts again. */
#include "../ckpt.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static bool equal(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Of a file by its name in a folder, or of a single open file. */
static bool unchanged_stat(const ckpt_store *s, const char *key, struct stat *st)
{
    return s->own ? fstat(s->fd, st) == 0 : fstatat(s->fd, key, st, 0) == 0;
}

bool ckpt_mark(ckpt *c, const ckpt_store *s, const char *key, ckpt_err *e)
{
    ckpt_marked *more = realloc(c->mark, (size_t)(c->nmark + 1) * sizeof *more);
    if (!more) return ckpt_fail(e, TT_EMEM, "out of memory");
    c->mark = more;
    ckpt_marked *m = &more[c->nmark];
    *m = (ckpt_marked){ .s = s, .key = ckpt_text("%s", key), .st = malloc(sizeof *m->st) };
    /* a file that is gone already: the read that needs it reports it */
    if (!m->key || !m->st || !unchanged_stat(s, key, m->st)) {
        const bool memory = !m->key || !m->st;
        free(m->key), free(m->st);
        return memory ? ckpt_fail(e, TT_EMEM, "out of memory") : true;
    }
    c->nmark++;
    return true;
}

bool ckpt_mark_all(ckpt *c, const ckpt_store *s, ckpt_err *e)
{
    static const char *const names[] = { "_MANIFEST", "commit_success.txt", "_METADATA", "manifest.ocdbt", "zarr.json",
                                         ".zarray", "model.safetensors.index.json" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ckpt_has(s, names[i]) && !ckpt_mark(c, s, names[i], e)) return false;
    return true;
}

void ckpt_marks_free(ckpt *c)
{
    for (int i = 0; i < c->nmark; i++) free(c->mark[i].key), free(c->mark[i].st);
    free(c->mark);
}

/* What the path points to: the open folder (CKPT_UNCHANGED), another folder or a file, or nothing. */
static ckpt_fate at_path(const ckpt *c)
{
    struct stat here, there;
    if (!c->outer) return CKPT_UNCHANGED;                /* a file: its own mark is sufficient */
    if (stat(c->path, &there) != 0) return CKPT_GONE;
    if (fstat(c->outer->fd, &here) != 0) return CKPT_CHANGED;
    return here.st_dev == there.st_dev && here.st_ino == there.st_ino ? CKPT_UNCHANGED : CKPT_REPLACED;
}

ckpt_fate ckpt_fate_of(const ckpt *c, bool read)
{
    const ckpt_fate fate = at_path(c);
    bool same = true;
    for (int i = 0; same && i < c->nmark; i++) {
        struct stat now;
        same = unchanged_stat(c->mark[i].s, c->mark[i].key, &now) && equal(&now, c->mark[i].st);
    }
    /* Everything was read from a folder that has been moved away since: no process writes into it, and a file that had
     * been removed would have been missed. */
    if (read && fate != CKPT_UNCHANGED && c->complete) return CKPT_UNCHANGED;
    return fate != CKPT_UNCHANGED || same ? fate : CKPT_CHANGED;
}

bool ckpt_retry(const ckpt *c, int *attempt, ckpt_err *e)
{
    enum { ATTEMPTS = 60, GAP = 10 };  /* GAP: time between removal of the old and creation of the new one */
    ckpt_fate fate = CKPT_UNCHANGED;
    if (c->absent && *attempt) fate = CKPT_GONE;         /* it existed in the previous attempt */
    else if (!c->absent && c->path) fate = ckpt_fate_of(c, !e->code);
    if (fate == CKPT_UNCHANGED) return false;
    const long wait = *attempt < 8 ? 100000L << *attempt : 25000000;     /* 0.1 to 25 ms */
    if (++*attempt < (fate == CKPT_GONE ? GAP : ATTEMPTS)) return nanosleep(&(struct timespec){ 0, wait }, NULL), true;
    *e = (ckpt_err){ 0 };
    if (fate == CKPT_GONE)
        return ckpt_fail_hint(e, TT_EIO, "tt_manager saves steps side by side, and removes none that is young",
                          "%.600s: was removed while it was read; nothing was loaded", c->path);
    return ckpt_fail(e, TT_EIO, "%.600s: was %s while it was read, %d times in turn; nothing was loaded", c->path,
                     fate == CKPT_REPLACED ? "replaced" : "changed", ATTEMPTS);
}
