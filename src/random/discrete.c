/* random/discrete.c - bits, integers, permutations, categorical and weighted choice (jax.random's algorithms). */
#include "random.h"

#include <math.h>
#include <stdlib.h>

static const tt_take_opts inside = { .size = sizeof(tt_take_opts), .mode = "promise_in_bounds" };

typedef struct { tt_dtype type, word; int width; int64_t lo; uint64_t hi; } integer;
static const integer integers[] = {
    { TT_I8, TT_U8, 8, INT8_MIN, INT8_MAX },     { TT_U8, TT_U8, 8, 0, UINT8_MAX },
    { TT_I16, TT_U16, 16, INT16_MIN, INT16_MAX }, { TT_U16, TT_U16, 16, 0, UINT16_MAX },
    { TT_I32, TT_U32, 32, INT32_MIN, INT32_MAX }, { TT_U32, TT_U32, 32, 0, UINT32_MAX },
    { TT_I64, TT_U64, 64, INT64_MIN, INT64_MAX }, { TT_U64, TT_U64, 64, 0, UINT64_MAX },
};

static const integer *integer_of(const char *site, const char *what, tt_dtype d)
{
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) if (integers[i].type == d) return &integers[i];
    tt_fail_at(site, TT_ETYPE, "%s: %s is no integer type", what, tt_dtype_name(d));
    return NULL;
}

bool random_is_integer(const char *site, const char *what, tt_dtype d) { return integer_of(site, what, d) != NULL; }

tt_val tt_bits_at(const char *site, tt_val key, tt_dtype d, const int64_t *dims)
{
    TT_ENTRY(site);
    const integer *t = integer_of(site, "bits", d);
    if (!t) return tt_fail_at(site, TT_ETYPE, "this draw was refused");
    if (t->type != t->word) {
        const tt_val bad = tt_fail_at(site, TT_ETYPE, "bits: %s is signed; expected an unsigned type",
                                      tt_dtype_name(d));
        tt_hint("draw an unsigned type and tt_bitcast the result");
        return bad;
    }
    return random_words(site, key, t->width, dims);
}

/* a scalar of an integer type, from the low bytes of x (little-endian) */
static tt_val discrete_integer(const char *site, tt_dtype d, uint64_t x)
{
    return tt_array_at(site, d, &x, (const int64_t[]){ TT_DIM_END });
}

/* A bound clamped to integer type t. *above: the bound was greater than the type's largest number. */
static tt_val discrete_bound(const char *site, tt_val v, const integer *t, tt_val *above)
{
    /* a number of C is i32 until its own type is asked for: 4294967295 is above that */
    if (tt_ok() && t->type == TT_U32 && tt_rank_at(site, v) == 0 && !tt_is_traced_at(site, v) &&
        tt_dtype_of_at(site, v) == TT_I32)
        v = tt_cast_at(site, v, TT_I64);
    const integer *own = integer_of(site, "randint's bounds", tt_dtype_of_at(site, v));
    if (!own) return tt_fail_at(site, TT_ETYPE, "this draw was refused");
    if (above) *above = own->hi > t->hi ? tt_compare_at(site, 4, v, discrete_integer(site, own->type, t->hi))
        : tt_b(false);
    if (own->lo < t->lo) v = tt_max_at(site, v, discrete_integer(site, own->type, (uint64_t)t->lo));
    if (own->hi > t->hi) v = tt_min_at(site, v, discrete_integer(site, own->type, t->hi));
    return tt_cast_at(site, v, t->type);
}

/* offset = (high mod span * m + low mod span) mod span, m = (2^(w/2) mod span)^2 mod span, in unsigned words of the
 * type. */
tt_val tt_randint_native_at(const char *site, tt_val key, tt_dtype dtype, tt_val lo, tt_val hi, const int64_t *dims)
{
    TT_ENTRY(site);
    const integer *t = integer_of(site, "randint", dtype);
    tt_val above;
    if (!t) return tt_fail_at(site, TT_ETYPE, "this draw was refused");
    hi = discrete_bound(site, hi, t, &above);
    lo = discrete_bound(site, lo, t, NULL);
    const tt_val keys = tt_split_at(site, key, 2), more = tt_compare_at(site, 4, hi, lo);
    const tt_val one = discrete_integer(site, t->word, 1);
    tt_val half[2], span = tt_cast_at(site, tt_sub_at(site, hi, lo), t->word);
    for (int i = 0; i < 2; i++) half[i] = random_words(site, tt_take_at(site, keys, tt_i(i), 0, NULL), t->width, dims);
    span = tt_where_at(site, more, span, one);
    span = tt_where_at(site, tt_and_at(site, above, more), tt_add_at(site, span, one), span);
    tt_val m = tt_rem_at(site, discrete_integer(site, t->word, (uint64_t)1 << t->width / 2), span);
    m = tt_rem_at(site, tt_mul_at(site, m, m), span);
    const tt_val high = tt_mul_at(site, tt_rem_at(site, half[0], span), m);
    const tt_val offset = tt_rem_at(site, tt_add_at(site, high, tt_rem_at(site, half[1], span)), span);
    return tt_add_at(site, lo, tt_cast_at(site, offset, dtype));
}

/* 8- and 16-bit integers are drawn in 32 bits and narrowed, as in jax since 2025. */
tt_val tt_randint_at(const char *site, tt_val key, tt_dtype dtype, tt_val lo, tt_val hi, const int64_t *dims)
{
    TT_ENTRY(site);
    const integer *t = integer_of(site, "randint", dtype);
    if (!t) return tt_fail_at(site, TT_ETYPE, "this draw was refused");
    if (t->width >= 32) return tt_randint_native_at(site, key, dtype, lo, hi, dims);
    tt_val above;
    hi = discrete_bound(site, hi, t, &above);
    lo = discrete_bound(site, lo, t, NULL);
    hi = tt_add_at(site, tt_cast_at(site, hi, TT_I32), tt_cast_at(site, above, TT_I32));
    return tt_cast_at(site, tt_randint_native_at(site, key, TT_I32, tt_cast_at(site, lo, TT_I32), hi, dims), dtype);
}

/* Rounds of a stable sort by random words: ceil(3 ln(size) / ln(2^32 - 1)). */
static tt_val shuffled(const char *site, tt_val key, tt_val v, int axis)
{
    const double size = (double)(tt_count_at(site, v) > 1 ? tt_count_at(site, v) : 1);
    const int rounds = (int)ceil(3 * log(size) / log(4294967295.0));
    const random_dims shape = random_shape(site, v);
    for (int r = 0; r < rounds; r++) {
        const tt_val keys = tt_split_at(site, key, 2);
        key = tt_take_at(site, keys, tt_i(0), 0, NULL);
        const tt_val by = random_words(site, tt_take_at(site, keys, tt_i(1), 0, NULL), 32, shape.d);
        const tt_val both = tt_tuple_at(site, (const tt_val[]){ by, v, tt_end });
        v = tt_item_at(site, tt_sort_at(site, both, axis, &(tt_sort_opts){ .size = sizeof(tt_sort_opts), .keys = 1 }),
                       1);
    }
    return v;
}

/* True if v, a scalar count, is an integer; else sets the error, as in JAX. */
static bool number_of(const char *site, const char *what, tt_val v)
{
    const char kind = tt_dtype_kind(tt_dtype_of_at(site, v));
    if (kind == 'i' || kind == 'u' || !tt_ok()) return tt_ok();
    tt_fail_at(site, TT_ETYPE, "%s: of %s; expected an integer, or an array", what, tt_type_text_at(site, v));
    return false;
}

/* The type of drawn positions: i64 with TUTTI=x64, which is JAX's default integer type then, else i32. */
static tt_dtype index_dtype(void) { return tt_config_value("x64") ? TT_I64 : TT_I32; }

tt_val tt_permutation_at(const char *site, tt_val key, tt_val v, int axis, int independent)
{
    TT_ENTRY(site);
    const int rank = tt_rank_at(site, v);
    if (rank < 0) return tt_poison;
    if (rank == 0) {
        if (!number_of(site, "permutation", v)) return tt_poison;
        const double n = tt_num_at(site, v);
        if (axis != 0 && axis != -1)
            return tt_fail_at(site, TT_EARG, "permutation: no axis %d of the numbers below %g, which have one", axis,
                              n);
        if (!(n >= 0 && n <= INT32_MAX))
            return tt_fail_at(site, TT_EARG, "permutation: of %g numbers; expected 0 to 2^31 - 1", n);
        return shuffled(site, key, tt_arange_at(site, index_dtype(), (int64_t)n), 0);
    }
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank)
        return tt_fail_at(site, TT_EARG, "permutation: no axis %d in %s", axis, tt_type_text_at(site, v));
    if (independent || rank == 1) return shuffled(site, key, v, axis);
    return tt_take_at(site, v, shuffled(site, key, tt_arange_at(site, TT_I32, tt_dim_at(site, v, axis)), 0), axis,
                      &inside);
}

/* argmax of gumbel + logits: the first of equal maxima. */
tt_val tt_categorical_at(const char *site, tt_val key, tt_val logits, int axis, const int64_t *dims)
{
    TT_ENTRY(site);
    if (!tt_ok()) return tt_poison;
    const int rank = tt_rank_at(site, logits);
    if (rank < 0) return tt_poison;
    if (tt_dtype_kind(tt_dtype_of_at(site, logits)) != 'f')
        return tt_fail_at(site, TT_ETYPE, "categorical: logits are %s; expected floats", tt_type_text_at(site, logits));
    if (axis >= 0) axis -= rank;
    if (axis < -rank || axis >= 0)
        return tt_fail_at(site, TT_EARG, "categorical: no axis %d in %s", axis + rank, tt_type_text_at(site, logits));
    const int given = dims ? random_rank(dims) : rank - 1, front = given - (rank - 1);
    random_dims shape;
    if (front < 0)
        return tt_fail_at(site, TT_ESHAPE, "categorical: a shape of %d dims; expected the batch's %d or more", given,
                          rank - 1);
    for (int i = 0; i < front; i++) shape.d[i] = dims[i];
    for (int i = 0, b = front; i < rank; i++) {
        shape.d[front + i] = tt_dim_at(site, logits, i);
        if (i == rank + axis || !dims) continue;
        if (dims[b++] != tt_dim_at(site, logits, i))
            return tt_fail_at(site, TT_ESHAPE, "categorical: the shape does not end with the batch shape of %s",
                              tt_type_text_at(site, logits));
    }
    shape.d[front + rank] = TT_DIM_END;
    char over[16] = { '-', (char)('0' - axis), 0 };
    const tt_val g = tt_add_at(site, tt_gumbel_at(site, key, tt_dtype_of_at(site, logits), shape.d), logits);
    return tt_argmax_at(site, g, &(tt_reduce_opts){ .size = sizeof(tt_reduce_opts), .dims = over });
}

static int64_t discrete_product(const int64_t *dims)
{
    int64_t n = 1;
    for (int i = 0; dims && dims[i] != TT_DIM_END; i++) n *= dims[i];
    return n;
}

/* Indices drawn with weights p [n]. */
static tt_val weighted(const char *site, tt_val key, tt_val p, int64_t draws, int replace, const int64_t *dims)
{
    const tt_dtype d = tt_dtype_of_at(site, p);
    const int64_t n = tt_dim_at(site, p, 0);
    if (!replace) {
        const tt_val g = tt_add_at(site, tt_gumbel_at(site, key, d, random_dims1(n).d), tt_log_at(site, p));
        return tt_reshape_at(site, tt_item_at(site, tt_top_k_at(site, g, draws), 1), dims);
    }
    const tt_val sums = tt_cumsum_at(site, p, 0, &(tt_cum_opts){ .size = sizeof(tt_cum_opts) });
    const tt_val u = tt_sub_at(site, tt_f(1), tt_uniform_at(site, key, d, random_dims1(draws).d));
    const tt_val r = tt_mul_at(site, tt_take_at(site, sums, tt_i(n - 1), 0, NULL), u);
    /* [draws, n] */
    const tt_val below = tt_compare_at(site, 2, tt_expand_dims_at(site, sums, 0), tt_expand_dims_at(site, r, 1));
    const tt_reduce_opts rows = { .size = sizeof rows, .dims = "1" };
    return tt_reshape_at(site, tt_sum_at(site, tt_cast_at(site, below, TT_I32), &rows), dims);
}

/* True if that many draws by weights p are possible; else sets the error. Only f32 and f64 weights that are not traced
 * are checked. */
static bool weights_ok(const char *site, tt_val p, int64_t draws, int replace)
{
    const tt_dtype d = tt_dtype_of_at(site, p);
    const int64_t n = tt_count_at(site, p);
    if (!tt_ok() || tt_is_traced_at(site, p) || (d != TT_F32 && d != TT_F64)) return tt_ok();
    void *const w = malloc(tt_bytes_at(site, p) + 1);
    if (!w) return tt_fail_at(site, TT_EMEM, "choice: out of memory"), false;
    double sum = 0, least = 0;
    int64_t positive = 0;
    bool ok = tt_read_at(site, p, w, tt_bytes_at(site, p));
    for (int64_t i = 0; ok && i < n; i++) {
        const double x = d == TT_F32 ? (double)((const float *)w)[i] : ((const double *)w)[i];
        sum += x, least = x >= least ? least : x, positive += x > 0;
    }
    free(w);
    if (!ok) return false;
    ok = least >= 0 && sum > 0 && sum < (double)INFINITY;
    if (ok && (replace || positive >= draws)) return true;
    if (!ok)
        tt_fail_at(site, TT_EARG, "choice: the weights' sum is %g, the least %g; expected above 0, and 0 or more", sum,
                   least);
    else
        tt_fail_at(site, TT_EARG, "choice: %lld draws without replacement; %lld weights are above 0",
                   (long long)draws, (long long)positive);
    tt_hint("weights are numbers from 0 up, and one of them is above 0");
    return false;
}

tt_val tt_choice_at(const char *site, tt_val key, tt_val v, const int64_t *dims, int replace, const tt_val *p, int axis)
{
    TT_ENTRY(site);
    const int rank = tt_rank_at(site, v);
    if (rank < 0) return tt_poison;
    if (rank == 0 && !number_of(site, "choice", v)) return tt_poison;
    if (rank && (axis < -rank || axis >= rank))
        return tt_fail_at(site, TT_EARG, "choice: no axis %d in %s", axis, tt_type_text_at(site, v));
    const int64_t n = rank ? tt_dim_at(site, v, axis) : (int64_t)tt_num_at(site, v), draws = discrete_product(dims);
    if (!tt_ok()) return tt_poison;
    if (n < 1 && draws > 0) return tt_fail_at(site, TT_EARG, "choice: %lld draws of 0 entries", (long long)draws);
    if (!replace && draws > n)
        return tt_fail_at(site, TT_EARG, "choice: %lld draws without replacement of %lld entries", (long long)draws,
                          (long long)n);
    tt_val index;
    if (p && (tt_rank_at(site, *p) != 1 || tt_dim_at(site, *p, 0) != n))
        return tt_fail_at(site, TT_ESHAPE, "choice: weights %s; expected a vector of %lld, one per entry",
                          tt_type_text_at(site, *p), (long long)n);
    if (p && !weights_ok(site, *p, draws, replace)) return tt_poison;
    if (p) index = weighted(site, key, *p, draws, replace, dims);
    else if (replace) index = tt_randint_at(site, key, index_dtype(), tt_i(0), tt_i(n), dims);
    else {
        const tt_val order = tt_permutation_at(site, key, tt_i(n), 0, 0);
        index = tt_reshape_at(site, tt_slice_at(site, order, 0, 0, draws, 1), dims);
    }
    return rank ? tt_take_at(site, v, index, axis, &inside) : index;
}

tt_val tt_choice_with_at(const char *site, tt_val key, tt_val v, const int64_t *dims, const tt_choice_opts *o)
{
    if (!TT_CHECKED(tt_choice_opts, site, "choice_with", o)) return tt_poison;
    const bool weighted = o->p.slot || o->p.born;
    static const int64_t none[] = { TT_DIM_END };
    return tt_choice_at(site, key, v, dims ? dims : none, !o->once, weighted ? &o->p : NULL, o->dim);
}
