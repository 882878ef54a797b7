/* text/calls.c - the public calls of an open tokenizer. */
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tt_token_stream_s {
    text_decoder d;
    tt_val owner;
    int64_t *length;
};

static bool is_open(const char *site, const char *what, tt_tokenizer t)
{
    if (!t.p) tt_fail_at(site, TT_ELIFE, "%s: the tt_tokenizer is empty", what);
    return t.p && tt_is_live_at(site, what, t.alive);
}

/* ---- encoding ---- */

static bool encoded(const char *site, const char *what, tt_tokenizer t, const char *text, const tt_encode_opts *o,
                    text_ids *ids)
{
    if (!TT_CHECKED(tt_encode_opts, site, what, o) || !is_open(site, what, t)) return false;
    if (!text) return tt_fail_at(site, TT_EARG, "%s: the text is NULL", what), false;
    if (o->length < 0)
        return tt_fail_at(site, TT_EARG, "%s: .length = %lld; expected 0 or more", what, (long long)o->length), false;
    const size_t n = tt_given(o, "length") || o->length ? (size_t)o->length : strlen(text);
    if (text_encode((text_at){ site, t.p->path }, t.p, text, n, o->bare != 0, ids)) return true;
    tt_ok();
    return false;
}

tt_val tt_tokenizer_encode_at(const char *site, tt_tokenizer t, const char *text, const tt_encode_opts *o)
{
    TT_ENTRY(site);
    text_ids ids = { 0 };
    const bool ok = encoded(site, "tt_tokenizer_encode", t, text, o, &ids);
    const int64_t dims[2] = { (int64_t)ids.n, TT_DIM_END };
    const int32_t none = 0;
    const tt_val v = ok ? tt_array_at(site, TT_I32, ids.n ? ids.p : &none, dims) : tt_poison;
    free(ids.p);
    return v;
}

int64_t tt_tokenizer_ids_at(const char *site, tt_tokenizer t, const char *text, int64_t most, int32_t *to,
                            const tt_encode_opts *o)
{
    TT_ENTRY(site);
    text_ids ids = { 0 };
    if (!encoded(site, "tt_tokenizer_ids", t, text, o, &ids)) return free(ids.p), -1;
    const int64_t n = (int64_t)ids.n;
    const bool fits = most >= 0 && (to || !most);
    if (!fits)
        tt_fail_at(site, TT_EARG, to ? "tt_tokenizer_ids: a list of %lld ids; expected 0 or more"
                   : "tt_tokenizer_ids: the list of %lld ids to fill is NULL", (long long)most);
    else if (to && n) memcpy(to, ids.p, (size_t)(n < most ? n : most) * sizeof *to);
    free(ids.p);
    return fits ? n : -1;
}

/* ---- decoding ---- */

static const char *decoded(const char *site, tt_tokenizer t, int64_t n, const int64_t *ids, const tt_decode_opts *o)
{
    text_decoder d = { .at = { site, t.p->path }, .t = t.p, .special = o->special != 0 };
    bool ok = text_decode_begin(&d);
    for (int64_t i = 0; ok && i < n; i++) ok = text_decode(&d, ids[i]);
    ok = ok && text_decode_end(&d);
    const int64_t length = (int64_t)d.out.n;
    text_put(&d.out, "", 1);
    char *text = NULL;
    if (ok && !d.out.bad) text = d.out.p, d.out = (text_buf){ 0 };
    else if (ok) text_no_memory(d.at);
    text_decode_free(&d);
    if (o->length) *o->length = text ? length : 0;
    if (!text) return tt_ok(), "";
    tt_own(text, free);                                  /* without memory, it is freed */
    return tt_ok() ? text : "";
}

const char *tt_tokenizer_decode_at(const char *site, tt_tokenizer t, tt_val ids, const tt_decode_opts *o)
{
    TT_ENTRY(site);
    static const char what[] = "tt_tokenizer_decode";
    if (!TT_CHECKED(tt_decode_opts, site, what, o) || !is_open(site, what, t)) return "";
    const tt_dtype type = tt_dtype_of_at(site, ids);
    const int rank = type ? tt_rank_at(site, ids) : 0;
    if (!type) return "";
    if (rank > 1 || !((type >= TT_I8 && type <= TT_I64) || (type >= TT_U8 && type <= TT_U64)))
        return tt_fail_at(site, TT_EARG, "%s: the ids are %s; expected integers of rank 0 or 1", what,
                          tt_type_text(ids)), "";
    const int64_t n = rank ? tt_dim_at(site, ids, 0) : 1;
    const size_t unit = type == TT_I8 || type == TT_U8     ? 1
                        : type == TT_I16 || type == TT_U16 ? 2
                        : type == TT_I32 || type == TT_U32 ? 4
                                                           : 8;
    int64_t *const list = malloc(((size_t)n + 1) * sizeof *list);
    uint8_t *const raw = malloc((size_t)n * unit + 1);
    const char *text = "";
    if (!list || !raw) tt_fail_at(site, TT_EMEM, "out of memory");
    else if (tt_read_at(site, ids, raw, (size_t)n * unit)) {
        for (int64_t i = 0; i < n; i++) {
            uint64_t x = 0;
            memcpy(&x, raw + (size_t)i * unit, unit); /* little-endian, as all machines that Tutti runs on */
            const int shift = 64 - 8 * (int)unit;
            list[i] = type <= TT_I64 ? (int64_t)(x << shift) >> shift : x > INT64_MAX ? INT64_MAX : (int64_t)x;
        }
        text = decoded(site, t, n, list, o);
    }
    free(list);
    free(raw);
    return text;
}

const char *tt_tokenizer_text_at(const char *site, tt_tokenizer t, int64_t n, const int32_t *ids,
                                 const tt_decode_opts *o)
{
    TT_ENTRY(site);
    static const char what[] = "tt_tokenizer_text";
    if (!TT_CHECKED(tt_decode_opts, site, what, o) || !is_open(site, what, t)) return "";
    if (n < 0 || (n && !ids))
        return tt_fail_at(site, TT_EARG, n < 0 ? "%s: %lld ids; expected 0 or more"
                          : "%s: the list of %lld ids is NULL", what, (long long)n), "";
    int64_t *const list = malloc(((size_t)n + 1) * sizeof *list);
    if (!list) return tt_fail_at(site, TT_EMEM, "out of memory"), "";
    for (int64_t i = 0; i < n; i++) list[i] = ids[i];
    const char *const text = decoded(site, t, n, list, o);
    free(list);
    return text;
}

static void stream_free(void *p)
{
    struct tt_token_stream_s *const s = p;
    text_decode_free(&s->d);
    free(s);
}

tt_token_stream tt_tokenizer_stream_at(const char *site, tt_tokenizer t, const tt_decode_opts *o)
{
    TT_ENTRY(site);
    static const char what[] = "tt_tokenizer_stream";
    if (!TT_CHECKED(tt_decode_opts, site, what, o) || !is_open(site, what, t)) return (tt_token_stream){ 0 };
    struct tt_token_stream_s *const s = calloc(1, sizeof *s);
    if (!s) return tt_fail_at(site, TT_EMEM, "out of memory"), (tt_token_stream){ 0 };
    s->d = (text_decoder){ .at = { NULL, t.p->path }, .t = t.p, .special = o->special != 0, .prompt = true };
    s->owner = t.alive, s->length = o->length;
    text_decode_begin(&s->d);
    tt_own(s, stream_free);                              /* without memory, s is freed */
    return tt_ok() ? (tt_token_stream){ s, tt_alive_at(site) } : (tt_token_stream){ 0 };
}

static bool streams(const char *site, const char *what, tt_token_stream s)
{
    if (!s.p) tt_fail_at(site, TT_ELIFE, "%s: the tt_token_stream is empty", what);
    return s.p && tt_is_live_at(site, what, s.alive) && tt_is_live_at(site, what, s.p->owner);
}

/* The text that has come, with a 0 behind it. */
static const char *came(const struct tt_token_stream_s *s, text_decoder *d, bool ok)
{
    const int64_t length = (int64_t)d->out.n;
    text_put(&d->out, "", 1);
    if (ok && d->out.bad) ok = text_no_memory(d->at);
    d->out.bad = false;
    if (s->length) *s->length = ok ? length : 0;
    return ok ? d->out.p : (tt_ok(), "");
}

const char *tt_token_stream_next_at(const char *site, tt_token_stream s, int64_t id)
{
    TT_ENTRY(site);
    if (!streams(site, "tt_token_stream_next", s)) return "";
    s.p->d.at.site = site;
    text_cut(&s.p->d.out, 0);
    return came(s.p, &s.p->d, text_decode(&s.p->d, id));
}

const char *tt_token_stream_end_at(const char *site, tt_token_stream s)
{
    TT_ENTRY(site);
    if (!streams(site, "tt_token_stream_end", s)) return "";
    text_decoder *const d = &s.p->d;
    d->at.site = site;
    text_cut(&d->out, 0);
    const char *const text = came(s.p, d, text_decode_end(d));
    for (int i = 0; i < d->t->decode.n; i++) {
        text_cut(&d->state[i].hold, 0);
        d->state[i].begun = false;
    }
    d->begun = false;
    text_decode_begin(d);
    return text;
}

/* ---- the vocabulary ---- */

int tt_tokenizer_size_at(const char *site, tt_tokenizer t)
{
    TT_ENTRY(site);
    return is_open(site, "tt_tokenizer_size", t) ? t.p->vocab.n : 0;
}

const char *tt_tokenizer_piece_at(const char *site, tt_tokenizer t, int64_t id)
{
    TT_ENTRY(site);
    size_t n;
    if (!is_open(site, "tt_tokenizer_piece", t) || id < 0 || id >= t.p->vocab.n) return "";
    const char *const p = text_vocab_at(&t.p->vocab, (int32_t)id, &n);
    char text[TEXT_PIECE + 1];
    if (!p) return "";
    memcpy(text, p, n);
    text[n] = 0;
    const char *const kept = tt_keep_latest("piece", text, n + 1);
    return kept ? kept : "";
}

int tt_tokenizer_id_at(const char *site, tt_tokenizer t, const char *piece)
{
    TT_ENTRY(site);
    if (!is_open(site, "tt_tokenizer_id", t)) return -1;
    if (!piece) return tt_fail_at(site, TT_EARG, "tt_tokenizer_id: the piece is NULL"), -1;
    return text_vocab_find(&t.p->vocab, piece, strlen(piece));
}

bool tt_tokenizer_is_special_at(const char *site, tt_tokenizer t, int64_t id)
{
    TT_ENTRY(site);
    if (!is_open(site, "tt_tokenizer_is_special", t)) return false;
    if (t.p->type) return id >= 0 && id < t.p->vocab.n && t.p->type[id] == 3;
    for (int i = 0; i < t.p->added.n; i++)
        if (t.p->added.token[i].id == id) return t.p->added.token[i].special;
    return false;
}

const char *tt_tokenizer_kind_at(const char *site, tt_tokenizer t)
{
    TT_ENTRY(site);
    static const char *const models[] = { "BPE", "Unigram", "WordPiece", "WordLevel" };
    char text[60];
    if (!is_open(site, "tt_tokenizer_kind", t)) return "";
    const int n = snprintf(text, sizeof text, "%s, %s", models[t.p->model], t.p->format);
    const char *const kept = tt_keep_latest("kind", text, (size_t)n + 1);
    return kept ? kept : "";
}
