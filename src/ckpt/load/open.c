/* ckpt/load/open.c - finds the format of a path and lists the items of the checkpoint without reading their elements.
 * Needs no device. */
#include "../ckpt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- which format ---- */

static bool open_folder(ckpt *c, ckpt_err *e)
{
    if (!ckpt_mark_all(c, c->outer, e) || !ckpt_manifest_check(c->outer, false, e)) return false;
    c->format = ckpt_format_of_folder(c->outer, e);
    if (!c->format) return ckpt_fail(e, TT_EDATA, "%s: holds no checkpoint of a known kind", c->outer->root);
    return c->format->open(c, NULL, e);
}

static bool open_file(ckpt *c, const char *path, ckpt_err *e)
{
    uint8_t head[10] = { 0 };
    const char *key;
    if (!ckpt_store_add(c, ckpt_single(path, &key, e), e) || !ckpt_mark(c, c->store[0], key, e)) return false;
    const int64_t all = c->store[0]->size(c->store[0], key, e), n = all < 10 ? all : 10;
    if (all < 0 || !c->store[0]->read(c->store[0], key, 0, n, head, e)) return false;
    c->format = ckpt_format_of_name(path);
    if (!c->format) c->format = ckpt_format_of_bytes(head, n);
    if (!c->format) return ckpt_fail(e, TT_EDATA, "%s: is no checkpoint of a known kind", path);
    return c->format->open(c, key, e);
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
    return ((c->outer ? open_folder(c, e) : open_file(c, path, e)) && finished(c, e)) ||
           ckpt_fail(e, TT_EMEM, "%s: out of memory", path);         /* what failed without an error */
}
/* ---- the public calls ---- */

static void freed(void *p)
{
    ckpt_close(p);
    free(p);
}

tt_ckpt tt_ckpt_open_at(const char *site, const char *path)
{
    TT_ENTRY(site);
    ckpt *c = calloc(1, sizeof *c);
    ckpt_err e = { 0 };
    if (c && path && *path && ckpt_open(c, path, &e)) {
        tt_own(c, freed);                                /* without memory, c is closed */
        return tt_ok() ? (tt_ckpt){ c, tt_alive_at(site) } : (tt_ckpt){ 0 };
    }
    if (!path || !*path) ckpt_fail(&e, TT_EARG, "tt_ckpt_open: the path is %s", path ? "empty" : "NULL");
    if (c) freed(c);
    ckpt_report(site, &e);
    return (tt_ckpt){ 0 };
}

bool ckpt_is_open(const char *site, const char *what, tt_ckpt c)
{
    if (!c.p) tt_fail_at(site, TT_ELIFE, "%s: the tt_ckpt is empty", what);
    return c.p && tt_is_live_at(site, what, c.alive);
}

const char *tt_ckpt_format_at(const char *site, tt_ckpt c)
{
    TT_ENTRY(site);
    return ckpt_is_open(site, "tt_ckpt_format", c) ? c.p->format->name : "";
}
int tt_ckpt_count_at(const char *site, tt_ckpt c)
{
    TT_ENTRY(site);
    return ckpt_is_open(site, "tt_ckpt_count", c) ? c.p->nleaf : 0;
}

const tt_ckpt_item *tt_ckpt_item_at(const char *site, tt_ckpt c, int i)
{
    TT_ENTRY(site);
    static const tt_ckpt_item none = { .path = "", .what = "", .text = "", .mesh = "", .spec = "", .axes = "" };
    if (!ckpt_is_open(site, "tt_ckpt_at", c)) return &none;
    if (i >= 0 && i < c.p->nleaf) return &c.p->leaf[i].item;
    tt_fail_at(site, TT_EARG, "tt_ckpt_at: %s has no item %d; there are %d", c.p->path, i, c.p->nleaf);
    return &none;
}

static const char *json_text(const char *site, const json_t *v)
{
    char *const s = v ? json_dumps(v, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY) : NULL;
    if (!s && v) tt_fail_at(site, TT_EMEM, "out of memory");
    if (s) tt_own(s, free);
    return s && tt_ok() ? s : "";
}

static const ckpt_later *late_key(const ckpt *c, const char *key)
{
    for (int i = 0; i < c->nlater; i++) if (!strcmp(c->later[i].key, key)) return &c->later[i];
    return NULL;
}

/* The metadata with all that is read when it is asked for. The record stays as it is: other threads may read it. */
static json_t *all_metadata(const ckpt *c, ckpt_err *e)
{
    json_t *const all = c->nlater ? json_copy(c->metadata) : json_incref(c->metadata);
    for (int i = 0; all && i < c->nlater; i++) {
        json_t *const v = c->late(c, &c->later[i], e);
        if (!v || json_object_set_new(all, c->later[i].key, v) != 0) return json_decref(all), NULL;
    }
    return all;
}

/* Takes ownership of v. late: it was read now. */
static const char *metadata_text(const char *site, const ckpt *c, json_t *v, ckpt_err *e, bool late)
{
    if (late && ckpt_fate_of(c, v != NULL) != CKPT_UNCHANGED) {
        *e = (ckpt_err){ 0 };
        ckpt_fail_hint(e, TT_EIO, "open the checkpoint again",
                       "%s: has been replaced, removed or changed since it was opened", c->path);
    } else if (late && !v) ckpt_fail(e, TT_EMEM, "out of memory");
    if (e->code) return json_decref(v), ckpt_report(site, e), "";
    const char *const s = json_text(site, v);
    json_decref(v);
    return s;
}

const char *tt_ckpt_metadata_at(const char *site, tt_ckpt c)
{
    TT_ENTRY(site);
    ckpt_err e = { 0 };
    if (!ckpt_is_open(site, "tt_ckpt_metadata", c)) return "";
    return metadata_text(site, c.p, all_metadata(c.p, &e), &e, c.p->nlater > 0);
}

const char *tt_ckpt_metadata_of_at(const char *site, tt_ckpt c, const char *key)
{
    TT_ENTRY(site);
    ckpt_err e = { 0 };
    if (!ckpt_is_open(site, "tt_ckpt_metadata_of", c)) return "";
    if (!key) return tt_fail_at(site, TT_EARG, "tt_ckpt_metadata_of: the key is NULL"), "";
    const ckpt_later *const l = late_key(c.p, key);
    json_t *const v = l ? c.p->late(c.p, l, &e) : json_incref(json_object_get(c.p->metadata, key));
    return metadata_text(site, c.p, v, &e, l != NULL);
}
