/* random_large.c - large draws at top level, which are compiled programs, against the same draws made inside a trace
 * and against the beginnings of small ones (words of the partitionable layout depend on their index alone); what a
 * large normal draw holds while it is made; and how draws of 16 bits are rounded. */
#include <math.h>
#include <stdint.h>
#include <sys/resource.h>
#include <tutti.h>

#include "check.h"

enum { LARGE = 100003, SMALL = 1000 };
static float large[LARGE], small[LARGE];

typedef tt_val draw(const char *site, tt_val key, tt_dtype, const int64_t *dims);
static tt_val uniform(const char *s, tt_val k, tt_dtype d, const int64_t *n)
{
    return tt_uniform_in_at(s, k, d, -3, 5, n);
}
static tt_val truncated(const char *s, tt_val k, tt_dtype d, const int64_t *n)
{
    return tt_truncated_normal_at(s, k, d, -2, 1, n);
}
static tt_val logistic(const char *s, tt_val k, tt_dtype d, const int64_t *n)
{
    return tt_logistic_draw_at(s, k, d, n, 1);
}

typedef struct { draw *of; int64_t n; } request;
static tt_val inside(void *env, int n, const tt_val *key)
{
    const request *r = env;
    (void)n;
    return r->of("inside a trace", key[0], TT_F32, (const int64_t[]){ r->n, TT_DIM_END });
}

static void one(const char *name, draw *of)
{
    const tt_val key = tt_key(11);
    const tt_val v = of("at top level", key, TT_F32, (const int64_t[]){ LARGE, TT_DIM_END });
    CHECK(tt_read(v, large, sizeof large), "%s: %s", name, tt_error());
    request r = { of, LARGE };
    const tt_val in = tt_call(tt_jit(tt_bind_env("draw", inside, &r, sizeof r, 1)), key);
    CHECK(tt_read(in, small, sizeof small), "%s: %s", name, tt_error());
    CHECK(!memcmp(large, small, sizeof large), "%s: a program that draws has other bits", name);
    const tt_val few = of("at top level", key, TT_F32, (const int64_t[]){ SMALL, TT_DIM_END });
    CHECK(tt_read(few, small, SMALL * sizeof *small), "%s: %s", name, tt_error());
    CHECK(!memcmp(large, small, SMALL * sizeof *small), "%s: a small draw begins with other bits", name);
}

static long resident(void)                               /* KiB, at most so far */
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_maxrss;
}

static float rounded(float x, tt_dtype d)
{
    const uint32_t keep = d == TT_BF16 ? 8 : 11;         /* bits of the significand */
    int e;
    const float m = frexpf(x, &e);
    return ldexpf(nearbyintf(ldexpf(m, (int)keep)), e - (int)keep);
}

/* t (hi - lo) + lo with the product rounded by itself, as XLA does where the processor computes in float32. */
static void short_ones(tt_dtype d)
{
    static float t[SMALL], y[SMALL];
    const float lo = rounded(-0.7f, d), hi = rounded(0.35f, d), span = rounded(hi - lo, d);
    const tt_val key = tt_key(5);
    CHECK(tt_read(tt_cast(tt_uniform(key, d, SMALL), TT_F32), t, sizeof t) &&
              tt_read(tt_cast(tt_uniform_in(key, d, -0.7, 0.35, SMALL), TT_F32), y, sizeof y), "%s", tt_error());
    for (int i = 0; i < SMALL; i++) {
        const float x = rounded(rounded(t[i] * span, d) + lo, d);
        CHECK(y[i] == fmaxf(x, lo), "of 16 bits, element %d: %g, expected %g", i, (double)y[i], (double)x);
    }
}

static void refusals(void)
{
    const tt_val key = tt_key(1);
    tt_normal(key, TT_I32, 1 << 20);
    CHECK(strstr(tt_error(), "normal"), "a draw of integers: %s", tt_error());
    tt_clear();
    tt_exponential(key, TT_F32, 1 << 20, -1);
    CHECK(!tt_ok(), "a negative dim");
    tt_clear();
    tt_gumbel(tt_f(1), TT_F32, 1 << 20);
    CHECK(strstr(tt_error(), "key"), "a key that is none: %s", tt_error());
    tt_clear();
}

static void quiet(const tt_error_info *e, void *env) { (void)e; (void)env; }

int main(int argc, char **argv)
{
    if (!check_main_one(argc, argv, __FILE__)) return check_done();
    const struct { const char *name; draw *of; } all[] = {
        { "uniform", uniform },         { "normal", tt_normal_at },           { "truncated_normal", truncated },
        { "gumbel", tt_gumbel_at },     { "exponential", tt_exponential_at }, { "laplace", tt_laplace_at },
        { "cauchy", tt_cauchy_at },     { "logistic", logistic },
    };
    tt_on_error(quiet, NULL);
    tt_config("no-llvm");                                 /* a compiler that is loaded meanwhile is no draw's memory */
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) one(all[i].name, all[i].of);
    short_ones(TT_F16), short_ones(TT_BF16);
    refusals();
    const long before = resident();
#ifdef __SANITIZE_ADDRESS__
    const int64_t n = 4 << 20;                           /* what a sanitizer itself holds hides the rest */
#else
    const int64_t n = 32 << 20;                          /* 128 MiB */
#endif
    tt_scope s = tt_scope_open();
    const tt_val v = tt_normal(tt_key(2), TT_F32, n);
    tt_wait(v);
    CHECK(tt_ok(), "%s", tt_error());
    const long more = (resident() - before) >> 10;
    CHECK(more < 160, "128 MiB of normals held %ld MiB while they were drawn", more);
    tt_scope_close(s);
    return check_done();
}
