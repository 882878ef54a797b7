/* run/account.c - the memory of one device under a plan: its parts, and the lines whose values fill it at the peak.
 *
 * Nothing here iterates over devices: sizes are those of the largest instance, one per vary set, so a plan for 65,536
 * devices costs as much as one for 8. A buffer is an offset of the arena, whatever values use it one after the other.
 * Steps get rising positions; a span of a buffer goes from a write that reads none of its old content to the last
 * access before the next such write. A value from before a loop that the loop reads is live until the loop's end, and
 * so is a value that an iteration leaves for the next one. */
#include "inner.h"

#include <string.h>

typedef struct {
    uint32_t first, last, carried;   /* carried: start position of the loop whose next iteration reads the value */
    int64_t bytes; base_site site; base_name name;       /* the step that wrote it */
} span;
typedef struct {
    base_arena *a; const run_plan *p;
    uint32_t *buffer, *now;                              /* [nvalue]: its buffer; [buffer]: its current span, 1 based */
    span *span; uint32_t nspan, capspan;
    base_site *site; uint32_t at, capsite;               /* [position] */
    uint32_t loop;                                       /* start position of the innermost loop; 0: none */
} walk;

/* Bytes of one device; a single device that does the work of several holds the bytes of all. */
static int64_t account_bytes_of(const run_plan *p, const run_value *v, int64_t bytes)
{
    return p->single_device ? bytes * mesh_set_size(p->mesh, v->vary) : bytes;
}

static void account_add(walk *w, base_site site)
{
    if (++w->at >= w->capsite) {
        base_site *grown = BASE_NEW(w->a, base_site, 2 * w->at + 64);
        if (w->capsite) memcpy(grown, w->site, w->capsite * sizeof *grown);
        w->site = grown;
        w->capsite = 2 * w->at + 64;
    }
    w->site[w->at] = site;
}

static span *account_fresh(walk *w, uint32_t buffer, const run_step *s)
{
    const uint32_t former = w->now[buffer];
    if (w->nspan == w->capspan) {
        w->capspan = 2 * w->capspan + 64;
        span *grown = BASE_NEW(w->a, span, w->capspan);
        if (w->nspan) memcpy(grown, w->span, w->nspan * sizeof *grown);
        w->span = grown;
    }
    span *x = &w->span[w->nspan++];
    const span *y = former ? &w->span[former - 1] : NULL;
    const bool carried = y && w->loop && y->first <= w->loop && y->last >= w->loop;
    *x = (span){ w->at, w->at, carried ? w->loop : 0, 0, s->site, s->name };
    w->now[buffer] = w->nspan;
    return x;
}

static bool account_reads(const walk *w, const run_step *s, uint32_t nread, uint32_t buffer)
{
    if (s->kind == RUN_EXCHANGE) {
        const uint32_t from = s->exchange.from;
        return w->p->value[from].space == RUN_ARENA && w->buffer[from] == buffer;
    }
    for (uint32_t k = 0; k < nread; k++)
        if (w->p->value[s->arg[k]].space == RUN_ARENA && w->buffer[s->arg[k]] == buffer) return true;
    return false;
}

static void touch(walk *w, uint32_t v, const run_step *s, bool anew)
{
    const run_value *x = &w->p->value[v];
    if (x->space != RUN_ARENA) return;
    const uint32_t b = w->buffer[v];
    span *y = !w->now[b] || (anew && !x->slice) ? account_fresh(w, b, s) : &w->span[w->now[b] - 1];
    y->last = w->at;
    const int64_t bytes = account_bytes_of(w->p, x, x->bytes);
    if (bytes > y->bytes) y->bytes = bytes;
}

static void account_list(walk *w, const run_list *l);

static void loop_step(walk *w, const run_step *s)
{
    const uint32_t outer = w->loop, begin = w->at;
    w->loop = begin;
    account_list(w, &s->nested[RUN_COND]);
    account_add(w, s->site);
    touch(w, s->control.test, s, false);
    account_list(w, &s->nested[RUN_BODY]);
    account_add(w, s->site);
    for (uint32_t b = 0; b < w->p->nvalue; b++) {
        span *x = w->now[b] ? &w->span[w->now[b] - 1] : NULL;
        if (x && (x->carried == begin || (x->first <= begin && x->last >= begin))) x->last = w->at;
    }
    w->loop = outer;
}

static void account_list(walk *w, const run_list *l)
{
    for (uint32_t i = 0; i < l->n; i++) {
        const run_step *s = &l->step[i];
        const uint32_t nread = s->nwritten <= s->narg ? s->narg - s->nwritten : s->narg;
        account_add(w, s->site);
        for (uint32_t k = 0; k < nread; k++) touch(w, s->arg[k], s, false);
        for (uint32_t k = nread; k < s->narg; k++)
            touch(w, s->arg[k], s, !account_reads(w, s, k, w->buffer[s->arg[k]]));
        if (s->kind == RUN_EXCHANGE) {
            touch(w, s->exchange.from, s, false);
            touch(w, s->exchange.to, s, !account_reads(w, s, 0, w->buffer[s->exchange.to]));
        }
        if (s->kind == RUN_SLICE_PTR) touch(w, s->slice_ptr.of, s, false), touch(w, s->slice_ptr.index, s, false);
        if (s->kind == RUN_LOOP) loop_step(w, s);
        if (s->kind != RUN_CHOOSE) continue;
        touch(w, s->control.test, s, false);
        RUN_EACH_BLOCK(s, branch) account_list(w, branch);
    }
}

/* Assigns buffers: values with the same offset share one, numbered by the first of them. */
static void account_join(walk *w)
{
    const run_plan *p = w->p;
    uint32_t size = 16, *slot;
    while (size < 2 * p->nvalue) size *= 2;
    slot = BASE_NEW(w->a, uint32_t, size);
    for (uint32_t v = 0; v < p->nvalue; v++) {
        const run_value *x = &p->value[v];
        const int64_t key[3] = { x->space, x->at, (int64_t)x->vary };
        uint32_t at = (uint32_t)base_hash(5, key, sizeof key) & (size - 1);
        for (; slot[at]; at = (at + 1) & (size - 1)) {
            const run_value *y = &p->value[slot[at] - 1];
            if (y->space == x->space && y->at == x->at && y->vary == x->vary) break;
        }
        if (!slot[at]) slot[at] = v + 1;
        w->buffer[v] = slot[at] - 1;
    }
}

/* The position with the most live bytes. */
static uint32_t fullest(walk *w, int64_t *most)
{
    int64_t *change = BASE_NEW(w->a, int64_t, w->at + 2), live = 0;
    uint32_t best = 0;
    for (uint32_t i = 0; i < w->nspan; i++) {
        change[w->span[i].first] += w->span[i].bytes;
        change[w->span[i].last + 1] -= w->span[i].bytes;
    }
    *most = 0;
    for (uint32_t i = 0; i <= w->at; i++) {
        live += change[i];
        if (live > *most) *most = live, best = i;
    }
    return best;
}

/* Live bytes of a position by line, largest first. */
static void by_line(walk *w, uint32_t at, run_memory *m)
{
    m->line = BASE_NEW(w->a, run_line, w->nspan + 1);
    for (uint32_t k = 0; k < w->nspan; k++) {
        const span *x = &w->span[k];
        int i = 0;
        if (x->first > at || x->last < at || !x->bytes) continue;
        while (i < m->nline && (m->line[i].site != x->site || (!x->site && m->line[i].name != x->name))) i++;
        if (i == m->nline) m->line[m->nline++] = (run_line){ x->site, x->name, 0 };
        m->line[i].bytes += x->bytes;
        for (; i && m->line[i].bytes > m->line[i - 1].bytes; i--) {
            const run_line t = m->line[i];
            m->line[i] = m->line[i - 1], m->line[i - 1] = t;
        }
    }
}

/* Bytes of the common copies: each has one exchange that fills it. */
static int64_t common_bytes(const run_plan *p, const run_list *l)
{
    int64_t bytes = 0;
    for (const run_step *s = l->step; s < l->step + l->n; s++) {
        const run_value *v = s->kind == RUN_EXCHANGE && s->exchange.common ? &p->value[s->exchange.to] : NULL;
        if (v && v->space == RUN_COMMON) bytes += account_bytes_of(p, v, v->bytes);
        RUN_EACH_BLOCK(s, nested) bytes += common_bytes(p, nested);
    }
    return bytes;
}

int64_t run_plan_arena(const run_plan *p)                /* per vary set, the end of its last value */
{
    uint64_t seen[(1 << MESH_ATOMS) / 64] = { 0 };
    int64_t bytes = common_bytes(p, &p->body);
    for (uint32_t i = 0; i < p->nvalue; i++) {
        const mesh_set vary = p->value[i].vary;
        int64_t top = 0;
        if (p->value[i].space != RUN_ARENA || seen[vary / 64] >> vary % 64 & 1) continue;
        seen[vary / 64] |= (uint64_t)1 << vary % 64;
        for (uint32_t j = i; j < p->nvalue; j++) {
            const run_value *v = &p->value[j];
            if (v->space == RUN_ARENA && v->vary == vary && v->at + v->bytes > top) top = v->at + v->bytes;
        }
        bytes += account_bytes_of(p, &p->value[i], top);
    }
    return bytes;
}

void run_memory_of(base_arena *a, const run_plan *p, run_memory *m)
{
    walk w = { .a = a, .p = p, .buffer = BASE_NEW(a, uint32_t, p->nvalue + 1),
        .now = BASE_NEW(a, uint32_t, p->nvalue + 1) };
    *m = (run_memory){ .arena = run_plan_arena(p), .constants = p->nblob };
    for (uint32_t i = 0; i < p->narg; i++) m->arguments += account_bytes_of(p, &p->value[p->arg[i]],
        p->value[p->arg[i]].bytes);
    for (uint32_t j = 0; j < p->nresult; j++) {
        const run_value *x = &p->value[p->result[j]];
        if (x->space != RUN_RESULT) continue;            /* an argument's or a constant's value */
        *(p->alias && p->alias[j] >= 0 ? &m->reused : &m->results) += account_bytes_of(p, x, x->bytes);
    }
    account_join(&w);
    account_list(&w, &p->body);
    const uint32_t at = fullest(&w, &m->live);
    m->site = m->live ? w.site[at] : NULL;
    m->peak = m->arguments + m->results + m->constants + m->arena;
    by_line(&w, at, m);
}
