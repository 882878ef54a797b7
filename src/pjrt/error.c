/* pjrt/error.c - failures: the library's errors as texts, events, and engines that are lost.
 *
 * A launch over several devices that fails on one of them leaves the others waiting for it, and launches behind it wait
 * for ever. So after such a failure the engine is lost: each later call fails at once, and an event that does not come
 * is waited for only as long as the patience. */
#include "inner.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local char text[2048];
static _Thread_local int kind;

const char *pjrt_text(const char *fmt, ...)
{
    char fresh[sizeof text];                             /* an argument may be the former text */
    va_list v;
    va_start(v, fmt);
    vsnprintf(fresh, sizeof fresh, fmt, v);
    va_end(v);
    return memcpy(text, fresh, sizeof text);
}

void pjrt_failed_as(int k) { kind = k; }
int  pjrt_failure(run_engine *e) { return (void)e, kind; }

bool pjrt_good(const pjrt_api *api, pjrt_error *error, const char **why)
{
    if (!error) return true;
    PJRT_CALL(pjrt_message, m, .error = error);
    PJRT_CALL(pjrt_code, c, .error = error);
    PJRT_CALL(pjrt_of_error, gone, .error = error);
    api->Error_Message(&m.a);
    pjrt_error *const other = api->Error_GetCode(&c.a);
    *why = m.a.text && m.a.n ? pjrt_text("%.*s", m.a.n < 1600 ? (int)m.a.n : 1600, m.a.text)
                             : pjrt_text("error %d of the library, without a message", c.a.code);
    kind = c.a.code == PJRT_OUT_OF_MEMORY ? RUN_NO_MEMORY : RUN_FAILED;
    api->Error_Destroy(&gone.a);
    if (other) gone.a.error = other, api->Error_Destroy(&gone.a);
    return false;
}

struct timespec pjrt_in(double seconds)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += (time_t)seconds + 1;
    return t;
}

bool pjrt_wait_until(pjrt_engine *e, const struct timespec *end)
{
    return pthread_cond_timedwait(&e->changed, &e->lock, end) != ETIMEDOUT;
}

bool pjrt_when(pjrt_engine *e, pjrt_event *event, void (*call)(pjrt_error *, void *env), void *env, const char **why)
{
    const char *other;
    PJRT_CALL(pjrt_on_ready, r, .event = event, .call = call, .env = env);
    const bool good = pjrt_good(e->api, e->api->Event_OnReady(&r.a), why);
    PJRT_CALL(pjrt_of_event, gone, .event = event);
    pjrt_good(e->api, e->api->Event_Destroy(&gone.a), &other);
    return good;
}

/* A wait for one event. It outlives the waiting thread if the event never comes. */
typedef struct { pjrt_engine *engine; pjrt_error *error; bool come, left; } waiting;

static void come(pjrt_error *error, void *env)
{
    waiting *const w = env;
    pjrt_engine *const e = w->engine;
    const char *why;
    pthread_mutex_lock(&e->lock);
    const bool left = w->left;
    w->error = error, w->come = true;
    pthread_cond_broadcast(&e->changed);
    pthread_mutex_unlock(&e->lock);
    if (!left) return;
    pjrt_good(e->api, error, &why);
    free(w);
}

/* A call has met the failure, which pjrt_do_settle then does not tell again. */
static void pjrt_told(pjrt_engine *e)
{
    pthread_mutex_lock(&e->lock);
    *e->untold = '\0';
    pthread_mutex_unlock(&e->lock);
}

bool pjrt_await(pjrt_engine *e, pjrt_event *event, const char **why)
{
    if (!event) return true;
    waiting *const w = malloc(sizeof *w);
    if (!w) return *why = "out of memory", pjrt_failed_as(RUN_NO_MEMORY), false;
    *w = (waiting){ .engine = e };
    if (!pjrt_when(e, event, come, w, why)) return free(w), false;
    pthread_mutex_lock(&e->lock);
    while (!w->come && !e->lost) pthread_cond_wait(&e->changed, &e->lock);
    const struct timespec end = pjrt_in(e->patience);
    while (!w->come && pjrt_wait_until(e, &end)) { }
    const bool came = w->come;
    w->left = !came;
    pthread_mutex_unlock(&e->lock);
    if (!came) return pjrt_usable(e, why);
    const bool good = pjrt_good(e->api, w->error, why);
    free(w);
    if (!good) pjrt_told(e);
    return good;
}

bool pjrt_here(pjrt_engine *e, const char **why)
{
    if (!e->forked) return true;
    kind = RUN_FORKED;
    *why = "this process was forked from the one that opened the library, and has none of the library's threads";
    return false;
}

bool pjrt_usable(pjrt_engine *e, const char **why)
{
    if (!e->lost) return true;
    if (!pjrt_here(e, why)) return false;
    pjrt_told(e);
    kind = RUN_LOST;
    *why = pjrt_text("the devices are lost since a launch failed: %s", e->reason);
    return false;
}

void pjrt_lose(pjrt_engine *e, const char *why)
{
    if (e->lost) return;
    snprintf(e->reason, sizeof e->reason, "%s", why);
    e->lost = true;
    pthread_cond_broadcast(&e->changed);
}
