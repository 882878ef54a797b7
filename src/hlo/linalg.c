/* hlo/linalg.c - cholesky and triangular_solve as scans over rows, so that derivatives, batching and layouts are those
 * of scan; and the LAPACK calls that JAX prints for them on CPU.
 *
 * Batch dims lead. Row j of the factor needs the rows before it: c = a[:, j] - L L[j, :]', L[:, j] = c / sqrt(c[j])
 * from j down. Row i of a solution: x[i] = (b[i] - a[i, :] x) / a[i, i], where rows of x not reached yet are zero. Only
 * one triangle of a is read, and the derivative is zero in the other. Upper ones, transposes and the right side are
 * brought to this form by transposing and reversing. O(n) steps of matrix by vector: for small systems. */
#include "inner.h"

typedef ir_id value;
typedef struct { hlo_reader *r; ir_build *b; int batch; } bench;

static const ir_type *type_of(const bench *w, value x) { return ir_typeof(w->b, x); }

static value swapped(const bench *w, value x)            /* the last two dims exchanged */
{
    int64_t perm[IR_RANK];
    for (int d = 0; d < w->batch + 2; d++) perm[d] = d;
    perm[w->batch] = w->batch + 1, perm[w->batch + 1] = w->batch;
    return op_transpose(w->b, x, perm);
}

static value reversed(const bench *w, value x, bool columns)
{
    const int64_t dims[] = { w->batch, w->batch + 1 };
    return op_reverse(w->b, x, (ir_dims){ 1 + columns, dims });
}

static value to_front(const bench *w, value x) { return op_move(w->b, x, w->batch, 0); }

/* [..., n, k] times [..., k]: the last dims summed; or [..., k] times [..., k, m]. */
static value product(const bench *w, ir_build *b, value x, value y, int sum_x, int sum_y)
{
    int64_t batch[IR_RANK], sx = sum_x, sy = sum_y;
    for (int d = 0; d < w->batch; d++) batch[d] = d;
    const op_dot_attr a = { { w->batch, batch }, { w->batch, batch }, { 1, &sx }, { 1, &sy }, ir_typeof(b, x)->dtype };
    return op_dot(b, x, y, &a);
}

/* x [n] as a value of type t, along its dim d. */
static value along(ir_build *b, value x, const ir_type *t, int d)
{
    const int64_t dim = d;
    return op_broadcast(b, x, t, 1, &dim);
}

static value spread(const bench *w, ir_build *b, value x, const ir_type *t, int skip)    /* all of t's dims but one */
{
    int64_t dims[IR_RANK];
    int n = 0;
    for (int d = 0; d < t->rank; d++) if (d != skip) dims[n++] = d;
    (void)w;
    return op_broadcast(b, x, t, n, dims);
}

/* [n, n]: row j compared with column */
static value unit_rows(const bench *w, int64_t n, tt_dtype d, op_cmp how)
{
    const ir_type *const t = ir_type_of(TT_I32, 2, (const int64_t[]){ n, n });
    return op_convert(w->b, op_compare(w->b, how, op_iota(w->b, t, 1), op_iota(w->b, t, 0)), d);
}

static ir_fn *cholesky_body(const bench *w, const ir_type *matrix)
{
    const int k = w->batch;
    const int64_t n = matrix->dim[k];
    ir_build *const b = ir_region(w->b, base_intern("column"));
    const ir_type *const column = ir_type_of(matrix->dtype, k + 1, matrix->dim),
        *const flat = ir_type_of(matrix->dtype, 1, &n);
    const value l = ir_arg(b, matrix), a = ir_arg(b, column), here = ir_arg(b, flat), below = ir_arg(b, flat);
    const value unit = along(b, here, column, k);        /* 1 at place j */
    const value row = product(w, b, unit, l, k, k);      /* L[j, :] */
    const value c = op_sub(b, a, product(w, b, l, row, k + 1, k));
    const value pivot = op_sqrt(b, op_fold(b, &row_add, op_mul(b, c, unit), 1, (const int64_t[]){ k }));
    const value x = op_mul(b, op_div(b, c, spread(w, b, pivot, column, k)), along(b, below, column, k));
    const value next = op_add(b, l, op_mul(b, spread(w, b, x, matrix, k + 1), along(b, here, matrix, k + 1)));
    return ir_end(b, 1, &next);
}

static value cholesky_lower(const bench *w, value a)
{
    const ir_type *const t = type_of(w, a);
    ir_fn *const body = cholesky_body(w, t);
    const int64_t n = t->dim[w->batch];
    /* column j of a, first */
    const value in[] = { op_zeros(w->b, t), op_move(w->b, a, w->batch + 1, 0), unit_rows(w, n, t->dtype, OP_CMP_EQ),
                         unit_rows(w, n, t->dtype, OP_CMP_GE) };
    const op_scan_attr s = { .length = n, .ncarry = 1 };
    return body ? ir_emit(w->b, &row_scan, &s, 4, in, 1, &body) : 0;
}

static ir_fn *solve_body(const bench *w, const ir_type *matrix, const ir_type *right, bool unit_diagonal)
{
    const int k = w->batch;
    const int64_t n = matrix->dim[k];
    int64_t line[IR_RANK];
    for (int d = 0; d < k; d++) line[d] = right->dim[d];
    line[k] = right->dim[k + 1];
    const ir_type *const row = ir_type_of(matrix->dtype, k + 1, matrix->dim),
        *const out = ir_type_of(right->dtype, k + 1, line);
    ir_build *const b = ir_region(w->b, base_intern("row"));
    const value x = ir_arg(b, right), a = ir_arg(b, row), c = ir_arg(b, out);
    const value here = ir_arg(b, ir_type_of(matrix->dtype, 1, &n)),
        before = ir_arg(b, ir_type_of(matrix->dtype, 1, &n));
    const value zero = op_zeros(b, row);
    /* 0 times what is not read may be NaN */
    const value mask = op_compare(b, OP_CMP_NE, along(b, before, row, k), zero);
    value y = op_sub(b, c, product(w, b, op_select(b, mask, a, zero), x, k, k));
    if (!unit_diagonal) {
        const value at = op_compare(b, OP_CMP_NE, along(b, here, row, k), zero);
        const value pivot = op_fold(b, &row_add, op_select(b, at, a, zero), 1, (const int64_t[]){ k });
        y = op_div(b, y, spread(w, b, pivot, out, k));
    }
    const value next = op_add(b, x, op_mul(b, spread(w, b, y, right, k), along(b, here, right, k)));
    return ir_end(b, 1, &next);
}

typedef struct { bool left, lower, unit, transposed; } triangle;

static value solve(const bench *w, value a, value c, triangle t)
{
    if (!t.left) {                                       /* x a = c: a' x' = c' */
        t.left = true, t.transposed = !t.transposed;
        const value x = solve(w, a, swapped(w, c), t);
        return x ? swapped(w, x) : 0;
    }
    if (t.transposed) a = swapped(w, a), t.lower = !t.lower;
    if (!t.lower) a = reversed(w, a, true), c = reversed(w, c, false);
    const ir_type *const m = type_of(w, a), *const right = type_of(w, c);
    if (!m || !right) return 0;
    ir_fn *const body = solve_body(w, m, right, t.unit);
    const int64_t n = m->dim[w->batch];
    const value in[] = { op_zeros(w->b, right), to_front(w, a), to_front(w, c), unit_rows(w, n, m->dtype, OP_CMP_EQ),
                         unit_rows(w, n, m->dtype, OP_CMP_LT) };
    const op_scan_attr s = { .length = n, .ncarry = 1 };
    const value x = body ? ir_emit(w->b, &row_scan, &s, 5, in, 1, &body) : 0;
    return x && !t.lower ? reversed(w, x, false) : x;
}

/* ---- operations ---- */

static bool square_matrix(hlo_reader *r, const hlo_op *o, value a, bench *w)
{
    const ir_type *const t = ir_typeof(r->b, a);
    *w = (bench){ r, r->b, t->rank - 2 };
    if (t->rank < 2 || t->dim[t->rank - 1] != t->dim[t->rank - 2])
        return hlo_refuse(r, o, TT_ESHAPE, "a square matrix");
    return ir_is_float(t->dtype) || hlo_refuse(r, o, TT_ETYPE, "of real floats only");
}

static bool cholesky_of(hlo_reader *r, const hlo_op *o, value a, bool lower, ir_id *y)
{
    bench w;
    if (!square_matrix(r, o, a, &w)) return false;
    y[0] = cholesky_lower(&w, lower ? a : swapped(&w, a));
    if (y[0] && !lower) y[0] = swapped(&w, y[0]);
    return y[0] != 0;
}

static bool cholesky(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    if (o->in.n != 1) return hlo_refuse(r, o, TT_EARG, "one operand");
    return cholesky_of(r, o, x[0], hlo_flag(&o->attr, "lower"), y);
}

static bool solve_of(hlo_reader *r, const hlo_op *o, const ir_id *x, triangle t, ir_id *y)
{
    bench w;
    if (o->in.n != 2) return hlo_refuse(r, o, TT_EARG, "two operands");
    if (!square_matrix(r, o, x[0], &w)) return false;
    const ir_type *const a = ir_typeof(r->b, x[0]), *const c = ir_typeof(r->b, x[1]);
    bool fits = c->rank == a->rank && c->dtype == a->dtype;
    for (int d = 0; fits && d < w.batch; d++) fits = c->dim[d] == a->dim[d];
    if (!fits || c->dim[w.batch + !t.left] != a->dim[w.batch]) return hlo_refuse(r, o, TT_ESHAPE, "operands that fit");
    y[0] = solve(&w, x[0], x[1], t);
    return y[0] != 0;
}

static bool triangular_solve(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const hlo_span way = hlo_choice(&o->attr, "transpose_a");
    return solve_of(r, o, x, (triangle){ hlo_flag(&o->attr, "left_side"), hlo_flag(&o->attr, "lower"),
                                         hlo_flag(&o->attr, "unit_diagonal"), hlo_is(way, "TRANSPOSE") ||
                                             hlo_is(way, "ADJOINT") }, y);
}

/* The codes of LAPACK's options are characters: 76 'L', 85 'U', 82 'R', 78 'N', 84 'T', 67 'C'. */
static int64_t option(hlo_reader *r, const hlo_op *o, const char *key)
{
    return hlo_int(r, o, hlo_record(o, "mhlo.backend_config"), key, 0);
}

bool hlo_lapack_potrf(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    if (o->in.n != 1 || o->to.n != 2) return hlo_refuse(r, o, TT_EARG, "one operand and two results");
    const int64_t uplo = option(r, o, "uplo");
    if (r->bad || !cholesky_of(r, o, x[0], uplo == 'L', y)) return false;
    const ir_type *const t = ir_typeof(r->b, y[0]);
    const int64_t dims[] = { t->rank - 2, t->rank - 1 };
    const value wrong = op_fold(r->b, &row_or, op_compare(r->b, OP_CMP_NE, y[0], y[0]), 2, dims);
    y[1] = op_convert(r->b, wrong, TT_I32);              /* 0: it was positive definite */
    return y[1] != 0;
}

bool hlo_lapack_trsm(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const triangle t = { option(r, o, "side") == 'L', option(r, o, "uplo") == 'L', option(r, o, "diag") == 'U',
                         option(r, o, "trans_x") != 'N' };
    return !r->bad && solve_of(r, o, x, t, y);
}

const hlo_rule hlo_algebra[] = {
    { "stablehlo.cholesky", cholesky },
    { "stablehlo.triangular_solve", triangular_solve },
    { NULL, NULL },
};
