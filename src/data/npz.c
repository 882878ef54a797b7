/* data/npz.c - NPZ: a zip of NPY files. Names of a tree's leaves are their paths; reading gives a dict by name. */
#include "data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tt_val tt_read_npz_at(const char *site, const char *path)
{
    data_bytes file;
    data_entry *e = NULL;
    int n = 0;
    tt_val out = tt_dict_n(site, 0, NULL, NULL);
    bool ok = data_slurp(site, path, &file) && data_unzip(site, path, file, &n, &e);
    for (int i = 0; ok && i < n; i++) {
        data_array a;
        const size_t len = strlen(e[i].name);
        if (len > 4 && !strcmp(e[i].name + len - 4, ".npy")) e[i].name[len - 4] = 0;
        ok = data_npy(site, path, e[i].bytes, &a);
        if (ok) out = tt_set_at(site, out, e[i].name, data_value(site, &e[i].bytes, &a));
    }
    data_entries_free(n, e);
    data_free(&file);
    return ok ? out : tt_fail_at(site, TT_EDATA, "%s: not read", path);
}

bool tt_write_npz_at(const char *site, const char *path, tt_val tree)
{
    const int n = tt_leaves(tree, 0, NULL);
    tt_val *leaf = calloc((size_t)n + 1, sizeof *leaf);
    data_entry *e = calloc((size_t)n + 1, sizeof *e);
    data_bytes zip = { 0 };
    bool ok = leaf && e;
    if (!ok) tt_fail_at(site, TT_EMEM, "%s: out of memory", path);
    if (ok) tt_leaves(tree, n, leaf);
    for (int i = 0; ok && i < n; i++) {
        const char *name = tt_leaf_path(tree, i);
        if (!(ok = name != NULL)) break;
        const size_t len = strlen(name) + 16;
        e[i].name = malloc(len);
        if (e[i].name) snprintf(e[i].name, len, "%s.npy", *name ? name : "arr_0");
        ok = e[i].name && data_to_npy(site, leaf[i], &e[i].bytes);
    }
    ok = ok && data_zip(site, n, e, &zip) && data_write(site, path, zip.p, zip.n);
    data_free(&zip);
    if (e) data_entries_free(n, e);
    free(leaf);
    return ok;
}
