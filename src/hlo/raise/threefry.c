/* hlo/raise/threefry.c - the cipher Threefry-2x32 of JAX's random numbers, spelled out in the text, becomes one
 * primitive.
 *
 * For CPUs JAX prints a loop of five iterations that swaps two lists of rotations and three keys; for other devices
 * twenty unrolled rounds; in a function of its own, under any name, or inlined; for one key or for many. bit_expr.c
 * turns all of these into expressions. Backwards from a word that could be the second result,
 *     x1 = key[(g + 1) % 3] + g + (rotated x1 ^ x0)       after every fourth round, g = 5 .. 1,
 * key and counter are read off; the cipher of key and counter, built forwards, must give the same node. So only a
 * complete Threefry is raised. A text that never computes the second word is unchanged. */
#include "../inner.h"
#include "bit_expr.h"
#include "../../op/ops.h"

enum { GROUPS = 5, ROUNDS = 4, SPELT = 8 };

static const unsigned rotations[2][ROUNDS] = { { 13, 15, 26, 6 }, { 17, 29, 16, 24 } };
/* group: counts from 1 */
static unsigned rotation_of(int group, int round) { return rotations[(group + 1) & 1][round]; }

typedef struct made { const ir_type *type; ir_id id; struct made *next; } made;
typedef struct { bit_expr key[2], counter[2], y[2]; made *made; } cipher;
typedef struct {
    bit_exprs w;
    HLO_LIST(cipher) found;
    uint32_t *of;                                        /* [node]: 1 + 2 * cipher + number of the result; 0: none */
    uint32_t nodes;
} state;

/* ---- backwards ---- */

/* For v = x ^ (rotated y): y, and *x; 0: v has another form. */
static bit_expr threefry_before(const bit_exprs *w, bit_expr v, unsigned by, bit_expr *x)
{
    const bit_node *const n = &w->node[v];
    for (int side = 0; n->kind == BIT_XOR && side < 2; side++) {
        const bit_expr t = side ? n->b : n->a;
        if (w->node[t].kind != BIT_ROTATE || w->node[t].k != by) continue;
        *x = side ? n->a : n->b;
        return w->node[t].a;
    }
    return 0;
}

static bit_expr mixed(const bit_exprs *w, bit_expr v, unsigned by) /* the part of a sum that a round gave; 0: none */
{
    bit_expr x;
    const bit_node *n = &w->node[v];
    if (n->kind == BIT_ADD_CONST) v = n->a, n = &w->node[v];
    if (n->kind != BIT_ADD) return threefry_before(w, v, by, &x) ? v : 0;
    return threefry_before(w, n->a, by, &x) ? n->a : threefry_before(w, n->b, by, &x) ? n->b : 0;
}

static void forwards(bit_exprs *w, cipher *c)
{
    const bit_expr mark = hlo_bit_const(w, 0x1bd11bda);
    const bit_expr key[3] = { c->key[0], c->key[1], hlo_bit_xor(w, hlo_bit_xor(w, c->key[0], c->key[1]), mark) };
    bit_expr x = hlo_bit_add(w, c->counter[0], key[0]), y = hlo_bit_add(w, c->counter[1], key[1]);
    for (int g = 1; g <= GROUPS; g++) {
        for (int r = 0; r < ROUNDS; r++) {
            x = hlo_bit_add(w, x, y);
            y = hlo_bit_xor(w, hlo_bit_rotate(w, y, rotation_of(g, r)), x);
        }
        x = hlo_bit_add(w, x, key[g % 3]);
        y = hlo_bit_add(w, hlo_bit_add(w, y, key[(g + 1) % 3]), hlo_bit_const(w, (uint64_t)g));
    }
    c->y[0] = x, c->y[1] = y;
}

static bool second_word(bit_exprs *w, bit_expr y, cipher *c)
{
    bit_expr key[3] = { 0 }, x = 0, v = y;
    for (int g = GROUPS; g > 0; g--) {
        const bit_expr r = mixed(w, v, rotation_of(g, ROUNDS - 1));
        const bit_expr k = r ? hlo_bit_less(w, v, r) : 0;
        if (!k || !(key[(g + 1) % 3] = hlo_bit_less(w, k, hlo_bit_const(w, (uint64_t)g)))) return false;
        v = r;
        for (int i = ROUNDS; i-- > 0;) if (!(v = threefry_before(w, v, rotation_of(g, i), &x))) return false;
    }
    x = hlo_bit_less(w, x, v);                           /* both words before the first round */
    *c = (cipher){ .key = { key[0], key[1] } };
    if (!x || !(c->counter[0] = hlo_bit_less(w, x, key[0])) || !(c->counter[1] = hlo_bit_less(w, v, key[1])))
        return false;
    forwards(w, c);
    return c->y[1] == y;
}

static bool may_hold(const ir_fn *f)                     /* True if f has shifts of words, or loops over words */
{
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *const e = &f->eqn[k];
        if (e->op == &prim_shl && IR_OUT(e, 0)->dtype == TT_U32) return true;
        for (uint32_t j = 0; e->op == &prim_while && j < e->nout; j++) if (IR_OUT(e, j)->dtype == TT_U32) return true;
    }
    return false;
}

static bool threefry_applies(hlo_pass *p, const ir_fn *f)
{
    state *const s = p->env;
    *s = (state){ .of = NULL };
    if (!may_hold(f)) return false;
    hlo_bit_exprs(&s->w, p->arena, f);
    bool *const tried = BASE_NEW(p->arena, bool, s->w.n);
    const uint32_t n = s->w.n;                           /* matching appends nodes */
    for (ir_id id = f->narg + 1; id <= f->nvalue; id++) {
        const bit_expr y = s->w.of[id];
        cipher c;
        if (!y || y >= n || tried[y] || f->type[id]->dtype != TT_U32) continue;
        tried[y] = true;
        if (second_word(&s->w, y, &c)) *HLO_MORE(p->arena, &s->found) = c;
    }
    s->nodes = s->w.n;
    s->of = BASE_NEW(p->arena, uint32_t, s->nodes);
    for (int i = 0; i < s->found.n; i++)
        for (uint32_t j = 0; j < 2; j++) s->of[s->found.v[i].y[j]] = 1 + 2 * (uint32_t)i + j;
    return s->found.n > 0;
}

/* ---- the primitive ---- */

static ir_id threefry_leaf(const hlo_pass *p, ir_build *b, const bit_node *n, const ir_type *t)
{
    const ir_id x = p->map[n->id];
    const ir_type *const from = x ? ir_typeof(b, x) : NULL;
    int64_t dim[IR_RANK], to[IR_RANK];
    int rank = 0;
    if (!x) return 0;
    for (int d = 0; d < from->rank; d++) {
        if (n->map[d] < 0) continue;
        if (n->map[d] >= t->rank || t->dim[n->map[d]] != from->dim[d]) return 0;
        to[rank] = n->map[d], dim[rank++] = from->dim[d];
    }
    return from == t && rank == t->rank ? x : op_broadcast(b, op_reshape(b, x, rank, dim), t, rank, to);
}

/* A node as a value of type t; 0: it needs values that are not defined yet. */
static ir_id spelt(const hlo_pass *p, ir_build *b, bit_expr x, const ir_type *t, int depth)
{
    const bit_exprs *const w = &((const state *)p->env)->w;
    const bit_node *const n = &w->node[x];
    if (n->kind == BIT_LEAF) return threefry_leaf(p, b, n, t);
    if (n->kind == BIT_CONST) return op_broadcast(b, op_int(b, TT_U32, (int64_t)n->k), t, 0, NULL);
    if (n->id && w->fn->type[n->id] == t && p->map[n->id]) return p->map[n->id];
    const bool one = n->kind == BIT_ADD_CONST || n->kind == BIT_XOR_CONST, sum = n->kind == BIT_ADD ||
        n->kind == BIT_ADD_CONST;
    if (depth == SPELT || (!one && n->kind != BIT_ADD && n->kind != BIT_XOR)) return 0;
    const ir_id a = spelt(p, b, n->a, t, depth + 1);
    const ir_id k = one ? op_broadcast(b, op_int(b, TT_U32, (int64_t)n->k), t, 0, NULL)
                        : spelt(p, b, n->b, t, depth + 1);
    return a && k ? sum ? op_add(b, a, k) : op_xor(b, a, k) : 0;
}

static ir_id encrypted(hlo_pass *p, ir_build *b, cipher *c, const ir_type *t)    /* the first of its two results */
{
    for (const made *m = c->made; m; m = m->next) if (m->type == t) return m->id;
    const bit_expr from[] = { c->key[0], c->key[1], c->counter[0], c->counter[1] };
    ir_id in[4];
    for (int i = 0; i < 4; i++) if (!(in[i] = spelt(p, b, from[i], t, 0))) return 0;
    made *const m = BASE_NEW(p->arena, made, 1);
    *m = (made){ t, ir_emit(b, &prim_threefry2x32, NULL, 4, in, 0, NULL), c->made };
    c->made = m;
    p->found++;
    return m->id;
}

static bool threefry_raised(hlo_pass *p, ir_build *b, const ir_eqn *e, const ir_id *in, ir_fn *const *sub, ir_id *out,
                            bool *failed)
{
    state *const s = p->env;
    uint32_t n = 0;
    if (!s->of) return false;
    for (uint32_t j = 0; j < e->nout; j++) {
        const bit_expr y = s->w.of[e->out + j];
        const uint32_t k = y && y < s->nodes && IR_OUT(e, j)->dtype == TT_U32 ? s->of[y] : 0;
        const ir_id first = k ? encrypted(p, b, &s->found.v[(k - 1) / 2], IR_OUT(e, j)) : 0;
        if (first) out[j] = first + (k - 1) % 2, n++;
    }
    if (!n || n == e->nout) return n > 0;
    const ir_id first = e->nsub ? ir_emit(b, e->op, e->attr, e->nin, in, e->nsub, sub) : ir_clone(b, e, in);
    for (uint32_t j = 0; j < e->nout; j++) if (!out[j]) out[j] = first + j;      /* e.g. a loop's counters and keys */
    *failed = !first;
    return true;
}

ir_fn *hlo_threefry(base_arena *a, const ir_fn *f, int *found)
{
    state s = { .of = NULL };
    hlo_pass p = { .arena = a, .applies = threefry_applies, .equation = threefry_raised, .env = &s };
    ir_fn *const g = hlo_rewritten(&p, f);
    if (found) *found = p.found;
    return g;
}
