/* api_check.h - what tests of the public interface say often: these numbers, that error. Relative bound 2e-6, or the
 * element. */
#ifndef TUTTI_TESTS_API_CHECK_H
#define TUTTI_TESTS_API_CHECK_H

#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <tutti.h>

#include "check.h"

static inline void quiet(const tt_error_info *e, void *env) { (void)e; (void)env; }

/* An error with this text in its message has happened; forgets it. */
static inline bool failed(const char *text)
{
    const bool yes = !tt_ok() && strstr(tt_error(), text);
    if (!yes) printf("  got: %s\n", tt_ok() ? "no error" : tt_error());
    tt_clear();
    return yes;
}

/* v holds these n numbers, and is of this type where one is named; forgets errors. */
static inline bool is(tt_val v, const char *type, int n, const double *want)
{
    bool good = tt_ok() && tt_count(v) == n && (!type || !strcmp(tt_type_text(v), type));
    if (!good) printf("  got: %s\n", tt_ok() ? tt_type_text(v) : tt_error());
    const tt_val flat = tt_reshape(tt_cast(v, TT_F64), -1);
    for (int i = 0; good && i < n; i++) {
        const double x = tt_num(tt_slice(flat, 0, i, i + 1, 1));
        if (x == want[i] || fabs(x - want[i]) <= 2e-6 * (1 + fabs(want[i])) || (isnan(x) && isnan(want[i]))) continue;
        printf("  element %d: %.9g, not %.9g\n", i, x, want[i]);
        good = false;
    }
    tt_clear();
    return good;
}

static inline void said(bool good, const char *what, int line) { CHECK(good, "line %d: %s", line, what); }

#define NUMBERS(...) (int)(sizeof((double[]){ __VA_ARGS__ }) / sizeof(double)), (double[]){ __VA_ARGS__ }
#define IS(v, ...) said(is(v, NULL, NUMBERS(__VA_ARGS__)), #v, __LINE__)
#define IS_TYPED(v, type, ...) said(is(v, type, NUMBERS(__VA_ARGS__)), #v, __LINE__)
#define VEC(...) tt_array(TT_F32, ((float[]){ __VA_ARGS__ }), \
                          (int64_t)(sizeof((float[]){ __VA_ARGS__ }) / sizeof(float)))

#endif
