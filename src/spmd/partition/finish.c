/* spmd/partition/finish.c - how partial sums pass through equations.
 *
 * A contraction with a sharded reduction factor leaves partial sums, one per position along the atoms. A sum may stay
 * unreduced while the equations that read it are linear in it:
 * - jointly (a + b): all operands must be partial over the same atoms, or zeros;
 * - in one operand at a time (a * b): one operand may be partial, the other is replicated over these atoms.
 * Other readers get the reduced sum. If a partial sum can pass in several ways, the cheapest is chosen together with
 * the factor sharding; a result that stays unreduced is charged as if it were reduced right after the equation. */
#include "../inner.h"

bool spmd_linear_in(const ir_eqn *e, uint32_t i)
{
    if (i >= 64 || e->op->kernel == OP_EXCHANGE || e->op->edges) return false;
    const op_linear l = e->op->linear(e);
    return l.kind != OP_NONLINEAR && l.in >> i & 1;
}

/* True if the equation is a reduction whose initial value is not known to be zero. The initial value is added to every
 * partial sum, so partial operands cannot pass through such a reduction. */
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
