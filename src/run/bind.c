/* run/bind.c - binds a plan to its mesh: where every value is stored, how much memory the program needs, which steps
 * may run together.
 *
 * Offsets of a plan do not depend on the number of instances: address = arena[vary] + instances(vary)*at +
 * instance*bytes. Here each vary set gets a range in one block, the arena, which all programs of the process share (one
 * launch at a time). Each argument and result has a slot, whose address changes from launch to launch. */
#include "inner.h"

#include <string.h>

static bool bind_bad(const char *what, uint32_t i) { return base_bug(NULL, "a plan's %s %u is wrong", what, i); }

/* Bytes of one instance of a value whose dims include `parts` instances. */
static int64_t all_bytes(const run_value *v, int64_t parts)
{
    int64_t n = (int64_t)ir_dtype_of(v->dtype)->bytes;
    for (int d = 0; d < v->rank; d++) {
        const int64_t splits = v->layout ? mesh_list_size(v->layout->mesh, v->layout->dim[d].atoms) : 1;
        n *= (v->dim[d] + splits - 1) / splits;
    }
    return (n + parts - 1) / parts;
}

static bool is_end(const run_value *v) { return v->space == RUN_ARG || v->space == RUN_RESULT; }

static bool value_ok(const run_plan *p, uint32_t i)
{
    const run_value *v = &p->value[i];
    const mesh_set all = p->mesh ? (mesh_set)((1u << p->mesh->natom) - 1) : 0;
    if (!ir_dtype_of(v->dtype) || v->rank < 0 || v->rank > IR_RANK || (v->vary & ~all)) return bind_bad("value", i);
    if (v->layout && (v->layout->mesh != p->mesh || v->layout->rank != v->rank)) return bind_bad("value's layout", i);
    if (v->space == RUN_ARG && (v->at < 0 || v->at >= p->narg)) return bind_bad("argument value", i);
    if (v->space == RUN_RESULT && (v->at < 0 || v->at >= p->nresult)) return bind_bad("result value", i);
    if (v->slice > p->nslice) return bind_bad("row", i);
    if (v->space == RUN_COMMON && (v->at < 0 || v->at >= p->ncommon)) return bind_bad("common value", i);
    const int64_t full = run_bytes(v->dtype, v->rank, v->dim, v->space == RUN_CONST ? NULL : v->layout, v->halo);
    if (full < 0) return false;
    const int64_t parts = v->merged ? mesh_set_size(p->mesh, v->merged) : 1;
    if (v->merged && (v->merged & ~v->vary || v->space == RUN_CONST || v->halo || !v->rank)) return bind_bad("view", i);
    const bool tight = p->single_device && is_end(v);
    const int64_t own = tight ? run_part_stride(v->dtype, v->rank, v->dim, v->layout) : full;
    const int64_t least = v->merged ? all_bytes(v, parts) : own;
    if (v->space != RUN_CONST) return v->bytes >= least && (tight || v->bytes % RUN_CACHE_LINE == 0) ? true
                                     : bind_bad("value's size", i);
    int64_t n = (int64_t)ir_dtype_of(v->dtype)->bytes;
    for (int d = 0; d < v->rank; d++) n *= v->dim[d];
    return v->at >= 0 && v->at + n <= p->nblob ? true : bind_bad("constant", i);
}

/* True if the parts are of equal size and along dim 0 only: rows of a complete array. */
static bool side_by_side(const run_value *v)
{
    for (int d = 1; v->layout && d < v->rank; d++) if (v->layout->dim[d].atoms) return false;
    return !v->vary || (v->rank && v->dim[0] % mesh_set_size(v->layout->mesh, v->vary) == 0);
}

/* True if the value of argument or result i is stored as an array of its layout is. */
static bool end_ok(const run_plan *p, uint32_t value, run_space space, uint32_t i)
{
    if (value >= p->nvalue) return bind_bad("argument or result", i);
    const run_value *v = &p->value[value];
    if (space == RUN_ARG && (v->space != space || v->at != i)) return bind_bad("argument", i);
    if (space == RUN_RESULT && (v->space == RUN_ARENA || (v->space == space && v->at != i))) return bind_bad("result",
        i);
    if (v->space == RUN_CONST) return true;
    const int64_t bytes = p->single_device ? run_part_stride(v->dtype, v->rank, v->dim, v->layout)
                                   : run_bytes(v->dtype, v->rank, v->dim, v->layout, NULL);
    return v->vary == mesh_layout_vary(v->layout) && v->bytes == bytes && (!p->single_device || side_by_side(v))
               ? true : bind_bad("argument's or result's variation or size", i);
}

/* True if a view of an argument or a result has the same bytes and vary set as the argument or result. */
static bool view_ok(const run_plan *p, uint32_t i)
{
    const run_value *v = &p->value[i];
    if (!is_end(v)) return true;
    const run_value *own = &p->value[v->space == RUN_ARG ? p->arg[v->at] : p->result[v->at]];
    return own->space != v->space || (own->bytes == v->bytes && own->vary == v->vary) ? true : bind_bad("view", i);
}

static bool plan_ok(const run_plan *p)
{
    for (uint32_t i = 0; i < p->nvalue; i++) if (!value_ok(p, i)) return false;
    for (uint32_t i = 0; i < p->narg; i++) if (!end_ok(p, p->arg[i], RUN_ARG, i)) return false;
    for (uint32_t i = 0; i < p->nresult; i++) if (!end_ok(p, p->result[i], RUN_RESULT, i)) return false;
    for (uint32_t i = 0; i < p->nvalue; i++) if (!view_ok(p, i)) return false;
    return true;
}

/* Computes the bytes of the arena, with the vary sets one after the other; sets at[] of its values. */
static bool arena_of(run_program *p)
{
    const run_plan *plan = p->plan;
    uint64_t seen[(1 << MESH_ATOMS) / 64] = { 0 };
    int64_t total = 0;
    for (uint32_t i = 0; i < plan->nvalue; i++) {   /* the first value of a vary set places all values of the set */
        const run_value *v = &plan->value[i];
        int64_t top = 0;
        if (v->space != RUN_ARENA || seen[v->vary / 64] >> v->vary % 64 & 1) continue;
        seen[v->vary / 64] |= (uint64_t)1 << v->vary % 64;
        for (uint32_t j = i; j < plan->nvalue; j++) {
            const run_value *w = &plan->value[j];
            if (w->space != RUN_ARENA || w->vary != v->vary) continue;
            if (w->at < 0 || w->at % RUN_CACHE_LINE || __builtin_add_overflow(w->at, w->bytes, &(int64_t){ 0 }))
                return bind_bad("arena value", j);
            if (w->at + w->bytes > top) top = w->at + w->bytes;
        }
        const int64_t n = run_storage_instances(&p->storage[i]);
        for (uint32_t j = i; j < plan->nvalue; j++)
            if (plan->value[j].space == RUN_ARENA && plan->value[j].vary == v->vary)
                p->at[j] = total + n * plan->value[j].at;
        if (__builtin_mul_overflow(n, top, &top) || __builtin_add_overflow(total, top, &total) ||
            total > (int64_t)1 << 50)
            return base_fail(TT_EMEM, NULL, "out of memory: a program needs more than 2^50 bytes");
    }
    p->bytes = total;
    return true;
}

static bool bind_storage(run_program *p)
{
    const run_plan *plan = p->plan;
    p->storage = BASE_NEW(p->arena, run_storage, plan->nvalue);
    p->slot_of = BASE_NEW(p->arena, uint32_t, plan->nvalue);
    p->at = BASE_NEW(p->arena, int64_t, plan->nvalue);
    for (uint32_t i = 0; i < plan->nvalue; i++) {
        const run_value *v = &plan->value[i];
        run_storage *w = &p->storage[i];
        if (!run_storage_value(w, plan, v)) return false;
        if (w->global) p->at[i] = v->at;
        const uint32_t others = RUN_SLOTS + plan->narg + plan->nresult;
        p->slot_of[i] = v->slice ? others + v->slice - 1
                      : v->space == RUN_COMMON ? others + plan->nslice + (uint32_t)v->at
                      : v->space == RUN_ARENA ? RUN_SLOT_ARENA : w->global ? RUN_SLOT_CONST
                      : RUN_SLOTS + (uint32_t)v->at + (v->space == RUN_RESULT ? plan->narg : 0);
    }
    if (!p->dry && !arena_of(p)) return false;   /* in a dry run the devices' memory may exceed this machine's */
    if (!p->dry) run_segment_find(p);
    return true;
}

/* Lists for each slot the boxes to update when the slot's address changes (count: only counts them). */
static void patches(run_program *p, const run_bound_list *l, bool count)
{
    for (run_bound *b = l->at; b < l->at + l->n; b++) {
        RUN_EACH_SUB(b, sub) patches(p, sub, count);
        /* both halves of a kernel share the boxes */
        for (int64_t i = 0; b->box && !b->finish && i < b->n * b->narg; i++) {
            run_slot *s = &p->slot[p->slot_of[b->step->arg[i % b->narg]]];
            if (!count) s->patch[s->n] = (run_patch){ &b->box[i], (int64_t)(intptr_t)b->box[i].at };
            s->n++;
        }
    }
}

static bool bind_ends(run_program *p, uint32_t n, const uint32_t *value, run_port **end)
{
    *end = BASE_NEW(p->arena, run_port, n);
    for (uint32_t i = 0; i < n; i++) {
        const run_value *v = &p->plan->value[value[i]];
        (*end)[i] = (run_port){ ir_type_of(v->dtype, v->rank, v->dim), p->plan->single_device ? NULL : v->layout, NULL,
                                v->space };
        if (!(*end)[i].type) return false;
    }
    return true;
}

static bool bind_results(run_program *p)
{
    for (run_port *e = p->out_port; e < p->out_port + p->plan->nresult; e++) {
        run_storage *w = NULL;
        if (e > p->out_port && e->type == e[-1].type && e->layout == e[-1].layout) e->storage = e[-1].storage;
        else e->storage = w = BASE_NEW(p->arena, run_storage, 1);
        if (w && !run_storage_of(w, e->layout ? p->plan->mesh : NULL, e->type->dtype, e->type->rank, e->type->dim,
                                 e->layout, NULL, mesh_layout_vary(e->layout))) return false;
    }
    return true;
}

static bool slots(run_program *p)
{
    const uint32_t n = RUN_SLOTS + p->plan->narg + p->plan->nresult + p->plan->nslice + p->plan->ncommon;
    run_slot *slot = BASE_NEW(p->arena, run_slot, n);
    p->slot = slot;
    patches(p, &p->body, true);
    for (uint32_t i = 0; i < n; i++) {
        slot[i].patch = BASE_NEW(p->arena, run_patch, slot[i].n);
        slot[i].n = 0;
    }
    patches(p, &p->body, false);
    p->in = BASE_NEW(p->arena, run_array *, p->plan->narg);
    p->moved = BASE_NEW(p->arena, run_array *, p->plan->narg);
    p->out = BASE_NEW(p->arena, run_array *, p->plan->nresult);
    p->constant = BASE_NEW(p->arena, run_array *, p->plan->nresult);
    p->taken = BASE_NEW(p->arena, bool, p->plan->nresult);
    p->out_common = BASE_NEW(p->arena, bool, p->plan->nresult);
    for (const run_far *f = p->common; f; f = f->next_common) if (f->result >= 0) p->out_common[f->result] = true;
    for (uint32_t r = 0; r < p->plan->nresult; r++) p->out_common[r] |= run_has_shares(p, r);
    return bind_ends(p, p->plan->narg, p->plan->arg, &p->in_port) &&
        bind_ends(p, p->plan->nresult, p->plan->result, &p->out_port) &&
           bind_results(p);
}

/* p: set before anything that is to be closed. good: bound */
typedef struct { base_arena *arena; const run_plan *plan; run_program *p; bool good; } binding;

static void bind(void *arg)
{
    binding *b = arg;
    if (!plan_ok(b->plan) || !run_mesh_fits(b->plan->mesh)) return;
    run_program *p = BASE_NEW(b->arena, run_program, 1);
    p->arena = b->arena;
    p->plan = b->plan;
    p->dry = run_dry();
    b->p = p;
    if (!run_watch_open(p) || !bind_storage(p) || (!p->dry && !run_bind_steps(p)) || !slots(p)) return;
    b->good = true;
}

/* Creates the arrays of results that are constants: one array each, shared by all launches. */
static bool constants(run_program *p)
{
    const run_plan *plan = p->plan;
    for (uint32_t i = 0; i < plan->nresult; i++) {
        const run_value *v = &plan->value[plan->result[i]];
        if (v->space != RUN_CONST) continue;
        p->constant[i] = run_array_of(p->out_port[i].type, p->out_port[i].layout, plan->blob + v->at);
        if (!p->constant[i]) return false;
    }
    return true;
}

/* Allocates the area for messages, and computes the word by which ranks know the program: a hash of the plan's text. */
static bool area_made(run_program *p)
{
    for (uint32_t i = 0; i < p->plan->nvalue; i++) p->spread |= run_is_spread(&p->storage[i]);
    if (!p->spread || !run_job_real()) return true;
    base_arena *const a = base_open();
    const char *const text = run_plan_text(a, p->plan);
    if (text) p->word = base_hash(1, text, strlen(text));
    base_close(a);
    return text && (!p->area_bytes || (p->area = wire_pages((size_t)p->area_bytes)));
}

static void drop_constants(run_program *p)
{
    for (uint32_t i = 0; i < p->plan->nresult; i++) run_drop(p->constant[i]);
}

run_program *run_bind(base_arena *owned, const run_plan *plan)
{
    binding b = { owned, plan, NULL, false };
    const bool bound = base_catch(bind, &b) && b.good;
    if (bound && area_made(b.p) && constants(b.p)) return b.p;
    if (b.p) run_watch_close(b.p);
    if (!bound) return NULL;
    drop_constants(b.p);
    wire_pages_free(b.p->area, (size_t)b.p->area_bytes);
    return NULL;
}

void run_unbind(run_program *p)
{
    if (!p) return;
    drop_constants(p);
    run_watch_close(p);
    run_unbind_there(p->there);
    for (run_far *f = p->common; f; f = f->next_common) run_common_release(run_far_give(f));
    if (!p->lost) wire_pages_free(p->area, (size_t)p->area_bytes);
    base_close(p->arena);
}

const run_plan *run_plan_of(const run_program *p) { return p->plan; }

size_t run_program_bytes(const run_program *p) { return base_arena_bytes(p->arena); }

void *run_cache_entry(const run_program *p) { return p->cache_entry; }

void run_set_cache_entry(run_program *p, void *entry) { p->cache_entry = entry; }
