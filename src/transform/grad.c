/* transform/grad.c - reverse mode: the known part, then the transposed linear part, in one function.
 *
 * The two entries differ only in the cotangents of the transposed map: vjp has them as inputs, grad uses a one for the
 * loss. Unused values (aux results' tangents and their residuals) are pruned. */
#include "transform.h"

#include <string.h>

static bool check_wrt(base_site site, const char *what, const ir_fn *f, const bool *wrt)
{
    base_arena *const a = f->arena;
    for (uint32_t i = 0; i < f->narg; i++)
        if (wrt[i] && !transform_smooth(f->type[i + 1])) {
            base_fail(TT_EGRAD, site, "%s: input %u is %s, which has no derivative", what, i,
                      ir_type_text(a, f->type[i + 1]));
            return base_hint("differentiate with respect to floating-point inputs only, or convert the input");
        }
    return true;
}

static base_site site_of(const ir_fn *f, ir_id v)
{
    const ir_eqn *const e = ir_definition(f, v);
    return e ? e->site : NULL;
}

static bool check_loss(base_site site, const ir_fn *f)
{
    const ir_type *const t = f->nret ? f->type[f->ret[0]] : NULL;
    if (t && t->rank == 0 && ir_is_float(t->dtype)) return true;
    if (!t) return base_fail(TT_EGRAD, site, "grad: the function returns nothing");
    base_fail(TT_EGRAD, site, "grad: the loss must be one floating-point number, not %s", ir_type_text(f->arena, t));
    base_also(site_of(f, f->ret[0]), "the loss comes from here");
    return base_hint(t->rank ? "reduce the result with tt_mean or tt_sum, or use tt_vjp"
                             : "return a floating-point loss");
}

/* The linear part restricted to the results ret[]; a view, then pruned. */
static ir_fn *restricted(base_arena *a, const ir_fn *linear, uint32_t n, const ir_id *ret)
{
    ir_fn view = *linear;
    view.nret = n;
    view.ret = BASE_NEW(a, ir_id, n + 1);
    memcpy(view.ret, ret, n * sizeof *ret);
    return transform_prune(a, &view);
}

/* Emits known(in) and the transposed linear part on cotangents ct (one per smooth result of f, 0: zero). out: results
 * of f, cx: one per wrt input. */
static bool emit_vjp(ir_build *b, const ir_fn *f, const bool *wrt, const ir_id *in, const ir_id *ct, ir_id *out,
                     ir_id *cx)
{
    base_arena *const a = ir_build_arena(b);
    op_split s;
    if (!transform_linearize(a, f, wrt, NULL, &s)) return false;
    ir_id *const known = BASE_NEW(a, ir_id, s.known->nret + 1), *const arg = BASE_NEW(a, ir_id, s.nres + f->nret + 1);
    ir_id *const ret = BASE_NEW(a, ir_id, f->nret + 1);
    bool *const lin = BASE_NEW(a, bool, s.linear->narg + 1);
    uint32_t n = 0, from = 0, given = s.nres, smooth = 0;
    if (!ir_inline(b, s.known, in, known)) return false;
    memcpy(out, known, f->nret * sizeof *out);
    memcpy(arg, known + f->nret, s.nres * sizeof *arg);
    for (uint32_t j = 0; j < f->nret; j++) {
        const bool can = transform_smooth(f->type[f->ret[j]]);
        if (s.active[j] && ct[smooth]) ret[n++] = s.linear->ret[from], arg[given++] = ct[smooth];
        from += s.active[j];
        smooth += can;
    }
    for (uint32_t i = 0; i < s.linear->narg - s.nres; i++) lin[i] = true;
    ir_fn *const r = restricted(a, s.linear, n, ret), *const t = r ? transform_transpose(a, r, lin) : NULL;
    return t && ir_inline(b, t, arg, cx);
}

typedef enum { GRADS, VALUES_GRADS, VJP } mode;

static ir_fn *reverse_mode(base_arena *a, base_site site, const ir_fn *f, const bool *wrt, mode m)
{
    ir_build *const b = ir_begin(a, f->name, f->mesh);
    ir_id *const in = BASE_NEW(a, ir_id, f->narg + 1), *const ct = BASE_NEW(a, ir_id, f->nret + 1);
    ir_id *const out = BASE_NEW(a, ir_id, f->nret + 1), *const cx = BASE_NEW(a, ir_id, f->narg + 1);
    ir_id *const ret = BASE_NEW(a, ir_id, f->narg + f->nret + 1);
    uint32_t n = 0, grads = 0, smooth = 0;
    if (!check_wrt(site, m == VJP ? "vjp" : "grad", f, wrt) || (m != VJP && !check_loss(site, f))) return NULL;
    for (uint32_t i = 0; i < f->narg; i++) in[i] = ir_arg(b, f->type[i + 1]), grads += wrt[i];
    ir_site(b, site);
    for (uint32_t j = 0; j < f->nret; j++) {
        const ir_type *const t = f->type[f->ret[j]];
        if (m == VJP && transform_smooth(t)) ct[smooth++] = ir_arg(b, t);
        if (m != VJP && j == 0) ct[0] = op_as(b, op_ones(b, t), t);
    }
    if (!emit_vjp(b, f, wrt, in, ct, out, cx)) return NULL;
    if (m != GRADS) for (uint32_t j = 0; j < f->nret; j++) ret[n++] = out[j];
    for (uint32_t i = 0; i < grads; i++) ret[n++] = cx[i];
    if (m == GRADS) for (uint32_t j = 1; j < f->nret; j++) ret[n++] = out[j];
    ir_fn *const whole = ir_end(b, n, ret);
    return whole ? transform_prune(a, whole) : NULL;
}

ir_fn *transform_grad(base_arena *a, base_site site, const ir_fn *f, const bool *wrt)
{
    return reverse_mode(a, site, f, wrt, GRADS);
}

ir_fn *transform_value_and_grad(base_arena *a, base_site site, const ir_fn *f, const bool *wrt)
{
    return reverse_mode(a, site, f, wrt, VALUES_GRADS);
}

ir_fn *transform_vjp(base_arena *a, base_site site, const ir_fn *f, const bool *wrt)
{
    return reverse_mode(a, site, f, wrt, VJP);
}
