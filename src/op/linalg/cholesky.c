/* op/linalg/cholesky.c - a = L L' of a Hermitian positive definite matrix (lower), or a = U' U.
 *
 * One triangle of a is read, and of the diagonal only the real parts; the result is zero in the other triangle. If a is
 * not positive definite, the factor's triangle is NaN, as in JAX. Derivative: L Phi(L^-1 da L^-'), where Phi takes the
 * lower triangle and half the diagonal (I. Murray, arXiv:1602.07527); for U the same of a'. da is taken to be
 * Hermitian, as in JAX: both of its triangles are used, though only one triangle of a is read, and a cotangent has both
 * triangles. */
#include "matrix.h"
#include "../ops.h"

#include <string.h>

static bool cholesky_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    if (!op_square_check(e, x[0])) return false;
    *y = ir_type_of(x[0]->dtype, x[0]->rank, x[0]->dim);
    return true;
}

static void cholesky_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    const bool lower = IR_ATTR(e, op_lower_attr)->lower;
    (void)x;
    if (!dx[0]) return;
    const ir_id l = lower ? y[0] : op_adjoint(b, y[0]), da = lower ? dx[0] : op_adjoint(b, dx[0]);
    const ir_id half = op_solve_triangular(b, l, da, (op_triangular_attr){ false, true, false, OP_ADJOINT });
    const ir_id s = op_solve_triangular(b, l, half, (op_triangular_attr){ true, true, false, OP_NO_TRANSPOSE });
    if (!s) return;
    const ir_id two = op_splat(b, ir_typeof(b, s), 0.5), diagonal = op_mul(b, s, two);
    const ir_id phi = op_where_compare(b, OP_CMP_GT, 0, s, op_where_compare(b, OP_CMP_EQ, 0, diagonal, 0));
    const ir_id dl = op_product(b, l, phi);
    dy[0] = lower ? dl : op_adjoint(b, dl);
}

static void cholesky_one(const op_bench *w)
{
    const int64_t n = w->x->n[w->x->rank - 1];
    const bool lower = IR_ATTR(w->e, op_lower_attr)->lower;
    w->kit->load(w->x, 2, w->lead, !lower, !lower, w->workspace);
    if (!w->kit->cholesky(n, w->workspace)) {
        memset(w->workspace, 0, (size_t)(n * n) * w->kit->bytes);
        for (int64_t i = 0; i < n; i++) w->kit->spoil(op_workspace(w, i * n), i + 1);
    }
    w->kit->store(w->y, 2, w->lead, !lower, !lower, w->workspace, n);
}

static bool cholesky_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const int64_t n = x->n[x->rank - 1];
    return op_each_matrix(e, x, y, n * n, cholesky_one);
}

const op_prim prim_cholesky = {
    .name = "cholesky",
    .doc = "a = L L', or U' U, of positive definite matrices",
    .hlo = "stablehlo.cholesky",
    .call = "",
    .nin = 1,
    .nout = 1,
    OP_MATRIX_CELLS,
    .attr = sizeof(op_lower_attr),
    .field = OP_FIELDS(IR_FIELD(op_lower_attr, lower, IR_BOOL)),
    .type = cholesky_type,
    .linear = op_nonlinear,
    .jvp = cholesky_jvp,
    .transpose = op_transpose_none,
    .decompose = op_decompose_none,
    .ref = cholesky_ref,
    .cases = OP_CASES("cholesky f32[3,3] {lower=true}", "cholesky f64[2,4,4] {lower=false}",
                      "cholesky c64[2,3,3] {lower=true}", "cholesky c128[3,3] {lower=false}",
                      "cholesky f32[3,0,0] {lower=true}", "cholesky f32[0,2,2] {lower=true}"),
};
