/* op/linalg/eig.c - a V = V diag(w) of any square matrix, in complex numbers: eigenvalues, left eigenvectors (u with u'
 * a = w u') and right ones, in columns of norm 1 whose largest number is real, as LAPACK's geev. Vectors that are not
 * requested are [.., n, 0].
 *
 * NaN if a has infinite or NaN elements. Derivative for distinct eigenvalues, as in JAX: P = V^-1 da V, dw its
 * diagonal, U = V (F . P) with F_ij = 1 / (w_j - w_i), 0 on the diagonal (M. Giles, NA-08/01), plus a term that
 * preserves each vector's norm and phase: dv = u + c v, c = -Re(v' u) - i Im(u_k) / v_k at its largest number k. */
#include "schur_form.h"
#include "../ops.h"

#include <complex.h>

typedef op_eig_attr attr;

static bool eig_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const attr *a = IR_ATTR(e, attr);
    if (!op_square_check(e, x[0])) return false;
    const tt_dtype d = op_real_dtype(x[0]->dtype) == TT_F64 ? TT_C128 : TT_C64;
    const int64_t n = x[0]->dim[x[0]->rank - 1];
    y[0] = op_matrix_type(x[0], d, 1, n, 0);
    y[1] = op_matrix_type(x[0], d, 2, n, a->compute_left_eigenvectors ? n : 0);
    y[2] = op_matrix_type(x[0], d, 2, n, a->compute_right_eigenvectors ? n : 0);
    return y[0] && y[1] && y[2];
}

/* ---- derivative ---- */

static ir_id of_rows(ir_build *b, const op_prim *fold, ir_id x) /* reduces over the rows: [.., n] */
{
    const int64_t row = x ? ir_typeof(b, x)->rank - 2 : 0;
    return x ? op_reduce_dims(b, fold, x, 1, &row) : 0;
}

/* c of each column, which preserves the column's norm and keeps its largest number real. */
static ir_id eig_kept(ir_build *b, ir_id v, ir_id u)
{
    const op_parts p = op_parts_of(b, v), q = op_parts_of(b, u);
    if (!p.re || !q.re) return 0;
    const ir_type *const real = ir_typeof(b, p.re), *const places = ir_type_of(TT_I32, real->rank, real->dim);
    const ir_id along = of_rows(b, &prim_add, op_add(b, op_mul(b, p.re, q.re), op_mul(b, p.im, q.im)));
    const ir_id size = op_add(b, op_mul(b, p.re, p.re), op_mul(b, p.im, p.im));
    const ir_id most = op_by_column(b, of_rows(b, &prim_max, size), real), at = op_iota(b, places, real->rank - 2);
    const ir_id first = of_rows(b, &prim_min, op_select(b, op_equal(b, size, most), at,
        op_splat(b, places, INT32_MAX)));
    const ir_id here = op_equal(b, at, op_by_column(b, first, real)), none = op_zeros(b, real);
    const ir_id across = of_rows(b, &prim_add, op_select(b, here, q.im, none));
    const ir_id largest = of_rows(b, &prim_add, op_select(b, here, p.re, none));
    return op_parts_join(b, (op_parts){ op_neg(b, along), op_neg(b, op_div(b, across, largest)) });
}

static void vectors_jvp(ir_build *b, ir_id w, ir_id v, ir_id da, ir_id *dw, ir_id *dv)
{
    if (!w || !v || !da) return;
    const ir_type *const t = ir_typeof(b, v);
    const ir_id p = op_product(b, op_solve_by_lu(b, v, da), v),
                gap = op_sub(b, op_by_column(b, w, t), op_by_row(b, w, t));
    if (!p || !gap) return;
    const ir_id safe = op_where_compare(b, OP_CMP_EQ, 0, op_ones(b, t), gap);
    const ir_id f = op_where_compare(b, OP_CMP_NE, 0, op_div(b, op_ones(b, t), safe), 0);
    *dw = op_diagonal(b, p);
    if (!dv) return;
    const ir_id u = op_product(b, v, op_mul(b, f, p));
    *dv = op_add(b, u, op_mul(b, v, op_by_column(b, eig_kept(b, v, u), t)));
}

static void eig_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    const attr *a = IR_ATTR(e, attr);
    dy[0] = dy[1] = dy[2] = 0;
    if (!dx[0] || !ir_count(IR_IN(e, 0))) return;
    ir_id v = y[2], unused = 0;
    const ir_id da = op_convert(b, dx[0], IR_OUT(e, 0)->dtype);
    if (!a->compute_right_eigenvectors) {
        const ir_id all = ir_emit(b, e->op, &(attr){ a->compute_left_eigenvectors, true }, 1, x, 0, NULL);
        if (!all) return;
        y[0] = all, y[1] = all + 1, v = all + 2;
    }
    if (a->compute_left_eigenvectors) vectors_jvp(b, op_conj(b, y[0]), y[1], op_adjoint(b, da), &unused, &dy[1]);
    vectors_jvp(b, y[0], v, da, &dy[0], a->compute_right_eigenvectors ? &dy[2] : NULL);
}

/* ---- the definition ---- */

/* For a real matrix: makes eigenvectors of real eigenvalues real, and those of a conjugate pair conjugates of each
 * other. */
static void of_real(int64_t n, const double _Complex *w, double _Complex *v)
{
    for (int64_t k = 0; k < n; k++)
        for (int64_t i = 0; i < n; i++) {
            double _Complex *const x = v + i * n + k;
            if (cimag(w[k]) == 0) *x = creal(*x);
            else if (cimag(w[k]) < 0 && k) *x = conj(x[-1]);
        }
}

static void eig_one(const op_bench *bench)
{
    const attr *a = IR_ATTR(bench->e, attr);
    const int64_t n = bench->x->n[bench->x->rank - 1], wide = bench->kit == &op_matrix_real ? 2 : 1;
    const bool real = wide == 2;
    void *const t = op_workspace(bench, 0), *const z = op_workspace(bench, n * n);
    double _Complex *const w = op_workspace(bench, 2 * n * n), *const v = w + n, *const ct = v + n * n,
                           *const cz = ct + n * n;
    const bool found = op_schur(bench, t, z, v);
    if (found) op_schur_values(bench->kit, n, t, w);
    else op_matrix_complex.spoil(w, n);
    if (found && real) op_schur_complex(n, t, z, ct, cz);
    op_matrix_complex.store(&bench->y[0], 1, bench->lead, false, false, w, n);
    for (int side = 0; side < 2; side++) {
        if (!(side ? a->compute_right_eigenvectors : a->compute_left_eigenvectors)) continue;
        if (found) op_schur_vectors(n, real ? ct : t, real ? cz : z, !side, v, cz + n * n);
        else op_matrix_complex.spoil(v, n * n);
        if (found && real) of_real(n, w, v);
        op_matrix_complex.store(&bench->y[1 + side], 2, bench->lead, false, false, v, n);
    }
}

static bool eig_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const int64_t n = x->n[x->rank - 1];
    return op_each_matrix(e, x, y, 8 * n * n + 6 * n + 8, eig_one);
}

const op_prim prim_eig = {
    .name = "eig",
    .doc = "eigenvalues and eigenvectors of square matrices",
    .hlo = "",
    .call = "",
    .nin = 1,
    .nout = 3,
    OP_MATRIX_CELLS,
    .attr = sizeof(attr),
    .field = OP_FIELDS(IR_FIELD(attr, compute_left_eigenvectors, IR_BOOL),
                       IR_FIELD(attr, compute_right_eigenvectors, IR_BOOL)),
    .type = eig_type,
    .linear = op_nonlinear,
    .jvp = eig_jvp,
    .transpose = op_transpose_none,
    .decompose = op_decompose_none,
    .ref = eig_ref,
    .cases = OP_CASES("eig f32[3,3] {compute_left_eigenvectors=false, compute_right_eigenvectors=true}",
                      "eig f64[2,4,4] {compute_left_eigenvectors=true, compute_right_eigenvectors=true}",
                      "eig c64[2,3,3] {compute_left_eigenvectors=true, compute_right_eigenvectors=false}",
                      "eig c128[4,4] {compute_left_eigenvectors=false, compute_right_eigenvectors=false}",
                      "eig f32[2,0,0] {compute_left_eigenvectors=false, compute_right_eigenvectors=true}",
                      "eig f32[0,2,2] {compute_left_eigenvectors=true, compute_right_eigenvectors=true}"),
};
