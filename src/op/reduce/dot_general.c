/* op/reduce/dot_general.c - z[batch, m, n] = sum over k of x[batch, m, k] y[batch, k, n], any number of dims of
 * each.
 *
 * Result dims: batching dims in the order given, then the free dims of x, then those of y. Floats accumulate in
 * f32 (f64 if the operands or the result are f64) by one fma per product, k ascending in the order of the
 * contracting lists, and are rounded to the result once. Integers wrap. */
#include "../build.h"
#include "../local/local.h"

#include <math.h>
#include <string.h>

#define LL(x) ((long long)(x))
typedef op_dot_attr dot;

const char *const op_precisions[] = { "default", "high", "highest", NULL };

int op_precision_of(const char *word)
{
    for (int i = 0; op_precisions[i]; i++) if (!strcmp(word, op_precisions[i])) return i;
    return -1;
}

static int dot_free(int rank, ir_dims batch, ir_dims sum, int64_t *out) /* dims in neither list, ascending */
{
    int n = 0;
    for (int d = 0; d < rank; d++)
        if (!op_dims_has(batch, d) && !op_dims_has(sum, d)) out[n++] = d;
    return n;
}

static bool dot_same(const ir_eqn *e, const char *what, const ir_type *x, const ir_type *y, ir_dims p, ir_dims q)
{
    if (p.n != q.n)
        return base_fail(TT_ESHAPE, e->site, "dot_general: %d and %d %s dims; expected as many of both operands", p.n,
                         q.n, what);
    if (!op_check_dims(e, what, p, x->rank) || !op_check_dims(e, what, q, y->rank)) return false;
    for (int i = 0; i < p.n; i++)
        if (x->dim[p.v[i]] != y->dim[q.v[i]])
            return base_fail(TT_ESHAPE, e->site,
                             "dot_general: the %s dims %lld of operand 0 and %lld of operand 1 have sizes %lld "
                             "and %lld",
                             what, LL(p.v[i]), LL(q.v[i]), LL(x->dim[p.v[i]]), LL(y->dim[q.v[i]]));
    return true;
}

static bool dot_types(const ir_eqn *e, const ir_type *const *x)
{
    const ir_class c = ir_dtype_of(x[0]->dtype)->cls, r = ir_dtype_of(IR_ATTR(e, dot)->preferred_element_type)->cls;
    if (x[0]->dtype != x[1]->dtype)
        return base_fail(TT_ETYPE, e->site, "dot_general: operands of types %s and %s; expected one type",
                         ir_dtype_of(x[0]->dtype)->name, ir_dtype_of(x[1]->dtype)->name);
    if (c != r || c == IR_BOOL_CLASS)
        return base_fail(TT_ETYPE, e->site, "dot_general: products of %s cannot be summed as %s",
                         ir_dtype_of(x[0]->dtype)->name, ir_dtype_of(IR_ATTR(e, dot)->preferred_element_type)->name);
    return true;
}

static bool dot_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const dot *a = IR_ATTR(e, dot);
    const ir_dims *batch[2] = { &a->lhs_batching_dimensions, &a->rhs_batching_dimensions },
                  *sum[2] = { &a->lhs_contracting_dimensions, &a->rhs_contracting_dimensions };
    int64_t free[IR_RANK], dim[3 * IR_RANK];
    int n = 0;
    if (!dot_types(e, x) || !dot_same(e, "batching", x[0], x[1], *batch[0], *batch[1]) ||
        !dot_same(e, "contracting", x[0], x[1], *sum[0], *sum[1]))
        return false;
    for (int t = 0; t < 2; t++)
        for (int i = 0; i < batch[t]->n; i++)
            if (op_dims_has(*sum[t], batch[t]->v[i]))
                return base_fail(TT_ESHAPE, e->site, "dot_general: dim %lld is both batching and contracting",
                                 LL(batch[t]->v[i]));
    for (int i = 0; i < batch[0]->n; i++) dim[n++] = x[0]->dim[batch[0]->v[i]];
    for (int t = 0; t < 2; t++) {
        const int k = dot_free(x[t]->rank, *batch[t], *sum[t], free);
        for (int i = 0; i < k; i++) dim[n++] = x[t]->dim[free[i]];
    }
    if (!op_check_shape(e, "result", (ir_dims){ n, dim })) return false;
    *y = ir_type_of(a->preferred_element_type, n, dim);
    return true;
}

static void dot_rules(const ir_eqn *e, op_rule *r)
{
    const dot *a = IR_ATTR(e, dot);
    const ir_dims *batch[2] = { &a->lhs_batching_dimensions, &a->rhs_batching_dimensions },
                  *sum[2] = { &a->lhs_contracting_dimensions, &a->rhs_contracting_dimensions };
    int out = 0;
    for (int i = 0; i < batch[0]->n; i++, out++) {
        const int f = op_factor(r, IR_IN(e, 0)->dim[batch[0]->v[i]], OP_PASS_THROUGH);
        for (int t = 0; t < 2; t++) op_dim(r, t, (int)batch[t]->v[i], f);
        op_dim(r, 2, out, f);
    }
    for (int t = 0; t < 2; t++) {
        int64_t free[IR_RANK];
        const int n = dot_free(IR_IN(e, t)->rank, *batch[t], *sum[t], free);
        for (int i = 0; i < n; i++, out++) {
            const int f = op_factor(r, IR_IN(e, t)->dim[free[i]], OP_PASS_THROUGH);
            op_dim(r, t, (int)free[i], f);
            op_dim(r, 2, out, f);
        }
    }
    for (int i = 0; i < sum[0]->n; i++) {
        const int f = op_factor(r, IR_IN(e, 0)->dim[sum[0]->v[i]], OP_REDUCTION);
        for (int t = 0; t < 2; t++) op_dim(r, t, (int)sum[t]->v[i], f);
    }
}

/* dx = dz . y over y's free dims, with the dims transposed to x's order; for dy, the same with the sides exchanged. If
 * dz is wider than the operands (bf16 summed in f32), the other operand is widened and the result rounded once. */
static void dot_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    const dot *a = IR_ATTR(e, dot);
    const int s = x[0] ? 1 : 0, o = 1 - s; /* s: the linear side */
    const ir_dims batch[2] = { a->lhs_batching_dimensions, a->rhs_batching_dimensions },
        sum[2] = { a->lhs_contracting_dimensions, a->rhs_contracting_dimensions };
    int64_t mine[IR_RANK], other[IR_RANK], zb[IR_RANK], zc[IR_RANK], perm[IR_RANK];
    const int nb = batch[0].n, nm = dot_free(IR_IN(e, s)->rank, batch[s], sum[s], mine);
    const int no = dot_free(IR_IN(e, o)->rank, batch[o], sum[o], other);
    if (!ct[0]) return;
    for (int i = 0; i < nb; i++) zb[i] = i;
    for (int i = 0; i < no; i++) zc[i] = nb + (s == 0 ? nm : 0) + i; /* positions of the other side's dims in z */
    const tt_dtype narrow = IR_IN(e, s)->dtype;
    const bool wide = ir_dtype_of(a->preferred_element_type)->bytes > ir_dtype_of(narrow)->bytes;
    const tt_dtype work = wide ? a->preferred_element_type : narrow;
    const dot d = { { nb, zb }, batch[o], { no, zc }, { no, other }, work, a->precision };
    ir_id dx = op_dot(b, op_convert(b, ct[0], work), op_convert(b, x[o], work), &d); /* [batch, mine, sum] */
    for (int i = 0; i < nb; i++) perm[batch[s].v[i]] = i;
    for (int i = 0; i < nm; i++) perm[mine[i]] = nb + i;
    for (int i = 0; i < sum[s].n; i++) {
        int before = 0;
        for (int j = 0; j < sum[o].n; j++) before += sum[o].v[j] < sum[o].v[i];
        perm[sum[s].v[i]] = nb + nm + before;
    }
    cx[s] = op_transpose(b, op_convert(b, dx, narrow), perm);
}

static void dot_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y, bool *out)
{
    const dot *a = IR_ATTR(e, dot);
    const bool both = mapped[0] && mapped[1];
    const dot d = { op_dims_shifted(b, a->lhs_batching_dimensions, mapped[0], both, 0),
                    op_dims_shifted(b, a->rhs_batching_dimensions, mapped[1], both, 0),
                    op_dims_shifted(b, a->lhs_contracting_dimensions, mapped[0], 0, 0),
                    op_dims_shifted(b, a->rhs_contracting_dimensions, mapped[1], 0, 0), a->preferred_element_type,
                        a->precision };
    const ir_id z = op_dot(b, x[0], x[1], &d);
    /* mapped on one side only: the new dim is the side's first free dim */
    const int lead = a->lhs_batching_dimensions.n;
    const int lhs_free = IR_IN(e, 0)->rank - lead - a->lhs_contracting_dimensions.n;
    (void)n;
    (void)out;
    y[0] = both ? z : op_move(b, z, mapped[0] ? lead : lead + lhs_free, 0);
}

typedef struct {
    bool real, wide, complex;
} dot_sum; /* how products are added */

static ir_num dot_step(dot_sum how, ir_num p, ir_num q, ir_num z)
{
    if (how.complex && how.wide) {                       /* every product and every sum is rounded, as in XLA */
        const double re = p.c.re * q.c.re - p.c.im * q.c.im, im = p.c.re * q.c.im + p.c.im * q.c.re;
        return (ir_num){ .c = { z.c.re + re, z.c.im + im } };
    }
    if (how.complex) {
        const float pr = (float)p.c.re, pi = (float)p.c.im, qr = (float)q.c.re, qi = (float)q.c.im;
        const float re = pr * qr - pi * qi, im = pr * qi + pi * qr;
        return (ir_num){ .c = { (double)((float)z.c.re + re), (double)((float)z.c.im + im) } };
    }
    if (!how.real) return (ir_num){ .u = z.u + p.u * q.u };
    return (ir_num){ .f = how.wide ? fma(p.f, q.f, z.f) : fmaf((float)p.f, (float)q.f, (float)z.f) };
}

static bool dot_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const dot *a = IR_ATTR(e, dot);
    const ir_dims batch[2] = { a->lhs_batching_dimensions, a->rhs_batching_dimensions },
        sum[2] = { a->lhs_contracting_dimensions, a->rhs_contracting_dimensions };
    const dot_sum how = { ir_is_float(x[0].dtype), op_real_dtype(x[0].dtype) == TT_F64 || y->dtype == TT_F64,
                          op_is_complex(x[0].dtype) };
    int64_t free[2][IR_RANK], i[IR_RANK], k[IR_RANK], j[2][IR_RANK];
    int nfree[2];
    ir_box over = { .rank = sum[0].n };                  /* the part of the sum in this box of operands */
    int64_t run = 1, step[2] = { 0, 0 };                 /* along the last summed dim, in bytes */
    for (int s = 0; s < sum[0].n; s++) over.lo[s] = x[0].lo[sum[0].v[s]], over.n[s] = x[0].n[sum[0].v[s]];
    if (over.rank) {
        const int last = --over.rank;
        run = over.n[last];
        for (int t = 0; t < 2; t++)
            step[t] = x[t].step[sum[t].v[last]] * (int64_t)ir_dtype_of(x[t].dtype)->bytes;
        k[last] = over.lo[last];
    }
    for (int t = 0; t < 2; t++) nfree[t] = dot_free(x[t].rank, batch[t], sum[t], free[t]);
    for (bool more = ir_first(y, i); more; more = ir_next(y, i)) {
        for (int t = 0; t < 2; t++) {
            const int at = batch[0].n + (t ? nfree[0] : 0);
            for (int d = 0; d < batch[t].n; d++) j[t][batch[t].v[d]] = i[d];
            for (int d = 0; d < nfree[t]; d++) j[t][free[t][d]] = i[at + d];
        }
        ir_num z = { .c = { 0, 0 } };
        for (bool go = ir_first(&over, k); go; go = ir_next(&over, k)) {
            for (int t = 0; t < 2; t++)
                for (int s = 0; s < sum[t].n; s++) j[t][sum[t].v[s]] = k[s];
            const char *p = ir_at(&x[0], j[0]), *q = ir_at(&x[1], j[1]);
            for (int64_t n = run; n > 0; n--, p += step[0], q += step[1])
                z = dot_step(how, ir_number(x[0].dtype, p), ir_number(x[1].dtype, q), z);
        }
        ir_store(y, i, z);
    }
    return true;
}

static bool dot_local(op_local *e, ir_id *y)
{
    return op_local_mask_sum(e, 0, MESH_SUM) && op_local_mask_sum(e, 1, MESH_SUM) && op_local_as_is(e, y);
}

const op_prim prim_dot_general = {
    .name = "dot_general",
    .doc = "sum of products over the contracting dims",
    .hlo = "stablehlo.dot_general",
    .call = "",
    .nin = 2,
    .nout = 1,
    .kernel = OP_CONTRACT,
    .attr = sizeof(dot),
    .field = OP_FIELDS(IR_FIELD(dot, lhs_batching_dimensions, IR_DIMS), IR_FIELD(dot, rhs_batching_dimensions, IR_DIMS),
                       IR_FIELD(dot, lhs_contracting_dimensions, IR_DIMS),
                           IR_FIELD(dot, rhs_contracting_dimensions, IR_DIMS),
                       IR_FIELD(dot, preferred_element_type, IR_DTYPE),
                       { "precision", IR_ENUM, offsetof(dot, precision), op_precisions }),
    .type = dot_type,
    .rules = dot_rules,
    .linear = op_each,
    .partial = op_partial_sum,
    .jvp = op_jvp_linear,
    .transpose = dot_transpose,
    .batch = dot_batch,
    .decompose = op_decompose_none,
    .ref = dot_ref,
    .exchange = op_exchange_none,
    .prog = op_prog_none, .pair = op_pair_dot,
    .local = OP_LOCAL(.rule = dot_local, .sums = true),
    .cases =
        OP_CASES("dot_general f32[3,4], f32[4,5] {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "
                 "preferred_element_type=f32}",
                 "dot_general bf16[2,3,4], bf16[4,2,5] {lhs_batching_dimensions=[0], rhs_batching_dimensions=[1], "
                 "lhs_contracting_dimensions=[2], rhs_contracting_dimensions=[0], preferred_element_type=f32}",
                 "dot_general f32[3,2,4,2], f32[2,4,5,2] {lhs_batching_dimensions=[3], rhs_batching_dimensions=[0], "
                 "lhs_contracting_dimensions=[2,1], rhs_contracting_dimensions=[1,3], preferred_element_type=f32}",
                 "dot_general i32[0,4], i32[4] {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "
                 "preferred_element_type=i32}",
                 "dot_general f32[9,5], f32[5,3] {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "
                 "preferred_element_type=f32, "
                 "precision=highest}",
                 "dot_general i8[3], i8[2] {preferred_element_type=i32}",
                 "dot_general f64[2,0], f64[0,3] {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "
                 "preferred_element_type=f64}"),
};
