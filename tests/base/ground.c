/* Ground tests: arenas, unwinding at every allocation, interning, errors, carets, switches. */
#include "base/base.h"
#include "check.h"

#include <pthread.h>
#include <stdlib.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

typedef struct { base_arena *a; int64_t sum; int rounds; } work;

static void build(void *arg)                             /* grows an arena through several chunks */
{
    work *w = arg;
    w->a = base_open();
    for (int i = 0; i < w->rounds; i++) {
        int64_t *p = BASE_NEW(w->a, int64_t, 100 + i % 7);
        for (int k = 0; k < 100; k++) w->sum += p[k], p[k] = i;
    }
    memset(base_new(w->a, 5 << 20), 1, 5 << 20);
    base_text t = { .arena = w->a };
    for (int i = 0; i < 1000; i++) base_appendf(&t, "%d,", i);
    w->sum += strlen(t.s) != t.n || strncmp(t.s, "0,1,2,", 6) != 0 || strcmp(t.s + t.n - 5, ",999,") != 0;
}

static void arenas(void)
{
    base_fail(TT_EARG, NULL, "the first");               /* makes the thread's space for errors */
    base_clear_error();
    const size_t before = base_live_bytes();
    work w = { .rounds = 5000 };
    CHECK(base_catch(build, &w), "no allocation fails");
    CHECK(w.sum == 0, "arena memory is zeroed and texts are whole");
    CHECK(base_live_bytes() > before + (5 << 20), "arenas are counted");
    CHECK((uintptr_t)base_new(w.a, 1) % 16 == 0 && base_new(w.a, 0), "aligned");
#ifdef __SANITIZE_ADDRESS__
    const char *p = base_new(w.a, 24), *q = base_new(w.a, 8);
    CHECK(!__asan_address_is_poisoned(p + 23) && __asan_address_is_poisoned(p + 24),
          "the sanitizer sees behind a block");
    CHECK(!__asan_address_is_poisoned(q) && __asan_address_is_poisoned(q - 1), "and before it");
#endif
    base_close(w.a);
    base_close(NULL);
    CHECK(base_live_bytes() == before, "closed arenas leave %zu bytes", base_live_bytes() - before);
    work again = { .rounds = 5000 };
    CHECK(base_catch(build, &again) && again.sum == 0, "and nothing of what was in them");
    base_close(again.a);
    CHECK(base_live_bytes() == before, "nor do the next");
    CHECK(base_peak_bytes() >= before + (5 << 20), "the peak is kept");
    int64_t nth = 1;
    for (;; nth++) {                                     /* each request fails once */
        work f = { .rounds = 20 };
        base_fail_allocation(nth);
        const bool ok = base_catch(build, &f);
        base_fail_allocation(0);
        base_close(f.a);
        if (ok) break;
        CHECK(base_failed() && base_failed()->code == TT_EMEM, "request %lld: TT_EMEM", (long long)nth);
        base_clear_error();
    }
    CHECK(nth > 22, "%lld requests were refused", (long long)nth);
    CHECK(base_live_bytes() == before, "failed work leaves %zu bytes", base_live_bytes() - before);
}

static void inner(void *arg)
{
    base_new(arg, SIZE_MAX);
}

static void outer(void *arg)
{
    work *w = arg;
    w->a = base_open();
    if (!base_catch(inner, w->a)) w->sum = 1;
    base_new(w->a, 8);
    w->sum += 10;
    base_unwind(7);
}

static void catches(void)
{
    work w = { 0 };
    CHECK(!base_catch(outer, &w) && w.sum == 11, "nested catches: %d", (int)w.sum);
    CHECK(base_failed()->code == TT_EMEM, "the error of the inner one is kept");
    base_clear_error();
    base_close(w.a);
}

static void heaps(void)
{
    const size_t before = base_live_bytes();
    char *p = base_heap(10);
    memcpy(p, "123456789", 10);
    p = base_heap_grow(p, 10, 1000);
    CHECK(!strcmp(p, "123456789") && p[999] == 0, "grown");
    base_fail_allocation(1);
    CHECK(!base_heap_grow(p, 1000, 2000) && base_failed(), "a refused growth");
    base_clear_error();
    CHECK(!strcmp(p, "123456789"), "keeps the old block");
    base_heap_free(p);
    CHECK(!base_heap(SIZE_MAX - 64) && !base_pages(SIZE_MAX) && !base_pages((size_t)1 << 60), "too much");
    base_clear_error();
    for (size_t n = 0; n < 20 << 20; n = 3 * n + 1) {
        char *q = base_pages(n);
        CHECK(q && (uintptr_t)q % 64 == 0 && (n < 2 << 20 || (uintptr_t)q % (2 << 20) == 0), "%zu bytes of pages", n);
        if (n) q[0] = q[n - 1] = 1;
        base_pages_free(q, n);
    }
    CHECK(base_live_bytes() == before, "nothing is left: %zu", base_live_bytes() - before);
}

static void *names(void *out)
{
    char s[16];
    for (int i = 0; i < 3000; i++) {
        snprintf(s, sizeof s, "name%d", i);
        ((base_name *)out)[i] = base_intern(s);
    }
    return NULL;
}

static void interning(void)
{
    static base_name got[4][3000];
    pthread_t t[4];
    bool same = true;
    for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, names, got[i]);
    for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
    for (int i = 0; i < 3000; i++) for (int k = 1; k < 4; k++) same &= got[k][i] == got[0][i];
    CHECK(same && !strcmp(got[0][17], "name17") && got[0][17] != got[0][18], "four threads intern the same names");
    CHECK(base_intern_n("abcd", 2) == base_intern("ab") && base_intern("") && !base_intern(NULL), "prefixes");
    const int32_t a[3] = { 1, 2, 3 }, b[3] = { 1, 2, 3 };
    CHECK(base_intern_bytes(a, sizeof a) == base_intern_bytes(b, sizeof b), "bytes");
    CHECK(base_intern_bytes(a, 4) != base_intern_bytes(a, 8), "bytes of other length");
    char *big = calloc(1, 100000);
    CHECK(base_intern_bytes(big, 100000) == base_intern_bytes(big, 100000), "large blocks");
    free(big);
    CHECK(base_hash(0, "abcdefghi", 9) != base_hash(0, "abcdefghj", 9), "hashes of other content");
    CHECK(base_hash(0, "", 0) != base_hash(0, "\0", 1), "hashes of other length");
    CHECK(base_hash(1, "a", 1) != base_hash(2, "a", 1), "hashes of other seed");
}

static void errors(void)
{
    const uint64_t before = base_failures();
    CHECK(!base_failed(), "no error yet");
    CHECK(!base_fail(TT_ESPEC, "a.c:1", "no axis \"%s\"", "dta"), "fail gives false");
    base_caret("data, dta", 6);
    base_also("a.c:2", "x: %s", "f32[3]");
    base_hint("say data");
    base_hint("a second hint is dropped");
    base_fail(TT_EARG, "b.c:1", "a second error is dropped");
    base_also(NULL, "and its cites");
    const base_error *e = base_failed();
    CHECK(e->code == TT_ESPEC && !strcmp(e->site, "a.c:1"), "the first is kept");
    CHECK(!strcmp(e->what, "no axis \"dta\"\n  data, dta\n        ^"), "caret: %s", e->what);
    CHECK(e->ncite == 1 && !strcmp(e->cite[0].what, "x: f32[3]") && !strcmp(e->hint, "say data"), "cites, hint");
    CHECK(base_failures() == before + 2, "both are counted");
    base_clear_error();
    base_also(NULL, "nothing"); base_hint("nothing"); base_caret("x", 0);
    CHECK(!base_failed(), "taken");
    base_fail(TT_ETEXT, NULL, "line");
    base_caret("first\nsecond\nthird", 8);
    CHECK(!strcmp(base_failed()->what, "line\n  second\n    ^"), "the caret's line only: %s", base_failed()->what);
    base_clear_error();
    base_fail(TT_EARG, NULL, "%20000d", 1);              /* longer than there is space for */
    base_also(NULL, "x"); base_hint("y"); base_caret("abc", 2);
    CHECK(strlen(base_failed()->what) > 8000, "long texts are cut");
    base_clear_error();
    base_bug("here", "broken");
    CHECK(base_failed()->code == TT_EBUG && strstr(base_failed()->hint, "report"), "bugs ask for a report");
    base_clear_error();
}

enum { FAILING = 20 };
static pthread_barrier_t together;
static char told[FAILING][3][64];

/* An error where there is no memory for its text, the same once more, and one where there is memory again. */
static void *fails(void *number)
{
    const int me = (int)(intptr_t)number;
    for (int turn = 0; turn < FAILING; turn++) {
        pthread_barrier_wait(&together);
        if (turn == me) {
            for (int i = 0; i < 2; i++) {
                base_fail_allocation(1);
                base_fail(TT_EARG, NULL, "the error of thread %d", me);
                base_fail_allocation(0);
                snprintf(told[me][i], sizeof told[me][i], "%s", base_failed()->what);
                base_clear_error();
            }
        }
    }
    pthread_barrier_wait(&together);
    base_fail(TT_EARG, NULL, "%d later", me);
    snprintf(told[me][2], sizeof told[me][2], "%s", base_failed()->what);
    base_clear_error();
    return NULL;
}

static void texts_without_memory(void)
{
    enum { SMALL = 16 };                                 /* base/thread.c has so many buffers */
    pthread_t thread[FAILING];
    char right[64];
    pthread_barrier_init(&together, NULL, FAILING);
    for (int round = 0; round < 2; round++) {            /* the buffers have been given back */
        for (int i = 0; i < FAILING; i++) pthread_create(&thread[i], NULL, fails, (void *)(intptr_t)i);
        for (int i = 0; i < FAILING; i++) pthread_join(thread[i], NULL);
        for (int i = 0; i < FAILING; i++) {
            snprintf(right, sizeof right, "the error of thread %d", i);
            const char *const expected = i < SMALL ? right : "out of memory";
            CHECK(!strcmp(told[i][0], expected) && !strcmp(told[i][1], expected), "thread %d: %s, %s", i, told[i][0],
                  told[i][1]);
            snprintf(right, sizeof right, "%d later", i);
            CHECK(!strcmp(told[i][2], right), "thread %d: %s", i, told[i][2]);
        }
    }
    pthread_barrier_destroy(&together);
}

static void hints(void)
{
    char words[2000] = "alpha, beta";
    base_fail(TT_EARG, NULL, "no word");
    base_hint_choices("the words are", "betta", 5, words);
    CHECK(!strcmp(base_failed()->hint, "did you mean \"beta\"? The words are: alpha, beta"), "%s", base_failed()->hint);
    base_clear_error();
    base_fail(TT_EARG, NULL, "not here");                /* a listed word at a wrong place is not its own correction */
    base_hint_choices("the words are", "beta", 4, words);
    CHECK(!strcmp(base_failed()->hint, "the words are: alpha, beta"), "%s", base_failed()->hint);
    base_clear_error();
    for (int i = 0; i < 300; i++) strcat(words, " gamma");
    base_fail(TT_EARG, NULL, "no word");
    base_hint_choices("the words are", "x", 1, words);
    const size_t n = strlen(base_failed()->hint);
    CHECK(n < 1100 && !strcmp(base_failed()->hint + n - 12, ", gamma, ..."), "many words are cut, and end in dots");
    base_clear_error();
    memset(words, 'w', 1100);                            /* the first of the words is longer than all that is told */
    words[1100] = 0;
    base_fail(TT_EARG, NULL, "no word");
    base_hint_choices("the words are", "x", 1, words);
    CHECK(!strcmp(base_failed()->hint, "the words are: ..."), "one long word: %s", base_failed()->hint);
    base_clear_error();
}

static bool says(const char *text, const char *what, const char *hint)
{
    const bool ok = !base_switches("here", text) && base_failed() && base_failed()->code == TT_EARG &&
                    !strcmp(base_failed()->what, what) && (!hint || strstr(base_failed()->hint, hint));
    if (!ok) printf("  %s\n", base_failed() ? base_failed()->what : "(accepted)");
    base_clear_error();
    return ok;
}

static void switches(void)
{
    CHECK(!base_switch("devices") && !base_switch("plan"), "nothing is set");
    CHECK(base_switches(NULL, "devices:4, ir:train,plan  reproducible,isa:avx2"), "good words");
    CHECK(!strcmp(base_switch("devices"), "4") && !strcmp(base_switch("ir"), "train") && !*base_switch("plan") &&
          !strcmp(base_switch("isa"), "avx2"), "their values");
    CHECK(says("plan,devics:4", "unknown switch \"devics\"\n  plan,devics:4\n       ^", "did you mean \"devices\"?"),
          "nearest");
    CHECK(says("zzzzzzz", "unknown switch \"zzzzzzz\"\n  zzzzzzz\n  ^", "the switches are: devices, workers"), "list");
    CHECK(says("time,devices:0",
               "switch \"devices\" takes a number from 1 to 9999999\n  time,devices:0\n               ^", NULL), "0");
    CHECK(!base_switch("time"), "a text with a wrong word changes nothing");
    CHECK(says("devices", "switch \"devices\" takes a number from 1 to 9999999\n  devices\n         ^", NULL),
          "no number");
    CHECK(says("workers:257", "switch \"workers\" takes a number from 1 to 256\n  workers:257\n          ^", NULL),
          "many");
    CHECK(says("devices:-2", "switch \"devices\" takes a number from 1 to 9999999\n  devices:-2\n          ^", NULL),
          "negative");
    CHECK(says("else-cpu", "switch \"else-cpu\" without \"pjrt\"\n  else-cpu\n  ^", "pjrt:cuda,else-cpu"), "alone");
    CHECK(says("isa:sse", "switch \"isa\" takes no \"sse\"\n  isa:sse\n      ^",
               "did you mean \"sse2\"? The words are: avx512, avx2, sse2, base"), "choice");
    CHECK(says("dry:1", "switch \"dry\" takes no value\n  dry:1\n      ^", NULL), "bare");
    CHECK(says("roofline", "switch \"roofline\" takes a file: roofline:steps.svg\n  roofline\n          ^", NULL),
          "no file");
    CHECK(says("plan,cache", "switch \"cache\" takes a folder: cache:DIR\n  plan,cache\n            ^", NULL),
          "no folder");
    CHECK(says("ir:", "switch \"ir\" lacks a name after ':'\n  ir:\n     ^", NULL), "empty name");
    CHECK(base_switches(NULL, ",, ,") && base_switches(NULL, "devices:8") && !strcmp(base_switch("devices"), "8"),
          "again");
    setenv("TUTTI", "threefry:oriinal", 1);
    CHECK(!base_switches_env() && base_failed() && !strcmp(base_failed()->site, "TUTTI in the environment"), "TUTTI");
    base_clear_error();
    CHECK(base_switches_env() && !base_failed(), "is read once");
}

static char said[4096];
static void hear(const char *line) { snprintf(said, sizeof said, "%s", line); }

static void saying(void)
{
    base_log("dropped");
    base_set_log_sink(hear);
    base_log("%d lines", 3);
    CHECK(!strcmp(said, "3 lines"), "heard: %s", said);
    base_log("%2000d", 7);
    CHECK(strlen(said) == 2000 && said[1999] == '7', "a long line");
    base_set_log_sink(NULL);
    const double t = base_seconds();
    CHECK(base_seconds() >= t, "time does not run back");
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    CHECK_RUN(arenas());
    CHECK_RUN(catches());
    CHECK_RUN(heaps());
    CHECK_RUN(interning());
    CHECK_RUN(errors());
    CHECK_RUN(texts_without_memory());
    CHECK_RUN(hints());
    CHECK_RUN(switches());
    CHECK_RUN(saying());
    return check_done();
}
