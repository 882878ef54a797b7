/* hlo/raise/bit_expr.c - 32-bit words of a function as expressions, through broadcasts, short loops and calls.
 *
 * Each value of type u32 becomes a node. Equal nodes are equal words, whatever their spelling in the text: order of
 * operands, a rotation as or(shl, shr), folded constants, lists of constants that a loop carries and swaps. Loops are
 * unrolled as long as their condition is a constant, as for a counter of a few iterations. A value that is not
 * understood becomes a leaf in the function itself and unknown in a loop. So equality of nodes proves equality of
 * words. */
#include "bit_expr.h"
#include "../../op/ops.h"

#include <string.h>

/* Limits: WORK equations in loops and callees, plus WORK_EACH per equation of the function. A cipher takes 280, in a
 * function of at least 20. */
enum { WORK = 512, WORK_EACH = 16, DEEP = 4, ITERATIONS = 8, SMALL_TREE = 12 };

static bit_node *bit_at(const bit_exprs *w, bit_expr x) { return &w->node[x]; }
static uint32_t low(uint64_t k) { return (uint32_t)k; }

/* ---- nodes ---- */

static uint32_t *bit_find(const bit_exprs *w, const bit_node *x)
{
    const uint64_t key[] = { x->kind, x->a, x->b, x->k, x->kind == BIT_LEAF ? x->id : 0, (uintptr_t)x->table };
    uint32_t k = (uint32_t)base_hash(base_hash(0, key, sizeof key), x->map, sizeof x->map) & (w->nslot - 1);
    for (; w->slot[k]; k = (k + 1) & (w->nslot - 1)) {
        const bit_node *const y = bit_at(w, w->slot[k]);
        if (y->kind == x->kind && y->a == x->a && y->b == x->b && y->k == x->k && y->table == x->table &&
            (x->kind != BIT_LEAF || y->id == x->id) && !memcmp(y->map, x->map, sizeof x->map))
            break;
    }
    return &w->slot[k];
}

static bit_expr node(bit_exprs *w, bit_node x)
{
    uint32_t *s = bit_find(w, &x);
    if (*s) return *s;
    if (2 * (w->n + 2) > w->nslot) {
        w->nslot *= 2;
        w->slot = BASE_NEW(w->arena, uint32_t, w->nslot);
        for (bit_expr y = 1; y < w->n; y++) *bit_find(w, bit_at(w, y)) = y;
        s = bit_find(w, &x);
    }
    if (w->n == w->cap) {
        bit_node *const more = BASE_NEW(w->arena, bit_node, 2 * w->cap);
        memcpy(more, w->node, w->n * sizeof *more);
        w->node = more, w->cap *= 2;
    }
    w->node[w->n] = x;
    return *s = w->n++;
}

bit_expr hlo_bit_const(bit_exprs *w, uint64_t k) { return node(w, (bit_node){ .kind = BIT_CONST, .k = k }); }

/* x without its constant, which is stored in *k. For a constant alone: 0. */
static bit_expr bit_apart(const bit_exprs *w, bit_expr x, bit_kind outer, uint64_t *k)
{
    const bit_node *const n = bit_at(w, x);
    *k = n->kind == outer || n->kind == BIT_CONST ? n->k : 0;
    return n->kind == outer ? n->a : n->kind == BIT_CONST ? 0 : x;
}

static bit_expr both(bit_exprs *w, bit_kind kind, bit_expr a, bit_expr b)
{
    return node(w, (bit_node){ .kind = kind, .a = a < b ? a : b, .b = a < b ? b : a });
}

static bit_expr with(bit_exprs *w, bit_kind outer, bit_expr x, uint64_t k)
{
    if (!x) return hlo_bit_const(w, low(k));
    return low(k) ? node(w, (bit_node){ .kind = outer, .a = x, .k = low(k) }) : x;
}

bit_expr hlo_bit_add(bit_exprs *w, bit_expr x, bit_expr y)
{
    uint64_t j, k;
    if (!x || !y) return 0;
    const bit_expr a = bit_apart(w, x, BIT_ADD_CONST, &j), b = bit_apart(w, y, BIT_ADD_CONST, &k);
    return with(w, BIT_ADD_CONST, a && b ? both(w, BIT_ADD, a, b) : a ? a : b, j + k);
}

bit_expr hlo_bit_xor(bit_exprs *w, bit_expr x, bit_expr y)
{
    uint64_t j, k;
    if (!x || !y) return 0;
    const bit_expr a = bit_apart(w, x, BIT_XOR_CONST, &j), b = bit_apart(w, y, BIT_XOR_CONST, &k);
    return with(w, BIT_XOR_CONST, a && b ? both(w, BIT_XOR, a, b) : a ? a : b, j ^ k);
}

bit_expr hlo_bit_less(bit_exprs *w, bit_expr sum, bit_expr part)
{
    uint64_t j, k;
    const bit_expr s = bit_apart(w, sum, BIT_ADD_CONST, &j), p = bit_apart(w, part, BIT_ADD_CONST, &k);
    if (!p || s == p) return with(w, BIT_ADD_CONST, p ? 0 : s, j - k);
    if (!s || bit_at(w, s)->kind != BIT_ADD || (bit_at(w, s)->a != p && bit_at(w, s)->b != p)) return 0;
    return with(w, BIT_ADD_CONST, bit_at(w, s)->a == p ? bit_at(w, s)->b : bit_at(w, s)->a, j - k);
}

bit_expr hlo_bit_rotate(bit_exprs *w, bit_expr x, unsigned by)
{
    if (!x) return 0;
    if (bit_at(w, x)->kind == BIT_CONST) return hlo_bit_const(w,
        low(bit_at(w, x)->k << by) | low(bit_at(w, x)->k) >> (32 - by));
    return node(w, (bit_node){ .kind = BIT_ROTATE, .a = x, .k = by });
}

static bit_expr bit_shifted(bit_exprs *w, bit_kind kind, bit_expr x, bit_expr by)
{
    if (!x || !by || bit_at(w, by)->kind != BIT_CONST || !bit_at(w, by)->k || bit_at(w, by)->k > 31) return 0;
    const unsigned k = (unsigned)bit_at(w, by)->k;
    const uint32_t v = low(bit_at(w, x)->k);
    if (bit_at(w, x)->kind == BIT_CONST) return hlo_bit_const(w, kind == BIT_SHIFT_UP ? v << k : v >> k);
    return node(w, (bit_node){ .kind = kind, .a = x, .k = k });
}

static bit_expr bit_or(bit_exprs *w, bit_expr x, bit_expr y) /* x | y: a rotation, or two constants; else 0 */
{
    const bit_node *const a = x ? bit_at(w, x) : NULL, *const b = y ? bit_at(w, y) : NULL;
    if (!a || !b) return 0;
    if (a->kind == BIT_CONST && b->kind == BIT_CONST) return hlo_bit_const(w, a->k | b->k);
    if (a->a != b->a || a->k + b->k != 32) return 0;
    if (a->kind == BIT_SHIFT_UP && b->kind == BIT_SHIFT_DOWN) return hlo_bit_rotate(w, a->a, (unsigned)a->k);
    if (a->kind == BIT_SHIFT_DOWN && b->kind == BIT_SHIFT_UP) return hlo_bit_rotate(w, b->a, (unsigned)b->k);
    return 0;
}

/* x after a move of dim d to dim to[d]: renames the dims of its leaves. left: limit of the number of nodes. */
static bit_expr bit_moved(bit_exprs *w, bit_expr x, const int8_t *to, int *left)
{
    bit_node n = x ? *bit_at(w, x) : (bit_node){ 0 };
    if ((*left)-- <= 0) return 0;
    switch (n.kind) {
    case BIT_CONST: return x;
    case BIT_LEAF:
        for (int d = 0; d < w->fn->type[n.id]->rank; d++) if (n.map[d] >= 0) n.map[d] = to[n.map[d]];
        return node(w, n);
    case BIT_ADD:
    case BIT_XOR: {
        const bit_expr a = bit_moved(w, n.a, to, left), b = bit_moved(w, n.b, to, left);
        return n.kind == BIT_ADD ? hlo_bit_add(w, a, b) : hlo_bit_xor(w, a, b);
    }
    case BIT_ADD_CONST: return hlo_bit_add(w, bit_moved(w, n.a, to, left), hlo_bit_const(w, n.k));
    case BIT_XOR_CONST: return hlo_bit_xor(w, bit_moved(w, n.a, to, left), hlo_bit_const(w, n.k));
    case BIT_SHIFT_UP:
    case BIT_SHIFT_DOWN: return bit_shifted(w, n.kind, bit_moved(w, n.a, to, left), hlo_bit_const(w, n.k));
    case BIT_ROTATE: return hlo_bit_rotate(w, bit_moved(w, n.a, to, left), (unsigned)n.k);
    default: return 0;
    }
}

/* ---- equations ---- */

static bit_expr bit_leaf(bit_exprs *w, ir_id id)
{
    bit_node n = { .kind = BIT_LEAF, .id = id };
    const ir_type *const t = w->fn->type[id];
    for (int d = 0; d < t->rank; d++) n.map[d] = (int8_t)(t->dim[d] == 1 ? -1 : d);
    return node(w, n);
}

static bit_expr bit_constant(bit_exprs *w, const ir_eqn *e)
{
    const op_const_attr *const a = IR_ATTR(e, op_const_attr);
    const ir_class c = ir_dtype_of(a->dtype)->cls;
    int64_t zero[1] = { 0 };
    if (c != IR_INT_CLASS && c != IR_UINT_CLASS) return 0;
    if (!a->splat && a->shape.n)
        return a->dtype == TT_U32 && a->shape.n == 1 ? node(w, (bit_node){ .kind = BIT_TABLE, .table = a }) : 0;
    const ir_box box = ir_box_of((void *)(uintptr_t)a->data.p, a->dtype, 0, NULL, NULL);
    return hlo_bit_const(w, ir_load(&box, zero).u);
}

/* A part of a table; a part that is a scalar: that element. */
static bit_expr bit_part(bit_exprs *w, const ir_eqn *e, bit_expr x)
{
    if (bit_at(w, x)->kind != BIT_TABLE) return 0;
    bit_node n = *bit_at(w, x);
    if (e->op == &prim_slice) {
        const op_slice_attr *const a = IR_ATTR(e, op_slice_attr);
        if (a->strides.v[0] != 1) return 0;
        n.k += (uint64_t)a->start_indices.v[0];
        return node(w, n);
    }
    return IR_OUT(e, 0)->rank ? 0 : hlo_bit_const(w, ((const uint32_t *)n.table->data.p)[n.k]);
}

/* True if only dims of size 1 come or go: where[d] is the new position of dim d. */
static bool only_ones(const ir_type *from, const ir_type *to, int8_t *where)
{
    int d = 0, k = 0;
    for (;; d++, k++) {
        while (d < from->rank && from->dim[d] == 1) where[d++] = -1;
        while (k < to->rank && to->dim[k] == 1) k++;
        if (d == from->rank || k == to->rank) return d == from->rank && k == to->rank;
        if (from->dim[d] != to->dim[k]) return false;
        where[d] = (int8_t)k;
    }
}

static bit_expr bit_broadcast(bit_exprs *w, const ir_eqn *e, bit_expr x)
{
    int8_t to[IR_RANK] = { 0 };
    int left = SMALL_TREE;
    if (e->op == &prim_reshape && !only_ones(IR_IN(e, 0), IR_OUT(e, 0), to)) return 0;
    if (e->op == &prim_broadcast_in_dim)
        for (int d = 0; d < IR_IN(e, 0)->rank; d++)
            to[d] = (int8_t)IR_ATTR(e, op_broadcast_attr)->broadcast_dimensions.v[d];
    return bit_moved(w, x, to, &left);
}

/* Integers that count a loop's iterations: constants, else unknown. */
static bit_expr counted(bit_exprs *w, const ir_eqn *e, bit_expr x, bit_expr y)
{
    if (!x || !y || bit_at(w, x)->kind != BIT_CONST || bit_at(w, y)->kind != BIT_CONST) return 0;
    const int64_t a = (int64_t)bit_at(w, x)->k, b = (int64_t)bit_at(w, y)->k;
    const uint64_t sum = (uint64_t)a + (uint64_t)b;
    if (e->op == &prim_add) return hlo_bit_const(w, IR_OUT(e, 0)->dtype == TT_I32 ? (uint64_t)(int32_t)sum : sum);
    if (e->op != &prim_compare) return 0;
    const int64_t d = IR_ATTR(e, op_compare_attr)->comparison_direction;
    if (d == OP_CMP_LT) return hlo_bit_const(w, a < b);
    return d == OP_CMP_NE ? hlo_bit_const(w, a != b) : 0;
}

static bool counts(const ir_type *t) { return !t->rank && (t->dtype == TT_I32 || t->dtype == TT_I64); }

static bit_expr bit_word_of(bit_exprs *w, const ir_eqn *e, const bit_expr *x)
{
    if (e->op == &prim_const) return bit_constant(w, e);
    if (e->nin == 0 || !x[0]) return 0;
    if (e->op == &prim_slice) return bit_part(w, e, x[0]);
    if (e->op == &prim_reshape && bit_at(w, x[0])->kind == BIT_TABLE) return bit_part(w, e, x[0]);
    if (e->op == &prim_reshape || e->op == &prim_broadcast_in_dim) return bit_broadcast(w, e, x[0]);
    if (e->op == &prim_convert && counts(IR_IN(e, 0)) && IR_OUT(e, 0)->dtype == TT_U32)
        return bit_at(w, x[0])->kind == BIT_CONST ? hlo_bit_const(w, low(bit_at(w, x[0])->k)) : 0;
    if (e->nin != 2 || !x[1]) return 0;
    if (counts(IR_IN(e, 0))) return counted(w, e, x[0], x[1]);
    if (IR_OUT(e, 0)->dtype != TT_U32 || bit_at(w, x[0])->kind == BIT_TABLE || bit_at(w, x[1])->kind == BIT_TABLE)
        return 0;
    if (e->op == &prim_add) return hlo_bit_add(w, x[0], x[1]);
    if (e->op == &prim_xor) return hlo_bit_xor(w, x[0], x[1]);
    if (e->op == &prim_or) return bit_or(w, x[0], x[1]);
    if (e->op == &prim_shl) return bit_shifted(w, BIT_SHIFT_UP, x[0], x[1]);
    if (e->op == &prim_shr) return bit_shifted(w, BIT_SHIFT_DOWN, x[0], x[1]);
    if (e->op == &prim_sub && bit_at(w, x[0])->kind == BIT_CONST && bit_at(w, x[1])->kind == BIT_CONST)
        return hlo_bit_const(w, low(bit_at(w, x[0])->k - bit_at(w, x[1])->k));
    return 0;
}

/* ---- loops and calls ---- */

/* Results of a function for given arguments, inside which nothing becomes a leaf. False: over the limit of work. */
static bool through(bit_exprs *w, const ir_fn *f, const bit_expr *arg, bit_expr *ret, int depth)
{
    bit_expr *const of = BASE_NEW(w->arena, bit_expr, f->nvalue + 1);
    if ((w->work -= f->neqn) < 0 || depth == DEEP) return false;
    memcpy(of + 1, arg, f->narg * sizeof *of);
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *const e = &f->eqn[k];
        bit_expr x[IR_RANK];
        bit_expr *const in = e->op == &prim_call ? BASE_NEW(w->arena, bit_expr, e->nin + 1) : x;
        if (e->op != &prim_call && (e->nout != 1 || e->nin > 2 || e->nsub)) continue;
        for (uint32_t i = 0; i < e->nin; i++) in[i] = of[e->in[i]];
        if (e->op != &prim_call) of[e->out] = bit_word_of(w, e, in);
        else if (!through(w, e->sub[0], in, of + e->out, depth + 1)) return false;
    }
    for (uint32_t j = 0; j < f->nret; j++) ret[j] = of[f->ret[j]];
    return true;
}

/* True if e is a loop that carries integers only, u32 among them. */
static bool of_words(const ir_eqn *e)
{
    bool any = false;
    for (uint32_t i = 0; i < e->nin; i++) {
        any |= IR_IN(e, i)->dtype == TT_U32;
        if (IR_IN(e, i)->dtype != TT_U32 && !counts(IR_IN(e, i))) return false;
    }
    return any;
}

/* removes nodes from n on; safe since they were inserted last */
static void forget(bit_exprs *w, uint32_t n)
{
    while (w->n > n) *bit_find(w, bit_at(w, w->n - 1)) = 0, w->n--;
}

/* True if x is a sum with a rotated and xored part, as rounds of the cipher give. Results of other loops are not
 * needed. */
static bool mixed(const bit_exprs *w, bit_expr x)
{
    const bit_node *n = x ? bit_at(w, x) : NULL;
    if (n && n->kind == BIT_ADD_CONST) n = bit_at(w, n->a);
    const bit_expr part[] = { n && n->kind == BIT_ADD ? n->a : 0, n && n->kind == BIT_ADD ? n->b : 0 };
    for (int i = 0; i < 2; i++) {
        const bit_node *const p = bit_at(w, part[i]);
        if (p->kind == BIT_XOR && (bit_at(w, p->a)->kind == BIT_ROTATE || bit_at(w, p->b)->kind == BIT_ROTATE))
            return true;
    }
    return false;
}

/* Sets a loop's results to the nodes `now`, if one of them is `mixed`. */
static bool bit_ends(bit_exprs *w, const ir_eqn *e, const bit_expr *now)
{
    bool any = false;
    for (uint32_t i = 0; i < e->nin; i++) any |= IR_IN(e, i)->dtype == TT_U32 && mixed(w, now[i]);
    for (uint32_t i = 0; any && i < e->nin; i++) if (IR_IN(e, i)->dtype == TT_U32) w->of[e->out + i] = now[i];
    return any;
}

static bool follow(bit_exprs *w, const ir_eqn *e)
{
    bit_expr test, *now = BASE_NEW(w->arena, bit_expr, e->nin + 1), *next = BASE_NEW(w->arena, bit_expr, e->nin + 1);
    for (uint32_t i = 0; i < e->nin; i++) now[i] = w->of[e->in[i]];
    for (int iteration = 0; iteration <= ITERATIONS; iteration++) {
        if (!through(w, e->sub[0], now, &test, 0) || !test || bit_at(w, test)->kind != BIT_CONST) return false;
        if (!bit_at(w, test)->k) return bit_ends(w, e, now);
        if (!through(w, e->sub[1], now, next, 0)) return false;
        bit_expr *const swap = now;
        now = next, next = swap;
    }
    return false;
}

void hlo_bit_exprs(bit_exprs *w, base_arena *a, const ir_fn *f)
{
    *w = (bit_exprs){ .arena = a, .fn = f, .n = 1, .cap = 64, .nslot = 256,
        .work = WORK + WORK_EACH * (int64_t)f->neqn };
    w->node = BASE_NEW(a, bit_node, w->cap);
    w->slot = BASE_NEW(a, uint32_t, w->nslot);
    w->of = BASE_NEW(a, bit_expr, f->nvalue + 1);
    for (uint32_t k = 0; k <= f->neqn; k++) {
        const ir_eqn *const e = k ? &f->eqn[k - 1] : NULL;
        const uint32_t first = e ? e->out : 1, n = e ? e->nout : f->narg;
        bit_expr x[2] = { 0, 0 };
        for (uint32_t i = 0; e && e->nin <= 2 && i < e->nin; i++) {
            x[i] = w->of[e->in[i]];
            const bool whole = x[i] && bit_at(w, x[i])->kind == BIT_TABLE && e->op != &prim_slice &&
                e->op != &prim_reshape;
            if (whole) x[i] = bit_leaf(w, e->in[i]);
        }
        const uint32_t before = w->n;
        const bool loop = e && e->op == &prim_while && of_words(e);
        if (loop && !follow(w, e)) forget(w, before);
        else if (!loop && e && e->nout == 1 && e->nin <= 2 && !e->nsub) w->of[first] = bit_word_of(w, e, x);
        for (uint32_t id = first; id < first + n; id++) {
            if (!w->of[id] && f->type[id]->dtype == TT_U32) w->of[id] = bit_leaf(w, id);
            if (w->of[id] && !bit_at(w, w->of[id])->id) bit_at(w, w->of[id])->id = id;
        }
    }
}
