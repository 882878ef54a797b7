/* hlo/text/literal.c - parses dense<...>: splats, nested lists, bits in hex, complex pairs, blobs of bytes.
 *
 * Decimal numbers are rounded once to their type. Floats may be written by their bits (0x7FC00000). A blob "0x..." is
 * row-major and little-endian; a blob of one element is a splat; a blob of booleans has a byte per element or, in older
 * texts, a bit. */
#include "../inner.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct { hlo_parser *p; const hlo_attr *a; const ir_type *t; const char *at,
                 *end; char *to; size_t one; } reader;

static bool literal_wrong(reader *r, const char *what) { return hlo_fail(r->p, r->at, TT_EARG, "%s", what); }

static void blank(reader *r) { while (r->at < r->end && isspace((unsigned char)*r->at)) r->at++; }

static bool literal_mark(reader *r, char c)
{
    blank(r);
    if (r->at >= r->end || *r->at != c) return false;
    r->at++;
    return true;
}

static void put_real(tt_dtype d, const char *s, char **end, char *to)
{
    const double x = base_strtod(s, end);
    const float f = base_strtof(s, end);
    const uint16_t h = d == TT_F16 ? ir_f64_f16(x) : ir_f64_bf16(x);
    const uint8_t small = ir_is_narrow(d) ? ir_f64_narrow(d, x) : 0;
    if (d == TT_F64 || d == TT_C128) memcpy(to, &x, sizeof x);
    else if (d == TT_F32 || d == TT_C64) memcpy(to, &f, sizeof f);
    else if (ir_is_narrow(d)) memcpy(to, &small, sizeof small);
    else memcpy(to, &h, sizeof h);
}

static bool integer_fits(tt_dtype d, const char *s, uint64_t v)
{
    const int bits = ir_dtype_of(d)->bits;
    if (ir_dtype_of(d)->cls == IR_UINT_CLASS) return *s != '-' && (bits == 64 || v >> bits == 0);
    if (*s == '-') return bits == 64 || (int64_t)v >= -((int64_t)1 << (bits - 1));
    return bits == 64 ? v <= INT64_MAX : v >> (bits - 1) == 0;
}

static void tidy(tt_dtype d, size_t n, char *to)         /* sign-extends integers of less than 8 bits */
{
    const bool is = ir_is_narrow(d) && !ir_is_float(d);
    for (size_t i = 0; is && i < n; i++) to[i] = (char)ir_wrap(d, (uint8_t)to[i]);
}

/* One number of dtype d, or a part of a complex number, `bytes` wide. */
static bool literal_number(reader *r, tt_dtype d, size_t bytes, char *to)
{
    blank(r);
    if (r->at >= r->end) return literal_wrong(r, "a number is missing");
    const char *const s = r->at;
    char *end = (char *)(uintptr_t)s;
    const size_t left = (size_t)(r->end - s);
    const ir_class c = ir_dtype_of(d)->cls;
    if (c == IR_BOOL_CLASS) {
        const bool yes = left >= 4 && !memcmp(s, "true", 4), no = left >= 5 && !memcmp(s, "false", 5);
        const bool digit = left && (*s == '0' || *s == '1') && (left < 2 || !isalnum((unsigned char)s[1]));
        if (!yes && !no && !digit) return literal_wrong(r, "expected true or false");
        *to = yes || *s == '1';
        r->at += yes ? 4 : no ? 5 : 1;
        return true;
    }
    if (!isdigit((unsigned char)*s) && *s != '-' && *s != '+') return literal_wrong(r, "expected a number");
    const bool hex = left > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
    errno = 0;
    if (hex || c == IR_INT_CLASS || c == IR_UINT_CLASS) {
        const uint64_t v = *s == '-' ? (uint64_t)strtoll(s, &end, hex ? 16 : 10) : strtoull(s, &end, hex ? 16 : 10);
        const bool fits = c == IR_INT_CLASS || c == IR_UINT_CLASS ? hex || integer_fits(d, s, v) : true;
        const int wide = ir_is_narrow(d) ? ir_dtype_of(d)->bits : 8 * (int)bytes;
        if (end == s || errno == ERANGE || !fits || (wide < 64 && hex && v >> wide))
            return literal_wrong(r, "a number that its type cannot hold");
        memcpy(to, &v, bytes);
        tidy(d, 1, to);
    } else put_real(d, s, &end, to);
    if (end == s || end > r->end || isalnum((unsigned char)*end) || *end == '.')
        return literal_wrong(r, "this is not a number of that type");
    r->at = end;
    return true;
}

static bool literal_element(reader *r, char *to)
{
    const tt_dtype d = r->t->dtype;
    if (d != TT_C64 && d != TT_C128) return literal_number(r, d, r->one, to);
    if (!literal_mark(r, '(')) return literal_wrong(r, "expected a complex number: (real,imaginary)");
    if (!literal_number(r, d, r->one / 2, to) || !literal_mark(r, ',')) return literal_wrong(r,
        "expected \",\" and the imaginary part");
    return literal_number(r, d, r->one / 2, to + r->one / 2) &&
        (literal_mark(r, ')') || literal_wrong(r, "expected \")\""));
}

static bool nested(reader *r, int dim)                   /* the list of one dim; advances r->to */
{
    const char *const from = r->at;
    int64_t n = 0;
    if (dim == r->t->rank) {
        if (!literal_element(r, r->to)) return false;
        r->to += r->one;
        return true;
    }
    if (!literal_mark(r, '[')) return literal_wrong(r, "expected \"[\": the literal has fewer dims than its type");
    if (!literal_mark(r, ']')) {
        do {
            if (++n > r->t->dim[dim] || !nested(r, dim + 1)) break;
        } while (literal_mark(r, ','));
        if (n <= r->t->dim[dim] && !literal_mark(r, ']')) {
            blank(r);
            return r->at < r->end && *r->at == '[' ? literal_wrong(r, "the literal has more dims than its type")
                   : literal_wrong(r, "expected \"]\"");
        }
        if (n > r->t->dim[dim]) {                        /* counts all of them for the message */
            int open = 0;
            for (const char *s = r->at; s < r->end && open >= 0; s++) {
                open += (*s == '[') - (*s == ']');
                n += *s == ',' && !open;
            }
        }
    }
    if (n == r->t->dim[dim]) return true;
    return hlo_fail(r->p, from, TT_ESHAPE, "the literal has %lld elements here, its type wants %lld", (long long)n,
                    (long long)r->t->dim[dim]);
}

static int digit(char c)
{
    if (isdigit((unsigned char)c)) return c - '0';
    return isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : -1;
}

static bool blob(reader *r, hlo_elements *out)           /* "0x..." */
{
    const size_t all = (size_t)ir_count(r->t);
    const char *s = r->at + 1;
    if (r->end - s < 3 || s[0] != '0' || s[1] != 'x' || r->end[-1] != '"')
        return literal_wrong(r, "expected \"0x...\": bytes in hex");
    s += 2;
    const size_t digits = (size_t)(r->end - 1 - s), bytes = digits / 2;
    const bool bits = r->t->dtype == TT_BOOL && bytes == (all + 7) / 8 && all > 1;
    out->splat = bytes == r->one && all != 1;
    if (digits % 2 || (!out->splat && !bits && bytes != all * r->one))
        return hlo_fail(r->p, r->at, TT_ESHAPE, "the literal has %zu bytes, its type wants %zu", bytes, all * r->one);
    char *const to = base_new(r->p->arena, bytes + 1);
    for (size_t i = 0; i < bytes; i++) {
        const int high = digit(s[2 * i]), low = digit(s[2 * i + 1]);
        if (high < 0 || low < 0) return literal_wrong(r, "a blob with something that is no hex digit");
        to[i] = (char)(high << 4 | low);
    }
    tidy(r->t->dtype, bytes, to);
    out->data = (ir_data){ bytes, to };
    if (!bits || out->splat) return true;
    char *const wide = base_new(r->p->arena, all);
    for (size_t i = 0; i < all; i++) wide[i] = to[i / 8] >> (i % 8) & 1;
    out->data = (ir_data){ all, wide };
    return true;
}

bool hlo_literal(hlo_parser *p, const hlo_attr *a, const ir_type *t, hlo_elements *out)
{
    if (a->form != HLO_DENSE) return hlo_fail(p, a->text.at, TT_EARG, "expected dense<...>");
    reader r = { p, a, t, a->text.at, a->text.at + a->text.n, NULL, ir_dtype_of(t->dtype)->bytes };
    const int64_t all = ir_count(t);
    *out = (hlo_elements){ false, { 0, "" } };
    blank(&r);
    while (r.end > r.at && isspace((unsigned char)r.end[-1])) r.end--;
    if (r.at == r.end) return !all || hlo_fail(p, r.at, TT_ESHAPE, "the literal is empty, its type is not");
    if (*r.at == '"') return blob(&r, out);
    if (*r.at != '[') {
        out->splat = true;
        if (!(out->data.p = r.to = base_new(p->arena, r.one)) || !literal_element(&r, r.to)) return false;
        out->data.bytes = r.one;
    } else {
        /* Each element takes at least two characters: memory that a type claims beyond that is not allocated. */
        if ((double)all > (double)a->text.n)
            return hlo_fail(p, r.at, TT_ESHAPE, "the literal has fewer elements than its type wants");
        out->data = (ir_data){ (size_t)all * r.one, r.to = base_new(p->arena, (size_t)all * r.one + 1) };
        if (!nested(&r, 0)) return false;
    }
    blank(&r);
    return r.at == r.end || literal_wrong(&r, "expected the end of the literal");
}
