/* driver/cache.c - caches compiled programs by content, so that a function is compiled once and launched many times.
 *
 * The key of a program is the hash of its function's content, the mesh, the layouts, the donated arguments, and the
 * flags. The caller that compiles a program holds it until it releases it. Of the programs that are neither running nor
 * held, a limited number and a limited number of bytes are kept; the least recently released is evicted first. Eager
 * calls have a table of their own. A table's lock is not held while compiling, so two threads may compile the same
 * program; the second then uses the first's. */
#include "inner.h"

#include <string.h>

struct driver_tally driver_counted;
static driver_table programs = { .lock = PTHREAD_MUTEX_INITIALIZER, .most = 256, .most_bytes = 64 << 20 };

/* ---- tables ---- */

static size_t cache_bytes_of(const driver_entry *e) { return run_program_bytes(e->program); }

/* Idle entries are in a list, by time of release. */
static void cache_take(driver_table *t, driver_entry *e)
{
    if (e->busy++) return;
    *(e->older ? &e->older->newer : &t->oldest) = e->newer;
    *(e->newer ? &e->newer->older : &t->newest) = e->older;
    t->idle--;
    t->idle_bytes -= cache_bytes_of(e);
}

static void leave(driver_table *t, driver_entry *e)
{
    if (--e->busy) return;
    e->older = t->newest;
    e->newer = NULL;
    *(t->newest ? &t->newest->newer : &t->oldest) = e;
    t->newest = e;
    t->idle++;
    t->idle_bytes += cache_bytes_of(e);
}

static driver_entry *cache_find(driver_table *t, uint64_t hash, const uint64_t *key, uint32_t nkey)
{
    for (driver_entry *e = t->cap ? t->slot[hash & (t->cap - 1)] : NULL; e; e = e->next) {
        if (e->hash != hash || e->nkey != nkey || memcmp(e->key, key, nkey * sizeof *key)) continue;
        cache_take(t, e);
        return e;
    }
    return NULL;
}

driver_entry *driver_find(driver_table *t, uint64_t hash, const uint64_t *key, uint32_t nkey)
{
    pthread_mutex_lock(&t->lock);
    driver_entry *e = cache_find(t, hash, key, nkey);
    pthread_mutex_unlock(&t->lock);
    return e;
}

static void out(driver_table *t, driver_entry *e)        /* removes an idle entry from the table */
{
    driver_entry **at = &t->slot[e->hash & (t->cap - 1)];
    while (*at != e) at = &(*at)->next;
    *at = e->next;
    cache_take(t, e);
    t->used--;
}

static void free_list(driver_entry *e)                   /* linked by `next`; without the lock */
{
    for (driver_entry *next; e; e = next) {
        next = e->next;
        run_unbind(e->program);
        base_heap_free(e);
    }
}

static driver_entry *too_many(driver_table *t, size_t most, size_t most_bytes)
{
    driver_entry *gone = NULL;
    for (driver_entry *e; (e = t->oldest) && (t->idle > most || t->idle_bytes > most_bytes); gone = e) {
        out(t, e);
        e->next = gone;
    }
    return gone;
}

void driver_release(driver_table *t, driver_entry *e)
{
    pthread_mutex_lock(&t->lock);
    leave(t, e);
    driver_entry *gone = too_many(t, t->most, t->most_bytes);
    pthread_mutex_unlock(&t->lock);
    if (gone) free_list(gone);
}

void driver_trim(driver_table *t, size_t most, size_t most_bytes)
{
    pthread_mutex_lock(&t->lock);
    driver_entry *gone = too_many(t, most, most_bytes);
    pthread_mutex_unlock(&t->lock);
    free_list(gone);
}

static bool cache_grow(driver_table *t)
{
    const size_t capacity = t->cap ? 4 * t->cap : 256;
    driver_entry **slot = base_heap(capacity * sizeof *slot);
    if (!slot) return t->cap != 0;                       /* a full table is slower, not wrong */
    for (size_t i = 0; i < t->cap; i++)
        for (driver_entry *e = t->slot[i], *next; e; e = next) {
            next = e->next;
            e->next = slot[e->hash & (capacity - 1)];
            slot[e->hash & (capacity - 1)] = e;
        }
    base_heap_free(t->slot);
    t->slot = slot;
    t->cap = capacity;
    return true;
}

driver_entry *driver_insert(driver_table *t, uint64_t hash, const uint64_t *key, uint32_t nkey, run_program *p)
{
    run_program *gone = NULL;
    pthread_mutex_lock(&t->lock);
    driver_entry *e = cache_find(t, hash, key, nkey);
    if (e) gone = p;                                     /* another thread was faster */
    else if ((t->used < t->cap || cache_grow(t)) && (e = base_heap(sizeof *e + nkey * sizeof *key))) {
        *e = (driver_entry){ .hash = hash, .nkey = nkey, .key = (uint64_t *)(e + 1), .program = p, .busy = 1 };
        memcpy(e->key, key, nkey * sizeof *key);
        e->next = t->slot[hash & (t->cap - 1)];
        t->slot[hash & (t->cap - 1)] = e;
        t->used++;
        run_set_cache_entry(p, e);
    } else gone = p;
    pthread_mutex_unlock(&t->lock);
    if (gone) run_unbind(gone);
    return e;
}

void driver_clear(driver_table *t)
{
    for (size_t i = 0; i < t->cap; i++) free_list(t->slot[i]);
    base_heap_free(t->slot);
    t->slot = NULL;
    t->oldest = t->newest = NULL;
    t->cap = t->used = t->idle = t->idle_bytes = 0;
}

/* ---- programs ---- */

static driver_entry *program(const ir_fn *fn, const driver_opts *o, const mesh_layout *const *in)
{
    const mesh *m = driver_mesh(fn, fn->narg, in);
    const uint32_t flags = driver_flags(o ? o->flags : 0), n = 7 + fn->nret + 2 * fn->narg;
    uint64_t key[n];
    uint32_t k = 0;
    key[k++] = ir_hash(fn);
    key[k++] = (uintptr_t)m;
    key[k++] = (uint64_t)fn->narg << 32 | fn->nret;
    key[k++] = flags;
    key[k++] = driver_lines(fn, flags);
    key[k++] = (uint64_t)driver_strict(o ? o->strict : 0);
    key[k++] = driver_machine_key();
    for (uint32_t i = 0; i < fn->narg; i++) {
        key[k++] = (uintptr_t)(in ? in[i] : NULL);
        key[k++] = o && o->donate ? o->donate[i] : fn->donate && fn->donate[i];
    }
    for (uint32_t j = 0; j < fn->nret; j++) key[k++] = (uintptr_t)(o && o->out ? o->out[j] : NULL);
    const uint64_t hash = base_hash(0, key, sizeof key);
    driver_entry *e = driver_find(&programs, hash, key, n);
    if (e) {
        DRIVER_COUNT(hits, 1);
        return e;
    }
    DRIVER_COUNT(misses, 1);
    driver_config config = driver_config_of(o);
    config.in = in;
    run_program *p = driver_pipeline(fn, m, &config);
    return p ? driver_insert(&programs, hash, key, n, p) : NULL;
}

run_program *driver_compile(const ir_fn *fn, const driver_opts *o)
{
    driver_entry *e = program(fn, o, o ? o->in : NULL);
    return e ? e->program : NULL;                        /* stays busy until driver_release_program */
}

void driver_release_program(run_program *p)
{
    if (p && run_cache_entry(p)) driver_release(&programs, run_cache_entry(p));
}

/* Moves results that are requested on another mesh than the program's. */
static bool cache_moved(const ir_fn *fn, const driver_opts *o, const mesh *m, run_array **y)
{
    for (uint32_t j = 0; o && o->out && j < fn->nret; j++) {
        if (!o->out[j] || o->out[j]->mesh == m) continue;
        run_array *there = run_move(y[j], NULL, o->out[j]);
        if (!there) {
            for (uint32_t k = 0; k < fn->nret; k++) run_drop(y[k]), y[k] = NULL;
            return false;
        }
        run_drop(y[j]);
        y[j] = there;
    }
    return true;
}

bool driver_run(const ir_fn *fn, const driver_opts *o, run_array *const *in, const bool *consumed, run_array **y)
{
    const mesh_layout *layout[fn->narg + 1];
    for (uint32_t i = 0; i < fn->narg; i++) layout[i] = o && o->in && o->in[i] ? o->in[i] : run_layout(in[i]);
    const mesh *m = driver_mesh(fn, fn->narg, layout);
    if (o && o->once) {
        driver_config config = driver_config_of(o);
        config.in = layout;
        run_program *p = driver_pipeline(fn, m, &config);
        const bool ok = p && run_launch(p, in, consumed, y);
        if (p) run_unbind(p);
        return ok && cache_moved(fn, o, m, y);
    }
    driver_entry *e = program(fn, o, layout);
    if (!e) return false;
    const bool ok = run_launch(e->program, in, consumed, y);
    driver_release(&programs, e);
    return ok && cache_moved(fn, o, m, y);
}

void driver_forget(void)
{
    driver_clear(&programs);
    driver_forget_eager();
    struct driver_tally *t = &driver_counted;
    t->hits = t->misses = t->eager_hits = t->eager_misses = t->compile_ns = 0;
}

void driver_forget_idle(void)
{
    driver_trim(&programs, 0, 0);
    driver_trim_eager();
}

driver_counts driver_count(void)
{
    const struct driver_tally *t = &driver_counted;
    pthread_mutex_lock(&programs.lock);
    const int64_t used = (int64_t)programs.used;
    pthread_mutex_unlock(&programs.lock);
    return (driver_counts){ .programs = used, .hits = t->hits, .misses = t->misses, .eager_hits = t->eager_hits,
                           .eager_misses = t->eager_misses, .compile_s = 1e-9 * (double)t->compile_ns };
}
