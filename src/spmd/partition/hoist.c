/* spmd/partition/hoist.c - hoists reshards of loop-invariant values out of loops.
 *
 * A reshard of the partitioned body is hoisted if its operand depends only on invariant parameters (those that the body
 * returns unchanged). The reshard and the equations that compute its operand move before the loop, and the reshard's
 * result becomes one more invariant carry, for which the plan allocates and copies nothing. Equations of the body
 * without other readers are dropped.
 *
 * Memory: hoisted results live as long as the loop. In program order, reshards are hoisted while all their results
 * together need no more bytes per device than the loop's operands. So the weights of a recurrence are gathered once,
 * but a loop over minibatches around many sharded layers still gathers each layer where it is used. Slices of stacked
 * weights at the loop counter are not invariant: their reshards stay. */
#include "../inner.h"
#include "../../op/ops.h"

#include <string.h>

typedef struct {
    spmd_part *p; const ir_id *in;
    const ir_fn *body;
    bool *fixed;                                         /* [value of the body]: invariant */
    bool *leaves, *before;                               /* [equation]: hoisted reshard; computes its operand */
    bool *dead;                                          /* [equation]: hoisted, or read by hoisted equations only */
    uint32_t n;                                          /* number of hoisted reshards */
} hoist;

static bool quiet(const ir_eqn *e)
{
    return !e->nsub && !e->op->ordered && !e->op->states && e->op->kernel != OP_EXCHANGE;
}

static spmd_move move_of(const hoist *h, const ir_eqn *e)
{
    const spmd_sharding a = spmd_sharding_of(h->body->layout[e->in[0]]), b = spmd_sharding_of(h->body->layout[e->out]);
    return spmd_moving(h->p->state, IR_IN(e, 0), &a, &b);
}

int64_t spmd_hoist_budget(const spmd_state *s, const ir_fn *body, const mesh_layout *const *layouts)
{
    int64_t n = 0;
    for (uint32_t i = 0; i < body->narg; i++) {
        const spmd_sharding x = spmd_sharding_of(layouts[i]);
        n += spmd_local(s->mesh, body->type[1 + i], &x);
    }
    return n;
}

/* Marks in h->before the equations that the operands of e depend on. */
static void need(hoist *h, const ir_eqn *e)
{
    for (uint32_t i = 0; i < e->nin; i++) {
        const ir_eqn *d = ir_definition(h->body, e->in[i]);
        if (!d || h->before[d - h->body->eqn]) continue;
        h->before[d - h->body->eqn] = true;
        need(h, d);
    }
}

static void hoist_choose(hoist *h)
{
    const ir_fn *f = h->body;
    int64_t left = spmd_hoist_budget(h->p->state, f, f->layout + 1);
    for (uint32_t i = 0; i < f->narg; i++) h->fixed[1 + i] = op_invariant(f, i);
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *e = &f->eqn[k];
        bool all = quiet(e);
        for (uint32_t i = 0; i < e->nin; i++) all = all && h->fixed[e->in[i]];
        for (uint32_t j = 0; j < e->nout; j++) h->fixed[e->out + j] = all;
        if (!all || e->op != &prim_reshard || move_of(h, e).kind == SPMD_SLICE) continue;
        const spmd_sharding to = spmd_sharding_of(f->layout[e->out]);
        const int64_t bytes = spmd_local(h->p->state->mesh, IR_OUT(e, 0), &to);
        if (bytes > left) continue;
        left -= bytes;
        h->leaves[k] = true;
        h->n++;
        need(h, e);
    }
}

static void find_dead(hoist *h)
{
    const ir_fn *f = h->body;
    uint32_t *uses = ir_uses(f->arena, f);
    for (uint32_t k = f->neqn; k-- > 0;) {
        const ir_eqn *e = &f->eqn[k];
        bool read = false;
        for (uint32_t j = 0; j < e->nout; j++) read |= uses[e->out + j] != 0;
        h->dead[k] = h->leaves[k] || (h->before[k] && !read);
        for (uint32_t i = 0; h->dead[k] && i < e->nin; i++) uses[e->in[i]]--;
    }
}

/* Marks the note of a hoisted reshard as executed `times` times. Of several equal notes, any one is marked. */
static void note_once(hoist *h, const ir_eqn *e, int first, int64_t times)
{
    spmd_state *s = h->p->state;
    const mesh_layout *from = h->body->layout[e->in[0]], *to = h->body->layout[e->out];
    for (int i = first; i < s->nnote; i++) {
        spmd_note *n = &s->note[i];
        if (n->site != e->site || n->from != from || n->to != to || n->left) continue;
        if (n->bytes != ir_bytes(IR_IN(e, 0))) continue;
        n->times = times;
        n->left = true;
        return;
    }
}

/* Rebuilds f (condition or body) with h->n more parameters. The body returns them unchanged and loses the hoisted
 * equations. */
static ir_fn *hoist_widen_region(const hoist *h, const ir_fn *f)
{
    const bool body = f == h->body;
    ir_build *b = ir_begin(f->arena, f->name, f->mesh);
    ir_id *map = BASE_NEW(f->arena, ir_id, f->nvalue + 1), *ret = BASE_NEW(f->arena, ir_id, f->nret + h->n + 1);
    ir_id *more = BASE_NEW(f->arena, ir_id, h->n + 1);
    const mesh_layout **l = BASE_NEW(f->arena, const mesh_layout *, f->nvalue + h->n + 1);
    const spmd_factor_sharding **sharding = BASE_NEW(f->arena, const spmd_factor_sharding *, f->neqn + 1);
    uint32_t n = 0;
    for (uint32_t i = 1; i <= f->narg; i++) map[i] = ir_arg(b, f->type[i]), l[i] = f->layout[i];
    for (uint32_t k = 0; k < h->body->neqn; k++) {
        const ir_eqn *e = &h->body->eqn[k];
        if (!h->leaves[k]) continue;
        more[n] = ir_arg(b, IR_OUT(e, 0));
        l[more[n++]] = h->body->layout[e->out];
    }
    n = 0;
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *e = &f->eqn[k];
        if (body && h->dead[k]) {
            if (h->leaves[k]) map[e->out] = more[n++];
            continue;
        }
        ir_id *x = BASE_NEW(f->arena, ir_id, e->nin + 1);
        for (uint32_t i = 0; i < e->nin; i++) x[i] = map[e->in[i]];
        ir_site(b, e->site);
        const ir_id y = ir_clone(b, e, x);
        if (!y && e->nout) return NULL;
        sharding[ir_build_fn(b)->neqn - 1] = e->sharding;
        for (uint32_t j = 0; j < e->nout; j++) l[map[e->out + j] = y + j] = f->layout[e->out + j];
    }
    for (uint32_t i = 0; i < f->nret; i++) ret[i] = map[f->ret[i]];
    for (uint32_t i = 0; body && i < h->n; i++) ret[f->nret + i] = more[i];
    ir_fn *g = ir_end(b, f->nret + (body ? h->n : 0), ret);
    if (!g) return NULL;
    g->tag = f->tag;
    g->layout = l;
    for (uint32_t k = 0; k < g->neqn; k++) g->eqn[k].sharding = sharding[k];
    return g;
}

/* Emits the hoisted equations into p->b; out[i]: the new operands of the loop. */
static bool emit_hoisted(hoist *h, ir_id *out)
{
    const ir_fn *f = h->body;
    spmd_part *p = h->p;
    ir_id *map = BASE_NEW(f->arena, ir_id, f->nvalue + 1);
    uint32_t n = 0;
    memcpy(map + 1, h->in, f->narg * sizeof *map);
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *e = &f->eqn[k];
        if (!h->before[k] && !h->leaves[k]) continue;
        ir_id *x = BASE_NEW(f->arena, ir_id, e->nin + 1);
        for (uint32_t i = 0; i < e->nin; i++) x[i] = map[e->in[i]];
        ir_site(p->b, e->site);
        const ir_id y = ir_clone(p->b, e, x);
        if (!y) return false;
        spmd_set_sharding(p, e->sharding);
        for (uint32_t j = 0; j < e->nout; j++) spmd_set(p, map[e->out + j] = y + j, f->layout[e->out + j]);
        if (h->leaves[k]) out[n++] = y;
    }
    return true;
}

bool spmd_hoist(spmd_part *p, ir_fn **cond, ir_fn **body, int first, uint32_t *n, ir_id **in)
{
    const ir_fn *f = *body;
    hoist h = { .p = p, .in = *in, .body = f, .fixed = BASE_NEW(f->arena, bool, f->nvalue + 1),
                .leaves = BASE_NEW(f->arena, bool, f->neqn + 1), .before = BASE_NEW(f->arena, bool, f->neqn + 1),
                .dead = BASE_NEW(f->arena, bool, f->neqn + 1) };
    hoist_choose(&h);
    if (!h.n) return true;
    find_dead(&h);
    ir_id *wide = BASE_NEW(f->arena, ir_id, *n + h.n + 1);
    memcpy(wide, *in, *n * sizeof *wide);
    if (!emit_hoisted(&h, wide + *n)) return false;
    for (uint32_t k = 0; k < f->neqn; k++) if (h.leaves[k]) note_once(&h, &f->eqn[k], first, p->state->times);
    if (!(*cond = hoist_widen_region(&h, *cond)) || !(*body = hoist_widen_region(&h, f))) return false;
    *n += h.n;
    *in = wide;
    return true;
}
