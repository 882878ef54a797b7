/* wire/post.c - posts: sets of parts that a rank sends and receives together. A part goes one of two ways, which
 * sender and receiver derive from the same facts:
 * - mail (shared.c): small parts, and parts that are read in place, between ranks that share memory;
 * - the engine: all other parts.
 *
 * A post with parts that are read in place stays open after the wait, until this rank has read the parts that it
 * received (wire_read) and the receivers have read the parts that it sent (wire_end_post).
 *
 * With TUTTI=link a post arrives no earlier than over that link, which transfers one post after the other. */
#include "inner.h"

#include <stdlib.h>
#include <string.h>

typedef struct { wire_part *to; int rank; bool in_place, over; uint64_t number; } letter;
typedef struct {
    bool open, in_place; uint32_t engine;                /* engine: number of its post; 0: none, or done */
    double ready;                                        /* when the simulated link has brought it; 0: no link */
    const char *failed;                                  /* why the engine's post failed */
    int nrecv, nsend, capacity; letter *letter;          /* received, then sent */
    wire_part *part;                                     /* [capacity]: those of the engine */
} posting;
static posting *posts;                                   /* a program may end many only at its own end */
static int nposts, first_free;                           /* none before first_free is free */
static int under_way;                                    /* posts of the engine that are not done */
static char text[200];
static struct { bool is; double latency, per_byte, free; } link;     /* free: when it has brought all that was posted */

void wire_set_link(double latency, double per_byte)
{
    link.is = true, link.latency = latency, link.per_byte = per_byte;
    wire_share_off();
}

static double link_ready(int nrecv, const wire_part *recv)
{
    const double now = link.is ? base_seconds() : 0;
    if (!link.is || !nrecv) return 0;
    if (now > link.free) link.free = now;
    for (int i = 0; i < nrecv; i++) link.free += link.per_byte * (double)recv[i].bytes;
    return link.free + link.latency;
}

static bool is_mail(const wire_part *p) { return wire_shares(p->rank) && (p->in_place || p->bytes <= WIRE_MAIL); }

static bool reserve(posting *p, int n)
{
    if (n <= p->capacity) return true;
    base_heap_free(p->letter);
    base_heap_free(p->part);
    p->letter = base_heap((size_t)n * sizeof *p->letter);
    p->part = base_heap((size_t)n * sizeof *p->part);
    p->capacity = p->letter && p->part ? n : 0;
    return p->capacity;
}

static posting *free_post(void)
{
    while (first_free < nposts && posts[first_free].open) first_free++;
    if (first_free < nposts) return &posts[first_free];
    const int n = 2 * nposts + 16;
    posting *const more = base_heap((size_t)n * sizeof *more);
    if (!more) return NULL;
    if (nposts) memcpy(more, posts, (size_t)nposts * sizeof *more);
    memset(more + nposts, 0, (size_t)(n - nposts) * sizeof *more);
    base_heap_free(posts);
    posts = more, nposts = n;
    return &posts[first_free];
}

static void close_post(posting *p)
{
    p->open = false;
    if (p - posts < first_free) first_free = (int)(p - posts);
}

typedef struct { const wire_part *part; letter *to; } mail;

static int mailed(void *env, const char **why)
{
    (void)why;
    const mail *const m = env;
    return wire_mail(m->part, &m->to->number);
}

/* Sends a part; waits while the receiver's mailbox is full. */
static bool send_mail(const wire_part *part, letter *to, const char **why)
{
    mail m = { part, to };
    *to = (letter){ .rank = part->rank, .in_place = part->in_place };
    if (mailed(&m, why) || wire_poll(mailed, &m, why) > 0) return true;
    base_snprintf(text, sizeof text, "rank %d has not read its messages for %g s", part->rank, wire_patience());
    *why = text;
    return false;
}

uint32_t wire_start(int nrecv, wire_part *recv, int nsend, const wire_part *send, const char **why)
{
    const wire_engine *const e = wire_now();
    posting *const p = free_post();
    *why = "out of memory for a post";
    if (!p || !reserve(p, nrecv + nsend)) return 0;
    p->nrecv = p->nsend = 0;
    p->in_place = false;
    int n = 0, from_engine = 0;
    for (int i = 0; i < nrecv; i++) {
        letter *const l = &p->letter[p->nrecv];
        p->in_place |= recv[i].in_place;
        if (!is_mail(&recv[i])) p->part[n++] = recv[i];
        else *l = (letter){ &recv[i], recv[i].rank, recv[i].in_place, false, wire_mail_expected(recv[i].rank) },
            p->nrecv++;
    }
    from_engine = n;
    for (int i = 0; i < nsend; i++) {
        p->in_place |= send[i].in_place;
        *why = "what is to be read in place is not in shared memory";
        if (send[i].in_place && !wire_is_shared(send[i].at)) return 0;
        if (!is_mail(&send[i])) p->part[n++] = send[i];
        else if (!send_mail(&send[i], &p->letter[p->nrecv + p->nsend++], why)) return 0;
    }
    p->engine = n ? e->post(from_engine, p->part, n - from_engine, p->part + from_engine, why) : 0;
    if (n && !p->engine) return 0;
    under_way += p->engine != 0;
    p->failed = NULL;
    p->ready = link_ready(nrecv, recv);
    p->open = true;
    return (uint32_t)(p - posts) + 1;
}

static void move_on(posting *p)
{
    const int done = p->engine && !p->failed ? wire_now()->done(p->engine, &p->failed) : 0;
    if (done < 0 && !p->failed) p->failed = "the engine failed";
    if (done > 0) p->engine = 0, under_way--;
}

void wire_progress(void)
{
    for (posting *p = posts; under_way && p < posts + nposts; p++) if (p->open) move_on(p);
}

int wire_come(uint32_t post, const char **why)
{
    posting *const p = &posts[post - 1];
    int all = 1;
    for (letter *l = p->letter; l < p->letter + p->nrecv; l++) {
        int64_t bytes = 0;
        const int came = l->over ? 1 : wire_mail_come(l->to, l->number, &bytes);
        l->over = came > 0;
        all &= l->over;
        if (came >= 0) continue;
        base_snprintf(text, sizeof text,
                      "rank %d sent %lld bytes where this rank expects %lld: the ranks run different programs", l->rank,
                      (long long)bytes, (long long)l->to->bytes);
        return *why = text, -1;
    }
    move_on(p);
    if (p->failed) return *why = p->failed, -1;
    if (!all || p->engine || (p->ready && base_seconds() < p->ready)) return 0;
    if (!p->in_place) close_post(p);
    return 1;
}

void wire_read(uint32_t post)
{
    const posting *const p = &posts[post - 1];
    for (const letter *l = p->letter; l < p->letter + p->nrecv; l++)
        if (l->in_place) wire_mail_read(l->rank, l->number);
}

int wire_gone(uint32_t post, const char **why)
{
    (void)why;
    posting *const p = &posts[post - 1];
    for (letter *l = p->letter + p->nrecv; l < p->letter + p->nrecv + p->nsend; l++)
        if (l->in_place && !l->over && !(l->over = wire_mail_was_read(l->rank, l->number))) return 0;
    close_post(p);
    return 1;
}

int wire_missing(uint32_t post, int n, int *rank)
{
    const posting *const p = &posts[post - 1];
    int k = p->engine ? wire_now()->missing(p->engine, n, rank) : 0;
    for (const letter *l = p->letter; l < p->letter + p->nrecv + p->nsend && k < n; l++) {
        bool seen = l->over || (l >= p->letter + p->nrecv && !l->in_place);
        for (int i = 0; i < k; i++) seen |= rank[i] == l->rank;
        if (!seen) rank[k++] = l->rank;
    }
    return k;
}
