/* model/peers.h - runs programs, and compares logits with those by `transformers`. */
#ifndef TUTTI_TESTS_MODEL_PEERS_H
#define TUTTI_TESTS_MODEL_PEERS_H

#include "check.h"
#include "model/folder.h"

#include <math.h>
#include <stdarg.h>
#include <tutti.h>

static char said[1 << 16];

/* Runs a command, with what it prints in `said`; its status. */
static inline int run(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static inline int run(const char *fmt, ...)
{
    char command[3000];
    va_list v;
    va_start(v, fmt);
    vsnprintf(command, sizeof command, fmt, v);
    va_end(v);
    FILE *const f = popen(command, "r");
    const size_t n = f ? fread(said, 1, sizeof said - 1, f) : 0;
    said[n] = 0;
    const int status = f ? pclose(f) : -1;
    return status < 0 ? status : status >> 8;
}

/* Where TUTTI_TRANSFORMERS names a Python that has it: the program, whose argument is the folder, prints in its last
 * line the 256 logits of the last position. They are those of y [1, time, 256], up to the tolerance times the
 * largest. */
static inline void by_transformers(const char *what, const char *program, const char *folder, tt_val y,
                                   double tolerance)
{
    const char *const python = getenv("TUTTI_TRANSFORMERS");
    char path[700];
    float x[256];
    double far = 0, most = 0;
    if (!python || !*python) {
        CHECK_SKIP("no Python with transformers (TUTTI_TRANSFORMERS)");
        return;
    }
    const int64_t time = tt_dim(y, 1);
    CHECK(tt_read(tt_reshape(tt_slice(y, 1, time - 1, time, 1), 256), x, sizeof x), "%s", tt_error());
    snprintf(path, sizeof path, "%s.py", folder);
    FILE *const f = fopen(path, "wb");
    CHECK(f && fputs(program, f) >= 0, "%s is not written", path);
    if (f) fclose(f);
    CHECK(run("%s %s %s 2>&1 | tail -n 1", python, path, folder) == 0, "%s", said);
    unlink(path);
    char *at = said;
    for (int i = 0; i < 256; i++) {
        const double apart = fabs(x[i] - tt_strtod(at, &at));
        far = isnan(apart) ? INFINITY : fmax(far, apart);
        most = fmax(most, fabs((double)x[i]));
    }
    CHECK(far <= tolerance * most, "%s by transformers: logits to %g are %g apart: %.300s", what, most, far, said);
    printf("transformers reads %s: logits to %g, %g apart\n", what, most, far);
}

#endif
