/* What devices of one process compute of one thing is computed once (plan/lower/merge_instances.c, plan/lower/sums.c):
 * sums over devices of products, in manual regions and where the partitioner left them partial, through sums,
 * divisions, casts and turns; a reduce_scatter; gathers that are views; products by one weight. Each against ir_eval,
 * to the bit: sums of these numbers are exact in any order. And near misses, which stay what they were. */
#include "api/pipeline.h"
#include "plan/plan.h"

/* has: a piece of the plan's text, or NULL. never: what must not be in it. */
typedef struct { const char *name, *text, *spec[3], *has, *never; bool reproducible; } sample;

static void run(const sample *s)
{
    base_arena *a = base_open();
    const ir_fn *f = ir_parse(a, "t", s->text);
    const mesh_layout *in[PIPELINE_MOST] = { 0 };
    for (uint32_t i = 0; f && i < f->narg && i < 3; i++)
        in[i] = s->spec[i] ? mesh_parse(NULL, f->mesh, f->type[1 + i]->rank, s->spec[i]) : NULL;
    const run_plan *r = f ? pipeline_plan(a, f, in, s->reproducible) : NULL;
    CHECK(r, "%s: %s", s->name, pipeline_error());
    const char *text = r ? run_plan_text(a, r) : "";
    CHECK(!s->has || strstr(text, s->has), "%s: no \"%s\" in\n%s", s->name, s->has, text);
    CHECK(!s->never || !strstr(text, s->never), "%s: \"%s\" in\n%s", s->name, s->never, text);
    pipeline e = { .a = a };
    CHECK(r && pipeline_open(&e, f), "%s: %s", s->name, pipeline_error());
    const driver_opts o = { .flags = s->reproducible ? DRIVER_REPRODUCIBLE : 0 };
    if (r) pipeline_run(&e, s->name, in, &o, 0);
    base_clear_error();
    base_close(a);
}

/* x, y: rows of devices; the region's body. */
#define ON(mesh, x, y, in, out, px, py, body) \
    "mesh \"" mesh "\"\nfn f(x f32" x ", y f32" y ") {\nz = manual x, y {manual_axes=[" in ", out_shardings=[" out     \
    "], "                                                                                                              \
      "unchecked=true} " \
    "(x f32" px ", y f32" py ") {\n" body "}\nreturn z\n}"
#define ROWS(out, body) ON("i:4", "[24,64]", "[24,80]", "i], in_shardings=[\"i, _\", \"i, _\"]", out, "[6,64]", \
                           "[6,80]", body)
#define THIN(out, body) ON("i:4", "[24,64]", "[24,6]", "i], in_shardings=[\"i, _\", \"i, _\"]", out, "[6,64]", \
                           "[6,6]", body)
#define WEIGHT(out, body) ON("i:4", "[24,64]", "[64,80]", "i], in_shardings=[\"i, _\", \"_, _\"]", out, "[6,64]", \
                             "[64,80]", body)
#define DOT(z, x, y) z " = dot_general " x ", " y " {lhs_contracting_dimensions=[0], rhs_contracting_dimensions=[0], " \
                                                  "preferred_element_type=f32}\n"
#define SUM(z, x) z " = psum " x " {axes=[i], unchecked=true}\n"
#define SUMMED "exchange sum"

static const sample sums[] = {
    { "a product", ROWS("\"_, _\"", DOT("d", "x", "y") SUM("s", "d") "return s\n"), { 0 },
      "[64, 80] = a0 f32[4, 6, 64]{all i}, a1 f32[4, 6, 80]{all i}", SUMMED, false },
    { "of every device's arguments", ROWS("\"_, _\"", DOT("d", "x", "y") SUM("s", "d") "return s\n"),
      { "i, _", "i, _" }, "[64, 80] = a0 f32[4, 6, 64]{all i}, a1 f32[4, 6, 80]{all i}", SUMMED, false },
    { "with room behind each part", ON("i:4", "[12,65]", "[12,67]", "i], in_shardings=[\"i, _\", \"i, _\"]", "\"_, _\"",
                                       "[3,65]",
      "[3,67]", DOT("d", "x", "y") SUM("s", "d") "return s\n"), { "i, _", "i, _" }, "f32[4, 3, 65]{all i}",
      SUMMED, false },
    { "of minibatches, a mean, casts, a turn", ROWS("\"_, _\"",
      "a = slice x {start_indices=[0,0], limit_indices=[3,64], strides=[1,1]}\nb = slice x {start_indices=[3,0], "
      "limit_indices=[6,64], strides=[1,1]}\n"
      "p = slice y {start_indices=[0,0], limit_indices=[3,80], strides=[1,1]}\nq = slice y {start_indices=[3,0], "
      "limit_indices=[6,80], strides=[1,1]}\n"
      DOT("d", "a", "p") DOT("e", "b", "q") "n = neg e\nm = sub d, n\n"
      "c = const {dtype=f32, shape=[64,80], splat=true, data=4}\nv = div m, c\nw = mul v, c\nu = mul c, w\n"
      "t = transpose u {permutation=[1,0]}\n" SUM("s", "t") "return s\n"), { "i, _", "i, _" }, "{all i}", SUMMED,
      false },
    { "of narrow products, cast before", ROWS("\"_, _\"", "a = convert x {new_dtype=f16}\nb = convert y "
                                              "{new_dtype=f16}\n"
      "d = dot_general a, b {lhs_contracting_dimensions=[0], rhs_contracting_dimensions=[0], "
      "preferred_element_type=f16}\ne = convert d {new_dtype=f32}\n"
      SUM("s", "e") "return s\n"), { "i, _", "i, _" }, "{all i}", SUMMED, false },
    { "batches of products", ON("i:4", "[24,4,32]", "[24,4,64]", "i], in_shardings=[\"i, _, _\", \"i, _, _\"]",
                                "\"_, _, _\"",
      "[6,4,32]", "[6,4,64]", "d = dot_general x, y {lhs_batching_dimensions=[1], rhs_batching_dimensions=[1], "
                              "lhs_contracting_dimensions=[0], "
      "rhs_contracting_dimensions=[0], preferred_element_type=f32}\n" SUM("s", "d") "return s\n"), { 0 }, "{all i}",
      SUMMED, false },
    { "over the major axis", ON("i:2, j:2", "[24,128]", "[24,80]", "i, j], in_shardings=[\"i, j\", \"i, _\"]",
                                "\"j, _\"",
      "[12,64]",
      "[12,80]", DOT("d", "x", "y") SUM("s", "d") "return s\n"), { "i, j", "i, _" }, "{all i}", SUMMED, false },
    { "over the minor axis", ON("j:2, i:2", "[24,128]", "[24,80]", "i, j], in_shardings=[\"i, j\", \"i, _\"]",
                                "\"j, _\"",
      "[12,64]",
      "[12,80]", DOT("d", "x", "y") SUM("s", "d") "return s\n"), { "i, j", "i, _" }, "{all i}", SUMMED, false },
    { "a reduce_scatter", ROWS("\"i, _\"", DOT("d", "x", "y") "v = neg d\n"
      "s = reduce_scatter v {axes=[i], scatter_dimension=0, axis_size=4, unchecked=true}\nreturn s\n"),
      { "i, _", "i, _" },
      "f32[64@i, 80] = ", SUMMED, false },
    { "in a loop", ROWS("\"_, _\"", "z = const {dtype=f32, shape=[64,80], splat=true, data=0}\n"
      "k = const {dtype=i32, shape=[], splat=true, data=0}\n"
      "r, n, u, v = while z, k, x, y (r f32[64,80], n i32[], u f32[6,64], v f32[6,80]) { t = compare n, 3 "
      "{comparison_direction=lt}; "
      "return t } (r f32[64,80], n i32[], u f32[6,64], v f32[6,80]) { w = neg u\n" DOT("d", "u", "v") SUM("s", "d")
      "q = add r, s; m = add n, 1; return q, m, w, v }\nreturn r\n"), { "i, _", "i, _" },
      "{all i}", SUMMED, false },
    { "of rows of stacks, in turns", "mesh \"i:4\"\nfn f(x f32[3,24,64], y f32[3,24,80]) {\n"
      "g = scan x, y {length=3, num_consts=0, num_carry=0, reverse=true} (u f32[24,64], v f32[24,80]) {\n"
      DOT("z", "u", "v") "n = neg z; return n }\nreturn g\n}", { "_, i, _", "_, i, _" },
      "a0 f32[4, 6, 64]{all i}", SUMMED, false },
    { "of no rows", ON("i:4", "[0,64]", "[0,80]", "i], in_shardings=[\"i, _\", \"i, _\"]", "\"_, _\"", "[0,64]",
      "[0,80]", DOT("d", "x", "y") SUM("s", "d") "return s\n"), { "i, _", "i, _" }, NULL, NULL, false },
    { "left partial by the partitioner", "mesh \"i:4\"\nfn f(x f32[24,64], y f32[24,80]) {\n" DOT("z", "x", "y")
      "return z\n}", { "i, _", "i, _" }, NULL, SUMMED, false },
    { "what is alike stays a step of each", ROWS("\"_, _\"", DOT("d", "x", "y") SUM("s", "d") SUM("t", "s")
      "return t\n"), { "i, _", "i, _" }, "{all i}", NULL, false },
    { "few rows by a weight of which each has rows", "mesh \"i:4\"\nfn f(x f32[8,128], y f32[128,640]) {\n"
      "z = dot_general x, y {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "
      "preferred_element_type=f32}\n"
      "c = constrain z {sharding=[\"_, _\"]}\nu = neg c\nreturn u\n}", { "_, i", "i, _" }, "{all i}", SUMMED, false },
    { "many rows by one whose every row is split", "mesh \"i:4\"\nfn f(x f32[64,128], y f32[80,128]) {\n"
      "z = dot_general x, y {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[1], "
      "preferred_element_type=f32}\n"
      "c = constrain z {sharding=[\"_, _\"]}\nu = neg c\nreturn u\n}", { "_, i", "_, i" }, "{all i}", SUMMED, false },
};

static const sample near_misses[] = {
    { "a product with two readers", ROWS("\"_, _\"", DOT("d", "x", "y") SUM("s", "d") "t = add s, d\n" SUM("u", "t")
      "return u\n"), { 0 }, SUMMED, "{all i}", false },
    { "few elements", THIN("\"_, _\"", DOT("d", "x", "y") SUM("s", "d") "return s\n"), { 0 }, SUMMED, "{all i}",
      false },
    { "one operand that is alike", ON("i:4", "[24,64]", "[6,80]", "i], in_shardings=[\"i, _\", \"_, _\"]", "\"_, _\"",
                                      "[6,64]",
      "[6,80]", DOT("d", "x", "y") SUM("s", "d") "return s\n"), { "i, _" }, SUMMED, "{all i}", false },
    { "what is not linear", ROWS("\"_, _\"", DOT("d", "x", "y") "t = abs d\n" SUM("s", "t") "return s\n"), { 0 },
      SUMMED, "{all i}", false },
    { "a divisor that differs", ROWS("\"_, _\"", DOT("d", "x", "y") "k = axis_index {axes=[i], unchecked=true}\n"
      "m = add k, 1\nc = convert m {new_dtype=f32}\nb = broadcast_in_dim c {shape=[64,80], broadcast_dimensions=[]}\n"
      "e = mul d, b\n" SUM("s", "e") "return s\n"), { 0 }, SUMMED, "{all i}", false },
    { "largest of all", ROWS("\"_, _\"", DOT("d", "x", "y") "s = pmax d {axes=[i], unchecked=true}\nreturn s\n"), { 0 },
      "exchange max", "{all i}", false },
    { "axes that others stand between", ON("i:2, j:2, k:2", "[24,128]", "[24,80]",
                                           "i, j, k], in_shardings=[\"i+k, j\", "
      "\"i+k, _\"]",
      "\"j, _\"", "[6,64]", "[6,80]", DOT("d", "x", "y") "s = psum d {axes=[i, k], unchecked=true}\nreturn s\n"),
      { "i+k, j", "i+k, _" }, SUMMED, "{all ", false },
    { "reproducible", ROWS("\"_, _\"", DOT("d", "x", "y") SUM("s", "d") "return s\n"), { 0 }, SUMMED, "{all i}", true },
    { "few rows by a weight whose every row is split", "mesh \"i:4\"\nfn f(x f32[8,128], y f32[640,128]) {\n"
      "z = dot_general x, y {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[1], "
      "preferred_element_type=f32}\n"
      "c = constrain z {sharding=[\"_, _\"]}\nu = neg c\nreturn u\n}", { "_, i", "_, i" }, SUMMED, "{all i}", false },
    { "few rows by a stack's weights, in turns", "mesh \"i:4\"\nfn f(x f32[8,128], y f32[3,128,640]) {\n"
      "g = scan x, y {length=3, num_consts=1, num_carry=0, reverse=false} (u f32[8,128], v f32[128,640]) {\n"
      "z = dot_general u, v {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "
      "preferred_element_type=f32}\nc = constrain z {sharding=[\"_, _\"]}\n"
      "n = neg c; return n }\nreturn g\n}", { "_, i", "_, i, _" }, SUMMED, "{all i}", false },
};

#define GATHER(d) "g = all_gather x {axes=[i], all_gather_dim=" d ", axis_size=4, unchecked=true}\n"
static const sample gathers[] = {
    { "a gather", WEIGHT("\"_, _\"", GATHER("0") "t = tanh g\nu = tanh t\nreturn g\n"), { "i, _" }, NULL, NULL, false },
    { "a weight that was split", ON("i:4", "[24,64]", "[64,80]", "i], in_shardings=[\"i, _\", \"i, _\"]", "\"i, _\"",
                                    "[6,64]",
      "[16,80]", "w = all_gather y {axes=[i], all_gather_dim=0, axis_size=4, unchecked=true}\nz = dot_general x, w "
      "{lhs_contracting_dimensions=[1], "
      "rhs_contracting_dimensions=[0], preferred_element_type=f32}\nreturn z\n"), { "i, _", "i, _" }, "4 as 1 x ",
      "\n  exchange", false },
    { "and is read as a whole", ON("i:4", "[24,64]", "[64,16]", "i], in_shardings=[\"i, _\", \"i, _\"]", "\"_\"",
                                   "[6,64]",
      "[16,16]", "w = all_gather y {axes=[i], all_gather_dim=0, axis_size=4, unchecked=true}\nv = neg w\nr = reduce v, "
                 "0 "
      "{dimensions=[0]} "
      "add\nreturn r\n"), { "i, _", "i, _" }, "f32[64, 16]{all i}", "\n  exchange", false },
    { "along an inner dim: a copy", ON("i:4", "[24,64]", "[64,80]", "i], in_shardings=[\"i, _\", \"_, i\"]", "\"i, _\"",
                                       "[6,64]",
      "[64,20]", "w = all_gather y {axes=[i], all_gather_dim=1, axis_size=4, unchecked=true}\nz = dot_general x, w "
      "{lhs_contracting_dimensions=[1], "
      "rhs_contracting_dimensions=[0], preferred_element_type=f32}\nreturn z\n"), { "i, _", "_, i" }, "\n  exchange",
      "{all i}", false },
    { "parts with room behind: a copy", ON("i:4", "[24,7]", "[28,9]", "i], in_shardings=[\"i, _\", \"i, _\"]",
                                           "\"i, _\"",
      "[6,7]",
      "[7,9]", "w = all_gather y {axes=[i], all_gather_dim=0, axis_size=4, unchecked=true}\nv = slice w "
               "{start_indices=[0,0], "
      "limit_indices=[7,9], "
      "strides=[1,1]}\nz = dot_general x, v {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "
      "preferred_element_type=f32}\nreturn z\n"),
      { "i, _", "i, _" }, "\n  exchange", "{all i}", false },
    { "and given to every device", ON("i:4", "[64,16]", "[64,16]", "i], in_shardings=[\"i, _\", \"i, _\"]", "\"i, _\"",
                                      "[16,16]",
      "[16,16]", "w = all_gather y {axes=[i], all_gather_dim=0, axis_size=4, unchecked=true}\nk = axis_index "
                 "{axes=[i], "
      "unchecked=true}\n"
      "c = convert k {new_dtype=f32}\nb = broadcast_in_dim c {shape=[64,16], broadcast_dimensions=[]}\nv = mul w, b\n"
      "z = reduce_scatter v {axes=[i], scatter_dimension=0, axis_size=4, unchecked=true}\nreturn z\n"),
      { "i, _", "i, _" },
      "f32[64, 16]{all i}", NULL, false },
    { "and returned", ON("i:4", "[64,16]", "[64,16]", "i], in_shardings=[\"i, _\", \"i, _\"]", "\"_, _\"", "[16,16]",
                         "[16,16]",
      "w = all_gather y {axes=[i], all_gather_dim=0, axis_size=4, unchecked=true}\nreturn w\n"), { "i, _", "i, _" },
      NULL, NULL,
      false },
    { "and carried", ON("i:4", "[64,16]", "[64,16]", "i], in_shardings=[\"i, _\", \"i, _\"]", "\"i, _\"", "[16,16]",
                        "[16,16]",
      "o = const {dtype=i32, shape=[], splat=true, data=0}\nr, n = while y, o (r f32[16,16], n i32[]) { t = compare "
      "n, 3 {comparison_direction=lt}; return t }"
      " (r f32[16,16], n i32[]) { w = all_gather r {axes=[i], all_gather_dim=0, axis_size=4, unchecked=true}; "
      "k = reverse w {dimensions=[0]}; s = reduce_scatter k {axes=[i], scatter_dimension=0, axis_size=4, "
      "unchecked=true}; "
      "q = sub s, r; m = add n, 1; return q, m }\nreturn r\n"), { "i, _", "i, _" }, NULL, NULL, false },
    { "by the partitioner", "mesh \"i:4\"\nfn f(x f32[64,16], y f32[64,16]) {\nc = constrain y {sharding=[\"_, _\"]}\n"
      "z = reverse c {dimensions=[0]}\nreturn z\n}", { "_, _", "i, _" }, "f32[64, 16]{all i}", "\n  exchange", false },
    { "read by each device where all are made", "mesh \"data:2\"\n"
      "fn rows(x i32[64,64], w i32[3,64,64], m i32[3,64,64]) {\n"
      "c, g = scan x, w {length=3, num_consts=0, num_carry=1, reverse=true} (c i32[64,64], y i32[64,64]) {\n"
      "p = mul c, y; q = sub p, c; d = xor c, y; return q, d }\nh = add m, g\nreturn h\n}",
      { "data, _", "data, _, _", "data, _, _" }, NULL, NULL, false },
};

#define FORWARD "z = dot_general x, y {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], " \
                "preferred_element_type=f32}\nreturn z\n"
static const sample weights[] = {
    { "one weight", WEIGHT("\"i, _\"", FORWARD), { "i, _" }, "4 as 1 x ", NULL, false },
    { "rows with room behind", ON("i:4", "[12,65]", "[65,67]", "i], in_shardings=[\"i, _\", \"_, _\"]", "\"i, _\"",
                                  "[3,65]",
      "[65,67]", FORWARD), { "i, _" }, "4 as 1 x ", NULL, false },
    { "of two axes", ON("i:2, j:2", "[24,64]", "[64,80]", "i, j], in_shardings=[\"i+j, _\", \"_, _\"]", "\"i+j, _\"",
                        "[6,64]",
      "[64,80]", FORWARD), { "i+j, _" }, "4 as 1 x ", NULL, false },
    { "rows of rows", ON("i:4", "[8,3,64]", "[64,80]", "i], in_shardings=[\"i, _, _\", \"_, _\"]", "\"i, _, _\"",
                         "[2,3,64]",
      "[64,80]", "z = dot_general x, y {lhs_contracting_dimensions=[2], rhs_contracting_dimensions=[0], "
                 "preferred_element_type=f32}\nreturn z\n"),
      { "i, _, _" }, "4 as 1 x ", NULL, false },
    { "a weight of each part of the model", "mesh \"i:2, j:4\"\nfn f(x f32[12,64], y f32[64,80]) {\n"
      "z = dot_general x, y {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "
      "preferred_element_type=f32}\nreturn z\n}", { "i, _", "_, j" },
      ": r0 f32[2@i, 6, 80@j]", NULL, false },
    { "the same by hand", ON("i:2, j:4", "[12,64]", "[64,80]", "i, j], in_shardings=[\"i, _\", \"_, j\"]", "\"i, j\"",
                             "[6,64]",
      "[64,20]", FORWARD), { "i, _", "_, j" }, "8 as 4 x ", NULL, false },
    { "and a sum over the model", "mesh \"i:2, j:4\"\nfn f(x f32[32,64], y f32[64,160]) {\n"
      "z = dot_general x, y {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "
      "preferred_element_type=f32}\nreturn z\n}", { "i, j", "j, _" },
      ": r0 f32[2@i, 16, 160] = a0 f32[4, 2@i, 16, 16]{all j}", SUMMED, false },
    { "the sum by hand, read further", ON("j:4, i:2", "[32,64]", "[64,160]", "i, j], in_shardings=[\"i, j\", \"j, _\"]",
      "\"i, _\"", "[16,16]", "[16,160]", "d = dot_general x, y {lhs_contracting_dimensions=[1], "
                                         "rhs_contracting_dimensions=[0], preferred_element_type=f32}\n"
      "n = neg d\ns = psum n {axes=[j], unchecked=true}\nt = reduce s, 0 {dimensions=[0]} add\n"
      "b = broadcast_in_dim t {shape=[16,160], broadcast_dimensions=[1]}\nu = add s, b\nreturn u\n"),
      { "i, j", "j, _" },
      "2 as 1 x ", SUMMED, false },
    { "rows in the middle", "mesh \"i:2\"\nfn f(x f32[3,8,64], y f32[64,80]) {\n"
      "z = dot_general x, y {lhs_contracting_dimensions=[2], rhs_contracting_dimensions=[0], "
      "preferred_element_type=f32}\nreturn z\n}", { "_, i, _", "_, _" },
      "2 as 1 x ", NULL, false },
    { "rows that do not divide", "mesh \"i:4\"\nfn f(x f32[10,64], y f32[64,80]) {\n"
      "z = dot_general x, y {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "
      "preferred_element_type=f32}\nreturn z\n}", { "i, _", "_, _" },
      "4 x ", " as ", false },
    { "a weight of each", ON("i:4", "[24,64]", "[256,80]", "i], in_shardings=[\"i, _\", \"i, _\"]", "\"i, _\"",
                             "[6,64]",
      "[64,80]",
      FORWARD), { "i, _", "i, _" }, "4 x ", " as 1", false },
    { "many rows", ON("i:4", "[512,64]", "[64,80]", "i], in_shardings=[\"i, _\", \"_, _\"]", "\"i, _\"", "[128,64]",
                      "[64,80]",
      FORWARD), { "i, _" }, "4 x ", " as 1", false },
    { "sums that stay exchanges", "mesh \"i:2, j:4\"\nfn f(x f32[8,128], y f32[640,128]) {\n"
      "z = dot_general x, y {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[1], "
      "preferred_element_type=f32}\n"
      "c = constrain z {sharding=[\"i, _\"]}\nu = neg c\nreturn u\n}", { "i, j", "_, j" }, "8 as 4 x ", NULL, false },
};

#define ALL(list) for (size_t i = 0; i < sizeof list / sizeof *list; i++) run(&list[i])

int main(int argc, char **argv)
{
    check_main(argc, argv);
    if (check_named("sums")) ALL(sums);
    if (check_named("near_misses")) ALL(near_misses);
    if (check_named("gathers")) ALL(gathers);
    if (check_named("weights")) ALL(weights);
    driver_forget();
    return check_done();
}
