/* reproducible.c - in reproducible mode a sum over the devices of their sums is the sum of all, bit for bit: reductions
 * along lines and columns, over several dims, contractions, means, gradients over minibatches; for shards of equal
 * size, as many as a power of two. */
#include "check.h"

#include <stdlib.h>
#include <tutti.h>
#include <tutti/parallel.h>

static void silent(const tt_error_info *e, void *env) { (void)e, (void)env; }

static bool same(tt_val a, tt_val b)
{
    const size_t n = tt_bytes(a);
    if (!tt_ok() || n != tt_bytes(b)) return false;
    char *x = malloc(2 * n + 1);
    const bool ok = x && tt_read(a, x, n) && tt_read(b, x + n, n) && !memcmp(x, x + n, n);
    free(x);
    return ok;
}

/* ---- of x [rows, columns, 3], cut along its first dim ---- */

static tt_val all(tt_val x) { return tt_sum(x); }
static tt_val columns(tt_val x) { return tt_sum(x, .dims = "0"); }
static tt_val lines(tt_val x) { return tt_sum(x, .dims = "0, 2"); }
static tt_val turned(tt_val x) { return tt_sum(tt_transpose(x, 1, 2, 0), .dims = "2"); }
static tt_val outer(tt_val x) { return tt_dot(x, tt_tanh(x), .sum = "0:0, 1:1"); }
static tt_val weights(tt_val x)
{
    return tt_dot(tt_take(x, tt_i(0), 2), tt_tanh(tt_take(x, tt_i(1), 2)), .sum = "0:0");
}
static tt_val product(tt_val x) { return tt_prod(tt_add(tt_mul(x, tt_f(0.01)), tt_f(1)), .dims = "0, 1"); }

static const struct { const char *name; tt_val (*f)(tt_val); bool product; } kind[] = {
    { "all", all, false },     { "columns", columns, false }, { "lines", lines, false },    { "turned", turned, false },
    { "outer", outer, false }, { "weights", weights, false }, { "product", product, true },
};

typedef struct { int kind; bool whole; } part;
static tt_val part_of(void *env, int n, const tt_val *x)
{
    const part *p = env;
    const tt_val y = kind[p->kind].f(x[0]);
    (void)n;
    if (p->whole) return y;
    return kind[p->kind].product ? tt_prod(tt_all_gather(tt_expand_dims(y, 0), "i"), .dims = "0") : tt_psum(y, "i");
}
static tt_fn fn_of(int k, bool whole)
{
    part p;
    memset(&p, 0, sizeof p);
    p.kind = k, p.whole = whole;
    return tt_bind_env(kind[k].name, part_of, &p, sizeof p, 1);
}

static void sums(void)
{
    static const int64_t rows[] = { 8, 16, 24, 40, 64, 8 * 67, 2048 }, wide[] = { 1, 5, 32, 133 };
    for (int c = 0; c < 28; c++) {
        if (!check_turn((size_t)(c + c / 4))) continue;
        const tt_scope scope = tt_scope_open();
        const tt_val x = tt_normal(tt_key(c), c % 2 ? TT_F64 : TT_F32, rows[c / 4], wide[c % 4], 3);
        for (int k = 0; k < 7; k++) {
            const tt_val want = tt_call(tt_jit(fn_of(k, true)), x);
            for (int n = 2; n <= 8; n *= 2) {
                char text[16];
                snprintf(text, sizeof text, "i:%d", n);
                const tt_fn f = tt_shard_map(fn_of(k, false), .mesh = tt_mesh(text), .in = "i", .out = "_",
                                             .unchecked = 1);
                CHECK(same(tt_call(tt_jit(f), x), want), "%s of [%d, %d, 3] on %d devices: %s", kind[k].name,
                      (int)rows[c / 4], (int)wide[c % 4], n, tt_ok() ? "other bits" : tt_error());
                tt_clear();
            }
        }
        tt_scope_close(scope);
    }
}

/* ---- lines that do not meet ---- */

static tt_val spectrum(tt_val x) { return tt_fft(x); }

/* A device that has one line of eleven gives it the bits of all together. */
static void transforms(void)
{
    static const int64_t length[] = { 2, 3, 4, 5, 6, 7, 8, 12, 15, 16, 30, 49, 67, 134 };
    for (size_t k = 0; k < 2 * sizeof length / sizeof *length; k++) {
        const int64_t n = length[k / 2];
        const tt_scope scope = tt_scope_open();
        const tt_dtype d = k % 2 ? TT_F64 : TT_F32;
        const tt_val x = tt_complex(tt_normal(tt_key(1), d, 11, n), tt_normal(tt_key(2), d, 11, n));
        const tt_val all = tt_call(tt_jit(spectrum), x), here = tt_shard(x, tt_mesh("i:11"), "i, _");
        const tt_val got = tt_call(tt_jit(spectrum), here);
        CHECK(same(got, all), "lines of %d: %s", (int)n, tt_ok() ? "other bits" : tt_error());
        tt_clear();
        tt_scope_close(scope);
    }
}

/* ---- a step of training: what a guide's data parallelism computes ---- */

static tt_val loss(tt_val w, tt_val batch, tt_val key)
{
    const tt_val x = tt_get(batch, "x"), e = tt_sub(tt_matmul(tt_tanh(tt_matmul(x, tt_item(w, 0))), tt_item(w, 1)), x);
    (void)key;
    return tt_tuple(tt_mean(tt_square(e)), tt_dict("sum", tt_tuple(tt_sum(e), tt_i(tt_dim(x, 0)))));
}

typedef struct { int minibatches, scan, devices; } job;
static tt_val gradient(void *env, int n, const tt_val *x)        /* of w, batch */
{
    const job *j = env;
    const tt_val g = tt_accumulate(loss, j->minibatches, x[0], x[1], tt_key(0), .scan = j->scan);
    (void)n;
    return j->devices == 1 ? g : tt_tuple(tt_pmean(tt_item(g, 0), "i"), tt_psum(tt_item(g, 1), "i"));
}

static void steps(void)
{
    const tt_val w = tt_tuple(tt_normal(tt_key(1), TT_F32, 12, 7), tt_normal(tt_key(3), TT_F32, 7, 12));
    const tt_val batch = tt_dict("x", tt_normal(tt_key(2), TT_F32, 64, 12));
    const tt_mesh mesh = tt_mesh("i:8");
    tt_val want = tt_none();
    for (int i = 0; i < 16; i++) {
        const job j = { 1 << i / 4, i / 2 % 2, i % 2 ? 8 : 1 };
        const tt_fn g = tt_bind_env("gradient", gradient, (void *)(uintptr_t)&j, sizeof j, 2);
        const tt_fn f = j.devices == 1 ? g : tt_shard_map(g, .mesh = mesh, .in = "_; i", .out = "_", .unchecked = 1);
        const tt_val got = tt_call(tt_jit(f), w, batch);
        if (!i) want = got;
        CHECK(same(tt_get(got, "0.0"), tt_get(want, "0.0")) && same(tt_get(got, "0.1"), tt_get(want, "0.1")) &&
                  same(tt_get(got, "1.sum.0"), tt_get(want, "1.sum.0")),
              "%d minibatches%s on %d devices: %s", j.minibatches, j.scan ? " in a scan" : "", j.devices,
              tt_ok() ? "other bits" : tt_error());
        tt_clear();
    }
}

static tt_val sum_of_tanh(tt_val x) { return tt_sum(tt_tanh(x)); }

/* The option of a jit that is transformed counts for the call. */
static void asked_within(void)
{
    const tt_fn f = tt_value_and_grad(tt_jit(sum_of_tanh, .reproducible = 1));
    const tt_val x = tt_normal(tt_key(1), TT_F32, 100003), want = tt_item(tt_call(f, x), 0);
    for (int k = 0; k < 3; k++) {
        static const char *const mesh[] = { "i:2", "i:3", "i:7" };
        const tt_val got = tt_item(tt_call(f, tt_shard(x, tt_mesh(mesh[k]), "i")), 0);
        CHECK(same(got, want), "on %s: %s, not %s", mesh[k], tt_value_text(got), tt_value_text(want));
    }
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    tt_on_error(silent, NULL);
    CHECK_RUN(asked_within());
    tt_reproducible(1);
    CHECK_RUN(sums());
    CHECK_RUN(transforms());
    CHECK_RUN(steps());
    tt_done();
    return check_done();
}
