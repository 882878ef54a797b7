/* pass/constants.c - large constants become arguments, behind those that the function has: the text of a program for
 * another engine then does not spell out their elements.
 *
 * A constant in a region becomes an operand of the region's equation: of a scan one that every iteration reads, of a
 * while a carry that the body returns as it is, of a manual region one that every device has whole. The regions of
 * calls are searched, of scan, while, case and manual; reducers and such keep their constants. Equal constants are one
 * argument. */
#include "inner.h"
#include "../op/ops.h"

#include <string.h>

/* Constants, each by an equation that has it; attributes are interned. */
typedef struct { uint32_t n, capacity; const ir_eqn **at; } constants;
/* A region that was rebuilt with its own constants behind its parameters. */
typedef struct rebuilt { const ir_fn *from; ir_fn *to; struct rebuilt *next; } rebuilt;
typedef struct { base_arena *a; int64_t least; rebuilt *done; } outward;

static bool is_large(const outward *o, const ir_eqn *e)
{
    const op_const_attr *const c = e->op == &prim_const ? e->attr : NULL;
    return c && !c->splat && (int64_t)c->data.bytes >= o->least;
}

/* The number of regions whose constants can be operands of the equation. */
static uint32_t searched(const ir_eqn *e)
{
    if (op_is_call(e->op)) return 1;
    return e->op == &prim_scan || e->op == &prim_while || e->op == &prim_case || e->op == &prim_manual ? e->nsub : 0;
}

static uint32_t number_of_constant(const constants *l, const ir_eqn *e)
{
    uint32_t i = 0;
    while (i < l->n && l->at[i]->attr != e->attr) i++;
    return i;
}

static void find(const outward *o, const ir_fn *f, constants *l)
{
    for (const ir_eqn *e = f->eqn; e < f->eqn + f->neqn; e++) {
        const uint32_t regions = searched(e);
        for (uint32_t i = 0; i < regions; i++) find(o, e->sub[i], l);
        if (!is_large(o, e) || number_of_constant(l, e) < l->n) continue;
        if (l->n == l->capacity) {
            const ir_eqn **const more = BASE_NEW(o->a, const ir_eqn *, l->capacity = 2 * l->n + 8);
            if (l->n) memcpy(more, l->at, l->n * sizeof *more);
            l->at = more;
        }
        l->at[l->n++] = e;
    }
}

static ir_fn *with_parameters(outward *o, const ir_fn *f, const constants *l, uint32_t at, bool returned);
static ir_fn *called(outward *o, const ir_fn *f, const constants *l);

/* A manual region's attributes with more operands, each replicated. */
static const void *replicated_too(ir_build *b, const ir_eqn *e, const constants *l)
{
    op_manual_attr *const a = IR_NEW(b, op_manual_attr, 1);
    const mesh_layout **const v = IR_NEW(b, const mesh_layout *, e->nin + l->n + 1);
    *a = *IR_ATTR(e, op_manual_attr);
    for (uint32_t i = 0; i < e->nin; i++) v[i] = a->in_shardings.v[i];
    for (uint32_t i = 0; i < l->n; i++) v[e->nin + i] = mesh_replicated(e->fn->mesh, IR_OUT(l->at[i], 0)->rank);
    a->in_shardings = (ir_layouts){ (int)(e->nin + l->n), v };
    return a;
}

/* The equation with the constants of its regions as operands, which the ids `more` are. y: the first result */
static bool with_operands(outward *o, ir_build *b, const ir_eqn *e, const constants *l, const ir_id *x,
                          const ir_id *more, ir_id *y)
{
    const bool call = op_is_call(e->op), scan = e->op == &prim_scan;
    op_scan_attr counts = scan ? *IR_ATTR(e, op_scan_attr) : (op_scan_attr){ 0 };
    const uint32_t at = scan ? (uint32_t)counts.num_consts : e->nin, first = e->op == &prim_case, n = e->nin + l->n,
                   regions = searched(e);
    ir_id *const in = IR_NEW(b, ir_id, n);
    ir_fn **const sub = IR_NEW(b, ir_fn *, regions);
    memcpy(in, x, at * sizeof *in);
    memcpy(in + at, more, l->n * sizeof *in);
    memcpy(in + at + l->n, x + at, (e->nin - at) * sizeof *in);
    for (uint32_t i = 0; i < regions; i++)
        if (!(sub[i] = call ? called(o, e->sub[i], l)
                            : with_parameters(o, e->sub[i], l, at - first, e->op == &prim_while && i == 1)))
            return false;
    counts.num_consts += l->n;
    const void *const attr = scan ? &counts : call ? NULL : e->op == &prim_manual ? replicated_too(b, e, l) : e->attr;
    *y = ir_emit(b, call ? &prim_call : e->op, attr, n, in, regions, sub);
    return *y || !e->nout;
}

static bool equation(outward *o, ir_build *b, const ir_eqn *e, const constants *l, const ir_id *more, ir_id *map)
{
    constants inner = { 0 };
    ir_id *const x = IR_NEW(b, ir_id, e->nin + 1), y = 0;
    const uint32_t regions = searched(e);
    if (is_large(o, e)) return (map[e->out] = more[number_of_constant(l, e)]) != 0;
    for (uint32_t i = 0; i < e->nin; i++) x[i] = map[e->in[i]];
    for (uint32_t i = 0; i < regions; i++) find(o, e->sub[i], &inner);
    ir_site(b, e->site);
    if (inner.n) {
        ir_id *const id = IR_NEW(b, ir_id, inner.n);
        for (uint32_t i = 0; i < inner.n; i++) id[i] = more[number_of_constant(l, inner.at[i])];
        if (!with_operands(o, b, e, &inner, x, id, &y)) return false;
    } else if (!(y = ir_clone(b, e, x)) && e->nout) return false;
    for (uint32_t j = 0; j < e->nout; j++) map[e->out + j] = y + j;
    return true;
}

/* f with the constants as parameters, the first of them number `at`. returned: they are results too. */
static ir_fn *with_parameters(outward *o, const ir_fn *f, const constants *l, uint32_t at, bool returned)
{
    ir_build *const b = ir_begin(o->a, f->name, f->mesh);
    ir_id *const map = IR_NEW(b, ir_id, f->nvalue + 1), *const more = IR_NEW(b, ir_id, l->n + 1),
          *const ret = IR_NEW(b, ir_id, f->nret + l->n + 1);
    for (uint32_t i = 0; i <= f->narg; i++) {
        for (uint32_t k = 0; i == at && k < l->n; k++) more[k] = ir_arg(b, IR_OUT(l->at[k], 0));
        if (i < f->narg) map[1 + i] = ir_arg(b, f->type[1 + i]);
    }
    for (uint32_t k = 0; k < f->neqn; k++) if (!equation(o, b, &f->eqn[k], l, more, map)) return NULL;
    for (uint32_t j = 0; j < f->nret; j++) ret[j] = map[f->ret[j]];
    memcpy(ret + f->nret, more, l->n * sizeof *ret);
    ir_fn *const g = ir_end(b, f->nret + (returned ? l->n : 0), ret);
    if (!g) return NULL;
    g->tag = f->tag;
    return g;
}

/* The function of a call with its own constants behind its parameters; one for all calls. */
static ir_fn *called(outward *o, const ir_fn *f, const constants *l)
{
    for (const rebuilt *r = o->done; r; r = r->next) if (r->from == f) return r->to;
    ir_fn *const g = with_parameters(o, f, l, f->narg, false);
    rebuilt *const r = BASE_NEW(o->a, rebuilt, 1);
    *r = (rebuilt){ f, g, o->done };
    o->done = r;
    return g;
}

ir_fn *pass_constants_out(base_arena *a, const ir_fn *f, int64_t least, uint32_t *n, const ir_eqn *const **constant)
{
    outward o = { a, least, NULL };
    constants l = { 0 };
    find(&o, f, &l);
    *n = l.n, *constant = l.at;
    if (!l.n) return (ir_fn *)(uintptr_t)f;
    ir_fn *const g = with_parameters(&o, f, &l, f->narg, false);
    if (!g || !f->donate) return g;
    bool *const donate = BASE_NEW(a, bool, g->narg + 1);
    memcpy(donate, f->donate, f->narg * sizeof *donate);
    g->donate = donate;
    return g;
}
