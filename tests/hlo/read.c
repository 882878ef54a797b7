/* read.c - StableHLO text: every form is read and computes what it says; what is refused is refused where it stands;
 * and a text that is cut off at any byte, or with any byte spoiled, never crashes the reader. With TUTTI_ORACLE the
 * goldens' programs too.
 *
 * Longer than 400 lines: the texts that are read are most of its lines. */
#include "hlo/hlo.h"
#include "check.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- reading and running ---- */

typedef struct { base_arena *a; const char *text; ir_fn *fn; char what[400]; char site[200]; } reading;

static void read_it(void *arg)
{
    reading *r = arg;
    r->fn = hlo_read(r->a, base_intern("t.mlir"), r->text);
    if (r->fn) r->fn = hlo_raise(r->a, r->fn);
}

static reading read_text(const char *text)
{
    reading r = { .a = base_open(), .text = text };
    base_clear_error();
    if (!base_catch(read_it, &r)) r.fn = NULL;
    const base_error *e = base_failed();
    snprintf(r.what, sizeof r.what, "%s", e ? e->what : "");
    snprintf(r.site, sizeof r.site, "%s", e && e->site ? e->site : "");
    base_clear_error();
    return r;
}

/* f(x) for f32 vectors: the first result's elements. */
static int run(const char *text, const float *x, float *y)
{
    reading r = read_text(text);
    CHECK(r.fn && ir_verify(r.fn), "%s at %s", r.what, r.site);
    if (!r.fn) return base_close(r.a), 0;
    ir_box in[4], out[8];
    char buffer[8][4096];
    for (uint32_t i = 0; i < r.fn->narg; i++) in[i] = ir_box_dense((void *)(uintptr_t)x, r.fn->type[i + 1]);
    for (uint32_t j = 0; j < r.fn->nret; j++) out[j] = ir_box_dense(buffer[j], r.fn->type[r.fn->ret[j]]);
    const bool ok = ir_eval(r.fn, in, out);
    CHECK(ok, "was not evaluated");
    const int n = ok ? (int)ir_box_count(&out[0]) : 0;
    int64_t i[IR_RANK] = { 0 };
    int k = 0;
    for (bool more = ok && ir_first(&out[0], i); more; more = ir_next(&out[0], i)) {
        const ir_num v = ir_load(&out[0], i);
        const ir_class c = ir_dtype_of(out[0].dtype)->cls;
        y[k++] = c == IR_FLOAT_CLASS ? (float)v.f : c == IR_BOOL_CLASS ? v.b : c == IR_INT_CLASS ? (float)v.i
            : (float)v.u;
    }
    base_close(r.a);
    return n;
}

#define MAIN(args, result, body) "module @m {\n func.func public @main(" args ") -> " result " {\n" body "\n }\n}\n"

static const struct { const char *text; int n; float want[6];
} computed[] = {
    { MAIN("%a: tensor<2xf32>", "tensor<2xf32>",                /* a complex number's bits are its parts' */
           "%z = stablehlo.complex %a, %a : tensor<2xcomplex<f32>>\n"
           "%0 = stablehlo.bitcast_convert %z : (tensor<2xcomplex<f32>>) -> tensor<2x8xui8>\n"
           "%1 = stablehlo.bitcast_convert %z : (tensor<2xcomplex<f32>>) -> tensor<2xui64>\n"
           "%2 = stablehlo.bitcast_convert %1 : (tensor<2xui64>) -> tensor<2x2xf32>\n"
           "%3 = stablehlo.bitcast_convert %0 : (tensor<2x8xui8>) -> tensor<2xcomplex<f32>>\n"
           "%4 = stablehlo.bitcast_convert %z : (tensor<2xcomplex<f32>>) -> tensor<complex<f64>>\n"
           "%f = stablehlo.bitcast_convert %4 : (tensor<complex<f64>>) -> tensor<4xf32>\n"
           "%5 = stablehlo.reshape %f : (tensor<4xf32>) -> tensor<2x2xf32>\n"
           "%6 = stablehlo.imag %3 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>\n"
           "%s = stablehlo.slice %2 [0:2, 1:2] : (tensor<2x2xf32>) -> tensor<2x1xf32>\n"
           "%t = stablehlo.slice %5 [0:2, 0:1] : (tensor<2x2xf32>) -> tensor<2x1xf32>\n"
           "%7 = stablehlo.reshape %s : (tensor<2x1xf32>) -> tensor<2xf32>\n"
           "%8 = stablehlo.reshape %t : (tensor<2x1xf32>) -> tensor<2xf32>\n"
           "%9 = stablehlo.multiply %6, %7 : tensor<2xf32>\n%10 = stablehlo.multiply %9, %8 : tensor<2xf32>\n"
           "return %10 : tensor<2xf32>"),
      2,
      { 1, 8 } },
    { MAIN("%a: tensor<3xf32>", "tensor<3x1xf32>",              /* groups of 2 and 1 rows */
           "%l = stablehlo.reshape %a : (tensor<3xf32>) -> tensor<3x1xf32>\n"
           "%r = stablehlo.constant dense<[[[10.0]], [[100.0]]]> : tensor<2x1x1xf32>\n"
           "%g = stablehlo.constant dense<[2, 1]> : tensor<2xi32>\n"
           "%0 = \"chlo.ragged_dot\"(%l, %r, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<"
           "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], "
           "rhs_group_dimensions = [0]>}> : (tensor<3x1xf32>, tensor<2x1x1xf32>, tensor<2xi32>) -> tensor<3x1xf32>\n"
           "return %0 : tensor<3x1xf32>"),
      3,
      { 10, 20, 300 } },
    { MAIN("%a: tensor<3xf32>", "tensor<2x1x1xf32>",            /* each group's part of the sum */
           "%l = stablehlo.reshape %a : (tensor<3xf32>) -> tensor<1x3xf32>\n"
           "%r = stablehlo.constant dense<[[1.0], [10.0], [100.0]]> : tensor<3x1xf32>\n"
           "%g = stablehlo.constant dense<[1, 2]> : tensor<2xi64>\n"
           "%0 = \"chlo.ragged_dot\"(%l, %r, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<"
           "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [1]>}> : "
           "(tensor<1x3xf32>, tensor<3x1xf32>, tensor<2xi64>) -> tensor<2x1x1xf32>\n"
           "return %0 : tensor<2x1x1xf32>"),
      2,
      { 1, 320 } },
    { MAIN("%a: tensor<3xf32>", "tensor<3xf32>",
           "%0 = stablehlo.add %a, %a : tensor<3xf32>\n return %0 : tensor<3xf32>"),
      3,
      { 2, 4, 6 } },
    { MAIN("%a: tensor<3xf32>", "tensor<3xf32>",
           "%0 = \"stablehlo.add\"(%a, %a) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>\n"
           "\"func.return\"(%0) : (tensor<3xf32>) -> ()"),
      3,
      { 2, 4, 6 } },
    { MAIN("%a: tensor<4xf32>", "tensor<2xf32>",
           "%0 = stablehlo.slice %a [1:4:2] : (tensor<4xf32>) -> tensor<2xf32>\n return %0 : tensor<2xf32>"),
      2,
      { 2, 4 } },
    { MAIN(
          "%a: tensor<3xf32>", "tensor<f32>",
          "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
          "%0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, "
          "tensor<f32>) "
          "-> tensor<f32>\n"
          "return %0 : tensor<f32>"),
      1,
      { 6 } },
    /* every form of literal: bits, booleans, blobs, nested, empty, splats */
    { MAIN("", "tensor<2xf32>",
           "%0 = stablehlo.constant dense<[0x3F800000, -2.5e-1]> : tensor<2xf32>\n"
           "return %0 : tensor<2xf32>"),
      2,
      { 1, -0.25F } },
    { MAIN("", "tensor<2x2xi8>",
           "%0 = stablehlo.constant dense<[[1, -2], [3, 127]]> : tensor<2x2xi8>\n"
           "return %0 : tensor<2x2xi8>"),
      4,
      { 1, -2, 3, 127 } },
    { MAIN("", "tensor<2xf32>",
           "%0 = stablehlo.constant dense<\"0x0000803F000000C0\"> : tensor<2xf32>\n"
           "return %0 : tensor<2xf32>"),
      2,
      { 1, -2 } },
    { MAIN("", "tensor<3xi1>",
           "%0 = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>\n"
           "return %0 : tensor<3xi1>"),
      3,
      { 1, 0, 1 } },
    { MAIN("", "tensor<10xi1>",
           "%0 = stablehlo.constant dense<\"0x0502\"> : tensor<10xi1>\n"
           "return %0 : tensor<10xi1>"),
      10,
      { 1, 0, 1, 0, 0, 0 } },
    { MAIN("", "tensor<0x3xf32>", "%0 = stablehlo.constant dense<> : tensor<0x3xf32>\n return %0 : tensor<0x3xf32>"),
      0,
      { 0 } },
    { MAIN("", "tensor<3xui16>",
           "%0 = stablehlo.constant dense<65535> : tensor<3xui16>\n"
           "return %0 : tensor<3xui16>"),
      3,
      { 65535, 65535, 65535 } },
    /* products of booleans: "and", summed by "or" */
    { MAIN("", "tensor<2x2xi1>",
           "%0 = stablehlo.constant dense<[[true, true], [false, false]]> : tensor<2x2xi1>\n"
           "%1 = stablehlo.constant dense<[[true, false], [true, false]]> : tensor<2x2xi1>\n"
           "%2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] "
           ": (tensor<2x2xi1>, tensor<2x2xi1>) -> tensor<2x2xi1>\n return %2 : tensor<2x2xi1>"),
      4,
      { 1, 0, 0, 0 } },
    /* regions that read from outside; several results */
    { MAIN("%a: tensor<f32>", "tensor<f32>",
           "%c = stablehlo.constant dense<0> : tensor<i32>\n %two = stablehlo.add %a, %a : tensor<f32>\n"
           "%0:2 = stablehlo.while(%i = %c, %s = %a) : tensor<i32>, tensor<f32>\n cond {\n"
           "%n = stablehlo.constant dense<3> : tensor<i32>\n"
           "%1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
           "stablehlo.return %1 : tensor<i1>\n } do {\n"
           "%n = stablehlo.constant dense<1> : tensor<i32>\n %1 = stablehlo.add %i, %n : tensor<i32>\n"
           "%2 = stablehlo.add %s, %two : tensor<f32>\n"
           "stablehlo.return %1, %2 : tensor<i32>, tensor<f32>\n }\n return %0#1 : tensor<f32>"),
      1,
      { 7 } },
    { MAIN("%a: tensor<f32>", "tensor<f32>",
           "%c = stablehlo.constant dense<1> : tensor<i32>\n"
           "%0 = \"stablehlo.case\"(%c) ({\n stablehlo.return %a : tensor<f32>\n }, {\n"
           "%1 = stablehlo.negate %a : tensor<f32>\n"
           "stablehlo.return %1 : tensor<f32>\n }) : (tensor<i32>) -> tensor<f32>\n return %0 : tensor<f32>"),
      1,
      { -1 } },
    { MAIN("%a: tensor<4xf32>", "tensor<4xf32>",
           "%i = stablehlo.iota dim = 0 : tensor<4xi32>\n"
           "%0:2 = \"stablehlo.sort\"(%a, %i) <{dimension = 0 : i64, is_stable = true}> ({\n"
           "^bb0(%l: tensor<f32>, %r: tensor<f32>, %p: tensor<i32>, %q: tensor<i32>):\n"
           "%1 = stablehlo.compare GT, %l, %r, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
           "stablehlo.return %1 : tensor<i1>\n"
           "}) : (tensor<4xf32>, tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>)\n return %0#0 : tensor<4xf32>"),
      4,
      { 4, 3, 2, 1 } },
    { "func.func private @twice(%x: tensor<f32>) -> tensor<f32> {\n %0 = stablehlo.add %x, %x : tensor<f32>\n"
      "return %0 : tensor<f32>\n}\n"
      "func.func @main(%a: tensor<f32> loc(\"a\")) -> tensor<f32> {\n"
      "%0 = call @twice(%a) : (tensor<f32>) -> tensor<f32> loc(#l1)\n"
      "%1 = func.call @twice(%0) : (tensor<f32>) -> tensor<f32>\n return %1 : tensor<f32>\n}\n"
      "#l1 = loc(\"f.py\":3:1)\n",
      1,
      { 4 } },
    { MAIN("%a: tensor<2xf32>", "tensor<2x4xui8>",
           "%0 = stablehlo.bitcast_convert %a : (tensor<2xf32>) -> tensor<2x4xui8>\n return %0 : tensor<2x4xui8>"),
      8,
      { 0, 0, 0x80, 0x3f, 0, 0 } },
    { MAIN("%a: tensor<3xf32>", "tensor<3xf32>",
           "%0 = stablehlo.reduce_precision %a, format = e5m0 : tensor<3xf32>\n return %0 : tensor<3xf32>"),
      3,
      { 1, 2, 2 } },
};

static void computes(void)
{
    const float x[4] = { 1, 2, 3, 4 };
    for (size_t k = 0; k < sizeof computed / sizeof *computed; k++) {
        float y[64];
        const int n = run(computed[k].text, x, y);
        CHECK(n == computed[k].n, "%zu: %d elements", k, n);
        for (int i = 0; i < n && i < 6; i++)
            CHECK(y[i] == computed[k].want[i], "%zu: element %d is %g instead of %g", k, i, (double)y[i],
                  (double)computed[k].want[i]);
    }
}

/* ---- refusals ---- */

static const struct { const char *text, *site, *what; } refused[] = {
    { MAIN("%a: tensor<?xf32>", "tensor<2xf32>", ""), "t.mlir:2:36", "dynamic" },
    { MAIN("%a: tensor<2x!quant.uniform<i8:f32, 0.5>>", "tensor<2xf32>", ""), "t.mlir:2:38", "quantised" },
    { MAIN("%a: tensor<2xf32>", "tensor<2xf32>",
      "%0 = stablehlo.frob %a : tensor<2xf32>\nreturn %0 : tensor<2xf32>"), "t.mlir:3:6", "stablehlo.frob" },
    { MAIN("%a: tensor<2xf32>", "tensor<2xf32>", "return %b : tensor<2xf32>"), "t.mlir:3:8", "%b is not defined" },
    { MAIN("%a: tensor<2xf32>", "tensor<2xf32>",
      "%0 = stablehlo.abs %a : tensor<2xf32>\n"
      "%0 = stablehlo.negate %a : tensor<2xf32>\nreturn %0 : tensor<2xf32>"), "t.mlir:4:1", "%0 is defined twice" },
    { MAIN("%a: tensor<2xf32>, %a: tensor<2xf32>", "tensor<2xf32>", "return %a : tensor<2xf32>"), "t.mlir:2:44",
      "%a is defined twice" },
    { MAIN("%a: tensor<2xf32>", "tensor<3xf32>", "return %a : tensor<2xf32>"), "t.mlir:2:47", "f32[3]" },
    { MAIN("", "tensor<2xf32>",
      "%0 = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<2xf32>\n"
      "return %0 : tensor<2xf32>"), "t.mlir:3:31", "3 elements" },
    { MAIN("", "tensor<2xi8>",
      "%0 = stablehlo.constant dense<[1, 300]> : tensor<2xi8>\n"
      "return %0 : tensor<2xi8>"), "t.mlir:3:35", "cannot hold" },
    { MAIN("%a: tensor<2xf32>", "tensor<2xf32>",
      "%0 = call @main(%a) : (tensor<2xf32>) -> tensor<2xf32>\n"
      "return %0 : tensor<2xf32>"), "t.mlir:3:6", "recursion" },
    { MAIN("%a: tensor<2xf32>", "tensor<2xf32>",
      "%0 = call @g(%a) : (tensor<2xf32>) -> tensor<2xf32>\n"
      "return %0 : tensor<2xf32>"), "t.mlir:3:6", "no function @g" },
    { "module {\n func.func private @f() -> tensor<f32> {\n }\n}\n", "t.mlir:2:20", "no @main" },
    { "", "t.mlir:1:1", "no function" },
    { "ML\xefR", "t.mlir:1:1", "bytecode" },
    { MAIN("%a: tensor<1x1x1x1x1x1x1x1x1x1x1x1x1xf32>", "tensor<2xf32>", ""), "t.mlir:2:60", "12 dims" },
    { MAIN("%a: tensor<100000000x100000000xf32>", "tensor<2xf32>", ""), "t.mlir:2:29", "2^48" },
};

static void refuses(void)
{
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        const reading r = read_text(refused[k].text);
        CHECK(!r.fn, "%zu was accepted: %s", k, refused[k].what);
        CHECK(strstr(r.what, refused[k].what), "%zu: \"%s\"", k, r.what);
        CHECK(!strcmp(r.site, refused[k].site), "%zu: at %s instead of %s (%s)", k, r.site, refused[k].site, r.what);
        base_close(r.a);
    }
}

static void deep(void)                                   /* nesting without end is refused, not a fallen stack */
{
    static const char *const open[] = { "[", "{a = ", "<", "loc(" };
    enum { DEPTH = 100000 };
    for (size_t k = 0; k < sizeof open / sizeof *open; k++) {
        const size_t n = strlen(open[k]);
        char *const text = malloc(n * DEPTH + 40);
        strcpy(text, "module attributes {a = ");
        for (size_t i = 0, at = strlen(text); i < DEPTH; i++, at += n) memcpy(text + at, open[k], n + 1);
        const reading r = read_text(text);
        CHECK(!r.fn && *r.what, "%zu levels of %s were accepted", (size_t)DEPTH, open[k]);
        base_close(r.a);
        free(text);
    }
}

/* ---- spoiled texts ---- */

static long spoiled;
static void spoil(const char *text, size_t step)
{
    static const char junk[] = "}{)(]<>:%@#\"x0-";
    const size_t n = strlen(text);
    char *const copy = malloc(n + 1);
    for (size_t i = 0; i < n; i += step) {
        if (!check_turn(i / step)) continue;
        memcpy(copy, text, n + 1);
        copy[i] = 0;
        reading r = read_text(copy);
        CHECK(r.fn || *r.what, "cut off at %zu: no word", i);
        base_close(r.a);
        memcpy(copy, text, n + 1);
        copy[i] = junk[(i / step) % (sizeof junk - 1)];
        r = read_text(copy);
        CHECK(r.fn || *r.what, "spoiled at %zu: no word", i);
        base_close(r.a);
        memmove(copy + i, text + i + 1, n - i);          /* one byte less */
        r = read_text(copy);
        CHECK(r.fn || *r.what, "shortened at %zu: no word", i);
        base_close(r.a);
        spoiled += 3;
    }
    free(copy);
}

/* Layouts and collectives: what JAX prints, older and newer, and groups that are no axes. */
static const char *const spread[] = {
    "module @jit_f attributes {mhlo.num_partitions = 8 : i32} {\n"
    "  sdy.mesh @mesh = <[\"data\"=2, \"model\"=4]>\n"
    "  func.func public @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"data\"}, {?}]>}, %arg1: "
    "tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {\"model\":(1)2}]>}) -> (tensor<8xf32> "
    "{sdy.sharding = "
    "#sdy.sharding<@mesh, [{\"data\"}], replicated={\"model\"}>}) {\n"
    "    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<8x16xf32>, "
    "tensor<16x16xf32>) -> "
    "tensor<8x16xf32>\n"
    "    %2 = sdy.sharding_constraint %0 <@mesh, [{\"data\"}, {\"model\"}p1]> : tensor<8x16xf32>\n"
    "    %c = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "    %5 = stablehlo.reduce(%2 init: %c) applies stablehlo.add across dimensions = [1] : (tensor<8x16xf32>, "
    "tensor<f32>) -> "
    "tensor<8xf32>\n    return %5 : tensor<8xf32>\n  }\n}\n",
    "module {\n  sdy.mesh @mesh = <[\"data\"=2, \"model\"=4]>\n"
    "  func.func public @main(%arg0: tensor<8x16xf32>) -> tensor<8x16xf32> {\n"
    "    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{\"data\"}, {\"model\"}]>] out_shardings=[<@mesh, "
    "[{\"data\"}, {\"model\"}]>] manual_axes={\"data\", \"model\"} (%arg1: tensor<4x4xf32>) {\n"
    "      %1 = \"stablehlo.all_reduce\"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, "
    "replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({\n"
    "      ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n        %s = stablehlo.add %a, %b : tensor<f32>\n"
    "        stablehlo.return %s : tensor<f32>\n      }) : (tensor<4x4xf32>) -> tensor<4x4xf32>\n"
    "      %2 = \"stablehlo.all_reduce\"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, "
    "replica_groups = dense<[[0, 3], [1, 2], [4, 7], [5, 6]]> : tensor<4x2xi64>, use_global_device_ids}> ({\n"
    "      ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n        %s = stablehlo.maximum %a, %b : tensor<f32>\n"
    "        stablehlo.return %s : tensor<f32>\n      }) : (tensor<4x4xf32>) -> tensor<4x4xf32>\n"
    "      %3 = \"stablehlo.collective_permute\"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 3, "
    "type = 1>, "
    "source_target_pairs = dense<[[0, 1], [1, 0], [4, 5], [5, 4]]> : tensor<4x2xi64>}> : (tensor<4x4xf32>) -> "
    "tensor<4x4xf32>\n"
    "      %p = stablehlo.partition_id : tensor<ui32>\n"
    "      %q = stablehlo.convert %p : (tensor<ui32>) -> tensor<f32>\n"
    "      %r = stablehlo.broadcast_in_dim %q, dims = [] : (tensor<f32>) -> tensor<4x4xf32>\n"
    "      %4 = stablehlo.add %3, %r : tensor<4x4xf32>\n      sdy.return %4 : tensor<4x4xf32>\n"
    "    } : (tensor<8x16xf32>) -> tensor<8x16xf32>\n    return %0 : tensor<8x16xf32>\n  }\n}\n",
    "module attributes {mhlo.num_partitions = 8 : i32} {\n"
    "  func.func public @main(%arg0: tensor<8x16xf32> {mhlo.sharding = \"{devices=[2,1,4]<=[8] "
    "last_tile_dim_replicate}\"}) "
    "-> (tensor<8x16xf32> {mhlo.sharding = \"{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}\"}) {\n"
    "    %0 = stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = \"{devices=[2,4]0,1,2,3,4,5,6,7}\"} : "
    "(tensor<8x16xf32>) -> tensor<8x16xf32>\n"
    "    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = \"{manual}\"} : (tensor<8x16xf32>) -> "
    "tensor<4x4xf32>\n"
    "    %2 = call @shmap_body(%1) : (tensor<4x4xf32>) -> tensor<4x16xf32>\n"
    "    %3 = stablehlo.custom_call @Sharding(%2) {mhlo.sharding = \"{manual}\"} : (tensor<4x16xf32>) -> "
    "tensor<4x16xf32>\n"
    "    %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {mhlo.sharding = \"{devices=[2,1,4]<=[8] "
    "last_tile_dim_replicate}\"} : (tensor<4x16xf32>) -> tensor<8x16xf32>\n"
    "    return %4 : tensor<8x16xf32>\n  }\n"
    "  func.func private @shmap_body(%arg0: tensor<4x4xf32>) -> tensor<4x16xf32> {\n"
    "    %0 = \"stablehlo.all_gather\"(%arg0) <{all_gather_dim = 1 : i64, channel_handle = "
    "#stablehlo.channel_handle<handle = 1, "
    "type = 1>, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, use_global_device_ids}> : "
    "(tensor<4x4xf32>) -> tensor<4x16xf32>\n    return %0 : tensor<4x16xf32>\n  }\n}\n",
    "module {\n  sdy.mesh @mesh = <[\"data\"=2, \"model\"=4]>\n"
    "  func.func public @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"data\"}, {?}]>}) -> "
    "tensor<8x16xf32> {\n"
    "    %0 = sdy.propagation_barrier %arg0 allowed_direction=FORWARD : tensor<8x16xf32>\n"
    "    %1 = \"sdy.propagation_barrier\"(%0) <{allowed_direction = 0 : i32}> : (tensor<8x16xf32>) -> "
    "tensor<8x16xf32>\n"
    "    %2 = stablehlo.custom_call @local_xla.sdy.PropagationBarrier(%1) {has_side_effect = true, "
    "mhlo.frontend_attributes = {xla.sdy.allowed_direction = \"2 : i32\"}} : (tensor<8x16xf32>) -> "
    "tensor<8x16xf32>\n    return %2 : tensor<8x16xf32>\n  }\n}\n",
};

/* A barrier against propagation that says no direction, or one that there is not. */
static void wrong_barriers(void)
{
    static const char *const said[] = { "", " allowed_direction=BOTH", " allowed_direction=3" };
    for (size_t k = 0; k < sizeof said / sizeof *said; k++) {
        char text[512];
        snprintf(text, sizeof text, "func.func @main(%%arg0: tensor<8xf32>) -> tensor<8xf32> {\n"
                 "  %%0 = sdy.propagation_barrier %%arg0%s : tensor<8xf32>\n  return %%0 : tensor<8xf32>\n}\n",
                 said[k]);
        reading r = read_text(text);
        CHECK(!r.fn && strstr(r.what, "NONE, FORWARD or BACKWARD"), "%s: %s", said[k], r.what);
        base_close(r.a);
    }
}

/* Shardings of GSPMD that give a device twice, or say what is not known. */
static void wrong_grids(void)
{
    static const char *const said[] = {
        "{devices=[2,4]0,1,2,3,1,2,3,4}", "{devices=[2,4]0,1,2,3,4,5,6,7,8}", "{devices=[4,2]<=[2,4]T(0,0)}",
        "{devices=[8,1]<=[8] last_tile_dim_shared}", "{devices=[4,1,2]<=[8] last_tile_dims={unreduced}}",
        "{devices=[8,1]<=[8] shard_as 1}", "{devices=[8,1]<=[8]", "{devices=[8,1]<=[8]}}",
    }, *const right[] = {
        "{devices=[2,4]0,2,4,6,1,3,5,7}", "{devices=[4,2]<=[2,4]T(1,0)}",
        "{devices=[2,2,2]<=[8] last_tile_dims={manual}}",
        "{devices=[2,1,2,2]<=[8] last_tile_dims={manual, replicated}}",
        "{devices=[8,1]<=[8] metadata={op_name=\\22a\\22}}",
    };
    const size_t wrong = sizeof said / sizeof *said, all = wrong + sizeof right / sizeof *right;
    for (size_t k = 0; k < all; k++) {
        char text[512];
        const char *const s = k < wrong ? said[k] : right[k - wrong];
        snprintf(text, sizeof text, "module attributes {mhlo.num_partitions = 8 : i32} {\n"
                 "  func.func @main(%%arg0: tensor<8x16xf32> {mhlo.sharding = \"%s\"}) -> tensor<8x16xf32> {\n"
                 "    return %%arg0 : tensor<8x16xf32>\n  }\n}\n", s);
        reading r = read_text(text);
        if (k < wrong) CHECK(!r.fn && strstr(r.what, "not understood"), "%s: %s", s, r.what);
        else CHECK(r.fn, "%s: %s", s, r.what);
        base_close(r.a);
    }
}

static void spread_texts(void)
{
    static const char *const holds[] = { "constrain", "manual", "manual", "{allowed_direction=none}" };
    for (size_t k = 0; k < sizeof spread / sizeof *spread; k++) {
        reading r = read_text(spread[k]);
        CHECK(r.fn && r.fn->mesh && mesh_size(r.fn->mesh) == 8, "%zu: %s", k, r.what);
        CHECK(r.fn && strstr(ir_print(r.a, r.fn), holds[k]), "%zu: no %s", k, holds[k]);
        base_close(r.a);
    }
}

static long trips;
typedef struct { base_arena *a; const char *text; ir_fn *fn; const char *first, *second; ir_fn *again; } trip;

static void write_it(void *arg)
{
    trip *t = arg;
    if ((t->fn = hlo_read(t->a, NULL, t->text))) t->fn = hlo_raise(t->a, t->fn);
    if (t->fn && (t->first = hlo_write(t->a, t->fn))) t->again = hlo_read(t->a, NULL, t->first);
    if (t->again && (t->again = hlo_raise(t->a, t->again))) t->second = hlo_write(t->a, t->again);
}

/* Read, written, read and written again: the same function, the same text. A rule for derivatives, such as that of a
 * relu, is known by what the text of JAX says, and leaves no trace in ours: then the text alone is the same. */
static void round_trip(const char *name, const char *text)
{
    trip t = { .a = base_open(), .text = text };
    base_clear_error();
    CHECK(base_catch(write_it, &t), "%s: unwound", name);
    if (t.fn) {
        const base_error *e = base_failed();
        trips++;
        CHECK(t.second && !strcmp(t.first, t.second), "%s: %s", name, e ? e->what : "another text");
        const bool ruled = strstr(ir_print(t.a, t.fn), "custom_jvp") != NULL;
        CHECK(t.again && (ruled || ir_hash(t.fn) == ir_hash(t.again)), "%s: another function", name);
    }
    base_clear_error();
    base_close(t.a);
}

static void spoil_folder(const char *suite)
{
    const char *const root = getenv("TUTTI_ORACLE");
    char path[2048];
    snprintf(path, sizeof path, "%s/%s", root ? root : "", suite);
    DIR *const d = root ? opendir(path) : NULL;
    if (!d) CHECK_SKIP("no programs here (TUTTI_ORACLE is not set)");
    if (!d) return;
    for (const struct dirent *e; (e = readdir(d));) {
        const size_t len = strlen(e->d_name);
        if (len < 6 || strcmp(e->d_name + len - 5, ".mlir")) continue;
        snprintf(path, sizeof path, "%s/%s/%s", root, suite, e->d_name);
        FILE *const f = fopen(path, "rb");
        static char text[1 << 18];
        const size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
        if (f) fclose(f);
        text[n] = 0;
        if (n) spoil(text, 1 + n / 40), round_trip(e->d_name, text);
    }
    closedir(d);
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    CHECK_RUN(computes());
    CHECK_RUN(refuses());
    CHECK_RUN(deep());
    if (check_named("spoil"))
        for (size_t k = 0; k < sizeof computed / sizeof *computed; k++) {
            spoil(computed[k].text, 1);
            round_trip("a text of this test", computed[k].text);
        }
    CHECK_RUN(spread_texts());
    CHECK_RUN(wrong_barriers());
    CHECK_RUN(wrong_grids());
    if (check_named("spoil"))
        for (size_t k = 0; k < sizeof spread / sizeof *spread; k++) {
            spoil(spread[k], 3);
            round_trip("a text with layouts", spread[k]);
        }
    CHECK_RUN(spoil_folder("programs"));
    CHECK_RUN(spoil_folder("layout"));
    printf("%ld spoiled texts, %ld round trips\n", spoiled, trips);
    return check_done();
}
