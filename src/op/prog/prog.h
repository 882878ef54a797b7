/* op/prog/prog.h - short names for writing scalar programs, for primitives, poly.c and trig.c: t_mul(t, a, b) is the
 * register of a b. */
#ifndef TUTTI_OP_PROG_SCALAR_H
#define TUTTI_OP_PROG_SCALAR_H

#include "../build.h"

#define T_UNARY_(name, code) \
    static inline op_reg t_##name(op_prog *t, op_reg a) { return op_do(t, OP_##code, a, 0, 0); }
#define T_BINARY_(name, code) \
    static inline op_reg t_##name(op_prog *t, op_reg a, op_reg b) { return op_do(t, OP_##code, a, b, 0); }
T_UNARY_(neg, NEG) T_UNARY_(abs, ABS) T_UNARY_(sqrt, SQRT) T_UNARY_(floor, FLOOR) T_UNARY_(rint, RINT)
T_UNARY_(not, NOT)
T_BINARY_(add, ADD) T_BINARY_(sub, SUB) T_BINARY_(mul, MUL) T_BINARY_(div, DIV) T_BINARY_(rem, REM)
T_BINARY_(min, MIN) T_BINARY_(max, MAX) T_BINARY_(lt, LT) T_BINARY_(le, LE) T_BINARY_(eq, EQ) T_BINARY_(ne, NE)
T_BINARY_(and, AND) T_BINARY_(or, OR) T_BINARY_(xor, XOR) T_BINARY_(shl, SHL) T_BINARY_(shr, SHR) T_BINARY_(sar, SAR)
T_BINARY_(mulhi, MULHI)
#undef T_UNARY_
#undef T_BINARY_
static inline op_reg t_fma(op_prog *t, op_reg a, op_reg b, op_reg c) { return op_do(t, OP_FMA, a, b, c); }
static inline op_reg t_sel(op_prog *t, op_reg p, op_reg a, op_reg b) { return op_do(t, OP_SELECT, p, a, b); }
static inline bool t_is_float(tt_dtype d) { return d == TT_F32 || d == TT_F64; }

/* op/prog/narrow.c: types of less than 16 bits, from and to the types that compute them. */
op_reg op_prog_widen(op_prog *, op_reg x);
op_reg op_prog_narrow(op_prog *, op_reg x, tt_dtype to); /* from any type */
/* The low bits of a byte, sign-extended if `to` is signed; the result is a byte. */
op_reg op_prog_wrap(op_prog *, op_reg x, tt_dtype to);
op_reg op_prog_unsigned(op_prog *, op_reg x, tt_dtype);  /* x of a narrow integer without copies of its sign bit */

/* op/prog/poly.c: functions that several primitives share. x in f32 or f64, computed in that type. */
op_reg op_prog_exp(op_prog *, op_reg x);
op_reg op_prog_log(op_prog *, op_reg x);
op_reg op_prog_log1p(op_prog *, op_reg x);
/* XLA's form: in f64 up to 2^7 ulp of error at -0.41, 2^19 near -1 */
op_reg op_prog_log1p_xla(op_prog *, op_reg x);
op_reg op_prog_expm1(op_prog *, op_reg x);
op_reg op_prog_tanh(op_prog *, op_reg x);
op_reg op_prog_frexp(op_prog *, op_reg x, op_reg *k);    /* f64 x > 0 is 2^k (1 + f), sqrt(1/2) <= 1 + f < sqrt(2): f */
op_reg op_prog_sin(op_prog *, op_reg x);                 /* op/prog/trig.c */
op_reg op_prog_cos(op_prog *, op_reg x);
/* y 2^n for an integer n, without early under- or overflow */
op_reg op_prog_copysign(op_prog *, op_reg size, op_reg sign);
/* For f16 functions that XLA computes operation by operation: x rounded to the dtype of e's result, and widened to x's
 * dtype. */
op_reg op_prog_rounded(op_prog *, const ir_eqn *e, op_reg x);

#endif
