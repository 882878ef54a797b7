/* export.c - what is written as StableHLO text means what it meant: every primitive's cases, written, read again
 * and computed by both; arguments' and results' layouts, donation; golden texts.
 *
 *     build/tests/hlo_export [--into DIR]     DIR: each case as NAME.mlir, and NAME.bin with its arguments and results
 *
 * tests/hlo_jax.sh gives that folder to the real JAX. */
#include "hlo/hlo.h"
#include "prop/primitives.h"
#include "op/ops.h"

#include <stdio.h>
#include <tutti.h>

static const char *into;
static int written, without;

/* Collectives that no region binds, checks, and a max-pool's gradient whose windows are dilated. */
static bool formless(const ir_eqn *e)
{
    return e->op->kernel == OP_EXCHANGE || e->op == &prim_check ||
           (e->op == &prim_select_and_scatter && IR_ATTR(e, op_window_attr)->window_dilations.v[0] > 1);
}

/* The order in which windows are reduced is the compiler's: a reducer that minds it says nothing about the text. */
static bool vague(const ir_eqn *e) { return e->op == &prim_reduce_window && op_monoid(e->sub[0]) == MESH_NONE; }

static void bytes_of(FILE *f, int n, const prop_value *x)
{
    for (int i = 0; i < n; i++)
        fwrite(x[i].at, ir_dtype_of(x[i].type->dtype)->bytes, (size_t)ir_count(x[i].type), f);
}

static void keep(const op_prim *prim, const char *text, const ir_fn *f, const prop_value *x, const prop_value *y)
{
    char path[600];
    for (int k = 0; k < 2; k++) {
        snprintf(path, sizeof path, "%s/%03d_%s.%s", into, written, prim->name, k ? "bin" : "mlir");
        FILE *const to = fopen(path, "wb");
        CHECK(to, "%s", path);
        if (!to) return;
        if (!k) fputs(text, to);
        else bytes_of(to, (int)f->narg, x), bytes_of(to, (int)f->nret, y);
        fclose(to);
    }
}

static void one(base_arena *a, const op_prim *prim, const char *text)
{
    ir_fn *const f = ir_case(a, text);
    if (f && formless(&f->eqn[f->neqn - 1])) {
        without++;
        return;
    }
    const char *const s = f ? hlo_write(a, f) : NULL;
    CHECK(s, "%s: %s", text, prop_error());
    ir_fn *const g = s ? hlo_read(a, base_intern("written"), s) : NULL;
    CHECK(!s || g, "%s: %s\n%s", text, g ? "" : prop_error(), s);
    if (!g) return;
    prop_value *const x = BASE_NEW(a, prop_value, f->narg + 1), *const y = BASE_NEW(a, prop_value, f->nret + 1),
                     *const z = BASE_NEW(a, prop_value, f->nret + 1);
    for (uint32_t i = 0; i < f->narg; i++) x[i] = prop_operand(a, f->type[i + 1], PROP_NARROW);
    if (!prop_eval(a, f, x, y) || !prop_eval(a, g, x, z)) {
        CHECK(false, "%s: %s", text, prop_error());
        return;
    }
    for (uint32_t j = 0; j < f->nret; j++) {
        const char *const d = prop_differs(a, &y[j], &z[j], prop_tolerance(y[j].type->dtype));
        CHECK(!d, "%s: result %u: %s\n%s", text, j, d, s);
    }
    if (into && !vague(&f->eqn[f->neqn - 1])) keep(prim, s, f, x, y);
    written++;
}

/* ---- a call's borders ---- */

static tt_val loss(tt_val w, tt_val x)
{
    return tt_mean(tt_square(tt_tanh(tt_matmul(x, w))));
}

static tt_val step(tt_val w, tt_val x)
{
    return tt_sub(w, tt_mul(tt_f(0.1), tt_call(tt_grad(loss), w, x)));
}

static void holds(const char *text, const char *part)
{
    CHECK(text && strstr(text, part), "\"%s\" is not in:\n%s", part, text ? text : tt_error());
}

static void borders(void)
{
    const tt_mesh m = tt_mesh("data:2, model:4");
    const tt_val w = tt_ones(TT_F32, 8, 4), x = tt_ones(TT_F32, 16, 8);
    const char *const s = tt_export(tt_jit(step, .mesh = m, .in = "_, model; data, _", .out = "_, model",
                                           .donate = "0"), w, x);
    holds(s, "sdy.mesh @mesh = <[\"data\"=2, \"model\"=4]>");
    holds(s, "%0: tensor<8x4xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{}, {\"model\"}]>}");
    holds(s, "%1: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"data\"}, {}]>}");
    holds(s, "-> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {\"model\"}]>})");
    const tt_val want = tt_call(tt_jit(step), w, x), got = tt_call(tt_jit(tt_import(s)), w, x);
    CHECK(tt_ok() && tt_num(tt_amax(tt_abs(tt_sub(want, got)))) < 1e-6, "%s", tt_ok() ? "another value" : tt_error());
    tt_clear();
}

static tt_val less(tt_val x, tt_val y) { return tt_lt(x, y); }

/* A comparison without a type is read as one of unsigned integers by some folds of constants. */
static void comparisons(void)
{
    static const struct { tt_dtype d; const char *type; } all[] = {
        { TT_I32, "SIGNED" }, { TT_U8, "UNSIGNED" }, { TT_BOOL, "UNSIGNED" }, { TT_BF16, "FLOAT" },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char type[60];
        const tt_val x = tt_zeros(all[i].d, 2);
        snprintf(type, sizeof type, "compare_type = #stablehlo<comparison_type %s>", all[i].type);
        holds(tt_export(tt_jit(less), x, x), type);
    }
    tt_clear();
}

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "--into FOLDER")) return check_done();
    if (argc > 2 && !strcmp(argv[1], "--into")) into = argv[2];
    prop_over_cases(one, 1, argv);
    borders();
    comparisons();
    printf("%d cases written and read, %d have no form by themselves\n", written, without);
    return check_done();
}
