/* pass/decompose.c - rewrites equations without a kernel, in regions too, until none is left:
 * - by the primitive's .decompose: scan to while, remat, primitives whose reference is their decomposition, elementwise
 *   primitives without a scalar program;
 * - complex numbers as two reals;
 * - contractions, convolutions and reductions of narrow types (less than 16 bits): computed in the wide type, rounded
 *   once;
 * - a reduction with a recognised reducer whose initial value is not the identity: the initial value is combined with
 *   the result afterwards, since each part of a split reduction starts from the initial value, which must count
 *   once. */
#include "inner.h"
#include "../op/ops.h"

#include <string.h>

/* True if v is a constant equal to n, rounded to v's dtype, possibly cast to vary. e: any equation after v's
 * definition. */
static bool is_number(const ir_eqn *e, ir_id v, ir_num n)
{
    const ir_type *t = e->fn->type[v];
    char stored[16] = { 0 };
    const ir_box as = ir_box_dense(stored, t);
    ir_store(&as, NULL, n);
    for (const ir_eqn *d = ir_definition(e->fn, v); d && d->out == v; d = ir_definition(e->fn, v)) {
        if (d->op == &prim_const) return !memcmp(IR_ATTR(d, op_const_attr)->data.p, stored, (size_t)ir_bytes(t));
        if (d->op != &prim_to_varying) return false;
        v = d->in[0];
    }
    return false;
}

static bool starts_elsewhere(const ir_eqn *e)
{
    const mesh_reduce reduce = e->op == &prim_reduce && e->nin == 2 ? op_monoid(e->sub[0]) : MESH_NONE;
    return reduce != MESH_NONE && !is_number(e, e->in[1], op_identity_num(reduce, IR_IN(e, 1)->dtype));
}

/* True if e is a contraction, convolution or reduction of a narrow type, for which engines exist only in the wide type.
 * Other equations of narrow types are elementwise, are moves, or are run by the reference. */
static bool is_narrow(const ir_eqn *e)
{
    const bool product = e->op == &prim_dot_general || e->op == &prim_convolution;
    return e->nin && ir_is_narrow(IR_IN(e, 0)->dtype) &&
        (product || (e->op == &prim_reduce && e->nin == 2 && op_monoid(e->sub[0])));
}

static bool needs(const ir_eqn *e)
{
    if (is_narrow(e)) return true;
    if (starts_elsewhere(e)) return true;
    if (op_pairs(e)) return true;
    if (e->op->decompose == op_decompose_none) return false;
    return e->op == &prim_scan || e->op == &prim_remat || e->op->ref == op_ref_decomposed
           || (e->op->kernel == OP_MAP && (e->op->prog == op_prog_none || op_is_complex(IR_OUT(e, 0)->dtype)));
}

/* True if the region applies one primitive that is a reduction kind; such a region is not decomposed. */
static bool decompose_known_reducer(const ir_fn *region) { return op_monoid(region) != MESH_NONE; }

static bool decompose_any(const ir_fn *f)
{
    for (uint32_t k = 0; k < f->neqn; k++) {
        if (needs(&f->eqn[k])) return true;
        for (uint32_t i = 0; i < f->eqn[k].nsub; i++) if (!decompose_known_reducer(f->eqn[k].sub[i])
            && decompose_any(f->eqn[k].sub[i])) return true;
    }
    return false;
}

/* reduce(x, init) = reduce(x, identity) op init. */
static bool starts_later(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    const mesh_reduce reduce = op_monoid(e->sub[0]);
    const ir_id in[2] = { x[0], op_identity(b, reduce, IR_IN(e, 1)->dtype) };
    const ir_id r = in[1] ? ir_clone(b, e, in) : 0;
    const ir_id all[2] = { r, r ? op_broadcast(b, x[1], ir_typeof(b, r), 0, NULL) : 0 };
    return (*y = r ? ir_emit(b, e->sub[0]->eqn[0].op, NULL, 2, all, 0, NULL) : 0) != 0;
}

static bool decompose_wide(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    const tt_dtype as = ir_widened(IR_IN(e, 0)->dtype), to = IR_OUT(e, 0)->dtype, by = ir_is_narrow(to)
        ? ir_widened(to) : to;
    const ir_id in[2] = { op_convert(b, x[0], as), op_convert(b, x[1], as) };
    ir_id r = 0;
    if (e->op == &prim_dot_general) {
        op_dot_attr a = *IR_ATTR(e, op_dot_attr);
        a.preferred_element_type = by;
        r = op_dot(b, in[0], in[1], &a);
    } else if (e->op == &prim_convolution) {
        op_conv_attr a = *IR_ATTR(e, op_conv_attr);
        a.preferred_element_type = by;
        r = ir_emit(b, e->op, &a, 2, in, 0, NULL);
    } else {
        const ir_dims over = IR_ATTR(e, op_reduce_attr)->dimensions;
        r = op_reduce_dims(b, e->sub[0]->eqn[0].op, in[0], over.n, over.v);
        const ir_id all[2] = { r, r ? op_broadcast(b, in[1], ir_typeof(b, r), 0, NULL) : 0 };
        r = r ? ir_emit(b, e->sub[0]->eqn[0].op, NULL, 2, all, 0, NULL) : 0;
    }
    return r && (*y = op_convert(b, r, to)) != 0;
}

static ir_fn *once(base_arena *a, const ir_fn *f)
{
    ir_build *b = ir_begin(a, f->name, f->mesh);
    ir_id *map = IR_NEW(b, ir_id, f->nvalue + 1), *ret = IR_NEW(b, ir_id, f->nret + 1);
    for (uint32_t i = 1; i <= f->narg; i++) map[i] = ir_arg(b, f->type[i]);
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *e = &f->eqn[k];
        ir_id *x = IR_NEW(b, ir_id, e->nin + 1);
        ir_fn **sub = IR_NEW(b, ir_fn *, e->nsub + 1);
        for (uint32_t i = 0; i < e->nin; i++) x[i] = map[e->in[i]];
        ir_site(b, e->site);
        if (needs(e)) {
            if (!(is_narrow(e) ? decompose_wide : starts_elsewhere(e) ? starts_later : op_pairs(e) ? op_pair_apart
                  : e->op->decompose)(b, e, x,
                map + e->out))
                return NULL;
            continue;
        }
        for (uint32_t i = 0; i < e->nsub; i++) {
            sub[i] = !decompose_known_reducer(e->sub[i]) && decompose_any(e->sub[i]) ? once(a, e->sub[i]) : e->sub[i];
            if (!sub[i]) return NULL;
        }
        const ir_id y = ir_emit(b, e->op, e->attr, e->nin, x, e->nsub, sub);
        if (!y && e->nout) return NULL;
        for (uint32_t j = 0; j < e->nout; j++) map[e->out + j] = y + j;
    }
    for (uint32_t i = 0; i < f->nret; i++) ret[i] = map[f->ret[i]];
    ir_fn *g = ir_end(b, f->nret, ret);
    if (!g) return NULL;
    pass_like(g, f);
    return g;
}

ir_fn *pass_decompose(base_arena *a, const ir_fn *f)
{
    ir_fn *g = (ir_fn *)(uintptr_t)f;
    while (g && decompose_any(g)) g = once(a, g);
    return g;
}
