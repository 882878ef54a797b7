/* op/linalg/svdvals.c - the singular values of a matrix, descending, without vectors. Derivative: by svd. */
#include "matrix.h"
#include "../ops.h"

static bool svdvals_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    if (!op_matrix_check(e, x[0])) return false;
    const int64_t m = x[0]->dim[x[0]->rank - 2], n = x[0]->dim[x[0]->rank - 1];
    *y = op_matrix_type(x[0], op_real_dtype(x[0]->dtype), 1, m < n ? m : n, 0);
    return *y != NULL;
}

static void svdvals_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)e;
    dy[0] = 0;
    if (!dx[0]) return;
    const ir_id s = ir_emit(b, &prim_svd, &(op_full_attr){ false }, 1, x, 0, NULL);
    if (!s) return;
    const ir_id m = op_product(b, op_product(b, op_adjoint(b, s + 1), dx[0]), op_adjoint(b, s + 2));
    y[0] = s;
    dy[0] = m ? op_diagonal(b, op_parts_of(b, m).re) : 0;
}

static void svdvals_one(const op_bench *w)
{
    const int r = w->x->rank;
    const int64_t m = w->x->n[r - 2], n = w->x->n[r - 1], k = m < n ? m : n, p = m < n ? n : m;
    double *const s = op_workspace(w, k * p);
    w->kit->load(w->x, 2, w->lead, m >= n, false, w->workspace);
    if (!w->kit->svd(p, k, 0, w->workspace, s, NULL, NULL, NULL)) op_matrix_real.spoil(s, k);
    op_matrix_real.store(w->y, 1, w->lead, false, false, s, k);
}

static bool svdvals_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const int64_t m = x->n[x->rank - 2], n = x->n[x->rank - 1];
    return op_each_matrix(e, x, y, m * n + m + n, svdvals_one);
}

const op_prim prim_svdvals = {
    .name = "svdvals",
    .doc = "singular values",
    .hlo = "",
    .call = "",
    .nin = 1,
    .nout = 1,
    OP_MATRIX_CELLS,
    .type = svdvals_type,
    .linear = op_nonlinear,
    .jvp = svdvals_jvp,
    .transpose = op_transpose_none,
    .decompose = op_decompose_none,
    .ref = svdvals_ref,
    .cases = OP_CASES("svdvals f32[3,3]", "svdvals f64[2,4,3]", "svdvals c64[3,2]", "svdvals c128[2,2,3]",
                      "svdvals f32[2,0,3]", "svdvals f32[0,2,2]"),
};
