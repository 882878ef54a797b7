/* spmd/regions.c - rows that change layouts or hold functions: how their ends are laid out.
 *
 * A carry has one layout: the initial value's, if the body gives it back so; else the finer one that the body gives, if
 * that is stable; else whole. Results of a case lie as all its branches agree on, else whole. A manual region demands
 * its in-layouts and gives its out-layouts; its parameters and returns are local and whole. Wishes (constrain, reshard)
 * are fulfilled. */
#include "inner.h"

#include <string.h>

static void results(spmd_part *p, const ir_eqn *e, ir_id first, const mesh_layout *const *l)
{
    for (uint32_t j = 0; j < e->nout; j++) {
        spmd_set(p, first + j, l[j]);
        p->map[e->out + j] = first + j;
    }
}

static const mesh_layout *ret_layout(const ir_fn *f, uint32_t i) { return f->layout[f->ret[i]]; }

static bool finer(const mesh_layout *a, const mesh_layout *b)    /* b cuts each dim as a does, and some further */
{
    for (int d = 0; d < a->rank; d++)
        for (int i = 0; i < mesh_list_n(a->dim[d].atoms); i++)
            if (i >= mesh_list_n(b->dim[d].atoms) ||
                mesh_list_at(a->dim[d].atoms, i) != mesh_list_at(b->dim[d].atoms, i))
                return false;
    return true;
}

static bool same_cut(const mesh_layout *a, const mesh_layout *b) { return finer(a, b) && finer(b, a); }

/* Layouts of carries: changed at most twice each, so this ends. */
static ir_fn *settle_carries(spmd_part *p, const ir_eqn *e, const mesh_layout **l)
{
    enum { INITIAL, BODYS, WHOLE };
    spmd_all *s = p->all;
    const mesh_layout **wanted = BASE_NEW(s->a, const mesh_layout *, e->nin);
    char *state = BASE_NEW(s->a, char, e->nin);
    const int notes = s->nnote;
    for (;;) {
        bool changed = false;
        s->nnote = notes;
        ir_fn *body = spmd_function(s, e->sub[1], l, wanted);
        if (!body) return NULL;
        for (uint32_t i = 0; i < e->nin; i++) {
            const mesh_layout *r = ret_layout(body, i);
            if (state[i] == WHOLE || same_cut(r, l[i])) continue;
            state[i] = state[i] == INITIAL && finer(l[i], r) ? BODYS : WHOLE;
            l[i] = state[i] == BODYS ? r : spmd_whole(s, r->rank);
            if (state[i] == WHOLE) wanted[i] = l[i];
            changed = true;
        }
        if (!changed) return body;
    }
}

static bool while_rule(spmd_part *p, const ir_eqn *e, ir_id *in)
{
    spmd_all *s = p->all;
    const mesh_layout **l = BASE_NEW(s->a, const mesh_layout *, e->nin), *one = spmd_whole(s, 0);
    for (uint32_t i = 0; i < e->nin; i++) {
        if (!(in[i] = spmd_finish(p, in[i], e->site, "a carry is summed"))) return false;
        l[i] = p->layout[in[i]];
    }
    ir_fn *body = settle_carries(p, e, l), *cond = body ? spmd_function(s, e->sub[0], l, &one) : NULL;
    if (!cond) return false;
    for (uint32_t i = 0; i < e->nin; i++)
        if (!(in[i] = spmd_lay(p, in[i], e->site, l[i], "a carry has one layout"))) return false;
    const ir_id y = spmd_emit(p, e, in, (ir_fn *const[]){ cond, body });
    if (y || !e->nout) results(p, e, y, l);
    return y || !e->nout;
}

static bool case_rule(spmd_part *p, const ir_eqn *e, ir_id *in)
{
    spmd_all *s = p->all;
    const mesh_layout **l = BASE_NEW(s->a, const mesh_layout *, e->nin),
                      **out = BASE_NEW(s->a, const mesh_layout *, e->nout);
    ir_fn **sub = BASE_NEW(s->a, ir_fn *, e->nsub);
    const int notes = s->nnote;
    for (uint32_t i = 1; i < e->nin; i++) {
        if (!(in[i] = spmd_finish(p, in[i], e->site, "an operand is summed"))) return false;
        l[i - 1] = p->layout[in[i]];
    }
    for (uint32_t k = 0; k < e->nsub; k++) {
        if (!(sub[k] = spmd_function(s, e->sub[k], l, NULL))) return false;
        for (uint32_t j = 0; j < e->nout; j++) {
            const mesh_layout *r = ret_layout(sub[k], j);
            out[j] = !k || same_cut(out[j], r) ? r : spmd_whole(s, r->rank);
        }
    }
    s->nnote = notes;
    for (uint32_t k = 0; k < e->nsub; k++) if (!(sub[k] = spmd_function(s, e->sub[k], l, out))) return false;
    if (!(in[0] = spmd_lay(p, in[0], e->site, spmd_whole(s, 0), "the index of a case"))) return false;
    const ir_id y = spmd_emit(p, e, in, sub);
    if (y) results(p, e, y, out);
    return y != 0;
}

static bool manual_rule(spmd_part *p, const ir_eqn *e, ir_id *in)
{
    spmd_all *s = p->all;
    const op_manual_attr *a = IR_ATTR(e, op_manual_attr);
    for (uint32_t i = 0; i < e->nin; i++)
        if (!(in[i] = spmd_lay(p, in[i], e->site, a->in.v[i], base_format(s->a, "operand %u of a manual region", i))))
            return false;
    const mesh_layout **whole = BASE_NEW(s->a, const mesh_layout *, e->nout);
    for (uint32_t j = 0; j < e->nout; j++) whole[j] = spmd_whole(s, IR_OUT(e, j)->rank);
    ir_fn *body = spmd_function(s, e->sub[0], NULL, whole);
    if (!body) return false;
    const ir_id y = spmd_emit(p, e, in, &body);
    if (y) results(p, e, y, a->out.v);
    return y != 0;
}

/* Walked through: a call has no layouts of its own. */
static bool call_rule(spmd_part *p, const ir_eqn *e, ir_id *in)
{
    spmd_part inner = *p;
    inner.from = e->sub[0];
    inner.map = BASE_NEW(p->all->a, ir_id, e->sub[0]->nvalue + 1);
    memcpy(inner.map + 1, in, e->nin * sizeof *in);
    if (!spmd_equations(&inner)) return false;
    for (uint32_t j = 0; j < e->nout; j++) p->map[e->out + j] = inner.map[e->sub[0]->ret[j]];
    p->layout = inner.layout, p->nlayout = inner.nlayout, p->cut = inner.cut, p->ncut = inner.ncut;
    return true;
}

/* An open dim of a wish takes the atoms it came with, as far as the wish leaves them free. */
static const mesh_layout *wish(const mesh_layout *to, const mesh_layout *has)
{
    mesh_dim dim[IR_RANK + 1];
    mesh_layout l = *to;
    mesh_set used = mesh_used(to) | to->closed;
    if (has->rank) memcpy(dim, to->dim, (size_t)to->rank * sizeof *dim);
    for (int d = 0; d < to->rank; d++) {
        for (int i = 0; to->dim[d].open && i < mesh_list_n(has->dim[d].atoms); i++) {
            const int atom = mesh_list_at(has->dim[d].atoms, i);
            if (used >> atom & 1) break;
            dim[d].atoms = mesh_list_push(dim[d].atoms, atom);
            used |= (mesh_set)(1u << atom);
        }
        dim[d].open = false;
    }
    l.dim = dim;
    return mesh_intern(&l);
}

static bool wish_rule(spmd_part *p, const ir_eqn *e, ir_id *in)
{
    const mesh_layout *to = wish(IR_ATTR(e, op_layout_attr)->to.v[0], p->layout[in[0]]);
    return (p->map[e->out] = spmd_lay(p, in[0], e->site, to, "laid out as said")) != 0;
}

static bool barrier_rule(spmd_part *p, const ir_eqn *e, ir_id *in)
{
    const ir_id y = spmd_emit(p, e, in, NULL);
    const mesh_layout **l = BASE_NEW(p->all->a, const mesh_layout *, e->nin);
    for (uint32_t i = 0; i < e->nin; i++) l[i] = p->layout[in[i]];
    if (y) results(p, e, y, l);
    return y != 0;
}

spmd_rule *spmd_region_rule(const op_row *op)
{
    static const struct { const op_row *op; spmd_rule *rule; } rules[] = {
        { &row_while, while_rule }, { &row_case, case_rule }, { &row_manual, manual_rule }, { &row_call, call_rule },
        { &row_custom_jvp, call_rule }, { &row_custom_vjp, call_rule }, { &row_constrain, wish_rule },
        { &row_reshard, wish_rule }, { &row_barrier, barrier_rule },
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) if (rules[i].op == op) return rules[i].rule;
    return NULL;
}
