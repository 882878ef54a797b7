/* trace/call/jacobian.c - jacobians in forward and reverse mode, and linear parts that are kept for later calls.
 *
 * A jacobian is computed array by array: one pass with a one-hot tangent (cotangent) per element, all passes at once by
 * vmap. Values that the passes have in common are computed once. */
#include "../trace.h"

#include <string.h>

#include "../inner.h"

/* The traced function, and the leaves by which it is differentiated. */
typedef struct {
    base_site site;
    trace_closed c;
    const trace_tree *out; /* of the differentiated part of the result */
    int n, nout, ninner;   /* arguments; leaves of the result, of the arguments in .wrt */
    int *inner;            /* leaf of the arguments, for each leaf in .wrt */
    ir_id *in;             /* operands of c.fn */
} jacobian;

/* [a's dims, b's dims] */
static ir_id both_dims(ir_build *b, ir_id x, const ir_type *first, const ir_type *second, bool turned)
{
    int64_t dim[2 * IR_RANK], perm[2 * IR_RANK];
    const int p = first->rank, q = second->rank;
    if (p + q > IR_RANK) {
        base_fail(TT_ESHAPE, NULL, "a jacobian of %d dims; at most %d are allowed", p + q, IR_RANK);
        return 0;
    }
    const ir_type *const major = turned ? second : first, *const minor = turned ? first : second;
    for (int d = 0; d < major->rank; d++) dim[d] = major->dim[d];
    for (int d = 0; d < minor->rank; d++) dim[major->rank + d] = minor->dim[d];
    const ir_id y = op_reshape(b, x, p + q, dim);
    if (!turned || !y) return y;
    for (int d = 0; d < p; d++) perm[d] = q + d;
    for (int d = 0; d < q; d++) perm[p + d] = d;
    return op_transpose(b, y, perm);
}

/* Forward: the tangents of all results by leaf k of the arguments in .wrt. out[i * ninner + k]. */
static bool forward_column(const jacobian *j, ir_build *b, int k, ir_id *out)
{
    base_arena *a = ir_build_arena(b);
    const ir_fn *const f = j->c.fn;
    bool *active = BASE_NEW(a, bool, f->narg + 1), *mapped = BASE_NEW(a, bool, f->narg + 2);
    const ir_type *const by = f->type[j->inner[k] + 1];
    active[j->inner[k]] = mapped[f->narg] = true;
    ir_fn *const d = transform_jvp(a, f, active), *const v =
                                                      d ? transform_vmap(a, d, mapped, NULL, NULL, ir_count(by)) : NULL;
    if (!v) return false;
    ir_id *arg = BASE_NEW(a, ir_id, f->narg + 2), *res = BASE_NEW(a, ir_id, v->nret + 1);
    memcpy(arg, j->in, f->narg * sizeof *arg);
    arg[f->narg] = grad_basis(b, by);
    if (!arg[f->narg] || !ir_inline(b, v, arg, res)) return false;
    const ir_id *tangent = res + f->nret;
    for (int i = 0; i < j->nout; i++) {
        const ir_type *const y = f->type[f->ret[i]];
        if (!(out[i * j->ninner + k] = both_dims(b, *tangent++, y, by, true))) return false;
    }
    return true;
}

/* Reverse: the cotangents of all arguments in .wrt by leaf i of the result. */
static bool reverse_row(const jacobian *j, ir_build *b, const ir_fn *vjp, int i, ir_id *out)
{
    base_arena *a = ir_build_arena(b);
    const ir_fn *const f = j->c.fn;
    const int ncot = (int)(vjp->narg - f->narg);
    bool *mapped = BASE_NEW(a, bool, vjp->narg + 1);
    const ir_type *const y = f->type[f->ret[i]];
    mapped[(int)f->narg + i] = true;
    ir_fn *const v = transform_vmap(a, vjp, mapped, NULL, NULL, ir_count(y));
    if (!v) return false;
    ir_id *arg = BASE_NEW(a, ir_id, vjp->narg + 1), *res = BASE_NEW(a, ir_id, v->nret + 1);
    memcpy(arg, j->in, f->narg * sizeof *arg);
    for (int k = 0; k < ncot; k++) {
        const ir_type *const t = vjp->type[(int)f->narg + k + 1];
        if (!(arg[(int)f->narg + k] = k == i ? grad_basis(b, t) : op_zeros(b, t))) return false;
    }
    if (!ir_inline(b, v, arg, res)) return false;
    for (int k = 0; k < j->ninner; k++) {
        int at = 0; /* cotangents are in the order of the arguments */
        for (int l = 0; l < j->ninner; l++) at += j->inner[l] < j->inner[k];
        const ir_type *const by = f->type[j->inner[k] + 1];
        if (!(out[i * j->ninner + k] = both_dims(b, res[(int)f->nret + at], y, by, false))) return false;
    }
    return true;
}

/* True if the part of the result that is differentiated has floats or complex numbers only; else sets the error. */
static bool smooth_result(base_site site, const char *what, const jacobian *j)
{
    for (int i = 0; i < j->nout; i++) {
        const ir_type *const t = j->c.fn->type[j->c.fn->ret[i]];
        const char *const path = trace_leaf_path(trace_temp(), j->out, i);
        if (transform_smooth(t)) continue;
        base_fail(TT_EGRAD, site, "%s: the result%s%s is %s, which has no derivative", what, *path ? ", leaf " : "",
                  path, trace_text(t));
        return base_hint("return it behind the floats, and give .aux = 1");
    }
    return true;
}

/* Traces the function. Returns false with the error set. */
static bool jacobian_begin(base_site site, const char *what, const fn_key *k, int n, trace_value *const *args, int nwrt,
                           const int *wrt, jacobian *j)
{
    base_arena *a = trace_top()->arena;
    const fn_sig s = fn_sig_of(a, n, args);
    if (!fn_close(site, k->f, &s, NULL, &j->c)) return false;
    const trace_tree *const t = j->c.out;
    if (k->flag && (t->kind != TRACE_TUPLE || !t->n)) {
        base_fail(TT_EGRAD, site, "%s with aux: the function must return a tuple, not %s", what,
                  trace_tree_text(trace_temp(), t));
        return base_hint("return tt_tuple(result, aux)");
    }
    j->out = k->flag ? t->child[0] : t;
    j->nout = j->out->nleaf;
    for (int i = 0; i < nwrt; i++) j->ninner += trace_nleaf(args[wrt[i]]);
    j->inner = BASE_NEW(a, int, j->ninner + 1);
    for (int i = 0, at = 0; i < nwrt; i++)
        for (int l = 0; l < trace_nleaf(args[wrt[i]]); l++) j->inner[at++] = fn_leaves(wrt[i], args) + l;
    j->in = BASE_NEW(a, ir_id, j->c.fn->narg + 1);
    return smooth_result(site, what, j) && fn_operands(site, n, args, &j->c, j->in);
}

/* The tree of the result in which the tree of the arguments takes the place of each leaf, and the auxiliary results. */
static trace_value *jacobian_result(base_site site, const fn_key *k, const jacobian *j, const ir_id *ids, int nwrt,
                                    const int *wrt, trace_value *const *args)
{
    base_arena *a = trace_top()->arena;
    const trace_tree **each = BASE_NEW(a, const trace_tree *, nwrt + 1);
    for (int i = 0; i < nwrt; i++) each[i] = trace_plain(args[wrt[i]]->tree);
    const trace_tree *inner = nwrt == 1 && !strchr(k->wrt, ',') ? each[0] : trace_tuple_of(nwrt, each);
    trace_value *const jac = fn_opened(site, trace_nest(trace_plain(j->out), inner), ids, NULL);
    if (!jac || !k->flag || j->c.out->n == 1) return jac;
    const trace_tree *const t = j->c.out;
    trace_value **item = BASE_NEW(a, trace_value *, t->n + 1);
    const ir_fn *const f = j->c.fn;
    ir_id *const res = BASE_NEW(a, ir_id, f->nret + 1);
    item[0] = jac;
    bool ok = ir_inline(trace_top()->build, f, j->in, res);
    int n = 1;
    for (; ok && n < t->n; n++) {
        const int from = trace_leaf_from(t, n);
        ok = (item[n] = fn_opened(site, t->child[n], res + from, j->c.weak + from)) != NULL;
    }
    trace_value *const y = ok ? fn_tuple(site, t->n, item) : NULL;
    for (int i = 0; i < n; i++) trace_unref(item[i]);
    return y;
}

trace_value *call_jacobian(base_site site, trace_fn *f, int n, trace_value *const *args)
{
    const fn_key *k = f->key;
    const bool reverse = k->kind == FN_JACREV;
    const char *const what = reverse ? "jacrev" : "jacfwd";
    base_arena *a = trace_top()->arena;
    ir_build *b = trace_top()->build;
    jacobian j = { .site = site, .n = n };
    int wrt[64];
    const int nwrt = fn_numbers(site, ".wrt", k->wrt, n, wrt, 64);
    if (nwrt < 0 || !grad_smooth_args(site, what, args, nwrt, wrt)) return NULL;
    if (!jacobian_begin(site, what, k, n, args, nwrt, wrt, &j)) return NULL;
    ir_id *const ids = BASE_NEW(a, ir_id, j.nout * j.ninner + 1);
    ir_site(b, site);
    if (reverse) {
        bool *by = BASE_NEW(a, bool, j.c.fn->narg + 1);
        for (int i = 0; i < j.ninner; i++) by[j.inner[i]] = true;
        const ir_fn *const vjp = transform_vjp(a, k->site, j.c.fn, by);
        if (!vjp) return NULL;
        for (int i = 0; i < j.nout; i++)
            if (!reverse_row(&j, b, vjp, i, ids)) return NULL;
    } else {
        for (int i = 0; i < j.ninner; i++)
            if (!forward_column(&j, b, i, ids)) return NULL;
    }
    return jacobian_result(site, k, &j, ids, nwrt, wrt, args);
}

/* ---- linear parts ---- */

static bool split_of(base_arena *a, const ir_fn *f, int nleaf, op_split *s)
{
    bool *active = BASE_NEW(a, bool, f->narg + 1), *asked = BASE_NEW(a, bool, f->nret + 1);
    for (int i = 0; i < nleaf; i++) active[i] = transform_smooth(f->type[i + 1]);
    for (uint32_t i = 0; i < f->nret; i++) asked[i] = transform_smooth(f->type[f->ret[i]]);
    return transform_linearize(a, f, active, asked, s);
}

/* (result, (arguments, residuals)) */
trace_value *call_linearize(base_site site, trace_fn *f, int n, trace_value *const *args)
{
    base_arena *a = trace_top()->arena;
    const fn_sig s = fn_sig_of(a, n, args);
    trace_closed c;
    op_split split;
    if (!fn_close(site, f->key->f, &s, NULL, &c) || !split_of(a, c.fn, s.nleaf, &split)) return NULL;
    ir_id *in = BASE_NEW(a, ir_id, c.fn->narg + 1), *out = BASE_NEW(a, ir_id, split.known->nret + 1);
    ir_site(trace_top()->build, site);
    if (!fn_operands(site, n, args, &c, in) || !ir_inline(trace_top()->build, split.known, in, out)) return NULL;
    const trace_tree **leaf = BASE_NEW(a, const trace_tree *, split.nres + 1);
    for (uint32_t i = 0; i < split.nres; i++) leaf[i] = trace_leaf(NULL, false);
    trace_value *const y = fn_opened(site, c.out, out, c.weak);
    trace_value *const rest = fn_opened(site, trace_tuple_of((int)split.nres, leaf), out + c.fn->nret, NULL);
    trace_value *const x = fn_tuple(site, n, args), *const state =
                                                        rest ? fn_tuple(site, 2, (trace_value *[]){ x, rest }) : NULL;
    trace_value *const both = y && state ? fn_tuple(site, 2, (trace_value *[]){ y, state }) : NULL;
    trace_unref(y), trace_unref(rest), trace_unref(x), trace_unref(state);
    return both;
}

static bool linear_state(base_site site, const op_split *s, const ir_fn *f, const trace_value *rest)
{
    bool fits = rest->tree->kind == TRACE_TUPLE && trace_nleaf(rest) == (int)s->nres;
    for (uint32_t i = 0; fits && i < s->nres; i++)
        fits =
            trace_leaf_of((trace_value *)(uintptr_t)rest, (int)i)->type == s->known->type[s->known->ret[f->nret + i]];
    if (fits) return true;
    base_fail(TT_EARG, site, "tt_linear: the state is not that of tt_linearize of the same function");
    return base_hint("the state is the second result: tt_unpack(tt_call(tt_linearize(f), x), &y, &state)");
}

/* (state, tangents) -> tangent of the result */
trace_value *call_linear(base_site site, trace_fn *f, int n, trace_value *const *args)
{
    base_arena *a = trace_top()->arena;
    trace_value **part, **x;
    trace_closed c;
    op_split split;
    if (n != 2) {
        base_fail(TT_EARG, site, "tt_linear gives a function of (state, tangents), called with %d value%s", n,
                  n == 1 ? "" : "s");
        return NULL;
    }
    if (grad_items_of(site, args[0], &part) != 2)
        return linear_state(site, &(op_split){ .nres = 1 }, NULL, args[0]), NULL;
    const int m = grad_items_of(site, part[0], &x);
    const fn_sig s = fn_sig_of(a, m, x);
    if (!fn_close(site, f->key->f, &s, NULL, &c) || !split_of(a, c.fn, s.nleaf, &split)) return NULL;
    if (!linear_state(site, &split, c.fn, part[1])) return NULL;
    ir_id *in = BASE_NEW(a, ir_id, s.nleaf + (int)split.nres + 1), *out = BASE_NEW(a, ir_id, split.linear->nret + 1);
    const int k = grad_dual_ids(site, "the tangent", part[0]->tree, s.type, args[1], in);
    if (k < 0 || !fn_operands(site, 1, &part[1], NULL, in + k)) return NULL;
    ir_site(trace_top()->build, site);
    if (!ir_inline(trace_top()->build, split.linear, in, out)) return NULL;
    return fn_opened(site, grad_smooth_tree(c.out, grad_types_of(c.fn)), out, NULL);
}
