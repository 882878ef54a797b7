/* callbacks.c - functions of C that a program calls: their results, how often they are called, with which shapes, and
 * what is refused. Numbers of calls and shapes are those of jax.pure_callback and io_callback in JAX 0.10.2. */
#include "api/api_check.h"

#include "op/op.h"
#include "op/ops.h"

#include <pthread.h>
#include <stdio.h>

/* ---- functions of C ---- */

static int64_t elements(const tt_box *x)
{
    int64_t n = 1;
    for (int d = 0; d < x->rank; d++) n *= x->dims[d];
    return n;
}

typedef struct { int calls; char shapes[256]; double sum; } log_of;
static log_of seen;

static void note(log_of *l, int n, const tt_box *x)
{
    l->calls++;
    for (int i = 0; i < n; i++) {
        char *const to = l->shapes + strlen(l->shapes);
        const size_t space = sizeof l->shapes - strlen(l->shapes);
        snprintf(to, space, "(");
        for (int d = 0; d < x[i].rank; d++)
            snprintf(l->shapes + strlen(l->shapes), 24, d ? ",%d" : "%d", (int)x[i].dims[d]);
        snprintf(l->shapes + strlen(l->shapes), 4, ")");
    }
}

/* out = sin(in), elementwise, dense. */
static const char *sines(void *env, int nin, const tt_box *in, int nout, const tt_box *out)
{
    if (env) note(env, nin, in);
    if (nout != 1) return "one result";
    for (int64_t i = 0; i < elements(&in[0]); i++)
        ((float *)out[0].data)[i] = sinf(((const float *)in[0].data)[i]);
    return NULL;
}

/* (sum, number of elements) of the operand. */
static const char *both(void *env, int nin, const tt_box *in, int nout, const tt_box *out)
{
    float sum = 0;
    (void)env, (void)nin;
    if (nout != 2 || out[1].dtype != TT_I32) return "two results";
    for (int64_t i = 0; i < elements(&in[0]); i++) sum += ((const float *)in[0].data)[i];
    *(float *)out[0].data = sum;
    *(int32_t *)out[1].data = (int32_t)elements(&in[0]);
    return NULL;
}

static const char *shapes(void *env, int nin, const tt_box *in, int nout, const tt_box *out)
{
    note(env, nin, in);
    for (int j = 0; j < nout; j++) memset(out[j].data, 0, (size_t)elements(&out[j]) * 4);
    return NULL;
}

/* The number of the call, and the operand. */
static const char *counts(void *env, int nin, const tt_box *in, int nout, const tt_box *out)
{
    log_of *const l = env;
    (void)nin;
    l->calls++;
    l->sum = 10 * l->sum + *(const float *)in[0].data;
    if (nout) *(float *)out[0].data = (float)l->calls;
    return NULL;
}

static const char *refuses(void *env, int nin, const tt_box *in, int nout, const tt_box *out)
{
    (void)env, (void)nin, (void)nout;
    *(float *)out[0].data = 0;
    return *(const float *)in[0].data > 1 ? "the value is above 1" : NULL;
}

/* Calls the library, on the value that it is given. */
static const char *calls_back(void *env, int nin, const tt_box *in, int nout, const tt_box *out)
{
    (void)env, (void)nin, (void)nout;
    const tt_scope s = tt_scope_open();
    const tt_val x = tt_array(TT_F32, in[0].data, 3);
    *(float *)out[0].data = (float)tt_num(tt_sum(tt_square(x)));
    tt_scope_close(s);
    return tt_ok() ? NULL : "the library failed";
}

/* ---- functions of values ---- */

#define SCALAR tt_shape(TT_F32)
static tt_val plain(tt_val x) { return tt_pure_callback(sines, &seen, tt_like(x), x); }
static tt_val one_by_one(tt_val x)
{
    return tt_pure_callback(sines, &seen, tt_like(x), x, .vmap_method = "sequential");
}
static tt_val two(tt_val x)
{
    return tt_pure_callback(both, NULL, tt_tuple(SCALAR, tt_shape(TT_I32)), x, .vmap_method = "sequential");
}
static tt_val sequential(tt_val x, tt_val y)
{
    return tt_pure_callback(shapes, &seen, SCALAR, tt_tuple(x, y), .vmap_method = "sequential");
}
static tt_val expanded(tt_val x, tt_val y)
{
    return tt_pure_callback(shapes, &seen, SCALAR, tt_tuple(x, y), .vmap_method = "expand_dims");
}
static tt_val broadcast(tt_val x, tt_val y)
{
    return tt_pure_callback(shapes, &seen, SCALAR, tt_tuple(x, y), .vmap_method = "broadcast_all");
}
static tt_val nested(tt_val y) { return tt_call(tt_vmap(expanded, .in = "0; _"), tt_arange(TT_F32, 3), y); }
static tt_val rule(tt_val p, tt_val d)
{
    const tt_val x = tt_get(p, "0");
    return tt_tuple(one_by_one(x), tt_mul(tt_cos(x), tt_get(d, "0")));
}
static tt_val with_rule(tt_val x) { return tt_call(tt_custom_jvp(one_by_one, rule), x); }
static tt_val unread(tt_val x) { plain(x); return x; }
static tt_val stopped(tt_val x) { return tt_mul(x, plain(tt_stop_gradient(x))); }
static tt_val effect(tt_val x) { return tt_io_callback(counts, &seen, SCALAR, x, .vmap_method = "sequential"); }
static tt_val effect_unread(tt_val x) { effect(x); return x; }
static tt_val effect_stopped(tt_val x) { effect(tt_stop_gradient(x)); return x; }
static tt_val effect_twice(tt_val x) { return tt_add(effect(x), effect(x)); }
static tt_val effect_alone(tt_val x) { tt_io_callback(counts, &seen, tt_end, x); return x; }
static tt_val step(tt_val c, tt_val x) { return tt_tuple(tt_add(c, effect(x)), c); }
static tt_val loop(tt_val x) { return tt_get(tt_scan(step, tt_f(0), x), "0"); }
static tt_val small(tt_val c) { return tt_lt(c, tt_f(3)); }
static tt_val grows(tt_val c) { effect(tt_stop_gradient(c)); return tt_mul(c, tt_f(2)); }
static tt_val grows_pure(tt_val c) { return tt_add(c, tt_mul(tt_f(0), plain(tt_stop_gradient(c)))); }
static tt_val next(tt_val c) { return tt_mul(grows_pure(c), tt_f(2)); }
static tt_val grown(tt_val x) { return tt_while(small, grows, x); }
static tt_val grown_pure(tt_val x) { return tt_while(small, next, x); }
static tt_val bad(tt_val x) { return tt_pure_callback(refuses, NULL, SCALAR, x, .vmap_method = "sequential"); }
static tt_val bad_step(tt_val c, tt_val x) { return tt_tuple(tt_add(c, bad(x)), c); }
static tt_val bad_loop(tt_val x) { return tt_get(tt_scan(bad_step, tt_f(0), x), "0"); }
static tt_val inner(tt_val x) { return tt_pure_callback(calls_back, NULL, SCALAR, tt_mul(x, tt_f(2))); }

#define CALLS(n, text, ...) \
    do { \
        seen = (log_of){ 0 }; \
        __VA_ARGS__; \
        CHECK(tt_ok() && seen.calls == (n) && !strcmp(seen.shapes, text), "%s: %d calls, \"%s\" %s", #__VA_ARGS__, \
              seen.calls, seen.shapes, tt_error()); \
        tt_clear(); \
    } while (0)

/* ---- the cases ---- */

static void values(void)
{
    const tt_val x = VEC(0, 0.5, 1);
    IS(plain(x), 0, 0.479425538604203, 0.8414709848078965);
    IS(tt_call(tt_jit(plain), x), 0, 0.479425538604203, 0.8414709848078965);
    IS(tt_get(tt_call(tt_jit(two), x), "0"), 1.5);
    IS_TYPED(tt_get(two(x), "1"), "i32[]", 3);
    IS(tt_get(tt_call(tt_vmap(two), tt_reshape(tt_arange(TT_F32, 6), 2, 3)), "0"), 3, 12);
    IS_TYPED(tt_get(tt_call(tt_vmap(two), tt_reshape(tt_arange(TT_F32, 6), 2, 3)), "1"), "i32[2]", 3, 3);
    IS(tt_call(tt_jit(inner), VEC(1, 2, 3)), 56);
    IS(tt_call(tt_jit(inner), VEC(1, 2, 4)), 84);
    IS(stopped(tt_f(1)), 0.8414709848078965);
    IS(tt_call(tt_grad(stopped), tt_f(1)), 0.8414709848078965);
    IS(tt_call(tt_grad(with_rule), tt_f(1)), 0.5403023058681398);
    IS(tt_call(tt_vmap(tt_grad(with_rule)), VEC(0, 1)), 1, 0.5403023058681398);
}

static void mapped(void)
{
    const tt_val x = tt_arange(TT_F32, 3), y = tt_f(1);
    CALLS(3, "()()()", tt_call(tt_vmap(one_by_one), x));
    CALLS(3, "()()()()()()", tt_call(tt_vmap(sequential, .in = "0; _"), x, y));
    CALLS(1, "(3)(1)", tt_call(tt_vmap(expanded, .in = "0; _"), x, y));
    CALLS(1, "(3)(3)", tt_call(tt_vmap(broadcast, .in = "0; _"), x, y));
    CALLS(1, "(1,3)(2,1)", tt_call(tt_vmap(nested), tt_arange(TT_F32, 2)));
    CALLS(6, "()()()()()()", tt_call(tt_vmap(tt_vmap(one_by_one)), tt_reshape(tt_arange(TT_F32, 6), 2, 3)));
    IS(tt_call(tt_vmap(one_by_one), VEC(0, 0.5)), 0, 0.479425538604203);
    IS(tt_call(tt_vmap(tt_vmap(one_by_one)), tt_array(TT_F32, ((float[]){ 0, .5, 1, 0 }), 2, 2)), 0, 0.479425538604203,
       0.8414709848078965, 0);
}

static void effects(void)
{
    const tt_val x = tt_arange(TT_F32, 3), one = tt_f(1);
    CALLS(0, "", tt_call(tt_jit(unread), one));
    CALLS(1, "", tt_call(tt_jit(effect_unread), one));
    CALLS(2, "", tt_call(tt_jit(effect_twice), one));
    CALLS(1, "", tt_call(tt_jit(effect_alone), one));
    CALLS(1, "", effect_alone(one));
    CALLS(3, "", tt_call(tt_vmap(effect), x));
    CALLS(3, "", tt_call(tt_jit(loop), x));
    CHECK(seen.sum == 12, "in order: %g", seen.sum);
    CALLS(2, "", tt_call(tt_jit(grown), one));
    CALLS(1, "", tt_call(tt_grad(effect_stopped), one));
    seen.calls = 0;
    IS(tt_call(tt_jit(effect_twice), one), 3);
    IS(tt_call(tt_jit(loop), x), 3 + 4 + 5);
    IS(tt_call(tt_vmap(effect), x), 6, 7, 8);
    IS(tt_get(tt_call(tt_jvp(grown_pure), tt_tuple(one), tt_tuple(one)), "1"), 4);
    tt_clear();
}

static void meshes(void)
{
    const tt_mesh four = tt_mesh("i:4");
    const tt_val s = tt_shard(tt_arange(TT_F32, 8), four, "i");
    CALLS(1, "(8)", tt_call(tt_jit(plain), s));
    IS(tt_call(tt_jit(plain), tt_mul(s, tt_f(0))), 0, 0, 0, 0, 0, 0, 0, 0);
    CALLS(4, "(2)(2)(2)(2)", tt_call(tt_shard_map(plain, .mesh = four, .in = "i", .out = "i"), s));
    CALLS(1, "", tt_call(tt_jit(effect_alone), tt_shard(tt_ones(TT_F32, 8), four, "i")));
    CALLS(8, "()()()()()()()()", tt_call(tt_jit(tt_vmap(one_by_one)), s));
    IS(tt_call(tt_shard_map(plain, .mesh = four, .in = "i", .out = "i"), VEC(0, .5, 1, 0)), 0, 0.479425538604203,
       0.8414709848078965, 0);
}

static void refusals(void)
{
    const tt_val x = tt_arange(TT_F32, 3), one = tt_f(1);
    tt_call(tt_jit(bad), tt_f(2));
    const tt_error_info *const e = tt_error_record();
    CHECK(strstr(e->site, "callbacks.c:") && strstr(e->site, "tt_pure_callback(refuses"), "%s", e->site);
    CHECK(failed("tt_pure_callback: the value is above 1"), "what it reports");
    IS(tt_call(tt_jit(bad), one), 0);
    tt_call(tt_vmap(bad), x);
    CHECK(failed("the value is above 1"), "of one element");
    tt_call(tt_jit(bad_loop), x);
    CHECK(failed("the value is above 1"), "in a loop");
    tt_call(tt_vmap(plain), x);
    CHECK(failed("vmap of pure_callback, whose call gives no .vmap_method"), "no method");
    tt_call(tt_grad(plain), one);
    CHECK(failed("pure_callback: the function of C has no derivative"), "a derivative");
    tt_call(tt_grad(effect), one);
    CHECK(failed("io_callback: the function of C has no derivative"), "a derivative");
    tt_call(tt_jvp(grown), tt_tuple(one), tt_tuple(one));
    CHECK(failed("io_callback where a derivative computes values a second time"), "a while");
    tt_call(tt_grad(tt_remat(effect_stopped)), one);
    CHECK(failed("io_callback where a derivative computes values a second time"), "a remat");
    tt_pure_callback(sines, NULL, tt_like(x), x, .vmap_method = "parallel");
    CHECK(failed("no .vmap_method \"parallel\""), "no such method");
    tt_pure_callback(NULL, NULL, tt_like(x), x);
    CHECK(failed("the function is NULL"), "no function");
    tt_pure_callback(sines, NULL, tt_end, x);
    CHECK(failed("the call has no results and no effect"), "no result");
    tt_export(plain, x);
    CHECK(failed("pure_callback"), "an exported program");
    CALLS(0, "", (void)x);
}

/* Maps that each add a lead dim, each of another operand, so that no operand has too many dims. */
static void deep(void)
{
    base_arena *const a = base_open();
    ir_build *const b = ir_begin(a, base_intern("f"), NULL);
    const int64_t lead[IR_RANK + 1] = { 0 };
    const op_host_attr most = { .lead = { IR_RANK, lead } }, past = { .lead = { IR_RANK + 1, lead } };
    CHECK(ir_emit(b, &prim_debug_callback, &most, 0, NULL, 0, NULL), "%d maps", IR_RANK);
    CHECK(!ir_emit(b, &prim_debug_callback, &past, 0, NULL, 0, NULL) && base_failed(), "%d maps", IR_RANK + 1);
    base_clear_error();
    base_close(a);
}

/* ---- threads ---- */

enum { THREADS = 4, TURNS = 25 };

static tt_val mine(void *env, int n, const tt_val *x)
{
    (void)n;
    return tt_io_callback(counts, *(log_of **)env, SCALAR, tt_sum(x[0]), .vmap_method = "sequential");
}

static void *thread(void *arg)
{
    log_of *const l = arg;
    const tt_fn f = tt_jit(tt_bind_env("mine", mine, &(log_of *){ l }, sizeof l, 1));
    bool good = true;
    for (int i = 0; i < TURNS; i++) {
        const tt_scope s = tt_scope_open();
        good &= tt_num(tt_call(f, tt_ones(TT_F32, 3))) == 3 * i + 1;
        good &= tt_num(tt_sum(tt_call(tt_vmap(f), tt_ones(TT_F32, 2, 3)))) == 6 * i + 5;
        tt_scope_close(s);
    }
    if (!good || !tt_ok()) l->calls = -1;
    tt_done();
    return NULL;
}

static void threads(void)
{
    pthread_t t[THREADS];
    static log_of l[THREADS];
    for (int i = 0; i < THREADS; i++) pthread_create(&t[i], NULL, thread, &l[i]);
    for (int i = 0; i < THREADS; i++) pthread_join(t[i], NULL);
    for (int i = 0; i < THREADS; i++) CHECK(l[i].calls == TURNS * 3, "thread %d: %d calls", i, l[i].calls);
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    tt_on_error(quiet, NULL);
    CHECK_RUN(values());
    CHECK_RUN(mapped());
    CHECK_RUN(effects());
    CHECK_RUN(meshes());
    CHECK_RUN(refusals());
    CHECK_RUN(deep());
    CHECK_RUN(threads());
    tt_done();
    return check_done();
}
