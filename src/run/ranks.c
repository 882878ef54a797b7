/* run/ranks.c - which rank holds which instances; see ranks.h. */
#include "ranks.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct entry { const mesh *mesh; mesh_set vary; run_ranks ranks; struct entry *next; } entry;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static entry *entries;                                   /* a handful of classes per mesh */
static run_job_shape shape = { 0, 1, INT64_MAX };

void run_job_set(run_job_shape s) { shape = s; }
run_job_shape run_job_now(void) { return shape; }
int run_device_rank(int64_t device) { return (int)(device / shape.devices); }

static int rank_of(const mesh *m, int64_t place) { return run_device_rank(m->order ? (int64_t)m->order[place] : place); }

/* Fills holder_at and holder: a count per instance, then the ranks of its devices in the order of devices, then each
 * instance's list sorted and without repetitions. */
static int by_number(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void find_holders(const mesh *m, mesh_set vary, int64_t all, int64_t *at, int *holder, int64_t *fill)
{
    const int64_t size = mesh_size(m), each = size / all;
    uint32_t coord[MESH_ATOMS];
    for (int64_t i = 0; i < all; i++) fill[i] = i * each;
    for (int64_t p = 0; p < size; p++) {
        mesh_coord(m, p, coord);
        holder[fill[mesh_instance(m, vary, coord)]++] = rank_of(m, p);
    }
    int64_t n = 0;
    for (int64_t i = 0; i < all; i++) {
        int *const own = holder + i * each;
        qsort(own, (size_t)each, sizeof *own, by_number);
        at[i] = n;
        for (int64_t k = 0; k < each; k++) if (!k || own[k] != holder[n - 1]) holder[n++] = own[k];
    }
    at[all] = n;
}

static bool holds(const run_ranks *r, int64_t instance, int rank)
{
    for (int64_t k = r->holder_at[instance]; k < r->holder_at[instance + 1]; k++) if (r->holder[k] == rank) return true;
    return false;
}

static entry *made(const mesh *m, mesh_set vary)
{
    const int64_t all = mesh_set_size(m, vary);
    entry *e = base_heap(sizeof *e);
    int64_t *at = base_heap((size_t)(all + 1) * sizeof *at), *fill = base_heap((size_t)all * sizeof *fill),
            *slot = base_heap((size_t)all * sizeof *slot);
    int *holder = base_heap((size_t)mesh_size(m) * sizeof *holder);
    if (!e || !at || !fill || !slot || !holder) {
        base_heap_free(e), base_heap_free(at), base_heap_free(fill), base_heap_free(slot), base_heap_free(holder);
        return NULL;
    }
    find_holders(m, vary, all, at, holder, fill);
    *e = (entry){ m, vary, { .all = all, .holder_at = at, .holder = holder, .list = fill, .slot = slot }, NULL };
    for (int64_t i = 0; i < all; i++) {
        const bool here = holds(&e->ranks, i, shape.me);
        slot[i] = here ? e->ranks.n : -1;
        if (here) fill[e->ranks.n++] = i;
    }
    return e;
}

const run_ranks *run_ranks_of(const mesh *m, mesh_set vary)
{
    pthread_mutex_lock(&lock);
    entry *e = entries;
    while (e && (e->mesh != m || e->vary != vary)) e = e->next;
    if (!e && (e = made(m, vary))) {
        e->next = entries;
        entries = e;
    }
    pthread_mutex_unlock(&lock);
    return e ? &e->ranks : NULL;
}

int run_sender(const run_ranks *r, int64_t instance, int to, const int *host_of)
{
    const int64_t lo = r->holder_at[instance], n = r->holder_at[instance + 1] - lo;
    int64_t near = 0, pick = to % n;
    for (int64_t k = 0; k < n; k++) near += !host_of || host_of[r->holder[lo + k]] == host_of[to];
    if (!near) return r->holder[lo + pick];
    pick = to % near;
    for (int64_t k = 0;; k++)
        if ((!host_of || host_of[r->holder[lo + k]] == host_of[to]) && !pick--) return r->holder[lo + k];
}

/* Atom a is near if its lines, the devices that differ in a alone, are each of one rank. */
mesh_set run_near(const mesh *m)
{
    mesh_set near = (mesh_set)((1u << m->natom) - 1);
    if (shape.ranks == 1) return near;
    int64_t below = mesh_size(m);
    for (int a = 0; a < m->natom; a++) {
        below /= m->atom[a];                             /* distance of neighbours along a, in places */
        for (int64_t p = 0; p < mesh_size(m) && near >> a & 1; p++) {
            const int64_t c = p / below % m->atom[a];
            if (c && rank_of(m, p) != rank_of(m, p - below)) near &= (mesh_set)~(1u << a);
        }
    }
    return near;
}
