/* text/tables.c - what a tokenizer looks up, computed when it is opened: the bytes that byte-level pieces stand for,
 * the pieces of single bytes, tries. */
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int32_t text_model_find(const text_tokenizer *t, const char *p, size_t n)
{
    const text_vocab *const v = text_model_vocab(t);
    const int32_t id = text_vocab_find(v, p, n);
    return id >= 0 && v->piece[id].at >= t->limit ? -1 : id;
}

/* GPT-2's alphabet: byte to code point; bytes without a printable character of their own get those from U+0100 on. */
void text_alphabet(uint32_t to[256])
{
    uint32_t next = 256;
    for (uint32_t b = 0; b < 256; b++) to[b] = (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || b >= 174 ? b : next++;
}

/* The bytes of a piece. False: it has a character that is not in the alphabet, and is its own text. */
static bool bytes_of(const int16_t from[324], const char *p, size_t n, text_buf *out)
{
    const size_t begin = out->n;
    bool cut;
    for (size_t i = 0, w; i < n; i += w) {
        w = (size_t)text_width(p + i, n - i, &cut);
        const uint32_t c = text_char(p + i, (int)w);
        if (c >= 324 || from[c] < 0) {
            text_cut(out, begin);
            text_put(out, p, n);
            return false;
        }
        const char byte = (char)from[c];
        text_put(out, &byte, 1);
    }
    return true;
}

static bool raw_pieces(text_at at, text_tokenizer *t, bool added)
{
    uint32_t to[256];
    int16_t from[324];
    text_buf b = { 0 };
    bool ok = true;
    text_alphabet(to);
    memset(from, -1, sizeof from);
    for (int i = 0; i < 256; i++) from[to[i]] = (int16_t)i;
    for (int32_t i = 0; ok && i < t->vocab.n; i++) {
        size_t n;
        const char *const p = text_vocab_at(&t->vocab, i, &n);
        if (!p) continue;
        text_cut(&b, 0);
        const bool own = bytes_of(from, p, n, &b) && t->vocab.piece[i].at < t->limit;
        if (own == added) continue;
        ok = b.bad ? text_no_memory(at) : text_vocab_set(at, &t->raw, i, b.p ? b.p : "", b.n);
    }
    text_free(&b);
    return ok;
}

bool text_byte_level(text_at at, text_tokenizer *t)
{
    for (int i = 0; i < t->split.n; i++) t->byte_level |= t->split.step[i].what == TEXT_AT_BYTES;
    t->has_raw = t->byte_level || (t->decode.n && t->decode.step[0].what == TEXT_FROM_BYTES);
    if (!t->has_raw) return true;
    if (t->byte_level && (t->model != TEXT_BPE || t->prefix || t->suffix || t->byte_fallback))
        return text_fail(at, TT_EDATA,
                         "ByteLevel before a model other than BPE, or with prefix, suffix or byte_fallback, is "
                         "not supported");
    const uint32_t limit = t->limit;
    if (!text_vocab_new(at, &t->raw, t->vocab.n, t->vocab.n) || !raw_pieces(at, t, false)) return false;
    const uint32_t own = (uint32_t)t->raw.bytes.n;
    if (!raw_pieces(at, t, true)) return false;
    t->limit = t->byte_level ? own : limit;
    for (int i = 0; t->byte_level && i < 256; i++) {
        const char byte = (char)i;
        t->byte_id[i] = text_model_find(t, &byte, 1);
    }
    return true;
}

bool text_fallback_ids(text_tokenizer *t)
{
    bool all = true;
    for (int i = 0; i < 256; i++) {
        char name[8];
        snprintf(name, sizeof name, "<0x%02X>", (unsigned)i);
        t->byte_id[i] = text_vocab_find(&t->vocab, name, 6);
        all &= t->byte_id[i] >= 0;
    }
    return all;
}

static bool begins_space(const char *p, size_t n) { return n >= 3 && !memcmp(p, "\xe2\x96\x81", 3); }

/* True if "\u2581" stands behind another character in the text, from `from` on. */
static bool crosses(const char *p, size_t n, size_t from)
{
    for (size_t i = from; i + 3 <= n; i++)
        if (begins_space(p + i, n - i) && (i < 3 || !begins_space(p + i - 3, 3))) return true;
    return false;
}

/* The texts of merges: of a file of `tokenizers` by the second part, of a SentencePiece file all that text may
 * become. */
void text_find_cuts(text_tokenizer *t)
{
    size_t n = 0;
    if (t->model != TEXT_BPE || t->byte_level || t->prefix || t->suffix || t->ignore_merges) return;
    if (text_model_find(t, "\xe2\x96\x81", 3) < 0) return;
    if (t->sentencepiece)
        for (int32_t i = 0; i < t->raw.n; i++) {
            const char *const p = text_vocab_at(&t->raw, i, &n);
            if (p && crosses(p, n, 1)) return;
        }
    for (uint32_t i = 0; !t->sentencepiece && i < t->merges; i++) {
        if (t->merge[i].id < 0) continue;
        const char *const b = text_vocab_at(&t->vocab, (int32_t)(uint32_t)t->merge[i].pair, &n);
        if (!b || !begins_space(b, n)) continue;
        const char *const a = text_vocab_at(&t->vocab, (int32_t)(t->merge[i].pair >> 32), &n);
        if (!a || n < 3 || !begins_space(a + n - 3, 3)) return;
    }
    t->cuts = true;
}

/* A trie of the pieces of the vocabulary; inside: of those with the prefix, without it. */
static bool trie_of(text_at at, const text_tokenizer *t, const text_vocab *v, bool inside, text_trie *trie, bool *has)
{
    const size_t skip = inside ? t->nprefix : 0;
    size_t bytes = 0, n;
    for (int turn = 0; turn < 2; turn++) {
        for (int32_t i = 0; i < v->n; i++) {
            const char *const p = text_vocab_at(v, i, &n);
            if (!p || v->piece[i].at >= t->limit || n <= skip || (skip && memcmp(p, t->prefix, skip))) continue;
            if (turn) text_trie_add(trie, p + skip, n - skip, text_vocab_find(v, p, n));
            else bytes += n - skip;
        }
        if (!turn && !bytes) return true;
        if (!turn && !text_trie_new(at, trie, bytes)) return false;
    }
    return *has = true;
}

bool text_tries(text_at at, text_tokenizer *t)
{
    const text_vocab *const v = text_model_vocab(t);
    if (t->model != TEXT_UNIGRAM && t->model != TEXT_WORDPIECE) return true;
    return trie_of(at, t, v, false, &t->trie, &t->has_trie) &&
           (t->model == TEXT_UNIGRAM || trie_of(at, t, v, true, &t->inside, &t->has_inside)) &&
           (t->has_trie || text_fail(at, TT_EDATA, "the model has no pieces"));
}

void text_tokenizer_free(void *p)
{
    text_tokenizer *const t = p;
    if (!t) return;
    for (int i = 0; t->added.token && i < t->added.n; i++) free(t->added.token[i].content);
    free(t->added.token);
    text_trie_free(&t->added.plain), text_trie_free(&t->added.normal);
    text_trie_free(&t->trie), text_trie_free(&t->inside);
    text_vocab_free(&t->vocab), text_vocab_free(&t->raw);
    text_steps_free(&t->normal), text_steps_free(&t->split), text_steps_free(&t->decode);
    free(t->path), free(t->prefix), free(t->suffix), free(t->merge), free(t->score), free(t->score64);
    free(t->rank), free(t->type), free(t->unknown_text);
    free(t);
}
