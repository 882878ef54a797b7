/* run/ranks.c - which rank holds which instances; see ranks.h. */
#include "inner.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry { const mesh *mesh; mesh_set vary; run_ranks ranks; struct entry *next; } entry;
enum { UNKNOWN, ONE, SEVERAL };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int processes = UNKNOWN;                  /* SEVERAL: also those of TUTTI=ranks:N */
static run_job_shape shape = { 0, 1, 0 };
static entry *_Atomic entries;                           /* a handful of classes per mesh */

void run_job_set(run_job_shape s)
{
    if (s.ranks > 1 && s.me >= 0) run_trim();            /* memory from now on is shared with the ranks of this host */
    pthread_mutex_lock(&lock);
    shape = s;
    atomic_store(&processes, s.ranks > 1 ? SEVERAL : ONE);
    pthread_mutex_unlock(&lock);
}

/* True if there are several ranks. The switch is read once: arrays and programs keep the order of their instances. */
static bool several(void)
{
    int n = atomic_load_explicit(&processes, memory_order_relaxed);
    if (n != UNKNOWN) return n == SEVERAL;
    const char *const ranks = base_switch("ranks"), *const devices = base_switch("devices");
    const int64_t each = devices ? atol(devices) : 0;
    n = ranks ? atoi(ranks) : 0;                         /* 0 for "" and "all": tt_join sets the job */
    run_job_set(n ? (run_job_shape){ -1, n, each } : (run_job_shape){ 0, 1, each });
    return atomic_load(&processes) == SEVERAL;
}

run_job_shape run_job_now(void)
{
    several();
    pthread_mutex_lock(&lock);
    const run_job_shape s = shape;
    pthread_mutex_unlock(&lock);
    return s;
}

int64_t run_job_devices(void)
{
    several();
    pthread_mutex_lock(&lock);
    if (shape.devices <= 0) shape.devices = 1;
    const int64_t n = shape.devices;
    pthread_mutex_unlock(&lock);
    return n;
}

bool run_job_real(void) { return several() && shape.me >= 0; }

static int64_t device_at(const mesh *m, int64_t place) { return m->order ? (int64_t)m->order[place] : place; }

static int64_t devices_needed(const mesh *m)             /* one more than the highest number of a device */
{
    int64_t n = mesh_size(m);
    for (int64_t p = 0; m->order && p < mesh_size(m); p++) if (device_at(m, p) >= n) n = device_at(m, p) + 1;
    return n;
}

/* Sets the number of devices of a rank, if it is not known, to what the mesh needs: in a job once, in one process for
 * each mesh. */
static bool job_fits(const mesh *m, run_job_shape *s)
{
    const int64_t need = devices_needed(m);
    pthread_mutex_lock(&lock);
    *s = shape;
    if (s->devices <= 0) s->devices = (need + s->ranks - 1) / s->ranks;
    if (s->me >= 0 && !shape.devices) shape.devices = s->devices;
    pthread_mutex_unlock(&lock);
    if (need <= s->devices * s->ranks) return true;
    base_arena *const a = base_open();
    base_fail(TT_EMESH, NULL, "the mesh %s needs %lld devices; %d ranks of %lld devices have %lld", mesh_text(a, m),
              (long long)need, s->ranks, (long long)s->devices, (long long)(s->ranks * s->devices));
    base_close(a);
    return base_hint("TUTTI=devices:N: each rank has N devices; without it, as many as the first mesh needs");
}

/* ---- near atoms ---- */

/* True if each rank has the whole near atoms at one place of the far atoms. A rank without devices on the mesh has only
 * what has one instance, so it could not read a view of several. */
static bool ranks_have_boxes(const mesh *m, run_job_shape s, mesh_set near)
{
    const int64_t size = mesh_size(m), each = mesh_set_size(m, near);
    int64_t *const n = base_heap((size_t)s.ranks * sizeof *n);
    bool same = n != NULL;
    if (n) memset(n, 0, (size_t)s.ranks * sizeof *n);
    for (int64_t p = 0; n && p < size; p++) n[device_at(m, p) / s.devices]++;
    for (int r = 0; n && r < s.ranks; r++) same &= n[r] == each;
    base_heap_free(n);
    return same;
}

static mesh_set of_size_one(const mesh *m)
{
    mesh_set set = 0;
    for (int a = 0; a < m->natom; a++) if (m->atom[a] == 1) set |= (mesh_set)(1u << a);
    return set;
}

static mesh_set near_of(const mesh *m, run_job_shape s)
{
    const mesh_set near = mesh_within(m, s.devices);
    /* devices in the order of their numbers: those of a rank are a box if they are all along the near atoms */
    const bool boxes = m->order ? ranks_have_boxes(m, s, near)
                                : mesh_set_size(m, near) == s.devices && mesh_size(m) == s.devices * s.ranks;
    return boxes ? near : of_size_one(m);
}

/* ---- holders ---- */

static int by_number(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* Fills holder_at and holder: the ranks of each instance's devices, sorted and without repetitions. All ranks hold what
 * has one instance, those without devices on the mesh too. */
static void find_holders(const mesh *m, run_job_shape s, mesh_set vary, int64_t all, int64_t *at, int *holder,
                         int64_t *fill)
{
    const int64_t size = mesh_size(m), each = size / all;
    uint32_t coord[MESH_ATOMS];
    at[0] = 0, at[1] = s.ranks;
    for (int r = 0; all == 1 && r < s.ranks; r++) holder[r] = r;
    if (all == 1) return;
    for (int64_t i = 0; i < all; i++) fill[i] = i * each;
    for (int64_t p = 0; p < size; p++) {
        mesh_coord(m, p, coord);
        holder[fill[mesh_instance(m, vary, coord)]++] = (int)(device_at(m, p) / s.devices);
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

bool run_holds(const run_ranks *r, int64_t instance, int rank)
{
    for (int64_t k = r->holder_at[instance]; k < r->holder_at[instance + 1]; k++) if (r->holder[k] == rank) return true;
    return false;
}

/* Fills list, slot and here. If ranks have several devices in boxes, a place depends on the coordinates on near atoms
 * alone, so it is the same in all ranks that hold the instance. */
static void order(const mesh *m, run_job_shape s, entry *e, int64_t *list, int64_t *slot, bool *here)
{
    run_ranks *const r = &e->ranks;
    const mesh_set near = r->near, inner = e->vary & near, outer = e->vary & (mesh_set)~near;
    const int64_t n = mesh_set_size(m, inner);
    const bool alike = s.me >= 0 && mesh_set_size(m, near) > 1;
    uint32_t coord[MESH_ATOMS];
    r->n = 0, r->alike = alike;
    for (int64_t k = 0; k < r->all; k++) {               /* k: far coordinates, then near ones */
        uint32_t other[MESH_ATOMS];
        mesh_instance_coord(m, outer, k / n, coord);
        mesh_instance_coord(m, inner, k % n, other);
        for (int a = 0; a < m->natom; a++) if (inner >> a & 1) coord[a] = other[a];
        const int64_t i = mesh_instance(m, e->vary, coord);
        here[i] = s.me < 0 || run_holds(r, i, s.me);
        slot[i] = here[i] ? r->n : alike ? k % n : -1;
        if (here[i]) list[r->n++] = i;
    }
}

static entry *made(const mesh *m, run_job_shape s, mesh_set vary)
{
    const int64_t all = mesh_set_size(m, vary);
    entry *e = base_heap(sizeof *e);
    int64_t *at = base_heap((size_t)(all + 1) * sizeof *at), *list = base_heap((size_t)all * sizeof *list),
            *slot = base_heap((size_t)all * sizeof *slot);
    int *holder = base_heap((size_t)(all == 1 ? s.ranks : mesh_size(m)) * sizeof *holder);
    bool *here = base_heap((size_t)all * sizeof *here);
    if (!e || !at || !list || !slot || !holder || !here) {
        base_heap_free(e), base_heap_free(at), base_heap_free(list), base_heap_free(slot), base_heap_free(holder);
        base_heap_free(here);
        return NULL;
    }
    find_holders(m, s, vary, all, at, holder, list);
    *e = (entry){ m, vary, { .all = all, .holder_at = at, .holder = holder, .list = list, .slot = slot, .here = here },
                  NULL };
    e->ranks.near = near_of(m, s);
    order(m, s, e, list, slot, here);
    return e;
}

static entry *find(const mesh *m, mesh_set vary)
{
    entry *e = atomic_load_explicit(&entries, memory_order_acquire);
    while (e && (e->mesh != m || e->vary != vary)) e = e->next;
    return e;
}

bool run_ranks_of(const mesh *m, mesh_set vary, const run_ranks **ranks)
{
    run_job_shape s;
    *ranks = NULL;
    if (!m || !several() || mesh_size(m) > RUN_DEVICES) return true;
    entry *e = find(m, vary);
    if (!e) {
        if (!job_fits(m, &s)) return false;
        pthread_mutex_lock(&lock);
        if (!(e = find(m, vary)) && (e = made(m, s, vary))) {
            e->next = atomic_load(&entries);
            atomic_store_explicit(&entries, e, memory_order_release);
        }
        pthread_mutex_unlock(&lock);
    }
    if (!e) return false;
    *ranks = &e->ranks;
    return true;
}

bool run_ranks_are_boxes(const mesh *m)
{
    run_job_shape s;
    return several() && job_fits(m, &s) && mesh_set_size(m, run_near(m)) == s.devices;
}

mesh_set run_near(const mesh *m)
{
    const run_ranks *r = NULL;
    run_job_shape s;
    if (!m || !several()) return (mesh_set)~0u;
    if (mesh_size(m) > RUN_DEVICES) return job_fits(m, &s) ? near_of(m, s) : 0;
    return run_ranks_of(m, 0, &r) ? r->near : 0;
}

int64_t run_index_in(const run_ranks *r, int64_t instance, int rank)
{
    int64_t place = 0;
    if (r->alike) return r->slot[instance];
    for (int64_t i = 0; i < instance; i++) place += run_holds(r, i, rank);
    return place;
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
