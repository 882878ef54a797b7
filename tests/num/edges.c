/* edges.c - derivatives of array functions where an operand is infinite, NaN, at the end of its domain, or equal to
 * another, against JAX's. */
#include "check.h"

#include <math.h>
#include <string.h>
#include <tutti.h>

static tt_val max_up(tt_val x, tt_val w) { return tt_sum(tt_mul(w, tt_cummax(x, 0))); }
static tt_val max_down(tt_val x, tt_val w) { return tt_sum(tt_mul(w, tt_cummax(x, 0, .reverse = 1))); }
static tt_val min_up(tt_val x, tt_val w) { return tt_sum(tt_mul(w, tt_cummin(x, 0))); }
static tt_val min_down(tt_val x, tt_val w) { return tt_sum(tt_mul(w, tt_cummin(x, 0, .reverse = 1))); }

static void edges_near(const char *name, tt_val got, int n, const double *want, double part)
{
    double y[4] = { 0 };
    CHECK(tt_read(tt_cast(got, TT_F64), y, (size_t)n * sizeof *y), "%s: %s", name, tt_error());
    for (int i = 0; i < n; i++) {
        const double off = fabs(y[i] - want[i]);
        const bool same = isnan(want[i]) ? isnan(y[i]) : y[i] == want[i] || off <= part * fabs(want[i]);
        CHECK(same, "%s: [%d] is %.17g, expected %.17g", name, i, y[i], want[i]);
    }
    tt_clear();
}

/* Equal elements share the cotangent, whatever their value. */
static void cumulative(void)
{
    static const struct { const char *name; tt_f2 *f; double x[4], want[4]; } t[] = {
        { "cummax", max_up, { -INFINITY, -INFINITY, 1, 2 }, { 2, 1, 3, 4 } },
        { "cummax reversed", max_down, { 2, 1, -INFINITY, -INFINITY }, { 1, 2, 1.5, 5.5 } },
        { "cummin", min_up, { INFINITY, INFINITY, -1, -2 }, { 2, 1, 3, 4 } },
        { "cummin reversed", min_down, { -2, -1, INFINITY, INFINITY }, { 1, 2, 1.5, 5.5 } },
    };
    const double w[4] = { 1, 2, 3, 4 };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        edges_near(t[i].name, tt_call(tt_grad(t[i].f), tt_array(TT_F64, t[i].x, 4), tt_array(TT_F64, w, 4)), 4,
                   t[i].want, 0);
}

static void slopes(void)
{
    static const struct { const char *name; tt_f1 *f; double x, want; } t[] = {
        { "expm1", tt_expm1, -40, 4.248354255291589e-18 }, { "expm1", tt_expm1, -800, 0 },
        { "cbrt", tt_cbrt, 0, INFINITY }, { "cbrt", tt_cbrt, -0.0, INFINITY }, { "cbrt", tt_cbrt, INFINITY, 0 },
        { "cbrt", tt_cbrt, -INFINITY, 0 }, { "cbrt", tt_cbrt, 8, 1 / 12. },
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        edges_near(t[i].name, tt_call(tt_grad(t[i].f), tt_array(TT_F64, &t[i].x, TT_DIM_END)), 1, &t[i].want, 4e-15);
}

int main(void)
{
    cumulative();
    slopes();
    tt_done();
    return check_done();
}
