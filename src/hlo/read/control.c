/* hlo/read/control.c - reads calls, loops, branches and barriers. A value that a region reads from outside becomes an
 * operand; a loop carries it unchanged. */
#include "../inner.h"
#include "../../op/ops.h"

#include <string.h>

/* True if the name is `base`, or that with JAX's number for another one of it, "lgamma_impl_5". */
static bool is_named(hlo_span name, const char *base)
{
    const size_t n = strlen(base);
    if (name.n < n || memcmp(name.at, base, n) != 0) return false;
    if (name.n == n) return true;
    size_t k = n + 1;
    while (k < name.n && name.at[k] >= '0' && name.at[k] <= '9') k++;
    return name.at[n] == '_' && k == name.n && k > n + 1;
}

/* Functions that JAX spells out by bits, through which there is no derivative: JAX has a rule for each, which its text
 * cannot say. They are known by names of their own and of what they call, or by what they do. */
typedef enum { NO_RULE, LGAMMA, FREXP } spelled_rule;

static spelled_rule rule_of(const hlo_func *f, const hlo_op *o)
{
    const ir_type *const x = f->arg.n == 1 ? f->arg.v[0].type.type : NULL;
    const bool frexp = is_named(f->name, "frexp") && f->ret.n == 2 && f->ret.v[0].type.type == x &&
                       f->ret.v[1].type.type && f->ret.v[1].type.type->dtype == TT_I32;
    const bool lgamma = is_named(f->name, "lgamma_impl") && f->ret.n == 1 && f->ret.v[0].type.type == x;    /* 0.12 */
    if (!x || o->in.n != 1 || ir_dtype_of(x->dtype)->cls != IR_FLOAT_CLASS) return NO_RULE;
    for (int i = 0; i < f->body.op.n; i++) {
        const hlo_op *const in = &f->body.op.v[i];
        if (frexp && hlo_is(in->name, "stablehlo.bitcast_convert")) return FREXP;
        if (lgamma && hlo_is(in->name, "func.call") && is_named(hlo_choice(&in->attr, "callee"), "_lgamma_neg_root"))
            return LGAMMA;
    }
    return NO_RULE;
}

/* y[0], as it is, with its derivative: digamma(x) dx, or that of frexp's mantissa, 2^-y[1] dx. */
static ir_id ruled(ir_build *b, spelled_rule by, ir_id x, const ir_id *y)
{
    const ir_type *const t = ir_typeof(b, x);
    const uint32_t n = by == FREXP ? 3 : 2;
    const ir_id in[] = { x, y[0], by == FREXP ? y[1] : 0 };
    ir_id own[3], at[3];
    ir_build *const f = ir_region(b, base_intern("spelled")), *const rule = ir_region(b, base_intern("rule"));
    for (uint32_t i = 0; i < n; i++) own[i] = ir_arg(f, ir_typeof(b, in[i])), at[i] = ir_arg(rule, ir_typeof(b, in[i]));
    ir_arg(rule, t);                                     /* the result */
    const ir_id dx = ir_arg(rule, t);
    ir_arg(rule, t);                                     /* y[0]'s tangent, by bits */
    ir_id slope;
    if (by == LGAMMA) slope = op_digamma(rule, at[0]);
    else slope = op_pow(rule, op_splat(rule, t, 2), op_neg(rule, op_convert(rule, at[2], t->dtype)));
    const ir_id dy = op_mul(rule, dx, slope);
    ir_fn *sub[2] = { ir_end(f, 1, &own[1]), dy ? ir_end(rule, 1, &dy) : NULL };
    return sub[0] && sub[1] ? ir_emit(b, &prim_custom_jvp, NULL, n, in, 2, sub) : 0;
}

static bool control_call(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const hlo_span name = hlo_choice(&o->attr, hlo_is(o->name, "func.call") ? "callee" : "decomposition");
    hlo_func *const f = hlo_function(r, name);
    if (!f) return hlo_refuse(r, o, TT_EARG, "there is no function @%.*s", HLO_SPAN(name));
    if (o->to.n != f->ret.n)
        return hlo_refuse(r, o, TT_ETYPE, "@%.*s has %d results, not %d", HLO_SPAN(name), f->ret.n, o->to.n);
    if (!hlo_call(r, o, f, x, y)) return false;
    const spelled_rule by = rule_of(f, o);
    return by == NO_RULE || (y[0] = ruled(r->b, by, x[0], y)) != 0;
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
