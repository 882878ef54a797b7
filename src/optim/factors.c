/* optim/factors.c - parts whose second moments are kept per row and per column: Adafactor (Shazeer and Stern, 2018) and
 * SM3 (Anil and others, 2019). */
#include "optim.h"

#include <stdio.h>

enum { RANK = 12 };

/* ---- Adafactor: k = factored, decay_rate, step_offset, min_dim_size_to_factor, epsilon ---- */

/* The two largest dims of a leaf whose moments are factored, the smaller one first; of equal ones the later is larger.
 * False: they are kept as they are. */
static bool factored(const char *site, const optim_part *p, tt_val v, int *small, int *large)
{
    const int rank = tt_rank_at(site, v);
    int a = -1, b = -1; /* the second largest and the largest so far */
    if (p->k[0] == 0 || rank < 2) return false;
    for (int i = 0; i < rank; i++) {
        const int64_t n = tt_dim_at(site, v, i);
        if (b < 0 || n >= tt_dim_at(site, v, b)) a = b, b = i;
        else if (a < 0 || n >= tt_dim_at(site, v, a)) a = i;
    }
    *small = a, *large = b;
    return (double)tt_dim_at(site, v, a) >= p->k[3];
}

static tt_val mean_over(const char *site, tt_val v, int dim, int keep)
{
    char text[8];
    snprintf(text, sizeof text, "%d", dim);
    const tt_reduce_opts o = { .size = sizeof o, .dims = text, .keepdims = keep };
    return tt_mean_at(site, v, &o);
}

static tt_val factor_none(const char *site, tt_val v)
{
    return tt_full_at(site, 0, tt_dtype_of_at(site, v), (const int64_t[]){ 1, TT_DIM_END });
}

/* fields: v_row, v_col, v */
static tt_val factor_shape(const char *site, const optim_part *p, int f, tt_val v)
{
    int small, large;
    const bool split = factored(site, p, v, &small, &large);
    if (f == 2) return split ? factor_none(site, v) : (tt_val){ 0, 0 };
    if (!split) return factor_none(site, v);
    return mean_over(site, optim_zeros_like(site, v, tt_dtype_of_at(site, v)), f ? small : large, 0);
}

static void factor_begin(optim_step *s, optim_part *p) /* 1 - (t - offset)^-decay_rate */
{
    const tt_val t = tt_sub_at(s->site, s->t, tt_f(p->k[2]));
    p->s[0] = tt_sub_at(s->site, tt_f(1), tt_pow_at(s->site, t, tt_f(-p->k[1])));
}

static void factor(optim_step *s, optim_part *p, int i)
{
    const char *site = s->site;
    const tt_val g = s->u[i], b = p->s[0], square = F("g*g + eps", g, tt_f(p->k[4])), power = tt_f(-0.5);
    int small, large;
    const tt_dtype d = tt_dtype_of_at(site, s->p[i]);
    if (!factored(site, p, s->p[i], &small, &large)) {
        const tt_val v = p->f[2][i] = tt_cast_at(site, F("b*v + (1 - b)*q", b, p->f[2][i], square), d);
        s->u[i] = tt_mul_at(site, g, tt_pow_at(site, v, power));
        return;
    }
    const tt_val rows = mean_over(site, square, large, 0), columns = mean_over(site, square, small, 0);
    const tt_val row = p->f[0][i] = tt_cast_at(site, F("b*v + (1 - b)*m", b, p->f[0][i], rows), d);
    const tt_val column = p->f[1][i] = tt_cast_at(site, F("b*v + (1 - b)*m", b, p->f[1][i], columns), d);
    const tt_val mean = mean_over(site, row, small > large ? small - 1 : small, 1);
    const tt_val by_row = tt_pow_at(site, tt_div_at(site, row, mean), power);
    const tt_val by_column = tt_pow_at(site, column, power);
    s->u[i] = tt_mul_at(site, tt_mul_at(site, g, tt_expand_dims_at(site, by_row, large)),
                        tt_expand_dims_at(site, by_column, small));
}

/* ---- SM3: k = b1, b2, eps; fields: the accumulators of all dims, one after the other; the momentum ---- */

static tt_val sm3_shape(const char *site, const optim_part *p, int f, tt_val v)
{
    int64_t n = 0;
    (void)p;
    if (f != 0) return (tt_val){ 0, 0 };
    for (int k = 0; k < tt_rank_at(site, v); k++) n += tt_dim_at(site, v, k);
    return tt_full_at(site, 0, tt_dtype_of_at(site, v), (const int64_t[]){ n, TT_DIM_END });
}

/* The largest element for each index of dim k. */
static tt_val sm3_most(const char *site, tt_val v, int k)
{
    char dims[48] = "";
    size_t n = 0;
    for (int i = 0; i < tt_rank_at(site, v); i++)
        if (i != k && n < sizeof dims) n += (size_t)snprintf(dims + n, sizeof dims - n, "%s%d", n ? ", " : "", i);
    const tt_reduce_opts o = { .size = sizeof o, .dims = dims };
    return tt_amax_at(site, v, &o);
}

static void sm3(optim_step *s, optim_part *p, int i)
{
    const char *site = s->site;
    const tt_val g = s->u[i], old = p->f[0][i], eps = tt_f(p->k[2]), zero = tt_f(0);
    const int rank = tt_rank_at(site, g);
    tt_val least = zero, most[RANK + 1];
    if (!rank || rank > RANK) {
        tt_fail_at(site, TT_ESHAPE, "scale_by_sm3: \"%s\" has %d dims; expected 1 to %d",
                   tt_leaf_path_at(site, s->params, i), rank, RANK);
        return;
    }
    for (int k = 0, at = 0; k < rank; at += (int)tt_dim_at(site, g, k), k++) {
        int64_t shape[RANK + 1];
        for (int j = 0; j < rank; j++) shape[j] = j == k ? tt_dim_at(site, g, k) : 1;
        shape[rank] = TT_DIM_END;
        const tt_val one = tt_slice_at(site, old, 0, at, at + tt_dim_at(site, g, k), 1);
        const tt_val wide = tt_reshape_at(site, one, shape);
        least = k ? tt_min_at(site, least, wide) : wide;
    }
    const tt_val a = tt_f(p->k[1] != 1 ? 1 - p->k[1] : 1), b = tt_f(p->k[1]);
    const tt_val sum = F("a*(g*g) + b*v", a, g, b, least);
    const tt_val some = tt_compare_at(site, 4, sum, zero);
    const tt_val up = tt_mul_at(site, g, tt_where_at(site, some, F("rsqrt(sum + eps)", sum, eps), zero));
    s->u[i] = p->f[1][i] = F("a1*up + b1*m", tt_f(1 - p->k[0]), up, tt_f(p->k[0]), p->f[1][i]);
    for (int k = 0; k < rank; k++) most[k] = rank == 1 ? sum : sm3_most(site, sum, k);
    most[rank] = tt_end;
    p->f[0][i] = tt_concat_at(site, 0, most);
}

const optim_rule optim_factors[] = {
    { "scale_by_factored_rms", "factored?=1 decay_rate=0.8 step_offset=0 min_dim_size_to_factor=128 epsilon=1e-30",
      "v_row v_col v", COUNTS, factor_begin, factor, NULL, factor_shape },
    { "scale_by_sm3", "b1=0.9 b2=1 eps=1e-8", "mu nu", 0, NULL, sm3, NULL, sm3_shape },
    { NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL },
};
