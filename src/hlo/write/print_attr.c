/* hlo/write/print_attr.c - attributes in StableHLO's generic form, by a table of primitives; primitives that are not in
 * the table have none. */
#include "print.h"
#include "../../op/ops.h"

#include <string.h>

typedef struct { base_text *t; int n; bool spelled; } list;

static void print_attr_next(list *l, const char *key)
{
    base_appendf(l->t, "%s%s = ", l->n++ ? ", " : "", key);
}

static void print_attr_numbers(base_text *t, ir_dims d)
{
    for (int i = 0; i < d.n; i++) base_appendf(t, "%s%lld", i ? ", " : "", (long long)d.v[i]);
}

static void packed(list *l, const char *key, ir_dims d)
{
    print_attr_next(l, key);
    base_appendf(l->t, "array<i64%s", d.n ? ": " : "");
    print_attr_numbers(l->t, d);
    base_appendf(l->t, ">");
}

static void print_attr_integer(list *l, const char *key, int64_t v, const char *type)
{
    print_attr_next(l, key);
    base_appendf(l->t, "%lld : %s", (long long)v, type);
}

static void truth(list *l, const char *key, bool v)
{
    print_attr_next(l, key);
    base_appendf(l->t, v ? "true" : "false");
}

static void field(base_text *t, bool *first, const char *key, ir_dims d)     /* a field of a record */
{
    if (!d.n) return;
    base_appendf(t, "%s%s = [", *first ? "" : ", ", key);
    print_attr_numbers(t, d);
    base_appendf(t, "]");
    *first = false;
}

static void print_attr_pairs(list *l, const char *key, ir_dims lo, ir_dims hi)
{
    print_attr_next(l, key);
    base_appendf(l->t, "dense<%s", lo.n ? "[" : "");
    for (int i = 0; i < lo.n; i++)
        base_appendf(l->t, "%s[%lld, %lld]", i ? ", " : "", (long long)lo.v[i], (long long)hi.v[i]);
    base_appendf(l->t, "%s> : tensor<%dx2xi64>", lo.n ? "]" : "", lo.n);
}

/* The type is always written, as JAX writes it: a text without one is legal, but a fold of constants in OpenXLA's
 * StableHLO 1.13 compares signed integers as unsigned ones there. */
static const char *compare_type(tt_dtype d, bool total)
{
    const ir_class cls = ir_dtype_of(d)->cls;
    if (cls == IR_INT_CLASS) return "SIGNED";
    if (cls == IR_UINT_CLASS || cls == IR_BOOL_CLASS) return "UNSIGNED";
    return total ? "TOTALORDER" : "FLOAT";
}

static bool compare(list *l, const ir_eqn *e)
{
    static const char *const words[] = { "EQ", "NE", "LT", "LE", "GT", "GE" };
    const op_compare_attr *const a = IR_ATTR(e, op_compare_attr);
    print_attr_next(l, "comparison_direction");
    base_appendf(l->t, "#stablehlo<comparison_direction %s>", words[a->comparison_direction]);
    print_attr_next(l, "compare_type");
    base_appendf(l->t, "#stablehlo<comparison_type %s>", compare_type(IR_IN(e, 0)->dtype, a->total));
    return true;
}

static bool iota(list *l, const ir_eqn *e) { return print_attr_integer(l, "iota_dimension",
    IR_ATTR(e, op_iota_attr)->iota_dimension,
                                                                       "i64"), true; }
static bool print_attr_broadcast(list *l, const ir_eqn *e)
{
    return packed(l, "broadcast_dimensions", IR_ATTR(e, op_broadcast_attr)->broadcast_dimensions), true;
}
static bool transpose(list *l,
                      const ir_eqn *e) { return packed(l, "permutation", IR_ATTR(e, op_transpose_attr)->permutation),
                                         true; }
static bool reverse(list *l, const ir_eqn *e) { return packed(l, "dimensions", IR_ATTR(e, op_reverse_attr)->dimensions),
                                                true; }
static bool print_attr_reduce(list *l, const ir_eqn *e) { return packed(l, "dimensions",
    IR_ATTR(e, op_reduce_attr)->dimensions),
                                               true; }
static bool concatenate(list *l, const ir_eqn *e)
{
    return print_attr_integer(l, "dimension", IR_ATTR(e, op_concatenate_attr)->dimension, "i64"), true;
}
static bool dynamic_slice(list *l, const ir_eqn *e)
{
    return packed(l, "slice_sizes", IR_ATTR(e, op_dynamic_slice_attr)->slice_sizes), true;
}
static bool print_attr_none(list *l, const ir_eqn *e) { return (void)l, (void)e, true; }

static bool slice(list *l, const ir_eqn *e)
{
    const op_slice_attr *const a = IR_ATTR(e, op_slice_attr);
    packed(l, "start_indices", a->start_indices);
    packed(l, "limit_indices", a->limit_indices);
    packed(l, "strides", a->strides);
    return true;
}

static bool print_attr_pad(list *l, const ir_eqn *e)
{
    const op_pad_attr *const a = IR_ATTR(e, op_pad_attr);
    packed(l, "edge_padding_low", a->edge_padding_low);
    packed(l, "edge_padding_high", a->edge_padding_high);
    packed(l, "interior_padding", a->interior_padding);
    return true;
}

static bool print_attr_window(list *l, const ir_eqn *e)
{
    const op_window_attr *const a = IR_ATTR(e, op_window_attr);
    const bool scatter = e->op == &prim_select_and_scatter;
    packed(l, "window_dimensions", a->window_dimensions);
    packed(l, "window_strides", a->window_strides);
    for (int d = 0; scatter && d < a->window_dimensions.n; d++)
        if (a->base_dilations.v[d] != 1 || a->window_dilations.v[d] != 1)
            return base_fail(TT_EARG, e->site, "select_and_scatter with dilation has no form in StableHLO");
    if (!scatter) packed(l, "base_dilations", a->base_dilations), packed(l, "window_dilations", a->window_dilations);
    print_attr_pairs(l, "padding", a->padding_low, a->padding_high);
    return true;
}

static bool sort(list *l, const ir_eqn *e)
{
    print_attr_integer(l, "dimension", IR_ATTR(e, op_sort_attr)->dimension, "i64");
    truth(l, "is_stable", true);
    return true;
}

static bool sort_by(list *l, const ir_eqn *e)
{
    print_attr_integer(l, "dimension", IR_ATTR(e, op_sort_by_attr)->dimension, "i64");
    truth(l, "is_stable", true);
    return true;
}

static bool print_attr_gather(list *l, const ir_eqn *e)
{
    const op_gather_attr *const a = IR_ATTR(e, op_gather_attr);
    bool first = true;
    if (a->fill) return base_fail(TT_EARG, e->site, "gather that fills has no form in StableHLO");
    print_attr_next(l, "dimension_numbers");
    base_appendf(l->t, "#stablehlo.gather<");
    field(l->t, &first, "offset_dims", a->offset_dims);
    field(l->t, &first, "collapsed_slice_dims", a->collapsed_slice_dims);
    field(l->t, &first, "operand_batching_dims", a->operand_batching_dims);
    field(l->t, &first, "start_indices_batching_dims", a->start_indices_batching_dims);
    field(l->t, &first, "start_index_map", a->start_index_map);
    base_appendf(l->t, "%sindex_vector_dim = %lld>", first ? "" : ", ", (long long)a->index_vector_dim);
    packed(l, "slice_sizes", a->slice_sizes);
    truth(l, "indices_are_sorted", a->indices_are_sorted);
    return true;
}

static bool scatter(list *l, const ir_eqn *e)
{
    const op_scatter_attr *const a = IR_ATTR(e, op_scatter_attr);
    bool first = true;
    print_attr_next(l, "scatter_dimension_numbers");
    base_appendf(l->t, "#stablehlo.scatter<");
    field(l->t, &first, "update_window_dims", a->update_window_dims);
    field(l->t, &first, "inserted_window_dims", a->inserted_window_dims);
    field(l->t, &first, "input_batching_dims", a->input_batching_dims);
    field(l->t, &first, "scatter_indices_batching_dims", a->scatter_indices_batching_dims);
    field(l->t, &first, "scatter_dims_to_operand_dims", a->scatter_dims_to_operand_dims);
    base_appendf(l->t, "%sindex_vector_dim = %lld>", first ? "" : ", ", (long long)a->index_vector_dim);
    truth(l, "indices_are_sorted", a->indices_are_sorted);
    truth(l, "unique_indices", a->unique_indices);
    return true;
}

/* The precision, for both operands, unless it is the default. A text for an engine says HIGHEST for f32: Tutti's
 * default keeps the error of a sum of f32, which the default of GPUs (TF32) and TPUs (bf16) does not. */
static void exactness(list *l, const ir_eqn *e, int64_t precision)
{
    static const char *const words[] = { "DEFAULT", "HIGH", "HIGHEST" };
    for (int i = 0; i < 2; i++) if (l->spelled && op_real_dtype(IR_IN(e, i)->dtype) == TT_F32) precision = OP_HIGHEST;
    if (precision == OP_DEFAULT) return;
    print_attr_next(l, "precision_config");
    base_appendf(l->t, "[#stablehlo<precision %s>, #stablehlo<precision %s>]", words[precision], words[precision]);
}

static bool dot(list *l, const ir_eqn *e)
{
    const op_dot_attr *const a = IR_ATTR(e, op_dot_attr);
    bool first = true;
    print_attr_next(l, "dot_dimension_numbers");
    base_appendf(l->t, "#stablehlo.dot<");
    field(l->t, &first, "lhs_batching_dimensions", a->lhs_batching_dimensions);
    field(l->t, &first, "rhs_batching_dimensions", a->rhs_batching_dimensions);
    field(l->t, &first, "lhs_contracting_dimensions", a->lhs_contracting_dimensions);
    field(l->t, &first, "rhs_contracting_dimensions", a->rhs_contracting_dimensions);
    base_appendf(l->t, ">");
    exactness(l, e, a->precision);
    return true;
}

static void print_attr_dim_labels(base_text *t, char one, int64_t at_one, char two, int64_t at_two, ir_dims spatial)
{
    for (int d = 0; d < spatial.n + 2; d++) {
        base_appendf(t, "%s", d ? ", " : "[");
        if (d == at_one) base_appendf(t, "%c", one);
        if (d == at_two) base_appendf(t, "%c", two);
        for (int i = 0; i < spatial.n; i++) if (spatial.v[i] == d) base_appendf(t, "%d", i);
    }
    base_appendf(t, "]");
}

static bool print_attr_convolution(list *l, const ir_eqn *e)
{
    const op_conv_attr *const a = IR_ATTR(e, op_conv_attr);
    print_attr_next(l, "dimension_numbers");
    base_appendf(l->t, "#stablehlo.conv<");
    print_attr_dim_labels(l->t, 'b', a->input_batch_dimension, 'f', a->input_feature_dimension,
                          a->input_spatial_dimensions);
    base_appendf(l->t, "x");
    print_attr_dim_labels(l->t, 'i', a->kernel_input_feature_dimension, 'o', a->kernel_output_feature_dimension,
                          a->kernel_spatial_dimensions);
    base_appendf(l->t, "->");
    print_attr_dim_labels(l->t, 'b', a->output_batch_dimension, 'f', a->output_feature_dimension,
                          a->output_spatial_dimensions);
    base_appendf(l->t, ">");
    packed(l, "window_strides", a->window_strides);
    print_attr_pairs(l, "padding", a->padding_low, a->padding_high);
    packed(l, "lhs_dilation", a->lhs_dilation);
    packed(l, "rhs_dilation", a->rhs_dilation);
    print_attr_next(l, "window_reversal");
    base_appendf(l->t, "array<i1%s", a->window_reversal.n ? ": " : "");
    for (int i = 0; i < a->window_reversal.n; i++) base_appendf(l->t, "%s%s", i ? ", " : "",
        a->window_reversal.v[i] ? "true" : "false");
    base_appendf(l->t, ">");
    print_attr_integer(l, "feature_group_count", a->feature_group_count, "i64");
    print_attr_integer(l, "batch_group_count", a->batch_group_count, "i64");
    exactness(l, e, a->precision);
    return true;
}

static bool precision(list *l, const ir_eqn *e)
{
    print_attr_integer(l, "exponent_bits", IR_ATTR(e, op_precision_attr)->exponent_bits, "i32");
    print_attr_integer(l, "mantissa_bits", IR_ATTR(e, op_precision_attr)->mantissa_bits, "i32");
    return true;
}

static bool fft(list *l, const ir_eqn *e)
{
    static const char *const words[] = { "FFT", "IFFT", "RFFT", "IRFFT" };
    print_attr_next(l, "fft_type");
    base_appendf(l->t, "#stablehlo<fft_type %s>", words[IR_ATTR(e, op_fft_attr)->fft_type]);
    packed(l, "fft_length", IR_ATTR(e, op_fft_attr)->fft_length);
    return true;
}

static bool print_attr_choices(list *l, const ir_eqn *e)         /* enumerations of Shardy's are integers of 32 bits */
{
    for (const ir_field *f = e->op->field; f->name; f++)
        if (f->kind == IR_ENUM)
            print_attr_integer(l, f->name, *(const int64_t *)((const char *)e->attr + f->at), "i32");
    return true;
}

static bool print_attr_cholesky(list *l, const ir_eqn *e) { return truth(l, "lower", IR_ATTR(e, op_lower_attr)->lower),
    true; }

static bool triangular(list *l, const ir_eqn *e)
{
    static const char *const words[] = { "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT" };
    const op_triangular_attr *const a = IR_ATTR(e, op_triangular_attr);
    truth(l, "left_side", a->left_side);
    truth(l, "lower", a->lower);
    truth(l, "unit_diagonal", a->unit_diagonal);
    print_attr_next(l, "transpose_a");
    base_appendf(l->t, "#stablehlo<transpose %s>", words[a->transpose_a]);
    return true;
}

static const struct { const op_prim *prim; bool (*print)(list *, const ir_eqn *); } printers[] = {
    { &prim_fft, fft },                  { &prim_cholesky, print_attr_cholesky },
    { &prim_triangular_solve, triangular },
    { &prim_compare, compare },          { &prim_iota, iota },
        { &prim_broadcast_in_dim, print_attr_broadcast },
    { &prim_transpose, transpose },      { &prim_reverse, reverse },    { &prim_reduce, print_attr_reduce },
    { &prim_concatenate, concatenate },  { &prim_slice, slice },        { &prim_dynamic_slice, dynamic_slice },
    { &prim_pad, print_attr_pad },       { &prim_sort, sort },          { &prim_reduce_window, print_attr_window },
    { &prim_select_and_scatter, print_attr_window }, { &prim_gather, print_attr_gather }, { &prim_scatter, scatter },
    { &prim_scatter_together, scatter },
    { &prim_dot_general, dot },          { &prim_convolution, print_attr_convolution },
        { &prim_reduce_precision, precision },
    { &prim_sort_by, sort_by },          { &prim_convert, print_attr_none }, { &prim_bitcast, print_attr_none },
              { &prim_reshape, print_attr_none },
};

bool hlo_print_attrs(hlo_printer *p, const ir_eqn *e)
{
    list l = { &p->t, 0, p->spelled };
    if (!e->op->attr) return true;
    if (e->op->kernel == OP_EXCHANGE || e->op == &prim_manual || e->op == &prim_constrain || e->op == &prim_reshard)
        return hlo_print_distributed(p, e);
    for (size_t i = 0; i < sizeof printers / sizeof *printers; i++)
        if (printers[i].prim == e->op) return printers[i].print(&l, e);
    if (e->op->passes && !strncmp(e->op->hlo, "sdy.", 4)) return print_attr_choices(&l, e);
    return base_fail(TT_EARG, e->site, "%s has no form in StableHLO yet", e->op->name);
}
