/* gen/copy.c - loops of strided copies. Dims of size 1 are removed, dims that are contiguous on both sides are
 * merged, the result's fastest dim is the innermost loop.
 *
 * Contiguous runs are memcpy. If the operand's fastest dim is another one, these two dims are walked in squares that
 * fit in the first-level cache. */
#include "copy.h"
#include "matmul/gemm.h"

#include <string.h>

enum { SQUARE = 16, STRIP = 64, SHORT = 64 };            /* elements, elements; bytes below which a loop beats memcpy */
typedef struct { uint64_t w[2]; } wide;

#define LOOPS(T, name)                                                                                                 \
    static void line_##name(void *to, int64_t ts, const void *from, int64_t fs, int64_t n)                             \
    {                                                                                                                  \
        T *q = to;                                                                                                     \
        const T *p = from;                                                                                             \
        if (ts == 1 && fs == 1) for (int64_t i = 0; i < n; i++) q[i] = p[i];                                           \
        else if (ts == 1 && !fs) { const T v = *p; for (int64_t i = 0; i < n; i++) q[i] = v; }                         \
        else if (ts == 1) for (int64_t i = 0; i < n; i++) q[i] = p[i * fs];                                            \
        else for (int64_t i = 0; i < n; i++) q[i * ts] = p[i * fs];                                                    \
    }                                                                                                                  \
    /* q[i * ts + j] = p[i + j * fs], i < m, j < n */                                                                  \
    static void turn_##name(void *to, int64_t ts, const void *from, int64_t fs, int64_t m, int64_t n)                  \
    {                                                                                                                  \
        for (int64_t a = 0; a < m; a += SQUARE)                                                                        \
            for (int64_t b = 0; b < n; b += SQUARE) {                                                                  \
                const int64_t me = m - a < SQUARE ? m - a : SQUARE, ne = n - b < SQUARE ? n - b : SQUARE;              \
                T part[SQUARE][SQUARE];                  /* full lines are read, full lines are written */             \
                for (int64_t j = 0; j < ne; j++)                                                                       \
                    memcpy(part[j], (const T *)from + a + (b + j) * fs, (size_t)me * sizeof(T));                       \
                for (int64_t i = 0; i < me; i++) {                                                                     \
                    T *restrict q = (T *)to + (a + i) * ts + b;                                                        \
                    for (int64_t j = 0; j < ne; j++) q[j] = part[j][i];                                                \
                }                                                                                                      \
            }                                                                                                          \
    }
LOOPS(uint8_t, 1)
LOOPS(uint16_t, 2)
LOOPS(uint32_t, 4)
LOOPS(uint64_t, 8)
LOOPS(wide, 16)

static const struct {
    void (*line)(void *, int64_t, const void *, int64_t, int64_t);
    void (*turn)(void *, int64_t, const void *, int64_t, int64_t, int64_t);
} by_size[17] = { [1] = { line_1, turn_1 },
                  [2] = { line_2, turn_2 },
                  [4] = { line_4, turn_4 },
                  [8] = { line_8, turn_8 },
                  [16] = { line_16, turn_16 } };

/* q[i * ts + j] = p[i + j * fs] through the vectors of gemm_isa.c, for 4 and 8 bytes: reads a line of each of STRIP
 * rows (loads overlap), and writes runs of STRIP elements (stores that miss do not overlap). */
static void turn_wide(char *to, int64_t ts, const char *from, int64_t fs, int64_t m, int64_t n, int64_t size)
{
    const gemm_isa *isa = gemm_here();
    const gemm_type type = size == 4 ? GEMM_U32 : GEMM_U64;
    _Alignas(64) char part[STRIP * SQUARE * 8 + GEMM_SLACK];
    const void *row[STRIP];
    for (int64_t b = 0; b < n; b += STRIP) {
        const int64_t ne = n - b < STRIP ? n - b : STRIP, width = base_round_up(ne, SQUARE);
        for (int64_t a = 0; a < m; a += SQUARE) {
            const int64_t me = m - a < SQUARE ? m - a : SQUARE;
            for (int64_t j = 0; j < width; j++) row[j] = j < ne ? from + (a + (b + j) * fs) * size : NULL;
            isa->from_rows[type](part, (int)width, size == 4 ? TT_U32 : TT_U64, row, 1, me);
            for (int64_t i = 0; i < me; i++)
                memcpy(to + ((a + i) * ts + b) * size, part + i * width * size, (size_t)(ne * size));
        }
    }
}

static bool same_bytes(const char *p, size_t size)       /* True if one byte, repeated, is the element: zero, mostly */
{
    for (size_t i = 1; i < size; i++) if (p[i] != *p) return false;
    return true;
}

void gen_copy_line(void *to, int64_t ts, const void *from, int64_t fs, int64_t n, size_t size)
{
    const bool run = ts == 1 && (fs == 1 || fs == 0) && n > 0 && (size_t)n * size >= SHORT;
    if (run && fs == 1) memcpy(to, from, (size_t)n * size);
    else if (run && same_bytes(from, size)) memset(to, *(const unsigned char *)from, (size_t)n * size);
    else by_size[size].line(to, ts, from, fs, n);
}

static int64_t far(int64_t step) { return step < 0 ? -step : step; }

static void swap_dims(gen_copy *c, int a, int b)
{
    int64_t *const list[] = { c->n, c->fs, c->ts };
    for (int k = 0; k < 3; k++) {
        const int64_t t = list[k][a];
        list[k][a] = list[k][b], list[k][b] = t;
    }
}

gen_copy gen_copy_of(int rank, const int64_t *n, const int64_t *fs, const int64_t *ts, size_t size)
{
    gen_copy c = { .size = size };
    for (int d = 0; d < rank; d++) {
        c.none |= n[d] == 0;
        if (n[d] != 1) c.n[c.rank] = n[d], c.fs[c.rank] = fs[d], c.ts[c.rank++] = ts[d];
    }
    for (int i = 1; i < c.rank; i++)                     /* sort: the result's slowest dim first */
        for (int k = i; k > 0 && far(c.ts[k - 1]) < far(c.ts[k]); k--) swap_dims(&c, k - 1, k);
    int last = 0;
    for (int d = 1; d < c.rank; d++) {
        if (c.ts[last] == c.ts[d] * c.n[d] && c.fs[last] == c.fs[d] * c.n[d]) {
            c.n[last] *= c.n[d];
        } else {
            last++;
            c.n[last] = c.n[d];
        }
        c.fs[last] = c.fs[d], c.ts[last] = c.ts[d];
    }
    if (c.rank) c.rank = last + 1;
    for (int d = 0; d + 1 < c.rank && !c.transposes; d++) { /* moves the operand's fastest dim next to the innermost */
        if (c.ts[c.rank - 1] != 1 || c.fs[c.rank - 1] == 1 || c.fs[d] != 1 || c.n[d] < 4 || c.n[c.rank - 1] < 4)
            continue;
        for (int k = d; k + 2 < c.rank; k++) swap_dims(&c, k, k + 1);
        c.transposes = true;
    }
    return c;
}

void gen_copy_run(const gen_copy *c, const void *from, void *to)
{
    const int inner = c->transposes ? 2 : c->rank > 0, outer = c->rank - inner;
    const int64_t size = (int64_t)c->size;
    const char *p = from;
    char *q = to;
    int64_t i[IR_RANK] = { 0 };
    if (c->none) return;
    for (;;) {
        const int l = c->rank - 1;
        if (c->transposes && (c->size == 4 || c->size == 8))
            turn_wide(q, c->ts[l - 1], p, c->fs[l], c->n[l - 1], c->n[l], size);
        else if (c->transposes) by_size[c->size].turn(q, c->ts[l - 1], p, c->fs[l], c->n[l - 1], c->n[l]);
        else if (!c->rank) memcpy(q, p, c->size);
        else gen_copy_line(q, c->ts[l], p, c->fs[l], c->n[l], c->size);
        int d = outer - 1;
        for (; d >= 0; d--) {
            p += c->fs[d] * size, q += c->ts[d] * size;
            if (++i[d] < c->n[d]) break;
            p -= c->n[d] * c->fs[d] * size, q -= c->n[d] * c->ts[d] * size;
            i[d] = 0;
        }
        if (d < 0) return;
    }
}
