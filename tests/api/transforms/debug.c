/* debug.c - tt_debug: what is printed, and how often: the numbers of lines are those of jax.debug.print in JAX 0.10.2,
 * and so are the lines where the elements are few. */
#include "api/api_check.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- what a piece of a program prints ---- */

static char printed[1 << 16];
static int was;
static char path[64];

static void begin(void)
{
    fflush(stdout);
    was = dup(1);
    strcpy(path, "/tmp/tutti-debug-XXXXXX");
    const int to = mkstemp(path);
    dup2(to, 1);
    close(to);
}

static const char *end(void)
{
    fflush(stdout);
    dup2(was, 1);
    close(was);
    FILE *const f = fopen(path, "r");
    const size_t n = f ? fread(printed, 1, sizeof printed - 1, f) : 0;
    if (f) fclose(f);
    printed[n] = '\0';
    remove(path);
    return printed;
}

static int lines(const char *s)
{
    int n = 0;
    for (; *s; s++) n += *s == '\n';
    return n;
}

/* What the program prints is this text, and it fails nowhere. */
#define PRINTS(want, ...) \
    do { \
        begin(); \
        __VA_ARGS__; \
        const char *const got_ = end(); \
        CHECK(tt_ok() && !strcmp(got_, want), "%s printed \"%s\" %s", #__VA_ARGS__, got_, tt_error()); \
        tt_clear(); \
    } while (0)
/* As many lines. */
#define LINES(n, ...) \
    do { \
        begin(); \
        __VA_ARGS__; \
        const char *const got_ = end(); \
        CHECK(tt_ok() && lines(got_) == (n), "%s printed \"%s\" %s", #__VA_ARGS__, got_, tt_error()); \
        tt_clear(); \
    } while (0)

/* ---- functions ---- */

static tt_val shown(tt_val x) { tt_debug(x, "a {}"); return tt_add(x, tt_f(1)); }
static tt_val shown_sin(tt_val x) { tt_debug(x, "a {}"); return tt_sin(x); }
static tt_val shown_sin2(tt_val x) { tt_debug(x, "a {}"); return tt_sin(tt_sin(x)); }
static tt_val second(tt_val x, tt_val y) { tt_debug(y, "a {}"); return tt_sin(x); }
static tt_val both(tt_val x, tt_val y) { tt_debug(tt_tuple(x, y), "a {} {}"); return tt_add(tt_sin(x), y); }
static tt_val each_of(tt_val x) { return tt_call(tt_vmap(both, .in = "_; 0"), x, tt_arange(TT_F32, 2)); }
static tt_val step(tt_val c, tt_val x) { tt_debug(tt_tuple(c, x), "a {} {}"); return tt_tuple(tt_add(c, x), c); }
static tt_val loop(tt_val x) { return tt_get(tt_scan(step, tt_f(0), x), "0"); }
static tt_val unread(tt_val x) { tt_scan(step, tt_f(0), x); return x; }
static tt_val product(tt_val c, tt_val x)
{
    tt_debug(tt_tuple(tt_get(c, "0"), x), "a {} {}");
    return tt_tuple(tt_tuple(tt_mul(tt_mul(tt_get(c, "0"), x), tt_get(c, "1")), tt_get(c, "1")), tt_f(0));
}
static tt_val products(tt_val w)
{
    return tt_get(tt_scan(product, tt_tuple(tt_f(1), w), VEC(1, 2, 3)), "0.0");
}
static tt_val small(tt_val c) { return tt_lt(c, tt_f(3)); }
static tt_val count(tt_val c) { tt_debug(c, "a {}"); return tt_add(c, tt_f(1)); }
static tt_val doubled(tt_val c) { tt_debug(c, "a {}"); return tt_mul(c, tt_f(2)); }
static tt_val counted(tt_val x) { return tt_while(small, count, x); }
static tt_val grown(tt_val x) { return tt_while(small, doubled, x); }
static tt_val is_small(tt_val c) { tt_debug(c, "is {}"); return tt_lt(c, tt_f(3)); }
static tt_val tested(tt_val x) { return tt_while(is_small, doubled, x); }
static tt_val yes(tt_val y) { tt_debug(y, "t {}"); return tt_add(y, tt_f(1)); }
static tt_val no(tt_val y) { tt_debug(y, "f {}"); return tt_mul(y, tt_f(2)); }
static tt_val chosen(tt_val y) { return tt_cond(tt_lt(y, tt_f(1)), yes, no, y); }
static tt_val chosen_unread(tt_val y) { tt_cond(tt_lt(y, tt_f(1)), yes, no, y); return y; }
static tt_val twice(tt_val x) { tt_debug(x, "a {}"); tt_debug(x, "a {}"); return x; }
static tt_val inner(tt_val x) { return tt_call(tt_jit(shown), x); }
static tt_val order(tt_val x)
{
    tt_debug(x, "1 {}");
    const tt_val y = tt_matmul(x, x), z = tt_exp(y);
    tt_debug(tt_sum(z), "2 {:.0f}");
    tt_debug(x, "3 {}");
    tt_debug(tt_sum(y), "4 {:.0f}");
    return z;
}

/* ---- the cases ---- */

static void formats(void)
{
    const tt_val x = tt_arange(TT_F32, 3);
    PRINTS("a [0. 1. 2.]\n", shown(x));
    PRINTS("a [0. 1. 2.]\n", tt_call(tt_jit(shown), x));
    PRINTS("a 1.500 b [0 1] {}\n", tt_debug(tt_tuple(tt_f(1.5), tt_arange(TT_I32, 2)), "a {:.3f} b {} {{}}"));
    PRINTS("1.0 3 True -0.5\n",
           tt_debug(tt_tuple(tt_f(1), tt_i(3), tt_lt(tt_f(0), tt_f(1)), tt_f(-.5)), "{} {} {} {}"));
    PRINTS("loss 2.0 at [0. 1. 2.]\n", tt_debug(tt_dict("w", x, "loss", tt_f(2)), "loss {loss} at {w}"));
    PRINTS("b 2.0, a 1.0, b 2.0\n", tt_debug(tt_tuple(tt_f(1), tt_f(2)), "b {1}, a {0}, b {1}"));
    PRINTS("[0.00 1.00 2.00]\n", tt_debug(x, "{:.2f}"));
    PRINTS("[+1e+00] ff    7|3  \n", tt_debug(tt_tuple(tt_ones(TT_F32, 1), tt_i(255), tt_i(7), tt_i(3)),
                                             "{:+.0e} {:x} {:4d}|{:<3d}"));
    PRINTS("0.333 18446744073709551615 1.0-2.0j\n",
           tt_debug(tt_tuple(tt_f(1 / 3.), tt_array(TT_U64, &(uint64_t){ UINT64_MAX }),
                             tt_complex(tt_f(1), tt_f(-2))), "{:.3} {:d} {:.1f}"));
    PRINTS("[[1. 1.]\n [1. 1.]]\n", tt_debug(tt_ones(TT_F32, 2, 2), "{}"));
    PRINTS("m [0.000e+00 1.000e+00 2.000e+00 ... 1.997e+03 1.998e+03 1.999e+03]\n",
           tt_debug(tt_arange(TT_F32, 2000), "m {}"));
}

static void counts(void)
{
    const tt_val x = tt_arange(TT_F32, 3), one = tt_f(1);
    PRINTS("a 1.0\n", tt_call(tt_grad(shown_sin), one));
    PRINTS("a 1.0\n", tt_call(tt_jit(tt_grad(shown_sin)), one));
    PRINTS("a 0.0\na 1.0\na 2.0\n", tt_call(tt_vmap(shown_sin), x));
    PRINTS("a 2.0\n", tt_call(tt_vmap(second, .in = "0; _"), x, tt_f(2)));
    LINES(6, tt_call(tt_vmap(each_of), x));
    PRINTS("a 0.0 0.0\na 0.0 1.0\na 1.0 2.0\n", tt_call(tt_jit(loop), x));
    LINES(3, tt_call(tt_jit(unread), x));
    PRINTS("a 1.0 1.0\na 2.0 2.0\na 8.0 3.0\n", tt_call(tt_jit(tt_grad(products)), tt_f(2)));
    PRINTS("a 0.0\na 1.0\na 2.0\n", tt_call(tt_jit(counted), tt_f(0)));
    PRINTS("a 1.0\na 2.0\n", tt_call(tt_jit(tt_jvp(grown)), tt_tuple(one), tt_tuple(one)));
    PRINTS("is 1.0\na 1.0\nis 2.0\na 2.0\nis 4.0\n", tt_call(tt_jvp(tested), tt_tuple(one), tt_tuple(one)));
    LINES(9, tt_call(tt_vmap(counted), x));
    PRINTS("t 0.0\n", tt_call(tt_jit(chosen), tt_f(0)));
    PRINTS("f 2.0\n", tt_call(tt_jit(chosen_unread), tt_f(2)));
    PRINTS("f 2.0\n", chosen(tt_f(2)));
    LINES(6, tt_call(tt_vmap(chosen), x));
    PRINTS("f 2.0\n", tt_call(tt_jit(tt_grad(chosen)), tt_f(2)));
    PRINTS("a 1.0\na 1.0\n", tt_call(tt_grad(tt_remat(shown_sin2)), one));
    PRINTS("a 1.0\na 1.0\n", tt_call(tt_jit(tt_grad(tt_remat(shown_sin2))), one));
    LINES(1, tt_call(tt_jvp(tt_remat(shown_sin2)), tt_tuple(one), tt_tuple(one)));
    LINES(1, tt_call(tt_hessian(shown_sin), one));
    LINES(1, tt_call(tt_jacrev(shown_sin), x));
    LINES(1, tt_call(tt_jacfwd(shown_sin), x));
    LINES(1, tt_call(tt_grad(inner), one));
    PRINTS("a 1.0\na 1.0\n", tt_call(tt_jit(twice), one));
    begin();
    IS(tt_call(tt_jit(tt_grad(products)), tt_f(2)), 6 * 3 * 4);
    IS(tt_call(tt_grad(tt_remat(shown_sin2)), one), 0.5403023058681398 * 0.6663667453928805);
    end();
}

static void ordered(void)
{
    begin();
    tt_call(tt_jit(order), tt_full(0.5, TT_F32, 2, 2));
    const char *at = end();
    for (int i = 1; i <= 4; i++) {
        CHECK(at && *at == '0' + i, "line %d: %s", i, printed);
        for (at = at ? strchr(at, '\n') + 1 : at; at && *at == ' '; at = strchr(at, '\n') + 1) continue;
    }
    tt_clear();
}

static tt_val block(tt_val x) { tt_debug(x, "{}"); return tt_mul(x, tt_f(2)); }
static tt_val parts(tt_val x) { tt_debug(x, "{}", .partitioned = 1); return tt_mul(x, tt_f(2)); }
static tt_val reduced(tt_val x) { tt_debug(tt_sum(x), "sum {}"); return tt_mul(x, tt_f(2)); }
static tt_val alone(tt_val x)
{
    return tt_cond(tt_lt(tt_sum(x), tt_f(2)), yes, no, x);
}

static void meshes(void)
{
    const tt_mesh four = tt_mesh("i:4");
    const tt_val x = tt_arange(TT_F32, 8), s = tt_shard(x, four, "i");
    PRINTS("[0. 1. 2. 3. 4. 5. 6. 7.]\n", tt_call(tt_jit(block), s));
    PRINTS("[0. 1. 2. 3. 4. 5. 6. 7.]\n", block(s));
    PRINTS("sum 28.0\n", tt_call(tt_jit(reduced), s));
    PRINTS("[0. 1.]\n[2. 3.]\n[4. 5.]\n[6. 7.]\n", tt_call(tt_jit(parts), s));
    PRINTS("[0. 1.]\n[2. 3.]\n[4. 5.]\n[6. 7.]\n",
           tt_call(tt_shard_map(block, .mesh = four, .in = "i", .out = "i"), x));
    LINES(4, tt_call(tt_shard_map(block, .mesh = four, .in = "_", .out = "_"), x));
    LINES(8, tt_call(tt_jit(tt_vmap(block)), s));
    begin();
    IS(tt_call(tt_jit(block), s), 0, 2, 4, 6, 8, 10, 12, 14);
    IS(tt_call(tt_jit(parts), s), 0, 2, 4, 6, 8, 10, 12, 14);
    end();
    tt_call(tt_shard_map(alone, .mesh = four, .in = "i", .out = "i"), x);
    CHECK(failed("the decision differs between devices"), "a branch of some devices");
}

static void refusals(void)
{
    const tt_val x = tt_arange(TT_F32, 3), p = tt_tuple(x, x);
    begin();
    tt_debug(x, "a");
    CHECK(failed("no place for value 0"), "a value without a place");
    tt_debug(p, "a {}");
    CHECK(failed("no place for value 1"), "two values, one place");
    tt_debug(x, "a {} {}");
    CHECK(failed("the format has more places than the 1 value given"), "one value, two places");
    tt_debug(x, "a {1}");
    CHECK(failed("the format has more places than the 1 value given"), "a number past the values");
    tt_debug(x, "a {x}");
    CHECK(failed("\"x\" is no value"), "a name of nothing");
    tt_debug(tt_dict("w", p), "a {w}");
    CHECK(failed("\"w\" is no value"), "a name of a tree");
    tt_debug(x, "a {");
    CHECK(failed("a brace without its partner"), "an open brace");
    tt_debug(x, "a }");
    CHECK(failed("a brace without its partner"), "a closing brace");
    tt_debug(p, "a {} {1}");
    CHECK(failed("the format has both {} and numbered places"), "two ways to count");
    tt_debug(x, "a {:d}");
    CHECK(failed("\"d\" is no format for f32"), "an integer's format");
    tt_debug(x, "a {:.f}");
    CHECK(failed("\".f\" is no format"), "a point without digits");
    tt_debug(x, "a {:s}");
    CHECK(failed("\"s\" is no format"), "a format of texts");
    tt_debug(x, "a {:1000f}");
    CHECK(failed("\"1000f\" is no format"), "a wide format");
    tt_debug(x, NULL);
    CHECK(failed("the format is NULL"), "no format");
    tt_debug(x, "a {x}");
    const tt_error_info *const e = tt_error_record();
    CHECK(strstr(e->site, "debug.c:") && strstr(e->hint, "each {}"), "%s, %s", e->site, e->hint);
    tt_clear();
    tt_export(shown, x);
    CHECK(failed("debug_callback"), "an exported program");
    CHECK(!lines(end()), "printed: %s", printed);
}

/* ---- threads ---- */

enum { THREADS = 4, TURNS = 25 };
static const char *counter(void *env, int nin, const tt_box *in, int nout, const tt_box *out)
{
    (void)out;
    if (nin != 1 || nout || in[0].rank || in[0].dtype != TT_F32) return "another box";
    *(double *)env += *(const float *)in[0].data;
    return NULL;
}

static tt_val adds(void *env, int n, const tt_val *x)
{
    (void)n;
    tt_debug_callback(counter, *(double **)env, tt_sum(x[0]));
    return x[0];
}

static void *thread(void *arg)
{
    double *const sum = arg;
    const tt_fn f = tt_jit(tt_bind_env("adds", adds, &(double *){ sum }, sizeof(double *), 1));
    for (int i = 0; i < TURNS; i++) {
        const tt_scope s = tt_scope_open();
        tt_call(f, tt_ones(TT_F32, 3));
        tt_call(tt_vmap(f), tt_ones(TT_F32, 2, 3));
        tt_scope_close(s);
    }
    if (!tt_ok()) *sum = -1;
    tt_done();
    return NULL;
}

static void threads(void)
{
    pthread_t t[THREADS];
    double sum[THREADS] = { 0 };
    for (int i = 0; i < THREADS; i++) pthread_create(&t[i], NULL, thread, &sum[i]);
    for (int i = 0; i < THREADS; i++) pthread_join(t[i], NULL);
    for (int i = 0; i < THREADS; i++) CHECK(sum[i] == TURNS * 9, "thread %d: %g", i, sum[i]);
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    tt_on_error(quiet, NULL);
    CHECK_RUN(formats());
    CHECK_RUN(counts());
    CHECK_RUN(ordered());
    CHECK_RUN(meshes());
    CHECK_RUN(refusals());
    CHECK_RUN(threads());
    tt_done();
    return check_done();
}
