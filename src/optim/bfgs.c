/* optim/bfgs.c - the BFGS method: a part whose direction is the inverse Hessian times the gradient, the parameters as
 * one vector (Nocedal and Wright, Numerical Optimization, algorithm 6.1), and tt_minimize, which repeats its steps. */
#include "optim.h"

#include <stdlib.h>
#include <string.h>

static const tt_reduce_opts all = { .size = sizeof(tt_reduce_opts) };

static tt_val one_vector(const optim_step *s, const tt_val *leaf)
{
    const int64_t flat[] = { -1, TT_DIM_END };
    tt_val *part = calloc((size_t)s->n + 1, sizeof *part);
    int n = 0;
    if (!part) return tt_fail_at(s->site, TT_EMEM, "scale_by_bfgs: out of memory");
    for (int i = 0; i < s->n; i++)
        if (s->on[i]) part[n++] = tt_reshape_at(s->site, leaf[i], flat);
    part[n] = tt_end;
    const tt_val v =
        n ? tt_concat_at(s->site, 0, part) : tt_full_at(s->site, 0, TT_F32, (const int64_t[]){ 0, TT_DIM_END });
    free(part);
    return v;
}

/* The state: the inverse Hessian, the last parameters and gradient. */
static tt_val bfgs_start(const char *site, const optim_part *p, int f, tt_val params)
{
    static const char *const names[] = { "grad", "hess_inv", "params" };
    const tt_eye_opts square = { .size = sizeof square };
    const int leaves = tt_tree_leaves_at(site, params, 0, NULL);
    tt_dtype d = TT_F32;
    int64_t n = 0;
    if (f >= 0) return (tt_val){ 0, 0 };
    for (int i = 0; i < leaves; i++) {
        const char *path = tt_leaf_path_at(site, params, i);
        const tt_val v = tt_get_at(site, params, path);
        if (tt_leaf_frozen_at(site, v) || !optim_takes(p, "only", path)) continue;
        n += tt_count_at(site, v);
        if (tt_dtype_of_at(site, v) == TT_F64) d = TT_F64;
    }
    const tt_val zero = tt_full_at(site, 0, d, (const int64_t[]){ n, TT_DIM_END });
    return tt_dict_n(site, 3, names, (const tt_val[]){ zero, tt_eye_at(site, d, n, &square), zero });
}

static tt_val bfgs_dot(const char *site, tt_val a, tt_val b) { return tt_sum_at(site, tt_mul_at(site, a, b), &all); }
static tt_val bfgs_apply(const char *site, tt_val h, tt_val v)
{
    const tt_matmul_opts usual = { .size = sizeof usual };
    return tt_matmul_at(site, h, v, &usual);
}

/* H + (s y + y H y) s s' / (s y)^2 - (H y s' + s y' H) / (s y), where s y is above 0 */
static tt_val bfgs_updated(const char *site, tt_val h, tt_val step, tt_val change)
{
    const tt_val curve = bfgs_dot(site, step, change), some = tt_compare_at(site, 4, curve, tt_f(0));
    const tt_val rho = tt_div_at(site, tt_f(1), tt_where_at(site, some, curve, tt_f(1))),
                 hy = bfgs_apply(site, h, change);
    const tt_val outer = tt_outer_at(site, hy, step), both = tt_add_at(site, outer, tt_transpose_at(site, outer, NULL));
    const tt_val v[] = { h, rho, both, bfgs_dot(site, change, hy), tt_outer_at(site, step, step), tt_end };
    const tt_val next =
        tt_formula_at(site, "h - rho*both + (rho*rho*size + rho)*square", "h, rho, both, size, square", v);
    return tt_where_at(site, some, next, h);
}

static void bfgs_begin(optim_step *s, optim_part *p)
{
    const char *site = s->site;
    tt_val mine = tt_get_at(site, *s->state, p->number);
    const tt_val later = tt_compare_at(site, 4, s->count, tt_i(0)), h = tt_get_at(site, mine, "hess_inv");
    const tt_val x = one_vector(s, s->p), g = one_vector(s, s->u);
    const tt_val step = tt_sub_at(site, x, tt_get_at(site, mine, "params"));
    const tt_val change = tt_sub_at(site, g, tt_get_at(site, mine, "grad"));
    const tt_val now = tt_where_at(site, later, bfgs_updated(site, h, step, change), h);
    const struct {
        const char *name;
        tt_val v;
    } t[] = { { "hess_inv", now }, { "params", x }, { "grad", g } };
    for (int i = 0; i < 3 && tt_ok(); i++) {
        const tt_dtype d = tt_dtype_of_at(site, tt_get_at(site, mine, t[i].name));
        mine = tt_set_at(site, mine, t[i].name, tt_cast_at(site, t[i].v, d));
    }
    *s->state = tt_set_at(site, *s->state, p->number, mine);
    p->s[0] = bfgs_apply(site, now, g);
}

static void bfgs_leaf(optim_step *s, optim_part *p, int i)
{
    const char *site = s->site;
    int64_t from = 0, dims[16];
    const int rank = tt_rank_at(site, s->u[i]);
    for (int k = 0; k < i; k++)
        if (s->on[k]) from += tt_count_at(site, s->u[k]);
    for (int k = 0; k < rank && k < 15; k++) dims[k] = tt_dim_at(site, s->u[i], k);
    dims[rank < 15 ? rank : 15] = TT_DIM_END;
    const tt_val part = tt_slice_at(site, p->s[0], 0, from, from + tt_count_at(site, s->u[i]), 1);
    s->u[i] = tt_cast_at(site, tt_reshape_at(site, part, dims), tt_dtype_of_at(site, s->u[i]));
}

const optim_rule optim_bfgs[] = {
    { "scale_by_bfgs", "", "=bfgs", COUNTS, bfgs_begin, bfgs_leaf, NULL, bfgs_start },
    { NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL },
};

/* ---- minimisation ---- */

typedef struct {
    const char *site;
    tt_fn f;
    double tol;
    int64_t maxiter, with;
} search;

static tt_val largest(const char *site, tt_val v) { return tt_amax_at(site, tt_abs_at(site, v), &all); }
static tt_val minimize_value_and_grad(const search *m, tt_val x, tt_val w)
{
    const tt_grad_opts usual = { .size = sizeof usual };
    const tt_val args[] = { x, w };
    return tt_call_n(m->site, tt_value_and_grad_at(m->site, m->f, &usual), m->with ? 2 : 1, args);
}

/* state: x, the optimizer's, iterations, the largest element of the gradient, true if it has stopped, w */
static tt_val minimize_more(void *env, int n, const tt_val *v)
{
    const search *m = env;
    const char *site = m->site;
    (void)n;
    const tt_val left = tt_compare_at(site, 2, tt_item_at(site, *v, 2), tt_i(m->maxiter));
    const tt_val large = tt_compare_at(site, 4, tt_item_at(site, *v, 3), tt_f(m->tol));
    return tt_and_at(site, tt_and_at(site, left, large), tt_not_at(site, tt_item_at(site, *v, 4)));
}
static tt_val minimize_next(void *env, int n, const tt_val *v)
{
    const search *m = env;
    const char *site = m->site;
    (void)n;
    tt_val x = tt_item_at(site, *v, 0), opt = tt_item_at(site, *v, 1);
    const tt_val w = tt_item_at(site, *v, 5), args[] = { w, tt_end };
    tt_opt_step_with_at(site, &x, &opt, m->f, m->with ? args : args + 1);
    const tt_val g = tt_item_at(site, minimize_value_and_grad(m, x, w), 1);
    const tt_val rate = tt_get_at(site, opt, "linesearch.learning_rate");
    const tt_val stuck = tt_not_at(site, tt_compare_at(site, 4, rate, tt_f(0)));
    return tt_tuple_at(site, (const tt_val[]){ x, opt, tt_add_at(site, tt_item_at(site, *v, 2), tt_i(1)),
                                               largest(site, g), stuck, w, tt_end });
}

static tt_val minimize_result(const search *m, tt_val end, tt_val w)
{
    static const char *const names[] = { "fun", "hess_inv", "jac", "nit", "success", "x" };
    const char *site = m->site;
    const tt_val x = tt_item_at(site, end, 0), both = minimize_value_and_grad(m, x, w);
    const tt_val success = tt_compare_at(site, 3, tt_item_at(site, end, 3), tt_f(m->tol));
    return tt_dict_n(site, 6, names,
                     (const tt_val[]){ tt_item_at(site, both, 0),
                                       tt_get_at(site, tt_item_at(site, end, 1), "bfgs.hess_inv"),
                                       tt_item_at(site, both, 1), tt_item_at(site, end, 2), success, x });
}

tt_val tt_minimize_at(const char *site, tt_fn f, tt_val x0, const tt_minimize_opts *o)
{
    TT_ENTRY(site);
    const int64_t none[] = { TT_DIM_END };
    if (!TT_CHECKED(tt_minimize_opts, site, "minimize", o) || !tt_ok()) return tt_poison;
    if (tt_rank_at(site, x0) < 0 || tt_dtype_kind(tt_dtype_of_at(site, x0)) != 'f')
        return tt_fail_at(site, TT_ETYPE, "minimize: x0 is %s; expected an array of floats",
                          tt_rank_at(site, x0) < 0 ? "a tree" : tt_type_text_at(site, x0));
    search m;
    memset(&m, 0, sizeof m); /* zeroes padding: its bytes are a key */
    m.site = site, m.f = f, m.with = o->with.slot || o->with.born, m.tol = o->tol != 0 ? o->tol : 1e-5;
    const int64_t most = 200 * tt_count_at(site, x0);
    m.maxiter = o->maxiter ? o->maxiter : most < INT32_MAX ? most : INT32_MAX;
    const tt_val x = tt_stop_gradient_at(site, x0), w = m.with ? tt_stop_gradient_at(site, o->with) : x;
    const tt_val opt = tt_optimizer_at(site, x,
                                       "scale_by_bfgs(); scale(-1); scale_by_zoom_linesearch(30, "
                                       "initial_guess_strategy=one)");
    const tt_val g = tt_item_at(site, minimize_value_and_grad(&m, x, w), 1);
    const tt_val zero = tt_full_at(site, 0, TT_I32, none), no = tt_compare_at(site, 4, zero, zero);
    const tt_val start[] = { x, opt, zero, largest(site, g), no, w, tt_end };
    const tt_fn more = tt_bind_env_at(NULL, "more", minimize_more, &m, sizeof m, 1);
    const tt_fn next = tt_bind_env_at(NULL, "minimize", minimize_next, &m, sizeof m, 1);
    const tt_val end = tt_while_at(site, more, next, tt_tuple_at(site, start));
    return tt_ok() ? minimize_result(&m, end, w) : tt_poison;
}
