/* op/build.h - for the rules of primitives: helpers that their cells share. Only src/op includes this header; the part
 * of a primitive that other rooms use is in op/op.h. Rules emit equations through ir_build, never through the public
 * API; a rule that needs a complete function transformed calls back into the running transform (op_lifts). */
#ifndef TUTTI_OP_BUILD_H
#define TUTTI_OP_BUILD_H

#include "op.h"

/* Forms of two cells: .cases = OP_CASES("tanh f32[3]", ...), .field = OP_FIELDS(IR_FIELD(T, member, IR_DIMS), ...). */
#define OP_CASES(...) (const char *const[]){ __VA_ARGS__, NULL }
#define OP_FIELDS(...) (const ir_field[]){ __VA_ARGS__, { 0 } }

/* The cells that all elementwise primitives with one result share. */
#define OP_MAP_CELLS .nout = 1, .kernel = OP_MAP, .partial = op_partial_none, .batch = op_batch_map, \
    .decompose = op_decompose_none, .ref = op_ref_prog, .exchange = op_exchange_none
#define OP_UNARY "... -> ..."
#define OP_BINARY "..., ... -> ..."
#define OP_TERNARY "..., ..., ... -> ..."

const op_lift *op_lifts(const ir_build *);               /* set by the transform when it begins the build */

/* Appends to the scalar program of the equation that is being added (op/prog/). */
op_reg op_imm(op_prog *, double);                        /* in the scalar program's working dtype */
op_reg op_number(op_prog *, tt_dtype, double);           /* an integer dtype needs an exact value */
op_reg op_integer(op_prog *, tt_dtype, int64_t);         /* wraps */
op_reg op_bits(op_prog *, op_reg, tt_dtype);               /* BITCAST, same width */
op_reg op_poly(op_prog *, op_reg x, int n, const double *c);     /* Horner with fma, highest degree first */
tt_dtype op_working(const op_prog *);                    /* f32 for f32, bf16, f16; f64 for f64; an integer's own */
tt_dtype op_dtype(const op_prog *, op_reg);
op_reg op_raw(const op_prog *, int i);                   /* operand i of this equation as stored */
void op_yield(op_prog *, int j, op_reg);                 /* result j of several; .prog returns result 0 */
/* Runs the program for one element, all instructions in order, each as op_prog_step does. */
void op_prog_run(const op_prog *, op_word *r, const int64_t *index);

/* Reads a primitive's rule text, label by label: label[tensor][dim], where equal numbers are one factor. rank[t] < 0:
 * the tensor is a result, whose rank is unknown. */
bool op_labels(const ir_eqn *, int ntensor, const int *rank, int (*label)[IR_RANK], int *nlabel);

/* Cells for "not applicable" and for the usual rule; others are in op.h. */
op_linear op_nonlinear(const ir_eqn *);
mesh_reduce op_partial_sum(const ir_eqn *), op_partial_none(const ir_eqn *);
/* the derivative that .linear implies */
void op_jvp_linear(ir_build *, const ir_eqn *, const ir_id *, ir_id *, const ir_id *, ir_id *);
void op_jvp_zero(ir_build *, const ir_eqn *, const ir_id *, ir_id *, const ir_id *, ir_id *);
/* fails with an error and a hint */
void op_jvp_none(ir_build *, const ir_eqn *, const ir_id *, ir_id *, const ir_id *, ir_id *);
bool op_ref_prog(const ir_eqn *, const ir_box *, const ir_box *);
/* for primitives without operands to map */
void op_batch_none(ir_build *, const ir_eqn *, const ir_id *, const bool *, int64_t, ir_id *, bool *);

/* Sets an error, and returns false: "add: operand 1 is f32[3]; expected the shape of operand 0, f32[2]". */
#define OP_ONLY UINT32_MAX                                /* the index i of what has none */
bool op_expected(const ir_eqn *, tt_code, const char *what, uint32_t i, const ir_type *got, const char *expected,
                 const ir_type *want);                   /* want: NULL, `expected` says it all */
/* Checks that .type cells apply first, so that text and importers may pass any attributes (op/core/attrs.c). True if
 * the list or the operands are as described; else sets an error that names the attribute. */
bool op_check_count(const ir_eqn *, const char *name, ir_dims, int want);          /* `want` entries */
bool op_check_dims(const ir_eqn *, const char *name, ir_dims, int rank); /* distinct dims of a value of that rank */
bool op_check_sorted(const ir_eqn *, const char *name, ir_dims, int rank);         /* distinct and ascending */
/* sizes of a value's dims: at most IR_RANK, none negative */
bool op_check_shape(const ir_eqn *, const char *name, ir_dims);
/* True if all are in [-most, most], so that products do not overflow */
bool op_check_amounts(const ir_eqn *, const char *name, ir_dims, int64_t most);
bool op_check_starts(const ir_eqn *, const ir_type *const *start, int n);          /* integer scalars of one type */
ir_dims op_dims_range(ir_build *, int64_t first, int n);                           /* first, first + 1, ... */

/* op/index/indices.c */
ir_id   op_stack_starts(ir_build *, int n, const ir_id *start, const bool *mapped, int64_t size);   /* -> [size, n] */

/* op/reduce/window.c */
op_taps   op_taps_back(const op_taps *, int64_t in, int64_t out);   /* of the transpose, between these two sizes */
op_window op_window_reads(const op_taps *);
bool      op_window_type(const ir_eqn *, const ir_type *x, const op_window_attr *, int64_t *dim);
op_window_attr op_window_grown(ir_build *, const op_window_attr *);     /* with an additional trivial dim 0 */
/* of the transpose */
op_window_attr op_window_back(ir_build *, const op_window_attr *, const int64_t *in, const int64_t *out);
extern const ir_field op_window_fields[];
/* op/reduce/split.c */
/* dim `from`: [g, rest] -> [rest]; dim `to`: -> [g, to] */
ir_id     op_move_part(ir_build *, ir_id, int64_t g, int from, int to);
/* op/reduce/sort.c: result[.., i, ..] = from[.., k[i], ..], i along dim */
ir_id     op_take_along(ir_build *, ir_id from, ir_id k, int64_t dim);

/* op/reduce/reduce.c, for the references of reduce, reduce_window and cum*: n operands and n initial values, a region.
 * Recognised reducers combine in the widest type (ir_num); the result is rounded when stored. */
typedef struct { const ir_eqn *e; uint32_t n; mesh_reduce reduce; ir_num acc[8]; } op_reducer_state;
bool   op_reduce_type(const ir_eqn *, const ir_type *const *x);
void   op_reducer_begin(op_reducer_state *, const ir_eqn *, const ir_box *x);
bool   op_reducer_add(op_reducer_state *, const ir_box *x, const ir_num *value);
/* op/reduce/select_and_scatter.c, shared with select_and_gather: place: the index in x that a window selects; any:
 * false if the window holds padding only. */
bool   op_select_type(const ir_eqn *, const ir_type *const *x, int64_t *dim);
bool   op_select_index(const ir_eqn *, const ir_box *x, const int64_t *window, int64_t *place, bool *any);
ir_num op_combine_wide(mesh_reduce, tt_dtype, ir_num, ir_num); /* a op b in ir_num: f64, or integers modulo 2^64 */

/* op/complex/pair.c, pair_elem.c: the .pair cells of primitives. */
op_parts  op_pair_times(ir_build *, op_parts, op_parts);
bool     op_part_type(const ir_eqn *, const ir_type *const *, const ir_type **);
void op_pair_extreme(ir_build *, bool greater, const op_parts *x, op_parts *y);
typedef bool op_pair_cell(ir_build *, const ir_eqn *, const op_parts *x, op_parts *y);
op_pair_cell op_pair_each, op_pair_mul, op_pair_dot, op_pair_convolution, op_pair_compare, op_pair_convert,
    op_pair_finite;
op_pair_cell op_pair_abs, op_pair_sign, op_pair_exp, op_pair_expm1, op_pair_log, op_pair_log1p, op_pair_logistic;
op_pair_cell op_pair_sqrt, op_pair_rsqrt, op_pair_cbrt, op_pair_sin, op_pair_cos, op_pair_tan, op_pair_tanh;
op_pair_cell op_pair_div, op_pair_pow, op_pair_atan2;

/* op/linalg/matrix.c */
ir_id op_by_row(ir_build *, ir_id v, const ir_type *t);    /* [.., m] -> [.., m, n]: v indexed by row */
ir_id op_real_of(ir_build *, ir_id);                     /* the real part, as a number of the same type */

/* op/reduce/cum.c: cells of cumsum, cumprod, cummax, cummin. */
bool op_cum_type(const ir_eqn *, const ir_type *const *, const ir_type **);
void op_cum_rules(const ir_eqn *, op_rule *);
void op_cum_jvp(ir_build *, const ir_eqn *, const ir_id *, ir_id *, const ir_id *, ir_id *);
void op_cum_batch(ir_build *, const ir_eqn *, const ir_id *, const bool *, int64_t, ir_id *, bool *);
bool op_cum_decompose(ir_build *, const ir_eqn *, const ir_id *, ir_id *);
bool op_cum_ref(const ir_eqn *, const ir_box *, const ir_box *);
extern const ir_field op_cum_fields[];

/* op/shape/, op/coll/ */
ir_id op_update_at(ir_build *, ir_id x, ir_id i, ir_id v); /* x with x[i] = v */
ir_id op_psum(ir_build *, ir_id, ir_names, bool unchecked);

/* op/core/regions.c, for primitives with regions. */
/* True if the region's parameters have the types x[0 .. n); else sets the error */
bool  op_takes(const ir_eqn *, uint32_t sub, uint32_t n, const ir_type *const *x);
/* emits f's derivative in place */
void  op_jvp_inline(ir_build *, ir_fn *, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy);
/* f without effects that only show values, for a second computation; NULL with the error set: it has others */
ir_fn *op_unwatched(ir_build *, base_site, ir_fn *f);
/* True if the results of a custom_jvp or custom_vjp are those of its rule where a tangent arrives. */
bool op_rule_replaces(const ir_eqn *);
/* emits f's transpose in place */
void  op_transpose_inline(ir_build *, ir_fn *, const ir_id *x, const ir_id *ct, ir_id *cx);
/* a cotangent or tangent as a value: id 0 becomes zeros; cast to the type */
ir_id op_ct(ir_build *, ir_id ct, const ir_type *);

/* op/coll/axes.c, for collectives. The axis being mapped divides a collective's axes into the major and the minor
 * ones. */
typedef struct { int at; ir_names major, minor, rest; } op_axes; /* at: position of the mapped axis; -1: none */
op_axes op_axes_split(ir_build *, ir_names);
mesh_set op_over(const ir_eqn *, ir_names);              /* the atoms of those axes that the mesh has */
/* True if `unchecked`, or if t varies over the axes; else sets the error. */
bool  op_must_vary(const ir_eqn *, const ir_type *, ir_names, bool unchecked);
/* True if size is the product of the axes' sizes; else sets the error */
bool  op_check_group_size(const ir_eqn *, ir_names, int64_t size);
/* Fills `over` and `order`, and sets source, from and to to -1 (none). Returns false if an axis is unbound. */
bool  op_exchange_over(const ir_eqn *, ir_names, op_exchange *);
/* number of members over those axes: 1 for no axes; `fallback` if the mesh lacks one of them */
int64_t op_part(ir_build *, ir_names, int64_t fallback);
bool  op_axes_sizes(ir_build *, const ir_eqn *, const op_axes *, int64_t rest, int64_t *major, int64_t *minor);
/* The layout with a new dim 0 that is not sharded, and that is open if `open`. */
const mesh_layout *op_layout_wider(ir_build *, const mesh_layout *, bool open);

/* op/coll/extreme.c, for pmax and pmin */
bool op_extreme_type(const ir_eqn *, const ir_type *const *x, const ir_type **y);
void op_extreme_jvp(ir_build *, const ir_eqn *, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy);
void op_extreme_batch(ir_build *, const ir_eqn *, const ir_id *x, const bool *mapped, int64_t n, ir_id *y, bool *out);
bool op_extreme_group(const ir_eqn *, int n, int me, const ir_box *x, const ir_box *y);
bool op_extreme_exchange(const ir_eqn *, op_exchange *);

/* op/host/host.c: cells of functions of C. */
extern const ir_field op_host_fields[];
bool op_host_type(const ir_eqn *, const ir_type *const *, const ir_type **);
void op_host_rules(const ir_eqn *, op_rule *);
void op_host_jvp(ir_build *, const ir_eqn *, const ir_id *, ir_id *, const ir_id *, ir_id *);
void op_host_batch(ir_build *, const ir_eqn *, const ir_id *, const bool *, int64_t, ir_id *, bool *);
bool op_host_ref(const ir_eqn *, const ir_box *, const ir_box *);
#define OP_HOST_CELLS .hlo = "", .call = "", .nin = -1, .nout = -1, .nsub = 0, .kernel = OP_HOST, \
    .attr = sizeof(op_host_attr), .field = op_host_fields, .type = op_host_type, \
    .rules = op_host_rules, .linear = op_nonlinear, .partial = op_partial_none, .jvp = op_host_jvp, \
    .transpose = op_transpose_none, .batch = op_host_batch, .decompose = op_decompose_none, .ref = op_host_ref, \
    .exchange = op_exchange_none, .prog = op_prog_none, .cases = OP_CASES(NULL)

#endif
