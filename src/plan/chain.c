/* plan/chain.c - steps that become one, which runs part by part along a dim that all of them keep (gen/chain.c): the
 * batches of an attention. Its scores are as large as all else together, and nobody wants them but the next step.
 *
 * A chain begins with any step and takes the later ones that read much of what it made. The steps between that read
 * nothing of it run before it, the others behind it; so what these make no step of it may read. All results have the
 * dim: which one of each follows from the factor rules of the equations, and so does that no equation sums over it.
 * There is a contraction in it, and each has the dim in both operands (a batch), or one would be packed for every
 * part. What a row of the dim makes fits in the second cache. Something that is made has no reader outside: so the
 * chain takes memory away. The bits are those of our kernels one after another; a plug-in's for f32, which is for
 * whole boxes, gives way. */
#include "inner.h"

#include <string.h>

/* Steps of a chain; how far the last one may stand; parts; bytes: of a value worth it, made of a row, read by all
 * parts. */
enum { STEPS = 16, REACH = 24, PARTS = 4, LEAST = 1 << 18, ROW = 3 << 19, WHOLE = 1 << 18 };

typedef struct {
    plan_flat *f; plan_block *b;
    uint32_t *reads;                                     /* [value]: steps that read it */
    uint32_t turn, *made, *result, *late;   /* [value]: turn: in the chain; as its step's result; by one behind it */
    uint32_t *room;                                      /* [value]: of a result: 0, or its room + 1 */
    op_rule **rule;                                      /* [value]: of the equation whose first result it is */
    int8_t *dim;                                         /* [value]: of what is made, which dim is cut */
    plan_item *step[STEPS]; uint32_t n, at[STEPS];
    int64_t size, bytes; mesh_list atoms; mesh_set vary; /* of the dim; that a row makes; that cut it */
} chain;

/* ---- what is cut ---- */

enum { UNKNOWN = -1, LOST = -2 };

/* The dim of v that is cut; of a view the one with the same elements before and in it. */
static int cut_dim(const chain *s, plan_id v)
{
    const plan_value *x = &s->f->value[v], *y = &s->f->value[x->base];
    int64_t before = 1, of = 1;
    if (s->made[x->base] != s->turn) return UNKNOWN;
    const int d = s->dim[x->base];
    if (x->base == v || x->all) return x->all ? LOST : d;
    for (int i = 0; i < d; i++) before *= y->dim[i];
    for (int i = 0; i < x->rank; of *= x->dim[i++]) if (of == before && x->dim[i] == y->dim[d]) return i;
    return LOST;
}

static int dim_with(const op_rule *r, int tensor, int rank, int factor)
{
    for (int d = 0; d < rank; d++) {
        const struct op_rule_dim *at = &r->dim[tensor * IR_RANK + d];
        if (at->n == 1 && !at->at->shift && at->at->factor == factor) return d;
    }
    return UNKNOWN;
}

static bool member(const plan_group *g, const plan_item *t)
{
    for (uint32_t i = 0; i < g->n; i++) if (g->item[i] == t) return true;
    return false;
}

/* The factor of t's rule that is cut, as far as it is known by now; LOST: none can be. */
static int factor_of(const chain *s, const plan_item *t, const op_rule *r)
{
    int factor = UNKNOWN;
    for (int k = 0; k < r->ntensor; k++) {
        const int d = cut_dim(s, k < (int)t->nin ? t->in[k] : t->out[k - (int)t->nin]);
        if (d == UNKNOWN) continue;
        const struct op_rule_dim *at = d < 0 ? NULL : &r->dim[k * IR_RANK + d];
        if (!at || at->n != 1 || at->at->shift || (factor >= 0 && factor != at->at->factor)) return LOST;
        factor = at->at->factor;
    }
    return factor >= 0 && r->factor[factor].kind != OP_PASS ? LOST : factor;
}

static bool note(chain *s, const op_rule *r, int tensor, plan_id v, int factor, bool *more)
{
    if (cut_dim(s, v) != UNKNOWN) return true;
    const int d = dim_with(r, tensor, s->f->value[v].rank, factor);
    if (d < 0 || s->f->value[v].base != v) return false;
    s->made[v] = s->turn, s->dim[v] = (int8_t)d;
    return *more = true;
}

/* From what is known of the values that t reads and makes, what its group makes of them. */
static bool spread(chain *s, const plan_group *g, const plan_item *t, bool *more)
{
    op_rule *r = s->rule[t->out[0]];
    if (!r && !op_rule_of(t->eqn, &r)) return false;
    s->rule[t->out[0]] = r;
    const int factor = r->nfactor ? factor_of(s, t, r) : LOST;
    if (factor < 0) return factor == UNKNOWN;
    for (uint32_t j = 0; j < t->nout; j++) if (!note(s, r, (int)(t->nin + j), t->out[j], factor, more)) return false;
    for (uint32_t k = 0; k < t->nin; k++) {
        const plan_value *x = &s->f->value[s->f->value[t->in[k]].base];
        const int d = dim_with(r, (int)k, s->f->value[t->in[k]].rank, factor);
        const bool here = x->def && member(g, x->def);
        if (here && d >= 0 && x->base == t->in[k] && !note(s, r, (int)k, t->in[k], factor, more)) return false;
        if (d < 0 && !here && (x->bytes > WHOLE || t->eqn->op == &row_dot_general)) return false;
    }
    return true;
}

/* ---- which steps ---- */

/* A contraction alone or under elementwise equations: by our own kernel, or of numbers for which ours is as good. */
static bool contracts(const plan_group *g, const ir_eqn *e)
{
    if (e->op != &row_dot_general) return false;
    if (g->n > 1) return g->led;
    return !strcmp(g->kernel->code.name, "dot") || ir_dtype_of(IR_IN(e, 0)->dtype)->bytes >= 4;
}

static bool suits(const plan_item *t)
{
    if (t->kind != PLAN_EQN || t->dropped || t->group->chain || t->group->kernel->code.finish) return false;
    const plan_group *g = t->group;
    for (uint32_t i = 0; i < g->n; i++) {
        const ir_eqn *e = g->item[i]->eqn;
        const bool cheap = e->op == &row_broadcast_in_dim || e->op == &row_iota || e->op == &row_const ||
                           e->op == &row_reshape || (e->op == &row_reduce && e->nin == 2);
        if (e->op->ordered || e->nout != 1) return false;
        if (e->op == &row_transpose ? g->n > 1 : !cheap && e->op->kernel != OP_MAP && !contracts(g, e)) return false;
    }
    return true;
}

static int64_t rows(const chain *s)                      /* of the largest instance */
{
    const int64_t parts = s->atoms ? mesh_list_size(s->f->mesh, s->atoms) : 1;
    return (s->size + parts - 1) / parts;
}

/* Are t's results cut as all others? Then what a row makes has grown by them. */
static bool fits(chain *s, const plan_item *t)
{
    int64_t bytes = 0;
    for (uint32_t j = 0; j < t->group->nout; j++) {
        const plan_id v = t->group->out[j];
        const plan_value *x = &s->f->value[v];
        const int d = cut_dim(s, v);
        if (d < 0 || x->base != v || x->dim[d] != s->size || x->vary != s->vary || !plan_whole(x)) return false;
        if (plan_atoms(x, d) != s->atoms) return false;
        bytes += x->bytes / rows(s);
    }
    if (s->bytes + bytes > ROW) return false;
    s->bytes += bytes;
    return true;
}

static bool add(chain *s, plan_item *t, uint32_t at)
{
    const plan_group *g = t->group;
    bool ok = true, more = true;
    while (ok && more) {
        more = false;
        for (uint32_t i = 0; ok && i < g->n; i++) ok = spread(s, g, g->item[i], &more);
    }
    if (ok && fits(s, t)) {
        for (uint32_t j = 0; j < g->nout; j++) s->result[g->out[j]] = s->turn, s->room[g->out[j]] = 0;
        s->step[s->n] = t, s->at[s->n++] = at;
        return true;
    }
    for (uint32_t i = 0; i < g->n; i++) s->made[g->item[i]->out[0]] = 0;
    return false;
}

static int64_t total(const plan_flat *f, plan_id v)      /* bytes of all instances */
{
    return f->value[v].bytes * (f->mesh ? mesh_set_size(f->mesh, f->value[v].vary) : 1);
}

/* Does t read much of what the chain made, and nothing that is made behind it? */
static bool follows(const chain *s, const plan_item *t)
{
    bool reads = false;
    for (uint32_t k = 0; k < t->group->nin; k++) {
        const plan_id v = t->group->in[k], base = s->f->value[v].base;
        if (s->late[base] == s->turn) return false;
        reads |= s->result[base] == s->turn && total(s->f, base) >= LEAST;
    }
    return reads;
}

/* Step t is not of the chain: is it behind it? */
static bool is_late(const chain *s, const plan_item *t)
{
    const plan_id *in = t->kind == PLAN_EQN ? t->group->in : t->in;
    for (uint32_t k = 0, n = t->kind == PLAN_EQN ? t->group->nin : t->nin; k < n; k++) {
        const plan_id base = s->f->value[in[k]].base;
        if (s->result[base] == s->turn || s->late[base] == s->turn) return true;
    }
    return false;
}

static void pass(chain *s, const plan_item *t)
{
    const plan_id *out = t->kind == PLAN_EQN ? t->group->out : t->out;
    for (uint32_t j = 0, n = t->kind == PLAN_EQN ? t->group->nout : t->nout; j < n && is_late(s, t); j++)
        s->late[s->f->value[out[j]].base] = s->turn;
}

/* May it change places with a step that has nothing to do with it? Copies are where what they fill may be filled. */
static bool may_move(const chain *s, const plan_item *t)
{
    if (t->kind == PLAN_MOVE) return !t->copy && s->f->value[t->out[0]].root == t->out[0];
    return t->kind == PLAN_EQN && !t->eqn->op->ordered;
}

static void grow(chain *s, uint32_t i)
{
    for (uint32_t j = i + 1; j < s->b->n && j <= i + REACH && s->n < STEPS; j++) {
        plan_item *t = s->b->item[j];
        if (!t) continue;                                /* part of another chain, before this step */
        if (!may_move(s, t)) return;
        if (t->kind != PLAN_EQN || !follows(s, t) || !suits(t) || !add(s, t, j)) pass(s, t);
    }
}

/* ---- one step of them ---- */

typedef struct { plan_group *g; int64_t *at; uint32_t nroom; } joined;

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

/* Nobody else wants it, and an instance has all of its other dims. */
static bool is_room(const chain *s, plan_id v)
{
    const plan_value *x = &s->f->value[v];
    if (!read_here(s, v) || x->root != v) return false;
    for (int d = 0; d < x->rank; d++) if (d != s->dim[v] && plan_atoms(x, d)) return false;
    return true;
}

static uint32_t listed(plan_id *list, uint32_t *n, plan_id v)
{
    for (uint32_t i = 0; i < *n; i++) if (list[i] == v) return i;
    list[*n] = v;
    return (*n)++;
}

/* Operands, results and rooms. False: nothing large has a room, there is no contraction, or a step reads what others
 * want too by other dims than it is stored by. */
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
            dot |= h->item[k]->eqn->op == &row_dot_general;
        }
        for (uint32_t k = 0; k < h->nin; k++) {
            const plan_id v = h->in[k], base = s->f->value[v].base;
            if (s->result[base] != s->turn) listed(g->in, &g->nin, v);
            else if (!s->room[base] && base != v) return false;
            else if (cut_dim(s, v) < 0) return false;
        }
        for (uint32_t j = 0; j < h->nout; j++) {
            const plan_value *y = &s->f->value[h->out[j]];
            if (!is_room(s, h->out[j])) {
                listed(g->out, &g->nout, h->out[j]);
                continue;
            }
            const int64_t row = (y->bytes / rows(s) + 63) / 64 * 64;
            worth |= total(s->f, h->out[j]) >= LEAST;
            s->room[h->out[j]] = ++x->nroom;
            x->at[x->nroom] = x->at[x->nroom - 1] + row;
        }
    }
    return worth && dot && g->nout;
}

static gen_chain_arg argument(const chain *s, const joined *x, plan_id v, bool made)
{
    const plan_value *y = &s->f->value[v];
    const uint32_t room = made ? s->room[y->base] : 0;
    gen_chain_arg a = { room > 0, room - 1, ir_type_of(y->dtype, y->rank, y->dim), made ? cut_dim(s, v) : UNKNOWN };
    uint32_t nin = x->g->nin, nout = x->g->nout;
    if (!room) a.at = made ? nin + listed(x->g->out, &nout, v) : listed(x->g->in, &nin, v);
    return a;
}

/* Ours in the place of a plug-in's, which are for whole boxes. */
static bool stage(const chain *s, const joined *x, const plan_group *h, gen_chain_stage *to)
{
    gen_chain_arg *arg = BASE_NEW(s->f->keep, gen_chain_arg, h->nin + h->nout);
    for (uint32_t k = 0; k < h->nin; k++)
        arg[k] = argument(s, x, h->in[k], s->result[s->f->value[h->in[k]].base] == s->turn);
    for (uint32_t j = 0; j < h->nout; j++) arg[h->nin + j] = argument(s, x, h->out[j], true);
    *to = (gen_chain_stage){ h->kernel->code, h->nin + h->nout, arg };
    return h->item[0]->eqn->op != &row_dot_general || h->n > 1 ||
           gen_own_kernel(s->f->keep, &h->kernel->group, &to->k);
}

/* The chain's step behind those between its steps that read nothing of it, before the others; what is over is NULL. */
static void put_behind(const chain *s)
{
    plan_item **const item = s->b->item, *behind[REACH + 1];
    uint32_t to = s->at[0], nbehind = 0, k = 0;
    for (uint32_t i = s->at[0]; i <= s->at[s->n - 1]; i++) {
        plan_item *t = item[i];
        item[i] = NULL;
        if (k < s->n && i == s->at[k]) k++;
        else if (t && is_late(s, t)) behind[nbehind++] = t;
        else if (t) item[to++] = t;
    }
    item[to++] = s->step[0];
    for (uint32_t i = 0; i < nbehind; i++) item[to++] = behind[i];
}

/* The first step becomes all of them; the others are gone. */
static bool together(chain *s)
{
    plan_flat *f = s->f;
    if (s->n < 2) return false;
    joined x = { .g = BASE_NEW(f->a, plan_group, 1) };
    if (!arguments(s, &x)) return false;
    plan_kernel *k = BASE_NEW(f->a, plan_kernel, 1);
    gen_chain_stage *stages = BASE_NEW(f->keep, gen_chain_stage, s->n);
    for (uint32_t i = 0; i < s->n; i++) if (!stage(s, &x, s->step[i]->group, &stages[i])) return false;
    const gen_chain c = { x.g->nin, s->n, x.nroom, stages, s->dim[x.g->out[0]], s->bytes, x.at };
    gen_chain_kernel(f->keep, &c, &k->code);
    x.g->kernel = k, x.g->chain = true;
    s->step[0]->group = x.g;
    s->step[0]->site = s->step[s->n - 1]->site;
    put_behind(s);
    return true;
}

static bool begin(chain *s, uint32_t i, int d)
{
    plan_item *t = s->b->item[i];
    const plan_id v = t->group->out[0];
    const plan_value *x = &s->f->value[v];
    if (d >= x->rank || x->dim[d] < PARTS || total(s->f, v) < LEAST || x->base != v || !plan_whole(x)) return false;
    s->turn++;
    s->n = 0, s->bytes = 0;
    s->size = x->dim[d], s->atoms = plan_atoms(x, d), s->vary = x->vary;
    s->made[v] = s->turn, s->dim[v] = (int8_t)d;
    if (!add(s, t, i)) return false;
    grow(s, i);
    return together(s);
}

/* ---- all blocks ---- */

/* Does a step that is near read much of what step i makes? Without one it begins no chain. */
static bool is_followed(chain *s, uint32_t i)
{
    const plan_group *g = s->b->item[i]->group;
    s->turn++;
    for (uint32_t j = 0; j < g->nout; j++) s->result[g->out[j]] = s->turn;
    for (uint32_t j = i + 1; j < s->b->n && j <= i + REACH; j++)
        if (s->b->item[j] && s->b->item[j]->kind == PLAN_EQN && follows(s, s->b->item[j])) return true;
    return false;
}

static void block(plan_flat *f, plan_block *b, chain *s)
{
    uint32_t n = 0;
    s->b = b;
    for (uint32_t i = 0; i < b->n; i++)
        while (b->item[i] && suits(b->item[i]) && is_followed(s, i) && (begin(s, i, 0) || begin(s, i, 1))) ;
        /* (another step stands there) */
    for (uint32_t i = 0; i < b->n; i++) if (b->item[i]) b->item[n++] = b->item[i];
    b->n = n;
    for (uint32_t i = 0; i < n; i++) {
        plan_item *t = b->item[i];
        block(f, &t->cond, s);
        block(f, &t->body, s);
        for (uint32_t k = 0; k < t->nbranch; k++) block(f, &t->branch[k], s);
    }
}

void plan_chain(plan_flat *f, plan_block *b)
{
    if (f->reproducible || base_switch("ref") || base_switch("no-chain")) return;
    const size_t n = f->nvalue + 1;
    chain s = { .f = f, .reads = BASE_NEW(f->a, uint32_t, n), .made = BASE_NEW(f->a, uint32_t, n),
                .result = BASE_NEW(f->a, uint32_t, n), .late = BASE_NEW(f->a, uint32_t, n),
                .room = BASE_NEW(f->a, uint32_t, n), .rule = BASE_NEW(f->a, op_rule *, n),
                .dim = BASE_NEW(f->a, int8_t, n) };
    plan_readers(f, b, s.reads);
    block(f, b, &s);
}
