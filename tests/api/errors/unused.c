/* unused.c - options that would have no effect, words that are listed twice, and what functions of the program return
 * that does not fit: errors that name it. With the exact text that the user sees (errors.h). */

#include "api/errors.h"

/* ---- options without an effect; those that are given as 0 have theirs ---- */

static tt_val rows(void) { return tt_ones(TT_F32, 2, 3); }
static tt_val heads(void) { return tt_ones(TT_F32, 1, 4, 2, 8); }
static void fill_of_all(void) { tt_nonzero(rows(), .fill = 3); }
static void fill_of_zero(void) { tt_argwhere(rows(), .fill = 0); }
static void fill_of_distinct(void) { tt_unique(rows(), .fill = tt_f(3)); }
static void fill_of_none(void) { tt_unique(tt_zeros(TT_F32, 0), .fill = tt_f(3)); }
static void fill_of_some(void)                           /* no error */
{
    const tt_val none = tt_zeros(TT_F32, 0), i = tt_item(tt_nonzero(none, .count = 2, .fill = 7), 0);
    CHECK(!strcmp(tt_value_text(i), "[7 7]"), "missing results are .fill: %s", tt_value_text(i));
    tt_unique(none, .count = 2, .fill = tt_f(3));
}
static void dropout_each_alone(void) { const tt_val q = heads(); tt_attention(q, q, q, .dropout_each = 1); }
static void dropout_key_alone(void) { const tt_val q = heads(); tt_attention(q, q, q, .key = tt_key(0)); }
static void offset_of_all(void) { const tt_val q = heads(); tt_attention(q, q, q, .offset = tt_i(1)); }
static void offset_of_some(void)                         /* no error */
{
    const tt_val q = heads();
    tt_attention(q, q, q, .offset = tt_i(1), .causal = 1);
    tt_attention(q, q, q, .offset = tt_i(1), .window = { 0, 0 });
}
static void shards_above_less(void) { tt_shard_params(rows(), "i", -1); }
static void dim_above_less(void) { tt_shard_dim(rows(), "i", -3, NULL); }
static void spec_above_less(void) { tt_fsdp_spec(tt_mesh("i:2"), "i", -1, TT_DIMS(2, 4)); }
static tt_val layer_at_rest(tt_nn m, tt_val x)
{
    return tt_attention_layer(m, "a", x, 1, .dropout = 0, .dropout_each = 1);
}
static void dropout_of_zero(void)                        /* no error */
{
    const tt_val q = heads();
    tt_attention(q, q, q, .dropout = 0, .dropout_each = 1, .key = tt_key(0));
    tt_init(layer_at_rest, tt_key(0), tt_ones(TT_F32, 2, 3, 4));
}
static void engine_or_itself(void) { tt_engine("cpu, else cpu"); }
static void list_of_spec(void) { tt_layout_text(tt_mesh("i:2"), 1, "i", "spec list"); }
static void reference_twice(void) { tt_config("ref, ref-after:3"); }

/* ---- words that are listed twice ---- */

static tt_val doubled(tt_val x) { return tt_logical_constraint(tt_mul(x, tt_f(2)), "batch, _"); }
static void rule_of_one_axis_twice(void)
{
    tt_call(tt_jit(doubled, .mesh = tt_mesh("data:2"), .rules = "batch:data+data"), rows());
}
static tt_val cached(tt_nn m, tt_val x) { return tt_attention_layer(m, "a", x, 1, .causal = 1, .cache = 6); }
static tt_val steps(void) { return tt_ones(TT_F32, 2, 3, 4); }
static tt_val of_cached(void) { return tt_init(cached, tt_key(0), steps()); }
static void collections_twice(void) { tt_init_collections(cached, of_cached(), steps(), .only = "cache, cache"); }
static void collections_of_none(void) { tt_init_collections(cached, of_cached(), steps(), .only = ""); }
static void updates_twice(void) { tt_apply_with(cached, of_cached(), steps(), .updates = "cache cache"); }
static tt_val with_terms(tt_nn m, tt_val x) { return tt_dense(m, "d", x, 2, .lora = 1); }
static tt_val without_terms(tt_nn m, tt_val x) { return tt_dense(m, "d", x, 2); }
static tt_val of_terms(void) { return tt_init(with_terms, tt_key(0), rows()); }
static void trained_twice(void) { tt_train_only(of_terms(), "lora_a lora_b lora_a"); }
static void special_twice(void) { tt_tokenizer_train("/tmp/none/t.json", "abc", 300, .special = "<a> <b> <a>"); }
static void more_special_than_pieces(void) { tt_tokenizer_train("/tmp/none/t.json", "abc", 257, .special = "<a> <b>"); }

/* ---- variables that the layer does not read, numbers out of range ---- */

static void terms_not_added(void) { tt_apply(without_terms, of_terms(), rows()); }
static void terms_merged(void) { tt_apply(without_terms, tt_lora_merge(of_terms()), rows()); }      /* no error */
static void cache_before_its_begin(void)
{
    const tt_val vars = of_cached(), c = tt_init_collections(cached, vars, steps());
    tt_apply_with(cached, vars, steps(), .collections = tt_set(c, "cache.a.cache_index", tt_i(-2)), .updates = "cache");
}
static void positions_of_two(void) { tt_rope(heads(), .positions = tt_reshape(tt_arange(TT_I32, 8), 2, 4)); }
static void positions_too_few(void) { tt_rope(heads(), .positions = tt_reshape(tt_arange(TT_I32, 3), 1, 3)); }
static void betas_exchanged(void)
{
    tt_rope(heads(), .scaling = "yarn(factor=4, original=64, beta_fast=1, beta_slow=32)");
}
static void axis_of_numbers(void) { tt_permutation_at("numbers.c:1: permuted", tt_key(0), tt_i(5), 3, 0); }
static void fewer_than_no_arguments(void) { tt_bind_env("f", NULL, NULL, 0, -2); }

/* ---- what functions of the program return ---- */

static tt_val make_two(tt_val key, tt_dtype dtype, const int64_t *dims)
{
    (void)key, (void)dims;
    return tt_full_at(NULL, 1, dtype, TT_DIMS(2));
}
static tt_val make_integers(tt_val key, tt_dtype dtype, const int64_t *dims)
{
    (void)key, (void)dtype;
    return tt_full_at(NULL, 1, TT_I32, dims);
}
static tt_val made_of_two(tt_nn m, tt_val x) { return tt_mul(x, tt_param(m, "p", TT_DIMS(3), .make = make_two)); }
static tt_val made_of_integers(tt_nn m, tt_val x)
{
    return tt_mul(x, tt_param(m, "p", TT_DIMS(3), .dtype = TT_F32, .make = make_integers));
}
static void parameter_of_two(void) { tt_init(made_of_two, tt_key(0), rows()); }
static void parameter_of_integers(void) { tt_init(made_of_integers, tt_key(0), rows()); }
static tt_val total(const char *site, tt_val x) { return tt_sum_at(site, x, NULL); }
static tt_val gated(tt_nn m, tt_val x) { return tt_gated_mlp(m, "g", x, 4, .act = total); }
static tt_val experts(tt_nn m, tt_val x) { return tt_item(tt_moe(m, "e", x, 2, 4, .act = total), 0); }
static tt_val cell(tt_nn m, tt_val x)
{
    return tt_item(tt_rnn(m, "r", tt_simple_cell, tt_zeros(TT_F32, 3, 4), x, .act = total), 1);
}
static void total_of_gate(void) { tt_init(gated, tt_key(0), steps()); }
static void total_of_experts(void) { tt_init(experts, tt_key(0), steps()); }
static void total_of_cell(void) { tt_init(cell, tt_key(0), steps()); }
static tt_val named(tt_val a, tt_val b) { return tt_dict("sum", tt_add(a, b)); }
static void scan_of_another_tree(void) { tt_associative_scan(named, rows()); }
static bool fills_and_fails(void *env, const int64_t *lo, const int64_t *n, void *to)
{
    (void)env, (void)lo, (void)n, (void)to;
    tt_fail_at("filler.c:1: fill", TT_EARG, "the file is too short");
    return true;
}
static void filler_that_fails(void)
{
    const tt_val v = tt_array_from_callback(TT_F32, TT_DIMS(4), tt_mesh("i:2"), "i", fills_and_fails, NULL);
    CHECK(v.slot == tt_poison.slot, "an array of a filler that failed");
}

static const program programs[] = {
#include "unused.inc"
};

int main(int argc, char **argv)
{
    return errors_main(argc, argv, __FILE__, programs, sizeof programs / sizeof *programs, NULL);
}
