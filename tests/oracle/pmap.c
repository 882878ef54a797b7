/* oracle/pmap.c - kinds `convolve`, `regression`, `perms`: the pmap note. */
#include "kinds.h"

#include "data/data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* conv(x, w)[i - 1] = x[i-1] w0 + x[i] w1 + x[i+1] w2 */
static tt_val convolve(tt_val x, tt_val w)
{
    const int64_t n = tt_dim(x, 0);
    tt_val sum = tt_none();
    for (int k = 0; k < 3; k++) {
        const tt_val t = tt_mul(tt_slice(x, 0, k, n - 2 + k, 1), tt_take(w, tt_i(k), 0));
        sum = k ? tt_add(sum, t) : t;
    }
    return sum;
}

static tt_val normalised(tt_val x, tt_val w)
{
    const tt_val y = convolve(x, w);
    return tt_div(y, tt_psum(y, "p"));
}

static tt_mesh line(int64_t n)
{
    char text[32];
    snprintf(text, sizeof text, "p:%lld", (long long)n);
    return tt_mesh(text);
}

static int64_t devices;
static tt_fn p_convolve(void) { return tt_pmap(convolve, .mesh = line(devices), .axis = "p"); }
static tt_val through_pmap(tt_val xs, tt_val ws) { return tt_call(p_convolve(), xs, ws); }
static tt_val through_vmap(tt_val xs, tt_val ws) { return tt_call(tt_vmap(convolve), xs, ws); }
static tt_val total(tt_val xs, tt_val ws) { return tt_sum(through_pmap(xs, ws)); }

void oracle_convolve(oracle_case *c)
{
    const tt_val xs = oracle_in(c, 0), ws = oracle_in(c, 1);
    const char *f = c->fn;
    tt_val y;
    devices = oracle_int(c->params, "n", 1);
    if (!strcmp(f, "vmap")) y = through_vmap(xs, ws);
    else if (!strcmp(f, "pmap")) y = through_pmap(xs, ws);
    else if (!strcmp(f, "pmap_broadcast"))
        y = tt_call(tt_pmap(convolve, .mesh = line(devices), .axis = "p", .in = "0; _"), xs, ws);
    else if (!strcmp(f, "pmap_chain")) y = through_pmap(xs, tt_slice(through_pmap(xs, ws), 1, 0, 3, 1));
    else if (!strcmp(f, "pmap_normalised"))
        y = tt_call(tt_pmap(normalised, .mesh = line(devices), .axis = "p"), xs, ws);
    else if (!strcmp(f, "vmap_normalised")) y = tt_call(tt_vmap(normalised, .axis = "p"), xs, ws);
    else if (!strcmp(f, "vmap_pmap")) y = tt_call(tt_vmap(through_pmap), xs, ws);
    else if (!strcmp(f, "pmap_vmap")) y = tt_call(tt_pmap(through_vmap, .mesh = line(devices), .axis = "p"), xs, ws);
    else if (!strcmp(f, "pmap_axes"))
        y = tt_call(tt_pmap(convolve, .mesh = line(devices), .axis = "p", .in = "1; 1", .out = "1"), xs, ws);
    else if (!strcmp(f, "grad_pmap")) {
        const tt_val g = tt_call(tt_grad(total, .wrt = "0, 1"), xs, ws);
        for (int i = 0; i < 2; i++) oracle_expect(c, i, tt_item(g, i));
        return;
    } else {
        oracle_unknown(c, f);
        return;
    }
    if (c->nout) oracle_expect(c, 0, y);
}

/* ---- linear regression ---- */

static tt_val loss(tt_val p, tt_val x, tt_val y)
{
    const tt_val guess = tt_add(tt_mul(tt_item(p, 0), x), tt_item(p, 1));
    return tt_mean(tt_square(tt_sub(guess, y)));
}

static tt_val update(void *env, int n, const tt_val *a)          /* p, x, y */
{
    const double *rate = env;
    tt_val l, g;
    (void)n;
    tt_unpack(tt_call(tt_value_and_grad(loss), a[0], a[1], a[2]), &l, &g);
    g = tt_pmean(g, "num_devices");
    l = tt_pmean(l, "num_devices");
    return tt_tuple(tt_sub(a[0], tt_mul(tt_full(*rate, TT_F32), g)), l);
}

static tt_val blocks(tt_val v, int64_t n) { return tt_reshape(v, n, tt_dim(v, 0) / n, 1); }

void oracle_regression(oracle_case *c)
{
    const json_t *q = c->params;
    const int64_t n = oracle_int(q, "n", 1), steps = oracle_int(q, "steps", 1), every = oracle_int(q, "every", 100);
    char mesh[48], *text = calloc((size_t)(steps / every + 2), 64);
    float *losses = calloc((size_t)steps, sizeof *losses);
    tt_val p, w, b;
    double rate = oracle_real(q, "rate", 0.1);
    snprintf(mesh, sizeof mesh, "num_devices:%lld", (long long)n);
    tt_set_random_layout(oracle_text(q, "layout", NULL));
    const tt_val keys = tt_split(tt_key(oracle_int(q, "key", 0)), 2);
    w = tt_normal(tt_take(keys, tt_i(0), 0), TT_F32);
    b = tt_normal(tt_take(keys, tt_i(1), 0), TT_F32);
    tt_set_random_layout(NULL);
    oracle_expect(c, 0, w);
    oracle_expect(c, 1, b);
    const tt_mesh m = tt_mesh(mesh);
    p = tt_replicate(tt_tuple(w, b), m);
    const tt_val x = blocks(oracle_in(c, 0), n), y = blocks(oracle_in(c, 1), n);
    const tt_fn f = tt_pmap(tt_bind_env("update", update, &rate, sizeof rate, 3), .mesh = m, .axis = "num_devices");
    for (tt_loop it = tt_steps(steps); tt_next(&it);) {
        const tt_val out = tt_call(f, p, x, y);
        tt_assign(&p, tt_item(out, 0));
        losses[it.i] = (float)tt_num(tt_take(tt_item(out, 1), tt_i(0), 0));
        if (it.i % every == 0)
            snprintf(text + strlen(text), 64, "Step %3d, loss: %.3f\n", (int)it.i, (double)losses[it.i]);
    }
    oracle_expect(c, 2, tt_array(TT_F32, losses, steps));
    oracle_expect(c, 3, tt_item(p, 0));
    oracle_expect(c, 4, tt_item(p, 1));
    if (oracle_has(c->json, "text")) oracle_expect_text(c, text);
    free(losses);
    free(text);
}

/* ---- batches ---- */

void oracle_perms(oracle_case *c)
{
    const json_t *q = c->params;
    const int64_t n = oracle_int(q, "n", 1), batch = oracle_int(q, "batch", 1), kept = n / batch * batch;
    tt_set_random_layout(oracle_text(q, "layout", NULL));
    tt_val keys = tt_split(tt_key(oracle_int(q, "seed", 0)), 2);
    keys = tt_split(tt_take(keys, tt_i(0), 0), 2);
    const tt_val perm = tt_slice(tt_permutation(tt_take(keys, tt_i(1), 0), tt_i(n)), 0, 0, kept, 1);
    tt_set_random_layout(NULL);
    int32_t *v = malloc((size_t)kept * sizeof *v);
    if (!v || !tt_read(perm, v, (size_t)kept * sizeof *v)) {
        oracle_fail(c, "%s", tt_ok() ? "no memory" : tt_error());
        free(v);
        return;
    }
    int64_t dim[14];
    const char *shape = oracle_out_name(c, 0), *head = oracle_out_name(c, 1);
    const int64_t form[2] = { kept / batch, batch };
    const tt_val f = tt_array(TT_I64, form, 2);
    oracle_named_dims(c, shape, dim);
    oracle_expect(c, 0,
                  tt_dtype_of(oracle_array(c, shape)) == TT_I64 ? f : tt_cast(f, tt_dtype_of(oracle_array(c, shape))));
    oracle_named_dims(c, head, dim);
    oracle_expect(c, 1, tt_slice(perm, 0, 0, dim[0], 1));
    const uint32_t crc = data_crc((const uint8_t *)v, (size_t)kept * sizeof *v);
    oracle_expect(c, 2, tt_reshape_at(0, tt_array(TT_U32, &crc), (const int64_t[]){ TT_DIM_END }));
    free(v);
}
