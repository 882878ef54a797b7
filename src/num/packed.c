/* num/packed.c - weights as integers of 8 or 4 bits with scales, and back: the rounding of GGUF's Q8_0 and Q4_0
 * (ggml's reference, as the package gguf has it). */
#include "num.h"

enum { RANK = 12, BLOCK = 32, HEAD = 2 };             /* HEAD: bytes of a block's scale */
typedef struct { const char *site; int64_t n, k, group; } packing;

static tt_val shaped(const packing *p, tt_val v, int64_t a, int64_t b, int64_t c)
{
    const int64_t dim[] = { a, b, c, TT_DIM_END };
    return tt_reshape_at(p->site, v, dim);
}

/* The scale of each group, f32 [n, groups, 1]. */
static tt_val scales_of(const packing *p, tt_val groups, bool four)
{
    const tt_reduce_opts last = { .size = sizeof last, .dims = "-1", .keepdims = 1 };
    const tt_val size = tt_abs_at(p->site, groups);
    if (!four) return tt_div_at(p->site, tt_amax_at(p->site, size, &last), tt_f(127));
    const tt_val at = tt_argmax_at(p->site, size, &last);        /* the first of the largest, with its sign */
    return tt_div_at(p->site, tt_take_along_axis_at(p->site, groups, at, -1), tt_f(-8));
}

/* Two codes a byte: of 32 in a row the first 16 in the low halves. */
static tt_val joined(const packing *p, tt_val codes)
{
    const char *const site = p->site;
    const int64_t dim[] = { p->n, p->k / BLOCK, 2, BLOCK / 2, TT_DIM_END }, all[] = { p->n, p->k / 2, TT_DIM_END };
    const tt_val half = tt_reshape_at(site, tt_cast_at(site, codes, TT_U8), dim);
    const tt_val low = tt_slice_at(site, half, 2, 0, 1, 1), high = tt_slice_at(site, half, 2, 1, 2, 1);
    return tt_reshape_at(site, tt_or_at(site, low, tt_shl_at(site, high, tt_i(4))), all);
}

static bool packing_fits(packing *p, tt_val w, int bits)
{
    if (tt_rank_at(p->site, w) != 2 || tt_dtype_kind(tt_dtype_of_at(p->site, w)) != 'f') {
        if (!tt_ok()) return false;
        tt_fail_at(p->site, TT_ESHAPE, "quantize: of %s; expected a matrix of floats", tt_type_text_at(p->site, w));
        return tt_hint("rows of weights are rows of a matrix [out, in]"), false;
    }
    if (bits != 8 && bits != 4)
        return tt_fail_at(p->site, TT_EARG, "quantize: .bits = %d; expected 8 or 4", bits), false;
    p->n = tt_dim_at(p->site, w, 0), p->k = tt_dim_at(p->site, w, 1);
    if (p->k && p->k % p->group == 0 && (bits == 8 || p->group % BLOCK == 0)) return true;
    tt_fail_at(p->site, TT_EARG, "quantize: rows of %lld in groups of %lld; expected groups that divide a row%s",
               (long long)p->k, (long long)p->group, bits == 4 ? ", of a multiple of 32" : "");
    return tt_hint(".group = %lld gives a row one scale", (long long)p->k), false;
}

tt_val tt_quantize_at(const char *site, tt_val w, const tt_quantize_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_quantize_opts, site, "quantize", o)) return tt_poison;
    packing p = { .site = site, .group = o->group ? o->group : BLOCK };
    const int bits = o->bits ? o->bits : 8;
    if (!packing_fits(&p, w, bits)) return tt_poison;
    const int64_t rows[] = { p.n, p.k, TT_DIM_END }, each[] = { p.n, p.k / p.group, TT_DIM_END };
    const tt_val groups = shaped(&p, tt_cast_at(site, w, TT_F32), p.n, p.k / p.group, p.group);
    const tt_val scale = scales_of(&p, groups, bits == 4), none = tt_compare_at(site, 0, scale, tt_f(0));
    const tt_val by = tt_where_at(site, none, tt_f(0), tt_div_at(site, tt_f(1), scale));
    const tt_val v = tt_mul_at(site, groups, by);
    tt_val codes;
    if (bits == 8) codes = tt_reshape_at(site, tt_cast_at(site, tt_round_away_at(site, v), TT_I8), rows);
    else codes = joined(&p, tt_min_at(site, tt_floor_at(site, tt_add_at(site, v, tt_f(8.5))), tt_f(15)));
    return tt_dict_at(site, "codes", codes, "scales", tt_reshape_at(site, tt_cast_at(site, scale, TT_F16), each),
                      (const char *)0, (const char *)0, (const char *)0);
}

/* Codes [.., k] as f32. */
static tt_val unpacked(const char *site, tt_val codes, int rank, int64_t *dim)
{
    if (tt_dtype_of_at(site, codes) == TT_I8) return tt_cast_at(site, codes, TT_F32);
    const int64_t k = dim[rank - 1];
    dim[rank - 1] = k / BLOCK, dim[rank] = 1, dim[rank + 1] = BLOCK / 2, dim[rank + 2] = TT_DIM_END;
    const tt_val bytes = tt_reshape_at(site, codes, dim);
    const tt_val half[] = { tt_and_at(site, bytes, tt_i(15)), tt_shr_at(site, bytes, tt_i(4)), tt_end };
    dim[rank - 1] = k, dim[rank] = TT_DIM_END;
    const tt_val all = tt_reshape_at(site, tt_concat_at(site, rank, half), dim);
    return tt_sub_at(site, tt_cast_at(site, all, TT_F32), tt_f(8));
}

/* Takes blocks [.., groups, 34 or 18] apart: codes and scales. False with the error set: they are none. */
static bool taken_apart(const char *site, tt_val *codes, tt_val *scales)
{
    const int rank = tt_rank_at(site, *codes), last = rank - 1;
    int64_t dim[RANK + 3], bytes = 0;
    if (!tt_ok()) return false;
    if (rank >= 2 && rank <= RANK && tt_dtype_of_at(site, *codes) == TT_U8) bytes = tt_dim_at(site, *codes, last);
    if (bytes != HEAD + BLOCK && bytes != HEAD + BLOCK / 2) {
        tt_fail_at(site, TT_ESHAPE, "dequantize: %s without scales; expected blocks, u8 [.., 34] or [.., 18]",
                   tt_type_text_at(site, *codes));
        return tt_hint("blocks have their scales, codes do not: tt_dequantize(codes, scales)"), false;
    }
    for (int i = 0; i < rank; i++) dim[i] = tt_dim_at(site, *codes, i);
    const tt_val head = tt_slice_at(site, *codes, last, 0, HEAD, 1);
    const tt_val rest = tt_slice_at(site, *codes, last, HEAD, bytes, 1);
    *scales = tt_bitcast_at(site, head, TT_F16);
    dim[last - 1] *= bytes - HEAD, dim[last] = TT_DIM_END;
    *codes = tt_reshape_at(site, bytes == HEAD + BLOCK ? tt_bitcast_at(site, rest, TT_I8) : rest, dim);
    return tt_ok();
}

tt_val tt_dequantize_at(const char *site, tt_val codes, tt_val scales)
{
    TT_ENTRY(site);
    const bool none = tt_rank_at(site, scales) < 0 && tt_ok() && !tt_items_at(site, scales);
    if (!tt_ok() || (none && !taken_apart(site, &codes, &scales))) return tt_poison;
    const int rank = tt_rank_at(site, codes);
    int64_t dim[RANK + 3];
    if (!tt_ok()) return tt_poison;
    const tt_dtype d = tt_dtype_of_at(site, codes);
    bool fits = tt_rank_at(site, scales) == rank && rank >= 1 && rank <= RANK - 2 && (d == TT_I8 || d == TT_U8);
    for (int i = 0; fits && i < rank; i++) {
        const int64_t n = tt_dim_at(site, codes, i), s = tt_dim_at(site, scales, i);
        dim[i] = i < rank - 1 ? n : d == TT_U8 ? 2 * n : n;
        fits = i < rank - 1 ? n == s : s && dim[i] % s == 0 && (d == TT_I8 || dim[i] / s % BLOCK == 0);
    }
    if (tt_ok() && (!fits || tt_dtype_kind(tt_dtype_of_at(site, scales)) != 'f')) {
        tt_fail_at(site, TT_ESHAPE, "dequantize: codes %s do not fit scales %s", tt_type_text_at(site, codes),
                   tt_type_text_at(site, scales));
        tt_hint("codes are i8 [.., k], or u8 [.., k / 2]; scales are floats [.., groups], for groups of equal size");
    }
    if (!tt_ok()) return tt_poison;
    const int64_t groups = tt_dim_at(site, scales, rank - 1), k = dim[rank - 1];
    const tt_val c = unpacked(site, codes, rank, dim);
    dim[rank - 1] = groups, dim[rank] = k / groups, dim[rank + 1] = TT_DIM_END;
    const tt_val wide = tt_mul_at(site, tt_reshape_at(site, c, dim),
                                  tt_expand_dims_at(site, tt_cast_at(site, scales, TT_F32), -1));
    dim[rank - 1] = k, dim[rank] = TT_DIM_END;
    return tt_reshape_at(site, wide, dim);
}
