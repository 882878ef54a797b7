/* log_sum.c - logaddexp and logaddexp2 as JAX prints them: the pass finds them and leaves every bit of the value; the
 * derivative is JAX's rule's, in both modes, mapped and twice, where the operands are equal, infinite or NaN. Near
 * misses stay what they are. */
#include "hlo/hlo.h"
#include "api/pipeline.h"

#include <math.h>
#include <string.h>
#include <tutti.h>

enum { N = 12 };
static const double points[2][N] = {
    { 0, 1.5, -70, 0, 2, -1, INFINITY, INFINITY, -INFINITY, -INFINITY, NAN, INFINITY },
    { 0, 1.5, -70, -0.0, -1, 2.5, 3, INFINITY, -INFINITY, 1, 1, -INFINITY },
};

/* ---- JAX's texts: $T, $P and $S are types; base 2 is another since JAX 0.5 ---- */

#define HEAD "func.func @main(%a: $T, %b: $T) -> $T {\n"
#define BEGIN HEAD "  %0 = stablehlo.maximum %a, %b : $T\n  %1 = stablehlo.subtract %a, %b : $T\n" \
    "  %2 = stablehlo.compare NE, %1, %1, FLOAT : ($T, $T) -> $P\n  %3 = stablehlo.add %a, %b : $T\n" \
    "  %4 = stablehlo.abs %1 : $T\n  %5 = stablehlo.negate %4 : $T\n"
#define OF(name, value) "  " name "s = stablehlo.constant dense<" value "> : $S\n" \
    "  " name " = stablehlo.broadcast_in_dim " name "s, dims = [] : ($S) -> $T\n"
#define END "  %y = stablehlo.select %2, %3, %13 : $P, $T\n  return %y : $T\n}\n"
#define LN2 "0.69314718055994531"
static const char natural[] = BEGIN "  %8 = stablehlo.exponential %5 : $T\n  %9 = stablehlo.log_plus_one %8 : $T\n"
    "  %13 = stablehlo.add %0, %9 : $T\n" END;
static const char binary[] = BEGIN OF("%6", LN2) "  %7 = stablehlo.multiply %6, %5 : $T\n"
    "  %8 = stablehlo.exponential %7 : $T\n  %9 = stablehlo.log_plus_one %8 : $T\n" OF("%10", "1.4426950408889634")
    "  %11 = stablehlo.multiply %10, %9 : $T\n  %13 = stablehlo.add %0, %11 : $T\n" END;
static const char older[] = BEGIN OF("%6", LN2) "  %7 = stablehlo.multiply %6, %5 : $T\n"
    "  %8 = stablehlo.exponential %7 : $T\n  %9 = stablehlo.log_plus_one %8 : $T\n" OF("%10", LN2)
    "  %11 = stablehlo.divide %9, %10 : $T\n  %13 = stablehlo.add %0, %11 : $T\n" END;
/* softplus: a broadcast for each use of 0 */
static const char softplus[] = "func.func @main(%a: $T, %b: $T) -> $T {\n  %c = stablehlo.constant dense<0.0> : $S\n"
    "  %c1 = stablehlo.broadcast_in_dim %c, dims = [] : ($S) -> $T\n  %0 = stablehlo.maximum %a, %c1 : $T\n"
    "  %c2 = stablehlo.broadcast_in_dim %c, dims = [] : ($S) -> $T\n  %1 = stablehlo.subtract %a, %c2 : $T\n"
    "  %2 = stablehlo.compare NE, %1, %1, FLOAT : ($T, $T) -> $P\n"
    "  %c3 = stablehlo.broadcast_in_dim %c, dims = [] : ($S) -> $T\n  %3 = stablehlo.add %a, %c3 : $T\n"
    "  %4 = stablehlo.abs %1 : $T\n  %5 = stablehlo.negate %4 : $T\n  %8 = stablehlo.exponential %5 : $T\n"
    "  %9 = stablehlo.log_plus_one %8 : $T\n  %13 = stablehlo.add %0, %9 : $T\n" END;

/* vmap(vmap(logaddexp, (0, None)), (1, 0)): a transpose and two broadcasts for each use */
#define MAPPED(k) "  %a" k " = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x4xf32>) -> tensor<4x2xf32>\n" \
    "  %d" k " = stablehlo.broadcast_in_dim %b, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>\n" \
    "  %b" k " = stablehlo.broadcast_in_dim %d" k ", dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x2xf32>\n"
static const char mapped[] = "func.func @main(%a: tensor<2x4xf32>, %b: tensor<4xf32>) -> tensor<4x2xf32> {\n"
    MAPPED("0") "  %0 = stablehlo.maximum %a0, %b0 : tensor<4x2xf32>\n"
    MAPPED("1") "  %1 = stablehlo.subtract %a1, %b1 : tensor<4x2xf32>\n"
    "  %2 = stablehlo.compare NE, %1, %1, FLOAT : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xi1>\n"
    MAPPED("2") "  %3 = stablehlo.add %a2, %b2 : tensor<4x2xf32>\n  %4 = stablehlo.abs %1 : tensor<4x2xf32>\n"
    "  %5 = stablehlo.negate %4 : tensor<4x2xf32>\n  %6 = stablehlo.exponential %5 : tensor<4x2xf32>\n"
    "  %7 = stablehlo.log_plus_one %6 : tensor<4x2xf32>\n  %8 = stablehlo.add %0, %7 : tensor<4x2xf32>\n"
    "  %9 = stablehlo.select %2, %3, %8 : tensor<4x2xi1>, tensor<4x2xf32>\n  return %9 : tensor<4x2xf32>\n}\n";

static const struct { tt_dtype d; const char *name; double off; } types[] = {
    { TT_F32, "f32", 4e-7 }, { TT_F64, "f64", 4e-15 }, { TT_BF16, "bf16", 2e-2 },
};

/* The text with its types, and with `by` in the place of `what`, unless that is NULL. */
static const char *of_type(base_arena *a, const char *text, const char *d, const char *what, const char *by)
{
    base_text t = { .arena = a };
    const char *const at = what ? strstr(text, what) : NULL;
    CHECK(!what || at, "there is no %s", what);
    for (const char *p = text; *p; p++) {
        if (p == at) base_appendf(&t, "%s", by), p += strlen(what) - 1;
        else if (*p != '$') base_appendf(&t, "%c", *p);
        else if (*++p == 'S') base_appendf(&t, "tensor<%s>", d);
        else base_appendf(&t, "tensor<%dx%s>", N, *p == 'T' ? d : "i1");
    }
    return t.s;
}

/* ---- what the pass finds, and bits ---- */

typedef struct { base_arena *a; const char *text; ir_fn *fn[2]; int found; } log_job;

static void log_work(void *arg)
{
    log_job *const j = arg;
    j->fn[0] = hlo_read(j->a, base_intern("log_sum.mlir"), j->text);
    j->fn[1] = j->fn[0] ? hlo_log_sums(j->a, j->fn[0], &j->found) : NULL;
}

static const void *bits(base_arena *a, const ir_fn *f)   /* of the result at the first points; NULL: it does not run */
{
    ir_box x[2], y = ir_box_dense(base_new(a, 8 * N), f->type[f->ret[0]]);
    for (int i = 0; i < 2; i++) {
        x[i] = ir_box_dense(base_new(a, 8 * N), f->type[1 + i]);
        const ir_box flat = ir_box_dense(x[i].at, ir_type_of(x[i].dtype, 1, (const int64_t[]){ N }));
        for (int64_t k = 0; k < N; k++) ir_store(&flat, &k, (ir_num){ .f = points[i][k] });
    }
    return ir_eval(f, x, &y) ? y.at : NULL;
}

static void finds(const char *what, const char *text, int number)
{
    log_job j = { .a = base_open(), .text = text };
    base_clear_error();
    const bool ok = base_catch(log_work, &j) && j.fn[1];
    CHECK(ok, "%s: %s", what, pipeline_error());
    if (ok) {
        const void *const x = bits(j.a, j.fn[0]), *const y = bits(j.a, j.fn[1]);
        CHECK(j.found == number && (j.fn[0] == j.fn[1]) == !number, "%s: %d found", what, j.found);
        CHECK(x && y && !memcmp(x, y, (size_t)ir_bytes(j.fn[0]->type[j.fn[0]->ret[0]])), "%s: other values", what);
    }
    base_clear_error();
    base_close(j.a);
}

static void found(void)
{
    base_arena *const a = base_open();
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        finds("logaddexp", of_type(a, natural, types[k].name, NULL, NULL), 1);
        finds("logaddexp2", of_type(a, binary, types[k].name, NULL, NULL), 1);
        finds("logaddexp2 before 0.5", of_type(a, older, types[k].name, NULL, NULL), 1);
        finds("softplus", of_type(a, softplus, types[k].name, NULL, NULL), 1);
        finds("the other order", of_type(a, natural, types[k].name, "maximum %a, %b", "maximum %b, %a"), 1);
    }
    finds("two maps", mapped, 1);
    base_close(a);
}

static void near_misses(void)
{
    static const struct { const char *text, *what, *by; } other[] = {
        { natural, "maximum", "minimum" },          { natural, "maximum %a, %b", "maximum %a, %a" },
        { natural, "NE, ", "EQ, " },                { natural, "FLOAT", "TOTALORDER" },
        { natural, "NE, %1, %1", "NE, %1, %a" },    { natural, "add %a, %b", "add %a, %a" },
        { natural, "add %a, %b", "multiply %a, %b" },   { natural, "abs %1", "abs %3" },
        { natural, "subtract", "add" },             { natural, "negate %4", "negate %1" },
        { natural, "exponential ", "exponential_minus_one " },     { natural, "log_plus_one", "log" },
        { natural, "add %0, %9", "add %3, %9" },    { natural, "add %0, %9", "subtract %0, %9" },
        { natural, "select %2, %3, %13", "select %2, %13, %3" },
        { binary, LN2, "0.69314742" },              { binary, "1.4426950408889634", "1.4426953" },
        { binary, "multiply %6, %5", "multiply %5, %5" },   { binary, "multiply %6, %5", "add %6, %5" },
        { binary, "add %0, %11", "add %0, %9" },    { binary, "exponential %7", "exponential %5" },
        { older, "divide %9, %10", "divide %10, %9" },      { older, "divide %9, %10", "multiply %9, %10" },
        { softplus, "add %a, %c3", "add %a, %b" },  { softplus, "%c3 = stablehlo.broadcast_in_dim %c,",
                                                      "%d = stablehlo.constant dense<1.0> : $S\n"
                                                      "  %c3 = stablehlo.broadcast_in_dim %d," },
    };
    base_arena *const a = base_open();
    for (size_t k = 0; k < sizeof other / sizeof *other; k++) {
        const char *const by = of_type(a, other[k].by, "f32", NULL, NULL);
        finds(other[k].by, of_type(a, other[k].text, "f32", other[k].what, by), 0);
    }
    base_close(a);
}

/* ---- derivatives ---- */

static tt_val sum_of(void *env, int n, const tt_val *ab) /* of the imported function, which the environment is */
{
    (void)n;
    return tt_sum(tt_call(*(tt_fn *)env, tt_item(ab[0], 0), tt_item(ab[0], 1)));
}

static tt_val first_slope(void *env, int n, const tt_val *ab)
{
    (void)n;
    return tt_item(tt_call(tt_grad(*(tt_fn *)env), ab[0]), 0);
}

/* JAX's rule: exp(x - y) with 0 for infinities, in base e or 2. */
static double slope(int of, int k, bool two)
{
    const double a = points[0][k], b = points[1][k], x = points[of][k], most = fmax(a, b), ln2 = log(2);
    const double y = isnan(a - b) ? a + b : two ? most + log1p(exp2(-fabs(a - b))) / ln2
                                                : most + log1p(exp(-fabs(a - b)));
    const double d = (x == INFINITY ? 0 : x) - (y == INFINITY ? 0 : y);
    return two ? exp2(d) : exp(d);
}

/* plus: times 0, the other slope is added, as by a tangent of 0: in JAX too, that is NaN where a slope is. */
static void slopes_are(const char *what, tt_val got, int of, bool plus, bool two, double off)
{
    double v[N] = { 0 };
    CHECK(tt_read(tt_cast(got, TT_F64), v, sizeof v), "%s: %s", what, tt_error());
    for (int k = 0; k < N; k++) {
        const double want = slope(of, k, two) + (plus ? 0 * slope(1 - of, k, two) : 0);
        CHECK(isnan(want) ? isnan(v[k]) : fabs(v[k] - want) <= off * fmax(fabs(want), 1),
              "%s by operand %d at (%g, %g): %.17g, not %.17g", what, of, points[0][k], points[1][k], v[k], want);
    }
    tt_clear();
}

static void derivatives(const char *text, tt_dtype d, const char *name, double off)
{
    base_arena *const a = base_open();
    const bool two = text != natural;
    tt_fn imported = tt_import(of_type(a, text, name, NULL, NULL));
    tt_fn loss = tt_bind_env(NULL, sum_of, &imported, sizeof imported, 1);
    const tt_fn slope_of_first = tt_bind_env(NULL, first_slope, &loss, sizeof loss, 1);
    tt_val x[2], twice[2];
    for (int i = 0; i < 2; i++) x[i] = tt_cast(tt_array(TT_F64, points[i], N), d), twice[i] = tt_broadcast(x[i], 2, N);
    const tt_val ab = tt_tuple(x[0], x[1]), one = tt_cast(tt_full(1, TT_F32, N), d), none = tt_zeros(d, N);
    const tt_val g = tt_call(tt_grad(loss), ab), jitted = tt_call(tt_jit(tt_grad(loss)), ab);
    const tt_val rows = tt_call(tt_vmap(tt_grad(loss)), tt_tuple(twice[0], twice[1]));
    for (int i = 0; i < 2; i++) {
        const tt_val dx = i ? tt_tuple(none, one) : tt_tuple(one, none);
        slopes_are("reverse", tt_item(g, i), i, false, two, off);
        slopes_are("reverse, compiled", tt_item(jitted, i), i, false, two, off);
        slopes_are("reverse, mapped", tt_take(tt_item(rows, i), tt_i(1), 0), i, false, two, off);
        slopes_are("forward", tt_item(tt_call(tt_jvp(imported), ab, dx), 1), i, true, two, off);
    }
    const tt_val second = tt_item(tt_call(tt_jvp(slope_of_first), tt_tuple(ab), tt_tuple(tt_tuple(one, none))), 1);
    double v[N] = { 0 };
    CHECK(tt_read(tt_cast(second, TT_F64), v, sizeof v), "twice: %s", tt_error());
    for (int k = 0; k < 6; k++) {
        const double p = slope(0, k, two), want = p * (1 - p) * (two ? log(2) : 1);
        CHECK(fabs(v[k] - want) <= off, "twice at (%g, %g): %.17g, not %.17g", points[0][k], points[1][k], v[k], want);
    }
    tt_clear();
    base_close(a);
}

static void all_derivatives(void)
{
    static const char *const texts[] = { natural, binary, older };
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        for (size_t i = 0; i < 3; i++) derivatives(texts[i], types[k].d, types[k].name, types[k].off);
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    CHECK_RUN(found());
    CHECK_RUN(near_misses());
    CHECK_RUN(all_derivatives());
    tt_done();
    return check_done();
}
