/* pass/inner.h - shared by the files of this room: the state of a sweep that rewrites a function, and helpers. */
#ifndef TUTTI_PASS_INNER_H
#define TUTTI_PASS_INNER_H

#include "pass.h"

typedef struct pass_shared { const ir_fn *from; ir_fn *to; } pass_shared;
typedef struct {
    base_arena *a;
    const mesh *mesh;
    ir_build *b;
    uint32_t *table; size_t cap, used;                   /* hash table of the new function's equations: 1 + index */
    uint32_t changed;                                    /* number of equations replaced; dead ones not counted */
} pass_simplifier;
typedef struct { const ir_fn *f; ir_id *map; uint32_t *uses; } pass_from;    /* the old function; map, uses: [old id] */

/* simplify.c */
void  pass_like(ir_fn *to, const ir_fn *);                 /* copies tag, donation, layouts of arguments */
ir_id pass_emit(pass_simplifier *, const op_prim *, const void *attr, uint32_t nin, const ir_id *in, uint32_t nsub,
                ir_fn *const *sub);

/* on_mesh.c: copies a function to mesh m, replacing region i of each equation e by the result of `region`. NULL if the
 * copy or a call of `region` failed. */
typedef ir_fn *pass_region(base_arena *, const ir_eqn *e, uint32_t i, const mesh *m);
ir_fn *pass_regions(base_arena *, const ir_fn *, const mesh *m, pass_region *region);

/* constant_fold.c. pass_const: the constant of the new function that the value is; NULL if it is none.
 * pass_constant_fold: the folded result; 0 if the equation cannot be folded. */
const op_const_attr *pass_const(const ir_build *, ir_id);
bool  pass_is(const ir_build *, ir_id, double);           /* True if each element is this constant, sign of 0 too */
ir_id pass_constant_fold(pass_simplifier *, const ir_eqn *, const ir_id *x);

/* simplify_rules.c: a simpler value equal to e's result, or 0. */
ir_id pass_simplify_rule(pass_simplifier *, const pass_from *, const ir_eqn *, const ir_id *x);

/* min_cut.c: minimum node cut of a graph of n nodes with prices (below PASS_DEAR), of which some are sources
 * (pass_graph_begins) and some sinks (pass_graph_ends). kept[i]: node i is in the cheapest set of nodes that every path
 * from a source to a sink passes. Returns the price of the set; -1: no such set. */
#define PASS_DEAR ((int64_t)1 << 60)
typedef struct pass_graph pass_graph;
pass_graph *pass_graph_new(base_arena *, uint32_t n, const int64_t *price);
void    pass_graph_arc(pass_graph *, uint32_t from, uint32_t to);
void    pass_graph_begins(pass_graph *, uint32_t), pass_graph_ends(pass_graph *, uint32_t);
int64_t pass_graph_min_cut(pass_graph *, bool *kept);

#endif
