/* ir/verify.c - verifies functions. A failure is a bug of the library (TT_EBUG), not of the user's program. ir_end
 * checks ids and order of every function; the driver runs the full ir_verify after each pass that TUTTI=ir prints.
 *
 * Checks that arguments are ids 1..narg, results of equations are numbered in order, operands are defined before they
 * are used, regions are closed and share the mesh, and every type is the one that the primitive infers. */
#include "ir.h"

#include <string.h>

static bool eqn_in_order(const ir_fn *f, const ir_eqn *e, ir_id next)
{
    if (!e->op) return base_bug(e->site, "%s: an equation without a primitive", f->name);
    if (e->fn != f) return base_bug(e->site, "%s: %s belongs to another function", f->name, e->op->name);
    if (e->out != next || e->nout > f->nvalue - next + 1)
        return base_bug(e->site, "%s: the results of %s are out of order", f->name, e->op->name);
    for (uint32_t i = 0; i < e->nin; i++)
        if (!e->in[i] || e->in[i] >= next)
            return base_bug(e->site, "%s: operand %u of %s is not defined before it", f->name, i, e->op->name);
    for (uint32_t s = 0; s < e->nsub; s++) {
        if (!e->sub[s]) return base_bug(e->site, "%s: region %u of %s is missing", f->name, s, e->op->name);
        if (e->sub[s]->mesh != f->mesh)
            return base_bug(e->site, "%s: region %u of %s has another mesh", f->name, s, e->op->name);
    }
    if (e->op->attr && !e->attr) return base_bug(e->site, "%s: %s without its attributes", f->name, e->op->name);
    return true;
}

bool ir_well_formed(const ir_fn *f)
{
    ir_id next = f->narg + 1;
    if (f->narg > f->nvalue) return base_bug(NULL, "%s: more arguments than values", f->name);
    for (uint32_t k = 0; k < f->neqn; k++) {
        if (!eqn_in_order(f, &f->eqn[k], next)) return false;
        next += f->eqn[k].nout;
    }
    if (next != f->nvalue + 1) return base_bug(NULL, "%s: %u values, %u defined", f->name, f->nvalue, next - 1);
    for (ir_id i = 1; i <= f->nvalue; i++)
        if (!f->type[i]) return base_bug(NULL, "%s: value %u has no type", f->name, i);
    for (uint32_t i = 0; i < f->nret; i++)
        if (!f->ret[i] || f->ret[i] > f->nvalue) return base_bug(NULL, "%s: result %u is no value of it", f->name, i);
    return true;
}

static bool types_hold(const ir_fn *f, const ir_eqn *e, const ir_type **x, const ir_type **y)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->nin; i++) x[i] = IR_IN(e, i);
    if (!ir_infer(e, x, y, &n)) return false;
    if (n != e->nout) return base_bug(e->site, "%s: %s has %u results, not %u", f->name, e->op->name, n, e->nout);
    for (uint32_t i = 0; i < n; i++)
        if (y[i] != IR_OUT(e, i))
            return base_bug(e->site, "%s: result %u of %s is %s, not %s", f->name, i, e->op->name,
                            ir_type_text_on(f->arena, f->mesh, y[i]), ir_type_text_on(f->arena, f->mesh, IR_OUT(e, i)));
    return true;
}

bool ir_verify(const ir_fn *f)
{
    uint32_t nin = 0, capacity = 0;
    if (!ir_well_formed(f)) return false;
    for (uint32_t k = 0; k < f->neqn; k++) {
        if (f->eqn[k].nin > nin) nin = f->eqn[k].nin;
        if (ir_infer_most(&f->eqn[k]) > capacity) capacity = ir_infer_most(&f->eqn[k]);
    }
    const ir_type **x = BASE_NEW(f->arena, const ir_type *, nin), **y = BASE_NEW(f->arena, const ir_type *, capacity);
    for (uint32_t k = 0; k < f->neqn; k++) {
        for (uint32_t s = 0; s < f->eqn[k].nsub; s++) if (!ir_verify(f->eqn[k].sub[s])) return false;
        if (!types_hold(f, &f->eqn[k], x, y)) return false;
    }
    return true;
}
