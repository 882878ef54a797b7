/* op/coll/manual.c - a region that sees one device's part of each value (shard_map, pmap).
 *
 * Operand i is sharded by in_shardings[i] and the region's parameter has the local dims; the local results are
 * assembled to result j by out_shardings[j]. Dims must divide evenly.
 * - Checked: parameters vary over the atoms of their layout, and a result may vary only over the atoms that its layout
 *   names. Then transposes are exact: a value shared inside was cast by to_varying, whose transpose sums.
 * - Unchecked (pmap, shard_map with checks off): types have no states, and by convention cotangents of results that are
 *   claimed to be replicated are divided by the number of copies, and cotangents of replicated operands are summed at
 *   the region's boundary.
 *
 * Residuals leave the region stacked over the manual atoms, never as replicas; residuals that are operands are passed a
 * second time instead. */
#include "../build.h"
#include "../ops.h"

#include <string.h>

typedef op_manual_attr manual;

static mesh_set manual_set(const mesh *m, const manual *a) { return mesh_named(m, a->manual_axes.n, a->manual_axes.v); }

/* ---- types ---- */

static bool layout_fits(const ir_eqn *e, const char *what, uint32_t i, const mesh_layout *l, int rank)
{
    const mesh_set all = manual_set(e->fn->mesh, IR_ATTR(e, manual));
    if (!l) return base_fail(TT_EARG, e->site, "manual: %s %u has no layout", what, i);
    if (l->rank != rank)
        return base_fail(TT_ESPEC, e->site, "manual: %s %u has rank %d, its spec has %d dims", what, i, rank, l->rank);
    if (mesh_layout_vary(l) & ~all)
        return base_fail(TT_ESPEC, e->site, "manual: the spec of %s %u names an axis that is not manual here", what, i);
    return true;
}

/* The local type of operand i. NULL, with the error set: a dim does not divide evenly. */
static const ir_type *local_type(const ir_eqn *e, uint32_t i, const ir_type *t)
{
    const manual *a = IR_ATTR(e, manual);
    const mesh_layout *const l = a->in_shardings.v[i];
    int64_t dim[IR_RANK];
    for (int d = 0; d < t->rank; d++) {
        const int64_t parts = mesh_list_size(l->mesh, l->dim[d].atoms);
        if (t->dim[d] % parts) {
            base_fail(TT_ESHAPE, e->site, "operand %u: dim %d of size %lld does not divide into %lld equal parts", i, d,
                      (long long)t->dim[d], (long long)parts);
            base_hint("inside the region every device has a block of one shape: pad the dim, or leave it unsharded "
                      "('_')");
            return NULL;
        }
        dim[d] = t->dim[d] / parts;
    }
    const ir_type *const r = ir_type_as(t, t->dtype, t->rank, dim);
    return a->unchecked ? r : ir_type_vary(r, (mesh_set)(t->vary | mesh_layout_vary(l)));
}

static const ir_type *global_type(const ir_eqn *e, uint32_t j, const ir_type *t)
{
    const manual *a = IR_ATTR(e, manual);
    const mesh_layout *const l = a->out_shardings.v[j];
    const mesh_set all = manual_set(e->fn->mesh, a);
    const mesh_set more = (mesh_set)(t->vary & all & ~mesh_layout_vary(l));
    int64_t dim[IR_RANK];
    if (more && !a->unchecked) {
        for (int i = 0; i < a->manual_axes.n; i++)
            if (mesh_named(e->fn->mesh, 1, &a->manual_axes.v[i]) & more) {
                base_fail(TT_ESPEC, e->site,
                          "result %u varies over axis \"%s\", which its spec does not name", j,
                          a->manual_axes.v[i]);
                break;
            }
        base_hint("sum or average the result over that axis (tt_psum, tt_pmean), name the axis in .out, or give "
                  ".unchecked = 1");
        return NULL;
    }
    for (int d = 0; d < t->rank; d++) dim[d] = t->dim[d] * mesh_list_size(l->mesh, l->dim[d].atoms);
    return ir_type_vary(ir_type_as(t, t->dtype, t->rank, dim), (mesh_set)(t->vary & ~all));
}

static bool manual_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const manual *a = IR_ATTR(e, manual);
    const ir_fn *const f = e->sub[0];
    const ir_type *local[e->nin + 1];
    if (!e->fn->mesh) return base_fail(TT_EMESH, e->site, "manual: there is no mesh here");
    if (a->in_shardings.n != (int)e->nin || a->out_shardings.n != (int)f->nret)
        return base_fail(TT_ESPEC, e->site, "manual: %d and %d specs for %u operands and %u results", a->in_shardings.n,
                         a->out_shardings.n,
                         e->nin, f->nret);
    for (uint32_t i = 0; i < e->nin; i++)
        if (!layout_fits(e, "operand", i, a->in_shardings.v[i], x[i]->rank) ||
            !(local[i] = local_type(e, i, x[i]))) return false;
    if (!op_takes(e, 0, e->nin, local)) return false;
    for (uint32_t j = 0; j < f->nret; j++) {
        const ir_type *const t = f->type[f->ret[j]];
        if (!layout_fits(e, "result", j, a->out_shardings.v[j], t->rank) ||
            !(y[j] = global_type(e, j, t))) return false;
    }
    return true;
}

static void manual_edges(const ir_eqn *e, op_edges *t)    /* the layouts over atoms that stay automatic */
{
    const int nin = (int)e->nin;
    for (int i = 0; i < nin; i++) op_edge(t, i, OP_OPERAND, 0, i, 0), op_edge(t, i, OP_PARAM, 0, i, 0);
    for (int j = 0; j < (int)e->nout; j++)
        op_edge(t, nin + j, OP_RETURN, 0, j, 0), op_edge(t, nin + j, OP_RESULT, 0, j, 0);
}

/* ---- derivative ---- */

/* One residual: operand `from` passed a second time (from < nin), or a local value stacked over `over` (none: the value
 * is equal on all devices). */
typedef struct { uint32_t from; const ir_type *type; mesh_set over; const mesh_layout *layout; } residual;

static bool residual_of(ir_build *b, const ir_eqn *e, const ir_fn *known, ir_id v, residual *r)
{
    const manual *a = IR_ATTR(e, manual);
    const mesh *const m = e->fn->mesh;
    const mesh_set all = manual_set(m, a);
    *r = (residual){ v <= known->narg ? v - 1 : e->nin, known->type[v], 0, NULL };
    if (r->from < e->nin) {
        r->layout = a->in_shardings.v[r->from];
        return true;
    }
    r->over = a->unchecked ? all : (mesh_set)(r->type->vary & all);
    mesh_list *const dim = IR_NEW(b, mesh_list, IR_RANK + 1);
    if (r->over) dim[0] = mesh_set_list(r->over);
    if (r->type->rank == IR_RANK && r->over)
        return base_fail(TT_EGRAD, e->site, "manual: a residual of rank %d has no space for the devices' dim", IR_RANK);
    r->layout = mesh_layout_dims(m, r->type->rank + (r->over != 0), dim);
    return true;
}

static ir_id stacked(ir_build *b, ir_id v, bool stack)   /* adds or removes a dim 0 of size 1 */
{
    const ir_type *const t = ir_typeof(b, v);
    int64_t dim[IR_RANK + 1] = { 1 };
    if (stack) {
        if (t->rank) memcpy(dim + 1, t->dim, (size_t)t->rank * sizeof *dim);
        return op_reshape(b, v, t->rank + 1, dim);
    }
    return op_reshape(b, v, t->rank - 1, t->dim + 1);
}

static ir_fn *manual_known(ir_build *b, const ir_eqn *e, const op_split *s, const residual *r)
{
    ir_build *const d = ir_region(b, e->sub[0]->name);
    ir_id *const p = IR_NEW(b, ir_id, e->nin + 1), *const out = IR_NEW(b, ir_id, s->known->nret + 1);
    uint32_t n = e->nout;
    for (uint32_t i = 0; i < e->nin; i++) p[i] = ir_arg(d, s->known->type[i + 1]);
    if (!ir_inline(d, s->known, p, out)) return NULL;
    for (uint32_t i = 0; i < s->nres; i++)
        if (r[i].from == e->nin) out[n++] = r[i].over ? stacked(d, out[e->nout + i], true) : out[e->nout + i];
    return ir_end(d, n, out);
}

static ir_fn *manual_linear(ir_build *b, const ir_eqn *e, const op_split *s, const residual *r)
{
    ir_build *const d = ir_region(b, e->sub[0]->name);
    ir_id *const arg = IR_NEW(b, ir_id, s->linear->narg + 1), *const out = IR_NEW(b, ir_id, s->linear->nret + 1);
    const uint32_t nt = s->linear->narg - s->nres;
    int64_t dim[IR_RANK + 1] = { 1 };
    for (uint32_t i = 0; i < nt; i++) arg[i] = ir_arg(d, s->linear->type[i + 1]);
    for (uint32_t i = 0; i < s->nres; i++) {
        const ir_type *const t = r[i].type;
        const bool stack = r[i].from == e->nin && r[i].over;
        if (stack && t->rank) memcpy(dim + 1, t->dim, (size_t)t->rank * sizeof *dim);
        arg[nt + i] = ir_arg(d, stack ? ir_type_as(t, t->dtype, t->rank + 1, dim) : t);
    }
    for (uint32_t i = 0; i < s->nres; i++)
        if (r[i].from == e->nin && r[i].over) arg[nt + i] = stacked(d, arg[nt + i], false);
    if (!ir_inline(d, s->linear, arg, out)) return NULL;
    return ir_end(d, s->linear->nret, out);
}

static void manual_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    const manual *a = IR_ATTR(e, manual);
    bool *const act = IR_NEW(b, bool, e->nin + 1);
    op_split s;
    for (uint32_t i = 0; i < e->nin; i++) act[i] = dx[i] != 0;
    if (!op_lifts(b)->linearize(b, e->sub[0], act, NULL, &s)) return;
    residual *const r = IR_NEW(b, residual, s.nres + 1);
    const mesh_layout **const lin = IR_NEW(b, const mesh_layout *, e->nin + s.nres + 1);
    const mesh_layout **const lout = IR_NEW(b, const mesh_layout *, e->nout + s.nres + 1);
    ir_id *const op = IR_NEW(b, ir_id, e->nin + s.nres + 1);
    int nl = (int)e->nout, n = 0, nd = 0;
    if (e->nout) memcpy(lout, a->out_shardings.v, e->nout * sizeof *lout);
    for (uint32_t i = 0; i < s.nres; i++) {
        if (!residual_of(b, e, s.known, s.known->ret[e->nout + i], &r[i])) return;
        if (r[i].from == e->nin) lout[nl++] = r[i].layout;
    }
    ir_fn *const kbody = manual_known(b, e, &s, r), *const lbody = kbody ? manual_linear(b, e, &s, r) : NULL;
    const manual ka = { a->manual_axes, a->in_shardings, { nl, lout }, a->unchecked };
    const ir_id known = lbody ? ir_emit(b, e->op, &ka, e->nin, x, 1, &kbody) : 0;
    if (!known) return;
    for (uint32_t j = 0; j < e->nout; j++) y[j] = known + j;
    for (uint32_t i = 0; i < e->nin; i++) if (act[i]) lin[n] = a->in_shardings.v[i], op[n++] = dx[i];
    for (uint32_t i = 0, k = known + e->nout; i < s.nres; i++)
        lin[n] = r[i].layout, op[n++] = r[i].from < e->nin ? x[r[i].from] : k++;
    for (uint32_t j = 0; j < e->nout; j++) if (s.active[j]) lout[nd++] = a->out_shardings.v[j];
    const manual la = { a->manual_axes, { n, lin }, { nd, lout }, a->unchecked };
    if (!nd) return;
    const ir_id first = ir_emit(b, e->op, &la, (uint32_t)n, op, 1, &lbody);
    for (uint32_t j = 0, k = first; first && j < e->nout; j++) dy[j] = s.active[j] ? k++ : 0;
}

/* ---- transpose ---- */

/* Names of the manual axes that have an atom in the set. */
static ir_names manual_named(ir_build *b, const manual *a, mesh_set set)
{
    base_name *const v = IR_NEW(b, base_name, a->manual_axes.n + 1);
    int n = 0;
    for (int i = 0; i < a->manual_axes.n; i++)
        if (mesh_named(ir_build_fn(b)->mesh, 1, &a->manual_axes.v[i]) & set) v[n++] = a->manual_axes.v[i];
    return (ir_names){ n, v };
}

/* The cotangent of local result j as a parameter; ct_enters then adapts it at the region's boundary. */
static ir_id ct_param(ir_build *d, const ir_eqn *e, uint32_t j)
{
    const manual *a = IR_ATTR(e, manual);
    const ir_type *const t = e->sub[0]->type[e->sub[0]->ret[j]];
    return ir_arg(d, a->unchecked ? t : ir_type_vary(t, (mesh_set)(t->vary | mesh_layout_vary(a->out_shardings.v[j]))));
}

static ir_id ct_enters(ir_build *d, const ir_eqn *e, uint32_t j, ir_id ct)
{
    const manual *a = IR_ATTR(e, manual);
    const mesh *const m = e->fn->mesh;
    const ir_type *const t = e->sub[0]->type[e->sub[0]->ret[j]];
    const mesh_set cut = mesh_layout_vary(a->out_shardings.v[j]), more = (mesh_set)(cut & ~t->vary);
    if (a->unchecked) {
        const int64_t copies = mesh_set_size(m, (mesh_set)(manual_set(m, a) & ~cut));
        /* XLA divides in the same way. */
        return copies == 1 ? ct : op_mul(d, ct, op_splat(d, t, 1 / (double)copies));
    }
    /* If the result is sharded although all copies are equal, each copy contributes to the cotangent. */
    return more ? op_psum(d, ct, manual_named(d, a, more), false) : ct;
}

static ir_fn *manual_back(ir_build *b, const ir_eqn *e, ir_fn *t, const ir_id *x, const ir_id *ct)
{
    const manual *a = IR_ATTR(e, manual);
    const ir_fn *const f = e->sub[0];
    const mesh_set all = manual_set(e->fn->mesh, a);
    ir_build *const d = ir_region(b, f->name);
    ir_id *const p = IR_NEW(b, ir_id, e->nin + e->nout + 1), *const out = IR_NEW(b, ir_id, e->nin + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->nin; i++) if (x[i]) p[n++] = ir_arg(d, f->type[i + 1]);
    const uint32_t rest = n;
    for (uint32_t j = 0; j < e->nout; j++) if (ct[j]) p[rest + j] = ct_param(d, e, j);
    for (uint32_t j = 0; j < e->nout; j++)
        p[rest + j] = ct[j] ? ct_enters(d, e, j, p[rest + j]) : op_zeros_as(d, f->type[f->ret[j]]);
    if (!ir_inline(d, t, p, out)) return NULL;
    for (uint32_t i = 0, k = 0; i < e->nin; i++) {
        if (x[i]) continue;
        const mesh_set whole = (mesh_set)(all & ~mesh_layout_vary(a->in_shardings.v[i]));
        if (a->unchecked && whole) out[k] = op_psum(d, out[k], manual_named(d, a, whole), true);
        k++;
    }
    return ir_end(d, t->nret, out);
}

static void manual_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    const manual *a = IR_ATTR(e, manual);
    bool *const linear = IR_NEW(b, bool, e->nin + 1);
    for (uint32_t i = 0; i < e->nin; i++) linear[i] = !x[i];
    ir_fn *const t = op_lifts(b)->transpose(b, e->sub[0], linear);
    ir_fn *const body = t ? manual_back(b, e, t, x, ct) : NULL;
    if (!body) return;
    const mesh_layout **const in = IR_NEW(b, const mesh_layout *, e->nin + e->nout + 1);
    const mesh_layout **const out = IR_NEW(b, const mesh_layout *, e->nin + 1);
    ir_id *const op = IR_NEW(b, ir_id, e->nin + e->nout + 1);
    int n = 0, k = 0;
    for (uint32_t i = 0; i < e->nin; i++) if (x[i]) in[n] = a->in_shardings.v[i], op[n++] = x[i];
        else out[k++] = a->in_shardings.v[i];
    for (uint32_t j = 0; j < e->nout; j++) if (ct[j]) in[n] = a->out_shardings.v[j], op[n++] = ct[j];
    const manual back = { a->manual_axes, { n, in }, { k, out }, a->unchecked };
    const ir_id first = ir_emit(b, e->op, &back, (uint32_t)n, op, 1, &body);
    for (uint32_t i = 0, r = first; first && i < e->nin; i++) if (linear[i]) cx[i] = r++;
}

/* ---- mapping, and the definition ---- */

static void manual_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y,
                         bool *out)
{
    const manual *a = IR_ATTR(e, manual);
    const mesh_layout **const in = IR_NEW(b, const mesh_layout *, e->nin + 1);
    const mesh_layout **const to = IR_NEW(b, const mesh_layout *, e->nout + 1);
    memset(out, 0, e->nout);
    ir_fn *const f = op_lifts(b)->batch(b, e->sub[0], mapped, out, n);
    if (!f) return;
    for (uint32_t i = 0; i < e->nin; i++) in[i] = mapped[i] ? op_layout_wider(b, a->in_shardings.v[i],
        false) : a->in_shardings.v[i];
    for (uint32_t j = 0; j < e->nout; j++) to[j] = out[j] ? op_layout_wider(b, a->out_shardings.v[j],
        false) : a->out_shardings.v[j];
    const manual wide = { a->manual_axes, { (int)e->nin, in }, { (int)e->nout, to }, a->unchecked };
    const ir_id first = ir_emit(b, e->op, &wide, e->nin, x, 1, &f);
    for (uint32_t j = 0; j < e->nout; j++) y[j] = first + j;
}

/* The part of a global value that a member has, as a box of its own. */
static ir_box manual_part_of(const ir_box *whole, const mesh_layout *l, const uint32_t *coord)
{
    ir_box p = *whole;
    for (int d = 0; d < p.rank; d++) {
        int64_t lo, hi;
        mesh_range(l->mesh, l->dim[d].atoms, whole->n[d], coord, &lo, &hi);
        p.at = (char *)p.at + lo * p.step[d] * (int64_t)ir_dtype_of(p.dtype)->bytes;
        p.lo[d] = 0;
        p.n[d] = hi - lo;
    }
    return p;
}

typedef struct { const ir_eqn *e; const ir_box *x, *y; base_arena *arena; bool ok; } job;

static void manual_members(void *arg)
{
    job *const j = arg;
    const ir_eqn *const e = j->e;
    const manual *a = IR_ATTR(e, manual);
    const mesh *const m = e->fn->mesh;
    const mesh_set all = manual_set(m, a);
    const op_device_set c = { m, all, mesh_set_size(m, all) };
    j->arena = base_open();
    ir_box *const in = BASE_NEW(j->arena, ir_box, c.n * e->nin + 1);
    ir_box *const out = BASE_NEW(j->arena, ir_box, c.n * e->nout + 1);
    for (int64_t k = 0; k < c.n; k++) {
        uint32_t coord[MESH_ATOMS] = { 0 };
        mesh_instance_coord(m, all, k, coord);
        for (uint32_t i = 0; i < e->nin; i++) in[k * e->nin + i] = manual_part_of(&j->x[i], a->in_shardings.v[i],
            coord);
        for (uint32_t r = 0; r < e->nout; r++) {         /* of several copies the first is taken */
            ir_box *const to = &out[k * e->nout + r];
            const mesh_set cut = mesh_layout_vary(a->out_shardings.v[r]);
            *to = manual_part_of(&j->y[r], a->out_shardings.v[r], coord);
            for (int atom = 0; atom < m->natom; atom++)
                if ((all & ~cut) >> atom & 1 && coord[atom]) to->at = NULL;
        }
    }
    j->ok = op_lockstep(&c, e->sub[0], in, out);
}

static bool manual_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    job j = { e, x, y, NULL, false };
    const bool done = base_catch(manual_members, &j);
    base_close(j.arena);
    if (!done) base_unwind(0);
    return j.ok;
}

const op_prim prim_manual = {
    .name = "manual", .doc = "a region seen from one device", .hlo = "sdy.manual_computation", .call = "",
    .nin = -1, .nout = -1, .nsub = 1, .kernel = OP_CALL, .states = true,
    .attr = sizeof(manual), .field = OP_FIELDS(IR_FIELD(manual, manual_axes, IR_NAMES),
                                               IR_FIELD(manual, in_shardings, IR_LAYOUTS),
                                               IR_FIELD(manual, out_shardings, IR_LAYOUTS),
                                                   IR_FIELD(manual, unchecked, IR_BOOL)),
    .type = manual_type, .edges = manual_edges, .linear = op_nonlinear, .partial = op_partial_none,
    .jvp = manual_jvp, .transpose = manual_transpose, .batch = manual_batch, .decompose = op_decompose_none,
    .ref = manual_ref, .exchange = op_exchange_none, .prog = op_prog_none,
    .cases = OP_CASES("manual f32[4,3], f32[3] {manual_axes=[a], in_shardings=[\"a, _\", \"_\"], "
                      "out_shardings=[\"_\"], unchecked=true} "
                      "(x f32[2,3], y f32[3]) { s = slice x {start_indices=[0,0], limit_indices=[1,3], strides=[1,1]}; "
                      "r = reshape s {shape=[3]}; z = mul r, y; t = psum z {axes=[a], unchecked=true}; return t } on "
                      "a:2"),
};
