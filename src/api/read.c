/* api/read.c - values to C: one number, all elements, the elements of a box. */
#include "api.h"

#include <math.h>

ENTRY1(double, NAN, tt_num, tt_val, v)
{
    double y = NAN;
    trace_value *x = trace_get(site, v);
    if (x) trace_number_of(site, "tt_num", x, &y);
    return y;
}

typedef struct { void *p; const char *type; size_t cap; } target;

ENTRY3(bool, false, api_read, tt_val, v, const target *, t, size_t, bytes)
{
    trace_value *x = trace_array(site, "tt_read", v);
    if (!x) return false;
    const char *const text = trace_type_text(trace_temp(), x);
    if (!api_memory_type(site, "tt_read", t->type, x->type->dtype, text)) return trace_cite(x);
    const size_t want = (size_t)ir_count(x->type) * ir_dtype_of(x->type->dtype)->bytes;
    if (bytes != want) {
        base_fail(TT_EARG, site, "tt_read: a buffer of %zu bytes for %s, which has %zu bytes", bytes, text, want);
        return trace_cite(x);
    }
    if (!api_check_capacity(site, "tt_read", t->cap, bytes, text)) return trace_cite(x);
    if (!t->p && bytes) {
        base_fail(TT_EARG, site, "tt_read: the buffer for %s is NULL", text);
        return trace_cite(x);
    }
    run_array *a = trace_data(site, x);
    const bool ok = a && run_read(a, NULL, NULL, t->p);
    run_drop(a);
    return ok;
}

bool tt_read_at(const char *site, tt_val v, void *to, size_t bytes)
{
    return api_read_at(site, v, &(target){ to, NULL, 0 }, bytes);
}
bool tt_read_seen(const char *site, tt_val v, void *to, const char *type, size_t capacity, size_t bytes)
{
    return api_read_at(site, v, &(target){ to, type, capacity }, bytes);
}

typedef struct { const int64_t *lo, *n; target to; } box_request;

static bool good_box(base_site site, const trace_value *x, const box_request *q)
{
    const ir_type *const t = x->type;
    int64_t dim[IR_RANK + 1];
    size_t bytes = ir_dtype_of(t->dtype)->bytes;
    for (int d = 0; d < t->rank; d++) {
        const int64_t lo = q->lo ? q->lo[d] : 0;
        dim[d] = q->n ? q->n[d] : t->dim[d];
        if (lo < 0 || dim[d] < 0 || dim[d] > t->dim[d] - lo)
            return base_fail(TT_EARG, site, "tt_read_box: dim %d has %lld elements; %lld from %lld on were requested",
                             d, (long long)t->dim[d], (long long)dim[d], (long long)lo);
        bytes *= (size_t)dim[d];
    }
    const char *const box = trace_text(ir_type_of(t->dtype, t->rank, dim));
    return api_memory_type(site, "tt_read_box", q->to.type, t->dtype, box) &&
           api_check_capacity(site, "tt_read_box", q->to.cap, bytes, box);
}

ENTRY2(bool, false, api_read_box, tt_val, v, const box_request *, q)
{
    trace_value *x = trace_array(site, "tt_read_box", v);
    if (x && !good_box(site, x, q)) return trace_cite(x);
    run_array *a = x ? trace_data(site, x) : NULL;
    const bool ok = a && run_read(a, q->lo, q->n, q->to.p);
    run_drop(a);
    return ok;
}

bool tt_read_box_at(const char *site, tt_val v, const int64_t *lo, const int64_t *n, void *to)
{
    return api_read_box_at(site, v, &(box_request){ lo, n, { to, NULL, 0 } });
}
bool tt_read_box_seen(const char *site, tt_val v, const int64_t *lo, const int64_t *n, void *to, const char *type,
                      size_t capacity)
{
    return api_read_box_at(site, v, &(box_request){ lo, n, { to, type, capacity } });
}
