/* spmd/partition/finish.c - how partial sums go through equations.
 *
 * A cut contraction leaves parts of sums, one per place along the atoms that cut it. They may stay so while equations
 * are linear in them: jointly (a + b: both operands must be parts over the same atoms, or zeros) or in one operand at a
 * time (a * b: one may be parts, the other whole along these atoms). What else reads them gets the finished sum. Of
 * several ways the cheapest is chosen with the cut, where an equation's results that stay open count as if finished
 * next. */
#include "../inner.h"

bool spmd_linear_in(const ir_eqn *e, uint32_t i)
{
    if (i >= 64 || e->op->kernel == OP_EXCHANGE || e->op->edges) return false;
    const op_linear l = e->op->linear(e);
    return l.kind != OP_NONLINEAR && l.in >> i & 1;
}

/* A reduction adds its initial value to every part: so it must be zero. */
static bool begins_with_more(const spmd_problem *p)
{
    return p->e->op->kernel == OP_REDUCE && p->e->nsub && !(p->use[p->e->nin - 1] & SPMD_ZERO);
}

static bool joint(const spmd_problem *p, uint64_t in, mesh_set *through, uint64_t *keeps)
{
    if (begins_with_more(p)) return false;
    for (uint32_t i = 0; i < p->e->nin && i < 64; i++) {
        if (!(in >> i & 1)) continue;
        const mesh_layout *l = p->x[i];
        if (p->use[i] & SPMD_ZERO) continue;
        if (!l->partial || l->reduce != MESH_SUM || (*through && *through != l->partial)) return false;
        *through = l->partial;
        *keeps |= (uint64_t)1 << i;
    }
    return *keeps;
}

bool spmd_unreduced_through(const spmd_problem *p, int n, mesh_set *through, uint64_t *keeps)
{
    *through = 0;
    *keeps = 0;
    bool any = false;
    for (uint32_t i = 0; i < p->e->nin; i++) any |= p->x[i]->partial && p->x[i]->reduce == MESH_SUM;
    const op_linear none = { OP_NONLINEAR, 0 };
    const op_linear l = any && p->e->op->kernel != OP_EXCHANGE ? p->e->op->linear(p->e) : none;
    if (l.kind == OP_JOINT && joint(p, l.in, through, keeps) && n-- == 0) return true;
    *through = 0;
    *keeps = 0;
    for (uint32_t i = 0; l.kind == OP_EACH && i < p->e->nin && i < 64; i++) {
        if (!(l.in >> i & 1) || !p->x[i]->partial || p->x[i]->reduce != MESH_SUM || n-- > 0) continue;
        *through = p->x[i]->partial;
        *keeps = (uint64_t)1 << i;
        return true;
    }
    return n == 0;
}
