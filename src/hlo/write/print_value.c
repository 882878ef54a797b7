/* hlo/write/print_value.c - types and literals as text: tensor<2x3xf32>, dense<[1, 2]> : tensor<2xi32>.
 *
 * Short literals are lists, long ones blobs in hex; floats that have no decimal form are given by their bits. */
#include "print.h"

#include <math.h>
#include <string.h>

static const char *print_value_element(tt_dtype d)
{
    switch (d) {
    case TT_BOOL: return "i1";
    case TT_U2:   return "ui2";
    case TT_U4:   return "ui4";
    case TT_U8:   return "ui8";
    case TT_U16:  return "ui16";
    case TT_U32:  return "ui32";
    case TT_U64:  return "ui64";
    case TT_C64:  return "complex<f32>";
    case TT_C128: return "complex<f64>";
    default:      return ir_dtype_of(d)->name;
    }
}

void hlo_print_type(base_text *s, const ir_type *t)
{
    base_appendf(s, "tensor<");
    for (int d = 0; d < t->rank; d++) base_appendf(s, "%lldx", (long long)t->dim[d]);
    base_appendf(s, "%s>", print_value_element(t->dtype));
}

void hlo_print_types(base_text *s, const ir_fn *f, uint32_t n, const ir_id *id)
{
    base_appendf(s, "(");
    for (uint32_t i = 0; i < n; i++) {
        if (i) base_appendf(s, ", ");
        hlo_print_type(s, f->type[id[i]]);
    }
    base_appendf(s, ")");
}

enum { LISTED = 16 };

static void print_value_number(base_text *s, tt_dtype d, const char *at)
{
    const size_t n = ir_dtype_of(d)->bytes;
    const ir_class c = ir_dtype_of(d)->cls;
    const ir_box box = ir_box_of((void *)(uintptr_t)at, d, 0, NULL, NULL);
    int64_t zero[1] = { 0 };
    uint64_t bits = 0;
    if (c == IR_COMPLEX_CLASS) {
        const tt_dtype part = d == TT_C64 ? TT_F32 : TT_F64;
        base_appendf(s, "(");
        print_value_number(s, part, at);
        base_appendf(s, ",");
        print_value_number(s, part, at + n / 2);
        base_appendf(s, ")");
        return;
    }
    const ir_num v = ir_load(&box, zero);
    memcpy(&bits, at, n);
    if (c == IR_BOOL_CLASS) base_appendf(s, "%s", v.b ? "true" : "false");
    else if (c == IR_UINT_CLASS) base_appendf(s, "%llu", (unsigned long long)v.u);
    else if (c == IR_INT_CLASS) base_appendf(s, "%lld", (long long)v.i);
    else if (isfinite(v.f) && d != TT_F64 && fabs(v.f) < 1e6 && v.f == floor(v.f)) base_appendf(s, "%.6e", v.f);
    else base_appendf(s, "0x%0*llX", (int)(2 * n), (unsigned long long)bits);
}

static void nested(base_text *s, const ir_type *t, int dim, const char **at)
{
    if (dim == t->rank) {
        print_value_number(s, t->dtype, *at);
        *at += ir_dtype_of(t->dtype)->bytes;
        return;
    }
    base_appendf(s, "[");
    for (int64_t i = 0; i < t->dim[dim]; i++) {
        if (i) base_appendf(s, ", ");
        nested(s, t, dim + 1, at);
    }
    base_appendf(s, "]");
}

void hlo_print_literal(base_text *s, const op_const_attr *a, const ir_type *t)
{
    const char *at = a->data.p;
    base_appendf(s, "dense<");
    if (a->splat || !t->rank) print_value_number(s, t->dtype, at);
    else if (!ir_count(t)) base_appendf(s, "%s", "");
    else if (ir_count(t) <= LISTED || t->dtype == TT_BOOL) nested(s, t, 0, &at);
    else {
        base_appendf(s, "\"0x");
        for (size_t i = 0; i < a->data.bytes; i++) base_appendf(s, "%02X", (unsigned char)at[i]);
        base_appendf(s, "\"");
    }
    base_appendf(s, "> : ");
    hlo_print_type(s, t);
}
