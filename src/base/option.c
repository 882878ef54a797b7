/* base/option.c - parses the text of a call's options, as stringified by the preprocessor: ".decay = 0, .norm = { .eps
 * = r }".
 *
 * An item ends at a comma outside of all brackets. A list ends at the end of the text or at a closing bracket without
 * an opening one, so that the contents of an item's braces are a list too. Strings, character constants and C++ raw
 * strings are single tokens. Text that is not an item of this form (C++ may leave half of "f<a, b>()") is skipped. */
#include "option.h"

#include <string.h>

static bool in_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The position after a raw string R"end(...)end". s: at the first quote. */
static const char *past_raw(const char *s)
{
    const char *open = strchr(s, '(');
    if (!open) return s + strlen(s);
    const size_t n = (size_t)(open - s) - 1;
    for (const char *p = open; (p = strchr(p + 1, ')'));)
        if (!strncmp(p + 1, s + 1, n) && p[n + 1] == '"') return p + n + 2;
    return s + strlen(s);
}

static const char *past_quoted(const char *s)
{
    const char quote = *s++;
    for (; *s && *s != quote; s++) if (*s == '\\' && s[1]) s++;
    return *s ? s + 1 : s;
}

/* The position after the token at s: a string, number, word or single character. */
static const char *past_token(const char *s)
{
    if (*s == '"' || *s == '\'') return past_quoted(s);
    if (!in_word(*s)) return s + 1;
    const bool number = *s >= '0' && *s <= '9';
    while (in_word(*s) || (number && *s == '\'' && in_word(s[1]))) s++;  /* C++ writes 1'000 */
    return !number && s[-1] == 'R' && *s == '"' ? past_raw(s) : s;
}

static const char *past_blanks(const char *s) { return s + strspn(s, " \t\n"); }

/* The end of the item at s: a comma or closing bracket outside of the brackets opened after s. */
static const char *item_end(const char *s)
{
    for (int depth = 0; *s; s = past_token(s)) {
        if (strchr("([{", *s)) depth++;
        else if (strchr(")]}", *s) && depth-- == 0) break;
        else if (*s == ',' && !depth) break;
    }
    return s;
}

/* Reads a path: ".name", ".name.of", ".name[2]". False: no path. */
static bool path_at(const char **at, base_option *o)
{
    const char *s = past_blanks(*at), *word;
    if (*s != '.') return false;
    o->name = word = s = past_blanks(s + 1);
    while (in_word(*s)) s++;
    o->nname = (size_t)(s - word);
    o->inner = past_blanks(s);
    for (s = past_blanks(s); *s == '.' || *s == '['; s = past_blanks(s)) {
        if (*s == '[') {
            while (*s && *s != ']') s = past_token(s);
            s += *s == ']';
        } else for (s = past_blanks(s + 1); in_word(*s); s++) { }
    }
    *at = s;
    return o->nname > 0;
}

bool base_option_next(const char **at, base_option *o)
{
    while (*at && **at && !strchr(")]}", **at)) {
        const char *s = *at, *end = item_end(s);
        *at = *end == ',' ? past_blanks(end + 1) : end;
        if (!path_at(&s, o) || s > end) continue;        /* ".a[)]": brackets that do not match */
        if (*s == '=') s = past_blanks(s + 1);
        else if (*s != '{' && s != end) continue;
        while (end > s && strchr(" \t\n", end[-1])) end--;
        o->value = s, o->nvalue = (size_t)(end - s);
        return true;
    }
    return false;
}

bool base_option_is(const base_option *o, const char *name)
{
    return o->nname == strlen(name) && !memcmp(o->name, name, o->nname);
}

bool base_option_find(const char *given, const char *name, base_option *o)
{
    bool found = false;
    base_option one;
    while (base_option_next(&given, &one)) if (base_option_is(&one, name)) *o = one, found = true;
    return found;
}

/* The position after the bracket that closes the one at s. */
static const char *past_brackets(const char *s)
{
    for (s = item_end(s + 1); *s == ','; s = item_end(s + 1)) { }
    return *s ? s + 1 : s;
}

static bool is_word(const char *s, size_t n, const char *word) { return n == strlen(word) && !memcmp(s, word, n); }

bool base_option_null(const base_option *o)
{
    char last = 0, before = 0;                           /* the last two tokens; a word is 'a'; skips calls */
    for (const char *s = o->value, *end = s + o->nvalue, *next; s < end; s = next) {
        next = past_token(s);
        const size_t n = (size_t)(next - s);
        if (strchr(" \t\n", *s)) continue;
        if (is_word(s, n, "nullptr") || is_word(s, n, "__null") || is_word(s, n, "NULL")) return true;
        if (is_word(s, n, "0") && last == ')' && before == '*') return true;     /* (void *)0 */
        if (strchr("[{", *s) || (*s == '(' && last == 'a')) next = past_brackets(s);
        else before = last, last = in_word(*s) ? 'a' : *s;
    }
    return false;
}

bool base_option_named(const base_option *o)
{
    for (const char *s = o->value, *end = s + o->nvalue, *next; s < end; s = next) {
        next = past_token(s);
        const bool word = in_word(*s) && !(*s >= '0' && *s <= '9');
        if (word && !is_word(s, (size_t)(next - s), "false")) return true;
    }
    return false;
}

bool base_option_empty(const base_option *o)
{
    for (const char *s = o->value, *end = s + o->nvalue, *next; s < end; s = next) {
        next = past_token(s);
        if (*s != '{') continue;
        base_option in = { .value = past_blanks(s + 1) };
        in.nvalue = (size_t)(item_end(in.value) - in.value);
        while (in.nvalue && strchr(" \t\n", in.value[in.nvalue - 1])) in.nvalue--;
        if (!in.nvalue || is_word(in.value, in.nvalue, "0") || base_option_null(&in)) return true;
    }
    return false;
}

int base_option_items(const base_option *o)
{
    const char *s = memchr(o->value, '{', o->nvalue);
    int n = 0;
    if (!s) return 0;
    for (s = past_blanks(s + 1); *s && *s != '}'; n++) {
        if (*s == '.' || *s == '[') return 0;            /* { [2] = 3 }: designated, not consecutive */
        s = item_end(s);
        if (*s == ',') s = past_blanks(s + 1);
    }
    return n;
}
