/* ckpt/format/bare.c - formats of arrays without the description of a tree: a single Zarr array, an OCDBT store of
 * arrays. */
#include "../ckpt.h"

#include <stdio.h>

/* ---- a bare Zarr array: its path is empty, and missing chunks have the fill value ---- */

static bool read_zarr(const ckpt *c, const ckpt_leaf *l, const int64_t *lo, const int64_t *n, void *to, ckpt_err *e)
{
    return ckpt_pull(c->store[0], "", &l->array, lo, n, to, e);
}

static bool open_zarr(ckpt *c, int version, const char *key, ckpt_err *e)
{
    char where[CKPT_PATH];
    json_t *o = NULL;
    c->read = read_zarr;
    snprintf(where, sizeof where, "%.4000s/%s", c->path, key);
    ckpt_leaf *l = ckpt_store_add(c, ckpt_folder_in(c->outer, "", e), e) ? ckpt_leaf_add(c, e) : NULL;
    bool ok = l && ckpt_leaf_path(l, 0, NULL, e) && ckpt_json(c->store[0], key, &o, e);
    ok = ok && (version == 3 ? ckpt_zarr3 : ckpt_zarr2)(e, where, o, &l->array);
    if (ok) ckpt_leaf_array(l, l->array.dtype, l->array.rank, l->array.dim);
    json_decref(o);
    return ok;
}

static bool is_zarr2(const ckpt_store *dir, ckpt_err *e) { return (void)e, ckpt_has(dir, ".zarray"); }
static bool is_zarr3(const ckpt_store *dir, ckpt_err *e) { return (void)e, ckpt_has(dir, "zarr.json"); }
static bool open_zarr2(ckpt *c, const char *key, ckpt_err *e) { return (void)key, open_zarr(c, 2, ".zarray", e); }
static bool open_zarr3(ckpt *c, const char *key, ckpt_err *e) { return (void)key, open_zarr(c, 3, "zarr.json", e); }

const ckpt_format ckpt_bare_zarr2 = { .name = "zarr2", .fills = is_zarr2, .open = open_zarr2 };
const ckpt_format ckpt_bare_zarr3 = { .name = "zarr3", .fills = is_zarr3, .open = open_zarr3 };

/* ---- a bare OCDBT store: each key is an array of bytes ---- */

static bool read_bytes(const ckpt *c, const ckpt_leaf *l, const int64_t *lo, const int64_t *n, void *to, ckpt_err *e)
{
    return c->store[0]->read(c->store[0], l->path, lo[0], n[0], to, e);
}

static bool is_ocdbt(const ckpt_store *dir, ckpt_err *e)
{
    (void)e;
    return ckpt_has(dir, "manifest.ocdbt") && !ckpt_looks_orbax(dir);
}

static bool open_ocdbt(ckpt *c, const char *key, ckpt_err *e)
{
    int64_t bytes;
    (void)key;
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

const ckpt_format ckpt_bare_ocdbt = { .name = "ocdbt", .fills = is_ocdbt, .open = open_ocdbt };
