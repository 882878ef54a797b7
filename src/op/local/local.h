/* op/local/local.h - equations on one device's parts: what the cell .local of a primitive is made of.
 *
 * A partitioned function is lowered to what each device computes (spmd/local). An equation runs there as it is, on
 * blocks of its operands, unless its attributes have sizes or positions of the whole, or it combines elements of
 * several parts: then the primitive's .local gives its local form.
 *
 * Names: a *place* is a device's position along a list of atoms, major first; a *part* is what a device has of a dim
 * that is sharded by the list. All blocks of a dim have one size, that of its largest part (uneven.c). */
#ifndef TUTTI_OP_LOCAL_H
#define TUTTI_OP_LOCAL_H

#include "../op.h"

enum { OP_LOCAL_PLACES = 24 };
/* One function or region being lowered. to: the same devices as `from`, in the same order, with one axis for each atom,
 * so that every set of atoms has names. Atom i of one mesh is atom i of the other. */
typedef struct {
    base_arena *a; const mesh *from, *to; ir_build *b;
    int nplace; struct { mesh_list atoms; ir_id id; } place[OP_LOCAL_PLACES];      /* places computed before */
} op_local_fn;

/* An equation with a list of atoms for each factor of its rule. */
typedef struct { const mesh *from; const ir_eqn *e; const op_rule *rule; const mesh_list *atoms; } op_local_choice;
/* The same being lowered. need, has: [operands, then results] the lists of each dim by the factors, and as the operands
 * are laid out. x: local operands, at `need` unless they are windows. */
typedef struct op_local op_local;
struct op_local {
    op_local_choice c; const ir_eqn *e; op_local_fn *p;
    mesh_list (*need)[IR_RANK], (*has)[IR_RANK];
    ir_id *x;
    bool (*bring)(op_local *, int operand, const mesh_list *to);         /* moves x[operand] from `has` to the lists */
};

/* .windows: who reads dims of operands that are sharded windows. NONE: they are not sharded; READ: op_local_windows;
 * OWN: the rule, where .refuses lets it. */
typedef enum { OP_LOCAL_NONE, OP_LOCAL_READ, OP_LOCAL_OWN } op_local_reader;
struct op_local_form {
    bool (*rule)(op_local *, ir_id *y);                  /* emits on local values; false with the error set */
    op_local_reader windows;
    bool dilated;                                        /* with READ: of operands that it dilates with zeros, parts may
                                                            begin between the elements */
    bool sums;                                           /* parts that differ in size may be summed: the rule masks */
    bool alike;                                          /* no part of any dim may differ in size */
    const char *(*refuses)(const op_local_choice *);     /* why these lists have no local form; NULL: they have one */
};
#define OP_LOCAL(...) &(const op_local_form){ __VA_ARGS__ }
/* Why an equation has no local form with these lists; NULL: it has one, as all have where nothing is sharded. */
const char *op_local_refuses(const op_local_choice *);

mesh_list op_local_list(const op_local_choice *, int tensor, int d);       /* of a dim, by its factors */

/* ---- parts.c ---- */

ir_names op_local_axes(const op_local_fn *, mesh_list);      /* one name for each atom */
ir_id op_local_place(op_local_fn *, mesh_list);              /* i32 scalar */
ir_id op_local_affine(op_local_fn *, mesh_list, int64_t first, int64_t by);    /* first + by * place */
ir_id op_local_table(op_local_fn *, mesh_list, const int64_t *v);    /* v[place] */
/* The type of a device's block. NULL with the error set: a dim is too long for indices. */
const ir_type *op_local_type(const op_local_fn *, base_site, const ir_type *whole, const mesh_list *);
const ir_type *op_local_result(const op_local *);        /* of result 0 */
bool  op_local_cut(const op_local *, int tensor, int d); /* True if the dim is in parts */
mesh_set op_local_summed(const op_local *);              /* atoms over which the results are partial by its own sum */
/* x where the device is at place 0 of the atoms, else the identity of the reduction. x itself if it is known to be the
 * identity, or if copies do not change the result. */
ir_id op_local_once(op_local_fn *, ir_id x, mesh_set, mesh_reduce);
/* i32 in the shape of t: first, an i32 scalar, plus the position along dim d. */
ir_id op_local_positions(op_local_fn *, const ir_type *t, int d, ir_id first);
ir_id op_local_inside(op_local_fn *, ir_id v, int64_t n);    /* 0 <= v < n */
ir_id op_local_all_gather(op_local_fn *, ir_id, mesh_list, int dim);
bool  op_local_none(const ir_eqn *, const char *why);    /* false, with the error: it has no local form */
ir_fn *op_local_scalars(op_local_fn *, const ir_fn *);       /* a region of scalars, on the mesh of atoms */
bool  op_local_emit(op_local *, const void *attr, ir_id *y);     /* the equation with another attribute, on x */
bool  op_local_as_is(op_local *, ir_id *y);

/* ---- uneven.c: sizes are those of the complete dim ---- */

bool    op_local_uneven(const mesh *, mesh_list, int64_t size);  /* True if the parts differ in size */
int64_t op_local_most(const mesh *, mesh_list, int64_t size);    /* elements of the largest part */
ir_id   op_local_begin(op_local_fn *, mesh_list, int64_t size);      /* i32: the part's first element in the dim */
/* The rests of parts along the dims of operand i that are summed become the identity. */
bool    op_local_mask_sum(op_local *, int i, mesh_reduce);
/* The blocks of the parts by `from`, one after the other along dim d, as the block of the part by `to`, a prefix. */
ir_id   op_local_close_up(op_local_fn *, ir_id, int d, int64_t size, mesh_list from, mesh_list to);
/* The inverse: from a prefix `from` to `to`. */
ir_id   op_local_set_apart(op_local_fn *, ir_id, int d, int64_t size, mesh_list from, mesh_list to);
/* This device's part by `to` of a value that it has by `has`, prefixes of `to`; NULL: completely. */
ir_id   op_local_take(op_local_fn *, ir_id, const ir_type *whole, const mesh_list *has, const mesh_list *to);

/* ---- windows.c ---- */

/* What a device reads of a windowed dim: elements first + by * place + [0, n), some of them perhaps outside of it. */
typedef struct { int64_t first, by, n; } op_local_span;
/* Why there is none; NULL: there is. */
const char *op_local_span_of(const op_local_choice *, int operand, int dim, op_local_span *);
/* True if parts begin between the elements of a dilated operand: windows are then dilated already, and padded. */
bool op_local_dilates(const op_local_choice *, int operand, int dim);
bool op_local_windowed(const op_local_choice *, int operand, int dim);     /* True if the dim is a sharded window */
/* Replaces x[operand] by the windows that this device reads. fill: what elements outside of the value are, a local
 * scalar; 0: zeros. */
bool op_local_windows(op_local *, int operand, ir_id fill);
/* Paddings of a windowed dim on a part, so that windows begin where they do in the whole. out: elements of the part. */
void op_local_padding(const op_taps *, const op_local_span *, int64_t out, int64_t *low, int64_t *high);

/* ---- rules and parts of rules that several primitives have ---- */

/* op/index/indices.c: vectors of indices less an offset per component: [n] ids of i32 scalars, 0: none. Indices become
 * signed. */
ir_id op_local_indices(op_local_fn *, ir_id index, int64_t vector, int n, const ir_id *offset);
/* op/reduce/select_and_scatter.c: of windows that lie apart, as those of most pools do. */
extern const op_local_form op_local_select;

#endif
