/* random/compiled.c - large draws at top level as compiled programs, as in jax.random: the bits, and all values
 * computed from them, stay in registers. Piece by piece, a normal draw would need nine times its size until its scope
 * ends. Small draws run piece by piece, which needs no compiling. Draws inside a trace are recorded as they are: the
 * enclosing program is compiled. */
#include "random.h"

#include <string.h>

enum { LARGE = 1 << 16 };   /* elements: from here on compiling once costs less than a few draws */
typedef struct { random_draw *draw; const char *site; tt_dtype dtype; double a, b; random_dims dims; } request;

static tt_val program(void *env, int n, const tt_val *key)
{
    const request *r = env;
    (void)n;
    return r->draw(r->site, key[0], r->dtype, r->a, r->b, r->dims.d);
}

static bool is_large(const int64_t *dims)
{
    double count = 1;
    for (int i = 0; dims && dims[i] != TT_DIM_END; i++) {
        if (i == RANDOM_RANK || dims[i] < 0) return false;       /* the pieces report the error */
        count *= (double)dims[i];
    }
    return count >= LARGE;
}

tt_val random_drawn(const char *name, random_draw *draw, const char *site, tt_val key, tt_dtype d, double a, double b,
    const int64_t *dims)
{
    const tt_jit_opts usual = { .size = sizeof usual };
    request r;
    if (tt_is_traced_at(site, key) || !is_large(dims)) return draw(site, key, d, a, b, dims);
    memset(&r, 0, sizeof r);                             /* zeroes padding: its bytes are a key */
    r.draw = draw, r.site = site, r.dtype = d, r.a = a, r.b = b;
    memcpy(r.dims.d, dims, ((size_t)random_rank(dims) + 1) * sizeof *dims);
    return tt_call_n(site, tt_jit_at(site, tt_bind_env_at(NULL, name, program, &r, sizeof r, 1), &usual), 1, &key);
}
