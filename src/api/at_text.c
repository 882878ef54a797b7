/* api/at_text.c - reads a slice as text: items between commas, and a mode after ';'. */
#include "at.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *s;
    size_t n;
} word;
typedef struct {
    base_site site;
    const char *what, *text;
    const ir_type *x;
    int nname, dim; /* dim: of the next item */
    word *name;
    trace_value **value;
    bool *read;
    at_slice *to;
} reader;

static bool at_bad(const reader *r, word w, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static bool at_bad(const reader *r, word w, const char *fmt, ...)
{
    char text[300];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    base_fail(TT_ETEXT, r->site, "%s: %s", r->what, text);
    base_caret(r->text, (size_t)(w.s - r->text));
    return false;
}

static word stripped(const char *s, size_t n)
{
    while (n && isspace((unsigned char)*s)) s++, n--;
    while (n && isspace((unsigned char)s[n - 1])) n--;
    return (word){ s, n };
}

static bool word_is(word w, const char *text) { return w.n == strlen(text) && !memcmp(w.s, text, w.n); }

/* Length up to a character of `ends` that stands in no brackets and no string. */
static size_t length_to(const char *s, const char *ends)
{
    int deep = 0;
    char quote = 0;
    size_t n = 0;
    for (; s[n]; n++) {
        const char c = s[n];
        if (quote) {
            if (c == '\\' && s[n + 1]) n++;
            else if (c == quote) quote = 0;
            continue;
        }
        if (c == '"' || c == '\'') quote = c;
        else if (!deep && strchr(ends, c)) break;
        deep += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
    }
    return n;
}

/* ---- names ---- */

/* True if an argument's text is the word, or is tt_i(word). */
static bool is_named(word name, word w)
{
    if (name.n == w.n && !memcmp(name.s, w.s, w.n)) return true;
    return name.n == w.n + 6 && !memcmp(name.s, "tt_i(", 5) && name.s[name.n - 1] == ')' &&
           !memcmp(name.s + 5, w.s, w.n);
}

static int found(reader *r, word w)
{
    for (int i = 0; i < r->nname; i++)
        if (is_named(r->name[i], w)) return r->read[i] = true, i;
    at_bad(r, w, "no argument \"%.*s\"", (int)w.n, w.s);
    base_hint("an item is _, a:b:c, a number, ..., newaxis, or an argument as the call writes it");
    return -1;
}

/* ---- items ---- */

static bool reads_number(word w, int64_t *to)
{
    char *end, digits[24];
    if (!w.n || w.n >= sizeof digits) return false;
    memcpy(digits, w.s, w.n);
    digits[w.n] = 0;
    *to = strtoll(digits, &end, 10);
    return !*end && (isdigit((unsigned char)*digits) || *digits == '-' || *digits == '+');
}

/* A bound of a range: a number, or a C number by name. */
static bool read_bound(reader *r, word w, int64_t *to)
{
    if (reads_number(w, to)) return true;
    const int i = found(r, w);
    if (i < 0) return false;
    const trace_value *v = r->value[i];
    *to = v->i64;
    if (v->form == TRACE_NUMBER && v->integer) return true;
    at_bad(r, w, "\"%.*s\" is %s; bounds of a slice are numbers of C", (int)w.n, w.s, trace_text(v->type));
    return base_hint("tt_i(n) is one; tt_dynamic_slice and tt_dynamic_box begin where a value says"), false;
}

/* The range as Python's slice.indices has it: bounds beyond the ends are cut to them. */
static bool read_range(reader *r, word w, at_item *to)
{
    const int64_t size = r->x->dim[to->dim];
    int64_t bound[3] = { 0, 0, 1 };
    bool given[3] = { false };
    const char *const end = w.s + w.n;
    int k = 0;
    for (const char *s = w.s;; k++) {
        const size_t n = length_to(s, ":,;");
        const word part = stripped(s, n);
        if (k == 3) return at_bad(r, w, "more than from:to:step");
        if ((given[k] = part.n > 0) && !read_bound(r, part, &bound[k])) return false;
        if (s + n >= end) break;
        s += n + 1;
    }
    const int64_t step = bound[2];
    if (!step) return at_bad(r, w, "a step of 0");
    const int64_t least = step < 0 ? -1 : 0, most = step < 0 ? size - 1 : size;
    for (int i = 0; i < 2; i++) {
        if (!given[i]) bound[i] = (step < 0) == !i ? most : least;
        else if (bound[i] < 0) bound[i] = bound[i] + size < least ? least : bound[i] + size;
        else if (bound[i] > most) bound[i] = most;
    }
    const int64_t far = step < 0 ? bound[0] - bound[1] : bound[1] - bound[0];
    const uint64_t stride = step < 0 ? 0 - (uint64_t)step : (uint64_t)step;
    to->kind = AT_RANGE, to->first = bound[0], to->step = step;
    to->n = far > 0 ? 1 + (int64_t)((uint64_t)(far - 1) / stride) : 0;
    if (to->n < 2) to->step = 1;
    if (!to->n) to->first = 0;
    return true;
}

static bool read_element(reader *r, word w, int64_t i, at_item *to)
{
    const int64_t size = r->x->dim[to->dim];
    to->kind = AT_ELEMENT;
    to->first = i < 0 ? i + size : i;
    if (to->first >= 0 && to->first < size) return true;
    base_fail(TT_ESHAPE, r->site, "%s: element %lld of dim %d, which has %lld", r->what, (long long)i, to->dim,
              (long long)size);
    return base_caret(r->text, (size_t)(w.s - r->text));
}

static bool read_name(reader *r, word w, at_item *to)
{
    const int i = found(r, w);
    if (i < 0) return false;
    const trace_value *v = r->value[i];
    const ir_class c = ir_dtype_of(v->type->dtype)->cls;
    if (v->form == TRACE_NUMBER && v->integer) return read_element(r, w, v->i64, to);
    to->kind = AT_VALUE, to->value = i;
    r->to->nvalue++;
    if (c == IR_INT_CLASS || c == IR_UINT_CLASS) return true;
    at_bad(r, w, "the index \"%.*s\" is %s; indices are integers", (int)w.n, w.s, trace_text(v->type));
    trace_cite(v);
    if (c != IR_BOOL_CLASS) return base_hint("tt_cast(i, TT_I32) cuts fractions off"), false;
    return base_hint("tt_where(mask, x, y) selects by a mask; tt_nonzero(mask, .count = n) gives its indices"), false;
}

static bool read_whole(reader *r, at_item *to)
{
    *to = (at_item){ AT_RANGE, r->dim++, 0, 0, 0, 1 };
    to->n = r->x->dim[to->dim];
    return true;
}

static bool read_item(reader *r, word w, int dots)
{
    at_slice *to = r->to;
    int64_t i;
    if (word_is(w, "...")) {
        for (; dots > 0; dots--) read_whole(r, &to->item[to->n++]);
        return true;
    }
    at_item *item = &to->item[to->n++];
    memset(item, 0, sizeof *item);
    item->kind = AT_NEW;
    if (word_is(w, "newaxis") || word_is(w, "None")) return true;
    if (word_is(w, "_") || word_is(w, ":")) return read_whole(r, item);
    item->dim = r->dim++;
    if (length_to(w.s, ":,;") < w.n) return read_range(r, w, item);
    return reads_number(w, &i) ? read_element(r, w, i, item) : read_name(r, w, item);
}

/* ---- the text ---- */

static const char *const modes = "fill, drop, clip, wrap, promise_in_bounds";

static bool read_mode(reader *r, const char *s)
{
    const word w = stripped(s, strlen(s));
    r->to->mode = base_intern_n(w.s, w.n);
    for (const char *m = modes; *m; m += strcspn(m, ","), m += *m ? 2 : 0)
        if (w.n == strcspn(m, ",") && !memcmp(m, w.s, w.n)) return true;
    at_bad(r, w, "no mode \"%.*s\"", (int)w.n, w.s);
    return base_hint_choices("the modes are", w.s, w.n, modes), false;
}

/* Counts the items that take a dim; *dots: number of "...". False with the error set. */
static bool count_items(const reader *r, int *dims, int *dots)
{
    *dims = *dots = 0;
    int n = 0;
    for (const char *s = r->text;; s++) {
        const size_t len = length_to(s, ",;");
        const word w = stripped(s, len);
        const bool all = word_is(w, "..."), fresh = word_is(w, "newaxis") || word_is(w, "None");
        if (!w.n && (n || s[len] == ',')) return at_bad(r, (word){ s, 0 }, "an item is missing");
        if (++n > IR_RANK) return at_bad(r, w, "more than %d items", IR_RANK);
        *dots += all;
        *dims += !all && !fresh && w.n;
        if (*dots > 1 && all) return at_bad(r, w, "\"...\" twice");
        if (*dims > r->x->rank) {
            at_bad(r, w, "more items than %s has dims", trace_text(r->x));
            return false;
        }
        s += len;
        if (*s != ',') return true;
    }
}

static bool read_items(reader *r)
{
    int dims, dots;
    if (!count_items(r, &dims, &dots)) return false;
    const char *s = r->text;
    for (;; s++) {
        const size_t len = length_to(s, ",;");
        const word w = stripped(s, len);
        if (w.n && !read_item(r, w, r->x->rank - dims)) return false;
        s += len;
        if (*s != ',') break;
    }
    while (r->dim < r->x->rank) read_whole(r, &r->to->item[r->to->n++]);
    return !*s || read_mode(r, s + 1);
}

/* Splits the arguments' texts; false with the error set. */
static bool read_names(reader *r, const char *names, int skip, const tt_val *index)
{
    if ((r->nname = api_list(r->site, r->what, index)) < 0) return false;
    r->name = BASE_NEW(trace_temp(), word, r->nname + 1);
    r->value = BASE_NEW(trace_temp(), trace_value *, r->nname + 1);
    r->read = BASE_NEW(trace_temp(), bool, r->nname + 1);
    for (int i = -skip; i < r->nname && *names; i++) {
        const size_t n = length_to(names, ",");
        if (i >= 0) r->name[i] = stripped(names, n);
        names += n + (names[n] == ',');
    }
    for (int i = 0; i < r->nname; i++)
        if (!(r->value[i] = trace_array(r->site, r->what, index[i]))) return false;
    return true;
}

bool at_read(base_site site, const char *what, const ir_type *x, const char *text, const char *names, int skip,
             const tt_val *index, at_slice *to)
{
    reader r = { .site = site, .what = what, .text = text, .x = x, .to = to };
    memset(to, 0, sizeof *to);
    if (!text || !names) return base_fail(TT_ETEXT, site, "%s: its text, or the list of its names, is NULL", what);
    if (!read_names(&r, names, skip, index) || !read_items(&r)) return false;
    for (int i = 0; i < r.nname; i++) {
        if (r.read[i]) continue;
        base_fail(TT_ETEXT, site, "%s: \"%s\" does not read the argument \"%.*s\"", what, text, (int)r.name[i].n,
                  r.name[i].s ? r.name[i].s : "");
        return base_hint("list the indices that the text names, each once"), false;
    }
    return true;
}
