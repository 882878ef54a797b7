/* gemv.c - products of few rows or columns (gen/matmul/gemv.h), and large ones (gemm.h): every element is one chain
 * over rising k, to the bit, for every kind, layout and size of ends (bf16 on the matrix unit has other chains);
 * nothing is written beside the result; what is not for gemv.h is not taken. */
#include "gen/matmul/gemv.h"

#include <math.h>

#include "check.h"
#include "gen/rounding.h"
#include "op/prog/scalar.h"
#include "prop/primitives.h"

typedef struct { int64_t b, m, n, k; const char *l, *r; } sizes;

static int64_t size_of(const sizes *s, char c) { return c == 'b' ? s->b : c == 'm' ? s->m : c == 'n' ? s->n : s->k; }

static const char *text_of(base_arena *a, const sizes *s, const char *x, const char *z)
{
    char dims[2][64] = { "", "" };
    int batch[2] = { -1, -1 }, sum[2] = { 0, 0 };
    for (int t = 0; t < 2; t++) {
        const char *d = t ? s->r : s->l;
        for (int i = 0; d[i]; i++) {
            snprintf(dims[t] + strlen(dims[t]), 24, "%s%lld", i ? "," : "", (long long)size_of(s, d[i]));
            if (d[i] == 'b') batch[t] = i;
            if (d[i] == 'k') sum[t] = i;
        }
    }
    const char *b = batch[0] < 0 ? "" : base_format(a, "lhs_batching_dimensions=[%d], rhs_batching_dimensions=[%d], ",
                                                    batch[0], batch[1]);
    return base_format(a, "dot_general %s[%s], %s[%s] {%slhs_contracting_dimensions=[%d], "
                          "rhs_contracting_dimensions=[%d], preferred_element_type=%s}", x,
                       dims[0], x, dims[1], b, sum[0], sum[1], z);
}

/* ---- numbers ---- */

static double value_at(tt_dtype d, const void *p, int64_t i)
{
    switch ((int)d) {
    case TT_F32: return ((const float *)p)[i];
    case TT_F64: return ((const double *)p)[i];
    case TT_BF16: return s_f32_of_bf16(((const uint16_t *)p)[i]);
    default: return s_f32_of_f16(((const uint16_t *)p)[i]);
    }
}

static uint64_t integer_at(tt_dtype d, const void *p, int64_t i)
{
    switch ((int)d) {
    case TT_I8: return (uint64_t)((const int8_t *)p)[i];
    case TT_U8: return ((const uint8_t *)p)[i];
    case TT_I32: return (uint64_t)((const int32_t *)p)[i];
    case TT_U32: return ((const uint32_t *)p)[i];
    default: return ((const uint64_t *)p)[i];
    }
}

static void fill(tt_dtype d, void *p, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        const double v = (prop_unit() - 0.5) * (double)(1 << prop_below(8));
        const uint64_t u = prop_random();
        switch ((int)d) {
        case TT_F32: ((float *)p)[i] = (float)v; break;
        case TT_F64: ((double *)p)[i] = v; break;
        case TT_BF16: ((uint16_t *)p)[i] = s_bf16_of_f32((float)v); break;
        case TT_F16: ((uint16_t *)p)[i] = s_f16_of_f32((float)v); break;
        default: memcpy((char *)p + i * (int64_t)ir_dtype_of(d)->bytes, &u, ir_dtype_of(d)->bytes);
        }
    }
}

static double chained(tt_dtype d, double x, double y, double sum)        /* in float, but for float64 */
{
    static int is_fused = -1;
    if (is_fused < 0) is_fused = rounds_once();
    if (d == TT_F64) return is_fused ? fma(x, y, sum) : x * y + sum;
    return (double)(is_fused ? fmaf((float)x, (float)y, (float)sum) : (float)((float)x * (float)y) + (float)sum);
}

static bool same(tt_dtype d, const void *p, int64_t i, double sum)
{
    const double have = value_at(d, p, i);
    const double want = d == TT_BF16 ? (double)s_f32_of_bf16(s_bf16_of_f32((float)sum))
                        : d == TT_F16 ? (double)s_f32_of_f16(s_f16_of_f32((float)sum))
                                      : sum;
    return (isnan(have) && isnan(want)) || (have == want && signbit(have) == signbit(want));
}

/* ---- a product, its operands `pad` elements apart between rows ---- */

typedef struct { ir_box box; void *all; int64_t bytes; } operand;

static operand filled(base_arena *a, const ir_type *t, int64_t pad, int64_t inner)
{
    operand o = { .box = ir_box_dense(NULL, t) };
    int64_t step = inner, n = 1;
    for (int d = t->rank - 1; d >= 0; d--) {
        o.box.step[d] = step;
        step = step * t->dim[d] + (d == t->rank - 1 ? pad : 0);
    }
    for (int d = 0; d < t->rank; d++) n += t->dim[d] ? (t->dim[d] - 1) * o.box.step[d] : 0;
    o.bytes = n * (int64_t)ir_dtype_of(t->dtype)->bytes;
    o.all = o.box.at = base_new(a, (size_t)o.bytes + 64);
    fill(t->dtype, o.all, n);
    return o;
}

/* By how much an element is further on when b, m, n or k is one more. */
typedef struct { int64_t b, m, n, k; } strides;

static strides strides_of(const ir_box *x, const char *dims)
{
    int64_t s[4] = { 0 };
    for (int d = 0; dims[d]; d++) s[strchr("bmnk", dims[d]) - "bmnk"] = x->step[d];
    return (strides){ s[0], s[1], s[2], s[3] };
}

/* On the unit sums have another order: as near as floats are that are summed in any. */
static bool near(tt_dtype d, const void *p, int64_t i, double sum, double sizes)
{
    const double have = value_at(d, p, i), ulp = d == TT_BF16 ? 0x1p-8 : 0;
    return fabs(have - sum) <= ulp * fabs(sum) + 0x1p-20 * sizes;
}

/* Both bf16, few of one side, k not small; the wide operand with k side by side, or more rows than four. */
static bool on_unit(const sizes *s, const ir_box *x, const ir_box *y)
{
    const int64_t few = s->m > s->n ? s->n : s->m;
    const ir_box *const w = s->m > s->n ? x : y;
    const char *const dims = s->m > s->n ? s->l : s->r;
    const bool along = dims[w->rank - 1] == 'k';
    if (!gemm_matrix_unit_here() || x->dtype != TT_BF16 || y->dtype != TT_BF16 || w->step[w->rank - 1] != 1)
        return false;
    return s->k >= 256 && few <= GEMV_FEW && (along || few > 4);
}

/* True if the product is none of few and is computed in pairs (gemm_bf16_isa.c). */
static bool in_pairs(const sizes *s, const ir_box *x, const ir_box *y)
{
    const int64_t least = s->m < s->n ? s->m : s->n, most = s->m < s->n ? s->n : s->m;
    const bool small = most <= GEMV_SMALL && s->k <= GEMV_SMALL;
    return gemm_bf16_here() && x->dtype == TT_BF16 && y->dtype == TT_BF16 && least > GEMV_FEW && !small;
}

static int64_t wrong(const sizes *s, const ir_box *x, const ir_box *y, const ir_box *z)
{
    const bool floats = ir_dtype_of(x->dtype)->cls == IR_FLOAT_CLASS;
    const bool unit = on_unit(s, x, y) || in_pairs(s, x, y);
    const strides l = strides_of(x, s->l), r = strides_of(y, s->r),
                  o = strides_of(z, strchr(s->l, 'b') ? "bmn" : "mn");
    int64_t bad = 0;
    for (int64_t b = 0; b < s->b; b++)
        for (int64_t i = 0; i < s->m; i++)
            for (int64_t j = i % CHECK_STEP; j < s->n; j += CHECK_STEP) {
                const bool few = s->m <= 16 && s->n <= 16;
                const int64_t stretch = few && s->k > 1024 ? 256 : 4096;     /* gemm_long.c */
                double sum = 0, all = 0, before = 0;
                uint64_t whole = 0;
                for (int64_t k = 0; k < s->k; k++) {
                    if (k && k % stretch == 0) before = chained(z->dtype, before, 1, sum), sum = 0;
                    const int64_t p = b * l.b + i * l.m + k * l.k, q = b * r.b + j * r.n + k * r.k;
                    if (floats) {
                        const double u = value_at(x->dtype, x->at, p), v = value_at(y->dtype, y->at, q);
                        sum = chained(z->dtype, u, v, sum), all += fabs(u * v);
                    } else whole += integer_at(x->dtype, x->at, p) * integer_at(y->dtype, y->at, q);
                }
                sum = chained(z->dtype, before, 1, sum);
                const int64_t to = b * o.b + i * o.m + j * o.n;
                const int64_t size = (int64_t)ir_dtype_of(z->dtype)->bytes;
                bad += unit     ? !near(z->dtype, z->at, to, sum, all)
                       : floats ? !same(z->dtype, z->at, to, sum)
                                : memcmp((char *)z->at + to * size, &whole, (size_t)size) != 0;
            }
    return bad;
}

static void product(const sizes *s, const char *x, const char *z, int64_t pad, int64_t inner, bool few)
{
    static size_t turn;
    if (!check_turn(turn++)) return;
    base_arena *a = base_open();
    const char *text = text_of(a, s, x, z);
    const ir_fn *f = ir_case(a, text);
    CHECK(f, "%s: %s", text, f ? "" : prop_error());
    const ir_eqn *e = f ? &f->eqn[f->neqn - 1] : NULL;
    run_kernel k;
    if (e) {
        const gen_group g = { 1, &e, 2, 1, e->in, &e->out, false };
        CHECK(gemm_is_few(&g) == few, "%s: is %sa product of few", text, few ? "not " : "");
        operand o[3] = { filled(a, IR_IN(e, 0), pad, inner), filled(a, IR_IN(e, 1), pad, inner),
                         filled(a, IR_OUT(e, 0), pad, inner) };
        const ir_box arg[3] = { o[0].box, o[1].box, o[2].box };
        char *before = base_copy(a, o[2].all, (size_t)o[2].bytes + 64);
        if (!gen_dot.refuses(&g) && gen_dot.make(a, &g, &k)) {
            char *scratch = base_new(a, (size_t)k.scratch(k.self, arg) + 64);
            const int64_t tiles = k.tiles(k.self, arg);
            CHECK(s->b > 1 || !(tiles & (tiles - 1)), "%s: %lld tasks: workers get uneven shares", text,
                  (long long)tiles);
            for (int64_t share = 0; share < 3; share++) {
                const int64_t first = tiles * share / 3;
                const run_job j = { 0, arg, first, tiles * (share + 1) / 3 - first, scratch, NULL, NULL, NULL };
                if (j.count) k.code(k.self, &j);
            }
            const int64_t bad = wrong(s, &arg[0], &arg[1], &arg[2]);
            CHECK(!bad, "%s, padded by %lld, steps of %lld: %lld elements differ", text, (long long)pad,
                  (long long)inner, (long long)bad);
            CHECK(!memcmp(before + o[2].bytes, (char *)o[2].all + o[2].bytes, 64), "%s: writes behind it", text);
            if (pad && s->n && s->m > 1) {
                const int64_t gap = (arg[2].step[arg[2].rank - 2] - 1) * (int64_t)ir_dtype_of(arg[2].dtype)->bytes;
                CHECK(!memcmp(before + gap, (char *)o[2].all + gap, ir_dtype_of(arg[2].dtype)->bytes),
                      "%s: writes between rows", text);
            }
        } else CHECK(false, "%s: dot refuses", text);
    }
    base_close(a);
}

static const struct { const char *l, *r; } layouts[] = {
    { "mk", "kn" }, { "mk", "nk" }, { "km", "kn" }, { "km", "nk" }
};
static const struct { const char *x, *z; } kinds[] = {
    { "f32", "f32" }, { "bf16", "bf16" }, { "bf16", "f32" }, { "f16", "f16" }, { "f64", "f64" }, { "i32", "i32" },
    { "u32", "u32" }, { "i64", "i64" }, { "i8", "i32" }, { "u8", "u32" }
};
enum { LAYOUTS = sizeof layouts / sizeof *layouts, KINDS = sizeof kinds / sizeof *kinds };

static void sizes_and_kinds(void)
{
    static const int64_t some[][3] = {                   /* m, n, k */
        { 1, 64, 64 },  { 1, 257, 100 }, { 2, 40, 33 },  { 3, 129, 65 }, { 5, 31, 7 },   { 8, 96, 96 },
        { 11, 75, 128 }, { 16, 70, 50 }, { 64, 1, 64 },  { 300, 1, 70 }, { 50, 7, 97 },  { 97, 16, 40 },
        { 16, 16, 16 },  { 4, 4, 4 },
        { 1, 1, 100 },  { 13, 1, 1 },    { 1, 5, 0 },    { 0, 5, 3 },    { 5, 0, 3 },    { 1, 1100, 130 }
    };
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        for (int l = 0; l < LAYOUTS; l++)
            for (int q = 0; q < KINDS; q++) {
                const sizes s = { 1, some[i][0], some[i][1], some[i][2], layouts[l].l, layouts[l].r };
                const bool few = s.k > 0;
                product(&s, kinds[q].x, kinds[q].z, 0, 1, few);
                if (q < 3 || q == 5) product(&s, kinds[q].x, kinds[q].z, 3, 1, few);
                if (q < 2) product(&s, kinds[q].x, kinds[q].z, 1, 2, few);
            }
}

/* More k than x is packed for at once, more lanes than sums are kept for; batches; tasks of several workers. */
static void large(void)
{
    static const sizes all[] = {
        { 1, 16, 40, 4500, "mk", "kn" },  { 1, 16, 100, 4200, "mk", "nk" }, { 1, 1, 17000, 40, "mk", "kn" },
        { 1, 9, 5000, 40, "mk", "kn" },   { 1, 2100, 13, 60, "mk", "nk" }, { 1, 7, 150, 4400, "mk", "nk" },
        { 1, 120, 9, 4097, "mk", "kn" },    { 1, 5, 200, 300, "km", "kn" },   { 1, 3, 100, 257, "km", "nk" },
        { 1, 70, 6, 8200, "km", "nk" },     { 1, 1500, 16, 290, "km", "kn" }, { 1, 1, 90, 700, "mk", "nk" },
        { 1, 3, 2100, 300, "mk", "nk" },  { 1, 2100, 2, 300, "mk", "kn" },  { 6, 1, 64, 100, "bmk", "bkn" },
        { 6, 1, 100, 64, "bmk", "bnk" },  { 3, 2, 50, 64, "mbk", "nbk" },   { 40, 8, 8, 8, "bmk", "bkn" },
        { 5, 32, 32, 32, "bmk", "bkn" }, { 5, 17, 31, 20, "bmk", "bkn" }, { 5, 30, 18, 32, "bkm", "bkn" },
        { 4, 20, 30, 9, "bmk", "bnk" },   { 1, 7, 50, 9400, "mk", "nk" },     { 1, 300, 4, 2100, "mk", "nk" },
        { 1, 1, 100, 2048, "mk", "nk" },  { 1, 2, 84, 1024, "mk", "nk" },     /* lines of all rows in the same sets */
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        product(&all[i], "f32", "f32", 0, 1, true);
        product(&all[i], "bf16", "f32", 0, 1, true);
        product(&all[i], "bf16", "bf16", 3, 1, true);
        product(&all[i], "f32", "f32", 5, 1, true);
    }
}

/* Large in every way: several blocks of k, of rows and of columns, what is left at their ends, and results that are
 * rounded. The same chains. */
static void blocks(void)
{
    static const int64_t some[][3] = {                   /* m, n, k */
        { 270, 33, 290 }, { 19, 331, 130 }, { 40, 48, 777 }, { 130, 33, 20 }
    };
    for (int i = 0; i < (int)(sizeof some / sizeof *some); i++)
        for (int l = 0; l < LAYOUTS; l++) {
            const sizes s = { 1, some[i][0], some[i][1], some[i][2], layouts[l].l, layouts[l].r };
            product(&s, "f32", "f32", i % 2 ? 3 : 0, 1, false);
            if ((i + l) % 3 == 0) product(&s, kinds[1 + i].x, kinds[1 + i].z, i % 2 ? 0 : 5, 1, false);
        }
    const sizes s = { 1, 400, 20, 90, "km", "kn" }, strided = { 1, 70, 60, 100, "mk", "nk" };
    const sizes far = { 1, 500, 220, 768, "mk", "kn" };  /* a share of it is larger than the second cache */
    product(&s, "i8", "i32", 0, 1, false);
    product(&far, "f64", "f64", 0, 1, false);
    product(&strided, "bf16", "f32", 1, 2, false);
}

/* Infinities, NaNs, zeros of both signs and denormals in either operand reach the elements that they are in. */
static void odd_values(void)
{
    static const float odd[] = { INFINITY, -INFINITY, NAN, 0, -0.0f, 1e-42f, -3e38f, 3e38f };
    for (int l = 0; l < LAYOUTS; l++) {
        const sizes s = { 1, 4, 80, 64, layouts[l].l, layouts[l].r };
        base_arena *a = base_open();
        const ir_fn *f = ir_case(a, text_of(a, &s, "f32", "f32"));
        const ir_eqn *e = &f->eqn[0];
        const gen_group g = { 1, &e, 2, 1, e->in, &e->out, false };
        run_kernel k;
        operand o[3] = { filled(a, IR_IN(e, 0), 0, 1), filled(a, IR_IN(e, 1), 0, 1), filled(a, IR_OUT(e, 0), 0, 1) };
        const ir_box arg[3] = { o[0].box, o[1].box, o[2].box };
        for (int i = 0; i < 8; i++) {
            ((float *)o[0].all)[i * 31] = odd[i];
            ((float *)o[1].all)[i * 613 + 5] = odd[7 - i];
        }
        CHECK(gen_dot.make(a, &g, &k), "no kernel");
        void *const scratch = base_new(a, (size_t)k.scratch(k.self, arg) + 64);
        const run_job j = { 0, arg, 0, k.tiles(k.self, arg), scratch, NULL, NULL, NULL };
        k.code(k.self, &j);
        CHECK(!wrong(&s, &arg[0], &arg[1], &arg[2]), "%s, %s: odd values", s.l, s.r);
        base_close(a);
    }
}

/* 33 rows and columns, or 17 and many k, are a product like any other; so is one whose sums are trees. */
static void not_for_us(void)
{
    for (int l = 0; l < LAYOUTS; l++)
        for (int i = 0; i < 2; i++) {
            const sizes s = { 1, i ? 33 : 17, i ? 33 : 17, i ? 30 : 33, layouts[l].l, layouts[l].r };
            product(&s, "f32", "f32", 0, 1, false);
        }
    base_arena *a = base_open();
    const sizes s = { 1, 1, 64, 64, "mk", "kn" };
    const ir_fn *f = ir_case(a, text_of(a, &s, "f32", "f32"));
    const ir_eqn *e = &f->eqn[0];
    const gen_group g = { 1, &e, 2, 1, e->in, &e->out, true };
    CHECK(!gemm_is_few(&g), "reproducible sums are trees");
    const gemm tree = { .isa = gemm_here(), .m = 1, .n = 64, .k = 64, .tree = true };
    const gemm many = { .isa = gemm_here(), .m = 33, .n = 33, .k = 1 };
    const gemm windows = { .isa = gemm_here(), .m = 100, .n = 4, .k = 9 };
    /* windows: a convolution's, no operand is laid out as a matrix */
    CHECK(!gemv_fits(&tree) && !gemv_fits(&many) && !gemv_fits(&windows), "what is not for these loops");
    base_close(a);
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    base_switches_env();
    CHECK_RUN(sizes_and_kinds());
    CHECK_RUN(large());
    CHECK_RUN(blocks());
    CHECK_RUN(odd_values());
    CHECK_RUN(not_for_us());
    return check_done();
}
