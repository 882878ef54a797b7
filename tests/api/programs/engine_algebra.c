/* engine_algebra.c - derivatives of linear algebra on the devices of a PJRT library beside the embedded engine's:
 * forward, reverse, mapped, and in a checked manual region, of matrices in parts on four devices. Functions whose value
 * does not depend on signs and orders of vectors, which an engine chooses. PJRT_LIBRARY=FILE: the library. */
#include "engine_word.h"

#include <math.h>
#include <string.h>
#include <tutti.h>

static const char *word;                                 /* "pjrt:FILE" */
static tt_mesh mesh;

enum { BATCH = 4, N = 3, ALL = BATCH * N * N };

static tt_val weights(void) { return tt_add(tt_reshape(tt_arange(TT_F32, N * N), N, N), tt_f(1)); }
static tt_val turned(tt_val a) { return tt_swapaxes(a, -1, -2); }
static tt_val positive(tt_val a) { return tt_add(tt_matmul(a, turned(a)), tt_mul(tt_eye(TT_F32, N), tt_f(2))); }
static tt_val even(tt_val a) { return tt_add(a, turned(a)); }
static tt_val weighed(tt_val x) { return tt_sum(tt_mul(x, weights())); }
static tt_val column(tt_val v) { return tt_expand_dims(v, -2); }

static tt_val cholesky(tt_val a) { return weighed(tt_cholesky(positive(a))); }
static tt_val triangular(tt_val a) { return weighed(tt_triangular_solve(positive(a), a, .lower = 1)); }
static tt_val lu(tt_val a) { return weighed(tt_item(tt_lu(a), 0)); }
static tt_val qr(tt_val a) { return tt_add(weighed(tt_item(tt_qr(a), 0)), weighed(tt_item(tt_qr(a), 1))); }
static tt_val pivoted(tt_val a) { return tt_sum(tt_sin(tt_abs(tt_item(tt_qr_pivoted(a), 1)))); }
static tt_val eigh(tt_val a)
{
    const tt_val y = tt_eigh(even(a)), v = tt_item(y, 1);
    return weighed(tt_matmul(tt_mul(v, column(tt_sin(tt_item(y, 0)))), turned(v)));
}
static tt_val svd(tt_val a)
{
    const tt_val y = tt_svd(a);
    return weighed(tt_matmul(tt_mul(tt_item(y, 0), column(tt_square(tt_item(y, 1)))), tt_item(y, 2)));
}
static tt_val svdvals(tt_val a) { return tt_sum(tt_square(tt_sin(tt_svdvals(a)))); }
static tt_val eig(tt_val a)
{
    const tt_val y = tt_eig(a), w = tt_item(y, 0), v = tt_item(y, 1);
    return tt_sum(tt_mul(tt_square(tt_square(tt_abs(v))), column(tt_square(tt_abs(w)))));
}
static tt_val eigvals(tt_val a) { return tt_sum(tt_real(tt_exp(tt_eigvals(a)))); }
static tt_val solve(tt_val a) { return weighed(tt_solve(a, even(a))); }
static tt_val inv(tt_val a) { return weighed(tt_inv(positive(a))); }
static tt_val det(tt_val a) { return tt_sum(tt_add(tt_det(a), tt_item(tt_slogdet(a), 1))); }
static tt_val pinv(tt_val a) { return weighed(tt_matmul(tt_pinv(a), even(a))); }
static tt_val three(tt_val a)
{
    const tt_val d = tt_add(tt_sum(tt_square(a), .dims = "-1"), tt_f(3)), e = tt_sum(a, .dims = "-2");
    return weighed(tt_tridiagonal_solve(e, d, e, a));
}
static tt_val expm(tt_val a) { return weighed(tt_expm(tt_mul(a, tt_f(0.5)))); }

/* One matrix after the other: a mapping's gradient. */
#define FORM(f) \
    static tt_val f##_forward(tt_val a, tt_val t) { return tt_call(tt_jvp(f), a, t); } \
    static tt_val f##_mapped(tt_val a) { return tt_call(tt_vmap(tt_grad(f)), a); } \
    static tt_val f##_back(tt_val a) { return tt_call(tt_grad(f), a); } \
    static tt_val f##_parts(tt_val a) \
    { \
        return tt_call(tt_shard_map(f##_back, .mesh = mesh, .in = "data", .out = "data"), a); \
    } \
    static tt_val f##_all(tt_val a, tt_val t) \
    { \
        return tt_tuple(tt_item(f##_forward(a, t), 1), f##_back(a), f##_mapped(a), f##_parts(a)); \
    }
#define FORMS(F) F(cholesky) F(triangular) F(lu) F(qr) F(pivoted) F(eigh) F(svd) F(svdvals) F(eig) F(eigvals) F(solve) \
    F(inv) F(det) F(pinv) F(three) F(expm)
FORMS(FORM)

static double off(const float *x, const float *y, int n)
{
    double most = 0, size = 1;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(y[i]));
    for (int i = 0; i < n; i++) if (!(fabs(x[i] - y[i]) <= most)) most = fabs(x[i] - y[i]);
    return most / size;
}

static void of_form(const char *name, tt_fn f)
{
    static const char *const what[] = { "forward", "reverse", "mapped", "in a region" };
    static float y[2][4][ALL];
    for (int engine = 0; engine < 2; engine++) {
        CHECK(tt_engine(engine ? word : "cpu"), "%s", tt_error());
        const tt_scope scope = tt_scope_open();
        mesh = tt_mesh("data:4");
        const tt_val a = tt_shard(tt_normal(tt_key(11), TT_F32, BATCH, N, N), mesh, "data"),
                     t = tt_shard(tt_normal(tt_key(12), TT_F32, BATCH, N, N), mesh, "data"), all = tt_call(f, a, t);
        for (int i = 0; i < 4; i++) tt_read(tt_item(all, i), y[engine][i], (i ? ALL : 1) * sizeof(float));
        CHECK(tt_ok(), "%s: %s", name, tt_error());
        tt_clear();
        tt_scope_close(scope);
    }
    for (int i = 0; i < 4; i++) {
        const double d = off(y[1][i], y[0][i], i ? ALL : 1);
        CHECK(d < 2e-4, "%s, %s: off by %g", name, what[i], d);
    }
    CHECK(off(y[0][2], y[0][1], ALL) < 1e-5 && off(y[0][3], y[0][1], ALL) < 1e-5, "%s: the embedded engine's differ",
          name);
}

static tt_val schur(tt_val a) { return tt_sum(tt_item(tt_schur(a), 0)); }
static tt_val hessenberg(tt_val a) { return tt_sum(tt_item(tt_hessenberg(a), 0)); }
static tt_val tridiagonal(tt_val a) { return tt_sum(tt_item(tt_tridiagonal(even(a)), 0)); }
static tt_val full(tt_val a) { return tt_sum(tt_item(tt_svd(a, .full = 1), 0)); }

/* What has no derivative has none there. */
static void without(void)
{
    const tt_fn none[] = { tt_grad(schur), tt_grad(hessenberg), tt_grad(tridiagonal), tt_grad(full) };
    CHECK(tt_engine(word), "%s", tt_error());
    const tt_val a = tt_ones(TT_F32, 2, 3);
    for (int i = 0; i < 4; i++) {
        tt_call(none[i], i < 3 ? tt_eye(TT_F32, N) : a);
        CHECK(!tt_ok() && strstr(tt_error(), "derivative"), "%d: %s", i, tt_error());
        tt_clear();
    }
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    if (!(word = engine_word())) return check_done();
    CHECK(tt_engine(word), "%s", tt_error());
#define RUN(f) CHECK_RUN(of_form(#f, tt_jit(f##_all)));
    FORMS(RUN)
    CHECK_RUN(without());
    CHECK(tt_done() == 0, "%s", tt_error());
    return check_done();
}
