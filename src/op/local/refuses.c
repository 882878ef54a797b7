/* op/local/refuses.c - which factor shardings of an equation have a local form: where devices compute apart, the
 * partitioner chooses among these. */
#include "local.h"

/* True if parts of factor k may differ in size: each element is computed from elements at the same position, or the
 * rule masks what stands behind a part that it sums. */
static bool may_differ(const op_local_choice *c, int k)
{
    const op_local_form *const form = c->e->op->local;
    const op_rule *const r = c->rule;
    const op_factor_kind kind = r->factor[k].kind;
    if (form && form->alike) return false;
    if (kind != OP_PASS_THROUGH && (kind != OP_REDUCTION || !form || !form->sums)) return false;
    for (int i = 0; i < r->ntensor * IR_RANK; i++)
        for (int j = 0; j < r->dim[i].n; j++)
            if (r->dim[i].at[j].factor == k && (r->dim[i].n > 1 || r->dim[i].at[j].windowed)) return false;
    return true;
}

const char *op_local_refuses(const op_local_choice *c)
{
    const op_local_form *const form = c->e->op->local;
    bool any = false;
    for (int k = 0; k < c->rule->nfactor; k++) {
        any |= mesh_list_size(c->from, c->atoms[k]) > 1;
        if (op_local_uneven(c->from, c->atoms[k], c->rule->factor[k].size) && !may_differ(c, k))
            return "a dim that it combines along, or at indices, is in parts of different sizes";
    }
    for (int t = 0; any && t < (int)c->e->nin; t++)
        for (int d = 0; d < IR_IN(c->e, t)->rank; d++) {
            op_local_span s;
            if (!op_local_windowed(c, t, d) || (form && form->windows == OP_LOCAL_OWN)) continue;
            if (!form || form->windows == OP_LOCAL_NONE) return "a dim that its windows run along is in parts";
            if (form->dilated && IR_IN(c->e, t)->dim[d] && op_local_dilates(c, t, d)) continue;
            const char *const why = op_local_span_of(c, t, d, &s);
            if (why) return why;
        }
    return any && form && form->refuses ? form->refuses(c) : NULL;
}

mesh_list op_local_list(const op_local_choice *c, int t, int d)
{
    const struct op_rule_dim *const dim = &c->rule->dim[t * IR_RANK + d];
    mesh_list l = 0;
    for (int i = 0; i < dim->n; i++) l = mesh_list_join(l, c->atoms[dim->at[i].factor]);
    return l;
}
