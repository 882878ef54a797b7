/* op/attrs.h - attribute structs that other files than their primitive's read (builders, plan, gen, hlo). Fields have
 * StableHLO's names where StableHLO has the attribute. A struct that only the primitive reads is in the primitive's
 * file. */
#ifndef TUTTI_OP_ATTRS_H
#define TUTTI_OP_ATTRS_H

#include "../ir/ir.h"

/* elementwise */
typedef enum { OP_CMP_EQ, OP_CMP_NE, OP_CMP_LT, OP_CMP_LE, OP_CMP_GT, OP_CMP_GE } op_cmp;
/* comparison_direction: the words eq ne lt le gt ge; total: total order of floats */
typedef struct { int64_t comparison_direction; bool total; } op_compare_attr;
typedef struct { tt_dtype new_dtype; } op_convert_attr;                         /* convert, bitcast */
typedef struct { int64_t y; } op_integer_pow_attr;
typedef struct { int64_t exponent_bits, mantissa_bits; } op_precision_attr;

/* random_bits: key u32[batch..., 2] -> numbers of `bit_width` bits [batch..., shape...]. layout is one of: */
typedef enum { OP_BITS_ORIGINAL, OP_BITS_PARTITIONABLE } op_bits_layout;
typedef struct { ir_dims shape; int64_t bit_width, layout; } op_random_bits_attr;

/* shape */
/* splat: data is one element */
typedef struct { tt_dtype dtype; ir_dims shape; bool splat; ir_data data; } op_const_attr;
typedef struct { tt_dtype dtype; ir_dims shape; int64_t iota_dimension; } op_iota_attr;
/* operand dim i is result dim broadcast_dimensions[i]; operand dims of size 1 may be repeated */
typedef struct { ir_dims shape, broadcast_dimensions; } op_broadcast_attr;
typedef struct { ir_dims shape; } op_reshape_attr;
typedef struct { ir_dims permutation; } op_transpose_attr;               /* result dim i is operand dim p[i] */
typedef struct { ir_dims start_indices, limit_indices, strides; } op_slice_attr;
typedef struct { ir_dims edge_padding_low, edge_padding_high, interior_padding; } op_pad_attr;  /* operands: x, value */
typedef struct { int64_t dimension; } op_concatenate_attr;
typedef struct { ir_dims dimensions; } op_reverse_attr;

/* index. dynamic_slice: x, start scalars (one per dim, i32); dynamic_update_slice: x, update, start scalars. Starts are
 * clamped. */
typedef struct { ir_dims slice_sizes; } op_dynamic_slice_attr;
typedef struct {                                                          /* gather: x, indices */
    ir_dims offset_dims, collapsed_slice_dims, operand_batching_dims, start_indices_batching_dims, start_index_map;
    /* A window that is not inside x: if `fill` it gives 0 (if `nan`, NaN; for bools true), else its start is clamped.
     * checked: an index out of range is an error instead. */
    int64_t index_vector_dim; ir_dims slice_sizes; bool indices_are_sorted; bool fill, nan, checked;
} op_gather_attr;
typedef struct {    /* scatter: x, indices, updates; region combines */
    ir_dims update_window_dims, inserted_window_dims, input_batching_dims, scatter_indices_batching_dims,
            scatter_dims_to_operand_dims;
    int64_t index_vector_dim; bool indices_are_sorted, unique_indices;   /* updates out of range are dropped */
} op_scatter_attr;

/* Contraction. precision, of products of f32: the words default high highest. OP_HIGHEST: kernels may neither split f32
 * operands into narrower parts nor use fewer multiplications than the definition. Other dtypes ignore it. */
typedef enum { OP_DEFAULT, OP_HIGH, OP_HIGHEST } op_precision;
extern const char *const op_precisions[];                /* the words */
int op_precision_of(const char *word);                   /* -1: unknown word */
typedef struct {
    ir_dims lhs_batching_dimensions, rhs_batching_dimensions, lhs_contracting_dimensions, rhs_contracting_dimensions;
    tt_dtype preferred_element_type; int64_t precision;
} op_dot_attr;
/* scaled_dot: x, codes, scales (op/reduce/scaled_dot.c). over_rows: the sum is over the rows of the weights, which are
 * [rows, columns] with groups of columns; else over their columns. */
typedef struct { bool over_rows; tt_dtype preferred_element_type; } op_scaled_dot_attr;
typedef struct {    /* all of StableHLO's convolution; lists of spatial dims are in their order */
    /* positions of the dims in lhs, rhs and result */
    int64_t input_batch_dimension, input_feature_dimension; ir_dims input_spatial_dimensions;
    int64_t kernel_input_feature_dimension, kernel_output_feature_dimension; ir_dims kernel_spatial_dimensions;
    int64_t output_batch_dimension, output_feature_dimension; ir_dims output_spatial_dimensions;
    ir_dims window_strides, padding_low, padding_high, lhs_dilation, rhs_dilation;   /* paddings may be negative */
    ir_dims window_reversal;                              /* per spatial dim: 1 reverses the window */
    int64_t feature_group_count, batch_group_count;
    /* the first `batching` dims of all three count convolutions */
    int64_t batching;
    tt_dtype preferred_element_type; int64_t precision;
} op_conv_attr;

/* Fourier transforms of the last dims; the words of fft_type: FFT IFFT RFFT IRFFT */
typedef enum { OP_FFT, OP_IFFT, OP_RFFT, OP_IRFFT } op_fft;
typedef struct { int64_t fft_type; ir_dims fft_length; } op_fft_attr;

/* Linear algebra, on the last two dims. triangular_solve: a, b -> x with op(a) x = b, or x op(a) = b; reads one
 * triangle of a. The words of transpose_a: NO_TRANSPOSE TRANSPOSE ADJOINT. lower: the triangle that is read (for
 * cholesky, also the one that is returned). */
typedef enum { OP_NO_TRANSPOSE, OP_TRANSPOSE, OP_ADJOINT } op_transpose_kind;
typedef struct { bool left_side, lower, unit_diagonal; int64_t transpose_a; } op_triangular_attr;
typedef struct { bool lower; } op_lower_attr;            /* cholesky, eigh */
typedef struct { bool full_matrices; } op_full_attr;      /* qr, svd */
typedef struct { bool compute_left_eigenvectors, compute_right_eigenvectors; } op_eig_attr;
typedef struct { bool perturb_singular; } op_three_attr;  /* tridiagonal_solve: moves small pivots away from 0 */

/* reductions */
typedef struct { ir_dims dimensions; } op_reduce_attr;    /* n operands, n initial values, region of 2n -> n scalars */
/* one entry per dim */
typedef struct {
    ir_dims window_dimensions, window_strides, base_dilations, window_dilations, padding_low, padding_high;
} op_window_attr;
/* sorts by the first num_keys operands in the total order of values (NaN last); nsub = 0 */
typedef struct { int64_t dimension; bool is_stable; int64_t num_keys; bool descending; } op_sort_attr;
/* n operands; a region of 2n scalars -> true if the left element goes before the right one */
typedef struct { int64_t dimension; } op_sort_by_attr;
typedef struct { int64_t dimension; bool reverse; } op_cum_attr;

/* loops */
typedef struct { int64_t length, num_consts, num_carry; bool reverse; } op_scan_attr;
/* custom_linear, remat_linear: number of operands before the tangents */
typedef struct { int64_t num_res; } op_custom_linear_attr;

/* Collectives, inside manual regions (or in mapped functions until the axis is bound). All are tiled; the untiled forms
 * are compositions with reshape. unchecked: recorded in a region without checked states, where psum transposes to
 * psum. */
typedef struct { ir_names axes; bool unchecked; } op_reduce_axes_attr;                     /* psum, pmax, pmin */
/* all_gather (dim: all_gather_dim), reduce_scatter (dim: scatter_dimension); axis_size: number of members */
typedef struct { ir_names axes; int64_t dim, axis_size; bool unchecked; } op_gather_axes_attr;
typedef struct {
    ir_names axes; int64_t split_dimension, concat_dimension, axis_size; bool unchecked;
} op_all_to_all_attr;
typedef struct { ir_names axes; ir_dims source; bool unchecked; } op_ppermute_attr; /* source[position], -1: zeros */
typedef struct { ir_names axes; bool unchecked; } op_axis_attr;                            /* axis_index, to_varying */
/* Operand i (global) is sharded by in_shardings[i]; the body has parameters of local dims; out_shardings[i] gives the
 * assembly of result i from local results. */
typedef struct { ir_names manual_axes; ir_layouts in_shardings, out_shardings; bool unchecked; } op_manual_attr;
typedef struct { ir_layouts sharding; } op_layout_attr;      /* constrain, reshard: one layout */
typedef enum { OP_WAY_NONE, OP_WAY_FORWARD, OP_WAY_BACKWARD } op_way;    /* the words none forward backward */
typedef struct { int64_t allowed_direction; } op_propagation_attr;       /* propagation_barrier */

/* Functions of C (op/host/). call: how boxes become what `user`, a function of the program, takes; env is the user's.
 * results: for each result its dtype, rank and dims, without the lead dims. lead: dims of a mapping, outermost first:
 * the function is called for each of their elements, in row-major order, with boxes that lack them; bit k of has[i]:
 * operand i has lead dim k, and those that an operand has come first. partitioned: for the part of each device, where
 * it is; else for the complete values. The words of vmap_method, in enum order: */
typedef enum { OP_VMAP_NONE, OP_VMAP_SEQUENTIAL, OP_VMAP_EXPAND_DIMS, OP_VMAP_BROADCAST_ALL } op_vmap_method;
typedef struct op_host_attr op_host_attr;
/* A call of the function; apart: the devices of this rank alone make it, and others see other values. False with the
 * error set: the function reports one. */
typedef bool op_host_call(base_site, const op_host_attr *, uint32_t nin, const ir_box *, uint32_t nout, const ir_box *,
                          bool apart);
struct op_host_attr {
    op_host_call *call; void (*user)(void); void *env;
    base_name name;                                      /* of the function; of a print: its format */
    ir_dims results, lead, has; int64_t vmap_method; bool partitioned;
};

#endif
