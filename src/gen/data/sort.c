/* gen/data/sort.c - sort on boxes: keys become unsigned numbers whose order is the order of values, then stable radix
 * passes.
 *
 * -0 becomes 0 and every NaN the largest key; descending inverts all bits. Several keys are sorted one after the other,
 * the least significant first. Short lines are sorted by insertion. Digits that are the same in a full line cost
 * nothing. A task is a range of lines; the permutation found from the keys is then applied to all operands.
 *
 * A group may be a sort with slices that take the first k places of its lines (top_k, plan/fuse/top_k.c). For small k
 * the line is read once, and keys less than the k-th least so far are kept, in a list that is reduced to its k least
 * when it is full. Equal keys keep their order there too: a later key must be less to be kept. */
#include "../gen.h"
#include "../../op/ops.h"

#include <string.h>

#include "../../op/prog/scalar.h"

/* elements: of a line for insertion sort; of a task; of a line for 11-bit digits */
enum { SHORT = 48, GRAIN = 1 << 13, LONG = 1 << 11 };
enum { PIECE = 64, FEW = 4 };   /* keys compared together; k is small if the line is FEW times as long */
/* A key, and its element's index in the line. Keys of up to 32 bits make items of 8 bytes. */
typedef struct { uint32_t key, at; } item32;
typedef struct { uint64_t key; uint32_t at; } item64;

/* Keys from IEEE bits, in rising order. */
static uint32_t f32_key(float v)
{
    const uint32_t top = (uint32_t)1 << 31, b = s_bits_f32(v), key = b ^ ((b & top ? UINT32_MAX : 0) | top);
    return v != v ? UINT32_MAX : v == 0 ? top : key;
}

static uint64_t f64_key(double v)
{
    const uint64_t top = (uint64_t)1 << 63, b = s_bits_f64(v), key = b ^ ((b & top ? UINT64_MAX : 0) | top);
    return v != v ? UINT64_MAX : v == 0 ? top : key;
}

/* Of a type of less than 16 bits, stored in a byte. */
static uint32_t narrow_key(tt_dtype d, uint8_t v)
{
    if (ir_is_float(d)) return f32_key((float)ir_narrow_f64(d, v));
    const uint8_t u = (uint8_t)ir_wrap(d, v);
    return ir_dtype_of(d)->cls == IR_INT_CLASS ? u ^ 0x80u : u;
}

/* The keys of n elements. at: their indices, in this order; NULL: consecutive elements. */
#define EACH(T, expression, n, where)                                                                                  \
    for (int64_t i = 0; i < n; i++) { const T v = p[where]; key[i] = (expression) ^ turn; }
#define CASE(d, T, expression)                                                                                         \
    case d: {                                                                                                          \
        const T *p = x;                                                                                                \
        if (at) EACH(T, expression, n, at[i] * step)                                                                   \
        else if (step == 1 && n == PIECE) EACH(T, expression, PIECE, i)   /* vectorised */                             \
        else EACH(T, expression, n, i * step)                                                                          \
        break;                                                                                                         \
    }
static void keys_32(uint32_t *restrict key, const uint32_t *at, int64_t n, const void *x, int64_t step, tt_dtype dtype,
                    bool turned)
{
    const uint32_t turn = turned ? UINT32_MAX : 0;
    switch ((int)dtype) {
    CASE(TT_BOOL, uint8_t, v)
    CASE(TT_U8, uint8_t, v)
    CASE(TT_U16, uint16_t, v)
    CASE(TT_U32, uint32_t, v)
    CASE(TT_I8, int8_t, (uint8_t)v ^ 0x80u)
    CASE(TT_I16, int16_t, (uint16_t)v ^ 0x8000u)
    CASE(TT_I32, int32_t, (uint32_t)v ^ 0x80000000u)
    CASE(TT_F32, float, f32_key(v))
    CASE(TT_BF16, uint16_t, f32_key(s_f32_of_bf16(v)))
    CASE(TT_F16, uint16_t, f32_key(s_f32_of_f16(v)))
    default: {
        const uint8_t *p = x;
        EACH(uint8_t, narrow_key(dtype, v), n, (at ? at[i] : i) * step)
    }
    }
}

static void keys_64(uint64_t *restrict key, const uint32_t *at, int64_t n, const void *x, int64_t step, tt_dtype dtype,
                    bool turned)
{
    const uint64_t turn = turned ? UINT64_MAX : 0;
    switch ((int)dtype) {
    CASE(TT_U64, uint64_t, v)
    CASE(TT_I64, int64_t, (uint64_t)v ^ (uint64_t)1 << 63)
    CASE(TT_F64, double, f64_key(v))
    }
}
#undef EACH
#undef CASE

static int64_t few_capacity(int64_t first) { return 4 * first + 4 * PIECE; }

#define SORTER(bits)                                                                                                   \
    static void insertion_##bits(item##bits *list, int64_t n)                                                          \
    {                                                                                                                  \
        for (int64_t i = 1; i < n; i++) {                                                                              \
            const item##bits v = list[i];                                                                              \
            int64_t k = i;                                                                                             \
            for (; k > 0 && list[k - 1].key > v.key; k--) list[k] = list[k - 1];                                       \
            list[k] = v;                                                                                               \
        }                                                                                                              \
    }                                                                                                                  \
    static const item##bits *sorted_##bits(item##bits *list, item##bits *other, int64_t n)                             \
    {                                                                                                                  \
        const int digit = n < LONG ? 8 : 11;                                                                           \
        const uint##bits##_t mask = ((uint##bits##_t)1 << digit) - 1;                                                  \
        uint##bits##_t some = 0, all = ~some;                                                                          \
        if (n <= SHORT) return insertion_##bits(list, n), list;                                                        \
        for (int64_t i = 0; i < n; i++) some |= list[i].key, all &= list[i].key;                                       \
        for (int shift = 0; shift < bits; shift += digit) {                                                            \
            uint32_t count[1 << 11], at = 0;                                                                           \
            if (!((some ^ all) >> shift & mask)) continue;   /* the same digit in all keys */                          \
            memset(count, 0, sizeof *count << digit);                                                                  \
            for (int64_t i = 0; i < n; i++) count[list[i].key >> shift & mask]++;                                      \
            for (int d = 0; d < 1 << digit; d++) {                                                                     \
                const uint32_t c = count[d];                                                                           \
                count[d] = at, at += c;                                                                                \
            }                                                                                                          \
            for (int64_t i = 0; i < n; i++) other[count[list[i].key >> shift & mask]++] = list[i];                     \
            item##bits *t = list;                                                                                      \
            list = other, other = t;                                                                                   \
        }                                                                                                              \
        return list;                                                                                                   \
    }                                                                                                                  \
    /* order: sorts places at[..] by their keys, stably; `buffer` holds two lists. */                                  \
    static void order_##bits(uint32_t *at, void *buffer, int64_t n, const void *x, int64_t step, tt_dtype t,           \
                             bool turned, bool begun)                                                                  \
    {                                                                                                                  \
        item##bits *const list = buffer;                                                                               \
        uint##bits##_t key[PIECE];                                                                                     \
        const int64_t size = (int64_t)ir_dtype_of(t)->bytes;                                                           \
        for (int64_t i = 0; i < n; i += PIECE) {                                                                       \
            const int64_t c = n - i < PIECE ? n - i : PIECE;                                                           \
            const void *const from = begun ? x : (const char *)x + i * step * size;                                    \
            keys_##bits(key, begun ? at + i : NULL, c, from, step, t, turned);                                         \
            for (int64_t q = 0; q < c; q++)                                                                            \
                list[i + q] = (item##bits){ key[q], begun ? at[i + q] : (uint32_t)(i + q) };                           \
        }                                                                                                              \
        const item##bits *const s = sorted_##bits(list, list + n, n);                                                  \
        for (int64_t i = 0; i < n; i++) at[i] = s[i].at;                                                               \
    }                                                                                                                  \
    /* Returns the (k + 1)-th least of n keys; b: space for as many. Every other round bisects the range of keys. */   \
    static uint##bits##_t least_##bits(uint##bits##_t *a, uint##bits##_t *b, int64_t n, int64_t k)                     \
    {                                                                                                                  \
        uint##bits##_t low = 0, high = ~low;                                                                           \
        for (int turn = 0;; turn++) {                                                                                  \
            const uint##bits##_t x = a[0], y = a[n / 2], z = a[n - 1], less = x < y ? x : y, more = x < y ? y : x;     \
            const uint##bits##_t among = z < less ? less : z > more ? more : z;                                        \
            const uint##bits##_t p = turn & 1 ? low + (high - low) / 2 : among;                                        \
            int64_t under = 0, at = 0;                                                                                 \
            for (int64_t i = 0; i < n; i++) b[under] = a[i], under += a[i] < p, at += a[i] == p;                       \
            if (k >= under && k < under + at) return p;                                                                \
            if (k < under) {                                                                                           \
                n = under, high = p - 1;                                                                               \
            } else {                                                                                                   \
                k -= under + at, low = p + 1, at = 0;                                                                  \
                for (int64_t i = 0; i < n; i++) b[at] = a[i], at += a[i] > p;                                          \
                n = at;                                                                                                \
            }                                                                                                          \
            uint##bits##_t *const t = a;                                                                               \
            a = b, b = t;                                                                                              \
        }                                                                                                              \
    }                                                                                                                  \
    /* Keeps the `first` least of m items, in their present order, and returns the largest key; other: space for as    \
     * many. */                                                                                                        \
    static uint##bits##_t keep_##bits(item##bits *list, void *other, int64_t m, int64_t first)                         \
    {                                                                                                                  \
        uint##bits##_t *const key = other;                                                                             \
        int64_t equal = first, n = 0;                                                                                  \
        for (int64_t i = 0; i < m; i++) key[i] = list[i].key;                                                          \
        const uint##bits##_t limit = least_##bits(key, key + m, m, first - 1);                                         \
        for (int64_t i = 0; i < m; i++) equal -= list[i].key < limit;                                                  \
        for (int64_t i = 0; i < m; i++) {                                                                              \
            const bool same = (list[i].key == limit) & (equal > 0), take = same | (list[i].key < limit);               \
            list[n] = list[i];                                                                                         \
            equal -= same, n += take;                                                                                  \
        }                                                                                                              \
        return limit;                                                                                                  \
    }                                                                                                                  \
    /* at[0 .. first): the places of the least of n keys, in order; `buffer`: two lists of few_capacity(first). */     \
    static void few_##bits(uint32_t *at, int64_t first, void *buffer, int64_t n, const void *x, int64_t step,          \
                           tt_dtype t, bool turned)                                                                    \
    {                                                                                                                  \
        item##bits *const list = buffer, *const other = list + few_capacity(first);                                    \
        const int64_t size = (int64_t)ir_dtype_of(t)->bytes;                                                           \
        uint##bits##_t key[PIECE], limit = 0;                                                                          \
        int64_t m = 0;                                                                                                 \
        bool limited = false;                                                                                          \
        for (int64_t i = 0; i < n; i += PIECE) {                                                                       \
            const int64_t c = n - i < PIECE ? n - i : PIECE;                                                           \
            bool any = !limited;                                                                                       \
            keys_##bits(key, NULL, c, (const char *)x + i * step * size, step, t, turned);                             \
            for (int64_t q = c; q < PIECE; q++) key[q] = UINT##bits##_MAX;                                             \
            for (int64_t q = 0; q < PIECE; q++) any |= key[q] < limit;                                                 \
            if (!any) continue;                                                                                        \
            for (int64_t q = 0; q < c; q++) {                                                                          \
                list[m] = (item##bits){ key[q], (uint32_t)(i + q) };                                                   \
                m += !limited | (key[q] < limit);                                                                      \
            }                                                                                                          \
            if (m + PIECE <= few_capacity(first)) continue;                                                            \
            limit = keep_##bits(list, other, m, first), limited = true;                                                \
            m = first;                                                                                                 \
        }                                                                                                              \
        if (m > first) keep_##bits(list, other, m, first);                                                             \
        const item##bits *const s = sorted_##bits(list, other, first);                                                 \
        for (int64_t i = 0; i < first; i++) at[i] = s[i].at;                                                           \
    }
SORTER(32)
SORTER(64)

static void sort_take(void *y, int64_t ys, const void *x, int64_t xs, const uint32_t *at, int64_t n, size_t size)
{
    typedef struct { uint64_t w[2]; } wide;
#define CASE(bytes, T)                                                                                                 \
    case bytes: {                                                                                                      \
        T *q = y;                                                                                                      \
        const T *p = x;                                                                                                \
        for (int64_t i = 0; i < n; i++) q[i * ys] = p[at[i] * xs];                                                     \
        break;                                                                                                         \
    }
    switch (size) {
    CASE(1, uint8_t)
    CASE(2, uint16_t)
    CASE(4, uint32_t)
    CASE(8, uint64_t)
    CASE(16, wide)
    }
#undef CASE
}

/* ---- boxes ---- */

static int64_t sort_lines_of(const ir_box *y, int k)
{
    int64_t n = 1;
    for (int d = 0; d < y->rank; d++) if (d != k) n *= y->n[d];
    return n;
}

/* Offset in b of line i of y's box, at y's index 0 along k. */
static int64_t line_at(const ir_box *b, const ir_box *y, int k, int64_t i)
{
    int64_t at = 0;
    for (int d = y->rank - 1; d >= 0; d--) {
        if (d == k) continue;
        at += (y->lo[d] + i % y->n[d] - b->lo[d]) * b->step[d];
        i /= y->n[d];
    }
    return at + (y->lo[k] - b->lo[k]) * b->step[k];
}

/* A sort, perhaps with slices of its results: result j is the first places of operand from[j], and argument arg[i] is
 * operand i. */
typedef struct {
    const ir_eqn *e; const op_sort_attr *a;
    int64_t first; bool few;
    uint32_t nin, nout, *from, *arg;
} self_of;

static int64_t sort_tiles(const void *self, const ir_box *arg)
{
    const self_of *s = self;
    const int k = (int)s->a->dimension;
    const int64_t lines = sort_lines_of(&arg[s->nin], k), work = lines * IR_IN(s->e, 0)->dim[k] / GRAIN;
    const int64_t most = work > 64 ? 64 : work;
    return lines < most ? lines : most < 1 ? 1 : most;
}

static int64_t sort_scratch(const void *self, const ir_box *arg)
{
    const self_of *s = self;
    const int64_t n = s->few ? few_capacity(s->first) : IR_IN(s->e, 0)->dim[s->a->dimension];
    (void)arg;
    return n * (int64_t)(2 * sizeof(item64) + sizeof(uint32_t));
}

/* at: the first places of line l, or all of them. */
static void order_line(const self_of *s, const run_job *job, const ir_box *y, int64_t l, item64 *buffer, uint32_t *at)
{
    const int k = (int)s->a->dimension;
    const int64_t n = IR_IN(s->e, 0)->dim[k];
    for (int64_t key = s->a->num_keys - 1; key >= 0; key--) {
        const ir_box *x = &job->arg[s->arg[key]];
        const int64_t size = (int64_t)ir_dtype_of(x->dtype)->bytes;
        const void *const from = (const char *)x->at + line_at(x, y, k, l) * size;
        if (s->few) (size == 8 ? few_64 : few_32)(at, s->first, buffer, n, from, x->step[k], x->dtype,
            s->a->descending);
        else (size == 8 ? order_64 : order_32)(at, buffer, n, from, x->step[k], x->dtype, s->a->descending,
                                               key < s->a->num_keys - 1);
    }
}

static void sort_run(const void *self, const run_job *job)
{
    const self_of *s = self;
    const ir_box *y = job->arg + s->nin;
    const int k = (int)s->a->dimension;
    const int64_t n = s->few ? few_capacity(s->first) : IR_IN(s->e, 0)->dim[k];
    const int64_t lines = sort_lines_of(y, k), tiles = sort_tiles(self, job->arg);
    item64 *const buffer = job->scratch;
    uint32_t *const at = (void *)(buffer + 2 * n);
    if (!ir_box_count(y)) return;
    for (int64_t l = lines * job->first / tiles; l < lines * (job->first + job->count) / tiles; l++) {
        order_line(s, job, y, l, buffer, at);
        for (uint32_t j = 0; j < s->nout; j++) {
            const ir_box *x = &job->arg[s->arg[s->from[j]]];
            const int64_t size = (int64_t)ir_dtype_of(x->dtype)->bytes;
            sort_take((char *)y[j].at + line_at(&y[j], y, k, l) * size, y[j].step[k],
                      (const char *)x->at + line_at(x, y, k, l) * size, x->step[k], at, s->first, (size_t)size);
        }
    }
}

/* ---- the engine ---- */

/* True if e takes the first `first` places, fewer than all, of all lines of a sort along dim. */
static bool takes_first(const ir_eqn *e, int64_t dim, int64_t first)
{
    const op_slice_attr *a = IR_ATTR(e, op_slice_attr);
    for (int d = 0; d < IR_IN(e, 0)->rank; d++)
        if (a->start_indices.v[d] || a->strides.v[d] != 1 ||
            a->limit_indices.v[d] != (d == dim ? first : IR_IN(e, 0)->dim[d])) return false;
    return first < IR_IN(e, 0)->dim[dim];
}

static const char *sort_refuses(const gen_group *g)
{
    const ir_eqn *e = g->eqn[0];
    if (e->op != &prim_sort) return "not sort";
    const int64_t dim = IR_ATTR(e, op_sort_attr)->dimension;
    for (uint32_t k = 1; k < g->neqn; k++) if (g->eqn[k]->op != &prim_slice) return "not sort alone";
    for (uint32_t k = 1; k < g->neqn; k++)
        if (!takes_first(g->eqn[k], dim, IR_ATTR(g->eqn[1], op_slice_attr)->limit_indices.v[dim]))
            return "more than the first places are read";
    return IR_IN(e, 0)->dim[dim] > UINT32_MAX ? "a line of more than 2^32 elements" : NULL;
}

/* The operand of the sort that result j of the group derives from. */
static uint32_t source_of(const gen_group *g, uint32_t j)
{
    ir_id v = g->out[j];
    for (uint32_t k = 1; k < g->neqn; k++) if (g->eqn[k]->out == v) v = g->eqn[k]->in[0];
    return v - g->eqn[0]->out;
}

static bool sort_make(base_arena *a, const gen_group *g, run_kernel *k)
{
    const ir_eqn *e = g->eqn[0];
    self_of *s = BASE_NEW(a, self_of, 1);
    *s = (self_of){ .e = e, .a = IR_ATTR(e, op_sort_attr), .nin = g->nin, .nout = g->nout };
    const int64_t n = IR_IN(e, 0)->dim[s->a->dimension];
    s->first = g->neqn > 1 ? IR_ATTR(g->eqn[1], op_slice_attr)->limit_indices.v[s->a->dimension] : n;
    s->few = g->neqn > 1 && s->a->num_keys == 1 && s->first <= n / FEW;
    s->from = BASE_NEW(a, uint32_t, g->nout), s->arg = BASE_NEW(a, uint32_t, e->nin);
    for (uint32_t i = 0; i < e->nin; i++)
        for (s->arg[i] = 0; g->in[s->arg[i]] != e->in[i];) s->arg[i]++;
    for (uint32_t j = 0; j < g->nout; j++) s->from[j] = source_of(g, j);
    *k = (run_kernel){ .code = sort_run, .self = s, .tiles = sort_tiles, .scratch = sort_scratch,
                       .name = base_intern(g->neqn > 1 ? "sort: first" : "sort"), .site = e->site };
    return true;
}

const gen_engine gen_sort = { sizeof(gen_engine), "sort", sort_refuses, sort_make };
