/* op/reduce/select_and_gather.c - the element of t at the position that each window of x selects: the tangent of max
 * pooling.
 *
 * Operands x and t of one shape, region select (2 -> bool) as in select_and_scatter, which is the transpose. Linear in
 * t; a window of padding only gives 0. StableHLO has no such operation: it is exported as a reduce_window of pairs. */
#include "../build.h"
#include "../local/local.h"
#include "../ops.h"

static bool gather_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    int64_t dim[IR_RANK];
    if (!op_select_type(e, x, dim)) return false;
    if (x[1]->dtype != x[0]->dtype)
        return base_fail(TT_ETYPE, e->site, "select_and_gather: operands of types %s and %s; expected one type",
                         ir_dtype_of(x[0]->dtype)->name, ir_dtype_of(x[1]->dtype)->name);
    if (x[1]->rank != x[0]->rank)
        return base_fail(TT_ESHAPE, e->site, "select_and_gather: operands of ranks %d and %d; expected one rank",
                         x[0]->rank, x[1]->rank);
    for (int d = 0; d < x[0]->rank; d++)
        if (x[1]->dim[d] != x[0]->dim[d])
            return base_fail(TT_ESHAPE, e->site, "select_and_gather: operands differ in dim %d: %lld and %lld", d,
                             (long long)x[0]->dim[d], (long long)x[1]->dim[d]);
    y[0] = ir_type_of(x[0]->dtype, x[0]->rank, dim);
    return true;
}

static void gather_rules(const ir_eqn *e, op_rule *r)
{
    for (int d = 0; d < IR_IN(e, 0)->rank; d++) {
        const op_taps t = op_taps_of(IR_ATTR(e, op_window_attr), d);
        const bool trivial = op_taps_trivial(&t);
        const int f = op_factor(r, IR_OUT(e, 0)->dim[d], trivial ? OP_PASS_THROUGH : OP_PERMUTATION);
        for (int i = 0; i < 2; i++)
            if (trivial) op_dim(r, i, d, f);
            else op_dim_window(r, i, d, f, op_window_reads(&t));
        op_dim(r, 2, d, f);
    }
}

static op_linear gather_linear(const ir_eqn *e)
{
    (void)e;
    return (op_linear){ OP_JOINT, 2 };
}

static void gather_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)y;
    if (dx[1]) dy[0] = ir_clone(b, e, (const ir_id[]){ x[0], dx[1] });
}

static void gather_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    if (x[1] || !ct[0]) return;
    const tt_dtype dtype = IR_IN(e, 0)->dtype;
    ir_fn *sub[2] = { e->sub[0], op_reducer(b, &prim_add, dtype) };
    const ir_id in[] = { x[0], ct[0], op_real(b, dtype, 0) };
    if (sub[1]) cx[1] = ir_emit(b, &prim_select_and_scatter, e->attr, 3, in, 2, sub);
}

static void gather_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y,
                         bool *out)
{
    const op_window_attr a = op_window_grown(b, IR_ATTR(e, op_window_attr));
    ir_id in[2];
    for (int i = 0; i < 2; i++) in[i] = mapped[i] ? x[i] : op_spread(b, x[i], n);
    y[0] = ir_emit(b, e->op, &a, 2, in, 1, e->sub);
    out[0] = true;
}

/* reduce_window over (x, t, is valid): returns the winner's t; padding is not valid and never wins. */
static bool gather_decompose(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    const tt_dtype d[3] = { IR_IN(e, 0)->dtype, IR_IN(e, 0)->dtype, TT_BOOL };
    const ir_type *t = IR_IN(e, 0);
    ir_id in[6] = { x[0], x[1], op_ones(b, ir_type_of(TT_BOOL, t->rank, t->dim)) }, p[6], keep, out[3];
    ir_build *r = ir_region(b, base_intern("winner"));
    for (int i = 0; i < 3; i++) in[3 + i] = op_real(b, d[i], 0);
    for (int i = 0; i < 6; i++) p[i] = ir_arg(r, ir_type_of(d[i % 3], 0, NULL));
    if (!ir_inline(r, e->sub[0], (const ir_id[]){ p[0], p[3] }, &keep)) return false;
    /* the left one is valid, and better or the only valid one */
    keep = op_and(r, p[2], op_or(r, keep, op_not(r, p[5])));
    for (int i = 0; i < 2; i++) out[i] = op_select(r, keep, p[i], p[3 + i]);
    out[2] = op_or(r, p[2], p[5]);
    ir_fn *f = ir_end(r, 3, out);
    const ir_id first = f ? ir_emit(b, &prim_reduce_window, e->attr, 6, in, 1, &f) : 0;
    y[0] = first ? first + 1 : 0;
    return first != 0;
}

static bool gather_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    int64_t i[IR_RANK], at[IR_RANK];
    bool any;
    for (bool more = ir_first(y, i); more; more = ir_next(y, i)) {
        if (!op_select_index(e, &x[0], i, at, &any)) return false;
        ir_store(y, i, any ? ir_load(&x[1], at) : (ir_num){ 0 });
    }
    return true;
}

const op_prim prim_select_and_gather = {
    .name = "select_and_gather",
    .doc = "the second operand at the place that each window of the first selects",
    .hlo = "",
    .call = "",
    .nin = 2,
    .nout = 1,
    .nsub = 1,
    .kernel = OP_REDUCE,
    .attr = sizeof(op_window_attr),
    .field = op_window_fields,
    .type = gather_type,
    .rules = gather_rules,
    .linear = gather_linear,
    .partial = op_partial_none,
    .jvp = gather_jvp,
    .transpose = gather_transpose,
    .batch = gather_batch,
    .decompose = gather_decompose,
    .exchange = op_exchange_none,
    .ref = gather_ref,
    .prog = op_prog_none,
    .local = &op_local_select,
    .cases = OP_CASES(
        "select_and_gather f32[2,6,5,3], f32[2,6,5,3] {window_dimensions=[1,2,2,1], window_strides=[1,2,2,1], "
        "base_dilations=[1,1,1,1], "
        "window_dilations=[1,1,1,1], padding_low=[0,0,0,0], padding_high=[0,0,1,0]} (a f32, b f32) { p = compare a, b "
        "{comparison_direction=ge}; "
        "return p }",
        "select_and_gather f32[7], f32[7] {window_dimensions=[3], window_strides=[2], base_dilations=[1], "
        "window_dilations=[2], padding_low=[2], "
        "padding_high=[1]} (a f32, b f32) { p = compare a, b {comparison_direction=le}; return p }"),
};
