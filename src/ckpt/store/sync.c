/* ckpt/store/sync.c - concurrent syncing of files and folders. fsync blocks until the data are on the disk, so separate
 * threads call it while the next file is written; one commit of a journal serves all waiting fsyncs.
 *
 * A failure is reported by ckpt_sync_wait: nothing that refers to the files may be written before it. If no thread can
 * be created, the caller waits. */
#include "../ckpt.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tutti/form.h>
#include <unistd.h>

enum { HANDS = 8, MOST = 32 };                           /* threads; maximum of waiting files */
typedef struct { int fd; bool folder; char path[CKPT_PATH]; } one;
struct ckpt_sync {
    pthread_mutex_t lock;
    pthread_cond_t change;
    pthread_t thread[HANDS];
    int threads, busy, n;                                /* busy: being synced; n: waiting[0 .. n) */
    bool ending;
    ckpt_err e;                                          /* the first error */
    one waiting[MOST];
};

/* Files of all saves of the process that wait to be synced, and those that have been since it began. */
static struct { pthread_mutex_t lock; pthread_cond_t change; int open; uint64_t closed; } files = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .change = PTHREAD_COND_INITIALIZER,
};

static void count(bool opened)
{
    pthread_mutex_lock(&files.lock);
    files.open += opened ? 1 : -1;
    files.closed += !opened;
    pthread_cond_broadcast(&files.change);
    pthread_mutex_unlock(&files.lock);
}

bool ckpt_sync_closes(uint64_t *seen)
{
    pthread_mutex_lock(&files.lock);
    while (files.open && files.closed == *seen) pthread_cond_wait(&files.change, &files.lock);
    const bool closed = files.closed != *seen;
    *seen = files.closed;
    pthread_mutex_unlock(&files.lock);
    return closed;
}

uint64_t ckpt_sync_closed(void)
{
    pthread_mutex_lock(&files.lock);
    const uint64_t n = files.closed;
    pthread_mutex_unlock(&files.lock);
    return n;
}

static void synced(one *f, ckpt_err *e)                  /* also closes. Not every file system can sync a folder */
{
    const bool good = fsync(f->fd) == 0 || (f->folder && errno == EINVAL);
    if (!good) ckpt_fail(e, TT_EIO, "%s: is not written to the disk: %s", f->path, strerror(errno));
    if (close(f->fd) != 0 && good) ckpt_fail(e, TT_EIO, "%s: is not written: %s", f->path, strerror(errno));
}

static void *hand(void *p)
{
    ckpt_sync *s = p;
    pthread_mutex_lock(&s->lock);
    for (;;) {
        while (!s->n && !s->ending) pthread_cond_wait(&s->change, &s->lock);
        if (!s->n) break;
        one f = s->waiting[0];
        ckpt_err e = { 0 };
        memmove(s->waiting, s->waiting + 1, (size_t)--s->n * sizeof f);
        s->busy++;
        pthread_mutex_unlock(&s->lock);
        synced(&f, &e);
        count(false);
        pthread_mutex_lock(&s->lock);
        s->busy--;
        if (e.code && !s->e.code) s->e = e;
        pthread_cond_broadcast(&s->change);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

ckpt_sync *ckpt_sync_begin(ckpt_err *e)
{
    ckpt_sync *s = calloc(1, sizeof *s);
    if (!s) return ckpt_fail(e, TT_EMEM, "out of memory"), NULL;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->change, NULL);
    return s;
}

void ckpt_sync_add(ckpt_sync *s, int fd, bool folder, const char *path)
{
    one f = { .fd = fd, .folder = folder };
    snprintf(f.path, sizeof f.path, "%s", path);
    pthread_mutex_lock(&s->lock);
    const bool more = s->n + s->busy >= s->threads && s->threads < HANDS;
    if (more && !tt_thread_start(&s->thread[s->threads], hand, s)) s->threads++;
    while (s->threads && s->n == MOST) pthread_cond_wait(&s->change, &s->lock);
    ckpt_err e = { 0 };
    if (s->threads) s->waiting[s->n++] = f, count(true);
    else synced(&f, &e);
    if (e.code && !s->e.code) s->e = e;
    pthread_cond_broadcast(&s->change);
    pthread_mutex_unlock(&s->lock);
}

bool ckpt_sync_wait(ckpt_sync *s, ckpt_err *e)
{
    pthread_mutex_lock(&s->lock);
    while (s->n || s->busy) pthread_cond_wait(&s->change, &s->lock);
    pthread_mutex_unlock(&s->lock);
    return !s->e.code || ckpt_fail(e, s->e.code, "%s", s->e.text);
}

void ckpt_sync_end(ckpt_sync *s)
{
    if (!s) return;
    pthread_mutex_lock(&s->lock);
    s->ending = true;
    pthread_cond_broadcast(&s->change);
    pthread_mutex_unlock(&s->lock);
    while (s->threads) pthread_join(s->thread[--s->threads], NULL);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->change);
    free(s);
}
