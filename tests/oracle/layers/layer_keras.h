/* oracle/layers/layer_keras.h - kind `layer`, functions `keras.*`: what the files of Keras's layers share. Options are
 * the arguments of Keras's constructors, by its names. */
#ifndef TUTTI_TESTS_ORACLE_LAYER_KERAS_H
#define TUTTI_TESTS_ORACLE_LAYER_KERAS_H

#include "layer.h"

const json_t *keras_options(void);
bool    keras_call(const char *flag);                    /* of the layer's call: training, use_causal_mask */
bool    keras_lacks(const char *role);
tt_val  keras_x(void);                                   /* x, channels last whatever data_format says */
tt_val  keras_out(tt_val y);                             /* back where data_format has the channels */
tt_val  keras_moved(tt_val v, int from, int to);         /* a dim to another place */
/* The dims of option `axis` (default: the last) as "0, 2"; how many. */
int     keras_axes(tt_val x, char over[64], int dims[8]);
/* By Keras's name; NULL with the error set: unknown. No such option: the usual one. */
tt_activation *keras_named_activation(const char *name);
tt_activation *keras_activation(const char *option, const char *usual);
tt_val  keras_activated(tt_val y);                       /* by option `activation` */

#endif
