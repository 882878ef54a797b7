/* raise.c - the passes that raise, each alone: programs that JAX printed (tests/corpus/raise). What a pass finds is
 * counted in what it gives, and the bits are those of the text before it; of rows, in the kernels of the plan. Then
 * near-misses: every number of a text one more, one at a time: nothing may be found in the cipher, and the values are
 * the changed text's.
 *
 * Longer than 400 lines: every pass is tested with the same comparison of bits. */
#include "hlo/hlo.h"
#include "pass/pass.h"
#include "plan/plan.h"
#include "api/pipeline.h"
#include "op/ops.h"

#include <ctype.h>

typedef struct { base_arena *a; const char *text; ir_fn *fn[4]; int found[3]; bool alone; } job;
enum { READ, CIPHERS, DRAWS, ALL };

static void work(void *arg)
{
    job *const j = arg;
    if (!(j->fn[READ] = hlo_read(j->a, base_intern("raise.mlir"), j->text))) return;
    if (!(j->fn[CIPHERS] = hlo_threefry(j->a, j->fn[READ], &j->found[0]))) return;
    if (!(j->fn[DRAWS] = hlo_random_bits(j->a, j->fn[CIPHERS], &j->found[1]))) return;
    j->alone = hlo_random_bits(j->a, j->fn[READ], NULL) == j->fn[READ];  /* it needs the cipher to be one */
    j->fn[ALL] = hlo_raise(j->a, j->fn[READ]);
}

static int rows(const ir_fn *f, const op_prim *prim)     /* in all of it: a function once for each of its calls */
{
    int n = 0;
    for (uint32_t k = 0; k < f->neqn; k++) {
        n += f->eqn[k].op == prim;
        for (uint32_t i = 0; i < f->eqn[k].nsub; i++) n += rows(f->eqn[k].sub[i], prim);
    }
    return n;
}

static void *data(base_arena *a, const ir_type *t, uint64_t seed)        /* words of all bits */
{
    char *const p = pipeline_data(a, t, seed);
    const int64_t n = t->dtype == TT_U32 ? ir_count(t) : 0;
    for (int64_t i = 0; i < n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        memcpy(p + 4 * i, (char *)&seed + 4, 4);
    }
    return p;
}

/* All results of f on arguments made from a seed, behind one another. NULL: it does not run. */
static char *values(base_arena *a, const ir_fn *f, uint64_t seed, size_t *bytes)
{
    ir_box x[PIPELINE_MOST], y[PIPELINE_MOST];
    size_t at = 0;
    *bytes = 0;
    for (uint32_t i = 0; i < f->narg; i++) x[i] = ir_box_dense(data(a, f->type[1 + i], seed + i), f->type[1 + i]);
    for (uint32_t j = 0; j < f->nret; j++) *bytes += (size_t)ir_bytes(f->type[f->ret[j]]);
    char *const p = base_new(a, *bytes + 16);
    for (uint32_t j = 0; j < f->nret; j++) {
        y[j] = ir_box_dense(p + at, f->type[f->ret[j]]);
        at += (size_t)ir_bytes(f->type[f->ret[j]]);
    }
    return ir_eval(f, x, y) ? p : NULL;
}

static bool same(base_arena *a, const ir_fn *f, const ir_fn *g)
{
    bool ok = true;
    for (uint64_t seed = 1; ok && seed < 4; seed++) {
        size_t n, m;
        const char *const x = values(a, f, seed, &n), *const y = values(a, g, seed, &m);
        ok = x && y && n == m && !memcmp(x, y, n);
    }
    return ok;
}

/* ---- JAX's texts ---- */

/* ciphers: threefry2x32 that the first pass leaves; draws: random_bits of the second; left: ciphers that stay. */
static const struct { const char *name; int ciphers, draws, left; } printed[] = {
    { "bits", 1, 1, 0 },        { "device", 1, 1, 0 },      { "bytes", 1, 1, 0 },       { "wide", 1, 1, 0 },
    { "batched", 2, 1, 1 },     { "typed", 1, 1, 0 },       { "constant", 1, 1, 0 },    { "several", 4, 3, 1 },
    { "turns", 2, 1, 1 },       { "manual", 2, 1, 1 },      { "old_odd", 1, 1, 0 },     { "old_batched", 1, 1, 0 },
    { "old_bytes", 1, 1, 0 },   { "old_wide", 1, 1, 0 },    { "old_permutation", 2, 2, 0 },
};

static const char *text_of(const char *name)
{
    static char text[1 << 16];
    char path[200];
    snprintf(path, sizeof path, "tests/corpus/raise/%s.mlir", name);
    FILE *const f = fopen(path, "rb");
    const size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f) fclose(f);
    text[n] = 0;
    CHECK(n, "%s", path);
    return text;
}

static bool read_all(job *j, const char *name)
{
    base_clear_error();
    const bool ok = base_catch(work, j) && j->fn[ALL];
    CHECK(ok, "%s: %s", name, pipeline_error());
    return ok;
}

/* On the engine: one device, and the first dims of arguments over a mesh. */
static void run(base_arena *a, const char *name, const ir_fn *f)
{
    pipeline r = { .a = a };
    if (!pipeline_open(&r, f)) {
        CHECK(false, "%s: %s", name, pipeline_error());
        return;
    }
    pipeline_run(&r, name, NULL, &(driver_opts){ .once = true }, 1e-6);
    if (f->mesh) return;
    const mesh *const m = mesh_of(NULL, "x:2, y:4");
    r.fn = pass_on_mesh(a, f, m);
    const mesh_layout *in[PIPELINE_MOST];
    for (uint32_t i = 0; i < f->narg; i++) {
        mesh_list dim[IR_RANK + 1] = { mesh_axis_list(m, base_intern("x")) };
        in[i] = mesh_layout_dims(m, f->type[1 + i]->rank, dim);
    }
    pipeline_run(&r, base_format(a, "%s on 2x4", name), in, &(driver_opts){ .once = true }, 1e-6);
}

static void texts(void)
{
    for (size_t k = 0; k < sizeof printed / sizeof *printed; k++) {
        job j = { .a = base_open(), .text = text_of(printed[k].name) };
        const char *const name = printed[k].name;
        if (read_all(&j, name)) {
            const int ciphers = rows(j.fn[CIPHERS], &prim_threefry2x32), left = rows(j.fn[DRAWS], &prim_threefry2x32);
            const int draws = rows(j.fn[DRAWS], &prim_random_bits);
            CHECK(ciphers == printed[k].ciphers && j.found[0] >= 1, "%s: %d ciphers", name, ciphers);
            CHECK(draws == printed[k].draws, "%s: %d draws", name, draws);
            CHECK(left == printed[k].left, "%s: %d ciphers behind the draws", name, left);
            CHECK(!rows(j.fn[CIPHERS], &prim_shl) || rows(j.fn[CIPHERS], &prim_shl) <= 1, "%s: shifts are left", name);
            CHECK(!rows(j.fn[READ], &prim_threefry2x32) && j.alone, "%s: the text holds no primitive", name);
            CHECK(same(j.a, j.fn[READ], j.fn[CIPHERS]), "%s: other values with ciphers", name);
            CHECK(same(j.a, j.fn[READ], j.fn[DRAWS]), "%s: other values with draws", name);
            CHECK(same(j.a, j.fn[READ], j.fn[ALL]), "%s: other values with all", name);
            run(j.a, name, j.fn[ALL]);
        }
        base_clear_error();
        base_close(j.a);
    }
}

/* ---- near-misses ---- */

static bool of_cipher(const ir_fn *f) { return rows(f, &prim_threefry2x32) + rows(f, &prim_random_bits) > 0; }

/* Every number in dense<...> of a text, one more; from: where the cipher's own numbers begin (0: they all are). */
static int changed(const char *name, const char *from, const char *end)
{
    const char *const whole = text_of(name);
    const char *const cipher = strstr(whole, from), *const stop = strstr(cipher ? cipher : whole, end);
    static char other[1 << 16];
    int n = 0;
    for (const char *at = whole; (at = strstr(at, "dense<"));) {
        at += strcspn(at, "0123456789>");
        for (; *at && *at != '>'; at += strspn(at, ", []")) {
            char *after;
            const unsigned long long v = strtoull(at, &after, 10);
            if (after == at) break;
            snprintf(other, sizeof other, "%.*s%llu%s", (int)(at - whole), whole, v + 1, after);
            job j = { .a = base_open(), .text = other }, o = { .a = j.a, .text = whole };
            if (read_all(&j, name) && read_all(&o, name)) {
                const bool inside = at > cipher && at < stop;
                CHECK(!inside || !of_cipher(j.fn[ALL]), "%s: number %d (%llu) may be another", name, n, v);
                CHECK(inside || !rows(j.fn[ALL], &prim_random_bits), "%s: counters' number %d (%llu) too", name, n, v);
                CHECK(!inside || !same(j.a, o.fn[READ], j.fn[READ]), "%s: number %d (%llu) says nothing", name, n, v);
                CHECK(same(j.a, j.fn[READ], j.fn[ALL]), "%s: values of number %d (%llu)", name, n, v);
            }
            base_clear_error();
            base_close(j.a);
            n++, at = after;
        }
    }
    return n;
}

/* A text with one piece in the place of another; counters: only that is no draw, the cipher is one. */
static void exchanged(const char *name, const char *what, const char *by, bool counters)
{
    const char *const whole = text_of(name), *const at = strstr(whole, what);
    static char other[1 << 16];
    CHECK(at, "%s has no %s", name, what);
    if (!at) return;
    snprintf(other, sizeof other, "%.*s%s%s", (int)(at - whole), whole, by, at + strlen(what));
    job j = { .a = base_open(), .text = other };
    if (read_all(&j, name)) {
        CHECK(!rows(j.fn[ALL], &prim_random_bits), "%s with %s: a draw", name, by);
        CHECK(rows(j.fn[ALL], &prim_threefry2x32) == counters, "%s with %s: raised", name, by);
        CHECK(same(j.a, j.fn[READ], j.fn[ALL]), "%s with %s: other values", name, by);
    }
    base_clear_error();
    base_close(j.a);
}

static void near_misses(void)
{
    CHECK(changed("bits", "@threefry2x32(%arg0", "\n}\n") > 20, "few numbers in a loop");
    CHECK(changed("device", "@threefry2x32(%arg0", "\n}\n") > 45, "few numbers in rounds");
    CHECK(changed("old_odd", "dense<[13, 15", "stablehlo.concatenate %14") > 10, "few numbers of an older text");
    exchanged("bits", "%arg4, %arg5, %arg3, %arg7, %arg6", "%arg5, %arg4, %arg3, %arg7, %arg6", false);
    exchanged("bits", "%arg4, %arg5, %arg3, %arg7, %arg6", "%arg4, %arg5, %arg3, %arg6, %arg7", false);
    exchanged("bits", "stablehlo.shift_left %arg2", "stablehlo.shift_left %arg1", false);
    exchanged("bits", "stablehlo.shift_right_logical %20", "stablehlo.shift_right_arithmetic %20", false);
    exchanged("bits", "stablehlo.or %5, %8", "stablehlo.and %5, %8", false);
    exchanged("bits", "stablehlo.compare LT", "stablehlo.compare LE", false);
    exchanged("device", "stablehlo.xor %6, %11", "stablehlo.add %6, %11", false);
    exchanged("old_odd", "[18:36]", "[17:35]", true);
    exchanged("old_odd", "concatenate %14#2, %14#3", "concatenate %14#3, %14#2", true);
}

/* ---- rows ---- */

/* Softmax and layer norm, as jax and Flax print them, and their gradients, and cross entropy's by labels: what the
 * passes find, kernels of the plan. What is left of norms' gradients are the sums over rows for scale and bias. */
static ir_fn *in_rows(base_arena *a, const ir_fn *f, int *found)  /* both passes that make rows */
{
    int more = 0;
    const ir_fn *const g = hlo_row_sums(a, f, found);
    ir_fn *const h = g ? hlo_one_hot(a, g, &more) : NULL;
    *found += more;
    return h;
}

static const struct { const char *name, *tag; int found; uint32_t kernels; } rowwise[] = {
    { "softmax", "softmax", 0, 1 }, { "softmax_grad", NULL, 1, 1 }, { "norm", "layer_norm", 0, 1 },
    { "norm_grad", NULL, 2, 2 },    { "taken", NULL, 2, 2 },             { "indexed", NULL, 2, 2 },
    { "old_taken", NULL, 2, 2 },    { "old_indexed", NULL, 3, 2 },
};

typedef struct { base_arena *a; const char *text, *plan; ir_fn *fn[2]; int found; uint32_t kernels[2]; } row_job;

static void plan_rows(void *arg)
{
    row_job *const j = arg;
    j->fn[0] = hlo_read(j->a, base_intern("rows.mlir"), j->text);
    j->fn[1] = j->fn[0] ? in_rows(j->a, j->fn[0], &j->found) : NULL;
    for (int i = 0; j->fn[1] && i < 2; i++) {
        const ir_fn *const f = pass_simplify(j->a, j->fn[i]);
        const run_plan *const p = f ? plan_make(j->a, j->a, f, false) : NULL;
        j->kernels[i] = p ? p->nkernel : 0;
        j->plan = p ? run_plan_text(j->a, p) : "";
    }
}

static void planned(void)
{
    for (size_t k = 0; k < sizeof rowwise / sizeof *rowwise; k++) {
        const char *const name = rowwise[k].name;
        row_job j = { .a = base_open(), .text = text_of(name) };
        base_clear_error();
        const bool ok = base_catch(plan_rows, &j) && j.fn[1];
        CHECK(ok, "%s: %s", name, pipeline_error());
        if (ok) {
            CHECK(j.found == rowwise[k].found, "%s: %d found", name, j.found);
            CHECK((j.fn[0] == j.fn[1]) == !j.found, "%s: written again for nothing", name);
            CHECK(j.kernels[1] == rowwise[k].kernels, "%s: %u kernels", name, j.kernels[1]);
            CHECK(j.kernels[0] >= j.kernels[1] + (unsigned)j.found, "%s: %u without the pass", name, j.kernels[0]);
            const char *const tag = rowwise[k].tag, *const said = strstr(j.plan, "rows: ");
            const bool known = !tag || (said && !strncmp(said + 6, tag, strlen(tag)) && said[6 + strlen(tag)] == ':');
            CHECK(known, "%s is not known as %s:\n%s", name, tag, j.plan);
            CHECK(same(j.a, j.fn[0], j.fn[1]), "%s: other values", name);
            run(j.a, name, j.fn[1]);
        }
        base_clear_error();
        base_close(j.a);
    }
}

/* Signs of zeros and the initial value: what a sum of one makes of them. And what is no such sum. */
static void sums_of_one(void)
{
    static const struct { const char *reduction, *type, *in, *init; int found; } texts[] = {
        { "stablehlo.add", "f32", "4x1x3", "0.000000e+00", 1 },
        { "stablehlo.add", "f32", "4x1x3", "1.500000e+00", 1 },
        { "stablehlo.maximum", "f32", "4x1x3", "0xFF800000", 1 },
        { "stablehlo.minimum", "f32", "4x1x3", "0.000000e+00", 1 },
        { "stablehlo.multiply", "bf16", "4x1x3", "1.000000e+00", 1 },
        { "stablehlo.add", "i32", "4x1x3", "7", 1 },
        { "stablehlo.add", "f32", "4x2x3", "0.000000e+00", 0 },
        { "stablehlo.add", "f32", "4x0x3", "0.000000e+00", 0 },
        { "stablehlo.and", "i32", "4x1x3", "-1", 0 },
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        base_arena *const a = base_open();
        const char *const t = texts[k].type;
        const char *const in = base_format(a, "tensor<%sx%s>", texts[k].in, t);
        const char *const to = base_format(a, "tensor<4x3x%s>", t);
        row_job j = { .a = a, .text = base_format(a, "func.func @main(%%x: %s) -> %s {\n"
                                                     "  %%z = stablehlo.constant dense<%s> : tensor<%s>\n"
                                                     "  %%m = stablehlo.negate %%x : %s\n"
                                                     "  %%r = stablehlo.reduce(%%m init: %%z) applies %s "
                                                     "across dimensions = [1] : (%s, tensor<%s>) -> %s\n"
                                                     "  return %%r : %s\n}\n",
                                                  in, to, texts[k].init, t, in, texts[k].reduction, in, t, to, to) };
        base_clear_error();
        const bool ok = base_catch(plan_rows, &j) && j.fn[1];
        CHECK(ok, "%s of %s: %s", texts[k].reduction, texts[k].in, pipeline_error());
        if (ok) CHECK(j.found == texts[k].found && same(a, j.fn[0], j.fn[1]), "%s of %s", texts[k].reduction, in);
        base_clear_error();
        base_close(a);
    }
}

/* Scatters that are no one-hot: a piece of a text in the place of another. */
static void scattered(const char *name, const char *what, const char *by)
{
    const char *const whole = text_of(name), *const at = strstr(whole, what);
    static char other[1 << 16];
    CHECK(at, "%s has no %s", name, what);
    if (!at) return;
    snprintf(other, sizeof other, "%.*s%s%s", (int)(at - whole), whole, by, at + strlen(what));
    row_job j = { .a = base_open(), .text = other };
    base_clear_error();
    const bool ok = base_catch(plan_rows, &j) && j.fn[1];
    CHECK(ok, "%s with %s: %s", name, by, pipeline_error());
    if (ok) CHECK(!rows(j.fn[1], &prim_scatter) == !rows(j.fn[0], &prim_scatter), "%s with %s: raised", name, by);
    if (ok) CHECK(same(j.a, j.fn[0], j.fn[1]), "%s with %s: other values", name, by);
    base_clear_error();
    base_close(j.a);
}

static void wrong_scatters(void)
{
    static const char zeros[] = "dense<0.000000e+00> : tensor<f32>\n    %0 = stablehlo.broadcast";
    static const char ones[] = "dense<1.000000e+00> : tensor<f32>\n    %0 = stablehlo.broadcast";
    static const char iota[] = "stablehlo.iota dim = 0 : tensor<8xi32>";
    static const char twice[] = "stablehlo.constant dense<[0, 1, 1, 3, 4, 5, 6, 7]> : tensor<8xi32>";
    scattered("taken", zeros, ones);
    scattered("old_taken", zeros, ones);
    scattered("taken", "= stablehlo.add %arg2, %arg3 : tensor<f32>", "= stablehlo.maximum %arg2, %arg3 : tensor<f32>");
    scattered("indexed", iota, twice);
    scattered("old_taken", "stablehlo.iota dim = 0", "stablehlo.iota dim = 1");
}

/* ---- places along axes ---- */

/* partition_id over [2, 4] and what is done with it, in a region over all of it. index: axes of the axis_index that it
 * becomes; -1: it stays arithmetic, for its places are no whole axes. */
static const struct { const char *does; int axes; } numbers[] = {
    { "%p = stablehlo.divide %n, %c4 : tensor<ui32>\n%q = stablehlo.remainder %p, %c2 : tensor<ui32>\n", 1 },
    { "%p = stablehlo.remainder %n, %c4 : tensor<ui32>\n%q = stablehlo.remainder %p, %c4 : tensor<ui32>\n", 1 },
    { "%p = stablehlo.divide %n, %c4 : tensor<ui32>\n%q = stablehlo.remainder %p, %c1 : tensor<ui32>\n", 0 },
    { "%p = stablehlo.divide %n, %c1 : tensor<ui32>\n%q = stablehlo.remainder %p, %c8 : tensor<ui32>\n", 2 },
    { "%p = stablehlo.divide %n, %c2 : tensor<ui32>\n%q = stablehlo.remainder %p, %c2 : tensor<ui32>\n", -1 },
    { "%p = stablehlo.remainder %n, %c2 : tensor<ui32>\n%q = stablehlo.divide %p, %c1 : tensor<ui32>\n", -1 },
    { "%p = stablehlo.divide %n, %c3 : tensor<ui32>\n%q = stablehlo.remainder %p, %c3 : tensor<ui32>\n", -1 },
    { "%p = stablehlo.add %n, %c4 : tensor<ui32>\n%q = stablehlo.remainder %p, %c4 : tensor<ui32>\n", -1 },
};

static void plan_places(void *arg)
{
    row_job *const j = arg;
    j->fn[0] = hlo_read(j->a, base_intern("places.mlir"), j->text);
    j->fn[1] = j->fn[0] ? hlo_axis_index(j->a, j->fn[0], &j->found) : NULL;
}

static int axes_of(const ir_fn *f)                       /* of its axis_index; -1: none, or not by itself */
{
    const ir_fn *const body = f->eqn[f->neqn - 1].sub[0];
    int n = 0, other = 0;
    for (uint32_t k = 0; k < body->neqn; k++) {
        const ir_eqn *const e = &body->eqn[k];
        other += e->op == &prim_div || e->op == &prim_rem;
        if (e->op == &prim_axis_index) n += IR_ATTR(e, op_axis_attr)->axes.n;
    }
    return other ? -1 : n;
}

static void places(void)
{
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        base_text s = { .arena = base_open() };
        base_appendf(&s, "module {\nsdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>\n"
                     "func.func public @main() -> tensor<8xi32> {\n"
                     "%%0 = sdy.manual_computation() in_shardings=[] out_shardings=[<@mesh, [{\"x\", \"y\"}]>] "
                     "manual_axes={\"x\", \"y\"} () {\n%%n = stablehlo.partition_id : tensor<ui32>\n");
        for (int c = 1; c < 9; c++) base_appendf(&s, "%%c%d = stablehlo.constant dense<%d> : tensor<ui32>\n", c, c);
        base_appendf(&s, "%s%%i = stablehlo.convert %%q : (tensor<ui32>) -> tensor<i32>\n"
                     "%%r = stablehlo.reshape %%i : (tensor<i32>) -> tensor<1xi32>\nsdy.return %%r : tensor<1xi32>\n"
                     "} : () -> tensor<8xi32>\nreturn %%0 : tensor<8xi32>\n}\n}\n", numbers[k].does);
        row_job j = { .a = s.arena, .text = s.s };
        base_clear_error();
        const bool ok = base_catch(plan_places, &j) && j.fn[1];
        CHECK(ok, "number %zu: %s", k, pipeline_error());
        if (ok) CHECK(!j.found == (numbers[k].axes < 0), "number %zu: %d found", k, j.found);
        if (ok) CHECK(axes_of(j.fn[1]) == numbers[k].axes, "number %zu: %d axes", k, axes_of(j.fn[1]));
        if (ok) CHECK(same(j.a, j.fn[0], j.fn[1]), "number %zu: other values", k);
        base_clear_error();
        base_close(s.arena);
    }
}

/* ---- loops that go downwards ---- */

/* How often each stands in what is left: scans, reversed arrays, whiles; the carries of all scans. */
static const struct { const char *name; int scans, reversed, whiles; int64_t carries; } downwards[] = {
    { "turned_grad", 2, 0, 0, 2 }, { "turned_counter", 1, 0, 0, 0 }, { "turned_both", 1, 2, 0, 0 },
};

typedef struct { base_arena *a; const char *text; ir_fn *fn[2]; int found; } loop_job;

static void loop_work(void *arg)
{
    loop_job *const j = arg;
    j->fn[0] = hlo_read(j->a, base_intern("loops.mlir"), j->text);
    j->fn[1] = j->fn[0] ? hlo_loops(j->a, j->fn[0], &j->found) : NULL;
}

static int64_t carries(const ir_fn *f)
{
    int64_t n = 0;
    for (uint32_t k = 0; k < f->neqn; k++)
        if (f->eqn[k].op == &prim_scan) n += IR_ATTR(&f->eqn[k], op_scan_attr)->num_carry;
    return n;
}

static void loops(void)
{
    for (size_t k = 0; k < sizeof downwards / sizeof *downwards; k++) {
        const char *const name = downwards[k].name;
        loop_job j = { .a = base_open(), .text = text_of(name) };
        base_clear_error();
        const bool ok = base_catch(loop_work, &j) && j.fn[1];
        CHECK(ok, "%s: %s", name, pipeline_error());
        if (ok) {
            const ir_fn *const f = pass_simplify(j.a, j.fn[1]);
            CHECK(j.found == downwards[k].scans && rows(f, &prim_scan) == j.found, "%s: %d scans", name, j.found);
            CHECK(rows(f, &prim_reverse) == downwards[k].reversed, "%s: %d arrays reversed", name,
                  rows(f, &prim_reverse));
            CHECK(rows(f, &prim_while) == downwards[k].whiles, "%s: a while is left", name);
            CHECK(carries(f) == downwards[k].carries, "%s: %lld carries", name, (long long)carries(f));
            CHECK(same(j.a, j.fn[0], f), "%s: other values", name);
        }
        base_clear_error();
        base_close(j.a);
    }
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    CHECK_RUN(texts());
    CHECK_RUN(loops());
    CHECK_RUN(planned());
    CHECK_RUN(sums_of_one());
    CHECK_RUN(wrong_scatters());
    CHECK_RUN(places());
    CHECK_RUN(near_misses());
    return check_done();
}
