/* op/linalg/matrix_complex.c - the dense algorithms of linalg/ on complex numbers. */
#include "matrix.h"

#include <complex.h>
#include <float.h>
#include <math.h>

#define COMPLEX  1
#define CONJ(x)  conj(x)
#define RE(x)    creal(x)
#define SIZE(x)  cabs(x)
#define SIZE1(x) (fabs(creal(x)) + fabs(cimag(x)))
typedef double _Complex num;
#include "matrix_any.h"

const op_matrix_kit op_matrix_complex = KIT;
