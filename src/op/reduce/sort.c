/* op/reduce/sort.c - sorts every line along one dim by its first num_keys operands; the other operands are permuted in
 * the same way.
 *
 * Keys compare in the total order of values: -0 equals +0, NaN is greater than all numbers and equal to NaN, false <
 * true. Further keys decide between equal ones. descending is the exact reverse (NaN first). Equal keys keep their
 * order if is_stable; this implementation always keeps it. There is no region: importers translate comparators to keys,
 * or else to sort_by. The derivative permutes tangents as the values: the sort permutes an iota too, by which tangents
 * are gathered. */
#include "../build.h"
#include "../ops.h"

#include <math.h>
#include <string.h>

static bool sort_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const op_sort_attr *a = IR_ATTR(e, op_sort_attr);
    if (!e->nin) return base_fail(TT_EARG, e->site, "sort: no operands; expected 1 or more");
    if (a->dimension < 0 || a->dimension >= x[0]->rank)
        return base_fail(TT_ESHAPE, e->site, "sort: no dim %lld in an operand of rank %d", (long long)a->dimension,
                         x[0]->rank);
    if (a->num_keys < 1 || a->num_keys > e->nin)
        return base_fail(TT_EARG, e->site, "sort: %lld keys of %u operands; expected 1 or more, at most all",
                         (long long)a->num_keys, e->nin);
    for (uint32_t i = 0; i < e->nin; i++) {
        if (x[i]->rank != x[0]->rank || memcmp(x[i]->dim, x[0]->dim, (size_t)x[0]->rank * sizeof(int64_t)))
            return op_expected(e, TT_ESHAPE, "operand", i + 1, x[i], "the shape of operand 1", x[0]);
        if (i < a->num_keys && ir_dtype_of(x[i]->dtype)->cls == IR_COMPLEX_CLASS)
            return base_fail(TT_ETYPE, e->site, "sort: key %u is %s, which has no order", i + 1,
                             ir_dtype_of(x[i]->dtype)->name);
        y[i] = ir_type_of(x[i]->dtype, x[i]->rank, x[i]->dim);
    }
    return true;
}

static void sort_rules(const ir_eqn *e, op_rule *r)
{
    for (int d = 0; d < IR_IN(e, 0)->rank; d++) {
        /* The dim is not sharded, but layouts propagate through it, as in Shardy. */
        const bool along = d == IR_ATTR(e, op_sort_attr)->dimension;
        const int f = op_factor(r, IR_IN(e, 0)->dim[d], along ? OP_NEED_REPLICATION : OP_PASS_THROUGH);
        for (int t = 0; t < 2 * (int)e->nin; t++) op_dim(r, t, d, f);
    }
}

/* A gather with all other dims as batching dims. */
ir_id op_take_along(ir_build *b, ir_id from, ir_id k, int64_t dim)
{
    if (!k || !from) return 0;
    if (!ir_count(ir_typeof(b, k))) return from;         /* no elements, no slices of one */
    const int rank = ir_typeof(b, k)->rank;
    int64_t *other = IR_NEW(b, int64_t, rank), *one = IR_NEW(b, int64_t, rank);
    int n = 0;
    for (int d = 0; d < rank; d++) one[d] = 1;
    for (int d = 0; d < rank; d++) if (d != dim) other[n++] = d;
    const op_gather_attr a = { .collapsed_slice_dims = { 1, &dim }, .operand_batching_dims = { n, other },
                               .start_indices_batching_dims = { n, other }, .start_index_map = { 1, &dim },
                               .index_vector_dim = rank, .slice_sizes = { rank, one } };
    return ir_emit(b, &prim_gather, &a, 2, (const ir_id[]){ from, k }, 0, NULL);
}

static void sort_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    const op_sort_attr *a = IR_ATTR(e, op_sort_attr);
    const ir_type *t = IR_IN(e, 0);
    ir_id *in = IR_NEW(b, ir_id, e->nin + 1);
    memcpy(in, x, e->nin * sizeof *in);
    in[e->nin] = op_iota(b, ir_type_of(TT_I32, t->rank, t->dim), (int)a->dimension);
    const ir_id first = ir_emit(b, e->op, a, e->nin + 1, in, 0, NULL);
    if (!first) return;
    for (uint32_t i = 0; i < e->nin; i++) {
        y[i] = first + i;
        if (dx[i]) dy[i] = op_take_along(b, dx[i], first + e->nin, a->dimension);
    }
}

static void sort_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y, bool *out)
{
    op_sort_attr a = *IR_ATTR(e, op_sort_attr);
    ir_id *in = IR_NEW(b, ir_id, e->nin);
    a.dimension++;
    for (uint32_t i = 0; i < e->nin; i++) in[i] = mapped[i] ? x[i] : op_spread(b, x[i], n);
    const ir_id first = ir_emit(b, e->op, &a, e->nin, in, 0, NULL);
    for (uint32_t i = 0; i < e->nin; i++) y[i] = first ? first + i : 0, out[i] = true;
}

static int order(tt_dtype dtype, ir_num a, ir_num b)     /* -1, 0, 1 */
{
    switch (ir_dtype_of(dtype)->cls) {
    case IR_BOOL_CLASS: return a.b - b.b;
    case IR_INT_CLASS:  return (a.i > b.i) - (a.i < b.i);
    case IR_UINT_CLASS: return (a.u > b.u) - (a.u < b.u);
    default:            return isnan(a.f) || isnan(b.f) ? !!isnan(a.f) - !!isnan(b.f) : (a.f > b.f) - (a.f < b.f);
    }
}

/* The new position of an element is the number of elements with smaller keys, or with equal keys and a lower
 * position. */
static bool sort_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const op_sort_attr *a = IR_ATTR(e, op_sort_attr);
    const int k = (int)a->dimension;
    int64_t i[IR_RANK], j[IR_RANK], to[IR_RANK];
    for (bool more = ir_first(&x[0], i); more; more = ir_next(&x[0], i)) {
        memcpy(to, i, sizeof to);
        memcpy(j, i, sizeof j);
        to[k] = x[0].lo[k];
        for (j[k] = x[0].lo[k]; j[k] < x[0].lo[k] + x[0].n[k]; j[k]++) {
            int c = 0;
            for (int64_t n = 0; !c && n < a->num_keys; n++) c = order(x[n].dtype, ir_load(&x[n], j), ir_load(&x[n], i));
            to[k] += (a->descending ? -c : c) < 0 || (!c && j[k] < i[k]);
        }
        bool inside = true;                              /* the operand's box may have more lines */
        for (int d = 0; d < y->rank; d++) inside &= to[d] >= y->lo[d] && to[d] < y->lo[d] + y->n[d];
        for (uint32_t n = 0; inside && n < e->nin; n++) ir_store(&y[n], to, ir_load(&x[n], i));
    }
    return true;
}

const op_prim prim_sort = {
    .name = "sort",
    .doc = "orders lines by their keys",
    .hlo = "stablehlo.sort",
    .call = "",
    .nin = -1,
    .nout = -1,
    .nsub = 0,
    .kernel = OP_REDUCE,
    .attr = sizeof(op_sort_attr),
    .field = OP_FIELDS(IR_FIELD(op_sort_attr, dimension, IR_INT), IR_FIELD(op_sort_attr, is_stable, IR_BOOL),
                       IR_FIELD(op_sort_attr, num_keys, IR_INT), IR_FIELD(op_sort_attr, descending, IR_BOOL)),
    .type = sort_type,
    .rules = sort_rules,
    .linear = op_nonlinear,
    .partial = op_partial_none,
    .jvp = sort_jvp,
    .transpose = op_transpose_none,
    .batch = sort_batch,
    .decompose = op_decompose_none,
    .exchange = op_exchange_none,
    .ref = sort_ref,
    .prog = op_prog_none,
    .cases = OP_CASES("sort f32[7] {dimension=0, is_stable=true, num_keys=1, descending=false}",
                      "sort f32[3,5], i32[3,5] {dimension=1, is_stable=true, num_keys=1, descending=true}",
                      "sort i32[6,2], u32[6,2], f32[6,2] {dimension=0, is_stable=true, num_keys=2, descending=false}",
                      "sort bf16[2,0] {dimension=1, is_stable=true, num_keys=1, descending=false}",
                      "sort bool[9], f32[9] {dimension=0, is_stable=true, num_keys=1, descending=false}"),
};
