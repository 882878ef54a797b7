/* gen/fft.c - Fourier transforms: mixed radix by decimation in time (2, 4 and any small prime), Bluestein's
 * convolution where a large prime divides the length. In f64 for both precisions, rounded once.
 *
 * Tables are made with the kernel. A task transforms whole blocks (all dims of one transform) in its scratch; blocks
 * of the leading dims are the tiles. Inverse transforms exchange real and imaginary parts before and behind. */
#include "gen.h"

#include <math.h>
#include <string.h>

enum { FACTORS = 64, LARGEST = 61, GRAIN = 1 << 13 };    /* prime factors done directly; numbers that a tile is worth */
typedef struct { double re, im; } cplx;

/* A transform along one dim: root[k] = e^(-2 pi i k / n). With `round` (of a power of two) it is a convolution with
 * chirp[k] = e^(-pi i k^2 / n), whose transform is `filter`. */
typedef struct line {
    int64_t n;
    int nfactor, factor[FACTORS];
    const cplx *root, *chirp, *filter;
    const struct line *round;
} line;

static cplx times(cplx a, cplx b) { return (cplx){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re }; }

/* ---- mixed radix ---- */

static void radix2(const line *l, cplx *y, int64_t step, int64_t m)
{
    for (int64_t u = 0; u < m; u++) {
        const cplx t = times(y[u + m], l->root[u * step]);
        y[u + m] = (cplx){ y[u].re - t.re, y[u].im - t.im };
        y[u] = (cplx){ y[u].re + t.re, y[u].im + t.im };
    }
}

static void radix4(const line *l, cplx *y, int64_t step, int64_t m)
{
    for (int64_t u = 0; u < m; u++) {
        const cplx a = y[u], b = times(y[u + m], l->root[u * step]), c = times(y[u + 2 * m], l->root[2 * u * step]);
        const cplx d = times(y[u + 3 * m], l->root[3 * u * step]);
        const cplx p = { a.re + c.re, a.im + c.im }, q = { a.re - c.re, a.im - c.im };
        const cplx r = { b.re + d.re, b.im + d.im }, s = { b.re - d.re, b.im - d.im };
        y[u] = (cplx){ p.re + r.re, p.im + r.im };
        y[u + m] = (cplx){ q.re + s.im, q.im - s.re };
        y[u + 2 * m] = (cplx){ p.re - r.re, p.im - r.im };
        y[u + 3 * m] = (cplx){ q.re - s.im, q.im + s.re };
    }
}

static void radix_any(const line *l, cplx *y, int64_t step, int64_t m, int p)
{
    cplx part[LARGEST + 1];
    for (int64_t u = 0; u < m; u++) {
        for (int q = 0; q < p; q++) part[q] = y[u + q * m];
        for (int r = 0; r < p; r++) {
            const int64_t turn = step * (u + r * m);
            cplx sum = part[0];
            for (int64_t q = 1, at = 0; q < p; q++) {
                at = (at + turn) % l->n;
                const cplx t = times(part[q], l->root[at]);
                sum.re += t.re, sum.im += t.im;
            }
            y[u + r * m] = sum;
        }
    }
}

/* y[0 .. n) from x[0], x[step], ...: n is the product of the factors from `level` on, n * step the whole length. */
static void mixed(const line *l, cplx *y, const cplx *x, int64_t step, int64_t n, int level)
{
    const int p = l->factor[level];
    const int64_t m = n / p;
    for (int k = 0; k < p; k++) {
        if (m == 1) y[k] = x[k * step];
        else mixed(l, y + k * m, x + k * step, step * p, m, level + 1);
    }
    if (p == 2) radix2(l, y, step, m);
    else if (p == 4) radix4(l, y, step, m);
    else radix_any(l, y, step, m, p);
}

/* work: 2 * round->n */
static void along_line(const line *l, cplx *y, const cplx *x, cplx *work)
{
    if (!l->round) {
        if (l->n == 1) y[0] = x[0];
        else mixed(l, y, x, 1, l->n, 0);
        return;
    }
    const int64_t m = l->round->n;
    cplx *const a = work, *const b = work + m;
    memset(a, 0, (size_t)m * sizeof *a);
    for (int64_t k = 0; k < l->n; k++) a[k] = times(x[k], l->chirp[k]);
    mixed(l->round, b, a, 1, m, 0);
    for (int64_t k = 0; k < m; k++) {                    /* back by exchanging the parts */
        const cplx t = times(b[k], l->filter[k]);
        a[k] = (cplx){ t.im, t.re };
    }
    mixed(l->round, b, a, 1, m, 0);
    for (int64_t k = 0; k < l->n; k++) y[k] = times((cplx){ b[k].im / (double)m, b[k].re / (double)m }, l->chirp[k]);
}

/* ---- tables ---- */

static cplx root_of(int64_t k, int64_t n)                /* e^(-2 pi i k / n), from the first eighth of the circle */
{
    const int64_t eighth = 8 * (k % n) / n;
    const long double pi = 3.14159265358979323846264338327950288L;
    const long double at = 2 * pi * (long double)(8 * (k % n) - eighth * n) / (8 * (long double)n);
    const long double odd = eighth & 1 ? pi / 4 - at : at;
    const double c = (double)cosl(odd), s = (double)sinl(odd);
    switch (eighth) {
    case 0:  return (cplx){ c, -s };
    case 1:  return (cplx){ s, -c };
    case 2:  return (cplx){ -s, -c };
    case 3:  return (cplx){ -c, -s };
    case 4:  return (cplx){ -c, s };
    case 5:  return (cplx){ -s, c };
    case 6:  return (cplx){ s, c };
    default: return (cplx){ c, s };
    }
}

/* 4s, a 2, odd primes; false: a prime factor is too large. */
static bool factorised(line *l)
{
    int64_t n = l->n;
    for (int p = 4; n > 1;) {
        while (n % p == 0) l->factor[l->nfactor++] = p, n /= p;
        p = p == 4 ? 2 : p == 2 ? 3 : p + 2;
        if (p > LARGEST) break;
    }
    return n <= 1;
}

static const line *line_of(base_arena *a, int64_t n)
{
    line *l = BASE_NEW(a, line, 1);
    l->n = n;
    if (n < 1) return l;
    const bool direct = factorised(l);
    cplx *root = BASE_NEW(a, cplx, n);
    for (int64_t k = 0; direct && k < n; k++) root[k] = root_of(k, n);
    l->root = root;
    if (direct) return l;
    int64_t m = 1, square = 0;
    while (m < 2 * n - 1) m *= 2;
    cplx *back = BASE_NEW(a, cplx, m), *filter = BASE_NEW(a, cplx, m);
    l->round = line_of(a, m);
    for (int64_t k = 0; k < n; k++) {                    /* k^2 mod 2n */
        root[k] = root_of(square, 2 * n);
        square = (square + 2 * k + 1) % (2 * n);
        back[k] = (cplx){ root[k].re, -root[k].im };
        if (k) back[m - k] = back[k];
    }
    mixed(l->round, filter, back, 1, m, 0);
    l->chirp = root, l->filter = filter;
    return l;
}

/* ---- a block: all dims of one transform, the last one whole even where half of it is stored ---- */

typedef struct { const ir_eqn *e; op_fft how; int n; int64_t length[IR_RANK], block,
    widest; const line *line[IR_RANK]; } fft;
typedef struct { const fft *f; cplx *block, *in, *out, *work; } bench;

static bool inverse(const fft *f) { return f->how == OP_IFFT || f->how == OP_IRFFT; }

/* Along dim d, only the first `columns` places of the last dim. */
static void along_dim(const bench *w, int d, int64_t columns)
{
    const fft *f = w->f;
    int64_t step = 1, n = f->length[d], last = f->length[f->n - 1];
    for (int k = d + 1; k < f->n; k++) step *= f->length[k];
    for (int64_t i = 0; i < f->block / (n * step); i++)
        for (int64_t j = 0; j < step; j++) {
            if (d + 1 < f->n && j % last >= columns) continue;
            cplx *const at = w->block + i * n * step + j;
            for (int64_t k = 0; k < n; k++) w->in[k] = at[k * step];
            along_line(f->line[d], w->out, w->in, w->work);
            for (int64_t k = 0; k < n; k++) at[k * step] = w->out[k];
        }
}

/* The other half of the last dim: the conjugates (parts are exchanged here), first and middle column real. */
static void complete(const bench *w)
{
    const fft *f = w->f;
    const int64_t n = f->length[f->n - 1];
    for (int64_t i = 0; i < f->block / n; i++) {
        cplx *const at = w->block + i * n;
        at[0].re = 0;
        if (n % 2 == 0) at[n / 2].re = 0;
        for (int64_t k = n / 2 + 1; k < n; k++) at[k] = (cplx){ -at[n - k].re, at[n - k].im };
    }
}

/* Between a box and the block: element i of the box's inner dims. `load` says in which direction. */
static void move(const bench *w, const ir_box *b, const int64_t *lead, bool load, double scale)
{
    const fft *f = w->f;
    const int64_t size = (int64_t)ir_dtype_of(b->dtype)->bytes, per = op_is_complex(b->dtype) ? 2 : 1;
    const bool wide = size / per == 8, turn = inverse(f);
    const int first = b->rank - f->n;
    ir_box part = *b;
    int64_t i[IR_RANK];
    for (int d = 0; d < first; d++) part.lo[d] = lead[d], part.n[d] = 1;
    for (bool more = ir_first(&part, i); more; more = ir_next(&part, i)) {
        int64_t from = 0, to = 0;
        for (int d = 0; d < b->rank; d++) from += (i[d] - b->lo[d]) * b->step[d];
        for (int d = first; d < b->rank; d++) to = to * f->length[d - first] + i[d];
        cplx *const z = &w->block[to];
        char *const at = (char *)b->at + from * size;
        double v[2] = { turn ? z->im * scale : z->re * scale, turn ? z->re * scale : z->im * scale };
        if (!load && wide) memcpy(at, v, (size_t)size);
        else if (!load) memcpy(at, (float[]){ (float)v[0], (float)v[1] }, (size_t)size);
        if (!load) continue;
        float s[2] = { 0, 0 };
        v[1] = 0;
        if (wide) memcpy(v, at, (size_t)size);
        else memcpy(s, at, (size_t)size), v[0] = (double)s[0], v[1] = (double)s[1];
        *z = turn ? (cplx){ v[1], v[0] } : (cplx){ v[0], v[1] };
    }
}

static void one(const bench *w, const ir_box *x, const ir_box *y, const int64_t *lead)
{
    const fft *f = w->f;
    const int64_t n = f->length[f->n - 1], half = n / 2 + 1;
    double all = 1;
    for (int d = 0; d < f->n; d++) all *= (double)f->length[d];
    move(w, x, lead, true, 1);
    if (f->how != OP_IRFFT) along_dim(w, f->n - 1, n);
    for (int d = 0; d + 1 < f->n; d++) along_dim(w, d, f->how == OP_RFFT || f->how == OP_IRFFT ? half : n);
    if (f->how == OP_IRFFT) complete(w), along_dim(w, f->n - 1, n);
    move(w, y, lead, false, inverse(f) ? 1 / all : 1);
}

/* ---- the engine ---- */

static int64_t blocks(const fft *f, const ir_box *y)
{
    int64_t n = 1;
    for (int d = 0; d < y->rank - f->n; d++) n *= y->n[d];
    return n;
}

static int64_t fft_tiles(const void *self, const ir_box *arg)
{
    const fft *f = self;
    const int64_t n = blocks(f, &arg[1]), work = n * f->block / GRAIN, most = work > 64 ? 64 : work < 1 ? 1 : work;
    return n < most ? (n < 1 ? 1 : n) : most;
}

static int64_t fft_scratch(const void *self, const ir_box *arg)
{
    const fft *f = self;
    int64_t work = 0;
    (void)arg;
    for (int d = 0; d < f->n; d++)
        if (f->line[d]->round && 2 * f->line[d]->round->n > work) work = 2 * f->line[d]->round->n;
    return (f->block + 2 * f->widest + work) * (int64_t)sizeof(cplx);
}

static void fft_run(const void *self, const run_job *job)
{
    const fft *f = self;
    const ir_box *x = &job->arg[0], *y = &job->arg[1];
    const int64_t n = blocks(f, y), tiles = fft_tiles(self, job->arg);
    cplx *const mem = job->scratch;
    const bench w = { f, mem, mem + f->block, mem + f->block + f->widest, mem + f->block + 2 * f->widest };
    if (!f->block || !ir_box_count(y)) return;
    for (int64_t k = n * job->first / tiles; k < n * (job->first + job->count) / tiles; k++) {
        int64_t lead[IR_RANK], rest = k;
        for (int d = y->rank - f->n - 1; d >= 0; rest /= y->n[d], d--) lead[d] = y->lo[d] + rest % y->n[d];
        one(&w, x, y, lead);
    }
}

static const char *fft_refuses(const gen_group *g)
{
    return g->neqn == 1 && g->eqn[0]->op == &row_fft ? NULL : "not a Fourier transform";
}

static bool fft_make(base_arena *a, const gen_group *g, run_kernel *k)
{
    fft *f = BASE_NEW(a, fft, 1);
    const op_fft_attr *t = IR_ATTR(g->eqn[0], op_fft_attr);
    *f = (fft){ .e = g->eqn[0], .how = (op_fft)t->fft_type, .n = t->fft_length.n, .block = 1 };
    for (int d = 0; d < f->n; d++) {
        f->length[d] = t->fft_length.v[d];
        f->line[d] = line_of(a, f->length[d]);
        f->block *= f->length[d];
        if (f->length[d] > f->widest) f->widest = f->length[d];
    }
    *k = (run_kernel){ .code = fft_run, .self = f, .tiles = fft_tiles, .scratch = fft_scratch,
                       .name = base_intern("fft"), .site = f->e->site };
    return true;
}

const gen_engine gen_fft = { sizeof(gen_engine), "fft", fft_refuses, fft_make };
