/* pass/hoist.c - hoists loop-invariant equations out of while loops.
 *
 * An equation of a body is hoisted if every operand is an invariant parameter (one that the body returns unchanged) or
 * the result of a hoisted equation. The result becomes one more invariant carry, which the plan neither allocates nor
 * copies (plan/lower/loop.c).
 * - Hoisted: contractions, convolutions, reductions, sorts, and moves that cost memory traffic (gathers, slices).
 * - Not hoisted: elementwise equations, since they fuse with their consumers and carrying their results would cost more
 *   than hoisting saves; equations with effects; collectives. */
#include "inner.h"
#include "../op/ops.h"

#include <string.h>

typedef struct { base_arena *a; const ir_fn *f; ir_build *b; ir_id *map; } hoist;

static bool worth(const ir_eqn *e)
{
    const op_kernel k = e->op->kernel;
    if (e->op->ordered || e->op->states || e->op->edges || !e->nin) return false;
    return k == OP_CONTRACT || k == OP_REDUCE ||
           (k == OP_MOVE && e->op != &prim_broadcast_in_dim && e->op != &prim_reshape);
}

/* Marks the equations of the body to hoist and the invariant values (fixed[id]); returns the number of hoisted
 * results. */
static uint32_t leavers(const ir_fn *body, bool *fixed, bool *leaves)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < body->narg; i++) fixed[1 + i] = op_invariant(body, i);
    for (uint32_t k = 0; k < body->neqn; k++) {
        const ir_eqn *e = &body->eqn[k];
        bool all = worth(e);
        for (uint32_t i = 0; i < e->nin; i++) all &= fixed[e->in[i]];
        leaves[k] = all;
        for (uint32_t j = 0; j < e->nout; j++) fixed[e->out + j] = all, n += all;
    }
    return n;
}

/* Rebuilds a region with nmore parameters appended. The body loses the hoisted equations and returns the new
 * parameters. */
static ir_fn *hoist_widen(hoist *h, const ir_fn *f, const ir_fn *body, const bool *leaves, uint32_t nmore)
{
    ir_build *b = ir_begin(h->a, f->name, f->mesh);
    ir_id *map = IR_NEW(b, ir_id, f->nvalue + 1), *ret = IR_NEW(b, ir_id, f->nret + nmore + 1);
    ir_id *more = IR_NEW(b, ir_id, nmore);
    uint32_t n = 0;
    for (uint32_t i = 1; i <= f->narg; i++) map[i] = ir_arg(b, f->type[i]);
    for (uint32_t k = 0; k < body->neqn; k++)
        for (uint32_t j = 0; leaves[k] && j < body->eqn[k].nout; j++) more[n++] = ir_arg(b, IR_OUT(&body->eqn[k], j));
    n = 0;
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *e = &f->eqn[k];
        ir_id *x = IR_NEW(b, ir_id, e->nin + 1), y = 0;
        for (uint32_t i = 0; i < e->nin; i++) x[i] = map[e->in[i]];
        const bool gone = f == body && leaves[k];
        ir_site(b, e->site);
        if (!gone && !(y = ir_clone(b, e, x)) && e->nout) return NULL;
        for (uint32_t j = 0; j < e->nout; j++) map[e->out + j] = gone ? more[n++] : y + j;
    }
    for (uint32_t i = 0; i < f->nret; i++) ret[i] = map[f->ret[i]];
    for (uint32_t i = 0; f == body && i < nmore; i++) ret[f->nret + i] = more[i];
    return ir_end(b, f->nret + (f == body ? nmore : 0), ret);
}

static bool hoist_loop(hoist *h, const ir_eqn *e, ir_fn *const *sub, const ir_id *x, ir_id *y)
{
    const ir_fn *body = sub[1];
    bool *fixed = IR_NEW(h->b, bool, body->nvalue + 1), *leaves = IR_NEW(h->b, bool, body->neqn + 1);
    const uint32_t nmore = leavers(body, fixed, leaves);
    ir_id *in = IR_NEW(h->b, ir_id, e->nin + nmore + 1), *map = IR_NEW(h->b, ir_id, body->nvalue + 1), first;
    uint32_t n = e->nin;
    memcpy(in, x, e->nin * sizeof *in);
    memcpy(map + 1, x, e->nin * sizeof *in);
    for (uint32_t k = 0; k < body->neqn; k++) {
        const ir_eqn *d = &body->eqn[k];
        if (!leaves[k]) continue;
        ir_id *arg = IR_NEW(h->b, ir_id, d->nin + 1);
        for (uint32_t i = 0; i < d->nin; i++) arg[i] = map[d->in[i]];
        ir_site(h->b, d->site);
        if (!(first = ir_clone(h->b, d, arg))) return false;
        for (uint32_t j = 0; j < d->nout; j++) in[n++] = map[d->out + j] = first + j;
    }
    ir_fn *const wide[2] = { nmore ? hoist_widen(h, sub[0], body, leaves, nmore) : sub[0],
                             nmore ? hoist_widen(h, body, body, leaves, nmore) : sub[1] };
    if (!wide[0] || !wide[1]) return false;
    ir_site(h->b, e->site);
    first = ir_emit(h->b, e->op, e->attr, n, in, 2, wide);
    for (uint32_t j = 0; j < e->nout; j++) y[j] = first + j;
    return first || !e->nout;
}

static bool has_while(const ir_fn *f)
{
    for (uint32_t k = 0; k < f->neqn; k++) {
        if (f->eqn[k].op == &prim_while) return true;
        for (uint32_t i = 0; i < f->eqn[k].nsub; i++) if (has_while(f->eqn[k].sub[i])) return true;
    }
    return false;
}

ir_fn *pass_hoist(base_arena *a, const ir_fn *f)
{
    if (!has_while(f)) return (ir_fn *)(uintptr_t)f;
    hoist h = { a, f, ir_begin(a, f->name, f->mesh), BASE_NEW(a, ir_id, f->nvalue + 1) };
    ir_id *ret = IR_NEW(h.b, ir_id, f->nret + 1);
    for (uint32_t i = 1; i <= f->narg; i++) h.map[i] = ir_arg(h.b, f->type[i]);
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *e = &f->eqn[k];
        ir_id *x = IR_NEW(h.b, ir_id, e->nin + 1), y;
        ir_fn **sub = IR_NEW(h.b, ir_fn *, e->nsub + 1);
        for (uint32_t i = 0; i < e->nin; i++) x[i] = h.map[e->in[i]];
        for (uint32_t i = 0; i < e->nsub; i++) if (!(sub[i] = pass_hoist(a, e->sub[i]))) return NULL;
        if (e->op == &prim_while) {
            if (!hoist_loop(&h, e, sub, x, h.map + e->out)) return NULL;
            continue;
        }
        ir_site(h.b, e->site);
        if (!(y = ir_emit(h.b, e->op, e->attr, e->nin, x, e->nsub, sub)) && e->nout) return NULL;
        for (uint32_t j = 0; j < e->nout; j++) h.map[e->out + j] = y + j;
    }
    for (uint32_t i = 0; i < f->nret; i++) ret[i] = h.map[f->ret[i]];
    ir_fn *g = ir_end(h.b, f->nret, ret);
    if (!g) return NULL;
    pass_like(g, f);
    return g;
}
