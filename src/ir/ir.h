/* ir/ir.h - the intermediate representation: types, equations, functions; building, text, verification, evaluation.
 *
 * The IR defines the table of a primitive (last section) but knows no primitive by name. Id 0 means "none". Functions
 * and regions are closed: a value from outside that a region reads is an operand of the region's equation.
 */
#ifndef TUTTI_IR_H
#define TUTTI_IR_H

#include "../mesh/mesh.h"

enum { IR_RANK = MESH_RANK };
typedef struct ir_fn ir_fn;
typedef struct ir_eqn ir_eqn;
typedef struct ir_build ir_build;
typedef struct op_prim op_prim;
typedef struct op_local_form op_local_form;

typedef uint32_t ir_id;                                  /* a value of a function; 0 = none */

/* ---- types ---- */

typedef struct {                                         /* interned; the tracer handles x64 and weak types */
    tt_dtype dtype;
    int rank;
    const int64_t *dim;                                  /* global, or local inside a manual region */
    mesh_set vary, partial, reduced;                     /* states in a checked manual region; all empty elsewhere */
    mesh_reduce reduce;
} ir_type;
const ir_type *ir_type_of(tt_dtype, int rank, const int64_t *dim);         /* NULL with the error set: invalid */
const ir_type *ir_type_as(const ir_type *like, tt_dtype, int rank, const int64_t *dim);   /* keeps the states */
const ir_type *ir_type_vary(const ir_type *, mesh_set vary);                              /* replaces vary */
const ir_type *ir_type_states(const ir_type *, mesh_set vary, mesh_set partial, mesh_reduce, mesh_set reduced);
bool        ir_same_dims(const ir_type *, const ir_type *);    /* True if rank and sizes of all dims are equal */
int64_t     ir_count(const ir_type *);                   /* elements */
int64_t     ir_bytes(const ir_type *);                   /* of the complete dense value */
/* "f32[4, 256]", "f32[8]{i}", "f32[8]+sum(i)"; without a mesh by atom numbers: "f32[8]{#0}". */
const char *ir_type_text(base_arena *, const ir_type *);
const char *ir_type_text_on(base_arena *, const mesh *, const ir_type *);

/* Data types as a table. */
typedef enum { IR_BOOL_CLASS, IR_INT_CLASS, IR_UINT_CLASS, IR_FLOAT_CLASS, IR_COMPLEX_CLASS } ir_class;
/* Special values of a float of 8 bits or less: IEEE: infinities and NaNs as in IEEE 754; FN: a NaN of each sign (all
 * ones), no infinity; FNUZ: one NaN, in the place of -0; FINITE: neither NaN nor infinity; FNU: unsigned, one NaN, no
 * zero. */
typedef enum { IR_IEEE, IR_FN, IR_FNUZ, IR_FINITE, IR_FNU } ir_ending;
/* bits: significant bits of a value, which occupies `bytes` of memory. Narrow types (one byte each; integers are
 * sign-extended) have wide: the type that they are computed in. A narrow float with exponent field e and fraction field
 * f has the value (1 + f / 2^mant) 2^(e - bias), or f / 2^mant 2^(1 - bias) if e is 0. */
typedef struct {
    const char *name; size_t bytes; ir_class cls; int bits; tt_dtype wide; int exp, mant, bias; ir_ending end;
} ir_dtype;
const ir_dtype *ir_dtype_of(tt_dtype);                   /* "f32", 4, ...; NULL: invalid */
tt_dtype        ir_dtype_named(const char *);            /* 0: no such name */
bool            ir_is_float(tt_dtype);                   /* real floating point */
bool            ir_is_narrow(tt_dtype);
tt_dtype        ir_widened(tt_dtype);                    /* type of computation: f32 for f16, bf16; else itself */
double          ir_dtype_most(tt_dtype);                 /* greatest value of a float; infinity if it exists */
/* True if the values of the type are integers (not bool); sets the range. */
bool            ir_int_range(tt_dtype, int64_t *least, uint64_t *most);
double          ir_narrow_f64(tt_dtype, uint8_t);        /* narrow floats */
uint8_t         ir_f64_narrow(tt_dtype, double);         /* rounds to nearest even */
uint8_t         ir_wrap(tt_dtype, uint64_t);             /* narrow integers: the low bits, sign-extended */
/* Codes of a narrow float. all: mask of exponent and fraction, without the sign; most: greatest finite value; over:
 * result of overflow, and infinity; nan: NaN. */
typedef struct { unsigned all, most, over, nan; } ir_codes;
ir_codes        ir_codes_of(const ir_dtype *);
float    ir_bf16_f32(uint16_t), ir_f16_f32(uint16_t);
uint16_t ir_f32_bf16(float), ir_f32_f16(float), ir_f64_bf16(double), ir_f64_f16(double);  /* nearest even, once */

/* ---- attributes ---- */

/* Attributes are plain structs; a primitive reads them by field name. The primitive's field table makes them printable,
 * parsable, comparable, hashable and exportable without further code. Field names are StableHLO's where it has one. */
typedef struct { int n; const int64_t *v; } ir_dims;
typedef struct { int n; const mesh_layout *const *v; } ir_layouts;        /* one per operand or result */
typedef struct { int n; const base_name *v; } ir_names;  /* collectives name axes; resolved where the axis is bound */
typedef enum {
    IR_INT, IR_REAL, IR_BOOL, IR_ENUM, IR_DTYPE, IR_DIMS, IR_NAME, IR_NAMES, IR_DATA, IR_LAYOUTS, IR_HOST
} ir_kind;
typedef struct { const char *name; ir_kind kind; size_t at; const char *const *choices; } ir_field;
/* Elements of a constant: dense, row-major, in the dtype's memory format; of a splat one element. Interned. */
typedef struct { size_t bytes; const void *p; } ir_data;
#define IR_FIELD(T, member, kind) { #member, kind, offsetof(T, member), NULL }
const void *ir_attr_intern(const op_prim *, const void *attr);   /* deep: equal content, equal pointer */

/* ---- equations and functions ---- */

/* After partitioning: the atoms of each factor of the equation's rule. The layout of an operand follows from the atoms
 * of its factors, except that a dim that is a window of a sharded factor may have any layout: the plan fetches the part
 * that each device needs. */
typedef struct spmd_factor_sharding { int nfactor; const mesh_list *atoms; } spmd_factor_sharding;

struct ir_eqn {
    const op_prim *op;
    const void *attr;                                    /* op->attr bytes, interned */
    ir_fn *fn;                                           /* the function that contains the equation */
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
    ir_eqn *eqn;                                         /* definitions before uses */
    ir_id *ret;
    bool ordered;                                        /* True if an equation is: ir_ordered; set by ir_end */
};

/* Types of operands and results, and the attributes, of an equation. */
#define IR_IN(e, i)   ((e)->fn->type[(e)->in[i]])
#define IR_OUT(e, i)  ((e)->fn->type[(e)->out + (uint32_t)(i)])
#define IR_ATTR(e, T) ((const T *)(e)->attr)
/* True if the equation has an effect, itself or in its regions: it is kept, once, and in its place among the others. */
bool ir_ordered(const ir_eqn *);

/* ---- building ---- */

/* The only way to create equations, for the rules of op/ and for the transforms. */
ir_build      *ir_begin(base_arena *, base_name name, const mesh *);
ir_id          ir_arg(ir_build *, const ir_type *);
ir_id          ir_emit(ir_build *, const op_prim *, const void *attr, uint32_t nin, const ir_id *in,
                       uint32_t nsub, ir_fn *const *sub);    /* infers types; first result, or 0 with the error set */
ir_id          ir_clone(ir_build *, const ir_eqn *like, const ir_id *in);          /* same op, attributes, regions */
bool           ir_inline(ir_build *, const ir_fn *, const ir_id *in, ir_id *out);
ir_build      *ir_region(ir_build *outer, base_name);    /* begins a region: same arena, mesh and transform */
ir_fn         *ir_end(ir_build *, uint32_t nret, const ir_id *ret);                /* verified */
ir_fn         *ir_fn_copy(base_arena *, const ir_fn *);  /* deep, without spare capacity: for keeping */
const ir_type *ir_typeof(const ir_build *, ir_id);
base_site      ir_site(ir_build *, base_site);           /* sets the site of later equations; returns the old one */
const ir_eqn  *ir_def(const ir_build *, ir_id);          /* NULL: an argument */
void          *ir_scratch(ir_build *, size_t bytes);     /* lives as long as the build */
#define IR_NEW(b, T, n) ((T *)ir_scratch(b, (size_t)(n) * sizeof(T)))

/* The function under construction (types by id). The function's arrays move as they grow. */
ir_fn      *ir_build_fn(ir_build *);
base_arena *ir_build_arena(ir_build *);
void        ir_set_context(ir_build *, const void *context); /* data of the transform; ir_region inherits it */
const void *ir_context(const ir_build *);
/* Infers the types of an equation's results: by op_infer, then adds the operands' states unless the primitive sets
 * states. y has ir_infer_most(e) entries; a primitive with any number of results (nout -1) fills one per result, the
 * others stay NULL. */
uint32_t    ir_infer_most(const ir_eqn *);
bool        ir_infer(const ir_eqn *, const ir_type *const *x, const ir_type **y, uint32_t *nout);

/* ---- looking at functions ---- */

bool        ir_verify(const ir_fn *);                    /* True if valid, regions too: ids, order, inferred types */
bool        ir_well_formed(const ir_fn *);               /* True if ids, order, counts are valid (checked by ir_end) */
/* Definitions and uses of the values of a function (uses.c), also of one under construction. Arrays are by id. */
const ir_eqn  *ir_definition(const ir_fn *, ir_id);      /* the equation that computes the value; NULL: an argument */
const ir_eqn **ir_definitions(base_arena *, const ir_fn *);      /* the same for all values */
uint32_t      *ir_uses(base_arena *, const ir_fn *);     /* number of operands and returns that are the value */
/* Text. print and parse round-trip; golden tests compare the text. Format: print.c; extensions for input: parse.c. */
const char *ir_print(base_arena *, const ir_fn *);
const char *ir_print_sites(base_arena *, const ir_fn *); /* the same, each equation followed by its site */
const char *ir_eqn_text(base_arena *, const ir_eqn *);   /* for messages: "mul v1, v2" and its attributes */
ir_fn      *ir_parse(base_arena *, base_site, const char *text);
/* Parses a case of a primitive: an equation with operand types instead of values, optionally on a mesh:
 * "psum f32[3]{a} {axes=[a]} on a:2". Returns a function of the typed operands with this equation. */
ir_fn      *ir_case(base_arena *, const char *text);
/* Hashes of content, without names of values and sites. Equal in every process, except for host functions. */
uint64_t    ir_hash(const ir_fn *);
uint64_t    ir_attr_hash(uint64_t seed, const op_prim *, const void *attr);
uint64_t    ir_layout_hash(uint64_t seed, const mesh_layout *);

/* ---- boxes ---- */

/* A box: a range of global indices per dim with memory, on which kernels and the reference evaluator compute. lo and
 * i[] are indices in the global value. Element i is at at + sum_d (i[d] - lo[d]) * step[d] ELEMENTS. step may be 0 (a
 * broadcast) or negative. A bool is one byte. */
typedef struct { void *at; tt_dtype dtype; int rank; int64_t lo[IR_RANK], n[IR_RANK], step[IR_RANK]; } ir_box;
/* An element; the dtype's class selects the member. c: real and imaginary part; f is the real part of c. */
typedef union { struct { double re, im; } c; double f; int64_t i; uint64_t u; bool b; } ir_num;
char  *ir_at(const ir_box *, const int64_t *i);          /* address of element i */
ir_num ir_number(tt_dtype, const void *at);
ir_num ir_load(const ir_box *, const int64_t *i);
void   ir_store(const ir_box *, const int64_t *i, ir_num);                         /* rounds, wraps */
bool   ir_first(const ir_box *, int64_t *i);             /* row-major walk over a box: first, then next while true */
bool   ir_next(const ir_box *, int64_t *i);
/* Reference evaluation: every equation by its primitive's .ref. */
bool   ir_eval(const ir_fn *, const ir_box *in, const ir_box *out);

/* The dense row-major box of a complete value. */
ir_box ir_box_dense(void *at, const ir_type *);
ir_box ir_box_of(void *at, tt_dtype, int rank, const int64_t *lo, const int64_t *n);   /* dense */
int64_t ir_box_count(const ir_box *);
bool   ir_copy(const ir_box *from, const ir_box *to);    /* the intersection; same dtype and rank */

/* ---- primitives: tables with everything that the library knows of each; op/ fills them -------------------- */

/* Functions of op/ that ir calls (link-time; ir includes no header of op/). */
const op_prim *op_find(const char *name);                /* NULL: no such primitive */
bool op_infer(const ir_eqn *, const ir_type *const *x, const ir_type **y); /* by .type, or .types and .rule */
/* In checked manual regions, casts operands so that all vary over the same axes. Called by ir_emit; may emit. */
bool op_unify(ir_build *, const op_prim *, const void *attr, uint32_t nin, ir_id *in);

/* The factor rule of an equation. A dim is a product of factors, major to minor; a factor has one sharding in all
 * operands and results. */
typedef struct op_rule op_rule;
typedef enum {
    OP_PASS_THROUGH,                                     /* may be sharded wherever it occurs */
    OP_REDUCTION,                                        /* on operands only: sharding it leaves partial results */
    OP_PERMUTATION,                                      /* may be sharded, but needs neighbours' elements */
    OP_NEED_REPLICATION                                  /* never sharded while this equation runs */
} op_factor_kind;
/* A window: range [a,b) of the result needs the operand's range [ceil((mul*a+lo)/div), floor((mul*(b-1)+hi)/div)],
 * clipped to the dim. Values {mul, lo, hi, div}:
 * slice: {stride, start, start, 1}; pad: {1, -low, -low, interior+1}; conv: {stride, -pad, (k-1)*dil-pad, base_dil};
 * concatenate: {1, -offset, -offset, 1}; reverse: {-1, D-1, D-1, 1} (a negative mul swaps the ends). */
typedef struct { int64_t mul, lo, hi, div; } op_window;
/* Sets the range [*lo, *hi) of an operand's dim of `size` that range [a, b) of the factor needs. Empty ranges stay
 * empty. */
void op_window_range(const op_window *, int64_t a, int64_t b, int64_t size, int64_t *lo, int64_t *hi);
int  op_factor(op_rule *, int64_t size, op_factor_kind);
void op_dim(op_rule *, int tensor, int dim, int factor);         /* appends; tensor: operands, then results */
void op_dim_window(op_rule *, int tensor, int dim, int factor, op_window);
void op_block_propagation(op_rule *, int factor);                /* blocks propagation of the factor */

/* Edges of primitives with regions: the ends of a group must share one layout and one variation. */
typedef enum { OP_OPERAND, OP_RESULT, OP_PARAM, OP_RETURN } op_end;
typedef struct op_edges op_edges;
void op_edge(op_edges *, int group, op_end, int sub, int index, int drop); /* drop: extra leading dims of this end */
/* The end whose value chooses what is computed, a branch's index or a loop's condition: results vary where it does. */
void op_chosen_by(op_edges *, op_end, int sub, int index);
/* Regions have parameters and returns that no edge lists, as rules of the user do: any end may depend on any other. */
void op_unlisted(op_edges *);

/* The operands in which an equation is linear: jointly, or in each alone (`in`: mask, 0: all). Used for generic
 * derivatives and for passing partial sums. */
typedef struct { enum { OP_NONLINEAR, OP_JOINT, OP_EACH } kind; uint64_t in; } op_linear;

/* A collective as data: over the atoms `over`, the operands of a manual region's instances form one global array.
 * - from_dim >= 0: the operands are the parts of dim from_dim (whose size is multiplied by the number of members);
 *   from_dim < 0: each operand is a full copy, to be combined with `reduce` (MESH_NONE: all copies are equal).
 * - to_dim >= 0: each instance gets its part of dim to_dim; to_dim < 0: each instance gets the full array.
 *   psum: reduce SUM.  all_gather(d): from d.  reduce_scatter(d): reduce SUM, to d.
 *   all_to_all(split s, concat c): from c, to s.
 * - source: ppermute instead: per position along the axes (row-major), the position whose operand is received; ~0:
 *   zeros.
 * - index: no operand; the result is the position (axis_index). */
typedef struct {
    mesh_set over; mesh_list order;                      /* order: the same atoms in the order of the axes' names */
    mesh_reduce reduce; int from_dim, to_dim; const uint32_t *source; int64_t nsource; bool index;
} op_exchange;

/* Scalar program: the only definition of an elementwise primitive, both for the tile interpreter and for compiled
 * loops, which therefore give the same bits. fma rounds once; nothing is contracted or reordered. */
typedef struct op_prog op_prog;
typedef int16_t op_reg;
#define OP_CODES(X) X(CONST) X(NEG) X(ABS) X(ADD) X(SUB) X(MUL) X(DIV) X(REM) X(FMA) X(SQRT) X(MIN) X(MAX) X(FLOOR) \
    X(RINT) X(LT) X(LE) X(EQ) X(NE) X(SELECT) X(AND) X(OR) X(XOR) X(NOT) X(SHL) X(SHR) X(SAR) X(CLZ) X(POPCNT) \
    X(MULHI) X(CONVERT) X(BITCAST) X(RANDOM32) X(RANDOM64) X(INDEX) X(INPUT)
/* INDEX: the element's global index along a dim; dim IR_RANK + d: the element's row-major index in the dims from d on,
 * if the engine knows it. RANDOM32, RANDOM64 a, b, c: random bits for counter a (an INDEX) and key (b, c), see
 * op/random/threefry.h. */
#define OP_CODE_(n) OP_##n,
typedef enum { OP_CODES(OP_CODE_) OP_NCODE } op_code;
/* A complex value as two real values, for .pair. */
typedef struct { ir_id re, im; } op_parts;
/* The kind of kernel that computes a primitive. For each kind, engines are tried in order; the first one that does not
 * refuse is taken, and each refusal has a reason. A fast path for one primitive is an engine in gen/, not a cell. */
typedef enum { OP_REF, OP_MAP, OP_REDUCE, OP_CONTRACT, OP_MOVE, OP_LOOP, OP_CASE, OP_CALL, OP_EXCHANGE,
    OP_MATRIX, OP_HOST } op_kernel;                      /* OP_HOST: a C function, on the control thread */

struct op_prim {
    const char *name, *doc;
    const char *hlo;                                     /* "stablehlo.tanh"; "": exported by .decompose */
    const char *call;                                    /* "x, y": mkops writes tt_<name>(x, y); "": hand-written */
    bool by_hand;                                        /* with .call: the body of tt_<name> is written in api/ops.c */
    int nin, nout, nsub;                                 /* -1: any number */
    op_kernel kernel;
    bool ordered;                                        /* an effect: kept, in program order, on the control thread */
    bool states;                                         /* .type sets vary/partial/reduced (collectives, casts); if
                                                            false, ir_emit unites the operands' and checks .linear */
    bool passes;                                         /* result i is operand i, element by element; only layouts,
                                                            states, or what passes may do differ. Without .states: only
                                                            layouts */
    bool watches;                                        /* with .ordered: an effect that only shows values: where a
                                                            rule computes values a second time, it is left out */
    mesh_reduce monoid;                                 /* add: MESH_SUM, ...: for recognising reducers */
    size_t attr;                                         /* sizeof its attribute struct */
    const ir_field *field;                               /* ends with a NULL name */

    const char *types;                                   /* "F, F -> F" (F float, I int, N number, B bool, T any; X, Z:
                                                            as F, N, or complex; same letter = same type); shapes
                                                            follow from the rule */
    bool (*type)(const ir_eqn *, const ir_type *const *x, const ir_type **y);      /* instead of .types */
    const char *rule;                                    /* "i k, k j -> i j"; "... , ... -> ..." elementwise */
    void (*rules)(const ir_eqn *, op_rule *);            /* instead of .rule */
    void (*edges)(const ir_eqn *, op_edges *);           /* instead of .rule, for primitives with regions */
    op_linear (*linear)(const ir_eqn *);
    mesh_reduce (*partial)(const ir_eqn *);              /* reduction kind of the partial results that a sharded
                                                            OP_REDUCTION factor leaves */

    /* Derivative. x: operands, y: results (ids in the new function), dx: tangents (0: zero); fills dy. Emitted
     * equations that read no tangent become the known part, the others are linear. A rule may replace results in y. */
    void (*jvp)(ir_build *, const ir_eqn *, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy);
    /* x[i] == 0: operand i is linear, and the rule sets its cotangent cx[i]; ct[j] == 0: cotangent of result j is
     * zero. */
    void (*transpose)(ir_build *, const ir_eqn *, const ir_id *x, const ir_id *ct, ir_id *cx);
    /* Batching. Mapped operands have the new dim, of size n, at dim 0; so have results, unless the rule clears out[j].
     * Called if an operand is mapped or an IR_NAMES attribute contains op_axis(). */
    void (*batch)(ir_build *, const ir_eqn *, const ir_id *x, const bool *mapped, int64_t n, ir_id *y, bool *out);
    bool (*decompose)(ir_build *, const ir_eqn *, const ir_id *x, ir_id *y);       /* in other primitives */
    /* For complex operands or results: the equation in real and imaginary parts (op/complex/pair.c). A real operand has
     * im 0; a real result leaves y->im 0. NULL: the kernel or the reference handles complex elements. */
    bool (*pair)(ir_build *, const ir_eqn *, const op_parts *x, op_parts *y);

    /* The equation on one device's parts (op/local/local.h), for a primitive whose attributes have sizes or positions
     * of the whole, or that combines elements of several parts. NULL: it runs on parts as it is. */
    const op_local_form *local;

    bool (*ref)(const ir_eqn *, const ir_box *x, const ir_box *y);     /* the definition: slow and obvious, any box */
    bool (*group)(const ir_eqn *, int n, int me, const ir_box *x, const ir_box *y); /* OP_EXCHANGE, instead of .ref:
                                                            the result of member me of n; x[g]: operand of member g */
    bool (*exchange)(const ir_eqn *, op_exchange *);     /* OP_EXCHANGE: the collective as data, for plans */
    op_reg (*prog)(op_prog *, const ir_eqn *, const op_reg *x);        /* OP_MAP: scalar program, exact to the bit */
    double (*real)(double);                              /* OP_MAP, one operand: libm's function, for the ulp test */
    double ulp;                                          /* greatest error of the scalar program against .real */
    int cost;                                            /* of an element, where an addition costs 1; 0 means 1 */
    const char *const *cases;                            /* equations in IR text, for every property test; NULL ends */
};

#endif
