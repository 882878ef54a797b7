/* ckpt/codec/codecs.c - gzip, zlib, zstd and crc32c as codecs of bytes. The decoded size must be the expected one.
 *
 * zlib is linked; libzstd is loaded when the first zstd chunk is met, so that nothing else depends on it. */
#include "../ckpt.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static const char *const packing[] = { "", "gzip", "zlib", "zstd", "crc32c" };   /* [ckpt_codec] */

/* ---- libzstd: five functions of its stable interface ---- */

static struct {
    size_t (*decompress)(void *to, size_t capacity, const void *from, size_t n);
    size_t (*compress)(void *to, size_t capacity, const void *from, size_t n, int level);
    size_t (*bound)(size_t n);
    unsigned (*is_error)(size_t code);
    const char *(*error_name)(size_t code);
    char why[200];
} zstd;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_zstd(void)
{
    static const char *const names[] = { "ZSTD_decompress", "ZSTD_compress", "ZSTD_compressBound", "ZSTD_isError",
                                         "ZSTD_getErrorName" };
    void *at[5] = { NULL }, *lib = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!lib) {
        snprintf(zstd.why, sizeof zstd.why, "libzstd.so.1 is not installed (Debian: libzstd1)");
        return;
    }
    for (int i = 0; i < 5; i++)
        if (!(at[i] = dlsym(lib, names[i]))) {
            snprintf(zstd.why, sizeof zstd.why, "libzstd.so.1 has no %s", names[i]);
            return;
        }
    memcpy(&zstd.decompress, &at[0], sizeof at[0]);
    memcpy(&zstd.compress, &at[1], sizeof at[0]);
    memcpy(&zstd.bound, &at[2], sizeof at[0]);
    memcpy(&zstd.is_error, &at[3], sizeof at[0]);
    memcpy(&zstd.error_name, &at[4], sizeof at[0]);
}

const char *ckpt_zstd_missing(void)
{
    pthread_once(&once, open_zstd);
    return *zstd.why ? zstd.why : NULL;
}

bool ckpt_zstd(ckpt_err *e, int level, const uint8_t *p, size_t n, ckpt_bytes *out)
{
    const char *missing = ckpt_zstd_missing();
    if (missing) return ckpt_fail(e, TT_EENGINE, "zstd: %s", missing);
    if (!ckpt_alloc(e, out, zstd.bound(n))) return false;
    const size_t got = zstd.compress(out->p, out->n, p, n, level);
    if (!zstd.is_error(got)) return out->n = got, true;
    ckpt_free(out);
    return ckpt_fail(e, TT_EENGINE, "zstd: %s", zstd.error_name(got));
}

static bool un_zstd(ckpt_err *e, const char *where, ckpt_bytes in, ckpt_bytes *out)
{
    const char *missing = ckpt_zstd_missing();
    if (missing) return ckpt_fail(e, TT_EENGINE, "%s is packed with zstd: %s", where, missing);
    const size_t got = zstd.decompress(out->p, out->n, in.p, in.n);
    if (zstd.is_error(got)) return ckpt_fail(e, TT_EDATA, "%s: zstd: %s", where, zstd.error_name(got));
    out->n = got;
    return true;
}

/* ---- zlib: gzip files may have several members ---- */

static bool un_zlib(ckpt_err *e, const char *where, ckpt_codec kind, ckpt_bytes in, ckpt_bytes *out)
{
    z_stream z = { .next_in = in.p, .next_out = out->p };
    size_t left = in.n, capacity = out->n;
    int r = inflateInit2(&z, kind == CKPT_GZIP ? 15 + 16 : 15);
    if (r != Z_OK) return ckpt_fail(e, TT_EMEM, "%s: out of memory", where);
    while (r == Z_OK) {
        const uInt give = left > 1 << 30 ? 1 << 30 : (uInt)left, take = capacity > 1 << 30 ? 1 << 30 : (uInt)capacity;
        z.avail_in = give;
        z.avail_out = take;
        r = inflate(&z, Z_NO_FLUSH);
        left -= give - z.avail_in;
        capacity -= take - z.avail_out;
        if (r == Z_STREAM_END && kind == CKPT_GZIP && left) r = inflateReset(&z);
        else if (r == Z_OK && give == z.avail_in && take == z.avail_out) r = Z_BUF_ERROR;
    }
    inflateEnd(&z);
    if (r != Z_STREAM_END)
        return ckpt_fail(e, TT_EDATA, "%s: the %s data %s", where, packing[kind],
                         r == Z_BUF_ERROR ? (left ? "unpack to more than the piece's size" : "are cut off")
                                          : "are damaged");
    if (left) return ckpt_fail(e, TT_EDATA, "%s: %zu bytes after the %s data", where, left, packing[kind]);
    out->n -= capacity;
    return true;
}

bool ckpt_checksum_is(ckpt_err *e, const char *where, const uint8_t t[4], uint32_t real)
{
    const uint32_t stored = (uint32_t)t[0] | (uint32_t)t[1] << 8 | (uint32_t)t[2] << 16 | (uint32_t)t[3] << 24;
    return stored == real || ckpt_fail(e, TT_EDATA, "%s: crc32c stored %08x, computed %08x", where, stored, real);
}

bool ckpt_checked(ckpt_err *e, const char *where, ckpt_bytes in)
{
    if (in.n < 4) return ckpt_fail(e, TT_EDATA, "%s: %zu bytes; a checksum alone has 4", where, in.n);
    return ckpt_checksum_is(e, where, in.p + in.n - 4, ckpt_crc32c(0, in.p, in.n - 4));
}

static bool un_crc(ckpt_err *e, const char *where, ckpt_bytes in, ckpt_bytes *out)
{
    if (!ckpt_checked(e, where, in)) return false;
    if (in.n - 4 > out->n)
        return ckpt_fail(e, TT_EDATA, "%s: %zu bytes, where %zu are expected", where, in.n - 4, out->n);
    memcpy(out->p, in.p, in.n - 4);
    out->n = in.n - 4;
    return true;
}

bool ckpt_decode(ckpt_err *e, const char *where, ckpt_codec kind, ckpt_bytes in, int64_t size, size_t most,
                 ckpt_bytes *out)
{
    const size_t least = kind == CKPT_ZSTD ? 40000 : 1040;           /* no format compresses more */
    const size_t limit = kind == CKPT_CRC32C   ? (in.n > 4 ? in.n - 4 : 0)
                         : in.n < most / least ? in.n * least + 4096
                                               : most;
    if (size > 0 && (size_t)size > limit)
        return ckpt_fail(e, TT_EDATA, "%s: %zu bytes are too few to unpack to %lld", where, in.n, (long long)size);
    const size_t capacity = size >= 0 ? (size_t)size : limit < most ? limit : most;
    if (!ckpt_alloc(e, out, capacity)) return false;
    const bool ok = kind == CKPT_CRC32C ? un_crc(e, where, in, out)
                    : kind == CKPT_ZSTD ? un_zstd(e, where, in, out)
                                        : un_zlib(e, where, kind, in, out);
    if (ok && (size < 0 || out->n == (size_t)size)) return true;
    if (ok) ckpt_fail(e, TT_EDATA, "%s: unpacks to %zu bytes, where %lld are expected", where, out->n, (long long)size);
    ckpt_free(out);
    return false;
}
