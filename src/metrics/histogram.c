/* metrics/histogram.c - counts of values in bins of equal width, bin for bin as numpy.histogram: a value is moved to
 * the neighbour bin if the rounded quotient and the rounded edges disagree. And tt_write_histograms, which computes all
 * histograms of a call before it writes one. */
#include "metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void histogram_free(metrics_histogram *h)
{
    free(h->edge);
    free(h->count);
    h->edge = h->count = NULL;
}

static void histogram_range(const double *x, int64_t n, metrics_histogram *h)
{
    h->least = INFINITY, h->most = -INFINITY;
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(x[i])) {
            h->left_out++;
            continue;
        }
        h->least = fmin(h->least, x[i]), h->most = fmax(h->most, x[i]);
        h->sum += x[i], h->squares += x[i] * x[i];
        h->n++;
    }
    if (!h->n) h->least = 0, h->most = 0;
}

/* Sets the error if there are no such bins: the range, or a bin of it, is more or less than a double can be. */
static bool histogram_bins_are(const char *site, const char *name, const metrics_histogram *h, double width)
{
    bool good = isfinite(width);
    for (int64_t k = 0; good && k < h->bins; k++) good = h->edge[k] < h->edge[k + 1];
    if (good) return true;
    tt_fail_at(site, TT_EARG, "write_histograms: \"%s\": there are no %lld bins between %g and %g", name,
               (long long)h->bins, h->least, h->most);
    tt_hint("numpy.histogram refuses them likewise: their width is too small, or too large, for float64");
    return false;
}

static bool histogram_of(const char *site, const char *name, const double *x, int64_t n, int64_t bins,
                         metrics_histogram *h)
{
    *h = (metrics_histogram){ .bins = bins };
    h->edge = malloc((size_t)(bins + 1) * sizeof *h->edge);
    h->count = calloc((size_t)bins, sizeof *h->count);
    if (!h->edge || !h->count) return tt_fail_at(site, TT_EMEM, "write_histograms: out of memory"), false;
    histogram_range(x, n, h);
    const double lo = h->n && h->least < h->most ? h->least : h->least - (h->n ? 0.5 : 0);
    const double hi = h->n && h->least < h->most ? h->most : h->most + (h->n ? 0.5 : 1), width = hi - lo;
    for (int64_t k = 0; k <= bins; k++) h->edge[k] = k == bins ? hi : lo + (double)k * (width / (double)bins);
    if (!histogram_bins_are(site, name, h, width)) return false;
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(x[i])) continue;
        int64_t k = (int64_t)((x[i] - lo) / width * (double)bins);
        if (k >= bins) k = bins - 1;
        if (x[i] < h->edge[k]) k--;
        else if (k + 1 < bins && x[i] >= h->edge[k + 1]) k++;
        h->count[k]++;
    }
    return true;
}

/* ---- writing ---- */

static bool histogram_to_jsonl(const char *site, tt_metric_writer w, int64_t step, double wall, const char *name,
                               const metrics_histogram *h)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *t = tt_open_memstream(&text, &bytes);
    if (t) metrics_put_json_head(t, step, wall), fputs(", ", t), metrics_put_json(t, name), fputs(": {", t);
    if (t) fputs("\"counts\": [", t);
    for (int64_t k = 0; t && k < h->bins; k++) tt_fprintf(t, k ? ", %.0f" : "%.0f", h->count[k]);
    if (t) fputs("], \"edges\": [", t);
    for (int64_t k = 0; t && k <= h->bins; k++) tt_fprintf(t, k ? ", %.17g" : "%.17g", h->edge[k]);
    if (t) fprintf(t, "], \"not_finite\": %lld}}\n", (long long)h->left_out);
    return metrics_append_text(site, metrics_jsonl_of(w), t, &text, &bytes);
}

static bool histogram_write(const char *site, tt_metric_writer w, int64_t step, const char *name,
                            const metrics_histogram *h)
{
    metrics_event e = metrics_event_now(step);
    char count[METRICS_NAME + 16];
    if (metrics_jsonl_of(w) && !histogram_to_jsonl(site, w, step, e.wall, name, h)) return false;
    if (!metrics_events_of(w)) return true;
    metrics_event_histogram(&e, name, h);
    snprintf(count, sizeof count, "%s/not_finite", name);
    if (h->left_out) metrics_event_scalar(&e, count, (double)h->left_out);
    return metrics_event_write(site, metrics_events_of(w), &e);
}

/* The number of an array's elements, which must be real; -1 with the error set. */
static int64_t elements_of(const char *site, const char *what, const metrics_leaf *l)
{
    int64_t n = 1;
    for (int d = 0; d < tt_rank_at(site, l->v); d++) n *= tt_dim_at(site, l->v, d);
    const bool complex = tt_dtype_kind(tt_dtype_of_at(site, l->v)) == 'c';
    if (!tt_ok() || (n && !complex)) return tt_ok() ? n : -1;
    tt_fail_at(site, complex ? TT_ETYPE : TT_ESHAPE, "%s: \"%s\" is %s; expected real numbers, one or more", what,
               l->name, tt_type_text_at(site, l->v));
    tt_hint(complex ? "take tt_real(), tt_imag() or tt_abs() of the value" : "leave out values without elements");
    return -1;
}

/* silent: another process writes, but the values are computed by all. */
static bool one_histogram(const char *site, const metrics_leaf *l, int64_t bins, bool silent, metrics_histogram *h)
{
    const int64_t n = elements_of(site, "write_histograms", l);
    if (n < 0) return false;
    const tt_val v = tt_cast_at(site, l->v, TT_F64);
    if (silent || !tt_ok()) return tt_ok();
    double *x = malloc((size_t)n * sizeof *x);
    if (!x) tt_fail_at(site, TT_EMEM, "write_histograms: out of memory");
    const bool good = x && tt_read_at(site, v, x, (size_t)n * sizeof *x) && histogram_of(site, l->name, x, n, bins, h);
    free(x);
    return good;
}

static bool histograms_write(const char *site, tt_metric_writer w, int64_t step, const metrics_list *l, int64_t bins)
{
    const bool silent = w.p && metrics_is_silent(w);
    metrics_histogram *const h = calloc((size_t)l->n + 1, sizeof *h);
    if (!h) tt_fail_at(site, TT_EMEM, "write_histograms: out of memory");
    for (int i = 0; tt_ok() && i < l->n; i++) {
        const tt_scope scope = tt_scope_open();
        one_histogram(site, &l->at[i], bins, silent, &h[i]);
        tt_scope_close(scope);
    }
    bool good = metrics_agree(site, "write_histograms", w, step, l);
    for (int i = 0; good && !silent && i < l->n; i++) good = histogram_write(site, w, step, l->at[i].name, &h[i]);
    for (int i = 0; h && i < l->n; i++) histogram_free(&h[i]);
    free(h);
    return good;
}

bool tt_write_histograms_at(const char *site, tt_metric_writer w, int64_t step, tt_val tree,
                            const tt_write_histograms_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_write_histograms_opts, site, "write_histograms", o)) return false;
    enum { MOST = 1 << 20 };
    metrics_list l = { 0 };
    if (metrics_may_write(site, "write_histograms", w, step, METRICS_JSONL | METRICS_EVENTS) &&
        metrics_list_of(site, "write_histograms", tree, &l) && o->bins > MOST)
        tt_fail_at(site, TT_EARG, "write_histograms: .bins = %lld; expected at most %d", (long long)o->bins, MOST);
    for (int i = 0; tt_ok() && i < l.n; i++) elements_of(site, "write_histograms", &l.at[i]);
    const bool good = histograms_write(site, w, step, &l, o->bins ? o->bins : 30);
    metrics_list_free(&l);
    return good;
}
