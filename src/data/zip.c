/* data/zip.c - the part of the zip container that NPZ needs: stored and deflated entries, the central directory, zip64
 * where sizes or counts need it. Written entry by entry; dates are 1980-01-01, so that equal contents give equal files.
 *
 * When reading, no size is used before it is checked against the file's bytes: entries must not overlap, so the output
 * is bounded by what deflate can make of the file's bytes once, and memory grows with the actual output. */
#include "data.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { LOCAL = 0x04034b50, ROW = 0x02014b50, END = 0x06054b50, END64 = 0x06064b50, PLACE64 = 0x07064b50 };

static uint64_t zip_at(const uint8_t *p, int n)
{
    uint64_t x = 0;
    while (n--) x = x << 8 | p[n];
    return x;
}

static uint8_t *zip_put_le(uint8_t *p, uint64_t x, int n)
{
    while (n--) *p++ = (uint8_t)x, x >>= 8;
    return p;
}

static bool zip_bad(const char *site, const char *path, const char *what)
{
    tt_fail_at(site, TT_EDATA, "%s: zip: %s", path, what);
    return false;
}

void data_entries_free(int n, data_entry *e)
{
    for (int i = 0; i < n; i++) {
        free(e[i].name), free(e[i].note);
        if (e[i].own) data_free(&e[i].bytes);
    }
    free(e);
}

/* ---- reading ---- */

typedef struct { const char *site, *path; const uint8_t *p; size_t n; } zip;
typedef struct { uint64_t packed, size, local, from; uint32_t crc; int method; } row;

/* Inflates into a buffer that doubles with the actual output, and never exceeds `size`. */
static bool inflated(const uint8_t *from, size_t n, size_t size, data_bytes *out)
{
    z_stream z = { .next_in = (Bytef *)from };
    size_t cap = 0, left = n;
    int r = Z_OK;
    *out = (data_bytes){ 0 };
    if (inflateInit2(&z, -15) != Z_OK) return false;
    while (r == Z_OK) {
        if (out->n == cap) {
            size_t more = cap ? 2 * cap : 4 * n + 64;
            if (more > size + 1) more = size + 1;        /* one byte more than expected, to detect excess */
            uint8_t *p = more > cap ? realloc(out->p, more) : NULL;
            if (!p) break;
            out->p = p, cap = more;
        }
        const uInt in = left > 1 << 30 ? 1u << 30 : (uInt)left, capacity = cap - out->n > 1 << 30 ? 1u << 30
                                                                                              : (uInt)(cap - out->n);
        z.avail_in = in, z.next_out = out->p + out->n, z.avail_out = capacity;
        r = inflate(&z, Z_NO_FLUSH);
        left -= in - z.avail_in, out->n += capacity - z.avail_out;
        if (r == Z_OK && in == z.avail_in && capacity == z.avail_out) break;
    }
    inflateEnd(&z);
    if (r == Z_STREAM_END && out->n == size) return true;
    data_free(out);
    return false;
}

/* Sizes and the offset that did not fit in 32 bits are in the extra field 1, in this order. */
static bool zip_wide(row *r, const uint8_t *extra, size_t n)
{
    uint64_t *const field[] = { &r->size, &r->packed, &r->local };
    bool needed = false;
    for (int i = 0; i < 3; i++) needed |= *field[i] == UINT32_MAX;
    for (size_t k = 0; needed && k + 4 <= n; k += 4 + zip_at(extra + k + 2, 2)) {
        const size_t len = zip_at(extra + k + 2, 2);
        if (len > n - k - 4) return false;
        if (zip_at(extra + k, 2) != 1) continue;
        size_t use = 0;
        for (int i = 0; i < 3; i++) {
            if (*field[i] != UINT32_MAX) continue;
            if (use + 8 > len) return false;
            *field[i] = zip_at(extra + k + 4 + use, 8), use += 8;
        }
        return true;
    }
    return true;
}

static char *zip_text(const uint8_t *p, size_t n)
{
    char *s = memchr(p, 0, n) ? NULL : malloc(n + 1);
    if (s) memcpy(s, p, n), s[n] = 0;
    return s;
}

/* Reads the directory's entry at `dir`, and the local header to which it points, without the elements. */
static bool zip_entry(const zip *z, const uint8_t *dir, size_t left, data_entry *e, row *r, size_t *used)
{
    if (left < 46 || zip_at(dir, 4) != ROW) return zip_bad(z->site, z->path, "the directory is damaged");
    const size_t name = zip_at(dir + 28, 2), extra = zip_at(dir + 30, 2), note = zip_at(dir + 32, 2);
    *used = 46 + name + extra + note;
    if (*used > left) return zip_bad(z->site, z->path, "the directory is damaged");
    *r = (row){ .packed = zip_at(dir + 20, 4), .size = zip_at(dir + 24, 4), .local = zip_at(dir + 42, 4),
                .crc = (uint32_t)zip_at(dir + 16, 4), .method = (int)zip_at(dir + 10, 2) };
    if (!zip_wide(r, dir + 46 + name, extra)) return zip_bad(z->site, z->path, "the directory is damaged");
    if (zip_at(dir + 8, 2) & 1) return zip_bad(z->site, z->path, "an entry is encrypted");
    if (r->local > z->n || z->n - r->local < 30 || zip_at(z->p + r->local, 4) != LOCAL)
        return zip_bad(z->site, z->path, "an entry is outside the file");
    const uint8_t *l = z->p + r->local;
    r->from = r->local + 30 + zip_at(l + 26, 2) + zip_at(l + 28, 2);
    if (r->from > z->n || r->packed > z->n - r->from) return zip_bad(z->site, z->path, "an entry is outside the file");
    if (zip_at(l + 26, 2) != name || memcmp(l + 30, dir + 46, name) != 0)
        return zip_bad(z->site, z->path, "an entry has two names");
    if (r->method != 0 && r->method != 8) return zip_bad(z->site, z->path, "an entry is packed in an unknown way");
    e->name = zip_text(dir + 46, name);
    e->note = zip_text(dir + 46 + name + extra, note);
    return (e->name && e->note) || zip_bad(z->site, z->path, "an entry's name does not read");
}

static bool contents(const zip *z, const row *r, data_entry *e)
{
    if (r->method == 0) {
        e->bytes = (data_bytes){ (uint8_t *)z->p + r->from, r->packed };
        if (r->packed != r->size) return zip_bad(z->site, z->path, "an entry does not unpack");
    } else {
        e->own = true;
        if (r->size > SIZE_MAX - 1 || !inflated(z->p + r->from, r->packed, r->size, &e->bytes))
            return zip_bad(z->site, z->path, "an entry does not unpack");
    }
    return data_crc(e->bytes.p, e->bytes.n) == r->crc || zip_bad(z->site, z->path, "an entry's checksum is wrong");
}

static int by_place(const void *a, const void *b)
{
    const row *x = a, *y = b;
    return (x->local > y->local) - (x->local < y->local);
}

/* True if no byte belongs to two entries, nor to an entry and the directory. Sorts the entries. */
static bool zip_apart(row *r, size_t n, uint64_t dir)
{
    qsort(r, n, sizeof *r, by_place);
    for (size_t i = 0; i < n; i++)
        if (r[i].from + r[i].packed > (i + 1 < n ? r[i + 1].local : dir)) return false;
    return true;
}

/* Finds the directory: its offset, number of entries and bytes. */
static bool directory(const zip *z, uint64_t *dir, uint64_t *count, uint64_t *size)
{
    /* after the record: a comment of at most 65535 bytes */
    const size_t first = z->n > 22 + 65535 ? z->n - 22 - 65535 : 0;
    size_t end = z->n >= 22 ? z->n - 22 : 0;
    while (end > first && (zip_at(z->p + end, 4) != END || zip_at(z->p + end + 20, 2) != z->n - end - 22)) end--;
    if (z->n < 22 || zip_at(z->p + end, 4) != END) return zip_bad(z->site, z->path, "is no zip file, or is cut off");
    *count = zip_at(z->p + end + 10, 2), *size = zip_at(z->p + end + 12, 4), *dir = zip_at(z->p + end + 16, 4);
    bool one = zip_at(z->p + end + 8, 2) == *count;      /* True if all entries are on this disk */
    if (end >= 20 && zip_at(z->p + end - 20, 4) == PLACE64) {
        const uint64_t far = zip_at(z->p + end - 12, 8);
        if (far > end || end - far < 56 || zip_at(z->p + far, 4) != END64)
            return zip_bad(z->site, z->path, "the directory is damaged");
        *count = zip_at(z->p + far + 32, 8), *size = zip_at(z->p + far + 40, 8), *dir = zip_at(z->p + far + 48, 8);
        one = zip_at(z->p + far + 24, 8) == *count;
    }
    return (one && *dir <= end && *size <= end - *dir && *count <= *size / 46) ||
           zip_bad(z->site, z->path, "the directory is damaged");
}

bool data_unzip(const char *site, const char *path, data_bytes b, int *n, data_entry **out)
{
    const zip z = { site, path, b.p, b.n };
    uint64_t dir = 0, count = 0, size = 0, read = 0;
    *n = 0;
    *out = NULL;
    if (!directory(&z, &dir, &count, &size)) return false;
    if (count > 1 << 24) return zip_bad(site, path, "more than 2^24 entries");
    data_entry *e = calloc((size_t)count + 1, sizeof *e);
    row *r = calloc(2 * (size_t)count + 1, sizeof *r);
    bool ok = (e && r) || zip_bad(site, path, "out of memory");
    for (uint64_t i = 0; ok && i < count; i++) {
        size_t used = 0;
        ok = zip_entry(&z, b.p + dir + read, b.n - dir - read, &e[i], &r[i], &used);
        read += used;
    }
    ok = ok && (read == size || zip_bad(site, path, "the directory is damaged"));
    if (ok) memcpy(r + count, r, (size_t)count * sizeof *r);
    ok = ok && (zip_apart(r + count, (size_t)count, dir) || zip_bad(site, path, "entries overlap"));
    for (uint64_t i = 0; ok && i < count; i++) ok = contents(&z, &r[i], &e[i]);
    free(r);
    if (!ok && e) data_entries_free((int)count, e);
    if (!ok) return false;
    *n = (int)count;
    *out = e;
    return true;
}

/* ---- writing: each entry at once, its directory entry kept for the end ---- */

static uint8_t *zip_grown(data_zip *z, size_t n)         /* n more bytes of the directory; NULL: no memory */
{
    if (z->dir.n + n > z->cap) {
        const size_t cap = 2 * z->cap + n + 4096;
        uint8_t *p = realloc(z->dir.p, cap);
        if (!p) return NULL;
        z->dir.p = p, z->cap = cap;
    }
    z->dir.n += n;
    return z->dir.p + z->dir.n - n;
}

static uint32_t low(uint64_t x, uint64_t most) { return x >= most ? UINT32_MAX : (uint32_t)x; }

bool data_zip_add(data_zip *z, const char *site, const char *name, const char *note, data_bytes b)
{
    const size_t len = strlen(name), more = strlen(note);
    const uint64_t most = z->most ? z->most : UINT32_MAX;
    const bool large = b.n >= most, far = z->at >= most;
    const size_t here = large ? 20 : 0, there = large || far ? 4 + 16 * large + 8 * far : 0;
    if (len > 65535) return zip_bad(site, z->file.path, "a name is longer than 65,535 bytes");
    uint8_t *head = calloc(1, 30 + len + here), *r = head ? zip_grown(z, 46 + len + there + more) : NULL;
    if (!r) {
        free(head);
        tt_fail_at(site, TT_EMEM, "%s: out of memory", z->file.path);
        return false;
    }
    const uint32_t crc = data_crc(b.p, b.n), size = low(b.n, most);
    /* flag: names are UTF-8 */
    uint8_t *p = zip_put_le(zip_put_le(zip_put_le(head, LOCAL, 4), large ? 45 : 20, 2), 1u << 11, 2);
    p = zip_put_le(zip_put_le(zip_put_le(zip_put_le(p, 0, 2), 0, 2), 33, 2), crc, 4);
    p = zip_put_le(zip_put_le(zip_put_le(zip_put_le(p, size, 4), size, 4), len, 2), here, 2);
    memcpy(p, name, len);
    if (large) zip_put_le(zip_put_le(zip_put_le(zip_put_le(p + len, 1, 2), 16, 2), b.n, 8), b.n, 8);
    const uint8_t version = large || far ? 45 : 20;
    p = zip_put_le(zip_put_le(zip_put_le(zip_put_le(r, ROW, 4), version, 2), version, 2), 1u << 11, 2);
    p = zip_put_le(zip_put_le(zip_put_le(zip_put_le(p, 0, 2), 0, 2), 33, 2), crc, 4);
    p = zip_put_le(zip_put_le(zip_put_le(zip_put_le(zip_put_le(p, size, 4), size, 4), len, 2), there, 2), more, 2);
    p = zip_put_le(zip_put_le(zip_put_le(zip_put_le(p, 0, 2), 0, 2), 0, 4), low(z->at, most), 4);
    memcpy(p, name, len);
    p += len;
    if (there) p = zip_put_le(zip_put_le(p, 1, 2), there - 4, 2);
    if (large) p = zip_put_le(zip_put_le(p, b.n, 8), b.n, 8);
    if (far) p = zip_put_le(p, z->at, 8);
    memcpy(p, note, more);
    const bool ok = data_append(site, &z->file, head, 30 + len + here) && data_append(site, &z->file, b.p, b.n);
    free(head);
    z->at += 30 + len + here + b.n;
    z->n++;
    return ok;
}

bool data_zip_end(data_zip *z, const char *site, bool ok)
{
    uint8_t end[98], *p = end;
    const uint64_t most = z->most ? z->most : UINT32_MAX, after = z->at + z->dir.n;
    if (z->n >= UINT16_MAX || z->at >= most) {
        p = zip_put_le(zip_put_le(zip_put_le(zip_put_le(p, END64, 4), 44, 8), 45, 2), 45, 2);
        p = zip_put_le(zip_put_le(zip_put_le(zip_put_le(zip_put_le(zip_put_le(p, 0, 4), 0, 4), z->n, 8), z->n, 8),
            z->dir.n, 8), z->at, 8);
        p = zip_put_le(zip_put_le(zip_put_le(zip_put_le(p, PLACE64, 4), 0, 4), after, 8), 1, 4);
    }
    const uint64_t count = z->n >= UINT16_MAX ? UINT16_MAX : z->n;
    p = zip_put_le(zip_put_le(zip_put_le(zip_put_le(zip_put_le(p, END, 4), 0, 2), 0, 2), count, 2), count, 2);
    p = zip_put_le(zip_put_le(zip_put_le(p, low(z->dir.n, most), 4), low(z->at, most), 4), 0, 2);
    ok = ok && data_append(site, &z->file, z->dir.p, z->dir.n) && data_append(site, &z->file, end, (size_t)(p - end));
    data_free(&z->dir);
    return data_done(site, &z->file, ok);
}
