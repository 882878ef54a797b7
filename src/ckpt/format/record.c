/* ckpt/format/record.c - the record of an opened checkpoint, which the reader of a format fills: leaves, stores, and an
 * index of arrays by path. */
#include "../ckpt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ckpt_most(ckpt *c, int64_t bytes) { c->most = 4096 + bytes / 12; }

ckpt_leaf *ckpt_leaf_add(ckpt *c, ckpt_err *e)
{
    if (c->most && c->nleaf >= c->most)
        return ckpt_fail(e, TT_EDATA, "%s: more than %lld leaves, too many for a file of its size", c->path,
                         (long long)c->most), NULL;
    if (c->nleaf == c->cap) {
        const int cap = 2 * c->cap + 16;
        ckpt_leaf *more = cap > 1 << 23 ? NULL : realloc(c->leaf, (size_t)cap * sizeof *more);
        if (!more) return ckpt_fail(e, TT_EMEM, "%s: more than 2^23 leaves, or out of memory for them", c->path), NULL;
        c->leaf = more;
        c->cap = cap;
    }
    memset(&c->leaf[c->nleaf], 0, sizeof *c->leaf);
    return &c->leaf[c->nleaf++];
}

bool ckpt_leaf_path(ckpt_leaf *l, int nkey, const tt_ckpt_key *key, ckpt_err *e)
{
    size_t n = 1;
    char number[24];
    for (int i = 0; i < nkey; i++) n += (key[i].name ? strlen(key[i].name) : 24) + 1;
    l->path = calloc(n, 1);
    l->key = calloc((size_t)nkey + 1, sizeof *l->key);
    if (!l->path || !l->key) return ckpt_fail(e, TT_EMEM, "out of memory");
    for (int i = 0; i < nkey; i++) {
        snprintf(number, sizeof number, "%d", key[i].at);
        if (i) strcat(l->path, ".");
        strcat(l->path, key[i].name ? key[i].name : number);
        l->key[i] = (tt_ckpt_key){ key[i].name ? ckpt_text("%s", key[i].name) : NULL, key[i].at };
        if (key[i].name && !l->key[i].name) return ckpt_fail(e, TT_EMEM, "out of memory");
    }
    if (!(l->name = ckpt_text("%s", l->path))) return ckpt_fail(e, TT_EMEM, "out of memory");
    l->item.path = l->path;
    l->item.nkey = nkey;
    l->item.key = l->key;
    return true;
}

void ckpt_leaf_array(ckpt_leaf *l, tt_dtype dtype, int rank, const int64_t *dim)
{
    l->what = CKPT_ARRAY;
    l->item.what = "array";
    l->item.dtype = l->array.dtype = dtype;
    l->item.rank = l->array.rank = rank;
    if (rank) memmove(l->array.dim, dim, (size_t)rank * sizeof *dim);
}

bool ckpt_store_add(ckpt *c, ckpt_store *s, ckpt_err *e)
{
    ckpt_store **more = s ? realloc(c->store, (size_t)(c->nstore + 1) * sizeof *more) : NULL;
    if (!more) {
        ckpt_store_close(s);
        return ckpt_fail(e, TT_EMEM, "out of memory");
    }
    c->store = more;
    c->store[c->nstore++] = s;
    return true;
}

void ckpt_close(ckpt *c)
{
    for (int i = 0; i < c->nleaf; i++) {
        ckpt_leaf *l = &c->leaf[i];
        for (int k = 0; k < l->item.nkey; k++) free((char *)l->key[k].name);
        free(l->key), free(l->path), free(l->name), free(l->folder), free(l->text), free(l->spec), free(l->mesh);
        free(l->axes);
        free(l->array.chain);
    }
    for (int i = 0; i < c->nstore; i++) ckpt_store_close(c->store[i]);
    ckpt_store_close(c->outer);
    ckpt_marks_free(c);
    ckpt_mappings_close(c);
    free(c->leaf), free(c->sorted), free(c->store), free(c->path);
    ckpt_free(&c->bytes);
    json_decref(c->tree);
    json_decref(c->metadata);
    for (int i = 0; i < c->nlater; i++) free(c->later[i].key), free(c->later[i].file);
    free(c->later);
    if (c->holds) tt_drop(c->held);
    memset(c, 0, sizeof *c);
}

static int by_path(const void *a, const void *b, void *env)
{
    const ckpt_leaf *leaf = env;
    return strcmp(leaf[*(const int *)a].path, leaf[*(const int *)b].path);
}

bool ckpt_index(ckpt *c, ckpt_err *e)
{
    if (!(c->sorted = calloc((size_t)c->nleaf + 1, sizeof *c->sorted))) return ckpt_fail(e, TT_EMEM, "out of memory");
    c->nsorted = 0;
    for (int i = 0; i < c->nleaf; i++) if (c->leaf[i].what == CKPT_ARRAY) c->sorted[c->nsorted++] = i;
    qsort_r(c->sorted, (size_t)c->nsorted, sizeof *c->sorted, by_path, c->leaf);
    for (int i = 1; i < c->nsorted; i++)
        if (!by_path(&c->sorted[i - 1], &c->sorted[i], c->leaf))
            return ckpt_fail(e, TT_EDATA, "%s: two arrays are named \"%.200s\"", c->path,
                             c->leaf[c->sorted[i]].path);
    return true;
}

static int array_at(const ckpt *c, const char *path)
{
    int lo = 0, hi = c->nsorted;
    while (lo < hi) {
        const int mid = (lo + hi) / 2, d = strcmp(path, c->leaf[c->sorted[mid]].path);
        if (!d) return c->sorted[mid];
        *(d < 0 ? &hi : &lo) = d < 0 ? mid : mid + 1;
    }
    return -1;
}

int ckpt_find(const ckpt *c, const char *path)
{
    const int at = array_at(c, path);
    return at < 0 && !*path ? array_at(c, "value") : at; /* an array alone nevertheless has a name in a folder */
}
