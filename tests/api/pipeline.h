/* pipeline.h - for tests that run programs: IR text through the whole pipeline, against ir_eval. */
#ifndef TUTTI_TESTS_PIPELINE_H
#define TUTTI_TESTS_PIPELINE_H

#include "driver/driver.h"
#include "check.h"

#include <math.h>
#include <stdlib.h>

enum { PIPELINE_MOST = 16 };

static const char *pipeline_error(void) { return base_failed() ? base_failed()->what : "no error"; }

/* Elements that tell places apart: small integers for integers, quarters for floats, both signs. */
static inline void *pipeline_data(base_arena *a, const ir_type *t, uint64_t seed)
{
    const int64_t n = ir_count(t);
    void *p = base_new(a, (size_t)n * ir_dtype_of(t->dtype)->bytes + 16);
    const ir_box b = ir_box_dense(p, t);
    int64_t i[IR_RANK];
    for (bool go = ir_first(&b, i); go; go = ir_next(&b, i)) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const int64_t v = (int64_t)(seed >> 40) % 9;
        ir_num x = { .c = { 0, 0 } };
        switch (ir_dtype_of(t->dtype)->cls) {
        case IR_BOOL_CLASS:  x.b = v & 1; break;
        case IR_INT_CLASS:   x.i = v - 4; break;
        case IR_UINT_CLASS:  x.u = (uint64_t)v; break;
        default:             x.f = (double)(v - 4) / 4; break;
        }
        ir_store(&b, i, x);
    }
    return p;
}

/* Largest difference, relative to 1 + |want|; NaN where only one is. */
static inline double pipeline_apart(const ir_box *got, const ir_box *want)
{
    int64_t i[IR_RANK];
    double worst = 0;
    for (bool go = ir_first(want, i); go; go = ir_next(want, i)) {
        const ir_num g = ir_load(got, i), w = ir_load(want, i);
        const ir_class c = ir_dtype_of(want->dtype)->cls;
        double d;
        if (c == IR_BOOL_CLASS) d = g.b != w.b;
        else if (c == IR_INT_CLASS || c == IR_UINT_CLASS) d = g.u != w.u;
        else if (isnan(w.f) || isinf(w.f)) d = (isnan(w.f) ? !isnan(g.f) : g.f != w.f);
        else d = fabs(g.f - w.f) / (1 + fabs(w.f));
        if (!(d <= worst)) worst = isnan(d) ? 1e9 : d;
    }
    return worst;
}

typedef struct {
    base_arena *a;
    const ir_fn *fn;
    void *in[PIPELINE_MOST], *want[PIPELINE_MOST];
} pipeline;

/* Reads a function (mesh given apart, NULL: as the text says) and evaluates it on made-up arguments. */
static inline bool pipeline_open(pipeline *r, const ir_fn *fn)
{
    ir_box x[PIPELINE_MOST], y[PIPELINE_MOST];
    r->fn = fn;
    for (uint32_t i = 0; i < fn->narg; i++) {
        r->in[i] = pipeline_data(r->a, fn->type[1 + i], 77 + i);
        x[i] = ir_box_dense(r->in[i], fn->type[1 + i]);
    }
    for (uint32_t j = 0; j < fn->nret; j++) {
        const ir_type *t = fn->type[fn->ret[j]];
        r->want[j] = base_new(r->a, (size_t)ir_count(t) * ir_dtype_of(t->dtype)->bytes + 16);
        y[j] = ir_box_dense(r->want[j], t);
    }
    return ir_eval(fn, x, y);
}

static inline const ir_type *pipeline_plain(const ir_type *t) { return ir_type_of(t->dtype, t->rank, t->dim); }

/* The plan of f with arguments laid out so, as programs get it, or NULL. */
static inline const run_plan *pipeline_plan(base_arena *a, const ir_fn *f, const mesh_layout *const *in,
                                                 bool reproducible)
{
    const driver_opts o = { .flags = reproducible ? DRIVER_REPRODUCIBLE : 0, .in = in };
    driver_lowered view;
    return driver_lower(a, f, &o, true, &view) ? view.plan : NULL;
}

/* Runs it with arguments laid out so, and compares. */
static inline void pipeline_run(pipeline *r, const char *what, const mesh_layout *const *in, const driver_opts *o,
                            double tolerance)
{
    run_array *x[PIPELINE_MOST] = { 0 }, *y[PIPELINE_MOST] = { 0 };
    const ir_fn *f = r->fn;
    for (uint32_t i = 0; i < f->narg; i++)
        x[i] = run_array_of(pipeline_plain(f->type[1 + i]), in ? in[i] : NULL, r->in[i]);
    const bool ok = driver_run(f, o, x, NULL, y);
    CHECK(ok, "%s: %s", what, pipeline_error());
    for (uint32_t j = 0; ok && j < f->nret; j++) {
        const ir_type *t = pipeline_plain(f->type[f->ret[j]]);
        void *got = base_new(r->a, (size_t)ir_count(t) * ir_dtype_of(t->dtype)->bytes + 16);
        CHECK(run_type(y[j]) == t, "%s: result %u is %s", what, j, ir_type_text(r->a, run_type(y[j])));
        CHECK(run_read(y[j], NULL, NULL, got), "%s: %s", what, pipeline_error());
        const ir_box g = ir_box_dense(got, t), w = ir_box_dense(r->want[j], t);
        const double apart = pipeline_apart(&g, &w);
        CHECK(apart <= tolerance, "%s: result %u is off by %g", what, j, apart);
    }
    for (uint32_t i = 0; i < f->narg; i++) run_drop(x[i]);
    for (uint32_t j = 0; ok && j < f->nret; j++) run_drop(y[j]);
    base_clear_error();
}

#endif
