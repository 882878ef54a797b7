/* check.h - the smallest test harness: CHECK(condition, fmt, ...) counts; check_done() prints the closing line. */
#ifndef TUTTI_TESTS_CHECK_H
#define TUTTI_TESTS_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* True if this run takes case i of a list whose cases go through the same code: TEST_ONE_IN=n takes each n-th. `make
 * check` sets it for sanitizers; what they leave out there, `make check-long` has them run. */
static inline int check_turn(size_t i)
{
    const char *const n = getenv("TEST_ONE_IN");
    return !n || atoi(n) < 2 || i % (size_t)atoi(n) == 0;
}

/* A new folder, in memory where the machine has such a place: what is tested there is not how long a disk takes. path
 * ends in XXXXXX and begins with /tmp/; space for 5 bytes more. */
static inline int check_folder(char *path)
{
    char quick[256];
    snprintf(quick, sizeof quick, "/dev/shm%s", path + 4);
    if (mkdtemp(quick)) return strcpy(path, quick) != NULL;
    return mkdtemp(path) != NULL;
}

static inline int check_done(void)
{
    printf("%d passed, %d failed, %d skipped\n", check_passed, check_failed, check_skipped);
    return check_failed != 0;
}

#endif
