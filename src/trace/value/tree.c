/* trace/value/tree.c - structures of trees: interned nodes, so that equality is pointer equality and cache keys are
 * short.
 *
 * A node stores the number of leaves under it; leaves are numbered in the order of the items (the creator of a dict
 * sorts its names). `plain` is the node without tags and annotations: two trees agree if their plain nodes are
 * identical, whether they were written as records or as dicts. */
#include "../trace.h"

#include <ctype.h>
#include <string.h>

static const trace_tree *const *leaves(int nleaf, int n, const trace_tree *const *child)
{
    enum { FEW = 64 };
    const trace_tree *few[FEW], **all = nleaf > FEW ? BASE_NEW(trace_temp(), const trace_tree *, nleaf) : few;
    for (int i = 0, at = 0; i < n; i++)
        for (int k = 0; k < child[i]->nleaf; k++) all[at++] = trace_leaf_at(child[i], k);
    return base_intern_bytes(all, (size_t)nleaf * sizeof *all);
}

/* The number of leaves before each child. NULL: each child is one leaf, as in most nodes, and no list is needed. */
static const int *tree_leaf_offsets(int n, const trace_tree *const *child)
{
    enum { FEW = 64 };
    int few[FEW], at = 0;
    bool flat = true;
    for (int i = 0; flat && i < n; i++) flat = child[i]->kind == TRACE_LEAF;
    if (flat) return NULL;
    int *from = n > FEW ? BASE_NEW(trace_temp(), int, n) : few;
    for (int i = 0; i < n; i++) from[i] = at, at += child[i]->nleaf;
    return base_intern_bytes(from, (size_t)n * sizeof *from);
}

static const trace_tree *interned(trace_kind kind, base_name tag, int n, const base_name *name,
                                  const trace_tree *const *child, base_name axes, bool frozen, const trace_tree *plain)
{
    trace_tree t;
    memset(&t, 0, sizeof t);                             /* clears padding too: interned as bytes */
    t.kind = kind;
    t.tag = tag;
    t.n = n;
    t.nleaf = kind == TRACE_LEAF;
    t.axes = axes;
    t.frozen = frozen;
    t.plain = plain;
    t.deep = kind != TRACE_LEAF;
    for (int i = 0; i < n; i++) t.nleaf += child[i]->nleaf;
    for (int i = 0; i < n; i++) if (child[i]->deep >= t.deep) t.deep = child[i]->deep + 1;
    t.from = tree_leaf_offsets(n, child);
    if (n && name) t.name = base_intern_bytes(name, (size_t)n * sizeof *name);
    if (n) t.child = base_intern_bytes(child, (size_t)n * sizeof *child);
    if (n) t.leaf = leaves(t.nleaf, n, child);
    return base_intern_bytes(&t, sizeof t);
}

/* The plain node of a plain node is NULL (a node cannot hold its own address): readers call trace_plain. */
static const trace_tree *with_plain(trace_kind kind, base_name tag, int n, const base_name *name,
                                    const trace_tree *const *child, base_name axes, bool frozen)
{
    enum { FEW = 32 };
    const trace_tree *few[FEW], **bare = n ? few : NULL;
    if (n > FEW) bare = BASE_NEW(trace_temp(), const trace_tree *, n);
    for (int i = 0; i < n; i++) bare[i] = trace_plain(child[i]);
    const trace_tree *plain =
        interned(kind == TRACE_RECORD ? TRACE_DICT : kind, NULL, n, name, bare, NULL, false, NULL);
    return interned(kind, tag, n, name, child, axes, frozen, plain);
}

const trace_tree *trace_leaf(base_name axes, bool frozen)
{
    static const trace_tree *_Atomic usual;
    const trace_tree *t = axes || frozen ? NULL : usual;
    if (t) return t;
    t = with_plain(TRACE_LEAF, NULL, 0, NULL, NULL, axes, frozen);
    if (!axes && !frozen) usual = t;
    return t;
}

const trace_tree *trace_tree_of(trace_kind kind, base_name tag, int n, const base_name *name,
                                const trace_tree *const *child)
{
    return with_plain(kind, tag, n, kind == TRACE_TUPLE ? NULL : name, child, NULL, false);
}

const trace_tree *trace_tuple_of(int n, const trace_tree *const *child)
{
    return trace_tree_of(TRACE_TUPLE, NULL, n, NULL, child);
}

const trace_tree *trace_tagged(const trace_tree *t, base_name tag)
{
    return t->kind == TRACE_LEAF ? t : with_plain(t->kind, tag, t->n, t->name, t->child, NULL, false);
}

const trace_tree *trace_leaf_at(const trace_tree *t, int i) { return t->leaf ? t->leaf[i] : t; }

int trace_leaf_from(const trace_tree *t, int child)
{
    return child >= t->n ? t->nleaf : t->from ? t->from[child] : child;
}

static int same_name(const char *own, const char *name, size_t n)
{
    const int d = strncmp(own, name, n);
    return d ? d : own[n] ? 1 : 0;
}

static int tree_number(const char *name, size_t n)       /* -1: not a number */
{
    int k = 0;
    if (!n || n > 9 || (n > 1 && *name == '0')) return -1;
    for (size_t i = 0; i < n; i++) {
        if (!isdigit((unsigned char)name[i])) return -1;
        k = 10 * k + (name[i] - '0');
    }
    return k;
}

/* A dict's names are sorted, a record's are not; the plain node of a record is nevertheless a dict. */
int trace_child(const trace_tree *t, const char *name, size_t n)
{
    const int k = t->name ? -1 : tree_number(name, n);
    for (int lo = 0, hi = t->kind == TRACE_DICT ? t->n : 0; lo < hi;) {
        const int mid = lo + (hi - lo) / 2, d = same_name(t->name[mid], name, n);
        if (!d) return mid;
        if (d < 0) lo = mid + 1; else hi = mid;
    }
    for (int i = 0; t->name && i < t->n; i++) if (!same_name(t->name[i], name, n)) return i;
    return k < t->n ? k : -1;
}

static bool no_child(base_site site, const trace_tree *t, const char *path, size_t at, size_t n)
{
    base_text s = { .arena = trace_temp() };
    for (int i = 0; i < t->n; i++)
        if (t->name) base_appendf(&s, "%s%s", i ? ", " : "", t->name[i]);
    base_fail(TT_ETREE, site, t->kind == TRACE_LEAF ? "no \"%.*s\" in an array" : "no \"%.*s\" in the tree", (int)n,
              path + at);
    base_caret(path, at);
    const char *const lead = at ? base_format(trace_temp(), "\"%.*s\" has", (int)at - 1, path) : "the tree has";
    if (t->kind != TRACE_LEAF && t->name) base_hint_choices(lead, path + at, n, s.s ? s.s : "");
    else if (t->kind == TRACE_TUPLE)
        base_hint(t->n ? "the tree is a tuple of %d items: use a number from 0 to %d" : "the tree is an empty tuple",
                  t->n, t->n - 1);
    return false;
}

const trace_tree *trace_path(base_site site, const trace_tree *t, const char *path, int *from, bool quiet)
{
    *from = 0;
    for (const char *p = path; *p;) {
        const size_t n = strcspn(p, ".");
        const int i = trace_child(t, p, n);
        if (i < 0) {
            if (!quiet) no_child(site, t, path, (size_t)(p - path), n);
            return NULL;
        }
        *from += trace_leaf_from(t, i);
        t = t->child[i];
        p += n;
        if (*p == '.' && !*++p) {                        /* "a." has an empty part after the dot */
            if (!quiet) no_child(site, t, path, (size_t)(p - path), 0);
            return NULL;
        }
    }
    return t;
}
