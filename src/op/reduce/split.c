/* op/reduce/split.c - dims as products of factors: moves a part of a dim to another dim, as convolutions with groups
 * require. Each move is reshape, transpose, reshape; steps without effect emit no equation. */
#include "../build.h"

/* Dim `from` of x is [g, rest]; g moves in front of (the minor part of) dim `to`: [g, to]. */
ir_id op_move_part(ir_build *b, ir_id x, int64_t g, int from, int to)
{
    int64_t dim[IR_RANK], perm[IR_RANK], merged[IR_RANK];
    if (!x || g == 1) return x;
    const ir_type *t = ir_typeof(b, x);
    int n = 0;
    if (t->rank == IR_RANK)
        return base_fail(TT_ESHAPE, NULL, "a part of a value of %d dims, the limit, has no place for a dim of its own",
                         IR_RANK), 0;
    for (int d = 0; d < t->rank; d++) {                  /* split */
        if (d == from) dim[n++] = g;
        dim[n++] = d == from ? t->dim[d] / g : t->dim[d];
        merged[d] = d == from ? t->dim[d] / g : d == to ? t->dim[d] * g : t->dim[d];
    }
    const int split = from, target = to > from ? to + 1 : to;
    n = 0;
    for (int d = 0; d <= t->rank; d++) {                 /* the group in front of its new dim */
        if (d == split) continue;
        if (d == target) perm[n++] = split;
        perm[n++] = d;
    }
    return op_reshape(b, op_transpose(b, op_reshape(b, x, t->rank + 1, dim), perm), t->rank, merged);
}

/* x: [n, dims]: merges dim 0 into dim `at`, which is [major, rest]: [major, n, rest]. */
ir_id op_merge_dim(ir_build *b, ir_id x, int at, int64_t major)
{
    int64_t dim[IR_RANK], perm[IR_RANK], merged[IR_RANK];
    if (!x) return 0;
    const ir_type *t = ir_typeof(b, x);
    const int rank = t->rank - 1;
    int n = 0, k = 0;
    if (t->rank == IR_RANK)
        return base_fail(TT_ESHAPE, NULL, "a part of a value of %d dims, the limit, has no place for a dim of its own",
                         IR_RANK), 0;
    dim[n++] = t->dim[0];
    for (int d = 0; d < rank; d++) {
        const int64_t size = t->dim[d + 1];
        if (d == at) perm[k++] = n, dim[n++] = major, perm[k++] = 0;
        perm[k++] = n;
        dim[n++] = d == at ? size / major : size;
        merged[d] = d == at ? size * t->dim[0] : size;
    }
    return op_reshape(b, op_transpose(b, op_reshape(b, x, n, dim), perm), rank, merged);
}

/* The inverse: dim `at` of x is [major, n, rest]; n becomes dim 0. */
ir_id op_split_dim(ir_build *b, ir_id x, int at, int64_t major, int64_t count)
{
    int64_t dim[IR_RANK], perm[IR_RANK], merged[IR_RANK];
    if (!x) return 0;
    const ir_type *t = ir_typeof(b, x);
    int n = 0, k = 1;
    if (t->rank > IR_RANK - 2)
        return base_fail(TT_ESHAPE, NULL, "a part of a value of %d dims, the limit, has no place for a dim of its own",
                         IR_RANK), 0;
    for (int d = 0; d < t->rank; d++) {
        if (d == at) perm[k++] = n, dim[n++] = major, perm[0] = n, dim[n++] = count;
        perm[k++] = n;
        dim[n++] = d == at ? t->dim[d] / (major * count) : t->dim[d];
        merged[d + 1] = d == at ? t->dim[d] / count : t->dim[d];
    }
    merged[0] = count;
    return op_reshape(b, op_transpose(b, op_reshape(b, x, n, dim), perm), t->rank + 1, merged);
}
