/* api/index.h - what the files of indices share (index.c, gather.c): modes, and indices made ready for a lookup. */
#ifndef TUTTI_API_INDEX_H
#define TUTTI_API_INDEX_H

#include "api.h"

/* What an index out of range gives (jnp.take's modes): a fill value (in a scatter: nothing), the nearest row, the index
 * modulo the size, or undefined (the caller guarantees that there is none). */
typedef enum { FILL, CLIP, WRAP, PROMISED } index_beyond;

/* An index_beyond; -1 with the error set. usual: the word of FILL, "fill" or "drop"; NULL is that word too. */
int index_mode(base_site, const char *what, const char *mode, const char *usual);
/* True if the array has integers; else sets the error. */
bool index_integers(base_site, const char *what, const trace_value *);
/* Indices of 32 bits or more, as the mode has them; size: of the dim. checked: one out of range is an error (FILL). */
ir_id index_ready(ir_build *, ir_id index, int64_t size, int mode, bool checked);
/* True where 0 <= index < size. */
ir_id index_inside(ir_build *, ir_id index, int64_t size);
/* What an integer array has in the place of an element out of range, as a scalar: the lowest number, of unsigned ones
 * the highest. 0: not an integer type. */
ir_id index_missing(ir_build *, tt_dtype);
/* The region of a scatter: how combines the old element and the update; NULL: the update. */
ir_fn *index_region(ir_build *, const op_prim *how, tt_dtype);

#endif
