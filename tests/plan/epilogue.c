/* epilogue.c - elementwise equations that run over a product's or a convolution's parts as these are made: to the
 * bit what the steps give one after the other, on meshes, in loops, in reproducible mode, by oneDNN and by our own
 * kernels, in no more memory; and what must not become one step. */
#include "api/pairs.h"

#define DOT(t) "p = dot_general x, w {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], " \
               "preferred_element_type=" t "}\n"
#define BIAS(dims) "c = broadcast_in_dim b {shape=" dims ", broadcast_dimensions=[1]}\nh = add p, c\n"
#define XWB(t, m, k, n) "x " t "[" m "," k "], w " t "[" k "," n "], b f32[" n "]"
#define CONV "p = convolution x, w {window_strides=[1,1], padding_low=[1,1], padding_high=[1,1], lhs_dilation=[1,1], " \
    "rhs_dilation=[1,1], window_reversal=[0,0], feature_group_count=1, batch_group_count=1, input_batch_dimension=0, " \
    "input_feature_dimension=3, "                                                                                      \
    "input_spatial_dimensions=[1,2], kernel_input_feature_dimension=2, kernel_output_feature_dimension=3, "            \
    "kernel_spatial_dimensions=[0,1], output_batch_dimension=0, output_feature_dimension=3, "                          \
    "output_spatial_dimensions=[1,2], preferred_element_type=f32}\n" \
    "c = broadcast_in_dim b {shape=[48,14,14,24], broadcast_dimensions=[3]}\nh = add p, c\ny = tanh h\nreturn y }"
#define CONV_ARGS "x f32[48,14,14,8], w f32[3,3,8,24], b f32[24]"

static const pairs_example all[] = {
    { "bias and tanh", "fn f(" XWB("f32", "192", "64", "160") ") {\n" DOT("f32") BIAS("[192,160]")
      "y = tanh h\nreturn y }", { NULL }, 1 },
    { "odd sizes", "fn f(" XWB("f32", "331", "67", "129") ") {\n" DOT("f32") BIAS("[331,129]") "y = tanh h\nreturn y }",
      { NULL }, 1 },
    { "blocks of the sum", "fn f(" XWB("f32", "150", "1201", "700") ") {\n" DOT("f32") BIAS("[150,700]")
      "y = tanh h\nreturn y }", { NULL }, 1 },
    { "few rows", "fn f(" XWB("f32", "8", "96", "4096") ") {\n" DOT("f32") BIAS("[8,4096]") "y = tanh h\nreturn y }",
      { NULL }, 1 },
    { "the product is wanted", "fn f(" XWB("f32", "192", "64", "160") ") {\n" DOT("f32") BIAS("[192,160]")
      "y = tanh h\nreturn p, y }", { NULL }, 1 },
    { "several results", "fn f(" XWB("f32", "192", "64", "160") ") {\n" DOT("f32") BIAS("[192,160]")
      "z = const {dtype=f32, shape=[192,160], splat=true, data=0}\nm = compare h, z {comparison_direction=gt}\n"
      "y = select m, h, z\nreturn h, m, y }", { NULL }, 1 },
    { "bf16 behind", "fn f(" XWB("f32", "160", "64", "384") ") {\n" DOT("f32") BIAS("[160,384]")
      "y = convert h {new_dtype=bf16}\nreturn y }", { NULL }, 1 },
    { "bf16", "fn f(x bf16[192,64], w bf16[64,384], b bf16[384]) {\n" DOT("bf16") BIAS("[192,384]")
      "y = mul h, h\nreturn y }", { NULL }, 1 },
    { "an operand that is overwritten", "fn f(x f32[256,64], w f32[64,64]) {\nr = tanh x\n" DOT("f32")
      "y = add r, p\nz = exp y\ns = dot_general z, w {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "
      "preferred_element_type=f32}\n"
      "u = mul s, y\nreturn u }", { NULL }, 2 },
    { "heads", "fn f(x f32[4,96,64], w f32[64,4,32], b f32[4,32]) {\n"
      "p = dot_general x, w {lhs_contracting_dimensions=[2], rhs_contracting_dimensions=[0], "
      "preferred_element_type=f32}\n"
      "c = broadcast_in_dim b {shape=[4,96,4,32], broadcast_dimensions=[2,3]}\nh = add p, c\ny = tanh h\nreturn y }",
      { NULL }, 1 },
    { "batches", "fn f(x f32[40,24,16], w f32[40,16,32], r f32[40,24,32]) {\n"
      "p = dot_general x, w {lhs_batching_dimensions=[0], rhs_batching_dimensions=[0], lhs_contracting_dimensions=[2], "
      "rhs_contracting_dimensions=[1], preferred_element_type=f32}\ny = mul p, r\nreturn y }", { NULL }, 1 },
    { "a turned product", "fn f(x f32[64,192], w f32[160,64], r f32[192,160]) {\n"
      "p = dot_general x, w {lhs_contracting_dimensions=[0], rhs_contracting_dimensions=[1], "
      "preferred_element_type=f32}\ny = mul p, r\nreturn y }",
      { NULL }, 1 },
    { "the second operand comes late", "fn f(" XWB("f32", "192", "64", "160") ") {\n" DOT("f32")
      "d = cumsum b {dimension=0, reverse=false}\nc = broadcast_in_dim d {shape=[192,160], broadcast_dimensions=[1]}\n"
      "y = add p, c\nreturn y }", { NULL }, 1 },
    { "rows of each device", "mesh \"data:8\"\nfn f(" XWB("f32", "1024", "288", "160") ") {\n" DOT("f32")
      BIAS("[1024,160]") "y = tanh h\nreturn y }", { "data, _" }, 1 },
    { "uneven rows", "mesh \"data:3\"\nfn f(" XWB("f32", "1000", "288", "96") ") {\n" DOT("f32")
      BIAS("[1000,96]") "y = tanh h\nreturn y }", { "data, _" }, 1 },
    { "columns of each device", "mesh \"model:4\"\nfn f(" XWB("f32", "256", "288", "640") ") {\n" DOT("f32")
      BIAS("[256,640]") "y = tanh h\nreturn y }", { "_, _", "_, model", "model" }, 0 },
    { "in a loop", "fn f(x f32[160,160], w f32[160,160]) {\nn = const {dtype=i32, shape=[], splat=true, data=0}\n"
      "m, a, v = while n, x, w (n i32[], x f32[160,160], w f32[160,160]) {\n"
      "two = const {dtype=i32, shape=[], splat=true, data=2}\ngo = compare n, two {comparison_direction=lt}\nreturn "
      "go\n} "
      "(n i32[], x f32[160,160], w f32[160,160]) {\n" DOT("f32") "t = tanh p\ny = add x, t\n"
      "one = const {dtype=i32, shape=[], splat=true, data=1}\nn2 = add n, one\nreturn n2, y, w\n}\nreturn a }",
      { NULL }, 1 },
    { "a stack as large as the product", "fn f(s f32[256,64], z f32[256,64], w f32[4,64,64]) {\n"
      "a, g = scan s, z, w {length=4, num_consts=1, num_carry=1, reverse=false} "
      "(x f32[256,64], c f32[256,64], v f32[64,64]) {\nw = tanh v\n" DOT("f32")
      "y = add c, p\nreturn y, w\n}\nh = transpose g {permutation=[2,1,0]}\nreturn a, h }", { NULL }, 1 },
    { "convolution", "fn f(" CONV_ARGS ") {\n" CONV, { NULL }, 1 },
    { "convolution of each device", "mesh \"data:3\"\nfn f(" CONV_ARGS ") {\n" CONV, { "data, _, _, _" }, 1 },
    /* near misses */
    { "small", "fn f(" XWB("f32", "64", "64", "64") ") {\n" DOT("f32") BIAS("[64,64]") "y = tanh h\nreturn y }",
      { NULL }, 0 },
    { "many other values", "fn f(x f32[192,64], w f32[64,160], r f32[192,160], s f32[192,160], t f32[192,160]) {\n"
      DOT("f32") "a = add p, r\nb = mul a, s\nc = add b, t\nreturn a, b, c }", { NULL }, 0 },
    { "a sum over devices, which is one product", "mesh \"data:2\"\nfn f(x f32[192,64], w f32[64,160]) {\n" DOT("f32")
      "y = tanh p\nreturn y }", { "_, data", "data, _" }, 1 },
};

static int joined(const char *text)                      /* lines that name a contraction and a tile behind it */
{
    int n = 0;
    for (const char *line = text; line; line = strchr(line, '\n'), line += line != NULL) {
        const size_t end = strcspn(line, "\n");
        const char *const dot = strstr(line, "dot, tile:"), *const conv = strstr(line, "conv, tile:"),
            *const more = strstr(line, "convolution, tile:"), *const unit = strstr(line, "unit, tile:"),
            *const direct = strstr(line, "direct, tile:");
        n += (dot && dot < line + end) || (conv && conv < line + end) || (more && more < line + end) ||
             (unit && unit < line + end) || (direct && direct < line + end);
    }
    return n;
}

int main(int argc, char **argv)
{
    if (!check_main_one(argc, argv, __FILE__)) return check_done();
    const pairs is = { joined, "no-epilogue" };
    base_switches_env();
    if (base_switch("ref") || base_switch("no-epilogue")) return check_done();
    for (size_t i = 0; i < 2 * (sizeof all / sizeof *all); i++)
        if (check_turn(i)) pairs_check(&all[i / 2], &is, i % 2);
    if (!base_switch("no-dnn")) {
        base_switches(NULL, "no-dnn");
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) pairs_check(&all[i], &is, false);
        base_switch_off("no-dnn");
    }
    base_arena *a = base_open();
    pipeline one = { .a = a };
    CHECK(pipeline_open(&one, ir_parse(a, "epilogue", all[0].text)), "%s", pipeline_error());
    pipeline_run(&one, all[0].what, NULL, NULL, 1e-5);
    base_close(a);
    driver_forget();
    return check_done();
}
