/* run/steps.c - binds the steps of a plan for all instances: boxes, tiles, and the memory that each step accesses.
 * Exchanges: bind_exchange.c.
 *
 * Boxes are computed in advance, with offsets that launches turn into addresses; beyond 32 MiB of them (a mesh of
 * thousands of devices) workers compute boxes task by task. */
#include "inner.h"

enum { AHEAD = 32 << 20 };                               /* bytes of boxes computed in advance */
typedef struct { run_program *p; int64_t ahead; } binder;

bool run_step_bad(const run_step *s, const char *what)
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
            return run_step_bad(b->step, "has instances that do not join");
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

run_access run_access_of(const run_program *p, uint32_t value, mesh_set vary, bool write)
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
            return run_step_bad(s, "reads a part that another rank may hold");
    }
    return true;
}

static bool bind_compute(binder *w, run_bound *b)
{
    run_program *p = w->p;
    const run_step *s = b->step;
    if (s->compute.kernel >= p->plan->nkernel) return run_step_bad(s, "has no such kernel");
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
    if (s->compute.common && !run_shares_bind(p, b, tile)) return false;
    b->shared_at = p->bytes;
    p->bytes += b->n * b->shared;
    run_access *a = BASE_NEW(p->arena, run_access, b->narg + 1);
    for (uint32_t i = 0; i < b->narg; i++) {
        const run_space space = p->plan->value[s->arg[i]].space;
        const bool write = i + s->nwritten >= b->narg || (!s->nwritten && space != RUN_ARG && space != RUN_CONST);
        if (write && (space == RUN_ARG || space == RUN_CONST))
            return run_step_bad(s, "writes a constant or an argument");
        a[b->naccess] = run_access_of(p, s->arg[i], s->vary, write);
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

static bool bind_list(binder *, const run_list *, run_bound_list *);

static bool bind_control(binder *w, run_bound *b)
{
    const run_step *s = b->step;
    const uint32_t test = s->control.test;
    const run_value *v = test < w->p->plan->nvalue ? &w->p->plan->value[test] : NULL;
    const bool index = s->kind == RUN_CHOOSE;
    if (!v || (v->vary && mesh_set_size(w->p->plan->mesh, v->vary) > 1) ||
        !(v->dtype == TT_BOOL || (index && v->dtype == TT_I32)) || !s->nnested)
        return run_step_bad(s, "is decided by a value that is no flag or number, or differs between devices");
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
    if (of >= n || row >= n || index >= n) return run_step_bad(s, "points to a value that is not there");
    const run_value *x = &p->plan->value[of], *y = &p->plan->value[row], *i = &p->plan->value[index];
    if (i->dtype != TT_I32 || i->rank || (i->vary && mesh_set_size(p->plan->mesh, i->vary) > 1))
        return run_step_bad(s, "points by a value that is no number, or differs between devices");
    bool same = y->slice && x->dtype == y->dtype && x->rank == y->rank && x->rank && y->dim[0] == 1 &&
        x->space == y->space
                && x->at == y->at && x->bytes == y->bytes && x->vary == y->vary && x->slice != y->slice;
    for (int d = 1; same && d < x->rank; d++) same = x->dim[d] == y->dim[d] &&
        p->storage[of].step[d] == p->storage[row].step[d];
    return same && p->storage[of].step[0] == p->storage[row].step[0] ? true : run_step_bad(s,
        "points to what is no row");
}

static bool bind_step(binder *w, run_bound *b)
{
    const run_step *s = b->step;
    const bool args = s->kind == RUN_COMPUTE || s->kind == RUN_HOST;
    for (uint32_t i = 0; args && i < s->narg; i++)
        if (s->arg[i] >= w->p->plan->nvalue) return run_step_bad(s, "has an argument that is not there");
    b->n = 1;
    switch (s->kind) {
    case RUN_COMPUTE:  return bind_compute(w, b);
    case RUN_EXCHANGE: return run_bind_exchange(w->p, b);
    case RUN_LOOP:
    case RUN_CHOOSE:   return bind_control(w, b);
    case RUN_HOST:
        if (!instances(w->p, b, s->vary) || !operands_here(w->p, s)) return false;
        b->narg = s->narg;
        boxes(w, b);
        return true;
    case RUN_SLICE_PTR: return slice_ptr_ok(w->p, s);
    }
    return run_step_bad(s, "is of no kind");
}

static bool bind_list(binder *w, const run_list *list, run_bound_list *l)
{
    uint32_t capacity = list->n;
    for (uint32_t i = 0; i < list->n; i++) if (run_may_post(&list->step[i])) capacity += RUN_END;
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
        if (b->far) l->n = (uint32_t)(run_bind_messages(w->p, b) - l->at), any = true;
    }
    if (any && !base_switch("no-overlap")) run_overlap(w->p, l, w->p->arena);
    return true;
}

bool run_bind_steps(run_program *p)
{
    binder w = { p, 0 };
    return bind_list(&w, &p->plan->body, &p->body);
}
