/* op/shape/width.c - the bits of numbers read as numbers of another width, as StableHLO's bitcast_convert: a minor dim
 * is added or removed, the least significant part first. Composed of shifts of integers, so that every engine,
 * transform and layout supports it. */
#include "../build.h"
#include "../ops.h"

static tt_dtype unsigned_of(int bits)                    /* one bit: bool, by x != 0 */
{
    static const tt_dtype of[] = { TT_BOOL, TT_U2, TT_U4, TT_U8, TT_U16, TT_U32, TT_U64 };
    return of[__builtin_ctz((unsigned)bits)];
}

static ir_id bits(ir_build *b, ir_id x, tt_dtype to)
{
    if (!x || ir_typeof(b, x)->dtype == to) return x;
    return ir_emit(b, &prim_bitcast, &(op_convert_attr){ to }, 1, &x, 0, NULL);
}

static ir_id like(ir_build *b, ir_id x, int64_t v)     /* the integer v in x's type */
{
    const ir_type *const t = ir_typeof(b, x);
    return t ? op_broadcast(b, op_int(b, t->dtype, v), t, 0, NULL) : 0;
}

/* Wide to narrow: part i is x >> (i * width), with i counting along the new dim. */
static ir_id width_split(ir_build *b, ir_id x, const ir_type *to)
{
    const int narrow = ir_dtype_of(to->dtype)->bits;
    const tt_dtype exact = unsigned_of(ir_dtype_of(ir_typeof(b, x)->dtype)->bits), wide = ir_widened(exact);
    int64_t dims[IR_RANK];
    for (int d = 0; d + 1 < to->rank; d++) dims[d] = d;
    const ir_type *const t = ir_type_of(wide, to->rank, to->dim);
    const ir_id whole = op_broadcast(b, op_convert(b, bits(b, x, exact), wide), t, to->rank - 1, dims),
        part = op_iota(b, t, to->rank - 1);
    const ir_id shift = op_mul(b, part, like(b, part, narrow)), down = op_shr(b, whole, shift);
    const ir_id low = op_and(b, down, like(b, down, ((int64_t)1 << narrow) - 1));
    return bits(b, op_convert(b, low, unsigned_of(narrow)), to->dtype);
}

/* Narrow to wide: the parts, shifted to their positions, summed along the last dim. */
static ir_id width_join(ir_build *b, ir_id x, const ir_type *to)
{
    const int narrow = ir_dtype_of(ir_typeof(b, x)->dtype)->bits;
    const tt_dtype exact = unsigned_of(ir_dtype_of(to->dtype)->bits), wide = ir_widened(exact);
    const ir_id parts = op_convert(b, bits(b, x, unsigned_of(narrow)), wide);
    const ir_type *const t = ir_typeof(b, parts);
    if (!t) return 0;
    const ir_id part = op_iota(b, t, t->rank - 1), shift = op_mul(b, part, like(b, part, narrow));
    const ir_id sum = op_reduce_dims(b, &prim_or, op_shl(b, parts, shift), 1, (const int64_t[]){ t->rank - 1 });
    return bits(b, op_convert(b, sum, exact), to->dtype);
}

/* A complex number's bits are those of its two parts, as reals in a last dim of 2. */
static const ir_type *with_dim(const ir_type *t, tt_dtype d, int64_t n)
{
    int64_t dim[IR_RANK + 1];
    for (int k = 0; k < t->rank; k++) dim[k] = t->dim[k];
    dim[t->rank] = n;
    return ir_type_of(d, t->rank + 1, dim);
}

static ir_id width_parts_of(ir_build *b, ir_id x)
{
    const op_parts z = op_parts_of(b, x);
    const ir_type *const t = z.im ? ir_typeof(b, z.im) : NULL, *const one = t ? with_dim(t, t->dtype, 1) : NULL;
    if (!one) return 0;
    const ir_id both[] = { op_reshape(b, z.re, one->rank, one->dim), op_reshape(b, z.im, one->rank, one->dim) };
    return op_concatenate(b, 2, both, t->rank);
}

static ir_id width_concat(ir_build *b, ir_id x, const ir_type *to)
{
    int64_t lo[IR_RANK] = { 0 }, hi[IR_RANK], one[IR_RANK];
    const int n = to->rank + 1;
    ir_id part[2];
    if (!x) return 0;
    for (int d = 0; d < n; d++) hi[d] = d < to->rank ? to->dim[d] : 0, one[d] = 1;
    for (int k = 0; k < 2; k++) {
        lo[n - 1] = k, hi[n - 1] = k + 1;
        const ir_id cut = op_slice(b, x, (ir_dims){ n, lo }, (ir_dims){ n, hi }, (ir_dims){ n, one });
        part[k] = op_reshape(b, cut, to->rank, to->dim);
    }
    return op_parts_join(b, (op_parts){ part[0], part[1] });
}

/* For reals and integers, with the same number of bits in total. */
static ir_id recast(ir_build *b, ir_id x, const ir_type *to)
{
    const ir_type *const from = x ? ir_typeof(b, x) : NULL;
    if (!from) return 0;
    const int n = ir_dtype_of(from->dtype)->bits, m = ir_dtype_of(to->dtype)->bits;
    if (n == m) return op_reshape(b, bits(b, x, to->dtype), to->rank, to->dim);
    const ir_type *const t = n > m ? with_dim(from, to->dtype, n / m) : with_dim(to, from->dtype, m / n);
    if (!t) return 0;
    if (n > m) return op_reshape(b, width_split(b, x, t), to->rank, to->dim);
    const ir_id apart = op_reshape(b, x, t->rank, t->dim);
    return apart ? width_join(b, apart, to) : 0;
}

ir_id op_bits_as(ir_build *b, ir_id x, const ir_type *to)
{
    const ir_type *const from = x ? ir_typeof(b, x) : NULL;
    if (!from || !to) return 0;
    const ir_type *const parts = op_is_complex(to->dtype) ? with_dim(to, op_real_dtype(to->dtype), 2) : to;
    const ir_id real = parts ? recast(b, op_is_complex(from->dtype) ? width_parts_of(b, x) : x, parts) : 0;
    return parts == to ? real : width_concat(b, real, to);
}
