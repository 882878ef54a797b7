/* precision.c - how exact products of float32 are: the words, what is in force, who keeps them (transforms, passes,
 * StableHLO), and that "highest" is made of no parts where the machine has a matrix unit, nor by Winograd's way. */
#include <tutti.h>

#include "api/api_check.h"
#include "gen/matmul/gemm.h"
#include "pass/pass.h"

static const char *const words[] = { "default", "high", "highest" };

static tt_val drawn(int64_t key, int64_t m, int64_t n) { return tt_normal(tt_key(key), TT_F32, m, n); }
static tt_val images(void) { return tt_normal(tt_key(1), TT_F32, 8, 32, 32, 32); }
static tt_val window(void) { return tt_normal(tt_key(2), TT_F32, 3, 3, 32, 32); }

static int count(const char *text, const char *part)
{
    int n = 0;
    for (const char *s = text; (s = strstr(s, part)); s++) n++;
    return n;
}

/* True if the text has so many products, all of them in that word; "": they say none. */
static bool all_are(const char *text, int products, const char *word)
{
    char part[64];
    snprintf(part, sizeof part, "#stablehlo<precision %s>", word);
    const int n = count(text, "\"stablehlo.dot_general\"(") + count(text, "\"stablehlo.convolution\"("),
              any = count(text, "#stablehlo<precision "), those = count(text, part);
    const bool good = tt_ok() && n == products && any == those && those == (*word ? 2 * products : 0);
    if (!good) printf("  %d products, %d words, %d of them %s, in\n%s%s\n", n, any, those, word, text, tt_error());
    tt_clear();
    return good;
}

/* ---- words ---- */

static tt_val exactly(tt_val x, tt_val w) { return tt_matmul(x, w, .precision = "highest"); }
static tt_val highly(tt_val x, tt_val w) { return tt_dot(x, w, .sum = "1:0", .precision = "high"); }
static tt_val usually(tt_val x, tt_val w) { return tt_matmul(x, w, .precision = "default"); }
static tt_val silent(tt_val x, tt_val w) { return tt_matmul(x, w); }
static tt_val convolved(tt_val x, tt_val w) { return tt_convolve(x, w, .precision = "highest"); }
static tt_val plain(tt_val x, tt_val w) { return tt_convolve(x, w); }
static tt_val summed(tt_val x, tt_val w) { return tt_einsum("ik,kj->ij", x, w); }

static tt_val net(tt_nn m, tt_val x)
{
    x = tt_conv(m, "c", x, 4, .window = { 3, 3 }, .precision = "highest");
    return tt_dense(m, "d", tt_flatten(x, 1), 2, .lora = 1, .precision = "highest");
}
static tt_val applied(tt_val vars, tt_val x) { return tt_apply(net, vars, x); }

static void options(void)
{
    const tt_val x = drawn(0, 4, 4);
    CHECK(all_are(tt_export(exactly, x, x), 1, "HIGHEST"), "tt_matmul");
    CHECK(all_are(tt_export(highly, x, x), 1, "HIGH"), "tt_dot");
    CHECK(all_are(tt_export(usually, x, x), 1, ""), "the usual one is not written");
    CHECK(all_are(tt_export(silent, x, x), 1, ""), "nothing said");
    CHECK(all_are(tt_export(convolved, images(), window()), 1, "HIGHEST"), "tt_convolve");
    const tt_val small = tt_normal(tt_key(3), TT_F32, 2, 4, 4, 3);
    CHECK(all_are(tt_export(applied, tt_init(net, tt_key(0), small), small), 4, "HIGHEST"), "layers");
}

static void wrong_words(void)
{
    const tt_val x = drawn(0, 4, 4), p = tt_normal(tt_key(3), TT_F32, 2, 4, 4, 3), k = tt_ones(TT_F32, 3, 3, 3, 3);
    tt_matmul(x, x, .precision = "hihgest");
    CHECK(failed("matmul: .precision \"hihgest\" is unknown"), "a wrong word");
    tt_matmul(x, x, .precision = "hihgest");
    CHECK(failed("did you mean \"highest\"? The words are: default, high, highest"), "what was meant");
    tt_matmul(x, x, .precision = "float32");
    CHECK(failed("hint: the words are: default, high, highest"), "all words");
    tt_dot(x, x, .sum = "1:0", .precision = "HIGH");
    CHECK(failed("dot: .precision \"HIGH\" is unknown"), "words are small letters");
    tt_convolve(p, k, .precision = "");
    CHECK(failed("convolve: .precision \"\" is unknown"), "no word");
    tt_matmul(x, x, .precision = 0);
    CHECK(failed("matmul: .precision = 0 is C's null pointer"), "a number");
    CHECK(tt_count(tt_matmul(x, x, .precision = NULL)) == 16 && tt_ok(), "NULL is the default");
}

/* ---- what is in force ---- */

static void in_force(void)
{
    const tt_val x = drawn(0, 4, 4);
    CHECK(!strcmp(tt_precision(), "default"), "at first");
    for (TT_PRECISION("highest")) {
        CHECK(!strcmp(tt_precision(), "highest"), "within");
        CHECK(all_are(tt_export(summed, x, x), 1, "HIGHEST"), "of tt_einsum");
        CHECK(all_are(tt_export(highly, x, x), 1, "HIGH"), "an option goes before it");
        CHECK(all_are(tt_export(usually, x, x), 1, ""), "\"default\" is an option, too");
        tt_set_precision("hihgest");
        CHECK(failed("tt_set_precision(\"hihgest\")") && !strcmp(tt_precision(), "highest"), "it changes nothing");
        for (TT_PRECISION("high")) CHECK(all_are(tt_export(silent, x, x), 1, "HIGH"), "the inner one");
        for (TT_PRECISION("low")) CHECK(failed("the word \"low\" is unknown"), "a wrong inner one");
        CHECK(!strcmp(tt_precision(), "highest"), "behind them");
    }
    CHECK(!strcmp(tt_precision(), "default") && all_are(tt_export(summed, x, x), 1, ""), "behind it");
    tt_config("precision:high");
    CHECK(!strcmp(tt_precision(), "high") && all_are(tt_export(silent, x, x), 1, "HIGH"), "the switch");
    base_switch_off("precision");
    CHECK(!tt_config("precision:best") && failed("the words are: default, high, highest"), "a wrong switch");
}

/* Derivatives of linear algebra, which is computed as exactly as its type allows, have products of that kind, as in
 * JAX. */
static tt_val total(tt_val x) { return tt_sum(tt_square(x)); }
static tt_val symmetric(tt_val x) { return tt_add(tt_add(x, tt_transpose(x)), tt_mul(tt_eye(TT_F32, 4), tt_f(9))); }
static tt_val cholesky(tt_val x) { return total(tt_cholesky(symmetric(x))); }
static tt_val qr(tt_val x) { return total(tt_item(tt_qr(x), 0)); }
static tt_val lu(tt_val x) { return total(tt_item(tt_lu(x), 0)); }
static tt_val eigh(tt_val x) { return tt_sum(tt_item(tt_eigh(symmetric(x)), 1)); }
static tt_val svd(tt_val x) { return total(tt_item(tt_svd(x), 0)); }
static tt_val solve(tt_val x) { return total(tt_solve(x, x)); }
static tt_val pinv(tt_val x) { return total(tt_pinv(x)); }

static void of_algebra(void)
{
    const tt_fn all[] = { tt_grad(cholesky), tt_grad(qr), tt_grad(lu), tt_grad(eigh), tt_grad(svd), tt_grad(solve),
                          tt_grad(pinv) };
    const tt_val x = drawn(7, 4, 4);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const char *const text = tt_export(all[i], x);
        const int n = count(text, "\"stablehlo.dot_general\"(");
        CHECK(n > 0 && all_are(text, n, "HIGHEST"), "derivative %d: %s", (int)i, tt_error());
    }
}

static int traced;
static tt_val tracing(tt_val x, tt_val w)
{
    traced++;
    return tt_matmul(x, w);
}

static void of_jit(void)                                 /* a trace for each word, kept */
{
    const tt_fn f = tt_jit(tracing);
    const tt_val x = drawn(0, 4, 4);
    for (int turn = 0; turn < 2; turn++)
        for (int i = 0; i < 3; i++) for (TT_PRECISION(words[i])) tt_call(f, x, x);
    CHECK(traced == 3 && tt_ok(), "traced %d times: %s", traced, tt_error());
}

/* ---- who keeps them ---- */

static tt_val loss(tt_val x, tt_val w) { return tt_sum(tt_square(exactly(x, w))); }
static tt_val conv_loss(tt_val x, tt_val w) { return tt_sum(tt_square(convolved(x, w))); }
static tt_val rows(tt_val x, tt_val w) { return tt_call(tt_vmap(exactly), x, w); }
static tt_val shared(tt_val x, tt_val w) { return tt_call(tt_vmap(exactly, .in = "0; _"), x, w); }
static tt_val conv_rows(tt_val x, tt_val w) { return tt_call(tt_vmap(convolved), x, w); }

static void transforms(void)
{
    const tt_val x = drawn(0, 4, 4), three = tt_normal(tt_key(1), TT_F32, 3, 4, 4);
    const tt_val p = tt_normal(tt_key(3), TT_F32, 2, 6, 6, 3), k = tt_ones(TT_F32, 3, 3, 3, 3);
    const tt_val ps = tt_stack_values(0, p, p), ks = tt_stack_values(0, k, k);
    CHECK(all_are(tt_export(tt_grad(loss, .wrt = "0, 1"), x, x), 3, "HIGHEST"), "both transposed products");
    CHECK(all_are(tt_export(tt_grad(conv_loss, .wrt = "0, 1"), p, k), 3, "HIGHEST"), "both transposed convolutions");
    CHECK(all_are(tt_export(rows, three, three), 1, "HIGHEST"), "vmap");
    CHECK(all_are(tt_export(shared, three, x), 1, "HIGHEST"), "vmap of one side");
    CHECK(all_are(tt_export(conv_rows, ps, ks), 1, "HIGHEST"), "vmap of convolutions");
    CHECK(all_are(tt_export(tt_jvp(exactly), tt_tuple(x, x), tt_tuple(x, x)), 3, "HIGHEST"), "jvp");
}

static void becomes(const char *text, int products, const char *part)
{
    base_arena *a = base_open();
    const ir_fn *f = ir_parse(a, "t", text), *g = f ? pass_simplify(a, f) : NULL;
    const char *said = g ? ir_print(a, g) : "";
    CHECK(count(said, "dot_general") == products && strstr(said, part), "%s\nfrom\n%s", said, text);
    base_close(a);
}

#define DOT(out, more) out " = dot_general x, y {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], " \
                           "preferred_element_type=f32" more "}\n"
static void passes(void)
{
    becomes("fn f(x f32[2,2], y f32[2,2]) {\n" DOT("a", ", precision=highest") DOT("b", ", precision=highest")
            "c = add a, b\nreturn c\n}", 1, "precision=highest");
    becomes("fn f(x f32[2,2], y f32[2,2]) {\n" DOT("a", ", precision=highest") DOT("b", ", precision=default")
            "c = add a, b\nreturn c\n}", 2, "preferred_element_type=f32}\n");
    becomes("fn f(x f32[2,3], y f32[3,4]) {\n" DOT("a", ", precision=high") "b = transpose a {permutation=[1,0]}\n"
            "return b\n}", 1, "v2, v1 {lhs_contracting_dimensions=[0], rhs_contracting_dimensions=[1], "
                              "preferred_element_type=f32, precision=high}");
}

/* ---- StableHLO ---- */

static const char *again(const char *how, const char *word)        /* what is written of what was read */
{
    static char text[2048];
    snprintf(text, sizeof text,
             "module @m {\n func.func public @main(%%x: tensor<2x2xf32>) -> tensor<2x2xf32> {\n  %%y = "
             "stablehlo.dot_general %%x, %%x, contracting_dims = [1] x [0]%s : (tensor<2x2xf32>, tensor<2x2xf32>) -> "
             "tensor<2x2xf32>\n  return %%y : tensor<2x2xf32>\n }\n}\n", how);
    const char *out = tt_export(tt_import(text), tt_zeros(TT_F32, 2, 2));
    CHECK(all_are(out, 1, word), "%s", how);
    const char *twice = tt_export(tt_import(out), tt_zeros(TT_F32, 2, 2));
    CHECK(!strcmp(out, twice), "%s: written again it is another", how);
    return out;
}

#define ALGORITHM(type, times)                                                                                         \
    ", precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = " type ", rhs_precision_type = " type         \
    ", accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = " times   \
    ", allow_imprecise_accumulation = false>"

static void texts(void)
{
    again("", "");
    again(", precision = [DEFAULT, DEFAULT]", "");
    again(", precision = [HIGH, HIGH]", "HIGH");
    again(", precision = [DEFAULT, HIGHEST]", "HIGHEST");
    again(", precision = [HIGHEST, HIGH]", "HIGHEST");
    again(ALGORITHM("f32", "1"), "HIGHEST");
    again(ALGORITHM("bf16", "9"), "HIGHEST");
    again(ALGORITHM("bf16", "3"), "HIGH");
    again(ALGORITHM("tf32", "1"), "HIGH");
    again(ALGORITHM("bf16", "1"), "");
    CHECK(strstr(again(", precision = [HIGHEST, HIGHEST]", "HIGHEST"),
                 ", precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]}"), "as JAX");
    const tt_val p = tt_normal(tt_key(3), TT_F32, 2, 6, 6, 3), k = tt_ones(TT_F32, 3, 3, 3, 3);
    const char *once = tt_export(convolved, p, k), *twice = tt_export(tt_import(once), p, k);
    CHECK(all_are(twice, 1, "HIGHEST"), "a convolution, read again");
}

/* ---- kernels ---- */

static tt_val made(tt_val (*f)(tt_val, tt_val), tt_val x, tt_val w, const char *without)
{
    if (without) tt_config(without);
    tt_clear_caches();
    const tt_val y = tt_call(tt_jit(f), x, w);
    tt_wait(y);
    if (without) base_switch_off(without);
    return y;
}

static bool same(tt_val x, tt_val y)
{
    const size_t bytes = tt_bytes(x);
    void *p = malloc(bytes), *q = malloc(bytes);
    const bool yes = tt_read(x, p, bytes) && tt_read(y, q, bytes) && !memcmp(p, q, bytes);
    free(p);
    free(q);
    return yes;
}

/* "highest" gives the bits of the kernels that are left without; the usual one others. */
static void differs(const char *what, tt_val (*usual)(tt_val, tt_val), tt_val (*whole)(tt_val, tt_val), tt_val x,
                    tt_val w, const char *without)
{
    const tt_val best = made(whole, x, w, NULL);
    CHECK(!same(made(usual, x, w, NULL), best), "%s: highest is as the usual one", what);
    CHECK(same(made(usual, x, w, without), best), "%s: highest is not as with %s", what, without);
    CHECK(tt_ok(), "%s: %s", what, tt_error());
}

static void on_unit(void)
{
    if (!gemm_matrix_unit_here()) {
        CHECK(same(made(silent, drawn(0, 256, 256), drawn(1, 256, 256), NULL),
                   made(exactly, drawn(0, 256, 256), drawn(1, 256, 256), NULL)), "there are no parts, yet they differ");
        CHECK_SKIP("no matrix unit here");
        return;
    }
    gen_matrix_unit_used();
    differs("a product", silent, exactly, drawn(0, 256, 256), drawn(1, 256, 256), "no-amx");
    differs("a convolution", plain, convolved, images(), window(), "no-amx");
    CHECK(gen_matrix_unit_used(), "nobody said that the unit was used");
    made(exactly, drawn(0, 256, 256), drawn(1, 256, 256), NULL);
    made(convolved, images(), window(), NULL);
    CHECK(!gen_matrix_unit_used(), "the unit was used for \"highest\"");
}

static bool has_avx2(void)
{
#if defined __x86_64__
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

static void by_winograd(void)                            /* where windows take fewer products than they have taps */
{
    if (!has_avx2()) {
        CHECK_SKIP("no AVX2 here");
        return;
    }
    tt_config("isa:avx2");
    differs("a convolution with AVX2", plain, convolved, images(), window(), "no-winograd");
    base_switch_off("isa");
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    tt_on_error(quiet, NULL);
    CHECK_RUN(options());
    CHECK_RUN(wrong_words());
    CHECK_RUN(in_force());
    CHECK_RUN(of_algebra());
    CHECK_RUN(of_jit());
    CHECK_RUN(transforms());
    CHECK_RUN(passes());
    CHECK_RUN(texts());
    CHECK_RUN(on_unit());
    CHECK_RUN(by_winograd());
    return check_done() || tt_done();
}
