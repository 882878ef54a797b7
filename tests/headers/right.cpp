/* right.cpp - the public header under C++: macros, options, records, memory. Compiled by tools/house.sh, not run. */
#include <tutti.h>

static tt_val twice(tt_val x) { return tt_add(x, x); }
static const float *pointer() { static const float p[4] = { 0 }; return p; }
TT_RECORD(lin, w, b);

static tt_val apply(tt_val x, tt_val a) { return tt_matmul(a, x); }
static tt_val loss(tt_val p) { return tt_sum(p); }
static tt_val product(tt_val p, tt_val x) { return tt_sum(tt_mul(p, x)); }
static void draws_and_solvers()
{
    const int n = 2;
    tt_val k = tt_key(0), v = tt_ones(TT_F32, 3), m = tt_ones(TT_F32, 3, 3), i = tt_ones(TT_I32, 3), opt, p = v;
    tt_gamma(k, TT_F32, v), tt_gamma(k, TT_F32, v, n, 3), tt_beta(k, TT_F32, v, v), tt_triangular(k, TT_F32, v, v, v, 3);
    tt_poisson(k, TT_I32, v, 2, 3), tt_binomial(k, TT_F32, v, tt_f(0.5)), tt_ball(k, TT_F32, 2, n, 3);
    tt_maxwell(k, TT_F32), tt_multivariate_normal(k, TT_F32, v, m, 4), tt_orthogonal(k, TT_F32, 2, 2);
    tt_choice_with(k, v, TT_DIMS(2, TT_DIM_END), .once = 1), tt_logistic_draw(k, TT_F32, n);
    tt_norm_logpdf(v), tt_norm_logpdf(v, .loc = v, .scale = v), tt_gamma_cdf(v, v, .scale = v), tt_beta_pdf(v, v, v);
    tt_betabinom_logpmf(i, v, v, v, .loc = i), tt_multivariate_normal_logpdf(v, v, m), tt_multigammaln(v, 2);
    tt_expm(m), tt_cho_solve(m, v, .upper = 1), tt_block_diag(m, v), tt_cg(apply, v, .with = m), tt_minimize(loss, v);
    tt_sigmoid_focal_loss(v, v, .alpha = 0.5), tt_ctc_loss(m, m, m, m, .blank = 1), tt_squared_error(v, v);
    opt = tt_adafactor(p, .rate = 0.1, .from = 2), opt = tt_lbfgs(p, .memory = 3), opt = tt_adabelief(p);
    tt_opt_step_with(&p, &opt, product, v), tt_opt_step_value(&p, &opt, v, tt_f(1)), tt_incremental_update(p, p, 0.5);
}

static const char *looks(void *env, int nin, const tt_box *in, int nout, const tt_box *out)
{
    return env == nullptr && nin == 1 && in[0].rank == 0 && nout >= 0 && out != nullptr ? nullptr : "not that";
}
static void looking_inside(tt_val v)
{
    tt_debug(v, "a {}"), tt_debug(tt_tuple(v, v), "a {:.3f} b {1}", .partitioned = 1);
    tt_debug_callback(looks, nullptr, v), tt_io_callback(looks, nullptr, tt_end, v);
    tt_pure_callback(looks, nullptr, tt_shape(TT_F32, 2), v);
    tt_pure_callback(looks, nullptr, v, v, .vmap_method = "sequential");
}

int main()
{
    tt_val a = tt_arange(TT_F32, 8), key = tt_key(0), i = tt_i(0);
    tt_show(tt_relu(a));
    tt_val m = tt_mean(a, .dims = "0");
    tt_fn f = tt_jit(twice, .donate = "0");
    (void)f;
    tt_val z = tt_zeros(TT_F32, 2, 3);
    tt_unpack(z, &a, &m);
    float rows[2][3] = {}, out[3] = {};
    const bool truth[2] = { false, true };
    char bytes[8] = {};
    const int n = 3;
    int64_t lo[1] = { 0 }, size[1] = { 3 };
    tt_array(TT_F32, rows, 2, n), tt_array(TT_F32, pointer(), 4), tt_array(TT_BOOL, truth, 2), tt_array(TT_F32, bytes, 2);
    tt_array(TT_F32, nullptr, 0), tt_array(TT_F32, static_cast<void *>(bytes), 2);
    tt_read(tt_ones(TT_F32, 3), out, sizeof out), tt_read_box(a, lo, size, out), tt_addressable_data(a, 0, lo, size, nullptr, 0);
    tt_bernoulli(key, tt_f(0.5)), tt_randint(key, TT_I32, i, tt_i(9)), tt_uniform_in(key, TT_F32, -1, 1, n);
    tt_truncated_normal(key, TT_F32, -2, 2), tt_categorical(key, a), tt_choice(key, a, 2);
    tt_at(z, "_, 1:3"), tt_at(z, "i, n", i, tt_i(n)), tt_at_add(z, "i", tt_f(1), i), tt_arange(TT_I32, lo[0], n, 2);
    tt_arange(TT_F32, 0, 1.5, 0.25), tt_const(TT_F32, { { 1, 2 }, { 2.5f, -1 } }), tt_const(TT_BOOL, true);
    tt_fori(0, n, product, z), tt_fori(i, tt_i(n), product, z), tt_softmax(z), tt_softmax(z, .dims = "0", .where = a);
    tt_nonzero(z, .count = n, .fill = -1), tt_histogram(z, .range = { 0, 1 }), tt_split_indices(z, 0, 1, n);
    tt_jacfwd(twice, .wrt = "0"), tt_jacrev(tt_jacfwd(twice)), tt_associative_scan(product, z, .dim = 1), tt_map(twice, z);
    tt_custom_linear_solve(product, product, TT_FN(product)), tt_custom_root(product, product);
    tt_switch(i, z, twice, TT_FN(twice), tt_jit(twice));
    draws_and_solvers(), looking_inside(a);
    return tt_done();
}
