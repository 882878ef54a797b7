/* What simplify, decompose and hoist make of a function, as text, and that it means the same. */
#include "api/pipeline.h"
#include "pass/pass.h"

static void same(const ir_fn *f, const ir_fn *g)
{
    pipeline r = { .a = base_open() };
    ir_box x[PIPELINE_MOST], y[PIPELINE_MOST];
    void *got[PIPELINE_MOST];
    CHECK(pipeline_open(&r, f), "%s", pipeline_error());
    for (uint32_t i = 0; i < f->narg; i++) x[i] = ir_box_dense(r.in[i], f->type[1 + i]);
    for (uint32_t j = 0; j < f->nret; j++) {
        const ir_type *t = f->type[f->ret[j]];
        CHECK(g->type[g->ret[j]] == t, "result %u has another type", j);
        got[j] = base_new(r.a, (size_t)ir_count(t) * 16 + 16);
        y[j] = ir_box_dense(got[j], t);
    }
    CHECK(ir_eval(g, x, y), "%s", pipeline_error());
    for (uint32_t j = 0; j < f->nret; j++) {             /* bit for bit */
        const ir_type *t = f->type[f->ret[j]];
        CHECK(!memcmp(got[j], r.want[j], (size_t)ir_count(t) * ir_dtype_of(t->dtype)->bytes), "result %u differs:\n%s",
              j,
              ir_print(r.a, g));
    }
    base_close(r.a);
}

typedef ir_fn *pass(base_arena *, const ir_fn *);

static void becomes(pass *p, const char *text, const char *want)
{
    base_arena *a = base_open();
    const ir_fn *f = ir_parse(a, "t", text);
    CHECK(f, "%s: %s", pipeline_error(), text);
    const ir_fn *g = f ? p(a, f) : NULL;
    CHECK(g && ir_verify(g), "%s: %s", pipeline_error(), text);
    if (g) {
        const char *s = ir_print(a, g), *body = strchr(s, '{') + 2;
        CHECK(!want || !strcmp(body, want), "\n%sfrom\n%s\nnot\n%s", s, text, want);
        same(f, g);
    }
    base_clear_error();
    base_close(a);
}

#define SIMPLE(text, want) becomes(pass_simplify, text, want)

#define ROWS(n) "{offset_dims=[1], collapsed_slice_dims=[0], start_index_map=[0], index_vector_dim=1, " \
                "slice_sizes=[1, 3], " n "}"

/* Rows are gathered before they are converted, NaNs for rows that are not there too; not where that is no less. */
static void gathers(void)
{
    SIMPLE("fn f(x f32[64,3], i i32[2,1]) {\nh = convert x {new_dtype=bf16}\n"
           "y = gather h, i " ROWS("fill=true, nan=true") "\nreturn y\n}",
           "  v3 f32[2, 3] = gather v1, v2 " ROWS("fill=true, nan=true") "\n"
           "  v4 bf16[2, 3] = convert v3 {new_dtype=bf16}\n  return v4\n}\n");
    SIMPLE("fn f(x f32[64,3], i i32[33,1]) {\nh = convert x {new_dtype=bf16}\n"
           "y = gather h, i " ROWS("fill=true") "\nreturn y\n}",
           "  v3 bf16[64, 3] = convert v1 {new_dtype=bf16}\n"
           "  v4 bf16[33, 3] = gather v3, v2 " ROWS("fill=true") "\n  return v4\n}\n");
    SIMPLE("fn f(x f32[64,3], i i32[2,1]) {\nh = convert x {new_dtype=i32}\n"
           "y = gather h, i " ROWS("fill=true") "\nreturn y\n}",
           "  v3 i32[64, 3] = convert v1 {new_dtype=i32}\n"
           "  v4 i32[2, 3] = gather v3, v2 " ROWS("fill=true") "\n  return v4\n}\n");
}

static void arithmetic(void)
{
    SIMPLE("fn f(x f32[4]) {\no = const {dtype=f32, shape=[4], splat=true, data=1}\ny = mul x, o\nz = div y, o\n"
           "return z\n}",
           "  return v1\n}\n");
    /* x + 0 is not x when x is -0; x + -0 and x - 0 are */
    SIMPLE("fn f(x f32[4]) {\no = const {dtype=f32, shape=[4], splat=true, data=0}\ny = add x, o\nreturn y\n}",
           "  v2 f32[4] = const {dtype=f32, shape=[4], splat=true, data=0}\n  v3 f32[4] = add v1, "
           "v2\n  return v3\n}\n");
    SIMPLE("fn f(x f32[4]) {\no = const {dtype=f32, shape=[4], splat=true, data=-0}\n"
           "p = const {dtype=f32, shape=[4], splat=true, data=0}\n"
           "y = add o, x\nz = sub y, p\nreturn z\n}", "  return v1\n}\n");
    SIMPLE("fn f(x i32[4]) {\no = const {dtype=i32, shape=[4], splat=true, data=0}\ny = add x, o\nreturn y\n}",
           "  return v1\n}\n");
    SIMPLE("fn f(x f32[4]) {\na = neg x\nb = neg a\nc = max b, b\nreturn c\n}", "  return v1\n}\n");
    SIMPLE("fn f(x f32[4]) {\na = neg x\nb = abs a\nc = abs b\nreturn c\n}", "  v2 f32[4] = abs v1\n  return v2\n}\n");
    SIMPLE("fn f(x i8[4]) {\na = neg x\nb = abs a\nreturn b\n}", "  v2 i8[4] = abs v1\n  return v2\n}\n");
    SIMPLE("fn f(x c64[4]) {\na = neg x\nb = abs a\nc = abs b\nreturn c\n}",
           "  v2 f32[4] = abs v1\n  return v2\n}\n");
    SIMPLE("fn f(x f32[4]) {\na = ceil x\nb = floor a\nc = round_even b\nd = round_away c\nreturn d\n}",
           "  v2 f32[4] = ceil v1\n  return v2\n}\n");
    /* not beyond a conversion or a change of sign */
    SIMPLE("fn f(x f32[4]) {\na = floor x\nb = neg a\nc = floor b\nreturn c\n}",
           "  v2 f32[4] = floor v1\n  v3 f32[4] = neg v2\n  v4 f32[4] = floor v3\n  return v4\n}\n");
    SIMPLE("fn f(x bf16[4]) {\na = convert x {new_dtype=f64}\nb = convert a {new_dtype=f32}\nc = convert b "
           "{new_dtype=bf16}\nreturn c\n}",
           "  return v1\n}\n");
    SIMPLE("fn f(x i32[4]) {\na = convert x {new_dtype=f64}\nb = convert a {new_dtype=u8}\nreturn b\n}",
           "  v2 f64[4] = convert v1 {new_dtype=f64}\n  v3 u8[4] = convert v2 {new_dtype=u8}\n  return v3\n}\n");
    SIMPLE("fn f(x f32[4]) {\na = convert x {new_dtype=bf16}\nb = convert a {new_dtype=f32}\nreturn b\n}",
           "  v2 bf16[4] = convert v1 {new_dtype=bf16}\n  v3 f32[4] = convert v2 {new_dtype=f32}\n  return v3\n}\n");
    SIMPLE("fn f(x f32[4], y f32[4], p bool[4]) {\nt = const {dtype=bool, shape=[4], splat=true, data=true}\n"
           "a = select t, x, y\n"
           "b = select p, a, a\nreturn b\n}", "  return v1\n}\n");
}

static void constants(void)
{
    SIMPLE("fn f(x f32[2]) {\na = const {dtype=f32, shape=[2], splat=true, data=3}\nb = mul a, a\nc = add x, b\n"
           "return c\n}",
           "  v2 f32[2] = const {dtype=f32, shape=[2], splat=true, data=9}\n  v3 f32[2] = add v1, "
           "v2\n  return v3\n}\n");
    SIMPLE("fn f(x f32[2]) {\na = const {dtype=f32, shape=[], splat=true, data=3}\n"
           "b = broadcast_in_dim a {shape=[2], broadcast_dimensions=[]}\nc = add x, b\nreturn c\n}",
           "  v2 f32[2] = const {dtype=f32, shape=[2], splat=true, data=3}\n  v3 f32[2] = add v1, "
           "v2\n  return v3\n}\n");
    /* tanh has a libm reference: left to its kernel */
    SIMPLE("fn f() {\na = const {dtype=f32, shape=[], splat=true, data=3}\nb = tanh a\nreturn b\n}",
           "  v1 f32 = const {dtype=f32, splat=true, data=3}\n  v2 f32 = tanh v1\n  return v2\n}\n");
    SIMPLE("fn f(x f32[5]) {\ni = const {dtype=i32, shape=[], splat=true, data=9}\n"
           "y = dynamic_slice x, i {slice_sizes=[2]}\nreturn y\n}",
           "  v2 f32[2] = slice v1 {start_indices=[3], limit_indices=[5], strides=[1]}\n  return v2\n}\n");
}

static void moves(void)
{
    SIMPLE("fn f(x f32[2,3]) {\na = transpose x {permutation=[1,0]}\nb = transpose a {permutation=[1,0]}\n"
           "c = reshape b {shape=[6]}\n"
           "d = reshape c {shape=[2,3]}\nreturn d\n}", "  return v1\n}\n");
    SIMPLE("fn f(x f32[3]) {\na = broadcast_in_dim x {shape=[2,3], broadcast_dimensions=[1]}\n"
           "b = broadcast_in_dim a {shape=[2,4,3], broadcast_dimensions=[0,2]}\nreturn b\n}",
           "  v2 f32[2, 4, 3] = broadcast_in_dim v1 {shape=[2, 4, 3], broadcast_dimensions=[2]}\n  return v2\n}\n");
    SIMPLE("fn f(x f32[]) {\na = broadcast_in_dim x {shape=[2,3], broadcast_dimensions=[]}\nb = reshape a {shape=[6]}\n"
           "return b\n}",
           "  v2 f32[6] = broadcast_in_dim v1 {shape=[6]}\n  return v2\n}\n");
    SIMPLE("fn f(x f32[4,3], y f32[5,4]) {\na = transpose x {permutation=[1,0]}\nb = transpose y {permutation=[1,0]}\n"
           "c = dot_general a, b {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "
           "preferred_element_type=f32}\n"
           "d = transpose c {permutation=[1,0]}\nreturn d\n}",
           "  v3 f32[5, 3] = dot_general v2, v1 {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "
           "preferred_element_type=f32}\n  return v3\n"
           "}\n");
    /* before a reduction: the same elements in the same order; not where sums or results would change places, nor where
     * somebody else reads it */
    SIMPLE("fn f(x f32[2,3,4,5]) {\na = transpose x {permutation=[0,3,1,2]}\n"
           "y = reduce a, 0 {dimensions=[0,1]} add\nreturn y\n}",
           "  v2 f32 = const {dtype=f32, splat=true, data=0}\n"
           "  v3 f32[3, 4] = reduce v1, v2 {dimensions=[0, 3]} add\n  return v3\n}\n");
    SIMPLE("fn f(x f32[2,3]) {\na = transpose x {permutation=[1,0]}\ny = reduce a, 0 {dimensions=[0,1]} add\n"
           "return y\n}",
           "  v2 f32[3, 2] = transpose v1 {permutation=[1, 0]}\n  v3 f32 = const {dtype=f32, splat=true, data=0}\n"
           "  v4 f32 = reduce v2, v3 {dimensions=[0, 1]} add\n  return v4\n}\n");
    SIMPLE("fn f(x f32[2,3,4]) {\na = transpose x {permutation=[0,2,1]}\ny = reduce a, 0 {dimensions=[0]} add\n"
           "return y\n}",
           "  v2 f32[2, 4, 3] = transpose v1 {permutation=[0, 2, 1]}\n"
           "  v3 f32 = const {dtype=f32, splat=true, data=0}\n"
           "  v4 f32[4, 3] = reduce v2, v3 {dimensions=[0]} add\n  return v4\n}\n");
    SIMPLE("fn f(x f32[2,3]) {\na = transpose x {permutation=[1,0]}\ny = reduce a, 0 {dimensions=[0]} add\n"
           "return a, y\n}",
           "  v2 f32[3, 2] = transpose v1 {permutation=[1, 0]}\n  v3 f32 = const {dtype=f32, splat=true, data=0}\n"
           "  v4 f32[2] = reduce v2, v3 {dimensions=[0]} add\n  return v2, v4\n}\n");
    /* free dims in another order: the transpose stays */
    SIMPLE("fn f(x f32[2,4,3], y f32[4]) {\na = transpose x {permutation=[2,0,1]}\n"
           "c = dot_general a, y {lhs_contracting_dimensions=[2], rhs_contracting_dimensions=[0], "
           "preferred_element_type=f32}\nreturn c\n}", NULL);
    SIMPLE("fn f(x f32[2,4,3], y f32[2,5,4]) {\na = transpose y {permutation=[2,0,1]}\n"
           "c = dot_general x, a {lhs_batching_dimensions=[0], rhs_batching_dimensions=[1], "
           "lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], preferred_element_type=f32}\nreturn c\n}",
           "  v3 f32[2, 3, 5] = dot_general v1, v2 {lhs_batching_dimensions=[0], rhs_batching_dimensions=[0], "
           "lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[2], "
           "preferred_element_type=f32}\n  return v3\n}\n");
}

static void structure(void)
{
    SIMPLE("fn f(x f32[2]) {\ny, z = call x (x f32[2]) { a = tanh x; b = tanh x; c = exp x; return a, b }\n"
           "w = add y, z\nreturn w\n}",
           "  v2 f32[2] = tanh v1\n  v3 f32[2] = add v2, v2\n  return v3\n}\n");
    /* a barrier keeps its two sides apart */
    SIMPLE("fn f(x f32[2]) {\na = tanh x\nb = barrier x\nc = tanh b\nd = add a, c\nreturn d\n}",
           "  v2 f32[2] = tanh v1\n  v3 f32[2] = barrier v1\n  v4 f32[2] = tanh v3\n  v5 f32[2] = add v2, v4\n"
           "  return v5\n}\n");
    SIMPLE("fn f(x f32[6]) {\na = reduce x, 0 {dimensions=[0]} add\nb = reduce x, 0 {dimensions=[0]} add\n"
           "c = sub a, b\nreturn c\n}",
           "  v2 f32 = const {dtype=f32, splat=true, data=0}\n  v3 f32 = reduce v1, v2 {dimensions=[0]} add\n"
           "  v4 f32 = sub v3, v3\n"
           "  return v4\n}\n");
    becomes(pass_decompose, "fn f(c f32[2], xs f32[3,2]) {\n"
                            "d, ys = scan c, xs {length=3, num_consts=0, num_carry=1, reverse=true} "
            "(c f32[2], x f32[2]) { a = mul c, x; return a, x }\nreturn d, ys\n}", NULL);
}

static void hoisting(void)
{
    becomes(pass_hoist, "fn f(w f32[2,2], x f32[2], n i32[]) {\n"
                        "u, y, m = while w, x, n (w f32[2,2], x f32[2], n i32[]) "
            "{ t = compare n, 3 {comparison_direction=lt}; return t } (w f32[2,2], x f32[2], n i32[]) {\n"
            "s = dot_general w, w {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "
            "preferred_element_type=f32}\n"
            "y = dot_general s, x {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "
            "preferred_element_type=f32}\nm = add n, 1\n"
            "return w, y, m\n}\nreturn y, m\n}",
            "  v4 f32[2, 2] = dot_general v1, v1 {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "
            "preferred_element_type=f32}\n"
            "  v5 f32[2, 2], v6 f32[2], v7 i32, v8 f32[2, 2] = while v1, v2, v3, v4 (v1 f32[2, 2], v2 f32[2], v3 i32, "
            "v4 f32[2, 2]) {\n"
            "    v5 i32 = const {dtype=i32, splat=true, data=3}\n    v6 bool = compare v3, "
            "v5 {comparison_direction=lt}\n"
            "    return v6\n"
            "  } (v1 f32[2, 2], v2 f32[2], v3 i32, v4 f32[2, 2]) {\n"
            "    v5 f32[2] = dot_general v4, v2 {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "
            "preferred_element_type=f32}\n"
            "    v6 i32 = const {dtype=i32, splat=true, data=1}\n    v7 i32 = add v3, v6\n    return v1, v5, v7, v4\n"
            "  }\n"
            "  return v6, v7\n}\n");
}

/* Every case of every primitive means the same after all passes. */
static void rows(void)
{
    for (const op_prim *const *r = op_prims; *r; r++)
        for (const char *const *c = (*r)->cases; c && *c; c++) {
            base_arena *a = base_open();
            const ir_fn *f = ir_case(a, *c);
            bool skip = !f || f->narg > PIPELINE_MOST || f->nret > PIPELINE_MOST;
            for (uint32_t k = 0; f && k < f->neqn; k++) skip |= f->eqn[k].op->kernel == OP_EXCHANGE ||
                f->eqn[k].op->real;
            if (!skip) {
                const ir_fn *g = pass_simplify(a, f);
                g = g ? pass_decompose(a, g) : NULL;
                g = g ? pass_hoist(a, g) : NULL;
                g = g ? pass_simplify(a, g) : NULL;
                CHECK(g && ir_verify(g), "%s: %s", *c, pipeline_error());
                if (g) same(f, g);
            }
            base_clear_error();
            base_close(a);
        }
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    CHECK_RUN(arithmetic());
    CHECK_RUN(gathers());
    CHECK_RUN(constants());
    CHECK_RUN(moves());
    CHECK_RUN(structure());
    CHECK_RUN(hoisting());
    CHECK_RUN(rows());
    return check_done();
}
