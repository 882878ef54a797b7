/* plan/fuse/rows.c - predicates for groups of equations over rows: which reductions reduce full rows, or reduce over
 * the rows, and which values have one element per row, in the instance that has the row. fuse.c joins the equations;
 * gen/rows/rows.c defines the kernels' limits. */
#include "../inner.h"
#include "../../op/ops.h"

enum { LEAST_ROWS = 8, LEAST_LONG = 2 };   /* number of rows (fewer would leave workers idle); elements of a row */
enum { MOST_LONG = 1 << 14 };   /* elements of a row whose sums stay in the second-level cache */
int64_t plan_columns_least = 256;   /* rows of an instance: as many as make 32 lanes of sums worth their setup */

mesh_list plan_atoms(const plan_value *x, int d)
{
    const mesh_layout *l = x->layout;
    mesh_list r = 0;
    for (int i = 0; l && i < mesh_list_n(l->dim[d].atoms); i++) {
        const int atom = mesh_list_at(l->dim[d].atoms, i);
        if (l->mesh->atom[atom] > 1) r = mesh_list_push(r, atom);
    }
    return r;
}

bool plan_is_complete(const plan_value *x)
{
    return !x->halo && (!x->layout || !plan_differ(x->layout->mesh, x->layout->partial));
}

bool plan_reduces_rows(const plan_flat *f, const plan_item *t, int *kept)
{
    if (t->kind != PLAN_EQN || t->eqn->op != &prim_reduce || t->nin != 2 || t->ref)
        return false;
    const ir_eqn *e = t->eqn;
    if (op_monoid(e->sub[0]) == MESH_NONE) return false;
    if (gen_reduce.refuses(&(gen_group){ 1, &e, e->nin, 1, e->in, &e->out, false })) return false;
    const plan_value *x = &f->value[t->in[0]];
    const op_reduce_attr *a = IR_ATTR(t->eqn, op_reduce_attr);
    int64_t rows = 1, length = 1;
    *kept = x->rank - a->dimensions.n;
    if (*kept < 1 || !plan_is_complete(x) || !plan_is_complete(&f->value[t->out[0]])) return false;
    for (int d = 0; d < x->rank; d++) {
        if (op_dims_has(a->dimensions, d) != (d >= *kept) || (d >= *kept && plan_atoms(x, d))) return false;
        if (d < *kept) rows *= x->dim[d];
        else length *= x->dim[d];
    }
    return rows >= LEAST_ROWS && length >= LEAST_LONG && plan_row_value(f, t->in[0], *kept, t->out[0]);
}

bool plan_row_value(const plan_flat *f, plan_id full, int kept, plan_id v)
{
    const plan_value *x = &f->value[full], *y = &f->value[v];
    if ((y->rank != kept && y->rank != x->rank) || y->vary != x->vary || !plan_is_complete(y)) return false;
    for (int d = 0; d < y->rank; d++)
        if (y->dim[d] != (d < kept ? x->dim[d] : 1) || plan_atoms(y, d) != (d < kept ? plan_atoms(x, d) : 0))
            return false;
    return true;
}

bool plan_made_inside(const plan_flat *f, const plan_group *g, plan_id v)
{
    const plan_value *x = &f->value[v];
    if (!x->def || x->def->kind != PLAN_EQN) return false;
    uint32_t i = 0;
    while (i < g->n && g->item[i] != x->def) i++;
    if (i == g->n || x->base == v) return i < g->n;
    return g->full && plan_row_value(f, g->full, g->kept, v) && plan_row_value(f, g->full, g->kept, x->base);
}

/* True if t reduces over the rows of `full` and one row of sums stays in the cache. Instances may compute partial sums,
 * for example where a batch is sharded. False in reproducible mode, where sums are trees. */
bool plan_reduces_columns(const plan_flat *f, plan_id full, int kept, const plan_item *t)
{
    if (f->reproducible || t->kind != PLAN_EQN || t->eqn->op != &prim_reduce || t->nin != 2 || t->ref) return false;
    const ir_eqn *e = t->eqn;
    const plan_value *rows = &f->value[full], *x = &f->value[t->in[0]], *y = &f->value[t->out[0]];
    const op_reduce_attr *a = IR_ATTR(e, op_reduce_attr);
    if (op_monoid(e->sub[0]) == MESH_NONE || y->vary != x->vary || y->halo || !plan_is_complete(x)) return false;
    if (!plan_same_boxes(rows, x) || gen_reduce.refuses(&(gen_group){ 1, &e, e->nin, 1, e->in, &e->out, false }))
        return false;
    int64_t length = 1;
    for (int d = 0; d < x->rank; d++) {
        if (op_dims_has(a->dimensions, d) != (d < kept)) return false;
        if (d >= kept) length *= x->dim[d];
    }
    const int64_t row = length * (int64_t)ir_dtype_of(x->dtype)->bytes;
    return length <= MOST_LONG && row > 0 && x->bytes / row >= plan_columns_least;
}
