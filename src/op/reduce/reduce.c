/* op/reduce/reduce.c - reduces dims by a region (a.., b..) -> (c..): n operands, n initial values, n results.
 *
 * A recognised reducer (one equation whose primitive is a monoid) has its identity as initial value; builder and
 * importer ensure this, so that a sharded reduction counts the initial value once. The reference of recognised reducers
 * combines in f64 (floats) and rounds once; other regions are evaluated element by element in row-major order. argmax
 * and argmin (op_arg_reducer) are recognised for their derivative: the tangent of the winning element. */
#include "../build.h"
#include "../local/local.h"
#include "../ops.h"

#include <math.h>
#include <string.h>

enum { MAX = 8 };                                        /* operands that the reference reduces at once */

static bool reduce_kept(const op_reduce_attr *a, int d)
{
    for (int i = 0; i < a->dimensions.n; i++) if (a->dimensions.v[i] == d) return false;
    return true;
}

static bool region_type(const ir_eqn *e, const ir_type *const *x, uint32_t n)
{
    const ir_fn *f = e->sub[0];
    if (f->narg != 2 * n || f->nret != n)
        return base_fail(TT_ETYPE, e->site,
                         "%s of %u operands: its region must take %u and return %u scalars, not %u and %u", e->op->name,
                         n, 2 * n, n, f->narg, f->nret);
    for (uint32_t i = 0; i < 3 * n; i++) {
        const ir_type *t = i < 2 * n ? f->type[1 + i] : f->type[f->ret[i - 2 * n]];
        if (t->rank || t->dtype != x[i % n]->dtype)
            return base_fail(TT_ETYPE, e->site, "%s: %s %u of its region must be a scalar %s, not %s of rank %d",
                             e->op->name, i < 2 * n ? "parameter" : "result", i < 2 * n ? i + 1 : i - 2 * n + 1,
                             ir_dtype_of(x[i % n]->dtype)->name, ir_dtype_of(t->dtype)->name, t->rank);
    }
    return true;
}

bool op_reduce_type(const ir_eqn *e, const ir_type *const *x)
{
    const uint32_t n = e->nin / 2;
    if (!n || e->nin != 2 * n)
        return base_fail(TT_EARG, e->site, "%s takes operands and as many initial values, not %u values", e->op->name,
                         e->nin);
    for (uint32_t i = 0; i < n; i++) {
        if (x[n + i]->rank || x[n + i]->dtype != x[i]->dtype)
            return base_fail(TT_ETYPE, e->site, "%s: initial value %u must be a scalar %s, not %s of rank %d",
                             e->op->name, i + 1, ir_dtype_of(x[i]->dtype)->name, ir_dtype_of(x[n + i]->dtype)->name,
                             x[n + i]->rank);
        if (x[i]->rank != x[0]->rank ||
            (x[0]->rank && memcmp(x[i]->dim, x[0]->dim, (size_t)x[0]->rank * sizeof(int64_t))))
            return op_expected(e, TT_ESHAPE, "operand", i + 1, x[i], "the shape of operand 1", x[0]);
    }
    return region_type(e, x, n);
}

static bool reduce_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const op_reduce_attr *a = IR_ATTR(e, op_reduce_attr);
    bool seen[IR_RANK] = { 0 };
    if (!op_reduce_type(e, x)) return false;
    for (int i = 0; i < a->dimensions.n; i++) {
        const int64_t d = a->dimensions.v[i];
        if (d < 0 || d >= x[0]->rank)
            return base_fail(TT_ESHAPE, e->site, "reduce: no dim %lld in an operand of rank %d", (long long)d,
                             x[0]->rank);
        if (seen[d]) return base_fail(TT_ESHAPE, e->site, "reduce: dim %lld is named twice", (long long)d);
        seen[d] = true;
    }
    for (uint32_t i = 0; i < e->nin / 2; i++) {
        int64_t dim[IR_RANK];
        int k = 0;
        for (int d = 0; d < x[i]->rank; d++) if (!seen[d]) dim[k++] = x[i]->dim[d];
        y[i] = ir_type_of(x[i]->dtype, k, dim);
    }
    return true;
}

/* Complex numbers have an order, but it does not combine parts. */
static mesh_reduce reduce_leaves(const ir_eqn *e)
{
    const mesh_reduce reduce = op_monoid(e->sub[0]);
    return (reduce == MESH_MAX || reduce == MESH_MIN) && op_is_complex(IR_IN(e, 0)->dtype) ? MESH_NONE : reduce;
}

static void reduce_rules(const ir_eqn *e, op_rule *r)
{
    const op_reduce_attr *a = IR_ATTR(e, op_reduce_attr);
    const int n = (int)e->nin / 2;
    const bool known = reduce_leaves(e) != MESH_NONE;
    int out = 0;
    for (int d = 0; d < IR_IN(e, 0)->rank; d++) {
        const bool stays = reduce_kept(a, d);
        const int f = op_factor(r, IR_IN(e, 0)->dim[d], stays ? OP_PASS_THROUGH : known ? OP_REDUCTION
            : OP_NEED_REPLICATION);
        for (int i = 0; i < n; i++) {
            op_dim(r, i, d, f);
            if (stays) op_dim(r, 2 * n + i, out, f);
        }
        out += stays;
    }
}

static op_linear reduce_linear(const ir_eqn *e)
{
    return op_monoid(e->sub[0]) == MESH_SUM ? (op_linear){ OP_JOINT, 1 } : (op_linear){ OP_NONLINEAR, 0 };
}

static ir_id back(ir_build *b, const ir_eqn *e, ir_id y) /* y broadcast along the reduced dims */
{
    int64_t stay[IR_RANK];
    int n = 0;
    if (!y) return 0;
    for (int d = 0; d < IR_IN(e, 0)->rank; d++) if (reduce_kept(IR_ATTR(e, op_reduce_attr), d)) stay[n++] = d;
    return op_broadcast(b, y, ir_type_as(IR_IN(e, 0), ir_typeof(b, y)->dtype, IR_IN(e, 0)->rank, IR_IN(e, 0)->dim), n,
                        stay);
}

static ir_id cumulative(ir_build *b, ir_id x, int dim, bool reverse)
{
    return ir_emit(b, &prim_cumprod, &(op_cum_attr){ dim, reverse }, 1, &x, 0, NULL);
}

/* x shifted by one along its last dim, with ones inserted: exclusive products from inclusive ones. */
static ir_id reduce_shifted(ir_build *b, ir_id x, bool up)
{
    if (!x) return 0;
    const ir_type *t = ir_typeof(b, x);
    int64_t lo[IR_RANK] = { 0 }, hi[IR_RANK] = { 0 }, zero[IR_RANK] = { 0 };
    lo[t->rank - 1] = up ? 1 : -1;
    hi[t->rank - 1] = up ? -1 : 1;
    const ir_id in[] = { x, op_real(b, t->dtype, 1) };
    const op_pad_attr a = { { t->rank, lo }, { t->rank, hi }, { t->rank, zero } };
    return ir_emit(b, &prim_pad, &a, 2, in, 0, NULL);
}

/* dy = sum of dx[j] times the product of all others, computed as (product before j) (product after j), without
 * division. */
static void product_jvp(ir_build *b, const ir_eqn *e, ir_id x, ir_id dx, ir_id *dy)
{
    const op_reduce_attr *a = IR_ATTR(e, op_reduce_attr);
    const ir_type *t = IR_IN(e, 0);
    int64_t perm[IR_RANK], dim[IR_RANK], all = 1;
    int n = 0;
    for (int d = 0; d < t->rank; d++) if (reduce_kept(a, d)) perm[n] = d, dim[n++] = t->dim[d];
    const int stay = n;
    for (int d = 0; d < t->rank; d++) if (!reduce_kept(a, d)) perm[n++] = d, all *= t->dim[d];
    dim[stay] = all;
    const ir_id flat = op_reshape(b, op_transpose(b, x, perm), stay + 1, dim);
    const ir_id dflat = op_reshape(b, op_transpose(b, dx, perm), stay + 1, dim);
    const ir_id others = op_mul(b, reduce_shifted(b, cumulative(b, flat, stay, false), true),
                                reduce_shifted(b, cumulative(b, flat, stay, true), false));
    *dy = op_reduce_dims(b, &prim_add, op_mul(b, dflat, others), 1, (const int64_t[]){ stay });
}

/* The mean of d over the winning elements; 0 if the initial value won. y: the result; where it is NaN no element is
 * equal to it, and the derivative is 0/0, NaN too, as in JAX. */
static ir_id mean_where(ir_build *b, const ir_eqn *e, ir_id won, ir_id d, ir_id y)
{
    const ir_dims dims = IR_ATTR(e, op_reduce_attr)->dimensions;
    const ir_id here = op_convert(b, won, IR_IN(e, 0)->dtype);
    const ir_id sum = op_reduce_dims(b, &prim_add, op_mul(b, d, here), dims.n, dims.v);
    const ir_id count = op_reduce_dims(b, &prim_add, here, dims.n, dims.v);
    if (!count) return 0;
    const ir_id known = op_equal(b, y, y), some = op_max(b, count, op_ones(b, ir_typeof(b, count)));
    return op_div(b, sum, op_select(b, known, some, op_zeros_as(b, ir_typeof(b, count))));
}

static void reduce_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    const mesh_reduce reduce = op_monoid(e->sub[0]);
    if (reduce == MESH_SUM) {
        op_jvp_linear(b, e, x, y, dx, dy);
    } else if ((reduce == MESH_MAX || reduce == MESH_MIN) && dx[0]) {
        dy[0] = mean_where(b, e, op_equal(b, x[0], back(b, e, y[0])), dx[0], y[0]);
    } else if (reduce == MESH_PROD && dx[0]) {
        product_jvp(b, e, x[0], dx[0], dy);
    /* indices distinguish equal values */
    } else if (e->nin == 4 && op_arg_reducer(e->sub[0])) {
        const ir_id value = op_equal(b, x[0], back(b, e, y[0])), index = op_equal(b, x[1], back(b, e, y[1]));
        if (dx[0]) dy[0] = mean_where(b, e, op_and(b, value, index), dx[0], y[0]);
    } else {
        base_fail(TT_EGRAD, e->site, "reduce: a reducer of its own has no derivative");
        base_hint("sum, product, max, min, argmax and argmin have a derivative; write others as a scan, or give a rule "
                  "with tt_custom_vjp");
    }
}

static void reduce_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    if (!x[0] && ct[0]) cx[0] = back(b, e, ct[0]);       /* only sums are linear */
}

static void reduce_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y,
                         bool *out)
{
    const ir_dims d = IR_ATTR(e, op_reduce_attr)->dimensions;
    const uint32_t half = e->nin / 2;
    int64_t *v = IR_NEW(b, int64_t, d.n);
    ir_id *in = IR_NEW(b, ir_id, e->nin);
    bool start = false, any = false;
    for (int i = 0; i < d.n; i++) v[i] = d.v[i] + 1;
    for (uint32_t i = 0; i < half; i++) any |= mapped[i], start |= mapped[half + i];
    if (start && op_monoid(e->sub[0]) == MESH_NONE) {
        base_fail(TT_ETRACE, e->site, "reduce: vmap over the initial value of a reducer of its own is not supported");
        base_hint("reduce with a fixed initial value, then combine the result with the mapped one");
        return;
    }
    for (uint32_t i = 0; i < half; i++) {
        in[i] = mapped[i] || !any ? x[i] : op_spread(b, x[i], n);
        in[half + i] = start ? op_identity(b, op_monoid(e->sub[0]), ir_typeof(b, x[i])->dtype) : x[half + i];
    }
    const op_reduce_attr grown = { { d.n, any ? v : d.v } };
    const ir_id first = ir_emit(b, e->op, &grown, e->nin, in, 1, e->sub);
    for (uint32_t i = 0; i < half; i++) y[i] = first ? first + i : 0, out[i] = any;
    /* one operand: combines y (or each mapped y) with its initial value */
    if (!start || !first) return;
    const ir_type *t = IR_OUT(e, 0);
    int64_t dim[IR_RANK] = { n };
    for (int k = 0; k < t->rank; k++) dim[k + 1] = t->dim[k];
    const ir_type *to = ir_type_as(t, t->dtype, t->rank + 1, dim);
    const ir_id from = op_broadcast(b, x[1], to, 1, (const int64_t[]){ 0 });
    const ir_id reduced = any ? y[0] : op_spread(b, y[0], n);
    y[0] = ir_emit(b, e->sub[0]->eqn[0].op, NULL, 2, (const ir_id[]){ from, reduced }, 0, NULL);
    out[0] = true;
}

static double float_wide(mesh_reduce reduce, double a, double b)
{
    const double least = a < b ? a : a > b || signbit(b) ? b : a, most = a > b ? a : a < b || !signbit(b) ? b : a;
    switch (reduce) {
    case MESH_SUM:  return a + b;
    case MESH_PROD: return a * b;
    default:        return isnan(a) ? a : isnan(b) ? b : reduce == MESH_MAX ? most : least;  /* NaN wins, -0 < +0 */
    }
}

static uint64_t integer_wide(mesh_reduce reduce, bool less, uint64_t a, uint64_t b)
{
    switch (reduce) {
    case MESH_SUM:  return a + b;
    case MESH_PROD: return a * b;
    case MESH_MAX:  return less ? b : a;
    case MESH_MIN:  return less ? a : b;
    case MESH_AND:  return a & b;
    case MESH_OR:   return a | b;
    default:        return a ^ b;
    }
}

static bool complex_nan(ir_num a) { return isnan(a.c.re) || isnan(a.c.im); }

static ir_num complex_wide(mesh_reduce reduce, ir_num a, ir_num b)
{
    if (reduce == MESH_MAX || reduce == MESH_MIN) {
        const bool less = a.c.re < b.c.re || (a.c.re == b.c.re && a.c.im < b.c.im);
        return !complex_nan(a) && (complex_nan(b) || less == (reduce == MESH_MAX)) ? b : a;
    }
    if (reduce != MESH_PROD) return (ir_num){ .c = { a.c.re + b.c.re, a.c.im + b.c.im } };
    return (ir_num){ .c = { a.c.re * b.c.re - a.c.im * b.c.im, a.c.re * b.c.im + a.c.im * b.c.re } };
}

ir_num op_combine_wide(mesh_reduce reduce, tt_dtype dtype, ir_num a, ir_num b)
{
    switch (ir_dtype_of(dtype)->cls) {
    case IR_FLOAT_CLASS: return (ir_num){ .f = float_wide(reduce, a.f, b.f) };
    case IR_COMPLEX_CLASS: return complex_wide(reduce, a, b);
    case IR_BOOL_CLASS:  return (ir_num){ .b = integer_wide(reduce, a.b < b.b, a.b,
        b.b) & (reduce == MESH_SUM ? 3 : 1) };
    case IR_INT_CLASS:   return (ir_num){ .u = integer_wide(reduce, a.i < b.i, a.u, b.u) };
    default:             return (ir_num){ .u = integer_wide(reduce, a.u < b.u, a.u, b.u) };
    }
}

void op_reducer_begin(op_reducer_state *f, const ir_eqn *e, const ir_box *x)
{
    const uint32_t n = e->nin / 2;
    const int64_t zero[1] = { 0 };
    f->e = e, f->n = n, f->reduce = n == 1 ? op_monoid(e->sub[0]) : MESH_NONE;
    for (uint32_t j = 0; j < n; j++) f->acc[j] = ir_load(&x[n + j], zero);
}

bool op_reducer_add(op_reducer_state *f, const ir_box *x, const ir_num *value)
{
    const int64_t zero[1] = { 0 };
    ir_num mem[3 * MAX] = { { .c = { 0, 0 } } };
    ir_box box[3 * MAX];
    if (f->reduce != MESH_NONE) {
        f->acc[0] = op_combine_wide(f->reduce, x[0].dtype, f->acc[0], value[0]);
        return true;
    }
    for (uint32_t j = 0; j < 3 * f->n; j++) box[j] = (ir_box){ .at = &mem[j], .dtype = x[j % f->n].dtype };
    for (uint32_t j = 0; j < f->n; j++) ir_store(&box[j], zero, f->acc[j]), ir_store(&box[f->n + j], zero, value[j]);
    if (!ir_eval(f->e->sub[0], box, box + 2 * f->n)) return false;
    for (uint32_t j = 0; j < f->n; j++) f->acc[j] = ir_load(&box[2 * f->n + j], zero);
    return true;
}

static bool reduce_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const op_reduce_attr *a = IR_ATTR(e, op_reduce_attr);
    const uint32_t n = e->nin / 2;
    int64_t i[IR_RANK], k[IR_RANK];
    ir_num value[MAX];
    op_reducer_state f;
    if (n > MAX) return base_fail(TT_EENGINE, e->site, "reduce: %u operands; at most %d are supported", n, MAX);
    for (bool more = ir_first(&y[0], i); more; more = ir_next(&y[0], i)) {
        /* the elements of this result: kept dims fixed, reduced dims complete */
        ir_box fibre = x[0];
        for (int d = 0, o = 0; d < x[0].rank; d++) if (reduce_kept(a, d)) fibre.lo[d] = i[o++], fibre.n[d] = 1;
        op_reducer_begin(&f, e, x);
        for (bool go = ir_first(&fibre, k); go; go = ir_next(&fibre, k)) {
            for (uint32_t j = 0; j < n; j++) value[j] = ir_load(&x[j], k);
            if (!op_reducer_add(&f, x, value)) return false;
        }
        for (uint32_t j = 0; j < n; j++) ir_store(&y[j], i, f.acc[j]);
    }
    return true;
}

static bool reduce_local(op_local *e, ir_id *y)
{
    const mesh_set over = op_local_summed(e);
    const mesh_reduce kind = op_monoid(e->e->sub[0]);
    for (uint32_t i = e->e->nin / 2; over && i < e->e->nin; i++)         /* the initial value counts once */
        if (!(e->x[i] = op_local_once(e->p, e->x[i], over, kind))) return false;
    for (uint32_t i = 0; over && i < e->e->nin / 2; i++)
        if (!op_local_mask_sum(e, (int)i, kind)) return false;
    return op_local_as_is(e, y);
}

const op_prim prim_reduce = {
    .name = "reduce",
    .doc = "reduces dims by an associative region",
    .hlo = "stablehlo.reduce",
    .call = "",
    .nin = -1,
    .nout = -1,
    .nsub = 1,
    .kernel = OP_REDUCE,
    .attr = sizeof(op_reduce_attr),
    .field = OP_FIELDS(IR_FIELD(op_reduce_attr, dimensions, IR_DIMS)),
    .type = reduce_type,
    .rules = reduce_rules,
    .linear = reduce_linear,
    .partial = reduce_leaves,
    .jvp = reduce_jvp,
    .transpose = reduce_transpose,
    .batch = reduce_batch,
    .decompose = op_decompose_none,
    .exchange = op_exchange_none,
    .ref = reduce_ref,
    .prog = op_prog_none, .pair = op_pair_each,
    .local = OP_LOCAL(.rule = reduce_local, .sums = true),
    .cases = OP_CASES("reduce f32[3,4], 0 {dimensions=[1]} (a f32, b f32) { r = add a, b; return r }",
                      "reduce f32[3,0,2], -inf {dimensions=[1,2]} (a f32, b f32) { r = max a, b; return r }",
                      "reduce f32[5,3,2], -inf {dimensions=[0]} (a f32, b f32) { r = max a, b; return r }",
                      "reduce f64[4,5], inf {dimensions=[0,1]} (a f64, b f64) { r = min a, b; return r }",
                      "reduce f32[2,3,2], 1 {dimensions=[0,2]} (a f32, b f32) { r = mul a, b; return r }",
                      "reduce bf16[7,3], 0 {dimensions=[0]} (a bf16, b bf16) { r = add a, b; return r }",
                      "reduce i32[6,5], 0 {dimensions=[1]} (a i32, b i32) { r = add a, b; return r }",
                      "reduce bool[6,5], false {dimensions=[0]} (a bool, b bool) { r = or a, b; return r }",
                      "reduce f32[4], 0 {dimensions=[]} (a f32, b f32) { r = add a, b; return r }",
                      "reduce f32[3,4], i32[3,4], -inf, 0:i32 {dimensions=[1]} (v f32, i i32, w f32, j i32) { g = "
                      "compare "
                      "v, w {comparison_direction=gt}; "
                      "n = compare v, v {comparison_direction=ne}; p = or g, n; q = compare v, "
                      "w {comparison_direction=eq}; l = compare i, j {comparison_direction=lt}; "
                      "t = and q, l; s = or p, t; a = select p, v, w; c = select s, i, j; return a, c }",
                      "reduce i32[5,3], 7 {dimensions=[0]} (a i32, b i32) { c = mul a, a; r = add c, b; return r }"),
};
