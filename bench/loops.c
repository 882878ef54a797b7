/* loops.c - compiled loops against loops written by hand with AVX-512 or AVX2 intrinsics (loops_hand.h), on one core,
 * iteration by iteration: chains, Adam, softmax, layer norm, and gradients. Both do the same arithmetic; medians of
 * rounds, and the median ratio of the rounds.
 *
 * build/bench/loops [rows columns]
 *
 * A ratio of 1.00 is the hand-written loop's time. ns: per element of the rows. */
#include "../src/gen/gen.h"
#include "../src/gen/rows/rows.h"
#include "../src/op/op.h"
#include "../src/op/ops.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if !defined __x86_64__
int main(void) { return puts("loops: the hand-written ones are for x86-64"), 0; }
#else
#include <immintrin.h>

enum { ROUNDS = 21, MOST = 8 };
static int64_t rows = 1024, columns = 1024;

typedef void hand(float *const *at, int64_t rows, int64_t n);
#define LANES 16
#include "loops_hand.h"
#define LANES 8
#include "loops_hand.h"

/* ---- the same as equations ---- */

typedef struct { ir_build *b; const ir_type *full, *row, *column; ir_id ret[3]; uint32_t n; } made;
static ir_id arg(made *m, const ir_type *t) { return ir_arg(m->b, t); }
static ir_id number(made *m, double x) { return op_splat(m->b, m->full, x); }
static ir_id one(made *m, const op_prim *prim, ir_id x) { return ir_emit(m->b, prim, NULL, 1, &x, 0, NULL); }
static ir_id down(made *m, ir_id column) { return op_broadcast(m->b, column, m->full, 1, (int64_t[]){ 1 }); }
static ir_id along(made *m, ir_id row) { return op_broadcast(m->b, row, m->full, 1, (int64_t[]){ 0 }); }
static ir_id fold(made *m, const op_prim *how, ir_id x) { return op_reduce_dims(m->b, how, x, 1, (int64_t[]){ 1 }); }
static ir_id mean(made *m, ir_id x)
{
    return op_div(m->b, fold(m, &prim_add, x), op_splat(m->b, m->row, (double)columns));
}
static void give(made *m, ir_id v) { m->ret[m->n++] = v; }

static void make_gelu(made *m)
{
    ir_build *b = m->b;
    const ir_id a = arg(m, m->full), c0 = arg(m, m->column), x = op_add(b, a, down(m, c0));
    const ir_id c = op_mul(b, op_mul(b, x, x), x), u = op_add(b, x, op_mul(b, c, number(m, 0.044715)));
    const ir_id t = one(m, &prim_tanh, op_mul(b, u, number(m, 0.79788456)));
    give(m, op_mul(b, x, op_add(b, op_mul(b, t, number(m, 0.5)), number(m, 0.5))));
}
static void make_dtanh(made *m)
{
    const ir_id y = arg(m, m->full), d = arg(m, m->full);
    give(m, op_mul(m->b, d, op_sub(m->b, number(m, 1), op_mul(m->b, y, y))));
}
static void make_adam(made *m)
{
    ir_build *b = m->b;
    const ir_id p = arg(m, m->full), u = arg(m, m->full), v = arg(m, m->full), g = arg(m, m->full);
    const ir_id u1 = op_add(b, op_mul(b, number(m, 0.9), u), op_mul(b, number(m, 0.1), g));
    const ir_id v1 = op_add(b, op_mul(b, number(m, 0.999), v), op_mul(b, number(m, 0.001), op_mul(b, g, g)));
    const ir_id s = op_add(b, one(m, &prim_sqrt, op_div(b, v1, number(m, 0.5))), number(m, 1e-8));
    const ir_id by = op_div(b, op_div(b, u1, number(m, 0.7)), s);
    give(m, op_sub(b, p, op_mul(b, number(m, 1e-3), by))), give(m, u1), give(m, v1);
}
static void make_softmax(made *m)
{
    ir_build *b = m->b;
    const ir_id x = arg(m, m->full), e = one(m, &prim_exp, op_sub(b, x, along(m, fold(m, &prim_max, x))));
    give(m, op_div(b, e, along(m, fold(m, &prim_add, e))));
}
static void make_dsoftmax(made *m)
{
    ir_build *b = m->b;
    const ir_id y = arg(m, m->full), d = arg(m, m->full);
    give(m, op_mul(b, y, op_sub(b, d, along(m, fold(m, &prim_add, op_mul(b, y, d))))));
}
static void make_norm(made *m)
{
    ir_build *b = m->b;
    const ir_id x = arg(m, m->full), g = arg(m, m->column), c = arg(m, m->column), u = mean(m, x);
    const ir_id v = op_sub(b, mean(m, op_mul(b, x, x)), op_mul(b, u, u));
    const ir_id w = op_add(b, ir_emit(b, &prim_max, NULL, 2, (ir_id[]){ v, op_splat(b, m->row, 0) }, 0, NULL),
                           op_splat(b, m->row, 1e-5));
    const ir_id h = op_mul(b, op_sub(b, x, along(m, u)), along(m, one(m, &prim_rsqrt, w)));
    give(m, op_add(b, op_mul(b, h, down(m, g)), down(m, c)));
}
static void make_dnorm(made *m)
{
    ir_build *b = m->b;
    const ir_id h = arg(m, m->full), k = arg(m, m->row), g = arg(m, m->column), dy = arg(m, m->full);
    const ir_id d = op_mul(b, dy, down(m, g));
    const ir_id u = mean(m, d), v = mean(m, op_mul(b, d, h));
    give(m, op_mul(b, op_sub(b, op_sub(b, d, along(m, u)), op_mul(b, h, along(m, v))), along(m, k)));
}

/* ---- measuring ---- */

static double seconds(void)                              /* of this thread: other processes do not count */
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int rising(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
static double median(double *v) { return qsort(v, ROUNDS, sizeof *v, rising), v[ROUNDS / 2]; }

typedef struct { const char *name; void (*make)(made *); hand *by_hand; bool in_place; } work;
typedef struct { base_arena *a; const work *w; ir_fn *f; } program;

static void make_program(void *p)
{
    program *s = p;
    const int64_t dim[] = { rows, columns };
    made m = { .b = ir_begin(s->a, base_intern("loop"), NULL), .full = ir_type_of(TT_F32, 2, dim) };
    m.row = ir_type_of(TT_F32, 1, dim), m.column = ir_type_of(TT_F32, 1, dim + 1);
    s->w->make(&m);
    s->f = ir_end(m.b, m.n, BASE_COPY(s->a, m.ret, m.n));
}

static float *memory(int64_t n, float from)
{
    float *p = base_pages((size_t)n * 4 + 64);
    for (int64_t i = 0; p && i < n; i++) p[i] = from + (float)((uint64_t)i * 2654435761u >> 7 & 1023) / 1024;
    return p;
}

static void measure(const work *w)
{
    program s = { base_open(), w, NULL };
    ir_box box[2 * MOST];
    float *mine[2 * MOST], *hers[2 * MOST];
    double ours[ROUNDS], hand_[ROUNDS], ratio[ROUNDS], worst = 0;
    if (!base_catch(make_program, &s) || !s.f) {
        puts(base_failed()->what);
        return;
    }
    const ir_fn *f = s.f;
    const ir_eqn **e = BASE_NEW(s.a, const ir_eqn *, f->neqn);
    ir_id *in = BASE_NEW(s.a, ir_id, f->narg);
    for (uint32_t k = 0; k < f->neqn; k++) e[k] = &f->eqn[k];
    for (uint32_t i = 0; i < f->narg; i++) in[i] = i + 1;
    const gen_group g = { f->neqn, e, f->narg, f->nret, in, f->ret, false };
    run_kernel k;
    if (!gen_own_kernel(s.a, &g, &k)) {
        puts(base_failed()->what);
        return;
    }
    for (uint32_t v = 0; v < f->narg + f->nret; v++) {
        const ir_type *t = f->type[v < f->narg ? v + 1 : f->ret[v - f->narg]];
        const bool old = v >= f->narg && w->in_place;
        mine[v] = old ? mine[v - f->narg] : memory(ir_count(t), 0.25f);
        hers[v] = old ? hers[v - f->narg] : memory(ir_count(t), 0.25f);
        box[v] = ir_box_dense(mine[v], t);
    }
    const run_job job = { 0, box, 0, k.tiles(k.self, box), base_pages((size_t)k.scratch(k.self, box) + 64), NULL,
                          NULL, NULL };
    int64_t n = 1;
    for (double t = 0; t < 0.004; n *= 2) {              /* at least 4 ms a round */
        const double start = seconds();
        for (int64_t i = 0; i < n; i++) k.code(k.self, &job);
        t = seconds() - start;
    }
    for (int r = 0; r < ROUNDS; r++) {
        double start = seconds();
        for (int64_t i = 0; i < n; i++) w->by_hand(hers, rows, columns);
        hand_[r] = (seconds() - start) / (double)n;
        start = seconds();
        for (int64_t i = 0; i < n; i++) k.code(k.self, &job);
        ours[r] = (seconds() - start) / (double)n;
        ratio[r] = ours[r] / hand_[r];
    }
    const uint32_t y = f->narg;
    for (int64_t i = 0; i < rows * columns && !w->in_place; i++) {
        const double d = fabs((double)mine[y][i] - (double)hers[y][i]) / (fabs((double)hers[y][i]) + 1e-3);
        if (d > worst) worst = d;
    }
    const double count = (double)rows * (double)columns, o = median(ours), h = median(hand_);
    printf("%-26s %9.1f us %9.1f us %8.3f ns %8.3f ns %8.2f   %.1e\n", w->name, 1e6 * h, 1e6 * o, 1e9 * h / count,
           1e9 * o / count, median(ratio), worst);
    base_close(s.a);
}

static void print(const char *line) { puts(line); }

int main(int argc, char **argv)
{
#define BOTH(f) { f##_256, f##_512 }
    static const struct { const char *name; void (*make)(made *); hand *by_hand[2]; bool in_place; } list[] = {
        { "bias and gelu", make_gelu, BOTH(gelu), false },
        { "tanh, gradient", make_dtanh, BOTH(dtanh), false },
        { "Adam", make_adam, BOTH(adam), true },
        { "softmax", make_softmax, BOTH(softmax), false },
        { "softmax, gradient", make_dsoftmax, BOTH(dsoftmax), false },
        { "layer norm", make_norm, BOTH(norm), false },
        { "layer norm, gradient", make_dnorm, BOTH(dnorm), false } };
    base_set_log_sink(print);
    base_switches_env();                                 /* isa:avx2 chooses the hand-written loops, too */
    const gen_isa isa = gen_isa_now();
    if (argc > 2) rows = atoll(argv[1]), columns = atoll(argv[2]) / 32 * 32;
    if (isa < GEN_AVX2) return puts("loops: the hand-written ones are for AVX2 and AVX-512"), 0;
    if (!base_switch("llvm")) base_switches(NULL, "llvm:now,no-cache");
    printf("%lld rows of %lld\n%-26s %12s %12s %11s %11s %8s   difference\n", (long long)rows, (long long)columns, "",
           "by hand", "compiled", "by hand", "compiled", "ratio");
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        measure(&(work){ list[i].name, list[i].make, list[i].by_hand[isa == GEN_AVX512], list[i].in_place });
    return 0;
}
#endif
