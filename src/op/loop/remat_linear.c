/* op/loop/remat_linear.c - the linear part of a remat, which rematerialises its residuals.
 *
 * Operands: x (attribute num_res: how many) | tangents. Regions: known (x) -> (values, residuals); linear (tangents,
 * residuals) -> results. The transpose rematerialises the residuals from x after a barrier that also waits for the
 * cotangents, so that the residuals are allocated only when the backward pass arrives. */
#include "../build.h"
#include "../ops.h"

#include <string.h>

typedef op_custom_linear_attr attr;

static bool remat_linear_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const ir_fn *const known = e->sub[0], *const linear = e->sub[1];
    const uint32_t nx = (uint32_t)IR_ATTR(e, attr)->num_res, nt = e->nin - nx;
    if (nx > e->nin || nt > linear->narg || linear->narg - nt > known->nret)
        return base_fail(TT_ETYPE, e->site, "remat_linear: its regions do not fit its operands");
    const uint32_t nres = linear->narg - nt;
    const ir_type *in[linear->narg + 1];
    memcpy(in, x + nx, nt * sizeof *in);
    for (uint32_t r = 0; r < nres; r++) in[nt + r] = known->type[known->ret[known->nret - nres + r]];
    if (!op_takes(e, 0, nx, x) || !op_takes(e, 1, linear->narg, in)) return false;
    for (uint32_t j = 0; j < linear->nret; j++) y[j] = linear->type[linear->ret[j]];
    return true;
}

static void remat_linear_edges(const ir_eqn *e, op_edges *t)
{
    const int nx = (int)IR_ATTR(e, attr)->num_res, nin = (int)e->nin, nt = nin - nx;
    const int nres = (int)e->sub[1]->narg - nt, ny = (int)e->sub[0]->nret - nres;
    for (int i = 0; i < nin; i++) {
        op_edge(t, i, OP_OPERAND, 0, i, 0);
        op_edge(t, i, OP_PARAM, i >= nx, i >= nx ? i - nx : i, 0);
    }
    for (int j = 0; j < (int)e->nout; j++)
        op_edge(t, nin + j, OP_RETURN, 1, j, 0), op_edge(t, nin + j, OP_RESULT, 0, j, 0);
    for (int r = 0; r < nres; r++) {
        op_edge(t, nin + (int)e->nout + r, OP_RETURN, 0, ny + r, 0);
        op_edge(t, nin + (int)e->nout + r, OP_PARAM, 1, nt + r, 0);
    }
}

static bool residuals(ir_build *b, const ir_eqn *e, const ir_fn *known, const ir_id *x, ir_id *res)
{
    const uint32_t nres = e->sub[1]->narg - (e->nin - (uint32_t)IR_ATTR(e, attr)->num_res);
    ir_id *const out = IR_NEW(b, ir_id, known->nret + 1);
    if (!ir_inline(b, known, x, out)) return false;
    memcpy(res, out + known->nret - nres, nres * sizeof *res);
    return true;
}

static bool remat_linear_decompose(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    const uint32_t nx = (uint32_t)IR_ATTR(e, attr)->num_res, nt = e->nin - nx;
    ir_id *const in = IR_NEW(b, ir_id, e->sub[1]->narg + 1);
    ir_fn *const known = op_unwatched(b, e->site, e->sub[0]);    /* beside the remat itself, which shows its values */
    memcpy(in, x + nx, nt * sizeof *in);
    return known && residuals(b, e, known, x, in + nt) && ir_inline(b, e->sub[1], in, y);
}

static void remat_linear_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    ir_build *const d = ir_region(b, base_intern("remat"));
    ir_id *const p = IR_NEW(b, ir_id, e->nin + 1), *const out = IR_NEW(b, ir_id, e->nout + 1);
    for (uint32_t i = 0; i < e->nin; i++) p[i] = ir_arg(d, IR_IN(e, i));
    if (!remat_linear_decompose(d, e, p, out)) return;
    ir_fn *const f = ir_end(d, e->nout, out);
    if (f) op_jvp_inline(b, f, x, y, dx, dy);
}

static void remat_linear_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    const uint32_t nx = (uint32_t)IR_ATTR(e, attr)->num_res, nt = e->nin - nx, narg = e->sub[1]->narg;
    ir_id *const wall = IR_NEW(b, ir_id, nx + e->nout + 1), *const in = IR_NEW(b, ir_id, narg + 1);
    ir_id *const walled = IR_NEW(b, ir_id, nx + 1), *const cts = IR_NEW(b, ir_id, e->nout + 1),
                 *const out = IR_NEW(b, ir_id, narg + 1);
    uint32_t n = nx;
    memcpy(wall, x, nx * sizeof *wall);
    for (uint32_t j = 0; j < e->nout; j++) if (ct[j]) wall[n++] = ct[j];
    const ir_id first = ir_emit(b, &prim_barrier, NULL, n, wall, 0, NULL);
    if (!first) return;
    for (uint32_t i = 0; i < nx; i++) walled[i] = first + i;
    for (uint32_t j = 0, k = first + nx; j < e->nout; j++) cts[j] = ct[j] ? k++ : 0;
    memcpy(in, x + nx, nt * sizeof *in);
    if (!residuals(b, e, e->sub[0], walled, in + nt)) return;
    op_transpose_inline(b, e->sub[1], in, cts, out);
    for (uint32_t i = nx; i < e->nin; i++) if (!x[i]) cx[i] = out[i - nx];
}

static void remat_linear_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y,
                               bool *out)
{
    const uint32_t nx = (uint32_t)IR_ATTR(e, attr)->num_res, nt = e->nin - nx, narg = e->sub[1]->narg,
                   nret = e->sub[0]->nret;
    bool *const is = IR_NEW(b, bool, nret + 1), *const in = IR_NEW(b, bool, narg + 1);
    ir_fn *sub[2];
    if (!(sub[0] = op_lifts(b)->batch(b, e->sub[0], mapped, is, n))) return;
    memcpy(in, mapped + nx, nt);
    memcpy(in + nt, is + nret - (narg - nt), narg - nt);
    memset(out, 0, e->nout);
    if (!(sub[1] = op_lifts(b)->batch(b, e->sub[1], in, out, n))) return;
    const ir_id first = ir_emit(b, e->op, e->attr, e->nin, x, 2, sub);
    for (uint32_t j = 0; j < e->nout; j++) y[j] = first + j;
}

const op_prim prim_remat_linear = {
    .name = "remat_linear", .doc = "the linear part of a remat", .hlo = "", .call = "",
    .nin = -1, .nout = -1, .nsub = 2, .kernel = OP_CALL, .states = true,
    .attr = sizeof(attr), .field = OP_FIELDS(IR_FIELD(attr, num_res, IR_INT)),
    .type = remat_linear_type, .edges = remat_linear_edges, .linear = op_nonlinear, .partial = op_partial_none,
    .jvp = remat_linear_jvp, .transpose = remat_linear_transpose, .batch = remat_linear_batch,
    .decompose = remat_linear_decompose, .ref = op_ref_decomposed, .exchange = op_exchange_none, .prog = op_prog_none,
    .cases = OP_CASES("remat_linear f32[3], f32[3] {num_res=1} (x f32[3]) { y = sin x; c = cos x; return y, c } "
                      "(d f32[3], c f32[3]) { e = mul c, d; return e }"),
};
