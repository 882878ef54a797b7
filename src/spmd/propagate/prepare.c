/* spmd/propagate/prepare.c - copies a function so that every value may get a layout of its own.
 *
 * - Calls, remat and the primal functions of custom rules are inlined.
 * - Every loop, case and manual region gets its own copy of each region.
 * - Constant expressions are cloned for each use, so that the layout of a mask in one layer does not determine the
 *   layout in another: constants, iotas, broadcast scalars, and expressions of up to NODES elementwise and moving
 *   equations over constants. Scalars have no layout and stay shared.
 * After propagation, spmd_merge merges clones that got the same layout. */
#include "../inner.h"
#include "../../op/ops.h"

#include <string.h>

enum { NODES = 8 };

typedef struct {
    spmd_state *all;
    ir_build *b;
    const mesh_layout **layout; uint32_t nlayout;        /* [new id] */
} copy;
typedef struct {                                         /* a function being copied; callees go to the same copy */
    const ir_fn *from;
    ir_id *map;                                          /* [old id] -> new id; 0: cloned where used */
    uint8_t *nodes;                                      /* [old id]: equations of a constant expression; 0: not one */
    const ir_eqn **def;                                  /* [old id]: equation cloned for each use; NULL: shared */
} reading;

static bool moves(const op_prim *op)  /* True if op over constant operands gives a constant expression */
{
    return op->kernel == OP_MAP || op == &prim_broadcast_in_dim || op == &prim_reshape || op == &prim_transpose
           || op == &prim_slice;
}

static void classify(const reading *r, const ir_eqn *e)
{
    if (e->nout != 1 || e->nsub || e->op->ordered || e->op->kernel == OP_EXCHANGE) return;
    int n = e->nin ? 0 : 1;
    bool all = !e->nin || moves(e->op);
    for (uint32_t i = 0; i < e->nin && all; i++) all = r->nodes[e->in[i]] != 0, n += r->nodes[e->in[i]];
    n += e->nin != 0;
    if (all && n <= NODES) r->nodes[e->out] = (uint8_t)n;
    const bool spread = e->op == &prim_broadcast_in_dim && !IR_IN(e, 0)->rank;
    if (IR_OUT(e, 0)->rank && (r->nodes[e->out] || spread)) r->def[e->out] = e;
}

static ir_id use(copy *c, const reading *r, ir_id old)
{
    const ir_eqn *e = r->def[old];
    ir_id x[NODES + 1];
    if (!e) return r->map[old];
    for (uint32_t i = 0; i < e->nin; i++) x[i] = use(c, r, e->in[i]);
    ir_site(c->b, e->site);
    return ir_clone(c->b, e, x);
}

static void keep_layout(copy *c, const ir_fn *f, ir_id old, ir_id now)
{
    if (!f->layout || !f->layout[old]) return;
    if (now >= c->nlayout) {
        const uint32_t n = 2 * now + 64;
        const mesh_layout **grown = BASE_NEW(c->all->a, const mesh_layout *, n);
        if (c->nlayout) memcpy(grown, c->layout, c->nlayout * sizeof *grown);
        c->layout = grown;
        c->nlayout = n;
    }
    c->layout[now] = f->layout[old];
}

static void begin_reading(const copy *c, reading *r)
{
    r->map = BASE_NEW(c->all->a, ir_id, r->from->nvalue + 1);
    r->nodes = BASE_NEW(c->all->a, uint8_t, r->from->nvalue + 1);
    r->def = BASE_NEW(c->all->a, const ir_eqn *, r->from->nvalue + 1);
}

static bool equations(copy *c, reading *r);

static bool prepare_call(copy *c, const reading *r, const ir_eqn *e, const ir_id *x)
{
    reading inner = { .from = e->sub[0] };
    begin_reading(c, &inner);
    if (e->nin) memcpy(inner.map + 1, x, e->nin * sizeof *x);
    if (!equations(c, &inner)) return false;
    for (uint32_t j = 0; j < e->nout; j++)
        if (!(r->map[e->out + j] = use(c, &inner, e->sub[0]->ret[j]))) return false;
    return true;
}

static bool prepare_keep(copy *c, const reading *r, const ir_eqn *e, const ir_id *x)
{
    ir_fn **sub = BASE_NEW(c->all->a, ir_fn *, e->op->edges ? e->nsub : 0);
    for (uint32_t i = 0; e->op->edges && i < e->nsub; i++)
        if (!(sub[i] = spmd_prepare(c->all, e->sub[i]))) return false;
    const ir_id y = e->op->edges ? ir_emit(c->b, e->op, e->attr, e->nin, x, e->nsub, sub) : ir_clone(c->b, e, x);
    if (!y && e->nout) return false;
    for (uint32_t j = 0; j < e->nout; j++) keep_layout(c, r->from, e->out + j, r->map[e->out + j] = y + j);
    return true;
}

static bool equations(copy *c, reading *r)
{
    const ir_fn *f = r->from;
    uint32_t most = 1;
    for (uint32_t k = 0; k < f->neqn; k++) if (f->eqn[k].nin > most) most = f->eqn[k].nin;
    ir_id *x = BASE_NEW(c->all->a, ir_id, most);
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *e = &f->eqn[k];
        classify(r, e);
        if (e->nout && r->def[e->out]) continue;
        for (uint32_t i = 0; i < e->nin; i++) if (!(x[i] = use(c, r, e->in[i]))) return false;
        ir_site(c->b, e->site);
        if (!(op_is_call(e->op) ? prepare_call : prepare_keep)(c, r, e, x)) return false;
    }
    return true;
}

ir_fn *spmd_prepare(spmd_state *s, const ir_fn *f)
{
    copy c = { .all = s, .b = ir_begin(s->a, f->name, f->mesh) };
    reading r = { .from = f };
    begin_reading(&c, &r);
    for (uint32_t i = 1; i <= f->narg; i++) keep_layout(&c, f, i, r.map[i] = ir_arg(c.b, f->type[i]));
    if (!equations(&c, &r)) return NULL;
    ir_id *ret = BASE_NEW(s->a, ir_id, f->nret);
    for (uint32_t i = 0; i < f->nret; i++) if (!(ret[i] = use(&c, &r, f->ret[i]))) return NULL;
    ir_fn *g = ir_end(c.b, f->nret, ret);
    if (!g) return NULL;
    g->tag = f->tag;
    if (f->donate && f->narg) g->donate = BASE_COPY(s->a, f->donate, f->narg);
    g->layout = BASE_NEW(s->a, const mesh_layout *, g->nvalue + 1);
    for (uint32_t i = 1; i <= g->nvalue && i < c.nlayout; i++) g->layout[i] = c.layout[i];
    return g;
}

/* ---- merging ---- */

typedef struct { uint32_t *slot; uint32_t cap; } table;   /* 1 + index of an equation; 0: free */

/* True if e is a constant expression or the broadcast of a scalar. known[id]: value id is a constant expression; set
 * for e's result. */
static bool prepare_made(const ir_eqn *e, bool *known)
{
    bool all = !e->nin || moves(e->op);
    if (e->nout != 1 || e->nsub || e->op->ordered || e->op->kernel == OP_EXCHANGE) return false;
    for (uint32_t i = 0; i < e->nin && all; i++) all = known[e->in[i]];
    known[e->out] = all;
    return all || (e->op == &prim_broadcast_in_dim && !IR_IN(e, 0)->rank);
}

/* The earlier equation that equals e; NULL: none, and e is entered as equation k. */
static const ir_eqn *prepare_find(const table *t, const ir_fn *f, const ir_eqn *e, uint32_t k)
{
    uint64_t h = base_hash((uint64_t)(uintptr_t)e->op ^ (uint64_t)(uintptr_t)e->attr * 31, e->in,
                           e->nin * sizeof *e->in);
    for (h ^= (uint64_t)(uintptr_t)f->layout[e->out] * 17;; h++) {
        uint32_t *s = &t->slot[h & (t->cap - 1)];
        if (!*s) {
            *s = k + 1;
            return NULL;
        }
        const ir_eqn *d = &f->eqn[*s - 1];
        if (d->op == e->op && d->attr == e->attr && d->nin == e->nin && f->layout[d->out] == f->layout[e->out]
            && (!e->nin || !memcmp(d->in, e->in, e->nin * sizeof *e->in)))
            return d;
    }
}

void spmd_merge(spmd_state *s, ir_fn *f, ir_id *now)
{
    table t = { .cap = 64 };
    uint32_t n = 0, next = f->narg;
    bool *known = BASE_NEW(s->a, bool, f->nvalue + 1);
    while (t.cap < 2 * f->neqn) t.cap *= 2;
    t.slot = BASE_NEW(s->a, uint32_t, t.cap);
    const ir_eqn *old = f->eqn;                          /* stays valid for other pointers to equations */
    f->eqn = BASE_NEW(s->a, ir_eqn, f->neqn);
    for (uint32_t i = 0; i <= f->narg; i++) now[i] = i;
    for (uint32_t k = 0; k < f->neqn; k++) {
        ir_eqn e = old[k];
        ir_id *in = BASE_NEW(s->a, ir_id, e.nin);
        for (uint32_t i = 0; i < e.nin; i++) in[i] = now[e.in[i]];
        const ir_id was = e.out;
        e.in = in;
        e.out = next + 1;                                /* <= the old id: overwrites nothing unread */
        for (uint32_t j = 0; j < e.nout; j++) {
            f->layout[e.out + j] = f->layout[was + j];
            f->type[e.out + j] = f->type[was + j];
            now[was + j] = e.out + j;
        }
        f->eqn[n] = e;
        const ir_eqn *same = prepare_made(&e, known) ? prepare_find(&t, f, &e, n) : NULL;
        if (same) {
            now[was] = same->out;
            continue;
        }
        n++;
        next += e.nout;
    }
    for (uint32_t i = 0; i < f->nret; i++) f->ret[i] = now[f->ret[i]];
    f->neqn = n;
    f->nvalue = next;
}
