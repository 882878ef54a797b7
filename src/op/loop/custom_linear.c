/* op/loop/custom_linear.c - the linear map of a custom_vjp, of which only the transpose is known.
 *
 * Operands: residuals | tangents of the smooth inputs. Results: tangents of the smooth results. Region: bwd (residuals,
 * cotangents) -> cotangents. linearize creates the equation, and transpose consumes it by inlining bwd. The linear map
 * cannot be evaluated, so forward mode ends in an error. */
#include "../build.h"

#include <string.h>

typedef op_custom_linear_attr attr;

static bool custom_linear_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const ir_fn *const bwd = e->sub[0];
    const uint32_t nres = (uint32_t)IR_ATTR(e, attr)->num_res;
    if (nres > e->nin || nres > bwd->narg || bwd->nret != e->nin - nres)
        return base_fail(TT_ETYPE, e->site, "custom_linear: %u residuals of %u operands do not fit the region", nres,
                         e->nin);
    for (uint32_t i = 0; i < e->nin; i++)
        if (x[i] != bwd->type[i < nres ? i + 1 : bwd->ret[i - nres]])
            return op_expected(e, TT_ETYPE, "operand", i, x[i], "the type of the region",
                               bwd->type[i < nres ? i + 1 : bwd->ret[i - nres]]);
    for (uint32_t j = nres; j < bwd->narg; j++) y[j - nres] = bwd->type[j + 1];
    return true;
}

static void custom_linear_edges(const ir_eqn *e, op_edges *t)
{
    const int nres = (int)IR_ATTR(e, attr)->num_res, nin = (int)e->nin;
    for (int i = 0; i < nin; i++) {
        op_edge(t, i, OP_OPERAND, 0, i, 0);
        op_edge(t, i, i < nres ? OP_PARAM : OP_RETURN, 0, i < nres ? i : i - nres, 0);
    }
    for (int j = 0; j < (int)e->nout; j++)
        op_edge(t, nin + j, OP_PARAM, 0, nres + j, 0), op_edge(t, nin + j, OP_RESULT, 0, j, 0);
}

static void custom_linear_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    const uint32_t nres = (uint32_t)IR_ATTR(e, attr)->num_res;
    ir_id *const in = IR_NEW(b, ir_id, e->nin + 1);
    (void)y;
    for (uint32_t i = 0; i < nres; i++) {
        in[i] = x[i];
        if (!dx[i]) continue;
        base_fail(TT_EGRAD, e->site, "the derivative of a linearized custom_vjp by what its residuals depend on");
        base_hint("differentiate the gradient (reverse mode), or give the function a rule with tt_custom_jvp");
        return;
    }
    for (uint32_t i = nres; i < e->nin; i++) in[i] = op_ct(b, dx[i], IR_IN(e, i));
    const ir_id first = ir_clone(b, e, in);
    for (uint32_t j = 0; first && j < e->nout; j++) dy[j] = first + j;
}

static void custom_linear_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    const uint32_t nres = (uint32_t)IR_ATTR(e, attr)->num_res;
    ir_id *const in = IR_NEW(b, ir_id, e->sub[0]->narg + 1), *const out = IR_NEW(b, ir_id, e->nin + 1);
    for (uint32_t i = 0; i < nres; i++)
        if (!(in[i] = x[i])) {
            base_bug(e->site, "custom_linear: a residual is linear");
            return;
        }
    for (uint32_t j = 0; j < e->nout; j++) in[nres + j] = op_ct(b, ct[j], IR_OUT(e, j));
    if (!ir_inline(b, e->sub[0], in, out)) return;
    for (uint32_t i = nres; i < e->nin; i++) if (!x[i]) cx[i] = out[i - nres];
}

static void custom_linear_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y,
                                bool *out)
{
    const uint32_t nres = (uint32_t)IR_ATTR(e, attr)->num_res;
    bool *const in = IR_NEW(b, bool, e->sub[0]->narg + 1), *const want = IR_NEW(b, bool, e->sub[0]->nret + 1);
    ir_id *const op = IR_NEW(b, ir_id, e->nin + 1);
    for (uint32_t i = 0; i < e->sub[0]->narg; i++) in[i] = i >= nres || mapped[i];
    for (uint32_t i = 0; i < e->sub[0]->nret; i++) want[i] = true;
    ir_fn *const f = op_lifts(b)->batch(b, e->sub[0], in, want, n);
    if (!f) return;
    for (uint32_t i = 0; i < e->nin; i++) op[i] = i >= nres && !mapped[i] ? op_spread(b, x[i], n) : x[i];
    const ir_id first = ir_emit(b, e->op, e->attr, e->nin, op, 1, &f);
    for (uint32_t j = 0; j < e->nout; j++) y[j] = first + j, out[j] = true;
}

static bool custom_linear_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    (void)x; (void)y;
    base_fail(TT_EGRAD, e->site, "forward mode through a function that has only a rule for reverse mode");
    return base_hint("give the function a rule with tt_custom_jvp, or use reverse mode");
}

const op_prim prim_custom_linear = {
    .name = "custom_linear", .doc = "the linear part of a custom_vjp", .hlo = "", .call = "",
    .nin = -1, .nout = -1, .nsub = 1, .kernel = OP_CALL, .states = true,
    .attr = sizeof(attr), .field = OP_FIELDS(IR_FIELD(attr, num_res, IR_INT)),
    .type = custom_linear_type, .edges = custom_linear_edges, .linear = op_nonlinear, .partial = op_partial_none,
    .jvp = custom_linear_jvp, .transpose = custom_linear_transpose, .batch = custom_linear_batch,
    .decompose = op_decompose_none,
    .ref = custom_linear_ref, .exchange = op_exchange_none, .prog = op_prog_none,
    /* There is no case, as the equation cannot be evaluated; tests/transform/custom.c transposes it. */
    .cases = OP_CASES(NULL),
};
