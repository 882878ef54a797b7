/* lapack.h - a test's checks twice: without LAPACK in a process of its own, as kernels are kept once they are made, and
 * with LAPACK, where it is there, in this one. */
#ifndef TESTS_LAPACK_H
#define TESTS_LAPACK_H

#include "base/base.h"
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

static void check_with_and_without_lapack(void (*all)(void))
{
    int status = 0;
    fflush(stdout);
    const pid_t own = fork();
    if (!own) {
        base_switches(NULL, "no-lapack");
        all();
        printf("without LAPACK: %d passed, %d failed\n", check_passed, check_failed);
        fflush(stdout);
        _exit(check_failed != 0);
    }
    CHECK(own > 0 && waitpid(own, &status, 0) == own && WIFEXITED(status) && !WEXITSTATUS(status), "without LAPACK");
    all();
}

#endif
