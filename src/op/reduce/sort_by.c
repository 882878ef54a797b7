/* op/reduce/sort_by.c - sorts every line along one dim by a comparator: a region (left, right of operand 1, left, right
 * of operand 2, ..) -> true if left goes before right.
 *
 * Stable, by merging: an element of the right run comes first only if the comparator puts it before the left run's
 * element, so that even a comparator that is not an order gives some permutation. Orders that are keys use sort. The
 * derivative permutes tangents as the values: the sort permutes an iota too, by which tangents are gathered. */
#include "../build.h"

#include <string.h>

static bool sort_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const op_sort_by_attr *a = IR_ATTR(e, op_sort_by_attr);
    const ir_fn *f = e->sub[0];
    if (!e->nin) return base_fail(TT_EARG, e->site, "sort_by: no operands; expected 1 or more");
    if (a->dimension < 0 || a->dimension >= x[0]->rank)
        return base_fail(TT_ESHAPE, e->site, "sort_by: no dim %lld in an operand of rank %d", (long long)a->dimension,
                         x[0]->rank);
    if (f->narg != 2 * e->nin || f->nret != 1 || f->type[f->ret[0]]->rank || f->type[f->ret[0]]->dtype != TT_BOOL)
        return base_fail(TT_ETYPE, e->site, "sort_by: the comparator of %u operands must take %u scalars and return a "
                                            "bool",
                         e->nin, 2 * e->nin);
    for (uint32_t i = 0; i < e->nin; i++) {
        if (x[i]->rank != x[0]->rank || memcmp(x[i]->dim, x[0]->dim, (size_t)x[0]->rank * sizeof(int64_t)))
            return op_expected(e, TT_ESHAPE, "operand", i + 1, x[i], "the shape of operand 1", x[0]);
        for (uint32_t k = 1 + 2 * i; k < 3 + 2 * i; k++)
            if (f->type[k]->rank || f->type[k]->dtype != x[i]->dtype)
                return base_fail(TT_ETYPE, e->site, "sort_by: parameter %u of the comparator must be a scalar %s", k,
                                 ir_dtype_of(x[i]->dtype)->name);
        y[i] = ir_type_of(x[i]->dtype, x[i]->rank, x[i]->dim);
    }
    return true;
}

static void sort_rules(const ir_eqn *e, op_rule *r)      /* as sort's */
{
    for (int d = 0; d < IR_IN(e, 0)->rank; d++) {
        const bool along = d == IR_ATTR(e, op_sort_by_attr)->dimension;
        const int f = op_factor(r, IR_IN(e, 0)->dim[d], along ? OP_NEED_REPLICATION : OP_PASS_THROUGH);
        for (int t = 0; t < 2 * (int)e->nin; t++) op_dim(r, t, d, f);
    }
}

/* The comparator with an additional pair of i32 parameters, which it ignores. */
static ir_fn *carrying(ir_build *b, const ir_eqn *e)
{
    ir_build *const r = ir_region(b, e->sub[0]->name);
    ir_id *const p = IR_NEW(b, ir_id, 2 * e->nin + 2), less = 0;
    for (uint32_t i = 0; i < 2 * e->nin; i++) p[i] = ir_arg(r, e->sub[0]->type[1 + i]);
    for (uint32_t i = 0; i < 2; i++) ir_arg(r, ir_type_of(TT_I32, 0, NULL));
    return ir_inline(r, e->sub[0], p, &less) ? ir_end(r, 1, &less) : NULL;
}

static void sort_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    const op_sort_by_attr *a = IR_ATTR(e, op_sort_by_attr);
    const ir_type *t = IR_IN(e, 0);
    ir_id *in = IR_NEW(b, ir_id, e->nin + 1);
    ir_fn *const f = carrying(b, e);
    memcpy(in, x, e->nin * sizeof *in);
    in[e->nin] = op_iota(b, ir_type_of(TT_I32, t->rank, t->dim), (int)a->dimension);
    const ir_id first = f ? ir_emit(b, e->op, a, e->nin + 1, in, 1, &f) : 0;
    if (!first) return;
    for (uint32_t i = 0; i < e->nin; i++) {
        y[i] = first + i;
        if (dx[i]) dy[i] = op_take_along(b, dx[i], first + e->nin, a->dimension);
    }
}

static void sort_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y, bool *out)
{
    const op_sort_by_attr a = { IR_ATTR(e, op_sort_by_attr)->dimension + 1 };
    ir_id *in = IR_NEW(b, ir_id, e->nin);
    for (uint32_t i = 0; i < e->nin; i++) in[i] = mapped[i] ? x[i] : op_spread(b, x[i], n);
    const ir_id first = ir_emit(b, e->op, &a, e->nin, in, 1, e->sub);
    for (uint32_t i = 0; i < e->nin; i++) y[i] = first ? first + i : 0, out[i] = true;
}

/* ---- the definition ---- */

typedef struct { const ir_eqn *e; const ir_box *x; int64_t *at; int k; ir_num *mem; ir_box *box; } order;

/* Sets *yes to true if position p of the line goes before position q. Returns false if the evaluation fails. */
static bool sort_by_before(const order *o, int64_t p, int64_t q, bool *yes)
{
    const int64_t zero[1] = { 0 };
    const ir_box result = { .at = yes, .dtype = TT_BOOL };
    for (uint32_t i = 0; i < o->e->nin; i++) {
        o->at[o->k] = p, ir_store(&o->box[2 * i], zero, ir_load(&o->x[i], o->at));
        o->at[o->k] = q, ir_store(&o->box[2 * i + 1], zero, ir_load(&o->x[i], o->at));
    }
    return ir_eval(o->e->sub[0], o->box, &result);
}

/* Merges from[lo, mid) and from[mid, hi) into to[lo, hi). */
static bool merge(const order *o, const int64_t *from, int64_t *to, int64_t lo, int64_t mid, int64_t hi)
{
    int64_t i = lo, j = mid;
    for (int64_t k = lo; k < hi; k++) {
        bool right = i == mid;
        if (i < mid && j < hi && !sort_by_before(o, from[j], from[i], &right)) return false;
        to[k] = right ? from[j++] : from[i++];
    }
    return true;
}

static bool sort_line(const order *o, int64_t **list, int64_t first, int64_t n)
{
    for (int64_t i = 0; i < n; i++) list[0][i] = first + i;
    for (int64_t w = 1; w < n; w *= 2) {
        for (int64_t lo = 0; lo < n; lo += 2 * w) {
            const int64_t mid = lo + w < n ? lo + w : n, hi = mid + w < n ? mid + w : n;
            if (!merge(o, list[0], list[1], lo, mid, hi)) return false;
        }
        int64_t *const t = list[0];
        list[0] = list[1], list[1] = t;
    }
    return true;
}

static bool sort_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const int k = (int)IR_ATTR(e, op_sort_by_attr)->dimension;
    base_arena *a = base_open();
    int64_t *both[] = { BASE_NEW(a, int64_t, x->n[k] + 1), BASE_NEW(a, int64_t, x->n[k] + 1) }, i[IR_RANK], at[IR_RANK];
    order o = { e, x, at, k, BASE_NEW(a, ir_num, 2 * e->nin), BASE_NEW(a, ir_box, 2 * e->nin) };
    ir_box line = y[0];
    bool ok = true;
    for (uint32_t p = 0; p < 2 * e->nin; p++) o.box[p] = (ir_box){ .at = &o.mem[p], .dtype = x[p / 2].dtype };
    line.n[k] = y->n[k] > 0;
    for (bool more = ir_first(&line, i); more && ok; more = ir_next(&line, i)) {
        memcpy(at, i, sizeof at);
        ok = sort_line(&o, both, x->lo[k], x->n[k]);
        for (int64_t p = 0; ok && p < y->n[k]; p++)
            for (uint32_t j = 0; j < e->nin; j++) {
                at[k] = both[0][y->lo[k] + p - x->lo[k]];
                const ir_num v = ir_load(&x[j], at);
                at[k] = y->lo[k] + p;
                ir_store(&y[j], at, v);
            }
    }
    base_close(a);
    return ok;
}

const op_prim prim_sort_by = {
    .name = "sort_by",
    .doc = "orders lines by a comparator",
    .hlo = "stablehlo.sort",
    .call = "",
    .nin = -1,
    .nout = -1,
    .nsub = 1,
    .kernel = OP_REDUCE,
    .attr = sizeof(op_sort_by_attr),
    .field = OP_FIELDS(IR_FIELD(op_sort_by_attr, dimension, IR_INT)),
    .type = sort_type,
    .rules = sort_rules,
    .linear = op_nonlinear,
    .partial = op_partial_none,
    .jvp = sort_jvp,
    .transpose = op_transpose_none,
    .batch = sort_batch,
    .decompose = op_decompose_none,
    .exchange = op_exchange_none,
    .ref = sort_ref,
    .prog = op_prog_none,
    .cases = OP_CASES("sort_by f32[7] {dimension=0} (a f32, b f32) { c = mul a, a; d = mul b, b; p = compare c, d "
                      "{comparison_direction=lt}; return p }",
                      "sort_by f32[3,5], i32[3,5] {dimension=1} (a f32, b f32, i i32, j i32) { p = compare a, b "
                      "{comparison_direction=gt}; return p }",
                      "sort_by i32[6,2] {dimension=0} (a i32, b i32) { c = compare a, b {comparison_direction=lt}; "
                      "return c }",
                      "sort_by bf16[2,0] {dimension=1} (a bf16, b bf16) { c = compare a, b {comparison_direction=lt}; "
                      "return c }"),
};
