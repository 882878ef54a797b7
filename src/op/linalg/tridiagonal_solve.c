/* op/linalg/tridiagonal_solve.c - x with T x = b, T by its diagonals: row i is low[i], mid[i], high[i]; low[0] and the
 * last number of high are not read. Elimination with exchange of rows, as LAPACK's gtsv.
 *
 * A singular T gives NaN; perturb_singular: pivots too small to divide by are moved away from 0, as in LAPACK's lagts,
 * which inverse iteration requires. Columns of b are independent of each other: they may be sharded, and if only b is
 * mapped they absorb the new dim. Linear in b; the derivative with respect to T is -T^-1 dT x. */
#include "matrix.h"
#include "../ops.h"

#include <float.h>
#include <string.h>

typedef op_three_attr attr;
enum { B, LOW, MID, HIGH };

static bool solve_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    if (!op_matrix_check(e, x[B])) return false;
    const ir_type *const each = op_matrix_type(x[B], x[B]->dtype, 1, x[B]->dim[x[B]->rank - 2], 0);
    for (int i = LOW; each && i <= HIGH; i++)
        if (x[i]->dtype != each->dtype || !ir_same_dims(x[i], each))
            return op_expected(e, TT_ESHAPE, "diagonal", (uint32_t)i, x[i], "one number per equation", each);
    *y = x[B];
    return each != NULL;
}

static void solve_rules(const ir_eqn *e, op_rule *r)
{
    const int column = IR_IN(e, B)->rank - 1;
    op_matrix_rules(e, r);
    const int f = op_factor(r, IR_IN(e, B)->dim[column], OP_PASS_THROUGH);
    op_dim(r, B, column, f);
    op_dim(r, HIGH + 1, column, f);
}

static op_linear solve_linear(const ir_eqn *e) { return (void)e, (op_linear){ OP_JOINT, 1 << B }; }

/* x shifted by one along a dim, with a zero inserted in front or, if `back`, at the end. */
static ir_id tridiagonal_solve_moved(ir_build *b, ir_id x, int dim, bool back)
{
    int64_t lo[IR_RANK] = { 0 }, hi[IR_RANK] = { 0 }, none[IR_RANK] = { 0 };
    if (!x) return 0;
    const int rank = ir_typeof(b, x)->rank;
    lo[dim] = back ? -1 : 1, hi[dim] = -lo[dim];
    return op_pad(b, x, (ir_dims){ rank, lo }, (ir_dims){ rank, hi }, (ir_dims){ rank, none });
}

static ir_id solved(ir_build *b, const ir_eqn *e, const ir_id *three, ir_id right)
{
    if (!right) return 0;
    return ir_emit(b, e->op, e->attr, 4, (const ir_id[]){ right, three[0], three[1], three[2] }, 0, NULL);
}

static void solve_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    const ir_type *const t = IR_IN(e, B);
    const int row = t->rank - 2;
    ir_id right = dx[B];
    dy[0] = 0;
    if (!ir_count(t)) return;
    for (int i = LOW; i <= HIGH; i++) {
        const ir_id z = i == MID ? y[0] : tridiagonal_solve_moved(b, y[0], row, i == HIGH);
        const ir_id part = dx[i] ? op_neg(b, op_mul(b, op_by_row(b, dx[i], t), z)) : 0;
        if (part) right = op_plus(b, right, part);
    }
    dy[0] = solved(b, e, x + LOW, right);
}

/* T' has T's upper diagonal below its main diagonal, and T's lower one above. */
static void solve_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    const int last = IR_IN(e, LOW)->rank - 1;
    if (x[B] || !ct[0]) return;
    const ir_id three[] = { tridiagonal_solve_moved(b, x[HIGH], last, false), x[MID],
        tridiagonal_solve_moved(b, x[LOW], last, true) };
    cx[B] = three[0] && three[2] ? solved(b, e, three, ct[0]) : 0;
}

static void solve_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y,
                        bool *out)
{
    const int column = IR_IN(e, B)->rank - 1;
    if (mapped[LOW] || mapped[MID] || mapped[HIGH] || !n) {
        op_matrix_batch(b, e, x, mapped, n, y, out);
        return;
    }
    y[0] = op_split_dim(b, solved(b, e, x + LOW, op_merge_dim(b, x[B], column, 1)), column, 1, n);
}

static void solve_one(const op_bench *w)
{
    const int column = w->y->rank - 1;
    const int64_t n = w->y->n[column - 1], k = w->y->n[column];
    const ir_box right = op_box_part(&w->x[B], column, w->y->lo[column], k); /* the operand's box may be larger */
    const double least = w->y->dtype == TT_F64 || w->y->dtype == TT_C128 ? DBL_EPSILON : FLT_EPSILON;
    void *const three[] = { op_workspace(w, n * k), op_workspace(w, n * k + n), op_workspace(w, n * k + 2 * n) };
    w->kit->load(&right, 2, w->lead, false, false, w->workspace);
    for (int i = 0; i < 3; i++) w->kit->load(&w->x[LOW + i], 1, w->lead, false, false, three[i]);
    if (!w->kit->three(n, k, three[0], three[1], three[2], w->workspace, op_workspace(w, n * k + 3 * n),
                       IR_ATTR(w->e, attr)->perturb_singular ? least : 0))
        w->kit->spoil(w->workspace, n * k);
    w->kit->store(w->y, 2, w->lead, false, false, w->workspace, k);
}

static bool solve_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    return op_each_matrix(e, x, y, y->n[y->rank - 2] * (y->n[y->rank - 1] + 5), solve_one);
}

const op_prim prim_tridiagonal_solve = {
    .name = "tridiagonal_solve",
    .doc = "equations of three diagonals",
    .hlo = "",
    .call = "",
    .nin = 4,
    .nout = 1,
    .kernel = OP_MATRIX,
    .attr = sizeof(attr),
    .field = OP_FIELDS(IR_FIELD(attr, perturb_singular, IR_BOOL)),
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
    .cases = OP_CASES("tridiagonal_solve f32[4,2], f32[4], f32[4], f32[4] {perturb_singular=false}",
                      "tridiagonal_solve f64[2,5,3], f64[2,5], f64[2,5], f64[2,5] {perturb_singular=false}",
                      "tridiagonal_solve c64[3,2], c64[3], c64[3], c64[3] {perturb_singular=false}",
                      "tridiagonal_solve c128[2,3,1], c128[2,3], c128[2,3], c128[2,3] {perturb_singular=true}",
                      "tridiagonal_solve f32[1,2], f32[1], f32[1], f32[1] {perturb_singular=false}",
                      "tridiagonal_solve f32[2,0,3], f32[2,0], f32[2,0], f32[2,0] {perturb_singular=false}"),
};
