/* trace/call/grad.c - derivatives of user functions: grad, jvp, vjp, hessian, inside a trace.
 *
 * Each traces its function as a closed one over all leaves of its arguments, lets transform/ differentiate it, and
 * inlines the result. Captured values are constants of the differentiation. */
#include "../trace.h"

#include <string.h>

#include "../inner.h"

static base_site born(const ir_fn *f, ir_id v)           /* the site of the equation that defines a result */
{
    const ir_eqn *const e = ir_definition(f, v);
    return e ? e->site : NULL;
}

/* True if these arguments may be differentiated by, leaf by leaf. Frozen integers, such as the states of seeds among
 * parameters, are skipped: their gradient has no elements. */
bool grad_smooth_args(base_site site, const char *what, trace_value *const *args, int n, const int *wrt)
{
    for (int i = 0; i < n; i++) {
        const trace_value *v = args[wrt[i]];
        for (int l = 0; l < trace_nleaf(v); l++) {
            const trace_value *leaf = trace_leaf_of((trace_value *)(uintptr_t)v, l);
            const char *path = trace_leaf_path(trace_temp(), v->tree, l);
            if (transform_smooth(leaf->type) || trace_leaf_at(v->tree, l)->frozen) continue;
            base_fail(TT_EGRAD, site, "%s: argument %d%s%s is %s, which has no derivative", what, wrt[i],
                      *path ? ", leaf " : "", path, trace_type_text(trace_temp(), leaf));
            trace_cite(leaf);
            return base_hint("convert the argument with tt_cast, or leave its number out of .wrt");
        }
    }
    return true;
}

static bool scalar_loss(base_site site, const char *what, const trace_closed *c, bool aux)
{
    const trace_tree *t = c->out;
    if (aux && (t->kind != TRACE_TUPLE || !t->n || t->child[0]->kind != TRACE_LEAF)) {
        base_fail(TT_EGRAD, site, "%s with aux: the function must return a tuple that begins with the loss, not %s",
                  what, trace_tree_text(trace_temp(), t));
        return base_hint("return tt_tuple(loss, aux)");
    }
    if (!aux && t->kind != TRACE_LEAF) {
        base_fail(TT_EGRAD, site, "%s: the function must return one number, not %s", what,
                  trace_tree_text(trace_temp(), t));
        return base_hint("give .aux = 1 if the first item is the loss and the others go along");
    }
    const ir_type *y = c->fn->type[c->fn->ret[0]];
    if (!y->rank && transform_smooth(y)) return true;
    base_fail(TT_EGRAD, site, "%s: the loss must be one floating-point number, not %s", what, trace_text(y));
    base_also(born(c->fn, c->fn->ret[0]), "%s", trace_text(y));
    return y->rank ? base_hint("reduce the result with tt_mean or tt_sum, or use tt_vjp or tt_jvp")
                   : base_hint("return a floating-point loss");
}

static int smooth_leaves(const trace_value *v)
{
    int n = 0;
    for (int l = 0; l < trace_nleaf(v); l++)
        n += transform_smooth(trace_leaf_of((trace_value *)(uintptr_t)v, l)->type);
    return n;
}

/* An id per leaf, from the ids of the smooth leaves; other leaves get a constant f32[0]. */
static const ir_id *every_leaf(const trace_value *v, const ir_id *smooth)
{
    const int n = trace_nleaf(v);
    const int64_t none = 0;
    ir_id *id = BASE_NEW(trace_top()->arena, ir_id, n + 1);
    for (int l = 0; l < n; l++) {
        const bool by = transform_smooth(trace_leaf_of((trace_value *)(uintptr_t)v, l)->type);
        id[l] = by ? *smooth++ : op_zeros(trace_top()->build, ir_type_of(TT_F32, 1, &none));
    }
    return id;
}

/* (value, aux..., gradient) or (gradient, aux...). ids: results of the function, then gradients in argument order. */
static trace_value *grad_result(base_site site, const fn_key *k, const trace_closed *c, int nwrt, const int *wrt,
                                trace_value *const *args, ir_id *ids)
{
    base_arena *a = trace_top()->arena;
    const trace_tree *t = c->out;
    trace_value **item = BASE_NEW(a, trace_value *, t->n + 3), **grad = BASE_NEW(a, trace_value *, nwrt + 1), *y = NULL;
    int n = 0;
    for (int i = 0; i < nwrt; i++) {
        ir_id *at = ids + c->fn->nret;
        for (int w = 0; w < nwrt; w++) if (wrt[w] < wrt[i]) at += smooth_leaves(args[wrt[w]]);
        if (!layouts_constrain_gradients(trace_top(), site, args[wrt[i]], at)) return NULL;
        if (!(grad[i] = fn_opened(site, args[wrt[i]]->tree, every_leaf(args[wrt[i]], at), NULL))) return NULL;
    }
    trace_value *g = nwrt == 1 && !strchr(k->wrt, ',') ? trace_ref(grad[0]) : fn_tuple(site, nwrt, grad);
    if (!k->value) item[n++] = g;
    if (!k->flag) {
        if (k->value) item[n++] = fn_opened(site, t, ids, c->weak);
    } else {
        for (int i = k->value ? 0 : 1; i < t->n; i++) {
            const int from = trace_leaf_from(t, i);
            if (!(item[n++] = fn_opened(site, t->child[i], ids + from, c->weak + from))) return NULL;
        }
    }
    if (k->value) item[n++] = g;
    y = n == 1 ? trace_ref(item[0]) : fn_tuple(site, n, item);
    for (int i = 0; i < n; i++) trace_unref(item[i]);
    for (int i = 0; i < nwrt; i++) trace_unref(grad[i]);
    return y;
}

trace_value *call_grad(base_site site, trace_fn *f, int n, trace_value *const *args)
{
    const fn_key *k = f->key;
    const char *what = k->value ? "value_and_grad" : "grad";
    base_arena *a = trace_top()->arena;
    int wrt[64];
    const int nwrt = fn_numbers(site, ".wrt", k->wrt, n, wrt, 64);
    trace_closed c;
    if (nwrt < 0 || !grad_smooth_args(site, what, args, nwrt, wrt)) return NULL;
    const fn_sig s = fn_sig_of(a, n, args);
    if (!fn_close(site, k->f, &s, NULL, &c) || !scalar_loss(site, what, &c, k->flag)) return NULL;
    bool *by = BASE_NEW(a, bool, c.fn->narg + 1);
    int grads = 0;
    for (int i = 0; i < nwrt; i++) {
        const int from = fn_leaves(wrt[i], args);
        for (int l = 0; l < trace_nleaf(args[wrt[i]]); l++) {
            if (by[from + l] || !transform_smooth(trace_leaf_of(args[wrt[i]], l)->type)) continue;
            by[from + l] = true;
            grads++;
        }
    }
    ir_fn *g = transform_value_and_grad(a, k->site, c.fn, by);
    ir_id *in = BASE_NEW(a, ir_id, c.fn->narg + 1), *out = BASE_NEW(a, ir_id, c.fn->nret + (uint32_t)grads + 1);
    if (!g || !fn_operands(site, n, args, &c, in)) return NULL;
    ir_site(trace_top()->build, site);
    if (!ir_inline(trace_top()->build, g, in, out)) return NULL;
    return grad_result(site, k, &c, nwrt, wrt, args, out);
}

/* ---- jvp, vjp ---- */

/* The items of a tuple, or the value itself as the only one. */
int grad_items_of(base_site site, trace_value *v, trace_value ***out)
{
    const int n = v->tree->kind == TRACE_TUPLE ? v->tree->n : 1;
    *out = BASE_NEW(trace_top()->arena, trace_value *, n + 1);
    for (int i = 0; i < n; i++) {
        (*out)[i] = v->tree->kind == TRACE_TUPLE ? fn_item(site, v, i) : trace_ref(v);
        trace_handle((*out)[i]);                         /* owned by the frame's scope */
    }
    return n;
}

const trace_tree *grad_smooth_tree(const trace_tree *t,
                                     const ir_type *const *type) /* NULL where there is no tangent */
{
    if (t->kind == TRACE_LEAF) return transform_smooth(*type) ? t : trace_tuple_of(0, NULL);
    const trace_tree **child = BASE_NEW(trace_temp(), const trace_tree *, t->n + 1);
    for (int i = 0; i < t->n; i++) child[i] = grad_smooth_tree(t->child[i], type + trace_leaf_from(t, i));
    return trace_tree_of(t->kind, t->tag, t->n, t->name, child);
}

const ir_type **grad_types_of(const ir_fn *f)
{
    const ir_type **t = BASE_NEW(trace_temp(), const ir_type *, f->nret + 1);
    for (uint32_t j = 0; j < f->nret; j++) t[j] = f->type[f->ret[j]];
    return t;
}

/* True if the tangent of a leaf without derivative, such as an integer, is f32[0], the gradient that tt_grad gives for
 * such a leaf; else sets the error. */
static bool no_dual(base_site site, const char *what, const ir_type *type, const trace_value *leaf)
{
    const ir_type *t = leaf->type;
    if (t->dtype == TT_F32 && t->rank == 1 && t->dim[0] == 0) return true;
    base_fail(TT_EGRAD, site, "%s is %s for a value that is %s, which has no derivative", what, trace_text(t),
              trace_text(type));
    trace_cite(leaf);
    return base_hint("give tt_none(), or f32[0] as tt_grad returns it, in the place of the value");
}

/* Ids of the smooth leaves of a tangent or cotangent; v may have an empty tuple in place of an integer. */
int grad_dual_ids(base_site site, const char *what, const trace_tree *like, const ir_type *const *type,
                    trace_value *v, ir_id *out)
{
    const trace_tree *smooth = grad_smooth_tree(like, type);
    const bool full = trace_agree(v->tree, like);
    int n = 0;
    if (!full && !trace_agree(v->tree, smooth)) {
        trace_tree_differ(site, what, v->tree, like);
        return -1;
    }
    for (int i = 0, k = 0; i < like->nleaf; i++) {
        if (!transform_smooth(type[i])) {
            if (full && !no_dual(site, what, type[i], trace_leaf_of(v, k++))) return -1;
            continue;
        }
        trace_value *leaf = trace_leaf_of(v, k++), *cast = NULL;
        const ir_type *t = leaf->type;
        if (leaf->form == TRACE_NUMBER && t->dtype != type[i]->dtype)
            leaf = cast = trace_number_as(leaf, type[i]->dtype);
        if (t->rank != type[i]->rank || (t->rank && memcmp(t->dim, type[i]->dim, (size_t)t->rank * sizeof *t->dim)) ||
            leaf->type->dtype != type[i]->dtype) {
            base_fail(TT_EGRAD, site, "%s is %s for a value that is %s", what, trace_text(t), trace_text(type[i]));
            trace_cite(leaf);
            return -1;
        }
        out[n] = trace_id(trace_top(), site, leaf);
        trace_unref(cast);
        if (!out[n++]) return -1;
    }
    return n;
}

static bool grad_two(base_site site, const char *what, int n, const char *second)
{
    if (n == 2) return true;
    base_fail(TT_EARG, site, "%s gives a function of (primals, %s), called with %d value%s", what, second, n,
              n == 1 ? "" : "s");
    return base_hint("pass two values: a tuple of the arguments, and the %s, a tuple or value", second);
}

static trace_value *grad_pair(base_site site, trace_value *a, trace_value *b)
{
    trace_value *y = a && b ? fn_tuple(site, 2, (trace_value *[]){ a, b }) : NULL;
    trace_unref(a);
    trace_unref(b);
    return y;
}

trace_value *call_jvp(base_site site, trace_fn *f, int n, trace_value *const *args)
{
    base_arena *a = trace_top()->arena;
    trace_value **x;
    trace_closed c;
    if (!grad_two(site, "tt_jvp", n, "tangents")) return NULL;
    const int m = grad_items_of(site, args[0], &x);
    const fn_sig s = fn_sig_of(a, m, x);
    if (!fn_close(site, f->key->f, &s, NULL, &c)) return NULL;
    bool *active = BASE_NEW(a, bool, c.fn->narg + 1);
    ir_id *in = BASE_NEW(a, ir_id, 2 * c.fn->narg + 1), *out = BASE_NEW(a, ir_id, 2 * c.fn->nret + 1);
    for (int i = 0; i < s.nleaf; i++) active[i] = transform_smooth(s.type[i]);
    if (!fn_operands(site, m, x, &c, in)) return NULL;
    if (grad_dual_ids(site, "the tangent", args[0]->tree, s.type, args[1], in + c.fn->narg) < 0) return NULL;
    ir_fn *g = transform_jvp(a, c.fn, active);
    ir_site(trace_top()->build, site);
    if (!g || !ir_inline(trace_top()->build, g, in, out)) return NULL;
    return grad_pair(site, fn_opened(site, c.out, out, c.weak),
                     fn_opened(site, grad_smooth_tree(c.out, grad_types_of(c.fn)), out + c.fn->nret, NULL));
}

trace_value *call_vjp(base_site site, trace_fn *f, int n, trace_value *const *args)
{
    base_arena *a = trace_top()->arena;
    trace_value **x;
    trace_closed c;
    if (!grad_two(site, "tt_vjp", n, "cotangent")) return NULL;
    const int m = grad_items_of(site, args[0], &x);
    const fn_sig s = fn_sig_of(a, m, x);
    if (!fn_close(site, f->key->f, &s, NULL, &c)) return NULL;
    bool *by = BASE_NEW(a, bool, c.fn->narg + 1);
    ir_id *in = BASE_NEW(a, ir_id, c.fn->narg + c.fn->nret + 1), *out = BASE_NEW(a, ir_id, c.fn->narg + c.fn->nret + 1);
    for (int i = 0; i < s.nleaf; i++) by[i] = transform_smooth(s.type[i]);
    if (!fn_operands(site, m, x, &c, in)) return NULL;
    if (grad_dual_ids(site, "the cotangent", c.out, grad_types_of(c.fn), args[1], in + c.fn->narg) < 0) return NULL;
    ir_fn *g = transform_vjp(a, f->key->site, c.fn, by);
    ir_site(trace_top()->build, site);
    if (!g || !ir_inline(trace_top()->build, g, in, out)) return NULL;
    if (!layouts_constrain_gradients(trace_top(), site, args[0], out + c.fn->nret)) return NULL;
    return grad_pair(site, fn_opened(site, c.out, out, c.weak),
                     fn_opened(site, grad_smooth_tree(args[0]->tree, s.type), out + c.fn->nret, NULL));
}

/* ---- hessian: forward over reverse, one basis vector of each leaf at a time, all at once by vmap ---- */

ir_id grad_basis(ir_build *b, const ir_type *t)        /* [n, shape]: row i has a 1 at element i */
{
    const int64_t n = ir_count(t), dim[2] = { n, n };
    int64_t to[IR_RANK + 1] = { n };
    const ir_type *square = ir_type_of(TT_I32, 2, dim);
    if (t->rank) memcpy(to + 1, t->dim, (size_t)t->rank * sizeof *to);
    const ir_id eye = op_convert(b, op_equal(b, op_iota(b, square, 0), op_iota(b, square, 1)), t->dtype);
    return op_reshape(b, eye, t->rank + 1, to);
}

/* d(gradient leaf i)/d(leaf j), shape of i then shape of j. */
static bool hessian_column(ir_build *b, ir_fn *g, int j, int nleaf, const ir_id *in, ir_id *out)
{
    base_arena *a = ir_build_arena(b);
    bool *active = BASE_NEW(a, bool, g->narg + 1), *mapped = BASE_NEW(a, bool, g->narg + 2);
    const ir_type *tj = g->type[j + 1];
    active[j] = mapped[g->narg] = true;
    ir_fn *d = transform_jvp(a, g, active);
    ir_fn *v = d ? transform_vmap(a, d, mapped, NULL, NULL, ir_count(tj)) : NULL;
    ir_id *arg = BASE_NEW(a, ir_id, g->narg + 2), *res = BASE_NEW(a, ir_id, v ? v->nret + 1 : 1);
    memcpy(arg, in, g->narg * sizeof *arg);
    arg[g->narg] = grad_basis(b, tj);
    if (!v || !ir_inline(b, v, arg, res)) return false;
    for (int i = 0; i < nleaf; i++) {
        const ir_type *ti = g->type[i + 1];
        int64_t dim[IR_RANK], perm[IR_RANK];
        const int r = ti->rank + tj->rank;
        if (r > IR_RANK) return base_fail(TT_ESHAPE, NULL, "a hessian of %d dims; at most %d are allowed", r, IR_RANK);
        for (int q = 0; q < tj->rank; q++) dim[q] = tj->dim[q], perm[ti->rank + q] = q;
        for (int q = 0; q < ti->rank; q++) dim[tj->rank + q] = ti->dim[q], perm[q] = tj->rank + q;
        out[i] = op_transpose(b, op_reshape(b, res[(int)g->nret + i], r, dim), perm);
    }
    return true;
}

trace_value *call_hessian(base_site site, trace_fn *f, int n, trace_value *const *args)
{
    base_arena *a = trace_top()->arena;
    ir_build *b = trace_top()->build;
    trace_closed c;
    const int first = 0;
    if (n < 1) {
        base_fail(TT_EARG, site, "tt_hessian: the function was called without arguments; expected 1 or more");
        return NULL;
    }
    const fn_sig s = fn_sig_of(a, n, args);
    const int nleaf = trace_nleaf(args[0]);
    if (!grad_smooth_args(site, "hessian", args, 1, &first) || !fn_close(site, f->key->f, &s, NULL, &c) ||
        !scalar_loss(site, "hessian", &c, false))
        return NULL;
    bool *by = BASE_NEW(a, bool, c.fn->narg + 1);
    ir_id *in = BASE_NEW(a, ir_id, c.fn->narg + 1), *h = BASE_NEW(a, ir_id, nleaf * nleaf + 1),
          *column = BASE_NEW(a, ir_id, nleaf + 1);
    for (int i = 0; i < nleaf; i++) by[i] = true;
    ir_fn *g = transform_grad(a, f->key->site, c.fn, by);
    if (!g || !fn_operands(site, n, args, &c, in)) return NULL;
    g->nret = (uint32_t)nleaf;
    ir_site(b, site);
    for (int j = 0; j < nleaf; j++) {
        if (!hessian_column(b, g, j, nleaf, in, column)) return NULL;
        for (int i = 0; i < nleaf; i++) h[i * nleaf + j] = column[i];
    }
    /* builds a tree in which every leaf is a tree */
    const trace_tree *t = args[0]->tree;
    if (t->kind == TRACE_LEAF) return fn_opened(site, trace_leaf(NULL, false), h, NULL);
    trace_value **leaf = BASE_NEW(a, trace_value *, nleaf * nleaf + 1);
    for (int i = 0; i < nleaf * nleaf; i++) {
        if (!h[i]) return NULL;
        trace_handle(leaf[i] = trace_traced(site, h[i], false));
    }
    return trace_tree_value(site, trace_nest(t, t), leaf);
}
