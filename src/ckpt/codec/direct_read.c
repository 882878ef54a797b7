/* ckpt/codec/direct_read.c - reads a complete chunk that is stored in its memory format from the file directly into the
 * rows of the destination array: no intermediate copy, no memory of its own.
 *
 * The kernel scatters (preadv); the checksum is computed from the rows while they are in the cache. Several threads
 * read a part of the rows each, and the checksums of the parts are joined. If the checksum is wrong, the chunk has
 * already been written into the array: the caller discards it. */
#include "../ckpt.h"

#include <string.h>
#include <sys/uio.h>

/* shorter rows cost more as iovec entries than as copies */
enum { ROWS = 256, PARTS = 8, SHORTEST = 256, PIECE = 1 << 18 };

/* Rows of `run` bytes; a chunk that is a single row is split, and its last part may be shorter. */
typedef struct {
    const ckpt_store *s;
    const char *key;
    int64_t from, rows, parts, bytes;
    size_t run;
    int outer;
    const int64_t *n, *step;
    char *to;
    bool checked;
    uint32_t crc[PARTS];
    uint8_t stored[4];
} reading;

/* Of a box and its strides: the number of contiguous bytes, and of the remaining outer dims. */
static size_t run_of(size_t unit, int rank, const int64_t *n, const int64_t *step, int *outer)
{
    size_t run = unit;
    while (rank && (n[rank - 1] == 1 || step[rank - 1] == (int64_t)run)) run *= (size_t)n[--rank];
    *outer = rank;
    return run;
}

bool ckpt_can_read_direct(const ckpt_store *s, size_t unit, int rank, const int64_t *n, const int64_t *step)
{
    int outer;
    for (int i = 0; i < rank; i++) if (!n[i]) return false;
    return s->scatter && run_of(unit, rank, n, step, &outer) >= SHORTEST;
}

static struct iovec row_at(const reading *r, int64_t i)
{
    const int64_t at = i * (int64_t)r->run, left = r->bytes - at;
    if (!r->outer) return (struct iovec){ r->to + at, left < (int64_t)r->run ? (size_t)left : r->run };
    char *t = r->to;
    for (int d = r->outer - 1; d >= 0; i /= r->n[d--]) t += i % r->n[d] * r->step[d];
    return (struct iovec){ t, r->run };
}

static bool direct_read_share(void *env, const int64_t *at, bool inside, ckpt_err *e)
{
    reading *r = env;
    struct iovec row[ROWS + 1];
    const int64_t end = r->rows * (at[0] + 1) / r->parts;
    uint32_t crc = 0;
    (void)inside;
    for (int64_t i = r->rows * at[0] / r->parts; i < end;) {
        const int64_t from = r->from + i * (int64_t)r->run;
        int k = 0;
        while (i < end && k < ROWS) row[k++] = row_at(r, i++);
        const bool last = r->checked && i == r->rows;
        if (last) row[k] = (struct iovec){ r->stored, sizeof r->stored };
        if (!r->s->scatter(r->s, r->key, from, row, k + last, e)) return false;
        for (int j = 0; r->checked && j < k; j++) crc = ckpt_crc32c(crc, row[j].iov_base, row[j].iov_len);
    }
    r->crc[at[0]] = crc;
    return true;
}

bool ckpt_read_direct(const ckpt_store *s, const char *key, int64_t from, size_t unit, int rank, const int64_t *n,
                      char *to, const int64_t *step, bool checked, bool inside, const char *where, ckpt_err *e)
{
    reading r = { .s = s, .key = key, .from = from, .n = n, .step = step, .to = to, .checked = checked };
    uint32_t crc = 0;
    r.run = run_of(unit, rank, n, step, &r.outer);
    r.rows = 1, r.bytes = (int64_t)r.run;
    for (int i = 0; i < r.outer; i++) r.rows *= n[i], r.bytes *= n[i];
    if (!r.outer && r.run > PIECE) r.run = PIECE, r.rows = (r.bytes + PIECE - 1) / PIECE;
    r.parts = r.rows < PARTS ? r.rows : PARTS;
    const int64_t first = 0, last = r.parts - 1;
    if (!ckpt_each_chunk(1, &first, &last, r.bytes, inside, direct_read_share, &r, e)) return false;
    for (int64_t i = 0; checked && i < r.parts; i++) {
        const int64_t a = r.rows * i / r.parts * (int64_t)r.run, b = r.rows * (i + 1) / r.parts * (int64_t)r.run;
        crc = ckpt_crc32c_join(crc, r.crc[i], (uint64_t)((b < r.bytes ? b : r.bytes) - a));
    }
    return !checked || ckpt_checksum_is(e, where, r.stored, crc);
}
