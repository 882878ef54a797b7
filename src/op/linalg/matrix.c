/* op/linalg/matrix.c - common to the primitives of linalg/: iteration over a batch, factor rule, batching, checks, and
 * builders over the last two dims for derivatives. */
#include "matrix.h"
#include "../ops.h"

#include <string.h>

static const op_matrix_kit *kit_of(tt_dtype d) { return op_is_complex(d) ? &op_matrix_complex : &op_matrix_real; }
void *op_workspace(const op_bench *w, int64_t numbers)
{
    return (char *)w->workspace + (size_t)numbers * w->kit->bytes;
}

/* ---- references ---- */

ir_box op_box_part(const ir_box *b, int d, int64_t lo, int64_t n)
{
    ir_box y = *b;
    y.at = (char *)b->at + (lo - b->lo[d]) * b->step[d] * (int64_t)ir_dtype_of(b->dtype)->bytes;
    y.lo[d] = lo, y.n[d] = n;
    return y;
}

typedef struct {
    op_bench w;
    int64_t bytes;
    op_one_matrix *one;
    base_arena *arena;
} walk;

static void over_batch(void *arg)
{
    walk *k = arg;
    ir_box lead = k->w.x[0];
    int64_t i[IR_RANK] = { 0 };
    lead.rank -= 2;
    k->arena = base_open();
    k->w.workspace = base_new(k->arena, (size_t)k->bytes);
    k->w.lead = i;
    for (int d = 0; d < lead.rank; d++) lead.lo[d] = k->w.y[0].lo[d], lead.n[d] = k->w.y[0].n[d];
    for (bool more = ir_first(&lead, i); more; more = ir_next(&lead, i)) k->one(&k->w);
}

bool op_each_matrix(const ir_eqn *e, const ir_box *x, const ir_box *y, int64_t capacity, op_one_matrix *one)
{
    walk k = { .w = { e, kit_of(x[0].dtype), x, y, NULL, NULL }, .one = one };
    k.bytes = (capacity + 8) * (int64_t)k.w.kit->bytes;
    const bool done = base_catch(over_batch, &k);
    base_close(k.arena);
    return done || base_fail(TT_EMEM, e->site, "%s: no memory for %lld bytes", e->op->name, (long long)k.bytes);
}

/* ---- cells ---- */

void op_matrix_rules(const ir_eqn *e, op_rule *r) /* dims without an entry are not sharded */
{
    for (int d = 0; d < IR_IN(e, 0)->rank - 2; d++) {
        const int f = op_factor(r, IR_IN(e, 0)->dim[d], OP_PASS_THROUGH);
        for (int t = 0; t < (int)(e->nin + e->nout); t++) op_dim(r, t, d, f);
    }
}

void op_matrix_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y, bool *out)
{
    ir_id *const in = IR_NEW(b, ir_id, e->nin);
    for (uint32_t i = 0; i < e->nin; i++) in[i] = mapped[i] ? x[i] : op_spread(b, x[i], n);
    const ir_id first = ir_clone(b, e, in); /* with an additional leading dim */
    for (uint32_t j = 0; j < e->nout; j++) y[j] = first ? first + j : 0, out[j] = true;
}

bool op_matrix_check(const ir_eqn *e, const ir_type *x)
{
    if (x->rank < 2) return op_expected(e, TT_ESHAPE, "the operand", OP_ONLY, x, "a matrix", NULL);
    const tt_dtype d = op_real_dtype(x->dtype);
    return d == TT_F32 || d == TT_F64 ||
           base_fail(TT_ETYPE, e->site, "%s: of %s; expected f32, f64, c64 or c128", e->op->name,
                     ir_dtype_of(x->dtype)->name);
}

bool op_square_check(const ir_eqn *e, const ir_type *x)
{
    if (!op_matrix_check(e, x)) return false;
    const int64_t m = x->dim[x->rank - 2], n = x->dim[x->rank - 1];
    return m == n || base_fail(TT_ESHAPE, e->site, "%s: of %lld rows and %lld columns; expected a square matrix",
                               e->op->name, (long long)m, (long long)n);
}

const ir_type *op_matrix_type(const ir_type *like, tt_dtype dtype, int core, int64_t m, int64_t n)
{
    int64_t dim[IR_RANK];
    const int lead = like->rank - 2;
    for (int d = 0; d < lead; d++) dim[d] = like->dim[d];
    if (core > 0) dim[lead] = m;
    if (core > 1) dim[lead + 1] = n;
    return ir_type_of(dtype, lead + core, dim);
}

/* ---- builders ---- */

ir_id op_product(ir_build *b, ir_id x, ir_id y)
{
    if (!x || !y) return 0;
    const ir_type *const t = ir_typeof(b, x);
    int64_t batch[IR_RANK], sx = t->rank - 1, sy = t->rank - 2;
    for (int d = 0; d < t->rank - 2; d++) batch[d] = d;
    const ir_dims lead = { t->rank - 2, batch };
    return op_dot(b, x, y, &(op_dot_attr){ lead, lead, { 1, &sx }, { 1, &sy }, t->dtype, OP_HIGHEST });
}

ir_id op_matrix_transpose(ir_build *b, ir_id x)
{
    int64_t perm[IR_RANK];
    if (!x) return 0;
    const int n = ir_typeof(b, x)->rank;
    for (int d = 0; d < n; d++) perm[d] = d < n - 2 ? d : 2 * n - 3 - d;
    return op_transpose(b, x, perm);
}

ir_id op_adjoint(ir_build *b, ir_id x) { return x ? op_conj(b, op_matrix_transpose(b, x)) : 0; }

ir_id op_where_compare(ir_build *b, op_cmp how, int64_t k, ir_id x, ir_id y)
{
    if (!x) return 0;
    const ir_type *const t = ir_typeof(b, x), *const place = ir_type_of(TT_I32, t->rank, t->dim);
    const ir_id row = op_add(b, op_iota(b, place, t->rank - 2), op_splat(b, place, (double)k));
    const ir_id on = op_compare(b, how, row, op_iota(b, place, t->rank - 1));
    return op_select(b, on, x, y ? y : op_zeros(b, t));
}

ir_id op_diagonal(ir_build *b, ir_id x)
{
    if (!x) return 0;
    const int64_t last = ir_typeof(b, x)->rank - 1;
    return op_reduce_dims(b, &prim_add, op_where_compare(b, OP_CMP_EQ, 0, x, 0), 1, &last);
}

static ir_id stretched(ir_build *b, ir_id v, const ir_type *t, int without)
{
    int64_t dims[IR_RANK];
    int n = 0;
    if (!v) return 0;
    for (int d = 0; d < t->rank; d++)
        if (d != without) dims[n++] = d;
    return op_broadcast(b, v, ir_type_of(ir_typeof(b, v)->dtype, t->rank, t->dim), n, dims);
}

ir_id op_by_column(ir_build *b, ir_id v, const ir_type *t) { return stretched(b, v, t, t->rank - 2); }
ir_id op_by_row(ir_build *b, ir_id v, const ir_type *t) { return stretched(b, v, t, t->rank - 1); }

ir_id op_real_of(ir_build *b, ir_id x)
{
    return x && op_is_complex(ir_typeof(b, x)->dtype) ? op_convert(b, op_parts_of(b, x).re, ir_typeof(b, x)->dtype) : x;
}

ir_id op_part_of(ir_build *b, ir_id x, int64_t m0, int64_t m1, int64_t n0, int64_t n1)
{
    int64_t lo[IR_RANK], hi[IR_RANK], one[IR_RANK];
    if (!x) return 0;
    const ir_type *const t = ir_typeof(b, x);
    for (int d = 0; d < t->rank; d++) lo[d] = 0, hi[d] = t->dim[d], one[d] = 1;
    lo[t->rank - 2] = m0, hi[t->rank - 2] = m1, lo[t->rank - 1] = n0, hi[t->rank - 1] = n1;
    return op_slice(b, x, (ir_dims){ t->rank, lo }, (ir_dims){ t->rank, hi }, (ir_dims){ t->rank, one });
}

ir_id op_solve_triangular(ir_build *b, ir_id a, ir_id c, op_triangular_attr how)
{
    return a && c ? ir_emit(b, &prim_triangular_solve, &how, 2, (const ir_id[]){ a, c }, 0, NULL) : 0;
}

/* A gather with batching dims. */
ir_id op_permuted_rows(ir_build *b, ir_id x, ir_id permutation)
{
    int64_t batch[IR_RANK], one[IR_RANK];
    if (!x || !permutation) return 0;
    const ir_type *const t = ir_typeof(b, x);
    const int lead = t->rank - 2;
    const int64_t row = lead, column = lead + 1;
    if (!ir_count(t)) return x;
    for (int d = 0; d <= lead; d++) batch[d] = d, one[d] = 1;
    one[lead + 1] = t->dim[lead + 1];
    const op_gather_attr a = { .offset_dims = { 1, &column },
                               .collapsed_slice_dims = { 1, &row },
                               .operand_batching_dims = { lead, batch },
                               .start_indices_batching_dims = { lead, batch },
                               .start_index_map = { 1, &row },
                               .index_vector_dim = lead + 1,
                               .slice_sizes = { lead + 2, one } };
    return ir_emit(b, &prim_gather, &a, 2, (const ir_id[]){ x, permutation }, 0, NULL);
}

ir_id op_solve_by_lu(ir_build *b, ir_id a, ir_id c)
{
    const ir_id f = a && c ? ir_emit(b, &prim_lu, NULL, 1, &a, 0, NULL) : 0, p = f ? op_permuted_rows(b, c, f + 2) : 0;
    const ir_id y = op_solve_triangular(b, f, p, (op_triangular_attr){ true, true, true, OP_NO_TRANSPOSE });
    return op_solve_triangular(b, f, y, (op_triangular_attr){ true, false, false, OP_NO_TRANSPOSE });
}
