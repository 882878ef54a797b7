/* gen/tile/tile_code.c - turns a scalar program into steps over tiles.
 *
 * A chain of fma over one variable is one step; a bitcast is no step; a register that is the same for all elements is
 * computed once per job; steps needed by one side of a select only are skipped in tiles where no element takes that
 * side. Registers whose lifetimes are disjoint share an L1 slot. */
#include "tile.h"

#include <string.h>

/* LANES: most elements of a tile; SLOTS: bytes of all slots of a tile. Both are the same for every machine, because the
 * tile's size decides the order of some sums: regions compute a tile of elements at once. */
enum { LANES = 1024, SLOTS = BASE_L1 / 2 };

typedef struct {
    base_arena *a;
    const op_prog *prog;
    gen_tile_code *code;
    int16_t *uses;                                       /* of needed registers; results count as uses */
    bool *uniform, *done;
    op_reg *root;                                        /* a bitcast's operand; of others the register itself */
    op_reg *filled;                                      /* a tile holding a uniform register, or 0 */
    /* the registers that may be lowered in the skippable steps; NULL: all */
    int16_t *region;
    /* nreg: registers of the scalar program, then tiles of uniform words */
    int nreg, capstep;
    tt_dtype *dtype;
} lowering;

static bool is_leaf(op_code c) { return c == OP_CONST || c == OP_INPUT || c == OP_INDEX; }
static bool is_draw(op_code c) { return c == OP_RANDOM32 || c == OP_RANDOM64; }
static bool takes_b(op_code c) { return !is_leaf(c) && c != OP_CONVERT && c != OP_BITCAST; }

static int tile_code_operands(const op_inst *i, op_reg *r)
{
    int n = 0;
    if (is_leaf(i->code)) return 0;
    r[n++] = i->a;
    if (takes_b(i->code) && i->b) r[n++] = i->b;
    if (takes_b(i->code) && i->c) r[n++] = i->c;
    return n;
}

static void need(lowering *l, op_reg r)
{
    op_reg x[3];
    if (l->uses[r]++) return;
    const int n = tile_code_operands(&l->prog->inst[r], x);
    for (int i = 0; i < n; i++) need(l, x[i]);
}

static gen_step *add_step(lowering *l, gen_step s)
{
    gen_tile_code *c = l->code;
    if (c->nstep == l->capstep) {
        gen_step *wider = BASE_NEW(l->a, gen_step, 2 * l->capstep);
        memcpy(wider, c->step, (size_t)c->nstep * sizeof *wider);
        c->step = wider, l->capstep *= 2;
    }
    c->step[c->nstep] = s;
    return &c->step[c->nstep++];
}

static int width_class(tt_dtype d)
{
    const size_t b = ir_dtype_of(d)->bytes;
    return b == 1 ? 0 : b == 2 ? 1 : b == 4 ? 2 : 3;
}

static void lower(lowering *l, op_reg r);

/* The tile of operand r. Lowers r first unless that is done. */
static op_reg tile_of(lowering *l, op_reg r)
{
    lower(l, r);
    return l->root[r];
}

/* A tile filled with a uniform word, for operations that have no loop for a uniform operand. */
static op_reg fill_tile(lowering *l, op_reg r)
{
    if (!l->filled[r]) {
        const op_reg n = (op_reg)l->nreg++;
        l->dtype[n] = l->dtype[r], l->root[n] = n, l->filled[r] = n;
        add_step(l, (gen_step){ .loop = l->code->ops->fill[width_class(l->dtype[r])], .d = n, .a = r });
    }
    return l->filled[r];
}

/* The number of fused steps that end in r: fma(fma(.., x, k), x, k'), inner ones without other uses. link: their
 * registers, last first; start: the operand of the first. */
static int chain(const lowering *l, op_reg r, op_reg *start, op_reg *link)
{
    const op_inst *i = &l->prog->inst[r];
    const op_reg x = i->b;
    int n = 0;
    while (n < GEN_POLY && i->code == OP_FMA && i->b == x && l->uniform[i->c] && !l->uniform[x]) {
        link[n++] = (op_reg)(i - l->prog->inst);
        *start = i->a;
        if (l->uses[i->a] != 1 || l->uniform[i->a] || l->done[i->a]) break;
        i = &l->prog->inst[i->a];
    }
    return n;
}

static bool lower_poly(lowering *l, op_reg r)
{
    const op_inst *i = &l->prog->inst[r];
    op_reg start = 0, link[GEN_POLY];
    const bool wide = i->dtype == TT_F64;
    if (i->code != OP_FMA || (i->dtype != TT_F32 && !wide)) return false;
    const int n = chain(l, r, &start, link);
    const bool from_word = n && l->uniform[start];
    if (n < 2) return false;
    op_reg *coef = BASE_NEW(l->a, op_reg, n + 1);
    int m = 0;
    if (from_word) coef[m++] = start;
    for (int j = n; j-- > 0;) coef[m++] = l->prog->inst[link[j]].c, l->done[link[j]] = true;
    const op_reg x = tile_of(l, i->b), a = from_word ? 0 : tile_of(l, start);
    add_step(l, (gen_step){ .loop = l->code->ops->poly[wide][!from_word][n], .d = r, .a = a, .b = x,
                            .ncoef = (int16_t)m,
                            .coef = coef });
    return true;
}

static void lower_loop(lowering *l, op_reg r)
{
    const op_inst *i = &l->prog->inst[r];
    const tt_dtype by = i->code == OP_SELECT ? l->dtype[i->b] : l->dtype[i->a];
    op_reg x[3] = { i->a, takes_b(i->code) ? i->b : 0, takes_b(i->code) ? i->c : 0 };
    int form = 0;
    for (int k = 0; k < 3; k++) {
        if (x[k] && !l->uniform[x[k]]) x[k] = tile_of(l, x[k]);
        else if (x[k]) form |= 1 << k;
    }
    gen_loop *loop = i->code == OP_CONVERT ? l->code->ops->convert[by][i->dtype] : l->code->ops->op[i->code][by][form];
    for (int k = 0; k < 3 && !loop; k++)                 /* expands uniform operands to tiles, one by one */
        if (form >> k & 1) {
            x[k] = fill_tile(l, x[k]), form ^= 1 << k;
            loop = l->code->ops->op[i->code][by][form];
        }
    add_step(l, (gen_step){ .loop = loop, .d = r, .a = x[0], .b = x[1], .c = x[2] });
}

enum { WORTH = 8 };                                      /* least steps for which testing the condition pays */

/* The operand on the given side (1: b, 2: c) of instruction s, if s is a select by p and the operand may be in the
 * region of selects up to r; else 0. */
static op_reg top_of(const lowering *l, int s, op_reg r, op_reg p, int side)
{
    const op_inst *i = &l->prog->inst[s];
    const op_reg top = side == 1 ? i->b : i->c;
    return i->code == OP_SELECT && i->a == p && l->uses[s] && top < r && (!l->region || l->region[top]) ? top : 0;
}

/* Marks the registers that only one side (1: b, 2: c) of selects by p needs: registers before r whose uses are all
 * marked registers, or that side of such a select. Inside an outer region of skippable steps, marks only registers that
 * are marked in the outer region. Returns the number of steps of the marked registers. */
static int cone(const lowering *l, op_reg r, op_reg p, int side, int16_t *inside)
{
    int n = 0;
    for (int s = 1; s < l->prog->n; s++) {
        const op_reg top = top_of(l, s, r, p, side);
        if (top) inside[top]++;
    }
    for (int k = r - 1; k > 0; k--) {
        op_reg x[3];
        const bool in = inside[k] && inside[k] == l->uses[k] && !l->uniform[k] && !l->done[k];
        const int m = in ? tile_code_operands(&l->prog->inst[k], x) : 0;
        const bool counted = in && top_of(l, k, r, p, side); /* this use of its side was counted above */
        for (int j = 0; j < m; j++) inside[x[j]] += !(counted && j == side);
        inside[k] = in;
        n += in && !is_leaf(l->prog->inst[k].code) && l->prog->inst[k].code != OP_BITCAST;
    }
    return n;
}

/* Lowers one side of the selects by p behind a test of p, which skips the side in tiles where no element takes it.
 * Operands that the side shares with other instructions are lowered before the test. r: the select that is being
 * lowered, so that no marked register can depend on r. */
static void lower_side(lowering *l, op_reg r, int side)
{
    const op_reg p = l->prog->inst[r].a;
    int16_t *inside = BASE_NEW(l->a, int16_t, r), *const outer = l->region;
    if (cone(l, r, p, side, inside) < WORTH) return;
    for (int k = 1; k < r; k++) {
        op_reg x[3];
        const int m = inside[k] ? tile_code_operands(&l->prog->inst[k], x) : 0;
        for (int j = 0; j < m; j++) if (!inside[x[j]]) lower(l, x[j]);
    }
    const int at = l->code->nstep;
    op_reg *filled = BASE_COPY(l->a, l->filled, l->prog->n);
    add_step(l, (gen_step){ .kind = side == 1 ? GEN_UNLESS_ANY : GEN_IF_ALL, .a = l->root[p] });
    l->region = inside;
    for (int k = r - 1; k > 0; k--) if (inside[k]) lower(l, (op_reg)k); /* last first: each lowers its operands */
    l->region = outer;
    l->code->step[at].which = (int16_t)(l->code->nstep - at - 1);
    memcpy(l->filled, filled, (size_t)l->prog->n * sizeof *filled); /* tiles filled inside may be skipped */
}

static void lower(lowering *l, op_reg r)
{
    const op_inst *i = &l->prog->inst[r];
    gen_tile_code *c = l->code;
    if (l->done[r] || l->uniform[r]) return;
    l->done[r] = true, l->root[r] = r;
    switch (i->code) {
    case OP_BITCAST: l->root[r] = tile_of(l, i->a); break;
    case OP_INPUT:
    case OP_INDEX:
        for (int k = 0; k < c->nread; k++)
            if (c->read[k].reg == r)
                add_step(l, (gen_step){ .kind = i->code == OP_INPUT ? GEN_LOAD : GEN_INDEX, .d = r,
                                        .which = (int16_t)k });
        break;
    case OP_SELECT:
        if (!l->uniform[i->a]) {
            lower(l, i->a);
            lower_side(l, r, 1);
            lower_side(l, r, 2);
        }
        lower_loop(l, r);
        break;
    default:
        if (!lower_poly(l, r)) lower_loop(l, r);
    }
}

/* Finds uniform registers: constants, uniform reads, and results of instructions on uniform registers only. */
static void find_uniform(lowering *l)
{
    const op_prog *t = l->prog;
    gen_tile_code *c = l->code;
    c->uniform = BASE_NEW(l->a, op_reg, t->n);
    for (int r = 1; r < t->n; r++) {
        op_reg x[3];
        const op_inst *i = &t->inst[r];
        const int n = tile_code_operands(i, x);
        bool all = i->code == OP_CONST || n > 0;
        for (int k = 0; k < n; k++) all &= l->uniform[x[k]];
        for (int k = 0; k < c->nread; k++) all |= i->code == OP_INPUT && c->read[k].reg == r && c->read[k].uniform;
        l->uniform[r] = all;
        if (all && l->uses[r]) c->uniform[c->nuniform++] = (op_reg)r;
    }
}

/* Counts indices in 32 bits, if they fit: counters of random bits, and indices whose only uses are conversions. */
static void narrow_indices(lowering *l, const ir_type *shape)
{
    const op_prog *t = l->prog;
    for (int r = 1; r < t->n; r++) {
        const int dim = t->inst[r].a;
        int64_t most = 1;
        for (int d = dim - IR_RANK; d >= 0 && d < shape->rank; d++) most *= shape->dim[d] ? shape->dim[d] : 1;
        if (t->inst[r].code == OP_INDEX && (dim < IR_RANK ? shape->dim[dim] : most) <= INT32_MAX) l->dtype[r] = TT_I32;
    }
    for (int r = 1; r < t->n; r++) {
        op_reg x[3];
        const bool any = t->inst[r].code == OP_CONVERT || is_draw(t->inst[r].code);
        const int n = l->uses[r] && !any ? tile_code_operands(&t->inst[r], x) : 0;
        for (int k = 0; k < n; k++) if (t->inst[x[k]].code == OP_INDEX) l->dtype[x[k]] = TT_I64;
    }
    for (int j = 0; j < l->code->nout; j++)
        if (t->inst[l->code->out[j].reg].code == OP_INDEX) l->dtype[l->code->out[j].reg] = TT_I64;
    for (int k = 0; k < l->code->nread; k++)
        if (l->code->read[k].in < 0) l->code->read[k].narrow = l->dtype[l->code->read[k].reg] == TT_I32;
}

/* ---- slots ---- */

/* Registers whose lifetimes are disjoint share a slot of their width. A step's result may take the slot of an operand
 * whose lifetime ends there: loops read an element before they write it. */
static void give_slots(lowering *l)
{
    gen_tile_code *c = l->code;
    int16_t *last = BASE_NEW(l->a, int16_t, l->nreg);
    op_reg *pool[4];
    int npool[4] = { 0 };
    for (int w = 0; w < 4; w++) pool[w] = BASE_NEW(l->a, op_reg, l->nreg);
    for (int s = 0; s < c->nstep; s++) {
        const gen_step *x = &c->step[s];
        const op_reg in[3] = { x->a, x->b, x->c };
        for (int k = 0; k < 3; k++) if (in[k]) last[in[k]] = (int16_t)s;
    }
    for (int o = 0; o < c->nout; o++) last[c->out[o].reg] = INT16_MAX;
    c->slot = BASE_NEW(l->a, int64_t, l->nreg);
    for (int s = 0; s < c->nstep; s++) {
        const gen_step *x = &c->step[s];
        const op_reg in[3] = { x->a, x->b == x->a ? 0 : x->b, x->c == x->a || x->c == x->b ? 0 : x->c };
        for (int k = 0; k < 3; k++)
            if (in[k] && last[in[k]] == s && !(in[k] < l->prog->n && l->uniform[in[k]])) {
                const int w = width_class(l->dtype[in[k]]);
                pool[w][npool[w]++] = (op_reg)c->slot[in[k]];
            }
        if (x->kind > GEN_INDEX) continue;
        const int w = width_class(l->dtype[x->d]);
        if (npool[w]) c->slot[x->d] = pool[w][--npool[w]];
        else c->slot[x->d] = c->width, c->width += 1 << w;
    }
}

/* Gives a result a register of its own if the result's register is uniform, an input, or also another result. */
static void lower_results(lowering *l)
{
    gen_tile_code *c = l->code;
    for (int j = 0; j < c->nout; j++) {
        const op_reg r = c->out[j].reg;
        const int w = width_class(l->dtype[r]);
        bool own = !l->uniform[r];
        lower(l, r);
        if (own) own = l->root[r] == r && !is_leaf(l->prog->inst[r].code);
        for (int i = 0; i < j && own; i++) own = c->out[i].reg != r;
        if (!own) {
            const op_reg n = (op_reg)l->nreg++, from = l->uniform[r] ? r : l->root[r];
            l->dtype[n] = l->dtype[r], l->root[n] = n;
            add_step(l, (gen_step){ .loop = l->uniform[r] ? c->ops->fill[w] : c->ops->copy[w], .d = n, .a = from });
            c->out[j].reg = n;
        }
    }
    for (int s = 0; s < c->nstep; s++)
        for (int j = 0; j < c->nout; j++) if (c->step[s].d == c->out[j].reg) c->out[j].made = (int16_t)s;
    for (int j = 0; j < c->nout; j++)
        add_step(l, (gen_step){ .kind = GEN_STORE, .a = c->out[j].reg, .which = (int16_t)j });
}

/* Gives slots to operands and results that are not dense, for a compiled loop. tile_hot.c decides when the loop is
 * requested. */
static void give_own_slots(lowering *l)
{
    gen_tile_code *c = l->code;
    int steps = 0;
    for (int s = 0; s < c->nstep; s++) steps += c->step[s].kind == GEN_RUN;
    if (steps < 2) return;                               /* a compiled loop would not be faster */
    c->hot = gen_hot_new(l->a);
    c->own = BASE_NEW(l->a, int64_t, l->nreg);
    for (int v = 0; v < c->nread + c->nout; v++) {
        const op_reg r = v < c->nread ? c->read[v].reg : c->out[v - c->nread].reg;
        c->own[r] = c->own_width, c->own_width += 1 << width_class(l->dtype[r]);
    }
}

void gen_tile_compile(base_arena *a, const ir_type *shape, gen_tile_code *c)
{
    const int n = c->prog->n, cap = 4 * n + c->nout + 1; /* cap: registers; every operand may need a tile of its own */
    lowering l = { .a = a, .prog = c->prog, .code = c, .nreg = n, .capstep = 2 * n + 8 };
    l.uses = BASE_NEW(a, int16_t, n), l.uniform = BASE_NEW(a, bool, cap), l.done = BASE_NEW(a, bool, cap);
    l.root = BASE_NEW(a, op_reg, cap), l.filled = BASE_NEW(a, op_reg, cap), l.dtype = BASE_NEW(a, tt_dtype, cap);
    c->isa = gen_isa_now();
    c->ops = GEN_ISA_AT(gen_tile_loops, c->isa);
    c->step = BASE_NEW(a, gen_step, l.capstep);
    for (int r = 1; r < n; r++) l.dtype[r] = c->prog->inst[r].dtype;
    for (int j = 0; j < c->nout; j++) need(&l, c->out[j].reg), l.uses[c->out[j].reg]++;
    find_uniform(&l);
    narrow_indices(&l, shape);
    lower_results(&l);
    give_slots(&l);
    give_own_slots(&l);
    for (int s = 0; s < c->nstep; s++)
        for (int k = 0; k < c->nread; k++) {
            const gen_step *x = &c->step[s];
            const op_reg r = c->read[k].reg;
            if (x->a == r || x->b == r || x->c == r) c->read[k].last = (int16_t)s;
        }
    c->nreg = l.nreg;
    c->tile = c->width ? SLOTS / c->width / GEN_GRAIN * GEN_GRAIN : LANES;
    c->tile = c->tile < 2 * GEN_GRAIN ? 2 * GEN_GRAIN : c->tile > LANES ? LANES : c->tile;
    for (int s = 0; s < c->nstep; s++) {
        const gen_step *x = &c->step[s];
        c->cost += x->kind == GEN_RUN ? 0.05 + 0.02 * x->ncoef : 0.1;
        if (x->kind == GEN_RUN && x->d < n && is_draw(c->prog->inst[x->d].code)) c->cost += 0.8;
    }
}

