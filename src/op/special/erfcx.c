/* op/special/erfcx.c - e^(x^2) erfc(x), which neither under- nor overflows for x > -26; in f64, rounded once.
 *
 * For a = |x|: (a + 1/2) erfcx(a) as a polynomial in q = (a - 4) / (a + 4), by interpolation at Chebyshev's points; its
 * error is 6e-17. For x < 0: 2 e^(x^2) - erfcx(a), where x^2 is s + (x^2 - s), s the rounded square. */
#include "special.h"
#include "../ops.h"

#include <math.h>

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

static ir_id horner_fma(ir_build *b, ir_id x, int n, const double *c)        /* highest degree first */
{
    ir_id y = op_num(b, x, c[0]);
    for (int i = 1; i < n; i++) y = op_fma(b, y, x, op_num(b, x, c[i]));
    return y;
}

static ir_id erfcx_right(ir_build *b, ir_id a)           /* for a >= 0 */
{
    static const double c[] = {
        4.6558724891162862e-10, 7.8691418870960184e-10, -6.1734330219117646e-09, -8.1858898817834837e-09,
        5.316927809297442e-08, 3.5576689002926517e-08, -4.1054695212802838e-07, 1.4900676901515666e-07,
        2.8533022074478669e-06, -5.6125509378295888e-06, -1.2198873211218208e-05, 7.531154860009314e-05,
        -9.962857330545594e-05, -0.00037888685353191251, 0.0025159850338287446, -0.0080988669907275969,
        0.018583757763277836, -0.033165182910155772, 0.046866417499547203, -0.050519533017932654,
        0.034048527127334541, 0.0076898260513052364, -0.069810558420281152, 0.61649755931277628
    };
    const ir_id four = op_num(b, a, 4), near = op_min(b, a, op_num(b, a, 0x1p60));      /* inf / inf is NaN */
    const ir_id below = op_add(b, near, four), first = op_div(b, op_sub(b, near, four), below);
    const ir_id most = op_fma(b, op_add(b, first, op_num(b, a, 1)), op_neg(b, four), near);
    const ir_id q = op_add(b, first, op_div(b, op_fma(b, op_neg(b, first), near, most), below));    /* Newton's step */
    return op_div(b, horner_fma(b, q, COUNT(c), c), op_add(b, a, op_num(b, a, 0.5)));
}

/* 2 e^(x^2) for x <= 0; it overflows at -26.6 */
static ir_id twice_rise(ir_build *b, ir_id x)
{
    const ir_id in = op_max(b, x, op_num(b, x, -27)), square = op_mul(b, in, in);
    const ir_id rest = op_fma(b, in, in, op_neg(b, square)), one = op_num(b, x, 1);
    return op_mul(b, op_exp(b, square), op_mul(b, op_num(b, x, 2), op_add(b, one, rest)));
}

static ir_id erfcx64(ir_build *b, ir_id x)
{
    const ir_id right = erfcx_right(b, op_abs(b, x)), zero = op_num(b, x, 0);
    return op_select(b, op_less(b, x, zero), op_sub(b, twice_rise(b, op_min(b, x, zero)), right), right);
}

static bool erfcx_decompose(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    return (void)e, op_by_special1(b, erfcx64, x, y);
}

/* 2 x y - 2 / sqrt(pi). Beyond 10 its terms cancel, and the asymptotic series is used, which is then right to 1e-12:
 * -2 / sqrt(pi) u (1 - 3 u (1 - 5 u (...))), u = 1 / (2 x^2). */
static void erfcx_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)e;
    if (!dx[0]) return;
    const ir_id ten = op_num(b, x[0], 10), slope = op_num(b, x[0], -M_2_SQRTPI), one = op_num(b, x[0], 1);
    const ir_id near = op_min(b, x[0], ten), root = op_div(b, op_num(b, x[0], M_SQRT1_2), op_max(b, x[0], ten));
    const ir_id u = op_mul(b, root, root), direct = op_fma(b, op_mul(b, op_num(b, x[0], 2), near), y[0], slope);
    ir_id series = one;
    for (int k = 19; k >= 3; k -= 2) series = op_fma(b, op_mul(b, op_num(b, x[0], -k), u), series, one);
    series = op_mul(b, slope, op_mul(b, u, series));
    dy[0] = op_mul(b, dx[0], op_select(b, op_less(b, ten, x[0]), series, direct));
}

const op_prim prim_erfcx = {
    .name = "erfcx", .doc = "e^(x^2) erfc(x)", .hlo = "", .call = "x", .nin = 1, OP_SPECIAL_CELLS,
    .types = "F -> F", .rule = OP_UNARY, .jvp = erfcx_jvp, .decompose = erfcx_decompose,
    .cases = OP_CASES("erfcx f32[3,4]", "erfcx bf16[8]", "erfcx f64[2,0]", "erfcx f64[5]"),
};
