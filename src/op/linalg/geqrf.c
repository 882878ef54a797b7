/* op/linalg/geqrf.c - a = Q R by Householder reflectors H = I - tau v v': R in the upper triangle of the result, the
 * vectors below the diagonal (their first number, 1, is not stored), and the taus. Q is the reflectors' product:
 * householder_product.
 *
 * As LAPACK's geqrf, also in signs. Derivative: that of the algorithm, a scan over columns; qr has a shorter one. */
#include "matrix.h"
#include "../ops.h"

static bool geqrf_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    if (!op_matrix_check(e, x[0])) return false;
    const int64_t m = x[0]->dim[x[0]->rank - 2], n = x[0]->dim[x[0]->rank - 1];
    y[0] = ir_type_of(x[0]->dtype, x[0]->rank, x[0]->dim);
    y[1] = op_matrix_type(x[0], x[0]->dtype, 1, m < n ? m : n, 0);
    return y[1] != NULL;
}

/* ---- the algorithm as a scan: iteration j zeroes column j below row j ---- */

typedef struct {
    ir_id alpha, below, zero, beta, tau;
} reflector; /* shapes [.., 1, 1], except below [.., m, 1] */

static ir_id geqrf_summed(ir_build *b, ir_id x, const ir_type *as) /* sum over the rows */
{
    const int64_t row = as->rank - 2;
    return op_reshape(b, op_reduce_dims(b, &prim_add, x, 1, &row), as->rank, as->dim);
}

static ir_id spread_to(ir_build *b, ir_id x, const ir_type *t)
{
    int64_t at[IR_RANK];
    for (int d = 0; d < t->rank; d++) at[d] = d;
    return x ? op_broadcast(b, x, ir_type_of(ir_typeof(b, x)->dtype, t->rank, t->dim), t->rank, at) : 0;
}

/* The reflector of a column c [.., m, 1]; on: mask of position j, under: mask of the positions below. */
static reflector reflector_of(ir_build *b, ir_id c, ir_id on, ir_id under, const ir_type *one)
{
    const ir_type *const t = ir_typeof(b, c), *const real = ir_type_of(op_real_dtype(one->dtype), one->rank, one->dim);
    const ir_id none = op_zeros(b, t);
    reflector h = { .alpha = geqrf_summed(b, op_select(b, on, c, none), one), .below = op_select(b, under, c, none) };
    const op_parts z = op_parts_of(b, h.below), a = op_parts_of(b, h.alpha);
    ir_id squares = op_mul(b, z.re, z.re), size = op_mul(b, a.re, a.re), open;
    if (z.im) squares = op_add(b, squares, op_mul(b, z.im, z.im)), size = op_add(b, size, op_mul(b, a.im, a.im));
    const ir_id norm = geqrf_summed(b, squares, real), nil = op_zeros(b, real);
    open = op_equal(b, norm, nil);
    if (a.im) open = op_and(b, open, op_equal(b, a.im, nil));
    h.zero = open; /* tau is 0: the reflector is the identity */
    const ir_id root = op_sqrt(b, op_select(b, open, op_ones(b, real), op_add(b, size, norm)));
    const ir_id beta = op_select(b, open, a.re, op_select(b, op_less(b, a.re, nil), root, op_neg(b, root)));
    h.beta = op_convert(b, beta, one->dtype);
    const ir_id safe = op_select(b, open, op_ones(b, one), h.beta);
    h.tau = op_select(b, open, op_zeros(b, one), op_div(b, op_sub(b, h.beta, h.alpha), safe));
    return h;
}

/* (a, unit [1, n] of column j, unit [m, 1] of row j) -> a, tau. Units are i32: 0 before j, 1 at j, 2 after j. */
static ir_fn *column(ir_build *outer, const ir_type *t, const ir_type *column_type, const ir_type *row_type)
{
    ir_build *const b = ir_region(outer, base_intern("column"));
    const int lead = t->rank - 2;
    const ir_type *const one = op_matrix_type(t, t->dtype, 2, 1, 1), *const c = op_matrix_type(t, t->dtype, 2,
                                                                                               t->dim[lead], 1);
    const ir_id a = ir_arg(b, t), columns = ir_arg(b, column_type), rows = ir_arg(b, row_type);
    if (!one || !c) return NULL;
    const int64_t column_at[] = { lead, lead + 1 };
    const ir_type *const places = ir_type_of(TT_I32, t->rank, t->dim), *const cplaces =
                                                                           ir_type_of(TT_I32, c->rank, c->dim);
    const ir_id at = op_broadcast(b, columns, places, 2, column_at),
                in_row = op_broadcast(b, rows, cplaces, 2, column_at);
    const ir_id here = op_equal(b, at, op_splat(b, places, 1)), right = op_equal(b, at, op_splat(b, places, 2));
    const ir_id on = op_equal(b, in_row, op_splat(b, cplaces, 1)), under = op_equal(b, in_row, op_splat(b, cplaces, 2));
    const int64_t last = lead + 1;
    const ir_id line = op_reduce_dims(b, &prim_add, op_select(b, here, a, op_zeros(b, t)), 1, &last);
    const ir_id x = op_reshape(b, line, c->rank, c->dim);
    const reflector h = reflector_of(b, x, on, under, one);
    const ir_id gap = op_select(b, h.zero, op_ones(b, one), op_sub(b, h.alpha, h.beta));
    const ir_id zero = spread_to(b, h.zero, c), below = op_div(b, h.below, spread_to(b, gap, c));
    const ir_id tail = op_select(b, zero, op_zeros(b, c), below), v = op_select(b, on, op_ones(b, c), tail);
    const ir_id scaled = op_mul(b, spread_to(b, op_conj(b, h.tau), c), v);
    const ir_id turned = op_sub(b, a, op_product(b, scaled, op_product(b, op_adjoint(b, v), a)));
    const ir_id kept = op_select(b, on, spread_to(b, h.beta, c), op_select(b, under, tail, x));
    const ir_id ret[] = { op_select(b, right, turned, op_select(b, here, spread_to(b, kept, t), a)), h.tau };
    return ir_end(b, 2, ret);
}

/* i32 [k, ..]: along dim 1 or 2: 0 before j, 1 at j, 2 after j. */
static ir_id unit(ir_build *b, const ir_type *t, int dim)
{
    const ir_id j = op_iota(b, t, 0), i = op_iota(b, t, dim);
    const ir_id behind = op_convert(b, op_less(b, j, i), TT_I32),
                on = op_convert(b, op_compare(b, OP_CMP_LE, j, i), TT_I32);
    return op_add(b, behind, on);
}

static ir_fn *defined(ir_build *outer, const ir_type *t)
{
    ir_build *const b = ir_region(outer, base_intern("geqrf"));
    const int lead = t->rank - 2;
    const int64_t m = t->dim[lead], n = t->dim[lead + 1], k = m < n ? m : n, cdim[] = { k, 1, n }, rdim[] = { k, m, 1 };
    const ir_type *const columns = ir_type_of(TT_I32, 3, cdim), *const rows = ir_type_of(TT_I32, 3, rdim);
    const ir_id in[] = { ir_arg(b, t), unit(b, columns, 2), unit(b, rows, 1) };
    ir_fn *const body = column(b, t, ir_type_of(TT_I32, 2, cdim + 1), ir_type_of(TT_I32, 2, rdim + 1));
    const op_scan_attr s = { .length = k, .num_carry = 1 };
    const ir_id y = body ? ir_emit(b, &prim_scan, &s, 3, in, 1, &body) : 0;
    const ir_type *const tau = op_matrix_type(t, t->dtype, 1, k, 0);
    if (!y) return NULL;
    const ir_id taus = op_reshape(b, op_move(b, y + 1, 0, lead), tau->rank, tau->dim);
    return ir_end(b, 2, (const ir_id[]){ y, taus });
}

static void geqrf_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    ir_fn *const f = defined(b, IR_IN(e, 0));
    if (f) op_jvp_inline(b, f, x, y, dx, dy);
}

static void geqrf_one(const op_bench *w)
{
    const int r = w->x->rank;
    const int64_t m = w->x->n[r - 2], n = w->x->n[r - 1], k = m < n ? m : n;
    void *const tau = op_workspace(w, m * n);
    w->kit->load(w->x, 2, w->lead, false, false, w->workspace);
    w->kit->qr(m, n, w->workspace, tau, op_workspace(w, m * n + k));
    w->kit->store(&w->y[0], 2, w->lead, false, false, w->workspace, n);
    w->kit->store(&w->y[1], 1, w->lead, false, false, tau, k);
}

static bool geqrf_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const int64_t m = x->n[x->rank - 2], n = x->n[x->rank - 1];
    return op_each_matrix(e, x, y, m * n + m + n, geqrf_one);
}

const op_prim prim_geqrf = {
    .name = "geqrf",
    .doc = "R and the reflectors of a = Q R",
    .hlo = "",
    .call = "",
    .nin = 1,
    .nout = 2,
    OP_MATRIX_CELLS,
    .type = geqrf_type,
    .linear = op_nonlinear,
    .jvp = geqrf_jvp,
    .transpose = op_transpose_none,
    .decompose = op_decompose_none,
    .ref = geqrf_ref,
    .cases = OP_CASES("geqrf f32[3,3]", "geqrf f64[2,4,3]", "geqrf f32[2,3,5]", "geqrf c64[3,3]", "geqrf c128[2,3,2]",
                      "geqrf f32[2,0,3]", "geqrf f32[0,2,2]"),
};
