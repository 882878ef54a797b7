/* op/random/random_bits.c - words of random bits from a key, exactly JAX's: [batch..., 2] -> [batch..., shape...].
 *
 * Each element depends only on the key and on its row-major index i in `shape` (of N elements), so any box can be
 * computed alone.
 * - partitionable: (a, b) = block(key, high word of i, low word of i); the element is a ^ b, the low bits of a ^ b, or
 *   a b as one 64-bit word.
 * - original: words j of a flat array of w = ceil(width N / 32) counters, hashed in pairs (j, j + m), m = ceil(w / 2);
 *   an odd w has a zero at the end. Words hold 32 / width elements, low bits first; 64-bit elements are words i and i +
 *   N. More than 2^32 - 1 words: blocks of that length, each under its own key. */
#include "../build.h"
#include "../local/local.h"
#include "../ops.h"
#include "threefry.h"

#include <string.h>

typedef op_random_bits_attr bits;
static const char *const layouts[] = { "original", "partitionable", NULL };

static bool bits_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const bits *a = IR_ATTR(e, bits);
    const int batch = x[0]->rank - 1;
    const tt_dtype of = a->bit_width == 8 ? TT_U8 : a->bit_width == 16 ? TT_U16 : a->bit_width == 32 ? TT_U32 : TT_U64;
    int64_t dim[IR_RANK];
    if (!op_check_shape(e, "shape", a->shape)) return false;
    if (a->bit_width != 8 && a->bit_width != 16 && a->bit_width != 32 && a->bit_width != 64)
        return base_fail(TT_ETYPE, e->site, "random_bits: a width of %lld bits; expected 8, 16, 32 or 64",
                         (long long)a->bit_width);
    if (x[0]->dtype != TT_U32 || batch < 0 || x[0]->dim[batch] != 2)
        return op_expected(e, TT_ETYPE, "the key", OP_ONLY, x[0], "u32[2], or leading dims before the 2", NULL);
    if (batch + a->shape.n > IR_RANK)
        return base_fail(TT_ESHAPE, e->site, "random_bits: %d dims; at most %d are allowed", batch + a->shape.n,
                         IR_RANK);
    memcpy(dim, x[0]->dim, (size_t)batch * sizeof *dim);
    if (a->shape.n) memcpy(dim + batch, a->shape.v, (size_t)a->shape.n * sizeof *dim);
    *y = ir_type_of(of, batch + a->shape.n, dim);
    return true;
}

static void bits_rules(const ir_eqn *e, op_rule *r)
{
    const int batch = IR_IN(e, 0)->rank - 1;
    for (int d = 0; d < IR_OUT(e, 0)->rank; d++) {
        const int f = op_factor(r, IR_OUT(e, 0)->dim[d], OP_PASS_THROUGH);
        if (d < batch) op_dim(r, 0, d, f);
        op_dim(r, 1, d, f);
    }
    op_dim(r, 0, batch, op_factor(r, 2, OP_NEED_REPLICATION));
}

static void bits_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y, bool *out)
{
    (void)mapped, (void)n, (void)out;
    y[0] = ir_clone(b, e, x);
}

/* Word j of the encrypted counters 0 .. w-1. */
static uint32_t flat_word(op_pair key, uint64_t j, uint64_t w)
{
    const uint64_t m = (w + 1) / 2, i = j < m ? j : j - m;
    const op_pair p = op_threefry(key, (uint32_t)i, i + m < w ? (uint32_t)(i + m) : 0);
    return j < m ? p.a : p.b;
}

static uint32_t original_word(op_pair key, uint64_t j, uint64_t w)
{
    const uint64_t most = UINT32_MAX, blocks = w / most, at = j / most;
    if (!blocks) return flat_word(key, j, w);
    const op_pair sub = { flat_word(key, 2 * at, 2 * (blocks + 1)), flat_word(key, 2 * at + 1, 2 * (blocks + 1)) };
    return flat_word(sub, j % most, at < blocks ? most : w % most);
}

uint64_t op_random_element(const op_random_bits_attr *a, op_pair key, uint64_t i, uint64_t n)
{
    const unsigned width = (unsigned)a->bit_width;
    if (a->layout == OP_BITS_PARTITIONABLE) {
        const op_pair p = op_threefry(key, (uint32_t)(i >> 32), (uint32_t)i);
        return width == 64 ? (uint64_t)p.a << 32 | p.b : p.a ^ p.b;
    }
    if (width == 64) return (uint64_t)original_word(key, i, 2 * n) << 32 | original_word(key, i + n, 2 * n);
    const uint64_t each = 32 / width, words = (n + each - 1) / each;
    return original_word(key, i / each, words) >> i % each * width;
}

static bool bits_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const bits *a = IR_ATTR(e, bits);
    const int batch = x->rank - 1;
    uint64_t n = 1;
    int64_t i[IR_RANK], k[IR_RANK];
    for (int d = 0; d < a->shape.n; d++) n *= (uint64_t)a->shape.v[d];
    for (bool more = ir_first(y, i); more; more = ir_next(y, i)) {
        uint64_t at = 0;
        for (int d = 0; d < a->shape.n; d++) at = at * (uint64_t)a->shape.v[d] + (uint64_t)i[batch + d];
        for (int d = 0; d < batch; d++) k[d] = i[d];
        op_pair key;
        k[batch] = 0, key.a = (uint32_t)ir_load(x, k).u;
        k[batch] = 1, key.b = (uint32_t)ir_load(x, k).u;
        ir_store(y, i, (ir_num){ .u = op_random_element(a, key, at, n) });
    }
    return true;
}

typedef struct { op_local_fn *p; const ir_type *word; ir_id key[2]; } draws;  /* word: u32, of the part's shape */

static ir_id draws_number(const draws *c, tt_dtype d, int64_t v)
{
    return op_broadcast(c->p->b, op_int(c->p->b, d, v), ir_type_of(d, c->word->rank, c->word->dim), 0, NULL);
}

static bool draws_block(const draws *c, ir_id x0, ir_id x1, ir_id *y)
{
    const ir_id in[] = { c->key[0], c->key[1], x0, x1 }, first = ir_emit(c->p->b, &prim_threefry2x32, NULL, 4, in, 0,
                                                                          NULL);
    y[0] = first, y[1] = first + 1;
    return first != 0;
}

static ir_id draws_join(const draws *c, ir_id high, ir_id low)
{
    ir_build *const b = c->p->b;
    return op_or(b, op_shl(b, op_convert(b, high, TT_U64), draws_number(c, TT_U64, 32)), op_convert(b, low, TT_U64));
}

/* Word j (u32) of `words` in the original order. */
static ir_id draws_word(const draws *c, ir_id j, int64_t words)
{
    ir_build *const b = c->p->b;
    const int64_t half = (words + 1) / 2;
    const ir_id m = draws_number(c, TT_U32, half), zero = draws_number(c, TT_U32, 0);
    const ir_id first = op_compare(b, OP_CMP_LT, j, m), i = op_select(b, first, j, op_sub(b, j, m)),
                next = op_add(b, i, m);
    ir_id y[2];
    const ir_id there = op_compare(b, OP_CMP_LT, next, draws_number(c, TT_U32, words));
    return draws_block(c, i, op_select(b, there, next, zero), y) ? op_select(b, first, y[0], y[1]) : 0;
}

/* The row-major index in the whole shape, of type d: u64, or u32 if all indices fit. */
static ir_id draws_index(const op_local *e, const draws *c, int batch, tt_dtype d)
{
    ir_build *const b = c->p->b;
    const op_random_bits_attr *const a = IR_ATTR(e->e, op_random_bits_attr);
    ir_id y = draws_number(c, d, 0);
    for (int k = 0; k < a->shape.n; k++) {
        const ir_id first = op_local_begin(c->p, e->need[1][batch + k], a->shape.v[k]),
                    at = op_local_positions(c->p, c->word, batch + k, first);
        y = op_add(b, op_mul(b, y, draws_number(c, d, a->shape.v[k])), op_convert(b, at, d));
    }
    return y;
}

static int64_t draws_words(int64_t width, int64_t n)     /* that n numbers of the original order are made of */
{
    const int64_t each = width == 64 ? 1 : 32 / width;
    return width == 64 ? 2 * n : (n + each - 1) / each;
}

static ir_id draws_original(const op_local *e, const draws *c, int batch, int64_t n)
{
    const int64_t width = IR_ATTR(e->e, op_random_bits_attr)->bit_width, each = width == 64 ? 1 : 32 / width,
                  words = draws_words(width, n);
    ir_build *const b = c->p->b;
    const ir_id i = draws_index(e, c, batch, TT_U32);
    if (width == 64)
        return draws_join(c, draws_word(c, i, words), draws_word(c, op_add(b, i, draws_number(c, TT_U32, n)), words));
    if (each == 1) return draws_word(c, i, words);
    const ir_id wide = draws_number(c, TT_U32, each), word = draws_word(c, op_div(b, i, wide), words);
    return op_shr(b, word, op_mul(b, op_rem(b, i, wide), draws_number(c, TT_U32, width)));
}

static ir_id draws_partitionable(const op_local *e, const draws *c, int batch)
{
    ir_build *const b = c->p->b;
    const ir_id i = draws_index(e, c, batch, TT_U64);
    const ir_id high = op_convert(b, op_shr(b, i, draws_number(c, TT_U64, 32)), TT_U32);
    ir_id y[2];
    if (!draws_block(c, high, op_convert(b, i, TT_U32), y)) return 0;
    return IR_ATTR(e->e, op_random_bits_attr)->bit_width == 64 ? draws_join(c, y[0], y[1]) : op_xor(b, y[0], y[1]);
}

static bool bits_local(op_local *e, ir_id *y)
{
    const op_random_bits_attr *const a = IR_ATTR(e->e, op_random_bits_attr);
    ir_build *const b = e->p->b;
    const ir_type *const t = op_local_result(e),
                  *const keys = ir_typeof(b, e->x[0]);
    int64_t n = 1, dims[IR_RANK], lo[IR_RANK] = { 0 }, hi[IR_RANK], one[IR_RANK];
    const int batch = keys->rank - 1;
    bool any = false;
    for (int d = 0; d < a->shape.n; d++) any |= op_local_cut(e, 1, batch + d);
    if (!t) return false;
    if (!any) return op_local_as_is(e, y);
    draws c = { e->p, ir_type_of(TT_U32, t->rank, t->dim), { 0, 0 } };
    for (int d = 0; d < a->shape.n; d++) n *= a->shape.v[d];
    for (int d = 0; d <= batch; d++) dims[d] = d, hi[d] = keys->dim[d], one[d] = 1;
    for (int k = 0; k < 2; k++) {
        lo[batch] = k, hi[batch] = k + 1;
        const ir_id part = op_slice(b, e->x[0], (ir_dims){ batch + 1, lo }, (ir_dims){ batch + 1, hi },
                                    (ir_dims){ batch + 1, one });
        c.key[k] = op_broadcast(b, op_reshape(b, part, batch, keys->dim), c.word, batch, dims);
    }
    const ir_id bits = a->layout == OP_BITS_PARTITIONABLE ? draws_partitionable(e, &c, batch)
                                                          : draws_original(e, &c, batch, n);
    return bits && (y[0] = op_convert(b, bits, t->dtype)) != 0;
}

static const char *bits_refuses(const op_local_choice *c)
{
    const op_random_bits_attr *const a = IR_ATTR(c->e, op_random_bits_attr);
    int64_t n = 1;
    for (int d = 0; d < a->shape.n; d++) n *= a->shape.v[d];
    const bool many = n >= UINT32_MAX || draws_words(a->bit_width, n) >= UINT32_MAX;
    return many && a->layout != OP_BITS_PARTITIONABLE ? "it draws 2^32 - 1 words or more" : NULL;
}

const op_prim prim_random_bits = {
    .name = "random_bits", .doc = "words of random bits from a key", .hlo = "", .call = "", .nin = 1, .nout = 1,
    .kernel = OP_REF, .attr = sizeof(bits),
    .field = OP_FIELDS(IR_FIELD(bits, shape, IR_DIMS), IR_FIELD(bits, bit_width, IR_INT),
                       { "layout", IR_ENUM, offsetof(bits, layout), layouts }),
    .type = bits_type, .rules = bits_rules, .linear = op_nonlinear, .partial = op_partial_none,
    .jvp = op_jvp_zero, .transpose = op_transpose_none, .batch = bits_batch, .decompose = op_decompose_none,
    .ref = bits_ref, .exchange = op_exchange_none, .prog = op_prog_none,
    .local = OP_LOCAL(.rule = bits_local, .refuses = bits_refuses),
    .cases = OP_CASES("random_bits u32[2] {shape=[3,5], bit_width=32, layout=partitionable}",
                      "random_bits u32[2] {shape=[7], bit_width=32, layout=original}",
                      "random_bits u32[3,2] {shape=[5], bit_width=8, layout=original}",
                      "random_bits u32[2] {shape=[], bit_width=64, layout=partitionable}",
                      "random_bits u32[2] {shape=[2,0], bit_width=16, layout=original}",
                      "random_bits u32[2] {shape=[9], bit_width=64, layout=original}"),
};
