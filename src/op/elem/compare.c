/* op/elem/compare.c - x < y and other comparisons; the result is bool. total: IEEE's total order of floats (-NaN < -inf
 * ... < +NaN), by comparing the bits as integers, with the bits of negative numbers inverted. */
#include "../prog/prog.h"

static const char *const directions[] = { "eq", "ne", "lt", "le", "gt", "ge", NULL };

/* Bits as a signed integer whose order is the total order. */
static op_reg ordered(op_prog *t, op_reg x)
{
    const tt_dtype d = op_dtype(t, x), as = d == TT_F64 ? TT_I64 : TT_I32;
    const int bits = d == TT_F64 ? 64 : 32;
    const op_reg u = op_bits(t, x, as), sign = t_sar(t, u, op_integer(t, as, bits - 1));
    return t_xor(t, u, t_and(t, sign, op_integer(t, as, d == TT_F64 ? INT64_MAX : INT32_MAX)));
}

static op_reg compare_prog(op_prog *t, const ir_eqn *e, const op_reg *x)
{
    static const struct { op_code code; bool swap; } form[] = {
        [OP_CMP_EQ] = { OP_EQ, false }, [OP_CMP_NE] = { OP_NE, false }, [OP_CMP_LT] = { OP_LT, false },
        [OP_CMP_LE] = { OP_LE, false }, [OP_CMP_GT] = { OP_LT, true }, [OP_CMP_GE] = { OP_LE, true }
    };
    const op_compare_attr *a = IR_ATTR(e, op_compare_attr);
    const bool total = a->total && t_is_float(op_dtype(t, x[0])), swap = form[a->comparison_direction].swap;
    const op_reg l = total ? ordered(t, x[0]) : x[0], r = total ? ordered(t, x[1]) : x[1];
    return op_do(t, form[a->comparison_direction].code, swap ? r : l, swap ? l : r, 0);
}

const op_prim prim_compare = {
    .name = "compare", .doc = "x < y and the like", .hlo = "stablehlo.compare", .call = "", .nin = 2, OP_MAP_CELLS,
    .attr = sizeof(op_compare_attr),
    .field = OP_FIELDS({ "comparison_direction", IR_ENUM, offsetof(op_compare_attr, comparison_direction), directions },
                       IR_FIELD(op_compare_attr, total, IR_BOOL)),
    .types = "T, T -> B", .rule = OP_BINARY, .linear = op_nonlinear, .jvp = op_jvp_zero, .transpose = op_transpose_none,
    .prog = compare_prog, .pair = op_pair_compare,
    .cases = OP_CASES("compare f32[3,4], f32[3,4] {comparison_direction=lt, total=false}",
                      "compare bf16[5], bf16[5] {comparison_direction=ge, total=false}",
                      "compare f64[5], f64[5] {comparison_direction=gt, total=true}",
                      "compare u32[7], u32[7] {comparison_direction=le, total=false}",
                      "compare bool[2,0], bool[2,0] {comparison_direction=eq, total=false}",
                      "compare c64[5], c64[5] {comparison_direction=ne, total=false}",
                      "compare c64[5], c64[5] {comparison_direction=ge, total=false}"),
};
