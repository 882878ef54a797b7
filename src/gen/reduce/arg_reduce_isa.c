/* gen/reduce/arg_reduce_isa.c - loops of argmax and argmin for one instruction set: V values, I indices.
 *
 * A pair is kept if its value is NaN or beats the other value; of equal values the lower index is kept. Along a line, a
 * chunk changes nothing if the best value so far beats every element of the chunk: one vector loop tests this, and it
 * is true for most chunks. */
#include "reduce_shape.h"
#include "../isa/isa.h"

enum { CHUNK = 64 };

#define BETTER(b, p, x, k, OP)                                                                                         \
    do {                                                                                                               \
        const bool first = b OP x || b != b, index = first || (b == x && p < k);                                       \
        b = first ? b : x, p = index ? p : k;                                                                          \
    } while (0)

#define LOOPS(name, V, I, OP)                                                                                          \
    static void across_##name(void *best, void *where, const void *value, const void *at, int64_t n)                   \
    {                                                                                                                  \
        V *restrict b = best;                                                                                          \
        I *restrict p = where;                                                                                         \
        const V *restrict x = value;                                                                                   \
        const I *restrict k = at;                                                                                      \
        for (int64_t i = 0; i < n; i++) BETTER(b[i], p[i], x[i], k[i], OP);                                            \
    }                                                                                                                  \
    static bool beats_##name(V b, const V *x, int64_t step, int64_t n)                                                 \
    {                                                                                                                  \
        int less = 0;                                                                                                  \
        if (step == 1) for (int64_t i = 0; i < n; i++) less += !(b OP x[i]);                                           \
        else for (int64_t i = 0; i < n; i++) less += !(b OP x[i * step]);                                              \
        return !less;                                                                                                  \
    }                                                                                                                  \
    static void along_##name(void *best, void *where, const void *value, int64_t xs, const void *at, int64_t ks,       \
                             int64_t n)                                                                                \
    {                                                                                                                  \
        V b = *(V *)best;                                                                                              \
        I p = *(I *)where;                                                                                             \
        const V *x = value;                                                                                            \
        const I *k = at;                                                                                               \
        for (int64_t m; n > 0 && b == b; n -= m, x += m * xs, k += m * ks) {                                           \
            m = n < CHUNK ? n : CHUNK;                                                                                 \
            if (beats_##name(b, x, xs, m)) continue;                                                                   \
            for (int64_t i = 0; i < m; i++) BETTER(b, p, x[i * xs], k[i * ks], OP);                                    \
        }                                                                                                              \
        *(V *)best = b, *(I *)where = p;                                                                               \
    }

#define BOTH(v, V, i, I) LOOPS(v##_##i##_most, V, I, >) LOOPS(v##_##i##_least, V, I, <)
BOTH(f32, float, i32, int32_t)
BOTH(f32, float, i64, int64_t)
BOTH(f64, double, i32, int32_t)
BOTH(f64, double, i64, int64_t)
BOTH(i32, int32_t, i32, int32_t)
BOTH(i32, int32_t, i64, int64_t)
BOTH(i64, int64_t, i32, int32_t)
BOTH(i64, int64_t, i64, int64_t)

#define PAIR(name) { { across_##name##_most, along_##name##_most }, { across_##name##_least, along_##name##_least } }
#define ROW(v) { PAIR(v##_i32), PAIR(v##_i64) }
extern const reduce_pick_isa GEN_ISA(arg_reduce_loops);
const reduce_pick_isa GEN_ISA(arg_reduce_loops) = { { ROW(f32), ROW(f64), ROW(i32), ROW(i64) } };
