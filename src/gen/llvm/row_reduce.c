/* gen/llvm/row_reduce.c - the reductions of a scalar program over rows: running values in 32 lanes, element i in lane i
 * mod 32, joined as a tree of halves; the result is init op the tree's value, as gen/reduce/reduce.h defines. Long sums
 * also have a running value of complete blocks. */
#include "rows.h"

/* ---- running values and their results ---- */

static tt_dtype summed_as(tt_dtype d) { return d == TT_BF16 || d == TT_F16 ? TT_F32 : d; }
static tt_dtype sum_dtype(const llvm_writer *w, const gen_row_reduce *f) { return summed_as(w->inst[f->y].dtype); }

static bool row_reduce_is_float(tt_dtype d) { return d == TT_F32 || d == TT_F64; }
static bool is_ordered(const llvm_writer *w, const gen_row_reduce *f)
{
    return (f->reduce == MESH_MAX || f->reduce == MESH_MIN) && row_reduce_is_float(sum_dtype(w, f));
}

/* The bits of the identity of a reduction. */
static uint64_t identity(mesh_reduce reduce, tt_dtype d)
{
    const int n = llvm_bits(d);
    const uint64_t all = n == 64 ? ~0ull : (1ull << n) - 1, top = 1ull << (n - 1);
    const bool sign = d == TT_I8 || d == TT_I16 || d == TT_I32 || d == TT_I64;
    switch (reduce) {
    case MESH_PROD: return d == TT_F32 ? 0x3f800000 : d == TT_F64 ? 0x3ff0000000000000 : 1;
    case MESH_MAX: return d == TT_F32 ? 0xff800000 : d == TT_F64 ? 0xfff0000000000000 : sign ? top : 0;
    case MESH_MIN: return d == TT_F32 ? 0x7f800000 : d == TT_F64 ? 0x7ff0000000000000 : sign ? top - 1 : all;
    case MESH_AND: return all;
    default: return 0;
    }
}

/* The number of running values of a reduction. A float maximum in which NaN wins and -0 < +0 is computed from three:
 * the plain maximum, and the greatest bits as signed and as unsigned integers. If some element has no sign bit, the
 * greatest signed bits are the maximum, or NaN. Otherwise the plain maximum is the result, unless there is a NaN with a
 * sign bit. The minimum likewise, with signs exchanged. */
int llvm_reduce_sums(const llvm_writer *w, const gen_row_reduce *f) { return is_ordered(w, f) ? 3 : 1; }

static tt_dtype row_reduce_word(tt_dtype d, bool sign) { return d == TT_F32 ? sign ? TT_I32 : TT_U32 : sign ? TT_I64
    : TT_U64; }

int llvm_reduce_begin(llvm_writer *w, const gen_row_reduce *f, llvm_sum *to)
{
    const tt_dtype d = sum_dtype(w, f);
    const int n = llvm_reduce_sums(w, f);
    to[0] = (llvm_sum){ .type = llvm_type(w, d), .start = llvm_number(w, d, identity(f->reduce, d)),
        .reduce = f->reduce };
    to[0].dtype = d;
    to[0].blocks = row_reduce_is_float(d) && (f->reduce == MESH_SUM || f->reduce == MESH_PROD) &&
        w->rows->t->n > REDUCE_BLOCK;
    for (int k = 1; k < n; k++) {
        const tt_dtype u = row_reduce_word(d, k == 1);
        to[k] = (llvm_sum){ .type = llvm_type(w, u), .start = llvm_number(w, u, identity(MESH_MAX, u)) };
    }
    return n;
}

static const char *under_mask(llvm_writer *w, const char *type, const char *now, const char *was)
{
    const char *mask = w->rows->mask;
    return mask ? llvm_line(w, "select %s %s, %s %s, %s %s", llvm_type(w, TT_BOOL), mask, type, now, type, was) : now;
}

/* Joins two k-th running values of a reduction. */
static const char *row_reduce_join(llvm_writer *w, const gen_row_reduce *f, int k, const char *a, const char *b)
{
    const tt_dtype d = sum_dtype(w, f);
    if (!is_ordered(w, f)) return llvm_combine(w, f->reduce, d, a, b);
    if (k) return llvm_combine(w, MESH_MAX, row_reduce_word(d, k == 1), a, b);
    const char *t = llvm_type(w, d), *p = llvm_line(w, "fcmp %s %s %s, %s", f->reduce == MESH_MAX ? "ogt" : "olt", t, b,
        a);
    return llvm_line(w, "select %s %s, %s %s, %s %s", llvm_type(w, TT_BOOL), p, t, b, t, a);
}

void llvm_reduce_add(llvm_writer *w, const gen_row_reduce *f, llvm_sum *s)
{
    const tt_dtype d = sum_dtype(w, f), from = w->inst[f->x].dtype;
    const char *x = llvm_convert(w, from, llvm_value(w, f->x), d, false);
    for (int k = 0; k < llvm_reduce_sums(w, f); k++) {
        const char *y = k ? llvm_line(w, "bitcast %s %s to %s", s->type, x, s[k].type) : x;
        s[k].now = under_mask(w, s[k].type, row_reduce_join(w, f, k, s[k].now, y), s[k].now);
    }
}

/* The result of a reduction's running values, in one lane. */
static const char *row_reduce_settle(llvm_writer *w, const gen_row_reduce *f, const char *const *v)
{
    if (!is_ordered(w, f)) return v[0];
    const tt_dtype d = sum_dtype(w, f), u = row_reduce_word(d, false), i = row_reduce_word(d, true);
    const bool max = f->reduce == MESH_MAX;
    const uint64_t top = 1ull << (llvm_bits(d) - 1), inf = d == TT_F32 ? 0x7f800000 : 0x7ff0000000000000;
    const char *t = llvm_type(w, d), *ut = llvm_type(w, u);
    const char *by_sign = max ? llvm_line(w, "icmp sge %s %s, zeroinitializer", ut, v[1])
                              : llvm_line(w, "icmp uge %s %s, %s", ut, v[2], llvm_number(w, u, top));
    const char *signed_nan = llvm_line(w, "icmp ugt %s %s, %s", ut, v[2], llvm_number(w, u, top | inf));
    const char *plain_nan = llvm_line(w, "icmp sgt %s %s, %s", ut, v[1], llvm_number(w, i, inf));
    const char *nan = llvm_line(w, "or i1 %s, %s", signed_nan, plain_nan);
    const char *bits = llvm_line(w, "bitcast %s %s to %s", ut, v[max ? 1 : 2], t);
    const char *x = llvm_line(w, "select i1 %s, %s %s, %s %s", by_sign, t, bits, t, v[0]);
    return llvm_line(w, "select i1 %s, %s %s, %s %s", nan, t, llvm_number(w, d, inf | inf >> 1), t, x);
}

void llvm_reduce_down(llvm_writer *w, op_reg x, mesh_reduce reduce, const char *base)
{
    const tt_dtype from = w->inst[x].dtype, d = summed_as(from);
    const char *v = llvm_convert(w, from, llvm_value(w, x), d, false), *sum = llvm_row_load(w, base, d, true);
    llvm_row_store(w, llvm_combine(w, reduce, d, sum, v), base, d, true);
}

/* Lanes [from, from + n) of a vector of 2n. */
static const char *row_reduce_half(llvm_writer *w, tt_dtype d, const char *v, int n, int from)
{
    const char *list = "", *all = llvm_keep(w, "<%d x %s> %s", 2 * n, llvm_element(d), v);
    if (n == 1) return llvm_line(w, "extractelement %s, i64 %d", all, from);
    for (int i = 0; i < n; i++) list = llvm_keep(w, "%s%si32 %d", list, i ? ", " : "", from + i);
    return llvm_line(w, "shufflevector %s, <%d x %s> poison, <%d x i32> <%s>", all, 2 * n, llvm_element(d), n, list);
}

/* The tree of halves over a reduction's k-th running values, one per part of 32 lanes, down to one lane. */
static const char *tree(llvm_writer *w, const gen_row_reduce *f, int k, const llvm_sum *s, int stride)
{
    const int lanes = w->rows->lanes;
    const tt_dtype d = k ? row_reduce_word(sum_dtype(w, f), k == 1) : sum_dtype(w, f);
    const char *v[LLVM_ROW_LANES];
    int n = LLVM_ROW_LANES / lanes;
    w->lanes = lanes;
    for (int u = 0; u < n; u++) v[u] = s[u * stride + k].now;
    for (; n > 1; n /= 2) for (int u = 0; u < n / 2; u++) v[u] = row_reduce_join(w, f, k, v[u], v[u + n / 2]);
    while (w->lanes > 1) {
        const int m = w->lanes / 2;
        const char *low = row_reduce_half(w, d, *v, m, 0), *high = row_reduce_half(w, d, *v, m, m);
        w->lanes = m;
        *v = row_reduce_join(w, f, k, low, high);
    }
    return *v;
}

/* True if init op x leaves every x that the reduction can give unchanged. Sums begin with +0 and are never -0. */
static bool leaves_all(const llvm_writer *w, const gen_row_reduce *f)
{
    const op_inst *i = &w->inst[f->init];
    const tt_dtype d = i->dtype, wide = sum_dtype(w, f);
    uint64_t bits = identity(f->reduce, wide);
    if (d == TT_BF16) bits >>= 16;
    if (d == TT_F16) bits = f->reduce == MESH_MAX ? 0xfc00 : f->reduce == MESH_MIN ? 0x7c00 : bits ? 0x3c00 : 0;
    const uint64_t all = llvm_bits(d) == 64 ? ~0ull : (1ull << llvm_bits(d)) - 1;
    return i->code == OP_CONST && (i->imm.u64 & all) == bits;
}

/* Writes a reduction's result: init op the result of the tree. */
void llvm_reduce_finish(llvm_writer *w, const gen_row_reduce *f, const llvm_sum *s, int stride)
{
    llvm_rows *r = w->rows;
    const tt_dtype d = sum_dtype(w, f), to = w->inst[f->y].dtype;
    const char *v[3];
    for (int k = 0; k < llvm_reduce_sums(w, f); k++) v[k] = tree(w, f, k, s, stride);
    r->single = true, w->lanes = 1;
    const char *x = row_reduce_settle(w, f, v);
    if (!leaves_all(w, f)) {
        const char *init = llvm_convert(w, w->inst[f->init].dtype, llvm_row_one(w, f->init), d, false);
        x = llvm_combine(w, f->reduce, d, init, x);
    }
    r->one[f->y] = llvm_convert(w, d, x, to, false);
    r->single = false, w->lanes = r->lanes;
}
