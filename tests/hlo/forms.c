/* forms.c - what no printer of today writes but texts hold: old spellings, broadcasting operations, several
 * modules, meshes and sharding groups; and where errors say that they stand: in the text, and in the program that
 * printed it. */
#include "hlo/hlo.h"
#include "check.h"
#include "mesh/mesh.h"

#include <stdlib.h>
#include <tutti.h>

typedef struct { base_arena *a; const char *text; ir_fn *fn; const char *again; ir_fn *second; } reading;

static void read_it(void *arg)
{
    reading *const r = arg;
    if (!(r->fn = hlo_read(r->a, base_intern("t.mlir"), r->text))) return;
    if ((r->fn = hlo_raise(r->a, r->fn))) r->again = hlo_write(r->a, r->fn);
    if (r->again) r->second = hlo_read(r->a, base_intern("again"), r->again);
    if (r->second) r->second = hlo_raise(r->a, r->second);
}

static reading read_text(const char *text)
{
    reading r = { .a = base_open(), .text = text };
    base_clear_error();
    if (!base_catch(read_it, &r)) r.fn = NULL;
    return r;
}

static const char *error(void) { return base_failed() ? base_failed()->what : "no error"; }

/* ---- values: of f32 [2,3] and [3,2], 1 2 3 ... and 10 20 ...; written again, the same function ---- */

#define MAIN(result, body) "module @m {\n func.func public @main(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>, " \
    "%i: tensor<2xi32>) -> " result " {\n" body " : " result "\n }\n}\n"

static const struct { const char *text; int n; float want[12]; } computed[] = {
    { MAIN("tensor<2x2xf32>", "%0 = \"stablehlo.einsum\"(%a, %b) {einsum_config = \"ab,bc->ca\"} : (tensor<2x3xf32>, "
           "tensor<3x2xf32>) -> tensor<2x2xf32>\n return %0"),
      4, { 220, 490, 280, 640 } },
    { MAIN("tensor<3xf32>", "%0 = \"stablehlo.einsum\"(%a, %b) {einsum_config = \"ab,bc->b\"} : (tensor<2x3xf32>, "
           "tensor<3x2xf32>) -> tensor<3xf32>\n return %0"),
      3, { 150, 490, 990 } },
    { MAIN("tensor<3x2xf32>", "%0 = \"stablehlo.einsum\"(%a, %b) {einsum_config = \"ab,ba->ba\"} : (tensor<2x3xf32>, "
           "tensor<3x2xf32>) -> tensor<3x2xf32>\n return %0"),
      6, { 10, 80, 60, 200, 150, 360 } },
    { MAIN("tensor<3xf32>", "%0 = \"stablehlo.unary_einsum\"(%a) {einsum_config = \"ab->b\"} : (tensor<2x3xf32>) -> "
           "tensor<3xf32>\n return %0"),
      3, { 5, 7, 9 } },
    { MAIN("tensor<2x2xf32>", "%0 = \"stablehlo.torch_index_select\"(%a, %i) {dim = 1 : i64, batch_dims = 0 : i64} : "
           "(tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x2xf32>\n return %0"),
      4, { 3, 1, 6, 4 } },
    { MAIN("tensor<2xf32>", "%0 = \"stablehlo.torch_index_select\"(%a, %i) {dim = 1 : i64, batch_dims = 1 : i64} : "
           "(tensor<2x3xf32>, tensor<2xi32>) -> tensor<2xf32>\n return %0"),
      2, { 3, 4 } },
    { MAIN("tensor<2x3xf32>", "%c = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>\n"
           "%0 = chlo.broadcast_add %a, %c {broadcast_dimensions = array<i64: 0>} : (tensor<2x3xf32>, tensor<2xf32>) "
           "-> tensor<2x3xf32>\n return %0"),
      6, { 2, 3, 4, 6, 7, 8 } },
    { MAIN("tensor<2x3xi1>", "%c = stablehlo.constant dense<[[2.0], [5.0]]> : tensor<2x1xf32>\n"
           "%0 = chlo.broadcast_compare %a, %c {comparison_direction = #chlo<comparison_direction GT>} : "
           "(tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xi1>\n return %0"),
      6, { 0, 0, 1, 0, 0, 1 } },
    { MAIN("tensor<2x3xf32>", "%c = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>\n"
           "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
           "%0 = \"chlo.broadcast_select\"(%c, %a, %z) : (tensor<3xi1>, tensor<2x3xf32>, tensor<f32>) "
           "-> tensor<2x3xf32>\n return %0"),
      6, { 1, 0, 3, 4, 0, 6 } },
    { MAIN("tensor<3x2xf32>", "%o = stablehlo.constant dense<1.0> : tensor<2x2xf32>\n"
           "%k = stablehlo.constant dense<7> : tensor<2x2xi32>\n %z = stablehlo.constant dense<0> : tensor<3x2xi32>\n"
           "%r:2 = \"stablehlo.scatter\"(%b, %z, %i, %o, %k) <{scatter_dimension_numbers = #stablehlo.scatter<"
           "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
           "index_vector_dim = 1>}> ({\n^bb0(%p: tensor<f32>, %q: tensor<i32>, %s: tensor<f32>, %t: tensor<i32>):\n"
           "%u = stablehlo.subtract %p, %s : tensor<f32>\n stablehlo.return %u, %t : tensor<f32>, tensor<i32>\n}) : "
           "(tensor<3x2xf32>, tensor<3x2xi32>, tensor<2xi32>, tensor<2x2xf32>, tensor<2x2xi32>) -> "
           "(tensor<3x2xf32>, tensor<3x2xi32>)\n"
           "%f = stablehlo.convert %r#1 : (tensor<3x2xi32>) -> tensor<3x2xf32>\n"
           "%0 = stablehlo.add %r#0, %f : tensor<3x2xf32>\n return %0"),
      6, { 16, 26, 30, 40, 56, 66 } },
    /* the total order: NaN, infinity, 0, both -0 as they stand, the negative NaN */
    { MAIN("tensor<5xf32>", "%x = stablehlo.constant dense<[0xFFC00000, -0.0, 0.0, 0x7FC00000, 0x7F800000, -0.0]> : "
           "tensor<6xf32>\n %v, %k = chlo.top_k(%x, k = 5) : tensor<6xf32> -> (tensor<5xf32>, tensor<5xi32>)\n"
           "%0 = stablehlo.convert %k : (tensor<5xi32>) -> tensor<5xf32>\n return %0"),
      5, { 3, 4, 2, 1, 5 } },
    /* jax.lax.approx_max_k, as it is printed */
    { "module @m {\n"
      " func.func @top_k_gt_f32_comparator(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>) -> "
      "tensor<i1> {\n  %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
      "  stablehlo.return %0 : tensor<i1>\n }\n"
      " func.func public @main(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>, %i: tensor<2xi32>) -> tensor<2x2xf32> {\n"
      "  %0 = stablehlo.iota dim = 1 : tensor<2x3xi32>\n  %c = stablehlo.constant dense<-1> : tensor<i32>\n"
      "  %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
      "  %1:2 = stablehlo.custom_call @ApproxTopK(%a, %0, %cst, %c) {backend_config = \"\", called_computations = "
      "[@top_k_gt_f32_comparator], mhlo.backend_config = {aggregate_to_topk = true, is_fallback = true, recall_target "
      "= 0.949999988 : f32, reduction_dim = 1 : i64, reduction_input_size_override = -1 : i64, top_k = 2 : i64}} : "
      "(tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)\n"
      "  %2 = stablehlo.convert %1#1 : (tensor<2x2xi32>) -> tensor<2x2xf32>\n"
      "  %h = stablehlo.constant dense<10.0> : tensor<2x2xf32>\n  %3 = stablehlo.multiply %2, %h : tensor<2x2xf32>\n"
      "  %4 = stablehlo.add %1#0, %3 : tensor<2x2xf32>\n  return %4 : tensor<2x2xf32>\n }\n}\n",
      4, { 23, 12, 26, 15 } },
    /* tuples: made, taken apart, nested, empty; through functions, a loop and a branch; a custom call's results */
    { "module @m {\n"
      " func.func private @swap(%t: tuple<tensor<2x3xf32>, tuple<tensor<3x2xf32>, tuple<>>>) -> "
      "tuple<tuple<tensor<3x2xf32>>, tensor<2x3xf32>> {\n"
      "  %x = stablehlo.get_tuple_element %t[0] : (tuple<tensor<2x3xf32>, tuple<tensor<3x2xf32>, tuple<>>>) -> "
      "tensor<2x3xf32>\n"
      "  %u = stablehlo.get_tuple_element %t[1] : (tuple<tensor<2x3xf32>, tuple<tensor<3x2xf32>, tuple<>>>) -> "
      "tuple<tensor<3x2xf32>, tuple<>>\n"
      "  %y = \"stablehlo.get_tuple_element\"(%u) {index = 0 : i32} : (tuple<tensor<3x2xf32>, tuple<>>) -> "
      "tensor<3x2xf32>\n"
      "  %v = stablehlo.tuple %y : tuple<tensor<3x2xf32>>\n"
      "  %w = \"stablehlo.tuple\"(%v, %x) : (tuple<tensor<3x2xf32>>, tensor<2x3xf32>) -> "
      "tuple<tuple<tensor<3x2xf32>>, tensor<2x3xf32>>\n"
      "  return %w : tuple<tuple<tensor<3x2xf32>>, tensor<2x3xf32>>\n }\n"
      " func.func public @main(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>, %i: tensor<2xi32>) -> tensor<2x3xf32> {\n"
      "  %e = stablehlo.tuple : tuple<>\n"
      "  %p = stablehlo.tuple %b, %e : tuple<tensor<3x2xf32>, tuple<>>\n"
      "  %t = stablehlo.tuple %a, %p : tuple<tensor<2x3xf32>, tuple<tensor<3x2xf32>, tuple<>>>\n"
      "  %s = call @swap(%t) : (tuple<tensor<2x3xf32>, tuple<tensor<3x2xf32>, tuple<>>>) -> "
      "tuple<tuple<tensor<3x2xf32>>, tensor<2x3xf32>>\n"
      "  %l = stablehlo.get_tuple_element %s[0] : (tuple<tuple<tensor<3x2xf32>>, tensor<2x3xf32>>) -> "
      "tuple<tensor<3x2xf32>>\n"
      "  %y = stablehlo.get_tuple_element %l[0] : (tuple<tensor<3x2xf32>>) -> tensor<3x2xf32>\n"
      "  %x = stablehlo.get_tuple_element %s[1] : (tuple<tuple<tensor<3x2xf32>>, tensor<2x3xf32>>) -> "
      "tensor<2x3xf32>\n"
      "  %r = stablehlo.reshape %y : (tensor<3x2xf32>) -> tensor<2x3xf32>\n"
      "  %0 = stablehlo.subtract %r, %x : tensor<2x3xf32>\n  return %0 : tensor<2x3xf32>\n }\n}\n",
      6, { 9, 18, 27, 36, 45, 54 } },
    { MAIN("tensor<2x3xf32>", "%n = stablehlo.constant dense<0> : tensor<i32>\n"
           "%t = stablehlo.tuple %n, %a : tuple<tensor<i32>, tensor<2x3xf32>>\n"
           "%w = stablehlo.while(%k = %t) : tuple<tensor<i32>, tensor<2x3xf32>>\n cond {\n"
           "%m = stablehlo.constant dense<3> : tensor<i32>\n"
           "%j = stablehlo.get_tuple_element %k[0] : (tuple<tensor<i32>, tensor<2x3xf32>>) -> tensor<i32>\n"
           "%c = stablehlo.compare LT, %j, %m : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
           "stablehlo.return %c : tensor<i1>\n} do {\n%one = stablehlo.constant dense<1> : tensor<i32>\n"
           "%j = stablehlo.get_tuple_element %k[0] : (tuple<tensor<i32>, tensor<2x3xf32>>) -> tensor<i32>\n"
           "%x = stablehlo.get_tuple_element %k[1] : (tuple<tensor<i32>, tensor<2x3xf32>>) -> tensor<2x3xf32>\n"
           "%y = stablehlo.add %x, %a : tensor<2x3xf32>\n%i1 = stablehlo.add %j, %one : tensor<i32>\n"
           "%z = stablehlo.tuple %i1, %y : tuple<tensor<i32>, tensor<2x3xf32>>\n"
           "stablehlo.return %z : tuple<tensor<i32>, tensor<2x3xf32>>\n}\n"
           "%q = stablehlo.get_tuple_element %w[0] : (tuple<tensor<i32>, tensor<2x3xf32>>) -> tensor<i32>\n"
           "%p = stablehlo.get_tuple_element %w[1] : (tuple<tensor<i32>, tensor<2x3xf32>>) -> tensor<2x3xf32>\n"
           "%d = stablehlo.tuple %a, %p : tuple<tensor<2x3xf32>, tensor<2x3xf32>>\n"
           "%v = \"stablehlo.case\"(%q) ({\n%z = stablehlo.tuple %n, %a : tuple<tensor<i32>, tensor<2x3xf32>>\n"
           " stablehlo.return %z : tuple<tensor<i32>, tensor<2x3xf32>>\n}, {\n"
           "%x = stablehlo.get_tuple_element %d[1] : (tuple<tensor<2x3xf32>, tensor<2x3xf32>>) -> tensor<2x3xf32>\n"
           "%y = stablehlo.negate %x : tensor<2x3xf32>\n"
           "%z = stablehlo.tuple %n, %y : tuple<tensor<i32>, tensor<2x3xf32>>\n"
           "stablehlo.return %z : tuple<tensor<i32>, tensor<2x3xf32>>\n}) : (tensor<i32>) -> "
           "tuple<tensor<i32>, tensor<2x3xf32>>\n"
           "%0 = stablehlo.get_tuple_element %v[1] : (tuple<tensor<i32>, tensor<2x3xf32>>) -> tensor<2x3xf32>\n"
           " return %0"),
      6, { -4, -8, -12, -16, -20, -24 } },
    { MAIN("tensor<2xf32>", "%g = stablehlo.dot %a, %b : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>\n"
           "%t = stablehlo.custom_call @Eigh(%g) {backend_config = \"1,1,100,1e-6\"} : (tensor<2x2xf32>) -> "
           "tuple<tensor<2x2xf32>, tensor<2xf32>>\n"
           "%w = stablehlo.get_tuple_element %t[1] : (tuple<tensor<2x2xf32>, tensor<2xf32>>) -> tensor<2xf32>\n"
           "%h = stablehlo.constant dense<1.0e-2> : tensor<2xf32>\n%m = stablehlo.multiply %w, %h : tensor<2xf32>\n"
           "%0 = stablehlo.round_nearest_even %m : tensor<2xf32>\n return %0"),
      2, { -1, 10 } },
    /* each module has its own names; the one with @main is meant */
    { "module @one {\n func.func private @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32> { return %x : tensor<2x3xf32> }\n"
      " func.func public @other(%x: tensor<2x3xf32>) -> tensor<2x3xf32> { return %x : tensor<2x3xf32> }\n}\n// -----\n"
      "module @two {\n func.func private @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {\n"
      "  %0 = stablehlo.negate %x : tensor<2x3xf32>\n  return %0 : tensor<2x3xf32>\n }\n"
      " func.func public @main(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>, %i: tensor<2xi32>) -> tensor<2x3xf32> {\n"
      "  %0 = call @f(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>\n  return %0 : tensor<2x3xf32>\n }\n}\n",
      6, { -1, -2, -3, -4, -5, -6 } },
};

static void computes(void)
{
    static float a[6] = { 1, 2, 3, 4, 5, 6 }, b[6] = { 10, 20, 30, 40, 50, 60 };
    static int32_t i[2] = { 2, 0 };
    for (size_t k = 0; k < sizeof computed / sizeof *computed; k++) {
        const reading r = read_text(computed[k].text);
        char buffer[256];
        CHECK(r.fn && r.second, "%zu: %s", k, error());
        if (r.fn && r.second) {
            CHECK(ir_hash(r.fn) == ir_hash(r.second), "%zu: written and read, another function", k);
            const ir_box in[] = { ir_box_dense(a, r.fn->type[1]), ir_box_dense(b, r.fn->type[2]),
                                  ir_box_dense(i, r.fn->type[3]) };
            const ir_box out = ir_box_dense(buffer, r.fn->type[r.fn->ret[0]]);
            CHECK(ir_eval(r.fn, in, &out) && ir_box_count(&out) == computed[k].n, "%zu: %s", k, error());
            int64_t at[IR_RANK];
            int n = 0;
            for (bool more = ir_first(&out, at); more; more = ir_next(&out, at), n++) {
                const ir_num v = ir_load(&out, at);
                const double got = out.dtype == TT_BOOL ? v.b : v.f;
                CHECK(got == (double)computed[k].want[n], "%zu: element %d is %g", k, n, got);
            }
        }
        base_clear_error();
        base_close(r.a);
    }
}

/* ---- layouts ---- */

#define LAID(meshes, body) "module @m attributes {mhlo.num_partitions = 8 : i32} {\n" meshes \
    " func.func public @main(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {\n" body \
    "  return %0 : tensor<8x8xf32>\n }\n}\n"
#define MESH " sdy.mesh @mesh = <[\"data\"=2, \"model\"=4]>\n"
#define ADD "  %s = stablehlo.add %a, %b : tensor<8x8xf32>\n"
#define SUM "  %0 = stablehlo.add %a, %b : tensor<8x8xf32>\n"

static const struct { const char *text, *holds; } laid[] = {
    { LAID(MESH, "  sdy.sharding_group %a group_id=0 : tensor<8x8xf32>\n"
           "  sdy.sharding_group %b group_id=0 : tensor<8x8xf32>\n" SUM), "alike" },
    { LAID(MESH, ADD "  %0 = sdy.sharding_constraint %s <@mesh, [{\"data\"}, {}], unreduced={\"model\"}> : "
           "tensor<8x8xf32>\n"), "constrain" },
    { LAID(MESH " sdy.mesh @flat = <[\"x\"=8]>\n", ADD
           "  %0 = sdy.sharding_constraint %s <@flat, [{\"x\"}, {}]> : tensor<8x8xf32>\n"), "data+model, _" },
    { LAID(MESH " sdy.mesh @turned = <[\"a\"=4, \"b\"=2]>\n", ADD
           "  %0 = sdy.sharding_constraint %s <@turned, [{\"b\"}, {\"a\":(1)2}]> : tensor<8x8xf32>\n"),
           "model.2.2, data" },
};

static void layouts(void)
{
    for (size_t k = 0; k < sizeof laid / sizeof *laid; k++) {
        const reading r = read_text(laid[k].text);
        CHECK(r.fn && r.second, "%zu: %s", k, error());
        CHECK(!r.fn || strstr(ir_print(r.a, r.fn), laid[k].holds), "%zu: no \"%s\" in\n%s", k, laid[k].holds,
              r.fn ? ir_print(r.a, r.fn) : "");
        CHECK(!r.second || ir_hash(r.fn) == ir_hash(r.second), "%zu: written and read, another function", k);
        base_clear_error();
        base_close(r.a);
    }
}

/* The second argument is laid out as the first, for they are of one group; without it, not. */
static void groups(void)
{
    static const char *const texts[] = {
        LAID(MESH, "  sdy.sharding_group %a group_id=0 : tensor<8x8xf32>\n"
             "  sdy.sharding_group %b group_id=0 : tensor<8x8xf32>\n"
             "  %0 = stablehlo.negate %b : tensor<8x8xf32>\n  %1 = stablehlo.negate %a : tensor<8x8xf32>\n"),
        LAID(MESH, "  %0 = stablehlo.negate %b : tensor<8x8xf32>\n  %1 = stablehlo.negate %a : tensor<8x8xf32>\n") };
    for (int k = 0; k < 2; k++) {
        const tt_val x = tt_ones(TT_F32, 8, 8);
        const tt_fn f = tt_jit(tt_import(texts[k]), .mesh = tt_mesh("data:2, model:4"), .in = "data, model; ?, ?");
        const char *const type = tt_type_text(tt_call(f, x, x));
        CHECK(tt_ok() && !strcmp(type, k ? "f32[8, 8]" : "f32[8@data, 8@model]"), "%s", tt_ok() ? type : tt_error());
        tt_clear();
    }
}

/* ---- where ---- */

#define LOCS "#loc1 = loc(\"/home/me/model.py\":7:4 to :20)\n#loc2 = loc(\"/home/me/layers.py\":31:11)\n" \
    "#loc3 = loc(callsite(#loc2 at #loc1))\n#loc4 = loc(\"jit(f)/sin\"(#loc3))\n"

static const struct { const char *text, *site, *what, *source; } wrong[] = {
    { LOCS "module @m {\n func.func public @main(%a: tensor<2xf32> loc(\"a\")) -> tensor<2xf32> {\n"
      "  %0 = stablehlo.sin %a : tensor<2xf32> loc(#loc4)\n  return %0 : tensor<2xf32>\n }\n}\n",
      "t.mlir:7:8", "stablehlo.sin is unknown", "layers.py:31" },
    { "module @m {\n func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
      "  %0 = \"stablehlo.custom_call\"(%a) {call_target_name = \"my_kernel\"} : (tensor<2xf32>) -> tensor<2xf32> "
      "loc(\"f\"(#loc9))\n  return %0 : tensor<2xf32>\n }\n}\n#loc9 = loc(\"/x/late.py\":3:1 to 4:2)\n",
      "t.mlir:3:8", "@my_kernel", "late.py:3" },
    { "module @a {\n func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> }\n}\n"
      "module @b {\n func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> }\n}\n",
      "t.mlir:2:19", "2 modules of this text have an @main", NULL },
    { MAIN("tensor<2x3xf32>", "%0 = \"stablehlo.rng\"(%a, %a) : (tensor<2x3xf32>, tensor<2x3xf32>) "
           "-> tensor<2x3xf32>\n "
           "return %0"), "t.mlir:3:6", "each compiler draws in its own way", NULL },
    { MAIN("tensor<2x3xf32>", "%0 = \"stablehlo.dynamic_reshape\"(%a, %a) : (tensor<2x3xf32>, tensor<2x3xf32>) "
           "-> tensor<2x3xf32>\n "
           "return %0"), "t.mlir:3:6", "shapes that are known only when it runs", NULL },
    { MAIN("tensor<2x3xf32>", "%0 = \"stablehlo.set_dimension_size\"(%a, %a) : (tensor<2x3xf32>, tensor<2x3xf32>) "
           "-> tensor<2x3xf32>\n "
           "return %0"), "t.mlir:3:6", "shapes that are known only when it runs", NULL },
    { MAIN("tensor<2x3xf32>", "%0 = \"stablehlo.infeed\"(%a, %a) : (tensor<2x3xf32>, tensor<2x3xf32>) "
           "-> tensor<2x3xf32>\n "
           "return %0"), "t.mlir:3:6", "exchanges values with the host", NULL },
    { MAIN("tensor<2x3xf32>", "%0 = \"stablehlo.async_start\"(%a, %a) : (tensor<2x3xf32>, tensor<2x3xf32>) "
           "-> tensor<2x3xf32>\n "
           "return %0"), "t.mlir:3:6", "starts here and ends elsewhere", NULL },
    { MAIN("tensor<2x3xf32>", "%0 = \"stablehlo.uniform_quantize\"(%a, %a) : (tensor<2x3xf32>, tensor<2x3xf32>) "
           "-> tensor<2x3xf32>\n "
           "return %0"), "t.mlir:3:6", "quantised types", NULL },
    { MAIN("tensor<2x3xf32>", "%0 = \"sdy.all_slice\"(%a, %a) : (tensor<2x3xf32>, tensor<2x3xf32>) "
           "-> tensor<2x3xf32>\n "
           "return %0"), "t.mlir:3:6", "behind Shardy's passes", NULL },
    { MAIN("tensor<2x3xf32>", "%0 = \"vhlo.add_v1\"(%a, %a) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>\n "
           "return %0"), "t.mlir:3:6", "VHLO, the form in which StableHLO is stored", NULL },
    { "\"vhlo.func_v1\"() <{sym_name = #vhlo.string_v1<\"main\">}> ({\n})", "t.mlir:1:1", "VHLO", NULL },
    { MAIN("tensor<2x3xf32>", "%t = stablehlo.tuple %a, %b : tuple<tensor<2x3xf32>>\n return %a"), "t.mlir:3:6",
      "2 operands, and a type of 1 parts", NULL },
    { MAIN("tensor<2x3xf32>", "%t = stablehlo.tuple %a, %b : tuple<tensor<2x3xf32>, tensor<2x3xf32>>\n return %a"),
      "t.mlir:3:54", "tensor<2x3xf32>, where tensor<3x2xf32> stands", NULL },
    { MAIN("tensor<2x3xf32>", "%t = stablehlo.tuple %a : tuple<tensor<2x3xf32>>\n"
           "%0 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<2x3xf32>>) -> tensor<2x3xf32>\n return %0"),
           "t.mlir:4:6", "part 1 of a tuple of 1", NULL },
    { MAIN("tensor<2x3xf32>", "%t = stablehlo.tuple %a, %a : tuple<tensor<2x3xf32>, tensor<2x3xf32>>\n"
           "%0 = \"stablehlo.add\"(%t) : (tuple<tensor<2x3xf32>, tensor<2x3xf32>>) -> tensor<2x3xf32>\n return %0"),
      "t.mlir:4:6", "a tuple, where only tensors may be", NULL },
    { LAID(MESH " sdy.mesh @small = <[\"x\"=4]>\n", ADD
           "  %0 = sdy.sharding_constraint %s <@small, [{\"x\"}, {}]> : tensor<8x8xf32>\n"),
      "t.mlir:6:37", "a second mesh, over other devices", NULL },
    { LAID(" sdy.mesh @mesh = <[\"a\"=6]>\n sdy.mesh @odd = <[\"x\"=2, \"y\"=3]>\n", ADD
           "  %0 = sdy.sharding_constraint %s <@odd, [{\"y\"}, {\"x\"}]> : tensor<8x8xf32>\n"), NULL, NULL, NULL },
};

static void says_where(void)
{
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        const reading r = read_text(wrong[k].text);
        const base_error *const e = base_failed();
        if (!wrong[k].what) {
            CHECK(r.fn, "%zu: %s", k, error());
        } else {
            CHECK(!r.fn && e && strstr(e->what, wrong[k].what), "%zu: %s", k, error());
            CHECK(e && e->site && !strcmp(e->site, wrong[k].site), "%zu: at %s", k, e && e->site ? e->site : "nowhere");
            CHECK(!wrong[k].source || (e && e->ncite && e->cite[0].site && !strcmp(e->cite[0].site, wrong[k].source)),
                  "%zu: its source is %s", k, e && e->ncite ? e->cite[0].site : "not named");
        }
        base_clear_error();
        base_close(r.a);
    }
}

/* An operation that was read keeps both places. */
static void keeps_sites(void)
{
    const reading r = read_text(
        LOCS "module @m {\n func.func public @main(%a: tensor<2xf32> loc(\"a\")) -> tensor<2xf32> {\n"
        "  %0 = stablehlo.sine %a : tensor<2xf32> loc(#loc4)\n  return %0 : tensor<2xf32>\n }\n}\n");
    CHECK(r.fn && r.fn->neqn == 1 && !strcmp(r.fn->eqn[0].site, "t.mlir:7:8 (layers.py:31)"), "%s",
          r.fn ? r.fn->eqn[0].site : error());
    base_clear_error();
    base_close(r.a);
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    CHECK_RUN(computes());
    CHECK_RUN(layouts());
    CHECK_RUN(groups());
    CHECK_RUN(says_where());
    CHECK_RUN(keeps_sites());
    return check_done();
}
