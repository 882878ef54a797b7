/* viz/state.c - trees of a program's state as Flax and optax print them: FrozenDict, boxes, Adam's state, train states.
 *
 * A dict is FrozenDict({ ... }) with a line per entry; a record its name and its fields; the state of an optimizer the
 * tuple of its chain's parts. A leaf stands for its logical axes or its shape. What holds functions (apply_fn, tx) has
 * nothing to print here.
 */
#include <tutti.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { char *s; size_t n, cap; const tt_state_opts *o; const char *site; } printing;

__attribute__((format(printf, 2, 3)))
static void put(printing *p, const char *fmt, ...)
{
    char line[1024];
    va_list v;
    va_start(v, fmt);
    const int n = vsnprintf(line, sizeof line, fmt, v);
    va_end(v);
    const size_t len = n < 0 ? 0 : (size_t)n < sizeof line ? (size_t)n : sizeof line - 1;
    if (p->n + len + 1 > p->cap) {
        char *more = realloc(p->s, 2 * (p->n + len) + 1024);
        if (!more) return;
        p->s = more;
        p->cap = 2 * (p->n + len) + 1024;
    }
    memcpy(p->s + p->n, line, len + 1);
    p->n += len;
}

static void put_shape(printing *p, tt_val v)
{
    const int rank = tt_rank(v);
    put(p, "(");
    for (int d = 0; d < rank; d++) put(p, "%s%lld", d ? ", " : "", (long long)tt_dim(v, d));
    put(p, rank == 1 ? ",)" : ")");
}

/* "data+model, _" as (('data', 'model'), None), without the brackets around. */
static void put_names(printing *p, const char *axes)
{
    int n = 0;
    for (const char *at = axes; *at; n++) {
        at += strspn(at, " ");
        const size_t len = strcspn(at, ",");
        char word[256];
        snprintf(word, sizeof word, "%.*s", (int)len, at);
        for (size_t k = strlen(word); k && word[k - 1] == ' '; k--) word[k - 1] = 0;
        if (n) put(p, ", ");
        if (!strcmp(word, "_")) put(p, "None");
        else if (!strchr(word, '+')) put(p, "'%s'", word);
        else {
            put(p, "('");
            for (const char *c = word; *c; c++) put(p, *c == '+' ? "', '" : "%c", *c);
            put(p, "')");
        }
        at += len + (at[len] == ',');
    }
    if (n == 1) put(p, ",");
}

static void put_leaf(printing *p, tt_val v)
{
    const char *axes = tt_leaf_axes(v), *form = p->o->form ? p->o->form : "spec";
    const bool box = !strcmp(form, "box"), logical = !strcmp(form, "logical");
    const tt_logical_opts flax = { .size = sizeof flax };
    if (axes && p->o->rules && !(axes = tt_logical_spec_at(p->site, axes, p->o->rules, &flax))) return;
    if (!strcmp(form, "spec") || !strcmp(form, "names")) {
        put(p, *form == 's' ? "PartitionSpec(" : "(");
        if (axes) put_names(p, axes);
        put(p, ")");
        return;
    }
    if ((box || logical) && axes) put(p, logical ? "LogicallyPartitioned(value=" : "Partitioned(value=");
    put_shape(p, v);
    if (!(box || logical) || !axes) return;
    put(p, ", names=(");
    put_names(p, axes);
    put(p, logical ? "), mesh=None, rules=None)" : "), mesh=None)");
}

static void put_tree(printing *p, tt_val v, int depth, bool frozen);

/* optax's state of scale_by_adam, and of parts that have none. */
static void put_optimizer(printing *p, tt_val v, const char *chain)
{
    int n = 0;
    put(p, "(");
    for (const char *at = chain; *at; n++) {
        at += strspn(at, " ;");
        const size_t len = strcspn(at, ";");
        const bool adam = !strncmp(at, "scale_by_adam(", 14), trace = !strncmp(at, "trace(", 6);
        if (n) put(p, ", ");
        put(p, adam ? "ScaleByAdamState(count=" : trace ? "TraceState(trace=" : "EmptyState()");
        if (adam) {
            put_leaf(p, tt_get_at(p->site, v, "count"));
            put(p, ", mu=");
            put_tree(p, tt_get_at(p->site, v, "mu"), 0, false);
            put(p, ", nu=");
            put_tree(p, tt_get_at(p->site, v, "nu"), 0, false);
        } else if (trace) put_tree(p, tt_get_at(p->site, v, "trace"), 0, false);
        if (adam || trace) put(p, ")");
        at += len;
    }
    put(p, n == 1 ? ",)" : ")");
}

static void put_tree(printing *p, tt_val v, int depth, bool inside)
{
    const char *tag = tt_rank(v) < 0 ? tt_tag(v) : NULL;
    const int n = tt_rank(v) < 0 ? tt_items(v) : 0;
    if (tt_rank(v) >= 0) put_leaf(p, v);
    else if (tag && strchr(tag, '(')) put_optimizer(p, v, tag);
    else if (n && !tt_name(v, 0)) {
        put(p, "(");
        for (int i = 0; i < n; i++) put(p, i ? ", " : ""), put_tree(p, tt_item_at(p->site, v, i), 0, false);
        put(p, n == 1 ? ",)" : ")");
    } else if (tag && strcmp(tag, "keras")) {            /* a record */
        put(p, "%s(", tag);
        for (int i = 0; i < n; i++) {
            put(p, "%s%s=", i ? ", " : "", tt_name(v, i));
            put_tree(p, tt_item_at(p->site, v, i), 0, false);
        }
        put(p, ")");
    } else {
        put(p, inside ? "{\n" : "FrozenDict({\n");
        for (int i = 0; i < n && tt_ok(); i++) {
            put(p, "%*s%s: ", 4 * (depth + 1), "", tt_name(v, i));
            put_tree(p, tt_item_at(p->site, v, i), depth + 1, true);
            put(p, ",\n");
        }
        put(p, inside ? "%*s}" : "%*s})", 4 * depth, "");
    }
}

const char *tt_state_text_at(const char *site, tt_val v, const tt_state_opts *o)
{
    static _Thread_local char *ring[4];
    static _Thread_local int at;
    static const char *const forms[] = { "spec", "names", "box", "logical", "shape" };
    printing p = { .o = o, .site = site };
    int f = 0;
    while (o->form && f < 5 && strcmp(o->form, forms[f])) f++;
    if (f == 5) {
        tt_fail_at(site, TT_EARG, "state_text: form \"%s\"; there are spec, names, box, logical, shape", o->form);
        return NULL;
    }
    if (tt_ok()) put_tree(&p, v, 0, false);
    free(ring[++at % 4]);
    ring[at % 4] = p.s;
    return tt_ok() ? p.s : NULL;
}
