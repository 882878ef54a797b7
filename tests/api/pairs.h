/* pairs.h - for tests of two steps that become one (plan/steps/pair.c): how many plans have, and that it changes no bit
 * and takes no more memory. */
#ifndef TUTTI_TESTS_PAIRS_H
#define TUTTI_TESTS_PAIRS_H

#include "pipeline.h"

/* joined: how many steps are two. */
typedef struct { const char *what, *text, *spec[5]; int joined; } pairs_example;
typedef struct { int (*joined)(const char *plan); const char *off; } pairs;      /* lines of a plan's text; a switch */

static inline const run_plan *pairs_plan(base_arena *a, const pairs_example *e, const mesh_layout **in,
                                         bool reproducible)
{
    ir_fn *f = (ir_fn *)(uintptr_t)ir_parse(a, "pairs", e->text);
    CHECK(f, "%s: %s", e->what, pipeline_error());
    if (!f) return NULL;
    for (uint32_t i = 0; i < f->narg; i++)
        in[i] = e->spec[i] ? mesh_parse(NULL, f->mesh, f->type[1 + i]->rank, e->spec[i]) : NULL;
    const run_plan *r = pipeline_plan(a, f, in, reproducible);
    CHECK(r, "%s: %s", e->what, pipeline_error());
    return r;
}

/* The results' bytes, one behind the other. */
static inline char *pairs_run(base_arena *a, const pairs_example *e, const mesh_layout *const *in, bool reproducible,
                              size_t *bytes)
{
    const ir_fn *f = ir_parse(a, "pairs", e->text);
    run_array *x[PIPELINE_MOST] = { 0 }, *y[PIPELINE_MOST] = { 0 };
    *bytes = 0;
    for (uint32_t j = 0; j < f->nret; j++)
        *bytes += (size_t)ir_count(f->type[f->ret[j]]) * ir_dtype_of(f->type[f->ret[j]]->dtype)->bytes;
    char *const got = base_new(a, *bytes + 1), *at = got;
    for (uint32_t i = 0; i < f->narg; i++)
        x[i] = run_array_of(pipeline_plain(f->type[1 + i]), in[i], pipeline_data(a, f->type[1 + i], 5 + i));
    const driver_opts o = { .flags = reproducible ? DRIVER_REPRODUCIBLE : 0 };
    CHECK(driver_run(f, &o, x, NULL, y), "%s: %s", e->what, pipeline_error());
    for (uint32_t j = 0; j < f->nret && y[j]; j++) {
        CHECK(run_read(y[j], NULL, NULL, at), "%s: %s", e->what, pipeline_error());
        at += (size_t)ir_count(f->type[f->ret[j]]) * ir_dtype_of(f->type[f->ret[j]]->dtype)->bytes;
        run_drop(y[j]);
    }
    for (uint32_t i = 0; i < f->narg; i++) run_drop(x[i]);
    driver_forget();
    return got;
}

static inline void pairs_check(const pairs_example *e, const pairs *is, bool reproducible)
{
    base_arena *a = base_open();
    const mesh_layout *in[PIPELINE_MOST] = { 0 };
    size_t n, same;
    const run_plan *r = pairs_plan(a, e, in, reproducible);
    if (r) {
        const char *const text = run_plan_text(a, r);
        CHECK(is->joined(text) == e->joined, "%s: %d joined, expected %d\n%s", e->what, is->joined(text), e->joined,
            text);
        const char *const got = pairs_run(a, e, in, reproducible, &n);
        base_switches(NULL, is->off);
        const run_plan *plain = pairs_plan(a, e, in, reproducible);
        const char *const want = pairs_run(a, e, in, reproducible, &same);
        base_switch_off(is->off);
        CHECK(n == same && !memcmp(got, want, n), "%s: other bits", e->what);
        CHECK(plain && is->joined(run_plan_text(a, plain)) == 0, "%s: joined where it is switched off", e->what);
        const int64_t with = run_plan_counts(r).arena_bytes, without = plain ? run_plan_counts(plain).arena_bytes : 0;
        CHECK(with <= without, "%s: %lld bytes, one after the other %lld", e->what, (long long)with,
            (long long)without);
    }
    base_close(a);
}

#endif
