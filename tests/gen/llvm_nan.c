/* llvm_nan.c - a compiled loop rounds every number of 16 bits, and every NaN, as C does: f32(x) * 1.5 as bf16 and f16,
 * of all f16 and bf16. */
#include "check.h"
#include "ir/ir.h"

#include <math.h>
#include <stdlib.h>
#include <tutti.h>

enum { ALL = 1 << 16 };

static tt_val more(tt_val x) { return tt_mul(tt_cast(x, TT_F32), tt_f(1.5)); }
static tt_val to_bf16(tt_val x) { return tt_cast(more(x), TT_BF16); }
static tt_val to_f16(tt_val x) { return tt_cast(more(x), TT_F16); }

static float widened(tt_dtype t, uint16_t h) { return t == TT_F16 ? ir_f16_f32(h) : ir_bf16_f32(h); }
static uint16_t narrowed(tt_dtype t, float f) { return t == TT_F16 ? ir_f32_f16(f) : ir_f32_bf16(f); }

static void rounds(tt_dtype from, tt_dtype to)
{
    static uint16_t x[ALL], y[ALL];
    for (int i = 0; i < ALL; i++) x[i] = (uint16_t)i;
    tt_read(tt_call(tt_jit(to == TT_F16 ? to_f16 : to_bf16), tt_array(from, x, ALL)), y, sizeof y);
    CHECK(tt_ok(), "%s", tt_error());
    int wrong = 0;
    for (int i = 0; i < ALL; i++) {
        const float in = widened(from, x[i]), out = widened(to, y[i]);
        const bool same = isnan(in) ? isnan(out) : y[i] == narrowed(to, in * 1.5f);
        if (!same && !wrong++) printf("  %04x of %s: %04x\n", x[i], tt_dtype_name(from), y[i]);
    }
    CHECK(!wrong, "%d of %d numbers of %s are wrong as %s", wrong, ALL, tt_dtype_name(from), tt_dtype_name(to));
}

int main(int argc, char **argv)
{
    setenv("TUTTI", "llvm:now,no-cache", 1);
    if (!check_main_one(argc, argv, __FILE__)) return check_done();
    rounds(TT_F16, TT_BF16), rounds(TT_BF16, TT_BF16), rounds(TT_F16, TT_F16), rounds(TT_BF16, TT_F16);
    return check_done() || tt_done();
}
