/* viz/axis.c - axes with ticks at round numbers: multiples of 1, 2 or 5 times a power of ten; on a logarithmic scale
 * powers of ten, and on an axis of less than two decades also 2 and 5 times the powers. */
#include "viz.h"

#include <float.h>
#include <math.h>

bool viz_is_drawn(bool log, double value) { return isfinite(value) && (!log || value > 0); }

/* x on the axis's scale. Linear: x / 2, since the difference of two large numbers may be infinite. */
static double axis_scale(bool log, double x) { return log ? log10(x) : x / 2; }

double viz_place(const viz_axis *a, double value)
{
    const double lo = axis_scale(a->log, a->lo), hi = axis_scale(a->log, a->hi);
    return (axis_scale(a->log, value) - lo) / (hi - lo);
}

static void axis_add(viz_axis *a, double at, const char *format, int digits)
{
    if (a->n == VIZ_TICKS || at < a->lo || at > a->hi) return;
    viz_tick *t = &a->tick[a->n++];
    t->at = at == 0 ? 0 : at;                            /* no -0 */
    tt_snprintf(t->label, sizeof t->label, format, digits, t->at);
}

/* The smallest of 1, 2, 5, 10, ... times a power of ten that divides the span into at most `most` parts. */
static double round_step(double lo, double hi, int most)
{
    const double least = hi / most - lo / most, power = pow(10, floor(log10(least)));
    for (int k = 0; k < 3; k++) {
        const double step = power * (const double[]){ 1, 2, 5 }[k];
        if (step >= least * (1 - 1e-9) && isfinite(step)) return step;
    }
    return isfinite(10 * power) ? 10 * power : power;
}

static void ticks_linear(viz_axis *a, int most, bool round, bool whole)
{
    double step = round_step(a->lo, a->hi, most > 1 ? most - 1 : 1);
    if (whole && step < 1) step = 1;
    if (round) {
        a->lo = fmax(floor(a->lo / step + 1e-9) * step, -DBL_MAX);
        a->hi = fmin(ceil(a->hi / step - 1e-9) * step, DBL_MAX);
    }
    const double largest = fmax(fabs(a->lo), fabs(a->hi)), first = ceil(a->lo / step - 1e-9);
    const bool plain = largest < 1e6 && step > 1e-5;
    const int decimals = plain ? (int)fmax(0, ceil(-log10(step) - 1e-9)) : 0;
    const int digits = plain ? decimals : (int)fmin(15, fmax(1, ceil(log10(largest / step)) + 1));
    const double slack = (a->hi / 2 - a->lo / 2) * 1e-9;
    for (int k = 0; k <= VIZ_TICKS; k++) {
        double at = (first + k) * step;
        if (fabs(at - a->lo) <= slack) at = a->lo;
        else if (fabs(at - a->hi) <= slack) at = a->hi;
        axis_add(a, at, plain ? "%.*f" : "%.*g", digits);
    }
}

static void ticks_log(viz_axis *a, int most, bool round)
{
    const double lo = log10(a->lo), hi = log10(a->hi);
    const bool few = hi - lo < 2 && most > 2;            /* 1, 2, 5, 10, 20, ... */
    int each = 1;
    while (floor((hi - lo) / each) + 2 > (most > 2 ? most : 2)) each++;
    const double low = floor(lo / each + 1e-9) * each, high = ceil(hi / each - 1e-9) * each;
    if (round && !few) a->lo = pow(10, low), a->hi = pow(10, high);
    for (int k = 0; round && few && k < 3; k++) {        /* the nearest ticks outside */
        const double m = (const double[]){ 1, 2, 5 }[k], below = m * pow(10, floor(lo - log10(m) + 1e-9));
        const double above = m * pow(10, ceil(hi - log10(m) - 1e-9));
        a->lo = k ? fmax(a->lo, below) : below;
        a->hi = k ? fmin(a->hi, above) : above;
    }
    for (double p = low; p <= high && a->n < VIZ_TICKS; p += each)
        for (int k = 0; k < (few ? 3 : 1); k++) axis_add(a, (const double[]){ 1, 2, 5 }[k] * pow(10, p), "%.*g", 3);
}

viz_axis viz_axis_of(double lo, double hi, bool log, int most, bool round, bool whole)
{
    if (lo > hi) lo = log ? 1 : 0, hi = log ? 10 : 1;    /* there are no values */
    const double least = fmax(fabs(lo), fabs(hi)) * 1e-12;
    if (log && hi / lo < 1 + 1e-12) lo /= 2, hi *= 2;
    else if (!log && !(hi / 2 - lo / 2 > least)) {
        const double by = whole ? 0.5 : lo == 0 ? 1 : fabs(lo) / 2;
        lo -= by, hi = fmin(hi + by, DBL_MAX);
    }
    viz_axis a = { .lo = log ? fmax(lo, DBL_MIN) : lo, .hi = hi, .log = log };
    if (log) ticks_log(&a, most, round);
    else ticks_linear(&a, most, round, whole);
    return a;
}
