/* text/json.c - tokenizer.json, the format of the `tokenizers` library, but for its model and steps: the text as JSON,
 * added tokens, truncation, the template of the post-processor. A name that is not known here is an error. */
#include "text.h"

#include <stdlib.h>
#include <string.h>

json_t *text_json(text_at at, const char *p, size_t n)
{
    json_error_t why;
    json_t *const o = json_loadb(p, n, JSON_REJECT_DUPLICATES, &why);
    if (!o) text_fail(at, TT_EDATA, "is not JSON: line %d: %s", why.line, why.text);
    return o;
}

bool text_json_only(text_at at, const json_t *o, const char *where, const char *names)
{
    const char *name;
    json_t *v;
    if (!json_is_object(o)) return text_fail(at, TT_EDATA, "%s is not a JSON object", where);
    json_object_foreach((json_t *)o, name, v)
    {
        const size_t n = strlen(name);
        const char *p = names;
        while (p && !(!strncmp(p, name, n) && (p[n] == ' ' || !p[n]))) p = strchr(p, ' ') ? strchr(p, ' ') + 1 : NULL;
        if (!p) return text_fail(at, TT_EDATA, "%s: \"%.60s\" is not supported", where, name);
    }
    return true;
}

static bool id_of(text_at at, const json_t *v, const char *where, int64_t *id)
{
    *id = json_is_integer(v) ? json_integer_value(v) : -1;
    return (*id >= 0 && *id < INT32_MAX) || text_fail(at, TT_EDATA, "%s: an id that is not a number of 0 or more",
                                                      where);
}

static bool added_tokens(text_at at, text_tokenizer *t, const json_t *list)
{
    const size_t n = json_array_size(list);
    t->added.token = calloc(n + 1, sizeof *t->added.token);
    if (!t->added.token) return text_no_memory(at);
    for (size_t i = 0; i < n; i++) {
        const json_t *const o = json_array_get(list, i), *const content = json_object_get(o, "content");
        text_token *const k = &t->added.token[i];
        int64_t id;
        if (!text_json_only(at, o, "added_tokens", "id content single_word lstrip rstrip normalized special") ||
            !id_of(at, json_object_get(o, "id"), "added_tokens", &id))
            return false;
        if (!json_is_string(content)) return text_fail(at, TT_EDATA, "added_tokens: a token without content");
        k->n = json_string_length(content);
        if (!k->n || k->n > TEXT_PIECE)
            return text_fail(at, TT_EDATA, "added_tokens: a token of %zu bytes; expected 1 to %d", k->n, TEXT_PIECE);
        k->content = text_copy(json_string_value(content), k->n);
        if (!k->content) return text_no_memory(at);
        k->id = (int32_t)id;
        k->special = json_is_true(json_object_get(o, "special"));
        const json_t *const normalized = json_object_get(o, "normalized");
        k->normalized = normalized ? json_is_true(normalized) : !k->special;
        k->single = json_is_true(json_object_get(o, "single_word"));
        k->lstrip = json_is_true(json_object_get(o, "lstrip"));
        k->rstrip = json_is_true(json_object_get(o, "rstrip"));
        t->added.n = (int)i + 1;
        if (k->single && text_unicode_missing())
            return text_fail(at, TT_EENGINE, "single_word: %s", text_unicode_missing());
    }
    return true;
}

static bool truncation(text_at at, text_tokenizer *t, const json_t *o)
{
    const char *const side = json_string_value(json_object_get(o, "direction"));
    if (!o || json_is_null(o)) return true;
    if (!text_json_only(at, o, "truncation", "direction max_length strategy stride")) return false;
    const json_t *const most = json_object_get(o, "max_length");
    if (!json_is_integer(most) || json_integer_value(most) < 1)
        return text_fail(at, TT_EDATA, "truncation: max_length: expected a number of 1 or more");
    if (side && strcmp(side, "Left") && strcmp(side, "Right"))
        return text_fail(at, TT_EDATA, "truncation: the direction \"%.40s\" is not supported", side);
    t->most_ids = json_integer_value(most);
    t->cut_left = side && !strcmp(side, "Left");
    return true;
}

static bool padding(text_at at, const json_t *o) /* of a text by itself, BatchLongest adds nothing */
{
    const json_t *const multiple = json_object_get(o, "pad_to_multiple_of"), *const how =
                                                                                 json_object_get(o, "strategy");
    if (!o || json_is_null(o)) return true;
    if (multiple && !json_is_null(multiple))
        return text_fail(at, TT_EDATA, "padding: pad_to_multiple_of is not supported");
    if (!json_is_string(how) || strcmp(json_string_value(how), "BatchLongest"))
        return text_fail(at, TT_EDATA, "padding: a strategy other than BatchLongest is not supported");
    return true;
}

/* ---- the template ---- */

static bool template_add(text_at at, text_tokenizer *t, bool before, const json_t *ids)
{
    int *const n = before ? &t->nbefore : &t->nafter;
    for (size_t i = 0; i < json_array_size(ids); i++) {
        int64_t id;
        if (!id_of(at, json_array_get(ids, i), "post_processor", &id)) return false;
        if (*n == TEXT_STEPS) return text_fail(at, TT_EDATA, "post_processor: more than %d tokens", TEXT_STEPS);
        (before ? t->before : t->after)[(*n)++] = (int32_t)id;
    }
    return true;
}

static bool template(text_at at, text_tokenizer *t, const json_t *o)
{
    const json_t *const single = json_object_get(o, "single"), *const tokens = json_object_get(o, "special_tokens");
    bool seen = false;
    if (!text_json_only(at, o, "TemplateProcessing", "type single pair special_tokens")) return false;
    if (!json_is_array(single)) return text_fail(at, TT_EDATA, "TemplateProcessing: single is not a list");
    for (size_t i = 0; i < json_array_size(single); i++) {
        const json_t *const item = json_array_get(single, i), *const special = json_object_get(item, "SpecialToken");
        const char *const name = json_string_value(json_object_get(special, "id"));
        if (json_object_get(item, "Sequence") && !seen) {
            seen = true;
            continue;
        }
        const json_t *const ids = name ? json_object_get(json_object_get(tokens, name), "ids") : NULL;
        if (!json_is_array(ids))
            return text_fail(at, TT_EDATA, "TemplateProcessing: part %zu is neither a SpecialToken nor a Sequence", i);
        if (!template_add(at, t, !seen, ids)) return false;
    }
    return seen || text_fail(at, TT_EDATA, "TemplateProcessing: there is no place for the text");
}

/* ["[CLS]", 101] */
static bool template_pair(text_at at, text_tokenizer *t, const json_t *o, const char *name, bool before)
{
    json_t *const ids = json_pack("[O]", json_array_get(json_object_get(o, name), 1));
    const bool ok = ids ? template_add(at, t, before, ids) : text_fail(at, TT_EDATA, "post_processor: %s", name);
    json_decref(ids);
    return ok;
}

static bool post_processor(text_at at, text_tokenizer *t, const json_t *o, int deep)
{
    const char *const type = json_string_value(json_object_get(o, "type"));
    if (!o || json_is_null(o)) return true;
    if (!type || deep > 8) return text_fail(at, TT_EDATA, "post_processor has no type");
    if (!strcmp(type, "ByteLevel")) return true; /* it moves offsets, which nobody asks for */
    if (!strcmp(type, "Sequence")) {
        const json_t *const list = json_object_get(o, "processors");
        for (size_t i = 0; i < json_array_size(list); i++)
            if (!post_processor(at, t, json_array_get(list, i), deep + 1)) return false;
        return true;
    }
    if (t->nbefore + t->nafter) return text_fail(at, TT_EDATA, "post_processor: two templates are not supported");
    if (!strcmp(type, "TemplateProcessing")) return template(at, t, o);
    if (!strcmp(type, "BertProcessing") || !strcmp(type, "RobertaProcessing"))
        return text_json_only(at, o, type, "type sep cls trim_offsets add_prefix_space") &&
               template_pair(at, t, o, "cls", true) && template_pair(at, t, o, "sep", false);
    return text_fail(at, TT_EDATA, "post_processor: \"%.60s\" is not supported", type);
}

static bool template_known(text_at at, const text_tokenizer *t)
{
    size_t n;
    for (int i = 0; i < t->nbefore + t->nafter; i++) {
        const int32_t id = i < t->nbefore ? t->before[i] : t->after[i - t->nbefore];
        if (!text_vocab_at(&t->vocab, id, &n))
            return text_fail(at, TT_EDATA, "post_processor: no piece has the id %d", id);
    }
    return true;
}

bool text_open_json(text_at at, text_tokenizer *t, const char *p, size_t n)
{
    json_t *const o = text_json(at, p, n);
    if (!o) return false;
    static const char names[] =
        "version truncation padding added_tokens normalizer pre_tokenizer post_processor decoder "
        "model";
    const json_t *const model = json_object_get(o, "model");
    bool ok = text_json_only(at, o, "the file", names);
    if (ok && !json_is_object(model)) ok = text_fail(at, TT_EDATA, "has no model, so it is no tokenizer.json");
    ok = ok && added_tokens(at, t, json_object_get(o, "added_tokens")) && text_json_model(at, t, o) &&
         text_json_normalizer(at, &t->normal, json_object_get(o, "normalizer"), 0) &&
         text_json_splitter(at, &t->split, json_object_get(o, "pre_tokenizer"), 0) &&
         text_json_decoder(at, &t->decode, json_object_get(o, "decoder"), 0) &&
         post_processor(at, t, json_object_get(o, "post_processor"), 0) && template_known(at, t) &&
         truncation(at, t, json_object_get(o, "truncation")) && padding(at, json_object_get(o, "padding")) &&
         text_byte_level(at, t) && text_tries(at, t) && text_added_index(at, t);
    if (ok) text_find_cuts(t);
    json_decref(o);
    t->format = "tokenizer.json";
    return ok;
}
