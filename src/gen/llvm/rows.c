/* gen/llvm/rows.c - the tape of a group over rows as a function: for each row, some passes over its elements.
 *
 * A pass computes what needs only reductions of the passes before it, and folds what is to be folded: in 32 lanes,
 * element i in lane i mod 32, joined as a tree of halves, then init op that, as gen/fold.h says. A full value that a
 * later pass needs is computed again if it is cheap, else kept in `room`, which holds a row. What there is one of per
 * row is computed as a vector of one element where the row begins or between passes, and spread. Elements behind the
 * last 32 are done once, under masks. */
#include "llvm.h"

#include <stdlib.h>
#include <string.h>

enum { LANES = 32, CHEAP = 6, MOST_ROOMS = GEN_ROW_ROOM / 8, MOST_SUMS = 96 };

/* A running value of a fold: of some lanes. */
typedef struct { const char *type, *start, *phi, *now; } sum;

typedef struct llvm_rows {
    const gen_row_tape *t;
    int lanes;                                           /* of full vectors */
    bool single;                                         /* vectors of one are being written, where the row begins */
    int pass, npass, *pass_of, *room, nroom;    /* [register]: its pass, or before which it is there; its room or -1 */
    const char **one, **same_one, **spread;     /* [register]: of the row; uniform as a vector of one; in all lanes */
    const char **at;                                     /* [nreg + results]: addresses in this row */
    const char *element, *mask;                          /* its number in the row; NULL: all lanes are there */
    FILE *row; int row_block;                            /* what stands where this pass begins */
} llvm_rows;

bool llvm_of_row(const llvm_writer *w, op_reg r)
{
    return w->rows && !w->rows->single && w->rows->t->reach[r] == GEN_PER_ROW;
}

/* ---- writing where the row begins ---- */

typedef struct { FILE *body; int lanes, block; bool single; } scope;
static scope enter_row(llvm_writer *w)
{
    llvm_rows *s = w->rows;
    const scope was = { w->body, w->lanes, w->block, s->single };
    if (!s->single) w->body = s->row, w->block = s->row_block;
    s->single = true, w->lanes = 1;
    return was;
}
static void leave_row(llvm_writer *w, scope was)
{
    if (!was.single) w->rows->row_block = w->block, w->block = was.block;
    w->body = was.body, w->lanes = was.lanes, w->rows->single = was.single;
}

/* In memory bool is a byte. */
static const char *memory_type(tt_dtype d) { return d == TT_BOOL ? "i8" : llvm_element(d); }
static int memory_bytes(tt_dtype d) { return (llvm_bits(d) + 7) / 8; }
static tt_dtype stored_as(const llvm_writer *w, op_reg r)
{
    return w->inst[r].code == OP_INDEX ? TT_I64 : w->inst[r].dtype;
}

static const char *from_byte(llvm_writer *w, const char *x)
{
    return llvm_line(w, "icmp ne <%d x i8> %s, zeroinitializer", w->lanes, x);
}

static const char *load_one(llvm_writer *w, op_reg r)
{
    const tt_dtype d = stored_as(w, r);
    const char *x = llvm_line(w, "load <1 x %s>, ptr %s, align %d", memory_type(d), w->rows->at[r], memory_bytes(d));
    return d == TT_BOOL ? from_byte(w, x) : x;
}

static bool is_read(const llvm_writer *w, op_reg r)
{
    return w->inst[r].code == OP_INPUT || w->inst[r].code == OP_INDEX;
}

static const char *one_of(llvm_writer *w, op_reg r)      /* of a row, or the same for all rows */
{
    llvm_rows *s = w->rows;
    const scope was = enter_row(w);
    const char **v = s->t->reach[r] == GEN_SAME ? &s->same_one[r] : &s->one[r];
    if (!*v) *v = s->t->reach[r] == GEN_SAME ? llvm_same(w, r) : is_read(w, r) ? load_one(w, r) : llvm_op(w, r);
    if (!*v) w->why = w->why ? w->why : "an instruction without a form in LLVM", *v = "";
    leave_row(w, was);
    return *v;
}

static const char *spread_of(llvm_writer *w, op_reg r)
{
    llvm_rows *s = w->rows;
    if (s->spread[r]) return s->spread[r];
    const char *one = one_of(w, r), *t = llvm_element(w->inst[r].dtype);
    const scope was = enter_row(w);
    s->spread[r] = llvm_line(w, "shufflevector <1 x %s> %s, <1 x %s> poison, <%d x i32> zeroinitializer", t, one, t,
        s->lanes);
    leave_row(w, was);
    return s->spread[r];
}

const char *llvm_row_scalar(llvm_writer *w, op_reg r)
{
    const char *one = one_of(w, r);
    const scope was = enter_row(w);
    const char *x = llvm_line(w, "extractelement <1 x %s> %s, i64 0", llvm_element(w->inst[r].dtype), one);
    leave_row(w, was);
    return x;
}

const char *llvm_at_row(llvm_writer *w, tt_dtype d, const char *a, op_reg r,
                        const char *(*how)(llvm_writer *, tt_dtype, const char *, op_reg))
{
    FILE *head = w->head;
    llvm_row_scalar(w, r);                               /* so that nothing but lines is written below */
    w->head = w->rows->row;
    const char *v = how(w, d, a, r);
    w->head = head;
    return v;
}

/* ---- full values ---- */

static const char *address(llvm_writer *w, const char *base, tt_dtype d)
{
    return llvm_line(w, "getelementptr %s, ptr %s, i64 %s", memory_type(d), base, w->rows->element);
}

static const char *masked_name(llvm_writer *w, const char *what, tt_dtype d)
{
    const bool real = d == TT_F32 || d == TT_F64;
    return llvm_keep(w, "masked.%s.v%d%c%d.p0", what, w->lanes, real ? 'f' : 'i', d == TT_BOOL ? 8 : llvm_bits(d));
}

static const char *load(llvm_writer *w, const char *base, tt_dtype d, bool masked)
{
    const char *t = llvm_keep(w, "<%d x %s>", w->lanes, memory_type(d)), *at = address(w, base, d), *x;
    if (!masked || !w->rows->mask) x = llvm_line(w, "load %s, ptr %s, align %d", t, at, memory_bytes(d));
    else
        x = llvm_call(w, t, masked_name(w, "load", d), llvm_keep(w, "ptr, i32, <%d x i1>, %s", w->lanes, t),
                      llvm_keep(w, "ptr %s, i32 %d, <%d x i1> %s, %s zeroinitializer", at, memory_bytes(d), w->lanes,
                                w->rows->mask, t));
    return d == TT_BOOL ? from_byte(w, x) : x;
}

static void store(llvm_writer *w, const char *x, const char *base, tt_dtype d, bool masked)
{
    const char *t = llvm_keep(w, "<%d x %s>", w->lanes, memory_type(d));
    if (d == TT_BOOL) x = llvm_line(w, "zext <%d x i1> %s to %s", w->lanes, x, t);
    const char *at = address(w, base, d), *mask = w->rows->mask;
    if (!masked || !mask) fprintf(w->body, "  store %s %s, ptr %s, align %d\n", t, x, at, memory_bytes(d));
    else
        llvm_call_void(w, masked_name(w, "store", d), llvm_keep(w, "%s, ptr, i32, <%d x i1>", t, w->lanes),
                       llvm_keep(w, "%s %s, ptr %s, i32 %d, <%d x i1> %s", t, x, at, memory_bytes(d), w->lanes, mask));
}

static const char *room_at(llvm_writer *w, int room) { return llvm_keep(w, "%%room%d", room); }

const char *llvm_row_value(llvm_writer *w, op_reg r)
{
    llvm_rows *s = w->rows;
    if (w->why) return "";
    if (s->single) return one_of(w, r);
    if (s->t->reach[r] == GEN_PER_ROW) return spread_of(w, r);
    if (w->value[r]) return w->value[r];
    const char *v;
    if (s->t->reach[r] == GEN_SAME) return w->value[r] = llvm_same(w, r);        /* in the head: there for all */
    if (s->room[r] >= 0 && s->pass_of[r] < s->pass) v = load(w, room_at(w, s->room[r]), w->inst[r].dtype, false);
    else if (is_read(w, r)) v = load(w, s->at[r], stored_as(w, r), true);
    else v = llvm_op(w, r);
    if (!v || w->why) return w->why = w->why ? w->why : "an instruction without a form in LLVM", "";
    w->value[r] = v;
    w->written[w->nwritten++] = r;
    return v;
}

static void forget(llvm_writer *w)                       /* full values: other elements come */
{
    while (w->nwritten) w->value[w->written[--w->nwritten]] = NULL;
}

/* ---- passes ---- */

static int operands(const op_inst *i, op_reg x[3])
{
    const bool leaf = i->code == OP_CONST || i->code == OP_INPUT || i->code == OP_INDEX;
    const bool unary = i->code == OP_CONVERT || i->code == OP_BITCAST;
    x[0] = i->a, x[1] = unary ? 0 : i->b, x[2] = unary ? 0 : i->c;
    return leaf ? 0 : 3;
}

static void set_passes(llvm_writer *w)
{
    llvm_rows *s = w->rows;
    const gen_row_tape *t = s->t;
    for (int r = 1; r < w->c->tape->n; r++) {
        op_reg x[3];
        const int n = operands(&w->inst[r], x);
        for (int k = 0; k < n; k++) if (x[k] && s->pass_of[x[k]] > s->pass_of[r]) s->pass_of[r] = s->pass_of[x[k]];
        for (int k = 0; k < t->nfold; k++) if (t->fold[k].y == r) s->pass_of[r] = s->pass_of[t->fold[k].x] + 1;
    }
    for (int k = 0; k < t->nfold; k++)
        if (s->pass_of[t->fold[k].x] >= s->npass) s->npass = s->pass_of[t->fold[k].x] + 1;
    for (int j = 0; j < w->c->nout; j++)
        if (t->full[j] && s->pass_of[w->c->out[j].reg] >= s->npass) s->npass = s->pass_of[w->c->out[j].reg] + 1;
}

/* Values that are wanted by a later pass and not cheap to compute again are kept. */
static void set_rooms(llvm_writer *w)
{
    llvm_rows *s = w->rows;
    const int n = w->c->tape->n;
    int *cost = calloc((size_t)n, sizeof *cost);
    bool *later = calloc((size_t)n, sizeof *later);
    if (!cost || !later) w->why = "out of memory";
    for (int r = 1; r < n && !w->why; r++) {
        op_reg x[3];
        const int m = operands(&w->inst[r], x);
        for (int k = 0; k < m; k++)
            if (x[k] && s->t->reach[x[k]] == GEN_FULL && s->pass_of[x[k]] < s->pass_of[r]) later[x[k]] = true;
    }
    for (int r = 1; r < n && !w->why; r++) {
        op_reg x[3];
        const int m = operands(&w->inst[r], x);
        s->room[r] = -1;
        cost[r] = 1;
        for (int k = 0; k < m; k++) if (x[k] && s->t->reach[x[k]] == GEN_FULL) cost[r] += cost[x[k]];
        if (cost[r] > 1000) cost[r] = 1000;
        if (!later[r] || cost[r] <= CHEAP || s->nroom == MOST_ROOMS) continue;
        s->room[r] = s->nroom++;
        cost[r] = 1;
    }
    free(cost);
    free(later);
}

/* ---- folding ---- */

static tt_dtype sum_dtype(const llvm_writer *w, const gen_row_fold *f)
{
    const tt_dtype d = w->inst[f->y].dtype;
    return d == TT_BF16 || d == TT_F16 ? TT_F32 : d;
}

static bool is_float(tt_dtype d) { return d == TT_F32 || d == TT_F64; }
static bool is_ordered(const llvm_writer *w, const gen_row_fold *f)
{
    return (f->how == MESH_MAX || f->how == MESH_MIN) && is_float(sum_dtype(w, f));
}

/* The bits of what leaves everything as it is. */
static uint64_t identity(mesh_how how, tt_dtype d)
{
    const int n = llvm_bits(d);
    const uint64_t all = n == 64 ? ~0ull : (1ull << n) - 1, top = 1ull << (n - 1);
    const bool sign = d == TT_I8 || d == TT_I16 || d == TT_I32 || d == TT_I64;
    switch (how) {
    case MESH_PROD: return d == TT_F32 ? 0x3f800000 : d == TT_F64 ? 0x3ff0000000000000 : 1;
    case MESH_MAX: return d == TT_F32 ? 0xff800000 : d == TT_F64 ? 0xfff0000000000000 : sign ? top : 0;
    case MESH_MIN: return d == TT_F32 ? 0x7f800000 : d == TT_F64 ? 0x7ff0000000000000 : sign ? top - 1 : all;
    case MESH_AND: return all;
    default: return 0;
    }
}

/* A float maximum in which NaN wins and -0 < +0 is found from three: the plain one, and the greatest bits as signed and
 * as unsigned integers. Some number without sign: the greatest signed bits are the answer, or NaN; else the plain one
 * is, unless there is a NaN with a sign. The minimum likewise, by sign. */
static int sums_of(const llvm_writer *w, const gen_row_fold *f) { return is_ordered(w, f) ? 3 : 1; }

static tt_dtype word(tt_dtype d, bool sign) { return d == TT_F32 ? sign ? TT_I32 : TT_U32 : sign ? TT_I64 : TT_U64; }

static int begin_sums(llvm_writer *w, const gen_row_fold *f, sum *to)
{
    const tt_dtype d = sum_dtype(w, f);
    const int n = sums_of(w, f);
    to[0] = (sum){ llvm_type(w, d), llvm_number(w, d, identity(f->how, d)), NULL, NULL };
    for (int k = 1; k < n; k++) {
        const tt_dtype u = word(d, k == 1);
        to[k] = (sum){ llvm_type(w, u), llvm_number(w, u, identity(MESH_MAX, u)), NULL, NULL };
    }
    return n;
}

static const char *under_mask(llvm_writer *w, const char *type, const char *now, const char *was)
{
    const char *mask = w->rows->mask;
    return mask ? llvm_line(w, "select <%d x i1> %s, %s %s, %s %s", w->lanes, mask, type, now, type, was) : now;
}

/* Two running values of a fold, one of which is its k-th. */
static const char *join(llvm_writer *w, const gen_row_fold *f, int k, const char *a, const char *b)
{
    const tt_dtype d = sum_dtype(w, f);
    if (!is_ordered(w, f)) return llvm_combine(w, f->how, d, a, b);
    if (k) return llvm_combine(w, MESH_MAX, word(d, k == 1), a, b);
    const char *t = llvm_type(w, d), *p = llvm_line(w, "fcmp %s %s %s, %s", f->how == MESH_MAX ? "ogt" : "olt", t, b,
        a);
    return llvm_line(w, "select <%d x i1> %s, %s %s, %s %s", w->lanes, p, t, b, t, a);
}

static void add_to(llvm_writer *w, const gen_row_fold *f, sum *s)
{
    const tt_dtype d = sum_dtype(w, f), from = w->inst[f->x].dtype;
    const char *x = llvm_convert(w, from, llvm_value(w, f->x), d);
    for (int k = 0; k < sums_of(w, f); k++) {
        const char *y = k ? llvm_line(w, "bitcast %s %s to %s", s->type, x, s[k].type) : x;
        s[k].now = under_mask(w, s[k].type, join(w, f, k, s[k].now, y), s[k].now);
    }
}

/* What a fold's running values come to: vectors of one. */
static const char *settle(llvm_writer *w, const gen_row_fold *f, const char *const *v)
{
    if (!is_ordered(w, f)) return v[0];
    const tt_dtype d = sum_dtype(w, f), u = word(d, false), i = word(d, true);
    const bool max = f->how == MESH_MAX;
    const uint64_t top = 1ull << (llvm_bits(d) - 1), inf = d == TT_F32 ? 0x7f800000 : 0x7ff0000000000000;
    const char *t = llvm_type(w, d), *ut = llvm_type(w, u);
    const char *by_sign = max ? llvm_line(w, "icmp sge %s %s, zeroinitializer", ut, v[1])
                              : llvm_line(w, "icmp uge %s %s, %s", ut, v[2], llvm_number(w, u, top));
    const char *signed_nan = llvm_line(w, "icmp ugt %s %s, %s", ut, v[2], llvm_number(w, u, top | inf));
    const char *plain_nan = llvm_line(w, "icmp sgt %s %s, %s", ut, v[1], llvm_number(w, i, inf));
    const char *nan = llvm_line(w, "or <%d x i1> %s, %s", w->lanes, signed_nan, plain_nan);
    const char *bits = llvm_line(w, "bitcast %s %s to %s", ut, v[max ? 1 : 2], t);
    const char *x = llvm_line(w, "select <%d x i1> %s, %s %s, %s %s", w->lanes, by_sign, t, bits, t, v[0]);
    return llvm_line(w, "select <%d x i1> %s, %s %s, %s %s", w->lanes, nan, t, llvm_number(w, d, inf | inf >> 1), t, x);
}

/* Lanes [from, from + n) of a vector of 2n. */
static const char *half(llvm_writer *w, tt_dtype d, const char *v, int n, int from)
{
    const char *list = "";
    for (int i = 0; i < n; i++) list = llvm_keep(w, "%s%si32 %d", list, i ? ", " : "", from + i);
    const char *t = llvm_element(d);
    return llvm_line(w, "shufflevector <%d x %s> %s, <%d x %s> poison, <%d x i32> <%s>", 2 * n, t, v, 2 * n, t, n,
        list);
}

/* The tree of halves over a fold's k-th running values, one per part of 32 lanes: a vector of one. */
static const char *tree(llvm_writer *w, const gen_row_fold *f, int k, const sum *s, int stride)
{
    const int lanes = w->rows->lanes;
    const tt_dtype d = k ? word(sum_dtype(w, f), k == 1) : sum_dtype(w, f);
    const char *v[LANES];
    int n = LANES / lanes;
    w->lanes = lanes;
    for (int u = 0; u < n; u++) v[u] = s[u * stride + k].now;
    for (; n > 1; n /= 2) for (int u = 0; u < n / 2; u++) v[u] = join(w, f, k, v[u], v[u + n / 2]);
    while (w->lanes > 1) {
        const int m = w->lanes / 2;
        const char *low = half(w, d, *v, m, 0), *high = half(w, d, *v, m, m);
        w->lanes = m;
        *v = join(w, f, k, low, high);
    }
    return *v;
}

/* Does init op x leave every x that a fold can come to? Sums begin with +0 and are never -0. */
static bool leaves_all(const llvm_writer *w, const gen_row_fold *f)
{
    const op_inst *i = &w->inst[f->init];
    const tt_dtype d = i->dtype, wide = sum_dtype(w, f);
    uint64_t bits = identity(f->how, wide);
    if (d == TT_BF16) bits >>= 16;
    if (d == TT_F16) bits = f->how == MESH_MAX ? 0xfc00 : f->how == MESH_MIN ? 0x7c00 : bits ? 0x3c00 : 0;
    const uint64_t all = llvm_bits(d) == 64 ? ~0ull : (1ull << llvm_bits(d)) - 1;
    return i->code == OP_CONST && (i->imm.u64 & all) == bits;
}

/* A fold's result: init op what the tree gives. */
static void finish(llvm_writer *w, const gen_row_fold *f, const sum *s, int stride)
{
    llvm_rows *r = w->rows;
    const tt_dtype d = sum_dtype(w, f), to = w->inst[f->y].dtype;
    const char *v[3];
    for (int k = 0; k < sums_of(w, f); k++) v[k] = tree(w, f, k, s, stride);
    r->single = true, w->lanes = 1;
    const char *x = settle(w, f, v);
    if (!leaves_all(w, f)) {
        const char *init = llvm_convert(w, w->inst[f->init].dtype, one_of(w, f->init), d);
        x = llvm_combine(w, f->how, d, init, x);
    }
    r->one[f->y] = llvm_convert(w, d, x, to);
    r->single = false, w->lanes = r->lanes;
}

/* ---- a pass ---- */

typedef struct { sum at[MOST_SUMS]; int n, stride; } sums; /* of all folds of a pass: [part of 32 lanes][fold, which] */

static bool in_pass(const llvm_writer *w, op_reg r) { return w->rows->pass_of[r] == w->rows->pass; }

/* 32 elements from `first` on: what the pass keeps, folds and writes. Masks: [part], or NULL. */
static void write_elements(llvm_writer *w, sums *all, const char *first, const char *const *mask)
{
    llvm_rows *s = w->rows;
    for (int u = 0; u < LANES / s->lanes; u++) {
        sum *x = all->at + u * all->stride;
        s->element = llvm_line(w, "add i64 %s, %d", first, u * s->lanes);
        s->mask = mask ? mask[u] : NULL;
        bool long_ = false;                              /* it keeps what is not cheap */
        for (int r = 1; r < w->c->tape->n; r++) {
            if (s->room[r] < 0 || !in_pass(w, (op_reg)r)) continue;
            store(w, llvm_value(w, (op_reg)r), room_at(w, s->room[r]), w->inst[r].dtype, false);
            long_ = true;
        }
        for (int k = 0; k < s->t->nfold; k++)
            if (in_pass(w, s->t->fold[k].x)) add_to(w, &s->t->fold[k], x), x += sums_of(w, &s->t->fold[k]);
        for (int j = 0; j < w->c->nout; j++) {
            const op_reg r = w->c->out[j].reg;
            if (!s->t->full[j]) continue;
            if (in_pass(w, r)) store(w, llvm_value(w, r), s->at[w->c->nreg + j], w->inst[r].dtype, true);
            if (s->pass_of[r] == s->pass + 1 && long_ && !mask) {        /* its place is fetched while this pass computes */
                const char *place = address(w, s->at[w->c->nreg + j], w->inst[r].dtype);
                llvm_call_void(w, "prefetch.p0", "ptr, i32, i32, i32", llvm_keep(w, "ptr %s, i32 1, i32 3, i32 1", place));
            }
        }
        forget(w);
    }
    s->mask = NULL;
}

/* Names for the running values where two ways meet; they are what goes on. */
static void name_phis(llvm_writer *w, sums *all)
{
    for (int i = 0; i < all->n; i++) all->at[i].phi = all->at[i].now = llvm_keep(w, "%%t%d", ++w->temps);
}

static void put_phis(FILE *f, const sums *to, const sums *x, int from_x, const sums *y, int from_y)
{
    for (int i = 0; i < to->n; i++)
        fprintf(f, "  %s = phi %s [ %s, %%b%d ], [ %s, %%b%d ]\n", to->at[i].phi, to->at[i].type, x->at[i].now, from_x,
                y->at[i].now, from_y);
}

static void put_text(FILE *from, char **text, FILE *to)
{
    fclose(from);
    if (*text) fputs(*text, to);
    free(*text);
    *text = NULL;
}

static void set_sums(llvm_writer *w, sums *all)
{
    llvm_rows *s = w->rows;
    const int parts = LANES / s->lanes;
    all->n = all->stride = 0;
    for (int k = 0; k < s->t->nfold; k++) if (in_pass(w, s->t->fold[k].x)) all->stride += sums_of(w, &s->t->fold[k]);
    if (all->stride * parts > MOST_SUMS) {
        w->why = "too many reductions at once";
        return;
    }
    for (int u = 0; u < parts; u++)
        for (int k = 0; k < s->t->nfold; k++)
            if (in_pass(w, s->t->fold[k].x)) all->n += begin_sums(w, &s->t->fold[k], all->at + all->n);
    for (int i = 0; i < all->n; i++) all->at[i].now = all->at[i].start;
}

/* A loop over whole 32s, then the rest under masks. */
static void write_pass(llvm_writer *w, FILE *out)
{
    llvm_rows *s = w->rows;
    char *row = NULL, *loop = NULL, *rest = NULL;
    size_t n[3];
    sums begin, in, after, tail, end;
    const int l = ++w->temps, a = ++w->temps, t = ++w->temps, e = ++w->temps, p = s->pass;
    FILE *fl = open_memstream(&loop, &n[0]), *ft = open_memstream(&rest, &n[1]);
    s->row = open_memstream(&row, &n[2]);
    if (!fl || !ft || !s->row) w->why = "out of memory";
    set_sums(w, &begin);
    if (w->why) begin.n = begin.stride = 0;
    s->row_block = w->block;
    in = after = end = begin;
    if (!w->why) {
        name_phis(w, &in), name_phis(w, &after), name_phis(w, &end);
        const sums into = in, behind = after;
        w->body = fl, w->block = l;
        write_elements(w, &in, llvm_keep(w, "%%i%d", p), NULL);
        const int last = w->block;
        const char *mask[LANES];
        tail = behind;
        w->body = ft, w->block = t;
        for (int u = 0; u < LANES / s->lanes; u++) mask[u] = llvm_keep(w, "%%mask%d", u);
        write_elements(w, &tail, "%whole", mask);
        const int tail_last = w->block;
        fclose(s->row), s->row = NULL;
        if (row) fputs(row, out);
        fprintf(out, "  br i1 %%long, label %%b%d, label %%b%d\nb%d:\n", l, a, l);
        fprintf(out, "  %%i%d = phi i64 [ 0, %%b%d ], [ %%next%d, %%b%d ]\n", p, s->row_block, p, last);
        put_phis(out, &into, &begin, s->row_block, &in, last);
        put_text(fl, &loop, out);
        fprintf(out, "  %%next%d = add i64 %%i%d, %d\n  %%more%d = icmp slt i64 %%next%d, %%whole\n", p, p, LANES, p,
            p);
        fprintf(out, "  br i1 %%more%d, label %%b%d, label %%b%d\nb%d:\n", p, l, a, a);
        put_phis(out, &behind, &begin, s->row_block, &in, last);
        fprintf(out, "  br i1 %%some, label %%b%d, label %%b%d\nb%d:\n", t, e, t);
        put_text(ft, &rest, out);
        fprintf(out, "  br label %%b%d\nb%d:\n", e, e);
        put_phis(out, &end, &behind, a, &tail, tail_last);
        fl = ft = NULL;
    }
    if (fl) fclose(fl);
    if (ft) fclose(ft);
    if (s->row) fclose(s->row);
    free(loop), free(rest), free(row);
    s->row = NULL;
    w->body = out, w->block = e;
    sum *x = end.at;
    for (int k = 0; k < s->t->nfold && !w->why; k++)
        if (in_pass(w, s->t->fold[k].x)) finish(w, &s->t->fold[k], x, end.stride), x += sums_of(w, &s->t->fold[k]);
}

/* ---- the function ---- */

static void write_addresses(llvm_writer *w, FILE *out)
{
    llvm_rows *s = w->rows;
    w->body = out;
    for (int v = 0; v < w->c->nread + w->c->nout; v++) {
        const int slot = v < w->c->nread ? w->c->read[v].reg : w->c->nreg + v - w->c->nread;
        if (v < w->c->nread && w->c->read[v].uniform) continue;
        const char *base = llvm_before(w, "getelementptr ptr, ptr %%at, i64 %d", slot);
        const char *step = llvm_before(w, "getelementptr i64, ptr %%step, i64 %d", slot);
        base = llvm_before(w, "load ptr, ptr %s", base), step = llvm_before(w, "load i64, ptr %s", step);
        const char *by = llvm_line(w, "mul i64 %%r, %s", step);
        s->at[slot] = llvm_line(w, "getelementptr i8, ptr %s, i64 %s", base, by);
    }
}

static void write_results(llvm_writer *w, FILE *out)     /* of which there is one per row */
{
    llvm_rows *s = w->rows;
    s->row = out, s->row_block = w->block;
    const scope was = enter_row(w);
    for (int j = 0; j < w->c->nout && !w->why; j++) {
        const op_reg r = w->c->out[j].reg;
        const tt_dtype d = w->inst[r].dtype;
        if (s->t->full[j]) continue;
        const char *x = one_of(w, r);
        if (d == TT_BOOL) x = llvm_line(w, "zext <1 x i1> %s to <1 x i8>", x);
        fprintf(w->body, "  store <1 x %s> %s, ptr %s, align %d\n", memory_type(d), x, s->at[w->c->nreg + j],
            memory_bytes(d));
    }
    leave_row(w, was);
    w->block = s->row_block;
}

static void write_head(const llvm_writer *w, FILE *f, const char *head)
{
    const int lanes = w->rows->lanes;
    fprintf(f, "define void @tape(ptr %%at, ptr %%step, ptr %%k, i64 %%rows, i64 %%n, ptr %%room) #0 {\nentry:\n");
    fprintf(f, "  %%whole = and i64 %%n, %d\n  %%rest = and i64 %%n, %d\n", -LANES, LANES - 1);
    fprintf(f, "  %%long = icmp sgt i64 %%whole, 0\n  %%some = icmp ne i64 %%rest, 0\n");
    fprintf(f, "  %%up = add i64 %%n, %d\n  %%wide = and i64 %%up, %d\n", GEN_GRAIN - 1, -GEN_GRAIN);
    for (int i = 0; i < w->rows->nroom; i++)
        fprintf(f, "  %%far%d = mul i64 %%wide, %d\n  %%room%d = getelementptr i8, ptr %%room, i64 %%far%d\n", i,
            8 * i, i, i);
    fprintf(f, "  %%left = trunc i64 %%rest to i32\n  %%left1 = insertelement <%d x i32> poison, i32 %%left, i64 0\n",
        lanes);
    fprintf(f, "  %%lefts = shufflevector <%d x i32> %%left1, <%d x i32> poison, <%d x i32> zeroinitializer\n", lanes,
        lanes, lanes);
    for (int u = 0; u < LANES / lanes; u++) {
        fprintf(f, "  %%mask%d = icmp ult <%d x i32> <", u, lanes);
        for (int i = 0; i < lanes; i++) fprintf(f, "%si32 %d", i ? ", " : "", u * lanes + i);
        fprintf(f, ">, %%lefts\n");
    }
    fprintf(f, "%s  %%any = icmp sgt i64 %%rows, 0\n  br i1 %%any, label %%b0, label %%done\nb0:\n", head);
}

bool llvm_rows_text(llvm_writer *w, FILE *out)
{
    const size_t n = (size_t)w->c->tape->n, slots = n + (size_t)w->c->nout;
    llvm_rows s = { .t = w->c->rows, .lanes = w->lanes < LANES ? w->lanes : LANES };
    char *head = NULL, *body = NULL;
    size_t nhead, nbody;
    const char **names = calloc(3 * n + slots, sizeof *names);
    int *numbers = calloc(2 * n, sizeof *numbers);
    FILE *rows = open_memstream(&body, &nbody);
    w->head = open_memstream(&head, &nhead);
    w->rows = &s, w->lanes = s.lanes;
    if (names && numbers && rows && w->head) {
        s.one = names, s.same_one = names + n, s.spread = names + 2 * n, s.at = names + 3 * n;
        s.pass_of = numbers, s.room = numbers + n;
        set_passes(w);
        set_rooms(w);
        write_addresses(w, rows);
        for (s.pass = 0; s.pass < s.npass && !w->why; s.pass++) write_pass(w, rows);
        if (!w->why) write_results(w, rows);
    } else w->why = "out of memory";
    if (rows && fclose(rows)) w->why = "out of memory";
    if (w->head && fclose(w->head)) w->why = "out of memory";
    if (!w->why) {
        write_head(w, out, head);
        fprintf(out, "  %%r = phi i64 [ 0, %%entry ], [ %%below, %%b%d ]\n%s", w->block, body);
        fprintf(out, "  %%below = add i64 %%r, 1\n  %%again = icmp slt i64 %%below, %%rows\n");
        fprintf(out, "  br i1 %%again, label %%b0, label %%done\ndone:\n  ret void\n}\n");
        llvm_attributes(w, out);
    }
    free(names);
    free(numbers);
    free(head);
    free(body);
    return !w->why;
}
