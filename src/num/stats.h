/* num/stats.h - declarations shared by the files of distributions: operands as floats, with loc and scale applied. */
#ifndef TUTTI_NUM_STATS_H
#define TUTTI_NUM_STATS_H

#include "num.h"

#include <math.h>

enum { STATS_PARAMETERS = 3 };
/* x: as given; z = (x - loc) / scale; a: the parameters; scaled: a scale was given. */
typedef struct {
    const char *site;
    tt_val x, z, a[STATS_PARAMETERS], loc, scale;
    bool scaled;
} stats;
typedef tt_val stats_fn(const stats *);
/* f of the operands. Poison with the error set if an operand is a tree or complex, or if counts have a scale. */
tt_val stats_call(const char *site, const char *what, stats_fn *f, bool counts, tt_val x, int n, const tt_val *a,
                  const tt_stats_opts *);

/* The files of distributions write tt_add(a, b) for tt_add_at(site, a, b); the site is that of the call in progress. */
const char *stats_site(void);
#undef TT_AT
#define TT_AT(text) ((void)sizeof(text), stats_site())

#define STATS_INFINITY ((double)INFINITY)
static inline tt_val stats_less_log_scale(const stats *s, tt_val y) /* y - log scale */
{
    return s->scaled ? tt_sub(y, tt_log(s->scale)) : y;
}
static inline tt_val stats_outside(tt_val out, tt_val y) { return tt_where(out, tt_f(-STATS_INFINITY), y); }
static inline tt_val stats_nan(tt_val wrong, tt_val y) { return tt_where(wrong, tt_f(NAN), y); }
static inline tt_val stats_no_chance(tt_val q) /* true where q is no probability */
{
    return tt_or(tt_ne(q, q), tt_or(tt_lt(q, tt_f(0)), tt_gt(q, tt_f(1))));
}
static inline tt_val stats_placed(const stats *s, tt_val z) /* z scale + loc */
{
    return tt_add(s->scaled ? tt_mul(z, s->scale) : z, s->loc);
}

/* Define the public functions of a distribution with no, one, two or three parameters. STATS0(norm, logpdf) calls the
 * static function norm_logpdf; STATS_EXP0(norm, pdf, logpdf) is the exponential of logpdf. */
#define STATS_OF_(counts, name, n, a, ...)                                                                             \
    tt_val tt_##name##_at(const char *site, tt_val x, __VA_ARGS__)                                                     \
    {                                                                                                                  \
        return stats_call(site, #name, name, counts, x, n, a, o);                                                      \
    }
#define STATS_NONE ((const tt_val *)0)
#define STATS_EXP_(name, f)                                                                                            \
    static tt_val name(const stats *s) { return tt_exp(f(s)); }
#define STATS_LOG_(name, f)                                                                                            \
    static tt_val name(const stats *s) { return tt_log(f(s)); }
#define STATS0(counts, d, f) STATS_OF_(counts, d##_##f, 0, STATS_NONE, const tt_stats_opts *o)
#define STATS1(counts, d, f) STATS_OF_(counts, d##_##f, 1, &a, tt_val a, const tt_stats_opts *o)
#define STATS2(counts, d, f)                                                                                           \
    STATS_OF_(counts, d##_##f, 2, ((const tt_val[]){ a, b }), tt_val a, tt_val b, const tt_stats_opts *o)
#define STATS3(counts, d, f)                                                                                           \
    STATS_OF_(counts, d##_##f, 3, ((const tt_val[]){ a, b, c }), tt_val a, tt_val b, tt_val c, const tt_stats_opts *o)

#endif
