/* ckpt/save/shard.c - writes one file of an array: chunks with checksums, then their index. A chunk is read from the
 * value when it is written, so that a save needs the memory of one chunk.
 *
 * Chunks of 64 KB and more begin at multiples of 4096 bytes, so that a file can be mapped or read past the cache. */
#include "../ckpt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put64(uint8_t *p, uint64_t x) { for (int i = 0; i < 8; i++) p[i] = (uint8_t)(x >> 8 * i); }
static void put32(uint8_t *p, uint32_t x) { for (int i = 0; i < 4; i++) p[i] = (uint8_t)(x >> 8 * i); }

/* The copy of the cell that a box begins in, and that cell's box; NULL: there is none. */
static const uint8_t *cell_held(const ckpt_out *o, const int64_t *lo, int64_t *first, int64_t *n)
{
    int64_t cell = 0;
    if (!o->held) return NULL;
    for (int i = 0; i < o->rank; i++) {
        const int64_t at = lo[i] / o->chunk[i], end = (at + 1) * o->chunk[i];
        first[i] = at * o->chunk[i];
        n[i] = (end < o->dim[i] ? end : o->dim[i]) - first[i];
        cell = cell * o->grid[i] + at;
    }
    return o->held[cell];
}

/* Reads the box [lo, lo + n) of the leaf, dense. */
static bool shard_take(const ckpt_out *o, const int64_t *lo, const int64_t *n, void *to, ckpt_err *e)
{
    int64_t step[CKPT_RANK], to_step[CKPT_RANK], bytes = (int64_t)ckpt_unit(o->dtype), dense = bytes, at = 0;
    int64_t first[CKPT_RANK] = { 0 }, have[CKPT_RANK];
    const uint8_t *const held = cell_held(o, lo, first, have), *const from = held ? held : o->copy;
    if (!from)
        return tt_read_box_at(NULL, o->v, lo, n, to) ||
               ckpt_fail(e, TT_EDATA, "%s: the elements could not be read", o->path);
    for (int i = o->rank - 1; i >= 0; i--) {
        step[i] = bytes, bytes *= held ? have[i] : o->dim[i];
        to_step[i] = dense, dense *= n[i];
        at += (lo[i] - first[i]) * step[i];
    }
    ckpt_copy(ckpt_unit(o->dtype), o->rank, n, to, to_step, (const char *)from + at, step);
    return true;
}

/* The chunk that begins at lo, in the chunk's own shape: zeros beyond the array's end. edge: a buffer of the same
 * size. */
static bool piece(const ckpt_out *o, const int64_t *lo, uint8_t *to, uint8_t *edge, size_t bytes, ckpt_err *e)
{
    int64_t n[CKPT_RANK], step[CKPT_RANK], from_step[CKPT_RANK], wide = (int64_t)ckpt_unit(o->dtype), dense = wide;
    bool whole = true;
    for (int i = 0; i < o->rank; i++) {
        n[i] = lo[i] + o->inner[i] > o->dim[i] ? o->dim[i] - lo[i] : o->inner[i];
        whole &= n[i] == o->inner[i];
    }
    if (whole) return shard_take(o, lo, n, to, e);
    if (!shard_take(o, lo, n, edge, e)) return false;
    for (int i = o->rank - 1; i >= 0; i--) step[i] = wide, wide *= o->inner[i], from_step[i] = dense, dense *= n[i];
    memset(to, 0, bytes);
    ckpt_copy(ckpt_unit(o->dtype), o->rank, n, (char *)to, step, (const char *)edge, from_step);
    return true;
}

static bool shard_pad(ckpt_file *f, size_t bytes, ckpt_err *e)   /* pads to the alignment of a chunk */
{
    static const uint8_t zeros[4096];
    const int64_t align = bytes >= 65536 ? 4096 : 64, over = f->n % align;
    return !over || ckpt_file_write(f, zeros, (size_t)(align - over), e);
}

/* The shard begins where the file ends now: its index counts from there. */
static bool pieces(ckpt_file *f, const ckpt_out *o, const int64_t *base, size_t bytes, uint8_t *buffer, ckpt_err *e)
{
    const int64_t start = f->n;
    int64_t count = 1, per[CKPT_RANK], at[CKPT_RANK] = { 0 }, lo[CKPT_RANK] = { 0 };
    for (int i = 0; i < o->rank; i++) count *= per[i] = o->chunk[i] / o->inner[i];
    uint8_t *index = malloc((size_t)count * 16 + 4);
    bool ok = index || ckpt_fail(e, TT_EMEM, "out of memory");
    for (int64_t k = 0; ok && k < count; k++) {
        bool outside = false;
        for (int i = 0; i < o->rank; i++) lo[i] = base[i] + at[i] * o->inner[i], outside |= lo[i] >= o->dim[i];
        put64(index + 16 * k, UINT64_MAX);
        put64(index + 16 * k + 8, UINT64_MAX);
        if (!outside) {
            ok = shard_pad(f, bytes, e) && piece(o, lo, buffer, buffer + bytes + 4, bytes, e);
            const uint32_t crc = ok ? ckpt_crc32c(0, buffer, bytes) : 0;
            put32(buffer + bytes, crc);
            put64(index + 16 * k, (uint64_t)(f->n - start));
            put64(index + 16 * k + 8, bytes + 4);
            ok = ok && ckpt_file_write_known(f, buffer, bytes + 4, bytes, crc, e);
        }
        for (int i = o->rank - 1; i >= 0 && ++at[i] == per[i]; i--) at[i] = 0;
    }
    if (ok) put32(index + 16 * count, ckpt_crc32c(0, index, (size_t)count * 16));
    ok = ok && ckpt_file_write(f, index, (size_t)count * 16 + 4, e);
    free(index);
    return ok;
}

bool ckpt_row(ckpt_job *j, const char *file, int64_t n, uint32_t crc, ckpt_err *e)
{
    char hex[16];
    snprintf(hex, sizeof hex, "%08x", crc);
    json_t *row = json_pack("{s:s, s:I, s:s, s:i}", "f", file, "n", (json_int_t)n, "c", hex, "w", j->writer);
    return (row && json_array_append_new(j->files, row) == 0) || ckpt_fail(e, TT_EMEM, "out of memory");
}

bool ckpt_cell(ckpt_job *j, const ckpt_out *o, int64_t cell, ckpt_err *e)
{
    char dir[2 * CKPT_PATH], name[400] = "c", file[1024];
    int64_t at[CKPT_RANK], base[CKPT_RANK] = { 0 };
    ckpt_file own = { .fd = -1 }, *const f = j->ocdbt ? &j->data : &own;
    size_t bytes = ckpt_unit(o->dtype);
    for (int i = o->rank - 1; i >= 0; i--) at[i] = cell % o->grid[i], cell /= o->grid[i], base[i] = at[i] * o->chunk[i];
    for (int i = 0; i < o->rank; i++) {
        const size_t n = strlen(name);
        snprintf(name + n, sizeof name - n, ".%lld", (long long)at[i]);
        bytes *= (size_t)o->inner[i];
    }
    snprintf(dir, sizeof dir, "%s/%s", j->item, o->folder);
    snprintf(file, sizeof file, "%s%s/%s", j->ocdbt ? "" : j->sub, o->folder, name);
    uint8_t *buffer = malloc(2 * bytes + 8);
    bool ok = buffer || ckpt_fail(e, TT_EMEM, "out of memory for %zu bytes", 2 * bytes);
    ok = ok && (j->ocdbt ? ckpt_values_open(j, e) && shard_pad(f, bytes, e) : ckpt_file_new(f, dir, name, e));
    const int64_t start = f->n;
    if (ok && !o->rank) {                                /* a scalar: its bytes and their checksum */
        ok = shard_take(o, NULL, NULL, buffer, e);
        put32(buffer + bytes, ckpt_crc32c(0, buffer, bytes));
        ok = ok && ckpt_file_write(f, buffer, bytes + 4, e);
    } else if (ok) ok = pieces(f, o, base, bytes, buffer, e);
    free(buffer);
    if (j->ocdbt) return ok && ckpt_values_note(j, file, start, f->n - start, e);
    return ckpt_file_hand(f, j->sync, ok) && ckpt_row(j, file, f->n, f->crc, e);
}
