/* plan/steps/chain_join.c - builds the joined step of a chain: its operands, its results, and part buffers for results
 * that only the chain's steps read.
 *
 * At least one large result has a part buffer, which holds one part of the dim at a time: so the chain saves memory.
 * The bits are the same as those of our kernels run one after another; a plug-in's kernel for f32, which works on full
 * boxes, is replaced. */
#include "chain.h"
#include "../../op/ops.h"

typedef struct { plan_group *g; int64_t *at; uint32_t nparts; } joined;

static bool read_here(const chain *s, plan_id v)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        const plan_group *g = s->step[i]->group;
        bool reads = false;
        for (uint32_t k = 0; k < g->nin; k++) reads |= s->f->value[g->in[k]].base == v;
        n += reads;
    }
    return n && n == s->reads[v];
}

/* True if every dim of v other than `split` is unsharded. */
static bool has_others(const chain *s, plan_id v, int split)
{
    const plan_value *x = &s->f->value[v];
    for (int d = 0; d < x->rank; d++) if (d != split && plan_atoms(x, d)) return false;
    return true;
}

/* True if v gets a part buffer: only the chain's steps read v, and v's other dims are unsharded. */
static bool has_part_buffer(const chain *s, plan_id v)
{
    return read_here(s, v) && s->f->value[v].root == v && has_others(s, v, s->dim[v]);
}

static uint32_t chain_join_listed(plan_id *list, uint32_t *n, plan_id v)
{
    for (uint32_t i = 0; i < *n; i++) if (list[i] == v) return i;
    list[*n] = v;
    return (*n)++;
}

/* Lists operands, results and part buffers. Returns false if
 * (a) no large result has a part buffer;
 * (b) there is no contraction;
 * (c) a step reads a result that is also read outside the chain, by other dims than those with which the result is
 *     stored;
 * (d) a step reads a part buffer as a part of a larger array, as the local value of a manual region seen from outside
 *     the region. */
static bool arguments(const chain *s, joined *x)
{
    plan_group *g = x->g;
    uint32_t nin = 0, nout = 0, all = 0;
    bool worth = false, dot = false;
    for (uint32_t i = 0; i < s->n; i++)
        nin += s->step[i]->group->nin, nout += s->step[i]->group->nout, all += s->step[i]->group->n;
    g->in = BASE_NEW(s->f->a, plan_id, nin + 1);
    g->out = BASE_NEW(s->f->a, plan_id, nout + 1);
    g->item = BASE_NEW(s->f->a, plan_item *, all);
    x->at = BASE_NEW(s->f->keep, int64_t, nout + 1);
    for (uint32_t i = 0; i < s->n; i++) {
        const plan_group *h = s->step[i]->group;
        for (uint32_t k = 0; k < h->n; k++) {
            g->item[g->n++] = h->item[k];
            dot |= h->item[k]->eqn->op == &prim_dot_general;
        }
        for (uint32_t k = 0; k < h->nin; k++) {
            const plan_id v = h->in[k], base = s->f->value[v].base;
            if (s->result[base] != s->mark) chain_join_listed(g->in, &g->nin, v);
            else if (!s->part[base] && base != v) return false;
            else if (plan_chain_split_dim(s, v) < 0) return false;
            else if (s->part[base] && !has_others(s, v, plan_chain_split_dim(s, v))) return false;
        }
        for (uint32_t j = 0; j < h->nout; j++) {
            const plan_value *y = &s->f->value[h->out[j]];
            if (!has_part_buffer(s, h->out[j])) {
                chain_join_listed(g->out, &g->nout, h->out[j]);
                continue;
            }
            const int64_t row = base_round_up(y->bytes / plan_chain_rows(s), BASE_CACHE_LINE);
            worth |= plan_chain_total(s->f, h->out[j]) >= plan_chain_least;
            s->part[h->out[j]] = ++x->nparts;
            x->at[x->nparts] = x->at[x->nparts - 1] + row;
        }
    }
    return worth && dot && g->nout;
}

static gen_chain_arg chain_join_argument(const chain *s, const joined *x, plan_id v, bool made)
{
    const plan_value *y = &s->f->value[v];
    const uint32_t capacity = made ? s->part[y->base] : 0;
    gen_chain_arg a = { capacity > 0, capacity - 1, ir_type_of(y->dtype, y->rank, y->dim),
                        made ? plan_chain_split_dim(s, v) : CHAIN_UNKNOWN };
    uint32_t nin = x->g->nin, nout = x->g->nout;
    if (!capacity) a.at = made ? nin + chain_join_listed(x->g->out, &nout, v) : chain_join_listed(x->g->in, &nin, v);
    return a;
}

/* Builds one stage. A plug-in's kernel, which works on full boxes, is replaced by our own. */
static bool stage(const chain *s, const joined *x, const plan_group *h, gen_chain_stage *to)
{
    gen_chain_arg *arg = BASE_NEW(s->f->keep, gen_chain_arg, h->nin + h->nout);
    for (uint32_t k = 0; k < h->nin; k++)
        arg[k] = chain_join_argument(s, x, h->in[k], s->result[s->f->value[h->in[k]].base] == s->mark);
    for (uint32_t j = 0; j < h->nout; j++) arg[h->nin + j] = chain_join_argument(s, x, h->out[j], true);
    *to = (gen_chain_stage){ h->kernel->code, h->nin + h->nout, arg };
    return h->item[0]->eqn->op != &prim_dot_general || h->n > 1 ||
           gen_own_kernel(s->f->keep, &h->kernel->group, &to->k);
}

/* Orders the block: the steps in between that read no result of the chain, the chain's step, then the other steps in
 * between; freed positions are NULL. */
static void order_block(const chain *s)
{
    plan_item **const item = s->b->item, *behind[CHAIN_REACH + 1];
    uint32_t to = s->at[0], nbehind = 0, k = 0;
    for (uint32_t i = s->at[0]; i <= s->at[s->n - 1]; i++) {
        plan_item *t = item[i];
        item[i] = NULL;
        if (k < s->n && i == s->at[k]) k++;
        else if (t && plan_chain_is_late(s, t)) behind[nbehind++] = t;
        else if (t) item[to++] = t;
    }
    item[to++] = s->step[0];
    for (uint32_t i = 0; i < nbehind; i++) item[to++] = behind[i];
}

bool plan_chain_together(chain *s)
{
    plan_flat *f = s->f;
    if (s->n < 2) return false;
    joined x = { .g = BASE_NEW(f->a, plan_group, 1) };
    if (!arguments(s, &x)) return false;
    plan_kernel *k = BASE_NEW(f->a, plan_kernel, 1);
    gen_chain_stage *stages = BASE_NEW(f->keep, gen_chain_stage, s->n);
    for (uint32_t i = 0; i < s->n; i++) if (!stage(s, &x, s->step[i]->group, &stages[i])) return false;
    const gen_chain c = { x.g->nin, s->n, x.nparts, stages, s->dim[x.g->out[0]], s->bytes, x.at };
    gen_chain_kernel(f->keep, &c, &k->code);
    x.g->kernel = k, x.g->chain = true;
    s->step[0]->group = x.g;
    s->step[0]->site = s->step[s->n - 1]->site;
    order_block(s);
    return true;
}
