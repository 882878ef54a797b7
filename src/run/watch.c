/* run/watch.c - TUTTI=nan and TUTTI=inf: finds the equation that made the NaN, or the infinity, which a result holds.
 *
 * The plan of a program that is watched has a step for each equation, and every step is a phase. After a step its
 * results are scanned. A result that holds a NaN gets a mark: its range of memory, and the NaN's origin, which is the
 * step itself if no operand holds a NaN, and else the first origin of the operands that do. Marks name memory instead
 * of values, since views, rows and the carries of loops are further values in the same memory. When the steps have run,
 * the first origin that a result has is the error: a NaN that a select leaves out is none, as in JAX. A NaN that comes
 * from an argument or a constant has no origin here.
 *
 * Ranks run the same steps, so the number of steps so far orders their origins: all ranks take the first one. */
#include "inner.h"
#include "../base/thread.h"

#include <stdio.h>
#include <string.h>

enum { LOOPS = 4, CAME = -1, FIRST_CAPACITY = 16 };      /* CAME: the origin of what an argument or a constant holds */

/* [lo, hi) holds a NaN whose origin is number `origin` from 1 on, or CAME. */
typedef struct { const char *lo, *hi; int32_t origin; } watch_mark;
typedef struct { base_site site; int64_t iteration; } watch_loop;
/* step: number of steps that ran before. loop: outermost first. */
typedef struct {
    int64_t step, instance;
    const run_bound *b;
    bool infinite;
    ir_box box; int64_t element[IR_RANK];
    int nloop; watch_loop loop[LOOPS];
} watch_origin;

struct run_watch {
    uint32_t kinds;
    bool lacking;                                        /* memory was missing */
    int64_t steps;
    watch_mark *mark; size_t nmark, marks;
    watch_origin *origin; size_t norigin, origins;
    int32_t *came; size_t ncame;                         /* [instance]: the origin of the current step's operands */
    int nloop; watch_loop loop[LOOPS];                   /* the loops around the current step */
};

/* ---- elements ---- */

/* The index of the first of n elements that is of a kind, or n. Above the exponent's ones: a NaN. */
#define FIRST_OF(T, ones, sign) { \
    const T *const p = at; \
    for (int64_t i = 0; i < n; i++) { \
        T v; \
        memcpy(&v, p + i, sizeof v); \
        v &= (T)~(sign); \
        if (v >= (ones) && (v == (ones) ? kinds & RUN_INF : kinds & RUN_NAN)) return i; \
    } \
    return n; }

static int64_t first_narrow(tt_dtype dtype, const uint8_t *p, int64_t n, uint32_t kinds)
{
    for (int64_t i = 0; i < n; i++) {
        const double v = ir_narrow_f64(dtype, p[i]);
        if (__builtin_isnan(v) ? kinds & RUN_NAN : __builtin_isinf(v) && kinds & RUN_INF) return i;
    }
    return n;
}

static int64_t watch_first(tt_dtype dtype, const void *at, int64_t n, uint32_t kinds)
{
    switch (dtype) {
    case TT_F32:  FIRST_OF(uint32_t, 0x7f800000u, 0x80000000u)
    case TT_F64:  FIRST_OF(uint64_t, 0x7ff0000000000000u, 0x8000000000000000u)
    case TT_F16:  FIRST_OF(uint16_t, 0x7c00, 0x8000)
    case TT_BF16: FIRST_OF(uint16_t, 0x7f80, 0x8000)
    case TT_C64:  return watch_first(TT_F32, at, 2 * n, kinds) / 2;
    case TT_C128: return watch_first(TT_F64, at, 2 * n, kinds) / 2;
    default:      return ir_is_float(dtype) ? first_narrow(dtype, at, n, kinds) : n;
    }
}

static bool watch_has_kinds(tt_dtype d)                  /* True if elements of the dtype may be NaN or infinite */
{
    return ir_is_float(d) || d == TT_C64 || d == TT_C128;
}

/* True if the box holds an element of the kinds; sets its global index in *element, unless that is NULL. */
static bool holds(const ir_box *b, uint32_t kinds, int64_t *element)
{
    ir_box lines = *b;                                   /* one element per contiguous line */
    int64_t n = 1, i[IR_RANK];
    int d = b->rank;
    if (!b->at || !watch_has_kinds(b->dtype) || !ir_box_count(b)) return false;
    for (; d > 0 && (b->step[d - 1] == n || b->n[d - 1] == 1); d--) n *= b->n[d - 1], lines.n[d - 1] = 1;
    for (bool more = ir_first(&lines, i); more; more = ir_next(&lines, i)) {
        int64_t k = watch_first(b->dtype, ir_at(b, i), n, kinds);
        if (k == n) continue;
        for (int e = b->rank - 1; e >= d; e--) i[e] = b->lo[e] + k % b->n[e], k /= b->n[e];
        if (element) memcpy(element, i, (size_t)b->rank * sizeof *i);
        return true;
    }
    return false;
}

/* The memory from the box's first element to its last. */
static watch_mark watch_range(const ir_box *b, int32_t origin)
{
    const char *const lo = b->at;
    int64_t last = 0;
    for (int d = 0; d < b->rank; d++) last += b->n[d] > 1 ? (b->n[d] - 1) * b->step[d] : 0;
    return (watch_mark){ lo, lo + (last + 1) * (int64_t)ir_dtype_of(b->dtype)->bytes, origin };
}

/* ---- marks and origins ---- */

static bool room(run_watch *w, void **at, size_t *capacity, size_t n, size_t each)
{
    if (n < *capacity) return true;
    const size_t more = *capacity ? 2 * *capacity : FIRST_CAPACITY;
    void *const grown = base_heap_grow(*at, *capacity * each, more * each);
    if (!grown) return w->lacking = true, false;
    *at = grown, *capacity = more;
    return true;
}

/* The first of two origins. What came from outside is none, if the other one was made by a step. */
static int32_t first_origin(int32_t a, int32_t b) { return !a || (a == CAME && b) || (b > 0 && b < a) ? b : a; }

/* The origin of what the box holds; 0: the box holds no NaN. */
static int32_t origin_of(const run_watch *w, const ir_box *b)
{
    const watch_mark r = watch_range(b, 0);
    int32_t from = 0;
    for (size_t i = 0; i < w->nmark; i++)
        if (w->mark[i].lo < r.hi && r.lo < w->mark[i].hi) from = first_origin(from, w->mark[i].origin);
    return from && holds(b, w->kinds, NULL) ? from : 0;
}

/* Replaces the marks of the box's memory by one of this origin; 0: by none. */
static void mark(run_watch *w, const ir_box *b, int32_t origin)
{
    const watch_mark r = watch_range(b, origin);
    size_t n = 0;
    for (size_t i = 0; i < w->nmark; i++)
        if (w->mark[i].lo < r.lo || w->mark[i].hi > r.hi) w->mark[n++] = w->mark[i];
    w->nmark = n;
    if (origin && room(w, (void **)&w->mark, &w->marks, n, sizeof r)) w->mark[w->nmark++] = r;
}

/* Drops the origins that no mark names: a loop may make and leave out one in each iteration. */
static void drop_origins(run_watch *w)
{
    size_t n = 0;
    for (size_t k = 0; k < w->norigin; k++) {
        bool named = false;
        for (size_t i = 0; i < w->nmark; i++) {
            if (w->mark[i].origin != (int32_t)k + 1) continue;
            w->mark[i].origin = (int32_t)n + 1;
            named = true;
        }
        for (size_t i = 0; i < w->ncame; i++)
            if (w->came[i] == (int32_t)k + 1) w->came[i] = (int32_t)n + 1, named = true;
        if (named) w->origin[n++] = w->origin[k];
    }
    w->norigin = n;
}

static int32_t origin_new(run_watch *w, const run_bound *b, int64_t instance, const ir_box *box, const int64_t *element)
{
    if (w->norigin == w->origins) drop_origins(w);
    if (!room(w, (void **)&w->origin, &w->origins, w->norigin, sizeof *w->origin)) return CAME;
    watch_origin *const o = &w->origin[w->norigin++];
    *o = (watch_origin){ .step = w->steps, .instance = instance, .b = b, .box = *box, .nloop = w->nloop };
    o->infinite = watch_first(box->dtype, ir_at(box, element), 1, RUN_INF) == 0;
    memcpy(o->element, element, sizeof o->element);
    memcpy(o->loop, w->loop, sizeof o->loop);
    return (int32_t)w->norigin;
}

/* ---- steps ---- */

/* The box of instance i of a value, of those that are here. */
static ir_box box_of(const run_program *p, uint32_t value, int64_t i)
{
    const run_storage *const s = &p->storage[value];
    uint32_t coord[MESH_ATOMS];
    ir_box b;
    run_instance_coord(s->mesh, s->vary, s->ranks, i, coord);
    const int64_t at = run_storage_box(s, coord, &b);
    char *const base = run_base_of(p, value);
    b.at = base ? base + at : NULL;
    return b;
}

static void mark_value(run_program *p, uint32_t value)   /* what an argument or a constant holds */
{
    if (!watch_has_kinds(p->storage[value].dtype)) return;
    for (int64_t i = 0; i < run_storage_instances(&p->storage[value]); i++) {
        const ir_box b = box_of(p, value, i);
        if (holds(&b, p->watch->kinds, NULL)) mark(p->watch, &b, CAME);
    }
}

void run_watch_begin(run_program *p)
{
    run_watch *const w = p->watch;
    w->nmark = w->norigin = 0;
    w->steps = w->nloop = 0;
    w->lacking = false;
    for (uint32_t i = 0; i < p->plan->narg; i++) mark_value(p, p->plan->arg[i]);
    for (uint32_t v = 0; v < p->plan->nvalue; v++) if (p->plan->value[v].space == RUN_CONST) mark_value(p, v);
}

static bool came_room(run_watch *w, size_t n)
{
    size_t capacity = w->ncame;
    while (capacity < n)
        if (!room(w, (void **)&w->came, &capacity, capacity, sizeof *w->came)) return false;
    w->ncame = capacity;
    memset(w->came, 0, w->ncame * sizeof *w->came);
    return true;
}

bool run_watch_before(run_program *p, const run_bound *b)
{
    run_watch *const w = p->watch;
    const run_step *const s = b->step;
    ir_box own_boxes[RUN_STACK_BOXES];
    if (b->finish) return true;                          /* the second half of a step */
    if (!came_room(w, (size_t)b->n + 1)) return false;
    if (!w->nmark) return true;
    if (s->kind == RUN_EXCHANGE) {
        const uint32_t from = s->exchange.from;
        for (int64_t i = 0; i < run_storage_instances(&p->storage[from]); i++) {
            const ir_box x = box_of(p, from, i);
            w->came[0] = first_origin(w->came[0], origin_of(w, &x));
        }
        return true;
    }
    const uint32_t nin = s->nwritten ? b->narg - s->nwritten : b->narg;
    for (int64_t i = 0; i < b->n; i++) {
        const ir_box *const x = run_boxes_of(p, b, i, own_boxes);
        for (uint32_t k = 0; k < nin; k++) w->came[i] = first_origin(w->came[i], origin_of(w, &x[k]));
    }
    return true;
}

/* Scans one result of a step. A constant is what the user wrote, so it is like an argument. */
static void watch_result(run_watch *w, const run_bound *b, int64_t instance, int32_t came, const ir_box *y)
{
    int64_t element[IR_RANK] = { 0 };
    if (!watch_has_kinds(y->dtype)) return;
    if (!holds(y, w->kinds, element)) {
        mark(w, y, 0);
        return;
    }
    if (!came && b->step->name && !strcmp(b->step->name, "const")) came = CAME;
    mark(w, y, came ? came : origin_new(w, b, instance, y, element));
}

bool run_watch_after(run_program *p, const run_bound *b)
{
    run_watch *const w = p->watch;
    const run_step *const s = b->step;
    ir_box own_boxes[RUN_STACK_BOXES];
    if (b->shared && !b->finish) return true;            /* the first half */
    w->steps++;
    if (s->kind == RUN_EXCHANGE) {
        const uint32_t to = s->exchange.to;
        for (int64_t i = 0; i < run_storage_instances(&p->storage[to]); i++) {
            const ir_box y = box_of(p, to, i);
            watch_result(w, b, i, w->came[0], &y);
        }
    } else {
        for (int64_t i = 0; i < b->n; i++) {
            const ir_box *const x = run_boxes_of(p, b, i, own_boxes);
            for (uint32_t k = s->nwritten ? b->narg - s->nwritten : 0; k < b->narg; k++)
                watch_result(w, b, i, w->came[i], &x[k]);
        }
    }
    return !w->lacking;
}

void run_watch_loop(run_watch *w, base_site site, int64_t iteration)
{
    if (iteration < 0) w->nloop--;
    else if (!iteration) w->nloop++;
    if (iteration >= 0 && w->nloop <= LOOPS) w->loop[w->nloop - 1] = (watch_loop){ site, iteration };
}

/* ---- the verdict ---- */

enum { LINE = 256 };
/* What a rank has found; step < 0: nothing. */
typedef struct {
    int64_t step;
    char site[LINE], what[2 * LINE];
    int nloop; char at[LOOPS][LINE]; int64_t iteration[LOOPS];
} finding;

static void watch_describe(const run_program *p, const watch_origin *o, finding *f)
{
    char index[LINE] = "", device[RUN_DEVICE];
    size_t n = 0;
    for (int d = 0; d < o->box.rank && n < sizeof index; d++)
        n += (size_t)snprintf(index + n, sizeof index - n, "%s%lld", d ? ", " : "", (long long)o->element[d]);
    const bool placed = run_device_text(p, o->b, o->instance, device);
    const base_name name = o->b->step->name;
    const char *const kind = o->infinite ? "an infinity" : "a NaN";
    f->step = o->step;
    snprintf(f->site, sizeof f->site, "%s", o->b->step->site ? o->b->step->site : "");
    base_snprintf(f->what, sizeof f->what, "%s makes %s of operands without one%s, at [%s] of its result%s%s",
                  name ? name : "a step", kind, o->b->far ? ", or another process has it" : "", index,
                  placed ? " " : "", placed ? device : "");
    f->nloop = o->nloop < LOOPS ? o->nloop : LOOPS;
    for (int i = 0; i < f->nloop; i++) {
        snprintf(f->at[i], LINE, "%s", o->loop[i].site ? o->loop[i].site : "");
        f->iteration[i] = o->loop[i].iteration;
    }
}

static bool tell(const finding *f)
{
    static _Thread_local finding *kept;                  /* an error keeps the address of its lines */
    if (f->step < 0) return true;
    if (!kept && !base_thread_memory(&kept, sizeof *kept))
        return base_fail(TT_EMEM, NULL, "out of memory: %s", f->what);
    *kept = *f;
    base_fail(TT_EARG, *kept->site ? kept->site : NULL, "%s", kept->what);
    for (int i = kept->nloop - 1; i >= 0; i--)
        base_also(*kept->at[i] ? kept->at[i] : NULL, "in iteration %lld, counted from 0",
                  (long long)kept->iteration[i]);
    return base_hint("a result of the call holds it; tt_where before the equation keeps such operands out, "
                     "of gradients too");
}

/* Of the findings of all ranks the first; a rank that has none sees those of the others. */
static bool tell_first(const finding *mine)
{
    const int n = wire_ranks();
    finding *const all = base_heap((size_t)n * sizeof *all);
    if (!all) return false;
    int first = 0;
    const bool came = wire_gather(NULL, mine, sizeof *mine, all, "TUTTI=nan");
    for (int r = 1; came && r < n; r++)
        if (all[r].step >= 0 && (all[first].step < 0 || all[r].step < all[first].step)) first = r;
    const bool ok = came && tell(&all[first]);
    base_heap_free(all);
    return ok;
}

bool run_watch_end(run_program *p)
{
    run_watch *const w = p->watch;
    finding f;
    int32_t first = 0;
    memset(&f, 0, sizeof f);                             /* padding too is sent to other ranks */
    f.step = -1;
    for (uint32_t r = 0; r < p->plan->nresult; r++) {
        const uint32_t value = p->plan->result[r];
        if (p->plan->value[value].space != RUN_RESULT || !watch_has_kinds(p->storage[value].dtype)) continue;
        for (int64_t i = 0; i < run_storage_instances(&p->storage[value]); i++) {
            const ir_box y = box_of(p, value, i);
            first = first_origin(first, origin_of(w, &y));
        }
    }
    if (first > 0) watch_describe(p, &w->origin[first - 1], &f);
    return p->spread && run_job_real() ? tell_first(&f) : tell(&f);
}

bool run_watch_open(run_program *p)
{
    const uint32_t kinds = (base_switch("nan") ? RUN_NAN : 0) | (base_switch("inf") ? RUN_INF : 0);
    if (!kinds || p->dry) return true;
    p->watch = base_heap(sizeof *p->watch);
    if (p->watch) p->watch->kinds = kinds;
    return p->watch != NULL;
}

void run_watch_close(run_program *p)
{
    if (!p->watch) return;
    base_heap_free(p->watch->mark);
    base_heap_free(p->watch->origin);
    base_heap_free(p->watch->came);
    base_heap_free(p->watch);
}
