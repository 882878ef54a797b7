/* ckpt/load/load.c - tt_load: the contents of a checkpoint as a tree of values, each leaf in the requested layout.
 *
 * All mismatches are found before an element is read, and reported in one message. Layouts by rules are those that a
 * jit with these rules gives its results: tt_eval_shape of an identity computes them. */
#include "../ckpt.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A list of at most `most` texts, then the number of further ones. */
typedef struct { char s[260]; int n; } list;

static void noted(list *l, const char *fmt, ...)
{
    const size_t at = strlen(l->s);
    va_list v;
    if (l->n++ >= 6 || at > sizeof l->s - 40) return;
    if (at) snprintf(l->s + at, sizeof l->s - at, ", ");
    va_start(v, fmt);
    vsnprintf(l->s + strlen(l->s), sizeof l->s - strlen(l->s), fmt, v);
    va_end(v);
}

/* True if the checkpoint fits `tree` (the requested tree); else the error lists the mismatches. at[i]: the item of
 * its i-th leaf. */
static bool load_fits(const ckpt *c, tt_val tree, int n, const tt_val *leaf, int *at, const tt_load_opts *o,
    ckpt_err *e)
{
    list missing = { .n = 0 }, extra = { .n = 0 }, other = { .n = 0 };
    char *used = calloc((size_t)c->nleaf + 1, 1);
    if (!used) return ckpt_fail(e, TT_EMEM, "out of memory");
    for (int i = 0; i < n; i++) {
        const char *path = tt_leaf_path_at(NULL, tree, i);
        at[i] = ckpt_find(c, path);
        const ckpt_leaf *l = at[i] >= 0 ? &c->leaf[at[i]] : NULL;
        if (!l) {
            noted(&missing, "%s", *path ? path : "an array alone");
            continue;
        }
        used[at[i]] = 1;
        bool same = tt_rank_at(NULL, leaf[i]) == l->array.rank
            && (o->cast || tt_dtype_of_at(NULL, leaf[i]) == l->array.dtype);
        for (int d = 0; same && d < l->array.rank; d++) same = tt_dim_at(NULL, leaf[i], d) == l->array.dim[d];
        if (same) continue;
        char have[200] = "";
        for (int d = 0; d < l->array.rank && strlen(have) < 160; d++)
            snprintf(have + strlen(have), sizeof have - strlen(have), "%s%lld", d ? ", " : "",
                     (long long)l->array.dim[d]);
        noted(&other, "%s is %s[%s], expected %s", path, ckpt_zarr3_name(l->array.dtype), have,
              tt_type_text_at(NULL, leaf[i]));
    }
    for (int i = 0; i < c->nleaf && !o->extra; i++)
        if (c->leaf[i].what == CKPT_ARRAY && !used[i]) noted(&extra, "%s", c->leaf[i].path);
    free(used);
    if (!missing.n && !extra.n && !other.n) return true;
    char text[800] = "";
    const struct { const char *what; const list *l; } all[] = {
        { "missing in it", &missing }, { "not requested", &extra }, { "otherwise", &other }
    };
    for (size_t i = 0; i < 3; i++) {
        const size_t at_end = strlen(text);
        const int more = all[i].l->n - 6;
        char rest[40] = "";
        if (more > 0) snprintf(rest, sizeof rest, " and %d more", more);
        if (all[i].l->n)
            snprintf(text + at_end, sizeof text - at_end, "%s%s: %s%s", at_end ? "; " : "", all[i].what, all[i].l->s,
                     rest);
    }
    return ckpt_fail_hint(e, TT_ETREE, extra.n ? ".extra = 1 loads without what is not requested" : NULL,
                          "%.200s does not fit. %.680s", c->path, text);
}

/* ---- layouts ---- */

static tt_val load_same(tt_val v) { return v; }

/* The leaf in its layout: from `like`, by the rules, or as it was saved. */
static tt_val laid(const char *site, const ckpt *c, const ckpt_leaf *l, tt_val form, tt_val ruled,
                   const tt_load_opts *o, bool like, ckpt_err *e)
{
    const bool by_rules = !like && o->rules && l->axes && tt_mesh_of_at(site, ruled).p;
    const char *spec = like ? tt_spec_at(site, form) : by_rules ? tt_spec_at(site, ruled) : "";
    tt_mesh mesh = like ? tt_mesh_of_at(site, form) : o->mesh;
    char *text = NULL;
    int64_t part[CKPT_RANK];
    if (!like && !by_rules && l->spec) {
        if (!mesh.p && l->mesh) mesh = tt_mesh_at(site, l->mesh, &(tt_mesh_opts){ .size = sizeof(tt_mesh_opts) });
        if (!tt_ok()) return tt_none();
        if (!(text = malloc(3 * strlen(l->spec) + 4))) return ckpt_fail(e, TT_EMEM, "out of memory"), tt_none();
        ckpt_spec_on(l->spec, l->mesh ? l->mesh : "", mesh, l->array.rank, text, part);
        spec = text;
    }
    const tt_val v = ckpt_value(site, c, l, mesh, spec, e);
    free(text);
    return v;
}

static double load_bytes_of(const ckpt_leaf *l)
{
    double all = (double)ckpt_unit(l->array.dtype);
    for (int d = 0; d < l->array.rank; d++) all *= (double)l->array.dim[d];
    return all;
}

/* Prefetching: while leaf i is read, the following leaves, up to a number of bytes, are requested from the disk; files
 * of a megabyte would otherwise each wait for it. Leaves before `next` have been requested, of which `bytes` are not
 * read. */
typedef struct { int next; double bytes; } ahead;

static void fetch_ahead(const ckpt *c, int n, const int *at, int i, ahead *a)
{
    static const double most = 64 << 20;
    if (!c->ahead) return;
    if (a->next < i) *a = (ahead){ i, 0 };
    for (; a->next < n && a->bytes + load_bytes_of(&c->leaf[at[a->next]]) <= most; a->next++) {
        c->ahead(c, &c->leaf[at[a->next]]);
        a->bytes += load_bytes_of(&c->leaf[at[a->next]]);
    }
    if (a->next > i) a->bytes -= load_bytes_of(&c->leaf[at[i]]);
}

static tt_val built(const char *site, const ckpt *c, const tt_load_opts *o, bool like, ckpt_err *e)
{
    const tt_val form = like ? o->like : ckpt_tree(site, c, e);
    const int n = e->code || !tt_ok() ? 0 : tt_tree_leaves_at(site, form, 0, NULL);
    tt_val *leaf = calloc(2 * (size_t)n + 2, sizeof *leaf), *ruled = leaf ? leaf + n : NULL, out = tt_none();
    int *at = calloc((size_t)n + 1, sizeof *at);
    if (!leaf || !at) ckpt_fail(e, TT_EMEM, "out of memory");
    if (!e->code && tt_ok() && n) {
        tt_tree_leaves_at(site, form, n, leaf);
        if (o->mesh.p && o->rules && !like) {
            const tt_fn f = tt_jit_at(site, TT_FN(load_same),
                &(tt_jit_opts){ .size = sizeof(tt_jit_opts), .mesh = o->mesh,
                                                                       .rules = o->rules });
            tt_tree_leaves_at(site, tt_eval_shape_at(site, f, (tt_val[]){ form, tt_end }), n, ruled);
        }
    }
    bool ok = !e->code && tt_ok() && load_fits(c, form, n, leaf, at, o, e);
    ahead coming = { 0, 0 };
    for (int i = 0; ok && i < n; i++) {
        const ckpt_leaf *l = &c->leaf[at[i]];
        fetch_ahead(c, n, at, i, &coming);
        const tt_val v = laid(site, c, l, leaf[i], ruled[i], o, like, e);
        const bool other = like && !e->code && tt_ok() && tt_dtype_of_at(site, leaf[i]) != l->array.dtype;
        const tt_val cast = other ? tt_cast_at(site, v, tt_dtype_of_at(site, leaf[i])) : v;
        const tt_leaf_opts note = { .size = sizeof note,
                                    .axes = tt_leaf_axes_at(site, leaf[i]),
                                    .frozen = tt_leaf_frozen_at(site, leaf[i]) };
        ok = !e->code && tt_ok();
        if (ok) leaf[i] = note.axes || note.frozen ? tt_leaf_at(site, cast, &note) : cast, ok = tt_ok();
    }
    if (ok) out = n || like ? tt_tree_unflatten_at(site, form, n, leaf) : form;
    free(leaf);
    free(at);
    return out;
}

/* ---- in a job: every process reads its parts ---- */

/* What identifies a checkpoint: its items, and the words of its marker. */
static uint32_t mark_of(const ckpt *c)
{
    uint32_t crc = 0;
    ckpt_err quiet = { 0 };
    ckpt_bytes b;
    for (int i = 0; i < c->nleaf; i++) {
        const ckpt_array *const a = &c->leaf[i].array;
        const int what[] = { (int)c->leaf[i].what, (int)a->dtype, a->rank };
        if (c->leaf[i].path) crc = ckpt_crc32c(crc, c->leaf[i].path, strlen(c->leaf[i].path) + 1);
        crc = ckpt_crc32c(crc, what, sizeof what);
        crc = ckpt_crc32c(crc, a->dim, (size_t)a->rank * sizeof *a->dim);
    }
    if (!c->outer || !ckpt_read_key(c->outer, "commit_success.txt", 65536, &b, &quiet)) return crc;
    crc = ckpt_crc32c(crc, b.p, b.n);
    ckpt_free(&b);
    return crc;
}

/* True if some process must repeat its load, so that all do. False: the load is over, and all know how it ended. */
static bool repeats(const char *site, const ckpt *c, bool mine, ckpt_err *e)
{
    static const tt_agreement here = { .patience = 300 };        /* while others still read */
    char same[64], own = mine, *const all = calloc((size_t)tt_process_count(), 1);
    bool again = false;
    if (!all) ckpt_fail(e, TT_EMEM, "out of memory");
    if (!all || !tt_process_agree_at(site, "tt_load", &here) || !tt_gather_bytes_at(site, "tt_load", &own, 1, all))
        return free(all), false;
    for (int k = 0; k < tt_process_count(); k++) again |= all[k];
    free(all);
    snprintf(same, sizeof same, "%s of %d leaves (%08x)", c->format ? c->format->name : "nothing", c->nleaf,
             mark_of(c));
    if (!again) ckpt_agree(site, "tt_load", same, 0, e);
    return again;
}

/* Repeats the load until all data come from one checkpoint: if it is replaced meanwhile, the earlier result is
 * dropped. */
static tt_val read_from(const char *site, const char *path, const tt_load_opts *o, bool like, ckpt_err *e)
{
    tt_val out = tt_none();
    int attempt = 0;
    const bool job = ckpt_in_job();
    for (bool retry = true; retry && (job || tt_ok());) {
        const tt_scope scope = tt_scope_open();
        ckpt c = { 0 };
        *e = (ckpt_err){ 0 };
        const tt_val v = tt_ok() && ckpt_open(&c, path, e) ? built(site, &c, o, like, e) : tt_none();
        retry = tt_ok() && ckpt_retry(&c, &attempt, e);
        if (job) retry = repeats(site, &c, retry, e);
        if (!retry && !e->code) tt_assign(&out, v);
        ckpt_close(&c);
        tt_scope_close(scope);
    }
    return out;
}

/* True if each given option has an effect; else sets the error. */
static bool has_use(const char *site, const tt_load_opts *o, bool like)
{
    const bool rules = o->rules && (like || !o->mesh.p), mesh = like && o->mesh.p;
    if (!rules && !mesh && (like || (!o->cast && !o->extra))) return true;
    const char *which = rules ? ".rules" : mesh ? ".mesh" : o->cast ? ".cast" : ".extra";
    const char *where = !rules && !mesh ? "without .like" : like ? "with .like, whose layouts are used"
                                                                 : "without .mesh";
    tt_fail_at(site, TT_EARG, "tt_load: %s has no effect %s", which, where);
    return false;
}

tt_val tt_load_at(const char *site, const char *path, const tt_load_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_load_opts, site, "load", o)) return tt_poison;
    ckpt_err e = { 0 };
    tt_val out = tt_none();
    const bool like = o->like.slot || o->like.born;
    if (tt_ok() && !has_use(site, o, like)) return tt_poison;
    if (!tt_ok() && !ckpt_in_job())
        return tt_fail_at(site, TT_ELIFE, "%s: not loaded, because an earlier call failed", path ? path : "");
    if (!path || !*path) ckpt_fail(&e, TT_EARG, "tt_load: the path is %s", path ? "empty" : "NULL");
    else if (ckpt_dry_saved(path)) out = built(site, ckpt_dry_saved(path), o, like, &e);
    else out = read_from(site, path, o, like, &e);
    if (!e.code) return tt_ok() ? out : tt_poison;
    return ckpt_report(site, &e);
}
