/* op/linalg/hessenberg.c - a = Q H Q' by Householder reflectors: H, upper Hessenberg, and below its subdiagonal the
 * vectors (their first number, 1, is not stored); and the taus. Q is 1 and the vectors' householder_product.
 *
 * As LAPACK's gehrd, also in signs. No derivative, as in JAX. */
#include "matrix.h"

static bool hessenberg_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    if (!op_square_check(e, x[0])) return false;
    const int64_t n = x[0]->dim[x[0]->rank - 1];
    y[0] = ir_type_of(x[0]->dtype, x[0]->rank, x[0]->dim);
    y[1] = op_matrix_type(x[0], x[0]->dtype, 1, n ? n - 1 : 0, 0);
    return y[1] != NULL;
}

static void hessenberg_one(const op_bench *w)
{
    const int64_t n = w->x->n[w->x->rank - 1];
    void *const tau = op_workspace(w, n * n);
    w->kit->load(w->x, 2, w->lead, false, false, w->workspace);
    w->kit->hessenberg(n, w->workspace, tau, op_workspace(w, n * n + n));
    w->kit->store(&w->y[0], 2, w->lead, false, false, w->workspace, n);
    w->kit->store(&w->y[1], 1, w->lead, false, false, tau, n);
}

static bool hessenberg_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const int64_t n = x->n[x->rank - 1];
    return op_each_matrix(e, x, y, n * n + 2 * n, hessenberg_one);
}

const op_prim prim_hessenberg = {
    .name = "hessenberg",
    .doc = "H and the reflectors of a = Q H Q'",
    .hlo = "",
    .call = "",
    .nin = 1,
    .nout = 2,
    OP_MATRIX_CELLS,
    .type = hessenberg_type,
    .linear = op_nonlinear,
    .jvp = op_jvp_none,
    .transpose = op_transpose_none,
    .decompose = op_decompose_none,
    .ref = hessenberg_ref,
    .cases = OP_CASES("hessenberg f32[3,3]", "hessenberg f64[2,5,5]", "hessenberg c64[4,4]", "hessenberg c128[2,2,2]",
                      "hessenberg f32[1,1]", "hessenberg f32[2,0,0]", "hessenberg f32[0,2,2]"),
};
