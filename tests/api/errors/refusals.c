/* refusals.c - calls that have no meaning, or none that a program can want: transforms, arrays, layers and optimizers.
 * With the exact text that the user sees (errors.h); what goes with them, and is right, has the text "no error".
 *
 * Longer than 400 lines: one list of calls, of which each has its text in refusals.inc. */
#include "api/errors.h"

#include <unistd.h>

static tt_val three(void) { return tt_add(tt_arange(TT_F32, 3), tt_f(1)); }
static tt_val same(tt_val x) { return x; }
static tt_val twice(tt_val x) { return tt_mul(x, tt_f(2)); }
static tt_val squares(tt_val x) { return tt_sum(tt_square(x)); }
static tt_val sum_of_three(tt_val a, tt_val b, tt_val c) { return (void)c, tt_sum(tt_mul(a, b)); }

/* ---- carries, and results of rules ---- */

static tt_val half_more(tt_val c, tt_val x) { return (void)x, tt_tuple(tt_mul(c, tt_f(1.5)), c); }
static tt_val one_more(tt_val c, tt_val x) { return (void)x, tt_tuple(tt_add(c, tt_i(1)), c); }
static tt_val below_five(tt_val s) { return tt_lt(s, tt_f(5)); }
static tt_val add_half(tt_val s) { return tt_add(s, tt_f(0.5)); }
static void carry_cut(void) { tt_scan(half_more, tt_ones(TT_I32), three()); }
static void carry_of_bool(void) { tt_scan(one_more, tt_ones(TT_BOOL), three()); }
static void state_cut(void) { tt_while(below_five, add_half, tt_zeros(TT_I32)); }
static void carry_of_numbers(void)                       /* no error */
{
    tt_scan(half_more, tt_i(1), three());
    tt_scan(one_more, tt_ones(TT_U8), three());
    tt_scan(one_more, tt_ones(TT_F16), three());
}
static tt_val bent(tt_val p, tt_val t) { return tt_tuple(twice(tt_item(p, 0)), tt_square(tt_item(t, 0))); }
static tt_val over(tt_val p, tt_val t) { return tt_tuple(twice(tt_item(p, 0)), tt_div(tt_f(1), tt_item(t, 0))); }
static tt_val whole(tt_val p, tt_val t)
{
    return tt_tuple(twice(tt_item(p, 0)), tt_cast(tt_cast(tt_item(t, 0), TT_I32), TT_F32));
}
static tt_val of_bent(tt_val x) { return tt_sum(tt_call(tt_custom_jvp(twice, bent), x)); }
static tt_val of_over(tt_val x) { return tt_sum(tt_call(tt_custom_jvp(twice, over), x)); }
static tt_val of_whole(tt_val x) { return tt_sum(tt_call(tt_custom_jvp(twice, whole), x)); }
static void tangent_squared(void) { tt_call(tt_grad(of_bent), three()); }
static void tangent_below(void) { tt_call(tt_grad(of_over), three()); }
static void tangent_whole(void) { tt_call(tt_grad(of_whole), three()); }
static tt_val integer_of(tt_val x) { return tt_cast(tt_mul(x, tt_f(2)), TT_I32); }
static tt_val number_and_rest(tt_val x) { return (void)x, tt_tuple(tt_f(2.5), tt_none()); }
static tt_val nothing_back(tt_val r, tt_val g) { return (void)r, (void)g, tt_f(0); }
static tt_val of_number(tt_val x)
{
    return tt_cast(tt_call(tt_custom_vjp(integer_of, number_and_rest, nothing_back), x), TT_F32);
}
static void result_cut(void) { tt_call(tt_grad(of_number), tt_zeros(TT_F32)); }

/* ---- names of axes and arguments ---- */

static void axis_empty(void) { tt_vmap(same, .axis = ""); }
static void axis_of_two(void) { tt_pmap(same, .axis = "i, j"); }
static void wrt_nothing(void) { tt_grad(squares, .wrt = ""); }
static void manual_twice(void)
{
    const tt_mesh m = tt_mesh("i:2, j:2");
    tt_call(tt_shard_map(same, .mesh = m, .in = "i", .out = "i", .axes = "i, i"), tt_ones(TT_F32, 4));
}
static tt_val own_sum(tt_val x) { return tt_sum(x); }
static void manual_partial(void)
{
    const tt_mesh m = tt_mesh("i:4");
    tt_call(tt_shard_map(own_sum, .mesh = m, .in = "i", .out = "+sum(i)"), tt_ones(TT_F32, 8));
}
static void jit_out_partial(void)
{
    tt_call(tt_jit(same, .mesh = tt_mesh("i:4"), .in = "_", .out = "_ +sum(i)"), tt_ones(TT_F32, 8));
}
static void manual_nothing(void) { tt_shard_map(same, .mesh = tt_mesh("i:2"), .in = "_", .out = "_", .axes = " "); }

static tt_val sum_i(tt_val x) { return tt_psum(x, "i"); }
static void axis_of_vmap_too(void)
{
    tt_call(tt_vmap(tt_pmap(sum_i, .axis = "i"), .axis = "i"), tt_ones(TT_F32, 2, 4));
}
static void axis_of_pmap_too(void)                       /* no error: the inner one is meant */
{
    const tt_val y = tt_call(tt_pmap(tt_vmap(sum_i, .axis = "i"), .axis = "i"), tt_ones(TT_F32, 2, 4));
    CHECK(tt_num(tt_sum(y)) == 32, "sums over the inner axis: %s", tt_value_text(y));
}
static void open_block(void)
{
    tt_call(tt_shard_map(same, .mesh = tt_mesh("i:2"), .in = "?", .out = "_"), tt_ones(TT_F32, 4));
}
static void ordered_block(void)
{
    tt_call(tt_shard_map(same, .mesh = tt_mesh("i:2"), .in = "i!1", .out = "i"), tt_ones(TT_F32, 4));
}
static void axes_of_more_dims(void) { tt_logical_constraint(three(), "batch, hidden"); }
static void axes_alike(void) { tt_logical_constraint(tt_ones(TT_F32, 2, 2), "batch, batch"); }

/* ---- complex numbers: what orders them goes by the real part, then by the imaginary one ---- */

static tt_val z(void)
{
    const float re[] = { 3, 1, 3 }, im[] = { 1, 5, 2 };
    return tt_complex(tt_array(TT_F32, re, 3), tt_array(TT_F32, im, 3));
}
static void is_text(tt_val v, const char *text)
{
    CHECK(!strcmp(tt_value_text(v), text), "%s, not %s", tt_value_text(v), text);
}
static void complex_order(void)                          /* no error */
{
    const tt_val one = tt_complex(tt_f(3), tt_f(1)), nan = tt_complex(tt_f(1), tt_f((double)(0.0f / 0.0f)));
    is_text(tt_ge(z(), one), "[ True False  True]");
    is_text(tt_le(z(), one), "[ True  True False]");
    is_text(tt_lt(z(), one), "[False  True False]");
    is_text(tt_call(tt_jit(same), tt_amax(z())), "3+2j");
    is_text(tt_amin(z()), "1+5j");
    is_text(tt_argmin(z()), "1");
    is_text(tt_argmax(z()), "2");
    is_text(tt_isnan(tt_max(one, nan)), "True");
    is_text(tt_isnan(tt_min(nan, one)), "True");
    is_text(tt_window_max(tt_reshape(z(), 1, 3, 1), .window = { 2 }), "[[[3+1j]\n  [3+2j]]]");
}
static void near(tt_val v, double re, double im)
{
    const double x = tt_num(tt_real(v)), y = tt_num(tt_imag(v));
    CHECK((x - re) * (x - re) + (y - im) * (y - im) < 1e-10, "%g%+gj", x, y);
}
static void complex_hyperbolic(void)                     /* no error; Python's cmath */
{
    const tt_val v = tt_complex(tt_f(0.5), tt_f(-0.5));
    near(tt_sinh(v), 0.4573041531842493, -0.5406126857131534);
    near(tt_cosh(v), 0.9895848833999199, -0.2498263975050247);
    near(tt_asinh(v), 0.5306375309525179, -0.4522784471511907);
    near(tt_acosh(v), 0.5306375309525179, -1.1185178796437059);
    near(tt_sinh(tt_neg(v)), -0.4573041531842493, 0.5406126857131534);
}
static void complex_covariance(void)                     /* no error; numpy's: the second factor is conjugated */
{
    const tt_val v = tt_stack_values(0, z(), tt_mul(z(), tt_complex(tt_f(0), tt_f(1)))), c = tt_cov(v),
        r = tt_corrcoef(v);
    near(tt_dynamic_slice(tt_reshape(c, 4), 0, tt_i(0), 1), 5.6666665, 0);
    near(tt_dynamic_slice(tt_reshape(r, 4), 0, tt_i(1), 1), 0, -1);
}
static void complex_loss(void) { tt_l2_loss(z(), z()); }
static void complex_point(void) { tt_interp(z(), three(), three()); }
static void complex_sign(void) { tt_copysign(three(), z()); }
static void complex_adam(void)
{
    const tt_val w = tt_dict("w", z());
    tt_adam(w);
}
static void complex_gradient(void)
{
    tt_val p = tt_dict("w", three()), o = tt_sgd(p);
    tt_opt_step(&p, &o, tt_dict("w", z()));
}
static void complex_sgd(void)                            /* no error */
{
    tt_val p = tt_dict("w", z()), o = tt_sgd(p, .rate = 0.5, .momentum = 0.5);
    tt_opt_step(&p, &o, p);
    is_text(tt_get(p, "w"), "[1.5+0.5j 0.5+2.5j   1.5+1j]");
}

/* ---- options of another function, and what comes after an error ---- */

static tt_val square(void) { return tt_add(tt_eye(TT_F32, 3), tt_ones(TT_F32, 3, 3)); }
static void upper_qr(void) { tt_qr(square(), .upper = 1); }
static void full_cholesky(void) { tt_cholesky(square(), .full = 1); }
static void turned_twice(void) { tt_triangular_solve(square(), three(), .transpose = 1, .adjoint = 1); }
static void places_by_keys(void) { tt_argsort(three(), 0, .keys = 2); }
static tt_val unnamed(tt_nn m, tt_val x) { return tt_dense(m, "", x, 3); }
static void layer_empty(void) { tt_init(unnamed, tt_key(0), tt_ones(TT_F32, 1, 2)); }
/* ---- lists of dims that no list can be, or whose numbers no int can hold ---- */

static tt_val grid(void) { return tt_ones(TT_F32, 3, 4); }
static void refused(const char *text, tt_val v)
{
    CHECK(!tt_ok() && strstr(tt_error(), text), "%s: %s", text, tt_ok() ? tt_value_text(v) : tt_error());
    tt_clear();
}

static void dims_lists(void)
{
    static const char *const wrong[] = { ",", "0,,1", "0 1", "0,", " ", "a", "4294967296", "99999999999999999999" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *const text = i < 6 ? "; expected dims, with a comma between two" : ".dims names dim ";
        refused(text, tt_sum(grid(), .dims = wrong[i]));
        refused(text, tt_median(grid(), .dims = wrong[i]));
        refused(text, tt_quantile(grid(), 0.5, .dims = wrong[i]));
        refused(text, tt_argmax(grid(), .dims = wrong[i]));
    }
    refused("dot: expected pairs of dims", tt_dot(grid(), tt_transpose(grid()), .sum = "4294967297:0"));
    refused("dot: expected pairs of dims", tt_dot(grid(), tt_transpose(grid()), .sum = "1:0,"));
    refused("expected one dim", tt_median(grid(), .dims = "0, 1"));
    is_text(tt_sum(tt_median(grid(), .dims = "")), "12.");
}

static bool poisoned(tt_val v) { return v.slot == tt_poison.slot && v.born == tt_poison.born; }
static void poison_of_wrong_dims(void)
{
    const tt_val v = three();
    CHECK(poisoned(tt_argsort(v, 3)) && poisoned(tt_median(v, .dims = "3")), "not the value itself");
    CHECK(poisoned(tt_roll(v, 1, 0)) && poisoned(tt_flatten(v, 1 << 20)) && poisoned(tt_top_k(v, 9)), "after an error");
    CHECK(poisoned(tt_tile(v, 2)) && poisoned(tt_repeat(v, 2, 0)) && poisoned(tt_chunk(v, 0, 0)), "after an error");
    CHECK(poisoned(tt_einsum("i,i->", v, v)) && poisoned(tt_interp(v, v, z())), "after an error");
    CHECK(poisoned(tt_cov(v)) && poisoned(tt_softmax(v)), "after an error");
    CHECK(poisoned(tt_l2_loss(z(), z())) && poisoned(tt_searchsorted(square(), v)), "after an error");
    CHECK(poisoned(tt_quantile(v, 0.5)) && poisoned(tt_tril(v, 0)) && poisoned(tt_diff(v, 0)), "after an error");
}
static void largest_of_tree(void) { tt_top_k(tt_tuple(three(), three()), 1); }

/* ---- places and integers ---- */

static tt_val part_of(tt_val v, tt_val i) { return tt_dynamic_slice(v, 0, i, 1); }
static tt_val put_in(tt_val v, tt_val i) { return tt_dynamic_update_slice(v, tt_full(9, TT_F32, 1), 0, i); }
static void place_from_end(void)                         /* no error: as lax.dynamic_slice and dynamic_update_slice */
{
    const int64_t wide[] = { -2, INT64_MIN };
    const tt_val v = three(), i = tt_array(TT_I64, wide, 2), at = tt_squeeze(tt_slice(i, 0, 0, 1, 1), 0);
    is_text(part_of(v, tt_full(-1, TT_I32)), "[3.]");
    is_text(tt_call(tt_jit(part_of), v, tt_full(-3, TT_I8)), "[1.]");
    is_text(tt_call(tt_jit(part_of), v, tt_full(-7, TT_I32)), "[1.]");
    is_text(tt_call(tt_jit(part_of), v, at), "[2.]");
    is_text(part_of(v, tt_squeeze(tt_slice(i, 0, 1, 2, 1), 0)), "[1.]");
    is_text(part_of(v, tt_full(255, TT_U8)), "[3.]");
    is_text(tt_call(tt_jit(put_in), v, tt_full(-1, TT_I32)), "[1. 2. 9.]");
    is_text(put_in(v, tt_i(-7)), "[9. 2. 3.]");
    is_text(tt_call(tt_vmap(part_of, .in = "_; 0"), v, tt_array(TT_I32, ((const int[]){ -1, 1 }), 2)), "[[3.]\n [2.]]");
}
static void update_wraps(void) { tt_dynamic_update_slice(tt_zeros(TT_U8, 3), tt_full(300, TT_I32, 1), 0, tt_i(0)); }
static void rows_wrap(void) { tt_index_set(tt_zeros(TT_I32, 3), tt_zeros(TT_I32, 1), tt_zeros(TT_U32, 1)); }
static void integers_that_go_in(void)                    /* no error */
{
    tt_dynamic_update_slice(tt_zeros(TT_I32, 3), tt_zeros(TT_U8, 1), 0, tt_i(0));
    tt_index_add(tt_zeros(TT_U8, 3), tt_zeros(TT_I32, 1), tt_reshape(tt_i(3), 1));
}
static void power_of_integers(void) { tt_integer_pow(tt_arange(TT_I32, 3), -1); }
static void power_in_formula(void)
{
    const tt_val i = tt_arange(TT_I32, 3);
    TT_E("i^-2", i);
}
static void power_by_number(void) { tt_pow(tt_arange(TT_I32, 3), tt_i(-1)); }
static void triangles_far_out(void)                      /* no error */
{
    const tt_val v = square();
    is_text(tt_sum(tt_triu(v, INT64_MIN)), "12.");
    is_text(tt_sum(tt_triu(v, INT64_C(1) << 40)), "0.");
    is_text(tt_sum(tt_tril(v, INT64_MAX)), "12.");
    is_text(tt_diag(v, INT64_MIN), "[]");
    is_text(tt_diff(tt_gt(three(), tt_f(2)), 0), "[False  True]");
}

/* ---- draws ---- */

static tt_val chosen(float a, float b, float c, int64_t n, int replace)
{
    const float w[] = { a, b, c };
    const tt_val p = tt_array(TT_F32, w, 3);
    return tt_choice_at("choice", tt_key(0), three(), (const int64_t[]){ n, TT_DIM_END }, replace, &p, 0);
}
static void weights_none(void) { chosen(0, 0, 0, 2, 1); }
static void weight_negative(void) { chosen(1, -1, 1, 2, 1); }
static void weights_few(void) { chosen(1, 0, 0, 2, 0); }
static void weights_that_suit(void) { chosen(2, 3, 5, 3, 0); }   /* no error */
static void choice_of_half(void) { tt_choice(tt_key(0), tt_f(2.5), 2); }
static void permutation_of_truth(void) { tt_permutation(tt_key(0), tt_b(1)); }
static void keys_for_one(void) { tt_uniform(tt_split(tt_key(0), 2), TT_F32, 3); }
static void signs_of_bytes(void) { tt_rademacher(tt_key(0), TT_U8, 2); }
static void variance_below_0(void)
{
    tt_variance_scaling(tt_key(0), TT_F32, TT_DIMS(8, 4, TT_DIM_END), .scale = -1);
}
static tt_val named(const char *init)
{
    return tt_init_named_at("init", init, tt_key(0), TT_F32, (const int64_t[]){ 2, 2, TT_DIM_END });
}
static void variance_negative(void) { named("keras.VarianceScaling(-1)"); }
static void constant_of_nothing(void) { named("constant"); }

/* ---- layers ---- */

static tt_val no_more(tt_val key, tt_dtype d, const int64_t *dims) { return (void)key, tt_full_at("", 0, d, dims); }
#define LAYER(name, of, does) \
    static tt_val name##_in(tt_nn m, tt_val x) { return (void)m, does; } \
    static void name(void) { tt_init(name##_in, tt_key(0), of); }
#define ROWS                 tt_ones(TT_F32, 2, 3)
#define STEPS                tt_ones(TT_F32, 5, 2, 3)
static const int64_t row_dims[] = { 3, TT_DIM_END };
LAYER(bias_of_none, ROWS, tt_dense(m, "d", x, 2, .no_bias = 1, .bias_init = "ones"))
LAYER(dropped_integers, tt_ones(TT_I32, 2, 3), tt_dropout(m, x, 0.3))
LAYER(dropped_twice, ROWS, tt_dropout(m, x, 0.3, .same = "0, -2"))
LAYER(dropped_by_two, ROWS, tt_dropout(m, x, 0.3, .key = tt_key(0), .seed = tt_seed(1)))
LAYER(param_path, ROWS, tt_add(x, tt_param(m, "p.q", row_dims, .init = "ones")))
LAYER(param_made_twice, ROWS, tt_add(x, tt_param(m, "p", row_dims, .init = "ones", .make = no_more)))
LAYER(param_of_no_stream, ROWS, tt_add(x, tt_param(m, "p", row_dims, .stream = "")))
LAYER(param_of_no_dims, ROWS, tt_add(x, tt_param(m, "p", NULL, .init = "ones")))
LAYER(alias_empty, ROWS, (tt_alias(m, "", "p"), x))
LAYER(class_empty, ROWS, tt_called(m, "", x))
LAYER(rms_of_deviations, ROWS, tt_rms_norm(m, "n", x, .two_pass = 1))
LAYER(steps_of_no_batch, ROWS, tt_item(tt_rnn(m, "r", tt_gru_cell, tt_zeros(TT_F32, 2, 4), x), 1))
LAYER(gate_of_none, STEPS,
      tt_item(tt_rnn(m, "r", tt_simple_cell, tt_zeros(TT_F32, 2, 4), x, .gate = tt_relu_at), 1))
static void mask_as_bias(void)
{
    const tt_val q = tt_ones(TT_F32, 1, 2, 1, 4);
    tt_attention(q, q, q, .bias = tt_ones(TT_BOOL, 1, 1, 2, 2));
}
static void largest_real_only(void) { tt_max_pool(tt_ones(TT_F32, 1, 4, 4, 1), .window = { 2, 2 }, .real_only = 1); }

static void sum_real_only(void) { tt_window_sum(tt_ones(TT_F32, 1, 4, 4, 1), .window = { 2, 2 }, .real_only = 1); }
static void mean_real_only(void)                         /* no error */
{
    const tt_val y = tt_avg_pool(tt_ones(TT_F32, 1, 2, 2, 1), .window = { 2, 2 }, .pad = "SAME", .real_only = 1);
    CHECK(tt_num(tt_sum(y)) == 4, "means of what is there");
}

/* ---- options of optimizers ---- */

static tt_val weights(void) { return tt_dict("w", three()); }
static void ahead_of_nothing(void) { tt_sgd(weights(), .nesterov = 1); }
static void type_of_no_momentum(void) { tt_sgd(weights(), .mu_dtype = TT_BF16); }
static void ahead_in_rmsprop(void) { tt_rmsprop(weights(), .nesterov = 1); }
static void decay_of_radam(void) { tt_radam(weights(), .decay = 0.1); }
static void decay_of_amsgrad(void) { tt_amsgrad(weights(), .decay = 0.1); }
static void type_of_lamb(void) { tt_lamb(weights(), .mu_dtype = TT_BF16); }
static void root_of_keras(void) { tt_adam(weights(), .keras = 1, .eps_root = 1e-8); }
static void mask_of_keras(void) { tt_adamw(weights(), .keras = 1, .mask = "w"); }
static void mask_of_no_decay(void) { tt_adam(weights(), .mask = "w"); }
static void mask_empty(void) { tt_adamw(weights(), .mask = " "); }
static void line_of_no_steps(void) { tt_schedule("linear(1, 0)", tt_i(3)); }
static void decay_of_no_rate(void) { tt_schedule("exponential_decay(1, 10)", tt_i(3)); }
static void options_that_suit(void)                      /* no error */
{
    tt_sgd(weights(), .momentum = 0, .nesterov = 1, .mu_dtype = TT_BF16);
    tt_adam(weights(), .decay = 0.1, .mask = "w", .nesterov = 1, .mu_dtype = TT_BF16, .eps_root = 1e-8);
    tt_adam(weights(), .keras = 1, .decay = 0.1);
    tt_adamw(weights(), .mask = "w");
    tt_nadam(weights(), .nesterov = 1);
    tt_lion(weights(), .mask = "w");
    tt_schedule("linear(1, 0, 0)", tt_i(3));
}

static void rate_missing(void) { tt_optimizer(weights(), "adam()"); }
static void step_missing(void) { tt_optimizer(weights(), "scale(); sgd(0.1)"); }
static void type_of_integers(void) { tt_adam(weights(), .mu_dtype = TT_I32); }
static void sum_negative(void) { tt_adagrad(weights(), .initial = -1); }
static void value_missing(void) { tt_schedule("constant()", tt_i(0)); }
static void begins_before(void) { tt_schedule("linear(1, 0, 3, -2)", tt_i(0)); }
static void warmup_negative(void) { tt_schedule("warmup_cosine_decay(0, 1, -1, 3)", tt_i(0)); }
static void warmup_missing(void) { tt_schedule("warmup_constant(0, 1)", tt_i(0)); }
static void scale_negative(void) { tt_schedule("piecewise_constant(1, 2 -0.5)", tt_i(0)); }
static void rate_of_three(void)
{
    tt_val p = weights(), o = tt_set(tt_sgd(p), "rate", three());
    tt_opt_step(&p, &o, weights());
}
static void axis_of_no_name(void) { tt_fold_in_axis(tt_key(0), ""); }

/* ---- files ---- */

static const char *written(const char *text, size_t n)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/tutti-refusals-%ld", (long)getpid());
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(text, 1, n, f) == n && !fclose(f), "%s", path);
    return path;
}
static void idx_longer(void)
{
    const tt_val v = tt_read_idx(written("\0\0\10\1\0\0\0\2abc", 11));
    CHECK(poisoned(v) && strstr(tt_error(), "promises 2 elements, the file holds 1 bytes more"), "%s", tt_error());
    unlink(written("", 0));
    tt_clear();
}
static void narrow_file(void) { tt_write_npy("/tmp/tutti-none.npy", tt_zeros(TT_F8E4M3FN, 2)); }
static void folder_as_text(void) { CHECK(poisoned(tt_read_text("/")), "poison of a folder"); }
static void name_of_bytes(void) { tt_dict("a\xffz", three()); }
static void path_of_bytes(void) { tt_set(tt_dict("a", three()), "b.\xc0\x80", three()); }
static void axes_of_bytes(void) { tt_leaf(three(), .axes = "\xed\xa0\x80"); }
static void tag_of_bytes(void) { tt_tagged("\xf5", tt_tuple(three())); }
static void names_of_letters(void)                       /* no error */
{
    tt_tree(2, (const char *[]){ "\xc3\xbc.\xe2\x82\xac", "\xf0\x9f\x98\x80" }, (tt_val[]){ three(), three() });
}
static void data_of_no_name(void) { tt_mnist("", .batch = 2); }

static void softmax_of_scalar(void) { tt_softmax(tt_f(1)); }
static void load_by_no_axis(void)
{
    char path[80];
    snprintf(path, sizeof path, "/tmp/tutti-refusals-%ld.npz", (long)getpid());
    CHECK(tt_write_npz(path, tt_dict("a", three())), "%s", tt_error());
    CHECK(poisoned(tt_load(path, .mesh = tt_mesh("i:2"), .rules = "zz:q")), "poison beside the error");
    unlink(path);
}


/* ---- trees, rows and savers ---- */

static void path_ends_in_dot(void) { tt_get(tt_dict("a", three()), "a."); }
static void set_ends_in_dot(void) { tt_set(tt_dict("a", three()), "b.", three()); }
static void patience_below_0(void) { tt_save("/tmp/tutti-never", three(), .patience = -1); }
static void no_manager(void) { CHECK(!tt_manager_wait((tt_manager){ 0 }), "waits"); }
static void load_of_no_manager(void) { tt_manager_load((tt_manager){ 0 }, 1); }
static void accumulate_none(void) { tt_accumulate(sum_of_three, 0, three(), three(), tt_key(0)); }
static void accumulate_scalar(void) { tt_accumulate(sum_of_three, 1, three(), tt_f(1), tt_key(0)); }
static void metrics_of_scalars(void) { CHECK(!tt_print_metrics(tt_dict("a", tt_f(1)), NULL), "printed"); }
static void metrics_of_none(void) { CHECK(!tt_print_metrics(tt_f(1), "title"), "printed"); }
static void filled_up_far(void)                          /* no error */
{
    const tt_data d = tt_dataset(three(), .batch = INT64_MAX, .keep_last = 1);
    int n = 0;
    for (tt_loop it = tt_batches(d); tt_next(&it);) n += (int)tt_dim(it.batch, 0);
    CHECK(n == 3, "%d rows in batches of all", n);
}
static void filled_up_beyond(void)                       /* 2^62 rows of four bytes are 2^64 */
{
    const tt_data d = tt_dataset(three(), .batch = (int64_t)1 << 62, .wrap = 1);
    for (tt_loop it = tt_batches(d); tt_next(&it);) CHECK(false, "a batch of 2^62 rows");
    CHECK(strstr(tt_error(), "error: a batch of 4611686018427387904 rows: out of memory"), "%s", tt_error());
    tt_clear();
}
static tt_val around(tt_val x) { return tt_pshift(x, "i", INT64_MIN); }
static void shifted_far(void)                            /* no error: 2^63 times around four places */
{
    const tt_val x = tt_arange(TT_F32, 4), y = tt_call(tt_vmap(around, .axis = "i"), x);
    CHECK(tt_num(tt_amax(tt_sub(y, x))) == 0, "shifted by the least number: %s", tt_value_text(y));
}
static tt_val dense_of(tt_nn m, tt_val x) { return tt_dense(m, "a", x, 2); }
static tt_val stacked_at(tt_nn m, tt_val x) { return tt_stack(m, "s", dense_of, 2, x, .axis = -1); }
static tt_val two_and_alias(tt_nn m, tt_val x)
{
    x = tt_dense(m, "b", tt_dense(m, "a", x, 3), 3);
    tt_alias(m, "b", "a");
    return x;
}
static void dense_of_scalar(void) { tt_init(dense_of, tt_key(0), tt_f(1)); }
static void dense_of_tree(void) { tt_init(dense_of, tt_key(0), tt_tuple(three(), three())); }
static void stack_behind(void) { tt_init(stacked_at, tt_key(0), tt_ones(TT_F32, 2, 2)); }
static void alias_of_used(void) { tt_init(two_and_alias, tt_key(0), tt_ones(TT_F32, 2, 3)); }
static tt_val sharded(tt_val p) { return tt_shard_params(p, "zz", 0); }
static void params_over_no_axis(void)
{
    const tt_mesh m = tt_mesh("i:2");
    tt_call(tt_shard_map(sharded, .mesh = m, .in = "_", .out = "_"), three());
}
/* ---- lists of numbers, names and pairs; texts that are NULL; options of a jit within another function ---- */

static tt_val pair(tt_val x) { return tt_tuple(x, tt_mul(x, tt_f(2))); }
static tt_val gathered_z(tt_val p) { return tt_gather_params(p, "zz"); }
static tt_val sum_trailing(tt_val x) { return tt_psum(x, "i,"); }
static tt_val sent_by_blanks(tt_val x) { return tt_ppermute(x, "i", "0>1 1>0"); }
static tt_val sent_trailing(tt_val x) { return tt_ppermute(x, "i", "0>1,"); }
static tt_val sent_by_null(tt_val x) { return tt_ppermute(x, "i", NULL); }
static tt_val sent_by_none(tt_val x) { return tt_ppermute(x, "i", " "); }
static void over_i(tt_f1 *f)
{
    tt_call(tt_shard_map(f, .mesh = tt_mesh("i:2"), .in = "i", .out = "i"), tt_ones(TT_F32, 4));
}
static void wrt_by_blanks(void) { tt_call(tt_grad(sum_of_three, .wrt = "0 1"), three(), three(), three()); }
static void wrt_of_nobody(void) { tt_call(tt_grad(sum_of_three, .wrt = ", 1"), three(), three(), three()); }
static void donate_by_commas(void)
{
    tt_call(tt_jit(sum_of_three, .donate = "0,, 1"), three(), three(), three());
}
static void wrt_list_of_one(void)                        /* no error */
{
    CHECK(tt_items(tt_call(tt_grad(sum_of_three, .wrt = "0,"), three(), three(), three())) == 1, "a list of one");
}
static void axes_trailing(void) { over_i(sum_trailing); }
static void pairs_by_blanks(void) { over_i(sent_by_blanks); }
static void pairs_trailing(void) { over_i(sent_trailing); }
static void pairs_null(void) { over_i(sent_by_null); }
static void pairs_none(void) { over_i(sent_by_none); }   /* no error: nobody sends */
static void gathered_over_no_axis(void) { over_i(gathered_z); }
static void spec_null(void) { tt_shard(three(), tt_mesh("i:2"), NULL); }
static void layout_null(void) { tt_has_layout(three(), tt_mesh("i:2"), NULL); }
static bool no_block(void *env, const int64_t *lo, const int64_t *n, void *to)
{
    return (void)env, (void)lo, (void)n, (void)to, true;
}
static void blocks_without_mesh(void)
{
    const int64_t dims[] = { 3, TT_DIM_END };
    tt_array_from_callback(TT_F32, dims, (tt_mesh){ 0 }, "_, i", no_block, NULL);
}
static void path_null(void) { tt_get(tt_dict("a", three()), NULL); }
static void path_null_set(void) { tt_set(tt_dict("a", three()), NULL, three()); }
static void out_of_three(void) { tt_call(tt_jit(pair, .mesh = tt_mesh("i:2"), .out = "i; i; i"), three()); }
static void out_list_of_one(void) { tt_call(tt_jit(pair, .mesh = tt_mesh("i:2"), .out = "i;"), three()); }
static void map_out_list_of_one(void) { tt_call(tt_vmap(pair, .out = "0;"), three()); }
static void region_out_list_of_one(void)
{
    tt_call(tt_shard_map(pair, .mesh = tt_mesh("i:2"), .in = "i", .out = "i;"), tt_ones(TT_F32, 4));
}
static void body_of_two(void) { tt_fori(0, 3, twice, three()); }
static void while_of_two(void) { tt_while(below_five, bent, tt_f(1)); }
static void cond_of_two(void)
{
    const tt_val p = tt_b(true);
    tt_cond(p, twice, bent, three());
}
static void switch_of_two(void)
{
    const tt_val i = tt_i(0);
    tt_switch(i, three(), twice, bent);
}
static tt_val stays(tt_val c, tt_val x) { return (void)x, tt_tuple(c, tt_none()); }
static void turns_beyond(void) { tt_scan(stays, tt_f(1), tt_none(), .length = INT64_C(1) << 60); }
static tt_val rows_beyond_of(tt_val x) { return tt_item(tt_scan(stays, tt_f(1), x), 0); }
static void rows_beyond(void) { tt_eval_shape(rows_beyond_of, tt_shape(TT_BOOL, INT64_C(1) << 33)); }
static void fori_beyond(void) { tt_fori(INT64_MIN, INT64_MAX, twice, three()); }
static void exchange_misspelt(void) { tt_exchanges(tt_explain(twice, three()), "all-gathers"); }
static void layout_of_rank(void) { tt_layout_text(tt_mesh("i:2"), -5, "i", "spec"); }
static void same_layout_of_rank(void)
{
    const tt_mesh m = tt_mesh("i:2");
    tt_same_layout(m, "", m, "", -1);
}
static void import_of_empty(void) { tt_import(""); }
static void imported_argument(void)
{
    const char *const text = "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n  return %a : tensor<2xf32>\n}\n";
    tt_call(tt_import(text), three());
}
static tt_val laid_in(tt_val x)
{
    return tt_call(tt_jit(twice, .mesh = tt_mesh("i:2, j:2"), .in = "i, j", .out = "j"), x);
}
static tt_val laid_nowhere(tt_val x)
{
    return tt_call(tt_jit(twice, .mesh = tt_mesh("i:2"), .in = "zz"), x);
}
static tt_val pair_laid(tt_val x)
{
    return tt_call(tt_jit(pair, .mesh = tt_mesh("i:2, j:2"), .in = "i", .out = "j; i"), x);
}
static tt_val sum_laid(tt_val x)
{
    return tt_sum(tt_call(tt_jit(twice, .mesh = tt_mesh("i:2"), .in = "i"), x));
}
static void nested_unknown_axis(void) { tt_call(tt_jit(laid_nowhere), three()); }
static void nested_of_other_rank(void) { tt_call(tt_jit(laid_in), three()); }
static void nested_in_region(void) { over_i(sum_laid); }
static void nested_layout(void)                          /* no error */
{
    const tt_val y = tt_call(tt_jit(pair_laid), tt_arange(TT_F32, 4));
    is_text(tt_item(y, 1), "[0. 2. 4. 6.]");
    CHECK(!strcmp(tt_spec(tt_item(y, 0)), "j") && !strcmp(tt_spec(tt_item(y, 1)), "i"), "it is by .out: %s, %s",
          tt_spec(tt_item(y, 0)), tt_spec(tt_item(y, 1)));
    is_text(tt_call(tt_grad(sum_laid), tt_arange(TT_F32, 4)), "[2. 2. 2. 2.]");
}
static void pmap_of_nothing(void) { tt_call(tt_pmap(twice), tt_ones(TT_F32, 0)); }

static const program programs[] = {
#include "refusals.inc"
};

int main(int argc, char **argv)
{
    return errors_main(argc, argv, __FILE__, programs, sizeof programs / sizeof *programs, NULL);
}
