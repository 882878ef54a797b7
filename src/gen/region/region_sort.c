/* gen/region/region_sort.c - sort by a comparator of its own: stable merging, many merges at a time.
 *
 * Lines (several, if they are short) are copied; runs of 1, 2, 4 .. elements are merged, the elements of all operands
 * together. A lane computes at most EACH elements of a merge's result: longer merges are split, and the start of a lane
 * is found by bisection. As in the reference, the right run's element goes first only if the comparator says that it
 * precedes the left run's. Starts are clamped to be nondecreasing, so that any comparator gives a permutation. */
#include "region.h"
#include "../../op/ops.h"

#include <string.h>

#include "../copy.h"

enum { EACH = 64, GROUP = 1 << 13 };                     /* elements of a lane; of the lines sorted together */

typedef struct { const ir_eqn *e; region_code *r; int64_t bytes; } sorter;  /* bytes: of one element of every operand */

/* The lines sorted together: every operand's elements, from and to; and a batch of lanes. */
typedef struct {
    const sorter *f;
    int64_t n, line;                                     /* elements of all lines, of one line */
    char *key[REGION_MOST][2];
    int64_t size[REGION_MOST];
    char *value[2 * REGION_MOST], *less;                 /* lines of lanes: right and left of each operand */
    /* of lanes: runs; positions in both; elements left; destination */
    int64_t *lo, *mid, *hi, *i, *j, *end, *to, *other;
    int64_t *begin; /* of a level's lanes, if merges are split: elements taken from the left */
    region_run run;
} state;

/* ---- memory ---- */

static int64_t lines_together(int64_t n, int64_t lines)
{
    const int64_t m = n ? GROUP / n : 1;
    return m < 1 ? 1 : m < lines ? m : lines;
}

static int64_t region_sort_lines_of(const ir_box *y, int k)
{
    int64_t n = 1;
    for (int d = 0; d < y->rank; d++) if (d != k) n *= y->n[d];
    return n;
}

static int64_t sort_scratch(const void *self, const ir_box *arg)
{
    const sorter *f = self;
    const ir_box *y = &arg[f->e->nin];
    const int k = (int)IR_ATTR(f->e, op_sort_by_attr)->dimension;
    const int64_t n = y->n[k] * lines_together(y->n[k], region_sort_lines_of(y, k)) + 8, lanes = region_lanes(f->r);
    return region_padded(n) * (2 * f->bytes + 4) + (2 * f->bytes + 1 + 8 * 8) * lanes + region_scratch(f->r) + 4096;
}

static char *region_sort_part_of(char **p, int64_t n, int64_t size)
{
    char *const at = *p;
    *p += region_padded(n) * size;
    return at;
}

static void state_of(const sorter *f, int64_t n, void *scratch, double work, state *s)
{
    const int64_t lanes = region_lanes(f->r);
    char *p = base_line_up(scratch);
    *s = (state){ .f = f };
    for (uint32_t i = 0; i < f->e->nin; i++) {
        s->size[i] = (int64_t)ir_dtype_of(f->r->arg[2 * i])->bytes;
        for (int h = 0; h < 2; h++) {
            s->key[i][h] = region_sort_part_of(&p, n + 1, s->size[i]);
            s->value[2 * i + (uint32_t)h] = region_sort_part_of(&p, lanes, s->size[i]);
        }
    }
    s->begin = (void *)region_sort_part_of(&p, n + 1, 4);
    s->less = region_sort_part_of(&p, lanes, 1);
    int64_t **const list[] = { &s->lo, &s->mid, &s->hi, &s->i, &s->j, &s->end, &s->to, &s->other };
    for (int k = 0; k < 8; k++) *list[k] = (void *)region_sort_part_of(&p, lanes, 8);
    s->run = region_begin(f->r, p, work);
}

/* ---- lanes ---- */

static void pick(char *to, const char *from, const int64_t *at, int64_t n, int64_t size)
{
#define CASE(T) case sizeof(T): { \
        T *q = (T *)(void *)to; const T *p = (const T *)(const void *)from; \
        for (int64_t i = 0; i < n; i++) q[i] = p[at[i]]; \
        break; }
    switch (size) { CASE(uint8_t) CASE(uint16_t) CASE(uint32_t) CASE(uint64_t) default: break; }
#undef CASE
}

/* Sets less[l] to true if the element at right[l] compares before the element at left[l]. */
static void sort_compare(state *s, int now, const int64_t *right, const int64_t *left, int64_t n)
{
    void *in[2 * REGION_MOST];
    for (uint32_t k = 0; k < s->f->e->nin; k++) {
        pick(s->value[2 * k], s->key[k][now], right, n, s->size[k]);
        pick(s->value[2 * k + 1], s->key[k][now], left, n, s->size[k]);
        in[2 * k] = s->value[2 * k], in[2 * k + 1] = s->value[2 * k + 1];
    }
    region_do(&s->run, in, (void *[]){ s->less }, n);
}

/* Lane q of a level: merges of runs of w elements, each split into lanes of EACH; the lanes of a line are
 * consecutive. */
typedef struct { int64_t lo, mid, hi, from, n; bool last; } piece;       /* elements [from, from + n) of the merge */

static piece first_piece(const state *s, int64_t w, int64_t lo)
{
    const int64_t end = (lo / s->line + 1) * s->line, mid = lo + w < end ? lo + w : end, hi = mid + w < end
        ? mid + w : end;
    return (piece){ lo, mid, hi, 0, hi - lo < EACH ? hi - lo : EACH, hi == s->n && hi - lo <= EACH };
}

static piece next_piece(const state *s, int64_t w, piece p)
{
    p.from += p.n;
    if (p.lo + p.from == p.hi) return first_piece(s, w, p.hi);
    const int64_t left = p.hi - p.lo - p.from;
    p.n = left < EACH ? left : EACH;
    p.last = p.hi == s->n && left <= EACH;
    return p;
}

/* For a batch of lanes that start inside merges: finds by bisection how many of the preceding elements come from the
 * left run. */
static void find_begins(state *s, int now, const int64_t *from, int64_t n, int64_t *found)
{
    int64_t *const lo = s->i, *const hi = s->j, *const left = s->end, *const right = found;
    bool open = true;
    for (int64_t l = 0; l < n; l++) {
        const int64_t a = s->mid[l] - s->lo[l], b = s->hi[l] - s->mid[l];
        lo[l] = from[l] > b ? from[l] - b : 0, hi[l] = from[l] < a ? from[l] : a;
    }
    while (open) {
        for (int64_t l = 0; l < n; l++) {
            const int64_t m = lo[l] + (hi[l] - lo[l]) / 2, k = from[l] - 1 - m;
            const bool there = lo[l] < hi[l];
            left[l] = there ? s->lo[l] + m : s->lo[l], right[l] = there ? s->mid[l] + k : s->lo[l];
        }
        sort_compare(s, now, right, left, n);
        open = false;
        for (int64_t l = 0; l < n; l++) {
            if (lo[l] >= hi[l]) continue;
            const int64_t m = lo[l] + (hi[l] - lo[l]) / 2;
            if (s->less[l]) hi[l] = m;
            else lo[l] = m + 1;
            open |= lo[l] < hi[l];
        }
    }
    memcpy(found, lo, (size_t)n * sizeof *found);
}

/* Computes begin[q] for all lanes of a level, clamping each start to at least the previous lane's and to at most EACH
 * more. */
static void sort_partition(state *s, int now, int64_t w)
{
    int64_t *const from = s->to, *const found = s->other;
    const int64_t most = region_lanes(s->f->r);
    piece p = first_piece(s, w, 0);
    for (int64_t q = 0; q >= 0;) {
        int64_t n = 0;
        bool last = false;
        for (; n < most && !last; n++) {
            s->lo[n] = p.lo, s->mid[n] = p.mid, s->hi[n] = p.hi, from[n] = p.from;
            last = p.last;
            if (!last) p = next_piece(s, w, p);
        }
        find_begins(s, now, from, n, found);
        for (int64_t l = 0; l < n; l++, q++) {
            const int64_t b = from[l] ? s->begin[q - 1] : 0, up = from[l] ? b + EACH : 0;
            s->begin[q] = found[l] < b ? b : found[l] > up ? up : found[l];
        }
        if (last) return;
    }
}

/* Writes the next element of each lane that has elements left. */
static void give(state *s, int now, int64_t n)
{
    for (int64_t l = 0; l < n; l++)                      /* the source position, into lo */
        s->lo[l] = s->less[l] ? s->j[l] : s->i[l];
#define CASE(T) case sizeof(T): { \
        T *q = (T *)(void *)s->key[k][1 - now]; const T *p = (const T *)(const void *)s->key[k][now]; \
        for (int64_t l = 0; l < n; l++) if (s->end[l] > 0) q[s->to[l]] = p[s->lo[l]]; \
        break; }
    for (uint32_t k = 0; k < s->f->e->nin; k++)
        switch (s->size[k]) { CASE(uint8_t) CASE(uint16_t) CASE(uint32_t) CASE(uint64_t) default: break; }
#undef CASE
}

/* Merges a batch of lanes: i and j run up to mid and hi. */
static void merge(state *s, int now, int64_t n, int64_t steps)
{
    for (int64_t step = 0; step < steps; step++) {
        for (int64_t l = 0; l < n; l++) s->lo[l] = s->i[l] < s->n ? s->i[l] : 0, s->other[l] = s->j[l] < s->n
            ? s->j[l] : 0;
        sort_compare(s, now, s->other, s->lo, n);
        for (int64_t l = 0; l < n; l++) {                /* one run may be exhausted */
            const bool none = s->i[l] >= s->mid[l], some = s->j[l] < s->hi[l];
            s->less[l] = some && (none || s->less[l]);
        }
        give(s, now, n);
        for (int64_t l = 0; l < n; l++) {
            s->j[l] += s->less[l], s->i[l] += !s->less[l];
            s->to[l]++, s->end[l]--;
        }
    }
}

static void level(state *s, int now, int64_t w)
{
    const int64_t most = region_lanes(s->f->r);
    const bool cuts = 2 * w > EACH;
    if (cuts) sort_partition(s, now, w);
    piece p = first_piece(s, w, 0);
    bool last = false;
    for (int64_t q = 0; !last;) {
        int64_t n = 0, steps = 0;
        for (; n < most && !last; n++, q++) {
            const int64_t i = cuts ? s->begin[q] : 0, j = p.from - i;
            const bool ends = p.lo + p.from + p.n == p.hi;
            const int64_t stop = !cuts || ends ? p.mid - p.lo : s->begin[q + 1];
            s->to[n] = p.lo + p.from, s->end[n] = p.n;
            s->i[n] = p.lo + i, s->j[n] = p.mid + j;
            s->mid[n] = p.lo + stop, s->hi[n] = p.mid + (p.from + p.n - stop);
            steps = p.n > steps ? p.n : steps;
            last = p.last;
            if (!last) p = next_piece(s, w, p);
        }
        merge(s, now, n, steps);
    }
}

/* ---- boxes ---- */

/* Offset in b of line i of y's box, at y's index 0 along k. */
static int64_t line_at(const ir_box *b, const ir_box *y, int k, int64_t i)
{
    int64_t at = 0;
    for (int d = y->rank - 1; d >= 0; d--) {
        if (d == k) continue;
        at += (y->lo[d] + i % y->n[d] - b->lo[d]) * b->step[d];
        i /= y->n[d];
    }
    return at + (y->lo[k] - b->lo[k]) * b->step[k];
}

static int64_t sort_tiles(const void *self, const ir_box *arg)
{
    const sorter *f = self;
    const ir_box *y = &arg[f->e->nin];
    const int k = (int)IR_ATTR(f->e, op_sort_by_attr)->dimension;
    const int64_t lines = region_sort_lines_of(y, k), each = lines_together(y->n[k], lines),
        n = each ? (lines + each - 1) / each : 1;
    return n < 1 ? 1 : n < 64 ? n : 64;
}

static void sort_lines(state *s, const ir_box *x, const ir_box *y, int64_t first, int64_t lines)
{
    const int k = (int)IR_ATTR(s->f->e, op_sort_by_attr)->dimension;
    const uint32_t nin = s->f->e->nin;
    int now = 0;
    s->line = y->n[k], s->n = s->line * lines;
    for (int64_t l = 0; l < lines; l++)
        for (uint32_t j = 0; j < nin; j++)
            gen_copy_line(s->key[j][0] + l * s->line * s->size[j], 1,
                          (const char *)x[j].at + line_at(&x[j], y, k, first + l) * s->size[j], x[j].step[k], s->line,
                          (size_t)s->size[j]);
    for (int64_t w = 1; w < s->line; w *= 2, now = 1 - now) level(s, now, w);
    for (int64_t l = 0; l < lines; l++)
        for (uint32_t j = 0; j < nin; j++)
            gen_copy_line((char *)y[j].at + line_at(&y[j], y, k, first + l) * s->size[j], y[j].step[k],
                          s->key[j][now] + l * s->line * s->size[j], 1, s->line, (size_t)s->size[j]);
}

static void sort_run(const void *self, const run_job *job)
{
    const sorter *f = self;
    const ir_box *x = job->arg, *y = x + f->e->nin;
    const int k = (int)IR_ATTR(f->e, op_sort_by_attr)->dimension;
    const int64_t lines = region_sort_lines_of(y, k), tiles = sort_tiles(self, x),
        each = lines_together(y->n[k], lines);
    const int64_t end = lines * (job->first + job->count) / tiles;
    state s;
    if (!ir_box_count(y)) return;
    state_of(f, y->n[k] * each, job->scratch, (double)ir_box_count(y) * 20, &s);
    for (int64_t l = lines * job->first / tiles; l < end; l += each)
        sort_lines(&s, x, y, l, end - l < each ? end - l : each);
}

/* ---- the table ---- */

static const char *sort_refuses(const ir_eqn *e)
{
    return e->nin > REGION_MOST ? "more than 8 operands" : region_refuses(e->sub[0]);
}

static bool sort_make(base_arena *a, const ir_eqn *e, run_kernel *k)
{
    sorter *f = BASE_NEW(a, sorter, 1);
    f->e = e;
    if (!(f->r = region_of(a, e->sub[0]))) return false;
    for (uint32_t i = 0; i < e->nin; i++) f->bytes += (int64_t)ir_dtype_of(IR_IN(e, i)->dtype)->bytes;
    *k = (run_kernel){ .code = sort_run, .self = f, .tiles = sort_tiles, .scratch = sort_scratch };
    return true;
}

const region_kind region_sort = { &prim_sort_by, sort_refuses, sort_make };
