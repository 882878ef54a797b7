/* api/tree.c - trees: tuples, records, dicts, items, paths, leaves, tags. */
#include "api.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* A tree of these values and names (NULL: a tuple). */
static tt_val built(base_site site, trace_kind kind, const char *tag, int n, const base_name *name,
                    trace_value *const *x)
{
    base_arena *a = trace_temp();
    const trace_tree **child = BASE_NEW(a, const trace_tree *, n + 1);
    int nleaf = 0, at = 0;
    for (int i = 0; i < n; i++) child[i] = x[i]->tree, nleaf += trace_nleaf(x[i]);
    trace_value **leaf = BASE_NEW(a, trace_value *, nleaf + 1);
    for (int i = 0; i < n; i++) for (int l = 0; l < trace_nleaf(x[i]); l++) leaf[at++] = trace_leaf_of(x[i], l);
    const trace_tree *t = trace_tree_of(kind, base_intern(tag), n, name, child);
    return trace_too_deep(site, "a tuple, record or dict", t) ? trace_poison
        : trace_handle(trace_tree_value(site, t, leaf));
}

trace_value **api_values(base_site site, int n, const tt_val *v)
{
    if (n < 0 || (n && !v)) {
        base_fail(TT_EARG, site, n < 0 ? "a list of %d values; expected 0 or more"
                  : "%d values, and the list of values is NULL", n);
        return NULL;
    }
    trace_value **x = BASE_NEW(trace_temp(), trace_value *, n + 1);
    for (int i = 0; i < n; i++) if (!(x[i] = trace_get(site, v[i]))) return NULL;
    return x;
}

VAL1(tt_tuple, const tt_val *, v)
{
    const int n = api_list(site, "tt_tuple", v);
    trace_value **x = n < 0 ? NULL : api_values(site, n, v);
    return x ? built(site, TRACE_TUPLE, NULL, n, NULL, x) : trace_poison;
}

VAL0(api_none) { return built(site, TRACE_TUPLE, NULL, 0, NULL, NULL); }
tt_val tt_none(void) { return api_none_at(NULL); }

/* ---- dicts: sorted by name ---- */

typedef struct { base_name name; trace_value *value; } entry;

static int by_name(const void *a, const void *b) { return strcmp(((const entry *)a)->name, ((const entry *)b)->name); }

static tt_val dict_of(base_site site, int n, entry *e)
{
    base_name *name = BASE_NEW(trace_temp(), base_name, n + 1);
    trace_value **x = BASE_NEW(trace_temp(), trace_value *, n + 1);
    if (n) qsort(e, (size_t)n, sizeof *e, by_name);
    for (int i = 0; i < n; i++) {
        name[i] = e[i].name;
        x[i] = e[i].value;
        if (i && name[i] == name[i - 1]) {
            base_fail(TT_ETREE, site, "dict: two items named \"%s\"", name[i]);
            return trace_poison;
        }
        if (!*name[i] || strchr(name[i], '.')) {
            base_fail(TT_ETREE, site, "dict: \"%s\" is no name; expected one or more characters, none of them '.'",
                      name[i]);
            return trace_poison;
        }
        if (!trace_name_ok(site, "dict", name[i], strlen(name[i]))) return trace_poison;
    }
    return built(site, TRACE_DICT, NULL, n, name, x);
}

ENTRY3(tt_val, trace_poison, api_dict, int, n, const char *const *, name, const tt_val *, v)
{
    trace_value **x = api_values(site, n, v);
    if (x && n && !name) base_fail(TT_ETREE, site, "dict: %d values, and the list of their names is NULL", n), x = NULL;
    entry *e = x ? BASE_NEW(trace_temp(), entry, n + 1) : NULL;
    for (int i = 0; x && i < n; i++) e[i] = (entry){ base_intern(name[i] ? name[i] : ""), x[i] };
    return x ? dict_of(site, n, e) : trace_poison;
}

tt_val tt_dict_n(const char *site, int n, const char *const *name, const tt_val *v)
{
    return api_dict_at(site, n, name, v);
}

/* Alternating names and values. The end is three NULL names, so that a missing value before them is detected. */
tt_val tt_dict_at(const char *site, const char *name, ...)
{
    TT_ENTRY(site);
    enum { MOST = 256 };
    const char *names[MOST], *s = name;
    tt_val v[MOST];
    int n = 0;
    va_list ap;
    va_start(ap, name);
    for (; s && n < MOST; s = va_arg(ap, const char *)) {
        names[n] = s;
        v[n++] = va_arg(ap, tt_val);
    }
    const bool cut = !s && va_arg(ap, const char *), odd = n && !v[n - 1].slot && !v[n - 1].born;
    va_end(ap);
    if (s) return tt_fail_at(site, TT_ETREE, "dict: more than %d items", MOST);
    if (cut) return tt_fail_at(site, TT_ETREE, "dict: name %d is NULL", n);
    if (!odd) return api_dict_at(site, n, names, v);
    tt_fail_at(site, TT_ETREE, "dict: \"%s\" has no value", names[n - 1]);
    tt_hint("names and values alternate: tt_dict(\"w\", w, \"b\", b)");
    return trace_poison;
}

/* ---- records: fields in the order written, "w, b" ---- */

static int tree_split(const char *fields, int n, base_name *out)
{
    int k = 0;
    for (const char *p = fields; *p && k < n; ) {
        while (isspace((unsigned char)*p) || *p == ',' || *p == '*') p++;
        const size_t len = strcspn(p, ", \t\n");
        if (!len) break;
        out[k++] = base_intern_n(p, len);
        p += len;
    }
    return k;
}

ENTRY4(tt_val, trace_poison, api_record, const char *, tag, const char *, fields, int, n, const tt_val *, v)
{
    trace_value **x = api_values(site, n, v);
    if (x && (!tag || !fields))
        base_fail(TT_ETREE, site, "record: %s is NULL", tag ? "the list of fields" : "the name"), x = NULL;
    if (x && !trace_name_ok(site, "record", tag, strlen(tag))) x = NULL;
    if (x && !trace_name_ok(site, "record", fields, strlen(fields))) x = NULL;
    base_name *name = x ? BASE_NEW(trace_temp(), base_name, n + 1) : NULL;
    if (x && tree_split(fields, n, name) != n)
        base_fail(TT_ETREE, site, "record %s: %d values for the fields \"%s\"", tag, n, fields), x = NULL;
    return x ? built(site, TRACE_RECORD, tag, n, name, x) : trace_poison;
}

tt_val tt_record_n(const char *site, const char *tag, const char *fields, int n, const tt_val *v)
{
    return api_record_at(site, tag, fields, n, v);
}

static tt_val child_of(base_site site, trace_value *x, int i)
{
    return trace_handle(trace_sub(x, site, x->tree->child[i], trace_leaf_from(x->tree, i)));
}

ENTRY5(bool, false, api_fields, tt_val, v, const char *, tag, const char *, fields, int, n, tt_val *, out)
{
    trace_value *x = trace_get(site, v);
    if (!x) return false;
    if (n < 0 || !tag || !fields || (n && !out))
        return n < 0 ? base_fail(TT_ETREE, site, "fields of a record: %d of them; expected 0 or more", n)
                     : base_fail(TT_ETREE, site, "fields of a record: %s is NULL",
                                 !tag ? "the record's name" : !fields ? "the list of fields" : "the list to fill");
    base_name *name = BASE_NEW(trace_temp(), base_name, n + 1);
    tree_split(fields, n, name);
    for (int i = 0; i < n; i++) {
        const int k = x->tree->name ? trace_child(x->tree, name[i], strlen(name[i])) : -1;
        if (k >= 0) {
            out[i] = child_of(site, x, k);
            continue;
        }
        base_fail(TT_ETREE, site, "%s has the fields {%s}; the value %s has no \"%s\"", tag, fields,
                  x->type ? trace_type_text(trace_temp(), x) : trace_tree_text(trace_temp(), x->tree), name[i]);
        return trace_cite(x);
    }
    return true;
}

bool tt_fields_n(const char *site, tt_val v, const char *tag, const char *fields, int n, tt_val *out)
{
    for (int i = 0; out && i < n; i++) out[i] = trace_poison;
    return api_fields_at(site, v, tag, fields, n, out);
}

/* ---- items and paths ---- */

static bool no_item(base_site site, const char *what, const trace_value *x, int i)
{
    if (x->type)
        base_fail(TT_ETREE, site, "%s: no item %d in %s, an array", what, i, trace_type_text(trace_temp(), x)),
            base_hint("take a row of an array with tt_dynamic_slice or tt_take");
    else base_fail(TT_ETREE, site, "%s: no item %d in a tree of %d", what, i, x->tree->n);
    return trace_cite(x);
}

VAL2(tt_item, tt_val, tree, int, i)
{
    trace_value *x = trace_get_any(site, tree);
    if (!x) return trace_poison;
    const int k = i < 0 ? i + x->tree->n : i;
    if (x->type || k < 0 || k >= x->tree->n) {
        no_item(site, "tt_item", x, i);
        return trace_poison;
    }
    const trace_tree *t = x->tree->child[k];
    return trace_is_alive(site, x, trace_leaf_from(x->tree, k), t->nleaf) ? child_of(site, x, k) : trace_poison;
}

static bool good_path(base_site site, const char *what, const char *path)
{
    return path || base_fail(TT_ETREE, site, "%s: the path is NULL", what) || base_hint("\"\" is the whole tree");
}

VAL2(tt_get, tt_val, tree, const char *, path)
{
    trace_value *x = trace_get_any(site, tree);
    if (x && !good_path(site, "tt_get", path)) return trace_poison;
    int from;
    const trace_tree *t = x ? trace_path(site, x->tree, path, &from, false) : NULL;
    return t && trace_is_alive(site, x, from, t->nleaf) ? trace_handle(trace_sub(x, site, t, from)) : trace_poison;
}

ENTRY2(bool, false, tt_has, tt_val, tree, const char *, path)
{
    trace_value *x = trace_get_any(site, tree);
    int from;
    return x && path && trace_path(site, x->tree, path, &from, true);
}

VAL3(tt_set, tt_val, tree, const char *, path, tt_val, v)
{
    trace_value *x = trace_get(site, tree), *w = x ? trace_get(site, v) : NULL;
    return w && good_path(site, "tt_set", path) ? api_handle(trace_set_path(site, x, path, w)) : trace_poison;
}

VAL3(tt_tree, int, n, const char *const *, paths, const tt_val *, v)
{
    trace_value **x = api_values(site, n, v);
    for (int i = 0; x && i < n; i++)
        if (!paths || !paths[i]) {
            base_fail(TT_ETREE, site, "tt_tree: path %d of %d is NULL", i, n);
            return trace_poison;
        }
    return x ? api_handle(trace_from_paths(site, n, paths, x)) : trace_poison;
}

/* Row i of an array, without its dim. */
static tt_val row_of(base_site site, tt_val v, int64_t i)
{
    return tt_squeeze_at(site, tt_slice_at(site, v, 0, i, i + 1, 1), 0);
}

ENTRY2(bool, false, tt_unpack, tt_val, tuple, tt_val *const *, slots)
{
    trace_value *x = trace_get(site, tuple);
    int n = 0;
    if (!slots) return base_fail(TT_EARG, site, "tt_unpack: the list of variables is NULL");
    while (slots[n]) n++;
    const bool rows = x && x->type && x->type->rank;
    if (x && (rows ? x->type->dim[0] != n : x->type || x->tree->n != n)) {
        base_fail(TT_ETREE, site, "tt_unpack: %d variable%s for %s", n, n == 1 ? "" : "s",
                  x->type ? trace_type_text(trace_temp(), x)
                  : x->tree->kind == TRACE_TUPLE
                      ? base_format(trace_temp(), "a tuple of %d item%s", x->tree->n, x->tree->n == 1 ? "" : "s")
                      : trace_tree_text(trace_temp(), x->tree));
        trace_cite(x);
        if (rows) base_hint("an array is unpacked into its rows, of which it has %lld", (long long)x->type->dim[0]);
        x = NULL;
    }
    for (int i = 0; i < n; i++) *slots[i] = !x ? trace_poison : rows ? row_of(site, tuple, i) : child_of(site, x, i);
    return x != NULL;
}

/* ---- queries ---- */

ENTRY1(int, 0, tt_items, tt_val, v)
{
    trace_value *x = trace_get_any(site, v);
    return x ? x->tree->n : 0;
}

ENTRY1(const char *, "", tt_kind, tt_val, v)
{
    static const char *const kind[] = { [TRACE_LEAF] = "array", [TRACE_TUPLE] = "tuple", [TRACE_RECORD] = "record",
                                        [TRACE_DICT] = "dict" };
    trace_value *x = trace_get_any(site, v);
    return x ? kind[x->tree->kind] : "";
}

ENTRY2(const char *, NULL, tt_name, tt_val, v, int, i)
{
    trace_value *x = trace_get_any(site, v);
    const int k = x && i < 0 ? i + x->tree->n : i;
    if (!x || (k >= 0 && k < x->tree->n)) return x && x->tree->name ? x->tree->name[k] : NULL;
    base_fail(TT_ETREE, site, "tt_name: child %d of a tree of %d", i, x->tree->n);
    return NULL;
}

ENTRY3(int, 0, tt_tree_leaves, tt_val, v, int, n, tt_val *, out)
{
    trace_value *x = trace_get(site, v);
    const int have = x ? trace_nleaf(x) : 0;
    for (int i = 0; out && i < have && i < n; i++) out[i] = trace_handle(trace_ref(trace_leaf_of(x, i)));
    return have;
}

ENTRY2(const char *, "", tt_leaf_path, tt_val, v, int, i)
{
    trace_value *x = trace_get_any(site, v);
    if (!x) return "";
    const int k = i < 0 ? i + trace_nleaf(x) : i;
    if (k >= 0 && k < trace_nleaf(x)) return base_intern(trace_leaf_path(trace_temp(), x->tree, k));
    base_fail(TT_ETREE, site, "tt_leaf_path: leaf %d of a tree of %d", i, trace_nleaf(x));
    return "";
}

VAL3(tt_tree_unflatten, tt_val, like, int, n, const tt_val *, leaves)
{
    trace_value *x = trace_get(site, like), **leaf = x ? api_values(site, n, leaves) : NULL;
    if (!leaf) return trace_poison;
    if (n != trace_nleaf(x)) {
        base_fail(TT_ETREE, site, "tt_tree_unflatten: %d leaves for a tree of %d", n, trace_nleaf(x));
        return trace_poison;
    }
    for (int i = 0; i < n; i++)
        if (!leaf[i]->type) {
            base_fail(TT_ETREE, site, "tt_tree_unflatten: leaf %d is a tree; expected an array", i);
            return trace_poison;
        }
    return trace_handle(trace_tree_value(site, x->tree, leaf));
}

/* ---- tags, annotations ---- */

ENTRY2(tt_val, trace_poison, tt_tagged, const char *, tag, tt_val, tree)
{
    trace_value *x = trace_get(site, tree);
    if (x && x->type) {
        base_fail(TT_ETREE, site, "tt_tagged: %s is an array; a tree has a tag", trace_type_text(trace_temp(), x));
        trace_cite(x);
        return trace_poison;
    }
    if (x && tag && !trace_name_ok(site, "tt_tagged", tag, strlen(tag))) return trace_poison;
    return x ? trace_handle(trace_tree_value(x->site, trace_tagged(x->tree, base_intern(tag)), x->leaf)) : trace_poison;
}

ENTRY1(const char *, NULL, tt_tag, tt_val, v)
{
    trace_value *x = trace_get_any(site, v);
    return x ? x->tree->tag : NULL;
}

VAL2(tt_leaf, tt_val, v, const tt_leaf_opts *, o)
{
    trace_value *x = trace_array(site, "tt_leaf", v);
    if (!x || !API_OPTIONS(site, "tt_leaf", tt_leaf_opts, o)) return trace_poison;
    const trace_tree *t = x->tree;
    if (o->axes && !trace_name_ok(site, "tt_leaf's .axes", o->axes, strlen(o->axes))) return trace_poison;
    const bool frozen = o->frozen || tt_given(o, "frozen") ? o->frozen != 0 : t->frozen;
    return trace_handle(trace_as(x, site, trace_leaf(o->axes ? base_intern(o->axes) : t->axes, frozen)));
}

ENTRY1(const char *, NULL, tt_leaf_axes, tt_val, v)
{
    trace_value *x = trace_get(site, v);
    return x ? x->tree->axes : NULL;
}

ENTRY1(bool, false, tt_leaf_frozen, tt_val, v)
{
    trace_value *x = trace_get(site, v);
    return x && x->tree->frozen;
}
