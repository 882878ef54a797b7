/* op/special/special.h - special functions as compositions of f64 values, for the primitives in special/. */
#ifndef TUTTI_OP_SPECIAL_H
#define TUTTI_OP_SPECIAL_H

#include "../build.h"

/* The cells shared by these primitives: the decomposition is the definition. */
#define OP_SPECIAL_CELLS .nout = 1, .kernel = OP_MAP, .linear = op_nonlinear, .partial = op_partial_none, \
    .transpose = op_transpose_none, .batch = op_batch_map, .ref = op_ref_decomposed, .exchange = op_exchange_none, \
    .prog = op_prog_none

/* For primitives whose decomposition loops: the reference computes each element separately. */
#define OP_LOOPED_CELLS .nout = 1, .kernel = OP_MAP, .linear = op_nonlinear, .partial = op_partial_none, \
    .transpose = op_transpose_none, .batch = op_batch_map, .ref = op_ref_scalars, .exchange = op_exchange_none, \
    .prog = op_prog_none
bool op_ref_scalars(const ir_eqn *, const ir_box *, const ir_box *);

typedef ir_id op_special1(ir_build *, ir_id), op_special2(ir_build *, ir_id, ir_id);
bool op_by_special1(ir_build *, op_special1 *, const ir_id *x, ir_id *y);        /* widens, computes, rounds once */
bool op_by_special2(ir_build *, op_special2 *, const ir_id *x, ir_id *y);
ir_id op_num(ir_build *, ir_id like, double);            /* a constant of the type of `like` */

op_special1 op_erfc64, op_lgamma64, op_lgamma1p64, op_digamma64, op_i0e64, op_i1e64;
op_special2 op_zeta64, op_polygamma64, op_igamma64, op_igammac64, op_igamma_grad_a64, op_random_gamma_grad64;
ir_id op_igamma_large(ir_build *, ir_id a, ir_id x, bool upper);          /* for a > 500, |x - a| < 0.3 a */
ir_id op_igamma_large_by_a(ir_build *, ir_id a, ir_id x, bool of_sample); /* its derivatives, there too */
op_special2 op_igammac_small;                            /* for x <= 1.1 and small a: see its definition */
/* of the lower function, from tangents of a and x; 0: none */
ir_id op_igamma_tangent(ir_build *, const ir_id *x, const ir_id *dx);
ir_id op_beyond_log(ir_build *, ir_id mu);               /* mu - ln(1 + mu) for |mu| < 0.3, without cancellation */
/* x^p y^q / beta(p, q), with x + y = 1; and of the incomplete beta function I_x(p, q) what it is for p and q above
 * OP_BETA_LARGE and x up to about its mean. */
ir_id op_beta_powers64(ir_build *, ir_id p, ir_id q, ir_id x, ir_id y);
ir_id op_betainc_large(ir_build *, ir_id p, ir_id q, ir_id x, ir_id y);
ir_id op_beta_off(ir_build *, ir_id p, ir_id q, ir_id x, ir_id y);      /* x (p + q) - p */
#define OP_BETA_LARGE 1e8
ir_id op_betainc64(ir_build *, ir_id a, ir_id b, ir_id x);

#endif
