/* text/decode.c - ids to text, token by token: each decoder of the file is a state that takes a token's text and gives
 * what is certain to the next one, so that a stream and a whole text go through the same code.
 *
 * prompt: bytes are given as soon as they are characters. A run of bytes ("<0xE2>") that is damaged further on is
 * U+FFFD as a whole, byte by byte, in `tokenizers`; of a prompt decoder's run that is so from the damage on. */
#include "text.h"

#include <stdlib.h>
#include <string.h>

static bool pass(text_decoder *d, int i, const char *p, size_t n);

static const char replacement[] = "\xef\xbf\xbd";

bool text_decode_begin(text_decoder *d)
{
    d->matches.steps = 1000000;
    for (int i = 0; i < d->t->decode.n; i++) d->state[i].left = d->t->decode.step[i].start;
    return true;
}

void text_decode_free(text_decoder *d)
{
    for (int i = 0; i < d->t->decode.n; i++) text_free(&d->state[i].hold);
    text_free(&d->out);
    text_matches_free(&d->matches);
}

/* Gives the characters of what is held. Bytes that are none: as U+FFFD; those that may still become one stay. */
static bool whole_characters(text_decoder *d, int i, bool each, bool ended)
{
    text_buf *const b = &d->state[i].hold, out = { 0 };
    size_t keep = b->n, from = b->n > 3 ? b->n - 3 : 0;
    bool cut = false;
    for (size_t k = from; !ended && k < b->n && keep == b->n; k++)
        if ((uint8_t)b->p[k] >= 0xc0 && text_width(b->p + k, b->n - k, &cut) < 0 && cut) keep = k;
    text_buf text = out;
    text_repair(&text, b->p, keep, each);
    const bool ok = !text.bad && (!text.n || pass(d, i + 1, text.p, text.n));
    if (keep < b->n) memmove(b->p, b->p + keep, b->n - keep);
    text_cut(b, b->n - keep);
    text_free(&text);
    return ok;
}

/* ---- bytes as "<0xE2>" ---- */

static int byte_of(const char *p, size_t n)
{
    int value = 0;
    if (n != 6 || memcmp(p, "<0x", 3) || p[5] != '>') return -1;
    for (int i = 3; i < 5; i++) {
        const char *const digits = "0123456789ABCDEFabcdef", *const at = p[i] ? strchr(digits, p[i]) : NULL;
        if (!at) return -1;
        value = value * 16 + (int)(at - digits < 16 ? at - digits : at - digits - 6);
    }
    return value;
}

static bool run_ends(text_decoder *d, int i)
{
    text_buf *const b = &d->state[i].hold;
    bool ok = true;
    if (text_is_valid(b->p, b->n)) ok = !b->n || pass(d, i + 1, b->p, b->n);
    else
        for (size_t k = 0; ok && k < b->n; k++) ok = pass(d, i + 1, replacement, 3);
    text_cut(b, 0);
    return ok;
}

static bool with_fallback(text_decoder *d, int i, const char *p, size_t n)
{
    const int byte = byte_of(p, n);
    text_buf *const b = &d->state[i].hold;
    if (byte < 0) return run_ends(d, i) && pass(d, i + 1, p, n);
    const char c = (char)byte;
    text_put(b, &c, 1);
    return !b->bad && (!d->prompt || !text_is_valid(b->p, b->n) || run_ends(d, i));
}

/* ---- the others ---- */

static bool stripped(text_decoder *d, int i, const char *p, size_t n)
{
    const text_step *const s = &d->t->decode.step[i];
    int64_t left = s->fused ? d->state[i].left : s->start, right = s->stop;
    for (; left > 0 && n >= s->na && !memcmp(p, s->a, s->na); left--) p += s->na, n -= s->na;
    if (n) d->state[i].left = 0; /* something else has come */
    else d->state[i].left = left;
    for (; right > 0 && n >= s->na && !memcmp(p + n - s->na, s->a, s->na); right--) n -= s->na;
    return pass(d, i + 1, p, n);
}

static bool replaced(text_decoder *d, int i, const char *p, size_t n)
{
    const text_step *const s = &d->t->decode.step[i];
    text_buf b = { 0 };
    size_t done = 0, from = 0, start, end;
    while (from < n) {
        if (s->regex) {
            const int got = text_regex_next(d->at, s->regex, &d->matches, p, n, from, &start, &end);
            if (got < 0) return text_free(&b), false;
            if (!got) break;
        } else {
            const char *const q = memmem(p + from, n - from, s->a, s->na);
            if (!q) break;
            start = (size_t)(q - p), end = start + s->na;
        }
        bool cut;
        text_put(&b, p + done, start - done);
        text_put(&b, s->b, s->nb);
        done = end;
        from = start == end && end < n ? end + (size_t)text_width(p + end, n - end, &cut) : end + (start == end);
    }
    text_put(&b, p + done, n - done);
    const bool ok = !b.bad && pass(d, i + 1, b.p, b.n);
    text_free(&b);
    return ok;
}

static bool spaces(text_decoder *d, int i, const char *p, size_t n) /* Metaspace */
{
    const text_step *const s = &d->t->decode.step[i];
    const bool drop = !d->state[i].begun && s->scheme != TEXT_NEVER;
    text_buf b = { 0 };
    d->state[i].begun = true;
    for (size_t k = 0; k < n;) {
        const bool is = n - k >= s->na && !memcmp(p + k, s->a, s->na);
        if (!is) text_put(&b, p + k, 1);
        else if (!drop) text_put(&b, " ", 1);
        k += is ? s->na : 1;
    }
    const bool ok = !b.bad && pass(d, i + 1, b.p, b.n);
    text_free(&b);
    return ok;
}

/* One after the other over the whole, as Rust's str::replace. */
static void tidy(text_buf *b)
{
    static const char *const from[] = {
        " .", " ?", " !", " ,", " ' ", " n't", " 'm", " do not", " 's", " 've", " 're"
    };
    static const char *const to[] = { ".", "?", "!", ",", "'", "n't", "'m", " don't", "'s", "'ve", "'re" };
    for (int k = 0; k < 11; k++) {
        const size_t nf = strlen(from[k]), nt = strlen(to[k]);
        size_t n = 0;
        for (size_t i = 0; i < b->n;) {
            const bool is = b->n - i >= nf && !memcmp(b->p + i, from[k], nf);
            if (is) memcpy(b->p + n, to[k], nt), n += nt, i += nf;
            else b->p[n++] = b->p[i++];
        }
        text_cut(b, n);
    }
}

static bool continued(text_decoder *d, int i, const char *p, size_t n) /* WordPiece */
{
    const text_step *const s = &d->t->decode.step[i];
    text_buf b = { 0 };
    if (d->state[i].begun && n >= s->na && !memcmp(p, s->a, s->na)) p += s->na, n -= s->na;
    else if (d->state[i].begun) text_put(&b, " ", 1);
    d->state[i].begun = true;
    text_put(&b, p, n);
    if (s->cleanup && !b.bad) tidy(&b);
    const bool ok = !b.bad && pass(d, i + 1, b.p, b.n);
    text_free(&b);
    return ok;
}

/* The text of a token of SentencePiece's: bytes as characters; the first space only if it stands for one. */
static bool from_sentencepiece(text_decoder *d, int i, int32_t id, const char *p, size_t n)
{
    const text_step *const s = &d->t->decode.step[i];
    text_state *const st = &d->state[i];
    const uint8_t type = d->t->type[id];
    if (type == 6) {
        const char c = (char)byte_of(p, n);
        text_put(&st->hold, &c, 1);
        st->begun = true;
        return !st->hold.bad && whole_characters(d, i, true, false);
    }
    if (!whole_characters(d, i, true, true)) return false;
    if (type == 3) return true; /* control: nothing to see */
    if (type == 2) {
        st->begun = true;
        return pass(d, i + 1, d->t->unknown_text, strlen(d->t->unknown_text));
    }
    if (!st->begun && (s->prefix || s->clean) && n >= 3 && !memcmp(p, "\xe2\x96\x81", 3)) {
        p += 3, n -= 3;
        if (!s->clean) st->begun = true; /* it was the space before the text */
    }
    text_buf b = { 0 };
    for (size_t k = 0; k < n;) {
        const bool is = n - k >= 3 && !memcmp(p + k, "\xe2\x96\x81", 3);
        text_put(&b, is ? " " : p + k, 1);
        k += is ? 3 : 1;
    }
    if (n) st->begun = true;
    const bool ok = !b.bad && pass(d, i + 1, b.p, b.n);
    text_free(&b);
    return ok;
}

static bool pass(text_decoder *d, int i, const char *p, size_t n)
{
    if (!n) p = "";                                      /* an empty text has no bytes to point to */
    if (i == d->t->decode.n) {
        text_put(&d->out, p, n);
        return !d->out.bad;
    }
    switch (d->t->decode.step[i].what) {
    case TEXT_FROM_BYTES:
        text_put(&d->state[i].hold, p, n);
        return !d->state[i].hold.bad && (!d->prompt || whole_characters(d, i, false, false));
    case TEXT_FROM_FALLBACK: return with_fallback(d, i, p, n);
    case TEXT_FROM_STRIP: return stripped(d, i, p, n);
    case TEXT_FROM_OTHER: return replaced(d, i, p, n);
    case TEXT_FROM_METASPACE: return spaces(d, i, p, n);
    case TEXT_FROM_WORDPIECE: return continued(d, i, p, n);
    default: return pass(d, i + 1, p, n); /* Fuse */
    }
}

static bool is_special(const text_tokenizer *t, int32_t id)
{
    for (int i = 0; i < t->added.n; i++)
        if (t->added.token[i].id == id) return t->added.token[i].special;
    return false;
}

bool text_decode(text_decoder *d, int64_t id)
{
    const text_tokenizer *const t = d->t;
    size_t n = 0;
    const bool raw = t->decode.n && t->decode.step[0].what == TEXT_FROM_BYTES;
    const char *const p = id < INT32_MAX ? text_vocab_at(raw ? &t->raw : &t->vocab, (int32_t)id, &n) : NULL;
    if (!p)
        return text_fail(d->at, TT_EARG, "has no piece with the id %lld; ids are 0 to %d", (long long)id,
                         t->vocab.n - 1);
    if (!d->special && is_special(t, (int32_t)id)) return true;
    bool ok;
    if (t->sentencepiece) ok = from_sentencepiece(d, 0, (int32_t)id, p, n);
    else {
        if (!t->decode.n && d->begun) text_put(&d->out, " ", 1);
        d->begun = true;
        ok = pass(d, 0, p, n);
    }
    return ok || (tt_ok() && text_no_memory(d->at));
}

bool text_decode_end(text_decoder *d)
{
    bool ok = true;
    for (int i = 0; ok && i < d->t->decode.n; i++) {
        const text_what what = d->t->decode.step[i].what;
        if (what == TEXT_FROM_FALLBACK) ok = run_ends(d, i);
        if (what == TEXT_FROM_BYTES || what == TEXT_FROM_SENTENCEPIECE)
            ok = whole_characters(d, i, what == TEXT_FROM_SENTENCEPIECE, true);
    }
    return ok || (tt_ok() && text_no_memory(d->at));
}
