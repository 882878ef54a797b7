/* hlo/raise/log_sum.c - logaddexp and logaddexp2 have JAX's derivative, a rule of its own that no text can say.
 *
 * The text spells them out, in base e or 2:
 *     a - b is NaN ? a + b : max(a, b) + log(1 + exp(-|a - b|))
 * Where both operands are equal, its parts are not smooth: the derivatives of |x| at 0 and of max would give (0, 1).
 * The value y stays as it is, bit for bit, and has the derivative exp(a - y) da + exp(b - y) db. softplus and
 * log_sigmoid are logaddexp with 0. */
#include "../inner.h"
#include "raise.h"
#include "../../op/ops.h"

#include <math.h>

enum { DEEP = 16 };
static const double ln2 = 0.69314718055994530942;

typedef struct { const ir_fn *fn; ir_id a, b; bool two; } log_sum;       /* two: in base 2 */

/* True if both values are the same: one id, or equal chains of operations that move or convert one id or equal
 * constants. JAX prints such a chain once for each use. */
static bool log_same(const ir_fn *f, ir_id x, ir_id y)
{
    for (int i = 0; i < DEEP && x != y; i++) {
        const ir_eqn *const d = ir_definition(f, x), *const e = ir_definition(f, y);
        if (!d || !e || d->op != e->op || d->attr != e->attr) return false;
        if (d->op == &prim_const) return true;
        if (d->op != &prim_broadcast_in_dim && d->op != &prim_reshape && d->op != &prim_transpose &&
            d->op != &prim_convert)
            return false;
        x = d->in[0], y = e->in[0];
    }
    return x == y;
}

static const ir_eqn *log_by(const ir_fn *f, ir_id id, const op_prim *op)         /* NULL: by another primitive */
{
    const ir_eqn *const e = ir_definition(f, id);
    return e && e->op == op ? e : NULL;
}

/* The other factor of a product with that number, in either order; 0: the value is none. */
static ir_id log_over(const ir_fn *f, ir_id id, double factor)
{
    const ir_eqn *const e = log_by(f, id, &prim_mul);
    if (!e) return 0;
    return hlo_is_number(f, e->in[0], factor) ? e->in[1] : hlo_is_number(f, e->in[1], factor) ? e->in[0] : 0;
}

static bool of_both(const log_sum *s, const ir_eqn *e)   /* True if the operands are a and b, in either order */
{
    const ir_id *const x = e->in;
    return (log_same(s->fn, x[0], s->a) && log_same(s->fn, x[1], s->b)) ||
           (log_same(s->fn, x[0], s->b) && log_same(s->fn, x[1], s->a));
}

/* True if the value is log(1 + exp(-|gap|)); sets the base. */
static bool is_tail(log_sum *s, ir_id id, ir_id gap)
{
    const ir_eqn *const over = log_by(s->fn, id, &prim_div);     /* by ln 2, in older versions of JAX */
    const ir_id inner = over ? hlo_is_number(s->fn, over->in[1], ln2) ? over->in[0] : 0 : log_over(s->fn, id, 1 / ln2);
    s->two = inner != 0;
    const ir_eqn *e = log_by(s->fn, s->two ? inner : id, &prim_log1p);
    if (e) e = log_by(s->fn, e->in[0], &prim_exp);
    if (!e) return false;
    const ir_id power = s->two ? log_over(s->fn, e->in[0], ln2) : e->in[0];
    e = power ? log_by(s->fn, power, &prim_neg) : NULL;
    e = e ? log_by(s->fn, e->in[0], &prim_abs) : NULL;
    return e && log_same(s->fn, e->in[0], gap);
}

static bool is_log_sum(const ir_eqn *e, log_sum *s)
{
    const ir_fn *const f = e->fn;
    if (e->op != &prim_select || ir_dtype_of(IR_OUT(e, 0)->dtype)->cls != IR_FLOAT_CLASS) return false;
    const ir_eqn *const nan = log_by(f, e->in[0], &prim_compare), *const sum = log_by(f, e->in[1], &prim_add),
                 *const whole = log_by(f, e->in[2], &prim_add);
    if (!nan || !sum || !whole || IR_ATTR(nan, op_compare_attr)->comparison_direction != OP_CMP_NE ||
        IR_ATTR(nan, op_compare_attr)->total || nan->in[0] != nan->in[1])
        return false;
    const ir_eqn *const gap = log_by(f, nan->in[0], &prim_sub);
    if (!gap) return false;
    *s = (log_sum){ f, gap->in[0], gap->in[1], false };
    const int k = log_by(f, whole->in[0], &prim_max) != NULL ? 0 : 1;
    const ir_eqn *const most = log_by(f, whole->in[k], &prim_max);
    return most && of_both(s, most) && of_both(s, sum) && is_tail(s, whole->in[1 - k], nan->in[0]);
}

static bool log_sum_applies(hlo_pass *p, const ir_fn *f)
{
    log_sum s;
    (void)p;
    for (uint32_t k = 0; k < f->neqn; k++) if (is_log_sum(&f->eqn[k], &s)) return true;
    return false;
}

/* The derivative in x, where y is the other operand: exp(x - sum), which is logistic(x - y) where both are finite; else
 * as in JAX, whose difference has 0 in the place of an infinity. */
static ir_id log_share(ir_build *b, bool two, ir_id x, ir_id y, ir_id sum)
{
    const ir_type *const t = ir_typeof(b, sum);
    const ir_id inf = op_splat(b, t, HUGE_VAL), zero = op_zeros(b, t), by = two ? op_splat(b, t, ln2) : 0;
    const ir_id plain = op_and(b, op_is_finite(b, x), op_is_finite(b, y));
    const ir_id near = op_select(b, plain, op_sub(b, x, y), zero);
    const ir_id far = op_sub(b, op_select(b, op_equal(b, x, inf), zero, x),
                             op_select(b, op_equal(b, sum, inf), zero, sum));
    return op_select(b, plain, op_logistic(b, two ? op_mul(b, by, near) : near),
                     op_exp(b, two ? op_mul(b, by, far) : far));
}

/* in: a, b, and the value as spelled out */
static ir_id log_tangent(ir_build *b, const void *two, const ir_id *in, ir_id y, const ir_id *din)
{
    const bool base = *(const bool *)two;
    return op_add(b, op_mul(b, din[0], log_share(b, base, in[0], in[1], y)),
                  op_mul(b, din[1], log_share(b, base, in[1], in[0], y)));
}

static bool log_sum_raised(hlo_pass *p, ir_build *b, const ir_eqn *e, const ir_id *in, ir_fn *const *sub, ir_id *out,
                           bool *failed)
{
    log_sum s;
    (void)sub;
    if (!is_log_sum(e, &s)) return false;
    const ir_id x[] = { p->map[s.a], p->map[s.b], hlo_clone(b, e, in) };
    out[0] = x[2] ? hlo_with_tangent(b, 3, x, 2, log_tangent, &s.two) : 0;
    *failed = !out[0];
    p->found++;
    return true;
}

ir_fn *hlo_log_sums(base_arena *a, const ir_fn *f, int *found)
{
    hlo_pass p = { .arena = a, .applies = log_sum_applies, .equation = log_sum_raised };
    ir_fn *const g = hlo_rewritten(&p, f);
    if (found) *found = p.found;
    return g;
}
