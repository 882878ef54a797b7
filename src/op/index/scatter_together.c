/* op/index/scatter_together.c - a scatter into several arrays by one region; each result of the region may depend on
 * all arrays.
 *
 * Operands: n arrays of one shape, indices, n updates of one shape; the region (old 1 .. n, update 1 .. n) -> new 1 ..
 * n, for example the maximum together with its index. A region whose result j depends on the j-th array alone is
 * imported as n `scatter`s. A window that is not inside the arrays is dropped; updates are applied in row-major order.
 * There is no derivative, as in JAX; scattered dims are not sharded, as nothing is known about the region. */
#include "scatter_common.h"
#include "../local/local.h"

enum { MOST = 16 }; /* number of arrays */
typedef op_scatter_attr scatter;

static uint32_t arrays(const ir_eqn *e) { return e->nin / 2; }

static bool together_region(const ir_eqn *e, const ir_type *const *x)
{
    const ir_fn *f = e->sub[0];
    const uint32_t n = arrays(e);
    bool fits = f->narg == 2 * n && f->nret == n;
    for (uint32_t j = 0; fits && j < n; j++) {
        const ir_type *const own = ir_type_of(x[j]->dtype, 0, NULL);
        fits = f->type[1 + j] == own && f->type[1 + n + j] == own && f->type[f->ret[j]] == own;
    }
    return fits || base_fail(TT_ETYPE, e->site,
                             "scatter_together: the region must take two scalars of each array's type "
                             "and return one");
}

static bool together_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const uint32_t n = arrays(e);
    if (!n || e->nin != 2 * n + 1 || n > MOST)
        return base_fail(TT_ESHAPE, e->site,
                         "scatter_together: %u operands; expected 1 to %d arrays, indices and as many updates", e->nin,
                         MOST);
    if (!together_region(e, x)) return false;
    for (uint32_t j = 0; j < n; j++) {
        if (!ir_same_dims(x[j], x[0])) return op_expected(e, TT_ESHAPE, "array", j, x[j], "the shape of array 0", x[0]);
        if (!ir_same_dims(x[n + 1 + j], x[n + 1]))
            return op_expected(e, TT_ESHAPE, "the array of updates", j, x[n + 1 + j], "the shape of updates 0",
                               x[n + 1]);
        if (!op_scatter_check(e, x[j], x[n], x[n + 1 + j])) return false;
        y[j] = x[j];
    }
    return true;
}

/* Batching dims pass; windows are masked to the result's box, so their dims pass; scattered dims are not sharded. */
static void together_rules(const ir_eqn *e, op_rule *r)
{
    const scatter *a = IR_ATTR(e, scatter);
    const int n = (int)arrays(e);
    const ir_type *x = IR_IN(e, 0), *up = IR_IN(e, n + 1);
    const op_scatter_plan p = op_scatter_plan_of(a, x, IR_IN(e, n));
    for (int i = 0; i < p.nbatch; i++) {
        const ir_dims both = a->scatter_indices_batching_dims;
        const bool batching = op_dims_has(both, p.batch_in[i]);
        const int f = op_factor(r, up->dim[p.batch_up[i]], batching ? OP_PASS_THROUGH : OP_NEED_REPLICATION);
        op_dim(r, n, p.batch_in[i], f);
        for (int j = 0; j < n; j++) {
            op_dim(r, n + 1 + j, p.batch_up[i], f);
            for (int k = 0; k < both.n; k++) {
                if (both.v[k] != p.batch_in[i]) continue;
                op_dim(r, j, (int)a->input_batching_dims.v[k], f);
                op_dim(r, 2 * n + 1 + j, (int)a->input_batching_dims.v[k], f);
            }
        }
    }
    for (int d = 0; d < x->rank; d++) {
        if (op_dims_has(a->input_batching_dims, d)) continue;
        const int f = op_factor(r, x->dim[d], OP_PASS_THROUGH);
        for (int j = 0; j < n; j++) {
            op_dim(r, j, d, f);
            op_dim(r, 2 * n + 1 + j, d, f);
            for (int i = 0; i < p.nwindow; i++)
                if (p.window[i] == d && up->dim[a->update_window_dims.v[i]] == x->dim[d])
                    op_dim(r, n + 1 + j, (int)a->update_window_dims.v[i], f);
        }
    }
}

static void together_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t size, ir_id *y,
                           bool *out)
{
    const uint32_t n = arrays(e);
    const scatter s = op_scatter_batched(b, IR_ATTR(e, scatter), mapped[n]);
    ir_id *in = IR_NEW(b, ir_id, e->nin);
    for (uint32_t i = 0; i < e->nin; i++) in[i] = mapped[i] || i == n ? x[i] : op_spread(b, x[i], size);
    const ir_id first = ir_emit(b, e->op, &s, e->nin, in, 1, e->sub);
    for (uint32_t j = 0; j < n; j++) y[j] = first ? first + j : 0, out[j] = true;
}

static bool together_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const uint32_t n = arrays(e);
    const op_scatter_plan p = op_scatter_plan_of(IR_ATTR(e, scatter), IR_IN(e, 0), IR_IN(e, n));
    ir_num mem[3 * MOST];
    ir_box arg[3 * MOST];
    int64_t i[IR_RANK], j[IR_RANK], scalar[1] = { 0 };
    for (uint32_t k = 0; k < 3 * n; k++) arg[k] = (ir_box){ .at = &mem[k], .dtype = y[k % n].dtype };
    for (uint32_t k = 0; k < n; k++)
        if (!ir_copy(&x[k], &y[k])) return false;
    for (bool more = ir_first(&x[n + 1], i); more; more = ir_next(&x[n + 1], i)) {
        bool here = op_scatter_target(e, &p, IR_IN(e, 0), IR_IN(e, n + 1), &x[n], i, j);
        for (int d = 0; d < y->rank; d++) here = here && j[d] >= y->lo[d] && j[d] < y->lo[d] + y->n[d];
        if (!here) continue;
        for (uint32_t k = 0; k < n; k++) {
            ir_store(&arg[k], scalar, ir_load(&y[k], j));
            ir_store(&arg[n + k], scalar, ir_load(&x[n + 1 + k], i));
        }
        if (!ir_eval(e->sub[0], arg, arg + 2 * n)) return false;
        for (uint32_t k = 0; k < n; k++) ir_store(&y[k], j, ir_load(&arg[2 * n + k], scalar));
    }
    return true;
}

/* Whole windows and batches alone: its arrays are combined by one region, so that none of them is a sum of parts. */
static const char *together_refuses(const op_local_choice *c)
{
    const op_scatter_attr *const a = IR_ATTR(c->e, op_scatter_attr);
    const int n = (int)(c->e->nin - 1) / 2;
    const ir_type *const x = IR_IN(c->e, 0), *const up = IR_IN(c->e, n + 1);
    const op_scatter_plan at = op_scatter_plan_of(a, x, IR_IN(c->e, n));
    for (int d = 0; d < x->rank; d++)
        if (mesh_list_size(c->from, op_local_list(c, 0, d)) > 1 && !op_dims_has(a->input_batching_dims, d) &&
            op_scatter_window(a, &at, up, d) != x->dim[d])
            return "a dim that it writes at indices is in parts";
    return NULL;
}

const op_prim prim_scatter_together = {
    .name = "scatter_together",
    .doc = "windows of several arrays combined in at computed starts",
    .hlo = "stablehlo.scatter",
    .call = "",
    .nin = -1,
    .nout = -1,
    .nsub = 1,
    .kernel = OP_MOVE,
    .attr = sizeof(scatter),
    .field = OP_FIELDS(
        IR_FIELD(scatter, update_window_dims, IR_DIMS), IR_FIELD(scatter, inserted_window_dims, IR_DIMS),
        IR_FIELD(scatter, input_batching_dims, IR_DIMS), IR_FIELD(scatter, scatter_indices_batching_dims, IR_DIMS),
        IR_FIELD(scatter, scatter_dims_to_operand_dims, IR_DIMS), IR_FIELD(scatter, index_vector_dim, IR_INT),
        IR_FIELD(scatter, indices_are_sorted, IR_BOOL), IR_FIELD(scatter, unique_indices, IR_BOOL)),
    .type = together_type,
    .rules = together_rules,
    .linear = op_nonlinear,
    .partial = op_partial_none,
    .jvp = op_jvp_none,
    .transpose = op_transpose_none,
    .batch = together_batch,
    .decompose = op_decompose_none,
    .ref = together_ref,
    .exchange = op_exchange_none,
    .prog = op_prog_none,
    .local = OP_LOCAL(.rule = op_local_as_is, .refuses = together_refuses),
    .cases = OP_CASES(
        "scatter_together f32[5,3], i32[5,3], i32[4,1], f32[4,3], i32[4,3] {update_window_dims=[1], "
        "inserted_window_dims=[0], scatter_dims_to_operand_dims=[0], index_vector_dim=1} (v f32, i i32, w f32, j i32) "
        "{ "
        "g = compare v, w {comparison_direction=ge}; a = select g, v, w; c = select g, i, j; return a, c }",
        "scatter_together f64[3,5,2], f64[3,5,2], i32[3,2,1], f64[3,2,2], f64[3,2,2] {update_window_dims=[2], "
        "inserted_window_dims=[1], input_batching_dims=[0], scatter_indices_batching_dims=[0], "
        "scatter_dims_to_operand_dims=[1], index_vector_dim=2} (a f64, b f64, c f64, d f64) { p = mul a, c; q = add b, "
        "p; "
        "return c, q }",
        "scatter_together i32[6], u8[6], i64[4,1], i32[4], u8[4] {inserted_window_dims=[0], "
        "scatter_dims_to_operand_dims=[0], index_vector_dim=1} (a i32, b u8, c i32, d u8) { e = convert d "
        "{new_dtype=i32}; "
        "s = sub a, e; r = xor b, d; return s, r }",
        "scatter_together f32[0,3], f32[0,3], i32[2,1], f32[2,0,2], f32[2,0,2] {update_window_dims=[1,2], "
        "scatter_dims_to_operand_dims=[1], index_vector_dim=1} (a f32, b f32, c f32, d f32) { e = add a, d; return e, "
        "c "
        "}"),
};
