/* base/memstream.h - a stream into memory: the text is complete, or fclose fails.
 *
 * When the text of glibc's open_memstream cannot grow, the bytes that do not fit are dropped, and neither ferror nor
 * fclose always fails: a text may lack a piece between complete lines. Here nothing is written after a growth that
 * failed, and fclose fails. The functions are inline, because plug-ins do not link this room. */
#ifndef TUTTI_BASE_MEMSTREAM_H
#define TUTTI_BASE_MEMSTREAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

typedef struct {
    char **text; size_t *bytes;                          /* the user's, set by fclose */
    char *p; size_t n, cap;                              /* cap: one byte more than n at least, for the final 0 */
    bool bad;                                            /* a growth failed */
    char buffer[1024];                                   /* the stream's: stdio itself needs no memory */
} base_memstream;

static inline bool base_memstream_grow(base_memstream *m, size_t more)
{
    if (m->bad || more < m->cap - m->n) return !m->bad;
    size_t cap = m->cap ? m->cap : 512;
    while (cap - m->n <= more && cap <= SIZE_MAX / 4) cap *= 2;
    char *p = cap - m->n > more ? realloc(m->p, cap) : NULL;
    if (p) m->p = p, m->cap = cap;
    m->bad = !p;
    return p;
}

static inline ssize_t base_memstream_write(void *cookie, const char *from, size_t n)
{
    base_memstream *m = cookie;
    if (!base_memstream_grow(m, n)) return 0;
    if (n) memcpy(m->p + m->n, from, n);
    m->n += n;
    return (ssize_t)n;
}

static inline int base_memstream_close(void *cookie)
{
    base_memstream *m = cookie;
    const bool good = base_memstream_grow(m, 0);
    if (good) m->p[m->n] = 0, *m->text = m->p, *m->bytes = m->n;
    else free(m->p);
    free(m);
    return good ? 0 : EOF;
}

/* As open_memstream, but *text and *bytes are set by fclose alone: to all that was written, with a 0 after it that does
 * not count, which the caller frees; or, if memory ran out, to NULL and 0, and fclose fails. NULL: there is no memory
 * for a stream. */
static inline FILE *base_open_memstream(char **text, size_t *bytes)
{
    const cookie_io_functions_t does = { .write = base_memstream_write, .close = base_memstream_close };
    base_memstream *m = calloc(1, sizeof *m);
    *text = NULL, *bytes = 0;
    FILE *f = m ? fopencookie(m, "w", does) : NULL;
    if (!f) return free(m), NULL;
    m->text = text, m->bytes = bytes;
    setvbuf(f, m->buffer, _IOFBF, sizeof m->buffer);
    return f;
}

#endif
