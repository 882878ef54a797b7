/* base/log.c - the sink for lines to the user, and the clock. api sets the sink; without a sink, lines are dropped. */
#include "base.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

static void (*_Atomic sink)(const char *line);

void base_set_log_sink(void (*f)(const char *line)) { atomic_store(&sink, f); }

void base_log(const char *fmt, ...)
{
    void (*f)(const char *line) = atomic_load(&sink);
    char small[512];
    va_list v, w;
    if (!f) return;
    va_start(v, fmt);
    va_copy(w, v);
    const int n = base_vsnprintf(small, sizeof small, fmt, v);
    va_end(v);
    if (n >= (int)sizeof small) {                        /* a long line: truncated if there is no memory */
        char *large = base_heap((size_t)n + 1);
        if (large) base_vsnprintf(large, (size_t)n + 1, fmt, w);
        f(large ? large : small);
        base_heap_free(large);
    } else {
        f(small);
    }
    va_end(w);
}

double base_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
