/* varying.c - loops and branches in a checked manual region: carries that begin the same everywhere and come to vary,
 * ends and choices that differ by device, and programs of StableHLO, whose text knows nothing of the region. What a
 * region computes is compared with the function itself on each device's part. */
#include "check.h"

#include <math.h>
#include <string.h>
#include <tutti.h>

enum { DEVICES = 4, ROWS = 2, COLUMNS = 3, PART = ROWS * COLUMNS, ALL = DEVICES * PART };

static void fails(const char *what, const char *expected)
{
    CHECK(!tt_ok() && strstr(tt_error(), expected), "%s: %s", what, tt_ok() ? "no error" : tt_error());
    tt_clear();
}

static void numbers(float *x)
{
    for (int i = 0; i < ALL; i++) x[i] = (float)((i * 5 + 2) % 9) / 8 - 0.4F;
}

static double worst(const float *x, const float *y, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i] - y[i]) / (1 + fabs(y[i])));
    return most;
}

/* ---- programs of StableHLO ---- */

#define MAIN "module {\n  func.func public @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {\n"
#define ENDS "    func.return %y : tensor<2x3xf32>\n  }\n"
#define T "tensor<2x3xf32>"
#define LESS "<{comparison_direction = #stablehlo<comparison_direction LT>}>"
/* a loop of `times` iterations from ones: v * x, with a note of the number */
#define LOOP(y, times) \
    "    %zero = stablehlo.constant dense<0> : tensor<i32>\n    %one = stablehlo.constant dense<1> : tensor<i32>\n" \
    "    %ones = stablehlo.constant dense<1.0> : " T "\n" times \
    "    %r:2 = \"stablehlo.while\"(%zero, %ones) ({\n    ^bb0(%i: tensor<i32>, %v: " T "):\n" \
    "      %l = \"stablehlo.compare\"(%i, %n) " LESS " : (tensor<i32>, tensor<i32>) -> tensor<i1>\n" \
    "      \"stablehlo.return\"(%l) : (tensor<i1>) -> ()\n    }, {\n    ^bb0(%i: tensor<i32>, %v: " T "):\n" \
    "      %w = stablehlo.multiply %v, %x : " T "\n      %k = stablehlo.add %i, %one : tensor<i32>\n" \
    "      \"stablehlo.return\"(%k, %w) : (tensor<i32>, " T ") -> ()\n" \
    "    }) : (tensor<i32>, " T ") -> (tensor<i32>, " T ")\n    %" y " = stablehlo.add %r#1, %ones : " T "\n"
/* the number of elements below 0 */
#define BELOW(n) \
    "    %nil = stablehlo.constant dense<0.0> : " T "\n    %no = stablehlo.constant dense<0> : tensor<i32>\n" \
    "    %b = \"stablehlo.compare\"(%x, %nil) " LESS " : (" T ", " T ") -> tensor<2x3xi1>\n" \
    "    %c = stablehlo.convert %b : (tensor<2x3xi1>) -> tensor<2x3xi32>\n" \
    "    %" n " = \"stablehlo.reduce\"(%c, %no) <{dimensions = array<i64: 0, 1>}> ({\n" \
    "    ^bb0(%p: tensor<i32>, %q: tensor<i32>):\n      %s = stablehlo.add %p, %q : tensor<i32>\n" \
    "      \"stablehlo.return\"(%s) : (tensor<i32>) -> ()\n" \
    "    }) : (tensor<2x3xi32>, tensor<i32>) -> tensor<i32>\n"

static const struct { const char *name, *text; bool reverse; } programs[] = {
    { "a counted loop", MAIN LOOP("y", "    %n = stablehlo.constant dense<3> : tensor<i32>\n") ENDS "}\n", true },
    { "a loop whose end differs", MAIN LOOP("y", BELOW("n")) ENDS "}\n", false },
    { "a branch by an index that differs",
      MAIN BELOW("n")
      "    %m = stablehlo.constant dense<2> : tensor<i32>\n    %k = stablehlo.remainder %n, %m : tensor<i32>\n"
      "    %y = \"stablehlo.case\"(%k) ({\n      %e = stablehlo.constant dense<4.0> : " T "\n"
      "      \"stablehlo.return\"(%e) : (" T ") -> ()\n    }, {\n"
      "      %e = stablehlo.multiply %x, %x : " T "\n      \"stablehlo.return\"(%e) : (" T ") -> ()\n"
      "    }) : (tensor<i32>) -> " T "\n" ENDS "}\n", true },
    { "a loop in a branch of a loop",
      MAIN "    %two = stablehlo.constant dense<2> : tensor<i32>\n    %a = stablehlo.constant dense<0.5> : " T "\n"
      "    %o = stablehlo.constant dense<1> : tensor<i32>\n    %z = stablehlo.constant dense<0> : tensor<i32>\n"
      "    %t:2 = \"stablehlo.while\"(%z, %a) ({\n    ^bb0(%i: tensor<i32>, %v: " T "):\n"
      "      %l = \"stablehlo.compare\"(%i, %two) " LESS " : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "      \"stablehlo.return\"(%l) : (tensor<i1>) -> ()\n    }, {\n    ^bb0(%i: tensor<i32>, %v: " T "):\n"
      "      %w = \"stablehlo.case\"(%i) ({\n        %u:2 = \"stablehlo.while\"(%z, %a) ({\n"
      "        ^bb0(%j: tensor<i32>, %g: " T "):\n"
      "          %l = \"stablehlo.compare\"(%j, %two) " LESS " : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "          \"stablehlo.return\"(%l) : (tensor<i1>) -> ()\n        }, {\n"
      "        ^bb0(%j: tensor<i32>, %g: " T "):\n          %h = stablehlo.multiply %g, %x : " T "\n"
      "          %k = stablehlo.add %j, %o : tensor<i32>\n"
      "          \"stablehlo.return\"(%k, %h) : (tensor<i32>, " T ") -> ()\n"
      "        }) : (tensor<i32>, " T ") -> (tensor<i32>, " T ")\n"
      "        \"stablehlo.return\"(%u#1) : (" T ") -> ()\n      }, {\n"
      "        \"stablehlo.return\"(%a) : (" T ") -> ()\n      }) : (tensor<i32>) -> " T "\n"
      "      %s = stablehlo.add %v, %w : " T "\n      %k = stablehlo.add %i, %o : tensor<i32>\n"
      "      \"stablehlo.return\"(%k, %s) : (tensor<i32>, " T ") -> ()\n"
      "    }) : (tensor<i32>, " T ") -> (tensor<i32>, " T ")\n"
      "    %y = stablehlo.add %t#1, %a : " T "\n" ENDS "}\n", true },
    { "a function that is called twice",
      MAIN "    %c = stablehlo.constant dense<0.25> : " T "\n"
      "    %u = func.call @loop(%c, %x) : (" T ", " T ") -> " T "\n"
      "    %v = func.call @loop(%c, %c) : (" T ", " T ") -> " T "\n    %y = stablehlo.add %u, %v : " T "\n" ENDS
      "  func.func private @loop(%c: " T ", %x: " T ") -> " T " {\n"
      LOOP("y", "    %n = stablehlo.constant dense<3> : tensor<i32>\n")
      "    %d = stablehlo.multiply %y, %c : " T "\n    func.return %d : " T "\n  }\n}\n", true },
    { "a sort by a comparator of its own",
      MAIN "    %d = stablehlo.constant dense<[[3.0, 1.0, 2.0], [2.0, 3.0, 1.0]]> : " T "\n"
      "    %r:2 = \"stablehlo.sort\"(%x, %d) <{dimension = 1 : i64, is_stable = true}> ({\n"
      "    ^bb0(%p: tensor<f32>, %q: tensor<f32>, %s: tensor<f32>, %t: tensor<f32>):\n"
      "      %e = stablehlo.multiply %p, %p : tensor<f32>\n      %f = stablehlo.multiply %q, %q : tensor<f32>\n"
      "      %l = \"stablehlo.compare\"(%e, %f) " LESS " : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
      "      \"stablehlo.return\"(%l) : (tensor<i1>) -> ()\n"
      "    }) : (" T ", " T ") -> (" T ", " T ")\n    %y = stablehlo.add %r#0, %r#1 : " T "\n" ENDS "}\n", false },
};

static tt_mesh mesh;

/* Functions of one program each: a jitted function is compiled once, whatever variables its body reads. */
typedef struct { tt_fn whole, parts, whole_loss, parts_loss; } functions;
static tt_fn program[6];
#define PROGRAM(k) \
    static tt_val whole_##k(tt_val x) { return tt_call(program[k], x); } \
    static tt_val parts_##k(tt_val x) \
    { \
        return tt_call(tt_shard_map(whole_##k, .mesh = mesh, .in = "i", .out = "i"), x); \
    } \
    static tt_val whole_loss_##k(tt_val x) { return tt_sum(tt_square(whole_##k(x))); } \
    static tt_val parts_loss_##k(tt_val x) { return tt_sum(tt_square(parts_##k(x))); }
PROGRAM(0)
PROGRAM(1)
PROGRAM(2)
PROGRAM(3)
PROGRAM(4)
PROGRAM(5)
#define FUNCTIONS(k) { tt_jit(whole_##k), tt_jit(parts_##k), tt_jit(whole_loss_##k), tt_jit(parts_loss_##k) }

static void read(tt_fn f, tt_val x, float *to, int n)
{
    memset(to, 0, (size_t)n * sizeof *to);
    tt_read(tt_call(f, x), to, (size_t)n * sizeof *to);
}

static void of_program(int k, functions f)
{
    const char *const name = programs[k].name;
    float x[ALL], y[ALL], known[3][ALL];
    numbers(x);
    program[k] = tt_import(programs[k].text);
    CHECK(tt_ok(), "%s: %s", name, tt_error());
    for (int d = 0; d < DEVICES; d++) {
        const tt_val part = tt_array(TT_F32, x + d * PART, ROWS, COLUMNS), ones = tt_ones(TT_F32, ROWS, COLUMNS);
        read(f.whole, part, known[0] + d * PART, PART);
        tt_read(tt_item(tt_call(tt_jvp(f.whole), part, ones), 1), known[1] + d * PART, PART * sizeof **known);
        if (programs[k].reverse) read(tt_grad(f.whole_loss), part, known[2] + d * PART, PART);
    }
    CHECK(tt_ok(), "%s: %s", name, tt_error());
    const tt_val all = tt_array(TT_F32, x, DEVICES * ROWS, COLUMNS), ones = tt_ones(TT_F32, DEVICES * ROWS, COLUMNS);
    for (int i = 0; i < 2 + programs[k].reverse; i++) {
        static const char *const what[] = { "values", "forward", "reverse" };
        if (i == 1) tt_read(tt_item(tt_call(tt_jvp(f.parts), all, ones), 1), y, sizeof y);
        else read(i ? tt_grad(f.parts_loss) : f.parts, all, y, ALL);
        CHECK(tt_ok() && worst(y, known[i], ALL) < 1e-6, "%s, %s: off by %g, %s", name, what[i],
              worst(y, known[i], ALL), tt_error());
        tt_clear();
    }
}

static void imported(void)
{
    const functions f[] = { FUNCTIONS(0), FUNCTIONS(1), FUNCTIONS(2), FUNCTIONS(3), FUNCTIONS(4), FUNCTIONS(5) };
    for (int k = 0; k < 6; k++) of_program(k, f[k]);
}

/* ---- Tutti's own: what differs by device is found out, and its gradient is the sum over devices ---- */

static tt_val goes_on(tt_val s) { return tt_lt(tt_item(s, 0), tt_item(s, 2)); }
static tt_val doubles(tt_val s)
{
    return tt_tuple(tt_add(tt_item(s, 0), tt_i(1)), tt_mul(tt_item(s, 1), tt_f(2)), tt_item(s, 2));
}
static tt_val loops(tt_val n)
{
    return tt_item(tt_while(goes_on, doubles, tt_tuple(tt_i(0), tt_f(1), tt_reshape(n))), 1);
}
static tt_val loops_row(tt_val n) { return tt_reshape(loops(n), 1); }

static void ends(void)
{
    float y[DEVICES] = { 0 };
    const tt_val n = tt_arange(TT_I32, DEVICES);
    tt_call(tt_shard_map(loops, .mesh = mesh, .in = "i", .out = ""), n);
    fails("an end that differs", "result 0 varies over i, which its spec \"\" does not name");
    tt_read(tt_call(tt_shard_map(loops_row, .mesh = mesh, .in = "i", .out = "i"), n), y, sizeof y);
    for (int d = 0; d < DEVICES; d++) CHECK(y[d] == (float)(1 << d), "%d: %g, %s", d, y[d], tt_error());
}

static tt_val weight;
static tt_val thrice(tt_val x) { return tt_mul(x, tt_f(3)); }
static tt_val constant(tt_val x) { return (void)x, tt_f(1); }
static tt_val weighed(tt_val x) { return tt_relu(tt_mul(x, tt_square(weight))); }
static tt_val chooses(tt_val n, tt_val x) { return tt_switch(tt_reshape(n), x, thrice, constant, weighed); }
static tt_val chooses_row(tt_val n, tt_val x) { return tt_reshape(chooses(n, x), 1); }
static tt_val takes_weight(tt_val n, tt_val x, tt_val w)
{
    weight = w;
    return chooses_row(n, x);
}
static tt_val of_both(tt_val x, tt_val w)
{
    const tt_fn f = tt_shard_map(takes_weight, .mesh = mesh, .in = "i; _; _", .out = "i");
    return tt_sum(tt_call(f, tt_arange(TT_I32, DEVICES), x, w));
}

/* Devices 0 to 3: 3 x, 1, w^2 x, w^2 x. */
static void choices(void)
{
    weight = tt_f(5);
    tt_call(tt_shard_map(chooses, .mesh = mesh, .in = "i; _", .out = ""), tt_arange(TT_I32, DEVICES), tt_f(2));
    fails("a choice that differs", "result 0 varies over i, which its spec \"\" does not name");
    CHECK(tt_num(of_both(tt_f(2), tt_f(5))) == 107, "%s", tt_error());
    const tt_val g = tt_call(tt_jit(tt_grad(of_both, .wrt = "0, 1")), tt_f(2), tt_f(5));
    const double dx = tt_num(tt_item(g, 0)), dw = tt_num(tt_item(g, 1));
    CHECK(tt_ok() && dx == 53 && dw == 40, "d/dx %g, d/dw %g, %s", dx, dw, tt_error());
}

/* ---- primitives that check their operands, and derivatives with a loop of their own ---- */

static tt_val pivoted(tt_val a) { return tt_item(tt_qr_pivoted(a), 1); }
static tt_val three(tt_val a)
{
    const tt_val d = tt_add(tt_reshape(a, 2, 9), tt_f(4)), l = tt_reshape(a, 2, 9);
    return tt_tridiagonal_solve(l, d, l, tt_expand_dims(d, -1));
}
static tt_val gamma_of(tt_val a) { return tt_igamma(tt_add(tt_square(a), tt_f(0.5)), tt_square(a)); }

#define map_of(f) tt_shard_map(f, .mesh = mesh, .in = "i", .out = "i", .unchecked = unchecked)

static void primitives(void)
{
    float x[2][DEVICES * 2 * 9];
    const tt_val a = tt_normal(tt_key(5), TT_F32, DEVICES * 2, 3, 3);
    for (int f = 0; f < 3; f++)
        for (int g = 0; g < 2; g++) {
            for (int unchecked = 0; unchecked < 2; unchecked++) {
                const tt_fn part = f == 0 ? map_of(pivoted) : f == 1 ? map_of(three) : map_of(gamma_of);
                const tt_val y = g ? tt_item(tt_call(tt_jvp(part), a, tt_ones(TT_F32, DEVICES * 2, 3, 3)), 1)
                                   : tt_call(tt_jit(part), a);
                tt_read(y, x[unchecked], sizeof x[0]);
            }
            CHECK(tt_ok() && !memcmp(x[0], x[1], sizeof x[0]), "%d, %d: %s", f, g, tt_error());
            tt_clear();
        }
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    mesh = tt_mesh("i:4");
    CHECK_RUN(imported());
    CHECK_RUN(ends());
    CHECK_RUN(choices());
    CHECK_RUN(primitives());
    CHECK(tt_done() == 0, "%s", tt_error());
    return check_done();
}
