/* api/debug.c - tt_debug: a line printed when a function runs.
 *
 * The format is read when the call is traced: names become numbers, and what does not fit is an error at that line. The
 * text with numbers is the name of the equation's function, and is read again when the program runs. */
#include "api.h"
#include "../op/ops.h"

#include <stdlib.h>
#include <string.h>

/* A piece of a format: letters as they are, or a place "{name:spec}". */
typedef struct { bool place; const char *at, *spec; size_t n, nspec; } piece;

/* 1: the next piece, *p is after it; 0: the end; -1: a brace without its partner, at piece->at. */
static int next_piece(const char **p, piece *q)
{
    const char *s = *p;
    *q = (piece){ .at = s };
    if (!*s) return 0;
    if (*s != '{' && *s != '}') {
        *q = (piece){ .at = s, .n = strcspn(s, "{}") };
        *p = s + q->n;
        return 1;
    }
    if (s[1] == *s) return *q = (piece){ .at = s, .n = 1 }, *p = s + 2, 1;
    const size_t n = strcspn(s + 1, "{}");
    if (*s == '}' || s[1 + n] != '}') return -1;
    const char *const colon = memchr(s + 1, ':', n);
    const size_t name = colon ? (size_t)(colon - s - 1) : n;
    *q = (piece){ true, s + 1, colon ? colon + 1 : "", name, colon ? n - name - 1 : 0 };
    *p = s + n + 2;
    return 1;
}

/* ---- how an element is printed ---- */

/* C's format of an element for "[<][+][0][width][.digits]letter"; false: it is none, or not one of this dtype. */
static bool spec_form(const char *spec, size_t n, tt_dtype dtype, char to[40])
{
    const ir_class cls = ir_dtype_of(dtype)->cls;
    const bool inexact = cls == IR_FLOAT_CLASS || cls == IR_COMPLEX_CLASS;
    size_t i = 0, digits = 0;
    char *t = to;
    *t++ = '%';
    if (i < n && (spec[i] == '<' || spec[i] == '>')) { if (spec[i++] == '<') *t++ = '-'; }
    if (i < n && spec[i] == '+') *t++ = spec[i++];
    if (i < n && spec[i] == '0') *t++ = spec[i++];
    while (i < n && strchr("0123456789", spec[i]) && digits++ < 3) *t++ = spec[i++];
    const bool point = i < n && spec[i] == '.';
    if (point) *t++ = spec[i++], digits = 0;
    while (i < n && point && strchr("0123456789", spec[i]) && digits++ < 3) *t++ = spec[i++];
    const char letter = i < n ? spec[i] : point && digits ? 'g' : '\0';
    if (i + 1 < n || !letter || (point && !digits)) return false;
    if (strchr("dxX", letter)) {
        if (inexact || point) return false;
        *t++ = 'l', *t++ = 'l';
        *t++ = letter == 'd' && cls == IR_UINT_CLASS ? 'u' : letter;
    } else if (strchr("fFeEgG", letter)) {
        *t++ = letter;
    } else {
        return false;
    }
    return *t = '\0', true;
}

/* The value's text as Python prints it: a scalar of floats ends with ".0". */
static const char *value_text(base_arena *a, const ir_box *x, const piece *q)
{
    char form[40];
    if (q->nspec) return spec_form(q->spec, q->nspec, x->dtype, form) ? api_box_text(a, x, form) : "";
    const char *const s = api_box_text(a, x, NULL);
    const size_t n = strlen(s);
    return !x->rank && n && s[n - 1] == '.' ? base_format(a, "%s0", s) : s;
}

static bool print_line(base_site site, const op_host_attr *a, uint32_t nin, const ir_box *x, uint32_t nout,
                       const ir_box *y, bool apart)
{
    base_text t = { .arena = base_open() };
    const char *p = a->name;
    piece q;
    (void)site, (void)nout, (void)y;
    base_appendf(&t, "%s", "");
    while (next_piece(&p, &q) > 0) {
        const uint32_t i = q.place ? (uint32_t)strtoul(q.at, NULL, 10) : nin;
        if (!q.place) base_appendf(&t, "%.*s", (int)q.n, q.at);
        else if (i < nin) base_appendf(&t, "%s", value_text(t.arena, &x[i], &q));
    }
    (apart ? api_line_here : api_line)(t.s);
    base_close(t.arena);
    return true;
}

/* ---- reading a format ---- */

typedef struct { base_site site; const char *fmt; trace_value *x; int next; bool *used; } reading;

static bool says(const reading *r)
{
    base_also(NULL, "the format \"%s\"", r->fmt);
    return base_hint("each {} is the next value, {0} one by its number, {loss} one by its path; {{ and }} are braces");
}

/* The number of the value that a place names; -1 with the error set. */
static int value_of_place(reading *r, const piece *q)
{
    const int n = trace_nleaf(r->x);
    char *end;
    if (!q->n) return r->next < n ? r->next++ : (r->next++, n);
    const unsigned long i = strtoul(q->at, &end, 10);
    if (end == q->at + q->n) return i < (unsigned long)n ? (int)i : n;
    int from = 0;
    const char *const path = base_format(trace_temp(), "%.*s", (int)q->n, q->at);
    const trace_tree *const t = r->x->type ? NULL : trace_path(r->site, r->x->tree, path, &from, true);
    if (t && t->nleaf == 1 && t->kind == TRACE_LEAF) return from;
    base_fail(TT_EARG, r->site, "tt_debug: \"%s\" is no value of %s", path,
              r->x->type ? trace_type_text(trace_temp(), r->x) : trace_tree_text(trace_temp(), r->x->tree));
    return says(r), -1;
}

static bool read_place(reading *r, const piece *q, base_text *to)
{
    char form[40];
    const int n = trace_nleaf(r->x), i = value_of_place(r, q);
    if (i < 0) return false;
    if (i == n) return true;                             /* counted by the caller, who knows of all places */
    r->used[i] = true;
    const tt_dtype dtype = trace_leaf_of(r->x, i)->type->dtype;
    if (q->nspec && !spec_form(q->spec, q->nspec, dtype, form)) {
        base_fail(TT_EARG, r->site, "tt_debug: \"%.*s\" is no format for %s", (int)q->nspec, q->spec,
                  ir_dtype_of(dtype)->name);
        base_also(NULL, "the format \"%s\"", r->fmt);
        return base_hint("formats are {}, {:.3f}, {:8.2e}, {:g}, {:+.4f}, and of integers {:5d}, {:x}");
    }
    base_appendf(to, "{%d%s%.*s}", i, q->nspec ? ":" : "", (int)q->nspec, q->spec);
    return true;
}

/* The format with numbers in the place of names; NULL with the error set. */
static const char *read_format(base_site site, const char *fmt, trace_value *x)
{
    const int n = trace_nleaf(x);
    reading r = { site, fmt, x, 0, BASE_NEW(trace_temp(), bool, n + 1) };
    base_text t = { .arena = trace_temp() };
    const char *p = fmt;
    bool bare = false, numbered = false, past = false;
    piece q;
    int got;
    base_appendf(&t, "%s", "");
    while ((got = next_piece(&p, &q)) > 0) {
        const bool number = q.place && q.n && strspn(q.at, "0123456789") >= q.n;
        if (!q.place) base_appendf(&t, strchr("{}", *q.at) ? "%.*s%.*s" : "%.*s", (int)q.n, q.at, (int)q.n, q.at);
        else if (!read_place(&r, &q, &t)) return NULL;
        bare |= q.place && !q.n, numbered |= number;
        past |= number && strtoul(q.at, NULL, 10) >= (unsigned long)n;
    }
    int unused = -1;
    for (int i = n; i-- > 0;) if (!r.used[i]) unused = i;
    if (got < 0) base_fail(TT_EARG, site, "tt_debug: a brace without its partner: \"%s\"", q.at);
    else if (bare && numbered) base_fail(TT_EARG, site, "tt_debug: the format has both {} and numbered places, {0}");
    else if (r.next > n || past) base_fail(TT_EARG, site, "tt_debug: the format has more places than the %d "
                                           "value%s given", n, n == 1 ? "" : "s");
    else if (unused >= 0) base_fail(TT_EARG, site, "tt_debug: the format has no place for value %d%s%s of %d", unused,
                                    x->type ? "" : ", ", x->type ? "" : trace_leaf_path(trace_temp(), x->tree, unused),
                                    n);
    else return base_intern(t.s);
    return says(&r), NULL;
}

ENTRY3(int, 0, api_debug, tt_val, v, const char *, fmt, const tt_debug_opts *, o)
{
    trace_value *const x = API_OPTIONS(site, "tt_debug", tt_debug_opts, o) ? trace_get(site, v) : NULL;
    if (x && !fmt) base_fail(TT_EARG, site, "tt_debug: the format is NULL");
    const char *const name = x && fmt ? read_format(site, fmt, x) : NULL;
    if (!name) return 0;
    const op_host_attr a = { .call = print_line, .name = name, .partitioned = o->partitioned != 0 };
    return api_host_call(site, &prim_debug_callback, &a, x, NULL);
}
void tt_debug_at(const char *site, tt_val x, const char *fmt, const tt_debug_opts *o) { api_debug_at(site, x, fmt, o); }
