/* text/syntax.c - the regular expressions of tokenizer files, which the `tokenizers` library gives to Oniguruma (syntax
 * Ruby), in the syntax of PCRE2. What the two read alike is passed on; what they read differently is translated, and
 * what is not built is an error that names it.
 *
 *     \s  \S  \w     the properties that Oniguruma means; PCRE2's \s has U+180E too, its \w has no marks
 *     (x)            without a capture
 *     {n,m}+         is no possessive repetition there: refused */
#include "text.h"

#include <string.h>

typedef struct {
    text_at at;
    const char *p;
    size_t n, i;
    text_buf *out;
    bool in_class;
} reading;

static bool not_built(const reading *r, const char *what)
{
    return text_fail(r->at, TT_EDATA, "the regular expression \"%.*s\", at byte %zu: %s", r->n < 200 ? (int)r->n : 200,
                     r->p, r->i, what);
}

static void put(reading *r, const char *s) { text_put(r->out, s, strlen(s)); }

/* \p{...}, \P{...}, \pL: as it is */
static bool property(reading *r)
{
    size_t end = r->i + 2;
    if (end < r->n && r->p[end] == '{') {
        while (end < r->n && r->p[end] != '}') end++;
        if (end == r->n) return not_built(r, "\\p{ without }");
    }
    if (end >= r->n) return not_built(r, "\\p without a name");
    text_put(r->out, r->p + r->i, end + 1 - r->i);
    r->i = end + 1;
    return true;
}

static bool hex(reading *r) /* \xHH, \x{H...}, \uHHHH */
{
    const bool long_form = r->p[r->i + 1] == 'u', braces = r->i + 2 < r->n && r->p[r->i + 2] == '{';
    size_t i = r->i + 2 + braces, digits = 0;
    put(r, "\\x{");
    while (i < r->n && digits < (braces ? 6u : long_form ? 4u : 2u) && strchr("0123456789abcdefABCDEF", r->p[i]))
        text_put(r->out, r->p + i++, 1), digits++;
    put(r, "}");
    if (!digits || (long_form && (braces || digits < 4)) || (braces && (i == r->n || r->p[i] != '}')))
        return not_built(r, "a number that does not read");
    r->i = i + braces;
    return true;
}

static bool escape(reading *r)
{
    if (r->i + 1 >= r->n) return not_built(r, "it ends with \\");
    const char c = r->p[r->i + 1];
    if (c == 'p' || c == 'P') return property(r);
    if (c == 'x' || c == 'u') return hex(r);
    if (c == 's') put(r, "\\p{White_Space}");
    else if (c == 'S') put(r, "\\P{White_Space}");
    else if (c == 'w' || c == 'W') {
        if (c == 'W' && r->in_class) return not_built(r, "\\W in brackets");
        put(r, r->in_class ? "" : c == 'W' ? "[^" : "[");
        put(r, "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}");
        put(r, r->in_class ? "" : "]");
    } else if (strchr("dDnrtfvae", c) || (!r->in_class && strchr("Az", c)) ||
               !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (uint8_t)c >= 0x80)) {
        if (c == 'v') put(r, "\\x0b"); /* in PCRE2 a set of characters */
        else text_put(r->out, r->p + r->i, 2);
    } else {
        char what[40] = "\\? is not supported";
        what[1] = c;
        return not_built(r, (uint8_t)c < 0x80 ? what : "\\ before a letter");
    }
    r->i += 2;
    return true;
}

static bool brackets(reading *r) /* from [ to ] */
{
    r->in_class = true;
    text_put(r->out, r->p + r->i++, 1);
    if (r->i < r->n && r->p[r->i] == '^') text_put(r->out, r->p + r->i++, 1);
    if (r->i < r->n && r->p[r->i] == ']') return not_built(r, "] at the beginning of brackets");
    while (r->i < r->n && r->p[r->i] != ']') {
        if (r->p[r->i] == '[') return not_built(r, "[ in brackets");
        if (r->p[r->i] == '&' && r->i + 1 < r->n && r->p[r->i + 1] == '&') return not_built(r, "&& in brackets");
        if (r->p[r->i] == '\\') {
            if (!escape(r)) return false;
        } else text_put(r->out, r->p + r->i++, 1);
    }
    if (r->i == r->n) return not_built(r, "[ without ]");
    text_put(r->out, r->p + r->i++, 1);
    r->in_class = false;
    return true;
}

static bool group(reading *r)
{
    static const char *const known[] = { "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?i:", "(?i)" };
    const char *const p = r->p + r->i;
    if (r->n - r->i < 2 || p[1] != '?') {
        put(r, "(?:"); /* captures are of no use here */
        r->i++;
        return true;
    }
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        const size_t len = strlen(known[k]);
        if (r->n - r->i < len || memcmp(p, known[k], len)) continue;
        put(r, known[k]);
        r->i += len;
        return true;
    }
    return not_built(r, "a group of a kind that is not supported");
}

static bool repetition(reading *r) /* {n}, {n,}, {n,m}; {,m} */
{
    const size_t from = r->i++;
    while (r->i < r->n && strchr("0123456789,", r->p[r->i])) r->i++;
    if (r->i == r->n || r->p[r->i] != '}' || r->i == from + 1 || r->p[from + 1] == ',')
        return r->i = from, not_built(r, "{ that is no repetition");
    r->i++;
    if (r->i < r->n && (r->p[r->i] == '+' || r->p[r->i] == '?')) return not_built(r, "a repetition of {n,m}");
    text_put(r->out, r->p + from, r->i - from);
    return true;
}

bool text_regex_translate(text_at at, const char *pattern, size_t n, text_buf *out)
{
    reading r = { .at = at, .p = pattern, .n = n, .out = out };
    if (n > 4096) return text_fail(at, TT_EDATA, "a regular expression of %zu bytes; at most 4096", n);
    if (memchr(pattern, 0, n)) return text_fail(at, TT_EDATA, "a regular expression with a zero byte");
    while (r.i < n) {
        const char c = pattern[r.i];
        bool ok = true;
        if (c == '\\') ok = escape(&r);
        else if (c == '[') ok = brackets(&r);
        else if (c == '(') ok = group(&r);
        else if (c == '{') ok = repetition(&r);
        else text_put(out, pattern + r.i++, 1);
        if (!ok) return false;
    }
    text_put(out, "", 1);
    text_cut(out, out->n - !out->bad);
    return !out->bad || text_no_memory(at);
}
