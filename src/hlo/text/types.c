/* hlo/text/types.c - parses tensor<2x3xf32> and other types.
 *
 * Dynamic dims and quantised elements are errors at their position. Tokens and layouts of index lists are skipped: an
 * operation that needs one refuses it by name. Tuples are kept by their number. Attribute lists of `index` count as
 * i64. */
#include "../inner.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct { const char *name; tt_dtype dtype; } elements[] = {
    { "i1", TT_BOOL },   { "i8", TT_I8 },     { "i16", TT_I16 }, { "i32", TT_I32 },   { "i64", TT_I64 },
    { "ui8", TT_U8 },    { "ui16", TT_U16 },  { "ui32", TT_U32 }, { "ui64", TT_U64 }, { "f16", TT_F16 },
    { "bf16", TT_BF16 }, { "f32", TT_F32 },   { "f64", TT_F64 }, { "index", TT_I64 },
    { "i2", TT_I2 },     { "i4", TT_I4 },     { "ui2", TT_U2 },  { "ui4", TT_U4 },
    { "f4E2M1FN", TT_F4E2M1FN },     { "f6E2M3FN", TT_F6E2M3FN },     { "f6E3M2FN", TT_F6E3M2FN },
    { "f8E3M4", TT_F8E3M4 },         { "f8E4M3", TT_F8E4M3 },         { "f8E4M3FN", TT_F8E4M3FN },
    { "f8E4M3FNUZ", TT_F8E4M3FNUZ }, { "f8E5M2FNUZ", TT_F8E5M2FNUZ }, { "f8E4M3B11FNUZ", TT_F8E4M3B11FNUZ },
    { "f8E5M2", TT_F8E5M2 },         { "f8E8M0FNU", TT_F8E8M0FNU },
};
enum { ELEMENTS = sizeof elements / sizeof *elements };

static tt_dtype element_named(hlo_span w)
{
    for (int i = 0; i < ELEMENTS; i++) if (hlo_is(w, elements[i].name)) return elements[i].dtype;
    return (tt_dtype)0;
}

static bool types_element(hlo_parser *p, tt_dtype *d)
{
    const char *const at = p->at;
    if (*at == '!')
        return hlo_fail(p, at, TT_ETYPE, "%s element type, which is not supported",
                        !strncmp(at, "!quant", 6) ? "a quantised" : "an unknown");
    const hlo_span w = hlo_word(p);
    if (hlo_is(w, "complex")) {
        hlo_span part = { 0 };
        if (!hlo_need(p, "<")) return false;
        part = hlo_word(p);
        *d = hlo_is(part, "f32") ? TT_C64 : hlo_is(part, "f64") ? TT_C128 : (tt_dtype)0;
        if (!*d) return hlo_fail(p, at, TT_ETYPE, "complex numbers are of f32 or f64");
        return hlo_need(p, ">");
    }
    *d = element_named(w);
    if (!w.n) return hlo_expected(p, "an element type, such as f32");
    return *d || hlo_fail(p, at, TT_ETYPE, "the element type %.*s is not supported", HLO_SPAN(w));
}

static bool tensor(hlo_parser *p, hlo_type *t)
{
    int64_t dim[IR_RANK];
    int rank = 0;
    tt_dtype d;
    hlo_blank(p);
    for (;;) {
        const char *const at = p->at;
        if (*at == '?' || *at == '*') {
            hlo_fail(p, at, TT_ESHAPE, "a dynamic dimension");
            return base_hint("lower the function with concrete shapes");
        }
        if (!isdigit((unsigned char)*at)) break;
        if (rank == IR_RANK) return hlo_fail(p, at, TT_ESHAPE, "more than %d dims", IR_RANK);
        char *end;
        const long long n = strtoll(at, &end, 10);
        if (end >= p->end || *end != 'x' || end - at > 18) return hlo_expected(p, "a dim and \"x\"");
        dim[rank++] = n;
        p->at = end + 1;
    }
    if (!types_element(p, &d)) return false;
    if (hlo_take(p, ",")) {
        hlo_fail(p, p->at, TT_ETYPE, "a tensor with an encoding (bounds, sparsity), which is not supported");
        return false;
    }
    t->kind = HLO_TENSOR;
    double count = 1;
    for (int i = 0; i < rank; i++) count *= (double)dim[i];
    if (count > 0x1p48) return hlo_fail(p, t->text.at, TT_ESHAPE, "a tensor of more than 2^48 elements");
    t->type = ir_type_of(d, rank, dim);
    return t->type ? hlo_need(p, ">") : hlo_fail(p, t->text.at, TT_ESHAPE, "no such type");
}

static bool tuple(hlo_parser *p, hlo_type *t)            /* after the word: <a, tuple<b>> */
{
    hlo_tuple new = { 0 };
    if (!hlo_need(p, "<") || !hlo_deeper(p)) return false;
    if (!hlo_take(p, ">")) {
        do {
            hlo_type *const part = HLO_MORE(p->arena, &new.part);
            if (!hlo_read_type(p, part)) return false;
            new.nleaf += part->kind == HLO_TUPLE ? p->module->tuple.v[part->tuple].nleaf : 1;
        } while (hlo_take(p, ","));
        if (!hlo_need(p, ">")) return false;
    }
    p->depth--;
    t->kind = HLO_TUPLE, t->tuple = p->module->tuple.n;
    *HLO_MORE(p->arena, &p->module->tuple) = new;
    return true;
}

bool hlo_read_type(hlo_parser *p, hlo_type *t)
{
    *t = (hlo_type){ .kind = HLO_OTHER };
    hlo_blank(p);
    t->text.at = p->at;
    bool ok = true;
    if (hlo_take(p, "tensor")) {
        ok = hlo_need(p, "<") && tensor(p, t);
    } else if (hlo_take(p, "!stablehlo.token")) {
        t->kind = HLO_TOKEN;
    } else if (hlo_take(p, "tuple")) {
        ok = tuple(p, t);
    } else if (hlo_next(p, "memref") || hlo_next(p, "vector")) {
        const hlo_span w = hlo_word(p);
        return hlo_fail(p, w.at, TT_ETYPE, "a %.*s, which is not supported", HLO_SPAN(w));
    } else if (hlo_next(p, "!")) {
        return hlo_fail(p, p->at, TT_ETYPE, "an unknown type");
    } else {                                             /* the type of a scalar, after an attribute: 1 : i64 */
        tt_dtype d;
        ok = types_element(p, &d);
        if (ok) t->type = ir_type_of(d, 0, NULL);
    }
    t->text.n = (size_t)(p->at - t->text.at);
    return ok;
}

bool hlo_read_types(hlo_parser *p, hlo_types *list)
{
    const bool many = hlo_take(p, "(");
    if (many && hlo_take(p, ")")) return true;
    do {
        if (!hlo_read_type(p, HLO_MORE(p->arena, list))) return false;
    } while (hlo_take(p, ","));
    return !many || hlo_need(p, ")");
}
