/* base/thread.h - memory of a thread, and threads of the library's own. Such a thread takes no signal that is sent to
 * the process, since the program's own threads wait for signals or block them. A worker that took one would end the
 * process, where the program waits for the signal with sigwait or signalfd, or would run the program's handler on its
 * own small stack.
 *
 * base_thread_start is inline, because plug-ins do not link this room. */
#ifndef TUTTI_BASE_THREAD_H
#define TUTTI_BASE_THREAD_H

#include <pthread.h>
#include <signal.h>

/* As pthread_create. The thread takes only signals that its own instructions raise, and SIGPROF, by which a profiler
 * finds what runs. */
static inline int base_thread_start(pthread_t *thread, void *(*f)(void *), void *env)
{
    static const int own[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF };
    sigset_t all, before;
    sigfillset(&all);
    for (unsigned i = 0; i < sizeof own / sizeof *own; i++) sigdelset(&all, own[i]);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    const int failed = pthread_create(thread, NULL, f, env);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

/* Zeroed memory for the pointer that `at` is the address of, a NULL pointer of this thread (_Thread_local): made now,
 * and freed when the thread ends, the pointer NULL again. NULL without an error: there is no memory. */
void *base_thread_memory(void *at, size_t bytes);
/* Space for the text of this thread's errors, at *at (_Thread_local, NULL at first), and its size: `bytes`, or, where
 * there is no memory for them, one of a few small buffers that the library has, so that running out of memory can be
 * reported. 0: those are taken by other threads. */
size_t base_thread_text(char **at, size_t bytes);

#endif
