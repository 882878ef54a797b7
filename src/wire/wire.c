/* wire/wire.c - small messages of all ranks, over an engine: heads, waiting with a deadline, gathering, broadcasting,
 * meeting.
 *
 * All ranks call these functions in one order, each from the thread that launches. A wait polls: the thread yields,
 * since ranks may share a processor. After a failure it is unknown what the other ranks have sent, so no further
 * message is sent or received. */
#include "inner.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const wire_engine *engine;                        /* NULL: one process */
static double patience = WIRE_PATIENCE;
static _Atomic uint32_t turns;
static _Atomic bool failed;

void wire_use(const wire_engine *e)
{
    engine = e;
    atomic_store(&failed, false);
}

const wire_engine *wire_now(void) { return engine; }
int wire_rank(void) { return engine ? engine->me : 0; }
int wire_ranks(void) { return engine ? engine->ranks : 1; }
void wire_set_patience(double seconds) { patience = seconds; }
double wire_patience(void) { return patience; }
bool wire_failed(void) { return atomic_load(&failed); }
uint32_t wire_turns(void) { return turns; }
uint32_t wire_turn(void) { return ++turns; }

void wire_end(bool well, int code)
{
    atomic_store(&failed, true);
    engine->end(well, code);
}

static bool fails(void)
{
    atomic_store(&failed, true);
    return false;
}

/* ---- stopping together ---- */

static _Atomic uint32_t stop_at;                         /* turn; 0: none */

void wire_request_stop(void)
{
    enum { LATER = 4 };                                  /* turns, in which all ranks hear of it */
    if (!stop_at) stop_at = turns + LATER;
}

void wire_forget_stop(void) { stop_at = 0; }
bool wire_stops(void) { return stop_at && turns >= stop_at; }

/* Adopts the turn at which another rank requests a stop, unless that turn is over. */
static void hear_stop(const wire_head *h)
{
    if (h->stop > h->turn && (!stop_at || h->stop < stop_at)) stop_at = h->stop;
}

/* ---- heads ---- */

wire_head wire_head_of(uint64_t program, uint32_t turn, uint32_t step, base_site site, const char *what)
{
    wire_head h = { program, turn, step, stop_at, "" };
    const char *const line = site ? site : what && *what ? what : "an unknown line";
    memcpy(h.line, line, strnlen(line, sizeof h.line - 1));
    return h;
}

static void head_text(char *to, size_t capacity, const wire_head *h)
{
    const int n = (int)strnlen(h->line, sizeof h->line);
    const int32_t step = (int32_t)h->step;
    if (step >= 0 || step == WIRE_FIRST)
        base_snprintf(to, capacity, "%.*s (launch %u, of program %08x)", n, h->line, h->turn,
                      (uint32_t)(h->program >> 32));
    else base_snprintf(to, capacity, "%.*s (meeting %u)", n, h->line, h->turn);
}

/* True if all these heads are of the same meeting as `mine`, whatever their words. */
static bool only_words_differ(const wire_head *mine, int n, const wire_sender *from)
{
    bool only = mine->step == (uint32_t)WIRE_MEETING;
    for (int i = 0; i < n; i++) only &= from[i].head->step == mine->step && from[i].head->turn == mine->turn;
    return only;
}

static bool same_step(const wire_head *a, const wire_head *b)
{
    return a->program == b->program && a->turn == b->turn && a->step == b->step;
}

/* True if all heads that have come are of the step of `mine`. all: each has come. */
static bool heads_fit(base_site site, const wire_head *mine, int n, const wire_sender *from, bool all)
{
    char here[120], there[120];
    for (const wire_sender *s = from; s < from + n; s++) {
        const wire_head *const h = s->head;
        if (!all && !h->line[0]) continue;               /* wire_post has emptied the line */
        hear_stop(h);
        if (same_step(h, mine)) continue;
        head_text(here, sizeof here, mine);
        head_text(there, sizeof there, h);
        base_fail(TT_ERANK, site, "the ranks differ: rank %d is at %s, rank %d at %s", engine->me, here, s->rank,
                  there);
        return base_hint("all ranks make the same calls in the same order, with the same shapes, layouts and switches");
    }
    return true;
}

/* ---- waiting ---- */

static void name_missing(base_site site, uint32_t post, const char *what)
{
    enum { NAMED = 8 };
    int rank[NAMED];
    const int n = wire_missing(post, NAMED, rank);
    char list[16 * NAMED] = "";
    size_t at = 0;
    for (int i = 0; i < n; i++)
        at += (size_t)base_snprintf(list + at, sizeof list - at, "%s%d", i ? ", " : "", rank[i]);
    base_fail(TT_ERANK, site, "rank %d has waited %g s for %s %s%s in %s", engine->me, patience,
              n == 1 ? "rank" : "ranks", n ? list : "that receive", n == NAMED ? ", ..." : "", what);
    base_hint("a rank has ended, stands still, or does not make this call; TUTTI=patience:N waits N seconds");
}

/* Polls at first without pause, then between yields, and after SOON seconds with pauses: a rank that waits long leaves
 * its core to others. */
int wire_poll(int (*done)(void *env, const char **why), void *env, const char **why)
{
    /* polls before the first yield; if there are more ranks than processors; between looks at the clock */
    enum { SPINS = 1000, FEW = 20, LOOKS = 16 };
    const uint64_t spins = wire_crowded() ? FEW : SPINS;
    const double SOON = 5e-3;
    double since = 0, now = 0;
    for (uint64_t i = 0;; i++) {
        const int is = done(env, why);
        if (is) return is;
        if (i < spins) continue;
        if (now - since > SOON) nanosleep(&(struct timespec){ 0, 50000 }, NULL);
        else sched_yield();
        if (i % LOOKS) continue;
        now = base_seconds();
        if (!since) since = now;
        if (now - since >= patience) return 0;
    }
}

uint32_t wire_post(base_site site, int nfrom, const wire_sender *from, int nrecv, wire_part *recv, int nsend,
                   const wire_part *send, const char *what)
{
    const char *why = NULL;
    if (wire_failed()) {
        base_fail(TT_ERANK, site, "rank %d, %s: the job has failed or ended before", engine->me, what);
        return 0;
    }
    for (int i = 0; i < nfrom; i++) memset(from[i].head, 0, sizeof *from[i].head);
    const uint32_t post = wire_start(nrecv, recv, nsend, send, &why);
    if (!post) base_fail(TT_ERANK, site, "rank %d, %s: %s", engine->me, what, why), fails();
    return post;
}

typedef struct { uint32_t post, polls; const wire_head *mine; int nfrom; const wire_sender *from; } waiting;

/* A head of another step ends the wait, since the messages that this rank expects after it may never come. A head of
 * the same meeting does not, whatever its words: all ranks come to a meeting. */
static int has_come(void *env, const char **why)
{
    enum { LOOKS = 256 };                                /* polls between looks at the heads */
    waiting *const w = env;
    const int done = wire_come(w->post, why);
    if (done || ++w->polls % LOOKS) return done;
    for (int i = 0; i < w->nfrom; i++) {
        const wire_sender *const s = &w->from[i];
        if (s->head->line[0] && !same_step(s->head, w->mine) && !only_words_differ(w->mine, 1, s)) return -1;
    }
    return 0;
}

static int is_gone(void *post, const char **why) { return wire_gone(*(const uint32_t *)post, why); }

bool wire_wait(base_site site, uint32_t post, const wire_head *mine, int nfrom, const wire_sender *from,
               const char *what)
{
    const char *why = NULL;
    const int done = wire_poll(has_come, &(waiting){ post, 0, mine, nfrom, from }, &why);
    if (done > 0 && heads_fit(site, mine, nfrom, from, true)) return true;
    if (done > 0 && only_words_differ(mine, nfrom, from)) return false;
    if (done <= 0 && heads_fit(site, mine, nfrom, from, false)) {
        if (done) base_fail(TT_ERANK, site, "rank %d, %s: %s", engine->me, what, why);
        else name_missing(site, post, what);
    }
    return fails();
}

bool wire_end_post(base_site site, uint32_t post, const char *what)
{
    const char *why = NULL;
    if (wire_gone(post, &why) || wire_poll(is_gone, &post, &why) > 0) return true;
    name_missing(site, post, what);
    return fails();
}

/* ---- meetings ---- */

/* A message from each rank of recv and to each rank of send: a head, then the part's bytes. */
static bool talk(base_site site, const wire_head *mine, int nrecv, const wire_part *recv, int nsend,
                 const wire_part *send, const char *what)
{
    typedef struct { wire_head mine; wire_first *first; wire_sender *from; wire_part *part; } letters;
    const size_t n = (size_t)(nrecv + nsend) + 1;
    letters *const l = base_heap(sizeof *l + n * (sizeof(wire_first) + sizeof(wire_sender) + 2 * sizeof(wire_part)));
    if (!l) return fails();
    l->mine = *mine;
    l->first = (wire_first *)(l + 1);
    l->from = (wire_sender *)(l->first + n);
    l->part = (wire_part *)(l->from + n);
    wire_part *p = l->part;
    for (int i = 0; i < nrecv; i++) {
        l->from[i] = (wire_sender){ recv[i].rank, &l->first[i].head };
        *p++ = (wire_part){ recv[i].rank, &l->first[i], sizeof(wire_head), sizeof(wire_first), false };
        if (recv[i].bytes) *p++ = recv[i];
    }
    const int received = (int)(p - l->part);
    for (int i = 0; i < nsend; i++) {
        *p++ = (wire_part){ send[i].rank, &l->mine, sizeof(wire_head), 0, false };
        if (send[i].bytes) *p++ = send[i];
    }
    const uint32_t post = wire_post(site, nrecv, l->from, received, l->part, (int)(p - l->part) - received,
                                    l->part + received, what);
    const bool good = post && wire_wait(site, post, mine, nrecv, l->from, what);
    if (good) base_heap_free(l);                         /* after a failure messages may still come */
    return good;
}

/* Sends the same bytes to all other ranks, and receives theirs to all + r * bytes. */
static bool from_all(base_site site, const wire_head *mine, const void *own, int64_t bytes, void *all, const char *what)
{
    const int n = wire_ranks(), me = wire_rank();
    if (n == 1) return true;
    wire_part *part = base_heap(2 * (size_t)n * sizeof *part);
    if (!part) return fails();
    int k = 0;
    for (int r = 0; r < n; r++) {
        if (r == me) continue;
        part[k] = (wire_part){ r, bytes ? (char *)all + r * bytes : NULL, bytes, 0, false };
        part[n + k++] = (wire_part){ r, (void *)own, bytes, 0, false };
    }
    const bool good = talk(site, mine, k, part, k, part + n, what);
    base_heap_free(part);
    return good;
}

/* The head of messages whose bytes and purpose are in their word: so no message is taken for one of another size, nor
 * what a rank says at its end for what another gathers. */
static wire_head head_of_bytes(base_site site, int32_t step, int64_t bytes, const char *what)
{
    const uint64_t word = base_hash((uint64_t)bytes, what, what ? strlen(what) : 0);
    return wire_head_of(word, wire_turn(), (uint32_t)step, site, what);
}

bool wire_gather(base_site site, const void *mine, int64_t bytes, void *all, const char *what)
{
    const wire_head head = head_of_bytes(site, WIRE_GATHER, bytes, what);
    char *const own = (char *)all + wire_rank() * bytes;
    memmove(own, mine, (size_t)bytes);
    return from_all(site, &head, own, bytes, all, what);
}

bool wire_exchange(base_site site, int nrecv, const wire_part *recv, int nsend, const wire_part *send, const char *what)
{
    const wire_head head = head_of_bytes(site, WIRE_PARTS, 0, what);
    return talk(site, &head, nrecv, recv, nsend, send, what);
}

bool wire_first_bad(base_site site, bool good, int *first, const char *what)
{
    const int n = wire_ranks();
    const char mine = good;
    char *const all = base_heap((size_t)n);
    const bool came = all && wire_gather(site, &mine, 1, all, what);
    for (*first = 0; came && *first < n && all[*first];) ++*first;
    base_heap_free(all);
    return came;
}

/* A binomial tree rooted at `from`: with ranks counted from it, rank r receives from r without its highest bit. */
bool wire_broadcast(base_site site, int from, void *at, int64_t bytes, const char *what)
{
    const wire_head head = head_of_bytes(site, WIRE_TREE, bytes, what);
    const int n = wire_ranks(), me = (wire_rank() - from + n) % n;
    int bit = 1;
    while (bit <= me) bit *= 2;
    if (me) {
        const wire_part source = { (me - bit / 2 + from) % n, at, bytes, 0, false };
        if (!talk(site, &head, 1, &source, 0, NULL, what)) return false;
    }
    for (; me + bit < n; bit *= 2) {
        const wire_part target = { (me + bit + from) % n, at, bytes, 0, false };
        if (!talk(site, &head, 0, NULL, 1, &target, what)) return false;
    }
    return true;
}

bool wire_agree(base_site site, uint64_t word, uint32_t turn, int32_t step, const char *what)
{
    const wire_head head = wire_head_of(word, turn, (uint32_t)step, site, what);
    return from_all(site, &head, NULL, 0, NULL, what);
}

bool wire_meet(base_site site, const char *name)
{
    char line[256];
    base_snprintf(line, sizeof line, "\"%s\" %s", name, site ? site : "");
    const wire_head head = wire_head_of(base_hash(2, name, strlen(name)), wire_turn(), (uint32_t)WIRE_MEETING, NULL,
                                        line);
    return from_all(site, &head, NULL, 0, NULL, name);
}
