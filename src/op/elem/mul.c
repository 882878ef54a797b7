/* op/elem/mul.c - z = x y. Integers wrap; on bool the product is x and y. */
#include "../prog/prog.h"
#include "../ops.h"

static void mul_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)e, (void)y;
    dy[0] = op_plus(b, dx[0] ? op_mul(b, dx[0], x[1]) : 0, dx[1] ? op_mul(b, x[0], dx[1]) : 0);
}

static void mul_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    const int s = x[0] ? 1 : 0;                          /* the linear side */
    (void)e;
    if (ct[0]) cx[s] = op_mul(b, ct[0], x[1 - s]);
}

static op_reg mul_prog(op_prog *t, const ir_eqn *e, const op_reg *x) { return (void)e, t_mul(t, x[0], x[1]); }

const op_prim prim_mul = {
    .name = "mul", .doc = "x y", .hlo = "stablehlo.multiply", .call = "x, y", .nin = 2, OP_MAP_CELLS,
    .monoid = MESH_PROD,
    .types = "T, T -> T", .rule = OP_BINARY, .linear = op_each, .jvp = mul_jvp, .transpose = mul_transpose,
    .prog = mul_prog, .pair = op_pair_mul,
    .cases = OP_CASES("mul f32[3,4], f32[3,4]", "mul bf16[5], bf16[5]", "mul i64[7], i64[7]", "mul f64[2,0], f64[2,0]",
                      "mul bool[4], bool[4]", "mul c64[3], c64[3]", "mul c128[2], c128[2]"),
};
