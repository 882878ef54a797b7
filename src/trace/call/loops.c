/* trace/call/loops.c - loops on values: scan, while, fori, from C functions to regions.
 *
 * A carry keeps its type from iteration to iteration. There are two exceptions, after which the body is traced once
 * more with the new type:
 * (a) a weak C number takes the type that the body returns;
 * (b) in a manual region a carry varies over the axes over which the body's result or a while's condition varies.
 * Values that a body captures become consts of a scan, or further carries of a while. At top level a loop is traced and
 * run as one program. */
#include "../trace.h"
#include "../../op/ops.h"

#include <string.h>

#include "../inner.h"

/* ---- carries ---- */

typedef struct {
    const char *what;
    const trace_tree *tree;
    int n;
    const ir_type **type;
    bool *weak;
    base_site *site;
} carries;

static carries carries_of(const char *what, trace_value *v)
{
    const fn_sig s = fn_sig_of(trace_top()->arena, 1, &v);
    return (carries){ what, v->tree, s.nleaf, s.type, s.weak, s.site };
}

/* Compares the body's results with its carries. *again: a carry's type has changed, and the body must be traced once
 * more. */
static bool loops_settle(base_site site, carries *c, const trace_tree *out, const trace_closed *body, int first,
    bool *again)
{
    if (!trace_agree(out, c->tree))
        return trace_tree_differ(site, base_format(trace_temp(), "%s: what goes in and what comes back", c->what),
                                 c->tree, out);
    for (int i = 0; i < c->n; i++) {
        const ir_type *in = c->type[i], *y = body->fn->type[body->fn->ret[first + i]];
        const bool wy = body->weak[first + i];
        const trace_dtype a = { in->dtype, c->weak[i] }, b = { y->dtype, wy }, both = trace_join(a, b);
        const bool grows = !ir_same_dims(in, y), foreign = c->weak[i] ? !both.dtype : !trace_takes(in, y, wy);
        if (grows || foreign) {
            const char *path = trace_leaf_path(trace_temp(), c->tree, i);
            base_fail(grows ? TT_ESHAPE : TT_ETYPE, site, "%s: the carry%s%s begins as %s and is returned as %s",
                      c->what, *path ? ", leaf " : "", path, trace_text(in), trace_text(y));
            base_also(c->site[i], "%s", trace_text(in));
            return base_hint(grows ? "a carry keeps its shape from iteration to iteration"
                                   : "convert the first carry, or what the body returns, with tt_cast");
        }
        const ir_type *t = ir_type_vary(ir_type_as(in, c->weak[i] ? both.dtype : in->dtype, in->rank, in->dim),
                                        (mesh_set)(in->vary | y->vary));
        c->weak[i] = c->weak[i] && wy;
        if (t == in) continue;
        c->type[i] = t;
        *again = true;
    }
    return true;
}

static bool operands_fitted(base_site site, trace_value *v, const carries *c, ir_id *out)
{
    trace_frame *f = trace_top();
    for (int i = 0; i < c->n; i++) {
        const ir_id x = trace_id(f, site, trace_leaf_of(v, i));
        ir_site(f->build, site);
        if (!x || !(out[i] = fn_fitted(f->build, x, c->type[i]))) return false;
    }
    return true;
}

/* ---- scan ---- */

static int64_t loops_rows_of(base_site site, trace_value *xs, int64_t length)
{
    int64_t n = length;
    for (int l = 0; l < trace_nleaf(xs); l++) {
        const trace_value *v = trace_leaf_of(xs, l);
        const char *path = trace_leaf_path(trace_temp(), xs->tree, l);
        if (!v->type->rank || (n >= 0 && v->type->dim[0] != n)) {
            if (!v->type->rank)
                base_fail(TT_ESHAPE, site, "scan: xs%s%s is %s, which has no dim 0 to go over",
                          *path ? ", leaf " : "", path, trace_type_text(trace_temp(), v));
            else
                base_fail(TT_ESHAPE, site, "scan: xs%s%s has %lld rows, not %lld", *path ? ", leaf " : "", path,
                          (long long)v->type->dim[0], (long long)n);
            trace_cite(v);
            return -1;
        }
        n = v->type->dim[0];
    }
    if (n > INT32_MAX) {
        base_fail(TT_EARG, site, "scan: %lld iterations; at most 2^31 - 1 are allowed", (long long)n);
        return -1;
    }
    if (n < 0) {
        base_fail(TT_EARG, site, "scan: the number of iterations is not given");
        base_hint("give .length, or xs, whose rows are counted");
    }
    return n;
}

static bool scan_returns(base_site site, const trace_closed *c)
{
    if (c->out->kind == TRACE_TUPLE && c->out->n == 2) return true;
    base_fail(TT_ETREE, site, "scan: the body must return (carry, y), not %s",
              c->out->kind == TRACE_LEAF ? "an array" : trace_tree_text(trace_temp(), c->out));
    return base_hint("return tt_tuple(carry, tt_none()) when there is no y");
}

/* (consts, carry, x) -> (carry, y) from the closed (carry, x, consts). */
static ir_fn *scan_region(const trace_closed *c, const carries *k, int nx, const ir_type *const *x)
{
    trace_frame *f = trace_top();
    ir_build *r = ir_begin(f->arena, c->fn->name, f->mesh);
    const int nc = c->ncaptured;
    ir_id *in = IR_NEW(r, ir_id, c->fn->narg + 1), *out = IR_NEW(r, ir_id, c->fn->nret + 1);
    for (int i = 0; i < nc; i++) in[k->n + nx + i] = ir_arg(r, c->captured[i]->type);
    for (int i = 0; i < k->n; i++) in[i] = ir_arg(r, k->type[i]);
    for (int i = 0; i < nx; i++) in[k->n + i] = ir_arg(r, x[i]);
    if (!ir_inline(r, c->fn, in, out)) return NULL;
    for (int i = 0; i < k->n; i++) out[i] = fn_fitted(r, out[i], k->type[i]);
    return ir_end(r, c->fn->nret, out);
}

static trace_value *scan_result(base_site site, const trace_closed *c, const carries *k, ir_id first)
{
    base_arena *a = trace_top()->arena;
    ir_id *ids = BASE_NEW(a, ir_id, c->fn->nret + 1);
    bool *weak = BASE_NEW(a, bool, c->fn->nret + 1);
    for (uint32_t j = 0; j < c->fn->nret; j++) ids[j] = first + j, weak[j] = (int)j < k->n && k->weak[j];
    trace_value *carry = fn_opened(site, k->tree, ids, weak), *ys = fn_opened(site, c->out->child[1], ids + k->n, NULL);
    trace_value *y = carry && ys ? fn_tuple(site, 2, (trace_value *[]){ carry, ys }) : NULL;
    trace_unref(carry);
    trace_unref(ys);
    return y;
}

static trace_value *scan_here(base_site site, trace_fn *f, trace_value *carry, trace_value *xs, int64_t length,
                              bool reverse)
{
    trace_frame *top = trace_top();
    base_arena *a = top->arena;
    const int64_t n = loops_rows_of(site, xs, length);
    if (n < 0) return NULL;
    carries k = carries_of("scan", carry);
    fn_sig s = fn_sig_of(a, 2, (trace_value *[]){ carry, xs });
    const int nx = s.nleaf - k.n;
    trace_closed c;
    bool again = true;
    for (int i = k.n; i < s.nleaf; i++)
        s.layout[i] = fn_without(s.layout[i], 0),
        s.type[i] = ir_type_as(s.type[i], s.type[i]->dtype, s.type[i]->rank - 1, s.type[i]->dim + 1);
    while (again) {
        again = false;
        for (int i = 0; i < k.n; i++) s.type[i] = k.type[i], s.weak[i] = k.weak[i];
        if (!fn_close(site, f, &s, NULL, &c) || !scan_returns(site, &c) ||
            !loops_settle(site, &k, c.out->child[0], &c, 0, &again))
            return NULL;
    }
    ir_fn *body = scan_region(&c, &k, nx, s.type + k.n);
    ir_id *in = BASE_NEW(a, ir_id, c.fn->narg + 1);
    if (!body || !fn_captured(site, &c, in) || !operands_fitted(site, carry, &k, in + c.ncaptured)) return NULL;
    if (!fn_operands(site, 1, &xs, NULL, in + c.ncaptured + k.n)) return NULL;
    const op_scan_attr attr = { n, c.ncaptured, k.n, reverse };
    ir_site(top->build, site);
    const ir_id y = ir_emit(top->build, &prim_scan, &attr, c.fn->narg, in, 1, &body);
    return y || !c.fn->nret ? scan_result(site, &c, &k, y) : NULL;
}

/* ---- fori: a scan of (i, state) without xs ---- */

static ir_fn *fori_region(const trace_closed *c, const carries *k)
{
    trace_frame *f = trace_top();
    ir_build *r = ir_begin(f->arena, c->fn->name, f->mesh);
    ir_id *in = IR_NEW(r, ir_id, c->fn->narg + 1), *out = IR_NEW(r, ir_id, c->fn->nret + 2);
    for (int i = 0; i < c->ncaptured; i++) in[1 + k->n + i] = ir_arg(r, c->captured[i]->type);
    in[0] = ir_arg(r, ir_type_of(TT_I32, 0, NULL));
    for (int i = 0; i < k->n; i++) in[1 + i] = ir_arg(r, k->type[i]);
    out[0] = op_add(r, in[0], op_int(r, TT_I32, 1));
    if (!ir_inline(r, c->fn, in, out + 1)) return NULL;
    for (int i = 0; i < k->n; i++) out[1 + i] = fn_fitted(r, out[1 + i], k->type[i]);
    return ir_end(r, c->fn->nret + 1, out);
}

static trace_value *fori_here(base_site site, int64_t lo, int64_t hi, trace_fn *f, trace_value *state)
{
    trace_frame *top = trace_top();
    base_arena *a = top->arena;
    carries k = carries_of("fori", state);
    trace_value *i0 = trace_abstract(site, ir_type_of(TT_I32, 0, NULL), NULL, false);
    fn_sig s = fn_sig_of(a, 2, (trace_value *[]){ i0, state });
    trace_closed c;
    bool again = true;
    trace_unref(i0);
    while (again) {
        again = false;
        for (int i = 0; i < k.n; i++) s.type[1 + i] = k.type[i], s.weak[1 + i] = k.weak[i];
        if (!fn_close(site, f, &s, NULL, &c) || !loops_settle(site, &k, c.out, &c, 0, &again)) return NULL;
    }
    ir_fn *body = fori_region(&c, &k);
    ir_id *in = BASE_NEW(a, ir_id, c.fn->narg + 1), *out = BASE_NEW(a, ir_id, k.n + 1);
    if (!body || !fn_captured(site, &c, in) || !operands_fitted(site, state, &k, in + c.ncaptured + 1)) return NULL;
    in[c.ncaptured] = op_int(top->build, TT_I32, lo);
    const op_scan_attr attr = { hi > lo ? hi - lo : 0, c.ncaptured, k.n + 1, false };
    ir_site(top->build, site);
    const ir_id y = ir_emit(top->build, &prim_scan, &attr, c.fn->narg, in, 1, &body);
    for (int i = 0; i < k.n; i++) out[i] = y + 1 + (ir_id)i;
    return y ? fn_opened(site, k.tree, out, k.weak) : NULL;
}

/* ---- while ---- */

/* (values of u, state) -> results of c; if `all`, the values of u are returned before them. */
static ir_fn *with_pool(const trace_closed *c, const fn_pool *u, int n, const ir_type *const *type, bool all)
{
    trace_frame *f = trace_top();
    ir_build *r = ir_begin(f->arena, c->fn->name, f->mesh);
    ir_id *in = IR_NEW(r, ir_id, n + c->ncaptured + 1), *out = IR_NEW(r, ir_id, u->n + (int)c->fn->nret + 1);
    const int before = all ? u->n : 0;
    for (int i = 0; i < u->n; i++) ir_arg(r, u->v[i]->type);
    for (int i = 0; i < n; i++) in[i] = ir_arg(r, type[i]);
    for (int i = 0; i < c->ncaptured; i++) in[n + i] = (ir_id)fn_found(u, c->captured[i]) + 1;
    for (int i = 0; i < before; i++) out[i] = (ir_id)i + 1;
    if (!ir_inline(r, c->fn, in, out + before)) return NULL;
    for (int i = 0; all && i < n; i++) out[before + i] = fn_fitted(r, out[before + i], type[i]);
    return ir_end(r, c->fn->nret + (uint32_t)before, out);
}

static bool is_test(base_site site, const trace_closed *c)
{
    const ir_type *t = c->out->kind == TRACE_LEAF ? c->fn->type[c->fn->ret[0]] : NULL;
    if (t && t->dtype == TT_BOOL && !t->rank) return true;
    base_fail(TT_ETYPE, site, "while: the condition must return one bool, not %s",
              t ? trace_text(t) : trace_tree_text(trace_temp(), c->out));
    return base_hint("a condition comes from a comparison: tt_lt(i, n); tt_all(...) makes one of several");
}

/* Where the condition varies, the devices end at different iterations, so all carries vary that the body changes. True
 * if one of them did not vary before. */
static bool ends_apart(carries *k, const trace_closed *cond, const trace_closed *body)
{
    const mesh_set vary = cond->fn->type[cond->fn->ret[0]]->vary;
    bool grew = false;
    for (int i = 0; i < k->n; i++) {
        if (op_invariant(body->fn, (uint32_t)i) || !(vary & ~k->type[i]->vary)) continue;
        k->type[i] = ir_type_vary(k->type[i], (mesh_set)(k->type[i]->vary | vary));
        grew = true;
    }
    return grew;
}

static trace_value *while_here(base_site site, trace_fn *cond, trace_fn *body, trace_value *state)
{
    trace_frame *top = trace_top();
    base_arena *a = top->arena;
    carries k = carries_of("while", state);
    fn_sig s = fn_sig_of(a, 1, &state);
    trace_closed c, w;
    fn_pool u = { 0 };
    bool again = true;
    while (again) {
        again = false;
        for (int i = 0; i < k.n; i++) s.type[i] = k.type[i], s.weak[i] = k.weak[i];
        if (!fn_close(site, body, &s, NULL, &w) || !loops_settle(site, &k, w.out, &w, 0, &again)) return NULL;
        if (again) continue;
        if (!fn_close(site, cond, &s, NULL, &c) || !is_test(site, &c)) return NULL;
        again = ends_apart(&k, &c, &w);
    }
    fn_unite(&u, &c);
    fn_unite(&u, &w);
    ir_fn *sub[2] = { with_pool(&c, &u, k.n, k.type, false), with_pool(&w, &u, k.n, k.type, true) };
    ir_id *in = BASE_NEW(a, ir_id, u.n + k.n + 1), *out = BASE_NEW(a, ir_id, k.n + 1);
    for (int i = 0; i < u.n; i++) if (!(in[i] = trace_id(top, site, u.v[i]))) return NULL;
    if (!sub[0] || !sub[1] || !operands_fitted(site, state, &k, in + u.n)) return NULL;
    ir_site(top->build, site);
    const ir_id y = ir_emit(top->build, &prim_while, NULL, (uint32_t)(u.n + k.n), in, 2, sub);
    for (int i = 0; i < k.n; i++) out[i] = y + (ir_id)(u.n + i);
    return y ? fn_opened(site, k.tree, out, k.weak) : NULL;
}

/* ---- at top level: the loop as a function that is traced and run ---- */

typedef struct {
    base_site site;
    trace_fn *f, *g;
    int64_t length, lo, hi;
    int reverse;
    enum { SCAN, WHILE, FORI } kind;
} loop_env;

static tt_val loop_traced(void *env, int n, const tt_val *x)
{
    const loop_env *l = env;
    trace_value *v[2], *y = NULL;
    for (int i = 0; i < n; i++) if (!(v[i] = trace_get(l->site, x[i]))) return trace_poison;
    if (l->kind == SCAN) y = scan_here(l->site, l->f, v[0], v[1], l->length, l->reverse != 0);
    if (l->kind == WHILE) y = while_here(l->site, l->f, l->g, v[0]);
    if (l->kind == FORI) y = fori_here(l->site, l->lo, l->hi, l->f, v[0]);
    return y ? trace_handle(y) : trace_poison;
}

static trace_value *loop_run(const char *name, const loop_env *l, int n, trace_value *const *args)
{
    trace_fn *f = trace_fn_get(l->site, trace_fn_env(name, loop_traced, (void *)(uintptr_t)l, sizeof *l, n));
    return f ? jit_run(l->site, f, n, args, false) : NULL;
}

trace_value *trace_scan(base_site site, trace_fn *f, trace_value *carry, trace_value *xs, int64_t length, bool reverse)
{
    loop_env l;
    if (trace_top()) return scan_here(site, f, carry, xs, length, reverse);
    memset(&l, 0, sizeof l);
    l.site = site, l.f = f, l.length = length, l.reverse = reverse, l.kind = SCAN;
    return loop_run("scan", &l, 2, (trace_value *[]){ carry, xs });
}

trace_value *trace_while(base_site site, trace_fn *cond, trace_fn *body, trace_value *state)
{
    loop_env l;
    if (trace_top()) return while_here(site, cond, body, state);
    memset(&l, 0, sizeof l);
    l.site = site, l.f = cond, l.g = body, l.kind = WHILE;
    return loop_run("while", &l, 1, &state);
}

trace_value *trace_fori(base_site site, int64_t lo, int64_t hi, trace_fn *body, trace_value *state)
{
    loop_env l;
    if (lo < INT32_MIN || hi > INT32_MAX || (hi > lo && hi - lo > INT32_MAX)) {
        base_fail(TT_EARG, site, "fori: from %lld to %lld; bounds and the number of iterations have at most 32 bits",
                  (long long)lo, (long long)hi);
        return NULL;
    }
    if (trace_top()) return fori_here(site, lo, hi, body, state);
    memset(&l, 0, sizeof l);
    l.site = site, l.f = body, l.lo = lo, l.hi = hi, l.kind = FORI;
    return loop_run("fori", &l, 1, &state);
}
