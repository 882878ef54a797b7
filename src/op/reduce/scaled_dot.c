/* op/reduce/scaled_dot.c - the product of floats with a matrix of packed weights: integers of 8 or 4 bits, and a scale
 * for each group of them.
 *
 * Operands: x of floats; codes, i8 [n, k], or u8 [n, k / 2] with two codes of 4 bits a byte; scales, floats
 * [n, groups]. The weight W[n, k] is codes[n, k] times scales[n, k / (size of a group)], in f32. The result is
 * x[.., k] W', that is [.., n]; with over_rows x[.., n] W, that is [.., k].
 *
 * Codes of 4 bits stand as in GGUF's Q4_0: 16 bytes have 32 codes in a row, plus 8 each; byte i has code i in its low
 * half and code i + 16 in its high half. So groups have a multiple of 32 codes there.
 *
 * Two operands: x and blocks as a GGUF file has them, u8 [n, groups, 34 or 18]: of 32 columns the scale, f16 with its
 * low byte first, and behind it 32 codes of 8 bits (Q8_0), or 16 bytes with 32 of 4 bits (Q4_0).
 *
 * The sum is that of dot_general: one fma in f32 per product, rising k, rounded to the result's type once. */
#include "../build.h"
#include "../ops.h"
#include "../prog/scalar.h"

#include <math.h>
#include <string.h>

#define LL(x) ((long long)(x))
typedef op_scaled_dot_attr scaled;
/* HEAD: bytes of a block's scale. */
enum { X, CODES, SCALES, HALF = 16, BLOCK = 32, HEAD = 2 };

/* ---- types and sizes ---- */

static bool scaled_wrong(const ir_eqn *e, const char *what, tt_dtype d, const char *expected)
{
    return base_fail(TT_ETYPE, e->site, "scaled_dot: %s of type %s; expected %s", what, ir_dtype_of(d)->name, expected);
}

#define SCALED_FLOATS "f32, bf16 or f16"
static bool is_scaled_float(tt_dtype d) { return d == TT_F32 || d == TT_BF16 || d == TT_F16; }

static bool in_blocks(const ir_eqn *e) { return e->nin == 2; }

static int64_t columns(const ir_type *codes) /* k; not of blocks */
{
    return codes->dim[codes->rank - 1] * (codes->dtype == TT_U8 ? 2 : 1);
}

/* The columns that are summed over, and the groups that have a scale. */
static int64_t all_columns(const ir_eqn *e)
{
    return in_blocks(e) ? IR_IN(e, CODES)->dim[1] * BLOCK : columns(IR_IN(e, CODES));
}
static int64_t groups_of(const ir_eqn *e) { return IR_IN(e, in_blocks(e) ? CODES : SCALES)->dim[1]; }

/* True if codes and scales, or blocks, fit one another; else sets the error. */
static bool weights_fit(const ir_eqn *e, const ir_type *const *x)
{
    const ir_type *c = x[CODES], *s = in_blocks(e) ? NULL : x[SCALES];
    if (!s) {
        const int64_t bytes = c->rank == 3 && c->dtype == TT_U8 && c->dim[1] ? c->dim[2] : 0;
        return bytes == HEAD + BLOCK || bytes == HEAD + HALF
               ? true
               : base_fail(TT_ESHAPE, e->site, "scaled_dot: blocks of rank %d of type %s with %lld bytes; expected u8 "
                           "[rows, groups, 34], of 8 bits, or [rows, groups, 18], of 4", c->rank,
                           ir_dtype_of(c->dtype)->name, c->rank ? LL(c->dim[c->rank - 1]) : 0LL);
    }
    if (c->dtype != TT_I8 && c->dtype != TT_U8) return scaled_wrong(e, "codes", c->dtype, "i8 or u8");
    if (!is_scaled_float(s->dtype)) return scaled_wrong(e, "scales", s->dtype, SCALED_FLOATS);
    if (x[X]->rank < 1 || c->rank != 2 || s->rank != 2)
        return base_fail(TT_ESHAPE, e->site,
                         "scaled_dot: ranks %d, %d, %d of x, codes and scales; expected 1 or more, 2, 2", x[X]->rank,
                         c->rank, s->rank);
    const int64_t n = c->dim[0], k = columns(c), groups = s->dim[1];
    if (s->dim[0] == n && groups >= 1 && k % groups == 0 && (c->dtype != TT_U8 || k / groups % BLOCK == 0)) return true;
    return base_fail(TT_ESHAPE, e->site,
                     "scaled_dot: scales [%lld, %lld] for %lld rows of %lld codes; expected [%lld, groups] with "
                     "groups of equal size%s", LL(s->dim[0]), LL(groups), LL(n), LL(k), LL(n),
                     c->dtype == TT_U8 ? ", a multiple of 32" : "");
}

static bool scaled_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const scaled *a = IR_ATTR(e, scaled);
    const ir_type *c = x[CODES];
    if (e->nin != 2 && e->nin != 3)
        return base_fail(TT_EARG, e->site, "scaled_dot: %u operands; expected x, codes and scales, or x and blocks",
                         e->nin);
    if (!is_scaled_float(x[X]->dtype)) return scaled_wrong(e, "x", x[X]->dtype, SCALED_FLOATS);
    if (!is_scaled_float(a->preferred_element_type))
        return scaled_wrong(e, "a result", a->preferred_element_type, SCALED_FLOATS);
    if (!weights_fit(e, x)) return false;
    const int64_t n = c->dim[0], k = in_blocks(e) ? c->dim[1] * BLOCK : columns(c), in = a->over_rows ? n : k;
    if (x[X]->rank < 1)
        return base_fail(TT_ESHAPE, e->site, "scaled_dot: x is of rank 0; expected 1 or more");
    if (x[X]->dim[x[X]->rank - 1] != in)
        return base_fail(TT_ESHAPE, e->site, "scaled_dot: the last dim of x is %lld; expected %lld, the weights' %s",
                         LL(x[X]->dim[x[X]->rank - 1]), LL(in), a->over_rows ? "rows" : "columns");
    int64_t dim[IR_RANK];
    memcpy(dim, x[X]->dim, (size_t)x[X]->rank * sizeof *dim);
    dim[x[X]->rank - 1] = a->over_rows ? k : n;
    *y = ir_type_of(a->preferred_element_type, x[X]->rank, dim);
    return true;
}

/* Columns are groups, of blocks of 32 codes; blocks are not sharded. Columns of x, or of the result, are the same. */
static void scaled_rules(const ir_eqn *e, op_rule *r)
{
    const ir_type *x = IR_IN(e, X), *c = IR_IN(e, CODES);
    const bool over = IR_ATTR(e, scaled)->over_rows, blocks = in_blocks(e);
    const int last = x->rank - 1, Y = (int)e->nin, wide = over ? Y : X, rows = over ? X : Y;
    const int64_t groups = groups_of(e), size = all_columns(e) / groups;
    const int64_t block = size && size % BLOCK == 0 ? BLOCK : size;
    const bool halves = c->dtype == TT_U8 && size;
    for (int d = 0; d < last; d++) {
        const int f = op_factor(r, x->dim[d], OP_PASS_THROUGH);
        op_dim(r, X, d, f), op_dim(r, Y, d, f);
    }
    const int n = op_factor(r, c->dim[0], over ? OP_REDUCTION : OP_PASS_THROUGH);
    op_dim(r, CODES, 0, n), op_dim(r, rows, last, n);
    if (!blocks) op_dim(r, SCALES, 0, n);
    const op_factor_kind kind = over ? OP_PASS_THROUGH : OP_REDUCTION;
    const int g = op_factor(r, groups, kind);
    op_dim(r, CODES, 1, g), op_dim(r, wide, last, g);
    if (blocks) {
        op_dim(r, CODES, 2, op_factor(r, c->dim[2], OP_NEED_REPLICATION));
        op_dim(r, wide, last, op_factor(r, BLOCK, OP_NEED_REPLICATION));
        return;
    }
    op_dim(r, SCALES, 1, g);
    if (size > block && block) {
        const int f = op_factor(r, size / block, kind);
        op_dim(r, CODES, 1, f), op_dim(r, wide, last, f);
    }
    if (halves) op_dim(r, wide, last, op_factor(r, 2, OP_NEED_REPLICATION));
    const int f = op_factor(r, halves ? HALF : block, OP_NEED_REPLICATION);
    op_dim(r, CODES, 1, f), op_dim(r, wide, last, f);
}

/* ---- in other primitives ---- */

/* Bytes [from, to) of blocks [.., n, groups, bytes]. */
static ir_id part_of_blocks(ir_build *b, ir_id blocks, int64_t from, int64_t to)
{
    const ir_type *t = ir_typeof(b, blocks);
    int64_t start[IR_RANK] = { 0 }, limit[IR_RANK], step[IR_RANK];
    if (!t) return 0;
    for (int d = 0; d < t->rank; d++) limit[d] = t->dim[d], step[d] = 1;
    start[t->rank - 1] = from, limit[t->rank - 1] = to;
    return op_slice(b, blocks, (ir_dims){ t->rank, start }, (ir_dims){ t->rank, limit }, (ir_dims){ t->rank, step });
}

/* Codes and scales, in the places of the operands; of blocks [.., n, groups, bytes] theirs. */
static void apart(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id to[3])
{
    to[X] = x[X], to[CODES] = x[CODES];
    if (!in_blocks(e)) {
        to[SCALES] = x[SCALES];
        return;
    }
    const ir_type *t = ir_typeof(b, x[CODES]);
    to[CODES] = to[SCALES] = 0;
    if (!t) return;
    const int last = t->rank - 1;
    const bool four = t->dim[last] == HEAD + HALF;
    int64_t dim[IR_RANK];
    memcpy(dim, t->dim, (size_t)t->rank * sizeof *dim);
    dim[last] -= HEAD;
    ir_id codes = part_of_blocks(b, x[CODES], HEAD, t->dim[last]);
    if (codes && !four) codes = op_bits_as(b, codes, ir_type_of(TT_I8, t->rank, dim));
    dim[last - 1] *= dim[last];
    to[CODES] = codes ? op_reshape(b, codes, last, dim) : 0;
    const ir_id head = part_of_blocks(b, x[CODES], 0, HEAD);
    to[SCALES] = head ? op_bits_as(b, head, ir_type_of(TT_F16, last, t->dim)) : 0;
}

/* Codes [.., n, k] as f32. */
static ir_id unpacked(ir_build *b, ir_id codes)
{
    const ir_type *t = ir_typeof(b, codes);
    if (!codes || t->dtype == TT_I8) return op_convert(b, codes, TT_F32);
    int64_t dim[IR_RANK + 2];
    const int r = t->rank;
    const int64_t k = columns(t);
    memcpy(dim, t->dim, (size_t)r * sizeof *dim);
    dim[r - 1] = k / BLOCK, dim[r] = 1, dim[r + 1] = HALF;
    const ir_id bytes = op_reshape(b, codes, r + 2, dim);
    const ir_id half[2] = { op_and(b, bytes, op_splat(b, ir_typeof(b, bytes), 15)),
                            op_shr(b, bytes, op_splat(b, ir_typeof(b, bytes), 4)) };
    dim[r - 1] = k;
    const ir_id all = op_convert(b, op_reshape(b, op_concatenate(b, 2, half, r), r, dim), TT_F32);
    return all ? op_sub(b, all, op_splat(b, ir_typeof(b, all), 8)) : 0;
}

/* The weights [.., n, k] in f32. */
static ir_id widened(ir_build *b, ir_id codes, ir_id scales)
{
    const ir_id c = unpacked(b, codes), s = op_convert(b, scales, TT_F32);
    if (!c || !s) return 0;
    const ir_type *t = ir_typeof(b, c);
    int64_t dim[IR_RANK + 1], at[IR_RANK];
    const int r = t->rank;
    const int64_t groups = ir_typeof(b, s)->dim[r - 1];
    memcpy(dim, t->dim, (size_t)r * sizeof *dim);
    dim[r] = t->dim[r - 1] / groups, dim[r - 1] = groups;
    for (int d = 0; d < r; d++) at[d] = d;
    const ir_id parts = op_reshape(b, c, r + 1, dim);
    const ir_id w = op_mul(b, parts, op_broadcast(b, s, ir_type_as(t, TT_F32, r + 1, dim), r, at));
    return w ? op_reshape(b, w, r, t->dim) : 0;
}

/* The sum over dim `i` of x and dim `j` of y, of the first `batch` dims apart. */
static ir_id summed(ir_build *b, ir_id x, ir_id y, int i, int j, int batch, tt_dtype to)
{
    const int64_t d0 = 0, di = i, dj = j;
    const op_dot_attr d = { { batch, &d0 }, { batch, &d0 }, { 1, &di }, { 1, &dj }, TT_F32, OP_DEFAULT };
    return op_convert(b, op_dot(b, op_convert(b, x, TT_F32), y, &d), to);
}

static bool scaled_decompose(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    const scaled *a = IR_ATTR(e, scaled);
    ir_id in[3];
    apart(b, e, x, in);
    const ir_id w = widened(b, in[CODES], in[SCALES]);
    return w && (*y = summed(b, x[X], w, IR_IN(e, X)->rank - 1, a->over_rows ? 0 : 1, 0, a->preferred_element_type));
}

static void scaled_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y,
                         bool *out)
{
    const scaled *a = IR_ATTR(e, scaled);
    const int rank = IR_IN(e, X)->rank;
    const bool scales = mapped[in_blocks(e) ? CODES : SCALES];
    ir_id in[3];
    (void)out;
    if (!mapped[CODES] && !scales) {
        y[0] = ir_emit(b, e->op, a, e->nin, x, 0, NULL);
        return;
    }
    apart(b, e, x, in);
    const ir_id w = widened(b, mapped[CODES] ? in[CODES] : op_spread(b, in[CODES], n),
                            scales ? in[SCALES] : op_spread(b, in[SCALES], n));
    const bool both = mapped[X];
    const int over = a->over_rows ? 1 : 2;
    const ir_id z = w ? summed(b, x[X], w, both ? rank : rank - 1, over, both, a->preferred_element_type) : 0;
    y[0] = both ? z : op_move(b, z, rank - 1, 0);
}

/* ---- derivatives: linear in x and in the scales ---- */

static op_linear scaled_linear(const ir_eqn *e)
{
    return (op_linear){ OP_EACH, in_blocks(e) ? 1 << X : 1 << X | 1 << SCALES };
}

/* The cotangent of the scales: of each group the sum of codes times the cotangent of the weights. */
static ir_id scales_back(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id ct)
{
    const int last = IR_IN(e, X)->rank - 1;
    const bool over = IR_ATTR(e, scaled)->over_rows;
    int64_t rows[IR_RANK];
    for (int d = 0; d < last; d++) rows[d] = d;
    const op_dot_attr d = { { 0, NULL }, { 0, NULL }, { last, rows }, { last, rows }, TT_F32, OP_DEFAULT };
    const ir_id wide = op_convert(b, ct, TT_F32), in = op_convert(b, x[X], TT_F32);
    const ir_id codes = unpacked(b, x[CODES]), w = op_dot(b, over ? in : wide, over ? wide : in, &d);
    const ir_type *s = IR_IN(e, SCALES), *t = codes ? ir_typeof(b, codes) : NULL;
    const ir_id each = codes && w ? op_mul(b, codes, w) : 0;
    if (!each) return 0;
    const int64_t dim[] = { s->dim[0], s->dim[1], t->dim[1] / s->dim[1] };
    const ir_id sums = op_reduce_dims(b, &prim_add, op_reshape(b, each, 3, dim), 1, (const int64_t[]){ 2 });
    return op_convert(b, sums, s->dtype);
}

static void scaled_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    const tt_dtype narrow = IR_IN(e, X)->dtype, wide = IR_OUT(e, 0)->dtype;
    const bool once = ir_dtype_of(wide)->bytes > ir_dtype_of(narrow)->bytes;     /* rounded after the last sum */
    const scaled a = { !IR_ATTR(e, scaled)->over_rows, once ? wide : narrow };
    const ir_id in[] = { ct[0], x[CODES], in_blocks(e) ? 0 : x[SCALES] };
    if (!ct[0]) return;
    if (!x[X]) cx[X] = op_convert(b, ir_emit(b, e->op, &a, e->nin, in, 0, NULL), narrow);
    if (!in_blocks(e) && !x[SCALES]) cx[SCALES] = scales_back(b, e, x, ct[0]);
}

/* ---- the reference ---- */

static int64_t greater(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t lesser(int64_t a, int64_t b) { return a < b ? a : b; }

static unsigned byte_of(const ir_box *blocks, int64_t n, int64_t group, int64_t i)
{
    return (unsigned)ir_load(blocks, (const int64_t[]){ n, group, i }).u;
}

/* The scale of the columns' group: two bytes of a block, or an element of scales. */
static float scale_at(const ir_eqn *e, const ir_box *x, int64_t n, int64_t group)
{
    if (!in_blocks(e)) return (float)ir_load(&x[SCALES], (const int64_t[]){ n, group }).f;
    return s_f32_of_f16((uint16_t)(byte_of(&x[CODES], n, group, 0) | byte_of(&x[CODES], n, group, 1) << 8));
}

static int code_at(const ir_eqn *e, const ir_box *x, int64_t n, int64_t k)
{
    const ir_box *codes = &x[CODES];
    const int64_t in = k % BLOCK, byte = in % HALF, shift = in / HALF * 4;
    const bool blocks = in_blocks(e);
    if (blocks && IR_IN(e, CODES)->dim[2] == HEAD + BLOCK) return (int8_t)byte_of(codes, n, k / BLOCK, HEAD + in);
    if (codes->dtype == TT_I8) return (int)ir_load(codes, (const int64_t[]){ n, k }).i;
    const unsigned both = blocks ? byte_of(codes, n, k / BLOCK, HEAD + byte)
                                 : (unsigned)ir_load(codes, (const int64_t[]){ n, k / BLOCK * HALF + byte }).u;
    return (int)(both >> shift & 15) - 8;
}

/* The part of the sum that the operands' boxes have in common. */
static bool scaled_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const bool over = IR_ATTR(e, scaled)->over_rows;
    const int last = x[X].rank - 1;
    const int64_t size = all_columns(e) / groups_of(e);
    const int64_t each = over ? 1 : in_blocks(e) ? BLOCK : x[CODES].dtype == TT_I8 ? 1 : 2;
    const int64_t lo = x[CODES].lo[!over] * each;
    const int64_t from = greater(lo, x[X].lo[last]);
    const int64_t to = lesser(lo + x[CODES].n[!over] * each, x[X].lo[last] + x[X].n[last]);
    int64_t i[IR_RANK], j[IR_RANK];
    for (bool more = ir_first(y, i); more; more = ir_next(y, i)) {
        float z = 0;
        memcpy(j, i, sizeof j);
        for (int64_t s = from; s < to; s++) {
            const int64_t n = over ? s : i[last], k = over ? i[last] : s;
            j[last] = s;
            z = fmaf((float)ir_load(&x[X], j).f, (float)code_at(e, x, n, k) * scale_at(e, x, n, k / size), z);
        }
        ir_store(y, i, (ir_num){ .f = (double)z });
    }
    return true;
}

const op_prim prim_scaled_dot = {
    .name = "scaled_dot",
    .doc = "product with weights of 8 or 4 bits that have a scale per group",
    .hlo = "",
    .call = "",
    .nin = -1,
    .nout = 1,
    .kernel = OP_CONTRACT,
    .attr = sizeof(scaled),
    .field = OP_FIELDS(IR_FIELD(scaled, over_rows, IR_BOOL), IR_FIELD(scaled, preferred_element_type, IR_DTYPE)),
    .type = scaled_type,
    .rules = scaled_rules,
    .linear = scaled_linear,
    .partial = op_partial_sum,
    .jvp = op_jvp_linear,
    .transpose = scaled_transpose,
    .batch = scaled_batch,
    .decompose = scaled_decompose,
    .ref = scaled_ref,
    .exchange = op_exchange_none,
    .prog = op_prog_none,
    .cases = OP_CASES("scaled_dot f32[3,128], i8[5,128], f16[5,4] {preferred_element_type=f32}",
                      "scaled_dot f32[3,128], u8[5,64], f16[5,4] {preferred_element_type=f32}",
                      "scaled_dot bf16[2,3,128], u8[4,64], f32[4,1] {preferred_element_type=f32}",
                      "scaled_dot f32[7], i8[5,7], f32[5,1] {preferred_element_type=f32}",
                      "scaled_dot f32[3,6], u8[6,64], bf16[6,2] {over_rows=true, preferred_element_type=f32}",
                      "scaled_dot f32[2,6], i8[6,8], bf16[6,4] {over_rows=true, preferred_element_type=f32}",
                      "scaled_dot f16[4,7], i8[8,7], f32[8,1] {preferred_element_type=f16}",
                      "scaled_dot bf16[17,64], i8[8,64], f32[8,2] {preferred_element_type=f32}",
                      "scaled_dot f32[0,32], i8[3,32], f16[3,1] {preferred_element_type=f32}",
                      "scaled_dot f32[3,128], u8[5,4,34] {preferred_element_type=f32}",
                      "scaled_dot bf16[17,64], u8[6,2,18] {preferred_element_type=f32}",
                      "scaled_dot f32[3,6], u8[6,2,18] {over_rows=true, preferred_element_type=f32}",
                      "scaled_dot f32[2,6], u8[6,2,34] {over_rows=true, preferred_element_type=bf16}"),
};
