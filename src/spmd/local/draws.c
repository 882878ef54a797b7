/* spmd/local/draws.c - random bits of a device's part: each element has the counter that it has in the whole, so the
 * bits are those of one device (op/random/random_bits.c defines them). */
#include "local.h"
#include "../../op/ops.h"

typedef struct { spmd_local_part *p; const ir_type *word; ir_id key[2]; } draws;  /* word: u32, of the part's shape */

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
static ir_id draws_index(const spmd_local_eqn *e, const draws *c, int batch, tt_dtype d)
{
    ir_build *const b = c->p->b;
    const op_random_bits_attr *const a = IR_ATTR(e->e, op_random_bits_attr);
    ir_id y = draws_number(c, d, 0);
    for (int k = 0; k < a->shape.n; k++) {
        const ir_id first = spmd_local_begin(c->p, e->need[1].dim[batch + k], a->shape.v[k]),
                    at = spmd_local_positions(c->p, c->word, batch + k, first);
        y = op_add(b, op_mul(b, y, draws_number(c, d, a->shape.v[k])), op_convert(b, at, d));
    }
    return y;
}

static ir_id draws_original(const spmd_local_eqn *e, const draws *c, int batch, int64_t n)
{
    const int64_t width = IR_ATTR(e->e, op_random_bits_attr)->bit_width, each = width == 64 ? 1 : 32 / width,
                  words = width == 64 ? 2 * n : (n + each - 1) / each;
    ir_build *const b = c->p->b;
    if (words >= UINT32_MAX || n >= UINT32_MAX) return spmd_local_none(e->e, "it draws 2^32 - 1 words or more"), 0;
    const ir_id i = draws_index(e, c, batch, TT_U32);
    if (width == 64)
        return draws_join(c, draws_word(c, i, words), draws_word(c, op_add(b, i, draws_number(c, TT_U32, n)), words));
    if (each == 1) return draws_word(c, i, words);
    const ir_id wide = draws_number(c, TT_U32, each), word = draws_word(c, op_div(b, i, wide), words);
    return op_shr(b, word, op_mul(b, op_rem(b, i, wide), draws_number(c, TT_U32, width)));
}

static ir_id draws_partitionable(const spmd_local_eqn *e, const draws *c, int batch)
{
    ir_build *const b = c->p->b;
    const ir_id i = draws_index(e, c, batch, TT_U64);
    const ir_id high = op_convert(b, op_shr(b, i, draws_number(c, TT_U64, 32)), TT_U32);
    ir_id y[2];
    if (!draws_block(c, high, op_convert(b, i, TT_U32), y)) return 0;
    return IR_ATTR(e->e, op_random_bits_attr)->bit_width == 64 ? draws_join(c, y[0], y[1]) : op_xor(b, y[0], y[1]);
}

bool spmd_local_random_bits(spmd_local_eqn *e, ir_id *y)
{
    const op_random_bits_attr *const a = IR_ATTR(e->e, op_random_bits_attr);
    ir_build *const b = e->p->b;
    const ir_type *const t = spmd_local_type(e->p, e->e->site, IR_OUT(e->e, 0), &e->need[1]),
                  *const keys = ir_typeof(b, e->x[0]);
    int64_t n = 1, dims[IR_RANK], lo[IR_RANK] = { 0 }, hi[IR_RANK], one[IR_RANK];
    if (!t) return false;
    const int batch = keys->rank - 1;
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
