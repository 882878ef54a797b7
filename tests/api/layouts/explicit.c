/* Explicit mesh axes: layouts are known while a function is traced, forward only; what does not follow is an error
 * that says what to write (tests/api/errors/errors.c has their texts). Each program also gives what it gives on one
 * device. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tutti.h>

#include "check.h"

static tt_mesh mesh, mixed;
static const char *seen[8];                              /* specs that a function under trace saw */
static int nseen;

static tt_val see(tt_val v)
{
    if (nseen < 8) seen[nseen++] = tt_spec(v);
    return v;
}

static tt_val rows(tt_val x, tt_val w) { return tt_sum(see(tt_relu(tt_matmul(x, w))), .dims = "1"); }
static tt_val summed(tt_val x, tt_val w) { return see(tt_shard(tt_matmul(x, w), tt_mesh_of(x), "data, _")); }
static tt_val scattered(tt_val x, tt_val w)
{
    return see(tt_shard(tt_transpose(tt_matmul(x, w)), tt_mesh_of(x), "model, data"));
}
static tt_val gathered(tt_val x, tt_val w) { return see(tt_matmul(x, w)); }
static tt_val loss(tt_val w, tt_val x) { return tt_mean(tt_square(tt_matmul(x, w))); }
static tt_val gradient(tt_val w, tt_val x) { return see(tt_call(tt_grad(loss), w, x)); }
static tt_val both(tt_val w, tt_val x) { return see(tt_item(tt_call(tt_value_and_grad(loss), w, x), 1)); }
static tt_val turn(tt_val c, tt_val x) { see(x); return tt_tuple(tt_mul(see(c), tt_f(2)), tt_add(c, x)); }
static tt_val loop(tt_val c, tt_val xs) { return see(tt_item(tt_scan(turn, c, xs), 1)); }
static tt_val reduced(tt_val a) { return tt_psum(see(a), "data"); }
static tt_val region(tt_val a)
{
    return see(tt_call(tt_shard_map(reduced, .mesh = tt_mesh_of(a), .in = "data", .out = "_", .axes = "data"), a));
}
static tt_val reshaped(tt_val x) { return see(tt_reshape(x, 4, 2, 4)); }
static tt_val broadcast(tt_val x) { return see(tt_add(x, tt_arange(TT_F32, 4))); }
static tt_val twice(tt_val x) { return tt_add(x, x); }
static tt_val mapped(tt_val x) { return see(tt_call(tt_vmap(twice), x)); }

static bool near(tt_val a, tt_val b)
{
    float x[64], y[64];
    if (tt_count(a) != tt_count(b) || tt_count(a) > 64) return false;
    if (!tt_read(a, x, tt_bytes(a)) || !tt_read(b, y, tt_bytes(b))) return false;
    for (int i = 0; i < tt_count(a); i++) if (!(fabsf(x[i] - y[i]) <= 1e-5f * (1 + fabsf(y[i])))) return false;
    return true;
}

/* What was seen inside, in turn, and how the result is laid out; as on one device. */
static void check_layouts(const char *what, tt_fn f, tt_val a, tt_val b, const char *inside, const char *result)
{
    char specs[256] = "";
    const bool one = !tt_is_traced(b) && tt_items(b) == 0 && tt_rank(b) < 0;
    nseen = 0;
    tt_val y = one ? tt_call(tt_jit(f), a) : tt_call(tt_jit(f), a, b);
    for (int i = 0; i < nseen; i++)
        snprintf(specs + strlen(specs), sizeof specs - strlen(specs), "%s%s", i ? "; " : "", seen[i] ? seen[i]
                 : "open");
    CHECK(tt_ok() && !strcmp(specs, inside), "%s: %s, not %s", what, specs, inside);
    CHECK(!strcmp(tt_spec(y), result), "%s: the result is laid out as %s", what, tt_spec(y));
}

static tt_val made(int64_t n, int64_t m)
{
    return tt_sub(tt_div(tt_reshape(tt_arange(TT_F32, n * m), n, m), tt_f(7)), tt_f(2));
}

static void all(tt_mesh m)
{
    tt_val x = made(8, 4), w = made(4, 8), c = tt_arange(TT_F32, 8), none = tt_none();
    tt_val xr = tt_shard(x, m, "data, _"), wc = tt_shard(w, m, "_, model"), xk = tt_shard(x, m, "data, model");
    tt_val wk = tt_shard(w, m, "model, _"), cd = tt_shard(c, m, "data");
    check_layouts("rows", TT_FN(rows), xr, wc, "data, model", "data");
    check_layouts("a sum that is asked for", TT_FN(summed), xk, wk, "data, _", "data, _");
    check_layouts("a sum that is scattered", TT_FN(scattered), xk, wk, "model, data", "model, data");
    check_layouts("one operand is gathered", TT_FN(gathered), xk, wc, "data, model", "data, model");
    check_layouts("a gradient is laid out as its primal", TT_FN(gradient), wk, xr, "model, _", "model, _");
    check_layouts("and with the value", TT_FN(both), wc, xr, "_, model", "_, model");
    check_layouts("a scan", TT_FN(loop), cd, tt_shard(made(3, 8), m, "_, data"), "data; data; _, data", "_, data");
    check_layouts("a manual region over some axes", TT_FN(region), xk, none, "_, model; _, model", "_, model");
    check_layouts("a dim that is split", TT_FN(reshaped), xk, none, "data, _, model", "data, _, model");
    check_layouts("a whole operand beside one that is cut", TT_FN(broadcast), xk, none, "data, model", "data, model");
    check_layouts("a map", TT_FN(mapped), xk, none, "data, model", "data, model");
}

static void same_values(tt_mesh m)
{
    tt_val x = made(8, 4), w = made(4, 8);
    tt_val xk = tt_shard(x, m, "data, model"), wk = tt_shard(w, m, "model, _"), wc = tt_shard(w, m, "_, model");
    tt_val plain = tt_call(tt_jit(gradient), w, x);
    CHECK(near(tt_call(tt_jit(gradient), wk, tt_shard(x, m, "data")), plain), "gradient");
    CHECK(near(tt_call(tt_jit(summed), xk, wk), tt_matmul(x, w)), "summed");
    CHECK(near(tt_call(tt_jit(rows), xk, wc), tt_call(tt_jit(rows), x, w)), "rows");
    CHECK(near(tt_matmul(xk, wc), tt_matmul(x, w)), "eager");
    CHECK(!strcmp(tt_spec(tt_exp(xk)), "data, model") && !strcmp(tt_spec(tt_matmul(xk, wc)), "data, model"),
          "eager layouts");
    CHECK(near(tt_call(tt_jit(region), xk), tt_add(tt_dynamic_slice(x, 0, tt_i(0), 4),
        tt_dynamic_slice(x, 0, tt_i(4), 4))), "region");
}

/* Axes that are not explicit stay the compiler's. */
static void automatic_beside(void)
{
    tt_val x = tt_shard(made(8, 4), mixed, "data, _"), w = tt_shard(made(4, 8), mixed, "_, model");
    nseen = 0;
    tt_val y = tt_call(tt_jit(gathered), x, w);
    CHECK(nseen == 1 && seen[0] && !strcmp(seen[0], "data, _"), "%s", seen[0] ? seen[0] : "open");
    CHECK(!strcmp(tt_spec(y), "data, model"), "%s", tt_spec(y));
    tt_val xk = tt_shard(made(8, 4), mixed, "data, model"), wk = tt_shard(made(4, 8), mixed, "model, _");
    y = tt_call(tt_jit(gathered), xk, wk);               /* the sum is over an axis that nobody made explicit */
    CHECK(tt_ok() && near(y, tt_matmul(made(8, 4), made(4, 8))), "%s", tt_error());
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    mesh = tt_mesh("data:2 explicit, model:4 explicit");
    mixed = tt_mesh("data:2 explicit, model:4");
    CHECK_RUN(all(mesh));
    CHECK_RUN(same_values(mesh));
    CHECK_RUN(automatic_beside());
    CHECK(tt_ok(), "%s", tt_error());
    return check_done();
}
