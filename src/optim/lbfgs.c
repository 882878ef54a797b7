/* optim/lbfgs.c - the limited-memory BFGS method, as optax's scale_by_lbfgs: the gradient times an inverse Hessian that
 * is kept as the last differences of parameters and gradients (Nocedal, 1980). */
#include "optim.h"

#include <stdlib.h>

/* The sum over the part's leaves of the products of a and b. */
tt_val optim_dot(const optim_step *s, const tt_val *a, const tt_val *b)
{
    const tt_reduce_opts all = { .size = sizeof all };
    tt_val sum = tt_f(0);
    bool some = false;
    for (int i = 0; i < s->n; i++) {
        if (!s->on[i]) continue;
        const tt_val one = tt_sum_at(s->site, tt_mul_at(s->site, a[i], b[i]), &all);
        sum = some ? tt_add_at(s->site, sum, one) : one;
        some = true;
    }
    return some ? sum : tt_full_at(s->site, 0, TT_F32, (const int64_t[]){ TT_DIM_END });
}

/* ---- L-BFGS: k = memory_size, scale_init_precond; fields: params, updates, differences of both [m, ..] ---- */

static tt_val memory_shape(const char *site, const optim_part *p, int f, tt_val v)
{
    const int64_t m = (int64_t)p->k[0];
    if (f >= 0 && f < 2) return (tt_val){ 0, 0 };
    if (f < 0) return tt_full_at(site, 0, TT_F32, (const int64_t[]){ m, TT_DIM_END });
    const tt_val zero = optim_zeros_like(site, v, tt_dtype_of_at(site, v));
    return tt_repeat_at(site, tt_expand_dims_at(site, zero, 0), m, 0);
}

/* Row i of the memory [m, ..]. */
static tt_val memory_row(const char *site, tt_val v, tt_val i)
{
    return tt_squeeze_at(site, tt_dynamic_slice_at(site, v, 0, i, 1), 0);
}
static tt_val memory_with(const char *site, tt_val v, tt_val row, tt_val i)
{
    return tt_dynamic_update_slice_at(site, v, tt_expand_dims_at(site, row, 0), 0, i);
}

/* Writes the last differences into the memory; returns the scale of the initial matrix. */
static tt_val remember(optim_step *s, optim_part *p, tt_val slot, tt_val *rho)
{
    const char *site = s->site;
    const tt_val later = tt_compare_at(site, 4, s->count, tt_i(0)), zero = tt_f(0);
    tt_val *both = calloc(2 * (size_t)s->n + 1, sizeof *both), *dw = both, *dg = both ? both + s->n : NULL;
    if (!both) return tt_fail_at(site, TT_EMEM, "scale_by_lbfgs: out of memory");
    for (int i = 0; i < s->n; i++) {
        if (!s->on[i]) continue;
        dw[i] = tt_where_at(site, later, tt_sub_at(site, s->p[i], p->f[0][i]), zero);
        dg[i] = tt_where_at(site, later, tt_sub_at(site, s->u[i], p->f[1][i]), zero);
        p->f[2][i] = memory_with(site, p->f[2][i], dw[i], slot);
        p->f[3][i] = memory_with(site, p->f[3][i], dg[i], slot);
    }
    const tt_val curve = optim_dot(s, dg, dw), size = optim_dot(s, dg, dg), flat = tt_compare_at(site, 0, curve, zero);
    const tt_val safe = tt_where_at(site, flat, tt_f(1), curve);
    const tt_val weight = tt_where_at(site, flat, zero, tt_div_at(site, tt_f(1), safe));
    *rho = memory_with(site, *rho, tt_cast_at(site, weight, TT_F32), slot);
    free(both);
    if (p->k[1] == 0) return tt_full_at(site, 1, TT_F32, (const int64_t[]){ TT_DIM_END });
    const tt_val some = tt_compare_at(site, 4, size, zero), norm = tt_sqrt_at(site, optim_dot(s, s->u, s->u));
    const tt_val ratio =
        tt_where_at(site, some, tt_div_at(site, curve, tt_where_at(site, some, size, tt_f(1))), tt_f(1));
    const tt_val first = tt_min_at(site, tt_f(1), tt_div_at(site, tt_f(1), norm));
    return tt_where_at(site, later, ratio, first);
}

/* The two loops over the memory, from the newest to the oldest difference and back. */
static void lbfgs_begin(optim_step *s, optim_part *p)
{
    const char *site = s->site;
    const int m = (int)p->k[0];
    if (m > 1024) {
        tt_form_fail(&p->form, p->form.name, "memory_size = %d; at most 1024", m);
        return;
    }
    tt_val rho = tt_get_at(site, *s->state, p->number), alpha[1024];
    tt_val *old = calloc((size_t)s->n + 1, sizeof *old), *row = calloc((size_t)s->n + 1, sizeof *row);
    const tt_val slot = tt_rem_at(site, tt_add_at(site, s->count, tt_i(m - 1)), tt_i(m));
    if (!old || !row) {
        tt_fail_at(site, TT_EMEM, "scale_by_lbfgs: out of memory");
        free(old), free(row);
        return;
    }
    for (int i = 0; i < s->n; i++) old[i] = s->u[i];
    const tt_val scale = remember(s, p, slot, &rho);
    for (int turn = 0; turn < 2 * m && tt_ok(); turn++) {
        const int k = turn < m ? m - 1 - turn : turn - m; /* the k-th oldest */
        const tt_val at = tt_rem_at(site, tt_add_at(site, s->count, tt_i(k)), tt_i(m));
        const int from = turn < m ? 2 : 3, with = turn < m ? 3 : 2;
        if (turn == m)
            for (int i = 0; i < s->n; i++)
                if (s->on[i])
                    s->u[i] = tt_mul_at(site, s->u[i], tt_cast_at(site, scale, tt_dtype_of_at(site, s->u[i])));
        for (int i = 0; i < s->n; i++)
            if (s->on[i]) row[i] = memory_row(site, p->f[from][i], at);
        const tt_val dot = tt_mul_at(site, memory_row(site, rho, at), optim_dot(s, row, s->u));
        const tt_val by = turn < m ? tt_neg_at(site, dot) : tt_sub_at(site, alpha[k], dot);
        if (turn < m) alpha[k] = dot;
        for (int i = 0; i < s->n; i++) {
            if (!s->on[i]) continue;
            const tt_val step = tt_cast_at(site, by, tt_dtype_of_at(site, s->u[i]));
            s->u[i] = tt_add_at(site, s->u[i], tt_mul_at(site, step, memory_row(site, p->f[with][i], at)));
        }
    }
    for (int i = 0; i < s->n; i++)
        if (s->on[i]) p->f[0][i] = s->p[i], p->f[1][i] = old[i];
    *s->state = tt_set_at(site, *s->state, p->number, rho);
    free(old), free(row);
}

const optim_rule optim_memories[] = {
    { "scale_by_lbfgs", "memory_size=10 scale_init_precond?=1",
      "params updates diff_params_memory diff_updates_memory =weights_memory", COUNTS, lbfgs_begin, NULL, NULL,
      memory_shape },
    { NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL },
};
