/* bench/contract.c - contractions: our own kernels against oneDNN's, one thread, in percent of the FMA peak of the same
 * round; and on all workers with operands and results in memory, as in a step, where other work was between.
 *
 * usage: contract [ROUNDS [WORD]]. Shapes of products that training and sharding make, forward and both gradients; and
 * the guides' convolutions. The best of rounds that go through all engines of a shape in turn (the machine may be
 * shared). WORD: only lines with it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../src/gen/matmul/gemm.h"
#include "../src/run/inner.h"
#include "results.h"
#include "op/ops.h"

enum { ENGINES = 3, SHAPES = 64 };
static const char *const names[ENGINES] = { "dnn", "dot", "conv" };
static int rounds = 7;
static const char *only = "";

/* Percent of the peak of products of 64 rows and more, at the best engine's: what the rows tell the median of. */
typedef struct { int n; double percent[SHAPES]; } reached;
static reached ahead, back;

enum { TURNS = 600000 };
#if defined __x86_64__
#define CHAIN(v, c, x, y) "vfmadd231ps %%" v x ", %%" v y ", %%" v c "\n"
#define CHAINS(v, clear, x, y)                                                                                         \
    __asm__ volatile("vzeroall\n" clear ::: ALL_XMM);                                                                  \
    for (int i = 0; i < TURNS; i++)                                                                                    \
        __asm__ volatile(CHAIN(v, "0", x, y) CHAIN(v, "1", x, y) CHAIN(v, "2", x, y) CHAIN(v, "3", x, y)               \
            CHAIN(v, "4", x, y) CHAIN(v, "5", x, y) CHAIN(v, "6", x, y) CHAIN(v, "7", x, y) CHAIN(v, "8", x, y)        \
                CHAIN(v, "9", x, y) ::: ALL_XMM)
#define ALL_XMM "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",      \
    "xmm12", "xmm13", "xmm14", "xmm15"
#endif

/* Ten independent chains of fused multiply-adds in registers, of zeros: no denormals. */
static double peak(void)
{
    typedef float v16 __attribute__((vector_size(64)));
    const double t = base_seconds();
#if defined __x86_64__
    if (__builtin_cpu_supports("avx512f")) {
        CHAINS("zmm", "vpxorq %%zmm30, %%zmm30, %%zmm30\n vpxorq %%zmm31, %%zmm31, %%zmm31\n", "30", "31");
        return (double)TURNS * 10 * 32 / (base_seconds() - t) * 1e-9;
    }
    if (__builtin_cpu_supports("fma")) {
        CHAINS("ymm", "", "14", "15");
        return (double)TURNS * 10 * 16 / (base_seconds() - t) * 1e-9;
    }
#endif
    v16 a[10], x, y;
    for (int i = 0; i < 16; i++) x[i] = 0.999f, y[i] = 1e-3f;
    for (int k = 0; k < 10; k++) a[k] = y;
    for (int i = 0; i < 100000; i++) for (int k = 0; k < 10; k++) a[k] = a[k] * x + y;
    const double best = 100000.0 * 10 * 32 / (base_seconds() - t) * 1e-9;
    return a[0][0] + a[9][3] > 1e30f ? 0 : best;
}

/* GB/s of reading 64 MiB and adding them up, one thread: what products of few rows can reach. */
typedef float v16 __attribute__((vector_size(64), may_alias));
#if defined __x86_64__
__attribute__((target_clones("avx512f", "avx2", "default")))
#endif
static float total(const v16 *all, int64_t n)
{
    v16 a = all[0], b = all[1], c = all[2], d = all[3];
    for (int64_t i = 4; i < n; i += 4) a += all[i], b += all[i + 1], c += all[i + 2], d += all[i + 3];
    a += b + c + d;
    return a[0] + a[15];
}

static double reading(void)
{
    enum { BYTES = 64 << 20, TIMES = 12 };               /* the last cache fills slowly */
    static v16 *all;
    double best = 0;
    if (!all) all = memset(base_pages(BYTES), 0, BYTES);
    for (int r = 0; r < TIMES; r++) {
        const double t = base_seconds();
        if (total(all, BYTES / (int64_t)sizeof *all) > 1) return 0;
        best = fmax(best, BYTES / (base_seconds() - t) * 1e-9);
    }
    return best;
}

typedef struct {
    run_kernel k; ir_box arg[3]; void *scratch, *shared; int64_t tiles, bytes; double time[64], cold[64];
} candidate;

static double least(const double *x, int n)
{
    double best = x[0];
    for (int i = 1; i < n; i++) if (x[i] < best) best = x[i];
    return best;
}

static double run_once(const candidate *c)               /* repeats until it took a millisecond */
{
    int n = 0;
    const double t = base_seconds();
    double now;
    do {
        const run_job j = { 0, c->arg, 0, c->tiles, c->scratch, c->shared, NULL, NULL };
        c->k.code(c->k.self, &j);
        if (c->k.finish) c->k.finish(c->k.self, &j);
        n++;
        now = base_seconds() - t;
    } while (now < 2e-3);
    return now / n;
}

static void forget(const ir_box *b)                      /* it is in no cache */
{
#if defined __x86_64__
    const int64_t bytes = ir_box_count(b) * (int64_t)ir_dtype_of(b->dtype)->bytes;
    for (int64_t i = 0; i < bytes; i += 64) __builtin_ia32_clflush((const char *)b->at + i);
    __builtin_ia32_mfence();
#else
    (void)b;
#endif
}

static void share(void *env, int number, int worker)
{
    const candidate *c = env;
    const int64_t from = c->tiles * number / run_workers(), to = c->tiles * (number + 1) / run_workers();
    const run_job j = { worker, c->arg, from, to - from, run_scratch(worker), c->shared, NULL, NULL };
    if (to > from) c->k.code(c->k.self, &j);
}

static double run_cold(candidate *c)
{
    const run_job all = { 0, c->arg, 0, c->tiles, c->scratch, c->shared, NULL, NULL };
    if (!run_pool_ready(c->bytes)) return 0;
    for (int t = 0; t < 3; t++) forget(&c->arg[t]);
    run_pool_wake();
    const double woken = base_seconds();
    while (base_seconds() < woken + 1e-4) ;              /* workers are awake, as between phases */
    const double t = base_seconds();
    run_pool_do(share, c);
    if (c->k.finish) c->k.finish(c->k.self, &all);
    return base_seconds() - t;
}

static void *filled(const ir_type *t)
{
    float *p = base_pages((size_t)ir_bytes(t) + 64);
    uint16_t *h = (uint16_t *)p;
    for (int64_t i = 0; i < ir_count(t); i++) {
        const float v = (float)(i * 7 % 13) / 13 - 0.5f;
        if (t->dtype == TT_BF16) h[i] = ir_f32_bf16(v);
        else p[i] = v;
    }
    return p;
}

static void measure(const ir_eqn *e, const char *what, const char *pass, double flops, reached *into)
{
    base_arena *a = base_open();
    const ir_id in[2] = { e->in[0], e->in[1] }, out[1] = { e->out };
    const gen_group g = { 1, &e, 2, 1, in, out, false };
    candidate c[ENGINES] = { 0 };
    double tops[64] = { 0 }, bytes = 0;
    char line[128];
    snprintf(line, sizeof line, "%s %s", what, pass);
    if (!strstr(line, only)) return;
    ir_box arg[3];
    for (int t = 0; t < 3; t++) {
        const ir_type *type = t < 2 ? IR_IN(e, t) : IR_OUT(e, 0);
        arg[t] = ir_box_dense(filled(type), type);
        bytes += (double)ir_bytes(type);
    }
    for (int i = 0; i < ENGINES; i++)
        for (const gen_engine *const *x = gen_engines(); *x; x++) {
            if (strcmp((*x)->name, names[i]) || (*x)->refuses(&g) || !(*x)->make(a, &g, &c[i].k)) continue;
            memcpy(c[i].arg, arg, sizeof arg);
            c[i].tiles = c[i].k.tiles ? c[i].k.tiles(c[i].k.self, arg) : 1;
            c[i].shared = base_pages((size_t)(c[i].k.shared ? c[i].k.shared(c[i].k.self, arg) : 0) + 64);
            c[i].bytes = c[i].k.scratch ? c[i].k.scratch(c[i].k.self, arg) : 0;
            c[i].scratch = base_pages((size_t)c[i].bytes + 64);
        }
    for (int r = 0; r < rounds; r++) {
        tops[r] = -peak();
        for (int i = 0; i < ENGINES; i++) if (c[i].tiles) c[i].time[r] = run_once(&c[i]);
        for (int i = 0; i < ENGINES; i++) if (c[i].tiles) c[i].cold[r] = run_cold(&c[i]);
    }
    const double top = -least(tops, rounds), few = gemm_is_few(&g) ? reading() : 0;
    double best = 0;
    printf("%-34s %-10s peak %4.0f", what, pass, top);
    for (int i = 0; i < ENGINES; i++) {
        if (!c[i].tiles) continue;
        const double t = least(c[i].time, rounds);
        best = fmax(best, 100 * flops / t * 1e-9 / top);
        printf("   %s %8.1f us %3.0f%% /%lld", names[i], t * 1e6, 100 * flops / t * 1e-9 / top, (long long)c[i].tiles);
        if (few) printf(" %3.0f%% of reading", 100 * bytes / t * 1e-9 / few);
        printf(" cold, %d: %.1f us", run_workers(), least(c[i].cold, rounds) * 1e6);
    }
    printf("\n");
    fflush(stdout);
    if (into && into->n < SHAPES) into->percent[into->n++] = best;
    base_close(a);
}

static void product(int64_t m, int64_t k, int64_t n, tt_dtype t)
{
    const int64_t x[2] = { m, k }, w[2] = { k, n }, y[2] = { m, n }, zero = 0, one = 1;
    char what[64];
    snprintf(what, sizeof what, "%s %lld,%lld,%lld", t == TT_BF16 ? "bf16" : "f32", (long long)m, (long long)k,
             (long long)n);
    base_arena *a = base_open();
    ir_build *b = ir_begin(a, base_intern("product"), NULL);
    const ir_id px = ir_arg(b, ir_type_of(t, 2, x)), pw = ir_arg(b, ir_type_of(t, 2, w)),
        py = ir_arg(b, ir_type_of(t, 2, y));
    const ir_id out[3] = {
        op_dot(b, px, pw, &(op_dot_attr){ .lhs_contracting_dimensions = { 1, &one },
                                          .rhs_contracting_dimensions = { 1, &zero },
            .preferred_element_type = t }),
        op_dot(b, py, pw, &(op_dot_attr){ .lhs_contracting_dimensions = { 1, &one },
                                          .rhs_contracting_dimensions = { 1, &one },
            .preferred_element_type = t }),
        op_dot(b, px, py, &(op_dot_attr){ .lhs_contracting_dimensions = { 1, &zero },
                                          .rhs_contracting_dimensions = { 1, &zero },
            .preferred_element_type = t }) };
    const ir_fn *f = ir_end(b, 3, out);
    for (uint32_t q = 0; q < f->neqn; q++)
        measure(&f->eqn[q], what, (const char *[]){ "forward", "dX", "dW" }[q], 2.0 * (double)m * (double)k * (double)n,
                m < 64 || t != TT_F32 ? NULL : q ? &back : &ahead);
    base_close(a);
}

/* NHWC pictures of h x h, HWIO windows of k x k. */
typedef struct { int64_t n, h, c, o, k, s, lo, hi; } layer;
static ir_fn *conv_fn(base_arena *a, const layer *z, const ir_type *ct)
{
    static const int64_t at[2] = { 1, 2 }, from[2] = { 0, 1 }, ones[2] = { 1, 1 }, zeros[2];
    const int64_t st[2] = { z->s, z->s }, l[2] = { z->lo, z->lo }, r[2] = { z->hi, z->hi };
    const op_conv_attr attr = { 0, 3, { 2, at }, 2, 3, { 2, from }, 0, 3, { 2, at }, { 2, st }, { 2, l }, { 2, r },
                                { 2, ones }, { 2, ones }, { 2, zeros }, 1, 1, 0, TT_F32, OP_DEFAULT };
    ir_build *b = ir_begin(a, base_intern("conv"), NULL);
    const ir_id in[2] = { ir_arg(b, ir_type_of(TT_F32, 4, (int64_t[]){ z->n, z->h, z->h, z->c })),
                          ir_arg(b, ir_type_of(TT_F32, 4, (int64_t[]){ z->k, z->k, z->c, z->o })) };
    const ir_id y = ct ? ir_arg(b, ct) : 0;
    ir_id out[3] = { ir_emit(b, &prim_convolution, &attr, 2, in, 0, NULL) }, grad[2] = { 0 };
    if (!ct) return ir_end(b, 1, out);
    const ir_eqn e = *ir_def(b, out[0]);
    prim_convolution.transpose(b, &e, (ir_id[]){ 0, in[1] }, &y, grad);
    out[1] = grad[0];
    prim_convolution.transpose(b, &e, (ir_id[]){ in[0], 0 }, &y, grad);
    out[2] = grad[1];
    return ir_end(b, 3, out);
}

static void convolution(const char *what, layer z)
{
    base_arena *a = base_open();
    const ir_fn *f = conv_fn(a, &z, NULL);
    f = conv_fn(a, &z, IR_OUT(&f->eqn[0], 0));
    const double flops = 2.0 * (double)ir_count(IR_OUT(&f->eqn[0], 0)) * (double)(z.k * z.k * z.c);
    for (uint32_t q = 0, part = 0; q < f->neqn; q++)
        if (f->eqn[q].op == &prim_convolution)
            measure(&f->eqn[q], what, (const char *[]){ "forward", "to input", "to window" }[part++], flops, NULL);
    base_close(a);
}

static void print_medians(const char *work, reached *r)
{
    qsort(r->percent, (size_t)r->n, sizeof *r->percent, limits_rising);
    if (r->n) rows_put_as("tutti", work, 1, r->percent[r->n / 2], "% of the FMA peak");
}

int main(int argc, char **argv)
{
    static const int64_t shape[][3] = {
        { 8, 1024, 1024 },  { 64, 784, 512 },    { 128, 784, 512 },   { 512, 128, 784 },  { 1024, 1024, 1024 },
        { 192, 64, 128 },   { 64, 64, 64 },      { 32, 32, 32 },      { 48, 64, 64 },     { 4, 1024, 256 },
        { 16, 784, 512 },   { 16, 3136, 256 },   { 128, 3136, 256 },  { 1024, 256, 768 }, { 1024, 256, 1024 },
        { 1024, 1024, 256 }, { 1024, 256, 256 }, { 4096, 768, 3072 }, { 256, 256, 256 },  { 128, 128, 128 },
        { 32, 512, 10 }
    };
    if (argc > 1) rounds = atoi(argv[1]) < 1 ? 1 : atoi(argv[1]) > 63 ? 63 : atoi(argv[1]);
    if (argc > 2) only = argv[2];
    if (!rows_requested_of("GEMM")) return 0;
    base_switches_env();
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) product(shape[i][0], shape[i][1], shape[i][2], TT_F32);
    for (int64_t m = 1; m <= 16; m *= 4) {
        product(m, 4096, 4096, TT_F32);
        product(m, 4096, 4096, TT_BF16);
    }
    product(128, 784, 512, TT_BF16);
    product(1024, 256, 1024, TT_BF16);
    convolution("Flax conv1 1-32 3x3 28 (128)", (layer){ 128, 28, 1, 32, 3, 1, 1, 1 });
    convolution("Flax conv2 32-64 3x3 14 (128)", (layer){ 128, 14, 32, 64, 3, 1, 1, 1 });
    convolution("Flax conv1 (16)", (layer){ 16, 28, 1, 32, 3, 1, 1, 1 });
    convolution("Flax conv2 (16)", (layer){ 16, 14, 32, 64, 3, 1, 1, 1 });
    convolution("Keras c1 1-12 3x3 28 (64)", (layer){ 64, 28, 1, 12, 3, 1, 1, 1 });
    convolution("Keras c2 12-24 6x6 s2 (64)", (layer){ 64, 28, 12, 24, 6, 2, 2, 2 });
    convolution("Keras c3 24-32 6x6 s2 (64)", (layer){ 64, 14, 24, 32, 6, 2, 2, 2 });
    rows_put("machine: 1 GB read from 64 MiB", 1, 1 / reading());
    print_medians("GEMM kernels, forward, median of shapes", &ahead);
    print_medians("GEMM kernels, gradients, median of shapes", &back);
    return 0;
}
