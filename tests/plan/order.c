/* The order of steps on a small stack: each step of a long chain frees what the next one may run early for. */
#include "driver/driver.h"
#include "op/ops.h"
#include "plan/plan.h"
#include "check.h"

#include <pthread.h>

typedef struct { base_arena *a; ir_fn *f; const run_plan *plan; } chain;

static void *plan_it(void *env)
{
    chain *const c = env;
    c->plan = plan_make(c->a, c->a, c->f, false);
    return NULL;
}

static void long_chain(void)
{
    enum { STEPS = 1 << 14, STACK = 256 << 10 };
    const int64_t n = 8;
    chain c = { .a = base_open() };
    ir_build *const b = ir_begin(c.a, "f", NULL);
    ir_id y = ir_arg(b, ir_type_of(TT_F32, 1, &n));
    for (int i = 0; i < STEPS; i++) y = ir_emit(b, &prim_cumsum, &(op_cum_attr){ 0, false }, 1, &y, 0, NULL);
    c.f = ir_end(b, 1, &y);
    CHECK(c.f, "%s", base_failed() ? base_failed()->what : "no function");
    pthread_attr_t small;
    pthread_t t;
    pthread_attr_init(&small), pthread_attr_setstacksize(&small, STACK);
    const bool runs = c.f && !pthread_create(&t, &small, plan_it, &c);
    CHECK(runs, "no thread");
    if (runs) pthread_join(t, NULL);
    CHECK(c.plan, "a chain of %d steps has no plan", STEPS);
    pthread_attr_destroy(&small);
    base_close(c.a);
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    CHECK_RUN(long_chain());
    return check_done();
}
