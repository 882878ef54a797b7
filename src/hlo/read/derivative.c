/* hlo/read/derivative.c - functions of JAX that have a derivative which their texts cannot say: some work on bits,
 * through which there is none; relu's is 0 at 0, relu6's at 0 and 6, where those of maximum and minimum are 1/2.
 *
 * JAX prints each as a function of its own. It is known by its name and by what it does, so that a function of the user
 * that has the name and does something else stays what it is. The value is not changed: its tangent is (custom_jvp). */
#include "../inner.h"
#include "../../op/ops.h"

#include <string.h>

/* ---- what functions do ---- */

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

/* True if the function has an operation of that name; callee: that calls a function of that name. */
static bool has_op(const hlo_func *f, const char *name, const char *callee)
{
    for (int i = 0; i < f->body.op.n; i++) {
        const hlo_op *const o = &f->body.op.v[i];
        if (hlo_is(o->name, name) && (!callee || is_named(hlo_choice(&o->attr, "callee"), callee))) return true;
    }
    return false;
}

/* True if the value is the extreme, by that primitive, of x and a constant, in the order in which JAX's own functions
 * have them: maximum(0, x) in a function of this name is the user's, with halves at 0. */
static bool is_bounded(const ir_fn *f, const op_prim *by, ir_id y, double bound, ir_id *x)
{
    const ir_eqn *const e = ir_definition(f, y);
    if (!e || e->op != by || !hlo_is_number(f, e->in[1], bound)) return false;
    *x = e->in[0];
    return true;
}

static bool is_lgamma(const hlo_func *f) { return has_op(f, "func.call", "_lgamma_neg_root"); }
static bool is_frexp(const hlo_func *f)                  /* True if mantissas and i32 exponents are made of bits */
{
    const ir_type *const y = f->ret.v[1].type.type;
    return y && y->dtype == TT_I32 && has_op(f, "stablehlo.bitcast_convert", NULL);
}
static bool is_relu(const hlo_func *f)                   /* True if max(x, 0) */
{
    ir_id x = 0;
    return is_bounded(f->fn, &prim_max, f->fn->ret[0], 0, &x) && x == 1;
}
static bool is_relu6(const hlo_func *f)                  /* True if min(max(x, 0), 6) */
{
    ir_id x = 0;
    return is_bounded(f->fn, &prim_min, f->fn->ret[0], 6, &x) && is_bounded(f->fn, &prim_max, x, 0, &x) && x == 1;
}

/* ---- tangents: in[0] is x; in[1], in[2]: the results as spelled out ---- */

static ir_id lgamma_tangent(ir_build *b, const void *env, const ir_id *in, ir_id y, const ir_id *din)
{
    (void)env, (void)y;
    return op_mul(b, din[0], op_digamma(b, in[0]));
}

static ir_id frexp_tangent(ir_build *b, const void *env, const ir_id *in, ir_id y, const ir_id *din)
{
    const ir_type *const t = ir_typeof(b, y);            /* the mantissa is x 2^-exponent */
    (void)env;
    return op_mul(b, din[0], op_pow(b, op_splat(b, t, 2), op_neg(b, op_convert(b, in[2], t->dtype))));
}

static ir_id relu_tangent(ir_build *b, const void *most, const ir_id *in, ir_id y, const ir_id *din)
{
    const ir_type *const t = ir_typeof(b, y);
    const ir_id zero = op_zeros(b, t), above = op_less(b, zero, in[0]);
    const ir_id inside = most ? op_and(b, above, op_less(b, in[0], op_splat(b, t, *(const double *)most))) : above;
    return op_select(b, inside, din[0], zero);
}

static const double six = 6;
static const struct {
    const char *name; int results; bool (*is)(const hlo_func *); hlo_tangent *tangent; const void *env;
} functions[] = {
    { "lgamma_impl", 1, is_lgamma, lgamma_tangent, NULL },       /* JAX 0.12 */
    { "frexp", 2, is_frexp, frexp_tangent, NULL },
    { "relu", 1, is_relu, relu_tangent, NULL },
    { "relu6", 1, is_relu6, relu_tangent, &six },
};

bool hlo_jax_derivative(ir_build *b, const hlo_op *call, const hlo_func *f, const ir_id *x, ir_id *y)
{
    const ir_type *const t = f->arg.n == 1 ? f->arg.v[0].type.type : NULL;
    if (!t || call->in.n != 1 || !ir_is_float(t->dtype)) return true;
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
        if (!is_named(f->name, functions[k].name) || f->ret.n != functions[k].results) continue;
        if (f->ret.v[0].type.type != t || !functions[k].is(f)) continue;
        const ir_id in[] = { x[0], y[0], f->ret.n > 1 ? y[1] : 0 };
        return (y[0] = hlo_with_tangent(b, 1 + f->ret.n, in, 1, functions[k].tangent, functions[k].env)) != 0;
    }
    return true;
}
