/* ir/ir.h - the one structure: types, equations, functions; building, text, verification, evaluation.
 *
 * Knows the shape of a primitive (the last section), and no primitive by name. Id 0 is "none".
 * A function is closed: what a region reads from outside comes in as an operand.
 */
#ifndef TUTTI_IR_H
#define TUTTI_IR_H

#include "../mesh/mesh.h"

enum { IR_RANK = MESH_RANK };
typedef struct ir_fn ir_fn;
typedef struct ir_eqn ir_eqn;
typedef struct ir_build ir_build;
typedef struct op_prim op_prim;

typedef uint32_t ir_id;                                  /* a value of a function; 0 = none */

/* ---- types ---- */

typedef struct {                                         /* interned; x64 and weak types are the tracer's business */
    tt_dtype dtype;
    int rank;
    const int64_t *dim;                                  /* global, or local inside a manual region */
    mesh_set vary, partial, reduced;                     /* states in a checked manual region; all empty elsewhere */
    mesh_reduce reduce;
} ir_type;
const ir_type *ir_type_of(tt_dtype, int rank, const int64_t *dim);         /* NULL with the error set: impossible */
const ir_type *ir_type_as(const ir_type *like, tt_dtype, int rank, const int64_t *dim);   /* keeps the states */
const ir_type *ir_type_vary(const ir_type *, mesh_set vary);                              /* with this vary */
const ir_type *ir_type_states(const ir_type *, mesh_set vary, mesh_set partial, mesh_reduce, mesh_set reduced);
int64_t     ir_count(const ir_type *);                   /* elements */
int64_t     ir_bytes(const ir_type *);                   /* of the dense whole */
/* "f32[4, 256]", "f32[8]{i}", "f32[8]+sum(i)"; without a mesh by atom numbers: "f32[8]{#0}". */
const char *ir_type_text(base_arena *, const ir_type *);
const char *ir_type_text_on(base_arena *, const mesh *, const ir_type *);

/* Data types as a table. */
typedef enum { IR_BOOL_CLASS, IR_INT_CLASS, IR_UINT_CLASS, IR_FLOAT_CLASS, IR_COMPLEX_CLASS } ir_class;
/* What a float of 8 bits or less has at its end: infinities and NaNs as IEEE; one NaN, all ones, and its negative; one
 * NaN, where -0 would be; neither; one NaN, and neither sign nor zero. */
typedef enum { IR_IEEE, IR_FN, IR_FNUZ, IR_FINITE, IR_FNU } ir_ending;
/* bits: of a value, in `bytes` of memory. Narrow types (a byte each, integers extended by their sign) have wide: the
 * type that they are computed in; floats among them a value (1 + f / 2^mant) 2^(e - bias), or f / 2^mant 2^(1 - bias)
 * at e 0. */
typedef struct {
    const char *name; size_t bytes; ir_class cls; int bits; tt_dtype wide; int exp, mant, bias; ir_ending end;
} ir_dtype;
const ir_dtype *ir_dtype_of(tt_dtype);                   /* "f32", 4, ...; NULL: there is no such type */
tt_dtype        ir_dtype_named(const char *);            /* 0: no such name */
bool            ir_is_float(tt_dtype);                   /* real floating point */
bool            ir_is_narrow(tt_dtype);
tt_dtype        ir_widened(tt_dtype);                    /* what it is computed in: f32 for f16, bf16; itself */
double          ir_dtype_most(tt_dtype);                 /* a float's greatest value: infinity where it has one */
/* True if its values are integers (a bool is none); then also their range. */
bool            ir_int_range(tt_dtype, int64_t *least, uint64_t *most);
double          ir_narrow_f64(tt_dtype, uint8_t);        /* of the floats among the narrow types */
uint8_t         ir_f64_narrow(tt_dtype, double);         /* nearest even */
uint8_t         ir_wrap(tt_dtype, uint64_t);             /* of the integers: the low bits, extended by their sign */
/* Of a narrow float: the bits of its exponent and fraction, all but the sign; their greatest that is a finite number;
 * what stands for more, infinity too; NaN. */
typedef struct { unsigned all, most, over, nan; } ir_codes;
ir_codes        ir_codes_of(const ir_dtype *);
float    ir_bf16_f32(uint16_t), ir_f16_f32(uint16_t);
uint16_t ir_f32_bf16(float), ir_f32_f16(float), ir_f64_bf16(double), ir_f64_f16(double);  /* nearest even, once */

/* ---- attributes ---- */

/* They are plain structs, read by their op with their real names. The field table makes them printable,
 * parsable, comparable, hashable and exportable without another line. Names are StableHLO's where it has one. */
typedef struct { int n; const int64_t *v; } ir_dims;
typedef struct { int n; const mesh_layout *const *v; } ir_layouts;        /* one per operand or result */
typedef struct { int n; const base_name *v; } ir_names;  /* collectives name axes; resolved where the axis is bound */
typedef enum {
    IR_INT, IR_REAL, IR_BOOL, IR_ENUM, IR_DTYPE, IR_DIMS, IR_NAME, IR_NAMES, IR_DATA, IR_LAYOUTS, IR_HOST
} ir_kind;
typedef struct { const char *name; ir_kind kind; size_t at; const char *const *choices; } ir_field;
/* A constant's elements: row-major, dense, in the dtype's memory form; splat: one element stands for all. Interned. */
typedef struct { size_t bytes; const void *p; } ir_data;
#define IR_FIELD(T, member, kind) { #member, kind, offsetof(T, member), NULL }
const void *ir_attr_intern(const op_prim *, const void *attr);   /* deep: equal content, equal pointer */

/* ---- equations and functions ---- */

/* After partition: which atoms each factor of the equation's rule got. An operand is laid out as its factors say; a dim
 * that is a window of a sharded factor may be in any way: the plan fetches what the sharding needs of it. */
typedef struct spmd_factor_sharding { int nfactor; const mesh_list *atoms; } spmd_factor_sharding;

struct ir_eqn {
    const op_prim *op;
    const void *attr;                                    /* op->attr bytes, interned */
    ir_fn *fn;                                           /* the function it stands in */
    const ir_id *in;
    ir_fn *const *sub;                                   /* regions: closed functions */
    ir_id out;                                           /* results are out, out+1, ... */
    uint32_t nin, nout, nsub;
    base_site site;
    const spmd_factor_sharding *sharding;                /* NULL: nothing is sharded */
};

struct ir_fn {
    base_arena *arena;
    base_name name, tag;                                 /* tag: a composite's name ("softmax"), for engines to match */
    const mesh *mesh;                                    /* one per program */
    uint32_t narg, nret, neqn, nvalue;                   /* arguments are ids 1..narg */
    const ir_type **type;                                /* [id] */
    const mesh_layout **layout;                          /* [id]; NULL before propagation */
    const bool *donate;                                  /* [narg] */
    ir_eqn *eqn;                                         /* in an order that defines before use */
    ir_id *ret;
};

/* Types of operands and results, and the attributes, of an equation. */
#define IR_IN(e, i)   ((e)->fn->type[(e)->in[i]])
#define IR_OUT(e, i)  ((e)->fn->type[(e)->out + (uint32_t)(i)])
#define IR_ATTR(e, T) ((const T *)(e)->attr)

/* ---- building ---- */

/* The rules of op/ and the transforms write through these and nothing else. */
ir_build      *ir_begin(base_arena *, base_name name, const mesh *);
ir_id          ir_arg(ir_build *, const ir_type *);
ir_id          ir_emit(ir_build *, const op_prim *, const void *attr, uint32_t nin, const ir_id *in,
                       uint32_t nsub, ir_fn *const *sub);    /* infers types; first result, or 0 with the error set */
ir_id          ir_clone(ir_build *, const ir_eqn *like, const ir_id *in);          /* same op, attributes, regions */
bool           ir_inline(ir_build *, const ir_fn *, const ir_id *in, ir_id *out);
ir_build      *ir_region(ir_build *outer, base_name);    /* begins a region: same arena, mesh and transform */
ir_fn         *ir_end(ir_build *, uint32_t nret, const ir_id *ret);                /* verified */
ir_fn         *ir_fn_copy(base_arena *, const ir_fn *);  /* regions too, with no space to grow: to be kept */
const ir_type *ir_typeof(const ir_build *, ir_id);
base_site      ir_site(ir_build *, base_site);           /* site of what follows; returns the former */
const ir_eqn  *ir_def(const ir_build *, ir_id);          /* NULL: an argument */
void          *ir_scratch(ir_build *, size_t bytes);     /* lives as long as the build */
#define IR_NEW(b, T, n) ((T *)ir_scratch(b, (size_t)(n) * sizeof(T)))

/* The function being built (types by id); its arrays move as it grows. */
ir_fn      *ir_build_fn(ir_build *);
base_arena *ir_build_arena(ir_build *);
void        ir_set_context(ir_build *, const void *context); /* the transform's own; regions begun from it inherit it */
const void *ir_context(const ir_build *);
/* Types of an equation's results: op_infer, then the operands' states unless the primitive sets them. y has space for
 * ir_infer_most(e) pointers; primitives of any number of results (nout -1) fill as many as there are, the rest stay
 * NULL. */
uint32_t    ir_infer_most(const ir_eqn *);
bool        ir_infer(const ir_eqn *, const ir_type *const *x, const ir_type **y, uint32_t *nout);

/* ---- looking at functions ---- */

bool        ir_verify(const ir_fn *);                    /* all of it, regions too: ids, types inferred again */
bool        ir_well_formed(const ir_fn *);               /* ids, order and counts only: what ir_end checks */
/* Text. print and parse round-trip: golden tests compare it. The form: print.c; what more is read: parse.c. */
const char *ir_print(base_arena *, const ir_fn *);
const char *ir_print_sites(base_arena *, const ir_fn *); /* the same with each equation's line behind it */
const char *ir_eqn_text(base_arena *, const ir_eqn *);   /* for messages: "mul v1, v2" and its attributes */
ir_fn      *ir_parse(base_arena *, base_site, const char *text);
/* One of a primitive's cases: an equation with operand types in place of values, perhaps on a mesh:
 * "psum f32[3]{a} {axes=[a]} on a:2". A function of the typed operands with that one equation. */
ir_fn      *ir_case(base_arena *, const char *text);
/* Hashes of content: names of values and sites do not count. The same in every process, but for host functions. */
uint64_t    ir_hash(const ir_fn *);
uint64_t    ir_attr_hash(uint64_t seed, const op_prim *, const void *attr);
uint64_t    ir_layout_hash(uint64_t seed, const mesh_layout *);

/* ---- boxes ---- */

/* What kernels and the reference evaluator compute on. lo and i[] are indices in the global value. */
typedef struct { void *at; tt_dtype dtype; int rank; int64_t lo[IR_RANK], n[IR_RANK], step[IR_RANK]; } ir_box;
/* Which: by the dtype's class. c: real and imaginary part; f is its real part. */
typedef union { struct { double re, im; } c; double f; int64_t i; uint64_t u; bool b; } ir_num;
char  *ir_at(const ir_box *, const int64_t *i);          /* where element i is laid out */
ir_num ir_number(tt_dtype, const void *at);
ir_num ir_load(const ir_box *, const int64_t *i);
void   ir_store(const ir_box *, const int64_t *i, ir_num);                         /* rounds, wraps */
bool   ir_first(const ir_box *, int64_t *i);             /* row-major walk over a box: first, then next while true */
bool   ir_next(const ir_box *, int64_t *i);
/* the oracle: every equation by its primitive's .ref */
bool   ir_eval(const ir_fn *, const ir_box *in, const ir_box *out);

/* Addressing: element i (global index) of a box is at at + sum_d (i[d]-lo[d])*step[d] ELEMENTS. step may be 0 (a
 * broadcast) or negative. bool is one byte. ir_box_dense makes the row-major box of a whole value. */
ir_box ir_box_dense(void *at, const ir_type *);
ir_box ir_box_of(void *at, tt_dtype, int rank, const int64_t *lo, const int64_t *n);   /* dense */
int64_t ir_box_count(const ir_box *);
bool   ir_copy(const ir_box *from, const ir_box *to);    /* where both have elements; same dtype and rank */

/* ---- the primitive: all that the library knows of it. op/ fills them; ir and everybody read them ------------ */

/* What ir asks of op/ (link-time; the includes still point down). */
const op_prim *op_find(const char *name);                /* NULL: no such primitive */
bool op_infer(const ir_eqn *, const ir_type *const *x, const ir_type **y); /* by .type, or .types and .rule */
/* Checked manual regions: casts operands that vary over fewer axes. Called by ir_emit; may emit. */
bool op_unify(ir_build *, const op_prim *, const void *attr, uint32_t nin, ir_id *in);

/* The factor rule. A dim is a product of factors, major to minor; equal factors move together. */
typedef struct op_rule op_rule;
typedef enum {
    OP_PASS_THROUGH,                                     /* may be sharded wherever it occurs */
    OP_REDUCTION,                                        /* only on operands: cutting it leaves partial results */
    OP_PERMUTATION, /* may be sharded; the operand's box is a window of the result's */
    OP_NEED_REPLICATION                                  /* never sharded while this equation runs */
} op_factor_kind;
/* Window: result range [a,b) needs operand range [ceil((mul*a+lo)/div), floor((mul*(b-1)+hi)/div)], clipped to the dim.
 * slice: {stride, start, start, 1}; pad: {1, -low, -low, interior+1}; conv: {stride, -pad, (k-1)*dil-pad, base_dil};
 * concatenate: {1, -offset, -offset, 1}; reverse: {-1, D-1, D-1, 1} (a negative mul swaps the ends). */
typedef struct { int64_t mul, lo, hi, div; } op_window;
/* Range [*lo, *hi) of an operand's dim (of `size`) that [a, b) of the factor needs; empty ranges stay empty. */
void op_window_range(const op_window *, int64_t a, int64_t b, int64_t size, int64_t *lo, int64_t *hi);
int  op_factor(op_rule *, int64_t size, op_factor_kind);
void op_dim(op_rule *, int tensor, int dim, int factor);         /* appends; tensors: operands, then results */
void op_dim_window(op_rule *, int tensor, int dim, int factor, op_window);
void op_block_propagation(op_rule *, int factor);                /* coexist, but do not propagate through */

/* Ties of structural primitives: values that must share one layout and one variation. */
typedef enum { OP_OPERAND, OP_RESULT, OP_PARAM, OP_RETURN } op_end;
typedef struct op_edges op_edges;
void op_edge(op_edges *, int group, op_end, int sub, int index, int drop); /* drop: leading dims this end has extra */

/* In which operands an equation is linear. It makes generic derivatives, and says what partial sums may pass. */
typedef struct { enum { OP_NONLINEAR, OP_JOINT, OP_EACH } kind; uint64_t in; } op_linear;

/* A collective as data. Over the atoms `over`, a value of a manual region is looked at as one global array: with
 * from_dim >= 0 the instances' operands are the parts of dim from_dim (operand dims times the number of members there);
 * from_dim < 0: each holds the whole, partial copies to be combined with `how` (MESH_NONE: any one, all are alike).
 * to_dim >= 0: each gets its part of dim to_dim; else all get the whole.
 *   psum: how SUM.  all_gather(d): from d.  reduce_scatter(d): how SUM, to d.
 *   all_to_all(split s, concat c): from c, to s.
 * source: ppermute instead: per place along the axes (row-major), whose operand comes here; ~0: zeros.
 * index: no operand; the result is the place itself (axis_index). */
typedef struct {
    mesh_set over; mesh_list order;                      /* the same atoms, in the order of the axes' names: a major */
    mesh_reduce reduce; int from_dim, to_dim; const uint32_t *source; int64_t nsource; bool index;
} op_exchange;

/* Scalar code: how an elementwise primitive is computed, once, for the tile interpreter and for compiled loops.
 * Both run the same list, so both give the same bits. fma is one rounding; nothing is contracted or reordered. */
typedef struct op_prog op_prog;
typedef int16_t op_reg;
#define OP_CODES(X) X(CONST) X(NEG) X(ABS) X(ADD) X(SUB) X(MUL) X(DIV) X(REM) X(FMA) X(SQRT) X(MIN) X(MAX) X(FLOOR) \
    X(RINT) X(LT) X(LE) X(EQ) X(NE) X(SELECT) X(AND) X(OR) X(XOR) X(NOT) X(SHL) X(SHR) X(SAR) X(CLZ) X(POPCNT) \
    X(MULHI) X(CONVERT) X(BITCAST) X(RANDOM32) X(RANDOM64) X(INDEX) X(INPUT)
/* INDEX: this element's global index along a dim; dim IR_RANK + d: its row-major number in the dims from d on, if the
 * engine knows it. DRAW a, b, c: the word of random bits that counter a (an INDEX) has under the key (b, c), see
 * op/random/threefry.h. */
#define OP_CODE_(n) OP_##n,
typedef enum { OP_CODES(OP_CODE_) OP_NCODE } op_code;
/* Which kind of kernel computes it, when nothing better is found. Engines list candidates per kind, first fit wins,
 * each refusal has a reason; an engine's fast path for one primitive is a candidate file in gen/, not a cell here. */
/* A complex value as two real ones, for the primitives' .pair. */
typedef struct { ir_id re, im; } op_parts;
typedef enum { OP_REF, OP_MAP, OP_REDUCE, OP_CONTRACT, OP_MOVE, OP_LOOP, OP_CASE, OP_CALL, OP_EXCHANGE,
    OP_MATRIX } op_kernel;

struct op_prim {
    const char *name, *doc;
    const char *hlo;                                     /* "stablehlo.tanh"; "" = exported by .decompose */
    const char *call;                                    /* "x, y": mkops makes tt_<name>(x, y); "" = hand-written */
    int nin, nout, nsub;                                 /* -1: any number */
    op_kernel kernel;
    bool ordered;                                        /* an effect: kept, in program order, on the control thread */
    bool states;                                         /* type sets vary/partial/reduced itself (collectives, casts);
                                                            otherwise ir_emit unites the operands' and checks .linear */
    mesh_reduce monoid;                                 /* add: MESH_SUM ... so that reducers are recognised by table */
    size_t attr;                                         /* sizeof its attribute struct */
    const ir_field *field;                               /* ends with a NULL name */

    const char *types;                                   /* "F, F -> F" (F float, I int, N number, B bool, T any; X, Z:
                                                            as F, N, or complex; same letter = same type); shapes
                                                            come from the rule */
    bool (*type)(const ir_eqn *, const ir_type *const *x, const ir_type **y);      /* or this, when text cannot say */
    const char *rule;                                    /* "i k, k j -> i j"; "... , ... -> ..." elementwise */
    void (*rules)(const ir_eqn *, op_rule *);            /* or this */
    void (*edges)(const ir_eqn *, op_edges *);           /* or, for structural primitives, this */
    op_linear (*linear)(const ir_eqn *);
    mesh_reduce (*partial)(const ir_eqn *);              /* kind of partial that a sharded OP_REDUCTION factor leaves */

    /* derivative: x operands, y results (ids in the new function), dx tangents (0 = zero); fill dy. Equations emitted
     * here that read no tangent become the known part, the others are linear. A rule may put better results into y. */
    void (*jvp)(ir_build *, const ir_eqn *, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy);
    /* x[i] == 0: operand i is linear and wants its cotangent in cx[i]; ct[j] == 0: that cotangent is zero. */
    void (*transpose)(ir_build *, const ir_eqn *, const ir_id *x, const ir_id *ct, ir_id *cx);
    /* mapped operands have the new dim of size n at dim 0, and so have results, unless the rule clears out[j]. Called
     * when an operand is mapped, or when an IR_NAMES attribute holds op_axis(). */
    void (*batch)(ir_build *, const ir_eqn *, const ir_id *x, const bool *mapped, int64_t n, ir_id *y, bool *out);
    bool (*decompose)(ir_build *, const ir_eqn *, const ir_id *x, ir_id *y);       /* the same in other primitives */
    /* On complex operands or results: the same in real and imaginary parts (op/complex/pair.c). Real operands have im
     * 0; a real result leaves y->im 0. NULL: its kernel moves complex elements, or its reference computes with them. */
    bool (*pair)(ir_build *, const ir_eqn *, const op_parts *x, op_parts *y);

    bool (*ref)(const ir_eqn *, const ir_box *x, const ir_box *y);     /* the definition: slow and obvious, any box */
    bool (*group)(const ir_eqn *, int n, int me, const ir_box *x, const ir_box *y); /* OP_EXCHANGE instead: what member
                                                            me of n gets; x[g] is member g's operand */
    bool (*exchange)(const ir_eqn *, op_exchange *);     /* OP_EXCHANGE: the same as data, for plans */
    op_reg (*prog)(op_prog *, const ir_eqn *, const op_reg *x);        /* OP_MAP: the computation, exact to the bit */
    double (*real)(double);                              /* OP_MAP, one operand: libm's answer, for the ulp test */
    double ulp;                                          /* how far scalar program may be from real */
    const char *const *cases;                            /* equations in IR text, for every property test; NULL ends */
};

#endif
