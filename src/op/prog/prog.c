/* op/prog/prog.c - the scalar program: scalar code of elementwise equations, and the interpreter that runs it for one
 * element.
 *
 * A scalar program is a list of instructions in SSA form; several equations may be appended to one scalar program (a
 * fused group). f16, bf16 and narrower types exist in memory only: operands are widened, and results rounded once per
 * equation, so that fusing changes no bit. Instructions are value-numbered: an instruction that equals an earlier one
 * is not appended. */
#include "scalar.h"
#include "prog.h"
#include "../random/threefry.h"

enum { FULL = INT16_MAX - 1 };

op_prog *op_prog_begin(base_arena *a)
{
    op_prog *t = BASE_NEW(a, op_prog, 1);
    t->arena = a;
    t->n = 1, t->cap = 64, t->nslot = 256;
    t->inst = BASE_NEW(a, op_inst, t->cap);
    t->slot = BASE_NEW(a, op_reg, t->nslot);
    return t;
}

tt_dtype op_working(const op_prog *t) { return t->working; }
tt_dtype op_dtype(const op_prog *t, op_reg r) { return t->inst[r].dtype; }
op_reg op_raw(const op_prog *t, int i) { return t->raw[i]; }
void op_yield(op_prog *t, int j, op_reg r) { t->out[j] = r; }

/* ---- appending ---- */

static uint32_t inst_hash(const op_inst *i)
{
    uint64_t h = (uint64_t)i->code << 40 ^ (uint64_t)i->dtype << 32 ^ (uint64_t)i->from << 24;
    h = (h ^ (uint16_t)i->a) * 0x9e3779b97f4a7c15u;
    h = (h ^ (uint16_t)i->b) * 0x9e3779b97f4a7c15u;
    h = (h ^ (uint16_t)i->c ^ i->imm.u64) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(h >> 32);
}

static bool inst_same(const op_inst *x, const op_inst *y)
{
    return x->code == y->code && x->dtype == y->dtype && x->from == y->from && x->a == y->a && x->b == y->b &&
           x->c == y->c && x->imm.u64 == y->imm.u64;
}

/* Open addressing over slot[], which grows so that at least half of it stays empty. */
static op_reg *find_slot(op_prog *t, const op_inst *x)
{
    uint32_t s = inst_hash(x) % (uint32_t)t->nslot;
    while (t->slot[s] && !inst_same(&t->inst[t->slot[s]], x)) s = (s + 1) % (uint32_t)t->nslot;
    return &t->slot[s];
}

static void prog_grow(op_prog *t)
{
    if (t->n == t->cap) {
        op_inst *wider = BASE_NEW(t->arena, op_inst, 2 * t->cap);
        memcpy(wider, t->inst, (size_t)t->n * sizeof *wider);
        t->inst = wider, t->cap *= 2;
    }
    if (2 * t->n >= t->nslot) {
        t->nslot *= 2;
        t->slot = BASE_NEW(t->arena, op_reg, t->nslot);
        for (int r = 1; r < t->n; r++) *find_slot(t, &t->inst[r]) = (op_reg)r;
    }
}

static op_reg append(op_prog *t, op_inst x)
{
    prog_grow(t);
    op_reg *s = find_slot(t, &x);
    if (*s) return *s;
    if (t->n >= FULL) return t->full = true, 1;
    t->inst[t->n] = x;
    return *s = (op_reg)t->n++;
}

op_reg op_input(op_prog *t, tt_dtype dtype)
{
    return append(t, (op_inst){ .code = OP_INPUT, .dtype = dtype, .a = (op_reg)t->ninput++ });
}

op_reg op_do(op_prog *t, op_code code, op_reg a, op_reg b, op_reg c)
{
    const bool compares = code == OP_LT || code == OP_LE || code == OP_EQ || code == OP_NE;
    const tt_dtype of_a = op_dtype(t, a);
    const tt_dtype word = code == OP_RANDOM32 ? TT_U32 : code == OP_RANDOM64 ? TT_U64 : of_a;
    const tt_dtype of = code == OP_SELECT ? op_dtype(t, b) : word;
    return append(t, (op_inst){ .code = code, .a = a, .b = b, .c = c, .from = compares ? of_a : 0,
                                .dtype = compares ? TT_BOOL : of });
}

op_reg op_to(op_prog *t, op_reg a, tt_dtype to)
{
    const tt_dtype from = op_dtype(t, a);
    if (from != to && ir_is_narrow(from)) return op_to(t, op_prog_widen(t, a), to);
    if (from != to && ir_is_narrow(to)) return op_prog_narrow(t, a, to);
    return from == to ? a : append(t, (op_inst){ .code = OP_CONVERT, .dtype = to, .from = from, .a = a });
}

op_reg op_bits(op_prog *t, op_reg a, tt_dtype to)
{
    const tt_dtype from = op_dtype(t, a);
    return from == to ? a : append(t, (op_inst){ .code = OP_BITCAST, .dtype = to, .from = from, .a = a });
}

op_reg op_index(op_prog *t, int dim)
{
    return append(t, (op_inst){ .code = OP_INDEX, .dtype = TT_I64, .a = (op_reg)dim });
}

static op_reg prog_constant(op_prog *t, tt_dtype dtype, op_word v)
{
    return append(t, (op_inst){ .code = OP_CONST, .dtype = dtype, .imm = v });
}

op_reg op_element(op_prog *t, tt_dtype dtype, const void *stored)
{
    op_word v = { .u64 = 0 };
    memcpy(&v, stored, ir_dtype_of(dtype)->bytes);
    return prog_constant(t, dtype, v);
}

op_reg op_integer(op_prog *t, tt_dtype dtype, int64_t x)
{
    op_word v = { .u64 = 0 };
    const uint64_t u = (uint64_t)x;
    switch (ir_dtype_of(dtype)->bytes) {
    case 1:  v.u8 = dtype == TT_BOOL ? x != 0 : ir_is_narrow(dtype) ? ir_wrap(dtype, u) : (uint8_t)u; break;
    case 2:  v.u16 = (uint16_t)u; break;
    case 4:  v.u32 = (uint32_t)u; break;
    default: v.u64 = u;
    }
    return prog_constant(t, dtype, v);
}

op_reg op_number(op_prog *t, tt_dtype dtype, double x)
{
    op_word v = { .u64 = 0 };
    switch (dtype) {
    case TT_F64:  v.f64 = x; break;
    case TT_F32:  v.f32 = (float)x; break;
    case TT_F16:  v.h16 = s_f16_of_f64(x); break;
    case TT_BF16: v.h16 = s_bf16_of_f64(x); break;
    default:
        if (ir_is_float(dtype)) { v.u8 = ir_f64_narrow(dtype, x); break; }
        return op_integer(t, dtype, s_i64_of_f64(x));
    }
    return prog_constant(t, dtype, v);
}

op_reg op_imm(op_prog *t, double x) { return op_number(t, t->working, x); }

op_reg op_poly(op_prog *t, op_reg x, int n, const double *c)
{
    const tt_dtype d = op_dtype(t, x);
    op_reg y = op_number(t, d, c[0]);
    for (int i = 1; i < n; i++) y = op_do(t, OP_FMA, y, x, op_number(t, d, c[i]));
    return y;
}

bool op_prog_add(op_prog *t, const ir_eqn *e, const op_reg *x, op_reg *y)
{
    op_reg in[IR_RANK], out[4] = { 0 };
    const uint64_t before = base_failures();
    if (e->nin > IR_RANK || e->nout > 4) return base_bug(e->site, "%s: too many operands for a scalar program",
        e->op->name);
    for (uint32_t i = 0; i < e->nin; i++) in[i] = op_to(t, x[i], ir_widened(op_dtype(t, x[i])));
    t->working = ir_widened(e->nin ? op_dtype(t, x[e->nin - 1]) : IR_OUT(e, 0)->dtype);
    t->raw = x, t->out = out;
    out[0] = e->op->prog(t, e, in);
    for (uint32_t j = 0; j < e->nout && out[j]; j++) y[j] = op_to(t, out[j], IR_OUT(e, j)->dtype);
    if (t->full) return base_fail(TT_EPLAN, e->site, "%s: its scalar program is too long", e->op->name);
    return out[0] || (base_failures() > before ? false : base_bug(e->site, "%s has no scalar program", e->op->name));
}

/* ---- running, one element ---- */

#define UNARY_(code, n) case OP_##code: r.n = s_##code##_##n(a->n); break;
#define BINARY_(code, n) case OP_##code: r.n = s_##code##_##n(a->n, b->n); break;
#define COMPARE_(code, n) case OP_##code: r.b8 = s_##code##_##n(a->n, b->n); break;
#define FLOAT_(n, T, U, bits)                                                                                          \
    static op_word run_##n(op_code code, const op_word *a, const op_word *b, const op_word *c)                         \
    {                                                                                                                  \
        op_word r = { .u64 = 0 };                                                                                      \
        switch (code) {                                                                                                \
        OP_FLOAT_UNARY(UNARY_, n) OP_FLOAT_BINARY(BINARY_, n) OP_COMPARES(COMPARE_, n)                                 \
        case OP_FMA: r.n = s_FMA_##n(a->n, b->n, c->n); break;                                                         \
        default: break;                                                                                                \
        }                                                                                                              \
        return r;                                                                                                      \
    }
#define INT_(n, T, U, bits)                                                                                            \
    static op_word run_##n(op_code code, const op_word *a, const op_word *b, const op_word *c)                         \
    {                                                                                                                  \
        op_word r = { .u64 = 0 };                                                                                      \
        (void)c;                                                                                                       \
        switch (code) {                                                                                                \
        OP_INT_UNARY(UNARY_, n) OP_INT_BINARY(BINARY_, n) OP_COMPARES(COMPARE_, n)                                     \
        case OP_FMA: r.n = s_ADD_##n(s_MUL_##n(a->n, b->n), c->n); break;                                              \
        default: break;                                                                                                \
        }                                                                                                              \
        return r;                                                                                                      \
    }
OP_FLOATS(FLOAT_)
OP_SIGNED(INT_)
OP_UNSIGNED(INT_)

static op_word run_b8(op_code code, const op_word *a, const op_word *b, const op_word *c)
{
    op_word r = { .u64 = 0 };
    (void)c;
    switch (code) {
    UNARY_(NOT, b8) OP_BOOL_BINARY(BINARY_, b8) OP_COMPARES(COMPARE_, b8)
    default: break;
    }
    return r;
}

typedef op_word run_fn(op_code, const op_word *, const op_word *, const op_word *);
static run_fn *const runs[] = {
    [TT_BOOL] = run_b8, [TT_I8] = run_i8, [TT_I16] = run_i16, [TT_I32] = run_i32, [TT_I64] = run_i64, [TT_U8] = run_u8,
    [TT_U16] = run_u16, [TT_U32] = run_u32, [TT_U64] = run_u64, [TT_F32] = run_f32, [TT_F64] = run_f64
};

#define FROM_FLOAT_(f)                                                                                                 \
    static op_word from_##f(f##_t_ x, tt_dtype to)                                                                     \
    {                                                                                                                  \
        op_word r = { .u64 = 0 };                                                                                      \
        switch (to) {                                                                                                  \
        case TT_BOOL: r.b8 = x != 0; break;                                                                            \
        case TT_I8:   r.i8 = s_i8_of_##f(x); break;                                                                    \
        case TT_I16:  r.i16 = s_i16_of_##f(x); break;                                                                  \
        case TT_I32:  r.i32 = s_i32_of_##f(x); break;                                                                  \
        case TT_I64:  r.i64 = s_i64_of_##f(x); break;                                                                  \
        case TT_U8:   r.u8 = s_u8_of_##f(x); break;                                                                    \
        case TT_U16:  r.u16 = s_u16_of_##f(x); break;                                                                  \
        case TT_U32:  r.u32 = s_u32_of_##f(x); break;                                                                  \
        case TT_U64:  r.u64 = s_u64_of_##f(x); break;                                                                  \
        case TT_F16:  r.h16 = s_f16_of_##f(x); break;                                                                  \
        case TT_BF16: r.h16 = s_bf16_of_##f(x); break;                                                                 \
        case TT_F32:  r.f32 = (float)x; break;                                                                         \
        default:      r.f64 = (double)x;                                                                               \
        }                                                                                                              \
        return r;                                                                                                      \
    }
typedef float f32_t_;
typedef double f64_t_;
FROM_FLOAT_(f32)
FROM_FLOAT_(f64)

/* An integer, sign- or zero-extended to 64 bits, converted to `to`; to narrow floats by way of f32, as XLA does. */
static op_word from_int(uint64_t u, bool is_signed, tt_dtype to)
{
    op_word r = { .u64 = 0 };
    const float f = is_signed ? (float)(int64_t)u : (float)u;
    switch (to) {
    case TT_BOOL: r.b8 = u != 0; break;
    case TT_I8: case TT_U8: r.u8 = (uint8_t)u; break;
    case TT_I16: case TT_U16: r.u16 = (uint16_t)u; break;
    case TT_I32: case TT_U32: r.u32 = (uint32_t)u; break;
    case TT_F16:  r.h16 = s_f16_of_f32(f); break;
    case TT_BF16: r.h16 = s_bf16_of_f32(f); break;
    case TT_F32:  r.f32 = f; break;
    case TT_F64:  r.f64 = is_signed ? (double)(int64_t)u : (double)u; break;
    default:      r.u64 = u;
    }
    return r;
}

static op_word convert(const op_word *a, tt_dtype from, tt_dtype to)
{
    switch (from) {
    case TT_BOOL: case TT_U8: return from_int(a->u8, false, to);
    case TT_I8:   return from_int((uint64_t)(int64_t)a->i8, true, to);
    case TT_I16:  return from_int((uint64_t)(int64_t)a->i16, true, to);
    case TT_I32:  return from_int((uint64_t)(int64_t)a->i32, true, to);
    case TT_I64:  return from_int(a->u64, true, to);
    case TT_U16:  return from_int(a->u16, false, to);
    case TT_U32:  return from_int(a->u32, false, to);
    case TT_U64:  return from_int(a->u64, false, to);
    case TT_F16:  return from_f32(s_f32_of_f16(a->h16), to);
    case TT_BF16: return from_f32(s_f32_of_bf16(a->h16), to);
    case TT_F32:  return from_f32(a->f32, to);
    default:      return from_f64(a->f64, to);
    }
}

static op_word prog_random_bits(op_code code, uint64_t counter, uint32_t a, uint32_t b)
{
    const op_pair p = op_threefry((op_pair){ a, b }, (uint32_t)(counter >> 32), (uint32_t)counter);
    return (op_word){ .u64 = code == OP_RANDOM64 ? (uint64_t)p.a << 32 | p.b : p.a ^ p.b };
}

void op_prog_step(const op_prog *t, int k, op_word *r, const int64_t *index)
{
    const op_inst *i = &t->inst[k];
    switch (i->code) {
    case OP_INPUT:   break;
    case OP_CONST:   r[k] = i->imm; break;
    case OP_INDEX:   r[k].i64 = index[i->a]; break;
    case OP_SELECT:  r[k] = r[i->a].b8 ? r[i->b] : r[i->c]; break;
    case OP_BITCAST: r[k] = r[i->a]; break;
    case OP_RANDOM32:
    case OP_RANDOM64: r[k] = prog_random_bits(i->code, r[i->a].u64, r[i->b].u32, r[i->c].u32); break;
    case OP_CONVERT: r[k] = convert(&r[i->a], i->from, i->dtype); break;
    default:         r[k] = runs[i->from ? i->from : i->dtype](i->code, &r[i->a], &r[i->b], &r[i->c]);
    }
}

void op_prog_run(const op_prog *t, op_word *r, const int64_t *index)
{
    for (int k = 1; k < t->n; k++) op_prog_step(t, k, r, index);
}
