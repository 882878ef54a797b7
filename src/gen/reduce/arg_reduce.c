/* gen/reduce/arg_reduce.c - argmax and argmin: of pairs of a value and its index, the first pair that no other pair
 * beats; NaN wins.
 *
 * Pairs are compared in order, by the loops of arg_reduce_isa.c: adjacent columns if the fastest dim is kept, else one
 * result after another. Types without loops are computed one element at a time. Each task computes some of the
 * results. */
#include "reduce_shape.h"
#include "../isa/isa.h"

#include <math.h>
#include <string.h>

#include "../../op/prog/scalar.h"

/* One element as a double (real_at) or as an ordered integer (integer_at), for comparisons. */
static double real_at(const void *p, tt_dtype t)
{
    switch ((int)t) {
    case TT_F32:  return *(const float *)p;
    case TT_F64:  return *(const double *)p;
    case TT_BF16: return s_f32_of_bf16(*(const uint16_t *)p);
    default:      return s_f32_of_f16(*(const uint16_t *)p);
    }
}

static int64_t integer_at(const void *p, tt_dtype t)     /* u64 keeps its order: the top bit is flipped */
{
    switch ((int)t) {
    case TT_I8:  return *(const int8_t *)p;
    case TT_I16: return *(const int16_t *)p;
    case TT_I32: return *(const int32_t *)p;
    case TT_I64: return *(const int64_t *)p;
    case TT_U8:  return *(const uint8_t *)p;
    case TT_U16: return *(const uint16_t *)p;
    case TT_U32: return *(const uint32_t *)p;
    default:     return (int64_t)(*(const uint64_t *)p ^ (uint64_t)1 << 63);
    }
}

typedef struct { const char *v, *i; } pick;              /* addresses of the best value and of its index */

static pick better(const reduce_eqn *f, pick a, pick b, tt_dtype tv, tt_dtype ti)
{
    bool first, equal;
    if (ir_is_float(tv)) {
        const double p = f->arg * real_at(a.v, tv), q = f->arg * real_at(b.v, tv);
        first = p > q || isnan(p), equal = p == q;
    } else {
        const int64_t p = integer_at(a.v, tv), q = integer_at(b.v, tv);
        first = f->arg > 0 ? p > q : p < q, equal = p == q;
    }
    const bool index = first || (equal && integer_at(a.i, ti) < integer_at(b.i, ti));
    return (pick){ first ? a.v : b.v, index ? a.i : b.i };
}

/* One element at a time, for every type: the same result as the loops. */
static void one_by_one(const reduce_eqn *f, pick best, const char *x, int64_t xs, const char *k, int64_t ks, int64_t n,
                       tt_dtype tv, tt_dtype ti)
{
    const size_t v = ir_dtype_of(tv)->bytes, i = ir_dtype_of(ti)->bytes;
    pick b = best;
    for (int64_t e = 0; e < n; e++) b = better(f, b, (pick){ x + e * xs * (int64_t)v, k + e * ks * (int64_t)i }, tv,
                                               ti);
    if (b.v != best.v) memcpy((char *)(uintptr_t)best.v, b.v, v);
    if (b.i != best.i) memcpy((char *)(uintptr_t)best.i, b.i, i);
}

GEN_ISA_DECLARE(const reduce_pick_isa, arg_reduce_loops);
/* The loops for these types; NULL: there are none. */
static const reduce_pick_ops *loops_of(const reduce_eqn *f, tt_dtype tv, tt_dtype ti)
{
    const int v = tv == TT_F32 ? 0 : tv == TT_F64 ? 1 : tv == TT_I32 ? 2 : tv == TT_I64 ? 3 : -1;
    const int i = ti == TT_I32 ? 0 : ti == TT_I64 ? 1 : -1;
    return v < 0 || i < 0 ? NULL : &GEN_ISA_PICK(arg_reduce_loops)->at[v][i][f->arg < 0];
}

int64_t reduce_pick_tiles(const void *self, const ir_box *arg)
{
    const reduce_shape s = reduce_measure(self, arg);
    const int64_t most = reduce_tasks(&s), n = reduce_units(&s);
    return n > 0 && n < most ? n : most;
}

/* Unit u: a result, or a block of columns whose every reduced element is a line. */
static void pick_unit(const reduce_eqn *f, const reduce_shape *s, const ir_box *arg, int64_t u)
{
    const tt_dtype tv = arg[0].dtype, ti = arg[1].dtype;
    const int64_t v = (int64_t)ir_dtype_of(tv)->bytes, i = (int64_t)ir_dtype_of(ti)->bytes;
    const reduce_pick_ops *op = loops_of(f, tv, ti);
    const int kept = s->kept.n - (s->columns > 0), last = s->reduced.n - 1;
    const int64_t col = s->columns ? u % s->blocks * REDUCE_COLUMNS : 0, left = s->columns - col;
    const int64_t n = !s->columns ? 1 : left < REDUCE_COLUMNS ? left : REDUCE_COLUMNS;
    const reduce_offsets o = reduce_offset(&s->kept, kept, s->columns ? u / s->blocks : u);
    const char *x = (const char *)arg[0].at + (reduce_begin(f, &arg[0], &arg[4]) + o.x + col) * v;
    const char *k = (const char *)arg[1].at + (reduce_begin(f, &arg[1], &arg[4]) + o.x2 + col) * i;
    _Alignas(64) char best[REDUCE_COLUMNS * 8], where[REDUCE_COLUMNS * 8];
    for (int64_t c = 0; c < n; c++) memcpy(best + c * v, arg[2].at, (size_t)v),
        memcpy(where + c * i, arg[3].at, (size_t)i);
    const bool along = !s->columns && last >= 0;
    const int64_t run = along ? s->reduced.at[last].size : 1, xs = along ? s->reduced.at[last].x : 0;
    const int64_t ks = along ? s->reduced.at[last].x2 : 0;
    for (int64_t e = 0; e < s->elements; e += run) {
        const reduce_offsets p = reduce_offset(&s->reduced, s->reduced.n, e);
        const char *const xe = x + p.x * v, *const ke = k + p.x2 * i;
        if (op && along) op->along(best, where, xe, xs, ke, ks, run);
        else if (op) op->across(best, where, xe, ke, n);
        else for (int64_t c = 0; c < n; c++)
            one_by_one(f, (pick){ best + c * v, where + c * i }, xe + c * v, xs, ke + c * i, ks, run, tv, ti);
    }
    const int64_t ys = s->columns ? s->kept.at[kept].y : 0, y2s = s->columns ? s->kept.at[kept].y2 : 0;
    for (int64_t c = 0; c < n; c++) {
        memcpy((char *)arg[4].at + (o.y + (col + c) * ys) * v, best + c * v, (size_t)v);
        memcpy((char *)arg[5].at + (o.y2 + (col + c) * y2s) * i, where + c * i, (size_t)i);
    }
}

void reduce_pick_run(const void *self, const run_job *job)
{
    const reduce_eqn *f = self;
    const reduce_shape s = reduce_measure(f, job->arg);
    const int64_t n = reduce_units(&s), tiles = reduce_pick_tiles(self, job->arg);
    if (!s.results) return;
    for (int64_t u = n * job->first / tiles; u < n * (job->first + job->count) / tiles; u++)
        pick_unit(f, &s, job->arg, u);
}
