/* hlo/scope.c - which value a name means, and how a region becomes a closed function.
 *
 * Names are unique in a function, siblings excepted: bindings are a stack with a chained table over it, and a region's
 * go when it is left. A region of the text sees the values around it; ours are closed. So what it reads from outside is
 * looked for first: small constants are repeated inside, other values come in as parameters behind its own. */
#include "inner.h"

#include <string.h>

static int *bucket(hlo_names *n,
                   hlo_span s) { return &n->head[base_hash(0, s.at, s.n) % (sizeof n->head / sizeof *n->head)]; }

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
    *head = n->at.n;                                     /* 1 + place; 0: none */
}

void hlo_bind(hlo_reader *r, hlo_span name, const ir_id *id, int64_t count)
{
    bind_in(r->p->arena, r->names,
            (hlo_binding){ .name = name, .id = BASE_COPY(r->p->arena, id, count), .count = count });
}

static bool same(hlo_span a, hlo_span b) { return a.n == b.n && !memcmp(a.at, b.at, a.n); }

/* index < 0: any of that name */
static const hlo_binding *bound(hlo_names *n, hlo_span name, int64_t index)
{
    for (int k = *bucket(n, name); k; k = n->at.v[k - 1].next) {
        const hlo_binding *const x = &n->at.v[k - 1];
        if (same(x->name, name) && (index < 0 || (index >= x->first && index < x->first + x->count))) return x;
    }
    return NULL;
}

ir_id hlo_resolve(hlo_reader *r, const hlo_use *u)
{
    const hlo_binding *const x = bound(r->names, u->name, u->index);
    if (x && x->frame == r->names->frame) return x->id[u->index - x->first];
    if (!x && bound(r->names, u->name, -1))
        hlo_fail(r->p, u->name.at - 1, TT_EARG, "%%%.*s has no result %lld", HLO_SPAN(u->name), (long long)u->index);
    else hlo_fail(r->p, u->name.at - 1, TT_EARG, "%%%.*s is not defined here", HLO_SPAN(u->name));
    return 0;
}

/* ---- what regions read from outside ---- */

typedef struct { base_arena *a; hlo_names *seen, *known; hlo_caught *c; } search;

static void search_region(search *s, const hlo_region *g, int depth);

static void search_op(search *s, const hlo_op *o, int depth)
{
    for (int i = 0; i < o->in.n; i++) {
        const hlo_use *const u = &o->in.v[i];
        if (bound(s->seen, u->name, -1) || bound(s->known, u->name, u->index)) continue;
        *HLO_MORE(s->a, &s->c->use) = *u;
        bind_in(s->a, s->known, (hlo_binding){ .name = u->name, .first = u->index, .count = 1 });
    }
    for (int i = 0; i < o->region.n; i++) search_region(s, &o->region.v[i], depth + 1);
    for (int i = 0; i < o->result.n; i++)
        bind_in(s->a, s->seen, (hlo_binding){ .name = o->result.v[i].name, .count = o->result.v[i].count });
}

static void search_region(search *s, const hlo_region *g, int depth)
{
    const int mark = hlo_mark(s->seen);
    if (depth > HLO_DEPTH) return;                       /* the parser has refused such a text */
    for (int i = 0; i < g->arg.n; i++) bind_in(s->a, s->seen, (hlo_binding){ .name = g->arg.v[i].name, .count = 1 });
    for (int i = 0; i < g->op.n; i++) search_op(s, &g->op.v[i], depth);
    hlo_release(s->seen, mark);
}

static bool repeated(const ir_build *b, ir_id id)        /* a constant that is cheaper to repeat than to hand over */
{
    const ir_eqn *const e = ir_def(b, id);
    return e && e->op == &row_const &&
           (IR_ATTR(e, op_const_attr)->splat || IR_ATTR(e, op_const_attr)->data.bytes <= 16);
}

/* c->use and c->from: all that the regions read; c->id: the n values that must be handed over. */
bool hlo_catch(hlo_reader *r, const hlo_op *o, hlo_caught *c)
{
    base_arena *const a = r->p->arena;
    for (int i = 0; i < 2; i++) if (!r->search[i]) r->search[i] = BASE_NEW(a, hlo_names, 1);
    search s = { a, r->search[0], r->search[1], c };
    *c = (hlo_caught){ 0 };
    for (int i = 0; i < o->region.n; i++) search_region(&s, &o->region.v[i], 0);
    for (int i = 0; i < 2; i++) hlo_release(r->search[i], 0);
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
    for (int i = 0; i < g->arg.n; i++) {
        const hlo_param *const a = &g->arg.v[i];
        if (!a->type.type) return hlo_fail(r->p, a->type.whole.at, TT_ETYPE, "a parameter that is no tensor");
        const ir_id id = ir_arg(r->b, a->type.type);
        hlo_bind(r, a->name, &id, 1);
    }
    return true;
}

static int let_in(hlo_reader *r, const ir_build *outer, const hlo_caught *c, ir_id *param)
{
    int n = 0;
    for (int i = 0; i < c->use.n; i++) {
        const hlo_use *const u = &c->use.v[i];
        const ir_eqn *const e = ir_def(outer, c->from[i]);
        const bool again = repeated(outer, c->from[i]);
        const ir_id id = again ? ir_emit(r->b, e->op, e->attr, 0, NULL, 0, NULL)
            : ir_arg(r->b, ir_typeof(outer, c->from[i]));
        if (!again) param[n++] = id;
        bind_in(r->p->arena, r->names,
                (hlo_binding){ .name = u->name, .id = BASE_COPY(r->p->arena, &id, 1), .first = u->index, .count = 1 });
    }
    return n;
}

ir_fn *hlo_body(hlo_reader *r, const hlo_op *o, int region, const hlo_caught *c, bool returns_caught)
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
    hlo_caught c;
    if (region >= o->region.n) return hlo_refuse(r, o, TT_EARG, "a region is missing"), NULL;
    if (!hlo_catch(r, o, &c)) return NULL;
    if (c.n) {
        hlo_refuse(r, o, TT_EARG,
                   "its region reads a value from outside that is not a constant, which is not supported");
        return NULL;
    }
    return hlo_body(r, o, region, &c, false);
}
