/* ckpt/load/tree.c - the contents of a checkpoint as a tree of abstract values: by Tutti's own description of the tree
 * if the checkpoint has one, else by its keys; a name with dots (safetensors, NPZ) is a path. */
#include "../ckpt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { const char *site; const ckpt *c; ckpt_err *e; int *order; char path[CKPT_PATH]; } building;

static tt_val tree_shape_of(const char *site, const ckpt_leaf *l)
{
    int64_t dim[CKPT_RANK + 1];
    for (int i = 0; i < l->array.rank; i++) dim[i] = l->array.dim[i];
    dim[l->array.rank] = TT_DIM_END;
    const tt_val v = tt_shape_at(site, l->array.dtype, dim);
    const tt_leaf_opts o = { .size = sizeof o, .axes = l->axes, .frozen = l->frozen };
    return l->axes || l->frozen ? tt_leaf_at(site, v, &o) : v;
}

/* ---- by Tutti's description ---- */

static tt_val described(building *b, const json_t *doc, int depth);

/* The items of a node: values and names (NULL in a tuple). */
static bool items_of(building *b, const json_t *items, bool tuple, tt_val *v, const char **name, int depth)
{
    const size_t n = strlen(b->path);
    for (size_t i = 0; i < json_array_size(items); i++) {
        const json_t *pair = json_array_get(items, i);
        char number[24];
        snprintf(number, sizeof number, "%zu", i);
        name[i] = json_string_value(json_array_get(pair, 0));
        const char *part = name[i] ? name[i] : number;
        if ((!name[i] && !tuple) || json_array_size(pair) != 2 || n + strlen(part) + 2 > sizeof b->path)
            return ckpt_fail(b->e, TT_EDATA, "%s: the description of the tree is damaged", b->c->path);
        snprintf(b->path + n, sizeof b->path - n, "%s%s", n ? "." : "", part);
        v[i] = described(b, json_array_get(pair, 1), depth + 1);
        b->path[n] = 0;
        if (b->e->code) return false;
    }
    return true;
}

static tt_val record(const building *b, const char *tag, int n, const char *const *name, const tt_val *v)
{
    size_t capacity = 1;
    for (int i = 0; i < n; i++) capacity += strlen(name[i]) + 2;
    char *fields = calloc(capacity, 1);
    for (int i = 0; fields && i < n; i++) strcat(strcat(fields, i ? ", " : ""), name[i]);
    const tt_val out = tt_record_n(b->site, tag ? tag : "", fields ? fields : "", n, v);
    free(fields);
    return out;
}

static tt_val described(building *b, const json_t *doc, int depth)
{
    const json_t *items = json_object_get(doc, "items");
    const char *kind = json_string_value(json_object_get(doc, "kind")),
               *tag = json_string_value(json_object_get(doc, "tag"));
    const size_t n = json_array_size(items);
    if (json_is_null(doc)) {
        const int at = ckpt_find(b->c, b->path);
        if (at >= 0) return tree_shape_of(b->site, &b->c->leaf[at]);
        ckpt_fail(b->e, TT_EDATA, "%s: the tree has a leaf \"%.200s\", of which there is no array", b->c->path,
                  b->path);
        return tt_none();
    }
    tt_val *v = calloc(n + 1, sizeof *v), out = tt_none();
    const char **name = calloc(n + 1, sizeof *name);
    const bool tuple = kind && !strcmp(kind, "tuple"), dict = kind && !strcmp(kind, "dict");
    if (!v || !name || depth > CKPT_DEPTH || !(tuple || dict || (kind && !strcmp(kind, "record"))))
        ckpt_fail(b->e, TT_EDATA, "%s: the description of the tree is damaged", b->c->path);
    else if (items_of(b, items, tuple, v, name, depth)) {
        v[n] = tt_end;
        out = tuple  ? tt_tuple_at(b->site, v)
              : dict ? tt_dict_n(b->site, (int)n, name, v)
                     : record(b, tag, (int)n, name, v);
        if (tag && (tuple || dict)) out = tt_tagged_at(NULL, tag, out);
    }
    free(v);
    free(name);
    return out;
}

/* ---- by keys ---- */

static int by_keys(const void *a, const void *b, void *env)
{
    const ckpt *c = env;
    const ckpt_leaf *x = &c->leaf[*(const int *)a], *y = &c->leaf[*(const int *)b];
    for (int i = 0; i < x->item.nkey && i < y->item.nkey; i++) {
        const tt_ckpt_key *s = &x->key[i], *t = &y->key[i];
        if (!s->name != !t->name) return s->name ? 1 : -1;
        const int d = s->name ? strcmp(s->name, t->name) : (s->at > t->at) - (s->at < t->at);
        if (d) return d;
    }
    return x->item.nkey - y->item.nkey;
}

static bool same_key(const ckpt_leaf *l, int depth, const tt_ckpt_key *k)
{
    const tt_ckpt_key *h = l->item.nkey > depth ? &l->key[depth] : NULL;
    return h && (k->name ? h->name && !strcmp(h->name, k->name) : !h->name && h->at == k->at);
}

/* The node of items [from, to) of the order, which share their first `depth` keys. */
static tt_val grouped(building *b, int from, int to, int depth)
{
    const ckpt_leaf *first = &b->c->leaf[b->order[from]];
    const bool list = first->item.nkey > depth && !first->key[depth].name;
    tt_val out = tt_none();
    if (first->item.nkey <= depth) {
        if (to - from > 1)
            ckpt_fail(b->e, TT_EDATA, "%s: \"%.200s\" is both a leaf and a branch of the tree", b->c->path,
                      first->path);
        if (first->what == CKPT_ARRAY) return tree_shape_of(b->site, first);
        return first->what == CKPT_EMPTY && !strcmp(first->text, "Dict") ? tt_dict_n(NULL, 0, NULL, NULL) : out;
    }
    tt_val *v = calloc((size_t)(to - from) + 1, sizeof *v);
    const char **name = calloc((size_t)(to - from) + 1, sizeof *name);
    int n = 0;
    if (!v || !name) ckpt_fail(b->e, TT_EMEM, "out of memory");
    for (int i = from, end; !b->e->code && i < to; i = end) {
        const ckpt_leaf *l = &b->c->leaf[b->order[i]];
        const tt_ckpt_key *k = &l->key[depth];
        if (!k->name != list || (list && k->at != n))
            ckpt_fail(b->e, TT_EDATA, "%s: the keys at \"%.200s\" are neither a sequence's nor a dict's", b->c->path,
                      l->path);
        for (end = i + 1; end < to && same_key(&b->c->leaf[b->order[end]], depth, k); ) end++;
        name[n] = k->name;
        if (!b->e->code) v[n++] = grouped(b, i, end, depth + 1);
    }
    if (!b->e->code) v[n] = tt_end;
    if (!b->e->code) out = list ? tt_tuple_at(b->site, v) : tt_dict_n(b->site, n, name, v);
    free(v);
    free(name);
    return out;
}

/* ---- by paths: names with dots ---- */

static tt_val by_paths(const char *site, const ckpt *c, ckpt_err *e)
{
    const char **path = calloc((size_t)c->nleaf, sizeof *path);
    tt_val *v = calloc((size_t)c->nleaf, sizeof *v), out = tt_none();
    if (!path || !v) ckpt_fail(e, TT_EMEM, "out of memory");
    for (int i = 0; !e->code && i < c->nleaf; i++) path[i] = c->leaf[i].path, v[i] = tree_shape_of(site, &c->leaf[i]);
    if (!e->code) out = tt_tree_at(site, c->nleaf, path, v);
    free(path);
    free(v);
    return out;
}

tt_val ckpt_tree(const char *site, const ckpt *c, ckpt_err *e)
{
    building b = { .site = site, .c = c, .e = e };
    tt_val out = tt_dict_n(site, 0, NULL, NULL);
    if (c->tree) return described(&b, c->tree, 0);
    if (!c->nleaf) return out;
    if (c->format->dotted) return by_paths(site, c, e);
    if (!(b.order = calloc((size_t)c->nleaf, sizeof *b.order))) return ckpt_fail(e, TT_EMEM, "out of memory"), out;
    for (int i = 0; i < c->nleaf; i++) b.order[i] = i;
    qsort_r(b.order, (size_t)c->nleaf, sizeof *b.order, by_keys, (void *)c);
    out = grouped(&b, 0, c->nleaf, 0);
    free(b.order);
    return out;
}
