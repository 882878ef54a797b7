/* op/core/map.c - cells that elementwise primitives share, and the cells for "not applicable".
 *
 * The definition of an elementwise equation is its scalar program, run one element at a time, so that reference and
 * engines agree to the bit. libm (.real) only measures the accuracy of a scalar program. */
#include "../build.h"

#include <string.h>

/* ---- linearity ---- */

op_linear op_nonlinear(const ir_eqn *e) { return (void)e, (op_linear){ OP_NONLINEAR, 0 }; }
op_linear op_joint(const ir_eqn *e) { return (void)e, (op_linear){ OP_JOINT, ~(uint64_t)0 }; }
op_linear op_each(const ir_eqn *e) { return (void)e, (op_linear){ OP_EACH, ~(uint64_t)0 }; }
mesh_reduce op_partial_sum(const ir_eqn *e) { return (void)e, MESH_SUM; }
mesh_reduce op_partial_none(const ir_eqn *e) { return (void)e, MESH_NONE; }

static bool linear_in(const op_linear *l, uint32_t i)
{
    return l->kind != OP_NONLINEAR && l->in >> (i < 63 ? i : 63) & 1;
}

/* ---- derivatives ---- */

void op_jvp_zero(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)b, (void)x, (void)y, (void)dx;
    for (uint32_t j = 0; j < e->nout; j++) dy[j] = 0;
}

void op_jvp_none(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)b, (void)x, (void)y, (void)dx;
    for (uint32_t j = 0; j < e->nout; j++) dy[j] = 0;
    base_fail(TT_EGRAD, e->site, "%s has no derivative", e->op->name);
    base_hint("tt_stop_gradient the operands, or give the function a rule with tt_custom_jvp or tt_custom_vjp");
}

/* Emits f(.., dx_i, ..): the tangents in place of the operands in set `in`, the other operands unchanged. */
static ir_id at_tangents(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *dx, uint64_t in)
{
    ir_id *arg = IR_NEW(b, ir_id, e->nin);
    for (uint32_t i = 0; i < e->nin; i++) {
        const bool linear = in >> (i < 63 ? i : 63) & 1;
        arg[i] = !linear ? x[i] : dx[i] ? dx[i] : op_zeros(b, ir_typeof(b, x[i]));
    }
    return ir_clone(b, e, arg);
}

void op_jvp_linear(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    const op_linear l = e->op->linear(e);
    bool any = false;
    for (uint32_t j = 0; j < e->nout; j++) dy[j] = 0;
    for (uint32_t i = 0; i < e->nin; i++) {
        if (!dx[i]) continue;
        if (!linear_in(&l, i)) { op_jvp_none(b, e, x, y, dx, dy); return; }
        any = true;
        if (l.kind != OP_EACH) continue;
        const ir_id term = at_tangents(b, e, x, dx, (uint64_t)1 << i);
        for (uint32_t j = 0; term && j < e->nout; j++) dy[j] = op_plus(b, dy[j], term + j);
    }
    if (!any || l.kind == OP_EACH) return;
    const ir_id all = at_tangents(b, e, x, dx, l.in);
    for (uint32_t j = 0; all && j < e->nout; j++) dy[j] = all + j;
}

void op_transpose_none(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    (void)b, (void)x, (void)ct;
    for (uint32_t i = 0; i < e->nin; i++) cx[i] = 0;
    base_bug(e->site, "%s is not linear and cannot be transposed", e->op->name);
}

/* ---- batching ---- */

/* An operand with the new dim in front. A scalar among larger operands (select's condition, clamp's bounds) stays a
 * scalar if not mapped, and is broadcast from [n, 1, 1, ...] if mapped. */
static ir_id batch_operand(ir_build *b, const ir_eqn *e, uint32_t i, ir_id x, bool mapped, int64_t n)
{
    const ir_type *t = IR_IN(e, i), *out = IR_OUT(e, 0);
    const bool scalar = !t->rank && out->rank;
    int64_t dim[IR_RANK] = { n };
    if (mapped != scalar) return x;
    if (!mapped) return op_spread(b, x, n);
    for (int d = 0; d < out->rank; d++) dim[d + 1] = out->dim[d];
    return op_broadcast(b, x, ir_type_of(t->dtype, out->rank + 1, dim), 1, (const int64_t[]){ 0 });
}

void op_batch_map(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y, bool *out)
{
    ir_id *in = IR_NEW(b, ir_id, e->nin);
    (void)out;                                           /* every result is mapped */
    for (uint32_t i = 0; i < e->nin; i++) in[i] = batch_operand(b, e, i, x[i], mapped[i], n);
    const ir_id first = ir_clone(b, e, in);
    for (uint32_t j = 0; j < e->nout; j++) y[j] = first ? first + j : 0;
}

/* ---- decomposition, reference ---- */

bool op_decompose_none(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    return (void)b, (void)e, (void)x, (void)y, false;
}

op_reg op_prog_none(op_prog *t, const ir_eqn *e, const op_reg *x) { return (void)t, (void)e, (void)x, 0; }

bool op_ref_real(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    int64_t i[IR_RANK];
    for (bool more = ir_first(y, i); more; more = ir_next(y, i))
        ir_store(y, i, (ir_num){ .f = e->op->real(ir_load(x, i).f) });
    return true;
}

static char *map_element(const ir_box *x, const int64_t *i) /* a scalar operand has one element for all */
{
    int64_t at = 0;
    for (int d = 0; d < x->rank; d++) at += (i[d] - x->lo[d]) * x->step[d];
    return (char *)x->at + at * (int64_t)ir_dtype_of(x->dtype)->bytes;
}

typedef struct {
    const ir_eqn *e;
    base_arena *arena;
    const op_prog *prog;
    op_reg in[IR_RANK], out[4];
    op_word *r;
} written;

static void write_prog(void *arg)
{
    written *s = arg;
    s->arena = base_open();
    op_prog *t = op_prog_begin(s->arena);
    for (uint32_t i = 0; i < s->e->nin && i < IR_RANK; i++) s->in[i] = op_input(t, IR_IN(s->e, i)->dtype);
    if (!op_prog_add(t, s->e, s->in, s->out)) return;
    s->r = BASE_NEW(s->arena, op_word, t->n);
    s->prog = t;
}

bool op_ref_prog(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    written s = { .e = e };
    int64_t i[IR_RANK];
    if (op_pairs(e) || op_is_complex(IR_OUT(e, 0)->dtype)) return op_ref_decomposed(e, x, y);
    const bool ok = base_catch(write_prog, &s) && s.prog;
    for (bool more = ok && ir_first(y, i); more; more = ir_next(y, i)) {
        for (uint32_t k = 0; k < e->nin; k++)
            memcpy(&s.r[s.in[k]], map_element(&x[k], i), ir_dtype_of(x[k].dtype)->bytes);
        op_prog_run(s.prog, s.r, i);
        for (uint32_t j = 0; j < e->nout; j++)
            memcpy(map_element(&y[j], i), &s.r[s.out[j]], ir_dtype_of(y[j].dtype)->bytes);
    }
    base_close(s.arena);
    return ok;
}
