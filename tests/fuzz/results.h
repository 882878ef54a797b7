/* results.h - what a call gives as numbers; whether two results are the same but for rounding. For fuzz_functions. */
#ifndef TUTTI_TESTS_FUZZ_RESULTS_H
#define TUTTI_TESTS_FUZZ_RESULTS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tutti.h>

enum { LEAVES = 64 };
static long long compared; /* leaves */

typedef struct {
    int n;
    size_t count[LEAVES];
    tt_dtype dtype[LEAVES];
    double *x[LEAVES];
} result;

static void drop(result *r)
{
    for (int i = 0; i < r->n; i++) free(r->x[i]);
    r->n = 0;
}

/* The elements of all leaves as doubles, a complex leaf as two; false: the call was refused. */
static bool results(tt_val v, result *r)
{
    tt_val leaf[LEAVES / 2];
    r->n = 0;
    if (!tt_ok()) return false;
    const int n = tt_tree_leaves(v, LEAVES / 2, leaf);
    for (int i = 0; i < n && tt_ok(); i++) {
        const bool pair = tt_dtype_kind(tt_dtype_of(leaf[i])) == 'c';
        for (int part = 0; part <= pair; part++) {
            const size_t count = (size_t)tt_count(leaf[i]), bytes = count * sizeof(double);
            const tt_val x = !pair ? leaf[i] : part ? tt_imag(leaf[i]) : tt_real(leaf[i]);
            r->x[r->n] = malloc(bytes + 1), r->count[r->n] = count, r->dtype[r->n] = tt_dtype_of(leaf[i]);
            tt_read_at("result", tt_cast(x, TT_F64), r->x[r->n++], bytes);
        }
    }
    if (tt_ok()) return true;
    drop(r);
    return false;
}

static double rounding(tt_dtype d)
{
    if (d == TT_F64 || d == TT_C128) return 1e-8;
    return d == TT_F32 || d == TT_C64 ? 2e-4 : d == TT_F16 ? 2e-2 : d == TT_BF16 ? 8e-2 : 0;
}

/* True if part `part` of the `parts` equal parts of got is what want has, to `loose` times the rounding of their types;
 * 0: bit for bit. within: what each leaf's elements may differ by besides, or NULL. */
static bool near(const result *got, const result *want, int part, int parts, double loose, const double *within,
                 char why[160])
{
    snprintf(why, 160, "%d leaves, not %d", got->n, want->n);
    if (got->n != want->n) return false;
    for (int i = 0; i < want->n; i++) {
        const size_t n = want->count[i];
        const double *x = got->x[i] + (size_t)part * n, *y = want->x[i];
        double most = 0;
        snprintf(why, 160, "leaf %d: %zu elements of %s, not %zu of %s", i, got->count[i], tt_dtype_name(got->dtype[i]),
                 n * (size_t)parts, tt_dtype_name(want->dtype[i]));
        if (got->count[i] != n * (size_t)parts || got->dtype[i] != want->dtype[i]) return false;
        for (size_t k = 0; k < n; k++)
            if (isfinite(y[k])) most = fmax(most, fabs(y[k]));
        for (size_t k = 0; k < n; k++) {
            const double apart = fabs(x[k] - y[k]), size = fabs(y[k]) + 0.1 * most + 1e-3;
            snprintf(why, 160, "leaf %d, element %zu: %.9g, not %.9g", i, k, x[k], y[k]);
            const bool equal = x[k] == y[k] || (isnan(x[k]) && isnan(y[k]));
            const double most_apart = loose * rounding(want->dtype[i]) * size + (within ? within[i] : 0);
            if (!equal && !(apart <= most_apart)) return false;
        }
        compared++;
    }
    return true;
}

#endif
