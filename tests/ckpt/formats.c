/* formats.c - files of others, written here byte by byte: Zarr arrays under random chains of codecs, an OCDBT
 * store, msgpack, safetensors, NPZ. All of them are read back; then each is damaged at random, thousands of times, and
 * read again: an error or values, never a crash (sanitizers watch). Damage is also made where checksums are mended
 * behind it.
 *
 * usage: ckpt_formats [--seed N] [--damage N]
 *
 * Longer than 400 lines: what damages the files needs all writers of formats. */
#include "bytes.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

static uint64_t state = 1;

static uint64_t draw(uint64_t below)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return below ? state % below : 0;
}

static void text_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "wb");
    if (f) fputs(text, f), fclose(f);
}

/* ---- Zarr: one array of 32-bit numbers, element = its place in row-major order ---- */

enum { RANK = 3 };
typedef struct {
    int rank; int64_t dim[RANK], chunk[RANK], inner[RANK];
    bool big, turned, shard, first; uint8_t perm[RANK];
    int npack, pack[3], ninner, packed[3];               /* 1 gzip, 3 zstd, 4 crc32c: as ckpt_codec */
    char sep;
} form;

static void pack(pile *b, int kind)
{
    static pile out;
    out.n = 0;
    if (kind == CKPT_CRC32C) {
        crc(b);
        return;
    }
    if (kind == CKPT_ZSTD) {
        ckpt_err e = { 0 };
        ckpt_bytes z;
        if (!ckpt_zstd(&e, 3, b->p, b->n, &z)) return;
        put(&out, z.p, z.n);
        ckpt_free(&z);
    } else {
        z_stream z = { .next_in = b->p, .avail_in = (uInt)b->n, .next_out = out.p, .avail_out = sizeof out.p };
        deflateInit2(&z, 5, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY);
        deflate(&z, Z_FINISH);
        out.n = z.total_out;
        deflateEnd(&z);
    }
    *b = out;
}

/* The box of `shape` at lo, its dims in the order of perm: what one piece holds; past the end, zeros. */
static void elements(const form *f, const int64_t *lo, const int64_t *shape, pile *b)
{
    int64_t i[RANK] = { 0 }, at[RANK] = { 0 };
    int64_t n = 1;
    for (int d = 0; d < f->rank; d++) n *= shape[d];
    for (int64_t k = 0; k < n; k++) {
        uint32_t x = 0;
        bool inside = true;
        for (int d = 0; d < f->rank; d++) at[f->turned ? f->perm[d] : d] = i[d];
        for (int d = 0; d < f->rank; d++) {
            const int64_t g = lo[d] + at[d];
            inside &= g < f->dim[d];
            x = x * (uint32_t)f->dim[d] + (uint32_t)g;
        }
        x = inside ? x : 0;
        little(b, f->big ? __builtin_bswap32(x) : x, 4);
        for (int d = f->rank - 1; d >= 0 && ++i[d] == shape[f->turned ? f->perm[d] : d]; d--) i[d] = 0;
    }
}

static void shard_of(const form *f, const int64_t *lo, pile *b)
{
    static pile piece, index;
    int64_t per[RANK], at[RANK] = { 0 }, from[RANK], n = 1;
    for (int d = 0; d < f->rank; d++) n *= per[d] = f->chunk[d] / f->inner[d];
    index.n = 0;
    const size_t head = f->first ? (size_t)n * 16 + 4 : 0;
    for (int64_t k = 0; k < n; k++) {
        bool outside = false;
        for (int d = 0; d < f->rank; d++) from[d] = lo[d] + at[d] * f->inner[d], outside |= from[d] >= f->dim[d];
        piece.n = 0;
        if (!outside) elements(f, from, f->inner, &piece);
        for (int i = 0; i < f->ninner && !outside; i++) pack(&piece, f->packed[i]);
        little(&index, outside ? UINT64_MAX : head + b->n, 8);
        little(&index, outside ? UINT64_MAX : piece.n, 8);
        put(b, piece.p, piece.n);
        for (int d = f->rank - 1; d >= 0 && ++at[d] == per[d]; d--) at[d] = 0;
    }
    crc(&index);
    if (f->first) {
        put(&index, b->p, b->n);
        *b = index;
    } else put(b, index.p, index.n);
}

static size_t codec_texts(char *to, size_t capacity, const int *kind, int n)
{
    static const char *const text[] = { "", "{\"name\":\"gzip\",\"configuration\":{\"level\":5}}", "",
                                        "{\"name\":\"zstd\",\"configuration\":{\"level\":3,\"checksum\":false}}",
                                        "\"crc32c\"" };
    size_t at = 0;
    for (int i = 0; i < n; i++) at += (size_t)snprintf(to + at, capacity - at, ", %s", text[kind[i]]);
    return at;
}

static void list(char *to, int n, const int64_t *x)
{
    *to = 0;
    for (int i = 0; i < n; i++) sprintf(to + strlen(to), "%s%lld", i ? ", " : "", (long long)x[i]);
}

static void document(const form *f, const char *path)
{
    char dim[80], chunk[80], inner[80], codecs[1400] = "", deep[400] = "", turn[200] = "", name[200], text[2600];
    int64_t order[RANK];
    list(dim, f->rank, f->dim);
    list(chunk, f->rank, f->chunk);
    list(inner, f->rank, f->inner);
    for (int i = 0; i < f->rank; i++) order[i] = f->perm[i];
    char perm[80];
    list(perm, f->rank, order);
    if (f->turned) sprintf(turn, "{\"name\":\"transpose\",\"configuration\":{\"order\":[%s]}}, ", perm);
    char bytes[120];
    sprintf(bytes, "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"%s\"}}", f->big ? "big" : "little");
    codec_texts(deep, sizeof deep, f->packed, f->ninner);
    if (f->shard)
        snprintf(codecs, sizeof codecs,
                 "{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[%s],\"codecs\":[%s%s%s],"
                 "\"index_codecs\":[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}},\"crc32c\"],"
                 "\"index_location\":\"%s\"}}",
                 inner, turn, bytes, deep, f->first ? "start" : "end");
    else snprintf(codecs, sizeof codecs, "%s%s", turn, bytes);
    const size_t n = strlen(codecs);
    codec_texts(codecs + n, sizeof codecs - n, f->pack, f->npack);
    snprintf(
        text, sizeof text,
        "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[%s],\"data_type\":\"uint32\",\"chunk_grid\":"
        "{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[%s]}},\"chunk_key_encoding\":{\"name\":\"default\","
        "\"configuration\":{\"separator\":\"%c\"}},\"fill_value\":7,\"codecs\":[%s]}",
        dim, chunk, f->sep, codecs);
    snprintf(name, sizeof name, "%s/zarr.json", path);
    text_file(name, text);
}

static void draw_form(form *f)
{
    *f = (form){ .rank = (int)draw(RANK + 1), .big = draw(2), .turned = draw(2), .shard = draw(2), .first = draw(2) };
    const int kinds[] = { CKPT_GZIP, CKPT_ZSTD, CKPT_CRC32C };
    const int most = ckpt_zstd_missing() ? 1 : 2;        /* without libzstd: gzip and crc32c */
    f->sep = draw(2) ? '.' : '_';
    f->sep = f->sep == '_' ? '.' : f->sep;
    for (int i = 0; i < f->rank; i++) {
        f->inner[i] = 1 + (int64_t)draw(5);
        f->chunk[i] = f->inner[i] * (1 + (int64_t)draw(3));
        f->dim[i] = draw(12) ? 1 + (int64_t)draw(20) : 0;
        f->perm[i] = (uint8_t)i;
    }
    for (int i = f->rank - 1; i > 0; i--) {
        const int k = (int)draw((uint64_t)i + 1);
        const uint8_t x = f->perm[i];
        f->perm[i] = f->perm[k], f->perm[k] = x;
    }
    f->npack = (int)draw(f->shard ? 2 : 3);
    for (int i = 0; i < f->npack; i++) f->pack[i] = kinds[draw(2) ? 2 : draw((uint64_t)most)];
    f->ninner = (int)draw(3);
    for (int i = 0; i < f->ninner; i++) f->packed[i] = kinds[draw(2) ? 2 : draw((uint64_t)most)];
}

static void write_zarr(const form *f, const char *path)
{
    static pile b;
    int64_t at[RANK] = { 0 }, grid[RANK], lo[RANK] = { 0 }, n = 1;
    mkdir(path, 0777);
    document(f, path);
    for (int d = 0; d < f->rank; d++) n *= grid[d] = (f->dim[d] + f->chunk[d] - 1) / f->chunk[d];
    for (int64_t k = 0; k < n; k++) {
        char name[300];
        int at_end = snprintf(name, sizeof name, "%s/c", path);
        for (int d = 0; d < f->rank; d++) {
            lo[d] = at[d] * f->chunk[d];
            at_end += snprintf(name + at_end, sizeof name - (size_t)at_end, "%c%lld", f->sep, (long long)at[d]);
        }
        b.n = 0;
        if (f->shard) shard_of(f, lo, &b);
        else elements(f, lo, f->chunk, &b);
        for (int i = 0; i < f->npack; i++) pack(&b, f->pack[i]);
        spill(name, &b);
        for (int d = f->rank - 1; d >= 0 && ++at[d] == grid[d]; d--) at[d] = 0;
    }
}

/* All of it, then a box of it. */
static bool zarr_reads(const form *f, const char *path)
{
    static uint32_t x[8000];
    ckpt c = { 0 };
    ckpt_err e = { 0 };
    int64_t lo[RANK] = { 0 }, n[RANK] = { 0 };
    bool ok = ckpt_open(&c, path, &e);
    for (int turn = 0; ok && turn < 3; turn++) {
        int64_t count = 1, i[RANK] = { 0 };
        for (int d = 0; d < f->rank; d++) {
            lo[d] = turn ? (int64_t)draw((uint64_t)f->dim[d]) : 0;
            n[d] = turn && f->dim[d] ? 1 + (int64_t)draw((uint64_t)(f->dim[d] - lo[d])) : f->dim[d];
            count *= n[d];
        }
        ok = c.read(&c, &c.leaf[0], lo, n, x, &e);
        for (int64_t k = 0; ok && k < count; k++) {
            uint32_t want = 0;
            for (int d = 0; d < f->rank; d++) want = want * (uint32_t)f->dim[d] + (uint32_t)(lo[d] + i[d]);
            ok = x[k] == want || ckpt_fail(&e, TT_EBUG, "element %lld is %u, not %u", (long long)k, x[k], want);
            for (int d = f->rank - 1; d >= 0 && ++i[d] == n[d]; d--) i[d] = 0;
        }
    }
    ckpt_close(&c);
    CHECK(ok, "%s: %s", path, e.text);
    return ok;
}

/* ---- an OCDBT store: a manifest, a root above two leaves, small values inside and large ones in a file ---- */

enum { KEYS = 12 };
/* "k00" ... "k11" relative to `skip`; values of k bytes, the longer ones at their place in d/values. */
static void leaf_node(pile *b, int from, int to, size_t skip)
{
    static pile body;
    const char *const files[] = { "d/values" };
    body.n = 0;
    put8(&body, 0);
    table(&body, 1, files);
    leb(&body, (uint64_t)(to - from));
    for (int k = from + 1; k < to; k++) leb(&body, k % 2);           /* some beginnings are shared */
    for (int k = from; k < to; k++) leb(&body, 3 - skip - (uint64_t)(k > from ? k % 2 : 0));
    for (int k = from; k < to; k++) {
        char key[16];
        snprintf(key, sizeof key, "k%02d", k);
        const size_t shared = k > from ? (size_t)(k % 2) : 0;
        put(&body, key + skip + shared, 3 - skip - shared);
    }
    for (int k = from; k < to; k++) leb(&body, (uint64_t)k);
    for (int k = from; k < to; k++) put8(&body, k >= 6);
    for (int k = from; k < to; k++) if (k >= 6) leb(&body, 0);
    for (int k = from; k < to; k++) if (k >= 6) leb(&body, (uint64_t)k * 20);
    for (int k = from; k < to && k < 6; k++) for (int i = 0; i < k; i++) put8(&body, (unsigned)(10 * k + i));
    frame(b, 0x0CDB20DE, &body);
}

static void write_ocdbt(const char *path)
{
    static pile b, body, nodes, values;
    const char *const files[] = { "d/nodes" };
    char name[300];
    uint64_t at[3], size[3];
    mkdir(path, 0777);
    snprintf(name, sizeof name, "%s/d", path);
    mkdir(name, 0777);
    nodes.n = values.n = body.n = 0;
    for (int k = 0; k < KEYS * 20 + 20; k++) put8(&values, (unsigned)(k / 20 * 10 + k % 20));
    for (int i = 0; i < 2; i++) {                        /* leaves behind the prefix "k" and "" */
        leaf_node(&b, i * 6, i * 6 + 6, i ? 0 : 1);
        at[i] = nodes.n, size[i] = b.n;
        put(&nodes, b.p, b.n);
    }
    put8(&body, 1);
    table(&body, 1, files);
    leb(&body, 2);
    leb(&body, 1), leb(&body, 3), leb(&body, 2);         /* "k00", "k06": one byte shared */
    leb(&body, 1), leb(&body, 0);                        /* what their subtrees' keys leave out */
    put(&body, "k0006", 5);
    for (int c = 0; c < 6; c++)
        for (int i = 0; i < 2; i++) leb(&body, c == 1 ? at[i] : c == 2 ? size[i] : c == 3 ? 6 : 0);
    frame(&b, 0x0CDB20DE, &body);
    at[2] = nodes.n, size[2] = b.n;
    put(&nodes, b.p, b.n);
    body.n = 0;
    put(&body, "0123456789abcdef", 16);
    leb(&body, 0), leb(&body, 1024), leb(&body, 100000000), put8(&body, 4), leb(&body, 0);
    table(&body, 1, files);
    leb(&body, 1), leb(&body, 1), put8(&body, 1), leb(&body, 0), leb(&body, at[2]), leb(&body, size[2]),
        leb(&body, KEYS);
    leb(&body, 0), leb(&body, 0), little(&body, 0, 8);
    leb(&body, 0);                                       /* no older generations */
    frame(&b, 0x0CDB3A2A, &body);
    snprintf(name, sizeof name, "%s/manifest.ocdbt", path), spill(name, &b);
    snprintf(name, sizeof name, "%s/d/nodes", path), spill(name, &nodes);
    snprintf(name, sizeof name, "%s/d/values", path), spill(name, &values);
}

static void ocdbt(const char *path)
{
    write_ocdbt(path);
    const tt_ckpt c = tt_ckpt_open(path);
    CHECK(tt_ok() && tt_ckpt_count(c) == KEYS && !strcmp(tt_ckpt_format(c), "ocdbt"), "%d keys: %s", tt_ckpt_count(c),
          tt_ok() ? "" : tt_error());
    tt_ckpt_read(c, 0, .spec = "_");
    CHECK(!tt_ok() && strstr(tt_error(), ".spec = \"_\" without a mesh"), "%s", tt_ok() ? "was read" : tt_error());
    tt_clear();
    for (int i = 0; i < tt_ckpt_count(c); i++) {
        char key[16];
        uint8_t x[KEYS] = { 0 };
        snprintf(key, sizeof key, "k%02d", i);
        const tt_val v = tt_ckpt_read(c, i);
        bool ok = !strcmp(tt_ckpt_at(c, i)->path, key) && tt_read(v, x, (size_t)i);
        for (int k = 0; k < i; k++) ok &= x[k] == (uint8_t)(10 * i + k);
        CHECK(ok, "key %d is %s: %s", i, tt_ckpt_at(c, i)->path, tt_ok() ? tt_type_text(v) : tt_error());
    }
    tt_clear();
}

/* ---- msgpack ---- */

static void write_msgpack(const char *path)
{
    static pile b, array;
    b.n = array.n = 0;
    put8(&b, 0x84);
    put(&b, "\xa1" "a\xa2hi\xa1" "b\x81\xa1" "0\xcb\x40\x04\0\0\0\0\0\0\xa1n\xc0\xa1w", 24);
    put8(&array, 0x93), put8(&array, 0x92), put8(&array, 2), put8(&array, 3), put8(&array, 0xa5),
        put(&array, "int16", 5);
    put8(&array, 0xc4), put8(&array, 12);
    for (int i = 0; i < 6; i++) little(&array, (uint64_t)i, 2);
    put8(&b, 0xc7), put8(&b, (unsigned)array.n), put8(&b, 1), put(&b, array.p, array.n);
    spill(path, &b);
}

static void msgpack(const char *path)
{
    int16_t x[6] = { 0 };
    write_msgpack(path);
    const tt_ckpt c = tt_ckpt_open(path);
    CHECK(tt_ok() && tt_ckpt_count(c) == 4 && !strcmp(tt_ckpt_at(c, 0)->text, "hi"), "%s",
          tt_ok() ? "msgpack" : tt_error());
    const tt_val t = tt_load(path);
    CHECK(tt_ok() && tt_num(tt_get(t, "b.0")) == 2.5 && tt_read(tt_get(t, "w"), x, sizeof x) && x[5] == 5, "%s",
          tt_ok() ? tt_type_text(t) : tt_error());
    tt_clear();
}

/* ---- HDF5: a superblock, a group of one name, a contiguous data set ---- */

static void message(pile *b, unsigned kind, unsigned size) { little(b, kind, 2), little(b, size, 2), little(b, 0, 4); }

static void write_hdf5(const char *path)
{
    enum { ROOT = 96, HEAP = 136, TREE = 184, NODE = 232, SET = 280, DATA = 392, END = 416 };
    static pile b;
    b.n = 0;
    put(&b, "\x89HDF\r\n\x1a\n\0\0\0\0\0\x8\x8\0\x4\0\x10\0\0\0\0\0", 24);
    little(&b, 0, 8), little(&b, UINT64_MAX, 8), little(&b, END, 8), little(&b, UINT64_MAX, 8);
    little(&b, 0, 8), little(&b, ROOT, 8), little(&b, 1, 8), little(&b, TREE, 8), little(&b, HEAP, 8);
    put8(&b, 1), put8(&b, 0), little(&b, 1, 2), little(&b, 1, 4), little(&b, 24, 8);
    message(&b, 0x11, 16), little(&b, TREE, 8), little(&b, HEAP, 8);
    put(&b, "HEAP\0\0\0\0", 8), little(&b, 16, 8), little(&b, 1, 8), little(&b, HEAP + 32, 8);
    little(&b, 0, 8), little(&b, 'w', 8);
    put(&b, "TREE\0\0\1\0", 8), little(&b, UINT64_MAX, 8), little(&b, UINT64_MAX, 8);
    little(&b, 0, 8), little(&b, NODE, 8), little(&b, 8, 8);
    put(&b, "SNOD\1\0\1\0", 8), little(&b, 8, 8), little(&b, SET, 8), little(&b, 0, 8), little(&b, 0, 8),
        little(&b, 0, 8);
    put8(&b, 1), put8(&b, 0), little(&b, 3, 2), little(&b, 1, 4), little(&b, 96, 8);
    message(&b, 1, 24), little(&b, 0x201, 8), little(&b, 2, 8), little(&b, 3, 8);
    message(&b, 3, 24), little(&b, 0x001f2011, 4), little(&b, 4, 4), little(&b, 32 << 16, 4), little(&b, 0x17000817, 4);
    little(&b, 127, 8);
    message(&b, 8, 24), little(&b, 0x103, 2), little(&b, DATA, 8), little(&b, 24, 8), little(&b, 0, 6);
    for (int i = 0; i < 6; i++) {
        const float x = (float)i;
        put(&b, &x, 4);
    }
    CHECK(b.n == END, "an HDF5 file of %zu bytes", b.n);
    spill(path, &b);
}

static void hdf5(const char *path)
{
    write_hdf5(path);
    const tt_val t = tt_load(path);
    CHECK(tt_ok() && tt_dim(tt_get(t, "w"), 1) == 3 && tt_num(tt_sum(tt_get(t, "w"))) == 15, "%s",
          tt_ok() ? tt_type_text(t) : tt_error());
    tt_clear();
}

/* ---- damage ---- */

static void read_all(const char *path)                   /* whatever comes of it */
{
    const tt_scope scope = tt_scope_open();
    const tt_ckpt c = tt_ckpt_open(path);
    for (int i = 0; tt_ok() && i < tt_ckpt_count(c); i++) {
        const tt_ckpt_item *t = tt_ckpt_at(c, i);
        int64_t n = 1;
        for (int d = 0; d < t->rank; d++)
            n = t->dim[d] > 1 << 20 ? 1 << 30 : n * t->dim[d] > 1 << 30 ? 1 << 30 : n * t->dim[d];
        if (!strcmp(t->what, "array") && n < 1 << 20) tt_ckpt_read(c, i);
    }
    tt_clear();
    tt_scope_close(scope);
}

/* The checksum that stands at the end of a file, of all before it or of a shard's index alone, made right again. */
static void mend(pile *b)
{
    if (b->n < 24) return;
    const size_t span = draw(2) ? b->n - 4 : 16 * (1 + draw(4));
    if (span + 4 > b->n) return;
    const size_t from = b->n - 4 - span;
    const uint32_t c = ckpt_crc32c(0, b->p + from, span);
    for (int i = 0; i < 4; i++) b->p[b->n - 4 + (size_t)i] = (uint8_t)(c >> 8 * i);
}

static void spoil(pile *b)
{
    static const uint8_t telling[] = { 0, 1, 127, 128, 255, '{', '[', '"', '9', '-' };
    for (uint64_t k = 1 + draw(3); k && b->n; k--) {
        const size_t at = draw(b->n);
        switch (draw(6)) {
        case 0: b->p[at] ^= (uint8_t)(1 << draw(8)); break;
        case 1: b->p[at] = telling[draw(sizeof telling)]; break;
        case 2: b->n = at; break;
        case 3: put(b, b->p + at, b->n - at < 9 ? b->n - at : 9); break;
        case 4: memset(b->p + at, 255, b->n - at < 8 ? b->n - at : 8); break;
        default: memmove(b->p + at, b->p + at + 1, b->n - at - 1), b->n--;
        }
    }
    if (draw(2)) mend(b);
}

enum { FILES = 64 };
static int files_below(const char *path, char (*out)[300], int n)
{
    DIR *d = opendir(path);
    if (!d) {
        struct stat st;
        if (n < FILES && stat(path, &st) == 0 && S_ISREG(st.st_mode)) snprintf(out[n++], 300, "%s", path);
        return n;
    }
    for (struct dirent *f; (f = readdir(d)) && n < FILES;) {
        char name[600];
        if (f->d_name[0] == '.') continue;
        snprintf(name, sizeof name, "%s/%s", path, f->d_name);
        n = files_below(name, out, n);
    }
    closedir(d);
    return n;
}

static void damage(const char *path, int times)
{
    static char file[FILES][300];
    static pile whole, b;
    const int n = files_below(path, file, 0);
    for (int i = 0; i < times && n; i++) {
        const char *name = file[draw((uint64_t)n)];
        FILE *f = fopen(name, "rb");
        if (!f) continue;
        whole.n = fread(whole.p, 1, sizeof whole.p, f);
        fclose(f);
        b = whole;
        spoil(&b);
        spill(name, &b);
        read_all(path);
        spill(name, &whole);
    }
    check_passed++;                                      /* it is still here */
}

/* A leaf of a kind that no version of Orbax writes is no array: the real one refuses it as well. */
static void alien(const char *item)
{
    static pile b, was;
    char name[300];
    snprintf(name, sizeof name, "%s/_METADATA", item);
    FILE *f = fopen(name, "rb");
    was.n = f ? fread(was.p, 1, sizeof was.p - 1, f) : 0;
    if (f) fclose(f);
    b = was;
    b.p[b.n] = 0;
    char *kind = strstr((char *)b.p, "np.ndarray");
    if (!kind) kind = strstr((char *)b.p, "jax.Array");
    CHECK(kind != NULL, "no leaf's kind in %s", name);
    if (!kind) return;
    memcpy(kind, "np.", 3), memcpy(kind + 3, "matrix", 6);
    spill(name, &b);
    tt_ckpt_open(item);
    CHECK(!tt_ok() && tt_error_record()->code == TT_EDATA && strstr(tt_error(), "which is not known"), "%s",
          tt_ok() ? "was taken" : tt_error());
    tt_clear();
    spill(name, &was);
    tt_ckpt_open(item);
    CHECK(tt_ok(), "%s", tt_error());
    tt_clear();
}

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "--seed N --damage N")) return check_done();
    int times = 300;
    tt_on_error(silent, NULL);
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--seed")) state = strtoull(argv[i + 1], NULL, 10) * 0x9E3779B97F4A7C15u | 1;
        if (!strcmp(argv[i], "--damage")) times = atoi(argv[i + 1]);
    }
    if (!check_folder(dir)) return 1;
    if (ckpt_zstd_missing()) CHECK_SKIP("zstd: %s", ckpt_zstd_missing());
    CHECK(ckpt_crc32c(0, "123456789", 9) == 0xE3069283 &&
              ckpt_crc32c(ckpt_crc32c(0, "1234", 4), "56789", 5) == 0xE3069283,
          "crc32c");
    for (int i = 0; i < 150; i++) {
        form f;
        char name[16];
        snprintf(name, sizeof name, "z%d", i);
        draw_form(&f);
        write_zarr(&f, at(name));
        if (zarr_reads(&f, at(name)) && i % 10 == 0) damage(at(name), times / 3);
    }
    ocdbt(at("store")), damage(at("store"), times);
    hdf5(at("m.h5")), damage(at("m.h5"), times);
    msgpack(at("m.msgpack")), damage(at("m.msgpack"), times);
    const tt_val t =
        tt_dict("a", tt_ones(TT_F32, 5, 7), "b", tt_tuple(tt_i(3), tt_zeros(TT_BOOL, 9)), "none", tt_none());
    CHECK(!tt_save(at("m.safetensors"), tt_dict("__metadata__", tt_f(1))) && strstr(tt_error(), "__metadata__"), "%s",
          tt_error());
    tt_clear();
    CHECK(tt_save(at("item"), t) && tt_save(at("t.npz"), t) && tt_save(at("t.safetensors"), t), "%s", tt_error());
    damage(at("item"), times);
    unlink(at("item/_MANIFEST")); /* as of others: neither manifest nor marker stands before the readers */
    unlink(at("item/commit_success.txt"));
    alien(at("item"));
    damage(at("item"), 3 * times);
    damage(at("t.npz"), times);
    damage(at("t.safetensors"), times);
    char command[80];
    snprintf(command, sizeof command, "rm -rf %s", dir);
    CHECK(system(command) == 0, "%s stays", dir);
    tt_done();
    return check_done();
}
