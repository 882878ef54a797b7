/* api/exit.c - the end of a program: tt_done, the errors of all threads as its status, and the end of main without
 * tt_done.
 *
 * Both ends log the time of steps: if its file cannot be written (TUTTI=time:FILE), the status says so; and so it does
 * if lines of tt_show and tt_print were not written (a full disk).
 *
 * Each thread has its own first error; an error that its thread cleared (tt_clear) does not count. If the program ends
 * without tt_done, background saves are waited for, as in tt_done. If an error was neither read, nor cleared, nor
 * passed to a handler, and main returns 0, a message says so and the status is the error's code, so that a script does
 * not take the program for a successful one. */
#include "api.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST = 16 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct { uint64_t thread; int code; } met[MOST];  /* in order; under the lock */
static int nmet;
static _Atomic bool error_read, ended;
static pid_t process;

static uint64_t me(void)
{
    static _Atomic uint64_t last;
    static _Thread_local uint64_t mine;
    return mine ? mine : (mine = atomic_fetch_add(&last, 1) + 1);
}

void api_error_met(int code)
{
    const uint64_t thread = me();
    pthread_mutex_lock(&lock);
    if (nmet < MOST) met[nmet].thread = thread, met[nmet++].code = code;
    pthread_mutex_unlock(&lock);
    atomic_store(&ended, false);
}

void api_error_cleared(void)
{
    const uint64_t thread = me();
    int n = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < nmet; i++) if (met[i].thread != thread) met[n++] = met[i];
    nmet = n;
    pthread_mutex_unlock(&lock);
}

void api_error_read(void) { atomic_store(&error_read, true); }

static int exit_first(void)                              /* code of the first error that was not cleared; 0: none */
{
    pthread_mutex_lock(&lock);
    const int code = nmet ? met[0].code : 0;
    pthread_mutex_unlock(&lock);
    return code;
}

/* ---- tt_done ---- */

static void done_run(void *p)
{
    (void)p;
    trace_scopes_end();
    if (api_mesh_sizes_used()) driver_names_met();
    run_engine_settle();
    run_profile_log();
    if (!trace_single_threaded()) return;                /* other threads may be running programs of the caches */
    trace_jit_forget();
    driver_forget();
}

int tt_done(void)
{
    if (!api_process_forked()) api_enter(done_run, NULL);
    api_bar_hide();
    const int output = api_output_end(), first = base_failed() ? (int)base_failed()->code : exit_first();
    atomic_store(&ended, true);
    const int code = api_interrupted() ? 130 : first ? first : output;
    api_process_leave(code);
    return code;
}

/* ---- main has ended without it ---- */

static void owned_run(void *p)
{
    (void)p;
    if (!atomic_load(&ended)) trace_owned_end();
    run_profile_log();
}

void api_exit_now(int code)
{
    fflush(NULL);
    _exit(code);
}

static int late(void)                                    /* the status that main should have returned; 0: no change */
{
    if (getpid() != process) return 0;                   /* a forked process has none of the threads */
    api_enter(owned_run, NULL);
    const int output = api_output_end();
    const bool seen = atomic_load(&ended) || atomic_load(&error_read) || api_error_handled();
    const int first = seen ? 0 : exit_first();
    return first ? first : output;
}

#ifdef __GLIBC__                                         /* reports the status, and exits with the new one */
static void warn(int status)
{
    fflush(stdout);
    fprintf(stderr, "tutti: there was an error, and main ended with 0 and without tt_done(): the exit status is %d\n"
            "  hint: end main with return tt_done(); tt_clear() forgets an error\n", status);
}

static void at_exit(int status, void *unused)
{
    (void)unused;
    const int code = late();
    if (code && !status) warn(code);
    if (getpid() == process) api_process_leave(status ? status : code);
    if (code && !status) exit(code);
}
#else
static void at_exit(void) { api_process_leave(late()); }
#endif

void api_exit_watch(void)
{
    process = getpid();
#ifdef __GLIBC__
    on_exit(at_exit, NULL);
#else
    atexit(at_exit);
#endif
}
