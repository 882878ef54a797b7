/* spmd/partition/enumerate.c - candidates for the choice: the lists of atoms that may shard each factor.
 *
 * Candidates come from the operands' layouts and the results' targets. The list of a dim is split over the dim's
 * factors, major first; each piece gives one candidate, and so does every prefix of the piece that ends with an axis.
 * So the number of candidates does not grow with the number of devices. Not sharded are
 * - need-replication factors and factors with blocked propagation;
 * - reduction factors whose partial results cannot be combined;
 * - a factor that occurs in two dims of one tensor. */
#include "../inner.h"

int spmd_rank(const ir_eqn *e, int t) { return spmd_type(e, t)->rank; }

const ir_type *spmd_type(const ir_eqn *e, int t)
{
    return t < (int)e->nin ? IR_IN(e, t) : IR_OUT(e, t - (int)e->nin);
}

static void uncuttable(const ir_eqn *e, const op_rule *r, mesh_reduce leaves, bool *no)
{
    for (int k = 0; k < r->nfactor; k++)
        no[k] = r->factor[k].kind == OP_NEED_REPLICATION || r->factor[k].blocked
                || (r->factor[k].kind == OP_REDUCTION && leaves == MESH_NONE);
    for (int t = 0; t < r->ntensor; t++) {
        bool seen[OP_FACTORS] = { 0 };
        for (int d = 0; d < spmd_rank(e, t); d++) {
            const struct op_rule_dim *dim = &r->dim[t * IR_RANK + d];
            for (int i = 0; i < dim->n; i++) {
                no[dim->at[i].factor] |= seen[dim->at[i].factor];
                seen[dim->at[i].factor] = true;
            }
        }
    }
}

static void enumerate_add(spmd_lists *c, mesh_list l)
{
    for (int i = 0; i < c->n; i++) if (c->list[i] == l) return;
    if (c->n < SPMD_LISTS) c->list[c->n++] = l;
}

static void add_prefixes(const spmd_state *s, spmd_lists *c, mesh_list l)
{
    enumerate_add(c, l);
    for (int n = mesh_list_n(l) - 1; n > 0; n--) if (s->first >> mesh_list_at(l, n) & 1) enumerate_add(c,
        spmd_prefix(l, n));
}

/* Splits the atoms of a dim over its factors: a minor factor gets atoms only if all factors before it are sharded to
 * single elements. */
static void seen_dim(const spmd_state *s, const op_rule *r, const struct op_rule_dim *dim, const bool *no, mesh_list l,
                     spmd_lists *c)
{
    int at = 0;
    for (int i = 0; i < dim->n && at < mesh_list_n(l); i++) {
        const int f = dim->at[i].factor;
        int64_t parts = 1;
        mesh_list mine = 0;
        for (; at < mesh_list_n(l); at++) {
            const int a = mesh_list_at(l, at);
            if (i + 1 < dim->n && r->factor[f].size % (parts * s->mesh->atom[a])) break;
            parts *= s->mesh->atom[a];
            mine = mesh_list_push(mine, a);
        }
        if (no[f]) return;
        if (mine) add_prefixes(s, &c[f], mine);
        if (parts != r->factor[f].size) return;
    }
}

void spmd_seen(const spmd_state *s, const spmd_problem *p, mesh_reduce leaves, spmd_lists *c)
{
    const ir_eqn *e = p->e;
    bool no[OP_FACTORS];
    uncuttable(e, p->rule, leaves, no);
    for (int k = 0; k < p->rule->nfactor; k++) c[k] = (spmd_lists){ .n = 1 };
    for (int t = 0; t < p->rule->ntensor; t++) {
        const mesh_layout *l = t < (int)e->nin ? p->x[t] : p->target[t - (int)e->nin];
        if (!l || (t < (int)e->nin && p->use[t] & SPMD_MADE)) continue;
        for (int d = 0; d < l->rank; d++)
            if (l->dim[d].atoms) seen_dim(s, p->rule, &p->rule->dim[t * IR_RANK + d], no, l->dim[d].atoms, c);
    }
}

/* True if every dim of several factors is sharded into contiguous blocks. */
bool spmd_fits(const mesh *m, const spmd_problem *p, const mesh_list *atoms)
{
    const op_rule *r = p->rule;
    for (int t = 0; t < r->ntensor; t++)
        for (int d = 0; d < spmd_rank(p->e, t); d++) {
            const struct op_rule_dim *dim = &r->dim[t * IR_RANK + d];
            bool single = true;                          /* all factors before are sharded to single elements */
            for (int i = 0; dim->n > 1 && i < dim->n; i++) {
                const int f = dim->at[i].factor;
                const int64_t parts = atoms[f] ? mesh_list_size(m, atoms[f]) : 1;
                if (atoms[f] && (!single || (i + 1 < dim->n && r->factor[f].size % parts))) return false;
                single = single && parts == r->factor[f].size;
            }
        }
    return true;
}
