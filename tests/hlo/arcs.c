/* arcs.c - CHLO's inverse functions of complex numbers as they are imported: values and derivatives of both modes,
 * which are the library's own functions', also where a form that is not selected has no finite derivative. */
#include "check.h"

#include <math.h>
#include <string.h>
#include <tutti.h>

enum { N = 12 };
static const float points[2 * N] = { -1.3f, 0.4f, -0.2f, -1.5f, 0.3f, 0.2f, 2, -1, -2.5f, 0.1f, 0.5f, -0.8f,
                                     -0.4f, 0.3f, 1.5f, 0.7f, -0.5f, 0.001f, 0.001f, -0.5f, 1e-20f, 3, 40, -1e-20f };

static tt_val native(const char *name, tt_val z)
{
    if (!strcmp(name, "asin")) return tt_asin(z);
    if (!strcmp(name, "acos")) return tt_acos(z);
    if (!strcmp(name, "atan")) return tt_atan(z);
    if (!strcmp(name, "asinh")) return tt_asinh(z);
    return strcmp(name, "acosh") ? tt_atanh(z) : tt_acosh(z);
}

typedef struct { const char *name; tt_fn imported; int64_t own; } which;
static tt_val value(void *env, int n, const tt_val *v)
{
    const which *const w = env;
    (void)n;
    return w->own ? native(w->name, v[0]) : tt_call(w->imported, v[0]);
}
static tt_fn function(which w, int own)
{
    w.own = own;
    return tt_bind_env(NULL, value, &w, sizeof w, 1);
}
static tt_val forward(void *env, int n, const tt_val *v)
{
    const tt_val y = tt_call(tt_jvp(*(tt_fn *)env), tt_tuple(v[0]), tt_tuple(v[1]));
    (void)n;
    return tt_item(y, 1);
}
static tt_val size_of(void *env, int n, const tt_val *v) /* |f(z)|^2, of which the gradient is the reverse mode's */
{
    const tt_val y = tt_call(*(tt_fn *)env, v[0]);
    (void)n;
    return tt_sum(tt_real(tt_mul(y, tt_conj(y))));
}

static void close_to(const char *name, const char *what, tt_val a, tt_val b)
{
    const tt_val off = tt_abs(tt_sub(a, b)), bound = tt_add(tt_mul(tt_abs(b), tt_f(2e-6)), tt_f(1e-12));
    CHECK(tt_num(tt_all(tt_le(off, bound))) == 1, "%s: %s: %s", name, what, tt_ok() ? "too far off" : tt_error());
    tt_clear();
}

static void arc(const char *name)
{
    char text[400];
    const tt_val z = tt_array(TT_C64, points, N), one = tt_cast(tt_full(1, TT_F32, N), TT_C64);
    snprintf(text, sizeof text, "func.func @main(%%z: tensor<%dxcomplex<f32>>) -> tensor<%dxcomplex<f32>> {\n"
             "  %%0 = chlo.%s %%z : tensor<%dxcomplex<f32>> -> tensor<%dxcomplex<f32>>\n"
             "  return %%0 : tensor<%dxcomplex<f32>>\n}\n", N, N, name, N, N, N);
    const which w = { name, tt_import(text), 0 };
    tt_fn f[2] = { function(w, 0), function(w, 1) };
    close_to(name, "value", tt_call(f[0], z), tt_call(f[1], z));
    tt_val d[2], g[2], h[2];
    for (int i = 0; i < 2; i++) {
        d[i] = tt_call(tt_jit(tt_bind_env(NULL, forward, &f[i], sizeof f[i], 2)), z, one);
        const tt_fn loss = tt_bind_env(NULL, size_of, &f[i], sizeof f[i], 1);
        g[i] = tt_call(tt_jit(tt_grad(loss)), z), h[i] = tt_call(tt_grad(loss), z);
    }
    close_to(name, "forward", d[0], d[1]);
    close_to(name, "reverse", g[0], g[1]);
    close_to(name, "reverse, at once", h[0], h[1]);
}

int main(int argc, char **argv)
{
    static const char *const names[] = { "asin", "acos", "atan", "asinh", "acosh", "atanh" };
    check_main(argc, argv);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) CHECK_RUN(arc(names[i]));
    tt_done();
    return check_done();
}
