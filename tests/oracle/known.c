/* oracle/known.c - the committed lists: known.txt, cases that are known to miss and suites that are left out, with the
 * reason; refusals.txt, which of Tutti's errors answers to an error of a golden. */
#include "suite.h"

#include "base/base.h"
#include "gen/matmul/gemm.h"
#include "gen/isa/isa.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A table of fields that tabs part, one row a line; '#' begins a comment. */
enum { FIELDS = 5 };
typedef struct { char *text; int n; const char *(*row)[FIELDS]; } table;
static table known_table, refusal_table;
static oracle_known *known;

static bool table_read(const char *folder, const char *name, int fields, table *t)
{
    char path[2400];
    data_bytes file;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!data_slurp(0, path, &file)) return false;
    t->text = calloc(1, file.n + 1);
    t->row = calloc(file.n + 1, sizeof *t->row);
    if (t->text && t->row) memcpy(t->text, file.p, file.n);
    data_free(&file);
    for (char *line = t->text, *next; t->row && line && *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next) *next++ = 0;
        if (!*line || *line == '#') continue;
        int n = 0;
        for (char *p = line; p && n < fields; p = strchr(p, '\t'), p = p ? (*p = 0, p + 1) : p) t->row[t->n][n++] = p;
        if (n < fields) {
            printf("FAIL %s: a row of %d fields instead of %d: %s\n", name, n, fields, line);
            return false;
        }
        t->n++;
    }
    return t->row != NULL;
}

bool oracle_lists_read(const char *folder)
{
    if (!table_read(folder, "known.txt", 5, &known_table)) return false;
    if (!table_read(folder, "refusals.txt", 5, &refusal_table)) return false;
    known = calloc((size_t)known_table.n + 1, sizeof *known);
    for (int i = 0; known && i < known_table.n; i++) {
        const char **f = known_table.row[i];
        known[i] = (oracle_known){ f[0], f[1], f[2], f[3], f[4], false };
    }
    return known != NULL;
}

void oracle_lists_free(void)
{
    table *const all[] = { &known_table, &refusal_table };
    for (int i = 0; i < 2; i++) free(all[i]->text), free((void *)all[i]->row);
    free(known);
}

const char *oracle_left_out(const char *suite)
{
    for (int i = 0; i < known_table.n; i++)
        if (!strcmp(known[i].suite, suite) && !strcmp(known[i].id, "*")) return known[i].reason;
    return NULL;
}

/* True if one word of a row's mode is in force: "any"; "user" or "reproducible", the runner's mode; "isa:avx2", what
 * the processor and TUTTI's switches choose; "amx" or "no-amx", whether the matrix unit is in use; else a switch, with
 * or without the value that it has to have. */
static bool in_force(const char *word, const char *mode)
{
    static const char *const isa[] = { [GEN_BASE] = "isa:base", [GEN_AVX2] = "isa:avx2", [GEN_AVX512] = "isa:avx512" };
    if (!strcmp(word, "any") || !strcmp(word, mode)) return true;
    if (!strcmp(word, "user") || !strcmp(word, "reproducible")) return false;
    if (!strncmp(word, "isa:", 4)) return !strcmp(word, isa[gen_isa_now()]);
    if (!strcmp(word, "amx") || !strcmp(word, "no-amx")) return (gemm_matrix_unit_here() != NULL) == (*word == 'a');
    char name[64];
    const size_t n = strcspn(word, ":");
    snprintf(name, sizeof name, "%.*s", (int)n, word);
    const char *const value = base_switch(name);
    return value && (!word[n] || !strcmp(value, word + n + 1));
}

static bool all_in_force(const char *words, const char *mode)
{
    char word[64];
    while (*words) {
        const size_t n = strcspn(words, " ");
        snprintf(word, sizeof word, "%.*s", (int)n, words);
        if (!in_force(word, mode)) return false;
        words += n + strspn(words + n, " ");
    }
    return true;
}

oracle_known *oracle_known_row(const char *suite, const char *id, const char *mode)
{
    for (int i = 0; i < known_table.n; i++)
        if (!strcmp(known[i].suite, suite) && !strcmp(known[i].id, id) && all_in_force(known[i].mode, mode))
            return &known[i];
    return NULL;
}

/* ---- what engines of PJRT do not take ---- */

const char *oracle_engine_refuses(const char *error)
{
    static const struct { const char *mode, *part, *reason; } of[] = {
        { "pjrt form:global", "which do not divide into", "pjrt: parts are of one size in the global form" },
        { "pjrt", "No FFI handler registered", "pjrt: its library has no LAPACK" },
        { "pjrt", "has no form in StableHLO", "pjrt: what has no StableHLO is computed by the embedded engine alone" },
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (all_in_force(of[i].mode, "") && strstr(error, of[i].part)) return of[i].reason;
    return NULL;
}

/* ---- refusals ---- */

static const char *const codes[] = { "OK", "ESHAPE", "ETYPE", "ETREE", "ESPEC", "EMESH", "ETRACE", "EGRAD", "ELIFE",
                                     "EARG", "ETEXT", "EPLAN", "EMEM", "EIO", "EDATA", "ERANK", "EENGINE", "EBUG" };

static const char *code_name(tt_code code)
{
    return (size_t)code < sizeof codes / sizeof *codes ? codes[code] : "?";
}

static bool matches(const char *pattern, const char *text, bool whole)
{
    regex_t re;
    regmatch_t at;
    if (regcomp(&re, pattern, REG_EXTENDED)) {
        printf("FAIL refusals.txt: not a pattern: %s\n", pattern);
        return false;
    }
    const bool yes = !regexec(&re, text, 1, &at, 0) && (!whole || (at.rm_so == 0 && !text[at.rm_eo]));
    regfree(&re);
    return yes;
}

void oracle_refused(oracle_case *c, const char *error)
{
    const tt_error_info *e = tt_error_record();
    for (int i = 0; i < refusal_table.n; i++) {
        const char **f = refusal_table.row[i];           /* kind, fn, the golden's error, code, words of the message */
        if (strcmp(f[0], c->kind) || !matches(f[1], c->fn, true) || !matches(f[2], error, true)) continue;
        if (!matches(f[3], code_name(e->code), true))
            oracle_fail(c, "was refused with %s, expected %s: %s", code_name(e->code), f[3], tt_error());
        else if (!matches(f[4], tt_error(), false))
            oracle_fail(c, "was refused with words other than \"%s\": %s", f[4], tt_error());
        return;
    }
    oracle_fail(c, "no row of refusals.txt says which error answers to \"%s\" (here: %s, %s)", error,
                code_name(e->code), tt_error());
}
