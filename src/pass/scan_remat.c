/* pass/scan_remat.c - rematerialises residuals: values that one scan stacks only for another scan to read are
 * recomputed in the second scan, where that is cheap.
 *
 * Reverse mode through a loop leaves two scans: the first one stacks the residuals of its iterations, the second one
 * takes them as xs. A residual need not be stacked if it is an elementwise function of other residuals, of consts and
 * xs of the first scan (which the second one may take too), or of ys that have other readers. The values to stack are a
 * minimum cut (min_cut.c) between the values that only the first scan can compute (carries, contractions, reductions,
 * collectives, random bits) and the values that the second scan reads; the price of a value is its bytes. A value that
 * a contraction or another equation that is not elementwise reads in the second scan is not recomputed, since it would
 * have to be stored for this reader.
 *
 * Recomputation may cost DEAREST instructions per byte that is not stacked. If the cheapest cut costs more, only
 * equations of at most CHEAP instructions are recomputed, and if that also costs more, none. The equations and the bits
 * stay the same. The scans may come from transforms or from imported text. */
#include "inner.h"
#include "../op/ops.h"

enum { DEAREST = 12, CHEAP = 8, LARGEST = 1 << 15 };     /* instructions per byte, per equation; values of a body */

typedef struct {
    base_arena *a; const ir_fn *f;
    const ir_eqn *first, *second;
    uint32_t c1, k1, c2, k2;                             /* consts and carries of both */
    uint32_t *takes;                                     /* [result of first]: 1 + the operand, its only reader */
    const ir_eqn **def;                                  /* [value of first's body]: defining equation */
    int64_t *cost;                                       /* [equation of first's body]: instructions; -1: no remat */
    bool *given, *indivisible, *kept, *needed;           /* [value of first's body]: available at no cost; read by an
                                                            equation that is not elementwise; stacked; needed by the
                                                            second scan */
    uint32_t *stacked;                                   /* [value of first's body]: 1 + result with other readers */
} lean;

static const ir_fn *body(const ir_eqn *scan) { return scan->sub[0]; }

/* True if v is a const or xs parameter of the first scan's body. */
static bool handed(const lean *s, ir_id v) { return v <= body(s->first)->narg && (v <= s->c1 || v > s->c1 + s->k1); }

/* ---- cost of recomputation ---- */

static int64_t instructions(base_arena *a, const ir_eqn *e)
{
    op_prog *t = op_prog_begin(a);
    op_reg *x = BASE_NEW(a, op_reg, e->nin + 1), y;
    for (uint32_t i = 0; i < e->nin; i++) x[i] = op_input(t, IR_IN(e, i)->dtype);
    const int before = t->n;
    return op_prog_add(t, e, x, &y) && !t->full ? t->n - before : -1;
}

static bool moves_nothing(const ir_eqn *e) { return e->op == &prim_broadcast_in_dim || e->op == &prim_reshape; }

static bool has_pairs(const ir_eqn *e)
{
    bool any = ir_dtype_of(IR_OUT(e, 0)->dtype)->cls == IR_COMPLEX_CLASS;
    for (uint32_t i = 0; i < e->nin; i++) any |= ir_dtype_of(IR_IN(e, i)->dtype)->cls == IR_COMPLEX_CLASS;
    return any;
}

static int64_t cost_of(base_arena *a, const ir_eqn *e)
{
    if (e->nout != 1 || e->nsub || e->op->ordered) return -1;
    if (moves_nothing(e) || e->op == &prim_const || e->op == &prim_iota) return 0;
    if (e->op->kernel != OP_MAP || e->op->prog == op_prog_none || has_pairs(e)) return -1;
    return instructions(a, e);
}

/* ---- readers ---- */

/* Finds the results of the first scan whose only reader is the second scan, as xs. Returns true if there are any. */
static bool pair_up(lean *s, const uint32_t *used)
{
    bool any = false;
    s->takes = BASE_NEW(s->a, uint32_t, s->first->nout + 1);
    for (uint32_t i = s->c2 + s->k2; i < s->second->nin; i++) {
        const ir_id v = s->second->in[i];
        if (v < s->first->out + s->k1 || v >= s->first->out + s->first->nout || used[v] != 1) continue;
        s->takes[v - s->first->out] = i + 1;
        any = true;
    }
    return any;
}

/* [value of the second's body]: returned or read, directly or after a broadcast or reshape, by an equation that is not
 * elementwise. */
static bool *read_complete(base_arena *a, const ir_fn *f)
{
    bool *whole = BASE_NEW(a, bool, f->nvalue + 1);
    for (uint32_t j = 0; j < f->nret; j++) whole[f->ret[j]] = true;
    for (uint32_t k = f->neqn; k-- > 0;) {
        const ir_eqn *e = &f->eqn[k];
        const bool map = e->op->kernel == OP_MAP && !e->nsub;
        for (uint32_t i = 0; i < e->nin; i++)
            whole[e->in[i]] |= moves_nothing(e) ? whole[e->out] : !map;
    }
    return whole;
}

static void scan_remat_analyse(lean *s)
{
    const ir_fn *f = body(s->first);
    const bool *there = read_complete(s->a, body(s->second));
    for (uint32_t i = 1; i <= f->narg; i++) s->given[i] = handed(s, i);
    for (uint32_t j = s->k1; j < s->first->nout; j++) {
        if (!s->takes[j]) s->given[f->ret[j]] = true, s->stacked[f->ret[j]] = j + 1;
        else s->indivisible[f->ret[j]] |= there[s->takes[j]]; /* operand i is parameter i + 1 */
    }
    for (uint32_t k = 0; k < f->neqn; k++) s->cost[k] = cost_of(s->a, &f->eqn[k]);
    for (uint32_t k = f->neqn; k-- > 0;) {
        const ir_eqn *e = &f->eqn[k];
        if (e->op == &prim_reshape && s->indivisible[e->out]) s->indivisible[e->in[0]] = true,
            s->indivisible[e->out] = false;
    }
}

/* ---- the values to stack ---- */

static bool can_recompute(const lean *s, const ir_eqn *e, int64_t most)
{
    const int64_t cost = s->cost[e - body(s->first)->eqn];
    if (cost < 0 || cost > most) return false;
    return !s->indivisible[e->out] || e->op == &prim_broadcast_in_dim || !e->nin;
}

static int64_t scan_remat_min_cut(lean *s, int64_t most)
{
    const ir_fn *f = body(s->first);
    int64_t *price = BASE_NEW(s->a, int64_t, f->nvalue + 1);
    for (ir_id v = 1; v <= f->nvalue; v++) price[v] = ir_bytes(f->type[v]) + 1;
    pass_graph *g = pass_graph_new(s->a, f->nvalue + 1, price);
    for (ir_id v = 1; v <= f->nvalue; v++) {
        const ir_eqn *e = s->def[v];
        if (s->given[v]) continue;
        if (!e || !can_recompute(s, e, most)) pass_graph_begins(g, v);
        else for (uint32_t i = 0; i < e->nin; i++) if (!s->given[e->in[i]]) pass_graph_arc(g, e->in[i], v);
    }
    for (uint32_t j = s->k1; j < s->first->nout; j++)
        if (s->takes[j] && !s->given[f->ret[j]]) pass_graph_ends(g, f->ret[j]);
    return pass_graph_min_cut(g, s->kept);
}

/* Marks the values that the second scan needs, from its xs back to stacked or available values; returns the
 * instructions of the recomputation. */
static int64_t scan_remat_mark_needed(lean *s)
{
    const ir_fn *f = body(s->first);
    int64_t work = 0;
    for (ir_id v = 0; v <= f->nvalue; v++) s->needed[v] = false;
    for (uint32_t j = s->k1; j < s->first->nout; j++) if (s->takes[j]) s->needed[f->ret[j]] = true;
    for (uint32_t k = f->neqn; k-- > 0;) {
        const ir_eqn *e = &f->eqn[k];
        if (e->nout != 1 || !s->needed[e->out] || s->kept[e->out] || s->given[e->out]) continue;
        work += s->cost[k] * ir_count(IR_OUT(e, 0));
        for (uint32_t i = 0; i < e->nin; i++) s->needed[e->in[i]] = true;
    }
    return work;
}

static bool source(const lean *s, ir_id v) { return s->needed[v] && (s->kept[v] || s->given[v]); }

static bool worth(lean *s)
{
    const ir_fn *f = body(s->first);
    int64_t now = 0;
    for (uint32_t j = s->k1; j < s->first->nout; j++) if (s->takes[j]) now += ir_bytes(f->type[f->ret[j]]) + 1;
    for (int64_t most = INT32_MAX;; most = CHEAP) {
        const int64_t then = scan_remat_min_cut(s, most);
        if (then < 0 || then >= now) return false;
        if (scan_remat_mark_needed(s) <= DEAREST * (now - then)) return true;
        if (most == CHEAP) return false;
    }
}

/* ---- rewriting both scans ---- */

/* Emits the first scan, which stacks the kept values only. at[value]: the operand of the second scan with the value.
 * Returns the first result. */
static ir_id stack_less(lean *s, ir_build *b, const ir_id *map, ir_id *out, ir_id *at)
{
    const ir_eqn *e = s->first;
    const ir_fn *f = body(e);
    ir_build *r = ir_region(b, f->name);
    ir_id *m = IR_NEW(b, ir_id, f->nvalue + 1), *ret = IR_NEW(b, ir_id, e->nout + f->nvalue + 1);
    ir_id *x = IR_NEW(b, ir_id, e->nin + 1), *place = IR_NEW(b, ir_id, e->nout + f->nvalue + 1);
    uint32_t n = 0;
    for (uint32_t i = 1; i <= f->narg; i++) m[i] = ir_arg(r, f->type[i]);
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *q = &f->eqn[k];
        ir_id *in = IR_NEW(b, ir_id, q->nin + 1);
        for (uint32_t i = 0; i < q->nin; i++) in[i] = m[q->in[i]];
        ir_site(r, q->site);
        const ir_id y = ir_clone(r, q, in);
        if (!y && q->nout) return 0;
        for (uint32_t j = 0; j < q->nout; j++) m[q->out + j] = y + j;
    }
    for (uint32_t j = 0; j < e->nout; j++)
        if (!s->takes[j]) place[n] = out[j] = n + 1, ret[n++] = m[f->ret[j]];
    for (ir_id v = 1; v <= f->nvalue; v++)
        if (s->kept[v] && source(s, v) && !s->given[v]) at[v] = n + 1, ret[n++] = m[v];
    ir_fn *g = ir_end(r, n, ret);
    for (uint32_t i = 0; i < e->nin; i++) x[i] = map[e->in[i]];
    ir_site(b, e->site);
    const ir_id y = g ? ir_emit(b, e->op, e->attr, e->nin, x, 1, &g) : 0;
    for (uint32_t j = 0; j < e->nout; j++) out[j] = out[j] ? y + out[j] - 1 : 0;
    for (ir_id v = 1; v <= f->nvalue; v++)
        if (at[v]) at[v] += y - 1;
        else if (source(s, v)) at[v] = handed(s, v) ? x[v - 1] : out[s->stacked[v] - 1];
    return y;
}

/* True if v is a const parameter, which has the same value in all iterations. */
static bool outer(const lean *s, ir_id v) { return v <= s->c1; }

/* Emits the second scan, which takes the kept values and recomputes the others. */
static ir_id make_more(lean *s, ir_build *b, const ir_id *map, const ir_id *at)
{
    const ir_eqn *e = s->second;
    const ir_fn *f = body(s->first), *g = body(e);
    ir_build *r = ir_region(b, g->name);
    const uint32_t capacity = e->nin + f->nvalue + 1;
    ir_id *x = IR_NEW(b, ir_id, capacity), *m = IR_NEW(b, ir_id, f->nvalue + 1), *p = IR_NEW(b, ir_id, e->nin + 1);
    bool *taken = IR_NEW(b, bool, e->nin + 1);
    uint32_t n = 0, nconst = 0;
    for (uint32_t j = 0; j < s->first->nout; j++) if (s->takes[j]) taken[s->takes[j] - 1] = true;
    for (int each = 0; each < 2; each++) {               /* consts, then carries and xs */
        for (uint32_t i = each ? s->c2 : 0; i < (each ? e->nin : s->c2); i++)
            if (!taken[i]) x[n++] = map[e->in[i]], p[i] = ir_arg(r, g->type[1 + i]);
        for (ir_id v = 1; v <= f->nvalue; v++)
            if (source(s, v) && outer(s, v) == !each) x[n++] = at[v], m[v] = ir_arg(r, f->type[v]);
        if (!each) nconst = n;
    }
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *q = &f->eqn[k];
        if (q->nout != 1 || !s->needed[q->out] || m[q->out]) continue;
        ir_id *in = IR_NEW(b, ir_id, q->nin + 1);
        for (uint32_t i = 0; i < q->nin; i++) in[i] = m[q->in[i]];
        ir_site(r, q->site);
        if (!(m[q->out] = ir_clone(r, q, in))) return 0;
    }
    for (uint32_t j = 0; j < s->first->nout; j++) if (s->takes[j]) p[s->takes[j] - 1] = m[f->ret[j]];
    ir_id *ret = IR_NEW(b, ir_id, g->nret + 1);
    if (!ir_inline(r, g, p, ret)) return 0;
    ir_fn *h = ir_end(r, g->nret, ret);
    op_scan_attr d = *IR_ATTR(e, op_scan_attr);
    d.num_consts = nconst;
    ir_site(b, e->site);
    return h ? ir_emit(b, e->op, &d, n, x, 1, &h) : 0;
}

static ir_fn *scan_remat_rewrite(lean *s)
{
    const ir_fn *f = s->f;
    ir_build *b = ir_begin(s->a, f->name, f->mesh);
    ir_id *map = IR_NEW(b, ir_id, f->nvalue + 1), *ret = IR_NEW(b, ir_id, f->nret + 1);
    ir_id *at = IR_NEW(b, ir_id, body(s->first)->nvalue + 1);
    for (uint32_t i = 1; i <= f->narg; i++) map[i] = ir_arg(b, f->type[i]);
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *e = &f->eqn[k];
        ir_id *x = IR_NEW(b, ir_id, e->nin + 1), y;
        if (e == s->first) {
            if (!stack_less(s, b, map, map + e->out, at)) return NULL;
            continue;
        }
        for (uint32_t i = 0; i < e->nin; i++) x[i] = map[e->in[i]];
        ir_site(b, e->site);
        if (!(y = e == s->second ? make_more(s, b, map, at) : ir_clone(b, e, x)) && e->nout) return NULL;
        for (uint32_t j = 0; j < e->nout; j++) map[e->out + j] = y + j;
    }
    for (uint32_t j = 0; j < f->nret; j++) ret[j] = map[f->ret[j]];
    ir_fn *g = ir_end(b, f->nret, ret);
    if (g) pass_like(g, f);
    return g;
}

/* ---- all pairs ---- */

static bool may(const ir_eqn *e) { return e->op == &prim_scan && IR_ATTR(e, op_scan_attr)->length > 0; }

static const ir_fn *try_pair(base_arena *a, const ir_fn *f, uint32_t i, uint32_t k)
{
    const ir_eqn *x = &f->eqn[i], *y = &f->eqn[k];
    const op_scan_attr *p = IR_ATTR(x, op_scan_attr), *q = IR_ATTR(y, op_scan_attr);
    const uint32_t n = body(x)->nvalue + 1;
    lean s = { .a = a, .f = f, .first = x, .second = y, .c1 = (uint32_t)p->num_consts, .k1 = (uint32_t)p->num_carry,
               .c2 = (uint32_t)q->num_consts, .k2 = (uint32_t)q->num_carry };
    if (p->length != q->length || n > LARGEST || !pair_up(&s, ir_uses(a, f))) return f;
    s.def = ir_definitions(a, body(x)), s.cost = BASE_NEW(a, int64_t, body(x)->neqn + 1);
    s.given = BASE_NEW(a, bool, n), s.indivisible = BASE_NEW(a, bool, n), s.kept = BASE_NEW(a, bool, n);
    s.needed = BASE_NEW(a, bool, n), s.stacked = BASE_NEW(a, uint32_t, n);
    scan_remat_analyse(&s);
    return worth(&s) ? scan_remat_rewrite(&s) : f;
}

static bool has_scan(const ir_fn *f)
{
    for (uint32_t k = 0; k < f->neqn; k++) {
        if (f->eqn[k].op == &prim_scan) return true;
        for (uint32_t i = 0; i < f->eqn[k].nsub; i++) if (has_scan(f->eqn[k].sub[i])) return true;
    }
    return false;
}

static ir_fn *scan_remat_region(base_arena *a, const ir_eqn *e, uint32_t i, const mesh *m)
{
    return (void)m, pass_scan_remat(a, e->sub[i]);
}

ir_fn *pass_scan_remat(base_arena *a, const ir_fn *f)
{
    bool deep = false;
    for (uint32_t k = 0; k < f->neqn; k++)
        for (uint32_t i = 0; i < f->eqn[k].nsub; i++) deep |= has_scan(f->eqn[k].sub[i]);
    if (deep) f = pass_regions(a, f, f->mesh, scan_remat_region);
    for (uint32_t i = 0; f && i < f->neqn; i++)
        for (uint32_t k = i + 1; f && may(&f->eqn[i]) && k < f->neqn; k++)
            if (may(&f->eqn[k])) f = try_pair(a, f, i, k);
    return (ir_fn *)(uintptr_t)f;
}
