/* plan/lower/write_in_place.c - computes a row that a loop iteration stores directly in the stack that the loop
 * carries.
 *
 * A carry of which the body only writes one full row per iteration (stacked values of scans: ys, residuals, gradients
 * of stacked weights) is one buffer that is not read before the loop is over. So the update is not an equation over the
 * stack: a slice pointer gives the row's address in this iteration, and a copy writes the row. Both are placed as early
 * as possible: a stacked carry's old content is read before the new content is computed, which may then reuse the old
 * content's buffer. A value that an iteration computes only for the row is computed in the row, by the step that
 * computes it, and the copy is dropped.
 *
 * Not used if devices leave the loop at different times: devices whose condition is false must keep their rows. */
#include "../inner.h"

#include <string.h>

/* ---- lowering ---- */

/* True if e is the only reader of its carry, and its only use is the loop's return of that carry. */
static bool writes_carry_row(const plan_flat *f, const ir_eqn *e)
{
    const ir_eqn *loop = f->loop;
    if (!loop || e->fn != loop->sub[1] || !e->in[0] || e->in[0] > e->fn->narg) return false;
    const ir_type *all = IR_IN(e, 0), *row = IR_IN(e, 1);
    if (!all->rank || row->dim[0] != 1 || !all->dim[0]) return false;
    for (int d = 1; d < all->rank; d++) if (row->dim[d] != all->dim[d]) return false;
    return e->fn->ret[e->in[0] - 1] == e->out && plan_count_reads(e->fn, e->in[0]) == 1 &&
        plan_count_reads(e->fn, e->out) == 1
           && !plan_count_reads(loop->sub[0], e->in[0]);
}

bool plan_write_in_place(plan_flat *f, plan_block *b, const ir_eqn *e, const plan_id *in, plan_id *out)
{
    if (!writes_carry_row(f, e)) return false;
    const plan_value x = f->value[in[0]], r = f->value[in[1]], i = f->value[in[2]];
    if (!x.in_iteration || x.halo || r.halo || i.dtype != TT_I32 || i.vary || r.vary & ~x.vary) return false;
    if (!plan_same_rows(f, x.layout, r.layout, x.rank)) return false;
    const plan_id y = plan_new(f, x.dtype, r.rank, r.dim, r.layout, x.vary);
    if (f->value[y].vary != x.vary) return f->nvalue--, false;
    plan_value *v = &f->value[y];
    v->root = x.root, v->bytes = x.bytes, v->slice = ++f->nslice;
    plan_item *p = plan_item_new(f, b, PLAN_SLICE_PTR, e, 2, 1);
    p->in[0] = in[0], p->in[1] = in[2], p->out[0] = y;
    p->slice_ptr.written = true;
    plan_copy(f, b, e, in[1], y);
    b->item[b->n - 1]->move.row = p;
    out[0] = in[0];
    return true;
}

/* ---- positions ---- */

/* at[v]: 1 + index of the item of this block that computes v; 0: computed elsewhere. */
static void makers(const plan_flat *f, const plan_block *b, uint32_t *at)
{
    for (uint32_t k = 0; k < b->n; k++) {
        const plan_item *t = b->item[k];
        const plan_id *out;
        for (uint32_t j = 0, n = plan_step_results(t, &out); j < n; j++) if (out[j]) at[f->value[out[j]].base] = k + 1;
    }
}

static void early_block(plan_flat *f, plan_block *b)
{
    uint32_t *at = BASE_NEW(f->a, uint32_t, f->nvalue + 1), *head = BASE_NEW(f->a, uint32_t, b->n + 1), n = 0;
    uint32_t *next = BASE_NEW(f->a, uint32_t, b->n + 1); /* next item placed after the same item, 1 based */
    plan_item **list = BASE_NEW(f->a, plan_item *, b->n + 1);
    bool *moved = BASE_NEW(f->a, bool, b->n + 1);
    makers(f, b, at);
    for (uint32_t pass = 0; pass < 2; pass++)            /* lists are built backwards: copies, then slice pointers */
        for (uint32_t k = b->n; k-- > 0;) {
            const plan_item *t = b->item[k];
            const plan_item *row = plan_written_row(t);
            if (!row || t->kind != (pass ? PLAN_SLICE_PTR : PLAN_MOVE)) continue;
            uint32_t behind = at[f->value[row->in[1]].base];
            if (!pass && at[f->value[t->in[0]].base] > behind) behind = at[f->value[t->in[0]].base];
            next[k] = head[behind], head[behind] = k + 1, moved[k] = true;
        }
    for (uint32_t k = 0; k <= b->n; k++) {
        if (k && !moved[k - 1]) list[n++] = b->item[k - 1];
        for (uint32_t i = head[k]; i; i = next[i - 1]) list[n++] = b->item[i - 1];
    }
    b->item = list;
}

void plan_hoist_writes(plan_flat *f, plan_block *b)
{
    bool any = false;
    for (uint32_t k = 0; k < b->n; k++) {
        plan_item *t = b->item[k];
        any |= plan_written_row(t) != NULL;
        PLAN_EACH_BLOCK(t, nested) plan_hoist_writes(f, nested);
    }
    if (any) early_block(f, b);
}

/* ---- when lifetimes are known ---- */

/* The run_value of v; if y is given, values in the buffer of `root` become rows of y's buffer. */
static run_value placed(const plan_flat *f, plan_id v, plan_id root, const plan_value *y)
{
    const plan_value *x = &f->value[v];
    const bool row = y && x->root == root;
    const run_space space = f->buffer[x->root].space == RUN_CONST ? RUN_CONST : RUN_ARENA;
    return (run_value){ x->dtype, x->rank, x->dim, x->layout, x->halo, x->vary | x->merged, space, 0,
                        row ? y->bytes : x->bytes, row ? y->slice : x->slice, x->merged };
}

/* Atoms along which the runtime merges t's instances to one task (run/merge_instances.c). */
static mesh_set write_merged_instances(const plan_flat *f, const plan_item *t, plan_id root, const plan_value *y)
{
    const plan_group *g = t->group;
    const uint32_t n = g->nin + g->nout;
    if (n > RUN_STACK_BOXES) return 0;
    uint32_t arg[RUN_STACK_BOXES];
    run_value value[RUN_STACK_BOXES];
    for (uint32_t i = 0; i < n; i++)
        value[arg[i] = i] = placed(f, i < g->nin ? g->in[i] : g->out[i - g->nin], root, y);
    const run_step s = { .kind = RUN_COMPUTE, .vary = t->vary, .narg = n, .nwritten = g->nout, .arg = arg };
    return run_merged_over(&(run_plan){ .mesh = f->mesh, .single_device = f->single_device,
                                  .nvalue = n, .value = value, .nkernel = 1,
                                  .kernel = &g->kernel->code }, &s);
}

/* True if some step's instances are merged to one task, but would not be if the values in this buffer were rows of
 * y's. */
static bool write_parts(const plan_flat *f, const plan_block *b, plan_id root, const plan_value *y)
{
    for (uint32_t k = 0; k < b->n; k++) {
        const plan_item *t = b->item[k];
        const plan_group *g = t->kind == PLAN_EQN ? t->group : NULL;
        bool touches = false;
        for (uint32_t i = 0; g && i < g->nin; i++) touches |= f->value[g->in[i]].root == root;
        for (uint32_t j = 0; g && j < g->nout; j++) touches |= f->value[g->out[j]].root == root;
        if (touches && write_merged_instances(f, t, root, NULL) & ~write_merged_instances(f, t, root, y)) return true;
        PLAN_EACH_BLOCK(t, nested) if (write_parts(f, nested, root, y)) return true;
    }
    return false;
}

bool plan_produce_in_place(plan_flat *f, const plan_item *t)
{
    const plan_value y = f->value[t->out[0]];
    const plan_id r = f->value[t->in[0]].root;
    const plan_buffer *b = &f->buffer[r];
    if (f->value[t->in[0]].slice || b->into != r || b->joined || b->space != RUN_ARENA || b->vary != y.vary)
        return false;
    /* every value of the root is defined in this iteration, after the slice pointer */
    for (plan_id v = 1; v <= f->nvalue; v++) {
        const plan_value *x = &f->value[v];
        if (x->root == r && x->merged) return false;     /* read as one box of all instances, which rows cannot be */
        if (x->root == r && x->base == v && x->first && (x->loop < y.loop || x->first <= t->move.row->to))
            return false;
        if (x->root == r && x->base == v && !x->first && !x->def) return false;
    }
    if (write_parts(f, t->block, r, &y)) return false;
    for (plan_id v = 1; v <= f->nvalue; v++) {
        plan_value *x = &f->value[v];
        if (x->root != r) continue;
        x->root = y.root, x->bytes = y.bytes;
        if (!x->slice) x->slice = y.slice;
    }
    return true;
}
