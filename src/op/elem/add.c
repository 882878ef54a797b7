/* op/elem/add.c - z = x + y. Integers wrap; on bool the sum is x or y. */
#include "../prog/prog.h"

static void add_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)e, (void)x, (void)y;
    dy[0] = op_plus(b, dx[0], dx[1]);
}

static void add_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    (void)b;
    for (uint32_t i = 0; i < e->nin; i++) cx[i] = x[i] ? 0 : ct[0];
}

static op_reg add_prog(op_prog *t, const ir_eqn *e, const op_reg *x) { return (void)e, t_add(t, x[0], x[1]); }

const op_prim prim_add = {
    .name = "add", .doc = "x + y", .hlo = "stablehlo.add", .call = "x, y", .nin = 2, OP_MAP_CELLS, .monoid = MESH_SUM,
    .types = "T, T -> T", .rule = OP_BINARY, .linear = op_joint, .jvp = add_jvp, .transpose = add_transpose,
    .prog = add_prog, .pair = op_pair_each,
    .cases = OP_CASES("add f32[3,4], f32[3,4]", "add bf16[5], bf16[5]", "add i8[7], i8[7]", "add f64[2,0], f64[2,0]",
                      "add i4[5], i4[5]", "add bool[4], bool[4]", "add c64[3], c64[3]", "add c128[], c128[]"),
};
