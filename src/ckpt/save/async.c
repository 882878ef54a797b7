/* ckpt/save/async.c - background saves, each in a thread of its own. The exit of the process waits for all of them,
 * whichever thread began them, and reports errors that no call has returned: a save that was promised exists, or the
 * exit status says that it does not.
 *
 * A forked process has none of the threads: there, a save of the parent is over, and its result is unknown. */
#include "../ckpt.h"

#include <pthread.h>
#include <stdlib.h>
#include <tutti/form.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;
static ckpt_async *begun;                                /* not yet seen by ckpt_async_end; under the lock */

static void *hand(void *p)
{
    ckpt_async *b = p;
    ckpt_err e = { 0 };
    b->work(b->env, &e);
    pthread_mutex_lock(&lock);
    b->e = e;
    b->going = false;
    pthread_cond_broadcast(&ended);
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* ---- the end of the process, and a fork ---- */

static ckpt_async *async_first(bool (*which)(const ckpt_async *)) /* under the lock */
{
    ckpt_async *b = begun;
    while (b && !which(b)) b = b->next;
    return b;
}
static bool is_going(const ckpt_async *b) { return b->going; }
static bool has_failed(const ckpt_async *b) { return b->e.code != TT_OK; }

static void at_exit(void)
{
    pthread_mutex_lock(&lock);
    while (async_first(is_going)) pthread_cond_wait(&ended, &lock);
    for (ckpt_async *b; (b = async_first(has_failed));) {
        const ckpt_err e = b->e;
        b->e.code = TT_OK;
        pthread_mutex_unlock(&lock);                     /* an error handler may be called, and call anything */
        ckpt_report(NULL, &e);
        pthread_mutex_lock(&lock);
    }
    pthread_mutex_unlock(&lock);
}

static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork(void) { pthread_mutex_unlock(&lock); }
static void in_child(void)
{
    for (ckpt_async *b = begun; b; b = b->next) b->begun = b->going = false;
    begun = NULL;
    pthread_cond_init(&ended, NULL);
    pthread_mutex_init(&lock, NULL);
}

static void watch(void)
{
    atexit(at_exit);
    pthread_atfork(before_fork, after_fork, in_child);
}

/* ---- one save ---- */

/* Detached: a manager whose thread never ends leaves nothing to join. */
bool ckpt_async_begin(ckpt_async *b, void (*work)(void *, ckpt_err *), void *env, ckpt_err *e)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_t thread;
    pthread_once(&once, watch);
    *b = (ckpt_async){ .work = work, .env = env, .going = true };
    pthread_mutex_lock(&lock);
    b->begun = tt_thread_start(&thread, hand, b) == 0;
    if (b->begun) {
        pthread_detach(thread);
        b->next = begun;
        begun = b;
    }
    pthread_mutex_unlock(&lock);
    return b->begun || ckpt_fail(e, TT_EMEM, "no thread for the save: the system refused to start one");
}

bool ckpt_async_end(ckpt_async *b, ckpt_err *e)
{
    if (!b->begun) return true;
    pthread_mutex_lock(&lock);
    while (b->going) pthread_cond_wait(&ended, &lock);
    ckpt_async **at = &begun;
    while (*at && *at != b) at = &(*at)->next;
    if (*at) *at = b->next;
    pthread_mutex_unlock(&lock);
    b->begun = false;
    if (b->e.code) *e = b->e;
    return !b->e.code;
}
