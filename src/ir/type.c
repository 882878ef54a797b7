/* ir/type.c - types of values, interned (equal types are one pointer), and their text.
 *
 * Text: f32[4, 256], a scalar f32; in a checked manual region f32[8]{i}: varies over axis i; f32[8]+sum(i): its
 * instances must still be summed; f32[8]+reduced(i): its cotangents will be. */
#include "ir.h"
#include "../base/thread.h"

#include <string.h>

static const ir_type *intern(const ir_type *t, const int64_t *dim)
{
    ir_type c;
    memset(&c, 0, sizeof c);                             /* padding too: interned as bytes */
    c.dtype = t->dtype;
    c.rank = t->rank;
    c.dim = base_intern_bytes(dim, (size_t)t->rank * sizeof *dim);
    c.vary = t->vary;
    c.partial = t->partial;
    c.reduced = t->reduced;
    c.reduce = t->partial ? t->reduce : MESH_NONE;
    return base_intern_bytes(&c, sizeof c);
}

static bool possible(tt_dtype dtype, int rank, const int64_t *dim)
{
    int64_t n = 1, bytes;
    if (!ir_dtype_of(dtype)) return base_fail(TT_ETYPE, NULL, "no data type has the number %d", (int)dtype);
    if (rank < 0 || rank > IR_RANK)
        return base_fail(TT_ERANK, NULL, "a value of %d dims; at most %d are possible", rank, IR_RANK);
    for (int d = 0; d < rank; d++) {
        if (dim[d] < 0) return base_fail(TT_ESHAPE, NULL, "dim %d has a negative size: %lld", d, (long long)dim[d]);
        if (dim[d] && n > INT64_MAX / dim[d]) return base_fail(TT_ESHAPE, NULL, "a value of more than 2^63 elements");
        if (dim[d]) n *= dim[d];
    }
    if (__builtin_mul_overflow(n, (int64_t)ir_dtype_of(dtype)->bytes, &bytes))
        return base_fail(TT_ESHAPE, NULL, "a value of more than 2^63 bytes");
    return true;
}

bool ir_same_dims(const ir_type *x, const ir_type *y)
{
    return x->rank == y->rank && (!x->rank || !memcmp(x->dim, y->dim, (size_t)x->rank * sizeof *x->dim));
}

/* Interns a type. The thread's last results are cached: a program has few types, requests each often, and interned
 * types live forever. */
const ir_type *ir_type_of(tt_dtype dtype, int rank, const int64_t *dim)
{
    enum { KEPT = 256 };
    static _Thread_local const ir_type **kept;
    if (rank < 0 || rank > IR_RANK) return possible(dtype, rank, dim), NULL;
    uint64_t h = (uint64_t)dtype * 64 + (uint64_t)rank;
    for (int d = 0; d < rank; d++) h = (h ^ (uint64_t)dim[d]) * 0x9E3779B97F4A7C15u, h ^= h >> 32;
    const ir_type *none = NULL;
    if (!kept) base_thread_memory(&kept, KEPT * sizeof *kept);
    const ir_type **const at = kept ? &kept[(h ^ h >> 16) % KEPT] : &none, *t = *at;
    if (t && t->dtype == dtype && t->rank == rank && (!rank || !memcmp(t->dim, dim, (size_t)rank * sizeof *dim)))
        return t;
    return possible(dtype, rank, dim) ? *at = intern(&(ir_type){ .dtype = dtype, .rank = rank }, dim) : NULL;
}

const ir_type *ir_type_as(const ir_type *like, tt_dtype dtype, int rank, const int64_t *dim)
{
    if (!possible(dtype, rank, dim)) return NULL;
    ir_type t = *like;
    t.dtype = dtype;
    t.rank = rank;
    return intern(&t, dim);
}

const ir_type *ir_type_vary(const ir_type *like, mesh_set vary)
{
    ir_type t = *like;
    if (t.vary == vary) return like;
    t.vary = vary;
    return intern(&t, like->dim);
}

const ir_type *ir_type_states(const ir_type *like, mesh_set vary, mesh_set partial, mesh_reduce reduce,
    mesh_set reduced)
{
    ir_type t = *like;
    t.vary = vary;
    t.partial = partial;
    t.reduce = reduce;
    t.reduced = reduced;
    return intern(&t, like->dim);
}

int64_t ir_count(const ir_type *t)
{
    int64_t n = 1;
    for (int d = 0; d < t->rank; d++) n *= t->dim[d];
    return n;
}

int64_t ir_bytes(const ir_type *t) { return ir_count(t) * (int64_t)ir_dtype_of(t->dtype)->bytes; }

static void put_set(base_text *s, const mesh *m, mesh_set set)   /* by axis names; without a mesh, atom numbers */
{
    if (m) {
        base_appendf(s, "%s", mesh_set_text(s->arena, m, set));
        return;
    }
    for (int a = 0, n = 0; a < MESH_ATOMS; a++) if (set >> a & 1) base_appendf(s, "%s#%d", n++ ? "+" : "", a);
}

const char *ir_type_text_on(base_arena *a, const mesh *m, const ir_type *t)
{
    base_text s = { .arena = a };
    base_appendf(&s, "%s", ir_dtype_of(t->dtype)->name);
    for (int d = 0; d < t->rank; d++) base_appendf(&s, "%s%lld", d ? ", " : "[", (long long)t->dim[d]);
    if (t->rank) base_appendf(&s, "]");
    if (t->vary) base_appendf(&s, "{"), put_set(&s, m, t->vary), base_appendf(&s, "}");
    if (t->partial) base_appendf(&s, "+%s(", mesh_reduce_name[t->reduce]), put_set(&s, m, t->partial),
        base_appendf(&s, ")");
    if (t->reduced) base_appendf(&s, "+reduced("), put_set(&s, m, t->reduced), base_appendf(&s, ")");
    return s.s;
}

const char *ir_type_text(base_arena *a, const ir_type *t) { return ir_type_text_on(a, NULL, t); }
