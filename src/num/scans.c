/* num/scans.c - scans of associative functions, maps in batches, trees as one array, implicit derivatives: all are
 * compositions of the transforms. */
#include "num.h"

#include <string.h>

enum { LEAVES = 1024, RANK = 12 };

/* Sets the leaves of a tree, at most LEAVES. Returns their number; -1 with the error set. */
static int scan_leaves(const char *site, const char *what, tt_val tree, tt_val *leaf)
{
    const int n = tt_tree_leaves_at(site, tree, LEAVES, leaf);
    if (tt_ok() && n > LEAVES) tt_fail_at(site, TT_EARG, "%s: %d leaves; at most %d are allowed", what, n, LEAVES);
    return tt_ok() ? n : -1;
}

/* The size of dim, common to all leaves; -1 with the error set. */
static int64_t scan_size(const char *site, const char *what, int n, const tt_val *leaf, int dim)
{
    int64_t size = -1;
    for (int i = 0; i < n; i++) {
        const int rank = tt_rank_at(site, leaf[i]), at = dim < 0 ? dim + rank : dim;
        if (at < 0 || at >= rank) {
            tt_fail_at(site, TT_ESHAPE, "%s: leaf %d is %s, which has no dim %d", what, i,
                       tt_type_text_at(site, leaf[i]), dim);
            return -1;
        }
        const int64_t here = tt_dim_at(site, leaf[i], at);
        if (size >= 0 && here != size) {
            tt_fail_at(site, TT_ESHAPE, "%s: leaves of %lld and of %lld elements along the dim; expected one size",
                       what, (long long)size, (long long)here);
            return -1;
        }
        size = here;
    }
    if (!n && tt_ok()) tt_fail_at(site, TT_EARG, "%s: a tree without arrays", what);
    return tt_ok() ? size : -1;
}

/* ---- associative scans ---- */

/* The scan's leaves are in arrays of `n`; like: a tree with the leaves' structure. */
typedef struct {
    const char *site;
    tt_fn f;
    tt_val like;
    int n, dim;
} combiner;

/* True if two trees have the same containers and names; leaves are not looked at. */
static bool same_structure(const char *site, tt_val a, tt_val b)
{
    const int n = tt_items_at(site, a);
    const char *const kind = tt_kind_at(site, a);
    if (!tt_ok() || strcmp(kind, tt_kind_at(site, b)) || n != tt_items_at(site, b)) return false;
    for (int i = 0; i < n && strcmp(kind, "array"); i++) {
        const char *const name = tt_name_at(site, a, i), *const other = tt_name_at(site, b, i);
        if ((name && strcmp(name, other)) || !same_structure(site, tt_item_at(site, a, i), tt_item_at(site, b, i)))
            return false;
    }
    return tt_ok();
}

static bool combine(const combiner *c, const tt_val *a, const tt_val *b, tt_val *out)
{
    const tt_val pair[] = { tt_tree_unflatten_at(c->site, c->like, c->n, a),
                            tt_tree_unflatten_at(c->site, c->like, c->n, b) };
    const tt_val y = tt_call_n(c->site, c->f, 2, pair);
    const int n = tt_ok() ? tt_tree_leaves_at(c->site, y, c->n, out) : -1;
    bool fits = n == c->n && same_structure(c->site, pair[0], y);
    for (int i = 0; fits && i < n; i++) {
        fits = tt_rank_at(c->site, out[i]) == tt_rank_at(c->site, a[i]);
        for (int d = 0; fits && d < tt_rank_at(c->site, a[i]); d++)
            fits = tt_dim_at(c->site, out[i], d) == tt_dim_at(c->site, a[i], d);
    }
    if (fits || !tt_ok()) return fits;
    tt_fail_at(c->site, TT_ETREE,
               "associative_scan: the function's result has another structure or other dims than its operands");
    tt_hint("the function combines two trees of slices elementwise, and returns one like them");
    return false;
}

static void scan_slices(const combiner *c, const tt_val *v, int64_t from, int64_t to, int64_t step, tt_val *out)
{
    for (int i = 0; i < c->n; i++) out[i] = tt_slice_at(c->site, v[i], c->dim, from, to, step);
}

/* a_0 b_0 a_1 b_1 ..; a may have one element more. */
static tt_val interleaved(const combiner *c, tt_val a, tt_val b)
{
    const char *const site = c->site;
    const int at = c->dim < 0 ? c->dim + tt_rank_at(site, a) : c->dim, rank = tt_rank_at(site, a);
    const int64_t m = tt_dim_at(site, b, at), n = tt_dim_at(site, a, at);
    int64_t dim[RANK + 1];
    const tt_val pairs =
        tt_stack_values_at(site, at + 1, (const tt_val[]){ tt_slice_at(site, a, at, 0, m, 1), b, tt_end });
    for (int d = 0; d < rank; d++) dim[d] = d == at ? 2 * m : tt_dim_at(site, a, d);
    dim[rank] = TT_DIM_END;
    const tt_val line = tt_reshape_at(site, pairs, dim);
    return n == m ? line : tt_concat_at(site, at, (const tt_val[]){ line, tt_slice_at(site, a, at, m, n, 1), tt_end });
}

/* JAX's algorithm: pairs are combined, and the results scanned, which gives the odd elements; each even element is the
 * odd one before it, combined with the even element's own value. */
static bool scanned(const combiner *c, tt_val *v, int64_t size)
{
    if (size < 2) return true;
    tt_val odd[c->n + 1], even[c->n + 1], a[c->n + 1], b[c->n + 1];
    scan_slices(c, v, 0, size - 1, 2, a);
    scan_slices(c, v, 1, size, 2, b);
    if (!tt_ok() || !combine(c, a, b, odd) || !scanned(c, odd, size / 2)) return false;
    scan_slices(c, odd, 0, (size - 1) / 2, 1, a);
    scan_slices(c, v, size > 2 ? 2 : size, size, 2, b);
    if (size > 2 && !combine(c, a, b, even)) return false;
    for (int i = 0; i < c->n; i++) {
        const tt_val first = tt_slice_at(c->site, v[i], c->dim, 0, 1, 1);
        const tt_val all = size > 2 ? tt_concat_at(c->site, c->dim, (const tt_val[]){ first, even[i], tt_end }) : first;
        v[i] = interleaved(c, all, odd[i]);
    }
    return tt_ok();
}

tt_val tt_associative_scan_at(const char *site, tt_fn f, tt_val xs, const tt_associative_opts *o)
{
    TT_ENTRY(site);
    tt_val v[LEAVES];
    if (!TT_CHECKED(tt_associative_opts, site, "associative_scan", o)) return tt_poison;
    const combiner c = { site, f, xs, scan_leaves(site, "associative_scan", xs, v), o->dim };
    const int64_t size = c.n < 0 ? -1 : scan_size(site, "associative_scan", c.n, v, c.dim);
    if (size < 0) return tt_poison;
    for (int i = 0; o->reverse && i < c.n; i++) v[i] = tt_reverse_at(site, v[i], c.dim);
    if (!scanned(&c, v, size)) return tt_poison;
    for (int i = 0; o->reverse && i < c.n; i++) v[i] = tt_reverse_at(site, v[i], c.dim);
    return tt_tree_unflatten_at(site, xs, c.n, v);
}

/* ---- maps ---- */

typedef struct {
    const char *site;
    tt_fn f;
} mapping;

static tt_val map_body(void *env, int n, const tt_val *v)
{
    const mapping *m = env;
    (void)n;
    const tt_val y = tt_call_n(m->site, m->f, 1, &v[1]);
    return tt_tuple_at(m->site, (const tt_val[]){ v[0], y, tt_end });
}

static tt_val map_each(const char *site, tt_fn f, tt_val xs)
{
    mapping m = { site, f };
    const tt_fn body = tt_bind_env_at(NULL, "map", map_body, &m, sizeof m, 2);
    return tt_item_at(site, tt_scan_at(site, body, tt_none(), xs, NULL), 1);
}

/* [a, b, ...] as [a b, ...] if `join`, else dim 0 as [size / b, b]. */
static tt_val batched(const char *site, tt_val v, int64_t b, bool join)
{
    int64_t dim[RANK + 2];
    const int rank = tt_rank_at(site, v);
    int n = 0;
    if (!tt_ok()) return tt_poison;
    if (join) dim[n++] = tt_dim_at(site, v, 0) * tt_dim_at(site, v, 1);
    else dim[n++] = tt_dim_at(site, v, 0) / b, dim[n++] = b;
    for (int d = join ? 2 : 1; d < rank; d++) dim[n++] = tt_dim_at(site, v, d);
    dim[n] = TT_DIM_END;
    return tt_reshape_at(site, v, dim);
}

tt_val tt_map_at(const char *site, tt_fn f, tt_val xs, const tt_map_opts *o)
{
    TT_ENTRY(site);
    tt_val v[LEAVES], part[LEAVES], y[LEAVES];
    if (!TT_CHECKED(tt_map_opts, site, "map", o)) return tt_poison;
    const int n = scan_leaves(site, "map", xs, v);
    const int64_t size = n < 0 ? -1 : scan_size(site, "map", n, v, 0);
    if (size < 0) return tt_poison;
    if (!o->batch_size) return map_each(site, f, xs);
    const tt_vmap_opts all = { .size = sizeof all };
    const tt_fn at_once = tt_vmap_at(site, f, &all);
    const int64_t b = o->batch_size, whole = size / b * b;
    for (int i = 0; i < n; i++) part[i] = tt_slice_at(site, v[i], 0, whole, size, 1);
    const tt_val rest = tt_tree_unflatten_at(site, xs, n, part);
    if (!whole) return tt_call_n(site, at_once, 1, &rest);
    for (int i = 0; i < n; i++) part[i] = batched(site, tt_slice_at(site, v[i], 0, 0, whole, 1), b, false);
    const tt_val head = map_each(site, at_once, tt_tree_unflatten_at(site, xs, n, part));
    const int nout = tt_ok() ? scan_leaves(site, "map", head, y) : -1;
    for (int i = 0; i < nout; i++) y[i] = batched(site, y[i], b, true);
    if (whole < size && nout > 0) {
        const tt_val tail = tt_call_n(site, at_once, 1, &rest);
        if (!tt_ok() || scan_leaves(site, "map", tail, part) != nout) return tt_poison;
        for (int i = 0; i < nout; i++) y[i] = tt_concat_at(site, 0, (const tt_val[]){ y[i], part[i], tt_end });
    }
    return nout < 0 ? tt_poison : tt_tree_unflatten_at(site, head, nout, y);
}

/* ---- trees as one array ---- */

tt_val tt_ravel_at(const char *site, tt_val tree)
{
    TT_ENTRY(site);
    tt_val leaf[LEAVES + 1];
    const int n = scan_leaves(site, "ravel", tree, leaf);
    const int64_t none[] = { 0, TT_DIM_END };
    if (n < 0) return tt_poison;
    if (!n) return tt_full_at(site, 0, TT_F32, none);
    for (int i = 0; i < n; i++) leaf[i] = tt_flatten_at(site, leaf[i], 0);
    leaf[n] = tt_end;
    return n == 1 ? leaf[0] : tt_concat_at(site, 0, leaf);
}

tt_val tt_unravel_at(const char *site, tt_val like, tt_val v)
{
    TT_ENTRY(site);
    tt_val leaf[LEAVES];
    const int n = scan_leaves(site, "unravel", like, leaf);
    int64_t dim[RANK + 1], at = 0, all = 0;
    for (int i = 0; i < n; i++) all += tt_count_at(site, leaf[i]);
    if (n < 0) return tt_poison;
    if (tt_rank_at(site, v) != 1 || tt_dim_at(site, v, 0) != all)
        return tt_fail_at(site, TT_ESHAPE, "unravel: %s; expected a vector of %lld elements", tt_type_text_at(site, v),
                          (long long)all);
    for (int i = 0; i < n; i++) {
        const int rank = tt_rank_at(site, leaf[i]);
        const int64_t count = tt_count_at(site, leaf[i]);
        for (int d = 0; d < rank; d++) dim[d] = tt_dim_at(site, leaf[i], d);
        dim[rank] = TT_DIM_END;
        const tt_val part = tt_reshape_at(site, tt_slice_at(site, v, 0, at, at + count, 1), dim);
        leaf[i] = tt_cast_at(site, part, tt_dtype_of_at(site, leaf[i]));
        at += count;
    }
    return tt_tree_unflatten_at(site, like, n, leaf);
}

/* ---- implicit derivatives ---- */

typedef struct {
    const char *site;
    tt_fn f, solve, transpose;
} implicit;

static tt_val implicit_value(void *env, int n, const tt_val *v)
{
    const implicit *m = env;
    return tt_call_n(m->site, m->solve, n, v);
}

/* The residual of f at unravelled x: v is (x as one array, like, params). */
static tt_val residual_of(void *env, int n, const tt_val *v)
{
    const implicit *m = env;
    (void)n;
    const tt_val x[] = { tt_unravel_at(m->site, v[1], v[0]), v[2] };
    return tt_ravel_at(m->site, tt_call_n(m->site, m->f, 2, x));
}

/* v is (primals, result, tangents): -(df/dx)^-1 (df/dp dp). */
static tt_val root_tangent(void *env, int n, const tt_val *v)
{
    implicit *m = env;
    const char *const site = m->site;
    const tt_grad_opts first = { .size = sizeof first };
    (void)n;
    const tt_val p = tt_item_at(site, v[0], 1), dp = tt_item_at(site, v[2], 1), x = v[1];
    const tt_fn residual = tt_bind_env_at(NULL, "residual", residual_of, m, sizeof *m, 3);
    const tt_val at[] = { tt_ravel_at(site, x), x, p };
    const tt_val jacobian = tt_call_n(site, tt_jacfwd_at(site, residual, &first), 3, at);
    const tt_val primals = tt_tuple_at(site, (const tt_val[]){ x, p, tt_end });
    const tt_val zero = tt_unravel_at(site, x, tt_mul_at(site, at[0], tt_f(0)));
    const tt_val pair[] = { primals, tt_tuple_at(site, (const tt_val[]){ zero, dp, tt_end }) };
    const tt_val moved = tt_item_at(site, tt_call_n(site, tt_jvp_at(site, m->f), 2, pair), 1);
    return tt_unravel_at(site, x, tt_neg_at(site, tt_solve_at(site, jacobian, tt_ravel_at(site, moved))));
}

tt_fn tt_custom_root_at(const char *site, tt_fn f, tt_fn solve)
{
    TT_ENTRY(site);
    implicit m = { site, f, solve, f };
    const tt_fn value = tt_bind_env_at(NULL, "custom_root", implicit_value, &m, sizeof m, 2);
    return tt_custom_tangent_at(site, value, tt_bind_env_at(NULL, "custom_root", root_tangent, &m, sizeof m, 3));
}

static tt_val linear_forward(void *env, int n, const tt_val *v)
{
    const implicit *m = env;
    const tt_val x = tt_call_n(m->site, m->solve, n, v);
    return tt_tuple_at(m->site,
                       (const tt_val[]){ x, tt_tuple_at(m->site, (const tt_val[]){ x, v[1], tt_end }), tt_end });
}

/* A map at x as a function of its parameters alone: v is (params, x). */
static tt_val at_point(void *env, int n, const tt_val *v)
{
    const implicit *m = env;
    (void)n;
    return tt_call_n(m->site, m->f, 2, (const tt_val[]){ v[1], v[0] });
}

/* v is (residuals, cotangent of x). The cotangent of b is y = transpose_solve(cotangent), that of params is -(d
 * matvec(x, params))' y. */
static tt_val linear_backward(void *env, int n, const tt_val *v)
{
    implicit *m = env;
    const char *const site = m->site;
    (void)n;
    const tt_val x = tt_item_at(site, v[0], 0), p = tt_item_at(site, v[0], 1);
    const tt_val y = tt_call_n(site, m->transpose, 2, (const tt_val[]){ v[1], p });
    const tt_fn product = tt_bind_env_at(NULL, "matvec", at_point, m, sizeof *m, 2);
    const tt_val primals = tt_tuple_at(site, (const tt_val[]){ p, x, tt_end });
    const tt_val pulled = tt_call_n(site, tt_vjp_at(site, product), 2, (const tt_val[]){ primals, y });
    const tt_val of_params = tt_item_at(site, tt_item_at(site, pulled, 1), 0);
    return tt_tuple_at(site, (const tt_val[]){ y, tt_neg_at(site, of_params), tt_end });
}

tt_fn tt_custom_linear_solve_at(const char *site, tt_fn matvec, tt_fn solve, tt_fn transpose_solve)
{
    TT_ENTRY(site);
    implicit m = { site, matvec, solve, transpose_solve };
    const tt_fn value = tt_bind_env_at(NULL, "custom_linear_solve", implicit_value, &m, sizeof m, 2);
    const tt_fn forward = tt_bind_env_at(NULL, "custom_linear_solve", linear_forward, &m, sizeof m, 2);
    const tt_fn backward = tt_bind_env_at(NULL, "custom_linear_solve", linear_backward, &m, sizeof m, 2);
    return tt_custom_vjp_at(site, value, forward, backward);
}
