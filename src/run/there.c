/* run/there.c - arrays on an engine's devices: made from the host's memory, read box by box, moved between layouts and
 * engines.
 *
 * Each device has a buffer with its block of the value, so what is replicated is there once a device. Blocks are of one
 * size, that of the largest part, as in memory (storage.c). Nothing is copied to the host but what a read asks for: of
 * the blocks those that the box meets, each from one device. */
#include "there.h"

#include <stdio.h>
#include <string.h>

/* ---- counts, for TUTTI=time and tests ---- */

static _Atomic int64_t times[3], amount[3];

void run_transferred(run_way way, int64_t bytes)
{
    atomic_fetch_add_explicit(&times[way], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&amount[way], bytes, memory_order_relaxed);
}

run_transfers run_transfers_now(void)
{
    run_transfers t;
    for (int i = 0; i < 3; i++) t.times[i] = atomic_load(&times[i]), t.bytes[i] = atomic_load(&amount[i]);
    return t;
}

/* ---- the list of what is there ---- */

static run_lock listed;
static run_there *newest;

void run_there_hold(bool hold) { hold ? run_locked(&listed) : run_unlocked(&listed); }

run_there *run_there_new(run_engine *e, int n, int64_t bytes)
{
    run_there *const t = base_heap(sizeof *t + (size_t)n * sizeof *t->buffer);
    if (!t) return NULL;
    atomic_store_explicit(&t->count, 1, memory_order_relaxed);
    t->engine = e, t->n = n, t->site = run_site, t->bytes = bytes;
    run_locked(&listed);
    if ((t->older = newest)) newest->newer = t;
    newest = t;
    run_unlocked(&listed);
    return t;
}

void run_there_drop(void *p)
{
    run_there *const t = p;
    if (!t || atomic_fetch_sub_explicit(&t->count, 1, memory_order_acq_rel) > 1) return;
    run_locked(&listed);
    *(t->newer ? &t->newer->older : &newest) = t->older;
    if (t->older) t->older->newer = t->newer;
    run_unlocked(&listed);
    for (int k = 0; k < t->n; k++) t->engine->drop(t->engine, t->buffer[k]);
    base_heap_free(t);
}

/* Cites the lines whose arrays hold most on the engine's devices. */
static void cite_holders(run_engine *e)
{
    enum { LINES = 5, SEEN = 64 };
    struct { base_site site; int64_t bytes; } by[SEEN];
    int n = 0;
    run_locked(&listed);
    for (const run_there *t = newest; t; t = t->older) {
        int i = 0;
        if (t->engine != e) continue;
        while (i < n && by[i].site != t->site) i++;
        if (i == SEEN) continue;
        if (i == n) by[n].site = t->site, by[n++].bytes = 0;
        by[i].bytes += t->bytes;
    }
    run_unlocked(&listed);
    for (int k = 0; k < LINES; k++) {
        int most = -1;
        for (int i = 0; i < n; i++) if (by[i].bytes > 0 && (most < 0 || by[i].bytes > by[most].bytes)) most = i;
        if (most < 0) break;
        base_also(by[most].site, "arrays of %.4g KiB were created here", (double)by[most].bytes / 1024);
        by[most].bytes = 0;
    }
}

bool run_there_failed(run_engine *e, const char *doing, const char *why)
{
    const int kind = e->failure(e);
    const bool memory = kind == RUN_NO_MEMORY || kind == RUN_LOST_MEMORY;
    base_fail(memory ? TT_EMEM : TT_EENGINE, run_site, "%s on %s failed: %s", doing, e->platform, why);
    if (memory) cite_holders(e), run_cite_needs(e, NULL);
    if (kind == RUN_NO_MEMORY) return base_hint("drop values that are not needed, or shard them over more devices");
    if (kind == RUN_FORKED)
        return base_hint("fork before the engine is opened, or start a program anew: exec, posix_spawn, Python's "
                         "\"spawn\"");
    if (kind == RUN_LOST || kind == RUN_LOST_MEMORY)
        return base_hint("what was computed there is gone; tt_engine(\"cpu\") goes on in this process");
    return false;
}

base_site run_made_at(const run_array *a) { return a->there->site; }

bool run_is_on(const run_array *a, const run_engine *e) { return e && a->there && a->there->engine == e; }

/* ---- to devices ---- */

run_array *run_there_array(const ir_type *t, const run_storage *s, run_there *there)
{
    run_locked(&run_free_lists);
    run_array *const a = there ? run_array_locked(t, s, true) : NULL;
    run_unlocked(&run_free_lists);
    if (!a) return run_there_drop(there), NULL;
    a->there = there;
    a->wrapped = true, a->freed = run_there_drop, a->env = there;
    return a;
}

static int64_t place_number(const mesh *m, int64_t place) { return m && m->order ? m->order[place] : place; }

/* The sizes of a block; returns its bytes. */
static int64_t there_block(const run_array *a, int64_t *n)
{
    const mesh_layout *const l = a->storage.layout;
    int64_t bytes = a->storage.size;
    for (int d = 0; d < a->type->rank; d++) {
        const int64_t parts = l ? mesh_list_size(l->mesh, l->dim[d].atoms) : 1, size = a->type->dim[d];
        bytes *= n[d] = size / parts + (size % parts != 0);
    }
    return bytes;
}

/* True if the engine has the mesh's devices. */
static bool fits_there(run_engine *e, const ir_type *t, const mesh *m)
{
    const int64_t n = m ? mesh_size(m) : 1;
    if (t->rank > RUN_ENGINE_RANK)
        return base_fail(TT_EENGINE, run_site, "an array of %d dims on %s, which takes at most %d", t->rank,
                         e->platform, RUN_ENGINE_RANK);
    for (int64_t p = 0; p < n; p++) {
        if (place_number(m, p) < (n < e->devices ? n : e->devices)) continue;
        base_fail(TT_EMESH, run_site, "a mesh with device %lld; %s has %d devices, and programs begin at device 0",
                  (long long)place_number(m, p), e->platform, e->devices);
        return base_hint("TUTTI=devices:N makes N devices, where the library makes its devices itself");
    }
    return true;
}

static void has_read(void *array) { run_drop(array); }

/* Begins the transfer of a block, which has the sizes n. Memory of the caller has been read when this returns; an
 * array's own memory is kept until it has been. */
static void *put_block(run_engine *e, run_array *a, const ir_box *b, const int64_t *n, int device, const char **why)
{
    run_put q = { device, b->dtype, b->rank, n, b->at, a->storage.size, NULL, NULL };
    for (int d = 0; d < b->rank; d++) q.bytes *= n[d];
    if (!a->wrapped) q.read = has_read, q.env = run_keep(a);
    void *const buffer = e->put(e, &q, why);
    if (!buffer) run_drop(q.env);
    return buffer;
}

/* Puts the block of each device there; device-to-device where another device has it already. */
static bool put_all(run_engine *e, run_array *a, run_there *there)
{
    enum { SMALL = 4096 };                               /* bytes: two transfers from the host cost no more */
    const run_storage *const s = &a->storage;
    const mesh *const m = s->mesh;
    const char *why = "";
    uint32_t coord[MESH_ATOMS] = { 0 };
    int64_t n[IR_RANK];
    const int64_t bytes = there_block(a, n);
    for (int p = 0; p < there->n; p++) {
        const int k = (int)place_number(m, p);
        int64_t twin = p;
        if (m) mesh_coord(m, p, coord);
        const int64_t i = m ? mesh_instance(m, s->vary, coord) : 0;
        const ir_box b = run_box(a, i);
        if (m && bytes > SMALL) {
            for (int x = 0; x < m->natom; x++) if (!(s->vary >> x & 1)) coord[x] = 0;
            twin = mesh_instance(m, (mesh_set)((1u << m->natom) - 1), coord);
        }
        void *const from = twin < p ? there->buffer[place_number(m, twin)] : NULL;
        there->buffer[k] = from ? e->copy(e, from, k, &why) : put_block(e, a, &b, n, k, &why);
        if (!there->buffer[k]) return run_there_failed(e, "a transfer to device", why);
        run_transferred(from ? RUN_BETWEEN : RUN_TO_DEVICE, bytes);
    }
    return true;
}

bool run_there_has(run_engine *e, base_site site, tt_dtype t)
{
    if (e->has(e, t)) return true;
    base_fail(TT_EENGINE, site, "%s has no elements of type %s", e->platform, ir_dtype_of(t)->name);
    return base_hint("cast them to a type of 8 bits or more (tt_cast), or compute on the embedded engine: "
                     "tt_engine(\"cpu\")");
}

static run_array *put(run_engine *e, run_array *a)
{
    const mesh *const m = a->storage.mesh;
    if (!run_there_has(e, run_site, a->type->dtype) || !fits_there(e, a->type, m)) return NULL;
    const int n = m ? (int)mesh_size(m) : 1;
    run_there *const there = run_there_new(e, n, a->storage.bytes * n);
    if (there && put_all(e, a, there)) return run_there_array(a->type, &a->storage, there);
    run_there_drop(there);
    return NULL;
}

run_array *run_send(run_array *a)
{
    run_engine *const e = run_engine_now();
    if (!a || (!e && run_engine_ok())) return a;
    run_array *const there = e ? put(e, a) : NULL;
    run_drop(a);
    return there;
}

/* ---- to the host ---- */

/* The buffer that has instance i. */
static void *buffer_of(const run_array *a, int64_t i)
{
    const mesh *const m = a->storage.mesh;
    uint32_t coord[MESH_ATOMS] = { 0 };
    if (!m) return a->there->buffer[0];
    mesh_instance_coord(m, a->storage.vary, i, coord);
    return a->there->buffer[place_number(m, mesh_instance(m, (mesh_set)((1u << m->natom) - 1), coord))];
}

/* A library gives the bits of an integer of 2 or 4 bits; here a byte has the integer. */
static void extend_narrow(tt_dtype t, int8_t *at, int64_t n)
{
    const int sign = t == TT_I4 ? 8 : t == TT_I2 ? 2 : 0;
    for (int64_t i = 0; i < n && sign; i++) at[i] = (int8_t)(((at[i] & (2 * sign - 1)) ^ sign) - sign);
}

/* Copies the block of instance i to `to`. */
static bool get(const run_array *a, int64_t i, void *to)
{
    run_engine *const e = a->there->engine;
    int64_t n[IR_RANK];
    const int64_t bytes = there_block(a, n);
    const char *why = "";
    if (!bytes) return true;
    run_transferred(RUN_TO_HOST, bytes);
    if (e->get(e, buffer_of(a, i), a->type->dtype, a->type->rank, n, to, bytes, &why)) {
        extend_narrow(a->type->dtype, to, bytes);
        return true;
    }
    run_there_failed(e, "a transfer to the host", why);
    return base_also(a->there->site, "the value was created here");
}

/* The part of box `all` that box b has; false: none. */
static bool meets(const ir_box *all, const ir_box *b, ir_box *part)
{
    *part = *all;
    int64_t at = 0;
    for (int d = 0; d < all->rank; d++) {
        const int64_t lo = all->lo[d] > b->lo[d] ? all->lo[d] : b->lo[d], end = all->lo[d] + all->n[d],
                      hi = end < b->lo[d] + b->n[d] ? end : b->lo[d] + b->n[d];
        if (lo >= hi) return false;
        at += (lo - all->lo[d]) * all->step[d];
        part->lo[d] = lo - b->lo[d], part->n[d] = hi - lo;
    }
    part->at = (char *)all->at + at * (int64_t)ir_dtype_of(all->dtype)->bytes;
    return true;
}

/* True if both are the same range, and the block, of sizes n, has nothing else. */
static bool is_whole(const ir_box *all, const ir_box *b, const int64_t *n)
{
    for (int d = 0; d < b->rank; d++)
        if (all->lo[d] != b->lo[d] || all->n[d] != b->n[d] || n[d] != b->n[d]) return false;
    return true;
}

bool run_read_there(run_array *a, const ir_box *to)
{
    char *block = NULL;
    int64_t n[IR_RANK];
    bool ok = true;
    there_block(a, n);
    for (int64_t i = 0; i < a->n && ok; i++) {
        ir_box b = run_box(a, i), part;
        if (!meets(to, &b, &part)) continue;
        if (is_whole(to, &b, n)) return get(a, i, to->at);
        if (!block && !(block = run_buffer(a->storage.bytes))) return false;
        memcpy(b.n, n, (size_t)b.rank * sizeof *n);      /* as the block is in memory */
        ok = get(a, i, block) && run_copy_box(&b, block, &part);
    }
    run_buffer_drop(block, a->storage.bytes);
    return ok;
}

/* The same array in the host's memory. */
static run_array *fetched(run_array *a)
{
    run_locked(&run_free_lists);
    run_array *b = run_array_locked(a->type, &a->storage, false);
    run_unlocked(&run_free_lists);
    for (int64_t i = 0; b && i < a->n; i++) {
        const ir_box box = run_box(b, i);
        if (!get(a, i, box.at)) run_drop(b), b = NULL;
    }
    return b;
}

static __attribute__((noinline)) bool wait_there(const run_array *a)
{
    const char *why = "";
    run_engine *const e = a->there->engine;
    for (int k = 0; k < a->there->n; k++) {
        if (e->wait(e, a->there->buffer[k], &why)) continue;
        run_there_failed(e, "what was launched", why);
        return base_also(a->there->site, "the value was created here");
    }
    return true;
}

bool run_wait(run_array *a) { return !a->there || wait_there(a); }

/* ---- to other layouts, other engines ---- */

/* True if each device has the same block in both layouts. */
static bool same_blocks(const run_array *a, const mesh_layout *l)
{
    const mesh_layout *const own = a->storage.layout;
    return own && l && own->mesh && mesh_same_devices(own->mesh, l->mesh) && run_same_storage(own, l);
}

/* From device 0 to all of a mesh. */
static run_array *spread(run_array *a, const mesh_layout *l)
{
    run_engine *const e = a->there->engine;
    run_storage s;
    const char *why = "";
    const int n = (int)mesh_size(l->mesh);
    if (!fits_there(e, a->type, l->mesh)) return NULL;
    if (!run_storage_of(&s, l->mesh, a->type->dtype, a->type->rank, a->type->dim, l, NULL, 0)) return NULL;
    run_there *const there = run_there_new(e, n, s.bytes * n);
    for (int k = 0; there && k < n; k++) {
        if ((there->buffer[k] = e->copy(e, a->there->buffer[0], k, &why))) {
            run_transferred(RUN_BETWEEN, s.bytes);
            continue;
        }
        run_there_drop(there);
        return run_there_failed(e, "a copy between devices", why), NULL;
    }
    return run_there_array(a->type, &s, there);
}

static run_array *there_renamed(run_array *a, const mesh_layout *l)
{
    run_storage s;
    if (!run_storage_of(&s, l->mesh, a->type->dtype, a->type->rank, a->type->dim, l, NULL, mesh_layout_vary(l)))
        return NULL;
    atomic_fetch_add_explicit(&a->there->count, 1, memory_order_relaxed);
    return run_there_array(a->type, &s, a->there);
}

run_array *run_move_there(run_array *a, base_site site, const mesh_layout *l)
{
    run_engine *const e = run_engine_now();
    if (site) run_site = site;
    if (a->there && a->there->engine == e) {
        if (a->storage.layout == l) return run_keep(a);
        if (same_blocks(a, l)) return there_renamed(a, l);
        if (!a->storage.mesh && l && !mesh_used(l)) return spread(a, l);
    }
    run_array *const here = a->there ? fetched(a) : run_keep(a);
    run_array *const moved = here ? run_move_here(here, site, l) : NULL;
    run_drop(here);
    return run_send(moved);
}
