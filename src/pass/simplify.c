/* pass/simplify.c - simplification by forward sweeps: removes dead equations, inlines calls, folds constants, applies
 * rules, merges equal equations.
 *
 * - Equations are equal if primitive, attributes, operands and regions are equal (regions by content).
 * - Equations with effects and barriers are never merged; a barrier keeps two computations apart. Equations with
 *   effects are never removed.
 * - The result of a rule is taken only if its type is exactly the type of the result that it replaces.
 * - Rules read the new function, so they see operands in their final form, and one sweep does nearly everything; a
 *   second sweep removes equations that are dead after the first one. Dead equations are not counted as readers, so a
 *   sweep that only removes dead equations is the last. */
#include "inner.h"
#include "../op/ops.h"

#include <string.h>

/* ---- sharing ---- */

static uint64_t hash_of(const op_prim *op, const void *attr, uint32_t nin, const ir_id *in, uint32_t nsub,
                        ir_fn *const *sub)
{
    uint64_t h = base_hash((uint64_t)(uintptr_t)op ^ (uint64_t)(uintptr_t)attr * 31, in, nin * sizeof *in);
    for (uint32_t i = 0; i < nsub; i++) h = h * 0x9E3779B97F4A7C15u + ir_hash(sub[i]);
    return h;
}

static bool equal(const ir_eqn *e, const op_prim *op, const void *attr, uint32_t nin, const ir_id *in, uint32_t nsub,
                  ir_fn *const *sub)
{
    if (e->op != op || e->attr != attr || e->nin != nin || e->nsub != nsub) return false;
    if (nin && memcmp(e->in, in, nin * sizeof *in)) return false;
    for (uint32_t i = 0; i < nsub; i++) if (e->sub[i] != sub[i] && ir_hash(e->sub[i]) != ir_hash(sub[i])) return false;
    return true;
}

static bool sharable(const op_prim *op, uint32_t nsub, ir_fn *const *sub)
{
    bool good = !op->ordered && op != &prim_barrier;
    for (uint32_t i = 0; i < nsub && good; i++) good = !sub[i]->ordered;
    return good;
}

static void insert(pass_simplifier *s, uint64_t h, uint32_t number)
{
    size_t i = h & (s->cap - 1);
    while (s->table[i]) i = (i + 1) & (s->cap - 1);
    s->table[i] = number;
    s->used++;
}

static void enlarge(pass_simplifier *s)
{
    const ir_fn *f = ir_build_fn(s->b);
    s->cap *= 2;
    s->table = BASE_NEW(s->a, uint32_t, s->cap);
    s->used = 0;
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *e = &f->eqn[k];
        if (sharable(e->op, e->nsub, e->sub)) insert(s, hash_of(e->op, e->attr, e->nin, e->in, e->nsub, e->sub), k + 1);
    }
}

/* Emits an equation, or returns the result of an equal one. like: an equation that differs only in operands and
 * regions; NULL: none. */
static ir_id simplify_emit(pass_simplifier *s, const ir_eqn *like, const op_prim *op, const void *attr, uint32_t nin,
    const ir_id *in,
                           uint32_t nsub, ir_fn *const *sub)
{
    if (!sharable(op, nsub, sub)) return ir_emit(s->b, op, attr, nin, in, nsub, sub);
    const void *own = ir_attr_intern(op, attr);
    if (2 * (s->used + 1) > s->cap) enlarge(s);
    const uint64_t h = hash_of(op, own, nin, in, nsub, sub);
    for (size_t i = h & (s->cap - 1); s->table[i]; i = (i + 1) & (s->cap - 1)) {
        const ir_eqn *e = &ir_build_fn(s->b)->eqn[s->table[i] - 1];
        if (!equal(e, op, own, nin, in, nsub, sub)) continue;
        s->changed++;
        return e->out;
    }
    const uint32_t before = ir_build_fn(s->b)->neqn;
    const ir_id y = like && !nsub ? ir_clone(s->b, like, in) : ir_emit(s->b, op, own, nin, in, nsub, sub);
    if (ir_build_fn(s->b)->neqn > before)
        insert(s, h, ir_build_fn(s->b)->neqn); /* the last one: casts may precede */
    return y;
}

ir_id pass_emit(pass_simplifier *s, const op_prim *op, const void *attr, uint32_t nin, const ir_id *in, uint32_t nsub,
                ir_fn *const *sub)
{
    return simplify_emit(s, NULL, op, attr, nin, in, nsub, sub);
}

/* ---- the sweep ---- */

static void simplify_mark(const ir_fn *f, uint32_t *uses)
{
    for (uint32_t i = 0; i < f->nret; i++) uses[f->ret[i]]++;
    for (uint32_t k = f->neqn; k-- > 0;) {
        const ir_eqn *e = &f->eqn[k];
        bool live = ir_ordered(e);
        for (uint32_t j = 0; j < e->nout; j++) live |= uses[e->out + j] != 0;
        for (uint32_t i = 0; live && i < e->nin; i++) uses[e->in[i]]++;
    }
}

/* Copies the attributes of a function other than its equations. */
void pass_like(ir_fn *g, const ir_fn *f)
{
    g->tag = f->tag;
    if (f->donate) g->donate = BASE_COPY(g->arena, f->donate, f->narg);
    if (!f->layout) return;
    g->layout = BASE_NEW(g->arena, const mesh_layout *, g->nvalue + 1);
    for (uint32_t i = 1; i <= f->narg; i++) g->layout[i] = f->layout[i];
}

static bool sweep(pass_simplifier *s, const ir_fn *f, const ir_id *in, ir_id *out);
static ir_fn *sweep_fn(base_arena *, const mesh *, const ir_fn *, uint32_t *changed);

/* Simplifies a region. A region of at most one equation (a reducer) cannot be simplified and is shared, unless it is on
 * another mesh or in another arena. */
static ir_fn *simplify_region(pass_simplifier *s, ir_fn *f)
{
    const bool done = f->neqn <= 1 && f->mesh == s->mesh && f->arena == s->a;
    return done ? f : sweep_fn(s->a, s->mesh, f, &s->changed);
}

static bool simplify_keep(pass_simplifier *s, const pass_from *p, const ir_eqn *e, const ir_id *x)
{
    ir_fn **sub = IR_NEW(s->b, ir_fn *, e->nsub + 1);
    for (uint32_t i = 0; i < e->nsub; i++)
        if (!(sub[i] = simplify_region(s, e->sub[i]))) return false;
    const ir_id y = simplify_emit(s, e, e->op, e->attr, e->nin, x, e->nsub, sub);
    for (uint32_t j = 0; j < e->nout; j++) p->map[e->out + j] = y + j;
    return y || !e->nout;
}

static bool simplify_equation(pass_simplifier *s, const pass_from *p, const ir_eqn *e, ir_id *x)
{
    bool live = ir_ordered(e);
    for (uint32_t j = 0; j < e->nout; j++) live |= p->uses[e->out + j] != 0;
    if (!live) return true;
    for (uint32_t i = 0; i < e->nin; i++) x[i] = p->map[e->in[i]];
    if (e->site) ir_site(s->b, e->site);
    if (op_is_call(e->op)) {
        s->changed++;
        return sweep(s, e->sub[0], x, p->map + e->out);
    }
    if (e->nout == 1 && !ir_ordered(e)) {
        ir_id y = pass_constant_fold(s, e, x);
        if (!y) y = pass_simplify_rule(s, p, e, x);
        if (y && ir_typeof(s->b, y) == IR_OUT(e, 0)) {
            s->changed++;
            p->map[e->out] = y;
            return true;
        }
    }
    return simplify_keep(s, p, e, x);
}

static bool sweep(pass_simplifier *s, const ir_fn *f, const ir_id *in, ir_id *out)
{
    pass_from p = { f, IR_NEW(s->b, ir_id, f->nvalue + 1), IR_NEW(s->b, uint32_t, f->nvalue + 1) };
    uint32_t most = 1;
    for (uint32_t k = 0; k < f->neqn; k++) if (f->eqn[k].nin > most) most = f->eqn[k].nin;
    ir_id *x = IR_NEW(s->b, ir_id, most);
    memcpy(p.map + 1, in, f->narg * sizeof *in);
    simplify_mark(f, p.uses);
    const uint64_t before = base_failures();
    for (uint32_t k = 0; k < f->neqn; k++)
        if (!simplify_equation(s, &p, &f->eqn[k], x) || base_failures() != before) return false;
    for (uint32_t i = 0; i < f->nret; i++) out[i] = p.map[f->ret[i]];
    return true;
}

static ir_fn *sweep_fn(base_arena *a, const mesh *m, const ir_fn *f, uint32_t *changed)
{
    pass_simplifier s = { .a = a, .mesh = m, .b = ir_begin(a, f->name, m), .cap = 64 };
    while (s.cap < 2 * (size_t)f->neqn + 2) s.cap *= 2;
    s.table = BASE_NEW(a, uint32_t, s.cap);
    ir_id *in = IR_NEW(s.b, ir_id, f->narg + 1), *out = IR_NEW(s.b, ir_id, f->nret + 1);
    for (uint32_t i = 0; i < f->narg; i++) in[i] = ir_arg(s.b, f->type[1 + i]);
    if (!sweep(&s, f, in, out)) return NULL;
    ir_fn *g = ir_end(s.b, f->nret, out);
    if (!g) return NULL;
    pass_like(g, f);
    *changed += s.changed;
    return g;
}

ir_fn *pass_simplify(base_arena *a, const ir_fn *f)
{
    enum { SWEEPS = 4 };
    uint32_t changed = 1;
    ir_fn *g = NULL;
    for (int i = 0; i < SWEEPS && changed; i++) {
        changed = 0;
        if (!(g = sweep_fn(a, f->mesh, f, &changed))) return NULL;
        f = g;
    }
    return g;
}
