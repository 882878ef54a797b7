/* tests/wire/ranks.c - messages between ranks: gathering, broadcasting, exchanges of random sizes, meetings that
 * differ, deadlines, shared memory, by each MPI library that is installed. Without arguments the test starts itself
 * under mpirun.
 *
 * Longer than 400 lines: one job makes all checks, since to start ranks takes longer than most of them. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "job.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>

static uint32_t drawn(uint32_t *s) { return *s = *s * 1664525u + 1013904223u, *s >> 8; }
static unsigned char byte_of(int from, int to, int round, int64_t i)
{
    return (unsigned char)(from * 31 + to * 17 + round * 7 + i * 13);
}

/* ---- in a rank ---- */

static void gathers(void)
{
    const int n = wire_ranks(), me = wire_rank();
    for (int bytes = 1; bytes < 100000; bytes = bytes * 3 + 1) {
        char *mine = malloc((size_t)bytes), *all = malloc((size_t)bytes * (size_t)n);
        int bad = 0;
        memset(mine, 'a' + me, (size_t)bytes);
        CHECK(wire_gather(NULL, mine, bytes, all, "gathers"), "gather of %d bytes", bytes);
        for (int r = 0; r < n; r++) for (int i = 0; i < bytes; i++) bad += all[r * bytes + i] != 'a' + r;
        CHECK(!bad, "%d bytes of %d differ", bad, bytes);
        free(mine), free(all);
    }
}

static void broadcasts(void)
{
    for (int from = 0; from < wire_ranks(); from++) {
        double x[100];
        int bad = 0;
        for (int i = 0; i < 100; i++) x[i] = wire_rank() == from ? from * 1000 + i : -1;
        CHECK(wire_broadcast(NULL, from, x, sizeof x, "broadcasts"), "broadcast from %d", from);
        for (int i = 0; i < 100; i++) bad += x[i] != from * 1000 + i;
        CHECK(!bad, "%d numbers of rank %d differ", bad, from);
    }
}

/* Several parts between each two ranks, of sizes that both compute from one seed; two posts in flight. */
static void exchanges(int rounds)
{
    enum { PARTS = 3, MOST = 100000 };
    const int n = wire_ranks(), me = wire_rank();
    uint32_t seed = 7;
    const size_t most = (size_t)n * 2 * PARTS;
    wire_part *recv = malloc(most * sizeof *recv), *send = malloc(most * sizeof *send);
    for (int round = 0; round < rounds; round++) {
        int nrecv[2] = { 0 }, nsend[2] = { 0 }, bad = 0;
        uint32_t post[2];
        for (int half = 0; half < 2; half++)
            for (int from = 0; from < n; from++) for (int to = 0; to < n; to++) for (int p = 0; p < PARTS; p++) {
                const int64_t bytes = drawn(&seed) % 4 ? drawn(&seed) % 200 : drawn(&seed) % MOST;
                if (from == to || (from != me && to != me)) continue;
                unsigned char *at = malloc((size_t)bytes + 1);
                for (int64_t i = 0; i < bytes; i++) at[i] = from == me ? byte_of(from, to, round, i) : 0;
                if (from == me) send[half * n * PARTS + nsend[half]++] = (wire_part){ to, at, bytes, 0, false };
                else recv[half * n * PARTS + nrecv[half]++] = (wire_part){ from, at, bytes, 0, false };
            }
        for (int half = 0; half < 2; half++) {
            const int first = half * n * PARTS;
            post[half] = wire_post(NULL, 0, NULL, nrecv[half], recv + first, nsend[half], send + first, "exchanges");
            CHECK(post[half], "post");
        }
        for (int half = 1; half >= 0; half--)
            CHECK(wire_wait(NULL, post[half], NULL, 0, NULL, "exchanges"), "round %d", round);
        for (int half = 0; half < 2; half++) {
            for (int k = 0; k < nrecv[half]; k++) {
                const wire_part *p = &recv[half * n * PARTS + k];
                for (int64_t i = 0; i < p->bytes; i++)
                    bad += ((unsigned char *)p->at)[i] != byte_of(p->rank, me, round, i);
                free(p->at);
            }
            for (int k = 0; k < nsend[half]; k++) free(send[half * n * PARTS + k].at);
        }
        CHECK(!bad, "round %d: %d bytes differ", round, bad);
    }
    free(recv), free(send);
}

/* Every rank reads what all others hold, where it is; each changes its own only when all have read it. */
static void shares(void)
{
    enum { WORDS = 5000, ROUNDS = 200 };
    const int n = wire_ranks(), me = wire_rank();
    wire_part *recv = malloc((size_t)n * sizeof *recv), *send = malloc((size_t)n * sizeof *send);
    int *mine = wire_pages(WORDS * sizeof *mine), bad = 0;
    CHECK(mine && wire_offset(mine) >= 0 && wire_offset(&n) < 0, "memory that the ranks of one host share");
    for (int round = 0; mine && round < check_share(ROUNDS); round++) {
        int k = 0;
        for (int i = 0; i < WORDS; i++) mine[i] = me * 1000 + round + i;
        for (int r = 0; r < n; r++) {
            if (r == me) continue;
            CHECK(wire_shares(r), "with rank %d", r);
            recv[k] = (wire_part){ r, NULL, WORDS * sizeof *mine, 0, true };
            send[k++] = (wire_part){ r, mine, WORDS * sizeof *mine, 0, true };
        }
        const uint32_t post = wire_post(NULL, 0, NULL, k, recv, k, send, "shares");
        CHECK(post && wire_wait(NULL, post, NULL, 0, NULL, "shares"), "round %d", round);
        for (int p = 0; p < k; p++)
            for (int i = 0; i < WORDS; i++) bad += ((int *)recv[p].at)[i] != recv[p].rank * 1000 + round + i;
        wire_read(post);
        CHECK(wire_end_post(NULL, post, "shares"), "round %d", round);
    }
    CHECK(!bad, "%d words differ", bad);
    wire_pages_free(mine, WORDS * sizeof *mine);
    free(recv), free(send);
}

/* Many posts that are read, and end only at the end. */
static void many_open(void)
{
    enum { MANY = 300 };
    const int n = wire_ranks(), me = wire_rank();
    uint32_t post[MANY];
    wire_part *part = malloc(2 * MANY * sizeof *part);
    char *mine = wire_pages(WIRE_PAGE);
    int bad = 0;
    memset(mine, me, WIRE_PAGE);
    for (int i = 0; i < MANY; i++) {
        part[2 * i] = (wire_part){ (me + n - 1) % n, NULL, WIRE_PAGE, 0, true };
        part[2 * i + 1] = (wire_part){ (me + 1) % n, mine, WIRE_PAGE, 0, true };
        post[i] = wire_post(NULL, 0, NULL, 1, &part[2 * i], 1, &part[2 * i + 1], "many");
        if (!post[i] || !wire_wait(NULL, post[i], NULL, 0, NULL, "many")) break;
        bad += ((char *)part[2 * i].at)[7] != (me + n - 1) % n;
        wire_read(post[i]);
    }
    CHECK(!base_failed() && !bad, "%s", base_failed() ? base_failed()->what : "other bytes");
    for (int i = 0; i < MANY && !base_failed(); i++) CHECK(wire_end_post(NULL, post[i], "many"), "post %d", i);
    wire_pages_free(mine, WIRE_PAGE);
    free(part);
}

/* Posts that are read in another order than they came in, while further ones come: what a rank shows to the others
 * stays as it is until all have read it. All ranks read in one order, some later than others. A mailbox has 16
 * slots. */
static void read_late(void)
{
    enum { OPEN = 5, TURNS = 2000, MOST = 16, LONGEST = 14 };
    const int n = wire_ranks(), me = wire_rank();
    static wire_part recv[OPEN][MOST], send[OPEN][MOST];
    uint32_t post[OPEN] = { 0 }, number[OPEN] = { 0 }, posts = 0, own = (uint32_t)me + 9, all = 5;
    char *const pages = wire_pages(OPEN * WIRE_PAGE);
    int bad = 0;
    for (int turn = 0; turn < check_share(TURNS) && !base_failed(); turn++) {
        int i = (int)(drawn(&all) % OPEN);
        for (int k = 0; k < OPEN; k++) if (post[k] && posts - number[k] > LONGEST) i = k;
        char *const page = pages + i * WIRE_PAGE;
        if (post[i]) {
            if (drawn(&own) % 8 == 0) usleep(drawn(&own) % 200);
            for (int r = 0; r < n - 1; r++)
                for (int b = 0; b < WIRE_PAGE; b += 512)
                    bad += ((const char *)recv[i][r].at)[b] != (char)(recv[i][r].rank * 5 + i);
            wire_read(post[i]);
            CHECK(wire_end_post(NULL, post[i], "late"), "turn %d", turn);
            memset(page, -1, WIRE_PAGE);
            post[i] = 0;
            continue;
        }
        memset(page, me * 5 + i, WIRE_PAGE);
        for (int r = 0, m = 0; r < n; r++) {
            if (r == me) continue;
            recv[i][m] = (wire_part){ r, NULL, WIRE_PAGE, 0, true };
            send[i][m++] = (wire_part){ r, page, WIRE_PAGE, 0, true };
        }
        post[i] = wire_post(NULL, 0, NULL, n - 1, recv[i], n - 1, send[i], "late"), number[i] = ++posts;
        CHECK(post[i] && wire_wait(NULL, post[i], NULL, 0, NULL, "late"), "turn %d", turn);
    }
    for (int i = 0; i < OPEN && !base_failed(); i++) {
        if (!post[i]) continue;
        wire_read(post[i]);
        CHECK(wire_end_post(NULL, post[i], "late"), "the last ones");
    }
    CHECK(!base_failed() && !bad, "%s, %d bytes are others", base_failed() ? base_failed()->what : "read late", bad);
    wire_pages_free(pages, OPEN * WIRE_PAGE);
}

/* Blocks of the shared memory of random sizes: none overlaps another, and all of it is one range again. */
static void shared_blocks(void)
{
    enum { MANY = 200, TURNS = 3000 };
    static struct { char *at; size_t bytes; } block[MANY];
    uint32_t seed = 3;
    int bad = 0;
    char *const first = wire_pages(1 << 20);
    wire_pages_free(first, 1 << 20);
    for (int t = 0; t < TURNS; t++) {
        const int k = (int)(drawn(&seed) % MANY);
        if (block[k].at) {
            bad += block[k].at[0] != (char)k || block[k].at[block[k].bytes - 1] != (char)k;
            wire_pages_free(block[k].at, block[k].bytes);
            block[k].at = NULL;
            continue;
        }
        block[k].bytes = 1 + drawn(&seed) % (drawn(&seed) % 2 ? 300 : 200000);
        block[k].at = wire_pages(block[k].bytes);
        bad += !block[k].at;
        if (block[k].at) memset(block[k].at, k, block[k].bytes);
    }
    for (int k = 0; k < MANY; k++) if (block[k].at) wire_pages_free(block[k].at, block[k].bytes);
    char *const last = wire_pages(1 << 20);
    CHECK(!bad && first == last, "%d blocks, %p and %p", bad, (void *)first, (void *)last);
    wire_pages_free(last, 1 << 20);
}

/* Bytes of this process that are mapped as huge pages of shared memory; -1: the kernel does not tell. */
static long huge_bytes(void)
{
    char line[200];
    long kb = -1;
    FILE *const f = fopen("/proc/self/smaps_rollup", "r");
    while (f && fgets(line, sizeof line, f)) sscanf(line, "ShmemPmdMapped: %ld", &kb);
    if (f) fclose(f);
    return kb < 0 ? -1 : kb << 10;
}

/* True if the kernel joins pages of shared memory to huge pages, on request. */
static bool joins(void)
{
    enum { HUGE = 2 << 20, COLLAPSE = 25 };
    const int fd = memfd_create("huge", MFD_CLOEXEC);
    char *const all = mmap(NULL, 2 * HUGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *const to = all == MAP_FAILED ? NULL : all + (HUGE - (uintptr_t)all % HUGE) % HUGE;
    bool can = to && fd >= 0 && !ftruncate(fd, HUGE) && !fallocate(fd, 0, 0, HUGE) && huge_bytes() >= 0;
    can = can && mmap(to, HUGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == to;
    can = can && !madvise(to, HUGE, COLLAPSE);
    if (to) munmap(all, 2 * HUGE);
    if (fd >= 0) close(fd);
    return can;
}

/* What fills whole 2 MiB, as one block or as many, has huge pages; freed in part it keeps the rest. */
static void huge_pages(void)
{
    enum { WHOLE = 16 << 20, PART = 96 << 10, PARTS = WHOLE / PART, LEAST = WHOLE - (4 << 20) };
    static char *part[PARTS];
    const bool can = joins();
    int bad = 0;
    if (!can) CHECK_SKIP("the kernel does not join pages of shared memory");
    const long before = huge_bytes();
    char *const whole = wire_pages(WHOLE);
    if (whole) memset(whole, 7, WHOLE);
    CHECK(whole && (!can || huge_bytes() - before >= LEAST), "a block has %ld bytes of huge pages",
          huge_bytes() - before);
    wire_pages_free(whole, WHOLE);
    CHECK(!can || huge_bytes() - before <= 0, "%ld bytes are left of it", huge_bytes() - before);
    for (int i = 0; i < PARTS; i++) if ((part[i] = wire_pages(PART))) memset(part[i], i, PART);
    CHECK(!can || huge_bytes() - before >= LEAST, "small blocks have %ld bytes of huge pages", huge_bytes() - before);
    for (int i = 0; i < PARTS; i += 3) wire_pages_free(part[i], PART);
    for (int i = 0; i < PARTS; i++)
        for (int b = 0; i % 3 && b < PART; b += 512) bad += !part[i] || part[i][b] != (char)i;
    CHECK(!bad, "%d bytes differ", bad);
    for (int i = 0; i < PARTS; i++) if (i % 3) wire_pages_free(part[i], PART);
}

/* After a failure nothing is sent. */
static void no_more(void)
{
    char all[64];
    CHECK(wire_failed() && !wire_gather(NULL, "", 1, all, "later"), "a message after a failure");
    const base_error *e = base_failed();
    CHECK(e && strstr(e->what, "failed or ended before"), "%s", e ? e->what : "");
    base_clear_error();
}


static void meetings(void)
{
    CHECK(wire_meet(base_intern("train.c:3: here"), "one"), "the same meeting");
    CHECK(wire_meet(base_intern(wire_rank() ? "train.c:4: there" : "train.c:3: here"), "one"), "other lines");
    CHECK(!wire_meet(base_intern(wire_rank() ? "train.c:4: there" : "train.c:3: here"), wire_rank() ? "two" : "three"),
          "other names");
    const base_error *e = base_failed();
    CHECK(e && e->code == TT_ERANK && strstr(e->what, "train.c:3") && strstr(e->what, "train.c:4"),
          "both lines: %s", e ? e->what : "");
    base_clear_error();
    CHECK(!wire_failed() && wire_meet(NULL, "behind it"), "messages go on");
}

/* Starts an exchange and waits for it. */
static bool exchange(base_site site, int nrecv, wire_part *recv, int nsend, const wire_part *send)
{
    const uint32_t post = wire_post(site, 0, NULL, nrecv, recv, nsend, send, "psum");
    return post && wire_wait(site, post, NULL, 0, NULL, "psum");
}

/* A file by which a rank tells, without a message, that its wait has ended. All ranks have one parent. */
static const char *ended_file(int rank)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/tutti-wire-%d-%d", (int)getppid(), rank);
    return path;
}

/* The last rank comes when all others have waited in vain: each of these ends with an error that names it. */
static void deadline(void)
{
    const int last = wire_ranks() - 1;
    if (wire_rank() == last) {
        const double until = base_seconds() + 60;
        for (int r = 0; r < last && base_seconds() < until; r += !access(ended_file(r), F_OK)) usleep(1000);
        for (int r = 0; r < last; r++) CHECK(!unlink(ended_file(r)), "rank %d still waits", r);
        return;
    }
    wire_set_patience(1);
    static char byte;                                    /* received later */
    wire_part part = { last, &byte, 1, 0, false };
    const double start = base_seconds();
    CHECK(!exchange(base_intern("train.c:9: tt_psum(x)"), 1, &part, 0, NULL), "it never arrives");
    const double took = base_seconds() - start;
    const base_error *e = base_failed();
    char name[32];
    snprintf(name, sizeof name, "for rank %d in psum", last);
    CHECK(e && e->code == TT_ERANK && strstr(e->what, name) && e->site, "the rank is named: %s", e ? e->what : "");
    CHECK(took > 0.9 && took < 30, "%.2f s of a patience of 1 s", took);
    FILE *f = fopen(ended_file(wire_rank()), "w");
    CHECK(f && !fclose(f), "the file %s", ended_file(wire_rank()));
}

/* What the receives of the deadline's test still expect, and a meeting behind it. */
static void late(void)
{
    const int n = wire_ranks(), last = n - 1;
    static char byte;
    wire_part part[64];
    for (int r = 0; r < last; r++) part[r] = (wire_part){ r, &byte, 1, 0, false };
    wire_set_patience(JOB_PATIENCE);
    if (wire_rank() == last) CHECK(exchange(NULL, 0, NULL, last, part), "the late bytes");
    CHECK(wire_meet(NULL, "the end"), "the last meeting");
}

/* Ranks that gather as many bytes each, but not for the same: an error of all, with both purposes. */
static int apart(void)
{
    base_arena *a = base_open();
    char all[64] = "", mine[4] = "abc";
    if (!job_join(a)) return 1;
    const wire_engine *e = wire_now();
    CHECK(wire_gather(NULL, mine, sizeof mine, all, "as one"), "%s", base_failed() ? base_failed()->what : "");
    CHECK(!wire_gather(NULL, mine, sizeof mine, all, wire_rank() ? "a tail" : "a head"), "another purpose");
    CHECK(base_failed() && strstr(base_failed()->what, "a tail") && strstr(base_failed()->what, "a head"), "%s",
          base_failed() ? base_failed()->what : "no error");
    base_clear_error();
    job_report(check_passed, check_failed);
    base_close(a);
    wire_use(e);
    e->end(true, 0);
    return check_failed != 0;
}

static int inside(void)
{
    const wire_host host = { sizeof host, JOB_PATIENCE, job_stuck };
    base_arena *a = base_open();
    if (!job_join(a)) return 1;
    const wire_engine *e = wire_now();
    CHECK(e->me >= 0 && e->me < e->ranks && e->host == 0 && e->hosts == 1 && e->host_of[e->me] == 0, "places");
    CHECK(!wire_open(NULL, a, &host), "a second time");
    base_clear_error();
    gathers();
    broadcasts();
    exchanges(check_share(10));
    shares();
    shared_blocks();
    huge_pages();
    many_open();
    read_late();
    meetings();
    CHECK(wire_meet(NULL, "last"), "before the deadline's test");
    deadline();
    base_clear_error();
    if (wire_rank() < e->ranks - 1) no_more();
    else wire_turn();                                    /* as the others count */
    wire_use(e);                                         /* the test begins anew */
    late();
    job_report(check_passed, check_failed);
    base_close(a);
    e->end(true, 0);
    return check_failed != 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--inside")) return argc > 2 ? apart() : inside();
    if (!check_main_options(argc, argv, __FILE__, "--inside")) return check_done();
    for (int mpi = 0; mpi < 2; mpi++) {
        if (!job_possible(mpi)) continue;
        const job_result r = job_run(mpi, 2, "apart");
        CHECK(!r.status && r.reports == 2 && r.passed == 6 && !r.failed,
              "%s: status %d, %d reports, %d passed, %d failed", job_mpi[mpi], r.status, r.reports, r.passed, r.failed);
    }
    for (int mpi = 0; mpi < 2; mpi++)
        for (int ranks = 2; ranks <= (check_one_in() > 1 ? 4 : 8) && job_possible(mpi); ranks *= 2) {
            const job_result r = job_run(mpi, ranks, "");
            job_good("", &r, mpi, ranks);
        }
    return check_done();
}
