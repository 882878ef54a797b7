/* trace/call/custom.c - custom derivatives and remat: equations whose regions are the user's functions.
 *
 * A value that any of the regions captures becomes an operand of all regions, so that all are closed over the same
 * list; captures of a custom backward pass go through the residuals, and get no gradient. */
#include "../trace.h"
#include "../../op/ops.h"

#include <string.h>

#include "../inner.h"

/* The captures of all regions, and the rule in which some of them stand for f's results: operand ids from first on. */
typedef struct { fn_pool u; fn_rule rule; } custom_pool;

static ir_id custom_operand(const custom_pool *p, const trace_value *v, ir_id first)
{
    const int j = fn_rule_result(&p->rule, v);
    return first + (ir_id)(j < 0 ? fn_found(&p->u, v) : p->u.n + j);
}

static void custom_unite(custom_pool *p, const trace_closed *c)
{
    trace_value **captured = BASE_NEW(trace_top()->arena, trace_value *, c->ncaptured + 1);
    trace_closed some = *c;
    some.captured = captured, some.ncaptured = 0;
    for (int i = 0; i < c->ncaptured; i++)
        if (fn_rule_result(&p->rule, c->captured[i]) < 0) captured[some.ncaptured++] = c->captured[i];
    fn_unite(&p->u, &some);
}

/* Gives region r the results of f as further arguments, if the rule reads them. */
static void custom_results(ir_build *r, const custom_pool *p, const trace_closed *c)
{
    for (uint32_t j = 0; p->rule.result && j < c->fn->nret; j++) ir_arg(r, c->fn->type[c->fn->ret[j]]);
}

/* Inlines c's function into region r. r's arguments are n parameters, then all values in pool p; own: the ids of c's
 * own parameters. */
static bool inline_into(ir_build *r, const trace_closed *c, const ir_id *own, int nown, const custom_pool *p,
                        ir_id first, ir_id *out)
{
    ir_id *in = IR_NEW(r, ir_id, nown + c->ncaptured + 1);
    if (nown) memcpy(in, own, (size_t)nown * sizeof *in);
    for (int i = 0; i < c->ncaptured; i++) in[nown + i] = custom_operand(p, c->captured[i], first);
    return ir_inline(r, c->fn, in, out);
}

static ir_build *custom_region(const char *name, int n, const ir_type *const *type, const fn_pool *u)
{
    trace_frame *f = trace_top();
    ir_build *r = ir_begin(f->arena, base_intern(name), f->mesh);
    ir_site(r, NULL);
    for (int i = 0; i < n; i++) ir_arg(r, type[i]);
    for (int i = 0; u && i < u->n; i++) ir_arg(r, u->v[i]->type);
    return r;
}

static ir_id *counting(base_arena *a, int n, ir_id first)
{
    ir_id *id = BASE_NEW(a, ir_id, n + 1);
    for (int i = 0; i < n; i++) id[i] = first + (ir_id)i;
    return id;
}

/* Operands of the equation: the arguments' leaves, then the captures u. */
static ir_id *custom_operands(base_site site, int n, trace_value *const *args, const fn_pool *u)
{
    const int nleaf = fn_leaves(n, args);
    ir_id *in = BASE_NEW(trace_top()->arena, ir_id, nleaf + u->n + 1);
    if (!fn_operands(site, n, args, NULL, in)) return NULL;
    for (int i = 0; i < u->n; i++) if (!(in[nleaf + i] = trace_id(trace_top(), site, u->v[i]))) return NULL;
    return in;
}

static trace_value *custom_emit(base_site site, const op_prim *prim, const void *attr, const trace_closed *c,
                                uint32_t nin, const ir_id *in, uint32_t nsub, ir_fn *const *sub)
{
    ir_build *b = trace_top()->build;
    for (uint32_t i = 0; i < nsub; i++) if (!sub[i]) return NULL;
    ir_site(b, site);
    const ir_id y = ir_emit(b, prim, attr, nin, in, nsub, sub);
    return y || !c->fn->nret ? fn_opened(site, c->out, counting(trace_top()->arena, (int)c->fn->nret, y), c->weak)
                             : NULL;
}

trace_value *call_remat(base_site site, trace_fn *f, int n, trace_value *const *args)
{
    base_arena *a = trace_top()->arena;
    const fn_sig s = fn_sig_of(a, n, args);
    trace_closed c;
    if (!fn_close(site, f->key->f, &s, NULL, &c)) return NULL;
    ir_id *in = BASE_NEW(a, ir_id, c.fn->narg + 1);
    if (!fn_operands(site, n, args, &c, in)) return NULL;
    return custom_emit(site, op_find("remat"), &f->key->wrt, &c, c.fn->narg, in, 1, &c.fn);
}

/* A C number converted to type t where that is lossless; any other value unchanged. */
static ir_id number_fitted(ir_build *b, ir_id x, bool weak, const ir_type *t)
{
    return weak && x && trace_takes(t, ir_typeof(b, x), true) ? fn_fitted(b, x, t) : x;
}

/* Traces the rule g of f, whose first parameters are the operands of f. p->rule says then whether the rule reads f's
 * result. */
static bool close_rule(base_site site, trace_fn *f, trace_fn *g, const fn_sig *d, const fn_sig *s,
                       const trace_closed *c, custom_pool *p, trace_closed *out)
{
    int *leaf = BASE_NEW(trace_top()->arena, int, d->nleaf + 1);
    for (int i = 0; i < d->nleaf; i++) leaf[i] = i < s->nleaf ? i : -1;
    fn_rule_open(&p->rule, f, c, d->nleaf, leaf, s->nleaf);
    const bool ok = fn_close(site, g, d, NULL, out);
    fn_rule_close(&p->rule);
    return ok;
}

/* ---- custom_jvp ---- */

static fn_sig doubled(base_arena *a, const fn_sig *s)    /* (primals, tangents), as two tuples */
{
    fn_sig d = { 2, 2 * s->nleaf, BASE_NEW(a, const trace_tree *, 2), BASE_NEW(a, const ir_type *, 2 * s->nleaf + 1),
                 BASE_NEW(a, bool, 2 * s->nleaf + 1), BASE_NEW(a, base_site, 2 * s->nleaf + 1), NULL };
    d.tree[0] = d.tree[1] = trace_tuple_of(s->n, s->tree);
    for (int i = 0; i < s->nleaf; i++) {
        d.type[i] = d.type[s->nleaf + i] = s->type[i];
        d.site[i] = d.site[s->nleaf + i] = s->site[i];
        d.weak[i] = d.weak[s->nleaf + i] = s->weak[i];
    }
    return d;
}

static bool rule_shape(base_site site, const char *what, const trace_tree *rule, const trace_tree *want,
                       const char *second)
{
    if (rule->kind == TRACE_TUPLE && rule->n == 2) {
        if (trace_agree(rule->child[0], want)) return true;
        return trace_tree_differ(site, what, rule->child[0], want);
    }
    base_fail(TT_EGRAD, site, "%s must return (result, %s), not %s", what, second, trace_tree_text(trace_temp(), rule));
    return base_hint("return tt_tuple(result, %s)", second);
}

trace_value *call_custom_jvp(base_site site, trace_fn *f, int n, trace_value *const *args)
{
    base_arena *a = trace_top()->arena;
    const fn_sig s = fn_sig_of(a, n, args), d = doubled(a, &s);
    trace_closed c, r;
    custom_pool p = { 0 };
    trace_value *again;
    if (fn_rule_again(site, f, n, args, &again)) return again;
    if (!fn_close(site, f->key->f, &s, NULL, &c) || !close_rule(site, f, f->key->g, &d, &s, &c, &p, &r)) return NULL;
    if (!rule_shape(f->key->site, "the rule of tt_custom_jvp", r.out, c.out, "tangent")) return NULL;
    if (!trace_agree(r.out->child[1], c.out) &&
        !trace_tree_differ(f->key->site, "the tangent of tt_custom_jvp", r.out->child[1], c.out))
        return NULL;
    custom_unite(&p, &c);
    custom_unite(&p, &r);
    const fn_pool u = p.u;
    const uint32_t nin = (uint32_t)(s.nleaf + u.n);
    const int nret = (int)c.fn->nret;
    ir_build *fb = custom_region("f", s.nleaf, s.type, &u), *rb = custom_region("rule", s.nleaf, s.type, &u);
    custom_results(rb, &p, &c);
    ir_id *out = BASE_NEW(a, ir_id, nret + 1), *both = BASE_NEW(a, ir_id, r.fn->nret + 1),
          *own = counting(a, 2 * s.nleaf, 1);
    if (!inline_into(fb, &c, own, s.nleaf, &p, (ir_id)s.nleaf + 1, out)) return NULL;
    for (int i = 0; i < s.nleaf; i++) own[s.nleaf + i] = transform_smooth(s.type[i]) ? ir_arg(rb, s.type[i]) : 0;
    for (int i = 0; i < u.n; i++)
        if (transform_smooth(u.v[i]->type)) ir_arg(rb, u.v[i]->type); /* tangents of captures: not used */
    for (int i = 0; i < s.nleaf; i++) if (!own[s.nleaf + i]) own[s.nleaf + i] = op_zeros(rb, s.type[i]);
    if (!inline_into(rb, &r, own, 2 * s.nleaf, &p, (ir_id)s.nleaf + 1, both)) return NULL;
    int m = nret;
    for (int j = 0; j < nret; j++) {                     /* C numbers among the results take the function's types */
        const ir_type *t = c.fn->type[c.fn->ret[j]];
        both[j] = number_fitted(rb, both[j], r.weak[j], t);
        if (transform_smooth(t)) both[m++] = number_fitted(rb, both[nret + j], r.weak[nret + j], t);
    }
    ir_fn *sub[2] = { ir_end(fb, (uint32_t)nret, out), ir_end(rb, (uint32_t)m, both) };
    ir_id *in = custom_operands(site, n, args, &u);
    return in ? custom_emit(site, &prim_custom_jvp, NULL, &c, nin, in, 2, sub) : NULL;
}

/* ---- custom_tangent ---- */

static fn_sig tangent_sig(base_arena *a, const fn_sig *s, const trace_closed *c)     /* (primals, result, tangents) */
{
    const int nret = (int)c->fn->nret, n = 2 * s->nleaf + nret;
    fn_sig d = { 3, n, BASE_NEW(a, const trace_tree *, 3), BASE_NEW(a, const ir_type *, n + 1),
                 BASE_NEW(a, bool, n + 1), BASE_NEW(a, base_site, n + 1), NULL };
    d.tree[0] = d.tree[2] = trace_tuple_of(s->n, s->tree), d.tree[1] = c->out;
    for (int i = 0, k = 0; i < n; i++, k = i < s->nleaf ? i : i - s->nleaf - nret) {
        const int j = i - s->nleaf;
        const bool result = j >= 0 && j < nret;
        d.type[i] = result ? c->fn->type[c->fn->ret[j]] : s->type[k];
        d.site[i] = result ? NULL : s->site[k];
        d.weak[i] = result ? c->weak[j] : s->weak[k];
    }
    return d;
}

trace_value *call_custom_tangent(base_site site, trace_fn *f, int n, trace_value *const *args)
{
    base_arena *a = trace_top()->arena;
    const fn_sig s = fn_sig_of(a, n, args);
    trace_closed c, r;
    custom_pool p = { 0 };
    trace_value *again;
    if (fn_rule_again(site, f, n, args, &again)) return again;
    if (!fn_close(site, f->key->f, &s, NULL, &c)) return NULL;
    const fn_sig d = tangent_sig(a, &s, &c);
    if (!close_rule(site, f, f->key->g, &d, &s, &c, &p, &r)) return NULL;
    if (!trace_agree(r.out, c.out)
        && !trace_tree_differ(f->key->site, "the tangent of tt_custom_tangent", r.out, c.out)) return NULL;
    custom_unite(&p, &c);
    custom_unite(&p, &r);
    const fn_pool u = p.u;
    const int nret = (int)c.fn->nret, nin = s.nleaf + u.n;
    ir_build *fb = custom_region("f", s.nleaf, s.type, &u), *rb = custom_region("tangent", s.nleaf, s.type, &u);
    ir_id *out = BASE_NEW(a, ir_id, nret + 1), *given = BASE_NEW(a, ir_id, nret + 1), *own = counting(a, d.nleaf, 1);
    if (!inline_into(fb, &c, own, s.nleaf, &p, (ir_id)s.nleaf + 1, out)) return NULL;
    for (int j = 0; j < nret; j++) own[s.nleaf + j] = ir_arg(rb, d.type[s.nleaf + j]);
    ir_id *const tangent = own + s.nleaf + nret;
    for (int i = 0; i < s.nleaf; i++) tangent[i] = transform_smooth(s.type[i]) ? ir_arg(rb, s.type[i]) : 0;
    for (int i = 0; i < u.n; i++)
        if (transform_smooth(u.v[i]->type)) ir_arg(rb, u.v[i]->type); /* tangents of captures: not used */
    for (int i = 0; i < s.nleaf; i++) if (!tangent[i]) tangent[i] = op_zeros(rb, s.type[i]);
    if (!inline_into(rb, &r, own, d.nleaf, &p, (ir_id)s.nleaf + 1, given)) return NULL;
    uint32_t m = 0;
    for (int j = 0; j < nret; j++) {
        const ir_type *t = c.fn->type[c.fn->ret[j]];
        if (transform_smooth(t)) given[m++] = number_fitted(rb, given[j], r.weak[j], t);
    }
    ir_fn *sub[2] = { ir_end(fb, (uint32_t)nret, out), ir_end(rb, m, given) };
    ir_id *in = custom_operands(site, n, args, &u);
    return in ? custom_emit(site, &prim_custom_jvp, NULL, &c, (uint32_t)nin, in, 2, sub) : NULL;
}

/* ---- custom_vjp ---- */

/* The result of bwd, per argument: a tuple, or for one argument the cotangent itself. out[leaf]: id, 0: none given. */
static bool cotangents(base_site site, const fn_sig *s, const trace_closed *b, const ir_id *ids, ir_id *out)
{
    const trace_tree *t = b->out;
    const bool bare = s->n == 1 && trace_agree(t, s->tree[0]);
    if (!bare && (t->kind != TRACE_TUPLE || t->n != s->n)) {
        base_fail(TT_EGRAD, site, "bwd must return a tuple of %d cotangent%s, one per argument, not %s", s->n,
                  s->n == 1 ? "" : "s", trace_tree_text(trace_temp(), t));
        return base_hint("give tt_none() for an argument without a gradient");
    }
    for (int i = 0, at = 0; i < s->n; at += s->tree[i]->nleaf, i++) {
        const trace_tree *item = bare ? t : t->child[i];
        const int from = bare ? 0 : trace_leaf_from(t, i);
        if (item->kind == TRACE_TUPLE && !item->n) continue;
        if (!trace_agree(item, s->tree[i]))
            return trace_tree_differ(site, "a cotangent of bwd and its argument", item, s->tree[i]);
        for (int l = 0; l < item->nleaf; l++) {
            const ir_type *got = b->fn->type[b->fn->ret[from + l]], *want = s->type[at + l];
            const bool fits = ir_same_dims(got, want) && trace_takes(want, got, b->weak[from + l]);
            if (transform_smooth(want) && !fits) {
                base_fail(TT_EGRAD, site, "bwd gives a cotangent %s for argument %d, which is %s", trace_text(got), i,
                          trace_text(want));
                return false;
            }
            out[at + l] = ids[from + l];
        }
    }
    return true;
}

static fn_sig bwd_sig(base_arena *a, const trace_closed *w, const trace_closed *c)       /* (residuals, cotangent) */
{
    const int nres = w->out->child[1]->nleaf, n = nres + (int)c->fn->nret, from = w->out->child[0]->nleaf;
    fn_sig s = { 2,
                 n,
                 BASE_NEW(a, const trace_tree *, 2),
                 BASE_NEW(a, const ir_type *, n + 1),
                 BASE_NEW(a, bool, n + 1),
                 BASE_NEW(a, base_site, n + 1),
                 NULL };
    s.tree[0] = w->out->child[1];
    s.tree[1] = c->out;
    for (int i = 0; i < nres; i++) s.type[i] = w->fn->type[w->fn->ret[from + i]], s.weak[i] = w->weak[from + i];
    for (int j = 0; j < (int)c->fn->nret; j++) s.type[nres + j] = c->fn->type[c->fn->ret[j]];
    return s;
}

/* bwd (residuals, bwd's captures, cotangents of smooth results) -> cotangents of smooth operands. */
static ir_fn *bwd_region(base_site site, const fn_sig *s, const fn_sig *bs, const trace_closed *b,
                         const trace_closed *c, const fn_pool *u)
{
    base_arena *a = trace_top()->arena;
    const int nres = bs->tree[0]->nleaf, nret = (int)c->fn->nret;
    ir_build *r = custom_region("bwd", nres, bs->type, NULL);
    ir_id *own = BASE_NEW(a, ir_id, nres + nret + b->ncaptured + 1), *out = BASE_NEW(a, ir_id, b->fn->nret + 1);
    ir_id *ct = BASE_NEW(a, ir_id, s->nleaf + 1), *ret = BASE_NEW(a, ir_id, s->nleaf + u->n + 1);
    int n = 0;
    for (int i = 0; i < nres; i++) own[i] = (ir_id)i + 1;
    for (int i = 0; i < b->ncaptured; i++) own[nres + nret + i] = ir_arg(r, b->captured[i]->type);
    for (int j = 0; j < nret; j++)
        own[nres + j] = transform_smooth(bs->type[nres + j]) ? ir_arg(r, bs->type[nres + j]) : 0;
    for (int j = 0; j < nret; j++) if (!own[nres + j]) own[nres + j] = op_zeros(r, bs->type[nres + j]);
    if (!ir_inline(r, b->fn, own, out) || !cotangents(site, s, b, out, ct)) return NULL;
    for (int i = 0; i < s->nleaf; i++)
        if (transform_smooth(s->type[i]))
            ret[n++] = ct[i] ? fn_fitted(r, ct[i], s->type[i]) : op_zeros_as(r, s->type[i]);
    for (int i = 0; i < u->n; i++) if (transform_smooth(u->v[i]->type)) ret[n++] = op_zeros_as(r, u->v[i]->type);
    return ir_end(r, (uint32_t)n, ret);
}

/* Traces bwd; a residual that fwd has as an operand of f is that operand. */
static bool close_bwd(base_site site, trace_fn *f, const fn_sig *bs, const fn_sig *s, const trace_closed *c,
                      const trace_closed *w, custom_pool *p, trace_closed *out)
{
    int *leaf = BASE_NEW(trace_top()->arena, int, bs->nleaf + 1);
    const int from = w->out->child[0]->nleaf, nres = w->out->child[1]->nleaf;
    for (int i = 0; i < bs->nleaf; i++) {
        const ir_id at = i < nres ? w->fn->ret[from + i] : 0;
        leaf[i] = at && at <= (ir_id)s->nleaf ? (int)at - 1 : -1;
    }
    fn_rule_open(&p->rule, f, c, bs->nleaf, leaf, s->nleaf);
    const bool ok = fn_close(site, f->key->h, bs, NULL, out);
    fn_rule_close(&p->rule);
    return ok;
}

trace_value *call_custom_vjp(base_site site, trace_fn *f, int n, trace_value *const *args)
{
    base_arena *a = trace_top()->arena;
    const base_site line = f->key->site;
    const fn_sig s = fn_sig_of(a, n, args);
    trace_closed c, w, b;
    custom_pool p = { 0 };
    trace_value *again;
    if (fn_rule_again(site, f, n, args, &again)) return again;
    if (!fn_close(site, f->key->f, &s, NULL, &c) || !close_rule(site, f, f->key->g, &s, &s, &c, &p, &w)) return NULL;
    if (!rule_shape(line, "fwd of tt_custom_vjp", w.out, c.out, "residuals")) return NULL;
    const fn_sig bs = bwd_sig(a, &w, &c);
    if (!close_bwd(site, f, &bs, &s, &c, &w, &p, &b)) return NULL;
    custom_unite(&p, &c);
    custom_unite(&p, &w);
    custom_unite(&p, &b);
    const fn_pool u = p.u;
    const ir_id first = (ir_id)s.nleaf + 1;
    ir_id *own = counting(a, s.nleaf, 1), *out = BASE_NEW(a, ir_id, c.fn->nret + 1),
          *wide = BASE_NEW(a, ir_id, (int)w.fn->nret + b.ncaptured + 1);
    ir_build *fb = custom_region("f", s.nleaf, s.type, &u), *wb = custom_region("fwd", s.nleaf, s.type, &u);
    custom_results(wb, &p, &c);
    if (!inline_into(fb, &c, own, s.nleaf, &p, first, out) || !inline_into(wb, &w, own, s.nleaf, &p, first, wide))
        return NULL;
    for (uint32_t j = 0; j < c.fn->nret; j++)
        wide[j] = number_fitted(wb, wide[j], w.weak[j], c.fn->type[c.fn->ret[j]]);
    for (int i = 0; i < b.ncaptured; i++) wide[(int)w.fn->nret + i] = custom_operand(&p, b.captured[i], first);
    ir_fn *sub[3] = { ir_end(fb, c.fn->nret, out), ir_end(wb, w.fn->nret + (uint32_t)b.ncaptured, wide),
                      bwd_region(line, &s, &bs, &b, &c, &u) };
    ir_id *in = custom_operands(site, n, args, &u);
    return in ? custom_emit(site, &prim_custom_vjp, NULL, &c, (uint32_t)(s.nleaf + u.n), in, 3, sub) : NULL;
}

/* ---- stop ---- */

/* The derivative is a custom_jvp whose rule reads the result, so that the derivative of y keeps the equation: a second
 * derivative stops there too. */
static bool stop_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const ir_type *t = ir_typeof(b, in[0]);
    (void)env;
    if (!transform_smooth(t)) {
        out[0] = in[0];
        return true;
    }
    ir_build *f = ir_region(b, base_intern("stop")), *r = ir_region(b, base_intern("rule"));
    const ir_id x = ir_arg(f, t);
    for (int i = 0; i < 3; i++) ir_arg(r, t);            /* x, y and the tangent of x */
    const ir_id none = op_zeros_as(r, t);
    ir_fn *sub[2] = { ir_end(f, 1, &x), ir_end(r, 1, &none) };
    return (out[0] = ir_emit(b, &prim_custom_jvp, NULL, 1, in, 2, sub)) != 0;
}

static trace_value *stop_leaf(base_site site, trace_value *v, const void *env)
{
    trace_value *y = NULL;
    (void)env;
    if (v->form != TRACE_TRACED) return trace_ref(v);
    if (trace_do(site, stop_body, NULL, 0, 1, &v, 1, &y)) y->weak = v->weak;
    return y;
}

trace_value *trace_stop(base_site site, trace_value *v) { return trace_leafwise(site, v, stop_leaf, NULL); }
