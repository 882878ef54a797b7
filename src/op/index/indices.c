/* op/index/indices.c - start indices for dynamic_slice, dynamic_update_slice, gather and scatter; one application of a
 * monoid. */
#include "../build.h"
#include "../local/local.h"
#include "../ops.h"

#include <math.h>

int64_t op_load_index(const ir_box *x, const int64_t *i)
{
    const ir_num v = ir_load(x, i);
    return ir_dtype_of(x->dtype)->cls == IR_UINT_CLASS && v.u > INT64_MAX ? INT64_MAX : v.i;
}

/* A vector of n numbers in an integer dtype, saturated to its largest number. */
static ir_id bounds(ir_build *b, tt_dtype dtype, int n, const int64_t *most)
{
    const ir_dtype *d = ir_dtype_of(dtype);
    const int bits = d->bits - (d->cls == IR_INT_CLASS);
    const int64_t top = bits >= 63 ? INT64_MAX : (int64_t)((1ull << bits) - 1);
    const int64_t size = n;
    uint64_t *mem = IR_NEW(b, uint64_t, n + 1);
    const ir_type *t = ir_type_of(dtype, 1, &size);
    const ir_box box = ir_box_dense(mem, t);
    for (int64_t k = 0; k < n; k++) ir_store(&box, &k, (ir_num){ .i = most[k] < top ? most[k] : top });
    return op_const(b, t, mem);
}

ir_id op_clamp_indices(ir_build *b, ir_id indices, int64_t vector_dim, int n, const int64_t *most)
{
    if (!indices) return 0;
    const ir_type *t = ir_typeof(b, indices);
    ir_id hi = bounds(b, t->dtype, n, most);
    /* each index is a vector of one entry, without a dim for it */
    const bool scalar = vector_dim == t->rank;
    if (scalar) hi = op_reshape(b, hi, 0, NULL);
    hi = op_broadcast(b, hi, t, !scalar, &vector_dim);
    return op_clamp(b, op_zeros(b, t), indices, hi);
}

ir_id op_stack_starts(ir_build *b, int n, const ir_id *start, const bool *mapped, int64_t size)
{
    ir_id *column = IR_NEW(b, ir_id, n);
    for (int i = 0; i < n; i++) {
        const ir_id s = mapped[i] ? start[i] : op_spread(b, start[i], size);
        column[i] = op_reshape(b, s, 2, (const int64_t[]){ size, 1 });
    }
    return op_concatenate(b, n, column, 1);
}

/* -0 is less than 0, in either order */
static double combine_real(mesh_reduce reduce, double a, double b)
{
    switch (reduce) {
    case MESH_SUM: return a + b;
    case MESH_PROD: return a * b;
    case MESH_MAX: return isnan(a) || a > b || (a == b && !signbit(a)) ? a : b;
    case MESH_MIN: return isnan(a) || a < b || (a == b && signbit(a)) ? a : b;
    default: return b;
    }
}

static uint64_t combine_bits(mesh_reduce reduce, bool is_signed, uint64_t a, uint64_t b)
{
    const bool more = is_signed ? (int64_t)a > (int64_t)b : a > b;
    switch (reduce) {
    case MESH_SUM: return a + b;
    case MESH_PROD: return a * b;
    case MESH_MAX: return more ? a : b;
    case MESH_MIN: return more ? b : a;
    case MESH_AND: return a & b;
    case MESH_OR: return a | b;
    case MESH_XOR: return a ^ b;
    default: return b;
    }
}

ir_num op_combine(mesh_reduce reduce, tt_dtype dtype, ir_num a, ir_num b)
{
    const ir_class c = ir_dtype_of(dtype)->cls;
    if (c == IR_BOOL_CLASS) return (ir_num){ .b = combine_bits(reduce, false, a.b, b.b) != 0 };
    if (c == IR_COMPLEX_CLASS) {                         /* rounded as if stored, so that each application rounds */
        ir_num z = op_combine_wide(reduce, dtype, a, b);
        if (dtype == TT_C64) z.c.re = (double)(float)z.c.re, z.c.im = (double)(float)z.c.im;
        return z;
    }
    if (c != IR_FLOAT_CLASS) return (ir_num){ .u = combine_bits(reduce, c == IR_INT_CLASS, a.u, b.u) };
    /* exact in f64 for one application in f32; narrower types by way of f32 */
    const double r = combine_real(reduce, a.f, b.f);
    return (ir_num){ .f = dtype == TT_F64 ? r : (float)r };
}

ir_id op_local_indices(op_local_fn *p, ir_id index, int64_t vector, int n, const ir_id *offset)
{
    const ir_type *t = ir_typeof(p->b, index);
    ir_id one[IR_RANK + 1];
    const int64_t single = 1;
    if (!t) return 0;
    const bool wide = t->dtype == TT_I64 || t->dtype == TT_U64 || t->dtype == TT_U32;
    index = op_convert(p->b, index, wide ? TT_I64 : TT_I32);
    t = ir_type_of(wide ? TT_I64 : TT_I32, t->rank, t->dim);
    for (int k = 0; k < n; k++)
        one[k] = op_reshape(p->b, op_convert(p->b, offset[k] ? offset[k] : op_int(p->b, TT_I32, 0), t->dtype), 1,
                            &single);
    if (vector >= t->rank)
        return op_sub(p->b, index, op_broadcast(p->b, op_reshape(p->b, one[0], 0, NULL), t, 0, NULL));
    const ir_id all = n > 1 ? op_concatenate(p->b, n, one, 0) : one[0];
    return op_sub(p->b, index, op_broadcast(p->b, all, t, 1, &vector));
}
