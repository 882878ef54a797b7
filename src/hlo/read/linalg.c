/* hlo/read/linalg.c - linear algebra: StableHLO's two operations, the LAPACK calls that JAX prints on CPU, and the
 * targets that it prints for other devices. Each becomes one or a few primitives of op/linalg. Further calls and older
 * forms: lapack.c.
 *
 * Batch dims lead. LAPACK's options are character codes in mhlo.backend_config; its `info` is 0 for success. */
#include "algebra.h"
#include "../../op/ops.h"

#include <string.h>

typedef ir_id value;

static value linalg_emit(hlo_reader *r, const op_prim *prim, const void *attr, int n, const value *x)
{
    return ir_emit(r->b, prim, attr, (uint32_t)n, x, 0, NULL);
}

bool hlo_counts(hlo_reader *r, const hlo_op *o, int in, int out)
{
    return (o->in.n == in && o->to.n == out) || hlo_refuse(r, o, TT_EARG,
                                                           "%d operands and %d results; expected %d and %d", o->in.n,
                                                               o->to.n, in, out);
}

/* An option of mhlo.backend_config, as JAX prints it, or of backend_config, as a typed call has it. */
int64_t hlo_option(hlo_reader *r, const hlo_op *o, const char *key)
{
    const bool old = hlo_find(&o->attr, "mhlo.backend_config") != NULL;
    return hlo_int(r, o, hlo_record(o, old ? "mhlo.backend_config" : "backend_config"), key, 0);
}

/* i32 [batch]: 1 where x contains a NaN. */
value hlo_spoiled(hlo_reader *r, value x, int core)
{
    const ir_type *const t = ir_typeof(r->b, x);
    int64_t dims[2];
    for (int d = 0; d < core; d++) dims[d] = t->rank - core + d;
    return op_convert(r->b, op_reduce_dims(r->b, &prim_or, op_compare(r->b, OP_CMP_NE, x, x), core, dims), TT_I32);
}

/* ---- triangles ---- */

static bool cholesky_of(hlo_reader *r, value a, bool lower, ir_id *y)
{
    return hlo_emit(r, &prim_cholesky, &(op_lower_attr){ lower }, 1, &a, y);
}

static bool linalg_cholesky(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    return hlo_counts(r, o, 1, 1) && cholesky_of(r, x[0], hlo_flag(&o->attr, "lower"), y);
}

static bool potrf(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const int64_t uplo = hlo_option(r, o, "uplo");
    if (r->bad || !hlo_counts(r, o, 1, 2) || !cholesky_of(r, x[0], uplo == 'L', y)) return false;
    return (y[1] = hlo_spoiled(r, y[0], 2)) != 0;
}

static bool triangular_solve(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const hlo_span way = hlo_choice(&o->attr, "transpose_a");
    const op_triangular_attr a = { hlo_flag(&o->attr, "left_side"), hlo_flag(&o->attr, "lower"),
                                   hlo_flag(&o->attr, "unit_diagonal"),
                                   hlo_is(way, "TRANSPOSE") ? OP_TRANSPOSE
                                   : hlo_is(way, "ADJOINT") ? OP_ADJOINT
                                                            : OP_NO_TRANSPOSE };
    if (way.n && a.transpose_a == OP_NO_TRANSPOSE && !hlo_is(way, "NO_TRANSPOSE"))
        return hlo_refuse(r, o, TT_EARG, "transpose_a is %.*s; expected NO_TRANSPOSE, TRANSPOSE or ADJOINT",
                          HLO_SPAN(way));
    return hlo_counts(r, o, 2, 1) && hlo_emit(r, &prim_triangular_solve, &a, 2, x, y);
}

static bool trsm(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const int64_t transpose = hlo_option(r, o, "trans_x");
    const op_triangular_attr a = { hlo_option(r, o, "side") == 'L', hlo_option(r, o, "uplo") == 'L',
                                   hlo_option(r, o, "diag") == 'U',
                                   transpose == 'T'   ? OP_TRANSPOSE
                                   : transpose == 'C' ? OP_ADJOINT
                                                 : OP_NO_TRANSPOSE };
    return !r->bad && hlo_counts(r, o, 2, 1) && hlo_emit(r, &prim_triangular_solve, &a, 2, x, y);
}

/* ---- LU ---- */

/* The first k, counted from 1, for which U[k, k] is 0; 0: none. */
static value singular_at(hlo_reader *r, value lu)
{
    ir_build *const b = r->b;
    const ir_type *const t = ir_typeof(b, lu), *const place = ir_type_of(TT_I32, t->rank, t->dim);
    const int64_t dims[] = { t->rank - 2, t->rank - 1 };
    const value row = op_iota(b, place, t->rank - 2), column = op_iota(b, place, t->rank - 1);
    const value on = op_and(b, op_equal(b, row, column), op_equal(b, lu, op_zeros(b, t)));
    const value most = op_splat(b, place, INT32_MAX), one = op_ones(b, place);
    const value first = op_reduce_dims(b, &prim_min, op_select(b, on, op_add(b, row, one), most), 2, dims);
    const ir_type *const s = first ? ir_typeof(b, first) : NULL;
    return s ? op_select(b, op_equal(b, first, op_splat(b, s, INT32_MAX)), op_zeros(b, s), first) : 0;
}

static bool getrf(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    ir_id all[3];
    if (!hlo_counts(r, o, 1, 3) || !hlo_emit(r, &prim_lu, NULL, 1, x, all)) return false;
    y[0] = all[0];
    y[1] = op_add(r->b, all[1], op_ones(r->b, ir_typeof(r->b, all[1]))); /* LAPACK counts from 1 */
    y[2] = singular_at(r, y[0]);
    return y[1] && y[2];
}

static bool lu(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    return hlo_counts(r, o, 1, 3) && hlo_emit(r, &prim_lu, NULL, 1, x, y);
}

/* ---- QR ---- */

static bool geqrf(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    return hlo_counts(r, o, 1, 2) && hlo_emit(r, &prim_geqrf, NULL, 1, x, y);
}

static bool orgqr(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    return hlo_counts(r, o, 2, 1) && hlo_emit(r, &prim_householder_product, NULL, 2, x, y);
}

/* ---- eigenvalues, singular values ---- */

static bool eigh_of(hlo_reader *r, const ir_id *x, bool lower, ir_id *y)
{
    y[1] = linalg_emit(r, &prim_eigh, &(op_lower_attr){ lower }, 1, x); /* in the text, vectors come first */
    y[0] = y[1] + 1;
    return y[1] != 0;
}

static bool syevd(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const int64_t uplo = hlo_option(r, o, "uplo");
    if (r->bad || !hlo_counts(r, o, 1, 3) || !eigh_of(r, x, uplo == 'L', y)) return false;
    return (y[2] = hlo_spoiled(r, y[1], 1)) != 0;
}

/* The configuration is "lower,sort,iterations,tolerance". */
static bool eigh(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const hlo_span how = hlo_choice(&o->attr, "backend_config");
    return hlo_counts(r, o, 1, 2) && eigh_of(r, x, !how.n || *how.at != '0', y);
}

/* (a, s, u, vt, info). The remains of a are not meant to be read; with mode N neither are u and vt. */
static bool gesdd(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const int64_t mode = hlo_option(r, o, "mode");
    if (r->bad || !hlo_counts(r, o, 1, 5)) return false;
    y[0] = x[0];
    const bool values = mode == 'N';
    y[1] = values ? linalg_emit(r, &prim_svdvals, NULL, 1, x) : linalg_emit(r, &prim_svd,
        &(op_full_attr){ mode == 'A' }, 1, x);
    if (!y[1]) return false;
    for (int j = 2; j < 4; j++) {
        const ir_type *const t = hlo_result(o, j);
        y[j] = !values ? y[1] + (ir_id)j - 1 : t ? op_zeros(r->b, t) : 0;
    }
    return (y[4] = hlo_spoiled(r, y[1], 1)) != 0 && y[2] && y[3];
}

const hlo_rule hlo_algebra[] = {
    { "stablehlo.cholesky", linalg_cholesky },
    { "stablehlo.triangular_solve", triangular_solve },
    { "chlo.ragged_dot", hlo_ragged_dot },
    { "chlo.scan", hlo_scan },
    { NULL, NULL },
};

/* In the text "lapack_" and a letter for the type precede these names; further names in lapack.c. */
static const hlo_rule calls[] = {
    { "potrf_ffi", potrf }, { "trsm_ffi", trsm },   { "getrf_ffi", getrf }, { "geqrf_ffi", geqrf },
    { "orgqr_ffi", orgqr }, { "ungqr_ffi", orgqr }, { "syevd_ffi", syevd }, { "heevd_ffi", syevd },
    { "gesdd_ffi", gesdd }, { "gesvd_ffi", gesdd }, { NULL, NULL },
};
static const hlo_rule others[] = {
    { "LuDecomposition", lu }, { "Qr", geqrf }, { "ProductOfElementaryHouseholderReflectors", orgqr },
    { "Eigh", eigh },          { NULL, NULL },
};

static const hlo_rule *linalg_named(const hlo_rule *k, hlo_span name)
{
    for (; k->name; k++)
        if (hlo_is(name, k->name)) return k;
    return NULL;
}

const hlo_rule *hlo_lapack_call(hlo_span name)
{
    const hlo_rule *const k = linalg_named(calls, name);
    return k ? k : linalg_named(hlo_lapack_more, name);
}

const hlo_rule *hlo_lapack(hlo_span name)
{
    const hlo_rule *const k = linalg_named(others, name);
    const bool blas = name.n > 5 && !memcmp(name.at, "blas_", 5);
    const size_t prefix = blas ? 5 : 7;
    if (k || hlo_is(name, "tridiagonal_solve_perturbed_ffi")) return k ? k : &hlo_perturbed;
    if (name.n < prefix + 2 || !(blas || !memcmp(name.at, "lapack_", 7))) return NULL;
    if (!strchr("sdcz", name.at[prefix])) return NULL;
    const hlo_span rest = { name.at + prefix + 1, name.n - prefix - 1 };
    const hlo_rule *const call = blas ? NULL : hlo_lapack_call(rest);
    return call ? call : hlo_is_older(rest) ? &hlo_older : NULL;
}
