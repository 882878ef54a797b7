/* op/reduce/window.c - arithmetic of sliding windows, shared by reduce_window, select_and_scatter, select_and_gather,
 * convolution.
 *
 * One dim of size I, base dilation d, pads lo and hi (may be negative), window of k taps with dilation w, stride s.
 * Tap j of output o reads the dilated position p = o s - lo + j w; it is operand element p/d when d divides p and 0
 * <= p/d < I, else padding. Outputs: O = floor(((I-1) d + 1 + lo + hi - ((k-1) w + 1)) / s) + 1, or 0. Backwards
 * (positions of the operand from those of the result) the same windows have stride d, base dilation s, lo' = (k-1) w
 * - lo and hi' = (I-1) d - (O-1) s + lo. */
#include "../build.h"

int64_t op_window_count(int64_t size, const op_taps *t)
{
    const int64_t dilated = size ? (size - 1) * t->base + 1 : 0,
                  capacity = dilated + t->lo + t->hi - ((t->n - 1) * t->step + 1);
    return capacity < 0 ? 0 : capacity / t->stride + 1;
}

op_window op_window_reads(const op_taps *t)
{
    return (op_window){ t->stride, -t->lo, (t->n - 1) * t->step - t->lo, t->base };
}

op_taps op_taps_of(const op_window_attr *a, int d)
{
    return (op_taps){ a->window_dimensions.v[d], a->window_strides.v[d], a->base_dilations.v[d],
                      a->window_dilations.v[d], a->padding_low.v[d], a->padding_high.v[d] };
}

op_taps op_conv_taps(const op_conv_attr *a, const ir_type *rhs, int i)
{
    return (op_taps){ rhs->dim[a->kernel_spatial_dimensions.v[i]], a->window_strides.v[i], a->lhs_dilation.v[i],
                      a->rhs_dilation.v[i],
                      a->padding_low.v[i], a->padding_high.v[i] };
}

op_taps op_taps_back(const op_taps *t, int64_t in, int64_t out)
{
    return (op_taps){ t->n, t->base, t->stride, t->step, (t->n - 1) * t->step - t->lo,
                      (in - 1) * t->base - (out - 1) * t->stride + t->lo };
}

bool op_taps_trivial(const op_taps *t) { return t->n == 1 && t->stride == 1 && t->base == 1 && !t->lo && !t->hi; }

bool op_window_type(const ir_eqn *e, const ir_type *x, const op_window_attr *a, int64_t *dim)
{
    const char *const op = e->op->name;
    const ir_dims *const list[] = { &a->window_dimensions, &a->window_strides, &a->base_dilations,
                                    &a->window_dilations,  &a->padding_low,        &a->padding_high };
    for (int i = 0; i < 6; i++)
        if (list[i]->n != x->rank)
            return base_fail(TT_ESHAPE, e->site, "%s: %s has %d entries for an operand of %d dims", op,
                             e->op->field[i].name, list[i]->n, x->rank);
    for (int i = 0; i < 6; i++)
        if (!op_check_amounts(e, e->op->field[i].name, *list[i], INT32_MAX)) return false;
    if (!op_check_amounts(e, "the operand's size", (ir_dims){ x->rank, x->dim }, INT32_MAX)) return false;
    for (int d = 0; d < x->rank; d++) {
        const op_taps t = op_taps_of(a, d);
        for (int i = 0; i < 4; i++)
            if (list[i]->v[d] < 1)
                return base_fail(TT_ESHAPE, e->site, "%s: %s of dim %d is %lld, not 1 or more", op,
                                 e->op->field[i].name, d, (long long)list[i]->v[d]);
        dim[d] = op_window_count(x->dim[d], &t);
    }
    return true;
}

const ir_field op_window_fields[] = {
    IR_FIELD(op_window_attr, window_dimensions, IR_DIMS), IR_FIELD(op_window_attr, window_strides, IR_DIMS),
    IR_FIELD(op_window_attr, base_dilations, IR_DIMS), IR_FIELD(op_window_attr, window_dilations, IR_DIMS),
    IR_FIELD(op_window_attr, padding_low, IR_DIMS), IR_FIELD(op_window_attr, padding_high, IR_DIMS), { 0 }
};

op_window_attr op_window_grown(ir_build *b, const op_window_attr *a)
{
    const ir_dims *const from[] = { &a->window_dimensions, &a->window_strides, &a->base_dilations,
                                    &a->window_dilations,  &a->padding_low,        &a->padding_high };
    ir_dims to[6];
    for (int i = 0; i < 6; i++) {
        int64_t *v = IR_NEW(b, int64_t, from[i]->n + 1);
        v[0] = i < 4;
        for (int d = 0; d < from[i]->n; d++) v[d + 1] = from[i]->v[d];
        to[i] = (ir_dims){ from[i]->n + 1, v };
    }
    return (op_window_attr){ to[0], to[1], to[2], to[3], to[4], to[5] };
}

op_window_attr op_window_back(ir_build *b, const op_window_attr *a, const int64_t *in, const int64_t *out)
{
    const int n = a->window_dimensions.n;
    int64_t *lo = IR_NEW(b, int64_t, n), *hi = IR_NEW(b, int64_t, n);
    for (int d = 0; d < n; d++) {
        const op_taps t = op_taps_of(a, d), back = op_taps_back(&t, in[d], out[d]);
        lo[d] = back.lo, hi[d] = back.hi;
    }
    return (op_window_attr){ a->window_dimensions, a->base_dilations, a->window_strides, a->window_dilations,
                             { n, lo }, { n, hi } };
}

ir_fn *op_region_compare(ir_build *b, op_cmp how, tt_dtype dtype)
{
    const ir_type *t = ir_type_of(dtype, 0, NULL);
    ir_build *r = ir_region(b, base_intern("select"));
    const ir_id x = ir_arg(r, t), y = ir_arg(r, t), p = op_compare(r, how, x, y);
    return ir_end(r, 1, &p);
}
