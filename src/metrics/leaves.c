/* metrics/leaves.c - a tree of metrics as a list of names and arrays, and its scalars as numbers.
 *
 * Names of nested dicts are joined by '/', by which TensorBoard groups them. */
#include "metrics.h"

#include <stdlib.h>
#include <string.h>

static bool leaves_add(const char *site, metrics_list *l, const char *name, tt_val v)
{
    if (l->n == l->cap) {
        const int cap = l->cap ? 2 * l->cap : 16;
        metrics_leaf *more = realloc(l->at, (size_t)cap * sizeof *more);
        if (!more) return tt_fail_at(site, TT_EMEM, "metrics: out of memory"), false;
        l->at = more;
        l->cap = cap;
    }
    metrics_leaf *one = &l->at[l->n++];
    snprintf(one->name, sizeof one->name, "%s", name);
    one->v = v;
    return true;
}

static bool leaves_walk(const char *site, const char *what, tt_val v, const char *name, metrics_list *l)
{
    const int rank = tt_rank_at(site, v);
    if (!tt_ok()) return false;
    if (rank >= 0) {
        if (*name) return leaves_add(site, l, name, v);
        tt_fail_at(site, TT_ESHAPE, "%s: %s has no name", what, tt_type_text_at(site, v));
        tt_hint("a dict gives values names: tt_dict(\"loss\", l)");
        return false;
    }
    for (int i = 0; i < tt_items_at(site, v); i++) {
        char path[METRICS_NAME];
        const char *const key = tt_name_at(site, v, i), *const between = *name ? "/" : "";
        const int n = key ? snprintf(path, sizeof path, "%s%s%s", name, between, key)
                          : snprintf(path, sizeof path, "%s%s%d", name, between, i);
        if (n >= (int)sizeof path) {
            tt_fail_at(site, TT_EARG, "%s: a name of more than %d bytes: %.60s...", what, METRICS_NAME - 1, path);
            return false;
        }
        if (!leaves_walk(site, what, tt_item_at(site, v, i), path, l)) return false;
    }
    return tt_ok();
}

/* ---- names in their order ---- */

static int words_order(const void *a, const void *b)
{
    const metrics_word *const x = a, *const y = b;
    return strcmp(x->name, y->name);
}

metrics_word *metrics_words(int n, const char *(*name)(const void *of, int i), const void *of)
{
    metrics_word *const words = malloc((size_t)(n + 1) * sizeof *words);
    for (int i = 0; words && i < n; i++) words[i] = (metrics_word){ name(of, i), i };
    if (words) qsort(words, (size_t)n, sizeof *words, words_order);
    return words;
}

int metrics_words_find(const metrics_word *words, int n, const char *name)
{
    const metrics_word key = { name, 0 }, *const at = bsearch(&key, words, (size_t)n, sizeof key, words_order);
    return at ? at->at : -1;
}

const char *metrics_words_twice(const metrics_word *words, int n)
{
    for (int i = 1; i < n; i++) if (!strcmp(words[i - 1].name, words[i].name)) return words[i].name;
    return NULL;
}

const char *metrics_leaf_name(const void *list, int i) { return ((const metrics_list *)list)->at[i].name; }

/* ---- a tree's names ---- */

bool metrics_list_of(const char *site, const char *what, tt_val tree, metrics_list *l)
{
    if (!leaves_walk(site, what, tree, "", l)) return false;
    if (!l->n) return tt_fail_at(site, TT_EARG, "%s: a tree without values", what), false;
    for (int i = 0; i < l->n; i++) {
        const char *const name = l->at[i].name;
        const bool own = !strcmp(name, "step") || !strcmp(name, "wall_time");
        const bool odd = name[strcspn(name, "\n\r")] != 0;
        if (!own && !odd) continue;
        if (odd) tt_fail_at(site, TT_EARG, "%s: the name \"%s\" has a line feed in it", what, name);
        else tt_fail_at(site, TT_EARG, "%s: \"%s\" is the name of a field of every line", what, name);
        return false;
    }
    metrics_word *const words = metrics_words(l->n, metrics_leaf_name, l);
    if (!words) return tt_fail_at(site, TT_EMEM, "metrics: out of memory"), false;
    const char *const twice = metrics_words_twice(words, l->n);
    if (twice) tt_fail_at(site, TT_EARG, "%s: \"%s\" is given twice", what, twice);
    free(words);
    return !twice;
}

void metrics_list_free(metrics_list *l)
{
    free(l->at);
    *l = (metrics_list){ 0 };
}

static void number_text(double x, tt_dtype dtype, char to[40])
{
    const bool wide = dtype == TT_F64;
    if (tt_dtype_kind(dtype) != 'f') {
        snprintf(to, 40, "%.0f", x);
        return;
    }
    for (int digits = 1; digits <= (wide ? 17 : 9); digits++) {
        tt_snprintf(to, 40, "%.*g", digits, x);
        const double again = tt_strtod(to, NULL);
        if (wide ? again == x : (float)again == (float)x) return;
    }
}

bool metrics_number_of(const char *site, const metrics_leaf *l, metrics_number *out)
{
    const tt_dtype dtype = tt_dtype_of_at(site, l->v);
    const bool whole = dtype == TT_I64 || dtype == TT_U64;
    union { int64_t i; uint64_t u; } x = { 0 };
    if (!whole) {
        out->value = tt_num_at(site, l->v);
        number_text(out->value, dtype, out->text);
    } else if (tt_read_at(site, l->v, &x, sizeof x)) {
        out->value = dtype == TT_I64 ? (double)x.i : (double)x.u;
        if (dtype == TT_I64) snprintf(out->text, sizeof out->text, "%lld", (long long)x.i);
        else snprintf(out->text, sizeof out->text, "%llu", (unsigned long long)x.u);
    }
    return tt_ok();
}
