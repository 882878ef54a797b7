/* fuzz/indices.h - pieces at computed places: slices, gathers and scatters of every form; sorts; lines along a dim. */
#ifndef TUTTI_TESTS_FUZZ_INDICES_H
#define TUTTI_TESTS_FUZZ_INDICES_H

#include "ops.h"
#include "pass/pass.h"

/* ---- an equation of a text, fed from the pool ---- */

static inline ir_id fed(gen *g, const op_prim *prim, const char *text)
{
    const ir_fn *f = ir_case(g->a, text);
    const ir_eqn *e = NULL;
    for (uint32_t k = 0; f && k < f->neqn; k++) if (f->eqn[k].op == prim) e = &f->eqn[k];
    if (!e) return 0;
    ir_id in[16];
    for (uint32_t i = 0; i < e->nin; i++) {
        const ir_eqn *made = NULL;                       /* initial values are literals */
        for (uint32_t k = 0; k < f->neqn; k++) if (f->eqn[k].out == e->in[i]) made = &f->eqn[k];
        in[i] = made && !made->nin ? ir_clone(g->b, made, NULL) : of_type(g, IR_IN(e, i));
        if (made && in[i]) set_fact(g, in[i], is_float(type_of(g, in[i])) ? (fact){ SURE, WILD } : (fact){ WHOLE, 5 });
        if (!in[i]) return 0;
    }
    ir_fn *sub[4];                                       /* on the mesh of the function around */
    for (uint32_t s = 0; s < e->nsub; s++) if (s == 4 || !(sub[s] = pass_on_mesh(g->a, e->sub[s], g->m))) return 0;
    return ir_emit(g->b, e->op, e->attr, e->nin, in, e->nsub, sub);
}

/* Any case of any primitive. */
static inline ir_id make_case(gen *g)
{
    uint32_t nrow = 0, ncase = 0;
    while (op_prims[nrow]) nrow++;
    const op_prim *prim = op_prims[pick(nrow)];
    while (prim->cases && prim->cases[ncase]) ncase++;
    if (!ncase) return 0;
    const char *text = prim->cases[pick(ncase)];
    if (strstr(text, " on ") || (prim->kernel == OP_LOOP && strstr(text, "{ "))) return 0;    /* on a mesh of its own */
    return fed(g, prim, text);
}

/* ---- dynamic slices ---- */

static inline ir_id make_dynamic(gen *g, ir_id x)
{
    const ir_type *t = type_of(g, x);
    ir_id in[IR_RANK + 2] = { x };
    int64_t size[IR_RANK];
    const bool update = pick(2);
    for (int d = 0; d < t->rank; d++) size[d] = pick(3) ? (int64_t)pick((uint32_t)t->dim[d] + 1) : t->dim[d];
    if (update && !(in[1] = of_type(g, ir_type_of(t->dtype, t->rank, size)))) return 0;
    for (int d = 0; d < t->rank; d++)
        if (!(in[1 + update + d] = of_type(g, ir_type_of(TT_I32, 0, NULL)))) return 0;
    const op_dynamic_slice_attr a = { { t->rank, size } };
    return update ? ir_emit(g->b, &prim_dynamic_update_slice, NULL, (uint32_t)t->rank + 2, in, 0, NULL)
                  : ir_emit(g->b, &prim_dynamic_slice, &a, (uint32_t)t->rank + 1, in, 0, NULL);
}

/* ---- gathers and scatters ---- */

/* Slices of x at places: lists of dims as in the attributes, the shapes of indices and of what is taken. */
typedef struct {
    int64_t offset[IR_RANK], gone[IR_RANK], batch[IR_RANK], at[IR_RANK], map[IR_RANK], size[IR_RANK];
    int64_t index[IR_RANK], taken[IR_RANK], vector;
    int noffset, ngone, nbatch, nmap, nindex, ntaken;
} places;

static inline void shuffle(int64_t *v, int n)
{
    for (int i = n; i > 1; i--) {
        const uint32_t k = pick((uint32_t)i);
        const int64_t s = v[i - 1];
        v[i - 1] = v[k], v[k] = s;
    }
}

/* What each dim of x is: batching, indexed and gone or not, or taken as it is. */
static inline void some_roles(const ir_type *t, places *p, int64_t *kept)
{
    for (int d = 0; d < t->rank; d++) {
        const uint32_t role = t->dim[d] ? pick(6) : 0;
        const bool part = once_in(3) && t->dim[d];
        p->size[d] = part ? 1 + (int64_t)pick((uint32_t)t->dim[d]) : t->dim[d];
        if (role == 5 && p->nbatch < 2) p->batch[p->nbatch++] = d, p->size[d] = 1;
        else if (role == 4 || role == 3) p->map[p->nmap++] = p->gone[p->ngone++] = d, p->size[d] = 1;
        else if (role == 2) p->map[p->nmap++] = d, kept[p->noffset++] = p->size[d];
        else kept[p->noffset++] = p->size[d];
    }
    shuffle(p->map, p->nmap);
}

static inline bool some_places(const ir_type *t, places *p)
{
    int64_t kept[IR_RANK], line[IR_RANK], from[IR_RANK];
    const int extra = (int)pick(3);
    *p = (places){ 0 };
    some_roles(t, p, kept);
    const int nline = p->nbatch + extra, all = nline + p->noffset;
    if (!p->nmap || all > 6) return false;
    for (int k = 0; k < nline; k++) from[k] = k;         /* which batching dim a dim of indices is, or none */
    shuffle(from, nline);
    for (int k = 0; k < nline; k++) {
        line[k] = from[k] < p->nbatch ? t->dim[p->batch[from[k]]] : 1 + (int64_t)pick(5);
        if (from[k] < p->nbatch) p->at[from[k]] = k;
    }
    for (int k = 0, o = 0, l = 0; k < all; k++) {
        const bool here = l == nline || (o < p->noffset && pick(2));
        if (here) p->offset[o] = k, p->taken[k] = kept[o++];
        else p->taken[k] = line[l++];
    }
    p->ntaken = all;
    p->vector = p->nmap == 1 && pick(2) ? nline : (int64_t)pick((uint32_t)nline + 1);
    const bool bare = p->nmap == 1 && p->vector == nline && pick(2);        /* no dim of one index */
    for (int k = 0; k <= nline; k++) {
        if (k == p->vector && !bare) p->index[p->nindex++] = p->nmap;
        if (k < nline) p->index[p->nindex++] = line[k];
    }
    for (int k = 0; k < p->nbatch; k++) p->at[k] += p->at[k] >= p->vector;
    return true;
}

static inline ir_fn *some_update(gen *g, tt_dtype t)
{
    static const op_prim *const rows[] = { &prim_add, &prim_max, &prim_min, &prim_mul };
    if (pick(5)) return op_reducer(g->b, rows[t == TT_BOOL ? 1 + pick(2) : pick(4)], t);
    ir_build *r = ir_region(g->b, base_intern("set"));   /* what is there last stays */
    const ir_type *s = ir_type_of(t, 0, NULL);
    ir_arg(r, s);
    const ir_id last = ir_arg(r, s);
    return ir_end(r, 1, &last);
}

/* Indices may repeat and are outside. */
static inline ir_id make_gather(gen *g, ir_id x)
{
    static const tt_dtype kinds[] = { TT_I32, TT_I32, TT_I64, TT_U32, TT_I8, TT_U8 };
    const ir_type *t = type_of(g, x);
    places p;
    if (!some_places(t, &p)) return 0;
    const ir_type *taken = ir_type_of(t->dtype, p.ntaken, p.taken);
    const ir_id i = of_type(g, ir_type_of(kinds[pick(6)], p.nindex, p.index));
    if (!i || ir_count(taken) > FUZZ_COUNT) return 0;
    const ir_dims offset = { p.noffset, p.offset }, gone = { p.ngone, p.gone }, batch = { p.nbatch, p.batch };
    const ir_dims at = { p.nbatch, p.at }, map = { p.nmap, p.map };
    if (pick(2)) {
        const op_gather_attr a = { offset, gone, batch, at, map, p.vector, { t->rank, p.size },
                                   .fill = pick(2) };
        return ir_emit(g->b, &prim_gather, &a, 2, (const ir_id[]){ x, i }, 0, NULL);
    }
    const ir_id u = of_type(g, taken);
    ir_fn *f = some_update(g, t->dtype);
    const op_scatter_attr a = { offset, gone, batch, at, map, p.vector, false, false };
    return u && f ? ir_emit(g->b, &prim_scatter, &a, 3, (const ir_id[]){ x, i, u }, 1, &f) : 0;
}

/* ---- sorts, lines ---- */

static inline ir_id make_sort(gen *g, ir_id x)
{
    const ir_type *t = type_of(g, x);
    const uint32_t n = 1 + pick(3);
    ir_id in[3] = { x };
    static const op_prim *const cums[] = { &prim_cumsum, &prim_cummax, &prim_cummin, &prim_cumprod };
    if (pick(2)) {
        const op_cum_attr c = { pick((uint32_t)t->rank), pick(2) };
        return ir_emit(g->b, cums[pick(4)], &c, 1, in, 0, NULL);
    }
    for (uint32_t i = 1; i < n; i++)
        if (!(in[i] = of_type(g, ir_type_of(some_dtype(), t->rank, t->dim)))) return 0;
    const op_sort_attr s = { pick((uint32_t)t->rank), true, 1 + pick(n), pick(2) };
    const ir_id y = ir_emit(g->b, &prim_sort, &s, n, in, 0, NULL);
    if (!y || pick(2)) return y;
    take(g, y);                                          /* and the first places of all lines alone */
    if (!is_known(g, y)) return 0;                       /* keys that rounding may order otherwise */
    int64_t lo[IR_RANK] = { 0 }, hi[IR_RANK], step[IR_RANK];
    for (int d = 0; d < t->rank; d++) hi[d] = t->dim[d], step[d] = 1;
    hi[s.dimension] = pick((uint32_t)hi[s.dimension] + 1);
    for (uint32_t i = 0; i < n; i++)
        take(g, op_slice(g->b, y + i, (ir_dims){ t->rank, lo }, (ir_dims){ t->rank, hi }, (ir_dims){ t->rank, step }));
    return 0;
}

/* By a comparator of its own; the greatest with its place: regions of several operands. */
static inline ir_id make_ordered(gen *g, ir_id x)
{
    static const char *const ways[] = { "lt", "gt" };
    const ir_type *t = type_of(g, x), *o = ir_type_of(some_dtype(), t->rank, t->dim), *i = ir_type_of(TT_I32, t->rank,
                                                                                                     t->dim);
    const int d = (int)pick((uint32_t)t->rank);
    const char *s = ir_dtype_of(t->dtype)->name, *q = ir_dtype_of(o->dtype)->name, *way = ways[pick(2)];
    if (is_complex(t)) return 0;
    if (pick(2))
        return fed(g, &prim_sort_by, base_format(g->a, "sort_by %s, %s {dimension=%d} (a %s, b %s, c %s, d %s) "
                   "{ p = compare a, b {comparison_direction=%s}; return p }", ir_type_text(g->a, t),
                   ir_type_text(g->a, o), d, s,
                   s, q, q, way));
    const char *first = ir_is_float(t->dtype) && !ir_is_narrow(t->dtype) ? "-inf" : "0";
    if (t->dtype == TT_BOOL || ir_is_narrow(t->dtype)) return 0;
    return fed(g, &prim_reduce, base_format(g->a, "reduce %s, %s, %s:%s, 0:i32 {dimensions=[%d]} (v %s, i i32, w %s, "
               "j i32) { g = compare v, w {comparison_direction=%s}; n = compare v, v {comparison_direction=ne}; "
               "p = or g, n; "
               "q = compare v, w {comparison_direction=eq}; l = compare i, j {comparison_direction=lt}; m = and q, l; "
               "o = or p, m; "
               "a = select p, v, w; b = select o, i, j; return a, b }", ir_type_text(g->a, t), ir_type_text(g->a, i),
               first, s, d, s, s, way));
}

static inline ir_id make_index(gen *g)
{
    const ir_id x = any_such(g, has_dims);
    if (!x) return 0;
    switch (pick(6)) {
    case 0: return make_dynamic(g, x);
    case 1: return make_sort(g, x);
    case 2: return make_ordered(g, x);
    default: return make_gather(g, x);
    }
}

#endif
