/* Every case of every primitive, its operands laid out in every way that a small mesh offers: partitioned, planned and
 * run, the answer is ir_eval's. And the layouts and exchanges of a few programs, as text. */
#include "layouts.h"
#include "pass/pass.h"
#include "spmd/spmd.h"
#include "op/ops.h"

static const char *const meshes[] = { "x:2", "x:3", "x:2, y:4", "x:8" };

static bool whole_program(const ir_fn *f)
{
    for (uint32_t k = 0; k < f->neqn; k++)
        if (f->eqn[k].op->kernel == OP_EXCHANGE || f->eqn[k].op == &prim_to_varying) return false;
    return f->narg <= PIPELINE_MOST && f->nret <= PIPELINE_MOST && !f->mesh;
}

static void one_case(const char *text)
{
    base_arena *a = base_open();
    const ir_fn *f = ir_case(a, text);
    pipeline r = { .a = a };
    CHECK(f, "%s: %s", text, pipeline_error());
    if (f && whole_program(f) && pipeline_open(&r, f)) {
        pipeline_run(&r, text, NULL, NULL, 1e-5);
        for (size_t m = 0; m < sizeof meshes / sizeof *meshes; m++) {
            const mesh *mesh = mesh_of(NULL, meshes[m]);
            r.fn = pass_on_mesh(a, f, mesh);
            const mesh_layout *in[PIPELINE_MOST];
            for (int n = 0; n < 60 && layouts_of_arguments(f, mesh, n, in); n++) {
                const char *what = base_format(a, "%s on %s, layouts %d", text, meshes[m], n);
                pipeline_run(&r, what, in, &(driver_opts){ .once = true }, 1e-4);
            }
        }
    }
    base_clear_error();
    base_close(a);
}

/* ---- layouts, as text ---- */

/* Every equation's primitive and where its results are laid out, then the notes. Regions are indented. */
static void put_layouts(base_text *t, const ir_fn *f, int depth)
{
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *e = &f->eqn[k];
        base_appendf(t, "%*s%s", 2 * depth, "", e->op->name);
        for (uint32_t j = 0; j < e->nout; j++) base_appendf(t, "%s %s", j ? ";" : "", mesh_print(t->arena,
            f->layout[e->out + j]));
        base_appendf(t, "\n");
        for (uint32_t i = 0; i < e->nsub; i++) if (e->sub[i]->layout) put_layouts(t, e->sub[i], depth + 1);
    }
}

static void test(const char *body, const char *const *spec, const char *const *wanted, bool reproducible,
                 const char *want)
{
    base_arena *a = base_open();
    ir_fn *f = ir_parse(a, "t", base_format(a, "mesh \"x:2, y:4\"\nfn f%s", body));
    CHECK(f, "%s", pipeline_error());
    if (f) {
        const mesh_layout *out[PIPELINE_MOST] = { 0 };
        spmd_report report;
        base_text t = { .arena = a };
        f->layout = BASE_NEW(a, const mesh_layout *, f->nvalue + 1);
        for (uint32_t i = 0; i < f->narg; i++) if (spec[i]) f->layout[1 + i] = mesh_parse(NULL, f->mesh,
            f->type[1 + i]->rank, spec[i]);
        for (uint32_t j = 0; wanted && j < f->nret; j++)
            if (wanted[j]) out[j] = mesh_parse(NULL, f->mesh, f->type[f->ret[j]]->rank, wanted[j]);
        const ir_fn *g = spmd_partition(a, f, wanted ? out : NULL, &(spmd_opts){ .reproducible = reproducible },
                                        &report);
        CHECK(g && ir_verify(g), "%s", pipeline_error());
        if (g) put_layouts(&t, g, 0);
        for (int i = 0; g && i < report.n; i++) {
            const spmd_note *n = &report.note[i];
            base_appendf(&t, "%s for %s: %s -> %s, %lld of %lld bytes over %s\n", spmd_kind_name[n->kind], n->why,
                         mesh_print(a, n->from), mesh_print(a, n->to), (long long)n->moved, (long long)n->bytes,
                         mesh_set_text(a, f->mesh, n->over));
        }
        CHECK(t.s && !strcmp(t.s, want), "%s\n%s", body, t.s);
    }
    base_clear_error();
    base_close(a);
}

#define L (const char *const[PIPELINE_MOST])
#define DOT(y, x, w) y " = dot_general " x ", " w " {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], " \
                                                  "preferred_element_type=f32}\n"

static void layouts(void)
{
    /* columns, then rows: one sum at the end (Megatron) */
    test("(x f32[8,6], v f32[6,12], w f32[12,6]) {\n" DOT("h", "x", "v") "t = tanh h\n" DOT("y", "t", "w")
         "return y\n}",
         L{ "x, _", "_, y", "y, _" }, NULL, false,
         "dot_general x, y\ntanh x, y\ndot_general x, _ +sum(y)\nreshard x, _\n"
         "all-reduce for result 0: x, _ +sum(y) -> x, _, 144 of 192 bytes over y\n");
    test("(x f32[8,6], v f32[6,12], w f32[12,6]) {\n" DOT("h", "x", "v") "t = tanh h\n" DOT("y", "t", "w")
         "return y\n}",
         L{ "x, _", "_, y", "y, _" }, NULL, true,
         "dot_general x, y\ntanh x, y\nreshard x, _\nreshard _, _\ndot_general x, _\n"
         "all-gather for operand 0 of dot_general: x, y -> x, _, 144 of 384 bytes over y\n"
         "all-gather for operand 1 of dot_general: y, _ -> _, _, 216 of 288 bytes over y\n");
    /* both want x on their dim: the larger operand keeps it; a result nobody laid out has parts of one size */
    test("(a f32[8,6], b f32[8,6], c f32[6]) {\nd = add a, b\ne = broadcast_in_dim c {shape=[8,6], "
         "broadcast_dimensions=[1]}\n"
         "f = mul d, e\nreturn f\n}", L{ "x, y", "_, x", NULL }, NULL, false,
         "reshard x, y\nadd x, y\nbroadcast_in_dim x, _\nmul x, y\nreshard x, _\n"
         "all-to-all for operand 1 of add: _, x -> x, y, 32 of 192 bytes over x\n"
         "all-gather for result 0: x, y -> x, _, 80 of 192 bytes over y\n");
    /* an iota is made where it is wanted; results are laid out as asked */
    test("(a f32[8,6]) {\ni = iota {dtype=f32, shape=[8,6], iota_dimension=0}\nb = reduce a, 0 {dimensions=[1]} add\n"
         "return i, b\n}",
         L{ "x, y" }, L{ "_, x", "y" }, false,
         "const \nreduce x +sum(y)\niota _, x\nreshard y\n"
         "mixed for result 1: x +sum(y) -> y, 20 of 32 bytes over x+y\n");
    /* a dim of two factors: the major one takes what divides it */
    test("(a f32[8,6]) {\nb = reshape a {shape=[48]}\nc = reshape b {shape=[2,4,6]}\nreturn c\n}", L{ "x+y, _" }, NULL,
         false,
         "reshape x+y\nreshape x, y, _\n");
    /* wishes: open dims keep what they came with; what is asked of a result that is summed */
    test("(a f32[8,6]) {\nb = constrain a {sharding=[\"_, ?\"]}\nc = constrain b {sharding=[\"x, _\"]}\nreturn c\n}",
         L{ "x, y" },
         NULL, false,
         "reshard _, y\nreshard x, _\nall-gather for laid out as required: x, y -> _, y, 32 of 192 bytes over x\n"
         "all-gather for laid out as required: _, y -> x, _, 80 of 192 bytes over y\n");
    /* carries: one layout at all ends, by propagation; a transposed one moves in every round */
    test("(a f32[8,6], b f32[8,6], c f32[6,6], n i32[]) {\n"
         "p, q, r, m = while a, b, c, n (a f32[8,6], b f32[8,6], c f32[6,6], n i32[]) { t = compare n, "
         "3 {comparison_direction=lt}; return t } "
         "(a f32[8,6], b f32[8,6], c f32[6,6], n i32[]) { d = tanh a; e = add a, b; "
         "g = transpose c {permutation=[1,0]}; m = add n, 1; "
         "return d, e, g, m }\nreturn p, q, r\n}", L{ "x, _", NULL, "y, _", NULL }, NULL, false,
         "while x, _; x, _; y, _; \n  const \n  compare \n  tanh x, _\n"
         "  add x, _\n  reshard _, y\n  transpose y, _\n  const \n  add \n"
         "all-to-all for operand 0 of transpose: y, _ -> _, y, 40 of 144 bytes over y\n");
    /* branches are laid out alike */
    test("(i i32[], a f32[6,6], b f32[6,6]) {\ny, z = case i, a, b (a f32[6,6], b f32[6,6]) { c = neg a; return c, a } "
         "(a f32[6,6], b f32[6,6]) { c = neg b; return c, a }\nreturn y, z\n}", L{ NULL, "x, _", "_, y" }, NULL, false,
         "case x, y; x, _\n  neg x, y\n  neg x, y\n");
    /* a region demands and gives */
    test("(a f32[8,6]) {\ny = manual a {manual_axes=[y], in_shardings=[\"y, _\"], out_shardings=[\"_, _\"], "
         "unchecked=true} (a f32[2,6]) "
         "{ s = psum a {axes=[y], unchecked=true}; return s }\nreturn y\n}", L{ "x, _" }, NULL, false,
         "reshard y, _\nmanual _, _\n  psum _, _\n"
         "permute for operand 0 of a manual region: x, _ -> y, _, 48 of 192 bytes over x\n"
         "all-reduce for psum: _, _ +sum(y) -> _, _, 72 of 48 bytes over y\n");
}

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "[NAME]")) return check_done();
    base_switches(NULL, "no-lapack");                    /* the evaluator's own: eigenvalues come in their order */
    size_t n = 0;
    for (const op_prim *const *r = op_prims; *r; r++)
        for (const char *const *c = (*r)->cases; c && *c; c++)
            if (argc < 2 ? check_turn(n++) : !strcmp(argv[1], (*r)->name)) one_case(*c);
    if (argc < 2) layouts();
    driver_forget();
    return check_done();
}
