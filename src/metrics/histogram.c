/* metrics/histogram.c - counts of values in bins of equal width, bin for bin as numpy.histogram: a value is moved to
 * the neighbour bin if the rounded quotient and the rounded edges disagree. */
#include "metrics.h"

#include <math.h>
#include <stdlib.h>

void metrics_histogram_free(metrics_histogram *h)
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

bool metrics_histogram_of(const char *site, const double *x, int64_t n, int64_t bins, metrics_histogram *h)
{
    *h = (metrics_histogram){ .bins = bins };
    h->edge = malloc((size_t)(bins + 1) * sizeof *h->edge);
    h->count = calloc((size_t)bins, sizeof *h->count);
    if (!h->edge || !h->count) return tt_fail_at(site, TT_EMEM, "write_histograms: out of memory"), false;
    histogram_range(x, n, h);
    const double lo = h->n && h->least < h->most ? h->least : h->least - (h->n ? 0.5 : 0);
    const double hi = h->n && h->least < h->most ? h->most : h->most + (h->n ? 0.5 : 1), width = hi - lo;
    for (int64_t k = 0; k <= bins; k++) h->edge[k] = k == bins ? hi : lo + (double)k * (width / (double)bins);
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
