/* hlo/read/sort.c - sorts whose order is a region, raised to keys.
 *
 * A comparator is read as one of
 *     lt      =  compare LT|GT, g(left), g(right)
 *     lexical =  lt  |  lt or (eq and lexical)  |  select(eq, lexical, lt)
 * where g is any elementwise function of one element's operands. For floats the usual g (zeros become +0, NaNs become
 * equal) is the order of the primitive sort itself; any other g is computed as a separate key. A total order of floats,
 * or a key that falls where the first one rises, becomes a key of integers. Any other comparator is the region of a
 * sort_by. */
#include "../inner.h"
#include "../../op/ops.h"

#include <string.h>

enum { KEYS = 16 };
typedef struct { ir_id left; bool down, total; } key;    /* left: g(left) in the comparator */
typedef struct { const ir_fn *f; const ir_eqn **def; int n; key at[KEYS]; } order;

static const ir_eqn *def(const order *o, ir_id id) { return o->def[id]; }

static bool is_op(const order *o, ir_id id, const op_prim *prim) { return def(o, id) && def(o, id)->op == prim; }

/* True if a is a function of left elements and b the same function of the right ones. */
static bool mirrored(const order *o, ir_id a, ir_id b, int depth)
{
    const ir_eqn *const x = def(o, a), *const y = def(o, b);
    if (depth > 60) return false;
    if (!x || !y) return !x && !y && a % 2 == 1 && b == a + 1;   /* parameters 1, 3, ...: left; 2, 4, ...: right */
    if (x->op != y->op || x->attr != y->attr || x->nin != y->nin || x->nsub || a - x->out != b - y->out) return false;
    for (uint32_t i = 0; i < x->nin; i++) if (!mirrored(o, x->in[i], y->in[i], depth + 1)) return false;
    return true;
}

static bool sort_leaf(const order *o, ir_id id, key *k)
{
    if (!is_op(o, id, &prim_compare)) return false;
    const ir_eqn *const e = def(o, id);
    const op_compare_attr *const a = IR_ATTR(e, op_compare_attr);
    const bool turned = mirrored(o, e->in[1], e->in[0], 0);
    if ((a->comparison_direction != OP_CMP_LT && a->comparison_direction != OP_CMP_GT) ||
        (!turned && !mirrored(o, e->in[0], e->in[1], 0)))
        return false;
    *k = (key){ e->in[turned], (a->comparison_direction == OP_CMP_GT) != turned, a->total };
    return true;
}

static bool equal_of(const order *o, ir_id id, const key *k)     /* True if id is g(left) == g(right) of that key */
{
    if (!is_op(o, id, &prim_compare) ||
        IR_ATTR(def(o, id), op_compare_attr)->comparison_direction != OP_CMP_EQ) return false;
    const ir_id *const in = def(o, id)->in;
    return (mirrored(o, k->left, in[1], 0) || mirrored(o, k->left, in[0], 0)) &&
           (mirrored(o, in[0], in[1], 0) || mirrored(o, in[1], in[0], 0));
}

static bool lexical(order *o, ir_id id, int depth)
{
    if (o->n == KEYS || depth > KEYS) return false;
    key *const k = &o->at[o->n];
    if (sort_leaf(o, id, k)) return o->n++, true;
    const ir_eqn *const e = def(o, id);
    if (!e) return false;
    if (e->op == &prim_select && sort_leaf(o, e->in[2], k) && equal_of(o, e->in[0], k))
        return o->n++, lexical(o, e->in[1], depth + 1);
    if (e->op != &prim_or) return false;
    for (int side = 0; side < 2; side++) {
        const ir_eqn *const rest = def(o, e->in[1 - side]);
        if (!sort_leaf(o, e->in[side], k) || !rest || rest->op != &prim_and) continue;
        for (int j = 0; j < 2; j++)
            if (equal_of(o, rest->in[j], k)) return o->n++, lexical(o, rest->in[1 - j], depth + 1);
    }
    return false;
}

static bool is_const(const order *o, ir_id id)
{
    while (is_op(o, id, &prim_broadcast_in_dim) || is_op(o, id, &prim_convert)) id = def(o, id)->in[0];
    return is_op(o, id, &prim_const);
}

/* The parameter x if the value is x or select(x is 0 or NaN, constant, x), repeated; else 0. */
static ir_id canonical(const order *o, ir_id id, bool *seen)
{
    *seen = false;
    while (is_op(o, id, &prim_select)) {
        const ir_eqn *const e = def(o, id), *const test = def(o, e->in[0]);
        if (!is_const(o, e->in[1]) || !test || test->op != &prim_compare) return 0;
        const int64_t d = IR_ATTR(test, op_compare_attr)->comparison_direction;
        if (d != OP_CMP_EQ && d != OP_CMP_NE) return 0;
        if (d == OP_CMP_NE && test->in[0] != test->in[1]) return 0;
        if (d == OP_CMP_EQ && !is_const(o, test->in[1])) return 0;
        *seen = true;
        id = e->in[2];
    }
    return def(o, id) ? 0 : id;
}

/* ---- keys as values ---- */

static ir_id sort_number(hlo_reader *r, const ir_type *t,
                         int64_t v) { return op_broadcast(r->b, op_int(r->b, t->dtype, v), t, 0, NULL); }

/* Floats as integers in total order: the bits of negative numbers are inverted. */
static ir_id ordered(hlo_reader *r, ir_id x)
{
    const ir_type *const t = ir_typeof(r->b, x);
    if (!t || !ir_is_float(t->dtype)) return x;
    if (ir_is_narrow(t->dtype)) return ordered(r, op_convert(r->b, x, TT_F32));
    const size_t bytes = ir_dtype_of(t->dtype)->bytes;
    const tt_dtype d = bytes == 8 ? TT_I64 : bytes == 4 ? TT_I32 : TT_I16;
    const ir_id i = ir_emit(r->b, &prim_bitcast, &(op_convert_attr){ d }, 1, &x, 0, NULL);
    const ir_type *const u = ir_typeof(r->b, i);
    if (!u) return 0;
    const int64_t most = (int64_t)(UINT64_MAX >> 1 >> (64 - 8 * bytes));
    const ir_id sign = op_sar(r->b, i, sort_number(r, u, 8 * (int64_t)bytes - 1));
    return op_xor(r->b, i, op_and(r->b, sign, sort_number(r, u, most)));
}

static ir_id key_value(hlo_reader *r, const order *o, const key *k, const ir_id *x, bool first_down)
{
    bool seen;
    const ir_id param = canonical(o, k->left, &seen);
    ir_id v = param ? x[(param - 1) / 2] : 0;
    if (!param) {
        ir_fn g = *o->f;
        ir_id *const in = BASE_NEW(r->p->arena, ir_id, g.narg + 1);
        for (uint32_t i = 0; i < g.narg; i++) in[i] = x[i / 2];
        g.nret = 1, g.ret = BASE_NEW(r->p->arena, ir_id, 1);
        g.ret[0] = k->left;
        if (!hlo_apply(r, &g, ir_typeof(r->b, x[0]), in, &v)) return 0;
    }
    if (k->total && !(param && seen)) v = ordered(r, v);
    if (k->down == first_down || !v) return v;
    v = ordered(r, v);
    return ir_typeof(r->b, v) ? op_not(r->b, v) : 0;
}

static bool emit_sort(hlo_reader *r, const order *o, int64_t dimension, int n, const ir_id *x, ir_id *y)
{
    ir_id *const in = BASE_NEW(r->p->arena, ir_id, o->n + n + 1);
    op_sort_attr a = { dimension, true, o->n, o->at[0].down };
    bool own = o->n > n;                                 /* keys in addition to the operands */
    for (int k = 0; k < o->n; k++) {
        if (!(in[k] = key_value(r, o, &o->at[k], x, a.descending))) return false;
        own |= k < n && in[k] != x[k];
    }
    const int at = own ? o->n : 0;
    memcpy(in + at, x, (size_t)n * sizeof *in);
    const ir_id first = ir_emit(r->b, &prim_sort, &a, (uint32_t)(at + n), in, 0, NULL);
    for (int j = 0; j < n; j++) y[j] = first + (ir_id)(at + j);
    return first != 0;
}

/* Sorts n arrays by the comparator in region 0 of `op`. */
static bool sorted(hlo_reader *r, const hlo_op *op, int64_t dim, int n, const ir_id *x, ir_id *y)
{
    const ir_type *const t = ir_typeof(r->b, x[0]);
    ir_fn *const f = hlo_closed(r, op, 0);
    if (!f) return false;
    order o = { .f = f, .def = ir_definitions(r->p->arena, f) };
    if ((int)f->narg != 2 * n || f->nret != 1)
        return hlo_refuse(r, op, TT_EARG, "the comparator has %u parameters and %u results; expected %d and 1", f->narg,
                          f->nret, 2 * n);
    for (uint32_t i = 0; i < f->narg; i++)
        if (f->type[i + 1] != ir_type_of(ir_typeof(r->b, x[i / 2])->dtype, 0, NULL))
            return hlo_refuse(r, op, TT_ETYPE, "parameter %u of the comparator has not the type of operand %u", i + 1,
                              i / 2 + 1);
    if (dim < 0 || dim >= t->rank)
        return hlo_refuse(r, op, TT_EARG, "dimension is %lld; expected a dim of an operand of rank %d", (long long)dim,
                          t->rank);
    if (f->type[f->ret[0]] != ir_type_of(TT_BOOL, 0, NULL))
        return hlo_refuse(r, op, TT_ETYPE, "the comparator must return an i1");
    if (lexical(&o, f->ret[0], 0)) return emit_sort(r, &o, dim, n, x, y);
    const ir_id first = ir_emit(r->b, &prim_sort_by, &(op_sort_by_attr){ dim }, (uint32_t)n, x, 1, &f);
    for (int j = 0; j < n; j++) y[j] = first + (ir_id)j;
    return first != 0;
}

bool hlo_sort(hlo_reader *r, const hlo_op *op, const ir_id *x, ir_id *y)
{
    if (!op->in.n || op->in.n != op->to.n)
        return hlo_refuse(r, op, TT_EARG, "%d results of %d operands; expected as many, and 1 or more", op->to.n,
                          op->in.n);
    const int64_t dim = hlo_int(r, op, &op->attr, "dimension", -1);
    return sorted(r, op, dim < 0 ? dim + ir_typeof(r->b, x[0])->rank : dim, op->in.n, x, y);
}

/* The first k elements along dim. */
static ir_id first_of(hlo_reader *r, ir_id x, int64_t dim, int64_t k)
{
    const ir_type *const t = ir_typeof(r->b, x);
    int64_t zero[IR_RANK] = { 0 }, one[IR_RANK], limit[IR_RANK];
    for (int d = 0; d < t->rank; d++) one[d] = 1, limit[d] = d == dim ? k : t->dim[d];
    return op_slice(r->b, x, (ir_dims){ t->rank, zero }, (ir_dims){ t->rank, limit }, (ir_dims){ t->rank, one });
}

/* In the total order of floats: 0 before -0, NaNs by their signs. */
bool hlo_top_k(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const int64_t k = hlo_int(r, o, &o->attr, "k", -1);
    const ir_type *const t = o->in.n == 1 ? ir_typeof(r->b, x[0]) : NULL;
    if (!t || !t->rank || k < 0 || k > t->dim[t->rank - 1])
        return hlo_refuse(r, o, TT_EARG, "expected one operand, and k from 0 to the size of the last dim, not %lld",
                          (long long)k);
    const op_sort_attr a = { t->rank - 1, true, 1, true };
    const ir_id key = ordered(r, x[0]), place = op_iota(r->b, ir_type_of(TT_I32, t->rank, t->dim), t->rank - 1);
    const ir_id in[] = { key, x[0], place };
    const uint32_t own = key != x[0];                    /* a key in addition to the operand */
    ir_id all[3];
    if (!key || !place || !hlo_emit(r, &prim_sort, &a, 2 + own, in + !own, all)) return false;
    for (int j = 0; j < 2; j++) y[j] = first_of(r, all[own + j], t->rank - 1, k);
    return y[0] && y[1];
}

/* jax.lax.approx_max_k and approx_min_k: n arrays and as many initial values. Compilers may drop elements for speed;
 * here, as on JAX's CPU, all elements are sorted by the called comparator. Returns the first top_k, or, without
 * aggregation, as many as the result types have. */
bool hlo_approx_top_k(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const hlo_attrs *const how = hlo_record(o, "mhlo.backend_config");
    const hlo_attr *const called = hlo_find(&o->attr, "called_computations");
    const hlo_func *const f = called && called->item.n == 1 ? hlo_function(r, called->item.v[0].text) : NULL;
    const int n = o->in.n / 2;
    const int64_t dim = hlo_int(r, o, how, "reduction_dim", -1), k = hlo_int(r, o, how, "top_k", -1);
    if (r->bad) return false;
    if (!f || !n || o->in.n % 2 || o->to.n != n)
        return hlo_refuse(r, o,
                          TT_EARG, "%d operands, %d results; expected arrays, as many initial values and results, and "
                                   "a comparator", o->in.n, o->to.n);
    const ir_type *const t = ir_typeof(r->b, x[0]), *const to = hlo_result(o, 0);
    if (!to || to->rank != t->rank || dim < 0 || dim >= t->rank || k < 0 || to->dim[dim] < k ||
        to->dim[dim] > t->dim[dim] || (hlo_flag(how, "aggregate_to_topk") && to->dim[dim] != k))
        return hlo_refuse(r, o, TT_ESHAPE, "%lld of dim %lld do not give results of that type", (long long)k,
                          (long long)dim);
    hlo_region *const g = BASE_COPY(r->p->arena, &f->body, 1);
    hlo_op whole = *o;
    g->arg = f->arg, whole.region.v = g, whole.region.n = 1;
    ir_id *const all = BASE_NEW(r->p->arena, ir_id, n);
    if (!sorted(r, &whole, dim, n, x, all)) return false;
    for (int j = 0; j < n; j++)
        if (!(y[j] = first_of(r, all[j], dim, to->dim[dim]))) return false;
    return true;
}
