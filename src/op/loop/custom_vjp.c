/* op/loop/custom_vjp.c - a function with a backward pass given by the user.
 *
 * Regions: f (x) -> y; fwd (x) -> (y, residuals); bwd (residuals, cotangents of smooth y) -> cotangents of smooth x.
 * fwd (x, y) -> (y, residuals) reads y as f computes it.
 * Smooth: of floating or complex dtype. Where a tangent arrives, fwd replaces f and a custom_linear equation represents
 * the linear map, of which only the transpose is known. bwd is ordinary IR, so bwd can itself be differentiated. */
#include "../build.h"
#include "../ops.h"

#include <string.h>

static bool smooth(const ir_type *t) { return ir_dtype_of(t->dtype)->cls >= IR_FLOAT_CLASS; }

static bool reads_results(const ir_eqn *e) { return e->sub[0]->nret && e->sub[1]->narg > e->nin; }  /* fwd does */

static bool fwd_takes(const ir_eqn *e, const ir_type *const *x)
{
    const ir_fn *const f = e->sub[0];
    const ir_type *in[e->nin + f->nret + 1];
    uint32_t n = e->nin;
    memcpy(in, x, e->nin * sizeof *in);
    for (uint32_t j = 0; reads_results(e) && j < f->nret; j++) in[n++] = f->type[f->ret[j]];
    return op_takes(e, 1, n, in);
}

static bool fwd_returns(const ir_eqn *e)
{
    const ir_fn *const f = e->sub[0], *const fwd = e->sub[1];
    for (uint32_t j = 0; j < f->nret; j++) {
        const ir_type *const want = f->type[f->ret[j]], *const got = j < fwd->nret ? fwd->type[fwd->ret[j]] : NULL;
        if (got == want) continue;
        base_arena *const a = base_open();
        base_fail(TT_ETYPE, e->site, "custom_vjp: result %u of fwd is %s; expected %s, as the function returns", j,
                  got ? ir_type_text(a, got) : "missing", ir_type_text(a, want));
        return base_close(a), false;
    }
    return true;
}

static bool bwd_fits(const ir_eqn *e, const ir_type *const *x)
{
    const ir_fn *const f = e->sub[0], *const fwd = e->sub[1], *const bwd = e->sub[2];
    const ir_type *in[fwd->nret + f->nret + 1];
    uint32_t n = 0, m = 0;
    for (uint32_t r = f->nret; r < fwd->nret; r++) in[n++] = fwd->type[fwd->ret[r]];
    for (uint32_t j = 0; j < f->nret; j++) if (smooth(f->type[f->ret[j]])) in[n++] = f->type[f->ret[j]];
    if (!op_takes(e, 2, n, in)) return false;
    for (uint32_t i = 0; i < e->nin; i++) {
        if (!smooth(x[i])) continue;
        const ir_type *const got = m < bwd->nret ? bwd->type[bwd->ret[m++]] : NULL;
        if (got != x[i]) {
            base_arena *const a = base_open();
            base_fail(TT_ETYPE, e->site, "custom_vjp: bwd's cotangent of input %u is %s; expected %s", i,
                      got ? ir_type_text(a, got) : "missing", ir_type_text(a, x[i]));
            base_close(a);
            return false;
        }
    }
    if (m != bwd->nret)
        return base_fail(TT_ETYPE, e->site, "custom_vjp: bwd returns %u cotangents; expected %u", bwd->nret, m);
    return true;
}

static bool custom_vjp_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const ir_fn *const f = e->sub[0];
    if (!op_takes(e, 0, e->nin, x) || !fwd_takes(e, x) || !fwd_returns(e) || !bwd_fits(e, x)) return false;
    for (uint32_t j = 0; j < f->nret; j++) y[j] = f->type[f->ret[j]];
    return true;
}

static void custom_vjp_edges(const ir_eqn *e, op_edges *t)
{
    const int nin = (int)e->nin;
    op_unlisted(t);
    for (int i = 0; i < nin; i++) op_edge(t, i, OP_OPERAND, 0, i, 0), op_edge(t, i, OP_PARAM, 0, i, 0);
    for (int j = 0; j < (int)e->nout; j++)
        op_edge(t, nin + j, OP_RETURN, 0, j, 0), op_edge(t, nin + j, OP_RESULT, 0, j, 0);
}

static void custom_vjp_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    const ir_fn *const fwd = e->sub[1];
    const uint32_t nres = fwd->nret - e->nout;
    ir_id *const out = IR_NEW(b, ir_id, fwd->nret + 1), *const in = IR_NEW(b, ir_id, nres + e->nin + 1);
    ir_id *const all = IR_NEW(b, ir_id, e->nin + e->nout + 1);
    uint32_t n = nres;
    memcpy(all, x, e->nin * sizeof *all);
    memcpy(all + e->nin, y, e->nout * sizeof *all);
    if (!ir_inline(b, fwd, all, out)) return;
    memcpy(y, out, e->nout * sizeof *y);
    memcpy(in, out + e->nout, nres * sizeof *in);
    for (uint32_t i = 0; i < e->nin; i++) if (smooth(IR_IN(e, i))) in[n++] = op_ct(b, dx[i], IR_IN(e, i));
    const ir_id first = ir_emit(b, &prim_custom_linear, &(op_custom_linear_attr){ nres }, n, in, 1, &e->sub[2]);
    for (uint32_t j = 0, k = first; first && j < e->nout; j++) dy[j] = smooth(IR_OUT(e, j)) ? k++ : 0;
}

static void custom_vjp_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    op_transpose_inline(b, e->sub[0], x, ct, cx);
}

/* bwd for mapped residuals and cotangents; its cotangent of an input that is not mapped is summed over the elements. */
static ir_fn *bwd_batch(ir_build *b, const ir_eqn *e, const bool *mapped, const bool *out, const bool *fwd_out,
                        int64_t n)
{
    const ir_fn *const f = e->sub[0], *const fwd = e->sub[1], *const bwd = e->sub[2];
    bool *const in = IR_NEW(b, bool, bwd->narg + 1), *const is = IR_NEW(b, bool, bwd->nret + 1);
    bool *const want = IR_NEW(b, bool, bwd->nret + 1);
    uint32_t k = 0, m = 0;
    for (uint32_t r = f->nret; r < fwd->nret; r++) in[k++] = fwd_out[r];
    for (uint32_t j = 0; j < f->nret; j++) if (smooth(IR_OUT(e, j))) in[k++] = out[j];
    for (uint32_t i = 0; i < e->nin; i++) if (smooth(IR_IN(e, i))) is[m] = want[m] = mapped[i], m++;
    ir_fn *const g = op_lifts(b)->batch(b, e->sub[2], in, is, n);
    if (!g || !memcmp(is, want, m)) return g;
    ir_build *const d = ir_region(b, base_intern("bwd"));
    ir_id *const p = IR_NEW(b, ir_id, g->narg + 1), *const ret = IR_NEW(b, ir_id, m + 1);
    for (uint32_t i = 0; i < g->narg; i++) p[i] = ir_arg(d, g->type[i + 1]);
    if (!ir_inline(d, g, p, ret)) return NULL;
    for (uint32_t i = 0; i < m; i++)
        if (is[i] && !want[i]) ret[i] = op_reduce_dims(d, &prim_add, ret[i], 1, (const int64_t[]){ 0 });
    return ir_end(d, m, ret);
}

static void custom_vjp_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y,
                             bool *out)
{
    bool *const found = IR_NEW(b, bool, e->sub[1]->nret + 1), *const in = IR_NEW(b, bool, e->nin + e->nout + 1), grew;
    ir_fn *sub[3];
    /* All smooth results are mapped: the sum would count a shared cotangent once per element. */
    for (uint32_t j = 0; j < e->nout; j++) out[j] = smooth(IR_OUT(e, j));
    do {
        grew = false;
        if (!(sub[0] = op_lifts(b)->batch(b, e->sub[0], mapped, out, n))) return;
        memset(found, 0, e->sub[1]->nret);
        memcpy(found, out, e->nout);
        memcpy(in, mapped, e->nin);
        memcpy(in + e->nin, out, e->nout);
        if (!(sub[1] = op_lifts(b)->batch(b, e->sub[1], in, found, n))) return;
        for (uint32_t j = 0; j < e->nout; j++) if (found[j] && !out[j]) out[j] = grew = true;
    } while (grew);
    if (!(sub[2] = bwd_batch(b, e, mapped, out, found, n))) return;
    const ir_id first = ir_emit(b, e->op, NULL, e->nin, x, 3, sub);
    for (uint32_t j = 0; j < e->nout; j++) y[j] = first + j;
}

static bool custom_vjp_decompose(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    return ir_inline(b, e->sub[0], x, y);
}

static bool custom_vjp_ref(const ir_eqn *e, const ir_box *x, const ir_box *y) { return ir_eval(e->sub[0], x, y); }

const op_prim prim_custom_vjp = {
    .name = "custom_vjp", .doc = "a function with a backward pass of its own", .hlo = "", .call = "",
    .nin = -1, .nout = -1, .nsub = 3, .kernel = OP_CALL, .states = true,
    .type = custom_vjp_type, .edges = custom_vjp_edges, .linear = op_nonlinear, .partial = op_partial_none,
    .jvp = custom_vjp_jvp, .transpose = custom_vjp_transpose, .batch = custom_vjp_batch,
    .decompose = custom_vjp_decompose,
    .ref = custom_vjp_ref, .exchange = op_exchange_none, .prog = op_prog_none,
    .cases = OP_CASES("custom_vjp f32[3] (x f32[3]) { y = sin x; return y } (x f32[3]) { y = sin x; c = cos x; return "
                      "y, c } "
                      "(c f32[3], t f32[3]) { u = mul c, t; return u }",
                      "custom_vjp f32[3] (x f32[3]) { y = exp x; return y } (x f32[3], y f32[3]) { return y, y } "
                      "(c f32[3], t f32[3]) { u = mul c, t; return u }"),
};
