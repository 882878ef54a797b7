/* hlo/raise/random_bits.c - the cipher over the positions of an array becomes random_bits: each device then draws its
 * own part in the engine's kernel, with no counters in memory.
 *
 * For one key, or for a batch of keys in leading dims [batch.., shape..]:
 *   partitionable: words (a, b) at the counter that is the row-major index, u64 in two halves: a ^ b (32 bits, or 8 and
 *   16 by a conversion), or a, b as one word of 64;
 *   original: counters 0 .. m-1 paired with m .. 2m-1, the last one zero where the number of words is odd; all first
 *   words, then all second ones: words of 32 bits, or pairs of them as halves of words of 64.
 * A reshape of the bits is the same draw. Original draws of 8 and 16 bits are words of 32, which the text takes
 * apart. */
#include "../inner.h"
#include "bit_expr.h"
#include "../../op/ops.h"

#include <string.h>

enum { DEEP = 24 };

/* key: a node for each of its two words; nbatch: number of leading dims of the result type t that index keys. */
typedef struct { bit_expr key[2]; int nbatch; int64_t width, layout; const ir_type *t; } draw;

static const bit_node *random_bits_node_of(const bit_exprs *w, ir_id id)
{
    return &w->node[w->of[id]];
}

/* ---- keys and counters ---- */

/* Number of leading dims of t over which a node varies (all of those that are not of size 1); -1: not a key. */
static int batch_of(const bit_exprs *w, const bit_node *n, const ir_type *t)
{
    int last = 0;
    bool has[IR_RANK] = { false };
    if (n->kind == BIT_CONST) return 0;
    if (n->kind != BIT_LEAF) return -1;
    for (int d = 0, before = -1; d < w->fn->type[n->id]->rank; d++) {
        if (n->map[d] < 0) continue;
        if (n->map[d] <= before) return -1;              /* dims of keys and draws are in different order */
        before = n->map[d], has[before] = true, last = before + 1;
    }
    for (int d = 0; d < last; d++) if (!has[d] && t->dim[d] != 1) return -1;
    return last;
}

static bool keys(const bit_exprs *w, const ir_eqn *e, draw *d)
{
    const bit_node *const a = random_bits_node_of(w, e->in[0]), *const b = random_bits_node_of(w, e->in[1]);
    d->key[0] = w->of[e->in[0]], d->key[1] = w->of[e->in[1]], d->t = IR_OUT(e, 0);
    d->nbatch = batch_of(w, a, d->t);
    if (d->nbatch < 0 || batch_of(w, b, d->t) != d->nbatch) return false;
    return a->kind != BIT_LEAF || b->kind != BIT_LEAF || !memcmp(a->map, b->map, sizeof a->map);
}

static bool random_bits_integer(const ir_fn *f, ir_id id, uint64_t *k) /* True if all elements are one integer */
{
    const ir_eqn *e = ir_definition(f, id);
    int64_t zero[1] = { 0 };
    for (int i = 0; i < DEEP && e && (e->op == &prim_broadcast_in_dim || e->op == &prim_reshape); i++)
        e = ir_definition(f, e->in[0]);
    if (!e || e->op != &prim_const || (!IR_ATTR(e, op_const_attr)->splat && IR_OUT(e, 0)->rank)) return false;
    const op_const_attr *const a = IR_ATTR(e, op_const_attr);
    const ir_class c = ir_dtype_of(a->dtype)->cls;
    const ir_box box = ir_box_of((void *)(uintptr_t)a->data.p, a->dtype, 0, NULL, NULL);
    *k = c == IR_INT_CLASS || c == IR_UINT_CLASS ? ir_load(&box, zero).u : 0;
    return c == IR_INT_CLASS || c == IR_UINT_CLASS;
}

/* True if a u64 is linear in the indices and 0 at index 0; by[d]: its growth along dim d. */
static bool linear(const ir_fn *f, ir_id id, uint64_t *by, int depth)
{
    const ir_eqn *const e = ir_definition(f, id);
    const int rank = f->type[id]->rank;
    uint64_t other[IR_RANK] = { 0 }, k;
    if (!e || depth == DEEP || f->type[id]->dtype != TT_U64) return false;
    memset(by, 0, IR_RANK * sizeof *by);
    if (e->op == &prim_iota) return by[IR_ATTR(e, op_iota_attr)->iota_dimension] = 1, true;
    if (e->op == &prim_add) {
        if (!linear(f, e->in[0], by, depth + 1) || !linear(f, e->in[1], other, depth + 1)) return false;
        for (int d = 0; d < rank; d++) by[d] += other[d];
        return true;
    }
    if (e->op != &prim_mul) return false;
    const int side = random_bits_integer(f, e->in[0], &k) ? 1 : 0;
    if ((!side && !random_bits_integer(f, e->in[1], &k)) || !linear(f, e->in[side], by, depth + 1)) return false;
    for (int d = 0; d < rank; d++) by[d] *= k;
    return true;
}

static int64_t random_bits_count(const draw *d)          /* number of elements per key */
{
    int64_t n = 1;
    for (int k = d->nbatch; k < d->t->rank; k++) n *= d->t->dim[k];
    return n;
}

/* The u64 of which a counter's u32 is the low half, or (high) the result of a shift by 32; 0: none. */
static ir_id half_of(const ir_fn *f, ir_id id, bool high)
{
    const ir_eqn *e = ir_definition(f, id);
    uint64_t k;
    if (!e || e->op != &prim_convert || IR_IN(e, 0)->dtype != TT_U64) return 0;
    const ir_id x = e->in[0];
    if (!high) return x;
    e = ir_definition(f, x);
    return e && e->op == &prim_shr && random_bits_integer(f, e->in[1], &k) && k == 32 ? e->in[0] : 0;
}

/* True if a node is a half of the row-major index in the dims after the keys'. */
static bool index_half(const bit_exprs *w, const draw *d, const bit_node *n, bool high)
{
    uint64_t by[IR_RANK], stride = 1;
    if (n->kind == BIT_CONST) return !n->k && random_bits_count(d) <= (high ? (int64_t)1 << 32 : 1);
    const ir_id x = n->kind == BIT_LEAF ? half_of(w->fn, n->id, high) : 0;
    if (!x || !linear(w->fn, x, by, 0)) return false;
    for (int k = d->t->rank; k-- > d->nbatch; stride *= (uint64_t)d->t->dim[k]) {
        uint64_t along = 0;
        for (int i = 0; i < w->fn->type[x]->rank; i++) if (n->map[i] == k) along += by[i];
        if (d->t->dim[k] > 1 && along != stride) return false;
    }
    for (int i = 0; i < w->fn->type[x]->rank; i++) if (n->map[i] >= 0 && n->map[i] < d->nbatch && by[i]) return false;
    return true;
}

/* True if id is a list of counters: from, from + 1, ... for n positions, then zeros. */
static bool ramp(const ir_fn *f, ir_id id, int64_t *from, int64_t *n, int depth)
{
    const ir_eqn *const e = ir_definition(f, id);
    uint64_t k;
    if (!e || depth == DEEP || f->type[id]->rank != 1 || f->type[id]->dtype != TT_U32) return false;
    if (e->op == &prim_iota) return *from = 0, *n = IR_OUT(e, 0)->dim[0], true;
    if (random_bits_integer(f, id, &k)) return *from = *n = 0, !k;
    if (e->op == &prim_concatenate && e->nin == 2) {
        int64_t none, zeros;
        return ramp(f, e->in[0], from, n, depth + 1) && *n == IR_IN(e, 0)->dim[0] &&
               ramp(f, e->in[1], &none, &zeros, depth + 1) && !zeros;
    }
    if (e->op != &prim_slice || IR_ATTR(e, op_slice_attr)->strides.v[0] != 1 || !ramp(f, e->in[0], from, n, depth + 1))
        return false;
    const int64_t a = IR_ATTR(e, op_slice_attr)->start_indices.v[0], b = IR_ATTR(e, op_slice_attr)->limit_indices.v[0];
    *from += a, *n = (*n < b ? *n : b) - a;
    if (*n < 0) *n = 0;
    return true;
}

/* True if the counters of e are those of `count` words. */
static bool counters(const bit_exprs *w, const draw *d, const ir_eqn *e, int64_t count)
{
    const int64_t half = (count + 1) / 2;
    for (int i = 0; i < 2; i++) {
        const bit_node *const c = random_bits_node_of(w, e->in[2 + i]);
        int64_t from, n;
        if (c->kind != BIT_LEAF || !ramp(w->fn, c->id, &from, &n, 0)) return false;
        if (w->fn->type[c->id]->dim[0] != half) return false;
        if (half != 1 && c->map[0] != d->nbatch) return false;
        const int64_t want = i ? count - half : half;
        if (n != want || (want && from != i * half)) return false;
    }
    return true;
}

/* ---- draws ---- */

/* True if a and b are the first and second result of one cipher */
static bool both_words(const ir_fn *f, ir_id a, ir_id b, const ir_eqn **e)
{
    *e = ir_definition(f, a);
    return *e && (*e)->op == &prim_threefry2x32 && a == (*e)->out && b == a + 1;
}

/* True if e is a slice [from, to) of the last dim and all of the other dims. */
static bool random_bits_part(const ir_eqn *e, int64_t from, int64_t to)
{
    const op_slice_attr *const a = e && e->op == &prim_slice ? IR_ATTR(e, op_slice_attr) : NULL;
    const int last = a ? a->strides.n - 1 : -1;
    if (last < 0) return false;
    for (int d = 0; d <= last; d++) {
        const int64_t lo = d < last ? 0 : from, hi = d < last ? IR_IN(e, 0)->dim[d] : to;
        if (a->strides.v[d] != 1 || a->start_indices.v[d] != lo || a->limit_indices.v[d] != hi) return false;
    }
    return true;
}

/* True if id is all words of the original layout: both results concatenated, without a superfluous last word. */
static bool original(const bit_exprs *w, ir_id id, draw *d)
{
    const ir_eqn *e = ir_definition(w->fn, id), *c;
    const int last = w->fn->type[id]->rank - 1;
    const int64_t count = last < 0 ? 0 : w->fn->type[id]->dim[last];
    if (e && e->op == &prim_slice && random_bits_part(e, 0, count) && IR_IN(e, 0)->dim[last] == count + 1 && count % 2)
        e = ir_definition(w->fn, e->in[0]);
    if (!e || e->op != &prim_concatenate || e->nin != 2) return false;
    if (IR_ATTR(e, op_concatenate_attr)->dimension != last) return false;
    if (!both_words(w->fn, e->in[0], e->in[1], &c) || !keys(w, c, d) || d->nbatch != last || !counters(w, d, c, count))
        return false;
    d->t = w->fn->type[id], d->width = 32, d->layout = OP_BITS_ORIGINAL;
    return true;
}

static bool partitionable(const bit_exprs *w, const ir_eqn *c, int64_t width, draw *d)
{
    if (!keys(w, c, d) || !index_half(w, d, random_bits_node_of(w, c->in[2]), true) ||
        !index_half(w, d, random_bits_node_of(w, c->in[3]), false))
        return false;
    d->width = width, d->layout = OP_BITS_PARTITIONABLE;
    return true;
}

/* The u32 that is the low half of a u64, or (high) is shifted to its high half; 0: none. */
static ir_id random_bits_widened(const ir_fn *f, ir_id id, bool high)
{
    const ir_eqn *e = ir_definition(f, id);
    uint64_t k;
    if (high && (!e || e->op != &prim_shl || !random_bits_integer(f, e->in[1], &k) || k != 32)) return 0;
    if (high) e = ir_definition(f, e->in[0]);
    return e && e->op == &prim_convert && IR_IN(e, 0)->dtype == TT_U32 && IR_OUT(e, 0)->dtype == TT_U64 ? e->in[0] : 0;
}

static bool random_bits_wide(const bit_exprs *w, const ir_eqn *e, draw *d) /* True if e makes words of 64 bits */
{
    const ir_fn *const f = w->fn;
    const ir_eqn *c;
    for (int side = 0; side < 2; side++) {
        const ir_id high = random_bits_widened(f, e->in[side], true),
            low = random_bits_widened(f, e->in[1 - side], false);
        if (!high || !low) continue;
        if (both_words(f, high, low, &c)) return partitionable(w, c, 64, d) && (d->t = IR_OUT(e, 0), true);
        const ir_eqn *const a = ir_definition(f, high), *const b = ir_definition(f, low);
        const int last = IR_OUT(e, 0)->rank - 1;
        const int64_t n = last < 0 ? 0 : IR_OUT(e, 0)->dim[last];
        if (n && random_bits_part(a, 0, n) && random_bits_part(b, n, 2 * n) && a->in[0] == b->in[0] &&
            original(w, a->in[0], d) &&
            d->t->dim[last] == 2 * n)
            return d->t = IR_OUT(e, 0), d->width = 64, true;
    }
    return false;
}

static bool draw_of(const bit_exprs *w, ir_id id, draw *d, int depth)
{
    const ir_eqn *const e = ir_definition(w->fn, id), *c;
    if (!e || depth == DEEP) return false;
    const tt_dtype to = IR_OUT(e, 0)->dtype;
    if (e->op == &prim_xor && to == TT_U32)
        return (both_words(w->fn, e->in[0], e->in[1], &c) || both_words(w->fn, e->in[1], e->in[0], &c)) &&
               partitionable(w, c, 32, d);
    if (e->op == &prim_or && to == TT_U64) return random_bits_wide(w, e, d);
    if (e->op == &prim_slice || e->op == &prim_concatenate) return to == TT_U32 && original(w, id, d);
    if (e->op == &prim_convert && IR_IN(e, 0)->dtype == TT_U32 && (to == TT_U8 || to == TT_U16)) {
        if (!draw_of(w, e->in[0], d, depth + 1) || d->layout != OP_BITS_PARTITIONABLE) return false;
        return d->t = IR_OUT(e, 0), d->width = to == TT_U8 ? 8 : 16, true;
    }
    if (e->op != &prim_reshape || !draw_of(w, e->in[0], d, depth + 1)) return false;
    const ir_type *const t = IR_OUT(e, 0);
    if (t->rank < d->nbatch) return false;
    for (int k = 0; k < d->nbatch; k++) if (t->dim[k] != d->t->dim[k]) return false;
    return d->t = t, true;
}

/* ---- the primitive ---- */

/* The key u32[batch.., 2]: the value from which both words are sliced, or both words concatenated. */
static ir_id random_bits_key_of(const hlo_pass *p, const bit_exprs *w, ir_build *b, const draw *d)
{
    int64_t dim[IR_RANK + 1];
    ir_id from[2], in[2];
    for (int k = 0; k < d->nbatch; k++) dim[k] = d->t->dim[k];
    for (int i = 0; i < 2; i++) {
        const bit_node *const n = &w->node[d->key[i]];
        const ir_eqn *e = n->kind == BIT_LEAF ? ir_definition(w->fn, n->id) : NULL;
        if (e && e->op == &prim_reshape) e = ir_definition(w->fn, e->in[0]);
        const bool cut = random_bits_part(e, i, i + 1) && IR_IN(e, 0)->rank == d->nbatch + 1 &&
            IR_IN(e, 0)->dim[d->nbatch] == 2;
        from[i] = cut ? e->in[0] : 0;
        for (int k = 0; from[i] && k < d->nbatch; k++) if (IR_IN(e, 0)->dim[k] != dim[k]) from[i] = 0;
    }
    if (from[0] && from[0] == from[1]) return p->map[from[0]];
    dim[d->nbatch] = 1;
    for (int i = 0; i < 2; i++) {
        const bit_node *const n = &w->node[d->key[i]];
        in[i] = n->kind == BIT_CONST ? op_int(b, TT_U32, (int64_t)n->k) : p->map[n->id];
        if (!in[i] || !(in[i] = op_reshape(b, in[i], d->nbatch + 1, dim))) return 0;
    }
    return op_concatenate(b, 2, in, d->nbatch);
}

static bool random_bits_raised(hlo_pass *p, ir_build *b, const ir_eqn *e, const ir_id *in, ir_fn *const *sub,
    ir_id *out,
                               bool *failed)
{
    const bit_exprs *const w = p->env;
    draw d;
    (void)in, (void)sub;
    if (!w->of || e->nout != 1 || e->nsub || !draw_of(w, e->out, &d, 0)) return false;
    const ir_id key = random_bits_key_of(p, w, b, &d);
    const op_random_bits_attr a = { { d.t->rank - d.nbatch, d.t->dim + d.nbatch }, d.width, d.layout };
    if (key) out[0] = ir_emit(b, &prim_random_bits, &a, 1, &key, 0, NULL);
    *failed = !out[0];
    p->found++;
    return true;
}

static bool random_bits_applies(hlo_pass *p, const ir_fn *f)
{
    bit_exprs *const w = p->env;
    bool any = false;
    w->of = NULL;
    for (uint32_t k = 0; k < f->neqn && !any; k++) any = f->eqn[k].op == &prim_threefry2x32;
    if (any) hlo_bit_exprs(w, p->arena, f);
    return any;
}

ir_fn *hlo_random_bits(base_arena *a, const ir_fn *f, int *found)
{
    bit_exprs w = { .of = NULL };
    hlo_pass p = { .arena = a, .applies = random_bits_applies, .equation = random_bits_raised, .env = &w };
    ir_fn *const g = hlo_rewritten(&p, f);
    if (found) *found = p.found;
    return g;
}
