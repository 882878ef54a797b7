/* run/pool.c - the pool of worker threads, one per process.
 *
 * A piece of work is W shares, one per worker; the launching thread is worker 0. Workers spin for a while after work
 * (waking by a futex costs some 30 us), then sleep. A share is claimed by raising its ticket to the number of the
 * piece: the caller, after its own share, claims the shares that no worker has begun, so that a worker that sleeps, or
 * that the system does not schedule, delays nothing. A late worker finds every ticket raised. After fork() the child
 * has no workers and starts its own. */
#include "inner.h"
#include "../base/thread.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST = BASE_WORKERS };
/* As in Linux's <linux/futex.h>, which a C library need not bring (musl). */
#ifndef FUTEX_WAIT_PRIVATE
enum { FUTEX_WAIT_PRIVATE = 0 | 128, FUTEX_WAKE_PRIVATE = 1 | 128 };
#endif
typedef struct { _Alignas(128) _Atomic uint32_t ticket; pthread_t thread; void *scratch; int64_t bytes; } worker;
static struct {
    _Atomic int n;                                       /* number of workers, including worker 0; 0: not started */
    _Alignas(128) _Atomic uint32_t piece;   /* number of the latest piece of work; futex of sleeping workers */
    _Atomic uint32_t sleepers, stop;
    run_share *f; void *env;
    _Alignas(128) _Atomic uint32_t left;                 /* shares not finished; futex of a sleeping caller */
    _Atomic uint32_t caller_sleeps;
    worker w[MOST];
} pool;

static void futex_wait(_Atomic uint32_t *at, uint32_t seen)
{
    syscall(SYS_futex, at, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *at) { syscall(SYS_futex, at, FUTEX_WAKE_PRIVATE, MOST, NULL, NULL, 0); }

static inline void pause_a_little(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

int run_workers(void)
{
    const int running = atomic_load_explicit(&pool.n, memory_order_relaxed);
    if (running) return running;
    const char *setting = base_switch("workers");
    cpu_set_t set;
    int n = setting ? atoi(setting) : sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
    return n < 1 ? 1 : n > MOST ? MOST : n;
}

/* TUTTI=pin: binds this thread to the me-th core of its affinity mask (a new thread inherits its creator's). The
 * launching thread belongs to the program and is not bound; the system places it on the remaining core. */
static void stay(int me)
{
    cpu_set_t may, one;
    if (!base_switch("pin") || sched_getaffinity(0, sizeof may, &may) || !CPU_COUNT(&may)) return;
    int core = 0;
    for (int left = me % CPU_COUNT(&may); !CPU_ISSET(core, &may) || left--; core++) ;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    sched_setaffinity(0, sizeof one, &one);              /* if refused, the thread stays unbound */
}

/* Claims share s of piece p; false if it is claimed already. */
static bool claim(int s, uint32_t p)
{
    uint32_t before = p - 1;
    return atomic_compare_exchange_strong_explicit(&pool.w[s].ticket, &before, p, memory_order_acq_rel,
                                                   memory_order_relaxed);
}

static void pool_finish(void)
{
    if (atomic_fetch_sub_explicit(&pool.left, 1, memory_order_seq_cst) == 1 && atomic_load(&pool.caller_sleeps))
        futex_wake(&pool.left);
}

/* Waits for a piece after `seen`: spins for some 150 us, then sleeps. */
static uint32_t next_piece(uint32_t seen)
{
    const double until = base_seconds() + 150e-6;
    for (;;) {
        for (int i = 0; i < 64; i++) {
            const uint32_t p = atomic_load_explicit(&pool.piece, memory_order_acquire);
            if (p != seen) return p;
            pause_a_little();
        }
        if (base_seconds() < until) continue;
        atomic_fetch_add(&pool.sleepers, 1);
        while (atomic_load(&pool.piece) == seen) futex_wait(&pool.piece, seen);
        atomic_fetch_sub(&pool.sleepers, 1);
    }
}

/* A share that never returns counts as finished. */
static void share_gone(void *unused)
{
    (void)unused;
    pool_finish();
}

static void *pool_work(void *arg)
{
    base_guard guard;
    const int me = (int)(intptr_t)arg;
    uint32_t seen = atomic_load(&pool.w[me].ticket);
    stay(me);
    while (!atomic_load(&pool.stop)) {
        seen = next_piece(seen);
        if (atomic_load(&pool.stop)) break;
        if (!claim(me, seen)) continue;
        base_guard_begin(&guard, share_gone, NULL);
        pool.f(pool.env, me, me);
        base_guard_end(&guard);
        pool_finish();
    }
    return NULL;
}

static void announce(uint32_t p)
{
    atomic_store(&pool.piece, p);
    if (atomic_load(&pool.sleepers)) futex_wake(&pool.piece);
}

/* Announces a piece without shares, so that sleeping workers wake and spin. Their tickets are raised to it. */
void run_pool_wake(void)
{
    if (pool.n < 2 || !atomic_load(&pool.sleepers)) return;
    const uint32_t p = atomic_load(&pool.piece) + 1;
    for (int s = 0; s < pool.n; s++) atomic_store_explicit(&pool.w[s].ticket, p, memory_order_release);
    announce(p);
}

static void wait_for_others(void)
{
    double until = 0;
    for (;;) {
        for (int i = 0; i < 64; i++) {
            if (!atomic_load_explicit(&pool.left, memory_order_acquire)) return;
            pause_a_little();
        }
        const double now = base_seconds();
        if (!until) until = now + 200e-6;
        if (now < until) continue;
        atomic_store(&pool.caller_sleeps, 1);
        for (uint32_t left; (left = atomic_load(&pool.left)) != 0;) futex_wait(&pool.left, left);
        atomic_store(&pool.caller_sleeps, 0);
        return;
    }
}

/* A piece of which this thread is worker 0. share: it does this one now; -1: it waits for the others */
typedef struct { uint32_t piece; int n, share; } caller;

/* The calling thread leaves the piece for good: its share counts as finished, those that nobody has begun are left
 * out. */
static void caller_left(void *p)
{
    const caller *const c = p;
    for (int s = 0; s < c->n; s++) if (claim(s, c->piece)) pool_finish();
    if (c->share >= 0) pool_finish();
    wait_for_others();
}

void run_pool_do(run_share *f, void *env)
{
    base_guard guard;
    const int n = pool.n ? pool.n : 1;
    if (n == 1) {
        f(env, 0, 0);
        return;
    }
    const uint32_t p = atomic_load_explicit(&pool.piece, memory_order_relaxed) + 1;
    pool.f = f;
    pool.env = env;
    atomic_store_explicit(&pool.left, (uint32_t)n, memory_order_relaxed);
    caller c = { p, n, -1 };
    base_guard_begin(&guard, caller_left, &c);
    announce(p);
    for (int s = 0; s < n; s++)
        if (claim(s, p)) {
            c.share = s;
            f(env, s, 0);
            pool_finish();
            c.share = -1;
        }
    wait_for_others();
    base_guard_end(&guard);
}

static void forked(void)                                 /* in the child: the workers stayed with the parent */
{
    atomic_store(&pool.n, 0);
    run_buffer_forked();
    run_launch_forked();
    run_profile_forked();
}

static void start(void)
{
    static bool watched;
    const int n = run_workers();
    if (!watched) watched = !pthread_atfork(NULL, NULL, forked);
    atomic_store(&pool.stop, 0);
    atomic_store(&pool.sleepers, 0);
    const uint32_t p = atomic_load(&pool.piece);
    for (int i = 0; i < n; i++) atomic_store(&pool.w[i].ticket, p);
    int started = 1;
    while (started < n && !base_thread_start(&pool.w[started].thread, pool_work, (void *)(intptr_t)started))
        started++;
    pool.n = started;                                    /* fewer than requested if the system gives no more */
}

bool run_pool_ready(int64_t scratch)
{
    if (!pool.n) start();
    enum { SMALL = 4096, LARGE = 2 << 20, MANY = 1 << 18 }; /* page sizes, and the bytes from which large pages pay */
    const int64_t page = scratch < MANY ? SMALL : LARGE;
    scratch = base_round_up(scratch, page);
    for (worker *w = pool.w; w < pool.w + pool.n; w++) {
        if (scratch <= w->bytes) continue;
        void *p = base_pages((size_t)scratch);
        if (!p) return false;
        base_pages_free(w->scratch, (size_t)w->bytes);
        w->scratch = p;
        w->bytes = scratch;
    }
    return true;
}

void *run_scratch(int worker) { return pool.w[worker].scratch; }

void run_pool_join(void)
{
    const int n = pool.n;
    if (n) {
        atomic_store(&pool.stop, 1);
        announce(atomic_load(&pool.piece) + 1);
    }
    for (int i = 1; i < n; i++) pthread_join(pool.w[i].thread, NULL);
    for (worker *w = pool.w; w < pool.w + MOST; w++) {
        base_pages_free(w->scratch, (size_t)w->bytes);
        w->scratch = NULL;
        w->bytes = 0;
    }
    atomic_store(&pool.n, 0);
}
