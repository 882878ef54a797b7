/* trace/value/pool.c - headers of values: taken from a thread's free list, and returned when the last reference is
 * released.
 *
 * With the last reference the value's contents are released too: its array, or its leaves, whose arrays are released
 * together. */
#include "../trace.h"

#include <stdatomic.h>
#include <string.h>

#include "../inner.h"

enum { POOL = 4096 };                                    /* maximum number of free headers per thread */

trace_value *trace_blank(trace_thread *t, base_site site, trace_form form)
{
    trace_value *v = t->pool;
    if (v) {
        memcpy(&t->pool, (const void *)v, sizeof(trace_value *));
        t->npool--;
        memset(v, 0, sizeof *v);
    } else if (!(v = base_heap(sizeof *v))) {
        return NULL;
    }
    atomic_init(&v->refs, 1);                            /* not shared yet: no fence */
    v->form = form;
    v->site = site;
    return v;
}

/* Releases a reference. Returns true if it was the last one; a single reference need not be decremented. */
static bool is_last(trace_value *v)
{
    return v && (atomic_load_explicit(&v->refs, memory_order_acquire) == 1 ||
                 atomic_fetch_sub_explicit(&v->refs, 1, memory_order_acq_rel) == 1);
}

static void to_pool(trace_thread *t, trace_value *v)
{
    if (t->npool < POOL) {
        memcpy((void *)v, &t->pool, sizeof(trace_value *));
        t->pool = v;
        t->npool++;
    } else {
        base_heap_free(v);
    }
}

/* Releases the leaves of a tree, and their arrays together. */
static void release_leaves(trace_thread *t, int n, trace_value *const *leaf)
{
    enum { FEW = 256 };
    run_array *gone[FEW];
    for (int i = 0, k = 0; i < n; i++) {
        trace_value *v = leaf[i];
        if (is_last(v)) {
            if (v->form == TRACE_CONCRETE) gone[k++] = v->array;
            to_pool(t, v);
        }
        if (k == FEW || i == n - 1) run_drop_all(k, gone), k = 0;
    }
}

void pin_release(trace_value *v)
{
    if (!is_last(v)) return;
    trace_thread *t = trace_this();
    if (v->form == TRACE_CONCRETE) run_drop(v->array);
    if (v->form == TRACE_TREE && v->leaf) {
        release_leaves(t, v->tree->nleaf, v->leaf);
        base_heap_free(v->leaf);
    }
    to_pool(t, v);
}

void trace_pool_leave(trace_thread *t)
{
    for (trace_value *v = t->pool, *next; v; v = next) {
        memcpy(&next, (const void *)v, sizeof(trace_value *));
        base_heap_free(v);
    }
    t->pool = NULL;
    t->npool = 0;
}
