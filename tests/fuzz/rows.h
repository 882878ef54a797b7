/* rows.h - the functions that fuzz_functions draws: how many arrays each takes, of what types and shapes, where it is
 * smooth, and its call. */
#ifndef TUTTI_TESTS_FUZZ_ROWS_H
#define TUTTI_TESTS_FUZZ_ROWS_H

#include <tutti.h>
#include <tutti/image.h>
#include <tutti/index.h>
#include <tutti/linalg.h>
#include <tutti/losses.h>
#include <tutti/numpy.h>
#include <tutti/scipy.h>
#include <tutti/special.h>
#include <tutti/stats.h>

typedef struct {                                         /* what a call has besides arrays; made for the first array */
    int64_t k;
    int dim, flag;
    char dims[24];
} pick;
typedef tt_val row_call(const tt_val *x, const pick *p);

/* Shapes of the arrays: any that broadcast; of rank 1 up; one line each, of the same size; square matrices; matrices;
 * an image's [N, H, W, C]. */
typedef enum { ANY, DIM, LINE, SQUARE, MATRIX, IMAGE } row_shape;
/* Types: floats of all sizes; of 32 and 64 bits; numbers and bools; integers of small size for the last array. */
typedef enum { FLOATS, WIDE, ALL, LAST_INT } row_types;
typedef struct {
    const char *name;
    row_call *call;
    int nargs;
    row_shape shape;
    row_types types;
    double lo, hi;                                       /* where it is smooth; lo > hi: nowhere */
} row;

#define CALL(name, ...) static tt_val do_##name(const tt_val *x, const pick *p) { (void)p; return __VA_ARGS__; }

/* clang-format off */
/* ---- elementwise, of one array: name, smooth from, to ---- */
#define ONE(X) \
    X(abs, .1, 3) X(sin, -3, 3) X(cos, -3, 3) X(tan, -1, 1) X(tanh, -2, 2) X(exp, -2, 2) X(expm1, -2, 2) X(log, .1, 3) \
    X(log1p, -.5, 3) X(sqrt, .1, 3) X(rsqrt, .1, 3) X(cbrt, .1, 3) X(erf, -2, 2) X(erfc, -2, 2) X(erf_inv, -.9, .9) \
    X(erfcx, -1, 3) X(lgamma, .3, 5) X(digamma, .3, 5) X(logistic, -3, 3) X(bessel_i0e, -3, 3) X(bessel_i1e, .1, 3) \
    X(neg, -3, 3) X(sign, 1, 0) X(floor, 1, 0) X(ceil, 1, 0) X(round_even, 1, 0) X(is_finite, 1, 0) X(isnan, 1, 0) \
    X(isinf, 1, 0) X(nan_to_num, -3, 3) X(signbit, 1, 0) X(square, -3, 3) X(reciprocal, .3, 3) X(relu, .1, 3) \
    X(relu6, .1, 5) X(silu, -3, 3) X(softplus, -3, 3) X(log_sigmoid, -3, 3) X(gelu, -3, 3) X(gelu_erf, -3, 3) \
    X(exp2, -2, 2) X(log2, .1, 3) X(log10, .1, 3) X(asin, -.9, .9) X(acos, -.9, .9) X(atan, -3, 3) X(sinh, -2, 2) \
    X(cosh, -2, 2) X(asinh, -3, 3) X(acosh, 1.2, 4) X(atanh, -.9, .9) X(ndtri, .1, .9) X(hard_sigmoid, -2, 2) \
    X(hard_silu, -2, 2) X(soft_sign, .1, 3) X(squareplus, -3, 3) X(selu, .1, 3) X(mish, -3, 3) X(sparse_plus, -.9, .9) \
    X(entr, .1, 3) X(logit, .1, .9) X(expit, -3, 3) X(ndtr, -2, 2) X(log_ndtr, -6, 3) X(gammafn, .3, 4) \
    X(gammasgn, 1, 0) X(gammaln, .3, 5) X(factorial, .3, 4) X(expi, .2, 5) X(exp1, .2, 5) X(i0, -3, 3) X(i1, -3, 3)
/* ---- elementwise, of two ---- */
#define TWO(X) \
    X(add, -3, 3) X(sub, -3, 3) X(mul, -3, 3) X(div, .3, 3) X(max, 1, 0) X(min, 1, 0) X(pow, .3, 3) X(atan2, .3, 3) \
    X(rem, 1, 0) X(mod, 1, 0) X(floor_divide, 1, 0) X(hypot, .3, 3) X(logaddexp, -3, 3) X(copysign, 1, 0) \
    X(fmax, 1, 0) X(fmin, 1, 0) X(heaviside, 1, 0) X(xlogy, .2, 3) X(xlog1py, .2, 3) X(rel_entr, .2, 3) \
    X(kl_div, .2, 3) X(boxcox, .5, 3) X(boxcox1p, .5, 3) X(betafn, .5, 4) X(betaln, .5, 4) X(poch, .5, 4) \
    X(igamma, .5, 4) X(igammac, .5, 4) X(squared_error, -3, 3) X(l2_loss, -3, 3) X(eq, 1, 0) X(lt, 1, 0) X(ge, 1, 0)
/* ---- densities: name, number of arrays, smooth from, to ---- */
#define STATS(X) \
    X(norm_logpdf, 1, -2, 2) X(norm_pdf, 1, -2, 2) X(norm_cdf, 1, -2, 2) X(norm_logcdf, 1, -4, 2) X(norm_sf, 1, -2, 2) \
    X(norm_logsf, 1, -2, 4) X(norm_ppf, 1, .1, .9) X(norm_isf, 1, .1, .9) X(expon_logpdf, 1, .1, 3) \
    X(expon_cdf, 1, .1, 3) X(expon_ppf, 1, .1, .9) X(laplace_logpdf, 1, .1, 3) X(laplace_cdf, 1, .1, 3) \
    X(logistic_logpdf, 1, -3, 3) X(logistic_ppf, 1, .1, .9) X(cauchy_logpdf, 1, -3, 3) X(cauchy_logcdf, 1, -3, 3) \
    X(cauchy_ppf, 1, .1, .9) X(uniform_logpdf, 1, 1, 0) X(uniform_cdf, 1, .1, .9) X(gumbel_l_logcdf, 1, -3, 1) \
    X(gumbel_l_ppf, 1, .1, .9) X(gumbel_r_logsf, 1, -1, 3) X(gumbel_r_ppf, 1, .1, .9) X(gamma_logpdf, 2, .5, 4) \
    X(gamma_cdf, 2, .5, 4) X(gamma_logsf, 2, .5, 4) X(chi2_logpdf, 2, .5, 4) X(chi2_sf, 2, .5, 4) \
    X(t_logpdf, 2, .5, 4) X(pareto_logpdf, 2, 1.2, 4) X(pareto_sf, 2, 1.2, 4) X(gennorm_logpdf, 2, .5, 3) \
    X(gennorm_cdf, 2, .5, 3) X(vonmises_logpdf, 2, .3, 3) X(wrapcauchy_logpdf, 2, .1, .9) X(poisson_logpmf, 2, 1, 0) \
    X(poisson_cdf, 2, 1, 0) X(bernoulli_logpmf, 2, 1, 0) X(geom_logpmf, 2, 1, 0) X(beta_logpdf, 3, .2, .8) \
    X(beta_cdf, 3, 1, 0) X(truncnorm_logpdf, 3, 1, 0) X(binom_logpmf, 3, 1, 0) X(nbinom_logpmf, 3, 1, 0)
#define DO1(name, lo, hi) CALL(name, tt_##name(x[0]))
#define DO2(name, lo, hi) CALL(name, tt_##name(x[0], x[1]))
ONE(DO1) TWO(DO2)
#define STATS_OF_1(name) tt_##name(x[0])
#define STATS_OF_2(name) tt_##name(x[0], x[1])
#define STATS_OF_3(name) tt_##name(x[0], x[1], x[2])
#define DOS(name, n, lo, hi) CALL(name, STATS_OF_##n(name))
STATS(DOS)

/* ---- reductions, order, rearrangement ---- */
#define REDUCTIONS(X) \
    X(sum, ALL, -3, 3) X(prod, ALL, .5, 2) X(amax, ALL, 1, 0) X(amin, ALL, 1, 0) X(all, ALL, 1, 0) X(any, ALL, 1, 0) \
    X(mean, ALL, -3, 3) X(var, FLOATS, -3, 3) X(std, FLOATS, .1, 3) X(logsumexp, FLOATS, -3, 3) X(nansum, ALL, -3, 3) \
    X(nanmean, FLOATS, -3, 3) X(nanprod, ALL, .5, 2) X(nanmax, FLOATS, 1, 0) X(nanmin, FLOATS, 1, 0) \
    X(nanvar, FLOATS, -3, 3) X(nanstd, FLOATS, .1, 3) X(count_nonzero, ALL, 1, 0)
#define DOF(name, t, lo, hi) CALL(name, tt_##name(x[0], .dims = p->dims, .keepdims = p->flag))
REDUCTIONS(DOF)

CALL(sum_where, tt_sum(x[0], .dims = p->dims, .where = tt_gt(x[1], tt_i(0)), .initial = tt_i(1)))
CALL(amax_where, tt_amax(x[0], .dims = p->dims, .where = tt_gt(x[1], tt_i(0)), .initial = tt_i(0)))
CALL(median, tt_median(x[0], .dims = p->dims))
CALL(quantile, tt_quantile(x[0], (double)(p->k % 5) / 4, .dims = p->dims, .keepdims = p->flag))
CALL(average, tt_average(x[0], x[1], .dims = p->dims))
CALL(argmax, tt_argmax(x[0], .dims = p->dims, .keepdims = p->flag))
CALL(argmin, tt_argmin(x[0], .dims = p->dims))
CALL(softmax, tt_softmax(x[0], .dims = p->dims))
CALL(log_softmax, tt_log_softmax(x[0], .dims = p->dims))
CALL(standardize, tt_standardize(x[0], .dims = p->dims))
CALL(norm, tt_norm(x[0], .ord = p->k % 3 == 0 ? "1" : p->k % 3 == 1 ? "2" : "3", .dims = p->dims))
CALL(norm_ends, tt_norm(x[0], .ord = p->k % 3 == 0 ? "inf" : p->k % 3 == 1 ? "-inf" : "0", .dims = p->dims))
CALL(cumsum, tt_cumsum(x[0], p->dim, .reverse = p->flag))
CALL(cumprod, tt_cumprod(x[0], p->dim, .reverse = p->flag))
CALL(cummax, tt_cummax(x[0], p->dim, .reverse = p->flag))
CALL(cummin, tt_cummin(x[0], p->dim))
CALL(cumlogsumexp, tt_cumlogsumexp(x[0], p->dim, .reverse = p->flag))
CALL(sort, tt_sort(x[0], p->dim, .descending = p->flag))
CALL(sort_two, tt_sort(tt_tuple(x[0], x[1]), p->dim, .keys = 1 + p->flag))
CALL(argsort, tt_argsort(x[0], p->dim, .descending = p->flag))
CALL(top_k, tt_top_k(x[0], p->k % 3))
CALL(diff, tt_diff(x[0], p->dim))
CALL(roll, tt_roll(x[0], p->k, p->dim))
CALL(repeat, tt_repeat(x[0], p->k % 4, p->dim))
CALL(tile, tt_tile(x[0], 2, p->k % 3))
CALL(swapaxes, tt_swapaxes(x[0], p->dim, 0))
CALL(moveaxis, tt_moveaxis(x[0], p->dim, -1))
CALL(flip, tt_flip(x[0], .dims = p->dims))
CALL(array_split, tt_array_split(x[0], 1 + p->k % 4, p->dim))
CALL(chunk, tt_chunk(x[0], 1 + p->k % 4, p->dim))
CALL(split_indices, tt_split_indices(x[0], p->dim, 0, 1, p->k % 3 + 1))
CALL(concat, tt_concat(p->dim, x[0], x[1], x[0]))
CALL(stack, tt_stack_values(p->dim, x[0], x[1]))
CALL(slice, tt_slice(x[0], p->dim, tt_dim(x[0], p->dim) > 1, tt_dim(x[0], p->dim), 1 + p->k % 3))
CALL(dynamic_slice, tt_dynamic_slice(x[0], p->dim, x[1], (tt_dim(x[0], p->dim) + 1) / 2))
CALL(dynamic_update, tt_dynamic_update_slice(x[0], tt_slice(x[0], p->dim, 0, (tt_dim(x[0], p->dim) + 1) / 2, 1), \
    p->dim, x[1]))
CALL(pad_edge, tt_pad_with(x[0], "1:2", .mode = p->k % 2 ? "edge" : "wrap"))
CALL(pad_mirror, tt_pad_with(x[0], "2:1", .mode = p->k % 2 ? "reflect" : "symmetric"))
CALL(pad_of, tt_pad_with(x[0], "1:2", .mode = p->k % 3 == 0 ? "mean" : p->k % 3 == 1 ? "maximum" : "linear_ramp"))
CALL(gradient, tt_gradient(x[0], .dims = p->dims, .step = 0.5))
CALL(trapezoid, tt_trapezoid(x[0], .step = 0.5))
CALL(interp, tt_interp(x[0], tt_cumsum(tt_add(tt_abs(x[1]), tt_f(0.1)), 0), x[1]))
CALL(searchsorted, tt_searchsorted(tt_sort(x[0], 0), x[1], .right = p->flag))
CALL(unique, tt_unique(x[0], .count = 4, .index = p->flag, .inverse = 1, .counts = 1))
CALL(nonzero, tt_nonzero(x[0], .count = 3, .fill = p->k % 2))
CALL(histogram, tt_histogram(x[0], .bins = 4, .range = { -2, 2 }, .density = p->flag))
CALL(isin, tt_isin(x[0], x[1]))
CALL(take, tt_take(x[0], x[1], p->dim, .mode = p->k % 3 == 0 ? "fill" : p->k % 3 == 1 ? "clip" : "wrap"))
CALL(take_along, tt_take_along_axis(x[0], tt_argsort(x[0], p->dim), p->dim))
CALL(at_read, tt_at(x[0], "::-1, ...; clip"))
CALL(at_index, tt_at(x[0], "..., i", x[1]))
CALL(at_add, tt_at_add(x[0], "..., i", tt_f(0.5), x[1]))
CALL(at_mul, tt_at_mul(x[0], "1::2", tt_i(2)))
CALL(at_max, tt_at_max(x[0], "..., i; wrap", tt_i(1), x[1]))
CALL(gather, tt_gather(x[0], "-1", x[1], .mode = p->flag ? "clip" : "wrap"))
CALL(segment_sum, tt_segment_sum(x[0], tt_arange(TT_I32, tt_dim(x[0], 0)), 1 + p->k % 5))
CALL(segment_max, tt_segment_max(x[0], tt_rem(tt_arange(TT_I32, tt_dim(x[0], 0)), tt_i(2)), 1 + p->k % 5))
CALL(one_hot, tt_one_hot(x[0], p->k % 5, TT_F32))
CALL(bincount, tt_bincount(tt_reshape(x[0], -1), p->k % 5))
CALL(isclose, tt_isclose(x[0], x[1], .equal_nan = p->flag))
CALL(allclose, tt_allclose(x[0], x[1], .equal_nan = p->flag))
CALL(array_equal, tt_array_equal(x[0], x[1]))
CALL(where, tt_where(tt_gt(x[0], tt_i(0)), x[0], x[1]))
CALL(clamp, tt_clamp(tt_i(-1), x[0], tt_i(1)))
CALL(outer, tt_outer(x[0], x[1]))
CALL(kron, tt_kron(x[0], x[1]))
CALL(convolve1d, tt_convolve1d(x[0], x[1], .mode = p->k % 3 == 0 ? "full" : p->k % 3 == 1 ? "same" : "valid"))
CALL(correlate, tt_correlate(x[0], x[1], .mode = p->k % 2 ? "full" : "same"))
CALL(polyval, tt_polyval(x[0], x[1]))
CALL(glu, tt_glu(tt_concat(-1, x[0], x[0])))
CALL(bitcast, tt_bitcast(x[0], tt_dtype_of(x[0])))
CALL(cast, tt_cast(x[0], p->k % 3 == 0 ? TT_I8 : p->k % 3 == 1 ? TT_BF16 : TT_U8))
CALL(rfft, tt_rfft(x[0]))
CALL(fftshift, tt_fftshift(x[0], .dims = p->dims))

/* ---- matrices and images ---- */
CALL(matmul, tt_matmul(x[0], tt_swapaxes(x[1], -1, -2)))
CALL(tril, tt_tril(x[0], p->k % 3 - 1))
CALL(triu, tt_triu(x[0], p->k % 3 - 1))
CALL(diag, tt_diag(x[0], p->k % 3 - 1))
CALL(trace, tt_trace(x[0]))
CALL(rot90, tt_rot90(x[0], p->k - 2))
CALL(cov, tt_cov(x[0]))
CALL(corrcoef, tt_stop_gradient(tt_corrcoef(x[0])))      /* of two columns it has a gradient of rounding alone */
CALL(norm_matrix, tt_norm(x[0], .ord = p->k % 3 == 0 ? "fro" : p->k % 3 == 1 ? "1" : "-inf", .dims = "-2, -1"))
static tt_val spread(tt_val v)                           /* well away from singular */
{
    return tt_add(v, tt_mul(tt_eye(TT_F32, tt_dim(v, -1)), tt_f(8)));
}
CALL(inv, tt_inv(spread(x[0])))
CALL(det, tt_det(tt_mul(spread(x[0]), tt_f(0.125))))
CALL(slogdet, tt_slogdet(spread(x[0])))
CALL(solve, tt_solve(spread(x[0]), x[1]))
CALL(cholesky, tt_cholesky(spread(x[0]), .upper = p->flag))
CALL(triangular, tt_triangular_solve(spread(x[0]), x[1], .lower = p->flag, .transpose = p->k % 2))
CALL(expm, tt_expm(tt_mul(x[0], tt_f(0.3))))
CALL(pinv, tt_pinv(spread(x[0])))
CALL(resize, tt_image_resize(x[0], TT_DIMS(tt_dim(x[0], 0), 3, 4, tt_dim(x[0], 3), TT_DIM_END), \
    .method = p->k % 3 == 0 ? "linear" : p->k % 3 == 1 ? "cubic" : "nearest", .aliased = p->flag))
CALL(avg_pool, tt_avg_pool(x[0], .window = { 2, 2 }, .stride = { 1, 1 }, .pad = "SAME", .real_only = p->flag))
CALL(max_pool, tt_max_pool(x[0], .window = { 2, 2 }))
CALL(convolve, tt_convolve(x[0], tt_ones(TT_F32, 2, 2, tt_dim(x[0], 3), 2), .pad = p->flag ? "VALID" : "SAME"))

#define ROW1(name, lo, hi) { #name, do_##name, 1, ANY, ALL, lo, hi },
#define ROW2(name, lo, hi) { #name, do_##name, 2, ANY, ALL, lo, hi },
#define ROWS(name, n, lo, hi) { #name, do_##name, n, ANY, WIDE, lo, hi },
#define ROWF(name, types, lo, hi) { #name, do_##name, 1, DIM, types, lo, hi },
#define R(name, n, shape, types, lo, hi) { #name, do_##name, n, shape, types, lo, hi },
static const row rows[] = {
    ONE(ROW1) TWO(ROW2) STATS(ROWS) REDUCTIONS(ROWF)
    R(sum_where, 2, DIM, ALL, 1, 0) R(amax_where, 2, DIM, ALL, 1, 0) R(median, 1, DIM, FLOATS, 1, 0)
    R(quantile, 1, DIM, FLOATS, 1, 0) R(average, 2, LINE, WIDE, .3, 3) R(argmax, 1, DIM, ALL, 1, 0)
    R(argmin, 1, DIM, ALL, 1, 0) R(softmax, 1, DIM, FLOATS, -3, 3) R(log_softmax, 1, DIM, FLOATS, -3, 3)
    R(standardize, 1, DIM, FLOATS, 1, 0) R(norm, 1, DIM, FLOATS, .3, 3) R(norm_ends, 1, DIM, FLOATS, 1, 0)
    R(cumsum, 1, DIM, ALL, -3, 3) R(cumprod, 1, DIM, ALL, .5, 2) R(cummax, 1, DIM, ALL, 1, 0)
    R(cummin, 1, DIM, ALL, 1, 0) R(cumlogsumexp, 1, DIM, FLOATS, -3, 3) R(sort, 1, DIM, ALL, 1, 0)
    R(sort_two, 2, LINE, ALL, 1, 0) R(argsort, 1, DIM, ALL, 1, 0) R(top_k, 1, DIM, ALL, 1, 0)
    R(diff, 1, DIM, ALL, -3, 3) R(roll, 1, DIM, ALL, -3, 3) R(repeat, 1, DIM, ALL, -3, 3) R(tile, 1, ANY, ALL, -3, 3)
    R(swapaxes, 1, DIM, ALL, -3, 3) R(moveaxis, 1, DIM, ALL, -3, 3) R(flip, 1, DIM, ALL, -3, 3)
    R(array_split, 1, DIM, ALL, -3, 3) R(chunk, 1, DIM, ALL, -3, 3) R(split_indices, 1, DIM, ALL, -3, 3)
    R(concat, 2, LINE, ALL, -3, 3) R(stack, 2, LINE, ALL, -3, 3) R(slice, 1, DIM, ALL, -3, 3)
    R(dynamic_slice, 2, DIM, LAST_INT, 1, 0) R(dynamic_update, 2, DIM, LAST_INT, 1, 0) R(pad_edge, 1, DIM, ALL, -3, 3)
    R(pad_mirror, 1, DIM, ALL, -3, 3) R(pad_of, 1, DIM, WIDE, 1, 0) R(gradient, 1, DIM, WIDE, -3, 3)
    R(trapezoid, 1, DIM, WIDE, -3, 3) R(interp, 2, LINE, WIDE, 1, 0) R(searchsorted, 2, LINE, ALL, 1, 0)
    R(unique, 1, ANY, ALL, 1, 0) R(nonzero, 1, DIM, ALL, 1, 0) R(histogram, 1, ANY, WIDE, 1, 0)
    R(isin, 2, ANY, ALL, 1, 0) R(take, 2, DIM, LAST_INT, 1, 0) R(take_along, 1, DIM, ALL, 1, 0)
    R(at_read, 1, DIM, ALL, -3, 3) R(at_index, 2, DIM, LAST_INT, 1, 0) R(at_add, 2, DIM, LAST_INT, 1, 0)
    R(at_mul, 1, DIM, ALL, -3, 3) R(at_max, 2, DIM, LAST_INT, 1, 0) R(gather, 2, DIM, LAST_INT, 1, 0)
    R(segment_sum, 1, DIM, ALL, -3, 3) R(segment_max, 1, DIM, ALL, 1, 0) R(one_hot, 1, ANY, ALL, 1, 0)
    R(bincount, 1, ANY, ALL, 1, 0) R(isclose, 2, ANY, ALL, 1, 0) R(allclose, 2, ANY, ALL, 1, 0)
    R(array_equal, 2, ANY, ALL, 1, 0) R(where, 2, ANY, ALL, 1, 0) R(clamp, 1, ANY, ALL, 1, 0)
    R(outer, 2, ANY, ALL, -3, 3) R(kron, 2, MATRIX, ALL, -3, 3) R(convolve1d, 2, LINE, ALL, -3, 3)
    R(correlate, 2, LINE, ALL, -3, 3) R(polyval, 2, LINE, WIDE, -1, 1) R(glu, 1, DIM, FLOATS, -3, 3)
    R(bitcast, 1, ANY, ALL, 1, 0) R(cast, 1, ANY, ALL, 1, 0) R(rfft, 1, DIM, WIDE, -3, 3)
    R(fftshift, 1, DIM, ALL, -3, 3) R(matmul, 2, MATRIX, ALL, -3, 3) R(tril, 1, MATRIX, ALL, -3, 3)
    R(triu, 1, MATRIX, ALL, -3, 3) R(diag, 1, MATRIX, ALL, -3, 3) R(trace, 1, SQUARE, ALL, -3, 3)
    R(rot90, 1, MATRIX, ALL, -3, 3) R(cov, 1, MATRIX, WIDE, -3, 3) R(corrcoef, 1, MATRIX, WIDE, 1, 0)
    R(norm_matrix, 1, MATRIX, WIDE, .3, 3) R(inv, 1, SQUARE, WIDE, -1, 1) R(det, 1, SQUARE, WIDE, -1, 1)
    R(slogdet, 1, SQUARE, WIDE, -1, 1) R(solve, 2, SQUARE, WIDE, -1, 1) R(cholesky, 1, SQUARE, WIDE, -1, 1)
    R(triangular, 2, SQUARE, WIDE, -1, 1) R(expm, 1, SQUARE, WIDE, -1, 1) R(pinv, 1, SQUARE, WIDE, -1, 1)
    R(resize, 1, IMAGE, WIDE, 1, 0) R(avg_pool, 1, IMAGE, WIDE, -3, 3) R(max_pool, 1, IMAGE, WIDE, 1, 0)
    R(convolve, 1, IMAGE, WIDE, -3, 3)
};
/* clang-format on */
#endif
