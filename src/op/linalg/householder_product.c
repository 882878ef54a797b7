/* op/linalg/householder_product.c - the first columns of H_0 H_1 ... H_(k-1), H = I - tau v v', as many as a has;
 * vector j is column j of a below the diagonal, with a 1 on it. As LAPACK's orgqr.
 *
 * Derivative: that of the definition, a scan over the reflectors from the last to the first. */
#include "matrix.h"
#include "../ops.h"

#include <string.h>

static bool product_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const int n = x[0]->rank;
    if (!op_matrix_check(e, x[0])) return false;
    if (x[1]->rank != n - 1 || x[1]->dtype != x[0]->dtype ||
        memcmp(x[0]->dim, x[1]->dim, (size_t)(n - 2) * sizeof(int64_t)))
        return op_expected(e, TT_ESHAPE, "the array of taus", OP_ONLY, x[1],
                           "the type and the batch dims of the matrix", x[0]);
    if (x[0]->dim[n - 2] < x[0]->dim[n - 1] || x[1]->dim[n - 2] > x[0]->dim[n - 1])
        return base_fail(TT_ESHAPE, e->site, "householder_product: %lld reflectors in %lld rows and %lld columns",
                         (long long)x[1]->dim[n - 2], (long long)x[0]->dim[n - 2], (long long)x[0]->dim[n - 1]);
    *y = ir_type_of(x[0]->dtype, n, x[0]->dim);
    return true;
}

/* q - (tau v) (v' q), of v [.., m, 1] and tau [.., 1, 1] */
static ir_fn *reflection(ir_build *outer, const ir_type *q, const ir_type *v, const ir_type *tau)
{
    ir_build *const b = ir_region(outer, base_intern("reflection"));
    const ir_id x = ir_arg(b, q), w = ir_arg(b, v), t = ir_arg(b, tau);
    int64_t at[IR_RANK];
    for (int d = 0; d < v->rank; d++) at[d] = d;
    const ir_id scaled = op_mul(b, op_broadcast(b, t, v, v->rank, at), w);
    const ir_id y = op_sub(b, x, op_product(b, scaled, op_product(b, op_adjoint(b, w), x)));
    return ir_end(b, 1, &y);
}

/* The definition: (a, tau) -> q. */
static ir_fn *defined(ir_build *outer, const ir_type *a, const ir_type *tau)
{
    ir_build *const b = ir_region(outer, base_intern("householder_product"));
    const int lead = a->rank - 2;
    const int64_t m = a->dim[lead], k = tau->dim[lead];
    const ir_id x = ir_arg(b, a), t = ir_arg(b, tau);
    const ir_type *const v = op_matrix_type(a, a->dtype, 2, m, 1), *const one = op_matrix_type(a, a->dtype, 2, 1, 1);
    const ir_id part = op_part_of(b, x, 0, m, 0, k), ones = part ? op_ones(b, ir_typeof(b, part)) : 0;
    const ir_id vectors = op_where_compare(b, OP_CMP_GT, 0, part, op_where_compare(b, OP_CMP_EQ, 0, ones, 0));
    const ir_id q = op_as(b, op_where_compare(b, OP_CMP_EQ, 0, op_ones(b, a), 0), a);
    int64_t dim[IR_RANK] = { k };
    if (!v || !one || a->rank == IR_RANK) return NULL;
    for (int d = 0; d < v->rank; d++) dim[d + 1] = v->dim[d];
    const ir_id vs = op_reshape(b, op_move(b, vectors, lead + 1, 0), v->rank + 1, dim);
    for (int d = 0; d < one->rank; d++) dim[d + 1] = one->dim[d];
    const ir_id in[] = { q, vs, op_reshape(b, op_move(b, t, lead, 0), one->rank + 1, dim) };
    ir_fn *const body = reflection(b, a, ir_type_vary(v, a->vary), ir_type_vary(one, a->vary));
    const op_scan_attr s = { .length = k, .num_carry = 1, .reverse = true };
    const ir_id y = body ? ir_emit(b, &prim_scan, &s, 3, in, 1, &body) : 0;
    return y ? ir_end(b, 1, &y) : NULL;
}

static void product_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    ir_fn *const f = defined(b, IR_IN(e, 0), IR_IN(e, 1));
    if (f) op_jvp_inline(b, f, x, y, dx, dy);
}

static void product_one(const op_bench *w)
{
    const int r = w->x->rank;
    const int64_t m = w->x->n[r - 2], n = w->x->n[r - 1], k = w->x[1].n[r - 2];
    void *const q = op_workspace(w, m * n), *const tau = op_workspace(w, 2 * m * n);
    w->kit->load(&w->x[0], 2, w->lead, false, false, w->workspace);
    w->kit->load(&w->x[1], 1, w->lead, false, false, tau);
    w->kit->reflectors(m, n, k, w->workspace, tau, q, op_workspace(w, 2 * m * n + k));
    w->kit->store(w->y, 2, w->lead, false, false, q, n);
}

static bool product_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const int64_t m = x->n[x->rank - 2], n = x->n[x->rank - 1];
    return op_each_matrix(e, x, y, 2 * m * n + 2 * n, product_one);
}

const op_prim prim_householder_product = {
    .name = "householder_product",
    .doc = "the product of reflectors",
    .hlo = "",
    .call = "",
    .nin = 2,
    .nout = 1,
    OP_MATRIX_CELLS,
    .type = product_type,
    .linear = op_nonlinear,
    .jvp = product_jvp,
    .transpose = op_transpose_none,
    .decompose = op_decompose_none,
    .ref = product_ref,
    .cases = OP_CASES("householder_product f32[3,3], f32[3]", "householder_product f64[2,4,3], f64[2,2]",
                      "householder_product c64[3,3], c64[3]", "householder_product c128[2,3,2], c128[2,2]",
                      "householder_product f32[2,3,0], f32[2,0]", "householder_product f32[0,2,2], f32[0,2]"),
};
