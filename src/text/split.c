/* text/split.c - the pre-tokenizers of `tokenizers`: each cuts its text into pieces, which go to the next one at once;
 * behind the last one is the model. Nothing is gathered. */
#include "text.h"

#include <string.h>

/* What a step does with the ranges, matches and what is between them, that cover its text in order. */
typedef struct {
    text_call *c;
    int next;
    const char *p;
    bool first, invert;
    text_behavior behavior;
    bool holds, held_match;
    size_t from, to; /* what is held */
} cutter;

static bool piece(const cutter *k, size_t from, size_t to)
{
    return from == to || text_split(k->c, k->next, k->p + from, to - from, k->first && !from);
}

static bool let_go(cutter *k)
{
    const bool held = k->holds;
    k->holds = false;
    return !held || piece(k, k->from, k->to);
}

static bool hold(cutter *k, size_t from, size_t to, bool match)
{
    if (!let_go(k)) return false;
    k->holds = true, k->held_match = match, k->from = from, k->to = to;
    return true;
}

static bool joined(cutter *k, size_t to) /* what is held, and what follows it up to `to` */
{
    k->holds = false;
    return piece(k, k->from, to);
}

static bool range(cutter *k, size_t from, size_t to, bool match)
{
    match ^= k->invert;
    switch (k->behavior) {
    case TEXT_REMOVED: return match || piece(k, from, to);
    case TEXT_ISOLATED: return piece(k, from, to);
    case TEXT_CONTIGUOUS:
        if (!k->holds || k->held_match != match) return hold(k, from, to, match);
        k->to = to;
        return true;
    case TEXT_WITH_PREVIOUS: /* holds what is no match */
        if (match && k->holds) return joined(k, to);
        return match ? piece(k, from, to) : hold(k, from, to, false);
    case TEXT_WITH_NEXT: /* holds a match */
        if (match) return hold(k, from, to, true);
        return k->holds ? joined(k, to) : piece(k, from, to);
    }
    return false;
}

static bool by_regex(cutter *k, const text_regex *r, size_t n)
{
    size_t done = 0, from = 0, start, end;
    bool cut;
    while (from <= n) {
        const int got = text_regex_next(k->c->at, r, &k->c->matches, k->p, n, from, &start, &end);
        if (got < 0) return false;
        if (!got) break;
        if (start > done && !range(k, done, start, false)) return false;
        if (!range(k, start, end, true)) return false;
        done = from = end;
        if (start == end) from = end < n ? end + (size_t)text_width(k->p + end, n - end, &cut) : n + 1;
    }
    return (done == n || range(k, done, n, false)) && let_go(k);
}

static bool by_text(cutter *k, const char *a, size_t na, size_t n)
{
    size_t done = 0;
    for (const char *q; done < n && na && (q = memmem(k->p + done, n - done, a, na));) {
        const size_t start = (size_t)(q - k->p);
        if (start > done && !range(k, done, start, false)) return false;
        if (!range(k, start, start + na, true)) return false;
        done = start + na;
    }
    return (done == n || range(k, done, n, false)) && let_go(k);
}

static bool is_digit_of(uint32_t c) { return c < 0x80 ? c >= '0' && c <= '9' : text_in_category(c, TEXT_N); }

static bool is_punctuation(uint32_t c)
{
    if (c < 0x80) return (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) || (c >= 123 && c <= 126);
    return text_in_category(c, TEXT_P);
}

/* Each character of the kind is a match by itself. */
static bool by_kind(cutter *k, bool (*is)(uint32_t), size_t n)
{
    size_t done = 0;
    bool cut;
    for (size_t i = 0; i < n;) {
        const size_t w = (size_t)text_width(k->p + i, n - i, &cut);
        if (is(text_char(k->p + i, (int)w))) {
            if (i > done && !range(k, done, i, false)) return false;
            if (!range(k, i, i + w, true)) return false;
            done = i + w;
        }
        i += w;
    }
    return (done == n || range(k, done, n, false)) && let_go(k);
}

static bool metaspace(text_call *c, int i, const char *p, size_t n, bool first)
{
    const text_step *const s = &c->t->split.step[i];
    const bool begins = n >= s->na && !memcmp(p, s->a, s->na);
    text_buf b = { 0 };
    if (!begins && p[0] != ' ' && (s->scheme == TEXT_ALWAYS || (s->scheme == TEXT_FIRST && first)))
        text_put(&b, s->a, s->na);
    for (size_t k = 0, from = 0; k <= n; k++) {
        if (k < n && p[k] != ' ') continue;
        text_put(&b, p + from, k - from);
        if (k < n) text_put(&b, s->a, s->na);
        from = k + 1;
    }
    bool ok = !b.bad || text_no_memory(c->at);
    cutter k = { .c = c, .next = i + 1, .p = b.p, .first = first, .behavior = TEXT_WITH_NEXT };
    ok = ok && (s->split ? by_text(&k, s->a, s->na, b.n) : text_split(c, i + 1, b.p, b.n, first));
    text_free(&b);
    return ok;
}

static bool bytes(text_call *c, int i, const char *p, size_t n, bool first)
{
    const text_step *const s = &c->t->split.step[i];
    text_buf b = { 0 };
    if (s->prefix && p[0] != ' ') text_put(&b, " ", 1), text_put(&b, p, n);
    const char *const q = b.p ? b.p : p;
    if (b.p) n = b.n;
    bool ok = !b.bad || text_no_memory(c->at);
    cutter k = { .c = c, .next = i + 1, .p = q, .first = first, .behavior = TEXT_ISOLATED };
    ok = ok && (s->regex ? by_regex(&k, s->regex, n) : text_split(c, i + 1, q, n, first));
    text_free(&b);
    return ok;
}

/* BERT: spaces are removed, punctuation is by itself. */
static bool words(text_call *c, int i, const char *p, size_t n)
{
    size_t from = 0;
    bool cut;
    for (size_t k = 0; k <= n;) {
        const size_t w = k < n ? (size_t)text_width(p + k, n - k, &cut) : 1;
        if (k < n && !text_is_space(text_char(p + k, (int)w))) {
            k += w;
            continue;
        }
        cutter part = { .c = c, .next = i + 1, .p = p + from, .behavior = TEXT_ISOLATED };
        if (k > from && !by_kind(&part, is_punctuation, k - from)) return false;
        from = k += w;
    }
    return true;
}

bool text_split(text_call *c, int i, const char *p, size_t n, bool first)
{
    if (i == c->t->split.n) return text_word(c, p, n);
    if (!n) return true;
    const text_step *const s = &c->t->split.step[i];
    cutter k = { .c = c, .next = i + 1, .p = p, .first = first, .invert = s->invert, .behavior = s->behavior };
    switch (s->what) {
    case TEXT_AT_BYTES: return bytes(c, i, p, n, first);
    case TEXT_AT_MATCH: return s->regex ? by_regex(&k, s->regex, n) : by_text(&k, s->a, s->na, n);
    case TEXT_AT_METASPACE: return metaspace(c, i, p, n, first);
    case TEXT_AT_NUMBER: return by_kind(&k, is_digit_of, n);
    case TEXT_AT_PUNCTUATION: return by_kind(&k, is_punctuation, n);
    case TEXT_AT_SPACE: return by_kind(&k, text_is_space, n);
    case TEXT_AT_BERT: return words(c, i, p, n);
    default: return false;
    }
}
