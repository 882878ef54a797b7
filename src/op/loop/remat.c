/* op/loop/remat.c - a function whose backward pass saves only its operands and rematerialises all other values.
 *
 * The derivative is the function itself, and one remat_linear equation for the linear part, which has the operands as
 * residuals; the transpose of remat_linear runs the known part a second time, after a barrier. */
#include "../build.h"
#include "../ops.h"

#include <string.h>

static bool remat_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const ir_fn *const f = e->sub[0];
    if (!op_takes(e, 0, e->nin, x)) return false;
    for (uint32_t j = 0; j < f->nret; j++) y[j] = f->type[f->ret[j]];
    return true;
}

static void remat_ties(const ir_eqn *e, op_edges *t)
{
    const int nin = (int)e->nin;
    for (int i = 0; i < nin; i++) op_edge(t, i, OP_OPERAND, 0, i, 0), op_edge(t, i, OP_PARAM, 0, i, 0);
    for (int j = 0; j < (int)e->nout; j++)
        op_edge(t, nin + j, OP_RETURN, 0, j, 0), op_edge(t, nin + j, OP_RESULT, 0, j, 0);
}

static void remat_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    bool *const in = IR_NEW(b, bool, e->nin + 1);
    ir_id *const op = IR_NEW(b, ir_id, 2 * e->nin + 1);
    uint32_t n = e->nin;
    op_split s;
    (void)y;
    for (uint32_t i = 0; i < e->nin; i++) in[i] = dx[i] != 0;
    if (!op_lifts(b)->linearize(b, e->sub[0], in, NULL, &s)) return;
    memcpy(op, x, e->nin * sizeof *op);
    for (uint32_t i = 0; i < e->nin; i++) if (in[i]) op[n++] = dx[i];
    ir_fn *const sub[2] = { s.known, s.linear };
    if (!s.linear->nret) return;
    const ir_id first = ir_emit(b, &prim_remat_linear, &(op_custom_linear_attr){ e->nin }, n, op, 2, sub);
    for (uint32_t j = 0, k = first; first && j < e->nout; j++) dy[j] = s.active[j] ? k++ : 0;
}

static void remat_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    op_transpose_inline(b, e->sub[0], x, ct, cx);
}

static void remat_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y,
                        bool *out)
{
    memset(out, 0, e->nout);
    ir_fn *const f = op_lifts(b)->batch(b, e->sub[0], mapped, out, n);
    const ir_id first = f ? ir_emit(b, e->op, NULL, e->nin, x, 1, &f) : 0;
    for (uint32_t j = 0; j < e->nout; j++) y[j] = first + j;
}

static bool remat_decompose(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    return ir_inline(b, e->sub[0], x, y);
}

static bool remat_ref(const ir_eqn *e, const ir_box *x, const ir_box *y) { return ir_eval(e->sub[0], x, y); }

const op_prim prim_remat = {
    .name = "remat", .doc = "a function that its backward pass computes again", .hlo = "", .call = "",
    .nin = -1, .nout = -1, .nsub = 1, .kernel = OP_CALL, .states = true,
    .type = remat_type, .edges = remat_ties, .linear = op_nonlinear, .partial = op_partial_none,
    .jvp = remat_jvp, .transpose = remat_transpose, .batch = remat_batch, .decompose = remat_decompose,
    .ref = remat_ref, .exchange = op_exchange_none, .prog = op_prog_none,
    .cases = OP_CASES("remat f32[3], f32[3] (a f32[3], b f32[3]) { c = mul a, b; d = sin c; return d, a }"),
};
