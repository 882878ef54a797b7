/* fuzz/verdict.h - whether the partitioned program of a trial gives what the evaluator gives: compiled by the whole
 * pipeline, run, and compared element by element, with space for what the order of sums does to floats. */
#ifndef TUTTI_TESTS_FUZZ_VERDICT_H
#define TUTTI_TESTS_FUZZ_VERDICT_H

#include "driver/inner.h"
#include "trial.h"

/* ---- the pipeline ---- */

typedef struct { uint64_t row[256], kind[4], alone, moves, named, refused; } tally;   /* refused: see there.h */

static void count_prims(const ir_fn *f, tally *n)
{
    for (uint32_t k = 0; k < f->neqn; k++) {
        uint32_t r = 0;
        while (op_prims[r] && op_prims[r] != f->eqn[k].op) r++;
        if (r < 256) n->row[r]++;
        for (uint32_t s = 0; s < f->eqn[k].nsub; s++) count_prims(f->eqn[k].sub[s], n);
    }
}

static void count_cuts(const ir_fn *f, tally *n)
{
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *e = &f->eqn[k];
        op_rule *r;
        if (e->sharding && op_rule_of(e, &r))
            for (int i = 0; i < r->nfactor; i++)
                if (mesh_list_n(e->sharding->atoms[i]) || r->factor[i].kind == OP_NEED_REPLICATION)
                    n->kind[r->factor[i].kind]++;
        n->moves += e->op == &prim_reshard;
        for (uint32_t s = 0; s < e->nsub; s++) count_cuts(e->sub[s], n);
    }
}

typedef struct { const trial *t; base_arena *a; const run_plan *plan; tally *tally; bool again; } pipeline;

/* Without a mesh a program runs where its arguments are laid out. */
static const mesh_layout *here(const trial *t, const mesh_layout *l)
{
    return l && (!t->p.m || l->mesh == t->p.m) ? l : NULL;
}

/* Every text of a report can be read. */
static bool reads_well(base_arena *a, const spmd_report *r)
{
    base_text s = { .arena = a };
    for (int i = 0; i < r->n; i++) {
        const spmd_note *n = &r->note[i];
        const char *all[] = { n->site, n->why, n->from_origin.site, n->from_origin.cause, n->to_origin.site,
            n->to_origin.cause, n->fix };
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) base_appendf(&s, "%s", all[k] ? all[k] : "-");
        base_appendf(&s, "%s%s", mesh_print(a, n->from), mesh_print(a, n->to));
        if (n->kind > SPMD_MIXED || n->bytes < 0 || n->moved < 0 || !(n->seconds >= 0)) return false;
    }
    return true;
}

/* As driver/compile.c goes it; cut by the partitioner that cuts at random. */
static ir_fn *cut_at_random(pipeline *r, const mesh_layout *const *in)
{
    const trial *t = r->t;
    base_arena *a = r->a;
    const mesh *m = r->again ? t->other : t->p.m;
    ir_fn *f = pass_simplify(a, r->again ? pass_on_mesh(a, t->p.fn, m) : t->p.fn);
    if (f && !t->reproducible) f = pass_merge_slices(a, f);
    if (f) f = pass_scan_remat(a, f);
    if (f) f = pass_scan_sink(a, f, r->again ? NULL : in);
    if (f) f = pass_decompose(a, f);
    if (f) f = pass_hoist(a, f);
    if (f) f = pass_simplify(a, f);
    if (!f) return NULL;
    f->layout = BASE_NEW(a, const mesh_layout *, f->nvalue + 1);
    for (uint32_t i = 0; i < f->narg && !r->again; i++) f->layout[1 + i] = in[i];
    f = r->again ? fuzz_partition(a, f, NULL, true, t->again) : fuzz_partition(a, f, t->out, t->reproducible, t->cuts);
    if (f) f->donate = BASE_COPY(a, t->donated, f->narg);
    return f;
}

extern int64_t plan_chain_least, plan_columns_least, plan_epilogue_least, plan_producer_least, plan_prologue_least;
extern int64_t pass_scan_sink_least, run_segment_least, gen_chain_part, gen_parts_least;

/* Drawn values are small: chains, parts, prologues and the like would never be drawn if they had to be worth it. */
static void set_least(bool small)
{
    static int64_t *const least[] = { &plan_chain_least, &plan_columns_least, &plan_epilogue_least,
                                      &plan_producer_least, &plan_prologue_least, &pass_scan_sink_least,
                                      &run_segment_least, &gen_chain_part, &gen_parts_least };
    enum { LEASTS = sizeof least / sizeof *least };
    static int64_t usual[LEASTS];
    for (int k = 0; k < LEASTS; k++) {
        if (!usual[k]) usual[k] = *least[k];
        *least[k] = small ? 1 : usual[k];
    }
}

static void compile(void *arg)
{
    pipeline *r = arg;
    const trial *t = r->t;
    const mesh_layout *in[FUZZ_MOST];
    for (uint32_t i = 0; i < t->p.fn->narg; i++) in[i] = t->in[i] ? t->in[i] : here(t, t->layout[i]);
    r->a = base_open();
    set_least(t->small);
    if (r->again || t->cuts) {
        ir_fn *f = cut_at_random(r, in);
        if (!f || !ir_verify(f)) return;
        if (r->tally) count_cuts(f, r->tally);
        if (base_switch("ir")) puts(ir_print(r->a, f));
        r->plan = plan_make(r->a, r->a, f, t->reproducible);
    } else {
        driver_lowered view = { 0 };
        const uint32_t flags = (t->reproducible ? DRIVER_REPRODUCIBLE : 0) | (t->even ? DRIVER_EVEN : 0);
        if (!driver_lower(r->a, t->p.fn, &(driver_opts){ .in = in, .out = t->out, .donate = t->donated,
            .flags = flags },
                          true, &view)) return;
        if (!ir_verify(view.fn)) return;
        if (!reads_well(r->a, &view.report)) { base_bug(NULL, "a report that makes no sense"); return; }
        if (r->tally) count_cuts(view.fn, r->tally), r->tally->alone += view.plan->single_device;
        r->plan = view.plan;
    }
    if (base_switch("plan")) puts(run_plan_text(r->a, r->plan));
}

static run_program *program_of(const trial *t, tally *n, bool again)
{
    pipeline r = { .t = t, .tally = n, .again = again };
    run_program *p = base_catch(compile, &r) && r.plan ? run_bind(r.a, r.plan) : NULL;
    if (!p && r.a) base_close(r.a);
    return p;
}

static bool launch(const trial *t, bool again, run_program *p, run_array **y)
{
    const ir_fn *f = t->p.fn;
    run_array *x[FUZZ_MOST] = { 0 };
    base_arena *a = base_open();
    bool ok = true;
    for (uint32_t i = 0; i < f->narg; i++) {
        x[i] = run_array_of(f->type[1 + i], again ? NULL : t->layout[i], trial_data(a, t, i));
        ok &= x[i] != NULL;
    }
    ok = ok && run_launch(p, x, t->donated, y);
    for (uint32_t i = 0; i < f->narg; i++) if (!ok || !t->donated[i]) run_drop(x[i]);
    base_close(a);
    return ok;
}

/* ---- the verdict ---- */

static double epsilon(tt_dtype d)
{
    return d == TT_F64 || d == TT_C128 ? 1e-9 : d == TT_F32 || d == TT_C64 ? 2e-4 : 0.1;
}

/* Where one step of a narrow type is all that rounding does, few shakes may all miss it: before a result is called
 * wrong, there are many. */
enum { FEW = 8, MANY = 128, SPREADS = 32 };
typedef struct { int n; values of[MANY]; } shakes;

/* What rounding may do (see shake.h), in n shakes. Equal equations are one first: they are one in what is compiled. */
static const shakes *shaken_values(base_arena *a, const trial *t, const values *want, int n)
{
    shakes *s = BASE_NEW(a, shakes, 1);
    s->n = n;
    ir_fn *f = pass_simplify(a, t->p.fn);
    if (f) f = pass_decompose(a, f);
    if (f) f = pass_simplify(a, f);
    ir_fn *g = f ? shaken(a, f) : NULL;
    for (int k = 0; k < n; k++) {
        shake_seed = (uint64_t)k;
        if (!g || !evaluate(a, t, g, &s->of[k])) s->of[k] = *want;
    }
    base_clear_error();
    return s;
}

static double part(ir_num v, bool imaginary) { return imaginary ? v.c.im : v.f; }

/* A LOOSE element, or a part of it. A shake that is infinite or NaN where the others are not says that nothing can be
 * said. */
static bool near(const ir_type *type, uint32_t j, bool im, double got, double want, const shakes *s, const int64_t *at)
{
    double low = want, high = want;
    for (int k = 0; s && k < s->n; k++) {
        const ir_box b = ir_box_dense(s->of[k].at[j], type);
        const double v = part(ir_load(&b, at), im);
        if (isnan(v) != isnan(want) || isfinite(v) != isfinite(want) || (isinf(v) && v != want)) return true;
        low = fmin(low, v);
        high = fmax(high, v);
    }
    if (isnan(want) || isnan(got)) return isnan(got) && isnan(want);
    if (isinf(want) || isinf(got)) return got == want;
    return fabs(got - want) <= epsilon(type->dtype) * (1 + fabs(want)) + SPREADS * (high - low);
}

static bool close_enough(const trial *t, uint32_t j, bool im, double got, double want, const shakes *s,
                         const int64_t *at)
{
    const ir_type *type = t->p.fn->type[t->p.fn->ret[j]];
    if (got == want || (isnan(got) && isnan(want))) return true;
    return t->p.ret[j].kind == LOOSE && near(type, j, im, got, want, s, at);
}

static bool same_value(const trial *t, uint32_t j, ir_num got, ir_num want, const shakes *s, const int64_t *at)
{
    const ir_type *type = t->p.fn->type[t->p.fn->ret[j]];
    if (!is_float(type)) return got.u == want.u;
    if (is_complex(type) && !close_enough(t, j, true, got.c.im, want.c.im, s, at)) return false;
    return close_enough(t, j, false, got.f, want.f, s, at);
}

static const char *difference(base_arena *a, const trial *t, uint32_t j, const void *got, const void *want,
                              const shakes *shook)
{
    const ir_type *type = t->p.fn->type[t->p.fn->ret[j]];
    const ir_box g = ir_box_dense((void *)(uintptr_t)got, type), w = ir_box_dense((void *)(uintptr_t)want, type);
    int64_t at[IR_RANK];
    for (bool go = ir_first(&w, at); go; go = ir_next(&w, at)) {
        const ir_num x = ir_load(&g, at), y = ir_load(&w, at);
        if (same_value(t, j, x, y, shook, at)) continue;
        base_text s = { .arena = a };
        base_appendf(&s, "result %u at [", j);
        for (int d = 0; d < w.rank; d++) base_appendf(&s, "%s%lld", d ? "," : "", (long long)at[d]);
        if (is_complex(type)) base_appendf(&s, "] is %.9g %+.9gi instead of %.9g %+.9gi", x.f, x.c.im, y.f, y.c.im);
        else if (is_float(type)) base_appendf(&s, "] is %.9g instead of %.9g", x.f, y.f);
        else base_appendf(&s, "] is %lld instead of %lld", (long long)x.i, (long long)y.i);
        return s.s;
    }
    return NULL;
}

static verdict no_result(base_arena *a, const char **what)
{
    const base_error *e = base_failed();
    *what = base_format(a, "%s", e ? e->what : "no error was set");
    const verdict v = e && e->code == TT_EPLAN ? UNSURE : ERROR;
    base_clear_error();
    return v;
}

static uint64_t fuzz_digest;                             /* of the bytes of all results so far */

/* Results of the trial, or of its second run elsewhere; FINE: they are there. */
static verdict results(base_arena *a, const trial *t, tally *n, bool again, values *got, const char **what)
{
    const ir_fn *f = t->p.fn;
    run_array *y[FUZZ_MOST] = { 0 };
    run_program *p = program_of(t, n, again);
    verdict v = p && launch(t, again, p, y) ? FINE : no_result(a, what);
    for (uint32_t j = 0; v == FINE && j < f->nret; j++) {
        got->at[j] = base_new(a, (size_t)ir_bytes(f->type[f->ret[j]]) + 16);
        run_array *const whole = run_job_real() ? run_move(y[j], NULL, NULL) : run_keep(y[j]);
        if (!whole || !run_read(whole, NULL, NULL, got->at[j])) v = no_result(a, what);
        run_drop(whole);
        if (v == FINE) fuzz_digest = base_hash(fuzz_digest, got->at[j], (size_t)ir_bytes(f->type[f->ret[j]]));
    }
    for (uint32_t j = 0; j < f->nret; j++) run_drop(y[j]);
    run_unbind(p);
    return v;
}

static bool same_number(double a, double b) { return !memcmp(&a, &b, sizeof a) || (isnan(a) && isnan(b)); }

static verdict same_bits(base_arena *a, const trial *t, const values *got, const char **what)
{
    const ir_fn *f = t->p.fn;
    values other;
    const verdict v = results(a, t, NULL, true, &other, what);
    for (uint32_t j = 0; v == FINE && j < f->nret; j++) {
        const ir_type *type = f->type[f->ret[j]];
        const ir_box x = ir_box_dense(got->at[j], type), y = ir_box_dense(other.at[j], type);
        int64_t i[IR_RANK];
        for (bool go = ir_first(&x, i); go; go = ir_next(&x, i)) {
            const ir_num u = ir_load(&x, i), w = ir_load(&y, i);
            const bool im = !is_complex(type) || same_number(u.c.im, w.c.im);
            if (im && (is_float(type) ? same_number(u.f, w.f) : u.u == w.u)) continue;
            *what = base_format(a, "result %u has other bits on \"%s\": %.17g and %.17g, %llx and %llx", j,
                                mesh_text(a, t->other), u.f, w.f, (unsigned long long)u.u, (unsigned long long)w.u);
            return DIFFERS;
        }
    }
    return v;
}

/* what: an arena's text of what is wrong. */
static verdict judge_trial(base_arena *a, const trial *t, tally *n, const char **what)
{
    values want, got;
    const shakes *shook = NULL;
    *what = "";
    if (!evaluate(a, t, t->p.fn, &want)) return base_clear_error(), EMPTY;
    verdict v = results(a, t, n, false, &got, what);
    if (v != FINE) return v;
    for (uint32_t j = 0; j < t->p.fn->nret && v != DIFFERS; j++) {
        if (!difference(a, t, j, got.at[j], want.at[j], NULL)) continue;
        if (!shook) shook = shaken_values(a, t, &want, FEW);
        const char *bad = difference(a, t, j, got.at[j], want.at[j], shook);
        if (bad && shook->n < MANY) {
            shook = shaken_values(a, t, &want, MANY);
            bad = difference(a, t, j, got.at[j], want.at[j], shook);
        }
        v = bad ? DIFFERS : UNSURE;
        if (bad) *what = bad;
    }
    if (v != DIFFERS && t->other) {
        const verdict bits = same_bits(a, t, &got, what);
        if (bits != FINE) v = bits;
    }
    base_clear_error();
    return v;
}

#endif
