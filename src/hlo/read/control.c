/* hlo/read/control.c - reads calls, loops, branches and barriers. A value that a region reads from outside becomes an
 * operand; a loop carries it unchanged. */
#include "../inner.h"
#include "../../op/ops.h"

#include <string.h>

static bool control_call(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const hlo_span name = hlo_choice(&o->attr, hlo_is(o->name, "func.call") ? "callee" : "decomposition");
    hlo_func *const f = hlo_function(r, name);
    if (!f) return hlo_refuse(r, o, TT_EARG, "there is no function @%.*s", HLO_SPAN(name));
    if (o->to.n != f->ret.n)
        return hlo_refuse(r, o, TT_ETYPE, "@%.*s has %d results, not %d", HLO_SPAN(name), f->ret.n, o->to.n);
    if (!hlo_call(r, o, f, x, y)) return false;
    return hlo_jax_derivative(r->b, o, f, x, y);
}

static bool control_loop(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    hlo_captures c;
    if (o->region.n != 2)
        return hlo_refuse(r, o, TT_EARG, "expected two regions, a condition and a body, not %d", o->region.n);
    if (o->to.n != o->in.n)
        return hlo_refuse(r, o, TT_ETYPE, "%d values, and types of %d; expected as many", o->in.n, o->to.n);
    if (!hlo_capture(r, o, &c)) return false;
    ir_id *const in = BASE_NEW(r->p->arena, ir_id, o->in.n + c.n + 1);
    memcpy(in, x, (size_t)o->in.n * sizeof *in);
    memcpy(in + o->in.n, c.id, (size_t)c.n * sizeof *in);
    ir_fn *const sub[] = { hlo_body(r, o, 0, &c, false), hlo_body(r, o, 1, &c, true) };
    const ir_id first = sub[0] && sub[1] ? ir_emit(r->b, &prim_while, NULL, (uint32_t)(o->in.n + c.n), in, 2, sub) : 0;
    for (int j = 0; j < o->in.n; j++) y[j] = first + (ir_id)j;
    return first != 0;
}

static bool branches(hlo_reader *r, const hlo_op *o, ir_id index, ir_fn **sub, const hlo_captures *c, ir_id *y)
{
    ir_id *const in = BASE_NEW(r->p->arena, ir_id, c->n + 1);
    in[0] = index;
    memcpy(in + 1, c->id, (size_t)c->n * sizeof *in);
    const ir_id first = ir_emit(r->b, &prim_case, NULL, (uint32_t)c->n + 1, in, (uint32_t)o->region.n, sub);
    for (int j = 0; j < o->to.n; j++) y[j] = first + (ir_id)j;
    return first != 0;
}

/* case: branches by number. if: the true branch, then the false one */
static bool choice(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const bool by_number = hlo_is(o->name, "stablehlo.case");
    hlo_captures c;
    if (o->in.n != 1 || !o->region.n || (!by_number && o->region.n != 2))
        return hlo_refuse(r, o, TT_EARG, by_number ? "%d operands, %d branches; expected one operand, and 1 or more"
                                                  : "%d operands, %d branches; expected one operand and two branches",
                          o->in.n, o->region.n);
    if (!hlo_capture(r, o, &c)) return false;
    ir_fn **const sub = BASE_NEW(r->arena, ir_fn *, o->region.n);
    for (int i = 0; i < o->region.n; i++) {
        if (o->region.v[i].arg.n)
            return hlo_refuse(r, o, TT_EARG, "branch %d has %d parameters; expected none", i, o->region.v[i].arg.n);
        if (!(sub[by_number ? i : 1 - i] = hlo_body(r, o, i, &c, false))) return false;
        if (sub[by_number ? i : 1 - i]->nret != (uint32_t)o->to.n)
            return hlo_refuse(r, o, TT_ETYPE, "branch %d returns %u results; expected %d", i,
                              sub[by_number ? i : 1 - i]->nret, o->to.n);
    }
    return branches(r, o, x[0], sub, &c, y);
}

static bool barrier(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    return hlo_emit(r, &prim_barrier, NULL, o->in.n, x, y);
}

/* A tuple or an element of one: at this point a list of values (tuple.c). */
static bool control_parts(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    if (o->in.n != o->to.n)
        return hlo_refuse(r, o, TT_ETYPE, "%d values, and types of %d; expected as many", o->in.n, o->to.n);
    memcpy(y, x, (size_t)o->in.n * sizeof *y);
    return true;
}

const hlo_rule hlo_control[] = {
    { "stablehlo.tuple", control_parts },
    { "stablehlo.get_tuple_element", control_parts },
    { "func.call", control_call },
    { "stablehlo.composite", control_call },
    { "stablehlo.while", control_loop },
    { "stablehlo.case", choice },
    { "stablehlo.if", choice },
    { "stablehlo.optimization_barrier", barrier },
    { NULL, NULL },
};
