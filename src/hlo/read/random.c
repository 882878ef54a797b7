/* hlo/read/random.c - rng_bit_generator: Threefry and Philox with XLA's counters, so that the bits equal XLA's on CPU.
 *
 * The state is ui64: a key, then a counter of 64 bits (Threefry) or 128 (Philox; 64 if the state has only two words).
 * Threefry gives two words per counter: 32-bit results are drawn in two halves along the first even dim, or the longest
 * dim. Philox gives four consecutive words. DEFAULT is Philox, as on XLA's CPU. Narrower results are the low bits of
 * 32. */
#include "../inner.h"
#include "../../op/ops.h"

#include <string.h>

typedef ir_id value;
typedef struct { value lo, hi; } pair;                   /* a 64-bit number as two words of ui32 */

static value filled(ir_build *b, value like, uint64_t v)
{
    const ir_type *const t = like ? ir_typeof(b, like) : NULL;
    return t ? op_broadcast(b, op_int(b, t->dtype, (int64_t)v), t, 0, NULL) : 0;
}

static pair random_parts(ir_build *b, value x)
{
    return (pair){ op_convert(b, x, TT_U32), op_convert(b, op_shr(b, x, filled(b, x, 32)), TT_U32) };
}

static value random_join_words(ir_build *b, value lo, value hi)
{
    const value l = op_convert(b, lo, TT_U64), h = op_convert(b, hi, TT_U64);
    return op_or(b, l, op_shl(b, h, filled(b, h, 32)));
}

static value random_word(ir_build *b, value state, int64_t i) /* state[i], a scalar */
{
    const int64_t at = i, end = i + 1, one = 1;
    return op_reshape(b, op_slice(b, state, (ir_dims){ 1, &at }, (ir_dims){ 1, &end }, (ir_dims){ 1, &one }), 0, NULL);
}

static value as_vector(ir_build *b, value x) { return op_reshape(b, x, 1, (const int64_t[]){ 1 }); }

/* ---- Threefry ---- */

/* The cipher of counter + each element's row-major index (dims of size 1 do not count). */
static pair threefry(ir_build *b, value key, value counter, int rank, const int64_t *dim)
{
    const ir_type *const t = ir_type_of(TT_U64, rank, dim);
    value at = op_broadcast(b, counter, t, 0, NULL);
    for (int d = rank - 1, stride = 1; d >= 0; stride *= (int)dim[d--]) {
        if (dim[d] < 2) continue;
        const value i = op_iota(b, t, d);
        at = op_add(b, at, op_mul(b, i, filled(b, i, (uint64_t)stride)));
    }
    const pair x = random_parts(b, at), k = random_parts(b, op_broadcast(b, key, t, 0, NULL));
    const ir_id in[] = { k.lo, k.hi, x.lo, x.hi };
    const ir_id y = ir_emit(b, &prim_threefry2x32, NULL, 4, in, 0, NULL);
    return (pair){ y, y ? y + 1 : 0 };
}

static int split_dim(const ir_type *t)                   /* the first even dim, or the longest */
{
    int best = 0;
    for (int d = 0; d < t->rank; d++) if (t->dim[d] % 2 == 0) return d;
    for (int d = 1; d < t->rank; d++) if (t->dim[d] > t->dim[best]) best = d;
    return best;
}

static value threefry32(ir_build *b, value key, value counter, const ir_type *t)
{
    int64_t half[IR_RANK + 1], whole[IR_RANK], zero[IR_RANK] = { 0 }, one[IR_RANK];
    if (!t->rank) return op_reshape(b, threefry(b, key, counter, 1, (const int64_t[]){ 1 }).lo, 0, NULL);
    if (t->rank == IR_RANK)
        return base_fail(TT_ESHAPE, NULL, "random bits of %d dims, the limit, need one dim more", IR_RANK), 0;
    const int s = split_dim(t);
    for (int d = 0; d <= t->rank; d++) half[d] = d == s ? (t->dim[d] + 1) / 2 : d == s + 1 ? 1 : t->dim[d - (d > s)];
    const pair y = threefry(b, key, counter, t->rank + 1, half);
    const value both = op_concatenate(b, 2, (const ir_id[]){ y.lo, y.hi }, s + 1);
    for (int d = 0; d < t->rank; d++) whole[d] = d == s ? 2 * half[s] : t->dim[d], one[d] = 1;
    const value all = op_reshape(b, both, t->rank, whole);
    if (whole[s] == t->dim[s]) return all;
    return op_slice(b, all, (ir_dims){ t->rank, zero }, (ir_dims){ t->rank, t->dim }, (ir_dims){ t->rank, one });
}

static int64_t halves(const ir_type *t)                  /* increment of the counter by 32-bit draws */
{
    if (!t->rank) return 1;
    const int s = split_dim(t);
    return t->dim[s] ? ir_count(t) / t->dim[s] * ((t->dim[s] + 1) / 2) : 0;
}

/* ---- Philox ---- */

static void philox_round(ir_build *b, value *x, value k0, value k1)
{
    value hi[2], lo[2];
    static const uint64_t by[2] = { 0xD2511F53, 0xCD9E8D57 };
    for (int i = 0; i < 2; i++) {
        const value wide = op_convert(b, x[2 * i], TT_U64);
        const pair p = random_parts(b, op_mul(b, wide, filled(b, wide, by[i])));
        hi[i] = p.hi, lo[i] = p.lo;
    }
    const value a = op_xor(b, op_xor(b, hi[1], x[1]), k0), c = op_xor(b, op_xor(b, hi[0], x[3]), k1);
    x[0] = a, x[1] = lo[1], x[2] = c, x[3] = lo[0];
}

/* low + i with the carry into high: 128-bit counters of n blocks of four words, [n, 4]. */
static value philox(ir_build *b, value key, value low, value high, int64_t n)
{
    const ir_type *const t = ir_type_of(TT_U64, 1, &n);
    const value base = op_broadcast(b, low, t, 0, NULL), at = op_add(b, base, op_iota(b, t, 0));
    const value carry = op_convert(b, op_less(b, at, base), TT_U64);
    const pair l = random_parts(b, at), h = random_parts(b, op_add(b, op_broadcast(b, high, t, 0, NULL), carry));
    const pair k = random_parts(b, op_broadcast(b, key, t, 0, NULL));
    value x[4] = { l.lo, l.hi, h.lo, h.hi }, k0 = k.lo, k1 = k.hi;
    for (int i = 0; i < 10; i++) {
        if (i) k0 = op_add(b, k0, filled(b, k0, 0x9E3779B9)), k1 = op_add(b, k1, filled(b, k1, 0xBB67AE85));
        philox_round(b, x, k0, k1);
    }
    for (int i = 0; i < 4; i++) x[i] = op_reshape(b, x[i], 2, (const int64_t[]){ n, 1 });
    return op_concatenate(b, 4, x, 1);
}

static value philox_bits(ir_build *b, value key, value low, value high, const ir_type *t, bool wide, int64_t *blocks)
{
    const int64_t words = ir_count(t) * (wide ? 2 : 1), n = *blocks = (words + 3) / 4, zero = 0, one = 1,
        count = ir_count(t);
    value all = philox(b, key, low, high, n);
    if (wide) {                                          /* pairs of words */
        const int64_t from0[] = { 0, 0 }, from1[] = { 0, 1 }, to0[] = { 2 * n, 1 }, to1[] = { 2 * n, 2 },
            ones[] = { 1, 1 };
        const value two = op_reshape(b, all, 2, (const int64_t[]){ 2 * n, 2 });
        all = random_join_words(b, op_slice(b, two, (ir_dims){ 2, from0 }, (ir_dims){ 2, to0 }, (ir_dims){ 2, ones }),
                                op_slice(b, two, (ir_dims){ 2, from1 }, (ir_dims){ 2, to1 }, (ir_dims){ 2, ones }));
    }
    const value flat = op_reshape(b, all, 1, (const int64_t[]){ wide ? 2 * n : 4 * n });
    return op_reshape(b, op_slice(b, flat, (ir_dims){ 1, &zero }, (ir_dims){ 1, &count }, (ir_dims){ 1, &one }),
                      t->rank, t->dim);
}

/* ---- the operation ---- */

/* unsigned words as another type of the same width or less */
static value as_result(ir_build *b, value bits, tt_dtype d)
{
    static const tt_dtype plain[] = { [1] = TT_U8, [2] = TT_U16, [4] = TT_U32, [8] = TT_U64 };
    const value low = op_convert(b, bits, plain[ir_dtype_of(d)->bytes]);
    return d == ir_typeof(b, low)->dtype ? low : ir_emit(b, &prim_bitcast, &(op_convert_attr){ d }, 1, &low, 0, NULL);
}

static bool bit_generator(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    ir_build *const b = r->b;
    const ir_type *const s = o->in.n == 1 ? ir_typeof(b, x[0]) : NULL, *const t = hlo_result(o, 1);
    const hlo_span how = hlo_choice(&o->attr, "rng_algorithm");
    const bool cipher = hlo_is(how, "THREE_FRY"), other = hlo_is(how, "PHILOX") || hlo_is(how, "DEFAULT") || !how.n;
    if (!s || !t || (!cipher && !other)) return hlo_refuse(r, o, TT_EARG,
                                                           "expected one operand, a state, and an rng_algorithm: "
                                                           "DEFAULT THREE_FRY PHILOX");
    if (s->rank != 1 || s->dtype != TT_U64 || s->dim[0] < 2 || s->dim[0] > (cipher ? 2 : 3))
        return hlo_refuse(r, o, TT_ETYPE, "expected a state of two%s words ui64", cipher ? "" : " or three");
    if (t->dtype == TT_BOOL || op_is_complex(t->dtype))
        return hlo_refuse(r, o, TT_ETYPE, "random bits of type %s; expected integers or floats",
                          ir_dtype_of(t->dtype)->name);
    const bool wide = ir_dtype_of(t->dtype)->bytes == 8;
    const value key = random_word(b, x[0], 0);
    value bits, state[3] = { as_vector(b, key), 0, 0 };
    int64_t n = wide ? ir_count(t) : halves(t);
    int words = 2;
    if (cipher) {
        const value counter = random_word(b, x[0], 1);
        const pair p = wide ? threefry(b, key, counter, t->rank, t->dim) : (pair){ 0, 0 };
        bits = wide ? random_join_words(b, p.lo, p.hi) : threefry32(b, key, counter, t);
        state[1] = as_vector(b, op_add(b, counter, filled(b, counter, (uint64_t)n)));
    /* two words only: the key is also the high half of the counter */
    } else {
        const bool three = s->dim[0] == 3;
        const value low = random_word(b, x[0], 1), high = three ? random_word(b, x[0], 2) : key;
        bits = philox_bits(b, key, low, high, t, wide, &n);
        const value next = op_add(b, low, filled(b, low, (uint64_t)n)),
            over = op_convert(b, op_less(b, next, low), TT_U64);
        state[1] = as_vector(b, next);
        if (three) state[2] = as_vector(b, op_add(b, high, over)), words = 3;
    }
    y[0] = op_concatenate(b, words, state, 0);
    y[1] = bits ? as_result(b, bits, t->dtype) : 0;
    return y[0] && y[1];
}

const hlo_rule hlo_randoms[] = { { "stablehlo.rng_bit_generator", bit_generator }, { NULL, NULL } };
