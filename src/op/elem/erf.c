/* op/elem/erf.c - y = erf x. f32 uses XLA's formula: x P(x^2) / Q(x^2), and 1 from 3.83 on. f64 (Cephes): x T(x^2) /
 * U(x^2) below 1, then 1 - e^(-x^2) P(x) / Q(x), which is 1 from 6 on. */
#include "../prog/prog.h"
#include "../ops.h"

#include <math.h>

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

static void erf_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)e;                                             /* dy = 2 / sqrt(pi) e^(-x^2) dx */
    if (!dx[0]) return;
    const ir_id bell = op_exp(b, op_neg(b, op_mul(b, x[0], x[0])));
    dy[0] = op_mul(b, dx[0], op_mul(b, op_splat(b, ir_typeof(b, y[0]), 1.1283791670955126), bell));
}

static op_reg erf_f32(op_prog *t, op_reg x)
{
    static const double p[] = { 0.00022905065861350646, 0.0034082910107109506, 0.050955695062380861,
                                0.18520832239976145,
                                1.128379143519084 };
    static const double q[] = { -1.1791602954361697e-7, 0.000023547966471313185, 0.0010179625278914885,
                                0.014070470171167667, 0.11098505178285362, 0.49746925110067538, 1 };
    const op_reg x2 = t_mul(t, x, x), one = op_imm(t, 1);
    const op_reg y = t_div(t, t_mul(t, x, op_poly(t, x2, COUNT(p), p)), op_poly(t, x2, COUNT(q), q));
    const op_reg far = t_le(t, op_imm(t, 3.832506856900711), t_abs(t, x));
    return t_sel(t, far, op_prog_copysign(t, one, x), y);
}

static op_reg erf_f64(op_prog *t, op_reg x)
{
    static const double tt[] = { 9.60497373987051638749e0, 9.00260197203842689217e1, 2.23200534594684319226e3,
                                 7.00332514112805075473e3, 5.55923013010394962768e4 };
    static const double uu[] = { 1, 3.35617141647503099647e1, 5.21357949780152679795e2, 4.59432382970980127987e3,
                                 2.26290000613890934246e4, 4.92673942608635921086e4 };
    static const double p[] = { 2.46196981473530512524e-10, 5.64189564831068821977e-1, 7.46321056442269912687e0,
                                4.86371970985681366614e1, 1.96520832956077098242e2, 5.26445194995477358631e2,
                                9.34528527171957607540e2, 1.02755188689515710272e3, 5.57535335369399327526e2 };
    static const double q[] = { 1, 1.32281951154744992508e1, 8.67072140885989742329e1, 3.54937778887819891062e2,
                                9.75708501743205489753e2, 1.82390916687909736289e3, 2.24633760818710981792e3,
                                1.65666309194161350182e3, 5.57535340817727675546e2 };
    const op_reg x2 = t_mul(t, x, x), one = op_imm(t, 1), a = t_min(t, t_abs(t, x), op_imm(t, 7));
    const op_reg near = t_div(t, t_mul(t, x, op_poly(t, x2, COUNT(tt), tt)), op_poly(t, x2, COUNT(uu), uu));
    const op_reg tail = t_div(t, op_poly(t, a, COUNT(p), p), op_poly(t, a, COUNT(q), q));
    const op_reg far = t_sub(t, one, t_mul(t, op_prog_exp(t, t_neg(t, t_mul(t, a, a))), tail));
    return t_sel(t, t_lt(t, t_abs(t, x), one), near, op_prog_copysign(t, far, x));
}

static op_reg erf_prog(op_prog *t, const ir_eqn *e, const op_reg *x)
{
    return (void)e, op_working(t) == TT_F64 ? erf_f64(t, x[0]) : erf_f32(t, x[0]);
}

const op_prim prim_erf = {
    .name = "erf", .doc = "the error function", .hlo = "chlo.erf", .call = "x", .nin = 1, OP_MAP_CELLS,
    .types = "F -> F", .rule = OP_UNARY, .linear = op_nonlinear, .jvp = erf_jvp, .transpose = op_transpose_none,
    .prog = erf_prog, .real = erf, .ulp = 6, .cost = 12,
    .cases = OP_CASES("erf f32[3,4]", "erf bf16[8]", "erf f64[2,0]", "erf f32[]"),
};
