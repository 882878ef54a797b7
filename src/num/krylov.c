/* num/krylov.c - iterative solutions of A x = b, where A is a function: conjugate gradients (Hestenes and Stiefel,
 * 1952), the stabilised biconjugate method (van der Vorst, 1992), generalised minimal residuals (Saad and Schultz,
 * 1986).
 *
 * A(x, w) = b defines x as a function of b and of A's parameters w. With a cotangent c of x, the cotangent of b is l =
 * A'^-1 c, which the same method computes, and the cotangent of w is -l' dA(x, w)/dw: the iterations are not
 * differentiated. */
#include "num.h"

#include <string.h>

enum { CG, BICGSTAB, GMRES };
/* Compared as bytes. turned: the system of A's transpose, whose parameters are (w, x), with x the place at which A is
 * differentiated. */
typedef struct {
    const char *site;
    tt_fn f;
    double tol, atol;
    int64_t maxiter, restart, kind, with, turned;
} solver;

/* The caller's site, for every operation below. */
static _Thread_local const char *caller;
#undef TT_AT
#define TT_AT(text) ((void)sizeof(text), caller)

static const tt_reduce_opts all = { .size = sizeof(tt_reduce_opts) };
static tt_val krylov_dot(tt_val a, tt_val b) { return tt_sum_at(caller, tt_mul(a, b), &all); }

/* A's cotangents of (x, w) at (x, w) for a cotangent of A's result. */
static tt_val cotangents(const solver *k, tt_val x, tt_val w, tt_val c)
{
    const tt_val primals = k->with ? tt_tuple(x, w) : tt_tuple(x);
    const tt_val args[] = { primals, c };
    return tt_item(tt_call_n(caller, tt_vjp_at(caller, k->f), 2, args), 1);
}

static tt_val applied(const solver *k, tt_val x, tt_val w)
{
    const tt_val args[] = { x, w };
    if (!k->turned) return tt_call_n(caller, k->f, k->with ? 2 : 1, args);
    return tt_item(cotangents(k, tt_item(w, 1), tt_item(w, 0), x), 0);
}

static tt_fn krylov_fn(const solver *k, const char *name, tt_env_f *f)
{
    return tt_bind_env(name, f, (void *)(uintptr_t)k, sizeof *k, 1);
}

/* ---- conjugate gradients: (x, r, p, r'r, iteration, limit, w) ---- */

static tt_val cg_more(void *env, int n, const tt_val *v)
{
    const solver *k = env;
    (void)n;
    caller = k->site;
    return tt_and(tt_gt(tt_item(*v, 3), tt_item(*v, 5)), tt_lt(tt_item(*v, 4), tt_i(k->maxiter)));
}
static tt_val cg_next(void *env, int n, const tt_val *v)
{
    const solver *k = env;
    (void)n;
    caller = k->site;
    const tt_val x = tt_item(*v, 0), r = tt_item(*v, 1), p = tt_item(*v, 2), size = tt_item(*v, 3), w = tt_item(*v, 6);
    const tt_val ap = applied(k, p, w), by = tt_div(size, krylov_dot(p, ap)), rest = tt_sub(r, tt_mul(by, ap));
    const tt_val now = krylov_dot(rest, rest), next = tt_add(rest, tt_mul(tt_div(now, size), p));
    return tt_tuple(tt_add(x, tt_mul(by, p)), rest, next, now, tt_add(tt_item(*v, 4), tt_i(1)), tt_item(*v, 5), w);
}

/* ---- stabilised biconjugate gradients: (x, r, r0, p, q, numbers [alpha, omega, rho], iteration, limit, w); a negative
 * iteration: it broke down ---- */

static tt_val bicg_more(void *env, int n, const tt_val *v)
{
    const solver *k = env;
    (void)n;
    caller = k->site;
    const tt_val r = tt_item(*v, 1), i = tt_item(*v, 6), goes = tt_and(tt_ge(i, tt_i(0)), tt_lt(i, tt_i(k->maxiter)));
    return tt_and(tt_gt(krylov_dot(r, r), tt_item(*v, 7)), goes);
}
static tt_val bicg_next(void *env, int n, const tt_val *v)
{
    const solver *k = env;
    (void)n;
    caller = k->site;
    const tt_val x = tt_item(*v, 0), r = tt_item(*v, 1), first = tt_item(*v, 2), w = tt_item(*v, 8), zero = tt_f(0);
    const tt_val last = tt_item(*v, 5), a = tt_item(last, 0), o = tt_item(last, 1), rho = krylov_dot(first, r);
    const tt_val beta = tt_mul(tt_div(rho, tt_item(last, 2)), tt_div(a, o));
    const tt_val p = tt_add(r, tt_mul(beta, tt_sub(tt_item(*v, 3), tt_mul(o, tt_item(*v, 4)))));
    const tt_val q = applied(k, p, w), alpha = tt_div(rho, krylov_dot(first, q)), s = tt_sub(r, tt_mul(alpha, q));
    const tt_val early = tt_lt(krylov_dot(s, s), tt_item(*v, 7)), t = applied(k, s, w);
    const tt_val omega = tt_div(krylov_dot(t, s), krylov_dot(t, t)), half = tt_add(x, tt_mul(alpha, p));
    const tt_val to = tt_where(early, half, tt_add(half, tt_mul(omega, s)));
    const tt_val rest = tt_where(early, s, tt_sub(s, tt_mul(omega, t)));
    const tt_val broke = tt_or(tt_or(tt_eq(omega, zero), tt_eq(alpha, zero)), tt_eq(rho, zero));
    const tt_val i = tt_where(broke, tt_i(-1), tt_add(tt_item(*v, 6), tt_i(1)));
    return tt_tuple_at(
        caller, (const tt_val[]){ to, rest, first, p, q, tt_tuple(alpha, omega, rho), i, tt_item(*v, 7), w, tt_end });
}

/* ---- generalised minimal residuals: (x, r, iteration, limit, w) ---- */

static tt_val gmres_more(void *env, int n, const tt_val *v)
{
    const solver *k = env;
    (void)n;
    caller = k->site;
    const tt_val r = tt_item(*v, 1);
    return tt_and(tt_gt(krylov_dot(r, r), tt_item(*v, 3)), tt_lt(tt_item(*v, 2), tt_i(k->maxiter)));
}

static tt_val product(tt_val a, tt_val b)
{
    const tt_matmul_opts usual = { .size = sizeof usual };
    return tt_matmul_at(caller, a, b, &usual);
}

/* Adds one direction: (basis [m + 1, n], H [m + 1, m], w). The new vector is orthogonalised against the earlier ones
 * twice; a vector of length 0 stays 0. */
static tt_val direction(void *env, int nargs, const tt_val *v)
{
    const solver *k = env;
    (void)nargs;
    caller = k->site;
    const tt_val j = v[0], basis = tt_item(v[1], 0), h = tt_item(v[1], 1), w = tt_item(v[1], 2);
    const tt_val last = tt_squeeze_at(caller, tt_dynamic_slice_at(caller, basis, 0, j, 1), 0);
    const tt_val shaped = tt_reshape_at(caller, last, (const int64_t[]){ -1, TT_DIM_END });
    tt_val x = applied(k, shaped, w), column = tt_mul(product(basis, x), tt_f(0));
    const tt_val before = krylov_dot(x, x);
    for (int i = 0; i < 2; i++) {
        const tt_val part = product(basis, x);
        x = tt_sub(x, product(part, basis));
        column = tt_add(column, part);
    }
    const tt_val square = krylov_dot(x, x), least = tt_dtype_of_at(caller, x) == TT_F64 ? tt_f(1e-28) : tt_f(1e-12);
    const tt_val some = tt_gt(square, tt_mul(before, least)), norm = tt_sqrt(tt_where(some, square, tt_f(1)));
    const tt_val next = tt_where(some, tt_div(x, norm), tt_f(0)),
                 place = tt_add(tt_cast_at(caller, j, TT_I32), tt_i(1));
    const tt_val row = tt_arange_at(caller, TT_I32, tt_dim_at(caller, h, 0));
    const tt_val whole = tt_where(tt_eq(row, place), tt_where(some, norm, tt_f(0)), column);
    const tt_val b2 = tt_dynamic_update_slice_at(caller, basis, tt_expand_dims_at(caller, next, 0), 0, place);
    return tt_tuple(b2, tt_dynamic_update_slice_at(caller, h, tt_expand_dims_at(caller, whole, 1), 1, j), w);
}

static tt_val gmres_next(void *env, int n, const tt_val *v)
{
    const solver *k = env;
    (void)n;
    caller = k->site;
    const tt_val x = tt_item(*v, 0), r = tt_item(*v, 1), w = tt_item(*v, 4), size = tt_sqrt(krylov_dot(r, r));
    const int64_t m = k->restart, count = tt_count_at(caller, r);
    const tt_dtype d = tt_dtype_of_at(caller, r);
    const tt_val zeros = tt_full_at(caller, 0, d, (const int64_t[]){ m, count, TT_DIM_END });
    const tt_val unit = tt_expand_dims_at(caller, tt_div(r, size), 0);
    const tt_val basis = tt_concat_at(caller, 0, (const tt_val[]){ unit, zeros, tt_end });
    const tt_val h = tt_full_at(caller, 0, d, (const int64_t[]){ m + 1, m, TT_DIM_END });
    const tt_fn next = tt_bind_env("direction", direction, (void *)(uintptr_t)k, sizeof *k, 2);
    const tt_val end = tt_fori_at(caller, 0, m, next, tt_tuple(basis, h, w));
    const tt_val row = tt_arange_at(caller, TT_I32, m + 1), goal = tt_where(tt_eq(row, tt_i(0)), size, tt_f(0));
    const tt_val y = tt_lstsq_at(caller, tt_item(end, 1), goal);
    const tt_val to = tt_add(x, product(y, tt_slice_at(caller, tt_item(end, 0), 0, 0, m, 1)));
    const tt_val rest = tt_add(r, tt_sub(applied(k, x, w), applied(k, to, w)));
    return tt_tuple(to, rest, tt_add(tt_item(*v, 2), tt_i(1)), tt_item(*v, 3), w);
}

/* ---- a solution, flat: b and x0 [n] ---- */

static tt_val solved(const solver *k, tt_val b, tt_val x0, tt_val w)
{
    const tt_dtype d = tt_dtype_of_at(caller, b);
    const int64_t none[] = { TT_DIM_END };
    const tt_val limit = tt_max(tt_mul(krylov_dot(b, b), tt_f(k->tol * k->tol)), tt_f(k->atol * k->atol));
    const tt_val r = tt_sub(b, applied(k, x0, w)), start = tt_full_at(caller, 0, TT_I32, none);
    const tt_val zero = tt_mul(r, tt_f(0)), one = tt_full_at(caller, 1, d, none);
    if (k->kind == CG) {
        const tt_val state = tt_tuple(x0, r, r, krylov_dot(r, r), start, limit, w);
        return tt_item(tt_while_at(caller, krylov_fn(k, "more", cg_more), krylov_fn(k, "next", cg_next), state), 0);
    }
    if (k->kind == GMRES) {
        const tt_val state = tt_tuple(x0, r, start, limit, w);
        return tt_item(tt_while_at(caller, krylov_fn(k, "more", gmres_more), krylov_fn(k, "next", gmres_next), state),
                       0);
    }
    const tt_val state =
        tt_tuple_at(caller, (const tt_val[]){ x0, r, r, zero, zero, tt_tuple(one, one, one), start, limit, w, tt_end });
    return tt_item(tt_while_at(caller, krylov_fn(k, "more", bicg_more), krylov_fn(k, "next", bicg_next), state), 0);
}

/* ---- with derivatives: (b, x0, w) ---- */

static tt_val krylov_value(void *env, int n, const tt_val *v)
{
    const solver *k = env;
    (void)n;
    caller = k->site;
    return solved(k, v[0], v[1], v[2]);
}
static tt_val krylov_forward(void *env, int n, const tt_val *v)
{
    const solver *k = env;
    (void)n;
    caller = k->site;
    const tt_val x = solved(k, v[0], v[1], v[2]);
    return tt_tuple(x, tt_tuple(x, v[2]));
}
static tt_val krylov_backward(void *env, int n, const tt_val *v) /* (x, w), the cotangent of x */
{
    const solver *k = env;
    (void)n;
    caller = k->site;
    solver back = *k;
    const tt_val x = tt_item(v[0], 0), w = tt_item(v[0], 1), zero = tt_mul(v[1], tt_f(0));
    back.turned = k->kind != CG;
    const tt_val l = solved(&back, v[1], zero, back.turned ? tt_tuple(w, x) : w);
    if (!k->with) return tt_tuple(l, zero, tt_mul(w, tt_f(0)));
    const tt_val down = tt_item(cotangents(k, x, w, tt_neg(l)), 1);
    return tt_tuple(l, zero, down);
}

/* The function A of vectors [n], from the user's A of arrays of b's shape. */
typedef struct {
    tt_fn f;
    const char *site;
    int64_t with, rank, dim[12];
} shaped;
static tt_val shaped_value(void *env, int n, const tt_val *v)
{
    const shaped *s = env;
    int64_t dim[13];
    memcpy(dim, s->dim, sizeof s->dim);
    dim[s->rank] = TT_DIM_END;
    const tt_val args[] = { tt_reshape_at(s->site, v[0], dim), n > 1 ? v[1] : v[0] };
    const tt_val y = tt_call_n(s->site, s->f, s->with ? 2 : 1, args);
    bool same = tt_rank_at(s->site, y) == (int)s->rank;
    for (int i = 0; same && i < (int)s->rank; i++) same = tt_dim_at(s->site, y, i) == s->dim[i];
    if (!same && tt_ok())
        return tt_fail_at(s->site, TT_ESHAPE, "the linear map returned %s for %s; expected the same shape",
                          tt_type_text_at(s->site, y), tt_type_text_at(s->site, args[0]));
    return tt_reshape_at(s->site, y, (const int64_t[]){ -1, TT_DIM_END });
}

static tt_val krylov(const char *site, const char *what, int kind, tt_fn f, tt_val b, const tt_krylov_opts *o)
{
    if (!TT_CHECKED(tt_krylov_opts, site, what, o) || !tt_ok()) return tt_poison;
    caller = site;
    const int rank = tt_rank_at(site, b);
    if (rank < 0 || rank > 12 || tt_dtype_kind(tt_dtype_of_at(site, b)) == 'c')
        return tt_fail_at(site, TT_ETYPE, "%s: b is %s; expected an array of real numbers", what,
                          rank < 0 ? "a tree" : tt_type_text_at(site, b));
    if (!(o->tol >= 0) || !(o->atol >= 0))
        return tt_fail_at(site, TT_EARG, "%s: .tol = %g, .atol = %g; expected 0 or more", what, o->tol, o->atol);
    if (kind != GMRES && o->restart)
        return tt_fail_at(site, TT_EARG, "%s has no .restart; tt_gmres has it", what);
    b = num_real(site, b);
    const int64_t count = tt_count_at(site, b), flat[] = { -1, TT_DIM_END };
    const bool with = o->with.slot || o->with.born, begun = o->x0.slot || o->x0.born;
    if (!count) return b;
    shaped s;
    solver k;
    memset(&s, 0, sizeof s), memset(&k, 0, sizeof k); /* zeroes padding: the bytes are keys */
    s.f = f, s.site = site, s.with = with, s.rank = rank;
    for (int i = 0; i < rank; i++) s.dim[i] = tt_dim_at(site, b, i);
    k.site = site, k.f = tt_bind_env(what, shaped_value, &s, sizeof s, with ? 2 : 1), k.kind = kind, k.with = with;
    k.tol = o->tol != 0 || tt_given(o, "tol") ? o->tol : 1e-5, k.atol = o->atol;
    k.maxiter = o->maxiter ? o->maxiter : 10 * count < INT32_MAX ? 10 * count : INT32_MAX;
    k.restart = o->restart ? o->restart : 20;
    if (k.restart > count) k.restart = count;
    const tt_val vector = tt_reshape_at(site, b, flat), zero = tt_mul(tt_stop_gradient(vector), tt_f(0));
    bool alike = !begun || tt_rank_at(site, o->x0) == rank;
    for (int i = 0; alike && begun && i < rank; i++) alike = tt_dim_at(site, o->x0, i) == s.dim[i];
    if (!alike)
        return tt_fail_at(site, TT_ESHAPE, "%s: x0 is %s; expected b's shape, %s", what, tt_type_text_at(site, o->x0),
                          tt_type_text_at(site, b));
    const tt_val x0 = begun ? tt_add(zero, tt_reshape_at(site, o->x0, flat)) : zero;
    const tt_val args[] = { vector, x0, with ? o->with : tt_full_at(site, 0, TT_F32, flat + 1) };
    const tt_fn value = tt_bind_env(what, krylov_value, &k, sizeof k, 3);
    const tt_fn forward = tt_bind_env(what, krylov_forward, &k, sizeof k, 3);
    const tt_fn backward = tt_bind_env(what, krylov_backward, &k, sizeof k, 2);
    const tt_val x = tt_call_n(site, tt_custom_vjp_at(site, value, forward, backward), 3, args);
    int64_t dim[13];
    memcpy(dim, s.dim, sizeof s.dim);
    dim[rank] = TT_DIM_END;
    return tt_reshape_at(site, x, dim);
}

tt_val tt_cg_at(const char *site, tt_fn f, tt_val b, const tt_krylov_opts *o)
{
    TT_ENTRY(site);
    return krylov(site, "cg", CG, f, b, o);
}
tt_val tt_bicgstab_at(const char *site, tt_fn f, tt_val b, const tt_krylov_opts *o)
{
    TT_ENTRY(site);
    return krylov(site, "bicgstab", BICGSTAB, f, b, o);
}
tt_val tt_gmres_at(const char *site, tt_fn f, tt_val b, const tt_krylov_opts *o)
{
    TT_ENTRY(site);
    return krylov(site, "gmres", GMRES, f, b, o);
}
