/* ops.c - operations of StableHLO texts that are put together here, by small programs: bit casts between widths,
 * narrow types in literals and back in print, collectives over groups that are no axes, of different sizes, with roots
 * that are only known when it runs; and what is refused. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tutti.h>

static bool run(const char *text, tt_val x, void *to, size_t bytes)
{
    const tt_fn f = tt_import(text);
    const bool ok = tt_read(tt_call(f, x), to, bytes);
    CHECK(ok, "%s\n%s", tt_error(), text);
    return ok;
}

static void bit_casts(void)
{
    const uint64_t word = 0x0123456789abcdef;
    const double number = -1.5;
    uint8_t got[64];
    char text[400];
    static const struct { const char *type; int n, bits; } parts[] = {
        { "i1", 64, 1 }, { "i2", 32, 2 }, { "ui4", 16, 4 }, { "i4", 16, 4 }, { "ui8", 8, 8 },
    };
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        uint64_t back = 0;
        snprintf(text, sizeof text, "func.func @main(%%x: tensor<ui64>) -> tensor<%dx%s> {\n"
                 "  %%y = stablehlo.bitcast_convert %%x : (tensor<ui64>) -> tensor<%dx%s>\n"
                 "  return %%y : tensor<%dx%s>\n}\n", parts[k].n, parts[k].type, parts[k].n, parts[k].type, parts[k].n,
                 parts[k].type);
        if (!run(text, tt_array(TT_U64, &word, TT_DIM_END), got, (size_t)parts[k].n)) continue;
        for (int i = 0; i < parts[k].n; i++)
            back |= (uint64_t)(got[i] & ((1 << parts[k].bits) - 1)) << i * parts[k].bits;
        CHECK(back == word, "as %s: %llx", parts[k].type, (unsigned long long)back);
        snprintf(text, sizeof text, "func.func @main(%%x: tensor<%dx%s>) -> tensor<ui64> {\n"
                 "  %%y = stablehlo.bitcast_convert %%x : (tensor<%dx%s>) -> tensor<ui64>\n"
                 "  return %%y : tensor<ui64>\n}\n", parts[k].n, parts[k].type, parts[k].n, parts[k].type);
        const tt_dtype d[] = { TT_BOOL, TT_I2, TT_U4, TT_I4, TT_U8 };
        if (run(text, tt_array(d[k], got, parts[k].n), &back, sizeof back)) CHECK(back == word, "from %s",
            parts[k].type);
    }
    if (run("func.func @main(%x: tensor<f64>) -> tensor<64xi1> {\n"
            "  %y = stablehlo.bitcast_convert %x : (tensor<f64>) -> tensor<64xi1>\n  return %y : tensor<64xi1>\n}\n",
            tt_array(TT_F64, &number, TT_DIM_END), got, 64))
        CHECK(got[63] && got[62] == 0 && got[51] && !got[0], "the bits of -1.5");
    const uint64_t whole[] = { 0x0123456789abcdef, 0x1111111122222222 };
    uint32_t half[4];
    if (run("func.func @main(%x: tensor<1xcomplex<f64>>) -> tensor<1x2xcomplex<f32>> {\n"
            "  %y = stablehlo.bitcast_convert %x : (tensor<1xcomplex<f64>>) -> tensor<1x2xcomplex<f32>>\n"
            "  return %y : tensor<1x2xcomplex<f32>>\n}\n",
            tt_array(TT_C128, (const void *)whole, 1), half, sizeof half))
        CHECK(half[0] == 0x89abcdef && half[1] == 0x01234567 && half[2] == 0x22222222 && half[3] == 0x11111111,
              "halves %x %x %x %x", half[0], half[1], half[2], half[3]);
    CHECK(!tt_read(tt_call(tt_import("func.func @main(%x: tensor<f6E2M3FN>) -> tensor<3xi2> {\n"
                                     "  %y = stablehlo.bitcast_convert %x : (tensor<f6E2M3FN>) -> tensor<3xi2>\n"
                                     "  return %y : tensor<3xi2>\n}\n"), tt_zeros(TT_F6E2M3FN)), got, 3) &&
              strstr(tt_error(), "6 bits"), "%s", tt_error());
    tt_clear();
}

/* Literals of narrow types: decimals, bits, blobs; and the same text once more behind a print. */
static void literals(void)
{
    static const struct { const char *type, *value; uint8_t want[4]; tt_dtype dtype; } list[] = {
        { "f8E4M3FN", "dense<[1.0, -0.3, 0x7F, 500.0]>", { 0x38, 0xaa, 0x7f, 0x7f }, TT_F8E4M3FN },
        { "f8E5M2", "dense<[1.0, -0.3, 0x7D, 1e9]>", { 0x3c, 0xb5, 0x7d, 0x7c }, TT_F8E5M2 },
        { "f8E8M0FNU", "dense<[1.0, 0.3, 0xFF, 1e9]>", { 0x7f, 0x7d, 0xff, 0x9d }, TT_F8E8M0FNU },
        { "f4E2M1FN", "dense<[1.0, -0.3, 0xF, 1e9]>", { 2, 9, 15, 7 }, TT_F4E2M1FN },
        { "i4", "dense<[-8, 7, 0xF, -1]>", { 0xf8, 7, 0xff, 0xff }, TT_I4 },
        { "ui2", "dense<\"0x00010203\">", { 0, 1, 2, 3 }, TT_U2 },
        { "i2", "dense<-2>", { 0xfe, 0xfe, 0xfe, 0xfe }, TT_I2 },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char text[300];
        uint8_t got[4], again[4];
        snprintf(text, sizeof text, "func.func @main(%%x: tensor<4x%s>) -> tensor<4x%s> {\n"
                 "  %%c = stablehlo.constant %s : tensor<4x%s>\n  return %%c : tensor<4x%s>\n}\n", list[k].type,
                 list[k].type,
                 list[k].value, list[k].type, list[k].type);
        const tt_fn f = tt_import(text);
        const tt_val x = tt_zeros(list[k].dtype, 4);
        tt_val y = tt_call(f, x);
        if (!tt_read(y, got, 4)) {
            CHECK(false, "%s: %s", list[k].type, tt_error());
            tt_clear();
            continue;
        }
        for (int i = 0; i < 4; i++) CHECK(got[i] == list[k].want[i], "%s: element %d is %02x", list[k].type, i, got[i]);
        const char *const printed = tt_export(f, x);
        y = printed ? tt_call(tt_import(printed), x) : y;
        CHECK(printed && strstr(printed, list[k].type) && tt_read(y, again, 4) && !memcmp(got, again, 4), "%s: %s",
              list[k].type,
              printed ? printed : tt_error());
        tt_clear();
    }
    tt_import("func.func @main() -> tensor<i4> {\n  %c = stablehlo.constant dense<8> : tensor<i4>\n"
              "  return %c : tensor<i4>\n}\n");
    CHECK(strstr(tt_error(), "cannot hold"), "%s", tt_error());
    tt_clear();
}

/* Six devices; what a collective makes of x[d] = 10 d, 10 d + 1 on device d. */
static void collective(const char *what, const char *body, const char *out, const int32_t *want)
{
    char text[1200];
    int32_t x[12], got[12];
    for (int i = 0; i < 12; i++) x[i] = 10 * (i / 2) + i % 2;
    snprintf(text, sizeof text, "module {\n  sdy.mesh @mesh = <[\"d\"=6]>\n"
             "  func.func @main(%%x: tensor<12xi32>) -> tensor<12xi32> {\n"
             "    %%y = sdy.manual_computation(%%x) in_shardings=[<@mesh, [{\"d\"}]>] out_shardings=[<@mesh, "
             "[{\"d\"}]>] "
             "manual_axes={\"d\"} (%%a: tensor<2xi32>) {\n%s\n      sdy.return %s : tensor<2xi32>\n"
             "    } : (tensor<12xi32>) -> tensor<12xi32>\n    return %%y : tensor<12xi32>\n  }\n}\n", body, out);
    if (!run(text, tt_array(TT_I32, x, 12), got, sizeof got)) return;
    for (int i = 0; i < 12; i++)
        CHECK(got[i] == want[i / 2] + (want[i / 2] < 0 ? 1 : i % 2 * want[6 + i / 2]),
              "%s: device %d has %d", what, i / 2, got[i]);
}

#define ADDS "({\n      ^bb0(%p: tensor<i32>, %q: tensor<i32>):\n        %s = stablehlo.add %p, %q : tensor<i32>\n" \
    "        stablehlo.return %s : tensor<i32>\n      })"

static void collectives(void)
{
    /* per device the first element, then how much is added for the second; -1: zeros */
    collective("groups of 3, 2 and 1", "      %r = \"stablehlo.all_reduce\"(%a) " ADDS
               " {replica_groups = dense<[[0, 3, 5], [4, 1, -1], [2, -1, -1]]> : tensor<3x3xi64>, channel_handle = "
               "#stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids} : (tensor<2xi32>) -> "
               "tensor<2xi32>", "%r",
               (int32_t[]){ 80, 50, 20, 80, 50, 80, 3, 2, 1, 3, 2, 3 });
    collective("a sum for the first of each group", "      %r = \"stablehlo.collective_reduce\"(%a) " ADDS
               " {replica_groups = dense<[[4, 0], [1, 2]]> : tensor<2x2xi64>, channel_handle = "
               "#stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids} : (tensor<2xi32>) -> "
               "tensor<2xi32>", "%r",
               (int32_t[]){ -1, 30, -1, -1, 40, -1, 0, 2, 0, 0, 2, 0 });
    collective("from a member that is told", "      %k = stablehlo.constant dense<2> : tensor<1xi32>\n"
               "      %r = \"stablehlo.collective_broadcast\"(%a, %k) {replica_groups = dense<[[0, 2, 4], [5, 3, 1]]> "
               ": "
               "tensor<2x3xi64>, has_dynamic_root, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : "
               "(tensor<2xi32>, tensor<1xi32>) -> tensor<2xi32>", "%r",
               (int32_t[]){ 40, 10, 40, 10, 40, 10, 1, 1, 1, 1, 1, 1 });
}

/* Products whose results are another kind of number: integers are converted before they are multiplied, sums of floats
 * after (XLA's CPU compiler). */
static void products(void)
{
    static const struct { tt_dtype dtype; const char *from, *to; double x[2], y[2], says; } list[] = {
        { TT_U32, "ui32", "i32", { 3, 4294967295 }, { 5, 2 }, 13 },
        { TT_I8, "i8", "ui32", { -1, 1 }, { 1, 3 }, 2 },
        { TT_I8, "i8", "ui32", { -1, 0 }, { 1, 3 }, 4294967295 },
        { TT_U8, "ui8", "i32", { 200, 255 }, { 255, 2 }, 51510 },
        { TT_I32, "i32", "f32", { 1 << 20, 1 }, { 1 << 20, 1 }, 1099511627776 },
        { TT_F32, "f32", "i32", { 1.5, 0.5 }, { 1.5, 2.5 }, 3 },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char text[600];
        const char *const from = list[k].from, *const to = list[k].to;
        snprintf(text, sizeof text,
                 "module {\n  func.func @main(%%x: tensor<2x%s>, %%y: tensor<2x%s>) -> tensor<%s> {\n"
                 "  %%z = stablehlo.dot_general %%x, %%y, contracting_dims = [0] x [0] : (tensor<2x%s>, "
                 "tensor<2x%s>) -> tensor<%s>\n  return %%z : tensor<%s>\n  }\n}\n",
                 from, from, to, from, from, to, to);
        const tt_val x = tt_cast(tt_array(TT_F64, list[k].x, 2), list[k].dtype),
                     y = tt_cast(tt_array(TT_F64, list[k].y, 2), list[k].dtype);
        const double z = tt_num(tt_cast(tt_call(tt_import(text), x, y), TT_F64));
        CHECK(z == list[k].says, "%s as %s: %.17g, not %.17g%s", from, to, z, list[k].says, tt_error());
        tt_clear();
    }
}

/* What a text says wrongly is refused, though nothing here would depend on it. */
static void refusals(void)
{
    static const struct { const char *line, *says; } list[] = {
        { "%y = stablehlo.tanh %x {result_accuracy = #stablehlo.result_accuracy<atol = 1.0, rtol = 0.0, ulps = 4, mode "
          "= "
          "#stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<2x2xf32>", "TOLERANCE" },
        { "%y = stablehlo.tanh %x {result_accuracy = #stablehlo.result_accuracy<atol = 1.0, rtol = 0.0, ulps = 4, mode "
          "= "
          "#stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2x2xf32>", NULL },
        { "%y = stablehlo.dot %x, %x, precision = [BEST] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>",
            "a precision" },
        { "%y = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm "
          "= "
          "<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, "
          "rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> : "
          "(tensor<2x2xf32>, "
          "tensor<2x2xf32>) -> tensor<2x2xf32>", NULL },
        { "%y = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm "
          "= "
          "<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, "
          "rhs_component_count = 0, num_primitive_operations = 3, allow_imprecise_accumulation = false> : "
          "(tensor<2x2xf32>, "
          "tensor<2x2xf32>) -> tensor<2x2xf32>", "no such algorithm" },
        { "%y = stablehlo.composite \"my.\" %x {decomposition = @g} : (tensor<2x2xf32>) -> tensor<2x2xf32>",
            "composite" },
        { "%y = stablehlo.composite \"my.own\" %x {decomposition = @g} : (tensor<2x2xf32>) -> tensor<2x2xf32>", NULL },
        { "%z = stablehlo.constant dense<1.0> : tensor<2xf32>\n  %y = \"stablehlo.broadcast\"(%z) {broadcast_sizes = "
          "array<i64: 3>} : (tensor<2xf32>) -> tensor<2x2xf32>", "broadcast_sizes" },
        { "%y = \"stablehlo.map\"(%x) ({\n  ^bb0(%a: tensor<f32>):\n    stablehlo.return %a : tensor<f32>\n"
          "  }) {dimensions = "
          "array<i64: 1, 0>} : (tensor<2x2xf32>) -> tensor<2x2xf32>", "in their order" },
        { "%z = stablehlo.constant dense<0.0> : tensor<f32>\n  %y = \"stablehlo.reduce_window\"(%x, %z) ({\n"
          "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n    %c = stablehlo.add %a, %b : tensor<f32>\n"
          "    stablehlo.return %c : tensor<f32>\n  }) {window_dimensions = array<i64: 1, 1>, padding = dense<0> : "
          "tensor<4x1xi64>} : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>", "one pair per dim" },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char text[1200];
        snprintf(text, sizeof text, "module {\n  func.func @main(%%x: tensor<2x2xf32>) -> tensor<2x2xf32> {\n  %s\n"
                 "  return %%y : tensor<2x2xf32>\n  }\n"
                 "  func.func private @g(%%x: tensor<2x2xf32>) -> tensor<2x2xf32> {\n"
                 "    return %%x : tensor<2x2xf32>\n  }\n}\n", list[k].line);
        tt_import(text);
        CHECK(list[k].says ? !tt_ok() && strstr(tt_error(), list[k].says) : tt_ok(), "%s\n%s", list[k].line,
              tt_ok() ? "was accepted" : tt_error());
        tt_clear();
    }
}

static void quiet(const tt_error_info *e, void *env) { (void)e, (void)env; }

int main(int argc, char **argv)
{
    check_main(argc, argv);
    tt_config("devices:6");
    tt_on_error(quiet, NULL);
    CHECK_RUN(bit_casts());
    CHECK_RUN(literals());
    CHECK_RUN(collectives());
    CHECK_RUN(products());
    CHECK_RUN(refusals());
    return check_done();
}
