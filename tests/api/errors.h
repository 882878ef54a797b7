/* errors.h - tables of programs that must fail, with the exact text that the user sees: functions and their messages.
 *
 * In a message the name of the test's file and its line numbers are written #. With -p such a test prints what is said
 * now, to be read and pasted (tests/update.sh). */
#ifndef TUTTI_TESTS_ERRORS_H
#define TUTTI_TESTS_ERRORS_H

#include <stdio.h>
#include <string.h>
#include <tutti.h>

#include "check.h"

typedef struct { const char *name; void (*run)(void); const char *text; } program;
#define P(f, text) { #f, f, text }

static inline void errors_quiet(const tt_error_info *e, void *env) { (void)e, (void)env; }

/* The message with # for "file:line". */
static inline const char *errors_plain(const char *file, const char *s)
{
    static char out[8192];
    const size_t len = strlen(file);
    size_t n = 0;
    for (const char *p = s; *p && n + 2 < sizeof out;) {
        const bool line = !strncmp(p, file, len) && p[len] == ':';
        out[n++] = line ? '#' : *p;
        p += line ? len + 1 : 1;
        while (line && *p >= '0' && *p <= '9') p++;
    }
    out[n] = '\0';
    return out;
}

static inline void errors_print(const char *name, const char *s)
{
    printf("P(%s,\n", name);
    for (const char *line = s; *line;) {
        const size_t n = strcspn(line, "\n");
        printf("  \"");
        for (size_t i = 0; i < n; i++) printf(line[i] == '"' || line[i] == '\\' ? "\\%c" : "%c", line[i]);
        line += n + (line[n] == '\n');
        printf("%s\"%s\n", *line ? "\\n" : "", *line ? "" : "),");
    }
}

static inline void errors_run(const char *file, const program *programs, size_t n, bool print)
{
    for (size_t i = 0; i < n; i++) {
        tt_scope s = tt_scope_open();
        programs[i].run();
        const char *said = errors_plain(file, tt_ok() ? "no error" : tt_error());
        if (print) errors_print(programs[i].name, said);
        else
            CHECK(!strcmp(said, programs[i].text), "%s says\n%s\ninstead of\n%s", programs[i].name, said,
                  programs[i].text);
        tt_clear();
        tt_scope_close(s);
    }
}

/* The main of a test that has such a table. more: its other checks; NULL: there are none. */
static inline int errors_main(int argc, char **argv, const char *file, const program *programs, size_t n,
                              void (*more)(void))
{
    if (!check_main_options(argc, argv, file, "-p")) return check_done();
    const bool print = argc > 1 && !strcmp(argv[1], "-p");
    tt_on_error(errors_quiet, NULL);
    errors_run(file, programs, n, print);
    if (print) return 0;
    if (more) more();
    return check_done();
}

#endif
