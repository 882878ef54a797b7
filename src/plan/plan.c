/* plan/plan.c - lowers a partitioned function to a plan, stage by stage. */
#include "inner.h"

#include <stdlib.h>

/* Chooses where each result is stored: a returned argument or constant is shared; any other result gets a buffer of its
 * own, which the step that computes the result writes directly if live.c can arrange that. */
static void plan_results(plan_flat *f)
{
    for (uint32_t j = 0; j < f->fn->nret; j++) {
        const plan_value x = f->value[f->ret[j]];
        const ir_id r = f->fn->ret[j];
        f->result[j] = f->ret[j];
        if (x.base == f->ret[j] && !x.def) continue;
        f->result[j] = plan_new(f, x.dtype, x.rank, x.dim, f->fn->layout ? f->fn->layout[r] : NULL, 0);
        plan_copy(f, &f->main, NULL, f->ret[j], f->result[j]);
        plan_item *t = f->main.item[f->main.n - 1];
        t->name = base_intern("result");
        t->site = x.def ? x.def->site : NULL;
    }
}

/* Creates the buffers, and places those of arguments, constants and results. */
static void plan_buffers(plan_flat *f)
{
    f->buffer = BASE_NEW(f->a, plan_buffer, f->nvalue + 1);
    for (uint32_t i = 0; i < f->fn->narg; i++)
        f->buffer[f->arg[i]] = (plan_buffer){ .space = RUN_ARG, .at = i };
    for (const plan_const *k = f->consts; k; k = k->next) f->buffer[k->value].space = RUN_CONST;
    for (uint32_t j = 0; j < f->fn->nret; j++)
        if (f->value[f->result[j]].def) f->buffer[f->result[j]] = (plan_buffer){ .space = RUN_RESULT, .at = j };
}

/* N of TUTTI=ref-after:N. */
static uint32_t ref_after(void)
{
    const char *const text = base_switch("ref-after");
    const unsigned long long n = text ? strtoull(text, NULL, 10) : UINT32_MAX;
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static run_plan *plan_build(base_arena *a, base_arena *keep, const ir_fn *fn, bool reproducible,
                            bool single_device)
{
    const uint64_t before = base_failures();
    plan_flat *f = BASE_NEW(a, plan_flat, 1);
    f->a = a, f->keep = keep, f->fn = fn, f->mesh = fn->mesh;
    f->reproducible = reproducible, f->single_device = single_device;
    f->near = single_device ? (mesh_set)~0u : run_near(fn->mesh);
    f->ref_after = ref_after();
    f->looked_at = base_switch("nan") || base_switch("inf");
    f->unfused = f->looked_at || base_switch("ref");
    f->arg = BASE_NEW(a, plan_id, fn->narg + 1);
    f->ret = BASE_NEW(a, plan_id, fn->nret + 1);
    f->result = BASE_NEW(a, plan_id, fn->nret + 1);
    f->alias = BASE_NEW(a, int32_t, fn->nret + 1);
    for (uint32_t i = 0; i < fn->narg; i++) {
        const ir_type *t = fn->type[1 + i];
        f->arg[i] = plan_new(f, t->dtype, t->rank, t->dim, fn->layout ? fn->layout[1 + i] : NULL, 0);
    }
    if (!plan_walk(f, &f->main, fn, f->arg, f->ret)) return NULL;
    if (!reproducible && !f->unfused) plan_sums(f);
    plan_rank_sums(f);
    plan_results(f);
    if (!plan_fuse(f) || !plan_kernels(f, &f->main)) return NULL;
    if (!f->looked_at) plan_order(f);
    plan_chain(f, &f->main);
    plan_epilogue(f, &f->main);
    plan_prologue(f, &f->main);
    plan_number_kernels(f);
    plan_buffers(f);
    if (!plan_live(f)) return NULL;
    plan_memory(f);
    return base_failures() == before ? plan_emit(f) : NULL; /* fails on a size beyond any memory */
}

run_plan *plan_make(base_arena *a, base_arena *keep, const ir_fn *fn, bool reproducible)
{
    return plan_build(a, keep, fn, reproducible, false);
}

run_plan *plan_single_device(base_arena *a, base_arena *keep, const ir_fn *fn, bool reproducible)
{
    return plan_build(a, keep, fn, reproducible, true);
}
