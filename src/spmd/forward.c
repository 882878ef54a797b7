/* spmd/forward.c - which factors an equation's operands cut.
 *
 * The dims of every operand suggest atoms for their factors, the largest operand first; a later suggestion may only
 * lengthen an earlier one, and an atom serves one factor. What the rule says is whole, shifted or fenced stays uncut,
 * and so does a sum that leaves nothing that can be combined. A dim of several factors is cut major factor first: a
 * minor one only when the major ones are cut to single elements, so that blocks of the dim are blocks of the factors. */
#include "inner.h"

static bool is_prefix(mesh_list a, mesh_list b)
{
    if (mesh_list_n(a) > mesh_list_n(b)) return false;
    for (int i = 0; i < mesh_list_n(a); i++) if (mesh_list_at(a, i) != mesh_list_at(b, i)) return false;
    return true;
}

static mesh_list shortened(mesh_list l, int n)
{
    mesh_list r = 0;
    for (int i = 0; i < n; i++) r = mesh_list_push(r, mesh_list_at(l, i));
    return r;
}

static int tensor_rank(const ir_eqn *e, int t)
{
    return t < (int)e->nin ? IR_IN(e, t)->rank : IR_OUT(e, t - (int)e->nin)->rank;
}

static void uncuttable(const ir_eqn *e, const op_rule *r, const spmd_choice *c, bool *no)
{
    for (int k = 0; k < r->nfactor; k++)
        no[k] = r->factor[k].kind == OP_WHOLE || r->factor[k].kind == OP_SHIFT || r->factor[k].fence
                || (r->factor[k].kind == OP_SUM && c->leaves == MESH_NONE);
    for (int t = 0; t < r->ntensor; t++) {
        bool seen[OP_FACTORS] = { 0 };
        for (int d = 0; d < tensor_rank(e, t); d++) {
            const struct op_rule_dim *dim = &r->dim[t * IR_RANK + d];
            for (int i = 0; i < dim->n; i++) {
                no[dim->at[i].factor] |= dim->at[i].shift || seen[dim->at[i].factor];
                seen[dim->at[i].factor] = true;
            }
        }
    }
}

static void suggest(spmd_choice *c, int factor, mesh_list list)
{
    mesh_set others = 0;
    int n = 0;
    for (int k = 0; k < c->nfactor; k++) if (k != factor) others |= mesh_list_set(c->atoms[k]);
    while (n < mesh_list_n(list) && !(others >> mesh_list_at(list, n) & 1)) n++;
    list = shortened(list, n);
    if (is_prefix(c->atoms[factor], list)) c->atoms[factor] = list;
}

/* Spreads a dim's atoms over its factors. */
static void suggest_dim(const mesh *m, const op_rule *r, const struct op_rule_dim *dim, const bool *no, mesh_list l,
                        spmd_choice *c)
{
    int at = 0;
    for (int i = 0; i < dim->n && at < mesh_list_n(l); i++) {
        const int f = dim->at[i].factor;
        int64_t parts = 1;
        mesh_list mine = 0;
        for (; at < mesh_list_n(l); at++) {
            const int a = mesh_list_at(l, at);
            if (dim->n > 1 && r->factor[f].size % (parts * m->atom[a])) break;
            parts *= m->atom[a];
            mine = mesh_list_push(mine, a);
        }
        if (no[f]) return;
        suggest(c, f, mine);
        if (parts != r->factor[f].size) return;
    }
}

/* Shortens lists until every dim of every tensor can be cut so. */
static void settle(const mesh *m, const ir_eqn *e, const op_rule *r, spmd_choice *c)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int t = 0; t < r->ntensor; t++)
            for (int d = 0; d < tensor_rank(e, t); d++) {
                const struct op_rule_dim *dim = &r->dim[t * IR_RANK + d];
                bool open = true;                        /* all factors before are cut to single elements */
                for (int i = 0; dim->n > 1 && i < dim->n; i++) {
                    const int f = dim->at[i].factor;
                    mesh_list l = open ? c->atoms[f] : 0;
                    while (mesh_list_n(l) && r->factor[f].size % mesh_list_size(m, l))
                        l = shortened(l, mesh_list_n(l) - 1);
                    changed |= l != c->atoms[f];
                    c->atoms[f] = l;
                    open = open && mesh_list_size(m, l) == r->factor[f].size;
                }
            }
    }
}

/* What a cut sum leaves. Parts of a sum in floating point are added in another order than the whole. */
static mesh_how leaves(const spmd_all *s, const ir_eqn *e)
{
    const mesh_how how = e->op->leaves ? e->op->leaves(e) : MESH_NONE;
    bool rounds = how == MESH_SUM || how == MESH_PROD, inexact = false;
    for (uint32_t j = 0; j < e->nout; j++) inexact |= ir_dtype_of(IR_OUT(e, j)->dtype)->cls >= IR_FLOAT_CLASS;
    return s->reproducible && rounds && inexact ? MESH_NONE : how;
}

void spmd_forward(const spmd_all *s, const ir_eqn *e, const op_rule *r, const mesh_layout *const *x, spmd_choice *c)
{
    const mesh *m = s->mesh;
    bool no[OP_FACTORS], done[e->nin + 1];
    *c = (spmd_choice){ .nfactor = r->nfactor, .leaves = leaves(s, e) };
    uncuttable(e, r, c, no);
    for (uint32_t i = 0; i < e->nin; i++) done[i] = false;
    for (uint32_t n = 0; n < e->nin; n++) {
        int best = -1;
        for (int i = 0; i < (int)e->nin; i++)
            if (!done[i] && (best < 0 || ir_count(IR_IN(e, i)) > ir_count(IR_IN(e, best)))) best = i;
        done[best] = true;
        for (int d = 0; d < IR_IN(e, best)->rank; d++)
            suggest_dim(m, r, &r->dim[best * IR_RANK + d], no, x[best]->dim[d].atoms, c);
    }
    settle(m, e, r, c);
}

/* How the choice lays out a tensor of the equation (operands, then results). */
const mesh_layout *spmd_tensor(const mesh *m, const ir_eqn *e, const op_rule *r, const spmd_choice *c, int t)
{
    const int rank = tensor_rank(e, t);
    mesh_dim dims[IR_RANK + 1] = { 0 };
    mesh_layout l = { .mesh = m, .rank = rank, .dim = dims };
    for (int d = 0; d < rank; d++) {
        const struct op_rule_dim *dim = &r->dim[t * IR_RANK + d];
        for (int i = 0; i < dim->n; i++)
            for (int k = 0; k < mesh_list_n(c->atoms[dim->at[i].factor]); k++)
                dims[d].atoms = mesh_list_push(dims[d].atoms, mesh_list_at(c->atoms[dim->at[i].factor], k));
    }
    for (int k = 0; k < r->nfactor && t >= (int)e->nin; k++)
        if (r->factor[k].kind == OP_SUM && mesh_list_size(m, c->atoms[k]) > 1) l.partial |= mesh_list_set(c->atoms[k]);
    if (l.partial) l.how = c->leaves;
    return mesh_intern(&l);
}

/* Can a kernel read an operand that lies as `has` where the choice wants `want`? It may hold more than is asked, except
 * along a sum, whose range the kernel takes from its operands. */
bool spmd_serves(const op_rule *r, const spmd_choice *c, int t, const mesh_layout *has, const mesh_layout *want)
{
    (void)c;
    if (has->partial) return false;
    for (int d = 0; d < want->rank; d++) {
        bool sum = false;
        for (int i = 0; i < r->dim[t * IR_RANK + d].n; i++)
            sum |= r->factor[r->dim[t * IR_RANK + d].at[i].factor].kind == OP_SUM;
        if (sum ? has->dim[d].atoms != want->dim[d].atoms : !is_prefix(has->dim[d].atoms, want->dim[d].atoms))
            return false;
    }
    return true;
}
