/* op/reduce/reduce_window.c - reduces a sliding window at every position: n operands, n initial values, a region (a..,
 * b..) -> (c..).
 *
 * op/reduce/window.c has the arithmetic. Padding stands for the initial value. A recognised reducer, whose identity
 * this is, skips the padding; any other region combines it, as StableHLO says. Derivatives:
 * - sums are linear: the transpose slides the same window over the cotangent;
 * - max and min give the tangent of the winning element (select_and_gather), whose transpose is select_and_scatter; of
 *   equal values the first wins;
 * - other reducers have none. */
#include "../build.h"
#include "../local/local.h"
#include "../ops.h"

#include <string.h>

enum { MAX = 8 };

static bool window_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    int64_t dim[IR_RANK];
    if (!op_reduce_type(e, x) || !op_window_type(e, x[0], IR_ATTR(e, op_window_attr), dim)) return false;
    for (uint32_t i = 0; i < e->nin / 2; i++) y[i] = ir_type_of(x[i]->dtype, x[0]->rank, dim);
    return true;
}

static void window_rules(const ir_eqn *e,
                         op_rule *r) /* dims with a trivial window pass; others read a window of x */
{
    const int n = (int)e->nin / 2;
    for (int d = 0; d < IR_IN(e, 0)->rank; d++) {
        const op_taps t = op_taps_of(IR_ATTR(e, op_window_attr), d);
        const bool trivial = op_taps_trivial(&t);
        const int f = op_factor(r, IR_OUT(e, 0)->dim[d], trivial ? OP_PASS_THROUGH : OP_PERMUTATION);
        for (int i = 0; i < n; i++) {
            if (trivial) op_dim(r, i, d, f);
            else op_dim_window(r, i, d, f, op_window_reads(&t));
            op_dim(r, 2 * n + i, d, f);
        }
    }
}

static op_linear window_linear(const ir_eqn *e)
{
    return op_monoid(e->sub[0]) == MESH_SUM ? (op_linear){ OP_JOINT, 1 } : (op_linear){ OP_NONLINEAR, 0 };
}

/* x with base_dilations - 1 fill values between elements, so that select_and_gather needs no base dilation. */
static ir_id spaced(ir_build *b, ir_id x, const op_window_attr *a, ir_id fill)
{
    int64_t zero[IR_RANK] = { 0 }, in[IR_RANK];
    const int n = a->window_dimensions.n;
    bool any = false;
    for (int d = 0; d < n; d++) in[d] = a->base_dilations.v[d] - 1, any |= in[d] != 0;
    const op_pad_attr p = { { n, zero }, { n, zero }, { n, in } };
    return any ? ir_emit(b, &prim_pad, &p, 2, (const ir_id[]){ x, fill }, 0, NULL) : x;
}

static void window_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    const mesh_reduce reduce = op_monoid(e->sub[0]);
    if (reduce == MESH_SUM) {
        op_jvp_linear(b, e, x, y, dx, dy);
        return;
    }
    if (reduce != MESH_MAX && reduce != MESH_MIN) {
        base_fail(TT_EGRAD, e->site, "reduce_window: a reducer of its own has no derivative");
        base_hint("sum, max and min have a derivative");
        return;
    }
    if (!dx[0]) return;
    op_window_attr a = *IR_ATTR(e, op_window_attr);
    const tt_dtype dtype = ir_typeof(b, x[0])->dtype;
    const ir_id in[] = { spaced(b, x[0], &a, op_identity(b, reduce, dtype)),
        spaced(b, dx[0], &a, op_real(b, dtype, 0)) };
    int64_t ones[IR_RANK];
    for (int d = 0; d < a.window_dimensions.n; d++) ones[d] = 1;
    a.base_dilations = (ir_dims){ a.window_dimensions.n, ones };
    ir_fn *select = op_region_compare(b, reduce == MESH_MAX ? OP_CMP_GE : OP_CMP_LE, dtype);
    dy[0] = select ? ir_emit(b, &prim_select_and_gather, &a, 2, in, 1, &select) : 0;
}

static void window_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    const ir_type *in = IR_IN(e, 0), *out = IR_OUT(e, 0);
    if (x[0] || !ct[0]) return;
    if (!ir_count(in) || !ir_count(out)) {
        cx[0] = op_zeros(b, in);
        return;
    }
    const op_window_attr a = op_window_back(b, IR_ATTR(e, op_window_attr), in->dim, out->dim);
    cx[0] = ir_emit(b, e->op, &a, 2, (const ir_id[]){ ct[0], op_real(b, in->dtype, 0) }, 1, e->sub);
}

static void window_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y,
                         bool *out)
{
    const op_window_attr a = op_window_grown(b, IR_ATTR(e, op_window_attr));
    const uint32_t half = e->nin / 2;
    ir_id *in = IR_NEW(b, ir_id, e->nin);
    for (uint32_t i = 0; i < half; i++) {
        if (mapped[half + i]) {
            base_fail(TT_ETRACE, e->site, "reduce_window: vmap over the initial value is not supported");
            return;
        }
        in[i] = mapped[i] ? x[i] : op_spread(b, x[i], n);
        in[half + i] = x[half + i];
    }
    const ir_id first = ir_emit(b, e->op, &a, e->nin, in, 1, e->sub);
    for (uint32_t i = 0; i < half; i++) y[i] = first ? first + i : 0, out[i] = true;
}

/* Sets `at` to the operand index of tap k of window i. Returns false if that is padding. size: the complete operand's
 * dims. */
static bool tap(const op_taps *t, int rank, const int64_t *size, const int64_t *i, const int64_t *k, int64_t *at)
{
    for (int d = 0; d < rank; d++) if ((at[d] = op_window_at(&t[d], size[d], i[d], k[d])) < 0) return false;
    return true;
}

static bool window_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const op_window_attr *a = IR_ATTR(e, op_window_attr);
    const uint32_t n = e->nin / 2;
    int64_t i[IR_RANK], k[IR_RANK], at[IR_RANK];
    ir_box taps = { .rank = x[0].rank };
    op_taps t[IR_RANK];
    ir_num value[MAX];
    op_reducer_state f;
    if (n > MAX) return base_fail(TT_EENGINE, e->site, "reduce_window: %u operands; at most %d are supported", n, MAX);
    for (int d = 0; d < x[0].rank; d++) t[d] = op_taps_of(a, d), taps.n[d] = t[d].n;
    for (bool more = ir_first(&y[0], i); more; more = ir_next(&y[0], i)) {
        op_reducer_begin(&f, e, x);
        for (bool go = ir_first(&taps, k); go; go = ir_next(&taps, k)) {
            const bool inside = tap(t, x[0].rank, IR_IN(e, 0)->dim, i, k, at);
            if (!inside && f.reduce != MESH_NONE) continue;
            for (uint32_t j = 0; j < n; j++)
                value[j] = inside ? ir_load(&x[j], at) : ir_load(&x[n + j], (const int64_t[]){ 0 });
            if (!op_reducer_add(&f, x, value)) return false;
        }
        for (uint32_t j = 0; j < n; j++) ir_store(&y[j], i, f.acc[j]);
    }
    return true;
}

static bool window_local(op_local *e, ir_id *y)
{
    op_window_attr a = *IR_ATTR(e->e, op_window_attr);
    const int n = (int)e->e->nin / 2;
    const mesh_reduce kind = op_monoid(e->e->sub[0]);
    int64_t low[IR_RANK], high[IR_RANK];
    const ir_type *const out = op_local_result(e);
    if (!out) return false;
    for (int i = 0; i < n; i++) {                        /* elements around the operand do not count */
        bool cut = false;
        for (int d = 0; d < out->rank; d++) cut |= op_local_windowed(&e->c, i, d);
        const ir_id fill = cut ? op_identity(e->p->b, kind, IR_IN(e->e, i)->dtype) : 0;
        if (cut && !op_local_windows(e, i, fill)) return false;
    }
    for (int d = 0; d < out->rank; d++) {
        const op_taps t = op_taps_of(&a, d);
        op_local_span s;
        low[d] = t.lo, high[d] = t.hi;
        if (!op_local_windowed(&e->c, 0, d)) continue;
        op_local_span_of(&e->c, 0, d, &s);
        op_local_padding(&t, &s, out->dim[d], &low[d], &high[d]);
    }
    a.padding_low = (ir_dims){ out->rank, low }, a.padding_high = (ir_dims){ out->rank, high };
    return op_local_emit(e, &a, y);
}

static const char *window_refuses(const op_local_choice *c)
{
    bool cut = false;
    for (int d = 0; d < IR_OUT(c->e, 0)->rank; d++) cut |= op_local_windowed(c, 0, d);
    return cut && op_monoid(c->e->sub[0]) == MESH_NONE ? "its windows are in parts, and it has no identity" : NULL;
}

const op_prim prim_reduce_window = {
    .name = "reduce_window",
    .doc = "reduces a sliding window at every position",
    .hlo = "stablehlo.reduce_window",
    .call = "",
    .nin = -1,
    .nout = -1,
    .nsub = 1,
    .kernel = OP_REDUCE,
    .attr = sizeof(op_window_attr),
    .field = op_window_fields,
    .type = window_type,
    .rules = window_rules,
    .linear = window_linear,
    .partial = op_partial_none,
    .jvp = window_jvp,
    .transpose = window_transpose,
    .batch = window_batch,
    .decompose = op_decompose_none,
    .exchange = op_exchange_none,
    .ref = window_ref,
    .prog = op_prog_none, .pair = op_pair_each,
    .local = OP_LOCAL(.rule = window_local, .windows = OP_LOCAL_READ, .refuses = window_refuses),
    .cases = OP_CASES(
        "reduce_window f32[2,6,5,3], -inf {window_dimensions=[1,2,2,1], window_strides=[1,2,2,1], "
        "base_dilations=[1,1,1,1], "
        "window_dilations=[1,1,1,1], padding_low=[0,0,0,0], padding_high=[0,0,1,0]} (a f32, b f32) { r = max a, b; "
        "return r }",
        "reduce_window f32[7,4], 0 {window_dimensions=[3,1], window_strides=[2,1], base_dilations=[1,1], "
        "window_dilations=[1,1], padding_low=[1,0], padding_high=[1,0]} (a f32, b f32) { r = add a, b; return r }",
        "reduce_window f32[5,4], 0 {window_dimensions=[2,3], window_strides=[1,2], base_dilations=[2,1], "
        "window_dilations=[3,1], padding_low=[-1,2], padding_high=[2,0]} (a f32, b f32) { r = add a, b; return r }",
        "reduce_window f64[6], inf {window_dimensions=[3], window_strides=[1], base_dilations=[2], "
        "window_dilations=[1], padding_low=[1], padding_high=[1]} (a f64, b f64) { r = min a, b; return r }",
        "reduce_window i32[8], 0 {window_dimensions=[8], window_strides=[1], base_dilations=[1], window_dilations=[1], "
        "padding_low=[7], padding_high=[0]} (a i32, b i32) { r = add a, b; return r }",
        "reduce_window i32[5], 2 {window_dimensions=[2], window_strides=[1], base_dilations=[1], window_dilations=[1], "
        "padding_low=[1], padding_high=[0]} (a i32, b i32) { c = mul a, b; r = add c, a; return r }",
        "reduce_window f32[0,3], 0 {window_dimensions=[2,1], window_strides=[1,1], base_dilations=[1,1], "
        "window_dilations=[1,1], padding_low=[1,0], padding_high=[2,0]} (a f32, b f32) { r = add a, b; return r }"),
};
