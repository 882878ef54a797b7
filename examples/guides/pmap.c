/* pmap.c - the note on pmap: a convolution under vmap and pmap, in_axes, collectives, nesting; then linear regression
 * on all devices.
 *
 * pmap [DEVICES [KEY [X.npy Y.npy]]]: by default 8 devices in this process, key 123, and points of its own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <tutti.h>

/* ---- from vmap to pmap ---- */

static tt_val convolve(tt_val x, tt_val w)               /* y[i] = x[i] w[0] + x[i + 1] w[1] + x[i + 2] w[2] */
{
    const int64_t n = tt_dim(x, 0) - 2;
    tt_val y = tt_zeros(TT_F32, n);
    for (int k = 0; k < 3; k++) y = tt_add(y, tt_mul(tt_slice(x, 0, k, k + n, 1), tt_take(w, tt_i(k), 0)));
    return y;
}

static tt_val normalized(tt_val x, tt_val w)             /* divided by the sum over all devices */
{
    const tt_val y = convolve(x, w);
    return tt_div(y, tt_psum(y, "p"));
}

static tt_val rows(tt_val xs, tt_val ws) { return tt_call(tt_vmap(convolve), xs, ws); }

static void convolutions(int64_t n)
{
    tt_val x = tt_arange(TT_F32, 5), w = tt_array(TT_F32, ((float[]){ 2, 3, 4 }), 3);
    tt_val xs = tt_reshape(tt_arange(TT_F32, 5 * n), n, 5), ws = tt_broadcast(w, n, 3);
    tt_fn  p = tt_pmap(convolve);                        /* compiled like a jit */
    tt_show(convolve(x, w));
    tt_show(tt_call(tt_vmap(convolve), xs, ws));
    tt_show(tt_call(p, xs, ws));                         /* the same function, a row per device: it stays there */
    tt_show(tt_call(p, xs, tt_call(p, xs, ws)));
    tt_show(tt_call(tt_pmap(convolve, .in = "0; _"), xs, w));                    /* in_axes: w goes to all of them */
    tt_show(tt_call(tt_pmap(normalized, .axis = "p"), xs, ws));
    tt_show(tt_call(tt_pmap(rows), tt_reshape(xs, n, 1, 5), tt_reshape(ws, n, 1, 3)));   /* vmap in pmap */
}

/* ---- linear regression ---- */

static const double RATE = 0.005;
TT_RECORD(lin, weight, bias);

static tt_val init(tt_val key)
{
    const tt_val k = tt_split(key, 2);
    return lin_val((lin){ tt_normal(tt_take(k, tt_i(0), 0), TT_F32), tt_normal(tt_take(k, tt_i(1), 0), TT_F32) });
}

static tt_val loss(tt_val params, tt_val x, tt_val y)
{
    const lin p = lin_of(params);
    return tt_mean(tt_square(tt_sub(tt_add(tt_mul(p.weight, x), p.bias), y)));
}

static tt_val update(tt_val params, tt_val x, tt_val y)  /* one device's step; the means keep all in step */
{
    tt_val l, g;
    tt_unpack(tt_pmean(tt_call(tt_value_and_grad(loss), params, x, y), "num_devices"), &l, &g);
    return tt_tuple(tt_sub(params, tt_mul(g, tt_f(RATE))), l);
}

static tt_val split(tt_val v, int64_t n) { return tt_reshape(v, n, tt_dim(v, 0) / n, 1); }

static void after_update(const char *name, tt_val v)
{
    printf("after first `update()`, `%s` is %s%s\n", name, tt_type_text(v), *tt_spec(v) ? ", on the devices" : "");
}

int main(int argc, char **argv)
{
    const int64_t n = argc > 1 ? atoll(argv[1]) : 8, seed = argc > 2 ? atoll(argv[2]) : 123;
    char mesh[32];
    snprintf(mesh, sizeof mesh, "num_devices:%d", (int)n);
    printf("%d devices\n", (int)n);
    tt_set_random_layout("original");                    /* as jax did when the note was written */
    convolutions(n);

    tt_val xs = argc > 4 ? tt_read_npy(argv[3]) : tt_normal(tt_key(1), TT_F32, 128, 1);
    tt_val noise = tt_normal(tt_key(2), TT_F32, 128, 1);
    tt_val ys = argc > 4 ? tt_read_npy(argv[4]) : TT_E("2*xs - 1 + 0.5*noise", xs, noise);
    tt_val params = tt_replicate(init(tt_key(seed)), tt_mesh(mesh));
    tt_val x = split(xs, n), y = split(ys, n);
    tt_fn  step = tt_pmap(update, .axis = "num_devices");
    for (tt_loop it = tt_steps(1000); tt_next(&it); ) {
        tt_val out = tt_call(step, params, x, y), l = tt_item(out, 1);
        tt_assign(&params, tt_item(out, 0));
        if (it.i == 0) {
            after_update("replicated_params.weight", lin_of(params).weight);
            after_update("loss", l);
            after_update("x_split", x);
        }
        if (it.i % 100 == 0) printf("Step %3d, loss: %.3f\n", (int)it.i, tt_num(tt_take(l, tt_i(0), 0)));
    }
    const lin p = lin_of(tt_unreplicate(params));
    printf("w = %.9g, b = %.9g\n", tt_num(p.weight), tt_num(p.bias));
    return tt_done();
}
