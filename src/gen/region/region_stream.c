/* gen/region/region_stream.c - updates combined by a region, in their order: y[to] = region(y[to], u[from]).
 *
 * Updates are gathered until a destination occurs twice (found by a hash table of places) or the lanes are full, and
 * are then applied together. Lines of different places are lanes directly. */
#include "region.h"

#include <string.h>

#include "../copy.h"

enum { LANES = 256, SLOTS = 1024, LONG = 32 };  /* updates at once; slots of the table; shortest line run by itself */

struct region_stream {
    region_run run;
    char *y; const char *u; int64_t size;
    char *line[3];                                       /* old elements, updates, results */
    int64_t n, most, to[LANES], from[LANES];
    uint32_t round, seen[SLOTS]; int64_t place[SLOTS];   /* entries of this round; other slots are free */
};

int64_t region_stream_bytes(const region_code *r)
{
    const int64_t line = region_lanes(r) * (int64_t)ir_dtype_of(r->arg[0])->bytes;
    return region_padded((int64_t)sizeof(region_stream)) + 3 * line + region_scratch(r) + 128;
}

region_stream *region_stream_begin(const region_code *r, void *scratch, const ir_box *y, const void *from, double work)
{
    region_stream *s = base_line_up(scratch);
    char *p = (char *)s + region_padded((int64_t)sizeof *s);
    s->size = (int64_t)ir_dtype_of(y->dtype)->bytes;
    s->y = y->at, s->u = from, s->n = 0, s->round = 1;
    s->most = region_lanes(r) < LANES ? region_lanes(r) : LANES;
    memset(s->seen, 0, sizeof s->seen);
    for (int k = 0; k < 3; k++) s->line[k] = p, p += region_lanes(r) * s->size;
    s->run = region_begin(r, p, work);
    return s;
}

static void region_stream_take(char *line, const char *x, const int64_t *at, int64_t n, int64_t size)
{
#define CASE(T) case sizeof(T): { \
        T *q = (T *)(void *)line; const T *p = (const T *)(const void *)x; \
        for (int64_t i = 0; i < n; i++) q[i] = p[at[i]]; \
        break; }
    switch (size) { CASE(uint8_t) CASE(uint16_t) CASE(uint32_t) CASE(uint64_t) default: break; }
#undef CASE
}

static void give(const char *line, char *y, const int64_t *at, int64_t n, int64_t size)
{
#define CASE(T) case sizeof(T): { \
        T *q = (T *)(void *)y; const T *p = (const T *)(const void *)line; \
        for (int64_t i = 0; i < n; i++) q[at[i]] = p[i]; \
        break; }
    switch (size) { CASE(uint8_t) CASE(uint16_t) CASE(uint32_t) CASE(uint64_t) default: break; }
#undef CASE
}

static void apply(region_stream *s, int64_t n)
{
    region_do(&s->run, (void *[]){ s->line[0], s->line[1] }, (void *[]){ s->line[2] }, n);
}

static void flush(region_stream *s)
{
    if (!s->n) return;
    region_stream_take(s->line[0], s->y, s->to, s->n, s->size);
    region_stream_take(s->line[1], s->u, s->from, s->n, s->size);
    apply(s, s->n);
    give(s->line[2], s->y, s->to, s->n, s->size);
    s->n = 0;
    if (++s->round == 0) memset(s->seen, 0, sizeof s->seen), s->round = 1;
}

static bool is_new(region_stream *s, int64_t to)         /* True if `to` is new; enters it */
{
    uint64_t h = (uint64_t)to * 0x9e3779b97f4a7c15u >> 54;
    for (; s->seen[h] == s->round; h = (h + 1) % SLOTS) if (s->place[h] == to) return false;
    s->seen[h] = s->round, s->place[h] = to;
    return true;
}

void region_stream_push(region_stream *s, int64_t to, int64_t from)
{
    if (s->n == s->most) flush(s);
    if (!is_new(s, to)) {
        flush(s);
        is_new(s, to);
    }
    s->to[s->n] = to, s->from[s->n++] = from;
}

void region_stream_line(region_stream *s, int64_t to, int64_t ts, int64_t from, int64_t fs, int64_t n)
{
    const size_t size = (size_t)s->size;
    if (n < LONG || !ts) {
        for (int64_t i = 0; i < n; i++) region_stream_push(s, to + i * ts, from + i * fs);
        return;
    }
    flush(s);
    for (int64_t i = 0; i < n; i += region_lanes(s->run.r)) {
        const int64_t m = n - i < region_lanes(s->run.r) ? n - i : region_lanes(s->run.r);
        char *const y = s->y + (to + i * ts) * s->size;
        gen_copy_line(s->line[0], 1, y, ts, m, size);
        gen_copy_line(s->line[1], 1, s->u + (from + i * fs) * s->size, fs, m, size);
        apply(s, m);
        gen_copy_line(y, ts, s->line[2], 1, m, size);
    }
}

void region_stream_end(region_stream *s) { flush(s); }
