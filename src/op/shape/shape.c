/* op/shape/shape.c - builders for the rules of other primitives: constants, moves of dims, parts of arrays, reductions.
 *
 * Each emits one or two equations through ir_emit and returns the input itself if there is nothing to do. After a
 * failed operand (id 0) ir_emit fails again without a new error, so rules need not check every step. */
#include "../build.h"
#include "../ops.h"

#include <math.h>
#include <string.h>

static ir_id emit1(ir_build *b, const op_prim *prim, const void *attr, ir_id x)
{
    return ir_emit(b, prim, attr, 1, &x, 0, NULL);
}

/* ---- properties of a build or a region ---- */

const op_lift *op_lifts(const ir_build *b)
{
    const op_context *c = ir_context(b);
    return c ? c->lift : NULL;
}

base_name op_axis(const ir_build *b)
{
    const op_context *c = ir_context(b);
    return c ? c->axis : NULL;
}

bool op_invariant(const ir_fn *body, uint32_t i) { return i < body->narg && i < body->nret && body->ret[i] == i + 1; }

mesh_reduce op_monoid(const ir_fn *f) /* (a, b) -> a op b, one equation */
{
    if (f->narg != 2 || f->nret != 1 || f->neqn != 1 || f->ret[0] != f->eqn[0].out || f->eqn[0].nin != 2)
        return MESH_NONE;
    const ir_id *in = f->eqn[0].in;
    return (in[0] == 1 && in[1] == 2) || (in[0] == 2 && in[1] == 1) ? f->eqn[0].op->monoid : MESH_NONE;
}

bool op_exchange_none(const ir_eqn *e, op_exchange *x)
{
    (void)x;
    return base_bug(e->site, "%s is no exchange", e->op->name);
}

void op_batch_none(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y, bool *out)
{
    (void)mapped;
    (void)n;
    y[0] = ir_clone(b, e, x);
    out[0] = false;
}

/* ---- constants ---- */

static ir_id shape_constant(ir_build *b, const ir_type *t, bool splat, const void *p)
{
    const size_t one = ir_dtype_of(t->dtype)->bytes, n = splat ? 1 : (size_t)ir_count(t);
    const op_const_attr a = { t->dtype, { t->rank, t->dim }, splat, { n * one, p } };
    return ir_emit(b, &prim_const, &a, 0, NULL, 0, NULL);
}

static ir_id shape_number(ir_build *b, const ir_type *t, ir_num v)
{
    uint64_t mem[2] = { 0 };
    const ir_box one = { .at = mem, .dtype = t->dtype };
    ir_store(&one, (const int64_t[]){ 0 }, v);
    return shape_constant(b, t, true, mem);
}

ir_id op_const(ir_build *b, const ir_type *t, const void *data) { return shape_constant(b, t, false, data); }

ir_id op_splat(ir_build *b, const ir_type *t, double v)
{
    switch (ir_dtype_of(t->dtype)->cls) {
    case IR_BOOL_CLASS: return shape_number(b, t, (ir_num){ .b = v != 0 });
    case IR_INT_CLASS: return shape_number(b, t, (ir_num){ .i = (int64_t)v });
    case IR_UINT_CLASS: return shape_number(b, t, (ir_num){ .u = v < 0 ? (uint64_t)(int64_t)v : (uint64_t)v });
    default: return shape_number(b, t, (ir_num){ .c = { v, 0 } });
    }
}

ir_id op_int(ir_build *b, tt_dtype dtype, int64_t v)
{
    const ir_type *t = ir_type_of(dtype, 0, NULL);
    const ir_class c = ir_dtype_of(dtype)->cls;
    return c == IR_INT_CLASS || c == IR_UINT_CLASS ? shape_number(b, t, (ir_num){ .i = v }) : op_splat(b, t, (double)v);
}

ir_id op_real(ir_build *b, tt_dtype dtype, double v) { return op_splat(b, ir_type_of(dtype, 0, NULL), v); }
ir_id op_zeros(ir_build *b, const ir_type *t) { return op_splat(b, t, 0); }
ir_id op_ones(ir_build *b, const ir_type *t) { return op_splat(b, t, 1); }

/* The least or greatest number of a dtype: for `bits` bits signed -2^(bits-1), 2^(bits-1)-1; unsigned 0, 2^bits-1; for
 * floats infinite. */
static ir_num extreme(tt_dtype dtype, bool most)
{
    const ir_dtype *d = ir_dtype_of(dtype);
    const int bits = d->bits;
    if (d->cls == IR_BOOL_CLASS) return (ir_num){ .b = most };
    if (d->cls == IR_UINT_CLASS) return (ir_num){ .u = most ? UINT64_MAX >> (64 - bits) : 0 };
    if (d->cls == IR_INT_CLASS) return (ir_num){ .i = most ? INT64_MAX >> (64 - bits) : INT64_MIN >> (64 - bits) };
    /* the format has no negative numbers */
    if (d->end == IR_FNU && !most) return (ir_num){ .f = ir_narrow_f64(dtype, 0) };
    return (ir_num){ .f = most ? ir_dtype_most(dtype) : -ir_dtype_most(dtype) };
}

ir_num op_identity_num(mesh_reduce reduce, tt_dtype dtype)
{
    const ir_class c = ir_dtype_of(dtype)->cls;
    const bool one = reduce == MESH_PROD;
    if (reduce == MESH_MAX || reduce == MESH_MIN) return extreme(dtype, reduce == MESH_MIN);
    if (c == IR_BOOL_CLASS) return (ir_num){ .b = one || reduce == MESH_AND };
    if (reduce == MESH_AND) return (ir_num){ .i = -1 };
    return c >= IR_FLOAT_CLASS ? (ir_num){ .c = { one, 0 } } : (ir_num){ .i = one };
}

ir_id op_identity(ir_build *b, mesh_reduce reduce, tt_dtype dtype)
{
    return shape_number(b, ir_type_of(dtype, 0, NULL), op_identity_num(reduce, dtype));
}

ir_id op_iota(ir_build *b, const ir_type *t, int dim)
{
    const op_iota_attr a = { t->dtype, { t->rank, t->dim }, dim };
    return ir_emit(b, &prim_iota, &a, 0, NULL, 0, NULL);
}

/* ---- dims ---- */

ir_id op_convert(ir_build *b, ir_id x, tt_dtype to)
{
    return x && ir_typeof(b, x)->dtype == to ? x : emit1(b, &prim_convert, &(op_convert_attr){ to }, x);
}

ir_id op_broadcast(ir_build *b, ir_id x, const ir_type *to, int n, const int64_t *dims)
{
    if (!x) return 0;
    const ir_type *t = ir_typeof(b, x);
    bool same = t->rank == to->rank && n == t->rank;
    for (int d = 0; same && d < n; d++) same = dims[d] == d && t->dim[d] == to->dim[d];
    return same ? x : emit1(b, &prim_broadcast_in_dim, &(op_broadcast_attr){ { to->rank, to->dim }, { n, dims } }, x);
}

ir_id op_spread(ir_build *b, ir_id x, int64_t n)
{
    int64_t dim[IR_RANK] = { n }, at[IR_RANK];
    if (!x) return 0;
    const ir_type *t = ir_typeof(b, x);
    if (t->rank == IR_RANK)
        return base_fail(TT_ESHAPE, NULL, "vmap: a value of %d dims, the limit, has no place for the mapped dim",
                         IR_RANK), 0;
    for (int d = 0; d < t->rank; d++) dim[d + 1] = t->dim[d], at[d] = d + 1;
    return op_broadcast(b, x, ir_type_of(t->dtype, t->rank + 1, dim), t->rank, at);
}

ir_id op_reshape(ir_build *b, ir_id x, int rank, const int64_t *dim)
{
    if (!x) return 0;
    const ir_type *t = ir_typeof(b, x);
    const bool same = t->rank == rank && (!rank || !memcmp(t->dim, dim, (size_t)rank * sizeof *dim));
    return same ? x : emit1(b, &prim_reshape, &(op_reshape_attr){ { rank, dim } }, x);
}

ir_id op_transpose(ir_build *b, ir_id x, const int64_t *perm)
{
    if (!x) return 0;
    const int rank = ir_typeof(b, x)->rank;
    bool same = true;
    for (int d = 0; d < rank; d++) same &= perm[d] == d;
    return same ? x : emit1(b, &prim_transpose, &(op_transpose_attr){ { rank, perm } }, x);
}

ir_id op_move(ir_build *b, ir_id x, int from, int to)
{
    int64_t perm[IR_RANK];
    if (!x) return 0;
    const int rank = ir_typeof(b, x)->rank;
    for (int d = 0, s = 0; d < rank; d++) {
        if (d == to) {
            perm[d] = from;
            continue;
        }
        s += s == from;
        perm[d] = s++;
    }
    return op_transpose(b, x, perm);
}

ir_id op_reverse(ir_build *b, ir_id x, ir_dims dims)
{
    return dims.n ? emit1(b, &prim_reverse, &(op_reverse_attr){ dims }, x) : x;
}

/* ---- parts ---- */

ir_id op_slice(ir_build *b, ir_id x, ir_dims start, ir_dims limit, ir_dims strides)
{
    return emit1(b, &prim_slice, &(op_slice_attr){ start, limit, strides }, x);
}

ir_id op_pad(ir_build *b, ir_id x, ir_dims lo, ir_dims hi, ir_dims interior)
{
    if (!x) return 0;
    const ir_id in[] = { x, op_real(b, ir_typeof(b, x)->dtype, 0) };
    return ir_emit(b, &prim_pad, &(op_pad_attr){ lo, hi, interior }, 2, in, 0, NULL);
}

ir_id op_concatenate(ir_build *b, int n, const ir_id *x, int dim)
{
    return n == 1 ? x[0] : ir_emit(b, &prim_concatenate, &(op_concatenate_attr){ dim }, (uint32_t)n, x, 0, NULL);
}

ir_id op_dynamic_slice(ir_build *b, ir_id x, const ir_id *start, ir_dims sizes)
{
    ir_id in[1 + IR_RANK] = { x };
    memcpy(in + 1, start, (size_t)sizes.n * sizeof *start);
    return ir_emit(b, &prim_dynamic_slice, &(op_dynamic_slice_attr){ sizes }, 1 + (uint32_t)sizes.n, in, 0, NULL);
}

ir_id op_dynamic_update_slice(ir_build *b, ir_id x, ir_id update, const ir_id *start)
{
    ir_id in[2 + IR_RANK] = { x, update };
    if (!x) return 0;
    const uint32_t rank = (uint32_t)ir_typeof(b, x)->rank;
    memcpy(in + 2, start, rank * sizeof *start);
    return ir_emit(b, &prim_dynamic_update_slice, NULL, 2 + rank, in, 0, NULL);
}

static void row_start(ir_build *b, ir_id i, int rank, ir_id *start) /* (i, 0, 0, ...) */
{
    const ir_id zero = rank > 1 ? op_int(b, ir_typeof(b, i)->dtype, 0) : 0;
    for (int d = 0; d < rank; d++) start[d] = d ? zero : i;
}

ir_id op_at(ir_build *b, ir_id x, ir_id i)
{
    int64_t size[IR_RANK] = { 1 };
    ir_id start[IR_RANK];
    if (!x || !i) return 0;
    const ir_type *t = ir_typeof(b, x);
    for (int d = 1; d < t->rank; d++) size[d] = t->dim[d];
    row_start(b, i, t->rank, start);
    return op_reshape(b, op_dynamic_slice(b, x, start, (ir_dims){ t->rank, size }), t->rank - 1, t->dim + 1);
}

ir_id op_update_at(ir_build *b, ir_id x, ir_id i, ir_id v)
{
    int64_t size[IR_RANK] = { 1 };
    ir_id start[IR_RANK];
    if (!x || !i) return 0;
    const ir_type *t = ir_typeof(b, x);
    for (int d = 1; d < t->rank; d++) size[d] = t->dim[d];
    row_start(b, i, t->rank, start);
    return op_dynamic_update_slice(b, x, op_reshape(b, v, t->rank, size), start);
}

/* ---- arithmetic ---- */

ir_id op_plus(ir_build *b, ir_id x, ir_id y) { return !x ? y : !y ? x : op_add(b, x, y); }

ir_id op_compare(ir_build *b, op_cmp how, ir_id x, ir_id y)
{
    const op_compare_attr a = { .comparison_direction = how };
    return ir_emit(b, &prim_compare, &a, 2, (const ir_id[]){ x, y }, 0, NULL);
}

ir_id op_less(ir_build *b, ir_id x, ir_id y) { return op_compare(b, OP_CMP_LT, x, y); }
ir_id op_equal(ir_build *b, ir_id x, ir_id y) { return op_compare(b, OP_CMP_EQ, x, y); }

ir_id op_dot(ir_build *b, ir_id x, ir_id y, const op_dot_attr *a)
{
    return ir_emit(b, &prim_dot_general, a, 2, (const ir_id[]){ x, y }, 0, NULL);
}

ir_fn *op_reducer(ir_build *b, const op_prim *monoid, tt_dtype dtype)
{
    const ir_type *t = ir_type_of(dtype, 0, NULL);
    ir_build *r = ir_region(b, base_intern(monoid->name));
    ir_id in[2];
    for (int i = 0; i < 2; i++) in[i] = ir_arg(r, t);
    const ir_id out = ir_emit(r, monoid, NULL, 2, in, 0, NULL);
    return ir_end(r, 1, &out);
}

ir_id op_reduce_dims(ir_build *b, const op_prim *monoid, ir_id x, int n, const int64_t *dims)
{
    if (!n || !x) return x;
    const tt_dtype dtype = ir_typeof(b, x)->dtype;
    ir_fn *f = op_reducer(b, monoid, dtype);
    const ir_id in[2] = { x, op_identity(b, monoid->monoid, dtype) };
    return f ? ir_emit(b, &prim_reduce, &(op_reduce_attr){ { n, dims } }, 2, in, 1, &f) : 0;
}

/* ---- collectives ---- */

ir_id op_psum(ir_build *b, ir_id x, ir_names axes, bool unchecked)
{
    return emit1(b, &prim_psum, &(op_reduce_axes_attr){ axes, unchecked }, x);
}

ir_id op_to_varying(ir_build *b, ir_id x, ir_names axes)
{
    return emit1(b, &prim_to_varying, &(op_axis_attr){ axes, false }, x);
}
