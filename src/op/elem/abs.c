/* op/elem/abs.c - |x|, a real number; of the least integer, that integer. The derivative at 0 is 1. */
#include "../prog/prog.h"
#include "../ops.h"

static bool abs_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    if (x[0]->dtype == TT_BOOL) return op_expected(e, TT_ETYPE, "operand", 0, x[0], "numbers", NULL);
    *y = ir_type_of(op_real_dtype(x[0]->dtype), x[0]->rank, x[0]->dim);
    return true;
}

/* Complex: re(conj(x) dx) / |x|, in terms that can be differentiated again; 0 at 0. */
static void abs_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    if (!dx[0]) return;
    if (!op_is_complex(IR_IN(e, 0)->dtype)) {
        const ir_id plus = op_compare(b, OP_CMP_GE, x[0], op_zeros(b, IR_IN(e, 0)));
        dy[0] = op_select(b, plus, dx[0], op_neg(b, dx[0]));
        return;
    }
    const op_parts z = op_parts_of(b, x[0]), d = op_parts_of(b, dx[0]);
    const ir_id zero = op_zeros(b, IR_OUT(e, 0)),
        by = op_select(b, op_equal(b, y[0], zero), op_ones(b, IR_OUT(e, 0)), y[0]);
    dy[0] = op_add(b, op_mul(b, op_div(b, z.re, by), d.re), op_mul(b, op_div(b, z.im, by), d.im));
}

static op_reg abs_prog(op_prog *t, const ir_eqn *e, const op_reg *x) { return (void)e, t_abs(t, x[0]); }

const op_prim prim_abs = {
    .name = "abs", .doc = "|x|", .hlo = "stablehlo.abs", .call = "x", .by_hand = true, .nin = 1, OP_MAP_CELLS,
    .types = "Z -> Z", .type = abs_type, .rule = OP_UNARY, .linear = op_nonlinear, .jvp = abs_jvp,
    .transpose = op_transpose_none,
    .prog = abs_prog, .pair = op_pair_abs,
    .cases = OP_CASES("abs f32[3,4]", "abs bf16[8]", "abs i8[5]", "abs f64[2,0]", "abs c64[5]", "abs c128[2,2]"),
};
