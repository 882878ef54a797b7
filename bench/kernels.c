/* kernels.c - the core's kernels on one core: contractions and convolutions against the FMA peak, the others against a
 * copy, both measured in the same round. Medians of rounds.
 *
 *     build/bench/kernels [dot|conv|fold|window|sort|move]
 *
 * dot: m, k, n per pass (fwd x W, dX = dY W^T, dW = x^T dY). Bytes: what must be read and written once. */
#include "../src/gen/gen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 9, COPY = 32 << 20 };

static double seconds(void)                              /* of this thread: other processes do not count */
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- limits of the machine, in the same round ---- */

#if defined __x86_64__
typedef float vec __attribute__((vector_size(64)));
__attribute__((target("avx512f"))) static double peak_avx512(void)
{
#define ALL(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) \
    X(19) X(20) X(21) X(22) X(23)
#define BEGIN(i) vec a##i = { (float)i };
#define STEP(i) __asm__ volatile("vfmadd213ps %2, %1, %0" : "+v"(a##i) : "v"(x), "v"(y));
    const vec x = { 0.999f }, y = { 1e-3f };
    const int n = 100000;
    ALL(BEGIN)
    const double t = seconds();
    for (int k = 0; k < n; k++) { ALL(STEP) }
    return 24.0 * 32 * n / (seconds() - t) / 1e9;
#undef STEP
#undef BEGIN
#undef ALL
}
static double peak(void) { return __builtin_cpu_supports("avx512f") ? peak_avx512() : 0; }
#else
static double peak(void) { return 0; }
#endif

static double copy_rate(void)                            /* GB/s, read and written */
{
    static char *a, *b;
    if (!a) a = base_pages(COPY), b = base_pages(COPY), memset(a, 1, COPY), memset(b, 1, COPY);
    const double t = seconds();
    memcpy(b, a, COPY);
    return 2.0 * COPY / (seconds() - t) / 1e9;
}

/* ---- one equation ---- */

typedef struct { ir_box *arg; run_kernel k; void *scratch, *shared; double bytes; } setup;

static bool prepare(base_arena *a, const char *text, const gen_engine *by, setup *s)
{
    const ir_fn *f = ir_case(a, text);
    if (!f) return false;
    const ir_eqn *e = &f->eqn[f->neqn - 1];
    ir_id *out = BASE_NEW(a, ir_id, e->nout);
    for (uint32_t j = 0; j < e->nout; j++) out[j] = e->out + j;
    const gen_group g = { 1, BASE_COPY(a, &e, 1), e->nin, e->nout, e->in, out, false };
    *s = (setup){ .arg = BASE_NEW(a, ir_box, e->nin + e->nout) };
    if (by->refuses(&g) || !by->make(a, &g, &s->k)) return false;
    for (uint32_t t = 0; t < e->nin + e->nout; t++) {
        const ir_type *type = t < e->nin ? IR_IN(e, t) : IR_OUT(e, t - e->nin);
        const size_t n = (size_t)ir_count(type), size = ir_dtype_of(type->dtype)->bytes;
        char *mem = base_pages(n * size + 64);
        memset(mem, 0, n * size + 64);
        for (size_t i = 0; i < n && type->dtype == TT_F32; i++)
            ((float *)mem)[i] = (float)((i * 2654435761u >> 7) % 1000) / 500 - 1;
        for (size_t i = 0; i < n && type->dtype == TT_I32; i++) ((int32_t *)mem)[i] = (int32_t)(i * 40503 % 1000);
        s->arg[t] = ir_box_dense(mem, type);
        s->bytes += (double)n * (double)size;
    }
    s->scratch = base_pages((size_t)(s->k.scratch ? s->k.scratch(s->k.self, s->arg) : 0) + 64);
    s->shared = base_pages((size_t)(s->k.shared ? s->k.shared(s->k.self, s->arg) : 0) + 64);
    return s->scratch && s->shared;
}

static int rising(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *v)
{
    qsort(v, ROUNDS, sizeof *v, rising);
    return v[ROUNDS / 2];
}

static void run(const setup *s, const run_job *job)
{
    s->k.code(s->k.self, job);
    if (s->k.finish) s->k.finish(s->k.self, job);
}

static void measure(const char *name, const char *text, const gen_engine *by, double flops)
{
    base_arena *a = base_open();
    setup s;
    double time[ROUNDS], limit[ROUNDS];
    if (!prepare(a, text, by, &s)) {
        printf("%-44s cannot: %s\n", name, base_failed() ? base_failed()->what : "refused");
        base_clear_error();
        base_close(a);
        return;
    }
    const run_job job = { 0, s.arg, 0, s.k.tiles ? s.k.tiles(s.k.self, s.arg) : 1, s.scratch, s.shared, NULL, NULL };
    int64_t n = 1;
    for (double t = 0; t < 0.005; n *= 2) {              /* at least 5 ms a round */
        const double start = seconds();
        for (int64_t i = 0; i < n; i++) run(&s, &job);
        t = seconds() - start;
    }
    for (int r = 0; r < ROUNDS; r++) {
        limit[r] = flops > 0 ? peak() : copy_rate();
        const double start = seconds();
        for (int64_t i = 0; i < n; i++) run(&s, &job);
        time[r] = (seconds() - start) / (double)n;
    }
    const double t = median(time), l = median(limit), rate = (flops > 0 ? flops : s.bytes) / t / 1e9;
    printf("%-44s %9.1f us %7.1f %s", name, 1e6 * t, rate, flops > 0 ? "GF/s" : "GB/s");
    if (l > 0) printf("  %5.1f %% of %.1f", 100 * rate / l, l);
    printf("\n");
    base_close(a);
}

/* ---- what is measured ---- */

static void dots(void)
{
    static const int shape[][3] = { { 256, 256, 256 }, { 1024, 1024, 1024 }, { 1024, 256, 1024 }, { 1024, 1024, 256 },
                                    { 512, 128, 784 }, { 128, 784, 512 },
                                    { 192, 64, 128 },  { 64, 64, 64 },       { 32, 32, 32 },    { 16, 784, 512 },
                                    { 8, 1024, 1024 }, { 4, 1024, 256 },     { 1, 1024, 1024 } };
    static const char *const pass[] = { "fwd", "dX", "dW" };
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
        for (int p = 0; p < 3; p++) {
            const int m = shape[i][0], k = shape[i][1], n = shape[i][2];
            const int l[2] = { p == 2 ? m : m, p == 1 ? n : k }, r[2] = { p == 2 ? m : k, n };
            char text[256], name[64];
            snprintf(text, sizeof text,
                     "dot_general f32[%d,%d], f32[%d,%d] {lhs_contracting_dimensions=[%d], "
                     "rhs_contracting_dimensions=[%d], preferred_element_type=f32}",
                     l[0], l[1], r[0], r[1], p != 2, p == 1);
            snprintf(name, sizeof name, "dot %d,%d,%d %s", m, k, n, pass[p]);
            measure(name, text, &gen_dot, 2.0 * m * k * n);
        }
}

typedef struct { const char *name; int n, h, c, o, k, s, lo, hi; } layer;

static void conv(const layer *l)
{
    const int out = (l->h + l->lo + l->hi - l->k) / l->s + 1, back = l->k - 1 - l->lo;
    const int high = (l->h - 1) - (out - 1) * l->s + l->lo;      /* of the gradients, see op/reduce/window.c */
    const double flops = 2.0 * l->n * out * out * l->o * l->k * l->k * l->c;
    char text[768], name[64];
#define TAIL "window_strides=[%d,%d], padding_low=[%d,%d], padding_high=[%d,%d], lhs_dilation=[%d,%d], "               \
             "rhs_dilation=[%d,%d], window_reversal=[%d,%d], "                                                         \
             "feature_group_count=1, batch_group_count=1, preferred_element_type=f32}"
    snprintf(
        text, sizeof text,
        "convolution f32[%d,%d,%d,%d], f32[%d,%d,%d,%d] {input_batch_dimension=0, input_feature_dimension=3, "
        "input_spatial_dimensions=[1,2], kernel_input_feature_dimension=2, kernel_output_feature_dimension=3, "
        "kernel_spatial_dimensions=[0,1], "
        "output_batch_dimension=0, output_feature_dimension=3, output_spatial_dimensions=[1,2], " TAIL,
        l->n, l->h, l->h, l->c, l->k, l->k, l->c, l->o, l->s, l->s, l->lo, l->lo, l->hi, l->hi, 1, 1, 1, 1, 0, 0);
    snprintf(name, sizeof name, "conv %s fwd", l->name);
    measure(name, text, &gen_conv, flops);
    snprintf(
        text, sizeof text,
        "convolution f32[%d,%d,%d,%d], f32[%d,%d,%d,%d] {input_batch_dimension=0, input_feature_dimension=3, "
        "input_spatial_dimensions=[1,2], "
        "kernel_input_feature_dimension=3, kernel_output_feature_dimension=2, kernel_spatial_dimensions=[0,1], "
        "output_batch_dimension=0, output_feature_dimension=3, output_spatial_dimensions=[1,2], " TAIL,
        l->n, out, out, l->o, l->k, l->k, l->c, l->o, 1, 1, back, back, high, high, l->s, l->s, 1, 1, 1, 1);
    snprintf(name, sizeof name, "conv %s dX", l->name);
    measure(name, text, &gen_conv, flops);
    snprintf(
        text, sizeof text,
        "convolution f32[%d,%d,%d,%d], f32[%d,%d,%d,%d] {input_batch_dimension=3, input_feature_dimension=0, "
        "input_spatial_dimensions=[1,2], "
        "kernel_input_feature_dimension=0, kernel_output_feature_dimension=3, kernel_spatial_dimensions=[1,2], "
        "output_batch_dimension=2, output_feature_dimension=3, output_spatial_dimensions=[0,1], " TAIL,
        l->n, l->h, l->h, l->c, l->n, out, out, l->o, 1, 1, l->lo, l->lo,
        l->k - 1 + (out - 1) * l->s - l->lo - (l->h - 1), l->k - 1 + (out - 1) * l->s - l->lo - (l->h - 1), 1, 1, l->s,
        l->s, 0, 0);
    snprintf(name, sizeof name, "conv %s dW", l->name);
    measure(name, text, &gen_conv, flops);
}

static void convs(void)
{
    static const layer list[] = { { "Flax 1 (1->32 3x3, 28, batch 128)", 128, 28, 1, 32, 3, 1, 1, 1 },
                                  { "Flax 2 (32->64 3x3, 14, batch 128)", 128, 14, 32, 64, 3, 1, 1, 1 },
                                  { "Keras 1 (1->12 3x3, 28, batch 64)", 64, 28, 1, 12, 3, 1, 1, 1 },
                                  { "Keras 2 (12->24 6x6 s2, 28, batch 64)", 64, 28, 12, 24, 6, 2, 2, 2 },
                                  { "Keras 3 (24->32 6x6 s2, 14, batch 64)", 64, 14, 24, 32, 6, 2, 2, 2 } };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) conv(&list[i]);
}

static void folds(void)
{
    measure("sum of rows f32[1024,1024]", "reduce f32[1024,1024], 0 {dimensions=[1]} add", &gen_reduce, 0);
    measure("sum of columns f32[1024,1024]", "reduce f32[1024,1024], 0 {dimensions=[0]} add", &gen_reduce, 0);
    measure("sum of columns f32[128,64]", "reduce f32[128,64], 0 {dimensions=[0]} add", &gen_reduce, 0);
    measure("max of rows f32[1024,1024]", "reduce f32[1024,1024], -inf {dimensions=[1]} max", &gen_reduce, 0);
    measure("max of rows f32[128,10]", "reduce f32[128,10], -inf {dimensions=[1]} max", &gen_reduce, 0);
    measure("sum of all f32[1048576]", "reduce f32[1048576], 0 {dimensions=[0]} add", &gen_reduce, 0);
    measure("sum of NHW f32[128,14,14,64]", "reduce f32[128,14,14,64], 0 {dimensions=[0,1,2]} add", &gen_reduce, 0);
    measure("cumsum f32[256,1024]", "cumsum f32[256,1024] {dimension=1, reverse=false}", &gen_cum, 0);
    measure(
        "argmax f32[128,10]",
        "reduce f32[128,10], i32[128,10], -inf, 0:i32 {dimensions=[1]} (v f32, i i32, w f32, j i32) "
        "{ g = compare v, w {comparison_direction=gt}; n = compare v, v {comparison_direction=ne}; p = or g, n; "
        "q = compare v, w {comparison_direction=eq}; "
        "l = compare i, j {comparison_direction=lt}; t = and q, l; s = or p, t; a = select p, v, w; c = select s, i, "
        "j; return a, c }",
        &gen_reduce, 0);
}

#define POOL "{window_dimensions=[1,2,2,1], window_strides=[1,2,2,1], base_dilations=[1,1,1,1], "                      \
             "window_dilations=[1,1,1,1], "                                                                            \
             "padding_low=[0,0,0,0], padding_high=[0,0,0,0]} "
#define GE "(a f32, b f32) { p = compare a, b {comparison_direction=ge}; return p } "

static void windows(void)
{
    measure("max pool 2x2 f32[128,28,28,32]", "reduce_window f32[128,28,28,32], -inf " POOL "max", &gen_window, 0);
    measure("mean pool 2x2 f32[128,28,28,32]", "reduce_window f32[128,28,28,32], 0 " POOL "add", &gen_window, 0);
    measure("max pool backwards", "select_and_scatter f32[128,28,28,32], f32[128,14,14,32], 0 " POOL GE "add",
            &gen_window, 0);
    measure("max pool 2x2 f32[128,14,14,64]", "reduce_window f32[128,14,14,64], -inf " POOL "max", &gen_window, 0);
}

static void sorts(void)
{
    measure("sort f32[60000]", "sort f32[60000] {dimension=0, is_stable=true, num_keys=1, descending=false}", &gen_sort,
            0);
    measure("sort i32, i32 [60000]",
            "sort i32[60000], i32[60000] {dimension=0, is_stable=true, num_keys=1, descending=false}", &gen_sort, 0);
    measure("sort f32[1024,100]", "sort f32[1024,100] {dimension=1, is_stable=true, num_keys=1, descending=false}",
            &gen_sort, 0);
}

static void moves(void)
{
    measure("transpose f32[1024,1024]", "transpose f32[1024,1024] {permutation=[1,0]}", &gen_move, 0);
    measure("transpose f32[8,128,16,64] 0213", "transpose f32[8,128,16,64] {permutation=[0,2,1,3]}", &gen_move, 0);
    measure("broadcast f32[512] to [1024,512]",
            "broadcast_in_dim f32[512] {shape=[1024,512], broadcast_dimensions=[1]}", &gen_move, 0);
    measure("pad f32[128,28,28,32] by 1",
            "pad f32[128,28,28,32], 0 {edge_padding_low=[0,1,1,0], edge_padding_high=[0,1,1,0], "
            "interior_padding=[0,0,0,0]}",
            &gen_move, 0);
    measure("concatenate f32[1024,256] x 2", "concatenate f32[1024,256], f32[1024,256] {dimension=1}", &gen_move, 0);
    measure("gather 1024 rows of f32[10000,256]",
            "gather f32[10000,256], i32[1024,1] {offset_dims=[1], collapsed_slice_dims=[0], "
            "start_index_map=[0], index_vector_dim=1, slice_sizes=[1,256]}",
            &gen_move, 0);
    measure("scatter-add 1024 rows to f32[1000,256]",
            "scatter f32[1000,256], i32[1024,1], f32[1024,256] {update_window_dims=[1], "
            "inserted_window_dims=[0], scatter_dims_to_operand_dims=[0], index_vector_dim=1} add",
            &gen_move, 0);
}

int main(int argc, char **argv)
{
    static const struct { const char *name; void (*run)(void);
    } part[] = { { "dot", dots },       { "conv", convs }, { "fold", folds },
                 { "window", windows }, { "sort", sorts }, { "move", moves } };
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        bool wanted = argc < 2;
        for (int k = 1; k < argc; k++) wanted |= !strcmp(argv[k], part[i].name);
        if (wanted) part[i].run();
    }
    return 0;
}
