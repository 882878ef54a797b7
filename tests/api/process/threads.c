/* Threads that trace, run, differentiate, read a program, save, load, print, forget and fail, all at once: each gets
 * its own results, its own errors, and nobody else's. Run under the thread sanitizer too. */
#include <tutti.h>
#include <tutti/ckpt.h>
#include <tutti/program.h>

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

#include "check.h"

enum { THREADS = 4, TURNS = 6 };
static char room[64] = "/tmp/tutti-threads-XXXXXX";
static _Atomic int wrong;
static tt_fn shared, imported;

static void quiet(const tt_error_info *e, void *env) { (void)e, (void)env; }
static tt_val loss(tt_val w, tt_val x) { return tt_sum(tt_square(tt_mul(w, x))); }
static tt_val triple(tt_val x) { return tt_mul(x, tt_f(3)); }
static tt_val times(void *env, int n, const tt_val *x)
{
    (void)n;
    return tt_mul(x[0], tt_i(*(int *)env));
}

static void differs(int me, int turn, const char *what, double got, double want)
{
    if (fabs(got - want) <= 1e-5 * fabs(want)) return;
    wrong++;
    printf("  thread %d, turn %d: %s is %g instead of %g\n", me, turn, what, got, want);
}

static void one_turn(int me, int turn)
{
    const int n = 3 + (me + turn) % 5;
    char path[128];
    const tt_val w = tt_full(2, TT_F32, n), x = tt_full(me + 1, TT_F32, n);
    const double k = me + 1;
    differs(me, turn, "a shared call", tt_num(tt_sum(tt_call(shared, w, x))), 4 * k * k * n);
    differs(me, turn, "a gradient", tt_num(tt_sum(tt_call(tt_jit(tt_grad(loss)), w, x))), 4 * k * k * n);
    differs(me, turn, "an imported call", tt_num(tt_sum(tt_call(imported, tt_full(me, TT_F32, 4)))), 12. * me);
    int factor = 10 * me + turn;
    const tt_fn own = tt_jit(tt_bind_env("times", times, &factor, sizeof factor, 1));
    differs(me, turn, "an environment", tt_num(tt_call(own, tt_i(7))), 7. * factor);
    const char *text = tt_export(triple, x);
    const tt_fn mine = tt_import(text);
    differs(me, turn, "its own import", tt_num(tt_sum(tt_call(mine, x))), 3 * k * n);
    snprintf(path, sizeof path, "%s/t%d", room, me);
    tt_save(path, tt_dict("x", x, "turn", tt_i(turn)), .force = 1);
    const tt_val back = tt_load(path);
    differs(me, turn, "what was saved", tt_num(tt_get(back, "turn")), turn);
    differs(me, turn, "a text", atof(tt_value_text(tt_i(me * 100 + turn))), me * 100 + turn);
    if (turn % 3 == 2) tt_clear_caches();
    if (!tt_ok()) printf("  thread %d: %s\n", me, tt_error()), wrong++;
    tt_clear();
    tt_matmul(tt_ones(TT_F32, 2), tt_ones(TT_F32, 3 + me));      /* its own mistake */
    snprintf(path, sizeof path, "%d", 3 + me);
    if (tt_ok() || !strstr(tt_error(), path)) printf("  thread %d: another's error\n", me), wrong++;
    tt_clear();
}

static void *started(void *p) { return *(int *)p = 1, NULL; }

/* The library takes little of the stacks of threads that never call it: the smallest stack suffices. */
static void smallest_stack(void)
{
    pthread_attr_t a;
    pthread_t t;
    int ran = 0;
    pthread_attr_init(&a);
    pthread_attr_setstacksize(&a, (size_t)PTHREAD_STACK_MIN);
    const int failed = pthread_create(&t, &a, started, &ran);
    if (!failed) pthread_join(t, NULL);
    pthread_attr_destroy(&a);
    CHECK(!failed && ran, "a thread with a stack of %ld bytes: %s", (long)PTHREAD_STACK_MIN, strerror(failed));
}

/* Values that pass from thread to thread: one keeps them, another drops them, while the scope that they are from
 * closes. */
static tt_val passed[4];
static pthread_mutex_t passing = PTHREAD_MUTEX_INITIALIZER;

static void *pass_on(void *p)
{
    for (int i = 0; i < 300; i++) {
        const tt_scope s = tt_scope_open();
        const tt_val mine = tt_keep(tt_full((int)(intptr_t)p, TT_F32, 7));
        pthread_mutex_lock(&passing);
        const tt_val got = passed[i % 4];
        passed[i % 4] = mine;
        pthread_mutex_unlock(&passing);
        const double sum = got.born ? tt_num(tt_sum(got)) : 0;
        if (got.born) tt_drop(got);
        if (!tt_ok() || fmod(sum, 7)) printf("  passed on: %g, %s\n", sum, tt_error()), wrong++;
        tt_scope_close(s);
    }
    return NULL;
}

static void *work(void *p)
{
    for (tt_loop it = tt_steps(TURNS); tt_next(&it);) one_turn((int)(intptr_t)p, (int)it.i);
    return NULL;
}

int main(int argc, char **argv)
{
    if (!check_main_one(argc, argv, __FILE__)) return check_done();
    pthread_t t[THREADS];
    tt_on_error(quiet, NULL);
    if (!check_folder(room)) return 1;
    shared = tt_jit(loss);
    const char *text = tt_export(triple, tt_ones(TT_F32, 4));
    imported = tt_jit(tt_import(text));
    for (int i = 0; i < THREADS; i++) pthread_create(&t[i], NULL, work, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++) pthread_join(t[i], NULL);
    CHECK(!wrong && tt_ok(), "%d wrong", wrong);
    for (int i = 0; i < THREADS; i++) pthread_create(&t[i], NULL, pass_on, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++) pthread_join(t[i], NULL);
    CHECK(!wrong, "%d passed on wrong", wrong);
    for (int i = 0; i < 4; i++) tt_drop(passed[i]);
    smallest_stack();
    CHECK(tt_done() == 0, "every error was cleared");
    return check_done();
}
