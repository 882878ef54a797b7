/* api/array.c - values from C: numbers, memory, constants and abstract values; and helpers of all array functions. */
#include "api.h"
#include "../op/ops.h"

#include <math.h>
#include <string.h>

/* ---- helpers of all array functions ---- */

const char *api_call_name(base_site site, const char *otherwise)
{
    const char *call = site ? strstr(site, ": tt_") : NULL;
    const size_t n = call ? strcspn(call + 2, "( ") : 0;
    return n && call[2 + n] == '(' ? base_intern_n(call + 2, n) : otherwise;
}

/* "[4, -3]", up to the end mark. */
static const char *dims_text(const int64_t *dims)
{
    base_text t = { .arena = trace_temp() };
    base_appendf(&t, "[");
    for (int i = 0; dims[i] != TT_DIM_END && i < 2 * IR_RANK; i++)
        base_appendf(&t, "%s%lld", i ? ", " : "", (long long)dims[i]);
    base_appendf(&t, "]");
    return t.s;
}

int api_dims(base_site site, const char *what, const int64_t *dims, int64_t *out)
{
    int n = 0;
    for (; dims && dims[n] != TT_DIM_END; n++) {
        if (n == IR_RANK) {
            base_fail(TT_ESHAPE, site, "%s: more than the limit of %d dims", api_call_name(site, what), IR_RANK);
            return -1;
        }
        if (dims[n] < 0) {
            base_fail(TT_ESHAPE, site, "%s: dim %d is %lld; expected 0 or more", api_call_name(site, what), n,
                      (long long)dims[n]);
            return -1;
        }
        out[n] = dims[n];
    }
    int64_t count = 1;
    for (int i = 0; i < n; i++) {
        if (out[i] && count > ((int64_t)1 << 48) / out[i]) {
            base_fail(TT_ESHAPE, site, "%s: %s has more than the limit of 2^48 elements", api_call_name(site, what),
                      dims_text(dims));
            return -1;
        }
        count *= out[i] ? out[i] : 1;
    }
    return n;
}

int api_list(base_site site, const char *what, const tt_val *list)
{
    if (list) return trace_count(list);
    base_fail(TT_EARG, site, "%s: the list of values is NULL", what);
    return -1;
}

int api_dim(base_site site, const char *what, const trace_value *v, int dim)
{
    const int r = v->type->rank, d = dim < 0 ? dim + r : dim;
    if (d >= 0 && d < r) return d;
    base_fail(TT_ESHAPE, site, "%s: no dim %d in a value of rank %d", what, dim, r);
    trace_cite(v);
    return -1;
}

trace_value *api_piece1(base_site site, trace_body *body, const void *env, size_t size, trace_value *x)
{
    trace_value *y = NULL;
    if (trace_do(site, body, env, size, 1, &x, 1, &y)) y->weak = x->weak;
    return y;
}

bool api_together(base_site site, int n, trace_value **x)
{
    trace_dtype t = trace_dtype_of(x[0]);
    for (int i = 1; i < n; i++) t = trace_join(t, trace_dtype_of(x[i]));
    int done = 0;
    if (!t.dtype) return trace_no_join(site, "these arrays", n, x);
    for (int i = 0; i < n; i++) if (!trace_number_fits(site, "these arrays", x[i], t.dtype)) return false;
    for (; done < n; done++) {
        trace_value *y = x[done]->type->dtype == t.dtype ? trace_ref(x[done]) : api_cast(site, x[done], t.dtype);
        if (!y) break;
        x[done] = y;
    }
    if (done == n) return true;
    while (done-- > 0) trace_unref(x[done]);
    return false;
}

/* True if a C number's integer part is a number of dtype; other numbers are converted as arrays are. */
static bool array_holds(tt_dtype dtype, const trace_value *v)
{
    int64_t least;
    uint64_t most;
    if (v->integer || !ir_int_range(dtype, &least, &most)) return true;
    return v->real > (double)least - 1 && v->real < fmin((double)most + 1, 0x1p63);     /* within int64_t's range */
}

trace_value *api_cast(base_site site, trace_value *v, tt_dtype dtype)
{
    const op_convert_attr attr = { dtype };
    /* a weak number is rounded to dtype */
    if (v->form == TRACE_NUMBER && v->weak && dtype != TT_BOOL && array_holds(dtype, v)) {
        trace_value *y = trace_number_as(v, dtype);
        y->site = site;
        return y;
    }
    if (v->type->dtype == dtype) {
        trace_value *y = trace_as(v, site, trace_leaf(NULL, false));
        if (!y->weak) return y;
        trace_unref(y);
    }
    return trace_emit(site, &prim_convert, &attr, 1, &v);
}

/* ---- numbers ---- */

ENTRY1(tt_val, trace_poison, number_f, double, x)
{
    return trace_handle(trace_number(NULL, trace_x64() ? TT_F64 : TT_F32, x, 0));
}
ENTRY1(tt_val, trace_poison, number_i, int64_t, x)
{
    const bool wide = trace_x64() || x < INT32_MIN || x > (int64_t)UINT32_MAX;
    return trace_handle(trace_number(NULL, wide ? TT_I64 : TT_I32, 0, x));
}
ENTRY1(tt_val, trace_poison, number_b, bool, x) { return trace_handle(trace_number(NULL, TT_BOOL, 0, x)); }
tt_val tt_f(double x) { return number_f_at(NULL, x); }
tt_val(tt_i)(int64_t x) { return number_i_at(NULL, x); }
tt_val tt_b(bool x) { return number_b_at(NULL, x); }

/* ---- arrays ---- */

typedef struct { const void *data; const char *type; size_t bytes; } memory;

/* Copies bools whose bytes are not 0 or 1, any nonzero byte being true; lives as long as the call. NULL: no copy
 * needed. */
static void *as_truths(const uint8_t *p, size_t n)
{
    size_t i = 0;
    while (i < n && p[i] < 2) i++;
    if (i == n) return NULL;
    uint8_t *const to = BASE_NEW(trace_temp(), uint8_t, n);
    for (i = 0; to && i < n; i++) to[i] = p[i] != 0;
    return to;
}

/* True unless a byte is no number of an integer type of 2 or 4 bits, whose elements have a byte each. */
static bool in_bits(base_site site, tt_dtype dtype, const void *data, int64_t n)
{
    int64_t least;
    uint64_t most;
    if (!ir_int_range(dtype, &least, &most) || most > 15) return true;
    for (int64_t i = 0; i < n; i++) {
        const int x = least < 0 ? ((const int8_t *)data)[i] : ((const uint8_t *)data)[i];
        if (x >= least && x <= (int)most) continue;
        return base_fail(TT_ETYPE, site, "tt_array: element %lld is %d, no number of type %s", (long long)i, x,
                         ir_dtype_of(dtype)->name);
    }
    return true;
}

VAL3(api_array, tt_dtype, dtype, const memory *, m, const int64_t *, dims)
{
    int64_t d[IR_RANK];
    const int n = api_dtype(site, "tt_array", dtype) ? api_dims(site, "tt_array", dims, d) : -1;
    if (n < 0) return trace_poison;
    const ir_type *t = ir_type_of(dtype, n, d);
    const void *const data = m->data;
    const size_t bytes = (size_t)ir_count(t) * ir_dtype_of(dtype)->bytes;
    if (!api_memory_type(site, "tt_array", m->type, dtype, trace_text(t)) ||
        !api_check_capacity(site, "tt_array", data ? m->bytes : 0, bytes, trace_text(t)))
        return trace_poison;
    if (!data && ir_count(t)) {
        base_fail(TT_EARG, site, "tt_array: the data of %s is NULL", trace_text(t));
        return trace_poison;
    }
    if (!in_bits(site, dtype, data, ir_count(t))) return trace_poison;
    void *const truth = dtype == TT_BOOL ? as_truths(data, bytes) : NULL;
    run_array *a = run_array_of(t, NULL, truth ? truth : data ? data : "");
    return a ? trace_handle(trace_concrete(site, a, false)) : trace_poison;
}

tt_val tt_array_at(const char *site, tt_dtype dtype, const void *data, const int64_t *dims)
{
    return api_array_at(site, dtype, &(memory){ data, NULL, 0 }, dims);
}
tt_val tt_array_seen(const char *site, tt_dtype dtype, const void *data, const char *type, size_t capacity,
                     const int64_t *dims)
{
    return api_array_at(site, dtype, &(memory){ data, type, capacity }, dims);
}

typedef struct { double x; tt_dtype dtype; int rank; int64_t dim[IR_RANK]; } full_env;

static bool full_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const full_env *f = env;
    (void)in;
    return (out[0] = op_splat(b, ir_type_of(f->dtype, f->rank, f->dim), f->x)) != 0;
}

/* True unless dtype is an integer type that does not have the number; JAX converts 300 to 44 and 2.5 to 2. */
static bool good_number(base_site site, double x, tt_dtype dtype)
{
    int64_t least;
    uint64_t most;
    if (!ir_int_range(dtype, &least, &most)) return true;
    if (x == floor(x) && x >= (double)least && x < (double)most + 1) return true;
    base_fail(TT_ETYPE, site, "tt_full: %.17g is no number of type %s", x, ir_dtype_of(dtype)->name);
    return base_hint("tt_cast(tt_full(x, TT_F64, ...), dtype) converts it");
}

VAL3(tt_full, double, x, tt_dtype, dtype, const int64_t *, dims)
{
    full_env f;
    trace_value *y = NULL;
    memset(&f, 0, sizeof f);
    f.x = x;
    f.dtype = dtype;
    if (!api_dtype(site, "tt_full", dtype) || !good_number(site, x, dtype)) return trace_poison;
    if ((f.rank = api_dims(site, "tt_full", dims, f.dim)) < 0) return trace_poison;
    if (trace_top() || x != 0 || signbit(x)) {            /* -0 does not consist of zero bytes */
        trace_do(site, full_body, &f, sizeof f, 0, NULL, 1, &y);
        return api_handle(y);
    }
    run_array *a = run_array_of(ir_type_of(dtype, f.rank, f.dim), NULL, NULL);
    return a ? trace_handle(trace_concrete(site, a, false)) : trace_poison;
}

/* An integer of 64 bits that a double rounds, in a type that has it. */
static tt_val full_wide(const char *site, const void *x, tt_dtype dtype, const int64_t *dims)
{
    return tt_broadcast_at(site, tt_array_at(site, dtype, x, (const int64_t[]){ TT_DIM_END }), dims);
}
tt_val tt_full_i_at(const char *site, int64_t x, tt_dtype dtype, const int64_t *dims)
{
    const bool exact = (x < 0 ? -(uint64_t)x : (uint64_t)x) <= (uint64_t)1 << 53;
    const bool wide = dtype == TT_I64 || (dtype == TT_U64 && x >= 0);
    return wide && !exact ? full_wide(site, &x, dtype, dims) : tt_full_at(site, (double)x, dtype, dims);
}
tt_val tt_full_u_at(const char *site, uint64_t x, tt_dtype dtype, const int64_t *dims)
{
    const bool exact = x <= (uint64_t)1 << 53, wide = dtype == TT_U64 || (dtype == TT_I64 && x <= INT64_MAX);
    return wide && !exact ? full_wide(site, &x, dtype, dims) : tt_full_at(site, (double)x, dtype, dims);
}

typedef struct { tt_dtype dtype; int rank, at; int64_t dim[IR_RANK]; } iota_env;

static bool iota_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const iota_env *f = env;
    (void)in;
    return (out[0] = op_iota(b, ir_type_of(f->dtype, f->rank, f->dim), f->at)) != 0;
}

static trace_value *iota(base_site site, tt_dtype dtype, int dim, int rank, const int64_t *dims)
{
    iota_env f;
    trace_value *y = NULL;
    memset(&f, 0, sizeof f);
    f.dtype = dtype;
    f.rank = rank;
    f.at = dim;
    memcpy(f.dim, dims, (size_t)rank * sizeof *dims);
    trace_do(site, iota_body, &f, sizeof f, 0, NULL, 1, &y);
    return y;
}

VAL2(tt_arange, tt_dtype, dtype, int64_t, n)
{
    int64_t d[2] = { n, TT_DIM_END }, out[IR_RANK], least;
    uint64_t most;
    if (!api_dtype(site, "tt_arange", dtype)) return trace_poison;
    const bool fits = !ir_int_range(dtype, &least, &most) || n < 1 || (uint64_t)n - 1 <= most;
    if (n < 0) base_fail(TT_ESHAPE, site, "tt_arange: %lld numbers; expected 0 or more", (long long)n);
    else if (!fits)
        base_fail(TT_ETYPE, site, "tt_arange: the last number, %lld, is no number of type %s", (long long)n - 1,
                  ir_dtype_of(dtype)->name);
    if (n < 0 || !fits || api_dims(site, "tt_arange", d, out) < 0) return trace_poison;
    return api_handle(iota(site, dtype, 0, 1, d));
}

VAL3(tt_iota, tt_dtype, dtype, int, dim, const int64_t *, dims)
{
    int64_t d[IR_RANK];
    const int n = api_dtype(site, "tt_iota", dtype) ? api_dims(site, "tt_iota", dims, d) : -1;
    if (n < 0) return trace_poison;
    if (dim >= -n && dim < n) {
        int64_t least;
        uint64_t most;
        const int64_t last = d[dim < 0 ? dim + n : dim] - 1;
        if (last > 0 && ir_int_range(dtype, &least, &most) && (uint64_t)last > most) {
            base_fail(TT_ETYPE, site, "tt_iota: the last number, %lld, is no number of type %s", (long long)last,
                      ir_dtype_of(dtype)->name);
            return trace_poison;
        }
    }
    if (dim < -n || dim >= n) {
        base_fail(TT_ESHAPE, site, "tt_iota: no dim %d in a value of rank %d", dim, n);
        return trace_poison;
    }
    return api_handle(iota(site, dtype, dim < 0 ? dim + n : dim, n, d));
}

/* ---- abstract values ---- */

VAL2(tt_shape, tt_dtype, dtype, const int64_t *, dims)
{
    int64_t d[IR_RANK];
    const int n = api_dtype(site, "tt_shape", dtype) ? api_dims(site, "tt_shape", dims, d) : -1;
    return n < 0 ? trace_poison : trace_handle(trace_abstract(site, ir_type_of(dtype, n, d), NULL, false));
}

static trace_value *like_leaf(base_site site, trace_value *v, const void *env)
{
    (void)env;
    trace_value *y =
        trace_abstract(site, v->type, v->form == TRACE_CONCRETE || v->form == TRACE_ABSTRACT ? v->layout : NULL,
            v->weak);
    y->tree = v->tree;
    return y;
}

VAL1(tt_like, tt_val, v)
{
    trace_value *x = trace_get(site, v);
    return x ? api_handle(trace_leafwise(site, x, like_leaf, NULL)) : trace_poison;
}
