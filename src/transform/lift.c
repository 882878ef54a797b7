/* transform/lift.c - transforms that rules of structural primitives may request (lifts), and small shared functions.
 *
 * A loop differentiates its body until the set of active carries is stable, and the loops inside the body do the same.
 * A repeated request for the same body, `requested` and activity is answered from the transform's memo. */
#include "transform.h"

#include <string.h>

struct transform_memo {
    const ir_fn *fn;
    const bool *active, *requested;                      /* requested: all false if none are */
    op_split split;
    transform_memo *next;
};

bool transform_smooth(const ir_type *t) { return ir_dtype_of(t->dtype)->cls >= IR_FLOAT_CLASS; }

/* ---- lifts ---- */

static const bool *lift_kept(base_arena *a, const bool *v, uint32_t n)
{
    bool *const copy = BASE_NEW(a, bool, n + 1);
    if (v && n) memcpy(copy, v, n);
    return copy;
}

static bool lift_linearize(ir_build *b, ir_fn *f, const bool *active, const bool *requested, op_split *s)
{
    transform_context *const c = (transform_context *)ir_context(b);
    base_arena *const a = ir_build_arena(b);
    const bool *const act = lift_kept(a, active, f->narg), *const want = lift_kept(a, requested, f->nret);
    for (transform_memo *m = c->memo; m; m = m->next)
        if (m->fn == f && !memcmp(m->active, act, f->narg) && !memcmp(m->requested, want, f->nret)) {
            *s = m->split;
            return true;
        }
    if (!transform_split(a, f, act, want, c, s)) return false;
    transform_memo *const m = BASE_NEW(a, transform_memo, 1);
    *m = (transform_memo){ f, act, want, *s, c->memo };
    c->memo = m;
    return true;
}

static ir_fn *lift_transpose(ir_build *b, ir_fn *f, const bool *linear)
{
    return transform_reverse(ir_build_arena(b), f, linear, ir_context(b));
}

static ir_fn *lift_batch(ir_build *b, ir_fn *f, const bool *mapped, bool *out, int64_t n)
{
    return transform_map(ir_build_arena(b), f, mapped, out, n, ir_context(b));
}

static const op_lift lifts = { lift_linearize, lift_transpose, lift_batch };

transform_context *transform_open(base_arena *a, base_name axis)
{
    transform_context *const c = BASE_NEW(a, transform_context, 1);
    c->op = (op_context){ &lifts, axis };
    return c;
}

ir_build *transform_begin(base_arena *a, const ir_fn *like, const transform_context *c)
{
    ir_build *const b = ir_begin(a, like->name, like->mesh);
    ir_set_context(b, c);
    return b;
}

/* ---- copying ---- */

bool transform_copy(ir_build *b, const ir_eqn *e, ir_id *at)
{
    const uint64_t before = base_failures();
    ir_id *const x = IR_NEW(b, ir_id, e->nin + 1);
    const base_site site = ir_site(b, e->site);
    for (uint32_t i = 0; i < e->nin; i++) x[i] = at[e->in[i]];
    const ir_id first = ir_clone(b, e, x);
    for (uint32_t j = 0; j < e->nout; j++) at[e->out + j] = first + j;
    ir_site(b, site);
    return base_failures() == before;
}

void transform_need(const ir_fn *f, bool *need, const bool *only)
{
    for (uint32_t k = f->neqn; k-- > 0;) {
        const ir_eqn *const e = &f->eqn[k];
        bool used = ir_ordered(e);
        if (only && !only[k]) continue;
        for (uint32_t j = 0; j < e->nout; j++) used |= need[e->out + j];
        if (!used) continue;
        for (uint32_t j = 0; j < e->nout; j++) need[e->out + j] = true;
        for (uint32_t i = 0; i < e->nin; i++) need[e->in[i]] = true;
    }
}

ir_fn *transform_prune(base_arena *a, const ir_fn *f)
{
    ir_build *const b = ir_begin(a, f->name, f->mesh);
    bool *const need = BASE_NEW(a, bool, f->nvalue + 2);
    ir_id *const at = BASE_NEW(a, ir_id, f->nvalue + 2), *const ret = BASE_NEW(a, ir_id, f->nret + 1);
    for (uint32_t j = 0; j < f->nret; j++) need[f->ret[j]] = true;
    transform_need(f, need, NULL);
    for (uint32_t i = 1; i <= f->narg; i++) at[i] = ir_arg(b, f->type[i]);
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *const e = &f->eqn[k];
        if ((ir_ordered(e) || need[e->out]) && !transform_copy(b, e, at)) return NULL;
    }
    for (uint32_t j = 0; j < f->nret; j++) ret[j] = at[f->ret[j]];
    return ir_end(b, f->nret, ret);
}
