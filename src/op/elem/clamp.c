/* op/elem/clamp.c - min(max(lo, x), hi). lo and hi have x's shape or are scalars. Outside the bounds the derivative is
 * that of the bound; on a bound it is 0. */
#include "../prog/prog.h"
#include "../ops.h"

static bool clamp_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const ir_class c = ir_dtype_of(x[1]->dtype)->cls;
    if (c == IR_COMPLEX_CLASS)
        return base_fail(TT_ETYPE, e->site, "clamp: of %s; complex numbers have no order",
                         ir_dtype_of(x[1]->dtype)->name);
    for (int i = 0; i < 3; i += 2) {
        bool same = x[i]->rank == x[1]->rank;
        for (int d = 0; same && d < x[i]->rank; d++) same = x[i]->dim[d] == x[1]->dim[d];
        if (x[i]->dtype != x[1]->dtype)
            return base_fail(TT_ETYPE, e->site, "clamp: a bound of type %s; expected %s, the type of the operand",
                             ir_dtype_of(x[i]->dtype)->name, ir_dtype_of(x[1]->dtype)->name);
        if (!same && x[i]->rank)
            return op_expected(e, TT_ESHAPE, i ? "the upper bound" : "the lower bound", OP_ONLY, x[i],
                               "a scalar, or the shape of the operand", x[1]);
    }
    *y = ir_type_of(x[1]->dtype, x[1]->rank, x[1]->dim);
    return true;
}

static void clamp_rules(const ir_eqn *e, op_rule *r)
{
    for (int d = 0; d < IR_OUT(e, 0)->rank; d++) {
        const int f = op_factor(r, IR_OUT(e, 0)->dim[d], OP_PASS_THROUGH);
        for (int i = 0; i < 4; i++) if (i == 3 || IR_IN(e, i)->rank) op_dim(r, i, d, f);
    }
}

/* v broadcast to the shape of x. */
static ir_id clamp_wide(ir_build *b, ir_id v, ir_id x)
{
    const ir_type *from = ir_typeof(b, v), *to = ir_typeof(b, x);
    return from->rank == to->rank ? v : op_broadcast(b, v, ir_type_as(from, from->dtype, to->rank, to->dim), 0, NULL);
}

static ir_id where(ir_build *b, ir_id p, ir_id d, ir_id x)     /* d where p, else 0 */
{
    d = clamp_wide(b, d, x);
    return op_select(b, p, d, op_zeros(b, ir_typeof(b, d)));
}

static void clamp_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    const ir_id lo = clamp_wide(b, x[0], x[1]), hi = clamp_wide(b, x[2], x[1]);
    (void)e, (void)y;
    if (dx[1]) dy[0] = where(b, op_and(b, op_less(b, lo, x[1]), op_less(b, x[1], hi)), dx[1], x[1]);
    const ir_id crossed = dx[0] || dx[2] ? op_less(b, hi, lo) : 0; /* then the result is hi for any x */
    if (dx[0]) dy[0] = op_plus(b, dy[0], where(b, op_and(b, op_less(b, x[1], lo), op_not(b, crossed)), dx[0], x[1]));
    if (dx[2]) dy[0] = op_plus(b, dy[0], where(b, op_or(b, op_less(b, hi, x[1]), crossed), dx[2], x[1]));
}

static op_reg clamp_prog(op_prog *t, const ir_eqn *e, const op_reg *x)
{
    return (void)e, t_min(t, t_max(t, x[0], x[1]), x[2]);
}

const op_prim prim_clamp = {
    .name = "clamp", .doc = "min(max(lo, x), hi)", .hlo = "stablehlo.clamp", .call = "lo, x, hi", .by_hand = true,
    .nin = 3, OP_MAP_CELLS,
    .type = clamp_type, .rules = clamp_rules, .linear = op_nonlinear, .jvp = clamp_jvp, .transpose = op_transpose_none,
    .prog = clamp_prog,
    .cases = OP_CASES("clamp f32[3,4], f32[3,4], f32[3,4]", "clamp bf16[], bf16[5], bf16[]", "clamp i8[7], i8[7], i8[]",
                      "clamp f64[], f64[2,0], f64[]"),
};
