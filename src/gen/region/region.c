/* gen/region/region.c - the engine of regions that are no known monoid: the region's equations become one scalar
 * program, which the loops of the tile interpreter (or a compiled loop) run over lanes.
 *
 * Parameters and results are lines in memory, in their storage type; f16 and bf16 are rounded after every equation, as
 * in the reference. Regions with loops, branches or non-scalar values are left to the reference. */
#include "region.h"
#include "../../op/ops.h"

#include <string.h>

enum { LONGEST = 8000, DEEP = 32 };                      /* most instructions; deepest nesting of calls */

/* ---- a region as a scalar program ---- */

static const char *refuses_at(const ir_fn *f, int depth)
{
    if (f->narg > 2 * REGION_MOST || f->nret > REGION_MOST) return "a region of more than 8 operands";
    for (uint32_t id = 1; id <= f->nvalue; id++) {
        if (f->type[id]->rank) return "a region with values that are no scalars";
        if (ir_dtype_of(f->type[id]->dtype)->cls == IR_COMPLEX_CLASS) return "a region of complex numbers";
    }
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *e = &f->eqn[k];
        const bool map = e->op->kernel == OP_MAP && e->op->prog != op_prog_none && e->nin <= IR_RANK && e->nout <= 4;
        const bool same = e->op == &prim_broadcast_in_dim || e->op == &prim_reshape;
        const char *why = "a region of more than elementwise equations";
        if (e->op == &prim_call && depth < DEEP) why = refuses_at(e->sub[0], depth + 1);
        else if (map || same || e->op == &prim_const) why = NULL;
        if (why) return why;
    }
    return NULL;
}

const char *region_refuses(const ir_fn *f) { return refuses_at(f, 0); }

/* Appends f, whose parameters are the registers x, to the scalar program. y: f's results. */
static bool write_region(op_prog *t, const ir_fn *f, const op_reg *x, op_reg *y)
{
    op_reg *reg = BASE_NEW(t->arena, op_reg, f->nvalue + 1);
    for (uint32_t i = 0; i < f->narg; i++) reg[1 + i] = x[i];
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *e = &f->eqn[k];
        op_reg in[2 * REGION_MOST];
        if (t->n > LONGEST) return false;
        for (uint32_t i = 0; i < e->nin && i < 2 * REGION_MOST; i++) in[i] = reg[e->in[i]];
        if (e->op == &prim_const) {
            const op_const_attr *c = IR_ATTR(e, op_const_attr);
            reg[e->out] = op_element(t, c->dtype, c->data.p);
        } else if (e->op == &prim_broadcast_in_dim || e->op == &prim_reshape) {
            reg[e->out] = in[0];
        } else if (e->op == &prim_call) {
            if (!write_region(t, e->sub[0], in, &reg[e->out])) return false;
        } else if (!op_prog_add(t, e, in, &reg[e->out])) {
            return false;
        }
    }
    for (uint32_t j = 0; j < f->nret; j++) y[j] = reg[f->ret[j]];
    return true;
}

region_code *region_of(base_arena *a, const ir_fn *f)
{
    region_code *r = BASE_NEW(a, region_code, 1);
    gen_tile_code *c = &r->code;
    op_prog *t = op_prog_begin(a);
    op_reg out[REGION_MOST];
    r->narg = (int)f->narg, r->nret = (int)f->nret;
    r->param = BASE_NEW(a, op_reg, f->narg + 1);
    r->arg = BASE_NEW(a, tt_dtype, f->narg + 1), r->ret = BASE_NEW(a, tt_dtype, f->nret + 1);
    c->read = BASE_NEW(a, gen_read, f->narg + 1), c->out = BASE_NEW(a, gen_made, f->nret + 1);
    for (int i = 0; i < r->narg; i++) {
        r->arg[i] = f->type[1 + i]->dtype;
        r->param[i] = op_input(t, r->arg[i]);
        c->read[i] = (gen_read){ .in = (int16_t)i, .reg = r->param[i] };
        for (int d = 1; d < IR_RANK; d++) c->read[i].dim[d] = -1;
    }
    if (!write_region(t, f, r->param, out)) return NULL;
    for (int j = 0; j < r->nret; j++) r->ret[j] = f->type[f->ret[j]]->dtype, c->out[j].reg = out[j];
    c->prog = t, c->rank = 1, c->nin = c->nread = r->narg, c->nout = r->nret;
    gen_tile_compile(a, ir_type_of(TT_F32, 1, (const int64_t[]){ 1 << 20 }), c);
    c->name = base_intern("region"), c->site = f->neqn ? f->eqn[f->neqn - 1].site : NULL;
    return r;
}

/* ---- running ---- */

static int64_t table_bytes(const gen_tile_code *c)
{
    return region_padded(c->nreg * (int64_t)(sizeof(void *) + sizeof(op_word)));
}

int64_t region_scratch(const region_code *r) { return table_bytes(&r->code) + r->code.width * r->code.tile + 64; }

region_run region_begin(const region_code *r, void *scratch, double work)
{
    const gen_tile_code *c = &r->code;
    region_run run = { .r = r, .at = scratch };
    run.k = (op_word *)(run.at + c->nreg);
    run.slots = base_line_up((char *)scratch + table_bytes(c));
    memset(scratch, 0, (size_t)table_bytes(c));
    gen_uniforms(c, run.k);
    for (int i = 0; i < c->nstep; i++)
        if (c->step[i].kind == GEN_RUN) run.at[c->step[i].d] = run.slots + c->slot[c->step[i].d] * c->tile;
    run.loop = gen_hot_loop(c, work < 1e15 ? (int64_t)work : (int64_t)1e15, NULL);
    return run;
}

void region_do(region_run *run, void *const *in, void *const *out, int64_t n)
{
    const gen_tile_code *c = &run->r->code;
    const int64_t m = region_padded(n);
    for (int i = 0; i < run->r->narg; i++) run->at[run->r->param[i]] = in[i];
    for (int j = 0; j < run->r->nret; j++) run->at[c->out[j].reg] = out[j];
    if (run->loop) {
        run->loop(run->at, run->k, m);
        return;
    }
    for (int i = 0; i < c->nstep; i++) {
        const gen_step *x = &c->step[i];
        switch (x->kind) {
        case GEN_RUN: x->loop(x, run->at, run->k, m); break;
        case GEN_UNLESS_ANY: if (c->ops->same(run->at[x->a], n, false)) i += x->which; break;
        case GEN_IF_ALL: if (c->ops->same(run->at[x->a], n, true)) i += x->which; break;
        default: break;                                  /* parameters and results stay in place */
        }
    }
}

/* ---- the engine ---- */

static const region_kind *const kinds[] = { &region_reduce, &region_window, &region_scatter, &region_select_scatter,
                                            &region_select_gather, &region_sort, &region_while, NULL };

static const region_kind *kind_of(const ir_eqn *e)
{
    for (int i = 0; kinds[i]; i++) if (kinds[i]->prim == e->op) return kinds[i];
    return NULL;
}

static const char *engine_refuses(const gen_group *g)
{
    const region_kind *k = g->neqn == 1 ? kind_of(g->eqn[0]) : NULL;
    return k ? k->refuses(g->eqn[0]) : "it has no region";
}

static bool engine_make(base_arena *a, const gen_group *g, run_kernel *k)
{
    const ir_eqn *e = g->eqn[0];
    if (!kind_of(e)->make(a, e, k)) return false;
    k->site = e->site;
    k->name = base_intern(base_format(a, "region: %s", e->op->name));
    return true;
}

const gen_engine gen_region = { sizeof(gen_engine), "region", engine_refuses, engine_make };
