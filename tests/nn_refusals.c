/* nn_refusals.c - calls around training that have no meaning: layers, rules, optimizers, data sets, checkpoints. With
 * the exact text that the user sees (errors.h); what goes with them, and is right, has the text "no error". */
#include "errors.h"

/* ---- layers: initializers of what there is not, types that are no floats ---- */

#define LAYER(name, of, does) \
    static tt_val name##_in(tt_nn m, tt_val x) { return does; } \
    static void name(void) { tt_init(name##_in, tt_key(0), of); }
#define ROWS                 tt_ones(TT_F32, 2, 3)
#define STEPS                tt_ones(TT_F32, 5, 2, 3)
LAYER(scale_of_none, ROWS, tt_layer_norm(m, "n", x, .no_scale = 1, .scale_init = "ones"))
LAYER(shift_of_none, ROWS, tt_batch_norm(m, "n", x, .no_bias = 1, .bias_init = "ones"))
LAYER(shift_of_rms, ROWS, tt_rms_norm(m, "n", x, .bias_init = "ones"))
LAYER(norm_of_complex, tt_complex(ROWS, ROWS), tt_batch_norm(m, "n", x))
LAYER(integers_kept, ROWS, tt_dense(m, "d", x, 2, .param_dtype = TT_I32))
LAYER(truths_kept, ROWS, tt_layer_norm(m, "n", x, .param_dtype = TT_BOOL))
LAYER(norm_in_integers, ROWS, tt_layer_norm(m, "n", x, .dtype = TT_I8))
LAYER(out_bias_of_none, STEPS, tt_attention_layer(m, "a", x, 1, .no_bias = 1, .out_bias_init = "ones"))
LAYER(cell_bias_of_none, STEPS,
      tt_item(tt_rnn(m, "r", tt_simple_cell, tt_zeros(TT_F32, 2, 4), x, .no_bias = 1, .bias_init = "ones"), 1))

static const program programs[] = {
#include "nn_refusals.inc"
};

int main(int argc, char **argv)
{
    const bool print = argc > 1 && !strcmp(argv[1], "-p");
    tt_on_error(errors_quiet, NULL);
    errors_run(__FILE__, programs, sizeof programs / sizeof *programs, print);
    return print ? 0 : check_done();
}
