/* gen/rows/rows_stages.c - splits the equations of a group over rows into stages.
 *
 * An equation's level is above the levels of the equations of other kinds that it reads; equations of one level and one
 * kind (full, row value, one reduction) form a stage. Constants and broadcast values belong to every stage that reads
 * them. Each stage is a kernel of the engine of its kind. */
#include "rows_stages.h"
#include "../../op/ops.h"

#include <string.h>

/* Which equations may share a stage: those of one kind. ROW: values per row without the reduced dims; ROW_KEPT: the
 * same with these dims of size 1. KIND_REDUCE + i: reduction i, a stage of its own. */
enum { KIND_NONE, KIND_FULL, KIND_ROW, KIND_ROW_KEPT, KIND_REDUCE };

typedef struct {
    base_arena *a; const gen_group *g; rows_self *r;
    bool *cheap;                                         /* [equation]: part of every stage that reads its result */
    int *level;                                          /* [equation]: level of its stage; if cheap: of its operands */
    int *kind;                                           /* [equation]: KIND_NONE of constants, .. */
    int32_t *scratch;                                    /* [equation]: buffer of its result, or -1 */
} builder;

static bool is_in(const ir_id *list, uint32_t n, ir_id v, uint32_t *at)
{
    for (uint32_t i = 0; i < n; i++) if (list[i] == v) return *at = i, true;
    return false;
}

/* Broadcast values and constants belong to their readers. Exceptions, which are results of a stage: results of the
 * group, operands of a reduction, and operands of a broadcast over the rows. */
static void set_cheap(builder *b)
{
    const gen_group *g = b->g;
    uint32_t at;
    for (uint32_t k = 0; k < g->neqn; k++) b->cheap[k] = rows_is_cheap(g->eqn[k]);
    for (uint32_t k = 0; k < g->neqn; k++) {
        const ir_eqn *e = g->eqn[k];
        if (is_in(g->out, g->nout, e->out, &at)) b->cheap[k] = false;
        const bool spreads = e->op == &prim_broadcast_in_dim && IR_IN(e, 0)->rank;
        const bool reduces = rows_is_reduce(e) || rows_is_down(e, b->r->kept);
        const int m = reduces || spreads ? rows_maker(g, e->in[0]) : -1;
        if (m >= 0) b->cheap[m] = false;
    }
}

static void set_levels(builder *b)
{
    const gen_group *g = b->g;
    int reductions = 0;
    for (uint32_t k = 0; k < g->neqn; k++) {
        const ir_eqn *e = g->eqn[k];
        const ir_type *y = IR_OUT(e, 0);
        const bool passes = b->cheap[k] || rows_is_view(e);
        b->kind[k] = rows_is_reduce(e) ? KIND_REDUCE + reductions++ : ir_same_dims(y, b->r->full) ? KIND_FULL
                     : y->rank == b->r->kept ? KIND_ROW : KIND_ROW_KEPT;
        b->level[k] = 0;
        int from = KIND_NONE;
        for (uint32_t i = 0; i < e->nin; i++) {
            const int m = rows_maker(g, e->in[i]);
            if (m < 0) continue;
            const int l = b->level[m] + (!passes && b->kind[m] != KIND_NONE && b->kind[m] != b->kind[k]);
            if (l >= b->level[k]) b->level[k] = l, from = b->kind[m];
        }
        if (passes) b->kind[k] = e->nin ? from : KIND_NONE;      /* the kind of its operand */
    }
}

/* The value that v is a view of, or v. */
static ir_id viewed(const gen_group *g, ir_id v)
{
    for (int m = rows_maker(g, v); m >= 0 && rows_is_view(g->eqn[m]); m = rows_maker(g, v)) v = g->eqn[m]->in[0];
    return v;
}

static rows_arg rows_stages_arg_of(builder *b, ir_id v)
{
    const gen_group *g = b->g;
    const ir_fn *f = g->eqn[0]->fn;
    const ir_id base = viewed(g, v);
    rows_arg p = { .type = f->type[v], .cls = gen_rows_class_of(b->r->full, b->r->kept, f->type[v]) };
    const int m = rows_maker(g, base);
    if (is_in(g->in, g->nin, base, &p.at)) return p.space = ROWS_IN, p;
    if (is_in(g->out, g->nout, base, &p.at)) return p.space = ROWS_OUT, p;
    if (m >= 0 && g->eqn[m]->op == &prim_const && b->cheap[m]) {
        p.space = ROWS_CONSTANT, p.data = IR_ATTR(g->eqn[m], op_const_attr)->data.p;
        return p;
    }
    p.space = ROWS_MADE;
    if (b->scratch[m] < 0) {
        b->scratch[m] = (int32_t)b->r->nbuffer;
        const gen_rows_class cls = gen_rows_class_of(b->r->full, b->r->kept, f->type[base]);
        b->r->buffer[b->r->nbuffer++] = (rows_buffer){ f->type[base], cls };
    }
    p.at = (uint32_t)b->scratch[m];
    return p;
}

/* Adds equation k to the stage, preceded by the cheap equations whose results it reads. */
static void rows_stages_gather(const builder *b, uint32_t k, bool *member)
{
    const ir_eqn *e = b->g->eqn[k];
    if (member[k]) return;
    member[k] = true;
    for (uint32_t i = 0; i < e->nin; i++) {
        const int m = rows_maker(b->g, e->in[i]);
        if (m >= 0 && b->cheap[m] && !rows_is_reduce(e)) rows_stages_gather(b, (uint32_t)m, member);
    }
}

/* True if v, computed in this stage, is read outside of the stage. */
static bool read_outside(const builder *b, ir_id v, const bool *member)
{
    uint32_t at;
    if (is_in(b->g->out, b->g->nout, v, &at)) return true;
    for (uint32_t k = 0; k < b->g->neqn; k++)
        for (uint32_t i = 0; !member[k] && i < b->g->eqn[k]->nin; i++) if (b->g->eqn[k]->in[i] == v) return true;
    return false;
}

static bool make_stage(builder *b, const bool *member)
{
    const gen_group *g = b->g;
    rows_stage *s = &b->r->stage[b->r->nstage];
    uint32_t n = 0, nin = 0, nout = 0, most = 0, at;
    for (uint32_t k = 0; k < g->neqn; k++) most += member[k] ? g->eqn[k]->nin : 0;
    const ir_eqn **eqn = BASE_NEW(b->a, const ir_eqn *, g->neqn);
    ir_id *in = BASE_NEW(b->a, ir_id, most + 1), *out = BASE_NEW(b->a, ir_id, g->neqn);
    for (uint32_t k = 0; k < g->neqn; k++) if (member[k]) eqn[n++] = g->eqn[k];
    const bool reduces = rows_is_reduce(eqn[0]);
    for (uint32_t k = 0; k < n; k++) {
        for (uint32_t i = 0; i < eqn[k]->nin; i++) {
            const int m = rows_maker(g, eqn[k]->in[i]);
            const bool known = !reduces && is_in(in, nin, eqn[k]->in[i], &at);
            if (!known && (m < 0 || !member[m])) in[nin++] = eqn[k]->in[i];
        }
        if (read_outside(b, eqn[k]->out, member) && !b->cheap[rows_maker(g, eqn[k]->out)])
            out[nout++] = eqn[k]->out;
    }
    if (!nout) return true;
    const gen_group sub = { n, eqn, nin, nout, in, out, g->reproducible };
    /* gen_tile refuses random bits alone, which are gen_random's, but can compute them: here a reduction reads them. */
    const bool bits = n == 1 && gen_is_random_bits(eqn[0]);
    const bool made = reduces ? gen_reduce_lines(b->a, &sub, &s->k)
                           : (bits || !gen_tile.refuses(&sub)) && gen_tile.make(b->a, &sub, &s->k);
    if (!made)
        return base_failed() ? false : base_bug(eqn[n - 1]->site, "rows: a stage that no engine takes");
    s->narg = nin + nout;
    s->arg = BASE_NEW(b->a, rows_arg, s->narg);
    for (uint32_t i = 0; i < nin; i++) s->arg[i] = rows_stages_arg_of(b, in[i]);
    for (uint32_t j = 0; j < nout; j++) s->arg[nin + j] = rows_stages_arg_of(b, out[j]);
    if (s->narg > b->r->most) b->r->most = s->narg;
    b->r->nstage++;
    return true;
}

static bool of_stage(const builder *b, uint32_t k)
{
    return !b->cheap[k] && !rows_is_view(b->g->eqn[k]) && !rows_is_down(b->g->eqn[k], b->r->kept);
}

/* Makes the stages by rising level; within a level, one stage per kind. */
static bool make_stages(builder *b)
{
    const gen_group *g = b->g;
    bool *done = BASE_NEW(b->a, bool, g->neqn), *member = BASE_NEW(b->a, bool, g->neqn);
    for (uint32_t left = g->neqn, level = 0; left && level <= g->neqn; level++)
        for (uint32_t k = 0; k < g->neqn; k++) {
            if (!of_stage(b, k) || done[k] || b->level[k] != (int)level) continue;
            memset(member, 0, g->neqn * sizeof *member);
            for (uint32_t i = k; i < g->neqn; i++)
                if (of_stage(b, i) && b->level[i] == (int)level && b->kind[i] == b->kind[k])
                    rows_stages_gather(b, i, member), done[i] = true;
            if (!make_stage(b, member)) return false;
        }
    return true;
}

/* Column sums read values that stages leave in buffers or results. */
static void make_columns(builder *b)
{
    const gen_group *g = b->g;
    b->r->column = BASE_NEW(b->a, rows_column, g->nout);
    for (uint32_t j = 0; j < g->nout; j++) {
        const int m = rows_maker(g, g->out[j]);
        const ir_eqn *e = m < 0 ? NULL : g->eqn[m];
        if (!e || !rows_is_down(e, b->r->kept)) continue;
        b->r->column[b->r->ncolumn++] = (rows_column){ reduce_here(IR_IN(e, 0)->dtype, op_monoid(e->sub[0])), j,
                                                       rows_stages_arg_of(b, e->in[0]),
                                                           rows_stages_arg_of(b, e->in[1]) };
    }
}

bool rows_make_stages(base_arena *a, const gen_group *g, rows_self *r)
{
    r->stage = BASE_NEW(a, rows_stage, g->neqn);
    r->buffer = BASE_NEW(a, rows_buffer, g->neqn);
    builder b = { .a = a, .g = g, .r = r };
    b.level = BASE_NEW(a, int, g->neqn), b.kind = BASE_NEW(a, int, g->neqn), b.scratch = BASE_NEW(a, int32_t, g->neqn);
    memset(b.scratch, -1, g->neqn * sizeof *b.scratch);
    b.cheap = BASE_NEW(a, bool, g->neqn);
    set_cheap(&b);
    set_levels(&b);
    if (!make_stages(&b)) return false;
    make_columns(&b);
    return true;
}
