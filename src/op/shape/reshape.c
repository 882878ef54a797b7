/* op/shape/reshape.c - the same elements in row-major order, in another shape.
 *
 * The factor rule walks both shapes from the major side. While the remaining parts of the two current dims have a
 * common divisor g, g is a factor that both sides share: [6, 4] -> [2, 12] gives 2 | 3 4. If there is none ([2, 3] ->
 * [3, 2]), both sides advance separately, by factors that are not sharded, until the products of the visited dims are
 * equal again. */
#include "../build.h"
#include "../local/local.h"

#include <string.h>

typedef op_reshape_attr reshape;

static bool reshape_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const reshape *a = IR_ATTR(e, reshape);
    if (!op_check_shape(e, "shape", a->shape)) return false;
    const ir_type *t = ir_type_of(x[0]->dtype, a->shape.n, a->shape.v);
    if (ir_count(t) != ir_count(x[0]))
        return base_fail(TT_ESHAPE, e->site, "reshape: %lld elements cannot become %lld", (long long)ir_count(x[0]),
                         (long long)ir_count(t));
    *y = t;
    return true;
}

static int64_t gcd(int64_t a, int64_t b)
{
    while (b) {
        const int64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

typedef struct {
    const ir_type *t;
    int tensor, dim;
    int64_t rest;
} cursor; /* rest: the remaining part of dim */

/* Moves the cursor to the next dim with a remaining part; skips dims of size 1. */
static bool advance(cursor *c)
{
    while (c->rest == 1) {
        if (++c->dim >= c->t->rank) return false;
        c->rest = c->t->dim[c->dim];
    }
    return true;
}

static void take_unsharded(op_rule *r, cursor *c) /* the remaining part of the current dim, not sharded */
{
    op_dim(r, c->tensor, c->dim, op_factor(r, c->rest, OP_NEED_REPLICATION));
    c->rest = 1;
}

/* Without a common divisor: moves both cursors until the products of the visited dims are equal. */
static void walk_apart(op_rule *r, cursor *x, cursor *y)
{
    int64_t px = x->rest, py = y->rest;
    take_unsharded(r, x);
    take_unsharded(r, y);
    while (px != py) {
        cursor *behind = px < py ? x : y;
        if (!advance(behind)) return;
        *(px < py ? &px : &py) *= behind->rest;
        take_unsharded(r, behind);
    }
}

static void reshape_rules(const ir_eqn *e, op_rule *r)
{
    cursor x = { IR_IN(e, 0), 0, -1, 1 }, y = { IR_OUT(e, 0), 1, -1, 1 };
    /* no elements: only equal leading dims pass */
    if (!ir_count(x.t)) {
        for (int d = 0; d < x.t->rank && d < y.t->rank && x.t->dim[d] == y.t->dim[d]; d++) {
            const int f = op_factor(r, x.t->dim[d], OP_PASS_THROUGH);
            for (int t = 0; t < 2; t++) op_dim(r, t, d, f);
        }
        return;
    }
    while (advance(&x) && advance(&y)) {
        const int64_t g = gcd(x.rest, y.rest);
        if (g == 1) {
            walk_apart(r, &x, &y);
            continue;
        }
        const int f = op_factor(r, g, OP_PASS_THROUGH);
        op_dim(r, 0, x.dim, f);
        op_dim(r, 1, y.dim, f);
        x.rest /= g;
        y.rest /= g;
    }
}

static void reshape_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    if (!x[0] && ct[0]) cx[0] = op_reshape(b, ct[0], IR_IN(e, 0)->rank, IR_IN(e, 0)->dim);
}

static void reshape_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y,
                          bool *out)
{
    (void)mapped;
    (void)out;
    y[0] = ir_emit(b, e->op, &(reshape){ op_dims_shifted(b, IR_ATTR(e, reshape)->shape, 0, 1, n) }, 1, x, 0, NULL);
}

static bool reshape_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const ir_type *from = IR_IN(e, 0), *to = IR_OUT(e, 0);
    int64_t i[IR_RANK], j[IR_RANK];
    for (bool more = ir_first(y, i); more; more = ir_next(y, i)) {
        int64_t at = 0;
        for (int d = 0; d < to->rank; d++) at = at * to->dim[d] + i[d];
        for (int d = from->rank; d-- > 0; at /= from->dim[d]) j[d] = at % from->dim[d];
        ir_store(y, i, ir_load(x, j));
    }
    return true;
}

static bool reshape_local(op_local *e, ir_id *y)
{
    const ir_type *const t = op_local_result(e);
    return t && (y[0] = op_reshape(e->p->b, e->x[0], t->rank, t->dim)) != 0;
}

const op_prim prim_reshape = {
    .name = "reshape",
    .doc = "the same elements in another shape",
    .hlo = "stablehlo.reshape",
    .call = "",
    .nin = 1,
    .nout = 1,
    .kernel = OP_MOVE,
    .attr = sizeof(reshape),
    .field = OP_FIELDS(IR_FIELD(reshape, shape, IR_DIMS)),
    .type = reshape_type,
    .rules = reshape_rules,
    .linear = op_joint,
    .partial = op_partial_none,
    .jvp = op_jvp_linear,
    .transpose = reshape_transpose,
    .batch = reshape_batch,
    .decompose = op_decompose_none,
    .ref = reshape_ref,
    .exchange = op_exchange_none,
    .prog = op_prog_none,
    .local = OP_LOCAL(.rule = reshape_local),
    .cases = OP_CASES("reshape f32[2,4] {shape=[8]}", "reshape f32[8] {shape=[2,4]}", "reshape f32[4,6] {shape=[6,4]}",
                      "reshape f32[1,6,1,4] {shape=[2,1,12]}", "reshape i32[3,2,5] {shape=[2,3,5]}",
                      "reshape f32[2,0,3] {shape=[2,5,0]}", "reshape bf16[1] {shape=[]}",
                      "reshape u8[2,2,2,2,2] {shape=[32]}", "reshape f32[12,5] {shape=[4,15]}"),
};
