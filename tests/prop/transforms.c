/* transforms.c - for every primitive and every case, with no word from the primitive: derivatives and batching are
 * right.
 *
 *   jvp        against central differences (floats of the case raised to f64), along Hermitian matrices in primitives
 *   that
 *              take a matrix for Hermitian
 *   transpose  by inner products <T u, v> = <u, T' v>, for the operands in which the primitive says it is linear
 *   vjp        against jvp by inner products: <J dx, v> = <dx, J' v>
 *   batch      against a loop, for every set of mapped operands, at its own dtypes
 *
 * usage: prop_transforms [primitive ...] */
#include "primitives.h"
#include "transform/transform.h"
#include "op/ops.h"

static int skipped_jvp, skipped_vjp, not_finite; /* cases without a derivative, without a backward one, all inf */
static int rounding;                             /* cases whose derivative is not the limit of differences */

/* ---- the case in f64 ---- */

static const char *in_f64(base_arena *a, const char *text)
{
    static const char *const names[] = { "bf16", "f16", "f32", "c64" };
    base_text s = { .arena = a };
    base_appendf(&s, "%s", "");
    while (*text) {
        size_t skip = 0;
        int k = 0;
        for (; k < 4; k++)
            if (!strncmp(text, names[k], strlen(names[k]))) {
                skip = strlen(names[k]);
                break;
            }
        if (skip) base_appendf(&s, k == 3 ? "c128" : "f64");
        else base_appendf(&s, "%c", *text);
        text += skip ? skip : 1;
    }
    return s.s;
}

static uint32_t smooth_inputs(const ir_fn *f)
{
    uint32_t n = 0;
    for (ir_id i = 1; i <= f->narg; i++) n += transform_smooth(f->type[i]);
    return n;
}

static uint32_t smooth_results(const ir_fn *f)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->nret; i++) n += transform_smooth(f->type[f->ret[i]]);
    return n;
}

static const ir_type *result_type(const ir_fn *f, uint32_t i) { return f->type[f->ret[i]]; }

static bool finite_all(const prop_value *v, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        const ir_box b = prop_box(&v[k]);
        int64_t i[IR_RANK];
        if (!transform_smooth(v[k].type)) continue;
        for (bool more = ir_first(&b, i); more; more = ir_next(&b, i)) {
            const ir_num n = ir_load(&b, i);
            if (!isfinite(n.f) || (op_is_complex(b.dtype) && !isfinite(n.c.im))) return false;
        }
    }
    return true;
}

static const double *reals(const prop_value *v) { return v->at; } /* of an f64 or c128 value */
static int64_t count(const ir_type *t) { return ir_count(t) * (op_is_complex(t->dtype) ? 2 : 1); }       /* of reals */

/* Of complex values the real part of the sum of a b: JAX's cotangents are not conjugated. */
static double dot(const prop_value *a, const prop_value *b)
{
    const bool complex = op_is_complex(a->type->dtype);
    double s = 0;
    for (int64_t i = 0; i < count(a->type); i++) s += reals(a)[i] * reals(b)[i] * (complex && i & 1 ? -1 : 1);
    return s;
}

static double norm2(const prop_value *a)
{
    double s = 0;
    for (int64_t i = 0; i < count(a->type); i++) s += reals(a)[i] * reals(a)[i];
    return s;
}

static prop_value *random_inputs(base_arena *a, const ir_fn *f, prop_fill fill)
{
    prop_value *x = BASE_NEW(a, prop_value, f->narg + 1);
    for (uint32_t i = 0; i < f->narg; i++) x[i] = prop_operand(a, f->type[i + 1], fill);
    return x;
}

/* x + h dx at smooth inputs */
static prop_value *moved(base_arena *a, const ir_fn *f, const prop_value *x, const prop_value *dx, double h)
{
    prop_value *z = BASE_NEW(a, prop_value, f->narg + 1);
    for (uint32_t i = 0, k = 0; i < f->narg; i++) {
        z[i] = x[i];
        if (!transform_smooth(x[i].type)) continue;
        z[i] = prop_new(a, x[i].type);
        for (int64_t j = 0; j < count(x[i].type); j++)
            ((double *)z[i].at)[j] = reals(&x[i])[j] + h * reals(&dx[k])[j];
        k++;
    }
    return z;
}

/* ---- jvp ---- */

/* (d + d') / 2 of d's matrices: the tangents for which the derivative of a primitive that reads one triangle is the
 * limit of differences. */
static void make_hermitian(prop_value *d)
{
    const int64_t n = d->type->dim[d->type->rank - 1], parts = op_is_complex(d->type->dtype) ? 2 : 1;
    for (double *m = d->at, *end = m + count(d->type); m < end; m += n * n * parts)
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j <= i; j++)
                for (int64_t c = 0; c < parts; c++) {
                    double *const p = &m[(i * n + j) * parts + c], *const q = &m[(j * n + i) * parts + c];
                    const double sign = c ? -1 : 1, half = 0.5 * (*p + sign * *q);
                    *p = half, *q = sign * half;
                }
}

/* (f(x + h dx) - f(x - h dx)) / 2h of every result, y its value at x. NULL: not finite there. NaN where y is not
 * between the two: that is a jump (eigenvalues of any matrix have an order of their own). */
static prop_value *difference(base_arena *a, const ir_fn *f, const prop_value *x, const prop_value *dx,
                              const prop_value *y, double h)
{
    prop_value *p = BASE_NEW(a, prop_value, f->nret + 1), *q = BASE_NEW(a, prop_value, f->nret + 1);
    if (!prop_eval(a, f, moved(a, f, x, dx, h), p) || !prop_eval(a, f, moved(a, f, x, dx, -h), q)) return NULL;
    if (!finite_all(p, f->nret) || !finite_all(q, f->nret)) return NULL;
    for (uint32_t i = 0; i < f->nret; i++)
        for (int64_t j = 0; transform_smooth(p[i].type) && j < count(p[i].type); j++) {
            const double u = reals(&p[i])[j], v = reals(&q[i])[j], here = reals(&y[i])[j];
            const bool jump = fabs((u + v) / 2 - here) > 1e-3 * (1 + fabs(here));
            ((double *)p[i].at)[j] = jump ? NAN : (u - v) / (2 * h);
        }
    return p;
}

/* Elements at which two steps disagree are at a jump or a kink and are left out. Returns how many were compared. */
static int64_t compare_jvp(const char *text, const ir_fn *f, const prop_value *dy, const prop_value *wide,
                           const prop_value *near)
{
    int64_t compared = 0;
    for (uint32_t i = 0, k = 0; i < f->nret; i++) {
        if (!transform_smooth(result_type(f, i))) continue;
        for (int64_t j = 0; j < count(result_type(f, i)); j++) {
            const double w = reals(&wide[i])[j], n = reals(&near[i])[j], best = (4 * n - w) / 3, off = fabs(n - w);
            const double got = reals(&dy[k])[j];
            if (!(off <= 1e-3 * (1 + fabs(best)))) continue;
            compared++;
            CHECK(fabs(got - best) <= 1e-7 * (1 + fabs(best)) + off,
                  "%s: jvp of result %u element %lld is %.12g, differences say %.12g", text, i, (long long)j, got,
                  best);
        }
        k++;
    }
    return compared;
}

static void check_jvp(base_arena *a, const char *text, const ir_fn *f, const ir_fn *jvp)
{
    const uint32_t ns = smooth_inputs(f), ny = smooth_results(f);
    int64_t compared = 0, elements = 0;
    bool finite = false;
    for (uint32_t i = 0; i < f->nret; i++)
        elements += transform_smooth(result_type(f, i)) ? count(result_type(f, i)) : 0;
    for (prop_fill fill = PROP_WIDE; fill <= PROP_NARROW; fill++) {
        prop_value *x = random_inputs(a, f, fill), *in = BASE_NEW(a, prop_value, f->narg + ns + 1);
        prop_value *out = BASE_NEW(a, prop_value, f->nret + ny + 1), *dx = in + f->narg;
        memcpy(in, x, f->narg * sizeof *x);
        for (uint32_t i = 0, k = 0; i < f->narg; i++)
            if (transform_smooth(x[i].type)) dx[k++] = prop_fresh(a, x[i].type, PROP_WIDE);
        if (prop_prim == &prim_cholesky || prop_prim == &prim_eigh) make_hermitian(dx);
        const bool ran = prop_eval(a, jvp, in, out);
        CHECK(ran, "%s: jvp: %s", text, ran ? "" : prop_error());
        if (!ran || !finite_all(out, f->nret)) continue;
        finite = true;
        const prop_value *wide = difference(a, f, x, dx, out, 1e-5), *near = difference(a, f, x, dx, out, 5e-6);
        if (wide && near) compared += compare_jvp(text, f, out + f->nret, wide, near);
    }
    not_finite += !finite;
    CHECK(compared > 0 || !elements || !finite, "%s: nowhere could its derivative be compared", text);
}

/* <J dx, v> = <dx, J' v> */
static void check_vjp(base_arena *a, const char *text, const ir_fn *f, const ir_fn *jvp)
{
    const uint32_t ns = smooth_inputs(f), ny = smooth_results(f);
    bool *wrt = BASE_NEW(a, bool, f->narg + 1);
    for (uint32_t i = 0; i < f->narg; i++) wrt[i] = transform_smooth(f->type[i + 1]);
    const ir_fn *vjp = transform_vjp(a, NULL, f, wrt);
    if (!vjp && base_failed() && base_failed()->code == TT_EGRAD) {
        base_clear_error();
        skipped_vjp++;
        return;
    }
    CHECK(vjp, "%s: vjp: %s", text, vjp ? "" : prop_error());
    if (!vjp) return;
    CHECK(ir_verify(vjp), "%s: vjp: %s", text, prop_error());
    prop_value *x = random_inputs(a, f, PROP_NARROW), *in = BASE_NEW(a, prop_value, f->narg + ns + 1),
               *dx = in + f->narg;
    prop_value *out = BASE_NEW(a, prop_value, f->nret + ny + 1), *dy = out + f->nret;
    prop_value *vin = BASE_NEW(a, prop_value, f->narg + ny + 1), *v = vin + f->narg,
               *vout = BASE_NEW(a, prop_value, f->nret + ns + 1);
    memcpy(in, x, f->narg * sizeof *x);
    memcpy(vin, x, f->narg * sizeof *x);
    for (uint32_t i = 0, k = 0; i < f->narg; i++)
        if (wrt[i]) dx[k++] = prop_fresh(a, x[i].type, PROP_WIDE);
    for (uint32_t i = 0, k = 0; i < f->nret; i++)
        if (transform_smooth(result_type(f, i))) v[k++] = prop_fresh(a, result_type(f, i), PROP_WIDE);
    const bool ran = prop_eval(a, jvp, in, out) && prop_eval(a, vjp, vin, vout);
    CHECK(ran, "%s: vjp: %s", text, ran ? "" : prop_error());
    if (!ran || !finite_all(dy, ny)) return;
    double forward = 0, backward = 0, size = 0;
    for (uint32_t k = 0; k < ny; k++) forward += dot(&dy[k], &v[k]), size += norm2(&dy[k]);
    for (uint32_t k = 0; k < ns; k++) backward += dot(&dx[k], &vout[f->nret + k]);
    CHECK(fabs(forward - backward) <= 1e-9 * (1 + fabs(forward) + sqrt(size)),
          "%s: <J dx, v> = %.12g, <dx, J' v> = %.12g", text, forward, backward);
}

/* ---- transpose ---- */

static void check_transpose(base_arena *a, const char *text, const ir_fn *f, const bool *linear)
{
    uint32_t nlin = 0, known = 0;
    for (uint32_t i = 0; i < f->narg; i++) nlin += linear[i];
    const ir_fn *t = transform_transpose(a, f, linear);
    CHECK(t, "%s: transpose: %s", text, t ? "" : prop_error());
    if (!t) return;
    CHECK(ir_verify(t), "%s: transpose: %s", text, prop_error());
    prop_value *x = random_inputs(a, f, PROP_WIDE), *zero = random_inputs(a, f, PROP_WIDE);
    prop_value *y = BASE_NEW(a, prop_value, f->nret + 1), *y0 = BASE_NEW(a, prop_value, f->nret + 1);
    prop_value *in = BASE_NEW(a, prop_value, f->narg + f->nret + 1), *cx = BASE_NEW(a, prop_value, nlin + 1);
    for (uint32_t i = 0; i < f->narg; i++) {
        zero[i] = linear[i] ? prop_new(a, x[i].type) : x[i];
        if (!linear[i]) in[known++] = x[i];
    }
    for (uint32_t j = 0; j < f->nret; j++) in[known + j] = prop_fresh(a, result_type(f, j), PROP_WIDE);
    const bool ran = prop_eval(a, f, x, y) && prop_eval(a, f, zero, y0) && prop_eval(a, t, in, cx);
    CHECK(ran, "%s: transpose: %s", text, ran ? "" : prop_error());
    if (!ran) return;
    double forward = 0, backward = 0, size = 0;
    for (uint32_t j = 0; j < f->nret; j++) {
        if (!transform_smooth(y[j].type)) continue;
        forward += dot(&y[j], &in[known + j]) - dot(&y0[j], &in[known + j]);
        size += norm2(&y[j]);
    }
    for (uint32_t i = 0, k = 0; i < f->narg; i++)
        if (linear[i]) backward += dot(&x[i], &cx[k++]);
    CHECK(fabs(forward - backward) <= 1e-9 * (1 + fabs(forward) + sqrt(size)),
          "%s: <T u, v> = %.12g, <u, T' v> = %.12g", text, forward, backward);
}

/* Every set of linear operands for a primitive that is linear in all of them together; else each alone. */
static void check_transposes(base_arena *a, const op_prim *prim, const char *text, const ir_fn *f)
{
    const ir_eqn *e = NULL;
    for (uint32_t k = f->neqn; k-- > 0 && !e;)
        if (f->eqn[k].op == prim) e = &f->eqn[k];
    const op_linear l = e->op->linear(e);
    uint32_t at[8], n = 0;
    for (uint32_t i = 0; l.kind != OP_NONLINEAR && i < e->nin && n < 8; i++)
        if ((l.in >> (i < 63 ? i : 63) & 1) && e->in[i] <= f->narg && transform_smooth(IR_IN(e, i)))
            at[n++] = e->in[i] - 1;
    if (!smooth_results(f)) return;
    for (uint32_t set = 1; set < 1u << n; set++) {
        bool *linear = BASE_NEW(a, bool, f->narg + 1);
        if (l.kind == OP_EACH && set & (set - 1)) continue;
        if (n > 3 && (set & (set - 1)) && set != (1u << n) - 1) continue;
        for (uint32_t k = 0; k < n; k++) linear[at[k]] = set >> k & 1;
        check_transpose(a, text, f, linear);
    }
}

/* ---- batch ---- */

static prop_value part(base_arena *a, const prop_value *v, int64_t k) /* v[k], without dim 0 */
{
    const ir_type *t = ir_type_of(v->type->dtype, v->type->rank - 1, v->type->dim + 1);
    const prop_value p = prop_new(a, t);
    const size_t bytes = (size_t)ir_count(t) * ir_dtype_of(t->dtype)->bytes;
    memcpy(p.at, (const char *)v->at + (size_t)k * bytes, bytes);
    return p;
}

static void check_batch(base_arena *a, const char *text, const ir_fn *f, uint32_t set, int64_t n)
{
    bool *mapped = BASE_NEW(a, bool, f->narg + 1), any = false;
    for (uint32_t i = 0; i < f->narg; i++) any |= mapped[i] = i < 32 && set >> i & 1;
    const ir_fn *g = transform_vmap(a, f, mapped, NULL, NULL, n);
    CHECK(g, "%s: mapped %#x over %lld: %s", text, set, (long long)n, g ? "" : prop_error());
    if (!g || !any) return;
    CHECK(ir_verify(g), "%s: mapped %#x: %s", text, set, prop_error());
    prop_value *x = random_inputs(a, g, PROP_NARROW), *y = BASE_NEW(a, prop_value, g->nret + 1);
    const bool ran = prop_eval(a, g, x, y);
    CHECK(ran, "%s: mapped %#x: %s", text, set, ran ? "" : prop_error());
    for (int64_t k = 0; ran && k < n; k++) {
        prop_value *xk = BASE_NEW(a, prop_value, f->narg + 1), *yk = BASE_NEW(a, prop_value, f->nret + 1);
        for (uint32_t i = 0; i < f->narg; i++) xk[i] = mapped[i] ? part(a, &x[i], k) : x[i];
        const bool one = prop_eval(a, f, xk, yk);
        CHECK(one, "%s: %s", text, one ? "" : prop_error());
        for (uint32_t j = 0; one && j < f->nret; j++) {
            const prop_value got = part(a, &y[j], k);
            const char *at = prop_differs(a, &got, &yk[j], prop_tolerance(got.type->dtype));
            CHECK(!at, "%s: mapped %#x, row %lld: batch and loop differ in result %u %s", text, set, (long long)k, j,
                  at);
        }
    }
}

static void check_batches(base_arena *a, const char *text, const ir_fn *f)
{
    const uint32_t n = f->narg < 5 ? f->narg : 5, all = f->narg < 31 ? (1u << f->narg) - 1 : ~0u;
    for (uint32_t set = 1; set < 1u << n; set++) check_batch(a, text, f, set, 3);
    if (!f->narg) return;
    if (f->narg > n) check_batch(a, text, f, all, 3);
    check_batch(a, text, f, all, 1);
    check_batch(a, text, f, all, 0);
}

/* ---- one case ---- */

static bool tested(const op_prim *prim) { return prim->kernel != OP_EXCHANGE && !prim->ordered; }

static void check_case(base_arena *a, const op_prim *prim, const char *text)
{
    if (!tested(prim)) return;
    const ir_fn *f = ir_case(a, text);
    CHECK(f, "%s: %s", text, f ? "" : prop_error());
    if (!f) return;
    check_batches(a, text, f);
    const char *wide = in_f64(a, text);
    f = ir_case(a, wide);
    if (!f) { /* its types are tied to f32 (a bitcast, bits of a key) */
        base_clear_error();
        skipped_jvp++;
        return;
    }
    if (!smooth_inputs(f) || !smooth_results(f)) return;
    const ir_fn *jvp = transform_jvp(a, f, NULL);
    if (!jvp && base_failed() && base_failed()->code == TT_EGRAD) {
        base_clear_error();
        skipped_jvp++;
        return;
    }
    CHECK(jvp, "%s: jvp: %s", wide, jvp ? "" : prop_error());
    if (!jvp) return;
    CHECK(ir_verify(jvp), "%s: jvp: %s", wide, prop_error());
    /* JAX's conventions: the derivative of steps is a rounded tangent, that of a complex number's sign zero; complex
     * eigenvectors do not turn their phase (functions that do not see it: linalg_values.c) */
    const bool complex = op_is_complex(f->type[1]->dtype), phase = complex && (prim == &prim_eigh || prim == &prim_svd);
    rounding += phase;
    if (prim == &prim_reduce_precision || (complex && prim == &prim_sign)) {
        rounding++;
        return;
    }
    if (!phase) check_jvp(a, wide, f, jvp);
    check_vjp(a, wide, f, jvp);
    check_transposes(a, prim, wide, f);
}

int main(int argc, char **argv)
{
    if (!prop_main(argc, argv)) return check_done();
    prop_over_cases(check_case, argc, argv);
    for (const op_prim *const *r = op_prims; *r; r++)
        if (!tested(*r) && prop_is_wanted(*r, argc, argv))
            CHECK_SKIP("%s: a collective or an effect, not a function of its operands", (*r)->name);
    if (skipped_jvp) CHECK_SKIP("%d cases have no derivative, or none in f64", skipped_jvp);
    if (skipped_vjp) CHECK_SKIP("%d cases have a derivative forward only", skipped_vjp);
    if (rounding) CHECK_SKIP("%d cases round: differences do not see their derivative", rounding);
    if (not_finite) CHECK_SKIP("%d cases are infinite everywhere", not_finite);
    return check_done();
}
