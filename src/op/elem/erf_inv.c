/* op/elem/erf_inv.c - y with erf y = x (Giles): x times a polynomial in w = -log(1 - x^2) or sqrt(w); +-inf at +-1. w
 * is computed as XLA computes it, because JAX's normal deviates are sqrt(2) erf_inv(uniform): f32 equals JAX bit for
 * bit, f64 to 8 ulp. */
#include "../prog/prog.h"
#include "../ops.h"

#include <math.h>

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

static void erf_inv_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)e, (void)x;                                    /* dy = sqrt(pi) / 2 e^(y^2) dx */
    if (!dx[0]) return;
    const ir_id rise = op_exp(b, op_mul(b, y[0], y[0]));
    dy[0] = op_mul(b, dx[0], op_mul(b, op_splat(b, ir_typeof(b, y[0]), 0.88622692545275801), rise));
}

/* Chooses between two polynomials of the same degree by selecting the coefficients instead of the results, so that one
 * chain is evaluated. */
static op_reg erf_inv_f32(op_prog *t, op_reg x, op_reg w)
{
    static const double near[] = { 2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
                                   -0.00125372503, -0.00417768164, 0.246640727, 1.50140941 };
    static const double far[] = { -0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
                                  -0.0076224613, 0.00943887047, 1.00167406, 2.83297682 };
    const op_reg close = t_lt(t, w, op_imm(t, 5));
    const op_reg v = t_sel(t, close, t_sub(t, w, op_imm(t, 2.5)), t_sub(t, t_sqrt(t, w), op_imm(t, 3)));
    op_reg y = t_sel(t, close, op_imm(t, near[0]), op_imm(t, far[0]));
    for (int i = 1; i < COUNT(near); i++) y = t_fma(t, y, v, t_sel(t, close, op_imm(t, near[i]), op_imm(t, far[i])));
    return t_mul(t, y, x);
}

static op_reg erf_inv_f64(op_prog *t, op_reg x, op_reg w)
{
    static const double near[] = {
        -3.6444120640178196996e-21, -1.685059138182016589e-19, 1.2858480715256400167e-18, 1.115787767802518096e-17,
        -1.333171662854620906e-16, 2.0972767875968561637e-17, 6.6376381343583238325e-15, -4.0545662729752068639e-14,
        -8.1519341976054721522e-14, 2.6335093153082322977e-12, -1.2975133253453532498e-11, -5.4154120542946279317e-11,
        1.051212273321532285e-09, -4.1126339803469836976e-09, -2.9070369957882005086e-08, 4.2347877827932403518e-07,
        -1.3654692000834678645e-06, -1.3882523362786468719e-05, 0.0001867342080340571352, -0.00074070253416626697512,
        -0.0060336708714301490533, 0.24015818242558961693, 1.6536545626831027356
    }, middle[] = {
        2.2137376921775787049e-09, 9.0756561938885390979e-08, -2.7517406297064545428e-07, 1.8239629214389227755e-08,
        1.5027403968909827627e-06, -4.013867526981545969e-06, 2.9234449089955446044e-06, 1.2475304481671778723e-05,
        -4.7318229009055733981e-05, 6.8284851459573175448e-05, 2.4031110387097893999e-05, -0.0003550375203628474796,
        0.00095328937973738049703, -0.0016882755560235047313, 0.0024914420961078508066, -0.0037512085075692412107,
        0.005370914553590063617, 1.0052589676941592334, 3.0838856104922207635
    }, far[] = {
        -2.7109920616438573243e-11, -2.5556418169965252055e-10, 1.5076572693500548083e-09, -3.7894654401267369937e-09,
        7.6157012080783393804e-09, -1.4960026627149240478e-08, 2.9147953450901080826e-08, -6.7711997758452339498e-08,
        2.2900482228026654717e-07, -9.9298272942317002539e-07, 4.5260625972231537039e-06, -1.9681778105531670567e-05,
        7.5995277030017761139e-05, -0.00021503011930044477347, -0.00013871931833623122026, 1.0103004648645343977,
        4.8499064014085844221
    };
    const op_reg root = t_sqrt(t, w);
    const op_reg a = op_poly(t, t_sub(t, w, op_imm(t, 3.125)), COUNT(near), near);
    const op_reg b = op_poly(t, t_sub(t, root, op_imm(t, 3.25)), COUNT(middle), middle);
    const op_reg c = op_poly(t, t_sub(t, root, op_imm(t, 5)), COUNT(far), far);
    return t_mul(t, x, t_sel(t, t_lt(t, w, op_imm(t, 6.25)), a, t_sel(t, t_lt(t, w, op_imm(t, 16)), b, c)));
}

static op_reg erf_inv_prog(op_prog *t, const ir_eqn *e, const op_reg *x)
{
    const op_reg w = t_neg(t, op_prog_log1p_xla(t, t_neg(t, t_mul(t, x[0], x[0]))));
    const op_reg y = op_working(t) == TT_F64 ? erf_inv_f64(t, x[0], w) : erf_inv_f32(t, x[0], w);
    (void)e;
    return t_sel(t, t_eq(t, t_abs(t, x[0]), op_imm(t, 1)), t_mul(t, x[0], op_imm(t, HUGE_VAL)), y);
}

const op_prim prim_erf_inv = {
    .name = "erf_inv", .doc = "the inverse of erf", .hlo = "chlo.erf_inv", .call = "x", .nin = 1, OP_MAP_CELLS,
    .types = "F -> F", .rule = OP_UNARY, .linear = op_nonlinear, .jvp = erf_inv_jvp, .transpose = op_transpose_none,
    .prog = erf_inv_prog, .cost = 12,
    .cases = OP_CASES("erf_inv f32[3,4]", "erf_inv bf16[8]", "erf_inv f64[2,0]", "erf_inv f32[]"),
};
