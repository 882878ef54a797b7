/* nn/wrap.c - layers around modules: spectral norm (Miyato and others, 2018), weight norm (Salimans and Kingma, 2016).
 *
 * The module runs in the frame of its parent, and each parameter that it reads or creates passes through the layer's
 * function; the layer's own variables have names like "d/kernel/u", as Flax's.
 */
#include "nn.h"

#include <stdio.h>
#include <string.h>

/* "d/kernel/u" of the parameter at a path below the module's parent. */
static const char *wrap_name(const nn_frame *own, const char *path, const char *what, char to[NN_NAME])
{
    const char *dot = strrchr(own->path, '.');           /* own's path is the parent's and the layer's name */
    const size_t parent = dot ? (size_t)(dot - own->path) + 1 : 0;
    const int n = snprintf(to, NN_NAME, "%s/%s", path + parent, what);
    for (char *p = to; *p; p++) if (*p == '.') *p = '/';
    if (n < 0 || n >= NN_NAME)
        tt_fail_at(own->site, TT_EARG, "the path of \"%s\" is longer than %d characters", path, NN_NAME - 1);
    return to;
}

/* v times rsqrt(sum of squares over the dims + eps); dims NULL: all. */
static tt_val of_length_1(const char *site, tt_val v, const char *dims, double eps)
{
    const tt_reduce_opts over = { .size = sizeof over, .dims = dims, .keepdims = 1 };
    const tt_val square = tt_sum_at(site, tt_square_at(site, v), &over);
    return tt_mul_at(site, v, tt_rsqrt_at(site, tt_add_at(site, square, tt_f(eps))));
}

static tt_val product(const char *site, tt_val a, tt_val b) { return tt_matmul_at(site, a, b, NULL); }

/* The variable u [1, n] of a new parameter: normal, with the next key of params. */
static tt_val first_u(nn_frame *own, const char *name, int64_t n)
{
    const int64_t dims[] = { 1, n, TT_DIM_END };
    return nn_state(own, name, own->root->mode == NN_INIT ? tt_normal_at(own->site, nn_key(own, "params"), TT_F32, dims)
                                                          : tt_full_at(own->site, 0, TT_F32, dims));
}

static tt_val spectral(nn_frame *own, const char *path, tt_val v, const void *options)
{
    const tt_spectral_norm_opts *o = options;
    const char *site = own->site;
    char of[2][NN_NAME];
    int64_t dims[NN_RANK + 1];
    const int rank = tt_rank_at(site, v);
    if (!tt_ok() || rank < 2) return v;
    for (int d = 0; d < rank; d++) dims[d] = tt_dim_at(site, v, d);
    dims[rank] = TT_DIM_END;
    const tt_val w = tt_reshape_at(site, v, (const int64_t[]){ -1, dims[rank - 1], TT_DIM_END });
    tt_val u = first_u(own, wrap_name(own, path, "u", of[0]), dims[rank - 1]), left = u;
    nn_state(own, wrap_name(own, path, "sigma", of[1]), tt_full_at(site, 1, TT_F32, (const int64_t[]){ TT_DIM_END }));
    const double eps = nn_number(o, "eps", o->eps, 1e-12);
    const tt_val wt = tt_transpose_at(site, w, (const int64_t[]){ 1, 0, TT_DIM_END });
    for (int64_t i = 0, n = o->steps ? o->steps : 1; i < n; i++) {
        left = of_length_1(site, product(site, u, wt), NULL, eps);
        u = of_length_1(site, product(site, left, w), NULL, eps);
    }
    u = tt_stop_gradient_at(site, u), left = tt_stop_gradient_at(site, left);
    const tt_val across = tt_transpose_at(site, u, (const int64_t[]){ 1, 0, TT_DIM_END });
    const tt_val sigma = tt_reshape_at(site, product(site, product(site, left, w), across),
                                       (const int64_t[]){ TT_DIM_END });
    if (own->root->mode == NN_TRAIN) {
        nn_update(own, of[0], tt_cast_at(site, u, TT_F32));
        nn_update(own, of[1], tt_cast_at(site, tt_stop_gradient_at(site, sigma), TT_F32));
    }
    const tt_val by = tt_where_at(site, tt_compare_at(site, 1, sigma, tt_f(0)), sigma, tt_f(1));
    return tt_reshape_at(site, tt_div_at(site, w, by), dims);
}

/* The options of a weight norm, and the words of .only that were in a path. */
enum { WRAP_WORDS = 32 };
typedef struct { const tt_weight_norm_opts *o; bool *met; } weighing;

/* The next word of a list and its length; 0: there is none. */
static size_t wrap_word(const char **p)
{
    *p += strspn(*p, ", ");
    return strcspn(*p, ", ");
}

/* True if the path has one of the words in it; marks those that it has. */
static bool is_among(const char *path, const char *words, bool met[WRAP_WORDS])
{
    bool any = false;
    size_t n;
    for (int i = 0; (n = wrap_word(&words)); i++, words += n)
        if (memmem(path, strlen(path), words, n)) any = met[i] = true;
    return any;
}

/* True if .only has words, each of which was in a path; else sets the error. */
static bool wrap_met(const char *site, const char *only, const bool met[WRAP_WORDS])
{
    size_t n;
    const char *p = only;
    for (int i = 0; tt_ok() && (n = wrap_word(&p)); i++, p += n)
        if (!met[i]) {
            tt_fail_at(site, TT_EARG, "weight_norm: .only has \"%.*s\", which is in no parameter's path", (int)n, p);
            tt_hint("the paths of kernels end with \"kernel\"; tt_summary(vars) has all paths");
        }
    return tt_ok();
}

static bool wrap_words(const char *site, const char *only)
{
    size_t n;
    int words = 0;
    for (const char *p = only; (n = wrap_word(&p)); p += n) words++;
    if (words && words <= WRAP_WORDS) return true;
    tt_fail_at(site, TT_EARG, "weight_norm: .only = \"%.60s\" has %d words; expected 1 to %d", only, words, WRAP_WORDS);
    return false;
}

static tt_val weighed(nn_frame *own, const char *path, tt_val v, const void *options)
{
    const weighing *w = options;
    const tt_weight_norm_opts *o = w->o;
    const char *site = own->site, *kept = o->dims ? o->dims : "-1";
    char name[NN_NAME], over[64] = "";
    int of[NN_RANK];
    int64_t shape[NN_RANK + 1], own_dims[NN_RANK + 1];
    const int rank = tt_rank_at(site, v);
    if (!tt_ok() || !is_among(path, o->only ? o->only : "kernel", w->met)) return v;
    const int n = *kept ? tt_dims_listed_at(site, "weight_norm: .dims", v, kept, of) : 0;
    if (n < 0) return tt_poison;
    for (int d = 0, k = 0; d < rank; d++) {
        const bool is = k < n && of[k] == d;
        shape[d] = is ? own_dims[k++] = tt_dim_at(site, v, d) : 1;
        if (!is) snprintf(over + strlen(over), sizeof over - strlen(over), "%s%d", *over ? ", " : "", d);
    }
    shape[rank] = own_dims[n] = TT_DIM_END;
    const tt_val y = n == rank ? tt_mul_at(site, v, tt_rsqrt_at(site, tt_add_at(site, tt_square_at(site, v),
                                                  tt_f(nn_number(o, "eps", o->eps, 1e-12)))))
                               : of_length_1(site, v, over, nn_number(o, "eps", o->eps, 1e-12));
    if (o->no_scale) return y;
    const tt_param_opts ones = { .size = sizeof ones, .init = "ones" };
    const tt_val scale = nn_param(own, wrap_name(own, path, "scale", name), own_dims, &ones);
    return tt_mul_at(site, y, tt_reshape_at(site, scale, shape));
}

/* The module in m's frame, its parameters through `around` with the layer's own frame. */
static tt_val run_around(const char *site, tt_nn m, const char *cls, const char *name, tt_module *module, tt_val x,
                         nn_around *around, const void *options)
{
    nn_frame own, f;
    if (!module) return tt_fail_at(site, TT_EARG, "%s: the module is NULL", cls);
    if (name && !strcmp(name, ".")) {
        tt_fail_at(site, TT_EARG, "%s: the name is \".\"", cls);
        tt_hint("a name of its own, below which the layer's variables are");
        return tt_poison;
    }
    if (!nn_enter(&own, m, site, cls, name) || !nn_enter(&f, m, site, "", ".")) return tt_poison;
    const nn_through through = { .up = f.through, .around = around, .own = &own, .options = options };
    own.through = NULL;
    f.through = &through;
    return nn_leave(&own, nn_close(&f, module(nn_open(&f), x)));
}

tt_val tt_spectral_norm_at(const char *site, tt_nn m, const char *name, tt_module *module, tt_val x,
                           const tt_spectral_norm_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_spectral_norm_opts, site, "spectral_norm", o)) return tt_poison;
    if (!(o->eps >= 0)) return tt_fail_at(site, TT_EARG, "spectral_norm: .eps = %g; expected 0 or more", o->eps);
    return run_around(site, m, "SpectralNorm", name, module, x, spectral, o);
}

tt_val tt_weight_norm_at(const char *site, tt_nn m, const char *name, tt_module *module, tt_val x,
                         const tt_weight_norm_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_weight_norm_opts, site, "weight_norm", o)) return tt_poison;
    if (!(o->eps >= 0)) return tt_fail_at(site, TT_EARG, "weight_norm: .eps = %g; expected 0 or more", o->eps);
    if (o->only && !wrap_words(site, o->only)) return tt_poison;
    bool met[WRAP_WORDS] = { false };
    const tt_val y = run_around(site, m, "WeightNorm", name, module, x, weighed, &(weighing){ o, met });
    return !o->only || wrap_met(site, o->only, met) ? y : tt_poison;
}
