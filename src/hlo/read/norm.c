/* hlo/read/norm.c - batch_norm_inference, batch_norm_training, batch_norm_grad: by the specification's formulas,
 * reducing over all dims but the feature dim. */
#include "../inner.h"
#include "../../op/ops.h"

#include <stdlib.h>
#include <string.h>

typedef ir_id value;
typedef struct {
    ir_build *b;
    const ir_type *t;                                    /* of the operand */
    int64_t feature, over[IR_RANK];                      /* over: all dims but the feature dim */
    int n;
    double epsilon, count;
} norm;

static bool norm_of(hlo_reader *r, const hlo_op *o, const ir_id *x, int operands, norm *w)
{
    const hlo_attr *const e = hlo_find(&o->attr, "epsilon");
    char text[64] = "";
    *w = (norm){ .b = r->b, .t = o->in.n == operands ? ir_typeof(r->b, x[0]) : NULL, .count = 1 };
    w->feature = hlo_int(r, o, &o->attr, "feature_index", -1);
    if (r->bad) return false;
    if (!w->t || !ir_is_float(w->t->dtype))
        return hlo_refuse(r, o, TT_ETYPE, "expected %d operands of floats, not %d", operands, o->in.n);
    if (w->feature < 0 || w->feature >= w->t->rank)
        return hlo_refuse(r, o, TT_EARG, "feature_index is %lld; expected a dim of an operand of rank %d",
                          (long long)w->feature, w->t->rank);
    if (!e || e->text.n >= sizeof text) return hlo_refuse(r, o, TT_EARG, "epsilon is missing");
    memcpy(text, e->text.at, e->text.n);
    w->epsilon = e->form == HLO_INTEGER ? (double)e->i : base_strtod(text, NULL);
    for (int d = 0; d < w->t->rank; d++) if (d != w->feature) w->over[w->n++] = d, w->count *= (double)w->t->dim[d];
    for (int i = 1; i < operands; i++) {                 /* [features], except the gradient */
        const ir_type *const v = ir_typeof(r->b, x[i]);
        if (v == w->t || (v->dtype == w->t->dtype && v->rank == 1 && v->dim[0] == w->t->dim[w->feature])) continue;
        return hlo_refuse(r, o, TT_ESHAPE, "operand %d: expected one number per feature, [%lld]", i + 1,
                          (long long)w->t->dim[w->feature]);
    }
    return true;
}

static value norm_wide(const norm *w, value v) { return op_broadcast(w->b, v, w->t, 1, &w->feature); }
static value norm_sum(const norm *w, value v) { return op_reduce_dims(w->b, &prim_add, v, w->n, w->over); }
static value norm_num(const norm *w, value like, double v) { return like ? op_splat(w->b, ir_typeof(w->b, like), v) : 0;
}
static value mean(const norm *w, value v)
{
    const value s = norm_sum(w, v);
    return op_div(w->b, s, norm_num(w, s, w->count));
}

static value deviation(const norm *w, value variance)
{
    return op_sqrt(w->b, op_add(w->b, variance, norm_num(w, variance, w->epsilon)));
}

static value normalised(const norm *w, value x, value m, value variance)
{
    return op_div(w->b, op_sub(w->b, x, norm_wide(w, m)), norm_wide(w, deviation(w, variance)));
}

static value norm_scaled(const norm *w, value x, const ir_id *scale_offset)
{
    return op_add(w->b, op_mul(w->b, x, norm_wide(w, scale_offset[0])), norm_wide(w, scale_offset[1]));
}

static bool inference(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)  /* x, scale, offset, mean, variance */
{
    norm w;
    if (!norm_of(r, o, x, 5, &w)) return false;
    y[0] = norm_scaled(&w, normalised(&w, x[0], x[3], x[4]), x + 1);
    return y[0] != 0;
}

static bool training(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)   /* x, scale, offset */
{
    norm w;
    if (!norm_of(r, o, x, 3, &w)) return false;
    y[1] = mean(&w, x[0]);
    const value off = op_sub(w.b, x[0], norm_wide(&w, y[1]));
    y[2] = mean(&w, op_mul(w.b, off, off));
    y[0] = norm_scaled(&w, normalised(&w, x[0], y[1], y[2]), x + 1);
    return y[0] && y[1] && y[2];
}

static bool gradient(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)  /* x, scale, mean, variance, gradient */
{
    norm w;
    if (!norm_of(r, o, x, 5, &w)) return false;
    const value off = op_sub(w.b, x[0], norm_wide(&w, x[2])), g = x[4],
        var = op_add(w.b, x[3], norm_num(&w, x[3], w.epsilon));
    const value along = op_div(w.b, op_mul(w.b, norm_wide(&w, norm_sum(&w, op_mul(w.b, g, off))), off),
        norm_wide(&w, var));
    const value rest = op_sub(w.b, op_sub(w.b, op_mul(w.b, g, norm_num(&w, g, w.count)),
        norm_wide(&w, norm_sum(&w, g))), along);
    const value by = op_div(w.b, op_div(w.b, x[1], deviation(&w, x[3])), norm_num(&w, x[1], w.count));
    y[0] = op_mul(w.b, norm_wide(&w, by), rest);
    y[1] = norm_sum(&w, op_mul(w.b, g, normalised(&w, x[0], x[2], x[3])));
    y[2] = norm_sum(&w, g);
    return y[0] && y[1] && y[2];
}

const hlo_rule hlo_norms[] = {
    { "stablehlo.batch_norm_inference", inference },
    { "stablehlo.batch_norm_training", training },
    { "stablehlo.batch_norm_grad", gradient },
    { NULL, NULL },
};
