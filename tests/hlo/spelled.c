/* spelled.c - linear algebra as texts for engines of PJRT spell it out: written, read again and evaluated.
 *
 * Forms that are LAPACK's to the sign (Hessenberg, tridiagonal, pivoted QR, LU, solves of three diagonals) have the
 * reference's numbers; Schur forms and eigenvectors satisfy their equations, with the reference's eigenvalues.
 * Matrices: random ones, zeros, defective ones, permutations on which QR without shifts does not move, large and small
 * numbers, one NaN. */
#include "hlo/hlo.h"
#include "prop/primitives.h"
#include "op/ops.h"

#include <complex.h>
#include <float.h>
#include <tutti.h>

typedef double complex cplx;
typedef enum { RANDOM, ZEROS, ONES, JORDAN, CYCLE, SYMMETRIC, TRIANGLE, LARGE, SMALL, ONE_NAN, KINDS } kind;
static const char *const kinds[] = { "random", "zeros", "ones", "Jordan", "a cycle", "symmetric", "triangular", "large",
                                     "small", "with a NaN" };
enum { SIDE = 24 };
typedef struct { int64_t m, n; cplx v[SIDE * SIDE]; } matrix;

static double rounding(tt_dtype d) { return op_real_dtype(d) == TT_F64 ? DBL_EPSILON : FLT_EPSILON; }

/* Member `b` of a batch of matrices, or of columns: n is 1. */
static matrix member(const prop_value *v, int64_t b, int core)
{
    const ir_type *const t = v->type;
    matrix x = { core > 1 ? t->dim[t->rank - 2] : t->dim[t->rank - 1], core > 1 ? t->dim[t->rank - 1] : 1, { 0 } };
    const ir_type *const flat = ir_type_of(t->dtype, 1, (const int64_t[]){ ir_count(t) });
    const ir_box box = ir_box_dense(v->at, flat);
    for (int64_t i = 0; i < x.m * x.n; i++) {
        const ir_num z = ir_load(&box, (const int64_t[]){ b * x.m * x.n + i });
        x.v[i] = op_is_complex(t->dtype) ? z.c.re + z.c.im * I : ir_is_float(t->dtype) ? z.f : (double)z.i;
    }
    return x;
}

static matrix times(const matrix *x, const matrix *y, bool adjoint)     /* x y or x y' */
{
    matrix z = { x->m, adjoint ? y->m : y->n, { 0 } };
    for (int64_t i = 0; i < z.m; i++)
        for (int64_t j = 0; j < z.n; j++)
            for (int64_t k = 0; k < x->n; k++)
                z.v[i * z.n + j] += x->v[i * x->n + k] * (adjoint ? conj(y->v[j * y->n + k]) : y->v[k * y->n + j]);
    return z;
}

static double largest(const matrix *x)
{
    double most = 0;
    for (int64_t i = 0; i < x->m * x->n; i++) if (!isnan(most) && !(cabs(x->v[i]) <= most)) most = cabs(x->v[i]);
    return most;
}

static double apart(const matrix *x, const matrix *y)
{
    matrix z = *x;
    for (int64_t i = 0; i < z.m * z.n; i++) z.v[i] -= y->v[i];
    return largest(&z);
}

static matrix identity(int64_t n)
{
    matrix x = { n, n, { 0 } };
    for (int64_t i = 0; i < n; i++) x.v[i * n + i] = 1;
    return x;
}

static ir_num changed(ir_num v, tt_dtype d, double by, bool add)
{
    if (op_is_complex(d)) v.c.re = add ? v.c.re + by : v.c.re * by, v.c.im *= add ? 1 : by;
    else v.f = add ? v.f + by : v.f * by;
    return v;
}

/* Matrices of one kind; each member of a batch is another one, and but for one all are finite. */
static void made(prop_value *x, kind k)
{
    const ir_box b = prop_box(x);
    const int r = b.rank;
    int64_t i[IR_RANK];
    bool first = true;
    if (r < 2 || ir_dtype_of(b.dtype)->cls < IR_FLOAT_CLASS) return;
    for (bool more = ir_first(&b, i); more; more = ir_next(&b, i)) {
        const int64_t row = i[r - 2], column = i[r - 1], n = b.n[r - 1];
        ir_num v = ir_load(&b, i);
        const ir_num none = op_is_complex(b.dtype) ? (ir_num){ .c = { 0, 0 } } : (ir_num){ .f = 0 },
            one = changed(none, b.dtype, 1, true);
        if (k == ZEROS) v = none;
        if (k == ONES) v = one;
        if (k == JORDAN) v = row == column ? changed(none, b.dtype, 2, true) : row + 1 == column ? one : none;
        if (k == CYCLE) v = (row + 1) % n == column ? one : none;
        if (k == TRIANGLE && row > column) v = none;
        if (k == SYMMETRIC) {
            int64_t j[IR_RANK];
            memcpy(j, i, sizeof j);
            j[r - 2] = column, j[r - 1] = row;
            if (row > column && column < b.n[r - 2] && row < n) v = ir_load(&b, j);
            if (op_is_complex(b.dtype)) v.c.im = row == column ? 0 : row > column ? -v.c.im : v.c.im;
        }
        if (k == LARGE || k == SMALL) v = changed(v, b.dtype, k == LARGE ? 1e18 : 1e-18, false);
        if (k == ONE_NAN && first) v = changed(v, b.dtype, NAN, true);
        first = false;
        ir_store(&b, i, v);
    }
}

/* ---- what each form has to satisfy ---- */

static void equal_numbers(base_arena *a, const char *text, kind k, uint32_t n, const prop_value *want,
    const prop_value *got)
{
    for (uint32_t j = 0; j < n; j++) {
        const bool exact = op_real_dtype(want[0].type->dtype) == TT_F64;
        const char *const d = prop_differs(a, &want[j], &got[j], exact ? 1e-10 : 2e-3);
        CHECK(!d, "%s of %s numbers: result %u: %s", text, kinds[k], j, d);
    }
}

/* Q of the reflectors that are stored in columns of x, from row `by` of the first on; backwards: in the other order of
 * rows and columns. */
static matrix vectors_of(const matrix *x, const matrix *tau, int64_t by, bool backwards)
{
    const int64_t m = x->m;
    matrix q = identity(m);
    for (int64_t k = tau->m - 1; k >= 0; k--) {
        matrix v = { m, 1, { 0 } };
        for (int64_t i = k + by; i < m; i++)
            v.v[i] = i == k + by ? 1 : backwards ? x->v[(m - 1 - i) * x->n + x->n - 1 - k] : x->v[i * x->n + k];
        const cplx t = tau->v[backwards ? tau->m - 1 - k : k];
        for (int64_t j = 0; j < m; j++) {
            cplx sum = 0;
            for (int64_t i = 0; i < m; i++) sum += conj(v.v[i]) * q.v[i * m + j];
            for (int64_t i = 0; i < m; i++) q.v[i * m + j] -= t * v.v[i] * sum;
        }
    }
    matrix turned = q;
    for (int64_t i = 0; i < m * m; i++) turned.v[m * m - 1 - i] = q.v[i];
    return backwards ? turned : q;
}

static matrix hermitian(const matrix *x, bool lower)
{
    matrix y = *x;
    for (int64_t i = 0; i < x->n; i++)
        for (int64_t j = 0; j < x->n; j++)
            if (i == j) y.v[i * x->n + j] = creal(y.v[i * x->n + j]);
            else if (lower ? j > i : j < i) y.v[i * x->n + j] = conj(x->v[j * x->n + i]);
    return y;
}

/* Q H Q' (by 1) or Q R (by 0) is the matrix. */
static void reflects(const char *text, kind k, const ir_eqn *e, const prop_value *x, const prop_value *y, int64_t b)
{
    const bool three = e->op == &prim_tridiagonal, pivoted = e->op == &prim_geqp3;
    const bool lower = !three || IR_ATTR(e, op_lower_attr)->lower;
    const int64_t by = !pivoted;
    const matrix stored = member(&y[0], b, 2), tau = member(&y[e->nout - 1], b, 1);
    matrix a = member(x, b, 2), middle = stored;
    const matrix q = vectors_of(&stored, &tau, by, !lower);
    for (int64_t i = 0; i < stored.m; i++)
        for (int64_t j = 0; j < stored.n; j++) {
            const int64_t off = lower ? i - j : j - i;
            if (off > by || (three && -off > by)) middle.v[i * stored.n + j] = 0;
        }
    if (three) a = hermitian(&a, lower), middle = hermitian(&middle, lower);
    const matrix order = pivoted ? member(&y[1], b, 1) : tau, in = a;
    for (int64_t i = 0; i < a.m; i++)
        for (int64_t j = 0; pivoted && j < a.n; j++) a.v[i * a.n + j] = in.v[i * a.n + (int64_t)creal(order.v[j]) - 1];
    const matrix left = times(&q, &middle, false), all = pivoted ? left : times(&left, &q, true);
    const double size = fmax(largest(&a), DBL_MIN), bound = 20 * rounding(x->type->dtype) * (double)(a.m + a.n);
    CHECK(apart(&all, &a) <= bound * size, "%s of %s numbers: the product is off by %g of %g", text, kinds[k],
        apart(&all, &a), size);
}

/* The distance from each of n numbers to another one of the list, the nearest that is left. */
static double values_apart(const matrix *x, const matrix *y)
{
    bool taken[SIDE] = { false };
    double most = 0;
    for (int64_t i = 0; i < x->m; i++) {
        int64_t best = -1;
        for (int64_t j = 0; j < x->m; j++)
            if (!taken[j] && (best < 0 || cabs(x->v[i] - y->v[j]) < cabs(x->v[i] - y->v[best]))) best = j;
        taken[best] = true;
        if (!(cabs(x->v[i] - y->v[best]) <= most)) most = cabs(x->v[i] - y->v[best]);
    }
    return most;
}

/* Eigenvalues of defective matrices move by the n-th root of an error. */
static double value_error(kind k, double epsilon, int64_t n, double size)
{
    const bool defective = k == JORDAN || k == ONES || k == ZEROS;
    return (defective ? 4 * pow(epsilon, 1.0 / (double)(n + 1)) : 4000 * epsilon * (double)n) * size;
}

static void schur_holds(const char *text, kind k, const prop_value *x, const prop_value *want, const prop_value *y,
    int64_t b)
{
    const tt_dtype d = x->type->dtype;
    const matrix a = member(x, b, 2), t = member(&y[0], b, 2), z = member(&y[1], b, 2), w = member(&y[2], b, 1);
    const matrix known = member(&want[2], b, 1), one = identity(a.n), zt = times(&z, &t, false),
        again = times(&zt, &z, true);
    const matrix unit = times(&z, &z, true);
    const double size = fmax(largest(&a), DBL_MIN), bound = 20 * rounding(d) * (double)(a.n + 4);
    CHECK(apart(&again, &a) <= bound * size, "%s of %s numbers: Z T Z' is off by %g of %g", text, kinds[k],
        apart(&again, &a), size);
    CHECK(apart(&unit, &one) <= bound, "%s of %s numbers: Z Z' is off by %g", text, kinds[k], apart(&unit, &one));
    CHECK(values_apart(&w, &known) <= value_error(k, rounding(d), a.n, size),
        "%s of %s numbers: eigenvalues are off by %g of %g",
          text, kinds[k], values_apart(&w, &known), size);
    for (int64_t i = 0; i < a.n; i++)
        for (int64_t j = 0; j < i; j++) {
            const cplx low = t.v[i * a.n + j], high = t.v[j * a.n + i];
            if (low == 0) continue;
            const bool block = !op_is_complex(d) && j + 1 == i && creal(low) * creal(high) < 0 &&
                               t.v[i * a.n + i] == t.v[j * a.n + j] && (j == 0 || t.v[j * a.n + j - 1] == 0);
            CHECK(block, "%s of %s numbers: T has %g at %d, %d", text, kinds[k], cabs(low), (int)i, (int)j);
        }
}

static void eig_holds(const char *text, kind k, const prop_value *x, const prop_value *want, const prop_value *y,
    int64_t b)
{
    const tt_dtype d = x->type->dtype;
    const matrix a = member(x, b, 2), w = member(&y[0], b, 1), known = member(&want[0], b, 1);
    const double size = fmax(largest(&a), DBL_MIN), bound = 40 * rounding(d) * (double)(a.n + 4);
    CHECK(values_apart(&w, &known) <= value_error(k, rounding(d), a.n, size),
        "%s of %s numbers: eigenvalues are off by %g of %g",
          text, kinds[k], values_apart(&w, &known), size);
    for (int side = 0; side < 2; side++) {
        const matrix v = member(&y[1 + side], b, 2);
        matrix from = a;
        for (int64_t i = 0; i < a.n; i++)
            for (int64_t j = 0; j < a.n && !side; j++) from.v[i * a.n + j] = conj(a.v[j * a.n + i]);
        if (v.n != a.n) continue;
        const matrix av = times(&from, &v, false);
        for (int64_t j = 0; j < a.n; j++) {
            double off = 0, norm = 0, most = 0, phase = 1;  /* of the numbers that are the largest, one is real */
            for (int64_t i = 0; i < a.n; i++) {
                const cplx u = v.v[i * a.n + j];
                off = fmax(off, cabs(av.v[i * a.n + j] - (side ? w.v[j] : conj(w.v[j])) * u));
                norm += creal(u) * creal(u) + cimag(u) * cimag(u);
                most = fmax(most, cabs(u));
            }
            for (int64_t i = 0; i < a.n; i++)
                if (cabs(v.v[i * a.n + j]) > most * (1 - bound)) phase = fmin(phase, fabs(cimag(v.v[i * a.n + j])));
            CHECK(off <= bound * size && fabs(norm - 1) <= bound && phase <= bound,
                  "%s of %s numbers: vector %d of side %d: a v - w v is %g of %g, norm %g, phase %g", text, kinds[k],
                      (int)j,
                  side, off, size, norm, phase);
        }
    }
}

/* ---- cases ---- */

static bool has_nan(const prop_value *v, int64_t b, int core)
{
    const matrix x = member(v, b, core);
    return isnan(largest(&x));
}

static void compared(base_arena *a, const char *text, kind k, const ir_eqn *e, const prop_value *x,
    const prop_value *want, const prop_value *y)
{
    const bool form = e->op == &prim_schur || e->op == &prim_eig;
    const ir_type *const t = x[0].type;
    const int64_t each = t->dim[t->rank - 1] * t->dim[t->rank - 2], members = each ? ir_count(t) / each : 0;
    const bool reflectors = e->op == &prim_hessenberg || e->op == &prim_tridiagonal || e->op == &prim_geqp3;
    /* reflectors of what rounding has left of a matrix of rank 1 are any */
    if (!form && k != ONE_NAN && !(reflectors && k == ONES)) equal_numbers(a, text, k, e->nout, want, y);
    for (int64_t b = 0; b < members; b++) {
        const bool nan = has_nan(&x[0], b, 2);
        if (nan) CHECK(has_nan(&y[0], b, e->op == &prim_eig ? 1 : 2), "%s of a NaN has none", text);
        else if (k == ONE_NAN) CHECK(!has_nan(&y[0], b, e->op == &prim_eig ? 1 : 2), "%s: another matrix's NaN", text);
        if (!nan && reflectors) reflects(text, k, e, &x[0], y, b);
        if (nan || !form) continue;
        (e->op == &prim_schur ? schur_holds : eig_holds)(text, k, &x[0], want, y, b);
    }
}

static void case_of(base_arena *a, const char *text, kind k)
{
    ir_fn *const f = ir_case(a, text);
    CHECK(f, "%s: %s", text, f ? "" : prop_error());
    if (!f) return;
    const char *const s = hlo_write_with(a, f, &(hlo_borders){ .spelled = true });
    ir_fn *const g = s ? hlo_read(a, base_intern("spelled"), s) : NULL;
    CHECK(g, "%s: %s", text, g ? "" : prop_error());
    CHECK(!s || !strstr(s, "lapack"), "%s is not spelled out", text);
    if (!g) return;
    const ir_eqn *const e = &f->eqn[f->neqn - 1];
    prop_value *const x = BASE_NEW(a, prop_value, f->narg + 1), *const y = BASE_NEW(a, prop_value, f->nret + 1),
                     *const z = BASE_NEW(a, prop_value, f->nret + 1);
    for (uint32_t i = 0; i < f->narg; i++) x[i] = prop_fresh(a, f->type[i + 1], PROP_WIDE);
    if (f->narg) made(&x[0], k);
    CHECK(prop_eval(a, f, x, y) && prop_eval(a, g, x, z), "%s: %s", text, prop_error());
    compared(a, text, k, e, x, y, z);
}

static const char *const more[] = {
    "lu f32[2,9,7]", "lu c128[6,9]",
    "hessenberg f32[2,9,9]", "hessenberg c128[9,9]", "hessenberg c64[2,2,6,6]",
    "tridiagonal f32[2,9,9] {lower=true}", "tridiagonal c64[2,8,8] {lower=false}", "tridiagonal f64[9,9] {lower=false}",
    "geqp3 f64[2,9,6], i32[2,6]", "geqp3 c64[5,8], i32[8]", "geqp3 f32[2,7,7], i32[2,7]",
    "tridiagonal_solve f32[2,9,3], f32[2,9], f32[2,9], f32[2,9] {perturb_singular=false}",
    "tridiagonal_solve c128[9,2], c128[9], c128[9], c128[9] {perturb_singular=false}",
    "tridiagonal_solve f64[2,9,3], f64[2,9], f64[2,9], f64[2,9] {perturb_singular=true}",
    "tridiagonal_solve c64[9,2], c64[9], c64[9], c64[9] {perturb_singular=true}",
    "schur f32[2,11,11]", "schur f64[3,12,12]", "schur f64[2,2,2]", "schur f64[3,3]", "schur c64[2,9,9]",
        "schur c128[2,11,11]",
    "schur f64[1,1]", "schur c64[2,1,1]", "schur c128[2,2,2]",
    "eig f32[2,9,9] {compute_left_eigenvectors=true, compute_right_eigenvectors=true}",
    "eig f64[3,10,10] {compute_left_eigenvectors=true, compute_right_eigenvectors=true}",
    "eig c64[2,7,7] {compute_left_eigenvectors=false, compute_right_eigenvectors=true}",
    "eig c128[2,9,9] {compute_left_eigenvectors=true, compute_right_eigenvectors=true}",
    "eig f64[2,2,2] {compute_left_eigenvectors=true, compute_right_eigenvectors=true}",
    "eig f32[1,1] {compute_left_eigenvectors=true, compute_right_eigenvectors=true}", NULL };

static const char *now_text;
static kind now_kind;
static void now_body(void *arg) { case_of(arg, now_text, now_kind); }

static void each_kind(const char *text, bool all)
{
    for (kind k = RANDOM; k < (all ? KINDS : 1); k++) {
        base_arena *const a = base_open();
        now_text = text, now_kind = k;
        CHECK(base_catch(now_body, a), "%s: out of memory", text);
        base_close(a);
        base_clear_error();
    }
}

int main(int argc, char **argv)
{
    static const op_prim *const own[] = { &prim_hessenberg, &prim_tridiagonal, &prim_geqp3, &prim_tridiagonal_solve,
                                          &prim_schur, &prim_eig, &prim_lu };
    size_t turn = 0;
    check_main(argc, argv);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        for (const char *const *c = own[i]->cases; *c; c++) if (check_turn(turn++)) each_kind(*c, false);
    for (const char *const *c = more; *c; c++) if (check_turn(turn++)) each_kind(*c, true);
    return check_done();
}
