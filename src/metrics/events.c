/* metrics/events.c - TensorBoard's event files: records of TFRecord, each an Event of tensorflow/core/util/event.proto.
 *
 *   record = length (8 bytes), checksum of them (4), Event, checksum of it (4)      little-endian
 *   checksum = CRC-32C c as ((c >> 15 | c << 17) + 0xa282ead8) mod 2^32
 * The messages are written by their field numbers, which Protocol Buffers never change. */
#include "metrics.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Protocol Buffers ---- */

enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };

static void put_varint(metrics_bytes *b, uint64_t x)
{
    for (; x > 127; x >>= 7) metrics_put(b, &(unsigned char){ (unsigned char)(x | 128) }, 1);
    metrics_put(b, &(unsigned char){ (unsigned char)x }, 1);
}

static void put_little(metrics_bytes *b, uint64_t x, int bytes)
{
    for (int i = 0; i < bytes; i++) metrics_put(b, &(unsigned char){ (unsigned char)(x >> 8 * i) }, 1);
}

static void put_key(metrics_bytes *b, int field, int type) { put_varint(b, (uint64_t)(field << 3 | type)); }

static void put_whole(metrics_bytes *b, int field, int64_t x)
{
    put_key(b, field, VARINT);
    put_varint(b, (uint64_t)x);
}

static void put_bits(metrics_bytes *b, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    put_little(b, bits, 8);
}

static void put_double(metrics_bytes *b, int field, double x) { put_key(b, field, FIXED64), put_bits(b, x); }

static void put_float(metrics_bytes *b, int field, float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    put_key(b, field, FIXED32);
    put_little(b, bits, 4);
}

static void put_bytes(metrics_bytes *b, int field, const void *data, size_t n)
{
    put_key(b, field, BYTES);
    put_varint(b, n);
    metrics_put(b, data, n);
}

static void put_string(metrics_bytes *b, int field, const char *text) { put_bytes(b, field, text, strlen(text)); }

/* Ends a message: it becomes a field of another one. */
static void put_message(metrics_bytes *b, int field, metrics_bytes *message)
{
    if (message->failed) b->failed = true;
    else put_bytes(b, field, message->p, message->n);
    free(message->p);
}

/* ---- the fields of Summary.Value: tag 1, simple_value 2, image 4, histo 5, tensor 8, metadata 9 ---- */

static void add_value(metrics_event *e, metrics_bytes *value) { put_message(&e->value, 1, value); }

void metrics_event_scalar(metrics_event *e, const char *tag, double x)
{
    metrics_bytes value = { 0 };
    put_string(&value, 1, tag);
    put_float(&value, 2, (float)x);
    add_value(e, &value);
}

static void put_doubles(metrics_bytes *b, int field, double first, const double *x, int64_t n)
{
    put_key(b, field, BYTES);
    put_varint(b, (uint64_t)(n + 1) * 8);
    put_bits(b, first);
    for (int64_t i = 0; i < n; i++) put_bits(b, x[i]);
}

/* HistogramProto has each bin's upper limit; an empty bin in front says where the first one begins. */
void metrics_event_histogram(metrics_event *e, const char *tag, const metrics_histogram *h)
{
    metrics_bytes value = { 0 }, histo = { 0 };
    put_double(&histo, 1, h->least);
    put_double(&histo, 2, h->most);
    put_double(&histo, 3, (double)h->n);
    put_double(&histo, 4, h->sum);
    put_double(&histo, 5, h->squares);
    put_doubles(&histo, 6, h->edge[0], h->edge + 1, h->bins);
    put_doubles(&histo, 7, 0, h->count, h->bins);
    put_string(&value, 1, tag);
    put_message(&value, 5, &histo);
    add_value(e, &value);
}

void metrics_event_image(metrics_event *e, const char *tag, const metrics_bytes *png, int64_t h, int64_t w,
                         int channels)
{
    metrics_bytes value = { 0 }, image = { 0 };
    put_whole(&image, 1, h);
    put_whole(&image, 2, w);
    put_whole(&image, 3, channels);
    put_bytes(&image, 4, png->p, png->n);
    put_string(&value, 1, tag);
    put_message(&value, 4, &image);
    add_value(e, &value);
}

void metrics_event_text(metrics_event *e, const char *tag, const char *text)
{
    enum { DT_STRING = 7 };
    metrics_bytes value = { 0 }, tensor = { 0 }, shape = { 0 }, dim = { 0 }, metadata = { 0 }, plugin = { 0 };
    put_whole(&dim, 1, 1);
    put_message(&shape, 2, &dim);
    put_whole(&tensor, 1, DT_STRING);
    put_message(&tensor, 2, &shape);
    put_string(&tensor, 8, text);
    put_string(&plugin, 1, "text");
    put_message(&metadata, 1, &plugin);
    put_string(&value, 1, tag);
    put_message(&value, 8, &tensor);
    put_message(&value, 9, &metadata);
    add_value(e, &value);
}

/* ---- records ---- */

static uint32_t checksum(const unsigned char *p, size_t n)
{
    uint32_t c = ~0u;
    while (n--) {
        c ^= *p++;
        for (int k = 0; k < 8; k++) c = c >> 1 ^ (c & 1 ? 0x82f63b78u : 0);
    }
    c = ~c;
    return (c >> 15 | c << 17) + 0xa282ead8u;
}

/* Writes an Event: wall_time 1, step 2, and one field more. */
static bool write_event(const char *site, metrics_file *f, double wall, int64_t step, int field, metrics_bytes *last)
{
    metrics_bytes event = { 0 }, record = { 0 };
    put_double(&event, 1, wall);
    put_whole(&event, 2, step);
    put_message(&event, field, last);
    put_little(&record, event.n, 8);
    if (!record.failed) put_little(&record, checksum(record.p, 8), 4);
    metrics_put(&record, event.p, event.n);
    if (!event.failed) put_little(&record, checksum(event.p, event.n), 4);
    const bool made = !event.failed && !record.failed;
    if (!made) tt_fail_at(site, TT_EMEM, "%s: out of memory", f->path);
    const bool good = made && metrics_file_append(site, f, record.p, record.n);
    free(event.p);
    free(record.p);
    return good;
}

bool metrics_event_write(const char *site, metrics_file *f, metrics_event *e)
{
    enum { SUMMARY = 5 };
    return write_event(site, f, e->wall, e->step, SUMMARY, &e->value);
}

bool metrics_events_open(const char *site, metrics_file *f, const char *folder, double wall, const int64_t *purge)
{
    enum { FILE_VERSION = 3, SESSION_LOG = 7, START = 1, MOST = 1000 };
    char host[64] = "", path[METRICS_PATH];
    gethostname(host, sizeof host - 1);
    bool made = false;
    for (int k = 0; !made && k < MOST && tt_ok(); k++) {
        const int n = snprintf(path, sizeof path, "%s/events.out.tfevents.%010lld.%s.%ld.%d", folder, (long long)wall,
                               host, (long)getpid(), k);
        if (n >= (int)sizeof path) return tt_fail_at(site, TT_EARG, "%.80s...: the path is too long", path), false;
        made = metrics_file_new(site, f, path);
    }
    if (!made) return tt_ok() ? tt_fail_at(site, TT_EIO, "%s: exists already", path), false : false;
    metrics_bytes version = { 0 }, session = { 0 };
    metrics_put(&version, "brain.Event:2", 13);
    if (!write_event(site, f, wall, 0, FILE_VERSION, &version)) return false;
    if (!purge) return true;
    put_whole(&session, 1, START);                       /* a reader drops what it has of this step and later ones */
    return write_event(site, f, wall, *purge, SESSION_LOG, &session);
}
