/* op/linalg/lu.c - P a = L U of any matrix, by partial pivoting: L (below the diagonal of ones) and U in one matrix;
 * pivots: row k was exchanged with row pivots[k], counted from 0; permutation: row i of P a is row permutation[i] of a.
 *
 * The pivot is the largest number of its column, for complex numbers by |re| + |im|; a singular matrix gives zeros on
 * the diagonal of U. Derivative: L tril(S, -1) + triu(S) U, S = L^-1 P da U^-1 (F. de Hoog, R. Anderssen, M. Lukas),
 * with L and U extended to square matrices by ones on their diagonals; pivots have derivative zero. */
#include "matrix.h"
#include "../ops.h"

typedef struct {
    ir_build *b;
    int64_t m, n, k;
} bench;

static bool lu_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    if (!op_matrix_check(e, x[0])) return false;
    const int64_t m = x[0]->dim[x[0]->rank - 2], n = x[0]->dim[x[0]->rank - 1];
    y[0] = ir_type_of(x[0]->dtype, x[0]->rank, x[0]->dim);
    y[1] = op_matrix_type(x[0], TT_I32, 1, m < n ? m : n, 0);
    y[2] = op_matrix_type(x[0], TT_I32, 1, m, 0);
    return y[1] && y[2];
}

/* x extended to n rows and columns; ones on the diagonal from position `from` on. */
static ir_id squared(const bench *w, ir_id x, int64_t n, int64_t from)
{
    int64_t lo[IR_RANK] = { 0 }, hi[IR_RANK] = { 0 }, none[IR_RANK] = { 0 };
    if (!x) return 0;
    const ir_type *const t = ir_typeof(w->b, x);
    hi[t->rank - 2] = n - t->dim[t->rank - 2], hi[t->rank - 1] = n - t->dim[t->rank - 1];
    const ir_dims zero = { t->rank, none };
    const ir_id y = op_pad(w->b, x, (ir_dims){ t->rank, lo }, (ir_dims){ t->rank, hi }, zero);
    const ir_type *const s = y ? ir_typeof(w->b, y) : NULL;
    if (!s || from >= n) return y;
    const ir_type *const place = ir_type_of(TT_I32, s->rank, s->dim);
    const ir_id row = op_iota(w->b, place, s->rank - 2), column = op_iota(w->b, place, s->rank - 1);
    const ir_id there = op_compare(w->b, OP_CMP_GE, row, op_splat(w->b, place, (double)from));
    const ir_id on = op_and(w->b, op_equal(w->b, row, column), there);
    return op_select(w->b, on, op_ones(w->b, s), y);
}

static void lu_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    const ir_type *const t = IR_IN(e, 0);
    bench w = { b, t->dim[t->rank - 2], t->dim[t->rank - 1], 0 };
    (void)x;
    dy[0] = dy[1] = dy[2] = 0;
    if (!dx[0]) return;
    if (!ir_count(t)) {
        dy[0] = dx[0];
        return;
    }
    w.k = w.m < w.n ? w.m : w.n;
    const ir_id below = op_where_compare(b, OP_CMP_GT, 0, op_part_of(b, y[0], 0, w.m, 0, w.k), 0);
    const ir_id above = op_where_compare(b, OP_CMP_LE, 0, op_part_of(b, y[0], 0, w.k, 0, w.n), 0);
    const ir_id l = squared(&w, below, w.m, 0), u = squared(&w, above, w.n, w.k);
    const ir_id right =
        op_solve_triangular(b, l, op_permuted_rows(b, dx[0], y[2]),
            (op_triangular_attr){ true, true, true, OP_NO_TRANSPOSE });
    const ir_id s = op_solve_triangular(b, u, right, (op_triangular_attr){ false, false, false, OP_NO_TRANSPOSE });
    if (!s) return;
    dy[0] = op_add(b, op_product(b, l, op_where_compare(b, OP_CMP_GT, 0, s, 0)),
                   op_product(b, op_where_compare(b, OP_CMP_LE, 0, s, 0), u));
}

static void vector(const ir_box *y, const int64_t *lead, const int32_t *v)
{
    int64_t i[IR_RANK];
    for (int d = 0; d < y->rank - 1; d++) i[d] = lead[d];
    for (int64_t k = 0; k < y->n[y->rank - 1]; k++) {
        i[y->rank - 1] = k;
        ir_store(y, i, (ir_num){ .i = v[k] });
    }
}

static void lu_one(const op_bench *w)
{
    const int r = w->x->rank;
    const int64_t m = w->x->n[r - 2], n = w->x->n[r - 1], k = m < n ? m : n;
    int32_t *const pivot = op_workspace(w, m * n), *const order = pivot + k;
    w->kit->load(w->x, 2, w->lead, false, false, w->workspace);
    w->kit->lu(m, n, w->workspace, pivot);
    w->kit->store(&w->y[0], 2, w->lead, false, false, w->workspace, n);
    for (int64_t i = 0; i < m; i++) order[i] = (int32_t)i;
    for (int64_t i = 0; i < k; i++) {
        const int32_t t = order[i];
        order[i] = order[pivot[i]], order[pivot[i]] = t;
    }
    vector(&w->y[1], w->lead, pivot);
    vector(&w->y[2], w->lead, order);
}

static bool lu_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const int64_t m = x->n[x->rank - 2], n = x->n[x->rank - 1];
    return op_each_matrix(e, x, y, m * n + m + n, lu_one);
}

const op_prim prim_lu = {
    .name = "lu",
    .doc = "P a = L U by partial pivoting",
    .hlo = "",
    .call = "",
    .nin = 1,
    .nout = 3,
    OP_MATRIX_CELLS,
    .type = lu_type,
    .linear = op_nonlinear,
    .jvp = lu_jvp,
    .transpose = op_transpose_none,
    .decompose = op_decompose_none,
    .ref = lu_ref,
    .cases = OP_CASES("lu f32[3,3]", "lu f64[2,4,3]", "lu f32[2,3,5]", "lu c64[3,3]", "lu c128[2,3,2]", "lu f32[2,0,3]",
                      "lu f32[0,2,2]"),
};
