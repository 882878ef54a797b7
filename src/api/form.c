/* api/form.c - forms: "name(value, key=value, ...)" with values that may be forms; errors mark their place with a
 * caret. */
#include "../base/memstream.h"
#include "../base/thread.h"
#include "api.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tutti/form.h>

tt_val tt_form_fail(const tt_form *f, tt_span where, const char *fmt, ...)
{
    char what[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    tt_fail_at(f ? f->site : NULL, TT_ETEXT, "%s", what);
    if (f && f->text && where.p) base_caret(f->text, (size_t)(where.p - f->text));
    return trace_poison;
}

static bool form_wrong(const tt_form *f, const char *p, const char *what)
{
    tt_form_fail(f, (tt_span){ p, 0 }, "%s", what);
    return false;
}

static const char *form_skip(const char *p)
{
    while (isspace((unsigned char)*p)) p++;
    return p;
}

static const char *form_word(const char *p)              /* the end of a name or a number */
{
    while (isalnum((unsigned char)*p) || *p == '_' || *p == '.') p++;
    return p;
}

static tt_span trimmed(const char *p, const char *end)
{
    while (end > p && isspace((unsigned char)end[-1])) end--;
    return (tt_span){ p, (int)(end - p) };
}

/* Reads one argument at p; returns its end (a ',' or the closing ')'), or NULL. */
static const char *form_argument(tt_form *f, const char *p)
{
    const char *key = p, *end = form_skip(form_word(p));
    int deep = 0;
    if (f->n == TT_FORM_ARGS)
        return tt_form_fail(f, (tt_span){ p, 0 }, "more than the limit of %d arguments", TT_FORM_ARGS), NULL;
    if (*end == '=' && end > p) {
        f->arg[f->n].key = trimmed(key, end);
        p = form_skip(end + 1);
    } else f->arg[f->n].key = (tt_span){ p, 0 };
    if (f->n && f->arg[f->n - 1].key.n && !f->arg[f->n].key.n)
        return form_wrong(f, p, "an argument without a name stands after a named one"), NULL;
    const char *e = p;
    for (; *e && (deep || (*e != ',' && *e != ')')); e++) deep += *e == '(', deep -= *e == ')';
    if (!*e) return form_wrong(f, e, "')' is missing"), NULL;
    f->arg[f->n].value = trimmed(p, e);
    if (!f->arg[f->n++].value.n) return form_wrong(f, p, "expected a value"), NULL;
    return e;
}

bool tt_form_read(const char *site, const char *text, const char **at, tt_form *f)
{
    if (!f || !text || (at && !*at)) {
        tt_fail_at(site, TT_ETEXT, f ? "tt_form_read: the text is NULL" : "tt_form_read: the form to fill is NULL");
        return false;
    }
    const char *p = form_skip(at ? *at : text);
    memset(f, 0, sizeof *f);
    f->site = site;
    f->text = text;
    f->name = trimmed(p, form_word(p));
    if (!f->name.n) return form_wrong(f, p, "expected a name");
    p = form_skip(p + f->name.n);
    if (*p == '(') {
        p = form_skip(p + 1);
        while (*p != ')') {
            if (!(p = form_argument(f, p))) return false;
            if (*p == ',') p = form_skip(p + 1);
        }
        p = form_skip(p + 1);
    }
    if (at) *at = p;
    else if (*p) return form_wrong(f, p, "unexpected text after the form");
    return true;
}

static bool form_same(tt_span s, const char *name)
{
    return name && (size_t)s.n == strlen(name) && !strncmp(s.p, name, (size_t)s.n);
}

bool tt_form_is(const tt_form *f, const char *name) { return f && form_same(f->name, name); }

static bool form_alike(tt_span a, tt_span b) { return a.n == b.n && !strncmp(a.p, b.p, (size_t)a.n); }

static tt_span nth(const char *keys, int i)              /* the i-th word of a list; length 0: there is none */
{
    for (;; i--) {
        keys = form_skip(keys);
        const char *end = form_word(keys);
        if (!i || end == keys) return (tt_span){ keys, (int)(end - keys) };
        keys = end;
    }
}

bool tt_form_keys(tt_form *f, const char *keys)
{
    if (!f || !keys)
        return tt_fail_at(NULL, TT_ETEXT, "tt_form_keys: %s is NULL", f ? "the list of names" : "the form"), false;
    for (int i = 0; i < f->n; i++) {
        tt_span *key = &f->arg[i].key;
        int k = 0;
        if (!key->n) *key = nth(keys, i);
        while (nth(keys, k).n && !form_alike(nth(keys, k), *key)) k++;
        for (int j = 0; j < i && nth(keys, k).n; j++)
            if (form_alike(f->arg[j].key, *key))
                return tt_form_fail(f, f->arg[i].value, "%.*s is given twice", key->n, key->p), false;
        if (nth(keys, k).n) continue;
        tt_form_fail(f, f->arg[i].value, "\"%.*s\" has no argument \"%.*s\"", f->name.n, f->name.p,
                     key->n, key->p);
        base_hint_choices("the arguments are", key->p, (size_t)key->n, keys);
        return false;
    }
    return true;
}

static const tt_span *form_value(const tt_form *f, const char *key)
{
    for (int i = 0; f && i < f->n; i++) if (form_same(f->arg[i].key, key)) return &f->arg[i].value;
    return NULL;
}

bool tt_form_has(const tt_form *f, const char *key) { return form_value(f, key) != NULL; }

tt_span tt_form_value(const tt_form *f, const char *key)
{
    const tt_span *v = form_value(f, key);
    return v ? *v : (tt_span){ NULL, 0 };
}

double tt_form_number(const tt_form *f, const char *key, double usual)
{
    const tt_span *v = form_value(f, key);
    char *end;
    if (!v) return usual;
    if (form_same(*v, "true") || form_same(*v, "True")) return 1;
    if (form_same(*v, "false") || form_same(*v, "False")) return 0;
    const double x = base_strtod(v->p, &end);
    if (end == v->p + v->n) return x;
    tt_form_fail(f, *v, "%s = %.*s; expected a number", key, v->n, v->p);
    return NAN;
}

const char *tt_form_word(const tt_form *f, const char *key, const char *usual, char *to, size_t size)
{
    const tt_span *v = form_value(f, key);
    if (!v || !to) return usual;
    if ((size_t)v->n >= size)
        tt_form_fail(f, *v, "%s has %d characters; %zu are the most", key, v->n, size ? size - 1 : 0);
    snprintf(to, size, "%.*s", v->n, v->p);
    return to;
}

static bool form_nested(const tt_form *f, tt_span v, tt_form *out)
{
    const char *at = v.p;
    if (!tt_form_read(f->site, f->text, &at, out)) return false;
    return at >= v.p + v.n || form_wrong(f, at, "unexpected text after the form");
}

bool tt_form_nth(const tt_form *f, int i, tt_form *out)
{
    return f && i >= 0 && i < f->n ? form_nested(f, f->arg[i].value, out)
                                   : (tt_form_fail(f, (tt_span){ NULL, 0 }, "no argument %d; there are %d", i, f ? f->n
                                                   : 0), false);
}

bool tt_form_of(const tt_form *f, const char *key, tt_form *out)
{
    const tt_span *v = form_value(f, key);
    if (!v) {
        tt_form_fail(f, f ? f->name : (tt_span){ NULL, 0 }, "%s is missing", key ? key : "an argument");
        return false;
    }
    return form_nested(f, *v, out);
}

/* ---- numbers, independent of the locale ---- */

double tt_strtod(const char *text, char **end) { return base_strtod(text ? text : "", end); }

int tt_vsnprintf(char *to, size_t capacity, const char *fmt, va_list v) { return base_vsnprintf(to, capacity, fmt, v); }

int tt_snprintf(char *to, size_t capacity, const char *fmt, ...)
{
    va_list v;
    va_start(v, fmt);
    const int n = base_vsnprintf(to, capacity, fmt, v);
    va_end(v);
    return n;
}

int tt_fprintf(FILE *f, const char *fmt, ...)
{
    va_list v;
    va_start(v, fmt);
    const int n = base_vfprintf(f, fmt, v);
    va_end(v);
    return n;
}

FILE *tt_open_memstream(char **text, size_t *bytes)
{
    if (text && bytes) return base_open_memstream(text, bytes);
    TT_ENTRY(NULL);
    tt_fail_at(NULL, TT_EARG, "tt_open_memstream: %s is NULL", text ? "bytes" : "text");
    return NULL;
}

int tt_thread_start(pthread_t *thread, void *(*work)(void *), void *env)
{
    if (thread && work) return base_thread_start(thread, work, env);
    TT_ENTRY(NULL);
    tt_fail_at(NULL, TT_EARG, "tt_thread_start: %s is NULL", thread ? "work" : "thread");
    return EINVAL;
}
