/* nn/summary.c - the table of a module's variables: path, type, count; totals of trainable and other variables. */
#include "nn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *nn_thousands(int64_t n, char to[32])               /* 824458 -> "824,458" */
{
    char plain[32];
    const int len = snprintf(plain, sizeof plain, "%lld", (long long)n);
    int k = 0;
    for (int i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0) to[k++] = ',';
        to[k++] = plain[i];
    }
    to[k] = 0;
    return to;
}

const char *tt_summary_at(const char *site, tt_val vars)
{
    TT_ENTRY(site);
    enum { LINE = 240 };
    const int n = tt_tree_leaves_at(site, vars, 0, NULL);
    tt_val *leaf = calloc((size_t)n + 1, sizeof *leaf);
    char *text = leaf ? malloc((size_t)(n + 4) * LINE) : NULL, number[32];
    if (!text) {
        free(leaf);
        tt_fail_at(site, TT_EMEM, "summary: out of memory");
        return "";
    }
    size_t at = 0;
    int width = 8;
    int64_t learn = 0, fixed = 0;
    tt_tree_leaves_at(site, vars, n, leaf);
    for (int i = 0; i < n; i++) {
        const int w = (int)strlen(tt_leaf_path_at(site, vars, i));
        if (w > width) width = w < 100 ? w : 100;
    }
    at += (size_t)snprintf(text + at, LINE, "%-*s  %-28s %14s\n", width, "variable", "type", "elements");
    for (int i = 0; i < n; i++) {
        const int64_t c = tt_count_at(site, leaf[i]);
        *(tt_leaf_frozen(leaf[i]) ? &fixed : &learn) += c;
        at += (size_t)snprintf(text + at, LINE, "%-*.100s  %-28.60s %14s%s\n", width, tt_leaf_path_at(site, vars, i),
                               tt_type_text_at(site, leaf[i]), nn_thousands(c, number),
                               tt_leaf_frozen_at(site, leaf[i]) ? " fixed" : "");
    }
    at += (size_t)snprintf(text + at, LINE, "%-*s  %-28s %14s\n", width, "total", "", nn_thousands(learn, number));
    if (fixed)
        at += (size_t)snprintf(text + at, LINE, "%-*s  %-28s %14s\n", width, "fixed", "", nn_thousands(fixed, number));
    free(leaf);
    const char *kept = tt_keep_latest("summary", text, at + 1);
    free(text);
    return kept ? kept : "";
}
