/* base/inner.h - what base's own files share: blocks from the system, counted, and the test hook that refuses one. */
#ifndef TUTTI_BASE_INNER_H
#define TUTTI_BASE_INNER_H

#include "base.h"

bool  base_refused(void);                                /* is this the request that base_fail_allocation named? */
void *base_chunk(size_t bytes);                          /* zeroed and counted; NULL without an error */
void  base_chunk_free(void *);

#endif
