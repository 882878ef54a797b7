/* op/shape/pad.c - inserts a value around an array (low, high; negative amounts remove elements) and between its
 * elements (interior). Operands: x, value (scalar). Result size: low + n + max(n - 1, 0) * interior + high. */
#include "../build.h"
#include "../local/local.h"
#include "../ops.h"

#include <string.h>

#define LL(x) ((long long)(x))
#define MOST  ((int64_t)1 << 40)
typedef op_pad_attr pad;

static bool pad_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const pad *a = IR_ATTR(e, pad);
    int64_t dim[IR_RANK];
    if (!op_check_count(e, "edge_padding_low", a->edge_padding_low, x[0]->rank) ||
        !op_check_count(e, "edge_padding_high", a->edge_padding_high, x[0]->rank) ||
        !op_check_count(e, "interior_padding", a->interior_padding, x[0]->rank))
        return false;
    if (!op_check_amounts(e, "edge_padding_low", a->edge_padding_low, MOST) ||
        !op_check_amounts(e, "edge_padding_high", a->edge_padding_high, MOST) ||
        !op_check_amounts(e, "interior_padding", a->interior_padding, MOST))
        return false;
    if (x[1]->rank || x[1]->dtype != x[0]->dtype)
        return op_expected(e, TT_ETYPE, "the padding value", OP_ONLY, x[1], "a scalar of the type of the operand",
                           x[0]);
    for (int d = 0; d < x[0]->rank; d++) {
        const int64_t n = x[0]->dim[d], lo = a->edge_padding_low.v[d], hi = a->edge_padding_high.v[d],
                      in = a->interior_padding.v[d];
        int64_t inner;
        if (in < 0) return base_fail(TT_ESHAPE, e->site, "pad: interior_padding %lld of dim %d is negative", LL(in), d);
        if (__builtin_mul_overflow(n ? n - 1 : 0, in, &inner) || __builtin_add_overflow(inner, n, &inner) ||
            __builtin_add_overflow(inner, lo, &inner) || __builtin_add_overflow(inner, hi, &dim[d]) || dim[d] < 0)
            return base_fail(TT_ESHAPE, e->site,
                             "pad: dim %d of size %lld with low %lld, high %lld, interior %lld has no size", d, LL(n),
                                 LL(lo), LL(hi),
                             LL(in));
    }
    if (!op_check_shape(e, "result", (ir_dims){ x[0]->rank, dim })) return false;
    *y = ir_type_of(x[0]->dtype, x[0]->rank, dim);
    return true;
}

/* an unpadded dim passes; others read a window of the operand */
static void pad_rules(const ir_eqn *e, op_rule *r)
{
    const pad *a = IR_ATTR(e, pad);
    for (int d = 0; d < IR_IN(e, 0)->rank; d++) {
        const int64_t lo = a->edge_padding_low.v[d], in = a->interior_padding.v[d], size = IR_OUT(e, 0)->dim[d];
        const bool same = !lo && !in && size == IR_IN(e, 0)->dim[d];
        const int f = op_factor(r, size, same ? OP_PASS_THROUGH : OP_PERMUTATION);
        if (same) op_dim(r, 0, d, f);
        else op_dim_window(r, 0, d, f, (op_window){ 1, -lo, -lo, in + 1 });
        op_dim(r, 2, d, f);
    }
}

/* The cotangent of x: the elements that come from x, by a strided slice; elements that a negative padding removed are
 * restored as zeros first. The cotangent of value: the sum of all other elements. */
static void pad_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    const pad *a = IR_ATTR(e, pad);
    const ir_type *t = IR_IN(e, 0);
    int64_t lo[IR_RANK], hi[IR_RANK], in[IR_RANK] = { 0 }, from[IR_RANK], to[IR_RANK], step[IR_RANK];
    bool cut = false;
    if (!ct[0]) return;
    for (int d = 0; d < t->rank; d++) {
        const int64_t l = a->edge_padding_low.v[d], h = a->edge_padding_high.v[d], n = t->dim[d];
        lo[d] = l < 0 ? -l : 0;
        hi[d] = h < 0 ? -h : 0;
        cut |= lo[d] || hi[d];
        step[d] = a->interior_padding.v[d] + 1;
        from[d] = l < 0 ? 0 : l;
        to[d] = from[d] + (n ? (n - 1) * step[d] + 1 : 0);
    }
    ir_id all = ct[0];
    if (cut) all = op_pad(b, all, (ir_dims){ t->rank, lo }, (ir_dims){ t->rank, hi }, (ir_dims){ t->rank, in });
    const ir_id mine =
        op_slice(b, all, (ir_dims){ t->rank, from }, (ir_dims){ t->rank, to }, (ir_dims){ t->rank, step });
    const ir_dims dims = op_dims_range(b, 0, t->rank);
    if (!x[0]) cx[0] = mine;
    if (!x[1])
        cx[1] = op_sub(b, op_reduce_dims(b, &prim_add, ct[0], dims.n, dims.v),
            op_reduce_dims(b, &prim_add, mine, dims.n, dims.v));
}

/* If the padding value is mapped: pads with zeros, and selects by a mask that is padded in the same way. */
static void pad_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y, bool *out)
{
    const pad *a = IR_ATTR(e, pad);
    (void)out;
    const pad wide = { op_dims_shifted(b, a->edge_padding_low, 0, 1, 0),
                       op_dims_shifted(b, a->edge_padding_high, 0, 1, 0),
                       op_dims_shifted(b, a->interior_padding, 0, 1, 0) };
    const ir_id v = mapped[0] ? x[0] : op_spread(b, x[0], n);
    if (!mapped[1]) {
        y[0] = ir_emit(b, e->op, &wide, 2, (const ir_id[]){ v, x[1] }, 0, NULL);
        return;
    }
    const ir_type *t = ir_typeof(b, v);
    const ir_id inside = op_pad(b, v, wide.edge_padding_low, wide.edge_padding_high, wide.interior_padding);
    const ir_id mask = op_pad(b, op_ones(b, ir_type_of(TT_BOOL, t->rank, t->dim)), wide.edge_padding_low,
                              wide.edge_padding_high, wide.interior_padding);
    const ir_id around = inside ? op_broadcast(b, x[1], ir_typeof(b, inside), 1, (const int64_t[]){ 0 }) : 0;
    y[0] = op_select(b, mask, inside, around);
}

static bool pad_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const pad *a = IR_ATTR(e, pad);
    const ir_type *t = IR_IN(e, 0);
    int64_t i[IR_RANK], j[IR_RANK], scalar[1] = { 0 };
    for (bool more = ir_first(y, i); more; more = ir_next(y, i)) {
        bool inside = true;
        for (int d = 0; d < y->rank; d++) {
            const int64_t at = i[d] - a->edge_padding_low.v[d], step = a->interior_padding.v[d] + 1;
            inside &= at >= 0 && at % step == 0 && at / step < t->dim[d];
            j[d] = at / step;
        }
        ir_store(y, i, inside ? ir_load(&x[0], j) : ir_load(&x[1], scalar));
    }
    return true;
}

static bool pad_local(op_local *e, ir_id *y)
{
    op_pad_attr a = *IR_ATTR(e->e, op_pad_attr);
    const ir_type *const out = op_local_result(e);
    int64_t low[IR_RANK], high[IR_RANK], in[IR_RANK];
    if (!out || !op_local_windows(e, 0, e->x[1])) return false;
    for (int d = 0; d < out->rank; d++) {
        low[d] = a.edge_padding_low.v[d], high[d] = a.edge_padding_high.v[d], in[d] = a.interior_padding.v[d];
        if (!op_local_windowed(&e->c, 0, d)) continue;
        op_local_span s;
        op_local_span_of(&e->c, 0, d, &s);
        low[d] += s.first * (in[d] + 1);                 /* where the first element that is read comes to stand */
        high[d] = out->dim[d] - low[d] - ((s.n - 1) * (in[d] + 1) + 1);
    }
    a = (op_pad_attr){ { out->rank, low }, { out->rank, high }, { out->rank, in } };
    return op_local_emit(e, &a, y);
}

const op_prim prim_pad = {
    .name = "pad",
    .doc = "a value around and between the elements",
    .hlo = "stablehlo.pad",
    .call = "",
    .nin = 2,
    .nout = 1,
    .kernel = OP_MOVE,
    .attr = sizeof(pad),
    .field = OP_FIELDS(IR_FIELD(pad, edge_padding_low, IR_DIMS), IR_FIELD(pad, edge_padding_high, IR_DIMS),
                       IR_FIELD(pad, interior_padding, IR_DIMS)),
    .type = pad_type,
    .rules = pad_rules,
    .linear = op_joint,
    .partial = op_partial_none,
    .jvp = op_jvp_linear,
    .transpose = pad_transpose,
    .batch = pad_batch,
    .decompose = op_decompose_none,
    .ref = pad_ref,
    .exchange = op_exchange_none,
    .prog = op_prog_none,
    .local = OP_LOCAL(.rule = pad_local, .windows = OP_LOCAL_READ),
    .cases =
        OP_CASES("pad f32[3,4], f32[] {edge_padding_low=[1,0], edge_padding_high=[0,0], interior_padding=[2,0]}",
                 "pad f32[5,4], f32[] {edge_padding_low=[-1,2], edge_padding_high=[-2,-1], interior_padding=[0,1]}",
                 "pad i32[0], i32[] {edge_padding_low=[2], edge_padding_high=[1], interior_padding=[3]}",
                 "pad f32[2,3], f32[] {edge_padding_low=[-2,0], edge_padding_high=[0,1], interior_padding=[0,0]}",
                 "pad f32[3,2], f32[] {edge_padding_low=[0,0], edge_padding_high=[-2,0], interior_padding=[1,0]}",
                 "pad bf16[], bf16[] {edge_padding_low=[], edge_padding_high=[], interior_padding=[]}"),
};
