/* hlo/raise/onehot.c - a scatter of one element per row into zeros, as JAX prints gradients of take_along_axis and
 * x[arange, labels], becomes elementwise:
 *     y[b, j] = j == label[b] ? 0 + u[b] : 0
 * This form fuses with the rows of the softmax and supports any layout. Labels out of range equal no j, as the scatter
 * drops them. The rows are numbered by batching dims (jax 0.10), or by iotas stacked with the label (older
 * versions). */
#include "../inner.h"
#include "raise.h"
#include "../../op/ops.h"

enum { DEEP = 16 };

/* dim: the dim along the rows; label: the list of labels (0: the indices themselves). */
typedef struct { int dim; ir_id label; } row_of;

static bool zero(const ir_fn *f, ir_id id)               /* True if all elements are +0 */
{
    const ir_eqn *e = ir_definition(f, id);
    for (int i = 0; i < DEEP && e && (e->op == &prim_broadcast_in_dim || e->op == &prim_reshape); i++)
        e = ir_definition(f, e->in[0]);
    const op_const_attr *const a = e && e->op == &prim_const ? IR_ATTR(e, op_const_attr) : NULL;
    if (!a || (!a->splat && a->shape.n)) return false;
    for (size_t k = 0; k < ir_dtype_of(a->dtype)->bytes; k++) if (((const char *)a->data.p)[k]) return false;
    return true;
}

/* True if each element of a value is its own index along this dim, also through a select that counts negative indices
 * from the end. */
static bool is_own_index(const ir_fn *f, ir_id id, int dim)
{
    for (int i = 0; i < DEEP; i++) {
        const ir_eqn *const e = ir_definition(f, id);
        if (!e) return false;
        if (e->op == &prim_iota) return IR_ATTR(e, op_iota_attr)->iota_dimension == dim;
        if (!e->nin) return false;
        const ir_type *const x = IR_IN(e, 0), *const y = IR_OUT(e, 0);
        int at = -1;
        if (e->op == &prim_broadcast_in_dim) {
            for (int d = 0; d < x->rank; d++)
                if (IR_ATTR(e, op_broadcast_attr)->broadcast_dimensions.v[d] == dim && x->dim[d] == y->dim[dim]) at = d;
        } else if (e->op == &prim_reshape) {             /* which only adds dims of size 1 */
            int64_t before = 1, n = 1;
            for (int d = 0; d < dim; d++) before *= y->dim[d];
            for (int d = 0; d < x->rank && at < 0; n *= x->dim[d++])
                if (n == before && x->dim[d] == y->dim[dim]) at = d;
        } else if (e->op == &prim_convert) at = dim;
        else if (e->op == &prim_select) {
            const ir_eqn *const less = ir_definition(f, e->in[0]);
            if (!less || less->op != &prim_compare ||
                IR_ATTR(less, op_compare_attr)->comparison_direction != OP_CMP_LT ||
                less->in[0] != e->in[2] || !zero(f, less->in[1]))
                return false;
            id = e->in[2];
            continue;
        }
        if (at < 0) return false;
        id = e->in[0], dim = at;
    }
    return false;
}

static bool rising(ir_dims v)
{
    for (int k = 1; k < v.n; k++) if (v.v[k] <= v.v[k - 1]) return false;
    return true;
}

/* True if all index dims except `of` and the last one have size 1. */
static bool others_are_one(const ir_type *index, ir_dims of)
{
    for (int d = 0; d < index->rank - 1; d++) if (!op_dims_has(of, d) && index->dim[d] != 1) return false;
    return true;
}

static bool by_batch(const ir_eqn *e, const op_scatter_attr *a, row_of *r)
{
    const int rank = IR_IN(e, 0)->rank;
    if (a->input_batching_dims.n != rank - 1 || a->scatter_dims_to_operand_dims.n != 1) return false;
    r->dim = (int)a->scatter_dims_to_operand_dims.v[0], r->label = 0;
    return rising(a->input_batching_dims) && rising(a->scatter_indices_batching_dims) &&
           others_are_one(IR_IN(e, 1), a->scatter_indices_batching_dims);
}

static bool by_iotas(const ir_eqn *e, const op_scatter_attr *a, row_of *r)
{
    const ir_eqn *const all = ir_definition(e->fn, e->in[1]);
    const ir_type *const x = IR_IN(e, 0), *const index = IR_IN(e, 1);
    int64_t at[IR_RANK];
    int n = 0;
    if (a->input_batching_dims.n || a->scatter_dims_to_operand_dims.n != x->rank || !all ||
        all->op != &prim_concatenate || IR_ATTR(all, op_concatenate_attr)->dimension != index->rank - 1 ||
        (int)all->nin != x->rank || !rising(a->scatter_dims_to_operand_dims))
        return false;
    r->label = 0;
    /* each operand dim but one matches a dim of the indices, in order */
    for (int d = 0, from = 0; d < x->rank; d++) {
        int k = from;
        while (k < index->rank - 1 && !(index->dim[k] == x->dim[d] && is_own_index(e->fn, all->in[d], k))) k++;
        if (IR_IN(all, d)->dim[index->rank - 1] != 1 || (k == index->rank - 1 && r->label)) return false;
        if (k == index->rank - 1) r->label = all->in[d], r->dim = d;
        else at[n++] = k, from = k + 1;
    }
    return r->label && others_are_one(index, (ir_dims){ n, at });
}

static bool one_each(const ir_eqn *e, row_of *r)
{
    if (e->op != &prim_scatter || e->nin != 3 || op_monoid(e->sub[0]) != MESH_SUM) return false;
    const op_scatter_attr *const a = IR_ATTR(e, op_scatter_attr);
    const tt_dtype d = IR_IN(e, 1)->dtype;
    const ir_dtype *const of = ir_dtype_of(IR_IN(e, 0)->dtype);
    if (a->update_window_dims.n || a->index_vector_dim != IR_IN(e, 1)->rank - 1 || IR_IN(e, 0)->rank < 2 ||
        !zero(e->fn, e->in[0]))
        return false;
    /* narrower types cannot hold all indices */
    if (d != TT_I32 && d != TT_I64 && d != TT_U32 && d != TT_U64) return false;
    if (of->cls == IR_BOOL_CLASS || of->cls == IR_COMPLEX_CLASS || of->bytes == 1) return false;
    return by_batch(e, a, r) || by_iotas(e, a, r);
}

static bool onehot_applies(hlo_pass *p, const ir_fn *f)
{
    row_of r;
    (void)p;
    for (uint32_t k = 0; k < f->neqn; k++) if (one_each(&f->eqn[k], &r)) return true;
    return false;
}

static bool onehot_raised(hlo_pass *p, ir_build *b, const ir_eqn *e, const ir_id *in, ir_fn *const *sub, ir_id *out,
                          bool *failed)
{
    row_of r;
    (void)sub;
    if (!one_each(e, &r)) return false;
    const ir_type *const t = IR_OUT(e, 0);
    const ir_id label = r.label ? p->map[r.label] : in[1];
    const tt_dtype d = ir_typeof(b, label)->dtype;
    int64_t dim[IR_RANK], at[IR_RANK];
    int n = 0;
    for (int k = 0; k < t->rank; k++) if (k != r.dim) dim[n] = t->dim[k], at[n++] = k;
    const ir_type *const small = ir_type_of(t->dtype, n, dim), *const counts = ir_type_of(d, t->rank, t->dim);
    const ir_id l = op_broadcast(b, op_reshape(b, label, n, dim), counts, n, at);
    const ir_id hit = op_equal(b, op_iota(b, counts, r.dim), l);
    /* turns -0 into 0, as the scatter does */
    const ir_id u = op_add(b, op_zeros(b, small), op_reshape(b, in[2], n, dim));
    out[0] = op_select(b, hit, op_broadcast(b, u, t, n, at), op_zeros(b, t));
    *failed = !out[0];
    p->found++;
    return true;
}

ir_fn *hlo_one_hot(base_arena *a, const ir_fn *f, int *found)
{
    hlo_pass p = { .arena = a, .applies = onehot_applies, .equation = onehot_raised };
    ir_fn *const g = hlo_rewritten(&p, f);
    if (found) *found = p.found;
    return g;
}
