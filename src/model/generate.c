/* model/generate.c - tt_generate: options and prompts are checked, rows are padded to a bucket, and the compiled steps
 * run until every row has ended.
 */
#include "generate.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int32_t *id; int64_t n, piece;                       /* piece: bytes of the newest id's text */
    bool done; tt_token_stream text; char *said; size_t nsaid;
} text_row;
typedef struct {
    const char *site;
    const struct tt_model_s *m;
    const tt_generate_opts *o;
    int rows;
    text_row *prompt, *row;                              /* the ids given, and the new ones */
    int32_t *last;                                       /* the newest of each row */
    int64_t n, longest, time, used, places;  /* time: the bucket; places: of the cache, of which `used` are taken */
} generating;

#define LEAST 1e-30                                      /* logits over it, and times it, are numbers of f32 */

static bool is_value(tt_val v) { return v.slot || v.born; }

/* ---- options ---- */

static bool wrong(const char *site, const char *option, double is, const char *expected)
{
    tt_fail_at(site, TT_EARG, "generate: .%s = %g; expected %s", option, is, expected);
    return false;
}

static bool options_fit(const char *site, const struct tt_model_s *m, int64_t n, const tt_generate_opts *o)
{
    if (n < 1) return tt_fail_at(site, TT_EARG, "generate: %lld new ids; expected 1 or more", (long long)n), false;
    if (!(o->temperature == 0 || (o->temperature >= LEAST && isfinite(o->temperature))))
        return wrong(site, "temperature", o->temperature, "0, for the largest logit, or 1e-30 or more");
    if (!(o->top_p >= 0 && o->top_p <= 1)) return wrong(site, "top_p", o->top_p, "above 0, up to 1");
    if (o->top_k > m->c.vocab) return wrong(site, "top_k", (double)o->top_k, "at most the model's number of ids");
    if (!(o->repetition == 0 || (o->repetition >= LEAST && o->repetition <= 1 / LEAST)))
        return wrong(site, "repetition", o->repetition, "1e-30 to 1e30; 1: no change");
    const char *const drawn = o->top_k ? ".top_k" : o->top_p > 0 ? ".top_p" : is_value(o->key) ? ".key" : NULL;
    if (drawn && o->temperature == 0) {
        tt_fail_at(site, TT_EARG, "generate: %s without .temperature", drawn);
        tt_hint("without a temperature nothing is drawn: the id of the largest logit is next");
    } else if (o->temperature > 0 && !is_value(o->key)) {
        tt_fail_at(site, TT_EARG, "generate: .temperature = %g without .key", o->temperature);
        tt_hint("give the key by which ids are drawn: .key = tt_key(0)");
    } else if (o->stop && !o->tokenizer) tt_fail_at(site, TT_EARG, "generate: .stop without .tokenizer");
    else if (o->tokenizer && !tt_given(o, "stop"))
        tt_fail_at(site, TT_EARG, "generate: .tokenizer has no effect without .stop");
    else if (o->env && !o->each) tt_fail_at(site, TT_EARG, "generate: .env has no effect without .each");
    for (const tt_stop_text *t = o->stop; t && *t; t++)
        if (!**t) tt_fail_at(site, TT_EARG, "generate: .stop has an empty text, which would end every row");
    for (const int64_t *id = o->stop_ids; id && *id != -1; id++)
        if (*id < 0 || *id >= m->c.vocab) {
            tt_fail_at(site, TT_EARG, "generate: .stop_ids has %lld; the model has ids 0 to %lld", (long long)*id,
                       (long long)m->c.vocab - 1);
            tt_hint("-1 ends the list");
            return false;
        }
    if (tt_ok() && o->tokenizer && tt_tokenizer_size_at(site, *o->tokenizer) > m->c.vocab && tt_ok())
        tt_fail_at(site, TT_EARG, "generate: the tokenizer has %d ids, the model %lld",
                   tt_tokenizer_size_at(site, *o->tokenizer), (long long)m->c.vocab);
    return tt_ok();
}

/* ---- prompts ---- */

static bool read_prompt(generating *g, int i, tt_val v)
{
    const char *const site = g->site;
    const tt_dtype type = tt_dtype_of_at(site, v);
    if (!tt_ok()) return false;
    if (!strchr("iu", tt_dtype_kind(type)) || tt_rank_at(site, v) != 1 || tt_is_traced_at(site, v) ||
        tt_dim_at(site, v, 0) < 1) {
        tt_fail_at(site, TT_ESHAPE, "generate: prompt %d is %s; expected one or more integers, [N]", i,
                   tt_type_text_at(site, v));
        tt_hint("ids are known before the call: a traced value is none");
        return false;
    }
    text_row *const p = &g->prompt[i];
    p->n = tt_dim_at(site, v, 0);
    int64_t *const wide = malloc((size_t)p->n * sizeof *wide);
    p->id = malloc((size_t)p->n * sizeof *p->id);
    if (!p->id || !wide) tt_fail_at(site, TT_EMEM, "generate: out of memory");
    else if (tt_read_at(site, tt_cast_at(site, v, TT_I64), wide, (size_t)p->n * sizeof *wide))
        for (int64_t k = 0; k < p->n && tt_ok(); k++) {
            if (wide[k] < 0 || wide[k] >= g->m->c.vocab)
                tt_fail_at(site, TT_EARG, "generate: prompt %d has id %lld at %lld; the model has ids 0 to %lld", i,
                           (long long)wide[k], (long long)k, (long long)g->m->c.vocab - 1);
            p->id[k] = (int32_t)wide[k];
        }
    free(wide);
    if (p->n > g->longest) g->longest = p->n;
    return tt_ok();
}

static bool read_prompts(generating *g, tt_val prompts)
{
    const char *const kind = tt_kind_at(g->site, prompts);
    const bool many = tt_ok() && !strcmp(kind, "tuple");
    g->rows = many ? tt_items_at(g->site, prompts) : 1;
    if (tt_ok() && (g->rows < 1 || (!many && strcmp(kind, "array")))) {
        tt_fail_at(g->site, TT_ETREE, "generate: the prompts are a %s of %d; expected arrays of ids", kind, g->rows);
        tt_hint("give an array of ids, or a tuple of such arrays");
    }
    if (!tt_ok()) return false;
    g->prompt = calloc((size_t)g->rows, sizeof *g->prompt), g->row = calloc((size_t)g->rows, sizeof *g->row);
    g->last = calloc((size_t)g->rows, sizeof *g->last);
    if (!g->prompt || !g->row || !g->last) return tt_fail_at(g->site, TT_EMEM, "generate: out of memory"), false;
    for (int i = 0; i < g->rows; i++)
        if (!read_prompt(g, i, many ? tt_item_at(g->site, prompts, i) : prompts)) return false;
    return true;
}

/* The least power of two from 8 on: a short prompt's first id takes no longer for padding than reading the weights. */
static int64_t bucket(int64_t n)
{
    int64_t b = 8;
    while (b < n) b *= 2;
    return b;
}

static bool sized(generating *g)
{
    const int64_t positions = g->m->c.positions;
    if (g->longest + g->n > positions) {
        tt_fail_at(g->site, TT_EARG, "generate: %lld new ids behind %lld; the model has %lld positions",
                   (long long)g->n, (long long)g->longest, (long long)positions);
        return false;
    }
    enum { FEW = 64 };                                   /* reading so many costs less than a program for fewer */
    g->used = g->time = bucket(g->longest);
    const int64_t all = bucket(g->time + g->n - 1);      /* the last of the new ids is not attended to */
    g->places = 2 * g->time < FEW ? FEW : 2 * g->time;
    if (g->places > all) g->places = all;
    return true;
}

/* ---- the state ---- */

/* bool [rows, vocab]: the ids of each prompt; none where no id is penalised. */
static tt_val seen_of(const generating *g, bool repeats)
{
    const int64_t dims[] = { g->rows, g->m->c.vocab, TT_DIM_END };
    if (!repeats) return tt_none();
    uint8_t *const all = calloc((size_t)g->rows, (size_t)dims[1]);
    if (!all) return tt_fail_at(g->site, TT_EMEM, "generate: out of memory");
    for (int i = 0; i < g->rows; i++)
        for (int64_t k = 0; k < g->prompt[i].n; k++) all[i * dims[1] + g->prompt[i].id[k]] = 1;
    const tt_val v = tt_array_at(g->site, TT_BOOL, all, dims);
    free(all);
    return v;
}

/* Ids [rows, time], each prompt at the end of its row, and the lengths of what is before them, [rows]. */
static bool padded(const generating *g, tt_val *ids, tt_val *pad)
{
    const int64_t dims[] = { g->rows, g->time, TT_DIM_END }, rows[] = { g->rows, TT_DIM_END };
    int32_t *const all = calloc((size_t)(g->rows * g->time), sizeof *all), *const lead = calloc((size_t)g->rows, 4);
    if (!all || !lead) tt_fail_at(g->site, TT_EMEM, "generate: out of memory");
    for (int i = 0; i < g->rows && tt_ok(); i++) {
        lead[i] = (int32_t)(g->time - g->prompt[i].n);
        memcpy(all + i * g->time + lead[i], g->prompt[i].id, (size_t)g->prompt[i].n * sizeof *all);
    }
    if (tt_ok()) *ids = tt_array_at(g->site, TT_I32, all, dims), *pad = tt_array_at(g->site, TT_I32, lead, rows);
    free(all), free(lead);
    return tt_ok();
}

/* ---- new ids ---- */

static bool stop_id(const generating *g, int64_t id)
{
    for (int i = 0; i < g->m->stops.n && !g->o->go_on; i++) if (g->m->stops.id[i] == id) return true;
    for (const int64_t *s = g->o->stop_ids; s && *s != -1; s++) if (*s == id) return true;
    return false;
}

/* True if the row's text, with this id, has one of the texts that end it. */
static bool stop_text(const generating *g, text_row *r, int64_t id)
{
    if (!g->o->stop) return false;
    const char *const next = tt_token_stream_next_at(g->site, r->text, id);
    const size_t before = r->nsaid, n = (size_t)r->piece;
    char *const said = realloc(r->said, before + n + 1);
    if (!said) return tt_fail_at(g->site, TT_EMEM, "generate: out of memory"), true;
    memcpy(said + before, next, n);
    r->said = said, r->nsaid += n;
    for (const tt_stop_text *t = g->o->stop; *t; t++) {  /* in what is new, and as much before as it can begin in */
        const size_t length = strlen(*t), from = before < length ? 0 : before - length + 1;
        if (memmem(said + from, r->nsaid - from, *t, length)) return true;
    }
    return false;
}

/* Takes the newest id of each row; false: nothing is left to do. */
static bool taken(generating *g, tt_val state)
{
    bool goes = false;
    if (!tt_read_at(g->site, tt_get_at(g->site, state, "last"), g->last, (size_t)g->rows * sizeof *g->last))
        return false;
    for (int i = 0; i < g->rows; i++) {
        text_row *const r = &g->row[i];
        if (r->done) continue;
        r->id[r->n++] = g->last[i];
        r->done = r->n == g->n || stop_id(g, g->last[i]) || stop_text(g, r, g->last[i]);
        if (g->o->each && !g->o->each(g->o->env, i, g->last[i])) return false;
        goes |= !r->done;
    }
    return goes && tt_ok();
}

static bool rows_open(generating *g)
{
    for (int i = 0; i < g->rows; i++) {
        const tt_decode_opts all = { .size = sizeof all, .special = 1, .length = &g->row[i].piece };
        if (!(g->row[i].id = malloc((size_t)g->n * sizeof(int32_t))))
            return tt_fail_at(g->site, TT_EMEM, "generate: out of memory"), false;
        if (g->o->stop) g->row[i].text = tt_tokenizer_stream_at(g->site, *g->o->tokenizer, &all);
    }
    return tt_ok();
}

/* The state with twice the places. */
static tt_val grown(generating *g, tt_val state)
{
    const char *const site = g->site;
    g->places *= 2;
    const tt_fn f = model_jit(site, g->m, tt_bind_env_at(site, "grow", model_step_grow, &g->places, 8, 2), NULL);
    const tt_val kv = tt_call_n(site, f, 2, (const tt_val[]){ tt_get_at(site, state, "k"),
                                                              tt_get_at(site, state, "v") });
    return tt_set_at(site, tt_set_at(site, state, "k", tt_item_at(site, kv, 0)), "v", tt_item_at(site, kv, 1));
}

static void run(generating *g)
{
    const tt_generate_opts *const o = g->o;
    const char *const site = g->site;
    const int64_t dims[] = { STEP_NUMBERS, TT_DIM_END };
    /* However little top_p is, it is more than the 0 before the first id. */
    const float top_p = fmaxf((float)o->top_p, FLT_MIN);
    const float number[STEP_NUMBERS] = { (float)o->temperature, top_p, (float)o->repetition };
    model_step s;
    memset(&s, 0, sizeof s);
    s.c = g->m->c, s.top_k = o->top_k, s.draws = o->temperature > 0;
    s.nucleus = o->top_p > 0 && o->top_p != 1;
    s.repeats = o->repetition > 0 && o->repetition != 1;
    tt_val ids, pad;
    if (!rows_open(g) || !padded(g, &ids, &pad)) return;
    const tt_val params = is_value(o->params) ? o->params : g->m->params, seen = seen_of(g, s.repeats);
    const tt_val numbers = tt_array_at(site, TT_F32, number, dims), key = s.draws ? o->key : tt_none();
    const tt_fn next = tt_bind_env_at(site, "decode", model_step_next, &s, sizeof s, 4);
    s.places = g->places;
    const tt_fn begin = tt_bind_env_at(site, "prefill", model_step_begin, &s, sizeof s, 6);
    const tt_fn first = model_jit(site, g->m, begin, NULL), again = model_jit(site, g->m, next, "1");
    tt_val state = tt_call_n(site, first, 6, (const tt_val[]){ params, ids, pad, seen, numbers, key });
    while (tt_ok() && taken(g, state)) {
        const tt_scope one = tt_scope_open();
        if (g->used++ == g->places) tt_assign_at(site, &state, grown(g, state));
        tt_assign_at(site, &state, tt_call_n(site, again, 4, (const tt_val[]){ params, state, numbers, key }));
        tt_scope_close(one);
    }
}

static tt_val result(const generating *g)
{
    tt_val *const v = calloc((size_t)g->rows + 1, sizeof *v);
    if (!v) return tt_fail_at(g->site, TT_EMEM, "generate: out of memory");
    for (int i = 0; i < g->rows; i++)
        v[i] = tt_array_at(g->site, TT_I32, g->row[i].id, (const int64_t[]){ g->row[i].n, TT_DIM_END });
    v[g->rows] = tt_end;
    const tt_val made = tt_tuple_at(g->site, v);
    free(v);
    return made;
}

tt_val tt_generate_at(const char *site, tt_model m, tt_val prompts, int64_t n, const tt_generate_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_generate_opts, site, "generate", o)) return tt_poison;
    if (!model_is_open(site, "generate", m) || !options_fit(site, m.p, n, o)) return tt_poison;
    generating g = { .site = site, .m = m.p, .o = o, .n = n };
    const tt_scope own = tt_scope_open();
    if (read_prompts(&g, prompts) && sized(&g)) run(&g);
    tt_scope_close(own);
    const tt_val out = tt_ok() ? result(&g) : tt_poison;
    for (int i = 0; i < g.rows && g.prompt && g.row; i++) free(g.prompt[i].id), free(g.row[i].id), free(g.row[i].said);
    free(g.prompt), free(g.row), free(g.last);
    return out;
}
