/* tests/run/overlap.c - the order of stages of exchanges between ranks: random lists of steps, of which every two that
 * access the same memory keep their order; ranks that have parts in different exchanges of one list, none of which
 * waits for ever; and how late waits are. */
#include "check.h"
#include "run/inner.h"

enum { STEPS = 40, PLACES = 12, MOST = 6 * STEPS };
static uint32_t overlap_seed = 1;
static uint32_t any(uint32_t n)
{
    overlap_seed = overlap_seed * 1664525 + 1013904223;
    return (overlap_seed >> 8) % n;
}

typedef struct {
    run_bound at[MOST]; uint32_t n;
    run_step step[STEPS]; run_access access[STEPS][2]; run_far far[STEPS];
} list;

static run_access touch(int place, bool write)
{
    return (run_access){ 0, RUN_ARENA, place, place + 1, 1, write, false, false };
}

static void add(list *l, uint32_t k, run_stage stage, uint32_t naccess)
{
    l->at[l->n++] = (run_bound){ .step = &l->step[k], .stage = stage, .n = 1,
                                 .far = run_may_post(&l->step[k]) ? &l->far[k] : NULL,
                                 .access = l->access[k], .naccess = naccess };
}

/* Adds a step of which ranks compute shares: its post and its end access what it writes. */
static void add_shares(list *l, uint32_t k, int from, int to)
{
    static char shares;
    l->step[k].kind = RUN_COMPUTE, l->step[k].compute.common = true;
    l->far[k].in_place = true, l->far[k].common = 0, l->far[k].shares = (struct run_shares *)&shares;
    l->access[k][0] = touch(from, false), l->access[k][1] = touch(to, true);
    add(l, k, RUN_POST, 1), add(l, k, RUN_WAIT, 0), add(l, k, RUN_PULL, 2), add(l, k, RUN_READ, 0);
    add(l, k, RUN_END, 1);
    l->at[l->n - 1].access = l->at[l->n - 5].access = &l->access[k][1];
}

/* Adds step k: reads place `from`, writes place `to`. common: bytes of a common copy, if the exchange is in place. */
static void add_step(list *l, uint32_t k, run_kind kind, bool in_place, int64_t common, int from, int to)
{
    l->step[k].kind = kind, l->step[k].compute.common = false, l->far[k].shares = NULL;
    l->far[k].in_place = in_place, l->far[k].common = in_place ? common : 0;
    l->access[k][0] = touch(from, false), l->access[k][1] = touch(to, true);
    if (kind != RUN_EXCHANGE) {
        add(l, k, RUN_PULL, kind == RUN_COMPUTE ? 2 : 0);
        return;
    }
    add(l, k, RUN_POST, 0), add(l, k, RUN_WAIT, 0), add(l, k, RUN_PULL, 2);
    if (in_place) add(l, k, RUN_READ, 0), add(l, k, RUN_END, l->far[k].common ? 2 : 1);
}

static uint32_t place_of(const run_bound_list *l, const list *of, uint32_t k, run_stage stage)
{
    for (uint32_t i = 0; i < l->n; i++) if (l->at[i].step == &of->step[k] && l->at[i].stage == stage) return i;
    return l->n;
}

/* True if steps j < k keep their order: where both access the same memory, and where one of them is a border. */
static bool in_order(const list *l, const run_bound_list *out, uint32_t j, uint32_t k)
{
    const bool border = l->step[j].kind == RUN_LOOP || l->step[k].kind == RUN_LOOP;
    const run_bound a = { .access = l->access[j], .naccess = 2 }, b = { .access = l->access[k], .naccess = 2 };
    const bool shown = l->access[k][1].lo == l->access[j][0].lo;     /* k writes what others read of j */
    const bool over = l->access[k][1].lo == l->access[j][1].lo, reads = l->access[k][0].lo == l->access[j][1].lo;
    const uint32_t first = place_of(out, l, k, RUN_PULL);
    const uint32_t sent = run_may_post(&l->step[k]) ? place_of(out, l, k, RUN_POST) : first;
    /* k sends what j writes; the other ranks write what j accesses once k has posted */
    const bool early = border || (l->far[k].shares ? shown || over : reads);
    const uint32_t limit = early ? sent : first;
    if (!border && !run_conflict(&a, &b)) return true;
    if (place_of(out, l, j, RUN_PULL) > first || place_of(out, l, j, RUN_PULL) > limit) return false;
    if (!run_may_post(&l->step[j]) || !l->far[j].in_place) return true;
    if (l->far[j].common) return place_of(out, l, j, RUN_END) < limit;
    if (l->far[j].shares)
        return !(reads || over || border) ||
               place_of(out, l, j, RUN_END) < (border || (l->far[k].shares ? over : reads) ? sent : first);
    return !(shown || border) || place_of(out, l, j, RUN_END) < (l->far[k].shares ? sent : first);
}

static bool sound(const list *l, const run_bound_list *out)
{
    bool good = out->n == l->n;
    for (uint32_t k = 0; k < STEPS; k++) {
        if (run_may_post(&l->step[k])) {
            const uint32_t post = place_of(out, l, k, RUN_POST), wait = place_of(out, l, k, RUN_WAIT);
            const uint32_t pull = place_of(out, l, k, RUN_PULL), read = place_of(out, l, k, RUN_READ);
            uint32_t posts = 0;
            for (uint32_t i = post; i < wait; i++) posts += out->at[i].stage == RUN_POST;
            good &= post < wait && wait < pull && posts <= 7;
            good &= !l->far[k].in_place || (pull < read && read < place_of(out, l, k, RUN_END));
        }
        for (uint32_t j = 0; j < k; j++) good &= in_order(l, out, j, k);
    }
    return good;
}

static void random_lists(void)
{
    base_arena *const a = base_open();
    static list l;
    static const run_program none;
    uint32_t late = 0;
    for (int turn = 0; turn < 2000; turn++) {
        l.n = 0;
        for (uint32_t k = 0; k < STEPS; k++) {
            const uint32_t kind = any(20);
            const int from = (int)any(PLACES), to = (from + 1 + (int)any(PLACES - 1)) % PLACES;
            if (kind < 3) {
                add_shares(&l, k, from, to);
                continue;
            }
            add_step(&l, k, kind < 10 ? RUN_EXCHANGE : kind < 19 ? RUN_COMPUTE : RUN_LOOP, any(2), any(2), from, to);
            if (l.step[k].kind == RUN_COMPUTE) l.step[k].compute.flops = any(2) ? 1e9 : 0;
        }
        run_bound_list out = { l.n, BASE_COPY(a, l.at, l.n) };
        run_overlap(&none, &out, a);
        CHECK(sound(&l, &out), "list %d", turn);
        for (uint32_t i = 0; i + 1 < out.n; i++) late += out.at[i].stage == RUN_POST && out.at[i + 1].stage != RUN_WAIT;
    }
    CHECK(late > 10000, "%u waits do not follow their posts", late);
    base_close(a);
}

/* ---- ranks with parts in different exchanges ---- */

enum { RANKS = 4 };
/* How one step is drawn. sends[r][s]: rank r sends to rank s; of a common copy, and of shares: within a group. */
typedef struct {
    run_kind kind; bool in_place, shares, flops; int64_t common; int from, to; bool sends[RANKS][RANKS];
} drawn;

static bool has_part(const drawn *d, int rank)
{
    bool any = false;
    for (int s = 0; s < RANKS; s++) any |= d->sends[rank][s] || d->sends[s][rank];
    return any;
}

static void draw_step(drawn *d)
{
    const uint32_t kind = any(20);
    *d = (drawn){ .kind = kind < 12 ? RUN_EXCHANGE : kind < 19 ? RUN_COMPUTE : RUN_LOOP, .shares = kind < 3 };
    d->in_place = d->shares || any(2), d->common = d->in_place && any(2), d->flops = any(2);
    d->from = (int)any(PLACES), d->to = (d->from + 1 + (int)any(PLACES - 1)) % PLACES;
    if (d->kind != RUN_EXCHANGE) return;
    const uint32_t some = any(3) ? any(1 << RANKS) : ~0u;        /* a group */
    for (int r = 0; r < RANKS; r++)
        for (int s = 0; s < RANKS; s++)
            d->sends[r][s] = r != s && (d->shares || d->common ? some >> r & some >> s & 1 : any(2));
}

static void list_of_rank(list *l, const drawn *d, int rank)
{
    l->n = 0;
    for (uint32_t k = 0; k < STEPS; k++) {
        if (d[k].shares && has_part(&d[k], rank)) add_shares(l, k, d[k].from, d[k].to);
        else add_step(l, k, d[k].kind, d[k].in_place, d[k].common, d[k].from, d[k].to);
        if (d[k].shares) l->step[k].kind = RUN_COMPUTE, l->step[k].compute.common = true;
        if (d[k].kind == RUN_COMPUTE) l->step[k].compute.flops = d[k].flops ? 1e9 : 0;
        if (d[k].kind != RUN_EXCHANGE || has_part(&d[k], rank)) continue;
        while (l->n && l->at[l->n - 1].step == &l->step[k]) l->n--;    /* the pull of what is here, no message */
        add(l, k, RUN_PULL, 2);
        l->at[l->n - 1].far = NULL;
    }
}

/* True if the rank that is at a wait, or at an end, can go on. at[s]: how far rank s has come. */
static bool goes_on(const list *l, const run_bound_list *out, const uint32_t *at, const drawn *d, int rank)
{
    const run_bound *const b = &out[rank].at[at[rank]];
    const uint32_t k = (uint32_t)(b->step - l[rank].step);
    if (b->stage != RUN_WAIT && b->stage != RUN_END) return true;
    for (int s = 0; s < RANKS; s++) {
        const bool waits = b->stage == RUN_WAIT ? d[k].sends[s][rank] : d[k].sends[rank][s];
        const run_stage until = b->stage == RUN_WAIT ? RUN_POST : RUN_READ;
        if (waits && at[s] <= place_of(&out[s], &l[s], k, until)) return false;
    }
    return true;
}

static void ranks_end(void)
{
    static list l[RANKS];
    static const run_program none;
    base_arena *const a = base_open();
    for (int turn = 0; turn < 2000; turn++) {
        drawn d[STEPS];
        run_bound_list out[RANKS];
        uint32_t at[RANKS] = { 0 };
        for (uint32_t k = 0; k < STEPS; k++) draw_step(&d[k]);
        for (int r = 0; r < RANKS; r++) {
            list_of_rank(&l[r], d, r);
            out[r] = (run_bound_list){ l[r].n, BASE_COPY(a, l[r].at, l[r].n) };
            run_overlap(&none, &out[r], a);
        }
        bool moves = true, end = true;
        while (moves) {
            moves = false;
            for (int r = 0; r < RANKS; r++)
                while (at[r] < out[r].n && goes_on(l, out, at, d, r)) at[r]++, moves = true;
        }
        for (int r = 0; r < RANKS; r++) end &= at[r] == out[r].n;
        CHECK(end, "list %d: ranks are at %u of %u, %u of %u, %u of %u, %u of %u", turn, at[0], out[0].n, at[1],
              out[1].n, at[2], out[2].n, at[3], out[3].n);
    }
    base_close(a);
}

/* Two exchanges, a step that needs neither, one that reads the second, one that writes the first's source. Both are
 * pulled together, since both were posted. The second exchange's end comes last; if it fills a common copy, before the
 * step that reads the copy. */
static void example(int64_t common)
{
    static const run_stage wants[2][13] = {
        { RUN_POST, RUN_POST, 0, RUN_WAIT, RUN_WAIT, RUN_PULL, RUN_PULL, RUN_READ, RUN_READ, 0, RUN_END, 0, RUN_END },
        { RUN_POST, RUN_POST, 0, RUN_WAIT, RUN_WAIT, RUN_PULL, RUN_PULL, RUN_READ, RUN_READ, RUN_END, 0, RUN_END, 0 } };
    static const uint32_t ofs[2][13] = { { 0, 1, 2, 0, 1, 0, 1, 0, 1, 3, 0, 4, 1 },
                                         { 0, 1, 2, 0, 1, 0, 1, 0, 1, 1, 3, 0, 4 } };
    const run_stage *const want = wants[common > 0];
    const uint32_t *const of = ofs[common > 0];
    base_arena *const a = base_open();
    static list l;
    static const run_program none;
    l.n = 0;
    add_step(&l, 0, RUN_EXCHANGE, true, 0, 0, 1);
    add_step(&l, 1, RUN_EXCHANGE, true, common, 2, 3);
    add_step(&l, 2, RUN_COMPUTE, false, 0, 4, 5);
    add_step(&l, 3, RUN_COMPUTE, false, 0, 3, 6);
    add_step(&l, 4, RUN_COMPUTE, false, 0, 5, 0);
    run_bound_list out = { l.n, BASE_COPY(a, l.at, l.n) };
    run_overlap(&none, &out, a);
    for (uint32_t i = 0; i < 13; i++)
        CHECK(out.at[i].step == &l.step[of[i]] && out.at[i].stage == want[i], "place %u: stage %d of step %d", i,
              (int)out.at[i].stage, (int)(out.at[i].step - l.step));
    base_close(a);
}

/* Long steps 0 and 1; exchange 2, which needs neither; exchange 3 of what step 1 writes; step 4, which no exchange
 * needs; and readers of both exchanges. Exchange 2 moves up over one long step, so it was posted before the ranks came
 * to step 1, and is pulled before exchange 3, which came after that; step 4 runs between exchange 3 and its wait. */
static void long_steps(bool in_place)
{
    enum { N = 7 };
    static const struct { uint32_t step; run_stage stage; } want[] = {
        { 0, 0 }, { 2, RUN_POST }, { 1, 0 }, { 3, RUN_POST }, { 4, 0 }, { 2, RUN_WAIT }, { 2, 0 }, { 5, 0 },
        { 3, RUN_WAIT }, { 3, 0 }, { 6, 0 } };
    static const int from[N] = { 0, 1, 3, 2, 6, 4, 5 }, to[N] = { 1, 2, 4, 5, 7, 8, 9 };
    base_arena *const a = base_open();
    static list l;
    static const run_program none;
    l.n = 0;
    for (uint32_t k = 0; k < N; k++) {
        add_step(&l, k, k == 2 || k == 3 ? RUN_EXCHANGE : RUN_COMPUTE, in_place, 1, from[k], to[k]);
        if (k < 2) l.step[k].compute.flops = 1e9;
    }
    run_bound_list out = { l.n, BASE_COPY(a, l.at, l.n) };
    run_overlap(&none, &out, a);
    uint32_t at = 0;
    for (uint32_t i = 0; i < sizeof want / sizeof *want; i++) {
        const uint32_t next = place_of(&out, &l, want[i].step, want[i].stage);
        CHECK(next < out.n && next >= at, "step %u, stage %d is at %u, what comes before it at %u", want[i].step,
              (int)want[i].stage, next, at);
        at = next;
    }
    base_close(a);
}

int main(void)
{
    random_lists();
    ranks_end();
    long_steps(false), long_steps(true);
    example(0), example(1);
    return check_done();
}
