/* hlo/write/lower_algebra.c - which primitives of linear algebra are spelled out for compilers without LAPACK's
 * routines, and builders that their files share. Not here: eigh, qr, Cholesky and triangular solves, which XLA expands
 * itself. */
#include "lower_algebra.h"

#include <string.h>

static const struct { const op_prim *prim; hlo_lowering *lower; } spelled[] = {
    { &prim_lu, hlo_spell_lu },
    { &prim_svd, hlo_spell_svd },
    { &prim_svdvals, hlo_spell_svdvals },
    { &prim_hessenberg, hlo_spell_hessenberg },
    { &prim_tridiagonal, hlo_spell_tridiagonal },
    { &prim_geqp3, hlo_spell_geqp3 },
    { &prim_tridiagonal_solve, hlo_spell_tridiagonal_solve },
    { &prim_schur, hlo_spell_schur },
    { &prim_eig, hlo_spell_eig },
};

hlo_lowering *hlo_spelled_of(const ir_eqn *e)
{
    for (size_t i = 0; i < sizeof spelled / sizeof *spelled; i++) if (spelled[i].prim == e->op) return spelled[i].lower;
    return NULL;
}

const ir_type *hlo_matrix_of(const ir_type *like, tt_dtype d, int64_t m, int64_t n)
{
    int64_t dim[IR_RANK];
    memcpy(dim, like->dim, (size_t)like->rank * sizeof *dim);
    dim[like->rank - 2] = m, dim[like->rank - 1] = n;
    return ir_type_of(d, like->rank, dim);
}

ir_id hlo_spread(ir_build *b, ir_id x, const ir_type *to)
{
    int64_t keep[IR_RANK], dim[IR_RANK];
    int n = 0;
    const ir_type *const t = x ? ir_typeof(b, x) : NULL;
    for (int d = 0; t && d < t->rank; d++) if (t->dim[d] == to->dim[d]) dim[n] = t->dim[d], keep[n++] = d;
    if (!t) return 0;
    if (t->rank == to->rank && n == to->rank) return x;
    return op_broadcast(b, op_reshape(b, x, n, dim), ir_type_of(t->dtype, to->rank, to->dim), n, keep);
}

ir_id hlo_spread_as(ir_build *b, ir_id x, ir_id like) { return like ? hlo_spread(b, x, ir_typeof(b, like)) : 0; }

ir_id hlo_reduced(ir_build *b, const op_prim *by, ir_id x, int dim)
{
    int64_t size[IR_RANK];
    const int64_t d = dim;
    const ir_type *const t = x ? ir_typeof(b, x) : NULL;
    if (!t) return 0;
    memcpy(size, t->dim, (size_t)t->rank * sizeof *size);
    size[dim] = 1;
    return op_reshape(b, op_reduce_dims(b, by, x, 1, &d), t->rank, size);
}

ir_id hlo_total(ir_build *b, const op_prim *by, ir_id x)
{
    int64_t size[IR_RANK];
    const ir_type *const t = x ? ir_typeof(b, x) : NULL;
    if (!t) return 0;
    const int64_t both[] = { t->rank - 2, t->rank - 1 };
    memcpy(size, t->dim, (size_t)t->rank * sizeof *size);
    size[t->rank - 2] = size[t->rank - 1] = 1;
    return op_reshape(b, op_reduce_dims(b, by, x, 2, both), t->rank, size);
}

ir_id hlo_cut(ir_build *b, ir_id x, int dim, ir_id at, int64_t n)
{
    ir_id start[IR_RANK];
    int64_t size[IR_RANK];
    const ir_type *const t = x ? ir_typeof(b, x) : NULL;
    const ir_id zero = op_int(b, TT_I32, 0);
    for (int d = 0; t && d < t->rank; d++) start[d] = d == dim ? at : zero, size[d] = d == dim ? n : t->dim[d];
    return t ? op_dynamic_slice(b, x, start, (ir_dims){ t->rank, size }) : 0;
}

ir_id hlo_put(ir_build *b, ir_id x, int dim, ir_id at, ir_id part)
{
    ir_id start[IR_RANK];
    const ir_type *const t = x ? ir_typeof(b, x) : NULL;
    const ir_id zero = op_int(b, TT_I32, 0);
    for (int d = 0; t && d < t->rank; d++) start[d] = d == dim ? at : zero;
    return t && part ? op_dynamic_update_slice(b, x, part, start) : 0;
}

ir_id hlo_reversed(ir_build *b, ir_id x, int n)
{
    int64_t dim[2];
    const int rank = x ? ir_typeof(b, x)->rank : 0;
    for (int i = 0; i < n; i++) dim[i] = rank - n + i;
    return x ? op_reverse(b, x, (ir_dims){ n, dim }) : 0;
}

ir_id hlo_conjugate(ir_build *b, ir_id x) { return x ? op_conj(b, x) : 0; }

ir_id hlo_size1(ir_build *b, ir_id x)
{
    const op_parts p = op_parts_of(b, x);
    return p.im ? op_add(b, op_abs(b, p.re), op_abs(b, p.im)) : op_abs(b, p.re);
}

ir_id hlo_scaled_by(ir_build *b, ir_id x, ir_id by)
{
    const ir_type *const t = x && by ? ir_typeof(b, x) : NULL;
    return t ? op_mul(b, x, hlo_spread(b, op_convert(b, by, t->dtype), t)) : 0;
}

ir_id hlo_numbers(ir_build *b, const ir_type *t, bool columns)
{
    const int64_t m = t->dim[t->rank - 2], n = t->dim[t->rank - 1];
    return op_iota(b, hlo_matrix_of(t, TT_I32, columns ? 1 : m, columns ? n : 1), t->rank - 2 + columns);
}

ir_id hlo_compare(ir_build *b, op_cmp how, ir_id x, ir_id y)
{
    const ir_id all = x ? hlo_spread_as(b, y, x) : 0;
    return all ? op_compare(b, how, x, all) : 0;
}

ir_id hlo_where(ir_build *b, ir_id p, ir_id x, ir_id y)
{
    const ir_type *const t = x ? ir_typeof(b, x) : NULL;
    const ir_id other = !t ? 0 : y ? hlo_spread(b, y, t) : op_zeros(b, ir_type_of(t->dtype, t->rank, t->dim));
    return p && other ? op_select(b, hlo_spread(b, p, t), x, other) : 0;
}

ir_id hlo_filled(ir_build *b, ir_id like, double v)
{
    const ir_type *const t = like ? ir_typeof(b, like) : NULL;
    return t ? op_splat(b, ir_type_of(t->dtype, t->rank, t->dim), v) : 0;
}

ir_id hlo_exchanged(ir_build *b, ir_id x, bool columns, ir_id k, ir_id q, ir_id *part)
{
    const ir_type *const t = x && k ? ir_typeof(b, x) : NULL;
    if (!t) return 0;
    const int dim = t->rank - 2 + columns;
    const ir_id all = hlo_numbers(b, t, columns), at_k = hlo_compare(b, OP_CMP_EQ, all, k),
        at_q = hlo_compare(b, OP_CMP_EQ, all, q);
    *part = hlo_reduced(b, &prim_add, hlo_where(b, at_q, x, 0), dim);
    const ir_id other = hlo_reduced(b, &prim_add, hlo_where(b, at_k, x, 0), dim);
    const ir_id first = other && *part ? hlo_where(b, at_q, hlo_spread(b, other, t), x) : 0;
    return first ? hlo_where(b, at_k, hlo_spread(b, *part, t), first) : 0;
}
