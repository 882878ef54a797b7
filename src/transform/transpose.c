/* transform/transpose.c - the transpose of a linear function: <T u, v> = <u, T' v>.
 *
 * Equations that read no linear value are copied: they are constants of the map. The others are walked backwards; each
 * primitive's transpose rule maps cotangents of results to cotangents of its linear operands, which are summed per
 * value. A value that no cotangent reaches has the id 0, which rules must handle. Cotangents have the types of the
 * values: in a checked manual region, casts to varying are equations of their own, whose transpose is the psum, so no
 * state is adjusted here. */
#include "transform.h"

#include <string.h>

typedef struct { ir_build *b; const ir_fn *f; bool *linear; ir_id *at, *ct; } reverse;

static bool transpose_fits(const ir_type *ct, const ir_type *t)
{
    return ct->dtype == t->dtype && ct->rank == t->rank && !(ct->vary & ~t->vary) &&
           (!t->rank || !memcmp(ct->dim, t->dim, (size_t)t->rank * sizeof *t->dim));
}

/* True if the equation is not a linear function of the linear values that it reads: only a rule that the user gives
 * (tt_custom_jvp, tt_custom_tangent) can produce such a tangent. */
static bool bent(const reverse *r, const ir_eqn *e)
{
    const op_linear l = e->op->linear(e);
    bool bad = e->op->transpose == op_transpose_none;
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->nin; i++) {
        if (!r->linear[e->in[i]]) continue;
        bad |= !transform_smooth(IR_IN(e, i)) || (l.kind != OP_NONLINEAR && i < 64 && !(l.in >> i & 1));
        n++;
    }
    return bad || (l.kind == OP_EACH && n > 1);
}

static bool reverse_rule(reverse *r, const ir_eqn *e)
{
    ir_build *const b = r->b;
    ir_id *const x = IR_NEW(b, ir_id, 2 * e->nin + 1), *const cx = x + e->nin,
                 *const ct = IR_NEW(b, ir_id, e->nout + 1);
    const uint64_t before = base_failures();
    bool any = false;
    for (uint32_t j = 0; j < e->nout; j++) ct[j] = r->ct[e->out + j], any |= ct[j] != 0;
    if (!any && !e->op->ordered) return true;            /* an effect on tangents has no place in reverse mode */
    if (bent(r, e)) {
        base_fail(TT_EGRAD, e->site, "%s: the tangent that a rule returns is no linear function of the rule's tangents",
                  e->op->name);
        return base_hint("a rule of tt_custom_jvp or tt_custom_tangent adds tangents, and multiplies them by what does "
                         "not depend on them");
    }
    for (uint32_t i = 0; i < e->nin; i++) x[i] = r->linear[e->in[i]] ? 0 : r->at[e->in[i]];
    e->op->transpose(b, e, x, ct, cx);
    if (base_failures() != before) return false;
    for (uint32_t i = 0; i < e->nin; i++) {
        if (x[i] || !cx[i]) continue;
        if (!transpose_fits(ir_typeof(b, cx[i]), IR_IN(e, i)))
            return base_bug(e->site, "%s: the cotangent of operand %u has not the type of the operand", e->op->name, i);
        r->ct[e->in[i]] = op_plus(b, r->ct[e->in[i]], op_as(b, cx[i], IR_IN(e, i)));
    }
    return base_failures() == before;
}

ir_fn *transform_reverse(base_arena *a, const ir_fn *f, const bool *linear, const transform_context *c)
{
    const size_t n = f->nvalue + 2;
    ir_build *const b = transform_begin(a, f, c);
    reverse r = { b, f, BASE_NEW(a, bool, n), BASE_NEW(a, ir_id, n), BASE_NEW(a, ir_id, n) };
    ir_id *const ct = BASE_NEW(a, ir_id, f->nret + 1), *const ret = BASE_NEW(a, ir_id, f->narg + 1);
    uint32_t nret = 0;
    for (uint32_t i = 1; i <= f->narg; i++) {
        r.linear[i] = linear[i - 1];
        if (!linear[i - 1]) r.at[i] = ir_arg(b, f->type[i]);
    }
    for (uint32_t j = 0; j < f->nret; j++) ct[j] = ir_arg(b, f->type[f->ret[j]]);
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *const e = &f->eqn[k];
        bool lin = false;
        for (uint32_t i = 0; i < e->nin; i++) lin |= r.linear[e->in[i]];
        for (uint32_t j = 0; j < e->nout; j++) r.linear[e->out + j] = lin;
        if (!lin && !transform_copy(b, e, r.at)) return NULL;
    }
    for (uint32_t j = 0; j < f->nret; j++)
        if (r.linear[f->ret[j]]) r.ct[f->ret[j]] = op_plus(b, r.ct[f->ret[j]], ct[j]);
    for (uint32_t k = f->neqn; k-- > 0;) {
        const ir_eqn *const e = &f->eqn[k];
        bool lin = false;
        for (uint32_t i = 0; i < e->nin; i++) lin |= r.linear[e->in[i]];
        if (!lin) continue;
        const base_site site = ir_site(b, e->site);
        if (!reverse_rule(&r, e)) return NULL;
        ir_site(b, site);
    }
    for (uint32_t i = 1; i <= f->narg; i++)
        if (linear[i - 1]) ret[nret++] = r.ct[i] ? op_as(b, r.ct[i], f->type[i]) : op_zeros_as(b, f->type[i]);
    ir_fn *const whole = ir_end(b, nret, ret);
    return whole ? transform_prune(a, whole) : NULL;
}

ir_fn *transform_transpose(base_arena *a, const ir_fn *f, const bool *linear)
{
    return transform_reverse(a, f, linear, transform_open(a, NULL));
}
