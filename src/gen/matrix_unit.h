/* gen/matrix_unit.h - for benchmarks: which work had its float32 products computed on the matrix unit. */
#ifndef TUTTI_GEN_MATRIX_UNIT_H
#define TUTTI_GEN_MATRIX_UNIT_H

#include <stdbool.h>

bool gen_matrix_unit_used(void);                         /* since the last call: matrix products, convolutions */

#endif
