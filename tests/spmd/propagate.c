/* Propagation of layouts: published cases of Shardy (by their names), what XLA answers, and our own for loops, cases,
 * manual regions, priorities, boundaries, origins and symmetries.
 *
 * A case is a function with layouts behind its types ('?' leaves a dim open, '!1' is a priority); what is expected are
 * the layouts of all values in order, and behind "->" those of the results. */
#include "check.h"
#include "pass/pass.h"
#include "spmd/inner.h"

enum { MOST = 8 };

typedef struct { const char *id, *mesh, *body, *out, *want; } published;

static const char *error(void) { return base_failed() ? base_failed()->what : ""; }

static void put_values(base_text *t, const ir_fn *f)
{
    for (ir_id i = 1; i <= f->nvalue; i++) base_appendf(t, "%s%s", i > 1 ? " | " : "",
        mesh_print(t->arena, f->layout[i]));
    for (uint32_t k = 0; k < f->neqn; k++)
        for (uint32_t i = 0; f->eqn[k].op->edges && i < f->eqn[k].nsub; i++) {
            base_appendf(t, " { ");
            put_values(t, f->eqn[k].sub[i]);
            base_appendf(t, " }");
        }
}

/* out: specs of the wanted results, separated by ';'; an empty one is none. */
static ir_fn *propagated(base_arena *a, spmd_state *s, const char *mesh, const char *body, const char *out)
{
    const mesh_layout *wanted[MOST] = { 0 };
    ir_fn *f = ir_parse(a, "t", base_format(a, "mesh \"%s\"\nfn f%s", mesh, body));
    if (!f) return NULL;
    s->a = a;
    s->mesh = f->mesh;
    for (uint32_t i = 0; out && *out && i < MOST; i++) {
        const size_t n = strcspn(out, ";");
        if (n) wanted[i] = mesh_parse("t", f->mesh, f->type[f->ret[i]]->rank, base_format(a, "%.*s", (int)n, out));
        out += n + (out[n] == ';');
    }
    ir_fn *g = spmd_prepare(s, f);
    if (!g || !spmd_propagate(s, g, wanted) || !ir_verify(g)) return NULL;
    return g;
}

static const char *spread(base_arena *a, const char *mesh, const char *body, const char *out, bool at_once)
{
    spmd_state s = { .at_once = at_once };
    base_text t = { .arena = a };
    ir_fn *f = propagated(a, &s, mesh, body, out);
    if (!f) return error();
    put_values(&t, f);
    for (uint32_t i = 0; i < f->nret; i++) base_appendf(&t, "%s%s", i ? " | " : " -> ", mesh_print(a, s.result[i]));
    return t.s;
}

static void test(const char *id, const char *mesh, const char *body, const char *out, const char *want)
{
    base_arena *a = base_open();
    const char *got = spread(a, mesh, body, out, false);
    CHECK(!strcmp(got, want), "%s\n  got  %s\n  want %s", id, got, want);
    base_clear_error();
    base_close(a);
}

/* ---- published ---- */

#include "propagate.inc"

static void all_published(const published *c, size_t n, bool at_once)
{
    for (size_t i = 0; i < n; i++, c++) {
        base_arena *a = base_open();
        const char *got = spread(a, c->mesh, c->body, c->out, at_once);
        CHECK(!strcmp(got, c->want), "%s\n  got  %s\n  want %s", c->id, got, c->want);
        base_clear_error();
        base_close(a);
    }
}

/* ---- as XLA gives results (jax 0.10.2) where a batch and weights are on one axis ---- */

#define W4 "f32[4,16,16]"
#define UNTIL "{ n = const {dtype=i32, data=4}; c = compare k, n {comparison_direction=lt}; return c }"

static void batches(void)
{
    test("a batch keeps its axis", "x:8", "(x f32[8,16] @\"x, _\", v f32[16,32] @\"x, _\", w f32[32,8] @\"_, x\") "
         "{ p = " DOT(x, v) "; q = tanh p; r = " DOT(q, w) "; return r }", "",
         "x, _ | x, _ | _, x | x, _ | x, _ | x, _ -> x, _");
    test("what a body returns reaches its carry", "x:8", "(x f32[8,16] @\"_, _\", w " W4 " @\"_, _, x\") "
         "{ z = const {dtype=i32, data=0}; i, y, q = while z, x, w (k i32, v f32[8,16], w " W4 ") " UNTIL
         " (k i32, v f32[8,16], w " W4 ") { o = const {dtype=i32, data=0}; "
         "d = dynamic_slice w, k, o, o {slice_sizes=[1,16,16]}; r = reshape d {shape=[16,16]}; p = " DOT(v, r)
         "; t = tanh p; j = const {dtype=i32, data=1}; m = add k, j; return m, t, w }; return y }", "",
         "_, _ | _, _, x |  |  | _, x | _, _, x {  | _, x | _, _, x |  |  } "
         "{  | _, x | _, _, x |  | _, _, x | _, x | _, x | _, x |  |  } -> _, x");
    test("what a loop only hands on speaks before its carries", "d:2, m:4",
         "(x f32[8,16] @\"d, m\", c f32[8,16] @\"m, d\", w f32[16,16]) { z = const {dtype=i32, data=0}; "
         "i, y, u, q = while z, x, c, w (k i32, v f32[8,16], u f32[8,16], w f32[16,16]) " UNTIL
         " (k i32, v f32[8,16], u f32[8,16], w f32[16,16]) { p = " DOT(v, w) "; s = sin p; t = add s, u; "
         "j = const {dtype=i32, data=1}; m = add k, j; return m, t, u, w }; return y }", "",
         "d, m | m, d | _, d |  |  | m, _ | m, d | _, d {  | m, _ | m, d | _, d |  |  } "
         "{  | m, _ | m, d | _, d | m, d | m, d | m, d |  |  } -> m, _");
    test("a case's parameters are its operands", "x:8", "(i i32, x f32[8,16] @\"_, _\", w f32[16,16] @\"x, _\") "
         "{ y = case i, x, w (v f32[8,16], w f32[16,16]) { n = neg v; return n } "
         "(v f32[8,16], w f32[16,16]) { p = " DOT(v, w) "; return p }; return y }", "",
         " | _, _ | x, _ | _, _ { _, _ | x, _ | _, _ } { _, _ | x, _ | _, _ } -> _, _");
    test("a broadcast along dims of one is a reshape", "d:2", "(x f32[8,16] @\"d, _\") "
         "{ y = broadcast_in_dim x {shape=[1,8,16], broadcast_dimensions=[1,2]}; z = neg y; return z }", "",
         "d, _ | _, d, _ | _, d, _ -> _, d, _");
}

/* ---- ours: regions ---- */

#define FEWER "(k i32, v f32[8,4]) { n = const {dtype=i32, data=9}; c = compare k, n {comparison_direction=lt}; " \
              "return c } "
#define MORE(y) "(k i32, v f32[8,4]) { o = const {dtype=i32, data=1}; n = add k, o; " y "; return n, y }"

static void loops(void)
{
    test("a carry has one layout", AB, "(x f32[8,4] @\"a, _\") { z = const {dtype=i32, data=0}; "
         "k, y = while z, x " FEWER MORE("y = sin v") "; r = neg y; return r }", "",
         "a, _ |  |  | a, _ | a, _ {  | a, _ |  |  } {  | a, _ |  |  | a, _ } -> a, _");
    test("from a result through a loop", AB, "(x f32[8,4]) { z = const {dtype=i32, data=0}; "
         "k, y = while z, x " FEWER MORE("y = sin v") "; return y }", "_, b",
         "_, b |  |  | _, b {  | _, b |  |  } {  | _, b |  |  | _, b } -> _, b");
    test("from a constraint inside a loop", AB, "(x f32[8,4]) { z = const {dtype=i32, data=0}; "
         "k, y = while z, x " FEWER MORE("s = constrain v {sharding=[\"?, a\"]}; y = sin s") "; return y }", "",
         "_, a |  |  | _, a {  | _, a |  |  } {  | _, a |  |  | _, a | _, a } -> _, a");
    test("what a body reads unchanged", AB, "(x f32[8,4], w f32[8,4] @\"b, _\") { z = const {dtype=i32, data=0}; "
         "k, y, u = while z, x, w (k i32, v f32[8,4], u f32[8,4]) { n = const {dtype=i32, data=9}; "
         "c = compare k, n {comparison_direction=lt}; return c } (k i32, v f32[8,4], u f32[8,4]) { o = const "
         "{dtype=i32, data=1}; "
         "n = add k, o; y = add v, u; return n, y, u }; return y }", "",
         "b, _ | b, _ |  |  | b, _ | b, _ {  | b, _ | b, _ |  |  } {  | b, _ | b, _ |  |  | b, _ } -> b, _");
    test("a scan's slices are one dim less", AB, "(c f32[4], x f32[6,4] @\"_, a\") { d, y = scan c, x {length=6, "
                                                 "num_consts=0, num_carry=1} "
         "(c f32[4], x f32[4]) { d = add c, x; y = mul d, x; return d, y }; return d, y }", "",
         "a | _, a | a | _, a { a | a | a | a } -> a | _, a");
    test("from a scan's stacked results", AB, "(c f32[4], x f32[6,4]) { d, y = scan c, x {length=6, num_consts=0, "
                                              "num_carry=1} "
         "(c f32[4], x f32[4]) { d = add c, x; y = mul d, x; return d, y }; return d, y }", ";_, b",
         "b | _, b | b | _, b { b | b | b | b } -> b | _, b");
    test("a case's operands and results", AB, "(i i32, x f32[8,4] @\"a, _\", w f32[8,4]) { y = case i, x, w "
         "(x f32[8,4], w f32[8,4]) { y = sin x; return y } (x f32[8,4], w f32[8,4]) { y = add x, w; return y }; "
         "return y }", "",
         " | a, _ | a, _ | a, _ { a, _ | a, _ | a, _ } { a, _ | a, _ | a, _ } -> a, _");
    test("one branch's constraint speaks for the others", AB, "(i i32, x f32[8,4]) { y = case i, x "
         "(x f32[8,4]) { y = constrain x {sharding=[\"?, b\"]}; return y } (x f32[8,4]) { y = neg x; return y }; "
         "return y }",
             "",
         " | _, b | _, b { _, b | _, b } { _, b | _, b } -> _, b");
    test("a barrier ties both ways", AB, "(x f32[8,4] @\"a?, ?\", w f32[8,4]) { s = add x, x; p, q = barrier s, w; "
         "return p, q }", "?, b?", "a, b | _, _ | a, b | a, b | _, _ -> a, b | _, _");
    test("a propagation barrier, one way", AB, "(x f32[8,4] @\"a?, ?\", w f32[4,4]) { s = " DOT(x, w) "; p = "
         BAR(s, forward) "; t = neg p; return t }", "?, b?", "a, _ | _, _ | a, _ | a, b | a, b -> a, b");
    test("and none at all, in a loop", AB, "(x f32[8,4] @\"a, _\") { z = const {dtype=i32, data=0}; "
         "k, y = while z, x " FEWER MORE("s = neg v; t = " BAR(s, none) "; c = constrain t {sharding=[\"?, b\"]}; "
                                         "y = sin v")
         "; return y }", "",
         "a, _ |  |  | a, _ {  | a, _ |  |  } {  | a, _ |  |  | a, _ | _, b | _, b | a, _ } -> a, _");
    test("a call is walked through, each time anew", AB, "(x f32[8,4] @\"a, _\", w f32[8,4] @\"_, b\") { "
         "y = call x (x f32[8,4]) { y = sin x; return y }; z = call w (x f32[8,4]) { y = sin x; return y }; "
         "return y, z }", "",
         "a, _ | _, b | a, _ | _, b -> a, _ | _, b");
}

static void manual(void)
{
    test("atoms that stay automatic go through a manual region", AB, "(x f32[8,4] @\"a+b, _\") { "
         "y = manual x {manual_axes=[a], in_shardings=[\"a, _\"], out_shardings=[\"a, _\"], "
         "unchecked=true} (x f32[4,4]) { y = sin x; "
         "return y }; return y }",
         "", "a+b, _ | a+b, _ { b, _ | b, _ } -> a+b, _");
    test("and back, out of a result", AB, "(x f32[8,4]) { "
         "y = manual x {manual_axes=[a], in_shardings=[\"a, _\"], out_shardings=[\"a, _\"], "
         "unchecked=true} (x f32[4,4]) { y = sin x; "
         "return y }; return y }",
         "a, b", "a, b | a, b { _, b | _, b } -> a, b");
    test("the atoms of a manual region stay out of it", AB, "(x f32[8,4]) { "
         "y = manual x {manual_axes=[a], in_shardings=[\"_, _\"], out_shardings=[\"_, _\"], "
         "unchecked=true} (x f32[8,4]) { "
         "c = constrain x {sharding=[\"?, b\"]}; y = sin c; return y }; z = neg y; return z }", "a?, ?",
         "_, b | _, b | a, b { _, b | _, b | _, b } -> a, b");
    test("a region over the whole mesh says how its operands are laid out", AB,
        "(x f32[8,4], w f32[8,4]) { p = add x, w; "
         "y = manual p {manual_axes=[a,b], in_shardings=[\"a, b\"], out_shardings=[\"a, b\"], "
         "unchecked=true} (x f32[4,2]) { y = sin x; "
         "return y }; return y }", "", "a, b | a, b | a, b | a, b { _, _ | _, _ } -> a, b");
    test("an axis of size 1 that is manual is on a dim once", "x:2, w:1", "(x f32[8,4] @\"_, w?\") { "
         "y = manual x {manual_axes=[w], in_shardings=[\"_, w\"], out_shardings=[\"_, w\"], unchecked=true} "
         "(x f32[8,4]) { y = sin x; return y }; return y }", "x, w?", "_, w | x, w { x, _ | x, _ } -> x, w");
    test("a psum's operand and result are laid out alike", AB, "(x f32[8,4] @\"a, b\") { "
         "y = manual x {manual_axes=[a], in_shardings=[\"a, _\"], out_shardings=[\"_, _\"], "
         "unchecked=true} (x f32[4,4]) { "
         "y = psum x {axes=[a], unchecked=true}; return y }; return y }", "", "a, b | _, b { _, b | _, b } -> _, b");
}

/* ---- ours: facts, boundaries ---- */

static void boundaries(void)
{
    test("nothing known", AB, "(x f32[8,4], w f32[4,4]) { y = " DOT(x, w) "; return y }", "",
         "_, _ | _, _ | _, _ -> _, _");
    test("a closed constraint is put on what it constrains", AB, "(x f32[8,4] @\"a, _\", w f32[4,4]) { y = " DOT(x, w)
         "; z = constrain y {sharding=[\"_, b\"]}; return z }", "", "a, _ | _, b | _, b | _, b -> _, b");
    test("but not where constraints differ", AB, "(x f32[8,4] @\"a, _\", w f32[4,4]) { y = " DOT(x, w)
         "; z = constrain y {sharding=[\"_, b\"]}; u = constrain y {sharding=[\"b, _\"]}; return z, u }", "",
         "a, _ | _, b | a, b | _, b | b, _ -> _, b | b, _");
    test("a reshard parts what is before and behind it", AB, "(x f32[8,4] @\"a, _\") { y = sin x; "
         "z = reshard y {sharding=[\"_, b\"]}; u = cos z; return u }", "", "a, _ | a, _ | _, b | _, b -> _, b");
    test("but for open dims", AB, "(x f32[8,4] @\"a, _\") { y = sin x; z = reshard y {sharding=[\"?, b\"]}; u = cos z; "
                                  "return u }", "",
         "a, _ | a, _ | a, b | a, b -> a, b");
    test("uneven is fine, empty parts are not wanted at the boundary", ABC,
         "(x f32[6], w f32[6] @\"a+b+c\") { y = mul x, w; "
         "z = neg y; return z }", "", "a+b | a+b+c | a+b+c | a+b+c -> a+b");
    test("uneven where the user says so", AB, "(x f32[5] @\"a\") { y = neg x; return y }", "a", "a | a -> a");
    test("what is given and returned", AB, "(x f32[5] @\"a\") { y = neg x; return x, y }", "", "a | a -> a | a");
    test("an open dim of a wish takes what came", AB, "(x f32[8,4] @\"a, b\") { y = neg x; return y }", "a, ?",
         "a, b | a, b -> a, b");
    test("a wish that differs does not reach back over what is given", AB, "(x f32[8] @\"a\") { return x }", "b",
         "a -> b");
    test("atoms of size 1 cut nothing, and keep their names", "i:1, a:2", "(x f32[8,4] @\"i+a, _\") { y = neg x; "
         "z = constrain y {sharding=[\"?, i\"]}; return z }", "", "i+a, _ | a, _ | a, i -> a, _");
    test("constants are made for each use", AB, "(x f32[8] @\"a\", w f32[8] @\"b\") { o = const {dtype=f32, shape=[8], "
                                                "splat=true, data=1}; "
         "y = add x, o; z = add w, o; return y, z }", "", "a | b | a | a | b | b -> a | b");
    test("and shared where they are alike", AB, "(x f32[8] @\"a\", w f32[8] @\"a\") { "
         "o = const {dtype=f32, shape=[8], splat=true, data=1}; y = add x, o; z = add w, o; return y, z }", "",
         "a | a | a | a | a -> a | a");
    test("a mask is a constant expression", AB, "(x f32[4,4] @\"a, _\", w f32[4,4] @\"_, a\") { i = iota {dtype=i32, "
                                                "shape=[4,4]}; "
         "j = iota {dtype=i32, shape=[4,4], iota_dimension=1}; m = compare i, j {comparison_direction=ge}; "
         "y = select m, x, x; "
         "z = select m, w, w; return y, z }", "",
         "a, _ | _, a | a, _ | a, _ | a, _ | a, _ | _, a | _, a | _, a | _, a -> a, _ | _, a");
    test("a gradient is laid out as its parameter, in Adam too", "d:2, m:2",
        "(x f32[8,4] @\"d, _\", w f32[4,6] @\"_, m\", "
         "u f32[4,6], "
         "t f32[8,6]) { y = " DOT(x, w) "; e = sub y, t; g = dot_general x, e {lhs_contracting_dimensions=[0], "
                                        "rhs_contracting_dimensions=[0], "
         "preferred_element_type=f32}; v = add u, g; n = sub w, v; return n, v }", "",
         "d, _ | _, m | _, m | d, m | d, m | d, m | _, m | _, m | _, m -> _, m | _, m");
}

/* ---- ours: origins ---- */

static void comes(const char *mesh, const char *body, const char *out, ir_id id, int atom, const char *how)
{
    base_arena *a = base_open();
    spmd_state s = { 0 };
    ir_fn *f = propagated(a, &s, mesh, body, out);
    CHECK(f, "%s", error());
    const spmd_origin o = f ? spmd_origin_of(&s, f, id, atom) : (spmd_origin){ 0 };
    CHECK(how ? o.cause && !strcmp(o.cause, how) : !o.cause, "v%u, atom %d of %s: %s", id, atom, body, o.cause ? o.cause
          : "(none)");
    base_clear_error();
    base_close(a);
}

static void origins(void)
{
    const char *mlp = "(x f32[8,4] @\"a, _\", w f32[4,6], u f32[6,4]) { y = " DOT(x, w)
        "; z = tanh y; c = constrain z {sharding=[\"?, b\"]}; "
                      "r = " DOT(c, u) "; return r }";
    comes(AB, mlp, "", 1, 0, "argument 0");
    comes(AB, mlp, "", 4, 0, "argument 0");
    comes(AB, mlp, "", 7, 0, "argument 0");
    comes(AB, mlp, "", 4, 1, "constrain");
    comes(AB, mlp, "", 2, 1, "constrain");
    comes(AB, mlp, "", 3, 1, "constrain");
    comes(AB, mlp, "", 7, 1, NULL);
    comes(AB, mlp, "?, b", 7, 1, "result 0");
    comes(AB, "(x f32[8,4]) { y = manual x {manual_axes=[a], in_shardings=[\"a, _\"], out_shardings=[\"_, a\"], "
              "unchecked=true} (x f32[4,4]) { z "
              "= reshape x "
          "{shape=[8,2]}; return z }; r = neg y; return r }", "", 1, 0, "manual");
    comes(AB, "(x f32[8,4]) { y = manual x {manual_axes=[a], in_shardings=[\"a, _\"], out_shardings=[\"_, a\"], "
              "unchecked=true} (x f32[4,4]) { z "
              "= reshape x "
          "{shape=[8,2]}; return z }; r = neg y; return r }", "", 3, 0, "manual");
}

/* ---- ours: symmetries, over every primitive ---- */

static uint64_t seed = 1;
static uint32_t draw(uint32_t n) { return (uint32_t)((seed =
                                                      seed * 6364136223846793005u + 1442695040888963407u) >> 33) % n; }

/* A random layout: each axis on a dim, or on none; dims open or closed, of priority 0 or 1. Axes are those of `like`,
 * by place. */
static const char *random_spec(base_arena *a, const mesh *m, int rank)
{
    base_text t = { .arena = a };
    int at[16];
    for (int i = 0; i < m->naxis; i++) at[i] = (int)draw((uint32_t)rank + 2) - 2;
    for (int d = 0; d < rank; d++) {
        int n = 0;
        if (d) base_appendf(&t, ", ");
        for (int i = 0; i < m->naxis; i++) if (at[i] == d) base_appendf(&t, "%s$%d", n++ ? "+" : "", i);
        const bool open = draw(2);
        base_appendf(&t, "%s", open ? "?" : n ? "" : "_");
        if (n && !draw(4)) base_appendf(&t, "!1");
    }
    return t.s ? t.s : "";
}

static const char *with_names(base_arena *a, const char *spec, const char *const *name)  /* "$1" becomes name[1] */
{
    base_text t = { .arena = a };
    base_appendf(&t, "%s", "");
    for (; *spec; spec++)
        if (*spec == '$') base_appendf(&t, "%s", name[*++spec - '0']);
        else base_appendf(&t, "%c", *spec);
    return t.s;
}

static const char *drawn(base_arena *a, const ir_fn *one, const char *mesh, const char *const *name,
                         const char *const *spec)
{
    spmd_state s = { .a = a };
    base_text t = { .arena = a };
    ir_fn *f = pass_on_mesh(a, one, mesh_of("t", mesh));
    if (!f) return error();
    f->layout = BASE_NEW(a, const mesh_layout *, f->nvalue + 1);
    for (uint32_t i = 1; i <= f->narg; i++)
        if (!(f->layout[i] = mesh_parse("t", f->mesh, f->type[i]->rank, with_names(a, spec[i], name)))) return error();
    s.mesh = f->mesh;
    const mesh_layout **given = BASE_COPY(a, f->layout, f->narg + 1);
    if (!(f = spmd_prepare(&s, f)) || !spmd_propagate(&s, f, NULL) || !ir_verify(f)) return error();
    for (uint32_t i = 1; i <= f->nvalue; i++) {
        const mesh_layout *l = f->layout[i];
        mesh_set used = 0;
        for (int d = 0; d < l->rank; d++) {
            CHECK(!(used & mesh_list_set(l->dim[d].atoms)), "an atom twice: %s", mesh_print(a, l));
            used |= mesh_list_set(l->dim[d].atoms);
            if (i > f->narg) continue;
            const mesh_dim *g = &given[i]->dim[d];
            CHECK(g->open || g->atoms == l->dim[d].atoms, "a closed dim grew: %s", mesh_print(a, l));
            CHECK(spmd_is_prefix(g->atoms, l->dim[d].atoms), "a given dim changed: %s", mesh_print(a, l));
        }
    }
    put_values(&t, f);
    for (uint32_t i = 0; i < f->nret; i++) base_appendf(&t, " -> %s", mesh_print(a, s.result[i]));
    return t.s;
}

static void replace(char *s, const char *const *from, const char *const *to)     /* names of one letter */
{
    for (; *s; s++)
        for (int i = 0; i < 3; i++)
            if (*s == *from[i]) {
                *s = *to[i];
                break;
            }
}

static void symmetric(const char *text)
{
    static const char *const abc[] = { "x", "y", "z" }, *const other[] = { "Q", "R", "S" };
    base_arena *a = base_open();
    const ir_fn *one = ir_case(a, text);
    const mesh *m = mesh_of("t", "x:2, y:4, z:3");
    CHECK(one, "%s: %s", text, error());
    for (int n = 0; one && !one->mesh && n < 20; n++) {
        const char **spec = BASE_NEW(a, const char *, one->narg + 1);
        for (uint32_t i = 1; i <= one->narg; i++) spec[i] = random_spec(a, m, one->type[i]->rank);
        const char *first = drawn(a, one, "x:2, y:4, z:3", abc, spec);
        CHECK(!base_failed(), "%s: %s", text, error());
        CHECK(!strcmp(first, drawn(a, one, "x:2, y:4, z:3", abc, spec)), "%s: not the same twice", text);
        CHECK(!strcmp(first, drawn(a, one, "x:2, y:4, z:3, idle:2", abc, spec)), "%s: an idle axis changes %s", text,
              first);
        CHECK(!strcmp(first, drawn(a, one, "idle:2, x:2, y:4, z:3, one:1", abc, spec)), "%s: idle axes change %s",
              text, first);
        char *renamed = base_copy(a, first, strlen(first) + 1);
        replace(renamed, abc, other);
        const char *again = drawn(a, one, "Q:2, R:4, S:3", other, spec);
        CHECK(!strcmp(renamed, again), "%s: names matter\n  %s\n  %s", text, renamed, again);
    }
    base_clear_error();
    base_close(a);
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    CHECK_RUN(all_published(cases, sizeof cases / sizeof *cases, true));
    CHECK_RUN(all_published(staged, sizeof staged / sizeof *staged, false));
    CHECK_RUN(batches());
    CHECK_RUN(loops());
    CHECK_RUN(manual());
    CHECK_RUN(boundaries());
    CHECK_RUN(origins());
    if (check_named("symmetric"))
        for (size_t i = 0; op_prims[i]; i++)
            for (const char *const *c = op_prims[i]->cases; *c; c++) symmetric(*c);
    return check_done();
}
