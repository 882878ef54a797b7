/* numpy.c - the functions of tutti/numpy.h: against NumPy's answers to small questions, against plain loops on
 * random numbers, under grad and vmap, laid out unevenly over a mesh, and with wrong arguments. */
#include "api/api_check.h"

#include <stdlib.h>

static tt_val ints(int n, const int *x) { return tt_array(TT_I32, x, n); }
#define INTS(...) ints((int)(sizeof((int[]){ __VA_ARGS__ }) / sizeof(int)), (int[]){ __VA_ARGS__ })

static void made(void)
{
    IS_TYPED(tt_eye(TT_F32, 2), "f32[2, 2]", 1, 0, 0, 1);
    IS_TYPED(tt_eye(TT_I32, 2, .columns = 3, .diagonal = 1), "i32[2, 3]", 0, 1, 0, 0, 0, 1);
    IS(tt_eye(TT_F32, 3, .diagonal = -1), 0, 0, 0, 1, 0, 0, 0, 1, 0);
    IS_TYPED(tt_linspace(TT_F32, -1, 1, 5), "f32[5]", -1, -0.5, 0, 0.5, 1);
    IS(tt_linspace(TT_F64, 3, 7, 1), 3);
    CHECK(tt_count(tt_linspace(TT_F32, 0, 1, 0)) == 0, "no steps");
    const tt_val grid = tt_meshgrid(VEC(1, 2), VEC(3, 4, 5));
    IS_TYPED(tt_item(grid, 0), "f32[2, 3]", 1, 1, 1, 2, 2, 2);
    IS(tt_item(grid, 1), 3, 4, 5, 3, 4, 5);
    const tt_val m = tt_reshape(tt_add(tt_arange(TT_F32, 9), tt_f(1)), 3, 3);
    IS(tt_tril(m, 0), 1, 0, 0, 4, 5, 0, 7, 8, 9);
    IS(tt_tril(m, -1), 0, 0, 0, 4, 0, 0, 7, 8, 0);
    IS(tt_triu(m, 0), 1, 2, 3, 0, 5, 6, 0, 0, 9);
    IS(tt_triu(m, 1), 0, 2, 3, 0, 0, 6, 0, 0, 0);
    IS_TYPED(tt_tril(tt_ones(TT_BOOL, 2, 2), 0), "bool[2, 2]", 1, 0, 1, 1);
    IS(tt_diag(m, 0), 1, 5, 9);
    IS(tt_diag(m, 1), 2, 6);
    IS(tt_diag(m, -2), 7);
    CHECK(tt_count(tt_diag(m, 3)) == 0 && tt_ok(), "beyond the corner");
    IS_TYPED(tt_diag(VEC(1, 2), 1), "f32[3, 3]", 0, 1, 0, 0, 0, 2, 0, 0, 0);
    IS(tt_diag(VEC(1, 2), -1), 0, 0, 0, 1, 0, 0, 0, 2, 0);
    IS(tt_trace(m), 15);
    IS_TYPED(tt_outer(VEC(1, 2), VEC(3, 4, 5)), "f32[2, 3]", 3, 4, 5, 6, 8, 10);
    IS_TYPED(tt_kron(tt_reshape(VEC(1, 2), 1, 2), tt_reshape(VEC(1, 10, 100, 1000), 2, 2)), "f32[2, 4]", 1,
             10, 2, 20, 100,
             1000, 200, 2000);
}

static void moved(void)
{
    const tt_val m = tt_reshape(tt_arange(TT_I32, 6), 2, 3);
    IS(tt_roll(m, 1, 1), 2, 0, 1, 5, 3, 4);
    IS(tt_roll(m, -1, -1), 1, 2, 0, 4, 5, 3);
    IS(tt_roll(m, 5, 0), 3, 4, 5, 0, 1, 2);
    IS_TYPED(tt_repeat(m, 2, 0), "i32[4, 3]", 0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5);
    IS_TYPED(tt_repeat(m, 2, 1), "i32[2, 6]", 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5);
    IS_TYPED(tt_tile(m, 2), "i32[2, 6]", 0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5);
    IS_TYPED(tt_tile(INTS(7, 8), 2, 1), "i32[2, 2]", 7, 8, 7, 8);
    CHECK(!strcmp(tt_type_text(tt_tile(m, 0, 2)), "i32[0, 6]"), "no copies");
    const tt_val t = tt_zeros(TT_F32, 2, 3, 4);
    CHECK(!strcmp(tt_type_text(tt_moveaxis(t, 0, -1)), "f32[3, 4, 2]"), "%s", tt_type_text(tt_moveaxis(t, 0, -1)));
    CHECK(!strcmp(tt_type_text(tt_moveaxis(t, 2, 0)), "f32[4, 2, 3]"), "%s", tt_type_text(tt_moveaxis(t, 2, 0)));
    CHECK(!strcmp(tt_type_text(tt_moveaxis(t, 1, 1)), "f32[2, 3, 4]"), "%s", tt_type_text(tt_moveaxis(t, 1, 1)));
    CHECK(!strcmp(tt_type_text(tt_swapaxes(t, 0, 2)), "f32[4, 3, 2]"), "%s", tt_type_text(tt_swapaxes(t, 0, 2)));
    IS(tt_diff(VEC(1, 4, 9), 0), 3, 5);
    CHECK(tt_count(tt_diff(VEC(1), 0)) == 0 && tt_ok(), "of one");
}

static void picked(void)
{
    const tt_val m = tt_reshape(tt_arange(TT_F32, 6), 2, 3);
    IS_TYPED(tt_take_along_axis(m, tt_reshape(INTS(2, 0), 2, 1), 1), "f32[2, 1]", 2, 3);
    IS_TYPED(tt_take_along_axis(m, tt_reshape(INTS(1, 0, 1), 1, 3), 0), "f32[1, 3]", 3, 1, 5);
    const tt_val none = tt_take(tt_zeros(TT_F32, 0, 4), tt_zeros(TT_I32, 2, 0), 0);      /* as jnp.take */
    CHECK(tt_ok() && !strcmp(tt_type_text(none), "f32[2, 0, 4]"), "%s", tt_ok() ? tt_type_text(none) : tt_error());
    const tt_val rows = tt_permutation(tt_key(1), tt_zeros(TT_F32, 0, 4));
    CHECK(tt_ok() && !strcmp(tt_type_text(rows), "f32[0, 4]"), "%s", tt_ok() ? tt_type_text(rows) : tt_error());
    IS_TYPED(tt_argsort(VEC(3, 1, 2), 0), "i32[3]", 1, 2, 0);
    IS(tt_argsort(VEC(1, 3, 1), 0, .descending = 1), 1, 0, 2);
    IS_TYPED(tt_bincount(INTS(0, 2, 2, 5, -1), 4), "i32[4]", 2, 0, 2, 0);        /* -1: as 0 */
    IS_TYPED(tt_bincount(INTS(-3, -2147483647, 7), 2), "i32[2]", 2, 0);
    IS_TYPED(tt_bincount(tt_cast(INTS(255, 1), TT_U8), 2), "i32[2]", 0, 1);
    IS_TYPED(tt_bincount(tt_cast(INTS(0, 1, 1), TT_BOOL), 2), "i32[2]", 1, 2);
    IS_TYPED(tt_segment_sum(tt_reshape(tt_arange(TT_F32, 8), 4, 2), INTS(1, 0, 1, -3), 3), "f32[3, 2]", 2, 3,
             4, 6, 0, 0);
    const tt_val truths = tt_cast(INTS(1, 1, 0, 1), TT_BOOL);
    IS_TYPED(tt_segment_min(truths, INTS(0, 0, 2, 2), 4), "bool[4]", 1, 1, 0, 1);
    IS_TYPED(tt_segment_max(truths, INTS(0, 0, 2, 3), 4), "bool[4]", 1, 0, 0, 1);
    IS(tt_interp(VEC(-1, 0, 0.5f, 2.5f, 9), VEC(0, 1, 3), VEC(10, 20, 0)), 10, 10, 15, 5, 0);
    IS(tt_interp(VEC(-1, 1, 9), VEC(1), VEC(7)), 7, 7, 7);
    IS(tt_pad(VEC(1, 2), tt_f(9), (int64_t[]){ 1 }, (int64_t[]){ -1 }, (int64_t[]){ 1 }), 9, 1, 9);
    IS_TYPED(tt_pow(VEC(2, 3), tt_cast(tt_i(2), TT_F64)), "f64[2]", 4, 9);
    IS(tt_polyval(VEC(1, -2, 3), VEC(0, 2)), 3, 3);
    IS_TYPED(tt_polyval(VEC(4), VEC(INFINITY, 2)), "f32[2]", 4, 4);
}

static void odd(void)
{
    const tt_val v = VEC(NAN, 1, INFINITY, -INFINITY);
    IS_TYPED(tt_isnan(v), "bool[4]", 1, 0, 0, 0);
    IS(tt_isinf(v), 0, 0, 1, 1);
    IS(tt_nan_to_num(v), 0, 1, 3.4028234663852886e38, -3.4028234663852886e38);
    IS(tt_nan_to_num(tt_cast(v, TT_F16)), 0, 1, 65504, -65504);
    IS(tt_isclose(v, VEC(NAN, 1.000001f, INFINITY, INFINITY)), 0, 1, 1, 0);
    IS(tt_isclose(v, VEC(NAN, 1.1f, 0, 0), .equal_nan = 1, .rtol = 0.2), 1, 1, 0, 0);
    IS(tt_nansum(VEC(NAN, 1, 2)), 3);
    IS(tt_nanmean(VEC(NAN, 1, 2)), 1.5);
    IS(tt_nanvar(VEC(NAN, 1, 3)), 1);
    CHECK(isnan(tt_num(tt_nanvar(VEC(1, INFINITY, NAN)))) && isnan(tt_num(tt_nanstd(VEC(-INFINITY, INFINITY)))),
          "the variance of infinities");
}

static void statistics(void)
{
    const tt_val m = tt_reshape(VEC(5, 1, 3, 2, 8, 4), 2, 3);
    IS(tt_median(m), 3.5);
    IS(tt_median(m, .dims = "1"), 3, 4);
    IS_TYPED(tt_median(m, .dims = "0", .keepdims = 1), "f32[1, 3]", 3.5, 4.5, 3.5);
    IS_TYPED(tt_median(m, .keepdims = 1), "f32[1, 1]", 3.5);
    IS_TYPED(tt_median(tt_cast(tt_f(3), TT_F32), .keepdims = 1), "f32[]", 3);
    IS(tt_quantile(m, 0.25, .dims = "-1"), 2, 3);
    IS(tt_quantile(m, 0), 1);
    IS(tt_quantile(m, 1), 8);
    IS(tt_quantile(INTS(1, 2), 0.75), 1.75);
    IS(tt_median(VEC(1, NAN, 2)), NAN);
    const tt_val z = tt_complex(VEC(1, 3), VEC(2, -2));
    IS_TYPED(tt_real(tt_mean(z)), "f32[]", 2);
    IS(tt_imag(tt_mean(z)), 0);
    IS_TYPED(tt_var(z), "f32[]", 5);
    IS(tt_average(VEC(1, 2), VEC(3, 1)), 1.25);
    IS_TYPED(tt_average(tt_ones(TT_F32, 257), tt_ones(TT_BF16, 257)), "f32[]", 1);   /* 257 is no number of bf16 */
    IS(tt_cov(tt_reshape(VEC(0, 1, 2, 2, 1, 0), 2, 3)), 1, -1, -1, 1);
    IS(tt_corrcoef(tt_reshape(VEC(0, 1, 2, 4, 2, 0), 2, 3)), 1, -1, -1, 1);
}

/* Of one variable, NumPy and JAX give a scalar: numpy.cov([1, 2, 4]), numpy.corrcoef([[1, 2, 4]]). */
static void one_variable(void)
{
    IS_TYPED(tt_cov(VEC(1, 2, 4)), "f32[]", 7.0 / 3);
    IS_TYPED(tt_cov(tt_reshape(VEC(1, 2, 4), 1, 3)), "f32[]", 7.0 / 3);
    IS_TYPED(tt_corrcoef(VEC(1, 2, 4)), "f32[]", 1);
    IS_TYPED(tt_corrcoef(tt_reshape(VEC(1, 2, 4), 1, 3)), "f32[]", 1);
    IS_TYPED(tt_real(tt_cov(tt_complex(VEC(1, 3), VEC(2, -2)))), "f32[]", 10);
}

static void empty(void)
{
    const tt_val none = tt_zeros(TT_F32, 2, 0);
    IS_TYPED(tt_logsumexp(none, .dims = "1"), "f32[2]", -INFINITY, -INFINITY);
    CHECK(tt_count(tt_softmax(none)) == 0 && tt_count(tt_log_softmax(none)) == 0 && tt_ok(), "%s", tt_error());
    IS(tt_sum(tt_sort(none, 1)), 0);
}

/* ---- under transforms ---- */

static tt_val middle(tt_val v) { return tt_quantile(v, 0.25); }
static tt_val along(tt_val v, tt_val index) { return tt_sum(tt_square(tt_take_along_axis(v, index, 1))); }
static tt_val least(tt_val v, tt_val first)
{
    return tt_amin(v, .where = tt_lt(tt_arange(TT_F32, 10), tt_f(2)), .initial = first);
}
static tt_val most(tt_val v, tt_val first)
{
    return tt_amax(v, .where = tt_ge(tt_arange(TT_F32, 10), tt_f(8)), .initial = first);
}
static tt_val diagonal(tt_val v) { return tt_trace(tt_mul(v, v)); }
static tt_val by_segment(tt_val v) { return tt_sum(tt_square(tt_segment_sum(v, INTS(0, 1, 0), 2))); }

static void transformed(void)
{
    IS(tt_call(tt_grad(middle), VEC(4, 1, 3, 2)), 0, 0.25, 0, 0.75);
    IS(tt_call(tt_grad(along), tt_reshape(VEC(1, 2, 3, 4), 2, 2), tt_reshape(INTS(1, 0), 2, 1)), 0, 4, 6, 0);
    IS(tt_call(tt_grad(diagonal), tt_reshape(VEC(1, 2, 3, 4), 2, 2)), 2, 0, 0, 8);
    IS(tt_call(tt_grad(by_segment), VEC(1, 2, 3)), 8, 4, 8);
    /* jax.numpy.amin(v, where=, initial=), JAX 0.10.2: .initial shares with the elements that take part, no others. */
    const tt_val tied = VEC(3, 0, 0, 0, -1, 0, 0, 0, 0, -3), none = tt_f(0);
    IS(tt_call(tt_grad(least), tied, none), 0, 0.5, 0, 0, 0, 0, 0, 0, 0, 0);
    IS(tt_call(tt_grad(least, .wrt = "1"), tied, none), 0.5);
    IS(tt_call(tt_grad(most), tied, none), 0, 0, 0, 0, 0, 0, 0, 0, 0.5, 0);
    IS(tt_call(tt_grad(most, .wrt = "1"), tied, none), 0.5);
    IS(tt_call(tt_grad(least), tied, tt_f(-2)), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    IS(tt_call(tt_vmap(middle), tt_reshape(VEC(4, 1, 3, 2, 8, 6, 7, 5), 2, 4)), 1.75, 5.75);
}

/* Softmax and log_softmax have rules of their own; these are the same functions without. */
static tt_val plain_softmax(tt_val v)
{
    const tt_val e = tt_exp(v);
    return tt_div(e, tt_sum(e, .dims = "-1", .keepdims = 1));
}
static tt_val plain_log_softmax(tt_val v) { return tt_log(plain_softmax(v)); }
static tt_val weighed(tt_val y, tt_val w) { return tt_sum(tt_mul(tt_square(y), w)); }
static tt_val s0(tt_val v, tt_val w) { return weighed(tt_softmax(v), w); }
static tt_val s1(tt_val v, tt_val w) { return weighed(plain_softmax(v), w); }
static tt_val l0(tt_val v, tt_val w) { return weighed(tt_log_softmax(v), w); }
static tt_val l1(tt_val v, tt_val w) { return weighed(plain_log_softmax(v), w); }

static void softmaxes(void)
{
    const tt_val v = tt_normal(tt_key(1), TT_F64, 3, 5), d = tt_normal(tt_key(2), TT_F64, 3, 5);
    const tt_val w = tt_normal(tt_key(3), TT_F64, 3, 5), vw = tt_tuple(v, w), dd = tt_tuple(d, tt_zeros(TT_F64, 3, 5));
    const tt_fn own[] = { TT_FN(s0), TT_FN(l0) }, plain[] = { TT_FN(s1), TT_FN(l1) };
    for (int i = 0; i < 2; i++) {
        const tt_val far[] = { tt_sub(tt_call(tt_grad(own[i]), v, w), tt_call(tt_grad(plain[i]), v, w)),
                               tt_sub(tt_item(tt_call(tt_jvp(own[i]), vw, dd), 1),
                                      tt_item(tt_call(tt_jvp(plain[i]), vw, dd), 1)),
                               tt_sub(tt_call(tt_hessian(own[i]), v, w), tt_call(tt_hessian(plain[i]), v, w)),
                               tt_sub(tt_call(tt_vmap(tt_grad(own[i])), v, w),
                                      tt_call(tt_vmap(tt_grad(plain[i])), v, w)) };
        for (int k = 0; k < 4; k++) CHECK(tt_num(tt_amax(tt_abs(far[k]))) < 1e-12, "%d, %d: %s", i, k, tt_error());
    }
}

/* All of them of uneven random numbers, laid out over 2 x 3 devices, equal themselves on one device: bit for bit in
 * reproducible mode. */
static tt_val all_of(tt_val v, tt_val index)
{
    const tt_val square = tt_matmul(tt_transpose(v), v);
    const tt_val a = tt_tuple(tt_tril(v, 1), tt_diag(square, 2), tt_trace(square), tt_roll(v, 3, 0),
                              tt_repeat(v, 2, 1));
    const tt_val b = tt_tuple(tt_tile(v, 2, 1), tt_take_along_axis(v, index, 1), tt_argsort(v, 0),
                              tt_median(v, .dims = "0"));
    const tt_val c = tt_tuple(tt_segment_sum(v, tt_take(index, tt_i(0), 1), 4), tt_corrcoef(v), tt_diff(v, 1),
                              tt_kron(tt_slice(v, 0, 0, 2, 1), tt_eye(TT_F32, 2)), tt_bincount(index, 5));
    return tt_tuple(a, b, c);
}

static void laid_out(void)
{
    const tt_mesh mesh = tt_mesh("a:2, b:3");
    const tt_val v = tt_normal(tt_key(7), TT_F32, 7, 5), index = tt_randint(tt_key(8), TT_I32, tt_i(0), tt_i(5), 7, 4);
    const tt_fn f = tt_jit(all_of, .reproducible = 1);
    const tt_val one = tt_call(f, v, index);
    const tt_val many = tt_call(f, tt_shard(v, mesh, "a, b"), tt_shard(index, mesh, "a, _"));
    tt_val x[16], y[16];
    const int n = tt_tree_leaves(one, 16, x);
    CHECK(n == 14 && tt_tree_leaves(many, 16, y) == n && tt_ok(), "%d leaves: %s", n, tt_error());
    for (int i = 0; i < n && tt_ok(); i++) {
        const size_t bytes = tt_bytes(x[i]);
        char *p = malloc(bytes), *q = malloc(bytes);
        CHECK(p && q && tt_read(x[i], p, bytes) && tt_read(y[i], q, bytes) && !memcmp(p, q, bytes), "leaf %d, %s", i,
              tt_type_text(x[i]));
        free(p);
        free(q);
    }
    tt_clear();
}

static void refused(void)
{
    const tt_val v = tt_zeros(TT_F32, 2, 3);
    tt_roll(v, 1, 2);
    CHECK(failed("roll: no dim 2 in f32[2, 3]"), "roll");
    tt_trace(tt_zeros(TT_F32, 2));
    CHECK(failed("trace: of f32[2]"), "trace");
    tt_take_along_axis(v, INTS(1), 0);
    CHECK(failed("differ in another dim than"), "take_along");
    tt_quantile(v, 1.5);
    CHECK(failed("0 <= q <= 1"), "quantile");
    tt_median(v, .dims = "0, 1");
    CHECK(failed("expected one dim"), "median");
    tt_bincount(v, 3);
    CHECK(failed("expected integers"), "bincount");
    tt_segment_sum(v, INTS(1, 2, 3), 3);
    CHECK(failed("segment_sum: values f32[2, 3], ids i32[3]"), "segment_sum");
    tt_image_resize(v, TT_DIMS((int64_t)1 << 62, 3, TT_DIM_END));
    CHECK(failed("image_resize: dim 0 of size"), "a size whose weights have no number");
    tt_image_resize(v, TT_DIMS((int64_t)1 << 40, 3, TT_DIM_END), .method = "nearest");
    CHECK(failed("at most 2147483647 is allowed"), "places of more than 32 bits");
    tt_interp(v, VEC(1), VEC(1, 2));
    CHECK(failed("alike, a point or more"), "interp");
    tt_tril(VEC(1), 0);
    CHECK(failed("tril: of f32[1]"), "tril");
    tt_meshgrid(v);
    CHECK(failed("meshgrid: argument 0"), "meshgrid");
}

/* Where float16 has no space for a square, where nothing is divided by, and what has no side. */
static void edges(void)
{
    IS_TYPED(tt_std(tt_cast(VEC(1000, 2000, 3000, 2000), TT_F16)), "f16[]", 707);
    IS(tt_floor_divide(VEC(1, -1, INFINITY, 7), VEC(0, 0, 0, 2)), INFINITY, -INFINITY, INFINITY, 3);
    CHECK(isnan(tt_num(tt_heaviside(tt_f((double)NAN), tt_f(3)))), "heaviside of NaN");
    const tt_val many = tt_segment_sum(tt_ones(TT_BF16, 5000, 3), tt_zeros(TT_I32, 5000), 1);
    IS_TYPED(many, "bf16[1, 3]", 256, 256, 256);         /* each update is rounded, as in XLA */
    IS_TYPED(tt_segment_sum(tt_ones(TT_F16, 5000), tt_zeros(TT_I32, 5000), 1), "f16[1]", 2048);
}

/* jnp.pad of JAX 0.10.2. */
static void padded(void)
{
    const tt_val x = tt_reshape(VEC(1, 5, 2, 7, 3, 4), 2, 3), row = VEC(1, 5, 2);
    const tt_val i = tt_array(TT_I32, ((int32_t[]){ 3, 8, 1, 6 }), 4);
    IS(tt_pad_with(x, "1:0, 1:2", .mode = "median"), 4, 4, 4, 3, 4, 4, 2, 1, 5, 2, 2, 2, 4, 7, 3, 4, 4, 4);
    IS_TYPED(tt_pad_with(i, "1:1", .mode = "median"), "i32[6]", 4, 3, 8, 1, 6, 4);
    IS(tt_pad_with(row, "1:2", .mode = "mean", .stat_length = 2), 3, 1, 5, 2, 3.5, 3.5);
    IS_TYPED(tt_pad_with(i, "2:1", .mode = "maximum", .stat_length = 2), "i32[7]", 8, 8, 3, 8, 1, 6, 6);
    IS_TYPED(tt_pad_with(i, "1:1", .mode = "median", .stat_length = 9), "i32[6]", 4, 3, 8, 1, 6, 4);
    IS_TYPED(tt_pad_with(i, "1:1", .mode = "minimum", .stat_length = 1), "i32[6]", 3, 3, 8, 1, 6, 6);
    IS(tt_pad_with(row, "5:4", .mode = "reflect", .reflect_type = "odd"), -5, -1, 3, 0, -3, 1, 5, 2, -1, 3, 7, 4);
    IS(tt_pad_with(row, "4:5", .mode = "symmetric", .reflect_type = "odd"), 0, 0, -3, 1, 1, 5, 2, 2, -1, 3, 3, 7);
    IS(tt_pad_with(VEC(1), "2:1", .mode = "reflect", .reflect_type = "odd"), 1, 1, 1, 1);
    IS_TYPED(tt_pad_with(i, "2:2", .mode = "reflect", .reflect_type = "odd"), "i32[8]", 5, -2, 3, 8, 1, 6, 11, 4);
    IS_TYPED(tt_pad_with(i, "1:2", .mode = "empty"), "i32[7]", 0, 3, 8, 1, 6, 0, 0);
    IS(tt_pad_with(row, "1:1", .mode = "reflect", .reflect_type = "even"), 5, 1, 5, 2, 5);
}

#define WRONG(call, text) ((void)(call), said(failed(text), #call, __LINE__))

/* What functions that take texts and masks do not understand. */
static void not_understood(void)
{
    const tt_val v = VEC(1, 2, 3), m = tt_reshape(tt_arange(TT_F32, 6), 2, 3), mask = tt_gt(v, tt_f(1));
    WRONG(tt_norm(v, .ord = "fra"), "norm: no norm \"fra\"");
    WRONG(tt_norm(m, .dims = "0, 3"), "norm: .dims names dim 3 of a value of rank 2");
    WRONG(tt_norm(v, .ord = "fro"), "\"fro\" is a norm of matrices");
    WRONG(tt_pad_with(m, "1:1, 2"), "expected low:high");
    WRONG(tt_pad_with(m, "1:1, 2:2, 3:3"), "3 items in \"1:1, 2:2, 3:3\" for 2 dims");
    WRONG(tt_pad_with(m, "1:1", .mode = "edges"), "no mode \"edges\"");
    WRONG(tt_pad_with(m, "1:1", .mode = "wrap", .value = tt_f(1)), "mode \"wrap\" has no .value");
    WRONG(tt_pad_with(m, "1:1", .mode = "edge", .stat_length = 1), "mode \"edge\" has no .stat_length");
    WRONG(tt_pad_with(m, "1:1", .mode = "mean", .stat_length = 0), ".stat_length = 0; expected 1 or more");
    WRONG(tt_pad_with(m, "1:1", .mode = "wrap", .reflect_type = "odd"), "mode \"wrap\" has no .reflect_type");
    WRONG(tt_pad_with(m, "1:1", .mode = "reflect", .reflect_type = "add"), "no reflect_type \"add\"");
    WRONG(tt_split_indices(v, 0, 2, 1), "place 1 is before the one in front of it");
    WRONG(tt_array_split(v, 0, 0), "0 pieces");
    WRONG(tt_block(tt_tuple(v, tt_tuple(v))), "tuples deep; expected one depth");
    WRONG(tt_block(tt_none()), "block: a tuple is empty; expected one array or more");
    WRONG(tt_histogram(v, .range = { 2, 1 }), ".range = { 2, 1 }");
    WRONG(tt_histogram(v, .bins = 3, .edges = v), "both .edges and .bins are given");
    WRONG(tt_histogram(tt_zeros(TT_F32, 0)), "has no elements, and so no range");
    WRONG(tt_unique(tt_zeros(TT_F32, 0), .count = 2), ".count = 2 of f32[0], which has no value to fill up with");
    WRONG(tt_unique(v, .count = -1), ".count is -1");
    WRONG(tt_unique(tt_arange(TT_I32, 3), .count = 5, .fill = tt_f(0.5)), "elements of f32 would be cut to i32");
    WRONG(tt_unique(tt_ones(TT_F32, 3), .count = 5, .fill = tt_complex(tt_f(1), tt_f(1))), "would be cut to f32");
    WRONG(tt_unique(tt_ones(TT_U8, 0), .count = 2, .fill = tt_i(300)), "300 is out of bounds for u8");
    WRONG(tt_amax(v, .where = mask), ".where without .initial");
    WRONG(tt_sum(v, .where = v), ".where is f32[3]; expected bools");
    WRONG(tt_sum(INTS(1, 2), .initial = tt_f(0.5)), "would be cut");
    WRONG(tt_all(mask, .initial = mask), "all has no .initial");
    WRONG(tt_argmax(v, .where = mask), "argmax has no .where");
    WRONG(tt_median(v, .where = mask), "median has no .where");
    WRONG(tt_mean(v, .initial = tt_f(1)), "mean has no .initial");
    WRONG(tt_softmax(mask), "expected numbers");
    WRONG(tt_softmax(v, .dims = "1"), "softmax: .dims names dim 1 of a value of rank 1");
    WRONG(tt_fftn(m, .norm = "orto"), "fftn: no norm \"orto\"");
    WRONG(tt_fft2(v), "fft2: of f32[3]; expected rank 2 or more");
    WRONG(tt_rfftn(m, .n = 3), "rfftn has no .n");
    WRONG(tt_fftfreq(0, 1), "n = 0, d = 1; expected 1 or more");
    WRONG(tt_correlate(v, v, .mode = "valit"), "no mode \"valit\"");
    WRONG(tt_gradient(tt_f(1)), "of f32[]; expected rank 1 or more");
    WRONG(tt_trapezoid(v, .x = v, .step = 1), "both .x and .step");
    WRONG(tt_array_equal(v, v, .rtol = 1), "array_equal has no .rtol");
    WRONG(tt_segment_max(v, INTS(0, 1), 2), "segment_max: values f32[3], ids i32[2]");
    WRONG(tt_rot90(v, 1), "expected rank 2 or more");
    WRONG(tt_cross(v, VEC(1)), "expected last dims of size 2 or 3");
    WRONG(tt_argwhere(tt_f(1)), "argwhere: of f32[]; expected rank 1 or more");
    IS(tt_sum(v, .where = mask, .initial = tt_f(10)), 15);
    IS(tt_amin(v, .where = mask, .initial = tt_f(9)), 2);
    IS(tt_amin(INTS(3, 1, 2), .where = mask, .initial = tt_i(9)), 1);
    IS(tt_amax(tt_complex(v, v), .where = tt_not(mask), .initial = tt_complex(tt_f(0), tt_f(9))), 1);
    IS(tt_amin(tt_cast(v, TT_F8E4M3FN), .where = tt_not(mask), .initial = tt_cast(tt_f(8), TT_F8E4M3FN)), 1);
    IS(tt_mean(v, .where = mask), 2.5);
    IS(tt_softmax(v, .where = mask), 0, 1 / (1 + exp(1)), exp(1) / (1 + exp(1)));
    IS(tt_amax(tt_zeros(TT_F32, 0), .initial = tt_f(-1)), -1);
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    tt_on_error(quiet, NULL);
    CHECK_RUN(not_understood());
    CHECK_RUN(edges());
    CHECK_RUN(padded());
    CHECK_RUN(made());
    CHECK_RUN(moved());
    CHECK_RUN(picked());
    CHECK_RUN(odd());
    CHECK_RUN(statistics());
    CHECK_RUN(one_variable());
    CHECK_RUN(empty());
    CHECK_RUN(transformed());
    CHECK_RUN(softmaxes());
    CHECK_RUN(laid_out());
    CHECK_RUN(refused());
    return check_done();
}
