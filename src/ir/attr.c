/* ir/attr.c - interns attributes by their field table, so that equal attributes are one pointer.
 *
 * The data that a field points to is interned first; then the struct is built in zeroed memory, so that padding does
 * not count. An empty list has a NULL pointer. Printing and parsing by the same table: print.c and fields.c. */
#include "ir.h"
#include "../base/thread.h"

#include <string.h>

#define COPY(T) (*(T *)to = *(const T *)from)

static void intern_names(ir_names *to, const ir_names *from)
{
    base_name v[64];
    const int n = from->n;
    if (n > 64) {
        base_bug(NULL, "an attribute of %d names", n);
        return;
    }
    for (int i = 0; i < n; i++) v[i] = base_intern(from->v[i]);
    to->n = n;
    to->v = n ? base_intern_bytes(v, (size_t)n * sizeof *v) : NULL;
}

static void intern_field(const ir_field *f, char *to, const char *from)
{
    switch (f->kind) {
    case IR_INT: case IR_ENUM: COPY(int64_t); return;
    case IR_REAL:  COPY(double); return;
    case IR_BOOL:  COPY(bool); return;
    case IR_DTYPE: COPY(tt_dtype); return;
    case IR_HOST:  memcpy(to, from, sizeof(void *)); return;
    case IR_NAME:  *(base_name *)to = base_intern(*(const base_name *)from); return;
    case IR_NAMES: intern_names((ir_names *)to, (const ir_names *)from); return;
    case IR_DIMS: {
        const ir_dims d = *(const ir_dims *)from;
        *(ir_dims *)to = (ir_dims){ d.n, d.n ? base_intern_bytes(d.v, (size_t)d.n * sizeof *d.v) : NULL };
        return;
    }
    case IR_LAYOUTS: {
        const ir_layouts l = *(const ir_layouts *)from;
        *(ir_layouts *)to = (ir_layouts){ l.n, l.n ? base_intern_bytes(l.v, (size_t)l.n * sizeof *l.v) : NULL };
        return;
    }
    case IR_DATA: {
        const ir_data d = *(const ir_data *)from;
        *(ir_data *)to = (ir_data){ d.bytes, d.bytes ? base_intern_bytes(d.p, d.bytes) : NULL };
        return;
    }
    }
}

/* Interns an attribute struct. The thread's last results are cached, since passes mostly reuse interned attributes,
 * which live forever. */
const void *ir_attr_intern(const op_prim *op, const void *attr)
{
    enum { KEPT = 1024 };
    typedef struct { const op_prim *op; const void *attr; } result;
    static _Thread_local result *kept;
    _Alignas(16) char c[512];
    if (!op->attr) return NULL;
    if (!kept) base_thread_memory(&kept, KEPT * sizeof *kept);
    const size_t at = ((uintptr_t)attr >> 4) * 0x9E3779B97F4A7C15u >> 54;
    if (attr && kept && kept[at].attr == attr && kept[at].op == op) return attr;
    if (op->attr > sizeof c) {
        base_bug(NULL, "the attributes of %s are larger than %zu bytes", op->name, sizeof c);
        return NULL;
    }
    memset(c, 0, op->attr);
    for (const ir_field *f = op->field; attr && f && f->name; f++)
        intern_field(f, c + f->at, (const char *)attr + f->at);
    attr = base_intern_bytes(c, op->attr);
    const size_t to = ((uintptr_t)attr >> 4) * 0x9E3779B97F4A7C15u >> 54;
    if (kept) kept[to] = (result){ op, attr };
    return attr;
}

/* Hashes content, not pointers, so that hashes are equal in every process. A layout is hashed by the parts of its
 * text. */
static uint64_t hash_layout(uint64_t h, const mesh_layout *l)
{
    if (!l) return base_hash(h, "", 0);
    for (int d = 0; d < l->rank; d++) {
        const uint64_t w[3] = { l->dim[d].atoms, l->dim[d].open, l->dim[d].priority };
        h = base_hash(h, w, sizeof w);
    }
    const uint16_t s[4] = { l->partial, l->reduced, l->closed, (uint16_t)l->reduce };
    return base_hash(h, s, sizeof s);
}

static uint64_t hash_name(uint64_t h, base_name s) { return s ? base_hash(h, s, strlen(s)) : base_hash(h, "\1", 2); }

static uint64_t hash_field(uint64_t h, const ir_field *f, const char *at)
{
    switch (f->kind) {
    case IR_INT: case IR_ENUM: return base_hash(h, at, sizeof(int64_t));
    case IR_REAL:  return base_hash(h, at, sizeof(double));
    case IR_BOOL:  return base_hash(h, at, sizeof(bool));
    case IR_DTYPE: return base_hash(h, at, sizeof(tt_dtype));
    case IR_HOST:  return base_hash(h, at, sizeof(void *));
    case IR_NAME:  return hash_name(h, *(const base_name *)at);
    case IR_NAMES: {
        const ir_names *n = (const ir_names *)at;
        for (int i = 0; i < n->n; i++) h = hash_name(h, n->v[i]);
        return h + (uint64_t)n->n;
    }
    case IR_DIMS: {
        const ir_dims *d = (const ir_dims *)at;
        return base_hash(h, d->v, (size_t)d->n * sizeof *d->v);
    }
    case IR_LAYOUTS: {
        const ir_layouts *l = (const ir_layouts *)at;
        for (int i = 0; i < l->n; i++) h = hash_layout(h, l->v[i]);
        return h + (uint64_t)l->n;
    }
    case IR_DATA: {
        const ir_data *d = (const ir_data *)at;
        return base_hash(h, d->p, d->bytes);
    }
    }
    return h;
}

uint64_t ir_attr_hash(uint64_t h, const op_prim *op, const void *attr)
{
    for (const ir_field *f = op->field; attr && f && f->name; f++) h = hash_field(h, f, (const char *)attr + f->at);
    return h;
}

uint64_t ir_layout_hash(uint64_t h, const mesh_layout *l) { return hash_layout(h, l); }
