/* engine_programs.c - programs on the devices of a PJRT library: their large constants are arguments, sent once;
 * batches are sent while steps run. PJRT_LIBRARY=FILE: the library. */
#include "check.h"

#include <math.h>
#include <tutti.h>
#include <unistd.h>

static char word[4300];                                  /* "pjrt:FILE" */

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

int main(int argc, char **argv)
{
    const char *const library = getenv("PJRT_LIBRARY");
    check_main(argc, argv);
    if (!library) CHECK_SKIP("no library of PJRT (PJRT_LIBRARY)");
    snprintf(word, sizeof word, "pjrt:%s", library ? library : "");
    if (!library) return check_done();
    CHECK(tt_engine(word), "%s", tt_error());
    CHECK_RUN(constants());
    CHECK_RUN(batches());
    CHECK(tt_done() == 0, "%s", tt_error());
    return check_done();
}
