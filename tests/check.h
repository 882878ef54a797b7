/* check.h - the smallest test harness: CHECK(condition, fmt, ...) counts; check_done() prints the closing line. */
#ifndef TUTTI_TESTS_CHECK_H
#define TUTTI_TESTS_CHECK_H

#include <stdio.h>
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
#define CHECK_SKIP(...) (check_skipped++, printf("skip: " __VA_ARGS__), printf("\n"))

static inline int check_done(void)
{
    printf("%d passed, %d failed, %d skipped\n", check_passed, check_failed, check_skipped);
    return check_failed != 0;
}

#endif
