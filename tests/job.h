/* job.h - a test starts itself as the ranks of a job, under mpirun of each MPI library that is installed. */
#ifndef TUTTI_TESTS_JOB_H
#define TUTTI_TESTS_JOB_H

#include "check.h"
#include "wire/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const job_mpi[] = { "openmpi", "mpich" };
/* Seconds that ranks wait for each other: on a machine with much other work they start tens of seconds apart. */
enum { JOB_PATIENCE = 100 };
/* digest: what the ranks print as "digest 0123..."; digests: how many print the first one's */
typedef struct { int status, reports, passed, failed, digests; char digest[20]; } job_result;

/* Words of TUTTI that a job has beside those of the environment. Under the thread sanitizer a rank has several workers,
 * however many ranks share the processors. */
#ifdef __SANITIZE_THREAD__
enum { JOB_WATCHED = 1 };
__attribute__((visibility("default"))) const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void) { return "deadlock:mca_btl_tcp_add_procs\n"; }    /* of Open MPI */
#else
enum { JOB_WATCHED = 0 };
#endif

/* Writes TUTTI=... for a job: the environment's words and one more. */
static inline void job_words(char to[256], const char *more)
{
    const char *const own = getenv("TUTTI") ? getenv("TUTTI") : "";
    const char *const workers = JOB_WATCHED && !strstr(own, "workers:") ? "workers:2" : "";
    snprintf(to, 256, "TUTTI='%s%s%s%s%s'", own, *own && *workers ? "," : "", workers,
             (*own || *workers) && *more ? "," : "", more);
}

/* True if the library's mpirun is there; else counts a skip. */
static bool job_possible(int mpi)
{
    char ask[64];
    if (JOB_WATCHED && mpi) {
        CHECK_SKIP("MPICH does not start under the thread sanitizer");
        return false;
    }
    snprintf(ask, sizeof ask, "command -v mpirun.%s >/dev/null", job_mpi[mpi]);
    if (!system(ask)) return true;
    CHECK_SKIP("%s is not installed", mpi ? "MPICH" : "Open MPI");
    return false;
}

/* Runs this program again with the arguments, in `ranks` processes. Each of them prints "N passed, N failed". What a
 * job that fails has printed is printed, as far as there is space for it. */
static inline job_result job_run(int mpi, int ranks, const char *args)
{
    static char said[8000];
    size_t nsaid = 0;
    char self[4096] = "", command[8600], line[1000], words[256];
    job_result r = { .status = -1 };
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) return r;
    job_words(words, "");
    snprintf(command, sizeof command, "%s OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
             "ASAN_OPTIONS=detect_leaks=0 timeout -k 5 300 mpirun.%s %s -n %d '%s' --inside %s 2>&1", words,
             job_mpi[mpi], mpi ? "" : "--oversubscribe", ranks, self, args);
    FILE *f = popen(command, "r");
    while (f && fgets(line, sizeof line, f)) {
        const char *at = strstr(line, "digest ");
        if (at && !r.digests) snprintf(r.digest, sizeof r.digest, "%.16s", at + 7);
        if (at && !strncmp(r.digest, at + 7, 16)) r.digests++;
        at = strstr(line, " passed, ");
        if (!strncmp(line, "FAIL", 4)) fputs(line, stdout);
        if (!at && nsaid + strlen(line) < sizeof said) nsaid += (size_t)sprintf(said + nsaid, "%s", line);
        if (!at) continue;
        while (at > line && at[-1] >= '0' && at[-1] <= '9') at--;
        int p = 0, q = 0;
        if (sscanf(at, "%d passed, %d failed", &p, &q) == 2) r.passed += p, r.failed += q, r.reports++;
    }
    r.status = f ? pclose(f) : -1;
    if (r.status || r.reports != ranks) printf("%s, %d ranks:\n%.*s", job_mpi[mpi], ranks, (int)nsaid, said);
    return r;
}

/* Checks that all ranks of a job have reported, have checked something, and have ended well. what: added to the text of
 * a failure, such as ", a link". */
static inline void job_good(const char *what, const job_result *r, int mpi, int ranks)
{
    CHECK(!r->status && r->reports == ranks && r->passed && !r->failed,
          "%s, %d ranks%s: status %d, %d reports, %d passed, %d failed", job_mpi[mpi], ranks, what, r->status,
          r->reports, r->passed, r->failed);
}

/* The digest that this program prints in one process that plans and stores as the ranks do; ranks 0: as usual. */
static inline void job_alone(int ranks, const char *args, char digest[20])
{
    char self[4096] = "", command[8600], line[200], word[32] = "", words[256];
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) return;
    if (ranks) snprintf(word, sizeof word, "ranks:%d", ranks);
    job_words(words, word);
    snprintf(command, sizeof command, "%s '%s' --digest %s", words, self, args);
    FILE *f = popen(command, "r");
    while (f && fgets(line, sizeof line, f)) if (!strncmp(line, "digest ", 7)) snprintf(digest, 20, "%.16s", line + 7);
    if (f) pclose(f);
}

static void job_stuck(const char *doing, double seconds)
{
    fprintf(stderr, "%s for %g s\n", doing, seconds);
    _Exit(3);
}

/* Joins the job, in a process that job_run has started. False: an error is printed. */
static inline bool job_join(base_arena *a)
{
    static const wire_host host = { sizeof host, JOB_PATIENCE, job_stuck };
    if (wire_open(NULL, a, &host)) return true;
    printf("FAIL %s\n0 passed, 1 failed\n", base_failed()->what);
    return false;
}

static inline void job_report(int passed, int failed)
{
    printf("rank %d: %d passed, %d failed\n", wire_rank(), passed, failed);
    fflush(stdout);
}

#endif
