/* random/key.c - keys: seed, fold_in, split, in both layouts of Threefry's counters (jax.random's).
 *
 * fold_in(key, d) is the block of (0, d). split: in the partitionable layout, key i is the block of (hi(i), lo(i)); in
 * the original layout, the flat hash of 0 .. 2n-1 is read as n pairs, which equals 2n words of random bits in that
 * layout. */
#include "random.h"

#include <string.h>

int random_rank(const int64_t *dims)
{
    int n = 0;
    while (dims && dims[n] != TT_DIM_END) n++;
    return n;
}

bool random_is_key(const char *site, tt_val key)
{
    if (!tt_ok()) return false;
    if (tt_rank_at(site, key) == 1 && tt_dim_at(site, key, 0) == 2 && tt_dtype_of_at(site, key) == TT_U32) return true;
    if (!tt_ok()) return false;
    tt_fail_at(site, TT_ETYPE, "a key is u32[2], not %s", tt_type_text_at(site, key));
    tt_hint("keys come from tt_key, tt_split and tt_fold_in; tt_vmap maps a function over several");
    return false;
}

random_dims random_shape(const char *site, tt_val v)
{
    random_dims s;
    const int n = tt_rank_at(site, v);
    for (int i = 0; i < n; i++) s.d[i] = tt_dim_at(site, v, i);
    s.d[n > 0 ? n : 0] = TT_DIM_END;
    return s;
}

random_dims random_dims1(int64_t n) { return (random_dims){ { n, TT_DIM_END } }; }

tt_val random_words(const char *site, tt_val key, int width, const int64_t *dims)
{
    return tt_random_bits_at(site, key, width, tt_random_layout(), dims);
}

tt_val random_key(const char *site, tt_val keys, int i)
{
    const tt_val one = tt_slice_at(site, keys, 0, i, i + 1, 1);
    return tt_squeeze_at(site, one, 0);
}

static tt_val words(const char *site, uint32_t high, uint32_t low)
{
    return tt_array_at(site, TT_U32, (const uint32_t[]){ high, low }, (const int64_t[]){ 2, TT_DIM_END });
}

tt_val tt_key64_at(const char *site, int64_t seed)
{
    return words(site, (uint32_t)((uint64_t)seed >> 32), (uint32_t)seed);
}
tt_val tt_seed_at(const char *site, int64_t seed) { return words(site, (uint32_t)seed, 0); }
tt_val tt_key_at(const char *site, int64_t seed)
{
    return tt_config_value("x64") ? tt_key64_at(site, seed) : words(site, 0, (uint32_t)seed);
}

static tt_val key_pairs(const char *site, tt_val blocks) /* (y0, y1) of shape S -> [S, 2] */
{
    const tt_val both[] = { tt_item_at(site, blocks, 0), tt_item_at(site, blocks, 1), tt_end };
    return tt_stack_values_at(site, -1, both);
}

tt_val tt_fold_in_at(const char *site, tt_val key, tt_val data)
{
    TT_ENTRY(site);
    if (tt_rank_at(site, data) >= 0 && !strchr("iub", tt_dtype_kind(tt_dtype_of_at(site, data)))) {
        const tt_val bad = tt_fail_at(site, TT_ETYPE, "fold_in: by %s; expected integers", tt_type_text_at(site, data));
        tt_hint("tt_cast the data to an integer type: numbers between two integers would fold alike");
        return bad;
    }
    if (!random_is_key(site, key)) return tt_poison;
    const tt_val low = tt_cast_at(site, data, TT_U32);
    return key_pairs(site, tt_threefry_at(site, key, tt_mul_at(site, low, tt_i(0)), low));
}

tt_val tt_split_at(const char *site, tt_val key, int64_t n)
{
    TT_ENTRY(site);
    if (n < 0 || n > INT32_MAX)
        return tt_fail_at(site, TT_EARG, "split: %lld keys; expected 0 to 2^31 - 1", (long long)n);
    if (!random_is_key(site, key)) return tt_poison;
    if (!strcmp(tt_random_layout(), "original")) {
        const tt_val words = random_words(site, key, 32, (const int64_t[]){ 2 * n, TT_DIM_END });
        return tt_reshape_at(site, words, (const int64_t[]){ n, 2, TT_DIM_END });
    }
    const tt_val low = tt_arange_at(site, TT_U32, n);
    return key_pairs(site, tt_threefry_at(site, key, tt_mul_at(site, low, tt_i(0)), low));
}
