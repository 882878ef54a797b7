/* nn/dense.c - dense layers (over any dims, with low-rank terms), embeddings, dropout, with Flax Linen's defaults.
 *
 * A dense layer over several dims, or with several feature dims, draws its kernel as a matrix, as Linen's DenseGeneral;
 * its low-rank term x a b is LoRA (Hu and others, 2021): a is drawn, b starts at zero.
 */
#include "nn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The logical axes after the first `skip`, for a parameter laid out as the kernel's last dims; NULL: none. */
static const char *axes_after(const char *axes, int skip)
{
    for (; axes && skip > 0; skip--) {
        axes = strchr(axes, ',');
        if (axes) axes += 1 + strspn(axes + 1, " ");
    }
    return axes;
}

/* The dims "-1, 0" of x as non-negative numbers, in rising order, as Linen's DenseGeneral sorts its axes; returns their
 * number. -1: a wrong dim. */
static int dense_dims_of(const char *site, const char *what, const char *over, int rank, int64_t *dim)
{
    int n = 0;
    for (const char *p = over; *p;) {
        char *end;
        const long d = strtol(p, &end, 10);
        if (end == p || d < -rank || d >= rank || n == NN_RANK)
            return tt_fail_at(site, TT_EARG, "%s = \"%s\"; expected dims from %d to %d", what, over, -rank, rank - 1),
                -1;
        const int64_t at = d < 0 ? d + rank : d;
        int place = n;
        for (; place > 0 && dim[place - 1] > at; place--) dim[place] = dim[place - 1];
        if (place > 0 && dim[place - 1] == at)
            return tt_fail_at(site, TT_EARG, "%s = \"%s\" names dim %lld twice", what, over, (long long)at), -1;
        dim[place] = at;
        n++;
        p = end + strspn(end, ", ");
    }
    return n;
}

typedef struct { int nin, nout; int64_t over[NN_RANK], in, kernel[2 * NN_RANK + 1], out[NN_RANK + 1]; } form;

/* kernel = [x's dims in .dims..., features as .split or one]; out = the feature dims. */
static bool form_of(const char *site, tt_val x, int64_t features, const tt_dense_opts *o, form *f)
{
    int64_t product = 1;
    if (tt_ok() && tt_rank_at(site, x) < 1) {
        tt_fail_at(site, TT_ESHAPE, "dense: of %s; expected an array of one dim or more", tt_type_text_at(site, x));
        return false;
    }
    f->nin = dense_dims_of(site, "dense: .dims", o->dims ? o->dims : "-1", tt_rank_at(site, x), f->over);
    if (f->nin < 0) return false;
    f->in = 1;
    for (int i = 0; i < f->nin; i++) f->in *= f->kernel[i] = tt_dim_at(site, x, (int)f->over[i]);
    for (f->nout = 0; f->nout < 8 && o->split[f->nout]; f->nout++) product *= f->out[f->nout] = o->split[f->nout];
    if (!f->nout) f->out[f->nout++] = product = features;
    if (product != features)
        return tt_fail_at(site, TT_ESHAPE, "dense: the sizes of .split make %lld features; expected %lld",
                          (long long)product, (long long)features), false;
    f->out[f->nout] = TT_DIM_END;
    memcpy(f->kernel + f->nin, f->out, sizeof(int64_t) * (size_t)(f->nout + 1));
    return true;
}

static tt_val dense_product(const char *site, tt_val x, tt_val w, const tt_dense_opts *o)
{
    return tt_matmul_at(site, x, w, &(tt_matmul_opts){ .size = sizeof(tt_matmul_opts), .precision = o->precision });
}

static tt_val contracted(const char *site, tt_val x, tt_val w, const form *f, const tt_dense_opts *o)
{
    char sum[128] = "";
    const tt_dot_opts dot = { .size = sizeof dot, .sum = sum, .precision = o->precision };
    if (f->nin == 1 && f->nout == 1 && f->over[0] == tt_rank_at(site, x) - 1) return dense_product(site, x, w, o);
    for (int i = 0; i < f->nin; i++)
        snprintf(sum + strlen(sum), sizeof sum - strlen(sum), "%s%d:%d", i ? ", " : "", (int)f->over[i], i);
    return tt_dot_at(site, x, w, &dot);
}

/* x times packed weights [features, inputs]: the inputs become the last dim, the features take their shape. */
static tt_val by_packed(const char *site, tt_val x, const tt_val part[2], const form *f)
{
    const int rank = tt_rank_at(site, x);
    int64_t perm[NN_RANK + 1], dims[2 * NN_RANK + 1];
    int n = 0;
    if (!tt_ok() || rank > NN_RANK) return tt_poison;
    for (int d = 0; d < rank; d++) {
        bool over = false;
        for (int i = 0; i < f->nin; i++) over |= f->over[i] == d;
        if (!over) dims[n] = tt_dim_at(site, x, d), perm[n++] = d;
    }
    for (int i = 0; i < f->nin; i++) perm[n + i] = f->over[i];
    perm[rank] = TT_DIM_END, dims[n] = f->in, dims[n + 1] = TT_DIM_END;
    const tt_val last = tt_reshape_at(site, tt_transpose_at(site, x, perm), dims);
    memcpy(dims + n, f->out, sizeof(int64_t) * (size_t)(f->nout + 1));
    return tt_reshape_at(site, tt_scaled_matmul_at(site, last, part[0], part[1]), dims);
}

/* x lora_a lora_b, with lora_a [x's dims in .dims..., rank] and lora_b [rank, features as .split or one] */
static tt_val low_rank(nn_frame *f, tt_val x, const form *k, const tt_dense_opts *o)
{
    const char *site = f->site;
    const int64_t matrix[] = { k->in, o->lora, TT_DIM_END };
    const tt_param_opts drawn = { .size = sizeof drawn, .init = "he_uniform", .dtype = o->param_dtype,
                                  .drawn_as = k->nin > 1 ? matrix : NULL };
    const tt_param_opts zeros = { .size = sizeof zeros, .dtype = o->param_dtype };
    form down = *k;
    int64_t up[NN_RANK + 2] = { o->lora };
    down.nout = 1;
    memcpy(down.kernel + k->nin, (const int64_t[]){ o->lora, TT_DIM_END }, 2 * sizeof(int64_t));
    memcpy(up + 1, k->out, sizeof(int64_t) * (size_t)(k->nout + 1));
    const tt_val a = nn_weight(f, "lora_a", down.kernel, &drawn), b = nn_weight(f, "lora_b", up, &zeros);
    const tt_val low = contracted(site, x, nn_in(site, a, o->dtype), &down, o);
    if (k->nout == 1) return dense_product(site, low, nn_in(site, b, o->dtype), o);
    char sum[24];
    snprintf(sum, sizeof sum, "%d:0", tt_rank_at(site, low) - 1);
    const tt_dot_opts dot = { .size = sizeof dot, .sum = sum, .precision = o->precision };
    return tt_dot_at(site, low, nn_in(site, b, o->dtype), &dot);
}

tt_val tt_dense_at(const char *site, tt_nn m, const char *name, tt_val x, int64_t features, const tt_dense_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_dense_opts, site, "dense", o)) return tt_poison;
    if (o->no_bias && o->bias_init) return nn_nothing(site, "dense", "bias_init", "no_bias");
    nn_frame f;
    form k;
    if (!nn_enter(&f, m, site, "Dense", name) || !form_of(site, x, features, o, &k)) return tt_poison;
    const int64_t matrix[] = { k.in, features, TT_DIM_END };
    const tt_param_opts kernel = { .size = sizeof kernel, .init = nn_kernel_init(&f, o->kernel_init),
                                   .axes = o->axes, .drawn_as = k.nin + k.nout > 2 ? matrix : NULL,
                                   .dtype = o->param_dtype };
    const tt_val in = nn_in(site, x, o->dtype);
    tt_val part[2], y;
    nn_packable(&f, "kernel", k.kernel, k.nin);
    if (nn_packed(&f, "kernel", features, k.in, part)) y = by_packed(site, in, part, &k);
    else y = contracted(site, in, nn_in(site, nn_weight(&f, "kernel", k.kernel, &kernel), o->dtype), &k, o);
    if (!o->no_bias) {
        const int64_t flat[] = { features, TT_DIM_END };
        const tt_param_opts bias = { .size = sizeof bias, .init = o->bias_init, .axes = axes_after(o->axes, k.nin),
                                     .drawn_as = k.nout > 1 ? flat : NULL, .dtype = o->param_dtype };
        y = tt_add_at(site, y, nn_in(site, nn_weight(&f, "bias", k.out, &bias), o->dtype));
    }
    char terms[NN_PATH + NN_NAME];
    snprintf(terms, sizeof terms, "%s%slora_a", f.path, *f.path ? "." : "");
    if (!o->lora && f.root->mode != NN_INIT && tt_ok() && tt_has_at(site, nn_now(&f), terms)) {
        tt_fail_at(site, TT_ETREE, "dense: the variables have \"%s\", a low-rank term, which this layer does not add",
                   terms);
        tt_hint("give the layer .lora, or add the terms to the kernels: vars = tt_lora_merge(vars)");
    }
    return nn_leave(&f, o->lora ? tt_add_at(site, y, low_rank(&f, in, &k, o)) : y);
}

/* ---- embeddings ---- */

static bool of_keras(const nn_frame *f) { return f->root->keys == NN_KERAS; }

tt_val tt_embed_at(const char *site, tt_nn m, const char *name, tt_val ids, int64_t rows, int64_t features,
                   const tt_embed_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_embed_opts, site, "embed", o)) return tt_poison;
    nn_frame f;
    if (!nn_enter(&f, m, site, nn_class(site, m, "Embed", 1), name)) return tt_poison;
    if (tt_ok() && !strchr("biu", tt_dtype_kind(tt_dtype_of_at(site, ids))))
        return tt_fail_at(site, TT_ETYPE, "embed: the ids are %s; expected integers",
                          tt_type_text_at(site, ids));
    const char *usual = of_keras(&f) ? "keras.RandomUniform()" : "variance_scaling(1, fan_in, normal, out_axis=0)";
    const tt_param_opts made = { .size = sizeof made, .init = o->init ? o->init : usual, .axes = o->axes,
                                 .dtype = o->param_dtype };
    const int64_t dims[] = { rows, features, TT_DIM_END };
    const char *const named = of_keras(&f) ? "embeddings" : "embedding";
    tt_val part[2];
    nn_packable(&f, named, dims, 0);
    if (nn_packed(&f, named, rows, features, part)) {
        for (int i = 0; i < 2; i++) part[i] = tt_take_at(site, part[i], ids, 0, NULL);
        return nn_leave(&f, nn_in(site, tt_dequantize_at(site, part[0], part[1]), o->dtype));
    }
    const tt_val table = nn_weight(&f, named, dims, &made);
    /* Flax broadcasts a table of one row, whatever the ids. */
    const tt_take_opts one = { .size = sizeof one, .mode = rows == 1 && !of_keras(&f) ? "clip" : NULL };
    return nn_leave(&f, tt_take_at(site, nn_in(site, table, o->dtype), ids, 0, &one));
}

tt_val tt_attend_at(const char *site, tt_nn m, const char *name, tt_val x, const tt_attend_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_attend_opts, site, "attend", o)) return tt_poison;
    nn_frame f;
    char path[NN_PATH + 16];
    if (!nn_enter(&f, m, site, nn_class(site, m, "Embed", 1), name)) return tt_poison;
    const char *const named = of_keras(&f) ? "embeddings" : "embedding";
    snprintf(path, sizeof path, "%s%s%s", f.path, *f.path ? "." : "", named);
    tt_val part[2];
    if (tt_has_at(site, nn_now(&f), path) && tt_rank_at(site, tt_get_at(site, nn_now(&f), path)) < 0) {
        const tt_val codes = tt_get_at(site, tt_get_at(site, nn_now(&f), path), "codes");
        if (nn_packed(&f, named, tt_dim_at(site, codes, 0), tt_dim_at(site, x, -1), part))
            return tt_scaled_matmul_at(site, nn_in(site, x, o->dtype), part[0], part[1]);
    }
    const tt_val table = nn_read(&f, path, tt_get_at(site, f.root->vars, path));
    char sum[24];
    snprintf(sum, sizeof sum, "%d:1", tt_rank_at(site, x) - 1);
    const tt_dot_opts dot = { .size = sizeof dot, .sum = sum, .precision = o->precision };
    return tt_dot_at(site, nn_in(site, x, o->dtype), nn_in(site, table, o->dtype), &dot);
}

/* select(uniform < 1 - rate, x / (1 - rate), 0); the identity outside training. With .seed the layer has an untrained
 * variable: each training pass takes it as the key and increases it. */
tt_val tt_dropout_at(const char *site, tt_nn m, tt_val x, double rate, const tt_dropout_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_dropout_opts, site, "dropout", o)) return tt_poison;
    nn_frame f;
    int64_t dims[NN_RANK + 1], one[NN_RANK];
    if (!nn_enter(&f, m, site, "Dropout", o->name)) return tt_poison;
    const tt_val state = nn_is(o->seed) ? nn_state(&f, "seed", o->seed) : o->seed;
    nn_leave(&f, x);
    if (!(rate >= 0 && rate <= 1)) return tt_fail_at(site, TT_EARG, "dropout: rate = %g; expected 0 to 1", rate);
    if (nn_is(o->key) && nn_is(o->seed)) {
        tt_fail_at(site, TT_EARG, "dropout: both .key and .seed are given");
        tt_hint(".key is the mask's key itself, .seed begins a variable that gives one per pass: give one of them");
        return tt_poison;
    }
    const int rank = tt_rank_at(site, x),
        ones = dense_dims_of(site, "dropout: .same", o->same ? o->same : "", rank, one);
    if (rank < 0 || ones < 0) return tt_poison;
    if (!strchr("fc", tt_dtype_kind(tt_dtype_of_at(site, x)))) {
        tt_fail_at(site, TT_ETYPE, "dropout: of %s, whose elements over 1 - rate would be cut",
                   tt_type_text_at(site, x));
        tt_hint("tt_cast x to a float type before");
        return tt_poison;
    }
    if (!tt_training_at(site, m) || rate == 0) return x;
    for (int i = 0; i < rank; i++) dims[i] = tt_dim_at(site, x, i);
    dims[rank] = TT_DIM_END;
    if (rate == 1) return tt_full_at(site, 0, tt_dtype_of_at(site, x), dims);      /* 0 also where x is infinite */
    for (int i = 0; i < ones; i++) dims[one[i]] = 1;
    const tt_val key = nn_is(o->key) ? o->key : nn_is(state) ? state : nn_key(&f, "dropout");
    const tt_val keep = tt_bernoulli_at(site, key, tt_f(1 - rate), dims);
    if (nn_is(state)) nn_update(&f, "seed", nn_seed_after(site, state, 1));
    return tt_where_at(site, keep, tt_div_at(site, x, tt_f(1 - rate)), tt_f(0));
}
