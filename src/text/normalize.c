/* text/normalize.c - the normalizers of `tokenizers`, step after step. */
#include "text.h"

#include <stdlib.h>
#include <string.h>

/* Appends what `replace` makes of each character. */
static void each_char(const char *p, size_t n, const text_step *s, text_buf *out,
                      void (*replace)(const text_step *, uint32_t, const char *, int, text_buf *))
{
    bool cut;
    for (size_t i = 0; i < n;) {
        const int w = text_width(p + i, n - i, &cut);
        replace(s, text_char(p + i, w), p + i, w, out);
        i += (size_t)w;
    }
}

static void lower(const text_step *s, uint32_t c, const char *p, int w, text_buf *out)
{
    const uint32_t l = text_lower(c);
    (void)s;
    if (c == 0x130) text_put(out, "i\xcc\x87", 3); /* the only one with two characters */
    else if (l == c) text_put(out, p, (size_t)w);
    else text_put_char(out, l);
}

static void no_marks(const text_step *s, uint32_t c, const char *p, int w, text_buf *out)
{
    if (c < 0x300 || !text_in_category(c, s->what == TEXT_TO_BERT ? TEXT_MN : TEXT_M)) text_put(out, p, (size_t)w);
}

static bool is_chinese(uint32_t c) /* the blocks of BERT's own tokenizer */
{
    return (c >= 0x4e00 && c <= 0x9fff) || (c >= 0x3400 && c <= 0x4dbf) || (c >= 0x20000 && c <= 0x2a6df) ||
           (c >= 0x2a700 && c <= 0x2b73f) || (c >= 0x2b740 && c <= 0x2b81f) || (c >= 0x2b920 && c <= 0x2ceaf) ||
           (c >= 0xf900 && c <= 0xfaff) || (c >= 0x2f800 && c <= 0x2fa1f);
}

static bool is_control(uint32_t c)
{
    if (c < 0x80) return c < 0x20 ? c != '\t' && c != '\n' && c != '\r' : c == 0x7f;
    return c == 0xfffd || text_in_category(c, TEXT_OTHER);
}

static void clean(const text_step *s, uint32_t c, const char *p, int w, text_buf *out)
{
    if (s->clean && is_control(c)) return;
    if (s->clean && text_is_space(c)) text_put(out, " ", 1);
    else if (s->chinese && is_chinese(c)) text_put(out, " ", 1), text_put(out, p, (size_t)w), text_put(out, " ", 1);
    else text_put(out, p, (size_t)w);
}

static bool bert(text_call *c, const text_step *s, const char *p, size_t n, text_buf *out)
{
    text_buf a = { 0 }, b = { 0 };
    each_char(p, n, s, &a, clean);
    bool ok = true;
    if (s->accents) {
        ok = text_normal_form(c->at, TEXT_NFD, a.p, a.n, &b);
        text_cut(&a, 0);
        each_char(b.p, b.n, s, &a, no_marks);
    }
    if (s->lower) each_char(a.p, a.n, s, out, lower);
    else text_put(out, a.p, a.n);
    ok = ok && (!(a.bad || b.bad || out->bad) || text_no_memory(c->at));
    text_free(&a), text_free(&b);
    return ok;
}

static void strip(const text_step *s, const char *p, size_t n, text_buf *out)
{
    size_t from = 0, to = n, end = 0;
    bool cut, begun = false;
    for (size_t i = 0; i < n;) {
        const int w = text_width(p + i, n - i, &cut);
        const bool space = text_is_space(text_char(p + i, w));
        i += (size_t)w;
        if (space && !begun) from = i;
        if (!space) begun = true, end = i;
    }
    if (!s->left) from = 0;
    if (s->right) to = end > from ? end : from;
    text_put(out, p + from, to - from);
}

static bool replace(text_call *c, const text_step *s, const char *p, size_t n, text_buf *out)
{
    size_t done = 0, from = 0, start, end;
    while (from <= n) {
        if (s->regex) {
            const int got = text_regex_next(c->at, s->regex, &c->matches, p, n, from, &start, &end);
            if (got < 0) return false;
            if (!got) break;
        } else {
            const char *const q = from < n ? memmem(p + from, n - from, s->a, s->na) : NULL;
            if (!q) break;
            start = (size_t)(q - p), end = start + s->na;
        }
        text_put(out, p + done, start - done);
        text_put(out, s->b, s->nb);
        done = from = end;
        bool cut;
        if (start == end) from = end < n ? end + (size_t)text_width(p + end, n - end, &cut) : n + 1;
    }
    text_put(out, p + done, n - done);
    return true;
}

/* As the crate spm_precompiled: of short graphemes the whole, else character by character, the shortest match. */
static bool mapped(const text_step *s, const char *p, size_t n, text_buf *out)
{
    char *const breaks = calloc(n + 1, 1);
    if (!breaks) return false;
    text_graphemes(p, n, breaks);
    for (size_t i = 0, end; i < n; i = end) {
        size_t used;
        bool cut;
        for (end = i + 1; end < n && !breaks[end];) end++;
        const char *text = end - i < 6 ? text_charsmap_find(&s->map, p + i, end - i, false, &used) : NULL;
        if (text) text_put(out, text, strlen(text));
        for (size_t k = i; !text && k < end;) {
            const size_t w = (size_t)text_width(p + k, end - k, &cut);
            const char *const other = text_charsmap_find(&s->map, p + k, w, false, &used);
            text_put(out, other ? other : p + k, other ? strlen(other) : w);
            k += w;
        }
    }
    free(breaks);
    return true;
}

static bool normal_step(text_call *c, const text_step *s, const char *p, size_t n, text_buf *out)
{
    switch (s->what) {
    case TEXT_TO_FORM: return text_normal_form(c->at, s->form, p, n, out);
    case TEXT_TO_LOWER: return each_char(p, n, s, out, lower), true;
    case TEXT_TO_OTHER: return replace(c, s, p, n, out);
    case TEXT_TO_BEGIN: return text_put(out, s->a, n ? s->na : 0), text_put(out, p, n), true;
    case TEXT_TO_STRIP: return strip(s, p, n, out), true;
    case TEXT_TO_NO_ACCENTS: return each_char(p, n, s, out, no_marks), true;
    case TEXT_TO_BERT: return bert(c, s, p, n, out);
    case TEXT_TO_MAPPED: return mapped(s, p, n, out) || text_no_memory(c->at);
    case TEXT_TO_SENTENCEPIECE: return text_sentencepiece_normal(c, s, p, n, out);
    default: return false;
    }
}

/* True if the text's first character has no place in what the step makes of it: it is taken away, or it is replaced
 * together with others. `tokenizers` counts what follows as not the beginning. */
static bool loses_begin(text_call *c, const text_step *s, const char *p, size_t n)
{
    bool cut;
    size_t start = 1, end = 0;
    const size_t w = n ? (size_t)text_width(p, n, &cut) : 0;
    if (!n || s->what == TEXT_TO_BEGIN || (s->what == TEXT_TO_STRIP && !s->left)) return false;
    if (s->what == TEXT_TO_OTHER) {
        if (!s->regex) start = n < s->na || memcmp(p, s->a, s->na) != 0, end = s->na;
        else if (text_regex_next(c->at, s->regex, &c->matches, p, n, 0, &start, &end) < 1) return false;
        return !start && end && (!s->nb || end > w);
    }
    text_buf one = { 0 };
    const bool none = normal_step(c, s, p, w, &one) && !one.n;
    text_free(&one);
    return none;
}

bool text_normalize(text_call *c, const char *p, size_t n, text_buf *out)
{
    text_buf part = { 0 };
    bool ok = true, begins = false;                      /* a step asks whether a text is the beginning */
    for (int i = 0; i < c->t->split.n; i++)
        begins |= c->t->split.step[i].what == TEXT_AT_METASPACE && c->t->split.step[i].scheme == TEXT_FIRST;
    if (!c->t->normal.n) text_put(out, p, n);
    for (int i = 0; ok && i < c->t->normal.n; i++) {
        text_buf made = { 0 };
        text_buf *const to = i == c->t->normal.n - 1 ? out : &made;
        const char *const from = !i ? p : part.n ? part.p : "";
        const size_t length = i ? part.n : n;
        if (begins) c->lost |= loses_begin(c, &c->t->normal.step[i], from, length);
        ok = normal_step(c, &c->t->normal.step[i], from, length, to);
        if (to->bad) ok = ok && text_no_memory(c->at);
        text_free(&part);
        part = made;
    }
    text_free(&part);
    return ok && (!out->bad || text_no_memory(c->at));
}
