/* gen/llvm/plain.c - fma, floor, rint and half-precision conversions in SSE2's instructions alone, with the same bits.
 *
 * The fma of f32 is a sum of doubles (in which the product is exact), rounded to f32. If that sum is halfway between
 * two f32, or denormal as an f32, it is first rounded to odd: so the two roundings are one. The fma of f64 is Boldo and
 * Melquiond's: the exact product as two doubles (Dekker), two exact sums, the small parts added and rounded to odd, one
 * rounding. Lanes where a step might under- or overflow go to @fma64, which computes in integers. */
#include "ops.h"

bool llvm_is_plain(const llvm_writer *w)
{
#if defined __x86_64__
    return w->c->isa == GEN_BASE;
#else
    return (void)w, false;
#endif
}

static const char *f64(llvm_writer *w, uint64_t bits) { return llvm_ops_num(w, TT_F64, bits); }
static const char *op(llvm_writer *w, const char *name, const char *a, const char *b)
{
    return llvm_ops_two(w, name, TT_F64, a, b);
}

/* The rounding error of s = a + b, exactly: a + b - s (Knuth). */
static const char *lost(llvm_writer *w, const char *a, const char *b, const char *s)
{
    const char *c = op(w, "fsub", s, a);
    return op(w, "fadd", op(w, "fsub", a, op(w, "fsub", s, c)), op(w, "fsub", b, c));
}

/* a + b rounded to odd: towards zero, and with last bit 1 if that is not exact. */
static const char *odd_sum(llvm_writer *w, const char *a, const char *b)
{
    const tt_dtype u = TT_U64;
    const char *s = op(w, "fadd", a, b), *e = lost(w, a, b, s);
    const char *t = llvm_type(w, u), *inexact = op(w, "fcmp one", e, f64(w, 0));         /* false for NaN */
    const char *mask = llvm_line(w, "sext %s %s to %s", llvm_type(w, TT_BOOL), inexact, t);
    const char *bits = cast(w, "bitcast", TT_F64, s, u), *ebits = cast(w, "bitcast", TT_F64, e, u);
    /* -1: |s| is larger than |a + b| */
    const char *above = llvm_ops_two(w, "ashr", u, llvm_ops_two(w, "xor", u, bits, ebits), llvm_ops_num(w, u, 63));
    bits = llvm_ops_two(w, "add", u, bits, llvm_ops_two(w, "and", u, above, mask));
    return cast(w, "bitcast", u, llvm_ops_two(w, "or", u, bits, llvm_ops_two(w, "and", u, mask, llvm_ops_num(w, u, 1))),
        TT_F64);
}

static const char *fma32(llvm_writer *w, const char *a, const char *b, const char *c)
{
    const char *x = cast(w, "fpext", TT_F32, a, TT_F64), *y = cast(w, "fpext", TT_F32, b, TT_F64);
    const char *z = cast(w, "fpext", TT_F32, c, TT_F64), *p = op(w, "fmul", x, y), *s = op(w, "fadd", p, z);
    const char *low = llvm_ops_two(w, "and", TT_U64, cast(w, "bitcast", TT_F64, s, TT_U64),
        llvm_ops_num(w, TT_U64, 0x1fffffff));
    const char *tie = llvm_ops_two(w, "icmp eq", TT_U64, low, llvm_ops_num(w, TT_U64, 0x10000000));
    const char *tiny = op(w, "fcmp olt", call1(w, "fabs", TT_F64, s), f64(w, 0x3810000000000000));   /* 2^-126 */
    tiny = llvm_ops_two(w, "and", TT_BOOL, tiny, op(w, "fcmp one", s, f64(w, 0)));
    const int there = ++w->temps, behind = ++w->temps, here = w->block;
    fprintf(w->body, "  br i1 %s, label %%b%d, label %%b%d, !prof !0\n",
            llvm_any(w, llvm_ops_two(w, "or", TT_BOOL, tie, tiny)), there, behind);
    llvm_block(w, there);
    const char *odd = odd_sum(w, p, z);
    fprintf(w->body, "  br label %%b%d\n", behind);
    llvm_block(w, behind);
    s = llvm_line(w, "phi %s [ %s, %%b%d ], [ %s, %%b%d ]", llvm_type(w, TT_F64), s, here, odd, there);
    return cast(w, "fptrunc", TT_F64, s, TT_F32);
}

/* The upper 26 bits of x (Veltkamp). */
static const char *upper(llvm_writer *w, const char *x)
{
    const char *k = op(w, "fmul", x, f64(w, 0x41a0000002000000));        /* 2^27 + 1 */
    return op(w, "fsub", k, op(w, "fsub", k, x));
}

static const char *near_fma64(llvm_writer *w, const char *a, const char *b, const char *c)
{
    const char *ah = upper(w, a), *al = op(w, "fsub", a, ah), *bh = upper(w, b), *bl = op(w, "fsub", b, bh);
    const char *p = op(w, "fmul", a, b), *q = op(w, "fsub", op(w, "fmul", ah, bh), p);
    q = op(w, "fadd", op(w, "fadd", q, op(w, "fmul", ah, bl)), op(w, "fmul", al, bh));
    q = op(w, "fadd", q, op(w, "fmul", al, bl));                         /* a b = p + q */
    const char *s = op(w, "fadd", c, q), *s1 = lost(w, c, q, s);
    const char *t = op(w, "fadd", p, s), *t1 = lost(w, p, s, t);
    return op(w, "fadd", t, odd_sum(w, s1, t1));
}

static const char *far_fma64(llvm_writer *w, const char *a, const char *b, const char *c)
{
    const char *t = llvm_type(w, TT_F64), *v = "poison";
    w->fma64 = true;
    if (w->lanes == 1) return llvm_line(w, "call double @fma64(double %s, double %s, double %s)", a, b, c);
    for (int i = 0; i < w->lanes; i++) {
        const char *x = llvm_line(w, "extractelement %s %s, i64 %d", t, a, i);
        const char *y = llvm_line(w, "extractelement %s %s, i64 %d", t, b, i);
        const char *z = llvm_line(w, "extractelement %s %s, i64 %d", t, c, i);
        x = llvm_line(w, "call double @fma64(double %s, double %s, double %s)", x, y, z);
        v = llvm_line(w, "insertelement %s %s, double %s, i64 %d", t, v, x, i);
    }
    return v;
}

static const char *fma64(llvm_writer *w, const char *a, const char *b, const char *c)
{
    const char *p = op(w, "fmul", a, b), *zero = f64(w, 0), *most = f64(w, 0x7e50000000000000);  /* 2^998 */
    const char *none = llvm_ops_two(w, "or", TT_BOOL, op(w, "fcmp oeq", a, zero), op(w, "fcmp oeq", b, zero));
    const char *in = op(w, "fcmp oge", call1(w, "fabs", TT_F64, p), f64(w, 0x07b0000000000000));     /* 2^-900 */
    in = llvm_ops_two(w, "or", TT_BOOL, in, none);
    const char *const x[] = { a, b, c, p };
    for (int i = 0; i < 4; i++)
        in = llvm_ops_two(w, "and", TT_BOOL, in, op(w, "fcmp olt", call1(w, "fabs", TT_F64, x[i]), most));
    const char *far = llvm_any(w, llvm_ops_two(w, "xor", TT_BOOL, in, llvm_ops_num(w, TT_BOOL, 1)));
    const int there = ++w->temps, here = ++w->temps, behind = ++w->temps;
    fprintf(w->body, "  br i1 %s, label %%b%d, label %%b%d, !prof !0\n", far, there, here);
    llvm_block(w, here);
    const char *near = llvm_ops_choose(w, TT_F64, none, op(w, "fadd", p, c), near_fma64(w, a, b, c));
    fprintf(w->body, "  br label %%b%d\n", behind);
    llvm_block(w, there);
    const char *other = far_fma64(w, a, b, c);
    fprintf(w->body, "  br label %%b%d\n", behind);
    llvm_block(w, behind);
    return llvm_line(w, "phi %s [ %s, %%b%d ], [ %s, %%b%d ]", llvm_type(w, TT_F64), near, here, other, there);
}

const char *llvm_plain_fma(llvm_writer *w, tt_dtype d, const char *a, const char *b, const char *c)
{
    return d == TT_F32 ? fma32(w, a, b, c) : fma64(w, a, b, c);
}

/* Rounds to a whole number. Numbers from 2^23 (f32) or 2^52 (f64) on are whole; others are rounded, to nearest even, by
 * adding and subtracting 2^23 or 2^52. */
const char *llvm_plain_rint(llvm_writer *w, tt_dtype d, const char *a)
{
    const bool f = d == TT_F32;
    const tt_dtype u = llvm_ops_word_of(d);
    const char *whole = llvm_ops_num(w, d, f ? 0x4b000000 : 0x4330000000000000), *size = call1(w, "fabs", d, a);
    const char *r = llvm_ops_two(w, "fsub", d, llvm_ops_two(w, "fadd", d, size, whole), whole);
    const char *sign = llvm_ops_two(w, "and", u, cast(w, "bitcast", d, a, u),
        llvm_ops_num(w, u, 1ull << (f ? 31 : 63)));
    r = cast(w, "bitcast", u, llvm_ops_two(w, "or", u, cast(w, "bitcast", d, r, u), sign), d);
    return llvm_ops_choose(w, d, llvm_ops_two(w, "fcmp olt", d, size, whole), r, a);
}

const char *llvm_plain_floor(llvm_writer *w, tt_dtype d, const char *a)
{
    const char *r = llvm_plain_rint(w, d, a), *one = llvm_ops_num(w, d, d == TT_F32 ? 0x3f800000 : 0x3ff0000000000000);
    return llvm_ops_two(w, "fsub", d, r, llvm_ops_choose(w, d, llvm_ops_two(w, "fcmp ogt", d, r, a), one,
        llvm_ops_num(w, d, 0)));
}

/* s_f32_of_f16 and s_f16_of_f32. */
const char *llvm_plain_widen(llvm_writer *w, const char *a)
{
    const tt_dtype u = TT_U32;
    const char *h = cast(w, "zext", TT_U16, a, u);
    const char *sign = llvm_ops_two(w, "shl", u, llvm_ops_two(w, "and", u, h, llvm_ops_num(w, u, 0x8000)),
        llvm_ops_num(w, u, 16));
    const char *m = llvm_ops_two(w, "shl", u, llvm_ops_two(w, "and", u, h, llvm_ops_num(w, u, 0x7fff)),
        llvm_ops_num(w, u, 13));
    const char *scaled = llvm_ops_two(w, "fmul", TT_F32, cast(w, "bitcast", u, m, TT_F32),
        llvm_ops_num(w, TT_F32, 0x77800000));
    const char *number = llvm_ops_two(w, "icmp eq", u, llvm_ops_two(w, "and", u, h, llvm_ops_num(w, u, 0x3ff)),
        llvm_ops_num(w, u, 0));
    const char *end = llvm_ops_two(w, "or", u, m, llvm_ops_choose(w, u, number, llvm_ops_num(w, u, 0x7f800000),
        llvm_ops_num(w, u, 0x7fc00000)));
    const char *last = llvm_ops_two(w, "icmp uge", u, m, llvm_ops_num(w, u, 0x0f800000));
    const char *x = llvm_ops_choose(w, u, last, end, cast(w, "bitcast", TT_F32, scaled, u));
    return cast(w, "bitcast", u, llvm_ops_two(w, "or", u, x, sign), TT_F32);
}

const char *llvm_plain_narrow(llvm_writer *w, const char *x)
{
    const tt_dtype u = TT_U32;
    const char *bits = cast(w, "bitcast", TT_F32, x, u), *a = llvm_ops_two(w, "and", u, bits,
        llvm_ops_num(w, u, 0x7fffffff));
    const char *sign = llvm_ops_two(w, "and", u, llvm_ops_two(w, "lshr", u, bits, llvm_ops_num(w, u, 16)),
        llvm_ops_num(w, u, 0x8000));
    const char *r = llvm_ops_two(w, "and", u, llvm_ops_two(w, "lshr", u, a, llvm_ops_num(w, u, 13)),
        llvm_ops_num(w, u, 1));
    r = llvm_ops_two(w, "lshr", u, llvm_ops_two(w, "add", u, llvm_ops_two(w, "add", u, a,
        llvm_ops_num(w, u, 0xc8000fff)), r), llvm_ops_num(w, u, 13));
    const char *half = llvm_ops_two(w, "fadd", TT_F32, cast(w, "bitcast", u, a, TT_F32),
        llvm_ops_num(w, TT_F32, 0x3f000000));
    const char *tiny = llvm_ops_two(w, "sub", u, cast(w, "bitcast", TT_F32, half, u), llvm_ops_num(w, u, 0x3f000000));
    const char *nan = llvm_ops_two(w, "and", u, llvm_ops_two(w, "lshr", u, a, llvm_ops_num(w, u, 13)),
        llvm_ops_num(w, u, 0x3ff));
    nan = llvm_ops_two(w, "or", u, nan, llvm_ops_num(w, u, 0x7e00));
    const char *big = llvm_ops_choose(w, u, llvm_ops_two(w, "icmp ugt", u, a, llvm_ops_num(w, u, 0x7f800000)), nan,
        llvm_ops_num(w, u, 0x7c00));
    r = llvm_ops_choose(w, u, llvm_ops_two(w, "icmp ult", u, a, llvm_ops_num(w, u, 0x47800000)), r, big);
    r = llvm_ops_choose(w, u, llvm_ops_two(w, "icmp ult", u, a, llvm_ops_num(w, u, 0x38800000)), tiny, r);
    return cast(w, "trunc", u, llvm_ops_two(w, "or", u, r, sign), TT_U16);
}

/* x y + z of any doubles, in 128 bits: product and z have 106 bits each, with 20 more below; bits of the smaller one
 * that are shifted out are kept as its last bit. The sum is rounded to 53 bits, nearest even, fewer where the result is
 * denormal. */
static const char *const fma64_text[] = {
    "define internal { i64, i32 } @parts(i64 %b) #0 {\n" /* of a finite number other than 0: 53 bits, exponent */
    "  %m = and i64 %b, 4503599627370495\n  %s = lshr i64 %b, 52\n  %f = and i64 %s, 2047\n"
    "  %e = trunc i64 %f to i32\n  %tiny = icmp eq i32 %e, 0\n"
    "  %lead = call i64 @llvm.ctlz.i64(i64 %m, i1 false)\n  %by = sub i64 %lead, 11\n"
    "  %up = shl i64 %m, %by\n  %by32 = trunc i64 %by to i32\n  %low = sub i32 1, %by32\n"
    "  %one = or i64 %m, 4503599627370496\n  %m1 = select i1 %tiny, i64 %up, i64 %one\n"
    "  %e1 = select i1 %tiny, i32 %low, i32 %e\n"
    "  %r = insertvalue { i64, i32 } undef, i64 %m1, 0\n  %r1 = insertvalue { i64, i32 } %r, i32 %e1, 1\n"
    "  ret { i64, i32 } %r1\n}\n"
    "define internal i128 @down(i128 %x, i32 %by) #0 {\n" /* x >> by; the last bit is set if bits are lost */
    "  %far = icmp ugt i32 %by, 127\n  %n = select i1 %far, i32 127, i32 %by\n  %n1 = zext i32 %n to i128\n"
    "  %y = lshr i128 %x, %n1\n  %back = shl i128 %y, %n1\n  %less = icmp ne i128 %back, %x\n"
    "  %bit = zext i1 %less to i128\n  %r = or i128 %y, %bit\n  ret i128 %r\n}\n",
    "define internal double @fma64(double %x, double %y, double %z) #0 {\n"
    "  %bx = bitcast double %x to i64\n  %by = bitcast double %y to i64\n  %bz = bitcast double %z to i64\n"
    "  %ax = and i64 %bx, 9223372036854775807\n  %ay = and i64 %by, 9223372036854775807\n"
    "  %az = and i64 %bz, 9223372036854775807\n  %p = fmul double %x, %y\n  %plain = fadd double %p, %z\n"
    "  %x1 = sub i64 %ax, 1\n  %y1 = sub i64 %ay, 1\n  %z1 = sub i64 %az, 1\n" /* finite and not 0 */
    "  %fx = icmp ult i64 %x1, 9218868437227405311\n  %fy = icmp ult i64 %y1, 9218868437227405311\n"
    "  %fz = icmp ult i64 %z1, 9218868437227405311\n  %fxy = and i1 %fx, %fy\n"
    "  br i1 %fxy, label %number, label %none\nnone:\n  ret double %plain\n"
    "number:\n  br i1 %fz, label %go, label %ends\n"
    "ends:\n  %zero = icmp eq i64 %az, 0\n  %end = select i1 %zero, double %p, double %z\n  ret double %end\n"
    "go:\n  %px = call { i64, i32 } @parts(i64 %ax)\n  %py = call { i64, i32 } @parts(i64 %ay)\n"
    "  %pz = call { i64, i32 } @parts(i64 %az)\n"
    "  %mx = extractvalue { i64, i32 } %px, 0\n  %ex = extractvalue { i64, i32 } %px, 1\n"
    "  %my = extractvalue { i64, i32 } %py, 0\n  %ey = extractvalue { i64, i32 } %py, 1\n"
    "  %mz = extractvalue { i64, i32 } %pz, 0\n  %ez = extractvalue { i64, i32 } %pz, 1\n"
    "  %wx = zext i64 %mx to i128\n  %wy = zext i64 %my to i128\n  %wz = zext i64 %mz to i128\n"
    "  %m = mul i128 %wx, %wy\n  %a = shl i128 %m, 20\n  %b = shl i128 %wz, 73\n"
    "  %exy = add i32 %ex, %ey\n  %ea = sub i32 %exy, 1075\n  %eb = sub i32 %ez, 53\n" /* times 2^(e - 1075 - 20) */
    "  %d = sub i32 %ea, %eb\n  %minus = sub i32 0, %d\n  %over = icmp sgt i32 %d, 0\n"
    "  %da = select i1 %over, i32 0, i32 %minus\n  %db = select i1 %over, i32 %d, i32 0\n"
    "  %e = select i1 %over, i32 %ea, i32 %eb\n"
    "  %a1 = call i128 @down(i128 %a, i32 %da)\n  %b1 = call i128 @down(i128 %b, i32 %db)\n"
    "  %sxy = xor i64 %bx, %by\n  %differ = xor i64 %sxy, %bz\n  %other = icmp slt i64 %differ, 0\n"
    "  %b2 = sub i128 0, %b1\n  %b3 = select i1 %other, i128 %b2, i128 %b1\n  %s = add i128 %a1, %b3\n"
    "  %less = icmp slt i128 %s, 0\n  %s1 = sub i128 0, %s\n  %s2 = select i1 %less, i128 %s1, i128 %s\n"
    "  %nothing = icmp eq i128 %s2, 0\n  br i1 %nothing, label %gone, label %round\ngone:\n  ret double 0.0\n"
    "round:\n  %lead = call i128 @llvm.ctlz.i128(i128 %s2, i1 false)\n  %s3 = shl i128 %s2, %lead\n"
    /* the exponent field */
    "  %lead32 = trunc i128 %lead to i32\n  %e1 = sub i32 %e, %lead32\n  %e2 = add i32 %e1, 55\n"
    "  %normal = icmp sgt i32 %e2, 0\n  %e3 = select i1 %normal, i32 %e2, i32 1\n  %more = sub i32 %e3, %e2\n"
    "  %by1 = add i32 %more, 73\n  %s4 = call i128 @down(i128 %s3, i32 %by1)\n  %t = trunc i128 %s4 to i64\n"
    "  %low = and i64 %t, 3\n  %m1 = lshr i64 %t, 2\n  %last = and i64 %m1, 1\n"
    "  %over3 = icmp eq i64 %low, 3\n  %half = icmp eq i64 %low, 2\n  %odd = icmp eq i64 %last, 1\n"
    "  %tie = and i1 %half, %odd\n  %up = or i1 %over3, %tie\n  %up1 = zext i1 %up to i64\n"
    "  %m2 = add i64 %m1, %up1\n  %e4 = sub i32 %e3, 1\n  %e5 = zext i32 %e4 to i64\n  %e6 = shl i64 %e5, 52\n"
    "  %m3 = add i64 %m2, %e6\n  %high = icmp ugt i32 %e3, 2046\n"
    "  %m4 = select i1 %high, i64 9218868437227405312, i64 %m3\n"
    "  %turn = select i1 %less, i64 -1, i64 0\n  %sign = xor i64 %sxy, %turn\n"
    "  %sign1 = and i64 %sign, -9223372036854775808\n  %m5 = or i64 %m4, %sign1\n"
    "  %r = bitcast i64 %m5 to double\n  ret double %r\n}\n"
    "declare i64 @llvm.ctlz.i64(i64, i1)\ndeclare i128 @llvm.ctlz.i128(i128, i1)\n"
};

void llvm_plain_functions(const llvm_writer *w, FILE *f)
{
    const int n = (int)(sizeof fma64_text / sizeof *fma64_text);
    for (int i = 0; w->fma64 && i < n; i++) fputs(fma64_text[i], f);
}
