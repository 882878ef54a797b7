/* drive/compile.c - the road: simplify, decompose, partition, plan, bind. Straight calls, in one function.
 *
 * All that a program needs lies in one arena, which the bound program takes over; if anything fails, also an allocation
 * deep inside, the arena is closed here. TUTTI=ir says each function after each pass, TUTTI=plan each plan; with a name
 * behind (ir:train) only that function's. Eager calls, functions of one equation, are said only by name (ir:add). */
#include "inner.h"

#include "../pass/pass.h"
#include "../plan/plan.h"
#include "../spmd/spmd.h"

#include <string.h>

typedef struct {
    const ir_fn *fn;
    const mesh *mesh;
    const mesh_layout *const *in, *const *out;
    const bool *donate;
    uint32_t flags;
    bool eager;
    base_arena *a;
    run_plan *plan;
} road;

static void say_lines(const char *text)
{
    char line[1024];
    while (*text) {
        const char *end = strchr(text, '\n');
        const size_t n = end ? (size_t)(end - text) : strlen(text);
        const size_t m = n < sizeof line - 1 ? n : sizeof line - 1;
        memcpy(line, text, m);
        line[m] = 0;
        base_say("%s", line);
        text += n + (end != NULL);
    }
}

static bool wanted(const road *r, const char *word)
{
    const char *name = base_switch(word);
    return name && (*name ? !strcmp(name, r->fn->name) : !r->eager);
}

static void show(const road *r, const char *pass, const ir_fn *f)
{
    if (!wanted(r, "ir")) return;
    base_say("---- %s after %s", r->fn->name, pass);
    base_arena *a = base_open();                         /* printing may be long: its memory goes at once */
    say_lines(ir_print(a, f));
    base_close(a);
}

/* Each result must be a function: a pass that breaks it is our own mistake. Checked in full where it is shown. */
static bool well(const road *r, const char *pass, const ir_fn *f)
{
    if (!f) return false;
    show(r, pass, f);
    return !wanted(r, "ir") || ir_verify(f);
}

static const mesh_layout *on(const mesh *m, const mesh_layout *l) { return l && l->mesh == m ? l : NULL; }

static void drive(void *arg)
{
    road *r = arg;
    const ir_fn *f = r->fn;
    const bool reproducible = r->flags & DRIVE_REPRODUCIBLE;
    r->a = base_open();
    if (f->mesh != r->mesh) f = pass_on_mesh(r->a, f, r->mesh);
    if (!f || !well(r, "tracing", f)) return;
    ir_fn *g = pass_simplify(r->a, f), *h = g ? pass_decompose(r->a, g) : NULL;
    if (!well(r, "simplify", g) || (h != g && !well(r, "decompose", h))) return;
    f = pass_hoist(r->a, h);
    if (f != h && !well(r, "hoist", f)) return;
    if (f != g && !well(r, "simplify", g = pass_simplify(r->a, f))) return;

    const mesh_layout **out = BASE_NEW(r->a, const mesh_layout *, g->nret + 1);
    for (uint32_t j = 0; j < g->nret; j++) out[j] = on(r->mesh, r->out ? r->out[j] : NULL);
    g->layout = BASE_NEW(r->a, const mesh_layout *, g->nvalue + 1);
    for (uint32_t i = 0; i < g->narg; i++) g->layout[1 + i] = on(r->mesh, r->in ? r->in[i] : NULL);
    if (r->donate) g->donate = BASE_COPY(r->a, r->donate, g->narg);
    f = spmd_partition(r->a, g, out, &(spmd_opts){ .reproducible = reproducible }, NULL);
    if (!well(r, "partition", f)) return;
    r->plan = plan_make(r->a, f, reproducible);
    if (!r->plan || !wanted(r, "plan")) return;
    base_say("---- %s", r->fn->name);
    say_lines(run_plan_text(r->a, r->plan));
}

run_program *drive_road(const ir_fn *fn, const mesh *m, const mesh_layout *const *in, const mesh_layout *const *out,
                        const bool *donate, uint32_t flags, bool eager)
{
    road r = { fn, m, in, out, donate, flags, eager, NULL, NULL };
    const double start = base_seconds();
    const uint64_t before = base_failures();
    run_program *p = base_catch(drive, &r) && r.plan ? run_bind(r.a, r.plan) : NULL;
    if (!p) {
        if (r.a) base_close(r.a);
        if (base_failures() == before) base_bug(NULL, "%s was not compiled, and no error says why", fn->name);
    }
    drive_counted.compile_s += base_seconds() - start;
    return p;
}

const mesh *drive_mesh(const ir_fn *fn, uint32_t n, const mesh_layout *const *in)
{
    if (fn && fn->mesh) return fn->mesh;
    for (uint32_t i = 0; in && i < n; i++) if (in[i]) return in[i]->mesh;
    return NULL;
}

uint32_t drive_flags(uint32_t flags) { return base_switch("reproducible") ? flags | DRIVE_REPRODUCIBLE : flags; }
