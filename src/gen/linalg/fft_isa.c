/* gen/linalg/fft_isa.c - Fourier transforms of lines, per instruction set: mixed radix by decimation in time (4, 2 and
 * any small prime), Bluestein's convolution if a large prime divides the length. */
#include <string.h>

/* gcc 12 vectorises a sum and a difference of products, and contracts them to fma even under -ffp-contract=off: a
 * single line would have other bits than eight at a time, which are vectors already. */
#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("no-tree-vectorize")
#endif

#include "fft.h"
#include "../isa/isa.h"

#define R double
#define FFT(f) f##_one
#include "fft_radix.h"

typedef double lanes __attribute__((vector_size(FFT_LANES * sizeof(double)), aligned(8)));
#define R lanes
#define FFT(f) f##_lanes
#include "fft_radix.h"

extern const fft_ops GEN_ISA(fft_lines);
const fft_ops GEN_ISA(fft_lines) = { along_one, along_lanes };
