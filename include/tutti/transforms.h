/* tutti/transforms.h - functions of jax and jax.lax beyond tutti.h: jacobians, linear parts that are kept, scans of
 * associative functions, maps in batches, implicit derivatives, trees as one array. */
#include <tutti.h>
#ifndef TUTTI_TRANSFORMS_H
#define TUTTI_TRANSFORMS_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- derivatives ---- */

/* The jacobian of f by argument .wrt (default "0"): f's result with, in the place of each array of dims [m...], the
 * tree of the argument with arrays [m..., n...], n the argument's dims. .wrt of several numbers gives a tuple in the
 * argument's place. .aux: f returns a tuple of which the first item is differentiated, the other items are returned
 * unchanged. jacfwd: forward mode, one pass per element of the arguments; jacrev: reverse mode, one per element of
 * the result; the passes of an array run at once, by vmap. As in JAX:
 *     tt_val j = tt_call(tt_jacrev(f, .wrt = "1"), x, w);
 *     tt_fn  h = tt_jacfwd(tt_jacrev(f));                  // second derivatives, any number of arguments */
#define tt_jacfwd(...)       TT_JACFWD_(TT_AT("tt_jacfwd(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_JACFWD_(at, f, ...) tt_jacfwd_at(at, TT_FN(f), TT_OPTS(tt_grad_opts, __VA_ARGS__))
#define tt_jacrev(...)       TT_JACREV_(TT_AT("tt_jacrev(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_JACREV_(at, f, ...) tt_jacrev_at(at, TT_FN(f), TT_OPTS(tt_grad_opts, __VA_ARGS__))
TT_API tt_fn tt_jacfwd_at(const char *site, tt_fn f, const tt_grad_opts *),
    tt_jacrev_at(const char *site, tt_fn f, const tt_grad_opts *);
/* jax.linearize: the derivative at one point, for many tangents. linearize: a function of f's arguments that returns
 * (result, state), state being what the derivative needs. linear: a function of (state, tangents) that returns the
 * result's tangent, without computing f again; tangents is a tuple, as in tt_jvp. Both are of the same f:
 *     tt_val y, s;
 *     tt_unpack(tt_call(tt_linearize(f), x), &y, &s);
 *     tt_val dy = tt_call(tt_linear(f), s, tt_tuple(dx)); */
#define tt_linearize(f)      tt_linearize_at(TT_AT("tt_linearize(" #f ")"), TT_FN(f))
#define tt_linear(f)         tt_linear_at(TT_AT("tt_linear(" #f ")"), TT_FN(f))
TT_API tt_fn tt_linearize_at(const char *site, tt_fn f), tt_linear_at(const char *site, tt_fn f);
/* jax.lax.custom_root: a function of (guess, params) that returns solve(guess, params), the x with f(x, params) = 0, of
 * guess's structure. Its derivative by params is that of the implicit function, -(df/dx)^-1 (df/dparams), in both modes
 * and to any order; solve is not differentiated, guess has derivative zero. df/dx is computed as a dense matrix, and
 * solved by tt_solve: for up to some thousand unknowns. All of x and params are floats.
 *     x = tt_call(tt_custom_root(f2, newton), x, params); */
#define tt_custom_root(f, solve) tt_custom_root_at(TT_AT("tt_custom_root(" #f ", " #solve ")"), TT_FN(f), TT_FN(solve))
TT_API tt_fn tt_custom_root_at(const char *site, tt_fn f, tt_fn solve);
/* jax.lax.custom_linear_solve: a function of (b, params) that returns solve(b, params), the x with matvec(x, params) =
 * b, b and x trees of one structure, matvec linear in x. In reverse mode the cotangent of b is
 * transpose_solve(cotangent of x, params), the solution with the transpose (solve itself, if the map is symmetric);
 * neither is differentiated, so both may be loops of unknown length. Forward mode is an error, as of tt_custom_vjp.
 *     x = tt_call(tt_custom_linear_solve(map_of, solve_of, solve_of), b, params); */
#define tt_custom_linear_solve(matvec, solve, transpose_solve) \
    tt_custom_linear_solve_at(TT_AT("tt_custom_linear_solve(" #matvec ", " #solve ", " #transpose_solve ")"), \
        TT_FN(matvec), TT_FN(solve), TT_FN(transpose_solve))
TT_API tt_fn tt_custom_linear_solve_at(const char *site, tt_fn matvec, tt_fn solve, tt_fn transpose_solve);
/* The same values; no pass moves, merges or removes computations across it.
 *     x = tt_optimization_barrier(x); */
#define tt_optimization_barrier(v) tt_optimization_barrier_at(TT_AT("tt_optimization_barrier(" #v ")"), v)
TT_API tt_val tt_optimization_barrier_at(const char *site, tt_val v);

/* ---- checks ---- */

/* An error of the call, TT_EARG with this line, if pred is false: the text, with the value of each {} ({{ and }} are
 * braces). pred is bool; of dims, it is true if all elements are, and the error has the values of the first element
 * that is not, and its place. Values are broadcast to pred's shape; at most 8. In compiled functions, loops, branches
 * (of those that run), maps, regions and derivatives (once, in the forward pass), on meshes; the first check that fails
 * is the error, in the order of the program. Mapped over the predicate of a branch or loop, only the elements that take
 * it count. What jax.experimental.checkify's check is, without a transform around the function.
 *     tt_check(tt_gt(rate, tt_f(0)), "the rate is {}, in step {}", rate, i); */
#define tt_check(pred, ...)  TT_CHECK_(TT_AT("tt_check(" #pred ", " #__VA_ARGS__ ")"), pred, __VA_ARGS__, tt_end)
#define TT_CHECK_(at, pred, text, ...) tt_check_at(at, pred, text, TT_LIST(tt_val, __VA_ARGS__))
TT_API void tt_check_at(const char *site, tt_val pred, const char *text, const tt_val *v);

/* ---- scans and maps ---- */

/* jax.lax.associative_scan: x_0, f(x_0, x_1), f(f(x_0, x_1), x_2), ... along dim of the leaves of xs, in about 2
 * log2(n) calls of f. f takes two trees of slices (several elements each) and combines them elementwise; it is
 * associative. reverse: from the last element on.
 *     tt_val sums = tt_associative_scan(f2, xs, .reverse = 1); */
typedef struct tt_associative_opts { TT_OPTION_HEAD int dim TT_DEFAULT, reverse TT_DEFAULT; } tt_associative_opts;
#define tt_associative_scan(...) \
    TT_ASSOCIATIVE_(TT_AT("tt_associative_scan(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_ASSOCIATIVE_(at, f, xs, ...) \
    tt_associative_scan_at(at, TT_FN(f), xs, TT_OPTS(tt_associative_opts, __VA_ARGS__))
TT_API tt_val tt_associative_scan_at(const char *site, tt_fn f, tt_val xs, const tt_associative_opts *);
/* jax.lax.map: f of each element along dim 0 of the leaves of xs, one after the other; .batch_size = n: n at once by
 * vmap; the last batch may be smaller.
 *     tt_val all = tt_map(f, xs, .batch_size = 32); */
typedef struct tt_map_opts { TT_OPTION_HEAD int64_t batch_size TT_FROM_1; } tt_map_opts;
#define tt_map(...)          TT_MAP_(TT_AT("tt_map(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_MAP_(at, f, xs, ...) tt_map_at(at, TT_FN(f), xs, TT_OPTS(tt_map_opts, __VA_ARGS__))
TT_API tt_val tt_map_at(const char *site, tt_fn f, tt_val xs, const tt_map_opts *);

/* ---- trees as one array ---- */

/* jax.flatten_util.ravel_pytree: all leaves, flattened and joined, in their common dtype; and back: leaves of the dims
 * and dtypes of like's.
 *     tt_val flat = tt_ravel(params), back = tt_unravel(params, flat); */
#define tt_ravel(tree)       tt_ravel_at(TT_AT("tt_ravel(" #tree ")"), tree)
#define tt_unravel(like, v)  tt_unravel_at(TT_AT("tt_unravel(" #like ", " #v ")"), like, v)
TT_API tt_val tt_ravel_at(const char *site, tt_val tree), tt_unravel_at(const char *site, tt_val like, tt_val v);

#ifdef __cplusplus
}
#endif
#endif
