/* fuzz.c - the StableHLO reader against any bytes: a target for libFuzzer, and by itself the corpus once.
 *
 *     build/tests/hlo_fuzz [FILE or DIR...]             every file; without any, tests/corpus/hlo
 *     build/tests/hlo_fuzz --costs                      what texts of 10 MB cost, by kind
 *     make check-hlo-fuzz                               clang's libFuzzer with sanitizers from that corpus, 10 minutes
 *
 * Whatever the bytes are, the reader gives a function that verifies, is written as text and read again to the same, or
 * one message; it takes at most 64 MiB + 40 bytes per byte of text, and a second per 10 MB. */
#include "check.h"
#include "hlo/hlo.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct { base_arena *arena; const char *text; ir_fn *fn; const char *written; ir_fn *again; } trial;

static void read_it(void *arg)
{
    trial *const t = arg;
    t->fn = hlo_read(t->arena, base_intern("fuzz"), t->text);
}

static void write_it(void *arg)
{
    trial *const t = arg;
    if (!(t->fn = hlo_raise(t->arena, t->fn))) return;
    if ((t->written = hlo_write(t->arena, t->fn))) t->again = hlo_read(t->arena, base_intern("fuzz"), t->written);
    if (t->again) t->again = hlo_raise(t->arena, t->again);
}

/* NULL: all is well. */
static const char *trouble(const char *bytes, size_t n)
{
    char *const text = calloc(1, n + 1);
    trial t = { .arena = base_open(), .text = text };
    const char *what = NULL;
    memcpy(text, bytes, n);
    base_clear_error();
    const bool ended = base_catch(read_it, &t);
    if (!ended) what = "memory";
    else if (!t.fn && !base_failed()) what = "neither a function nor a message";
    else if (t.fn && !ir_verify(t.fn)) what = "a function that does not verify";
    else if (t.fn && strstr(text, "tensor<") && base_catch(write_it, &t) && t.written && !t.again) {
        what = "what was written does not read";
        fprintf(stderr, "%s\n%s\n", base_failed() ? base_failed()->what : "", t.written);
    }
    base_clear_error();
    base_close(t.arena);
    free(text);
    return what;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    const char *const what = trouble((const char *)bytes, n);
    if (!what) return 0;
    fprintf(stderr, "hlo_fuzz: %s\n", what);
    abort();
}

#ifndef TUTTI_LIBFUZZER
static void one(const char *path)
{
    struct stat s;
    FILE *const f = fopen(path, "rb");
    char *const text = f && !fstat(fileno(f), &s) ? malloc((size_t)s.st_size + 1) : NULL;
    const size_t n = text ? fread(text, 1, (size_t)s.st_size, f) : 0;
    const char *what = text ? trouble(text, n) : "could not be read";
    if (f) fclose(f);
    CHECK(!what, "%s: %s", path, what);
    for (size_t k = 0; text && k < n; k += 1 + n / 64) { /* cut, and shuffled: its end before its beginning */
        char *const turned = malloc(n + 1);
        memcpy(turned, text + k, n - k);
        memcpy(turned + n - k, text, k);
        CHECK(!(what = trouble(text, k)), "%s cut at %zu: %s", path, k, what);
        CHECK(!(what = trouble(turned, n)), "%s turned at %zu: %s", path, k, what);
        free(turned);
    }
    free(text);
}

static void all(const char *path)
{
    DIR *const d = opendir(path);
    if (!d) one(path);
    for (const struct dirent *e; d && (e = readdir(d));) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, e->d_name);
        if (e->d_name[0] != '.') all(name);
    }
    if (d) closedir(d);
}

/* What no text should do. */
static void bounds(void)
{
    static const struct { const char *head, *piece, *word; int n; } t[] = {
        { "", "module {\n", "nested more than", 5000 },
        { "func.func @f() {\n", "\"stablehlo.if\"(%p) ({\n", "nested more than", 1500 },
        { "func.func @f() { %0 = stablehlo.constant {a = ", "[", "nested more than", 5000 },
        { "func.func @f(%a: tensor<", "1x", "more than 12 dims", 13 },
        { "func.func @f(%a: tensor<", "16777216x", "more than 2^48 elements", 3 },
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        base_text s = { .arena = base_open() };
        base_appendf(&s, "%s", t[i].head);
        for (int k = 0; k < t[i].n; k++) base_appendf(&s, "%s", t[i].piece);
        base_appendf(&s, "f32>) { return }");
        trial x = { .arena = s.arena, .text = s.s };
        base_clear_error();
        CHECK(base_catch(read_it, &x) && !x.fn && base_failed() && strstr(base_failed()->what, t[i].word), "%s: %s",
              t[i].word, base_failed() ? base_failed()->what : "no message");
        base_clear_error();
        base_close(s.arena);
    }
}

/* ---- what a text may cost: each kind is grown to so many bytes ---- */

typedef struct { base_text t; size_t bytes; int n; } growing;

static void functions(growing *g)                        /* many, in calls */
{
    for (; g->t.n < g->bytes; g->n++)
        base_appendf(&g->t, "func.func private @f%d(%%a: tensor<f32>) -> tensor<f32> {\n  return %%a : "
            "tensor<f32>\n}\n",
                     g->n);
    base_appendf(&g->t, "func.func @main(%%a: tensor<f32>) -> tensor<f32> {\n");
    for (int k = 0; k < g->n; k += 7) base_appendf(&g->t, "  %%%d = call @f%d(%%a) : (tensor<f32>) -> tensor<f32>\n", k,
        k);
    base_appendf(&g->t, "  return %%a : tensor<f32>\n}\n");
}

static void chain(growing *g, int back) /* operations; back: how far their operands stand behind them */
{
    base_appendf(&g->t, "func.func @f(%%v0: tensor<4xf32>) -> tensor<4xf32> {\n");
    for (; g->t.n < g->bytes; g->n++)
        base_appendf(&g->t, "%%v%d = stablehlo.add %%v%d, %%v%d : tensor<4xf32>\n", g->n + 1, g->n,
            back ? g->n / back : 0);
    base_appendf(&g->t, "return %%v%d : tensor<4xf32>\n}\n", g->n);
}

static void operations(growing *g) { chain(g, 2); }
static void first_value(growing *g) { chain(g, 0); }

static void one_line(growing *g)                         /* the same without a line's end: columns are far */
{
    chain(g, 2);
    for (size_t i = 0; i < g->t.n; i++) if (g->t.s[i] == '\n') g->t.s[i] = ' ';
}

static void locations(growing *g)                        /* each operation with one of its own */
{
    base_appendf(&g->t, "func.func @f(%%v0: tensor<f32>) -> tensor<f32> {\n");
    for (; g->t.n < g->bytes / 2; g->n++)
        base_appendf(&g->t, "%%v%d = stablehlo.sine %%v%d : tensor<f32> loc(#loc%d)\n", g->n + 1, g->n, g->n);
    base_appendf(&g->t, "return %%v%d : tensor<f32>\n}\n", g->n);
    for (int k = 0; k < g->n; k++) base_appendf(&g->t, "#loc%d = loc(\"f.py\":%d:1)\n", k, k + 1);
}

static void nest(growing *g)                             /* regions that all read the same values from far outside */
{
    enum { DEEP = 150 };
    base_appendf(&g->t, "func.func @f(%%v0: tensor<f32>, %%p: tensor<i1>) -> tensor<f32> {\n");
    for (; g->t.n < g->bytes / 2; g->n++)
        base_appendf(&g->t, "%%v%d = stablehlo.sine %%v%d : tensor<f32>\n", g->n + 1, g->n);
    for (int k = 0; k < DEEP; k++) base_appendf(&g->t, "%%r%d = \"stablehlo.if\"(%%p) ({\n", k);
    for (int k = 0; k < g->n; k++) base_appendf(&g->t, "%%w%d = stablehlo.sine %%v%d : tensor<f32>\n", k, k);
    for (int k = DEEP - 1; k >= 0; k--)
        base_appendf(&g->t, "stablehlo.return %%%s%d : tensor<f32>\n}, {\nstablehlo.return %%v0 : tensor<f32>\n}) : "
                     "(tensor<i1>) -> tensor<f32>\n", k < DEEP - 1 ? "r" : "w", k < DEEP - 1 ? k + 1 : 0);
    base_appendf(&g->t, "return %%r0 : tensor<f32>\n}\n");
}

static void literals(growing *g, const char *begin, const char *each, const char *end, const char *type, size_t per)
{
    const size_t n = g->bytes / strlen(each);
    base_text *const t = &g->t;
    char wanted[64];
    snprintf(wanted, sizeof wanted, "tensor<%zux%s>", n / per, type);
    base_appendf(t, "func.func @f() -> %s {\n%%0 = stablehlo.constant dense<%s", wanted, begin);
    for (size_t k = 0; k < n / per * per; k++) base_appendf(t, "%s%s", k && *each != 'A' ? "," : "", each);
    base_appendf(t, "%s> : %s\nreturn %%0 : %s\n}\n", end, wanted, wanted);
}

static void list(growing *g) { literals(g, "[", "1.5", "]", "f32", 1); }
static void blob(growing *g) { literals(g, "\"0x", "ABABABAB", "\"", "f32", 1); }
static void bools(growing *g) { literals(g, "[", "true", "]", "i1", 1); }
static void doubles(growing *g) { literals(g, "[", "1.234567890123456789e-300", "]", "f64", 1); }

static void splats(growing *g)                           /* short attributes that claim to be long */
{
    base_appendf(&g->t, "func.func @f(%%a: tensor<2xf32>) -> tensor<2xf32> {\n");
    for (; g->t.n < g->bytes; g->n++)
        base_appendf(&g->t, "%%%d = \"stablehlo.reverse\"(%%a) {dimensions = dense<0> : tensor<1048576xi64>} : "
                     "(tensor<2xf32>) -> tensor<2xf32>\n", g->n);
    base_appendf(&g->t, "return %%a : tensor<2xf32>\n}\n");
}

static void carries(growing *g)                          /* a loop of many */
{
    const int n = (int)(g->bytes / 110);
    base_appendf(&g->t, "func.func @f(%%v: tensor<i32>) -> tensor<i32> {\n%%c = stablehlo.constant dense<0> : "
        "tensor<i32>\n"
                 "%%r:%d = stablehlo.while(", n);
    for (int k = 0; k < n; k++) base_appendf(&g->t, "%s%%i%d = %%%s", k ? ", " : "", k, k ? "v" : "c");
    base_appendf(&g->t, ") : ");
    for (int k = 0; k < n; k++) base_appendf(&g->t, "%stensor<i32>", k ? ", " : "");
    base_appendf(&g->t, "\ncond {\n%%n = stablehlo.constant dense<3> : tensor<i32>\n"
                    "%%t = stablehlo.compare LT, %%i0, %%n : "
                 "(tensor<i32>, tensor<i32>) -> tensor<i1>\nstablehlo.return %%t : tensor<i1>\n} do {\n"
                 "%%o = stablehlo.constant dense<1> : tensor<i32>\n");
    for (int k = 0; k < n; k++) base_appendf(&g->t, "%%j%d = stablehlo.add %%i%d, %%o : tensor<i32>\n", k, k);
    base_appendf(&g->t, "stablehlo.return ");
    for (int k = 0; k < n; k++) base_appendf(&g->t, "%s%%j%d", k ? ", " : "", k);
    base_appendf(&g->t, " : ");
    for (int k = 0; k < n; k++) base_appendf(&g->t, "%stensor<i32>", k ? ", " : "");
    base_appendf(&g->t, "\n}\nreturn %%r#0 : tensor<i32>\n}\n");
}

static void words(growing *g)                            /* that might be a cipher's, each spread over more places */
{
    base_appendf(&g->t, "func.func @f(%%v0: tensor<4xui32>) -> tensor<4xui32> {\n");
    for (; g->t.n < g->bytes; g->n++) {
        const int k = g->n;
        base_appendf(&g->t, "%%a%d = stablehlo.shift_left %%v%d, %%v0 : tensor<4xui32>\n"
                     "%%b%d = stablehlo.xor %%a%d, %%v%d : tensor<4xui32>\n"
                     "%%w%d = stablehlo.add %%b%d, %%v%d : tensor<4xui32>\n"
                     "%%s%d = stablehlo.broadcast_in_dim %%w%d, dims = [1] : (tensor<4xui32>) -> tensor<2x4xui32>\n"
                     "%%v%d = stablehlo.add %%w%d, %%b%d : tensor<4xui32>\n",
                     k, k, k, k, k / 2, k, k, k, k, k, k + 1, k, k);
    }
    base_appendf(&g->t, "return %%v%d : tensor<4xui32>\n}\n", g->n);
}

static void turns(growing *g)                            /* short loops of words, through one long function */
{
    base_appendf(&g->t, "func.func private @g(%%v0: tensor<4xui32>) -> tensor<4xui32> {\n");
    for (int k = 0; k < 500; k++) base_appendf(&g->t, "%%v%d = stablehlo.xor %%v%d, %%v0 : tensor<4xui32>\n", k + 1, k);
    base_appendf(&g->t, "return %%v500 : tensor<4xui32>\n}\nfunc.func @main(%%v0: tensor<4xui32>) -> tensor<4xui32> {\n"
                 "%%z = stablehlo.constant dense<0> : tensor<i32>\n%%o = stablehlo.constant dense<1> : tensor<i32>\n");
    for (; g->t.n < g->bytes; g->n++)
        base_appendf(&g->t, "%%r%d:2 = stablehlo.while(%%i = %%z, %%w = %%v%d) : tensor<i32>, tensor<4xui32>\ncond {\n"
                     "%%n = stablehlo.constant dense<8> : tensor<i32>\n%%t = stablehlo.compare LT, %%i, %%n : "
                     "(tensor<i32>, tensor<i32>) -> tensor<i1>\nstablehlo.return %%t : tensor<i1>\n} do {\n"
                     "%%j = stablehlo.add %%i, %%o : tensor<i32>\n"
                     "%%y = func.call @g(%%w) : (tensor<4xui32>) -> tensor<4xui32>\n"
                     "stablehlo.return %%j, %%y : tensor<i32>, tensor<4xui32>\n}\n"
                     "%%v%d = stablehlo.not %%r%d#1 : tensor<4xui32>\n", g->n, g->n, g->n + 1, g->n);
    base_appendf(&g->t, "return %%v%d : tensor<4xui32>\n}\n", g->n);
}

static const struct { const char *name; void (*grow)(growing *); bool refused; } kinds[] = {
    { "functions", functions, false }, { "operations", operations, false }, { "first value", first_value, false },
    { "one line", one_line, false },   { "locations", locations, false },   { "nested regions", nest, true },
    { "numbers", list, false },        { "a blob", blob, false },           { "booleans", bools, false },
    { "long numbers", doubles, false }, { "splats", splats, true },         { "carries", carries, false },
    { "words", words, false },         { "turns", turns, false },
};

/* 64 MiB + 40 bytes per byte; a second of the processor for 10 MB, where nothing is instrumented: ten times that here,
 * for machines differ, but what grows with the square takes more. */
static void costs(size_t bytes, bool say)                /* say: each in a process of its own, for its own peak */
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const pid_t child = say ? fork() : 0;
        int status = 0;
        if (child) {
            CHECK(waitpid(child, &status, 0) == child && !status, "%s", kinds[i].name);
            continue;
        }
        growing g = { .t = { .arena = base_open() }, .bytes = bytes };
        kinds[i].grow(&g);
        trial t = { .arena = base_open(), .text = g.t.s };
        const size_t before = base_live_bytes(), most = ((size_t)64 << 20) + 40 * g.t.n;
        const clock_t begin = clock();
        base_clear_error();
        const bool ended = base_catch(read_it, &t);
        if (t.fn && !kinds[i].refused) t.fn = hlo_raise(t.arena, t.fn);
        const double took = (double)(clock() - begin) / CLOCKS_PER_SEC;
        CHECK(ended && !t.fn == kinds[i].refused, "%s: %s", kinds[i].name,
              base_failed() ? base_failed()->what : "read");
        CHECK(base_peak_bytes() < before + most, "%s: %zu bytes for %zu of text", kinds[i].name,
              base_peak_bytes() - before, g.t.n);
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
        CHECK(took < 10 * (0.1 + (double)g.t.n / 10e6), "%s: %.2f s for %zu bytes", kinds[i].name, took, g.t.n);
#endif
        if (say)
            printf("%-15s %5.1f MB: %.2f s, %.1f bytes per byte\n", kinds[i].name, (double)g.t.n / 1e6, took,
                   (double)(base_peak_bytes() - before) / (double)g.t.n);
        base_clear_error();
        base_close(t.arena);
        base_close(g.t.arena);
        if (say) fflush(stdout), _exit(check_failed != 0);
    }
}

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "--costs N [FOLDER...]")) return check_done();
    if (argc > 1 && !strcmp(argv[1], "--costs")) return costs(argc > 2 ? (size_t)atol(argv[2]) : 10000000, true),
        check_done();
    bounds();
    costs((size_t)check_share(1000000), false);
    if (argc < 2) all("tests/corpus/hlo");
    for (int i = 1; i < argc; i++) all(argv[i]);
    return check_done();
}
#endif
