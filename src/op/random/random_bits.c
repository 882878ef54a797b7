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

const op_prim prim_random_bits = {
    .name = "random_bits", .doc = "words of random bits from a key", .hlo = "", .call = "", .nin = 1, .nout = 1,
    .kernel = OP_REF, .attr = sizeof(bits),
    .field = OP_FIELDS(IR_FIELD(bits, shape, IR_DIMS), IR_FIELD(bits, bit_width, IR_INT),
                       { "layout", IR_ENUM, offsetof(bits, layout), layouts }),
    .type = bits_type, .rules = bits_rules, .linear = op_nonlinear, .partial = op_partial_none,
    .jvp = op_jvp_zero, .transpose = op_transpose_none, .batch = bits_batch, .decompose = op_decompose_none,
    .ref = bits_ref, .exchange = op_exchange_none, .prog = op_prog_none,
    .cases = OP_CASES("random_bits u32[2] {shape=[3,5], bit_width=32, layout=partitionable}",
                      "random_bits u32[2] {shape=[7], bit_width=32, layout=original}",
                      "random_bits u32[3,2] {shape=[5], bit_width=8, layout=original}",
                      "random_bits u32[2] {shape=[], bit_width=64, layout=partitionable}",
                      "random_bits u32[2] {shape=[2,0], bit_width=16, layout=original}",
                      "random_bits u32[2] {shape=[9], bit_width=64, layout=original}"),
};
