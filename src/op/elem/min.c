/* op/elem/min.c - the lesser operand; NaN if either is NaN; min(-0, 0) = -0. Equal operands share the derivative, half
 * each. */
#include "../prog/prog.h"
#include "../ops.h"

/* Factor of the tangent of x: 1 where x is the result and `other` is not, 1/2 where both are, else 0. */
static ir_id share(ir_build *b, ir_id x, ir_id other, ir_id z)
{
    const ir_type *t = ir_typeof(b, z);
    const ir_id one = op_ones(b, t);
    const ir_id mine = op_select(b, op_equal(b, x, z), one, op_zeros(b, t));
    return op_div(b, mine, op_select(b, op_equal(b, other, z), op_splat(b, t, 2), one));
}

static void min_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)e;
    dy[0] = op_plus(b, dx[0] ? op_mul(b, dx[0], share(b, x[0], x[1], y[0])) : 0,
                    dx[1] ? op_mul(b, dx[1], share(b, x[1], x[0], y[0])) : 0);
}

static op_reg min_prog(op_prog *t, const ir_eqn *e, const op_reg *x) { return (void)e, t_min(t, x[0], x[1]); }

/* Complex numbers: the lesser by the real part, then by the imaginary part. */
static bool min_pair(ir_build *b, const ir_eqn *e, const op_parts *x, op_parts *y)
{
    (void)e;
    op_pair_extreme(b, false, x, y);
    return true;
}

const op_prim prim_min = {
    .name = "min", .doc = "the lesser of x and y; NaN if either is", .hlo = "stablehlo.minimum", .call = "x, y",
    .nin = 2,
    OP_MAP_CELLS, .monoid = MESH_MIN,
    .types = "T, T -> T", .rule = OP_BINARY, .linear = op_nonlinear, .jvp = min_jvp, .transpose = op_transpose_none,
    .prog = min_prog, .pair = min_pair,
    .cases = OP_CASES("min f32[3,4], f32[3,4]", "min bf16[5], bf16[5]", "min i8[7], i8[7]", "min u64[2,0], u64[2,0]",
                      "min bool[3], bool[3]", "min c64[5], c64[5]"),
};
