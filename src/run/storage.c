/* run/storage.c - how a value is stored: instances, their boxes, strides.
 *
 * Every instance has the strides of the largest one, so that one kernel serves uneven parts: a dim of size D sharded
 * into n parts has ceil(D/n) elements everywhere (the nested split gives no larger part). Instances are `bytes` apart.
 *
 * A dim with a halo is a window of another dim's range: for l places of that dim, beginning at a, the window [(mul a +
 * lo)/div, (mul (a+l-1) + hi)/div] is at most (|mul| (l-1) + hi - lo)/div + 1 long, whatever a is. */
#include "inner.h"

#include <stdio.h>
#include <string.h>

static bool has_halo(const run_halo *h, int d) { return h && h[d].window.div; }

static int64_t extent(const mesh_layout *l, const run_halo *h, int d, int64_t size) /* of the largest part */
{
    const int64_t parts = l ? mesh_list_size(l->mesh, l->dim[d].atoms) : 1;
    const int64_t all = has_halo(h, d) ? h[d].size : size, n = all / parts + (all % parts != 0);
    if (!has_halo(h, d)) return n;
    const op_window *w = &h[d].window;
    const int64_t reach = (w->mul < 0 ? -w->mul : w->mul) * (n - 1) + w->hi - w->lo, most = reach < 0 ? 0
        : reach / w->div + 1;
    return n ? most < size ? most : size : 0;
}

/* Row-major strides of the largest instance; returns its bytes, or -1. Dims of size 0 have the strides of dims of size
 * 1. */
static int64_t strides(int64_t size, int rank, const int64_t *dim, const mesh_layout *l,
                       const run_halo *h, int64_t *step)
{
    int64_t n = 1;
    bool none = false;
    for (int d = rank - 1; d >= 0; d--) {
        const int64_t e = extent(l, h, d, dim[d]);
        if (step) step[d] = n;
        none |= e == 0;
        if (e > 1 && __builtin_mul_overflow(n, e, &n)) n = INT64_MAX / 2;
    }
    if (none) return 0;
    return __builtin_mul_overflow(n, size, &n) || n > (int64_t)1 << 62 ? -1 : n;
}

/* Bytes from one instance to the next, for what strides() has returned; -1 and an error if it is -1. */
static int64_t apart(int64_t n)
{
    if (n < 0) {
        base_fail(TT_EMEM, NULL, "out of memory: a value of more than 2^62 bytes");
        return -1;
    }
    return n ? base_round_up(n, RUN_CACHE_LINE) : RUN_CACHE_LINE;
}

int64_t run_bytes(tt_dtype dtype, int rank, const int64_t *dim, const mesh_layout *l, const run_halo *h)
{
    return apart(strides((int64_t)ir_dtype_of(dtype)->bytes, rank, dim, l, h, NULL));
}

int64_t run_part_stride(tt_dtype dtype, int rank, const int64_t *dim, const mesh_layout *l)
{
    return strides((int64_t)ir_dtype_of(dtype)->bytes, rank, dim, l, NULL, NULL);
}

static bool describe(run_storage *p, const mesh *m, tt_dtype dtype, int rank, const int64_t *dim, const mesh_layout *l,
                     const run_halo *h, mesh_set vary)
{
    *p = (run_storage){ .mesh = m, .layout = l, .halo = h, .vary = vary, .dtype = dtype, .rank = rank, .dim = dim,
                      .size = (int64_t)ir_dtype_of(dtype)->bytes };
    p->bytes = apart(strides(p->size, rank, dim, l, h, p->step));
    return p->bytes >= 0;
}

bool run_storage_of(run_storage *p, const mesh *m, tt_dtype dtype, int rank, const int64_t *dim, const mesh_layout *l,
                    const run_halo *h, mesh_set vary)
{
    return describe(p, m, dtype, rank, dim, l, h, vary) && (!m || run_ranks_of(m, vary, &p->ranks));
}

/* The atoms of v->merged are adjacent among vary's, so their instances have a constant stride. */
bool run_storage_value(run_storage *p, const run_plan *plan, const run_value *v)
{
    const bool constant = v->space == RUN_CONST;
    const mesh *const m = plan->mesh;
    if (!describe(p, m, v->dtype, v->rank, v->dim, constant ? NULL : v->layout, v->halo, v->vary)) return false;
    if (!plan->single_device && !run_ranks_of(m, v->vary, &p->ranks)) return false;
    p->layout = v->layout, p->global = constant, p->bytes = v->bytes, p->merged = v->merged;
    if (v->merged && v->rank && v->dim[0] == mesh_set_size(m, v->merged)) {
        mesh_set inner = v->vary & (mesh_set)~v->merged & (mesh_set)~((v->merged & -v->merged) - 1);
        if (p->ranks) inner &= run_near(m);
        p->step[0] = v->bytes / p->size * mesh_set_size(m, inner);
    }
    return true;
}

bool run_is_spread(const run_storage *p) { return p->ranks && p->vary & (mesh_set)~p->ranks->near; }

int64_t run_storage_instances(const run_storage *p)
{
    return p->ranks ? p->ranks->n : p->mesh ? mesh_set_size(p->mesh, p->vary) : 1;
}

int64_t run_instance(const run_ranks *r, int64_t i) { return r ? r->list[i] : i; }

void run_instance_coord(const mesh *m, mesh_set vary, const run_ranks *r, int64_t i, uint32_t *coord)
{
    memset(coord, 0, MESH_ATOMS * sizeof *coord);
    if (m) mesh_instance_coord(m, vary, run_instance(r, i), coord);
}

int64_t run_storage_number(const run_storage *p, const uint32_t *coord)
{
    uint32_t first[MESH_ATOMS];
    for (int a = 0; p->merged && a < p->mesh->natom; a++) first[a] = p->merged >> a & 1 ? 0 : coord[a];
    return mesh_instance(p->mesh, p->vary, p->merged ? first : coord);
}

int64_t run_storage_box(const run_storage *p, const uint32_t *coord, ir_box *b)
{
    int64_t at = 0;
    b->dtype = p->dtype;
    b->rank = p->rank;
    for (int d = 0; d < p->rank; d++) {
        int64_t lo = 0, hi = p->dim[d];
        const run_halo *h = has_halo(p->halo, d) ? &p->halo[d] : NULL;
        if (h) hi = h->size;
        if (p->layout) mesh_range(p->layout->mesh, p->layout->dim[d].atoms, hi, coord, &lo, &hi);
        if (h) op_window_range(&h->window, lo, hi, p->dim[d], &lo, &hi);
        b->lo[d] = lo;
        b->n[d] = hi - lo;
        b->step[d] = p->step[d];
        at += lo * p->step[d];
    }
    if (p->global) return at * p->size;
    if (!p->mesh) return 0;
    const int64_t i = run_storage_number(p, coord);
    return (p->ranks ? p->ranks->slot[i] : i) * p->bytes;
}

/* True if two layouts store the same elements at the same offsets. Properties that only the compiler reads (open,
 * closed, ...) may differ. */
bool run_same_storage(const mesh_layout *a, const mesh_layout *b)
{
    if (a == b) return true;
    const mesh_set sharded_a = mesh_layout_vary(a), sharded_b = mesh_layout_vary(b);
    if (!sharded_a && !sharded_b) return true;
    if (!a || !b || a->mesh != b->mesh || a->partial != b->partial || (a->partial && a->reduce != b->reduce))
        return false;
    for (int d = 0; d < a->rank; d++) if (a->dim[d].atoms != b->dim[d].atoms) return false;
    return true;
}

bool run_device_text(const run_program *p, const run_bound *b, int64_t instance, char to[RUN_DEVICE])
{
    const mesh *const m = p->plan->single_device ? NULL : p->plan->mesh;
    const run_storage *const s = b->step->kind == RUN_EXCHANGE ? &p->storage[b->step->exchange.to] : NULL;
    const mesh_set vary = s ? s->vary : b->step->vary;
    uint32_t coord[MESH_ATOMS];
    size_t n = 0;
    *to = '\0';
    run_instance_coord(m, vary, s ? s->ranks : b->ranks, instance, coord);
    for (int i = 0; m && i < m->naxis; i++) {
        int64_t place = 0;
        bool varies = false;
        for (int k = 0; k < m->axis[i].natom; k++) {
            const int atom = m->axis[i].first + k;
            varies |= vary >> atom & 1 && m->atom[atom] > 1;
            place = place * m->atom[atom] + coord[atom];
        }
        if (varies && n < RUN_DEVICE)
            n += (size_t)snprintf(to + n, RUN_DEVICE - n, "%s%s=%lld", n ? ", " : "on device ", m->axis[i].name,
                                  (long long)place);
    }
    return n > 0;
}
