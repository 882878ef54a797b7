/* experts.c - a mixture of experts against its definition in double: choices, places, dropped ones, the loss; on a mesh
 * with experts and rows over one axis; attention that goes round a ring against attention at once, with gradients. */
#include "check.h"

#include <math.h>
#include <string.h>
#include <tutti.h>

enum { G = 8, N = 12, F = 4, E = 4, H = 6, TOP = 2 };
static double capacity = 1;
static tt_val net(tt_nn m, tt_val x)
{
    return tt_moe(m, "moe", x, E, H, .top = TOP, .capacity = capacity, .axes = "expert, embed, hidden");
}

static void near(const char *what, tt_val a, tt_val b, double most)
{
    const double far = tt_num(tt_amax(tt_abs(tt_sub(a, b))));
    CHECK(far <= most, "%s: %g apart %s", what, far, tt_ok() ? "" : tt_error());
}

static struct { float x[G][N][F], router[F][E], up[E][F][H], gate[E][F][H], down[E][H][F]; } w;

static void expert(int e, const float *x, double by, double *y)
{
    for (int h = 0; h < H; h++) {
        double up = 0, gate = 0;
        for (int f = 0; f < F; f++) up += (double)x[f] * w.up[e][f][h], gate += (double)x[f] * w.gate[e][f][h];
        for (int f = 0; f < F; f++) y[f] += by * gate / (1 + exp(-gate)) * up * w.down[e][h][f];
    }
}

/* A group by the definition; returns the number of choices without a place. */
static int group(int g, int places, double y[N][F], double share[E], double mean[E])
{
    int taken[E] = { 0 }, dropped = 0, best[N][TOP];
    double p[N][E];
    for (int t = 0; t < N; t++) {
        double sum = 0;
        for (int e = 0; e < E; e++) {
            double l = 0;
            for (int f = 0; f < F; f++) l += (double)w.x[g][t][f] * w.router[f][e];
            sum += p[t][e] = exp(l);
        }
        for (int e = 0; e < E; e++) mean[e] += p[t][e] / sum;
        for (int k = 0; k < TOP; k++) {
            best[t][k] = -1;
            for (int e = 0; e < E; e++)
                if (!(k && e == best[t][0]) && (best[t][k] < 0 || p[t][e] > p[t][best[t][k]])) best[t][k] = e;
        }
        share[best[t][0]]++;
    }
    for (int k = 0; k < TOP; k++)
        for (int t = 0; t < N; t++) {
            const int e = best[t][k];
            const double all = p[t][best[t][0]] + p[t][best[t][1]];
            if (taken[e]++ < places) expert(e, w.x[g][t], p[t][e] / all, y[t]);
            else dropped++;
        }
    return dropped;
}

static void experts(double factor)
{
    static double y[G][N][F];
    float got[G][N][F];
    double share[E] = { 0 }, mean[E] = { 0 }, loss = 0;
    const tt_val x = tt_normal(tt_key(1), TT_F32, G, N, F), v = tt_init(net, tt_key(0), x);
    tt_val out, l, d;
    int dropped = 0, places = (int)ceil(N * TOP * factor / E);
    capacity = factor;
    memset(y, 0, sizeof y);
    CHECK(tt_read(x, w.x, sizeof w.x) && tt_read(tt_get(v, "moe.router.kernel"), w.router, sizeof w.router) &&
              tt_read(tt_get(v, "moe.up"), w.up, sizeof w.up) &&
              tt_read(tt_get(v, "moe.gate"), w.gate, sizeof w.gate) &&
              tt_read(tt_get(v, "moe.down"), w.down, sizeof w.down), "%s", tt_error());
    for (int g = 0; g < G; g++) dropped += group(g, places < N ? places : N, y[g], share, mean);
    for (int e = 0; e < E; e++) loss += E * share[e] / (G * N) * mean[e] / (G * N);
    tt_unpack(tt_apply(net, v, x), &out, &l, &d);
    CHECK(tt_read(out, got, sizeof got), "%s", tt_error());
    for (int i = 0; i < G * N * F; i++)
        CHECK(fabs((&got[0][0][0])[i] - (&y[0][0][0])[i]) < 1e-5, "[%d]: %g, expected %g", i,
              (double)(&got[0][0][0])[i], (&y[0][0][0])[i]);
    CHECK(tt_num(d) == dropped && (factor < 2 ? dropped > 0 : dropped == 0), "dropped %g, expected %d", tt_num(d),
          dropped);
    CHECK(fabs(tt_num(l) - loss) < 1e-5, "loss %g, expected %g", tt_num(l), loss);
}

static tt_val objective(tt_val v, tt_val x)
{
    tt_val y, l, d;
    tt_unpack(tt_apply(net, v, x), &y, &l, &d);
    return tt_add(tt_mean(tt_square(y)), tt_mul(tt_f(0.01), l));
}

static void on_a_mesh(void)
{
    const tt_mesh mesh = tt_mesh("data:4");
    const tt_val x = tt_normal(tt_key(1), TT_F32, G, N, F), v = tt_init(net, tt_key(0), x);
    const tt_fn f = tt_jit(tt_value_and_grad(objective), .mesh = mesh, .rules = "batch:data, expert:data");
    const tt_val one = tt_call(tt_value_and_grad(objective), v, x), four = tt_call(f, v, tt_shard(x, mesh, "data"));
    near("the loss on four devices", tt_item(one, 0), tt_item(four, 0), 1e-6);
    near("the gradient on four devices", tt_global_norm(tt_sub(tt_item(one, 1), tt_item(four, 1))), tt_f(0), 1e-6);
    const tt_val e = tt_get(tt_item(four, 1), "moe.up");
    CHECK(!strncmp(tt_spec(e), "data", 4), "the gradient of the experts is laid out \"%s\"", tt_spec(e));
}

/* ---- a ring ---- */

enum { B = 2, T = 16, Q = 4, K = 2, D = 6 };
typedef struct { int causal, zigzag; } how;
static tt_val part(void *env, int n, const tt_val *x)
{
    const how *o = env;
    (void)n;
    return tt_ring_attention(x[0], x[1], x[2], "seq", .causal = o->causal, .zigzag = o->zigzag);
}
static tt_val once(void *env, int n, const tt_val *x)
{
    (void)n;
    return tt_attention(x[0], x[1], x[2], .causal = ((const how *)env)->causal);
}

/* The sequence in the order in which devices have it. */
static tt_val ordered(tt_val x, int64_t n, const how *o)
{
    int32_t at[T];
    const int64_t half = T / (2 * n);
    for (int64_t i = 0; i < T; i++) {
        const int64_t device = i / (2 * half), in = i % (2 * half);
        at[i] = (int32_t)(!o->zigzag ? i : in < half ? device * half + in : (2 * n - 1 - device) * half + in - half);
    }
    return tt_take(x, tt_array(TT_I32, at, T), 1);
}

static void rings(const char *axis, int64_t n, how o, tt_dtype d)
{
    const double eps = d == TT_F64 ? 1e-15 : 1e-6;
    const tt_val q = tt_normal(tt_key(1), d, B, T, Q, D), k = tt_normal(tt_key(2), d, B, T, K, D);
    const tt_val v = tt_normal(tt_key(3), d, B, T, K, D), c = tt_normal(tt_key(4), d, B, T, Q, D);
    const tt_fn block = tt_bind_env("part", part, &o, sizeof o, 3), whole = tt_bind_env("once", once, &o, sizeof o, 3);
    const tt_fn ring = tt_shard_map(block, .mesh = tt_mesh(axis), .in = "_, seq", .out = "_, seq");
    const tt_val x = tt_tuple(ordered(q, n, &o), ordered(k, n, &o), ordered(v, n, &o));
    const tt_val one = tt_call(tt_vjp(whole), tt_tuple(q, k, v), c);
    const tt_val all = tt_call(tt_jit(tt_vjp(ring)), x, ordered(c, n, &o));
    near("values", ordered(tt_item(one, 0), n, &o), tt_item(all, 0), 2 * eps);
    for (int i = 0; i < 3; i++)
        near("gradients", ordered(tt_item(tt_item(one, 1), i), n, &o), tt_item(tt_item(all, 1), i), 20 * eps);
}

static tt_val narrow(int seed, int64_t heads)            /* large numbers of bf16 */
{
    return tt_cast(tt_mul(tt_normal(tt_key(seed), TT_F32, B, T, heads, D), tt_f(6)), TT_BF16);
}

/* Where nearly all of the weight is on one key, the two sums of the gradient by a logit cancel. */
static void saturated(void)
{
    how o = { 1, 0 };
    const tt_val q = narrow(1, Q), k = narrow(2, K), v = narrow(3, K), c = narrow(4, Q);
    const tt_fn block = tt_bind_env("part", part, &o, sizeof o, 3), whole = tt_bind_env("once", once, &o, sizeof o, 3);
    const tt_fn ring = tt_shard_map(block, .mesh = tt_mesh("seq:4"), .in = "_, seq", .out = "_, seq");
    const tt_val all = tt_item(tt_call(tt_vjp(ring), tt_tuple(q, k, v), c), 1);
    const tt_val wide = tt_cast(tt_tuple(q, k, v), TT_F32);
    const tt_val one = tt_item(tt_call(tt_vjp(whole), wide, tt_cast(c, TT_F32)), 1);
    for (int i = 0; i < 2; i++) {
        const tt_val exact = tt_item(one, i);
        near("a gradient of bf16", tt_cast(tt_item(all, i), TT_F32), exact, 0.01 * tt_num(tt_amax(tt_abs(exact))));
    }
}

static void refused(const char *part_of)
{
    CHECK(!tt_ok() && strstr(tt_error(), part_of), "%s", tt_ok() ? "no error" : tt_error());
    tt_clear();
}

static tt_val too_many(tt_nn m, tt_val x) { return tt_item(tt_moe(m, "moe", x, 2, H, .top = 3), 0); }
static tt_val two_axes(tt_nn m, tt_val x) { return tt_item(tt_moe(m, "moe", x, 2, H, .axes = "expert, embed"), 0); }

static void refusals(void)
{
    const tt_val x = tt_ones(TT_F32, G, N, F);
    tt_init(too_many, tt_key(0), x);
    refused("moe: .top = 3 of 2 experts");
    tt_init(two_axes, tt_key(0), x);
    refused("moe: .axes = \"expert, embed\"; expected three names");
    tt_ring_attention(x, x, x, "seq");
    refused("ring_attention: queries f32[8, 12, 4]");
}

static void quiet(const tt_error_info *e, void *env) { (void)e; (void)env; }

int main(int argc, char **argv)
{
    check_main(argc, argv);
    tt_on_error(quiet, NULL);
    CHECK_RUN(experts(1));
    CHECK_RUN(experts(0.5));
    CHECK_RUN(experts(2));
    CHECK_RUN(on_a_mesh());
    CHECK_RUN(rings("seq:4", 4, (how){ 0, 0 }, TT_F32));
    CHECK_RUN(rings("seq:4", 4, (how){ 1, 0 }, TT_F32));
    CHECK_RUN(rings("seq:8", 8, (how){ 1, 1 }, TT_F32));
    CHECK_RUN(rings("seq:8", 8, (how){ 1, 1 }, TT_F64));
    CHECK_RUN(rings("seq:1", 1, (how){ 1, 0 }, TT_F32));
    CHECK_RUN(saturated());
    CHECK_RUN(refusals());
    CHECK(tt_ok(), "%s", tt_error());
    tt_done();
    return check_done();
}
