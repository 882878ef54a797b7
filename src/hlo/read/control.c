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

/* Functions for which JAX has a derivative that their texts cannot say: some work on bits, through which there is none;
 * relu's is 0 at 0, relu6's at 0 and 6, where those of maximum and minimum are 1/2. They are known by names, their own
 * and those of what they call, and by what they do. */
typedef enum { NO_RULE, LGAMMA, FREXP, RELU, RELU6 } spelled_rule;

/* True if the value is the extreme, by that primitive, of x and a constant, in the order in which JAX's own functions
 * have them: maximum(0, x) in a function of this name is the user's, with halves at 0. */
static bool is_bounded(const ir_fn *f, const op_prim *by, ir_id y, double bound, ir_id *x)
{
    const ir_eqn *const e = ir_definition(f, y);
    if (!e || e->op != by || !hlo_is_number(f, e->in[1], bound)) return false;
    *x = e->in[0];
    return true;
}

static bool is_relu(const hlo_func *f, bool to_6)        /* True if max(x, 0), or min(max(x, 0), 6) */
{
    ir_id x = f->fn->ret[0];
    if (to_6 && !is_bounded(f->fn, &prim_min, x, 6, &x)) return false;
    return is_bounded(f->fn, &prim_max, x, 0, &x) && x == 1;
}

static spelled_rule rule_of(const hlo_func *f, const hlo_op *o)
{
    const ir_type *const x = f->arg.n == 1 ? f->arg.v[0].type.type : NULL;
    const bool frexp = is_named(f->name, "frexp") && f->ret.n == 2 && f->ret.v[0].type.type == x &&
                       f->ret.v[1].type.type && f->ret.v[1].type.type->dtype == TT_I32;
    const bool same = f->ret.n == 1 && f->ret.v[0].type.type == x,
               lgamma = same && is_named(f->name, "lgamma_impl");        /* 0.12 */
    if (!x || o->in.n != 1 || ir_dtype_of(x->dtype)->cls != IR_FLOAT_CLASS) return NO_RULE;
    if (same && is_named(f->name, "relu") && is_relu(f, false)) return RELU;
    if (same && is_named(f->name, "relu6") && is_relu(f, true)) return RELU6;
    for (int i = 0; i < f->body.op.n; i++) {
        const hlo_op *const in = &f->body.op.v[i];
        if (frexp && hlo_is(in->name, "stablehlo.bitcast_convert")) return FREXP;
        if (lgamma && hlo_is(in->name, "func.call") && is_named(hlo_choice(&in->attr, "callee"), "_lgamma_neg_root"))
            return LGAMMA;
    }
    return NO_RULE;
}

/* The tangent of y[0]; y1: frexp's exponent, of whose mantissa it is 2^-y1. */
static ir_id ruled_tangent(ir_build *b, spelled_rule by, ir_id x, ir_id y1, ir_id dx)
{
    const ir_type *const t = ir_typeof(b, x);
    if (by == LGAMMA) return op_mul(b, dx, op_digamma(b, x));
    if (by == FREXP) return op_mul(b, dx, op_pow(b, op_splat(b, t, 2), op_neg(b, op_convert(b, y1, t->dtype))));
    const ir_id zero = op_zeros(b, t), above = op_less(b, zero, x);
    return op_select(b, by == RELU ? above : op_and(b, above, op_less(b, x, op_splat(b, t, 6))), dx, zero);
}

/* y[0], as it is, with its derivative. */
static ir_id ruled(ir_build *b, spelled_rule by, ir_id x, const ir_id *y)
{
    const ir_type *const t = ir_typeof(b, x);
    const uint32_t n = by == FREXP ? 3 : 2;
    const ir_id in[] = { x, y[0], by == FREXP ? y[1] : 0 };
    ir_id own[3], at[3] = { 0 };
    ir_build *const f = ir_region(b, base_intern("spelled")), *const rule = ir_region(b, base_intern("rule"));
    for (uint32_t i = 0; i < n; i++) own[i] = ir_arg(f, ir_typeof(b, in[i])), at[i] = ir_arg(rule, ir_typeof(b, in[i]));
    ir_arg(rule, t);                                     /* the result */
    const ir_id dx = ir_arg(rule, t);
    ir_arg(rule, t);                                     /* y[0]'s tangent, as spelled out */
    const ir_id dy = ruled_tangent(rule, by, at[0], at[2], dx);
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
