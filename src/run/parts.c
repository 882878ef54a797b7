/* run/parts.c - the distinct parts of an array, which rank has each of them, and boxes brought to one rank each: for
 * files that several ranks write.
 *
 * A box may lie in parts of several ranks. Sender and receiver enumerate the intersections of boxes and parts in one
 * order, so no message is negotiated. */
#include "inner.h"

#include <string.h>

/* The parts of a layout: instances of its atoms. ranks NULL: every rank has all of them. */
typedef struct {
    const ir_type *type; const mesh_layout *layout; mesh_set vary; const run_ranks *ranks; int64_t n;
} parts;

static bool parts_of(parts *p, const ir_type *t, const mesh_layout *l)
{
    *p = (parts){ .type = t, .layout = l && l->mesh ? l : NULL, .n = 1 };
    if (!p->layout) return true;
    p->vary = mesh_layout_vary(l);
    p->n = mesh_set_size(l->mesh, p->vary);
    return run_ranks_of(l->mesh, p->vary, &p->ranks);
}

static void part_box(const parts *p, int64_t i, int64_t *lo, int64_t *n)
{
    uint32_t coord[MESH_ATOMS] = { 0 };
    if (p->layout) mesh_instance_coord(p->layout->mesh, p->vary, i, coord);
    for (int d = 0; d < p->type->rank; d++) {
        int64_t hi = p->type->dim[d];
        lo[d] = 0;
        if (p->layout) mesh_range(p->layout->mesh, p->layout->dim[d].atoms, hi, coord, &lo[d], &hi);
        n[d] = hi - lo[d];
    }
}

int64_t run_parts(const ir_type *t, const mesh_layout *l, int64_t turn, int64_t capacity, run_part *out)
{
    parts p;
    if (!parts_of(&p, t, l)) return -1;
    for (int64_t i = 0; i < p.n && i < capacity; i++) {
        const run_ranks *const r = p.ranks;
        const int64_t first = r ? r->holder_at[i] : 0, holders = r ? r->holder_at[i + 1] - first : 1;
        memset(&out[i], 0, sizeof out[i]);
        part_box(&p, i, out[i].lo, out[i].n);
        out[i].rank = r ? r->holder[first + turn % holders] : 0;
        out[i].here = !r || r->here[i];
    }
    return p.n;
}

/* ---- boxes brought to one rank each ---- */

/* The intersection of a box and a part, dense at `at` in the area. */
typedef struct { int64_t box, at, count; int from, to; int64_t lo[IR_RANK], n[IR_RANK]; } crossing;

static bool meets(const parts *p, int64_t i, const run_part *box, crossing *c)
{
    part_box(p, i, c->lo, c->n);
    c->count = 1;
    for (int d = 0; d < p->type->rank; d++) {
        const int64_t end = c->lo[d] + c->n[d], other = box->lo[d] + box->n[d];
        if (box->lo[d] > c->lo[d]) c->lo[d] = box->lo[d];
        c->n[d] = (other < end ? other : end) - c->lo[d];
        if (c->n[d] <= 0) return false;
        c->count *= c->n[d];
    }
    return true;
}

/* Lists what this rank sends, receives, or has of its own boxes. list NULL: only counts. bytes: of the area. */
static int64_t crossings(const parts *p, int64_t n, const run_part *box, crossing *list, int64_t *bytes)
{
    const wire_engine *const e = wire_now();
    const int me = wire_rank();
    int64_t found = 0;
    *bytes = 0;
    for (int64_t b = 0; b < n; b++)
        for (int64_t i = 0; i < p->n; i++) {
            crossing c = { .box = b, .to = box[b].rank, .from = box[b].rank };
            if (!meets(p, i, &box[b], &c)) continue;
            if (p->ranks && !run_holds(p->ranks, i, c.to))
                c.from = run_sender(p->ranks, i, c.to, e ? e->host_of : NULL);
            if (c.from != me && c.to != me) continue;
            c.at = *bytes;
            *bytes += base_round_up(c.count * (int64_t)ir_dtype_of(p->type->dtype)->bytes, 16);
            if (list) list[found] = c;
            found++;
        }
    return found;
}

/* Copies a crossing from the area into its box. */
static void copy_crossing(const parts *p, const crossing *c, const run_part *box, char *to, const char *from)
{
    const int rank = p->type->rank;
    const int64_t unit = (int64_t)ir_dtype_of(p->type->dtype)->bytes, row = unit * (rank ? c->n[rank - 1] : 1);
    int64_t at[IR_RANK] = { 0 };
    for (int64_t left = c->count * unit; left > 0; left -= row, from += row) {
        int64_t place = 0;
        for (int d = 0; d < rank; d++) place = place * box->n[d] + c->lo[d] - box->lo[d] + at[d];
        memcpy(to + place * unit, from, (size_t)row);
        for (int d = rank - 2; d >= 0 && ++at[d] == c->n[d]; d--) at[d] = 0;
    }
}

/* True if all ranks are ready for the messages; else sets the error. */
static bool all_ready(base_site site, bool ready)
{
    int first;
    if (!wire_first_bad(site, ready, &first, "boxes of an array")) return false;
    return first == wire_ranks() || base_fail(TT_EMEM, site, "rank %d has no memory for its parts of a file", first);
}

/* True if the messages have arrived; else the area must stay, since messages may still come. */
static bool exchanged(base_site site, int64_t size, int64_t n, const crossing *list, char *area, wire_part *part)
{
    const int me = wire_rank();
    int come = 0, go = 0;
    for (int64_t k = 0; k < n; k++) {
        const crossing *const c = &list[k];
        if (c->from != me) part[come++] = (wire_part){ c->from, area + c->at, c->count * size, 0, false };
        else if (c->to != me) part[n + go++] = (wire_part){ c->to, area + c->at, c->count * size, 0, false };
    }
    return wire_ranks() == 1 || wire_exchange(site, come, part, go, part + n, "boxes of an array");
}

bool run_collect(run_array *a, base_site site, int64_t n, const run_part *box, void *const *to)
{
    parts p;
    int64_t bytes = 0;
    const int me = wire_rank();
    const int64_t size = (int64_t)ir_dtype_of(run_type(a)->dtype)->bytes;
    bool ready = parts_of(&p, run_type(a), run_layout(a));
    const int64_t found = ready ? crossings(&p, n, box, NULL, &bytes) : 0;
    crossing *const list = base_heap((size_t)(found + 1) * sizeof *list);
    wire_part *const part = base_heap((size_t)(2 * found + 1) * sizeof *part);
    char *const area = base_pages((size_t)bytes + 1);
    ready &= list && part && area;
    if (ready) crossings(&p, n, box, list, &bytes);
    for (int64_t k = 0; ready && k < found; k++) {
        if (list[k].from == me) ready = run_read(a, list[k].lo, list[k].n, area + list[k].at);
        if (list[k].to == me) ready &= to[list[k].box] != NULL;
    }
    bool good = all_ready(site, ready), stays = false;
    if (good) good = exchanged(site, size, found, list, area, part), stays = !good;
    for (int64_t k = 0; good && k < found; k++)
        if (list[k].to == me) copy_crossing(&p, &list[k], &box[list[k].box], to[list[k].box], area + list[k].at);
    base_heap_free(list);
    base_heap_free(part);
    if (area && !stays) base_pages_free(area, (size_t)bytes + 1);
    return good;
}
