/* op/elem/select.c - x where p, else y. p has the operands' shape or is one scalar for all. Linear in x and y. */
#include "../prog/prog.h"
#include "../ops.h"

static bool select_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    if (x[0]->dtype != TT_BOOL)
        return base_fail(TT_ETYPE, e->site, "select: the condition must be bool, not %s",
                         ir_dtype_of(x[0]->dtype)->name);
    if (x[1]->dtype != x[2]->dtype)
        return base_fail(TT_ETYPE, e->site, "select: branches of types %s and %s; expected one type",
                         ir_dtype_of(x[1]->dtype)->name, ir_dtype_of(x[2]->dtype)->name);
    for (int i = 0; i < 3; i++) {
        bool same = x[i]->rank == x[1]->rank;
        for (int d = 0; same && d < x[i]->rank; d++) same = x[i]->dim[d] == x[1]->dim[d];
        if (!same && (i || x[0]->rank))
            return op_expected(e, TT_ESHAPE, i ? "the second branch" : "the condition", OP_ONLY, x[i],
                               i ? "the shape of the first branch" : "a scalar, or the shape of the first branch",
                                   x[1]);
    }
    *y = ir_type_of(x[1]->dtype, x[1]->rank, x[1]->dim);
    return true;
}

static void select_rules(const ir_eqn *e, op_rule *r)
{
    for (int d = 0; d < IR_OUT(e, 0)->rank; d++) {
        const int f = op_factor(r, IR_OUT(e, 0)->dim[d], OP_PASS_THROUGH);
        for (int i = IR_IN(e, 0)->rank ? 0 : 1; i < 4; i++) op_dim(r, i, d, f);
    }
}

static op_linear select_linear(const ir_eqn *e) { return (void)e, (op_linear){ OP_JOINT, 1 << 1 | 1 << 2 }; }

static void select_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)e, (void)y;
    if (!dx[1] && !dx[2]) return;
    dy[0] = op_select(b, x[0], dx[1] ? dx[1] : op_zeros(b, ir_typeof(b, x[1])),
                      dx[2] ? dx[2] : op_zeros(b, ir_typeof(b, x[2])));
}

static void select_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    (void)e;
    if (!ct[0]) return;
    const ir_id zero = op_zeros(b, ir_typeof(b, ct[0]));
    if (!x[1]) cx[1] = op_select(b, x[0], ct[0], zero);
    if (!x[2]) cx[2] = op_select(b, x[0], zero, ct[0]);
}

static op_reg select_prog(op_prog *t, const ir_eqn *e, const op_reg *x)
{
    const tt_dtype d = IR_OUT(e, 0)->dtype, as = ir_is_narrow(d) ? TT_U8 : d;
    (void)x;
    return op_bits(t, t_sel(t, op_raw(t, 0), op_bits(t, op_raw(t, 1), as), op_bits(t, op_raw(t, 2), as)), d);
}

const op_prim prim_select = {
    .name = "select", .doc = "x where p, else y", .hlo = "stablehlo.select", .call = "p, x, y", .nin = 3, OP_MAP_CELLS,
    .type = select_type, .rules = select_rules, .linear = select_linear, .jvp = select_jvp,
    .transpose = select_transpose, .prog = select_prog, .pair = op_pair_each,
    .cases = OP_CASES("select bool[3,4], f32[3,4], f32[3,4]", "select bool[], bf16[5], bf16[5]",
                      "select bool[7], i8[7], i8[7]", "select bool[], bool[2,0], bool[2,0]",
                      "select bool[3], c64[3], c64[3]", "select bool[], c128[3], c128[3]"),
};
