/* transforms.h - shared by the tests of transforms: checks every transform of a function, by no rule of the library.
 *
 *     jvp against central differences; vjp against jvp by inner products; vmap against a loop. sound(text, depth)
 *     checks the
 *     function, and then its vjp in the same way, `depth` times: so derivatives of derivatives are derivatives.
 *     Functions are IR
 *   text in f64; smooth inputs are drawn from (0.15, 0.85). */
#ifndef TUTTI_TESTS_TRANSFORMS_H
#define TUTTI_TESTS_TRANSFORMS_H

#include "prop/primitives.h"
#include "transform/transform.h"

static inline const double *reals(const prop_value *v) { return v->at; }

static inline double inner(const prop_value *a, const prop_value *b)
{
    double s = 0;
    for (int64_t i = 0; i < ir_count(a->type); i++) s += reals(a)[i] * reals(b)[i];
    return s;
}

static inline const ir_type *ret_type(const ir_fn *f, uint32_t j) { return f->type[f->ret[j]]; }

static inline ir_fn *parsed(base_arena *a, const char *text)
{
    ir_fn *f = ir_parse(a, "test", text);
    CHECK(f, "%s\n%s", f ? "" : prop_error(), text);
    return f;
}

static inline prop_value *inputs_of(base_arena *a, const ir_fn *f)
{
    prop_value *x = BASE_NEW(a, prop_value, f->narg + 1);
    for (uint32_t i = 0; i < f->narg; i++) x[i] = prop_fresh(a, f->type[i + 1], PROP_NARROW);
    return x;
}

static inline prop_value *outputs_of(base_arena *a, const ir_fn *f, const prop_value *x)
{
    prop_value *y = BASE_NEW(a, prop_value, f->nret + 1);
    const bool ran = prop_eval(a, f, x, y);
    CHECK(ran, "%s: %s", f->name, ran ? "" : prop_error());
    return ran ? y : NULL;
}

/* Derivative along dx (one per smooth active input) of every smooth result, by Richardson's step on central
 * differences. */
static inline prop_value *differences(base_arena *a, const ir_fn *f, const prop_value *x, const bool *active,
                                      const prop_value *dx)
{
    static const double h[4] = { 1e-4, -1e-4, 5e-5, -5e-5 };
    prop_value *y[4], *dy = BASE_NEW(a, prop_value, f->nret + 1);
    for (int s = 0; s < 4; s++) {
        prop_value *z = BASE_NEW(a, prop_value, f->narg + 1);
        for (uint32_t i = 0, k = 0; i < f->narg; i++) {
            z[i] = x[i];
            if (!active[i] || !transform_smooth(x[i].type)) continue;
            z[i] = prop_new(a, x[i].type);
            for (int64_t j = 0; j < ir_count(x[i].type); j++)
                ((double *)z[i].at)[j] = reals(&x[i])[j] + h[s] * reals(&dx[k])[j];
            k++;
        }
        if (!(y[s] = outputs_of(a, f, z))) return NULL;
    }
    for (uint32_t i = 0, k = 0; i < f->nret; i++) {
        if (!transform_smooth(ret_type(f, i))) continue;
        dy[k] = prop_new(a, ret_type(f, i));
        for (int64_t j = 0; j < ir_count(ret_type(f, i)); j++) {
            const double wide = (reals(&y[0][i])[j] - reals(&y[1][i])[j]) / 2e-4,
                         near = (reals(&y[2][i])[j] - reals(&y[3][i])[j]) / 1e-4;
            ((double *)dy[k].at)[j] = (4 * near - wide) / 3;
        }
        k++;
    }
    return dy;
}

static inline void check_values(const char *what, base_arena *a, const prop_value *got, const prop_value *want,
                                uint32_t n, double tol)
{
    for (uint32_t i = 0; i < n; i++) {
        const char *at = prop_differs(a, &got[i], &want[i], tol);
        CHECK(!at, "%s: result %u %s", what, i, at);
    }
}

/* jvp and vjp in the active smooth inputs. Returns the vjp as a function of all, for the next round. */
static inline ir_fn *check_derivatives(base_arena *a, const char *what, const ir_fn *f, const bool *want)
{
    bool *active = BASE_NEW(a, bool, f->narg + 1);
    uint32_t nact = 0, ny = 0, ni = 0;
    for (uint32_t i = 0; i < f->narg; i++) nact += active[i] = want[i] && transform_smooth(f->type[i + 1]);
    for (uint32_t j = 0; j < f->nret; j++) ny += transform_smooth(ret_type(f, j));
    ir_fn *jvp = transform_jvp(a, f, active);
    CHECK(jvp && ir_verify(jvp), "%s: jvp: %s", what, prop_error());
    ir_fn *vjp = transform_vjp(a, "the test", f, active);
    CHECK(vjp && ir_verify(vjp), "%s: vjp: %s", what, prop_error());
    if (!jvp || !vjp) return NULL;

    prop_value *x = inputs_of(a, f), *in = BASE_NEW(a, prop_value, f->narg + nact + ny + 1), *dx = in + f->narg;
    memcpy(in, x, f->narg * sizeof *x);
    for (uint32_t i = 0; i < f->narg; i++) if (active[i]) dx[ni++] = prop_fresh(a, x[i].type, PROP_WIDE);
    const prop_value *y = outputs_of(a, f, x), *out = outputs_of(a, jvp, in), *dy = differences(a, f, x, active, dx);
    if (!y || !out || !dy) return NULL;
    check_values(base_format(a, "%s: jvp's value", what), a, out, y, f->nret, 1e-12);
    check_values(base_format(a, "%s: jvp", what), a, out + f->nret, dy, ny, 1e-6);

    prop_value *vin = BASE_NEW(a, prop_value, f->narg + ny + 1), *v = vin + f->narg;
    memcpy(vin, x, f->narg * sizeof *x);
    for (uint32_t k = 0; k < ny; k++) v[k] = prop_fresh(a, out[f->nret + k].type, PROP_WIDE);
    const prop_value *back = outputs_of(a, vjp, vin);
    if (!back) return NULL;
    check_values(base_format(a, "%s: vjp's value", what), a, back, y, f->nret, 1e-12);
    double forward = 0, backward = 0;
    for (uint32_t k = 0; k < ny; k++) forward += inner(&out[f->nret + k], &v[k]);
    for (uint32_t k = 0; k < nact; k++) backward += inner(&dx[k], &back[f->nret + k]);
    CHECK(fabs(forward - backward) <= 1e-9 * (1 + fabs(forward)), "%s: <J u, v> = %.12g, <u, J' v> = %.12g\n%s", what,
          forward, backward, ir_print(a, vjp));
    return vjp;
}

static inline void check_vmap(base_arena *a, const char *what, const ir_fn *f, uint32_t set, int64_t n)
{
    bool *mapped = BASE_NEW(a, bool, f->narg + 1);
    for (uint32_t i = 0; i < f->narg; i++) mapped[i] = set >> i & 1;
    ir_fn *g = transform_vmap(a, f, mapped, NULL, NULL, n);
    CHECK(g && ir_verify(g), "%s: vmap %#x: %s", what, set, prop_error());
    if (!g) return;
    const prop_value *x = inputs_of(a, g), *y = outputs_of(a, g, x);
    for (int64_t k = 0; y && k < n; k++) {
        prop_value *xk = BASE_NEW(a, prop_value, f->narg + 1), *got = BASE_NEW(a, prop_value, f->nret + 1);
        for (uint32_t i = 0; i < f->narg; i++) {
            const size_t bytes = (size_t)ir_bytes(f->type[i + 1]);
            xk[i] = mapped[i] ? (prop_value){ f->type[i + 1], (char *)x[i].at + (size_t)k * bytes } : x[i];
        }
        for (uint32_t j = 0; j < f->nret; j++)
            got[j] = (prop_value){ ret_type(f, j), (char *)y[j].at + (size_t)k * (size_t)ir_bytes(ret_type(f, j)) };
        const prop_value *yk = outputs_of(a, f, xk);
        if (yk)
            check_values(base_format(a, "%s: vmap %#x row %lld", what, set, (long long)k), a, got, yk, f->nret, 1e-11);
    }
}

typedef struct { const char *text; int depth; bool all_sets; } sound_job;

static inline void sound_body(void *arg)
{
    const sound_job *job = arg;
    base_arena *a = base_open();
    ir_fn *f = parsed(a, job->text);
    for (int depth = 0; f && depth <= job->depth; depth++) {
        const char *what = base_format(a, "%s, derivative %d", f->name, depth);
        const uint32_t n = f->narg < 6 ? f->narg : 6, all = (1u << n) - 1;
        bool *active = BASE_NEW(a, bool, f->narg + 1);
        for (uint32_t set = 1; job->all_sets && depth == 0 && set < all; set++) {
            uint32_t smooth = 0;
            for (uint32_t i = 0; i < f->narg; i++)
                smooth += active[i] = i < n && set >> i & 1 && transform_smooth(f->type[i + 1]);
            if (smooth) check_derivatives(a, base_format(a, "%s, set %#x", what, set), f, active);
        }
        for (uint32_t set = 1; depth < 2 && set <= all; set++)
            if (job->all_sets || set == all || !(set & (set - 1))) check_vmap(a, what, f, set, set % 3 + 1);
        for (uint32_t i = 0; i < f->narg; i++) active[i] = true;
        f = check_derivatives(a, what, f, active);
    }
    base_close(a);
}

static inline void sound(const char *text, int depth, bool all_sets)
{
    sound_job job = { text, depth, all_sets };
    CHECK(base_catch(sound_body, &job), "out of memory in\n%s", text);
    base_clear_error();
}

#endif
