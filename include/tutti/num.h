/* tutti/num.h - array functions composed of primitives: means, softmax, activations, losses, einsum, selection. */
#include <tutti.h>
#ifndef TUTTI_NUM_H
#define TUTTI_NUM_H

#ifdef __cplusplus
extern "C" {
#endif

/* clang-format off */
#define TT_NUM1(name) TT_API tt_val tt_##name##_at(const char *site, tt_val v); \
    TT_UNUSED static inline tt_val (tt_##name)(tt_val v) { return tt_##name##_at(0, v); }
#define TT_NUM2(name) TT_API tt_val tt_##name##_at(const char *site, tt_val a, tt_val b); \
    TT_UNUSED static inline tt_val (tt_##name)(tt_val a, tt_val b) { return tt_##name##_at(0, a, b); }
/* clang-format on */

/*     tt_mean(x), tt_var(x, .dims = "0"), tt_std(x, .dims = "-1", .keepdims = 1), tt_logsumexp(x, .dims = "-1"); */
#define tt_mean(...)         TT_REDUCE_(tt_mean_at, TT_AT("tt_mean(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_var(...)          TT_REDUCE_(tt_var_at, TT_AT("tt_var(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_std(...)          TT_REDUCE_(tt_std_at, TT_AT("tt_std(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_logsumexp(...)    TT_REDUCE_(tt_logsumexp_at, TT_AT("tt_logsumexp(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_API tt_val tt_mean_at(const char *site, tt_val v, const tt_reduce_opts *),
    tt_var_at(const char *site, tt_val v, const tt_reduce_opts *),
    tt_std_at(const char *site, tt_val v, const tt_reduce_opts *),
    tt_logsumexp_at(const char *site, tt_val v, const tt_reduce_opts *);

/* Elementwise compositions. relu has derivative 0 at 0.
 *     tt_square(x), tt_reciprocal(x), tt_relu(x), tt_relu6(x), tt_silu(x), tt_softplus(x), tt_log_sigmoid(x);
 *     tt_gelu(x), tt_gelu_erf(x); */
#define tt_square(v)         tt_square_at(TT_AT("tt_square(" #v ")"), v)
#define tt_reciprocal(v)     tt_reciprocal_at(TT_AT("tt_reciprocal(" #v ")"), v)
#define tt_relu(v)           tt_relu_at(TT_AT("tt_relu(" #v ")"), v)
#define tt_relu6(v)          tt_relu6_at(TT_AT("tt_relu6(" #v ")"), v)
#define tt_silu(v)           tt_silu_at(TT_AT("tt_silu(" #v ")"), v)
#define tt_softplus(v)       tt_softplus_at(TT_AT("tt_softplus(" #v ")"), v)
#define tt_log_sigmoid(v)    tt_log_sigmoid_at(TT_AT("tt_log_sigmoid(" #v ")"), v)
#define tt_gelu(v)           tt_gelu_at(TT_AT("tt_gelu(" #v ")"), v)   /* the tanh form, JAX's default */
#define tt_gelu_erf(v)       tt_gelu_erf_at(TT_AT("tt_gelu_erf(" #v ")"), v)
TT_NUM1(square) TT_NUM1(reciprocal) TT_NUM1(relu) TT_NUM1(relu6) TT_NUM1(silu) TT_NUM1(softplus) TT_NUM1(log_sigmoid)
TT_NUM1(gelu) TT_NUM1(gelu_erf)
/* Elementary functions composed of others, and NumPy's helpers (fmax, fmin: a NaN is ignored; heaviside(x,
 * at_zero)). hypot's derivatives are NaN at (0, 0), where JAX 0.10 has 1/2, and for an operand that is infinite. As in
 * JAX, those of logaddexp are NaN where both operands are -infinity, and 1 and e^b at (infinity, b).
 *     tt_exp2(x), tt_log2(x), tt_log10(x), tt_asin(x), tt_acos(x), tt_atan(x), tt_sinh(x), tt_cosh(x);
 *     tt_asinh(x), tt_acosh(x), tt_atanh(x), tt_signbit(x);
 *     tt_hypot(x, y), tt_logaddexp(x, y), tt_copysign(x, y), tt_fmax(x, y), tt_fmin(x, y);
 *     tt_heaviside(x, tt_f(0.5)); */
#define tt_exp2(v)           tt_exp2_at(TT_AT("tt_exp2(" #v ")"), v)
#define tt_log2(v)           tt_log2_at(TT_AT("tt_log2(" #v ")"), v)
#define tt_log10(v)          tt_log10_at(TT_AT("tt_log10(" #v ")"), v)
#define tt_asin(v)           tt_asin_at(TT_AT("tt_asin(" #v ")"), v)
#define tt_acos(v)           tt_acos_at(TT_AT("tt_acos(" #v ")"), v)
#define tt_atan(v)           tt_atan_at(TT_AT("tt_atan(" #v ")"), v)
#define tt_sinh(v)           tt_sinh_at(TT_AT("tt_sinh(" #v ")"), v)
#define tt_cosh(v)           tt_cosh_at(TT_AT("tt_cosh(" #v ")"), v)
#define tt_asinh(v)          tt_asinh_at(TT_AT("tt_asinh(" #v ")"), v)
#define tt_acosh(v)          tt_acosh_at(TT_AT("tt_acosh(" #v ")"), v)
#define tt_atanh(v)          tt_atanh_at(TT_AT("tt_atanh(" #v ")"), v)
#define tt_signbit(v)        tt_signbit_at(TT_AT("tt_signbit(" #v ")"), v)
#define tt_hypot(a, b)       tt_hypot_at(TT_AT("tt_hypot(" #a ", " #b ")"), a, b)
#define tt_logaddexp(a, b)   tt_logaddexp_at(TT_AT("tt_logaddexp(" #a ", " #b ")"), a, b)
#define tt_copysign(a, b)    tt_copysign_at(TT_AT("tt_copysign(" #a ", " #b ")"), a, b)
#define tt_fmax(a, b)        tt_fmax_at(TT_AT("tt_fmax(" #a ", " #b ")"), a, b)
#define tt_fmin(a, b)        tt_fmin_at(TT_AT("tt_fmin(" #a ", " #b ")"), a, b)
#define tt_heaviside(a, b)   tt_heaviside_at(TT_AT("tt_heaviside(" #a ", " #b ")"), a, b)
TT_NUM1(exp2) TT_NUM1(log2) TT_NUM1(log10) TT_NUM1(asin) TT_NUM1(acos) TT_NUM1(atan) TT_NUM1(sinh) TT_NUM1(cosh)
TT_NUM1(asinh) TT_NUM1(acosh) TT_NUM1(atanh) TT_NUM1(signbit)
TT_NUM2(hypot) TT_NUM2(logaddexp) TT_NUM2(copysign) TT_NUM2(fmax) TT_NUM2(fmin) TT_NUM2(heaviside)
/* ndtri: the inverse of the normal distribution function, computed in float64. Other special functions are primitives
 * (ops.h): erfc, erfcx, lgamma, zeta, igamma, betainc, ...
 *     tt_val quantile = tt_ndtri(tt_f(0.975)); */
#define tt_ndtri(v)          tt_ndtri_at(TT_AT("tt_ndtri(" #v ")"), v)
TT_NUM1(ndtri)
/* Activations of jax.nn.
 *     tt_hard_tanh(x), tt_hard_sigmoid(x), tt_hard_silu(x), tt_soft_sign(x), tt_squareplus(x), tt_selu(x);
 *     tt_mish(x), tt_sparse_plus(x), tt_leaky_relu(x, 0.01), tt_elu(x, 1), tt_celu(x, 1);
 *     tt_mod(x, tt_f(3)), tt_floor_divide(x, tt_f(3)); */
#define tt_hard_tanh(v)      tt_hard_tanh_at(TT_AT("tt_hard_tanh(" #v ")"), v)
#define tt_hard_sigmoid(v)   tt_hard_sigmoid_at(TT_AT("tt_hard_sigmoid(" #v ")"), v)
#define tt_hard_silu(v)      tt_hard_silu_at(TT_AT("tt_hard_silu(" #v ")"), v)
#define tt_soft_sign(v)      tt_soft_sign_at(TT_AT("tt_soft_sign(" #v ")"), v)
#define tt_squareplus(v)     tt_squareplus_at(TT_AT("tt_squareplus(" #v ")"), v)
#define tt_selu(v)           tt_selu_at(TT_AT("tt_selu(" #v ")"), v)
#define tt_mish(v)           tt_mish_at(TT_AT("tt_mish(" #v ")"), v)
#define tt_sparse_plus(v)    tt_sparse_plus_at(TT_AT("tt_sparse_plus(" #v ")"), v)       /* (v + 1)^2 / 4 in [-1, 1] */
TT_NUM1(sparse_plus) TT_NUM1(hard_tanh) TT_NUM1(hard_sigmoid) TT_NUM1(hard_silu) TT_NUM1(soft_sign) TT_NUM1(squareplus)
TT_NUM1(selu) TT_NUM1(mish)
#define tt_leaky_relu(v, slope) tt_leaky_relu_at(TT_AT("tt_leaky_relu(" #v ", " #slope ")"), v, slope)   /* JAX: 0.01 */
#define tt_elu(v, alpha)     tt_elu_at(TT_AT("tt_elu(" #v ", " #alpha ")"), v, alpha)
#define tt_celu(v, alpha)    tt_celu_at(TT_AT("tt_celu(" #v ", " #alpha ")"), v, alpha)
TT_API tt_val tt_leaky_relu_at(const char *site, tt_val v, double slope),
    tt_elu_at(const char *site, tt_val v, double alpha),
    tt_celu_at(const char *site, tt_val v, double alpha);
#define tt_mod(a, b)         tt_mod_at(TT_AT("tt_mod(" #a ", " #b ")"), a, b)             /* has the divisor's sign */
#define tt_floor_divide(a, b) tt_floor_divide_at(TT_AT("tt_floor_divide(" #a ", " #b ")"), a, b)
TT_NUM2(mod) TT_NUM2(floor_divide)
/* where(p, x, y): x where p is true, else y; broadcasts and promotes x and y.
 *     tt_val positive = tt_where(tt_gt(x, tt_f(0)), x, tt_f(0)); */
#define tt_where(p, x, y)    tt_where_at(TT_AT("tt_where(" #p ", " #x ", " #y ")"), p, x, y)
TT_API tt_val tt_where_at(const char *site, tt_val p, tt_val x, tt_val y);

/* Bools are an error. dims: "0, 1" (default: the last). where: bools, broadcast to v: the elements that take
 * part; the others give 0, of log_softmax -infinity.
 *     tt_val p = tt_softmax(logits), masked = tt_softmax(logits, .where = mask);
 *     tt_val log_p = tt_log_softmax(logits, .dims = "0"); */
typedef struct tt_softmax_opts { TT_OPTION_HEAD const char *dims TT_DEFAULT; tt_val where TT_DEFAULT; } tt_softmax_opts;
#define TT_SOFTMAX_(f, at, v, ...) f(at, v, TT_OPTS(tt_softmax_opts, __VA_ARGS__))
#define tt_softmax(...)      TT_SOFTMAX_(tt_softmax_at, TT_AT("tt_softmax(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_log_softmax(...)  TT_SOFTMAX_(tt_log_softmax_at, TT_AT("tt_log_softmax(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_API tt_val tt_softmax_at(const char *site, tt_val v, const tt_softmax_opts *),
    tt_log_softmax_at(const char *site, tt_val v, const tt_softmax_opts *);
/* clang-format off */
TT_UNUSED static inline tt_val (tt_softmax)(tt_val v) { return tt_softmax_at(0, v, 0); }
TT_UNUSED static inline tt_val (tt_log_softmax)(tt_val v) { return tt_log_softmax_at(0, v, 0); }
/* clang-format on */
/* Over the last dim: the first half times the logistic of the second half
 *     tt_val gated = tt_glu(x);
 *     tt_val standard = tt_standardize(x, .dims = "-1"), classes = tt_one_hot(labels, 10, TT_F32); */
#define tt_glu(v)            tt_glu_at(TT_AT("tt_glu(" #v ")"), v)
TT_NUM1(glu)
#define tt_standardize(...)  TT_REDUCE_(tt_standardize_at, TT_AT("tt_standardize(" #__VA_ARGS__ ")"), __VA_ARGS__, )
/* mean 0, variance 1 (epsilon 1e-5) */
TT_API tt_val tt_standardize_at(const char *site, tt_val v, const tt_reduce_opts *);
#define tt_one_hot(v, n, dtype) tt_one_hot_at(TT_AT("tt_one_hot(" #v ", " #n ", " #dtype ")"), v, n, dtype)
TT_API tt_val tt_one_hot_at(const char *site, tt_val v, int64_t n, tt_dtype dtype);

/* Losses.
 * - xent: cross-entropy of logits [B, K] with integer labels [B] or a distribution [B, K], one value per example. As in
 *   optax, a negative label counts from the end, and a label out of range gives NaN, with the gradient of
 *   log(sum(exp(logits))). To ignore examples, give them any label and mask the loss:
 *   tt_where(counts, tt_xent(logits, tt_where(counts, labels, tt_i(0))), tt_f(0)).
 * - bce: binary cross-entropy of the logistic of logits, elementwise.
 * - l2_loss: (a - b)^2 / 2; log_cosh: log cosh(a - b); hinge: max(0, 1 - a b) for b of -1 or 1; elementwise.
 * - kl: the sum of q (log q - log p) over the last dim, of log p and q.
 *
 * Labels have logits' dims. Two shapes that would broadcast against each other, [B] and [B, 1], are an error.
 *     tt_mean(tt_xent(logits, labels)), tt_mean(tt_l2_loss(y, target)), tt_mean(tt_bce(logits, labels));
 *     tt_mean(tt_log_cosh(y, target)), tt_mean(tt_hinge(y, target)), tt_mean(tt_kl(log_p, q)); */
#define tt_xent(logits, labels) tt_xent_at(TT_AT("tt_xent(" #logits ", " #labels ")"), logits, labels)
#define tt_l2_loss(a, b)     tt_l2_loss_at(TT_AT("tt_l2_loss(" #a ", " #b ")"), a, b)     /* (a - b)^2 / 2 */
/* binary cross-entropy of the logistic of logits */
#define tt_bce(logits, labels) tt_bce_at(TT_AT("tt_bce(" #logits ", " #labels ")"), logits, labels)
#define tt_log_cosh(a, b)    tt_log_cosh_at(TT_AT("tt_log_cosh(" #a ", " #b ")"), a, b)
#define tt_hinge(a, b)       tt_hinge_at(TT_AT("tt_hinge(" #a ", " #b ")"), a, b)         /* labels -1, 1 */
/* sum of q (log q - log p) over the last dim */
#define tt_kl(log_p, q)      tt_kl_at(TT_AT("tt_kl(" #log_p ", " #q ")"), log_p, q)
TT_NUM2(xent) TT_NUM2(l2_loss) TT_NUM2(bce) TT_NUM2(log_cosh) TT_NUM2(hinge) TT_NUM2(kl)
/* labels (1 - alpha) + alpha / classes, of a distribution [B, K] of floats
 *     tt_val soft = tt_smooth_labels(tt_one_hot(labels, 10, TT_F32), 0.1), robust = tt_mean(tt_huber(y, target, 1)); */
#define tt_smooth_labels(labels, alpha) \
    tt_smooth_labels_at(TT_AT("tt_smooth_labels(" #labels ", " #alpha ")"), labels, alpha)
TT_API tt_val tt_smooth_labels_at(const char *site, tt_val labels, double alpha);
#define tt_huber(a, b, delta) tt_huber_at(TT_AT("tt_huber(" #a ", " #b ", " #delta ")"), a, b, delta)
/* Cosine similarity over the last dim, -1 to 1; the distance is 1 minus the similarity. eps >= 0 is the least length:
 * a vector shorter than eps is divided by eps (optax 0.2.8 compares eps with the square of the length).
 *     tt_val similar = tt_cosine(a, b, 1e-8); */
#define tt_cosine(a, b, eps) tt_cosine_at(TT_AT("tt_cosine(" #a ", " #b ", " #eps ")"), a, b, eps)
TT_API tt_val tt_huber_at(const char *site, tt_val a, tt_val b, double delta),
    tt_cosine_at(const char *site, tt_val a, tt_val b, double eps);

/* Shape. flatten(v, from): dims from `from` on become one. stack_values: along a new dim.
 *     tt_val rows = tt_flatten(images, 1), both = tt_stack_values(0, x, y); */
#define tt_flatten(v, from)  tt_flatten_at(TT_AT("tt_flatten(" #v ", " #from ")"), v, from)
TT_API tt_val tt_flatten_at(const char *site, tt_val v, int from);
#define tt_stack_values(dim, ...) \
    tt_stack_values_at(TT_AT("tt_stack_values(" #dim ", " #__VA_ARGS__ ")"), dim, \
        TT_LIST(tt_val, __VA_ARGS__, tt_end))
TT_API tt_val tt_stack_values_at(const char *site, int dim, const tt_val *v);
/* a new dim of size 1
 *     tt_val column = tt_expand_dims(x, 1), line = tt_squeeze(column, 1); */
#define tt_expand_dims(v, dim) tt_expand_dims_at(TT_AT("tt_expand_dims(" #v ", " #dim ")"), v, dim)
#define tt_squeeze(v, dim)   tt_squeeze_at(TT_AT("tt_squeeze(" #v ", " #dim ")"), v, dim)
TT_API tt_val tt_expand_dims_at(const char *site, tt_val v, int dim),
    tt_squeeze_at(const char *site, tt_val v, int dim);
/* At most n pieces of size ceil(size / n) along dim, the last one may be shorter: a tuple (torch.chunk).
 *     tt_unpack(tt_chunk(x, 2, -1), &a, &b); */
#define tt_chunk(v, n, dim)  tt_chunk_at(TT_AT("tt_chunk(" #v ", " #n ", " #dim ")"), v, n, dim)
TT_API tt_val tt_chunk_at(const char *site, tt_val v, int64_t n, int dim);
/* NumPy's einsum for any number of operands. Names are words if a blank separates two of them ("b i k, b k j -> b i
 * j"), or if all operands have one dim and no term is "..."; otherwise each letter is a name ("bik,bkj->bij"). A
 * name that occurs twice in an operand takes the operand's diagonal ("ii->" is a trace). "..." stands for unnamed
 * dims, which broadcast; dims of size 1 are stretched. Without "->" the result has the dims of "..." and the names
 * that occur once, sorted. Errors: a name with several sizes, a name that occurs only in the result, or twice in the
 * result. Of bools: true if any product is true.
 *     tt_einsum("b i k, b k j -> b i j", x, w), tt_einsum("ii->", a), tt_einsum("...i, ...i", x, y); */
#define tt_einsum(text, ...) \
    tt_einsum_at(TT_AT("tt_einsum(" text ", " #__VA_ARGS__ ")"), text, TT_LIST(tt_val, __VA_ARGS__, tt_end))
TT_API tt_val tt_einsum_at(const char *site, const char *text, const tt_val *v);
/* The mean, the maximum and the minimum of windows of v, as tt_pool_opts says.
 *     tt_avg_pool(images, .window = { 2, 2 }, .stride = { 2, 2 }), tt_max_pool(images, .window = { 2, 2 });
 *     tt_min_pool(images, .window = { 2, 2 }); */
#define tt_avg_pool(...)     TT_POOL_(tt_avg_pool_at, TT_AT("tt_avg_pool(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_max_pool(...)     TT_POOL_(tt_max_pool_at, TT_AT("tt_max_pool(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_min_pool(...)     TT_POOL_(tt_min_pool_at, TT_AT("tt_min_pool(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_API tt_val tt_avg_pool_at(const char *site, tt_val v, const tt_pool_opts *),
    tt_max_pool_at(const char *site, tt_val v, const tt_pool_opts *),
    tt_min_pool_at(const char *site, tt_val v, const tt_pool_opts *);
/* log of the cumulative sum of e^v along dim
 *     tt_val running = tt_cumlogsumexp(x, -1); */
#define tt_cumlogsumexp(...) TT_CUM_(tt_cumlogsumexp_at, TT_AT("tt_cumlogsumexp(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_API tt_val tt_cumlogsumexp_at(const char *site, tt_val v, int dim, const tt_cum_opts *);
/* Indices, i32, at which v's elements would be inserted into sorted (rank 1) to keep it sorted: before equal elements
 * (right: after them).
 *     tt_val bins = tt_searchsorted(edges, x, .right = 1); */
typedef struct tt_search_opts { TT_OPTION_HEAD int right TT_DEFAULT; } tt_search_opts;
#define tt_searchsorted(...) TT_SEARCH_(TT_AT("tt_searchsorted(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_SEARCH_(at, sorted, v, ...) tt_searchsorted_at(at, sorted, v, TT_OPTS(tt_search_opts, __VA_ARGS__))
TT_API tt_val tt_searchsorted_at(const char *site, tt_val sorted, tt_val v, const tt_search_opts *);
/* Selects elementwise among the choices: by a bool (false: the first of two) or an integer, clamped to the range of
 * choices.
 *     tt_val chosen = tt_select_n(which, a, b, c); */
#define tt_select_n(which, ...) \
    tt_select_n_at(TT_AT("tt_select_n(" #which ", " #__VA_ARGS__ ")"), which, TT_LIST(tt_val, __VA_ARGS__, tt_end))
TT_API tt_val tt_select_n_at(const char *site, tt_val which, const tt_val *choice);
/* (values, indices) over the last dim
 *     tt_unpack(tt_top_k(x, 5), &best, &ids); */
#define tt_top_k(v, k)       tt_top_k_at(TT_AT("tt_top_k(" #v ", " #k ")"), v, k)
TT_API tt_val tt_top_k_at(const char *site, tt_val v, int64_t k);
/* square root of the sum of squares of all leaves
 *     printf("%g\n", tt_num(tt_global_norm(grads))); */
#define tt_global_norm(tree) tt_global_norm_at(TT_AT("tt_global_norm(" #tree ")"), tree)
TT_API tt_val tt_global_norm_at(const char *site, tt_val tree);

#ifdef __cplusplus
}
#endif
#endif
