/* devices.c - programs for several devices as JAX's versions print them: groups of devices by axes of a mesh (since
 * 0.12), pmap's replicas (up to 0.7), names of axes that are no words; sparse products; calls that double the work.
 *
 * Longer than 400 lines: the texts that are read are most of its lines. */
#include "hlo/hlo.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <tutti.h>

typedef struct { base_arena *a; const char *text, *written; ir_fn *fn, *again; } reading;

static void read_it(void *arg)                           /* and writes, by axes, and reads again */
{
    reading *const r = arg;
    if ((r->fn = hlo_read(r->a, base_intern("t.mlir"), r->text))) r->fn = hlo_raise(r->a, r->fn);
    if (!r->fn) return;
    r->written = hlo_write_with(r->a, r->fn, &(hlo_borders){ .by_axes = true });
    r->again = r->written ? hlo_read(r->a, base_intern("again"), r->written) : NULL;
    if (r->again) r->again = hlo_raise(r->a, r->again);
}

static reading read_text(const char *text)
{
    reading r = { .a = base_open(), .text = text };
    base_clear_error();
    if (!base_catch(read_it, &r)) r.fn = NULL;
    return r;
}

static void done(const reading *r)
{
    base_clear_error();
    base_close(r->a);
}

static const char *error(void) { return base_failed() ? base_failed()->what : "no error"; }

/* ---- groups by axes: the same function as by a table ---- */

#define AXES(mesh, axes) "#stablehlo.replica_group_mesh_axes<mesh = " mesh ", axes = [" axes "]>"
#define AXIS(name) "#stablehlo.axis_ref<name = \"" name "\">"
#define PART(name, part) "#stablehlo.axis_ref<name = \"" name "\", sub_axis_info = " part ">"
#define INLINE "#stablehlo.mesh<axes=[<name = \"x\", size = 2>, <name = \"y\", size = 4>]>"
#define TABLE(rows, of) "dense<" rows "> : tensor<" of "xi64>"

static const struct { const char *axes, *table; int each; } grouped[] = {
    { AXES("@mesh_0", AXIS("x")), TABLE("[[0, 4], [1, 5], [2, 6], [3, 7]]", "4x2"), 2 },
    { AXES("@mesh_0", AXIS("y")), TABLE("[[0, 1, 2, 3], [4, 5, 6, 7]]", "2x4"), 4 },
    { AXES("@mesh", AXIS("x") ", " AXIS("y")), TABLE("[[0, 1, 2, 3, 4, 5, 6, 7]]", "1x8"), 8 },
    { AXES("@mesh", AXIS("y") ", " AXIS("x")), TABLE("[[0, 4, 1, 5, 2, 6, 3, 7]]", "1x8"), 8 },
    { AXES(INLINE, AXIS("y")), TABLE("[[0, 1, 2, 3], [4, 5, 6, 7]]", "2x4"), 4 },
    { AXES(INLINE, "<name = \"x\">"), TABLE("[[0, 4], [1, 5], [2, 6], [3, 7]]", "4x2"), 2 },
    { AXES("@mesh", PART("y", "(1)2")), TABLE("[[0, 2], [1, 3], [4, 6], [5, 7]]", "4x2"), 2 },
    { AXES("@mesh", PART("y", "(2)2")), TABLE("[[0, 1], [2, 3], [4, 5], [6, 7]]", "4x2"), 2 },
    { AXES("@mesh", PART("y", "(2)2") ", " AXIS("x")), TABLE("[[0, 4, 1, 5], [2, 6, 3, 7]]", "2x4"), 4 },
    { AXES("@flat", PART("i", "(2)4")), TABLE("[[0, 1, 2, 3], [4, 5, 6, 7]]", "2x4"), 4 },
    { AXES("@mesh", ""), TABLE("[[0], [1], [2], [3], [4], [5], [6], [7]]", "8x1"), 1 },
};

/* All five collectives of these groups. */
static char *collectives(const char *groups, int each)
{
    static char text[8192];
    snprintf(text, sizeof text,
        "module {\n sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]> {stablehlo.mesh = {axes = [{name = \"x\", size = 2 : "
        "i64}]}}\n"
        " sdy.mesh @mesh_0 = <[\"x\"=2, \"y\"=4]>\n sdy.mesh @flat = <[\"i\"=8]>\n"
        " func.func public @main(%%arg0: tensor<64x8xf32>) -> (tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x%dxf32>, "
        "tensor<64x%dxf32>) {\n"
        "  %%0:4 = sdy.manual_computation(%%arg0) in_shardings=[<@mesh, [{\"x\", \"y\"}, {}]>] out_shardings=[<@mesh, "
        "[{\"x\", \"y\"}, {}]>, <@mesh, [{\"x\", \"y\"}, {}]>, <@mesh, [{\"x\", \"y\"}, {}]>, <@mesh, [{\"x\", \"y\"}, "
        "{}]>] manual_axes={\"x\", \"y\"} (%%a: tensor<8x8xf32>) {\n"
        "   %%1 = \"stablehlo.all_reduce\"(%%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, "
        "replica_groups = %s, use_global_device_ids}> ({\n   ^bb0(%%p: tensor<f32>, %%q: tensor<f32>):\n"
        "    %%s = stablehlo.add %%p, %%q : tensor<f32>\n    stablehlo.return %%s : tensor<f32>\n"
        "   }) : (tensor<8x8xf32>) -> tensor<8x8xf32>\n"
        "   %%2 = \"stablehlo.all_to_all\"(%%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, "
        "concat_dimension = 0 : i64, replica_groups = %s, split_count = %d : i64, split_dimension = 0 : i64}> : "
        "(tensor<8x8xf32>) -> tensor<8x8xf32>\n"
        "   %%3 = \"stablehlo.all_gather\"(%%a) <{all_gather_dim = 1 : i64, channel_handle = "
        "#stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = %s, use_global_device_ids}> : "
        "(tensor<8x8xf32>) -> tensor<8x%dxf32>\n"
        "   %%4 = \"stablehlo.reduce_scatter\"(%%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = "
        "1>, "
        "replica_groups = %s, scatter_dimension = 1 : i64, use_global_device_ids}> ({\n"
        "   ^bb0(%%p: tensor<f32>, %%q: tensor<f32>):\n    %%s = stablehlo.add %%p, %%q : tensor<f32>\n"
        "    stablehlo.return %%s : tensor<f32>\n   }) : (tensor<8x8xf32>) -> tensor<8x%dxf32>\n"
        "   %%5 = \"stablehlo.collective_broadcast\"(%%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, "
        "type = 1>, replica_groups = %s}> : (tensor<8x8xf32>) -> tensor<8x8xf32>\n"
        "   sdy.return %%5, %%2, %%3, %%4 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x%dxf32>, tensor<8x%dxf32>\n"
        "  } : (tensor<64x8xf32>) -> (tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x%dxf32>, tensor<64x%dxf32>)\n"
        "  return %%0#0, %%0#1, %%0#2, %%0#3 : tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x%dxf32>, "
        "tensor<64x%dxf32>\n }\n}\n",
        8 * each, 8 / each, groups, groups, each, groups, 8 * each, groups, 8 / each, groups, 8 * each, 8 / each,
        8 * each, 8 / each, 8 * each, 8 / each);
    return text;
}

static void by_axes(void)
{
    for (size_t k = 0; k < sizeof grouped / sizeof *grouped; k++) {
        const reading r = read_text(collectives(grouped[k].axes, grouped[k].each));
        CHECK(r.fn, "%zu: %s", k, error());
        const reading t = read_text(collectives(grouped[k].table, grouped[k].each));
        CHECK(t.fn, "%zu: by a table: %s", k, error());
        CHECK(!r.fn || !t.fn || ir_hash(r.fn) == ir_hash(t.fn), "%zu: another function than by a table", k);
        CHECK(r.again && ir_hash(r.fn) == ir_hash(r.again), "%zu: written by axes, another function: %s", k, error());
        const bool named = r.written && strstr(r.written, "#stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [");
        CHECK(r.written && named == (grouped[k].each > 1) && !strstr(r.written, "replica_groups = dense"),
              "%zu: not as groups by axes:\n%s", k, r.written);      /* of one device: nothing is exchanged */
        done(&r), done(&t);
    }
}

static const struct { const char *axes, *what; } wrong[] = {
    { AXES("@none", AXIS("x")), "there is no mesh @none" },
    { AXES("@mesh", AXIS("z")), "the mesh has no axis \"z\"" },
    { AXES("@mesh", AXIS("x") ", " AXIS("x")), "the same places of an axis twice" },
    { AXES("@mesh", AXIS("y") ", " PART("y", "(1)2")), "the same places of an axis twice" },
    { AXES("@mesh", PART("y", "(3)2")), "axis \"y\" of size 4 has no part (3)2" },
    { AXES("@mesh", PART("y", "(0)2")), "has no part" },
    { AXES("@mesh", PART("y", "5")), "has no part" },
    { AXES("@mesh", "7"), "expected an axis" },
    { AXES("#stablehlo.mesh<axes=[<name = \"x\", size = 4>]>", AXIS("x")),
      "a mesh that has other devices than the first mesh" },
    { AXES("#stablehlo.mesh<axes=[<name = \"x\", size = 8>], device_ids = dense<[1, 0, 2, 3, 4, 5, 6, 7]> : "
           "tensor<8xi64>>", AXIS("x")), "or another order" },
    { AXES("#stablehlo.mesh<axes=[<name = \"x\", size = 8>], device_ids = dense<[1, 0]> : tensor<2xi64>>", AXIS("x")),
      "device_ids has 2 numbers; expected 8, one per device" },
    { AXES("#stablehlo.mesh<axes=[]>", AXIS("x")), "a mesh has no axes; expected 1 or more" },
    { "#stablehlo.replica_group_mesh_axes<axes = []>", "names no mesh" },
    { "#stablehlo.replica_group_mesh_axes<mesh = @mesh>", "expected a list of axes" },
};

static void refuses(void)
{
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        const reading r = read_text(collectives(wrong[k].axes, 2));
        CHECK(!r.fn && strstr(error(), wrong[k].what), "%zu: %s", k, error());
        done(&r);
    }
}

/* ---- values ---- */

/* fmt, of a call's result; several results by "a | b" */
static void gives(const char *what, const char *text, const char *want, int n, const tt_val *x)
{
    const tt_fn f = tt_import(text);
    char got[512] = "";
    const tt_val y = tt_call_n(what, f, n, x);
    for (int j = 0; tt_ok() && j < (tt_items(y) ? tt_items(y) : 1); j++) {
        const tt_val v = tt_items(y) ? tt_item(y, j) : y;
        float *const to = malloc(sizeof(float) * (size_t)tt_count(v));
        tt_read(tt_cast(v, TT_F32), to, sizeof(float) * (size_t)tt_count(v));
        for (int64_t i = 0; i < tt_count(v) && tt_ok(); i++)
            snprintf(got + strlen(got), sizeof got - strlen(got), "%s%g", i ? " " : j ? " | " : "", (double)to[i]);
        free(to);
    }
    CHECK(tt_ok() && !strcmp(got, want), "%s: %s, not %s", what, tt_ok() ? got : tt_error(), want);
    tt_clear();
}

#define PMAP(n, args, result, body) "module @pmap_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = " n \
    " : i32} {\n func.func public @main(" args ") -> " result " {\n" body " }\n}\n"
#define SAME " {mhlo.is_same_data_across_replicas = true}"

/* jax.pmap(lambda a, b: (psum(a), a * b + axis_index), in_axes = (1, None)) over 4 of [2, 4], and a result of all */
static void replicas(void)
{
    static const char text[] = PMAP("4", "%a: tensor<2x1xf32>, %b: tensor<2xf32>" SAME,
        "(tensor<1x2xf32>, tensor<2x1xf32>, tensor<2xf32>)",
        "  %0 = stablehlo.reshape %a : (tensor<2x1xf32>) -> tensor<2xf32>\n"
        "  %1 = \"stablehlo.all_reduce\"(%0) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> ({\n"
        "  ^bb0(%p: tensor<f32>, %q: tensor<f32>):\n   %s = stablehlo.add %p, %q : tensor<f32>\n"
        "   stablehlo.return %s : tensor<f32>\n  }) : (tensor<2xf32>) -> tensor<2xf32>\n"
        "  %2 = stablehlo.replica_id : tensor<ui32>\n  %3 = stablehlo.convert %2 : (tensor<ui32>) -> tensor<f32>\n"
        "  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<2xf32>\n"
        "  %5 = stablehlo.multiply %0, %b : tensor<2xf32>\n  %6 = stablehlo.add %5, %4 : tensor<2xf32>\n"
        "  %7 = \"stablehlo.collective_permute\"(%6) <{source_target_pairs = dense<[[3, 0], [0, 1], [1, 2], [2, 3]]> : "
        "tensor<4x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>\n"
        "  %8 = stablehlo.broadcast_in_dim %7, dims = [1] : (tensor<2xf32>) -> tensor<1x2xf32>\n"
        "  %9 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<2xf32>) -> tensor<2x1xf32>\n"
        "  return %8, %9, %1 : tensor<1x2xf32>, tensor<2x1xf32>, tensor<2xf32>\n");
    const float b[] = { 10, 100 };
    const tt_val x[] = { tt_reshape(tt_arange(TT_F32, 8), 2, 4), tt_array(TT_F32, b, 2) };
    gives("replicas", text, "33 703 0 400 11 501 22 602 | 0 11 22 33 400 501 602 703 | 6 22", 2, x);
    const reading r = read_text(PMAP("4", "%a: tensor<1xf32>", "tensor<1xf32>", "  return %a : tensor<1xf32>\n"));
    CHECK(r.fn && r.fn->type[1]->dim[0] == 4, "%s", error());
    done(&r);
    const reading both = read_text("module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 4 : i32} {\n"
        " func.func @main(%a: tensor<1xf32>) -> tensor<1xf32> { return %a : tensor<1xf32> }\n}\n");
    CHECK(!both.fn && strstr(error(), "4 replicas of 2 partitions"), "%s", error());
    done(&both);
}

/* ---- axes of size 1, over which JAX writes no manual computation ---- */

#define SUM "({\n   ^bb0(%p: tensor<f32>, %q: tensor<f32>):\n    %s = stablehlo.add %p, %q : tensor<f32>\n" \
    "    stablehlo.return %s : tensor<f32>\n   }) : (tensor<4x2xf32>) -> tensor<4x2xf32>\n"
#define CHANNEL "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, "

static const struct { const char *mesh, *groups, *pairs, *pairs_type; } lonely[] = {
    { "", TABLE("0", "1x1"), "0", "1x2" },
    { " sdy.mesh @mesh = <[\"x\"=1]>\n", AXES("@mesh", AXIS("x")), "0", "1x2" },
    { " sdy.mesh @mesh = <[\"x\"=1, \"y\"=4]>\n", AXES("@mesh", AXIS("x")), "[[0, 0], [1, 1], [2, 2], [3, 3]]",
      "4x2" },
    { NULL, TABLE("[[0], [1], [2], [3]]", "4x1"), "[[0, 0], [1, 1], [2, 2], [3, 3]]", "4x2" },
    { " sdy.mesh @mesh = <[\"x\"=1, \"y\"=4]>\n", TABLE("[[0], [1], [2], [3]]", "4x1"),
      "[[3, 3], [1, 1], [2, 2], [0, 0]]", "4x2" },
};

static const char *alone_text(const char *mesh, const char *groups, const char *pairs, const char *pairs_type)
{
    static char text[4096];
    snprintf(text, sizeof text, "module%s {\n%s func.func public @main(%%a: tensor<4x2xf32>) -> (tensor<4x2xf32>, "
        "tensor<4x2xf32>) {\n   %%1 = \"stablehlo.all_reduce\"(%%a) <{" CHANNEL "replica_groups = %s, "
        "use_global_device_ids}> %s   %%2 = \"stablehlo.all_gather\"(%%1) <{all_gather_dim = 1 : i64, " CHANNEL
        "replica_groups = %s, use_global_device_ids}> : (tensor<4x2xf32>) -> tensor<4x2xf32>\n"
        "   %%3 = \"stablehlo.reduce_scatter\"(%%2) <{" CHANNEL "replica_groups = %s, scatter_dimension = 0 : i64, "
        "use_global_device_ids}> %s   %%4 = \"stablehlo.all_to_all\"(%%3) <{" CHANNEL "concat_dimension = 0 : i64, "
        "replica_groups = %s, split_count = 1 : i64, split_dimension = 1 : i64}> : (tensor<4x2xf32>) -> "
        "tensor<4x2xf32>\n   %%5 = \"stablehlo.collective_broadcast\"(%%4) <{" CHANNEL "replica_groups = %s}> : "
        "(tensor<4x2xf32>) -> tensor<4x2xf32>\n   %%6 = \"stablehlo.collective_permute\"(%%5) <{" CHANNEL
        "source_target_pairs = dense<%s> : tensor<%sxi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>\n"
        "   %%7 = \"stablehlo.collective_permute\"(%%6) <{" CHANNEL "source_target_pairs = dense<> : "
        "tensor<0x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>\n"
        "   return %%6, %%7 : tensor<4x2xf32>, tensor<4x2xf32>\n }\n}\n",
        mesh ? "" : " attributes {mhlo.num_partitions = 4 : i32}", mesh ? mesh : "", groups, SUM, groups, groups,
        SUM, groups, groups, pairs, pairs_type);
    return text;
}

static void alone(void)
{
    const tt_val x = tt_reshape(tt_arange(TT_F32, 8), 4, 2);
    for (size_t k = 0; k < sizeof lonely / sizeof *lonely; k++)
        gives("alone", alone_text(lonely[k].mesh, lonely[k].groups, lonely[k].pairs, lonely[k].pairs_type),
              "0 1 2 3 4 5 6 7 | 0 0 0 0 0 0 0 0", 1, &x);
    const char *const two = " sdy.mesh @mesh = <[\"x\"=2]>\n";
    static const struct { const char *groups, *pairs, *type; } not_alone[] = {
        { TABLE("[[0, 1]]", "1x2"), "[[0, 0], [1, 1]]", "2x2" }, { TABLE("[[0]]", "1x1"), "[[0, 0], [1, 1]]", "2x2" },
        { TABLE("[[0], [1]]", "2x1"), "[[0, 1], [1, 0]]", "2x2" }, { TABLE("[[0], [1]]", "2x1"), "[[0, 0]]", "1x2" },
    };
    for (size_t k = 0; k < sizeof not_alone / sizeof *not_alone; k++) {
        const reading r = read_text(alone_text(two, not_alone[k].groups, not_alone[k].pairs, not_alone[k].type));
        CHECK(!r.fn && strstr(error(), "a collective outside of a manual computation"), "%zu: %s", k, error());
        done(&r);
    }
}

/* Pairs that move along x alone are a permutation over x: y's places of a loop's condition may differ. */
static void along_one(void)
{
    static const char text[] = "module {\n sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\n"
        " func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
        "  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{\"x\"}]>] out_shardings=[<@mesh, [{\"x\"}]>] "
        "manual_axes={\"x\", \"y\"} (%b: tensor<1xf32>) {\n"
        "   %1 = stablehlo.while(%c = %b) : tensor<1xf32>\n   cond {\n"
        "    %2 = \"stablehlo.all_reduce\"(%c) <{" CHANNEL "replica_groups = " AXES("@mesh", AXIS("x")) ", "
        "use_global_device_ids}> ({\n    ^bb0(%p: tensor<f32>, %q: tensor<f32>):\n     %s = stablehlo.add %p, %q : "
        "tensor<f32>\n     stablehlo.return %s : tensor<f32>\n    }) : (tensor<1xf32>) -> tensor<1xf32>\n"
        "    %3 = stablehlo.reshape %2 : (tensor<1xf32>) -> tensor<f32>\n"
        "    %4 = stablehlo.constant dense<20.0> : tensor<f32>\n"
        "    %5 = stablehlo.compare LT, %3, %4 : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
        "    stablehlo.return %5 : tensor<i1>\n   } do {\n    %2 = \"stablehlo.collective_permute\"(%c) <{" CHANNEL
        "source_target_pairs = dense<[[0, 2], [1, 3], [2, 0], [3, 1]]> : tensor<4x2xi64>}> : (tensor<1xf32>) -> "
        "tensor<1xf32>\n    %3 = stablehlo.add %c, %2 : tensor<1xf32>\n    stablehlo.return %3 : "
        "tensor<1xf32>\n   }\n"
        "   sdy.return %1 : tensor<1xf32>\n  } : (tensor<2xf32>) -> tensor<2xf32>\n  return %0 : tensor<2xf32>\n"
        " }\n}\n";
    const tt_val x = tt_add(tt_arange(TT_F32, 2), tt_f(1));
    gives("along one", text, "12 12", 1, &x);
}

/* jax 0.4's shard_map of replicated values, which names no grid: its devices are the module's partitions. */
static void uncut(void)
{
#define MANUAL "{backend_config = \"\", mhlo.sharding = \"{manual}\"} : (tensor<2xf32>) -> tensor<2xf32>\n"
    static const char text[] = "module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {\n"
        " func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
        "  %0 = stablehlo.custom_call @SPMDFullToShardShape(%a) " MANUAL
        "  %1 = \"stablehlo.all_reduce\"(%0) <{" CHANNEL "replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, "
        "use_global_device_ids}> ({\n   ^bb0(%p: tensor<f32>, %q: tensor<f32>):\n    %s = stablehlo.add %p, %q : "
        "tensor<f32>\n    stablehlo.return %s : tensor<f32>\n   }) : (tensor<2xf32>) -> tensor<2xf32>\n"
        "  %2 = stablehlo.custom_call @Sharding(%1) " MANUAL
        "  %3 = stablehlo.custom_call @SPMDShardToFullShape(%2) {backend_config = \"\", mhlo.sharding = "
        "\"{replicated}\"} : (tensor<2xf32>) -> tensor<2xf32>\n  return %3 : tensor<2xf32>\n }\n}\n";
    const tt_val x = tt_arange(TT_F32, 2);
    gives("uncut", text, "0 4", 1, &x);
}

/* A device's number: of one device, and where the axis that is left to the compiler has size 1. */
static void number_of_one(void)
{
#define NUMBER "  %n = stablehlo.partition_id : tensor<ui32>\n  %f = stablehlo.convert %n : (tensor<ui32>) -> " \
    "tensor<f32>\n  %b = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<2xf32>\n" \
    "  %r = stablehlo.add %x, %b : tensor<2xf32>\n"
    const tt_val two = tt_arange(TT_F32, 2), four = tt_arange(TT_F32, 4);
    gives("number", "module {\n func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n" NUMBER
          "  return %r : tensor<2xf32>\n }\n}\n", "0 1", 1, &two);
    gives("number", "module {\n sdy.mesh @mesh = <[\"a\"=2, \"b\"=1]>\n func.func public @main(%0: tensor<4xf32>) -> "
          "tensor<4xf32> {\n  %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{\"a\"}]>] out_shardings=[<@mesh, "
          "[{\"a\"}]>] manual_axes={\"a\"} (%x: tensor<2xf32>) {\n" NUMBER "  sdy.return %r : tensor<2xf32>\n"
          "  } : (tensor<4xf32>) -> tensor<4xf32>\n  return %1 : tensor<4xf32>\n }\n}\n", "0 1 3 4", 1, &four);
    const reading r = read_text("module {\n sdy.mesh @mesh = <[\"a\"=2]>\n func.func public @main(%x: tensor<2xf32>) "
                                "-> tensor<2xf32> {\n" NUMBER "  return %r : tensor<2xf32>\n }\n}\n");
    CHECK(!r.fn && strstr(error(), "stands outside of a manual computation"), "%s", error());
    done(&r);
}

/* An axis without a name, as jax 0.8's pmap prints one. */
static void odd_names(void)
{
#define ODD "\"<axis 0x7fdc5558fce0>\""
    static const char text[] = "module {\n sdy.mesh @mesh = <[" ODD "=4]>\n"
        " func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
        "  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{" ODD "}]>] out_shardings=[<@mesh, [{" ODD "}]>] "
        "manual_axes={" ODD "} (%b: tensor<1xf32>) {\n   %1 = stablehlo.add %b, %b : tensor<1xf32>\n"
        "   sdy.return %1 : tensor<1xf32>\n  } : (tensor<4xf32>) -> tensor<4xf32>\n"
        "  return %0 : tensor<4xf32>\n }\n}\n";
    const tt_val x = tt_arange(TT_F32, 4);
    gives("odd names", text, "0 2 4 6", 1, &x);
}

/* BCSR of [[0, 2, 0], [3, 0, 4], [0, 0, 0], [0, 5, 0]] times a matrix and a vector; an empty row, and elements that no
 * row has, before the first and behind the last. */
static void sparse(void)
{
#define SPARSE(dense, out) "module {\n func.func public @main(%e: tensor<6xf32>, %r: tensor<5xi32>, " \
    "%c: tensor<6xi32>, %d: tensor<" dense "xf32>) -> tensor<" out "xf32> {\n" \
    "  %0 = stablehlo.custom_call @cpu_csr_sparse_dense_ffi(%e, %r, %c, %d) {backend_config = \"\"} : " \
    "(tensor<6xf32>, tensor<5xi32>, tensor<6xi32>, tensor<" dense "xf32>) -> tensor<" out "xf32>\n" \
    "  return %0 : tensor<" out "xf32>\n }\n}\n"
    const float e[] = { 9, 2, 3, 4, 5, 9 };
    const int32_t starts[] = { 1, 2, 4, 4, 5 }, columns[] = { 0, 1, 0, 2, 1, 0 };
    tt_val x[] = { tt_array(TT_F32, e, 6), tt_array(TT_I32, starts, 5), tt_array(TT_I32, columns, 6),
                   tt_reshape(tt_arange(TT_F32, 6), 3, 2) };
    gives("a sparse matrix times a matrix", SPARSE("3x2", "4x2"), "4 6 16 23 0 0 10 15", 4, x);
    x[3] = tt_arange(TT_F32, 3);
    gives("a sparse matrix times a vector", SPARSE("3", "4"), "2 8 0 5", 4, x);
}

/* ---- calls ---- */

/* levels functions, each of which calls the next `times` times */
static char *calls(int levels, int times)
{
    enum { ROOM = 1 << 18 };
    static char text[ROOM];
    size_t n = (size_t)snprintf(text, ROOM, "module {\n"
        " func.func public @main(%%a: tensor<4xf32>) -> tensor<4xf32> {\n  %%0 = call @f0(%%a) : (tensor<4xf32>) -> "
        "tensor<4xf32>\n  return %%0 : tensor<4xf32>\n }\n");
    for (int i = 0; i < levels; i++) {
        n += (size_t)snprintf(text + n, ROOM - n, " func.func private @f%d(%%0: tensor<4xf32>) -> tensor<4xf32> {\n",
                              i);
        for (int k = 0; k < times && i + 1 < levels; k++)
            n += (size_t)snprintf(text + n, ROOM - n, "  %%%d = call @f%d(%%%d) : (tensor<4xf32>) -> tensor<4xf32>\n",
                                  k + 1, i + 1, k);
        for (int k = 0; k < times && i + 1 == levels; k++)
            n += (size_t)snprintf(text + n, ROOM - n, "  %%%d = stablehlo.cosine %%%d : tensor<4xf32>\n", k + 1, k);
        n += (size_t)snprintf(text + n, ROOM - n, "  return %%%d : tensor<4xf32>\n }\n", times);
    }
    snprintf(text + n, ROOM - n, "}\n");
    return text;
}

/* What calls twice what calls twice ... is refused where it is too much, at once; a chain of single calls is not. */
static void doubled(void)
{
    const reading r = read_text(calls(60, 2));
    CHECK(!r.fn && strstr(error(), "operations with all calls written out"), "%s", error());
    CHECK(base_failed() && base_failed()->site && !strncmp(base_failed()->site, "t.mlir:", 7), "no line");
    done(&r);
    const reading chain = read_text(calls(150, 1));
    CHECK(chain.fn != NULL, "%s", error());
    done(&chain);
    const tt_fn f = tt_import(calls(12, 2));
    const tt_program_work *const w = tt_import_work(f);
    CHECK(w && w->flops == 4 * 4096, "%g flops", w ? w->flops : -1.0);
    tt_clear();
}

static tt_val summed(tt_val x) { return tt_psum(x, "x"); }
static tt_val sent_nowhere(tt_val x) { return tt_ppermute(x, "x", ""); }

/* tt_export is what every version of JAX reads; of "0.12" and later, groups by axes. */
static void exported(void)
{
    static const struct { const char *jax; bool axes; } of[] = {
        { NULL, false },  { "0.4.34", false }, { "0.11", false },
        { "0.12", true }, { "0.12.1", true },  { "0.4", false } };
    static const char *const no[] = { "12", "0.12b", "", "new", "0.12.1.2", "-1.2", "0.0", "0.3", "0.13", "1.0", "99.0",
                                      "0.-4", "0.4294967300" };
    const tt_fn f = tt_shard_map(summed, .mesh = tt_mesh("x:2, y:4"), .in = "x, y", .out = "_, y");
    const tt_val x = tt_ones(TT_F32, 4, 8);
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        const char *const s = tt_export_for(of[k].jax, f, x);
        CHECK(s && !strstr(s, "replica_group_mesh_axes") == !of[k].axes, "%s: %s", of[k].jax, s ? s : tt_error());
        CHECK(s && tt_num(tt_sum(tt_call(tt_import(s), x))) == 32, "%s: %s", of[k].jax, tt_error());
    }
    const char *const none = tt_export(tt_shard_map(sent_nowhere, .mesh = tt_mesh("x:2"), .in = "x", .out = "x"), x);
    CHECK(strstr(none, "source_target_pairs = dense<> : tensor<0x2xi64>"), "as MLIR reads no pairs: %s", none);
    for (size_t k = 0; k < sizeof no / sizeof *no; k++) {
        CHECK(!*tt_export_for(no[k], f, x) && strstr(tt_error(), "is no version of JAX"), "%s: %s", no[k], tt_error());
        tt_clear();
    }
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    CHECK_RUN(by_axes());
    CHECK_RUN(exported());
    CHECK_RUN(refuses());
    CHECK_RUN(replicas());
    CHECK_RUN(alone());
    CHECK_RUN(along_one());
    CHECK_RUN(uncut());
    CHECK_RUN(number_of_one());
    CHECK_RUN(odd_names());
    CHECK_RUN(sparse());
    CHECK_RUN(doubled());
    return check_done();
}
