/* ckpt/format/orbax.c - an Orbax PyTree item: _METADATA describes the tree, each leaf is a Zarr array in a folder of
 * its own name, strings are in _strings.json, layouts in _sharding.
 *
 * Only key_metadata determines paths, as in Orbax. Every chunk must exist: Orbax stores zeros too. */
#include "../ckpt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *orbax_text_of(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

/* ---- layouts ---- */

void ckpt_base64url(const char *s, char *to)           /* with padding */
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const uint8_t *p = (const uint8_t *)s;
    for (size_t n = strlen(s), i = 0; i < n; i += 3) {
        const uint32_t x =
            (uint32_t)p[i] << 16 | (i + 1 < n ? (uint32_t)p[i + 1] << 8 : 0) | (i + 2 < n ? p[i + 2] : 0);
        *to++ = digit[x >> 18];
        *to++ = digit[x >> 12 & 63];
        *to++ = i + 1 < n ? digit[x >> 6 & 63] : '=';
        *to++ = i + 2 < n ? digit[x & 63] : '=';
    }
    *to = 0;
}

static bool is_name(const char *s)
{
    const size_t n = s ? strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") : 0;
    return n && !s[n] && !(*s >= '0' && *s <= '9') && strcmp(s, "_");
}

/* "data+model" from "data", ["data", "model"] or null. False: the axes cannot be named in Tutti's syntax. */
static bool orbax_axes_of(const json_t *v, char *to, size_t capacity)
{
    size_t n = 0;
    const size_t many = json_is_array(v) ? json_array_size(v) : !json_is_null(v);
    for (size_t i = 0; i < many; i++) {
        const char *s = json_string_value(json_is_array(v) ? json_array_get(v, i) : v);
        if (!is_name(s) || n + strlen(s) + 2 > capacity) return false;
        n += (size_t)snprintf(to + n, capacity - n, "%s%s", n ? "+" : "", s);
    }
    if (!n) snprintf(to, capacity, "_");
    return true;
}

/* The layout with which a leaf was saved, if it has named axes; it is advice only, so an unreadable one is
 * ignored. False: no memory. */
static bool orbax_layout_of(ckpt_leaf *l, const json_t *sharding)
{
    char key[4 * CKPT_PATH / 3 + 8], mesh[600] = "", spec[900] = "", part[200];
    if (strlen(l->name) > CKPT_PATH - 8) return true;
    ckpt_base64url(l->name, key);
    json_t *o = json_loads(orbax_text_of(sharding, key), JSON_REJECT_DUPLICATES, NULL);
    const json_t *axes = json_object_get(o, "axis_names"), *size = json_object_get(o, "shape");
    const json_t *dims = json_object_get(o, "partition_spec");
    bool ok = o && !strcmp(orbax_text_of(o, "sharding_type"), "NamedSharding") && json_array_size(axes) &&
              json_array_size(axes) == json_array_size(size) && json_array_size(dims) <= (size_t)l->array.rank;
    for (size_t i = 0; ok && i < json_array_size(axes); i++) {
        const char *name = json_string_value(json_array_get(axes, i));
        const size_t n = strlen(mesh);
        ok = is_name(name) && n + strlen(name) + 32 < sizeof mesh && json_integer_value(json_array_get(size, i)) > 0;
        if (ok)
            snprintf(mesh + n, sizeof mesh - n, "%s%s:%lld", n ? ", " : "", name,
                     (long long)json_integer_value(json_array_get(size, i)));
    }
    for (int i = 0; ok && i < l->array.rank; i++) {
        const size_t n = strlen(spec);
        json_t *const none = json_null();
        const json_t *v = (size_t)i < json_array_size(dims) ? json_array_get(dims, (size_t)i) : none;
        ok = orbax_axes_of(v, part, sizeof part) && n + strlen(part) + 3 < sizeof spec;
        if (ok) snprintf(spec + n, sizeof spec - n, "%s%s", n ? ", " : "", part);
    }
    json_decref(o);
    if (!ok) return true;
    l->item.mesh = l->mesh = ckpt_text("%s", mesh);
    l->item.spec = l->spec = ckpt_text("%s", spec);
    return l->mesh && l->spec;
}

/* ---- leaves ---- */

typedef struct {
    ckpt *c;
    const ckpt_store *s;
    bool zarr3;
    json_t *strings, *sharding;
    ckpt_err *e;
} item;

/* The document of a leaf, in the folder of its name, or in the quoted folder of a name that cannot be a folder. */
static bool folder_of(const item *t, ckpt_leaf *l, char *key, size_t capacity)
{
    const char *doc = t->zarr3 ? "zarr.json" : ".zarray";
    ckpt_err quiet = { 0 };
    const bool fits = snprintf(key, capacity, "%s/%s", l->name, doc) < (int)capacity;
    if (!t->zarr3 || (fits && ckpt_key_good(key) && t->s->size(t->s, key, &quiet) >= 0)) return fits;
    char other[CKPT_PATH];
    if (!(l->folder = ckpt_name_quoted(l->name))) return false;
    if (snprintf(other, sizeof other, "%s/%s", l->folder, doc) < (int)capacity && t->s->size(t->s, other, &quiet) >= 0)
        return snprintf(key, capacity, "%s", other) > 0;
    free(l->folder);
    l->folder = NULL;
    return fits;
}

static const char *folder_name(const ckpt_leaf *l) { return l->folder ? l->folder : l->name; }

static bool array_of(item *t, ckpt_leaf *l)
{
    char key[CKPT_PATH], where[CKPT_PATH];
    json_t *o = NULL;
    if (!folder_of(t, l, key, sizeof key))
        return ckpt_fail(t->e, TT_EDATA, "%s: the name of a leaf is longer than a path may be", t->c->path);
    snprintf(where, sizeof where, "%.2000s/%.2000s", t->s->root, key);
    if (!ckpt_json(t->s, key, &o, t->e)) return false;
    bool ok = (t->zarr3 ? ckpt_zarr3 : ckpt_zarr2)(t->e, where, o, &l->array);
    if (ok) {
        const json_t *own = json_object_get(json_object_get(o, "attributes"), "tutti");
        if (*orbax_text_of(own, "axes")) l->item.axes = l->axes = ckpt_text("%s", orbax_text_of(own, "axes"));
        l->frozen = json_is_true(json_object_get(own, "frozen"));
        l->array.strict = true;
        ckpt_leaf_array(l, l->array.dtype, l->array.rank, l->array.dim);
        const char *mesh = orbax_text_of(own, "mesh"), *spec = orbax_text_of(own, "spec");
        if (!*mesh) ok = orbax_layout_of(l, t->sharding);            /* Tutti's own document knows uneven ones too */
        else l->item.mesh = l->mesh = ckpt_text("%s", mesh), l->item.spec = l->spec = ckpt_text("%s", spec);
        if (!ok || (*mesh && (!l->mesh || !l->spec)) || (*orbax_text_of(own, "axes") && !l->axes))
            ok = ckpt_fail(t->e, TT_EMEM, "out of memory");
    }
    json_decref(o);
    return ok;
}

/* True if Orbax writes leaves of this type: empty (None, empty trees), or with elements. */
static bool known_kind(const char *type, bool empty)
{
    static const char *const arrays[] = { "jax.Array", "np.ndarray", "scalar", NULL };
    static const char *const none[] = { "None", "Dict", "List", "Tuple", "NamedTuple", NULL };
    for (const char *const *k = empty ? none : arrays; *k; k++) if (!strcmp(*k, type)) return true;
    return false;
}

static bool leaf_of(item *t, const json_t *v)
{
    const json_t *keys = json_object_get(v, "key_metadata"), *meta = json_object_get(v, "value_metadata");
    const char *type = orbax_text_of(meta, "value_type");
    const int n = (int)json_array_size(keys);
    tt_ckpt_key key[CKPT_DEPTH] = { { 0 } };
    ckpt_leaf *l = ckpt_leaf_add(t->c, t->e);
    if (!l) return false;
    if (!json_is_array(keys) || n > CKPT_DEPTH || !*type)
        return ckpt_fail(t->e, TT_EDATA, "%s/_METADATA: a leaf has no list of keys of at most %d, or no value_type",
                         t->s->root, CKPT_DEPTH);
    for (int i = 0; i < n; i++) {
        const json_t *k = json_array_get(keys, (size_t)i);
        const json_t *name = json_object_get(k, "key");
        char *end = NULL;
        if (!json_is_string(name)) return ckpt_fail(t->e, TT_EDATA, "%s/_METADATA: a key is not a text", t->s->root);
        key[i].name = json_string_value(name);
        if (json_integer_value(json_object_get(k, "key_type")) != 1) continue;
        const long at = strtol(key[i].name, &end, 10);
        if (end == key[i].name || *end || at < 0 || at > 1 << 24)
            return ckpt_fail(t->e, TT_EDATA,
                             "%s/_METADATA: \"%.60s\" is not a place in a sequence; expected a number of 0 or more",
                                 t->s->root, key[i].name);
        key[i] = (tt_ckpt_key){ NULL, (int)at };
    }
    if (!ckpt_leaf_path(l, n, key, t->e)) return false;
    if (!strcmp(type, "string")) {
        const json_t *s = json_object_get(t->strings, l->name);
        if (!json_is_string(s))
            return ckpt_fail(t->e, TT_EDATA, "%s/_strings.json has no text of \"%.200s\"", t->s->root, l->path);
        l->what = CKPT_STRING;
        l->item.what = "string";
        l->item.text = l->text = ckpt_text("%s", json_string_value(s));
        return true;
    }
    const bool empty = json_is_true(json_object_get(meta, "skip_deserialize"));
    if (!known_kind(type, empty))
        return ckpt_fail(t->e, TT_EDATA, "%s/_METADATA: leaf \"%.200s\" is of value_type \"%.60s\", which is not known",
                         t->s->root, l->path, type);
    if (!empty) return array_of(t, l);
    l->what = CKPT_EMPTY;
    l->item.what = l->text = ckpt_text("%s", type);
    return l->text != NULL;
}

static bool read_array(const ckpt *c, const ckpt_leaf *l, const int64_t *lo, const int64_t *n, void *to, ckpt_err *e)
{
    char prefix[CKPT_PATH];
    snprintf(prefix, sizeof prefix, "%s/", folder_name(l));
    return ckpt_pull(c->store[c->nstore - 1], prefix, &l->array, lo, n, to, e);
}

static void array_ahead(const ckpt *c, const ckpt_leaf *l)
{
    char prefix[CKPT_PATH];
    snprintf(prefix, sizeof prefix, "%s/", folder_name(l));
    ckpt_pull_ahead(c->store[c->nstore - 1], prefix, &l->array);
}

static bool read_item(item *t, const json_t *meta)
{
    const json_t *tree = json_object_get(meta, "tree_metadata"), *v;
    const char *key;
    json_t *group = NULL;
    t->zarr3 = json_is_true(json_object_get(meta, "use_zarr3"));
    if (!json_is_object(tree))
        return ckpt_fail(t->e, TT_EDATA, "%s/_METADATA: has no object tree_metadata", t->c->path);
    json_object_foreach((json_t *)tree, key, v) if (!leaf_of(t, v)) return false;
    const ckpt_store *files = t->c->store[0];
    if (t->zarr3 && ckpt_has(files, "zarr.json") && ckpt_json(files, "zarr.json", &group, t->e))
        t->c->tree = json_incref(json_object_get(
            json_object_get(json_object_get(group, "attributes"), "tutti"), "tree"));
    json_decref(group);
    return !t->e->code;
}

/* Takes ownership of the item's files. */
static bool open_item(ckpt *c, ckpt_store *files, ckpt_err *e)
{
    json_t *meta = NULL;
    item t = { .c = c, .e = e };
    c->read = read_array, c->ahead = array_ahead;
    c->complete = true;
    if (!ckpt_store_add(c, files, e)) return false;
    bool ok = ckpt_mark_all(c, files, e) && ckpt_json(files, "_METADATA", &meta, e);
    const json_t *store = json_object_get(meta, "use_ocdbt");        /* older versions do not have the member */
    if (ok && (store ? json_is_true(store) : ckpt_has(files, "manifest.ocdbt")))
        ok = ckpt_store_add(c, ckpt_ocdbt(files, e), e);
    if (ok && ckpt_has(files, "_strings.json")) ok = ckpt_json(files, "_strings.json", &t.strings, e);
    if (ok && ckpt_has(files, "_sharding")) ok = ckpt_json(files, "_sharding", &t.sharding, e);
    t.s = ok ? c->store[c->nstore - 1] : NULL;
    ok = ok && read_item(&t, meta);
    json_decref(meta);
    json_decref(t.strings);
    json_decref(t.sharding);
    return ok;
}

/* ---- as a format: an item; a step, which holds a single item; what is left of an item ---- */

bool ckpt_looks_orbax(const ckpt_store *dir)
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

static bool is_item(const ckpt_store *dir, ckpt_err *e) { return (void)e, ckpt_has(dir, "_METADATA"); }

static bool is_step(const ckpt_store *dir, ckpt_err *e)
{
    ckpt_store *item = single_item(dir, e);
    ckpt_store_close(item);
    return item != NULL;
}

static bool is_incomplete(const ckpt_store *dir, ckpt_err *e) { return (void)e, ckpt_looks_orbax(dir); }

static bool open_outer(ckpt *c, const char *key, ckpt_err *e)
{
    (void)key;
    return open_item(c, ckpt_folder_in(c->outer, "", e), e);
}

static bool open_step(ckpt *c, const char *key, ckpt_err *e)
{
    (void)key;
    return open_item(c, single_item(c->outer, e), e);
}

const ckpt_format ckpt_orbax = { .name = "orbax", .fills = is_item, .open = open_outer };
const ckpt_format ckpt_orbax_step = { .name = "orbax", .fills = is_step, .open = open_step };
/* opened so that the error names what is missing: _METADATA */
const ckpt_format ckpt_orbax_incomplete = { .name = "orbax", .fills = is_incomplete, .open = open_outer };
