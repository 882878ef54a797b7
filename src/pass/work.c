/* pass/work.c - counts the equations (by name), floating-point operations and loops of a function.
 *
 * Operations: contractions and convolutions two per term, elementwise equations one per result element, reductions one
 * per operand element, moves none. The body of a scan counts once per iteration; the body of a while counts once, since
 * its trip count is not known; of a case the largest branch counts. */
#include "pass.h"
#include "../op/ops.h"

typedef op_dot_attr dot;

static double work_count(const ir_type *t) { return (double)ir_count(t); }

static double work_product(const ir_eqn *e)              /* terms of a contraction or convolution */
{
    double n = work_count(IR_OUT(e, 0));
    if (e->op == &prim_dot_general) {
        const ir_dims k = IR_ATTR(e, dot)->lhs_contracting_dimensions;
        for (int i = 0; i < k.n; i++) n *= (double)IR_IN(e, 0)->dim[k.v[i]];
        return n;
    }
    const op_conv_attr *const a = IR_ATTR(e, op_conv_attr);
    /* times the number of batched convolutions */
    double each = (double)IR_IN(e, 1)->dim[a->kernel_output_feature_dimension];
    for (int d = 0; d < a->batching; d++) each *= (double)IR_IN(e, 1)->dim[d];
    return each > 0 ? n * (work_count(IR_IN(e, 1)) / each) : 0;
}

static double own(const ir_eqn *e)
{
    double n = 0;
    if (e->op == &prim_dot_general || e->op == &prim_convolution) return 2 * work_product(e);
    if (e->op->kernel == OP_MAP && e->op != &prim_iota && e->op != &prim_const && e->op != &prim_convert)
        for (uint32_t j = 0; j < e->nout; j++) n += work_count(IR_OUT(e, j));
    if (e->op == &prim_reduce_window) {
        const ir_dims w = IR_ATTR(e, op_window_attr)->window_dimensions;
        n = work_count(IR_OUT(e, 0));
        for (int d = 0; d < w.n; d++) n *= (double)w.v[d];
    } else if (e->op->kernel == OP_REDUCE)
        for (uint32_t i = 0; i < (e->op == &prim_reduce ? e->nin / 2 : e->nin); i++) n += work_count(IR_IN(e, i));
    return n;
}

static void work_note(pass_work *w, base_name name)
{
    for (int k = 0; k < w->nkind; k++)
        if (w->kind[k].name == name) {
            w->kind[k].n++;
            return;
        }
    if (w->nkind < PASS_KINDS) w->kind[w->nkind++] = (pass_kind){ name, 1 };
}

static double walk(pass_work *w, const ir_fn *f)
{
    double sum = 0;
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *const e = &f->eqn[k];
        const bool loop = e->op == &prim_scan || e->op == &prim_while;
        const int64_t iterations = e->op == &prim_scan ? IR_ATTR(e, op_scan_attr)->length : -1;
        double inside = 0;
        w->equations++;
        work_note(w, base_intern(e->op->name));
        if (loop && w->nloop < PASS_LOOPS) w->loop[w->nloop] = (pass_loop){ e->site, iterations };
        w->nloop += loop;
        w->unknown |= e->op == &prim_while;
        for (uint32_t s = 0; s < e->nsub && e->op->kernel != OP_REDUCE; s++) {
            const double n = walk(w, e->sub[s]);
            inside = e->op != &prim_case ? inside + n : n > inside ? n : inside;
        }
        sum += own(e) + inside * (iterations >= 0 ? (double)iterations : 1);
    }
    return sum;
}

void pass_count(const ir_fn *f, pass_work *w)
{
    *w = (pass_work){ 0 };
    w->flops = walk(w, f);
}
