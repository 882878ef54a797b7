/* trace/value/tree_make.c - builds trees from trees: replaced leaves, a value at a path, a complete tree from paths.
 *
 * Each function's time is proportional to the leaves of its result. Functions on nodes recurse once per level, so a
 * tree has at most TRACE_DEEPEST levels: a deeper path or tree is refused before it is traversed. */
#include "../trace.h"

#include <stdlib.h>
#include <string.h>

bool trace_too_deep(base_site site, const char *what, const trace_tree *t)
{
    if (t->deep <= TRACE_DEEPEST) return false;
    base_fail(TT_ETREE, site, "%s: a tree of %d levels; at most %d are allowed", what, t->deep, TRACE_DEEPEST);
    return true;
}

bool trace_path_ok(base_site site, const char *what, const char *path)
{
    int parts = 1;
    for (const char *p = path; *p; p++) parts += *p == '.';
    if (parts <= TRACE_DEEPEST) return true;
    base_fail(TT_ETREE, site, "%s: \"%.60s...\" is a path of %d parts; at most %d are allowed", what, path, parts,
              TRACE_DEEPEST);
    return base_hint("each '.' begins a level of the tree; a name has no '.'");
}

/* The length of the UTF-8 sequence at p, of n bytes; 0: p does not begin with one. */
static size_t sequence(const unsigned char *p, size_t n)
{
    const size_t k = *p < 0x80 ? 1 : *p < 0xC2 ? 0 : *p < 0xE0 ? 2 : *p < 0xF0 ? 3 : *p < 0xF5 ? 4 : 0;
    if (!k || k > n) return 0;
    for (size_t i = 1; i < k; i++) if ((p[i] & 0xC0) != 0x80) return 0;
    if ((*p == 0xE0 && p[1] < 0xA0) || (*p == 0xF0 && p[1] < 0x90)) return 0;    /* longer than needed */
    return (*p == 0xED && p[1] > 0x9F) || (*p == 0xF4 && p[1] > 0x8F) ? 0 : k;   /* surrogates; beyond U+10FFFF */
}

bool trace_name_ok(base_site site, const char *what, const char *name, size_t n)
{
    const unsigned char *p = (const unsigned char *)name;
    size_t good = 0, k = 1;
    while (good < n && (k = sequence(p + good, n - good))) good += k;
    if (good == n) return true;
    base_text shown = { .arena = trace_temp() };
    for (size_t i = 0; i < n; i += k ? k : 1) {
        k = sequence(p + i, n - i);
        if (k) base_appendf(&shown, "%.*s", (int)k, name + i);
        else base_appendf(&shown, "\\x%02x", p[i]);
    }
    base_fail(TT_ETREE, site, "%s: the name \"%.200s\" is not UTF-8", what, shown.s);
    return base_hint("checkpoints and reports are UTF-8, and hold the names of a tree");
}

const trace_tree *trace_nest(const trace_tree *outer, const trace_tree *inner)
{
    if (outer->kind == TRACE_LEAF) return inner;
    const trace_tree **child = BASE_NEW(trace_temp(), const trace_tree *, outer->n + 1);
    for (int i = 0; i < outer->n; i++) child[i] = trace_nest(outer->child[i], inner);
    return trace_tree_of(outer->kind, outer->tag, outer->n, outer->name, child);
}

const trace_tree *trace_graft(const trace_tree *outer, const trace_tree *const *by)
{
    if (outer->kind == TRACE_LEAF) return by[0];
    const trace_tree **child = BASE_NEW(trace_temp(), const trace_tree *, outer->n + 1);
    bool same = true;
    for (int i = 0; i < outer->n; i++) {
        child[i] = trace_graft(outer->child[i], by + trace_leaf_from(outer, i));
        same &= child[i] == outer->child[i];
    }
    return same ? outer : trace_tree_of(outer->kind, outer->tag, outer->n, outer->name, child);
}

static bool good_name(base_site site, const char *path, const char *part, size_t n)
{
    if (n) return trace_name_ok(site, "a path", part, n);
    base_fail(TT_ETREE, site, "an empty name in the path \"%.200s\"", path);
    return base_caret(path, (size_t)(part - path));
}

/* ---- one value at a path ---- */

typedef struct { base_site site; const char *path; const trace_tree *v; int from, gone; } putting;

static const trace_tree *tree_make_set(putting *p, const trace_tree *t, const char *path);

/* Dict t with one more name at path: the offsets of the later children increase by one. */
static const trace_tree *tree_make_grown(putting *p, const trace_tree *t, const char *path, size_t n)
{
    const trace_tree **child = BASE_NEW(trace_temp(), const trace_tree *, t->n + 1);
    base_name *name = BASE_NEW(trace_temp(), base_name, t->n + 1);
    if (!good_name(p->site, p->path, path, n)) return NULL;
    const base_name fresh = base_intern_n(path, n);
    int at = 0;
    while (at < t->n && strcmp(t->name[at], fresh) < 0) at++;
    for (int i = 0; i < t->n; i++) child[i + (i >= at)] = t->child[i], name[i + (i >= at)] = t->name[i];
    name[at] = fresh;
    p->from += trace_leaf_from(t, at);
    const trace_tree *none = trace_tree_of(TRACE_DICT, NULL, 0, NULL, NULL);
    child[at] = tree_make_set(p, none, path + n + (path[n] == '.'));
    return child[at] ? trace_tree_of(TRACE_DICT, t->tag, t->n + 1, name, child) : NULL;
}

static const trace_tree *tree_make_set(putting *p, const trace_tree *t, const char *path)
{
    const size_t n = strcspn(path, ".");
    int from;
    if (!*path) {
        p->gone = t->nleaf;
        return p->v;
    }
    const int i = trace_child(t, path, n);
    if (path[n] && !path[n + 1]) return good_name(p->site, p->path, path + n + 1, 0), NULL;
    if (i < 0 && t->kind == TRACE_DICT) return tree_make_grown(p, t, path, n);
    if (i < 0) return trace_path(p->site, t, path, &from, false);       /* reports what is there */
    p->from += trace_leaf_from(t, i);
    const trace_tree *with = tree_make_set(p, t->child[i], path + n + (path[n] == '.'));
    if (!with || with == t->child[i]) return with ? t : NULL;
    const trace_tree **child = BASE_NEW(trace_temp(), const trace_tree *, t->n);
    memcpy(child, t->child, (size_t)t->n * sizeof(const trace_tree *));
    child[i] = with;
    return trace_tree_of(t->kind, t->tag, t->n, t->name, child);
}

trace_value *trace_set_path(base_site site, trace_value *x, const char *path, trace_value *v)
{
    putting p = { .site = site, .path = path, .v = v->tree };
    const trace_tree *t = trace_path_ok(site, "tt_set", path) ? tree_make_set(&p, x->tree, path) : NULL;
    if (!t || trace_too_deep(site, "tt_set", t)) return NULL;
    trace_value **leaf = BASE_NEW(trace_temp(), trace_value *, t->nleaf + 1);
    const int behind = p.from + p.gone, now = v->tree->nleaf;
    for (int i = 0; i < p.from; i++) leaf[i] = trace_leaf_of(x, i);
    for (int i = 0; i < now; i++) leaf[p.from + i] = trace_leaf_of(v, i);
    for (int i = behind; i < trace_nleaf(x); i++) leaf[p.from + now + i - behind] = trace_leaf_of(x, i);
    return trace_tree_value(site, t, leaf);
}

/* ---- a tree from paths ---- */

typedef struct { const char *path; trace_value *value; } pair;

/* Orders by the names of the parts: where one name is a prefix of another, '.' ends it and sorts first. */
static int by_path(const void *a, const void *b)
{
    const unsigned char *p = (const unsigned char *)((const pair *)a)->path,
                        *q = (const unsigned char *)((const pair *)b)->path;
    while (*p && *p == *q) p++, q++;
    if (*p == *q) return 0;
    if (!*p || !*q) return *p ? 1 : -1;
    if (*p == '.' || *q == '.') return *p == '.' ? -1 : 1;
    return *p < *q ? -1 : 1;
}

/* The first of pairs [from, to) whose part at `skip` differs from the first pair's; *n: that part's length. */
static int same_part(const pair *at, int from, int to, size_t skip, size_t *n)
{
    const char *part = at[from].path + skip;
    *n = strcspn(part, ".");
    int end = from + 1;
    while (end < to && !strncmp(at[end].path + skip, part, *n) &&
           (!at[end].path[skip + *n] || at[end].path[skip + *n] == '.'))
        end++;
    return end;
}

/* The node of pairs [from, to), whose paths share everything before `skip`. NULL with the error set. */
static const trace_tree *tree_make_node_of(base_site site, const pair *at, int from, int to, size_t skip)
{
    size_t n;
    int k = 0;
    for (int i = from; i < to; k++) i = same_part(at, i, to, skip, &n);
    const trace_tree **child = BASE_NEW(trace_temp(), const trace_tree *, k);
    base_name *name = BASE_NEW(trace_temp(), base_name, k);
    k = 0;
    for (int i = from, end; i < to; i = end) {
        const char *path = at[i].path, *part = path + skip;
        end = same_part(at, i, to, skip, &n);
        if (!good_name(site, path, part, n)) return NULL;
        if (part[n]) child[k] = tree_make_node_of(site, at, i, end, skip + n + 1);
        else if (end == i + 1) child[k] = at[i].value->tree;
        else {
            const bool twice = !strcmp(path, at[i + 1].path);
            base_fail(TT_ETREE, site, twice ? "two values at the path \"%.200s\"" :
                      "a value at the path \"%.200s\", and one below it: \"%.200s\"", path, at[i + 1].path);
            return NULL;
        }
        if (!child[k]) return NULL;
        name[k++] = base_intern_n(part, n);
    }
    return trace_tree_of(TRACE_DICT, NULL, k, name, child);
}

trace_value *trace_from_paths(base_site site, int n, const char *const *path, trace_value *const *v)
{
    pair *at = BASE_NEW(trace_temp(), pair, n + 1);
    if (n == 1 && !*path[0]) return trace_ref(v[0]);
    for (int i = 0; i < n; i++) {
        if (!trace_path_ok(site, "tt_tree", path[i])) return NULL;
        at[i] = (pair){ path[i], v[i] };
    }
    if (n) qsort(at, (size_t)n, sizeof *at, by_path);
    const trace_tree *t = tree_make_node_of(site, at, 0, n, 0);
    if (!t || trace_too_deep(site, "tt_tree", t)) return NULL;
    trace_value **leaf = BASE_NEW(trace_temp(), trace_value *, t->nleaf + 1);
    for (int i = 0, to = 0; i < n; i++)
        for (int l = 0; l < trace_nleaf(at[i].value); l++) leaf[to++] = trace_leaf_of(at[i].value, l);
    return trace_tree_value(site, t, leaf);
}
