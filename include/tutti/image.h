/* tutti/image.h - images in other sizes, as jax.image. */
#include <tutti.h>
#ifndef TUTTI_IMAGE_H
#define TUTTI_IMAGE_H

#ifdef __cplusplus
extern "C" {
#endif

/* v resized to the given dims, one dim after the other; unchanged dims are copied. tt_image_resize(v, TT_DIMS(8, 64,
 * 64, 3)). method: "linear" (default), "nearest", "cubic" (Keys, a = -0.5), "cubic-pytorch", "lanczos3",
 * "lanczos5", "area", and JAX's other words for them ("bilinear", "bicubic", ...). Result i of n is centred at (i +
 * 0.5) m / n - 0.5 among m pixels; weights are scaled to the sum 1. When a dim shrinks, the
 * kernel is widened so that nothing is skipped; aliased = 1: the kernel is not widened (JAX: antialias=False).
 * Integers become f32, but for "nearest", which keeps the type. "nearest" and "area" have no kernel to widen: aliased
 * changes nothing there, as in JAX, nor does precision for "nearest".
 *     tt_val small = tt_image_resize(images, TT_DIMS(8, 14, 14, 1), .method = "cubic"); */
typedef struct tt_image_resize_opts {
    TT_OPTION_HEAD
    const char *method TT_DEFAULT; int aliased TT_DEFAULT; const char *precision TT_DEFAULT;
} tt_image_resize_opts;
#define tt_image_resize(...) TT_IMAGE_RESIZE_(TT_AT("tt_image_resize(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_IMAGE_RESIZE_(at, v, dims, ...) tt_image_resize_at(at, v, dims, TT_OPTS(tt_image_resize_opts, __VA_ARGS__))
TT_API tt_val tt_image_resize_at(const char *site, tt_val v, const int64_t *dims, const tt_image_resize_opts *);

#ifdef __cplusplus
}
#endif
#endif
