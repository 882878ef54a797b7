/* hlo/write/lower_prims.c - lowers primitives that differ from StableHLO's operation of their name, or have none:
 * gathers that fill, random bits, batches of convolutions, functions of complex numbers and signs of unsigned ones. */
#include "print.h"
#include "../../op/ops.h"

#include <math.h>
#include <string.h>

/* ---- gather with fill: zeros or NaN where a start would be clamped ---- */

static bool filling(const ir_eqn *e) { return IR_ATTR(e, op_gather_attr)->fill; }

static bool lower_prims_gather(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    op_gather_attr a = *IR_ATTR(e, op_gather_attr);
    const ir_type *const t = IR_IN(e, 0), *const to = IR_OUT(e, 0), *const index = IR_IN(e, 1);
    const bool vector = a.index_vector_dim < index->rank;
    int64_t most[IR_RANK + 1], batch[IR_RANK];
    int n = 0;
    for (int k = 0; k < a.start_index_map.n; k++) {
        const int64_t d = a.start_index_map.v[k];
        most[k] = t->dim[d] - a.slice_sizes.v[d];
    }
    const bool nan = a.nan, truth = to->dtype == TT_BOOL;
    a.fill = a.nan = a.checked = false;
    const ir_id z = ir_emit(b, &prim_gather, &a, 2, x, 0, NULL);
    ir_id in = op_equal(b, op_clamp_indices(b, x[1], a.index_vector_dim, a.start_index_map.n, most), x[1]);
    if (vector) in = op_reduce_dims(b, &prim_and, in, 1, &a.index_vector_dim);
    for (int d = 0; d < to->rank; d++) if (!op_dims_has(a.offset_dims, d)) batch[n++] = d;
    const ir_id there = op_broadcast(b, in, ir_type_of(TT_BOOL, to->rank, to->dim), n, batch);
    const ir_id none = nan && truth ? op_ones(b, to) : nan ? op_splat(b, to, (double)NAN) : op_zeros(b, to);
    return (y[0] = op_select(b, there, z, none)) != 0;
}

/* ---- random bits: JAX's counters, encrypted (op/random/random_bits.c defines the order of words) ---- */

typedef struct { ir_build *b; ir_id key[2]; int batch; const ir_type *keys; } cipher;

static const ir_type *lower_prims_wide(const cipher *c, tt_dtype d, int64_t n) /* [batch..., n] */
{
    int64_t dim[IR_RANK + 1];
    memcpy(dim, c->keys->dim, (size_t)c->batch * sizeof *dim);
    dim[c->batch] = n;
    return ir_type_of(d, c->batch + 1, dim);
}

static ir_id lower_prims_number(const cipher *c, tt_dtype d, int64_t n, uint64_t v)
{
    return op_broadcast(c->b, op_int(c->b, d, (int64_t)v), lower_prims_wide(c, d, n), 0, NULL);
}

static bool encrypted(const cipher *c, int64_t n, ir_id x0, ir_id x1, ir_id *y)
{
    int64_t dims[IR_RANK];
    ir_id in[4] = { 0, 0, x0, x1 };
    for (int d = 0; d < c->batch; d++) dims[d] = d;
    for (int k = 0; k < 2; k++) in[k] = op_broadcast(c->b, c->key[k], lower_prims_wide(c, TT_U32, n), c->batch, dims);
    const ir_id first = ir_emit(c->b, &prim_threefry2x32, NULL, 4, in, 0, NULL);
    y[0] = first, y[1] = first + 1;
    return first != 0;
}

static ir_id lower_prims_part(const cipher *c, ir_id x, int64_t from, int64_t to) /* of the last dim */
{
    int64_t lo[IR_RANK] = { 0 }, hi[IR_RANK], one[IR_RANK];
    const ir_type *const t = x ? ir_typeof(c->b, x) : NULL;
    if (!t) return 0;
    for (int d = 0; d < t->rank; d++) hi[d] = t->dim[d], one[d] = 1;
    lo[t->rank - 1] = from, hi[t->rank - 1] = to;
    return op_slice(c->b, x, (ir_dims){ t->rank, lo }, (ir_dims){ t->rank, hi }, (ir_dims){ t->rank, one });
}

static ir_id lower_join_words(const cipher *c, int64_t n, ir_id high, ir_id low) /* two words as one of 64 bits */
{
    const ir_id up = op_shl(c->b, op_convert(c->b, high, TT_U64), lower_prims_number(c, TT_U64, n, 32));
    return op_or(c->b, up, op_convert(c->b, low, TT_U64));
}

static ir_id partitionable(const cipher *c, int64_t width, int64_t n)
{
    const ir_id i = op_iota(c->b, lower_prims_wide(c, TT_U64, n), c->batch);
    const ir_id high = op_convert(c->b, op_shr(c->b, i, lower_prims_number(c, TT_U64, n, 32)), TT_U32);
    ir_id y[2];
    if (!encrypted(c, n, high, op_convert(c->b, i, TT_U32), y)) return 0;
    return width == 64 ? lower_join_words(c, n, y[0], y[1]) : op_xor(c->b, y[0], y[1]);
}

/* Counters 0, 1, ... of so many words, a zero after an odd number of them, in JAX's form: a list divided into
 * halves. */
static void counters(const cipher *c, int64_t words, ir_id *x)
{
    const int64_t half = (words + 1) / 2, odd = words % 2, to = c->batch;
    const cipher flat = { .b = c->b, .keys = c->keys };
    const ir_id zero = odd ? op_zeros(c->b, lower_prims_wide(&flat, TT_U32, 1)) : 0;
    const ir_id i = op_iota(c->b, lower_prims_wide(&flat, TT_U32, words), 0);
    const ir_id all = odd ? op_concatenate(c->b, 2, (ir_id[]){ i, zero }, 0) : i;
    for (int k = 0; k < 2; k++)
        x[k] = op_broadcast(c->b, lower_prims_part(&flat, all, k * half, (k + 1) * half),
            lower_prims_wide(c, TT_U32, half), 1, &to);
}

static ir_id original(const cipher *c, int64_t width, int64_t n, base_site site)
{
    const int64_t each = width == 64 ? 1 : 32 / width, words = width == 64 ? 2 * n : (n + each - 1) / each,
                  half = (words + 1) / 2;
    ir_id x[2], y[2];
    if (words >= UINT32_MAX) return base_fail(TT_EARG, site, "as many random words have no form in StableHLO"), 0;
    counters(c, words, x);
    if (!encrypted(c, half, x[0], x[1], y)) return 0;
    const ir_id both = op_concatenate(c->b, 2, y, c->batch), all = words % 2 ? lower_prims_part(c, both, 0, words)
        : both;
    if (width == 64) return lower_join_words(c, n, lower_prims_part(c, all, 0, n), lower_prims_part(c, all, n, 2 * n));
    if (each == 1) return all;
    int64_t dim[IR_RANK + 1], dims[IR_RANK];             /* [words] -> [words, each], each shifted */
    for (int d = 0; d <= c->batch; d++) dim[d] = ir_typeof(c->b, all)->dim[d], dims[d] = d;
    dim[c->batch + 1] = each;
    const ir_type *const t = ir_type_of(TT_U32, c->batch + 2, dim);
    const ir_id at = op_iota(c->b, t, c->batch + 1), by = op_mul(c->b, at, op_splat(c->b, t, (double)width));
    const ir_id bits = op_shr(c->b, op_broadcast(c->b, all, t, c->batch + 1, dims), by);
    dim[c->batch] = words * each;
    return lower_prims_part(c, op_reshape(c->b, bits, c->batch + 1, dim), 0, n);
}

static bool random_bits(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    const op_random_bits_attr *const a = IR_ATTR(e, op_random_bits_attr);
    cipher c = { .b = b, .batch = IR_IN(e, 0)->rank - 1, .keys = IR_IN(e, 0) };
    const ir_type *const t = IR_OUT(e, 0);
    int64_t n = 1;
    if (c.batch + 2 > IR_RANK) return base_fail(TT_ESHAPE, e->site, "random bits of so many dims have no form");
    for (int d = 0; d < a->shape.n; d++) n *= a->shape.v[d];
    for (int k = 0; k < 2; k++) c.key[k] = op_reshape(b, lower_prims_part(&c, x[0], k, k + 1), c.batch, c.keys->dim);
    const ir_id bits = a->layout == OP_BITS_PARTITIONABLE ? partitionable(&c, a->bit_width, n)
                                                          : original(&c, a->bit_width, n, e->site);
    return bits && (y[0] = op_reshape(b, op_convert(b, bits, t->dtype), t->rank, t->dim)) != 0;
}

/* ---- batches of convolutions: as groups of one convolution ---- */

static bool is_batched_convolution(const ir_eqn *e) { return IR_ATTR(e, op_conv_attr)->batching > 0; }

static ir_dims earlier(ir_build *b, ir_dims l, int64_t by)
{
    int64_t *const v = IR_NEW(b, int64_t, l.n + 1);
    for (int i = 0; i < l.n; i++) v[i] = l.v[i] - by;
    return (ir_dims){ l.n, v };
}

static bool groups(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    op_conv_attr a = *IR_ATTR(e, op_conv_attr);
    const ir_type *const to = IR_OUT(e, 0);
    const int64_t by = a.batching;
    int64_t *const at[] = { &a.input_batch_dimension, &a.input_feature_dimension, &a.kernel_input_feature_dimension,
                            &a.kernel_output_feature_dimension, &a.output_batch_dimension,
                            &a.output_feature_dimension, &a.batching };
    ir_dims *const list[] = { &a.input_spatial_dimensions, &a.kernel_spatial_dimensions, &a.output_spatial_dimensions };
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) *at[i] -= by;
    for (int i = 0; i < 3; i++) *list[i] = earlier(b, *list[i], by);
    const bool batches = a.batch_group_count > 1;
    const int place[2] = { (int)(batches ? a.input_batch_dimension : a.input_feature_dimension),
                           (int)a.kernel_output_feature_dimension };
    int64_t n = 1;
    for (int64_t d = 0; d < by; d++) n *= to->dim[d];
    if (!n) return (y[0] = op_zeros(b, to)) != 0;
    *(batches ? &a.batch_group_count : &a.feature_group_count) *= n;
    ir_id in[2];
    /* the batching dims as one dim, merged into the dim of the groups */
    for (int i = 0; i < 2; i++) {
        const ir_type *const t = IR_IN(e, i);
        int64_t dim[IR_RANK] = { n };
        memcpy(dim + 1, t->dim + by, (size_t)(t->rank - by) * sizeof *dim);
        in[i] = op_merge_dim(b, op_reshape(b, x[i], 1 + t->rank - (int)by, dim), place[i], 1);
    }
    const ir_id z = ir_emit(b, e->op, &a, 2, in, 0, NULL);
    return z && (y[0] = op_reshape(b, op_split_dim(b, z, (int)a.output_feature_dimension, 1, n), to->rank,
                                   to->dim)) != 0;
}

/* ---- dtypes that StableHLO's operation does not accept ---- */

static bool complex(const ir_eqn *e) { return op_is_complex(IR_IN(e, 0)->dtype); }
static bool complex_order(const ir_eqn *e)
{
    const int64_t direction = IR_ATTR(e, op_compare_attr)->comparison_direction;
    return complex(e) && direction != OP_CMP_EQ && direction != OP_CMP_NE;
}
static bool lower_is_unsigned(const ir_eqn *e) { return ir_dtype_of(IR_IN(e, 0)->dtype)->cls == IR_UINT_CLASS; }

static bool sign(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    return (y[0] = op_min(b, x[0], op_ones(b, IR_IN(e, 0)))) != 0;
}

static bool itself(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    return (void)b, (void)e, (y[0] = x[0]) != 0;
}

/* XLA counts the bits of a negative i4 as those of its byte. */
static bool is_half_byte(const ir_eqn *e) { return IR_IN(e, 0)->dtype == TT_I4; }
static bool bits_of_half(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    const ir_id bits = op_convert(b, x[0], TT_U4);
    return (y[0] = op_convert(b, ir_emit(b, e->op, NULL, 1, &bits, 0, NULL), TT_I4)) != 0;
}

/* CHLO's functions are not of floats of 8 bits and less, for XLA: they are computed in float32, and rounded. */
static bool is_small(const ir_eqn *e)
{
    const tt_dtype d = e->nin ? IR_IN(e, 0)->dtype : TT_F32;
    return e->op != &prim_nextafter && !strncmp(e->op->hlo, "chlo.", 5) && ir_is_float(d) && ir_is_narrow(d);
}
static bool in_f32(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    ir_id *const in = BASE_NEW(ir_build_arena(b), ir_id, e->nin + 1);
    for (uint32_t i = 0; i < e->nin; i++) in[i] = op_convert(b, x[i], TT_F32);
    return (y[0] = op_convert(b, ir_emit(b, e->op, e->attr, e->nin, in, 0, NULL), IR_OUT(e, 0)->dtype)) != 0;
}

static bool always(const ir_eqn *e) { return (void)e, true; }

static const struct {
    const op_prim *prim;
    bool (*when)(const ir_eqn *), (*lower)(ir_build *, const ir_eqn *, const ir_id *x, ir_id *y);
} lowerings[] = {
    { &prim_gather, filling, lower_prims_gather }, { &prim_random_bits, always, random_bits },
    { &prim_cbrt, complex, op_pair_apart }, { &prim_is_finite, complex, op_pair_apart },
    { &prim_sign, lower_is_unsigned, sign }, { &prim_abs, lower_is_unsigned, itself },
    { &prim_convolution, is_batched_convolution, groups },
    { &prim_compare, complex_order, op_pair_apart }, { &prim_popcnt, is_half_byte, bits_of_half },
    /* XLA's own compare real parts alone */
    { &prim_max, complex, op_pair_apart }, { &prim_min, complex, op_pair_apart },
};

hlo_lowering *hlo_lowering_of(const ir_eqn *e)
{
    for (size_t i = 0; i < sizeof lowerings / sizeof *lowerings; i++)
        if (lowerings[i].prim == e->op && lowerings[i].when(e)) return lowerings[i].lower;
    return is_small(e) ? in_f32 : NULL;
}
