/* gen/tile/tile.c - the engine of all elementwise groups: the equations become one scalar program, and the scalar
 * program a list of steps.
 *
 * The scalar programs of the equations are appended to one program; broadcasts become ways of reading an input, splat
 * constants become words of the program. tile_code.c turns the program into steps, tile_run.c runs the steps over
 * boxes. */
#include "tile.h"
#include "../../op/ops.h"

#include <string.h>

enum { LONGEST = 8000 };                                 /* instructions: a quarter of the numbers of op_reg */

/* ---- equations to scalar program ---- */

typedef struct {
    const gen_group *g;
    op_prog *prog;
    const ir_type *shape;                                /* of all results */
    gen_read *read; int nread, capread;
    /* [equation], with several results [equation + result]: the results' registers */
    op_reg *reg;
    uint32_t *at;                                        /* [equation]: index of its first result in reg */
    const char *why;                                     /* reason of the refusal */
    base_arena *a;
} builder;

static int tile_find(const ir_id *list, uint32_t n, ir_id id)
{
    for (uint32_t i = 0; i < n; i++) if (list[i] == id) return (int)i;
    return -1;
}

static op_reg made_here(const builder *b, ir_id id)      /* 0: id is an input */
{
    for (uint32_t k = 0; k < b->g->neqn; k++) {
        const ir_eqn *e = b->g->eqn[k];
        if (id >= e->out && id - e->out < e->nout) return b->reg[b->at[k] + (id - e->out)];
    }
    return 0;
}

/* The register of input `in`, read by dim and pick; equal reads share one register. */
static op_reg read_input(builder *b, int in, const int8_t *dim, int8_t pick)
{
    const ir_type *t = b->g->eqn[0]->fn->type[b->g->in[in]];
    gen_read r = { .in = (int16_t)in, .uniform = true, .element = pick };
    for (int d = 0; d < IR_RANK; d++) r.dim[d] = d < b->shape->rank ? dim[d] : -1;
    for (int d = 0; d < b->shape->rank; d++) if (dim[d] >= 0 && t->dim[(int)dim[d]] != 1) r.uniform = false;
    for (int i = 0; i < b->nread; i++)
        if (b->read[i].in == in && b->read[i].element == pick && !memcmp(b->read[i].dim, r.dim,
            sizeof r.dim)) return b->read[i].reg;
    if (b->nread == b->capread) { b->why = "too many inputs"; return 0; }
    r.reg = op_input(b->prog, t->dtype);
    b->read[b->nread++] = r;
    return r.reg;
}

/* The register of operand i of an elementwise equation: of the shape of the results, or one number for all. */
static op_reg tile_operand(builder *b, const ir_eqn *e, uint32_t i)
{
    const op_reg made = made_here(b, e->in[i]);
    const ir_type *t = IR_IN(e, i);
    int8_t dim[IR_RANK];
    if (made) return made;
    const int in = tile_find(b->g->in, b->g->nin, e->in[i]);
    if (in < 0) return b->why = "a value from nowhere", 0;
    if (t->rank && t->rank != b->shape->rank) return b->why = "an operand of another rank", 0;
    for (int d = 0; d < IR_RANK; d++) dim[d] = (int8_t)(d < t->rank ? d : -1);
    return read_input(b, in, dim, 0);
}

static op_reg tile_broadcast(builder *b, const ir_eqn *e)
{
    const op_broadcast_attr *a = IR_ATTR(e, op_broadcast_attr);
    const ir_type *x = IR_IN(e, 0), *y = IR_OUT(e, 0);
    const op_reg made = made_here(b, e->in[0]);
    int8_t dim[IR_RANK];
    if (made) {                                          /* of the same shape, or one number */
        const bool number = b->prog->inst[made].code == OP_CONST;
        return number || x->rank == y->rank ? made : (b->why = "a broadcast of a value computed here", 0);
    }
    const int in = tile_find(b->g->in, b->g->nin, e->in[0]);
    if (in < 0) return b->why = "a value from nowhere", 0;
    memset(dim, -1, sizeof dim);
    for (int d = 0; d < x->rank; d++)
        if (x->dim[d] == y->dim[a->broadcast_dimensions.v[d]]) dim[a->broadcast_dimensions.v[d]] = (int8_t)d;
    return read_input(b, in, dim, 0);
}

bool gen_is_random_bits(const ir_eqn *e)
{
    return e->op == &prim_random_bits && IR_ATTR(e, op_random_bits_attr)->layout == OP_BITS_PARTITIONABLE;
}

/* Random bits [batch.., shape..] of a key [batch.., 2]: each element is the word numbered by its index in `shape`. */
static op_reg tile_random_bits(builder *b, const ir_eqn *e)
{
    const int batch = IR_IN(e, 0)->rank - 1, in = tile_find(b->g->in, b->g->nin, e->in[0]);
    int8_t dim[IR_RANK];
    if (in < 0) return b->why = "a key from nowhere", 0;
    for (int d = 0; d < IR_RANK; d++) dim[d] = (int8_t)(d < batch ? d : -1);
    const op_reg key = read_input(b, in, dim, 1), more = key ? read_input(b, in, dim, 2) : 0;
    const bool wide = IR_ATTR(e, op_random_bits_attr)->bit_width == 64;
    if (!more) return 0;
    return op_to(b->prog, op_do(b->prog, wide ? OP_RANDOM64 : OP_RANDOM32, op_index(b->prog, IR_RANK + batch), key,
        more),
                 IR_OUT(e, 0)->dtype);
}

static bool add_equation(builder *b, uint32_t k)
{
    const ir_eqn *e = b->g->eqn[k];
    op_reg x[IR_RANK], *y = &b->reg[b->at[k]];
    if (e->op == &prim_const) {
        const op_const_attr *c = IR_ATTR(e, op_const_attr);
        y[0] = op_element(b->prog, c->dtype, c->data.p);
    } else if (e->op == &prim_broadcast_in_dim) {
        y[0] = tile_broadcast(b, e);
    } else if (e->op == &prim_random_bits) {
        y[0] = tile_random_bits(b, e);
    } else {
        for (uint32_t i = 0; i < e->nin; i++) if (!(x[i] = tile_operand(b, e, i))) return false;
        if (b->prog->n > LONGEST) return false;          /* not an error: another engine may take the group */
        if (!op_prog_add(b->prog, e, x, y)) return b->why = "its scalar program could not be written", false;
    }
    return y[0] != 0;
}

static bool is_splat(const ir_eqn *e) { return e->op == &prim_const && IR_ATTR(e, op_const_attr)->splat; }

/* Why operand i of an equation of this shape cannot be read, or NULL. If computed in the group, it must be of the same
 * shape or one number. */
static const char *refuses_operand(const gen_group *g, const ir_eqn *e, uint32_t i, const ir_type *shape)
{
    const ir_type *t = IR_IN(e, i);
    if (ir_dtype_of(t->dtype)->cls == IR_COMPLEX_CLASS) return "complex numbers";
    for (uint32_t k = 0; k < g->neqn; k++) {
        const ir_eqn *m = g->eqn[k];
        if (gen_is_random_bits(e) && e->in[i] - m->out < m->nout) return "a key made here";
        if (e->in[i] - m->out < m->nout) return ir_same_dims(t, shape) ||
            is_splat(m) ? NULL : "a small value made here";
    }
    if (e->op == &prim_broadcast_in_dim || gen_is_random_bits(e) || !t->rank || t->rank == shape->rank) return NULL;
    return "an operand of another rank";
}

static const char *tile_refuses(const gen_group *g)
{
    if (!g->nout) return "no result";
    const ir_type *shape = g->eqn[0]->fn->type[g->out[0]];
    if (g->neqn == 1 && gen_is_random_bits(g->eqn[0])) return "random bits alone";
    for (uint32_t k = 0; k < g->neqn; k++) {
        const ir_eqn *e = g->eqn[k];
        const bool map = e->op->kernel == OP_MAP && e->op->prog != op_prog_none && e->nin <= IR_RANK;
        if (!is_splat(e) && !map && e->op != &prim_broadcast_in_dim && !gen_is_random_bits(e)) return "not elementwise";
        for (uint32_t j = 0; j < e->nout; j++) {
            if (ir_dtype_of(IR_OUT(e, j)->dtype)->cls == IR_COMPLEX_CLASS) return "complex numbers";
            if (!ir_same_dims(IR_OUT(e, j), shape) && !(is_splat(e) && !IR_OUT(e, j)->rank))
                return "results of different shapes";
        }
        for (uint32_t i = 0; i < e->nin; i++) {
            const char *why = refuses_operand(g, e, i, shape);
            if (why) return why;
        }
    }
    return NULL;
}

/* ---- the engine ---- */

gen_read gen_read_index(base_arena *a, const op_prog *t, op_reg r, const ir_type *shape)
{
    const int dim = t->inst[r].a, first = dim < IR_RANK ? dim : dim - IR_RANK;
    int64_t *step = BASE_NEW(a, int64_t, IR_RANK), below = 1;
    gen_read x = { .in = -1, .reg = r, .step = step };
    for (int d = 0; d < IR_RANK; d++) x.dim[d] = -1;
    for (int d = dim < IR_RANK ? dim : shape->rank - 1; d >= first; d--)
        x.dim[d] = 0, step[d] = below, below *= shape->dim[d];
    return x;
}

static bool write_prog(builder *b, gen_tile_code *c)
{
    const gen_group *g = b->g;
    uint32_t results = 0;
    b->shape = g->eqn[0]->fn->type[g->out[0]];
    b->prog = op_prog_begin(b->a);
    b->at = BASE_NEW(b->a, uint32_t, g->neqn);
    for (uint32_t k = 0; k < g->neqn; k++) b->at[k] = results, results += g->eqn[k]->nout;
    b->reg = BASE_NEW(b->a, op_reg, results);
    b->capread = (int)(2 * g->nin) + 64;
    b->read = BASE_NEW(b->a, gen_read, b->capread + 2 * IR_RANK);
    for (uint32_t k = 0; k < g->neqn; k++) if (!add_equation(b, k)) return false;
    for (int r = 1; r < b->prog->n; r++)
        if (b->prog->inst[r].code == OP_INDEX)
            b->read[b->nread++] = gen_read_index(b->a, b->prog, (op_reg)r, b->shape);
    c->prog = b->prog, c->read = b->read, c->nread = b->nread;
    c->rank = b->shape->rank, c->nin = (int)g->nin, c->nout = (int)g->nout;
    c->out = BASE_NEW(b->a, gen_made, g->nout);
    for (uint32_t j = 0; j < g->nout; j++)
        if (!(c->out[j].reg = made_here(b, g->out[j]))) return b->why = "a result from nowhere", false;
    return true;
}

/* True if the operands of all devices together exceed the caches. All devices count, since their kernels run one after
 * the other. */
static bool reads_far(const gen_tile_code *c, const ir_type *shape)
{
    int64_t width = 0;
    for (int v = 0; v < c->nread; v++)
        if (c->read[v].in >= 0 && !c->read[v].uniform)
            width += (int64_t)ir_dtype_of(c->prog->inst[c->read[v].reg].dtype)->bytes;
    return width * ir_count(shape) >= BASE_CACHES;
}

/* ---- copies that outlive the making ---- */

static const op_prog *prog_copy(base_arena *a, const op_prog *t)
{
    op_prog *y = BASE_NEW(a, op_prog, 1);
    *y = (op_prog){ .arena = a, .working = t->working, .n = t->n, .cap = t->n, .ninput = t->ninput, .full = t->full,
                    .inst = BASE_COPY(a, t->inst, t->n) };
    return y;
}

static const gen_row_prog *rows_copy(base_arena *a, const gen_tile_code *c)
{
    gen_row_prog *y = BASE_COPY(a, c->rows, 1);
    y->reach = BASE_COPY(a, y->reach, c->prog->n);
    y->reduce = BASE_COPY(a, y->reduce, y->nreduce);
    y->full = BASE_COPY(a, y->full, c->nout);
    y->down = BASE_COPY(a, y->down, c->nout);
    return y;
}

gen_tile_code *gen_tile_copy(base_arena *a, const gen_tile_code *c)
{
    gen_tile_code *y = BASE_COPY(a, c, 1);
    y->prog = prog_copy(a, c->prog);
    y->read = BASE_COPY(a, c->read, c->nread);
    for (gen_read *r = y->read; r < y->read + y->nread; r++) if (r->step) r->step = BASE_COPY(a, r->step, IR_RANK);
    y->out = BASE_COPY(a, c->out, c->nout);
    y->step = BASE_COPY(a, c->step, c->nstep);
    for (gen_step *s = y->step; s < y->step + y->nstep; s++) if (s->coef) s->coef = BASE_COPY(a, s->coef, s->ncoef);
    y->uniform = BASE_COPY(a, c->uniform, c->nuniform);
    y->slot = c->slot ? BASE_COPY(a, c->slot, c->nreg) : NULL;
    y->own = c->own ? BASE_COPY(a, c->own, c->nreg) : NULL;
    y->hot = c->hot ? gen_hot_new(a) : NULL;
    y->rows = c->rows ? rows_copy(a, c) : NULL;
    return y;
}

typedef struct { base_arena *keep; const gen_group *g; gen_tile_code *c; } making; /* c NULL: failed */

static void make_code(base_arena *a, void *p)
{
    making *m = p;
    gen_tile_code c = { 0 };
    builder b = { .g = m->g, .a = a };
    if (!write_prog(&b, &c)) {
        if (b.why && !base_failed()) base_bug(m->g->eqn[0]->site, "tile: %s", b.why);
        return;
    }
    gen_tile_compile(a, b.shape, &c);
    c.prefetch = reads_far(&c, b.shape);
    m->c = gen_tile_copy(m->keep, &c);
}

/* "tile: exp add": the first primitives of the group. */
static base_name tile_name(const gen_group *g)
{
    enum { ENOUGH = 48 };
    char name[2 * ENOUGH] = "tile:";
    size_t n = strlen(name);
    for (uint32_t i = 0; i < g->neqn && n < ENOUGH; i++) {
        const op_prim *const op = g->eqn[i]->op;
        const size_t more = strlen(op->name);
        if ((op->kernel != OP_MAP && !gen_is_random_bits(g->eqn[i])) || n + 1 + more > sizeof name) continue;
        name[n++] = ' ';
        memcpy(name + n, op->name, more);
        n += more;
    }
    return base_intern_n(name, n);
}

static bool tile_make(base_arena *a, const gen_group *g, run_kernel *k)
{
    making m = { a, g, NULL };
    base_with_arena(make_code, &m);
    gen_tile_code *const c = m.c;
    if (!c) return false;
    c->name = tile_name(g), c->site = g->eqn[g->neqn - 1]->site;
    *k = (run_kernel){ .code = gen_tile_job, .self = c, .tiles = gen_tile_parts, .scratch = gen_tile_scratch,
                       .prepare = gen_tile_line,
                       .name = c->name, .site = c->site };
    return true;
}

const gen_engine gen_tile = { sizeof(gen_engine), "tile", tile_refuses, tile_make };
