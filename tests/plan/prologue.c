/* prologue.c - equations that make a product's operand part by part as the product reads it: to the bit what the
 * steps give one after the other, on meshes, in loops, in reproducible mode, in no more memory; and what must not
 * become one step. */
#include "api/pairs.h"
#include "plan/inner.h"

#define DOT(x) "p = dot_general " x ", w {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], " \
                                    "preferred_element_type=f32}\n"
#define BIAS(dims) "c = broadcast_in_dim b {shape=" dims ", broadcast_dimensions=[1]}\n"
#define XW(m, k, n) "fn f(x f32[" m "," k "], w f32[" k "," n "]"
#define SUM(to, x) to " = reduce " x ", zero {dimensions=[1]} (u f32[], v f32[]) {\nq = add u, v\nreturn q\n}\n"
#define SPREAD(to, x, dims) to " = broadcast_in_dim " x " {shape=" dims ", broadcast_dimensions=[0]}\n"
#define NORM "zero = const {dtype=f32, shape=[], splat=true, data=0}\n" SUM("s", "x") SPREAD("m", "s", "[2048,160]") \
    "d = sub x, m\ne = mul d, d\n" SUM("r", "e") SPREAD("v", "r", "[2048,160]") "h = div d, v\n"

/* joined: steps that are what makes an operand and the product. */
static const pairs_example all[] = {
    { "tanh", XW("2048", "160", "96") ") {\nh = tanh x\n" DOT("h") "return p }", { NULL }, 1 },
    { "odd sizes", XW("2051", "131", "67") ", b f32[131]) {\n" BIAS("[2051,131]") "a = add x, c\nh = tanh a\n" DOT("h")
      "return p }", { NULL }, 1 },
    { "wider", "fn f(x bf16[2048,160], w f32[160,96]) {\nh = convert x {new_dtype=f32}\n" DOT("h") "return p }",
      { NULL }, 1 },
    { "integers", "fn f(x u8[2048,160], w i32[160,33]) {\nh = convert x {new_dtype=i32}\np = dot_general h, w "
      "{lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], preferred_element_type=i32}\nreturn p }",
      { NULL }, 1 },
    { "blocks of the sum", XW("300", "3001", "80") ") {\nh = tanh x\n" DOT("h") "return p }", { NULL }, 1 },
    { "few columns", XW("4096", "130", "5") ") {\nh = tanh x\n" DOT("h") "return p }", { NULL }, 1 },
    { "another result of the equations", XW("2048", "160", "96") ") {\na = exp x\nh = mul a, x\n" DOT("h")
      "return p, a }", { NULL }, 1 },
    { "rows", XW("2048", "160", "96") ") {\n" NORM DOT("h") "return p, s }", { NULL }, 1 },
    { "behind it, too", XW("1024", "288", "192") ", b f32[192]) {\nh = tanh x\n" DOT("h") BIAS("[1024,192]")
      "a = add p, c\ny = tanh a\nreturn y }", { NULL }, 1 },
    { "behind it, with what the equations read", XW("1024", "288", "288") ") {\nh = tanh x\n" DOT("h")
      "y = add p, x\nreturn y }", { NULL }, 1 },
    { "the right operand", "fn f(x f32[24,520], v f32[1040,520]) {\nw = tanh v\n"
      "p = dot_general x, w {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[1], "
      "preferred_element_type=f32}\nreturn p }", { NULL }, 1 },
    { "batches", "fn f(x f32[40,96,80], w f32[40,80,32]) {\nh = tanh x\np = dot_general h, "
                 "w {lhs_batching_dimensions=[0], "
      "rhs_batching_dimensions=[0], lhs_contracting_dimensions=[2], rhs_contracting_dimensions=[1], "
      "preferred_element_type=f32}\nreturn p }", { NULL }, 1 },
    { "few batches of two dims", "fn f(x f32[2,2,640,160], w f32[2,2,160,32]) {\nh = tanh x\np = dot_general h, w "
      "{lhs_batching_dimensions=[0,1], rhs_batching_dimensions=[0,1], lhs_contracting_dimensions=[3], "
      "rhs_contracting_dimensions=[2], preferred_element_type=f32}\nreturn p }",
      { NULL }, 1 },
    { "heads", "fn f(x f32[4,300,8,32], w f32[8,32,96]) {\nh = tanh x\n"
      "p = dot_general h, w {lhs_contracting_dimensions=[2,3], rhs_contracting_dimensions=[0,1], "
      "preferred_element_type=f32}\nreturn p }", { NULL }, 1 },
    { "random bits", XW("2048", "160", "96") ", k u32[2]) {\n"
      "u = random_bits k {shape=[2048,160], bit_width=32, layout=partitionable}\n"
      "z = const {dtype=u32, shape=[2048,160], splat=true, data=1073741824}\ng = compare u, "
      "z {comparison_direction=gt}\n"
      "o = const {dtype=f32, shape=[2048,160], splat=true, data=0}\nh = select g, x, o\n" DOT("h") "return p }",
      { NULL }, 1 },
    { "rows of each device", "mesh \"data:8\"\n" XW("16384", "160", "96") ") {\nh = tanh x\n" DOT("h") "return p }",
      { "data, _" }, 1 },
    { "uneven rows", "mesh \"data:3\"\n" XW("8000", "160", "96") ") {\nh = tanh x\n" DOT("h") "return p }",
      { "data, _" }, 1 },
    { "a carry", "fn f(x f32[2048,160], w f32[160,160]) {\nn = const {dtype=i32, shape=[], splat=true, data=0}\n"
      "m, a, v = while n, x, w (n i32[], x f32[2048,160], w f32[160,160]) {\n"
      "two = const {dtype=i32, shape=[], splat=true, data=2}\ngo = compare n, two {comparison_direction=lt}\nreturn "
      "go\n} "
      "(n i32[], x f32[2048,160], w f32[160,160]) {\nh = tanh x\n" DOT("h")
      "one = const {dtype=i32, shape=[], splat=true, data=1}\nn2 = add n, one\nreturn n2, p, w\n}\nreturn a }",
      { NULL }, 1 },
    { "a stack of what it reads", "fn f(s f32[4,2048,160], z f32[2048,96], w f32[160,96]) {\n"
      "a, g = scan w, z, s {length=4, num_consts=1, num_carry=1, reverse=false} "
      "(w f32[160,96], c f32[2048,96], x f32[2048,160]) {\nh = tanh x\n" DOT("h") "y = add c, p\nreturn y, p\n}\n"
      "return a, g }", { NULL }, 1 },
    /* near misses */
    { "small", XW("512", "64", "64") ") {\nh = tanh x\n" DOT("h") "return p }", { NULL }, 0 },
    { "wanted", XW("2048", "160", "96") ") {\nh = tanh x\n" DOT("h") "return p, h }", { NULL }, 0 },
    { "two readers", XW("2048", "160", "96") ") {\nh = tanh x\n" DOT("h") "q = dot_general h, "
      "h {lhs_contracting_dimensions=[0], "
      "rhs_contracting_dimensions=[0], preferred_element_type=f32}\nreturn p, q }", { NULL }, 0 },
    { "turned", "fn f(x f32[160,2048], w f32[160,96]) {\nh = tanh x\n"
      "p = dot_general h, w {lhs_contracting_dimensions=[0], rhs_contracting_dimensions=[0], "
      "preferred_element_type=f32}\nreturn p }", { NULL }, 0 },
    { "rows of what is kept", "fn f(x f32[2048,160], w f32[2048,96]) {\n" NORM
      "p = dot_general h, w {lhs_contracting_dimensions=[0], rhs_contracting_dimensions=[0], "
      "preferred_element_type=f32}\nreturn p }", { NULL }, 0 },
    { "a product of all devices", "mesh \"model:4\"\n" XW("2048", "160", "640") ") {\nh = tanh x\n" DOT("h")
      "return p }", { "_, _", "_, model" }, 0 },
};

static int joined(const char *text)                      /* lines that name a product behind something */
{
    int n = 0;
    for (const char *line = text; line; line = strchr(line, '\n'), line += line != NULL) {
        const char *const dot = strstr(line, ", dot");
        n += dot && dot < line + strcspn(line, "\n");
    }
    return n;
}

int main(int argc, char **argv)
{
    if (!check_main_one(argc, argv, __FILE__)) return check_done();
    const pairs is = { joined, "no-prologue" };
    base_switches_env();
    if (base_switch("ref") || base_switch("no-prologue")) return check_done();
    plan_prologue_least = 1 << 20;
    base_switches(NULL, "no-dnn");                       /* a plug-in's product has none */
    base_switches(NULL, "no-chain");                     /* which would take batches */
    for (size_t i = 0; i < 2 * (sizeof all / sizeof *all); i++)
        if (check_turn(i)) pairs_check(&all[i / 2], &is, i % 2);
    base_arena *a = base_open();
    pipeline one = { .a = a };
    CHECK(pipeline_open(&one, ir_parse(a, "prologue", all[0].text)), "%s", pipeline_error());
    pipeline_run(&one, all[0].what, NULL, NULL, 1e-5);
    base_close(a);
    driver_forget();
    return check_done();
}
