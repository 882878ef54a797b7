/* random/random.h - declarations shared by the files of this room. Includes public headers only. */
#ifndef TUTTI_RANDOM_ROOM_H
#define TUTTI_RANDOM_ROOM_H

#include <tutti.h>

enum { RANDOM_RANK = 12 };
typedef struct { int64_t d[RANDOM_RANK + 2]; } random_dims;      /* ends with TT_DIM_END */

bool        random_is_key(const char *site, tt_val key); /* True if it is u32[2]; else sets the error */
int         random_rank(const int64_t *dims);
random_dims random_shape(const char *site, tt_val v);                      /* a value's dims */
random_dims random_dims1(int64_t n);
/* Words of `width` bits in the counter layout in force. */
tt_val random_words(const char *site, tt_val key, int width, const int64_t *dims);
/* max(lo, t*(hi - lo) + lo), t in [0, 1): rounded once in f32 and f64, twice in the 16-bit types. lo, hi: scalars or
 * arrays of dtype. */
tt_val random_between(const char *site, tt_val key, tt_dtype dtype, tt_val lo, tt_val hi, const int64_t *dims);
tt_val random_real(const char *site, tt_dtype dtype, double x);  /* a strong scalar */
double random_next(tt_dtype dtype, double x, double towards);    /* the neighbouring number of that type */
tt_val random_orthogonal(const char *site, tt_val key, tt_dtype dtype, const int64_t *dims, int column_axis);
/* A draw from a key. With many elements, at top level, it is one compiled program, so that intermediates are never in
 * memory; the bits are the same. */
typedef tt_val random_draw(const char *site, tt_val key, tt_dtype, double a, double b, const int64_t *dims);
tt_val random_drawn(const char *name, random_draw *, const char *site, tt_val key, tt_dtype, double a, double b,
    const int64_t *dims);
/* True if v is one number that is not traced: it is in *x. False, with the error set if there is one */
bool   random_known(const char *site, tt_val v, double *x);
bool   random_is_float(const char *site, const char *what, tt_dtype dtype);
bool   random_is_integer(const char *site, const char *what, tt_dtype dtype);

/* A draw from a key and parameters, which have the draw's dims. */
enum { RANDOM_PARAMETERS = 4 };
typedef tt_val random_by(const char *site, tt_val key, tt_dtype, const tt_val *parameter, const int64_t *dims);
/* The dims of a draw: the given ones, to which the parameters must broadcast; if dims is NULL or empty, the parameters'
 * common shape. drop: how many last dims of each parameter do not count; NULL: none. Returns false with the error
 * set. */
bool   random_dims_by(const char *site, const char *what, const int64_t *dims, int n, const tt_val *parameter,
                      const int *drop, random_dims *out);
/* The draw as one compiled program, which is cached; inside a trace, a part of the enclosing program. */
tt_val random_compiled(const char *site, const char *what, random_by *draw, tt_val key, tt_dtype dtype, int n,
                       const tt_val *parameter, const int64_t *dims);
/* The same with parameters as users give them: they are converted to `as`, and broadcast to the dims of the draw. */
tt_val random_drawn_by(const char *site, const char *what, random_by *draw, tt_val key, tt_dtype dtype, tt_dtype as,
                       int n, const tt_val *parameter, const int64_t *dims);
tt_val random_key(const char *site, tt_val keys, int i); /* key i of a split */

#endif
