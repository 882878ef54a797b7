/* oracle/kinds.h - one function per kind of golden. */
#ifndef TUTTI_TESTS_ORACLE_KINDS_H
#define TUTTI_TESTS_ORACLE_KINDS_H

#include "oracle.h"

enum { ORACLE_FORM = 2000 };
/* Appends {"fn": ..., key: value, ...} as "name(key=value, ...)", but for the keys listed in `but`. */
void oracle_form(const json_t *, const char *name, const char *but, char to[ORACLE_FORM]);
tt_val oracle_key(const oracle_case *);                  /* params.key as u32[2] */
const char *oracle_label(oracle_case *, int i);          /* params.out[i], or params.outs[i] */
tt_val oracle_crc_of(tt_val);                            /* CRC-32 of its bytes, u32 */
void oracle_random(oracle_case *);
bool oracle_draws_by(const char *fn);                    /* True if it is a draw by parameters */
/* The draw whose parameters are the case's inputs, or with `grad` its derivative by the first. */
tt_val oracle_drawn_by(oracle_case *, const char *fn, tt_val key, tt_dtype, const int64_t *dims);
void oracle_init(oracle_case *);
void oracle_linen_init(oracle_case *);
void oracle_math(oracle_case *);
void oracle_scipy(oracle_case *);
void oracle_stats(oracle_case *);
void oracle_losses(oracle_case *);
void oracle_loss(oracle_case *);
void oracle_numpy(oracle_case *);
void oracle_layer(oracle_case *);
void oracle_optim(oracle_case *);
void oracle_schedule(oracle_case *);
void oracle_nnx_init(oracle_case *);
void oracle_nnx_rngs(oracle_case *);
void oracle_dp_chunks(oracle_case *);
void oracle_data_parallel(oracle_case *);
void oracle_resnet18(oracle_case *);
void oracle_visual(oracle_case *);
void oracle_collective(oracle_case *);
void oracle_collective_vjp(oracle_case *);
void oracle_collective_scalar(oracle_case *);
void oracle_collective_nested(oracle_case *);
void oracle_verdict(oracle_case *);
bool oracle_layout_verdict(oracle_case *);               /* false: none of its functions */
void oracle_text_kind(oracle_case *);
void oracle_spec_kind(oracle_case *);
void oracle_indices_map(oracle_case *);
void oracle_equivalent(oracle_case *);
void oracle_constraint(oracle_case *);
void oracle_concat_ones(oracle_case *);
void oracle_propagate(oracle_case *);
void oracle_program(oracle_case *);
void oracle_convolve(oracle_case *);
void oracle_regression(oracle_case *);
void oracle_perms(oracle_case *);
void oracle_ensemble_init(oracle_case *);
void oracle_ensemble_crc(oracle_case *);
void oracle_ensemble_steps(oracle_case *);
void oracle_ensemble_epoch(oracle_case *);
void oracle_init_dp(oracle_case *);
void oracle_dp_train(oracle_case *);
void oracle_dp_grads(oracle_case *);
void oracle_dp_stages(oracle_case *);
void oracle_dp_dropout_mask(oracle_case *);
void oracle_fsdp_specs(oracle_case *);
void oracle_accumulate(oracle_case *);
void oracle_fold_axis(oracle_case *);
void oracle_shard_params(oracle_case *);
void oracle_gather_grad(oracle_case *);
void oracle_gather_matmul(oracle_case *);
void oracle_shardmap(oracle_case *);
void oracle_donation(oracle_case *);

void oracle_nnx_weights(oracle_case *);
void oracle_nnx_crc(oracle_case *);
void oracle_nnx_forward(oracle_case *);
void oracle_nnx_train(oracle_case *);
void oracle_nnx_tied(oracle_case *);
void oracle_trace_count(oracle_case *);
void oracle_linen_weights(oracle_case *);
void oracle_linen_crc(oracle_case *);
void oracle_linen_forward(oracle_case *);
void oracle_linen_train(oracle_case *);
void oracle_keras_init(oracle_case *);
void oracle_keras_variables(oracle_case *);
void oracle_keras_forward(oracle_case *);
void oracle_keras_bn(oracle_case *);
void oracle_keras_dropout(oracle_case *);
void oracle_keras_adam(oracle_case *);
void oracle_keras_loss(oracle_case *);
void oracle_keras_train(oracle_case *);
void oracle_keras_batching(oracle_case *);
void oracle_checkpoint(oracle_case *);
void oracle_tokenizer(oracle_case *);
void oracle_model(oracle_case *);
void oracle_distributed(oracle_case *);                  /* all kinds of cases with params.processes */

#endif
