/* ir/box.c - boxes, rectangular parts of global values, accessed element by element. Used by reference kernels.
 *
 * Simple, not fast. Only ir_copy moves more than one element at once: runs of the innermost dim that are dense in both
 * boxes. Elements are read and written by memcpy, so memory need not be aligned. */
#include "ir.h"

#include <string.h>

ir_box ir_box_of(void *at, tt_dtype dtype, int rank, const int64_t *lo, const int64_t *n)
{
    ir_box b = { .at = at, .dtype = dtype, .rank = rank };
    int64_t step = 1;
    for (int d = rank - 1; d >= 0; d--) {
        b.lo[d] = lo ? lo[d] : 0;
        b.n[d] = n[d];
        b.step[d] = step;
        step *= n[d];
    }
    return b;
}

ir_box ir_box_dense(void *at, const ir_type *t) { return ir_box_of(at, t->dtype, t->rank, NULL, t->dim); }

int64_t ir_box_count(const ir_box *b)
{
    int64_t n = 1;
    for (int d = 0; d < b->rank; d++) n *= b->n[d];
    return n;
}

char *ir_at(const ir_box *b, const int64_t *i)
{
    int64_t at = 0;
    for (int d = 0; d < b->rank; d++) at += (i[d] - b->lo[d]) * b->step[d];
    return (char *)b->at + at * (int64_t)ir_dtype_of(b->dtype)->bytes;
}

#define READ(T, member) { T t_; memcpy(&t_, p, sizeof t_); v.member = t_; return v; }

ir_num ir_number(tt_dtype dtype, const void *at)
{
    const char *const p = at;
    ir_num v = { .c = { 0, 0 } };
    switch (dtype) {
    case TT_BOOL: v.u = *p != 0; return v;               /* all 8 bytes: sets .u and .i to 0 or 1 too */
    case TT_I8:   READ(int8_t, i)
    case TT_I16:  READ(int16_t, i)
    case TT_I32:  READ(int32_t, i)
    case TT_I64:  READ(int64_t, i)
    case TT_U8:   READ(uint8_t, u)
    case TT_U16:  READ(uint16_t, u)
    case TT_U32:  READ(uint32_t, u)
    case TT_U64:  READ(uint64_t, u)
    case TT_F32:  READ(float, f)
    case TT_F64:  READ(double, f)
    case TT_F16:  { uint16_t h; memcpy(&h, p, sizeof h); v.f = (double)ir_f16_f32(h); return v; }
    case TT_BF16: { uint16_t h; memcpy(&h, p, sizeof h); v.f = (double)ir_bf16_f32(h); return v; }
    case TT_C64:  { float z[2]; memcpy(z, p, sizeof z); v.c.re = (double)z[0], v.c.im = (double)z[1]; return v; }
    case TT_C128: memcpy(&v.c, p, sizeof v.c); return v;
    default:
        if (ir_is_float(dtype)) v.f = ir_narrow_f64(dtype, (uint8_t)*p);
        else if (ir_dtype_of(dtype)->cls == IR_INT_CLASS) v.i = (int8_t)ir_wrap(dtype, (uint8_t)*p);
        else v.u = ir_wrap(dtype, (uint8_t)*p);
        return v;
    }
}

ir_num ir_load(const ir_box *b, const int64_t *i) { return ir_number(b->dtype, ir_at(b, i)); }

#define WRITE(T, value) { const T t_ = (T)(value); memcpy(p, &t_, sizeof t_); return; }

void ir_store(const ir_box *b, const int64_t *i, ir_num v)
{
    char *p = ir_at(b, i), first;
    switch (b->dtype) {
    case TT_BOOL: memcpy(&first, &v, 1); *p = first != 0; return;        /* .b, or the low byte of .u */
    case TT_I8: case TT_U8:   WRITE(uint8_t, v.u)
    case TT_I16: case TT_U16: WRITE(uint16_t, v.u)
    case TT_I32: case TT_U32: WRITE(uint32_t, v.u)
    case TT_I64: case TT_U64: WRITE(uint64_t, v.u)
    case TT_F32:  WRITE(float, v.f)
    case TT_F64:  WRITE(double, v.f)
    case TT_F16:  WRITE(uint16_t, ir_f64_f16(v.f))
    case TT_BF16: WRITE(uint16_t, ir_f64_bf16(v.f))
    case TT_C64:  { const float z[2] = { (float)v.c.re, (float)v.c.im }; memcpy(p, z, sizeof z); return; }
    case TT_C128: memcpy(p, &v.c, sizeof v.c); return;
    default:
        *p = (char)(ir_is_float(b->dtype) ? ir_f64_narrow(b->dtype, v.f) : ir_wrap(b->dtype, v.u));
    }
}

bool ir_first(const ir_box *b, int64_t *i)
{
    for (int d = 0; d < b->rank; d++) {
        i[d] = b->lo[d];
        if (b->n[d] < 1) return false;
    }
    return true;
}

bool ir_next(const ir_box *b, int64_t *i)
{
    for (int d = b->rank - 1; d >= 0; d--) {
        if (++i[d] < b->lo[d] + b->n[d]) return true;
        i[d] = b->lo[d];
    }
    return false;
}

bool ir_copy(const ir_box *from, const ir_box *to)
{
    int64_t i[IR_RANK];
    ir_box over = { .rank = to->rank };                  /* the intersection */
    if (from->dtype != to->dtype || from->rank != to->rank)
        return base_bug(NULL, "ir_copy between boxes of different types");
    for (int d = 0; d < to->rank; d++) {
        const int64_t a = from->lo[d] > to->lo[d] ? from->lo[d] : to->lo[d];
        const int64_t p = from->lo[d] + from->n[d], q = to->lo[d] + to->n[d];
        over.lo[d] = a;
        over.n[d] = (p < q ? p : q) - a;
    }
    const size_t bytes = ir_dtype_of(to->dtype)->bytes;
    const int last = to->rank - 1;
    const bool rows = last >= 0 && from->step[last] == 1 && to->step[last] == 1;
    const int64_t run = rows ? over.n[last] : 1;
    if (rows && run > 0) over.n[last] = 1;
    for (bool more = ir_first(&over, i); more; more = ir_next(&over, i))
        memmove(ir_at(to, i), ir_at(from, i), (size_t)run * bytes);
    return true;
}

/* ---- windows ---- */

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b && (a < 0) != (b < 0)); }

void op_window_range(const op_window *w, int64_t a, int64_t b, int64_t size, int64_t *lo, int64_t *hi)
{
    const int64_t first = w->mul < 0 ? b - 1 : a, last = w->mul < 0 ? a : b - 1;
    int64_t from = -floor_div(-(w->mul * first + w->lo), w->div), to = floor_div(w->mul * last + w->hi, w->div) + 1;
    from = from < 0 ? 0 : from > size ? size : from;
    to = to > size ? size : to;
    *lo = from;
    *hi = b <= a || to < from ? from : to;
}
