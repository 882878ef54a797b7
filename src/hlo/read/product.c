/* hlo/read/product.c - reads dot_general, dot and convolution, with their precision (hint.c), and Fourier
 * transforms. */
#include "../inner.h"
#include "../../op/ops.h"

static bool product_two(hlo_reader *r, const hlo_op *o)
{
    return (o->in.n == 2 && hlo_result(o, 0)) ||
           hlo_refuse(r, o, TT_EARG, "expected two operands, not %d, and the result's type", o->in.n);
}

static bool is_integer(tt_dtype t)
{
    const ir_class c = ir_dtype_of(t)->cls;
    return c == IR_INT_CLASS || c == IR_UINT_CLASS;
}

/* The product of both operands as `as`, its sums as `sums`, converted to the result's type. */
static bool emit_dot_as(hlo_reader *r, op_dot_attr a, const ir_id *x, tt_dtype as, tt_dtype sums, ir_id *y)
{
    const ir_id word[2] = { op_convert(r->b, x[0], as), op_convert(r->b, x[1], as) };
    const tt_dtype result = a.preferred_element_type;
    ir_id sum = 0;
    a.preferred_element_type = sums;
    return hlo_emit(r, &prim_dot_general, &a, 2, word, &sum) && (y[0] = op_convert(r->b, sum, result)) != 0;
}

/* Emits a product. For booleans the product is "and" and the sum "or". Where the result is another kind of number than
 * the operands, as in XLA: integers are converted before they are multiplied, sums of floats after. */
static bool emit_dot(hlo_reader *r, op_dot_attr a, const ir_id *x, ir_id *y)
{
    const tt_dtype has = ir_typeof(r->b, x[0])->dtype, to = a.preferred_element_type;
    const ir_class from = ir_dtype_of(has)->cls, kind = ir_dtype_of(to)->cls;
    if (from == IR_BOOL_CLASS && kind == IR_BOOL_CLASS && ir_typeof(r->b, x[1])->dtype == TT_BOOL)
        return emit_dot_as(r, a, x, TT_I32, TT_I32, y);
    if (from != kind && is_integer(has) && kind != IR_BOOL_CLASS) return emit_dot_as(r, a, x, to, to, y);
    if (from == IR_FLOAT_CLASS && is_integer(to)) return emit_dot_as(r, a, x, has, ir_widened(has), y);
    return hlo_emit(r, &prim_dot_general, &a, 2, x, y);
}

static bool dot_general(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const hlo_attrs *const d = hlo_record(o, "dot_dimension_numbers");
    if (!product_two(r, o)) return false;
    const op_dot_attr a = { hlo_dims(r, o, d, "lhs_batching_dimensions", 0, 0),
                            hlo_dims(r, o, d, "rhs_batching_dimensions", 0, 0),
                            hlo_dims(r, o, d, "lhs_contracting_dimensions", 0, 0),
                            hlo_dims(r, o, d, "rhs_contracting_dimensions", 0, 0), hlo_result(o, 0)->dtype,
                            hlo_precision(o) };
    const tt_dtype lhs = ir_typeof(r->b, x[0])->dtype, rhs = ir_typeof(r->b, x[1])->dtype, as = ir_widened(lhs);
    if (r->bad || lhs == rhs || as != ir_widened(rhs)) return !r->bad && emit_dot(r, a, x, y);
    const ir_id wide[] = { op_convert(r->b, x[0], as), op_convert(r->b, x[1], as) };     /* e.g. two formats of f8 */
    return hlo_emit(r, &prim_dot_general, &a, 2, wide, y);
}

/* the older dot: contracts the last dim with the first */
static bool dot(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    if (!product_two(r, o)) return false;
    const int64_t last = ir_typeof(r->b, x[0])->rank - 1, first = 0;
    if (last < 0 || last > 1 || !ir_typeof(r->b, x[1])->rank)
        return hlo_refuse(r, o, TT_ESHAPE, "expected vectors and matrices; stablehlo.dot_general takes more dims");
    const op_dot_attr a = { .lhs_contracting_dimensions = { 1, &last }, .rhs_contracting_dimensions = { 1, &first },
                            .preferred_element_type = hlo_result(o, 0)->dtype, .precision = hlo_precision(o) };
    return emit_dot(r, a, x, y);
}

/* One of the three lists: positions of the two named dims and of the spatial dims 0, 1, ... */
static bool product_dim_labels(hlo_reader *r, const hlo_op *o, const hlo_attrs *lists, const char *key, char one,
    char two_,
                               int64_t *at_one,
                               int64_t *at_two, ir_dims *spatial)
{
    const hlo_attr *const list = hlo_find(lists, key);
    if (!list || list->form != HLO_ARRAY || list->item.n < 2)
        return hlo_refuse(r, o, TT_EARG, "the dim numbers are missing");
    const int n = list->item.n - 2;
    int64_t *const v = BASE_NEW(r->arena, int64_t, n + 1);
    *at_one = *at_two = -1;
    for (int i = 0; i < n; i++) v[i] = -1;
    for (int i = 0; i < list->item.n; i++) {
        const hlo_attr *const a = &list->item.v[i];
        if (a->form == HLO_WORD && a->text.n == 1 && *a->text.at == one) *at_one = i;
        else if (a->form == HLO_WORD && a->text.n == 1 && *a->text.at == two_) *at_two = i;
        else if (a->form == HLO_INTEGER && a->i >= 0 && a->i < n) v[a->i] = i;
        else return hlo_fail(r->p, a->text.at, TT_EARG, "convolution: a dim must be %c, %c or 0 to %d", one, two_,
                             n - 1);
    }
    for (int i = 0; i < n; i++)
        if (v[i] < 0) return hlo_fail(r->p, list->text.at, TT_EARG, "convolution: spatial dim %d is missing", i);
    if (*at_one < 0 || *at_two < 0)
        return hlo_fail(r->p, list->text.at, TT_EARG, "convolution: %c and %c must be there", one, two_);
    *spatial = (ir_dims){ n, v };
    return true;
}

static bool product_convolution(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const hlo_attrs *const d = hlo_record(o, "dimension_numbers");
    op_conv_attr a = { .feature_group_count = hlo_int(r, o, &o->attr, "feature_group_count", 1),
                       .batch_group_count = hlo_int(r, o, &o->attr, "batch_group_count", 1) };
    if (!product_two(r, o) ||
        !product_dim_labels(r, o, d, "lhs", 'b', 'f', &a.input_batch_dimension, &a.input_feature_dimension,
                            &a.input_spatial_dimensions) ||
        !product_dim_labels(r, o, d, "rhs", 'i', 'o', &a.kernel_input_feature_dimension,
                            &a.kernel_output_feature_dimension, &a.kernel_spatial_dimensions) ||
        !product_dim_labels(r, o, d, "out", 'b', 'f', &a.output_batch_dimension, &a.output_feature_dimension,
                            &a.output_spatial_dimensions))
        return false;
    const int n = a.input_spatial_dimensions.n;
    a.window_strides = hlo_dims(r, o, &o->attr, "window_strides", n, 1);
    a.lhs_dilation = hlo_dims(r, o, &o->attr, "lhs_dilation", n, 1);
    a.rhs_dilation = hlo_dims(r, o, &o->attr, "rhs_dilation", n, 1);
    a.window_reversal = hlo_dims(r, o, &o->attr, "window_reversal", n, 0);
    a.preferred_element_type = hlo_result(o, 0)->dtype;
    a.precision = hlo_precision(o);
    if (!hlo_pairs(r, o, "padding", n, &a.padding_low, &a.padding_high)) return false;
    return !r->bad && hlo_emit(r, &prim_convolution, &a, 2, x, y);
}

static bool fft(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    static const char *const words[] = { "FFT", "IFFT", "RFFT", "IRFFT" };
    const hlo_span w = hlo_choice(&o->attr, "fft_type");
    op_fft_attr a = { .fft_type = -1, .fft_length = hlo_dims(r, o, &o->attr, "fft_length", 0, 0) };
    for (int i = 0; i < 4; i++) if (hlo_is(w, words[i])) a.fft_type = i;
    if (r->bad) return false;
    if (o->in.n != 1 || a.fft_type < 0)
        return hlo_refuse(r, o, TT_EARG, "expected one operand, not %d, and an fft_type: FFT IFFT RFFT IRFFT", o->in.n);
    return hlo_emit(r, &prim_fft, &a, 1, x, y);
}

const hlo_rule hlo_products[] = {
    { "stablehlo.dot_general", dot_general },
    { "stablehlo.dot", dot },
    { "stablehlo.convolution", product_convolution },
    { "stablehlo.fft", fft },
    { NULL, NULL },
};
