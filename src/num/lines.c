/* num/lines.c - vectors and sampled lines: cross products, convolutions of rank 1, slopes, integrals. */
#include "num.h"

#include <string.h>

enum { RANK = 12 };

/* ---- cross ---- */

/* v[..., i]; 0 if i is beyond the last. */
static tt_val component(const char *site, tt_val v, int64_t i)
{
    if (i >= tt_dim_at(site, v, -1)) return tt_mul_at(site, component(site, v, 0), tt_i(0));
    return tt_squeeze_at(site, tt_slice_at(site, v, -1, i, i + 1, 1), -1);
}

static tt_val cross_part(const char *site, tt_val a, tt_val b, int i, int j) /* a_i b_j - a_j b_i */
{
    return tt_sub_at(site, tt_mul_at(site, component(site, a, i), component(site, b, j)),
                     tt_mul_at(site, component(site, a, j), component(site, b, i)));
}

tt_val tt_cross_at(const char *site, tt_val a, tt_val b)
{
    TT_ENTRY(site);
    if (!tt_ok()) return tt_poison;
    const bool ranks = tt_rank_at(site, a) > 0 && tt_rank_at(site, b) > 0;
    const int64_t m = ranks ? tt_dim_at(site, a, -1) : 0, n = ranks ? tt_dim_at(site, b, -1) : 0;
    if (!tt_ok()) return tt_poison;
    if (m < 2 || m > 3 || n < 2 || n > 3)
        return tt_fail_at(site, TT_ESHAPE, "cross: of %s and %s; expected last dims of size 2 or 3",
                          tt_type_text_at(site, a), tt_type_text_at(site, b));
    const tt_val last = cross_part(site, a, b, 0, 1);
    if (m == 2 && n == 2) return last;
    return tt_stack_values_at(
        site, -1, (const tt_val[]){ cross_part(site, a, b, 1, 2), cross_part(site, a, b, 2, 0), last, tt_end });
}

/* ---- convolutions of rank 1 ---- */

static tt_val line_convolved(const char *site, const char *what, tt_val a, tt_val b, const tt_line_opts *o, bool flips)
{
    if (!TT_CHECKED(tt_line_opts, site, what, o)) return tt_poison;
    const char *const mode = o->mode ? o->mode : flips ? "full" : "valid";
    if (!tt_ok()) return tt_poison;
    if (tt_rank_at(site, a) != 1 || tt_rank_at(site, b) != 1 || !tt_count_at(site, a) || !tt_count_at(site, b)) {
        if (tt_ok())
            tt_fail_at(site, TT_ESHAPE, "%s: of %s and %s; expected rank 1, of one element or more", what,
                       tt_type_text_at(site, a), tt_type_text_at(site, b));
        return tt_hint("tt_convolve convolves images"), tt_poison;
    }
    num_reals(site, &a, &b);
    if (!flips) b = num_complex(site, b) ? tt_conj_at(site, b) : b;
    const bool swaps = tt_count_at(site, a) < tt_count_at(site, b);
    const tt_val x = swaps ? b : a, w = flips ? tt_reverse_at(site, swaps ? a : b, 0) : swaps ? a : b;
    const int64_t m = tt_count_at(site, x), n = tt_count_at(site, w);
    const int64_t low = !strcmp(mode, "valid") ? 0 : !strcmp(mode, "same") ? n / 2 : n - 1;
    const int64_t high = !strcmp(mode, "same") ? n - n / 2 - 1 : low;
    if (strcmp(mode, "valid") && strcmp(mode, "same") && strcmp(mode, "full")) {
        tt_fail_at(site, TT_EARG, "%s: no mode \"%s\"", what, mode);
        return tt_hint_choices("the modes are", mode, -1, "full, same, valid"), tt_poison;
    }
    char pad[64];
    tt_snprintf(pad, sizeof pad, "%lld:%lld", (long long)low, (long long)high);
    const tt_convolve_opts c = { .size = sizeof c, .pad = pad, .precision = o->precision };
    const int64_t image[] = { 1, m, 1, TT_DIM_END }, window[] = { n, 1, 1, TT_DIM_END }, line[] = { -1, TT_DIM_END };
    const tt_val y = tt_reshape_at(
        site, tt_convolve_at(site, tt_reshape_at(site, x, image), tt_reshape_at(site, w, window), &c), line);
    return swaps && !flips ? tt_reverse_at(site, y, 0) : y;
}

tt_val tt_convolve1d_at(const char *site, tt_val a, tt_val b, const tt_line_opts *o)
{
    TT_ENTRY(site);
    return line_convolved(site, "convolve1d", a, b, o, true);
}
tt_val tt_correlate_at(const char *site, tt_val a, tt_val b, const tt_line_opts *o)
{
    TT_ENTRY(site);
    return line_convolved(site, "correlate", a, b, o, false);
}

/* ---- slopes ---- */

static tt_val slope(const char *site, tt_val v, int dim, double step)
{
    const int64_t n = tt_dim_at(site, v, dim);
    if (n < 2)
        return tt_fail_at(site, TT_ESHAPE, "gradient: dim %d of %s; expected two elements or more", dim,
                          tt_type_text_at(site, v));
    const tt_val from = tt_slice_at(site, v, dim, 0, n - 2, 1), to = tt_slice_at(site, v, dim, 2, n, 1);
    const tt_val first = tt_sub_at(site, tt_slice_at(site, v, dim, 1, 2, 1), tt_slice_at(site, v, dim, 0, 1, 1));
    const tt_val last =
        tt_sub_at(site, tt_slice_at(site, v, dim, n - 1, n, 1), tt_slice_at(site, v, dim, n - 2, n - 1, 1));
    const tt_val middle = tt_div_at(site, tt_mul_at(site, tt_sub_at(site, to, from), tt_f(0.5)), tt_f(step));
    return tt_concat_at(
        site, dim,
        (const tt_val[]){ tt_div_at(site, first, tt_f(step)), middle, tt_div_at(site, last, tt_f(step)), tt_end });
}

tt_val tt_gradient_at(const char *site, tt_val v, const tt_gradient_opts *o)
{
    TT_ENTRY(site);
    int dim[RANK];
    tt_val out[RANK + 1];
    if (!TT_CHECKED(tt_gradient_opts, site, "gradient", o)) return tt_poison;
    const int n = num_dims(site, "gradient", v, o->dims, dim);
    if (n < 0) return tt_poison;
    if (!n) return tt_fail_at(site, TT_ESHAPE, "gradient: of %s; expected rank 1 or more", tt_type_text_at(site, v));
    v = num_real(site, v);
    for (int i = 0; i < n && tt_ok(); i++) out[i] = slope(site, v, dim[i], o->step != 0 ? o->step : 1);
    out[n] = tt_end;
    return !tt_ok() ? tt_poison : n == 1 ? out[0] : tt_tuple_at(site, out);
}

/* ---- integrals ---- */

tt_val tt_trapezoid_at(const char *site, tt_val v, const tt_trapezoid_opts *o)
{
    TT_ENTRY(site);
    const tt_reduce_opts last = { .size = sizeof last, .dims = "-1" };
    if (!TT_CHECKED(tt_trapezoid_opts, site, "trapezoid", o)) return tt_poison;
    const bool places = num_given(o->x);
    if (places && (o->step != 0 || tt_given(o, "step")))
        return tt_fail_at(site, TT_EARG, "trapezoid: both .x and .step are given");
    if (!tt_ok()) return tt_poison;
    if (tt_rank_at(site, v) < 1 || tt_dim_at(site, v, -1) < 1)
        return tt_fail_at(site, TT_ESHAPE, "trapezoid: of %s; expected one element or more", tt_type_text_at(site, v));
    tt_val x = o->x;
    if (places) num_reals(site, &v, &x);
    else v = num_real(site, v);
    const int64_t n = tt_dim_at(site, v, -1);
    if (places && tt_ok() && tt_dim_at(site, x, -1) != n)
        return tt_fail_at(site, TT_ESHAPE, "trapezoid: values %s and .x %s differ in the last dim",
                          tt_type_text_at(site, v), tt_type_text_at(site, x));
    if (!places) { /* the sum, of which the ends count half */
        const tt_val ends = tt_add_at(site, tt_slice_at(site, v, -1, 0, 1, 1), tt_slice_at(site, v, -1, n - 1, n, 1));
        const tt_val half = tt_mul_at(site, tt_squeeze_at(site, ends, -1), tt_f(0.5));
        return tt_mul_at(site, tt_f(o->step != 0 ? o->step : 1), tt_sub_at(site, tt_sum_at(site, v, &last), half));
    }
    const tt_val pair = tt_add_at(site, tt_slice_at(site, v, -1, 1, n, 1), tt_slice_at(site, v, -1, 0, n - 1, 1));
    const tt_val area = tt_sum_at(site, tt_mul_at(site, tt_diff_at(site, x, -1), pair), &last);
    return tt_mul_at(site, tt_f(0.5), area);
}
