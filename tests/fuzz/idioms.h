/* fuzz/idioms.h - what networks are made of, at sizes at which equations become kernels over rows: softmax, scales and
 * shifts by row, by column and by batch, sums of them in every direction, products with a weight. */
#ifndef TUTTI_TESTS_FUZZ_IDIOMS_H
#define TUTTI_TESTS_FUZZ_IDIOMS_H

#include "algebra.h"

/* Dims [from, to) of v reduced. */
static inline ir_id reduced_dims(gen *g, const op_prim *how, ir_id v, int from, int to)
{
    int64_t dims[IR_RANK];
    int n = 0;
    for (int d = from; d < to; d++) dims[n++] = d;
    return noted(g, op_reduce_dims(g->b, how, v, n, dims));
}

/* v, which has dims [from, from + its rank) of t, as t. */
static inline ir_id spread_from(gen *g, ir_id v, const ir_type *t, int from)
{
    int64_t to[IR_RANK];
    const int rank = type_of(g, v)->rank;
    for (int d = 0; d < rank; d++) to[d] = from + d;
    return noted(g, op_broadcast(g->b, v, t, rank, to));
}

static inline ir_id between(gen *g, ir_id v, fact f)     /* known to be, though no rule says so */
{
    if (v && is_floating(g, v) && !is_coarse(type_of(g, v)->dtype)) set_fact(g, v, f);
    return v;
}

static inline ir_id softmax_of(gen *g, ir_id x, int kept)
{
    const ir_type *t = type_of(g, x);
    const ir_id most = reduced_dims(g, &prim_max, x, kept, t->rank);
    const ir_id e = between(g, noted(g, op_exp(g->b, noted(g, op_sub(g->b, x, spread_from(g, most, t, 0))))),
                            (fact){ LOOSE, 1 });
    const ir_id sum = between(g, reduced_dims(g, &prim_add, e, kept, t->rank), (fact){ LOOSE, 100 });
    return between(g, op_div(g->b, e, spread_from(g, sum, t, 0)), (fact){ LOOSE, 1 });
}

/* Larger than other values, so that there are enough rows; a chain of some of these. */
static inline void make_idiom(gen *g)
{
    static const int64_t batch[] = { 8, 12, 16, 6, 3 };
    const tt_dtype d = pick(4) ? TT_F32 : TT_F64;
    const int64_t dim[4] = { batch[pick(5)], 2 + pick(4), 2 + pick(3), 3 + pick(6) };
    const int rank = 2 + (int)pick(3), steps = 2 + (int)pick(5);
    int64_t size[4], count = 1;
    for (int k = 0; k < rank; k++) size[k] = k == rank - 1 ? dim[3] : dim[k], count *= size[k];
    if (count > FUZZ_COUNT) return;
    const ir_type *t = ir_type_of(d, rank, size);
    ir_id x = noted(g, op_tanh(g->b, of_type(g, t)));
    for (int k = 0; k < steps && x; k++) {
        const int cut = 1 + (int)pick((uint32_t)rank - 1);
        const ir_id left = noted(g, op_tanh(g->b, of_type(g, ir_type_of(d, cut, size))));
        const ir_id right = of_type(g, ir_type_of(d, rank - cut, size + cut));
        if (!left || !right) return;
        switch (pick(7)) {
        case 0:  x = softmax_of(g, x, cut); break;
        case 1:  x = noted(g, op_mul(g->b, x, spread_from(g, left, t, 0))); break;
        case 2:  x = noted(g, op_add(g->b, x, spread_from(g, right, t, cut))); break;
        case 3:  x = noted(g, op_sub(g->b, x, spread_from(g, reduced_dims(g, &prim_add, x, cut, rank), t, 0))); break;
        case 4:  offer(g, noted(g, op_mul(g->b, left, reduced_dims(g, &prim_add, x, cut, rank)))); break;
        case 5:  offer(g, reduced_dims(g, pick(2) ? &prim_add : &prim_max, x, 0, cut)); break;
        default: x = noted(g, op_tanh(g->b, x));
        }
        offer(g, x);
    }
}

#endif
