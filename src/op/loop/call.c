/* op/loop/call.c - a call of a function: a jit inside a jit, a tagged composite. Derivatives and transposes of the
 * function are inlined; mapping keeps the call. */
#include "../build.h"

static bool call_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const ir_fn *const f = e->sub[0];
    if (!op_takes(e, 0, e->nin, x)) return false;
    for (uint32_t j = 0; j < f->nret; j++) y[j] = f->type[f->ret[j]];
    return true;
}

static void call_edges(const ir_eqn *e, op_edges *t)
{
    const int nin = (int)e->nin;
    for (int i = 0; i < nin; i++) op_edge(t, i, OP_OPERAND, 0, i, 0), op_edge(t, i, OP_PARAM, 0, i, 0);
    for (int j = 0; j < (int)e->nout; j++)
        op_edge(t, nin + j, OP_RETURN, 0, j, 0), op_edge(t, nin + j, OP_RESULT, 0, j, 0);
}

static void call_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    op_jvp_inline(b, e->sub[0], x, y, dx, dy);
}

static void call_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    op_transpose_inline(b, e->sub[0], x, ct, cx);
}

static void call_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y, bool *out)
{
    for (uint32_t j = 0; j < e->nout; j++) out[j] = false;
    ir_fn *const f = op_lifts(b)->batch(b, e->sub[0], mapped, out, n);
    if (!f) return;
    const ir_id first = ir_emit(b, e->op, NULL, e->nin, x, 1, &f);
    for (uint32_t j = 0; j < e->nout; j++) y[j] = first + j;
}

static bool call_decompose(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    return ir_inline(b, e->sub[0], x, y);
}

static bool call_ref(const ir_eqn *e, const ir_box *x, const ir_box *y) { return ir_eval(e->sub[0], x, y); }

const op_prim prim_call = {
    .name = "call", .doc = "a function's results", .hlo = "func.call", .call = "",
    .nin = -1, .nout = -1, .nsub = 1, .kernel = OP_CALL, .states = true,
    .type = call_type, .edges = call_edges, .linear = op_nonlinear, .partial = op_partial_none,
    .jvp = call_jvp, .transpose = call_transpose, .batch = call_batch, .decompose = call_decompose,
    .ref = call_ref, .exchange = op_exchange_none, .prog = op_prog_none,
    .cases = OP_CASES("call f32[3], f32[3] (a f32[3], b f32[3]) { c = mul a, b; return c, a }"),
};
