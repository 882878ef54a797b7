/* driver/compile.c - the pipeline: simplify, decompose, partition, plan, bind. Straight calls, in one function.
 *
 * Passes, partitioning and planning allocate in one arena, which is closed here. The plan and kernels that the program
 * needs are in another, which the bound program takes over; if anything fails, including a nested allocation, both are
 * closed here. TUTTI=ir logs each function after each pass, TUTTI=plan each plan, TUTTI=hlo the traced function as
 * StableHLO text; with a name (ir:train) only that function. Eager calls, functions of one equation, are logged only by
 * name (ir:add).
 *
 * Longer than 400 lines: the steps share the state of one run, which no other file has. */
#include "inner.h"

#include "../hlo/hlo.h"
#include "../pass/pass.h"
#include "../plan/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const ir_fn *fn;
    const mesh *mesh;
    const driver_config *config;
    base_arena *a, *keep;                                /* arenas of the work and of the plan */
    const bool *read;                                    /* [narg + 1]: arguments that are read, by id */
    bool planned, done;                                  /* planned: make a plan too; done: nothing failed */
    bool asked;                                          /* a program that is compiled for what it needs, not to run */
    run_engine *engine; const char *text;                /* NULL: the embedded engine; its text */
    driver_constants constants;                          /* of the text, which are arguments */
    driver_lowered view;
} pipeline;

static void log_lines(const char *text)
{
    while (*text) {
        const char *end = strchr(text, '\n');
        const size_t n = end ? (size_t)(end - text) : strlen(text);
        base_log("%.*s", (int)n, text);
        text += n + (end != NULL);
    }
}

static bool compile_prints(const pipeline *r, const char *word)
{
    const char *name = base_switch(word);
    return name && (*name ? !strcmp(name, r->fn->name) : !r->config->eager);
}

static void show(const pipeline *r, const char *pass, const ir_fn *f)
{
    if (!compile_prints(r, "ir")) return;
    base_log("---- %s after %s", r->fn->name, pass);
    base_arena *a = base_open();                         /* texts may be long: their memory is freed at once */
    log_lines(ir_print(a, f));
    base_close(a);
}

/* True if a pass returned a function: a pass that breaks the function is a bug of ours. Verified completely if it is
 * logged. */
static bool well(const pipeline *r, const char *pass, const ir_fn *f)
{
    if (!f) return false;
    show(r, pass, f);
    return !compile_prints(r, "ir") || ir_verify(f);
}

static const mesh_layout *on(const mesh *m, const mesh_layout *l) { return l && l->mesh == m ? l : NULL; }

/* Logs what an engine's library says of the memory of a program that it has compiled: TUTTI=memory. */
static void needs_report(const pipeline *r, const run_program *p)
{
    if (!base_switch("memory") || r->config->eager || r->config->eager_piece) return;
    base_arena *a = base_open();
    log_lines(run_needs_text(a, r->engine, p, r->mesh, NULL));
    base_close(a);
}

static const char *needs(base_arena *, const pipeline *);

/* Logs the reports of a program before it runs: TUTTI=explain, TUTTI=memory. */
static void compile_report(const pipeline *r)
{
    const spmd_report *t = &r->view.report;
    int moving = 0;
    for (int i = 0; i < t->n; i++) moving += t->note[i].kind != SPMD_SLICE;
    const bool quiet = r->config->eager || r->config->eager_piece;
    if (r->asked) return;
    base_arena *a = base_open();
    if (base_switch("explain") && r->mesh && (moving || !quiet)) log_lines(driver_explain_text(a, &r->view));
    driver_lowered view = r->view;
    if (base_switch("memory") && view.plan && !quiet) {
        if (run_dry()) view.needs = needs(a, r);
        log_lines(driver_budget_text(a, &view));
    }
    base_close(a);
}

/* Logs the traced function as StableHLO for other compilers, with the layouts that it is called with. */
static void show_hlo(const pipeline *r, const ir_fn *f)
{
    if (!compile_prints(r, "hlo")) return;
    base_arena *a = base_open();
    const char *const text = hlo_write_with(a, f, &(hlo_borders){ r->config->in, r->config->out, r->config->donate,
        false, r->engine != NULL });
    base_log("// ---- %s", r->fn->name);
    if (text) log_lines(text);
    else base_log("// %s", base_failed()->what), base_clear_error();
    base_close(a);
}

/* The function that a pass returned for `before`, logged and verified if it is another one. NULL: the pass failed. */
static ir_fn *passed(const pipeline *r, const char *pass, const ir_fn *before, ir_fn *after)
{
    return after == before || well(r, pass, after) ? after : NULL;
}

/* The passes before partitioning, in order. */
static ir_fn *prepared(pipeline *r)
{
    const ir_fn *f = r->fn;
    if (f->mesh != r->mesh) f = pass_on_mesh(r->a, f, r->mesh);
    if (!f || !well(r, "tracing", f)) return NULL;
    show_hlo(r, f);
    ir_fn *const simple = pass_simplify(r->a, f), *g = well(r, "simplify", simple) ? simple : NULL;
    const bool each = r->config->flags & (DRIVER_REPRODUCIBLE | DRIVER_NAN | DRIVER_INF);  /* equations stay apart */
    if (g && !each) g = passed(r, "merge_slices", g, pass_merge_slices(r->a, g));
    if (g) g = passed(r, "scan_remat", g, pass_scan_remat(r->a, g));
    if (g) g = passed(r, "scan_sink", g, pass_scan_sink(r->a, g, r->config->in));
    if (g) g = passed(r, "decompose", g, pass_decompose(r->a, g));
    if (g) g = passed(r, "hoist", g, pass_hoist(r->a, g));
    if (g && g != simple) g = passed(r, "simplify", NULL, pass_simplify(r->a, g));
    return g;
}

/* Replaces "result 2" by the caller's name of the result. */
static void name(const pipeline *r, spmd_origin *o)
{
    unsigned i;
    if (o->cause && r->config->out_name && sscanf(o->cause, "result %u", &i) == 1 && i < r->fn->nret)
        o->cause = r->config->out_name[i];
}

static void name_all(pipeline *r)
{
    spmd_report *t = &r->view.report;
    spmd_note *n = BASE_NEW(r->a, spmd_note, t->n + 1);
    if (t->n) memcpy(n, t->note, (size_t)t->n * sizeof *n);
    for (int i = 0; i < t->n; i++) {
        spmd_origin why = { NULL, n[i].why };
        name(r, &n[i].to_origin);
        name(r, &why);
        n[i].why = why.cause;
    }
    t->note = n;
}

/* ---- donated arguments ---- */

/* Most bytes that a device holds of a value. */
static int64_t held(const ir_type *t, const mesh_layout *l)
{
    int64_t bytes = ir_dtype_of(t->dtype)->bytes;
    for (int d = 0; d < t->rank; d++) {
        const int64_t parts = l ? mesh_list_size(l->mesh, l->dim[d].atoms) : 1;
        bytes *= (t->dim[d] + parts - 1) / parts;
    }
    return bytes;
}

static const bool *donate_flags(const pipeline *r) { return r->config->donate ? r->config->donate : r->fn->donate; }

/* Matches donated arguments with results. As in JAX, each result in order takes the first donated argument that fits:
 * of its type on one device, of as many bytes on each of several. An argument that no result fits, or that nothing
 * reads, stays its owner's. */
static bool *given(pipeline *r, const ir_fn *before, const ir_fn *f)
{
    const bool *requested = donate_flags(r), one = !r->mesh || mesh_size(r->mesh) == 1;
    bool *read = BASE_NEW(r->a, bool, f->nvalue + before->nvalue + 1), *out = BASE_NEW(r->a, bool, f->narg + 1);
    for (uint32_t k = 0; k < before->neqn; k++)
        for (uint32_t i = 0; i < before->eqn[k].nin; i++) read[before->eqn[k].in[i]] = true;
    for (uint32_t j = 0; j < before->nret; j++) read[before->ret[j]] = true;
    r->read = read;
    for (uint32_t j = 0; requested && j < f->nret; j++)
        for (uint32_t i = 0; i < f->narg; i++) {
            const ir_id a = 1 + i, y = f->ret[j];
            if (!requested[i] || out[i] || !read[a]) continue;
            if (one ? f->type[a] != f->type[y]
                    : held(f->type[a], f->layout[a]) != held(f->type[y], f->layout[y])) continue;
            out[i] = true;
            break;
        }
    return out;
}

static bool partitioned(pipeline *r, ir_fn *g)
{
    const driver_config *o = r->config;
    const mesh_layout **out = BASE_NEW(r->a, const mesh_layout *, g->nret + 1);
    for (uint32_t j = 0; j < g->nret; j++) out[j] = on(r->mesh, o->out ? o->out[j] : NULL);
    g->layout = BASE_NEW(r->a, const mesh_layout *, g->nvalue + 1);
    for (uint32_t i = 0; i < g->narg; i++) g->layout[1 + i] = on(r->mesh, o->in ? o->in[i] : NULL);
    const bool apart = o->flags & DRIVER_PLANNED && run_engine_now();
    const spmd_opts opts = { .reproducible = o->flags & DRIVER_REPRODUCIBLE, .strict = o->strict, .apart = apart,
                             .even = r->engine || apart || o->flags & DRIVER_EVEN, .in_name = o->in_name,
                             .in_site = o->in_site, .machine = driver_machine(r->a, r->mesh) };
    g->donate = donate_flags(r);
    if (!driver_hosts_divide(r->mesh)) return false;
    ir_fn *f = spmd_partition(r->a, g, out, &opts, &r->view.report);
    if (f) f->donate = given(r, g, f);
    r->view.fn = f;
    if (f) name_all(r);
    return well(r, "partition", r->view.fn);
}

static const char *layout_text(const pipeline *r, const mesh_layout *l)
{
    return l ? base_format(r->a, "\"%s\"", mesh_print(r->a, l)) : "replicated";
}

/* Logs the result's spec, with a caret at the first dim whose layout differs from the argument's. */
static void show_other(const pipeline *r, const mesh_layout *other, const mesh_layout *has)
{
    const char *text = other ? mesh_print(r->a, other) : "_", *at = text;
    for (int d = 0; other && d < other->rank; d++) {
        if (other->dim[d].atoms != (has && has->mesh == other->mesh ? has->dim[d].atoms : 0)) break;
        const char *comma = strstr(at, ", ");
        if (!comma) break;
        at = comma + 2;
    }
    base_log("  %s", text);
    base_log("  %*s^", (int)(at - text), "");
}

/* Logs a note for each donated argument that no result can take, as JAX warns. */
static void donations(const pipeline *r)
{
    const ir_fn *f = r->view.fn;
    const run_plan *p = r->view.plan;
    const bool *requested = donate_flags(r);
    for (uint32_t i = 0; requested && i < f->narg; i++) {
        const mesh_layout *has = f->layout ? f->layout[1 + i] : NULL, *other = NULL;
        /* An unread scalar is no loss, and cannot be left out of a tree: an optimizer's rate beside a schedule. */
        const bool small = !r->read[1 + i] && f->type[1 + i]->rank == 0;
        bool fits = !requested[i] || small || (r->engine && f->donate[i]), typed = false, taken = false;
        for (uint32_t j = 0; j < f->nret && !fits; j++) {
            const mesh_layout *l = f->layout ? f->layout[f->ret[j]] : NULL;
            const bool same = f->type[f->ret[j]] == f->type[1 + i], alike = same && run_same_storage(l, has);
            fits = p->alias[j] == (int32_t)i || f->ret[j] == 1 + i || (alike && f->donate[i]);
            taken |= alike;
            if (same && !typed) typed = true, other = l;
        }
        if (fits) continue;
        const char *why = !typed              ? "no result has its type"
                          : !r->read[1 + i] ? "nothing reads it"
                          : taken           ? "another one is in the place of the result of its type"
                                            : base_format(r->a, "the result of its type is laid out as %s, it as %s",
                                                          layout_text(r, other), layout_text(r, has));
        const char *const name = r->config->in_name ? r->config->in_name[i] : base_format(r->a, "argument %u", i);
        base_log("note: donated %s of %s, %s, is not reused: %s", name, f->name, ir_type_text(r->a, f->type[1 + i]),
                 why);
        if (typed && !taken && r->read[1 + i]) show_other(r, other, has);
        if (r->config->site) base_log("  at   %s", r->config->site);
        base_log("  hint: %sleave it out of .donate",
                 typed && !taken && r->read[1 + i] ? "lay both out alike (.in, .out), or " : "");
    }
}

static run_plan *not_reproducible(const pipeline *r)
{
    base_fail(TT_EENGINE, r->config->site, "reproducible mode on %s, whose compiler chooses the order of sums",
              run_engine_platform(r->engine));
    return base_hint("tt_reproducible(0) switches the mode off; tt_engine(\"cpu\") computes on the embedded engine"),
        NULL;
}

static run_plan *not_watched(const pipeline *r)
{
    base_fail(TT_EENGINE, r->config->site, "TUTTI=%s on %s, whose programs do not show the results of their equations",
              r->config->flags & DRIVER_NAN ? "nan" : "inf", run_engine_platform(r->engine));
    return base_hint("tt_engine(\"cpu\") computes on the embedded engine, which looks for them"), NULL;
}

static run_plan *compile_plan_of(pipeline *r, const ir_fn *simple)
{
    const bool reproducible = r->config->flags & DRIVER_REPRODUCIBLE;
    const char *why = NULL;
    if (r->engine) {
        if (reproducible) return not_reproducible(r);
        if (r->config->flags & (DRIVER_NAN | DRIVER_INF)) return not_watched(r);
        if (!driver_there_types(r->engine, r->config->site, r->fn)) return NULL;
        if (r->config->flags & DRIVER_PLANNED)
            r->text = driver_there_planned(r->a, r->config->site, r->view.fn, &why);
        if (r->text && compile_prints(r, "hlo")) base_log("// ---- %s as planned", r->fn->name), log_lines(r->text);
        if (!r->text) r->text = driver_there_text(r->a, r->config->site, r->mesh, r->fn, r->view.fn, why);
        run_plan *const there = r->text ? driver_there_plan(r->a, r->keep, r->mesh, r->view.fn) : NULL;
        if (there) there->nhidden = r->constants.n;
        return there;
    }
    const bool watched = r->config->flags & (DRIVER_NAN | DRIVER_INF);       /* on the mesh that the program names */
    run_plan *p = watched ? NULL : driver_ensemble(r->a, r->keep, simple, r->view.fn->donate, reproducible);
    return p ? p : plan_make(r->a, r->keep, r->view.fn, reproducible);
}

static void drive(void *arg)
{
    pipeline *r = arg;
    if (!r->a) r->a = base_open(), r->keep = base_open_long();
    if (r->engine && !driver_constants_out(r->a, &r->fn, &r->config, &r->constants)) return;
    ir_fn *g = prepared(r);
    if (!g || !partitioned(r, g)) return;
    if (r->planned && !(r->view.plan = compile_plan_of(r, g))) return;
    if (r->planned) donations(r);
    r->done = true;
    compile_report(r);
    if (!r->planned || !compile_prints(r, "plan")) return;
    base_log("---- %s", r->fn->name);
    log_lines(run_plan_text(r->a, r->view.plan));
}

/* What the library of the engine in force says of the function's memory, which it compiles for that; NULL: there is no
 * such engine. */
static const char *needs(base_arena *a, const pipeline *of)
{
    run_engine *const e = run_engine_at(run_engine_number());        /* in a dry run too */
    pipeline r = { .fn = of->fn, .mesh = of->mesh, .config = of->config, .a = a, .keep = a, .planned = true,
        .engine = e, .asked = true };
    if (!e) return NULL;
    drive(&r);
    if (r.done) return run_needs_text(a, e, NULL, r.mesh, r.text);
    const char *const why = base_failed() ? base_failed()->what : "";
    const char *const said = base_format(a, "on %s it is an error: %s\n", run_engine_platform(e), why);
    base_clear_error();
    return said;
}

static bool unsaid(const pipeline *r, uint64_t before)
{
    return base_failures() > before || base_bug(NULL, "%s was not compiled, and no error says why", r->fn->name);
}

run_program *driver_pipeline(const ir_fn *fn, const mesh *m, const driver_config *config)
{
    pipeline r = { .fn = fn, .mesh = m, .config = config, .planned = true, .engine = run_engine_now() };
    const double start = base_seconds();
    const uint64_t before = base_failures();
    driver_name_met(fn->name, config->eager || config->eager_piece);
    run_program *p = run_engine_ok() && base_catch(drive, &r) && r.done ? run_bind(r.keep, r.view.plan) : NULL;
    if (p && r.engine && !run_compile_there(p, r.engine, r.text, r.constants.data)) {
        run_unbind(p);                                   /* closes the arena of the plan */
        p = NULL, r.keep = NULL;
    } else if (p && r.engine) needs_report(&r, p);
    if (!p) {
        base_close(r.keep);
        unsaid(&r, before);
    }
    base_close(r.a);
    const double took = base_seconds() - start;
    DRIVER_COUNT(compile_ns, (int64_t)(1e9 * took));
    if (p && run_profiling()) run_profile_compiled(took);
    return p;
}

driver_config driver_config_of(const driver_opts *o)
{
    const driver_opts none = { 0 };
    if (!o) o = &none;
    return (driver_config){ o->in, o->out, o->donate, driver_flags(o->flags), driver_strict(o->strict), o->in_name,
                        o->out_name, o->in_site, o->site, false, o->piece };
}

bool driver_lower(base_arena *a, const ir_fn *fn, const driver_opts *o, bool plan, driver_lowered *view)
{
    const driver_config config = driver_config_of(o);
    pipeline r = { .fn = fn, .mesh = driver_mesh(fn, fn->narg, config.in), .config = &config, .a = a, .keep = a,
        .planned = plan };
    const uint64_t before = base_failures();
    driver_name_met(fn->name, config.eager_piece);
    drive(&r);
    *view = r.view;
    if (r.done && plan) view->needs = needs(a, &r);
    return r.done || (unsaid(&r, before) && false);
}

const mesh *driver_mesh(const ir_fn *fn, uint32_t n, const mesh_layout *const *in)
{
    if (fn && fn->mesh) return fn->mesh;
    for (uint32_t i = 0; in && i < n; i++) if (in[i]) return in[i]->mesh;
    return NULL;
}

/* The flags by the switches; read again after a switch has changed. */
static uint32_t switched(void)
{
    enum { BITS = 7 };
    static const struct { const char *word; uint32_t flag; } of[] = {
        { "reproducible", DRIVER_REPRODUCIBLE }, { "even", DRIVER_EVEN }, { "bounds", DRIVER_BOUNDS },
        { "nan", DRIVER_NAN }, { "inf", DRIVER_INF }, { "dry", DRIVER_DRY }
    };
    static _Atomic uint64_t known;                       /* the count of changes; in the low bits the flags */
    const uint64_t now = base_switch_changes() + 1, was = atomic_load_explicit(&known, memory_order_relaxed);
    if (was >> BITS == now) return was & ((1 << BITS) - 1);
    uint64_t flags = 0;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) if (base_switch(of[i].word)) flags |= of[i].flag;
    const char *const form = base_switch("form");
    if (!form || !strcmp(form, "planned")) flags |= DRIVER_PLANNED;
    atomic_store_explicit(&known, now << BITS | flags, memory_order_relaxed);
    return (uint32_t)flags;
}

uint64_t driver_lines(const ir_fn *f, uint32_t flags)
{
    uint64_t h = 0;
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *const e = &f->eqn[k];
        if (flags & DRIVER_CHECKS || e->op->ordered) h = base_hash(h, &e->site, sizeof e->site);     /* interned */
        for (uint32_t i = 0; i < e->nsub; i++) {
            const uint64_t inner = driver_lines(e->sub[i], flags);
            if (inner) h = base_hash(h, &inner, sizeof inner);
        }
    }
    return h;
}

uint32_t driver_flags(uint32_t flags)
{
    return flags | switched() | (uint32_t)run_engine_number() << DRIVER_ENGINE_AT;
}

int64_t driver_strict(int64_t bytes)
{
    const char *s = bytes ? NULL : base_switch("strict");
    return s ? (*s ? strtoll(s, NULL, 10) : 1) : bytes < 0 ? 0 : bytes;
}
