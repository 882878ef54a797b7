/* ffi.c - functions of C by name: from the program and from a shared object, on arrays and on elements, on meshes and
 * under maps, with a derivative; as targets of imported programs, among them texts that JAX 0.10.2 has printed. */
#include "api/api_check.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static _Atomic int calls, most;

/* out = env * in^2, for boxes of any strides. */
static const char *scaled(void *env, int nin, const tt_box *in, int nout, const tt_box *out)
{
    int64_t i[8] = { 0 }, n = 1;
    if (nin != 1 || nout != 1 || in[0].rank != out[0].rank) return "other boxes";
    for (int d = 0; d < in[0].rank; d++) n *= in[0].dims[d];
    for (int64_t k = 0; k < n; k++) {
        int64_t from = 0, to = 0;
        for (int d = 0; d < in[0].rank; d++) from += i[d] * in[0].strides[d], to += i[d] * out[0].strides[d];
        const float x = ((const float *)in[0].data)[from];
        if (x < 0) return "a negative number";
        ((float *)out[0].data)[to] = *(const float *)env * x * x;
        for (int d = in[0].rank; d-- > 0 && ++i[d] == in[0].dims[d];) i[d] = 0;
    }
    calls++;
    if (n > most) most = (int)n;
    return NULL;
}

static const char *add_one(void *env, int nin, const tt_box *in, int nout, const tt_box *out)
{
    (void)env, (void)nin;
    calls++;
    if (nout) *(float *)out[0].data = *(const float *)in[0].data + 1;
    return NULL;
}

static float three = 3;
static tt_val on_array(tt_val x) { return tt_ffi_call("scaled", tt_like(x), x, .vmap_method = "sequential"); }
static tt_val on_elements(tt_val x) { return tt_ffi_call("scaled", tt_like(x), x, .elementwise = 1); }
static tt_val effect(tt_val x) { tt_ffi_call("add_one", tt_shape(TT_F32), x, .has_side_effect = 1); return x; }
static tt_val rule(tt_val p, tt_val d)
{
    const tt_val x = tt_get(p, "0");
    return tt_tuple(on_elements(x), tt_mul(tt_mul(x, tt_f(6)), tt_get(d, "0")));
}
static tt_val with_rule(tt_val x) { return tt_sum(tt_call(tt_custom_jvp(on_elements, rule), x)); }

static void arrays(void)
{
    CHECK(tt_register_ffi_target("scaled", scaled, &three) && tt_register_ffi_target("scaled", scaled, &three), "%s",
          tt_error());
    CHECK(tt_register_ffi_target("add_one", add_one, NULL), "%s", tt_error());
    IS(on_array(VEC(1, 2, 3)), 3, 12, 27);
    IS(tt_call(tt_jit(on_array), VEC(1, 2, 3)), 3, 12, 27);
    calls = 0;
    IS(tt_call(tt_jit(tt_vmap(on_array)), VEC(1, 2, 3)), 3, 12, 27);
    CHECK(calls == 3, "%d calls", calls);
    calls = 0;
    tt_call(tt_jit(effect), tt_f(1));
    CHECK(tt_ok() && calls == 1, "%d calls %s", calls, tt_error());
}

static void elements(void)
{
    const tt_mesh four = tt_mesh("i:4");
    const tt_val x = tt_reshape(tt_arange(TT_F32, 8), 4, 2);
    IS(tt_call(tt_jit(on_elements), VEC(1, 2, 3)), 3, 12, 27);
    IS(tt_call(tt_vmap(on_elements), VEC(1, 2)), 3, 12);
    IS(tt_call(tt_jit(on_elements), tt_transpose(tt_reshape(VEC(1, 2, 3, 4), 2, 2))), 3, 27, 12, 48);
    IS(tt_call(tt_grad(with_rule), VEC(1, 2)), 6, 12);
    IS(tt_call(tt_jit(tt_grad(with_rule)), tt_f(2)), 12);
    calls = most = 0;
    IS(tt_call(tt_jit(on_elements), tt_shard(x, four, "i, _")), 0, 3, 12, 27, 48, 75, 108, 147);
    CHECK(calls == 4 && most == 2, "%d calls, of %d elements at most", calls, most);
    IS(tt_call(tt_shard_map(on_elements, .mesh = four, .in = "i", .out = "i"), x), 0, 3, 12, 27, 48, 75, 108, 147);
    tt_call(tt_jit(on_elements), VEC(1, -2));
    CHECK(failed("scaled: a negative number"), "what it reports");
}

static void library(void)
{
    char dir[64] = "/tmp/tutti-ffi-XXXXXX", path[128], command[700];
    CHECK(check_folder(dir), "no folder");
    snprintf(path, sizeof path, "%s/kernels.so", dir);
    snprintf(command, sizeof command,
             "printf '#include <tutti/callback.h>\\nconst char *half(void *env, int n, const tt_box *x, int m, const "
             "tt_box *y)\\n{ (void)env, (void)n, (void)m; *(float *)y->data = *(float *)x->data / 2; return 0; }\\n' "
             "> %s/k.c && ${CC:-cc} -Iinclude -shared -fPIC -o %s %s/k.c", dir, path, dir);
    if (access("include/tutti/callback.h", R_OK) || system(command)) {
        CHECK_SKIP("no compiler, or not in the tree");
    } else {
        CHECK(tt_register_ffi_library("half", path, "half"), "%s", tt_error());
        IS(tt_ffi_call("half", tt_shape(TT_F32), tt_f(3)), 1.5);
        tt_register_ffi_library("third", path, "third");
        CHECK(failed("third"), "a symbol that is not there");
    }
    snprintf(command, sizeof command, "rm -rf %s", dir);
    CHECK(!system(command), "%s", command);
    tt_register_ffi_library("x", "/nowhere.so", "x");
    CHECK(failed("/nowhere.so"), "no file");
}

/* ---- imported programs ---- */

#define MAIN(body) \
    "module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {\n" \
    "  sdy.mesh @maximal_mesh_0 = <[], device_ids=[0]> {stablehlo.mesh = {axes = [], device_ids = dense<0> : " \
    "tensor<1xi64>}}\n" \
    "  func.func public @main(%arg0: tensor<f32>) -> (tensor<f32> {jax.result_info = \"result\"}) {\n" body "  }\n}\n"
#define PYTHON(index) \
    "@xla_ffi_python_cpu_callback(%arg0) {backend_config = \"\", has_side_effect = true, mhlo.backend_config = " \
    "{index = " index " : ui64}, operand_layouts = [dense<> : tensor<0xindex>], result_layouts = [], sdy.sharding = " \
    "#sdy.sharding_per_value<[<@maximal_mesh_0, []>]>} : (tensor<f32>) -> "
static const char prints[] = MAIN("    stablehlo.custom_call " PYTHON("0") "()\n    return %arg0 : tensor<f32>\n");
static const char pure[] = MAIN("    %0 = stablehlo.custom_call " PYTHON("1") "tensor<f32>\n"
                                "    return %0 : tensor<f32>\n");
static const char other[] = MAIN("    %0 = stablehlo.custom_call " PYTHON("2") "tensor<f32>\n"
                                 "    return %0 : tensor<f32>\n");
static const char own[] = MAIN("    %0 = stablehlo.custom_call @add_one(%arg0) : (tensor<f32>) -> tensor<f32>\n"
                               "    return %0 : tensor<f32>\n");
static const char shown[] = MAIN("    stablehlo.custom_call " PYTHON("3") "()\n    return %arg0 : tensor<f32>\n");

static void imported(void)
{
    CHECK(tt_register_ffi_target("xla_ffi_python_cpu_callback#1", add_one, NULL), "%s", tt_error());
    CHECK(tt_register_ffi_target("xla_ffi_python_cpu_callback#3", add_one, NULL), "%s", tt_error());
    IS(tt_call(tt_import(prints), tt_f(2)), 2);
    IS(tt_call(tt_import(pure), tt_f(2)), 3);
    IS(tt_call(tt_jit(tt_vmap(tt_import(pure))), VEC(1, 2)), 2, 3);
    IS(tt_call(tt_import(own), tt_f(4)), 5);
    calls = 0;
    IS(tt_call(tt_jit(tt_import(shown)), tt_f(2)), 2);
    CHECK(calls == 1, "%d calls", calls);
    tt_import(other);
    CHECK(!tt_ok() && strstr(tt_error(), "xla_ffi_python_cpu_callback#2"), "its name: %s", tt_error());
    CHECK(failed("calls a Python function"), "a Python callback with a result");
    tt_import(MAIN("    %0 = stablehlo.custom_call @mine(%arg0) : (tensor<f32>) -> tensor<f32>\n"
                   "    return %0 : tensor<f32>\n"));
    CHECK(failed("the target @mine is unknown"), "an unknown target");
}

static void refusals(void)
{
    const tt_val x = VEC(1, 2);
    tt_register_ffi_target("scaled", add_one, NULL);
    CHECK(failed("\"scaled\" is registered already, as another function"), "a name twice");
    tt_register_ffi_target("", add_one, NULL);
    CHECK(failed("the name is \"\""), "no name");
    tt_register_ffi_target("none", NULL, NULL);
    CHECK(failed("\"none\" is NULL"), "no function");
    tt_ffi_call("skaled", tt_like(x), x);
    CHECK(failed("no target \"skaled\""), "an unknown name");
    tt_ffi_call("scaled", tt_shape(TT_F32, 3), x, .elementwise = 1);
    CHECK(failed("a function on elements of f32[2] cannot give f32[3]"), "another shape");
    tt_ffi_call("scaled", tt_like(x), x, .elementwise = 1, .vmap_method = "sequential");
    CHECK(failed(".elementwise together with .vmap_method"), "two ways to be mapped");
    tt_call(tt_grad(on_elements), tt_f(1));
    CHECK(failed("elementwise_callback: the function of C has no derivative"), "a derivative");
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    tt_on_error(quiet, NULL);
    CHECK_RUN(arrays());
    CHECK_RUN(elements());
    CHECK_RUN(library());
    CHECK_RUN(imported());
    CHECK_RUN(refusals());
    tt_done();
    return check_done();
}
