/* fuzz/trial.h - a program with layouts and data, and its text, which a file of cases can hold. */
#ifndef TUTTI_TESTS_FUZZ_TRIAL_H
#define TUTTI_TESTS_FUZZ_TRIAL_H

#include "cuts.h"
#include "pass/pass.h"
#include "plan/plan.h"
#include "programs.h"
#include "shake.h"

typedef struct {
    program p;
    const mesh_layout *layout[FUZZ_MOST], *in[FUZZ_MOST], *out[FUZZ_MOST];     /* NULL: replicated; not given; any */
    uint64_t data;
    bool donated[FUZZ_MOST], reproducible, even;
    bool small;                                          /* the least sizes of what is done in parts are not asked */
    uint32_t cuts;                                       /* 0: the library's partitioner; else cut at random, by it */
    const mesh *other; uint32_t again;                   /* reproducible: the same bits there, with cuts by this seed */
} trial;

typedef enum { FINE, EMPTY, UNSURE, ERROR, DIFFERS, CRASHES } verdict;
static const char *const verdict_name[] = { "fine", "empty", "unsure", "error", "differs", "crashes" };

static bool some_trial(trial *t, base_arena *a)
{
    *t = (trial){ 0 };
    const uint32_t way = pick(4);
    if (!some_program(&t->p, a)) return false;
    const ir_fn *f = t->p.fn;
    const mesh *const m = t->p.m ? t->p.m : pick(2) ? some_mesh() : NULL;
    char all[24];
    snprintf(all, sizeof all, "q:%lld", m ? (long long)mesh_size(m) : 1);
    t->cuts = way || !t->p.m ? 0 : 1 + pick(1 << 20);
    t->data = pick(1 << 20);
    const bool gives = once_in(3);
    for (uint32_t i = 0; i < f->narg && gives; i++) t->donated[i] = pick(2);
    t->even = once_in(6);
    t->small = pick(2);
    t->reproducible = once_in(6);
    if (t->reproducible) {
        t->again = 1 + pick(1 << 20);
        t->other = t->p.region ? t->p.m : some_mesh();
    }
    for (uint32_t i = 0; i < f->narg && m; i++) {
        const int rank = f->type[1 + i]->rank;
        if (pick(3)) t->layout[i] = some_layout(m, rank, 0, false);
        if (!t->p.m) continue;
        if (once_in(8)) t->layout[i] = some_layout(mesh_of(NULL, all), rank, 0, false);
        const bool same_layout = pick(2) && t->layout[i] && t->layout[i]->mesh == t->p.m;
        t->in[i] = once_in(3) ? some_layout(t->p.m, rank, 0, true) : same_layout ? t->layout[i] : NULL;
    }
    for (uint32_t j = 0; j < f->nret && t->p.m; j++)
        if (once_in(3)) t->out[j] = some_layout(t->p.m, f->type[f->ret[j]]->rank, 0, false);
    return true;
}

/* ---- text ---- */

static const char *trial_text(base_arena *a, const trial *t)
{
    static const char *const kinds[] = { "loose", "sure", "whole" };
    base_text s = { .arena = a };
    ir_fn f = *t->p.fn;
    base_appendf(&s, "data %llu%s", (unsigned long long)t->data, t->p.traps ? " traps" : "");
    if (t->even) base_appendf(&s, " even");
    if (t->small) base_appendf(&s, " small");
    if (t->reproducible) base_appendf(&s, " reproducible");
    if (t->cuts) base_appendf(&s, " cuts %u", t->cuts);
    if (t->other) base_appendf(&s, " again %u \"%s\"", t->again, mesh_text(a, t->other));
    for (uint32_t i = 0; i < f.narg; i++) {
        base_appendf(&s, "\narg %u %s%s", i, kinds[t->p.arg[i].kind], t->donated[i] ? " donated" : "");
        if (t->layout[i]) base_appendf(&s, " is laid out \"%s\"", mesh_print(a, t->layout[i]));
        if (t->layout[i] && t->layout[i]->mesh != t->p.m)
            base_appendf(&s, " on \"%s\"", mesh_text(a, t->layout[i]->mesh));
    }
    for (uint32_t j = 0; j < f.nret; j++) {
        base_appendf(&s, "\nret %u %s", j, kinds[t->p.ret[j].kind]);
        if (t->out[j]) base_appendf(&s, " wants \"%s\"", mesh_print(a, t->out[j]));
    }
    const mesh_layout **l = BASE_NEW(a, const mesh_layout *, f.nvalue + 1);
    memcpy(l + 1, t->in, f.narg * sizeof *l);
    f.layout = l;
    base_appendf(&s, "\n%s", ir_print(a, &f));
    return s.s;
}

static bool quoted(const char *line, const char *word, char *into, size_t capacity)
{
    const char *p = strstr(line, word), *from = p ? strchr(p, '"') : NULL, *to = from ? strchr(from + 1, '"') : NULL;
    if (!to || (size_t)(to - from) > capacity) return false;
    memcpy(into, from + 1, (size_t)(to - from - 1));
    into[to - from - 1] = 0;
    return true;
}

/* The text of one case: what trial_text wrote. */
static bool trial_read(trial *t, base_arena *a, const char *text)
{
    const char *ir = strstr(text, "\nmesh \"");
    char spec[256], on[64];
    *t = (trial){ .p = { .a = a } };
    if (!ir) ir = strstr(text, "\nfn ");
    if (!ir || !(t->p.fn = ir_parse(a, NULL, ++ir))) return false;
    const ir_fn *f = t->p.fn;
    t->p.m = f->mesh;
    for (uint32_t i = 0; f->layout && i < f->narg; i++) t->in[i] = f->layout[1 + i];
    for (const char *p = text; p < ir;) {
        const char *end = strchr(p, '\n');
        char line[512] = { 0 };
        unsigned k = 0;
        memcpy(line, p, (size_t)(end - p) < sizeof line ? (size_t)(end - p) : sizeof line - 1);
        p = end + 1;
        const fuzz_kind kind = strstr(line, " whole") ? WHOLE : strstr(line, " sure") ? SURE : LOOSE;
        if (sscanf(line, "data %llu", (unsigned long long *)&t->data) == 1) {
            t->p.traps = strstr(line, " traps") != NULL;
            t->reproducible = strstr(line, " reproducible") != NULL;
            t->even = strstr(line, " even") != NULL;
            t->small = strstr(line, " small") != NULL;
            if (strstr(line, " cuts")) sscanf(strstr(line, " cuts"), " cuts %u", &t->cuts);
            if (strstr(line, " again")) sscanf(strstr(line, " again"), " again %u", &t->again);
            if (quoted(line, " again", on, sizeof on)) t->other = mesh_of(NULL, on);
        } else if (sscanf(line, "arg %u", &k) == 1 && k < f->narg) {
            t->p.arg[k] = (fact){ kind, kind == WHOLE ? 4 : 2 };
            t->donated[k] = strstr(line, " donated") != NULL;
            const mesh *m = quoted(line, " on \"", on, sizeof on) ? mesh_of(NULL, on) : t->p.m;
            if (quoted(line, " is laid out \"", spec, sizeof spec))
                t->layout[k] = mesh_parse(NULL, m, f->type[1 + k]->rank, spec);
        } else if (sscanf(line, "ret %u", &k) == 1 && k < f->nret) {
            t->p.ret[k] = (fact){ kind, 1 };
            if (quoted(line, " wants \"", spec, sizeof spec))
                t->out[k] = mesh_parse(NULL, t->p.m, f->type[f->ret[k]]->rank, spec);
        }
    }
    return !base_failed();
}

/* ---- data ---- */

static void *trial_data(base_arena *a, const trial *t, uint32_t i)
{
    const ir_type *type = t->p.fn->type[1 + i];
    uint64_t s = t->data * 1000003 + i;
    void *p = base_new(a, (size_t)ir_bytes(type) + 16);
    const ir_box b = ir_box_dense(p, type);
    int64_t at[IR_RANK];
    for (bool go = ir_first(&b, at); go; go = ir_next(&b, at)) {
        const uint64_t r = fuzz_mix(&s) >> 8;
        ir_num x = { .c = { 0, 0 } };
        switch (ir_dtype_of(type->dtype)->cls) {
        case IR_BOOL_CLASS: x.b = r & 1; break;
        case IR_INT_CLASS:
            x.i = (int64_t)(r % 13) - 4;
            if (type->dtype == TT_I4 && x.i > 7) x.i -= 16;      /* as its bits are read */
            break;
        case IR_UINT_CLASS: x.u = r % 9; break;
        default:
            x.f = (double)(r % 9) - 4;
            if (is_complex(type)) x.c.im = (double)(r / 9 % 7) - 3;
            if (t->p.arg[i].kind != WHOLE) {
                static const double traps[] = { NAN, INFINITY, -INFINITY, -0.0, 0 };
                x.f = x.f / 2 + 0.1;
                if (t->p.traps && (r >> 20) % 16 == 0) x.f = traps[(r >> 30) % 5];
            }
        }
        ir_store(&b, at, x);
    }
    return p;
}

typedef struct { void *at[FUZZ_MOST]; } values;

static bool evaluate(base_arena *a, const trial *t, const ir_fn *f, values *y)
{
    ir_box in[FUZZ_MOST], out[FUZZ_MOST];
    for (uint32_t i = 0; i < f->narg; i++) in[i] = ir_box_dense(trial_data(a, t, i), f->type[1 + i]);
    for (uint32_t j = 0; j < f->nret; j++) {
        const ir_type *r = f->type[f->ret[j]];
        y->at[j] = base_new(a, (size_t)ir_bytes(r) + 16);
        out[j] = ir_box_dense(y->at[j], r);
    }
    return ir_eval(f, in, out);
}

#endif
