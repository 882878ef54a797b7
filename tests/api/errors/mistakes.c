/* mistakes.c - what a program gives in the wrong place: trees that do not go together, words that match nothing, things
 * given twice. With the exact text that the user sees (errors.h).
 *
 * Longer than 400 lines: one list of calls, of which each has its text in mistakes.inc. */
#include <math.h>

#include "api/errors.h"

static tt_val twos(void) { return tt_dict("a", tt_ones(TT_F32, 2), "b", tt_ones(TT_F32, 3)); }

/* ---- trees of optimizers ---- */

static void step_other_names(void)
{
    tt_val p = tt_dict("a", tt_ones(TT_F32, 2)), o = tt_sgd(p), g = tt_dict("b", tt_ones(TT_F32, 2));
    tt_opt_step(&p, &o, g);
}
static void step_fewer(void)
{
    tt_val p = twos(), o = tt_sgd(p), g = tt_dict("a", tt_ones(TT_F32, 2));
    tt_opt_step(&p, &o, g);
}
static void step_other_shape(void)
{
    tt_val p = twos(), o = tt_adam(p), g = tt_set(p, "b", tt_ones(TT_F32, 1));
    tt_opt_step(&p, &o, g);
}
static void step_integers(void)
{
    tt_val p = twos(), o = tt_sgd(p), g = tt_set(p, "b", tt_ones(TT_I32, 3));
    tt_opt_step(&p, &o, g);
}
static void step_state_of_others(void)
{
    tt_val p = twos(), q = tt_dict("a", tt_ones(TT_F32, 2), "c", tt_ones(TT_F32, 3)), o = tt_adam(q);
    tt_opt_step(&p, &o, p);
}
static void updates_of_others(void) { tt_apply_updates(twos(), tt_dict("a", tt_ones(TT_F32, 2))); }
static tt_val sum_of(tt_val a, tt_val b) { return tt_add(a, b); }
static void map_of_others(void) { tt_tree_map(sum_of, twos(), tt_dict("a", tt_f(1), "c", tt_f(2))); }
static void map_other_shape(void) { tt_tree_map(sum_of, twos(), tt_set(twos(), "b", tt_ones(TT_F32, 4))); }

/* ---- words of optimizers ---- */

static void mask_matches_nothing(void) { tt_adamw(twos(), .decay = 0.1, .mask = "kernle"); }
static void mask_one_word(void) { tt_adamw(twos(), .decay = 0.1, .mask = "not b c"); }
static void rate_and_schedule(void) { tt_sgd(twos(), .rate = 0.5, .schedule = "linear(0.1, 0, 10)"); }
static void schedule_unknown(void) { tt_adam(twos(), .schedule = "warmup_cosine(0, 1, 2)"); }
static void schedule_argument(void) { tt_adam(twos(), .schedule = "cosine_decay(0.1, stepz=2)"); }
static void schedule_empty(void) { tt_adam(twos(), .schedule = ""); }
static void argument_twice(void) { tt_optimizer(twos(), "adam(0.1, b1=0.5, b1=0.75)"); }
static void argument_twice_by_place(void) { tt_schedule("linear(0.1, 0, 10, init_value=0.5)", tt_i(0)); }

/* ---- loops ---- */

static void loop_of_nothing(void) { tt_loop_of(3, NULL, NULL); }
static void shuffle_of_a_number(void) { tt_dataset(tt_ones(TT_F32, 4), .batch = 2, .shuffle = tt_f(3)); }
static void shuffle_of_two_keys(void) { tt_dataset(tt_ones(TT_F32, 4), .batch = 2, .shuffle = tt_split(tt_key(0), 2)); }

/* ---- meshes ---- */

static void mesh_too_large(void) { tt_show(tt_sum(tt_shard(tt_ones(TT_F32, 8), tt_mesh("a:1048576"), "a"))); }
static tt_val squared(tt_val x) { return tt_square(x); }
static void mesh_too_large_jit(void)
{
    tt_call(tt_jit(squared, .mesh = tt_mesh("a:1048576"), .in = "a"), tt_ones(TT_F32, 8));
}
static void mesh_too_large_to_list(void) { tt_mesh_text(tt_mesh("a:1073741824"), "list"); }
static void layout_too_large_to_list(void) { tt_layout_text(tt_mesh("a:1073741824"), 1, "a", "positional"); }

/* ---- C's memory ---- */

static double numbers[3] = { 1, 2, 3 };
static float room[3];
static void array_of_doubles(void) { tt_array(TT_F32, numbers, 3); }
static void array_of_rows(void)
{
    const double rows[2][2] = { { 1, 2 }, { 3, 4 } };
    tt_array(TT_F32, rows, 2, 2);
}
static void array_of_pointer(void)
{
    const uint8_t *const bytes = (const uint8_t *)numbers;
    tt_array(TT_I8, bytes, 3);
}
static void array_too_short(void) { tt_array(TT_F32, room, 300); }
static void read_integers(void) { tt_read(tt_arange(TT_I32, 3), room, sizeof room); }
static void read_too_long(void) { tt_read(tt_arange(TT_F32, 4), room, 4 * sizeof *room); }
static void box_of_integers(void)
{
    const int64_t lo[] = { 1 }, n[] = { 2 };
    tt_read_box(tt_arange(TT_I32, 3), lo, n, room);
}
static void box_outside(void)
{
    const int64_t lo[] = { 2 }, n[] = { 3 };
    tt_read_box(tt_arange(TT_F32, 3), lo, n, room);
}
static void local_of_integers(void) { tt_addressable_data(tt_arange(TT_I32, 3), 0, NULL, NULL, room, sizeof room); }
static void memory_that_suits(void)                      /* no error */
{
    bool truth[2] = { true, false };
    float parts[4] = { 1, 2, 3, 4 }, rows[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
    const uint16_t half[2] = { 0x3c00, 0 };
    char bytes[8] = { 0 };
    void *any = numbers;
    tt_array(TT_BOOL, truth, 2), tt_array(TT_C64, parts, 2), tt_array(TT_F32, rows, 2, 3), tt_array(TT_F16, half, 2);
    tt_array(TT_F32, bytes, 2), tt_array(TT_F32, any, 3), tt_array(TT_F32, parts, 2), tt_array(TT_F32, NULL, 0);
    tt_array(TT_F32, ((float[]){ 1, 2 }), 2), tt_array(TT_BF16, half, 1), tt_array(TT_F8E5M2, (uint8_t *)bytes, 8);
    tt_read(tt_array(TT_F32, parts, 2), parts, 2 * sizeof *parts);
}

/* ---- C's integers ---- */

static tt_val bytes_by_300(tt_val x) { return tt_mul(x, tt_i(300)); }
static void integer_wraps(void) { tt_mul(tt_ones(TT_U8, 2), tt_i(300)); }
static void integer_wraps_traced(void) { tt_call(tt_jit(bytes_by_300), tt_ones(TT_U8, 2)); }
static void integer_negative(void) { tt_add(tt_ones(TT_U32, 2), tt_i(-1)); }
static void integer_of_32_bits(void) { tt_read(tt_i(3000000000), &(int32_t){ 0 }, 4); }
static void integer_in_formula(void) { tt_val u = tt_ones(TT_U8, 2); TT_E("u*300", u); }
static void integer_padding(void) { tt_pad(tt_ones(TT_I8, 2), tt_i(128), (int64_t[]){ 1 }, NULL, NULL); }
static void full_out_of_range(void) { tt_full(300, TT_U8, 2); }
static void full_of_a_half(void) { tt_full(2.5, TT_I32, 2); }
static void integers_that_fit(void)                      /* no error */
{
    const tt_val u = tt_ones(TT_U8, 2);
    tt_mul(u, tt_i(255)), tt_cast(tt_i(300), TT_U8), tt_and(tt_ones(TT_U32), tt_i(0xffffffff)), tt_full(255, TT_U8);
    tt_add(tt_ones(TT_I8), tt_i(-128)), tt_add(tt_ones(TT_F32), tt_i(3000000000)), tt_full(2.5, TT_F32);
    tt_full(-9223372036854775808.0, TT_I64), tt_add(tt_ones(TT_U64), tt_i(7));
}

/* ---- functions that call themselves ---- */

static tt_val jits_itself(tt_val x) { return tt_call(tt_jit(jits_itself), tt_mul(x, tt_f(2))); }
static tt_val odd(tt_val x);
static tt_val even(tt_val x) { return tt_call(tt_jit(odd), x); }
static tt_val odd(tt_val x) { return tt_call(tt_grad(even), x); }
static tt_val scans_itself(tt_val c, tt_val x)
{
    return tt_tuple(tt_item(tt_scan(scans_itself, c, tt_ones(TT_F32, 2)), 0), x);
}
static tt_val both_ways(tt_val x) { return tt_cond(tt_gt(x, tt_f(0)), both_ways, both_ways, x); }
static tt_val same(tt_val x) { return x; }
static tt_val custom(tt_val x);
static tt_val forward(tt_val x) { return tt_tuple(custom(tt_add(x, tt_f(1))), x); }
static tt_val backward(tt_val r, tt_val c) { return tt_mul(r, c); }
static tt_val custom(tt_val x) { return tt_call(tt_custom_vjp(same, forward, backward), x); }
static void recursion(void) { tt_call(tt_jit(jits_itself), tt_f(1)); }
static void recursion_of_two(void) { tt_call(even, tt_f(1)); }
static void recursion_of_scan(void) { tt_scan(scans_itself, tt_f(0), tt_ones(TT_F32, 2)); }
static void recursion_of_cond(void) { tt_call(tt_jit(both_ways), tt_f(1)); }
static void recursion_of_rule(void) { tt_call(tt_grad(custom), tt_f(1)); }
static void recursion_of_jits(void)
{
    tt_fn f = TT_FN(same);
    for (int i = 0; i < 3000; i++) f = tt_jit(f);
    tt_call(f, tt_f(1));
}

/* ---- logical axes, meshes ---- */

static tt_val batch_and_hidden(tt_val x) { return tt_logical_constraint(x, "batch, hidden"); }
static tt_val both(tt_val a, tt_val b) { return tt_add(a, b); }
static tt_val on_x(void) { return tt_shard(tt_ones(TT_F32, 8), tt_mesh("x:8"), "x"); }
static tt_val on_y(void) { return tt_shard(tt_ones(TT_F32, 8), tt_mesh("y:4"), "y"); }
static void rule_misspelt(void)
{
    tt_call(tt_jit(batch_and_hidden, .mesh = tt_mesh("data:2"), .rules = "bacth:data"), tt_ones(TT_F32, 4, 4));
}
static void rule_almost(void)
{
    tt_fn f = tt_jit(batch_and_hidden, .mesh = tt_mesh("data:2"), .rules = "batch:data, hiden:data");
    tt_call(f, tt_ones(TT_F32, 4, 4));
}
static void rules_with_other_rows(void)                  /* no error: a table may have rows that are not used */
{
    tt_fn f = tt_jit(batch_and_hidden, .mesh = tt_mesh("data:2"), .rules = "batch:data, embed:data");
    tt_call(f, tt_ones(TT_F32, 4, 4));
}
static void meshes_of_other_devices(void) { tt_add(on_x(), on_y()); }
static void meshes_of_other_devices_jit(void) { tt_call(tt_jit(both), on_x(), on_y()); }
static void meshes_of_the_same_devices(void)             /* no error, as in JAX */
{
    tt_add(on_x(), tt_shard(tt_ones(TT_F32, 8), tt_mesh("y:4, z:2"), "y"));
}

/* ---- names and numbers in messages ---- */

static void zeros_negative(void) { tt_zeros(TT_F32, 4, -3); }
static void ones_too_many(void) { tt_ones(TT_F32, 100000000, 10000000); }
static void arange_negative(void) { tt_arange(TT_F32, -3); }
static void donated_in_two_places(void)
{
    const tt_val w = tt_neg(tt_ones(TT_F32, 3));
    tt_call(tt_jit(both, .donate = "0"), tt_dict("a", w, "b", w), tt_f(1));
}
static void abstract_operand(void) { tt_neg(tt_shape(TT_F32, 3)); }
static void null_function(void)
{
    tt_f1 *const f = NULL;
    tt_call(tt_jit(f), tt_f(1));
}
static tt_val images(tt_nn m, tt_val x) { return tt_conv(m, "c", x, 4); }
static void wrong_precision(void)
{
    tt_matmul(tt_ones(TT_F32, 2, 3), tt_ones(TT_F32, 3, 4), .precision = "hihgest");
}
static void conv_without_window(void) { tt_init(images, tt_key(0), tt_ones(TT_F32, 1, 8, 8, 3)); }

static tt_val fading(tt_nn m, tt_val x) { return tt_batch_norm(m, "n", x, .momentum = 5); }
static void norm_momentum(void) { tt_init(fading, tt_key(0), tt_ones(TT_F32, 2, 2)); }
static tt_val rooted(tt_nn m, tt_val x) { return tt_layer_norm(m, "n", x, .eps = -1); }
static void norm_eps(void) { tt_init(rooted, tt_key(0), tt_ones(TT_F32, 2, 2)); }
static void best_of_nothing(void) { tt_manager_open("/tmp/tutti-none", .best = "mx loss"); }

static tt_val cubed(tt_val x) { return tt_mul(x, tt_mul(x, x)); }
static void wrt_twice(void) { tt_call(tt_grad(cubed, .wrt = "0, 0"), tt_f(3)); }
static void arange_of_bytes(void) { tt_arange(TT_U8, 300); }
static void use_rules(void) { tt_set_mesh(tt_mesh("x:4"), .rules = "a:x, b:q"); }
static void switch_twice(void) { tt_config("devices:4, devices:8"); }
static tt_val whole(tt_nn m, tt_val x) { return tt_dense(m, "d", x, 3, .dtype = TT_I32); }
static void layer_of_integers(void) { tt_init(whole, tt_key(0), tt_ones(TT_F32, 4, 6)); }

static void load_rules(void) { tt_load("/tmp/none.npz", .rules = "a:b"); }
static void load_cast(void) { tt_load("/tmp/none.npz", .cast = 1); }

/* ---- shapes that are broadcast to each other, weights and labels of others ---- */

static void loss_stretched(void) { tt_l2_loss(tt_ones(TT_F32, 2), tt_ones(TT_F32, 2, 1)); }
static void loss_of_scalar(void) { tt_l2_loss(tt_ones(TT_F32, 2), tt_f(0)), tt_huber(tt_f(0), tt_ones(TT_F32, 2), 1); }
static void loss_delta(void) { tt_huber(tt_ones(TT_F32, 2), tt_ones(TT_F32, 2), -1); }
static void labels_smoothed(void) { tt_smooth_labels(tt_ones(TT_F32, 1, 2), 2); }
static void labels_of_one(void) { tt_xent(tt_zeros(TT_F32, 2, 3), tt_zeros(TT_I32, 1)); }
static void labels_in_columns(void) { tt_xent(tt_zeros(TT_F32, 2, 3), tt_zeros(TT_F32, 2, 1)); }
static void labels_of_floats(void) { tt_xent(tt_zeros(TT_F32, 3, 3), tt_zeros(TT_F32, 3)); }
static void average_of_others(void) { tt_average(tt_ones(TT_F32, 2), tt_ones(TT_F32, 1)); }
static tt_val qkv(void) { return tt_ones(TT_F32, 2, 3, 4, 8); }
static void window_unlimited(void) { tt_attention(qkv(), qkv(), qkv(), .window = { -1, 0 }); }
static void mask_of_two_dims(void) { tt_attention(qkv(), qkv(), qkv(), .mask = tt_ones(TT_BOOL, 3, 3)); }
static void attention_of_three_dims(void) { const tt_val q = tt_ones(TT_F32, 3, 4, 8); tt_attention(q, q, q); }
static void lengths_of_floats(void) { tt_attention(qkv(), qkv(), qkv(), .kv_len = tt_ones(TT_F32, 2)); }
static void lengths_of_one(void) { tt_attention(qkv(), qkv(), qkv(), .kv_len = tt_ones(TT_I32, 1)); }
static void mask_of_more_dims(void) { tt_sum(tt_ones(TT_F32, 3), .where = tt_ones(TT_BOOL, 2, 3)); }
static void mask_of_another_size(void) { tt_softmax(tt_ones(TT_F32, 3), .where = tt_ones(TT_BOOL, 2)); }
static void mask_of_floats(void) { tt_logsumexp(tt_ones(TT_F32, 3), .where = tt_ones(TT_F32, 3)); }
static void places_of_less(void) { tt_places(tt_zeros(TT_I32, 2), -1); }
static void byte_of_four_bits(void) { const int8_t x[] = { 7, 100 }; tt_array(TT_I4, x, 2); }
static void leaf_path_outside(void) { tt_leaf_path(tt_dict("a", tt_f(1), "b", tt_f(2)), 2); }
static void name_outside(void) { tt_name(tt_dict("a", tt_f(1)), -2); }
static void edges_that_fall(void) { tt_histogram(tt_ones(TT_F32, 2), .edges = tt_const(TT_F32, { 2, 1 })); }
static void quantize_to_nothing(void) { tt_quantize(tt_ones(TT_F32, 2, 32), .bits = 0); }
static void expand_outside(void) { tt_expand_dims(tt_ones(TT_F32, 2), -3); }

/* ---- variables of another layer, options that a layer has not ---- */

static tt_val four(tt_nn m, tt_val x) { return tt_dense(m, "d", x, 4); }
static void applied(const char *path, tt_val v)
{
    const tt_val x = tt_ones(TT_F32, 1, 4);
    tt_apply(four, tt_set(tt_init(four, tt_key(0), x), path, v), x);
}
static void kernel_of_a_column(void) { applied("d.kernel", tt_ones(TT_F32, 4, 1)); }
static void bias_of_one(void) { applied("d.bias", tt_ones(TT_F32, 1)); }
static void kernel_of_integers(void) { applied("d.kernel", tt_ones(TT_I32, 4, 4)); }
static void kernel_of_half(void) { applied("d.kernel", tt_ones(TT_BF16, 4, 4)); }                   /* no error */
static void input_of_another_width(void)
{
    tt_apply(four, tt_init(four, tt_key(0), tt_ones(TT_F32, 1, 4)), tt_ones(TT_F32, 1, 5));
}
static tt_val wider_alias(tt_nn m, tt_val x)
{
    x = tt_dense(m, "a", x, 4);
    tt_alias(m, "b", "a");
    return tt_dense(m, "b", x, 7);
}
static void alias_wider(void) { tt_init(wider_alias, tt_key(0), tt_ones(TT_F32, 1, 4)); }
static tt_val three_axes(tt_nn m, tt_val x) { return tt_dense(m, "d", x, 4, .axes = "embed, b, c"); }
static void axes_of_three_dims(void) { tt_init(three_axes, tt_key(0), tt_ones(TT_F32, 1, 4)); }
static tt_val batch_over(tt_nn m, tt_val x) { return tt_batch_norm(m, "n", x, .dims = "1"); }
static tt_val layer_fading(tt_nn m, tt_val x) { return tt_layer_norm(m, "n", x, .momentum = 0.5); }
static tt_val groups_over(tt_nn m, tt_val x) { return tt_group_norm(m, "n", x, 2, .dims = "1"); }
static tt_val grouped_transpose(tt_nn m, tt_val x)
{
    return tt_conv_transpose(m, "c", x, 2, .window = { 3, 3 }, .groups = 2);
}
static tt_val flipped(tt_nn m, tt_val x) { return tt_conv(m, "c", x, 2, .window = { 3, 3 }, .flip = 1); }
static void norm_over(void) { tt_init(batch_over, tt_key(0), tt_ones(TT_F32, 2, 2)); }
static void norm_fading(void) { tt_init(layer_fading, tt_key(0), tt_ones(TT_F32, 2, 2)); }
static void norm_groups_over(void) { tt_init(groups_over, tt_key(0), tt_ones(TT_F32, 2, 2)); }
static void conv_groups(void) { tt_init(grouped_transpose, tt_key(0), tt_ones(TT_F32, 1, 4, 4, 2)); }
static void conv_flip(void) { tt_init(flipped, tt_key(0), tt_ones(TT_F32, 1, 4, 4, 2)); }
static tt_val dropped(tt_nn m, tt_val x) { return tt_dropout(m, x, 0.5, .same = "5"); }
static void dropout_same(void) { tt_apply_train(dropped, tt_none(), tt_ones(TT_F32, 2, 2), tt_key(0)); }

/* ---- numbers and words that chains, schedules and managers do not take ---- */

static void clip_negative(void) { tt_optimizer(twos(), "clip_by_global_norm(-1); sgd(0.1)"); }
static void clip_of_nothing(void) { tt_optimizer(twos(), "clip(0); sgd(0.1)"); }
static void clip_by_minus_one(void) { tt_clip_by_norm(twos(), -1); }
static void steps_twice(void) { tt_optimizer(twos(), "multi_steps(every=2); multi_steps(every=3); sgd(0.1)"); }
static void steps_behind(void) { tt_optimizer(twos(), "sgd(0.1); multi_steps(every=2)"); }
static void restarts_of_nothing(void) { tt_schedule("sgdr()", tt_i(3)); }
static void cycle_of_nothing(void) { tt_schedule("cosine_onecycle(0, 1)", tt_i(3)); }
static void cycle_backwards(void) { tt_schedule("linear_onecycle(10, 1, 0.9, 0.3)", tt_i(3)); }
static void best_of_no_way(void) { tt_manager_open("/tmp/tutti-none", .best = "accuracy"); }
static void best_kept_of_none(void) { tt_manager_open("/tmp/tutti-none", .keep_best = 3); }
static void iota_of_bytes(void) { tt_iota(TT_U8, 0, 300); }
static void write_to_device(void) { tt_write_npy("/dev/null", tt_ones(TT_F32, 2)); }
static void separator_of_two(void) { tt_read_csv("/tmp/tutti-none.csv", .separator = "; "); }

/* ---- draws and transforms of what they do not take ---- */

static void fold_of_a_half(void) { tt_fold_in(tt_key(0), tt_f(0.5)); }
static void truncated_backwards(void) { tt_truncated_normal(tt_key(0), TT_F32, 2, -2, 3); }
static void rfft_of_complex(void) { tt_rfft(tt_complex(tt_ones(TT_F32, 2), tt_ones(TT_F32, 2))); }

/* ---- batches ---- */

static void rows_of_a_part(void) { tt_dataset(tt_ones(TT_F32, 4), .batch = 2, .part = "test"); }
static void rows_without_mesh(void) { tt_dataset(tt_ones(TT_F32, 4), .batch = 2, .spec = "data"); }
static void rows_kept_and_filled(void) { tt_dataset(tt_ones(TT_F32, 5), .batch = 2, .keep_last = 1, .wrap = 1); }
static void rows_ahead(void) { tt_dataset(tt_ones(TT_F32, 5), .batch = 2, .ahead = -1); }

/* ---- words that are almost those that are taken ---- */

static void word_of_text(void) { tt_text(tt_shard(tt_ones(TT_F32, 2), tt_mesh("i:2"), "i"), "shardng"); }
static void word_of_mesh_text(void) { tt_mesh_text(tt_mesh("i:2"), "repr shrt"); }
static void word_of_switch(void) { tt_config("threefry:orignal"); }
static void word_of_take(void) { tt_take(tt_ones(TT_F32, 3), tt_i(0), 0, .mode = "clamp"); }
static void half_into_integers(void) { tt_dynamic_update_slice(tt_zeros(TT_I32, 3), tt_ones(TT_F32, 1), 0, tt_i(0)); }
static void half_beside_integers(void) { tt_pad(tt_zeros(TT_I32, 3), tt_f(0.5), ((int64_t[]){ 1 }), NULL, NULL); }
static void half_rows(void)
{
    tt_index_set(tt_zeros(TT_I32, 3, 1), tt_zeros(TT_I32, 1), tt_ones(TT_F32, 1, 1), .mode = "drop");
}
static void word_of_random(void) { tt_set_random_layout("Original"); }
static void word_of_padding(void) { tt_convolve(tt_ones(TT_F32, 1, 4, 1), tt_ones(TT_F32, 2, 1, 1), .pad = "same"); }
static void word_of_schedule(void) { tt_schedule("cosine_decoy(0.1, 10)", tt_i(0)); }
static void word_of_interpolation(void) { tt_schedule("piecewise_interpolate(cosin, 1, 10 2)", tt_i(0)); }
static void word_of_optimizer(void) { tt_optimizer(twos(), "adamv(0.1)"); }
static void word_of_part(void) { tt_optimizer(twos(), "scale_by_adm(); scale(-0.1)"); }
static void word_of_argument(void) { tt_optimizer(twos(), "sgd(0.1, momentm=0.5)"); }
static void word_of_type(void) { tt_optimizer(twos(), "adam(0.1, mu_dtype=bfloat15)"); }
static tt_val unifrm(tt_nn m, tt_val x) { return tt_dense(m, "d", x, 2, .kernel_init = "glorot_unifrm"); }
static tt_val fan_im(tt_nn m, tt_val x) { return tt_dense(m, "d", x, 2, .kernel_init = "variance_scaling(1, fan_im)"); }
static tt_val unifrom(tt_nn m, tt_val x)
{
    return tt_dense(m, "d", x, 2, .kernel_init = "keras.VarianceScaling(distribution=unifrom)");
}
static void word_of_initializer(void) { tt_init(unifrm, tt_key(0), tt_ones(TT_F32, 1, 2)); }
static void word_of_mode(void) { tt_init(fan_im, tt_key(0), tt_ones(TT_F32, 1, 2)); }
static void word_of_distribution(void) { tt_init(unifrom, tt_key(0), tt_ones(TT_F32, 1, 2)); }
static tt_val plain(tt_nn m, tt_val x) { return tt_dense(m, "d", x, 2); }
static void word_of_keys(void) { tt_init(plain, tt_key(0), tt_ones(TT_F32, 1, 2), .keys = "lines"); }
static void word_of_data(void) { tt_mnist("digits", .part = "tests"); }
static void word_of_draw(void) { tt_draw(tt_ones(TT_F32, 2), .form = "plane"); }
static void word_of_curve(void) { tt_curve(tt_ones(TT_F32, 2), .form = "png"); }
static void word_of_state(void) { tt_state_text(tt_ones(TT_F32, 2), .form = "speck"); }
static void word_of_tree(void) { tt_get(tt_dict("kernel", tt_f(1), "bias", tt_f(2)), "kernle"); }
static void word_of_axis(void) { tt_shard(tt_ones(TT_F32, 2), tt_mesh("data:2, model:1"), "dat"); }
static void text_at_null(void) { tt_read_text(NULL); }
static void csv_at_null(void) { tt_read_csv(NULL); }
static void draw_of_integers(void) { tt_uniform(tt_key(0), TT_I32, 2); }
static void bits_of_floats(void) { tt_bits(tt_key(0), TT_BF16, 2); }
static void bits_signed(void) { tt_bits(tt_key(0), TT_I8, 2); }
static void integers_of_floats(void) { tt_randint(tt_key(0), TT_F16, tt_i(0), tt_i(2), 2); }
static void draw_of_nothing(void) { tt_normal(tt_key(0), (tt_dtype)99, 2); }

/* ---- arguments that were taken, or named another call ---- */

static void cosine_below_zero(void) { tt_cosine(tt_ones(TT_F32, 2), tt_ones(TT_F32, 2), -1); }
static void labels_of_integers(void) { tt_smooth_labels(tt_ones(TT_I32, 3), 0.1); }
static void softmax_of_truths(void) { tt_softmax(tt_ones(TT_BOOL, 3)); }
static void xent_of_truths(void) { tt_xent(tt_zeros(TT_F32, 2, 3), tt_ones(TT_BOOL, 2)); }
static void hot_below_zero(void) { tt_one_hot(tt_ones(TT_I32, 2), -1, TT_F32); }
static void schedule_of_none(void) { tt_schedule("linear(0.1, 0, 10)", tt_none()); }
static void item_with_zero(void) { tt_get(tt_tuple(tt_f(1), tt_f(2)), "01"); }
static void version_of_letters(void) { tt_layout_text(tt_mesh("i:2"), 1, "i", "spec 0.10.zz"); }
static void short_twice(void) { tt_layout_text(tt_mesh("i:2"), 1, "i", "short spec short"); }
static void version_twice(void) { tt_layout_text(tt_mesh("i:2"), 1, "i", "spec 0.10 0.4.13"); }
static void axis_twice_in_rule(void) { tt_logical_spec("a, b", "a:i+i"); }
static void saved_as_hdf5(void) { tt_save("/tmp/tutti-none.h5", tt_f(1)); }
static void saved_as_npz_in_capitals(void) { tt_save("/tmp/tutti-none.NPZ", tt_f(1)); }
static void formula_does_not_read(void) { tt_val x = tt_f(1), y = tt_f(2); TT_E("2*x", x, y); }

static void value_after_named(void) { tt_optimizer(twos(), "adamw(0.1, mask=a, 0.5)"); }
static void rows_of_a_number(void) { tt_dataset(tt_f(1)); }
static void rows_of_one_leaf(void) { tt_dataset(tt_dict("x", tt_ones(TT_F32, 4), "y", tt_f(1))); }
static void truths_as_logits(void) { tt_xent(tt_ones(TT_BOOL, 2, 3), tt_ones(TT_I32, 2)); }
static void function_at_null(void) { tt_bind_env("step", NULL, NULL, 0, 1); }
static tt_val negative(tt_nn m, tt_val x) { return tt_dense(m, "d", x, -2); }
static void dense_below_zero(void) { tt_init(negative, tt_key(0), tt_ones(TT_F32, 1, 2)); }

/* ---- habits of NumPy, PyTorch and Python ---- */

static void zeros_of_no_dtype(void) { tt_zeros(3, 4); }
static void full_in_order_of_numpy(void) { tt_full(TT_F32, 3, 2); }
static void draw_of_no_dtype(void) { tt_normal(tt_key(0), 12, 4); }
static void hot_dtype_first(void) { tt_one_hot(tt_ones(TT_I32, 2), TT_F32, 3); }
static void cast_to_a_number(void) { tt_cast(tt_ones(TT_F32, 2), 32); }
static void clamp_x_first(void) { tt_clamp(tt_arange(TT_F32, 4), tt_f(0), tt_f(1)); }
static void clamp_bounds_that_suit(void)                 /* no error */
{
    const tt_val x = tt_ones(TT_F32, 2, 3), row = tt_ones(TT_F32, 3);
    tt_clamp(tt_f(0), x, row), tt_clamp(row, x, tt_f(2)), tt_clamp(tt_f(0), tt_dict("x", x), tt_f(1));
}
static void mean_of_a_tree(void) { tt_mean(tt_tuple(tt_ones(TT_F32, 2), tt_ones(TT_F32, 2))); }
static void formula_of_two_values(void) { tt_val x = tt_f(1); TT_E("max(x, 1)", x); }
static void chain_with_macros(void) { tt_adamw(tt_tuple(tt_ones(TT_F32, 2), tt_zeros(TT_F32, 2)), .every = 0); }
static void dims_that_end_by_themselves(void)            /* no error */
{
    tt_image_resize(tt_ones(TT_F32, 1, 4, 4, 1), TT_DIMS(1, 8, 8, 1));
    tt_image_resize(tt_ones(TT_F32, 1, 4, 4, 1), TT_DIMS(1, 8, 8, 1, TT_DIM_END));
}
static void owned_by_nobody(void) { tt_own(&(int){ 3 }, NULL); }

/* ---- values that leave a trace, second names of a value ---- */

static tt_val outside;
static tt_val leaks(tt_val x) { return tt_assign(&outside, tt_mul(x, x)), x; }
static void leaked_show(void)
{
    outside = tt_f(0);
    tt_call(tt_jit(leaks), tt_ones(TT_F32, 2));
    tt_show(outside);
}
static void leaked_show_of_tree(void)
{
    outside = tt_f(0);
    tt_call(tt_jit(leaks), tt_ones(TT_F32, 2));
    tt_show(tt_tuple(outside, outside));
}
static tt_val drawn(tt_val x) { return tt_draw(x), x; }
static void draw_of_traced(void) { tt_call(tt_jit(drawn), tt_ones(TT_F32, 2)); }
static void second_name(void)
{
    tt_val a = tt_ones(TT_F32, 2), first = a;
    for (tt_loop it = tt_steps(2); tt_next(&it); ) tt_assign(&a, tt_add(a, tt_f(1)));
    tt_sub(a, first);
}

/* ---- draws, keys, networks ---- */

static void uniform_to_nan(void) { tt_uniform_in(tt_key(0), TT_F32, 0, (double)NAN, 2); }
static void bernoulli_above_one(void) { tt_bernoulli(tt_key(0), tt_f(1.5), 2); }
static void bernoulli_of_integers(void) { tt_bernoulli(tt_key(0), tt_i(1), 2); }
static void categorical_of_integers(void) { tt_categorical(tt_key(0), tt_ones(TT_I32, 3)); }
static void choice_beyond_rank(void)
{
    tt_choice_at(TT_AT("tt_choice_at()"), tt_key(0), tt_ones(TT_F32, 3), TT_DIMS(2, TT_DIM_END), 1, NULL, 4);
}
static void fold_in_of_no_key(void) { tt_fold_in(tt_f(1), tt_i(1)); }
static void split_of_two_keys(void) { tt_split(tt_split(tt_key(0), 2), 2); }
static void init_of_no_key(void) { tt_init(plain, tt_f(0), tt_ones(TT_F32, 1, 2)); }
static void init_of_no_key_of_a_stream(void) { tt_init(plain, tt_dict("params", tt_f(0)), tt_ones(TT_F32, 1, 2)); }
static void train_of_no_key(void)
{
    const tt_val x = tt_ones(TT_F32, 1, 2);
    tt_apply_train(plain, tt_init(plain, tt_key(0), x), x, tt_f(3));
}
static tt_val normed(tt_nn m, tt_val x) { return tt_batch_norm(m, "b", x); }
static void norm_of_a_number(void) { tt_init(normed, tt_key(0), tt_f(1)); }
static tt_val lstm(tt_nn m, tt_val x) { return tt_rnn(m, "r", tt_lstm_cell, tt_ones(TT_F32, 2, 4), x); }
static void lstm_of_one_state(void) { tt_init(lstm, tt_key(0), tt_ones(TT_F32, 3, 2, 5)); }
static void adam_of_b1_one(void) { tt_adam(twos(), .b1 = 1); }
static void mask_word_twice(void) { tt_adamw(twos(), .mask = "not a a"); }
static void test_of_two(void) { tt_cond(tt_ones(TT_BOOL, 2), squared, squared, tt_f(1)); }
static void report_to_nowhere(void) { tt_config("report:99999"); }
static void segments_of_floats(void) { tt_segment_sum(tt_ones(TT_F32, 3), tt_ones(TT_F32, 3), 4); }
static void count_below_zero(void) { tt_bincount(tt_ones(TT_I32, 3), -1); }
static void image_of_fewer_columns(void) { tt_image_text(tt_ones(TT_F32, 2, 2), -5); }
static void step_other_shape_alone(void)
{
    tt_val p = tt_ones(TT_F32, 2), o = tt_sgd(p);
    tt_opt_step(&p, &o, tt_f(1));
}

static const program programs[] = {
#include "mistakes.inc"
};

static void check_switches(void)
{
    CHECK(!tt_config("zz") && !strstr(tt_error(), "did you mean"), "%s", tt_error());
    tt_clear();
    CHECK(!tt_config("reproduceable") && strstr(tt_error(), "did you mean \"reproducible\"?"), "%s", tt_error());
    tt_clear();
}

/* A stack of a module without variables, alone and beside others. */
static tt_val act(tt_nn m, tt_val x) { return (void)m, tt_relu(x); }
static tt_val acts(tt_nn m, tt_val x) { return tt_stack(m, "act", act, 3, x); }
static tt_val dense_of_acts(tt_nn m, tt_val x) { return tt_dense(m, "d", tt_sub_module(m, "block", acts, x), 2); }
static void check_stack(void)
{
    const tt_val x = tt_ones(TT_F32, 8, 8), v = tt_init(acts, tt_key(0), x), w = tt_init(dense_of_acts, tt_key(0), x);
    CHECK(tt_ok() && tt_num(tt_sum(tt_apply(acts, v, x))) == 64, "apply: %s", tt_error());
    CHECK(tt_num(tt_sum(tt_item(tt_apply_train(acts, v, x, tt_key(1)), 0))) == 64, "train: %s", tt_error());
    CHECK(tt_rank(tt_apply(dense_of_acts, w, x)) == 2 && tt_ok(), "in a module: %s", tt_error());
    CHECK(tt_items(tt_apply_train(dense_of_acts, w, x, tt_key(1))) == 2 && tt_ok(), "in training: %s", tt_error());
    tt_clear();
}

/* What a failed call gives may be printed and read. */
static tt_val wrong(tt_val x) { return tt_matmul(x, x); }
static void check_results(void)
{
    const tt_val x = tt_ones(TT_F32, 2, 3), none[] = { tt_ones(TT_F32, 2, 3), tt_end };
    CHECK(!*tt_error() && tt_error_record()->code == TT_OK && !*tt_error_record()->message, "no error");
    CHECK(!*tt_spec(x) && !*tt_text(x, "spec"), "no layout");
    const tt_report *const r = tt_explain(wrong, x);
    const tt_budget *const b = tt_plan(wrong, x);
    CHECK(!tt_ok() && !r->n && !*r->text && !tt_exchanges(r, NULL), "an empty report");
    CHECK(!b->peak && !*b->text && !b->report->n && !b->nline, "an empty budget");
    CHECK(!*tt_timeit(wrong, x) && !*tt_export(wrong, x) && !*tt_plan_text(NULL, TT_FN(wrong), none), "empty texts");
    CHECK(!*tt_ir_text(NULL, TT_FN(wrong), none) && !*tt_text(x, "shardng"), "more empty texts");
    const tt_val poison = tt_matmul(x, x);
    CHECK(!*tt_state_text(poison) && !*tt_curve(poison) && !*tt_drawing_at(NULL, poison, NULL), "of poison");
    CHECK(!*tt_type_text(poison) || !strcmp(tt_type_text(poison), "poison"), "%s", tt_type_text(poison));
    CHECK(tt_value_text(poison) && tt_leaf_path(poison, 3) && tt_spec(poison) && tt_summary(poison), "of poison");
    CHECK(!*tt_logical_spec("a, b", "a-data") && !*tt_mesh_text(tt_mesh("data:2"), "strange"), "of wrong words");
    CHECK(!*tt_import_donated(TT_FN(wrong)) && !tt_import_work(TT_FN(wrong))->kinds, "of no program");
    CHECK(*tt_error_record()->site && tt_error_record()->hint, "parts of an error");
    tt_clear();
}

/* What an empty handle gives may be printed, and is an error. */
static void check_handles(void)
{
    const tt_ckpt c = { 0 };
    const tt_manager m = { 0 };
    const char *const path = tt_manager_path(m, 3);
    CHECK(!*path && strstr(tt_error(), "tt_manager_path: the tt_manager is empty"), "%s: %s", path, tt_error());
    tt_clear();
    CHECK(!*tt_ckpt_format(c) && strstr(tt_error(), "tt_ckpt_format: the tt_ckpt is empty"), "%s", tt_error());
    tt_clear();
    CHECK(!*tt_ckpt_metadata(c) && strstr(tt_error(), "tt_ckpt_metadata: the tt_ckpt is empty"), "%s", tt_error());
    tt_clear();
    CHECK(!*tt_ckpt_metadata_of(c, "format") && strstr(tt_error(), "tt_ckpt_metadata_of: the tt_ckpt is empty"), "%s",
          tt_error());
    tt_clear();
    const tt_ckpt_item *const i = tt_ckpt_at(c, 0);
    CHECK(!*i->path && !*i->what && !*i->text && !*i->mesh && !*i->spec && !*i->axes && !i->rank, "an empty item");
    CHECK(strstr(tt_error(), "tt_ckpt_at: the tt_ckpt is empty"), "%s", tt_error());
    tt_clear();
}

static void more(void)
{
    check_results();
    check_handles();
    check_stack();
    check_switches();
}

int main(int argc, char **argv)
{
    return errors_main(argc, argv, __FILE__, programs, sizeof programs / sizeof *programs, more);
}
