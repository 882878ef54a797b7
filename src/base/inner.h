/* base/inner.h - shared by the files of this room: counted blocks from the system, and the allocation test hook. */
#ifndef TUTTI_BASE_INNER_H
#define TUTTI_BASE_INNER_H

#include "base.h"

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

enum { BASE_HEAD = 16 };                                 /* bytes before a chunk, which hold the size of the chunk */
bool  base_refused(void);                                /* True if base_fail_allocation makes this request fail */
void *base_chunk(size_t bytes);                          /* zeroed and counted; NULL without an error */
void  base_chunk_free(void *);
/* Chunks of arenas: counted; NULL without an error. zero: whether the contents are zero, else they are unspecified. The
 * chunk may be one that base_chunk_keep kept for later arenas; that function frees a chunk if enough are kept. */
void *base_chunk_of_arena(size_t bytes, bool *zero);
void  base_chunk_keep(void *);
void *base_map_huge(size_t bytes);                       /* on a boundary of 2 MiB; NULL: no memory */
/* Blocks of middle size (slab.c): of sizes that fit alone. base_slab: NULL if the block, which is counted, has to come
 * from the C library; base_slab_free: false if it did, or if p is NULL, and the block does not exist. */
bool  base_slab_fits(size_t bytes);
void *base_slab(size_t bytes);
bool  base_slab_free(void *, size_t bytes);

#endif
