/* packed.c - weights of 8 and 4 bits: the rounding and the layout of GGUF's blocks to the byte, products of 1 to 512
 * rows against sums in f64, of few rows to the bit, blocks of a file as codes and scales to the bit, derivatives, vmap,
 * meshes, StableHLO, memory, what is refused. */
#include "api/api_check.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/base.h"
#include "gen/rounding.h"
#include "op/prog/scalar.h"

enum { MOST = 4 << 20 };
static float number[MOST], other[MOST];
static uint32_t draw = 1;

static float unit(void) { return (float)((draw = draw * 1664525 + 1013904223) >> 8) / (1 << 24) - 0.5f; }
static void fill(float *to, int64_t n, float size) { for (int64_t i = 0; i < n; i++) to[i] = size * unit(); }
static float as_f16(float x) { return s_f32_of_f16(s_f16_of_f32(x)); }

/* ---- blocks, as ggml's reference has them ---- */

/* Codes of a group and its scale. */
static float reference(const float *x, int64_t n, int bits, int *code)
{
    float most = 0, size = 0;
    for (int64_t i = 0; i < n; i++) if (fabsf(x[i]) > size) size = fabsf(x[i]), most = x[i];
    const float d = bits == 8 ? size / 127 : most / -8, by = d == 0 ? 0 : 1 / d;
    for (int64_t i = 0; i < n; i++) {
        const float v = x[i] * by, up = v + 8.5f;
        code[i] = bits == 8 ? (int)roundf(v) : (int)(up < 15 ? up : 15) - 8;
    }
    return as_f16(d);
}

static void blocks(int64_t n, int64_t k, int bits, int64_t group)
{
    static float w[1 << 16];
    static int code[1 << 16];
    static uint8_t have[1 << 16];
    static float scale[1 << 12], back[1 << 16];
    fill(w, n * k, 3);
    for (int64_t i = 0; i < 8 && i < group; i++) w[i] = 0.5f * (float)(i % 3);       /* equal ones */
    w[4] = -1, w[5] = 1;
    for (int64_t i = 0; i < group && n * k > group; i++) w[n * k - 1 - i] = 0;
    const tt_val q = tt_quantize(tt_array(TT_F32, w, n, k), .bits = bits, .group = group);
    const tt_val codes = tt_get(q, "codes"), scales = tt_get(q, "scales");
    const int64_t bytes = bits == 8 ? k : k / 2;
    CHECK(tt_ok() && tt_dtype_of(codes) == (bits == 8 ? TT_I8 : TT_U8) && tt_dim(codes, 1) == bytes &&
              tt_dtype_of(scales) == TT_F16 && tt_dim(scales, 1) == k / group, "%s", tt_ok() ? "types" : tt_error());
    tt_read(codes, (void *)have, (size_t)(n * bytes));
    tt_read(tt_cast(scales, TT_F32), scale, (size_t)(n * k / group) * 4);
    tt_read(tt_dequantize(codes, scales), back, (size_t)(n * k) * 4);
    bool same = tt_ok();
    for (int64_t g = 0; g < n * k / group; g++) {
        const float d = reference(w + g * group, group, bits, code + g * group);
        same = same && !memcmp(&d, &scale[g], 4);
        for (int64_t i = g * group; i < (g + 1) * group; i++) {
            const int64_t block = i / 32, in = i % 32;
            const int is = bits == 8 ? (int8_t)have[i] : (have[block * 16 + in % 16] >> in / 16 * 4 & 15) - 8;
            same = same && is == code[i] && back[i] == d * (float)is;
        }
    }
    CHECK(same, "blocks of %d bits [%d, %d] in groups of %d", bits, (int)n, (int)k, (int)group);
}

/* ---- products ---- */

/* blocks: those of a file, of the same numbers; none if groups are no blocks. */
typedef struct { tt_val codes, scales, blocks; float *wide; int64_t n, k; } weights;

/* u8 [n, k / 32, 34 or 18]: the scale of 32 columns, and their codes behind it. */
static tt_val in_blocks(tt_val codes, tt_val scales)
{
    const int64_t n = tt_dim(codes, 0), groups = tt_dim(scales, 1), bytes = tt_dim(codes, 1) / groups;
    uint8_t *const code = malloc((size_t)(n * groups * bytes)), *const to = malloc((size_t)(n * groups * (bytes + 2)));
    uint16_t *const scale = malloc((size_t)(n * groups) * 2);
    tt_read(codes, (void *)code, (size_t)(n * groups * bytes));
    tt_read(scales, (void *)scale, (size_t)(n * groups) * 2);
    for (int64_t b = 0; b < n * groups; b++) {
        to[b * (bytes + 2)] = (uint8_t)scale[b], to[b * (bytes + 2) + 1] = (uint8_t)(scale[b] >> 8);
        memcpy(to + b * (bytes + 2) + 2, code + b * bytes, (size_t)bytes);
    }
    const tt_val v = tt_array(TT_U8, to, n, groups, bytes + 2);
    free(code), free(to), free(scale);
    return v;
}

static weights made(int64_t n, int64_t k, int bits, int64_t group)
{
    weights w = { .n = n, .k = k, .wide = malloc((size_t)(n * k) * 4) };
    fill(other, n * k, 0.25f);
    const tt_val q = tt_quantize(tt_array(TT_F32, other, n, k), .bits = bits, .group = group);
    w.codes = tt_get(q, "codes"), w.scales = tt_get(q, "scales");
    tt_read(tt_dequantize(w.codes, w.scales), w.wide, (size_t)(n * k) * 4);
    w.blocks = group == 32 ? in_blocks(w.codes, w.scales) : tt_none();
    if (group != 32) return w;
    tt_read(tt_dequantize(w.blocks, tt_none()), other, (size_t)(n * k) * 4);
    CHECK(tt_ok() && !memcmp(other, w.wide, (size_t)(n * k) * 4), "blocks of %d bits as floats: %s", bits, tt_error());
    return w;
}

/* 32 chains, added as a tree. */
static float chained(const float *x, const float *w, int64_t k)
{
    static int once = -1;
    float sum[32] = { 0 };
    if (once < 0) once = rounds_once();
    for (int64_t i = 0; i < k; i++) sum[i % 32] = once ? fmaf(w[i], x[i], sum[i % 32]) : w[i] * x[i] + sum[i % 32];
    for (int n = 16; n; n /= 2) for (int i = 0; i < n; i++) sum[i] += sum[i + n];
    return sum[0];
}

static float rounded(tt_dtype d, float x)
{
    return d == TT_F16 ? as_f16(x) : d == TT_BF16 ? s_f32_of_bf16(s_bf16_of_f32(x)) : x;
}

/* exact: the order of sums of few rows, but in the modes that have another. */
static void product(const weights *w, int64_t m, tt_dtype d, bool exact)
{
    float *const x = number, *const y = other;
    fill(x, m * w->k, 2);
    for (int64_t i = 0; i < m * w->k; i++) x[i] = rounded(d, x[i]);
    const tt_val in = tt_cast(tt_array(TT_F32, x, m, w->k), d), z = tt_scaled_matmul(in, w->codes, w->scales);
    CHECK(tt_ok() && tt_dtype_of(z) == d && tt_dim(z, 0) == m && tt_dim(z, 1) == w->n, "%s", tt_error());
    tt_read(tt_cast(z, TT_F32), y, (size_t)(m * w->n) * 4);
    double far = 0;
    bool same = true;
    exact = exact && !base_switch("ref") && !base_switch("reproducible");
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < w->n; j++) {
            double sum = 0, size = 0;
            for (int64_t k = 0; k < w->k; k++) {
                const double p = (double)x[i * w->k + k] * (double)w->wide[j * w->k + k];
                sum += p, size += fabs(p);
            }
            const double ulp = d == TT_F32 ? 0 : d == TT_F16 ? fabs(sum) / (1 << 11) + 1e-7 : fabs(sum) / (1 << 8);
            const double is = fabs((double)y[i * w->n + j] - sum) / (size * 8e-7 + ulp + 1e-30);
            far = is > far ? is : far;
            if (exact) same = same && y[i * w->n + j] == rounded(d, chained(x + i * w->k, w->wide + j * w->k, w->k));
        }
    CHECK(far <= 1, "%d rows of %s, [%d, %d]: %g of the bound", (int)m, tt_dtype_name(d), (int)w->n, (int)w->k, far);
    CHECK(same, "%d rows of %s, [%d, %d]: the sum is not 32 chains", (int)m, tt_dtype_name(d), (int)w->n, (int)w->k);
    if (tt_rank(w->blocks) < 0) return;
    tt_read(tt_cast(tt_scaled_matmul(in, w->blocks, tt_none()), TT_F32), x, (size_t)(m * w->n) * 4);
    CHECK(tt_ok() && !memcmp(x, y, (size_t)(m * w->n) * 4), "%d rows of %s, [%d, %d]: blocks have another product %s",
          (int)m, tt_dtype_name(d), (int)w->n, (int)w->k, tt_error());
}

static tt_val apply_blocks(tt_val x, tt_val blocks) { return tt_scaled_matmul(x, blocks, tt_none()); }
static tt_val apply(tt_val x, tt_val codes, tt_val scales) { return tt_scaled_matmul(x, codes, scales); }
static tt_val apply_one(tt_val x, tt_val codes, tt_val scales)
{
    return tt_scaled_matmul(x, tt_broadcast(codes, 20, 64), scales);
}

/* More columns and a longer sum than are packed at once, whose parts begin within blocks. */
static void in_parts(void)
{
    static const int64_t sizes[][3] = { { 600, 1184, 32 }, { 520, 832, 64 }, { 300, 1184, 1184 } };
    for (int bits = 8; bits; bits -= 4)
        for (int s = 0; s < 3; s++) {
            const weights w = made(sizes[s][0], sizes[s][1], bits, sizes[s][2]);
            product(&w, 40, s ? TT_BF16 : TT_F32, false), product(&w, 17, TT_F32, false);
            free(w.wide);
        }
}

static void products(void)
{
    static const int64_t sizes[][3] = { { 1, 32, 32 }, { 5, 96, 32 }, { 33, 64, 64 }, { 67, 160, 32 }, { 18, 256, 256 },
                                        { 130, 2048, 32 } };
    static const int64_t rows[] = { 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 40 };
    static const tt_dtype types[] = { TT_F32, TT_BF16, TT_F16 };
    for (int bits = 8; bits; bits -= 4)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            const weights w = made(sizes[s][0], sizes[s][1], bits, sizes[s][2]);
            for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
                for (int t = 0; t < (s < 4 ? 3 : 1); t++) product(&w, rows[r], types[t], rows[r] <= 16);
            if (s != 5) product(&w, 512, TT_F32, false);
            free(w.wide);
        }
    static const int64_t odd[][3] = { { 4, 7, 7 }, { 3, 35, 5 }, { 9, 1, 1 }, { 6, 100, 100 } };
    for (int s = 0; s < 4; s++) {
        const weights w = made(odd[s][0], odd[s][1], 8, odd[s][2]);
        for (int r = 0; r < 12; r += 4) product(&w, rows[r], TT_F32, false);
        free(w.wide);
    }
    const tt_val one = tt_ones(TT_I8, 1, 64), scales = tt_cast(tt_ones(TT_F32, 20, 2), TT_F16);
    const tt_val sums = tt_call(tt_jit(apply_one), tt_ones(TT_F32, 1, 64), one, scales);     /* rows that are one row */
    CHECK(tt_num(tt_amin(sums)) == 64 && tt_num(tt_amax(sums)) == 64, "%s", tt_error());
    const weights deep = made(3, 70016, 4, 32);          /* longer than one chain a place */
    product(&deep, 1, TT_F32, false), product(&deep, 20, TT_F32, false);
    free(deep.wide);
}

/* ---- derivatives, vmap, other compilers ---- */

static tt_val of_x(tt_val x, tt_val codes, tt_val scales)
{
    return tt_sum(tt_square(tt_scaled_matmul(x, codes, scales)));
}
static tt_val of_x_wide(tt_val x, tt_val codes, tt_val scales)
{
    return tt_sum(tt_square(tt_matmul(x, tt_transpose(tt_dequantize(codes, scales)))));
}
static tt_val of_blocks(tt_val x, tt_val blocks) { return tt_sum(tt_square(apply_blocks(x, blocks))); }
static tt_val apply_wide(tt_val x, tt_val codes, tt_val scales)
{
    return tt_matmul(x, tt_transpose(tt_dequantize(codes, scales)));
}

static void near(const char *what, tt_val a, tt_val b, double most)
{
    CHECK(tt_ok() && !strcmp(tt_type_text(a), tt_type_text(b)), "%s: %s and %s", what, tt_type_text(a),
          tt_type_text(b));
    const double far = tt_num(tt_amax(tt_abs(tt_sub(tt_cast(a, TT_F32), tt_cast(b, TT_F32)))));
    const double size = tt_num(tt_amax(tt_abs(tt_cast(b, TT_F32))));
    CHECK(far <= most * size, "%s: %g apart of %g %s", what, far, size, tt_ok() ? "" : tt_error());
}

static void derivatives(void)
{
    for (int bits = 8; bits; bits -= 4)
        for (int rows = 3; rows < 100; rows += 50) {
            const weights w = made(40, 96, bits, 32);
            fill(number, rows * 96, 2);
            const tt_val x = tt_array(TT_F32, number, rows, 96), s = tt_cast(w.scales, TT_F32);
            const tt_val a = tt_call(tt_grad(of_x, .wrt = "0, 2"), x, w.codes, s),
                         b = tt_call(tt_grad(of_x_wide, .wrt = "0, 2"), x, w.codes, s);
            near("the gradient of x", tt_item(a, 0), tt_item(b, 0), 1e-5);
            near("the gradient beside blocks", tt_call(tt_grad(of_blocks), x, w.blocks), tt_item(b, 0), 1e-5);
            near("the gradient of scales", tt_item(a, 1), tt_item(b, 1), 1e-5);
            const tt_val h = tt_call(tt_grad(of_x), tt_cast(x, TT_BF16), w.codes, w.scales);
            near("the gradient of a bf16 x", h, tt_cast(tt_item(b, 0), TT_BF16), 0.03);
            free(w.wide);
        }
}

static void mapped(void)
{
    for (int bits = 8; bits; bits -= 4) {
        const weights w = made(3 * 12, 64, bits, 32);
        fill(number, 3 * 5 * 64, 1);
        const tt_val x = tt_array(TT_F32, number, 3, 5, 64);
        const tt_val c = tt_reshape(w.codes, 3, 12, -1), s = tt_reshape(w.scales, 3, 12, -1);
        static const char *const in[] = { "0; 0; 0", "_; 0; 0", "0; _; _", "_; _; 0", "0; 0; _" };
        for (int k = 0; k < 5; k++) {
            const tt_val one[] = { tt_at(x, "1"), tt_at(c, "1"), tt_at(s, "1") };
            const bool of[] = { in[k][0] == '0', in[k][3] == '0', in[k][6] == '0' };
            const tt_val arg[] = { of[0] ? x : one[0], of[1] ? c : one[1], of[2] ? s : one[2] };
            near(in[k], tt_call(tt_vmap(apply, .in = in[k]), arg[0], arg[1], arg[2]),
                 tt_call(tt_vmap(apply_wide, .in = in[k]), arg[0], arg[1], arg[2]), 2e-6);
        }
        const tt_val b = tt_reshape(w.blocks, 3, 12, 2, -1), b1 = tt_at(b, "1");
        const tt_val y = tt_call(tt_vmap(apply, .in = "0; 0; 0"), x, c, s);
        near("blocks", tt_call(tt_vmap(apply_blocks, .in = "0; 0"), x, b), y, 2e-6);
        near("blocks of one", tt_call(tt_vmap(apply_blocks, .in = "0; _"), x, b1),
             tt_call(tt_vmap(apply, .in = "0; _; _"), x, tt_at(c, "1"), tt_at(s, "1")), 2e-6);
        near("blocks for one", tt_call(tt_vmap(apply_blocks, .in = "_; 0"), tt_at(x, "1"), b),
             tt_call(tt_vmap(apply, .in = "_; 0; 0"), tt_at(x, "1"), c, s), 2e-6);
        free(w.wide);
    }
}

static void exported(void)
{
    for (int bits = 8; bits; bits -= 4) {
        const weights w = made(12, 64, bits, 32);
        fill(number, 5 * 64, 1);
        const tt_val x = tt_array(TT_F32, number, 5, 64), y = tt_scaled_matmul(x, w.codes, w.scales);
        const char *const text = tt_export(apply, x, w.codes, w.scales);
        CHECK(strstr(text, "stablehlo.dot_general") && !strstr(text, "custom_call"), "the text: %.300s", text);
        near("the text", tt_call(tt_import(text), x, w.codes, w.scales), y, 2e-6);
        const char *const other_text = tt_export(apply_blocks, x, w.blocks);
        CHECK(strstr(other_text, "stablehlo.dot_general") && !strstr(other_text, "custom_call"), "%.300s", other_text);
        near("the text of blocks", tt_call(tt_import(other_text), x, w.blocks), y, 2e-6);
        free(w.wide);
    }
}

/* ---- on a mesh ---- */

static void on_meshes(void)
{
    static const char *const specs[][3] = {              /* of x, codes, scales */
        { "data, _", "_, _", "_, _" }, { "_, _", "model, _", "model, _" }, { "_, model", "_, model", "_, model" },
        { "data, _", "model, _", "model, _" }, { "data, model", "_, model", "_, model" }, { "_, _", "_, _", "_, _" },
    };
    for (int bits = 8; bits; bits -= 4)
        for (int64_t group = 32; group <= 256; group += 224)
            for (int rows = 4; rows < 50; rows += 40) {
                const weights w = made(16, 256, bits, group);
                fill(number, rows * 256, 1);
                const tt_val x = tt_array(TT_F32, number, rows, 256), y = tt_scaled_matmul(x, w.codes, w.scales);
                const tt_mesh mesh = tt_mesh("data:2, model:4");
                for (int k = 0; k < 6; k++) {
                    const bool whole = group == 256 && strstr(specs[k][2] + 1, ", model");
                    const tt_val z = tt_call(tt_jit(apply), tt_shard(x, mesh, specs[k][0]),
                                             tt_shard(w.codes, mesh, specs[k][1]),
                                             tt_shard(w.scales, mesh, whole ? "_, _" : specs[k][2]));
                    tt_read(z, other, (size_t)rows * 16 * 4);
                    near(specs[k][1], tt_array(TT_F32, other, rows, 16), y, 3e-6);
                    if (group != 32) continue;
                    char spec[32];
                    snprintf(spec, sizeof spec, "%s, _", specs[k][1]);
                    const tt_val of = tt_call(tt_jit(apply_blocks), tt_shard(x, mesh, specs[k][0]),
                                              tt_shard(w.blocks, mesh, spec));
                    tt_read(of, other, (size_t)rows * 16 * 4);
                    near(spec, tt_array(TT_F32, other, rows, 16), y, 3e-6);
                }
                free(w.wide);
            }
}

/* ---- memory ---- */

static void stays_packed(void)
{
    const weights w = made(1024, 1024, 4, 32);
    tt_plan_counts few, many;
    const tt_val one = tt_zeros(TT_F32, 1, 1024), all = tt_zeros(TT_F32, 64, 1024);
    CHECK(tt_plan_count(0, TT_FN(tt_jit(apply)), (tt_val[]){ one, w.codes, w.scales, tt_end }, &few) &&
              tt_plan_count(0, TT_FN(tt_jit(apply)), (tt_val[]){ all, w.codes, w.scales, tt_end }, &many), "%s",
          tt_error());
    CHECK(few.arena_bytes < 1 << 16 && many.arena_bytes < 1 << 19, "%lld and %lld bytes of temporaries",
          (long long)few.arena_bytes, (long long)many.arena_bytes);
    free(w.wide);
}

/* ---- what is refused ---- */

static void refused(void)
{
    const tt_val x = tt_ones(TT_F32, 2, 64), s = tt_ones(TT_F16, 3, 2);
    tt_on_error(quiet, NULL);
    tt_scaled_matmul(x, tt_zeros(TT_I8, 3, 32), s);
    CHECK(failed("the last dim of x is 64; expected 32, the weights' columns"), "columns");
    tt_scaled_matmul(x, tt_zeros(TT_I32, 3, 64), s);
    CHECK(failed("codes of type i32; expected i8 or u8"), "codes");
    tt_scaled_matmul(tt_ones(TT_I32, 2, 64), tt_zeros(TT_I8, 3, 64), s);
    CHECK(failed("x of type i32; expected f32, bf16 or f16"), "numbers");
    tt_scaled_matmul(x, tt_zeros(TT_I8, 3, 64), tt_ones(TT_F16, 3, 3));
    CHECK(failed("scales [3, 3] for 3 rows of 64 codes"), "scales");
    tt_scaled_matmul(x, tt_zeros(TT_U8, 3, 32), tt_ones(TT_F16, 3, 4));
    CHECK(failed("groups of equal size, a multiple of 32"), "groups of 16");
    tt_quantize(x, .bits = 5);
    CHECK(failed("quantize: .bits = 5; expected 8 or 4"), "bits");
    tt_quantize(x, .group = 48);
    CHECK(failed("quantize: rows of 64 in groups of 48"), "group");
    tt_quantize(x, .bits = 4, .group = 16);
    CHECK(failed("of a multiple of 32"), "group of 16");
    tt_quantize(tt_ones(TT_F32, 64));
    CHECK(failed("quantize: of f32[64]; expected a matrix of floats"), "rank");
    tt_dequantize(tt_zeros(TT_I8, 3, 64), tt_ones(TT_F16, 2, 2));
    CHECK(failed("dequantize: codes i8[3, 64] do not fit scales f16[2, 2]"), "rows");
    tt_scaled_matmul(x, tt_zeros(TT_U8, 3, 2, 33), tt_none());
    CHECK(failed("blocks of rank 3 of type u8 with 33 bytes; expected u8 [rows, groups, 34]"), "bytes");
    tt_scaled_matmul(x, tt_zeros(TT_I8, 3, 64), tt_none());
    CHECK(failed("blocks of rank 2 of type i8 with 64 bytes"), "codes without scales");
    tt_scaled_matmul(x, tt_zeros(TT_U8, 3, 3, 18), tt_none());
    CHECK(failed("the last dim of x is 64; expected 96, the weights' columns"), "blocks");
    tt_scaled_matmul(x, tt_zeros(TT_U8, 3, 2, 18), s);
    CHECK(failed("ranks 2, 3, 2 of x, codes and scales"), "blocks and scales");
    tt_dequantize(tt_zeros(TT_I8, 3, 64), tt_none());
    CHECK(failed("dequantize: i8[3, 64] without scales; expected blocks"), "codes");
    tt_on_error(NULL, NULL);
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    for (int bits = 8; bits; bits -= 4) {
        CHECK_RUN(blocks(1, 32, bits, 32));
        CHECK_RUN(blocks(9, 192, bits, 32));
        CHECK_RUN(blocks(6, 256, bits, 64));
        CHECK_RUN(blocks(5, 96, bits, 96));
    }
    CHECK_RUN(blocks(5, 35, 8, 35));
    CHECK_RUN(products());
    CHECK_RUN(in_parts());
    CHECK_RUN(derivatives());
    CHECK_RUN(mapped());
    CHECK_RUN(exported());
    CHECK_RUN(on_meshes());
    CHECK_RUN(stays_packed());
    CHECK_RUN(refused());
    return check_done();
}
