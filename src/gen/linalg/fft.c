/* gen/linalg/fft.c - Fourier transforms, computed in f64 for both precisions and rounded once.
 *
 * Tables are computed with the kernel. A task transforms blocks (all dims of one transform) in its scratch, several at
 * a time if the transform has one dim; blocks of the leading dims are the tiles. Lines are transformed eight at a time
 * while there are eight. Inverse transforms exchange real and imaginary parts before and after. */
#include "fft.h"
#include "../../op/ops.h"

#include <math.h>
#include <string.h>

#include "../isa/isa.h"

enum { GRAIN = 1 << 13 };                                /* numbers that a tile should have */

GEN_ISA_DECLARE(const fft_ops, fft_lines);
static const fft_ops *here(void) { return GEN_ISA_PICK(fft_lines); }

/* ---- tables ---- */

static fft_number root_of(int64_t k, int64_t n) /* e^(-2 pi i k / n), from the first eighth of the circle */
{
    const int64_t eighth = 8 * (k % n) / n;
    const long double pi = 3.14159265358979323846264338327950288L;
    const long double at = 2 * pi * (long double)(8 * (k % n) - eighth * n) / (8 * (long double)n);
    const long double odd = eighth & 1 ? pi / 4 - at : at;
    const double c = (double)cosl(odd), s = (double)sinl(odd);
    switch (eighth) {
    case 0:  return (fft_number){ c, -s };
    case 1:  return (fft_number){ s, -c };
    case 2:  return (fft_number){ -s, -c };
    case 3:  return (fft_number){ -c, -s };
    case 4:  return (fft_number){ -c, s };
    case 5:  return (fft_number){ -s, c };
    case 6:  return (fft_number){ s, c };
    default: return (fft_number){ c, s };
    }
}

/* Factors 4, at most one 2, then odd primes. Returns false if a prime factor is too large. */
static bool factorised(fft_line *l)
{
    int64_t n = l->n;
    for (int p = 4; n > 1;) {
        while (n % p == 0) l->factor[l->nfactor++] = p, n /= p;
        p = p == 4 ? 2 : p == 2 ? 3 : p + 2;
        if (p > FFT_LARGEST) break;
    }
    return n <= 1;
}

static const fft_line *fft_line_of(base_arena *a, int64_t n)
{
    fft_line *l = BASE_NEW(a, fft_line, 1);
    l->n = n;
    if (n < 1) return l;
    const bool direct = factorised(l);
    fft_number *root = BASE_NEW(a, fft_number, n);
    for (int64_t k = 0; direct && k < n; k++) root[k] = root_of(k, n);
    l->root = root;
    if (direct) return l;
    int64_t m = 1, square = 0;
    while (m < 2 * n - 1) m *= 2;
    fft_number *back = BASE_NEW(a, fft_number, m), *filter = BASE_NEW(a, fft_number, m);
    l->round = fft_line_of(a, m);
    for (int64_t k = 0; k < n; k++) {                    /* k^2 mod 2n */
        root[k] = root_of(square, 2 * n);
        square = (square + 2 * k + 1) % (2 * n);
        back[k] = (fft_number){ root[k].re, -root[k].im };
        if (k) back[m - k] = back[k];
    }
    here()->one(l->round, filter, back, NULL);
    l->chirp = root, l->filter = filter;
    return l;
}

/* ---- blocks: all dims of a transform; the last one complete even where half of it is stored ---- */

typedef struct {
    const ir_eqn *e;
    op_fft how;
    int n;
    int64_t length[IR_RANK], block, widest, together;    /* numbers of a block, of a line; blocks in scratch at once */
    const fft_line *line[IR_RANK];
} fft;
typedef struct { const fft *f; fft_number *block; double *in, *out, *work; int64_t blocks; } bench;

static bool inverse(const fft *f) { return f->how == OP_IFFT || f->how == OP_IRFFT; }

/* Transforms the lines that begin at these places of the block. */
static void lines(const bench *w, int d, int64_t step, const int64_t *from, int count)
{
    const fft *f = w->f;
    const fft_ops *op = here();
    const int64_t n = f->length[d];
    const int L = count > 1 ? FFT_LANES : 1;             /* lanes without a line repeat the first */
    for (int v = 0; v < L; v++) {
        const fft_number *const at = w->block + from[v < count ? v : 0];
        for (int64_t k = 0; k < n; k++) w->in[2 * L * k + v] = at[k * step].re,
            w->in[2 * L * k + L + v] = at[k * step].im;
    }
    (L == 1 ? op->one : op->lanes)(f->line[d], w->out, w->in, w->work);
    for (int v = 0; v < count; v++) {
        fft_number *const at = w->block + from[v];
        for (int64_t k = 0; k < n; k++) at[k * step] = (fft_number){ w->out[2 * L * k + v], w->out[2 * L * k + L + v] };
    }
}

/* Transforms along dim d, only the first `columns` places of the last dim. */
static void along_dim(const bench *w, int d, int64_t columns)
{
    const fft *f = w->f;
    int64_t step = 1, n = f->length[d], last = f->length[f->n - 1], from[FFT_LANES];
    int count = 0;
    for (int k = d + 1; k < f->n; k++) step *= f->length[k];
    for (int64_t i = 0; i < w->blocks * f->block / (n * step); i++)
        for (int64_t j = 0; j < step; j++) {
            if (d + 1 < f->n && j % last >= columns) continue;
            from[count++] = i * n * step + j;
            if (count < FFT_LANES) continue;
            lines(w, d, step, from, count);
            count = 0;
        }
    if (count) lines(w, d, step, from, count);
}

/* Computes the other half of the last dim: the conjugates (parts are exchanged here); the first and middle columns are
 * real. */
static void fft_complete(const bench *w)
{
    const fft *f = w->f;
    const int64_t n = f->length[f->n - 1];
    for (int64_t i = 0; i < w->blocks * f->block / n; i++) {
        fft_number *const at = w->block + i * n;
        at[0].re = 0;
        if (n % 2 == 0) at[n / 2].re = 0;
        for (int64_t k = n / 2 + 1; k < n; k++) at[k] = (fft_number){ -at[n - k].re, at[n - k].im };
    }
}

/* Moves n numbers along a line of a box: p has `per` reals for each, 2 or, of a real box, 1. */
#define MOVE(T)                                                                                                        \
    for (int64_t k = 0; k < n; k++) {                                                                                  \
        T *const p = (T *)at + k * step * per;                                                                         \
        if (load) z[k].re = (double)p[0], z[k].im = per == 2 ? (double)p[1] : 0;                                       \
        else p[0] = (T)(z[k].re * scale);                                                                              \
        if (!load && per == 2) p[1] = (T)(z[k].im * scale);                                                            \
    }
static void move_line(fft_number *z, void *at, int64_t step, int64_t n, int per, bool wide, bool load, double scale)
{
    if (wide) MOVE(double)
    else MOVE(float)
}

static void fft_exchange(fft_number *z, int64_t n)
{
    for (int64_t k = 0; k < n; k++) z[k] = (fft_number){ z[k].im, z[k].re };
}

/* Moves a block between a box and `block`, by lines of the last dim. load: from the box. */
static void move(const fft *f, fft_number *block, const ir_box *b, const int64_t *lead, bool load, double scale)
{
    const int64_t size = (int64_t)ir_dtype_of(b->dtype)->bytes;
    const int first = b->rank - f->n, last = b->rank - 1, per = op_is_complex(b->dtype) ? 2 : 1;
    ir_box part = *b;
    int64_t i[IR_RANK];
    for (int d = 0; d < first; d++) part.lo[d] = lead[d], part.n[d] = 1;
    part.n[last] = 1;
    for (bool more = ir_first(&part, i); more; more = ir_next(&part, i)) {
        int64_t from = 0, to = 0;
        for (int d = 0; d < b->rank; d++) from += (i[d] - b->lo[d]) * b->step[d];
        for (int d = first; d < b->rank; d++) to = to * f->length[d - first] + i[d];
        fft_number *const z = block + to;
        if (!load && inverse(f)) fft_exchange(z, b->n[last]);
        move_line(z, (char *)b->at + from * size, b->step[last], b->n[last], per, size / per == 8, load, scale);
        if (load && inverse(f)) fft_exchange(z, b->n[last]);
    }
}

static void transform(const bench *w)
{
    const fft *f = w->f;
    const int64_t n = f->length[f->n - 1], half = n / 2 + 1;
    if (f->how != OP_IRFFT) along_dim(w, f->n - 1, n);
    for (int d = 0; d + 1 < f->n; d++) along_dim(w, d, f->how == OP_RFFT || f->how == OP_IRFFT ? half : n);
    if (f->how == OP_IRFFT) fft_complete(w), along_dim(w, f->n - 1, n);
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
    return (f->together * f->block + FFT_LANES * (2 * f->widest + work)) * (int64_t)sizeof(fft_number);
}

/* Indices of the leading dims of block k. */
static void lead_of(const fft *f, const ir_box *y, int64_t k, int64_t *lead)
{
    for (int d = y->rank - f->n - 1; d >= 0; k /= y->n[d], d--) lead[d] = y->lo[d] + k % y->n[d];
}

static void fft_run(const void *self, const run_job *job)
{
    const fft *f = self;
    const ir_box *x = &job->arg[0], *y = &job->arg[1];
    const int64_t n = blocks(f, y), tiles = fft_tiles(self, job->arg), end = n * (job->first + job->count) / tiles;
    fft_number *const mem = job->scratch;
    double *const in = (double *)(mem + f->together * f->block), *const out = in + 2 * FFT_LANES * f->widest;
    bench w = { f, mem, in, out, out + 2 * FFT_LANES * f->widest, 0 };
    int64_t lead[IR_RANK];
    double all = 1;
    if (!f->block || !ir_box_count(y)) return;
    for (int d = 0; d < f->n; d++) all *= (double)f->length[d];
    for (int64_t k = n * job->first / tiles; k < end; k += w.blocks) {
        w.blocks = end - k < f->together ? end - k : f->together;
        for (int64_t i = 0; i < w.blocks; i++) lead_of(f, y, k + i, lead),
            move(f, mem + i * f->block, x, lead, true, 1);
        transform(&w);
        for (int64_t i = 0; i < w.blocks; i++)
            lead_of(f, y, k + i, lead), move(f, mem + i * f->block, y, lead, false, inverse(f) ? 1 / all : 1);
    }
}

static const char *fft_refuses(const gen_group *g)
{
    return g->neqn == 1 && g->eqn[0]->op == &prim_fft ? NULL : "not a Fourier transform";
}

static bool fft_make(base_arena *a, const gen_group *g, run_kernel *k)
{
    fft *f = BASE_NEW(a, fft, 1);
    const op_fft_attr *t = IR_ATTR(g->eqn[0], op_fft_attr);
    *f = (fft){ .e = g->eqn[0], .how = (op_fft)t->fft_type, .n = t->fft_length.n, .block = 1 };
    for (int d = 0; d < f->n; d++) {
        f->length[d] = t->fft_length.v[d];
        f->line[d] = fft_line_of(a, f->length[d]);
        f->block *= f->length[d];
        if (f->length[d] > f->widest) f->widest = f->length[d];
    }
    f->together = f->n == 1 ? FFT_LANES : 1;
    *k = (run_kernel){ .code = fft_run, .self = f, .tiles = fft_tiles, .scratch = fft_scratch,
                       .name = base_intern("fft"), .site = f->e->site };
    return true;
}

const gen_engine gen_fft = { sizeof(gen_engine), "fft", fft_refuses, fft_make };
