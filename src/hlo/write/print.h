/* hlo/write/print.h - shared by lower.c and the files print*.c. */
#ifndef TUTTI_HLO_PRINT_H
#define TUTTI_HLO_PRINT_H

#include "../hlo.h"

/* The same function in primitives that have a name in StableHLO. spelled: of hlo_borders. NULL with the error set. */
ir_fn *hlo_lower(base_arena *, const ir_fn *, bool spelled);
ir_fn *hlo_stateless(base_arena *, const ir_fn *);       /* stateless.c */
/* lower_prims.c: how a primitive is lowered if StableHLO's operation of its name differs; NULL: it does not differ. */
typedef bool hlo_lowering(ir_build *, const ir_eqn *, const ir_id *x, ir_id *y);
hlo_lowering *hlo_lowering_of(const ir_eqn *);
/* lower_algebra.c: for compilers without LAPACK's; NULL: the primitive is none of linear algebra, or stays a call. */
hlo_lowering *hlo_spelled_of(const ir_eqn *);

/* ---- the state of printing ---- */

typedef struct hlo_callee { const ir_fn *fn; int number; struct hlo_callee *next; } hlo_callee;
typedef struct {
    base_arena *arena;
    base_text t;
    uint32_t values;                                     /* number of values so far */
    hlo_callee *first, *last;                            /* functions to be printed after this one */
    int ncallee, depth, channels, groups;
    mesh_set manual;                                     /* axes of the enclosing manual regions */
    bool by_axes;                                        /* groups of devices are given by axes, not by a table */
    bool spelled;                                        /* of hlo_borders */
} hlo_printer;
void hlo_indent(hlo_printer *);                          /* begins a line */
/* "%1, %4"; name: numbers by value */
void hlo_print_values(hlo_printer *, uint32_t n, const ir_id *, const uint32_t *name);

/* print_value.c */
void hlo_print_type(base_text *, const ir_type *);
/* the types of these values, in brackets */
void hlo_print_types(base_text *, const ir_fn *, uint32_t n, const ir_id *);
void hlo_print_literal(base_text *, const op_const_attr *, const ir_type *);
/* Prints the attributes of an equation: "key = value, ..."; false with the error set: they have no form. */
bool hlo_print_attrs(hlo_printer *, const ir_eqn *);
/* print_mesh.c */
/* by_place: devices are numbered by their places on the mesh */
void hlo_print_mesh(base_text *, const mesh *, bool by_place);
void hlo_print_axes(base_text *, const mesh *, mesh_set); /* manual_axes = #sdy<manual_axes{"a", "b"}> */
void hlo_print_layout(base_text *, const mesh_layout *); /* #sdy.sharding<@mesh, [...]> */
bool hlo_print_distributed(hlo_printer *, const ir_eqn *); /* layouts, manual regions, collectives */
ir_fn *hlo_group_region(base_arena *, const ir_eqn *);
bool hlo_coordinate_along(const ir_eqn *axis_index, int64_t *below, int64_t *size);
/* print_axis_index.c */
bool hlo_print_axis_index(hlo_printer *, const ir_eqn *, uint32_t *name); /* axis_index */
void hlo_print_sharding_group(hlo_printer *, const ir_eqn *, uint32_t *name);
/* false: the equation is not a device's number */
bool hlo_print_device_number(hlo_printer *, const ir_eqn *, uint32_t *name);
/* print_algebra.c: primitives of linear algebra as custom calls; false: not linear algebra. */
bool hlo_print_algebra(hlo_printer *, const ir_eqn *, uint32_t *name);
/* pivots -> permutation of m rows */
ir_fn *hlo_permutation(base_arena *, const mesh *, const ir_type *pivots, int64_t m);
/* A sort's order as a region of scalars. */
ir_fn *hlo_comparator(base_arena *, const ir_eqn *);

#endif
