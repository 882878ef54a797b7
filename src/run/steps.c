/* run/steps.c - binds the steps of a plan for all instances: boxes, tiles, pulls, and the memory that each step
 * accesses.
 *
 * Boxes are computed in advance, with offsets that launches turn into addresses; beyond 32 MiB of them (a mesh of
 * thousands of devices) workers compute boxes task by task. */
#include "inner.h"

#include "../base/machine.h"

#include <string.h>

enum { AHEAD = 32 << 20 };                               /* bytes of boxes computed in advance */
typedef struct { run_program *p; int64_t ahead; } binder;

static bool steps_bad(const run_step *s, const char *what)
{
    return base_bug(s->site, "a plan's step \"%s\" %s", s->name, what);
}

/* Sets the instances here of a step's class. */
static bool instances(const run_program *p, run_bound *b, mesh_set vary)
{
    const mesh *m = p->plan->single_device ? NULL : p->plan->mesh;
    if (!run_ranks_of(m, vary, &b->ranks)) return false;
    b->n = b->ranks ? b->ranks->n : p->plan->mesh ? mesh_set_size(p->plan->mesh, vary) : 1;
    return true;
}

static double steps_box_bytes(const ir_box *b) { return (double)ir_box_count(b) * (double)ir_dtype_of(b->dtype)->bytes;
}

/* Computes the boxes of one instance; addresses are offsets in the slots. */
static void boxes_at(const run_program *p, const run_bound *b, int64_t instance, ir_box *box)
{
    uint32_t coord[MESH_ATOMS];
    run_instance_coord(p->plan->mesh, b->step->vary, b->ranks, instance, coord);
    for (uint32_t i = 0; i < b->narg; i++) {
        const uint32_t v = b->step->arg[i];
        box[i].at = (void *)(intptr_t)(p->at[v] + run_storage_box(&p->storage[v], coord, &box[i]));
    }
}

static void boxes(binder *w, run_bound *b)
{
    const int64_t bytes = b->n * b->narg * (int64_t)sizeof(ir_box);
    if (w->ahead + bytes > AHEAD && b->narg <= RUN_STACK_BOXES) return;
    w->ahead += bytes;
    b->box = BASE_NEW(w->p->arena, ir_box, b->n * b->narg);
    for (int64_t i = 0; i < b->n; i++) boxes_at(w->p, b, i, b->box + i * b->narg);
}

/* Binds all instances as one merged task, if possible; see merge_instances.c. */
static bool steps_bind_merged(binder *w, run_bound *b)
{
    const run_plan *p = w->p->plan;
    const mesh_set over = w->p->watch ? 0 : run_merged_over(p, b->step);
    if (!over) return false;
    if (!instances(w->p, b, b->step->vary & (mesh_set)~over)) return false;
    b->box = BASE_NEW(w->p->arena, ir_box, b->n * b->narg);
    for (int64_t i = 0; i < b->n; i++) {
        ir_box *box = b->box + i * b->narg;
        if (!run_merged_boxes(p, b->step, over, run_instance(b->ranks, i), box))
            return steps_bad(b->step, "has instances that do not join");
        for (uint32_t k = 0; k < b->narg; k++)
            box[k].at = (void *)((intptr_t)box[k].at + (intptr_t)w->p->at[b->step->arg[k]]);
    }
    return true;
}

/* Stores what the kernel computes from the boxes alone (run_kernel.prepare), if the boxes are kept. */
static void known(binder *w, run_bound *b)
{
    if (!b->box || !b->kernel->prepare) return;
    b->prepared_bytes = base_round_up(b->kernel->prepare(b->kernel->self, b->box, NULL), RUN_CACHE_LINE);
    w->ahead += b->n * b->prepared_bytes;
    b->prepared = BASE_NEW(w->p->arena, char, b->n * b->prepared_bytes);
    for (int64_t i = 0; i < b->n; i++)
        b->kernel->prepare(b->kernel->self, b->box + i * b->narg, b->prepared + i * b->prepared_bytes);
}

static run_access access_of(const run_program *p, uint32_t value, mesh_set vary, bool write)
{
    const run_value *v = &p->plan->value[value];
    /* a view of merged instances includes other instances' parts */
    run_access a = { v->vary, v->space, v->at, v->at + 1, v->bytes, write, v->vary == vary && !v->merged, false };
    if (v->space == RUN_ARENA) a.hi = v->at + v->bytes, a.separate = p->segment.n && v->vary == p->segment.vary;
    if (v->space == RUN_RESULT && p->plan->alias && p->plan->alias[v->at] >= 0) {
        a.space = RUN_ARG;                               /* the result may take the argument's buffer */
        a.lo = p->plan->alias[v->at];
        a.hi = a.lo + 1;
    }
    return a;
}

/* True if every instance of the step finds its operands where it is: an operand may vary over the near atoms alone that
 * the step does not vary over. */
static bool operands_here(const run_program *p, const run_step *s)
{
    const mesh_set near = p->plan->single_device ? (mesh_set)~0u : run_near(p->plan->mesh);
    for (uint32_t i = 0; i < s->narg; i++) {
        const run_storage *w = &p->storage[s->arg[i]];
        if (!w->global && w->vary & ~(s->vary | near | w->merged))
            return steps_bad(s, "reads a part that another rank may hold");
    }
    return true;
}

static bool bind_compute(binder *w, run_bound *b)
{
    run_program *p = w->p;
    const run_step *s = b->step;
    if (s->compute.kernel >= p->plan->nkernel) return steps_bad(s, "has no such kernel");
    b->kernel = &p->plan->kernel[s->compute.kernel];
    if (!instances(p, b, s->vary) || !operands_here(p, s)) return false;
    b->narg = s->narg;
    const bool one = steps_bind_merged(w, b);
    if (!one) boxes(w, b);
    known(w, b);
    int64_t *tile = BASE_NEW(p->arena, int64_t, b->n + 1);
    ir_box own_boxes[RUN_STACK_BOXES];
    for (int64_t i = 0; i < b->n; i++) {
        ir_box *box = b->box ? b->box + i * b->narg : own_boxes;
        if (!b->box) boxes_at(p, b, i, box);
        const int64_t tiles = b->kernel->tiles ? b->kernel->tiles(b->kernel->self, box) : 1;
        const int64_t scratch = b->kernel->scratch ? b->kernel->scratch(b->kernel->self, box) : 0;
        const int64_t shared = b->kernel->finish && b->kernel->shared ? b->kernel->shared(b->kernel->self, box) : 0;
        if (scratch > p->scratch) p->scratch = scratch;
        if (shared > b->shared) b->shared = base_round_up(shared, RUN_CACHE_LINE);
        tile[i + 1] = tile[i] + (tiles > 1 ? tiles : 1);
        double bytes = 0;
        for (uint32_t k = 0; k < b->narg; k++) bytes += steps_box_bytes(&box[k]);
        const double guess = 50 + bytes / 16, parts = tiles > 1 ? 10e3 * (double)tiles : 0;
        b->cost += guess > parts ? guess : parts;
    }
    b->tile = tile;
    b->shared_at = p->bytes;
    p->bytes += b->n * b->shared;
    run_access *a = BASE_NEW(p->arena, run_access, b->narg + 1);
    for (uint32_t i = 0; i < b->narg; i++) {
        const run_space space = p->plan->value[s->arg[i]].space;
        const bool write = i + s->nwritten >= b->narg || (!s->nwritten && space != RUN_ARG && space != RUN_CONST);
        if (write && (space == RUN_ARG || space == RUN_CONST)) return steps_bad(s, "writes a constant or an argument");
        a[b->naccess] = access_of(p, s->arg[i], s->vary, write);
        a[b->naccess++].own &= !one;
    }
    const run_access shares = { s->vary, RUN_SHARED, b->shared_at, b->shared_at + 1, 0, true, true, false };
    if (b->shared) a[b->naccess++] = shares;
    b->access = a;
    return true;
}

/* Binds the second half of a kernel with `finish` as a step of its own, with one tile per instance. */
static void bind_finish(const binder *w, const run_bound *first, run_bound *b)
{
    int64_t *tile = BASE_NEW(w->p->arena, int64_t, first->n + 1);
    for (int64_t i = 0; i < first->n; i++) tile[i + 1] = i + 1;
    *b = *first;
    b->tile = tile;
    b->cost = 50;
    b->finish = true;
}

typedef struct {
    const run_far *far;
    run_pull *pull; int64_t *src; int32_t *of; int64_t at, from, npull, nsrc, count; uint32_t most;
} recorder;

static bool record(void *env, const run_pull *q)
{
    recorder *r = env;
    if (r->pull) {
        run_pull *mine = &r->pull[r->npull];
        *mine = *q;
        mine->at += r->at;
        mine->src = r->src + r->nsrc;
        for (uint32_t k = 0; k < q->nsrc; k++) r->src[r->nsrc + k] = q->src[k] + r->from;
        if (r->far && !run_far_sources(r->far, mine, r->src + r->nsrc, r->of + r->nsrc, r->from)) return false;
        mine->instance = NULL;
    }
    r->npull++;
    r->nsrc += q->nsrc;
    r->count += q->count;
    if (q->nsrc > r->most) r->most = q->nsrc;
    return true;
}

/* bytes that a tile moves; unit of its elements */
enum { TILE_BYTES = 256 << 10, TILE_UNIT = 1024 };

/* Number of elements of a tile that moves `bytes` for each. */
static int64_t tile_elements(int64_t bytes)
{
    const int64_t n = TILE_BYTES / bytes / TILE_UNIT * TILE_UNIT;
    return n > TILE_UNIT ? n : TILE_UNIT;
}

/* Enumerates the pulls of all instances; counts them, or stores them if memory is given. */
static bool pulls(const run_program *p, run_bound *b, recorder *r, int64_t *pull_at, int64_t *count)
{
    const run_step *s = b->step;
    const run_storage *from = &p->storage[s->exchange.from], *to = &p->storage[s->exchange.to];
    r->npull = r->nsrc = 0;
    r->from = p->at[s->exchange.from];
    for (int64_t i = 0; i < b->n; i++) {
        uint32_t coord[MESH_ATOMS];
        ir_box box = { 0 };
        run_instance_coord(to->mesh, to->vary, to->ranks, i, coord);
        r->at = p->at[s->exchange.to] + run_storage_box(to, coord, &box);
        r->count = 0;
        if (pull_at) pull_at[i] = r->npull;
        if (!run_pulls(from, &s->exchange.route, coord, &box, record, r)) return false;
        if (count) count[i] = r->count;
    }
    if (pull_at) pull_at[b->n] = r->npull;
    return true;
}

static bool exchange_ok(const run_program *p, const run_step *s)
{
    const uint32_t from = s->exchange.from, to = s->exchange.to;
    const mesh_reduce reduce = s->exchange.route.over ? s->exchange.route.reduce : MESH_NONE;
    if (from >= p->plan->nvalue || to >= p->plan->nvalue) return steps_bad(s, "exchanges a value that is not there");
    const run_value *a = &p->plan->value[from], *b = &p->plan->value[to];
    /* narrow floats may be combined in two steps, in f32 between them */
    const bool combined = b->dtype == ir_widened(a->dtype) || a->dtype == ir_widened(b->dtype);
    bool same = (a->dtype == b->dtype || (reduce != MESH_NONE && combined)) && a->rank == b->rank;
    for (int d = 0; same && d < a->rank; d++) same = a->dim[d] == b->dim[d];
    if (!same) return steps_bad(s, "exchanges values of different types");
    if (b->space == RUN_CONST || b->space == RUN_ARG) return steps_bad(s, "writes a constant or an argument");
    if (reduce != MESH_NONE && !run_combines(a->dtype, reduce))
        return base_fail(TT_ETYPE, s->site, "\"%s\" cannot combine elements of type %s", s->name,
                         ir_dtype_of(a->dtype)->name);
    return true;
}

/* The pulls' sources are addresses that change from launch to launch (run_far_aim). */
static void sources_live(base_arena *a, run_far *f, int64_t *fixed, int32_t *of, int64_t npull, run_pull *pull,
                         int64_t n)
{
    f->fixed = fixed, f->of = of, f->nsrc = n;
    f->src = BASE_NEW(a, int64_t, n);
    for (int64_t i = 0; i < npull; i++) pull[i].src = f->src + (pull[i].src - fixed);
}

/* Divides a common copy among the ranks; count[i]: elements of instance i, then those of this rank. */
static bool bind_common(run_program *p, run_bound *b, int64_t *count)
{
    enum { UNIT = 16 };                                  /* elements: no two ranks write to a cache line */
    const run_job_shape job = run_job_now();
    const run_step *s = b->step;
    const run_value *to = &p->plan->value[s->exchange.to];
    if (!b->far) return steps_bad(s, "has a common copy, but ranks do not share memory");
    int64_t *share = BASE_NEW(p->arena, int64_t, 2 * b->n);
    for (int64_t i = 0; i < b->n; i++) {
        int64_t *const e = share + 2 * i;
        for (int k = 0; k < 2; k++)
            e[k] = job.me + k == job.ranks ? count[i] : count[i] * (job.me + k) / job.ranks / UNIT * UNIT;
        count[i] = e[1] - e[0];
    }
    b->share = share;
    b->far->result = to->space == RUN_RESULT ? (int32_t)to->at : -1;
    b->far->next_common = p->common;
    p->common = b->far;
    return true;
}

static bool bind_exchange(binder *w, run_bound *b)
{
    run_program *p = w->p;
    const run_step *s = b->step;
    recorder r = { 0 };
    if (!exchange_ok(p, s)) return false;
    const run_storage *to = &p->storage[s->exchange.to];
    b->n = run_storage_instances(to);
    if (!p->plan->single_device &&
        !run_far_bind(p->arena, &p->storage[s->exchange.from], p->at[s->exchange.from], to, &s->exchange.route,
                      s->exchange.common, &p->area_bytes, &b->far)) return false;
    r.far = b->far;
    p->exchanges++;
    if (b->far) b->far->ordinal = p->exchanges;
    if (!pulls(p, b, &r, NULL, NULL)) return false;
    int64_t *at = BASE_NEW(p->arena, int64_t, b->n + 1), *tile = BASE_NEW(p->arena, int64_t, b->n + 1);
    int64_t *count = BASE_NEW(p->arena, int64_t, b->n);
    r.pull = BASE_NEW(p->arena, run_pull, r.npull);
    r.src = BASE_NEW(p->arena, int64_t, r.nsrc);
    r.of = BASE_NEW(p->arena, int32_t, b->far ? r.nsrc : 0);
    if (!pulls(p, b, &r, at, count)) return false;
    if (b->far) sources_live(p->arena, b->far, r.src, r.of, r.npull, r.pull, r.nsrc);
    b->chunk = tile_elements(to->size * (1 + r.most));
    if (s->exchange.common && !bind_common(p, b, count)) return false;
    for (int64_t i = 0; i < b->n; i++) {
        const int64_t tiles = (count[i] + b->chunk - 1) / b->chunk;
        tile[i + 1] = tile[i] + (tiles > 1 ? tiles : 1);
        b->cost += 50 + (double)(count[i] * to->size * (1 + r.most)) / 16;
    }
    b->stream = b->far && b->n * to->bytes >= BASE_UNCACHED;
    b->pull = r.pull;
    b->pull_at = at;
    b->tile = tile;
    run_access *a = BASE_NEW(p->arena, run_access, 2);
    a[0] = access_of(p, s->exchange.from, to->vary, false);
    a[0].own = false;                                    /* other instances' parts are read too */
    a[1] = access_of(p, s->exchange.to, to->vary, true);
    b->access = a;
    b->naccess = 2;
    return true;
}

static run_bound stage_of(const run_bound *pull, run_stage stage)
{
    return (run_bound){ .step = pull->step, .n = 1, .phase = 1, .stage = stage, .far = pull->far };
}

static void bind_pack(const binder *w, const run_bound *pull, run_bound *pack)
{
    const run_program *p = w->p;
    const run_far *f = pull->far;
    const int64_t size = p->storage[pull->step->exchange.from].size;
    int64_t *at = BASE_NEW(p->arena, int64_t, 2), *tile = BASE_NEW(p->arena, int64_t, 2), count = 0;
    for (uint32_t i = 0; i < f->npack; i++) count += f->pack[i].count;
    *pack = stage_of(pull, RUN_PACK);
    pack->chunk = tile_elements(size);
    at[1] = f->npack;
    tile[1] = (count + pack->chunk - 1) / pack->chunk;
    if (!tile[1]) tile[1] = 1;
    pack->cost = 50 + (double)(count * size) / 8;
    pack->pull = f->pack, pack->pull_at = at, pack->tile = tile;
    run_access *a = BASE_NEW(p->arena, run_access, 2);
    a[0] = pull->access[0];
    a[1] = (run_access){ 0, RUN_MESSAGES, f->area_lo, f->area_hi, f->area_hi - f->area_lo, true, false, false };
    pack->access = a, pack->naccess = 2;
}

/* Replaces the pull of an exchange between ranks by all of its stages: the messages are packed, posted, and waited for,
 * then comes the pull, and what tells the other ranks that it has read. Returns where the stages end. */
static run_bound *bind_messages(const binder *w, run_bound *b)
{
    const run_bound pull = *b;
    if (pull.far->npack) bind_pack(w, &pull, b++);
    *b++ = stage_of(&pull, RUN_POST);
    *b++ = stage_of(&pull, RUN_WAIT);
    *b++ = pull;
    if (!pull.far->in_place) return b;
    *b++ = stage_of(&pull, RUN_READ);
    *b = stage_of(&pull, RUN_END);
    /* the source, which other ranks read; a common copy is there when all ranks have read */
    b->access = pull.access, b->naccess = pull.far->common ? 2 : 1;
    b++;
    return b;
}

static bool bind_list(binder *, const run_list *, run_bound_list *);

static bool bind_control(binder *w, run_bound *b)
{
    const run_step *s = b->step;
    const uint32_t test = s->control.test;
    const run_value *v = test < w->p->plan->nvalue ? &w->p->plan->value[test] : NULL;
    const bool index = s->kind == RUN_CHOOSE;
    if (!v || (v->vary && mesh_set_size(w->p->plan->mesh, v->vary) > 1) ||
        !(v->dtype == TT_BOOL || (index && v->dtype == TT_I32)) || !s->nnested)
        return steps_bad(s, "is decided by a value that is no flag or number, or differs between devices");
    run_bound_list *sub = BASE_NEW(w->p->arena, run_bound_list, s->nnested);
    b->sub = sub;
    RUN_EACH_BLOCK(s, l) if (!bind_list(w, l, sub++)) return false;
    return true;
}

/* True if the slice has the memory and the strides of the value that it is a row of. */
static bool slice_ptr_ok(const run_program *p, const run_step *s)
{
    const uint32_t n = p->plan->nvalue;
    const uint32_t of = s->slice_ptr.of, row = s->slice_ptr.row, index = s->slice_ptr.index;
    if (of >= n || row >= n || index >= n) return steps_bad(s, "points to a value that is not there");
    const run_value *x = &p->plan->value[of], *y = &p->plan->value[row], *i = &p->plan->value[index];
    if (i->dtype != TT_I32 || i->rank || (i->vary && mesh_set_size(p->plan->mesh, i->vary) > 1))
        return steps_bad(s, "points by a value that is no number, or differs between devices");
    bool same = y->slice && x->dtype == y->dtype && x->rank == y->rank && x->rank && y->dim[0] == 1 &&
        x->space == y->space
                && x->at == y->at && x->bytes == y->bytes && x->vary == y->vary && x->slice != y->slice;
    for (int d = 1; same && d < x->rank; d++) same = x->dim[d] == y->dim[d] &&
        p->storage[of].step[d] == p->storage[row].step[d];
    return same && p->storage[of].step[0] == p->storage[row].step[0] ? true : steps_bad(s,
        "points to what is no row");
}

static bool bind_step(binder *w, run_bound *b)
{
    const run_step *s = b->step;
    const bool args = s->kind == RUN_COMPUTE || s->kind == RUN_HOST;
    for (uint32_t i = 0; args && i < s->narg; i++)
        if (s->arg[i] >= w->p->plan->nvalue) return steps_bad(s, "has an argument that is not there");
    b->n = 1;
    switch (s->kind) {
    case RUN_COMPUTE:  return bind_compute(w, b);
    case RUN_EXCHANGE: return bind_exchange(w, b);
    case RUN_LOOP:
    case RUN_CHOOSE:   return bind_control(w, b);
    case RUN_HOST:
        if (!instances(w->p, b, s->vary) || !operands_here(w->p, s)) return false;
        b->narg = s->narg;
        boxes(w, b);
        return true;
    case RUN_SLICE_PTR: return slice_ptr_ok(w->p, s);
    }
    return steps_bad(s, "is of no kind");
}

static bool bind_list(binder *w, const run_list *list, run_bound_list *l)
{
    uint32_t capacity = list->n;
    for (uint32_t i = 0; i < list->n; i++) if (list->step[i].kind == RUN_EXCHANGE) capacity += RUN_END;
    for (uint32_t i = 0; i < list->n; i++)
        capacity += list->step[i].kind == RUN_COMPUTE && list->step[i].compute.kernel < w->p->plan->nkernel &&
                w->p->plan->kernel[list->step[i].compute.kernel].finish;
    bool any = false;
    l->at = BASE_NEW(w->p->arena, run_bound, capacity);
    for (uint32_t i = 0; i < list->n; i++) {
        run_bound *b = &l->at[l->n++];
        b->step = &list->step[i];
        b->phase = 1;
        if (!bind_step(w, b)) return false;
        if (b->shared) bind_finish(w, b, &l->at[l->n++]);
        if (b->far) l->n = (uint32_t)(bind_messages(w, b) - l->at), any = true;
    }
    if (any && !base_switch("no-overlap")) run_overlap(w->p, l, w->p->arena);
    return true;
}

bool run_bind_steps(run_program *p)
{
    binder w = { p, 0 };
    return bind_list(&w, &p->plan->body, &p->body);
}
