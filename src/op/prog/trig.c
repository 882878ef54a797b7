/* op/prog/trig.c - sin and cos as scalar programs. x = n pi/2 + r with |r| <= pi/4, then a polynomial in r chosen by n
 * mod 4.
 *
 * f32 is computed in f64 and rounded once (below 0.51 ulp). Up to 2^30 two fused steps subtract n pi/2; beyond, the
 * relevant bits of 2/pi are multiplied with the mantissa in integers (Payne and Hanek), so that every finite x is
 * accurate. Few elements need that second path: an engine may skip it for blocks without such elements. */
#include "prog.h"

#include <math.h>

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

/* 2/pi in words of 64 bits: the first holds the bits 2^-1 ... 2^-64. */
static const uint64_t two_over_pi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
    0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4,
    0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d
};

static op_reg u64(op_prog *t, uint64_t v) { return op_integer(t, TT_U64, (int64_t)v); }
static op_reg f64(op_prog *t, double v) { return op_number(t, TT_F64, v); }

/* Word first + i of (0, two_over_pi) for each element: a chain of selects over the words that the exponents can
 * reach. */
static op_reg word_at(op_prog *t, op_reg first, int i, int most)
{
    op_reg w = u64(t, i ? two_over_pi[i - 1] : 0);
    for (int k = 1; k <= most; k++) {
        const op_reg here = t_eq(t, first, u64(t, (uint64_t)k));
        w = t_sel(t, here, u64(t, two_over_pi[k + i - 1]), w);
    }
    return w;
}

/* a >= 1 is m 2^e, m an integer of 53 bits. (2/pi) a modulo 4 is m times a window of the bits of 2/pi: bits 64 or more
 * before the position of e - 2 contribute multiples of 4. n: the number of the quarter; returns the remainder in
 * radians. */
static op_reg reduce_large(op_prog *t, op_reg a, int most, op_reg *n)
{
    const op_reg bits = op_bits(t, a, TT_U64), one = u64(t, 1), mask = u64(t, 0xfffffffffffff);
    const op_reg m = t_or(t, t_and(t, bits, mask), u64(t, 0x10000000000000));
    const op_reg e = t_sub(t, t_shr(t, bits, u64(t, 52)), u64(t, 1023 + 52));        /* wraps below 2^52 */
    /* number of bits of (0, two_over_pi) to skip */
    const op_reg at = t_add(t, e, u64(t, 62));
    const op_reg first = t_shr(t, at, u64(t, 6)), by = t_and(t, at, u64(t, 63)), back = t_sub(t, u64(t, 64), by);
    op_reg w[4], v[3];
    for (int i = 0; i < 4; i++) w[i] = word_at(t, first, i, most);
    for (int i = 0; i < 3; i++) v[i] = t_or(t, t_shl(t, w[i], by), t_shr(t, w[i + 1], back));
    /* m (v0 2^-62 + v1 2^-126 + v2 2^-190) mod 4, in units of 2^-62 and 2^-126 */
    const op_reg low1 = t_mul(t, m, v[1]), low = t_add(t, low1, t_mulhi(t, m, v[2]));
    const op_reg carry = t_sel(t, t_lt(t, low, low1), one, u64(t, 0));
    const op_reg high = t_add(t, t_add(t, t_mul(t, m, v[0]), t_mulhi(t, m, v[1])), carry);
    const op_reg quarter = t_shr(t, t_add(t, high, u64(t, (uint64_t)1 << 61)), u64(t, 62));
    const op_reg part = op_bits(t, t_sub(t, high, t_shl(t, quarter, u64(t, 62))), TT_I64);   /* in [-1/2, 1/2) 2^62 */
    *n = op_to(t, quarter, TT_F64);
    const op_reg top = op_to(t, t_sar(t, part, op_integer(t, TT_I64, 20)), TT_F64); /* in pieces that convert exactly */
    const op_reg mid = op_to(t, t_and(t, part, op_integer(t, TT_I64, 0xfffff)), TT_F64), end = op_to(t, low, TT_F64);
    const op_reg tail = t_fma(t, end, f64(t, 0x1p-126), t_mul(t, mid, f64(t, 0x1p-62)));
    const op_reg hi = t_mul(t, top, f64(t, 0x1p-42)), z = t_add(t, hi, tail), lost = t_add(t, t_sub(t, hi, z), tail);
    return t_fma(t, z, f64(t, 0x1.921fb54442d18p0), t_fma(t, z, f64(t, 0x1.1a62633145c07p-54),
                                                             t_mul(t, lost, f64(t, 0x1.921fb54442d18p0))));
}

/* |x| = n pi/2 + r. most: number of words of 2/pi that the dtype's exponents reach. */
static op_reg trig_reduce(op_prog *t, op_reg a, int most, op_reg *n)
{
    op_reg nl;
    const op_reg far = t_lt(t, f64(t, 0x1p30), a);
    const op_reg large = reduce_large(t, t_sel(t, far, a, f64(t, 0x1p30)), most, &nl);
    const op_reg k = t_rint(t, t_mul(t, a, f64(t, 0x1.45f306dc9c883p-1))), minus = t_neg(t, k);
    op_reg r = t_fma(t, minus, f64(t, 0x1.921fb54442d18p0), a);
    r = t_fma(t, minus, f64(t, 0x1.1a62633145c07p-54), r);
    *n = t_sel(t, far, nl, k);
    return t_sel(t, far, large, r);
}

/* sin(|x| + shift pi/2) for f64 |x|; NaN for infinite x and NaN. */
static op_reg sin_shifted(op_prog *t, op_reg a, int shift, int most)
{
    static const double s[] = { 1 / 355687428096000., -1 / 1307674368000., 1 / 6227020800., -1 / 39916800., 1 / 362880.,
                                -1 / 5040., 1 / 120., -1 / 6. };
    static const double c[] = { -1 / 6402373705728000., 1 / 20922789888000., -1 / 87178291200., 1 / 479001600.,
                                -1 / 3628800., 1 / 40320., -1 / 720., 1 / 24. };
    op_reg n;
    const op_reg r = trig_reduce(t, a, most, &n), z = t_mul(t, r, r);
    const op_reg quarter = op_to(t, n, TT_I32), two = op_integer(t, TT_I32, 2);
    const op_reg q = t_add(t, quarter, op_integer(t, TT_I32, shift)), zero = op_integer(t, TT_I32, 0);
    const op_reg sine = t_fma(t, op_poly(t, z, COUNT(s), s), t_mul(t, z, r), r);
    const op_reg tail = t_mul(t, t_mul(t, z, z), op_poly(t, z, COUNT(c), c));
    const op_reg cosine = t_add(t, t_fma(t, z, f64(t, -0.5), tail), f64(t, 1));
    const op_reg y = t_sel(t, t_eq(t, t_and(t, q, op_integer(t, TT_I32, 1)), zero), sine, cosine);
    const op_reg turned = t_sel(t, t_eq(t, t_and(t, q, two), zero), y, t_neg(t, y));
    return t_sel(t, t_lt(t, a, f64(t, HUGE_VAL)), turned, f64(t, NAN));
}

op_reg op_prog_sin(op_prog *t, op_reg x)
{
    const tt_dtype d = op_dtype(t, x);
    const op_reg wide = op_to(t, x, TT_F64), y = sin_shifted(t, t_abs(t, wide), 0, d == TT_F64 ? 16 : 2);
    const op_reg sign = t_and(t, op_bits(t, wide, TT_U64), u64(t, (uint64_t)1 << 63));
    return op_to(t, op_bits(t, t_xor(t, op_bits(t, y, TT_U64), sign), TT_F64), d);
}

op_reg op_prog_cos(op_prog *t, op_reg x)
{
    const tt_dtype d = op_dtype(t, x);
    return op_to(t, sin_shifted(t, t_abs(t, op_to(t, x, TT_F64)), 1, d == TT_F64 ? 16 : 2), d);
}
