/* op/index/scatter_common.c - scatter_common.h: positions of update windows in arrays, checks of sizes, attributes
 * under a map. */
#include "scatter_common.h"

#include <string.h>

#define LL(x) ((long long)(x))
typedef op_scatter_attr scatter;

op_scatter_plan op_scatter_plan_of(const scatter *a, const ir_type *x, const ir_type *indices)
{
    op_scatter_plan p = { .rank = x->rank };
    for (int d = 0; d < x->rank; d++)
        if (!op_dims_has(a->inserted_window_dims, d) && !op_dims_has(a->input_batching_dims, d))
            p.window[p.nwindow++] = d;
    for (int d = 0; d < indices->rank; d++)
        if (d != a->index_vector_dim) p.batch_in[p.nbatch++] = d;
    for (int d = 0, n = 0; d < p.nbatch + a->update_window_dims.n && n < p.nbatch; d++)
        if (!op_dims_has(a->update_window_dims, d)) p.batch_up[n++] = d;
    return p;
}

int64_t op_scatter_window(const scatter *a, const op_scatter_plan *p, const ir_type *updates, int d)
{
    for (int i = 0; i < p->nwindow; i++)
        if (p->window[i] == d) return updates->dim[a->update_window_dims.v[i]];
    return 1;
}

static bool scatter_lists(const ir_eqn *e, const scatter *a, const ir_type *x, const ir_type *indices,
                          const ir_type *updates)
{
    const ir_class c = ir_dtype_of(indices->dtype)->cls;
    const int nbatch = indices->rank - (a->index_vector_dim < indices->rank);
    if (c != IR_INT_CLASS && c != IR_UINT_CLASS)
        return op_expected(e, TT_ETYPE, "the index array", OP_ONLY, indices, "integers", NULL);
    if (a->index_vector_dim < 0 || a->index_vector_dim > indices->rank)
        return base_fail(TT_ESHAPE, e->site, "%s: index_vector_dim %lld of indices of rank %d", e->op->name,
                         LL(a->index_vector_dim), indices->rank);
    if (updates->rank != nbatch + a->update_window_dims.n)
        return base_fail(TT_ESHAPE, e->site, "%s: updates of rank %d; expected %d scattered and %d window dims",
                         e->op->name, updates->rank, nbatch, a->update_window_dims.n);
    return op_check_sorted(e, "update_window_dims", a->update_window_dims, updates->rank) &&
           op_check_sorted(e, "inserted_window_dims", a->inserted_window_dims, x->rank) &&
           op_check_sorted(e, "input_batching_dims", a->input_batching_dims, x->rank) &&
           op_check_dims(e, "scatter_indices_batching_dims", a->scatter_indices_batching_dims, indices->rank) &&
           op_check_dims(e, "scatter_dims_to_operand_dims", a->scatter_dims_to_operand_dims, x->rank) &&
           op_check_count(e, "scatter_indices_batching_dims", a->scatter_indices_batching_dims,
                          a->input_batching_dims.n) &&
           op_check_count(e, "update_window_dims", a->update_window_dims,
                          x->rank - a->inserted_window_dims.n - a->input_batching_dims.n) &&
           op_check_count(e, "scatter_dims_to_operand_dims", a->scatter_dims_to_operand_dims,
                          a->index_vector_dim < indices->rank ? (int)indices->dim[a->index_vector_dim] : 1);
}

static bool scatter_sizes(const ir_eqn *e, const scatter *a, const ir_type *x, const ir_type *indices,
                          const ir_type *updates)
{
    const op_scatter_plan p = op_scatter_plan_of(a, x, indices);
    for (int i = 0; i < a->input_batching_dims.n; i++) {
        const int64_t d = a->input_batching_dims.v[i], q = a->scatter_indices_batching_dims.v[i];
        if (op_dims_has(a->inserted_window_dims, d) || op_dims_has(a->scatter_dims_to_operand_dims, d))
            return base_fail(TT_ESHAPE, e->site, "%s: dim %lld is both batching and indexed or inserted", e->op->name,
                             LL(d));
        if (q == a->index_vector_dim || x->dim[d] != indices->dim[q])
            return base_fail(TT_ESHAPE, e->site, "%s: batching dims %lld of x and %lld of indices do not match",
                             e->op->name, LL(d), LL(q));
    }
    for (int i = 0; i < p.nbatch; i++)
        if (updates->dim[p.batch_up[i]] != indices->dim[p.batch_in[i]])
            return base_fail(TT_ESHAPE, e->site, "%s: dim %d of updates has size %lld, its indices %lld", e->op->name,
                             p.batch_up[i], LL(updates->dim[p.batch_up[i]]), LL(indices->dim[p.batch_in[i]]));
    for (int i = 0; i < p.nwindow; i++)
        if (updates->dim[a->update_window_dims.v[i]] > x->dim[p.window[i]])
            return base_fail(TT_ESHAPE, e->site, "%s: windows of %lld in dim %d of size %lld", e->op->name,
                             LL(updates->dim[a->update_window_dims.v[i]]), p.window[i], LL(x->dim[p.window[i]]));
    return true;
}

bool op_scatter_check(const ir_eqn *e, const ir_type *x, const ir_type *indices, const ir_type *updates)
{
    const scatter *a = IR_ATTR(e, scatter);
    if (updates->dtype != x->dtype)
        return base_fail(TT_ETYPE, e->site, "%s: updates of type %s; expected %s, the type of the array", e->op->name,
                         ir_dtype_of(updates->dtype)->name, ir_dtype_of(x->dtype)->name);
    return scatter_lists(e, a, x, indices, updates) && scatter_sizes(e, a, x, indices, updates);
}

bool op_scatter_target(const ir_eqn *e, const op_scatter_plan *p, const ir_type *x, const ir_type *updates,
                       const ir_box *indices, const int64_t *i, int64_t *j)
{
    const scatter *a = IR_ATTR(e, scatter);
    int64_t s[IR_RANK] = { 0 };
    memset(j, 0, IR_RANK * sizeof *j);
    for (int k = 0; k < p->nbatch; k++) s[p->batch_in[k]] = i[p->batch_up[k]];
    for (int k = 0; k < a->scatter_dims_to_operand_dims.n; k++) {
        const int d = (int)a->scatter_dims_to_operand_dims.v[k];
        if (a->index_vector_dim < indices->rank) s[a->index_vector_dim] = k;
        j[d] = op_load_index(indices, s);
        if (j[d] < 0 || j[d] > x->dim[d] - op_scatter_window(a, p, updates, d)) return false;
    }
    for (int k = 0; k < a->input_batching_dims.n; k++)
        j[a->input_batching_dims.v[k]] = s[a->scatter_indices_batching_dims.v[k]];
    for (int k = 0; k < p->nwindow; k++) j[p->window[k]] += i[a->update_window_dims.v[k]];
    return true;
}

op_scatter_attr op_scatter_batched(ir_build *b, const scatter *a, bool also)
{
    return (scatter){
        .update_window_dims = op_dims_shifted(b, a->update_window_dims, 1, !also, 0),
        .inserted_window_dims = op_dims_shifted(b, a->inserted_window_dims, 1, 0, 0),
        .input_batching_dims = op_dims_shifted(b, a->input_batching_dims, 1, also, 0),
        .scatter_indices_batching_dims = op_dims_shifted(b, a->scatter_indices_batching_dims, also, also, 0),
        .scatter_dims_to_operand_dims = op_dims_shifted(b, a->scatter_dims_to_operand_dims, 1, 0, 0),
        .index_vector_dim = a->index_vector_dim + also,
        .indices_are_sorted = a->indices_are_sorted && !also,
        .unique_indices = a->unique_indices,
    };
}
