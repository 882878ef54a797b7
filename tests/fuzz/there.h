/* fuzz/there.h - whether a trial gives on the devices of a PJRT library what the evaluator gives: in the planned form
 * and in the global one, beside the embedded engine. Arguments that are not given away, and those that are while
 * somebody else holds them, have their elements afterwards; one of another engine is an error that harms nothing.
 *
 * Another compiler contracts products and sums, has its own exponentials and keeps more digits than a narrow type has,
 * so what was computed in floats is LOOSE there but for whole numbers (fuzz_elsewhere, in facts.h and shake.h). */
#ifndef TUTTI_TESTS_FUZZ_THERE_H
#define TUTTI_TESTS_FUZZ_THERE_H

#include "run/there.h"
#include "verdict.h"

#include <tutti.h>

static int there_number;                                 /* of the engine; 0: not open */

/* Opens the library; word: "pjrt:FILE". A process that has opened it must not fork. */
static bool there_open(const char *word)
{
    if (!there_number && tt_engine(word)) there_number = run_engine_number();
    if (!there_number) printf("FAIL the engine: %s\n", tt_error());
    return there_number > 0;
}

/* True if the error is of those that pjrt.md promises: uneven parts in the global form, in which a function without a
 * planned form runs too; elements that the library does not have. */
static bool there_is_lacking(void)
{
    const base_error *const e = base_failed();
    return e && (strstr(e->what, "has no elements of type") || strstr(e->what, "which do not divide into"));
}

typedef struct { run_array *x[FUZZ_MOST], *kept[FUZZ_MOST], *y[FUZZ_MOST]; } there_arrays;

static bool there_arguments(base_arena *a, const trial *t, there_arrays *v)
{
    const ir_fn *const f = t->p.fn;
    for (uint32_t i = 0; i < f->narg; i++) {
        v->x[i] = run_array_of(f->type[1 + i], t->layout[i], trial_data(a, t, i));
        if (!v->x[i]) return false;
        if (!t->donated[i] || (t->data >> i & 1)) v->kept[i] = run_keep(v->x[i]);
    }
    return true;
}

/* A launch with an argument that is elsewhere. */
static bool there_wrong(base_arena *a, const trial *t, run_program *p, const there_arrays *v, const char **what)
{
    const ir_fn *const f = t->p.fn;
    run_array *x[FUZZ_MOST], *y[FUZZ_MOST];
    const uint32_t i = (uint32_t)(t->data % f->narg);
    if (!f->type[1 + i]->rank) return true;
    memcpy(x, v->x, sizeof x);
    run_engine_use(0);
    x[i] = run_array_of(f->type[1 + i], t->layout[i], trial_data(a, t, i));
    run_engine_use(there_number);
    if (!x[i]) return false;
    const bool taken = run_launch(p, x, NULL, y);
    const bool said = base_failed() && strstr(base_failed()->what, "embedded engine");
    if (!said) *what = base_format(a, "an argument of another engine: %s", taken ? "no error" : base_failed()->what);
    if (taken) run_drop_all((int)f->nret, y);
    run_drop(x[i]);
    base_clear_error();
    return said;
}

/* What was kept is as it was. */
static const char *there_changed(base_arena *a, const trial *t, const there_arrays *v)
{
    const ir_fn *const f = t->p.fn;
    for (uint32_t i = 0; i < f->narg; i++) {
        const ir_type *const type = f->type[1 + i];
        void *const now = base_new(a, (size_t)ir_bytes(type) + 16);
        if (!v->kept[i]) continue;
        if (!run_read(v->kept[i], NULL, NULL, now)) return base_format(a, "argument %u cannot be read", i);
        if (memcmp(now, trial_data(a, t, i), (size_t)ir_bytes(type)))
            return base_format(a, "argument %u has other elements after the call", i);
    }
    return NULL;
}

static verdict there_read(base_arena *a, const trial *t, there_arrays *v, values *got, const char **what)
{
    const ir_fn *const f = t->p.fn;
    for (uint32_t j = 0; j < f->nret; j++) {
        const ir_type *const type = f->type[f->ret[j]];
        got->at[j] = base_new(a, (size_t)ir_bytes(type) + 16);
        if (!run_same_type(v->y[j], type)) return *what = base_format(a, "result %u has another type", j), DIFFERS;
        if (!run_read(v->y[j], NULL, NULL, got->at[j])) return no_result(a, what);
    }
    *what = there_changed(a, t, v);
    return *what ? DIFFERS : FINE;
}

static run_program *there_program(const trial *t)
{
    const mesh_layout *in[FUZZ_MOST];
    for (uint32_t i = 0; i < t->p.fn->narg; i++) in[i] = t->in[i] ? t->in[i] : here(t, t->layout[i]);
    return driver_compile(t->p.fn, &(driver_opts){ .in = in, .out = t->out, .donate = t->donated, .once = true,
                                                   .flags = t->even ? DRIVER_EVEN : 0 });
}

/* Results in one of the forms; EMPTY: it is refused for what the form or the library lacks. */
static verdict there_results(base_arena *a, const trial *t, tally *n, bool global, values *got, const char **what)
{
    const ir_fn *const f = t->p.fn;
    there_arrays v = { 0 };
    base_switches(NULL, global ? "form:global" : "form:planned");
    run_program *const p = there_program(t);
    bool ok = p && there_arguments(a, t, &v);
    const bool wrong = ok && f->narg && t->data % 4 == 0 && !there_wrong(a, t, p, &v, what);
    const bool launched = ok && !wrong && run_launch(p, v.x, t->donated, v.y);
    verdict r = wrong ? DIFFERS : FINE;
    if (!launched && !wrong) {
        r = there_is_lacking() ? EMPTY : no_result(a, what);
        if (n) n->refused += r == EMPTY;
        base_clear_error();
    } else if (launched) r = there_read(a, t, &v, got, what);
    for (uint32_t i = 0; i < f->narg; i++) {
        if (!launched || !t->donated[i]) run_drop(v.x[i]);
        run_drop(v.kept[i]);
    }
    run_drop_all((int)f->nret, v.y);
    driver_release_program(p);
    return r;
}

typedef struct { const values *want; const shakes *shook; } there_truth;

static verdict there_compared(base_arena *a, const trial *t, const values *got, there_truth *k, const char **what)
{
    verdict v = FINE;
    for (uint32_t j = 0; j < t->p.fn->nret; j++) {
        if (!difference(a, t, j, got->at[j], k->want->at[j], NULL)) continue;
        for (int n = FEW; n <= MANY; n = n < MANY ? MANY : n + 1) {
            if (!k->shook || k->shook->n < n) k->shook = shaken_values(a, t, k->want, n);
            if (!(*what = difference(a, t, j, got->at[j], k->want->at[j], k->shook))) break;
        }
        if (*what) return DIFFERS;
        v = UNSURE;
    }
    return v;
}

/* what: an arena's text of what is wrong. */
static verdict judge_there(base_arena *a, const trial *t, tally *n, const char **what)
{
    static const char *const name[] = { "the embedded engine", "as planned", "global" };
    values want, got;
    there_truth k = { &want, NULL };
    verdict worst = EMPTY;
    *what = "";
    if (!evaluate(a, t, t->p.fn, &want)) return base_clear_error(), EMPTY;
    for (int way = 0; way < 3; way++) {
        run_engine_use(way ? there_number : 0);
        verdict v = way ? there_results(a, t, n, way == 2, &got, what) : results(a, t, n, false, &got, what);
        if (v == FINE) v = there_compared(a, t, &got, &k, what);
        if (v == EMPTY) continue;
        if (v > UNSURE) *what = base_format(a, "%s: %s", name[way], *what);
        if (v > UNSURE) return base_clear_error(), v;
        worst = v > worst || worst == EMPTY ? v : worst;
    }
    return base_clear_error(), worst;
}

#endif
