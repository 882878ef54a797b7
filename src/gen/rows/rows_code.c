/* gen/rows/rows_code.c - a group over rows as one scalar program, for a compiled loop; and that loop over a block of
 * rows.
 *
 * The scalar programs of all equations are joined; a reduction's result is an input of the joined program. Registers
 * are uniform, have an element per row, or are full. The loop needs operands and results with dense rows at a constant
 * stride: an operand in another layout (transposed, strided, indices) is gathered into scratch block by block, and such
 * a result is scattered from there. */
#include "../copy.h"
#include "rows_stages.h"
#include "../../op/ops.h"

#include <string.h>

enum { LONGEST = 2000 };

typedef struct {
    base_arena *a; const gen_group *g; gen_tile_code *c; gen_row_prog *t;
    const ir_type *full; int kept;
    op_prog *prog; op_reg *reg;                          /* [equation]: its result */
    int capread;
} builder;

static int rows_code_maker(const gen_group *g, ir_id v)
{
    for (uint32_t k = 0; k < g->neqn; k++) if (v == g->eqn[k]->out) return (int)k;
    return -1;
}

/* The register of operand v of the group, read with operand dim dim[d] along dim d of the rows (-1: none). pick > 0:
 * element pick - 1 of the operand's last dim. */
static op_reg read_input(builder *b, ir_id v, const int8_t *dim, int8_t pick)
{
    gen_tile_code *c = b->c;
    const ir_type *t = b->g->eqn[0]->fn->type[v];
    gen_read r = { .in = 0, .uniform = true, .element = pick };
    while (b->g->in[r.in] != v) r.in++;
    memcpy(r.dim, dim, sizeof r.dim);
    for (int d = 0; d < b->full->rank; d++) if (dim[d] >= 0 && t->dim[(int)dim[d]] != 1) r.uniform = false;
    for (int i = 0; i < c->nread; i++)
        if (c->read[i].in == r.in && c->read[i].element == pick && !memcmp(c->read[i].dim, r.dim,
            sizeof r.dim)) return c->read[i].reg;
    if (c->nread == b->capread) return 0;
    r.reg = op_input(b->prog, t->dtype);
    c->read[c->nread++] = r;
    return r.reg;
}

static op_reg rows_code_operand(builder *b, const ir_eqn *e, uint32_t i)
{
    const ir_type *t = IR_IN(e, i);
    const int m = rows_code_maker(b->g, e->in[i]);
    int8_t dim[IR_RANK];
    if (m >= 0) return b->reg[m];
    for (int d = 0; d < IR_RANK; d++) dim[d] = (int8_t)(d < t->rank && t->dim[d] != 1 ? d : -1);
    return read_input(b, e->in[i], dim, 0);
}

static op_reg rows_code_broadcast(builder *b, const ir_eqn *e)
{
    const op_broadcast_attr *a = IR_ATTR(e, op_broadcast_attr);
    const ir_type *x = IR_IN(e, 0);
    const int m = rows_code_maker(b->g, e->in[0]);
    int8_t dim[IR_RANK];
    if (m >= 0) return b->reg[m];
    memset(dim, -1, sizeof dim);
    for (int d = 0; d < x->rank; d++)
        if (x->dim[d] != 1) dim[a->broadcast_dimensions.v[d]] = (int8_t)d;
    return read_input(b, e->in[0], dim, 0);
}

static op_reg rows_code_random_bits(builder *b, const ir_eqn *e) /* see tile.c */
{
    const int batch = IR_IN(e, 0)->rank - 1;
    const bool wide = IR_ATTR(e, op_random_bits_attr)->bit_width == 64;
    int8_t dim[IR_RANK];
    for (int d = 0; d < IR_RANK; d++) dim[d] = (int8_t)(d < batch ? d : -1);
    const op_reg key = read_input(b, e->in[0], dim, 1), more = key ? read_input(b, e->in[0], dim, 2) : 0;
    if (!more) return 0;
    return op_to(b->prog, op_do(b->prog, wide ? OP_RANDOM64 : OP_RANDOM32, op_index(b->prog, IR_RANK + batch), key,
        more),
                 IR_OUT(e, 0)->dtype);
}

static bool add_reduce(builder *b, const ir_eqn *e, op_reg *y)
{
    gen_row_reduce *f = &b->t->reduce[b->t->nreduce++];
    const tt_dtype d = IR_OUT(e, 0)->dtype;
    *f = (gen_row_reduce){ .x = rows_code_operand(b, e, 0), .init = rows_code_operand(b, e, 1),
        .reduce = op_monoid(e->sub[0]) };
    *y = f->y = op_input(b->prog, d);
    return f->x && f->init && d != TT_BOOL;
}

static bool add_equation(builder *b, uint32_t k)
{
    const ir_eqn *e = b->g->eqn[k];
    op_reg x[IR_RANK], *y = &b->reg[k];
    if (rows_is_down(e, b->kept)) return (*y = rows_code_operand(b, e, 0)) != 0 && IR_OUT(e, 0)->dtype != TT_BOOL;
    if (e->op == &prim_reduce) return add_reduce(b, e, y);
    if (e->op == &prim_const) {
        const op_const_attr *c = IR_ATTR(e, op_const_attr);
        *y = op_element(b->prog, c->dtype, c->data.p);
    } else if (e->op == &prim_broadcast_in_dim) *y = rows_code_broadcast(b, e);
    else if (e->op == &prim_reshape) *y = rows_code_operand(b, e, 0);
    else if (e->op == &prim_random_bits) *y = rows_code_random_bits(b, e);
    else {
        for (uint32_t i = 0; i < e->nin; i++) if (!(x[i] = rows_code_operand(b, e, i))) return false;
        if (b->prog->n > LONGEST || !op_prog_add(b->prog, e, x, y)) return false;
    }
    return *y != 0;
}

/* Sets the reach of each register (the same for all elements, per row, full); adds a read for each index register. */
static bool set_reach(builder *b)
{
    gen_tile_code *c = b->c;
    gen_reach *reach = b->t->reach = BASE_NEW(b->a, gen_reach, b->prog->n);
    for (int r = 1; r < b->prog->n; r++) {
        const op_inst *i = &b->prog->inst[r];
        if (i->code != OP_INDEX) continue;
        if (c->nread == b->capread) return false;
        c->read[c->nread++] = gen_read_index(b->a, b->prog, (op_reg)r, b->full);
    }
    for (int v = 0; v < c->nread; v++)
        for (int d = 0; d < b->full->rank && !c->read[v].uniform; d++) {
            const gen_reach by = d < b->kept ? GEN_PER_ROW : GEN_FULL;
            if (c->read[v].dim[d] >= 0 && reach[c->read[v].reg] < by) reach[c->read[v].reg] = by;
        }
    for (int k = 0; k < b->t->nreduce; k++) reach[b->t->reduce[k].y] = GEN_PER_ROW;
    c->uniform = BASE_NEW(b->a, op_reg, b->prog->n);
    for (int r = 1; r < b->prog->n; r++) {
        const op_inst *i = &b->prog->inst[r];
        if (i->code == OP_CONST) c->uniform[c->nuniform++] = (op_reg)r;
        if (i->code == OP_CONST || i->code == OP_INPUT || i->code == OP_INDEX) continue;
        const bool unary = i->code == OP_CONVERT || i->code == OP_BITCAST;
        const op_reg x[] = { i->a, unary ? 0 : i->b, unary ? 0 : i->c };
        for (int k = 0; k < 3; k++) if (x[k] && reach[x[k]] > reach[r]) reach[r] = reach[x[k]];
        if (reach[r] == GEN_SAME) c->uniform[c->nuniform++] = (op_reg)r;
    }
    return true;
}

static gen_tile_code *code_of(base_arena *a, const gen_group *g, const ir_type *full, int kept)
{
    gen_tile_code *c = BASE_NEW(a, gen_tile_code, 1);
    gen_row_prog *t = BASE_NEW(a, gen_row_prog, 1);
    builder b = { .a = a, .g = g, .c = c, .t = t, .full = full, .kept = kept, .prog = op_prog_begin(a) };
    b.reg = BASE_NEW(a, op_reg, g->neqn);
    b.capread = 2 * (int)g->nin + 16;
    c->read = BASE_NEW(a, gen_read, b.capread);
    t->kept = kept, t->n = 1, t->reduce = BASE_NEW(a, gen_row_reduce, g->neqn);
    for (int d = kept; d < full->rank; d++) t->n *= full->dim[d];
    for (uint32_t k = 0; k < g->neqn; k++) if (!add_equation(&b, k)) return NULL;
    c->out = BASE_NEW(a, gen_made, g->nout);
    t->full = BASE_NEW(a, bool, g->nout);
    mesh_reduce *down = BASE_NEW(a, mesh_reduce, g->nout);
    t->down = down;
    for (uint32_t j = 0; j < g->nout; j++) {
        const int m = rows_code_maker(g, g->out[j]);
        if (m < 0) return NULL;
        c->out[j].reg = b.reg[m];
        if (rows_is_down(g->eqn[m], kept)) down[j] = op_monoid(g->eqn[m]->sub[0]);
        t->full[j] = down[j] || gen_rows_class_of(full, kept, g->eqn[m]->fn->type[g->out[j]]) == GEN_ROWS_FULL;
    }
    if (b.prog->full || !set_reach(&b)) return NULL;
    c->prog = b.prog, c->rows = t, c->nreg = b.prog->n;
    c->rank = full->rank, c->nin = (int)g->nin, c->nout = (int)g->nout;
    c->isa = gen_isa_now();
    /* each row, however short, costs a call per register */
    c->cost = c->nreg * (0.05 + 10.0 / (double)(t->n > 0 ? t->n : 1));
    c->hot = gen_hot_new(a);
    return c;
}

typedef struct { base_arena *keep; const gen_group *g; const ir_type *full; int kept; gen_tile_code *c; } making;

static void make_code(base_arena *a, void *p)
{
    making *m = p;
    const gen_tile_code *c = code_of(a, m->g, m->full, m->kept);
    if (c) m->c = gen_tile_copy(m->keep, c);
}

gen_tile_code *gen_row_code(base_arena *a, const gen_group *g, const ir_type *full, int kept)
{
    making m = { a, g, full, kept, NULL };
    base_with_arena(make_code, &m);
    return m.c;
}

/* ---- the loop over a block ---- */

/* A read or a result within a block. In place, each row has an address, `row` elements after the previous row's, and is
 * dense; otherwise the elements are in a dense copy. */
typedef struct { char *at, *copy; int64_t step[IR_RANK], lo, row; int size; bool index, full; } view;

static view view_of(const gen_tile_code *c, const gen_row_block *b, const ir_box *arg, int v)
{
    const bool read = v < c->nread;
    const gen_read *r = read ? &c->read[v] : NULL;
    view x = { .index = read && r->in < 0 };
    if (x.index) {
        for (int d = 0; d < c->rank; d++) x.step[d] = r->step[d], x.lo += b->lo[d] * r->step[d];
        x.size = 8;
        return x;
    }
    const ir_box *y = &arg[read ? r->in : c->nin + v - c->nread];
    int64_t at = 0;
    for (int d = 0; d < c->rank; d++) {
        const int k = read ? r->dim[d] : d < y->rank ? d : -1;
        x.step[d] = k >= 0 ? y->step[k] : 0;
        if (k >= 0) at += (b->lo[d] - y->lo[k]) * y->step[k];
    }
    if (read && r->element) at += (r->element - 1 - y->lo[y->rank - 1]) * y->step[y->rank - 1];
    x.size = (int)ir_dtype_of(y->dtype)->bytes;
    x.at = (char *)y->at + at * x.size;
    return x;
}

/* True if dims [from, to) can be walked with a constant step, which is stored in *step. Dims of size 1 do not
 * matter. */
static bool even(const view *x, const int64_t *n, int from, int to, int64_t *step)
{
    int64_t next = -1;
    for (int d = to - 1; d >= from; d--) {
        if (n[d] == 1) continue;
        if (next < 0) *step = x->step[d];
        else if (x->step[d] != next) return false;
        next = x->step[d] * n[d];
    }
    return true;
}

/* Copies the elements of the block, line by line, from the operand to the dense copy, or back to the result. */
static void move(const gen_tile_code *c, const gen_row_block *b, const view *x, bool back)
{
    const int last = (x->full ? c->rank : b->kept) - 1;
    const int64_t n = b->n[last], step = x->step[last];
    char *copy = x->copy;
    int64_t i[IR_RANK] = { 0 }, count = n ? 1 : 0;
    for (int d = 0; d < last; d++) count *= b->n[d];
    for (; count > 0; count--, copy += n * x->size) {
        int64_t at = 0;
        for (int d = 0; d < last; d++) at += i[d] * x->step[d];
        char *const p = x->at + at * x->size;
        int64_t *const index = (void *)copy;
        if (x->index) for (int64_t k = 0; k < n; k++) index[k] = x->lo + at + k * step;
        else if (back) gen_copy_line(p, step, copy, 1, n, (size_t)x->size);
        else gen_copy_line(copy, 1, p, step, n, (size_t)x->size);
        for (int d = last - 1; d >= 0 && ++i[d] == b->n[d]; d--) i[d] = 0;
    }
}


/* Bytes of the views and the loop's tables. Scratch has these, then a dense copy per view, then the buffers of values
 * that the loop keeps of a row. */
static int64_t table_bytes(const gen_tile_code *c)
{
    return base_round_up((c->nread + c->nout) * (int64_t)sizeof(view), BASE_CACHE_LINE) +
           base_round_up((c->nreg + c->nout) * (int64_t)(sizeof(void *) + sizeof(int64_t) + sizeof(op_word)),
                         BASE_CACHE_LINE);
}

int64_t gen_row_scratch(const gen_tile_code *c, int64_t rows, int64_t n)
{
    return table_bytes(c) + (c->nread + c->nout) * base_round_up(rows * n * 8, BASE_CACHE_LINE) + (n
        + GEN_GRAIN) * GEN_ROW_BYTES + 64;
}

/* Sets the view of read or result v in the block. Returns false if the view's elements must be copied. */
static bool set_view(const gen_tile_code *c, const gen_row_block *b, const ir_box *arg, int v, int64_t n, view *x)
{
    int64_t along = 1;
    if (v >= c->nread && c->rows->down[v - c->nread]) {
        const tt_dtype d = c->prog->inst[c->out[v - c->nread].reg].dtype;
        *x = (view){ .at = b->sum[v - c->nread], .size = (int)rows_sum_bytes(d), .row = b->lanes ? n : 0 };
        return true;
    }
    *x = view_of(c, b, arg, v);
    x->full = v < c->nread ? c->rows->reach[c->read[v].reg] == GEN_FULL : c->rows->full[v - c->nread];
    if (x->index || (x->full && (!even(x, b->n, b->kept, c->rank, &along) || (along != 1 && n != 1)))) return false;
    return even(x, b->n, 0, b->kept, &x->row);
}

/* The address of view x, and its step in bytes from one computed row to the next. */
static void rows_code_address(const gen_tile_code *c, const gen_row_block *b, int v, const view *x, int64_t n,
    void **at,
                              int64_t *step)
{
    const bool sum = v >= c->nread && c->rows->down[v - c->nread];
    *at = x->copy ? x->copy : x->at;
    *step = (x->copy ? x->full ? n : 1 : x->row) * x->size;
    if (!b->every || sum) return;
    *at = (char *)*at + b->first * *step;
    *step *= b->every;
}

bool gen_row_run(const gen_tile_code *c, gen_row_loop *loop, const gen_row_block *b, const ir_box *arg, char *scratch)
{
    const int views = c->nread + c->nout;
    int64_t rows = 1, n = 1;
    for (int d = 0; d < c->rank; d++) *(d < b->kept ? &rows : &n) *= b->n[d];
    view *x = (void *)scratch;
    void **at = (void *)(scratch + base_round_up(views * (int64_t)sizeof(view), BASE_CACHE_LINE));
    int64_t *step = (void *)(at + c->nreg + c->nout);
    op_word *k = (void *)(step + c->nreg + c->nout);
    char *copies = scratch + table_bytes(c);
    for (int v = 0; v < views; v++) {
        const int slot = v < c->nread ? c->read[v].reg : c->nreg + v - c->nread;
        const bool there = set_view(c, b, arg, v, n, &x[v]), uniform = v < c->nread && c->read[v].uniform;
        if (!there && !uniform && b->every) return false;
        x[v].copy = there || uniform ? NULL : copies + v * base_round_up(rows * n * 8, BASE_CACHE_LINE);
        rows_code_address(c, b, v, &x[v], n, &at[slot], &step[slot]);
        if (uniform) memcpy(&k[slot], x[v].at, (size_t)x[v].size);
        else if (v < c->nread && !there) move(c, b, &x[v], false);
    }
    gen_uniforms(c, k);
    char *const buffer = copies + (b->every ? 0 : views * base_round_up(rows * n * 8, BASE_CACHE_LINE));
    loop(at, step, k, b->every ? b->count : rows, n, buffer);
    for (int v = c->nread; v < views; v++) if (x[v].copy) move(c, b, &x[v], true);
    return true;
}
