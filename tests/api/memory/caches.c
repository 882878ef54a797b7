/* What calls leave behind is bounded: compiled calls of ever new shapes, eager ones, environments, texts.
 * tt_clear_caches takes all of it away, also while other threads are calling. */
#include <tutti.h>

#include <pthread.h>
#include <stdatomic.h>

#include "base/base.h"
#include "driver/driver.h"
#include "check.h"

static tt_val doubled(tt_val x) { return tt_sum(tt_mul(x, tt_f(2))); }

static tt_val times(void *env, int n, const tt_val *x)
{
    (void)n;
    return tt_mul(x[0], tt_i(*(int *)env));
}

enum { JIT, EAGER, ENV, TEXT };

static double one(int kind, int i)
{
    if (kind == JIT) return tt_num(tt_call(tt_jit(doubled), tt_ones(TT_F32, i + 1))) - 2. * (i + 1);
    if (kind == EAGER) return tt_num(tt_sum(tt_add(tt_ones(TT_F32, i % 900 + 1, i / 900 + 1), tt_f(1)))) -
        2. * (i % 900 + 1) * (i / 900 + 1);
    if (kind == ENV) return tt_num(tt_call(tt_jit(tt_bind_env("times", times, &i, sizeof i, 1)), tt_i(3))) - 3. * i;
    char text[32];
    snprintf(text, sizeof text, "%d", i);
    return strcmp(tt_value_text(tt_i(i)), text);
}

/* The bytes that n calls more of ever new things leave behind, after as many as fill the caches. */
static void bounded(int kind, const char *what, int first, int more, size_t each)
{
    size_t before = 0;
    int wrong = 0;
    for (tt_loop l = tt_steps(first + more); tt_next(&l);) {
        if (l.i == first) before = base_live_bytes();
        wrong += one(kind, (int)l.i) != 0;
    }
    const size_t after = base_live_bytes(), took = after > before ? after - before : 0;
    CHECK(!wrong && tt_ok(), "%s: %d wrong", what, wrong);
    CHECK(took < each * (size_t)more, "%s: %zu bytes a turn", what, took / (size_t)more);
    tt_clear_caches();
    CHECK(driver_count().programs == 0, "%s: %lld programs are left", what, (long long)driver_count().programs);
}

static tt_fn kept;
static _Atomic int wrong, over, cleared;

static void *calling(void *p)
{
    const int me = (int)(intptr_t)p;
    for (tt_loop l = tt_steps(1000000); tt_next(&l) && (l.i < 50 || cleared < 20);) {    /* whoever runs first */
        const int n = (int)(l.i % 7) + me;
        const double y = tt_num(tt_call(kept, tt_ones(TT_F32, n)));
        wrong += y != 2. * n;
        wrong += tt_num(tt_sum(tt_add(tt_ones(TT_F32, n), tt_f(1)))) != 2. * n;
    }
    wrong += !tt_ok();
    over++;
    return NULL;
}

static void cleared_meanwhile(void)
{
    pthread_t t[3];
    kept = tt_jit(doubled);
    for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, calling, (void *)(intptr_t)(i + 1));
    while (over < 3) tt_clear_caches(), cleared++;
    for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
    CHECK(!wrong && cleared >= 20, "%d wrong, cleared %d times", wrong, cleared);
}

static void texts_live(void)
{
    const char *first = tt_value_text(tt_i(77)), *later = NULL;
    for (int i = 0; i < 1000; i++) later = tt_value_text(tt_i(i));
    CHECK(!strcmp(first, "77") && !strcmp(later, "999"), "\"%s\", \"%s\"", first, later);
}

static void alone(void)
{
    bounded(JIT, "jit", 2600, 2050, 800);
    bounded(EAGER, "eager", 4200, 1000, 500);
    bounded(ENV, "environments", 2600, 2050, 800);
    bounded(TEXT, "texts", 1200, 3000, 20);
    texts_live();
}

#ifdef __SANITIZE_THREAD__
enum { THREADS_ONLY = 1 };
#else
enum { THREADS_ONLY = 0 };
#endif

int main(int argc, char **argv)
{
    if (!check_main_one(argc, argv, __FILE__)) return check_done();
    if (!THREADS_ONLY) alone();
    cleared_meanwhile();
    tt_done();
    return check_done();
}
