/* hlo/raise/loops.c - counted loops as scans.
 *
 * JAX prints scan and fori_loop as while: all arrays are carried completely, rows are read and written at the counter.
 * In a counted loop,
 *     counters             become operands that are read iteration by iteration: start + k step;
 *     invariant carries    become constants; those of which only the row at the counter is read, scanned operands;
 *     arrays of n rows that are only written, each row once, become stacked results;
 *     all others           are carried.
 * Rows may be read and written from the last to the first. The scan runs in the direction in which most bytes are
 * accessed, as the backward pass of a scan runs downwards; arrays of the other direction are reversed before or after
 * it. */
#include "../inner.h"
#include "loops.h"
#include "raise.h"
#include "../../op/ops.h"

#include <string.h>

typedef enum { CARRIED, COUNTER, CONSTANT, ROWS, STACKED } role;
typedef struct {
    hlo_loop l;
    role *role;                                          /* [carry] */
    hlo_affine *count;                                   /* COUNTER: as a function of the loop's counter */
    bool *back;                                          /* ROWS, STACKED: last row first */
    ir_id *update;                                       /* STACKED: the row that the body writes */
    bool *needed;                                        /* [value of the body] */
    bool down;                                           /* the scan runs from the last row to the first */
    uint32_t n;
} scan;

/* ---- the role of each carry ---- */

/* +1: index is k at iteration k; -1: it is n-1-k; 0: neither */
static int row_at(const hlo_loop *l, ir_id index, int64_t rows)
{
    hlo_affine x;
    int64_t first, second;
    if (rows != l->n || !hlo_loop_affine(l, index, &x) || !hlo_affine_at(l, &x, 0, &first) ||
        !hlo_affine_at(l, &x, 1, &second)) return 0;
    if (first == 0 && (second == 1 || l->n == 1)) return 1;
    return first == l->n - 1 && second == l->n - 2 ? -1 : 0;
}

static bool zeros_behind(const hlo_loop *l, const ir_eqn *e, uint32_t from)
{
    hlo_affine x;
    for (uint32_t i = from; i < e->nin; i++) if (!hlo_loop_affine(l, e->in[i], &x) || x.times || x.plus) return false;
    return true;
}

/* True if `size` is that of one row: [1, all of the other dims]. */
static bool one_row(const ir_type *whole, int n, const int64_t *size)
{
    if (whole->rank < 1 || n != whole->rank || size[0] != 1) return false;
    return n == 1 || !memcmp(size + 1, whole->dim + 1, (size_t)(n - 1) * sizeof *size);
}

/* Direction in which the equation reads a row of its first operand; 0: it does not. */
static int reads_row(const hlo_loop *l, const ir_eqn *e)
{
    if (e->op != &prim_dynamic_slice) return 0;
    const ir_dims sizes = IR_ATTR(e, op_dynamic_slice_attr)->slice_sizes;
    if (!one_row(IR_IN(e, 0), sizes.n, sizes.v) || !zeros_behind(l, e, 2)) return 0;
    return row_at(l, e->in[1], IR_IN(e, 0)->dim[0]);
}

static int writes_row(const hlo_loop *l, const ir_eqn *e)
{
    if (!e || e->op != &prim_dynamic_update_slice) return 0;
    if (!one_row(IR_IN(e, 0), IR_IN(e, 1)->rank, IR_IN(e, 1)->dim) || !zeros_behind(l, e, 3)) return 0;
    return row_at(l, e->in[2], IR_IN(e, 0)->dim[0]);
}

/* uses: number of uses of each value. way: of each parameter, the direction in which all uses read rows; 0: none. */
typedef struct { int uses, way; bool mixed; } reads;

static reads *reads_of(hlo_pass *p, const hlo_loop *l)
{
    const ir_fn *const f = l->body;
    reads *const v = BASE_NEW(p->arena, reads, f->nvalue + 1);
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *const e = &f->eqn[k];
        for (uint32_t i = 0; i < e->nin; i++) {
            reads *const x = &v[e->in[i]];
            const int w = i || e->in[0] > f->narg ? 0 : reads_row(l, e);
            x->mixed |= !w || (x->way && w != x->way);
            x->way = w, x->uses++;
        }
    }
    for (uint32_t j = 0; j < f->nret; j++) v[f->ret[j]].uses++;
    for (uint32_t i = 1; i <= f->narg; i++) if (v[i].mixed) v[i].way = 0;
    return v;
}

static void give_roles(hlo_pass *p, scan *s)
{
    const ir_fn *const body = s->l.body;
    const reads *const v = reads_of(p, &s->l);
    for (uint32_t i = 0; i < s->n; i++) {
        const ir_id id = i + 1;
        if (op_invariant(body, i)) {
            const int way = v[id].way;
            s->role[i] = way && v[id].uses > 1 ? ROWS : CONSTANT;
            s->back[i] = way < 0;
        } else if (hlo_loop_affine(&s->l, id, &s->count[i])) {
            s->role[i] = COUNTER;
        } else {
            const ir_eqn *const e = ir_definition(body, body->ret[i]);
            const int way = writes_row(&s->l, e);
            if (!way || e->in[0] != id || v[id].uses != 1 || v[body->ret[i]].uses != 1) continue;
            s->role[i] = STACKED, s->back[i] = way < 0, s->update[i] = e->in[1];
        }
    }
}

static bool goes_down(const scan *s)
{
    int64_t up = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        const ir_type *const t = s->l.body->type[i + 1];
        if (s->role[i] == ROWS || s->role[i] == STACKED) up += (s->back[i] ? -1 : 1) * ir_bytes(t);
    }
    return up < 0;
}

static bool reads_rows(const scan *s, const ir_eqn *e)   /* True if e reads an operand that is scanned: e is dropped */
{
    return e->nin && e->in[0] <= s->l.body->narg && s->role[e->in[0] - 1] == ROWS;
}

/* Marks the values of the old body that the new one needs: not those that only count iterations or find rows. */
static void find_needed(scan *s)
{
    const ir_fn *const f = s->l.body;
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->role[i] == CARRIED) s->needed[f->ret[i]] = true;
        if (s->role[i] == STACKED) s->needed[s->update[i]] = true;
    }
    for (uint32_t k = f->neqn; k-- > 0;) {
        const ir_eqn *const e = &f->eqn[k];
        if (!hlo_is_used(e, s->needed)) continue;
        for (uint32_t i = 0; i < (reads_rows(s, e) ? 1 : e->nin); i++) s->needed[e->in[i]] = true;
    }
}

/* ---- the scan ---- */

static ir_id without_first(ir_build *b, ir_id x)         /* [1, rest] -> [rest] */
{
    const ir_type *const t = ir_typeof(b, x);
    return t ? hlo_reshaped(b, x, t->rank - 1, t->dim + 1) : 0;
}

static ir_id with_first(ir_build *b, ir_id x)
{
    const ir_type *const t = ir_typeof(b, x);
    int64_t dim[IR_RANK + 1] = { 1 };
    for (int d = 0; t && d < t->rank; d++) dim[d + 1] = t->dim[d];
    return t ? hlo_reshaped(b, x, t->rank + 1, dim) : 0;
}

static ir_id loops_reversed(ir_build *b, ir_id x, bool turn)
{
    const int64_t zero = 0;
    return turn && x ? op_reverse(b, x, (ir_dims){ 1, &zero }) : x;
}

/* A counter's value at an iteration, wrapped to its type. */
static int64_t count_at(const scan *s, uint32_t i, int64_t turn)
{
    const hlo_affine *const x = &s->count[i];
    return (int64_t)((uint64_t)x->times * ((uint64_t)s->l.start + (uint64_t)turn * (uint64_t)s->l.step)
                     + (uint64_t)x->plus);
}

static ir_id counters(ir_build *b, const scan *s, uint32_t i)    /* start + k step, for every iteration */
{
    const ir_type *const t = ir_type_of(s->l.body->type[i + 1]->dtype, 1, &s->l.n);
    const ir_id k = op_iota(b, t, 0);
    const int64_t first = count_at(s, i, 0), step = count_at(s, i, 1) - first, last = count_at(s, i, s->l.n - 1);
    const ir_id by = op_broadcast(b, op_int(b, t->dtype, s->down ? -step : step), t, 0, NULL);
    const ir_id from = op_broadcast(b, op_int(b, t->dtype, s->down ? last : first), t, 0, NULL);
    return op_add(b, op_mul(b, k, by), from);
}

/* The body with its new parameters: consts | carries | scanned rows. */
static ir_fn *scan_body(hlo_pass *p, const scan *s)
{
    const ir_fn *const f = s->l.body;
    ir_build *const b = ir_region(s->l.outer, base_intern("body"));
    ir_id *const map = BASE_NEW(p->arena, ir_id, f->nvalue + 1), *const ret = BASE_NEW(p->arena, ir_id, s->n + 1);
    for (uint32_t i = 0; i < s->n; i++) if (s->role[i] == CONSTANT) map[i + 1] = ir_arg(b, f->type[i + 1]);
    for (uint32_t i = 0; i < s->n; i++) if (s->role[i] == CARRIED) map[i + 1] = ir_arg(b, f->type[i + 1]);
    for (uint32_t i = 0; i < s->n; i++) {
        const ir_type *const t = f->type[i + 1];
        if (s->role[i] == COUNTER && s->needed[i + 1]) map[i + 1] = ir_arg(b, t);
        if (s->role[i] == ROWS) map[i + 1] = ir_arg(b, ir_type_of(t->dtype, t->rank - 1, t->dim + 1));
    }
    for (uint32_t i = 0; i < s->n; i++) if (s->role[i] == ROWS) map[i + 1] = with_first(b, map[i + 1]);
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *const e = &f->eqn[k];
        if (!hlo_is_used(e, s->needed)) continue;
        if (reads_rows(s, e)) {
            map[e->out] = map[e->in[0]];
            continue;
        }
        ir_id *const in = BASE_NEW(p->arena, ir_id, e->nin + 1);
        for (uint32_t i = 0; i < e->nin; i++) in[i] = map[e->in[i]];
        ir_site(b, e->site);
        const ir_id out = hlo_clone(b, e, in);
        if (!out) return NULL;
        for (uint32_t j = 0; j < e->nout; j++) map[e->out + j] = out + j;
    }
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n; i++) if (s->role[i] == CARRIED) ret[n++] = map[f->ret[i]];
    for (uint32_t i = 0; i < s->n; i++) if (s->role[i] == STACKED) ret[n++] = without_first(b, map[s->update[i]]);
    const ir_fn *const g = ir_end(b, n, ret);
    return g ? hlo_without_dead(p->arena, g) : NULL;
}

static bool emit_scan(hlo_pass *p, const scan *s, ir_id *out)
{
    ir_build *const b = s->l.outer;
    ir_id *const in = BASE_NEW(p->arena, ir_id, s->n + 1);
    op_scan_attr a = { .length = s->l.n, .reverse = s->down };
    uint32_t n = 0;
    ir_fn *const body = scan_body(p, s);
    if (!body) return false;
    for (uint32_t i = 0; i < s->n; i++) if (s->role[i] == CONSTANT) in[n++] = s->l.in[i];
    a.num_consts = n;
    for (uint32_t i = 0; i < s->n; i++) if (s->role[i] == CARRIED) in[n++] = s->l.in[i];
    a.num_carry = n - a.num_consts;
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->role[i] == COUNTER && s->needed[i + 1]) in[n++] = counters(b, s, i);
        if (s->role[i] == ROWS) in[n++] = loops_reversed(b, s->l.in[i], s->back[i] != s->down);
    }
    ir_id y = 0;
    if (body->nret) {
        if (!(y = ir_emit(b, &prim_scan, &a, n, in, 1, &body))) return false;
    }
    for (uint32_t i = 0; i < s->n; i++) if (s->role[i] == CARRIED) out[i] = y++;
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->role[i] == STACKED) out[i] = loops_reversed(b, y++, s->back[i] != s->down);
        if (s->role[i] == CONSTANT || s->role[i] == ROWS) out[i] = s->l.in[i];
        if (s->role[i] == COUNTER)
            out[i] = op_int(b, s->l.body->type[i + 1]->dtype, count_at(s, i, s->l.n));
        if (!out[i]) return false;
    }
    return true;
}

/* ---- the pass ---- */

static bool counted(hlo_pass *p, ir_build *b, const ir_eqn *e, const ir_id *in, ir_fn *const *sub, ir_id *out,
                    bool *failed)
{
    if (e->op != &prim_while) return false;
    scan s = { .l = { .outer = b, .in = in, .cond = sub[0], .body = sub[1] }, .n = e->nin };
    if (!hlo_loop_counted(&s.l)) return false;
    s.role = BASE_NEW(p->arena, role, s.n + 1);
    s.count = BASE_NEW(p->arena, hlo_affine, s.n + 1);
    s.back = BASE_NEW(p->arena, bool, s.n + 1);
    s.update = BASE_NEW(p->arena, ir_id, s.n + 1);
    s.needed = BASE_NEW(p->arena, bool, sub[1]->nvalue + 1);
    give_roles(p, &s);
    s.down = goes_down(&s);
    find_needed(&s);
    p->found++;
    *failed = !emit_scan(p, &s, out);
    return true;
}

ir_fn *hlo_loops(base_arena *a, const ir_fn *f, int *found)
{
    hlo_pass p = { .arena = a, .equation = counted };
    ir_fn *const g = hlo_rewritten(&p, f);
    if (found) *found = p.found;
    return g;
}
