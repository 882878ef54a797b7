/* text/regex.c - regular expressions by PCRE2 with Unicode properties, opened when a file asks for one. A pattern is
 * compiled to machine code where PCRE2 can do that.
 *
 * Time: a file's pattern may be made to take exponential time. Each search has a limit of steps; one that needs more
 * takes them from a budget that a call has in proportion to its text. When the budget is used up the call fails. */
#include "text.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of pcre2.h; a change of them would be another ABI. */
enum { MULTILINE = 0x400, UCP = 0x20000, UTF = 0x80000, NO_UTF_CHECK = 0x40000000, NO_JIT = 0x2000, COMPLETE = 1 };
enum { NOMATCH = -1, JIT_STACK = -46, MATCH_LIMIT = -47 };
enum { USUAL = 1000, LARGEST = 10000000 };

struct text_regex {
    void *code;
};

static struct {
    void *(*compile)(const uint8_t *, size_t n, uint32_t options, int *error, size_t *at, void *context);
    int (*jit)(void *code, uint32_t options);
    void (*free_code)(void *);
    void *(*new_data)(uint32_t pairs, void *context);
    void (*free_data)(void *);
    void *(*new_context)(void *context);
    void (*free_context)(void *);
    int (*set_limit)(void *context, uint32_t);
    int (*match)(const void *code, const uint8_t *, size_t n, size_t from, uint32_t options, void *data, void *context);
    size_t *(*pairs)(void *data);
    int (*message)(int error, uint8_t *to, size_t capacity);
    char why[200];
} lib;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_pcre2(void)
{
    static const char *const names[] = { "pcre2_compile_8",
                                         "pcre2_jit_compile_8",
                                         "pcre2_code_free_8",
                                         "pcre2_match_data_create_8",
                                         "pcre2_match_data_free_8",
                                         "pcre2_match_context_create_8",
                                         "pcre2_match_context_free_8",
                                         "pcre2_set_match_limit_8",
                                         "pcre2_match_8",
                                         "pcre2_get_ovector_pointer_8",
                                         "pcre2_get_error_message_8" };
    enum { NAMES = sizeof names / sizeof *names };
    void *at[NAMES] = { NULL }, *so = dlopen("libpcre2-8.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!so) {
        snprintf(lib.why, sizeof lib.why, "libpcre2-8.so.0 is not installed (Debian: libpcre2-8-0)");
        return;
    }
    for (int i = 0; i < NAMES; i++) {
        if (!(at[i] = dlsym(so, names[i]))) {
            snprintf(lib.why, sizeof lib.why, "libpcre2-8.so.0 has no %s", names[i]);
            return;
        }
    }
    memcpy(&lib.compile, &at[0], sizeof at[0]), memcpy(&lib.jit, &at[1], sizeof at[0]);
    memcpy(&lib.free_code, &at[2], sizeof at[0]), memcpy(&lib.new_data, &at[3], sizeof at[0]);
    memcpy(&lib.free_data, &at[4], sizeof at[0]), memcpy(&lib.new_context, &at[5], sizeof at[0]);
    memcpy(&lib.free_context, &at[6], sizeof at[0]), memcpy(&lib.set_limit, &at[7], sizeof at[0]);
    memcpy(&lib.match, &at[8], sizeof at[0]), memcpy(&lib.pairs, &at[9], sizeof at[0]);
    memcpy(&lib.message, &at[10], sizeof at[0]);
}

const char *text_regex_missing(void)
{
    pthread_once(&once, open_pcre2);
    return *lib.why ? lib.why : NULL;
}

text_regex *text_regex_new(text_at at, const char *pattern, size_t n)
{
    const char *const missing = text_regex_missing();
    text_buf translated = { 0 };
    text_regex *const r = calloc(1, sizeof *r);
    int error = 0;
    size_t where = 0;
    uint8_t why[200] = "";
    bool ok = r || text_no_memory(at);
    if (ok && missing) ok = text_fail(at, TT_EENGINE, "its regular expressions need PCRE2: %s", missing);
    ok = ok && text_regex_translate(at, pattern, n, &translated);
    if (ok && !(r->code = lib.compile((const uint8_t *)translated.p, translated.n, UTF | UCP | MULTILINE, &error,
                                      &where, NULL))) {
        lib.message(error, why, sizeof why);
        ok = text_fail(at, TT_EDATA, "the regular expression \"%.*s\": %s", n < 200 ? (int)n : 200, pattern, why);
    }
    if (ok) lib.jit(r->code, COMPLETE); /* without it: the same matches, more slowly */
    text_free(&translated);
    if (ok) return r;
    free(r);
    return NULL;
}

void text_regex_free(text_regex *r)
{
    if (r) lib.free_code(r->code);
    free(r);
}

void text_matches_free(text_matches *m)
{
    if (m->data) lib.free_data(m->data);
    if (m->context) lib.free_context(m->context);
    *m = (text_matches){ 0 };
}

int text_regex_next(text_at at, const text_regex *r, text_matches *m, const char *p, size_t n, size_t from,
                    size_t *start, size_t *end)
{
    if (!m->data && !(m->data = lib.new_data(4, NULL))) return text_no_memory(at) - 1;
    if (!m->context && !(m->context = lib.new_context(NULL))) return text_no_memory(at) - 1;
    uint32_t limit = USUAL, how = NO_UTF_CHECK;
    for (;;) {
        lib.set_limit(m->context, limit);
        const int got = lib.match(r->code, (const uint8_t *)p, n, from, how, m->data, m->context);
        if (got == NOMATCH) return 0;
        if (got >= 0) {
            *start = lib.pairs(m->data)[0], *end = lib.pairs(m->data)[1];
            return 1;
        }
        if (got == JIT_STACK && how == NO_UTF_CHECK) how |= NO_JIT;
        else if (got == MATCH_LIMIT && limit < LARGEST && (m->steps -= (int64_t)limit * 10) > 0) limit *= 10;
        else if (got == MATCH_LIMIT)
            return text_fail(at, TT_EDATA, "a regular expression of the file takes too long for this text") - 1;
        else {
            uint8_t why[200] = "";
            lib.message(got, why, sizeof why);
            return text_fail(at, TT_EDATA, "a regular expression of the file fails: %s", why) - 1;
        }
    }
}
