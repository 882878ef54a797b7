/* hlo/print.h - what lower.c, print.c and print_attr.c share. */
#ifndef TUTTI_HLO_PRINT_H
#define TUTTI_HLO_PRINT_H

#include "hlo.h"

/* The same function in rows that have a name in StableHLO. NULL with the error set. */
ir_fn *hlo_lower(base_arena *, const ir_fn *);
/* lower_rows.c: how a row is written in others, where StableHLO's operation of its name is not it; NULL: it is. */
typedef bool hlo_lowering(ir_build *, const ir_eqn *, const ir_id *x, ir_id *y);
hlo_lowering *hlo_lowering_of(const ir_eqn *);
/* The attributes of an equation: "key = value, ..."; false with the error set: it has no such form. channel: of its
 * own. */
bool hlo_put_attrs(base_text *, const ir_eqn *, int channel);
/* print_mesh.c */
void hlo_put_mesh(base_text *, const mesh *);
void hlo_put_axes(base_text *, const mesh *, mesh_set);  /* manual_axes = #sdy<manual_axes{"a", "b"}> */
void hlo_put_layout(base_text *, const mesh_layout *);   /* #sdy.sharding<@mesh, [...]> */
bool hlo_put_spread(base_text *, const ir_eqn *, int channel);   /* of layouts, regions of devices, collectives */
ir_fn *hlo_group_region(base_arena *, const ir_eqn *);
bool hlo_place_along(const ir_eqn *axis_index, int64_t *below, int64_t *size);
/* print_algebra.c: rows of linear algebra as custom calls. A call's results in the order of the text: places of the row's,
 * -1 for what it gives besides; minus: what is taken from a result afterwards. False: it is no such row. */
enum { HLO_CALL_RESULTS = 5 };
typedef struct { int n, at[HLO_CALL_RESULTS]; const ir_type *type[HLO_CALL_RESULTS]; int minus, by; } hlo_called;
bool hlo_algebra_call(base_text *, const ir_eqn *, hlo_called *);
ir_fn *hlo_permutation(base_arena *, const ir_type *pivots, int64_t m);  /* pivots -> permutation of m rows */
/* A sort's order as a region of scalars. */
ir_fn *hlo_comparator(base_arena *, const ir_eqn *);

#endif
