/* run/far.c - exchanges between ranks: what a rank packs, sends and receives, and where its pulls find what has
 * arrived.
 *
 * Sender and receiver enumerate the same pulls in the same order (pull.c), so no message is negotiated. For each
 * instance of the destination that a rank holds, every source instance that the rank does not hold comes from one
 * holder (run_sender), as a dense rectangle; a rectangle that several destinations of a rank need is sent once. An
 * exchange has at most one message from a rank to another: a head (wire.h), then the rectangles.
 *
 * Ranks that share memory (wire/shared.c) read larger sources where they are, with the strides that they have: then
 * only heads are sent, and the source must not change before all have read it (run_far_end).
 *
 * Sums: each rank adds in the order of one process, so the bits are those of one process. */
#include "inner.h"

#include <string.h>

enum { HEADS = 256, ALIGN = 64 };
int64_t run_in_place_least = 2 << 10;                    /* bytes of an instance that is read in place */

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
    bool large, *group;                                  /* ranks that share memory read in place; of a common copy */
} collector;

/* True if what is exchanged with the rank is read in place: both ranks know it. */
static bool is_in_place(const collector *c, int rank) { return c->large && wire_shares(rank); }

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
    bool packed = false;
    for (uint32_t k = 0; k < q->nsrc; k++) {
        const int64_t i = q->instance[k];
        if (run_holds(c->ranks, i, c->to)) continue;
        const int sender = run_sender(c->ranks, i, c->to, c->host_of);
        packed |= !is_in_place(c, sender);
        if (c->to == c->me) add_piece(c->arena, &c->come[sender], i, q);
        else if (sender == c->me) add_piece(c->arena, &c->go[c->to], i, q);
    }
    /* the sources of one pull have the same strides: those of this rank are packed too, unless they are dense */
    for (uint32_t k = 0; packed && c->to == c->me && q->nsrc > 1 && !dense(q) && k < q->nsrc; k++)
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
static int64_t place_pieces(pieces *l, int64_t size, int64_t *at, bool head)
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

/* Appends the pulls that pack a list; in place: those that copy it to the same offsets. */
static void pack_list(run_far *f, const collector *c, int64_t from_at, const pieces *l, bool in_place)
{
    for (int32_t i = 0; i < l->n; i++) {
        const piece *p = &l->p[i];
        run_pull *q = in_place ? &f->copy[f->ncopy++] : &f->pack[f->npack++];
        int64_t *src = BASE_NEW(c->arena, int64_t, 1), step = 1;
        const int64_t offset = c->ranks->slot[p->instance] * c->from->bytes + p->inside;
        *q = (run_pull){ .rank = p->rank, .at = in_place ? offset : p->at, .count = p->count, .nsrc = 1, .src = src };
        *src = from_at + offset;
        for (int d = p->rank - 1; d >= 0; step *= p->n[d--])
            q->n[d] = p->n[d], q->from[d] = p->step[d], q->to[d] = in_place ? p->step[d] : step;
    }
}

/* True if the receiver reads packed rectangles where the sender has packed them. */
static bool is_read_there(int rank, int64_t bytes) { return wire_shares(rank) && bytes > WIRE_SMALL; }

static void bind_peer(run_far *f, collector *c, int64_t from_at, run_peer *p, int64_t *area)
{
    pieces *const go = &c->go[p->rank], *const come = &c->come[p->rank];
    p->in_place = is_in_place(c, p->rank);
    p->sends = go->n || c->group[p->rank], p->receives = come->n || c->group[p->rank];
    p->send_at = *area;
    if (!p->in_place) p->send_bytes = place_pieces(go, c->size, area, true);
    pack_list(f, c, from_at, go, p->in_place);
    p->recv_at = *area;
    if (!p->in_place) p->recv_bytes = place_pieces(come, c->size, area, true);
    const bool there = is_read_there(p->rank, p->recv_bytes);
    if (there) *area = p->recv_at;
    f->in_place |= p->in_place || there || is_read_there(p->rank, p->send_bytes);
}

/* True if the two ranks exchange messages: for a common copy all of the group do, since all wait for the shares of
 * all. */
static bool is_peer(const collector *c, int rank)
{
    return rank != c->me && (c->group[rank] || c->go[rank].n || c->come[rank].n);
}

bool run_far_alike(const run_storage *to, int me, int rank)
{
    bool some = !to->ranks;
    for (int64_t i = 0; to->ranks && i < to->ranks->all; i++) {
        const bool mine = run_holds(to->ranks, i, me);
        if (mine != run_holds(to->ranks, i, rank)) return false;
        some |= mine;
    }
    return some;
}

/* Finds the ranks that have the common copy. */
static void bind_group(run_far *f, const collector *c, const run_storage *to, int ranks)
{
    f->owner = c->me;
    for (int r = ranks - 1; r >= 0; r--) {
        if (!c->group[r]) continue;
        f->members++, f->place += r < c->me;
        if (r < f->owner) f->owner = r;
    }
    f->common = f->members ? run_storage_instances(to) * to->bytes : 0;
}

bool run_far_bind(base_arena *a, const run_storage *from, int64_t from_at, const run_storage *to,
                  const run_route *route, bool common, int64_t *area, run_far **far)
{
    const run_job_shape job = run_job_now();
    const wire_engine *e = wire_now();
    *far = NULL;
    if (!e || job.ranks < 2 || !from->ranks || from->global) return true;
    collector *const c = BASE_NEW(a, collector, 1);
    *c = (collector){ .arena = a, .from = from, .ranks = from->ranks, .me = job.me, .host_of = e->host_of,
                      .size = from->size };
    /* the sources of one pull have the same strides, so those of a sum are read in place only if all are */
    c->large = common || (to->bytes >= run_in_place_least && (e->hosts == 1 || !route->over));
    c->group = BASE_NEW(a, bool, job.ranks);
    for (int r = 0; common && r < job.ranks; r++) c->group[r] = run_far_alike(to, job.me, r);
    c->come = BASE_NEW(a, pieces, job.ranks);
    c->go = BASE_NEW(a, pieces, job.ranks);
    for (c->to = 0; c->to < job.ranks; c->to++) if (!collect_all(c, to, route)) return false;
    run_far *f = BASE_NEW(a, run_far, 1);
    int32_t n = c->own.n;
    for (int r = 0; r < job.ranks; r++) n += c->go[r].n, f->npeer += is_peer(c, r);
    if (!f->npeer) return true;
    if (common && !wire_shares_all()) return base_bug(NULL, "a common copy, where ranks do not share memory");
    f->nblock = common;
    bind_group(f, c, to, job.ranks);
    f->found = c, f->dtype = from->dtype, f->from_at = from_at;
    f->part_bytes = from->bytes, f->copied_bytes = base_round_up(run_storage_instances(from) * from->bytes, WIRE_PAGE);
    f->pack = BASE_NEW(a, run_pull, n);
    f->copy = BASE_NEW(a, run_pull, n);
    f->peer = BASE_NEW(a, run_peer, f->npeer);
    f->part = BASE_NEW(a, wire_part, 4 * (size_t)f->npeer);
    f->first = BASE_NEW(a, wire_first, f->npeer);
    f->from_rank = BASE_NEW(a, wire_sender, f->npeer);
    *area = f->area_lo = base_round_up(*area, ALIGN);
    run_peer *peer = f->peer;
    for (int r = 0; r < job.ranks; r++) {
        if (!is_peer(c, r)) continue;
        peer->rank = r;
        bind_peer(f, c, from_at, peer, area);
        if (r < f->owner) f->owner_first += peer->receives;
        peer++;
    }
    if (f->common) *area += ALIGN;                       /* what a rank without sources shows to the others */
    place_pieces(&c->own, c->size, area, false);
    pack_list(f, c, from_at, &c->own, false);
    f->area_hi = *area;
    *area = base_round_up(*area, WIRE_PAGE);             /* other ranks may read it */
    *far = f;
    return true;
}

/* Sets what a source of this rank's pull is in, and where. packs: the pull's own sources are packed. */
static bool source_at(const run_far *f, const run_pull *q, int64_t i, bool packs, int64_t from_at, int64_t *at,
                      int32_t *of)
{
    collector *const c = f->found;
    if (run_holds(c->ranks, i, c->me)) {
        const piece *const own = packs ? find_piece(&c->own, i, q) : NULL;
        *of = own ? RUN_AREA : RUN_OWN;
        *at = own ? own->at : from_at + c->ranks->slot[i] * c->from->bytes + q->inside;
        return own || !packs;
    }
    const int sender = run_sender(c->ranks, i, c->me, c->host_of);
    const piece *const p = find_piece(&c->come[sender], i, q);
    const run_peer *peer = f->peer;
    if (!p) return false;
    while (peer->rank != sender) peer++;
    const bool there = is_read_there(sender, peer->recv_bytes);
    *of = peer->in_place || there ? (int32_t)(peer - f->peer) : RUN_AREA;
    *at = peer->in_place ? run_index_in(c->ranks, i, sender) * c->from->bytes + q->inside
          : there ? p->at - peer->recv_at - (int64_t)sizeof(wire_head) : p->at;
    return true;
}

/* Sets the sources of a pull of this rank. */
bool run_far_sources(const run_far *f, run_pull *q, int64_t *src, int32_t *of, int64_t from_at)
{
    const collector *const c = f->found;
    const run_pull whole = *q;
    bool packed = false;
    for (uint32_t k = 0; k < q->nsrc; k++)
        packed |= !run_holds(c->ranks, q->instance[k], c->me) &&
                  !is_in_place(c, run_sender(c->ranks, q->instance[k], c->me, c->host_of));
    const bool packs = packed && q->nsrc > 1 && !dense(&whole);
    for (uint32_t k = 0; k < q->nsrc; k++)
        if (!source_at(f, &whole, q->instance[k], packs, from_at, &src[k], &of[k]))
            return base_bug(NULL, "a pull needs instance %lld, which no rank sends", (long long)q->instance[k]);
    int64_t step = 1;
    for (int d = q->rank - 1; packed && d >= 0; step *= q->n[d--]) q->from[d] = step;
    return true;
}

/* ---- when a program runs ---- */

enum { HEAD = sizeof(wire_head), OF_BLOCK = sizeof(int64_t) };

/* The first instance of the source, in memory that the ranks of this host share; NULL with the error set. */
static char *shared_source(run_far *f, const char *from)
{
    if (wire_is_shared(from + f->from_at)) return (char *)from + f->from_at;
    const run_how copy = { f->dtype, f->dtype, MESH_NONE, false };
    f->copied = wire_pages((size_t)f->copied_bytes);
    for (uint32_t i = 0; f->copied && i < f->ncopy; i++)
        run_pull_do(&f->copy[i], 0, f->copy[i].count, &copy, f->copied, from);
    return f->copied;
}

/* The message from a rank: a head with the rectangles behind it, or, if these are many bytes, two messages. */
static wire_part *receive(run_far *f, char *area, run_peer *p, wire_part *part)
{
    const bool alone = p->in_place || p->recv_bytes > WIRE_SMALL, there = is_read_there(p->rank, p->recv_bytes);
    const int64_t head = HEAD + f->nblock * OF_BLOCK;
    void *const first = alone ? (void *)&f->first[f->nfrom] : area + p->recv_at;
    f->from_rank[f->nfrom++] = (wire_sender){ p->rank, first };
    p->come = p->in_place || there ? part + 1 : NULL;
    *part++ = (wire_part){ p->rank, first, head + (alone ? 0 : p->recv_bytes), sizeof(wire_first), false };
    if (p->in_place) *part++ = (wire_part){ p->rank, NULL, f->part_bytes, 0, true };
    else if (alone) *part++ = (wire_part){ p->rank, area + p->recv_at + HEAD, p->recv_bytes, 0, there };
    return part;
}

static wire_part *send_to(run_far *f, char *area, const run_peer *p, char *source, wire_part *part)
{
    const bool alone = p->in_place || p->send_bytes > WIRE_SMALL, there = is_read_there(p->rank, p->send_bytes);
    void *const first = alone ? (void *)&f->mine : area + p->send_at;
    const int64_t head = HEAD + f->nblock * OF_BLOCK;
    if (!alone) memcpy(first, &f->mine.head, HEAD);
    *part++ = (wire_part){ p->rank, first, head + (alone ? 0 : p->send_bytes), 0, false };
    if (p->in_place) *part++ = (wire_part){ p->rank, source, f->part_bytes, 0, true };
    else if (alone) *part++ = (wire_part){ p->rank, area + p->send_at + HEAD, p->send_bytes, 0, there };
    return part;
}

bool run_far_post(run_far *f, char *area, const char *from, base_site site, base_name name, uint64_t program,
                  uint32_t turn)
{
    wire_part *const recv = f->part, *const send = recv + 2 * f->npeer, *r = recv, *s = send;
    char *const source = f->ncopy ? shared_source(f, from) : f->nblock ? area + f->area_lo : NULL;
    if (f->ncopy && !source) return false;
    if (f->common && !f->place && !(f->next = run_common_take(f->common, f->members))) return false;
    if (f->shares && !run_shares_offer(f)) return false;
    f->nfrom = 0;
    if (f->common) f->mine.block[0] = f->next ? wire_offset(f->next) : 0;
    f->mine.head = wire_head_of(program, turn, f->ordinal, site, name);
    for (run_peer *p = f->peer; p < f->peer + f->npeer; p++) {
        if (p->receives) r = receive(f, area, p, r);
        if (p->sends) s = send_to(f, area, p, source, s);
    }
    f->post = wire_post(site, f->nfrom, f->from_rank, (int)(r - recv), recv, (int)(s - send), send, name);
    return f->post != 0;
}

/* After a failure messages may still come: the caller never frees the area then. */
bool run_far_wait(run_far *f, base_site site, base_name name)
{
    if (!wire_wait(site, f->post, &f->mine.head, f->nfrom, f->from_rank, name)) return false;
    if (f->common && f->place) {
        int64_t block;
        memcpy(&block, f->first[f->owner_first].rest, sizeof block);
        f->next = wire_at(f->owner, block);
    }
    return true;
}

int64_t run_far_address(const run_far *f, int32_t of, int64_t at, const char *from, const char *area)
{
    return of == RUN_OWN ? at : (of == RUN_AREA ? area : f->peer[of].base) + at - from;
}

/* Addresses of the sources, relative to `from`. */
void run_far_aim(run_far *f, const char *from, const char *area)
{
    bool same = f->from == from && f->area == area;
    f->from = from, f->area = area;
    for (run_peer *p = f->peer; p < f->peer + f->npeer; p++) {
        const char *const base = p->come ? p->come->at : NULL;
        same &= p->base == base;
        p->base = base;
    }
    for (int64_t k = 0; !same && k < f->nsrc; k++)
        f->src[k] = run_far_address(f, f->of[k], f->fixed[k], from, area);
}

void run_far_read(run_far *f)
{
    wire_read(f->post);
    if (!f->common) return;
    run_common_release(f->held);
    f->held = f->next, f->next = NULL;
}

void run_far_share(const run_far *f, int64_t count, int64_t share[2])
{
    enum { UNIT = 16 };                                  /* elements: no two ranks write to a cache line */
    for (int k = 0; k < 2; k++)
        share[k] = f->place + k == f->members ? count : count * (f->place + k) / f->members / UNIT * UNIT;
}

char *run_far_give(run_far *f)
{
    char *const held = f->held;
    f->held = NULL;
    return held;
}

bool run_far_end(run_far *f, base_site site, base_name name)
{
    if (!wire_end_post(site, f->post, name)) return false;
    wire_pages_free(f->copied, (size_t)f->copied_bytes);
    f->copied = NULL;
    return true;
}
