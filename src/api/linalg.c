/* api/linalg.c - linear algebra: the primitives of op/linalg on values, and compositions of them. Each is one piece of
 * IR. */
#include "api.h"
#include "../op/ops.h"

typedef struct {
    bool upper, full;
} how;
/* Compared as bytes: there is no padding. */
typedef struct {
    int64_t left, lower, unit, turn, vector;
} equations;

/* ---- values ---- */

/* A float or complex matrix; NULL with the error set. New reference. */
static trace_value *matrix(base_site site, const char *what, tt_val v)
{
    trace_value *const x = trace_array(site, what, v);
    if (!x) return NULL;
    if (x->type->rank < 2) {
        base_fail(TT_ESHAPE, site, "%s: of %s; expected a matrix, or a batch of them", what, trace_text(x->type));
        trace_cite(x);
        return NULL;
    }
    return api_cast(site, x, trace_inexact(trace_dtype_of(x)).dtype);
}

static tt_val computed(base_site site, const char *what, tt_val v, trace_body *body, how h, int nout)
{
    enum { MOST = 3 };
    trace_value *y[MOST] = { NULL }, *out = NULL;
    const trace_tree *leaf[MOST];
    trace_value *const x = matrix(site, what, v);
    if (x && trace_do(site, body, &h, sizeof h, 1, &x, nout, y)) {
        for (int j = 0; j < nout; j++) leaf[j] = trace_leaf(NULL, false);
        out = nout > 1 ? trace_tree_value(site, trace_tuple_of(nout, leaf), y) : trace_ref(y[0]);
    }
    for (int j = 0; j < nout; j++) trace_unref(y[j]);
    trace_unref(x);
    return api_handle(out);
}

static bool several(ir_id first, int n, ir_id *out)
{
    for (int j = 0; j < n; j++) out[j] = first + (ir_id)j;
    return first != 0;
}

static ir_id linalg_emit(ir_build *b, const op_prim *prim, const void *attr, ir_id x)
{
    return ir_emit(b, prim, attr, 1, &x, 0, NULL);
}

static ir_id made_hermitian(ir_build *b, ir_id x) /* (x + x') / 2 */
{
    const ir_id sum = op_add(b, x, op_adjoint(b, x));
    return sum ? op_mul(b, sum, op_splat(b, ir_typeof(b, sum), 0.5)) : 0;
}

static base_site site_of(ir_build *b)
{
    const base_site s = ir_site(b, NULL);
    ir_site(b, s);
    return s;
}

/* ---- the factorisations ---- */

static bool square(ir_build *b, ir_id x) /* reports this error before the primitive's type rule does */
{
    const ir_type *const t = ir_typeof(b, x);
    const int64_t m = t->dim[t->rank - 2], n = t->dim[t->rank - 1];
    return m == n || base_fail(TT_ESHAPE, site_of(b),
                               "a matrix of %lld rows and %lld columns; expected a square matrix", (long long)m,
                                   (long long)n);
}

static bool linalg_cholesky(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const bool lower = !((const how *)env)->upper;
    if (!square(b, in[0])) return false;
    return several(linalg_emit(b, &prim_cholesky, &(op_lower_attr){ lower }, made_hermitian(b, in[0])), 1, out);
}

static bool eigh(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    (void)env;
    if (!square(b, in[0])) return false;
    return several(linalg_emit(b, &prim_eigh, &(op_lower_attr){ true }, made_hermitian(b, in[0])), 2, out);
}

static bool lu(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    return (void)env, several(linalg_emit(b, &prim_lu, NULL, in[0]), 3, out);
}

static bool qr(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    return several(linalg_emit(b, &prim_qr, &(op_full_attr){ ((const how *)env)->full }, in[0]), 2, out);
}

static bool svd(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const ir_id s = linalg_emit(b, &prim_svd, &(op_full_attr){ ((const how *)env)->full }, in[0]);
    out[0] = s + 1, out[1] = s, out[2] = s + 2; /* U, s, V' */
    return s != 0;
}

static bool svdvals(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    return (void)env, several(linalg_emit(b, &prim_svdvals, NULL, in[0]), 1, out);
}

static bool pinv(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    return (void)env, several(linalg_emit(b, &prim_pinv, NULL, in[0]), 1, out);
}

/* ---- any square matrix: eig, schur, hessenberg, tridiagonal ---- */

static bool eig(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const bool vectors = ((const how *)env)->full;
    const ir_id w = square(b, in[0]) ? linalg_emit(b, &prim_eig, &(op_eig_attr){ false, vectors }, in[0]) : 0;
    out[0] = w, out[1] = w + 2;
    return w != 0;
}

static bool schur(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    return (void)env, square(b, in[0]) && several(linalg_emit(b, &prim_schur, NULL, in[0]), 2, out);
}

/* Z from the reflectors stored below packed's subdiagonal: diag(1, their product). */
static ir_id reflected(ir_build *b, ir_id packed, ir_id taus)
{
    const ir_type *const t = packed ? ir_typeof(b, packed) : NULL;
    int64_t one[IR_RANK] = { 0 }, none[IR_RANK] = { 0 };
    if (!t || !taus) return 0;
    const int64_t n = t->dim[t->rank - 1];
    const ir_id unit = op_where_compare(b, OP_CMP_EQ, 0, op_ones(b, t), 0);
    if (n < 2) return unit;
    const ir_id in[] = { op_part_of(b, packed, 1, n, 0, n - 1), taus };
    const ir_id z = in[0] ? ir_emit(b, &prim_householder_product, NULL, 2, in, 0, NULL) : 0;
    one[t->rank - 2] = one[t->rank - 1] = 1;
    const ir_dims first = { t->rank, one }, zero = { t->rank, none };
    const ir_id place = op_iota(b, ir_type_of(TT_I32, t->rank, t->dim), t->rank - 2);
    const ir_id top = place ? op_equal(b, place, op_zeros(b, ir_typeof(b, place))) : 0;
    return z && top ? op_select(b, top, unit, op_pad(b, z, first, zero, zero)) : 0;
}

static bool hessenberg(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    (void)env;
    const ir_id f = square(b, in[0]) ? linalg_emit(b, &prim_hessenberg, NULL, in[0]) : 0;
    out[0] = f ? op_where_compare(b, OP_CMP_LE, -1, f, 0) : 0;
    out[1] = f ? reflected(b, f, f + 1) : 0;
    return out[0] && out[1];
}

static bool tridiagonal(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    (void)env;
    const ir_id f =
        square(b, in[0]) ? linalg_emit(b, &prim_tridiagonal, &(op_lower_attr){ true }, made_hermitian(b, in[0])) : 0;
    out[0] = f + 1, out[1] = f + 2, out[2] = f ? reflected(b, f, f + 3) : 0;
    return out[2] != 0;
}

static bool qr_pivoted(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const ir_type *const t = ir_typeof(b, in[0]);
    int64_t dim[IR_RANK];
    for (int d = 0; d < t->rank - 1; d++) dim[d] = t->dim[d < t->rank - 2 ? d : d + 1];
    const ir_id none = op_zeros(b, ir_type_of(TT_I32, t->rank - 1, dim));
    const ir_id f = none ? ir_emit(b, &prim_geqp3, NULL, 2, (const ir_id[]){ in[0], none }, 0, NULL) : 0;
    if (!f) return false;
    const ir_id order = op_sub(b, f + 1, op_ones(b, ir_typeof(b, f + 1)));
    const ir_id turned = op_matrix_transpose(b, op_permuted_rows(b, op_matrix_transpose(b, in[0]), order));
    return several(linalg_emit(b, &prim_qr, &(op_full_attr){ ((const how *)env)->full }, turned), 2, out) &&
           (out[2] = order) != 0;
}

/* ---- equations ---- */

/* Broadcasts both to common batch dims; a vector becomes a column. */
static bool linalg_alike(ir_build *b, ir_id *a, ir_id *right, bool vector)
{
    const ir_type *const t = ir_typeof(b, *a), *u = ir_typeof(b, *right);
    int64_t dim[IR_RANK], at[IR_RANK];
    if (vector) {
        const int64_t column[] = { u->dim[0], 1 };
        *right = op_reshape(b, *right, 2, column);
        u = ir_typeof(b, *right);
    }
    const int n = t->rank > u->rank ? t->rank : u->rank;
    for (int d = 0; d < n - 2; d++) {
        const int p = d - n + t->rank, q = d - n + u->rank;
        const int64_t m = p < 0 ? 1 : t->dim[p], k = q < 0 ? 1 : u->dim[q];
        if (m != k && m != 1 && k != 1)
            return base_fail(TT_ESHAPE, site_of(b),
                             "linear equations with batches of %lld and %lld matrices; expected one size, or 1",
                                 (long long)m, (long long)k);
        dim[d] = m == 1 ? k : m;
    }
    for (int side = 0; side < 2; side++) {
        ir_id *const v = side ? right : a;
        const ir_type *const s = side ? u : t;
        dim[n - 2] = s->dim[s->rank - 2], dim[n - 1] = s->dim[s->rank - 1];
        for (int d = 0; d < s->rank; d++) at[d] = n - s->rank + d;
        *v = op_broadcast(b, *v, ir_type_of(s->dtype, n, dim), s->rank, at);
    }
    return *a && *right;
}

static ir_id uncolumned(ir_build *b, ir_id x, bool vector)
{
    return x && vector ? op_reshape(b, x, ir_typeof(b, x)->rank - 1, ir_typeof(b, x)->dim) : x;
}

static bool solve(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const equations *q = env;
    ir_id a = in[0], right = in[1];
    if (!square(b, a) || !linalg_alike(b, &a, &right, q->vector)) return false;
    const ir_type *const t = ir_typeof(b, a), *const u = ir_typeof(b, right);
    if (u->dim[u->rank - 2] != t->dim[t->rank - 1])
        return base_fail(TT_ESHAPE, site_of(b), "%lld equations, and a right side of %lld rows",
                         (long long)t->dim[t->rank - 1], (long long)u->dim[u->rank - 2]);
    return (out[0] = uncolumned(b, op_solve_by_lu(b, a, right), q->vector)) != 0;
}

static bool lstsq(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const equations *q = env;
    ir_id a = in[0], right = in[1];
    if (!linalg_alike(b, &a, &right, q->vector)) return false;
    const ir_type *const t = ir_typeof(b, a), *const u = ir_typeof(b, right);
    if (u->dim[u->rank - 2] != t->dim[t->rank - 2])
        return base_fail(TT_ESHAPE, site_of(b), "%lld equations, and a right side of %lld rows",
                         (long long)t->dim[t->rank - 2], (long long)u->dim[u->rank - 2]);
    return (out[0] = uncolumned(b, op_product(b, linalg_emit(b, &prim_pinv, NULL, a), right), q->vector)) != 0;
}

static bool triangular(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const equations *q = env;
    const op_triangular_attr attr = { q->left != 0, q->lower != 0, q->unit != 0, q->turn };
    ir_id a = in[0], right = in[1];
    if (!square(b, a) || !linalg_alike(b, &a, &right, q->vector)) return false;
    return (out[0] = uncolumned(b, op_solve_triangular(b, a, right, attr), q->vector)) != 0;
}

static bool inverse(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    (void)env;
    if (!square(b, in[0])) return false;
    const ir_id one = op_where_compare(b, OP_CMP_EQ, 0, op_ones(b, ir_typeof(b, in[0])), 0);
    return (out[0] = op_solve_by_lu(b, in[0], one)) != 0;
}

/* ---- determinants, by LU ---- */

typedef struct {
    ir_id diagonal, sign;
} factors; /* of U; sign -1 for an odd number of exchanges */

static factors factors_of(ir_build *b, ir_id x)
{
    factors f = { 0, 0 };
    const ir_id y = square(b, x) ? linalg_emit(b, &prim_lu, NULL, x) : 0;
    if (!y) return f;
    const ir_type *const t = ir_typeof(b, y + 1);
    const int64_t last = t->rank - 1;
    const ir_type *const s = ir_type_of(ir_typeof(b, x)->dtype, t->rank, t->dim);
    const ir_id moved = op_compare(b, OP_CMP_NE, y + 1, op_iota(b, t, t->rank - 1)), one = op_ones(b, s);
    f.diagonal = op_diagonal(b, y);
    f.sign = op_reduce_dims(b, &prim_mul, op_select(b, moved, op_neg(b, one), one), 1, &last);
    return f;
}

static bool det(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const factors f = factors_of(b, in[0]);
    (void)env;
    if (!f.diagonal) return false;
    const int64_t last = ir_typeof(b, f.diagonal)->rank - 1;
    return (out[0] = op_mul(b, f.sign, op_reduce_dims(b, &prim_mul, f.diagonal, 1, &last))) != 0;
}

static bool slogdet(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const factors f = factors_of(b, in[0]);
    (void)env;
    if (!f.diagonal) return false;
    const int64_t last = ir_typeof(b, f.diagonal)->rank - 1;
    out[0] = op_mul(b, f.sign, op_reduce_dims(b, &prim_mul, op_sign(b, f.diagonal), 1, &last));
    out[1] = op_reduce_dims(b, &prim_add, op_log(b, op_abs(b, f.diagonal)), 1, &last);
    return out[0] && out[1];
}

/* ---- entries ---- */

static tt_val with_options(base_site site, const char *what, tt_val v, const tt_matrix_opts *o, trace_body *body,
                           int nout)
{
    const bool upper = body == linalg_cholesky;          /* takes .upper; all others take .full */
    if (!API_OPTIONS(site, what, tt_matrix_opts, o)) return trace_poison;
    if (upper ? o->full : o->upper) {
        base_fail(TT_EARG, site, "%s has no .%s", what, upper ? "full" : "upper");
        base_hint(upper ? "tt_qr and tt_svd have .full" : "tt_cholesky has .upper");
        return trace_poison;
    }
    return computed(site, what, v, body, (how){ o->upper != 0, o->full != 0 }, nout);
}

VAL2(tt_cholesky, tt_val, v, const tt_matrix_opts *, o) { return with_options(site, "tt_cholesky", v, o,
    linalg_cholesky, 1); }
VAL2(tt_qr, tt_val, v, const tt_matrix_opts *, o) { return with_options(site, "tt_qr", v, o, qr, 2); }
VAL2(tt_svd, tt_val, v, const tt_matrix_opts *, o) { return with_options(site, "tt_svd", v, o, svd, 3); }
VAL2(tt_qr_pivoted, tt_val, v, const tt_matrix_opts *, o)
{
    return with_options(site, "tt_qr_pivoted", v, o, qr_pivoted, 3);
}
VAL1(tt_eig, tt_val, v) { return computed(site, "tt_eig", v, eig, (how){ .full = true }, 2); }
VAL1(tt_eigvals, tt_val, v) { return computed(site, "tt_eigvals", v, eig, (how){ 0 }, 1); }
VAL1(tt_schur, tt_val, v) { return computed(site, "tt_schur", v, schur, (how){ 0 }, 2); }
VAL1(tt_hessenberg, tt_val, v) { return computed(site, "tt_hessenberg", v, hessenberg, (how){ 0 }, 2); }
VAL1(tt_tridiagonal, tt_val, v) { return computed(site, "tt_tridiagonal", v, tridiagonal, (how){ 0 }, 3); }
VAL1(tt_lu, tt_val, v) { return computed(site, "tt_lu", v, lu, (how){ 0 }, 3); }
VAL1(tt_eigh, tt_val, v) { return computed(site, "tt_eigh", v, eigh, (how){ 0 }, 2); }
VAL1(tt_svdvals, tt_val, v) { return computed(site, "tt_svdvals", v, svdvals, (how){ 0 }, 1); }
VAL1(tt_inv, tt_val, v) { return computed(site, "tt_inv", v, inverse, (how){ 0 }, 1); }
VAL1(tt_pinv, tt_val, v) { return computed(site, "tt_pinv", v, pinv, (how){ 0 }, 1); }
VAL1(tt_det, tt_val, v) { return computed(site, "tt_det", v, det, (how){ 0 }, 1); }
VAL1(tt_slogdet, tt_val, v) { return computed(site, "tt_slogdet", v, slogdet, (how){ 0 }, 2); }

static tt_val solved(base_site site, const char *what, tt_val a, tt_val b, trace_body *body, equations q)
{
    trace_value *x[2] = { NULL }, *y = NULL;
    trace_value *const left = matrix(site, what, a), *const right = left ? trace_array(site, what, b) : NULL;
    if (right && !right->type->rank)
        base_fail(TT_ESHAPE, site, "%s: the right side is a scalar; expected a vector or a matrix", what),
            trace_cite(right);
    if (right && right->type->rank) {
        q.vector = right->type->rank == 1;
        x[0] = left, x[1] = right;
        if (api_together(site, 2, x)) {
            trace_do(site, body, &q, sizeof q, 2, x, 1, &y);
            trace_unref(x[0]), trace_unref(x[1]);
        }
    }
    trace_unref(left);
    return api_handle(y);
}

VAL2(tt_solve, tt_val, a, tt_val, b) { return solved(site, "tt_solve", a, b, solve, (equations){ 0 }); }
VAL2(tt_lstsq, tt_val, a, tt_val, b) { return solved(site, "tt_lstsq", a, b, lstsq, (equations){ 0 }); }

VAL3(tt_triangular_solve, tt_val, a, tt_val, b, const tt_triangular_opts *, o)
{
    if (!API_OPTIONS(site, "tt_triangular_solve", tt_triangular_opts, o)) return trace_poison;
    if (o->adjoint && o->transpose) {
        base_fail(TT_EARG, site, "tt_triangular_solve: both .transpose and .adjoint are given");
        base_hint("an adjoint is the conjugate of the transpose: give one of them");
        return trace_poison;
    }
    const op_transpose_kind transpose = o->adjoint ? OP_ADJOINT : o->transpose ? OP_TRANSPOSE : OP_NO_TRANSPOSE;
    const equations q = { !o->right, o->lower != 0, o->unit != 0, transpose, 0 };
    return solved(site, "tt_triangular_solve", a, b, triangular, q);
}

static bool three(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const op_three_attr a = { ((const how *)env)->full };
    return (out[0] =
                ir_emit(b, &prim_tridiagonal_solve, &a, 4, (const ir_id[]){ in[3], in[0], in[1], in[2] }, 0,
                    NULL)) != 0;
}

VAL5(tt_tridiagonal_solve, tt_val, low, tt_val, mid, tt_val, high, tt_val, b, const tt_tridiagonal_opts *, o)
{
    static const char *const what = "tt_tridiagonal_solve";
    const tt_val v[] = { low, mid, high, b };
    trace_value *x[4], *in[4], *y = NULL;
    if (!API_OPTIONS(site, what, tt_tridiagonal_opts, o)) return trace_poison;
    const how h = { .full = o->perturb != 0 };
    for (int i = 0; i < 4; i++)
        if (!(x[i] = trace_array(site, what, v[i]))) return trace_poison;
    if (!api_together(site, 4, x)) return trace_poison;
    bool all = true;
    for (int i = 0; i < 4; i++)
        all &= (in[i] = api_cast(site, x[i], trace_inexact(trace_dtype_of(x[i])).dtype)) != NULL;
    if (all) trace_do(site, three, &h, sizeof h, 4, in, 1, &y);
    for (int i = 0; i < 4; i++) trace_unref(in[i]), trace_unref(x[i]);
    return api_handle(y);
}
