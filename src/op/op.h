/* op/op.h - primitives: their table, attributes, scalar programs, factor rules, and the builders and definitions that
 * other rooms use. Helpers that only the rules of primitives share are in op/build.h.
 *
 * A primitive is a table of data and rules, its cells (struct op_prim in ir.h), in a file of its own, in a folder of
 * src/op by kind: elem/ shape/ reduce/ index/ loop/ coll/ host/ linalg/ random/ special/. Depends on base,
 * mesh, ir only. */
#ifndef TUTTI_OP_H
#define TUTTI_OP_H

#include "../ir/ir.h"
#include "attrs.h"

/* Callbacks from a rule into the transform that called the rule. active[i]: input i carries a tangent, or is mapped. */
typedef struct {
    ir_fn *known;                                        /* (inputs) -> outputs, residuals */
    ir_fn *linear;                                       /* (tangents of active inputs, residuals) -> active tangents */
    const bool *active;                                  /* [outputs] */
    uint32_t nres;
} op_split;
typedef struct op_lift {
    bool   (*linearize)(ir_build *, ir_fn *, const bool *active_in, const bool *active_out, op_split *);
    /* (other inputs, cotangents of the results) -> cotangents of the linear inputs */
    ir_fn *(*transpose)(ir_build *, ir_fn *, const bool *linear_in);
    /* mapped_out: on entry the results that must be mapped, on return the results that are */
    ir_fn *(*batch)(ir_build *, ir_fn *, const bool *mapped_in, bool *mapped_out, int64_t n);
} op_lift;
base_name      op_axis(const ir_build *);                /* the named axis that a batch rule is mapping, or NULL */

/* the context that a transform passes to ir_set_context */
typedef struct { const op_lift *lift; base_name axis; } op_context;

/* The scalar program: register r holds the result of instruction r; register 0 is none. A primitive's .prog receives
 * its operands as registers of the working dtypes (f16 and bf16 widened to f32) and returns its result in any dtype;
 * the caller converts the result to the result type. Equal instructions are stored once. op/prog/scalar.h defines each
 * code for each dtype. */
typedef union {
    float f32; double f64; uint8_t b8; uint16_t h16;     /* h16: the bits of an f16 or bf16 */
    int8_t i8; int16_t i16; int32_t i32; int64_t i64; uint8_t u8; uint16_t u16; uint32_t u32; uint64_t u64;
} op_word;
typedef struct {
    op_code code;
    tt_dtype dtype, from;   /* of the result; of operand a (CONVERT, BITCAST, comparisons) */
    op_reg a, b, c;                                      /* INPUT: a is its number; INDEX: a is the dim */
    op_word imm;                                         /* CONST */
} op_inst;
struct op_prog {
    base_arena *arena;
    tt_dtype working;
    int n, cap, ninput;                                  /* inst[1 .. n) */
    op_inst *inst;
    /* true: there are more instructions than an op_reg can number, and the program is invalid */
    bool full;
    const op_reg *raw; op_reg *out;                      /* of the equation being added: operands as stored, results */
    int nslot; op_reg *slot;                             /* hash table of instructions */
};
op_prog *op_prog_begin(base_arena *);
op_reg op_input(op_prog *, tt_dtype);                    /* the next input, as stored */
/* appends an OP_MAP equation; x, y: operands, results as stored */
bool op_prog_add(op_prog *, const ir_eqn *, const op_reg *x, op_reg *y);
op_reg op_do(op_prog *, op_code, op_reg a, op_reg b, op_reg c);
op_reg op_element(op_prog *, tt_dtype, const void *stored);      /* a constant given in its memory form */
op_reg op_index(op_prog *, int dim);                     /* i64: the element's global index along a result dim */
op_reg op_to(op_prog *, op_reg, tt_dtype);               /* CONVERT; x itself if it has that dtype */
/* Runs instruction k for one element. r[1 .. n) are registers; the caller fills those of INPUT instructions. index:
 * read by INDEX instructions. */
void op_prog_step(const op_prog *, int k, op_word *r, const int64_t *index);

extern const op_prim *const op_prims[];                  /* all primitives, NULL at the end; generated list */
const op_prim *op_find_hlo(const char *name);
bool op_rule_of(const ir_eqn *, op_rule **);             /* interned per (op, attr, types) */
bool op_invariant(const ir_fn *body, uint32_t i);        /* True if a loop's body returns its parameter i unchanged */

/* Cells for "not applicable" and for the usual rule. */
op_linear op_joint(const ir_eqn *), op_each(const ir_eqn *);
mesh_reduce op_monoid(const ir_fn *reducer);
void op_transpose_none(ir_build *, const ir_eqn *, const ir_id *, const ir_id *, ir_id *);
void op_batch_map(ir_build *, const ir_eqn *, const ir_id *, const bool *, int64_t, ir_id *, bool *);  /* elementwise */
bool op_decompose_none(ir_build *, const ir_eqn *, const ir_id *, ir_id *);
bool op_ref_real(const ir_eqn *, const ir_box *, const ir_box *);
bool op_ref_decomposed(const ir_eqn *, const ir_box *, const ir_box *);
bool op_ref_group(const ir_eqn *, const ir_box *, const ir_box *);   /* fails: a collective needs all members */
op_reg op_prog_none(op_prog *, const ir_eqn *, const op_reg *);

bool    op_dims_has(ir_dims, int64_t d);
/* The dims d + by; with lead 1, `first` precedes them. */
ir_dims op_dims_shifted(ir_build *, ir_dims, int by, int lead, int64_t first);

/* Start indices of dynamic_slice, gather and related primitives (op/index/indices.c). */
int64_t op_load_index(const ir_box *, const int64_t *i); /* any integer dtype, saturated to int64 */
/* the element that a gather gives for an index out of range */
ir_num  op_gather_none(const op_gather_attr *, tt_dtype);
/* Sets the error of a checked gather: index `at` of x's dim d is out of range (negative indices already count from the
 * end). */
bool    op_index_wrong(const ir_eqn *, const ir_type *x, int64_t d, int64_t at);
/* clamps index k to [0, most[k]] */
ir_id   op_clamp_indices(ir_build *, ir_id indices, int64_t vector_dim, int n, const int64_t *most);
ir_box  op_box_part(const ir_box *, int d, int64_t lo, int64_t n);                 /* elements [lo, lo + n) of dim d */
ir_num  op_combine(mesh_reduce, tt_dtype, ir_num a, ir_num b);   /* a op b, rounded as the dtype's arithmetic rounds */

ir_num  op_identity_num(mesh_reduce, tt_dtype);          /* the identity of op_combine */

/* op/reduce/window.c: the sliding window of one dim: n taps that are `step` apart, base dilation `base`, pads lo and
 * hi, which may be negative. */
typedef struct { int64_t n, stride, base, step, lo, hi; } op_taps;
op_taps   op_taps_of(const op_window_attr *, int dim);
op_taps   op_conv_taps(const op_conv_attr *, const ir_type *rhs, int i);   /* of spatial dim i */
bool      op_taps_trivial(const op_taps *);              /* True if one tap reads the output's own position */
int64_t   op_window_count(int64_t size, const op_taps *);        /* number of outputs */
/* Index in the operand that this tap of this output reads; -1: padding. */
static inline int64_t op_window_at(const op_taps *t, int64_t size, int64_t out, int64_t tap)
{
    const int64_t p = out * t->stride - t->lo + tap * t->step;
    if (t->base == 1) return p >= 0 && p < size ? p : -1;
    return p >= 0 && p % t->base == 0 && p / t->base < size ? p / t->base : -1;
}
ir_fn    *op_region_compare(ir_build *, op_cmp, tt_dtype);       /* the region (a, b) -> a op_cmp b */
/* op/reduce/split.c: dims as products of factors, major to minor, for convolutions with groups. */
/* Dim 0 moves into dim `at`, which is [major, rest]: [major, n, rest]. */
ir_id     op_merge_dim(ir_build *, ir_id, int at, int64_t major);
ir_id     op_split_dim(ir_build *, ir_id, int at, int64_t major, int64_t n);     /* the inverse: n becomes dim 0 */
/* op/reduce/arg_reduce.c: 1 if a reducer of pairs (v, i, w, j) is argmax, -1 if it is argmin, else 0. */
int       op_arg_reducer(const ir_fn *reducer);

/* op/complex/pair.c: complex numbers as two reals, and the .pair cells of primitives. */
bool     op_is_complex(tt_dtype);
tt_dtype op_real_dtype(tt_dtype);                         /* dtype of a complex number's parts; a real dtype itself */
/* True if e has complex operands or results and is split by its .pair (pair.c has the exceptions). */
bool     op_pairs(const ir_eqn *);
bool     op_pair_apart(ir_build *, const ir_eqn *, const ir_id *x, ir_id *y);  /* a .decompose cell that uses .pair */
op_parts  op_parts_of(ir_build *, ir_id);                  /* real and imaginary part; im is 0 for a real number */
ir_id    op_parts_join(ir_build *, op_parts), op_conj(ir_build *, ir_id);

/* op/linalg/matrix.c, for linear algebra: matrices are the last two dims, the dims before them a batch. */
ir_id op_product(ir_build *, ir_id x, ir_id y);          /* product of matrices, as in JAX of the highest precision */
ir_id op_matrix_transpose(ir_build *, ir_id), op_adjoint(ir_build *, ir_id); /* transposed; transposed and conjugated */
/* x where the comparison row + k `cmp` column holds, else y; id 0: zeros. */
ir_id op_where_compare(ir_build *, op_cmp, int64_t k, ir_id x, ir_id y);
ir_id op_diagonal(ir_build *, ir_id);                    /* [.., n, n] -> [.., n] */
ir_id op_by_column(ir_build *, ir_id v, const ir_type *t); /* [.., n] -> [.., m, n]: v indexed by column */
/* rows [m0, m1), columns [n0, n1) */
ir_id op_part_of(ir_build *, ir_id, int64_t m0, int64_t m1, int64_t n0, int64_t n1);
ir_id op_solve_triangular(ir_build *, ir_id a, ir_id b, op_triangular_attr);
ir_id op_solve_by_lu(ir_build *, ir_id a, ir_id b);       /* x with a x = b */
ir_id op_permuted_rows(ir_build *, ir_id x, ir_id permutation); /* row i of the result is row permutation[i] */

const op_prim *op_cum_monoid(const ir_eqn *);            /* of cumsum ...: add, mul, max, min */

/* op/ops.h, generated by tools/mkops: one line per primitive, and for a primitive with .call the builder of its name:
 *       extern const op_prim prim_mul; ir_id op_mul(ir_build *, ir_id x, ir_id y);
 * Only files that name a primitive include op/ops.h, as each new primitive changes it.
 * op/shape/shape.c: builders written by hand, for the rules of other primitives: */
ir_id op_move(ir_build *, ir_id, int from, int to);      /* moves dim `from` to position `to` */
/* op/shape/width.c: the same bits in numbers of another width */
ir_id op_bits_as(ir_build *, ir_id, const ir_type *to);
ir_id op_zeros(ir_build *, const ir_type *), op_ones(ir_build *, const ir_type *);
ir_id op_spread(ir_build *, ir_id, int64_t n);           /* a new dim 0 of size n */
ir_id op_plus(ir_build *, ir_id a, ir_id b);             /* a + b, where id 0 is zero */
ir_id op_at(ir_build *, ir_id x, ir_id i);               /* x[i], dim 0 removed */
ir_id op_int(ir_build *, tt_dtype, int64_t);
/* reduces by add, max, ... */
ir_id op_reduce_dims(ir_build *, const op_prim *monoid, ir_id x, int n, const int64_t *dims);
ir_id op_const(ir_build *, const ir_type *, const void *data);          /* dense row-major elements */
ir_id op_splat(ir_build *, const ir_type *, double);     /* all elements equal, rounded to the dtype */
ir_id op_real(ir_build *, tt_dtype, double);             /* a scalar */
ir_id op_convert(ir_build *, ir_id, tt_dtype);           /* x itself if it has that dtype */
ir_id op_broadcast(ir_build *, ir_id, const ir_type *, int n, const int64_t *dims); /* operand dim i becomes dims[i] */
ir_id op_reshape(ir_build *, ir_id, int rank, const int64_t *dim);      /* x itself if it has that shape */
ir_id op_transpose(ir_build *, ir_id, const int64_t *perm);             /* result dim i is operand dim perm[i] */
ir_id op_slice(ir_build *, ir_id, ir_dims start, ir_dims limit, ir_dims strides);
ir_id op_pad(ir_build *, ir_id, ir_dims lo, ir_dims hi, ir_dims interior);              /* pads with zeros */
ir_id op_concatenate(ir_build *, int n, const ir_id *, int dim);
ir_id op_reverse(ir_build *, ir_id, ir_dims);
ir_id op_iota(ir_build *, const ir_type *, int dim);
ir_id op_compare(ir_build *, op_cmp, ir_id, ir_id);
ir_id op_less(ir_build *, ir_id, ir_id), op_equal(ir_build *, ir_id, ir_id);
ir_id op_dot(ir_build *, ir_id, ir_id, const op_dot_attr *);
ir_id op_to_varying(ir_build *, ir_id, ir_names);
ir_id op_dynamic_slice(ir_build *, ir_id x, const ir_id *start, ir_dims sizes);
ir_id op_dynamic_update_slice(ir_build *, ir_id x, ir_id update, const ir_id *start);
ir_fn *op_reducer(ir_build *, const op_prim *monoid, tt_dtype);         /* the region (a, b) -> a op b */
ir_id op_identity(ir_build *, mesh_reduce, tt_dtype);    /* the scalar identity: 0, 1, -inf ... */
/* x, cast by to_varying so that the result varies over the atoms over which `like` varies. */
ir_id op_as(ir_build *, ir_id, const ir_type *like);
ir_id op_zeros_as(ir_build *, const ir_type *);          /* zeros of that type, states (vary, partial) included */
/* The same function for arguments of these types, which differ from its own in states alone: they vary over axes of a
 * checked manual region. The function itself if none differs. */
ir_fn *op_varying(base_arena *, const ir_fn *, const ir_type *const *arg);
bool  op_exchange_none(const ir_eqn *, op_exchange *);

/* op/host/host.c: calls the function of an attribute once for each element of its lead dims; false with the error
 * set. */
bool  op_host_run(base_site, const op_host_attr *, uint32_t nin, const ir_box *x, uint32_t nout, const ir_box *y,
                  bool apart);
/* op/host/registry.c: functions by name. op_host_target: false: there is none. op_host_register: false with the error
 * set: the name is another function's. */
bool  op_host_target(base_name, op_host_attr *to);
bool  op_host_register(base_site, const op_host_attr *);
/* The entries of op_host_attr.results that a result of this type has, appended to `to` (IR_RANK + 2 of them at most);
 * returns their number. */
int   op_host_result(const ir_type *, int64_t *to);

/* True if equations of the primitive are inlined as the equations of their first region: call, remat, custom_jvp,
 * custom_vjp. */
bool  op_is_call(const op_prim *);

/* op/core/lockstep.c: runs f for all members of the atoms `over`, in lockstep; this defines the value of a manual
 * region. Boxes: [member][value]; a result box without memory is skipped. */
typedef struct { const mesh *mesh; mesh_set over; int64_t n; } op_device_set;
bool  op_lockstep(const op_device_set *, const ir_fn *, const ir_box *in, const ir_box *out);

/* split and concat may be the same dim. */
ir_id op_all_to_all(ir_build *, ir_id, ir_names axes, int split, int concat, int64_t size, bool unchecked);

/* Reading a rule. The entries of a dim are in order, major to minor. An entry that is not windowed is the complete
 * factor; a windowed entry reads a window of the factor. Every dim has an entry, except in primitives that have .edges
 * instead (nfactor = 0): a dim that the rule does not mention gets a factor of its own of kind OP_NEED_REPLICATION. */
enum { OP_FACTORS = 48 };
typedef struct { int factor; bool windowed; op_window window; } op_rule_at;
struct op_rule_dim { int n; const op_rule_at *at; };
struct op_rule { /* filled by op_factor, op_dim, op_dim_window, op_block_propagation */
    int nfactor, ntensor;                                /* tensors: operands, then results */
    struct { int64_t size; op_factor_kind kind; bool blocked; } factor[OP_FACTORS];
    const struct op_rule_dim *dim;                       /* [tensor * IR_RANK + dim] */
};

/* Reading edges: all ends of one group share a layout, except that the first `drop` dims of an end do not take part. */
typedef struct { int group; op_end end; int sub, index, drop; } op_edge_end;
/* Initialised with { .arena = a }; prim->edges(e, &t) fills the list. chosen: `by` is of op_chosen_by; unlisted: of
 * op_unlisted. */
struct op_edges { base_arena *arena; int n, cap; op_edge_end *at; bool chosen, unlisted; op_edge_end by; };

#endif
