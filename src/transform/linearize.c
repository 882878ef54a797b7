/* transform/linearize.c - forward mode, and a function's split into a known and a linear part.
 *
 * One walk writes the joint function: every equation unchanged, followed by the equations that its primitive's jvp rule
 * emits for the tangents that reach it. An equation is linear if it depends on a tangent, and known otherwise. No
 * partial evaluation is needed, because the rules of loops and branches emit two equations, one known and one linear.
 *
 * Residuals are the known values that linear equations read. Constants, values that depend on constants alone, and
 * broadcasts (broadcast_in_dim) are not saved but recomputed. A residual that is an input is passed on, not copied. */
#include "transform.h"
#include "../op/ops.h"

#include <string.h>

/* ---- the joint function ---- */

/* gone: copies of equations with effects that a rule has replaced by others, by their first result, in order */
typedef struct { ir_build *b; const ir_fn *f; ir_id *y, *dy, *gone; uint32_t ngone; } joint;

static bool same_shape(const ir_type *x, const ir_type *y) { return x->dtype == y->dtype && ir_same_dims(x, y); }

/* True if v is a constant of zeros, perhaps broadcast or cast, which a user's rule returns for "no derivative". Such a
 * tangent is dropped, since no tangent is cheaper. */
static bool linearize_is_zero(const ir_build *b, ir_id v)
{
    for (;;) {
        const ir_eqn *const e = ir_def(b, v);
        if (!e) return false;
        if (e->op == &prim_const) {
            const op_const_attr *const a = e->attr;
            size_t k = 0;
            while (a->splat && k < a->data.bytes && !((const char *)a->data.p)[k]) k++;
            return a->splat && k == a->data.bytes;
        }
        if (e->op != &prim_broadcast_in_dim && e->op != &prim_to_varying && e->op != &prim_convert) return false;
        v = e->in[0];
    }
}

static bool joint_rule(joint *t, const ir_eqn *e)
{
    ir_build *const b = t->b;
    ir_id *const x = IR_NEW(b, ir_id, 2 * e->nin + 1), *const dx = x + e->nin;
    ir_id *const y = IR_NEW(b, ir_id, 2 * e->nout + 1), *const dy = y + e->nout;
    const uint64_t before = base_failures();
    for (uint32_t i = 0; i < e->nin; i++) x[i] = t->y[e->in[i]], dx[i] = t->dy[e->in[i]];
    for (uint32_t j = 0; j < e->nout; j++) y[j] = t->y[e->out + j];
    e->op->jvp(b, e, x, y, dx, dy);
    if (base_failures() != before) return false;
    for (uint32_t j = 0; j < e->nout; j++) {
        if (dy[j] && (!transform_smooth(IR_OUT(e, j)) || linearize_is_zero(b, dy[j]))) dy[j] = 0;
        if (dy[j] && !same_shape(ir_typeof(b, dy[j]), IR_OUT(e, j)))
            return base_bug(e->site, "%s: the tangent of result %u has not the type of the result", e->op->name, j);
        t->y[e->out + j] = y[j];
        t->dy[e->out + j] = dy[j];
    }
    return true;
}

static bool joint_walk(joint *t)
{
    for (uint32_t k = 0; k < t->f->neqn; k++) {
        const ir_eqn *const e = &t->f->eqn[k];
        bool active = false, smooth = false;
        for (uint32_t i = 0; i < e->nin; i++) active |= t->dy[e->in[i]] != 0;
        for (uint32_t j = 0; j < e->nout; j++) smooth |= transform_smooth(IR_OUT(e, j));
        if (!transform_copy(t->b, e, t->y)) return false;
        if (!active || !smooth) continue;
        const base_site site = ir_site(t->b, e->site);
        const ir_id copy = t->y[e->out];
        if (!joint_rule(t, e)) return false;
        if (ir_ordered(e) && t->y[e->out] != copy) t->gone[t->ngone++] = copy;
        ir_site(t->b, site);
    }
    return true;
}

/* The function without the copies that are gone: nothing reads them, and their effects would happen twice. */
static ir_fn *joint_without(base_arena *a, const ir_fn *g, const joint *t)
{
    ir_build *const b = ir_begin(a, g->name, g->mesh);
    ir_id *const at = BASE_NEW(a, ir_id, g->nvalue + 2), *const ret = BASE_NEW(a, ir_id, g->nret + 1);
    bool *const read = BASE_NEW(a, bool, g->nvalue + 2);
    uint32_t next = 0;
    for (uint32_t k = 0; k < g->neqn; k++)               /* a rule may read the results that it replaces */
        for (uint32_t i = 0; i < g->eqn[k].nin; i++) read[g->eqn[k].in[i]] = true;
    for (uint32_t i = 1; i <= g->narg; i++) at[i] = ir_arg(b, g->type[i]);
    for (uint32_t k = 0; k < g->neqn; k++) {
        const ir_eqn *const e = &g->eqn[k];
        const bool gone = next < t->ngone && e->nout && e->out == t->gone[next];
        bool kept = !gone;
        for (uint32_t j = 0; j < e->nout; j++) kept |= read[e->out + j];
        next += gone;
        if (kept && !transform_copy(b, e, at)) return NULL;
    }
    for (uint32_t j = 0; j < g->nret; j++) ret[j] = at[g->ret[j]];
    return ir_end(b, g->nret, ret);
}

/* (inputs, tangents of active inputs) -> (outputs, tangents that are not zero). has[j]: true if output j has a
 * tangent. */
static ir_fn *joint_of(base_arena *a, const ir_fn *f, const bool *active, const transform_context *c, bool *has)
{
    ir_build *const b = transform_begin(a, f, c);
    joint t = { b, f, BASE_NEW(a, ir_id, f->nvalue + 2), BASE_NEW(a, ir_id, f->nvalue + 2),
                BASE_NEW(a, ir_id, f->neqn + 1), 0 };
    ir_id *const ret = BASE_NEW(a, ir_id, 2 * f->nret + 1);
    uint32_t n = f->nret;
    for (uint32_t i = 1; i <= f->narg; i++) t.y[i] = ir_arg(b, f->type[i]);
    for (uint32_t i = 1; i <= f->narg; i++)
        if ((!active || active[i - 1]) && transform_smooth(f->type[i])) t.dy[i] = ir_arg(b, f->type[i]);
    if (!joint_walk(&t)) return NULL;
    for (uint32_t j = 0; j < f->nret; j++) {
        ret[j] = t.y[f->ret[j]];
        has[j] = t.dy[f->ret[j]] != 0;
        if (has[j]) ret[n++] = op_as(b, t.dy[f->ret[j]], f->type[f->ret[j]]);
    }
    ir_fn *const g = ir_end(b, n, ret);
    return g && t.ngone ? joint_without(a, g, &t) : g;
}

/* An equation that can only be transposed, not evaluated; NULL: there is none. */
static const ir_eqn *linearize_one_way(const ir_fn *f)
{
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *const e = &f->eqn[k];
        if (e->op == &prim_custom_linear) return e;
        for (uint32_t s = 0; s < e->nsub; s++) {
            const ir_eqn *const inner = linearize_one_way(e->sub[s]);
            if (inner) return inner;
        }
    }
    return NULL;
}

ir_fn *transform_jvp(base_arena *a, const ir_fn *f, const bool *active)
{
    bool *const has = BASE_NEW(a, bool, f->nret + 1);
    ir_fn *const g = joint_of(a, f, active, transform_open(a, NULL), has);
    if (!g) return NULL;
    ir_build *const b = ir_begin(a, f->name, f->mesh);
    ir_id *const in = BASE_NEW(a, ir_id, g->narg + 1), *const out = BASE_NEW(a, ir_id, g->nret + 1);
    ir_id *const ret = BASE_NEW(a, ir_id, 2 * f->nret + 1);
    uint32_t n = f->nret, from = f->nret;
    for (uint32_t i = 0; i < g->narg; i++) in[i] = ir_arg(b, g->type[i + 1]);
    if (!ir_inline(b, g, in, out)) return NULL;
    for (uint32_t j = 0; j < f->nret; j++) {
        const ir_type *const t = f->type[f->ret[j]];
        ret[j] = out[j];
        if (transform_smooth(t)) ret[n++] = has[j] ? out[from++] : op_zeros_as(b, t);
    }
    ir_fn *const whole = ir_end(b, n, ret), *const r = whole ? transform_prune(a, whole) : NULL;
    const ir_eqn *const e = r ? linearize_one_way(r) : NULL;
    if (!e) return r;
    base_fail(TT_EGRAD, e->site, "forward mode through a function that has only a rule for reverse mode");
    base_hint("give the function a rule with tt_custom_jvp, or use reverse mode");
    return NULL;
}

/* ---- the split ---- */

typedef struct {
    base_arena *a;
    const ir_fn *g;                                      /* the joint function */
    uint32_t nin, nout;                                  /* inputs; outputs that are not tangents */
    const ir_eqn **def;                                  /* [id]; NULL: argument */
    /* [id]: depends on a tangent; depends on constants only; is saved; is recomputed in the linear part; is needed by
     * the part under construction */
    bool *tangent, *constant, *residual, *recompute, *need;
    bool *linear, *known;                                /* [equation] */
} split;

static void split_colour(split *s)
{
    const ir_fn *const g = s->g;
    for (uint32_t i = s->nin + 1; i <= g->narg; i++) s->tangent[i] = true;
    for (uint32_t k = 0; k < g->neqn; k++) {
        const ir_eqn *const e = &g->eqn[k];
        bool tangent = false;
        bool constant = !e->op->ordered && !e->nsub && e->op->kernel != OP_HOST && e->op->kernel != OP_EXCHANGE;
        for (uint32_t i = 0; i < e->nin; i++) tangent |= s->tangent[e->in[i]], constant &= s->constant[e->in[i]];
        if (e->nin && e->op->kernel != OP_MAP && e->op->kernel != OP_MOVE) constant = false;
        for (uint32_t j = 0; j < e->nout; j++) {
            s->def[e->out + j] = e;
            s->tangent[e->out + j] = tangent;
            s->constant[e->out + j] = constant;
        }
        s->linear[k] = tangent;
        s->known[k] = !tangent;
    }
}

static void split_save(split *s, ir_id v)                /* a known value that the linear part reads */
{
    const ir_eqn *const e = s->def[v];
    if (s->residual[v] || s->recompute[v]) return;
    if (!e || !(s->constant[v] || e->op == &prim_broadcast_in_dim)) {
        s->residual[v] = true;
        return;
    }
    for (uint32_t j = 0; j < e->nout; j++) s->recompute[e->out + j] = true;
    for (uint32_t i = 0; i < e->nin; i++) split_save(s, e->in[i]);
}

static ir_fn *split_linear(split *s, const ir_fn *f, const bool *has, const bool *requested, bool *active)
{
    const ir_fn *const g = s->g;
    ir_build *const b = ir_begin(s->a, f->name, f->mesh);
    ir_id *const at = BASE_NEW(s->a, ir_id, g->nvalue + 2), *const ret = BASE_NEW(s->a, ir_id, f->nret + 1);
    uint32_t n = 0, from = s->nout;
    for (uint32_t i = s->nin + 1; i <= g->narg; i++) at[i] = ir_arg(b, g->type[i]);
    for (uint32_t v = 1; v <= g->nvalue; v++) if (s->residual[v]) at[v] = ir_arg(b, g->type[v]);
    for (uint32_t k = 0; k < g->neqn; k++) {
        const ir_eqn *const e = &g->eqn[k];
        bool used = s->linear[k] && ir_ordered(e);
        for (uint32_t j = 0; j < e->nout; j++)
            used |= s->linear[k] ? s->need[e->out + j] : s->recompute[e->out + j];
        if (used && !transform_copy(b, e, at)) return NULL;
    }
    for (uint32_t j = 0; j < f->nret; j++) {
        const ir_type *const t = f->type[f->ret[j]];
        const ir_id v = has[j] ? g->ret[from++] : 0;
        active[j] = v && s->tangent[v];
        if (active[j]) ret[n++] = at[v];
        else if (requested && requested[j] && transform_smooth(t)) ret[n++] = op_zeros_as(b, t), active[j] = true;
    }
    return ir_end(b, n, ret);
}

static ir_fn *split_known(split *s, const ir_fn *f, uint32_t *nres)
{
    const ir_fn *const g = s->g;
    ir_build *const b = ir_begin(s->a, f->name, f->mesh);
    ir_id *const at = BASE_NEW(s->a, ir_id, g->nvalue + 2), *const ret = BASE_NEW(s->a, ir_id, s->nout + g->nvalue + 1);
    uint32_t n = 0;
    memset(s->need, 0, (g->nvalue + 2) * sizeof *s->need);
    for (uint32_t j = 0; j < s->nout; j++) s->need[g->ret[j]] = true;
    for (uint32_t v = 1; v <= g->nvalue; v++) s->need[v] |= s->residual[v];
    transform_need(g, s->need, s->known);
    for (uint32_t i = 1; i <= s->nin; i++) at[i] = ir_arg(b, g->type[i]);
    for (uint32_t k = 0; k < g->neqn; k++) {
        const ir_eqn *const e = &g->eqn[k];
        if (s->known[k] && (ir_ordered(e) || (e->nout && s->need[e->out])) && !transform_copy(b, e, at)) return NULL;
    }
    for (uint32_t j = 0; j < s->nout; j++) ret[n++] = at[g->ret[j]];
    for (uint32_t v = 1; v <= g->nvalue; v++) if (s->residual[v]) ret[n++] = at[v];
    *nres = n - s->nout;
    return ir_end(b, n, ret);
}

bool transform_split(base_arena *a, const ir_fn *f, const bool *active, const bool *requested, transform_context *c,
                     op_split *out)
{
    bool *const has = BASE_NEW(a, bool, f->nret + 1), *const act = BASE_NEW(a, bool, f->nret + 1);
    const ir_fn *const g = joint_of(a, f, active, c, has);
    if (!g) return false;
    const size_t n = g->nvalue + 2, ne = g->neqn + 1;
    split s = { a,
                g,
                f->narg,
                f->nret,
                BASE_NEW(a, const ir_eqn *, n),
                BASE_NEW(a, bool, n),
                BASE_NEW(a, bool, n),
                BASE_NEW(a, bool, n),
                BASE_NEW(a, bool, n),
                BASE_NEW(a, bool, n),
                BASE_NEW(a, bool, ne),
                BASE_NEW(a, bool, ne) };
    split_colour(&s);
    for (uint32_t j = s.nout; j < g->nret; j++) s.need[g->ret[j]] = s.tangent[g->ret[j]];
    transform_need(g, s.need, s.linear);
    for (uint32_t k = 0; k < g->neqn; k++) {
        const ir_eqn *const e = &g->eqn[k];
        bool used = s.linear[k] && ir_ordered(e);
        for (uint32_t j = 0; j < e->nout; j++) used |= s.linear[k] && s.need[e->out + j];
        for (uint32_t i = 0; used && i < e->nin; i++) if (!s.tangent[e->in[i]]) split_save(&s, e->in[i]);
    }
    out->linear = split_linear(&s, f, has, requested, act);
    out->known = out->linear ? split_known(&s, f, &out->nres) : NULL;
    out->active = act;
    return out->known != NULL;
}

bool transform_linearize(base_arena *a, const ir_fn *f, const bool *active, const bool *requested, op_split *s)
{
    return transform_split(a, f, active, requested, transform_open(a, NULL), s);
}
