/* check.h - the smallest test harness: CHECK(condition, fmt, ...) counts; check_done() prints the closing line. */
#ifndef TUTTI_TESTS_CHECK_H
#define TUTTI_TESTS_CHECK_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

static int check_passed, check_failed, check_skipped;

#define CHECK(cond, ...)                                                                                               \
    do {                                                                                                               \
        if (cond) check_passed++;                                                                                      \
        else {                                                                                                         \
            check_failed++;                                                                                            \
            printf("FAIL %s:%d: %s: ", __FILE__, __LINE__, #cond);                                                     \
            printf(__VA_ARGS__);                                                                                       \
            printf("\n");                                                                                              \
        }                                                                                                              \
    } while (0)
/* How much a test that may be asked for more has done; tests/sum.sh adds these by what they are. */
#define CHECK_VOLUME(n, what) printf("volume %lld %s\n", (long long)(n), what)
#define CHECK_SKIP(...) (check_skipped++, printf("skip: " __VA_ARGS__), printf("\n"))

/* Of elements that a slow reference checks, each so many-th: the build without sanitizers checks every one, they watch
 * the code that makes them. */
#ifdef __SANITIZE_ADDRESS__
enum { CHECK_STEP = 7 };
#else
enum { CHECK_STEP = 1 };
#endif

/* 1: this program is watched by a sanitizer, which has memory of its own. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { CHECK_SANITIZED = 1 };
#else
enum { CHECK_SANITIZED = 0 };
#endif

/* Of what goes through the same code sanitizers see each n-th where TEST_ONE_IN=n: `make check` says so, and `make
 * check-long` has them see all. */
static inline int check_one_in(void)
{
    const char *const n = getenv("TEST_ONE_IN");
    return CHECK_SANITIZED && n && atoi(n) > 1 ? atoi(n) : 1;
}

/* True if this run takes case i of a list whose cases go through the same code. */
static inline int check_turn(size_t i) { return i % (size_t)check_one_in() == 0; }

/* Of n turns of a loop, those that this run makes; one at least. */
static inline int check_share(int n) { return (n + check_one_in() - 1) / check_one_in(); }

/* A new folder, in memory where the machine has such a place with room for the files of several tests (a container
 * may have 64 MB there): what is tested there is not how long a disk takes. path ends in XXXXXX and begins with /tmp/;
 * space for 5 bytes more. */
static inline int check_folder(char *path)
{
    char quick[256];
    struct statvfs room;
    const bool fits = !statvfs("/dev/shm", &room) && (double)room.f_bavail * (double)room.f_frsize > 512e6;
    snprintf(quick, sizeof quick, "/dev/shm%s", path + 4);
    if (fits && mkdtemp(quick)) return strcpy(path, quick) != NULL;
    return mkdtemp(path) != NULL;
}

/* ---- cases ----
 *
 * main(argc, argv) begins with check_main and runs each case by CHECK_RUN(case(...)); a program that is one case begins
 * with `if (!check_main_one(argc, argv, __FILE__)) return check_done();`. --list prints the names of the cases and runs
 * none; other arguments run the cases whose names contain one of them. */
static char **check_args;                                /* parts of names; NULL or empty: every case runs */
static bool check_lists, check_matched;

static inline void check_main(int argc, char **argv)
{
    check_args = argv + (argc > 0);
    check_lists = argc == 2 && !strcmp(argv[1], "--list");
    for (int i = 1; i < argc && !check_lists; i++) {
        if (argv[i][0] != '-') continue;
        fprintf(stderr, "%s: unknown argument \"%s\"\n  hint: arguments are --list or parts of the names of cases\n",
                argv[0], argv[i]);
        exit(2);
    }
}

/* True if the case runs. text: the case's name or its call, whose name is the function's with the first string that the
 * call contains. Cases of one name in a row are listed once. */
static inline bool check_named(const char *text)
{
    static char last[80];
    char name[sizeof last];
    const size_t n = strcspn(text, "(");
    const char *const quote = strchr(text, '"'), *const word = quote ? quote + 1 : "";
    snprintf(name, sizeof name, "%.*s%s%.*s", (int)n, text, quote ? " " : "", (int)strcspn(word, "\""), word);
    if (check_lists) {
        if (strcmp(name, last)) puts(strcpy(last, name));
        return false;
    }
    bool runs = !check_args || !*check_args;
    for (char **a = check_args; a && *a; a++) runs |= strstr(name, *a) != NULL;
    check_matched |= runs;
    return runs;
}
#define CHECK_RUN(...)                                                                                                 \
    do {                                                                                                               \
        if (check_named(#__VA_ARGS__)) __VA_ARGS__;                                                                    \
    } while (0)

/* True if the case that is named after the file runs. */
static inline bool check_named_after(const char *file)
{
    const char *const slash = strrchr(file, '/');
    char name[80];
    snprintf(name, sizeof name, "%s", slash ? slash + 1 : file);
    name[strcspn(name, ".")] = 0;
    return check_named(name);
}

static inline bool check_main_one(int argc, char **argv, const char *file)
{
    check_main(argc, argv);
    return check_named_after(file);
}

/* For a program with arguments of its own, as "--seed N --draws N [NAME...]" says: refuses others. False after --list,
 * which prints the file's name as that of its one case. */
static inline bool check_main_options(int argc, char **argv, const char *file, const char *usage)
{
    for (int i = 1; i < argc; i++) {
        const char *const at = argv[i][0] == '-' ? strstr(usage, argv[i]) : strchr(usage, '[');
        const size_t n = strlen(argv[i]);
        if (argc == 2 && !strcmp(argv[1], "--list")) return check_lists = true, check_named_after(file);
        if (at && (argv[i][0] != '-' || (!at[n] || at[n] == ' '))) {
            i += argv[i][0] == '-' && at[n] && at[n + 1] >= 'A' && at[n + 1] <= 'Z';
            continue;
        }
        fprintf(stderr, "%s: unknown argument \"%s\"\n  hint: the arguments are --list %s\n", argv[0], argv[i], usage);
        exit(2);
    }
    return true;
}

static inline int check_done(void)
{
    if (check_lists) return 0;
    if (check_args && *check_args && !check_matched) {
        fprintf(stderr, "no case has \"%s\" in its name\n  hint: --list prints the names\n", *check_args);
        return 2;
    }
    printf("%d passed, %d failed, %d skipped\n", check_passed, check_failed, check_skipped);
    return check_failed != 0;
}

#endif
