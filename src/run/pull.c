/* run/pull.c - enumerates what a destination box pulls from a source: rectangles between any two storages.
 *
 * Destination-driven. For a box of the destination, the parts of each dim of the source that intersect it are found,
 * and for every combination of parts there is one rectangle with one source instance, or with one per position along
 * the atoms that are combined, in rising order. In a rectangle, dims of size 1 are left out, and dims that are
 * contiguous in both storages are merged, so that a copy of full rows is one run. The result does not depend on the
 * number of workers. */
#include "inner.h"

#include <string.h>

typedef struct {
    const run_storage *from; const ir_box *to;
    uint32_t at[MESH_ATOMS];                             /* coordinates of the source instance */
    int64_t first[IR_RANK], last[IR_RANK], part[IR_RANK]; /* parts of each dim that intersect the box */
    mesh_list over;
    uint32_t nsrc; int64_t *src, *instance;
    run_pulled *f; void *env;
} walk;

static mesh_list atoms_of(const run_storage *p, int d) { return p->layout ? p->layout->dim[d].atoms : 0; }

/* Adds an innermost dim: left out if of size 1, merged with its outer neighbour if contiguous in both. */
static void push_dim(run_pull *p, int64_t n, int64_t to, int64_t from)
{
    const int o = p->rank - 1;
    if (n == 1) return;
    if (o >= 0 && p->to[o] == n * to && p->from[o] == n * from) {
        p->n[o] *= n;
        p->to[o] = to;
        p->from[o] = from;
        return;
    }
    p->n[p->rank] = n;
    p->to[p->rank] = to;
    p->from[p->rank++] = from;
}

static bool pull_emit(walk *w)
{
    const run_storage *f = w->from;
    run_pull p = { .count = 1, .nsrc = w->nsrc, .src = w->src, .instance = f->ranks ? w->instance : NULL };
    const int64_t to_size = (int64_t)ir_dtype_of(w->to->dtype)->bytes;
    ir_box box;
    run_storage_box(f, w->at, &box);
    int64_t from = 0;
    for (int d = 0; d < w->to->rank; d++) {
        const int64_t a = box.lo[d] > w->to->lo[d] ? box.lo[d] : w->to->lo[d];
        const int64_t p_end = box.lo[d] + box.n[d], q_end = w->to->lo[d] + w->to->n[d];
        const int64_t n = (p_end < q_end ? p_end : q_end) - a;
        if (n <= 0) return true;
        p.count *= n;
        p.at += (a - w->to->lo[d]) * w->to->step[d] * to_size;
        from += (a - box.lo[d]) * box.step[d] * f->size;
        push_dim(&p, n, w->to->step[d], box.step[d]);
    }
    for (uint32_t k = 0; k < w->nsrc; k++) {
        if (w->over) mesh_place_coord(f->mesh, w->over, k, w->at);
        w->src[k] = run_storage_box(f, w->at, &box) + from;
        if (f->ranks) w->instance[k] = run_storage_number(f, w->at);
    }
    p.inside = from;
    return w->f(w->env, &p);
}

/* Finds the parts of dim d that intersect [lo, lo + n): parts are in rising order. */
static void meet(walk *w, int d)
{
    const run_storage *f = w->from;
    const mesh_list l = atoms_of(f, d);
    const int64_t parts = mesh_list_n(l) ? mesh_list_size(f->mesh, l) : 1;
    w->first[d] = parts;
    w->last[d] = -1;
    for (int64_t i = 0; i < parts; i++) {
        int64_t lo = 0, hi = f->dim[d];
        mesh_place_coord(f->mesh, l, i, w->at);
        if (mesh_list_n(l)) mesh_range(f->mesh, l, f->dim[d], w->at, &lo, &hi);
        if (lo >= w->to->lo[d] + w->to->n[d]) break;
        if (hi <= w->to->lo[d] || lo == hi) continue;
        if (w->last[d] < 0) w->first[d] = i;
        w->last[d] = i;
    }
}

static bool all_parts(walk *w)
{
    const int rank = w->to->rank;
    for (int d = 0; d < rank; d++) {
        meet(w, d);
        if (w->last[d] < 0) return true;
        w->part[d] = w->first[d];
    }
    for (;;) {
        for (int d = 0; d < rank; d++) mesh_place_coord(w->from->mesh, atoms_of(w->from, d), w->part[d], w->at);
        if (!pull_emit(w)) return false;
        int d = rank - 1;
        for (; d >= 0 && ++w->part[d] > w->last[d]; d--) w->part[d] = w->first[d];
        if (d < 0) return true;
    }
}

static bool pull_zeros(walk *w)
{
    run_pull p = { .count = 1 };
    for (int d = 0; d < w->to->rank; d++) {
        p.count *= w->to->n[d];
        push_dim(&p, w->to->n[d], w->to->step[d], 0);
    }
    return w->f(w->env, &p);
}

bool run_pulls(const run_storage *from, const run_route *r, const uint32_t *coord, const ir_box *to,
               run_pulled *f, void *env)
{
    enum { NEAR = 64 };
    int64_t near[NEAR], number[NEAR];
    walk w = { .from = from, .to = to, .nsrc = 1, .src = near, .instance = number, .f = f, .env = env };
    for (int d = 0; d < to->rank; d++) if (to->n[d] <= 0) return true;
    if (coord) memcpy(w.at, coord, sizeof w.at);
    if (r && mesh_list_n(r->order)) {
        const uint32_t whence = r->source[mesh_place(from->mesh, r->order, w.at)];
        if (whence == ~0u) return pull_zeros(&w);
        mesh_place_coord(from->mesh, r->order, whence, w.at);
    }
    if (r && r->over && r->reduce != MESH_NONE) {
        w.over = mesh_set_list(r->over);
        w.nsrc = (uint32_t)mesh_list_size(from->mesh, w.over);
    }
    if (w.nsrc > NEAR && !(w.src = base_heap(2 * w.nsrc * sizeof *w.src))) return false;
    if (w.nsrc > NEAR) w.instance = w.src + w.nsrc;
    const bool done = all_parts(&w);
    if (w.src != near) base_heap_free(w.src);
    return done;
}

static void copy_run(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t n, int64_t size,
                     bool stream)
{
    if (to_step == 1 && from_step == 1) {
        if (stream) run_stream(to, from, (size_t)(n * size));
        else if (to != from) memcpy(to, from, (size_t)(n * size));
        return;
    }
    for (int64_t i = 0; i < n; i++) memcpy(to + i * to_step * size, from + i * from_step * size, (size_t)size);
}

void run_pull_do(const run_pull *p, int64_t first, int64_t count, const run_how *how, char *to, const char *from)
{
    const int64_t size = (int64_t)ir_dtype_of(how->to)->bytes, of_size = (int64_t)ir_dtype_of(how->of)->bytes;
    const int inner = p->rank - 1;
    const int64_t row = inner < 0 ? 1 : p->n[inner], to_step = inner < 0 ? 1 : p->to[inner];
    const int64_t from_step = inner < 0 ? 1 : p->from[inner];
    int64_t i[IR_RANK], rest = first / row, a = first % row; /* i: index of the row */
    to += p->at;
    for (int d = inner - 1; d >= 0; d--) {
        i[d] = rest % p->n[d];
        rest /= p->n[d];
        to += i[d] * p->to[d] * size;
        from += i[d] * p->from[d] * of_size;
    }
    while (count > 0) {
        const int64_t n = row - a < count ? row - a : count;
        char *t = to + a * to_step * size;
        const char *f = from + a * from_step * of_size;
        if (p->nsrc > 1) run_combine(how, n, t, to_step, f, from_step, p->nsrc, p->src);
        else if (p->nsrc) copy_run(t, to_step, f + p->src[0], from_step, n, size, how->stream);
        else for (int64_t e = 0; e < (to_step == 1 ? 1 : n); e++)
            memset(t + e * to_step * size, 0, (size_t)((to_step == 1 ? n : 1) * size));
        count -= n;
        a = 0;
        for (int d = inner - 1; d >= 0; d--) {
            to += p->to[d] * size;
            from += p->from[d] * of_size;
            if (++i[d] < p->n[d]) break;
            to -= p->to[d] * p->n[d] * size;
            from -= p->from[d] * p->n[d] * of_size;
            i[d] = 0;
        }
    }
    if (how->stream) run_stream_end();
}
