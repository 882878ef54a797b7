/* plan/memory/live.c - liveness: when each value is needed, and which values share a buffer.
 *
 * Items of all blocks get rising positions; a loop has one for its start, one for its test and one for its end. A span
 * is [position of the definition, position of the last use]; a value that a loop reads from outside is needed until the
 * loop's end. A carry's buffer has holes: from the last read of its old content to the copy that refills it. Spans of
 * one buffer must not overlap, but may touch where a step reads the old content and writes the new content in place.
 *
 * Buffers are joined in this order: the two ends of a copy (the copy is dropped), results with donated arguments (as an
 * alias: the runtime falls back on a new buffer if the argument has another holder), then results of a step with an
 * operand that dies there. */
#include "../inner.h"

#include <string.h>

enum { DEPTH = 64 };                                     /* nesting depth of loops */

typedef struct {
    plan_flat *f;
    plan_item **at; uint32_t n, cap;                     /* [position]: the item */
    plan_item *loop[DEPTH]; uint32_t depth;
} live;

/* ---- positions ---- */

static uint32_t position(live *s, plan_item *t)
{
    if (++s->n >= s->cap) {
        const uint32_t cap = s->cap ? 2 * s->cap : 256;
        plan_item **grown = BASE_NEW(s->f->a, plan_item *, cap);
        if (s->cap) memcpy(grown, s->at, s->cap * sizeof *grown);
        s->at = grown;
        s->cap = cap;
    }
    s->at[s->n] = t;
    return s->n;
}

static void born(live *s, plan_id v, uint32_t at, uint32_t depth)
{
    plan_value *x = &s->f->value[v];
    x->first = x->last = at;
    x->loop = depth;
}

static bool define(live *s, plan_block *b)
{
    for (uint32_t i = 0; i < b->n; i++) {
        plan_item *t = b->item[i];
        t->from = t->to = position(s, t);
        if (t->kind == PLAN_LOOP) {
            for (uint32_t k = 0; k < t->nin; k++)        /* a carry that the loop itself fills */
                if (t->loop.carry[k] != t->in[k] && !s->f->value[t->in[k]].def) born(s, t->in[k], t->from, s->depth);
            if (++s->depth == DEPTH) return base_fail(TT_EPLAN, t->site, "loops nested more than %d deep", DEPTH - 1);
            for (uint32_t k = 0; k < t->nin; k++)
                if (t->loop.carry[k] != t->in[k]) born(s, t->loop.carry[k], t->from, s->depth);
        }
        PLAN_EACH_BLOCK(t, nested) {
            if (!define(s, nested)) return false;
            nested->end = position(s, t);
        }
        if (t->kind == PLAN_LOOP) s->depth--, t->to = t->nested[PLAN_BODY].end;
        if (t->kind == PLAN_CHOOSE) t->to = position(s, t);
        const plan_id *out;
        for (uint32_t j = 0, n = plan_step_results(t, &out); j < n; j++) if (out[j]) born(s, out[j], t->to, s->depth);
    }
    return true;
}

/* Records a use. A value that is read inside a loop but defined outside is needed until the loop's end. */
static void read(live *s, plan_id v, uint32_t at)
{
    plan_value *x = &s->f->value[s->f->value[v].base];
    if (s->depth > x->loop) at = s->loop[x->loop]->to;
    if (at > x->last) x->last = at;
}

static void use(live *s, plan_block *b, uint32_t end)
{
    plan_flat *f = s->f;
    for (uint32_t i = 0; i < b->n; i++) {
        plan_item *t = b->item[i];
        const plan_id *in;
        for (uint32_t k = 0, n = plan_step_operands(t, &in); k < n; k++) read(s, in[k], t->from);
        if (t->kind == PLAN_MOVE && f->value[t->out[0]].root != t->out[0]) f->value[t->out[0]].last = end;
        if (t->kind == PLAN_LOOP) {
            const uint32_t tested = t->nested[PLAN_COND].end;
            s->loop[s->depth++] = t;
            read(s, t->loop.test, tested);
            for (uint32_t k = 0; k < t->nin; k++) if (t->loop.carry[k] != t->in[k]) read(s, t->loop.carry[k], tested);
        }
        PLAN_EACH_BLOCK(t, nested) use(s, nested, nested->end);
        if (t->kind == PLAN_LOOP) s->depth--;
    }
}

/* ---- buffers ---- */

plan_id plan_buffer_of(const plan_flat *f, plan_id v)
{
    plan_id r = f->value[v].root;
    while (f->buffer[r].into != r) r = f->buffer[r].into;
    return r;
}

static void spans(live *s)
{
    plan_flat *f = s->f;
    uint32_t *count = BASE_NEW(f->a, uint32_t, f->nvalue + 1);
    for (plan_id v = 1; v <= f->nvalue; v++) count[f->value[v].root]++;
    for (plan_id v = 1; v <= f->nvalue; v++) {
        const plan_value *x = &f->value[v];
        plan_buffer *b = &f->buffer[x->root];
        if (x->root == v) b->into = v, b->vary = x->vary, b->bytes = x->bytes;
        if (x->base != v || (!x->first && x->def)) continue; /* a view, or a value that exists only inside its group */
        if (!b->span) b->span = BASE_NEW(f->a, plan_span, count[x->root]);
        b->span[b->nspan++] = (plan_span){ x->first, x->last };
    }
}

/* True if operand i of a contraction with an epilogue may be overwritten by result j. Not if the contraction reads it,
 * and not by the contraction's own result, which is written first. */
static bool in_place_of_epilogue(const plan_group *g, uint32_t i, uint32_t j)
{
    bool may = i >= g->nproducer && j < g->consumer->nout;
    for (uint32_t k = 0; may && k < g->consumer->nin; k++)
        may = g->consumer->in[k] != g->in[i] || gen_in_place(&g->consumer->kernel->group, k, j);
    return may;
}

/* True if step t may read buffer a and write buffer b when both are the same memory. */
static bool in_place(const plan_flat *f, const plan_item *t, plan_id a, plan_id b)
{
    if (t->kind == PLAN_MOVE) return t->move.copy;
    if (t->kind != PLAN_EQN || (t->group->chain && !t->group->consumer)) return false;
    const plan_group *g = t->group;
    for (uint32_t i = 0; i < g->nin; i++)
        for (uint32_t j = 0; j < g->nout && plan_buffer_of(f, g->in[i]) == a; j++) {
            if (plan_buffer_of(f, g->out[j]) != b) continue;
            const plan_value *x = &f->value[g->in[i]], *y = &f->value[g->out[j]];
            if (x->rank != y->rank) return false;
            if (g->consumer ? !in_place_of_epilogue(g, i, j) : !gen_in_place(&g->kernel->group, i, j)) return false;
            plan_value like = *x;
            like.dtype = y->dtype;
            if (!plan_alike(&like, y)) return false;
        }
    return true;
}

static bool row_here(const plan_item *t, const plan_item *loop)
{
    return t && t->kind == PLAN_SLICE_PTR && t->block == &loop->nested[PLAN_BODY];
}

/* True if every access to buffer a in this block goes through a slice pointer that the loop's body creates from
 * `index`, and no access comes after step `until`, except the write of that row by `until` itself. */
static bool live_reads_row_only(const live *s, const plan_block *in, const plan_item *loop, plan_id a, plan_id b,
    plan_id index,
                                uint32_t until)
{
    const plan_flat *f = s->f;
    for (uint32_t i = 0; i < in->n; i++) {
        const plan_item *t = in->item[i];
        const plan_id *x;
        for (uint32_t k = 0, n = plan_step_operands(t, &x); k < n; k++) {
            const plan_value *v = &f->value[x[k]];
            if (plan_buffer_of(f, x[k]) != a) continue;
            if (row_here(t, loop) && f->value[t->in[1]].base == index) continue;
            if (!v->slice || !row_here(f->value[v->base].def, loop)) return false;
            const uint32_t last = t->kind == PLAN_EQN ? t->from : t->to;
            if (last > until || (last == until && (t->kind != PLAN_EQN || !in_place(f, t, a, b)))) return false;
        }
        PLAN_EACH_BLOCK(t, nested) if (!live_reads_row_only(s, nested, loop, a, b, index, until)) return false;
    }
    return true;
}

/* The loop that fills buffer b row by row, each row once (counted_loop.c), so that the carry has no earlier content;
 * NULL: none. */
static const plan_item *live_filling_loop(const live *s, plan_id b)
{
    const plan_flat *f = s->f;
    for (uint32_t i = 0; i < f->buffer[b].nspan; i++) {
        const plan_item *t = s->at[f->buffer[b].span[i].first];
        if (!t || t->kind != PLAN_LOOP || t->from != f->buffer[b].span[i].first) continue;
        for (uint32_t k = 0; k < t->nin; k++)
            if (t->loop.carry[k] != t->in[k] && !f->value[t->in[k]].def && plan_buffer_of(f, t->in[k]) == b) return t;
    }
    return NULL;
}

/* The loop that fills b and reads a only in the row that is filled next, so that a and b may share memory row by row;
 * NULL: none. */
static const plan_item *live_fills_behind(const live *s, plan_id a, plan_id b)
{
    const plan_flat *f = s->f;
    const plan_item *loop = live_filling_loop(s, b);
    plan_id index = 0;
    uint32_t until = UINT32_MAX;
    for (uint32_t i = 0; loop && i < loop->nested[PLAN_BODY].n; i++) {
        const plan_item *t = loop->nested[PLAN_BODY].item[i];
        if (!plan_written_row(t) || plan_buffer_of(f, t->out[0]) != b) continue;
        if (t->kind == PLAN_SLICE_PTR && index) return NULL;
        if (t->kind == PLAN_SLICE_PTR) index = f->value[t->in[1]].base;
        else if (!t->dropped) until = t->from;
    }
    for (plan_id v = 1; index && v <= f->nvalue; v++) {
        const plan_value *x = &f->value[v];
        if (x->base != v || x->first <= loop->from || x->first >= loop->to) continue;
        /* defined in the loop, and perhaps not read there */
        if (plan_buffer_of(f, v) == a && !row_here(x->def, loop)) return NULL;
        if (plan_buffer_of(f, v) != b) continue;
        if (!x->slice && !x->in_iteration && !(x->def && x->def->dropped)) return NULL;
        if (x->slice && x->def && x->def->kind == PLAN_EQN && x->first < until) until = x->first;
    }
    if (!index || !live_reads_row_only(s, &loop->nested[PLAN_COND], loop, a, b, index, 0)) return NULL;
    return live_reads_row_only(s, &loop->nested[PLAN_BODY], loop, a, b, index, until) ? loop : NULL;
}

static bool live_apart(const live *s, plan_id a, plan_id b)
{
    const plan_buffer *p = &s->f->buffer[a], *q = &s->f->buffer[b];
    const plan_item *loop[2] = { NULL };
    for (uint32_t i = 0, done = 0; i < p->nspan; i++)
        for (uint32_t k = 0; k < q->nspan; k++) {
            const plan_span x = p->span[i], y = q->span[k];
            if (x.last < y.first || y.last < x.first) continue;
            if (x.last == y.first && x.first < y.first && in_place(s->f, s->at[y.first], a, b)) continue;
            if (y.last == x.first && y.first < x.first && in_place(s->f, s->at[x.first], b, a)) continue;
            if (!done++) loop[0] = live_fills_behind(s, a, b), loop[1] = live_fills_behind(s, b, a);
            if (loop[0] && x.last <= loop[0]->to && y.first >= loop[0]->from) continue;
            if (loop[1] && y.last <= loop[1]->to && x.first >= loop[1]->from) continue;
            return false;
        }
    return true;
}

static bool unite(live *s, plan_id a, plan_id b)
{
    plan_flat *f = s->f;
    if (a == b) return true;
    if (f->buffer[a].common || f->buffer[b].common) return false;
    if (f->buffer[b].space != RUN_ARENA) { const plan_id c = a; a = b; b = c; }
    plan_buffer *p = &f->buffer[a], *q = &f->buffer[b];
    if (q->space != RUN_ARENA || (p->space != RUN_ARENA && p->space != RUN_RESULT)) return false;
    if (p->vary != q->vary || p->bytes != q->bytes || !live_apart(s, a, b)) return false;
    if (p->donor && !live_apart(s, p->donor, b)) return false; /* the result's buffer may be the donated argument's */
    plan_span *all = BASE_NEW(f->a, plan_span, p->nspan + q->nspan);
    memcpy(all, p->span, p->nspan * sizeof *all);
    memcpy(all + p->nspan, q->span, q->nspan * sizeof *all);
    p->span = all;
    p->nspan += q->nspan;
    p->joined = true;
    q->into = a;
    return true;
}

/* ---- joining buffers ---- */

/* True if g's result j shares its memory with no operand, and will not through donation. */
static bool is_fresh(const plan_flat *f, const plan_group *g, uint32_t j)
{
    const plan_id y = plan_buffer_of(f, g->out[j]);
    for (uint32_t k = 0; k < g->nin; k++) {
        const plan_id x = plan_buffer_of(f, g->in[k]);
        if (x == y || x == f->buffer[y].donor) return false;
    }
    return true;
}

/* Places a contraction's result that only its epilogue reads in the memory of an elementwise result. */
static void overwrite(live *s, plan_item *t)
{
    plan_flat *f = s->f;
    const plan_group *g = t->group;
    const plan_id v = g->out[g->nout - 1], x = plan_buffer_of(f, v);
    plan_buffer *p = &f->buffer[x];
    if (f->value[v].last != t->to || x != v || p->space != RUN_ARENA || p->joined) return;
    for (uint32_t j = 0; j < g->consumer->nout; j++) {
        const plan_id y = plan_buffer_of(f, g->out[j]);
        bool may = !f->value[g->out[j]].slice && f->buffer[y].vary == p->vary && f->buffer[y].bytes == p->bytes
                   && is_fresh(f, g, j);
        for (uint32_t k = 0; may && k < g->consumer->nin; k++)
            may = g->consumer->in[k] != v || gen_in_place(&g->consumer->kernel->group, k, j);
        if (!may) continue;
        p->into = y, f->buffer[y].joined = true;   /* needed only while the elementwise result is: no further span */
        return;
    }
}

static void drop_copies(live *s, plan_block *b)
{
    for (uint32_t i = 0; i < b->n; i++) {
        plan_item *t = b->item[i];
        /* the address of a row changes, so the row cannot be one end of a joined buffer */
        const bool copy = plan_is_copy(t);
        const bool moving = copy && (s->f->value[t->in[0]].slice || s->f->value[t->out[0]].slice);
        if (t->kind == PLAN_MOVE && t->move.row) t->dropped = copy && plan_produce_in_place(s->f, t);
        else if (copy && !moving)
            t->dropped = unite(s, plan_buffer_of(s->f, t->in[0]), plan_buffer_of(s->f, t->out[0]));
        PLAN_EACH_BLOCK(t, nested) drop_copies(s, nested);
    }
}

static void reuse(live *s, plan_block *b)
{
    plan_flat *f = s->f;
    for (uint32_t i = 0; i < b->n; i++) {
        plan_item *t = b->item[i];
        const plan_group *g = t->kind == PLAN_EQN ? t->group : NULL;
        if (g && g->consumer) overwrite(s, t);
        for (uint32_t j = 0; g && j < g->nout; j++)
            for (uint32_t k = 0; k < g->nin; k++) {
                const plan_id x = plan_buffer_of(f, g->in[k]), y = plan_buffer_of(f, g->out[j]);
                if (x != y && f->value[f->value[g->in[k]].base].last == t->from && unite(s, x, y)) break;
            }
        PLAN_EACH_BLOCK(t, nested) reuse(s, nested);
    }
}

/* ---- donation ---- */

static bool takes(live *s, uint32_t j, uint32_t i)
{
    plan_flat *f = s->f;
    const plan_id r = f->result[j], a = f->arg[i];
    return f->value[r].def && plan_alike(&f->value[r], &f->value[a])
           && live_apart(s, plan_buffer_of(f, a), plan_buffer_of(f, r));
}

static void donate(live *s)
{
    plan_flat *f = s->f;
    bool *taken = BASE_NEW(f->a, bool, f->fn->narg + 1);
    for (uint32_t j = 0; j < f->fn->nret; j++) {
        f->alias[j] = -1;
        for (uint32_t i = 0; f->fn->donate && i < f->fn->narg; i++) {
            if (!f->fn->donate[i] || taken[i] || !takes(s, j, i)) continue;
            f->alias[j] = (int32_t)i;
            f->buffer[plan_buffer_of(f, f->result[j])].donor = plan_buffer_of(f, f->arg[i]);
            taken[i] = true;
            break;
        }
    }
}

bool plan_live(plan_flat *f)
{
    live s = { .f = f };
    plan_hoist_writes(f, &f->main);
    if (!define(&s, &f->main)) return false;
    use(&s, &f->main, s.n);
    const uint32_t end = position(&s, NULL);
    for (uint32_t j = 0; j < f->fn->nret; j++) f->value[f->value[f->result[j]].base].last = end;
    spans(&s);
    drop_copies(&s, &f->main);
    donate(&s);
    plan_common(f);
    reuse(&s, &f->main);
    return true;
}
