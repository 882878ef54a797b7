/* integers.c - functions of integers and truths are those of the floats that they stand for: nothing wraps. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tutti.h>

static const tt_dtype types[] = { TT_U8, TT_I8, TT_I32, TT_U16, TT_I16, TT_U32, TT_BOOL };

/* 200 in u8, 100 in i8 and so on: numbers whose sums and squares their types do not hold. */
static tt_val some(tt_dtype d, bool other)
{
    static const double a[4] = { 200, 1, 90, 0 }, b[4] = { 3, 250, 90, 7 };
    tt_val v = tt_array(TT_F64, other ? b : a, 4);
    if (d == TT_I8) v = tt_sub(v, tt_f(100));
    if (d == TT_I32) v = tt_mul(v, tt_f(other ? -40000 : 70000));
    return tt_cast(v, d);
}
static void same(const char *what, tt_dtype d, tt_val got, tt_val want)
{
    double p[16], q[16];
    const int64_t n = tt_count(want);
    const char kind = tt_dtype_kind(tt_dtype_of(got));
    CHECK(tt_ok() && tt_count(got) == n && n <= 16, "%s of %s: %s", what, tt_dtype_name(d), tt_error());
    CHECK(kind == tt_dtype_kind(tt_dtype_of(want)), "%s of %s is %s", what, tt_dtype_name(d), tt_type_text(got));
    tt_read(tt_cast(got, TT_F64), p, (size_t)n * sizeof *p), tt_read(tt_cast(want, TT_F64), q, (size_t)n * sizeof *q);
    for (int64_t i = 0; i < n; i++)
        CHECK(p[i] == q[i] || (isnan(p[i]) && isnan(q[i])) || fabs(p[i] - q[i]) <= 1e-5 * fabs(q[i]),
              "%s of %s: [%d] is %.9g, of floats %.9g", what, tt_dtype_name(d), (int)i, p[i], q[i]);
    tt_clear();
}

static tt_val standardized(tt_val v) { return tt_standardize(v); }
static tt_val scanned(tt_val v) { return tt_cumlogsumexp(v, 0); }
static tt_val deviation(tt_val v) { return tt_std(v); }
static tt_val turned(tt_val v) { return tt_rope(tt_reshape(v, 1, 2, 1, 2)); }
static tt_val huber(tt_val a, tt_val b) { return tt_huber(a, b, 1); }
static tt_val cosine(tt_val a, tt_val b) { return tt_cosine(a, b, 1e-8); }
static tt_val close_to(tt_val a, tt_val b) { return tt_isclose(a, b, .atol = 1); }
static tt_val average(tt_val a, tt_val b) { return tt_average(a, b); }
static tt_val along(tt_val a, tt_val b) { return tt_interp(b, tt_sort(a, 0), tt_sort(b, 0)); }

static tt_val averaged(tt_val v) { return tt_avg_pool(tt_reshape(v, 1, 4, 1), .window = { 2 }, .pad = "1:1"); }
static const struct { const char *name; tt_f1 *f; } one[] = {
    { "avg_pool", averaged },
    { "softplus", tt_softplus }, { "silu", tt_silu },
    { "log_sigmoid", tt_log_sigmoid }, { "gelu", tt_gelu }, { "gelu_erf", tt_gelu_erf }, { "mish", tt_mish },
    { "standardize", standardized }, { "std", deviation }, { "cumlogsumexp", scanned }, { "rope", turned },
    { "sinh", tt_sinh }, { "cosh", tt_cosh }, { "asinh", tt_asinh }, { "acosh", tt_acosh }, { "atanh", tt_atanh },
    { "asin", tt_asin }, { "acos", tt_acos }, { "atan", tt_atan }, { "exp2", tt_exp2 }, { "log2", tt_log2 },
    { "hard_sigmoid", tt_hard_sigmoid }, { "squareplus", tt_squareplus }, { "soft_sign", tt_soft_sign },
};
/* Of bools an error, as in JAX */
static const struct { const char *name; tt_f1 *f; } not_of_bools[] = {
    { "softmax", tt_softmax }, { "log_softmax", tt_log_softmax },
};
static const struct { const char *name; tt_f2 *f; } two[] = {
    { "logaddexp", tt_logaddexp }, { "l2_loss", tt_l2_loss }, { "huber", huber }, { "log_cosh", tt_log_cosh },
    { "cosine", cosine }, { "is_close", close_to }, { "average", average }, { "interp", along }, { "bce", tt_bce },
    { "hinge", tt_hinge }, { "hypot", tt_hypot }, { "copysign", tt_copysign },
};

/* What type comes of integers and truths, as in JAX; of truths that are no numbers an error. */
static tt_val softmax_of(tt_val v) { return tt_softmax(v); }
static tt_val log_softmax_of(tt_val v) { return tt_log_softmax(v); }
static tt_val self_sub(tt_val v) { return tt_sub(v, v); }
static tt_val self_div(tt_val v) { return tt_div(v, v); }
static tt_val by_half(tt_val v) { return tt_mul(v, tt_f(0.5)); }
static tt_val sum_of(tt_val v) { return tt_sum(v); }
static tt_val one_more(tt_val v) { return tt_add(v, tt_i(1)); }
static tt_val half_of(tt_val v) { return TT_E("v / 2", v); }
static void kind_of(const char *name, tt_f1 *f, tt_dtype d, const char *want)
{
    const tt_val y = f(some(d, false));
    const char *const got = tt_ok() ? tt_dtype_name(tt_dtype_of(y)) : "";
    CHECK(!strcmp(got, want), "%s of %s is \"%s\", expected \"%s\": %s", name, tt_dtype_name(d), got, want,
          tt_error());
    if (!*want) CHECK(strstr(tt_error(), "expected numbers") && strstr(tt_error(), "integers.c"), "%s", tt_error());
    tt_clear();
}

/* The type of two values of which one or both are integers, as in JAX. */
static void kind_of_two(const char *name, tt_f2 *f, tt_val a, tt_val b, const char *want)
{
    char text[160];
    snprintf(text, sizeof text, "%s", tt_type_text(a));
    const tt_val y = f(a, b);
    CHECK(tt_ok() && !strcmp(tt_dtype_name(tt_dtype_of(y)), want), "%s of %s and %s is %s, expected %s: %s", name, text,
          tt_type_text(b), tt_type_text(y), want, tt_error());
    tt_clear();
}
static const struct { const char *name; tt_f2 *f; } joined[] = {
    { "hypot", tt_hypot }, { "logaddexp", tt_logaddexp }, { "copysign", tt_copysign }, { "heaviside", tt_heaviside },
    { "average", average }, { "l2_loss", tt_l2_loss }, { "huber", huber }, { "log_cosh", tt_log_cosh },
    { "hinge", tt_hinge }, { "interp", along },
};
static tt_val imag_beside_f16(tt_val v) { return tt_add(tt_imag(tt_f(1.5)), tt_cast(v, TT_F16)); }
static tt_val transformed(tt_val v) { return tt_fft(v); }
static tt_val half_transformed(tt_val v) { return tt_rfft(v); }
static void two_kinds(bool x64)
{
    const uint32_t most = UINT32_MAX;
    const double far = tt_num(tt_hypot(tt_cast(tt_i(0), TT_I8), tt_array(TT_U32, &most, TT_DIM_END)));
    CHECK(far >= 4294967295.0, "hypot of i8 and u32: %g", far);
    for (size_t i = 0; i < sizeof joined / sizeof *joined; i++) {
        const char *const name = joined[i].name;
        tt_f2 *const f = joined[i].f;
        const tt_val whole = some(TT_I32, true), truth = some(TT_BOOL, true), byte = some(TT_I8, true);
        kind_of_two(name, f, truth, some(TT_F16, true), "f16"), kind_of_two(name, f, some(TT_F16, true), truth, "f16");
        kind_of_two(name, f, byte, some(TT_BF16, true), "bf16"), kind_of_two(name, f, whole, truth, "f32");
        kind_of_two(name, f, byte, some(TT_U32, true), x64 ? "f64" : "f32");
        kind_of_two(name, f, some(TT_F32, true), some(TT_F64, true), "f64");
        if (f == average || f == along) continue;        /* weights, and points, have the values' shape */
        kind_of_two(name, f, whole, tt_f(0.5), x64 ? "f64" : "f32"), kind_of_two(name, f, tt_i(2), whole, "f32");
        kind_of_two(name, f, truth, tt_i(2), x64 ? "f64" : "f32"), kind_of_two(name, f, whole, tt_b(true), "f32");
        kind_of_two(name, f, tt_f(0.5), some(TT_BF16, true), "bf16");
        kind_of_two(name, f, some(TT_F32, true), tt_f(0.5), "f32");
        kind_of_two(name, f, tt_i(1), some(TT_F16, true), "f16");
    }
}

static tt_val mean_of(tt_val v) { return tt_mean(v); }
static tt_val var_of(tt_val v) { return tt_var(v); }
static tt_val total_of(tt_val v) { return tt_logsumexp(v); }
static tt_val first_of(tt_val v) { return tt_squeeze(tt_slice(v, 0, 0, 1, 1), 0); }      /* a scalar that is an array */
static tt_val median_of_one(tt_val v) { return tt_median(first_of(v)); }
static tt_val softplus_of_one(tt_val v) { return tt_softplus(first_of(v)); }
static tt_val own_average(tt_val v) { return tt_average(first_of(v), first_of(v)); }
static tt_val shuffled_to(tt_val v) { return (void)v, tt_permutation(tt_key(0), tt_i(5)); }
static tt_val chosen_of(tt_val v) { return (void)v, tt_choice(tt_key(0), tt_i(5), 3); }
static void reduced(bool x64)
{
    static const struct { const char *name; tt_f1 *f; } t[] = {
        { "mean", mean_of }, { "var", var_of }, { "std", deviation }, { "logsumexp", total_of }, { "cov", tt_cov },
        { "median", median_of_one }, { "softplus", softplus_of_one }, { "average", own_average },
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        for (size_t k = 0; k < sizeof types / sizeof *types; k++)
            if (types[k] != TT_BOOL || t[i].f != softplus_of_one) kind_of(t[i].name, t[i].f, types[k], "f32");
        if (x64) kind_of(t[i].name, t[i].f, TT_I64, "f64"), kind_of(t[i].name, t[i].f, TT_U64, "f64");
    }
    if (!x64) return;
    const int64_t large[] = { ((int64_t)1 << 40) + 1, ((int64_t)1 << 40) + 3 };
    CHECK(tt_num(tt_mean(tt_array(TT_I64, large, 2))) == 0x1p40 + 2, "a mean of i64 in float32");
    kind_of("permutation", shuffled_to, TT_I32, "i64"), kind_of("choice", chosen_of, TT_I32, "i64");
}

static tt_val sums(tt_val v) { return tt_cumsum(v, 0); }
static tt_val products(tt_val v) { return tt_cumprod(v, 0); }
static void counted(const char *integer, const char *real)
{
    kind_of("cumsum", sums, TT_BOOL, integer), kind_of("cumprod", products, TT_BOOL, integer);
    kind_of("softplus", tt_softplus, TT_BOOL, real), kind_of("soft_sign", tt_soft_sign, TT_BOOL, real);
    kind_of("mish", tt_mish, TT_BOOL, real), kind_of("cumsum", sums, TT_I8, "i8");
}

/* A mean is psum's sum, which wraps in its own type, divided as floats: as in JAX. */
static tt_val shares(tt_val v) { return tt_pmean(v, "i"); }
static void means(bool x64)
{
    static const struct { tt_dtype d; double mean; } t[] = { { TT_I8, -14 }, { TT_U8, 50 }, { TT_I32, 114 },
        { TT_U32, 114 }, { TT_I64, 114 }, { TT_BOOL, 1 } };
    const double x[4] = { 100, 120, 110, 126 };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        const tt_val y = tt_call(tt_vmap(shares, .axis = "i"), tt_cast(tt_array(TT_F64, x, 4), t[i].d));
        CHECK(tt_dtype_of(y) == (x64 && t[i].d == TT_I64 ? TT_F64 : TT_F32), "pmean of %s: %s", tt_dtype_name(t[i].d),
              tt_type_text(y));
        CHECK(tt_num(tt_amax(y)) == t[i].mean && tt_ok(), "pmean of %s: %s", tt_dtype_name(t[i].d), tt_value_text(y));
    }
}

/* Integers of 64 bits that no double has. */
static void wholes(void)
{
    const int64_t n = ((int64_t)1 << 53) + 1;
    const uint64_t u = UINT64_MAX - 1;
    int64_t got[2];
    uint64_t have[2];
    CHECK(tt_read(tt_full(n, TT_I64, 2), got, sizeof got) && got[0] == n && got[1] == n, "%s", tt_error());
    CHECK(tt_read(tt_full(-n, TT_I64, 2), got, sizeof got) && got[0] == -n, "%s", tt_error());
    CHECK(tt_read(tt_full(INT64_MAX, TT_I64, 2), got, sizeof got) && got[0] == INT64_MAX, "%s", tt_error());
    CHECK(tt_read(tt_full(INT64_MIN, TT_I64, 2), got, sizeof got) && got[0] == INT64_MIN, "%s", tt_error());
    CHECK(tt_read(tt_full(u, TT_U64, 2), have, sizeof have) && have[1] == u, "%s", tt_error());
    CHECK(tt_read(tt_full(n, TT_U64, 2), have, sizeof have) && have[0] == (uint64_t)n, "%s", tt_error());
    const tt_val bits = tt_array(TT_U64, ((uint64_t[]){ 1, UINT64_MAX }), 2), sum = tt_add(tt_i(n), tt_i(1));
    CHECK(tt_read(tt_add(bits, tt_i(n)), have, sizeof have) && have[0] == (uint64_t)n + 1 && have[1] == (uint64_t)n - 1,
          "u64 and a C number: %s", tt_error());
    CHECK(tt_dtype_of(sum) == TT_I64 && tt_read(sum, got, sizeof *got) && *got == n + 1, "C numbers: %s", tt_error());
    CHECK(tt_num(tt_mul(tt_i(n), tt_full(2, TT_BF16))) == 0x1p54, "a float and a C number: %s", tt_error());
    tt_add(tt_ones(TT_I32, 2), tt_i(n));
    CHECK(!tt_ok() && strstr(tt_error(), "9007199254740993"), "i32 and 2^53 + 1: %s", tt_error());
    tt_clear();
    CHECK(tt_num(tt_full(n, TT_F32)) == 0x1p53 && tt_num(tt_full((int64_t)7, TT_U8)) == 7 && tt_ok(), "%s", tt_error());
    tt_full(u, TT_I64, 2);
    CHECK(!tt_ok() && strstr(tt_error(), "is no number of type i64"), "2^64 - 2 as i64: %s", tt_error());
    tt_clear(), tt_full(-n, TT_U64, 2);
    CHECK(!tt_ok() && strstr(tt_error(), "is no number of type u64"), "a negative number as u64: %s", tt_error());
    tt_clear();
}

static void kinds(void)
{
    counted("i32", "f32"), means(false);
    kind_of_two("bce", tt_bce, some(TT_F16, true), some(TT_F32, true), "f16");
    kind_of_two("bce", tt_bce, some(TT_BF16, true), some(TT_I32, true), "bf16");
    kind_of("abs", tt_abs, TT_BOOL, "bool"), kind_of("abs", tt_abs, TT_I8, "i8");
    kind_of("square", tt_square, TT_BOOL, "i32"), kind_of("square", tt_square, TT_U8, "u8");
    kind_of("relu6", tt_relu6, TT_I8, "f32"), kind_of("relu6", tt_relu6, TT_BOOL, "f32");
    kind_of("hard_tanh", tt_hard_tanh, TT_I8, "i8"), kind_of("hard_tanh", tt_hard_tanh, TT_U8, "u8");
    kind_of("hard_tanh", tt_hard_tanh, TT_BOOL, "i32"), kind_of("hard_tanh", tt_hard_tanh, TT_BF16, "bf16");
    kind_of("softmax", softmax_of, TT_BOOL, ""), kind_of("log_softmax", log_softmax_of, TT_BOOL, "");
    kind_of("sub", self_sub, TT_BOOL, ""), kind_of("div", self_div, TT_BOOL, "");
    kind_of("neg", tt_neg, TT_BOOL, ""), kind_of("sign", tt_sign, TT_BOOL, "");
    two_kinds(false), reduced(false);
    kind_of("imag", imag_beside_f16, TT_F16, "f16"), kind_of("fft", transformed, TT_I64, "c64");
    kind_of("mul", by_half, TT_I64, "f32"), kind_of("sum", sum_of, TT_U8, "u32");
}

/* TUTTI=x64: as with jax_enable_x64 a C number has 64 bits where nothing else tells its type. */
static void wide(void)
{
    CHECK(tt_config("x64"), "%s", tt_error());
    two_kinds(true), reduced(true), counted("i64", "f64"), means(true);
    kind_of("imag", imag_beside_f16, TT_F16, "f16");
    kind_of("fft", transformed, TT_I64, "c128"), kind_of("rfft", half_transformed, TT_U64, "c128");
    kind_of("fft", transformed, TT_I32, "c64");
    kind_of("mul", by_half, TT_I64, "f64"), kind_of("mul", by_half, TT_U8, "f64");
    kind_of("mul", by_half, TT_F32, "f32"), kind_of("mul", by_half, TT_BF16, "bf16");
    kind_of("add", one_more, TT_BOOL, "i64"), kind_of("add", one_more, TT_I8, "i8");
    kind_of("E", half_of, TT_I64, "i64"), kind_of("sum", sum_of, TT_U8, "u64");
    kind_of("asin", tt_asin, TT_I64, "f64"), kind_of("asin", tt_asin, TT_I32, "f32");
    kind_of("reciprocal", tt_reciprocal, TT_I64, "f64"), kind_of("reciprocal", tt_reciprocal, TT_I32, "f32");
    CHECK(tt_dtype_of(tt_f(1)) == TT_F64 && tt_dtype_of(tt_i(1)) == TT_I64, "C numbers alone");
    const int64_t large = ((int64_t)1 << 53) + 1;
    CHECK(tt_num(tt_sub(tt_mul(tt_array(TT_I64, &large, TT_DIM_END), tt_f(1)), tt_f(0x1p53))) <= 1, "2^53");
    CHECK(tt_num(tt_add(tt_f(0x1p-40), tt_f(1))) == 1 + 0x1p-40, "a sum of C numbers");
}

static tt_val norm(tt_nn m, tt_val x) { return tt_layer_norm(m, "n", x); }
static tt_val batch(tt_nn m, tt_val x) { return tt_batch_norm(m, "n", x); }
static void layers(tt_dtype d)
{
    tt_module *const f[] = { norm, batch };
    for (int i = 0; i < 2; i++) {
        const tt_val x = tt_reshape(some(d, false), 2, 2), y = tt_cast(x, TT_F32), v = tt_init(f[i], tt_key(0), y);
        same("a norm", d, tt_item(tt_apply_train(f[i], v, x, tt_key(0)), 0),
             tt_item(tt_apply_train(f[i], v, y, tt_key(0)), 0));
    }
}

/* The least of unsigned numbers, and of the least number of a type, whose negative wraps. */
static void pools(void)
{
    const uint8_t u[2] = { 0, 5 };
    const int32_t i[2] = { INT32_MIN, 3 };
    const bool b[2] = { true, false };
    const tt_val a = tt_min_pool(tt_array(TT_U8, u, 1, 2, 1), .window = { 2 });
    CHECK(tt_num(a) == 0 && tt_dtype_of(a) == TT_U8, "min_pool of bytes: %s", tt_value_text(a));
    CHECK(tt_num(tt_min_pool(tt_array(TT_I32, i, 1, 2, 1), .window = { 2 })) == INT32_MIN, "min_pool of i32");
    const tt_val padded = tt_min_pool(tt_array(TT_U8, u, 1, 2, 1), .window = { 2 }, .stride = { 2 }, .pad = "1:1");
    CHECK(tt_num(tt_amax(padded)) == 5 && tt_num(tt_amin(padded)) == 0, "padding: %s", tt_value_text(padded));
    CHECK(tt_num(tt_min_pool(tt_array(TT_BOOL, b, 1, 2, 1), .window = { 2 })) == 0 && tt_ok(), "%s", tt_error());
}

/* Quotients of two types, in the one that both meet in: jax.numpy's. */
static void quotients(void)
{
    const uint32_t u[4] = { 4294967295u, 4294967294u, 7, 4000000000u };
    const int32_t i[4] = { 2, 3, -2, 100 }, whole[4] = { -1, -1, -4, -2949673 }, rest[4] = { 1, 1, -1, 4 };
    const tt_val a = tt_array(TT_U32, u, 4), b = tt_array(TT_I32, i, 4), x = tt_full(3.5, TT_F32, 1);
    same("floor_divide with i32", TT_U32, tt_floor_divide(a, b), tt_array(TT_I32, whole, 4));
    same("mod with i32", TT_U32, tt_mod(a, b), tt_array(TT_I32, rest, 4));
    CHECK(isnan(tt_num(tt_mod(x, tt_zeros(TT_I32, 1)))) && isnan(tt_num(tt_mod(x, tt_i(0)))), "a float by 0");
    CHECK(isnan(tt_num(tt_mod(x, tt_zeros(TT_BOOL, 1)))), "a float by false");
    CHECK(tt_num(tt_mod(tt_i(7), tt_i(0))) == 0 && tt_num(tt_mod(tt_i(-7), tt_i(3))) == 2 && tt_ok(), "%s", tt_error());
    CHECK(tt_num(tt_hypot(tt_full(-128, TT_I8), tt_zeros(TT_I8))) == 128, "hypot of the least i8");
}

/* Integers have nothing to round, and a product of truths is one. */
static void truths(void)
{
    const bool p[2][2] = { { true, true }, { true, false } }, q[2] = { true, true };
    tt_val (*const f[])(tt_val) = { tt_floor, tt_ceil, tt_round_even, tt_round_away };
    for (int k = 0; k < 4; k++) {
        const tt_val y = f[k](tt_full(2147483647, TT_I32));
        CHECK(tt_dtype_of(y) == TT_I32 && tt_num(y) == 2147483647, "rounding %d of i32: %s", k, tt_value_text(y));
        CHECK(tt_dtype_of(f[k](tt_b(true))) == TT_BOOL && tt_num(f[k](tt_f(2.0))) == 2, "rounding %d", k);
    }
    const tt_val a = tt_array(TT_BOOL, p, 2, 2), b = tt_array(TT_BOOL, q, 2), y = tt_matmul(a, b);
    CHECK(tt_dtype_of(y) == TT_BOOL && tt_num(tt_all(y)) == 1, "a product of bools: %s", tt_type_text(y));
    CHECK(tt_dtype_of(tt_dot(a, a, .sum = "1:0")) == TT_BOOL && tt_ok(), "dot of bools: %s", tt_error());
    CHECK(tt_num(tt_amax(tt_dot(a, a, .sum = "1:0", .result = TT_I32))) == 2 && tt_ok(), "counted: %s", tt_error());
    CHECK(tt_dtype_of(tt_matmul(a, tt_ones(TT_U8, 2))) == TT_U8 && tt_ok(), "%s", tt_error());
}

/* Numbers that a formula writes are real; those of the caller are what they are. */
static void formulas(void)
{
    const tt_val x = tt_full(6, TT_F32, 1), k = tt_full(3, TT_I32, 1), c = tt_i(3);
    CHECK(tt_num(TT_E("1/3*x", x)) == 2 && tt_num(TT_E("x*2^-1", x)) == 3, "quotients: %s", tt_error());
    CHECK(tt_num(TT_E("-1/2", x)) == -0.5 && tt_num(TT_E("(1 + 2)/2", x)) == 1.5, "%s", tt_error());
    CHECK(tt_num(TT_E("k/2", k)) == 1 && tt_num(TT_E("c/2", c)) == 1 && tt_num(TT_E("7 - 2*2", x)) == 3, "integers");
    CHECK(tt_num(TT_E("2^3", x)) == 8 && tt_dtype_of(TT_E("2^3*k", k)) == TT_I32 && tt_ok(), "%s", tt_error());
}

/* Ids whose type cannot count the classes. */
static void ids(void)
{
    const uint8_t u[2] = { 255, 1 };
    const int8_t i[2] = { 127, -1 };
    const tt_val a = tt_array(TT_U8, u, 2), b = tt_array(TT_I8, i, 2);
    CHECK(tt_num(tt_sum(tt_one_hot(a, 300, TT_F32))) == 2 && tt_ok(), "one_hot: %s", tt_error());
    CHECK(tt_num(tt_squeeze(tt_slice(tt_bincount(a, 300), 0, 255, 256, 1), 0)) == 1 && tt_ok(), "%s", tt_error());
    CHECK(tt_num(tt_sum(tt_bincount(b, 300))) == 2 && tt_ok(), "bincount: %s", tt_error());
    CHECK(tt_num(tt_sum(tt_segment_sum(tt_ones(TT_F32, 2), b, 200))) == 1 && tt_ok(), "segment_sum: %s", tt_error());
    CHECK(fabs(tt_num(tt_sum(tt_xent(tt_zeros(TT_F32, 2, 300), a))) - 2 * log(300)) < 1e-4, "xent: %s", tt_error());
    const tt_val q = tt_ones(TT_F32, 2, 300, 1, 2);
    CHECK(tt_num(tt_sum(tt_attention(q, q, q, .kv_len = a))) == 1200 && tt_ok(), "attention: %s", tt_error());
}

static tt_val drops(tt_nn m, tt_val x) { return tt_dropout(m, x, 1); }

int main(int argc, char **argv)
{
    check_main(argc, argv);
    if (check_named("same"))
        for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
            const tt_dtype d = types[k];
            const tt_val a = some(d, false), b = some(d, true), p = tt_cast(a, TT_F32), q = tt_cast(b, TT_F32);
            for (size_t i = 0; i < sizeof one / sizeof *one; i++) same(one[i].name, d, one[i].f(a), one[i].f(p));
            for (size_t i = 0; d != TT_BOOL && i < sizeof not_of_bools / sizeof *not_of_bools; i++)
                same(not_of_bools[i].name, d, not_of_bools[i].f(a), not_of_bools[i].f(p));
            for (size_t i = 0; i < sizeof two / sizeof *two; i++) same(two[i].name, d, two[i].f(a, b), two[i].f(p, q));
            same("global_norm", d, tt_global_norm(tt_tuple(a, b)), tt_global_norm(tt_tuple(p, q)));
            layers(d);
        }
    CHECK_RUN(ids());
    CHECK_RUN(pools());
    CHECK_RUN(formulas());
    CHECK_RUN(quotients());
    CHECK_RUN(truths());
    CHECK(tt_num(tt_global_norm(tt_complex(tt_full(3, TT_F32, 1), tt_full(4, TT_F32, 1)))) == 5, "%s", tt_error());
    const tt_val none = tt_item(tt_apply_train(drops, tt_none(), tt_full(INFINITY, TT_F32, 2), tt_key(0)), 0);
    CHECK(tt_num(tt_sum(none)) == 0, "dropout of all: %s", tt_value_text(none));
    /* A C number stays weak. */
    CHECK(tt_dtype_of(tt_l2_loss(tt_ones(TT_F16, 1), tt_i(1))) == TT_F16, "a loss by a C number");
    CHECK_RUN(wholes());
    CHECK_RUN(kinds());
    CHECK_RUN(wide());
    return check_done() || tt_done();
}
