/* op/linalg/pinv.c - the pseudo-inverse p of Moore and Penrose: V diag(1 / s) U' over the singular values above the
 * largest times 10 max(m, n) epsilon. Computed by svd.
 *
 * Derivative (G. Golub, V. Pereyra), for matrices of constant rank: -p da p + p p' da' (1 - a p) + (1 - p a) da' p'
 * p. */
#include "matrix.h"
#include "../ops.h"

#include <float.h>

static bool pinv_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    if (!op_matrix_check(e, x[0])) return false;
    const int r = x[0]->rank;
    *y = op_matrix_type(x[0], x[0]->dtype, 2, x[0]->dim[r - 1], x[0]->dim[r - 2]);
    return *y != NULL;
}

static ir_id product3(ir_build *b, ir_id x, ir_id y, ir_id z) { return op_product(b, op_product(b, x, y), z); }

static void pinv_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    const ir_id a = x[0], p = y[0], da = dx[0];
    (void)e;
    if (!da) return;
    const ir_id ph = op_adjoint(b, p), dh = op_adjoint(b, da);
    const ir_id left = product3(b, p, ph, dh), right = product3(b, dh, ph, p);
    const ir_id outer = op_sub(b, left, product3(b, left, a, p)), inner = op_sub(b, right, product3(b, p, a, right));
    dy[0] = op_sub(b, op_add(b, outer, inner), product3(b, p, da, p));
}

static bool pinv_decompose(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    const ir_type *const t = IR_IN(e, 0);
    const int64_t m = t->dim[t->rank - 2], n = t->dim[t->rank - 1], last = t->rank - 2;
    const ir_id s = ir_emit(b, &prim_svd, &(op_full_attr){ false }, 1, x, 0, NULL);
    if (!s) return false;
    if (!ir_count(t)) return (y[0] = op_zeros(b, IR_OUT(e, 0))) != 0;
    const ir_type *const st = ir_typeof(b, s);
    const double epsilon = st->dtype == TT_F64 ? DBL_EPSILON : FLT_EPSILON;
    const ir_id most = op_reduce_dims(b, &prim_max, s, 1, &last);
    int64_t lead[IR_RANK];
    for (int d = 0; d < t->rank - 2; d++) lead[d] = d;
    const ir_id least = op_mul(b, op_broadcast(b, most, st, t->rank - 2, lead),
                               op_splat(b, st, 10.0 * (double)(m > n ? m : n) * epsilon));
    const ir_id on = op_less(b, least, s), one = op_ones(b, st);
    const ir_id over = op_select(b, on, op_div(b, one, op_select(b, on, s, one)), op_zeros(b, st));
    const ir_id v = op_adjoint(b, s + 2);
    if (!v || !over) return false;
    const ir_id scaled = op_mul(b, v, op_by_column(b, op_convert(b, over, t->dtype), ir_typeof(b, v)));
    return (y[0] = op_product(b, scaled, op_adjoint(b, s + 1))) != 0;
}

const op_prim prim_pinv = {
    .name = "pinv",
    .doc = "the pseudo-inverse",
    .hlo = "",
    .call = "",
    .nin = 1,
    .nout = 1,
    OP_MATRIX_CELLS,
    .type = pinv_type,
    .linear = op_nonlinear,
    .jvp = pinv_jvp,
    .transpose = op_transpose_none,
    .decompose = pinv_decompose,
    .ref = op_ref_decomposed,
    .cases = OP_CASES("pinv f32[3,3]", "pinv f64[2,4,3]", "pinv c64[2,3]", "pinv f32[2,0,3]", "pinv f32[0,2,2]"),
};
