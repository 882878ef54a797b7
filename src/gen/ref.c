/* gen/ref.c - the engine that is always right: runs every equation by its primitive's reference, on the boxes of one
 * instance.
 *
 * Slow. Refuses collectives, reductions in a group, and equations with more than 8 operands in a group. Inner values of
 * a group are dense boxes in scratch, all over the group's result box: the equations of a group share one shape. */
#include "gen.h"

#include <string.h>

typedef struct { gen_group g; int64_t inner; } ref;      /* inner: equations whose result is not an argument */

static int ref_find(const ir_id *list, uint32_t n, ir_id id)
{
    for (uint32_t i = 0; i < n; i++) if (list[i] == id) return (int)i;
    return -1;
}

static size_t inner_bytes(const ir_box *y)
{
    return (size_t)base_round_up(ir_box_count(y) * 16, BASE_CACHE_LINE); /* bytes of the widest dtype */
}

static void ref_single(const void *self, const run_job *job)
{
    const ref *r = self;
    const ir_eqn *e = r->g.eqn[0];
    e->op->ref(e, job->arg, job->arg + r->g.nin);
}

static void ref_group(const void *self, const run_job *job)
{
    const ref *r = self;
    const gen_group *g = &r->g;
    const ir_box *out = job->arg + g->nin;
    ir_box made[g->neqn], x[8], y;
    char *scratch = job->scratch;
    for (uint32_t k = 0; k < g->neqn; k++) {
        const ir_eqn *e = g->eqn[k];
        for (uint32_t i = 0; i < e->nin; i++) {
            const int a = ref_find(g->in, g->nin, e->in[i]);
            for (uint32_t m = 0; a < 0 && m < k; m++) if (g->eqn[m]->out == e->in[i]) x[i] = made[m];
            if (a >= 0) x[i] = job->arg[a];
        }
        const int o = ref_find(g->out, g->nout, e->out);
        if (o >= 0) y = out[o];
        else y = ir_box_of(scratch, IR_OUT(e, 0)->dtype, out->rank, out->lo, out->n), scratch += inner_bytes(out);
        e->op->ref(e, x, &y);
        made[k] = y;
    }
}

static int64_t ref_scratch(const void *self, const ir_box *arg)
{
    const ref *r = self;
    return r->inner * (int64_t)inner_bytes(arg + r->g.nin);
}

static const char *ref_refuses(const gen_group *g)
{
    for (uint32_t k = 0; k < g->neqn; k++) {
        if (g->eqn[k]->op->ref == op_ref_group) return "a collective is an exchange, not a kernel";
        if (g->neqn > 1 && g->eqn[k]->nin > 8) return "more than 8 operands in a group";
        if (g->neqn > 1 && g->eqn[k]->op->kernel ==
            OP_REDUCE) return "a reduction in a group: its result has another shape";
    }
    return NULL;
}

static bool ref_make(base_arena *a, const gen_group *g, run_kernel *k)
{
    ref *r = BASE_NEW(a, ref, 1);
    base_text name = { .arena = a };
    r->g = *g;
    base_appendf(&name, "ref:");
    for (uint32_t i = 0; i < g->neqn; i++) {
        r->inner += ref_find(g->out, g->nout, g->eqn[i]->out) < 0;
        if (name.n < 48) base_appendf(&name, " %s", g->eqn[i]->op->name);
    }
    *k = (run_kernel){ .code = ref_single, .self = r, .name = base_intern(name.s), .site = g->eqn[g->neqn - 1]->site };
    if (g->neqn > 1) k->code = ref_group, k->scratch = ref_scratch;
    return true;
}

const gen_engine gen_ref = { sizeof(gen_engine), "ref", ref_refuses, ref_make };
