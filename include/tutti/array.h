/* tutti/array.h - primitives with parameters: shapes, contractions, reductions, indexing, sorting, bits.
 *
 * Elementwise functions whose arguments are all values (tt_add, tt_tanh, ...) are in tutti/ops.h, generated from the
 * primitives. They promote dtypes and broadcast shapes as NumPy does, and work leafwise on trees of one structure.
 * Negative dims count from the end.
 */
#include <tutti.h>
#ifndef TUTTI_ARRAY_H
#define TUTTI_ARRAY_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- dtype ---- */
/* Float to integer truncates; out of range gives the nearest end, NaN gives 0. Integers wrap. A complex number loses
 * its imaginary part, except that to bool it is true unless both parts are 0.
 *     tt_val whole = tt_cast(x, TT_I32); */
#define tt_cast(v, dtype)    tt_cast_at(TT_AT("tt_cast(" #v ", " #dtype ")"), v, dtype)
TT_API tt_val tt_cast_at(const char *site, tt_val v, tt_dtype dtype);
/* The bits of v as another type, as lax.bitcast_convert_type:
 *   same width     element for element;
 *   fewer bits     one more last dim, the least significant part first: f32[3] as u8 is u8[3, 4];
 *   more bits      the last dim, whose size must be the quotient of the widths, is removed: u8[3, 4] as f32 is f32[3].
 * The derivative is zero. Errors: bool and complex types; two widths of which neither is a multiple of the other.
 *     tt_val bits = tt_bitcast(x, TT_U32); */
#define tt_bitcast(v, dtype) tt_bitcast_at(TT_AT("tt_bitcast(" #v ", " #dtype ")"), v, dtype)
TT_API tt_val tt_bitcast_at(const char *site, tt_val v, tt_dtype dtype);

/* ---- complex numbers (TT_C64, TT_C128; tt_complex(re, im) is in ops.h) and Fourier transforms ----
 *     tt_val re = tt_real(z), im = tt_imag(z), mirrored = tt_conj(z); */
#define tt_real(v)           tt_real_at(TT_AT("tt_real(" #v ")"), v)
#define tt_imag(v)           tt_imag_at(TT_AT("tt_imag(" #v ")"), v)
#define tt_conj(v)           tt_conj_at(TT_AT("tt_conj(" #v ")"), v)
/* for a real v: the real part and the conjugate are v, the imaginary part is 0 */
TT_API tt_val tt_real_at(const char *site, tt_val v), tt_imag_at(const char *site, tt_val v);
TT_API tt_val tt_conj_at(const char *site, tt_val v);
/* Along the last dim, as in NumPy: fft and ifft take complex numbers; rfft maps n reals to n / 2 + 1 columns, irfft
 * maps these back to n reals.
 *     tt_fft(z), tt_ifft(z), tt_irfft(tt_rfft(x), 8); */
#define tt_fft(v)            tt_fft_at(TT_AT("tt_fft(" #v ")"), v)
#define tt_ifft(v)           tt_ifft_at(TT_AT("tt_ifft(" #v ")"), v)
#define tt_rfft(v)           tt_rfft_at(TT_AT("tt_rfft(" #v ")"), v)
#define tt_irfft(v, n)       tt_irfft_at(TT_AT("tt_irfft(" #v ", " #n ")"), v, n)
TT_API tt_val tt_fft_at(const char *site, tt_val v), tt_ifft_at(const char *site, tt_val v);
TT_API tt_val tt_rfft_at(const char *site, tt_val v), tt_irfft_at(const char *site, tt_val v, int64_t n);
/* Over several dims (default: all; fft2, ifft2, rfft2: the last two). rfftn is real along the last of the dims; irfftn
 * gives back .n elements there (default 2 (columns - 1)). norm: which direction is divided: "backward" (default) the
 * inverse by n, "ortho" both by sqrt(n), "forward" the forward one by n.
 *     tt_fft2(z), tt_ifft2(z), tt_rfft2(x), tt_irfft2(z, .n = 8);
 *     tt_fftn(z, .dims = "0, 2"), tt_ifftn(z, .norm = "ortho"), tt_rfftn(x), tt_irfftn(z, .n = 8); */
typedef struct tt_fftn_opts {
    TT_OPTION_HEAD
    const char *dims TT_DEFAULT, *norm TT_DEFAULT; int64_t n TT_FROM_1;
} tt_fftn_opts;
#define TT_FFTN_(f, at, v, ...) f(at, v, TT_OPTS(tt_fftn_opts, __VA_ARGS__))
#define tt_fft2(...)         TT_FFTN_(tt_fft2_at, TT_AT("tt_fft2(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_ifft2(...)        TT_FFTN_(tt_ifft2_at, TT_AT("tt_ifft2(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_rfft2(...)        TT_FFTN_(tt_rfft2_at, TT_AT("tt_rfft2(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_irfft2(...)       TT_FFTN_(tt_irfft2_at, TT_AT("tt_irfft2(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_fftn(...)         TT_FFTN_(tt_fftn_at, TT_AT("tt_fftn(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_ifftn(...)        TT_FFTN_(tt_ifftn_at, TT_AT("tt_ifftn(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_rfftn(...)        TT_FFTN_(tt_rfftn_at, TT_AT("tt_rfftn(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_irfftn(...)       TT_FFTN_(tt_irfftn_at, TT_AT("tt_irfftn(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_API tt_val tt_fft2_at(const char *site, tt_val v, const tt_fftn_opts *),
    tt_ifft2_at(const char *site, tt_val v, const tt_fftn_opts *),
    tt_rfft2_at(const char *site, tt_val v, const tt_fftn_opts *),
    tt_irfft2_at(const char *site, tt_val v, const tt_fftn_opts *),
    tt_fftn_at(const char *site, tt_val v, const tt_fftn_opts *),
    tt_ifftn_at(const char *site, tt_val v, const tt_fftn_opts *),
    tt_rfftn_at(const char *site, tt_val v, const tt_fftn_opts *),
    tt_irfftn_at(const char *site, tt_val v, const tt_fftn_opts *);
/* The frequencies, f32, of the results of fft (0, 1, .., -2, -1) and rfft (0, 1, ..), divided by n d. fftshift moves
 * frequency 0 to the middle along the dims (default: all), ifftshift back.
 *     tt_fftfreq(8, 0.1), tt_rfftfreq(8, 0.1);
 *     tt_fftshift(z), tt_ifftshift(z, .dims = "0"); */
#define tt_fftfreq(n, d)     tt_fftfreq_at(TT_AT("tt_fftfreq(" #n ", " #d ")"), n, d)
#define tt_rfftfreq(n, d)    tt_rfftfreq_at(TT_AT("tt_rfftfreq(" #n ", " #d ")"), n, d)
TT_API tt_val tt_fftfreq_at(const char *site, int64_t n, double d), tt_rfftfreq_at(const char *site, int64_t n,
    double d);
typedef struct tt_dims_opts { TT_OPTION_HEAD const char *dims TT_DEFAULT; } tt_dims_opts;
#define TT_DIMS_OF_(f, at, v, ...) f(at, v, TT_OPTS(tt_dims_opts, __VA_ARGS__))
#define tt_fftshift(...)     TT_DIMS_OF_(tt_fftshift_at, TT_AT("tt_fftshift(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_ifftshift(...)    TT_DIMS_OF_(tt_ifftshift_at, TT_AT("tt_ifftshift(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_API tt_val tt_fftshift_at(const char *site, tt_val v, const tt_dims_opts *),
    tt_ifftshift_at(const char *site, tt_val v, const tt_dims_opts *);

/* ---- comparison: bool arrays; complex numbers are ordered by real part, then by imaginary part ----
 *     tt_eq(x, y), tt_ne(x, y), tt_lt(x, y), tt_le(x, y), tt_gt(x, y), tt_ge(x, tt_f(0)); */
#define tt_eq(a, b)          tt_compare_at(TT_AT("tt_eq(" #a ", " #b ")"), 0, a, b)
#define tt_ne(a, b)          tt_compare_at(TT_AT("tt_ne(" #a ", " #b ")"), 1, a, b)
#define tt_lt(a, b)          tt_compare_at(TT_AT("tt_lt(" #a ", " #b ")"), 2, a, b)
#define tt_le(a, b)          tt_compare_at(TT_AT("tt_le(" #a ", " #b ")"), 3, a, b)
#define tt_gt(a, b)          tt_compare_at(TT_AT("tt_gt(" #a ", " #b ")"), 4, a, b)
#define tt_ge(a, b)          tt_compare_at(TT_AT("tt_ge(" #a ", " #b ")"), 5, a, b)
TT_API tt_val tt_compare_at(const char *site, int direction, tt_val a, tt_val b);

/*     tt_val cubes = tt_integer_pow(x, 3); */
#define tt_integer_pow(v, n) tt_integer_pow_at(TT_AT("tt_integer_pow(" #v ", " #n ")"), v, TT_INTEGER(n))
/* By repeated squaring; negative n: 1 / v^-n; an error for integers */
TT_API tt_val tt_integer_pow_at(const char *site, tt_val v, int64_t n);

/* v rounded to a float format with these numbers of bits, then converted back to its own type
 *     tt_val as_bf16 = tt_reduce_precision(x, 8, 7); */
#define tt_reduce_precision(v, exponent_bits, mantissa_bits) \
    tt_reduce_precision_at(TT_AT("tt_reduce_precision(" #v ")"), v, exponent_bits, mantissa_bits)
TT_API tt_val tt_reduce_precision_at(const char *site, tt_val v, int64_t exponent_bits, int64_t mantissa_bits);

/* ---- shape ----
 *     tt_reshape(x, 4, -1), tt_transpose(x), tt_transpose(x, 1, 0, 2), tt_broadcast(x, 8, 4, 3); */
#define TT_DIMS_(f, at, v, ...) f(at, v, TT_DIMS(__VA_ARGS__))
#define tt_reshape(...)      TT_DIMS_(tt_reshape_at, TT_AT("tt_reshape(" #__VA_ARGS__ ")"), __VA_ARGS__, TT_DIM_END)
TT_API tt_val tt_reshape_at(const char *site, tt_val v, const int64_t *dims);    /* one dim may be -1: inferred */
#define tt_transpose(...)    TT_DIMS_(tt_transpose_at, TT_AT("tt_transpose(" #__VA_ARGS__ ")"), __VA_ARGS__, TT_DIM_END)
/* Result dim i is v's dim perm[i]; without perm: the dims are reversed */
TT_API tt_val tt_transpose_at(const char *site, tt_val v, const int64_t *perm);
#define tt_broadcast(...)    TT_DIMS_(tt_broadcast_at, TT_AT("tt_broadcast(" #__VA_ARGS__ ")"), __VA_ARGS__, TT_DIM_END)
/* As in NumPy: new dims in front, dims of size 1 are stretched */
TT_API tt_val tt_broadcast_at(const char *site, tt_val v, const int64_t *dims);
/* n elements of dim from index `from`, a scalar value. A negative index counts from the end, as in JAX; then it is
 * clamped so that the slice fits. With a C number the slice is static.
 *     tt_val window = tt_dynamic_slice(x, 0, i, 3), every_second = tt_slice(x, 0, 0, 8, 2); */
#define tt_dynamic_slice(v, dim, from, n) \
    tt_dynamic_slice_at(TT_AT("tt_dynamic_slice(" #v ", " #dim ", " #from ", " #n ")"), v, dim, from, n)
TT_API tt_val tt_dynamic_slice_at(const char *site, tt_val v, int dim, tt_val from, int64_t n);
#define tt_slice(v, dim, from, to, step) \
    tt_slice_at(TT_AT("tt_slice(" #v ", " #dim ", " #from ", " #to ", " #step ")"), v, dim, from, to, step)
/* Static [from, to) by step > 0 */
TT_API tt_val tt_slice_at(const char *site, tt_val v, int dim, int64_t from, int64_t to, int64_t step);
/*     tt_val written = tt_dynamic_update_slice(x, part, 0, i); */
#define tt_dynamic_update_slice(v, part, dim, from) \
    tt_dynamic_update_slice_at(TT_AT("tt_dynamic_update_slice(" #v ", " #part ", " #dim ", " #from ")"), v, part, dim, \
        from)
/* v with part written at index from, which counts from the end and is clamped as in tt_dynamic_slice. Here and in
 * tt_pad, tt_index_set and tt_index_add, lossy conversions are errors: floats into integers, complex numbers into real
 * ones, and integers into types whose range is smaller; tt_cast makes the conversion explicit. */
TT_API tt_val tt_dynamic_update_slice_at(const char *site, tt_val v, tt_val part, int dim, tt_val from);
/*     tt_val joined = tt_concat(0, x, y), turned = tt_reverse(x, -1); */
#define tt_concat(dim, ...) \
    tt_concat_at(TT_AT("tt_concat(" #dim ", " #__VA_ARGS__ ")"), dim, TT_LIST(tt_val, __VA_ARGS__, tt_end))
TT_API tt_val tt_concat_at(const char *site, int dim, const tt_val *v);
#define tt_reverse(v, dim)   tt_reverse_at(TT_AT("tt_reverse(" #v ", " #dim ")"), v, dim)
TT_API tt_val tt_reverse_at(const char *site, tt_val v, int dim);
/* tt_pad(v, value, low, high, interior): pads with value (a scalar): `low` elements before, `high` after, `interior`
 * between elements. low, high and interior have an int64_t per dim; negative low and high crop.
 *     const int64_t low[] = { 1, 0 }, high[] = { 1, 2 }, between[] = { 0, 0 };
 *     tt_pad(x, tt_f(0), low, high, between);
 *     tt_val rows = tt_iota(TT_I32, 0, 4, 3), positions = tt_iota(TT_I32, 1, 4, 3); */
#define tt_pad(v, ...)       tt_pad_at(TT_AT("tt_pad(" #v ", " #__VA_ARGS__ ")"), v, __VA_ARGS__)
TT_API tt_val tt_pad_at(const char *site, tt_val v, tt_val value, const int64_t *low, const int64_t *high,
    const int64_t *interior);
#define tt_iota(dtype, dim, ...) \
    tt_iota_at(TT_AT("tt_iota(" #dtype ", " #dim ", " #__VA_ARGS__ ")"), dtype, dim, TT_DIMS(__VA_ARGS__, TT_DIM_END))
TT_API tt_val tt_iota_at(const char *site, tt_dtype dtype, int dim, const int64_t *dims);

/* ---- contraction ---- */
/* precision: the accuracy of float32 products in matmul, dot and convolve, and in the products of their gradients. It
 * has no effect on other dtypes.
 *   "default"  the fastest method that keeps the error of a float32 sum. On a processor with a matrix unit (AMX) a
 *              large product is six products of bfloat16 parts, with a relative error of at most 2^-23. Elements below
 *              2^-110 next to large ones lose digits there. On AVX2, convolutions with 3 x 3 windows use fewer
 *              multiplications than their definition.
 *   "high"     the same as "default"; in JAX it means at least three such products. The word is kept for the text that
 *              tt_export writes.
 *   "highest"  every product is one multiply-add of float32: no bfloat16 parts, no reduced multiplications.
 * On engines of PJRT all three are XLA's HIGHEST: a GPU's default, TF32, does not keep the error of a float32 sum. Cast
 * operands to bfloat16 where that is exact enough.
 * Not given: the precision in force, tt_precision(). In reproducible mode, and with TUTTI=no-amx, no product is split
 * into parts, whatever the precision. "highest" is not "reproducible": the order of sums may depend on sizes.
 *     tt_val y = tt_matmul(x, w, .precision = "highest"); */
typedef struct tt_matmul_opts { TT_OPTION_HEAD const char *precision TT_DEFAULT; } tt_matmul_opts;
#define tt_matmul(...)       TT_MATMUL_(TT_AT("tt_matmul(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_MATMUL_(at, a, b, ...) tt_matmul_at(at, a, b, TT_OPTS(tt_matmul_opts, __VA_ARGS__))
/* As in NumPy: batch dims broadcast; rank 1 is allowed. For bools: an element is true if any product is true. */
TT_API tt_val tt_matmul_at(const char *site, tt_val a, tt_val b, const tt_matmul_opts *);
/* The precision of products without .precision, as those of tt_einsum, attention and modules: this thread's choice,
 * else TUTTI=precision:highest, else "default". As jax.default_matmul_precision; a jitted function is compiled for
 * each. tt_set_precision sets it for this thread and returns the former choice; NULL: the switch's. An unknown word is
 * an error and changes nothing. For a loop's body only:
 *     for (TT_PRECISION("highest")) y = tt_einsum("b i k, b k j -> b i j", x, w);
 * The loop's body must not be left by break or return.
 *     const char *was = tt_set_precision("highest"); y = tt_matmul(x, w); tt_set_precision(was);
 *     puts(tt_precision()); */
#define TT_PRECISION(word) \
    const char *tt_former_ = tt_set_precision(word), *tt_once_ = ""; \
    tt_once_; \
    tt_once_ = (tt_set_precision(tt_former_), (const char *)0)
TT_API const char *tt_precision(void);                   /* in force: "default", "high" or "highest" */
#define tt_set_precision(word) tt_set_precision_at(TT_AT("tt_set_precision(" #word ")"), word)
TT_API const char *tt_set_precision_at(const char *site, const char *word);
/* Contraction of numbered dims, written a's:b's. sum: the contracted dims ("2:1, 3:0"). batch: the batch dims ("0:0"),
 * which come first in the result. result: its dtype; default the promoted one; of bools: true if any product is true.
 * precision: above.
 *     tt_val products = tt_dot(q, k, .batch = "0:0", .sum = "2:2"); */
typedef struct tt_dot_opts {
    TT_OPTION_HEAD
    const char *batch TT_DEFAULT, *sum TT_DEFAULT; tt_dtype result TT_DEFAULT; const char *precision TT_DEFAULT;
} tt_dot_opts;
#define tt_dot(...)          TT_DOT_(TT_AT("tt_dot(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_DOT_(at, a, b, ...) tt_dot_at(at, a, b, TT_OPTS(tt_dot_opts, __VA_ARGS__))
TT_API tt_val tt_dot_at(const char *site, tt_val a, tt_val b, const tt_dot_opts *);
/* Packed weights: integers of 8 or 4 bits with a scale for each group of them, as GGUF's Q8_0 and Q4_0 have them. The
 * weight W[n, k] is codes[n, k] times scales[n, k / group], `group` columns of a row having one scale.
 * - codes i8 [n, k]: 8 bits. codes u8 [n, k / 2]: 4 bits; 16 bytes have 32 codes in a row, plus 8 each: byte i has code
 *   i in its low half and code i + 16 in its high half. Groups have a multiple of 32 columns there.
 * - scales [n, k / group], f16, bf16 or f32. One group: a scale per row (per channel).
 * - or blocks as a file has them (tt_ckpt_read, .codes = 3) in the place of codes, and tt_none() in that of scales:
 *   u8 [n, k / 32, 34], of Q8_0, or [n, k / 32, 18], of Q4_0: the scale, f16, and the codes of 32 columns behind it.
 *
 * tt_scaled_matmul: x [.., k] times W', so [.., n], in x's type (f32, bf16 or f16). Sums are in f32, and W is exact
 * where scales are f16 or bf16. W is never in memory as a whole: of up to 16 rows the product reads the packed bytes
 * once; of more, parts of W are widened in the cache. Rows and groups may be sharded. Derivatives are those of x and of
 * scales; codes have none. As jax.nn.scaled_matmul of a right operand of integers.
 * Errors: other types, sizes that do not fit.
 *     tt_val q = tt_quantize(w, .bits = 4);                // a dict of "codes" and "scales"
 *     tt_val y = tt_scaled_matmul(x, tt_get(q, "codes"), tt_get(q, "scales"));
 *     tt_val z = tt_scaled_matmul(x, blocks, tt_none()); */
#define tt_scaled_matmul(x, codes, scales) \
    tt_scaled_matmul_at(TT_AT("tt_scaled_matmul(" #x ", " #codes ", " #scales ")"), x, codes, scales)
TT_API tt_val tt_scaled_matmul_at(const char *site, tt_val x, tt_val codes, tt_val scales);
/* Packs w [n, k], floats. bits: 8 (default) or 4; group: columns with one scale, 32 by default, k: a scale per row;
 * it divides k, and of 4 bits is a multiple of 32. Scales are f16; the rounding is that of GGUF's Q8_0 and Q4_0: of 8
 * bits the scale is the largest magnitude / 127, of 4 bits the largest element / -8.
 *     tt_val q = tt_quantize(w, .group = tt_dim(w, 1));    // int8, a scale per row */
typedef struct tt_quantize_opts { TT_OPTION_HEAD int bits TT_FROM_1; int64_t group TT_FROM_1; } tt_quantize_opts;
#define tt_quantize(...)     TT_QUANTIZE_(TT_AT("tt_quantize(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_QUANTIZE_(at, w, ...) tt_quantize_at(at, w, TT_OPTS(tt_quantize_opts, __VA_ARGS__))
TT_API tt_val tt_quantize_at(const char *site, tt_val w, const tt_quantize_opts *);
/* The weights [.., n, k] of codes and scales [.., n, ..], f32; dims before the last may be any, such as those of rows
 * that tt_take has taken. With tt_none() for scales, of blocks [.., n, k / 32, 34 or 18].
 *     tt_val w = tt_dequantize(tt_get(q, "codes"), tt_get(q, "scales")); */
#define tt_dequantize(codes, scales) \
    tt_dequantize_at(TT_AT("tt_dequantize(" #codes ", " #scales ")"), codes, scales)
TT_API tt_val tt_dequantize_at(const char *site, tt_val codes, tt_val scales);
/* Convolution. x [N, spatial…, C], w [window…, C / groups, F] -> [N, spatial'…, F] (NHWC, HWIO). pad: "SAME" (default),
 * "VALID" or "1:1, 2:0" (low:high per dim). window_dilation dilates the kernel, base_dilation the image. Dilations and
 * strides have one number per spatial dim. groups: groups of features. precision: as in tt_matmul.
 *     tt_val c = tt_convolve(image, w, .stride = { 2, 2 }, .pad = "SAME"); */
typedef struct tt_convolve_opts {
    TT_OPTION_HEAD
    int64_t stride[8] TT_FROM_1, window_dilation[8] TT_FROM_1, base_dilation[8] TT_FROM_1;
    const char *pad TT_DEFAULT;
    int64_t groups TT_FROM_1;
    const char *precision TT_DEFAULT;
} tt_convolve_opts;
#define tt_convolve(...)     TT_CONVOLVE_(TT_AT("tt_convolve(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_CONVOLVE_(at, x, w, ...) tt_convolve_at(at, x, w, TT_OPTS(tt_convolve_opts, __VA_ARGS__))
TT_API tt_val tt_convolve_at(const char *site, tt_val x, tt_val w, const tt_convolve_opts *);

/* ---- reductions ---- */
/* dims: "0, 2" (default: all). keepdims = 1: reduced dims stay with size 1. where: bools, broadcast to the value:
 * only elements whose mask is true take part (tt_amax and tt_amin need .initial too). initial: a scalar that takes
 * part as one more element of each result; with .initial, amax and amin of no elements are defined. As in NumPy.
 * Errors: .initial of all and any; .where and .initial of argmax and argmin.
 *     tt_sum(x), tt_prod(x, .dims = "0"), tt_amax(x, .dims = "-1", .keepdims = 1), tt_amin(x);
 *     tt_all(tt_gt(x, y)), tt_any(tt_gt(x, y), .dims = "1"), tt_sum(x, .where = tt_gt(x, tt_f(0)));
 *     tt_argmax(x, .dims = "-1"), tt_argmin(x); */
typedef struct tt_reduce_opts {
    TT_OPTION_HEAD
    const char *dims TT_DEFAULT; int keepdims TT_DEFAULT; tt_val where TT_DEFAULT, initial TT_DEFAULT;
} tt_reduce_opts;
#define TT_REDUCE_(f, at, v, ...) f(at, v, TT_OPTS(tt_reduce_opts, __VA_ARGS__))
#define tt_sum(...)          TT_REDUCE_(tt_sum_at, TT_AT("tt_sum(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_prod(...)         TT_REDUCE_(tt_prod_at, TT_AT("tt_prod(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_amax(...)         TT_REDUCE_(tt_amax_at, TT_AT("tt_amax(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_amin(...)         TT_REDUCE_(tt_amin_at, TT_AT("tt_amin(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_all(...)          TT_REDUCE_(tt_all_at, TT_AT("tt_all(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_any(...)          TT_REDUCE_(tt_any_at, TT_AT("tt_any(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_argmax(...)       TT_REDUCE_(tt_argmax_at, TT_AT("tt_argmax(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_argmin(...)       TT_REDUCE_(tt_argmin_at, TT_AT("tt_argmin(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_API tt_val tt_sum_at(const char *site, tt_val v, const tt_reduce_opts *),
    tt_prod_at(const char *site, tt_val v, const tt_reduce_opts *),
    tt_amax_at(const char *site, tt_val v, const tt_reduce_opts *),
    tt_amin_at(const char *site, tt_val v, const tt_reduce_opts *),
    tt_all_at(const char *site, tt_val v, const tt_reduce_opts *),
    tt_any_at(const char *site, tt_val v, const tt_reduce_opts *);
/* The index, i32, of the first largest (smallest) element over ONE dim (default: of the flattened array); a NaN counts
 * as the largest (smallest). */
TT_API tt_val tt_argmax_at(const char *site, tt_val v, const tt_reduce_opts *),
    tt_argmin_at(const char *site, tt_val v, const tt_reduce_opts *);
/* Windows over the spatial dims of [N, spatial…, C]. window and stride (default: 1) have one number per spatial dim;
 * pad: "VALID" (default), "SAME", or "1:1, 0:2". real_only: a mean (tt_avg_pool) divides by the number of elements
 * without padding.
 *     tt_window_sum(image, .window = { 2, 2 }, .stride = { 2, 2 }), tt_window_max(image, .window = { 3, 3 }); */
typedef struct tt_pool_opts {
    TT_OPTION_HEAD
    int64_t window[8] TT_FROM_1, stride[8] TT_FROM_1; const char *pad TT_DEFAULT; int real_only TT_DEFAULT;
} tt_pool_opts;
#define TT_POOL_(f, at, v, ...) f(at, v, TT_OPTS(tt_pool_opts, __VA_ARGS__))
#define tt_window_sum(...)   TT_POOL_(tt_window_sum_at, TT_AT("tt_window_sum(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_window_max(...)   TT_POOL_(tt_window_max_at, TT_AT("tt_window_max(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_API tt_val tt_window_sum_at(const char *site, tt_val v, const tt_pool_opts *),
    tt_window_max_at(const char *site, tt_val v, const tt_pool_opts *);
/* The result has v's type, for bools i32: cumulative sums of u8 wrap at 256, as in JAX (tt_sum of u8 is u32).
 *     tt_cumsum(x, 0), tt_cumprod(x, -1), tt_cummax(x, 0, .reverse = 1), tt_cummin(x, 0); */
typedef struct tt_cum_opts { TT_OPTION_HEAD int reverse TT_DEFAULT; } tt_cum_opts;
#define TT_CUM_(f, at, v, dim, ...) f(at, v, dim, TT_OPTS(tt_cum_opts, __VA_ARGS__))
#define tt_cumsum(...)       TT_CUM_(tt_cumsum_at, TT_AT("tt_cumsum(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_cumprod(...)      TT_CUM_(tt_cumprod_at, TT_AT("tt_cumprod(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_cummax(...)       TT_CUM_(tt_cummax_at, TT_AT("tt_cummax(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_cummin(...)       TT_CUM_(tt_cummin_at, TT_AT("tt_cummin(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_API tt_val tt_cumsum_at(const char *site, tt_val v, int dim, const tt_cum_opts *),
    tt_cumprod_at(const char *site, tt_val v, int dim, const tt_cum_opts *),
    tt_cummax_at(const char *site, tt_val v, int dim, const tt_cum_opts *),
    tt_cummin_at(const char *site, tt_val v, int dim, const tt_cum_opts *);

/* ---- indexing, order ---- */
/* Rows of dim `dim` at integer indices (of any shape, which replaces the dim). Negative indices count from the end.
 * mode, for indices out of range, as in jnp.take: "fill" (default) gives NaN, for integers the lowest number (unsigned:
 * the highest), for bools true; "clip" gives the nearest row (the first for all negative indices); "wrap" takes the
 * index modulo the size; "promise_in_bounds" is for callers who know that all indices are in range. Gradients go to the
 * rows that were taken. TUTTI=bounds makes an index out of range an error where mode is "fill" or "drop".
 *     tt_val embedded = tt_take(table, ids, 0), near = tt_take(x, ids, 1, .mode = "clip"); */
typedef struct tt_take_opts { TT_OPTION_HEAD const char *mode TT_DEFAULT; } tt_take_opts;
#define tt_take(...)         TT_TAKE_(TT_AT("tt_take(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_TAKE_(at, v, index, dim, ...) tt_take_at(at, v, index, dim, TT_OPTS(tt_take_opts, __VA_ARGS__))
TT_API tt_val tt_take_at(const char *site, tt_val v, tt_val index, int dim, const tt_take_opts *);
/* Normalises indices as tt_take of n rows does: negative ones count from the end, at least 32 bits; with TUTTI=bounds
 * an index out of range is an error. For functions that compare indices with positions.
 *     tt_val at = tt_places(ids, 10); */
#define tt_places(index, n)  tt_places_at(TT_AT("tt_places(" #index ", " #n ")"), index, n)
TT_API tt_val tt_places_at(const char *site, tt_val index, int64_t n);
/* v with the rows of dim 0 at index (rank 1) replaced, or added to. Negative indices count from the end. mode: "drop"
 * (default) ignores indices out of range; "clip" and "wrap" as in tt_take.
 *     tt_index_set(x, ids, rows), tt_index_add(x, ids, rows, .mode = "clip"); */
#define tt_index_set(...)    TT_INDEX_SET_(TT_AT("tt_index_set(" #__VA_ARGS__ ")"), 0, __VA_ARGS__, )
#define tt_index_add(...)    TT_INDEX_SET_(TT_AT("tt_index_add(" #__VA_ARGS__ ")"), 1, __VA_ARGS__, )
#define TT_INDEX_SET_(at, add, v, index, rows, ...) \
    tt_index_set_at(at, v, index, rows, add, TT_OPTS(tt_take_opts, __VA_ARGS__))
TT_API tt_val tt_index_set_at(const char *site, tt_val v, tt_val index, tt_val rows, int add, const tt_take_opts *);
typedef struct tt_sort_opts { TT_OPTION_HEAD int descending TT_DEFAULT, keys TT_FROM_1; } tt_sort_opts;
/* Stable sort along dim. Of a tuple, the first `keys` items (default 1) are the keys, and all items are permuted
 * together. NaN counts as the largest number: last, or first if descending.
 *     tt_val sorted = tt_sort(x, -1, .descending = 1), by_first = tt_sort(tt_tuple(x, y), 0); */
#define tt_sort(...)         TT_SORT_(TT_AT("tt_sort(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_SORT_(at, v, dim, ...) tt_sort_at(at, v, dim, TT_OPTS(tt_sort_opts, __VA_ARGS__))
TT_API tt_val tt_sort_at(const char *site, tt_val v, int dim, const tt_sort_opts *);

/* ---- random bits: see tutti/random.h for distributions ---- */
/* Words of `width` 8, 16, 32 or 64 bits from a key u32[2]. layout: "partitionable" (default) or "original";
 * TUTTI=threefry:original makes "original" the default. */
TT_API tt_val tt_random_bits_at(const char *site, tt_val key, int width, const char *layout, const int64_t *dims);
/* (y0, y1): the threefry block function on u32 arrays */
TT_API tt_val tt_threefry_at(const char *site, tt_val key, tt_val x0, tt_val x1);
TT_API const char *tt_random_layout(void);               /* in force: "partitionable" or "original" */
/* For this thread; returns the former choice; NULL: the switch's
 *     const char *was = tt_set_random_layout("original"); puts(tt_random_layout()); tt_set_random_layout(was); */
#define tt_set_random_layout(layout) tt_set_random_layout_at(TT_AT("tt_set_random_layout(" #layout ")"), layout)
TT_API const char *tt_set_random_layout_at(const char *site, const char *layout);

#ifdef __cplusplus
}
#endif
#endif
