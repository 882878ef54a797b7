/* gen/llvm/convert.c - conversions between types in LLVM's language, as op/prog/scalar.h defines them.
 *
 * f16 and bf16 are integers of 16 bits here. f64 is converted to one of them through an f32 that is rounded to odd, so
 * that the two roundings are one. */
#include "ops.h"

#include <math.h>
#include <string.h>

static const char *half_type(llvm_writer *w) { return llvm_lanes_of(w, "half"); }

static const char *convert_widen(llvm_writer *w, tt_dtype from, const char *a) /* f16 or bf16 to f32 */
{
    if (from == TT_F16) {
        if (llvm_is_plain(w)) return llvm_plain_widen(w, a);
        const char *h = llvm_line(w, "bitcast %s %s to %s", llvm_type(w, from), a, half_type(w));
        return llvm_line(w, "fpext %s %s to %s", half_type(w), h, llvm_type(w, TT_F32));
    }
    const char *u = cast(w, "zext", TT_U16, a, TT_U32);
    return cast(w, "bitcast", TT_U32, llvm_ops_two(w, "shl", TT_U32, u, llvm_ops_num(w, TT_U32, 16)), TT_F32);
}

/* f64 to f32, rounded to odd (s_odd_f32): the last bit is 1 if the result is inexact. */
static const char *odd(llvm_writer *w, const char *x)
{
    const char *y = cast(w, "fptrunc", TT_F64, x, TT_F32), *u = cast(w, "bitcast", TT_F32, y, TT_U32);
    const char *ax = call1(w, "fabs", TT_F64, x), *ay = call1(w, "fabs", TT_F64, cast(w, "fpext", TT_F32, y, TT_F64));
    const char *inexact = llvm_ops_two(w, "fcmp one", TT_F64, ay, ax);   /* false for NaN */
    inexact = llvm_ops_two(w, "and", TT_BOOL, inexact, llvm_ops_two(w, "fcmp ole", TT_F64, ay,
        llvm_ops_num(w, TT_F64, 0x47efffffe0000000)));
    const char *one = llvm_ops_num(w, TT_U32, 1), *before = llvm_ops_two(w, "sub", TT_U32, u, one);
    const char *less = llvm_ops_choose(w, TT_U32, llvm_ops_two(w, "fcmp ogt", TT_F64, ay, ax), before, u);
    return cast(w, "bitcast", TT_U32, llvm_ops_choose(w, TT_U32, inexact, llvm_ops_two(w, "or", TT_U32, less, one), u),
        TT_F32);
}

/* f32 to f16 or bf16. short_nan: no NaN in x has one of its low 16 bits set, so that no rounding of bf16 can carry
 * into a NaN's exponent. */
static const char *convert_narrow(llvm_writer *w, const char *x, tt_dtype to, bool short_nan)
{
    if (to == TT_F16) {
        if (llvm_is_plain(w)) return llvm_plain_narrow(w, x);
        const char *h = llvm_line(w, "fptrunc %s %s to %s", llvm_type(w, TT_F32), x, half_type(w));
        return llvm_line(w, "bitcast %s %s to %s", half_type(w), h, llvm_type(w, to));
    }
    const tt_dtype u = TT_U32;
    const char *b = cast(w, "bitcast", TT_F32, x, u), *top = llvm_ops_two(w, "lshr", u, b, llvm_ops_num(w, u, 16));
    const char *r = llvm_ops_two(w, "add", u, llvm_ops_two(w, "add", u, b, llvm_ops_num(w, u, 0x7fff)),
        llvm_ops_two(w, "and", u, top, llvm_ops_num(w, u, 1)));
    r = llvm_ops_two(w, "lshr", u, r, llvm_ops_num(w, u, 16));
    if (!short_nan)
        r = llvm_ops_choose(w, u, llvm_ops_two(w, "fcmp uno", TT_F32, x, x),
            llvm_ops_two(w, "or", u, top, llvm_ops_num(w, u, 0x40)), r);
    return cast(w, "trunc", u, r, TT_U16);
}

static const char *real(llvm_writer *w, tt_dtype d, double x)
{
    const float f = (float)x;
    uint64_t bits = 0;
    if (d == TT_F32) memcpy(&bits, &f, sizeof f);
    else memcpy(&bits, &x, sizeof x);
    return llvm_ops_num(w, d, bits);
}

/* Avoids LLVM's saturating conversion, which splits vectors into elements. */
const char *llvm_truncate(llvm_writer *w, tt_dtype from, const char *a, tt_dtype to, bool known)
{
    const bool sign = is_signed(to);
    const int n = llvm_bits(to);
    const double above = ldexp(1, sign ? n - 1 : n), least = sign ? -above : 0;
    const char *cast_ = sign ? "fptosi" : "fptoui", *zero = llvm_ops_num(w, from, 0);
    if (known) return cast(w, cast_, from, llvm_ops_choose(w, from, llvm_ops_two(w, "fcmp ord", from, a, a), a, zero),
        to);
    const char *high = llvm_ops_two(w, "fcmp oge", from, a, real(w, from, above));
    const char *low = llvm_ops_two(w, "fcmp oge", from, a, real(w, from, least));
    const char *in = llvm_ops_two(w, "and", TT_BOOL, low, llvm_ops_two(w, "fcmp olt", from, a, real(w, from, above)));
    const char *v = cast(w, cast_, from, llvm_ops_choose(w, from, in, a, zero), to);
    v = llvm_ops_choose(w, to, high, llvm_ops_num(w, to, sign ? (1ull << (n - 1)) - 1 : ~0ull), v);
    if (!sign) return v;
    return llvm_ops_choose(w, to, llvm_ops_two(w, "fcmp olt", from, a, real(w, from, least)),
        llvm_ops_num(w, to, 1ull << (n - 1)), v);
}

const char *llvm_convert(llvm_writer *w, tt_dtype from, const char *a, tt_dtype to, bool short_nan)
{
    if (from == to) return a;
    if (from == TT_F16 || from == TT_BF16) return llvm_convert(w, TT_F32, convert_widen(w, from, a), to, false);
    if (to == TT_F16 || to == TT_BF16)
        return convert_narrow(w, from == TT_F64 ? odd(w, a) : llvm_convert(w, from, a, TT_F32, false), to, short_nan);
    if (llvm_ops_is_float(from) && llvm_ops_is_float(to)) return cast(w, from == TT_F32 ? "fpext" : "fptrunc", from, a,
        to);
    if (to == TT_BOOL) return llvm_ops_two(w, llvm_ops_is_float(from) ? "fcmp une" : "icmp ne", from, a,
        llvm_ops_num(w, from, 0));
    if (llvm_ops_is_float(to)) return cast(w, is_signed(from) ? "sitofp" : "uitofp", from, a, to);
    if (llvm_ops_is_float(from)) return llvm_truncate(w, from, a, to, false);
    const int n = llvm_bits(from), m = llvm_bits(to);
    if (n == m) return a;
    return cast(w, m < n ? "trunc" : is_signed(from) ? "sext" : "zext", from, a, to);
}

/* True if the constant is no NaN, or one of short payload. */
static bool is_short_number(const op_inst *i)
{
    return !isnan(i->imm.f32) || !(i->imm.u64 & 0xffff);
}

/* True if no NaN that instruction i gives is long, where short_nan holds for the registers before it. An arithmetic
 * instruction gives the NaN of an operand, or the processor's own, whose payload is one bit; a word shifted left by 16
 * or more has no low bits (2^n in exp). */
static bool gives_short_nan(const op_inst *inst, const op_inst *i, const bool *short_nan)
{
    const op_inst *a = &inst[i->a];
    switch ((int)i->code) {
    case OP_CONST: return is_short_number(i);
    case OP_CONVERT: return i->from != TT_F64 && i->from != TT_F16;   /* an f16 has bits 13 to 22 */
    case OP_BITCAST:
        return a->code == OP_SHL && inst[a->b].code == OP_CONST && inst[a->b].imm.u64 >= 16 &&
               inst[a->b].imm.u64 < 32;
    case OP_NEG:
    case OP_ABS:
    case OP_SQRT:
    case OP_FLOOR:
    case OP_RINT: return short_nan[i->a];
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_DIV:
    case OP_MIN:
    case OP_MAX: return short_nan[i->a] && short_nan[i->b];
    case OP_SELECT: return short_nan[i->b] && short_nan[i->c];
    case OP_FMA: return short_nan[i->a] && short_nan[i->b] && short_nan[i->c];
    default: return false;
    }
}

void llvm_short_nans(const op_inst *inst, int n, bool *short_nan)
{
    for (int r = 1; r < n; r++) short_nan[r] = inst[r].dtype == TT_F32 && gives_short_nan(inst, &inst[r], short_nan);
}
