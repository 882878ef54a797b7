/* wire/mpi/mpi.c - the engine of wire.h on MPI: a plug-in, compiled once per MPI library, linked with nothing of the
 * core.
 *
 * Calls of MPI may block inside the library while the ranks come together, so a timer runs during the start and the
 * end. Messages are MPI_Isend and MPI_Irecv of bytes with one tag on a communicator of our own; counts of MPI are int,
 * so a part of more than 1 GiB travels as several messages. */
#include "../../base/thread.h"
#include "../wire.h"

#include <mpi.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TAG = 1, POSTS = 256 };
#define LONGEST ((int64_t)1 << 30)

/* One call of post: requests of the receives, then of the sends. */
typedef struct {
    uint32_t number;                                     /* 0: free */
    int nrecv, nsend, capacity;
    MPI_Request *request;
    MPI_Status *status;
    int *rank;                                           /* [nrecv]: source */
    int64_t *bytes;                                      /* [nrecv]: expected */
} posting;

static const wire_host *host;
static MPI_Comm all = MPI_COMM_NULL;
static bool started;                                     /* this plug-in called MPI_Init */
static posting posts[POSTS];
static uint32_t last;
static char text[MPI_MAX_ERROR_STRING + 200], library[MPI_MAX_LIBRARY_VERSION_STRING];

/* ---- a timer around calls that may block ---- */

typedef struct {
    pthread_mutex_t lock; pthread_cond_t over; bool ended;
    const char *doing; pthread_t thread; bool runs;
} timer;

static void *watch(void *env)
{
    timer *t = env;
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (time_t)host->deadline + 1;
    pthread_mutex_lock(&t->lock);
    while (!t->ended && pthread_cond_timedwait(&t->over, &t->lock, &until) != ETIMEDOUT) ;
    const bool ended = t->ended;
    pthread_mutex_unlock(&t->lock);
    if (!ended) host->stuck(t->doing, host->deadline);
    return NULL;
}

static void timer_start(timer *t, const char *doing)
{
    pthread_mutex_init(&t->lock, NULL);
    pthread_condattr_t monotonic;                        /* the time of day may be set while it waits */
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&t->over, &monotonic);
    pthread_condattr_destroy(&monotonic);
    t->ended = false;
    t->doing = doing;
    t->runs = !base_thread_start(&t->thread, watch, t);
}

static void timer_stop(timer *t)
{
    pthread_mutex_lock(&t->lock);
    t->ended = true;
    pthread_cond_signal(&t->over);
    pthread_mutex_unlock(&t->lock);
    if (t->runs) pthread_join(t->thread, NULL);
    pthread_cond_destroy(&t->over);
    pthread_mutex_destroy(&t->lock);
}

/* ---- messages ---- */

static const char *message(const char *what, int code)
{
    char said[MPI_MAX_ERROR_STRING] = "";
    int n = 0;
    MPI_Error_string(code, said, &n);
    snprintf(text, sizeof text, "%s: %s", what, said);
    return text;
}

static int pieces(int n, const wire_part *part)
{
    int64_t k = 0;
    for (int i = 0; i < n; i++) k += (part[i].bytes + LONGEST - 1) / LONGEST;
    return (int)k;
}

static bool reserve(posting *p, int n)
{
    if (n <= p->capacity) return true;
    const int m = n < 16 ? 16 : 2 * n;
    MPI_Request *request = malloc((size_t)m * sizeof *request);
    MPI_Status *status = malloc((size_t)m * sizeof *status);
    int *rank = malloc((size_t)m * sizeof *rank);
    int64_t *bytes = malloc((size_t)m * sizeof *bytes);
    if (!request || !status || !rank || !bytes) {
        free(request), free(status), free(rank), free(bytes);
        return false;
    }
    free(p->request), free(p->status), free(p->rank), free(p->bytes);
    *p = (posting){ .capacity = m, .request = request, .status = status, .rank = rank, .bytes = bytes };
    return true;
}

static bool start_all(posting *p, int n, const wire_part *part, bool receive, const char **why)
{
    for (int i = 0; i < n; i++)
        for (int64_t at = 0; at < part[i].bytes; at += LONGEST) {
            const int64_t left = part[i].bytes - at, most = receive && part[i].most > left ? part[i].most : left;
            const int count = (int)(left < LONGEST ? left : LONGEST), space = (int)(most < LONGEST ? most : LONGEST);
            MPI_Request *r = &p->request[p->nrecv + p->nsend];
            char *from = (char *)part[i].at + at;
            const int code = receive ? MPI_Irecv(from, space, MPI_BYTE, part[i].rank, TAG, all, r)
                                     : MPI_Isend(from, count, MPI_BYTE, part[i].rank, TAG, all, r);
            if (code != MPI_SUCCESS) return *why = message(receive ? "MPI_Irecv" : "MPI_Isend", code), false;
            if (receive) p->rank[p->nrecv] = part[i].rank, p->bytes[p->nrecv++] = count;
            else p->nsend++;
        }
    return true;
}

static uint32_t mpi_post(int nrecv, const wire_part *recv, int nsend, const wire_part *send, const char **why)
{
    posting *p = NULL;
    for (int i = 0; i < POSTS && !p; i++) if (!posts[(last + 1 + i) % POSTS].number) p = &posts[(last + 1 + i) % POSTS];
    *why = "too many posts are open";
    if (!p) return 0;
    *why = "out of memory for requests";
    if (!reserve(p, pieces(nrecv, recv) + pieces(nsend, send))) return 0;
    p->nrecv = p->nsend = 0;
    if (!start_all(p, nrecv, recv, true, why) || !start_all(p, nsend, send, false, why)) return 0;
    last = (uint32_t)(p - posts);
    return p->number = last + 1;
}

static int mpi_done(uint32_t number, const char **why)
{
    posting *p = &posts[number - 1];
    int flag = 0;
    const int code = MPI_Testall(p->nrecv + p->nsend, p->request, &flag, p->status);
    if (code != MPI_SUCCESS) {
        int first = code;
        for (int i = 0; code == MPI_ERR_IN_STATUS && i < p->nrecv + p->nsend; i++)
            if (p->status[i].MPI_ERROR != MPI_SUCCESS && p->status[i].MPI_ERROR != MPI_ERR_PENDING) {
                first = p->status[i].MPI_ERROR;
                break;
            }
        return *why = message("a message between ranks", first), -1;
    }
    if (!flag) return 0;
    for (int i = 0; i < p->nrecv; i++) {
        int count = 0;
        MPI_Get_count(&p->status[i], MPI_BYTE, &count);
        if (count == p->bytes[i]) continue;
        snprintf(text, sizeof text,
                 "rank %d sent %d bytes where this rank expects %lld: the ranks run different programs",
                 p->rank[i], count, (long long)p->bytes[i]);
        return *why = text, -1;
    }
    p->number = 0;
    return 1;
}

static int mpi_missing(uint32_t number, int n, int *rank)
{
    posting *p = &posts[number - 1];
    int k = 0;
    for (int i = 0; i < p->nrecv && k < n; i++) {
        int flag = 0, seen = 0;
        if (p->request[i] != MPI_REQUEST_NULL &&
            MPI_Request_get_status(p->request[i], &flag, MPI_STATUS_IGNORE)) flag = 1;
        if (p->request[i] == MPI_REQUEST_NULL || flag) continue;
        for (int j = 0; j < k; j++) seen |= rank[j] == p->rank[i];
        if (!seen) rank[k++] = p->rank[i];
    }
    return k;
}

static wire_engine engine;

/* ---- start and end ---- */

/* MPI_Finalize of MPICH before 4.2 may wait for ever between hosts: a rank that is done waits in a call that does not
 * move on what the other ranks still send (MPICH's pull request 6596). All ranks have met when they end well; so a rank
 * that Hydra has started only tells Hydra so, in the protocol PMI-1. True if it did. */
#if defined MPICH_NUMVERSION && MPICH_NUMVERSION < 40200000
static bool left_by_hydra(void)
{
    static const char end[] = "cmd=finalize\n", yes[] = "cmd=finalize_ack";
    const char *const at = getenv("PMI_FD");
    char answer[256];
    if (engine.hosts == 1 || !at || !getenv("MPI_LOCALNRANKS")) return false;
    if (write(atoi(at), end, sizeof end - 1) != (ssize_t)sizeof end - 1) return false;
    const ssize_t n = read(atoi(at), answer, sizeof answer);
    return n >= (ssize_t)sizeof yes - 1 && !memcmp(answer, yes, sizeof yes - 1);
}
#else
static bool left_by_hydra(void) { return false; }
#endif

static void mpi_end(bool well, int code)
{
    int over = 0;
    MPI_Finalized(&over);
    if (!well) {
        if (!over) MPI_Abort(MPI_COMM_WORLD, code);
        return;
    }
    if (over) return;
    timer t;
    timer_start(&t, "the ranks leave");
    if (!started) MPI_Comm_free(&all);
    else if (!left_by_hydra()) MPI_Comm_free(&all), MPI_Finalize();
    timer_stop(&t);
}

static bool find_hosts(void)
{
    static int host_count;
    const int n = engine.ranks;
    int leader = engine.me, *of = calloc((size_t)n, sizeof *of), *mine = malloc((size_t)n * sizeof *mine);
    MPI_Comm near;
    if (!of || !mine) return false;
    if (MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, engine.me, MPI_INFO_NULL, &near) != MPI_SUCCESS) return false;
    MPI_Bcast(&leader, 1, MPI_INT, 0, near);             /* the lowest rank of the host names it */
    MPI_Comm_free(&near);
    if (MPI_Allgather(&leader, 1, MPI_INT, mine, 1, MPI_INT, all) != MPI_SUCCESS) return false;
    host_count = 0;
    for (int r = 0; r < n; r++) of[r] = mine[r] == r ? host_count++ : of[mine[r]];
    free(mine);
    engine.host_of = of;
    engine.host = of[engine.me];
    engine.hosts = host_count;
    return true;
}

static bool begin(const char **why)
{
    int is = 0, provided = 0, code;
    MPI_Initialized(&is);
    if (!is) {
        code = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
        if (code != MPI_SUCCESS) return *why = message("MPI_Init_thread", code), false;
        started = true;
    } else MPI_Query_thread(&provided);
    if (provided < MPI_THREAD_SERIALIZED) return *why = "MPI was started without MPI_THREAD_SERIALIZED", false;
    if ((code = MPI_Comm_dup(MPI_COMM_WORLD, &all)) != MPI_SUCCESS) return *why = message("MPI_Comm_dup", code), false;
    MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN);
    if (started) {                                       /* calls without a communicator report to these */
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    }
    MPI_Comm_rank(all, &engine.me);
    MPI_Comm_size(all, &engine.ranks);
    *why = "the ranks of a host cannot be found";
    return find_hosts();
}

__attribute__((visibility("default"))) const wire_engine *tutti_wire(uint32_t abi, const wire_host *h, const char **why)
{
    int n = 0;
    timer t;
    if (abi != WIRE_ABI || h->size != sizeof *h) return *why = "it was built for another version", NULL;
    host = h;
    MPI_Get_library_version(library, &n);
    library[strcspn(library, ",\n")] = '\0';
    timer_start(&t, "the ranks come together");
    const bool good = begin(why);
    timer_stop(&t);
    if (!good) return NULL;
    engine.size = sizeof engine;
    engine.name = library;
    engine.post = mpi_post;
    engine.done = mpi_done;
    engine.missing = mpi_missing;
    engine.end = mpi_end;
    return &engine;
}
