/* pass/on_mesh.c - copies a function to another mesh, with its regions, since a function and its regions share one
 * mesh. */
#include "inner.h"

ir_fn *pass_regions(base_arena *a, const ir_fn *f, const mesh *m, pass_region *region)
{
    ir_build *b = ir_begin(a, f->name, m);
    ir_id *map = IR_NEW(b, ir_id, f->nvalue + 1), *ret = IR_NEW(b, ir_id, f->nret + 1);
    for (uint32_t i = 1; i <= f->narg; i++) map[i] = ir_arg(b, f->type[i]);
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *e = &f->eqn[k];
        ir_id *x = IR_NEW(b, ir_id, e->nin + 1);
        ir_fn **sub = IR_NEW(b, ir_fn *, e->nsub + 1);
        for (uint32_t i = 0; i < e->nin; i++) x[i] = map[e->in[i]];
        for (uint32_t i = 0; i < e->nsub; i++) if (!(sub[i] = region(a, e, i, m))) return NULL;
        ir_site(b, e->site);
        const ir_id y = e->nsub ? ir_emit(b, e->op, e->attr, e->nin, x, e->nsub, sub) : ir_clone(b, e, x);
        if (!y && e->nout) return NULL;
        for (uint32_t j = 0; j < e->nout; j++) map[e->out + j] = y + j;
    }
    for (uint32_t i = 0; i < f->nret; i++) ret[i] = map[f->ret[i]];
    ir_fn *g = ir_end(b, f->nret, ret);
    if (g) pass_like(g, f);
    return g;
}

static ir_fn *on_mesh_moved(base_arena *a, const ir_eqn *e, uint32_t i, const mesh *m)
{
    return pass_regions(a, e->sub[i], m, on_mesh_moved);
}

ir_fn *pass_on_mesh(base_arena *a, const ir_fn *f, const mesh *m)
{
    return f->mesh == m ? (ir_fn *)(uintptr_t)f : pass_regions(a, f, m, on_mesh_moved);
}
