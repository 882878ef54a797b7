/* narrow_types.c - types of less than 16 bits: every code of every format to f32 and f64 and back against its
 * definition in words (sign, exponent, fraction), rounding at and beside every midpoint, ends and NaN as ml_dtypes and
 * XLA have them, integers by all pairs; by the reference, by scalar programs, and by whole programs of the public
 * interface.
 *
 * Longer than 400 lines: every check is against the one definition of the formats. */
#include "op/op.h"

#include "check.h"
#include "op/ops.h"

#include <math.h>
#include <stdlib.h>
#include <tutti.h>

/* The formats once more, as their papers and ml_dtypes' headers describe them: not read from the library's table. */
typedef struct {
    tt_dtype dtype; const char *name; int exp, mant, bias; bool sign, zero, inf;
    int nan[2];                                          /* codes from ... to that are NaN, without a sign; -1: none */
    bool minus_zero; double most; int over, of_nan;      /* what 2 * most becomes, and NaN */
} format;
static const format formats[] = {
    { TT_F4E2M1FN, "f4E2M1FN", 2, 1, 1, true, true, false, { -1, -1 }, true, 6, 0x7, 0x8 },
    { TT_F6E2M3FN, "f6E2M3FN", 2, 3, 1, true, true, false, { -1, -1 }, true, 7.5, 0x1f, 0x20 },
    { TT_F6E3M2FN, "f6E3M2FN", 3, 2, 3, true, true, false, { -1, -1 }, true, 28, 0x1f, 0x20 },
    { TT_F8E3M4, "f8E3M4", 3, 4, 3, true, true, true, { 0x71, 0x7f }, true, 15.5, 0x70, 0x78 },
    { TT_F8E4M3, "f8E4M3", 4, 3, 7, true, true, true, { 0x79, 0x7f }, true, 240, 0x78, 0x7c },
    { TT_F8E4M3FN, "f8E4M3FN", 4, 3, 7, true, true, false, { 0x7f, 0x7f }, true, 448, 0x7f, 0x7f },
    { TT_F8E4M3FNUZ, "f8E4M3FNUZ", 4, 3, 8, true, true, false, { -1, -1 }, false, 240, 0x80, 0x80 },
    { TT_F8E4M3B11FNUZ, "f8E4M3B11FNUZ", 4, 3, 11, true, true, false, { -1, -1 }, false, 30, 0x80, 0x80 },
    { TT_F8E5M2, "f8E5M2", 5, 2, 15, true, true, true, { 0x7d, 0x7f }, true, 57344, 0x7c, 0x7e },
    { TT_F8E5M2FNUZ, "f8E5M2FNUZ", 5, 2, 16, true, true, false, { -1, -1 }, false, 57344, 0x80, 0x80 },
    { TT_F8E8M0FNU, "f8E8M0FNU", 8, 0, 127, false, false, false, { 0xff, 0xff }, true, 0x1p127, 0xff, 0xff },
};
enum { FORMATS = sizeof formats / sizeof *formats };

static base_arena *arena;

static int codes(const format *f) { return 1 << (f->sign + f->exp + f->mant); }

static double value_of(const format *f, int code)
{
    const int half = f->sign ? codes(f) / 2 : codes(f), size = code % half, e = size >> f->mant,
        m = size % (1 << f->mant);
    const double sign = code >= half ? -1 : 1, unit = pow(2, -f->mant);
    if (size >= f->nan[0] && size <= f->nan[1]) return (double)NAN;
    if (!f->minus_zero && code == half) return (double)NAN;
    if (f->inf && e == (1 << f->exp) - 1) return sign * HUGE_VAL;
    if (!f->zero) return pow(2, e - f->bias);
    return sign * (e ? (1 + m * unit) * pow(2, e - f->bias) : m * unit * pow(2, 1 - f->bias));
}

static double value(const format *f, int code)           /* the same, worked out once */
{
    static double all[FORMATS][256];
    static bool there[FORMATS];
    const int k = (int)(f - formats);
    for (int i = 0; !there[k] && i < codes(f); i++) all[k][i] = value_of(f, i);
    there[k] = true;
    return all[k][code];
}

/* ---- one conversion of n numbers, by the primitive's reference: its scalar program ---- */

typedef struct { tt_dtype from, to; int64_t n; ir_fn *f; } conversion;

static void write_conversion(void *arg)
{
    conversion *c = arg;
    ir_build *b = ir_begin(arena, base_intern("f"), NULL);
    const ir_id x = ir_arg(b, ir_type_of(c->from, 1, &c->n)), y = op_convert(b, x, c->to);
    if (y) c->f = ir_end(b, 1, &y);
}

static bool converted(tt_dtype from, const void *x, tt_dtype to, void *y, int64_t n)
{
    conversion c = { from, to, n, NULL };
    CHECK(base_catch(write_conversion, &c) && c.f, "%s", base_failed() ? base_failed()->what : "?");
    if (!c.f) return base_clear_error(), false;
    const ir_box in = ir_box_dense((void *)(uintptr_t)x, c.f->type[1]), out = ir_box_dense(y, c.f->type[c.f->ret[0]]);
    return prim_convert.ref(&c.f->eqn[0], &in, &out);
}

static bool same(double a, double b) { return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b); }

static void all_codes(const format *f)
{
    uint8_t code[256] = { 0 }, back[256];
    double wide[256];
    float single[256];
    const int n = codes(f);
    for (int i = 0; i < n; i++) code[i] = (uint8_t)i;
    converted(f->dtype, code, TT_F64, wide, n);
    converted(f->dtype, code, TT_F32, single, n);
    for (int i = 0; i < n; i++) {
        const double want = value(f, i);
        CHECK(same(wide[i], want), "%s %02x is %g, expected %g", f->name, i, wide[i], want);
        CHECK(same((double)single[i], want), "%s %02x is %g, expected %g", f->name, i, (double)single[i], want);
        CHECK(same(ir_narrow_f64(f->dtype, (uint8_t)i), want), "%s %02x as a number", f->name, i);
    }
    converted(TT_F64, wide, f->dtype, back, n);
    for (int i = 0; i < n; i++) CHECK(isnan(wide[i]) || back[i] == i, "%s %02x comes back as %02x", f->name,
                                      i, back[i]);
    converted(TT_F32, single, f->dtype, back, n);
    for (int i = 0; i < n; i++) CHECK(isnan(wide[i]) || back[i] == i, "%s %02x comes back as %02x", f->name,
                                      i, back[i]);
}

/* ---- rounding ---- */

/* The nearest number of the format, an even code of two; one more number stands behind the greatest: what is nearest to
 * it is too great. Of powers of two without a fraction the greater one is even: its leading 1 has become 10. */
static int nearest(const format *f, double x)
{
    const int sign = f->sign && signbit(x) ? codes(f) / 2 : 0;
    int best = 0, last = 0;
    double apart = HUGE_VAL;
    if (isnan(x)) return f->of_nan | sign;
    if (!f->sign && x <= 0) return f->of_nan;
    while (value(f, last) != f->most) last++;
    for (int i = 0; i <= last + 1; i++) {
        const double v = i <= last ? value(f, i) : f->mant ? 2 * f->most - value(f, last - 1) : 2 * f->most;
        const double d = fabs(x) > 4 * f->most ? -v : fabs(fabs(x) - v);
        if (d < apart || (d == apart && (!f->mant || i % 2 == 0))) best = i, apart = d;
    }
    if (best > last) best = f->over;
    return !f->minus_zero && best == 0 ? 0 : best | sign;
}

static void rounding(const format *f)
{
    enum { MOST = 16 * 256 + 64 };
    static double x[MOST];
    static float single[MOST];
    static uint8_t got[MOST], by[MOST];
    int64_t n = 0;
    const int half = f->sign ? codes(f) / 2 : codes(f);
    for (int i = 0; i < half; i++) {
        const double a = value(f, i), b = i + 1 < half ? value(f, i + 1) : 2 * a;
        if (isnan(a) || isinf(a)) continue;
        const double up = isnan(b) || isinf(b) ? (f->mant ? 2 * a - value(f, i - 1) : 2 * a) : b, mid = (a + up) / 2;
        const double at[] = { a, mid, nextafter(mid, 0), nextafter(mid, HUGE_VAL), mid * (1 - 0x1p-23),
            mid * (1 + 0x1p-22),
                              up, nextafter(a, HUGE_VAL) };
        for (size_t k = 0; k < sizeof at / sizeof *at; k++) x[n++] = at[k], x[n++] = -at[k];
    }
    const double ends[] = { 0, HUGE_VAL, (double)NAN, 1e300, 0x1p-1074, 0x1p-149, 0x1p-127, 0x1p-128, 0x1p-129,
                            f->most, 2 * f->most, 1e10, 3.4e38, 0x1.8p-150 };
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) x[n++] = ends[k], x[n++] = -ends[k];
    converted(TT_F64, x, f->dtype, got, n);
    for (int64_t i = 0; i < n; i++) {
        const int want = nearest(f, x[i]);
        CHECK(got[i] == want, "%s of %a is %02x, expected %02x", f->name, x[i], got[i], want);
        CHECK(ir_f64_narrow(f->dtype, x[i]) == want, "%s of %a by the reference", f->name, x[i]);
        single[i] = (float)x[i];
    }
    converted(TT_F32, single, f->dtype, got, n);
    for (int64_t i = 0; i < n; i++) x[i] = (double)single[i];
    converted(TT_F64, x, f->dtype, by, n);
    for (int64_t i = 0; i < n; i++) CHECK(got[i] == by[i], "%s of the f32 %a is %02x, %02x", f->name, x[i],
                                          got[i], by[i]);
}

/* What ml_dtypes 0.5 and XLA on CPU give for the same nine numbers. */
static void known(void)
{
    static const double x[] = { 464, 465, 448, 480, 1.0625, 1.1875, 1.03125, 1e-7, -3.1415 };
    static const struct { tt_dtype d; uint8_t want[9]; } list[] = {
        { TT_F4E2M1FN, { 7, 7, 7, 7, 2, 2, 2, 0, 13 } },
        { TT_F8E3M4, { 0x70, 0x70, 0x70, 0x70, 0x31, 0x33, 0x30, 0x00, 0xc9 } },
        { TT_F8E4M3, { 0x78, 0x78, 0x78, 0x78, 0x38, 0x3a, 0x38, 0x00, 0xc5 } },
        { TT_F8E4M3FN, { 0x7e, 0x7f, 0x7e, 0x7f, 0x38, 0x3a, 0x38, 0x00, 0xc5 } },
        { TT_F8E4M3FNUZ, { 0x80, 0x80, 0x80, 0x80, 0x40, 0x42, 0x40, 0x00, 0xcd } },
        { TT_F8E4M3B11FNUZ, { 0x80, 0x80, 0x80, 0x80, 0x58, 0x5a, 0x58, 0x00, 0xe5 } },
        { TT_F8E5M2, { 0x5f, 0x5f, 0x5f, 0x60, 0x3c, 0x3d, 0x3c, 0x00, 0xc2 } },
        { TT_F8E5M2FNUZ, { 0x63, 0x63, 0x63, 0x64, 0x40, 0x41, 0x40, 0x00, 0xc6 } },
        { TT_F8E8M0FNU, { 0x88, 0x88, 0x88, 0x88, 0x7f, 0x7f, 0x7f, 0x68, 0xff } },
    };
    uint8_t got[9];
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        converted(TT_F64, x, list[k].d, got, 9);
        for (int i = 0; i < 9; i++)
            CHECK(got[i] == list[k].want[i], "%s of %g is %02x, expected %02x", ir_dtype_of(list[k].d)->name,
                  x[i], got[i],
                  list[k].want[i]);
    }
}

/* ---- integers ---- */

static int wrapped(tt_dtype d, int v)                    /* by its definition: v modulo 2^n, from -2^(n-1) or 0 on */
{
    const int n = d == TT_I2 || d == TT_U2 ? 4 : 16, least = d == TT_I2 || d == TT_I4 ? -n / 2 : 0;
    while (v < least) v += n;
    while (v >= least + n) v -= n;
    return v;
}

static void integers(tt_dtype d)
{
    const bool is_signed = d == TT_I2 || d == TT_I4;
    const int n = d == TT_I2 || d == TT_U2 ? 4 : 16, least = is_signed ? -n / 2 : 0, most = least + n - 1;
    int8_t raw[256], small[256];
    int32_t back[256];
    float f[14] = { HUGE_VALF, -HUGE_VALF, NAN, 9, -9, 7.9f, -8.9f, 3, -0.9f, 1e10f, -1e10f, 1.5f, 2.99f, -2.5f };
    for (int i = 0; i < 256; i++) raw[i] = (int8_t)(i - 128);
    converted(TT_I8, raw, d, small, 256);
    converted(d, small, TT_I32, back, 256);
    for (int i = 0; i < 256; i++)
        CHECK(back[i] == wrapped(d, raw[i]) && small[i] == back[i], "%d in %s is %d", raw[i],
              ir_dtype_of(d)->name, back[i]);
    converted(d, raw, TT_I32, back, 256);                /* any byte stands for its low bits */
    for (int i = 0; i < 256; i++) CHECK(back[i] == wrapped(d, raw[i]), "the byte %d as %s is %d", raw[i],
                                        ir_dtype_of(d)->name, back[i]);
    converted(TT_F32, f, d, small, 14);                  /* saturates, as XLA on CPU: 7 -8 0 7 -8 7 -8 3 0 ... */
    for (int i = 0; i < 14; i++) {
        const double t = isnan(f[i]) ? 0 : trunc((double)f[i]), want = t > most ? most : t < least ? least : t;
        CHECK(small[i] == (int)want, "%g in %s is %d", (double)f[i], ir_dtype_of(d)->name, small[i]);
    }
}

/* ---- arithmetic, by the public interface ---- */

static int bits_of(tt_dtype d, int v) { return d == TT_I2 || d == TT_U2 ? v & 3 : v & 15; }

static int formula(int op, tt_dtype d, int a, int b)
{
    const int width = d == TT_I2 || d == TT_U2 ? 2 : 4, low = bits_of(d, a), by = bits_of(d, b);
    switch (op) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    case 3: return b ? a / b : -1;
    case 4: return b ? a % b : a;
    case 5: return a > b ? a : b;
    case 6: return a < b ? a : b;
    case 7: return low & by;
    case 8: return low | by;
    case 9: return low ^ by;
    case 10: return by < width ? low << by : 0;
    case 11: return by < width ? low >> by : 0;
    case 12: {                                           /* copies of the top bit */
        int v = low & 1 << (width - 1) ? low - (1 << width) : low;
        for (int i = 0; i < (by < width ? by : width - 1); i++) v = v >> 1;
        return v;
    }
    default: return a < b;
    }
}

static void pairs(tt_dtype d)
{
    const int n = d == TT_I2 || d == TT_U2 ? 4 : 16, least = d == TT_I2 || d == TT_I4 ? -n / 2 : 0;
    int8_t a[256], b[256], got[256];
    for (int i = 0; i < n * n; i++) a[i] = (int8_t)(least + i / n), b[i] = (int8_t)(least + i % n);
    const tt_val x = tt_array(d, a, n * n), y = tt_array(d, b, n * n);
    const tt_val z[] = { tt_add(x, y), tt_sub(x, y), tt_mul(x, y), tt_div(x, y), tt_rem(x, y), tt_max(x, y),
        tt_min(x, y),
                         tt_and(x, y), tt_or(x, y), tt_xor(x, y), tt_shl(x, y), tt_shr(x, y), tt_sar(x, y),
                             tt_lt(x, y) };
    for (int op = 0; op < 14; op++) {
        if (!tt_read(z[op], got, sizeof *got * (size_t)(n * n))) {
            CHECK(false, "operation %d of %s: %s", op, ir_dtype_of(d)->name, tt_error());
            tt_clear();
            continue;
        }
        for (int i = 0; i < n * n; i++) {
            const int want = op == 13 ? a[i] < b[i] : wrapped(d, formula(op, d, a[i], b[i]));
            CHECK(got[i] == want, "operation %d of %s: %d, %d give %d, expected %d", op, ir_dtype_of(d)->name, a[i],
                  b[i],
                  got[i], want);
        }
    }
    int8_t every[16], zeros[16], ones[16];
    for (int i = 0; i < n; i++) every[i] = (int8_t)(least + i);
    const tt_val all = tt_array(d, every, n);
    CHECK(tt_read(tt_clz(all), zeros, (size_t)n) && tt_read(tt_popcnt(all), ones, (size_t)n), "%s", tt_error());
    for (int i = 0; i < n; i++) {
        int width = 0, low = bits_of(d, least + i), sum = 0;
        for (int v = low; v; v >>= 1) width++, sum += v & 1;
        CHECK(zeros[i] == wrapped(d, (n == 4 ? 2 : 4) - width) && ones[i] == wrapped(d, sum),
              "%s %d: %d zeros, %d ones",
              ir_dtype_of(d)->name, least + i, zeros[i], ones[i]);
    }
    tt_clear();
}

/* Floats: an operation is the f32 one on what the codes stand for, rounded once. */
static void operations(const format *f)
{
    enum { N = 1 << 12 };
    static uint8_t a[N], b[N], got[N];
    for (int i = 0; i < N; i++) a[i] = (uint8_t)(i * 7 % codes(f)), b[i] = (uint8_t)(i / 5 * 3 % codes(f));
    const tt_val x = tt_array(f->dtype, a, N), y = tt_array(f->dtype, b, N);
    const tt_val z[] = { tt_add(x, y), tt_mul(x, y), tt_sub(x, y), tt_max(x, y), tt_sqrt(tt_abs(x)),
                         tt_mul(tt_add(x, tt_f(1)), y) };
    for (int op = 0; op < 6; op++) {
        CHECK(tt_read(z[op], got, N), "%s: %s", f->name, tt_error());
        for (int i = 0; i < N; i++) {
            const float p = (float)value(f, a[i]), q = (float)value(f, b[i]);
            const float more = isnan(p) ? p : isnan(q) ? q : p > q ? p : p == q && !signbit(p) ? p : q;
            const double next = value(f, nearest(f, (double)(p + 1)));   /* two operations are rounded twice */
            const float r = op == 0 ? p + q : op == 1 ? p * q : op == 2 ? p - q : op == 3 ? more : op == 4
                ? sqrtf(fabsf(p))
                                                                                            : (float)next * q;
            const int want = nearest(f, (double)r);
            CHECK(got[i] == want || (isnan(r) && isnan(value(f, got[i]))),
                  "%s: operation %d of %g and %g is %02x, expected %02x",
                  f->name, op, (double)p, (double)q, got[i], want);
        }
    }
    tt_clear();
}

/* ---- storage: what moves looks at no bit of an element ---- */

static void moved(tt_dtype d)
{
    uint8_t raw[24], got[48];
    const char *name = ir_dtype_of(d)->name;
    for (int i = 0; i < 24; i++) raw[i] = ir_is_float(d) ? (uint8_t)(i & ((1 << ir_dtype_of(d)->bits) - 1))
        : ir_wrap(d, (uint8_t)i);
    const tt_val x = tt_array(d, raw, 4, 6), p = tt_array(TT_BOOL, "\1\0\1\1", 4, 1);
    const tt_val i = tt_array(TT_I32, ((int32_t[]){ 3, 0, 2 }), 3);
    CHECK(tt_read(tt_transpose(x, 1, 0), got, 24) && got[1] == raw[6] && got[23] == raw[23], "%s transposed", name);
    CHECK(tt_read(tt_reshape(x, 3, 8), got, 24) && !memcmp(got, raw, 24), "%s in another shape", name);
    CHECK(tt_read(tt_dynamic_slice(x, 0, tt_i(1), 2), got, 12) && !memcmp(got, raw + 6, 12), "%s, a part", name);
    CHECK(tt_read(tt_concat(0, x, x), got, 48) && !memcmp(got, raw, 24) && !memcmp(got + 24, raw, 24),
          "%s twice", name);
    CHECK(tt_read(tt_take(x, i, 0), got, 18) && !memcmp(got, raw + 18, 6) && !memcmp(got + 6, raw, 6),
          "%s taken", name);
    CHECK(tt_read(tt_reverse(x, 0), got, 24) && !memcmp(got, raw + 18, 6), "%s turned around", name);
    CHECK(tt_read(tt_select(tt_broadcast(p, 4, 6), x, tt_reverse(x, 1)), got, 24) && !memcmp(got, raw, 6) &&
              got[6] == raw[11] && !memcmp(got + 12, raw + 12, 12), "%s chosen: %s", name, tt_error());
    for (int k = 0; k < 3; k++) {                        /* over a mesh, and back */
        static const char *const spec[] = { "a, b", "b, a", "a+b, _" };
        const tt_val y = tt_shard(tt_shard(x, tt_mesh("a:2, b:2"), spec[k]), tt_mesh("a:2, b:2"), spec[(k + 1) % 3]);
        CHECK(tt_read(y, got, 24) && !memcmp(got, raw, 24), "%s over a mesh: %s", name, tt_error());
    }
    tt_clear();
}

static void copied_bits(void)
{
    uint8_t raw[16], got[16];
    for (int i = 0; i < 16; i++) raw[i] = (uint8_t)(i * 17);
    const tt_val x = tt_array(TT_U8, raw, 16);
    CHECK(tt_read(tt_bitcast(tt_bitcast(x, TT_F8E5M2), TT_U8), got, 16) && !memcmp(got, raw, 16), "%s", tt_error());
    const tt_val four = tt_cast(x, TT_U4);
    CHECK(tt_read(tt_bitcast(four, TT_I4), got, 16) && got[7] == 7 && got[8] == 0xf8 && got[15] == 0xff, "%s",
          tt_error());
    CHECK(tt_read(tt_bitcast(tt_bitcast(four, TT_F4E2M1FN), TT_U4), got, 16) && got[15] == 15, "%s", tt_error());
    CHECK(!tt_read(tt_bitcast(x, TT_F6E2M3FN), got, 16) && strstr(tt_error(), "differ in width"), "%s", tt_error());
    tt_clear();
}

static tt_val halves(tt_val v) { return tt_bitcast(v, TT_U16); }
static tt_val there_and_back(tt_val v) { return tt_sum(tt_bitcast(tt_bitcast(v, TT_U8), TT_F32)); }

/* What lax.bitcast_convert_type of jax 0.10.2 gives. */
static void bits_of_other_widths(void)
{
    const tt_val x = tt_array(TT_F32, ((float[]){ 1.5f, -2.25f }), 2);
    const uint8_t bytes[8] = { 0, 0, 192, 63, 0, 0, 16, 192 };
    const uint16_t pairs[4] = { 0, 16320, 0, 49168 };
    uint8_t got[16];
    float back[2];
    CHECK(tt_read(tt_bitcast(x, TT_U8), got, 8) && !memcmp(got, bytes, 8), "%s", tt_error());
    CHECK(tt_rank(tt_bitcast(x, TT_U8)) == 2 && tt_dim(tt_bitcast(x, TT_U8), 1) == 4, "a last dim of 4");
    CHECK(tt_read(tt_bitcast(tt_bitcast(x, TT_U8), TT_F32), back, 8) && back[0] == 1.5f && back[1] == -2.25f, "%s",
          tt_error());
    CHECK(tt_read(tt_call(tt_vmap(halves), x), (void *)got, 8) && !memcmp(got, pairs, 8), "%s", tt_error());
    const tt_val laid = tt_call(tt_jit(halves, .mesh = tt_mesh("a:2"), .in = "a"), x);
    CHECK(tt_read(laid, (void *)got, 8) && !memcmp(got, pairs, 8), "%s", tt_error());
    CHECK(tt_read(tt_call(tt_grad(there_and_back), x), back, 8) && back[0] == 0 && back[1] == 0, "%s", tt_error());
    const tt_val byte = tt_array(TT_U8, ((uint8_t[]){ 0x1f, 0x83 }), 2), four = tt_bitcast(byte, TT_U4);
    CHECK(tt_read(four, got, 4) && got[0] == 15 && got[1] == 1 && got[2] == 3 && got[3] == 8, "%s", tt_error());
    CHECK(tt_read(tt_bitcast(four, TT_U8), got, 2) && got[0] == 0x1f && got[1] == 0x83, "%s", tt_error());
    tt_bitcast(byte, TT_F32);
    CHECK(strstr(tt_error(), "takes a last dim of 4; found u8[2]"), "%s", tt_error());
    tt_clear();
}

/* ---- reductions, products, sorts, sums over devices ---- */

static double as_double(tt_val v)
{
    double x = (double)NAN;
    tt_read(tt_cast(v, TT_F64), &x, sizeof x);
    return x;
}

static tt_val total(tt_val x) { return tt_psum(x, "d"); }

static void reductions(void)
{
    float f[64];
    int32_t sorted[64];
    for (int i = 0; i < 64; i++) f[i] = (float)((i * 37) % 64 - 32) / 4;
    const tt_val x = tt_cast(tt_array(TT_F32, f, 8, 8), TT_F8E5M2), n = tt_cast(tt_array(TT_F32, f, 64), TT_I4);
    const tt_val wide = tt_cast(x, TT_F32);
    CHECK(as_double(tt_sum(x)) == as_double(tt_cast(tt_sum(wide), TT_F8E5M2)), "a sum: %s", tt_error());
    CHECK(as_double(tt_amax(x)) == as_double(tt_amax(wide)), "the greatest: %s", tt_error());
    CHECK(as_double(tt_sum(tt_abs(tt_sub(tt_cast(tt_matmul(x, x), TT_F32),
                                         tt_cast(tt_cast(tt_matmul(wide, wide), TT_F8E5M2), TT_F32))))) == 0,
                                             "a product: %s",
          tt_error());
    CHECK(tt_read(tt_cast(tt_sort(n, 0), TT_I32), sorted, sizeof sorted), "%s", tt_error());
    for (int i = 1; i < 64; i++) CHECK(sorted[i - 1] <= sorted[i], "sorted: %d before %d", sorted[i - 1], sorted[i]);
    CHECK(as_double(tt_argmax(x)) == as_double(tt_argmax(wide)), "argmax: %s", tt_error());
    CHECK(as_double(tt_sum(tt_eq(tt_cumsum(n, 0), tt_cast(tt_cumsum(tt_cast(n, TT_I32), 0), TT_I4)))) == 64, "%s",
          tt_error());
    const tt_mesh mesh = tt_mesh("d:4");
    const tt_fn all = tt_shard_map(total, .mesh = mesh, .in = "d", .out = "_");
    const tt_val parts = tt_cast(tt_array(TT_F32, ((float[]){ 1.5f, 3, 0.25f, -1 }), 4), TT_F8E4M3FN);
    CHECK(as_double(tt_reshape(tt_call(all, parts))) == 3.75, "over devices: %s", tt_error());
    const tt_val few = tt_cast(tt_array(TT_I32, ((int32_t[]){ 7, 7, 1, -8 }), 4), TT_I4);
    CHECK(as_double(tt_reshape(tt_call(all, few))) == 7, "over devices: %s", tt_error());
    tt_clear();
}

static tt_val squares(tt_val x) { return tt_sum(tt_cast(tt_mul(tt_cast(x, TT_F8E4M3FN), tt_f(2)), TT_F32)); }

static tt_val by_exponents(tt_val p) { return tt_cast(tt_cast(p, TT_F8E8M0FNU), TT_F32); }

static void others(void)
{
    float g[3];
    CHECK(tt_read(tt_call(tt_jit(by_exponents), tt_array(TT_BOOL, "\0\1", 2)), g, 8) && isnan(g[0]) && g[1] == 1,
          "bools as powers of two are %g, %g: %s", (double)g[0], (double)g[1], tt_error());
    const tt_val x = tt_array(TT_F32, ((float[]){ 1, 2, 3 }), 3), y = tt_cast(x, TT_F8E5M2);
    CHECK(tt_read(tt_call(tt_grad(squares), x), g, sizeof g) && g[0] == 2 && g[2] == 2, "a derivative: %s", tt_error());
    CHECK(tt_dtype_of(tt_mul(y, tt_f(2))) == TT_F8E5M2 && tt_dtype_of(tt_add(tt_cast(x, TT_I4), tt_i(2))) == TT_I4,
          "%s",
          tt_error());
    CHECK(!tt_read(tt_add(x, y), g, sizeof g) && strstr(tt_error(), "tt_cast"), "%s", tt_error());
    tt_clear();
    CHECK(!tt_read(tt_add(tt_cast(x, TT_I4), tt_cast(x, TT_I8)), g, 3) &&
          strstr(tt_error(), "are not converted implicitly"), "%s", tt_error());
    tt_clear();
    CHECK(!tt_read(tt_matmul(y, x), g, 4) && strstr(tt_error(), "matmul"), "%s", tt_error());
    tt_clear();
    CHECK(!strcmp(tt_type_text(y), "f8E5M2[3]"), "%s", tt_type_text(y));
    tt_clear();
}

/* Large enough for engines; the product of 8-bit numbers in f32 is what theirs is, rounded once. */
static void products(void)
{
    enum { N = 96 };
    static float f[N * N];
    static uint8_t got[N * N], want[N * N];
    for (int i = 0; i < N * N; i++) f[i] = (float)(i * 7919 % 61 - 30) / 16;
    const tt_val x = tt_cast(tt_array(TT_F32, f, N, N), TT_F8E4M3FN), w = tt_cast(x, TT_F32);
    CHECK(tt_read(tt_matmul(x, x), got, sizeof got) && tt_read(tt_cast(tt_matmul(w, w), TT_F8E4M3FN), want,
                                                               sizeof want) &&
              !memcmp(got, want, sizeof got), "a product: %s", tt_error());
    CHECK(tt_read(tt_amax(x, .dims = "1"), got, N) && tt_read(tt_cast(tt_amax(w, .dims = "1"), TT_F8E4M3FN), want, N) &&
              !memcmp(got, want, N), "the greatest of rows: %s", tt_error());
    const tt_val image = tt_reshape(x, 4, 24, 24, 4),
        kernel = tt_reshape(tt_dynamic_slice(tt_reshape(x, N * N), 0, tt_i(0), 144), 3, 3, 4, 4);
    const tt_val y = tt_convolve(image, kernel), z = tt_convolve(tt_cast(image, TT_F32), tt_cast(kernel, TT_F32));
    CHECK(tt_bytes(y) <= sizeof got && tt_read(y, got, tt_bytes(y)) && tt_read(tt_cast(z, TT_F8E4M3FN), want,
        tt_bytes(y)) &&
              !memcmp(got, want, tt_bytes(y)), "a convolution: %s", tt_error());
    tt_clear();
}

static void quiet(const tt_error_info *e, void *env) { (void)e, (void)env; }

static void ranges(void)
{
    static const struct { tt_dtype d; int64_t least; uint64_t most; } of[] = {
        { TT_I2, -2, 1 }, { TT_I4, -8, 7 }, { TT_I8, -128, 127 }, { TT_I16, INT16_MIN, INT16_MAX },
        { TT_I32, INT32_MIN, INT32_MAX }, { TT_I64, INT64_MIN, INT64_MAX }, { TT_U2, 0, 3 }, { TT_U4, 0, 15 },
        { TT_U8, 0, UINT8_MAX }, { TT_U16, 0, UINT16_MAX }, { TT_U32, 0, UINT32_MAX }, { TT_U64, 0, UINT64_MAX }
    };
    const tt_dtype none[] = { TT_BOOL, TT_F32, TT_F8E4M3FN, TT_C64, (tt_dtype)0, (tt_dtype)999 };
    int64_t least;
    uint64_t most;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        CHECK(tt_int_range(of[i].d, &least, &most) && least == of[i].least && most == of[i].most, "%s: %lld to %llu",
              tt_dtype_name(of[i].d), (long long)least, (unsigned long long)most);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        CHECK(!tt_int_range(none[i], &least, &most) && !least && !most, "%s has a range", tt_dtype_name(none[i]));
    CHECK(tt_int_range(TT_U8, NULL, NULL), "nothing is asked for");
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    tt_config("devices:4");
    tt_on_error(quiet, NULL);
    arena = base_open();
    if (check_named("all_codes"))
        for (int i = 0; i < FORMATS; i++) all_codes(&formats[i]), rounding(&formats[i]), operations(&formats[i]);
    CHECK_RUN(ranges());
    CHECK_RUN(known());
    if (check_named("integers"))
        for (int d = TT_I2; d <= TT_U4; d++) integers((tt_dtype)d), pairs((tt_dtype)d);
    if (check_named("moved"))
        for (int d = TT_I2; d <= TT_F8E8M0FNU; d++) moved((tt_dtype)d);
    CHECK_RUN(copied_bits());
    CHECK_RUN(bits_of_other_widths());
    CHECK_RUN(reductions());
    CHECK_RUN(products());
    CHECK_RUN(others());
    base_close(arena);
    return check_done();
}
