/* gen/llvm/bits.c - random bits in LLVM's language: Threefry of a vector of counters, as op/random/threefry.h defines
 * it.
 *
 * A rotation is LLVM's funnel shift, one instruction where the processor has it. Values that depend on the key alone
 * are the same in every iteration of the loop; LLVM's code generator hoists them. */
#include "llvm.h"

typedef struct { llvm_writer *w; const char *type, *x0, *x1; } block;

static const char *bits_sum(const block *b, const char *op, const char *x, const char *y)
{
    return llvm_line(b->w, "%s %s %s, %s", op, b->type, x, y);
}

static const char *bits_number(const block *b, uint32_t x) { return llvm_number(b->w, TT_U32, x); }

static void rounds(block *b, const int *by)
{
    llvm_writer *const w = b->w;
    for (int i = 0; i < 4; i++) {
        const char *name = llvm_keep(w, "fshl.v%di32", w->lanes), *t = b->type;
        b->x0 = bits_sum(b, "add", b->x0, b->x1);
        b->x1 = llvm_call(w, t, name, llvm_keep(w, "%s, %s, %s", t, t, t),
                          llvm_keep(w, "%s %s, %s %s, %s %s", t, b->x1, t, b->x1, t, bits_number(b, (uint32_t)by[i])));
        b->x1 = bits_sum(b, "xor", b->x1, b->x0);
    }
}

const char *llvm_counter(llvm_writer *w, const gen_read *r)
{
    const tt_dtype d = r->narrow ? TT_I32 : TT_I64;
    const char *e = llvm_element(d), *t = llvm_type(w, d), *lanes = llvm_keep(w, "%s 0", e);
    const char *slot = llvm_before(w, "getelementptr ptr, ptr %%at, i64 %d", r->reg);
    const char *base = llvm_before(w, "load ptr, ptr %s", slot);
    const char *first = llvm_before(w, "load i64, ptr %s", base);
    const char *step = llvm_before(w, "load i64, ptr %s", llvm_before(w, "getelementptr i64, ptr %s, i64 1", base));
    const char *by = r->narrow ? llvm_before(w, "trunc i64 %s to i32", step) : step;
    for (int i = 1; i < w->lanes; i++) lanes = llvm_keep(w, "%s, %s %d", lanes, e, i);
    const char *rest = llvm_before(w, "mul %s %s, <%s>", t, llvm_splat(w, d, by), lanes);
    const char *at = llvm_line(w, "add i64 %s, %s", llvm_line(w, "mul i64 %%i, %s", step), first);
    if (r->narrow) at = llvm_line(w, "trunc i64 %s to i32", at);
    const char *one = llvm_line(w, "insertelement %s poison, %s %s, i64 0", t, e, at);
    one = llvm_line(w, "shufflevector %s %s, %s poison, <%d x i32> zeroinitializer", t, one, t, w->lanes);
    return llvm_line(w, "add %s %s, %s", t, one, rest);
}

const char *llvm_draw(llvm_writer *w, op_code code, tt_dtype counter, const char *a, const char *k0, const char *k1)
{
    static const int even[] = { 13, 15, 26, 6 }, odd[] = { 17, 29, 16, 24 };
    block b = { .w = w, .type = llvm_type(w, TT_U32) };
    const char *wide = llvm_type(w, TT_U64);
    const char *third = bits_sum(&b, "xor", bits_sum(&b, "xor", k0, k1), bits_number(&b, 0x1bd11bda)),
        *key[] = { k0, k1, third };
    b.x0 = bits_number(&b, 0), b.x1 = a;
    if (llvm_bits(counter) == 64) {
        const char *high = llvm_line(w, "lshr %s %s, %s", wide, a, llvm_number(w, TT_U64, 32));
        b.x0 = llvm_line(w, "trunc %s %s to %s", wide, high, b.type);
        b.x1 = llvm_line(w, "trunc %s %s to %s", wide, a, b.type);
    }
    b.x0 = bits_sum(&b, "add", b.x0, key[0]), b.x1 = bits_sum(&b, "add", b.x1, key[1]);
    for (int i = 1; i <= 5; i++) {
        rounds(&b, i & 1 ? even : odd);
        b.x0 = bits_sum(&b, "add", b.x0, key[i % 3]);
        b.x1 = bits_sum(&b, "add", b.x1, bits_sum(&b, "add", key[(i + 1) % 3], bits_number(&b, (uint32_t)i)));
    }
    if (code == OP_RANDOM32) return bits_sum(&b, "xor", b.x0, b.x1);
    const char *high = llvm_line(w, "zext %s %s to %s", b.type, b.x0, wide);
    const char *low = llvm_line(w, "zext %s %s to %s", b.type, b.x1, wide);
    high = llvm_line(w, "shl %s %s, %s", wide, high, llvm_number(w, TT_U64, 32));
    return llvm_line(w, "or %s %s, %s", wide, high, low);
}
