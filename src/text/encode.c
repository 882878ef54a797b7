/* text/encode.c - text to ids: added tokens, the normalizer, added tokens again, pre-tokenizers, the model, the
 * template: the order of `tokenizers`. */
#include "text.h"

#include <string.h>

bool text_unknown(text_call *c, const char *p, size_t n)
{
    if (c->t->unknown < 0)
        return text_fail(c->at, TT_EDATA, "has no piece for \"%.*s\", and none for what is unknown",
                         n < 60 ? (int)n : 60, p);
    text_add(c->out, c->t->unknown);
    return !c->out->bad || text_no_memory(c->at);
}

bool text_word(text_call *c, const char *p, size_t n)
{
    if (!n) return true;
    if (c->word) return c->word(c, p, n);
    switch (c->t->model) {
    case TEXT_BPE: return text_bpe(c, p, n);
    case TEXT_UNIGRAM: return text_unigram(c, p, n);
    case TEXT_WORDPIECE:
    case TEXT_WORDLEVEL: break;
    }
    return text_wordpiece(c, p, n);
}

static bool token(text_call *c, int32_t id)
{
    text_add(c->out, id);
    return !c->out->bad || text_no_memory(c->at);
}

static bool after_normalizer(text_call *c, int32_t id, const char *p, size_t n, bool first)
{
    return id >= 0 ? token(c, id) : text_split(c, 0, p, n, first);
}

static bool before_normalizer(text_call *c, int32_t id, const char *p, size_t n, bool first)
{
    if (id >= 0) return token(c, id);
    if (!c->t->normal.n) return text_added_each(c, true, p, n, first, after_normalizer);
    text_buf b = { 0 };
    c->lost = false;
    bool ok = text_normalize(c, p, n, &b);
    ok = ok && (!b.n || text_added_each(c, true, b.p, b.n, first && !c->lost, after_normalizer));
    text_free(&b);
    return ok;
}

/* Keeps the ids that the file's truncation leaves, of those from `from` on. */
static void truncate_ids(const text_tokenizer *t, bool bare, size_t from, text_ids *out)
{
    const size_t n = out->n - from, template = bare ? 0 : (size_t)(t->nbefore + t->nafter);
    if (!t->most_ids || n + template <= (size_t)t->most_ids) return;
    const size_t most = (size_t)t->most_ids > template ? (size_t)t->most_ids - template : 0;
    if (t->cut_left) memmove(out->p + from, out->p + out->n - most, most * sizeof *out->p);
    out->n = from + most;
}

bool text_encode(text_at at, const text_tokenizer *t, const char *p, size_t n, bool bare, text_ids *out)
{
    text_call c = { .at = at, .t = t, .out = out };
    text_buf repaired = { 0 };
    bool ok = n < INT32_MAX || text_fail(at, TT_EARG, "a text of %zu bytes; at most 2^31 - 2", n);
    c.matches.steps = 1000000 + 1000 * (int64_t)n;
    if (ok && !t->sentencepiece && !text_is_valid(p, n)) {
        text_repair(&repaired, p, n, false);
        ok = !repaired.bad || text_no_memory(at);
        p = repaired.p, n = repaired.n;
    }
    for (int i = 0; !bare && i < t->nbefore; i++) text_add(out, t->before[i]);
    const size_t from = out->n;
    ok = ok && (!n || text_added_each(&c, false, p, n, true, before_normalizer));
    if (ok) truncate_ids(t, bare, from, out);
    for (int i = 0; !bare && i < t->nafter; i++) text_add(out, t->after[i]);
    text_free(&repaired);
    text_work_free(c.work);
    text_matches_free(&c.matches);
    return ok && (!out->bad || text_no_memory(at));
}
