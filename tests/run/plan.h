/* plan.h - plans written by hand, for the tests of run/: values, steps and a few kernels in C on f32. */
#ifndef TUTTI_TESTS_RUN_PLAN_H
#define TUTTI_TESTS_RUN_PLAN_H

#include "run/run.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };
typedef struct {
    base_arena *a; const mesh *m;
    run_value value[MOST]; run_kernel kernel[MOST]; run_step step[MOST]; uint32_t arg[MOST], result[MOST];
    int32_t alias[MOST]; uint8_t *blob;
    run_plan p;
} hand;

static inline hand *hand_begin(const char *mesh_text)
{
    base_arena *a = base_open();
    hand *h = BASE_NEW(a, hand, 1);
    h->a = a;
    h->m = mesh_text ? mesh_of(NULL, mesh_text) : NULL;
    h->blob = BASE_NEW(a, uint8_t, 4096);
    h->p = (run_plan){ .mesh = h->m, .value = h->value, .kernel = h->kernel, .arg = h->arg, .result = h->result,
                       .alias = h->alias, .blob = h->blob, .nblob = 4096, .body = { 0, h->step } };
    for (int i = 0; i < MOST; i++) h->alias[i] = -1;
    return h;
}

static inline const mesh_layout *hand_layout(const hand *h, int rank, const char *spec)
{
    return mesh_parse(NULL, h->m, rank, spec);
}

static inline uint32_t hand_value(hand *h, tt_dtype dtype, int rank, const int64_t *dim, const mesh_layout *l,
                                  mesh_set vary,
                                  run_space space, int64_t at)
{
    const int64_t bytes = run_bytes(dtype, rank, dim, l, NULL);
    h->value[h->p.nvalue] = (run_value){ .dtype = dtype, .rank = rank, .dim = BASE_COPY(h->a, dim, rank), .layout = l,
                                            .vary = vary, .space = space, .at = at, .bytes = bytes };
    if (space == RUN_ARG && at == h->p.narg) h->arg[h->p.narg++] = h->p.nvalue;
    if (space == RUN_RESULT && at == h->p.nresult) h->result[h->p.nresult++] = h->p.nvalue;
    return h->p.nvalue++;
}

typedef int64_t hand_tiles(const void *, const ir_box *);
static inline uint32_t hand_kernel(hand *h, run_code *code, const void *self, hand_tiles *tiles, const char *name)
{
    h->kernel[h->p.nkernel] = (run_kernel){ .code = code, .self = self, .tiles = tiles, .name = base_intern(name) };
    return h->p.nkernel++;
}

static inline run_step hand_compute(hand *h, uint32_t kernel, mesh_set vary, uint32_t n, const uint32_t *arg)
{
    return (run_step){ .kind = RUN_COMPUTE, .site = base_intern("hand.c:1: step()"), .name = h->kernel[kernel].name,
        .vary = vary,
                       .compute = { kernel, 0, false }, .narg = n, .arg = BASE_COPY(h->a, arg, n), .nwritten = 1 };
}
#define COMPUTE(h, k, vary, ...) \
    hand_compute(h, k, vary, sizeof((uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t), (const uint32_t[]){ __VA_ARGS__ })

static inline run_list hand_list(hand *h, uint32_t n,
                                 const run_step *s) { return (run_list){ n, BASE_COPY(h->a, s, n) }; }
static inline void hand_step(hand *h, run_step s) { h->step[h->p.body.n++] = s; }

/* ---- kernels on f32 boxes; a tile is a row of the first dim, or all when there is none ---- */

static inline int64_t rows_of(const void *self, const ir_box *arg) { (void)self; return arg[0].rank ? arg[0].n[0] : 1; }

static inline float *at_f32(const ir_box *b, const int64_t *i)
{
    return (float *)(void *)ir_at(b, i);
}

typedef float cell_fn(const ir_box *arg, const int64_t *i);
/* Calls f for each element of the last box's tiles. */
static inline void cells(const void *self, const run_job *j, int narg, cell_fn *f)
{
    ir_box out = j->arg[narg - 1];
    int64_t i[IR_RANK];
    (void)self;
    ir_box part = out;
    if (part.rank) part.lo[0] += j->first, part.n[0] = j->count < out.n[0] ? j->count : out.n[0];
    for (bool more = ir_first(&part, i); more; more = ir_next(&part, i)) *at_f32(&out, i) = f(j->arg, i);
}

static inline float do_twice(const ir_box *b, const int64_t *i) { return 2 * *at_f32(&b[0], i) + 1; }
static inline float do_add(const ir_box *b, const int64_t *i) { return *at_f32(&b[0], i) + *at_f32(&b[1], i); }
static inline float do_index(const ir_box *b, const int64_t *i)
{
    return *at_f32(&b[0], i) + 1000 * (float)i[0] + (float)i[b[0].rank - 1];
}
static inline void k_twice(const void *self, const run_job *j) { cells(self, j, 2, do_twice); }
static inline void k_add(const void *self, const run_job *j) { cells(self, j, 3, do_add); }
static inline void k_index(const void *self, const run_job *j) { cells(self, j, 2, do_index); }
/* scalar f32 x, limit -> bool */
static inline void k_less(const void *self, const run_job *j)
{
    (void)self;
    *(bool *)j->arg[2].at = *(float *)j->arg[0].at < *(float *)j->arg[1].at;
}

static inline run_array *array_f32(const hand *h, int rank, const int64_t *dim, const char *spec, const float *x)
{
    return run_array_of(ir_type_of(TT_F32, rank, dim), spec ? hand_layout(h, rank, spec) : NULL, x);
}

static inline void workers(int n)
{
    run_workers_set(NULL, n);
}

#endif
