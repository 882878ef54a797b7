/* num/resize.c - images in other sizes: for each dim a product with a matrix of weights, as in jax.image.
 *
 * Result i of n is centred at (i + 0.5) m / n - 0.5 among m pixels. Its weights are the kernel's values at the
 * distances of the pixels, which are divided by m / n where the image shrinks, and are scaled to the sum 1. Kernels:
 * triangle; Keys's cubic, 1981, a = -0.5; OpenCV's, a = -0.75, with edges repeated; Lanczos; the overlap of pixels. */
#include "num.h"

#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

typedef enum { NEAREST, LINEAR, CUBIC, CUBIC_PYTORCH, LANCZOS3, LANCZOS5, AREA } resize_method;

/* The method by JAX's words; -1 with the error set. */
static int method_of(const char *site, const char *word)
{
    static const struct { const char *word; resize_method is; } words[] = {
        { "nearest", NEAREST }, { "linear", LINEAR }, { "bilinear", LINEAR }, { "trilinear", LINEAR },
        { "triangle", LINEAR }, { "cubic", CUBIC }, { "bicubic", CUBIC }, { "tricubic", CUBIC },
        { "cubic-pytorch", CUBIC_PYTORCH }, { "bicubic-pytorch", CUBIC_PYTORCH }, { "lanczos3", LANCZOS3 },
        { "lanczos5", LANCZOS5 }, { "area", AREA },
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(word, words[i].word)) return (int)words[i].is;
    tt_fail_at(site, TT_EARG, "image_resize: no .method \"%s\"", word);
    tt_hint_choices("the methods are", word, -1, "nearest, linear, cubic, cubic-pytorch, lanczos3, lanczos5, area");
    return -1;
}

static double cubic(double x, double a)                  /* x >= 0 */
{
    if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

static double lanczos(double x, double radius)
{
    if (x > radius) return 0;
    return x > 1e-3 ? radius * sin(M_PI * x) * sin(M_PI * x / radius) / (M_PI * M_PI * x * x) : 1;
}

static double weight_at(resize_method method, double distance)
{
    switch (method) {
    case LINEAR: return fmax(0, 1 - distance);
    case CUBIC: return cubic(distance, -0.5);
    case CUBIC_PYTORCH: return cubic(distance, -0.75);
    case LANCZOS3: return lanczos(distance, 3);
    case LANCZOS5: return lanczos(distance, 5);
    default: return 0;
    }
}

/* Column i of the matrix [m, n]: the weights of the m pixels in result i. */
static void column_of(resize_method method, bool aliased, int64_t m, int64_t n, int64_t i, float *w)
{
    const double step = (double)m / (double)n, at = ((double)i + 0.5) * step - 0.5;
    const double wide = aliased ? 1 : fmax(step, 1);
    const int64_t beyond = method == CUBIC_PYTORCH ? 2 : 0;  /* edges are repeated */
    double sum = 0, *x = calloc((size_t)m, sizeof *x);
    for (int64_t j = -beyond; x && j < m + beyond; j++) {
        const int64_t k = j < 0 ? 0 : j >= m ? m - 1 : j;
        const double one = method == AREA ? fmax(0, fmin((double)(i + 1) * step, (double)(j + 1)) -
                                                        fmax((double)i * step, (double)j))
                                          : weight_at(method, fabs(at - (double)j) / wide);
        x[k] += one, sum += one;
    }
    for (int64_t j = 0; j < m; j++) w[j * n + i] = x ? (float)(fabs(sum) > 1000 * 0x1p-23 ? x[j] / sum : 0) : NAN;
    free(x);
}

static tt_val resized_dim(const char *site, tt_val v, int dim, int64_t n, resize_method method,
                          const tt_image_resize_opts *o)
{
    const int64_t m = tt_dim_at(site, v, dim);
    float *w = calloc((size_t)m * (size_t)n + 1, sizeof *w);
    char sum[24];
    if (!w) return tt_fail_at(site, TT_EMEM, "image_resize: no memory for %lld x %lld weights", (long long)m,
                              (long long)n);
    for (int64_t i = 0; i < n; i++) column_of(method, o->aliased, m, n, i, w);
    const tt_val a = tt_array_at(site, TT_F32, w, (const int64_t[]){ m, n, TT_DIM_END });
    free(w);
    snprintf(sum, sizeof sum, "%d:0", dim);
    const tt_dot_opts dot = { .size = sizeof dot, .sum = sum, .precision = o->precision ? o->precision : "highest" };
    const tt_val y = tt_dot_at(site, v, tt_cast_at(site, a, tt_dtype_of_at(site, v)), &dot);
    return tt_moveaxis_at(site, y, -1, dim);
}

static tt_val nearest_dim(const char *site, tt_val v, int dim, int64_t n)
{
    const int64_t m = tt_dim_at(site, v, dim);
    int32_t *from = calloc((size_t)n + 1, sizeof *from);
    if (!from) return tt_fail_at(site, TT_EMEM, "image_resize: no memory for %lld places", (long long)n);
    for (int64_t i = 0; i < n; i++) from[i] = (int32_t)floorf(((float)i + 0.5F) * (float)m / (float)n);
    const tt_val at = tt_array_at(site, TT_I32, from, (const int64_t[]){ n, TT_DIM_END });
    free(from);
    return tt_take_at(site, v, at, dim, NULL);
}

tt_val tt_image_resize_at(const char *site, tt_val v, const int64_t *dims, const tt_image_resize_opts *o)
{
    TT_ENTRY(site);
    if (!tt_ok() || !TT_CHECKED(tt_image_resize_opts, site, "image_resize", o)) return tt_poison;
    const int rank = tt_rank_at(site, v), chosen = method_of(site, o->method ? o->method : "linear");
    int n = 0;
    bool good = dims && rank >= 0;
    for (; good && dims[n] != TT_DIM_END; n++) good = n < rank && dims[n] > 0 && tt_dim_at(site, v, n) > 0;
    if (tt_ok() && (!good || n != rank)) {
        tt_fail_at(site, TT_ESHAPE, "image_resize: %d dims for %s; expected all of its dims, 1 or more", n,
                   tt_type_text_at(site, v));
        tt_hint("write all dims of the result, those of the batch too: TT_DIMS(8, 64, 64, 3)");
    }
    if (chosen < 0 || !tt_ok() || !num_real_only(site, "image_resize", v)) return tt_poison;
    resize_method method = (resize_method)chosen;
    if (method == CUBIC_PYTORCH && !o->aliased) method = CUBIC;
    if (method != NEAREST) v = num_real(site, v);
    for (int d = 0; d < rank; d++) {
        const int64_t m = tt_dim_at(site, v, d), most = method == NEAREST ? INT32_MAX : ((int64_t)1 << 32) / m;
        if (dims[d] == m || dims[d] <= most) continue;   /* weights are a matrix, places 32 bits wide */
        return tt_fail_at(site, TT_ESHAPE, "image_resize: dim %d of size %lld to %lld; at most %lld is allowed", d,
                          (long long)m, (long long)dims[d], (long long)most);
    }
    for (int d = 0; d < rank; d++)
        if (tt_dim_at(site, v, d) != dims[d])
            v = method == NEAREST ? nearest_dim(site, v, d, dims[d]) : resized_dim(site, v, d, dims[d], method, o);
    return v;
}
