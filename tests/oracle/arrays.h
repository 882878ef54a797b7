/* oracle/arrays.h - the arrays of one suite, by name; bfloat16 is stored as uint16 under a name that ends in .bf16. */
#ifndef TUTTI_TESTS_ORACLE_ARRAYS_H
#define TUTTI_TESTS_ORACLE_ARRAYS_H

#include "oracle.h"

typedef struct {
    const char *name;
    tt_dtype dtype; int rank; int64_t dim[14];
    const uint8_t *data; size_t bytes;
} array;
const array *array_of(const oracle_suite *, const char *name);   /* NULL: none */
const char *oracle_suite_name(const oracle_suite *);
const char *oracle_suite_dir(const oracle_suite *);

#endif
