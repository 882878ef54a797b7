/* hlo/print_attr.c - attributes as StableHLO's generic form writes them. A table by row; rows that are not in it
 * have none. */
#include "print.h"

typedef struct { base_text *t; int n; } list;

static void next(list *l, const char *key)
{
    base_put(l->t, "%s%s = ", l->n++ ? ", " : "", key);
}

static void numbers(base_text *t, ir_dims d)
{
    for (int i = 0; i < d.n; i++) base_put(t, "%s%lld", i ? ", " : "", (long long)d.v[i]);
}

static void packed(list *l, const char *key, ir_dims d)
{
    next(l, key);
    base_put(l->t, "array<i64%s", d.n ? ": " : "");
    numbers(l->t, d);
    base_put(l->t, ">");
}

static void whole(list *l, const char *key, int64_t v, const char *type)
{
    next(l, key);
    base_put(l->t, "%lld : %s", (long long)v, type);
}

static void truth(list *l, const char *key, bool v)
{
    next(l, key);
    base_put(l->t, v ? "true" : "false");
}

static void field(base_text *t, bool *first, const char *key, ir_dims d)     /* of a record */
{
    if (!d.n) return;
    base_put(t, "%s%s = [", *first ? "" : ", ", key);
    numbers(t, d);
    base_put(t, "]");
    *first = false;
}

static void pairs(list *l, const char *key, ir_dims lo, ir_dims hi)
{
    next(l, key);
    base_put(l->t, "dense<%s", lo.n ? "[" : "");
    for (int i = 0; i < lo.n; i++)
        base_put(l->t, "%s[%lld, %lld]", i ? ", " : "", (long long)lo.v[i], (long long)hi.v[i]);
    base_put(l->t, "%s> : tensor<%dx2xi64>", lo.n ? "]" : "", lo.n);
}

static bool compare(list *l, const ir_eqn *e)
{
    static const char *const words[] = { "EQ", "NE", "LT", "LE", "GT", "GE" };
    const op_compare_attr *const a = IR_ATTR(e, op_compare_attr);
    next(l, "comparison_direction");
    base_put(l->t, "#stablehlo<comparison_direction %s>", words[a->direction]);
    if (!a->total) return true;
    next(l, "compare_type");
    base_put(l->t, "#stablehlo<comparison_type TOTALORDER>");
    return true;
}

static bool iota(list *l, const ir_eqn *e) { return whole(l, "iota_dimension", IR_ATTR(e, op_iota_attr)->dimension,
                                                          "i64"), true; }
static bool broadcast(list *l, const ir_eqn *e)
{
    return packed(l, "broadcast_dimensions", IR_ATTR(e, op_broadcast_attr)->broadcast_dimensions), true;
}
static bool transpose(list *l,
                      const ir_eqn *e) { return packed(l, "permutation", IR_ATTR(e, op_transpose_attr)->permutation),
                                         true; }
static bool reverse(list *l, const ir_eqn *e) { return packed(l, "dimensions", IR_ATTR(e, op_reverse_attr)->dimensions),
                                                true; }
static bool reduce(list *l, const ir_eqn *e) { return packed(l, "dimensions", IR_ATTR(e, op_reduce_attr)->dimensions),
                                               true; }
static bool concatenate(list *l, const ir_eqn *e)
{
    return whole(l, "dimension", IR_ATTR(e, op_concatenate_attr)->dimension, "i64"), true;
}
static bool dynamic_slice(list *l, const ir_eqn *e)
{
    return packed(l, "slice_sizes", IR_ATTR(e, op_dynamic_slice_attr)->slice_sizes), true;
}
static bool plain(list *l, const ir_eqn *e) { return (void)l, (void)e, true; }

static bool slice(list *l, const ir_eqn *e)
{
    const op_slice_attr *const a = IR_ATTR(e, op_slice_attr);
    packed(l, "start_indices", a->start_indices);
    packed(l, "limit_indices", a->limit_indices);
    packed(l, "strides", a->strides);
    return true;
}

static bool pad(list *l, const ir_eqn *e)
{
    const op_pad_attr *const a = IR_ATTR(e, op_pad_attr);
    packed(l, "edge_padding_low", a->edge_padding_low);
    packed(l, "edge_padding_high", a->edge_padding_high);
    packed(l, "interior_padding", a->interior_padding);
    return true;
}

static bool window(list *l, const ir_eqn *e)
{
    const op_window_attr *const a = IR_ATTR(e, op_window_attr);
    const bool scatter = e->op == &row_select_and_scatter;
    packed(l, "window_dimensions", a->window);
    packed(l, "window_strides", a->strides);
    for (int d = 0; scatter && d < a->window.n; d++)
        if (a->base_dilation.v[d] != 1 || a->window_dilation.v[d] != 1)
            return base_fail(TT_EARG, e->site, "select_and_scatter with dilation has no form in StableHLO");
    if (!scatter) packed(l, "base_dilations", a->base_dilation), packed(l, "window_dilations", a->window_dilation);
    pairs(l, "padding", a->pad_low, a->pad_high);
    return true;
}

static bool sort(list *l, const ir_eqn *e)
{
    whole(l, "dimension", IR_ATTR(e, op_sort_attr)->dimension, "i64");
    truth(l, "is_stable", true);
    return true;
}

static bool sort_by(list *l, const ir_eqn *e)
{
    whole(l, "dimension", IR_ATTR(e, op_sort_by_attr)->dimension, "i64");
    truth(l, "is_stable", true);
    return true;
}

static bool gather(list *l, const ir_eqn *e)
{
    const op_gather_attr *const a = IR_ATTR(e, op_gather_attr);
    bool first = true;
    if (a->fill) return base_fail(TT_EARG, e->site, "gather that fills has no form in StableHLO");
    next(l, "dimension_numbers");
    base_put(l->t, "#stablehlo.gather<");
    field(l->t, &first, "offset_dims", a->offset_dims);
    field(l->t, &first, "collapsed_slice_dims", a->collapsed_slice_dims);
    field(l->t, &first, "operand_batching_dims", a->operand_batching_dims);
    field(l->t, &first, "start_indices_batching_dims", a->start_indices_batching_dims);
    field(l->t, &first, "start_index_map", a->start_index_map);
    base_put(l->t, "%sindex_vector_dim = %lld>", first ? "" : ", ", (long long)a->index_vector_dim);
    packed(l, "slice_sizes", a->slice_sizes);
    truth(l, "indices_are_sorted", a->indices_are_sorted);
    return true;
}

static bool scatter(list *l, const ir_eqn *e)
{
    const op_scatter_attr *const a = IR_ATTR(e, op_scatter_attr);
    bool first = true;
    next(l, "scatter_dimension_numbers");
    base_put(l->t, "#stablehlo.scatter<");
    field(l->t, &first, "update_window_dims", a->update_window_dims);
    field(l->t, &first, "inserted_window_dims", a->inserted_window_dims);
    field(l->t, &first, "input_batching_dims", a->input_batching_dims);
    field(l->t, &first, "scatter_indices_batching_dims", a->scatter_indices_batching_dims);
    field(l->t, &first, "scatter_dims_to_operand_dims", a->scatter_dims_to_operand_dims);
    base_put(l->t, "%sindex_vector_dim = %lld>", first ? "" : ", ", (long long)a->index_vector_dim);
    truth(l, "indices_are_sorted", a->indices_are_sorted);
    truth(l, "unique_indices", a->unique_indices);
    return true;
}

static void exactness(list *l, int64_t precision)        /* of both operands, where it is not the usual one */
{
    static const char *const words[] = { "DEFAULT", "HIGH", "HIGHEST" };
    if (precision == OP_DEFAULT) return;
    next(l, "precision_config");
    base_put(l->t, "[#stablehlo<precision %s>, #stablehlo<precision %s>]", words[precision], words[precision]);
}

static bool dot(list *l, const ir_eqn *e)
{
    const op_dot_attr *const a = IR_ATTR(e, op_dot_attr);
    bool first = true;
    next(l, "dot_dimension_numbers");
    base_put(l->t, "#stablehlo.dot<");
    field(l->t, &first, "lhs_batching_dimensions", a->lhs_batching);
    field(l->t, &first, "rhs_batching_dimensions", a->rhs_batching);
    field(l->t, &first, "lhs_contracting_dimensions", a->lhs_contracting);
    field(l->t, &first, "rhs_contracting_dimensions", a->rhs_contracting);
    base_put(l->t, ">");
    exactness(l, a->precision);
    return true;
}

static void places(base_text *t, char one, int64_t at_one, char two, int64_t at_two, ir_dims spatial)
{
    for (int d = 0; d < spatial.n + 2; d++) {
        base_put(t, "%s", d ? ", " : "[");
        if (d == at_one) base_put(t, "%c", one);
        if (d == at_two) base_put(t, "%c", two);
        for (int i = 0; i < spatial.n; i++) if (spatial.v[i] == d) base_put(t, "%d", i);
    }
    base_put(t, "]");
}

static bool convolution(list *l, const ir_eqn *e)
{
    const op_conv_attr *const a = IR_ATTR(e, op_conv_attr);
    next(l, "dimension_numbers");
    base_put(l->t, "#stablehlo.conv<");
    places(l->t, 'b', a->lhs_batch, 'f', a->lhs_feature, a->lhs_spatial);
    base_put(l->t, "x");
    places(l->t, 'i', a->rhs_input_feature, 'o', a->rhs_output_feature, a->rhs_spatial);
    base_put(l->t, "->");
    places(l->t, 'b', a->out_batch, 'f', a->out_feature, a->out_spatial);
    base_put(l->t, ">");
    packed(l, "window_strides", a->strides);
    pairs(l, "padding", a->pad_low, a->pad_high);
    packed(l, "lhs_dilation", a->lhs_dilation);
    packed(l, "rhs_dilation", a->rhs_dilation);
    next(l, "window_reversal");
    base_put(l->t, "array<i1%s", a->reverse.n ? ": " : "");
    for (int i = 0; i < a->reverse.n; i++) base_put(l->t, "%s%s", i ? ", " : "", a->reverse.v[i] ? "true" : "false");
    base_put(l->t, ">");
    whole(l, "feature_group_count", a->feature_groups, "i64");
    whole(l, "batch_group_count", a->batch_groups, "i64");
    exactness(l, a->precision);
    return true;
}

static bool precision(list *l, const ir_eqn *e)
{
    whole(l, "exponent_bits", IR_ATTR(e, op_precision_attr)->exponent_bits, "i32");
    whole(l, "mantissa_bits", IR_ATTR(e, op_precision_attr)->mantissa_bits, "i32");
    return true;
}

static bool fft(list *l, const ir_eqn *e)
{
    static const char *const words[] = { "FFT", "IFFT", "RFFT", "IRFFT" };
    next(l, "fft_type");
    base_put(l->t, "#stablehlo<fft_type %s>", words[IR_ATTR(e, op_fft_attr)->fft_type]);
    packed(l, "fft_length", IR_ATTR(e, op_fft_attr)->fft_length);
    return true;
}

static bool one_way(list *l, const ir_eqn *e)            /* 0: none, 1: forward, 2: backward, as Shardy counts */
{
    whole(l, "allowed_direction", IR_ATTR(e, op_propagation_attr)->allowed_direction, "i32");
    return true;
}

static bool cholesky(list *l, const ir_eqn *e) { return truth(l, "lower", IR_ATTR(e, op_lower_attr)->lower), true; }

static bool triangular(list *l, const ir_eqn *e)
{
    static const char *const words[] = { "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT" };
    const op_triangular_attr *const a = IR_ATTR(e, op_triangular_attr);
    truth(l, "left_side", a->left_side);
    truth(l, "lower", a->lower);
    truth(l, "unit_diagonal", a->unit_diagonal);
    next(l, "transpose_a");
    base_put(l->t, "#stablehlo<transpose %s>", words[a->transpose_a]);
    return true;
}

static const struct { const op_row *row; bool (*put)(list *, const ir_eqn *); } printers[] = {
    { &row_fft, fft },                   { &row_propagation_barrier, one_way },
    { &row_cholesky, cholesky },         { &row_triangular_solve, triangular },
    { &row_compare, compare },           { &row_iota, iota },           { &row_broadcast_in_dim, broadcast },
    { &row_transpose, transpose },       { &row_reverse, reverse },     { &row_reduce, reduce },
    { &row_concatenate, concatenate },   { &row_slice, slice },         { &row_dynamic_slice, dynamic_slice },
    { &row_pad, pad },                   { &row_sort, sort },           { &row_reduce_window, window },
    { &row_select_and_scatter, window }, { &row_gather, gather },       { &row_scatter, scatter },
    { &row_scatter_together, scatter },
    { &row_dot_general, dot },           { &row_convolution, convolution }, { &row_reduce_precision, precision },
    { &row_sort_by, sort_by },           { &row_convert, plain },       { &row_bitcast, plain },
              { &row_reshape, plain },
};

bool hlo_put_attrs(hlo_printer *p, const ir_eqn *e)
{
    list l = { &p->t, 0 };
    if (!e->op->attr) return true;
    if (e->op->kernel == OP_EXCHANGE || e->op == &row_manual || e->op == &row_constrain || e->op == &row_reshard)
        return hlo_put_spread(p, e);
    for (size_t i = 0; i < sizeof printers / sizeof *printers; i++)
        if (printers[i].row == e->op) return printers[i].put(&l, e);
    return base_fail(TT_EARG, e->site, "%s has no form in StableHLO yet", e->op->name);
}
