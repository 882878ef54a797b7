/* hlo/raise/count.c - the number of iterations of a loop, if constant; and integers of the body as functions of the
 * iteration.
 *
 * A loop is counted if
 * - its condition compares one carry with a constant, or with a carry that never changes and begins as a constant; and
 * - its body adds a constant to that carry, which begins as a constant.
 *
 * An integer that is a multiple of the counter plus a constant, at every iteration, is `affine`: another carry of
 * constant growth (JAX's fori_loop has a counter and an index), and results of additions, subtractions, negations,
 * products with constants, conversions, and the select by which JAX counts negative indices from the end. */
#include "../inner.h"
#include "loops.h"
#include "raise.h"
#include "../../op/ops.h"

enum { DEEP = 40 };

static bool count_is_integer(const ir_eqn *e, int64_t *v) /* True if an integer constant of equal elements */
{
    if (!e || e->op != &prim_const) return false;
    const op_const_attr *const a = IR_ATTR(e, op_const_attr);
    const ir_class c = ir_dtype_of(a->dtype)->cls;
    if ((c != IR_INT_CLASS && c != IR_UINT_CLASS) || (!a->splat && a->shape.n)) return false;
    const ir_box box = ir_box_of((void *)(uintptr_t)a->data.p, a->dtype, 0, NULL, NULL);
    int64_t zero[1] = { 0 };
    *v = ir_load(&box, zero).i;
    return true;
}

/* True if id is a constant scalar integer of the outer build. */
static bool outer_integer(const ir_build *b, ir_id id, int64_t *v)
{
    const ir_eqn *e = ir_def(b, id);
    for (int k = 0; k < DEEP && e && (e->op == &prim_broadcast_in_dim || e->op == &prim_reshape); k++)
        e = ir_def(b, e->in[0]);
    return count_is_integer(e, v);
}

static bool multiply(int64_t a, int64_t b, int64_t *c) { return !__builtin_mul_overflow(a, b, c); }
static bool count_plus(int64_t a, int64_t b, int64_t *c) { return !__builtin_add_overflow(a, b, c); }

static bool affine(const hlo_loop *l, const ir_fn *f, ir_id id, int depth, hlo_affine *x);

/* True if e is select(i < 0, i + n, i) where i is never negative. */
static bool unwrapped(const hlo_loop *l, const ir_fn *f, const ir_eqn *e, int depth, hlo_affine *x)
{
    const ir_eqn *const test = ir_definition(f, e->in[0]);
    int64_t zero, first, last;
    if (!test || test->op != &prim_compare ||
        IR_ATTR(test, op_compare_attr)->comparison_direction != OP_CMP_LT) return false;
    if (test->in[0] != e->in[2] || !count_is_integer(ir_definition(f, test->in[1]), &zero) || zero || l->n < 0)
        return false;
    return affine(l, f, e->in[2], depth, x) && hlo_affine_at(l, x, 0, &first) &&
           hlo_affine_at(l, x, l->n ? l->n - 1 : 0, &last) &&
           first >= 0 && last >= 0;
}

static bool combined(const hlo_loop *l, const ir_fn *f, const ir_eqn *e, int depth, hlo_affine *x)
{
    hlo_affine a, b;
    if (!affine(l, f, e->in[0], depth, &a) || !affine(l, f, e->in[1], depth, &b)) return false;
    if (e->op == &prim_add) return count_plus(a.times, b.times, &x->times) && count_plus(a.plus, b.plus, &x->plus);
    if (e->op == &prim_sub) return count_plus(a.times, -b.times, &x->times) && count_plus(a.plus, -b.plus, &x->plus);
    if (a.times && b.times) return false;
    const hlo_affine *const c = a.times ? &b : &a, *const v = a.times ? &a : &b;
    return multiply(v->times, c->plus, &x->times) && multiply(v->plus, c->plus, &x->plus);
}

/* True if the value stays in the range of its type until the loop ends. */
static bool stays_in_type(const hlo_loop *l, const ir_type *t, const hlo_affine *x)
{
    int64_t last, least;
    uint64_t most;
    if (ir_dtype_of(t->dtype)->bytes == 8) return true;
    return hlo_affine_at(l, x, l->n, &last) && ir_int_range(t->dtype, &least, &most) && last >= least
        && (last < 0 || (uint64_t)last <= most);
}

/* True if id is a carry like the counter: it begins as a constant and grows by a multiple of the counter's step. */
static bool steps_with_counter(const hlo_loop *l, ir_id id, hlo_affine *x)
{
    const ir_eqn *const e = ir_definition(l->body, l->body->ret[id - 1]);
    int64_t start, step, before;
    if (!e || (e->op != &prim_add && e->op != &prim_sub) || l->n < 0 || !l->step) return false;
    const int at = e->op == &prim_add && e->in[1] == id;
    if (e->in[at] != id || !count_is_integer(ir_definition(l->body, e->in[1 - at]), &step) || step % l->step)
        return false;
    if (!outer_integer(l->outer, l->in[id - 1], &start)) return false;
    x->times = (e->op == &prim_sub ? -step : step) / l->step;
    return multiply(x->times, l->start, &before) && !__builtin_sub_overflow(start, before, &x->plus) &&
           stays_in_type(l, l->body->type[id], x);
}

static bool affine(const hlo_loop *l, const ir_fn *f, ir_id id, int depth, hlo_affine *x)
{
    const ir_eqn *const e = ir_definition(f, id);
    if (depth > DEEP || f->type[id]->rank) return false;
    if (!e) {
        *x = (hlo_affine){ id == l->counter, 0 };
        if (id == l->counter) return true;
        if (op_invariant(l->body, id - 1)) return outer_integer(l->outer, l->in[id - 1], &x->plus);
        return steps_with_counter(l, id, x);
    }
    if (count_is_integer(e, &x->plus)) return x->times = 0, true;
    if (e->op == &prim_add || e->op == &prim_sub || e->op == &prim_mul) return combined(l, f, e, depth + 1, x);
    if (e->op == &prim_select) return unwrapped(l, f, e, depth + 1, x);
    if (e->op == &prim_convert || e->op == &prim_broadcast_in_dim || e->op == &prim_reshape) {
        const ir_class c = ir_dtype_of(f->type[id]->dtype)->cls, from = ir_dtype_of(f->type[e->in[0]]->dtype)->cls;
        return (c == IR_INT_CLASS || c == IR_UINT_CLASS) && (from == IR_INT_CLASS || from == IR_UINT_CLASS) &&
               affine(l, f, e->in[0], depth + 1, x);
    }
    return false;
}

bool hlo_loop_affine(const hlo_loop *l, ir_id id, hlo_affine *x) { return affine(l, l->body, id, 0, x); }

bool hlo_affine_at(const hlo_loop *l, const hlo_affine *x, int64_t iteration, int64_t *v)
{
    int64_t c;
    return multiply(iteration, l->step, &c) && count_plus(c, l->start, &c) && multiply(c, x->times, &c) &&
        count_plus(c, x->plus, v);
}

/* ---- the number of iterations ---- */

/* True if id is a limit in the condition: a constant, or a carry that stays constant. */
static bool limit_of(const hlo_loop *l, ir_id id, int64_t *v)
{
    const ir_fn *const c = l->cond;
    const ir_eqn *e = ir_definition(c, id);
    for (int k = 0; k < DEEP && e && (e->op == &prim_broadcast_in_dim || e->op == &prim_reshape); k++)
        id = e->in[0], e = ir_definition(c, id);
    return e ? count_is_integer(e, v) : op_invariant(l->body, id - 1) && outer_integer(l->outer, l->in[id - 1], v);
}

static bool step_of(hlo_loop *l)                         /* True if the body returns counter + constant */
{
    hlo_affine x;
    l->n = -1;
    if (!affine(l, l->body, l->body->ret[l->counter - 1], 0, &x) || x.times != 1 || !x.plus) return false;
    l->step = x.plus;
    return true;
}

static bool count_iterations(hlo_loop *l, int64_t direction, int64_t limit)
{
    int64_t capacity, stop = limit;
    if (direction == OP_CMP_LE || direction == OP_CMP_GE) {
        if (!count_plus(limit, direction == OP_CMP_LE ? 1 : -1, &stop)) return false;
        direction = direction == OP_CMP_LE ? OP_CMP_LT : OP_CMP_GT;
    }
    if (__builtin_sub_overflow(stop, l->start, &capacity)) return false;
    if (direction == OP_CMP_NE) {
        l->n = capacity / l->step;
        return capacity % l->step == 0 && l->n >= 0;
    }
    if (direction == OP_CMP_LT ? capacity <= 0 : direction == OP_CMP_GT ? capacity >= 0 : false) return l->n = 0, true;
    if ((direction == OP_CMP_LT && l->step < 0) || (direction == OP_CMP_GT && l->step > 0) || direction == OP_CMP_EQ)
        return false;
    l->n = capacity / l->step + (capacity % l->step != 0);
    return true;
}

bool hlo_loop_counted(hlo_loop *l)
{
    static const int64_t turned[] = { OP_CMP_EQ, OP_CMP_NE, OP_CMP_GT, OP_CMP_GE, OP_CMP_LT, OP_CMP_LE };
    const ir_eqn *const e = l->cond->nret == 1 ? ir_definition(l->cond, l->cond->ret[0]) : NULL;
    if (!e || e->op != &prim_compare) return false;
    for (int side = 0; side < 2; side++) {
        const int64_t d = IR_ATTR(e, op_compare_attr)->comparison_direction;
        int64_t limit;
        const ir_id c = e->in[side];
        if (c > l->cond->narg || l->body->type[c]->rank || ir_dtype_of(l->body->type[c]->dtype)->cls == IR_FLOAT_CLASS)
            continue;
        if (op_invariant(l->body, c - 1) || !limit_of(l, e->in[1 - side], &limit)) continue;
        l->counter = c;
        if (outer_integer(l->outer, l->in[c - 1], &l->start) && step_of(l) &&
            count_iterations(l, side ? turned[d] : d, limit))
            return l->n < INT32_MAX && stays_in_type(l, l->body->type[c], &(hlo_affine){ 1, 0 });
    }
    return false;
}
