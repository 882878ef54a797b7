/* trace/call/case.c - cond and switch: one of several functions, selected by an index. A value that any of the
 * functions captures becomes an operand of all of them. A known index is handled by branches.c, at top level and under
 * a trace. */
#include "../trace.h"
#include "../../op/ops.h"

#include "../inner.h"

static const ir_type *varied(const ir_type *t, mesh_set vary) { return ir_type_vary(t, (mesh_set)(t->vary | vary)); }

/* vary: the axes over which the index varies. */
static ir_fn *branch_region(const trace_closed *c, const fn_pool *u, const fn_sig *s, const ir_type *const *type,
                            mesh_set vary)
{
    trace_frame *f = trace_top();
    ir_build *r = ir_begin(f->arena, c->fn->name, f->mesh);
    ir_id *in = IR_NEW(r, ir_id, s->nleaf + c->ncaptured + 1), *out = IR_NEW(r, ir_id, c->fn->nret + 1);
    const ir_type **const arg = IR_NEW(r, const ir_type *, s->nleaf + c->ncaptured + 1);
    for (int i = 0; i < s->nleaf; i++) in[i] = ir_arg(r, arg[i] = s->type[i]);
    for (int i = 0; i < u->n; i++) ir_arg(r, varied(u->v[i]->type, vary));
    for (int i = 0; i < c->ncaptured; i++) {
        in[s->nleaf + i] = (ir_id)(s->nleaf + fn_found(u, c->captured[i])) + 1;
        arg[s->nleaf + i] = varied(c->captured[i]->type, vary);
    }
    const ir_fn *const fn = op_varying(f->arena, c->fn, arg);
    if (!fn || !ir_inline(r, fn, in, out)) return NULL;
    for (uint32_t j = 0; j < c->fn->nret; j++) out[j] = fn_fitted(r, out[j], type[j]);
    return ir_end(r, c->fn->nret, out);
}

static ir_id index_id(base_site site, trace_value *index, int nbranch)
{
    ir_build *b = trace_top()->build;
    const ir_id i = trace_id(trace_top(), site, index);
    ir_site(b, site);
    if (!i || index->type->dtype == TT_BOOL) return i;
    /* wide enough for the number of branches */
    const tt_dtype own = index->type->dtype, d = ir_dtype_of(own)->bytes < 4 ? TT_I32 : own;
    return op_convert(b, op_clamp(b, op_int(b, d, 0), op_convert(b, i, d), op_int(b, d, nbranch - 1)), TT_I32);
}

static trace_value *case_here(base_site site, trace_value *index, int nbranch, trace_fn *const *branch, int n,
                              trace_value *const *args)
{
    trace_frame *top = trace_top();
    base_arena *a = top->arena;
    const mesh_set vary = index->type->vary;             /* so do operands and results: cases differ by device */
    fn_sig s = fn_sig_of(a, n, args);
    trace_closed *c = BASE_NEW(a, trace_closed, nbranch);
    case_result *r = BASE_NEW(a, case_result, nbranch);
    ir_fn **sub = BASE_NEW(a, ir_fn *, nbranch);
    fn_pool u = { 0 };
    for (int i = 0; i < s.nleaf; i++) s.type[i] = varied(s.type[i], vary);
    for (int b = 0; b < nbranch; b++) {
        if (!fn_close(site, branch[b], &s, NULL, &c[b])) return NULL;
        fn_unite(&u, &c[b]);
        r[b] = case_closed(&c[b]);
    }
    const uint32_t nret = c[0].fn->nret;
    const ir_type **type = BASE_NEW(a, const ir_type *, nret + 1);
    bool *weak = BASE_NEW(a, bool, nret + 1);
    ir_id *in = BASE_NEW(a, ir_id, s.nleaf + u.n + 2), *out = BASE_NEW(a, ir_id, nret + 1);
    if (!case_agree(site, nbranch, r, type, weak)) return NULL;
    for (uint32_t j = 0; j < nret; j++) type[j] = varied(type[j], vary);
    for (int b = 0; b < nbranch; b++) if (!(sub[b] = branch_region(&c[b], &u, &s, type, vary))) return NULL;
    if (!(in[0] = index_id(site, index, nbranch)) || !fn_operands(site, n, args, NULL, in + 1)) return NULL;
    for (int i = 0; i < u.n; i++) if (!(in[1 + s.nleaf + i] = trace_id(top, site, u.v[i]))) return NULL;
    ir_site(top->build, site);
    for (int i = 1; vary && i <= s.nleaf + u.n; i++)
        in[i] = op_as(top->build, in[i], varied(ir_typeof(top->build, in[i]), vary));
    const ir_id y = ir_emit(top->build, &prim_case, NULL, (uint32_t)(1 + s.nleaf + u.n), in, (uint32_t)nbranch, sub);
    for (uint32_t j = 0; j < nret; j++) out[j] = y + j;
    return y || !nret ? fn_opened(site, c[0].out, out, weak) : NULL;
}

trace_value *trace_case(base_site site, trace_value *index, int nbranch, trace_fn *const *branch, int n,
                        trace_value *const *args)
{
    const ir_class cls = index->type ? ir_dtype_of(index->type->dtype)->cls : IR_FLOAT_CLASS;
    if (!index->type || index->type->rank || cls == IR_FLOAT_CLASS || cls == IR_COMPLEX_CLASS) {
        base_fail(TT_ETYPE, site, "tt_switch: the index must be one bool or integer, not %s",
                  trace_type_text(trace_temp(), index));
        trace_cite(index);
        return NULL;
    }
    if (index->form != TRACE_NUMBER && trace_top()) return case_here(site, index, nbranch, branch, n, args);
    double i = 0;
    if (!trace_number_of(site, "the index", index, &i)) return NULL;
    const int taken = i < 0 ? 0 : i > nbranch - 1 ? nbranch - 1 : (int)i;
    return case_known(site, taken, nbranch, branch, n, args);
}
