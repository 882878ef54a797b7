/* hlo/read/scope.c - the value that a name stands for, and the conversion of a region to a closed function.
 *
 * Names are unique in a function, except in sibling regions: bindings are a stack with a chained hash table over it,
 * and the bindings of a region are removed at its end. A region of the text can use the values around it; regions of
 * the IR are closed. So the values that a region reads from outside are found first: small constants are repeated
 * inside, other values become parameters after the region's own. */
#include "../inner.h"
#include "../../op/ops.h"

#include <string.h>

static int *bucket(hlo_names *n, hlo_span s) { return &n->head[hlo_chain(s)]; }

int hlo_mark(const hlo_names *n) { return n->at.n; }

void hlo_release(hlo_names *n, int to)
{
    while (n->at.n > to) {
        const hlo_binding *const x = &n->at.v[--n->at.n];
        *bucket(n, x->name) = x->next;
    }
}

static void bind_in(base_arena *a, hlo_names *n, hlo_binding x)
{
    int *const head = bucket(n, x.name);
    x.next = *head, x.frame = n->frame;
    *HLO_MORE(a, &n->at) = x;
    *head = n->at.n;                                     /* 1 + index; 0: none */
}

void hlo_rebind(hlo_reader *r, const hlo_use *u, ir_id id)
{
    bind_in(r->p->arena, r->names, (hlo_binding){ .name = u->name, .id = BASE_COPY(r->p->arena, &id, 1),
                                                  .first = u->index, .count = 1 });
}

/* index < 0: any index of that name */
static const hlo_binding *scope_bound(hlo_names *n, hlo_span name, int64_t index)
{
    for (int k = *bucket(n, name); k; k = n->at.v[k - 1].next) {
        const hlo_binding *const x = &n->at.v[k - 1];
        if (hlo_same(x->name, name) && (index < 0 || (index >= x->first && index < x->first + x->count))) return x;
    }
    return NULL;
}

bool hlo_bind(hlo_reader *r, hlo_span name, const ir_id *id, int64_t count)
{
    const hlo_binding *const x = scope_bound(r->names, name, -1);
    if (x && x->frame == r->names->frame)
        return hlo_fail(r->p, name.at - 1, TT_EARG, "%%%.*s is defined twice", HLO_SPAN(name));
    bind_in(r->p->arena, r->names,
            (hlo_binding){ .name = name, .id = BASE_COPY(r->p->arena, id, count), .count = count });
    return true;
}

bool hlo_bind_params(hlo_reader *r, const hlo_params *list, const ir_id *id)
{
    for (int i = 0, n; i < list->n; i += n) {
        for (n = 1; i + n < list->n && list->v[i + n].name.at == list->v[i].name.at; n++) {}
        if (!hlo_bind(r, list->v[i].name, id + i, n)) return false;
    }
    return true;
}

ir_id hlo_resolve(hlo_reader *r, const hlo_use *u)
{
    const hlo_binding *const x = scope_bound(r->names, u->name, u->index);
    if (x && x->frame == r->names->frame) return x->id[u->index - x->first];
    if (!x && scope_bound(r->names, u->name, -1))
        hlo_fail(r->p, u->name.at - 1, TT_EARG, "%%%.*s has no result %lld", HLO_SPAN(u->name), (long long)u->index);
    else hlo_fail(r->p, u->name.at - 1, TT_EARG, "%%%.*s is not defined here", HLO_SPAN(u->name));
    return 0;
}

/* ---- values that regions read from outside ---- */

/* Each region is searched once, after the regions inside it: it reads all values that the inner regions read and that
 * it does not define. */
/* left: remaining number of values that may be captured */
typedef struct { base_arena *a; hlo_names *seen, *known; int64_t left; } search;

static void scope_note(search *s, hlo_region *g, const hlo_use *u)
{
    if (s->left < 0 || scope_bound(s->seen, u->name, -1) || scope_bound(s->known, u->name, u->index) || s->left-- == 0)
        return;
    *HLO_MORE(s->a, &g->read) = *u;
    bind_in(s->a, s->known, (hlo_binding){ .name = u->name, .first = u->index, .count = 1 });
}

static void search_region(search *s, hlo_region *g)
{
    if (g->searched) return;
    for (int i = 0; i < g->op.n; i++)
        for (int k = 0; k < g->op.v[i].region.n; k++) search_region(s, &g->op.v[i].region.v[k]);
    for (int i = 0; i < g->arg.n; i++) bind_in(s->a, s->seen, (hlo_binding){ .name = g->arg.v[i].name, .count = 1 });
    for (int i = 0; i < g->op.n; i++) {
        const hlo_op *const o = &g->op.v[i];
        for (int j = 0; j < o->in.n; j++) scope_note(s, g, &o->in.v[j]);
        for (int k = 0; k < o->region.n; k++)
            for (int j = 0; j < o->region.v[k].read.n; j++) scope_note(s, g, &o->region.v[k].read.v[j]);
        for (int j = 0; j < o->result.n; j++)
            bind_in(s->a, s->seen, (hlo_binding){ .name = o->result.v[j].name, .count = o->result.v[j].count });
    }
    hlo_release(s->seen, 0);
    hlo_release(s->known, 0);
    g->searched = true;
}

/* The values that all regions of the operation read, each once. */
static void search_all(search *s, const hlo_op *o, hlo_captures *c)
{
    hlo_region all = { 0 };
    for (int i = 0; i < o->region.n; i++) search_region(s, &o->region.v[i]);
    for (int i = 0; i < o->region.n; i++)
        for (int j = 0; j < o->region.v[i].read.n; j++) scope_note(s, &all, &o->region.v[i].read.v[j]);
    hlo_release(s->known, 0);
    c->use.v = all.read.v, c->use.n = all.read.n;
}

/* True if id is a constant that is cheaper to repeat than to pass. */
static bool repeated(const ir_build *b, ir_id id)
{
    const ir_eqn *const e = ir_def(b, id);
    return e && e->op == &prim_const &&
           (IR_ATTR(e, op_const_attr)->splat || IR_ATTR(e, op_const_attr)->data.bytes <= 16);
}

/* c->use and c->from: all values that the regions read; c->id: the n of them that must be passed. */
bool hlo_capture(hlo_reader *r, const hlo_op *o, hlo_captures *c)
{
    base_arena *const a = r->p->arena;
    for (int i = 0; i < 2; i++) if (!r->search[i]) r->search[i] = BASE_NEW(a, hlo_names, 1);
    const int64_t most = (1 << 16) + (r->p->end - r->p->begin) / 16;
    search s = { a, r->search[0], r->search[1], most - r->captured };
    *c = (hlo_captures){ 0 };
    search_all(&s, o, c);
    r->captured = most - s.left;
    if (s.left < 0)
        return hlo_refuse(r, o, TT_EARG, "regions of this text read more values from outside than it has space for");
    c->from = BASE_NEW(a, ir_id, c->use.n + 1);
    c->id = BASE_NEW(a, ir_id, c->use.n + 1);
    for (int i = 0; i < c->use.n; i++) {
        if (!(c->from[i] = hlo_resolve(r, &c->use.v[i]))) return false;
        if (!repeated(r->b, c->from[i])) c->id[c->n++] = c->from[i];
    }
    return true;
}

/* ---- regions as functions ---- */

static bool parameters(hlo_reader *r, const hlo_region *g)
{
    ir_id *const id = BASE_NEW(r->p->arena, ir_id, g->arg.n + 1);
    for (int i = 0; i < g->arg.n; i++) {
        const hlo_param *const a = &g->arg.v[i];
        if (!a->type.type)
            return hlo_fail(r->p, a->type.text.at, TT_ETYPE, "a parameter that is not a tensor is not supported");
        id[i] = ir_arg(r->b, a->type.type);
    }
    return hlo_bind_params(r, &g->arg, id);
}

static int let_in(hlo_reader *r, const ir_build *outer, const hlo_captures *c, ir_id *param)
{
    int n = 0;
    for (int i = 0; i < c->use.n; i++)                   /* parameters precede all operations */
        if (!repeated(outer, c->from[i])) param[n++] = ir_arg(r->b, ir_typeof(outer, c->from[i]));
    for (int i = 0, k = 0; i < c->use.n; i++) {
        const hlo_use *const u = &c->use.v[i];
        const ir_eqn *const e = ir_def(outer, c->from[i]);
        const ir_id id = repeated(outer, c->from[i]) ? ir_emit(r->b, e->op, e->attr, 0, NULL, 0, NULL) : param[k++];
        bind_in(r->p->arena, r->names,
                (hlo_binding){ .name = u->name, .id = BASE_COPY(r->p->arena, &id, 1), .first = u->index, .count = 1 });
    }
    return n;
}

ir_fn *hlo_body(hlo_reader *r, const hlo_op *o, int region, const hlo_captures *c, bool returns_caught)
{
    const hlo_region *const g = &o->region.v[region];
    ir_build *const outer = r->b;
    const int mark = hlo_mark(r->names), frame = r->names->frame;
    ir_id *ret, *param = BASE_NEW(r->p->arena, ir_id, c->use.n + 1);
    int nret;
    ir_fn *f = NULL;
    r->names->frame = ++r->frames;
    r->b = ir_region(outer, base_intern("region"));
    if (parameters(r, g)) {
        const int n = let_in(r, outer, c, param);
        if (hlo_operations(r, g, n, &ret, &nret)) {
            if (returns_caught) memcpy(ret + nret, param, (size_t)n * sizeof *ret);
            f = ir_end(r->b, (uint32_t)(nret + (returns_caught ? n : 0)), ret);
        }
    }
    r->b = outer;
    r->names->frame = frame;
    hlo_release(r->names, mark);
    return f;
}

ir_fn *hlo_closed(hlo_reader *r, const hlo_op *o, int region)
{
    hlo_captures c;
    if (region >= o->region.n) return hlo_refuse(r, o, TT_EARG, "region %d is missing", region + 1), NULL;
    if (!hlo_capture(r, o, &c)) return NULL;
    if (c.n) {
        hlo_refuse(r, o, TT_EARG,
                   "the region reads a value from outside that is not a constant, which is not supported");
        return NULL;
    }
    return hlo_body(r, o, region, &c, false);
}
