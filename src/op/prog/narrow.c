/* op/prog/narrow.c - dtypes of less than 16 bits in scalar programs. Each element occupies one byte, is widened for
 * computing, and is rounded after every equation. Only inputs, constants and bitcasts have such a dtype; the
 * conversions are codes on integers and floats, so that every engine that runs scalar programs supports these dtypes.
 * All formats are described by the numbers in ir's table of dtypes. */
#include "prog.h"

#include <math.h>

static op_reg narrow_integer(op_prog *t, tt_dtype d, uint64_t v) { return op_integer(t, d, (int64_t)v); }

/* the low bits of a byte, sign-extended if `to` is signed, as a byte */
op_reg op_prog_wrap(op_prog *t, op_reg x, tt_dtype to)
{
    const ir_dtype *d = ir_dtype_of(to);
    if (d->bits == 8) return x;
    if (d->cls != IR_INT_CLASS) return t_and(t, op_bits(t, x, TT_U8), narrow_integer(t, TT_U8, (1u << d->bits) - 1));
    const op_reg up = narrow_integer(t, TT_I8, (uint64_t)(8 - d->bits));
    return t_sar(t, t_shl(t, op_bits(t, x, TT_I8), up), up);
}

op_reg op_prog_unsigned(op_prog *t, op_reg x, tt_dtype of)
{
    if (!ir_is_narrow(of)) return x;
    return t_and(t, x, op_integer(t, op_dtype(t, x), (1 << ir_dtype_of(of)->bits) - 1));
}

/* Moves a float's exponent and fraction to an f32's positions and multiplies by 2^(difference of the two biases):
 * exact, also for denormals. */
static op_reg widen_float(op_prog *t, op_reg u, const ir_dtype *d)
{
    const ir_codes c = ir_codes_of(d);
    const op_reg h = op_to(t, u, TT_U32), size = t_and(t, h, narrow_integer(t, TT_U32, c.all));
    const op_reg moved = t_shl(t, size, narrow_integer(t, TT_U32, (uint64_t)(23 - d->mant)));
    op_reg r;
    if (d->end == IR_FNU) {                              /* a power of two; the least one is a denormal of f32 */
        r = t_sel(t, t_eq(t, size, narrow_integer(t, TT_U32, 0)), narrow_integer(t, TT_U32, 0x400000), moved);
        return op_bits(t, t_sel(t, t_eq(t, h, narrow_integer(t, TT_U32, c.nan)), narrow_integer(t, TT_U32, 0x7fc00000),
            r), TT_F32);
    }
    r = op_bits(t, t_mul(t, op_bits(t, moved, TT_F32), op_number(t, TT_F32, ldexp(1, 127 - d->bias))), TT_U32);
    if (d->end == IR_IEEE) {
        const op_reg quiet = t_sel(t, t_lt(t, narrow_integer(t, TT_U32, c.over), size),
            narrow_integer(t, TT_U32, 0x7fc00000),
                                   narrow_integer(t, TT_U32, 0x7f800000));
        r = t_sel(t, t_le(t, narrow_integer(t, TT_U32, c.over), size), t_or(t, moved, quiet), r);
    } else if (d->end != IR_FINITE)
        r = t_sel(t, t_eq(t, d->end == IR_FN ? size : h, narrow_integer(t, TT_U32, c.nan)),
            narrow_integer(t, TT_U32, 0x7fc00000), r);
    const op_reg sign = t_shl(t, t_and(t, h, narrow_integer(t, TT_U32, c.all + 1)),
        narrow_integer(t, TT_U32, (uint64_t)(32 - d->bits)));
    return op_bits(t, t_or(t, r, sign), TT_F32);
}

op_reg op_prog_widen(op_prog *t, op_reg x)
{
    const tt_dtype from = op_dtype(t, x);
    const ir_dtype *d = ir_dtype_of(from);
    const op_reg u = op_bits(t, x, TT_U8);
    return d->cls == IR_FLOAT_CLASS ? widen_float(t, u, d) : op_bits(t, op_prog_wrap(t, u, from), d->wide);
}

/* The bits of |x|, x of f32 or f64, rounded to d's fraction: where d is normal, by adding half a unit to the bits;
 * below, by adding to |x| the power of two whose unit is d's least number. */
static op_reg rounded(op_prog *t, op_reg a, tt_dtype f, const ir_dtype *d)
{
    const bool wide = f == TT_F64;
    const tt_dtype u = wide ? TT_U64 : TT_U32;
    const int mant = wide ? 52 : 23, bias = wide ? 1023 : 127, shift = mant - d->mant, least = 1 - d->bias;
    const op_reg down = narrow_integer(t, u, (uint64_t)shift),
        last = t_and(t, t_shr(t, a, down), narrow_integer(t, u, 1));
    const op_reg odd = d->mant ? last : narrow_integer(t, u, 1); /* a lone leading 1 is odd */
    const op_reg based = t_sub(t, a, narrow_integer(t, u, (uint64_t)(bias - d->bias) << mant));
    const op_reg normal = t_shr(t, t_add(t, based, t_add(t, odd,
        narrow_integer(t, u, ((uint64_t)1 << (shift - 1)) - 1))), down);
    if (d->end == IR_FNU) return normal;
    const op_reg unit = op_number(t, f, ldexp(1, shift + least));
    const op_reg tiny = t_sub(t, op_bits(t, t_add(t, op_bits(t, a, f), unit), u), op_bits(t, unit, u));
    return t_sel(t, t_lt(t, a, narrow_integer(t, u, (uint64_t)(bias + least) << mant)), tiny, normal);
}

static op_reg narrow_float(op_prog *t, op_reg x, tt_dtype to)
{
    const ir_dtype *d = ir_dtype_of(to);
    const ir_codes c = ir_codes_of(d);
    const tt_dtype f = op_dtype(t, x), u = f == TT_F64 ? TT_U64 : TT_U32;
    const int top = f == TT_F64 ? 63 : 31;
    const uint64_t inf = f == TT_F64 ? (uint64_t)0x7ff << 52 : 0x7f800000;
    const op_reg b = op_bits(t, x, u), a = t_and(t, b, narrow_integer(t, u, ((uint64_t)1 << top) - 1));
    op_reg r = rounded(t, a, f, d);
    r = t_sel(t, t_lt(t, narrow_integer(t, u, c.most), r), narrow_integer(t, u, c.over), r);
    if (d->end == IR_FNU) {                              /* no number is that small, none is negative */
        const op_reg below = t_lt(t, x, op_number(t, f, ldexp(1, -d->bias)));
        r = t_sel(t, below, narrow_integer(t, u, 0), r);
        r = t_sel(t, t_le(t, x, op_number(t, f, 0)), narrow_integer(t, u, c.nan), r);
    }
    r = t_sel(t, t_lt(t, narrow_integer(t, u, inf), a), narrow_integer(t, u, c.nan), r);
    if (d->end == IR_FNU) return op_to(t, r, TT_U8);
    const op_reg sign = t_and(t, t_shr(t, b, narrow_integer(t, u, (uint64_t)(top + 1 - d->bits))),
        narrow_integer(t, u, c.all + 1));
    const op_reg z = t_or(t, r, sign);
    return op_to(t, d->end == IR_FNUZ ? t_sel(t, t_eq(t, r, narrow_integer(t, u, 0)), r, z) : z, TT_U8);
}

op_reg op_prog_narrow(op_prog *t, op_reg x, tt_dtype to)
{
    const ir_dtype *d = ir_dtype_of(to), *from = ir_dtype_of(op_dtype(t, x));
    const bool is_float = from->cls == IR_FLOAT_CLASS;
    if (d->cls == IR_FLOAT_CLASS) {
        const tt_dtype by = d->end == IR_FNU || op_dtype(t, x) == TT_F64 ? TT_F64 : TT_F32;
        return op_bits(t, narrow_float(t, op_to(t, op_to(t, x, from->bits < 64 || !is_float ? TT_F32 : TT_F64), by),
                                       to), to);
    }
    if (is_float) {                                      /* saturates; NaN gives 0 */
        const tt_dtype f = ir_widened(op_dtype(t, x));
        const bool is_signed = d->cls == IR_INT_CLASS;
        const int n = d->bits - is_signed;
        x = t_max(t, op_to(t, x, f), op_number(t, f, is_signed ? -ldexp(1, n) : 0));
        x = t_min(t, x, op_number(t, f, ldexp(1, n) - 1));
    }
    return op_bits(t, op_prog_wrap(t, op_to(t, x, d->wide), to), to);
}
