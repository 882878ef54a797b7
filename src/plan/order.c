/* plan/order.c - steps that give back more memory than they take run as soon as they can.
 *
 * An optimizer's update stands at a program's end, but its gradient is there long before: moved up, it frees the
 * gradient while that is in the cache, and writes the parameter in place. So: the program's order, and after each step
 * those of the steps that wait for nothing any more and whose results need no more bytes (over all instances) than
 * their dying operands free; results of the program need none. A step that reads a donated argument waits until it is
 * the last to do so, or the result could not take the argument's buffer. Copies stay where they are: places of carries
 * are filled at a block's end. */
#include "inner.h"

#include <string.h>

typedef struct { uint32_t n, *item; } readers;
typedef struct {
    plan_flat *f; plan_block *b;
    uint32_t *waits;                                     /* [item]: operands not made yet */
    bool *done;
    uint32_t *left;                                      /* [value]: readers in this block that are not done */
    readers *of;                                         /* [value] */
    const bool *returned, *donated;                      /* [value] */
    plan_item **out; uint32_t n;
} order;

static uint32_t operands(const plan_item *t, const plan_id **in)
{
    *in = t->kind == PLAN_EQN ? t->group->in : t->in;
    return t->kind == PLAN_EQN ? t->group->nin : t->nin;
}

static uint32_t results(const plan_item *t, const plan_id **out)        /* 0 among them: none */
{
    *out = t->kind == PLAN_EQN ? t->group->out : t->out;
    return t->kind == PLAN_EQN ? t->group->nout : t->nout;
}

/* The distinct values that t reads. */
static uint32_t reads(const order *s, const plan_item *t, plan_id *v)
{
    const plan_id *in;
    uint32_t n = 0;
    for (uint32_t k = 0, most = operands(t, &in); k < most; k++) {
        const plan_id base = s->f->value[in[k]].base;
        uint32_t i = 0;
        while (i < n && v[i] != base) i++;
        if (i == n) v[n++] = base;
    }
    return n;
}

static int64_t total(const plan_flat *f, plan_id v)
{
    return f->value[v].bytes * (f->mesh ? mesh_set_size(f->mesh, f->value[v].vary) : 1);
}

static bool gives(const order *s, const plan_item *t)
{
    const plan_id *out, *in;
    int64_t freed = 0;
    if (t->kind == PLAN_LOOP || t->kind == PLAN_CHOOSE || t->copy || (t->eqn && t->eqn->op->ordered)) return false;
    if (t->kind == PLAN_MOVE && s->f->value[t->out[0]].root != t->out[0]) return false;
    plan_id v[operands(t, &in) + 1];
    for (uint32_t k = 0, n = reads(s, t, v); k < n; k++) {
        const plan_item *maker = s->f->value[v[k]].def;
        const bool last = s->left[v[k]] == 1, ours = maker && !maker->dropped && !s->returned[v[k]];
        if (s->donated[v[k]] && !last) return false;
        if (last && ours) freed += total(s->f, v[k]);
    }
    if (!freed) return false;
    for (uint32_t j = 0, n = results(t, &out); j < n; j++) if (!s->returned[out[j]]) freed -= total(s->f, out[j]);
    return freed >= 0;
}

static void put(order *s, uint32_t i)
{
    plan_item *t = s->b->item[i];
    const plan_id *in, *out;
    if (s->done[i]) return;
    s->done[i] = true;
    s->out[s->n++] = t;
    plan_id v[operands(t, &in) + 1];
    const uint32_t nv = reads(s, t, v), nout = results(t, &out);
    for (uint32_t k = 0; k < nv; k++) s->left[v[k]]--;
    for (uint32_t j = 0; j < nout; j++) {
        const readers *r = &s->of[out[j]];
        for (uint32_t k = 0; k < r->n; k++) s->waits[r->item[k]]--;
    }
    for (uint32_t j = 0; j < nout + nv; j++) {           /* who may have been waiting for this */
        const readers *r = &s->of[j < nout ? out[j] : v[j - nout]];
        if (j >= nout && s->left[v[j - nout]] != 1) continue;
        for (uint32_t k = 0; k < r->n; k++)
            if (!s->done[r->item[k]] && !s->waits[r->item[k]] && gives(s, s->b->item[r->item[k]])) put(s, r->item[k]);
    }
}

static void link_up(order *s)
{
    plan_flat *f = s->f;
    bool *here = BASE_NEW(f->a, bool, f->nvalue + 1);
    const plan_id *in, *out;
    for (uint32_t pass = 0; pass < 2; pass++)            /* count, then fill */
        for (uint32_t i = 0; i < s->b->n; i++) {
            const plan_item *t = s->b->item[i];
            plan_id v[operands(t, &in) + 1];
            for (uint32_t k = 0, n = reads(s, t, v); k < n; k++) {
                readers *r = &s->of[v[k]];
                if (!pass) s->left[v[k]]++;
                else {
                    if (!r->item) r->item = BASE_NEW(f->a, uint32_t, s->left[v[k]]);
                    r->item[r->n++] = i;
                    s->waits[i] += here[v[k]];
                }
            }
            for (uint32_t j = 0, n = results(t, &out); !pass && j < n; j++) here[f->value[out[j]].base] = true;
        }
}

static void sort(plan_flat *f, plan_block *b, const bool *returned, const bool *donated)
{
    order s = { .f = f, .b = b, .returned = returned, .donated = donated };
    s.waits = BASE_NEW(f->a, uint32_t, b->n + 1);
    s.done = BASE_NEW(f->a, bool, b->n + 1);
    s.out = BASE_NEW(f->a, plan_item *, b->n + 1);
    s.left = BASE_NEW(f->a, uint32_t, f->nvalue + 1);
    s.of = BASE_NEW(f->a, readers, f->nvalue + 1);
    link_up(&s);
    for (uint32_t i = 0; i < b->n; i++) put(&s, i);
    b->item = s.out;
}

void plan_order(plan_flat *f)
{
    bool *returned = BASE_NEW(f->a, bool, f->nvalue + 1), *donated = BASE_NEW(f->a, bool, f->nvalue + 1);
    for (uint32_t j = 0; j < f->fn->nret; j++) returned[f->value[f->ret[j]].base] = true;
    for (uint32_t i = 0; f->fn->donate && i < f->fn->narg; i++) donated[f->arg[i]] = f->fn->donate[i];
    sort(f, &f->main, returned, donated);
}
