/* op/loop/guard.c - see guard.h. The new parameter is one more operand of the calls and branches inside, too. */
#include "guard.h"

#include "../ops.h"

#include <string.h>

bool guard_checks(const ir_fn *f)
{
    for (uint32_t k = 0; k < f->neqn; k++) {
        if (f->eqn[k].op == &prim_check) return true;
        for (uint32_t s = 0; s < f->eqn[k].nsub; s++) if (guard_checks(f->eqn[k].sub[s])) return true;
    }
    return false;
}

/* A check that does not fail where `on` is false. */
static ir_id guard_check(ir_build *d, const ir_eqn *e, ir_id *x, ir_id on)
{
    const ir_id off = ir_emit(d, &prim_not, NULL, 1, &on, 0, NULL);
    const ir_id all[2] = { x[0], off ? op_broadcast(d, off, ir_typeof(d, x[0]), 0, NULL) : 0 };
    if (!all[1]) return 0;
    x[0] = ir_emit(d, &prim_or, NULL, 2, all, 0, NULL);
    return x[0] ? ir_clone(d, e, x) : 0;
}

static ir_id guard_inner(ir_build *d, const ir_eqn *e, ir_id *x, ir_id on)
{
    ir_fn **const sub = IR_NEW(d, ir_fn *, e->nsub);
    if (e->op != &prim_case && e->op != &prim_call && e->op != &prim_remat) {
        base_fail(TT_EARG, e->site, "tt_check in a %s that only some elements of a vmap take", e->op->name);
        base_hint("call tt_check before or after the loop, or branch on a predicate that is the same for all elements");
        return 0;
    }
    for (uint32_t s = 0; s < e->nsub; s++) if (!(sub[s] = guard_region(d, e->sub[s]))) return 0;
    x[e->nin] = on;
    return ir_emit(d, e->op, e->attr, e->nin + 1, x, e->nsub, sub);
}

ir_fn *guard_region(ir_build *b, const ir_fn *f)
{
    ir_build *const d = ir_region(b, f->name);
    ir_id *const at = IR_NEW(b, ir_id, f->nvalue + 2), *const ret = IR_NEW(b, ir_id, f->nret + 1);
    for (uint32_t i = 1; i <= f->narg; i++) at[i] = ir_arg(d, f->type[i]);
    const ir_id on = ir_arg(d, ir_type_of(TT_BOOL, 0, NULL));
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *const e = &f->eqn[k];
        ir_id *const x = IR_NEW(b, ir_id, e->nin + 2);
        bool inner = false;
        for (uint32_t i = 0; i < e->nin; i++) x[i] = at[e->in[i]];
        for (uint32_t s = 0; s < e->nsub; s++) inner |= guard_checks(e->sub[s]);
        ir_site(d, e->site);
        const ir_id y = e->op == &prim_check ? guard_check(d, e, x, on) : inner ? guard_inner(d, e, x, on)
                                                                                  : ir_clone(d, e, x);
        if (!y && e->nout) return NULL;
        for (uint32_t j = 0; j < e->nout; j++) at[e->out + j] = y + j;
    }
    for (uint32_t j = 0; j < f->nret; j++) ret[j] = at[f->ret[j]];
    return ir_end(d, f->nret, ret);
}
