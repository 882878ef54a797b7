/* gen/llvm/row_value.c - writes a register of a scalar program over rows as a value in LLVM's language, where the value
 * is read.
 *
 * A register with one element per row is written once, as a scalar, at the beginning of the row or between passes, and
 * is broadcast from there. A full value is written where it is read: loaded from an operand or from its buffer, under
 * the mask of the last elements, or computed. */
#include "rows.h"

bool llvm_of_row(const llvm_writer *w, op_reg r)
{
    return w->rows && !w->rows->single && w->rows->t->reach[r] == GEN_PER_ROW;
}

/* ---- writing at the beginning of the row ---- */

llvm_row_scope llvm_row_enter(llvm_writer *w)
{
    llvm_rows *s = w->rows;
    const llvm_row_scope was = { w->body, w->lanes, w->block, s->single };
    if (!s->single) w->body = s->row, w->block = s->row_block;
    s->single = true, w->lanes = 1;
    return was;
}
void llvm_row_leave(llvm_writer *w, llvm_row_scope was)
{
    if (!was.single) w->rows->row_block = w->block, w->block = was.block;
    w->body = was.body, w->lanes = was.lanes, w->rows->single = was.single;
}

/* In memory bool is a byte. */
const char *llvm_memory_type(tt_dtype d) { return d == TT_BOOL ? "i8" : llvm_element(d); }
int llvm_memory_bytes(tt_dtype d) { return (llvm_bits(d) + 7) / 8; }
static tt_dtype stored_as(const llvm_writer *w, op_reg r)
{
    return w->inst[r].code == OP_INDEX ? TT_I64 : w->inst[r].dtype;
}

static const char *from_byte(llvm_writer *w, const char *x)
{
    return llvm_line(w, "icmp ne %s %s, zeroinitializer", llvm_lanes_of(w, "i8"), x);
}

static const char *load_one(llvm_writer *w, op_reg r)
{
    const tt_dtype d = stored_as(w, r);
    const char *x = llvm_line(w, "load %s, ptr %s, align %d", llvm_memory_type(d), w->rows->at[r],
                              llvm_memory_bytes(d));
    return d == TT_BOOL ? from_byte(w, x) : x;
}

static bool is_read(const llvm_writer *w, op_reg r)
{
    return w->inst[r].code == OP_INPUT || w->inst[r].code == OP_INDEX;
}

const char *llvm_row_one(llvm_writer *w, op_reg r)       /* of a row, or the same for all rows */
{
    llvm_rows *s = w->rows;
    const llvm_row_scope was = llvm_row_enter(w);
    const char **v = s->t->reach[r] == GEN_SAME ? &s->same_one[r] : &s->one[r];
    if (!*v) *v = s->t->reach[r] == GEN_SAME ? llvm_same(w, r) : is_read(w, r) ? load_one(w, r) : llvm_op(w, r);
    if (!*v) w->why = w->why ? w->why : "an instruction without a form in LLVM", *v = "";
    llvm_row_leave(w, was);
    return *v;
}

static const char *spread_of(llvm_writer *w, op_reg r)
{
    llvm_rows *s = w->rows;
    if (s->spread[r]) return s->spread[r];
    const char *one = llvm_row_one(w, r), *t = llvm_element(w->inst[r].dtype);
    const llvm_row_scope was = llvm_row_enter(w);
    const char *first = llvm_line(w, "insertelement <%d x %s> poison, %s %s, i64 0", s->lanes, t, t, one);
    s->spread[r] = llvm_line(w, "shufflevector <%d x %s> %s, <%d x %s> poison, <%d x i32> zeroinitializer", s->lanes, t,
                             first, s->lanes, t, s->lanes);
    llvm_row_leave(w, was);
    return s->spread[r];
}

const char *llvm_row_scalar(llvm_writer *w, op_reg r)
{
    return llvm_row_one(w, r);
}

const char *llvm_at_row(llvm_writer *w, tt_dtype d, const char *a, op_reg r,
                        const char *(*how)(llvm_writer *, tt_dtype, const char *, op_reg))
{
    FILE *head = w->head;
    llvm_row_scalar(w, r);                               /* so that only lines of `how` are written below */
    w->head = w->rows->row;
    const char *v = how(w, d, a, r);
    w->head = head;
    return v;
}

/* ---- full values ---- */

const char *llvm_row_address(llvm_writer *w, const char *base, tt_dtype d)
{
    return llvm_line(w, "getelementptr %s, ptr %s, i64 %s", llvm_memory_type(d), base, w->rows->element);
}

static const char *masked_name(llvm_writer *w, const char *what, tt_dtype d)
{
    const bool real = d == TT_F32 || d == TT_F64;
    return llvm_keep(w, "masked.%s.v%d%c%d.p0", what, w->lanes, real ? 'f' : 'i', d == TT_BOOL ? 8 : llvm_bits(d));
}

const char *llvm_row_load(llvm_writer *w, const char *base, tt_dtype d, bool masked)
{
    const char *t = llvm_keep(w, "<%d x %s>", w->lanes, llvm_memory_type(d)), *at = llvm_row_address(w, base, d), *x;
    if (!masked || !w->rows->mask) x = llvm_line(w, "load %s, ptr %s, align %d", t, at, llvm_memory_bytes(d));
    else
        x = llvm_call(w, t, masked_name(w, "load", d), llvm_keep(w, "ptr, i32, <%d x i1>, %s", w->lanes, t),
                      llvm_keep(w, "ptr %s, i32 %d, <%d x i1> %s, %s zeroinitializer", at, llvm_memory_bytes(d),
                                w->lanes, w->rows->mask, t));
    return d == TT_BOOL ? from_byte(w, x) : x;
}

void llvm_row_store(llvm_writer *w, const char *x, const char *base, tt_dtype d, bool masked)
{
    const char *t = llvm_keep(w, "<%d x %s>", w->lanes, llvm_memory_type(d));
    if (d == TT_BOOL) x = llvm_line(w, "zext <%d x i1> %s to %s", w->lanes, x, t);
    const char *at = llvm_row_address(w, base, d), *mask = w->rows->mask;
    if (!masked || !mask) fprintf(w->body, "  store %s %s, ptr %s, align %d\n", t, x, at, llvm_memory_bytes(d));
    else
        llvm_call_void(w, masked_name(w, "store", d), llvm_keep(w, "%s, ptr, i32, <%d x i1>", t, w->lanes),
                       llvm_keep(w, "%s %s, ptr %s, i32 %d, <%d x i1> %s", t, x, at, llvm_memory_bytes(d), w->lanes,
                                 mask));
}

const char *llvm_row_buffer(llvm_writer *w, int capacity) { return llvm_keep(w, "%%room%d", capacity); }

const char *llvm_row_value(llvm_writer *w, op_reg r)
{
    llvm_rows *s = w->rows;
    if (w->why) return "";
    if (s->single) return llvm_row_one(w, r);
    if (s->t->reach[r] == GEN_PER_ROW) return spread_of(w, r);
    if (w->value[r]) return w->value[r];
    const char *v;
    if (s->t->reach[r] == GEN_SAME) return w->value[r] = llvm_same(w, r); /* written in the head: defined everywhere */
    if (s->buffer[r] >= 0 && s->pass_of[r] < s->pass)
        v = llvm_row_load(w, llvm_row_buffer(w, s->buffer[r]), w->inst[r].dtype, false);
    else if (is_read(w, r)) v = llvm_row_load(w, s->at[r], stored_as(w, r), true);
    else v = llvm_op(w, r);
    if (!v || w->why) return w->why = w->why ? w->why : "an instruction without a form in LLVM", "";
    w->value[r] = v;
    w->written[w->nwritten++] = r;
    return v;
}

void llvm_row_forget(llvm_writer *w)                     /* the next elements follow */
{
    while (w->nwritten) w->value[w->written[--w->nwritten]] = NULL;
}
