/* op/linalg/geqp3.c - a[:, p] = Q R with p chosen so that the diagonal of R has falling absolute values. Results: R and
 * the reflectors as geqrf stores them, p counted from 1, the taus. As LAPACK's geqp3.
 *
 * Operands: a, and one number per column: columns with a number other than 0 are moved to the front and stay there. The
 * derivative is geqrf's, for a's columns in the order p. */
#include "matrix.h"
#include "../ops.h"

#include <string.h>

static bool geqp3_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    if (!op_matrix_check(e, x[0])) return false;
    const int64_t m = x[0]->dim[x[0]->rank - 2], n = x[0]->dim[x[0]->rank - 1];
    y[0] = ir_type_of(x[0]->dtype, x[0]->rank, x[0]->dim);
    y[1] = op_matrix_type(x[0], TT_I32, 1, n, 0);
    y[2] = op_matrix_type(x[0], x[0]->dtype, 1, m < n ? m : n, 0);
    if (!y[1] || !y[2]) return false;
    return (x[1]->dtype == TT_I32 && ir_same_dims(x[1], y[1])) ||
           op_expected(e, TT_ESHAPE, "operand", 1, x[1], "an i32 for each column", y[1]);
}

static void geqp3_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    dy[0] = dy[1] = dy[2] = 0;
    if (!dx[0]) return;
    ir_build *const inner = ir_region(b, base_intern("geqrf"));
    const ir_id a = ir_arg(inner, IR_IN(e, 0)), f = ir_emit(inner, &prim_geqrf, NULL, 1, &a, 0, NULL);
    ir_fn *const factors = f ? ir_end(inner, 2, (const ir_id[]){ f, f + 1 }) : NULL;
    const ir_type *const t = IR_OUT(e, 1);
    const ir_id order = op_sub(b, y[1], op_ones(b, t));
    const ir_id in = op_matrix_transpose(b, op_permuted_rows(b, op_matrix_transpose(b, x[0]), order));
    const ir_id din = op_matrix_transpose(b, op_permuted_rows(b, op_matrix_transpose(b, dx[0]), order));
    ir_id again[2] = { 0 }, slope[2] = { 0 };
    if (!factors || !in || !din) return;
    op_jvp_inline(b, factors, &in, again, &din, slope);
    dy[0] = slope[0], dy[2] = slope[1];
}

static void integers(const op_bench *w, const ir_box *box, int32_t *v, bool store)
{
    int64_t i[IR_RANK];
    memcpy(i, w->lead, (size_t)(box->rank - 1) * sizeof *i);
    for (int64_t k = 0; k < box->n[box->rank - 1]; k++) {
        i[box->rank - 1] = k;
        if (store) ir_store(box, i, (ir_num){ .i = v[k] });
        else v[k] = (int32_t)ir_load(box, i).i;
    }
}

static void geqp3_one(const op_bench *w)
{
    const int r = w->x->rank;
    const int64_t m = w->x->n[r - 2], n = w->x->n[r - 1];
    void *const tau = op_workspace(w, m * n);
    int32_t *const pivot = op_workspace(w, m * n + m + n);
    w->kit->load(w->x, 2, w->lead, false, false, w->workspace);
    integers(w, &w->x[1], pivot, false);
    w->kit->pivoted(m, n, w->workspace, pivot, tau, op_workspace(w, m * n + m));
    w->kit->store(&w->y[0], 2, w->lead, false, false, w->workspace, n);
    integers(w, &w->y[1], pivot, true);
    w->kit->store(&w->y[2], 1, w->lead, false, false, tau, m < n ? m : n);
}

static bool geqp3_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const int64_t m = x->n[x->rank - 2], n = x->n[x->rank - 1];
    return op_each_matrix(e, x, y, m * n + m + 2 * n + 2, geqp3_one);
}

const op_prim prim_geqp3 = {
    .name = "geqp3",
    .doc = "R, the columns' order and the reflectors of a[:, p] = Q R",
    .hlo = "",
    .call = "",
    .nin = 2,
    .nout = 3,
    OP_MATRIX_CELLS,
    .type = geqp3_type,
    .linear = op_nonlinear,
    .jvp = geqp3_jvp,
    .transpose = op_transpose_none,
    .decompose = op_decompose_none,
    .ref = geqp3_ref,
    .cases = OP_CASES("geqp3 f32[3,3], i32[3]", "geqp3 f64[2,4,3], i32[2,3]", "geqp3 f32[2,3,5], i32[2,5]",
                      "geqp3 c64[3,3], i32[3]", "geqp3 c128[2,3,2], i32[2,2]", "geqp3 f32[2,0,3], i32[2,3]",
                      "geqp3 f32[0,2,2], i32[0,2]"),
};
