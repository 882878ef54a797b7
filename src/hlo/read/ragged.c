/* hlo/read/ragged.c - chlo.ragged_dot: a product whose left operand has a ragged dim, which consists of consecutive
 * groups of given sizes. It becomes a contraction of masked copies, so that its derivatives, batching and layouts are
 * those of dot_general. The ragged dim is a
 *
 *     free dim        [m, k] [g, k, n] -> [m, n]      row i is multiplied with the matrix of its group
 *     contracted dim  [m, k] [k, n] -> [g, m, n]      each group's part of the sum
 *     batch dim       [b, m, k] [b, k, n] -> [b, m, n]  the sizes have no effect
 *
 * Batching dims may precede. Rows after the last group are zero. */
#include "../inner.h"
#include "../../op/ops.h"

typedef ir_id value;
typedef struct {
    ir_dims lb, rb, lc, rc, ragged, group;
} numbers;

static bool has(ir_dims d, int64_t v)
{
    for (int i = 0; i < d.n; i++)
        if (d.v[i] == v) return true;
    return false;
}

/* Dims in the presence of a new dim 0: each increases by one, preceded by `first` if given. */
static ir_dims ragged_raised(hlo_reader *r, ir_dims d, const int64_t *first)
{
    int64_t *const v = BASE_NEW(r->arena, int64_t, d.n + 1);
    int n = 0;
    if (first) v[n++] = *first;
    for (int i = 0; i < d.n; i++) v[n++] = d.v[i] + 1;
    return (ir_dims){ n, v };
}

static ir_dims ragged_before(hlo_reader *r, int64_t first, ir_dims d)
{
    int64_t *const v = BASE_NEW(r->arena, int64_t, d.n + 1);
    v[0] = first;
    for (int i = 0; i < d.n; i++) v[i + 1] = d.v[i];
    return (ir_dims){ d.n + 1, v };
}

/* x [..] -> [g, ..]: copy j keeps group j's range of the ragged dim, all else is zero. */
static value masked(hlo_reader *r, value x, value sizes, int64_t ragged)
{
    const ir_type *const t = ir_typeof(r->b, x), *const st = ir_typeof(r->b, sizes);
    int64_t dim[IR_RANK], at[IR_RANK];
    const int64_t zero = 0;
    if (t->rank == IR_RANK)
        return base_fail(TT_ESHAPE, NULL, "a ragged product of a value of %d dims, the limit, needs one dim more",
                         IR_RANK), 0;
    dim[0] = st->dim[0];
    for (int d = 0; d < t->rank; d++) dim[d + 1] = t->dim[d], at[d] = d + 1;
    const ir_type *const all = ir_type_of(t->dtype, t->rank + 1, dim), *const place =
                                                                           ir_type_of(st->dtype, t->rank + 1, dim);
    const value ends = ir_emit(r->b, &prim_cumsum, &(op_cum_attr){ 0, false }, 1, &sizes, 0, NULL);
    const value begins = ends ? op_sub(r->b, ends, sizes) : 0, i = op_iota(r->b, place, (int)ragged + 1);
    const value first = op_broadcast(r->b, begins, place, 1, &zero), end = op_broadcast(r->b, ends, place, 1, &zero);
    const value on = op_and(r->b, op_compare(r->b, OP_CMP_LE, first, i), op_less(r->b, i, end));
    return op_select(r->b, on, op_broadcast(r->b, x, all, t->rank, at), op_zeros(r->b, all));
}

static bool known(hlo_reader *r, const hlo_op *o, const ir_id *x, const numbers *a)
{
    const ir_type *const l = ir_typeof(r->b, x[0]), *const s = ir_typeof(r->b, x[2]);
    const ir_class c = ir_dtype_of(s->dtype)->cls;
    if (a->ragged.n != 1 || a->ragged.v[0] < 0 || a->ragged.v[0] >= l->rank || a->group.n > 1)
        return hlo_refuse(r, o, TT_EARG, "%d ragged dims and %d of groups; expected one, and at most one", a->ragged.n,
                          a->group.n);
    if ((c != IR_INT_CLASS && c != IR_UINT_CLASS) || s->rank != 1)
        return hlo_refuse(r, o, TT_ESHAPE,
                          "sizes of groups of rank %d; expected integers of rank 1, the same for all batches", s->rank);
    return true;
}

bool hlo_ragged_dot(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const hlo_attrs *const of = hlo_record(o, "ragged_dot_dimension_numbers");
    if (o->in.n != 3 || !hlo_result(o, 0))
        return hlo_refuse(r, o, TT_EARG, "expected three operands, not %d, and the result's type", o->in.n);
    const numbers a = {
        hlo_dims(r, o, of, "lhs_batching_dimensions", 0, 0),    hlo_dims(r, o, of, "rhs_batching_dimensions", 0, 0),
        hlo_dims(r, o, of, "lhs_contracting_dimensions", 0, 0), hlo_dims(r, o, of, "rhs_contracting_dimensions", 0, 0),
        hlo_dims(r, o, of, "lhs_ragged_dimensions", 0, 0),      hlo_dims(r, o, of, "rhs_group_dimensions", 0, 0)
    };
    if (r->bad || !known(r, o, x, &a)) return false;
    op_dot_attr dot = { a.lb, a.rb, a.lc, a.rc, hlo_result(o, 0)->dtype, hlo_precision(o) };
    const int64_t zero = 0, ragged = a.ragged.v[0];
    if (has(a.lb, ragged)) return (y[0] = op_dot(r->b, x[0], x[1], &dot)) != 0;
    const value groups = masked(r, x[0], x[2], ragged);
    if (!groups) return false;
    dot.lhs_batching_dimensions = ragged_raised(r, a.lb, NULL);
    dot.lhs_contracting_dimensions = ragged_raised(r, a.lc, NULL);
    if (has(a.lc, ragged)) { /* the new dim is the first free one, after the batch */
        y[0] = op_move(r->b, op_dot(r->b, groups, x[1], &dot), a.lb.n, 0);
        return y[0] != 0;
    }
    if (a.group.n != 1)
        return hlo_refuse(r, o, TT_EARG, "%d dims of groups of the right side; expected one", a.group.n);
    dot.lhs_contracting_dimensions = ragged_raised(r, a.lc, &zero);
    dot.rhs_contracting_dimensions = ragged_before(r, a.group.v[0], a.rc);
    return (y[0] = op_dot(r->b, groups, x[1], &dot)) != 0;
}
