/* api/grid.h - an array of words, to be printed as NumPy prints arrays. */
#ifndef TUTTI_API_GRID_H
#define TUTTI_API_GRID_H

#include "api.h"

typedef struct {
    int rank;
    const int64_t *dim;
    const char *(*word)(void *env, int64_t i);           /* element i, row-major */
    void *env;
    const char *separator;                               /* ", " or " " */
    int before, width;                                   /* columns before the first line; columns per line */
} api_grid;
enum { API_LISTED = 1 << 18 };                           /* the most devices of a mesh that a text lists */
void api_grid_put(base_text *, const api_grid *);

#endif
