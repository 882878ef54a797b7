/* ckpt/format/ocdbt.c - an OCDBT store (Orbax's default for arrays) as a store of named byte strings.
 *
 * The manifest points to a B-tree; its leaves contain small values, or the positions of larger ones. Everything but
 * values has a checksum. All keys of the newest generation are read when the store is opened; values on request. */
#include "../ckpt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

enum { MANIFEST = 0x0CDB3A2A, NODE = 0x0CDB20DE, DEEP = 24, FLOOR = 8 << 20, TIMES = 64 };

typedef struct { char *key, *file; int64_t at, n; uint8_t *bytes; } entry;      /* bytes: a value stored in a node */
typedef struct { char *file; int64_t at; } spot;          /* the position of a node; an empty slot has no file */
/* most: bytes of an uncompressed node; read: bytes of stored nodes; kept: bytes kept of them
 */
typedef struct {
    ckpt_store *files;
    int n, cap;
    entry *e;
    size_t most, read, kept, nspot, spots;
    spot *spot;
} tree;

/* ---- tables of files ---- */

typedef struct {
    size_t n;
    char **path, **base;
} table; /* paths below the root; base: inherited by the files of a node */

static void table_free(table *t)
{
    for (size_t i = 0; i < t->n; i++) {
        if (t->path) free(t->path[i]);
        if (t->base) free(t->base[i]);
    }
    free(t->path);
    free(t->base);
}

static bool table_of(ckpt_cursor *c, const char *inherited, table *t)
{
    *t = (table){ .n = ckpt_counted(c) };
    uint64_t *shared = ckpt_column(c, t->n ? t->n - 1 : 0), *more = ckpt_column(c, t->n), *base = ckpt_column(c, t->n);
    t->path = calloc(t->n + 1, sizeof *t->path);
    t->base = calloc(t->n + 1, sizeof *t->base);
    if (!t->path || !t->base) c->bad = true;
    char last[2048] = "";
    size_t have = 0;
    for (size_t i = 0; !c->bad && i < t->n; i++) {
        const size_t keep = i ? (size_t)shared[i - 1] : 0;
        const uint8_t *s = keep <= have && more[i] < sizeof last - keep ? ckpt_take(c, (size_t)more[i]) : NULL;
        if (!s || memchr(s, 0, (size_t)more[i])) {
            c->bad = true;
            break;
        }
        memcpy(last + keep, s, (size_t)more[i]);
        last[have = keep + (size_t)more[i]] = 0;
        if (base[i] > have) c->bad = true;
        else {
            t->path[i] = ckpt_text("%s%s", inherited, last);
            t->base[i] = ckpt_text("%s%.*s", inherited, (int)base[i], last);
        }
        if (!c->bad && (!t->path[i] || !t->base[i] || (have && !ckpt_key_good(t->path[i])))) c->bad = true;
    }
    free(shared), free(more), free(base);
    return !c->bad;
}

/* ---- nodes ---- */

/* True if the node is new: each node has one position in the tree, so a store cannot make it endless. */
static bool ocdbt_fresh(tree *t, const char *file, int64_t at)
{
    if (2 * t->nspot >= t->spots) {
        tree wide = { .spots = 4 * t->spots + 64 };
        if (!(wide.spot = calloc(wide.spots, sizeof *wide.spot))) return false;
        for (size_t i = 0; i < t->spots; i++) {
            if (!t->spot[i].file) continue;
            size_t k = (size_t)t->spot[i].at * 0x9e3779b97f4a7c15u % wide.spots;
            while (wide.spot[k].file) k = (k + 1) % wide.spots;
            wide.spot[k] = t->spot[i];
        }
        free(t->spot);
        t->spot = wide.spot, t->spots = wide.spots;
    }
    size_t k = (size_t)at * 0x9e3779b97f4a7c15u % t->spots;
    for (; t->spot[k].file; k = (k + 1) % t->spots)
        if (t->spot[k].at == at && !strcmp(t->spot[k].file, file)) return false;
    t->nspot++;
    t->spot[k] = (spot){ ckpt_text("%s", file), at };
    return t->spot[k].file != NULL;
}

/* True if the memory kept is in proportion to the nodes' bytes. */
static bool ocdbt_kept(tree *t, size_t n) { return (t->kept += n) <= FLOOR + TIMES * t->read; }

static bool ocdbt_add(tree *t, const char *key, size_t n, entry **out)
{
    if (!ocdbt_kept(t, sizeof **out + n + 64)) return false;
    if (t->n == t->cap) {
        entry *more = realloc(t->e, (size_t)(t->cap = 2 * t->cap + 64) * sizeof *more);
        if (!more) return false;
        t->e = more;
    }
    *out = &t->e[t->n];
    **out = (entry){ .key = malloc(n + 1) };
    if (!(*out)->key) return false;
    memcpy((*out)->key, key, n);
    (*out)->key[n] = 0;
    t->n++;
    return !memchr(key, 0, n);
}

typedef struct { const char *file, *inherited; int64_t at, n; int height; const char *prefix; size_t nprefix; } place;

static bool node(tree *t, const place *p, ckpt_err *e);

/* Reads the keys of a node in sequence: each shares a prefix with the previous one. */
typedef struct { const uint64_t *shared, *more; char key[CKPT_PATH]; size_t n, head; } keys;

static bool next_key(ckpt_cursor *c, keys *k, size_t i)
{
    const size_t keep = i ? (size_t)k->shared[i - 1] : 0, head = k->head;
    if ((i && k->shared[i - 1] > k->n - head) || k->more[i] > sizeof k->key - 2 - head - keep)
        return c->bad = true, false;
    const uint8_t *s = ckpt_take(c, (size_t)k->more[i]);
    if (!s) return false;
    memcpy(k->key + head + keep, s, (size_t)k->more[i]);
    k->n = head + keep + (size_t)k->more[i];
    return true;
}

static bool ocdbt_leaf(tree *t, ckpt_cursor *c, const table *files, keys *k, size_t n)
{
    const int first = t->n;
    entry *x;
    for (size_t i = 0; i < n; i++) {
        if (!next_key(c, k, i) || !ocdbt_add(t, k->key, k->n, &x)) return false;
        if (i && strcmp(t->e[t->n - 2].key, x->key) >= 0) return false;      /* keys must rise */
    }
    uint64_t *size = ckpt_column(c, n), *file = NULL, *at = NULL;
    const uint8_t *kind = ckpt_take(c, n);
    size_t far = 0, f = 0;
    for (size_t i = 0; kind && i < n; i++) far += kind[i] == 1, c->bad |= kind[i] > 1;
    if (!c->bad) file = ckpt_column(c, far), at = ckpt_column(c, far);
    for (size_t i = 0; !c->bad && i < n; i++) {
        x = &t->e[first + (int)i];
        x->n = (int64_t)size[i];
        if (size[i] > (uint64_t)1 << 60) c->bad = true;
        else if (kind[i]) {
            if (file[f] >= files->n || at[f] > (uint64_t)1 << 60) c->bad = true;
            else x->file = ckpt_text("%s", files->path[file[f]]), x->at = (int64_t)at[f], f++;
            c->bad |= !x->file;
        } else {
            const uint8_t *s = ckpt_take(c, (size_t)size[i]);
            x->bytes = s && ocdbt_kept(t, (size_t)size[i]) ? malloc((size_t)size[i] + 1) : NULL;
            if (x->bytes) memcpy(x->bytes, s, (size_t)size[i]);
            else c->bad = true;
        }
    }
    free(size), free(file), free(at);
    return !c->bad && c->at == c->n;
}

static bool inner(tree *t, ckpt_cursor *c, const table *files, keys *k, size_t n, int height, ckpt_err *e)
{
    uint64_t *common = ckpt_column(c, n), *col[6] = { NULL };
    char *text = NULL;
    size_t *end = calloc(n + 1, sizeof *end), total = 0;
    bool ok = end != NULL && !c->bad;
    for (size_t i = 0; ok && i < n; i++) {               /* all keys first: the columns after them have fixed places */
        ok = next_key(c, k, i) && common[i] <= k->n - k->head;
        char *more = ok ? realloc(text, total + k->n + 1) : NULL;
        if (!more) ok = false;
        else
            memcpy((text = more) + total, k->key, k->head + (size_t)common[i]),
                end[i] = total += k->head + (size_t)common[i];
    }
    for (int i = 0; ok && i < 6; i++) col[i] = ckpt_column(c, n);
    ok = ok && !c->bad && c->at == c->n;
    for (size_t i = 0; ok && i < n; i++) {
        const size_t from = i ? end[i - 1] : 0;
        if (col[0][i] >= files->n || (col[1][i] | col[2][i]) >> 60) ok = false;
        else
            ok = node(t,
                      &(place){ files->path[col[0][i]], files->base[col[0][i]], (int64_t)col[1][i], (int64_t)col[2][i],
                                height - 1, text + from, end[i] - from },
                      e);
    }
    for (int i = 0; i < 6; i++) free(col[i]);
    free(common), free(end), free(text);
    return ok;
}

/* The maximum decompressed size of n bytes. */
static size_t unpacked_most(size_t n) { return TIMES * n > FLOOR ? TIMES * n : FLOOR; }

static bool node(tree *t, const place *p, ckpt_err *e)
{
    ckpt_bytes raw, body;
    if (p->height < 0 || p->height > DEEP || p->nprefix > CKPT_PATH / 2)
        return ckpt_fail(e, TT_EDATA,
                         "%s: the B-tree is damaged: a node is deeper, or a prefix longer, than any store has",
                             t->files->root);
    const int64_t size = t->files->size(t->files, p->file, e);
    if (size == -1) return ckpt_fail(e, TT_EDATA, "%s/%s is missing", t->files->root, p->file);
    if (size < 0) return false;
    if (p->at > size || p->n > size - p->at)
        return ckpt_fail(e, TT_EDATA, "%s/%s: has %lld bytes, too short for a node", t->files->root, p->file,
                         (long long)size);
    if (!ocdbt_fresh(t, p->file, p->at))
        return ckpt_fail(e, TT_EDATA, "%s/%s: a node of the B-tree is there twice", t->files->root, p->file);
    if (!ckpt_alloc(e, &raw, (size_t)p->n)) return false;
    t->read += raw.n;
    const size_t packed = unpacked_most(raw.n), most = t->most < packed ? t->most : packed;
    bool ok = t->files->read(t->files, p->file, p->at, p->n, raw.p, e) &&
              ckpt_frame(t->files->root, p->file, raw, NODE, most, &body, e);
    ckpt_free(&raw);
    if (!ok) return false;
    ckpt_cursor c = { body.p, body.n, 0, false };
    table files = { 0 };
    keys *k = calloc(1, sizeof *k);
    ok = k && ckpt_byte(&c) == p->height && table_of(&c, p->inherited, &files);
    const size_t n = ok ? ckpt_counted(&c) : 0;
    uint64_t *shared = ckpt_column(&c, n ? n - 1 : 0), *more = ckpt_column(&c, n);
    if (ok && !c.bad) {
        *k = (keys){ .shared = shared, .more = more, .head = p->nprefix, .n = p->nprefix };
        memcpy(k->key, p->prefix, p->nprefix);
        ok = p->height ? inner(t, &c, &files, k, n, p->height, e) : ocdbt_leaf(t, &c, &files, k, n);
    } else ok = false;
    free(shared), free(more), free(k);
    table_free(&files);
    ckpt_free(&body);
    return ok || ckpt_fail(e, TT_EDATA, "%s/%s: a node of the B-tree is damaged", t->files->root, p->file);
}

/* ---- the manifest ---- */

typedef struct { bool numbered, none; int64_t at, n, keys; int height; char *file, *base; } root_ref;

static bool manifest_of(tree *t, const char *name, root_ref *r, ckpt_err *e)
{
    ckpt_bytes raw, body;
    if (!ckpt_read_key(t->files, name, (size_t)1 << 28, &raw, e)) return false;
    bool ok = ckpt_frame(t->files->root, name, raw, MANIFEST, unpacked_most(raw.n), &body, e);
    ckpt_free(&raw);
    if (!ok) return false;
    ckpt_cursor c = { body.p, body.n, 0, false };
    table files = { 0 };
    ckpt_take(&c, 16);
    r->numbered = ckpt_number(&c) == 1;
    ckpt_number(&c);
    const uint64_t most = ckpt_number(&c);
    t->most = most > 1 << 30 ? 1 << 30 : (size_t)most;
    ckpt_byte(&c);
    if (ckpt_number(&c) == 1) ckpt_take(&c, 4);
    if (!r->numbered && !c.bad && table_of(&c, "", &files)) {
        const size_t n = ckpt_counted(&c);
        uint64_t *col[6] = { ckpt_column(&c, n) };
        const uint8_t *height = ckpt_take(&c, n);
        for (int i = 1; i < 6 && !c.bad; i++) col[i] = ckpt_column(&c, n);  /* file, offset, length, keys, bytes */
        r->none = n == 0;
        if (!c.bad && n) {
            const size_t i = n - 1;
            r->height = height[i];
            r->keys = (int64_t)col[4][i];
            r->at = (int64_t)col[2][i];
            r->n = (int64_t)col[3][i];
            c.bad = col[1][i] >= files.n || (col[2][i] | col[3][i] | col[4][i]) >> 60 != 0;
            if (!c.bad)
                r->file = ckpt_text("%s", files.path[col[1][i]]), r->base = ckpt_text("%s", files.base[col[1][i]]);
            c.bad |= !r->file || !r->base;
        }
        for (int i = 0; i < 6; i++) free(col[i]);
    }
    ok = !c.bad;
    table_free(&files);
    ckpt_free(&body);
    return ok || ckpt_fail(e, TT_EDATA, "%s/%s: the manifest is damaged", t->files->root, name);
}

/* The name of the greatest manifest.<16 hex digits>. */
static bool newest(const ckpt_store *dir, char *to, size_t capacity, ckpt_err *e)
{
    char **name;
    const int n = ckpt_names_in(dir, &name, e);
    *to = 0;
    for (int i = 0; i < n; i++)
        if (!strncmp(name[i], "manifest.", 9) && strlen(name[i]) == 25 && strspn(name[i] + 9, "0123456789abcdef") == 16)
            snprintf(to, capacity, "%s", name[i]);       /* names are sorted */
    ckpt_names_free(n, name);
    return *to != 0;
}

/* ---- the store ---- */

static int by_key(const void *a, const void *b) { return strcmp(((const entry *)a)->key, ((const entry *)b)->key); }

static const entry *ocdbt_find(const ckpt_store *s, const char *key)
{
    const tree *t = s->own;
    return t->n ? bsearch(&(entry){ .key = (char *)key }, t->e, (size_t)t->n, sizeof *t->e, by_key) : NULL;
}

static int64_t value_size(const ckpt_store *s, const char *key, ckpt_err *e)
{
    const entry *x = ocdbt_find(s, key);
    (void)e;
    return x ? x->n : -1;
}

static bool value_read(const ckpt_store *s, const char *key, int64_t at, int64_t n, void *to, ckpt_err *e)
{
    const entry *x = ocdbt_find(s, key);
    const tree *t = s->own;
    if (!x) return ckpt_fail(e, TT_EDATA, "%s: the key \"%.200s\" is missing", s->root, key);
    if (at < 0 || n < 0 || at > x->n || n > x->n - at)
        return ckpt_fail(e, TT_EDATA, "%s: %.200s has %lld bytes; bytes %lld to %lld were to be read", s->root, key,
                         (long long)x->n, (long long)at, (long long)at + (long long)n);
    if (x->bytes) return memcpy(to, x->bytes + at, (size_t)n), true;
    return t->files->read(t->files, x->file, x->at + at, n, to, e);
}

static bool value_scatter(const ckpt_store *s, const char *key, int64_t at, const struct iovec *v, int n,
                          ckpt_err *e)
{
    const entry *x = ocdbt_find(s, key);
    const tree *t = s->own;
    int64_t bytes = 0;
    for (int i = 0; i < n; i++) bytes += (int64_t)v[i].iov_len;
    if (x && !x->bytes && at >= 0 && bytes <= x->n - at)
        return t->files->scatter(t->files, x->file, x->at + at, v, n, e);
    for (int i = 0; i < n; at += (int64_t)v[i++].iov_len)
        if (!value_read(s, key, at, (int64_t)v[i].iov_len, v[i].iov_base, e)) return false;
    return true;
}

static void shut(ckpt_store *s)
{
    tree *t = s->own;
    for (int i = 0; i < t->n; i++) free(t->e[i].key), free(t->e[i].file), free(t->e[i].bytes);
    for (size_t i = 0; i < t->spots; i++) free(t->spot[i].file);
    free(t->spot);
    free(t->e);
    ckpt_store_close(t->files);
    free(t);
}

ckpt_store *ckpt_ocdbt(const ckpt_store *folder, ckpt_err *e)
{
    const char *dir = folder->root;
    ckpt_store *s = ckpt_folder_in(folder, "", e);
    tree *t = calloc(1, sizeof *t);
    root_ref r = { .none = false };
    char name[64] = "manifest.ocdbt";
    if (!s || !t || !(t->files = ckpt_folder_in(folder, "", e))) {
        ckpt_store_close(s);
        free(t);
        return ckpt_fail(e, TT_EMEM, "out of memory"), NULL;
    }
    s->size = value_size, s->read = value_read, s->scatter = value_scatter, s->close = shut, s->own = t;
    bool ok = manifest_of(t, name, &r, e);
    if (ok && r.numbered) {
        ok = newest(folder, name, sizeof name, e) ||
             ckpt_fail(e, TT_EDATA, "%s: there is no file manifest.N, which manifest.ocdbt says there is", dir);
        ok = ok && manifest_of(t, name, &r, e) && !r.numbered;
    }
    if (ok && !r.none && r.keys)
        ok = node(t, &(place){ r.file, r.base, r.at, r.n, r.height, "", 0 }, e);
    if (ok && !r.none && t->n != r.keys)
        ok = ckpt_fail(e, TT_EDATA, "%s: %d keys, the manifest says %lld", dir, t->n, (long long)r.keys);
    for (int i = 1; ok && i < t->n; i++)
        if (strcmp(t->e[i - 1].key, t->e[i].key) >= 0)
            ok = ckpt_fail(e, TT_EDATA, "%s: the keys of the OCDBT store are not in order", dir);
    free(r.file);
    free(r.base);
    if (ok) return s;
    ckpt_store_close(s);
    return ckpt_fail(e, TT_EDATA, "%s: the OCDBT store is damaged", dir), NULL;
}

const char *ckpt_ocdbt_key(const ckpt_store *s, int i, int64_t *n)
{
    const tree *t = s->own;
    if (i >= t->n) return NULL;
    *n = t->e[i].n;
    return t->e[i].key;
}
