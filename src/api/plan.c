/* api/plan.c - functions as text: IR and plans, without running them; the machine's capabilities. */
#include "api.h"

#include "../base/machine.h"
#include "../gen/gen.h"
#include "../wire/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static trace_value **args_of(base_site site, const tt_val *v, int *n)
{
    if ((*n = api_list(site, "a call", v)) < 0) return NULL;
    trace_value **x = BASE_NEW(trace_temp(), trace_value *, *n + 1);
    for (int i = 0; i < *n; i++) if (!(x[i] = trace_get(site, v[i]))) return NULL;
    return x;
}

typedef struct {
    const char *site;
    tt_fn f;
    const tt_val *args;
    tt_plan_counts *counts;
    const char *text;
    bool ok;
    int what;
} asking;
enum { PLAN, COUNT, IR };

typedef struct { const char *site; tt_fn f; const tt_val *args; const char *jax, *text; } exporting;

enum { OLDEST = 4, NEWEST = 12 };
/* "0.12" or "0.12.1", as number 12; before 0.12 all texts are equal. -1 with the error set. */
static int version(base_site site, const char *jax)
{
    int part[3] = { 0 }, n = 0;
    if (!jax) return 0;
    for (const char *p = jax; n < 3; p++) {
        const size_t digits = strspn(p, "0123456789");
        if (!digits || digits > 4) break;
        part[n++] = atoi(p);
        p += digits;
        if (*p != '.') {
            if (!*p && n > 1 && !part[0] && part[1] >= OLDEST && part[1] <= NEWEST) return part[1];
            break;
        }
    }
    base_fail(TT_EARG, site, "tt_export_for: \"%s\" is no version of JAX that is known: 0.%d to 0.%d", jax, OLDEST,
              NEWEST);
    base_hint("write \"0.12\" or \"0.12.1\", or NULL for what every version reads");
    return -1;
}

static void export(void *p)
{
    exporting *const q = p;
    const base_site site = trace_site(q->site);
    int n;
    trace_fn *const f = trace_fn_get(site, q->f);
    const int jax = f ? version(site, q->jax) : -1;
    trace_value **const x = jax >= 0 ? args_of(site, q->args, &n) : NULL;
    const char *const s = x ? trace_export(site, f, n, x, jax >= 12) : NULL;
    if (s) q->text = api_keep_text(s);
}

const char *tt_export_at(const char *site, tt_fn f, const tt_val *args)
{
    return tt_export_for_at(site, NULL, f, args);
}

const char *tt_export_for_at(const char *site, const char *jax, tt_fn f, const tt_val *args)
{
    exporting q = { site, f, args, jax, "" };
    api_enter(export, &q);
    return q.text;
}

static void plan_run(void *p)
{
    asking *q = p;
    const base_site site = trace_site(q->site);
    int n;
    trace_fn *f = trace_fn_get(site, q->f);
    trace_value **x = f ? args_of(site, q->args, &n) : NULL;
    if (!x) return;
    if (q->what == IR) {
        const char *s = trace_ir_text(site, f, n, x);
        q->text = s ? api_keep_text(s) : "";
        return;
    }
    double trace_s = 0, compile_s = 0;
    run_program *program = trace_program(site, f, n, x, &trace_s, &compile_s);
    if (!program) return;
    q->ok = true;
    if (q->what == PLAN) {
        const char *text = run_plan_text(trace_temp(), run_plan_of(program));
        driver_release_program(program);
        q->text = api_keep_text(text);
        return;
    }
    const run_counts c = run_plan_counts(run_plan_of(program));
    *q->counts = (tt_plan_counts){ c.kernels,     c.distinct, c.exchanges, c.exchange_bytes,
                                   c.arena_bytes, c.steps,    trace_s,     compile_s };
    driver_release_program(program);
}

const char *tt_plan_text(const char *site, tt_fn f, const tt_val *args)
{
    asking q = { .site = site, .f = f, .args = args, .text = "", .what = PLAN };
    api_enter(plan_run, &q);
    return q.text;
}

bool tt_plan_count(const char *site, tt_fn f, const tt_val *args, tt_plan_counts *out)
{
    TT_ENTRY(site);
    asking q = { .site = site, .f = f, .args = args, .counts = out, .what = COUNT };
    if (!out) return tt_fail_at(site, TT_EARG, "tt_plan_count: the counts to fill are NULL"), false;
    *out = (tt_plan_counts){ 0 };
    api_enter(plan_run, &q);
    return q.ok;
}

const char *tt_ir_text(const char *site, tt_fn f, const tt_val *args)
{
    asking q = { .site = site, .f = f, .args = args, .text = "", .what = IR };
    api_enter(plan_run, &q);
    return q.text;
}

static void doctor(void *p)
{
    base_text t = { .arena = trace_temp() };
    base_appendf(&t, "machine\n  cores        %ld, %d workers\n", sysconf(_SC_NPROCESSORS_ONLN), run_workers());
    base_appendf(&t, "  instructions %s\n", gen_isa_report(trace_temp()));
    base_appendf(&t, "  caches       %s\n", base_machine_report(trace_temp()));
    base_appendf(&t, "  devices      %lld, of one process\n", (long long)trace_device_count());
    base_appendf(&t, "engines\n"
                 "  own          tile interpreter, contractions, convolutions, reductions, moves, sorts, "
                 "random bits\n");
    base_appendf(&t, "  plug-ins     %s\n", gen_plugin_report(trace_temp()));
    base_text ranks = { .arena = trace_temp() };
    wire_plugin *enter;
    wire_find(&ranks, &enter);
    base_appendf(&t, "               %s\n", ranks.s);
    base_appendf(&t, "  pjrt         %s\n", run_engine_report(trace_temp()));
    *(const char **)p = api_keep_text(t.s);
}

const char *tt_doctor(void)
{
    const char *s = "";
    api_enter(doctor, &s);
    return s;
}
