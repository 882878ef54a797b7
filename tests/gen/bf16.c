/* bf16.c - products of bf16 in pairs of k: exact where sums of integers are, whatever the layout, odd sums, dims that
 * are not one dim, blocks and tasks; errors of real numbers; infinities and NaNs in their own row or column alone. */
#include "gen/matmul/gemm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "op/prog/scalar.h"
#include "prop/primitives.h"

/* Dims by letters: a and b batches; m and i rows; n and j columns; k and h are summed. */
typedef struct { const char *l, *r; int64_t size[8]; } sizes;
static const char letters[] = "abminjkh";

typedef struct {
    base_arena *a; const ir_eqn *e; run_kernel k; ir_box arg[3]; void *scratch; int64_t bytes;
    const sizes *s; char out[8];
} product;

static int64_t size_of(const sizes *s, char c) { return s->size[strchr(letters, c) - letters]; }

static const char *dims_of(base_arena *a, const sizes *s, const char *d)
{
    base_text t = { .arena = a };
    for (int i = 0; d[i]; i++) base_appendf(&t, "%s%lld", i ? "," : "", (long long)size_of(s, d[i]));
    return t.s;
}

/* The places of letters of `which` in d, in the order of `which`. */
static const char *places_of(base_arena *a, const char *d, const char *which)
{
    base_text t = { .arena = a };
    base_appendf(&t, "%s", "");
    for (int i = 0; which[i]; i++)
        if (strchr(d, which[i])) base_appendf(&t, "%s%d", *t.s ? "," : "", (int)(strchr(d, which[i]) - d));
    return t.s;
}

static bool make(product *p, const sizes *s, const char *type)
{
    *p = (product){ .a = base_open(), .s = s };
    const char *text = base_format(p->a, "dot_general bf16[%s], bf16[%s] {lhs_batching_dimensions=[%s], "
        "rhs_batching_dimensions=[%s], lhs_contracting_dimensions=[%s], rhs_contracting_dimensions=[%s], "
        "preferred_element_type=%s}", dims_of(p->a, s, s->l), dims_of(p->a, s, s->r), places_of(p->a, s->l, "ab"),
        places_of(p->a, s->r, "ab"), places_of(p->a, s->l, "hk"), places_of(p->a, s->r, "hk"), type);
    int o = 0;
    for (const char *c = "ab"; *c; c++) if (strchr(s->l, *c)) p->out[o++] = *c;
    for (const char *c = s->l; *c; c++) if (strchr("mi", *c)) p->out[o++] = *c;
    for (const char *c = s->r; *c; c++) if (strchr("nj", *c)) p->out[o++] = *c;
    const ir_fn *f = ir_case(p->a, text);
    CHECK(f, "%s: %s", text, f ? "" : prop_error());
    if (!f) return false;
    p->e = &f->eqn[f->neqn - 1];
    const gen_group g = { 1, BASE_COPY(p->a, &p->e, 1), 2, 1, p->e->in, BASE_COPY(p->a, &p->e->out, 1), false };
    CHECK(gemm_isa_for(&g)->depth == 2, "%s: not in pairs", text);
    if (!gen_dot.make(p->a, &g, &p->k)) return false;
    for (int t = 0; t < 3; t++) {
        const ir_type *type_of = t < 2 ? IR_IN(p->e, t) : IR_OUT(p->e, 0);
        p->arg[t] = ir_box_dense(base_pages((size_t)ir_bytes(type_of) + 64), type_of);
    }
    p->bytes = p->k.scratch(p->k.self, p->arg);
    p->scratch = base_pages((size_t)p->bytes + 64);
    return true;
}

static void done(product *p)
{
    base_pages_free(p->scratch, (size_t)p->bytes + 64);
    for (int t = 0; t < 3; t++) {
        const ir_type *type_of = t < 2 ? IR_IN(p->e, t) : IR_OUT(p->e, 0);
        base_pages_free(p->arg[t].at, (size_t)ir_bytes(type_of) + 64);
    }
    base_close(p->a);
}

static void run(product *p, int64_t shares)
{
    const int64_t n = p->k.tiles(p->k.self, p->arg);
    memset(p->scratch, 0xff, (size_t)p->bytes + 64);     /* NaNs: what was not packed shows */
    for (int64_t s = 0; s < shares; s++) {
        const run_job j = { 0, p->arg, n * s / shares, n * (s + 1) / shares - n * s / shares, p->scratch, NULL, NULL,
                            NULL };
        if (j.count) p->k.code(p->k.self, &j);
    }
    int torn = 0;
    for (int i = 0; i < 64; i++) torn += ((uint8_t *)p->scratch)[p->bytes + i] != 0xff;
    CHECK(!torn, "%s by %s: writes past its scratch", p->s->l, p->s->r);
}

static int64_t place(const sizes *s, const char *d, const int64_t *at)
{
    int64_t i = 0;
    for (; *d; d++) i = i * size_of(s, *d) + at[strchr(letters, *d) - letters];
    return i;
}

static double value(const ir_box *b, int64_t i)
{
    return b->dtype == TT_F32 ? (double)((float *)b->at)[i] : (double)s_f32_of_bf16(((uint16_t *)b->at)[i]);
}

/* The sum that makes an element of the result, in float64, and the sum of sizes. */
static double sum_of(const product *p, int64_t *at, double *size)
{
    const sizes *s = p->s;
    double sum = 0;
    *size = 0;
    for (at[7] = 0; at[7] < size_of(s, 'h'); at[7]++)
        for (at[6] = 0; at[6] < size_of(s, 'k'); at[6]++) {
            const double v = value(&p->arg[0], place(s, s->l, at)) * value(&p->arg[1], place(s, s->r, at));
            sum += v, *size += fabs(v);
        }
    return sum;
}

/* Every `step`-th element of the result against float64: how many differ; exact: from the rounded sum. */
static int wrong_of(const product *p, int64_t step, bool exact)
{
    int64_t at[8] = { 0 }, n = ir_box_count(&p->arg[2]);
    int wrong = 0;
    for (int64_t i = 0; i < n; i += step) {
        int64_t rest = i;
        double size;
        for (int d = (int)strlen(p->out) - 1; d >= 0; d--) {
            const int64_t of = size_of(p->s, p->out[d]);
            at[strchr(letters, p->out[d]) - letters] = rest % of, rest /= of;
        }
        const double sum = sum_of(p, at, &size), have = value(&p->arg[2], i);
        const bool narrow = p->arg[2].dtype == TT_BF16;
        const double want = narrow ? (double)s_f32_of_bf16(s_bf16_of_f32((float)sum)) : sum;
        const double room = exact ? 0 : size * 0x1p-19 + (narrow ? fabs(want) * 0x1p-7 : 0);
        wrong += !(fabs(have - want) <= room);
    }
    return wrong;
}

static void fill(product *p, bool integers)
{
    uint32_t s = 12345;
    for (int t = 0; t < 2; t++)
        for (int64_t i = 0; i < ir_box_count(&p->arg[t]); i++) {
            s = s * 1664525u + 1013904223u;
            const float x = (float)(int32_t)s * 0x1p-31f;
            ((uint16_t *)p->arg[t].at)[i] = s_bf16_of_f32(integers ? (float)((int)(s >> 24) % 7 - 3)
                                                                   : x * x * x * (float)(1 << (s >> 9 & 7)));
        }
}

static const sizes all[] = {
    /* a, b, m, i, n, j, k, h */
    { "mk", "kn", { 1, 1, 128, 1, 96, 1, 64, 1 } },      { "mk", "nk", { 1, 1, 128, 1, 96, 1, 64, 1 } },
    { "km", "kn", { 1, 1, 128, 1, 96, 1, 64, 1 } },      { "km", "nk", { 1, 1, 161, 1, 130, 1, 700, 1 } },
    { "mk", "kn", { 1, 1, 77, 1, 85, 1, 391, 1 } },      { "km", "nk", { 1, 1, 77, 1, 85, 1, 391, 1 } },
    { "mk", "nk", { 1, 1, 33, 1, 1111, 1, 130, 1 } },    { "km", "kn", { 1, 1, 1111, 1, 33, 1, 131, 1 } },
    { "amk", "akn", { 4, 1, 64, 1, 80, 1, 64, 1 } },     { "kam", "akn", { 3, 1, 47, 1, 48, 1, 63, 1 } },
    { "mak", "nak", { 3, 1, 128, 1, 64, 1, 96, 1 } },    { "mabk", "abnk", { 2, 3, 40, 1, 50, 1, 64, 1 } },
    /* longer than is packed at once, than one chain */
    { "mk", "kn", { 1, 1, 72, 1, 96, 1, 3000, 1 } },     { "km", "nk", { 1, 1, 40, 1, 67, 1, 9001, 1 } },
    { "mk", "kn", { 1, 1, 20, 1, 17, 1, 1153, 1 } },
    /* rows, columns or sums of several dims: heads of attention, and odd ones */
    { "mhik", "nhk", { 1, 1, 4, 32, 96, 1, 64, 3 } },    { "hkm", "hnkj", { 1, 1, 96, 1, 3, 16, 32, 4 } },
    { "hkm", "hnkj", { 1, 1, 60, 1, 5, 9, 7, 5 } },      { "mhik", "nhk", { 1, 1, 3, 17, 40, 1, 9, 11 } },
    { "mhk", "knh", { 1, 1, 50, 1, 60, 1, 13, 6 } },     { "khm", "nhk", { 1, 1, 50, 1, 60, 1, 12, 7 } },
    { "imk", "knj", { 1, 1, 9, 8, 6, 20, 70, 1 } },
    /* A is too large to be packed once */
    { "km", "kn", { 1, 1, 4000, 1, 40, 1, 300, 1 } },    { "mk", "nk", { 1, 1, 4000, 1, 40, 1, 1300, 1 } },
};

static void exact(void)
{
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int t = 0; t < 2; t++)
            for (int real = 0; real < 2; real++) {
                product p;
                if (!make(&p, &all[i], t ? "bf16" : "f32")) return;
                const int64_t n = ir_box_count(&p.arg[2]), step = n > 2000 ? n / 997 : 1;
                fill(&p, !real);
                for (int64_t shares = 1; shares < (real ? 2 : 6); shares += 4) {
                    memset(p.arg[2].at, 0xff, (size_t)ir_bytes(IR_OUT(p.e, 0)));
                    run(&p, shares);
                    const int wrong = wrong_of(&p, step, !real);
                    CHECK(!wrong, "%s by %s of %s, k %d, %s, %d shares: %d of %d elements are wrong", all[i].l,
                          all[i].r, t ? "bf16" : "f32", (int)all[i].size[6], real ? "real" : "integers", (int)shares,
                          wrong, (int)(n / step));
                }
                done(&p);
            }
}

/* What one row or column holds does not matter to others, and shares do not matter to bits. */
static void own_row_and_column(void)
{
    enum { M = 200, N = 150, K = 500 };
    static const sizes s = { "mk", "kn", { 1, 1, M, 1, N, 1, K, 1 } };
    static const uint16_t odd[] = { 0x7f80, 0xff80, 0x7fc0, 0x7f7f };
    product p;
    if (!make(&p, &s, "f32")) return;
    uint16_t *x = p.arg[0].at, *y = p.arg[1].at;
    float *z = p.arg[2].at, *first = base_pages(M * N * sizeof *first);
    fill(&p, false);
    run(&p, 1);
    memcpy(first, z, M * N * sizeof *z);
    for (int64_t shares = 2; shares < 9; shares += 3) {
        memset(z, 1, M * N * sizeof *z);
        run(&p, shares);
        CHECK(!memcmp(first, z, M * N * sizeof *z), "other bits in %d shares", (int)shares);
    }
    for (int t = 0; t < 8; t++) {
        uint16_t *const to = t % 2 ? &y[13 * N + 91] : &x[17 * K + 400], old = *to;
        int bad = 0, finite = 0;
        *to = odd[t / 2];
        run(&p, 3);
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                const bool met = t % 2 ? j == 91 : i == 17;
                if (met) finite += isfinite(z[i * N + j]);
                else bad += memcmp(&z[i * N + j], &first[i * N + j], sizeof *z) != 0;
            }
        CHECK(!bad, "%04x in one %s changed %d elements of others", odd[t / 2], t % 2 ? "column" : "row", bad);
        CHECK(t > 5 || !finite, "%04x in one %s left %d elements finite", odd[t / 2], t % 2 ? "column" : "row", finite);
        *to = old;
    }
    base_pages_free(first, M * N * sizeof *first);
    done(&p);
}

/* ---- operands of float32, rounded while they are packed ---- */

/* The kernel of the product behind conversions of operands, the operands in the group's order: those that are converted
 * first. which: bits of the operands that are of float32. */
static bool make_rounding(const product *p, int which, run_kernel *k, int *first)
{
    const sizes *s = p->s;
    const char *const dims[2] = { dims_of(p->a, s, s->l), dims_of(p->a, s, s->r) };
    base_text t = { .arena = p->a };
    *first = which == 2;
    base_appendf(&t, "fn f(");
    for (int i = 0; i < 2; i++)
        base_appendf(&t, "%sx%d %s[%s]", i ? ", " : "", i ^ *first, which >> (i ^ *first) & 1 ? "f32" : "bf16",
                     dims[i ^ *first]);
    base_appendf(&t, ") {\n");
    for (int i = 0; i < 2; i++) if (which >> i & 1) base_appendf(&t, "y%d = convert x%d {new_dtype=bf16}\n", i, i);
    base_appendf(&t, "z = dot_general %s, %s {lhs_batching_dimensions=[%s], rhs_batching_dimensions=[%s], "
        "lhs_contracting_dimensions=[%s], rhs_contracting_dimensions=[%s], preferred_element_type=f32}\nreturn z }",
        which & 1 ? "y0" : "x0", which & 2 ? "y1" : "x1", places_of(p->a, s->l, "ab"), places_of(p->a, s->r, "ab"),
        places_of(p->a, s->l, "hk"), places_of(p->a, s->r, "hk"));
    const ir_fn *f = ir_parse(p->a, "rounding", t.s);
    CHECK(f, "%s: %s", t.s, f ? "" : prop_error());
    if (!f) return false;
    const ir_eqn **eqn = BASE_NEW(p->a, const ir_eqn *, f->neqn);
    for (uint32_t i = 0; i < f->neqn; i++) eqn[i] = &f->eqn[i];
    const gen_group g = { f->neqn, eqn, 2, 1, BASE_COPY(p->a, ((ir_id[]){ 1, 2 }), 2), f->ret, false };
    CHECK(gen_rounds_operands(eqn[f->neqn - 1], false) || gemm_matrix_unit_here(), "%s: does not round", t.s);
    CHECK(!gen_dot.refuses(&g), "%s: refused: %s", t.s, gen_dot.refuses(&g));
    return gen_dot.make(p->a, &g, k);
}

/* Any bits: denormals, NaNs, infinities, halfway cases, and numbers of usual size. */
static float any_float(uint32_t *s)
{
    static const uint32_t odd[] = {
        0x00000001, 0x007fffff, 0x007f8000, 0x807f7fff, 0x00008000, 0x00800000, 0x7f7fffff,
        0x7f800000, 0x7f800001, 0xffc12345, 0x3f808000, 0x3f818000, 0x3f808001, 0x80000000,
    };
    *s = *s * 1664525u + 1013904223u;
    const uint32_t r = *s >> 8;
    return r % 61 == 0 ? s_from_f32(odd[r / 61 % (sizeof odd / sizeof *odd)]) : (float)(int32_t)*s * 0x1p-31f;
}

/* Fills operands of float32, and those of bf16 with the same numbers rounded. tiny: one operand has denormals, some of
 * which round up to a normal number, the other ones. */
static void fill_wide(const product *p, ir_box *wide, bool tiny)
{
    uint32_t seed = 77;
    for (int t = 0; t < 2; t++)
        for (int64_t e = 0; e < ir_box_count(&p->arg[t]); e++) {
            const float any = any_float(&seed), least = s_from_f32(0x007fff00 | (seed >> 8 & 255));
            const float x = !tiny ? any : wide[t].dtype == TT_F32 && (!t || wide[0].dtype != TT_F32) ? least : 1;
            if (wide[t].dtype == TT_F32) ((float *)wide[t].at)[e] = x;
            ((uint16_t *)p->arg[t].at)[e] = s_bf16_of_f32(x);
        }
}

/* Example i with operands of float32 against the same with operands that were rounded before. */
static void rounded(size_t i, int which, bool tiny)
{
    product p;
    run_kernel k;
    int first;
    if (!make(&p, &all[i], "f32") || !make_rounding(&p, which, &k, &first)) return;
    const int64_t bytes = ir_bytes(IR_OUT(p.e, 0));
    ir_box wide[2] = { p.arg[0], p.arg[1] };
    for (int t = 0; t < 2; t++)
        if (which >> t & 1)
            wide[t].dtype = TT_F32, wide[t].at = base_pages((size_t)ir_box_count(&wide[t]) * sizeof(float) + 64);
    fill_wide(&p, wide, tiny);
    run(&p, 3);
    void *const want = base_pages((size_t)bytes);
    memcpy(want, p.arg[2].at, (size_t)bytes);
    product q = p;
    q.k = k, q.arg[0] = wide[first], q.arg[1] = wide[1 - first];
    q.bytes = k.scratch(k.self, q.arg);
    q.scratch = base_pages((size_t)q.bytes + 64);
    for (int64_t shares = 1; shares < 6; shares += 4) {
        memset(p.arg[2].at, 1, (size_t)bytes);
        run(&q, shares);
        CHECK(!memcmp(want, p.arg[2].at, (size_t)bytes), "%s by %s, rounding %d%s, %d shares: other bits", all[i].l,
              all[i].r, which, tiny ? ", denormals" : "", (int)shares);
    }
    base_pages_free(q.scratch, (size_t)q.bytes + 64);
    base_pages_free(want, (size_t)bytes);
    for (int t = 0; t < 2; t++)
        if (which >> t & 1) base_pages_free(wide[t].at, (size_t)ir_box_count(&wide[t]) * sizeof(float) + 64);
    done(&p);
}

static void rounds_operands(void)
{
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int which = 1; which < 4; which++) rounded(i, which, false), rounded(i, which, true);
}

/* TUTTI=no-bf16 and other instruction sets do without; so do few rows, products that are exact, and other types. */
static void choice(void)
{
    const gemm_isa *const isa = gemm_bf16_here();
    static const char *const off[] = { "no-bf16", "isa:avx2", "isa:base" };
    CHECK(isa && isa->depth == 2, "pairs");
    for (size_t i = 0; i < sizeof off / sizeof *off; i++) {
        base_arena *a = base_open();
        const char **kept = base_switches_keep(a);
        CHECK(base_switches(NULL, off[i]), "%s", off[i]);
        CHECK(!gemm_bf16_here(), "%s leaves pairs on", off[i]);
        base_switches_restore(kept);
        base_close(a);
    }
}

int main(int argc, char **argv)
{
    if (!check_main_one(argc, argv, __FILE__)) return check_done();
    if (!gemm_bf16_here()) {
        CHECK_SKIP("no products of bf16 here");
        return check_done();
    }
    CHECK_RUN(choice());
    CHECK_RUN(exact());
    CHECK_RUN(own_row_and_column());
    CHECK_RUN(rounds_operands());
    return check_done();
}
