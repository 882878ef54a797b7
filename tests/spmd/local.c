/* Local forms: every case of every primitive, its operands laid out in every way that a small mesh offers, and programs
 * with loops, branches, sums and windows, as what one device computes: the answer is ir_eval's of the whole. */
#include "layouts.h"
#include "pass/pass.h"
#include "spmd/spmd.h"
#include "op/ops.h"

#include <string.h>

static const char *const meshes[] = { "x:2", "x:2, y:4", "x:8" };
/* refused: cases that have no local form. */
enum { LOWERED = 8378, REFUSED = 0 };
static int lowered, refused;

static const ir_fn *partitioned(base_arena *a, const ir_fn *f, const mesh_layout *const *in, spmd_report *report)
{
    ir_fn *const g = ir_fn_copy(a, f);
    g->layout = BASE_NEW(a, const mesh_layout *, g->nvalue + 1);
    for (uint32_t i = 0; in && i < g->narg; i++) g->layout[1 + i] = in[i];
    return spmd_partition(a, g, NULL, &(spmd_opts){ .even = true, .apart = true }, report);
}

/* Copies the elements of a value to the devices' blocks, which are of the size of the largest part; or back. */
static void blocks(const ir_type *t, const mesh_layout *l, const ir_type *all, char *whole, char *block, bool back)
{
    const size_t bytes = ir_dtype_of(t->dtype)->bytes;
    for (int64_t i = 0; i < ir_count(all); i++) {
        int64_t left = i, at = 0, scale = 1;
        bool inside = true;
        for (int d = t->rank - 1; d >= 0; d--) {
            const int64_t parts = mesh_list_size(l->mesh, l->dim[d].atoms), each = all->dim[d] / parts,
                          within = left % all->dim[d];
            int64_t lo, hi;
            uint32_t coord[MESH_ATOMS] = { 0 };
            left /= all->dim[d];
            mesh_place_coord(l->mesh, l->dim[d].atoms, within / each, coord);
            mesh_range(l->mesh, l->dim[d].atoms, t->dim[d], coord, &lo, &hi);
            inside &= lo + within % each < hi;
            at += (lo + within % each) * scale;
            scale *= t->dim[d];
        }
        char *const one = block + (size_t)i * bytes;
        if (back && inside) memcpy(whole + (size_t)at * bytes, one, bytes);
        if (!back && inside) memcpy(one, whole + (size_t)at * bytes, bytes);
        if (!back && !inside) memset(one, t->dtype == TT_BOOL ? 1 : 0xff, bytes);    /* NaN, -1: to be read by nobody */
    }
}

static void *memory_of(base_arena *a, const ir_type *t)
{
    return base_new(a, (size_t)ir_count(t) * ir_dtype_of(t->dtype)->bytes + 16);
}

/* The local form computes what r->want says. False: it was refused. */
static bool same(pipeline *r, const char *what, const ir_fn *local)
{
    ir_box x[PIPELINE_MOST], y[PIPELINE_MOST];
    CHECK(ir_verify(local), "%s: %s", what, pipeline_error());
    CHECK(local->neqn == 1 && local->eqn[0].op == &prim_manual, "%s: it is no manual region", what);
    for (uint32_t i = 0; i < local->narg; i++) {
        const ir_type *const t = local->type[1 + i];
        x[i] = ir_box_dense(memory_of(r->a, t), t);
        blocks(pipeline_plain(r->fn->type[1 + i]), local->layout[1 + i], t, r->in[i], x[i].at, false);
    }
    for (uint32_t j = 0; j < local->nret; j++) {
        const ir_type *const t = local->type[local->ret[j]];
        y[j] = ir_box_dense(memory_of(r->a, t), t);
    }
    const bool ok = ir_eval(local, x, y);
    CHECK(ok, "%s: %s", what, pipeline_error());
    for (uint32_t j = 0; ok && j < local->nret; j++) {
        const ir_type *const t = pipeline_plain(r->fn->type[r->fn->ret[j]]);
        const ir_box want = ir_box_dense(r->want[j], t), is = ir_box_dense(memory_of(r->a, t), t);
        blocks(t, local->layout[local->ret[j]], local->type[local->ret[j]], is.at, y[j].at, true);
        const double apart = pipeline_apart(&is, &want);
        CHECK(apart <= 1e-4, "%s: result %u is off by %g\n%s", what, j, apart, ir_print(r->a, local));
    }
    return true;
}

static bool one(pipeline *r, const char *what, const ir_fn *f, const mesh_layout *const *in)
{
    const ir_fn *const g = partitioned(r->a, f, in, NULL);
    CHECK(g, "%s: %s", what, pipeline_error());
    const ir_fn *const local = g ? spmd_localize(r->a, g) : NULL;
    if (local) lowered++, same(r, what, local);
    else {
        CHECK(base_failed() && base_failed()->code == TT_EENGINE, "%s: %s", what, pipeline_error());
        if (getenv("REFUSED")) printf("refused: %s: %s\n", what, pipeline_error());
        refused++;
    }
    base_clear_error();
    return local != NULL;
}

static bool whole_program(const ir_fn *f)
{
    for (uint32_t k = 0; k < f->neqn; k++)
        if (f->eqn[k].op->kernel == OP_EXCHANGE || f->eqn[k].op == &prim_to_varying || f->eqn[k].op->ordered)
            return false;
    return f->narg <= PIPELINE_MOST && f->nret <= PIPELINE_MOST && !f->mesh;
}

static void one_case(const char *text)
{
    base_arena *a = base_open();
    const ir_fn *f = ir_case(a, text);
    pipeline r = { .a = a };
    CHECK(f, "%s: %s", text, pipeline_error());
    if (f && whole_program(f) && pipeline_open(&r, f)) {
        for (size_t m = 0; m < sizeof meshes / sizeof *meshes; m++) {
            const mesh *mesh = mesh_of(NULL, meshes[m]);
            const ir_fn *const simple = pass_simplify(a, pass_on_mesh(a, f, mesh)),
                        *const g = simple ? pass_decompose(a, simple) : NULL;
            const mesh_layout *in[PIPELINE_MOST];
            for (int n = 0; g && n < 60 && layouts_of_arguments(f, mesh, n, in); n++) {
                one(&r, base_format(a, "%s on %s, layouts %d", text, meshes[m], n), g, in);
            }
        }
    }
    base_clear_error();
    base_close(a);
}

/* ---- programs ---- */

/* The collectives in order, all-reduces as psum. */
static void collectives(base_text *t, const ir_fn *f)
{
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *const e = &f->eqn[k];
        if (e->op->kernel == OP_EXCHANGE && e->op != &prim_axis_index)
            base_appendf(t, "%s%s", t->n ? " " : "", e->op == &prim_pmax ? "psum" : e->op->name);
        for (uint32_t s = 0; s < e->nsub; s++) collectives(t, e->sub[s]);
    }
}

/* What explain says of the program, in the names of collectives; slices move nothing. */
static void noted(base_text *t, const spmd_report *r)
{
    static const char *const name[] = { "", "all_gather", "reduce_scatter", "psum", "all_to_all", "ppermute", "halo",
                                        "mixed" };
    for (int i = 0; i < r->n; i++)
        if (r->note[i].kind != SPMD_SLICE) base_appendf(t, "%s%s", t->n ? " " : "", name[r->note[i].kind]);
}

/* The body of a function over x:2, y:4 whose arguments are laid out by `spec`. kinds: the collectives of the local
 * form, in order, "" for none, and of explain's notes; NULL: not compared. */
static void program(const char *body, const char *const *spec, const char *kinds)
{
    base_arena *a = base_open();
    pipeline r = { .a = a };
    const ir_fn *f = ir_parse(a, "t", base_format(a, "mesh \"x:2, y:4\"\nfn f%s", body));
    const mesh_layout *in[PIPELINE_MOST];
    spmd_report report = { 0 };
    CHECK(f, "%s: %s", body, pipeline_error());
    if (f && pipeline_open(&r, f)) {
        for (uint32_t i = 0; i < f->narg; i++) in[i] = mesh_parse(NULL, f->mesh, f->type[1 + i]->rank, spec[i]);
        const ir_fn *const g = partitioned(a, f, in, &report), *const local = g ? spmd_localize(a, g) : NULL;
        CHECK(local || (!kinds && base_failed()->code == TT_EENGINE), "%s: %s", body, pipeline_error());
        if (!local && getenv("REFUSED")) printf("refused: %s on %s: %s\n", body, spec[0], pipeline_error());
        refused += !local;
        if (local) {
            lowered++;
            base_text has = { .arena = a }, said = { .arena = a };
            same(&r, body, local);
            base_appendf(&has, "%s", "");
            base_appendf(&said, "%s", "");
            collectives(&has, local);
            noted(&said, &report);
            if (kinds) CHECK(!strcmp(has.s, kinds), "%s: %s; expected %s", body, has.s, kinds);
            if (kinds) CHECK(!strcmp(said.s, kinds), "%s: explain has %s; expected %s", body, said.s, kinds);
        }
    }
    base_clear_error();
    base_close(a);
}
#define SPECS(...) (const char *const[]){ __VA_ARGS__ }

#define DOT "{lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], preferred_element_type=f32}"
#define ADD " (p f32, q f32) { s = add p, q; return s }"

static void moves(void)
{
    program("(a f32[8,16], b f32[16,4]) { r = dot_general a, b " DOT "; return r }", SPECS("x, _", "_, y"), "");
    program("(a f32[8,16], b f32[16,4]) { r = dot_general a, b " DOT "; return r }", SPECS("x, y", "y, _"), "psum");
    program("(a f32[8,16], b f32[16,4]) { c = dot_general a, b " DOT "; r = reshard c {sharding=[\"x, y\"]}; "
            "return r }", SPECS("x, y", "y, _"), "reduce_scatter");
    program("(a f32[8,16]) { r = reshard a {sharding=[\"_, x+y\"]}; return r }", SPECS("x+y, _"), "all_to_all");
    program("(a f32[8,16]) { r = reshard a {sharding=[\"x, _\"]}; return r }", SPECS("x+y, _"), "all_gather");
    program("(a f32[8,16]) { r = reshard a {sharding=[\"x, y\"]}; return r }", SPECS("x, _"), "");
    program("(a f32[8,16]) { r = reshard a {sharding=[\"y+x, _\"]}; return r }", SPECS("x+y, _"), "ppermute");
    program("(a f32[8,16]) { r = reduce a, 1 {dimensions=[0]}" ADD "; return r }", SPECS("x+y, _"), "psum");
    program("(a f32[8,16]) { r = reduce a, 0 {dimensions=[0,1]} (p f32, q f32) { s = max p, q; return s }; return r }",
            SPECS("x, y"), "psum");
}

/* Windows of all kinds, of parts by one axis and by two. */
static void windows(void)
{
    static const char *const spec[] = { "_, _", "x, _", "y, _", "x+y, _", "_, y", "x, y" };
    static const char *const body[] = {
        "(a f32[16,8]) { r = slice a {start_indices=[4,0], limit_indices=[12,8], strides=[1,1]}; return r }",
        "(a f32[16,8]) { r = slice a {start_indices=[1,0], limit_indices=[16,8], strides=[2,1]}; return r }",
        "(a f32[16,8]) { r = slice a {start_indices=[0,1], limit_indices=[16,5], strides=[1,1]}; return r }",
        "(a f32[16,8]) { r = pad a, 3 {edge_padding_low=[5,0], edge_padding_high=[3,0], interior_padding=[0,0]}; "
        "return r }",
        "(a f32[16,8]) { r = pad a, 3 {edge_padding_low=[1,0], edge_padding_high=[0,0], interior_padding=[1,0]}; "
        "return r }",
        "(a f32[16,8]) { r = reverse a {dimensions=[0,1]}; return r }",
        "(a f32[16,8]) { b = neg a; r = concatenate a, b, a, b {dimension=0}; return r }",
        "(a f32[16,8]) { b = slice a {start_indices=[0,0], limit_indices=[8,8], strides=[1,1]}; "
        "r = concatenate a, b {dimension=0}; return r }",
        "(a f32[16,8]) { r = reduce_window a, 0 {window_dimensions=[3,1], window_strides=[1,1], base_dilations=[1,1], "
        "window_dilations=[1,1], padding_low=[1,0], padding_high=[1,0]}" ADD "; return r }",
        "(a f32[16,8]) { r = reduce_window a, 1 {window_dimensions=[2,2], window_strides=[2,1], base_dilations=[1,1], "
        "window_dilations=[1,1], padding_low=[0,1], padding_high=[0,0]}" ADD "; return r }",
    };
    static const char pool[] =
        "(a f32[16,8], b f32[8,4]) { r = select_and_scatter a, b, 0 {window_dimensions=[2,2], window_strides=[2,2], "
        "base_dilations=[1,1], window_dilations=[1,1], padding_low=[0,0], padding_high=[0,0]} (p f32, q f32) { "
        "t = compare p, q {comparison_direction=ge}; return t } (p f32, q f32) { s = add p, q; return s }; return r }";
    for (int turned = 0; turned < 2; turned++) {         /* the kernel's rows in parts: sums of parts */
        char text[600];
        snprintf(text, sizeof text, "(a f32[4,1,150], b f32[64,1,128]) { r = convolution a, b {"
                 "input_batch_dimension=0, input_feature_dimension=1, input_spatial_dimensions=[2], "
                 "kernel_output_feature_dimension=0, "
                 "kernel_input_feature_dimension=1, kernel_spatial_dimensions=[2], output_batch_dimension=0, "
                 "output_feature_dimension=1, output_spatial_dimensions=[2], window_strides=[2], padding_low=[3], "
                 "padding_high=[2], lhs_dilation=[1], rhs_dilation=[1], window_reversal=[%d], feature_group_count=1, "
                 "batch_group_count=1, preferred_element_type=f32}; return r }", turned);
        program(text, SPECS("_, _, _", "_, _, y"), "psum");
        program(text, SPECS("x, _, _", "_, _, y"), "psum");
    }
    for (int pad = 0; pad < 3; pad++) {                  /* parts of a dilated x that begin between its elements */
        char text[600];
        snprintf(text, sizeof text, "(a f32[64,4,8], b f32[4,4,4]) { r = convolution a, b {input_batch_dimension=0, "
                 "input_feature_dimension=2, input_spatial_dimensions=[1], kernel_output_feature_dimension=0, "
                 "kernel_input_feature_dimension=2, kernel_spatial_dimensions=[1], output_batch_dimension=0, "
                 "output_feature_dimension=2, output_spatial_dimensions=[1], window_strides=[1], padding_low=[%d], "
                 "padding_high=[%d], lhs_dilation=[2], rhs_dilation=[1], window_reversal=[0], feature_group_count=2, "
                 "batch_group_count=1, preferred_element_type=f32}; q = reshard r {sharding=[\"x, y, _\"]}; "
                 "return q }",
                 pad, -pad);
        program(text, SPECS("x, y, _", "_, _, _"), NULL);
        program(text, SPECS("x, _, _", "_, _, _"), NULL);
    }
    for (size_t k = 0; k < 3; k++) program(pool, SPECS(spec[k], spec[k]), NULL);
    for (size_t i = 0; i < sizeof body / sizeof *body; i++)
        for (size_t k = 0; k < sizeof spec / sizeof *spec; k++) program(body[i], SPECS(spec[k]), NULL);
}

static void regions(void)
{
    program("(a f32[8,16], w f32[16,16]) { zero = const {dtype=i32, shape=[], splat=true, data=0}; "
            "i, r, v = while zero, a, w (i i32, r f32[8,16], v f32[16,16]) { "
            "n = const {dtype=i32, shape=[], splat=true, data=3}; "
            "t = compare i, n {comparison_direction=lt}; return t } (i i32, r f32[8,16], v f32[16,16]) { "
            "o = const {dtype=i32, shape=[], splat=true, data=1}; j = add i, o; q = dot_general r, v " DOT
            "; s = tanh q; return j, s, v }; return r }", SPECS("x, y", "y, _"), NULL);
    program("(a f32[8,16], k i32) { r = case k, a (a f32[8,16]) { s = reduce a, 0 {dimensions=[1]}" ADD "; return s } "
            "(a f32[8,16]) { s = reduce a, 1 {dimensions=[1]}" ADD "; return s }; return r }", SPECS("x, y", ""), NULL);
    program("(a f32[8,16]) { r = manual a {manual_axes=[x], in_shardings=[\"x, _\"], out_shardings=[\"_\"], "
            "unchecked=true} (a f32[4,16]) { s = psum a {axes=[x], unchecked=true}; "
            "t = reduce s, 0 {dimensions=[0]}" ADD "; return t }; return r }", SPECS("x, y"), NULL);
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    CHECK_RUN(moves());
    CHECK_RUN(windows());
    CHECK_RUN(regions());
    for (const op_prim *const *r = op_prims; *r; r++)
        for (const char *const *c = (*r)->cases; c && *c; c++)
            if (check_named((*r)->name)) one_case(*c);
    CHECK(argc > 1 || (lowered >= LOWERED && refused <= REFUSED), "%d local forms, %d refused; expected %d or more, %d",
          lowered, refused, LOWERED, REFUSED);
    printf("%d local forms, %d refused\n", lowered, refused);
    return check_done();
}
