/* num/norm.c - norms of vectors and matrices, in jax.numpy.linalg's order of operations. */
#include "num.h"

#include <math.h>
#include <string.h>

enum { RANK = 12 };
typedef enum { NORM_FRO, NORM_NUC, NORM_NUMBER } norm_kind;
typedef struct {
    const char *site;
    norm_kind kind;
    double p;
} norm_of;

static tt_reduce_opts kept(int n, const int *dim, char text[NUM_DIMS_TEXT])
{
    return (tt_reduce_opts){ .size = sizeof(tt_reduce_opts), .dims = num_dims_text(n, dim, text), .keepdims = 1 };
}

/* sqrt(sum of |x|^2) */
static tt_val euclid(const norm_of *q, tt_val v, const tt_reduce_opts *over)
{
    const tt_val square = num_complex(q->site, v) ? tt_real_at(q->site, tt_mul_at(q->site, v, tt_conj_at(q->site, v)))
                                                  : tt_mul_at(q->site, v, v);
    return tt_sqrt_at(q->site, tt_sum_at(q->site, square, over));
}

static tt_val norm_vector(const norm_of *q, tt_val v, int dim)
{
    char text[NUM_DIMS_TEXT];
    const char *const site = q->site;
    const tt_reduce_opts over = kept(1, &dim, text);
    if (q->kind == NORM_FRO || q->p == 2) return euclid(q, v, &over);
    const tt_val size = tt_abs_at(site, v);
    if (isinf(q->p)) return q->p > 0 ? tt_amax_at(site, size, &over) : tt_amin_at(site, size, &over);
    if (q->p == 1) return tt_sum_at(site, size, &over);
    if (q->p == 0) {
        const tt_val other = tt_cast_at(site, tt_compare_at(site, 1, v, tt_f(0)), tt_dtype_of_at(site, size));
        return tt_sum_at(site, other, &over);
    }
    const tt_val sum = tt_sum_at(site, tt_pow_at(site, size, tt_f(q->p)), &over);
    return tt_pow_at(site, sum, tt_f(1 / q->p));
}

/* The singular values; the two dims are moved to the end, and return with size 1. */
static tt_val norm_spectrum(const norm_of *q, tt_val v, const int *dim)
{
    const char *const site = q->site;
    const tt_reduce_opts last = { .size = sizeof last, .dims = "-1" };
    const int low = dim[0] < dim[1] ? dim[0] : dim[1], high = dim[0] + dim[1] - low;
    const tt_val matrix = tt_moveaxis_at(site, tt_moveaxis_at(site, v, high, -1), low, -2);
    const tt_val s = tt_svdvals_at(site, matrix);
    const tt_val y = q->kind == NORM_NUC ? tt_sum_at(site, s, &last)
                     : q->p > 0          ? tt_amax_at(site, s, &last)
                                         : tt_amin_at(site, s, &last);
    return tt_expand_dims_at(site, tt_expand_dims_at(site, y, low), high);
}

/* The norm of a matrix. dim: rows, columns. */
static tt_val norm_matrix(const norm_of *q, tt_val v, const int *dim)
{
    char text[NUM_DIMS_TEXT], other[NUM_DIMS_TEXT];
    const char *const site = q->site;
    const tt_reduce_opts both = kept(2, dim, text);
    if (q->kind == NORM_FRO) return euclid(q, v, &both);
    if (q->kind == NORM_NUC || fabs(q->p) == 2) return norm_spectrum(q, v, dim);
    if (fabs(q->p) != 1 && !isinf(q->p)) {
        tt_fail_at(site, TT_EARG, "norm: no norm \"%g\" of matrices", q->p);
        return tt_hint("the norms of matrices are fro, nuc, 1, -1, 2, -2, inf, -inf"), tt_poison;
    }
    const bool columns = fabs(q->p) == 1;
    const tt_reduce_opts first = kept(1, &dim[columns ? 0 : 1], text), second = kept(1, &dim[columns ? 1 : 0], other);
    const tt_val sum = tt_sum_at(site, tt_abs_at(site, v), &first);
    return q->p > 0 ? tt_amax_at(site, sum, &second) : tt_amin_at(site, sum, &second);
}

/* Reads the norm's name. Returns false with the error set if there is no such norm. */
static bool norm_read(norm_of *q, const char *text)
{
    char *end;
    q->kind = NORM_FRO;
    if (!text || !strcmp(text, "fro")) return true;
    q->kind = NORM_NUC;
    if (!strcmp(text, "nuc")) return true;
    q->kind = NORM_NUMBER;
    q->p = !strcmp(text, "inf") ? (double)INFINITY : !strcmp(text, "-inf") ? -(double)INFINITY : tt_strtod(text, &end);
    if (isinf(q->p) || (end != text && !*end && isfinite(q->p))) return true;
    tt_fail_at(q->site, TT_EARG, "norm: no norm \"%s\"", text);
    tt_hint_choices("beside numbers there are", text, -1, "fro, nuc, inf, -inf");
    return false;
}

tt_val tt_norm_at(const char *site, tt_val v, const tt_ord_opts *o)
{
    TT_ENTRY(site);
    int dim[RANK];
    norm_of q = { .site = site };
    if (!TT_CHECKED(tt_ord_opts, site, "norm", o) || !norm_read(&q, o->ord)) return tt_poison;
    const int rank = tt_rank_at(site, v), n = num_dims(site, "norm", v, o->dims, dim);
    if (n < 0) return tt_poison;
    v = num_real(site, v);
    const bool all = !o->dims && !o->ord; /* of all elements, as one vector */
    if (!all && n != 1 && n != 2) {
        tt_fail_at(site, TT_ESHAPE, "norm: over %d dims of %s; expected one or two", n, tt_type_text_at(site, v));
        return tt_hint("give .dims = \"-1\" for vectors, \"-2, -1\" for matrices"), tt_poison;
    }
    if (n == 1 && o->ord && q.kind != NORM_NUMBER) {
        tt_fail_at(site, TT_EARG, "norm: \"%s\" is a norm of matrices; expected two dims, not one", o->ord);
        return tt_poison;
    }
    char text[NUM_DIMS_TEXT];
    const tt_reduce_opts over = kept(n, dim, text);
    const tt_val y = all ? euclid(&q, v, &over) : n == 1 ? norm_vector(&q, v, dim[0]) : norm_matrix(&q, v, dim);
    if (o->keepdims || !tt_ok()) return y;
    int64_t left[RANK + 1];
    int k = 0;
    for (int d = 0; d < rank; d++) {
        bool gone = false;
        for (int i = 0; i < n; i++) gone |= dim[i] == d;
        if (!gone) left[k++] = tt_dim_at(site, v, d);
    }
    left[k] = TT_DIM_END;
    return tt_reshape_at(site, y, left);
}
