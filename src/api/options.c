/* api/options.c - checks the options of every call: their struct, their ranges, and which options are given. */
#include "../base/option.h"
#include "api.h"

#include <stdio.h>
#include <string.h>

typedef struct { TT_OPTION_HEAD } head;

/* ---- valid values of a field ---- */

static double number_at(const api_option *f, const void *at, int i)
{
    if (f->kind == API_NUMBER) return ((const double *)at)[i];
    return f->kind == API_INT ? ((const int *)at)[i] : (double)((const int64_t *)at)[i];
}

/* True if the field, for an array its first element, is 0: not given, or given as 0. */
static bool options_is_zero(const api_option *f, const void *at)
{
    if (f->kind == API_TEXT || f->kind == API_POINTER) return !*(void *const *)at;
    if (f->kind == API_MESH) return !((const tt_mesh *)at)->p;
    if (f->kind == API_VALUE) return !((const tt_val *)at)->slot && !((const tt_val *)at)->born;
    return f->least != API_ANY && number_at(f, at, 0) == 0;
}

/* True unless the address is in the first page of memory, and so a number that C converted to a pointer. */
static bool is_pointer(const void *p) { return (uintptr_t)p >= 4096; }

/* True if the field takes this number; no field takes a NaN. */
static bool fits(const api_option *f, double x)
{
    if (f->least == API_ANY) return x == x;
    return x == 0 || (f->least == API_FROM_1 ? x >= 1 : x > 0);
}

/* True if the field, which is not 0, has a valid value. */
static bool in_range(const api_option *f, const void *at)
{
    if (f->kind == API_TEXT || f->kind == API_POINTER) return is_pointer(*(void *const *)at);
    if (f->least == API_ANY && f->kind != API_NUMBER) return true;
    for (int i = 0; i < f->n; i++) if (!fits(f, number_at(f, at, i))) return false;
    return true;
}

/* True if the options need no look at their text: nothing in them is to be checked. */
static bool options_all_default(const api_option_struct *s, const char *given, const char *base)
{
    for (int i = 0; i < s->n; i++) {
        const api_option *f = &s->field[i];
        const void *at = base + f->offset;
        if (f->inner ? !options_all_default(f->inner, given, at) : options_is_zero(f, at) ? given != NULL : !in_range(f,
            at)) return false;
        if (given && f->n > 1 && f->least != API_ANY) return false;      /* { 2, 0 } */
    }
    return true;
}

/* ---- messages ---- */

typedef struct { base_site site; const char *what; } call;

static bool out_of_range(const call *c, const api_option *f, const void *at, const char *outer)
{
    if (f->kind == API_TEXT || f->kind == API_POINTER) {
        const long n = (long)(intptr_t)*(void *const *)at;
        base_fail(TT_EARG, c->site, "%s: .%s%s is the number %ld, not %s", c->what, outer, f->name, n,
                  f->kind == API_TEXT ? "a text" : "a pointer");
        return f->kind == API_TEXT && base_hint("write .%s = \"%ld\"", f->name, n);
    }
    double x = 0;
    int i = 0;
    while (i < f->n && fits(f, x = number_at(f, at, i))) i++;
    char place[16] = "";
    if (f->n > 1) snprintf(place, sizeof place, "[%d]", i);
    base_fail(TT_EARG, c->site, "%s: .%s%s%s = %.15g; expected %s", c->what, outer, f->name, place, x,
              f->least == API_ANY ? "a number" : f->least == API_FROM_1 ? "1 or more" : "a number above 0");
    return false;
}

/* True if the text lists dims, arguments or devices by number. There the user may have written a number or an enum
 * constant instead of a text, and C silently converts a constant 0 to a null pointer; for other texts NULL means
 * "none". */
static bool is_of_numbers(const api_option *f)
{
    static const char *const name[] = { "dims", "wrt", "in", "out", "donate", "same", "groups", "batch", "sum" };
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) if (!strcmp(f->name, name[i])) return true;
    return false;
}

/* Error for an option that is given as 0 where 0 is neither its default nor a valid value. */
static bool zero_given(const call *c, const api_option *f, const base_option *o, const char *outer)
{
    char text[64];
    const bool whole = o->nvalue < sizeof text;
    snprintf(text, sizeof text, "%.*s%s", whole ? (int)o->nvalue : 40, o->value, whole ? "" : "...");
    const char *eq = *text ? " = " : "";
    if (f->kind == API_TEXT || f->kind == API_POINTER) {
        base_fail(TT_EARG, c->site, "%s: .%s%s%s%s is C's null pointer", c->what, outer, f->name, eq, text);
        if (*text && !base_option_named(o) && is_of_numbers(f)) return base_hint("write .%s = \"0\"", f->name);
        if (!base_option_named(o)) return base_hint("leave .%s out for its default", f->name);
        return base_hint("%s.%s = %s ? %s : NULL where its default is meant",
                         f->kind == API_TEXT ? "it is a text, \"...\"; write " : "write ", f->name, text, text);
    }
    if (f->kind == API_MESH || f->kind == API_VALUE) {
        const char *type = f->kind == API_MESH ? "tt_mesh" : "tt_val";
        base_fail(TT_EARG, c->site, "%s: .%s%s%s%s is an empty %s", c->what, outer, f->name, eq, text, type);
        return base_hint("leave it out, or write (%s){ 0 } (x ? y : (%s){ 0 }) where there is none", type, type);
    }
    base_fail(TT_EARG, c->site, "%s: .%s%s%s%s; expected %s", c->what, outer, f->name, eq, text,
              f->least == API_FROM_1 ? "1 or more" : "a number above 0");
    return base_hint("leave .%s out for its default", f->name);
}

static bool zero_may_be(const api_option *f, const base_option *o)
{
    if (f->kind == API_TEXT && !is_of_numbers(f)) return base_option_null(o) || base_option_named(o);
    if (f->kind == API_TEXT || f->kind == API_POINTER) return base_option_null(o);
    return (f->kind == API_MESH || f->kind == API_VALUE) && base_option_empty(o);
}

/* True if a value written for an array option is 0, as in .stride = { 2, 0 }. The text gives the number of values,
 * since the last may be 0 too. */
static bool has_zeros(const api_option *f, const void *at, const base_option *o)
{
    const int n = f->n > 1 && f->least != API_ANY ? base_option_items(o) : 0;
    for (int i = 0; i < n && i < f->n; i++) if (number_at(f, at, i) == 0) return true;
    return options_is_zero(f, at);
}

/* Checks each field, and then each item of the text; `one`: stops after the first item. */
static bool looked_at(const call *c, const api_option_struct *s, const char *base, const char *given, bool one,
                      const char *outer)
{
    base_option o;
    for (int i = 0; i < s->n; i++) {
        const api_option *f = &s->field[i];
        if (!f->inner && !options_is_zero(f, base + f->offset) && !in_range(f, base + f->offset))
            return out_of_range(c, f, base + f->offset, outer);
    }
    for (bool more = true; more && base_option_next(&given, &o); more = !one) {
        const api_option *f = s->field, *end = f + s->n;
        while (f < end && !base_option_is(&o, f->name)) f++;
        if (f == end) {
            base_fail(TT_EARG, c->site, "%s: there is no option .%s%.*s", c->what, outer, (int)o.nname, o.name);
            return false;
        }
        const char *at = base + f->offset;
        if (f->inner) {
            char path[64];
            const bool dotted = *o.inner == '.';
            const char *own = dotted ? o.inner : memchr(o.value, '{', o.nvalue);
            snprintf(path, sizeof path, "%s%s.", outer, f->name);
            if (own && !looked_at(c, f->inner, at, own + !dotted, dotted, path)) return false;
        } else if (has_zeros(f, at, &o) && !zero_may_be(f, &o)) return zero_given(c, f, &o, outer);
    }
    return true;
}

static const void *seen(base_site site, const char *what, const api_option_struct *s, const head *o)
{
    const char *given = o->given ? o->given + strspn(o->given, " \t\n") : "";
    if (o->name_your_options || (*given && *given != '.')) {
        base_fail(TT_EARG, site, "%s: an option without its name", what);
        return base_hint("options are written .name = value, after the arguments"), NULL;
    }
    if (o->size != s->size) {
        base_fail(TT_EARG, site, "%s: options of %zu bytes, where the library knows %zu", what, o->size, s->size);
        base_hint("fill .size = sizeof(%s); or the program was compiled with the header of another version", s->type);
        return NULL;
    }
    const call c = { site, what };
    return looked_at(&c, s, (const char *)o, given, false, "") ? o : NULL;
}

/* True if the text of the options needs no check, as in most calls. */
static bool quick(const api_option_struct *s, const head *o)
{
    const char *given = o->given && *o->given ? o->given : NULL;
    return !o->name_your_options && o->size == s->size && (!given || *given == '.') &&
        options_all_default(s, given, (const char *)o);
}

const void *api_options(base_site site, const char *what, const api_option_struct *s, const void *o)
{
    return !o ? s->none : quick(s, o) ? o : seen(site, what, s, o);
}

ENTRY3(const void *, NULL, api_options_slow, const char *, what, const api_option_struct *, s, const void *, o)
{
    return seen(site, what, s, o);
}

const void *tt_options_at(const char *site, const char *what, const char *type, const void *o)
{
    TT_ENTRY(site);
    const api_option_struct *s = type ? api_option_struct_of(type) : NULL;
    if (!what) what = "a call";
    if (!s) return tt_fail_at(site, TT_EARG, "%s: there is no option struct \"%s\"", what, type ? type : ""), NULL;
    return !o ? s->none : quick(s, o) ? o : api_options_slow_at(site, what, s, o);
}

bool tt_given(const void *options, const char *name)
{
    const head *o = options;
    base_option item;
    return o && name && o->given && *o->given && base_option_find(o->given, name, &item);
}

/* Appends ".name, " of the next item of a list. */
static bool options_name_of(const char **at, char *to, size_t capacity)
{
    const size_t n = strlen(to);
    base_option item;
    if (!base_option_next(at, &item)) return false;
    if (n + item.nname + 4 <= capacity) snprintf(to + n, capacity - n, ".%.*s, ", (int)item.nname, item.name);
    return true;
}

const char *tt_given_in(const void *options, const char *field, char *to, size_t capacity)
{
    const head *o = options;
    const char *at = o ? o->given : NULL;
    base_option item;
    if (!to || !field) capacity = 0;
    if (capacity) *to = 0;
    while (capacity && base_option_next(&at, &item)) {
        if (!base_option_is(&item, field)) continue;
        const char *own = memchr(item.value, '{', item.nvalue);
        if (own) own++;
        if (*item.inner == '.') options_name_of(&item.inner, to, capacity);
        else if (own) while (options_name_of(&own, to, capacity)) { }
    }
    return capacity && *to ? to : NULL;
}
