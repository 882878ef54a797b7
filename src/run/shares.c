/* run/shares.c - steps whose results all ranks of a group would compute alike, so that each rank computes a share of
 * the tiles, in memory that the ranks of a host share: the update of parameters that all ranks hold.
 *
 * Such a step has the stages of an exchange (bind_exchange.c), without pulls:
 * - post: this rank reads no longer what the step overwrites, and offers memory for the results;
 * - wait: the other ranks have posted too, so it is known where the results are;
 * - pull: the kernel runs this rank's tiles;
 * - read, end: this rank's share is there; those of the others are.
 *
 * Where a result is, for all results of the step alike:
 * - If each rank gives away an argument whose buffer the result may take, and that is one block that the group holds
 *   already: there. A training loop so keeps its blocks.
 * - If the group's first rank gives away no such argument: in a block that the first rank takes (common.c).
 * - Else, for example if a rank has kept the argument: each rank computes all tiles in a buffer of its own.
 *
 * A tile is computed by the same kernel from the same values on whatever rank, so the bits are those of one process. */
#include "inner.h"

#include <string.h>

enum { IN_PLACE = 1, SHOWN = 64 };                       /* IN_PLACE: added to an offset; SHOWN: bytes, see far.c */
typedef struct { uint32_t number; int64_t bytes; char *have; } share_result;     /* have: the block of the argument */
typedef struct run_shares {
    uint32_t n; share_result *result;
    int64_t ninstance, *all, *tile, *range;              /* all, tile: as run_bound.tile; range: as run_bound.share */
} run_shares;

int64_t run_shares_least = 1 << 20;

/* ---- at bind ---- */

static run_far *group_of(run_program *p, const run_storage *to)
{
    const int me = wire_rank(), ranks = wire_ranks();
    run_far *const f = BASE_NEW(p->arena, run_far, 1);
    f->owner = me;
    for (int r = ranks - 1; r >= 0; r--) {
        if (!run_far_alike(to, me, r)) continue;
        f->members++, f->place += r < me, f->npeer += r != me;
        if (r < f->owner) f->owner = r;
    }
    if (!f->npeer) return NULL;
    f->peer = BASE_NEW(p->arena, run_peer, f->npeer);
    f->part = BASE_NEW(p->arena, wire_part, 4 * (size_t)f->npeer);
    f->first = BASE_NEW(p->arena, wire_first, f->npeer);
    f->from_rank = BASE_NEW(p->arena, wire_sender, f->npeer);
    run_peer *peer = f->peer;
    for (int r = 0; r < ranks; r++)
        if (r != me && run_far_alike(to, me, r))
            *peer++ = (run_peer){ .rank = r, .in_place = true, .sends = true, .receives = true };
    f->in_place = true, f->result = -1, f->part_bytes = SHOWN;
    f->area_lo = base_round_up(p->area_bytes, WIRE_PAGE), f->area_hi = f->area_lo + SHOWN;
    p->area_bytes = f->area_lo + WIRE_PAGE;
    return f;
}

/* Of the tiles of each instance, this rank computes those of its place in the group; own: or all. */
static void divide(const run_far *f, bool own)
{
    run_shares *const s = f->shares;
    for (int64_t i = 0; i < s->ninstance; i++) {
        const int64_t n = s->all[i + 1] - s->all[i];
        for (int k = 0; k < 2; k++) s->range[2 * i + k] = own ? k * n : n * (f->place + k) / f->members;
        s->tile[i + 1] = s->tile[i] + s->range[2 * i + 1] - s->range[2 * i];
    }
}

bool run_shares_bind(run_program *p, run_bound *b, int64_t *tile)
{
    const run_step *const s = b->step;
    if (!b->n) return true;                              /* a rank without devices of the mesh */
    if (!s->nwritten || s->nwritten > RUN_SHARES || b->kernel->finish)
        return run_step_bad(s, "cannot be computed in shares");
    if (run_common_least() == INT64_MAX) return run_step_bad(s, "is computed in shares, but ranks do not share memory");
    run_shares *const w = BASE_NEW(p->arena, run_shares, 1);
    w->n = s->nwritten, w->result = BASE_NEW(p->arena, share_result, w->n);
    const uint32_t *const result = s->arg + s->narg - s->nwritten;
    for (uint32_t k = 0; k < w->n; k++) {
        const run_value *v = &p->plan->value[result[k]];
        if (v->space != RUN_RESULT) return run_step_bad(s, "is computed in shares, and is no result of the program");
        w->result[k] = (share_result){ (uint32_t)v->at, run_storage_instances(&p->storage[result[k]]) *
                                       p->storage[result[k]].bytes, NULL };
    }
    if (!(b->far = group_of(p, &p->storage[result[0]]))) return run_step_bad(s, "is computed in shares by one rank");
    b->far->ordinal = ++p->exchanges;
    b->far->nblock = (int)w->n;
    b->far->shares = w;
    w->ninstance = b->n, w->all = tile;
    w->tile = BASE_NEW(p->arena, int64_t, b->n + 1), w->range = BASE_NEW(p->arena, int64_t, 2 * b->n);
    divide(b->far, false);
    b->tile = w->tile, b->share = w->range;
    b->far->next_common = p->common, p->common = b->far;
    return true;
}

bool run_has_shares(const run_program *p, uint32_t result)
{
    for (const run_far *f = p->common; f; f = f->next_common)
        for (uint32_t k = 0; f->shares && k < f->shares->n; k++) if (f->shares->result[k].number == result) return true;
    return false;
}

/* ---- when a program runs ---- */

void run_shares_ready(run_program *p, run_array *given(run_program *, uint32_t, const bool *), const bool *consumed)
{
    for (run_far *f = p->common; f; f = f->next_common)
        for (uint32_t k = 0; f->shares && k < f->shares->n; k++) {
            share_result *const r = &f->shares->result[k];
            const run_array *const a = given(p, r->number, consumed);
            const bool block = a && a->freed == run_common_release && run_common_ranks(a->at) == f->members &&
                               wire_offset_of(f->owner, a->at) >= 0;
            r->have = block ? a->at : NULL;
        }
}

/* The offsets that the post tells the group. False with the error set. */
bool run_shares_offer(run_far *f)
{
    for (uint32_t k = 0; k < f->shares->n; k++) {
        const share_result *const r = &f->shares->result[k];
        char *const fresh = r->have || f->place ? NULL : run_common_take(r->bytes, f->members);
        if (!r->have && !f->place && !fresh) return false;
        f->mine.block[k] = r->have ? wire_offset_of(f->owner, r->have) + IN_PLACE : fresh ? wire_offset(fresh) : 0;
    }
    return true;
}

static int64_t offset_from(const run_far *f, int message, uint32_t k)
{
    int64_t at;
    memcpy(&at, f->first[message].rest + k * sizeof at, sizeof at);
    return at;
}

/* The first rank's offset of result k; *agreed: all ranks have said the same, or need not. */
static int64_t agreed_offset(const run_far *f, uint32_t k, bool *agreed)
{
    int64_t at = f->mine.block[k];
    for (int i = 0; i < f->nfrom; i++) if (f->from_rank[i].rank == f->owner) at = offset_from(f, i, k);
    if (!(at & IN_PLACE)) return at;
    *agreed &= f->mine.block[k] == at;
    for (int i = 0; i < f->nfrom; i++) *agreed &= offset_from(f, i, k) == at;
    return at;
}

/* Gives each result its memory, of which this rank holds one reference then. False with the error set. */
bool run_shares_settle(run_program *p, run_far *f)
{
    const run_shares *const s = f->shares;
    int64_t at[RUN_SHARES];
    bool agreed = true;
    for (uint32_t k = 0; k < s->n; k++) at[k] = agreed_offset(f, k, &agreed);
    for (uint32_t k = 0; k < s->n; k++) {
        const share_result *const r = &s->result[k];
        char *block = wire_at(f->owner, at[k] & ~(int64_t)IN_PLACE);
        if (agreed) {
            if (at[k] & IN_PLACE) run_common_hold(block);
            run_array_common(p->out[r->number], block);
        } else {
            if (!(at[k] & IN_PLACE)) run_common_release(block);
            if (!(block = run_buffer(r->bytes))) return false;
            p->out[r->number]->at = block;
        }
        run_slot_at(&p->slot[RUN_SLOTS + p->plan->narg + r->number], block);
    }
    divide(f, !agreed);
    return true;
}
