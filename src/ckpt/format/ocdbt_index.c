/* ckpt/format/ocdbt_index.c - writes the index of an OCDBT store: a B-tree of one leaf node, and the manifest with one
 * version. Values lie in files that the node names, or in the node. ocdbt.c reads them. */
#include "../ckpt.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MANIFEST = 0x0CDB3A2A, NODE = 0x0CDB20DE, INLINE = 16 << 10, ARITY = 4 };
static const uint64_t MOST = 100000000;                  /* bytes of a node, as Orbax has it */

typedef struct { uint8_t *p; size_t n, capacity; bool bad; } pen;

static void put(pen *w, const void *p, size_t n)
{
    if (n > w->capacity - w->n) {
        const size_t capacity = 2 * w->capacity + n + 256;
        uint8_t *const more = w->bad ? NULL : realloc(w->p, capacity);
        if (!more) {
            w->bad = true;
            return;
        }
        w->p = more, w->capacity = capacity;
    }
    if (n) memcpy(w->p + w->n, p, n);
    w->n += n;
}

static void byte(pen *w, uint8_t b) { put(w, &b, 1); }
static void number(pen *w, uint64_t x)                   /* LEB128 */
{
    for (; x > 127; x >>= 7) byte(w, (uint8_t)(x | 128));
    byte(w, (uint8_t)x);
}
static void fixed(pen *w, uint64_t x, int n) { for (int i = 0; i < n; i++) byte(w, (uint8_t)(x >> 8 * i)); }

/* The frame around a body; the length is filled in at the end. */
static void frame_begin(pen *w, uint32_t magic)
{
    for (int i = 3; i >= 0; i--) byte(w, (uint8_t)(magic >> 8 * i));
    fixed(w, 0, 8);
    number(w, 0);                                        /* version */
    number(w, 0);                                        /* not compressed */
}

static bool frame_end(pen *w, ckpt_bytes *out, ckpt_err *e)
{
    const uint64_t n = w->n + 4;
    for (int i = 0; i < 8 && !w->bad; i++) w->p[4 + i] = (uint8_t)(n >> 8 * i);
    fixed(w, w->bad ? 0 : ckpt_crc32c(0, w->p, w->n), 4);
    *out = (ckpt_bytes){ w->p, w->n };
    if (!w->bad) return true;
    ckpt_free(out);
    return ckpt_fail(e, TT_EMEM, "out of memory");
}

/* A table of files: paths without common beginnings; their nodes inherit no path. */
static void table(pen *w, int n, const char *const *path)
{
    number(w, (uint64_t)n);
    for (int i = 1; i < n; i++) number(w, 0);
    for (int i = 0; i < n; i++) number(w, strlen(path[i]));
    for (int i = 0; i < n; i++) number(w, 0);
    for (int i = 0; i < n; i++) put(w, path[i], strlen(path[i]));
}

static int by_key(const void *a, const void *b)
{
    return strcmp(((const ckpt_stored *)a)->key, ((const ckpt_stored *)b)->key);
}

/* The number of the file of each value; returns how many files there are. */
static int files_of(int n, const ckpt_stored *v, const char **path, int *file)
{
    int files = 0;
    for (int i = 0; i < n; i++) {
        for (file[i] = 0; v[i].file && file[i] < files && strcmp(path[file[i]], v[i].file);) file[i]++;
        if (v[i].file && file[i] == files) path[files++] = v[i].file;
    }
    return files;
}

static size_t common(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] && a[n] == b[n]) n++;
    return n;
}

static bool leaf_node(int n, const ckpt_stored *v, ckpt_bytes *out, ckpt_err *e)
{
    pen w = { .n = 0 };
    const char **const path = calloc((size_t)n + 1, sizeof *path);
    int *const file = calloc((size_t)n + 1, sizeof *file);
    const bool memory = path && file;
    if (memory) {
        frame_begin(&w, NODE);
        byte(&w, 0);                                     /* height */
        table(&w, files_of(n, v, path, file), path);
        number(&w, (uint64_t)n);
        for (int i = 1; i < n; i++) number(&w, common(v[i - 1].key, v[i].key));
        for (int i = 0; i < n; i++) number(&w, strlen(v[i].key) - (i ? common(v[i - 1].key, v[i].key) : 0));
        for (int i = 0; i < n; i++) {
            const size_t from = i ? common(v[i - 1].key, v[i].key) : 0;
            put(&w, v[i].key + from, strlen(v[i].key) - from);
        }
        for (int i = 0; i < n; i++) number(&w, (uint64_t)v[i].n);
        for (int i = 0; i < n; i++) number(&w, v[i].file != NULL);
        for (int i = 0; i < n; i++) if (v[i].file) number(&w, (uint64_t)file[i]);
        for (int i = 0; i < n; i++) if (v[i].file) number(&w, (uint64_t)v[i].at);
        for (int i = 0; i < n; i++) if (!v[i].file) put(&w, v[i].bytes, (size_t)v[i].n);
    }
    w.bad |= !memory;
    free(path);
    free(file);
    return frame_end(&w, out, e);
}

static bool manifest_with(const char *node_file, size_t node, int n, uint64_t indirect, ckpt_bytes *out, ckpt_err *e)
{
    pen w = { .n = 0 };
    char uuid[33];
    struct timespec t;
    if (!ckpt_random_name(uuid, e)) return false;
    clock_gettime(CLOCK_REALTIME, &t);
    frame_begin(&w, MANIFEST);
    put(&w, uuid, 16);
    number(&w, 0);                                       /* one manifest */
    number(&w, INLINE);
    number(&w, MOST);
    byte(&w, ARITY);
    number(&w, 0);                                       /* not compressed */
    table(&w, 1, &node_file);
    number(&w, 1);                                       /* one version: number, height, file, place, size */
    number(&w, 1), byte(&w, 0), number(&w, 0), number(&w, 0), number(&w, node);
    number(&w, (uint64_t)n), number(&w, node), number(&w, indirect);
    fixed(&w, (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec, 8);
    number(&w, 0);                                       /* no older versions */
    return frame_end(&w, out, e);
}

bool ckpt_ocdbt_index(int n, ckpt_stored *v, const char *node_file, ckpt_bytes *node, ckpt_bytes *manifest, ckpt_err *e)
{
    uint64_t indirect = 0;
    *node = *manifest = (ckpt_bytes){ NULL, 0 };
    qsort(v, (size_t)n, sizeof *v, by_key);
    for (int i = 1; i < n; i++)
        if (!strcmp(v[i - 1].key, v[i].key))
            return ckpt_fail(e, TT_ERANK, "\"%.200s\" was written twice", v[i].key);
    for (int i = 0; i < n; i++) if (v[i].file) indirect += (uint64_t)v[i].n;
    if (!leaf_node(n, v, node, e)) return false;
    if (node->n <= MOST && manifest_with(node_file, node->n, n, indirect, manifest, e)) return true;
    const bool large = node->n > MOST;
    ckpt_free(node);
    return large ? ckpt_fail(e, TT_EARG,
                             "%d values need more than one node of OCDBT, which is not supported; save without .ocdbt",
                                 n) : false;
}
