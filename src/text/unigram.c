/* text/unigram.c - the Unigram model: the pieces with the largest sum of scores, by Viterbi's algorithm over the
 * prefixes in the trie. Kudo, arXiv:1804.10959. Of equal sums the piece that begins first stays; a character without
 * a piece of its own may be unknown, at 10 below the least score. `tokenizers` sums in double, SentencePiece in
 * float. */
#include "text.h"

#include <stdlib.h>
#include <string.h>

static const double below_least = 10;

typedef struct {
    double score;
    int64_t from;
    int32_t id;
} node; /* the best way to here: its last piece */

static void reach(const text_tokenizer *t, node *to, size_t from, int32_t id, double sum)
{
    if (t->sentencepiece) sum = (double)(float)sum;
    if (to->from >= 0 && !(sum > to->score)) return;
    *to = (node){ sum, (int64_t)from, id };
}

static double score_of(const text_tokenizer *t, int32_t id, size_t n)
{
    if (t->score64) return t->score64[id];
    return t->type && t->type[id] == 4 ? (double)((float)n * t->most) - 0.1 : t->score[id]; /* 4: of the user */
}

static void search(const text_tokenizer *t, const char *p, size_t n, node *at)
{
    const double unknown = t->sentencepiece ? (double)((float)t->least - (float)below_least) : t->least - below_least;
    bool cut;
    at[0].score = 0;
    for (size_t i = 0, w; i < n; i += w) {
        bool single = false;
        uint32_t step = 0;
        w = (size_t)text_width(p + i, n - i, &cut);
        for (size_t k = i; k < n && (step = text_trie_next(&t->trie, step, (uint8_t)p[k])); k++) {
            const int32_t id = t->trie.id[step];
            if (id < 0) continue;
            reach(t, &at[k + 1], i, id, score_of(t, id, k + 1 - i) + at[i].score);
            single |= k + 1 - i == w;
        }
        const double sum = unknown + at[i].score;
        if (!single) reach(t, &at[i + w], i, -1, sum);
    }
}

/* The bytes of an unknown stretch, or the unknown piece. */
static bool unknown_stretch(text_call *c, const char *p, size_t n)
{
    bool all = c->t->byte_fallback;
    for (size_t i = 0; all && i < n; i++) all = c->t->byte_id[(uint8_t)p[i]] >= 0;
    for (size_t i = 0; all && i < n; i++) text_add(c->out, c->t->byte_id[(uint8_t)p[i]]);
    return all || text_unknown(c, p, n);
}

bool text_unigram(text_call *c, const char *p, size_t n)
{
    const text_tokenizer *const t = c->t;
    node *const at = malloc((n + 1) * sizeof *at);
    if (!at) return text_no_memory(c->at);
    for (size_t i = 0; i <= n; i++) at[i].from = -1;
    search(t, p, n, at);
    int64_t *const back = (int64_t *)calloc(n + 1, sizeof *back); /* where the piece that begins here ends */
    bool ok = back || text_no_memory(c->at);
    for (size_t end = n; ok && end > 0; end = (size_t)at[end].from) back[at[end].from] = (int64_t)end;
    for (size_t i = 0, end; ok && i < n; i = end) {
        end = (size_t)back[i];
        const int32_t id = at[end].id;
        if (id >= 0 && id != t->unknown) text_add(c->out, id);
        else {
            while (t->fuse_unknown && end < n && (at[back[end]].id < 0 || at[back[end]].id == t->unknown))
                end = (size_t)back[end];
            const int32_t whole = text_model_find(t, p + i, end - i);
            if (whole >= 0) text_add(c->out, whole); /* the text of the unknown piece itself */
            else ok = unknown_stretch(c, p + i, end - i);
        }
    }
    free(at);
    free(back);
    return ok && (!c->out->bad || text_no_memory(c->at));
}
