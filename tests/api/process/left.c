/* Calls that never return, since a function of the program jumps out of them (longjmp, as libraries and languages on
 * top of C raise their errors) or ends its thread: the trace or the launch under way is given up, and what comes after
 * has the values of a program that never made the call. */
#include <tutti.h>
#include <tutti/callback.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/base.h"
#include "check.h"
#include "trace/trace.h"

#ifdef __GLIBC__
static jmp_buf back;
static enum { STAYS, JUMPS, ENDS } now;                  /* what the functions below do */

static void leave(void)
{
    if (now == JUMPS) longjmp(back, 1);
    if (now == ENDS) pthread_exit(NULL);
}

static tt_val doubled(tt_val x)
{
    const tt_val y = tt_mul(x, tt_f(2));
    leave();
    return tt_sum(y);
}

static const char *plus_one(void *env, int nin, const tt_box *in, int nout, const tt_box *out)
{
    (void)env, (void)nin, (void)nout;
    int64_t n = 1;
    for (int d = 0; d < in[0].rank; d++) n *= in[0].dims[d];
    for (int64_t i = 0; i < n; i++) ((float *)out[0].data)[i] = ((const float *)in[0].data)[i] + 1;
    leave();
    return NULL;
}

static tt_val called(tt_val x)
{
    return tt_sum(tt_mul(tt_pure_callback(plus_one, NULL, tt_shape(TT_F32, 4), x), tt_f(3)));
}

static tt_val other(tt_val x) { return tt_sum(tt_add(tt_io_callback(plus_one, NULL, tt_shape(TT_F32, 4), x), x)); }
static tt_val ones(void) { return tt_ones(TT_F32, 4); }

static void quiet(const tt_error_info *e, void *env) { (void)e, (void)env; }

/* All is as if the call had never been made. */
static void after(const char *what)
{
    now = STAYS;
    tt_on_error(quiet, NULL);
    CHECK(!tt_is_inside() && !trace_depth() && tt_ok(), "%s: a call is still under way", what);
    CHECK(tt_num(tt_call(tt_jit(doubled), ones())) == 8, "%s: a function", what);
    CHECK(tt_num(tt_call(tt_jit(called), ones())) == 24, "%s: a function that calls back", what);
    CHECK(tt_num(tt_call(tt_grad(doubled), tt_f(3))) == 2, "%s: a gradient", what);
    CHECK(tt_num(tt_sum(tt_add(ones(), tt_f(1)))) == 8, "%s: a call by itself", what);
    tt_matmul(ones(), tt_ones(TT_F32, 5));
    CHECK(!tt_ok() && strstr(tt_error(), "4 and 5") && !strstr(tt_error(), "  in "), "%s: %s", what, tt_error());
    tt_clear();
}

/* ---- jumps ---- */

typedef void made(void);
static void in_trace(void) { tt_call(tt_jit(doubled), ones()); }
static void in_grad(void) { tt_call(tt_jit(tt_value_and_grad(doubled)), tt_f(1)); }
static void in_vmap(void) { tt_call(tt_vmap(doubled), ones()); }
static void in_launch(void) { tt_call(tt_jit(called), ones()); }
static void in_eager(void) { tt_pure_callback(plus_one, NULL, tt_shape(TT_F32, 4), ones()); }
static void in_donated(void) { tt_call(tt_jit(other, .donate = "0"), ones()); }

static tt_val with_names(tt_val x)
{
    const tt_mesh mesh = tt_mesh("data:2, model:2");
    tt_scope_open();
    for (TT_WITH(mesh))
        for (TT_NAMED_SCOPE("inner")) leave();
    return x;
}
static void in_scopes(void) { tt_call(tt_jit(with_names), ones()); }

static tt_val jumps_within(tt_val x)
{
    now = JUMPS;
    if (!setjmp(back)) tt_call(tt_grad(doubled), tt_sum(x));
    now = STAYS;
    return tt_mul(x, tt_f(5));
}

static void jumps(void)
{
    static const struct { const char *what; made *call; } of[] = {
        { "a trace", in_trace }, { "a derivative", in_grad }, { "a map", in_vmap }, { "a launch", in_launch },
        { "an eager call", in_eager }, { "a launch with donation", in_donated }, { "scopes", in_scopes },
    };
    for (volatile size_t i = 0; i < sizeof of / sizeof *of; i++) {
        now = JUMPS;
        if (!setjmp(back)) {
            of[i].call();
            CHECK(false, "%s: no jump", of[i].what);
        }
        after(of[i].what);
    }
    CHECK(tt_num(tt_sum(tt_call(tt_jit(jumps_within), ones()))) == 20, "a jump within a traced function");
    after("a jump within a traced function");
}

/* A thousand calls that are left take no more memory than ten. */
static void no_growth(void)
{
    size_t bytes = 0;
    int64_t live = 0;
    for (volatile int i = 0; i < 1000; i++) {
        if (i == 10) bytes = base_live_bytes(), live = trace_live();
        const uint64_t scope = trace_scope_open(false);
        now = JUMPS;
        if (!setjmp(back)) i % 2 ? in_trace() : in_launch();
        trace_scope_close(scope);
    }
    CHECK(trace_live() == live, "%lld handles more", (long long)(trace_live() - live));
    CHECK(base_live_bytes() <= bytes + 4096, "%zu bytes more", base_live_bytes() - bytes);
    after("a thousand jumps");
}

/* ---- a handler that jumps, as one that throws ---- */

static void jump(const tt_error_info *e, void *env)
{
    (void)e, (void)env;
    longjmp(back, 1);
}

static tt_val mistaken(tt_val x) { return tt_matmul(x, tt_ones(TT_F32, 5)); }

static void handler(void)
{
    for (volatile int i = 0; i < 3; i++) {
        tt_on_error(jump, NULL);
        if (!setjmp(back)) {
            if (i == 0) tt_matmul(ones(), tt_ones(TT_F32, 5));
            if (i == 1) tt_call(tt_jit(mistaken), ones());
            if (i == 2)                                  /* begins with TT_ENTRY */
                tt_init_named_at("a.c:1: tt_init_named", "nothing", tt_key(0), TT_F32, (int64_t[]){ 4, TT_DIM_END });
            CHECK(false, "%d: no jump", i);
        }
        tt_on_error(NULL, NULL);
        CHECK(!tt_ok(), "%d: the error is lost", i);
        tt_clear();
        after("a handler");
    }
}

/* ---- threads that end ---- */

static void *ended(void *call)
{
    (*(made **)call)();
    return "returned";
}

static void ends(void)
{
    static made *const of[] = { in_trace, in_grad, in_launch, in_eager, in_donated };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        pthread_t t;
        void *got = NULL;
        now = ENDS;
        pthread_create(&t, NULL, ended, (void *)&of[i]);
        pthread_join(t, &got);
        CHECK(!got, "%zu: the thread has not ended", i);
        after("a thread's end");
    }
}

/* ---- workers that end ---- */

static pthread_t control;
static _Atomic int gone;

static const char *copied(void *env, int nin, const tt_box *in, int nout, const tt_box *out)
{
    (void)env, (void)nin, (void)nout;
    if (now == ENDS && !pthread_equal(pthread_self(), control)) {
        gone++;
        pthread_exit(NULL);
    }
    if (now == ENDS) for (int i = 0; i < 60000 && !gone; i++) usleep(1000);      /* a worker takes a share */
    int64_t n = 1;
    for (int d = 0; d < in[0].rank; d++) n *= in[0].dims[d];
    memcpy(out[0].data, in[0].data, (size_t)n * sizeof(float));
    return NULL;
}
static tt_val on_elements(tt_val x) { return tt_ffi_call("copied", tt_like(x), x, .elementwise = 1); }

static void workers(void)
{
    const tt_val x = tt_shard(tt_reshape(tt_arange(TT_F32, 1 << 20), 4, 1 << 18), tt_mesh("i:4"), "i, _");
    const tt_fn f = tt_jit(on_elements);
    const double sum = tt_num(tt_sum(x));
    control = pthread_self();
    tt_register_ffi_target("copied", copied, NULL);
    now = STAYS;
    CHECK(tt_num(tt_sum(tt_call(f, x))) == sum, "the function itself");
    now = ENDS;
    tt_call(f, x);
    CHECK(gone && !tt_ok() && strstr(tt_error(), "left its thread"), "%d: \"%s\"", gone, tt_error());
    tt_clear();
    now = STAYS;
    CHECK(tt_num(tt_sum(tt_call(f, x))) == sum, "the function again");
    after("a worker's end");
}
#endif

int main(int argc, char **argv)
{
    setenv("TUTTI", "workers:4,devices:4", 1);
    check_main(argc, argv);
#ifdef __GLIBC__
    CHECK_RUN(jumps());
    CHECK_RUN(no_growth());
    CHECK_RUN(handler());
    CHECK_RUN(ends());
    CHECK_RUN(workers());
#else
    CHECK_SKIP("not the GNU C library: jumps are not noticed");
#endif
    return check_done();
}
