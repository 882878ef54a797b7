/* fuzz/programs.h - whole programs and what transforms make of them. */
#ifndef TUTTI_TESTS_FUZZ_PROGRAMS_H
#define TUTTI_TESTS_FUZZ_PROGRAMS_H

#include "regions.h"

typedef struct {
    base_arena *a; const mesh *m;
    ir_fn *fn;
    const ir_fn *linear;                                 /* a linear part that was transposed on the way, or NULL */
    fact arg[FUZZ_MOST], ret[FUZZ_MOST];
    bool traps;                                          /* NaN and infinities in data that is not whole */
    bool region;                                         /* a manual region is in it: it wants this mesh */
} program;

enum { NOTHING, JVP, GRAD, VMAP, VJP, TRANSFORMS };
enum { MEMBERS = 8 };                                     /* of a vmap, at most */

static inline ir_id scalar_of(gen *g, ir_id x)           /* a sum to differentiate: of x, if it can be */
{
    const ir_id v = is_floating(g, x) ? x : any_such(g, is_floating);
    if (!v) return x;
    return op_reduce_dims(g->b, &prim_add, v, type_of(g, v)->rank,
        (const int64_t[]){ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 });
}

/* (inputs, cotangents) -> (results, gradients) by its parts; *linear: the one between, where custom_linear lives. */
static inline ir_fn *vjp_by_parts(base_arena *a, const ir_fn *f, const bool *active, const ir_fn **linear)
{
    bool all[FUZZ_MOST], is[FUZZ_COUNT] = { 0 };
    op_split s;
    for (uint32_t j = 0; j < FUZZ_MOST; j++) all[j] = true;
    if (!transform_linearize(a, f, active, all, &s) || s.linear->narg > FUZZ_COUNT) return NULL;
    const uint32_t nt = s.linear->narg - s.nres;
    for (uint32_t i = 0; i < nt; i++) is[i] = true;
    const ir_fn *back = transform_transpose(a, s.linear, is);
    if (!back || f->narg + s.linear->nret > FUZZ_MOST || f->nret + nt > FUZZ_MOST) return NULL;
    if (s.known->nret > FUZZ_COUNT) return NULL;
    ir_build *b = ir_begin(a, f->name, f->mesh);
    ir_id x[FUZZ_MOST], ct[FUZZ_MOST], y[FUZZ_COUNT + FUZZ_MOST], ret[FUZZ_MOST];
    for (uint32_t i = 0; i < f->narg; i++) x[i] = ir_arg(b, f->type[1 + i]);
    for (uint32_t j = 0; j < s.linear->nret; j++) ct[j] = ir_arg(b, back->type[1 + s.nres + j]);
    if (!ir_inline(b, s.known, x, y)) return NULL;
    memcpy(ret, y, f->nret * sizeof *ret);
    memmove(y, y + f->nret, s.nres * sizeof *y);         /* residuals, cotangents */
    memcpy(y + s.nres, ct, s.linear->nret * sizeof *y);
    if (!ir_inline(b, back, y, ret + f->nret)) return NULL;
    *linear = s.linear;
    return ir_end(b, f->nret + nt, ret);
}

/* What a transform makes of it: loose everywhere. Keeps p as it is when there is no such derivative. */
static inline void transformed(program *p, uint32_t which)
{
    const ir_fn *f = p->fn;
    bool active[FUZZ_MOST], any_active = false;
    for (uint32_t i = 0; i < f->narg; i++) {
        active[i] = transform_smooth(f->type[1 + i]) && pick(3);
        any_active |= active[i];
    }
    const ir_type *first = f->type[f->ret[0]];
    ir_fn *g = NULL;
    if (which == VMAP) {
        for (uint32_t i = 0; i < f->narg; i++) active[i] = pick(3) != 0, any_active |= active[i];
        if (any_active) g = transform_vmap(p->a, f, active, NULL, NULL, 1 + pick(MEMBERS));
    } else if (!any_active) return;
    else if (which == JVP) g = transform_jvp(p->a, f, active);
    else if (which == VJP && pick(3)) g = vjp_by_parts(p->a, f, active, &p->linear);
    else if (which == VJP) g = transform_vjp(p->a, NULL, f, active);
    else if (first->rank == 0 && transform_smooth(first))
        g = pick(2) ? transform_grad(p->a, NULL, f, active) : transform_value_and_grad(p->a, NULL, f, active);
    base_clear_error();
    if (!g || g->narg > FUZZ_MOST || g->nret > FUZZ_MOST || !g->nret) return;
    for (uint32_t i = f->narg; i < g->narg; i++) p->arg[i] = (fact){ SURE, 2 };
    for (uint32_t j = 0; j < g->nret; j++) p->ret[j] = (fact){ LOOSE, 1 };
    p->fn = g;
}

static inline bool has_row(const ir_fn *f, const op_prim *prim)
{
    for (uint32_t k = 0; k < f->neqn; k++) {
        if (f->eqn[k].op == prim) return true;
        for (uint32_t s = 0; s < f->eqn[k].nsub; s++) if (has_row(f->eqn[k].sub[s], prim)) return true;
    }
    return false;
}

/* From the list of choices in force. False: it came to nothing. */
static inline bool some_program(program *p, base_arena *a)
{
    const bool alone = once_in(12);                      /* no mesh: on one device, or where arguments are */
    const uint32_t transform = pick(8) < 5 ? (alone && pick(3) ? VMAP : NOTHING) : 1 + pick(TRANSFORMS - 1);
    const uint32_t again = transform && once_in(4) ? 1 + pick(TRANSFORMS - 1) : NOTHING;
    *p = (program){ .a = a, .m = alone ? NULL : some_mesh() };
    p->traps = once_in(transform ? 6 : 3);
    const bool derived = (transform && transform != VMAP) || (again && again != VMAP);
    gen g = { .a = a, .m = p->m, .traps = p->traps, .derived = derived };
    g.b = ir_begin(a, base_intern("fuzz"), g.m);
    const uint32_t narg = 1 + pick(4), nret = 1 + pick(once_in(2) ? 8 : 4);
    for (uint32_t i = 0; i < narg; i++) {
        const ir_type *t = some_type();
        p->arg[i] = is_float(t) && pick(2) ? (fact){ SURE, 2.5 } : (fact){ WHOLE, is_float(t) ? 4 : 8 };
        parameter(&g, t, p->arg[i]);
    }
    g.smooth = true;
    if (transform && pick(2)) make_call(&g);
    g.smooth = false;
    const ir_id called = g.n > (int)narg ? g.pool[g.n - 1] : 0;  /* differentiated for sure */
    grow(&g, 1 + (int)pick(once_in(3) ? 25 : 9));
    ir_id ret[8];
    for (uint32_t j = 0; j < nret; j++) {
        ir_id x = j == 0 && called && pick(2) ? called : any(&g);
        if (j && pick(2)) x = g.pool[g.n - 1 - (int)pick(g.n < 6 ? (uint32_t)g.n : 6)];    /* what little reads */
        if (g.nlast && once_in(3)) x = g.last[pick((uint32_t)g.nlast)];
        ret[j] = j == 0 && (transform == GRAD || again == GRAD) ? scalar_of(&g, x) : x;
        if (!ret[j]) ret[j] = x;
        p->ret[j] = fact_of(&g, ret[j]);
    }
    base_clear_error();
    p->fn = ir_end(g.b, nret, ret);
    if (!p->fn) return false;
    if (transform) transformed(p, transform);
    if (again) transformed(p, again);
    p->region = has_row(p->fn, &prim_manual);
    return true;
}

#endif
