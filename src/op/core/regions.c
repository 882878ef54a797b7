/* op/core/regions.c - common to primitives with regions: checks of parameters, and a region's derivative or transpose
 * emitted in place. */
#include "../build.h"
#include "../ops.h"

bool op_takes(const ir_eqn *e, uint32_t sub, uint32_t n, const ir_type *const *x)
{
    const ir_fn *const f = e->sub[sub];
    if (f->narg != n)
        return base_fail(TT_ETYPE, e->site, "%s: region %u takes %u values; %u are given", e->op->name, sub, f->narg,
                         n);
    for (uint32_t i = 0; i < n; i++) {
        if (x[i] == f->type[i + 1]) continue;            /* types are interned */
        base_arena *const a = base_open();
        base_fail(TT_ETYPE, e->site, "%s: region %u takes %s as value %u; %s is given", e->op->name, sub,
                  ir_type_text(a, f->type[i + 1]), i, ir_type_text(a, x[i]));
        base_close(a);
        return false;
    }
    return true;
}

/* True if e's effect, which is none of its regions', must not happen again. */
static bool unwatched_happens_once(const ir_eqn *e)
{
    if (!e->op->ordered || e->op->watches) return false;
    base_fail(TT_EGRAD, e->site, "%s where a derivative computes values a second time: in a while loop, or in a remat",
              e->op->name);
    return base_hint("tt_pure_callback may be called again; or take the call out of the loop or of tt_remat"), true;
}

ir_fn *op_unwatched(ir_build *b, base_site site, ir_fn *f)
{
    if (!f->ordered) return f;
    ir_build *const d = ir_region(b, f->name);
    ir_id *const at = IR_NEW(b, ir_id, f->nvalue + 2), *const ret = IR_NEW(b, ir_id, f->nret + 1);
    for (uint32_t i = 1; i <= f->narg; i++) at[i] = ir_arg(d, f->type[i]);
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *const e = &f->eqn[k];
        ir_id *const x = IR_NEW(b, ir_id, e->nin + 1);
        ir_fn **const sub = IR_NEW(b, ir_fn *, e->nsub + 1);
        if (unwatched_happens_once(e)) return NULL;
        if (e->op->watches) continue;
        for (uint32_t i = 0; i < e->nin; i++) x[i] = at[e->in[i]];
        for (uint32_t i = 0; i < e->nsub; i++) if (!(sub[i] = op_unwatched(b, site, e->sub[i]))) return NULL;
        ir_site(d, e->site ? e->site : site);
        const ir_id first = ir_emit(d, e->op, e->attr, e->nin, x, e->nsub, sub);
        for (uint32_t j = 0; j < e->nout; j++) at[e->out + j] = first ? first + j : 0;
    }
    for (uint32_t j = 0; j < f->nret; j++) ret[j] = at[f->ret[j]];
    return ir_end(d, f->nret, ret);
}

ir_id op_ct(ir_build *b, ir_id ct, const ir_type *t) { return ct ? op_as(b, ct, t) : op_zeros_as(b, t); }

void op_jvp_inline(ir_build *b, ir_fn *f, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    bool *const in = IR_NEW(b, bool, f->narg + 1);
    op_split s;
    for (uint32_t i = 0; i < f->narg; i++) in[i] = dx[i] != 0;
    if (!op_lifts(b)->linearize(b, f, in, NULL, &s)) return;
    ir_id *const out = IR_NEW(b, ir_id, s.known->nret + 1), *const arg = IR_NEW(b, ir_id, s.linear->narg + 1);
    ir_id *const dout = IR_NEW(b, ir_id, s.linear->nret + 1);
    uint32_t n = 0;
    if (!ir_inline(b, s.known, x, out)) return;
    for (uint32_t i = 0; i < f->narg; i++) if (in[i]) arg[n++] = dx[i];
    for (uint32_t r = 0; r < s.nres; r++) arg[n++] = out[f->nret + r];
    if (!ir_inline(b, s.linear, arg, dout)) return;
    for (uint32_t j = 0, k = 0; j < f->nret; j++) y[j] = out[j], dy[j] = s.active[j] ? dout[k++] : 0;
}

void op_transpose_inline(ir_build *b, ir_fn *f, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    bool *const linear = IR_NEW(b, bool, f->narg + 1);
    ir_id *const arg = IR_NEW(b, ir_id, f->narg + f->nret + 1), *const out = IR_NEW(b, ir_id, f->narg + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->narg; i++) {
        linear[i] = !x[i];
        if (x[i]) arg[n++] = x[i];
    }
    ir_fn *const t = op_lifts(b)->transpose(b, f, linear);
    if (!t) return;
    for (uint32_t j = 0; j < f->nret; j++) arg[n++] = op_ct(b, ct[j], f->type[f->ret[j]]);
    if (!ir_inline(b, t, arg, out)) return;
    for (uint32_t i = 0, k = 0; i < f->narg; i++) if (linear[i]) cx[i] = out[k++];
}

/* ---- the reference of a primitive that is defined by its decomposition ---- */

typedef struct { const ir_eqn *e; const ir_box *x, *y; base_arena *arena; bool ok; } decomposed;

/* Box x extended to all of t, with zeros around x. The elements that depend on the zeros are not in the result's
 * box. */
static ir_box regions_padded(base_arena *a, const ir_box *x, const ir_type *t)
{
    bool all = true;
    for (int d = 0; d < t->rank; d++) all &= x->lo[d] <= 0 && x->lo[d] + x->n[d] >= t->dim[d];
    if (all) return *x;
    const ir_box w = ir_box_dense(BASE_NEW(a, char, (size_t)ir_bytes(t) + 1), t);
    ir_copy(x, &w);
    return w;
}

static void by_parts(void *arg)
{
    decomposed *const d = arg;
    const ir_eqn *const e = d->e;
    d->arena = base_open();
    ir_build *const b = ir_begin(d->arena, e->op->name, e->fn->mesh);
    ir_id *const in = BASE_NEW(d->arena, ir_id, e->nin + 1), *const out = BASE_NEW(d->arena, ir_id, e->nout + 1);
    ir_box *const x = BASE_NEW(d->arena, ir_box, e->nin + 1);
    ir_site(b, e->site);
    for (uint32_t i = 0; i < e->nin; i++) in[i] = ir_arg(b, IR_IN(e, i)),
        x[i] = regions_padded(d->arena, &d->x[i], IR_IN(e, i));
    if (!(op_pairs(e) ? op_pair_apart : e->op->decompose)(b, e, in, out)) return;
    const ir_fn *const f = ir_end(b, e->nout, out);
    d->ok = f && ir_eval(f, x, d->y);
}

bool op_ref_decomposed(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    decomposed d = { e, x, y, NULL, false };
    const uint64_t before = base_failures();
    const bool done = base_catch(by_parts, &d);
    base_close(d.arena);
    if (!done) base_unwind(0);
    return d.ok || (base_failures() == before && base_bug(e->site, "%s cannot be taken apart", e->op->name));
}

bool op_is_call(const op_prim *op)
{
    return op == &prim_call || op == &prim_custom_jvp || op == &prim_custom_vjp || op == &prim_remat;
}
