/* op/elem/round_away.c - x to the nearest integer, halves away from zero. */
#include "../prog/prog.h"

static op_reg round_away_prog(op_prog *t, const ir_eqn *e, const op_reg *x)
{
    const op_reg a = t_abs(t, x[0]), down = t_floor(t, a), up = t_le(t, op_imm(t, 0.5), t_sub(t, a, down));
    (void)e;
    return op_prog_copysign(t, t_add(t, down, t_sel(t, up, op_imm(t, 1), op_imm(t, 0))), x[0]);
}

const op_prim prim_round_away = {
    .name = "round_away", .doc = "nearest whole number, halves away from zero; integers stay",
    .hlo = "stablehlo.round_nearest_afz", .call = "x", .by_hand = true, .nin = 1, OP_MAP_CELLS,
    .types = "F -> F", .rule = OP_UNARY, .linear = op_nonlinear, .jvp = op_jvp_zero, .transpose = op_transpose_none,
    .prog = round_away_prog,
    .cases = OP_CASES("round_away f32[3,4]", "round_away bf16[8]", "round_away f64[2,0]"),
};
