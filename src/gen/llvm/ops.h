/* gen/llvm/ops.h - shared by ops.c, convert.c and plain.c: writes single LLVM instructions on values of one type. */
#ifndef TUTTI_LLVM_OPS_H
#define TUTTI_LLVM_OPS_H

#include "llvm.h"

static inline bool llvm_ops_is_float(tt_dtype d) { return d == TT_F32 || d == TT_F64; }
static inline bool is_signed(tt_dtype d) { return d == TT_I8 || d == TT_I16 || d == TT_I32 || d == TT_I64; }
static inline tt_dtype llvm_ops_word_of(tt_dtype d)      /* the unsigned integer of the same width */
{
    static const tt_dtype of[] = { TT_U8, TT_U16, TT_U32, TT_U64 };
    const int n = llvm_bits(d);
    return of[n <= 8 ? 0 : n == 16 ? 1 : n == 32 ? 2 : 3];
}

/* The suffix of intrinsics: "v16f32"; for one lane "f32". */
static inline const char *suffix(llvm_writer *w, tt_dtype d)
{
    if (w->lanes == 1) return llvm_keep(w, "%c%d", llvm_ops_is_float(d) ? 'f' : 'i', llvm_bits(d));
    return llvm_keep(w, "v%d%c%d", w->lanes, llvm_ops_is_float(d) ? 'f' : 'i', llvm_bits(d));
}

static inline const char *call1(llvm_writer *w, const char *name, tt_dtype d, const char *a)
{
    const char *t = llvm_type(w, d);
    return llvm_call(w, t, llvm_keep(w, "%s.%s", name, suffix(w, d)), t, llvm_keep(w, "%s %s", t, a));
}

static inline const char *llvm_ops_two(llvm_writer *w, const char *op, tt_dtype d, const char *a, const char *b)
{
    return llvm_line(w, "%s %s %s, %s", op, llvm_type(w, d), a, b);
}

static inline const char *llvm_ops_choose(llvm_writer *w, tt_dtype d, const char *p, const char *a, const char *b)
{
    const char *t = llvm_type(w, d);
    return llvm_line(w, "select %s %s, %s %s, %s %s", llvm_type(w, TT_BOOL), p, t, a, t, b);
}

static inline const char *cast(llvm_writer *w, const char *op, tt_dtype from, const char *a, tt_dtype to)
{
    return llvm_line(w, "%s %s %s to %s", op, llvm_type(w, from), a, llvm_type(w, to));
}

static inline const char *llvm_ops_num(llvm_writer *w, tt_dtype d, uint64_t bits) { return llvm_number(w, d, bits); }

/* Truncates and saturates; NaN gives 0. known: no value but NaN can be out of range. */
const char *llvm_truncate(llvm_writer *, tt_dtype from, const char *a, tt_dtype to, bool known);

/* ---- plain.c: operations without an instruction in SSE2 ---- */
bool        llvm_is_plain(const llvm_writer *);          /* True if the text must do with SSE2 */
const char *llvm_plain_fma(llvm_writer *, tt_dtype, const char *a, const char *b, const char *c);
const char *llvm_plain_floor(llvm_writer *, tt_dtype, const char *a);
const char *llvm_plain_rint(llvm_writer *, tt_dtype, const char *a);
const char *llvm_plain_widen(llvm_writer *, const char *a);      /* f16 to f32 */
const char *llvm_plain_narrow(llvm_writer *, const char *x);     /* f32 to f16 */

#endif
