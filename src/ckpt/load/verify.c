/* ckpt/load/verify.c - tt_ckpt_verify: checks that every byte of a checkpoint is as written. Sizes and checksums of all
 * files if there is a manifest, and every element through its codecs, a bounded part at a time. Needs no device. */
#include "../ckpt.h"

#include <stdlib.h>
#include <string.h>

enum { PART = 32 << 20 };

/* Leading dims are split until a part is small enough. */
static bool scan(const ckpt *c, const ckpt_leaf *l, int64_t *lo, int64_t *n, int dim, ckpt_err *e)
{
    const int64_t bytes = ckpt_box_bytes(l->array.dtype, l->array.rank, n);
    if (bytes <= PART || dim == l->array.rank) {
        ckpt_bytes b;
        if (!ckpt_alloc(e, &b, (size_t)bytes)) return false;
        const bool ok = c->read(c, l, lo, n, b.p, e);
        ckpt_free(&b);
        return ok;
    }
    const int64_t all = n[dim], first = lo[dim], rows = bytes / all >= PART ? 1 : PART / (bytes / all);
    bool ok = true;
    for (int64_t at = 0; ok && at < all; at += rows) {
        lo[dim] = first + at;
        n[dim] = all - at < rows ? all - at : rows;
        ok = scan(c, l, lo, n, dim + 1, e);
    }
    lo[dim] = first;
    n[dim] = all;
    return ok;
}

static bool verified(const ckpt *c, tt_ckpt_counts *sum, ckpt_err *e)
{
    bool ok = !c->outer || ckpt_manifest_check(c->outer, true, e);
    sum->manifest = ok && c->outer && ckpt_has(c->outer, "_MANIFEST");
    for (int i = 0; ok && i < c->nleaf; i++) {
        const ckpt_leaf *l = &c->leaf[i];
        int64_t lo[CKPT_RANK] = { 0 }, n[CKPT_RANK];
        if (l->what != CKPT_ARRAY) continue;
        memcpy(n, l->array.dim, sizeof n);
        sum->arrays++;
        sum->bytes += ckpt_box_bytes(l->array.dtype, l->array.rank, n);
        ok = scan(c, l, lo, n, 0, e);
    }
    return ok;
}

bool tt_ckpt_verify_at(const char *site, const char *path, tt_ckpt_counts *out)
{
    TT_ENTRY(site);
    tt_ckpt_counts sum = { 0 };
    ckpt_err e = { 0 };
    int attempt = 0;
    if (!path || !*path) ckpt_fail(&e, TT_EARG, "tt_ckpt_verify: the path is %s", path ? "empty" : "NULL");
    for (bool retry = path && *path; retry;) {
        ckpt c = { 0 };
        e = (ckpt_err){ 0 };
        sum = (tt_ckpt_counts){ 0 };
        if (ckpt_open(&c, path, &e)) verified(&c, &sum, &e);
        retry = ckpt_retry(&c, &attempt, &e);
        ckpt_close(&c);
    }
    if (out) *out = sum;
    if (e.code) ckpt_report(site, &e);
    return !e.code;
}
