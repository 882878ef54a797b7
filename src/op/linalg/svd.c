/* op/linalg/svd.c - a = U diag(s) V': singular values descending; U and V' of min(m, n) columns and rows, or
 * (full_matrices) of m and n.
 *
 * The results are NaN if a has infinite or NaN elements. Derivative, for distinct nonzero singular values: M = U' da V,
 * ds the real part of its diagonal, dU = U (F . (M s + s M') + (M - M') / 2s) plus the part outside U's columns, dV in
 * the same way, with F_ij = 1 / (s_j^2 - s_i^2), 0 on the diagonal (M. Giles, NA-08/01; J. Townsend). */
#include "matrix.h"
#include "../ops.h"

typedef struct {
    int64_t m, n, k, p, uc, vc;
    bool full;
} sizes; /* k: min(m, n), p: max(m, n); numbers of columns of U and V */

static sizes svd_sizes_of(const op_full_attr *a, int64_t m, int64_t n)
{
    const int64_t k = m < n ? m : n;
    return (sizes){ m, n, k, m < n ? n : m, a->full_matrices ? m : k, a->full_matrices ? n : k, a->full_matrices };
}

static bool svd_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    if (!op_matrix_check(e, x[0])) return false;
    const sizes z = svd_sizes_of(IR_ATTR(e, op_full_attr), x[0]->dim[x[0]->rank - 2], x[0]->dim[x[0]->rank - 1]);
    y[0] = op_matrix_type(x[0], op_real_dtype(x[0]->dtype), 1, z.k, 0);
    y[1] = op_matrix_type(x[0], x[0]->dtype, 2, z.m, z.uc);
    y[2] = op_matrix_type(x[0], x[0]->dtype, 2, z.vc, z.n);
    return y[0] && y[1] && y[2];
}

/* (x - q (q' x)) / s: the part of x orthogonal to q's columns. */
static ir_id outside(ir_build *b, ir_id x, ir_id q, ir_id s)
{
    const ir_id in = op_product(b, q, op_product(b, op_adjoint(b, q), x));
    return in ? op_div(b, op_sub(b, x, in), op_by_column(b, s, ir_typeof(b, x))) : 0;
}

static void vectors_jvp(ir_build *b, const sizes *z, const ir_id *y, ir_id da, ir_id m, ir_id *dy)
{
    const ir_type *const t = ir_typeof(b, m);
    const ir_id u = y[1], v = op_adjoint(b, y[2]), s = op_convert(b, y[0], t->dtype);
    const ir_id si = op_by_row(b, y[0], t), sj = op_by_column(b, y[0], t);
    const ir_id gap = op_mul(b, op_sub(b, sj, si), op_add(b, sj, si));
    if (!gap) return;
    const ir_id one = op_ones(b, ir_typeof(b, gap)), safe = op_where_compare(b, OP_CMP_EQ, 0, one, gap);
    const ir_id f = op_convert(b, op_where_compare(b, OP_CMP_NE, 0, op_div(b, one, safe), 0), t->dtype);
    const ir_id ms = op_mul(b, m, op_by_column(b, s, t)), sm = op_mul(b, op_by_row(b, s, t), m);
    const ir_id zero = op_zeros(b, ir_typeof(b, gap)), none = op_equal(b, si, zero);
    const ir_id over =
        op_select(b, none, zero, op_div(b, op_splat(b, ir_typeof(b, gap), 0.5), op_select(b, none, one, si)));
    const ir_id turn =
        op_mul(b, op_where_compare(b, OP_CMP_EQ, 0, op_sub(b, m, op_adjoint(b, m)), 0), op_convert(b, over, t->dtype));
    dy[1] = op_product(b, u, op_add(b, op_mul(b, f, op_add(b, ms, op_adjoint(b, ms))), turn));
    ir_id dv = op_product(b, v, op_mul(b, f, op_add(b, sm, op_adjoint(b, sm))));
    if (z->m > z->n) dy[1] = op_add(b, dy[1], outside(b, op_product(b, da, v), u, s));
    if (z->n > z->m) dv = op_add(b, dv, outside(b, op_product(b, op_adjoint(b, da), u), v, s));
    dy[2] = op_adjoint(b, dv);
}

static void svd_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    const ir_type *const t = IR_IN(e, 0);
    const sizes z = svd_sizes_of(IR_ATTR(e, op_full_attr), t->dim[t->rank - 2], t->dim[t->rank - 1]);
    (void)x;
    dy[0] = dy[1] = dy[2] = 0;
    if (!dx[0] || !ir_count(t)) return;
    if (z.full && z.m != z.n) {
        base_fail(TT_EGRAD, e->site, "svd with full_matrices of %lld rows and %lld columns has no derivative",
                  (long long)z.m, (long long)z.n);
        base_hint("leave .full out: the further vectors are not determined by the matrix");
        return;
    }
    const ir_id m = op_product(b, op_product(b, op_adjoint(b, y[1]), dx[0]), op_adjoint(b, y[2]));
    if (!m) return;
    dy[0] = op_diagonal(b, op_parts_of(b, m).re);
    vectors_jvp(b, &z, y, dx[0], m, dy);
}

static sizes box_sizes(const ir_eqn *e, const ir_box *x)
{
    return svd_sizes_of(IR_ATTR(e, op_full_attr), x->n[x->rank - 2], x->n[x->rank - 1]);
}

/* Decomposes one matrix; of a wide one the adjoint. The algorithm rotates columns, which are stored as rows. */
static void svd_one(const op_bench *w)
{
    const sizes z = box_sizes(w->e, w->x);
    const bool wide = z.m < z.n;
    const int64_t columns = wide ? z.vc : z.uc;
    void *const rows = w->workspace, *const v = op_workspace(w, z.k * z.p),
        *const u = op_workspace(w, z.k * z.p + z.k * z.k);
    const int64_t used = z.k * z.p + z.k * z.k + columns * z.p;
    double *const s = op_workspace(w, used);
    w->kit->load(w->x, 2, w->lead, !wide, wide, rows);
    if (!w->kit->svd(z.p, z.k, columns, rows, s, u, v, op_workspace(w, used + z.k))) {
        op_matrix_real.spoil(s, z.k);
        w->kit->spoil(v, z.k * z.k + columns * z.p);
    }
    op_matrix_real.store(&w->y[0], 1, w->lead, false, false, s, z.k);
    w->kit->store(&w->y[1], 2, w->lead, true, false, wide ? v : u, wide ? z.k : z.p);
    w->kit->store(&w->y[2], 2, w->lead, false, true, wide ? u : v, wide ? z.p : z.k);
}

static bool svd_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const sizes z = box_sizes(e, x);
    const int64_t columns = z.m < z.n ? z.vc : z.uc;
    return op_each_matrix(e, x, y, z.k * z.p + z.k * z.k + z.k + 3 * columns * z.p + 2 * columns, svd_one);
}

const op_prim prim_svd = {
    .name = "svd",
    .doc = "a = U diag(s) V'",
    .hlo = "",
    .call = "",
    .nin = 1,
    .nout = 3,
    OP_MATRIX_CELLS,
    .attr = sizeof(op_full_attr),
    .field = OP_FIELDS(IR_FIELD(op_full_attr, full_matrices, IR_BOOL)),
    .type = svd_type,
    .linear = op_nonlinear,
    .jvp = svd_jvp,
    .transpose = op_transpose_none,
    .decompose = op_decompose_none,
    .ref = svd_ref,
    .cases = OP_CASES("svd f32[3,3] {full_matrices=true}", "svd f64[2,4,3] {full_matrices=false}",
                      "svd f32[2,3,5] {full_matrices=false}", "svd f32[4,2] {full_matrices=true}",
                      "svd c64[3,2] {full_matrices=false}", "svd c128[2,2,3] {full_matrices=false}",
                      "svd f32[2,0,3] {full_matrices=false}", "svd f32[0,2,2] {full_matrices=false}"),
};
