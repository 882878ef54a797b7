/* op/linalg/eigh.c - a V = V diag(w) of a Hermitian matrix: eigenvalues ascending, eigenvectors in columns.
 *
 * One triangle of a is read. The results are NaN if a has infinite or NaN elements. Derivative, for distinct
 * eigenvalues: M = V' da V; dw is its diagonal, dV = V (F . M) with F_ij = 1 / (w_j - w_i), 0 on the diagonal (M.
 * Giles, NA-08/01). Both triangles of da are used, as in JAX (cholesky.c). */
#include "matrix.h"
#include "../ops.h"

static bool eigh_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    if (!op_square_check(e, x[0])) return false;
    y[0] = op_matrix_type(x[0], op_real_dtype(x[0]->dtype), 1, x[0]->dim[x[0]->rank - 1], 0);
    y[1] = ir_type_of(x[0]->dtype, x[0]->rank, x[0]->dim);
    return y[0] != NULL;
}

static void eigh_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    const ir_type *const t = IR_IN(e, 0);
    (void)x;
    dy[0] = dy[1] = 0;
    if (!dx[0]) return;
    const ir_id m = op_product(b, op_product(b, op_adjoint(b, y[1]), dx[0]), y[1]);
    const ir_id gap = op_sub(b, op_by_column(b, y[0], t), op_by_row(b, y[0], t));
    if (!m || !gap) return;
    const ir_id one = op_ones(b, ir_typeof(b, gap)), safe = op_where_compare(b, OP_CMP_EQ, 0, one, gap);
    const ir_id f = op_where_compare(b, OP_CMP_NE, 0, op_div(b, one, safe), 0);
    dy[0] = op_diagonal(b, op_parts_of(b, m).re);
    dy[1] = op_product(b, y[1], op_mul(b, op_convert(b, f, t->dtype), m));
}

static void eigh_one(const op_bench *w)
{
    const int64_t n = w->x->n[w->x->rank - 1];
    const bool lower = IR_ATTR(w->e, op_lower_attr)->lower;
    void *const v = op_workspace(w, n * n), *const buffer = op_workspace(w, 2 * n * n);
    double *const d = op_workspace(w, 2 * n * n + 5 * n);
    w->kit->load(w->x, 2, w->lead, !lower, !lower, w->workspace);
    w->kit->mirror(n, w->workspace);
    if (!w->kit->eigh(n, w->workspace, d, v, buffer)) op_matrix_real.spoil(d, n), w->kit->spoil(v, n * n);
    op_matrix_real.store(&w->y[0], 1, w->lead, false, false, d, n);
    w->kit->store(&w->y[1], 2, w->lead, true, false, v, n);
}

static bool eigh_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const int64_t n = x->n[x->rank - 1];
    return op_each_matrix(e, x, y, 2 * n * n + 6 * n, eigh_one);
}

const op_prim prim_eigh = {
    .name = "eigh",
    .doc = "eigenvalues and eigenvectors of Hermitian matrices",
    .hlo = "",
    .call = "",
    .nin = 1,
    .nout = 2,
    OP_MATRIX_CELLS,
    .attr = sizeof(op_lower_attr),
    .field = OP_FIELDS(IR_FIELD(op_lower_attr, lower, IR_BOOL)),
    .type = eigh_type,
    .linear = op_nonlinear,
    .jvp = eigh_jvp,
    .transpose = op_transpose_none,
    .decompose = op_decompose_none,
    .ref = eigh_ref,
    .cases = OP_CASES("eigh f32[3,3] {lower=true}", "eigh f64[2,4,4] {lower=false}", "eigh c64[2,3,3] {lower=true}",
                      "eigh f32[2,0,0] {lower=true}", "eigh f32[0,2,2] {lower=true}"),
};
