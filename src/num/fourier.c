/* num/fourier.c - Fourier transforms of several dims: one dim after another, each moved to the last position for its
 * transform. */
#include "num.h"

#include <math.h>
#include <string.h>

enum { RANK = 12 };

typedef tt_val along(const char *site, tt_val v);

static tt_val along_dim(const char *site, tt_val v, int dim, along *f)
{
    return tt_moveaxis_at(site, f(site, tt_moveaxis_at(site, v, dim, -1)), -1, dim);
}

/* The dims of a call, at least one. last: how many of the last dims are the default; 0: all. -1 with the error set. */
static int fourier_dims(const char *site, const char *what, tt_val v, const tt_fftn_opts *o, int last, int *dim)
{
    const int rank = tt_rank_at(site, v);
    if (!tt_ok()) return -1;
    const int n = o->dims || !last ? num_dims(site, what, v, o->dims, dim) : last;
    if (n < 1 || n > rank) {
        if (tt_ok())
            tt_fail_at(site, TT_ESHAPE, "%s: of %s; expected rank %d or more", what, tt_type_text_at(site, v),
                       last ? last : 1);
        return -1;
    }
    for (int i = 0; i < n && !o->dims && last; i++) dim[i] = rank - n + i;
    return n;
}

/* The factor of a transform of n elements, in addition to tt_fft's own 1 or tt_ifft's 1/n; 0 with the error set. */
static double fourier_scale(const char *site, const char *what, const char *norm, double n, bool inverse)
{
    if (!norm || !strcmp(norm, "backward")) return 1;
    if (!strcmp(norm, "ortho")) return inverse ? sqrt(n) : 1 / sqrt(n);
    if (!strcmp(norm, "forward")) return inverse ? n : 1 / n;
    tt_fail_at(site, TT_EARG, "%s: no norm \"%s\"", what, norm);
    tt_hint_choices("the norms are", norm, -1, "backward, ortho, forward");
    return 0;
}

typedef enum { FOURIER, FOURIER_BACK, FOURIER_REAL, FOURIER_REAL_BACK } fourier_kind;

static tt_val fourier(const char *site, const char *what, tt_val v, const tt_fftn_opts *o, int last, fourier_kind kind)
{
    int dim[RANK];
    double count = 1;
    if (!TT_CHECKED(tt_fftn_opts, site, what, o)) return tt_poison;
    const int n = fourier_dims(site, what, v, o, last, dim);
    const bool real = kind == FOURIER_REAL || kind == FOURIER_REAL_BACK,
               back = kind == FOURIER_BACK || kind == FOURIER_REAL_BACK;
    if (n < 0) return tt_poison;
    if ((o->n || tt_given(o, "n")) && kind != FOURIER_REAL_BACK)
        return tt_fail_at(site, TT_EARG, "%s has no .n; irfftn and irfft2 have it", what);
    const int end = dim[n - 1];
    const int64_t columns = tt_dim_at(site, v, end), size = o->n ? o->n : 2 * (columns - 1);
    for (int i = 0; i < n; i++)
        count *= (double)(kind == FOURIER_REAL_BACK && i == n - 1 ? size : tt_dim_at(site, v, dim[i]));
    const double scale = fourier_scale(site, what, o->norm, count, back);
    if (scale == 0 || !tt_ok()) return tt_poison;
    if (kind == FOURIER_REAL) v = along_dim(site, v, end, tt_rfft_at);
    else if (!num_complex(site, v))
        v = tt_complex_at(site, num_real(site, v), tt_mul_at(site, num_real(site, v), tt_f(0)));
    for (int i = 0; i < n - real; i++) v = along_dim(site, v, dim[i], back ? tt_ifft_at : tt_fft_at);
    if (kind == FOURIER_REAL_BACK)
        v = tt_moveaxis_at(site, tt_irfft_at(site, tt_moveaxis_at(site, v, end, -1), size), -1, end);
    return scale != 1 ? tt_mul_at(site, v, tt_f(scale)) : v;
}

#define FOURIER_FN(name, last, kind)                                                                                   \
    tt_val tt_##name##_at(const char *site, tt_val v, const tt_fftn_opts *o)                                           \
    {                                                                                                                  \
        return fourier(site, #name, v, o, last, kind);                                                                 \
    }
FOURIER_FN(fft2, 2, FOURIER)
FOURIER_FN(ifft2, 2, FOURIER_BACK)
FOURIER_FN(rfft2, 2, FOURIER_REAL)
FOURIER_FN(irfft2, 2, FOURIER_REAL_BACK)
FOURIER_FN(fftn, 0, FOURIER)
FOURIER_FN(ifftn, 0, FOURIER_BACK)
FOURIER_FN(rfftn, 0, FOURIER_REAL)
FOURIER_FN(irfftn, 0, FOURIER_REAL_BACK)

/* ---- frequencies ---- */

static tt_val frequencies(const char *site, const char *what, int64_t n, double d, bool real)
{
    if (n < 1 || d == 0 || !isfinite(d))
        return tt_fail_at(site, TT_EARG, "%s: n = %lld, d = %g; expected 1 or more, and a finite d that is not 0", what,
                          (long long)n, d);
    const int64_t up = real ? n / 2 + 1 : (n - 1) / 2 + 1;
    tt_val k = tt_arange_at(site, TT_F32, up);
    if (!real && up < n) {
        const tt_val down = tt_sub_at(site, tt_arange_at(site, TT_F32, n - up), tt_f((double)(n - up)));
        k = tt_concat_at(site, 0, (const tt_val[]){ k, down, tt_end });
    }
    return tt_div_at(site, k, tt_f(d * (double)n));
}
tt_val tt_fftfreq_at(const char *site, int64_t n, double d)
{
    TT_ENTRY(site);
    return frequencies(site, "fftfreq", n, d, false);
}
tt_val tt_rfftfreq_at(const char *site, int64_t n, double d)
{
    TT_ENTRY(site);
    return frequencies(site, "rfftfreq", n, d, true);
}

static tt_val shifted(const char *site, const char *what, tt_val v, const tt_dims_opts *o, bool back)
{
    int dim[RANK];
    if (!TT_CHECKED(tt_dims_opts, site, what, o)) return tt_poison;
    const int n = num_dims(site, what, v, o->dims, dim);
    for (int i = 0; i < n; i++) {
        const int64_t half = tt_dim_at(site, v, dim[i]) / 2;
        v = tt_roll_at(site, v, back ? -half : half, dim[i]);
    }
    return n < 0 ? tt_poison : v;
}
tt_val tt_fftshift_at(const char *site, tt_val v, const tt_dims_opts *o)
{
    TT_ENTRY(site);
    return shifted(site, "fftshift", v, o, false);
}
tt_val tt_ifftshift_at(const char *site, tt_val v, const tt_dims_opts *o)
{
    TT_ENTRY(site);
    return shifted(site, "ifftshift", v, o, true);
}
