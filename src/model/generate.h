/* model/generate.h - what the two files of tt_generate share: the compiled step, and the host's loop around it. */
#ifndef TUTTI_MODEL_GENERATE_H
#define TUTTI_MODEL_GENERATE_H

#include "model.h"

/* What a step is compiled for; its bytes are the key. places: of the cache that it makes, 0: it makes none; draws: by a
 * temperature; repeats: repetition is not 1; nucleus: top_p is given; top_k 0: not given. */
typedef struct { model_config c; int64_t places, top_k; uint8_t draws, repeats, nucleus; } model_step;

/* Numbers that a step reads: f32 [3]. */
enum { STEP_TEMPERATURE, STEP_TOP_P, STEP_REPETITION, STEP_NUMBERS };

/* Of (params, ids [rows, time], pad [rows], seen [rows, vocab] or none, numbers, key or none): the state after the
 * prompts. Of (params, state, numbers, key): the next state, in the place of the old one. A state has the newest ids,
 * "last" i32 [rows]. */
tt_val model_step_begin(void *step, int n, const tt_val *arg);
tt_val model_step_next(void *step, int n, const tt_val *arg);
/* Of (k, v), the keys and values of all layers: both, with room for as many places as the int64_t `places` says. */
tt_val model_step_grow(void *places, int n, const tt_val *arg);

#endif
