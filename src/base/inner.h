/* base/inner.h - what base's own files share: blocks from the system, counted, and the test hook that refuses one. */
#ifndef TUTTI_BASE_INNER_H
#define TUTTI_BASE_INNER_H

#include "base.h"

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

enum { BASE_HEAD = 16 };                                 /* bytes before a chunk: its size */
bool  base_refused(void);                                /* is this the request that base_fail_allocation named? */
void *base_chunk(size_t bytes);                          /* zeroed and counted; NULL without an error */
void  base_chunk_free(void *);
/* Of an arena: kept for the next one, if few are. again: one that is kept, with any contents; NULL: there is none. */
void  base_chunk_keep(void *);
void *base_chunk_again(size_t bytes);

#endif
