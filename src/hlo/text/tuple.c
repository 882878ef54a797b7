/* hlo/text/tuple.c - replaces tuples by their parts in the tree, before anything is read.
 *
 * A value of type tuple<a, tuple<b, c>> becomes three values: a pack of results of an operation, %t#0 to %t#2; three
 * parameters of one name of a function or a region, which are bound as a pack. `tuple` and `get_tuple_element` pass on
 * their operands. Tuples may occur where StableHLO and its older forms allow them: calls, custom calls, loops, branches
 * and returns. Texts without tuples skip this step. */
#include "../inner.h"

/* name#index starts at leaf `first` of the pack of that name. */
typedef struct {
    hlo_span name;
    int64_t index, first;
    hlo_type type;
    int next;
} place;

typedef struct {
    hlo_parser *p;
    base_arena *a;
    HLO_LIST(place) at;
    int head[HLO_CHAINS];
    int64_t left; /* remaining number of uses that tuples may expand to */
} job;

static const hlo_tuple *tuple_of(const job *j, const hlo_type *t) { return &j->p->module->tuple.v[t->tuple]; }
static int64_t leaves(const job *j, const hlo_type *t) { return t->kind == HLO_TUPLE ? tuple_of(j, t)->nleaf : 1; }

static const place *tuple_find(const job *j, const hlo_use *u)
{
    for (int k = j->head[hlo_chain(u->name)]; k; k = j->at.v[k - 1].next) {
        const place *const x = &j->at.v[k - 1];
        if (x->index == u->index && hlo_same(x->name, u->name)) return x;
    }
    return NULL;
}

static void define(job *j, place x)
{
    int *const head = &j->head[hlo_chain(x.name)];
    x.next = *head;
    *HLO_MORE(j->a, &j->at) = x;
    *head = j->at.n;
}

static void release(job *j, int to)
{
    while (j->at.n > to) {
        const place *const x = &j->at.v[--j->at.n];
        j->head[hlo_chain(x->name)] = x->next;
    }
}

static void tuple_flatten(const job *j, const hlo_type *t, hlo_types *out)
{
    if (t->kind != HLO_TUPLE) {
        *HLO_MORE(j->a, out) = *t;
        return;
    }
    const hlo_types *const part = &tuple_of(j, t)->part;
    for (int i = 0; i < part->n; i++) tuple_flatten(j, &part->v[i], out);
}

static void spread_all(const job *j, hlo_types *list)
{
    hlo_types out = { 0 };
    for (int i = 0; i < list->n; i++) tuple_flatten(j, &list->v[i], &out);
    *list = out;
}

static bool tuple_any(const hlo_types *t)
{
    for (int i = 0; i < t->n; i++)
        if (t->v[i].kind == HLO_TUPLE) return true;
    return false;
}

static bool tuple_same(const job *j, const hlo_type *a, const hlo_type *b)
{
    if (a->kind != b->kind || a->kind != HLO_TUPLE) return a->kind == b->kind && a->type == b->type;
    const hlo_types *const x = &tuple_of(j, a)->part, *const y = &tuple_of(j, b)->part;
    if (x->n != y->n) return false;
    for (int i = 0; i < x->n; i++)
        if (!tuple_same(j, &x->v[i], &y->v[i])) return false;
    return true;
}

static bool differs(job *j, const hlo_op *o, const hlo_type *said, const hlo_type *is)
{
    return hlo_fail(j->p, said->text.n ? said->text.at : o->at, TT_ETYPE, "%.*s: %.*s, where %.*s stands",
                    HLO_SPAN(o->name), HLO_SPAN(said->text), HLO_SPAN(is->text));
}

/* ---- parameters ---- */

/* Member i of a list of shardings "{{...}, {...}}"; the text itself if it is not a list. */
static hlo_span tuple_member(hlo_span s, int64_t i)
{
    size_t from = 0;
    int depth = 0;
    if (s.n < 2 || s.at[0] != '{' || s.at[1] != '{') return s;
    for (size_t k = 1; k + 1 < s.n; k++) {
        if (s.at[k] == '{' && !depth++) from = k;
        if (s.at[k] == '}' && !--depth && !i--) return (hlo_span){ s.at + from, k + 1 - from };
    }
    return s;
}

/* Attributes of an argument or result for its leaf i: a sharding of a tuple lists one per leaf. */
static hlo_attrs attributes(const job *j, const hlo_attrs *of, int64_t i)
{
    hlo_attrs out = { 0 };
    for (int k = 0; k < of->n; k++) {
        hlo_attr *const a = HLO_MORE(j->a, &out);
        *a = of->v[k];
        if (hlo_is(a->key, "mhlo.sharding") && a->form == HLO_STRING) a->text = tuple_member(a->text, i);
    }
    return out;
}

/* defines: the list is the parameters of a function or a region, not results. */
static void spread_params(job *j, hlo_params *list, bool defines)
{
    hlo_params out = { 0 };
    for (int i = 0; i < list->n; i++) {
        const hlo_param *const x = &list->v[i];
        hlo_types types = { 0 };
        tuple_flatten(j, &x->type, &types);
        const bool one = x->type.kind != HLO_TUPLE;
        for (int k = 0; k < types.n; k++)
            *HLO_MORE(j->a, &out) =
                (hlo_param){ x->name, types.v[k], one ? x->attr : attributes(j, &x->attr, k), x->loc };
        if (defines) define(j, (place){ .name = x->name, .type = x->type });
    }
    *list = out;
}

/* ---- operations ---- */

static bool takes_tuples(const hlo_op *o)
{
    static const char *const names[] = { "stablehlo.tuple",
                                         "stablehlo.get_tuple_element",
                                         "stablehlo.custom_call",
                                         "func.call",
                                         "stablehlo.while",
                                         "stablehlo.case",
                                         "stablehlo.if",
                                         "stablehlo.return",
                                         "func.return" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (hlo_is(o->name, names[i])) return true;
    return false;
}

static bool passes_tuples(const hlo_op *around) /* True if its regions may return tuples */
{
    return !around || hlo_is(around->name, "stablehlo.while") || hlo_is(around->name, "stablehlo.case") ||
           hlo_is(around->name, "stablehlo.if");
}

static bool add_uses(job *j, hlo_op *o, const place *x, int64_t from, int64_t n)
{
    if ((j->left -= n) < 0)
        return hlo_fail(j->p, o->at, TT_EARG, "the tuples of this text have more parts than it has space for");
    for (int64_t k = from; k < from + n; k++) *HLO_MORE(j->a, &o->in) = (hlo_use){ x->name, x->first + k };
    return true;
}

static bool spread_uses(job *j, hlo_op *o, bool *tuples) /* *tuples: set if some operand is a tuple */
{
    const hlo_use *const in = o->in.v;
    const int n = o->in.n;
    o->in.v = NULL, o->in.n = o->in.cap = 0;
    for (int i = 0; i < n; i++) {
        const place *const x = tuple_find(j, &in[i]);
        if (!x) { /* the reader reports it as undefined */
            *HLO_MORE(j->a, &o->in) = in[i];
            continue;
        }
        if (o->typed && o->from.n == n && x->type.kind == HLO_TUPLE && !tuple_same(j, &o->from.v[i], &x->type))
            return differs(j, o, &o->from.v[i], &x->type);
        *tuples |= x->type.kind == HLO_TUPLE;
        if (!add_uses(j, o, x, 0, leaves(j, &x->type))) return false;
    }
    return true;
}

static bool tuple_made(job *j, const hlo_op *o) /* True if a tuple's type fits its operands */
{
    if (o->to.n != 1 || o->to.v[0].kind != HLO_TUPLE)
        return hlo_fail(j->p, o->at, TT_ETYPE, "%.*s: the type is not a tuple", HLO_SPAN(o->name));
    const hlo_types *const part = &tuple_of(j, &o->to.v[0])->part;
    if (part->n != o->in.n)
        return hlo_fail(j->p, o->at, TT_ETYPE, "%.*s: %d operands, and a type of %d parts", HLO_SPAN(o->name), o->in.n,
                        part->n);
    for (int i = 0; i < part->n; i++) {
        const place *const x = tuple_find(j, &o->in.v[i]);
        if (x && !tuple_same(j, &part->v[i], &x->type)) return differs(j, o, &part->v[i], &x->type);
    }
    return true;
}

static bool tuple_taken(job *j, hlo_op *o) /* get_tuple_element: its operands become the leaves of the part */
{
    const hlo_attr *const at = hlo_find(&o->attr, "index");
    const place *const x = o->in.n == 1 ? tuple_find(j, &o->in.v[0]) : NULL;
    if (!x || o->to.n != 1 || !at || at->form != HLO_INTEGER)
        return hlo_fail(j->p, o->at, TT_EARG, "%.*s: expected one operand, an index and one result", HLO_SPAN(o->name));
    if (x->type.kind != HLO_TUPLE || !o->typed || o->from.n != 1)
        return hlo_fail(j->p, o->at, TT_ETYPE, "%.*s: the operand is not a tuple", HLO_SPAN(o->name));
    if (!tuple_same(j, &o->from.v[0], &x->type)) return differs(j, o, &o->from.v[0], &x->type);
    const hlo_types *const part = &tuple_of(j, &x->type)->part;
    if (at->i < 0 || at->i >= part->n)
        return hlo_fail(j->p, o->at, TT_EARG, "%.*s: part %lld of a tuple of %d", HLO_SPAN(o->name), (long long)at->i,
                        part->n);
    if (!tuple_same(j, &o->to.v[0], &part->v[at->i])) return differs(j, o, &o->to.v[0], &part->v[at->i]);
    int64_t from = 0;
    for (int i = 0; i < at->i; i++) from += leaves(j, &part->v[i]);
    o->in.v = NULL, o->in.n = o->in.cap = 0, o->typed = false;
    if (!add_uses(j, o, x, from, leaves(j, &o->to.v[0]))) return false;
    return true;
}

/* %r:2 of types a, tuple<b, c>: %r:3 */
static void spread_results(job *j, hlo_op *o)
{
    int64_t n = 0;
    for (int i = 0; i < o->result.n; i++) n += o->result.v[i].count;
    if (n != o->to.n) return; /* the reader reports the mismatch */
    for (int i = 0, at = 0; i < o->result.n; i++) {
        hlo_pack *const r = &o->result.v[i];
        int64_t first = 0;
        for (int64_t k = 0; k < r->count; first += leaves(j, &o->to.v[at]), k++, at++)
            define(j, (place){ .name = r->name, .index = k, .first = first, .type = o->to.v[at] });
        r->count = first;
    }
}

static bool flatten_region(job *, hlo_region *, const hlo_op *around);

static bool flatten_operation(job *j, hlo_op *o, const hlo_op *around)
{
    bool tuples = tuple_any(&o->from) || tuple_any(&o->to);
    for (int k = 0; k < o->region.n; k++)
        if (!flatten_region(j, &o->region.v[k], o)) return false;
    const bool part = hlo_is(o->name, "stablehlo.get_tuple_element");
    if (hlo_is(o->name, "stablehlo.tuple") && !tuple_made(j, o)) return false;
    if (!(part ? tuple_taken(j, o) : spread_uses(j, o, &tuples))) return false;
    if (tuples && (!takes_tuples(o) || (hlo_is(o->name, "stablehlo.return") && !passes_tuples(around))))
        return hlo_fail(j->p, o->at, TT_ETYPE, "%.*s: a tuple, where only tensors may be", HLO_SPAN(o->name));
    spread_results(j, o);
    spread_all(j, &o->from);
    spread_all(j, &o->to);
    return true;
}

static bool flatten_region(job *j, hlo_region *g, const hlo_op *around)
{
    const int mark = j->at.n;
    for (int i = 0; i < g->arg.n; i++)
        if (g->arg.v[i].type.kind == HLO_TUPLE && !hlo_is(around->name, "stablehlo.while"))
            return hlo_fail(j->p, g->arg.v[i].name.at, TT_ETYPE, "a tuple, where only tensors may be");
    spread_params(j, &g->arg, true);
    for (int i = 0; i < g->op.n; i++)
        if (!flatten_operation(j, &g->op.v[i], around)) return false;
    release(j, mark);
    return true;
}

bool hlo_flatten(hlo_parser *p)
{
    job *const j = BASE_NEW(p->arena, job, 1);
    j->p = p, j->a = p->arena;
    j->left = (1 << 16) + (p->end - p->begin);
    for (int i = 0; i < p->module->func.n; i++) {
        hlo_func *const f = &p->module->func.v[i];
        spread_params(j, &f->arg, true);
        spread_params(j, &f->ret, false);
        for (int k = 0; k < f->body.op.n; k++)
            if (!flatten_operation(j, &f->body.op.v[k], NULL)) return false;
        release(j, 0);
    }
    return true;
}
