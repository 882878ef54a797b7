/* random/uniform.c - random bits to uniform numbers: mantissa bits with the exponent of 1, minus 1
 * (jax.random.uniform).
 *
 * float32 uses the upper 23 of 32 bits, float64 52 of 64, float16 10 of 16, bfloat16 7 of 8.
 */
#include "random.h"

#include <math.h>
#include <string.h>

typedef struct { tt_dtype type, word, bits; int width, mantissa; uint64_t one; } format;
static const format formats[] = {
    { TT_F32, TT_U32, TT_U32, 32, 23, 0x3f800000u },
    { TT_F64, TT_U64, TT_U64, 64, 52, 0x3ff0000000000000u },
    { TT_F16, TT_U16, TT_U16, 16, 10, 0x3c00u },
    { TT_BF16, TT_U8, TT_U16, 8, 7, 0x3f80u },
};

static const format *format_of(tt_dtype d)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) if (formats[i].type == d) return &formats[i];
    return NULL;
}

bool random_is_float(const char *site, const char *what, tt_dtype d)
{
    if (format_of(d)) return true;
    tt_fail_at(site, TT_ETYPE, "%s: draws floating-point numbers, not %s", what, tt_dtype_name(d));
    tt_hint("TT_F32, TT_F64, TT_F16 and TT_BF16 are allowed; tt_randint draws integers");
    return false;
}

tt_val random_real(const char *site, tt_dtype d, double x)
{
    return tt_full_at(site, x, d, (const int64_t[]){ TT_DIM_END });
}

static tt_val uniform_word(const char *site, tt_dtype d, uint64_t x)
{
    const uint16_t h = (uint16_t)x;
    const uint32_t w = (uint32_t)x;
    const void *p = d == TT_U16 ? (const void *)&h : d == TT_U32 ? (const void *)&w : (const void *)&x;
    return tt_array_at(site, d, p, (const int64_t[]){ TT_DIM_END });
}

/* t in [0, 1) */
static tt_val unit(const char *site, tt_val key, const format *f, const int64_t *dims)
{
    tt_val bits = random_words(site, key, f->width, dims);
    if (f->word != f->bits) bits = tt_cast_at(site, bits, f->bits);
    bits = tt_shr_at(site, bits, uniform_word(site, f->bits, (uint64_t)(f->width - f->mantissa)));
    bits = tt_or_at(site, bits, uniform_word(site, f->bits, f->one));
    return tt_sub_at(site, tt_bitcast_at(site, bits, f->type), random_real(site, f->type, 1));
}

/* t (hi - lo) + lo. In float32 and float64 XLA fuses product and sum. In 16 bits XLA rounds the product separately,
 * except for float16 on processors that compute in float16 (AVX512-FP16): there the same program of JAX draws other
 * numbers. */
tt_val random_between(const char *site, tt_val key, tt_dtype dtype, tt_val lo, tt_val hi, const int64_t *dims)
{
    const tt_val t = unit(site, key, format_of(dtype), dims), span = tt_sub_at(site, hi, lo);
    const bool once = dtype == TT_F32 || dtype == TT_F64;
    const tt_val x = once ? tt_fma_at(site, t, span, lo) : tt_add_at(site, tt_mul_at(site, t, span), lo);
    return tt_max_at(site, lo, x);
}

static tt_val uniform(const char *site, tt_val key, tt_dtype dtype, double lo, double hi, const int64_t *dims)
{
    return random_between(site, key, dtype, random_real(site, dtype, lo), random_real(site, dtype, hi), dims);
}

tt_val tt_uniform_in_at(const char *site, tt_val key, tt_dtype dtype, double lo, double hi, const int64_t *dims)
{
    TT_ENTRY(site);
    if (!random_is_float(site, "uniform", dtype)) return tt_fail_at(site, TT_ETYPE, "this draw was refused");
    if (!isfinite(lo) || !isfinite(hi))
        return tt_fail_at(site, TT_EARG, "uniform: from %g to %g; expected finite numbers", lo, hi);
    return random_drawn("uniform", uniform, site, key, dtype, lo, hi, dims);
}

tt_val tt_uniform_at(const char *site, tt_val key, tt_dtype dtype, const int64_t *dims)
{
    return tt_uniform_in_at(site, key, dtype, 0, 1, dims);
}

/* The neighbour of x (which is rounded to dtype first) in the direction of `towards`. */
double random_next(tt_dtype d, double x, double towards)
{
    if (d == TT_F64) return nextafter(x, towards);
    const float f = (float)x, to = (float)towards;
    if (d == TT_F32) return nextafterf(f, to);
    const int mantissa = d == TT_BF16 ? 7 : 10;          /* one unit in the last place of |f|'s binade */
    int e;
    if (isinf(f))                                        /* the largest finite number lies before it */
        return f == to ? (double)f : copysign(ldexp(2 - ldexp(1, -mantissa), d == TT_BF16 ? 127 : 15), f);
    const double m = frexp(fabs((double)f), &e);
    const double ulp = ldexp(1, e - 1 - mantissa);
    const bool away = (f >= 0) == (to > f);
    const double step = !away && m == 0.5 ? ulp / 2 : ulp;
    if (f == 0) return copysign(ldexp(1, d == TT_BF16 ? -133 : -24), to);
    return (double)f + (to > f ? step : -step);
}
