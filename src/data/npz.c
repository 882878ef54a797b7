/* data/npz.c - NPZ: a zip of NPY files. Names of a tree's leaves are their paths; reading returns a dict by name.
 *
 * NumPy has no bfloat16 and no narrow floats: their elements are stored as NumPy stores those of ml_dtypes ('<V2',
 * '<V1'), and the type is in the entry's comment, which NumPy ignores. */
#include "data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tt_val tt_read_npz_at(const char *site, const char *path)
{
    TT_ENTRY(site);
    data_bytes file;
    data_entry *e = NULL;
    int n = 0;
    tt_val out = tt_none(), *v = NULL;
    const char **name = NULL;
    bool ok = data_slurp(site, path, &file) && data_unzip(site, path, file, &n, &e);
    if (ok) v = calloc((size_t)n + 1, sizeof *v), name = calloc((size_t)n + 1, sizeof *name);
    if (ok && (!v || !name)) tt_fail_at(site, TT_EMEM, "%s: out of memory", path), ok = false;
    for (int i = 0; ok && i < n; i++) {
        data_array a;
        const size_t len = strlen(e[i].name);
        if (len > 4 && !strcmp(e[i].name + len - 4, ".npy")) e[i].name[len - 4] = 0;
        name[i] = e[i].name;
        ok = data_npy(site, path, e[i].bytes, &a);
        if (ok) data_noted(e[i].note, &a);
        if (ok) v[i] = data_value(site, &e[i].bytes, &a), ok = tt_ok();
        if (e[i].own) data_free(&e[i].bytes);
    }
    if (ok) out = n ? tt_tree_at(site, n, name, v) : tt_dict_n(site, 0, NULL, NULL);
    free(v);
    free(name);
    data_entries_free(n, e);
    data_free(&file);
    return ok ? out : tt_fail_at(site, TT_EDATA, "%s: not read", path);
}

static bool npz_entry(data_zip *z, const char *site, tt_val tree, tt_val leaf, int i)
{
    const char *path = tt_leaf_path_at(site, tree, i);
    const size_t len = path ? strlen(path) + 16 : 0;
    char *name = path ? malloc(len) : NULL;
    data_bytes b = { 0 };
    if (path && !name) tt_fail_at(site, TT_EMEM, "%s: out of memory", z->file.path);
    if (!name) return false;
    snprintf(name, len, "%s.npy", *path ? path : "arr_0");
    const bool ok = data_to_npy(site, leaf, &b)
        && data_zip_add(z, site, name, data_note(tt_dtype_of_at(site, leaf)), b);
    data_free(&b);
    free(name);
    return ok;
}

bool tt_write_npz_at(const char *site, const char *path, tt_val tree)
{
    TT_ENTRY(site);
    if (!path) return tt_fail_at(site, TT_EARG, "write_npz: no path"), false;
    const int n = tt_tree_leaves_at(site, tree, 0, NULL);
    tt_val *leaf = calloc((size_t)n + 1, sizeof *leaf);
    data_zip *z = calloc(1, sizeof *z);
    bool ok = leaf && z;
    if (!ok) tt_fail_at(site, TT_EMEM, "%s: out of memory", path);
    if (ok) tt_tree_leaves_at(site, tree, n, leaf), ok = tt_ok() && data_begin(site, path, &z->file);
    const bool begun = ok;
    for (int i = 0; ok && i < n; i++) ok = npz_entry(z, site, tree, leaf[i], i);
    if (begun) ok = data_zip_end(z, site, ok);
    free(z);
    free(leaf);
    return ok;
}
