/* kernels.c - every kernel of the core equals its primitive's reference: cases of all primitives and larger shapes, on
 * boxes that the rule allows (sub-ranges of every factor), in memory of any layout (permuted dims, gaps, negative and
 * zero steps), split among 1 to 3 jobs. Whole numbers must come out equal to the bit; other floats within a bound of
 * roundings. What is around a result's box must stay untouched. usage: gen_kernels [primitive ...] */
#include "api/kernel_boxes.h"

static const gen_engine *const engine[] = { &gen_dot, &gen_reduce, &gen_cum, &gen_move, &gen_conv, &gen_window,
    &gen_sort, NULL };
static int ran[16];                                      /* cases per engine */

/* Shapes beyond the primitives' cases: the engine that must take them, and the equation. */
static const struct { const gen_engine *by; const char *text;
} more[] = {
#define DOT(x, y, t) { &gen_dot, "dot_general " x ", " y " {lhs_contracting_dimensions=[1], " \
                       "rhs_contracting_dimensions=[0], preferred_element_type=" t "}" }
    DOT("f32[33,17]", "f32[17,65]", "f32"),
    DOT("f32[1,300]", "f32[300,130]", "f32"),
    DOT("f32[40,600]", "f32[600,9]", "f32"),
    DOT("f32[15,3]", "f32[3,1]", "f32"),
    DOT("f32[3,1]", "f32[1,200]", "f32"),
    DOT("bf16[29,40]", "bf16[40,50]", "bf16"),
    DOT("bf16[5,700]", "bf16[700,33]", "f32"),
    DOT("f16[8,30]", "f16[30,20]", "f32"),
    DOT("f64[31,20]", "f64[20,37]", "f64"),
    DOT("i32[17,20]", "i32[20,37]", "i32"),
    DOT("i8[17,20]", "i8[20,37]", "i32"),
    DOT("u8[9,20]", "u8[20,7]", "u8"),
    DOT("i64[9,20]", "i64[20,17]", "i64"),
    DOT("f32[0,4]", "f32[4,5]", "f32"),
    DOT("f32[4,0]", "f32[0,5]", "f32"),
    DOT("f32[30,1200]", "f32[1200,20]", "f32"),
    DOT("f32[70,33]", "f32[33,7]", "f32"),
    { &gen_dot, "dot_general f32[40,20], f32[50,20] {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[1], "
                "preferred_element_type=f32}" },
    { &gen_dot, "dot_general f32[20,40], f32[20,50] {lhs_contracting_dimensions=[0], rhs_contracting_dimensions=[0], "
                "preferred_element_type=f32}" },
    { &gen_dot,
      "dot_general f32[3,10,4,6], f32[3,12,4,6] {lhs_batching_dimensions=[0,2], rhs_batching_dimensions=[0,2], "
      "lhs_contracting_dimensions=[3], rhs_contracting_dimensions=[3], preferred_element_type=f32}" },
    { &gen_dot, "dot_general f32[3,5,4,6], f32[4,6,7] {lhs_contracting_dimensions=[2,3], "
                "rhs_contracting_dimensions=[0,1], preferred_element_type=f32}" },
    { &gen_dot, "dot_general f32[3,5,4,6], f32[6,7,4] {lhs_contracting_dimensions=[2,3], "
                "rhs_contracting_dimensions=[2,0], preferred_element_type=f32}" },
    { &gen_dot, "dot_general f32[20,3,30], f32[20,40,5] {lhs_contracting_dimensions=[0], "
                "rhs_contracting_dimensions=[0], preferred_element_type=f32}" },
    { &gen_dot, "dot_general f32[2,3], f32[4,5] {lhs_contracting_dimensions=[], rhs_contracting_dimensions=[], "
                "preferred_element_type=f32}" },
#define REDUCE(x, init, dims, op) { &gen_reduce, "reduce " x ", " init " {dimensions=[" dims "]} " op }
    REDUCE("f32[40,300]", "0", "1", "add"),
    REDUCE("f32[300,40]", "0", "0", "add"),
    REDUCE("f32[70,3,50]", "0", "0,2", "add"),
    REDUCE("f32[5,33,129]", "0", "1", "add"),
    REDUCE("f64[3000]", "0", "0", "add"),
    REDUCE("bf16[30,70]", "0", "1", "add"),
    REDUCE("bf16[70,30]", "0", "0", "add"),
    REDUCE("f16[9,40]", "-inf", "1", "max"),
    REDUCE("f32[100,9]", "inf", "0", "min"),
    REDUCE("i8[300,20]", "0", "0", "add"),
    REDUCE("u16[20,300]", "1", "1", "mul"),
    REDUCE("i64[20,30]", "-1", "1", "and"),
    REDUCE("u64[20,30]", "0", "0", "xor"),
    REDUCE("bool[40,50]", "true", "1", "and"),
    REDUCE("i32[40,50]", "0", "0,1", "max"),
    REDUCE("f32[300000]", "0", "0", "add"),
    REDUCE("f32[5000,64]", "0", "0", "add"),
    REDUCE("i32[3,70000]", "0", "1", "max"),
    REDUCE("bf16[20,200,100]", "0", "0,1", "add"),
    REDUCE("f32[6,7,8,9]", "0", "1,3", "add"),
    REDUCE("f32[2,2000,2]", "0", "1", "add"),
    REDUCE("u32[1,1,5]", "0", "0,1", "or"),
#define ARGMAX(v, i, x, n, first)                                                                                      \
    {                                                                                                                  \
        &gen_reduce,                                                                                                   \
            "reduce " v "[" x "], " i "[" x "], " first ", 0:" i " {dimensions=[" n "]} (v " v ", i " i ", w " v       \
            ", j " i                                                                                                   \
            ") { g = compare v, w {comparison_direction=gt}; n = compare v, v {comparison_direction=ne}; p = or g, "   \
            "n; q = compare v, w "                                                                                     \
            "{comparison_direction=eq}; l = compare i, j {comparison_direction=lt}; t = and q, l; s = or p, t; "       \
            "a = select p, v, "                                                                                        \
            "w; c = select s, i, j; "                                                                                  \
            "return a, c }"                                                                                            \
    }
    ARGMAX("f32", "i32", "30,10", "1", "-inf"),
    ARGMAX("bf16", "i64", "10,30", "0", "-inf"),
    ARGMAX("f32", "i32", "7,1000", "1", "-inf"),
    ARGMAX("f32", "i64", "40,300", "0", "-inf"),
    ARGMAX("f64", "i64", "5,7,130", "0,1", "-inf"),
    ARGMAX("i64", "i32", "4,500,3", "1", "-9"),
    ARGMAX("i32", "u32", "7,8,3", "0,2", "-9"),
    { &gen_move, "transpose f32[40,50] {permutation=[1,0]}" },
    { &gen_move, "transpose i8[3,20,5,30] {permutation=[3,0,2,1]}" },
    { &gen_move, "transpose f64[20,3,40] {permutation=[2,1,0]}" },
    { &gen_move, "reverse u16[30,20] {dimensions=[0,1]}" },
    { &gen_move, "broadcast_in_dim f32[70] {shape=[30,70], broadcast_dimensions=[1]}" },
    { &gen_move, "broadcast_in_dim bf16[30,1] {shape=[30,40], broadcast_dimensions=[0,1]}" },
    { &gen_move, "reshape f32[6,20,7] {shape=[12,70]}" },
    { &gen_move, "reshape i32[30,12] {shape=[6,5,3,4]}" },
    { &gen_move, "concatenate f32[20,30], f32[20,1], f32[20,40] {dimension=1}" },
    { &gen_move, "pad f32[10,20], 0 {edge_padding_low=[1,-2], edge_padding_high=[3,2], interior_padding=[0,1]}" },
    { &gen_move, "slice f64[40,50] {start_indices=[3,1], limit_indices=[39,50], strides=[2,3]}" },
    { &gen_move, "dynamic_slice f32[30,40], i32[], i32[] {slice_sizes=[29,7]}" },
    { &gen_move, "dynamic_update_slice f32[30,40], f32[28,6], i32[], i32[]" },
    { &gen_move, "gather f32[50,64], i32[30,1] {offset_dims=[1], collapsed_slice_dims=[0], start_index_map=[0], "
                 "index_vector_dim=1, slice_sizes=[1,64]}" },
    { &gen_move, "scatter f32[9,64], i32[30,1], f32[30,64] {update_window_dims=[1], inserted_window_dims=[0], "
                 "scatter_dims_to_operand_dims=[0], index_vector_dim=1} add" },
    { &gen_move, "scatter bf16[9,6], u8[30,1], bf16[30,6] {update_window_dims=[1], inserted_window_dims=[0], "
                 "scatter_dims_to_operand_dims=[0], index_vector_dim=1} max" },
    { &gen_move, "scatter f32[40,8], i32[300,1], f32[300,8] {update_window_dims=[1], inserted_window_dims=[0], "
                 "scatter_dims_to_operand_dims=[0], index_vector_dim=1} add" },
    { &gen_move, "scatter i32[40,6,5], i64[20,17,2], i32[20,17,2,5] {update_window_dims=[2,3], "
                 "inserted_window_dims=[0], scatter_dims_to_operand_dims=[1,0], index_vector_dim=2} mul" },
    { &gen_move, "scatter f64[90], u32[7,40,1], f64[7,40,3] {update_window_dims=[2], inserted_window_dims=[], "
                 "scatter_dims_to_operand_dims=[0], index_vector_dim=2} max" },
#define CONV(x, w, at, s, lo, hi, ld, rd, rev, fg, bg, t)                                                              \
    { &gen_conv, "convolution " x ", " w " {" at ", window_strides=[" s "], padding_low=[" lo "], padding_high=[" hi   \
      "], "                                                                                                            \
    "lhs_dilation=["                                                                                                   \
      ld "], rhs_dilation=[" rd "], window_reversal=[" rev "], feature_group_count=" fg ", batch_group_count=" bg ", " \
      "preferred_element_type=" t "}" }
#define NHWC "input_batch_dimension=0, input_feature_dimension=3, input_spatial_dimensions=[1,2], "                    \
             "kernel_input_feature_dimension=2, kernel_output_feature_dimension=3, kernel_spatial_dimensions=[0,1], "  \
             "output_batch_dimension=0, output_feature_dimension=3, output_spatial_dimensions=[1,2]"
#define NCHW "input_batch_dimension=0, input_feature_dimension=1, input_spatial_dimensions=[2,3], "                    \
             "kernel_input_feature_dimension=1, kernel_output_feature_dimension=0, kernel_spatial_dimensions=[2,3], "  \
             "output_batch_dimension=0, output_feature_dimension=1, output_spatial_dimensions=[2,3]"
#define DW   "input_batch_dimension=3, input_feature_dimension=0, input_spatial_dimensions=[1,2], "                    \
             "kernel_input_feature_dimension=0, kernel_output_feature_dimension=3, kernel_spatial_dimensions=[1,2], "  \
             "output_batch_dimension=2, output_feature_dimension=3, output_spatial_dimensions=[0,1]"
    CONV("f32[2,9,8,12]", "f32[3,3,12,20]", NHWC, "1,1", "1,1", "1,1", "1,1", "1,1", "0,0", "1", "1", "f32"),
    CONV("f32[3,9,8,1]", "f32[3,3,1,20]", NHWC, "1,1", "1,1", "1,1", "1,1", "1,1", "0,0", "1", "1", "f32"),
    CONV("f32[2,11,10,3]", "f32[6,6,3,9]", NHWC, "2,2", "2,2", "2,2", "1,1", "1,1", "0,0", "1", "1", "f32"),
    CONV("f32[2,6,5,9]", "f32[6,6,9,5]", NHWC, "1,1", "3,3", "3,4", "2,2", "1,1", "1,1", "1", "1", "f32"),
    CONV("f32[9,8,7,12]", "f32[9,8,7,20]", DW, "1,1", "1,1", "1,1", "1,1", "1,1", "0,0", "1", "1", "f32"),
    CONV("f32[9,9,8,12]", "f32[9,4,4,7]", DW, "1,1", "1,1", "1,1", "1,1", "2,2", "0,0", "1", "1", "f32"),
    CONV("f32[2,5,9,8]", "f32[7,5,3,3]", NCHW, "1,2", "1,-1", "1,2", "1,3", "2,1", "0,1", "1", "1", "f32"),
    CONV("f32[2,8,7,6]", "f32[12,4,3,3]", NCHW, "1,1", "1,1", "1,1", "1,1", "1,1", "0,0", "2", "1", "f32"),
    CONV("f32[6,4,7,6]", "f32[12,4,3,3]", NCHW, "1,1", "1,1", "1,1", "1,1", "1,1", "0,0", "1", "3", "f32"),
    CONV("bf16[2,8,7,16]", "bf16[3,3,16,9]", NHWC, "1,1", "1,1", "1,1", "1,1", "1,1", "0,0", "1", "1", "bf16"),
    CONV("i8[2,8,7,16]", "i8[3,3,16,9]", NHWC, "1,1", "1,1", "1,1", "1,1", "1,1", "0,0", "1", "1", "i32"),
    CONV("f64[2,8,7,16]", "f64[1,1,16,9]", NHWC, "1,1", "0,0", "0,0", "1,1", "1,1", "0,0", "1", "1", "f64"),
    CONV("f32[20,8,7,30]", "f32[3,3,30,70]", NHWC, "1,1", "1,1", "1,1", "1,1", "1,1", "0,0", "1", "1", "f32"),
#define WINDOW(row, x, w, s, b, d, lo, hi, op)                                                                         \
    { &gen_window, row " " x " {window_dimensions=[" w "], window_strides=[" s "], base_dilations=[" b "], "           \
    "window_dilations=[" d "], padding_low=["                                                                          \
      lo "], padding_high=[" hi "]} " op }
#define GE(t) "(a " t ", b " t ") { p = compare a, b {comparison_direction=ge}; return p }"
    WINDOW("reduce_window", "f32[3,8,8,20], -inf", "1,2,2,1", "1,2,2,1", "1,1,1,1", "1,1,1,1", "0,0,0,0", "0,0,0,0",
           "max"),
    WINDOW("reduce_window", "f32[3,9,7,300], 0", "1,3,3,1", "1,1,2,1", "1,1,1,1", "1,1,2,1", "0,1,2,0", "0,1,2,0",
           "add"),
    WINDOW("reduce_window", "f32[3,5,6,20], 0", "1,2,2,1", "1,1,1,1", "1,2,2,1", "1,1,1,1", "0,1,1,0", "0,1,1,0",
           "add"),
    WINDOW("reduce_window", "f32[2,5,16,40], 0", "1,2,3,1", "1,2,3,1", "1,1,2,1", "1,1,1,1", "0,0,4,0", "0,1,2,0",
           "add"),
    WINDOW("reduce_window", "bf16[2,3,9,300], -inf", "1,1,3,3", "1,1,1,2", "1,1,1,1", "1,1,1,1", "0,0,1,0", "0,0,0,1",
           "max"),
    WINDOW("reduce_window", "i32[20,40], 0", "1,5", "1,1", "1,3", "1,2", "0,4", "0,4", "add"),
    WINDOW("reduce_window", "f32[30,20], 0", "30,1", "1,1", "1,1", "1,1", "29,0", "0,0", "add"),
    WINDOW("reduce_window", "f64[5,40], 1", "1,40", "1,1", "1,1", "1,1", "0,0", "0,39", "mul"),
    WINDOW("select_and_gather", "f32[3,8,8,20], f32[3,8,8,20]", "1,2,2,1", "1,2,2,1", "1,1,1,1", "1,1,1,1", "0,0,0,0",
           "0,0,0,0", GE("f32")),
    WINDOW("select_and_gather", "bf16[3,8,30], bf16[3,8,30]", "1,3,3", "1,1,2", "1,1,1", "1,1,2", "0,1,2", "0,0,2",
           GE("bf16")),
    WINDOW("select_and_scatter", "f32[3,8,8,20], f32[3,4,4,20], 0", "1,2,2,1", "1,2,2,1", "1,1,1,1", "1,1,1,1",
           "0,0,0,0", "0,0,0,0", GE("f32") " add"),
    WINDOW("select_and_scatter", "f64[3,9,30], f64[3,9,15], 2", "1,3,3", "1,1,2", "1,1,1", "1,1,1", "0,1,1", "0,1,0",
           GE("f64") " add"),
    WINDOW("select_and_scatter", "f16[30,7], f16[15,7], 0", "4,1", "2,1", "1,1", "1,1", "1,0", "1,0",
           GE("f16") " add"),
#define SORT(x, d, keys, down) { &gen_sort, "sort " x " {dimension=" d ", is_stable=true, num_keys=" keys ", " \
             "descending=" down "}" }
    SORT("f32[300]", "0", "1", "false"),
    SORT("f32[5,100], i32[5,100]", "1", "1", "true"),
    SORT("u8[90,7], f64[90,7]", "0", "2", "false"),
    SORT("i64[3,40,5], bool[3,40,5]", "1", "1", "true"),
    SORT("bf16[200], f16[200], i8[200]", "0", "3", "false"),
    { &gen_cum, "cumsum f32[20,300] {dimension=1, reverse=false}" },
    { &gen_cum, "cumprod f64[50,7] {dimension=0, reverse=true}" },
    { &gen_cum, "cummax bf16[3,40,5] {dimension=1, reverse=true}" },
    { &gen_cum, "cummin u8[400] {dimension=0, reverse=false}" },
};

static const ir_eqn *case_eqn(const ir_fn *f, const op_prim *prim)
{
    for (uint32_t k = f->neqn; k-- > 0;) if (!prim || f->eqn[k].op == prim) return &f->eqn[k];
    return NULL;
}

static void try_engine(base_arena *a, const char *text, const ir_eqn *e, const gen_engine *by, bool must)
{
    ir_id *out = BASE_NEW(a, ir_id, e->nout);
    op_rule *rule;
    run_kernel k = { 0 };
    for (uint32_t j = 0; j < e->nout; j++) out[j] = e->out + j;
    const gen_group g = { 1, &e, e->nin, e->nout, e->in, out, true };
    const char *why = by->refuses(&g);
    CHECK(!must || !why, "%s: %s refuses: %s", text, by->name, why);
    if (why || !op_rule_of(e, &rule)) return;
    const bool made = by->make(a, &g, &k);
    CHECK(made, "%s: %s makes no kernel: %s", text, by->name, made ? "" : prop_error());
    for (int t = 0; made && t < 12; t++) try_box(a, text, e, rule, &k, t);
    for (int i = 0; engine[i]; i++) ran[i] += engine[i] == by;
}

static void check_case(base_arena *a, const op_prim *prim, const char *text)
{
    const ir_fn *f = ir_case(a, text);
    CHECK(f, "%s: %s", text, f ? "" : prop_error());
    const ir_eqn *e = f ? case_eqn(f, prim) : NULL;
    if (e && prim->kernel != OP_EXCHANGE && !prim->edges)
        for (int i = 0; engine[i]; i++) try_engine(a, text, e, engine[i], false);
}

int main(int argc, char **argv)
{
    if (!prop_main(argc, argv)) return check_done();
    static const char *const isa[] = { "isa:base", "isa:avx2", "isa:avx512" };
    for (int s = 0; s < 3; s++) {
        base_switches(NULL, isa[s]);
        prop_over_cases(check_case, argc, argv);
        for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
            base_arena *a = base_open();
            const char *const space = strchr(more[i].text, ' ');
            bool wanted = argc < 2;
            for (int k = 1; k < argc; k++) wanted |= !strncmp(argv[k], more[i].text, (size_t)(space - more[i].text));
            const ir_fn *f = wanted ? ir_case(a, more[i].text) : NULL;
            CHECK(f || !wanted, "%s: %s", more[i].text, f ? "" : prop_error());
            if (f) try_engine(a, more[i].text, &f->eqn[f->neqn - 1], more[i].by, true);
            base_close(a);
        }
    }
    for (int i = 0; engine[i]; i++) CHECK(argc > 1 || ran[i], "%s took no case", engine[i]->name);
    return check_done();
}
