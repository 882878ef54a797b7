/* plan/emit.c - converts the flat program, with placed buffers, to a run_plan: closed data. */
#include "inner.h"

#include <string.h>

typedef struct { plan_flat *f; run_plan *p; run_value *value; uint32_t n, cap; run_kernel *kernel; } emit;

static const mesh_layout *emit_outer_layout(const plan_flat *f, const plan_buffer *b)
{
    const ir_fn *fn = f->fn;
    return fn->layout ? fn->layout[b->space == RUN_ARG ? 1 + (ir_id)b->at : fn->ret[b->at]] : NULL;
}

/* Sets vary and bytes of an argument or result as those of its array: atoms of size 1 count, as in an array's layout;
 * the parts of a single device (plan_single_device) have no gaps. */
static void emit_end(const plan_flat *f, const plan_buffer *b, run_value *v)
{
    const ir_fn *fn = f->fn;
    const ir_type *t = fn->type[b->space == RUN_ARG ? 1 + (ir_id)b->at : fn->ret[b->at]];
    v->vary = mesh_layout_vary(emit_outer_layout(f, b));
    if (f->single_device) v->bytes = run_part_stride(t->dtype, t->rank, t->dim, emit_outer_layout(f, b));
}

static uint32_t emit_value(emit *s, plan_id v)
{
    plan_flat *f = s->f;
    plan_value *x = &f->value[v];
    if (x->emitted >= 0) return (uint32_t)x->emitted;
    plan_id r = x->root;
    while (f->buffer[r].into != r) r = f->buffer[r].into;
    if (s->n == s->cap) {
        s->cap = s->cap ? 2 * s->cap : f->nvalue;
        run_value *grown = BASE_NEW(f->a, run_value, s->cap);
        if (s->n) memcpy(grown, s->value, s->n * sizeof *grown);
        s->value = grown;
    }
    const plan_buffer *b = &f->buffer[r];
    const int64_t *dim = ir_type_of(x->dtype, x->rank, x->dim)->dim; /* interned: outlives the planning arena */
    const run_halo *halo = x->halo ? BASE_COPY(f->keep, x->halo, x->rank) : NULL;
    s->value[s->n] = (run_value){ x->dtype, x->rank, dim, x->layout, halo, x->vary | x->merged, b->space,
        b->at, x->bytes, x->slice, x->merged };
    if (b->space == RUN_ARG || b->space == RUN_RESULT) emit_end(f, b, &s->value[s->n]);
    return (uint32_t)(x->emitted = (int32_t)s->n++);
}

/* Twice the multiply-adds of a group's contractions: each instance covers its part of every factor. */
static double flops(const plan_flat *f, const plan_item *t)
{
    double all = 0;
    for (uint32_t i = 0; i < t->group->n; i++) {
        const ir_eqn *e = t->group->item[i]->eqn;
        op_rule *r;
        if (e->op->kernel != OP_CONTRACT || !op_rule_of(e, &r)) continue;
        /* equations of merge_instances.c have no factor sharding: parts follow from the layout */
        const mesh_layout *l = e->sharding ? NULL : f->value[t->group->item[i]->out[0]].layout;
        const mesh_set each = t->vary & (mesh_set)~(l ? mesh_layout_vary(l) : 0);
        double n = 2 * (double)(f->mesh ? mesh_set_size(f->mesh, each) : 1);
        for (int k = 0; k < r->nfactor; k++) {
            const int64_t parts = e->sharding && e->sharding->atoms[k] ? mesh_list_size(f->mesh, e->sharding->atoms[k])
                : 1;
            n *= (double)((r->factor[k].size + parts - 1) / parts);
        }
        all += n;
    }
    return all;
}

static run_list emit_list(emit *s, const plan_block *b);

static run_step emit_step(emit *s, plan_item *t)
{
    run_step r = { .site = t->site, .name = t->name, .vary = t->vary };
    if (t->kind == PLAN_EQN) {
        const bool host = plan_is_host(t);
        const plan_group *g = t->group;
        uint32_t *arg = BASE_NEW(s->f->keep, uint32_t, g->nin + g->nout);
        for (uint32_t i = 0; i < g->nin; i++) arg[i] = emit_value(s, g->in[i]);
        for (uint32_t j = 0; j < g->nout; j++) arg[g->nin + j] = emit_value(s, g->out[j]);
        r.kind = host ? RUN_HOST : RUN_COMPUTE;
        if (host) plan_host(s->f, t, &r);
        else r.compute.kernel = g->kernel->number, r.compute.flops = flops(s->f, t), r.compute.common = t->common;
        r.narg = g->nin + g->nout;
        r.nwritten = g->nout;
        r.arg = arg;
        s->kernel[g->kernel->number] = g->kernel->code;
    } else if (t->kind == PLAN_MOVE) {
        r.kind = RUN_EXCHANGE;
        r.exchange.from = emit_value(s, t->in[0]);
        r.exchange.to = emit_value(s, t->out[0]);
        r.exchange.common = t->move.common;
        run_route *w = &r.exchange.route;
        *w = t->move.route;
        if (w->source) w->source = BASE_COPY(s->f->keep, w->source, mesh_list_size(s->f->mesh, w->order));
    } else if (t->kind == PLAN_SLICE_PTR) {
        r.kind = RUN_SLICE_PTR;
        r.slice_ptr.of = emit_value(s, t->in[0]), r.slice_ptr.index = emit_value(s, t->in[1]);
        r.slice_ptr.row = emit_value(s, t->out[0]);
    } else {
        run_list *nested = BASE_NEW(s->f->keep, run_list, t->nnested);
        r.kind = t->kind == PLAN_LOOP ? RUN_LOOP : RUN_CHOOSE;
        r.nested = nested;
        PLAN_EACH_BLOCK(t, b) nested[r.nnested++] = emit_list(s, b);
        r.control.test = emit_value(s, t->kind == PLAN_LOOP ? t->loop.test : t->in[0]);
    }
    return r;
}

static run_list emit_list(emit *s, const plan_block *b)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->n; i++) n += !b->item[i]->dropped;
    run_step *step_of = BASE_NEW(s->f->keep, run_step, n);
    n = 0;
    for (uint32_t i = 0; i < b->n; i++) if (!b->item[i]->dropped) step_of[n++] = emit_step(s, b->item[i]);
    return (run_list){ n, step_of };
}

static void emit_blob(plan_flat *f, run_plan *p)
{
    int64_t n = 0;
    for (plan_const *k = f->consts; k; k = k->next) {
        f->buffer[k->value].at = n;
        n += f->value[k->value].bytes;
    }
    uint8_t *bytes = BASE_NEW(f->keep, uint8_t, n + 1);
    for (const plan_const *k = f->consts; k; k = k->next)
        if (k->bytes) memcpy(bytes + f->buffer[k->value].at, k->data, k->bytes);
    p->blob = bytes;
    p->nblob = n;
}

run_plan *plan_emit(plan_flat *f)
{
    const ir_fn *fn = f->fn;
    base_arena *const keep = f->keep;
    run_plan *p = BASE_NEW(keep, run_plan, 1);
    emit s = { .f = f, .p = p, .kernel = BASE_NEW(keep, run_kernel, f->nkernel + 1) };
    uint32_t *arg = BASE_NEW(keep, uint32_t, fn->narg + 1), *result = BASE_NEW(keep, uint32_t, fn->nret + 1);
    emit_blob(f, p);
    for (uint32_t i = 0; i < fn->narg; i++) {
        arg[i] = emit_value(&s, f->arg[i]);
        s.value[arg[i]].layout = emit_outer_layout(f, &f->buffer[f->arg[i]]);
    }
    p->body = emit_list(&s, &f->main);
    for (uint32_t j = 0; j < fn->nret; j++) {
        result[j] = emit_value(&s, f->result[j]);
        if (s.value[result[j]].space == RUN_RESULT)
            s.value[result[j]].layout = fn->layout ? fn->layout[fn->ret[j]] : NULL;
    }
    p->mesh = fn->mesh, p->single_device = f->single_device;
    p->nvalue = s.n, p->value = BASE_COPY(keep, s.value, s.n);
    p->nkernel = f->nkernel, p->kernel = s.kernel;
    p->narg = fn->narg, p->arg = arg;
    p->nslice = f->nslice, p->ncommon = f->ncommon;
    p->nresult = fn->nret, p->result = result;
    p->alias = BASE_COPY(keep, f->alias, fn->nret);
    p->donated = fn->donate ? BASE_COPY(keep, fn->donate, fn->narg) : NULL;
    return p;
}
