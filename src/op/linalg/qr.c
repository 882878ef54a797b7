/* op/linalg/qr.c - a = Q R: Q of orthonormal columns, min(m, n) of them or (full_matrices) m; R upper triangular, with
 * LAPACK's signs. Computed by geqrf and householder_product.
 *
 * Derivative, with S = Q' da R^-1 and O its part below the diagonal minus that part's adjoint, plus i times the
 * imaginary part of the diagonal: dQ = Q (O - S) + da R^-1, dR = (S - O) R (J. Townsend); for m < n by the first m
 * columns. For the additional columns Q2 of a square Q = [Q1, Q2], as in JAX (arXiv 2409.13374): with Z = Q1's lower
 * part (Q1's upper part - 1)^-1, dQ2 = dQ1 Z' - (Q1 + Q2 Z) (dQ1's lower part - Z dQ1's upper part)'. */
#include "matrix.h"
#include "../ops.h"

typedef struct {
    int64_t m, n, k;
    bool full;
} sizes;

static sizes qr_sizes_of(const ir_eqn *e)
{
    const ir_type *const t = IR_IN(e, 0);
    const int64_t m = t->dim[t->rank - 2], n = t->dim[t->rank - 1];
    const bool full = IR_ATTR(e, op_full_attr)->full_matrices;
    return (sizes){ m, n, full || m < n ? m : n, full };
}

static bool qr_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    if (!op_matrix_check(e, x[0])) return false;
    const int64_t m = x[0]->dim[x[0]->rank - 2], n = x[0]->dim[x[0]->rank - 1];
    const int64_t k = IR_ATTR(e, op_full_attr)->full_matrices || m < n ? m : n;
    y[0] = op_matrix_type(x[0], x[0]->dtype, 2, m, k);
    y[1] = op_matrix_type(x[0], x[0]->dtype, 2, k, n);
    return y[0] && y[1];
}

/* dQ and dR for m >= n */
static void tall_jvp(ir_build *b, ir_id q, ir_id r, ir_id da, ir_id *dq, ir_id *dr)
{
    const ir_id da_r = op_solve_triangular(b, r, da, (op_triangular_attr){ false, false, false, OP_NO_TRANSPOSE });
    const ir_id s = op_product(b, op_adjoint(b, q), da_r), low = op_where_compare(b, OP_CMP_GT, 0, s, 0);
    if (!s) return;
    const ir_id turn = op_where_compare(b, OP_CMP_EQ, 0, op_sub(b, s, op_real_of(b, s)), 0);
    const ir_id o = op_add(b, op_sub(b, low, op_adjoint(b, low)), turn);
    *dq = op_add(b, op_product(b, q, op_sub(b, o, s)), da_r);
    *dr = op_product(b, op_sub(b, s, o), r);
}

static void full_jvp(ir_build *b, const sizes *z, const ir_id *y, ir_id da, ir_id *dy)
{
    const int64_t m = z->m, n = z->n;
    const ir_id q1 = op_part_of(b, y[0], 0, m, 0, n), q2 = op_part_of(b, y[0], 0, m, n, m);
    ir_id dq1 = 0, dr1 = 0;
    tall_jvp(b, q1, op_part_of(b, y[1], 0, n, 0, n), da, &dq1, &dr1);
    const ir_id upper = op_part_of(b, q1, 0, n, 0, n), lower = op_part_of(b, q1, n, m, 0, n);
    if (!dq1 || !upper) return;
    const ir_type *const t = ir_typeof(b, upper), *const r = ir_typeof(b, y[1]);
    const ir_id less = op_sub(b, upper, op_where_compare(b, OP_CMP_EQ, 0, op_ones(b, t), 0));
    const ir_id za = op_solve_by_lu(b, op_adjoint(b, less), op_adjoint(b, lower)), zz = op_adjoint(b, za);
    const ir_id rest = op_sub(b, op_part_of(b, dq1, n, m, 0, n), op_product(b, zz, op_part_of(b, dq1, 0, n, 0, n)));
    const ir_id dq2 = op_sub(b, op_product(b, dq1, za),
                             op_product(b, op_add(b, q1, op_product(b, q2, zz)), op_adjoint(b, rest)));
    const ir_id none = op_zeros(b, op_matrix_type(r, r->dtype, 2, m - n, n));
    if (!dq2 || !dr1 || !none) return;
    dy[0] = op_concatenate(b, 2, (const ir_id[]){ dq1, dq2 }, r->rank - 1);
    dy[1] = op_concatenate(b, 2, (const ir_id[]){ dr1, none }, r->rank - 2);
}

static void qr_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    const sizes z = qr_sizes_of(e);
    dy[0] = dy[1] = 0;
    if (!dx[0] || !ir_count(IR_IN(e, 0))) return;
    if (z.full && z.m > z.n) {
        full_jvp(b, &z, y, dx[0], dy);
        return;
    }
    if (z.m >= z.n) {
        tall_jvp(b, y[0], y[1], dx[0], &dy[0], &dy[1]);
        return;
    }
    ir_id dr = 0;
    tall_jvp(b, y[0], op_part_of(b, y[1], 0, z.m, 0, z.m), op_part_of(b, dx[0], 0, z.m, 0, z.m), &dy[0], &dr);
    const ir_id rest = op_add(b, op_product(b, op_adjoint(b, dy[0]), op_part_of(b, x[0], 0, z.m, z.m, z.n)),
                              op_product(b, op_adjoint(b, y[0]), op_part_of(b, dx[0], 0, z.m, z.m, z.n)));
    if (dr && rest) dy[1] = op_concatenate(b, 2, (const ir_id[]){ dr, rest }, IR_IN(e, 0)->rank - 1);
}

static bool qr_decompose(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    const sizes z = qr_sizes_of(e);
    const ir_type *const t = IR_IN(e, 0);
    int64_t none[IR_RANK] = { 0 }, more[IR_RANK] = { 0 };
    const ir_id p = ir_emit(b, &prim_geqrf, NULL, 1, x, 0, NULL);
    if (!p) return false;
    more[t->rank - 1] = z.k > z.n ? z.k - z.n : 0;
    const ir_dims zero = { t->rank, none };
    const ir_id wide = z.k > z.n ? op_pad(b, p, zero, (ir_dims){ t->rank, more }, zero) : p;
    const ir_id in[] = { op_part_of(b, wide, 0, z.m, 0, z.k), p + 1 };
    y[0] = in[0] ? ir_emit(b, &prim_householder_product, NULL, 2, in, 0, NULL) : 0;
    y[1] = op_where_compare(b, OP_CMP_LE, 0, op_part_of(b, p, 0, z.k, 0, z.n), 0);
    return y[0] && y[1];
}

const op_prim prim_qr = {
    .name = "qr",
    .doc = "a = Q R, Q orthonormal, R triangular",
    .hlo = "",
    .call = "",
    .nin = 1,
    .nout = 2,
    OP_MATRIX_CELLS,
    .attr = sizeof(op_full_attr),
    .field = OP_FIELDS(IR_FIELD(op_full_attr, full_matrices, IR_BOOL)),
    .type = qr_type,
    .linear = op_nonlinear,
    .jvp = qr_jvp,
    .transpose = op_transpose_none,
    .decompose = qr_decompose,
    .ref = op_ref_decomposed,
    .cases = OP_CASES("qr f32[3,3] {full_matrices=false}", "qr f64[2,4,3] {full_matrices=false}",
                      "qr f32[2,3,5] {full_matrices=false}", "qr c64[3,3] {full_matrices=true}",
                      "qr c128[2,3,2] {full_matrices=false}", "qr f32[4,2] {full_matrices=true}",
                      "qr f32[2,0,3] {full_matrices=false}", "qr f32[3,0] {full_matrices=true}",
                      "qr f32[0,2,2] {full_matrices=false}"),
};
