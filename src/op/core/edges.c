/* op/core/edges.c - edges of structural primitives (scan, while, case, call): the groups of operands, parameters,
 * returns and results that must share one layout. A primitive's .edges calls op_edge once per end; readers iterate over
 * edges->at. */
#include "../build.h"

void op_edge(op_edges *t, int group, op_end end, int sub, int index, int drop)
{
    if (t->n == t->cap) {
        const int cap = t->cap ? 2 * t->cap : 16;
        op_edge_end *grown = BASE_NEW(t->arena, op_edge_end, cap);
        for (int i = 0; i < t->n; i++) grown[i] = t->at[i];
        t->at = grown;
        t->cap = cap;
    }
    t->at[t->n++] = (op_edge_end){ group, end, sub, index, drop };
}

void op_chosen_by(op_edges *t, op_end end, int sub, int index)
{
    t->chosen = true;
    t->by = (op_edge_end){ -1, end, sub, index, 0 };
}

void op_unlisted(op_edges *t) { t->unlisted = true; }
