/* text/json_steps.c - the normalizers and pre-tokenizers that a tokenizer.json names. */
#include "text.h"

#include <stdlib.h>
#include <string.h>

static const char *step_type(const json_t *o)
{
    const char *const s = json_string_value(json_object_get(o, "type"));
    return s ? s : "";
}

static bool flag(const json_t *o, const char *name, bool usual)
{
    const json_t *const v = json_object_get(o, name);
    return json_is_boolean(v) ? json_is_true(v) : usual;
}

static bool needs_unicode(text_at at, const char *what)
{
    const char *const missing = text_unicode_missing();
    return !missing || text_fail(at, TT_EENGINE, "%s: %s", what, missing);
}

static text_step *step_new(text_at at, text_steps *s, text_what what)
{
    if (s->n == TEXT_STEPS) {
        text_fail(at, TT_EDATA, "more than %d steps", TEXT_STEPS);
        return NULL;
    }
    s->step[s->n] = (text_step){ .what = what };
    return &s->step[s->n++];
}

static bool text_of(text_at at, const json_t *v, const char *what, char **to, size_t *n)
{
    if (!json_is_string(v)) return text_fail(at, TT_EDATA, "%s: expected a text", what);
    *n = json_string_length(v);
    *to = text_copy(json_string_value(v), *n);
    return *to || text_no_memory(at);
}

/* {"String": " "} or {"Regex": "..."}; of Metaspace and Replace before 2021 the text itself */
static bool pattern(text_at at, text_step *s, const json_t *v, const char *what)
{
    const json_t *const text = json_is_string(v) ? v : json_object_get(v, "String");
    const json_t *const regex = json_object_get(v, "Regex");
    if (json_is_string(regex)) {
        s->regex = text_regex_new(at, json_string_value(regex), json_string_length(regex));
        return s->regex != NULL;
    }
    return text_of(at, text, what, &s->a, &s->na) && (s->na || text_fail(at, TT_EDATA, "%s: an empty pattern", what));
}

void text_steps_free(text_steps *s)
{
    for (int i = 0; i < s->n; i++) {
        free(s->step[i].a);
        free(s->step[i].b);
        text_regex_free(s->step[i].regex);
        free(s->step[i].map.unit);
        free(s->step[i].map.text);
    }
    s->n = 0;
}

/* ---- normalizers ---- */

static bool bert(text_at at, text_steps *steps, const json_t *o)
{
    static const char names[] = "type clean_text handle_chinese_chars strip_accents lowercase";
    text_step *const s = step_new(at, steps, TEXT_TO_BERT);
    if (!s || !text_json_only(at, o, "BertNormalizer", names) || !needs_unicode(at, "BertNormalizer")) return false;
    s->clean = flag(o, "clean_text", true), s->chinese = flag(o, "handle_chinese_chars", true);
    s->lower = flag(o, "lowercase", true), s->accents = flag(o, "strip_accents", s->lower);
    return true;
}

static bool precompiled(text_at at, text_steps *steps, const json_t *o)
{
    const char *const text = json_string_value(json_object_get(o, "precompiled_charsmap"));
    text_step *const s = text && *text ? step_new(at, steps, TEXT_TO_MAPPED) : NULL;
    text_buf b = { 0 };
    if (!text_json_only(at, o, "Precompiled", "type precompiled_charsmap") || !needs_unicode(at, "Precompiled"))
        return false;
    if (!text || !*text) return text_fail(at, TT_EDATA, "Precompiled: precompiled_charsmap is missing");
    const bool ok = s && text_base64(at, text, &b) && text_charsmap_new(at, &s->map, b.p, b.n);
    text_free(&b);
    return ok;
}

static bool normalizer(text_at at, text_steps *steps, const json_t *o, const char *type)
{
    static const char *const forms[] = { "NFC", "NFD", "NFKC", "NFKD" };
    text_step *s;
    for (int i = 0; i < 4; i++) {
        if (strcmp(type, forms[i])) continue;
        s = step_new(at, steps, TEXT_TO_FORM);
        if (s) s->form = (text_form)i;
        return s && text_json_only(at, o, type, "type") && needs_unicode(at, type);
    }
    if (!strcmp(type, "Lowercase"))
        return step_new(at, steps, TEXT_TO_LOWER) && text_json_only(at, o, type, "type") && needs_unicode(at, type);
    if (!strcmp(type, "StripAccents"))
        return step_new(at, steps, TEXT_TO_NO_ACCENTS) && text_json_only(at, o, type, "type") &&
               needs_unicode(at, type);
    if (!strcmp(type, "BertNormalizer")) return bert(at, steps, o);
    if (!strcmp(type, "Precompiled")) return precompiled(at, steps, o);
    if (!strcmp(type, "Replace")) {
        s = step_new(at, steps, TEXT_TO_OTHER);
        return s && text_json_only(at, o, type, "type pattern content") &&
               pattern(at, s, json_object_get(o, "pattern"), "Replace") &&
               text_of(at, json_object_get(o, "content"), "Replace: content", &s->b, &s->nb);
    }
    if (!strcmp(type, "Prepend")) {
        s = step_new(at, steps, TEXT_TO_BEGIN);
        return s && text_json_only(at, o, type, "type prepend") &&
               text_of(at, json_object_get(o, "prepend"), "Prepend", &s->a, &s->na);
    }
    if (!strcmp(type, "Strip")) {
        s = step_new(at, steps, TEXT_TO_STRIP);
        if (s) s->left = flag(o, "strip_left", true), s->right = flag(o, "strip_right", true);
        return s && text_json_only(at, o, type, "type strip_left strip_right");
    }
    return text_fail(at, TT_EDATA, "normalizer: \"%.60s\" is not supported", type);
}

bool text_json_normalizer(text_at at, text_steps *steps, const json_t *o, int deep)
{
    const char *const type = step_type(o);
    if (!o || json_is_null(o)) return true;
    if (strcmp(type, "Sequence")) return normalizer(at, steps, o, type);
    const json_t *const list = json_object_get(o, "normalizers");
    if (!text_json_only(at, o, "normalizer", "type normalizers")) return false;
    if (!json_is_array(list) || deep > 8)
        return text_fail(at, TT_EDATA, "normalizer: a Sequence without a list of normalizers");
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!text_json_normalizer(at, steps, json_array_get(list, i), deep + 1)) return false;
    return true;
}

/* ---- pre-tokenizers ---- */

static bool behavior(text_at at, const json_t *o, text_step *s)
{
    static const char *const names[] = { "Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous" };
    const char *const name = json_string_value(json_object_get(o, "behavior"));
    for (int i = 0; name && i < 5; i++)
        if (!strcmp(name, names[i])) return s->behavior = (text_behavior)i, true;
    return text_fail(at, TT_EDATA, "%s: the behavior \"%.40s\" is not supported", step_type(o), name ? name : "");
}

static bool metaspace(text_at at, const json_t *o, text_step *s)
{
    static const char *const names[] = { "always", "first", "never" };
    const json_t *const scheme = json_object_get(o, "prepend_scheme"), *const text = json_object_get(o, "replacement");
    if (!text_json_only(at, o, "Metaspace", "type replacement prepend_scheme split add_prefix_space str_rep") ||
        !text_of(at, text, "Metaspace: replacement", &s->a, &s->na))
        return false;
    if (!s->na) return text_fail(at, TT_EDATA, "Metaspace: an empty replacement");
    s->split = flag(o, "split", true);
    s->scheme = flag(o, "add_prefix_space", true) ? TEXT_ALWAYS : TEXT_NEVER;
    for (int i = 0; json_is_string(scheme) && i < 3; i++)
        if (!strcmp(json_string_value(scheme), names[i])) return s->scheme = (text_scheme)i, true;
    return !scheme || text_fail(at, TT_EDATA, "Metaspace: prepend_scheme: expected always, first or never");
}

bool text_set_byte_level(text_at at, text_step *s, bool splits)
{
    static const char usual[] = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";
    if (splits) s->regex = text_regex_new(at, usual, sizeof usual - 1);
    return !splits || s->regex;
}

static bool byte_level(text_at at, const json_t *o, text_step *s)
{
    if (!text_json_only(at, o, "ByteLevel", "type add_prefix_space trim_offsets use_regex")) return false;
    s->prefix = flag(o, "add_prefix_space", true);
    return text_set_byte_level(at, s, flag(o, "use_regex", true));
}

static bool splitter(text_at at, text_steps *steps, const json_t *o, const char *type)
{
    static const char *const names[] = { "ByteLevel",   "Split",           "Metaspace",        "Digits",
                                         "Punctuation", "WhitespaceSplit", "BertPreTokenizer", "Whitespace" };
    static const text_what whats[] = { TEXT_AT_BYTES,       TEXT_AT_MATCH, TEXT_AT_METASPACE, TEXT_AT_NUMBER,
                                       TEXT_AT_PUNCTUATION, TEXT_AT_SPACE, TEXT_AT_BERT,      TEXT_AT_MATCH };
    static const char words[] = "[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\x{200c}\\x{200d}]+|"
                                "[^\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\x{200c}\\x{200d}\\s]+";
    int i = 0;
    while (i < 8 && strcmp(type, names[i])) i++;
    if (i == 8) return text_fail(at, TT_EDATA, "pre_tokenizer: \"%.60s\" is not supported", type);
    text_step *const s = step_new(at, steps, whats[i]);
    if (!s) return false;
    if (steps->n > 1 && steps->step[steps->n - 2].what == TEXT_AT_BYTES)
        return text_fail(at, TT_EDATA, "pre_tokenizer: %s after ByteLevel is not supported", type);
    switch (i) {
    case 0: return byte_level(at, o, s);
    case 1:
        s->invert = flag(o, "invert", false);
        return text_json_only(at, o, type, "type pattern behavior invert") && behavior(at, o, s) &&
               pattern(at, s, json_object_get(o, "pattern"), "Split");
    case 2: return metaspace(at, o, s);
    case 3:
        s->behavior = flag(o, "individual_digits", false) ? TEXT_ISOLATED : TEXT_CONTIGUOUS;
        return text_json_only(at, o, type, "type individual_digits") && needs_unicode(at, type);
    case 4:
        s->behavior = TEXT_ISOLATED;
        return text_json_only(at, o, type, "type behavior") && needs_unicode(at, type) &&
               (!json_object_get(o, "behavior") || behavior(at, o, s));
    case 5: return text_json_only(at, o, type, "type");
    case 6: return text_json_only(at, o, type, "type") && needs_unicode(at, type);
    default:
        s->invert = true;
        s->regex = text_regex_new(at, words, sizeof words - 1);
        return s->regex && text_json_only(at, o, type, "type");
    }
}

bool text_json_splitter(text_at at, text_steps *steps, const json_t *o, int deep)
{
    const char *const type = step_type(o);
    if (!o || json_is_null(o)) return true;
    if (strcmp(type, "Sequence")) return splitter(at, steps, o, type);
    const json_t *const list = json_object_get(o, "pretokenizers");
    if (!text_json_only(at, o, "pre_tokenizer", "type pretokenizers")) return false;
    if (!json_is_array(list) || deep > 8)
        return text_fail(at, TT_EDATA, "pre_tokenizer: a Sequence without a list of pretokenizers");
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!text_json_splitter(at, steps, json_array_get(list, i), deep + 1)) return false;
    return true;
}

/* ---- decoders ---- */

static bool decoder(text_at at, text_step *s, const json_t *o, const char *type)
{
    switch (s->what) {
    case TEXT_FROM_OTHER:
        return text_json_only(at, o, type, "type pattern content") &&
               pattern(at, s, json_object_get(o, "pattern"), "Replace") &&
               text_of(at, json_object_get(o, "content"), "Replace: content", &s->b, &s->nb);
    case TEXT_FROM_STRIP:
        s->start = json_integer_value(json_object_get(o, "start")),
        s->stop = json_integer_value(json_object_get(o, "stop"));
        if (s->fused && s->stop)
            return text_fail(at, TT_EDATA, "decoder: Strip of the end after Fuse is not supported");
        return text_json_only(at, o, type, "type content start stop") &&
               text_of(at, json_object_get(o, "content"), "Strip: content", &s->a, &s->na) &&
               (s->na || text_fail(at, TT_EDATA, "Strip: content is missing"));
    case TEXT_FROM_METASPACE: return metaspace(at, o, s);
    case TEXT_FROM_WORDPIECE:
        s->cleanup = flag(o, "cleanup", true);
        return text_json_only(at, o, type, "type prefix cleanup") &&
               text_of(at, json_object_get(o, "prefix"), "WordPiece: prefix", &s->a, &s->na);
    case TEXT_FROM_BYTES: return text_json_only(at, o, type, "type add_prefix_space trim_offsets use_regex");
    default: return text_json_only(at, o, type, "type");
    }
}

bool text_json_decoder(text_at at, text_steps *steps, const json_t *o, int deep)
{
    static const char *const names[] = { "ByteLevel", "ByteFallback", "Fuse",     "Strip",
                                         "Replace",   "Metaspace",    "WordPiece" };
    const char *const type = step_type(o);
    if (!o || json_is_null(o)) return true;
    if (!strcmp(type, "Sequence")) {
        const json_t *const list = json_object_get(o, "decoders");
        if (!json_is_array(list) || deep > 8)
            return text_fail(at, TT_EDATA, "decoder: a Sequence without a list of decoders");
        for (size_t i = 0; i < json_array_size(list); i++)
            if (!text_json_decoder(at, steps, json_array_get(list, i), deep + 1)) return false;
        if (!deep && !steps->n && !step_new(at, steps, TEXT_FROM_FUSE)) return false;    /* not as without a decoder */
        return text_json_only(at, o, "decoder", "type decoders");
    }
    int i = 0;
    while (i < 7 && strcmp(type, names[i])) i++;
    if (i == 7) return text_fail(at, TT_EDATA, "decoder: \"%.60s\" is not supported", type);
    const bool fused =
        steps->n && (steps->step[steps->n - 1].fused || steps->step[steps->n - 1].what == TEXT_FROM_FUSE ||
                     steps->step[steps->n - 1].what == TEXT_FROM_BYTES);
    text_step *const s = step_new(at, steps, (text_what)(TEXT_FROM_BYTES + i));
    if (!s) return false;
    s->fused = fused;
    if (fused && s->what != TEXT_FROM_STRIP && s->what != TEXT_FROM_FUSE)
        return text_fail(at, TT_EDATA, "decoder: %s after Fuse or ByteLevel is not supported", type);
    if (s->what == TEXT_FROM_BYTES && steps->n > 1)
        return text_fail(at, TT_EDATA, "decoder: ByteLevel after another decoder is not supported");
    return decoder(at, s, o, type);
}
