/* data/npz.c - NPZ: a zip of NPY files. Names of a tree's leaves are their paths; reading returns a dict by name.
 *
 * NumPy has no bfloat16 and no narrow floats: their elements are stored as NumPy stores those of ml_dtypes ('<V2',
 * '<V1'), and the type is in the entry's comment, which NumPy ignores. So are the marks of a leaf (tt_leaf):
 *
 *     bfloat16 tutti:frozen axes=embed, hidden
 */
#include "data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char npz_marks[] = "tutti:", npz_frozen[] = "frozen", npz_axes[] = "axes=";

/* The comment of a leaf's entry; the caller frees it. NULL: out of memory */
static char *npz_note(const char *site, tt_val leaf)
{
    const char *const type = data_note(tt_dtype_of_at(site, leaf)), *const axes = tt_leaf_axes_at(site, leaf);
    const bool frozen = tt_leaf_frozen_at(site, leaf);
    const size_t capacity = strlen(type) + (axes ? strlen(axes) : 0) + 32;
    char *const s = malloc(capacity);
    if (!s) return NULL;
    snprintf(s, capacity, "%s%s%s%s%s%s%s", type, *type && (frozen || axes) ? " " : "",
             frozen || axes ? npz_marks : "", frozen ? npz_frozen : "", frozen && axes ? " " : "",
             axes ? npz_axes : "", axes ? axes : "");
    return s;
}

/* Sets the annotations of v, .frozen and the logical axes, that an entry's comment has. Poison with the error set: they
 * are not valid. */
static tt_val npz_marked(const char *site, const char *path, const char *name, char *marks, tt_val v)
{
    tt_leaf_opts o = { .size = sizeof o };
    const char *p = marks + strlen(npz_marks);
    const size_t frozen = strlen(npz_frozen);
    if (!strncmp(p, npz_frozen, frozen)) o.frozen = 1, p += frozen, p += *p == ' ';
    if (!strncmp(p, npz_axes, strlen(npz_axes))) o.axes = p + strlen(npz_axes), p += strlen(p);
    if (*p || (!o.axes && !o.frozen))
        return tt_fail_at(site, TT_EDATA, "%s: %s: the comment \"%.100s\" is damaged", path, name, marks);
    return tt_leaf_at(site, v, &o);
}

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
        char *const marks = strstr(e[i].note, npz_marks);
        if (marks && marks > e[i].note) marks[-1] = 0;
        if (ok) data_noted(marks == e[i].note ? "" : e[i].note, &a);
        if (ok) v[i] = data_value(site, &e[i].bytes, &a), ok = tt_ok();
        if (ok && marks) v[i] = npz_marked(site, path, e[i].name, marks, v[i]), ok = tt_ok();
        if (e[i].own) data_free(&e[i].bytes);
    }
    if (ok) out = n ? tt_tree_at(site, n, name, v) : tt_dict_n(site, 0, NULL, NULL);
    free(v);
    free(name);
    data_entries_free(n, e);
    data_free(&file);
    return ok ? out : tt_fail_at(site, TT_EDATA, "%s: the file could not be read", path);
}

static bool npz_entry(data_zip *z, const char *site, tt_val tree, tt_val leaf, int i)
{
    const char *path = tt_leaf_path_at(site, tree, i);
    const size_t len = path ? strlen(path) + 16 : 0;
    char *name = path ? malloc(len) : NULL, *note = path ? npz_note(site, leaf) : NULL;
    data_bytes b = { 0 };
    bool ok = name && note;
    if (path && !ok) tt_fail_at(site, TT_EMEM, "%s: out of memory", z->file.path);
    if (ok) snprintf(name, len, "%s.npy", *path ? path : "arr_0");
    ok = ok && data_to_npy(site, leaf, &b) && data_zip_add(z, site, name, note, b);
    data_free(&b);
    free(name);
    free(note);
    return ok;
}

bool tt_write_npz_at(const char *site, const char *path, tt_val tree)
{
    TT_ENTRY(site);
    if (!path) return tt_fail_at(site, TT_EARG, "write_npz: the path is NULL"), false;
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
