/* oracle/layer_keras.c - kind `layer`, functions `keras.*`: Keras 3's layers and losses by the layers here. */
#include "layer.h"

const layer_row layer_keras[] = { { NULL, NULL } };
