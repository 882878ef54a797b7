/* kinds.c - what is of another kind than expected: trees where arrays stand, shapes and types that do not go together,
 * texts and paths of files. With the exact text that the user sees (errors.h). */

#include "api/errors.h"

#include <tutti/model.h>
#include <tutti/viz.h>

/* ---- arrays ---- */

static tt_val three(void) { return tt_ones(TT_F32, 3); }
static tt_val rows(void) { return tt_ones(TT_F32, 3, 4); }
static tt_val tree(void) { return tt_dict("a", three(), "b", rows()); }
static void outer_of_tree(void) { tt_outer(rows(), tree()); }
static void columns_of_tree(void) { tt_column_stack(tree()); }
static void squeeze_of_tree(void) { tt_squeeze(tree(), 0); }
static void top_of_tree(void) { tt_top_k(tree(), 1); }
static void divergence_of_others(void) { tt_kl_div(three(), rows()); }
static void entropy_of_others(void) { tt_rel_entr(three(), tt_ones(TT_F32, 4)); }
static void complex_third(void) { tt_fma(three(), three(), tt_complex(three(), three())); }
static void complex_last(void) { tt_betainc(three(), three(), tt_complex(three(), three())); }
static void floats_masked(void) { tt_or(three(), three()); }

/* ---- layers, devices, times ---- */

static tt_val square(tt_nn m, tt_val x) { return tt_dense(m, "d", x, 32); }
static void tables_of_none(void)
{
    const tt_val x = tt_ones(TT_F32, 2, 32);
    tt_pack_params(square, tt_init(square, tt_key(0), x), x, .tables = 1);
}
static tt_val cut_all(tt_val x) { return tt_shard_dim(x, "i", -1, NULL) < 0 ? x : tt_neg(x); }
static void size_below_zero(void)
{
    tt_call(tt_shard_map(cut_all, .mesh = tt_mesh("i:2"), .in = "i", .out = "i"), tt_ones(TT_F32, 4));
}
static tt_val doubled(tt_val x) { return tt_mul(x, tt_f(2)); }
static tt_val timed(tt_val x) { return *tt_timeit(doubled, x) ? x : doubled(x); }
static void time_of_traced(void) { tt_call(tt_jit(timed), three()); }

/* ---- texts and paths ---- */

static void import_of_nothing(void) { tt_import("module {}"); }
static void import_of_words(void) { tt_import("hello {\n}\n"); }
static void path_of_nothing(void) { tt_read_npy(""); }
static void path_to_nothing(void) { tt_write_npy("", three()); }
static void checkpoint_of_nothing(void) { tt_load(""); }
static void open_of_nothing(void) { tt_ckpt_open(""); }
static void verified_of_nothing(void) { tt_ckpt_verify("", NULL); }
static void tokenizer_of_nothing(void) { tt_tokenizer_open(""); }
static void bytes_to_nothing(void) { tt_tokenizer_bytes(""); }
static void pieces_to_nothing(void) { tt_tokenizer_train("", "abc", 300); }
static void model_of_nothing(void) { tt_model_load(""); }

static const program programs[] = {
#include "kinds.inc"
};

int main(int argc, char **argv)
{
    return errors_main(argc, argv, __FILE__, programs, sizeof programs / sizeof *programs, NULL);
}
