/* op/linalg/matrix_real.c - the dense algorithms of linalg/ on reals. */
#include "matrix.h"

#include <float.h>
#include <math.h>

#define COMPLEX  0
#define CONJ(x)  (x)
#define RE(x)    (x)
#define SIZE(x)  fabs(x)
#define SIZE1(x) fabs(x)
typedef double num;
#include "matrix_any.h"

const op_matrix_kit op_matrix_real = KIT;
