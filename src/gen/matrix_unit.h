/* gen/matrix_unit.h - for benchmarks: which work had its products of float32 made on the matrix unit. */
#ifndef TUTTI_GEN_UNIT_H
#define TUTTI_GEN_UNIT_H

#include <stdbool.h>

bool gen_matrix_unit_used(void);                         /* since it was last asked: matrix products, convolutions */

#endif
