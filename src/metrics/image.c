/* metrics/image.c - tt_write_images: arrays as PNG in event files. */
#include "metrics.h"

#include <stdlib.h>

typedef struct { int64_t n, h, w, c; bool several, bytes; } image_dims;

/* True if the array is one image or several; else sets the error. */
static bool are_images(const char *site, const metrics_leaf *l, image_dims *d)
{
    enum { MOST = 1 << 15 };
    const int rank = tt_rank_at(site, l->v), first = rank == 4;
    const tt_dtype dtype = tt_dtype_of_at(site, l->v);
    if (!tt_ok()) return false;
    bool good = rank >= 2 && rank <= 4 && (dtype == TT_U8 || tt_dtype_kind(dtype) == 'f');
    if (good) {
        *d = (image_dims){ first ? tt_dim_at(site, l->v, 0) : 1, tt_dim_at(site, l->v, first),
                           tt_dim_at(site, l->v, first + 1), rank > 2 ? tt_dim_at(site, l->v, first + 2) : 1, first,
                           dtype == TT_U8 };
        good = d->n > 0 && d->h > 0 && d->w > 0 && d->h <= MOST && d->w <= MOST;
        good = good && (d->c == 1 || d->c == 3 || d->c == 4);
    }
    if (good) return true;
    tt_fail_at(site, TT_ESHAPE, "write_images: \"%s\" is %s; expected u8 or floats [H, W], [H, W, C] or [N, H, W, C]",
               l->name, tt_type_text_at(site, l->v));
    tt_hint("C is 1, 3 or 4, and a side has at most %d pixels", MOST);
    return false;
}

static unsigned char level(float x) { return x > 0 ? x < 1 ? (unsigned char)(255 * x + 0.5F) : 255 : 0; }

static bool image_events(const char *site, tt_metric_writer w, int64_t step, const metrics_leaf *l, const image_dims *d,
                         const unsigned char *pixel)
{
    metrics_event e = metrics_event_now(step);
    const size_t bytes = (size_t)(d->h * d->w * d->c);
    for (int64_t i = 0; i < d->n; i++) {
        char tag[METRICS_NAME + 24];
        metrics_bytes png = { 0 };
        snprintf(tag, sizeof tag, d->several ? "%s/%lld" : "%s", l->name, (long long)i);
        metrics_put_png(&png, pixel + (size_t)i * bytes, (uint32_t)d->h, (uint32_t)d->w, (int)d->c);
        metrics_event_image(&e, tag, &png, d->h, d->w, (int)d->c);
        free(png.p);
    }
    return metrics_event_write(site, metrics_events_of(w), &e);
}

static bool image_write(const char *site, tt_metric_writer w, int64_t step, const metrics_leaf *l, const image_dims *d)
{
    const size_t n = (size_t)(d->n * d->h * d->w * d->c);
    const tt_val v = d->bytes ? l->v : tt_cast_at(site, l->v, TT_F32);
    if (!tt_ok() || metrics_is_silent(w)) return tt_ok();
    unsigned char *pixel = malloc(n);
    float *x = d->bytes ? NULL : malloc(n * sizeof *x);
    bool good = pixel && (x || d->bytes);
    if (!good) tt_fail_at(site, TT_EMEM, "write_images: out of memory");
    good = good && (x ? tt_read_at(site, v, x, n * sizeof *x) : tt_read_at(site, v, pixel, n));
    for (size_t i = 0; good && x && i < n; i++) pixel[i] = level(x[i]);
    good = good && image_events(site, w, step, l, d, pixel);
    free(x);
    free(pixel);
    return good;
}

bool tt_write_images_at(const char *site, tt_metric_writer w, int64_t step, tt_val tree)
{
    TT_ENTRY(site);
    metrics_list l = { 0 };
    image_dims d;
    bool good = metrics_may_write(site, "write_images", w, step, METRICS_EVENTS) &&
                metrics_list_of(site, "write_images", tree, &l);
    for (int i = 0; good && i < l.n; i++) good = are_images(site, &l.at[i], &d);
    good = metrics_agree(site, "write_images", w, step, &l) && good;
    for (int i = 0; good && i < l.n; i++) {
        const tt_scope scope = tt_scope_open();
        good = are_images(site, &l.at[i], &d) && image_write(site, w, step, &l.at[i], &d);
        tt_scope_close(scope);
    }
    metrics_list_free(&l);
    return good;
}
