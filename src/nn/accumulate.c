/* nn/accumulate.c - helpers of a training step on many devices: keys that differ along an axis, gradients summed over
 * minibatches, metrics as sums and counts.
 *
 * All minibatches have equally many rows, so that the mean of their mean losses is the mean over all rows, and the
 * result is that of one large batch except for the order of sums (and for dropout masks, which have a key per
 * minibatch). In reproducible mode the order is that of all reproducible sums, pairs of neighbours and pairs of pairs,
 * so that with powers of two the bits are those of one large batch too; the scan then keeps every minibatch's gradients
 * until its end.
 */
#include "nn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tt_val tt_fold_in_axis_at(const char *site, tt_val key, const char *axes)
{
    TT_ENTRY(site);
    char one[64];
    if (!axes || !axes[strspn(axes, ", ")])
        return tt_fail_at(site, TT_EARG, "fold_in_axis: the axes are %s", axes ? "an empty text" : "NULL");
    for (const char *p = axes ? axes : ""; *(p += strspn(p, ", "));) {
        const size_t n = strcspn(p, ", ");
        snprintf(one, sizeof one, "%.*s", (int)n, p);
        key = tt_fold_in_at(site, key, tt_axis_index_at(site, one));
        p += n;
    }
    return key;
}

/* ---- minibatches ---- */

enum { LEAVES = 64, DEPTH = 64 };
typedef struct { const char *site; tt_fn grad; tt_val params; } job;     /* grad: (loss, metrics, gradient) */

static tt_val one_of(const job *j, tt_val batch, tt_val key)     /* (gradient, metrics) of a minibatch */
{
    const tt_val out = tt_call_n(j->site, j->grad, 3, (const tt_val[]){ j->params, batch, key });
    if (tt_ok() && tt_items_at(j->site, out) != 3) {
        tt_fail_at(j->site, TT_ETREE, "accumulate: the loss returned a tuple of %d; expected (scalar, metrics)",
                   tt_items_at(j->site, out) - 1);
        tt_hint("return tt_tuple(loss, tt_dict(\"loss\", tt_tuple(sum, count)))");
    }
    return tt_tuple_at(j->site, (const tt_val[]){ tt_item_at(j->site, out, 2), tt_item_at(j->site, out, 1), tt_end });
}

static int accumulate_rows_of(const job *j, tt_val batch, int64_t n, tt_val leaf[LEAVES], int64_t *rows)
{
    const int k = tt_tree_leaves_at(j->site, batch, LEAVES, leaf);
    if (tt_ok() && k > 0 && tt_rank_at(j->site, leaf[0]) < 1) {
        tt_fail_at(j->site, TT_ESHAPE, "accumulate: a batch with the scalar %s; expected arrays of rows",
                   tt_type_text_at(j->site, leaf[0]));
        return -1;
    }
    if (tt_ok() && (k < 1 || k > LEAVES || n < 1))
        tt_fail_at(j->site, TT_EARG, k < 1 ? "accumulate: a batch without arrays"
                   : "accumulate: a batch of %d arrays; at most %d", k, LEAVES);
    *rows = k > 0 ? tt_dim(leaf[0], 0) / (n > 0 ? n : 1) : 0;
    for (int i = 0; i < k && tt_ok(); i++) {
        if (tt_rank_at(j->site, leaf[i]) > 0 && tt_dim_at(j->site, leaf[i], 0) == tt_dim_at(j->site, leaf[0], 0)
            && *rows > 0) continue;
        tt_fail_at(j->site, TT_ESHAPE, "accumulate: %lld minibatches do not fit a batch with %s", (long long)n,
                   tt_type_text_at(j->site, leaf[i]));
        tt_hint("every array has one row per example in dim 0: all the same number, and as many as minibatches or "
                "more");
    }
    return tt_ok() ? k : -1;
}

static tt_val accumulate_added(const char *site, tt_val a, tt_val b)
{
    const tt_val g = tt_add_at(site, tt_item_at(site, a, 0), tt_item_at(site, b, 0));
    const tt_val m = tt_add_at(site, tt_item_at(site, a, 1), tt_item_at(site, b, 1));
    return tt_tuple_at(site, (const tt_val[]){ g, m, tt_end });
}

/* The number of consecutive minibatches that are added sequentially; their sums are then added in pairs. */
static int64_t chain_of(int64_t n) { return tt_config_value("reproducible") && n > 0 ? n / (n & -n) : n; }

static tt_val by_loop(const job *j, tt_val batch, tt_val keys, int64_t n)
{
    tt_val leaf[LEAVES], part[LEAVES], sum[DEPTH];       /* sum: complete sums, of falling numbers of minibatches */
    int64_t rows;
    const int k = accumulate_rows_of(j, batch, n, leaf, &rows);
    const int64_t chain = chain_of(n);
    int top = 0;
    for (int64_t m = 0; k > 0 && m < n && tt_ok(); m++) {
        for (int i = 0; i < k; i++) part[i] = tt_slice_at(j->site, leaf[i], 0, m * rows, (m + 1) * rows, 1);
        const tt_val mini = tt_tree_unflatten_at(j->site, batch, k, part),
            key = tt_take_at(j->site, keys, tt_i(m), 0, NULL);
        const tt_val one = one_of(j, mini, key);
        if (m % chain) sum[top - 1] = accumulate_added(j->site, sum[top - 1], one);
        else sum[top++] = one;
        for (int64_t c = (m + 1) / chain; (m + 1) % chain == 0 && c % 2 == 0; c /= 2, top--)
            sum[top - 2] = accumulate_added(j->site, sum[top - 2], sum[top - 1]);
    }
    return top ? sum[0] : tt_none();
}

static tt_val accumulate_step(void *env, int n, const tt_val *x) /* (sums or none, (minibatch, key)) */
{
    const job *j = env;
    const tt_val more = one_of(j, tt_item_at(j->site, x[1], 0), tt_item_at(j->site, x[1], 1));
    (void)n;
    if (tt_config_value("reproducible"))
        return tt_tuple_at(j->site, (const tt_val[]){ tt_none(), more, tt_end });
    return tt_tuple_at(j->site, (const tt_val[]){ accumulate_added(j->site, x[0], more), tt_none(), tt_end });
}

static tt_val accumulate_first(void *env, int n, const tt_val *x) /* one minibatch, for the types of the sums */
{
    (void)n;
    return one_of(env, x[0], x[1]);
}

static tt_val zeros_like(const char *site, tt_val shapes)
{
    const int n = tt_tree_leaves_at(site, shapes, 0, NULL);
    tt_val *leaf = calloc((size_t)n + 1, sizeof *leaf);
    if (!leaf) return tt_fail_at(site, TT_EMEM, "accumulate: no memory for %d sums", n);
    tt_tree_leaves_at(site, shapes, n, leaf);
    for (int i = 0; i < n && tt_ok(); i++) {
        int64_t dims[NN_RANK + 1];
        for (int d = 0; d < tt_rank_at(site, leaf[i]); d++) dims[d] = tt_dim_at(site, leaf[i], d);
        dims[tt_rank_at(site, leaf[i])] = TT_DIM_END;
        leaf[i] = tt_full_at(site, 0, tt_dtype_of_at(site, leaf[i]), dims);
    }
    const tt_val out = tt_ok() ? tt_tree_unflatten_at(site, shapes, n, leaf) : shapes;
    free(leaf);
    return out;
}

/* The sum over the first dim of n elements, in the order of by_loop. */
static tt_val in_pairs(const job *j, tt_val all, int64_t n)
{
    const int k = tt_tree_leaves_at(j->site, all, 0, NULL);
    const int64_t chain = chain_of(n);
    tt_val *leaf = calloc((size_t)k + 1, sizeof *leaf);
    if (!leaf) return tt_fail_at(j->site, TT_EMEM, "accumulate: no memory for %d sums", k);
    tt_tree_leaves_at(j->site, all, k, leaf);
    for (int i = 0; i < k && tt_ok(); i++) {
        tt_val sum = tt_slice_at(j->site, leaf[i], 0, 0, n, chain);
        for (int64_t m = 1; m < chain; m++)
            sum = tt_add_at(j->site, sum, tt_slice_at(j->site, leaf[i], 0, m, n, chain));
        for (int64_t m = n / chain; m > 1; m /= 2)
            sum = tt_add_at(j->site, tt_slice_at(j->site, sum, 0, 0, m, 2), tt_slice_at(j->site, sum, 0, 1, m, 2));
        leaf[i] = tt_take_at(j->site, sum, tt_i(0), 0, NULL);
    }
    const tt_val out = tt_ok() ? tt_tree_unflatten_at(j->site, all, k, leaf) : all;
    free(leaf);
    return out;
}

static tt_val by_scan(job *j, tt_val batch, tt_val keys, int64_t n)
{
    tt_val leaf[LEAVES], part[LEAVES];
    int64_t rows;
    const int k = accumulate_rows_of(j, batch, n, leaf, &rows);
    for (int i = 0; i < k; i++) {
        int64_t dims[NN_RANK + 2] = { n, rows };
        const int rank = tt_rank_at(j->site, leaf[i]);
        for (int d = 1; d < rank; d++) dims[d + 1] = tt_dim_at(j->site, leaf[i], d);
        dims[rank + 1] = TT_DIM_END;
        part[i] = tt_slice_at(j->site, leaf[i], 0, 0, rows, 1);
        leaf[i] = tt_reshape_at(j->site, tt_slice_at(j->site, leaf[i], 0, 0, n * rows, 1), dims);
    }
    if (k < 0) return batch;
    const tt_val some = tt_tree_unflatten_at(j->site, batch, k, part),
        all = tt_tree_unflatten_at(j->site, batch, k, leaf);
    const tt_fn types = tt_bind_env_at(NULL, "minibatch", accumulate_first, j, sizeof *j, 2);
    const tt_fn body = tt_bind_env_at(NULL, "minibatch", accumulate_step, j, sizeof *j, 2);
    const tt_val key = tt_take_at(j->site, keys, tt_i(0), 0, NULL);
    const tt_scan_opts o = { .size = sizeof o };
    const tt_val xs = tt_tuple_at(j->site, (const tt_val[]){ all, keys, tt_end });
    if (tt_config_value("reproducible"))
        return in_pairs(j, tt_item_at(j->site, tt_scan_at(j->site, body, tt_none(), xs, &o), 1), n);
    const tt_val zeros = zeros_like(j->site, tt_eval_shape_at(j->site, types, (const tt_val[]){ some, key, tt_end }));
    return tt_item_at(j->site, tt_scan_at(j->site, body, zeros, xs, &o), 0);
}

tt_val tt_accumulate_at(const char *site, tt_fn loss, int64_t n, tt_val params, tt_val batch, tt_val key,
                        const tt_accumulate_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_accumulate_opts, site, "accumulate", o)) return tt_poison;
    if (n < 1) return tt_fail_at(site, TT_EARG, "accumulate: %lld minibatches; expected 1 or more", (long long)n);
    job j;
    memset(&j, 0, sizeof j);
    j.site = site, j.params = params;
    j.grad = tt_value_and_grad_at(site, loss, &(tt_grad_opts){ .size = sizeof(tt_grad_opts), .aux = 1 });
    const tt_val keys = tt_split_at(site, key, n);
    const tt_val sum = o->scan ? by_scan(&j, batch, keys, n) : by_loop(&j, batch, keys, n);
    const tt_val mean = tt_div_at(site, tt_item_at(site, sum, 0), tt_f((double)n));
    return tt_tuple_at(site, (const tt_val[]){ mean, tt_item_at(site, sum, 1), tt_end });
}

/* ---- metrics ---- */

/* True if metrics is a dict of pairs of numbers; else sets the error. */
static bool are_metrics(const char *site, tt_val metrics)
{
    bool good = tt_rank_at(site, metrics) < 0;
    const char *which = NULL;
    for (int i = 0, n = tt_ok() && good ? tt_items_at(site, metrics) : 0; i < n && good && tt_ok(); i++) {
        const tt_val pair = tt_item_at(site, metrics, i);
        good = tt_items_at(site, pair) == 2 && tt_count_at(site, tt_item_at(site, pair, 0)) == 1
               && tt_count_at(site, tt_item_at(site, pair, 1)) == 1;
        if (!good) which = tt_name_at(site, metrics, i);
    }
    if (good || !tt_ok()) return tt_ok();
    if (which) tt_fail_at(site, TT_ETREE, "print_metrics: \"%s\" is no pair of numbers", which);
    else tt_fail_at(site, TT_ETREE, "print_metrics: of %s; expected a dict", tt_type_text_at(site, metrics));
    tt_hint("metrics are tt_dict(\"loss\", tt_tuple(sum, count), ...)");
    return false;
}

bool tt_print_metrics_at(const char *site, tt_val metrics, const char *title)
{
    TT_ENTRY(site);
    enum { LINE = 160 };
    if (!are_metrics(site, metrics)) return false;
    const int n = tt_items_at(site, metrics);
    struct { char text[LINE]; } *line = calloc((size_t)n + 1, sizeof *line);
    int wide = title ? (int)strlen(title) + 2 : 0;
    for (int i = 0; line && i < n && tt_ok(); i++) {
        const tt_val pair = tt_item_at(site, metrics, i);
        const double sum = tt_num_at(site, tt_item_at(site, pair, 0));
        const double mean = sum / tt_num_at(site, tt_item_at(site, pair, 1));
        const char *name = tt_name_at(site, metrics, i);
        const int len = tt_snprintf(line[i].text, LINE, "%s: %.6f", name ? name : "", mean);
        if (len > wide) wide = len;
    }
    if (!line) tt_fail_at(site, TT_EMEM, "print_metrics: out of memory");
    const int capacity = title ? wide - (int)strlen(title) - 2 : 0, before = capacity / 2 + (capacity & wide & 1);
    char bar[LINE];
    memset(bar, '=', sizeof bar);
    if (tt_ok() && title) tt_print("%.*s %s %.*s", before < LINE ? before : LINE, bar, title,
                                   capacity - before < LINE ? capacity - before : LINE, bar);
    for (int i = 0; i < n && tt_ok(); i++) tt_print("%s", line[i].text);
    free(line);
    return tt_ok();
}
