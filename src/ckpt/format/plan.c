/* ckpt/format/plan.c - the plan of a save: the leaves of a tree with names, layouts and chunks, and the tree as a
 * document.
 *
 * A leaf is split into files along its layout's shards, and a file into chunks of about 4 MB, each with its checksum. A
 * small leaf is one file. Where a dim does not divide evenly, all files have the size of the largest block. */
#include "../ckpt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 4 << 20, SMALL = 64 << 10 };

/* ---- the walk ---- */

typedef struct { ckpt_plan *p; ckpt_err *e; tt_ckpt_key key[CKPT_DEPTH]; int depth; } walk;

static ckpt_out *plan_added(walk *w)
{
    ckpt_plan *p = w->p;
    if (p->n == p->cap) {
        const int cap = 2 * p->cap + 16;
        ckpt_out *more = realloc(p->out, (size_t)cap * sizeof *more);
        if (!more) return ckpt_fail(w->e, TT_EMEM, "out of memory"), NULL;
        p->out = more;
        p->cap = cap;
    }
    ckpt_out *o = &p->out[p->n++];
    memset(o, 0, sizeof *o);
    ckpt_leaf l = { .name = NULL };
    const tt_ckpt_key bare = { "value", 0 };             /* an array alone needs a name */
    const bool ok = ckpt_leaf_path(&l, w->depth ? w->depth : 1, w->depth ? w->key : &bare, w->e);
    o->nkey = w->depth ? w->depth : 1;
    o->key = l.key, o->path = l.path, o->name = l.name;
    return ok ? o : NULL;
}

static bool plan_leaf(walk *w, tt_val v);

static bool branch(walk *w, tt_val v, json_t **doc)
{
    const char *kind = tt_kind_at(NULL, v), *tag = tt_tag_at(NULL, v);
    const int n = tt_items_at(NULL, v);
    json_t *items = json_array();
    *doc = json_pack("{s:s, s:s*, s:o}", "kind", kind, "tag", tag, "items", items);
    if (!*doc) return ckpt_fail(w->e, TT_EMEM, "out of memory");
    if (w->depth == CKPT_DEPTH)
        return ckpt_fail(w->e, TT_ETREE, "a tree of more than the limit of %d levels", CKPT_DEPTH);
    if (!n) {
        ckpt_out *o = w->depth ? plan_added(w) : NULL;
        if (o) o->empty = !strcmp(kind, "tuple") ? "None" : "Dict";
        return o || !w->depth;
    }
    for (int i = 0; i < n; i++) {
        const tt_val child = tt_item(v, i);
        json_t *below = NULL;
        w->key[w->depth++] = (tt_ckpt_key){ tt_name_at(NULL, v, i), i };
        const bool ok = tt_rank_at(NULL, child) < 0 ? branch(w, child, &below) : plan_leaf(w, child);
        w->depth--;
        json_array_append_new(items, json_pack("[s?, o]", tt_name_at(NULL, v, i), below ? below : json_null()));
        if (!ok) return false;
    }
    return true;
}

/* ---- pieces ---- */

static int64_t smallest_factor(int64_t n)
{
    for (int64_t f = 2; f * f <= n; f++) if (n % f == 0) return f;
    return n;
}

/* Divides the largest dim by 2 (3, ...) until a chunk is small enough. A dim that is not sharded may first grow
 * slightly beyond the array's end, where a prime size would otherwise make many tiny chunks. */
static void pieces_of(ckpt_out *o, const int64_t *part)
{
    const int64_t unit = (int64_t)ckpt_unit(o->dtype);
    int64_t bytes = unit;
    for (int i = 0; i < o->rank; i++) o->inner[i] = o->chunk[i], bytes *= o->chunk[i];
    while (bytes > PIECE) {
        int big = 0;
        for (int i = 1; i < o->rank; i++) if (o->inner[i] > o->inner[big]) big = i;
        if (o->inner[big] == 1) break;
        if (smallest_factor(o->inner[big]) > 7 && part[big] == 1 && o->inner[big] == o->chunk[big] &&
            o->inner[big] > 64) {
            o->chunk[big] = o->inner[big] = (o->inner[big] + 63) / 64 * 64;
            bytes = unit;
            for (int i = 0; i < o->rank; i++) bytes *= o->inner[i];
        }
        const int64_t f = smallest_factor(o->inner[big]);
        o->inner[big] /= f;
        bytes /= f;
    }
}

static bool plan_leaf(walk *w, tt_val v)
{
    ckpt_out *o = plan_added(w);
    int64_t part[CKPT_RANK];
    if (!o) return false;
    o->v = v;
    o->dtype = tt_dtype_of_at(NULL, v);
    o->rank = tt_rank_at(NULL, v);
    o->frozen = tt_leaf_frozen_at(NULL, v);
    o->axes = tt_leaf_axes_at(NULL, v);
    for (int i = 0; i < o->rank; i++) o->dim[i] = tt_dim_at(NULL, v, i), part[i] = 1;
    if (!tt_ok()) return ckpt_fail(w->e, TT_EARG, "%s: the value could not be read", o->path);
    if (strlen(o->name) > CKPT_PATH / 4)
        return ckpt_fail(w->e, TT_EARG, "\"%.60s...\": the name of a leaf is longer than %d bytes", o->name,
                         CKPT_PATH / 4);
    if (!(o->folder = ckpt_name_folder(o->name))) return ckpt_fail(w->e, TT_EMEM, "out of memory");
    const tt_mesh mesh = tt_mesh_of_at(NULL, v);
    const char *spec = mesh.p ? tt_spec_at(NULL, v) : NULL;
    if (spec && !(o->spec = malloc(3 * strlen(spec) + 4))) return ckpt_fail(w->e, TT_EMEM, "out of memory");
    if (spec) o->mesh = tt_mesh_spec(mesh), o->even = ckpt_spec_on(spec, o->mesh, mesh, o->rank, o->spec, part);
    for (int i = 0; i < o->rank; i++) o->even &= o->dim[i] % part[i] == 0;
    const int64_t bytes = ckpt_box_bytes(o->dtype, o->rank, o->dim);
    if (bytes < 0) return ckpt_fail(w->e, TT_ESHAPE, "%s: an array of more than 2^63 bytes", o->path);
    w->p->bytes += bytes;
    for (int i = 0; i < o->rank; i++) {
        const int64_t k = bytes <= SMALL ? 1 : part[i];
        o->chunk[i] = o->dim[i] > k ? (o->dim[i] + k - 1) / k : 1;
    }
    pieces_of(o, part);
    o->cells = bytes ? 1 : 0;
    for (int i = 0; i < o->rank && bytes; i++) o->cells *= o->grid[i] = (o->dim[i] + o->chunk[i] - 1) / o->chunk[i];
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(ckpt_out *const *)a)->name, (*(ckpt_out *const *)b)->name);
}

static int by_folder(const void *a, const void *b)
{
    return strcmp((*(ckpt_out *const *)a)->folder, (*(ckpt_out *const *)b)->folder);
}

/* True if an ancestor of this folder is another leaf's. list: sorted by folder. */
static bool below_another(const ckpt_out *o, int n, ckpt_out *const *list)
{
    char above[CKPT_PATH];
    for (const char *slash = strchr(o->folder, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(above, sizeof above, "%.*s", (int)(slash - o->folder), o->folder);
        const ckpt_out want = { .folder = above }, *const key = &want;
        if (bsearch(&key, list, (size_t)n, sizeof *list, by_folder)) return true;
    }
    return false;
}

/* Gives each leaf a folder to itself: a folder below another leaf's, "a/c" with "a", is quoted. */
static bool folders_apart(ckpt_plan *p, ckpt_out **list, ckpt_err *e)
{
    int n = 0;
    for (int i = 0; i < p->n; i++) if (!p->out[i].empty) list[n++] = &p->out[i];
    qsort(list, (size_t)n, sizeof *list, by_folder);
    for (int i = 0; i < n; i++) list[i]->quoted = strchr(list[i]->folder, '/') && below_another(list[i], n, list);
    for (int i = 0; i < n; i++) {
        if (!list[i]->quoted) continue;
        free(list[i]->folder);
        if (!(list[i]->folder = ckpt_name_quoted(list[i]->name))) return ckpt_fail(e, TT_EMEM, "out of memory");
    }
    qsort(list, (size_t)n, sizeof *list, by_folder);
    for (int i = 1; i < n; i++)
        if (!strcmp(list[i - 1]->folder, list[i]->folder))
            return ckpt_fail(e, TT_ETREE, "the names \"%.200s\" and \"%.200s\" would be one folder on the disk",
                             list[i - 1]->name, list[i]->name);
    return true;
}

static bool distinct(ckpt_plan *p, ckpt_err *e)
{
    ckpt_out **list = malloc(((size_t)p->n + 1) * sizeof *list);
    bool ok = list || ckpt_fail(e, TT_EMEM, "out of memory");
    for (int i = 0; ok && i < p->n; i++) list[i] = &p->out[i];
    if (ok) qsort(list, (size_t)p->n, sizeof *list, by_name);
    for (int i = 1; ok && i < p->n; i++)
        if (!strcmp(list[i - 1]->name, list[i]->name))
            ok = ckpt_fail(e, TT_ETREE, "two leaves have the name \"%.200s\"", list[i]->name);
    ok = ok && folders_apart(p, list, e);
    free(list);
    return ok;
}

bool ckpt_plan_of(ckpt_plan *p, tt_val tree, ckpt_err *e)
{
    walk w = { .p = p, .e = e };
    memset(p, 0, sizeof *p);
    if (tt_is_traced_at(NULL, tree))
        return ckpt_fail(e, TT_ETRACE, "the elements of the value are known only when the traced function runs");
    const bool ok = tt_rank_at(NULL, tree) < 0 ? branch(&w, tree, &p->tree) : plan_leaf(&w, tree);
    return (ok || ckpt_fail(e, TT_ETREE, "the tree cannot be saved")) && distinct(p, e);
}

void ckpt_plan_free(ckpt_plan *p)
{
    for (int i = 0; i < p->n; i++) {
        ckpt_out *o = &p->out[i];
        for (int k = 0; k < o->nkey && o->key; k++) free((char *)o->key[k].name);
        for (int64_t c = 0; o->held && c < o->cells; c++) free(o->held[c]);
        free(o->key), free(o->path), free(o->name), free(o->folder), free(o->copy), free(o->spec);
        free(o->owner), free(o->held);
    }
    free(p->out);
    json_decref(p->tree);
    memset(p, 0, sizeof *p);
}

bool ckpt_plan_copy(ckpt_plan *p, ckpt_err *e)
{
    for (int i = 0; i < p->n; i++) {
        ckpt_out *o = &p->out[i];
        const int64_t n = o->empty ? 0 : ckpt_box_bytes(o->dtype, o->rank, o->dim);
        if (o->empty) continue;
        if (!(o->copy = malloc((size_t)n + 1)))
            return ckpt_fail(e, TT_EMEM, "out of memory for a copy of %s (%lld bytes)", o->path, (long long)n);
        if (!tt_read_at(NULL, o->v, o->copy, (size_t)n))
            return ckpt_fail(e, TT_EDATA, "%s: the elements could not be read", o->path);
    }
    return true;
}

uint32_t ckpt_out_mark(uint32_t c, const ckpt_out *o)
{
    const int what[] = { (int)o->dtype, o->rank, o->empty != NULL };
    c = ckpt_crc32c(c, o->name, strlen(o->name) + 1);
    c = ckpt_crc32c(c, what, sizeof what);
    c = ckpt_crc32c(c, o->dim, (size_t)o->rank * sizeof *o->dim);
    return ckpt_crc32c(c, o->chunk, (size_t)o->rank * sizeof *o->chunk);
}

uint32_t ckpt_plan_mark(const ckpt_plan *p)
{
    uint32_t c = 0;
    for (int i = 0; i < p->n; i++) c = ckpt_out_mark(c, &p->out[i]);
    return c;
}
