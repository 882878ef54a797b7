/* gen/linalg/fft.h - transforms along lines, one at a time and eight side by side, for fft.c (fft_isa.c, per
 * instruction set).
 *
 * Side by side the arithmetic of each line is the same, so its bits are. */
#ifndef TUTTI_GEN_FFT_H
#define TUTTI_GEN_FFT_H

#include "../gen.h"

enum { FFT_FACTORS = 64, FFT_LARGEST = 61, FFT_LANES = 8 }; /* of prime factors: how many, the largest done directly */
typedef struct { double re, im; } fft_number;

/* A transform along one dim: root[k] = e^(-2 pi i k / n). With `round` (of a power of two) it is a convolution with
 * chirp[k] = e^(-pi i k^2 / n), whose transform is `filter`. */
typedef struct fft_line {
    int64_t n;
    int nfactor, factor[FFT_FACTORS];
    const fft_number *root, *chirp, *filter;
    const struct fft_line *round;
} fft_line;

/* y[k] = sum x[j] root[jk]; x and y of n numbers, each of lanes re and as many im; work: 2 * round->n numbers. */
typedef void fft_along(const fft_line *, void *y, const void *x, void *work);
typedef struct { fft_along *one, *lanes; } fft_ops;

#endif
