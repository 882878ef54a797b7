/* gen/linalg/fft.h - transforms along lines, one at a time or eight at a time, for fft.c (fft_isa.c, per instruction
 * set).
 *
 * The arithmetic of each line is the same in both forms, and so are the bits. */
#ifndef TUTTI_GEN_FFT_H
#define TUTTI_GEN_FFT_H

#include "../gen.h"

/* most prime factors; the largest prime computed directly */
enum { FFT_FACTORS = 64, FFT_LARGEST = 61, FFT_LANES = 8 };
typedef struct { double re, im; } fft_number;

/* A transform along one dim: root[k] = e^(-2 pi i k / n). With `round` (a line of a power of two), the transform is a
 * convolution with chirp[k] = e^(-pi i k^2 / n), whose transform is `filter`. */
typedef struct fft_line {
    int64_t n;
    int nfactor, factor[FFT_FACTORS];
    const fft_number *root, *chirp, *filter;
    const struct fft_line *round;
} fft_line;

/* y[k] = sum x[j] root[jk]; x and y have n numbers, each of `lanes` re and as many im; work: 2 * round->n numbers. */
typedef void fft_along(const fft_line *, void *y, const void *x, void *work);
typedef struct { fft_along *one, *lanes; } fft_ops;

#endif
