/* ckpt/save/ranks.c - saves by the processes of a job: which process writes which file, which parts are moved before,
 * and what all processes must agree on. Writer k is process k.
 *
 * A file is written by a process that holds all of it; if several do, they take turns by the number of the leaf. A
 * value without a mesh belongs to process 0. A file whose parts are in several processes (uneven layouts, small leaves
 * in one file) is first moved to one of them. Only the calling thread sends messages; the thread of a background save
 * communicates through the folder alone (writers.c). */
#include "../ckpt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ckpt_writers(const void *opts, int writer, int writers, int *me, int *all, ckpt_err *e)
{
    const bool job = ckpt_in_job();
    *me = job ? tt_process_index() : writer;
    *all = job ? tt_process_count() : writers ? writers : 1;
    if (job && writers && writers != *all)
        return ckpt_fail_hint(e, TT_EARG, "leave .writer and .writers out: the ranks of a job are the writers",
                              ".writers = %d in a job of %d ranks", writers, *all);
    if (job && (writer || tt_given(opts, "writer")) && writer != *me)
        return ckpt_fail_hint(e, TT_EARG, "leave .writer and .writers out: the ranks of a job are the writers",
                              ".writer = %d in rank %d of a job", writer, *me);
    return (*all >= 1 && *me >= 0 && *me < *all) || ckpt_fail(e, TT_EARG, "writer %d of %d", *me, *all);
}

/* ---- who writes which file ---- */

/* The box of a cell, as far as the array goes. */
static void cell_box(const ckpt_out *o, int64_t cell, tt_part *box)
{
    memset(box, 0, sizeof *box);
    for (int i = o->rank - 1; i >= 0; i--) {
        box->lo[i] = cell % o->grid[i] * o->chunk[i];
        cell /= o->grid[i];
        box->n[i] = o->dim[i] - box->lo[i] < o->chunk[i] ? o->dim[i] - box->lo[i] : o->chunk[i];
    }
}

/* Gives the cells that lie in a part to its process. */
static void cells_in(ckpt_out *o, const tt_part *p)
{
    int64_t first[CKPT_RANK], end[CKPT_RANK], at[CKPT_RANK];
    for (int i = 0; i < o->rank; i++) {
        const int64_t hi = p->lo[i] + p->n[i];
        at[i] = first[i] = (p->lo[i] + o->chunk[i] - 1) / o->chunk[i];
        end[i] = hi == o->dim[i] ? o->grid[i] : hi / o->chunk[i];
        if (first[i] >= end[i]) return;
    }
    for (int i = 0; i >= 0;) {
        int64_t cell = 0;
        for (int k = 0; k < o->rank; k++) cell = cell * o->grid[k] + at[k];
        o->owner[cell] = p->process;
        for (i = o->rank - 1; i >= 0 && ++at[i] == end[i]; i--) at[i] = first[i];
    }
}

static bool begins_in(const ckpt_out *o, const tt_part *box, const tt_part *p)
{
    for (int i = 0; i < o->rank; i++)
        if (box->lo[i] < p->lo[i] || box->lo[i] >= p->lo[i] + p->n[i]) return false;
    return true;
}

/* Gives each cell of leaf number `turn` to a process. A cell of which no process has all goes to the process of its
 * first element or, where a leaf is one file, to the processes in turn; its owner is noted as ~process until it is
 * moved. */
static bool share_leaf(const char *site, ckpt_out *o, int turn, ckpt_err *e)
{
    const int64_t n = tt_process_parts_at(site, o->v, turn, 0, NULL);
    tt_part *const part = n > 0 ? malloc((size_t)n * sizeof *part) : NULL;
    o->owner = malloc(((size_t)o->cells + 1) * sizeof *o->owner);
    o->held = calloc((size_t)o->cells + 1, sizeof *o->held);
    bool ok = n >= 0 && ((part && o->owner && o->held) || ckpt_fail(e, TT_EMEM, "out of memory"));
    ok = ok && tt_process_parts_at(site, o->v, turn, n, part) == n;
    for (int64_t c = 0; ok && c < o->cells; c++) o->owner[c] = -1;
    for (int64_t i = 0; ok && i < n && o->cells; i++) cells_in(o, &part[i]);
    for (int64_t c = 0; ok && c < o->cells; c++) {
        tt_part box;
        if (o->owner[c] >= 0) continue;
        cell_box(o, c, &box);
        o->owner[c] = ~(turn % tt_process_count());
        for (int64_t i = 0; o->cells > 1 && i < n; i++)
            if (begins_in(o, &box, &part[i])) o->owner[c] = ~part[i].process;
    }
    free(part);
    return ok;
}

/* ---- what a process must have before it writes ---- */

/* Lists of boxes and their memory, for the leaf with most cells. */
typedef struct { tt_part *box; void **to; } moving;

static bool lists_for(const ckpt_plan *p, moving *m, ckpt_err *e)
{
    int64_t most = 1;
    for (int i = 0; i < p->n; i++) if (p->out[i].cells > most) most = p->out[i].cells;
    *m = (moving){ malloc((size_t)most * sizeof *m->box), malloc((size_t)most * sizeof *m->to) };
    return (m->box && m->to) || ckpt_fail(e, TT_EMEM, "out of memory");
}

static uint8_t *alloc_box(const ckpt_out *o, const tt_part *box)
{
    return malloc((size_t)ckpt_box_bytes(o->dtype, o->rank, box->n) + 1);
}

/* Brings the cells that lie in several processes to one each. All processes call it together; it fails in all. */
static bool move_leaf(const char *site, ckpt_out *o, const moving *m)
{
    int64_t n = 0;
    for (int64_t c = 0; c < o->cells; c++) {
        if (o->owner[c] >= 0) continue;
        cell_box(o, c, &m->box[n]);
        m->box[n].process = o->owner[c] = ~o->owner[c];
        m->to[n] = o->owner[c] == tt_process_index() ? o->held[c] = alloc_box(o, &m->box[n]) : NULL;
        n++;
    }
    return !n || tt_process_collect_at(site, o->v, n, m->box, m->to);
}

/* Copies this process's cells: the value may be donated before they are written. */
static bool copy_leaf(ckpt_out *o, ckpt_err *e)
{
    for (int64_t c = 0; c < o->cells; c++) {
        tt_part box;
        if (o->owner[c] != tt_process_index() || o->held[c]) continue;
        cell_box(o, c, &box);
        if (!(o->held[c] = alloc_box(o, &box))) return ckpt_fail(e, TT_EMEM, "out of memory for a copy of %s", o->path);
        if (!tt_read_box_at(NULL, o->v, box.lo, box.n, o->held[c]))
            return ckpt_fail(e, TT_EDATA, "%s: cannot be read", o->path);
    }
    return true;
}

/* ---- the beginning of a save ---- */

static bool is_array(const ckpt_out *o) { return !o->empty; }

bool ckpt_begin(const char *site, const char *what, ckpt_job *j, bool background, ckpt_err *e)
{
    char same[64];
    moving m = { NULL, NULL };
    ckpt_plan *const p = &j->plan;
    const size_t n = strlen(j->path);
    bool ok = !e->code && tt_ok() && lists_for(p, &m, e);
    for (int i = 0; ok && i < p->n; i++) if (is_array(&p->out[i])) ok = share_leaf(site, &p->out[i], i, e);
    snprintf(same, sizeof same, "%08x%s, %s%s", ok ? ckpt_plan_mark(p) : 0, j->ocdbt ? " OCDBT" : "",
             n > 40 ? "..." : "", j->path + (n > 40 ? n - 40 : 0));
    ok = ckpt_agree(site, what, same, 0, e);
    for (int i = 0; ok && i < p->n; i++) if (is_array(&p->out[i])) ok = move_leaf(site, &p->out[i], &m);
    free(m.box);
    free(m.to);
    if (!ok) return false;
    for (int i = 0; ok && background && i < p->n; i++) if (is_array(&p->out[i])) ok = copy_leaf(&p->out[i], e);
    if (ok && ckpt_job_names(j, e) && !j->writer && ckpt_job_start(j, e)) ckpt_desk_make(j, e);
    ok = ckpt_agree(site, what, NULL, 0, e) && tt_broadcast_bytes_at(site, what, 0, j->nonce, sizeof j->nonce);
    if (ok) ckpt_desk_seen(j, e);
    if (ok && ckpt_agree(site, what, NULL, 0, e)) return j->joined = true;
    ckpt_give_up(j, e);
    return false;
}

/* ---- a tree in one process ---- */

/* Brings a leaf to process 0. All processes call it together; false in all. */
static bool gather_leaf(const char *site, tt_val *v)
{
    int64_t dim[CKPT_RANK + 1];
    tt_part whole = { .process = 0 };
    const int rank = tt_rank_at(site, *v);
    const tt_dtype dtype = tt_dtype_of_at(site, *v);
    for (int d = 0; d < rank; d++) whole.n[d] = dim[d] = tt_dim_at(site, *v, d);
    dim[rank] = TT_DIM_END;
    const bool here = !tt_process_index();
    void *const p = here ? malloc((size_t)ckpt_box_bytes(dtype, rank, whole.n) + 1) : NULL;
    const bool ok = tt_process_collect_at(site, *v, 1, &whole, (void *const[]){ p });
    const tt_leaf_opts marks = { .size = sizeof marks, .axes = tt_leaf_axes_at(site, *v),
                                 .frozen = tt_leaf_frozen_at(site, *v) };
    if (ok && here) *v = tt_array_at(site, dtype, p, dim);
    if (ok && here && (marks.axes || marks.frozen)) *v = tt_leaf_at(site, *v, &marks);
    free(p);
    return ok;
}

tt_val ckpt_gathered(const char *site, tt_val tree)
{
    const int n = tt_tree_leaves_at(site, tree, 0, NULL);
    tt_val *const leaf = calloc((size_t)n + 1, sizeof *leaf), all = tt_none();
    if (!leaf) return tt_fail_at(site, TT_EMEM, "out of memory");
    tt_tree_leaves_at(site, tree, n, leaf);
    bool ok = true;
    for (int i = 0; ok && i < n; i++) if (tt_mesh_of_at(site, leaf[i]).p) ok = gather_leaf(site, &leaf[i]);
    if (tt_ok() && !tt_process_index()) all = tt_tree_unflatten_at(site, tree, n, leaf);
    free(leaf);
    return all;
}
