/* ir/scan.c - the lexer of IR text: names, numbers, strings, types, elements; and error positions.
 *
 * Blanks, newlines and comments (# to the end of the line) separate tokens. Every error names line and column and shows
 * the line with a caret. The parser is parse.c. */
#include "inner.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ir_complain(const ir_reader *r, const char *at, const char *fmt, ...)
{
    char what[512];
    int line = 1, column = 1;
    va_list v;
    va_start(v, fmt);
    vsnprintf(what, sizeof what, fmt, v);
    va_end(v);
    for (const char *p = r->text; p < at; p++) column = *p == '\n' ? (line++, 1) : column + 1;
    base_fail(TT_ETEXT, r->site, "line %d, column %d: %s", line, column, what);
    return base_caret(r->text, (size_t)(at - r->text));
}

int ir_line(ir_reader *r)                                /* incremental: counts from r->counted on */
{
    if (!r->counted) r->counted = r->text, r->line = 1;
    for (; r->counted < r->p; r->counted++) r->line += *r->counted == '\n';
    return r->line;
}

void ir_skip(ir_reader *r)
{
    for (;;) {
        while (isspace((unsigned char)*r->p)) r->p++;
        if (*r->p != '#') return;
        while (*r->p && *r->p != '\n') r->p++;
    }
}

void ir_skip_blanks(ir_reader *r) { while (*r->p == ' ' || *r->p == '\t') r->p++; }

bool ir_accept(ir_reader *r, char c)
{
    ir_skip(r);
    if (*r->p != c) return false;
    r->p++;
    return true;
}

bool ir_expect(ir_reader *r, char c)
{
    if (ir_accept(r, c)) return true;
    return ir_complain(r, r->p, *r->p ? "'%c' is missing here" : "the text ends where '%c' is missing", c);
}

static bool letter(char c) { return isalnum((unsigned char)c) || c == '_' || c == '.'; }

void *ir_more(ir_reader *r, void *old, size_t n, size_t each)    /* capacity for n + 1; doubles at powers of two */
{
    if (n & (n - 1)) return old;
    void *p = base_new(r->arena, (n ? 2 * n : 1) * each);
    if (n) memcpy(p, old, n * each);
    return p;
}

size_t ir_word(ir_reader *r)                             /* length of the word at p, 0: none */
{
    size_t n = 0;
    ir_skip(r);
    if (isdigit((unsigned char)*r->p) || *r->p == '.') return 0;
    while (letter(r->p[n])) n++;
    return n;
}

bool ir_is(ir_reader *r, const char *word)               /* takes the word if it is next */
{
    const size_t n = ir_word(r);
    if (n != strlen(word) || memcmp(r->p, word, n)) return false;
    r->p += n;
    return true;
}

bool ir_quoted(ir_reader *r, const char **out)           /* "..." without escapes */
{
    ir_skip(r);
    const char *at = r->p, *end = *at == '"' ? strchr(at + 1, '"') : NULL;
    if (!end) return ir_complain(r, at, *at == '"' ? "this text has no end" : "a text in quotes is missing here");
    char *s = base_new(r->arena, (size_t)(end - at));
    memcpy(s, at + 1, (size_t)(end - at - 1));
    *out = s;
    r->p = end + 1;
    return true;
}

bool ir_name(ir_reader *r, const char *what, base_name *out)     /* a word, or a text in quotes */
{
    const size_t n = ir_word(r);
    const char *s;
    if (*r->p == '"') {
        if (!ir_quoted(r, &s)) return false;
        *out = base_intern(s);
        return true;
    }
    if (!n) return ir_complain(r, r->p, *r->p ? "%s is missing here" : "the text ends where %s is missing", what);
    *out = base_intern_n(r->p, n);
    r->p += n;
    return true;
}

bool ir_integer(ir_reader *r, int64_t *out)
{
    char *end;
    ir_skip(r);
    const char *digits = r->p + (*r->p == '-');
    if (!isdigit((unsigned char)*digits)) return ir_complain(r, r->p, "an integer is missing here");
    errno = 0;
    *out = strtoll(r->p, &end, 10);
    if (errno) return ir_complain(r, r->p, "this integer has more than 64 bits");
    if (letter(*end)) return ir_complain(r, r->p, "this is no integer");
    r->p = end;
    return true;
}

bool ir_dims_text(ir_reader *r, ir_dims *out)            /* [2, 3] */
{
    int64_t *v = NULL;
    int n = 0;
    if (!ir_expect(r, '[')) return false;
    while (!ir_accept(r, ']')) {
        if (n && !ir_expect(r, ',')) return false;
        v = ir_more(r, v, (size_t)n, sizeof *v);
        if (!ir_integer(r, &v[n++])) return false;
    }
    *out = (ir_dims){ n, v };
    return true;
}

static bool set_text(ir_reader *r, char close, mesh_set *out)    /* axes through the character close */
{
    const char *end = strchr(r->p, close);
    if (!end) return ir_complain(r, r->p, "'%c' is missing after these axes", close);
    char *s = base_new(r->arena, (size_t)(end - r->p) + 1);
    memcpy(s, r->p, (size_t)(end - r->p));
    if (!mesh_set_parse(r->site, r->mesh, s, out)) return false;
    r->p = end + 1;
    return true;
}

static bool states_text(ir_reader *r, ir_type *t)        /* {i}+sum(j)+reduced(k), no blank before it */
{
    if (*r->p == '{') {
        r->p++;
        if (!set_text(r, '}', &t->vary)) return false;
    }
    while (*r->p == '+') {
        const char *at = r->p++;
        mesh_set *into = NULL;
        size_t n = 0;
        while (letter(r->p[n])) n++;
        for (int h = MESH_SUM; h <= MESH_XOR; h++)
            if (n == strlen(mesh_reduce_name[h]) && !memcmp(r->p, mesh_reduce_name[h], n))
                into = &t->partial, t->reduce = (mesh_reduce)h;
        if (n == 7 && !memcmp(r->p, "reduced", n)) into = &t->reduced;
        if (!into || r->p[n] != '(')
            return ir_complain(r, at, "a state is +sum(axes), +max(axes) ... or +reduced(axes)");
        r->p += n + 1;
        if (!set_text(r, ')', into)) return false;
    }
    return true;
}

bool ir_type_read(ir_reader *r, const ir_type **out)
{
    const size_t n = ir_word(r);
    const char *at = r->p;
    char name[24] = "";
    ir_dims d = { 0 };
    if (n < sizeof name) memcpy(name, at, n);
    const tt_dtype dtype = ir_dtype_named(name);
    if (!n) return ir_complain(r, at, "a type is missing here");
    if (!dtype) return ir_complain(r, at, "\"%.*s\" is no data type", (int)(n < 64 ? n : 64), at);
    r->p += n;
    if (*r->p == '[' && !ir_dims_text(r, &d)) return false;
    if (d.n > IR_RANK) return ir_complain(r, at, "a type of %d dims; at most %d are possible", d.n, IR_RANK);
    const ir_type *t = ir_type_of(dtype, d.n, d.v);
    ir_type s = { 0 };
    if (!t) return base_caret(r->text, (size_t)(at - r->text));
    if (!states_text(r, &s)) return false;
    *out = ir_type_states(t, s.vary, s.partial, s.reduce, s.reduced);
    return true;
}

/* ---- elements ---- */

size_t ir_literal(ir_reader *r)                          /* length of a number or true, false, inf, nan at p; 0: none */
{
    size_t n = 0;
    ir_skip(r);
    while (letter(r->p[n]) || (strchr("+-", r->p[n]) && r->p[n] && (n == 0 || strchr("eEpP", r->p[n - 1])))) n++;
    static const char *const word[] = { "true", "false", "inf", "-inf", "nan", "-nan" };
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        if (strlen(word[i]) == n && !memcmp(r->p, word[i], n)) return n;
    const char first = r->p[*r->p == '-' || *r->p == '+'];
    return isdigit((unsigned char)first) || first == '.' ? n : 0;
}

static bool bits_text(const char *s, tt_dtype d, uint64_t raw[2])        /* 0x and digits */
{
    const size_t bytes = ir_dtype_of(d)->bytes, n = strlen(s + 2);
    if (n < 1 || n > 2 * bytes || strspn(s + 2, "0123456789abcdefABCDEF") != n) return false;
    for (const char *p = s + 2; *p; p++) {
        const int c = tolower((unsigned char)*p);
        const uint64_t digit = (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
        raw[1] = raw[1] << 4 | raw[0] >> 60;
        raw[0] = raw[0] << 4 | digit;
    }
    return true;
}

static bool number_text(const char *s, tt_dtype d, ir_num *v)
{
    const ir_class c = ir_dtype_of(d)->cls;
    const size_t bits = 8 * ir_dtype_of(d)->bytes;
    char *end;
    errno = 0;
    if (c == IR_BOOL_CLASS) {
        v->u = !strcmp(s, "true") || !strcmp(s, "1");
        return v->u || !strcmp(s, "false") || !strcmp(s, "0");
    }
    if (c == IR_INT_CLASS) {
        v->i = strtoll(s, &end, 10);
        const int64_t top = (int64_t)1 << (bits < 64 ? bits - 1 : 62);
        return !*end && !errno && (bits == 64 || (v->i >= -top && v->i < top));
    }
    if (c == IR_UINT_CLASS) {
        v->u = strtoull(s, &end, 10);
        return !*end && !errno && *s != '-' && (bits == 64 || v->u < (uint64_t)1 << bits);
    }
    v->f = d == TT_F32 ? (double)base_strtof(s, &end) : base_strtod(s, &end);    /* f32: rounded once */
    return !*end && c == IR_FLOAT_CLASS;
}

bool ir_element(ir_reader *r, tt_dtype d, void *out)
{
    const size_t n = ir_literal(r);
    const char *at = r->p;
    char s[64] = "";
    uint64_t raw[2] = { 0 };
    ir_num v = { .u = 0 };
    if (!n) return ir_complain(r, at, "a number is missing here");
    if (n < sizeof s) memcpy(s, at, n);
    r->p += n;
    if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X') && bits_text(s, d, raw)) {
        memcpy(out, raw, ir_dtype_of(d)->bytes);
        return true;
    }
    if (!*s || !number_text(s, d, &v))
        return ir_complain(r, at, "\"%.*s\" is no %s", (int)(n < 64 ? n : 64), at, ir_dtype_of(d)->name);
    ir_store(&(ir_box){ .at = out, .dtype = d }, (const int64_t[]){ 0 }, v);
    return true;
}
