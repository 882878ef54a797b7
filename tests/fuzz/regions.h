/* fuzz/regions.h - loops, branches, calls with rules of their own, manual regions, wishes for layouts. */
#ifndef TUTTI_TESTS_FUZZ_REGIONS_H
#define TUTTI_TESTS_FUZZ_REGIONS_H

#include "windows.h"

static inline void grow(gen *g, int steps);

static inline gen inside(const gen *g, const char *name)
{
    gen r = { .a = g->a, .b = ir_region(g->b, base_intern(name)), .m = g->m, .depth = g->depth + 1, .manual = g->manual,
              .bound = g->bound, .mute = g->mute, .local = g->local, .traps = g->traps, .lane = g->lane,
              .lanes = g->lanes, .derived = g->derived };
    return r;
}

static inline ir_id parameter(gen *r, const ir_type *t, fact f)
{
    const ir_id p = ir_arg(r->b, t);
    set_fact(r, p, f);
    r->pool[r->n++] = p;
    return p;
}

/* v, so that no more can be said against it than `most` says: what a loop gives back. */
static inline ir_id within(gen *g, ir_id v, fact most, ir_id instead)
{
    const fact f = v ? fact_of(g, v) : (fact){ LOOSE, WILD };
    if (!v || f.kind < most.kind) return instead;
    const ir_type *t = type_of(g, v);
    if (!is_float(t) || f.bound <= most.bound) return v;
    if (most.kind == WHOLE) {
        const ir_id x = op_min(g->b, v, op_splat(g->b, t, most.bound));
        const ir_id y = op_max(g->b, x, op_splat(g->b, t, -most.bound));
        if (y) set_fact(g, y, most);
        return y;
    }
    if (f.bound == WILD) return instead;
    return noted(g, op_tanh(g->b, v));
}

/* Operands of a region, and what is said of its parameters; carried: they come back, round after round. */
static inline uint32_t operands(gen *g, ir_id *in, fact *f, uint32_t n, bool carried)
{
    for (uint32_t i = 0; i < n; i++) {
        in[i] = i && once_in(3) ? of_type(g, type_of(g, in[i - 1])) : g->smooth ? any_such(g, is_floating) : any(g);
        if (!in[i]) return 0;
        f[i] = fact_of(g, in[i]);
        if (carried && f[i].kind == SURE && pick(2)) f[i].kind = LOOSE;
        if (f[i].bound < 4) f[i].bound = 4;
        if (carried && !is_floating(g, in[i])) f[i].bound = exact_to(type_of(g, in[i])->dtype);  /* grows, and wraps */
        if (f[i].bound > 1e4 && is_floating(g, in[i]) && f[i].kind != WHOLE) f[i].bound = WILD;
        if (f[i].kind == LOOSE && (f[i].bound >= 1e5 || !fit_for_use(g, in[i]))) return 0;
        if (f[i].kind == LOOSE && is_coarse(type_of(g, in[i])->dtype)) f[i].kind = SURE;
    }
    return n;
}

static inline ir_id returned(gen *r, uint32_t i, const ir_type *t, fact most)
{
    const uint32_t way = pick(5), p = 1 + pick(i + 1);
    if (way == 4) return 1 + i;
    if (way == 3 && type_of(r, p) == t) return within(r, p, most, 1 + i);
    return within(r, of_type(r, t), most, 1 + i);
}

static inline void make_while(gen *g)
{
    ir_id in[8], ret[8];
    fact f[8] = { { WHOLE, 8 } };
    const uint32_t n = 1 + pick(4);
    if (g->depth > 1 || !operands(g, in + 1, f + 1, n, true)) return;
    in[0] = op_int(g->b, TT_I32, 0);
    gen c = inside(g, "cond"), r = inside(g, "body");
    for (uint32_t i = 0; i <= n; i++) {
        ir_arg(c.b, type_of(g, in[i]));
        parameter(&r, type_of(g, in[i]), f[i]);
    }
    ir_id more = op_less(c.b, 1, op_int(c.b, TT_I32, pick(4)));
    for (uint32_t i = 1; i <= n && !r.manual.n && !r.lane; i++)          /* data decide, too: one number for all */
        if (type_of(g, in[i]) == type_of(g, in[0]) && pick(2))
            more = op_and(c.b, more, op_less(c.b, 1 + i, op_int(c.b, TT_I32, pick(20))));
    grow(&r, 1 + (int)pick(5));
    for (uint32_t i = 1; i <= n; i++) ret[i] = returned(&r, i, type_of(g, in[i]), f[i]);
    ret[0] = op_add(r.b, 1, op_int(r.b, TT_I32, 1));
    ir_fn *sub[2] = { ir_end(c.b, 1, &more), ir_end(r.b, n + 1, ret) };
    const ir_id y = sub[0] && sub[1] ? ir_emit(g->b, &prim_while, NULL, n + 1, in, 2, sub) : 0;
    for (uint32_t i = 1; y && i <= n; i++) set_fact(g, y + i, f[i]), offer(g, y + i);
}

static inline void make_scan(gen *g)
{
    ir_id in[8], ret[8];
    fact f[8];
    const uint32_t ncarry = pick(3), nconst = pick(2), nys = 1 + pick(2);
    const int64_t length = pick(6);
    if (g->depth > 1 || (ncarry + nconst && !operands(g, in, f, ncarry + nconst, true))) return;
    const ir_id x = any(g);
    const ir_type *t = type_of(g, x);
    int64_t dim[IR_RANK] = { length };
    if (t->rank > 3 || !is_sure(g, x)) return;
    memcpy(dim + 1, t->dim, (size_t)t->rank * sizeof *dim);
    const ir_type *rows = ir_type_of(t->dtype, t->rank + 1, dim);
    ir_id xs = pick(2) ? noted(g, op_broadcast(g->b, x, rows, t->rank, (const int64_t[]){ 1, 2, 3, 4 }))
                       : of_type(g, rows);
    if (!xs || !is_sure(g, xs)) return;
    gen r = inside(g, "step");
    for (uint32_t i = 0; i < nconst + ncarry; i++) parameter(&r, type_of(g, in[i]), f[i]);
    parameter(&r, t, fact_of(g, xs));
    grow(&r, 1 + (int)pick(5));
    for (uint32_t i = 0; i < ncarry; i++)
        ret[i] = within(&r, of_type(&r, type_of(g, in[nconst + i])), f[nconst + i], 1 + nconst + i);
    fact fy[2];
    for (uint32_t i = 0; i < nys; i++) ret[ncarry + i] = any(&r), fy[i] = fact_of(&r, ret[ncarry + i]);
    ir_fn *body = ir_end(r.b, ncarry + nys, ret);
    in[nconst + ncarry] = xs;
    const op_scan_attr a = { length, nconst, ncarry, pick(2) };
    const ir_id y = body && xs ? ir_emit(g->b, &prim_scan, &a, nconst + ncarry + 1, in, 1, &body) : 0;
    for (uint32_t i = 0; y && i < ncarry + nys; i++) {
        set_fact(g, y + i, i < ncarry ? f[nconst + i] : fy[i - ncarry]);
        offer(g, y + i);
    }
}

static inline void make_branches(gen *g)
{
    ir_id in[8];
    fact f[8] = { { WHOLE, 8 } }, y[4];
    const uint32_t n = 1 + pick(3), nret = 1 + pick(2), nsub = 1 + pick(3);
    const ir_type *t[4];
    ir_fn *sub[3];
    if (g->depth > 1 || !operands(g, in + 1, f + 1, n, false)) return;
    const bool flag = nsub == 2 && pick(2);
    in[0] = of_type(g, ir_type_of(flag ? TT_BOOL : TT_I32, 0, NULL));
    for (uint32_t k = 0; k < nsub; k++) {
        gen r = inside(g, "branch");
        ir_id ret[4];
        r.mute = true;
        for (uint32_t i = 1; i <= n; i++) parameter(&r, type_of(g, in[i]), f[i]);
        grow(&r, 1 + (int)pick(4));
        for (uint32_t j = 0; j < nret; j++) {
            ret[j] = k ? of_type(&r, t[j]) : any(&r);
            if (!ret[j] || !fit_for_use(&r, ret[j])) return;
            const fact fj = fact_of(&r, ret[j]);
            if (!k) t[j] = type_of(&r, ret[j]), y[j] = fj;
            y[j] = (fact){ meet(y[j].kind, fj.kind), fmax(y[j].bound, fj.bound) };
        }
        if (!(sub[k] = ir_end(r.b, nret, ret))) return;
    }
    const ir_id first = in[0] ? ir_emit(g->b, &prim_case, NULL, n + 1, in, nsub, sub) : 0;
    for (uint32_t j = 0; first && j < nret; j++) set_fact(g, first + j, y[j]), offer(g, first + j);
}

/* f with its derivative as a rule of the user's: rule (x, dx) -> (y, dy); or fwd and bwd. */
static inline uint32_t own_rule(gen *g, ir_fn *f, const op_prim *prim, ir_fn **sub)
{
    op_split s;
    bool all[FUZZ_MOST], linear[FUZZ_COUNT] = { 0 };
    sub[0] = f;
    if (prim == &prim_custom_jvp) return (sub[1] = transform_jvp(g->a, f, NULL)) ? 2 : 0;
    if (prim != &prim_custom_vjp) return 1;
    for (uint32_t j = 0; j < FUZZ_MOST; j++) all[j] = true;
    if (!transform_linearize(g->a, f, all, all, &s) || s.linear->narg > FUZZ_COUNT) return 0;
    for (uint32_t i = 0; i + s.nres < s.linear->narg; i++) linear[i] = true;
    sub[1] = s.known;
    return (sub[2] = transform_transpose(g->a, s.linear, linear)) ? 3 : 0;
}

static inline void make_call(gen *g)
{
    static const op_prim *const rows[] = { &prim_call, &prim_remat, &prim_custom_jvp, &prim_custom_vjp };
    ir_id in[4], ret[3];
    fact f[4];
    ir_fn *sub[3] = { NULL };
    const uint32_t n = 1 + pick(3), nret = 1 + pick(2);
    const op_prim *prim = rows[pick(4)];
    if (g->depth > 1 || !operands(g, in, f, n, false)) return;
    gen r = inside(g, "called");
    for (uint32_t i = 0; i < n; i++) parameter(&r, type_of(g, in[i]), f[i]);
    grow(&r, 1 + (int)pick(5));
    for (uint32_t j = 0; j < nret; j++) ret[j] = any(&r);
    ir_fn *body = ir_end(r.b, nret, ret);
    const uint32_t nsub = body ? own_rule(g, body, prim, sub) : 0;
    const ir_id y = nsub ? ir_emit(g->b, prim, NULL, n, in, nsub, sub) : 0;
    for (uint32_t j = 0; y && j < nret; j++) set_fact(g, y + j, fact_of(&r, ret[j])), offer(g, y + j);
}

/* ---- layouts and manual regions ---- */

static inline void make_wish(gen *g)
{
    const ir_id x = any(g);
    if (g->local || !g->m) return;
    if (once_in(4)) {
        const ir_id two[2] = { x, any(g) };
        take(g, ir_emit(g->b, &prim_barrier, NULL, 1 + pick(2), two, 0, NULL));
        return;
    }
    if (once_in(4)) {
        take(g, ir_emit(g->b, &prim_propagation_barrier, &(op_propagation_attr){ pick(3) }, 1, &x, 0, NULL));
        return;
    }
    const bool firm = pick(2);
    const mesh_layout *l = some_layout(g->m, type_of(g, x)->rank, 0, !firm);
    take(g, ir_emit(g->b, firm ? &prim_reshard : &prim_constrain, &(op_layout_attr){ { 1, &l } }, 1, &x, 0, NULL));
}

static inline ir_names some_axes(ir_names from, base_name *room)
{
    ir_names r = { 0, room };
    for (int i = 0; i < from.n; i++) if (pick(3)) room[r.n++] = from.v[i];
    if (!r.n) room[r.n++] = from.v[pick((uint32_t)from.n)];
    if (r.n == 2 && pick(2)) {
        const base_name s = room[0];
        room[0] = room[1], room[1] = s;
    }
    return r;
}

static inline ir_id make_collective(gen *g)
{
    base_name room[5];
    if ((!g->manual.n && !g->lane) || g->mute) return 0;
    ir_names axes = g->manual.n ? some_axes(g->manual, room) : (ir_names){ 0, room };
    int64_t n = axes.n ? mesh_set_size(g->m, mesh_named(g->m, axes.n, axes.v)) : 1;
    if (g->lane && (!axes.n || pick(2))) {               /* among the axes of a region, anywhere */
        const int at = (int)pick((uint32_t)axes.n + 1);
        memmove(room + at + 1, room + at, (size_t)(axes.n++ - at) * sizeof *room);
        room[at] = g->lane;
        n *= g->lanes;
        fuzz_named++;
    }
    const ir_id x = any(g);
    const ir_type *t = type_of(g, x);
    const int d = t->rank ? (int)pick((uint32_t)t->rank) : -1, e = t->rank ? (int)pick((uint32_t)t->rank) : -1;
    const bool number = t->dtype != TT_BOOL;
    const op_reduce_axes_attr over = { axes, true };
    const op_gather_axes_attr part = { axes, d, n, true };
    int64_t source[128];
    switch (pick(8)) {
    case 0: return !number ? 0 : ir_emit(g->b, &prim_psum, &over, 1, &x, 0, NULL);
    case 1: return ir_emit(g->b, &prim_axis_index, &(op_axis_attr){ axes, true }, 0, NULL, 0, NULL);
    case 2: return !number ? 0 : ir_emit(g->b, pick(2) ? &prim_pmax : &prim_pmin, &over, 1, &x, 0, NULL);
    case 3: return d < 0 ? 0 : ir_emit(g->b, &prim_all_gather, &part, 1, &x, 0, NULL);
    case 4: return d < 0 || t->dim[d] % n || !number ? 0
                 : ir_emit(g->b, &prim_reduce_scatter, &part, 1, &x, 0, NULL);
    case 5: return d < 0 || d == e || t->dim[d] % n ? 0
                 : ir_emit(g->b, &prim_all_to_all, &(op_all_to_all_attr){ axes, d, e, n, true }, 1, &x, 0, NULL);
    case 6:
        for (int64_t i = 0; i < n; i++) source[i] = (i + 1) % n;
        for (int64_t i = n; i > 1; i--) {
            const int64_t k = pick((uint32_t)i), s = source[i - 1];
            source[i - 1] = source[k], source[k] = once_in(6) ? -1 : s;
        }
        return ir_emit(g->b, &prim_ppermute, &(op_ppermute_attr){ axes, { (int)n, source }, true }, 1, &x, 0, NULL);
    default: return ir_emit(g->b, &prim_to_varying, &(op_axis_attr){ axes, true }, 1, &x, 0, NULL);
    }
}

/* A layout over these axes; divides: every dim of t must. */
static inline const mesh_layout *over_axes(const mesh *m, ir_names axes, const ir_type *t, bool divides)
{
    mesh_list dim[IR_RANK + 1] = { 0 };
    for (int i = 0; i < axes.n && t->rank; i++) {
        const uint32_t d = pick((uint32_t)t->rank + 1);
        const mesh_list l = mesh_axis_list(m, axes.v[i]);
        if (!d || (divides && t->dim[d - 1] % (mesh_list_size(m, dim[d - 1]) * mesh_list_size(m, l)))) continue;
        for (int k = 0; k < mesh_list_n(l); k++) dim[d - 1] = mesh_list_push(dim[d - 1], mesh_list_at(l, k));
    }
    return mesh_layout_dims(m, t->rank, dim);
}

static inline void make_manual(gen *g)
{
    base_name all[4], room[4];
    ir_names free = { 0, all };
    if (!g->m || g->depth > 1 || g->mute) return;
    for (int i = 0; i < g->m->naxis; i++)
        if (!(mesh_named(g->m, 1, &g->m->axis[i].name) & g->bound)) all[free.n++] = g->m->axis[i].name;
    if (!free.n) return;
    gen r = inside(g, "manual");
    r.manual = some_axes(free, room);
    r.bound |= mesh_named(g->m, r.manual.n, r.manual.v);
    r.local = true;
    ir_id in[4], ret[4];
    const mesh_layout *lin[4], *lout[4];
    fact f[4];
    const uint32_t n = 1 + pick(3), nret = 1 + pick(3);
    for (uint32_t i = 0; i < n; i++) {
        int64_t dim[IR_RANK];
        in[i] = any(g);
        const ir_type *t = type_of(g, in[i]);
        lin[i] = over_axes(g->m, r.manual, t, true);
        for (int d = 0; d < t->rank; d++) dim[d] = t->dim[d] / mesh_list_size(g->m, lin[i]->dim[d].atoms);
        parameter(&r, ir_type_of(t->dtype, t->rank, dim), fact_of(g, in[i]));
    }
    grow(&r, 2 + (int)pick(8));
    for (uint32_t j = 0; j < nret; j++) {
        ret[j] = any(&r);
        f[j] = fact_of(&r, ret[j]);
        lout[j] = over_axes(g->m, r.manual, type_of(&r, ret[j]), false);
    }
    ir_fn *fn = ir_end(r.b, nret, ret);
    const op_manual_attr a = { r.manual, { (int)n, lin }, { (int)nret, lout }, true };
    const ir_id y = fn ? ir_emit(g->b, &prim_manual, &a, n, in, 1, &fn) : 0;
    for (uint32_t j = 0; y && j < nret; j++) set_fact(g, y + j, f[j]), offer(g, y + j);
}

/* A function mapped over a named axis, with collectives over that name, among those of a manual region around or in
 * it: what its rules make of them. */
static inline void make_mapped(gen *g)
{
    ir_id in[3], ret[3], y[3];
    bool mapped[3], any_mapped = false;
    const uint32_t n = 1 + pick(3), nret = 1 + pick(2);
    if (g->lane || g->depth > 1) return;
    gen r = inside(g, "mapped");
    r.lane = base_intern("lane");
    r.lanes = 1 + pick(4);
    for (uint32_t i = 0; i < n; i++) {
        const ir_type *t = type_of(g, any(g));
        int64_t dim[IR_RANK] = { r.lanes };
        if (t->rank > 4 || ir_count(t) * r.lanes > FUZZ_COUNT) return;
        memcpy(dim + 1, t->dim, (size_t)t->rank * sizeof *dim);
        any_mapped |= mapped[i] = pick(3) != 0;
        if (!(in[i] = of_type(g, mapped[i] ? ir_type_of(t->dtype, t->rank + 1, dim) : t))) return;
        parameter(&r, t, fact_of(g, in[i]));
    }
    if (!any_mapped) return;
    grow(&r, 2 + (int)pick(7));
    for (uint32_t j = 0; j < nret; j++) ret[j] = any(&r);
    const ir_fn *f = ir_end(r.b, nret, ret), *h = f ? transform_vmap(g->a, f, mapped, NULL, r.lane, r.lanes) : NULL;
    if (!h || !ir_inline(g->b, h, in, y)) return;
    for (uint32_t j = 0; j < nret; j++) set_fact(g, y[j], fact_of(&r, ret[j])), offer(g, y[j]);
}

static inline void grow(gen *g, int steps)
{
    for (int i = 0; i < steps; i++) {
        if ((g->manual.n || g->lane) && pick(2)) {
            const uint32_t before = fuzz_named;
            const ir_id x = make_collective(g);
            if (!x) fuzz_named = before;
            take(g, x);
        }
        switch (pick(21)) {
        case 20: make_idiom(g); break;
        case 0: case 1: case 2: take(g, make_map(g)); break;
        case 3: case 4: take(g, make_move(g)); break;
        case 5: case 6: take(g, make_reduce(g)); break;
        case 7: case 8: take(g, make_dot(g)); break;
        case 9: take(g, make_window(g)); break;
        case 10: take(g, make_conv(g)); break;
        case 11: take(g, once_in(3) ? make_algebra(g) : make_index(g)); break;
        case 12: make_wish(g); break;
        case 13: make_while(g); break;
        case 14: make_branches(g); break;
        case 15: pick(2) ? make_call(g) : make_scan(g); break;
        case 16: make_manual(g); break;
        case 17: make_mapped(g); break;
        default: take(g, make_case(g));
        }
        base_clear_error();
    }
}

#endif
