/* oracle/layers/layer.h - kind `layer`: the case that is being run, for the files of its functions. A function builds
 * the outputs from the roles of the inputs: one value (`y`), or a dict by the outputs' names. */
#ifndef TUTTI_TESTS_ORACLE_LAYER_H
#define TUTTI_TESTS_ORACLE_LAYER_H

#include "../kinds.h"

typedef tt_val layer_fn(void);
typedef struct { const char *fn; layer_fn *f; } layer_row;
/* Each ends with NULL. */
extern const layer_row layer_values[], layer_modules[], layer_parts[], layer_keras[], layer_keras_act[],
    layer_keras_shape[], layer_keras_rnn[], layer_keras_loss[];

const json_t *layer_params(void);
tt_val layer_arg(const char *role);
bool   layer_has(const char *role);
int    layer_roles(void);
const char *layer_role(int i);
tt_val layer_vars(const char *inputs);  /* all roles but these, as a tree of variables; "stats." is cut */
tt_val layer_applied(tt_module *, const char *inputs, tt_val x);
tt_val layer_trained(tt_module *, const char *inputs, tt_val x, tt_val key);     /* "y" and "new", the variables */
tt_val layer_shaped(tt_val v, int n, const int64_t *dims);
const char *layer_pads(const json_t *p, char to[128]);   /* padding in the library's words */
void   layer_ints(const json_t *p, const char *key, int64_t to[8], int n);       /* one number counts for all n */

#endif
