/* nn/lora.c - fine-tuning by low-rank terms (Hu and others, 2021): which leaves are trained, and the kernels with their
 * terms added.
 */
#include "nn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- which leaves are trained ---- */

enum { WORDS = 64 };
typedef struct { const char *site, *words; bool others; uint64_t met; } choice;

/* True if the path ends with the word, as a whole: "lora_a" of "layer.up.lora_a". */
static bool path_ends(const char *path, const char *word, size_t n)
{
    const size_t len = strlen(path);
    return len >= n && !strncmp(path + len - n, word, n) && (len == n || path[len - n - 1] == '.');
}

static tt_val chosen_leaf(void *env, const char *path, tt_val leaf)
{
    choice *c = env;
    bool is = false;
    int k = 0;
    for (const char *p = c->words; *(p += strspn(p, ", ")); k++) {
        const size_t n = strcspn(p, ", ");
        if (path_ends(path, p, n)) is = true, c->met |= UINT64_C(1) << k;
        p += n;
    }
    const tt_leaf_opts o = { .size = sizeof o, .axes = tt_leaf_axes_at(c->site, leaf),
                             .frozen = tt_leaf_frozen_at(c->site, leaf) || is == c->others };
    return tt_leaf_at(c->site, leaf, &o);
}

tt_val tt_train_only_at(const char *site, tt_val vars, const char *mask)
{
    if (!tt_ok()) return tt_poison;
    choice c = { .site = site, .words = mask ? mask + strspn(mask, " ") : "" };
    if (!strncmp(c.words, "not ", 4)) c.others = true, c.words += 4;
    int n = 0;
    for (const char *p = c.words; *(p += strspn(p, ", ")); n++) p += strcspn(p, ", ");
    if (n < 1 || n > WORDS) {
        tt_fail_at(site, TT_EARG, "train_only: a mask of %d words; expected 1 to %d", n, WORDS);
        tt_hint("a mask is ends of paths, \"lora_a lora_b\" or \"not embedding\"");
        return tt_poison;
    }
    const tt_val out = tt_tree_map_with_path_at(site, chosen_leaf, &c, vars);
    const char *p = c.words;
    for (int k = 0; k < n && tt_ok(); k++) {
        p += strspn(p, ", ");
        const int len = (int)strcspn(p, ", ");
        for (const char *q = p + len; tt_ok() && *(q += strspn(q, ", ")); q += strcspn(q, ", "))
            if (strcspn(q, ", ") == (size_t)len && !strncmp(p, q, (size_t)len))
                tt_fail_at(site, TT_EARG, "train_only: \"%.*s\" is listed twice", len, p);
        if (tt_ok() && !(c.met >> k & 1)) {
            tt_fail_at(site, TT_ETREE, "train_only: no leaf's path ends with \"%.*s\"", len, p);
            if (tt_tree_leaves_at(site, vars, 0, NULL) > 0)
                tt_hint("the first path is \"%s\"", tt_leaf_path_at(site, vars, 0));
        }
        p += len;
    }
    return tt_ok() ? out : tt_poison;
}

/* ---- kernels with their terms ---- */

/* kernel [b..., in..., out...] + a [b..., in..., r] b [b..., r, out...], of which b are the dims of a stack */
static tt_val merged(const char *site, const char *path, tt_val kernel, tt_val a, tt_val b)
{
    int64_t dims[NN_RANK + 1], batch = 1;
    const int rank = tt_rank_at(site, kernel), ra = tt_rank_at(site, a), stacked = ra + tt_rank_at(site, b) - 2 - rank;
    if (!tt_ok() || stacked < 0 || stacked > ra - 2 || rank > NN_RANK) {
        tt_fail_at(site, TT_ESHAPE, "lora_merge: \"%s\" is %s; its terms %s and %s do not fit", path,
                   tt_type_text_at(site, kernel), tt_type_text_at(site, a), tt_type_text_at(site, b));
        return tt_poison;
    }
    for (int d = 0; d < rank; d++) dims[d] = tt_dim_at(site, kernel, d);
    dims[rank] = TT_DIM_END;
    for (int d = 0; d < stacked; d++) batch *= dims[d];
    const int64_t r = tt_dim_at(site, a, -1);
    const tt_val low = tt_reshape_at(site, a, (const int64_t[]){ batch, -1, r, TT_DIM_END });
    const tt_val high = tt_reshape_at(site, b, (const int64_t[]){ batch, r, -1, TT_DIM_END });
    const tt_val term = tt_reshape_at(site, tt_matmul_at(site, low, high, NULL), dims);
    const tt_val sum = tt_cast_at(site, tt_add_at(site, kernel, term), tt_dtype_of_at(site, kernel));
    const tt_leaf_opts o = { .size = sizeof o, .axes = tt_leaf_axes_at(site, kernel) };
    return tt_leaf_at(site, sum, &o);
}

/* The leaf number i of the merged tree; false: it is a term, and is left out. */
static bool merged_leaf(const char *site, tt_val vars, const char *path, tt_val *leaf, int *kernels)
{
    char a[NN_PATH + 16], b[NN_PATH + 16];
    if (path_ends(path, "lora_a", 6) || path_ends(path, "lora_b", 6)) return false;
    if (!path_ends(path, "kernel", 6)) return true;
    const int up = (int)strlen(path) - 6;
    snprintf(a, sizeof a, "%.*slora_a", up, path);
    snprintf(b, sizeof b, "%.*slora_b", up, path);
    if (!tt_has_at(site, vars, a) || !tt_has_at(site, vars, b)) return true;
    *leaf = merged(site, path, *leaf, tt_get_at(site, vars, a), tt_get_at(site, vars, b));
    ++*kernels;
    return true;
}

tt_val tt_lora_merge_at(const char *site, tt_val vars)
{
    const int n = tt_ok() ? tt_tree_leaves_at(site, vars, 0, NULL) : 0;
    if (!tt_ok()) return tt_poison;
    tt_val *leaf = calloc((size_t)n + 1, sizeof *leaf), out = tt_poison;
    const char **path = calloc((size_t)n + 1, sizeof *path);
    int kept = 0, kernels = 0;
    if (!leaf || !path) tt_fail_at(site, TT_EMEM, "lora_merge: no memory for %d leaves", n);
    else tt_tree_leaves_at(site, vars, n, leaf);
    for (int i = 0; i < n && tt_ok(); i++) {
        tt_val v = leaf[i];
        const char *at = tt_leaf_path_at(site, vars, i);
        if (merged_leaf(site, vars, at, &v, &kernels)) leaf[kept] = v, path[kept++] = at;
    }
    if (tt_ok() && !kernels) {
        tt_fail_at(site, TT_ETREE, "lora_merge: no kernel has low-rank terms, lora_a and lora_b");
        tt_hint("layers have them with .lora = 8");
    }
    if (tt_ok()) out = tt_tree_at(site, kept, path, leaf);
    const char *tag = tt_ok() ? tt_tag_at(site, vars) : NULL;
    free(leaf);
    free(path);
    return tag ? tt_tagged_at(site, tag, out) : out;
}
