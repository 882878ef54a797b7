/* op/linalg/triangular_solve.c - x with op(a) x = b (left_side) or x op(a) = b, where a is triangular and op(a) is a,
 * its transpose or its adjoint.
 *
 * One triangle of a is read, without its diagonal if the diagonal is given as ones (unit_diagonal). Columns of b (rows,
 * on the right side) are independent of each other: they may be sharded, and if only b is mapped they absorb the new
 * dim. Linear in b; the derivative with respect to a is -a^-1 da x. */
#include "matrix.h"
#include "../ops.h"

#include <string.h>

typedef op_triangular_attr attr;

static bool solve_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const attr *a = IR_ATTR(e, attr);
    const int n = x[0]->rank;
    if (!op_square_check(e, x[0])) return false;
    if (x[1]->rank != n || x[1]->dtype != x[0]->dtype ||
        memcmp(x[0]->dim, x[1]->dim, (size_t)(n - 2) * sizeof(int64_t)))
        return op_expected(e, TT_ESHAPE, "the right side", OP_ONLY, x[1], "the type and the batch dims of the matrix",
                           x[0]);
    const int at = n - 1 - a->left_side;
    if (x[1]->dim[at] != x[0]->dim[n - 1])
        return base_fail(TT_ESHAPE, e->site,
                         "triangular_solve: dim %d of the right side has %lld elements; expected %lld, one per "
                         "equation",
                         at, (long long)x[1]->dim[at], (long long)x[0]->dim[n - 1]);
    *y = ir_type_of(x[1]->dtype, n, x[1]->dim);
    return true;
}

static void solve_rules(const ir_eqn *e, op_rule *r)
{
    const int free = IR_IN(e, 1)->rank - 2 + IR_ATTR(e, attr)->left_side;
    op_matrix_rules(e, r);
    const int f = op_factor(r, IR_IN(e, 1)->dim[free], OP_PASS_THROUGH);
    op_dim(r, 1, free, f);
    op_dim(r, 2, free, f);
}

static op_linear solve_linear(const ir_eqn *e) { return (void)e, (op_linear){ OP_JOINT, 1 << 1 }; }

/* op(da), restricted to the triangle, without a diagonal of ones. */
static ir_id triangular_tangent(ir_build *b, const attr *a, ir_id da)
{
    const int64_t k = a->unit_diagonal ? 1 : 0;
    const ir_id t = a->lower ? op_where_compare(b, OP_CMP_GE, -k, da, 0) : op_where_compare(b, OP_CMP_LE, k, da, 0);
    return a->transpose_a == OP_ADJOINT ? op_adjoint(b, t) : a->transpose_a == OP_TRANSPOSE ? op_matrix_transpose(b, t)
        : t;
}

static void solve_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    const attr *a = IR_ATTR(e, attr);
    ir_id right = dx[1];
    if (dx[0]) {
        const ir_id da = triangular_tangent(b, a, dx[0]), by = a->left_side ? op_product(b, da, y[0]) : op_product(b,
            y[0], da);
        right = right ? op_sub(b, right, by) : op_neg(b, by);
    }
    if (right) dy[0] = op_solve_triangular(b, x[0], right, *a);
}

/* Solves with op(a)^T: a plain a becomes a transposed one and vice versa; an adjoint becomes a conjugate. */
static void solve_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    attr a = *IR_ATTR(e, attr);
    if (x[1] || !ct[0]) return;
    const ir_id m = a.transpose_a == OP_ADJOINT ? op_conj(b, x[0]) : x[0];
    a.transpose_a = a.transpose_a == OP_NO_TRANSPOSE ? OP_TRANSPOSE : OP_NO_TRANSPOSE;
    cx[1] = op_solve_triangular(b, m, ct[0], a);
}

static void solve_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y,
                        bool *out)
{
    const ir_type *const t = IR_IN(e, 1);
    const int free = t->rank - 2 + IR_ATTR(e, attr)->left_side;
    if (mapped[0] || !n) {
        op_matrix_batch(b, e, x, mapped, n, y, out);
        return;
    }
    const ir_id in[] = { x[0], op_merge_dim(b, x[1], free, 1) };
    y[0] = op_split_dim(b, ir_clone(b, e, in), free, 1, n);
}

static void solve_one(const op_bench *w)
{
    const attr *a = IR_ATTR(w->e, attr);
    const int r = w->x->rank, free = r - 2 + a->left_side;
    const int64_t n = w->x->n[r - 1], k = w->y->n[free];
    const ir_box right = op_box_part(&w->x[1], free, w->y->lo[free], k); /* the operand's box may be larger */
    /* x op(a) = b is op(a)^T x^T = b^T */
    const bool over = (a->transpose_a != OP_NO_TRANSPOSE) != !a->left_side;
    void *const x = op_workspace(w, n * n);
    w->kit->load(&w->x[0], 2, w->lead, over, a->transpose_a == OP_ADJOINT, w->workspace);
    w->kit->load(&right, 2, w->lead, !a->left_side, false, x);
    w->kit->solve(n, k, w->workspace, a->lower != over, a->unit_diagonal, x);
    w->kit->store(w->y, 2, w->lead, !a->left_side, false, x, k);
}

static bool solve_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const int64_t n = x->n[x->rank - 1], k = y->n[y->rank - 2 + IR_ATTR(e, attr)->left_side];
    return op_each_matrix(e, x, y, n * (n + k), solve_one);
}

static const char *const transpose_words[] = { "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT", NULL };

const op_prim prim_triangular_solve = {
    .name = "triangular_solve",
    .doc = "equations whose matrix is triangular",
    .hlo = "stablehlo.triangular_solve",
    .call = "",
    .nin = 2,
    .nout = 1,
    .kernel = OP_MATRIX,
    .attr = sizeof(attr),
    .field = OP_FIELDS(IR_FIELD(attr, left_side, IR_BOOL), IR_FIELD(attr, lower, IR_BOOL),
                       IR_FIELD(attr, unit_diagonal, IR_BOOL),
                       { "transpose_a", IR_ENUM, offsetof(attr, transpose_a), transpose_words }),
    .type = solve_type,
    .rules = solve_rules,
    .linear = solve_linear,
    .partial = op_partial_none,
    .jvp = solve_jvp,
    .transpose = solve_transpose,
    .batch = solve_batch,
    .decompose = op_decompose_none,
    .ref = solve_ref,
    .exchange = op_exchange_none,
    .prog = op_prog_none,
    .cases = OP_CASES("triangular_solve f32[3,3], f32[3,2] "
                      "{left_side=true, lower=true, unit_diagonal=false, transpose_a=NO_TRANSPOSE}",
                      "triangular_solve f64[2,3,3], f64[2,2,3] "
                      "{left_side=false, lower=true, unit_diagonal=false, transpose_a=TRANSPOSE}",
                      "triangular_solve f32[3,3], f32[3,2] "
                      "{left_side=true, lower=false, unit_diagonal=true, transpose_a=TRANSPOSE}",
                      "triangular_solve c64[2,3,3], c64[2,3,2] "
                      "{left_side=true, lower=true, unit_diagonal=false, transpose_a=ADJOINT}",
                      "triangular_solve c128[3,3], c128[2,3] "
                      "{left_side=false, lower=false, unit_diagonal=true, transpose_a=NO_TRANSPOSE}",
                      "triangular_solve f32[2,0,0], f32[2,0,3] "
                      "{left_side=true, lower=true, unit_diagonal=false, transpose_a=NO_TRANSPOSE}"),
};
