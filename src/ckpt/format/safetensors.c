/* ckpt/format/safetensors.c - safetensors: a length, a JSON header, dense little-endian elements. One file, or a folder
 * of several with model.safetensors.index.json.
 *
 * The tensors of a file tile it exactly: no gap, no overlap, nothing after the last. The header's __metadata__ maps
 * texts to texts; what Tutti alone knows of the leaves is one of them, which other readers ignore:
 *
 *     "tutti.leaves": "{\"bn.mean\": {\"frozen\": true}, \"w\": {\"axes\": \"embed, hidden\"}}"
 */
#include "../ckpt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 100000000 };
static const char leaf_marks[] = "tutti.leaves";

static const char *safetensors_text_of(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

/* ---- dense elements at an offset of a file: for any such format ---- */

/* Reads a box in one read, unless most bytes between its first and last byte are not needed; then row by row. */
static bool pull_dense(const ckpt_store *s, const ckpt_leaf *l, int64_t at, int dim, const int64_t *step,
                       const int64_t *n, char *to, const int64_t *to_step, ckpt_err *e)
{
    const int rank = l->array.rank;
    const size_t unit = ckpt_unit(l->array.dtype);
    int64_t hull = (int64_t)unit, requested = (int64_t)unit;
    for (int i = dim; i < rank; i++) hull += (n[i] - 1) * step[i], requested *= n[i];
    if (dim < rank && hull > 1 << 16 && hull / 2 > requested) {
        for (int64_t k = 0; k < n[dim]; k++)
            if (!pull_dense(s, l, at + k * step[dim], dim + 1, step, n, to + k * to_step[dim], to_step, e))
                return false;
        return true;
    }
    if (hull == requested) {                             /* dense in the file and in memory */
        return s->read(s, l->text, at, hull, to, e) &&
               ckpt_bools(e, l->path, l->array.dtype, (const uint8_t *)to, (size_t)hull);
    }
    ckpt_bytes b;
    if (!ckpt_alloc(e, &b, (size_t)hull)) return false;
    const bool ok = s->read(s, l->text, at, hull, b.p, e) && ckpt_bools(e, l->path, l->array.dtype, b.p, b.n);
    if (ok) ckpt_copy(unit, rank - dim, n + dim, to, to_step + dim, (const char *)b.p, step + dim);
    ckpt_free(&b);
    return ok;
}

bool ckpt_read_dense(const ckpt *c, const ckpt_leaf *l, const int64_t *lo, const int64_t *n, void *to, ckpt_err *e)
{
    int64_t step[CKPT_RANK], to_step[CKPT_RANK], bytes = (int64_t)ckpt_unit(l->array.dtype), dense = bytes, at = l->at;
    for (int i = l->array.rank - 1; i >= 0; i--) {
        if (!n[i]) return true;
        step[i] = bytes, bytes *= l->array.dim[i];
        to_step[i] = dense, dense *= n[i];
        at += lo[i] * step[i];
    }
    return pull_dense(c->store[0], l, at, 0, step, n, to, to_step, e);
}

/* ---- reading the header ---- */

typedef struct { ckpt *c; const char *file; int64_t size, data; ckpt_err *e; } reading;

static bool safetensors_bad(const reading *r, const char *name, const char *what)
{
    return ckpt_fail(r->e, TT_EDATA, "%s/%s%s%.200s: %s", r->c->store[0]->root, r->file, name ? ": " : "",
                     name ? name : "", what);
}

static bool tensor(const reading *r, const char *name, const json_t *o, int64_t *end)
{
    const json_t *shape = json_object_get(o, "shape"), *range = json_object_get(o, "data_offsets");
    const json_int_t from = json_integer_value(json_array_get(range, 0)),
                     to = json_integer_value(json_array_get(range, 1));
    const tt_dtype t = ckpt_of_safetensors(safetensors_text_of(o, "dtype"));
    int64_t dim[CKPT_RANK];
    if (!t)
        return ckpt_fail(r->e, TT_ETYPE, "%s/%s: %.200s: elements of type \"%.40s\" are not known",
                         r->c->store[0]->root, r->file, name, safetensors_text_of(o, "dtype"));
    if (!json_is_array(shape) || json_array_size(shape) > CKPT_RANK) return safetensors_bad(r, name,
        "the shape does not read");
    for (size_t i = 0; i < json_array_size(shape); i++) {
        dim[i] = json_integer_value(json_array_get(shape, i));
        if (!json_is_integer(json_array_get(shape, i)) || dim[i] < 0) return safetensors_bad(r, name,
            "the shape does not read");
    }
    const int64_t bytes = ckpt_box_bytes(t, (int)json_array_size(shape), dim);
    if (json_array_size(range) != 2 || from < 0 || to < from || to > r->size - r->data)
        return safetensors_bad(r, name, "is outside the file");
    if (bytes != to - from) return safetensors_bad(r, name, "its bytes do not fit its shape");
    const tt_ckpt_key key = { name, 0 };
    ckpt_leaf *l = ckpt_leaf_add(r->c, r->e);
    if (!l || !ckpt_leaf_path(l, 1, &key, r->e) || !(l->text = ckpt_text("%s", r->file))) return false;
    ckpt_leaf_array(l, t, (int)json_array_size(shape), dim);
    l->at = r->data + from;
    *end = r->data + to;
    return true;
}

static bool mark(const reading *r, ckpt_leaf *l, const json_t *own)
{
    const json_t *const axes = json_object_get(own, "axes"), *const frozen = json_object_get(own, "frozen");
    const char *const s = json_string_value(axes);
    if (!json_is_object(own) || (axes && !s) || (frozen && !json_is_boolean(frozen)))
        return safetensors_bad(r, l->path, "its marks in \"tutti.leaves\" do not read");
    l->frozen = json_is_true(frozen);
    return !s || (l->item.axes = l->axes = ckpt_text("%s", s)) || ckpt_fail(r->e, TT_EMEM, "out of memory");
}

/* Gives the leaves of this file, from `first`, their marks. A mark of another name is ignored: the file's metadata may
 * have been copied with a part of its tensors. */
static bool marks(const reading *r, int first, const json_t *metadata)
{
    const json_t *const text = json_object_get(metadata, leaf_marks);
    if (!text) return true;
    json_t *o = json_is_string(text) ? json_loads(json_string_value(text), JSON_REJECT_DUPLICATES, NULL) : NULL;
    bool ok = json_is_object(o) || safetensors_bad(r, NULL, "its metadata \"tutti.leaves\" does not read");
    for (int i = first; ok && i < r->c->nleaf; i++) {
        const json_t *const own = json_object_get(o, r->c->leaf[i].path);
        ok = !own || mark(r, &r->c->leaf[i], own);
    }
    json_decref(o);
    return ok;
}

typedef struct { int64_t from, to; } extent;

static int by_start(const void *a, const void *b)
{
    const extent *x = a, *y = b;
    return x->from != y->from ? (x->from < y->from ? -1 : 1) : (x->to > y->to) - (x->to < y->to);
}

static bool tiled(const reading *r, int n, extent *x)
{
    int64_t at = r->data;
    qsort(x, (size_t)n, sizeof *x, by_start);
    for (int i = 0; i < n; i++) {
        if (x[i].from != at)
            return safetensors_bad(r, NULL, x[i].from < at ? "tensors overlap" : "there are bytes between tensors");
        at = x[i].to;
    }
    return at == r->size || safetensors_bad(r, NULL, "there are bytes after the last tensor");
}

static bool is_of_texts(const json_t *o)
{
    const char *name;
    const json_t *v;
    if (!json_is_object(o)) return false;
    json_object_foreach((json_t *)o, name, v) if (!json_is_string(v)) return false;
    return true;
}

static bool header(reading *r, const json_t *o)
{
    const int first = r->c->nleaf;
    const char *name;
    const json_t *v;
    extent *x = calloc(json_object_size(o) + 1, sizeof *x);
    bool ok = x || ckpt_fail(r->e, TT_EMEM, "out of memory");
    json_object_foreach((json_t *)o, name, v) {
        int64_t end = 0;
        if (!ok) break;
        if (!strcmp(name, "__metadata__")) {
            if (!is_of_texts(v)) ok = safetensors_bad(r, name, "is no object of texts");
            else if (!r->c->metadata) r->c->metadata = json_incref((json_t *)v);
        } else if ((ok = tensor(r, name, v, &end)))
            x[r->c->nleaf - 1 - first] = (extent){ r->c->leaf[r->c->nleaf - 1].at, end };
    }
    ok = ok && tiled(r, r->c->nleaf - first, x) && marks(r, first, json_object_get(o, "__metadata__"));
    free(x);
    return ok;
}

static bool one_file(ckpt *c, const char *file, ckpt_err *e)
{
    const ckpt_store *s = c->store[0];
    uint8_t head[8];
    reading r = { .c = c, .file = file, .e = e };
    ckpt_bytes text;
    json_error_t why;
    if (strlen(s->root) + strlen(file) > 3000)
        return ckpt_fail(e, TT_EDATA, "%.200s...: the path is longer than 3000 bytes", file);
    if (!ckpt_mark(c, s, file, e)) return false;
    r.size = s->size(s, file, e);
    if (r.size < 0) return r.size == -1 ? safetensors_bad(&r, NULL, "is missing") : false;
    if (r.size < 8) return safetensors_bad(&r, NULL, "is too short for a header");
    if (!s->read(s, file, 0, 8, head, e)) return false;
    uint64_t n = 0;
    for (int i = 7; i >= 0; i--) n = n << 8 | head[i];
    if (n > HEADER || (int64_t)n > r.size - 8) return safetensors_bad(&r, NULL,
        "the header's length is beyond the file");
    r.data = 8 + (int64_t)n;
    if (!ckpt_alloc(e, &text, (size_t)n)) return false;
    json_t *o = NULL;
    if (s->read(s, file, 8, (int64_t)n, text.p, e))
        o = json_loadb((const char *)text.p, text.n, JSON_REJECT_DUPLICATES, &why);
    ckpt_free(&text);
    const bool ok = json_is_object(o) ? header(&r, o) : e->code ? false : safetensors_bad(&r, NULL,
        "the header is no JSON object");
    json_decref(o);
    return ok;
}

static bool safetensors_listed(const ckpt *c, const char *name, const char *file)
{
    for (int i = 0; i < c->nleaf; i++)
        if (!strcmp(c->leaf[i].path, name)) return !strcmp(c->leaf[i].text, file);
    return false;
}

/* True if the index and the files match: each file is read once, every name of the index is in its file, and no
 * other name. */
static bool several(ckpt *c, ckpt_err *e)
{
    json_t *o = NULL;
    const char *name;
    json_t *v;
    if (!ckpt_json(c->store[0], "model.safetensors.index.json", &o, e)) return false;
    json_t *map = json_object_get(o, "weight_map"), *files = json_object();
    bool ok = json_is_object(map) || ckpt_fail(e, TT_EDATA, "%s: the index has no object weight_map", c->path);
    json_object_foreach(map, name, v) {
        const char *file = json_string_value(v);
        if (!ok) break;
        if (!file) ok = ckpt_fail(e, TT_EDATA, "%s: the index names no file for \"%.200s\"", c->path, name);
        else if (!json_object_get(files, file))
            ok = one_file(c, file, e), json_object_set_new(files, file, json_true());
    }
    json_object_foreach(map, name, v)
        if (ok && !safetensors_listed(c, name, json_string_value(v)))
            ok = ckpt_fail(e, TT_EDATA, "%s: \"%.200s\" is not in %.200s", c->path, name, json_string_value(v));
    if (ok && json_object_size(map) != (size_t)c->nleaf)
        ok = ckpt_fail(e, TT_EDATA, "%s: the files hold %d tensors, the index names %zu", c->path, c->nleaf,
                       json_object_size(map));
    json_decref(files);
    json_decref(o);
    return ok;
}

static bool has_index(const ckpt_store *dir, ckpt_err *e)
{
    (void)e;
    return ckpt_has(dir, "model.safetensors.index.json");
}

static bool begins_header(const uint8_t *head, int64_t n)
{
    return n >= 9 && head[8] == '{' && !head[7] && !head[6];
}

static bool open_safetensors(ckpt *c, const char *key, ckpt_err *e)
{
    c->read = ckpt_read_dense;
    c->complete = true;
    if (!c->outer) return one_file(c, key, e);
    return ckpt_store_add(c, ckpt_folder_in(c->outer, "", e), e) && ckpt_mark_all(c, c->store[0], e) && several(c, e);
}

/* ---- writing: larger elements first, then by name, so that every tensor is aligned ---- */

static int by_unit(const void *a, const void *b)
{
    const ckpt_out *x = *(const ckpt_out *const *)a, *y = *(const ckpt_out *const *)b;
    const size_t m = ckpt_unit(x->dtype), n = ckpt_unit(y->dtype);
    return m != n ? (m < n ? 1 : -1) : strcmp(x->path, y->path);
}

/* The metadata of the leaves that have marks; NULL: none has, or no memory (e) */
static json_t *metadata_of(const ckpt_out **list, int n, ckpt_err *e)
{
    json_t *all = NULL, *own;
    for (int i = 0; i < n; i++) {
        if (!list[i]->axes && !list[i]->frozen) continue;
        if (!all) all = json_object();
        own = json_object();
        if (list[i]->axes) json_object_set_new(own, "axes", json_string(list[i]->axes));
        if (list[i]->frozen) json_object_set_new(own, "frozen", json_true());
        json_object_set_new(all, list[i]->path, own);
    }
    char *const text = all ? json_dumps(all, JSON_COMPACT) : NULL;
    json_t *const metadata = text ? json_pack("{s:s}", leaf_marks, text) : NULL;
    if (all && !metadata) ckpt_fail(e, TT_EMEM, "out of memory");
    free(text);
    json_decref(all);
    return metadata;
}

static json_t *header_of(const ckpt_out **list, int n, ckpt_err *e)
{
    json_t *const o = json_object(), *const metadata = metadata_of(list, n, e);
    int64_t at = 0;
    if (metadata) json_object_set_new(o, "__metadata__", metadata);
    for (int i = 0; o && i < n; i++) {
        const char *type = ckpt_safetensors_name(list[i]->dtype);
        const int64_t bytes = ckpt_box_bytes(list[i]->dtype, list[i]->rank, list[i]->dim);
        json_t *shape = json_array();
        for (int d = 0; d < list[i]->rank; d++) json_array_append_new(shape, json_integer(list[i]->dim[d]));
        if (!strcmp(list[i]->path, "__metadata__")) {
            ckpt_fail(e, TT_EARG, "an array named \"__metadata__\", which in safetensors names the texts of the file");
            json_decref(shape);
            json_decref(o);
            return NULL;
        }
        if (!type) {
            ckpt_fail(e, TT_ETYPE, "%s: safetensors has no type for %s", list[i]->path,
                      ckpt_zarr3_name(list[i]->dtype));
            json_decref(shape);
            json_decref(o);
            return NULL;
        }
        json_object_set_new(o, list[i]->path,
                            json_pack("{s:s, s:o, s:[I, I]}", "dtype", type, "shape", shape, "data_offsets",
                                      (json_int_t)at, (json_int_t)(at + bytes)));
        at += bytes;
    }
    return o;
}

static bool body(ckpt_file *f, const char *text, const ckpt_out **list, int n, ckpt_err *e)
{
    const size_t len = strlen(text), pad = (8 - len % 8) % 8;
    uint8_t head[8];
    for (int i = 0; i < 8; i++) head[i] = (uint8_t)((uint64_t)(len + pad) >> 8 * i);
    if (len + pad > HEADER)
        return ckpt_fail(e, TT_EARG, "%s: the names and types need a header of more than the limit of %d bytes",
                         f->path, HEADER);
    if (!ckpt_file_write(f, head, 8, e) || !ckpt_file_write(f, text, len, e) || !ckpt_file_write(f, "        ", pad, e))
        return false;
    for (int i = 0; i < n; i++) {
        const size_t bytes = (size_t)ckpt_box_bytes(list[i]->dtype, list[i]->rank, list[i]->dim);
        uint8_t *p = malloc(bytes + 1);
        bool ok = p || ckpt_fail(e, TT_EMEM, "out of memory for %zu bytes", bytes);
        ok = ok &&
             (tt_read_at(NULL, list[i]->v, p, bytes) ||
              ckpt_fail(e, TT_EDATA, "%s: the elements could not be read", list[i]->path));
        ok = ok && ckpt_file_write(f, p, bytes, e);
        free(p);
        if (!ok) return false;
    }
    return true;
}

static bool save_safetensors(const char *site, const char *path, tt_val tree, ckpt_err *e)
{
    (void)site;
    char part[CKPT_PATH], dir[CKPT_PATH];
    ckpt_plan plan;
    ckpt_file f = { .fd = -1 };
    int n = 0;
    bool ok = ckpt_plan_of(&plan, tree, e);
    const ckpt_out **list = calloc((size_t)plan.n + 1, sizeof *list);
    for (int i = 0; list && i < plan.n; i++) if (!plan.out[i].empty) list[n++] = &plan.out[i];
    if (list) qsort(list, (size_t)n, sizeof *list, by_unit);
    json_t *o = ok && list ? header_of(list, n, e) : NULL;
    char *text = o ? json_dumps(o, JSON_COMPACT) : NULL;
    snprintf(part, sizeof part, "%.4000s%s", path, ckpt_suffix);
    ckpt_above(path, dir, sizeof dir);
    remove(part);
    ok = text && ckpt_file_new(&f, dir, strrchr(part, '/') ? strrchr(part, '/') + 1 : part, e);
    if (f.fd >= 0) ok = ckpt_file_close(&f, body(&f, text, list, n, e), e);
    if (ok && rename(part, path) != 0) ok = ckpt_fail(e, TT_EIO, "%s: %s", path, strerror(errno));
    if (ok) ok = ckpt_dir_sync(dir, e);
    else remove(part);
    free(text);
    free(list);
    json_decref(o);
    ckpt_plan_free(&plan);
    return ok || ckpt_fail(e, TT_EMEM, "out of memory");
}

const ckpt_format ckpt_safetensors = { .name = "safetensors", .title = "safetensors", .ending = ".safetensors",
                                       .dotted = true, .fills = has_index, .begins = begins_header,
                                       .open = open_safetensors, .save = save_safetensors };
