/* ckpt/format/npz.c - NumPy archives. tt_read_npz reads the complete file into memory. Arrays have names without
 * structure, which may contain dots. */
#include "../ckpt.h"

#include <stdlib.h>
#include <string.h>

static bool read_value(const ckpt *c, const ckpt_leaf *l, const int64_t *lo, const int64_t *n, void *to, ckpt_err *e)
{
    int64_t step[CKPT_RANK], to_step[CKPT_RANK], bytes = (int64_t)ckpt_unit(l->array.dtype), dense = bytes, at = 0;
    ckpt_bytes whole;
    (void)c;
    for (int i = l->array.rank - 1; i >= 0; i--) {
        if (!n[i]) return true;
        step[i] = bytes, bytes *= l->array.dim[i];
        to_step[i] = dense, dense *= n[i];
        at += lo[i] * step[i];
    }
    if (!ckpt_alloc(e, &whole, (size_t)bytes)) return false;
    const bool ok = tt_read_at(NULL, l->value, whole.p, whole.n);
    if (ok)
        ckpt_copy(ckpt_unit(l->array.dtype), l->array.rank, n, to, to_step, (const char *)whole.p + at, step);
    ckpt_free(&whole);
    return ok || ckpt_fail(e, TT_EDATA, "%s: the array could not be read", l->path);
}

static bool open_npz(ckpt *c, const char *key, ckpt_err *e)
{
    (void)key;
    c->read = read_value;
    const tt_val all = tt_read_npz_at(NULL, c->path);
    if (!tt_ok()) return ckpt_fail(e, TT_EDATA, "%s: the file could not be read", c->path);
    c->held = tt_keep_at(NULL, all);
    c->holds = true;
    const int n = tt_tree_leaves_at(NULL, all, 0, NULL);
    tt_val *v = calloc((size_t)n + 1, sizeof *v);
    bool ok = v || ckpt_fail(e, TT_EMEM, "out of memory");
    if (ok) tt_tree_leaves_at(NULL, all, n, v);
    for (int i = 0; ok && i < n; i++) {
        const tt_ckpt_key key = { tt_leaf_path_at(NULL, all, i), 0 };
        ckpt_leaf *l = ckpt_leaf_add(c, e);
        int64_t dim[CKPT_RANK];
        ok = l && ckpt_leaf_path(l, 1, &key, e);
        const int rank = ok ? tt_rank_at(NULL, v[i]) : 0;
        for (int d = 0; d < rank; d++) dim[d] = tt_dim_at(NULL, v[i], d);
        if (ok) ckpt_leaf_array(l, tt_dtype_of_at(NULL, v[i]), rank, dim);
        if (ok) l->value = v[i], l->frozen = tt_leaf_frozen_at(NULL, v[i]);
        const char *const axes = ok ? tt_leaf_axes_at(NULL, v[i]) : NULL;
        if (axes && !(l->item.axes = l->axes = ckpt_text("%s", axes))) ok = ckpt_fail(e, TT_EMEM, "out of memory");
    }
    free(v);
    return ok;
}

static bool is_zip(const uint8_t *head, int64_t n)
{
    return n >= 4 && (!memcmp(head, "PK\3\4", 4) || !memcmp(head, "PK\5\6", 4));
}

static bool save_npz(const char *site, const char *path, tt_val tree, ckpt_err *e)
{
    (void)e;
    return tt_write_npz_at(site, path, tree);
}

const ckpt_format ckpt_npz = { .name = "npz", .title = "NPZ", .ending = ".npz", .dotted = true, .begins = is_zip,
                               .open = open_npz, .save = save_npz };
