/* op/reduce/select_and_scatter.c - selects one position in every window of x and adds the window's source there: the
 * backward pass of max pooling.
 *
 * Operands: x, source (one element per window), initial value; regions select (2 -> bool) and scatter (2 -> 1). The
 * selected position is the first one, replaced by the next one for which select(selected, next) is false; padding is
 * never selected. Sources of one position are combined by scatter, in the order of windows. Linear in source if scatter
 * adds. There is no base dilation. */
#include "../build.h"
#include "../local/local.h"
#include "../ops.h"

#include <string.h>

bool op_select_type(const ir_eqn *e, const ir_type *const *x, int64_t *dim)
{
    const op_window_attr *a = IR_ATTR(e, op_window_attr);
    const ir_fn *f = e->sub[0];
    if (!op_window_type(e, x[0], a, dim)) return false;
    for (int d = 0; d < x[0]->rank; d++)
        if (a->base_dilations.v[d] != 1)
            return base_fail(TT_ESHAPE, e->site, "%s: base_dilations of dim %d is %lld; expected 1",
                             e->op->name, d, (long long)a->base_dilations.v[d]);
    const bool ok = f->narg == 2 && f->nret == 1 && f->type[f->ret[0]]->dtype == TT_BOOL && !f->type[f->ret[0]]->rank &&
                    f->type[1] == f->type[2] && !f->type[1]->rank && f->type[1]->dtype == x[0]->dtype;
    return ok || base_fail(TT_ETYPE, e->site, "%s: the select region must take two scalars %s and return a bool",
                           e->op->name, ir_dtype_of(x[0]->dtype)->name);
}

bool op_select_index(const ir_eqn *e, const ir_box *x, const int64_t *window, int64_t *place, bool *any)
{
    const op_window_attr *a = IR_ATTR(e, op_window_attr);
    const int64_t zero[1] = { 0 };
    const int rank = x->rank;
    int64_t k[IR_RANK], at[IR_RANK];
    ir_num mem[2] = { { .c = { 0, 0 } } };
    bool keep = false;
    const ir_box arg[2] = { { .at = &mem[0], .dtype = x->dtype }, { .at = &mem[1], .dtype = x->dtype } };
    const ir_box res = { .at = &keep, .dtype = TT_BOOL };
    ir_box taps = { .rank = rank };
    for (int d = 0; d < rank; d++) taps.n[d] = a->window_dimensions.v[d];
    *any = false;
    for (bool go = ir_first(&taps, k); go; go = ir_next(&taps, k)) {
        bool inside = true;
        for (int d = 0; inside && d < rank; d++) {
            const op_taps t = op_taps_of(a, d);
            inside = (at[d] = op_window_at(&t, IR_IN(e, 0)->dim[d], window[d], k[d])) >= 0;
        }
        if (!inside) continue;
        ir_store(&arg[1], zero, ir_load(x, at));
        if (*any && !ir_eval(e->sub[0], arg, &res)) return false;
        if (*any && keep) continue;
        memcpy(place, at, (size_t)rank * sizeof *at);
        mem[0] = mem[1];
        *any = true;
    }
    return true;
}

static bool scatter_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const ir_fn *f = e->sub[1];
    int64_t dim[IR_RANK];
    if (!op_select_type(e, x, dim)) return false;
    if (x[1]->rank != x[0]->rank || (x[0]->rank && memcmp(x[1]->dim, dim, (size_t)x[0]->rank * sizeof *dim))) {
        base_arena *t = base_open();
        base_fail(TT_ESHAPE, e->site, "select_and_scatter: the source is %s; expected one element per window, %s",
                  ir_type_text(t, x[1]), ir_type_text(t, ir_type_of(x[1]->dtype, x[0]->rank, dim)));
        base_close(t);
        return false;
    }
    if (x[1]->dtype != x[0]->dtype || x[2]->dtype != x[0]->dtype || x[2]->rank)
        return base_fail(TT_ETYPE, e->site,
                         "select_and_scatter: the source and the initial value, a scalar, must be %s like the operand",
                         ir_dtype_of(x[0]->dtype)->name);
    if (f->narg != 2 || f->nret != 1 || f->type[1] != f->type[2] || f->type[f->ret[0]] != f->type[1] ||
        f->type[1]->rank || f->type[1]->dtype != x[0]->dtype)
        return base_fail(TT_ETYPE, e->site,
                         "select_and_scatter: the scatter region must take two scalars %s and return one",
                         ir_dtype_of(x[0]->dtype)->name);
    y[0] = ir_type_of(x[0]->dtype, x[0]->rank, x[0]->dim);
    return true;
}

/* A result range [a, b) overlaps the windows o with o s - lo <= b-1 and o s - lo + (k-1) w >= a, which read up to (k-1)
 * w beyond the range. */
static void scatter_rules(const ir_eqn *e, op_rule *r)
{
    for (int d = 0; d < IR_IN(e, 0)->rank; d++) {
        const op_taps t = op_taps_of(IR_ATTR(e, op_window_attr), d);
        const bool trivial = op_taps_trivial(&t);
        const int64_t reach = (t.n - 1) * t.step;
        const int f = op_factor(r, IR_OUT(e, 0)->dim[d], trivial ? OP_PASS_THROUGH : OP_PERMUTATION);
        if (trivial) op_dim(r, 0, d, f), op_dim(r, 1, d, f);
        else
            op_dim_window(r, 0, d, f, (op_window){ 1, -reach, reach, 1 }),
                op_dim_window(r, 1, d, f, (op_window){ 1, t.lo - reach, t.lo, t.stride });
        op_dim(r, 3, d, f);
    }
}

static op_linear scatter_linear(const ir_eqn *e)
{
    return op_monoid(e->sub[1]) == MESH_SUM ? (op_linear){ OP_JOINT, 2 } : (op_linear){ OP_NONLINEAR, 0 };
}

static void scatter_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    if (op_monoid(e->sub[1]) == MESH_SUM) {              /* the selected positions have derivative zero */
        const ir_id in[] = { x[0], dx[1], op_real(b, ir_typeof(b, x[0])->dtype, 0) };
        (void)y;
        if (dx[1]) dy[0] = ir_clone(b, e, in);
        if (dx[2]) dy[0] = op_plus(b, dy[0], op_broadcast(b, dx[2], ir_typeof(b, x[0]), 0, NULL));
        return;
    }
    base_fail(TT_EGRAD, e->site, "select_and_scatter: only a scatter region that adds has a derivative");
}

static void scatter_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    if (x[1] || !ct[0]) return;
    cx[1] = ir_emit(b, &prim_select_and_gather, e->attr, 2, (const ir_id[]){ x[0], ct[0] }, 1, e->sub);
}

static void scatter_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y,
                          bool *out)
{
    const op_window_attr a = op_window_grown(b, IR_ATTR(e, op_window_attr));
    ir_id in[3] = { x[0], x[1], x[2] };
    if (mapped[2]) {
        base_fail(TT_ETRACE, e->site, "select_and_scatter: vmap over the initial value is not supported");
        return;
    }
    for (int i = 0; i < 2; i++) if (!mapped[i]) in[i] = op_spread(b, x[i], n);
    y[0] = ir_emit(b, e->op, &a, 3, in, 2, e->sub);
    out[0] = true;
}

static bool scatter_one(const ir_eqn *e, const ir_box *y, const int64_t *at, ir_num v)
{
    const int64_t zero[1] = { 0 };
    const mesh_reduce reduce = op_monoid(e->sub[1]);
    ir_num mem[3] = { { .c = { 0, 0 } } };
    ir_box box[3];
    if (reduce != MESH_NONE) {
        ir_store(y, at, op_combine_wide(reduce, y->dtype, ir_load(y, at), v));
        return true;
    }
    for (int i = 0; i < 3; i++) box[i] = (ir_box){ .at = &mem[i], .dtype = y->dtype };
    ir_store(&box[0], zero, ir_load(y, at));
    ir_store(&box[1], zero, v);
    if (!ir_eval(e->sub[1], box, &box[2])) return false;
    ir_store(y, at, ir_load(&box[2], zero));
    return true;
}

static bool scatter_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const op_window_attr *a = IR_ATTR(e, op_window_attr);
    int64_t i[IR_RANK], at[IR_RANK];
    const ir_num init = ir_load(&x[2], (const int64_t[]){ 0 });
    for (bool more = ir_first(y, i); more; more = ir_next(y, i)) ir_store(y, i, init);
    for (bool more = ir_first(&x[1], i); more; more = ir_next(&x[1], i)) {
        bool meets = true, any;
        /* other windows may read elements outside this box of x */
        for (int d = 0; d < y->rank; d++) {
            const op_taps t = op_taps_of(a, d);
            const int64_t from = i[d] * t.stride - t.lo, to = from + (t.n - 1) * t.step;
            meets &= from < y->lo[d] + y->n[d] && to >= y->lo[d];
        }
        if (!meets) continue;
        if (!op_select_index(e, &x[0], i, at, &any)) return false;
        for (int d = 0; any && d < y->rank; d++) any = at[d] >= y->lo[d] && at[d] < y->lo[d] + y->n[d];
        if (any && !scatter_one(e, y, at, ir_load(&x[1], i))) return false;
    }
    return true;
}

/* ---- on a device's part ---- */

/* True if the windows of each part of dim d read the elements of the same part of x and no others. */
static bool select_apart(const op_local_choice *c, int d, int64_t parts)
{
    const op_taps t = op_taps_of(IR_ATTR(c->e, op_window_attr), d);
    const int64_t size = IR_IN(c->e, 0)->dim[d];
    return !t.lo && !t.hi && (t.n - 1) * t.step < t.stride && size % (parts * t.stride) == 0;
}

static const char *select_refuses(const op_local_choice *c)
{
    for (int t = 0; t < 2; t++)
        for (int d = 0; d < IR_IN(c->e, t)->rank; d++)
            if (op_local_windowed(c, t, d) && !select_apart(c, d, mesh_list_size(c->from, op_local_list(c, t, d))))
                return "its windows cross parts";
    return NULL;
}

static bool select_local(op_local *e, ir_id *y)
{
    for (int t = 0; t < 2; t++) {
        bool any = false;
        for (int d = 0; d < IR_IN(e->e, t)->rank; d++) any |= op_local_windowed(&e->c, t, d);
        if (any && !e->bring(e, t, e->need[t])) return false;
    }
    return op_local_as_is(e, y);
}

const op_local_form op_local_select = { .rule = select_local, .windows = OP_LOCAL_OWN, .refuses = select_refuses };

const op_prim prim_select_and_scatter = {
    .name = "select_and_scatter",
    .doc = "a value per window goes to the place that the window selects",
    .hlo = "stablehlo.select_and_scatter",
    .call = "",
    .nin = 3,
    .nout = 1,
    .nsub = 2,
    .kernel = OP_REDUCE,
    .attr = sizeof(op_window_attr),
    .field = op_window_fields,
    .type = scatter_type,
    .rules = scatter_rules,
    .linear = scatter_linear,
    .partial = op_partial_none,
    .jvp = scatter_jvp,
    .transpose = scatter_transpose,
    .batch = scatter_batch,
    .decompose = op_decompose_none,
    .exchange = op_exchange_none,
    .ref = scatter_ref,
    .prog = op_prog_none,
    .local = &op_local_select,
    .cases = OP_CASES(
        "select_and_scatter f32[2,6,4,3], f32[2,3,2,3], 0 {window_dimensions=[1,2,2,1], window_strides=[1,2,2,1], "
        "base_dilations=[1,1,1,1], "
        "window_dilations=[1,1,1,1], padding_low=[0,0,0,0], padding_high=[0,0,0,0]} (a f32, b f32) { p = compare a, b "
        "{comparison_direction=ge}; "
        "return p } (a f32, b f32) { r = add a, b; return r }",
        "select_and_scatter f32[7,4], f32[4,4], 0 {window_dimensions=[3,1], window_strides=[2,1], "
        "base_dilations=[1,1], window_dilations=[1,1], "
        "padding_low=[1,0], padding_high=[1,0]} (a f32, b f32) { p = compare a, b {comparison_direction=ge}; "
        "return p } (a f32, b f32) "
        "{ r = add a, b; return r }",
        "select_and_scatter i32[6], i32[2], 5 {window_dimensions=[2], window_strides=[3], base_dilations=[1], "
        "window_dilations=[2], padding_low=[0], "
        "padding_high=[0]} (a i32, b i32) { p = compare a, b {comparison_direction=le}; return p } (a i32, "
        "b i32) { r = max a, b; "
        "return r }"),
};
