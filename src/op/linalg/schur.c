/* op/linalg/schur.c - a = Z T Z': Z orthonormal, T upper triangular; for real matrices with 2 x 2 blocks on the
 * diagonal for pairs of complex eigenvalues, in LAPACK's standard form. Also returns the eigenvalues, in T's order.
 *
 * NaN if a has infinite or NaN elements. T's order and the vectors' signs depend on the algorithm. No derivative, as in
 * JAX. */
#include "schur_form.h"

static bool schur_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    if (!op_square_check(e, x[0])) return false;
    y[0] = y[1] = ir_type_of(x[0]->dtype, x[0]->rank, x[0]->dim);
    y[2] =
        op_matrix_type(x[0], op_real_dtype(x[0]->dtype) == TT_F64 ? TT_C128 : TT_C64, 1, x[0]->dim[x[0]->rank - 1], 0);
    return y[2] != NULL;
}

static void schur_one(const op_bench *w)
{
    const int64_t n = w->x->n[w->x->rank - 1];
    void *const t = w->workspace, *const z = op_workspace(w, n * n);
    double _Complex *const values = op_workspace(w, 2 * n * n);
    const bool found = op_schur(w, t, z, op_workspace(w, 2 * n * n + 2 * n));
    if (found) op_schur_values(w->kit, n, t, values);
    else w->kit->spoil(t, n * n), w->kit->spoil(z, n * n), op_matrix_complex.spoil(values, n);
    w->kit->store(&w->y[0], 2, w->lead, false, false, t, n);
    w->kit->store(&w->y[1], 2, w->lead, false, false, z, n);
    op_matrix_complex.store(&w->y[2], 1, w->lead, false, false, values, n);
}

static bool schur_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const int64_t n = x->n[x->rank - 1];
    return op_each_matrix(e, x, y, 4 * n * n + 4 * n, schur_one);
}

const op_prim prim_schur = {
    .name = "schur",
    .doc = "a = Z T Z', Z orthonormal, T triangular; eigenvalues",
    .hlo = "",
    .call = "",
    .nin = 1,
    .nout = 3,
    OP_MATRIX_CELLS,
    .type = schur_type,
    .linear = op_nonlinear,
    .jvp = op_jvp_none,
    .transpose = op_transpose_none,
    .decompose = op_decompose_none,
    .ref = schur_ref,
    .cases = OP_CASES("schur f32[3,3]", "schur f64[2,4,4]", "schur c64[2,3,3]", "schur c128[4,4]", "schur f32[2,0,0]",
                      "schur f32[0,2,2]"),
};
