/* pass/work.c - what a function has and does, counted: equations by name, floating operations, loops.
 *
 * A product counts two operations per term, what computes elements one per element, what moves them none. A scan's body
 * counts as often as it turns; how often a while turns is not known, its body counts once; of branches the largest
 * counts. */
#include "pass.h"

typedef op_dot_attr dot;

static double count(const ir_type *t) { return (double)ir_count(t); }

static double product(const ir_eqn *e)                   /* terms of a contraction or convolution */
{
    double n = count(IR_OUT(e, 0));
    if (e->op == &row_dot_general) {
        const ir_dims k = IR_ATTR(e, dot)->lhs_contracting;
        for (int i = 0; i < k.n; i++) n *= (double)IR_IN(e, 0)->dim[k.v[i]];
        return n;
    }
    const op_conv_attr *const a = IR_ATTR(e, op_conv_attr);
    double each = (double)IR_IN(e, 1)->dim[a->rhs_output_feature];       /* and so many convolutions side by side */
    for (int d = 0; d < a->batching; d++) each *= (double)IR_IN(e, 1)->dim[d];
    return each > 0 ? n * (count(IR_IN(e, 1)) / each) : 0;
}

static double own(const ir_eqn *e)
{
    double n = 0;
    if (e->op == &row_dot_general || e->op == &row_convolution) return 2 * product(e);
    if (e->op->kernel == OP_MAP && e->op != &row_iota && e->op != &row_const && e->op != &row_convert)
        for (uint32_t j = 0; j < e->nout; j++) n += count(IR_OUT(e, j));
    if (e->op == &row_reduce_window) {
        const ir_dims w = IR_ATTR(e, op_window_attr)->window;
        n = count(IR_OUT(e, 0));
        for (int d = 0; d < w.n; d++) n *= (double)w.v[d];
    } else if (e->op->kernel == OP_FOLD)
        for (uint32_t i = 0; i < (e->op == &row_reduce ? e->nin / 2 : e->nin); i++) n += count(IR_IN(e, i));
    return n;
}

static void note(pass_work *w, base_name name)
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
        const bool loop = e->op == &row_scan || e->op == &row_while;
        const int64_t turns = e->op == &row_scan ? IR_ATTR(e, op_scan_attr)->length : -1;
        double inside = 0;
        w->equations++;
        note(w, base_intern(e->op->name));
        if (loop && w->nloop < PASS_LOOPS) w->loop[w->nloop] = (pass_loop){ e->site, turns };
        w->nloop += loop;
        w->unknown |= e->op == &row_while;
        for (uint32_t s = 0; s < e->nsub && e->op->kernel != OP_FOLD; s++) {
            const double n = walk(w, e->sub[s]);
            inside = e->op != &row_case ? inside + n : n > inside ? n : inside;
        }
        sum += own(e) + inside * (turns >= 0 ? (double)turns : 1);
    }
    return sum;
}

void pass_count(const ir_fn *f, pass_work *w)
{
    *w = (pass_work){ 0 };
    w->flops = walk(w, f);
}
