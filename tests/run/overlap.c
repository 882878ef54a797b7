/* tests/run/overlap.c - the order of stages of exchanges between ranks: random lists of steps, of which every two that
 * access the same memory keep their order; and how late waits are. */
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
    const bool exchange = l->step[k].kind == RUN_EXCHANGE;
    l->at[l->n++] = (run_bound){ .step = &l->step[k], .stage = stage, .n = 1, .far = exchange ? &l->far[k] : NULL,
                                 .access = l->access[k], .naccess = naccess };
}

/* Adds step k: reads place `from`, writes place `to`. common: bytes of a common copy, if the exchange is in place. */
static void add_step(list *l, uint32_t k, run_kind kind, bool in_place, int64_t common, int from, int to)
{
    l->step[k].kind = kind;
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
    const bool far = l->step[j].kind == RUN_EXCHANGE;
    const bool border = l->step[j].kind == RUN_LOOP || l->step[k].kind == RUN_LOOP;
    const run_bound a = { .access = l->access[j], .naccess = 2 }, b = { .access = l->access[k], .naccess = 2 };
    const bool shown = l->access[k][1].lo == l->access[j][0].lo;     /* k writes what others read of j */
    const uint32_t first = l->step[k].kind == RUN_EXCHANGE ? place_of(out, l, k, RUN_PULL) : place_of(out, l, k, 0);
    const uint32_t sent = l->step[k].kind == RUN_EXCHANGE ? place_of(out, l, k, RUN_POST) : first;
    const bool reads = l->access[k][0].lo == l->access[j][1].lo;     /* k sends what j writes */
    if (!border && !run_conflict(&a, &b)) return true;
    if (place_of(out, l, j, RUN_PULL) > first) return false;
    if ((border || reads) && place_of(out, l, j, RUN_PULL) > sent) return false;
    if (!far || !l->far[j].in_place) return true;
    if (l->far[j].common) return place_of(out, l, j, RUN_END) < (border || reads ? sent : first);
    return !(shown || border) || place_of(out, l, j, RUN_END) < first;
}

static bool sound(const list *l, const run_bound_list *out)
{
    bool good = out->n == l->n;
    for (uint32_t k = 0; k < STEPS; k++) {
        if (l->step[k].kind == RUN_EXCHANGE) {
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
    long_steps(false), long_steps(true);
    example(0), example(1);
    return check_done();
}
