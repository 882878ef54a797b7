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
    return (*all >= 1 && *me >= 0 && *me < *all) ||
           ckpt_fail(e, TT_EARG, ".writer = %d, .writers = %d; expected 1 or more writers, and 0 or more below them",
                     *me, *all);
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
            return ckpt_fail(e, TT_EDATA, "%s: the elements could not be read", o->path);
    }
    return true;
}

/* ---- what the processes save is one tree ---- */

typedef struct { int n; uint32_t mark; char leaf[240]; } tree_word;     /* what a process sends to all */

/* As ckpt_out_mark, with the layout, by which the processes share the files. */
static uint32_t mark_laid(uint32_t before, const ckpt_out *o)
{
    const uint32_t c = ckpt_out_mark(before, o);
    const char *const mesh = o->mesh ? o->mesh : "", *const spec = o->spec ? o->spec : "";
    return ckpt_crc32c(ckpt_crc32c(c, mesh, strlen(mesh) + 1), spec, strlen(spec) + 1);
}

/* The leaf's name and type, as an error shows them: params.w f32[8, 4] as "data, _" */
static void leaf_text(const ckpt_plan *p, int i, char *to, size_t capacity)
{
    const ckpt_out *const o = i < p->n ? &p->out[i] : NULL;
    if (!o) snprintf(to, capacity, "no leaf more");
    else if (o->empty) snprintf(to, capacity, "an empty node \"%.150s\"", o->name);
    else
        snprintf(to, capacity, "\"%.80s\", %.80s%s%.50s%s", o->name, tt_type_text_at(NULL, o->v),
                 o->spec ? " as \"" : "", o->spec ? o->spec : "", o->spec ? "\"" : "");
}

/* Sets the error about leaf i, which differs. all: room for a word of each process. */
static bool leaves_differ(const char *site, const char *what, const ckpt_plan *p, int i, tree_word *all, ckpt_err *e)
{
    tree_word mine = { .mark = i < p->n ? mark_laid(0, &p->out[i]) : 0 };
    int other = 0;
    leaf_text(p, i, mine.leaf, sizeof mine.leaf);
    if (!tt_gather_bytes_at(site, what, &mine, sizeof mine, all)) return false;
    while (other + 1 < tt_process_count() && all[other].mark == all[0].mark) other++;
    return ckpt_fail_hint(e, TT_ERANK, "all ranks save the same tree: the same names, types and layouts",
                          "%s: leaf %d is %.240s in rank 0, %.240s in rank %d", what, i, all[0].leaf, all[other].leaf,
                          other);
}

bool ckpt_same_leaves(const char *site, const char *what, const ckpt_plan *p, ckpt_err *e)
{
    const int ranks = tt_process_count();
    uint32_t *const upto = calloc((size_t)p->n + 1, sizeof *upto);     /* the marks of the leaves before each */
    tree_word mine = { .n = p->n }, *const all = calloc((size_t)ranks, sizeof *all);
    bool same = true;
    if (!all || !upto) ckpt_fail(e, TT_EMEM, "out of memory");
    for (int i = 0; upto && i < p->n; i++) upto[i + 1] = mark_laid(upto[i], &p->out[i]);
    mine.mark = upto ? upto[p->n] : 0;
    bool ok = ckpt_agree(site, what, NULL, 0, e) && tt_gather_bytes_at(site, what, &mine, sizeof mine, all);
    for (int k = 1; ok && k < ranks; k++) same &= all[k].n == all[0].n && all[k].mark == all[0].mark;
    int lo = 0, hi = ok ? all[0].n : 0;                  /* leaves before lo are the same; some before hi + 1 are not */
    for (int k = 1; ok && k < ranks; k++) hi = all[k].n < hi ? all[k].n : hi;
    while (ok && !same && lo < hi) {
        const int mid = (lo + hi + 1) / 2;
        bool equal = true;
        mine.mark = upto[mid];
        ok = tt_gather_bytes_at(site, what, &mine, sizeof mine, all);
        for (int k = 1; ok && k < ranks; k++) equal &= all[k].mark == all[0].mark;
        if (equal) lo = mid;
        else hi = mid - 1;
    }
    if (ok && !same) ok = leaves_differ(site, what, p, lo, all, e);
    free(upto);
    free(all);
    return ok;
}

/* ---- the beginning of a save ---- */

static bool is_array(const ckpt_out *o) { return !o->empty; }

bool ckpt_begin(const char *site, const char *what, ckpt_job *j, bool background, ckpt_err *e)
{
    char same[CKPT_PATH + 16];
    moving m = { NULL, NULL };
    ckpt_plan *const p = &j->plan;
    bool ok = !e->code && tt_ok() && lists_for(p, &m, e);
    for (int i = 0; ok && i < p->n; i++) if (is_array(&p->out[i])) ok = share_leaf(site, &p->out[i], i, e);
    snprintf(same, sizeof same, "%s%.*s", j->ocdbt ? "OCDBT, " : "", CKPT_PATH - 1, j->path);
    ok = ckpt_agree(site, what, same, 0, e) && ckpt_same_leaves(site, what, p, e);
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
