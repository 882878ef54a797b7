/* hlo/read/legacy_manual.c - the older form of manual computations: the operations between SPMDFullToShardShape and
 * SPMDShardToFullShape become one operation with a region, before anything is read.
 *
 * An operation moves into the region if it needs a value from inside; other operations stay where they are, before the
 * region. The region ends before the first operation that needs one of its results. */
#include "../inner.h"

#include <string.h>

typedef struct { HLO_LIST(hlo_span) v; } spans;
typedef struct {
    hlo_reader *r;
    const hlo_region *from;
    HLO_LIST(hlo_op) out;
    hlo_op *at;                                          /* the open region; NULL: none */
    hlo_op back;                                         /* its return operation */
    hlo_attrs in, ret;                                   /* shardings of the region's operands and results */
    spans inside, outside;                               /* names of values inside the region, and of its results */
} walk;

static bool has(const spans *s, hlo_span name)
{
    for (int i = 0; i < s->v.n; i++) if (s->v.v[i].n == name.n && !memcmp(s->v.v[i].at, name.at, name.n)) return true;
    return false;
}

static bool needs(const hlo_op *o, const spans *s)       /* True if the operation or its regions use one of the names */
{
    for (int i = 0; i < o->in.n; i++) if (has(s, o->in.v[i].name)) return true;
    for (int k = 0; k < o->region.n; k++)
        for (int i = 0; i < o->region.v[k].op.n; i++) if (needs(&o->region.v[k].op.v[i], s)) return true;
    return false;
}

bool hlo_is_target(const hlo_op *o, const char *target)
{
    return hlo_is(o->name, "stablehlo.custom_call") && hlo_is(hlo_choice(&o->attr, "call_target_name"), target);
}

/* The sharding that a preceding @Sharding gives to the value. */
static const hlo_attr *given(const walk *w, hlo_span name)
{
    for (int i = 0; i < w->from->op.n; i++)
        for (int k = 0; k < w->from->op.v[i].result.n; k++) {
            const hlo_span s = w->from->op.v[i].result.v[k].name;
            if (s.n == name.n && !memcmp(s.at, name.at, name.n))
                return hlo_find(&w->from->op.v[i].attr, "mhlo.sharding");
        }
    return NULL;
}

static void legacy_manual_add(walk *w, hlo_attrs *list, const hlo_attr *a)
{
    *HLO_MORE(w->r->p->arena, list) = a ? *a : (hlo_attr){ .form = HLO_STRING, .text = { "{replicated}", 12 } };
}

static void close_region(walk *w)
{
    base_arena *const a = w->r->p->arena;
    if (!w->at) return;
    *HLO_MORE(a, &w->at->region.v[0].op) = w->back;
    hlo_add(w->r->p, &w->at->attr, "in_shardings", HLO_ARRAY)->item = w->in;
    hlo_add(w->r->p, &w->at->attr, "out_shardings", HLO_ARRAY)->item = w->ret;
    *HLO_MORE(a, &w->out) = *w->at;
    w->at = NULL;
}

static void legacy_manual_enter(walk *w, const hlo_op *o) /* SPMDFullToShardShape */
{
    base_arena *const a = w->r->p->arena;
    if (w->at && needs(o, &w->outside)) close_region(w);
    if (!w->at) {
        w->at = BASE_NEW(a, hlo_op, 1);
        *w->at = (hlo_op){ .name = { "sdy.manual_computation", 22 }, .at = o->at, .loc = o->loc, .typed = true };
        *HLO_MORE(a, &w->at->region) = (hlo_region){ .at = o->at };
        w->back = (hlo_op){ .name = { "sdy.return", 10 }, .at = o->at };
        w->in = w->ret = (hlo_attrs){ 0 };
        w->inside = w->outside = (spans){ 0 };
    }
    *HLO_MORE(a, &w->at->in) = o->in.v[0];
    *HLO_MORE(a, &w->at->from) = o->from.v[0];
    *HLO_MORE(a, &w->at->region.v[0].arg) = (hlo_param){ .name = o->result.v[0].name, .type = o->to.v[0] };
    *HLO_MORE(a, &w->inside.v) = o->result.v[0].name;
    legacy_manual_add(w, &w->in, given(w, o->in.v[0].name));
}

static void leave(walk *w, const hlo_op *o)              /* SPMDShardToFullShape */
{
    base_arena *const a = w->r->p->arena;
    *HLO_MORE(a, &w->back.in) = o->in.v[0];
    *HLO_MORE(a, &w->back.to) = o->from.v[0];
    *HLO_MORE(a, &w->at->result) = o->result.v[0];
    *HLO_MORE(a, &w->at->to) = o->to.v[0];
    *HLO_MORE(a, &w->outside.v) = o->result.v[0].name;
    legacy_manual_add(w, &w->ret, hlo_find(&o->attr, "mhlo.sharding"));
}

static bool legacy_manual_step(walk *w, const hlo_op *o)
{
    base_arena *const a = w->r->p->arena;
    const bool in = hlo_is_target(o, "SPMDFullToShardShape"), out = hlo_is_target(o, "SPMDShardToFullShape");
    if ((in || out) && (o->in.n != 1 || o->result.n != 1 || o->from.n != 1 || o->to.n != 1))
        return hlo_refuse(w->r, o, TT_EARG, "expected one operand and one result, with types");
    if (in) return legacy_manual_enter(w, o), true;
    const bool inner = w->at && needs(o, &w->inside), later = w->at && needs(o, &w->outside);
    if (inner && later)
        return hlo_refuse(w->r, o, TT_EARG, "needs values from inside and from after a manual computation");
    if (out && !inner) return hlo_refuse(w->r, o, TT_EARG, "no SPMDFullToShardShape stands before");
    if (out) return leave(w, o), true;
    if (later) close_region(w);
    if (!inner) return *HLO_MORE(a, &w->out) = *o, true;
    *HLO_MORE(a, &w->at->region.v[0].op) = *o;
    for (int i = 0; i < o->result.n; i++) *HLO_MORE(a, &w->inside.v) = o->result.v[i].name;
    return true;
}

bool hlo_enclose(hlo_reader *r, hlo_region *g)
{
    bool any = false;
    for (int i = 0; i < g->op.n; i++) any |= hlo_is_target(&g->op.v[i], "SPMDFullToShardShape");
    if (!any) return true;
    const hlo_region from = *g;
    walk w = { .r = r, .from = &from };
    for (int i = 0; i < from.op.n; i++) if (!legacy_manual_step(&w, &from.op.v[i])) return false;
    close_region(&w);
    g->op.v = w.out.v, g->op.n = w.out.n, g->op.cap = w.out.cap;
    return true;
}
