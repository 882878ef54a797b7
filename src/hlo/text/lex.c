/* hlo/text/lex.c - reads marks, words, numbers and names from the text; positions; messages with a caret.
 *
 * There are no tokens: "2x3xf32" is one unit in a type and "2" is another in a list, so the parser reads characters. A
 * mark that is a word matches complete words only. */
#include "../inner.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *hlo_grown(base_arena *a, const void *old, int *cap, size_t each)
{
    const int n = *cap;
    *cap = n ? 2 * n : 4;
    void *const v = base_new(a, (size_t)*cap * each);
    if (n) memcpy(v, old, (size_t)n * each);
    return v;
}

bool hlo_is(hlo_span s, const char *text) { return s.n == strlen(text) && !memcmp(s.at, text, s.n); }
bool hlo_same(hlo_span a, hlo_span b) { return a.n == b.n && !memcmp(a.at, b.at, a.n); }
size_t hlo_chain(hlo_span s) { return base_hash(0, s.at, s.n) % HLO_CHAINS; }

const hlo_attr *hlo_alias_of(const hlo_parser *p, hlo_span name)
{
    for (int k = p->module->of_alias[hlo_chain(name)]; k; k = p->module->alias.v[k - 1].next)
        if (hlo_same(p->module->alias.v[k - 1].attr.key, name)) return &p->module->alias.v[k - 1].attr;
    return NULL;
}

hlo_func *hlo_function_in(hlo_module *m, int module, hlo_span name)
{
    for (int k = m->of_func[hlo_chain(name)]; k; k = m->func.v[k - 1].next)
        if (m->func.v[k - 1].module == module && hlo_same(m->func.v[k - 1].name, name)) return &m->func.v[k - 1];
    return NULL;
}

base_name hlo_name(hlo_span s) { return base_intern_n(s.at, s.n); }

/* ---- positions ---- */

static const char *line_begin(const hlo_parser *p, const char *at)
{
    while (at > p->begin && at[-1] != '\n') at--;
    return at;
}

static void count_to(hlo_parser *p, const char *at)
{
    while (p->line_at < at) {
        const char *const end = memchr(p->line_at, '\n', (size_t)(at - p->line_at));
        if (!end) break;
        p->line++, p->line_from = p->line_at = end + 1;
    }
    p->line_at = at;
}

/* Line number of a position, counted from the latest position or from the preceding mark: calls are read where they
 * occur, so positions jump about the text. */
static int lex_line_of(hlo_parser *p, const char *at)
{
    const size_t k = (size_t)(at - p->begin) / HLO_BLOCK, all = (size_t)(p->end - p->begin) / HLO_BLOCK + 1;
    if (!p->mark) {
        p->mark = BASE_NEW(p->arena, hlo_line, all);
        p->line_at = p->line_from = p->begin, p->line = 1;
        for (size_t i = 0; i < all; i++) {
            count_to(p, p->begin + i * HLO_BLOCK);
            p->mark[i] = (hlo_line){ p->line, p->line_from };
        }
    }
    if (at < p->line_at || (size_t)(at - p->line_at) > HLO_BLOCK)
        p->line = p->mark[k].line, p->line_from = p->mark[k].from, p->line_at = p->begin + k * HLO_BLOCK;
    count_to(p, at);
    return p->line;
}

bool hlo_fail(hlo_parser *p, const char *at, tt_code code, const char *fmt, ...)
{
    enum { WIDTH = 100 };
    char what[600], line[WIDTH + 1];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    const char *const begin = line_begin(p, at), *from = at - begin > WIDTH / 2 ? at - WIDTH / 2 : begin;
    int n = 0;
    for (; n < WIDTH && from + n < p->end && from[n] != '\n'; n++)
        line[n] = (char)(isprint((unsigned char)from[n]) ? from[n] : ' ');
    line[n] = 0;
    const base_site site =
        base_intern(base_format(p->arena, "%s:%d:%d", p->file, lex_line_of(p, at), (int)(at - begin) + 1));
    base_fail(code, site, "%s", what);
    return base_caret(line, (size_t)(at - from));
}

bool hlo_expected(hlo_parser *p, const char *what)
{
    hlo_blank(p);
    if (p->at >= p->end) return hlo_fail(p, p->at, TT_EARG, "the text ends where %s should stand", what);
    return hlo_fail(p, p->at, TT_EARG, "expected %s", what);
}

bool hlo_deeper(hlo_parser *p)
{
    if (++p->depth <= HLO_DEPTH) return true;
    return hlo_fail(p, p->at, TT_EARG, "nested more than %d deep", HLO_DEPTH);
}

/* The first "file":line in a location, innermost frame first; aliases are followed. */
static bool file_line(const hlo_parser *p, const char *at, int depth, hlo_span *file, int *line)
{
    int open = 0;
    for (; at < p->end && depth < 20; at++) {
        if (*at == '"') {
            const char *const s = ++at;
            while (at < p->end && *at != '"' && *at != '\n') at++;
            if (at + 1 < p->end && at[1] == ':' && isdigit((unsigned char)at[2])) {
                *file = (hlo_span){ s, (size_t)(at - s) }, *line = atoi(at + 2);
                return true;
            }
        } else if (*at == '#') {
            size_t n = 1;
            while (at + n < p->end && (isalnum((unsigned char)at[n]) || at[n] == '_')) n++;
            const hlo_attr *const a = hlo_alias_of(p, (hlo_span){ at, n });
            return a && file_line(p, a->text.at, depth + 1, file, line);
        } else if (*at == '(') open++;
        else if ((*at == ')' && --open <= 0) || *at == '\n') return false;
    }
    return false;
}

base_site hlo_source(hlo_parser *p, const char *loc)
{
    hlo_span file;
    char text[300];
    int line;
    if (!loc || !file_line(p, loc, 0, &file, &line)) return NULL;
    size_t from = file.n;
    while (from && file.at[from - 1] != '/') from--;
    snprintf(text, sizeof text, "%.*s:%d", (int)(file.n - from), file.at + from, line);
    return base_intern(text);
}

base_site hlo_site(hlo_parser *p, const char *at, const char *loc)
{
    char text[700];
    const base_site source = hlo_source(p, loc);
    const int line = lex_line_of(p, at), column = (int)(at - p->line_from) + 1;
    snprintf(text, sizeof text, "%s:%d:%d%s%s%s", p->file, line, column, source ? " (" : "", source ? source : "",
             source ? ")" : "");
    return base_intern(text);
}

/* ---- marks and words ---- */

void hlo_blank(hlo_parser *p)
{
    while (p->at < p->end) {
        if (isspace((unsigned char)*p->at)) p->at++;
        else if (p->at[0] == '/' && p->at + 1 < p->end && p->at[1] == '/')
            while (p->at < p->end && *p->at != '\n') p->at++;
        else return;
    }
}

static bool in_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$'; }

bool hlo_next(hlo_parser *p, const char *mark)
{
    const size_t n = strlen(mark);
    hlo_blank(p);
    if ((size_t)(p->end - p->at) < n || memcmp(p->at, mark, n)) return false;
    return !in_word(mark[n - 1]) || p->at + n == p->end || !in_word(p->at[n]);
}

bool hlo_take(hlo_parser *p, const char *mark)
{
    if (!hlo_next(p, mark)) return false;
    p->at += strlen(mark);
    return true;
}

bool hlo_need(hlo_parser *p, const char *mark)
{
    char what[40];
    if (hlo_take(p, mark)) return true;
    snprintf(what, sizeof what, "\"%s\"", mark);
    return hlo_expected(p, what);
}

hlo_span hlo_word(hlo_parser *p)
{
    hlo_blank(p);
    hlo_span s = { p->at, 0 };
    if (p->at < p->end && (isalpha((unsigned char)*p->at) || *p->at == '_'))
        while (p->at < p->end && in_word(*p->at)) p->at++;
    s.n = (size_t)(p->at - s.at);
    return s;
}

bool hlo_string(hlo_parser *p, hlo_span *s)
{
    if (!hlo_next(p, "\"")) return hlo_expected(p, "a text in quotes");
    const char *const from = p->at++;
    while (p->at < p->end && *p->at != '"' && *p->at != '\n') p->at += *p->at == '\\' && p->at + 1 < p->end ? 2 : 1;
    if (p->at >= p->end || *p->at != '"')
        return hlo_fail(p, from, TT_EARG, "a text in quotes that does not end on its line");
    *s = (hlo_span){ from + 1, (size_t)(p->at - from - 1) };
    p->at++;
    return true;
}

static hlo_span bare(hlo_parser *p)                      /* the characters that may follow '@', '%' and '#' */
{
    hlo_span s = { p->at, 0 };
    while (p->at < p->end && (in_word(*p->at) || *p->at == '-')) p->at++;
    s.n = (size_t)(p->at - s.at);
    return s;
}

bool hlo_symbol(hlo_parser *p, hlo_span *s)
{
    if (!hlo_next(p, "@")) return hlo_expected(p, "a name with \"@\"");
    p->at++;
    if (p->at < p->end && *p->at == '"') return hlo_string(p, s);
    *s = bare(p);
    return s->n || hlo_expected(p, "a name behind \"@\"");
}

bool hlo_value(hlo_parser *p, hlo_use *u)
{
    if (!hlo_next(p, "%")) return hlo_expected(p, "a value, such as %0");
    p->at++;
    u->name = bare(p);
    u->index = 0;
    if (!u->name.n) return hlo_expected(p, "a name behind \"%\"");
    if (p->at + 1 < p->end && *p->at == '#' && isdigit((unsigned char)p->at[1])) {
        p->at++;
        return hlo_integer(p, &u->index);
    }
    return true;
}

bool hlo_integer(hlo_parser *p, int64_t *v)
{
    char text[32];
    size_t n = 0;
    hlo_blank(p);
    const char *at = p->at;
    if (at < p->end && (*at == '-' || *at == '+')) text[n++] = *at++;
    const bool hex = at + 1 < p->end && at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
    while (at < p->end && n < sizeof text - 1 && (hex ? isalnum((unsigned char)*at) : isdigit((unsigned char)*at)))
        text[n++] = *at++;
    text[n] = 0;
    char *end;
    errno = 0;
    *v = strtoll(text, &end, hex ? 16 : 10);
    if (!n || *end || errno == ERANGE) return hlo_expected(p, "an integer");
    p->at = at;
    return true;
}

bool hlo_balanced(hlo_parser *p, hlo_span *s)
{
    int open = 0;
    hlo_blank(p);
    const char *const from = p->at;
    for (; p->at < p->end; p->at++) {
        const char c = *p->at;
        if (c == '"') {
            hlo_span inside;
            if (!hlo_string(p, &inside)) return false;
            p->at--;
        } else if (c == '(' || c == '[' || c == '{' || c == '<') open++;
        else if (c == '-' && p->at + 1 < p->end && p->at[1] == '>') p->at++;
        else if ((c == ')' || c == ']' || c == '}' || c == '>') && --open <= 0) {
            p->at++;
            *s = (hlo_span){ from, (size_t)(p->at - from) };
            return true;
        }
    }
    return hlo_fail(p, from, TT_EARG, "the text ends before this bracket is closed");
}
