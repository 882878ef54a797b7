/* run/move.c - moves an array to another layout. Ranks of a job move it together, by one exchange (far.c).
 *
 * Ranks of a host that are to hold the same instances, of which each has a part only, get one copy of them, as of an
 * exchange in a program: each rank of such a group fills a share of a block that all of them then read (common.c). */
#include "there.h"

#include "../base/machine.h"

/* ---- without other ranks ---- */

static void array_release(void *a) { run_drop(a); }

/* A view of the same memory with another layout that stores every element at the same offset. */
static run_array *view(run_array *a, const mesh_layout *l)
{
    run_array *b = run_array_new(a->type, l, true);
    if (!b) return NULL;
    b->at = a->at;
    b->wrapped = true;
    b->freed = array_release;
    b->env = run_keep(a);
    return b;
}

/* ---- between ranks ---- */

typedef struct {
    base_arena *arena; run_array *from, *to; base_site site; bool common;
    char *area; int64_t bytes; bool done;
} array_moving;

enum { MOVE = 1 };                                       /* the program of the heads of moves */
static const char MOVED[] = "a move between layouts";

/* Pulls of one instance, of which the elements [share[0], share[1]) are filled; at: the element of the next pull. */
typedef struct { const run_far *far; const array_moving *m; run_how how; char *to; int64_t share[2], at; } moving_box;

static bool pull_share(void *env, const run_pull *p)
{
    moving_box *const w = env;
    const int64_t lo = w->share[0] - w->at, end = w->share[1] - w->at, first = lo > 0 ? lo : 0;
    const int64_t count = (end < p->count ? end : p->count) - first;
    const char *const from = w->m->from->at;
    run_pull mine = *p;
    run_how how = w->how;
    int64_t src = 0;
    int32_t of;
    how.stream &= p->rank == 1;                          /* rows of a few KiB are copied faster through the caches */
    w->at += p->count;
    if (count <= 0) return true;
    if (p->nsrc != 1) return base_bug(NULL, "a move between layouts combines elements");
    mine.src = w->far ? &src : p->src;
    if (w->far && !run_far_sources(w->far, &mine, &src, &of, 0)) return false;
    if (w->far) src = run_far_address(w->far, of, src, from, w->m->area);
    run_pull_do(&mine, first, count, &how, w->to, from);
    return true;
}

/* Fills what this rank has to fill of all instances; in a common copy: its share. */
static bool fill_shares(const array_moving *m, const run_far *f)
{
    const run_storage *const from = &m->from->storage, *const to = &m->to->storage;
    const run_route none = { .over = 0 };
    const bool stream = m->to->n * to->bytes >= BASE_UNCACHED;
    uint32_t coord[MESH_ATOMS];
    for (int64_t i = 0; i < m->to->n; i++) {
        const ir_box b = run_box(m->to, i);
        moving_box w = { f, m, { from->dtype, to->dtype, MESH_NONE, stream }, b.at, { 0, ir_box_count(&b) }, 0 };
        if (f && f->common) run_far_share(f, ir_box_count(&b), w.share);
        run_instance_coord(to->mesh, to->vary, to->ranks, i, coord);
        if (!run_pulls(from, &none, from->mesh == to->mesh ? coord : NULL, &b, pull_share, &w)) return false;
    }
    return true;
}

/* Packs and posts what this rank sends, and waits for what it receives. */
static bool messages(array_moving *m, run_far *f, uint32_t turn)
{
    const run_how copy = { m->from->type->dtype, m->from->type->dtype, MESH_NONE, false };
    const char *const at = m->from->at;
    if (!(m->area = wire_pages((size_t)m->bytes))) return false;
    for (uint32_t i = 0; i < f->npack; i++) run_pull_do(&f->pack[i], 0, f->pack[i].count, &copy, m->area, at);
    if (!run_far_post(f, m->area, at, m->site, MOVED, MOVE, turn)) return false;
    if (!run_far_wait(f, m->site, MOVED)) return m->area = NULL, false;      /* messages may still come */
    run_far_aim(f, at, m->area);
    return true;
}

/* Fills an array from one whose parts other ranks may hold; all ranks do so together. */
static void move_between(void *env)
{
    array_moving *const m = env;
    run_array *const to = m->to;
    const run_route none = { .over = 0 };
    run_far *f;
    const uint32_t turn = wire_turn();                   /* on all ranks, whatever they send */
    if (!run_far_bind(m->arena, &m->from->storage, 0, &to->storage, &none, m->common, &m->bytes, &f)) return;
    if (f && !messages(m, f, turn)) return;
    const bool common = f && f->common;
    if (common) to->at = f->next;
    else if (!to->at && !(to->at = run_buffer(run_array_bytes(to)))) return;     /* a rank that has none of it */
    const bool filled = fill_shares(m, f);
    if (common) to->at = NULL;                           /* until all ranks of the group have filled their shares */
    if (!filled) return;
    m->done = !f || !f->in_place || (run_far_read(f), run_far_end(f, m->site, MOVED));
    if (m->done && common) run_array_common(to, run_far_give(f));
}

static bool moved(run_array *a, run_array *b, bool common, base_site site)
{
    if (!a->storage.ranks || !run_job_real()) return run_fill_all(&a->storage, a->at, b);
    array_moving m = { .arena = base_open(), .from = a, .to = b, .site = site, .common = common };
    const bool caught = base_catch(move_between, &m);
    wire_pages_free(m.area, (size_t)m.bytes);
    base_close(m.arena);
    return caught && m.done;
}

/* True if groups of ranks are to hold one copy, as in plan/memory/common.c. The same on all ranks. */
static bool is_common(const run_array *a, const mesh_layout *l)
{
    const mesh *const m = a->storage.mesh;
    const ir_type *const t = a->type;
    const int64_t least = a->storage.ranks && !run_dry() ? run_common_least() : INT64_MAX;
    if (least == INT64_MAX) return false;
    const mesh_set to = l ? mesh_layout_vary(l) : 0;
    const bool whole = !l || mesh_set_size(l->mesh, to) == 1;            /* all ranks hold all of it */
    if (!whole && (l->mesh != m || !run_ranks_are_boxes(m))) return false;
    const mesh_set near = run_near(m), has = a->storage.vary & (mesh_set)~near,
        gets = whole ? 0 : to & (mesh_set)~near;
    if (mesh_set_size(m, has & (mesh_set)~gets) == 1 || mesh_set_size(m, gets & (mesh_set)~has) > 1) return false;
    const int64_t bytes = run_bytes(t->dtype, t->rank, t->dim, l, NULL);
    return bytes * (whole ? 1 : mesh_set_size(m, to & near)) >= least;
}

run_array *run_move(run_array *a, base_site site, const mesh_layout *l)
{
    if (!run_array_fits(site, a->type, l)) return NULL;
    return a->there || run_engine_now() ? run_move_there(a, site, l) : run_move_here(a, site, l);
}

run_array *run_move_here(run_array *a, base_site site, const mesh_layout *l)
{
    if (a->storage.layout == l) return run_keep(a);
    if (run_same_storage(a->storage.layout, l)) return view(a, l);
    const bool bare = run_is_bare(a) || run_dry(), common = !bare && is_common(a, l);
    run_array *const b = run_array_new(a->type, l, bare || common);
    if (!b || bare || moved(a, b, common, site)) return b;
    run_drop(b);
    return NULL;
}
