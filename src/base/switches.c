/* base/switches.c - switches that change how Tutti runs without recompiling: TUTTI="devices:4,ir:train,plan".
 *
 * The table base_option_words is the only list of words, used for parsing and for hints. Words accumulate; a repeated
 * word replaces the value. A text with one invalid word changes nothing. Nothing between two commas is no word: where
 * TUTTI is not set, TUTTI="$TUTTI,plan" begins with a comma. */
#include "base.h"

#include <ctype.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char jobs[] = "takes a number from 1 up, or all";
static const char links[] = "takes a time and a rate: link:10us+5GB/s";
static const char axes[] = "takes axes, each once, with sizes: mesh:data=4096+model=16";

/* The third field of a word that takes a name: the error when it is not such a name. */
const base_option_word base_option_words[] = {
    { "devices",    BASE_COUNT,  NULL,           "how many devices the embedded engine makes" },
    { "workers",    BASE_COUNT,  NULL,           "how many threads compute" },
    { "pin",        BASE_BARE,   NULL,           "threads that compute stay on one core each" },
    { "reproducible", BASE_BARE,   NULL,           "the same bits on any mesh and any number of rows" },
    { "ranks",      BASE_NAME,   jobs,           "join the job of mpirun; all: each prints; N: as N ranks would" },
    { "pjrt",       BASE_NAME,   NULL,           "compute on the devices of a library of PJRT: pjrt:cuda, pjrt:/PATH" },
    { "else-cpu",   BASE_BARE,   NULL,           "on the embedded engine, if that library does not open" },
    { "form",       BASE_CHOICE, "planned global", "who partitions for a library of PJRT: Tutti, or its compiler" },
    { "hosts",      BASE_COUNT,  NULL,           "plan as if the devices of a mesh were on N machines" },
    { "link",       BASE_NAME,   links,          "between machines; messages of ranks come so late: 10us+5GB/s" },
    { "patience",   BASE_COUNT,  NULL,           "how many seconds a rank waits for another" },
    { "ir",         BASE_NAME,   NULL,           "print functions after each pass; ir:train only one" },
    { "hlo",        BASE_NAME,   NULL,           "print functions as StableHLO text; hlo:train only one" },
    { "plan",       BASE_NAME,   NULL,           "print plans: kernels, exchanges, memory" },
    { "explain",    BASE_BARE,   NULL,           "print what moves between devices and why" },
    { "memory",     BASE_BARE,   NULL,           "print the memory and the communication of a device" },
    { "strict",     BASE_BYTES,  NULL,           "unrequested gathers are errors; strict:N, above N bytes" },
    { "dry",        BASE_BARE,   NULL,           "compute nothing: shapes and layouts only, loops run once" },
    { "even",       BASE_BARE,   NULL,           "parts are of one size, as in JAX: other layouts are errors" },
    { "mesh",       BASE_NAME,   axes,           "other sizes for axes of meshes: mesh:data=4096+model=16" },
    { "report",     BASE_COUNT,  NULL,           "the file descriptor for what is printed about the program" },
    { "params",     BASE_BARE,   NULL,           "say of every parameter whether it is sharded, and why not" },
    { "trace",      BASE_BARE,   NULL,           "print each call as it is recorded" },
    { "retrace",    BASE_BARE,   NULL,           "say why a function is traced again" },
    { "refusals",   BASE_BARE,   NULL,           "say why a kernel was not the faster one" },
    { "time",       BASE_NAME,   NULL,           "print where time goes; time:FILE writes a timeline too" },
    { "roofline",   BASE_NAME,   "takes a file: roofline:steps.svg",
                                                 "draw rates of steps and the machine's limits: roofline:FILE.svg" },
    { "isa",        BASE_CHOICE, "avx512 avx2 sse2 base", "the instruction set of the kernels" },
    { "timeit",     BASE_COUNT,  NULL,           "how many milliseconds a run of tt_timeit takes at least" },
    { "ref",        BASE_BARE,   NULL,           "compute every equation by itself, by its reference" },
    { "ref-after",  BASE_COUNT,  NULL,           "as ref, but for the first N equations that are planned" },
    { "bounds",     BASE_BARE,   NULL,           "an index that is out of range is an error" },
    { "nan",        BASE_BARE,   NULL,           "a NaN that an equation makes is an error, if a result holds it" },
    { "inf",        BASE_BARE,   NULL,           "an infinity that an equation makes, likewise" },
    { "precision",  BASE_CHOICE, "default high highest", "of products that do not say .precision" },
    { "no-share",   BASE_BARE,   NULL,           "ranks of one host send all to each other through MPI" },
    { "no-common",  BASE_BARE,   NULL,           "ranks of one host have a copy each of what all of them need" },
    { "no-overlap", BASE_BARE,   NULL,           "wait for what other ranks send as soon as it is asked for" },
    { "no-amx",     BASE_BARE,   NULL,           "do without the processor's matrix unit" },
    { "no-bf16",    BASE_BARE,   NULL,           "do without the processor's products of bf16" },
    { "no-chain",   BASE_BARE,   NULL,           "run every step over all it has, none part by part with the next" },
    { "no-epilogue", BASE_BARE,  NULL,           "run no equations over the parts of a product" },
    { "no-prologue", BASE_BARE,  NULL,           "make no operand of a product part by part" },
    { "no-ensemble", BASE_BARE,   NULL,           "compute all members of a vmap step by step, none by itself" },
    { "no-dnn",     BASE_BARE,   NULL,           "do without oneDNN" },
    { "no-llvm",    BASE_BARE,   NULL,           "do without LLVM" },
    { "no-winograd", BASE_BARE,  NULL,           "multiply as often in convolutions as their definition does" },
    { "no-lapack",  BASE_BARE,   NULL,           "do without LAPACK" },
    { "llvm",       BASE_CHOICE, "now log text", "compile elementwise loops at once; say which; print them" },
    { "cache",      BASE_NAME,   "takes a folder: cache:DIR", "the folder for compiled loops: cache:DIR" },
    { "no-cache",   BASE_BARE,   NULL,           "keep no compiled loops on disk" },
    { "perf",       BASE_BARE,   NULL,           "tell perf the names of compiled loops: /tmp/perf-PID.map" },
    { "threefry",   BASE_CHOICE, "original partitionable", "the layout of random bits" },
    { "x64",        BASE_BARE,   NULL,           "C numbers and seeds keep 64 bits" },
    { "color",      BASE_CHOICE, "always never", "whether output is coloured" },
    { NULL, BASE_BARE, NULL, NULL }
};
enum { WORDS = sizeof base_option_words / sizeof *base_option_words - 1 };
static const char *_Atomic value[WORDS];

static _Atomic uint64_t changes;

typedef struct { const char *at; size_t n; } span;
static bool switches_same(span s, const char *word) { return strlen(word) == s.n && !memcmp(s.at, word, s.n); }

static int switches_word_of(span s)
{
    for (int i = 0; i < WORDS; i++) if (switches_same(s, base_option_words[i].name)) return i;
    return -1;
}

/* The value of a switch. The index of a word in the table is cached by the word's address, since callers pass the same
 * literals; the cached index is checked by comparison. */
const char *base_switch(const char *word)
{
    enum { BITS = 10 };   /* 1,024 slots for some 50 words: two words that a call asks for rarely share one */
    static _Atomic uint8_t seen[1 << BITS];
    _Atomic uint8_t *const slot = &seen[(uintptr_t)word * UINT64_C(0x9E3779B97F4A7C15) >> (64 - BITS)];
    int i = atomic_load_explicit(slot, memory_order_relaxed);
    if (strcmp(base_option_words[i].name, word)) i = switches_word_of((span){ word, strlen(word) });
    if (i >= 0) atomic_store_explicit(slot, (uint8_t)i, memory_order_relaxed);
    if (i < 0) {
        base_bug(NULL, "base_switch: \"%s\" is not in the table of switches", word);
        return NULL;
    }
    return atomic_load_explicit(&value[i], memory_order_acquire);
}

static bool unknown(base_site site, const char *text, span s)
{
    char list[512] = "";
    size_t n = 0;
    for (int i = 0; i < WORDS; i++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", i ? ", " : "", base_option_words[i].name);
    base_fail(TT_EARG, site, "unknown switch \"%.*s\"", (int)s.n, s.at);
    base_caret(text, (size_t)(s.at - text));
    return base_hint_choices("the switches are", s.at, s.n, list);
}

static bool chosen(const char *list, span v)             /* True if v is one of the words of list */
{
    for (const char *p = list; *p;) {
        const size_t n = strcspn(p, " ");
        if (n == v.n && !memcmp(p, v.at, n)) return true;
        p += n + (p[n] == ' ');
    }
    return false;
}

static bool digits_only(span v)
{
    for (size_t i = 0; i < v.n; i++) if (!isdigit((unsigned char)v.at[i])) return false;
    return v.n && v.n < 18 && *v.at != '0';
}

/* True if v is "a=4+b=2": axes, each once, with sizes. at: where it is not. */
static bool axes_sized(span v, const char **at)
{
    const char *const end = v.at + v.n;
    for (const char *p = v.at; p; p++) {
        const char *const name = *at = p;
        while (p < end && *p != '=' && *p != '+') p++;
        const size_t n = (size_t)(p - name), behind = (size_t)(end - p);
        if (!n || !behind || *p != '=') return false;
        for (const char *q = v.at; q < name; q += strcspn(q, "+") + 1)
            if (!memcmp(q, name, n) && q[n] == '=') return false;
        const char *const digits = *at = ++p;
        while (p < end && *p != '+') p++;
        if (!digits_only((span){ digits, (size_t)(p - digits) })) return false;
        if (p == end) return true;
    }
    return false;
}

static bool switches_fits(base_site site, const char *text, const base_option_word *w, span v, bool colon)
{
    const char *wrong = NULL;
    char digits[16] = "";
    if (v.n < sizeof digits) memcpy(digits, v.at, v.n);
    if (w->kind == BASE_BARE && colon) wrong = "takes no value";
    if (w->kind == BASE_COUNT) {
        bool number = v.n > 0 && v.n < 8;
        for (size_t i = 0; i < v.n; i++) number &= isdigit((unsigned char)v.at[i]) != 0;
        if (!number || atol(digits) < 1) wrong = "takes a number from 1 to 9999999";
        else if (!strcmp(w->name, "workers") && atol(digits) > BASE_WORKERS) wrong = "takes a number from 1 to 256";
    }
    if (w->kind == BASE_BYTES && colon && !digits_only(v)) wrong = "takes a number of bytes from 1 up";
    if (w->kind == BASE_CHOICE && !chosen(w->choice, v)) wrong = "takes no";
    if (w->kind == BASE_NAME && colon && !v.n) wrong = "lacks a name after ':'";
    if (w->kind == BASE_NAME && !colon && w->choice && w->choice != jobs) wrong = w->choice;
    const char *at = v.at;
    double latency, rate;
    char link[64] = "";
    if (w->choice == links && v.n < sizeof link) memcpy(link, v.at, v.n);
    if (w->choice == links) at = strstr(text, "link");   /* v may be joined of two words */
    if (!wrong && w->choice == links && !base_link_read(link, &latency, &rate)) wrong = links;
    if (!wrong && w->choice == jobs && colon && !chosen("all", v) && !(digits_only(v) && v.n < 8)) wrong = jobs;
    if (!wrong && w->choice == axes && !axes_sized(v, &at)) wrong = axes;
    if (!wrong) return true;
    if (w->kind != BASE_CHOICE) base_fail(TT_EARG, site, "switch \"%s\" %s", w->name, wrong);
    else base_fail(TT_EARG, site, "switch \"%s\" takes no \"%.*s\"", w->name, (int)v.n, v.at);
    base_caret(text, (size_t)(at - text));
    return w->kind == BASE_CHOICE && base_hint_choices("the words are", v.at, v.n, w->choice);
}

/* True if the value of link is "10us" and the next word is its rate, "5GB/s": then both are joined. */
static bool link_joined(span *v, const char **end, const char *skip, char *to, size_t capacity)
{
    const char *const next = *end + strspn(*end, skip);
    const size_t n = strcspn(next, skip);
    if (memchr(v->at, '+', v->n) || n < 4 || !isdigit((unsigned char)*next) || memcmp(next + n - 3, "B/s", 3) ||
        v->n + n + 2 > capacity)
        return false;
    v->n = (size_t)snprintf(to, capacity, "%.*s+%.*s", (int)v->n, v->at, (int)n, next);
    *end = next + n;
    return true;
}

static bool twice(base_site site, const char *text, span s)
{
    base_fail(TT_EARG, site, "switch \"%.*s\" is given twice", (int)s.n, s.at);
    return base_caret(text, (size_t)(s.at - text));
}

/* True unless one word of the text turns off what another one sets; else sets the error. */
static bool no_contradiction(base_site site, const char *text, const char *const *fresh)
{
    static const char *const pairs[][2] = { { "no-llvm", "llvm" }, { "no-cache", "cache" },
                                              { "ref", "ref-after" } };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const char *const *const p = pairs[i];
        if (!fresh[switches_word_of((span){ p[0], strlen(p[0]) })]) continue;
        const char *const value = fresh[switches_word_of((span){ p[1], strlen(p[1]) })];
        if (!value) continue;
        base_fail(TT_EARG, site, "switches \"%s\" and \"%s:%s\" contradict each other", p[0], p[1], value);
        base_caret(text, (size_t)(strstr(text, p[0]) - text));
        return base_hint("leave one of them out");
    }
    return true;
}

/* True unless the text says what to do without a library of PJRT, and no library is asked for; else sets the error. */
static bool has_library(base_site site, const char *text, const char *const *fresh)
{
    static const char other[] = "else-cpu";
    const int i = switches_word_of((span){ "pjrt", 4 });
    if (!fresh[switches_word_of((span){ other, sizeof other - 1 })] || fresh[i] || base_switch("pjrt")) return true;
    base_fail(TT_EARG, site, "switch \"else-cpu\" without \"pjrt\"");
    base_caret(text, (size_t)(strstr(text, other) - text));
    return base_hint("name a library: pjrt:cuda,else-cpu");
}

bool base_switches(base_site site, const char *text)
{
    const char *fresh[WORDS] = { NULL };
    for (const char *p = text; *p;) {
        const char *skip = " ,;\t\n";
        p += strspn(p, skip);
        if (!*p) break;
        const char *end = p + strcspn(p, skip), *colon = memchr(p, ':', (size_t)(end - p));
        const span word = { p, (size_t)((colon ? colon : end) - p) };
        span v = colon ? (span){ colon + 1, (size_t)(end - colon - 1) } : (span){ end, 0 };
        const int i = switches_word_of(word);
        char link[64];
        if (i < 0) return unknown(site, text, word);
        if (base_option_words[i].choice == links && link_joined(&v, &end, skip, link, sizeof link)) v.at = link;
        if (!switches_fits(site, text, &base_option_words[i], v, colon != NULL)) return false;
        if (fresh[i]) return twice(site, text, word);
        fresh[i] = base_intern_n(v.at, v.n);
        p = end;
    }
    if (!no_contradiction(site, text, fresh) || !has_library(site, text, fresh)) return false;
    for (int i = 0; i < WORDS; i++) if (fresh[i]) atomic_store_explicit(&value[i], fresh[i], memory_order_release);
    atomic_fetch_add_explicit(&changes, 1, memory_order_release);
    return true;
}

void base_switch_off(const char *word)
{
    const int i = switches_word_of((span){ word, strlen(word) });
    if (i >= 0) atomic_store_explicit(&value[i], NULL, memory_order_release);
    atomic_fetch_add_explicit(&changes, 1, memory_order_release);
}

const char **base_switches_keep(base_arena *a)
{
    const char **const kept = BASE_NEW(a, const char *, WORDS);
    for (int i = 0; i < WORDS; i++) kept[i] = atomic_load_explicit(&value[i], memory_order_acquire);
    return kept;
}

void base_switches_restore(const char *const *kept)
{
    for (int i = 0; i < WORDS; i++) atomic_store_explicit(&value[i], kept[i], memory_order_release);
    atomic_fetch_add_explicit(&changes, 1, memory_order_release);
}

uint64_t base_switch_changes(void) { return atomic_load_explicit(&changes, memory_order_acquire); }

bool base_switches_env(void)
{
    static atomic_flag read = ATOMIC_FLAG_INIT;
    const char *text = secure_getenv("TUTTI");
    return atomic_flag_test_and_set(&read) || !text || base_switches("TUTTI in the environment", text);
}
