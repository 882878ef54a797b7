/* num/softmax.c - softmax and log_softmax over any dims, in the operation order of jax.nn; their derivatives are
 * computed from the result. */
#include "num.h"

#include <math.h>
#include <string.h>

enum { RANK = 12 };
typedef struct {
    const char *site;
    int n, dim[RANK];
} soft; /* the dims by value: it is a function's key */

static tt_reduce_opts soft_over(const soft *s, char text[NUM_DIMS_TEXT])
{
    return (tt_reduce_opts){ .size = sizeof(tt_reduce_opts), .dims = num_dims_text(s->n, s->dim, text), .keepdims = 1 };
}

/* v - max(v), where the maximum is a constant of differentiation; no elements have no maximum, and stay unchanged. */
static tt_val soft_shifted(const soft *s, tt_val v)
{
    char text[NUM_DIMS_TEXT];
    const tt_reduce_opts over = soft_over(s, text);
    if (!tt_count_at(s->site, v)) return v;
    return tt_sub_at(s->site, v, tt_stop_gradient_at(s->site, tt_amax_at(s->site, v, &over)));
}

static tt_val softmax(void *env, int n, const tt_val *v)
{
    const soft *const s = env;
    char text[NUM_DIMS_TEXT];
    const tt_reduce_opts over = soft_over(s, text);
    const tt_val e = tt_exp_at(s->site, soft_shifted(s, *v));
    (void)n;
    return tt_div_at(s->site, e, tt_sum_at(s->site, e, &over));
}

static tt_val softmax_tangent(void *env, int n, const tt_val *v) /* y (dx - sum(y dx)) */
{
    const soft *const s = env;
    char text[NUM_DIMS_TEXT];
    const tt_reduce_opts over = soft_over(s, text);
    const tt_val y = v[1], dx = tt_item_at(s->site, v[2], 0);
    (void)n;
    return tt_mul_at(s->site, y, tt_sub_at(s->site, dx, tt_sum_at(s->site, tt_mul_at(s->site, y, dx), &over)));
}

static tt_val log_softmax(void *env, int n, const tt_val *v)
{
    const soft *const s = env;
    char text[NUM_DIMS_TEXT];
    const tt_reduce_opts over = soft_over(s, text);
    const tt_val x = soft_shifted(s, *v);
    (void)n;
    return tt_sub_at(s->site, x, tt_log_at(s->site, tt_sum_at(s->site, tt_exp_at(s->site, x), &over)));
}

static tt_val log_softmax_tangent(void *env, int n, const tt_val *v) /* dx - sum(exp(y) dx) */
{
    const soft *const s = env;
    char text[NUM_DIMS_TEXT];
    const tt_reduce_opts over = soft_over(s, text);
    const tt_val dx = tt_item_at(s->site, v[2], 0), part = tt_mul_at(s->site, tt_exp_at(s->site, v[1]), dx);
    (void)n;
    return tt_sub_at(s->site, dx, tt_sum_at(s->site, part, &over));
}

/* True if v is an array of numbers that has the dims; else sets the error. */
static bool soft_takes(const char *what, tt_val v, const char *dims, soft *s)
{
    const int rank = tt_rank_at(s->site, v);
    if (!tt_ok()) return false;
    if (!rank && !dims) {
        tt_fail_at(s->site, TT_ESHAPE, "%s: of %s; expected rank 1 or more", what, tt_type_text_at(s->site, v));
        return false;
    }
    if (rank > 0 && tt_dtype_of_at(s->site, v) == TT_BOOL) {
        tt_fail_at(s->site, TT_ETYPE, "%s: of %s; expected numbers", what, tt_type_text_at(s->site, v));
        tt_hint("tt_cast(v, TT_F32) makes numbers of bools");
        return false;
    }
    s->n = num_dims(s->site, what, v, dims ? dims : "-1", s->dim);
    return s->n >= 0;
}

static tt_val soft_of(const char *site, const char *what, tt_val v, const tt_softmax_opts *o, tt_env_f *f, tt_env_f *df)
{
    soft s;
    const bool log = f == log_softmax;
    if (!TT_CHECKED(tt_softmax_opts, site, what, o)) return tt_poison;
    memset(&s, 0, sizeof s);
    s.site = site;
    if (!soft_takes(what, v, o->dims, &s)) return tt_poison;
    v = num_real(site, v);
    v = num_masked(site, what, o->where, v, -(double)INFINITY);
    const tt_fn y = tt_bind_env_at(NULL, what, f, &s, sizeof s, 1);
    const tt_fn dy = tt_bind_env_at(NULL, what, df, &s, sizeof s, 3);
    const tt_val all = tt_call_n(site, tt_custom_tangent_at(site, y, dy), 1, &v);
    return num_masked(site, what, o->where, all, log ? -(double)INFINITY : 0);
}

tt_val tt_softmax_at(const char *site, tt_val v, const tt_softmax_opts *o)
{
    TT_ENTRY(site);
    return soft_of(site, "softmax", v, o, softmax, softmax_tangent);
}
tt_val tt_log_softmax_at(const char *site, tt_val v, const tt_softmax_opts *o)
{
    TT_ENTRY(site);
    return soft_of(site, "log_softmax", v, o, log_softmax, log_softmax_tangent);
}
