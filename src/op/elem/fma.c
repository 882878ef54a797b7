/* op/elem/fma.c - x y + z with one rounding. Linear in x and in y, with the other operands constant; integers wrap.
 * StableHLO has no such operation: it is exported as a product and a sum, which rounds twice. */
#include "../prog/prog.h"
#include "../ops.h"

static void fma_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)e, (void)y;
    const ir_id left = dx[0] ? op_mul(b, dx[0], x[1]) : 0, right = dx[1] ? op_mul(b, x[0], dx[1]) : 0;
    dy[0] = op_plus(b, op_plus(b, left, right), dx[2]);
}

static bool fma_decompose(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    (void)e;
    return (y[0] = op_add(b, op_mul(b, x[0], x[1]), x[2])) != 0;
}

static op_reg fma_prog(op_prog *t, const ir_eqn *e, const op_reg *x) { return (void)e, t_fma(t, x[0], x[1], x[2]); }

const op_prim prim_fma = {
    .name = "fma", .doc = "x y + z, rounded once", .hlo = "", .call = "x, y, z", .nin = 3, .nout = 1, .kernel = OP_MAP,
    .types = "N, N, N -> N", .rule = OP_TERNARY, .linear = op_nonlinear, .partial = op_partial_none,
    .jvp = fma_jvp, .transpose = op_transpose_none, .batch = op_batch_map, .decompose = fma_decompose,
    .ref = op_ref_prog, .exchange = op_exchange_none, .prog = fma_prog,
    .cases = OP_CASES("fma f32[3,4], f32[3,4], f32[3,4]", "fma bf16[5], bf16[5], bf16[5]",
                      "fma f64[2,0], f64[2,0], f64[2,0]"),
};
