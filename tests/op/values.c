/* values.c - what primitives give for numbers worked out by hand: edges of the definitions that a primitive's own
 * reference and rules could get wrong together. Clamped and dropped starts, negative padding, wrapping, rounding once,
 * ties. */
#include "check.h"
#include "op/op.h"
#include "transform/transform.h"

#include <math.h>
#include <sys/mman.h>

enum { MOST = 32 };
typedef struct {
    const char *text;
    double in[4][MOST];
    double out[MOST];
} example;

static void put(const ir_type *t, void *at, const double *v)
{
    const ir_box b = ir_box_dense(at, t);
    const bool real = ir_is_float(t->dtype);
    int64_t i[IR_RANK], k = 0;
    for (bool more = ir_first(&b, i); more; more = ir_next(&b, i), k++)
        ir_store(&b, i, real ? (ir_num){ .f = v[k] } : (ir_num){ .i = (int64_t)v[k] });
}

static double number(const ir_box *b, const int64_t *i)
{
    const ir_class c = ir_dtype_of(b->dtype)->cls;
    const ir_num v = ir_load(b, i);
    return c == IR_FLOAT_CLASS ? v.f : c == IR_INT_CLASS ? (double)v.i : (double)v.u;
}

/* Result k of f on the given operands is `want`. */
static void gives(base_arena *a, const char *text, const ir_fn *f, const double (*in)[MOST], uint32_t k,
                  const double *want)
{
    ir_box x[8], y[8];
    int64_t i[IR_RANK], n = 0;
    for (uint32_t j = 0; j < f->narg; j++) {
        x[j] = ir_box_dense(base_new(a, (size_t)ir_bytes(f->type[j + 1]) + 1), f->type[j + 1]);
        put(f->type[j + 1], x[j].at, in[j]);
    }
    for (uint32_t j = 0; j < f->nret; j++)
        y[j] = ir_box_dense(base_new(a, (size_t)ir_bytes(f->type[f->ret[j]]) + 1), f->type[f->ret[j]]);
    CHECK(ir_eval(f, x, y), "%s: %s", text, base_failed() ? base_failed()->what : "");
    for (bool more = ir_first(&y[k], i); more; more = ir_next(&y[k], i), n++) {
        const double got = number(&y[k], i);
        CHECK(got == want[n] || (isnan(got) && isnan(want[n])), "%s: element %lld is %.9g, not %.9g", text,
              (long long)n, got, want[n]);
    }
}

static void examples(void)
{
    static const example e[] = {
        { "pad f32[3], f32[] {edge_padding_low=[-1], edge_padding_high=[2], interior_padding=[1]}",
          { { 1, 2, 3 }, { 9 } },
          { 9, 2, 9, 3, 9, 9 } },
        { "dynamic_slice f32[5], i32[] {slice_sizes=[2]}", { { 1, 2, 3, 4, 5 }, { 4 } }, { 4, 5 } },
        { "dynamic_slice f32[5], i32[] {slice_sizes=[2]}", { { 1, 2, 3, 4, 5 }, { -7 } }, { 1, 2 } },
        { "dynamic_slice f32[5], u64[] {slice_sizes=[2]}", { { 1, 2, 3, 4, 5 }, { -1 } }, { 4, 5 } }, /* 2^64 - 1 */
        { "dynamic_update_slice i32[4], i32[3], i32[]", { { 1, 2, 3, 4 }, { 7, 8, 9 }, { 3 } }, { 1, 7, 8, 9 } },
        { "gather f32[3,2], i32[4,1] {offset_dims=[1], collapsed_slice_dims=[0], start_index_map=[0], "
          "index_vector_dim=1, "
          "slice_sizes=[1,2]}",
          { { 1, 2, 3, 4, 5, 6 }, { 2, -5, 1, 9 } },
          { 5, 6, 1, 2, 3, 4, 5, 6 } },
        { "gather f32[3,2], i32[4,1] {offset_dims=[1], collapsed_slice_dims=[0], start_index_map=[0], "
          "index_vector_dim=1, "
          "slice_sizes=[1,2], fill=true}",
          { { 1, 2, 3, 4, 5, 6 }, { 2, -5, 1, 9 } },
          { 5, 6, 0, 0, 3, 4, 0, 0 } },
        { "gather f32[5], i32[2] {offset_dims=[1], start_index_map=[0], index_vector_dim=1, slice_sizes=[3]}",
          { { 1, 2, 3, 4, 5 }, { 4, 1 } },
          { 3, 4, 5, 2, 3, 4 } },
        { "gather f32[2,3], i32[2] {collapsed_slice_dims=[1], operand_batching_dims=[0], "
          "start_indices_batching_dims=[0], "
          "start_index_map=[1], index_vector_dim=1, slice_sizes=[1,1]}",
          { { 1, 2, 3, 4, 5, 6 }, { 2, 0 } },
          { 3, 4 } },
        { "scatter f32[4], i32[5,1], f32[5] {inserted_window_dims=[0], scatter_dims_to_operand_dims=[0], "
          "index_vector_dim=1} add",
          { { 10, 20, 30, 40 }, { 1, 1, -1, 4, 3 }, { 1, 2, 3, 4, 5 } },
          { 10, 23, 30, 45 } },
        { "scatter f32[4], i32[3,1], f32[3] {inserted_window_dims=[0], scatter_dims_to_operand_dims=[0], "
          "index_vector_dim=1} "
          "(a f32, b f32) { return b }",
          { { 1, 2, 3, 4 }, { 2, 2, 7 }, { 5, 6, 8 } },
          { 1, 2, 6, 4 } },
        { "scatter f32[4], i32[2,1], f32[2,2] {update_window_dims=[1], scatter_dims_to_operand_dims=[0], "
          "index_vector_dim=1} "
          "add",
          { { 0, 0, 0, 0 }, { 3, 2 }, { 1, 2, 3, 4 } },
          { 0, 0, 3, 4 } }, /* [3, 5) is dropped whole */
        { "iota {dtype=u8, shape=[3], iota_dimension=0}", { { 0 } }, { 0, 1, 2 } },
        { "concatenate i32[1], i32[0], i32[2] {dimension=0}", { { 1 }, { 0 }, { 2, 3 } }, { 1, 2, 3 } },
        { "broadcast_in_dim f32[2,1] {shape=[2,2], broadcast_dimensions=[0,1]}", { { 1, 2 } }, { 1, 1, 2, 2 } },
        { "slice f32[7] {start_indices=[1], limit_indices=[6], strides=[2]}",
          { { 0, 1, 2, 3, 4, 5, 6 } },
          { 1, 3, 5 } },
        { "dot_general i8[2], i8[2] {lhs_contracting_dimensions=[0], rhs_contracting_dimensions=[0], "
          "preferred_element_type=i8}",
          { { 100, 3 }, { 3, 1 } },
          { 47 } },
        { "dot_general i8[2], i8[2] {lhs_contracting_dimensions=[0], rhs_contracting_dimensions=[0], "
          "preferred_element_type=i32}",
          { { 100, 3 }, { 3, 1 } },
          { 303 } },
        /* 256 + 1 + 1 in bf16: summed in f32 and rounded once it is 258; rounded at each step it would be 256 */
        { "dot_general bf16[3], bf16[3] {lhs_contracting_dimensions=[0], rhs_contracting_dimensions=[0], "
          "preferred_element_type=bf16}",
          { { 256, 1, 1 }, { 1, 1, 1 } },
          { 258 } },
        /* (1 + 2^-12)^2 - (1 + 2^-11): one fma keeps the 2^-24 that a rounded product would lose */
        { "dot_general f32[2], f32[2] {lhs_contracting_dimensions=[0], rhs_contracting_dimensions=[0], "
          "preferred_element_type=f32}",
          { { -1 - 0x1p-11, 1 + 0x1p-12 }, { 1, 1 + 0x1p-12 } },
          { 0x1p-24 } },
    };
    for (size_t k = 0; k < sizeof e / sizeof *e; k++) {
        base_arena *a = base_open();
        const ir_fn *f = ir_case(a, e[k].text);
        CHECK(f, "%s: %s", e[k].text, base_failed() ? base_failed()->what : "");
        if (f) gives(a, e[k].text, f, e[k].in, 0, e[k].out);
        base_clear_error();
        base_close(a);
    }
}

static void ties(void) /* an element of x and an update are the greatest: a half each */
{
    static const char *const text = "scatter f32[2], i32[3,1], f32[3] {inserted_window_dims=[0], "
                                    "scatter_dims_to_operand_dims=[0], index_vector_dim=1} max";
    base_arena *a = base_open();
    const ir_fn *f = ir_case(a, text), *g = f ? transform_jvp(a, f, NULL) : NULL;
    const double in[5][MOST] = { { 4, 1 }, { 0, 0, 1 }, { 4, 2, 3 }, { 1, 1 }, { 5, 7, 10 } };
    CHECK(g, "%s: %s", text, base_failed() ? base_failed()->what : "");
    if (g) gives(a, text, g, in, 1, (const double[]){ 3, 10 });
    base_close(a);
}

static void survivors(void) /* of two updates set in one place only the last has a gradient */
{
    static const char *const text = "scatter f32[2], i32[3,1], f32[3] {inserted_window_dims=[0], "
                                    "scatter_dims_to_operand_dims=[0], index_vector_dim=1} (a f32, b f32) { return b }";
    base_arena *a = base_open();
    const ir_fn *f = ir_case(a, text), *g = f ? transform_transpose(a, f, (const bool[]){ true, false, true }) : NULL;
    const double in[2][MOST] = { { 1, 1, 5 }, { 10, 20 } };
    CHECK(g, "%s: %s", text, base_failed() ? base_failed()->what : "");
    if (g) gives(a, text, g, in, 0, (const double[]){ 10, 0 });
    if (g) gives(a, text, g, in, 1, (const double[]){ 0, 20, 0 });
    base_close(a);
}

/* A reference by its definition in other primitives is asked for a part, as of one device of several: nothing before it
 * is read. What would be is in pages that cannot be. */
static void parts(void)
{
    enum { N = 1 << 16, LAST = 8 };
    const int64_t lo = N - LAST, n = LAST;
    base_arena *a = base_open();
    const ir_fn *f = ir_case(a, base_format(a, "lgamma f32[%d]", N));
    const size_t bytes = N * sizeof(float), there = 1 << 12;
    char *const pages = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(f && pages != MAP_FAILED, "lgamma's case");
    if (!f || pages == MAP_FAILED || mprotect(pages + bytes - there, there, PROT_READ | PROT_WRITE)) return;
    float *const x = (float *)(pages + bytes) - LAST, y[LAST];
    for (int i = 0; i < LAST; i++) x[i] = (float)(i + 2);
    const ir_box in = ir_box_of(x, TT_F32, 1, &lo, &n), out = ir_box_of(y, TT_F32, 1, &lo, &n);
    CHECK(f->eqn[0].op->ref(&f->eqn[0], &in, &out), "a part: %s", base_failed() ? base_failed()->what : "");
    for (int i = 0; i < LAST; i++) CHECK(fabs(y[i] - lgamma(i + 2.0)) < 1e-5, "lgamma(%d) is %g", i + 2, y[i]);
    munmap(pages, bytes);
    base_close(a);
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    CHECK_RUN(examples());
    CHECK_RUN(ties());
    CHECK_RUN(survivors());
    CHECK_RUN(parts());
    return check_done();
}
