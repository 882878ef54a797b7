/* run/array.c - arrays: concrete values, immutable and reference-counted.
 *
 * One block of memory holds all instances, contiguously. An array laid out over a mesh has one instance per distinct
 * shard: replicas are stored once. Blocks and headers come from free lists. Reading gathers any box of the global
 * value, by the same box exchange that plans use, and so does filling from host memory. Moving: move.c. */
#include "there.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static run_array *free_headers;   /* returned to the system only by run_array_trim */

void run_array_trim(void)
{
    run_locked(&run_free_lists);
    for (run_array *a = free_headers, *next; a; a = next) {
        next = a->next;
        base_heap_free(a);
    }
    free_headers = NULL;
    run_unlocked(&run_free_lists);
}

int64_t run_array_bytes(const run_array *a) { return a->n * a->storage.bytes; }

static void refused(const ir_type *t)                    /* adds the array's type to the error */
{
    char dims[160] = "";
    size_t n = 0;
    for (int d = 0; d < t->rank && n + 24 < sizeof dims; d++)
        n += (size_t)snprintf(dims + n, sizeof dims - n, "%s%lld", d ? ", " : "", (long long)t->dim[d]);
    base_also(NULL, "the memory was for an array %s[%s]", ir_dtype_of(t->dtype)->name, dims);
}

bool run_dry(void) { return base_switch("dry") != NULL; }

bool run_is_bare(const run_array *a) { return !a->at && a->n && a->storage.bytes && !a->there; }

/* bare: a header without memory; the caller provides its block. Called with run_free_lists held. */
run_array *run_array_locked(const ir_type *t, const run_storage *storage, bool bare)
{
    const int64_t n = run_storage_instances(storage);
    int64_t bytes;
    if (__builtin_mul_overflow(n, storage->bytes, &bytes)) bytes = INT64_MAX;
    run_array *a = free_headers;
    if (a) free_headers = a->next;
    else a = base_heap(sizeof *a);
    void *at = a && !bare ? run_buffer_locked(bytes) : NULL;
    if (a && !at && !bare) refused(t), a->next = free_headers, free_headers = a, a = NULL;
    if (!a) return NULL;
    /* otherwise the reused header's storage is already right */
    if (a->type != t || a->storage.layout != storage->layout) a->storage = *storage;
    a->type = t;
    a->n = n;
    a->at = at, a->freed = NULL, a->env = NULL, a->there = NULL;
    a->wrapped = false, a->seen = 0;
    atomic_store_explicit(&a->count, 1, memory_order_relaxed);
    return a;
}

bool run_mesh_fits(const mesh *m)
{
    if (!m || mesh_size(m) <= RUN_DEVICES || run_dry()) return true;
    base_arena *const a = base_open();
    base_fail(TT_EMESH, NULL, "the mesh %s has %lld devices; nothing is computed on more than %d", mesh_text(a, m),
              (long long)mesh_size(m), RUN_DEVICES);
    base_close(a);
    return base_hint("tt_explain, tt_plan, tutti plan and TUTTI=dry take any mesh");
}

run_array *run_array_new(const ir_type *t, const mesh_layout *l, bool bare)
{
    const mesh *const m = l ? l->mesh : NULL;
    run_storage p;
    if (!run_mesh_fits(m)) return NULL;
    if (!run_storage_of(&p, m, t->dtype, t->rank, t->dim, l, NULL, mesh_layout_vary(l))) return NULL;
    run_locked(&run_free_lists);
    run_array *a = run_array_locked(t, &p, bare);
    run_unlocked(&run_free_lists);
    return a;
}

run_array *run_keep(run_array *a)
{
    if (a) atomic_fetch_add_explicit(&a->count, 1, memory_order_relaxed);
    return a;
}

/* True if the last reference was dropped. A single holder need not decrement the count. */
static bool is_last(run_array *a)
{
    return a && (atomic_load_explicit(&a->count, memory_order_acquire) == 1 ||
                 atomic_fetch_sub_explicit(&a->count, 1, memory_order_acq_rel) == 1);
}

/* Puts the last array on the free lists first, so that taking as many gives the same headers and blocks in the same
 * order. */
void run_drop_all(int n, run_array *const *list)
{
    run_array *released = NULL;
    for (int i = 0; i < n; i++) {
        run_array *a = list[i];
        if (!is_last(a)) continue;
        if (a->wrapped && a->freed) a->freed(a->env);
        a->next = released;
        released = a;
    }
    if (!released) return;
    run_locked(&run_free_lists);
    for (run_array *a = released, *next; a; a = next) {
        next = a->next;
        if (!a->wrapped) run_buffer_drop_locked(a->at, a->n * a->storage.bytes);
        a->next = free_headers;
        free_headers = a;
    }
    run_unlocked(&run_free_lists);
}

void run_drop(run_array *a) { run_drop_all(1, &a); }

const ir_type     *run_type(const run_array *a) { return a->type; }
const mesh_layout *run_layout(const run_array *a) { return a->storage.layout; }
int64_t            run_instances(const run_array *a) { return a->n; }
bool               run_is_complete(const run_array *a) { return !a->storage.ranks || a->n == a->storage.ranks->all; }

static void coord_of(const run_storage *p, int64_t instance, uint32_t *coord)
{
    run_instance_coord(p->mesh, p->vary, p->ranks, instance, coord);
}

ir_box run_box(const run_array *a, int64_t instance)
{
    uint32_t coord[MESH_ATOMS];
    ir_box b = { 0 };
    coord_of(&a->storage, instance, coord);
    b.at = a->at + run_storage_box(&a->storage, coord, &b);
    return b;
}

typedef struct {
    run_how how; char *to; const char *from;
    const run_ranks *ranks;                              /* of the source; NULL: all instances are here */
} now;

/* True if this rank holds all sources of a pull; else sets the error. */
static bool sources_here(const run_ranks *r, const run_pull *p)
{
    for (uint32_t k = 0; r && k < p->nsrc; k++) {
        const int64_t i = p->instance[k];
        if (r->here[i]) continue;
        const run_job_shape job = run_job_now();
        const int holder = r->holder[r->holder_at[i]];
        const long long first = holder * job.devices, last = first + job.devices - 1;
        char devices[64];
        snprintf(devices, sizeof devices, first == last ? "device %lld" : "devices %lld to %lld", first, last);
        base_fail(TT_ERANK, NULL, "rank %d does not hold this part of the value; %s of rank %d do%s", job.me, devices,
                  holder, first == last ? "es" : "");
        return base_hint("tt_process_allgather(v), by all ranks, gives each of them all of it; tt_addressable_data "
                         "reads what a rank's own device holds");
    }
    return true;
}

static bool pull_now(void *env, const run_pull *p)
{
    const now *w = env;
    if (!sources_here(w->ranks, p)) return false;
    run_pull_do(p, 0, p->count, &w->how, w->to, w->from);
    return true;
}

/* Fills a box, at coordinates `coord` of the source's mesh, from a value stored as `from` describes. */
static bool array_fill(const run_storage *from, const char *at, const ir_box *to, const uint32_t *coord)
{
    const mesh_layout *l = from->layout;
    const run_route r = { .over = l ? l->partial : 0, .reduce = l ? l->reduce : MESH_NONE };
    return run_pulls(from, &r, coord, to, pull_now,
                     &(now){ { to->dtype, to->dtype, r.reduce, false }, to->at, at, from->ranks });
}

bool run_fill_all(const run_storage *from, const char *at, run_array *to)
{
    uint32_t coord[MESH_ATOMS];
    for (int64_t i = 0; i < to->n; i++) {
        const ir_box b = run_box(to, i);
        coord_of(&to->storage, i, coord);
        if (!array_fill(from, at, &b, from->mesh == to->storage.mesh ? coord : NULL)) return false;
    }
    return true;
}

bool run_array_fits(base_site site, const ir_type *t, const mesh_layout *l)
{
    if (!l) return true;
    if (l->rank != t->rank)
        return base_fail(TT_ESPEC, site, "a layout of %d dims for a value of %d dims", l->rank, t->rank);
    if (l->partial) return base_fail(TT_ESPEC, site, "an array cannot be laid out as partial sums");
    return true;
}

run_array *run_array_of(const ir_type *t, const mesh_layout *l, const void *host)
{
    run_storage dense;
    if (!run_array_fits(NULL, t, l)) return NULL;
    run_array *a = run_array_new(t, l, run_dry());
    if (!a || !a->at) return run_send(a);
    if (host && !l) memcpy(a->at, host, (size_t)ir_count(t) * ir_dtype_of(t->dtype)->bytes);     /* stored as it is */
    else if (!host) memset(a->at, 0, (size_t)(a->n * a->storage.bytes));
    else if (!run_storage_of(&dense, NULL, t->dtype, t->rank, t->dim, NULL, NULL, 0) ||
             !run_fill_all(&dense, host, a)) {
        run_drop(a);
        return NULL;
    }
    return run_send(a);
}

run_array *run_array_of_part(const ir_type *t, const mesh_layout *l, const ir_type *part, const int64_t *first,
                             const void *host)
{
    run_storage dense;
    if (!run_array_fits(NULL, t, l)) return NULL;
    run_array *a = run_array_new(t, l, run_dry());
    bool good = a && run_storage_of(&dense, NULL, part->dtype, part->rank, part->dim, NULL, NULL, 0);
    for (int64_t i = 0; good && a->at && i < a->n; i++) {
        ir_box b = run_box(a, i);
        for (int d = 0; d < b.rank; d++) b.lo[d] -= first[d];
        good = array_fill(&dense, host, &b, NULL);
    }
    if (good) return run_send(a);
    run_drop(a);
    return NULL;
}

bool run_copy_box(const ir_box *block, const char *at, const ir_box *to)
{
    const run_route none = { .over = 0 };
    run_storage from;
    now w = { .how = { to->dtype, to->dtype, MESH_NONE, false }, .to = to->at, .from = at };
    return run_storage_of(&from, NULL, block->dtype, block->rank, block->n, NULL, NULL, 0) &&
           run_pulls(&from, &none, NULL, to, pull_now, &w);
}

/* Fills the box of one instance: directly in its buffer if it is dense there, otherwise through a dense copy. */
static bool fill_block(const ir_box *b, run_filler *fill, void *env)
{
    const ir_box dense = ir_box_of(b->at, b->dtype, b->rank, b->lo, b->n);
    const int64_t bytes = ir_box_count(&dense) * (int64_t)ir_dtype_of(b->dtype)->bytes;
    bool same = true;
    for (int d = 0; d < b->rank; d++) same &= b->n[d] == 1 || b->step[d] == dense.step[d];
    if (!bytes) return true;
    if (same) return fill(env, b->lo, b->n, b->at);
    char *copy = run_buffer(bytes);
    bool ok = copy && fill(env, b->lo, b->n, copy);
    ir_box to = *b;
    for (int d = 0; d < b->rank; d++) to.lo[d] = 0;
    ok = ok && run_copy_box(b, copy, &to);
    run_buffer_drop(copy, bytes);
    return ok;
}

run_array *run_array_fill(const ir_type *t, const mesh_layout *l, run_filler *fill, void *env)
{
    if (!run_array_fits(NULL, t, l)) return NULL;
    run_array *a = run_array_new(t, l, run_dry());
    for (int64_t i = 0; a && a->at && i < a->n; i++) {
        const ir_box b = run_box(a, i);
        if (fill_block(&b, fill, env)) continue;
        run_drop(a);
        return NULL;
    }
    return run_send(a);
}

bool run_read(run_array *a, const int64_t *lo, const int64_t *n, void *host)
{
    const ir_box b = ir_box_of(host, a->type->dtype, a->type->rank, lo, n ? n : a->type->dim);
    for (int d = 0; d < b.rank; d++)
        if (b.lo[d] < 0 || b.n[d] < 0 || b.lo[d] + b.n[d] > a->type->dim[d])
            return base_fail(TT_EARG, NULL, "dim %d has indices 0 to %lld; %lld to %lld were requested", d,
                             (long long)a->type->dim[d] - 1, (long long)b.lo[d], (long long)(b.lo[d] + b.n[d]) - 1);
    if (a->there) return run_read_there(a, &b);
    if (!run_is_bare(a)) return array_fill(&a->storage, a->at, &b, NULL);
    memset(host, 0, (size_t)ir_box_count(&b) * ir_dtype_of(b.dtype)->bytes);
    return true;
}

run_array *run_array_over(const ir_type *t, void *at)
{
    run_array *a = run_array_new(t, NULL, true);
    if (a) a->at = at, a->wrapped = true;
    return a;
}

void run_array_common(run_array *a, char *at)
{
    a->at = at;
    a->wrapped = true, a->freed = run_common_release, a->env = at;
}

void run_array_freed(run_array *a, void (*freed)(void *env), void *env) { a->freed = freed, a->env = env; }
