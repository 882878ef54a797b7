/* pass/decompose.c - rewrites what has no kernel by its row's .decompose: scan to while, rows whose reference is their
 * decomposition, elementwise rows without a tape. Regions too; again until none is left. */
#include "inner.h"

static bool needs(const ir_eqn *e)
{
    if (e->op->decompose == op_decompose_none) return false;
    return e->op == &row_scan || e->op == &row_remat || e->op->ref == op_ref_decomposed
           || (e->op->kernel == OP_MAP && e->op->tape == op_tape_none);
}

static bool any(const ir_fn *f)
{
    for (uint32_t k = 0; k < f->neqn; k++) {
        if (needs(&f->eqn[k])) return true;
        for (uint32_t i = 0; i < f->eqn[k].nsub; i++) if (any(f->eqn[k].sub[i])) return true;
    }
    return false;
}

static ir_fn *once(base_arena *a, const ir_fn *f)
{
    ir_build *b = ir_begin(a, f->name, f->mesh);
    ir_id *map = IR_NEW(b, ir_id, f->nvalue + 1), *ret = IR_NEW(b, ir_id, f->nret + 1);
    for (uint32_t i = 1; i <= f->narg; i++) map[i] = ir_arg(b, f->type[i]);
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *e = &f->eqn[k];
        ir_id *x = IR_NEW(b, ir_id, e->nin + 1);
        ir_fn **sub = IR_NEW(b, ir_fn *, e->nsub + 1);
        for (uint32_t i = 0; i < e->nin; i++) x[i] = map[e->in[i]];
        ir_site(b, e->site);
        if (needs(e)) {
            if (!e->op->decompose(b, e, x, map + e->out)) return NULL;
            continue;
        }
        for (uint32_t i = 0; i < e->nsub; i++) {
            sub[i] = any(e->sub[i]) ? once(a, e->sub[i]) : e->sub[i];
            if (!sub[i]) return NULL;
        }
        const ir_id y = ir_emit(b, e->op, e->attr, e->nin, x, e->nsub, sub);
        if (!y && e->nout) return NULL;
        for (uint32_t j = 0; j < e->nout; j++) map[e->out + j] = y + j;
    }
    for (uint32_t i = 0; i < f->nret; i++) ret[i] = map[f->ret[i]];
    ir_fn *g = ir_end(b, f->nret, ret);
    if (!g) return NULL;
    pass_like(g, f);
    return g;
}

ir_fn *pass_decompose(base_arena *a, const ir_fn *f)
{
    ir_fn *g = (ir_fn *)(uintptr_t)f;
    while (g && any(g)) g = once(a, g);
    return g;
}
