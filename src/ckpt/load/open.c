/* ckpt/load/open.c - determines the format at a path and lists its items without their elements; needs no device. */
#include "../ckpt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- the record ---- */

void ckpt_most(ckpt *c, int64_t bytes) { c->most = 4096 + bytes / 12; }

ckpt_leaf *ckpt_leaf_add(ckpt *c, ckpt_err *e)
{
    if (c->most && c->nleaf >= c->most)
        return ckpt_fail(e, TT_EDATA, "%s: more than %lld leaves, too many for its size", c->path,
                         (long long)c->most), NULL;
    if (c->nleaf == c->cap) {
        const int cap = 2 * c->cap + 16;
        ckpt_leaf *more = cap > 1 << 23 ? NULL : realloc(c->leaf, (size_t)cap * sizeof *more);
        if (!more) return ckpt_fail(e, TT_EMEM, "%s: too many leaves for this memory", c->path), NULL;
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
    free(c->leaf), free(c->sorted), free(c->store), free(c->path);
    ckpt_free(&c->bytes);
    json_decref(c->tree);
    json_decref(c->metadata);
    if (c->holds) tt_drop(c->held);
    memset(c, 0, sizeof *c);
}

/* ---- which format ---- */

static bool looks_orbax(const ckpt_store *dir)
{
    static const char *const marks[] = { "_METADATA", "_sharding", "_strings.json", "commit_success.txt",
                                         "_CHECKPOINT_METADATA" };
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) if (ckpt_has(dir, marks[i])) return true;
    return ckpt_has_dir(dir, "array_metadatas");
}

/* The only item of a folder that has exactly one, in a folder of its own, as a manager's step has. NULL: none. */
static ckpt_store *single_item(const ckpt_store *dir, ckpt_err *e)
{
    char **name, key[CKPT_PATH], found[CKPT_PATH] = "";
    const int n = ckpt_names_in(dir, &name, e);
    int many = 0;
    for (int i = 0; i < n; i++) {
        if (snprintf(key, sizeof key, "%s/_METADATA", name[i]) >= (int)sizeof key || !ckpt_has(dir, key)) continue;
        many++;
        snprintf(found, sizeof found, "%s", name[i]);
    }
    ckpt_names_free(n, name);
    return many == 1 ? ckpt_folder_in(dir, found, e) : NULL;
}

static bool open_zarr(ckpt *, int version, ckpt_err *);
static bool open_ocdbt(ckpt *, ckpt_err *);

static bool open_dir(ckpt *c, ckpt_err *e)
{
    const ckpt_store *o = c->outer;
    if (!ckpt_mark_all(c, o, e) || !ckpt_manifest_check(o, false, e)) return false;
    if (ckpt_has(o, "_METADATA")) return ckpt_open_orbax(c, ckpt_folder_in(o, "", e), e);
    if (ckpt_has(o, "manifest.ocdbt") && !looks_orbax(o)) return open_ocdbt(c, e);
    if (ckpt_has(o, ".zarray")) return open_zarr(c, 2, e);
    if (ckpt_has(o, "model.safetensors.index.json")) return ckpt_open_several(c, e);
    ckpt_store *item = single_item(o, e);
    if (item) return ckpt_open_orbax(c, item, e);
    if (looks_orbax(o)) return ckpt_open_orbax(c, ckpt_folder_in(o, "", e), e);  /* reports that _METADATA is missing */
    if (ckpt_has(o, "zarr.json")) return open_zarr(c, 3, e);
    return ckpt_fail(e, TT_EDATA, "%s: holds no checkpoint of a known kind", o->root);
}

static bool open_file(ckpt *c, const char *path, ckpt_err *e)
{
    uint8_t head[10] = { 0 };
    const char *key;
    if (!ckpt_store_add(c, ckpt_single(path, &key, e), e) || !ckpt_mark(c, c->store[0], key, e)) return false;
    const int64_t all = c->store[0]->size(c->store[0], key, e), n = all < 10 ? all : 10;
    const size_t len = strlen(path);
    if (all < 0 || !c->store[0]->read(c->store[0], key, 0, n, head, e)) return false;
    if (len > 12 && !strcmp(path + len - 12, ".safetensors")) return ckpt_open_safetensors(c, key, e);
    if (n >= 4 && (!memcmp(head, "PK\3\4", 4) || !memcmp(head, "PK\5\6", 4))) return ckpt_open_npz(c, path, e);
    if (len > 4 && !strcmp(path + len - 4, ".npz")) return ckpt_open_npz(c, path, e);
    if (n >= 9 && head[8] == '{' && !head[7] && !head[6]) return ckpt_open_safetensors(c, key, e);
    if (n >= 4 && !memcmp(head, "\x89HDF", 4)) return ckpt_open_hdf5(c, key, e);
    if (n && (head[0] >> 4 == 8 || head[0] == 0xde || head[0] == 0xdf)) return ckpt_open_msgpack(c, key, e); /* a map */
    return ckpt_fail(e, TT_EDATA, "%s: is no checkpoint of a known kind", path);
}

/* Completes the items and sorts them. True if the files that were read have not changed meanwhile. */
static bool finished(ckpt *c, ckpt_err *e)
{
    for (int i = 0; i < c->nleaf; i++) {
        ckpt_leaf *l = &c->leaf[i];
        if (l->what == CKPT_ARRAY) l->item.dim = l->array.dim;
        if (!l->item.path || (l->what == CKPT_STRING && !l->text)) return ckpt_fail(e, TT_EMEM, "out of memory");
    }
    if (!ckpt_index(c, e)) return false;
    return ckpt_fate_of(c, false) == CKPT_UNCHANGED ||
           ckpt_fail(e, TT_EIO, "%s: was replaced, removed or changed while it was read", c->path);
}

bool ckpt_open(ckpt *c, const char *path, ckpt_err *e)
{
    struct stat st;
    if (!(c->path = ckpt_text("%s", path))) return ckpt_fail(e, TT_EMEM, "out of memory");
    c->absent = stat(path, &st) != 0;
    if (c->absent) return ckpt_fail(e, TT_EIO, "%s: %s", path, strerror(errno));
    if (S_ISDIR(st.st_mode) && !(c->outer = ckpt_folder(path, e))) return false;
    return (c->outer ? open_dir(c, e) : open_file(c, path, e)) && finished(c, e);
}

/* ---- a bare Zarr array: its path is empty, and missing chunks have the fill value ---- */

static bool read_zarr(const ckpt *c, const ckpt_leaf *l, const int64_t *lo, const int64_t *n, void *to, ckpt_err *e)
{
    return ckpt_pull(c->store[0], "", &l->array, lo, n, to, e);
}

static bool open_zarr(ckpt *c, int version, ckpt_err *e)
{
    const char *key = version == 3 ? "zarr.json" : ".zarray";
    char where[CKPT_PATH];
    json_t *o = NULL;
    c->format = version == 3 ? "zarr3" : "zarr2";
    c->read = read_zarr;
    snprintf(where, sizeof where, "%.4000s/%s", c->path, key);
    ckpt_leaf *l = ckpt_store_add(c, ckpt_folder_in(c->outer, "", e), e) ? ckpt_leaf_add(c, e) : NULL;
    bool ok = l && ckpt_leaf_path(l, 0, NULL, e) && ckpt_json(c->store[0], key, &o, e);
    ok = ok && (version == 3 ? ckpt_zarr3 : ckpt_zarr2)(e, where, o, &l->array);
    if (ok) ckpt_leaf_array(l, l->array.dtype, l->array.rank, l->array.dim);
    json_decref(o);
    return ok;
}

/* ---- a bare OCDBT store: each key is an array of bytes ---- */

static bool read_bytes(const ckpt *c, const ckpt_leaf *l, const int64_t *lo, const int64_t *n, void *to, ckpt_err *e)
{
    return c->store[0]->read(c->store[0], l->path, lo[0], n[0], to, e);
}

static bool open_ocdbt(ckpt *c, ckpt_err *e)
{
    int64_t bytes;
    c->format = "ocdbt";
    c->read = read_bytes;
    c->complete = true;
    if (!ckpt_store_add(c, ckpt_ocdbt(c->outer, e), e)) return false;
    for (const char *name; (name = ckpt_ocdbt_key(c->store[0], c->nleaf, &bytes)) != NULL;) {
        ckpt_leaf *l = ckpt_leaf_add(c, e);
        if (!l || !ckpt_leaf_path(l, 1, &(tt_ckpt_key){ name, 0 }, e)) return false;
        ckpt_leaf_array(l, TT_U8, 1, &bytes);
    }
    return true;
}

/* ---- the public calls ---- */

static void freed(void *p)
{
    ckpt_close(p);
    free(p);
}

tt_ckpt tt_ckpt_open_at(const char *site, const char *path)
{
    ckpt *c = calloc(1, sizeof *c);
    ckpt_err e = { 0 };
    if (c && path && ckpt_open(c, path, &e)) {
        tt_own(c, freed);
        return (tt_ckpt){ c };
    }
    if (!path) ckpt_fail(&e, TT_EARG, "tt_ckpt_open: no path");
    if (c) freed(c);
    ckpt_report(site, &e);
    return (tt_ckpt){ NULL };
}

/* True if a checkpoint is open; else sets the error. */
static bool is_open(const char *site, const char *what, tt_ckpt c)
{
    if (!c.p) tt_fail_at(site, TT_ELIFE, "%s: nothing is open", what);
    return c.p != NULL;
}

const char *tt_ckpt_format_at(const char *site, tt_ckpt c)
{
    return is_open(site, "tt_ckpt_format", c) ? c.p->format : "";
}
int tt_ckpt_count_at(const char *site, tt_ckpt c) { return is_open(site, "tt_ckpt_count", c) ? c.p->nleaf : 0; }

const tt_ckpt_item *tt_ckpt_item_at(const char *site, tt_ckpt c, int i)
{
    static const tt_ckpt_item none = { .path = "", .what = "", .text = "", .mesh = "", .spec = "", .axes = "" };
    if (!is_open(site, "tt_ckpt_at", c)) return &none;
    if (i >= 0 && i < c.p->nleaf) return &c.p->leaf[i].item;
    tt_fail_at(site, TT_EARG, "tt_ckpt_at: %s has no item %d; there are %d", c.p->path, i, c.p->nleaf);
    return &none;
}

const char *tt_ckpt_metadata_at(const char *site, tt_ckpt c)
{
    char *s = is_open(site, "tt_ckpt_metadata", c) && c.p->metadata
                  ? json_dumps(c.p->metadata, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    if (!s && c.p && c.p->metadata) tt_fail_at(site, TT_EMEM, "out of memory");
    if (s) tt_own(s, free);
    return s ? s : "";
}
