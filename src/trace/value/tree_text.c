/* trace/value/tree_text.c - structures as text: paths of leaves, complete structures, and the first place where two
 * differ. */
#include "../trace.h"

#include <string.h>

/* The index of the child of t that holds this leaf; *leaf becomes the leaf's index in the child. */
static int holder(const trace_tree *t, int *leaf)
{
    int lo = 0, hi = t->n - 1;
    if (!t->from) lo = *leaf;
    else while (lo < hi) {
        const int mid = lo + (hi - lo + 1) / 2;
        if (t->from[mid] <= *leaf) lo = mid; else hi = mid - 1;
    }
    *leaf -= t->from ? t->from[lo] : lo;
    return lo;
}

/* Writes i, which is not negative, before `end`. Returns where the digits begin. */
static const char *decimal(char *end, int i)
{
    *--end = '\0';
    do *--end = (char)('0' + i % 10);
    while (i /= 10);
    return end;
}

static void put_path(base_text *s, const trace_tree *t, int leaf)
{
    while (t->kind != TRACE_LEAF) {
        const int k = holder(t, &leaf);
        if (t->name) base_appendf(s, "%s%s", s->n ? "." : "", t->name[k]);
        else base_appendf(s, "%s%d", s->n ? "." : "", k);
        t = t->child[k];
    }
}

/* A path of at most 127 bytes, as most are: fast, since it is built for each leaf of a model. NULL: too long. */
static const char *short_path(base_arena *a, const trace_tree *t, int leaf)
{
    char path[128], number[12];
    size_t n = 0;
    while (t->kind != TRACE_LEAF) {
        const int k = holder(t, &leaf);
        const char *part = t->name ? t->name[k] : decimal(number + sizeof number, k);
        const size_t more = strlen(part);
        if (n + 1 + more >= sizeof path) return NULL;
        if (n) path[n++] = '.';
        memcpy(path + n, part, more);
        n += more;
        t = t->child[k];
    }
    path[n] = '\0';
    return BASE_COPY(a, path, n + 1);
}

const char *trace_leaf_path(base_arena *a, const trace_tree *t, int leaf)
{
    const char *path = short_path(a, t, leaf);
    if (path) return path;
    base_text s = { .arena = a };
    put_path(&s, t, leaf);
    return s.s ? s.s : "";
}

static void put_tree(base_text *s, const trace_tree *t)
{
    if (t->kind == TRACE_LEAF) {
        base_appendf(s, "_");
        return;
    }
    const bool tuple = t->kind == TRACE_TUPLE;
    if (t->tag) base_appendf(s, "%s", t->tag);
    base_appendf(s, tuple ? "(" : "{");
    for (int i = 0; i < t->n; i++) {
        base_appendf(s, "%s%s", i ? ", " : "", tuple ? "" : t->name[i]);
        if (!tuple && t->child[i]->kind == TRACE_LEAF) continue;
        if (!tuple) base_appendf(s, ": ");
        put_tree(s, t->child[i]);
    }
    base_appendf(s, tuple ? t->n == 1 ? ",)" : ")" : "}");
}

const char *trace_tree_text(base_arena *a, const trace_tree *t)
{
    base_text s = { .arena = a };
    put_tree(&s, t);
    return s.s;
}

static const char *structure_text(base_arena *a, const trace_tree *t)
{
    static const char *const word[] = { "an array", "a tuple", "a record", "a dict" };
    return t->kind == TRACE_LEAF ? word[0] : base_format(a, "%s %s", word[t->kind], trace_tree_text(a, t));
}

typedef struct { base_text path; base_arena *a; base_site site; const char *what; } differ;

static const char *where(differ *d) { return d->path.n ? base_format(d->a, "at \"%s\"", d->path.s) : "at the top"; }

static bool tree_text_apart(differ *d, const trace_tree *a, const trace_tree *b);

static bool children_apart(differ *d, const trace_tree *a, const trace_tree *b)
{
    for (int i = 0; i < a->n; i++) {
        const size_t n = d->path.n;
        if (a->name) base_appendf(&d->path, "%s%s", n ? "." : "", a->name[i]);
        else base_appendf(&d->path, "%s%d", n ? "." : "", i);
        if (tree_text_apart(d, a->child[i], b->child[i])) return true;
        d->path.n = n;
        if (d->path.s) d->path.s[n] = '\0';
    }
    return false;
}

/* Finds the first difference and sets the error. */
static bool tree_text_apart(differ *d, const trace_tree *a, const trace_tree *b)
{
    if (trace_agree(a, b)) return false;
    const bool named = a->name != NULL && b->name != NULL;
    if (a->kind == TRACE_LEAF || b->kind == TRACE_LEAF || (a->name != NULL) != (b->name != NULL)) {
        base_fail(TT_ETREE, d->site, "%s: structures differ %s: %s and %s", d->what, where(d), structure_text(d->a, a),
                  structure_text(d->a, b));
        return true;
    }
    for (int i = 0; named && i < a->n; i++)
        if (trace_child(b, a->name[i], strlen(a->name[i])) < 0) {
            base_fail(TT_ETREE, d->site, "%s: structures differ %s: only the first has \"%s\"", d->what, where(d),
                      a->name[i]);
            return true;
        }
    for (int i = 0; named && i < b->n; i++)
        if (trace_child(a, b->name[i], strlen(b->name[i])) < 0) {
            base_fail(TT_ETREE, d->site, "%s: structures differ %s: only the second has \"%s\"", d->what, where(d),
                      b->name[i]);
            return true;
        }
    if (a->n != b->n) {
        base_fail(TT_ETREE, d->site, "%s: structures differ %s: %d items and %d", d->what, where(d), a->n, b->n);
        return true;
    }
    if (children_apart(d, a, b)) return true;
    base_fail(TT_ETREE, d->site, "%s: structures differ %s: the order of names", d->what, where(d));
    return true;
}

bool trace_tree_differ(base_site site, const char *what, const trace_tree *a, const trace_tree *b)
{
    differ d = { .a = trace_temp(), .site = site, .what = what };
    d.path.arena = d.a;
    tree_text_apart(&d, a, b);
    return false;
}
