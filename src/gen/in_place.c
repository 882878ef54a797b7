/* gen/in_place.c - which operand's memory a kernel may overwrite with its result. */
#include "gen.h"
#include "../op/ops.h"

/* True if elementwise equations read `in` and write `out` at the same place, and no equation reads `in` after `out` is
 * written. */
static bool at_same_place(const gen_group *g, ir_id in, ir_id out)
{
    const ir_fn *f = g->eqn[0]->fn;
    const ir_type *x = f->type[in], *y = f->type[out];
    if (ir_dtype_of(x->dtype)->bytes != ir_dtype_of(y->dtype)->bytes || x->rank != y->rank) return false;
    for (int d = 0; d < x->rank; d++) if (x->dim[d] != y->dim[d]) return false;
    for (uint32_t k = 0, made = 0; k < g->neqn; k++) {
        const ir_eqn *e = g->eqn[k];
        for (uint32_t i = 0; i < e->nin; i++)
            if (e->in[i] == in && (made || e->op->kernel != OP_MAP)) return false;
        made |= e->out == out;
        if (e->out == out && e->op->kernel != OP_MAP) return false;
    }
    return true;
}

bool gen_in_place(const gen_group *g, uint32_t in, uint32_t out)
{
    const ir_eqn *e = g->eqn[0];
    if (g->neqn == 1 && (e->op == &prim_dynamic_update_slice || e->op == &prim_scatter)) return in == 0;
    if (g->neqn == 1 && (e->op->kernel != OP_MAP || e->nout > 1)) return false;
    /* A row pattern reads its operands a second time, after results are written. */
    for (uint32_t k = 0; k < g->neqn; k++) if (g->eqn[k]->op == &prim_reduce) return false;
    return at_same_place(g, g->in[in], g->out[out]);
}
