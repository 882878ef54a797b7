/* out_of_range.c - indices that are out of range: what is taken and put, and what a label costs then, as jnp.take,
 * .at[] and optax have it; gradients; dtypes; eagerly, compiled, mapped, on a mesh; TUTTI=bounds.
 *
 * Without an argument the program runs itself with TUTTI=bounds too. */
#include "check.h"

#include <math.h>
#include <tutti.h>

enum { N = 8 };
static const int32_t places[N] = { -6, -5, -4, -1, 0, 3, 4, 9 };         /* of four rows */
static const float rows[4] = { 1, 3, 5, 7 };

static tt_val take_fill(tt_val x, tt_val i) { return tt_take(x, i, 0); }
static tt_val take_clip(tt_val x, tt_val i) { return tt_take(x, i, 0, .mode = "clip"); }
static tt_val take_wrap(tt_val x, tt_val i) { return tt_take(x, i, 0, .mode = "wrap"); }
static tt_val take_second(tt_val x, tt_val i) { return tt_take(x, i, 1); }
static tt_val put(tt_val x, tt_val i) { return tt_index_set(x, i, tt_full(9, TT_F32, N)); }
static tt_val add(tt_val x, tt_val i) { return tt_index_add(x, i, tt_full(10, TT_F32, N)); }
static tt_val add_clip(tt_val x, tt_val i) { return tt_index_add(x, i, tt_full(10, TT_F32, N), .mode = "clip"); }
static tt_val add_wrap(tt_val x, tt_val i) { return tt_index_add(x, i, tt_full(10, TT_F32, N), .mode = "wrap"); }
static tt_val along(tt_val x, tt_val i) { return tt_take_along_axis(x, i, 0); }
static tt_val there(tt_val v) { return tt_where(tt_ne(v, v), tt_f(0), v); }
static tt_val sum_fill(tt_val x, tt_val i) { return tt_sum(there(tt_take(x, i, 0))); }
static tt_val sum_clip(tt_val x, tt_val i) { return tt_sum(tt_take(x, i, 0, .mode = "clip")); }
static tt_val two_takes(tt_val x, tt_val i)
{
    const tt_val first = tt_take(x, tt_mul(i, tt_i(0)), 0);
    return tt_add(first, tt_take(x, i, 0));              /* the same kernel but for its line */
}
static tt_val take_here(tt_val x, tt_val i) { return tt_take(x, i, 0); }
static tt_val take_row(tt_val i, tt_val x) { return tt_add(x, tt_take(x, i, 0)); }
static tt_val take_rows(tt_val x, tt_val n) { return tt_fori(0, n, take_row, x); }
static tt_val loss(tt_val logits, tt_val labels) { return tt_xent(logits, labels); }
static tt_val sum_loss(tt_val logits, tt_val labels) { return tt_sum(tt_xent(logits, labels)); }

static void same(const char *what, tt_val y, const float *want, int64_t n)
{
    float got[64] = { 0 };
    CHECK(tt_ok() && tt_count(y) == n && tt_read(tt_cast(y, TT_F32), got, (size_t)n * sizeof *got), "%s: %s", what,
          tt_error());
    for (int64_t i = 0; i < n; i++)
        CHECK(isnan(want[i]) ? isnan(got[i]) : got[i] == want[i] || fabsf(got[i] - want[i]) <= 1e-6f * fabsf(want[i]),
              "%s: [%lld] is %.9g, expected %.9g", what, (long long)i, (double)got[i], (double)want[i]);
}

/* f of (x, i) in every way. */
static void each(const char *what, tt_f2 *f, tt_val x, tt_val i, const float *want, int64_t n)
{
    char name[96];
    same(what, f(x, i), want, n);
    snprintf(name, sizeof name, "jit: %s", what);
    same(name, tt_call(tt_jit(f), x, i), want, n);
    snprintf(name, sizeof name, "on a mesh: %s", what);
    const char *const in = tt_rank(x) == 1 ? "data; _" : "data, _; _";
    same(name, tt_call(tt_jit(f, .mesh = tt_mesh("data:2"), .in = in), x, i), want, n);
}

#define _ NAN
static void takes(void)
{
    const tt_val x = tt_array(TT_F32, rows, 4), i = tt_array(TT_I32, places, N);
    const tt_val wide = tt_broadcast(tt_expand_dims(x, 1), 4, 3);
    each("fill", take_fill, x, i, (float[]){ _, _, 1, 7, 1, 7, _, _ }, N);
    each("clip", take_clip, x, i, (float[]){ 1, 1, 1, 1, 1, 7, 7, 7 }, N);
    each("wrap", take_wrap, x, i, (float[]){ 5, 7, 1, 7, 1, 7, 1, 3 }, N);
    each("rows", take_fill, wide, i,
         (float[]){ _, _, _, _, _, _, 1, 1, 1, 7, 7, 7, 1, 1, 1, 7, 7, 7, _, _, _, _, _, _ }, 3 * N);
    each("of dim 1", take_second, tt_expand_dims(x, 0), i, (float[]){ _, _, 1, 7, 1, 7, _, _ }, N);
    each("along", along, x, i, (float[]){ _, _, 1, 7, 1, 7, _, _ }, N);
    each("put", put, x, i, (float[]){ 9, 3, 5, 9 }, 4);
    each("add", add, x, i, (float[]){ 21, 3, 5, 27 }, 4);
    each("add, clip", add_clip, x, i, (float[]){ 41, 3, 5, 47 }, 4);
    each("add, wrap", add_wrap, x, i, (float[]){ 31, 13, 15, 37 }, 4);
    each("sum of fill", sum_fill, x, i, (float[]){ 16 }, 1);
    same("gradient of fill", tt_call(tt_jit(tt_grad(sum_fill)), x, i), (float[]){ 2, 0, 0, 2 }, 4);
    same("eager gradient of fill", tt_call(tt_grad(sum_fill), x, i), (float[]){ 2, 0, 0, 2 }, 4);
    same("gradient of clip", tt_call(tt_jit(tt_grad(sum_clip)), x, i), (float[]){ 5, 0, 0, 3 }, 4);
    const tt_val mapped = tt_call(tt_vmap(take_fill, .in = "_; 0"), x, tt_reshape(i, 4, 2));
    same("vmap over indices", mapped, (float[]){ _, _, 1, 7, 1, 7, _, _ }, N);
    same("vmap over rows", tt_call(tt_vmap(take_fill, .in = "1; _"), wide, tt_array(TT_I32, places + 5, 2)),
         (float[]){ 7, _, 7, _, 7, _ }, 6);
    same("segment_sum", tt_segment_sum(tt_ones(TT_F32, N), i, 4), (float[]){ 1, 0, 0, 1 }, 4);
    same("one_hot", tt_sum(tt_one_hot(i, 4, TT_F32), .dims = "1"), (float[]){ 0, 0, 0, 0, 1, 1, 0, 0 }, N);
}

static void dtypes(void)
{
    const tt_val x = tt_array(TT_F32, rows, 4), i = tt_array(TT_I32, places, N), y = tt_array(TT_I32, places + 6, 1);
    same("i32", take_fill(tt_cast(x, TT_I32), i), (float[]){ -0x1p31f, -0x1p31f, 1, 7, 1, 7, -0x1p31f, -0x1p31f }, N);
    same("i8", take_fill(tt_cast(x, TT_I8), i), (float[]){ -128, -128, 1, 7, 1, 7, -128, -128 }, N);
    same("u8", take_fill(tt_cast(x, TT_U8), i), (float[]){ 255, 255, 1, 7, 1, 7, 255, 255 }, N);
    same("u32", take_fill(tt_cast(x, TT_U32), y), (float[]){ 0x1p32f }, 1);
    same("bf16", take_fill(tt_cast(x, TT_BF16), i), (float[]){ _, _, 1, 7, 1, 7, _, _ }, N);
    same("f16", take_fill(tt_cast(x, TT_F16), i), (float[]){ _, _, 1, 7, 1, 7, _, _ }, N);
    same("f64", take_fill(tt_cast(x, TT_F64), i), (float[]){ _, _, 1, 7, 1, 7, _, _ }, N);
    same("bool", take_fill(tt_cast(tt_zeros(TT_F32, 4), TT_BOOL), y), (float[]){ 1 }, 1);
    same("real part", tt_real(take_fill(tt_complex(x, x), y)), (float[]){ _ }, 1);
    same("imaginary part", tt_imag(take_fill(tt_complex(x, x), y)), (float[]){ 0 }, 1);
    const int8_t few[] = { -1, -100, 100 };              /* 200 rows: an i8 cannot count them */
    same("i8 indices", take_fill(tt_arange(TT_F32, 200), tt_array(TT_I8, few, 3)), (float[]){ 199, 100, 100 }, 3);
    const uint8_t over[] = { 3, 250 };
    same("u8 indices", take_fill(x, tt_array(TT_U8, over, 2)), (float[]){ 7, _ }, 2);
}

static void losses(void)
{
    static const int32_t label[N] = { -100, -5, -4, -1, 0, 3, 4, 9 };
    static const float logits[4] = { 1, 2, 3, 5 };
    const float a = 4.1851826f, b = 0.18518257f;         /* optax 0.2, these logits, labels 0 and 3 */
    const tt_val x = tt_broadcast(tt_array(TT_F32, logits, 1, 4), N, 4), i = tt_array(TT_I32, label, N);
    each("xent", loss, x, i, (float[]){ _, _, a, b, a, b, _, _ }, N);
    float want[4 * N] = { 0 };
    const float first[4] = { -0.98478055f, 0.04137069f, 0.11245721f, 0.83095264f };
    const float last[4] = { 0.01521943f, 0.04137069f, 0.11245721f, -0.16904736f };
    for (int k = 0; k < 4; k++) {
        want[8 + k] = want[16 + k] = first[k], want[12 + k] = want[20 + k] = last[k];
        want[k] = want[4 + k] = want[24 + k] = want[28 + k] = k ? first[k] : last[k];    /* of log(sum(exp)) alone */
    }
    const tt_val g = tt_call(tt_jit(tt_grad(sum_loss)), x, i);
    float got[4 * N];
    CHECK(tt_read(g, got, sizeof got), "gradient of xent: %s", tt_error());
    for (int k = 0; k < 4 * N; k++)
        CHECK(fabsf(got[k] - want[k]) < 1e-6f, "gradient of xent: [%d] is %.9g, expected %.9g", k, (double)got[k],
              (double)want[k]);
}

/* Of an infinite logit: infinite for any other label, as in optax. */
static void infinite_losses(void)
{
    static const float logits[3][3] = { { 1, INFINITY, 2 }, { 1, NAN, 2 }, { INFINITY, INFINITY, 1 } };
    static const int32_t label[3] = { 0, 0, 2 }, itself[3] = { 1, 1, 1 };
    const tt_val x = tt_array(TT_F32, logits, 3, 3);
    each("xent of infinity", loss, x, tt_array(TT_I32, label, 3), (float[]){ INFINITY, _, INFINITY }, 3);
    each("xent of infinity", loss, x, tt_array(TT_I32, itself, 3), (float[]){ _, _, _ }, 3);
}

static void refused(const char *what, tt_val v, const char *line, const char *index)
{
    CHECK(!tt_ok() && strstr(tt_error(), index) && strstr(tt_error(), line), "%s: \"%s\" and \"%s\" are not in \"%s\"",
          what, index, line, tt_ok() ? tt_type_text(v) : tt_error());
    tt_clear();
}

static void bounds(void)
{
    static const int32_t labels[] = { 1, 4 };
    char line[64];
    const tt_val x = tt_array(TT_F32, rows, 4), bad = tt_array(TT_I32, places + 2, N - 2);
    same("in range", take_fill(x, tt_array(TT_I32, places + 2, 4)), (float[]){ 1, 7, 1, 7 }, 4);
    refused("take", take_fill(x, bad), "tt_take(x, i, 0)", "index 4 is out of range: dim 0 has 4 elements");
    refused("negative", take_fill(x, tt_array(TT_I32, places, 2)), "tt_take(x, i, 0)", "index -6 is out of range");
    refused("take, compiled", tt_call(tt_jit(take_fill), x, bad), "tt_take(x, i, 0)", "index 4 is out of range");
    refused("take of integers", take_fill(tt_cast(x, TT_I32), bad), "tt_take(x, i, 0)", "index 4 is out of range");
    refused("put", tt_call(tt_jit(put), x, tt_array(TT_I32, places, N)), "tt_index_set(x, i", "index -6 is out");
    refused("xent", tt_call(tt_jit(loss), tt_ones(TT_F32, 2, 4), tt_array(TT_I32, labels, 2)),
            "tt_xent(logits, labels)", "index 4 is out of range");
    refused("the second", tt_call(tt_jit(two_takes), x, bad), "out_of_range.c:29: tt_take", "index 4 is out of range");
    snprintf(line, sizeof line, "out_of_range.c:%d: ", 31);
    refused("of equal content", tt_call(tt_jit(take_here), x, bad), line, "index 4 is out of range");
    snprintf(line, sizeof line, "out_of_range.c:%d: ", __LINE__ + 1);
    refused("eager, again", tt_take(x, bad, 0), line, "index 4 is out of range");
    refused("in a loop", tt_call(tt_jit(take_rows), x, tt_i(8)), "out_of_range.c:32: tt_take", "index 4 is out");
    const tt_fn spread = tt_jit(take_fill, .mesh = tt_mesh("data:2"), .in = "_; data");
    refused("on a mesh", tt_call(spread, x, bad), "tt_take(x, i, 0)", "index 4 is out of range");
    same("clip is meant", take_clip(x, bad), (float[]){ 1, 1, 1, 7, 7, 7 }, 6);
}

/* Functions and eager calls that were compiled before the switch was set. */
static void switched(void)
{
    const tt_val x = tt_array(TT_F32, rows, 4), bad = tt_array(TT_I32, places, N);
    const tt_fn take = tt_jit(take_fill);
    tt_call(take, x, bad), take_fill(x, bad), tt_call(tt_jit(put), x, bad), put(x, bad);
    CHECK(tt_ok() && tt_config("bounds"), "%s", tt_error());
    refused("a compiled take", tt_call(take, x, bad), "tt_take(x, i, 0)", "index -6 is out of range");
    refused("an eager take", take_fill(x, bad), "tt_take(x, i, 0)", "index -6 is out of range");
    refused("a compiled put", tt_call(tt_jit(put), x, bad), "tt_index_set(x, i", "index -6 is out of range");
    refused("an eager put", put(x, bad), "tt_index_set(x, i", "index -6 is out of range");
}

/* Places that 32 bits do not hold are the last, or branch: they are not cut to some other one. */
static tt_val piece(tt_val x, tt_val i) { return tt_dynamic_slice(x, 0, i, 1); }
static tt_val updated(tt_val x, tt_val i) { return tt_dynamic_update_slice(x, tt_full(9, TT_F32, 1), 0, i); }
static tt_val twice(tt_val x) { return tt_mul(x, tt_f(2)); }
static tt_val halved(tt_val x) { return tt_mul(x, tt_f(0.5)); }
static tt_val branch(tt_val x, tt_val i) { return tt_switch(i, x, twice, halved); }
static void wide(void)
{
    const tt_val x = tt_array(TT_F32, rows, 4);
    const tt_val at[] = { tt_full(0x1p32, TT_I64), tt_full(0xffffffff, TT_U32), tt_full(0x1p63, TT_U64),
                          tt_full(250, TT_U8), tt_i(1LL << 40) };
    for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
        each("slice", piece, x, at[k], (float[]){ 7 }, 1);
        each("update", updated, x, at[k], (float[]){ 1, 3, 5, 9 }, 4);
        each("switch", branch, x, at[k], (float[]){ 0.5f, 1.5f, 2.5f, 3.5f }, 4);
    }
    const int64_t some[] = { 1LL << 32, 0, -(1LL << 32), 1 };
    same("mapped switch", tt_call(tt_vmap(branch), x, tt_array(TT_I64, some, 4)), (float[]){ 0.5f, 6, 10, 3.5f }, 4);
}

/* Bytes of truths are 0 and 1, whatever C's are. */
static void truths(void)
{
    const uint8_t mask[4] = { 255, 0, 2, 1 };
    const tt_val v = tt_array(TT_BOOL, mask, 4), one = tt_array(TT_BOOL, ((bool[]){ true, false, true, true }), 4);
    same("sum", tt_sum(tt_cast(v, TT_I32)), (float[]){ 3 }, 1);
    same("equal", tt_cast(tt_eq(v, one), TT_F32), (float[]){ 1, 1, 1, 1 }, 4);
    same("exclusive or", tt_cast(tt_xor(v, one), TT_F32), (float[]){ 0, 0, 0, 0 }, 4);
}

/* A C number is converted as an array of it is. */
static void numbers(void)
{
    static const double real[] = { 1e20, -1e20, 3e9, 300.7, -5, -0.5, NAN, INFINITY, 127.9, 4 };
    static const tt_dtype to[] = { TT_I8, TT_U8, TT_I32, TT_U32, TT_I64, TT_U64, TT_I4 };
    for (size_t k = 0; k < sizeof to / sizeof *to; k++)
        for (size_t i = 0; i < sizeof real / sizeof *real; i++) {
            const tt_val number = tt_cast(tt_f(real[i]), to[k]);
            const tt_val array = tt_cast(tt_sum(tt_full(real[i], TT_F32, 1)), to[k]);
            CHECK(tt_ok() && !strcmp(tt_value_text(number), tt_value_text(array)), "%g as %s is %s, in an array %s",
                  real[i], tt_type_text(number), tt_value_text(number), tt_value_text(array));
        }
}

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "[bounds]")) return check_done();
    char command[512], line[512];
    if (argc > 1) {
        bounds();
        return check_done() || (tt_clear(), tt_done());
    }
    takes(), dtypes(), losses(), infinite_losses(), numbers(), wide(), truths();
    const tt_val x = tt_array(TT_F32, rows, 4);
    refused("no mode", tt_take(x, tt_i(0), 0, .mode = "nearest"), "out_of_range.c", "no mode \"nearest\"");
    int passed = 0, failed = 1, skipped = 0;
    snprintf(command, sizeof command, "TUTTI=bounds '%s' bounds 2>/dev/null", argv[0]);
    FILE *f = popen(command, "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "%d passed, %d failed, %d skipped", &passed, &failed, &skipped) != 3) fputs(line, stdout);
    if (f) pclose(f);
    check_passed += passed, check_failed += failed;
    switched();
    return check_done() || (tt_clear(), tt_done());
}
