/* tt_import: a text as a function like any other: called, differentiated, mapped, laid out; what is wrong is told. */
#include <tutti.h>
#include "check.h"

#include <math.h>
#include <stdlib.h>

static const char cubes[] =                              /* sum of x^3 by a loop of two turns */
    "module @cubes {\n"
    "  func.func public @main(%x: tensor<4xf32>) -> tensor<f32> {\n"
    "    %c = stablehlo.constant dense<0> : tensor<i32>\n"
    "    %0:2 = stablehlo.while(%i = %c, %y = %x) : tensor<i32>, tensor<4xf32>\n"
    "    cond {\n"
    "      %n = stablehlo.constant dense<2> : tensor<i32>\n"
    "      %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "      stablehlo.return %p : tensor<i1>\n"
    "    } do {\n"
    "      %one = stablehlo.constant dense<1> : tensor<i32>\n"
    "      %j = stablehlo.add %i, %one : tensor<i32>\n"
    "      %z = stablehlo.multiply %y, %x : tensor<4xf32>\n"
    "      stablehlo.return %j, %z : tensor<i32>, tensor<4xf32>\n"
    "    }\n"
    "    %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "    %s = stablehlo.reduce(%0#1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, "
    "tensor<f32>) -> tensor<f32>\n"
    "    return %s : tensor<f32>\n"
    "  }\n"
    "}\n";

/* Two selects by one condition that share a branch: neither side may be left out for the other. */
static const char sides[] =
    "module @sides {\n"
    "  func.func public @main(%x: tensor<3xf32>, %d: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {\n"
    "    %big = stablehlo.constant dense<1.0e9> : tensor<3xf32>\n"
    "    %z = stablehlo.constant dense<0.0> : tensor<3xf32>\n"
    "    %one = stablehlo.constant dense<1.0> : tensor<3xf32>\n"
    "    %p = stablehlo.compare LT, %big, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>\n"
    "    %a = stablehlo.select %p, %x, %one : tensor<3xi1>, tensor<3xf32>\n"
    "    %b = stablehlo.select %p, %d, %z : tensor<3xi1>, tensor<3xf32>\n"
    "    %c = stablehlo.log %a : tensor<3xf32>\n"
    "    %e = stablehlo.divide %b, %a : tensor<3xf32>\n"
    "    %f = stablehlo.select %p, %c, %x : tensor<3xi1>, tensor<3xf32>\n"
    "    %g = stablehlo.select %p, %e, %d : tensor<3xi1>, tensor<3xf32>\n"
    "    return %f, %g : tensor<3xf32>, tensor<3xf32>\n"
    "  }\n"
    "}\n";

static void expect(const char *what, tt_val v, int n, const float *want)
{
    float got[16] = { 0 };
    CHECK(tt_read(v, got, (size_t)n * sizeof *got), "%s: %s", what, tt_error());
    for (int i = 0; i < n; i++)
        CHECK(fabsf(got[i] - want[i]) < 1e-5F, "%s: element %d is %g instead of %g", what, i, (double)got[i],
              (double)want[i]);
}

static void transforms(void)
{
    const float data[] = { 1, 2, 3, 4, 1, 1, 1, 1 };
    const tt_fn f = tt_import(cubes);
    const tt_val x = tt_array(TT_F32, data, 4);
    expect("value", tt_call(f, x), 1, (const float[]){ 100 });
    expect("grad", tt_call(tt_grad(f), x), 4, (const float[]){ 3, 12, 27, 48 });
    expect("vmap", tt_call(tt_vmap(f), tt_array(TT_F32, data, 2, 4)), 2, (const float[]){ 100, 4 });
    const tt_mesh m = tt_mesh("data:4");
    expect("on a mesh", tt_call(tt_jit(tt_grad(f), .mesh = m), tt_shard(x, m, "data")), 4,
           (const float[]){ 3, 12, 27, 48 });
    const tt_fn again = tt_import(cubes);
    CHECK(again.slot == f.slot, "the same text is another function");
    const tt_val args = tt_import_args(f);
    CHECK(tt_items(args) == 1 && tt_rank(tt_item(args, 0)) == 1 && tt_dim(tt_item(args, 0), 0) == 4, "arguments");
}

static void shared_sides(void)
{
    const float x[] = { 4, 5, 6 }, d[] = { 7, 8, 9 };
    const tt_val y = tt_call(tt_import(sides), tt_array(TT_F32, x, 3), tt_array(TT_F32, d, 3));
    expect("the first select", tt_item(y, 0), 3, x);
    expect("the second select", tt_item(y, 1), 3, d);
}

static void silent(const tt_error_info *e, void *env) { (void)e, (void)env; }

static void wrong(void)
{
    const float data[] = { 1, 2, 3 };
    tt_on_error(silent, NULL);
    tt_import("/nowhere/at/all.mlir");
    CHECK(!tt_ok() && strstr(tt_error(), "/nowhere/at/all.mlir"), "%s", tt_error());
    tt_clear();
    tt_import("/tmp");
    CHECK(strstr(tt_error(), "/tmp: Is a directory"), "a folder: %s", tt_error());
    tt_clear();
    tt_call(tt_import(cubes), tt_array(TT_F32, data, 3));
    CHECK(!tt_ok() && strstr(tt_error(), "f32[3]") && strstr(tt_error(), "f32[4]"), "%s", tt_error());
    tt_clear();
    tt_import("module @m {\n func.func public @main() -> tensor<f32> {\n"
              " %0 = foo.bar : tensor<f32>\n return %0 : tensor<f32>\n }\n}\n");
    CHECK(!tt_ok() && strstr(tt_error(), "foo.bar") && strstr(tt_error(), "text:3:7"), "%s", tt_error());
    tt_clear();
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    tt_config("devices:4");
    CHECK_RUN(transforms());
    CHECK_RUN(shared_sides());
    CHECK_RUN(wrong());
    return check_done();
}
