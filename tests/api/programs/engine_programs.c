/* engine_programs.c - programs on the devices of a PJRT library: their large constants are arguments, sent once;
 * batches are sent while steps run. PJRT_LIBRARY=FILE: the library. */
#include "engine_word.h"

#include <math.h>
#include <string.h>
#include <tutti.h>
#include <unistd.h>

static const char *word;                                 /* "pjrt:FILE" */

/* ---- constants: a text with one of 8 KiB at each place that %s is ---- */

enum { ROWS = 64, COLUMNS = 32, ELEMENTS = ROWS * COLUMNS };

static const char text[] =
    "module {\n"
    "  func.func public @main(%%x: tensor<64x32xf32>, %%n: tensor<i32>) -> (tensor<64x32xf32>, tensor<64x32xf32>) {\n"
    "    %%c = stablehlo.constant dense<\"0x%s\"> : tensor<64x32xf32>\n"
    "    %%zero = stablehlo.constant dense<0> : tensor<i32>\n"
    "    %%one = stablehlo.constant dense<1> : tensor<i32>\n"
    "    %%r:2 = \"stablehlo.while\"(%%zero, %%x) ({\n"
    "    ^bb0(%%i: tensor<i32>, %%v: tensor<64x32xf32>):\n"
    "      %%less = \"stablehlo.compare\"(%%i, %%n) <{comparison_direction = #stablehlo<comparison_direction LT>}>"
    " : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "      \"stablehlo.return\"(%%less) : (tensor<i1>) -> ()\n"
    "    }, {\n"
    "    ^bb0(%%i: tensor<i32>, %%v: tensor<64x32xf32>):\n"
    "      %%d = stablehlo.constant dense<\"0x%s\"> : tensor<64x32xf32>\n"
    "      %%w = stablehlo.add %%v, %%d : tensor<64x32xf32>\n"
    "      %%next = stablehlo.add %%i, %%one : tensor<i32>\n"
    "      \"stablehlo.return\"(%%next, %%w) : (tensor<i32>, tensor<64x32xf32>) -> ()\n"
    "    }) : (tensor<i32>, tensor<64x32xf32>) -> (tensor<i32>, tensor<64x32xf32>)\n"
    "    %%s = \"stablehlo.case\"(%%n) ({\n"
    "      \"stablehlo.return\"(%%x) : (tensor<64x32xf32>) -> ()\n"
    "    }, {\n"
    "      %%e = stablehlo.constant dense<\"0x%s\"> : tensor<64x32xf32>\n"
    "      %%f = stablehlo.multiply %%x, %%e : tensor<64x32xf32>\n"
    "      \"stablehlo.return\"(%%f) : (tensor<64x32xf32>) -> ()\n"
    "    }) : (tensor<i32>) -> tensor<64x32xf32>\n"
    "    %%y = func.call @twice(%%s) : (tensor<64x32xf32>) -> tensor<64x32xf32>\n"
    "    %%z = func.call @twice(%%y) : (tensor<64x32xf32>) -> tensor<64x32xf32>\n"
    "    %%t = stablehlo.add %%z, %%c : tensor<64x32xf32>\n"
    "    func.return %%r#1, %%t : tensor<64x32xf32>, tensor<64x32xf32>\n"
    "  }\n"
    "  func.func private @twice(%%x: tensor<64x32xf32>) -> tensor<64x32xf32> {\n"
    "    %%e = stablehlo.constant dense<\"0x%s\"> : tensor<64x32xf32>\n"
    "    %%y = stablehlo.subtract %%x, %%e : tensor<64x32xf32>\n"
    "    func.return %%y : tensor<64x32xf32>\n"
    "  }\n"
    "}\n";

static float element(int which, int i) { return (float)((i * 7 + which * 3) % 11) / 8; }

static void spell(int which, char *to)
{
    for (int i = 0; i < ELEMENTS; i++) {
        const float v = element(which, i);
        const unsigned char *const p = (const unsigned char *)&v;
        for (int k = 0; k < 4; k++) to += snprintf(to, 3, "%02X", p[k]);
    }
}

/* The text's function with the constants number `first` and the three after it; the last one is equal to the third. */
static tt_fn with_constants(int first)
{
    static char part[3][ELEMENTS * 8 + 1], all[sizeof text + 4 * sizeof *part];
    for (int k = 0; k < 3; k++) spell(first + k, part[k]);
    snprintf(all, sizeof all, text, part[0], part[1], part[2], part[2]);
    return tt_import(all);
}

static double worst(int first, const float *v, const float *r, const float *t)
{
    double most = 0;
    for (int i = 0; i < ELEMENTS; i++) {
        const double c = element(first, i), d = element(first + 1, i), e = element(first + 2, i);
        const double one = fabs(v[i] + 3 * d - r[i]), two = fabs(v[i] * e - 2 * e + c - t[i]);
        most = most < one ? one : most < two ? two : most;
    }
    return most;
}

static void called(int first, const char *spec, const char *axes)
{
    static float v[ELEMENTS], r[ELEMENTS], t[ELEMENTS];
    for (int i = 0; i < ELEMENTS; i++) v[i] = (float)(i % 17) / 4;
    const tt_val x = tt_array(TT_F32, v, ROWS, COLUMNS), y = spec ? tt_shard(x, tt_mesh(axes), spec) : x;
    const tt_val all = tt_call(tt_jit(with_constants(first)), y, tt_i(3));
    tt_read(tt_item(all, 0), r, sizeof r);
    tt_read(tt_item(all, 1), t, sizeof t);
    const double most = worst(first, v, r, t);
    CHECK(tt_ok() && most < 1e-6, "constants from %d, %s: %g, %s", first, spec ? spec : "one device", most, tt_error());
}

static void constants(void)
{
    const tt_transfers before = tt_transfers_now();
    called(0, NULL, NULL);
    const tt_transfers once = tt_transfers_now();
    const int64_t first = once.to_device_bytes - before.to_device_bytes;
    CHECK(first >= 4 * ELEMENTS * 4, "x and three constants: %lld bytes", (long long)first);
    called(0, NULL, NULL);
    const int64_t second = tt_transfers_now().to_device_bytes - once.to_device_bytes;
    CHECK(second == first - 3 * ELEMENTS * 4, "%lld bytes, and %lld at the second call", (long long)first,
          (long long)second);
    called(1, NULL, NULL);                               /* other elements in the same program */
    called(0, "data, _", "data:4");
    called(3, "data, model", "data:2, model:4");
    called(3, "_, model", "data:2, model:4");
}

/* In a region that sees each device's rows: checked, where types say over which axes copies differ, and not. */
static tt_fn imported;
static tt_val on_part(tt_val x) { return tt_call(imported, x); }

static tt_fn with_one(int which)
{
    static char part[ELEMENTS * 8 + 1], all[sizeof part + 400];
    spell(which, part);
    snprintf(all, sizeof all,
             "module {\n  func.func public @main(%%x: tensor<64x32xf32>) -> tensor<64x32xf32> {\n"
             "    %%c = stablehlo.constant dense<\"0x%s\"> : tensor<64x32xf32>\n"
             "    %%y = stablehlo.multiply %%x, %%c : tensor<64x32xf32>\n"
             "    func.return %%y : tensor<64x32xf32>\n  }\n}\n", part);
    return tt_import(all);
}

static void constants_in_regions(void)
{
    static float v[4 * ELEMENTS], t[4 * ELEMENTS];
    const tt_mesh m = tt_mesh("data:4");
    for (int i = 0; i < 4 * ELEMENTS; i++) v[i] = (float)(i % 13) / 4;
    const tt_val x = tt_shard(tt_array(TT_F32, v, 4 * ROWS, COLUMNS), m, "data, _");
    tt_wait(x);
    for (int k = 0; k < 2; k++) {
        double most = 0;
        imported = with_one(20 + k);
        const tt_fn part = tt_shard_map(on_part, .mesh = m, .in = "data, _", .out = "data, _", .unchecked = k);
        const int64_t before = tt_transfers_now().to_device_bytes;
        const tt_val y = tt_call(tt_jit(part), x);
        const int64_t sent = tt_transfers_now().to_device_bytes - before;
        tt_read(y, t, sizeof t);
        for (int i = 0; i < 4 * ELEMENTS; i++) most = fmax(most, fabs(v[i] * element(20 + k, i % ELEMENTS) - t[i]));
        CHECK(tt_ok() && most < 1e-6 && sent == ELEMENTS * 4, "a constant in a region: %g, %lld bytes sent, %s", most,
              (long long)sent, tt_error());
        tt_clear();
    }
}

/* ---- batches are sent in advance ---- */

static tt_val step(tt_val w, tt_val x) { return tt_add(w, tt_sum(x)); }

/* True if so many transfers to devices come within 20 seconds, without a call that asks for them. */
static bool come(int64_t transfers)
{
    for (int i = 0; i < 2000 && tt_transfers_now().to_device < transfers; i++) usleep(10000);
    return tt_transfers_now().to_device == transfers;
}

static void batches(void)
{
    enum { DEVICES = 4, PARTS = 2, AHEAD = 2, BATCHES = 6, ROWS_EACH = 64 };
    const tt_mesh m = tt_mesh("data:4");
    const tt_val x = tt_reshape(tt_arange(TT_F32, BATCHES * ROWS_EACH * 32), BATCHES * ROWS_EACH, 32);
    const tt_data set = tt_dataset(tt_dict("x", x, "y", tt_arange(TT_I32, BATCHES * ROWS_EACH)), .batch = ROWS_EACH,
                                   .ahead = AHEAD, .mesh = m);
    tt_val w = tt_shard(tt_f(0), m, "");
    const tt_fn f = tt_jit(step);
    tt_wait(tt_call(f, w, tt_shard(tt_zeros(TT_F32, ROWS_EACH, 32), m, "data")));
    const int64_t each = DEVICES * PARTS;
    const tt_transfers before = tt_transfers_now();
    tt_loop it = tt_batches(set);
    for (int64_t i = 0; tt_next(&it); i++) {
        const int64_t sent = i + 1 + AHEAD < BATCHES ? i + 1 + AHEAD : BATCHES;
        tt_assign(&w, tt_call(f, w, tt_get(it.batch, "x")));
        CHECK(come(before.to_device + sent * each), "batch %lld: %lld transfers", (long long)i,
              (long long)(tt_transfers_now().to_device - before.to_device));
        CHECK(!strcmp(tt_spec(tt_get(it.batch, "x")), "data, _"), "%s", tt_spec(tt_get(it.batch, "x")));
    }
    const tt_transfers after = tt_transfers_now();
    CHECK(after.to_host == before.to_host, "%lld transfers to the host", (long long)(after.to_host - before.to_host));
    const double n = (double)BATCHES * ROWS_EACH * 32;
    CHECK(fabs(tt_num(w) / (n * (n - 1) / 2) - 1) < 1e-5, "%g of %g, %s", tt_num(w), n * (n - 1) / 2, tt_error());
}

/* ---- linear algebra that the library's compiler does not have ---- */

enum { MOST = 3 * 150 * 150 };
typedef struct { int batch, m, n; } shape;

static tt_val factors(tt_val a) { return tt_lu(a); }
static tt_val singular(tt_val a) { return tt_svd(a); }
static tt_val singular_full(tt_val a) { return tt_svd(a, .full = 1); }

/* Reads leaf i of what f makes of the matrices on an engine. */
static void computed(const char *engine, tt_val (*f)(tt_val), const float *a, shape z, int i, void *to, size_t bytes)
{
    CHECK(tt_engine(engine), "%s", tt_error());
    const tt_scope scope = tt_scope_open();
    tt_read(tt_item(tt_call(tt_jit(f), tt_array(TT_F32, a, z.batch, z.m, z.n)), i), to, bytes);
    tt_scope_close(scope);
    CHECK(tt_ok(), "%s", tt_error());
}

static void lu_of(const float *a, shape z)
{
    static float here[MOST], there[MOST];
    static int p[2][512];
    const int n = z.batch * z.m * z.n, k = z.batch * (z.m < z.n ? z.m : z.n), rows = z.batch * z.m;
    double most = 0;
    int wrong = 0;
    for (int j = 0; j < 3; j++) {
        const size_t bytes = (size_t)(j == 0 ? n : j == 1 ? k : rows) * 4;
        computed("cpu", factors, a, z, j, j ? (void *)p[0] : here, bytes);
        computed(word, factors, a, z, j, j ? (void *)p[1] : there, bytes);
        if (j) wrong += memcmp(p[0], p[1], bytes) != 0;
    }
    for (int i = 0; i < n; i++) most = fmax(most, fabs(here[i] - there[i]) / (1 + fabs(here[i])));
    CHECK(most < 2e-4 && !wrong, "lu of %dx%dx%d: %g, %d lists of rows differ", z.batch, z.m, z.n, most, wrong);
}

/* The largest element of x' x - 1, for x of k columns that are `step` apart, with elements `unit` apart. */
static double not_orthonormal(const float *x, int k, int step, int n, int unit)
{
    double most = 0;
    for (int i = 0; i < k; i++)
        for (int j = 0; j <= i; j++) {
            double s = i == j ? -1 : 0;
            for (int r = 0; r < n; r++) s += (double)x[i * step + r * unit] * x[j * step + r * unit];
            most = fmax(most, fabs(s));
        }
    return most;
}

static void svd_of(const float *a, shape z, bool full)
{
    static float u[MOST], v[MOST], s[512], known[512];
    const int k = z.m < z.n ? z.m : z.n, uc = full ? z.m : k, vc = full ? z.n : k;
    double apart = 0, values = 0, ortho = 0;
    computed("cpu", singular, a, z, 1, known, (size_t)(z.batch * k) * 4);
    computed(word, full ? singular_full : singular, a, z, 0, u, (size_t)(z.batch * z.m * uc) * 4);
    computed(word, full ? singular_full : singular, a, z, 1, s, (size_t)(z.batch * k) * 4);
    computed(word, full ? singular_full : singular, a, z, 2, v, (size_t)(z.batch * vc * z.n) * 4);
    for (int b = 0; b < z.batch; b++) {
        const float *const ub = u + b * z.m * uc, *const vb = v + b * vc * z.n, *const sb = s + b * k;
        const double scale = known[b * k] > 0 ? known[b * k] : 1;
        for (int i = 0; i < k; i++) values = fmax(values, fabs(sb[i] - known[b * k + i]) / scale);
        ortho = fmax(ortho, fmax(not_orthonormal(ub, uc, 1, z.m, uc), not_orthonormal(vb, vc, z.n, z.n, 1)));
        for (int i = 0; i < z.m; i++)
            for (int j = 0; j < z.n; j++) {
                double x = -a[(b * z.m + i) * z.n + j];
                for (int r = 0; r < k; r++) x += (double)ub[i * uc + r] * sb[r] * vb[r * z.n + j];
                apart = fmax(apart, fabs(x) / scale);
            }
    }
    CHECK(values < 1e-5 && ortho < 1e-5 && apart < 1e-5, "svd of %dx%dx%d%s: values %g, U and V %g, product %g",
          z.batch, z.m, z.n, full ? ", full" : "", values, ortho, apart);
}

/* u s v' - a, and l u - a with rows in order, on the devices: of complex numbers, and of batches in parts. */
static tt_val svd_error(tt_val a)
{
    const tt_val y = tt_svd(a), s = tt_expand_dims(tt_item(y, 1), -2);
    return tt_amax(tt_abs(tt_sub(tt_matmul(tt_mul(tt_item(y, 0), s), tt_item(y, 2)), a)));
}

static tt_val solve_error(tt_val a) { return tt_amax(tt_abs(tt_sub(tt_matmul(tt_inv(a), a), tt_eye(TT_F32, 6)))); }

static tt_val off(tt_val x, tt_val y) { return tt_amax(tt_abs(tt_sub(x, y))); }
static tt_val across(tt_val x) { return tt_conj(tt_transpose(x, 0, 2, 1)); }
static tt_val rebuilt(tt_val z, tt_val t) { return tt_matmul(tt_matmul(z, t), across(z)); }
static tt_val unit_error(tt_val z) { return off(tt_matmul(z, across(z)), tt_eye(tt_dtype_of(z), tt_dim(z, 1))); }

/* Of the forms that need loops over rows: z t z' - a and z z' - 1, a v - v w, q r - a in order. */
static tt_val forms_error(tt_val a)
{
    const tt_val s = tt_schur(a), h = tt_hessenberg(a), f = tt_qr_pivoted(a), g = tt_eig(a), v = tt_item(g, 1);
    const tt_val order = tt_one_hot(tt_item(f, 2), tt_dim(a, 2), tt_dtype_of(a));
    tt_val y = tt_max(off(rebuilt(tt_item(s, 1), tt_item(s, 0)), a), unit_error(tt_item(s, 1)));
    y = tt_max(y, tt_max(off(rebuilt(tt_item(h, 1), tt_item(h, 0)), a), unit_error(tt_item(h, 1))));
    y = tt_max(y, off(tt_matmul(tt_item(f, 0), tt_item(f, 1)), tt_matmul(a, tt_transpose(order, 0, 2, 1))));
    y = tt_max(y, unit_error(tt_item(f, 0)));
    return tt_max(y, off(tt_matmul(tt_cast(a, TT_C64), v), tt_mul(v, tt_expand_dims(tt_item(g, 0), 1))));
}

/* z T z' x = a for (a + a') / 2 = z T z', by T y = z' a: the residual. */
static tt_val three_error(tt_val a)
{
    const tt_val t = tt_tridiagonal(a), z = tt_item(t, 2), d = tt_cast(tt_item(t, 0), tt_dtype_of(a));
    const tt_val e = tt_cast(tt_item(t, 1), tt_dtype_of(a)), whole = tt_mul(tt_add(a, across(a)),
        tt_cast(tt_f(0.5), tt_dtype_of(a)));
    const tt_val low = tt_pad_with(e, "0:0, 1:0"), high = tt_pad_with(e, "0:0, 0:1");
    const tt_val x = tt_matmul(z, tt_tridiagonal_solve(low, d, high, tt_matmul(across(z), a)));
    return tt_max(unit_error(z), tt_div(off(tt_matmul(whole, x), a), tt_amax(tt_abs(x))));
}

static void algebra_on_devices(void)
{
    CHECK(tt_engine(word), "%s", tt_error());
    const tt_val re = tt_normal(tt_key(1), TT_F32, 4, 6, 6), im = tt_normal(tt_key(2), TT_F32, 4, 6, 6);
    const tt_val c = tt_complex(re, im), parts = tt_shard(re, tt_mesh("data:4, model:2"), "data, _, _");
    const tt_val all[] = { tt_call(tt_jit(svd_error), c), tt_call(tt_jit(svd_error), parts),
                           tt_call(tt_jit(solve_error), c), tt_call(tt_jit(solve_error), parts),
                           tt_call(tt_jit(forms_error), c), tt_call(tt_jit(forms_error), parts),
                           tt_call(tt_jit(three_error), c), tt_call(tt_jit(three_error), parts) };
    const tt_val wide = tt_reshape(tt_complex(re, im), 8, 3, 6);
    for (int i = 0; i < 8; i++) CHECK(tt_num(all[i]) < (i < 4 ? 2e-4 : 5e-5), "%d: %g, %s", i, tt_num(all[i]),
        tt_error());
    CHECK(tt_num(tt_call(tt_jit(svd_error), wide)) < 1e-4, "wide: %s", tt_error());
    tt_val p[2];
    for (int i = 0; i < 2; i++) p[i] = tt_pinv(i ? re : tt_reshape(re, 8, 3, 6));
    CHECK(tt_ok() && !strcmp(tt_type_text(p[0]), "f32[8, 6, 3]"), "%s", tt_error());
}

static void algebra(void)
{
    static const shape of[] = { { 1, 3, 3 }, { 2, 1, 1 }, { 1, 5, 7 }, { 2, 7, 4 }, { 1, 130, 130 }, { 1, 70, 66 },
                                { 2, 24, 18 }, { 2, 20, 33 }, { 1, 1, 4 } };
    static float a[MOST];
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        const int n = of[i].batch * of[i].m * of[i].n;
        CHECK(tt_engine("cpu"), "%s", tt_error());
        tt_read(tt_normal(tt_key(7 + (int)i), TT_F32, n), a, (size_t)n * 4);
        lu_of(a, of[i]);
        if (of[i].m > 100) continue;                     /* LU has several panels there; XLA's loops are slow */
        svd_of(a, of[i], false);
        svd_of(a, of[i], true);
        for (int j = 0; j < n; j++) a[j] = (float)(j % of[i].n % 2 + 1);     /* of rank 2 */
        if (of[i].m < 50) svd_of(a, of[i], false);
        memset(a, 0, sizeof a);
        if (of[i].m < 50) lu_of(a, of[i]), svd_of(a, of[i], true);
    }
    for (int i = 0; i < 9; i++) a[i] = i == 4 ? INFINITY : (float)i;
    float s[3] = { 0 };
    computed(word, singular, a, of[0], 1, s, sizeof s);
    CHECK(isnan(s[0]) && isnan(s[2]), "of an infinite number: %g, %g", s[0], s[2]);
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    if (!(word = engine_word())) return check_done();
    CHECK(tt_engine(word), "%s", tt_error());
    CHECK_RUN(constants());
    CHECK_RUN(constants_in_regions());
    CHECK_RUN(batches());
    CHECK_RUN(algebra());
    CHECK_RUN(algebra_on_devices());
    CHECK(tt_done() == 0, "%s", tt_error());
    return check_done();
}
