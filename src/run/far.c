/* run/far.c - exchanges between ranks: what a rank packs, sends and receives, and where its pulls find what has
 * arrived.
 *
 * Sender and receiver enumerate the same pulls in the same order (pull.c), so no message is negotiated. For each
 * instance of the destination that a rank holds, every source instance that the rank does not hold comes from one
 * holder (run_sender), as a dense rectangle; a rectangle that several destinations of a rank need is sent once. An
 * exchange has at most one message from a rank to another: a head (wire.h), then the rectangles.
 *
 * Sums: all parts come to each rank, and each rank adds all of them in the order of one process, so the bits are those
 * of one process. */
#include "inner.h"

#include <string.h>

enum { HEADS = 256, ALIGN = 64 };

/* A rectangle of a source instance, at `at` in the area once that is laid out. */
typedef struct {
    int64_t instance, inside, at, count; int rank; int64_t n[IR_RANK], step[IR_RANK];
    int32_t next;
} piece;
typedef struct { piece *p; int32_t n, capacity, head[HEADS]; } pieces;
/* to: the rank that receives. come[r]: what rank r sends to this rank; go[r]: what this rank sends to rank r; own: what
 * this rank packs for itself. */
typedef struct run_far_found {
    base_arena *arena; const run_storage *from; const run_ranks *ranks; int me, to; const int *host_of;
    pieces *come, *go, own; int64_t size;
} collector;

static bool dense(const run_pull *q)
{
    int64_t step = 1;
    for (int d = q->rank - 1; d >= 0; step *= q->n[d--]) if (q->from[d] != step) return false;
    return true;
}

static bool same_piece(const piece *a, int64_t instance, const run_pull *q)
{
    bool same = a->instance == instance && a->inside == q->inside && a->rank == q->rank;
    for (int d = 0; same && d < q->rank; d++) same = a->n[d] == q->n[d] && a->step[d] == q->from[d];
    return same;
}

static int32_t *head_of(pieces *l, int64_t instance, const run_pull *q)
{
    return &l->head[((uint64_t)instance * 31 + (uint64_t)q->inside) * UINT64_C(0x9E3779B97F4A7C15) >> 56];
}

static piece *find_piece(pieces *l, int64_t instance, const run_pull *q)
{
    for (int32_t i = *head_of(l, instance, q); i; i = l->p[i - 1].next)
        if (same_piece(&l->p[i - 1], instance, q)) return &l->p[i - 1];
    return NULL;
}

static void add_piece(base_arena *a, pieces *l, int64_t instance, const run_pull *q)
{
    if (find_piece(l, instance, q)) return;
    if (l->n == l->capacity) {
        piece *more = BASE_NEW(a, piece, l->capacity = 2 * l->capacity + 8);
        if (l->n) memcpy(more, l->p, (size_t)l->n * sizeof *more);
        l->p = more;
    }
    piece *p = &l->p[l->n++];
    *p = (piece){ .instance = instance, .inside = q->inside, .count = q->count, .rank = q->rank };
    for (int d = 0; d < q->rank; d++) p->n[d] = q->n[d], p->step[d] = q->from[d];
    int32_t *const head = head_of(l, instance, q);
    p->next = *head, *head = l->n;
}

static bool collect(void *env, const run_pull *q)
{
    collector *c = env;
    bool far = false;
    for (uint32_t k = 0; k < q->nsrc; k++) {
        const int64_t i = q->instance[k];
        if (run_holds(c->ranks, i, c->to)) continue;
        const int sender = run_sender(c->ranks, i, c->to, c->host_of);
        far = true;
        if (c->to == c->me) add_piece(c->arena, &c->come[sender], i, q);
        else if (sender == c->me) add_piece(c->arena, &c->go[c->to], i, q);
    }
    /* the sources of one pull have the same strides: those of this rank are packed too, unless they are dense */
    for (uint32_t k = 0; far && c->to == c->me && q->nsrc > 1 && !dense(q) && k < q->nsrc; k++)
        if (run_holds(c->ranks, q->instance[k], c->me)) add_piece(c->arena, &c->own, q->instance[k], q);
    return true;
}

static bool collect_all(collector *c, const run_storage *to, const run_route *route)
{
    const int64_t all = to->ranks ? to->ranks->all : 1;
    for (int64_t i = 0; i < all; i++) {
        uint32_t coord[MESH_ATOMS] = { 0 };
        ir_box box = { 0 };
        if (to->ranks && !run_holds(to->ranks, i, c->to)) continue;
        if (to->mesh) mesh_instance_coord(to->mesh, to->vary, i, coord);
        run_storage_box(to, coord, &box);
        if (!run_pulls(c->from, route, to->mesh == c->from->mesh ? coord : NULL, &box, collect, c)) return false;
    }
    return true;
}

/* Places the pieces one after the other from *at on; returns their bytes. head: memory for a head is before them, and a
 * message of few bytes has memory for any first message. */
static int64_t lay(pieces *l, int64_t size, int64_t *at, bool head)
{
    if (!l->n) return 0;
    if (head) *at += (int64_t)sizeof(wire_head);
    const int64_t first = *at;
    for (int32_t i = 0; i < l->n; i++) {
        l->p[i].at = *at;
        *at += base_round_up(l->p[i].count * size, 16);
    }
    const int64_t bytes = *at - first;
    if (head && bytes < WIRE_SMALL) *at = first + WIRE_SMALL;
    *at = base_round_up(*at, ALIGN);
    return bytes;
}

/* Appends the pulls that pack a list. */
static void pack_list(run_far *f, const collector *c, int64_t from_at, const pieces *l)
{
    for (int32_t i = 0; i < l->n; i++) {
        const piece *p = &l->p[i];
        run_pull *q = &f->pack[f->npack++];
        int64_t *src = BASE_NEW(c->arena, int64_t, 1), step = 1;
        *q = (run_pull){ .rank = p->rank, .at = p->at, .count = p->count, .nsrc = 1, .src = src };
        *src = from_at + c->ranks->slot[p->instance] * c->from->bytes + p->inside;
        for (int d = p->rank - 1; d >= 0; step *= p->n[d--])
            q->n[d] = p->n[d], q->from[d] = p->step[d], q->to[d] = step;
    }
}

bool run_far_bind(base_arena *a, const run_storage *from, int64_t from_at, const run_storage *to,
                  const run_route *route, int64_t *area, run_far **far)
{
    const run_job_shape job = run_job_now();
    const wire_engine *e = wire_now();
    *far = NULL;
    if (!e || job.ranks < 2 || !from->ranks || from->global) return true;
    collector *const c = BASE_NEW(a, collector, 1);
    *c = (collector){ .arena = a, .from = from, .ranks = from->ranks, .me = job.me, .host_of = e->host_of,
                      .size = from->size };
    c->come = BASE_NEW(a, pieces, job.ranks);
    c->go = BASE_NEW(a, pieces, job.ranks);
    for (c->to = 0; c->to < job.ranks; c->to++) if (!collect_all(c, to, route)) return false;
    run_far *f = BASE_NEW(a, run_far, 1);
    int32_t n = c->own.n;
    for (int r = 0; r < job.ranks; r++) n += c->go[r].n, f->npeer += c->go[r].n || c->come[r].n;
    if (!f->npeer) return true;
    f->found = c;
    f->pack = BASE_NEW(a, run_pull, n);
    f->peer = BASE_NEW(a, run_peer, f->npeer);
    f->part = BASE_NEW(a, wire_part, 4 * (size_t)f->npeer);
    f->first = BASE_NEW(a, wire_first, f->npeer);
    f->from_rank = BASE_NEW(a, wire_sender, f->npeer);
    *area = base_round_up(*area, ALIGN);
    f->area_lo = *area;
    run_peer *peer = f->peer;
    for (int r = 0; r < job.ranks; r++) {
        if (!c->go[r].n && !c->come[r].n) continue;
        peer->rank = r;
        peer->send_at = *area, peer->send_bytes = lay(&c->go[r], c->size, area, true);
        peer->recv_at = *area, peer->recv_bytes = lay(&c->come[r], c->size, area, true);
        pack_list(f, c, from_at, &c->go[r]);
        peer++;
    }
    lay(&c->own, c->size, area, false);
    pack_list(f, c, from_at, &c->own);
    f->area_hi = *area;
    *far = f;
    return true;
}

/* Sets the sources of a pull of this rank: offsets in the source's slot, or ~offset in the area. */
bool run_far_sources(const run_far *f, run_pull *q, int64_t *src, int64_t from_at)
{
    collector *const c = f->found;
    const run_pull whole = *q;
    bool far = false;
    for (uint32_t k = 0; k < q->nsrc; k++) far |= !run_holds(c->ranks, q->instance[k], c->me);
    for (uint32_t k = 0; k < q->nsrc; k++) {
        const int64_t i = q->instance[k];
        const bool here = run_holds(c->ranks, i, c->me);
        piece *p = !here ? find_piece(&c->come[run_sender(c->ranks, i, c->me, c->host_of)], i, &whole)
                   : far && q->nsrc > 1 && !dense(&whole) ? find_piece(&c->own, i, &whole) : NULL;
        if (!here && !p) return base_bug(NULL, "a pull needs instance %lld, which no rank sends", (long long)i);
        src[k] = p ? ~p->at : from_at + c->ranks->slot[i] * c->from->bytes + q->inside;
    }
    int64_t step = 1;
    for (int d = q->rank - 1; far && d >= 0; step *= q->n[d--]) q->from[d] = step;
    return true;
}

/* ---- when a program runs ---- */

/* The message from a rank: a head with the rectangles behind it, or, if these are many bytes, two messages. */
static int receive(run_far *f, char *area, const run_peer *p, wire_part *part)
{
    enum { HEAD = sizeof(wire_head), MOST = sizeof(wire_first) };
    const bool small = p->recv_bytes <= WIRE_SMALL;
    void *const first = small ? (void *)(area + p->recv_at) : &f->first[f->nfrom];
    f->from_rank[f->nfrom++] = (wire_sender){ p->rank, first };
    part[0] = (wire_part){ p->rank, first, small ? HEAD + p->recv_bytes : HEAD, MOST };
    if (!small) part[1] = (wire_part){ p->rank, area + p->recv_at + HEAD, p->recv_bytes, 0 };
    return small ? 1 : 2;
}

static int send_to(run_far *f, char *area, const run_peer *p, wire_part *part)
{
    enum { HEAD = sizeof(wire_head) };
    const bool small = p->send_bytes <= WIRE_SMALL;
    if (small) memcpy(area + p->send_at, &f->mine, HEAD);
    void *const first = small ? (void *)(area + p->send_at) : &f->mine;
    part[0] = (wire_part){ p->rank, first, HEAD + (small ? p->send_bytes : 0), 0 };
    if (!small) part[1] = (wire_part){ p->rank, area + p->send_at + HEAD, p->send_bytes, 0 };
    return small ? 1 : 2;
}

bool run_far_post(run_far *f, char *area, base_site site, base_name name, uint64_t program, uint32_t turn)
{
    wire_part *recv = f->part, *send = recv + 2 * f->npeer;
    int nrecv = 0, nsend = 0;
    f->nfrom = 0;
    f->mine = wire_head_of(program, turn, f->ordinal, site, name);
    for (const run_peer *p = f->peer; p < f->peer + f->npeer; p++) {
        if (p->recv_bytes) nrecv += receive(f, area, p, recv + nrecv);
        if (p->send_bytes) nsend += send_to(f, area, p, send + nsend);
    }
    f->post = wire_post(site, f->nfrom, f->from_rank, nrecv, recv, nsend, send, name);
    return f->post != 0;
}

/* After a failure messages may still come: the caller never frees the area then. */
bool run_far_wait(run_far *f, base_site site, base_name name)
{
    return wire_wait(site, f->post, &f->mine, f->nfrom, f->from_rank, name);
}

/* Addresses of the sources, relative to `from`. */
void run_far_aim(run_far *f, const char *from, const char *area)
{
    if (f->from == from && f->area == area) return;
    f->from = from, f->area = area;
    for (int64_t k = 0; k < f->nsrc; k++) f->src[k] = f->fixed[k] < 0 ? area + ~f->fixed[k] - from : f->fixed[k];
}
