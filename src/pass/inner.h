/* pass/inner.h - what the files of this room share: one sweep over a function, into another that means the same. */
#ifndef TUTTI_PASS_INNER_H
#define TUTTI_PASS_INNER_H

#include "pass.h"

typedef struct pass_shared { const ir_fn *from; ir_fn *to; } pass_shared;
typedef struct {
    base_arena *a;
    const mesh *mesh;
    ir_build *b;
    uint32_t *table; size_t cap, used;                   /* equations by content: 1 + number in the new function */
    uint32_t changed;                                    /* how many equations came out otherwise; dead ones apart */
} pass_simplifier;
typedef struct { const ir_fn *f; ir_id *map; uint32_t *uses; } pass_from;    /* the function read; uses[old id] */

/* simplify.c */
void  pass_like(ir_fn *to, const ir_fn *);                 /* tag, donation, layouts of arguments */
ir_id pass_emit(pass_simplifier *, const op_prim *, const void *attr, uint32_t nin, const ir_id *in, uint32_t nsub,
                ir_fn *const *sub);

/* scan_remat.c: [value]: how often it is an operand or a result */
uint32_t *pass_uses(base_arena *, const ir_fn *);

/* on_mesh.c: a copy on mesh m, in which region i of e is what `region` makes of it; NULL: it failed, or one of them */
typedef ir_fn *pass_region(base_arena *, const ir_eqn *e, uint32_t i, const mesh *m);
ir_fn *pass_regions(base_arena *, const ir_fn *, const mesh *m, pass_region *region);

/* constant_fold.c: constants. 0: not foldable. */
const op_const_attr *pass_const(const pass_simplifier *, ir_id);
bool  pass_is(const pass_simplifier *, ir_id, double);   /* a constant, each element this number (zero: with sign) */
ir_id pass_constant_fold(pass_simplifier *, const ir_eqn *, const ir_id *x);

/* simplify_rules.c: another value that is the same, or 0 */
ir_id pass_simplify_rule(pass_simplifier *, const pass_from *, const ir_eqn *, const ir_id *x);

/* min_cut.c: of n nodes with prices (below PASS_DEAR) some begin, some end; kept[i]: those of the cheapest set through
 * which all ways lead from the ones to the others. Its price; -1: there is none. */
#define PASS_DEAR ((int64_t)1 << 60)
typedef struct pass_graph pass_graph;
pass_graph *pass_graph_new(base_arena *, uint32_t n, const int64_t *price);
void    pass_graph_arc(pass_graph *, uint32_t from, uint32_t to);
void    pass_graph_begins(pass_graph *, uint32_t), pass_graph_ends(pass_graph *, uint32_t);
int64_t pass_graph_min_cut(pass_graph *, bool *kept);

#endif
