/* api/explain.c - tt_explain and tt_plan: what a function does before it runs. */
#include "api.h"

#include <string.h>

typedef struct {
    const char *site; tt_fn f; const tt_val *args; bool plan;
    base_arena *a;                                       /* of the result; the scope owns it */
    const tt_report *report; const tt_budget *budget;
} asking;

static const char *explain_text(const char *s) { return s ? s : ""; }

static tt_exchange explain_exchange(base_arena *a, const spmd_note *n)
{
    return (tt_exchange){
        .kind = spmd_kind_name[n->kind], .axes = mesh_set_text(a, n->from->mesh, n->over),
        .site = explain_text(n->site), .why = explain_text(n->why),
        .from = mesh_print(a, n->from), .to = mesh_print(a, n->to), .bytes = n->bytes, .moved = n->moved,
        .times = n->times, .seconds = n->seconds, .requested = n->requested,
            .from_cause = explain_text(n->from_origin.cause),
        .from_site = explain_text(n->from_origin.site), .to_cause = explain_text(n->to_origin.cause),
            .to_site = explain_text(n->to_origin.site),
        .fix = explain_text(n->fix), .between = n->between, .between_seconds = n->between_seconds,
    };
}

static const tt_report *report_of(base_arena *a, const driver_lowered *v)
{
    tt_report *r = BASE_NEW(a, tt_report, 1);
    tt_exchange *x = BASE_NEW(a, tt_exchange, v->report.n + 1);
    for (int i = 0; i < v->report.n; i++) {
        const spmd_note *n = &v->report.note[i];
        const double times = n->times > 0 ? (double)n->times : 1;
        x[i] = explain_exchange(a, n);
        if (n->kind == SPMD_SLICE) continue;
        r->moved += (double)n->moved * times;
        r->seconds += n->seconds * times;
        r->between += (double)n->between * times;
        r->between_seconds += n->between_seconds * times;
    }
    r->n = v->report.n;
    r->at = x;
    r->text = driver_explain_text(a, v);
    return r;
}

static const tt_budget *budget_of(base_arena *a, const driver_lowered *v)
{
    tt_budget *b = BASE_NEW(a, tt_budget, 1);
    run_memory m;
    run_memory_of(a, v->plan, &m);
    tt_line_bytes *line = BASE_NEW(a, tt_line_bytes, m.nline + 1);
    for (int i = 0; i < m.nline; i++)
        line[i] = (tt_line_bytes){ m.line[i].site ? m.line[i].site : m.line[i].name, m.line[i].bytes };
    *b = (tt_budget){ v->fn->mesh ? mesh_size(v->fn->mesh) : 1, m.arguments, m.results, m.reused, m.constants, m.arena,
                      m.peak, m.nline, line, report_of(a, v), driver_budget_text(a, v) };
    return b;
}

static void free_arena(void *a) { base_close(a); }

static void explain_run(void *p)
{
    asking *q = p;
    const base_site site = trace_site(q->site);
    const int n = api_list(site, "a call", q->args);
    if (n < 0) return;
    trace_value **x = BASE_NEW(trace_temp(), trace_value *, n + 1);
    trace_fn *f = trace_fn_get(site, q->f);
    driver_lowered v;
    for (int i = 0; f && i < n; i++) if (!(x[i] = trace_get(site, q->args[i]))) return;
    if (!f) return;
    base_arena *a = base_open();
    trace_own(a, free_arena);
    if (!trace_lower(site, f, n, x, q->plan ? "plan" : "explanation", q->plan, a, &v)) return;
    if (q->plan) q->budget = budget_of(a, &v);
    else q->report = report_of(a, &v);
}

static const tt_report no_report = { .text = "" };        /* the result of a failed call, which a program may read */
static const tt_budget no_budget = { .report = &no_report, .text = "" };

const tt_report *tt_explain_at(const char *site, tt_fn f, const tt_val *args)
{
    asking q = { .site = site, .f = f, .args = args, .report = &no_report };
    api_enter(explain_run, &q);
    return q.report;
}

const tt_budget *tt_plan_at(const char *site, tt_fn f, const tt_val *args)
{
    asking q = { .site = site, .f = f, .args = args, .plan = true, .budget = &no_budget };
    api_enter(explain_run, &q);
    return q.budget;
}

ENTRY2(int, 0, api_exchanges, const tt_report *, r, const char *, kind)
{
    int n = 0, k = 0;
    base_text all = { .arena = trace_temp() };
    for (; kind && spmd_kind_name[k] && strcmp(kind, spmd_kind_name[k]); k++)
        base_appendf(&all, "%s%s", k ? ", " : "", spmd_kind_name[k]);
    if (kind && !spmd_kind_name[k]) {
        base_fail(TT_EARG, site, "tt_exchanges: no exchange is called \"%s\"", kind);
        return base_hint_choices("the kinds are", kind, -1, all.s), 0;
    }
    for (int i = 0; r && i < r->n; i++)
        n += kind ? !strcmp(r->at[i].kind, kind) : strcmp(r->at[i].kind, spmd_kind_name[SPMD_SLICE]) != 0;
    return n;
}
int tt_exchanges(const tt_report *r, const char *kind) { return api_exchanges_at(NULL, r, kind); }
