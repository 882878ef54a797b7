/* op/linalg/tridiagonal.c - a = Q T Q' of a Hermitian matrix by Householder reflectors: the matrix with the vectors
 * beyond T's off-diagonal in the triangle that is read (the other triangle is unchanged), T's diagonal, its
 * off-diagonal (both real), the taus.
 *
 * As LAPACK's sytrd and hetrd. The upper triangle is treated as the lower one of the matrix with rows and columns in
 * reverse order. No derivative, as in JAX. */
#include "matrix.h"

#include <string.h>

static bool tridiagonal_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    if (!op_square_check(e, x[0])) return false;
    const int64_t n = x[0]->dim[x[0]->rank - 1], k = n ? n - 1 : 0;
    y[0] = ir_type_of(x[0]->dtype, x[0]->rank, x[0]->dim);
    y[1] = op_matrix_type(x[0], op_real_dtype(x[0]->dtype), 1, n, 0);
    y[2] = op_matrix_type(x[0], op_real_dtype(x[0]->dtype), 1, k, 0);
    y[3] = op_matrix_type(x[0], x[0]->dtype, 1, k, 0);
    return y[0] && y[1] && y[2] && y[3];
}

static void turned_over(char *a, int64_t n, size_t each) /* reverses n numbers */
{
    char t[16];
    for (char *end = a + (n - 1) * (int64_t)each; n > 0 && a < end; a += each, end -= each)
        memcpy(t, a, each), memcpy(a, end, each), memcpy(end, t, each);
}

static void tridiagonal_one(const op_bench *w)
{
    const int64_t n = w->x->n[w->x->rank - 1];
    const bool lower = IR_ATTR(w->e, op_lower_attr)->lower;
    const size_t each = w->kit->bytes, parts = each / sizeof(double);
    char *const a = w->workspace, *const own = op_workspace(w, n * n), *const tau = op_workspace(w, 2 * n * n);
    double *const d = op_workspace(w, 2 * n * n + 2 * n), *const off = d + n;
    w->kit->load(w->x, 2, w->lead, false, false, a);
    if (!lower) turned_over(a, n * n, each);
    memcpy(own, a, (size_t)(n * n) * each);
    w->kit->mirror(n, a);
    w->kit->tridiagonal(n, a, d, off, tau, op_workspace(w, 2 * n * n + n));
    for (int64_t i = 0; i < n; i++) /* all other numbers are unchanged */
        for (int64_t j = 0; j < n; j++) {
            double *const p = (double *)(void *)(a + (i * n + j) * (int64_t)each);
            if (j > i) memcpy(p, own + (i * n + j) * (int64_t)each, each);
            if (i != j && i != j + 1) continue;
            p[0] = i == j ? d[i] : off[j];
            if (parts > 1) p[1] = 0;
        }
    if (!lower) {
        turned_over(a, n * n, each), turned_over((char *)d, n, sizeof *d);
        turned_over((char *)off, n - 1, sizeof *off), turned_over(tau, n - 1, each);
    }
    w->kit->store(&w->y[0], 2, w->lead, false, false, a, n);
    op_matrix_real.store(&w->y[1], 1, w->lead, false, false, d, n);
    op_matrix_real.store(&w->y[2], 1, w->lead, false, false, off, n);
    w->kit->store(&w->y[3], 1, w->lead, false, false, tau, n);
}

static bool tridiagonal_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const int64_t n = x->n[x->rank - 1];
    return op_each_matrix(e, x, y, 2 * n * n + 4 * n, tridiagonal_one);
}

const op_prim prim_tridiagonal = {
    .name = "tridiagonal",
    .doc = "T and the reflectors of a Hermitian a = Q T Q'",
    .hlo = "",
    .call = "",
    .nin = 1,
    .nout = 4,
    OP_MATRIX_CELLS,
    .attr = sizeof(op_lower_attr),
    .field = OP_FIELDS(IR_FIELD(op_lower_attr, lower, IR_BOOL)),
    .type = tridiagonal_type,
    .linear = op_nonlinear,
    .jvp = op_jvp_none,
    .transpose = op_transpose_none,
    .decompose = op_decompose_none,
    .ref = tridiagonal_ref,
    .cases = OP_CASES("tridiagonal f32[3,3] {lower=true}", "tridiagonal f64[2,5,5] {lower=false}",
                      "tridiagonal c64[4,4] {lower=true}", "tridiagonal c128[2,3,3] {lower=false}",
                      "tridiagonal f32[1,1] {lower=true}", "tridiagonal f32[2,0,0] {lower=true}",
                      "tridiagonal f32[0,2,2] {lower=false}"),
};
