/* num/matrix.c - functions of matrices composed of those in tutti/linalg.h: exponential, square root, polar form;
 * solutions from factors; matrices defined by a rule. */
#include "num.h"

#include <math.h>

/* The caller's site, for every operation below. */
static _Thread_local const char *caller;
#undef TT_AT
#define TT_AT(text) ((void)sizeof(text), caller)

static tt_val times(tt_val a, tt_val b)
{
    const tt_matmul_opts usual = { .size = sizeof usual };
    return tt_matmul_at(caller, a, b, &usual);
}
static tt_val scaled(double c, tt_val v) { return tt_mul(tt_f(c), v); }

/* True if v is a square matrix, or a batch of them; else sets the error. Converts v to floats and sets the caller's
 * site. */
static bool matrix_square(const char *site, const char *what, tt_val *v)
{
    caller = site;
    const int rank = tt_ok() ? tt_rank_at(site, *v) : -1;
    if (rank >= 2 && tt_dim_at(site, *v, rank - 1) == tt_dim_at(site, *v, rank - 2)) {
        *v = num_real(site, *v);
        return tt_ok();
    }
    if (tt_ok())
        tt_fail_at(site, TT_ESHAPE, "%s: of %s; expected a square matrix, or a batch of them", what,
                   rank < 0 ? "a tree" : tt_type_text_at(site, *v));
    return false;
}

static tt_val unit_like(tt_val v)
{
    const tt_eye_opts square = { .size = sizeof square };
    return tt_eye_at(caller, tt_dtype_of_at(caller, v), tt_dim_at(caller, v, -1), &square);
}

/* ---- the exponential ---- */

/* (odd part, even part) of the numerator of the approximant, of degree 7, or if `high` of degree 13. */
static void pade(tt_val a, bool high, tt_val *odd, tt_val *even)
{
    static const double low[] = { 17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1 };
    static const double all[] = { 64764752532480000,
                                  32382376266240000,
                                  7771770303897600,
                                  1187353796428800,
                                  129060195264000,
                                  10559470521600,
                                  670442572800,
                                  33522128640,
                                  1323241920,
                                  40840800,
                                  960960,
                                  16380,
                                  182,
                                  1 };
    const double *const c = high ? all : low;
    const tt_val a2 = times(a, a), a4 = times(a2, a2), a6 = times(a4, a2), one = unit_like(a);
    const tt_val power[] = { one, a2, a4, a6 };
    tt_val part[2];
    for (int k = 0; k < 2; k++) {
        part[k] = scaled(c[k ? 1 : 0], one);
        for (int i = 1; i < 4; i++) part[k] = tt_add(part[k], scaled(c[2 * i + k], power[i]));
        if (!high) continue;
        tt_val top = scaled(c[8 + k], a2);
        top = tt_add(tt_add(top, scaled(c[10 + k], a4)), scaled(c[12 + k], a6));
        part[k] = tt_add(part[k], times(a6, top));
    }
    *even = part[0], *odd = times(a, part[1]);
}

static tt_val square_once(tt_val i, tt_val state) /* (R, how often) */
{
    const tt_val r = tt_item(state, 0), often = tt_item(state, 1);
    const tt_val more = tt_lt(tt_cast_at(caller, i, tt_dtype_of_at(caller, often)), often);
    return tt_tuple(tt_where(more, times(r, r), r), often);
}

tt_val tt_expm_at(const char *site, tt_val v)
{
    TT_ENTRY(site);
    enum { MOST = 16 };
    if (!matrix_square(site, "expm", &v)) return tt_poison;
    const tt_dtype d = tt_dtype_of_at(site, v);
    const bool high = d == TT_F64 || d == TT_C128;
    const tt_reduce_opts rows = { .size = sizeof rows, .dims = "-2", .keepdims = 1 };
    const tt_reduce_opts columns = { .size = sizeof columns, .dims = "-1", .keepdims = 1 };
    if (tt_dim_at(site, v, -1) == 0) return v;
    const tt_val size = tt_stop_gradient(tt_abs(v));
    const tt_val norm = tt_amax_at(site, tt_sum_at(site, size, &rows), &columns);
    const tt_val ratio = scaled(high ? 1 / 5.371920351148152 : 1 / 3.925724783138660, norm);
    const tt_val often = tt_stop_gradient(tt_max(tt_f(0), tt_ceil(tt_log2_at(site, ratio))));
    const tt_val a = tt_mul(v, tt_exp2_at(site, tt_neg(often)));
    tt_val odd, even;
    pade(a, high, &odd, &even);
    const tt_val r = tt_solve_at(site, tt_sub(even, odd), tt_add(even, odd));
    const tt_val end = tt_fori_at(site, 0, MOST, TT_FN(square_once), tt_tuple(r, often));
    return tt_where(tt_gt(often, tt_f(MOST)), tt_f(NAN), tt_item(end, 0));
}

/* ---- the square root: of the Schur form column by column ---- */

/* One column of (T, U): column j of U from the columns before j, by (U + u_jj) u = t_j. */
static tt_val root_column(tt_val j, tt_val state)
{
    const tt_val t = tt_item(state, 0), u = tt_item(state, 1);
    const int64_t n = tt_dim_at(caller, t, 0);
    const tt_triangular_opts upper = { .size = sizeof upper };
    const tt_val row = tt_arange_at(caller, TT_I32, n), at = tt_cast_at(caller, j, TT_I32);
    const tt_val above = tt_expand_dims_at(caller, tt_lt(row, at), 1),
                 here = tt_expand_dims_at(caller, tt_eq(row, at), 1);
    const tt_val column = tt_dynamic_slice_at(caller, t, 1, j, 1);
    const tt_val root = tt_sqrt(tt_dynamic_slice_at(caller, column, 0, j, 1)), zero = tt_f(0);
    const tt_val diagonal = tt_mul(unit_like(t), tt_where(above, root, tt_f(1)));
    const tt_val x = tt_triangular_solve_at(caller, tt_add(u, diagonal), tt_where(above, column, zero), &upper);
    return tt_tuple(t, tt_dynamic_update_slice_at(caller, u, tt_where(here, root, x), 1, j));
}

static tt_val root_one(void *env, int n, const tt_val *v)
{
    caller = *(const char **)env;
    (void)n;
    const tt_val parts = tt_schur_at(caller, v[0]), t = tt_item(parts, 0), z = tt_item(parts, 1);
    const tt_val start = tt_tuple(t, tt_mul(t, tt_f(0)));
    const tt_val u = tt_item(tt_fori_at(caller, 0, tt_dim_at(caller, t, 0), TT_FN(root_column), start), 1);
    return times(times(z, u), tt_swapaxes_at(caller, tt_conj_at(caller, z), -1, -2));
}

tt_val tt_sqrtm_at(const char *site, tt_val v)
{
    TT_ENTRY(site);
    if (!matrix_square(site, "sqrtm", &v)) return tt_poison;
    if (tt_dtype_kind(tt_dtype_of_at(site, v)) != 'c') v = tt_complex(v, tt_mul(v, tt_f(0)));
    const tt_vmap_opts usual = { .size = sizeof usual };
    tt_fn f = tt_bind_env("sqrtm", root_one, &site, sizeof site, 1);
    for (int i = tt_rank_at(site, v); i > 2; i--) f = tt_vmap_at(site, f, &usual);
    return tt_count_at(site, v) ? tt_call_n(site, f, 1, &v) : v;
}

tt_val tt_polar_at(const char *site, tt_val v)
{
    TT_ENTRY(site);
    const int rank = tt_ok() ? tt_rank_at(site, v) : -1;
    caller = site;
    if (rank < 2 || tt_dim_at(site, v, -2) < tt_dim_at(site, v, -1))
        return tt_fail_at(site, TT_ESHAPE, "polar: of %s; expected [.., m, n] with m >= n",
                          rank < 0 ? "a tree" : tt_type_text_at(site, v));
    const tt_matrix_opts thin = { .size = sizeof thin };
    const tt_val parts = tt_svd_at(site, v, &thin), u = tt_item(parts, 0), s = tt_item(parts, 1), w = tt_item(parts, 2);
    const tt_val back = tt_swapaxes_at(site, tt_conj_at(site, w), -1, -2);
    return tt_tuple(times(u, w), times(tt_mul(back, tt_expand_dims_at(site, s, -2)), w));
}

/* ---- solutions from factors ---- */

tt_val tt_cho_solve_at(const char *site, tt_val factor, tt_val b, const tt_matrix_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_matrix_opts, site, "cho_solve", o)) return tt_poison;
    if (o->full) return tt_fail_at(site, TT_EARG, "cho_solve has no .full");
    const tt_triangular_opts lower = { .size = sizeof lower, .lower = 1 }, upper = { .size = sizeof upper };
    const tt_triangular_opts back = { .size = sizeof back, .lower = !o->upper, .adjoint = 1 };
    const tt_val y = tt_triangular_solve_at(site, factor, b, o->upper ? &back : &lower);
    return tt_triangular_solve_at(site, factor, y, o->upper ? &upper : &back);
}

tt_val tt_lu_solve_at(const char *site, tt_val lu, tt_val b)
{
    TT_ENTRY(site);
    const tt_triangular_opts lower = { .size = sizeof lower, .lower = 1, .unit = 1 }, upper = { .size = sizeof upper };
    const tt_take_opts inside = { .size = sizeof inside, .mode = "promise_in_bounds" };
    caller = site;
    if (!tt_ok()) return tt_poison;
    if (tt_rank_at(site, lu) >= 0 || tt_tree_leaves_at(site, lu, 0, NULL) != 3) {
        const tt_val bad = tt_fail_at(site, TT_ETREE, "lu_solve: the first argument is not a result of tt_lu");
        tt_hint("tt_lu_solve(tt_lu(v), b)");
        return bad;
    }
    const tt_val packed = tt_item(lu, 0), order = tt_item(lu, 2);
    const int rank = tt_rank_at(site, packed);
    if (rank != 2) {
        const tt_val bad =
            tt_fail_at(site, TT_ESHAPE, "lu_solve: of %s; expected one matrix", tt_type_text_at(site, packed));
        tt_hint("tt_vmap maps it over a batch of them");
        return bad;
    }
    const tt_val rows = tt_take_at(site, b, order, 0, &inside);
    return tt_triangular_solve_at(site, packed, tt_triangular_solve_at(site, packed, rows, &lower), &upper);
}

/* ---- matrices by rule ---- */

static bool matrix_ends(tt_val v) { return v.slot == UINT32_MAX && v.born == UINT32_MAX; }

tt_val tt_block_diag_at(const char *site, const tt_val *v)
{
    TT_ENTRY(site);
    int64_t columns = 0, before = 0;
    int n = 0;
    caller = site;
    for (; v && !matrix_ends(v[n]) && tt_ok(); n++) {
        const int rank = tt_rank_at(site, v[n]);
        if (rank < 0 || rank > 2)
            return tt_fail_at(site, TT_ESHAPE, "block_diag: item %d is %s; expected a matrix", n,
                              rank < 0 ? "a tree" : tt_type_text_at(site, v[n]));
        columns += rank ? tt_dim_at(site, v[n], -1) : 1;
    }
    if (!n) return tt_fail_at(site, TT_EARG, "block_diag: of no matrices");
    tt_val all = v[0];
    for (int i = 0; i < n && tt_ok(); i++) {
        tt_val one = v[i];
        while (tt_rank_at(site, one) < 2) one = tt_expand_dims_at(site, one, 0);
        const int64_t own = tt_dim_at(site, one, 1), low[] = { 0, before }, high[] = { 0, columns - before - own };
        const int64_t none[] = { 0, 0 };
        one = tt_pad_at(site, one, tt_i(0), low, high, none);
        all = i ? tt_concat_at(site, 0, (const tt_val[]){ all, one, tt_end }) : one;
        before += own;
    }
    return tt_ok() ? all : tt_poison;
}

tt_val tt_toeplitz_at(const char *site, tt_val c, tt_val r)
{
    TT_ENTRY(site);
    const tt_take_opts inside = { .size = sizeof inside, .mode = "promise_in_bounds" };
    caller = site;
    if (!tt_ok()) return tt_poison;
    if (tt_rank_at(site, c) != 1 || tt_rank_at(site, r) != 1)
        return tt_fail_at(site, TT_ESHAPE, "toeplitz: a column %s and a row %s; expected [m] and [n]",
                          tt_type_text_at(site, c), tt_type_text_at(site, r));
    const int64_t m = tt_dim_at(site, c, 0), n = tt_dim_at(site, r, 0);
    if (!m || !n)
        return tt_fail_at(site, TT_ESHAPE, "toeplitz: a column of %lld and a row of %lld elements; expected 1 or more",
                          (long long)m, (long long)n);
    const tt_val rest = tt_reverse_at(site, tt_slice_at(site, r, 0, 1, n, 1), 0);
    const tt_val all = tt_concat_at(site, 0, (const tt_val[]){ rest, c, tt_end });
    const tt_val i = tt_expand_dims_at(site, tt_arange_at(site, TT_I32, m), 1);
    const tt_val j = tt_expand_dims_at(site, tt_arange_at(site, TT_I32, n), 0);
    return tt_take_at(site, all, tt_add(tt_sub(i, j), tt_i(n - 1)), 0, &inside);
}
