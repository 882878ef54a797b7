/* spmd/partition/loops.c - while: one layout for each carry, at operand, parameters, return and result.
 *
 * The layout of a carry is the first of:
 * (a) the target, if propagation gives one;
 * (b) the initial value's, if the body returns the carry in that layout;
 * (c) the finer one that the body returns, if it is stable;
 * (d) replicated.
 *
 * A carry that begins as zeros and is only added to may stay an unreduced sum through the loop: acc += part of a
 * gradient then needs one reduction after the loop instead of one per iteration. To find the layout, the body is
 * partitioned once with the carry treated as zeros, which may be a partial sum over any atoms; the layout that the body
 * then returns is tried as the carry's, and must be stable. */
#include "../inner.h"
#include "../../op/ops.h"

#include <string.h>

typedef struct {
    spmd_part *p; const ir_eqn *e; ir_id *in;
    const mesh_layout **layouts, **requested;            /* [nin]: of carries; required of returns, or NULL */
    bool *open;                                          /* carries that may stay unreduced sums */
    ir_fn *body;
    int notes;                                           /* number of notes before the loop */
    int64_t rounds;
} loop;

static bool finer(const mesh_layout *a, const mesh_layout *b)    /* True if a's list of each dim is a prefix of b's */
{
    for (int d = 0; d < a->rank; d++) if (!spmd_is_prefix(a->dim[d].atoms, b->dim[d].atoms)) return false;
    return true;
}

static bool loops_same(const mesh_layout *a, const mesh_layout *b)
{
    return a->partial == b->partial && finer(a, b) && finer(b, a);
}

static bool run_body(loop *l, const bool *open)
{
    spmd_state *s = l->p->state;
    const ir_fn *outer = s->loop;
    const int64_t rounds = s->rounds, capacity = s->hoist_bytes;
    s->loop = l->rounds > 1 ? l->e->sub[1] : NULL;
    s->rounds = l->rounds;
    s->hoist_bytes = spmd_hoist_budget(s, l->e->sub[1], l->layouts);
    l->body = spmd_function(s, l->e->sub[1], l->layouts, l->requested, open);
    s->loop = outer, s->rounds = rounds, s->hoist_bytes = capacity;
    return l->body;
}

/* Finds stable layouts of carries without a target. Terminates, since each layout changes at most twice. */
static bool loops_settle(loop *l)
{
    enum { INITIAL, BODYS, REPLICATED };
    spmd_state *s = l->p->state;
    char *state = BASE_NEW(s->a, char, l->e->nin);
    for (;;) {
        bool changed = false;
        s->nnote = l->notes;
        if (!run_body(l, NULL)) return false;
        for (uint32_t i = 0; i < l->e->nin; i++) {
            const mesh_layout *r = spmd_ret_layout(l->body, i);
            if (l->requested[i] || loops_same(r, l->layouts[i])) continue;
            state[i] = state[i] == INITIAL && finer(l->layouts[i], r) ? BODYS : REPLICATED;
            l->layouts[i] = state[i] == BODYS ? r : spmd_replicated(s, r->rank);
            if (state[i] == REPLICATED) l->requested[i] = l->layouts[i];
            changed = true;
        }
        if (!changed) return true;
    }
}

/* ---- unreduced sums ---- */

static const ir_eqn *consumer_of(const ir_fn *f, ir_id v, uint32_t *operand)    /* the only reader, or NULL */
{
    const ir_eqn *r = NULL;
    for (uint32_t k = 0; k < f->neqn; k++)
        for (uint32_t i = 0; i < f->eqn[k].nin; i++) {
            if (f->eqn[k].in[i] != v) continue;
            if (r) return NULL;
            r = &f->eqn[k];
            *operand = i;
        }
    return r;
}

static bool returned_once(const ir_fn *f, ir_id v, uint32_t as)
{
    for (uint32_t i = 0; i < f->nret; i++) if ((f->ret[i] == v) != (i == as)) return false;
    return true;
}

/* True if the loop only adds to carry i: from parameter to return, each value has one reader, which is jointly linear
 * in the value, and the condition does not read the carry. */
static bool only_added_to(const ir_eqn *e, uint32_t i)
{
    const ir_fn *cond = e->sub[0], *body = e->sub[1];
    uint32_t at = 0;
    ir_id v = 1 + i;
    if (consumer_of(cond, v, &at) || body->ret[i] == v) return false;
    for (uint32_t k = 0; k < cond->nret; k++) if (cond->ret[k] == v) return false;
    while (body->ret[i] != v) {
        const ir_eqn *r = consumer_of(body, v, &at);
        if (!r || r->nout != 1 || !spmd_linear_in(r, at) || r->op->linear(r).kind != OP_JOINT) return false;
        for (uint32_t k = 0; k < body->nret; k++) if (body->ret[k] == v) return false;
        v = r->out;
    }
    return returned_once(body, v, i) && !consumer_of(body, v, &at);
}

/* Tries the carries of l->open as unreduced sums. On return l->body fits the layouts found, and l->open holds the
 * carries that stay unreduced. Returns false on an error. */
static bool try_open(loop *l)
{
    spmd_state *s = l->p->state;
    const uint32_t n = l->e->nin;
    const int notes = s->nnote;
    const mesh_layout **layouts = BASE_COPY(s->a, l->layouts, n), **saved = BASE_COPY(s->a, l->requested, n);
    ir_fn *body = l->body;
    bool any = false, held = true;
    for (uint32_t i = 0; i < n; i++) any |= l->open[i];
    if (!any) return true;
    if (!run_body(l, l->open)) return false;
    any = false;
    for (uint32_t i = 0; i < n; i++) {
        const mesh_layout *r = spmd_ret_layout(l->body, i);
        if (!(l->open[i] = l->open[i] && r->partial && r->reduce == MESH_SUM)) continue;
        l->layouts[i] = l->requested[i] = r;
        any = true;
    }
    if (!any) return l->body = body, s->nnote = notes, true;
    s->nnote = l->notes;
    if (!run_body(l, NULL)) return false;
    for (uint32_t i = 0; i < n; i++)
        held = held && (!l->open[i] || loops_same(spmd_ret_layout(l->body, i), l->layouts[i]));
    if (held) return true;
    for (uint32_t i = 0; i < n; i++) l->open[i] = false, l->layouts[i] = layouts[i], l->requested[i] = saved[i];
    s->nnote = l->notes;
    return run_body(l, NULL);
}

/* Zeros as a partial sum: the constant is cloned, so that every device has its own zeros. */
static ir_id loops_zeros(spmd_part *p, ir_id id, const mesh_layout *to)
{
    const ir_eqn *d = ir_def(p->b, id);
    const base_site former = ir_site(p->b, d->site);
    const ir_id y = ir_clone(p->b, d, d->in);
    ir_site(p->b, former);
    if (y) spmd_set(p, y, to);
    return y;
}

/* ---- trip counts ---- */

static bool integer(const ir_eqn *d, int64_t *v)
{
    if (!d || d->op != &prim_const || ir_count(IR_OUT(d, 0)) != 1) return false;
    const ir_class c = ir_dtype_of(IR_OUT(d, 0)->dtype)->cls;
    if (c != IR_INT_CLASS && c != IR_UINT_CLASS) return false;
    const ir_box b = ir_box_dense((void *)(uintptr_t)IR_ATTR(d, op_const_attr)->data.p, IR_OUT(d, 0));
    const int64_t at[IR_RANK] = { 0 };
    *v = ir_load(&b, at).i;
    return true;
}

/* Trip count of a loop whose condition is counter < constant, where the counter begins at a constant and grows by a
 * positive constant; 0: not known. */
static int64_t rounds(loop *l)
{
    const ir_fn *cond = l->e->sub[0], *body = l->e->sub[1];
    const ir_eqn *test = ir_definition(cond, cond->ret[0]);
    int64_t first, last, by;
    if (!test || test->op != &prim_compare ||
        IR_ATTR(test, op_compare_attr)->comparison_direction != OP_CMP_LT) return 0;
    const ir_id k = test->in[0];
    if (k > cond->narg || !integer(ir_definition(cond, test->in[1]), &last)) return 0;
    const ir_eqn *next = ir_definition(body, body->ret[k - 1]);
    if (!next || next->op != &prim_add || !integer(ir_def(l->p->b, l->in[k - 1]), &first)) return 0;
    const ir_id step = next->in[0] == k ? next->in[1] : next->in[1] == k ? next->in[0] : 0;
    if (!step || !integer(ir_definition(body, step), &by) || by < 1 || last <= first) return 0;
    return (last - first + by - 1) / by;
}

/* ---- the rule ---- */

static bool carries(loop *l)
{
    spmd_part *p = l->p;
    const ir_eqn *e = l->e;
    for (uint32_t i = 0; i < e->nin; i++) {
        const spmd_reason why = { e->site, base_format(p->state->a, "carry %u of a loop", i), false, e->in[i],
                                  e->out + i, 0 };
        if (!(l->in[i] = spmd_finish(p, e->in[i], &why))) return false;
        l->layouts[i] = p->layout[l->in[i]];
        if (spmd_target(p->from, e->out + i, &l->requested[i])) l->layouts[i] = l->requested[i];
        l->open[i] = !op_invariant(e->sub[1], i) && spmd_is_zero(p, l->in[i]) && only_added_to(e, i);
    }
    return true;
}

bool spmd_while(spmd_part *p, const ir_eqn *e, ir_id *in)
{
    spmd_state *s = p->state;
    loop l = { p, e, in, BASE_NEW(s->a, const mesh_layout *, e->nin), BASE_NEW(s->a, const mesh_layout *, e->nin),
               BASE_NEW(s->a, bool, e->nin), NULL, s->nnote, 0 };
    const mesh_layout *one = spmd_replicated(s, 0);
    const int64_t times = s->times;
    if (!carries(&l)) return false;
    l.notes = s->nnote;
    s->times *= l.rounds = rounds(&l);
    if (!loops_settle(&l)) return false;
    if (!try_open(&l)) return false;
    ir_fn *cond = spmd_function(s, e->sub[0], l.layouts, &one, NULL);
    s->times = times;
    if (!cond) return false;
    for (uint32_t i = 0; i < e->nin; i++) {
        const spmd_reason why = { e->site, base_format(s->a, "carry %u of a loop", i), false, e->in[i], e->out + i, 0 };
        in[i] = l.layouts[i]->partial ? loops_zeros(p, in[i], l.layouts[i]) : spmd_reshard(p, in[i], l.layouts[i],
            &why);
        if (!in[i]) return false;
    }
    uint32_t n = e->nin;
    if (!spmd_hoist(p, &cond, &l.body, l.notes, &n, &in)) return false;
    ir_site(p->b, e->site);
    const ir_id y = ir_emit(p->b, e->op, e->attr, n, in, 2, (ir_fn *const[]){ cond, l.body });
    for (uint32_t i = e->nin; y && i < n; i++) spmd_set(p, y + i, p->layout[in[i]]);
    if (y || !e->nout) spmd_results(p, e, y, l.layouts);
    return y || !e->nout;
}
