/* api/limits.c - the limits of dtypes: numpy.finfo and iinfo. */
#include "api.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Of a float of 8 bits or less, by its codes. */
static void narrow_limits(tt_dtype dtype, const ir_dtype *d, tt_limits *to)
{
    to->least = INFINITY, to->most = -INFINITY;
    for (int code = 0; code < 1 << d->bits; code++) {
        const double x = ir_narrow_f64(dtype, (uint8_t)code);
        if (!isfinite(x)) continue;
        if (x > to->most) to->most = x;
        if (x < to->least) to->least = x;
    }
    to->eps = ldexp(1, -d->mant);
    to->tiny = ldexp(1, (d->end == IR_FNU ? 0 : 1) - d->bias);
}

typedef struct {
    tt_dtype dtype;
    tt_limits *to;
} limits_of;

ENTRY1(bool, false, api_finfo, const limits_of *, q)
{
    static const struct {
        tt_dtype dtype;
        double eps, tiny, most;
    } wide[] = {
        { TT_F16, 0x1p-10, 0x1p-14, 65504 },
        { TT_BF16, 0x1p-7, 0x1p-126, 0x1.fep127 },
        { TT_F32, FLT_EPSILON, FLT_MIN, FLT_MAX },
        { TT_F64, DBL_EPSILON, DBL_MIN, DBL_MAX },
    };
    const ir_dtype *const d = ir_dtype_of(q->dtype);
    if (!d || d->cls != IR_FLOAT_CLASS) {
        base_fail(TT_ETYPE, site, d ? "tt_finfo: %s is no float type" : "tt_finfo: %s%d is no dtype", d ? d->name : "",
                  (int)q->dtype);
        return base_hint("tt_iinfo describes integer types"), false;
    }
    q->to->bits = d->bits;
    if (d->wide) narrow_limits(q->dtype, d, q->to);
    for (int i = 0; i < 4; i++) {
        if (wide[i].dtype != q->dtype) continue;
        q->to->eps = wide[i].eps, q->to->tiny = wide[i].tiny, q->to->most = wide[i].most, q->to->least = -wide[i].most;
    }
    return true;
}

ENTRY1(bool, false, api_iinfo, const limits_of *, q)
{
    int64_t least;
    uint64_t most;
    const ir_dtype *const d = ir_dtype_of(q->dtype);
    if (!d || !ir_int_range(q->dtype, &least, &most)) {
        base_fail(TT_ETYPE, site, d ? "tt_iinfo: %s is no integer type" : "tt_iinfo: %s%d is no dtype", d ? d->name
                  : "", (int)q->dtype);
        return base_hint("tt_finfo describes float types"), false;
    }
    q->to->bits = d->bits, q->to->least = (double)least, q->to->most = (double)most;
    return true;
}

bool tt_finfo_at(const char *site, tt_dtype dtype, tt_limits *to)
{
    tt_limits own;
    memset(to ? to : &own, 0, sizeof own);
    return api_finfo_at(site, &(limits_of){ dtype, to ? to : &own });
}
bool tt_iinfo_at(const char *site, tt_dtype dtype, tt_limits *to)
{
    tt_limits own;
    memset(to ? to : &own, 0, sizeof own);
    return api_iinfo_at(site, &(limits_of){ dtype, to ? to : &own });
}
