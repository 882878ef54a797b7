/* gen/llvm/ops.c - one instruction of a scalar program in LLVM's language, as op/prog/scalar.h defines it, for a vector
 * of elements.
 *
 * No instruction has fast-math flags: each float instruction is the IEEE operation. f16 and bf16 are integers of 16
 * bits except where they are converted. bool is i1. A division by a uniform number uses its reciprocal, as in
 * tile_isa.c. */
#include "ops.h"

#include <math.h>
#include <string.h>

static void declare(llvm_writer *w, const char *type, const char *name, const char *types)
{
    const char *line = llvm_keep(w, "%s @llvm.%s(%s)", type, name, types);
    for (int i = 0; i < w->used; i++) if (!strcmp(w->intrinsic[i], line)) return;
    if (w->used == (int)(sizeof w->intrinsic / sizeof *w->intrinsic)) w->why = "too many functions";
    else w->intrinsic[w->used++] = line;
}

const char *llvm_call(llvm_writer *w, const char *type, const char *name, const char *types, const char *args)
{
    declare(w, type, name, types);
    return llvm_line(w, "call %s @llvm.%s(%s)", type, name, args);
}

void llvm_call_void(llvm_writer *w, const char *name, const char *types, const char *args)
{
    declare(w, "void", name, types);
    fprintf(w->body, "  call void @llvm.%s(%s)\n", name, args);
}

static const char *fma3(llvm_writer *w, tt_dtype d, const char *a, const char *b, const char *c)
{
    if (llvm_is_plain(w)) return llvm_plain_fma(w, d, a, b, c);
    const char *t = llvm_type(w, d);
    return llvm_call(w, t, llvm_keep(w, "fma.%s", suffix(w, d)), llvm_keep(w, "%s, %s, %s", t, t, t),
                llvm_keep(w, "%s %s, %s %s, %s %s", t, a, t, b, t, c));
}

/* ---- floats ---- */

/* The values that a division by rb needs: the divisor's reciprocal, the divisor and its negative in all lanes, and
 * whether the divisor is too large or too small for the reciprocal. Written once, before the loop or at the beginning
 * of the row. */
static const llvm_divisor *divisor(llvm_writer *w, tt_dtype d, op_reg rb)
{
    for (int i = 0; i < w->ndivisor; i++)
        if (w->divisor[i].r == rb && w->divisor[i].lanes == w->lanes) return &w->divisor[i];
    const bool f = d == TT_F32;
    const int fraction = f ? 23 : 52, bias = f ? 127 : 1023, small = f ? 30 : 200;
    const uint64_t sign = 1ull << (f ? 31 : 63), b_least = (uint64_t)(bias - small) << fraction;
    const char *t = llvm_element(d), *ut = llvm_element(llvm_ops_word_of(d)), *b = llvm_scalar(w, rb);
    const char *size = llvm_before(w, "bitcast %s %s to %s", t, b, ut);
    size = llvm_before(w, "and %s %s, %llu", ut, size, (unsigned long long)(sign - 1));
    size = llvm_before(w, "sub %s %s, %llu", ut, size, (unsigned long long)b_least);
    llvm_divisor *k = &w->divisor[w->ndivisor < LLVM_DIVISORS - 1 ? w->ndivisor++ : w->ndivisor];
    const unsigned long long span = (uint64_t)(2 * small) << fraction;
    const char *far = llvm_before(w, "icmp ugt %s %s, %llu", ut, size, span);
    *k = (llvm_divisor){ rb, w->lanes, far, .by = llvm_splat(w, d, llvm_before(w, "fdiv %s 1.0, %s", t, b)),
                         .minus = llvm_splat(w, d, llvm_before(w, "fneg %s %s", t, b)), .whole = llvm_splat(w, d, b) };
    return k;
}

/* a / b where b is the same in all lanes: see DIV by a word in tile_isa.c. */
static const char *divide_by(llvm_writer *w, tt_dtype d, const char *a, op_reg rb)
{
    const bool f = d == TT_F32;
    const tt_dtype u = llvm_ops_word_of(d);
    const int fraction = f ? 23 : 52, bias = f ? 127 : 1023, low = f ? 90 : 700;
    const uint64_t sign = 1ull << (f ? 31 : 63), least = (uint64_t)(bias - low) << fraction;
    const llvm_divisor *by = divisor(w, d, rb);
    const char *y = by->by, *c = by->minus, *whole = by->whole, *far_b = by->far;
    const char *x = llvm_ops_two(w, "and", u, cast(w, "bitcast", d, a, u), llvm_ops_num(w, u, sign - 1));
    const char *span = llvm_ops_num(w, u, (uint64_t)(2 * low) << fraction);
    const char *out = llvm_ops_two(w, "icmp ugt", u, llvm_ops_two(w, "sub", u, x, llvm_ops_num(w, u, least)), span);
    out = llvm_ops_two(w, "and", TT_BOOL, out, llvm_ops_two(w, "icmp ne", u, x, llvm_ops_num(w, u, 0)));
    const int near = ++w->temps, far = ++w->temps, behind = ++w->temps;
    fprintf(w->body, "  br i1 %s, label %%b%d, label %%b%d, !prof !0\n",
            llvm_line(w, "or i1 %s, %s", llvm_any(w, out), far_b), far, near);
    llvm_block(w, near);
    const char *q = llvm_ops_two(w, "fmul", d, a, y), *r = fma3(w, d, fma3(w, d, c, q, a), y, q);
    const char *z = fma3(w, d, fma3(w, d, c, r, a), y, r);
    z = llvm_ops_two(w, "and", u, cast(w, "bitcast", d, z, u), llvm_ops_num(w, u, sign - 1));
    z = llvm_ops_two(w, "or", u, z, llvm_ops_two(w, "and", u, cast(w, "bitcast", d, q, u), llvm_ops_num(w, u, sign)));
    z = cast(w, "bitcast", u, z, d);
    fprintf(w->body, "  br label %%b%d\n", behind);
    llvm_block(w, far);
    const char *slow = llvm_ops_two(w, "fdiv", d, a, whole);
    fprintf(w->body, "  br label %%b%d\n", behind);
    llvm_block(w, behind);
    return llvm_line(w, "phi %s [ %s, %%b%d ], [ %s, %%b%d ]", llvm_type(w, d), z, near, slow, far);
}

/* True if r is a constant by which one comparison limits: neither NaN nor the zero that loses against the other zero (0
 * for MIN, -0 for MAX). *zero: the constant is a zero. */
static bool plain_limit(const llvm_writer *w, op_reg r, tt_dtype d, bool min, bool *zero)
{
    const bool minus = r && w->inst[r].code == OP_NEG;
    const op_inst *k = &w->inst[minus ? w->inst[r].a : r];
    if (!r || k->code != OP_CONST) return false;
    const double c = d == TT_F32 ? (double)k->imm.f32 : k->imm.f64, v = minus ? -c : c;
    *zero = v == 0;
    return v < 0 || v > 0 || (v == 0 && !signbit(v) == !min);
}

/* The f16 or bf16 register that r was widened from, or r. */
static op_reg narrow_of(const llvm_writer *w, op_reg r)
{
    const op_inst *i = &w->inst[r];
    const tt_dtype from = w->inst[i->a].dtype;
    return i->code == OP_CONVERT && i->dtype == TT_F32 && (from == TT_F16 || from == TT_BF16) ? i->a : r;
}

/* True if i is x less the maximum of x's row. Such a difference is never above 0; for -inf - -inf it is NaN. */
static bool below_its_maximum(const llvm_writer *w, const op_inst *i)
{
    const gen_row_prog *const t = w->c->rows;
    for (int k = 0; t && i->code == OP_SUB && k < t->nreduce; k++)
        if (t->reduce[k].reduce == MESH_MAX && t->reduce[k].y == narrow_of(w, i->b) &&
            t->reduce[k].x == narrow_of(w, i->a))
            return true;
    return false;
}

/* An upper bound (most) or lower bound of f32 register r where it is not NaN, derived from its definition. */
static float ops_bound(const llvm_writer *w, op_reg r, bool most, int depth)
{
    const op_inst *i = &w->inst[r];
    const float none = most ? INFINITY : -INFINITY;
    if (!r || i->dtype != TT_F32 || !depth) return none;
    if (i->code == OP_CONST) return isnan(i->imm.f32) ? none : i->imm.f32;
    if (i->code == OP_SUB) return most && below_its_maximum(w, i) ? 0 : none;
    if (i->code == OP_FLOOR) return floorf(ops_bound(w, i->a, most, depth - 1));
    if (i->code == OP_MIN || i->code == OP_MAX) {
        const float a = ops_bound(w, i->a, most, depth - 1), b = ops_bound(w, i->b, most, depth - 1);
        return i->code == OP_MIN ? fminf(a, b) : fmaxf(a, b);
    }
    if (i->code != OP_FMA || w->inst[i->b].code != OP_CONST || w->inst[i->c].code != OP_CONST) return none;
    const float by = w->inst[i->b].imm.f32, plus = w->inst[i->c].imm.f32;
    return by > 0 && isfinite(by) && isfinite(plus) ? fmaf(ops_bound(w, i->a, most, depth - 1), by, plus) : none;
}

/* True if MIN or MAX by constant k leaves a unchanged, also where a is NaN. 0 and -0 are different here. */
static bool is_idle(const llvm_writer *w, op_reg a, op_reg k, bool min)
{
    enum { DEEP = 8 };                                   /* the limits of exp are 4 deep */
    if (!a || w->inst[k].code != OP_CONST || w->inst[k].dtype != TT_F32) return false;
    const float limit = w->inst[k].imm.f32, x = ops_bound(w, a, min, DEEP);
    return x == limit ? limit != 0 : min ? x < limit : x > limit;
}

/* a limited by a constant b (plain_limit); a where a is NaN. Except for zeros this has the form of x86's instruction,
 * which returns its second operand for NaN. */
static const char *limit_by(llvm_writer *w, tt_dtype d, const char *a, const char *b, bool min, bool zero)
{
    if (zero) return llvm_ops_choose(w, d, llvm_ops_two(w, min ? "fcmp oge" : "fcmp ole", d, a, b), b, a);
    return llvm_ops_choose(w, d, llvm_ops_two(w, min ? "fcmp olt" : "fcmp ogt", d, b, a), b, a);
}

/* MIN or MAX in which NaN wins and -0 < +0. One comparison is enough if one side is a constant (plain_limit). */
static const char *limit(llvm_writer *w, const op_inst *i, const char *a, const char *b)
{
    const bool min = i->code == OP_MIN;
    const tt_dtype d = i->dtype, u = llvm_ops_word_of(d);
    bool zero;
    if (is_idle(w, i->a, i->b, min)) return a;
    if (is_idle(w, i->b, i->a, min)) return b;
    if (plain_limit(w, i->b, d, min, &zero)) return limit_by(w, d, a, b, min, zero);
    if (plain_limit(w, i->a, d, min, &zero)) return limit_by(w, d, b, a, min, zero);
    const char *x = cast(w, "bitcast", d, a, u), *y = cast(w, "bitcast", d, b, u);
    const char *same = cast(w, "bitcast", u, llvm_ops_two(w, min ? "or" : "and", u, x, y), d);
    const char *z = llvm_ops_choose(w, d, llvm_ops_two(w, min ? "fcmp olt" : "fcmp ogt", d, a, b), a, b);
    z = llvm_ops_choose(w, d, llvm_ops_two(w, "fcmp oeq", d, a, b), same, z);
    return llvm_ops_choose(w, d, llvm_ops_two(w, "fcmp uno", d, a, a), a,
        llvm_ops_choose(w, d, llvm_ops_two(w, "fcmp uno", d, b, b), b, z));
}

/* The register of n if r is 2^n computed by setting the exponent's bits, with n a whole number from -127 to 127; else
 * 0. This is the form of exp in poly.c. */
static op_reg exponent_of(const llvm_writer *w, op_reg r)
{
    const op_inst *bits = &w->inst[r], *shl = &w->inst[bits->a], *add = &w->inst[shl->a], *cvt = &w->inst[add->a];
    const op_inst *min = &w->inst[cvt->a], *max = &w->inst[min->a];
    if (bits->code != OP_BITCAST || shl->code != OP_SHL || add->code != OP_ADD || cvt->code != OP_CONVERT) return 0;
    if (add->dtype != TT_I32 || min->code != OP_MIN || max->code != OP_MAX || min->dtype != TT_F32) return 0;
    const op_inst *k[] = { &w->inst[shl->b], &w->inst[add->b], &w->inst[min->b], &w->inst[max->b] };
    for (int i = 0; i < 4; i++) if (k[i]->code != OP_CONST) return 0;
    const bool range = k[2]->imm.f32 <= 127 && k[3]->imm.f32 >= -127 && w->inst[max->a].code == OP_FLOOR;
    const bool whole = k[2]->imm.f32 == floorf(k[2]->imm.f32) && k[3]->imm.f32 == floorf(k[3]->imm.f32);
    return range && whole && (int32_t)k[0]->imm.u64 == 23 && (int32_t)k[1]->imm.u64 == 127 ? cvt->a : 0;
}

/* a 2^n, rounded once, by AVX-512's instruction. In exp's form 2^-127 stands for 0 (the product is 0), so n = -127 is
 * replaced by -infinity. */
static const char *ops_scaled(llvm_writer *w, const char *a, op_reg n)
{
    const char *t = llvm_type(w, TT_F32), *e = llvm_value(w, n);
    e = llvm_ops_choose(w, TT_F32, llvm_ops_two(w, "fcmp oeq", TT_F32, e, llvm_ops_num(w, TT_F32, 0xc2fe0000)),
        llvm_ops_num(w, TT_F32, 0xff800000), e);
    return llvm_call(w, t, "x86.avx512.mask.scalef.ps.512", llvm_keep(w, "%s, %s, %s, i16, i32", t, t, t),
                     llvm_keep(w, "%s %s, %s %s, %s zeroinitializer, i16 -1, i32 4", t, a, t, e, t));
}

/* 2^n, or 0 for n = -127, where n is as exponent_of requires: the last bits of n + 127 + 2^23 are n + 127. If n is NaN,
 * the result is some number. */
static const char *power_of(llvm_writer *w, op_reg n)
{
    const char *bits = cast(w, "bitcast", TT_F32, llvm_ops_two(w, "fadd", TT_F32, llvm_value(w, n),
        llvm_ops_num(w, TT_F32, 0x4b00007f)),
                            TT_U32);
    return cast(w, "bitcast", TT_U32, llvm_ops_two(w, "shl", TT_U32, bits, llvm_ops_num(w, TT_U32, 23)), TT_F32);
}

static const char *ops_product(llvm_writer *w, const op_inst *i, const char *a, const char *b)
{
    const op_reg n = i->dtype == TT_F32 && i->a && i->b ? exponent_of(w, i->b) : 0;
    if (n && w->c->isa == GEN_AVX512 && w->lanes == 16) return ops_scaled(w, a, n);
    return llvm_ops_two(w, "fmul", i->dtype, a, n ? power_of(w, n) : b);
}

static const char *float_op(llvm_writer *w, const op_inst *i, const char *a, const char *b, const char *c)
{
    const tt_dtype d = i->dtype;
    switch ((int)i->code) {
    case OP_NEG: return llvm_line(w, "fneg %s %s", llvm_type(w, d), a);
    case OP_ABS: return call1(w, "fabs", d, a);
    case OP_SQRT: return call1(w, "sqrt", d, a);
    case OP_FLOOR: return llvm_is_plain(w) ? llvm_plain_floor(w, d, a) : call1(w, "floor", d, a);
    case OP_RINT: return llvm_is_plain(w) ? llvm_plain_rint(w, d, a) : call1(w, "rint", d, a);
    case OP_ADD: return llvm_ops_two(w, "fadd", d, a, b);
    case OP_SUB: return llvm_ops_two(w, "fsub", d, a, b);
    case OP_MUL: return ops_product(w, i, a, b);
    case OP_DIV:
        if (llvm_is_plain(w)) return llvm_ops_two(w, "fdiv", d, a, b); /* the reciprocal needs fma */
        /* a division of 256 bits is faster than the reciprocal */
        if (w->c->isa == GEN_AVX2) return llvm_ops_two(w, "fdiv", d, a, b);
        if (w->uniform[i->b]) return divide_by(w, d, a, i->b);
        return llvm_of_row(w, i->b) ? llvm_at_row(w, d, a, i->b, divide_by) : llvm_ops_two(w, "fdiv", d, a, b);
    case OP_REM: return llvm_ops_two(w, "frem", d, a, b);
    case OP_MIN:
    case OP_MAX: return limit(w, i, a, b);
    case OP_FMA: return fma3(w, d, a, b, c);
    default: return NULL;
    }
}

/* ---- integers ---- */

/* x / 0 has all bits set, x rem 0 is x, MIN / -1 is MIN: such divisors are replaced by 1 first. */
static const char *integer_divide(llvm_writer *w, const op_inst *i, const char *a, const char *b)
{
    const tt_dtype d = i->dtype;
    const bool rem = i->code == OP_REM, sign = is_signed(d);
    const char *zero = llvm_ops_num(w, d, 0), *one = llvm_ops_num(w, d, 1), *ones = llvm_ops_num(w, d, ~0ull);
    const char *none = llvm_ops_two(w, "icmp eq", d, b, zero), *minus = llvm_ops_two(w, "icmp eq", d, b, ones);
    const char *by = llvm_ops_choose(w, d, sign ? llvm_ops_two(w, "or", TT_BOOL, none, minus) : none, one, b);
    const char *q = llvm_ops_two(w, rem ? sign ? "srem" : "urem" : sign ? "sdiv" : "udiv", d, a, by);
    if (sign) q = llvm_ops_choose(w, d, minus, rem ? zero : llvm_ops_two(w, "sub", d, zero, a), q);
    return llvm_ops_choose(w, d, none, rem ? a : ones, q);
}

static const char *shift(llvm_writer *w, const op_inst *i, const char *a, const char *b)
{
    const tt_dtype d = i->dtype;
    const int bits = llvm_bits(d);
    const char *in = llvm_ops_two(w, "icmp ult", d, b, llvm_ops_num(w, d, (uint64_t)bits)),
        *last = llvm_ops_num(w, d, (uint64_t)bits - 1);
    if (i->code == OP_SAR) return llvm_ops_two(w, "ashr", d, a, llvm_ops_choose(w, d, in, b, last));
    const char *y = llvm_ops_two(w, i->code == OP_SHL ? "shl" : "lshr", d, a, llvm_ops_two(w, "and", d, b, last));
    return llvm_ops_choose(w, d, in, y, llvm_ops_num(w, d, 0));
}

static const char *high(llvm_writer *w, const op_inst *i, const char *a, const char *b)
{
    const tt_dtype d = i->dtype;
    const char *t = llvm_type(w, d), *wide = llvm_lanes_of(w, llvm_keep(w, "i%d", 2 * llvm_bits(d)));
    const char *op = is_signed(d) ? "sext" : "zext", *by = llvm_keep(w, "i%d %d", 2 * llvm_bits(d), llvm_bits(d));
    const bool one = w->lanes == 1;
    const char *x = llvm_line(w, "%s %s %s to %s", op, t, a, wide), *y = llvm_line(w, "%s %s %s to %s", op, t, b, wide);
    const char *all = by;
    for (int n = 1; n < w->lanes; n *= 2) all = llvm_keep(w, "%s, %s", all, all);
    all = one ? llvm_keep(w, "%d", llvm_bits(d)) : llvm_keep(w, "<%s>", all);
    x = llvm_line(w, "lshr %s %s, %s", wide, llvm_line(w, "mul %s %s, %s", wide, x, y), all);
    return llvm_line(w, "trunc %s %s to %s", wide, x, t);
}

static const char *integer_op(llvm_writer *w, const op_inst *i, const char *a, const char *b)
{
    const tt_dtype d = i->dtype;
    const bool sign = is_signed(d);
    const char *t = llvm_type(w, d);
    switch ((int)i->code) {
    case OP_NEG: return llvm_ops_two(w, "sub", d, llvm_ops_num(w, d, 0), a);
    case OP_ABS:
        return sign ? llvm_ops_choose(w, d, llvm_ops_two(w, "icmp slt", d, a, llvm_ops_num(w, d, 0)),
            llvm_ops_two(w, "sub", d, llvm_ops_num(w, d, 0), a), a) : a;
    case OP_NOT: return llvm_ops_two(w, "xor", d, a, llvm_ops_num(w, d, ~0ull));
    case OP_POPCNT: return call1(w, "ctpop", d, a);
    case OP_CLZ:
        return llvm_call(w, t, llvm_keep(w, "ctlz.%s", suffix(w, d)), llvm_keep(w, "%s, i1", t),
                    llvm_keep(w, "%s %s, i1 false", t, a));
    case OP_ADD: return llvm_ops_two(w, "add", d, a, b);
    case OP_SUB: return llvm_ops_two(w, "sub", d, a, b);
    case OP_MUL: return llvm_ops_two(w, "mul", d, a, b);
    case OP_AND: return llvm_ops_two(w, "and", d, a, b);
    case OP_OR: return llvm_ops_two(w, "or", d, a, b);
    case OP_XOR: return llvm_ops_two(w, "xor", d, a, b);
    case OP_MIN: return llvm_ops_choose(w, d, llvm_ops_two(w, sign ? "icmp slt" : "icmp ult", d, a, b), a, b);
    case OP_MAX: return llvm_ops_choose(w, d, llvm_ops_two(w, sign ? "icmp sgt" : "icmp ugt", d, a, b), a, b);
    case OP_DIV:
    case OP_REM: return integer_divide(w, i, a, b);
    case OP_SHL:
    case OP_SHR:
    case OP_SAR: return shift(w, i, a, b);
    case OP_MULHI: return high(w, i, a, b);
    default: return NULL;
    }
}

static const char *bool_op(llvm_writer *w, const op_inst *i, const char *a, const char *b)
{
    switch ((int)i->code) {
    case OP_ADD:
    case OP_MAX:
    case OP_OR: return llvm_ops_two(w, "or", TT_BOOL, a, b);
    case OP_MUL:
    case OP_MIN:
    case OP_AND: return llvm_ops_two(w, "and", TT_BOOL, a, b);
    case OP_SUB:
    case OP_XOR: return llvm_ops_two(w, "xor", TT_BOOL, a, b);
    case OP_NOT: return llvm_ops_two(w, "xor", TT_BOOL, a, llvm_ops_num(w, TT_BOOL, 1));
    default: return NULL;
    }
}

static const char *comparison(llvm_writer *w, const op_inst *i, tt_dtype d, const char *a, const char *b)
{
    static const char *const name[3][4] = { { "fcmp olt", "fcmp ole", "fcmp oeq", "fcmp une" },
                                            { "icmp slt", "icmp sle", "icmp eq", "icmp ne" },
                                            { "icmp ult", "icmp ule", "icmp eq", "icmp ne" } };
    const int k = i->code == OP_LT ? 0 : i->code == OP_LE ? 1 : i->code == OP_EQ ? 2 : 3;
    return llvm_ops_two(w, name[llvm_ops_is_float(d) ? 0 : is_signed(d) ? 1 : 2][k], d, a, b);
}

/* ---- any instruction ---- */

static tt_dtype dtype_of(const llvm_writer *w, op_reg r) /* indices may be i32 */
{
    for (int v = 0; v < w->c->nread; v++)
        if (w->c->read[v].reg == r && w->c->read[v].in < 0) return w->c->read[v].narrow ? TT_I32 : TT_I64;
    return w->inst[r].dtype;
}

/* True if register r is a float limited by two constants that are within the range of `to`, a signed integer type. */
static bool ops_within(const llvm_writer *w, op_reg r, tt_dtype to)
{
    const op_inst *i = &w->inst[r], *j = &w->inst[i->a];
    const bool limits = (i->code == OP_MIN && j->code == OP_MAX) || (i->code == OP_MAX && j->code == OP_MIN);
    if (!limits || !is_signed(to) || w->inst[i->b].code != OP_CONST || w->inst[j->b].code != OP_CONST) return false;
    const op_word x = w->inst[i->b].imm, y = w->inst[j->b].imm;
    const double most = ldexp(1, llvm_bits(to) - 2);
    if (i->dtype == TT_F32) return fabs((double)x.f32) < most && fabs((double)y.f32) < most;
    return fabs(x.f64) < most && fabs(y.f64) < most;
}

const char *llvm_op(llvm_writer *w, op_reg r)
{
    const op_inst *i = &w->inst[r];
    const bool unary = i->code == OP_CONVERT || i->code == OP_BITCAST;
    const tt_dtype from = dtype_of(w, i->a);
    const char *a = llvm_value(w, i->a), *b = unary || !i->b ? NULL : llvm_value(w, i->b);
    const char *c = unary || !i->c ? NULL : llvm_value(w, i->c);
    if (w->why) return NULL;
    switch ((int)i->code) {
    case OP_CONVERT:
        if (llvm_ops_is_float(from) && ops_within(w, i->a, i->dtype)) return llvm_truncate(w, from, a, i->dtype, true);
        return llvm_convert(w, from, a, i->dtype, w->short_nan[i->a]);
    case OP_BITCAST: return llvm_bits(from) == llvm_bits(i->dtype) ? cast(w, "bitcast", from, a, i->dtype) : NULL;
    case OP_SELECT: return llvm_ops_choose(w, i->dtype, a, b, c);
    case OP_RANDOM32:
    case OP_RANDOM64: return llvm_draw(w, i->code, from, a, b, c);
    case OP_LT:
    case OP_LE:
    case OP_EQ:
    case OP_NE: return comparison(w, i, from, a, b);
    default: break;
    }
    if (i->dtype == TT_BOOL) return bool_op(w, i, a, b);
    return llvm_ops_is_float(i->dtype) ? float_op(w, i, a, b, c) : integer_op(w, i, a, b);
}

const char *llvm_combine(llvm_writer *w, mesh_reduce reduce, tt_dtype d, const char *a, const char *b)
{
    static const op_code code[] = { [MESH_SUM] = OP_ADD, [MESH_PROD] = OP_MUL, [MESH_MAX] = OP_MAX, [MESH_MIN] = OP_MIN,
                                    [MESH_AND] = OP_AND, [MESH_OR] = OP_OR,    [MESH_XOR] = OP_XOR };
    const op_inst i = { .code = code[reduce], .dtype = d };
    const char *v = llvm_ops_is_float(d) ? float_op(w, &i, a, b, NULL) : integer_op(w, &i, a, b);
    return v ? v : (w->why = "a reduction without a form in LLVM", "");
}
