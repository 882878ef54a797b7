/* refusals.c - calls around training that have no meaning: layers, rules, optimizers, data sets, checkpoints. With
 * the exact text that the user sees (errors.h); what goes with them, and is right, has the text "no error". */
#include "api/errors.h"

#include <math.h>

/* ---- layers: initializers of what there is not, types that are no floats ---- */

#define LAYER(name, of, does) \
    static tt_val name##_in(tt_nn m, tt_val x) { return does; } \
    static void name(void) { tt_init(name##_in, tt_key(0), of); }
#define ROWS                 tt_ones(TT_F32, 2, 3)
#define STEPS                tt_ones(TT_F32, 5, 2, 3)
LAYER(eps_no_number, ROWS, tt_spectral_norm(m, "s", NULL, x, .eps = NAN))
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

/* ---- rules, lists of arguments ---- */

static tt_val twice(tt_val x) { return tt_mul(x, tt_f(2)); }
static tt_val sum(tt_val x, tt_val y) { return tt_sum(tt_add(x, y)); }
static tt_val laid(tt_val x) { return tt_logical_constraint(twice(x), "batch, hidden"); }
static void rule_of_no_mesh_axis(void) { tt_logical_spec("batch, h", "batch:, h:x"); }
static void rule_of_no_name(void) { tt_logical_spec("batch, h", ":x"); }
static void rule_of_half_a_sum(void) { tt_logical_spec("batch, h", "batch:x+, h:y"); }
static void rule_joins_nothing(void) { tt_jit(twice, .rules = "batch:x+"); }
static void rules_of_arguments_mesh(void)                /* no error; without any mesh nothing is laid out */
{
    const tt_mesh m = tt_mesh("i:2");
    const tt_fn f = tt_jit(laid, .rules = "batch:i, hidden:_");
    CHECK(!*tt_spec(tt_call(f, ROWS)), "%s", tt_spec(tt_call(f, ROWS)));
    const tt_val y = tt_call(f, tt_shard(tt_ones(TT_F32, 2, 4), m, "_, i"));
    CHECK(!strcmp(tt_spec(y), "i, _"), "%s", tt_spec(y));
}
static void donated_twice(void) { tt_jit(sum, .donate = "0,0"); }
static void donated_word(void) { tt_jit(sum, .donate = "x"); }
static void donated_beyond(void) { tt_jit(sum, .donate = "0, 2"); }
static void mapped_and_donated_twice(void) { tt_pmap(sum, .donate = "1, 1"); }
static void by_argument_twice(void) { tt_grad(sum, .wrt = "1, 1"); }
static void value_by_argument_twice(void) { tt_value_and_grad(sum, .wrt = "0, 1, 0"); }
static tt_val inner(tt_val x, tt_val y) { return tt_call(tt_jit(tt_grad(sum), .donate = "7"), x, y); }
static void donated_beyond_within(void) { tt_call(tt_jit(inner), ROWS, ROWS); }

/* ---- data ---- */

static void rows_over_no_axis(void) { tt_dataset(ROWS, .mesh = tt_mesh("i:2"), .spec = "k, _", .batch = 2); }
static void rows_of_fewer_dims(void)
{
    const tt_val t = tt_dict("x", ROWS, "y", tt_ones(TT_F32, 2));
    tt_dataset(t, .mesh = tt_mesh("i:2"), .spec = "i, _", .batch = 2);
}
static void examples_of_none(void) { tt_data_count((tt_data){ 0 }); }
static void origin_of_none(void) { tt_data_from((tt_data){ 0 }); }

/* ---- checkpoints that are not open ---- */

static const tt_ckpt no_ckpt;
static const tt_manager no_manager;
static void format_of_none(void) { tt_ckpt_format(no_ckpt); }
static void count_of_none(void) { tt_ckpt_count(no_ckpt); }
static void item_of_none(void) { tt_ckpt_at(no_ckpt, 0); }
static void metadata_of_none(void) { tt_ckpt_metadata(no_ckpt); }
static void key_of_none(void) { tt_ckpt_metadata_of(no_ckpt, "format"); }
static void steps_of_none(void) { tt_manager_steps(no_manager, 0, NULL); }
static void steps_to_nowhere(void) { tt_manager_steps(no_manager, 4, NULL); }
static void newest_of_none(void) { tt_manager_newest(no_manager); }
static void best_of_none(void) { tt_manager_best(no_manager); }

static void writers_of_one_file(void) { tt_save("/tmp/none/x.npz", tt_dict("w", ROWS), .writers = 2); }
static void mesh_beside_like(void) { tt_load("/tmp/none", .like = tt_dict("w", ROWS), .mesh = tt_mesh("i:2")); }

/* ---- texts ---- */

static void names_of_none(void) { tt_names_with(NULL, 0, "a"); }
static void names_fewer_of_none(void) { tt_names_without(NULL, 0); }
static void names_of_two(void) { tt_names_with("a", 0, "b, c"); }
static void names_of_no_dim(void) { tt_names_without("a, b", 2); }
static void training_of_none(void) { tt_training((tt_nn){ 0 }); }
static void image_of_a_row(void) { tt_image_text(tt_ones(TT_F32, 3), 80); }

static const program programs[] = {
#include "refusals.inc"
};

int main(int argc, char **argv)
{
    return errors_main(argc, argv, __FILE__, programs, sizeof programs / sizeof *programs, NULL);
}
