/* trace/value/promote.c - promotion of dtypes: JAX's lattice with weak scalars, and NumPy's broadcasting.
 *
 *   bool < int* < { u8 < u16 < u32 < u64, i8 < i16 < i32 < i64, with uN < i2N } < float* < { bf16, f16 } < f32 < f64
 *   float* < complex* < c64 < c128, f32 < c64, f64 < c128
 * A star marks a C number, which takes the other operand's type. Two different types meet at their lowest common upper
 * bound. As in JAX with 32-bit defaults, 64-bit types result only from 64-bit operands, and narrow types are outside
 * the lattice. With TUTTI=x64, as with jax_enable_x64, C numbers have 64 bits where no operand determines their type,
 * so that an integer array with a C float is f64. */
#include "../trace.h"

#include <string.h>

/* Nodes: the dtypes by number, and three weak kinds. above[i]: upward edges. */
enum { WEAK_INT = 16, WEAK_FLOAT = 17, WEAK_COMPLEX = 18, NODES = 19 };
#define UP(x) (1u << (x))
static const uint32_t above[NODES] = {
    [TT_BOOL] = UP(WEAK_INT),
    [WEAK_INT] = UP(TT_U8) | UP(TT_I8),
    [TT_U8] = UP(TT_I16) | UP(TT_U16),
    [TT_U16] = UP(TT_I32) | UP(TT_U32),
    [TT_U32] = UP(TT_I64) | UP(TT_U64),
    [TT_U64] = UP(WEAK_FLOAT),
    [TT_I8] = UP(TT_I16),
    [TT_I16] = UP(TT_I32),
    [TT_I32] = UP(TT_I64),
    [TT_I64] = UP(WEAK_FLOAT),
    [WEAK_FLOAT] = UP(TT_BF16) | UP(TT_F16) | UP(WEAK_COMPLEX),
    [TT_BF16] = UP(TT_F32),
    [TT_F16] = UP(TT_F32),
    [TT_F32] = UP(TT_F64) | UP(TT_C64),
    [TT_F64] = UP(TT_C128),
    [WEAK_COMPLEX] = UP(TT_C64),
    [TT_C64] = UP(TT_C128),
};

static uint32_t closure(int node)                        /* the node and all nodes above it */
{
    uint32_t all = UP(node), before;
    do {
        before = all;
        for (int i = 0; i < NODES; i++) if (all & UP(i)) all |= above[i];
    } while (all != before);
    return all;
}

static int promote_node_of(trace_dtype t)
{
    if (!t.weak) return t.dtype;
    const ir_class c = ir_dtype_of(t.dtype)->cls;
    return c == IR_FLOAT_CLASS     ? WEAK_FLOAT
           : c == IR_COMPLEX_CLASS ? WEAK_COMPLEX
           : c == IR_BOOL_CLASS    ? TT_BOOL
                                   : WEAK_INT;
}

static bool promote_wide(tt_dtype t) { return t == TT_I64 || t == TT_U64 || t == TT_F64 || t == TT_C128; }

/* Types of less than 16 bits are promoted only with bools and C numbers. */
static trace_dtype join_narrow(trace_dtype narrow, trace_dtype other)
{
    const ir_class c = ir_dtype_of(other.dtype)->cls;
    const bool number = other.weak && (c == IR_INT_CLASS || (c == IR_FLOAT_CLASS && ir_is_float(narrow.dtype)));
    return (trace_dtype){ narrow.dtype == other.dtype || c == IR_BOOL_CLASS || number ? narrow.dtype : 0, false };
}

trace_dtype trace_join(trace_dtype a, trace_dtype b)
{
    if (a.dtype == b.dtype && a.weak == b.weak) return a;
    if (!a.dtype || !b.dtype) return (trace_dtype){ 0, false };
    if (ir_is_narrow(a.dtype)) return join_narrow(a, b);
    if (ir_is_narrow(b.dtype)) return join_narrow(b, a);
    static _Atomic uint8_t known[NODES][NODES];          /* 1 + the join of two nodes */
    const int x = promote_node_of(a), y = promote_node_of(b);
    int low = known[x][y] - 1;
    if (low < 0) {
        const uint32_t both = closure(x) & closure(y);
        for (int i = 0; i < NODES && low < 0; i++)       /* the lowest: its closure is all common upper bounds */
            if (both & UP(i) && (closure(i) & both) == both) low = i;
        known[x][y] = (uint8_t)(low + 1);
    }
    const bool x64 = trace_x64();
    const bool large = a.dtype == TT_I64 || b.dtype == TT_I64;       /* a C number above 32 bits */
    if (low == WEAK_INT) return (trace_dtype){ x64 || large ? TT_I64 : TT_I32, true };
    if (low == WEAK_FLOAT) return (trace_dtype){ x64 ? TT_F64 : TT_F32, true };
    if (low == WEAK_COMPLEX) return (trace_dtype){ x64 ? TT_C128 : TT_C64, true };
    tt_dtype t = (tt_dtype)low;
    if (t == TT_I64 && !promote_wide(a.dtype) && !promote_wide(b.dtype) && !x64) t = TT_I32;
    return (trace_dtype){ t, false };
}

bool trace_takes(const ir_type *want, const ir_type *got, bool weak)
{
    const trace_dtype to = { want->dtype, false }, from = { got->dtype, weak };
    return want->dtype == got->dtype || (weak && trace_join(to, from).dtype == want->dtype);
}

bool trace_no_join(base_site site, const char *what, int n, trace_value *const *x)
{
    base_fail(TT_ETYPE, site, "%s: types of less than 16 bits are not converted implicitly", what);
    for (int i = 0; i < n; i++) trace_cite(x[i]);
    return base_hint("tt_cast one operand to the type that is meant");
}

/* True unless the value is a C integer that does not fit into dtype; else sets the error. Python integers in NumPy 2
 * and JAX are such an error too; C would wrap. */
bool trace_number_fits(base_site site, const char *what, const trace_value *v, tt_dtype dtype)
{
    int64_t least;
    uint64_t most;
    if (v->form != TRACE_NUMBER || !v->integer || !v->weak || !ir_int_range(dtype, &least, &most)) return true;
    if (v->i64 >= least && (v->i64 < 0 || (uint64_t)v->i64 <= most)) return true;
    base_fail(TT_ETYPE, site, "%s: the C integer %lld is out of bounds for %s", what, (long long)v->i64,
              ir_dtype_of(dtype)->name);
    return base_hint(v->type->dtype == dtype ? "say its type: tt_cast(tt_i(x), TT_I64)"
                                             : "tt_cast the other operand to a wider type, or this one to wrap it");
}

trace_dtype trace_dtype_of(const trace_value *v) { return (trace_dtype){ v->type->dtype, v->weak }; }

trace_dtype trace_inexact(trace_dtype t)
{
    const ir_class c = ir_dtype_of(t.dtype)->cls;
    if (c == IR_FLOAT_CLASS || c == IR_COMPLEX_CLASS) return t;
    return (trace_dtype){ promote_wide(t.dtype) ? TT_F64 : TT_F32, t.weak };
}

static bool no_broadcast(base_site site, const char *what, int n, trace_value *const *x)
{
    if (n == 2)
        base_fail(TT_ESHAPE, site, "%s: shapes do not broadcast: %s and %s", what, trace_text(x[0]->type),
                  trace_text(x[1]->type));
    else
        base_fail(TT_ESHAPE, site, "%s: shapes do not broadcast", what);
    for (int i = 0; i < n; i++) trace_cite(x[i]);
    return base_hint("dims are compared from the last; they must be equal, or one of them 1");
}

bool trace_broadcast(base_site site, const char *what, int n, trace_value *const *x, int *rank, int64_t *dim)
{
    int r = 0;
    for (int i = 0; i < n; i++) if (x[i]->type->rank > r) r = x[i]->type->rank;
    for (int d = 0; d < r; d++) {
        int64_t size = 1;
        for (int i = 0; i < n; i++) {
            const ir_type *t = x[i]->type;
            const int at = d - (r - t->rank);
            if (at < 0 || t->dim[at] == 1 || t->dim[at] == size) continue;
            if (size != 1) return no_broadcast(site, what, n, x);
            size = t->dim[at];
        }
        dim[d] = size;
    }
    *rank = r;
    return true;
}
