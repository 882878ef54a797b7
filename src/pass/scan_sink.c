/* pass/scan_sink.c - sinks elementwise equations on a scan's stacked result (a stack) into the scan's body.
 *
 * Reverse mode stacks the gradients of stacked weights, and an optimizer's update reads each stack after the loop. If a
 * stack is read only by elementwise equations whose other operands do not depend on the loop, these equations move into
 * the body: other operands with the stack's dims become xs, all others consts, and results that are read outside become
 * ys. So each slice of the stack is used in the iteration that computes it, and the stack is removed. Equations after
 * the loop that do not depend on the loop, and whose results the moved equations read, move before the loop. The
 * equations and the bits stay the same.
 *
 * Equations are sunk where this saves memory traffic: the bytes of the stack are more than those of the new ys that
 * other equations read (values that the function returns are written in either case). Not sunk:
 * - equations on slices of few bytes, since one kernel over all slices is cheaper than one kernel per iteration;
 * - if dim 0 of an operand is sharded. */
#include "inner.h"
#include "../op/ops.h"

int64_t pass_scan_sink_least = 1 << 16;                      /* least bytes of a slice */
static const uint32_t FREE = 0, MIXED = UINT32_MAX;      /* independent of the loop; not elementwise of one stack */

typedef struct {
    base_arena *a; const ir_fn *f;
    const ir_eqn *e; uint32_t k;                         /* the scan, its index */
    const op_scan_attr *attr;
    const ir_eqn **def; uint32_t *uses, *of;             /* [value]; of: FREE, MIXED, or 1 + the result of e */
    bool *stays, *out;                                   /* [value]: read by an equation that stays outside; must
                                                            be a result of the loop */
    bool *moves;                                         /* [result of e]: a stack that is removed */
    bool *there, *early;                                 /* [equation]: moves into the body; before the loop */
    bool *once, *rows;                                   /* [value]: becomes a const; an xs of the body */
} sinking;

/* True if q is elementwise on operands of t's dims or scalars: then q can be computed slice by slice. */
static bool each(const ir_eqn *q, const ir_type *t)
{
    if (q->nout != 1 || q->nsub || !q->nin || q->op->kernel != OP_MAP || q->op->prog == op_prog_none) return false;
    if (q->op->ordered || q->op->edges || q->op->states || q->op->exchange != op_exchange_none) return false;
    for (uint32_t i = 0; i < q->nin; i++) if (IR_IN(q, i)->rank && !ir_same_dims(IR_IN(q, i), t)) return false;
    return t->rank && ir_same_dims(IR_OUT(q, 0), t);
}

static bool is_stack(uint32_t of) { return of != FREE && of != MIXED; }

static void origins(sinking *s)
{
    const ir_eqn *e = s->e;
    for (uint32_t j = 0; j < e->nout; j++) {
        const bool large = ir_bytes(IR_OUT(e, j)) >= pass_scan_sink_least * s->attr->length;
        const bool stack = j >= (uint32_t)s->attr->num_carry && large;
        s->of[e->out + j] = stack ? j + 1 : MIXED;
    }
    for (const ir_eqn *q = e + 1; q < s->f->eqn + s->f->neqn; q++) {
        uint32_t of = ir_ordered(q) ? MIXED : FREE;
        for (uint32_t i = 0; i < q->nin; i++) {
            const uint32_t o = s->of[q->in[i]];
            if (o != FREE) of = of == FREE || of == o ? o : MIXED;
        }
        if (is_stack(of) && !each(q, IR_OUT(e, of - 1))) of = MIXED;
        for (uint32_t j = 0; j < q->nout; j++) s->of[q->out + j] = of;
    }
}

/* Chooses the stacks to remove (s->moves), by the memory traffic saved. Values computed from them that are read outside
 * become results of the loop instead (s->out). */
static bool sink_choose(sinking *s)
{
    const ir_fn *f = s->f;
    const ir_eqn *e = s->e;
    int64_t *gain = BASE_NEW(s->a, int64_t, e->nout + 1);
    bool any = false;
    for (const ir_eqn *q = e + 1; q < f->eqn + f->neqn; q++)
        for (uint32_t i = 0; i < q->nin; i++) s->stays[q->in[i]] |= !q->nout || s->of[q->out] != s->of[q->in[i]];
    for (ir_id v = 1; v <= f->nvalue; v++) s->out[v] = s->stays[v];
    for (uint32_t j = 0; j < f->nret; j++) s->out[f->ret[j]] = true, s->stays[f->ret[j]] = false;
    for (ir_id v = 1; v <= f->nvalue; v++)
        if (is_stack(s->of[v]) && s->stays[v]) gain[s->of[v] - 1] -= ir_bytes(f->type[v]);
    for (uint32_t j = 0; j < e->nout; j++) {
        const ir_id v = e->out + j;
        gain[j] += ir_bytes(IR_OUT(e, j));
        any |= s->moves[j] = s->of[v] == j + 1 && s->uses[v] && !s->out[v] && gain[j] > 0;
    }
    return any;
}

static bool sink_moved(const sinking *s, ir_id v) { return is_stack(s->of[v]) && s->moves[s->of[v] - 1]; }

/* If v is constant along dim 0: the operand of the broadcast that defines v, or 0 if v is a splat. Otherwise v. */
static ir_id spread_from(const sinking *s, ir_id v)
{
    const ir_eqn *d = s->def[v];
    if (d && d->op == &prim_const && IR_ATTR(d, op_const_attr)->splat) return 0;
    if (!d || d->op != &prim_broadcast_in_dim) return v;
    const ir_dims at = IR_ATTR(d, op_broadcast_attr)->broadcast_dimensions;
    return op_dims_has(at, 0) ? v : d->in[0];
}

/* Marks the equations that move into the body: those computed from the removed stacks, and elementwise equations that
 * are independent of the loop and read only by moved equations. */
static void sink_join(sinking *s)
{
    uint32_t *inside = BASE_NEW(s->a, uint32_t, s->f->nvalue + 1);
    for (uint32_t k = s->f->neqn; k-- > s->k + 1;) {
        const ir_eqn *q = &s->f->eqn[k];
        if (q->nout != 1) continue;
        const ir_id y = q->out;
        const bool only = s->of[y] == FREE && inside[y] && inside[y] == s->uses[y];
        s->there[k] = sink_moved(s, y) || (only && each(q, IR_OUT(q, 0)));
        for (uint32_t i = 0; s->there[k] && i < q->nin; i++) inside[q->in[i]]++;
    }
}

/* Collects the operands of moved equations from outside (s->once, s->rows), and marks the equations after the loop that
 * compute them (s->early). */
static void sink_collect_operands(sinking *s)
{
    const ir_fn *f = s->f;
    bool *want = BASE_NEW(s->a, bool, f->nvalue + 1);
    for (uint32_t k = s->k + 1; k < f->neqn; k++)
        for (uint32_t i = 0; s->there[k] && i < f->eqn[k].nin; i++) {
            const ir_id v = f->eqn[k].in[i], w = f->type[v]->rank ? spread_from(s, v) : v;
            if (sink_moved(s, v) || (s->def[v] && s->there[s->def[v] - f->eqn])) continue;
            want[w] = true;
            if (w == v && f->type[v]->rank) s->rows[v] = true;
            else s->once[w] = true;
        }
    want[0] = false;
    for (uint32_t k = f->neqn; k-- > s->k + 1;) {
        const ir_eqn *q = &f->eqn[k];
        for (uint32_t j = 0; j < q->nout; j++) s->early[k] |= want[q->out + j];
        for (uint32_t i = 0; s->early[k] && i < q->nin; i++) want[q->in[i]] = true;
    }
}

/* True if dim 0 of an xs operand that is an argument is sharded: a device then lacks some slices. */
static bool sink_apart(sinking *s, const mesh_layout *const *in)
{
    for (uint32_t i = (uint32_t)(s->attr->num_consts + s->attr->num_carry); i < s->e->nin; i++) s->rows[s->e->in[i]] =
        true;
    for (uint32_t i = 0; in && i < s->f->narg; i++)
        if (s->rows[1 + i] && in[i] && mesh_list_size(in[i]->mesh, in[i]->dim[0].atoms) > 1) return true;
    return false;
}

/* ---- rewriting ---- */

static ir_id sink_row_of(const sinking *s, ir_build *r, ir_id *row, const ir_id *given, ir_id v)
{
    const ir_type *t = s->f->type[v];
    if (row[v]) return row[v];
    if (!t->rank) return given[v];
    const ir_type *one = ir_type_as(t, t->dtype, t->rank - 1, t->dim + 1);
    const ir_eqn *d = s->def[v];
    if (d->op == &prim_const) {
        op_const_attr a = *IR_ATTR(d, op_const_attr);
        a.shape = (ir_dims){ one->rank, one->dim };
        return row[v] = ir_emit(r, &prim_const, &a, 0, NULL, 0, NULL);
    }
    const ir_dims at = IR_ATTR(d, op_broadcast_attr)->broadcast_dimensions;
    int64_t less[IR_RANK];
    for (int i = 0; i < at.n; i++) less[i] = at.v[i] - 1;
    return row[v] = op_broadcast(r, given[d->in[0]], one, at.n, less);
}

static bool clone_equation(ir_build *b, const ir_eqn *q, ir_id *map)
{
    ir_id *in = IR_NEW(b, ir_id, q->nin + 1);
    for (uint32_t i = 0; i < q->nin; i++) in[i] = map[q->in[i]];
    ir_site(b, q->site);
    const ir_id y = ir_clone(b, q, in);
    for (uint32_t j = 0; j < q->nout; j++) map[q->out + j] = y + j;
    return y || !q->nout;
}

/* Creates the parameters of the new body and the operands x of the new scan: consts, new consts, carries, xs, new xs.
 * m: [old parameter] -> new one; returns the number of operands. */
static uint32_t sink_widen(const sinking *s, ir_build *r, const ir_id *map, ir_id *x, ir_id *m, ir_id *row,
                           ir_id *given, int64_t *nconst)
{
    const ir_eqn *e = s->e;
    const ir_fn *g = e->sub[0];
    const uint32_t c = (uint32_t)s->attr->num_consts;
    uint32_t n = 0;
    for (uint32_t i = 0; i <= e->nin; i++) {
        for (ir_id v = 1; i == c && v <= s->f->nvalue; v++)
            if (s->once[v]) x[n++] = map[v], given[v] = ir_arg(r, s->f->type[v]);
        if (i == c) *nconst = n;
        if (i == e->nin) break;
        x[n++] = map[e->in[i]];
        m[1 + i] = ir_arg(r, g->type[1 + i]);
        if (i >= c + (uint32_t)s->attr->num_carry) row[e->in[i]] = m[1 + i];
    }
    for (ir_id v = 1; v <= s->f->nvalue; v++) {
        const ir_type *t = s->f->type[v];
        if (!s->rows[v] || row[v]) continue;
        x[n++] = map[v];
        row[v] = ir_arg(r, ir_type_as(t, t->dtype, t->rank - 1, t->dim + 1));
    }
    return n;
}

static bool sink_loop(sinking *s, ir_build *b, ir_id *map)
{
    const ir_eqn *e = s->e;
    const ir_fn *f = s->f, *g = e->sub[0];
    ir_build *r = ir_region(b, g->name);
    ir_id *x = IR_NEW(b, ir_id, e->nin + f->nvalue + 1), *m = IR_NEW(b, ir_id, g->nvalue + 1);
    ir_id *row = IR_NEW(b, ir_id, f->nvalue + 1), *given = IR_NEW(b, ir_id, f->nvalue + 1);
    ir_id *ret = IR_NEW(b, ir_id, e->nout + f->nvalue + 1), *is = IR_NEW(b, ir_id, e->nout + f->nvalue + 1);
    op_scan_attr attr = *s->attr;
    uint32_t n = 0;
    const uint32_t nin = sink_widen(s, r, map, x, m, row, given, &attr.num_consts);
    for (uint32_t k = 0; k < g->neqn; k++) if (!clone_equation(r, &g->eqn[k], m)) return false;
    for (uint32_t j = 0; j < e->nout; j++) {
        if (s->moves[j]) row[e->out + j] = m[g->ret[j]];
        else is[n] = e->out + j, ret[n++] = m[g->ret[j]];
    }
    for (uint32_t k = s->k + 1; k < f->neqn; k++) {
        const ir_eqn *q = &f->eqn[k];
        if (!s->there[k]) continue;
        ir_id *in = IR_NEW(b, ir_id, q->nin);
        for (uint32_t i = 0; i < q->nin; i++) in[i] = sink_row_of(s, r, row, given, q->in[i]);
        ir_site(r, q->site);
        if (!(row[q->out] = ir_clone(r, q, in))) return false;
        if (s->out[q->out] && sink_moved(s, q->out)) is[n] = q->out, ret[n++] = row[q->out];
    }
    ir_fn *body = ir_end(r, n, ret);
    ir_site(b, e->site);
    const ir_id y = body ? ir_emit(b, e->op, &attr, nin, x, 1, &body) : 0;
    for (uint32_t j = 0; j < n; j++) map[is[j]] = y + j;
    return y;
}

static const ir_fn *sink_rewrite(sinking *s)
{
    const ir_fn *f = s->f;
    ir_build *b = ir_begin(s->a, f->name, f->mesh);
    ir_id *map = IR_NEW(b, ir_id, f->nvalue + 1), *ret = IR_NEW(b, ir_id, f->nret + 1);
    for (uint32_t i = 1; i <= f->narg; i++) map[i] = ir_arg(b, f->type[i]);
    for (uint32_t k = 0; k < s->k; k++) if (!clone_equation(b, &f->eqn[k], map)) return NULL;
    for (uint32_t k = s->k; k < f->neqn; k++) if (s->early[k] && !clone_equation(b, &f->eqn[k], map)) return NULL;
    if (!sink_loop(s, b, map)) return NULL;
    for (uint32_t k = s->k + 1; k < f->neqn; k++)
        if (!s->early[k] && !s->there[k] && !clone_equation(b, &f->eqn[k], map)) return NULL;
    for (uint32_t j = 0; j < f->nret; j++) ret[j] = map[f->ret[j]];
    ir_fn *g = ir_end(b, f->nret, ret);
    if (g) pass_like(g, f);
    return g;
}

static const ir_fn *try_scan(base_arena *a, const ir_fn *f, uint32_t k, const mesh_layout *const *in)
{
    const uint32_t n = f->nvalue + 1;
    sinking s = { .a = a, .f = f, .e = &f->eqn[k], .k = k, .attr = IR_ATTR(&f->eqn[k], op_scan_attr) };
    if (s.attr->length < 2) return f;
    s.of = BASE_NEW(a, uint32_t, n), s.stays = BASE_NEW(a, bool, n), s.out = BASE_NEW(a, bool, n);
    s.moves = BASE_NEW(a, bool, s.e->nout + 1), s.uses = ir_uses(a, f);
    origins(&s);
    if (!sink_choose(&s)) return f;
    s.def = ir_definitions(a, f), s.once = BASE_NEW(a, bool, n), s.rows = BASE_NEW(a, bool, n);
    s.there = BASE_NEW(a, bool, f->neqn), s.early = BASE_NEW(a, bool, f->neqn);
    sink_join(&s);
    sink_collect_operands(&s);
    return sink_apart(&s, in) ? f : sink_rewrite(&s);
}

/* Applies the pass to manual regions, whose parameters are local and not sharded. */
static ir_fn *sink_region(base_arena *a, const ir_eqn *e, uint32_t i, const mesh *m)
{
    return (void)m, e->op == &prim_manual ? pass_scan_sink(a, e->sub[i], NULL) : e->sub[i];
}

ir_fn *pass_scan_sink(base_arena *a, const ir_fn *f, const mesh_layout *const *in)
{
    bool manual = false;
    for (uint32_t k = f->neqn; f && k-- > 0;) {          /* backwards: moved equations go right before their loop */
        manual |= f->eqn[k].op == &prim_manual;
        if (f->eqn[k].op == &prim_scan) f = try_scan(a, f, k, in);
    }
    return f && manual ? pass_regions(a, f, f->mesh, sink_region) : (ir_fn *)(uintptr_t)f;
}
