/* hlo/read/algebra.h - shared by the two files that read linear algebra: linalg.c, lapack.c. */
#ifndef TUTTI_HLO_ALGEBRA_H
#define TUTTI_HLO_ALGEBRA_H

#include "../inner.h"

/* True if the numbers of operands and results fit; else an error */
bool hlo_counts(hlo_reader *, const hlo_op *, int in, int out);
int64_t hlo_option(hlo_reader *, const hlo_op *, const char *key);
/* i32 [batch]: 1 where the last `core` dims of x contain a NaN */
ir_id hlo_spoiled(hlo_reader *, ir_id x, int core);
const hlo_rule *hlo_lapack_call(hlo_span);               /* rule for "potrf_ffi" etc.; NULL: unknown */
extern const hlo_rule hlo_lapack_more[], hlo_perturbed, hlo_older;
bool hlo_is_older(hlo_span);                             /* True if "potrf" etc., a call whose options are operands */

#endif
