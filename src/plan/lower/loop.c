/* plan/lower/loop.c - lowers while and case to nested blocks.
 *
 * A loop's carry is one buffer: an entry copy fills it (unless the loop itself does, counted_loop.c), the body reads
 * it, a copy at the body's end refills it, and after the loop it is the result. All these values share one root; live.c
 * drops the copies whose source can be computed in the buffer itself. An operand that the body returns unchanged is not
 * a carry: the body reads it where it is.
 *
 * Control flow is one decision for all devices.
 * - A case whose index differs between devices runs all its branches and selects.
 * - A loop whose condition differs runs while the condition is true on any device, and devices whose condition is false
 *   keep their values. If the body communicates along the axis over which the condition differs, no order of messages
 *   is right: this is an error. */
#include "../inner.h"
#include "../../op/ops.h"

#include <string.h>

/* ---- functions that choose, for conditions that differ ---- */

static const ir_type *loop_plain_type(const plan_value *v) { return ir_type_of(v->dtype, v->rank, v->dim); }

/* (p, x, y) -> p ? x : y, emitted as equations of block b. */
static bool loop_choose(plan_flat *f, plan_block *b, const ir_eqn *e, plan_id p, plan_id x, plan_id y, plan_id *out)
{
    const plan_value v = f->value[x];
    ir_build *g = ir_begin(f->a, base_intern("choose"), f->mesh);
    ir_site(g, e->site);
    const ir_type *t = loop_plain_type(&v), *pt = ir_type_of(TT_BOOL, v.rank, v.dim);
    const ir_id a = ir_arg(g, ir_type_of(TT_BOOL, 0, NULL)), c = ir_arg(g, t), d = ir_arg(g, t);
    const ir_id r = op_select(g, v.rank ? op_broadcast(g, a, pt, 0, NULL) : a, c, d);
    ir_fn *fn = r ? ir_end(g, 1, &r) : NULL;
    if (!fn) return false;
    fn->layout = BASE_NEW(f->a, const mesh_layout *, fn->nvalue + 2);
    for (ir_id i = 2; i <= fn->nvalue; i++) fn->layout[i] = v.layout;
    return plan_walk(f, b, fn, (const plan_id[]){ p, x, y }, out);
}

/* i -> i == k, emitted as equations of block b. */
static bool loop_is_branch(plan_flat *f, plan_block *b, const ir_eqn *e, plan_id index, int64_t k, plan_id *out)
{
    ir_build *g = ir_begin(f->a, base_intern("picks"), f->mesh);
    ir_site(g, e->site);
    const ir_id i = ir_arg(g, loop_plain_type(&f->value[index]));
    const ir_id r = op_compare(g, OP_CMP_EQ, i, op_int(g, f->value[index].dtype, k));
    ir_fn *fn = r ? ir_end(g, 1, &r) : NULL;
    return fn && plan_walk(f, b, fn, &index, out);
}

/* ---- while ---- */

typedef struct {
    plan_flat *f; const ir_eqn *e; plan_item *loop;
    mesh_set *vary;                                      /* of each carry */
    bool *fixed;                                         /* [nout]: the body returns the operand unchanged */
    plan_id *param, *ret;
    mesh_set differs;                                    /* atoms over which the condition differs */
} loop;

/* Reduces a condition that differs between devices to one that does not: true if it is true on any device. */
static plan_id anywhere(plan_flat *f, plan_block *b, const ir_eqn *e, plan_id test, mesh_set over)
{
    const plan_id any = plan_move(f, b, e, test, plan_new(f, TT_BOOL, 0, NULL, NULL, 0));
    b->item[b->n - 1]->move.route = (run_route){ .over = over, .reduce = MESH_OR };
    return any;
}

static bool condition(loop *l)
{
    plan_flat *f = l->f;
    plan_item *t = l->loop;
    if (!plan_walk(f, &t->nested[PLAN_COND], l->e->sub[0], l->param, &t->loop.test)) return false;
    l->differs = f->value[t->loop.test].vary;
    return true;
}

/* Refills the carries' buffers, each after the last read of its old content: a returned value that is the old content
 * of another carry is saved first. */
static void refill(loop *l)
{
    plan_flat *f = l->f;
    plan_block *body = &l->loop->nested[PLAN_BODY];
    for (uint32_t i = 0; i < l->e->nout; i++)
        for (uint32_t k = 0; k < l->e->nout && !l->fixed[i]; k++)
            if (!l->fixed[k] && k != i && f->value[l->ret[i]].root == f->value[l->param[k]].root) {
                l->ret[i] = plan_move(f, body, l->e, l->ret[i], plan_like(f, l->ret[i], f->value[l->ret[i]].vary));
                break;
            }
    for (uint32_t i = 0; i < l->e->nout; i++) {
        if (l->fixed[i]) continue;
        const plan_id n = plan_like(f, l->param[i], l->vary[i]);
        f->value[n].root = f->value[l->param[i]].root;
        plan_copy(f, body, l->e, l->ret[i], n);
    }
}

/* Makes devices whose condition has become false keep their carries while other devices iterate. */
static bool keep_done(loop *l)
{
    plan_flat *f = l->f;
    plan_item *t = l->loop;
    const plan_id test = t->loop.test;
    if (!plan_host_alike(l->e, l->e->sub[0]) || !plan_host_alike(l->e, l->e->sub[1])) return false;
    if (plan_communicates(l->e->sub[1]) & l->differs) {
        base_fail(TT_EPLAN, l->e->site,
                  "while: the loop's condition differs between devices along axis %s, but its body "
                  "communicates along it",
                  mesh_set_text(f->a, f->mesh, l->differs));
        return base_hint("reduce the condition over that axis first (psum or pmax), so that all devices agree");
    }
    t->loop.test = anywhere(f, &t->nested[PLAN_COND], l->e, test, l->differs);
    for (uint32_t i = 0; i < l->e->nout; i++)
        if (!l->fixed[i] &&
            !loop_choose(f, &t->nested[PLAN_BODY], l->e, test, l->ret[i], l->param[i], &l->ret[i])) return false;
    return true;
}

static const mesh_layout *loop_layout_of(const ir_fn *fn, ir_id id) { return fn->layout ? fn->layout[id] : NULL; }

bool plan_while(plan_flat *f, plan_block *b, const ir_eqn *e, const plan_id *in, plan_id *out)
{
    const uint32_t n = e->nout;
    loop l = { f, e, NULL, BASE_NEW(f->a, mesh_set, n), BASE_NEW(f->a, bool, n), BASE_NEW(f->a, plan_id, n),
               BASE_NEW(f->a, plan_id, n), 0 };
    mesh_set *start = BASE_NEW(f->a, mesh_set, n);
    plan_id *entry = BASE_NEW(f->a, plan_id, n);
    for (uint32_t i = 0; i < n; i++) start[i] = f->value[in[i]].vary & f->manual;
    plan_vary_while(e, start, l.vary);
    for (uint32_t i = 0; i < n; i++) {
        const plan_value x = f->value[in[i]];
        l.fixed[i] = op_invariant(e->sub[1], i);
        l.param[i] = entry[i] = in[i];
        if (l.fixed[i]) continue;
        entry[i] = plan_new(f, x.dtype, x.rank, x.dim, loop_layout_of(e->sub[1], 1 + i), l.vary[i]);
        if (!plan_overwrites_carry(e, i)) plan_copy(f, b, e, in[i], entry[i]);
        l.param[i] = plan_like(f, entry[i], l.vary[i]);
        f->value[l.param[i]].root = entry[i];
        f->value[l.param[i]].in_iteration = true;
    }
    plan_item *t = l.loop = plan_control_new(f, b, PLAN_LOOP, e, n, n, 2);
    memcpy(t->in, entry, n * sizeof *entry);
    const ir_eqn *around = f->loop;
    f->loop_depth++;
    f->loop = NULL;
    if (!condition(&l)) return false;
    f->loop = l.differs ? NULL : e;
    if (!plan_walk(f, &t->nested[PLAN_BODY], e->sub[1], l.param, l.ret)) return false;
    f->loop = around;
    f->loop_depth--;
    if (l.differs && !keep_done(&l)) return false;
    refill(&l);
    for (uint32_t i = 0; i < n; i++) {
        out[i] = entry[i];                               /* not a carry: the loop does not change it */
        if (l.fixed[i]) continue;
        out[i] = t->out[i] = plan_like(f, entry[i], l.vary[i]);
        f->value[out[i]].root = entry[i];
        f->value[out[i]].def = t;
    }
    t->loop.carry = l.param;
    return true;
}

/* ---- case ---- */

/* Runs all branches, and selects per instance the results of the branch that the instance's index names. An index out
 * of range names the last branch. */
static bool run_all(plan_flat *f, plan_block *b, const ir_eqn *e, const plan_id *in, plan_id *out)
{
    const bool pred = f->value[in[0]].dtype == TT_BOOL;
    plan_id *ret = BASE_NEW(f->a, plan_id, e->nout), p = 0;
    for (uint32_t s = e->nsub; s-- > 0;) {
        if (!plan_host_alike(e, e->sub[s])) return false;
        if (!plan_walk(f, b, e->sub[s], in + 1, s + 1 == e->nsub ? out : ret)) return false;
        if (s + 1 == e->nsub) continue;
        if (!pred && !loop_is_branch(f, b, e, in[0], s, &p)) return false;
        for (uint32_t j = 0; j < e->nout; j++)           /* a bool index: true is branch 1 */
            if (!loop_choose(f, b, e, pred ? in[0] : p, pred ? out[j] : ret[j], pred ? ret[j] : out[j], &out[j]))
                return false;
    }
    return true;
}

bool plan_case(plan_flat *f, plan_block *b, const ir_eqn *e, const plan_id *in, plan_id *out)
{
    if (f->value[in[0]].vary) return run_all(f, b, e, in, out);
    mesh_set *x = BASE_NEW(f->a, mesh_set, e->nin), *y = BASE_NEW(f->a, mesh_set, e->nout);
    for (uint32_t i = 0; i < e->nin; i++) x[i] = f->value[in[i]].vary & f->manual;
    plan_vary_case(e, x, y);
    plan_item *t = plan_control_new(f, b, PLAN_CHOOSE, e, e->nin, e->nout, e->nsub);
    memcpy(t->in, in, e->nin * sizeof *in);
    for (uint32_t j = 0; j < e->nout; j++) {
        const ir_type *r = IR_OUT(e, j);
        out[j] = t->out[j] = plan_new(f, r->dtype, r->rank, r->dim, loop_layout_of(e->fn, e->out + j), y[j]);
        f->value[out[j]].def = t;
    }
    plan_id *ret = BASE_NEW(f->a, plan_id, e->nout);
    for (uint32_t s = 0; s < e->nsub; s++) {
        if (!plan_walk(f, &t->nested[s], e->sub[s], in + 1, ret)) return false;
        for (uint32_t j = 0; j < e->nout; j++) {
            const plan_id n = plan_like(f, out[j], y[j]);
            f->value[n].root = out[j];
            plan_copy(f, &t->nested[s], e, ret[j], n);
        }
    }
    return true;
}
