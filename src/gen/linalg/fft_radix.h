/* gen/linalg/fft_radix.h - the arithmetic of fft_isa.c, included once per kind of real: R is double, or a vector of
 * doubles, a lane for each line; FFT(f) is the name of f for that kind. Numbers of tables are the same for all
 * lanes. */

typedef struct { R re, im; } FFT(cplx);

static inline FFT(cplx) FFT(times)(FFT(cplx) a, fft_number b)
{
    return (FFT(cplx)){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}

static void FFT(radix2)(const fft_line *l, FFT(cplx) *y, int64_t step, int64_t m)
{
    for (int64_t u = 0; u < m; u++) {
        const FFT(cplx) t = FFT(times)(y[u + m], l->root[u * step]);
        y[u + m] = (FFT(cplx)){ y[u].re - t.re, y[u].im - t.im };
        y[u] = (FFT(cplx)){ y[u].re + t.re, y[u].im + t.im };
    }
}

static void FFT(radix4)(const fft_line *l, FFT(cplx) *y, int64_t step, int64_t m)
{
    for (int64_t u = 0; u < m; u++) {
        const FFT(cplx) a = y[u], b = FFT(times)(y[u + m], l->root[u * step]);
        const FFT(cplx) c = FFT(times)(y[u + 2 * m], l->root[2 * u * step]);
        const FFT(cplx) d = FFT(times)(y[u + 3 * m], l->root[3 * u * step]);
        const FFT(cplx) p = { a.re + c.re, a.im + c.im }, q = { a.re - c.re, a.im - c.im };
        const FFT(cplx) r = { b.re + d.re, b.im + d.im }, s = { b.re - d.re, b.im - d.im };
        y[u] = (FFT(cplx)){ p.re + r.re, p.im + r.im };
        y[u + m] = (FFT(cplx)){ q.re + s.im, q.im - s.re };
        y[u + 2 * m] = (FFT(cplx)){ p.re - r.re, p.im - r.im };
        y[u + 3 * m] = (FFT(cplx)){ q.re - s.im, q.im + s.re };
    }
}

static void FFT(radix_any)(const fft_line *l, FFT(cplx) *y, int64_t step, int64_t m, int p)
{
    FFT(cplx) part[FFT_LARGEST + 1];
    for (int64_t u = 0; u < m; u++) {
        for (int q = 0; q < p; q++) part[q] = y[u + q * m];
        for (int r = 0; r < p; r++) {
            const int64_t turn = step * (u + r * m);     /* less than the full length */
            FFT(cplx) sum = part[0];
            for (int64_t q = 1, at = 0; q < p; q++) {
                at += turn;
                if (at >= l->n) at -= l->n;
                const FFT(cplx) t = FFT(times)(part[q], l->root[at]);
                sum.re += t.re, sum.im += t.im;
            }
            y[u + r * m] = sum;
        }
    }
}

/* y[0 .. n) from x[0], x[step], ...: n is the product of the factors from `level` on, n * step the full length. */
static void FFT(mixed)(const fft_line *l, FFT(cplx) *y, const FFT(cplx) *x, int64_t step, int64_t n, int level)
{
    const int p = l->factor[level];
    const int64_t m = n / p;
    for (int k = 0; k < p; k++) {
        if (m == 1) y[k] = x[k * step];
        else FFT(mixed)(l, y + k * m, x + k * step, step * p, m, level + 1);
    }
    if (p == 2) FFT(radix2)(l, y, step, m);
    else if (p == 4) FFT(radix4)(l, y, step, m);
    else FFT(radix_any)(l, y, step, m, p);
}

static void FFT(along)(const fft_line *l, void *to, const void *from, void *work)
{
    FFT(cplx) *const y = to;
    const FFT(cplx) *const x = from;
    if (!l->round) {
        if (l->n == 1) y[0] = x[0];
        else FFT(mixed)(l, y, x, 1, l->n, 0);
        return;
    }
    const int64_t m = l->round->n;
    FFT(cplx) *const a = work, *const b = a + m;
    memset(a, 0, (size_t)m * sizeof *a);
    for (int64_t k = 0; k < l->n; k++) a[k] = FFT(times)(x[k], l->chirp[k]);
    FFT(mixed)(l->round, b, a, 1, m, 0);
    for (int64_t k = 0; k < m; k++) {                    /* the inverse, by exchanging the parts */
        const FFT(cplx) t = FFT(times)(b[k], l->filter[k]);
        a[k] = (FFT(cplx)){ t.im, t.re };
    }
    FFT(mixed)(l->round, b, a, 1, m, 0);
    for (int64_t k = 0; k < l->n; k++)
        y[k] = FFT(times)((FFT(cplx)){ b[k].im / (double)m, b[k].re / (double)m }, l->chirp[k]);
}

#undef R
#undef FFT
