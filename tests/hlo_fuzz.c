/* hlo_fuzz.c - the StableHLO reader against any bytes: a target for libFuzzer, and by itself the corpus once.
 *
 *     build/tests/hlo_fuzz [FILE or DIR...]             every file; without any, tests/corpus/hlo
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

typedef struct { base_arena *arena; const char *text; ir_fn *fn; const char *written; ir_fn *again; } trial;

static void read_it(void *arg)
{
    trial *const t = arg;
    t->fn = hlo_read(t->arena, base_intern("fuzz"), t->text);
}

static void write_it(void *arg)
{
    trial *const t = arg;
    if (!(t->fn = hlo_loops(t->arena, t->fn))) return;
    if ((t->written = hlo_write(t->arena, t->fn))) t->again = hlo_read(t->arena, base_intern("fuzz"), t->written);
    if (t->again) t->again = hlo_loops(t->arena, t->again);
}

/* NULL: all is well. */
static const char *trouble(const char *bytes, size_t n)
{
    char *const text = calloc(1, n + 1);
    trial t = { .arena = base_open(), .text = text };
    const char *what = NULL;
    memcpy(text, bytes, n);
    base_forget();
    const bool ended = base_catch(read_it, &t);
    if (!ended) what = "memory";
    else if (!t.fn && !base_failed()) what = "neither a function nor a message";
    else if (t.fn && !ir_verify(t.fn)) what = "a function that does not verify";
    else if (t.fn && strstr(text, "tensor<") && base_catch(write_it, &t) && t.written && !t.again) {
        what = "what was written does not read";
        fprintf(stderr, "%s\n%s\n", base_failed() ? base_failed()->what : "", t.written);
    }
    base_forget();
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
        base_put(&s, "%s", t[i].head);
        for (int k = 0; k < t[i].n; k++) base_put(&s, "%s", t[i].piece);
        base_put(&s, "f32>) { return }");
        trial x = { .arena = s.arena, .text = s.s };
        base_forget();
        CHECK(base_catch(read_it, &x) && !x.fn && base_failed() && strstr(base_failed()->what, t[i].word), "%s: %s",
              t[i].word, base_failed() ? base_failed()->what : "no message");
        base_forget();
        base_close(s.arena);
    }
}

static void large(void)                                  /* 3 MB: memory by the byte of text */
{
    base_text s = { .arena = base_open() };
    base_put(&s, "func.func @f(%%v0: tensor<4xf32>) -> tensor<4xf32> {\n");
    int n = 0;
    for (; s.n < 3000000; n++) base_put(&s, "  %%v%d = stablehlo.add %%v%d, %%v%d : tensor<4xf32>\n", n + 1, n, n / 2);
    base_put(&s, "  return %%v%d : tensor<4xf32>\n}\n", n);
    trial t = { .arena = base_open(), .text = s.s };
    const size_t before = base_live_bytes(), most = ((size_t)64 << 20) + 40 * s.n;
    const bool ok = base_catch(read_it, &t) && t.fn;
    CHECK(ok && base_peak_bytes() < before + most, "%zu bytes for %zu of text", base_peak_bytes() - before, s.n);
    base_close(t.arena);
    base_close(s.arena);
}

int main(int argc, char **argv)
{
    bounds();
    large();
    if (argc < 2) all("tests/corpus/hlo");
    for (int i = 1; i < argc; i++) all(argv[i]);
    return check_done();
}
#endif
