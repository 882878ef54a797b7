/* run/there_constants.c - constants of programs as arrays on an engine's devices: each is sent once per layout,
 * whatever the number of programs that read it, and dropped with the last of them.
 *
 * A constant is known by the address of its elements, which are interned. */
#include "there.h"

#include <pthread.h>

typedef struct kept {
    struct kept *next;
    const run_engine *engine; const ir_type *type; const mesh_layout *layout; const void *data;
    run_array *array; int programs;
} kept;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static kept *all;
static _Atomic int64_t sent, amount;

void run_there_constants_hold(bool hold) { hold ? pthread_mutex_lock(&lock) : pthread_mutex_unlock(&lock); }

void run_there_constants(int64_t *number, int64_t *bytes) { *number = sent, *bytes = amount; }

static kept *sent_now(run_engine *e, const ir_type *t, const mesh_layout *l, const void *data)
{
    run_array *const array = run_array_of(t, l, data);
    kept *const k = array ? base_heap(sizeof *k) : NULL;
    if (array && !run_is_on(array, e)) base_bug(run_site, "a constant is not on the engine of its program");
    if (!k || !run_is_on(array, e)) return run_drop(array), base_heap_free(k), NULL;
    *k = (kept){ all, e, t, l, data, array, 0 };
    all = k;
    atomic_fetch_add(&sent, 1);
    atomic_fetch_add(&amount, ir_bytes(t));
    return k;
}

run_array *run_constant_there(run_engine *e, const ir_type *t, const mesh_layout *l, const void *data)
{
    pthread_mutex_lock(&lock);
    kept *k = all;
    while (k && (k->engine != e || k->type != t || k->layout != l || k->data != data)) k = k->next;
    if (!k) k = sent_now(e, t, l, data);
    if (k) k->programs++;
    pthread_mutex_unlock(&lock);
    return k ? k->array : NULL;
}

void run_constant_gone(run_array *a)
{
    pthread_mutex_lock(&lock);
    kept **at = &all;
    while (*at && (*at)->array != a) at = &(*at)->next;
    kept *const k = a ? *at : NULL, *const last = k && !--k->programs ? k : NULL;
    if (last) *at = last->next;
    pthread_mutex_unlock(&lock);
    if (last) run_drop(last->array), base_heap_free(last);
}
