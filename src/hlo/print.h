/* hlo/print.h - what lower.c, print.c and print_attr.c share. */
#ifndef TUTTI_HLO_PRINT_H
#define TUTTI_HLO_PRINT_H

#include "hlo.h"

/* The same function in rows that have a name in StableHLO. NULL with the error set. */
ir_fn *hlo_lower(base_arena *, const ir_fn *);
/* The attributes of an equation: "key = value, ..."; false with the error set: it has no such form. */
bool hlo_put_attrs(base_text *, const ir_eqn *);
/* A sort's order as a region of scalars. */
ir_fn *hlo_comparator(base_arena *, const ir_eqn *);

#endif
