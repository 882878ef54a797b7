/* hlo/read/algebra.h - what the two files about linear algebra share: linalg.c, lapack.c. */
#ifndef TUTTI_HLO_ALGEBRA_H
#define TUTTI_HLO_ALGEBRA_H

#include "../inner.h"

bool hlo_counts(hlo_reader *, const hlo_op *, int in, int out);  /* so many operands and results? */
int64_t hlo_option(hlo_reader *, const hlo_op *, const char *key);
ir_id hlo_spoiled(hlo_reader *, ir_id x, int core);     /* i32 [batch]: 1 where the last `core` dims of x have a NaN */
const hlo_rule *hlo_lapack_call(hlo_span);               /* "potrf_ffi"; NULL: there is none */
extern const hlo_rule hlo_lapack_more[], hlo_perturbed, hlo_older;
bool hlo_is_older(hlo_span);                             /* "potrf": a call whose options are operands */

#endif
