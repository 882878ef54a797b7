/* right.c - the public header under C: what macros are given in right programs, without a warning of -Wall -Wextra
 * -Wpedantic -Wconversion -Wshadow. Compiled by tools/house.sh, not run. */
#include <math.h>
#include <tutti.h>

static tt_val twice(tt_val x) { return tt_add(x, x); }
static tt_val twice_of(tt_val x, tt_val y) { return tt_add(x, y); }
static tt_val fill(void *env, int64_t i) { return tt_i(i + *(int *)env); }
static const float *pointer(void) { static const float p[4]; return p; }
static tt_val parameter(const float x[4], int n) { return tt_array(TT_F32, x, n); }

static tt_val apply(tt_val x, tt_val a) { return tt_matmul(a, x); }
static tt_val loss(tt_val p) { return tt_sum(p); }
static tt_val both(tt_val p, tt_val x) { return tt_sum(tt_mul(p, x)); }
static void draws_and_solvers(void)
{
    const int n = 2;
    tt_val k = tt_key(0), v = tt_ones(TT_F32, 3), m = tt_ones(TT_F32, 3, 3), i = tt_ones(TT_I32, 3), opt, p = v;
    tt_gamma(k, TT_F32, v), tt_gamma(k, TT_F32, v, n, 3), tt_beta(k, TT_F32, v, v);
    tt_triangular(k, TT_F32, v, v, v, 3);
    tt_poisson(k, TT_I32, v, 2, 3), tt_binomial(k, TT_F32, v, tt_f(0.5)), tt_ball(k, TT_F32, 2, n, 3);
    tt_maxwell(k, TT_F32), tt_multivariate_normal(k, TT_F32, v, m, 4), tt_orthogonal(k, TT_F32, 2, 2);
    tt_choice_with(k, v, TT_DIMS(2, TT_DIM_END), .once = 1), tt_logistic_draw(k, TT_F32, n);
    tt_norm_logpdf(v), tt_norm_logpdf(v, .loc = v, .scale = v), tt_gamma_cdf(v, v, .scale = v), tt_beta_pdf(v, v, v);
    tt_betabinom_logpmf(i, v, v, v, .loc = i), tt_multivariate_normal_logpdf(v, v, m), tt_multigammaln(v, 2);
    tt_expm(m), tt_cho_solve(m, v, .upper = 1), tt_block_diag(m, v), tt_cg(apply, v, .with = m), tt_minimize(loss, v);
    tt_sigmoid_focal_loss(v, v, .alpha = 0.5), tt_ctc_loss(m, m, m, m, .blank = 1), tt_squared_error(v, v);
    opt = tt_adafactor(p, .rate = 0.1, .from = 2), opt = tt_lbfgs(p, .memory = 3), opt = tt_adabelief(p);
    tt_opt_step_with(&p, &opt, both, v), tt_opt_step_value(&p, &opt, v, tt_f(1)), tt_incremental_update(p, p, 0.5);
}

static const char *looks(void *env, int nin, const tt_box *in, int nout, const tt_box *out)
{
    return env == NULL && nin == 1 && in[0].rank == 0 && nout >= 0 && out != NULL ? NULL : "not that";
}
static void looking_inside(tt_val v)
{
    tt_debug(v, "a {}"), tt_debug(tt_tuple(v, v), "a {:.3f} b {1}", .partitioned = 1);
    tt_debug_callback(looks, NULL, v), tt_io_callback(looks, NULL, tt_end, v);
    tt_pure_callback(looks, NULL, tt_shape(TT_F32, 2), v);
    tt_pure_callback(looks, NULL, v, v, .vmap_method = "sequential");
}

int main(void)
{
    enum { ROWS = 2 };
    int n = 3, start = 1;
    const short small = 2;
    float rows[2][3] = { { 1 } }, out[3];
    const double one = 1;
    const _Bool truth[2] = { 0, 1 };
    char bytes[8] = { 0 };
    int64_t lo[1] = { 0 }, size[1] = { 3 };
    tt_val key = tt_key(0), v = tt_array(TT_F32, rows, ROWS, n), p = tt_array(TT_F32, pointer(), 4), i = tt_i(0);
    tt_array(TT_F64, &one), tt_array(TT_BOOL, truth, 2), tt_array(TT_F32, (void *)bytes, small);
    tt_array(TT_U8, bytes, 8);
    tt_array(TT_F32, ((float[]){ 1, 2 }), 2), tt_array(TT_F32, NULL, 0), parameter(pointer(), 4);
    tt_zeros(TT_F32), tt_zeros(TT_F32, small, n, ROWS, tt_dim(v, 0), -1 + n), tt_reshape(v, -1), tt_transpose(v);
    tt_read(tt_ones(TT_F32, 3), out, sizeof out), tt_read_box(p, lo, size, out);
    tt_addressable_data(p, 0, lo, size, NULL, 0);
    tt_bernoulli(key, tt_f(0.5)), tt_randint(key, TT_I32, i, tt_i(9)), tt_uniform_in(key, TT_F32, -1, 1, n);
    tt_truncated_normal(key, TT_F32, -2, 2), tt_categorical(key, p), tt_choice(key, p, 2), tt_arange(TT_F32, n);
    tt_variance_scaling(key, TT_F32, TT_DIMS(4, 2, TT_DIM_END), .mode = "fan_out");
    tt_at(v, "_, 1:3, ::2"), tt_at(v, "i, n", i, tt_i(n)), tt_at_add(v, "i", tt_f(1), i);
    tt_arange(TT_I32, lo[0], n, small);
    tt_arange(TT_F32, 0, one, 0.25), tt_const(TT_F32, { { 1, NAN }, { 2.5f, ROWS } }), tt_const(TT_BOOL, true);
    tt_fori(0, n, twice_of, v), tt_fori(i, tt_i(n), twice_of, v), tt_softmax(v), tt_softmax(v, .dims = "0", .where = p);
    tt_nonzero(v, .count = n, .fill = -1), tt_histogram(v, .range = { 0, one }), tt_split_indices(v, 0, 1, small);
    tt_jacfwd(twice, .wrt = "0"), tt_jacrev(tt_jacfwd(twice)), tt_associative_scan(twice_of, v, .dim = 1);
    tt_map(twice, v);
    tt_custom_linear_solve(twice_of, twice_of, TT_FN(twice_of)), tt_custom_root(twice_of, twice_of);
    tt_switch(i, v, twice, TT_FN(twice), tt_jit(twice));
    for (tt_loop it = tt_loop_of(3, fill, &start); tt_next(&it);) tt_show(it.batch);
    draws_and_solvers(), looking_inside(tt_f(1));
    return tt_done();
}
