/* elem.c - elementwise primitives by their definitions (scalar programs): accuracy against libm over bit patterns
 * and grids in f32 and f64, every bf16 and f16 number, special values, and all pairs of 8-bit integers against formulas
 * in wide arithmetic. */
#include "op/op.h"

#include "check.h"
#include "op/ops.h"

#include <math.h>
#include <stdlib.h>

static base_arena *arena;
static uint64_t state = 88172645463325252u;
static uint64_t random64(void)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state * 2685821657736338717u;
}

/* ---- one equation, run on arrays ---- */

typedef struct { const op_prim *prim; const void *attr; tt_dtype in[4]; int64_t n; ir_fn *f; } single;

static void write_single(void *arg)
{
    single *s = arg;
    ir_build *b = ir_begin(arena, base_intern(s->prim->name), NULL);
    ir_id x[4];
    for (int i = 0; i < s->prim->nin; i++) x[i] = ir_arg(b, ir_type_of(s->in[i], 1, &s->n));
    const ir_id y = ir_emit(b, s->prim, s->attr, (uint32_t)s->prim->nin, x, 0, NULL);
    if (y) s->f = ir_end(b, 1, &y);
}

static bool apply(const op_prim *prim, const void *attr, tt_dtype d, int64_t n, void *const *in, void *out)
{
    single s = { prim, attr, { d, d, d, d }, n, NULL };
    ir_box x[4], y;
    if (prim == &prim_select) s.in[0] = TT_BOOL;
    if (!base_catch(write_single, &s) || !s.f) {
        CHECK(false, "%s: %s", prim->name, base_failed() ? base_failed()->what : "?");
        base_clear_error();
        return false;
    }
    for (int i = 0; i < prim->nin; i++) x[i] = ir_box_dense(in[i], s.f->type[i + 1]);
    y = ir_box_dense(out, s.f->type[s.f->ret[0]]);
    return prim->ref(&s.f->eqn[0], x, &y);
}

/* ---- accuracy ---- */

enum { POINTS = 120000 };

static double number(tt_dtype d, const void *p, int64_t i)
{
    return d == TT_F64 ? ((const double *)p)[i] : d == TT_F32 ? (double)((const float *)p)[i] :
           d == TT_BF16 ? (double)ir_bf16_f32(((const uint16_t *)p)[i]) : (double)ir_f16_f32(((const uint16_t *)p)[i]);
}

static double greatest(tt_dtype d)
{
    return d == TT_F64 ? 0x1.fffffffffffffp1023 : d == TT_F32 ? 0x1.fffffep127 : d == TT_F16 ? 65504 : 0x1.fep127;
}

/* One ulp of a dtype at |y|: digits of the significand, least exponent. */
static double ulp_at(tt_dtype d, double y)
{
    const int digits = d == TT_F64 ? 53 : d == TT_F32 ? 24 : d == TT_F16 ? 11 : 8;
    const int least = d == TT_F64 ? -1022 : d == TT_F16 ? -14 : -126;
    int e;
    frexp(y, &e);
    return ldexp(1, (e - 1 < least ? least : e - 1) - digits + 1);
}

static void fill_points(tt_dtype d, void *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        const uint64_t u = random64();
        const double grid = ((double)i / (double)n - 0.5) * (i % 3 ? 40 : 4);
        const float f = (float)grid;
        const uint32_t u4 = (uint32_t)u;
        if (d == TT_F64) memcpy((double *)x + i, i % 4 ? (const void *)&grid : (const void *)&u, 8);
        else if (d == TT_F32) memcpy((float *)x + i, i % 4 ? (const void *)&f : (const void *)&u4, 4);
        else ((uint16_t *)x)[i] = (uint16_t)i;           /* every number there is */
    }
}

/* Largest distance in ulp where the true result is a normal number; others must agree in kind. */
static void accuracy(const op_prim *prim, tt_dtype d, double allowed)
{
    const int64_t n = d == TT_F64 || d == TT_F32 ? POINTS : 65536;
    const double least = d == TT_F64 ? 0x1p-1022 : d == TT_F16 ? 0x1p-14 : 0x1p-126;
    const double most = greatest(d);
    void *x = base_new(arena, (size_t)n * 8), *y = base_new(arena, (size_t)n * 8);
    double worst = 0, at = 0, kinds = 0;
    fill_points(d, x, n);
    if (!apply(prim, NULL, d, n, (void *[]){ x }, y)) return;
    for (int64_t i = 0; i < n; i++) {
        const double v = number(d, x, i), want = prim->real(v), got = number(d, y, i);
        if (isnan(want)) { kinds += !isnan(got); continue; }
        if (!isfinite(want) || fabs(want) > most) {
            kinds += isfinite(got) && fabs(got) < most * (1 - 0x1p-7);
            continue;
        }
        if (fabs(want) < least) { kinds += !(fabs(got - want) <= 2 * least); continue; }
        const double wrong = fabs(got - want) / ulp_at(d, want);
        if (!(wrong <= worst)) worst = wrong, at = v;
    }
    CHECK(worst <= allowed, "%s %s: %.3f ulp at %a, %.2f allowed", prim->name, ir_dtype_of(d)->name, worst, at,
        allowed);
    CHECK(!kinds, "%s %s: %g results of another kind (NaN, infinite, tiny) than libm's", prim->name,
          ir_dtype_of(d)->name, kinds);
}

static void test_accuracy(void)
{
    size_t turn = 0;
    for (const op_prim *const *r = op_prims; *r; r++) {
        if (!(*r)->real || !check_turn(turn++)) continue;
        accuracy(*r, TT_F32, (*r)->ulp);
        accuracy(*r, TT_F64, 4);
        const bool steps = *r == &prim_logistic;         /* rounds step by step, as XLA's; in f16 these do too */
        accuracy(*r, TT_BF16, steps ? 2.5 : 0.51);
        accuracy(*r, TT_F16, steps || *r == &prim_expm1 || *r == &prim_log1p || *r == &prim_rsqrt ? 2.5 : 0.51);
    }
}

/* pow against libm in f32 and f64, erf_inv against erf. */
static void test_pow(tt_dtype d, double allowed)
{
    enum { N = 60000 };
    double *x = BASE_NEW(arena, double, N), *y = BASE_NEW(arena, double, N), *z = BASE_NEW(arena, double, N);
    static const double special[] = { 0, -0.0, 1, -1, 2, -2, 3, -3, 0.5, -0.5, 1e30, -1e30, INFINITY, -INFINITY, NAN,
                                      1e-30 };
    const double most = greatest(d), least = d == TT_F64 ? 0x1p-1022 : 0x1p-126;
    double worst = 0, ax = 0, ay = 0;
    int wrong = 0;
    for (int i = 0; i < N; i++) {
        const bool pair = i < 256;
        const double a = pair ? special[i / 16] : exp(((double)random64() / 0x1p64 - 0.5) * (i % 2 ? 80 : 4));
        const double b = pair ? special[i % 16] : ((double)random64() / 0x1p64 - 0.5) * (i % 3 ? 20 : 400);
        const double c = !pair && i % 5 == 0 ? floor(b) : b, s = !pair && i % 7 == 0 ? -a : a;
        if (d == TT_F64) x[i] = s, y[i] = c;
        else ((float *)x)[i] = (float)s, ((float *)y)[i] = (float)c;
    }
    if (!apply(&prim_pow, NULL, d, N, (void *[]){ x, y }, z)) return;
    for (int i = 0; i < N; i++) {
        const double a = number(d, x, i), b = number(d, y, i), want = pow(a, b), got = number(d, z, i);
        const bool beyond = !isfinite(want) || fabs(want) > most || fabs(want) < least;
        const bool small = fabs(want) < least && fabs(got) <= least * 1.0001, large = fabs(want) > most && isinf(got);
        const bool kind = isnan(want) ? isnan(got) : beyond ? small || large : isfinite(got);
        if ((!kind || signbit(want) != signbit(got)) && !(isnan(want) && isnan(got)) && wrong++ < 5)
            CHECK(false, "pow(%g, %g) is %g, not %g", a, b, got, want);
        if (beyond || !kind) continue;
        const double off = fabs(got - want) / ulp_at(d, want);
        if (off > worst) worst = off, ax = a, ay = b;
    }
    CHECK(!wrong, "pow %s: %d results of another kind", ir_dtype_of(d)->name, wrong);
    CHECK(worst <= allowed, "pow %s: %.2f ulp at (%a, %a)", ir_dtype_of(d)->name, worst, ax, ay);
}

static void test_erf_inv(tt_dtype d, double allowed)
{
    enum { N = 20001 };
    double *x = BASE_NEW(arena, double, N), *y = BASE_NEW(arena, double, N), worst = 0, at = 0;
    for (int i = 0; i < N; i++) {
        const double v = (i - 10000) / 10000.;
        if (d == TT_F64) x[i] = v;
        else ((float *)x)[i] = (float)v;
    }
    if (!apply(&prim_erf_inv, NULL, d, N, (void *[]){ x }, y)) return;
    for (int i = 1; i < N - 1; i++) {                    /* the step of Newton that is missing, in ulp */
        const double v = number(d, x, i), r = number(d, y, i);
        const double miss = v > 0.5 ? erfc(r) - (1 - v) : v < -0.5 ? (1 + v) - erfc(-r) : v - erf(r);
        const double off = fabs(miss * 0.88622692545275801 * exp(r * r)) / ulp_at(d, r);
        const double cancels = 1 / (1 - v * v);          /* 1 - v^2 is formed after rounding v^2 */
        if (v != 0 && off / cancels > worst) worst = off / cancels, at = v;
    }
    CHECK(worst <= allowed, "erf_inv %s: %.2f ulp at %.17g", ir_dtype_of(d)->name, worst, at);
    CHECK(number(d, y, 0) == -INFINITY && number(d, y, N - 1) == INFINITY && number(d, y, 10000) == 0,
          "erf_inv at -1, 0, 1");
}

/* ---- special values ---- */

typedef struct { const op_prim *prim; double x, y, want; } special;
static const special specials[] = {
    { &prim_max, -0.0, 0, 0 }, { &prim_max, 0, -0.0, 0 }, { &prim_min, 0, -0.0, -0.0 }, { &prim_min, -0.0, 0, -0.0 },
    { &prim_max, NAN, 1, NAN }, { &prim_max, 1, NAN, NAN }, { &prim_min, NAN, -INFINITY, NAN },
        { &prim_min, 1, NAN, NAN },
    { &prim_sign, -0.0, 0, -0.0 }, { &prim_sign, NAN, 0, NAN }, { &prim_sign, -3, 0, -1 }, { &prim_sign, 1e-42, 0, 1 },
    { &prim_round_even, 2.5, 0, 2 }, { &prim_round_even, -0.5, 0, -0.0 }, { &prim_round_even, 3.5, 0, 4 },
    { &prim_round_away, 2.5, 0, 3 }, { &prim_round_away, -0.5, 0, -1 }, { &prim_round_away, 0x1.fffffep-2, 0, 0 },
    { &prim_round_away, 8388609, 0, 8388609 }, { &prim_round_away, -INFINITY, 0, -INFINITY },
    { &prim_round_away, NAN, 0, NAN },
    { &prim_ceil, -0.5, 0, -0.0 }, { &prim_floor, -0.5, 0, -1 }, { &prim_floor, INFINITY, 0, INFINITY },
    { &prim_rem, 5.5, 2, 1.5 }, { &prim_rem, -5.5, 2, -1.5 }, { &prim_rem, 1, 0, NAN }, { &prim_rem, 1, INFINITY, 1 },
    { &prim_log, 0, 0, -INFINITY }, { &prim_log, -1, 0, NAN }, { &prim_log, INFINITY, 0, INFINITY },
    { &prim_log, NAN, 0, NAN },
    { &prim_log1p, -1, 0, -INFINITY }, { &prim_log1p, -2, 0, NAN }, { &prim_log1p, -0.0, 0, -0.0 },
    { &prim_log1p, INFINITY, 0, INFINITY }, { &prim_exp, -INFINITY, 0, 0 }, { &prim_exp, INFINITY, 0, INFINITY },
    { &prim_exp, NAN, 0, NAN }, { &prim_exp, 0, 0, 1 }, { &prim_expm1, -INFINITY, 0, -1 },
    { &prim_expm1, INFINITY, 0, INFINITY },
    { &prim_expm1, -0.0, 0, -0.0 }, { &prim_tanh, INFINITY, 0, 1 }, { &prim_tanh, -INFINITY, 0, -1 },
    { &prim_tanh, NAN, 0, NAN },
    { &prim_tanh, -0.0, 0, -0.0 }, { &prim_logistic, -INFINITY, 0, 0 }, { &prim_logistic, INFINITY, 0, 1 },
    { &prim_erf, INFINITY, 0, 1 }, { &prim_erf, NAN, 0, NAN }, { &prim_erf, -0.0, 0, -0.0 },
        { &prim_erf_inv, 2, 0, NAN },
    { &prim_sqrt, -0.0, 0, -0.0 }, { &prim_sqrt, -1, 0, NAN }, { &prim_rsqrt, 0, 0, INFINITY },
    { &prim_rsqrt, INFINITY, 0, 0 },
    { &prim_sin, INFINITY, 0, NAN }, { &prim_sin, -0.0, 0, -0.0 }, { &prim_cos, NAN, 0, NAN }, { &prim_cos, 0, 0, 1 },
    { &prim_abs, -0.0, 0, 0 }, { &prim_abs, -INFINITY, 0, INFINITY }, { &prim_neg, 0, 0, -0.0 },
};

static void test_specials(tt_dtype d)
{
    for (size_t k = 0; k < sizeof specials / sizeof *specials; k++) {
        const special *s = &specials[k];
        double x = s->x, y = s->y, z = 0;
        float xf = (float)x, yf = (float)y;
        void *in32[2] = { &xf, &yf }, *in64[2] = { &x, &y };
        if (!apply(s->prim, NULL, d, 1, d == TT_F64 ? in64 : in32, &z)) return;
        const double got = number(d, &z, 0);
        CHECK(isnan(s->want) ? isnan(got) : got == s->want && signbit(got) == signbit(s->want),
              "%s %s(%g, %g) is %g, not %g",
              ir_dtype_of(d)->name, s->prim->name, s->x, s->y, got, s->want);
    }
}

/* ---- integers: all pairs of 8 bits ---- */

static int64_t wide(const op_prim *r, int64_t a, int64_t b, bool is_signed)
{
    const int by = (int)(b & 255);
    if (r == &prim_add) return a + b;
    if (r == &prim_sub) return a - b;
    if (r == &prim_mul) return a * b;
    if (r == &prim_div) return b ? a / b : -1;
    if (r == &prim_rem) return b ? a % b : a;
    if (r == &prim_max) return a > b ? a : b;
    if (r == &prim_min) return a < b ? a : b;
    if (r == &prim_and) return a & b;
    if (r == &prim_or) return a | b;
    if (r == &prim_xor) return a ^ b;
    if (r == &prim_shl) return by < 8 ? (a & 255) << by : 0;
    if (r == &prim_shr) return by < 8 ? (a & 255) >> by : 0;
    if (r == &prim_sar) return (int8_t)a >> (by < 8 ? by : 7);
    int64_t z = 1;                                       /* pow */
    if (is_signed && b < 0) return a == 1 ? 1 : a == -1 ? (b & 1 ? -1 : 1) : 0;
    for (int64_t i = 0; i < b; i++) z = (z * a) & 255;
    return z;
}

static void test_integers(tt_dtype d)
{
    static const op_prim *const rows[] = { &prim_add, &prim_sub, &prim_mul, &prim_div, &prim_rem, &prim_max, &prim_min,
                                          &prim_and, &prim_or, &prim_xor, &prim_shl, &prim_shr, &prim_sar, &prim_pow };
    enum { N = 65536 };
    uint8_t *x = BASE_NEW(arena, uint8_t, N), *y = BASE_NEW(arena, uint8_t, N), *z = BASE_NEW(arena, uint8_t, N);
    for (int i = 0; i < N; i++) x[i] = (uint8_t)(i >> 8), y[i] = (uint8_t)i;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        int wrong = 0, at = 0;
        if (!apply(rows[r], NULL, d, N, (void *[]){ x, y }, z)) continue;
        for (int i = 0; i < N; i++) {
            const bool s = d == TT_I8;
            const int64_t a = s ? (int8_t)x[i] : x[i], b = s ? (int8_t)y[i] : y[i];
            if ((uint8_t)wide(rows[r], a, b, s) != z[i] && !wrong++) at = i;
        }
        CHECK(!wrong, "%s %s: %d of all pairs, first %d and %d: %d", ir_dtype_of(d)->name, rows[r]->name, wrong, x[at],
              y[at], z[at]);
    }
}

/* ---- conversions ---- */

static void converts(tt_dtype from, const void *x, tt_dtype to, int64_t want)
{
    int64_t z = 0;
    if (!apply(&prim_convert, &(op_convert_attr){ to }, from, 1, (void *[]){ (void *)(uintptr_t)x }, &z)) return;
    const size_t bytes = ir_dtype_of(to)->bytes;
    CHECK(!memcmp(&z, &want, bytes), "convert %s to %s: %lld, not %lld", ir_dtype_of(from)->name, ir_dtype_of(to)->name,
          (long long)z, (long long)want);
}

static void test_conversions(void)
{
    static const struct { float x; tt_dtype to; int64_t want; } to_int[] = {
        { 300.7f, TT_I8, 127 }, { -300.7f, TT_I8, -128 }, { -300.7f, TT_U8, 0 }, { -1.5f, TT_I32, -1 },
        { 1e20f, TT_I32, INT32_MAX },
        { -1e20f, TT_I64, INT64_MIN }, { 1e20f, TT_I64, INT64_MAX }, { 1e20f, TT_U64, -1 }, { NAN, TT_I32, 0 },
        { NAN, TT_BOOL, 1 },
        { -0.0f, TT_BOOL, 0 }, { 2147483520.f, TT_I32, 2147483520 }, { 4294967040.f, TT_U32, 4294967040 },
        { -0.9f, TT_U16, 0 }
    };
    for (size_t k = 0; k < sizeof to_int / sizeof *to_int; k++)
        converts(TT_F32, &to_int[k].x, to_int[k].to, to_int[k].want);
    for (uint32_t u = 0; u < 65536; u++) {               /* halves are widened exactly and come back */
        const uint16_t h = (uint16_t)u;
        const float f = ir_f16_f32(h), b = ir_bf16_f32(h);
        float f32;
        uint16_t back;
        if (u % 16 == 0 || (u & 0x3ff) < 8) {
            apply(&prim_convert, &(op_convert_attr){ TT_F32 }, TT_F16, 1, (void *[]){ (void *)(uintptr_t)&h }, &f32);
            CHECK(isnan(f) ? isnan(f32) : f == f32, "f16 %04x", u);
            apply(&prim_convert, &(op_convert_attr){ TT_F16 }, TT_F32, 1, (void *[]){ &f32 }, &back);
            CHECK(back == h || isnan(f), "f16 %04x back: %04x", u, back);
            apply(&prim_convert, &(op_convert_attr){ TT_F32 }, TT_BF16, 1, (void *[]){ (void *)(uintptr_t)&h }, &f32);
            CHECK(isnan(b) ? isnan(f32) : b == f32, "bf16 %04x", u);
        }
    }
    for (int i = 0; i < 4000; i++) {                     /* one rounding, whatever the way */
        const uint64_t u = random64();
        double x;
        const uint64_t close = (u & 0x800fffffffffffffu) | (uint64_t)(1023 - 30 + (int)(u >> 52) % 60) << 52;
        memcpy(&x, &close, 8);
        if (i % 2) x = (double)ir_bf16_f32((uint16_t)(close >> 48)) * (1 + 0x1p-9) * (i % 4 == 1 ? 1 : 1 + 0x1p-50);
        converts(TT_F64, &x, TT_BF16, ir_f64_bf16(x));
        converts(TT_F64, &x, TT_F16, ir_f64_f16(x));
        const float f = (float)x;
        converts(TT_F32, &f, TT_BF16, ir_f32_bf16(f));
        converts(TT_F32, &f, TT_F16, ir_f32_f16(f));
    }
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    arena = base_open();
    CHECK_RUN(test_accuracy());
    CHECK_RUN(test_pow(TT_F32, 0.51));
    CHECK_RUN(test_pow(TT_F64, 4));
    CHECK_RUN(test_erf_inv(TT_F32, 4));
    CHECK_RUN(test_erf_inv(TT_F64, 12));   /* XLA's log1p below -0.29 */
    CHECK_RUN(test_specials(TT_F32));
    CHECK_RUN(test_specials(TT_F64));
    CHECK_RUN(test_integers(TT_I8));
    CHECK_RUN(test_integers(TT_U8));
    CHECK_RUN(test_conversions());
    base_close(arena);
    return check_done();
}
