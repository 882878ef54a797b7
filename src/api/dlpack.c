/* api/dlpack.c - DLPack: the memory of an array lent to another library, and another library's memory as an array.
 *
 * An exported tensor holds a reference to the array; an imported one is an array over memory that is not the library's
 * own, whose release calls the tensor's deleter. Both are the published ABI, tutti/dlpack.h. */
#include "api.h"

#include <string.h>

enum { CPU = 1, MAJOR = 1, MINOR = 1, READ_ONLY = 1, ALIGNMENT = 16 };
enum { INT, UINT, FLOAT, BFLOAT = 4, COMPLEX, BOOL };
static const struct { tt_dtype dtype; uint8_t code, bits; } types[] = {
    { TT_BOOL, BOOL, 8 }, { TT_I8, INT, 8 }, { TT_I16, INT, 16 }, { TT_I32, INT, 32 }, { TT_I64, INT, 64 },
    { TT_U8, UINT, 8 }, { TT_U16, UINT, 16 }, { TT_U32, UINT, 32 }, { TT_U64, UINT, 64 }, { TT_F16, FLOAT, 16 },
    { TT_BF16, BFLOAT, 16 }, { TT_F32, FLOAT, 32 }, { TT_F64, FLOAT, 64 }, { TT_C64, COMPLEX, 64 },
    { TT_C128, COMPLEX, 128 }, { TT_F8E3M4, 7, 8 }, { TT_F8E4M3, 8, 8 }, { TT_F8E4M3B11FNUZ, 9, 8 },
    { TT_F8E4M3FN, 10, 8 }, { TT_F8E4M3FNUZ, 11, 8 }, { TT_F8E5M2, 12, 8 }, { TT_F8E5M2FNUZ, 13, 8 },
    { TT_F8E8M0FNU, 14, 8 },
};
enum { TYPES = sizeof types / sizeof *types };

/* ---- to others ---- */

typedef struct {
    tt_dlpack t;
    tt_dlpack_before_1 before;
    run_array *array;
    int64_t shape[IR_RANK], stride[IR_RANK];
} exported;

static void drop_exported(exported *e)
{
    if (!e) return;
    run_drop(e->array);
    base_heap_free(e);
}
static void deleted(struct DLManagedTensorVersioned *t) { drop_exported(((tt_dlpack *)(void *)t)->manager); }
static void deleted_before(struct DLManagedTensor *t) { drop_exported(((tt_dlpack_before_1 *)(void *)t)->manager); }

/* Describes the one instance of an array. False with the error set: DLPack has no such type, or there are several. */
static bool describe_instance(base_site site, const char *what, exported *e)
{
    const ir_type *const type = run_type(e->array);
    int k = 0;
    while (k < TYPES && types[k].dtype != type->dtype) k++;
    if (k == TYPES) {
        base_fail(TT_ETYPE, site, "%s: DLPack has no elements of type %s", what, tt_dtype_name(type->dtype));
        return base_hint("tt_cast(v, TT_I8), or tt_bitcast to TT_U8, makes a copy of a type that DLPack has");
    }
    if (run_instances(e->array) != 1 || !run_is_complete(e->array)) {
        base_fail(TT_ESPEC, site, "%s: %s is not in one piece, since it is sharded", what, trace_text(type));
        return base_hint("tt_shard(v, mesh, \"_\") makes it whole");
    }
    const ir_box b = run_box(e->array, 0);
    for (int i = 0; i < type->rank; i++) e->shape[i] = type->dim[i], e->stride[i] = b.step[i];
    e->t.tensor = (tt_dlpack_tensor){ .data = ir_count(type) ? b.at : NULL, .device_type = CPU, .ndim = type->rank,
                                      .code = types[k].code, .bits = types[k].bits, .lanes = 1, .shape = e->shape,
                                      .strides = e->stride };
    return true;
}

static exported *export_array(base_site site, const char *what, tt_val v)
{
    trace_value *const x = trace_array(site, what, v);
    run_array *const a = x ? trace_data(site, x) : NULL;
    if (!a) return NULL;
    exported *const e = base_heap(sizeof *e);
    if (e) *e = (exported){ .array = a };
    if (e && describe_instance(site, what, e)) {
        e->t.major = MAJOR, e->t.minor = MINOR, e->t.flags = READ_ONLY;
        e->t.manager = e->before.manager = e;
        e->t.deleter = deleted, e->before.deleter = deleted_before;
        e->before.tensor = e->t.tensor;
        return e;
    }
    if (e) drop_exported(e);
    else run_drop(a);
    return NULL;
}

ENTRY1(struct DLManagedTensorVersioned *, NULL, tt_to_dlpack, tt_val, v)
{
    exported *const e = export_array(site, "tt_to_dlpack", v);
    return e ? (void *)&e->t : NULL;
}
ENTRY1(struct DLManagedTensor *, NULL, tt_to_dlpack_before_1, tt_val, v)
{
    exported *const e = export_array(site, "tt_to_dlpack_before_1", v);
    return e ? (void *)&e->before : NULL;
}

/* ---- from others ---- */

/* A tensor of either ABI. */
typedef struct { const tt_dlpack_tensor *t; void *self; bool versioned; } imported;

static void delete_it(void *self, bool versioned)
{
    tt_dlpack *const t = versioned ? self : NULL;
    tt_dlpack_before_1 *const before = versioned ? NULL : self;
    if (t && t->deleter) t->deleter((void *)t);
    if (before && before->deleter) before->deleter((void *)before);
}
static void delete_versioned(void *self) { delete_it(self, true); }
static void delete_before(void *self) { delete_it(self, false); }

/* The type of a tensor; NULL with the error set. */
static const ir_type *dlpack_type(base_site site, const char *what, const tt_dlpack_tensor *t)
{
    int k = 0;
    if (t->device_type != CPU) {
        base_fail(TT_EARG, site, "%s: the tensor is on device %d of type %d; this machine's memory is type 1", what,
                  (int)t->device_id, (int)t->device_type);
        return base_hint("its library copies it: .cpu(), .get(), jax.device_put"), NULL;
    }
    while (k < TYPES && (types[k].code != t->code || types[k].bits != t->bits)) k++;
    if (t->lanes != 1 || k == TYPES) {
        base_fail(TT_ETYPE, site, "%s: there is no dtype for DLPack's code %d with %d bits and %d lanes", what,
                  (int)t->code, (int)t->bits, (int)t->lanes);
        return NULL;
    }
    if (t->ndim < 0 || t->ndim > IR_RANK || (t->ndim && !t->shape)) {
        base_fail(TT_ESHAPE, site, "%s: a tensor of %d dims; expected 0 to %d, and their sizes", what, (int)t->ndim,
                  IR_RANK);
        return NULL;
    }
    int64_t dims[IR_RANK + 1], checked[IR_RANK];
    for (int i = 0; i < t->ndim; i++) dims[i] = t->shape[i];
    dims[t->ndim] = TT_DIM_END;
    const int rank = api_dims(site, what, dims, checked);
    if (rank >= 0 && rank < t->ndim)                     /* the dim is TT_DIM_END */
        base_fail(TT_ESHAPE, site, "%s: dim %d is %lld", what, rank, (long long)t->shape[rank]);
    if (rank < t->ndim) return NULL;
    return ir_type_of(types[k].dtype, t->ndim, checked);
}

/* True if the elements are dense and row-major; strides of dims of size 1 say nothing. */
static bool is_dense(const tt_dlpack_tensor *t, const ir_type *type)
{
    int64_t want = 1;
    if (!t->strides || !ir_count(type)) return true;
    for (int i = type->rank - 1; i >= 0; i--) {
        if (type->dim[i] != 1 && t->strides[i] != want) return false;
        want *= type->dim[i];
    }
    return true;
}

/* wrong: of bools, the first byte that is neither 0 nor 1; NULL: there is none. */
typedef struct { const tt_dlpack_tensor *t; const char *from; size_t bytes; bool bools; const char *wrong; } reader;

/* Writes the box [lo, lo + n) of a tensor, dense; a row at once where its elements are adjacent. */
static bool gather(void *env, const int64_t *lo, const int64_t *n, void *to)
{
    reader *const r = env;
    const int rank = r->t->ndim;
    int64_t at[IR_RANK] = { 0 }, dense[IR_RANK], count = 1;
    const int64_t *const stride = r->t->strides ? r->t->strides : dense;
    int64_t step = 1;
    for (int d = rank - 1; d >= 0; d--) dense[d] = step, step *= r->t->shape[d], count *= n[d];
    const int outer = rank && stride[rank - 1] == 1 && !r->bools ? rank - 1 : rank;
    const int64_t run = outer < rank ? n[outer] : 1;
    char *p = to;
    for (; count > 0; count -= run, p += (size_t)run * r->bytes) {
        int64_t offset = 0;
        for (int d = 0; d < rank; d++) offset += (lo[d] + at[d]) * stride[d];
        const char *const from = r->from + offset * (int64_t)r->bytes;
        memcpy(p, from, (size_t)run * r->bytes);
        if (r->bools && !r->wrong && (uint8_t)*from > 1) r->wrong = from;
        for (int d = outer - 1; d >= 0 && ++at[d] == n[d]; d--) at[d] = 0;
    }
    return true;
}

/* True if memory can be an array's as it is; else the error says why not. */
static bool usable(base_site site, const char *what, const tt_dlpack_tensor *t, const ir_type *type, const char *from)
{
    const size_t past = (uintptr_t)from % ALIGNMENT;
    if (!is_dense(t, type))
        base_fail(TT_ESHAPE, site, "%s: the tensor's elements are not dense and in row-major order", what);
    else if (past)
        base_fail(TT_EARG, site,
                  "%s: the tensor begins %zu bytes past a multiple of %d; memory used as it is begins at one", what,
                      past, ALIGNMENT);
    else return true;
    return base_hint(".copy = 1 copies the tensor");
}

static bool good_bools(base_site site, const char *what, const ir_type *type, const reader *r, bool copied)
{
    const char *p = copied ? r->wrong : r->from, *const end = r->from + (copied ? 0 : ir_count(type));
    if (type->dtype != TT_BOOL || !ir_count(type)) return true;
    while (!copied && p < end && (uint8_t)*p < 2) p++;
    if (p == (copied ? NULL : end)) return true;
    return base_fail(TT_EARG, site, "%s: element %lld of the bools is the byte %d; expected 0 or 1", what,
                     (long long)(p - r->from), (int)(uint8_t)*p);
}

/* The array of a tensor. With an error the tensor is still the caller's. */
static tt_val import_array(base_site site, const char *what, const imported *m, const tt_dlpack_opts *o)
{
    const ir_type *const type = dlpack_type(site, what, m->t);
    if (!type) return trace_poison;
    const char *const from = m->t->data ? (const char *)m->t->data + m->t->byte_offset : NULL;
    reader r = { m->t, from, ir_dtype_of(type->dtype)->bytes, type->dtype == TT_BOOL, NULL };
    const bool copied = o->copy || !ir_count(type) || run_engine_now();      /* an engine has memory of its own */
    run_array *a = NULL;
    if (!from && ir_count(type))
        base_fail(TT_EARG, site, "%s: the data of the tensor, %s, is NULL", what, trace_text(type));
    else if (copied) a = run_array_fill(type, NULL, gather, &r);
    else if (usable(site, what, m->t, type, from)) a = run_array_over(type, (void *)(uintptr_t)from);
    if (a && !good_bools(site, what, type, &r, copied)) run_drop(a), a = NULL;
    if (!a) return trace_poison;
    if (!copied) run_array_freed(a, m->versioned ? delete_versioned : delete_before, m->self);
    const tt_val v = trace_handle(trace_concrete(site, a, false));
    if (copied) delete_it(m->self, m->versioned);
    return v;
}

ENTRY2(tt_val, trace_poison, tt_from_dlpack, struct DLManagedTensorVersioned *, t, const tt_dlpack_opts *, o)
{
    static const char what[] = "tt_from_dlpack";
    const tt_dlpack *const x = (const void *)t;
    if (!API_OPTIONS(site, what, tt_dlpack_opts, o)) return trace_poison;
    if (!x) return base_fail(TT_EARG, site, "%s: the tensor is NULL", what), trace_poison;
    if (x->major != MAJOR) {
        base_fail(TT_EARG, site, "%s: a tensor of DLPack %u.%u; expected version %d", what, x->major, x->minor, MAJOR);
        return trace_poison;
    }
    return import_array(site, what, &(imported){ &x->tensor, t, true }, o);
}
ENTRY2(tt_val, trace_poison, tt_from_dlpack_before_1, struct DLManagedTensor *, t, const tt_dlpack_opts *, o)
{
    static const char what[] = "tt_from_dlpack_before_1";
    const tt_dlpack_before_1 *const x = (const void *)t;
    if (!API_OPTIONS(site, what, tt_dlpack_opts, o)) return trace_poison;
    if (!x) return base_fail(TT_EARG, site, "%s: the tensor is NULL", what), trace_poison;
    return import_array(site, what, &(imported){ &x->tensor, t, false }, o);
}
