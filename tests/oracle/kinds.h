/* oracle/kinds.h - one function per kind of golden. */
#ifndef TUTTI_TESTS_ORACLE_KINDS_H
#define TUTTI_TESTS_ORACLE_KINDS_H

#include "oracle.h"

tt_val oracle_key(const oracle_case *);                  /* params.key as u32[2] */
void oracle_random(oracle_case *);
void oracle_init(oracle_case *);
void oracle_math(oracle_case *);
void oracle_loss(oracle_case *);
void oracle_optim(oracle_case *);
void oracle_visual(oracle_case *);

#endif
