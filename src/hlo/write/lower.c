/* hlo/write/lower.c - lowers a function to primitives that have names in StableHLO: scans to loops, cumulative sums to
 * windows, others by their decomposition; sorts get the comparator that sort.c reads back as keys. */
#include "print.h"
#include "../../op/ops.h"

#include <math.h>
#include <string.h>

typedef struct lowered { const ir_fn *from; ir_fn *to; struct lowered *next; } lowered;
typedef struct { base_arena *arena; lowered *done; bool spelled; } pass;

static ir_fn *lower(pass *p, const ir_fn *f);

/* ---- scan: (i, consts, carries, xs, ys) while i < length ---- */

typedef struct { const ir_eqn *e; const op_scan_attr *a; ir_fn *body; uint32_t nc, ncarry, nx, ny, n; } loop;

static ir_id row_index(ir_build *b, const op_scan_attr *a, ir_id i)
{
    return a->reverse ? op_sub(b, op_int(b, TT_I32, a->length - 1), i) : i;
}

static void starts(ir_build *b, ir_id at, int rank, ir_id *start)
{
    const ir_id zero = rank > 1 ? op_int(b, TT_I32, 0) : 0;
    start[0] = at;
    for (int d = 1; d < rank; d++) start[d] = zero;
}

static ir_id lower_row_of(ir_build *b, ir_id x, ir_id at)
{
    const ir_type *const t = ir_typeof(b, x);
    int64_t size[IR_RANK];
    ir_id start[IR_RANK];
    starts(b, at, t->rank, start);
    memcpy(size, t->dim, (size_t)t->rank * sizeof *size);
    size[0] = 1;
    return op_reshape(b, op_dynamic_slice(b, x, start, (ir_dims){ t->rank, size }), t->rank - 1, t->dim + 1);
}

static ir_id with_row(ir_build *b, ir_id x, ir_id row, ir_id at)
{
    const ir_type *const t = ir_typeof(b, x);
    int64_t size[IR_RANK];
    ir_id start[IR_RANK];
    starts(b, at, t->rank, start);
    memcpy(size, t->dim, (size_t)t->rank * sizeof *size);
    size[0] = 1;
    return op_dynamic_update_slice(b, x, op_reshape(b, row, t->rank, size), start);
}

static ir_fn *loop_condition(ir_build *outer, const loop *l, const ir_id *in)
{
    ir_build *const b = ir_region(outer, base_intern("cond"));
    ir_id i = 0;
    for (uint32_t k = 0; k < l->n; k++) {
        const ir_id id = ir_arg(b, ir_typeof(outer, in[k]));
        if (!k) i = id;
    }
    const ir_id more = op_compare(b, OP_CMP_LT, i, op_int(b, TT_I32, l->a->length));
    return ir_end(b, 1, &more);
}

static ir_fn *loop_body(pass *p, ir_build *outer, const loop *l, const ir_id *in)
{
    ir_build *const b = ir_region(outer, base_intern("body"));
    ir_id *const arg = BASE_NEW(p->arena, ir_id, l->n + 1), *const x = BASE_NEW(p->arena, ir_id, l->n + 1);
    ir_id *const y = BASE_NEW(p->arena, ir_id, l->body->nret + 1);
    for (uint32_t k = 0; k < l->n; k++) arg[k] = ir_arg(b, ir_typeof(outer, in[k]));
    const uint32_t kept = l->nc + l->ncarry;
    memcpy(x, arg + 1, kept * sizeof *x);
    const ir_id at = l->nx + l->ny ? row_index(b, l->a, arg[0]) : 0;
    for (uint32_t k = 0; k < l->nx; k++) x[kept + k] = lower_row_of(b, arg[1 + kept + k], at);
    if (!ir_inline(b, l->body, x, y)) return NULL;
    arg[0] = op_add(b, arg[0], op_int(b, TT_I32, 1));
    memcpy(arg + 1 + l->nc, y, l->ncarry * sizeof *y);
    for (uint32_t k = 0; k < l->ny; k++) {
        ir_id *const ys = &arg[1 + kept + l->nx + k];
        *ys = with_row(b, *ys, y[l->ncarry + k], at);
    }
    return ir_end(b, l->n, arg);
}

static bool scan(pass *p, ir_build *b, const ir_eqn *e, ir_fn *const *sub, const ir_id *x, ir_id *y)
{
    const op_scan_attr *const a = IR_ATTR(e, op_scan_attr);
    loop l = { e, a, sub[0], (uint32_t)a->num_consts, (uint32_t)a->num_carry, 0, 0, 0 };
    if (!a->length) {                                    /* no row to read: a loop's body would not be well typed */
        for (uint32_t k = 0; k < l.ncarry; k++) y[k] = x[l.nc + k];
        for (uint32_t k = l.ncarry; k < e->nout; k++) if (!(y[k] = op_zeros(b, IR_OUT(e, k)))) return false;
        return true;
    }
    l.nx = e->nin - l.nc - l.ncarry, l.ny = e->nout - l.ncarry, l.n = 1 + e->nin + l.ny;
    ir_id *const in = BASE_NEW(p->arena, ir_id, l.n + 1);
    in[0] = op_int(b, TT_I32, 0);
    memcpy(in + 1, x, e->nin * sizeof *in);
    for (uint32_t k = 0; k < l.ny; k++) in[1 + e->nin + k] = op_zeros(b, IR_OUT(e, l.ncarry + k));
    ir_fn *const both[] = { loop_condition(b, &l, in), loop_body(p, b, &l, in) };
    const ir_id first = both[0] && both[1] ? ir_emit(b, &prim_while, NULL, l.n, in, 2, both) : 0;
    for (uint32_t k = 0; k < l.ncarry; k++) y[k] = first + 1 + l.nc + k;
    for (uint32_t k = 0; k < l.ny; k++) y[l.ncarry + k] = first + 1 + e->nin + k;
    return first != 0;
}

/* ---- cumulative: a window as long as its dim ---- */

static bool cumulative(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    const op_cum_attr *const a = IR_ATTR(e, op_cum_attr);
    const op_prim *const monoid = op_cum_monoid(e);
    const ir_type *const t = IR_IN(e, 0);
    int64_t one[IR_RANK], window[IR_RANK], low[IR_RANK] = { 0 }, high[IR_RANK] = { 0 };
    for (int d = 0; d < t->rank; d++) one[d] = window[d] = 1;
    const int64_t n = t->dim[a->dimension];
    window[a->dimension] = n > 0 ? n : 1;
    (a->reverse ? high : low)[a->dimension] = n > 0 ? n - 1 : 0;
    const op_window_attr w = { { t->rank, window }, { t->rank, one }, { t->rank, one }, { t->rank, one },
                               { t->rank, low },    { t->rank, high } };
    ir_fn *const f = op_reducer(b, monoid, t->dtype);
    const ir_id in[] = { x[0], op_identity(b, monoid->monoid, t->dtype) };
    y[0] = f ? ir_emit(b, &prim_reduce_window, &w, 2, in, 1, (ir_fn *const[]){ f }) : 0;
    return y[0] != 0;
}

/* ---- the order of a sort ---- */

static ir_id canonical(ir_build *b, ir_id x)             /* zeros are +0, NaNs are one */
{
    const ir_type *const t = ir_typeof(b, x);
    if (!ir_is_float(t->dtype)) return x;
    const ir_id zero = op_real(b, t->dtype, 0), nan = op_real(b, t->dtype, (double)NAN);
    const ir_id y = op_select(b, op_equal(b, x, zero), zero, x);
    return op_select(b, op_compare(b, OP_CMP_NE, x, x), nan, y);
}

static ir_id compared(ir_build *b, op_cmp how, ir_id x, ir_id y)
{
    const op_compare_attr a = { how, ir_is_float(ir_typeof(b, x)->dtype) && how != OP_CMP_EQ };
    return ir_emit(b, &prim_compare, &a, 2, (const ir_id[]){ x, y }, 0, NULL);
}

ir_fn *hlo_comparator(base_arena *arena, const ir_eqn *e)
{
    const op_sort_attr *const a = IR_ATTR(e, op_sort_attr);
    ir_build *const b = ir_begin(arena, base_intern("order"), NULL);
    ir_id *const arg = BASE_NEW(arena, ir_id, 2 * e->nin + 1);
    for (uint32_t i = 0; i < 2 * e->nin; i++) arg[i] = ir_arg(b, ir_type_of(IR_IN(e, i / 2)->dtype, 0, NULL));
    ir_id less = 0;
    for (int64_t k = a->num_keys; k-- > 0;) {
        const ir_id x = canonical(b, arg[2 * k]), y = canonical(b, arg[2 * k + 1]);
        const ir_id first = compared(b, a->descending ? OP_CMP_GT : OP_CMP_LT, x, y);
        less = less ? op_or(b, first, op_and(b, compared(b, OP_CMP_EQ, x, y), less)) : first;
    }
    return ir_end(b, 1, &less);
}

/* ---- the walk ---- */

/* Lowers the primitives that `rewrite` emits in turn. */
static bool in_others(pass *p, ir_build *b, const ir_eqn *e, hlo_lowering *rewrite, const ir_id *x, ir_id *y)
{
    if (rewrite == op_decompose_none) {
        base_fail(TT_EARG, e->site, "%s has no form in StableHLO", e->op->name);
        if (e->op->kernel != OP_HOST) return false;
        return base_hint("a program elsewhere cannot call a function of this process: leave the call out of what is "
                         "exported, or runs on an engine of PJRT");
    }
    ir_build *const part = ir_begin(p->arena, base_intern("part"), ir_build_fn(b)->mesh);
    ir_id *const in = BASE_NEW(p->arena, ir_id, e->nin + 1);
    for (uint32_t i = 0; i < e->nin; i++) in[i] = ir_arg(part, ir_typeof(b, x[i]));
    if (!rewrite(part, e, in, y)) return false;
    const ir_fn *const f = ir_end(part, e->nout, y), *const g = f ? lower(p, f) : NULL;
    return g && ir_inline(b, g, x, y);
}

/* LAPACK returns no permutation: it is computed from the pivots. */
static bool permutation(pass *p, ir_build *b, const ir_eqn *e, ir_id *y)
{
    const ir_type *const order = IR_OUT(e, 2);
    const ir_fn *const f = hlo_permutation(p->arena, e->fn->mesh, IR_OUT(e, 1), order->dim[order->rank - 1]);
    const ir_fn *const g = f ? lower(p, f) : NULL;
    return g && ir_inline(b, g, &y[1], &y[2]);
}

/* True if the equation is a manual region over axes of size 1, where nothing is sharded, or a device's place along
 * them, which is 0. As in JAX neither is printed, since compilers for one device have no such operation. */
static bool is_of_one(const ir_eqn *e)
{
    if ((e->op != &prim_manual && e->op != &prim_axis_index) || !e->fn->mesh) return false;
    const ir_names axes = *(const ir_names *)e->attr;    /* the first member of both their attributes */
    return mesh_set_size(e->fn->mesh, mesh_named(e->fn->mesh, axes.n, axes.v)) == 1;
}

/* True if the equation is a device's place along several axes that do not follow one another in the mesh. */
static bool is_apart(const ir_eqn *e)
{
    if (e->op != &prim_axis_index || !e->fn->mesh) return false;
    const mesh *const m = e->fn->mesh;
    const ir_names axes = IR_ATTR(e, op_axis_attr)->axes;
    int first = 0;
    while (first < m->naxis && axes.n && m->axis[first].name != axes.v[0]) first++;
    for (int k = 0; k < axes.n; k++) if (first + k >= m->naxis || m->axis[first + k].name != axes.v[k]) return true;
    return false;
}

/* From the places along each axis, the first the most major. */
static ir_id index_of_apart(ir_build *b, const ir_eqn *e)
{
    const op_axis_attr *const a = IR_ATTR(e, op_axis_attr);
    ir_id y = 0;
    for (int i = 0; i < a->axes.n; i++) {
        const op_axis_attr one = { { 1, &a->axes.v[i] }, a->unchecked };
        const int64_t size = mesh_set_size(e->fn->mesh, mesh_named(e->fn->mesh, 1, &a->axes.v[i]));
        const ir_id at = size == 1 ? op_int(b, IR_OUT(e, 0)->dtype, 0)
                                   : ir_emit(b, &prim_axis_index, &one, 0, NULL, 0, NULL);
        y = y ? op_add(b, op_mul(b, y, op_int(b, IR_OUT(e, 0)->dtype, size)), at) : at;
    }
    return y;
}

static bool lower_equation(pass *p, ir_build *b, const ir_eqn *e, ir_id *map)
{
    ir_id *const x = BASE_NEW(p->arena, ir_id, e->nin + 1), *const y = BASE_NEW(p->arena, ir_id, e->nout + 1);
    ir_fn **const sub = BASE_NEW(p->arena, ir_fn *, e->nsub + 1);
    hlo_lowering *const spelled = p->spelled ? hlo_spelled_of(e) : NULL,
                 *const rewrite = spelled ? spelled : hlo_lowering_of(e);
    bool ok = true;
    for (uint32_t i = 0; i < e->nin; i++) x[i] = map[e->in[i]];
    for (uint32_t i = 0; i < e->nsub; i++) if (!(sub[i] = lower(p, e->sub[i]))) return false;
    ir_site(b, e->site);
    /* an operation with a truth has two branches, and one with an integer any number */
    if (e->op == &prim_case && e->nsub != 2 && IR_IN(e, 0)->dtype == TT_BOOL) x[0] = op_convert(b, x[0], TT_I32);
    if (is_of_one(e) && e->op == &prim_manual) ok = ir_inline(b, sub[0], x, y);
    else if (is_apart(e)) ok = (y[0] = index_of_apart(b, e)) != 0;
    else if (is_of_one(e)) ok = (y[0] = op_int(b, IR_OUT(e, 0)->dtype, 0)) != 0;
    else if (e->op == &prim_scan) ok = scan(p, b, e, sub, x, y);
    else if (e->op == &prim_cumsum || e->op == &prim_cumprod || e->op == &prim_cummax || e->op == &prim_cummin)
        ok = cumulative(b, e, x, y);
    else if (!rewrite && (*e->op->hlo || e->op == &prim_axis_index || e->op == &prim_to_varying ||
        e->op == &prim_pmax ||
                          e->op == &prim_pmin)) {
        const ir_id first = ir_emit(b, e->op, e->attr, e->nin, x, e->nsub, sub);
        for (uint32_t j = 0; j < e->nout; j++) y[j] = first + j;
        ok = first != 0;
    } else if (!rewrite && e->op->kernel == OP_MATRIX && e->op->decompose == op_decompose_none) {   /* a custom call */
        const ir_id first = ir_clone(b, e, x);
        for (uint32_t j = 0; j < e->nout; j++) y[j] = first + j;
        ok = first && (e->op != &prim_lu || permutation(p, b, e, y));
    } else {
        ok = in_others(p, b, e, rewrite ? rewrite : e->op->decompose, x, y);
    }
    for (uint32_t j = 0; j < e->nout; j++) map[e->out + j] = y[j];
    return ok;
}

static ir_fn *lower(pass *p, const ir_fn *f)
{
    for (const lowered *l = p->done; l; l = l->next) if (l->from == f) return l->to;
    ir_build *const b = ir_begin(p->arena, f->name, f->mesh);
    ir_id *const map = BASE_NEW(p->arena, ir_id, f->nvalue + 1), *const ret = BASE_NEW(p->arena, ir_id, f->nret + 1);
    for (uint32_t i = 1; i <= f->narg; i++) map[i] = ir_arg(b, f->type[i]);
    for (uint32_t k = 0; k < f->neqn; k++) if (!lower_equation(p, b, &f->eqn[k], map)) return NULL;
    for (uint32_t j = 0; j < f->nret; j++) ret[j] = map[f->ret[j]];
    ir_fn *const g = ir_end(b, f->nret, ret);
    if (!g) return NULL;
    g->donate = f->donate, g->tag = f->tag;
    lowered *const l = BASE_NEW(p->arena, lowered, 1);
    *l = (lowered){ f, g, p->done };
    p->done = l;
    return g;
}

ir_fn *hlo_lower(base_arena *a, const ir_fn *f, bool spelled)
{
    pass p = { a, NULL, spelled };
    const ir_fn *const g = hlo_stateless(a, f);
    return g ? lower(&p, g) : NULL;
}
