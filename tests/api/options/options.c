/* options.c - an option that is written counts, whatever its value: the text of a call's options is read as C reads it,
 * also in macros, braces and texts; and every option whose default is not zero is zero where a program says so. */
#include "base/base.h"
#include "check.h"

#include <math.h>
#include <string.h>
#include <tutti.h>

/* ---- the text ---- */

static void in_text(const char *given, const char *name, const char *value)
{
    base_option o;
    const bool found = base_option_find(given, name, &o);
    CHECK(found == (value != NULL), "%s in %s", name, given);
    if (found && value)
        CHECK(o.nvalue == strlen(value) && !memcmp(o.value, value, o.nvalue), "%s in %s: %.*s", name, given,
              (int)o.nvalue, o.value);
}

static void texts(void)
{
    in_text(NULL, "decay", NULL);
    in_text("", "decay", NULL);
    in_text(".decay = 0,", "decay", "0");
    in_text(".decay=r", "decay", "r");
    in_text(".decay[)]=0", "decay", NULL);               /* brackets that do not match */
    in_text(".rate = 1, .decay = 0", "decay", "0");
    in_text(".rate = 1, .decay = 0", "ate", NULL);
    in_text(".rate = 1, .decay = 0", "rates", NULL);
    in_text(".decay, .rate", "decay", "");               /* the names alone, as who fills structs by hand writes them */
    in_text(".decay, .rate", "rate", "");
    in_text(".mask = \".decay = 0, \\\" .decay = 1\", .b1 = ',' + '\\''", "decay", NULL);
    in_text(".mask = \"a, b\", .decay = f(1, (2, 3)), .b1 = 0", "decay", "f(1, (2, 3))");
    in_text(".mask = \"a, b\", .decay = f(1, (2, 3)), .b1 = 0", "b1", "0");
    in_text(".norm = { .decay = 0 }, .rate = 1", "decay", NULL);
    in_text(".norm = { .decay = 0 }, .rate = 1", "norm", "{ .decay = 0 }");
    in_text(".norm.decay = 0, .rate = 1", "norm", "0");
    in_text(".norm{ .decay = 0 }, .rate{0}", "rate", "{0}");
    in_text(".window[0] = 3, .window[1] = 0", "window", "0");
    in_text(".window [0] = 3", "window", "3");
    in_text(".rate = 1, .rate = 0", "rate", "0");        /* the last counts, as in C */
    in_text(".rate = cfg.decay, .b1 = x ? .5 : .decay", "decay", NULL);
    in_text(".rate = 1'000, .decay = 0", "decay", "0");
    in_text(".rate = x ? 'a' : 0x1'F, .decay = 0", "decay", "0");
    in_text(".mask = R\"x(a\", .b1 = )\" )x\", .decay = 0", "decay", "0");
    in_text(".mask = R\"x(a\", .b1 = )\" )x\", .decay = 0", "b1", NULL);
    in_text(".dims = f<a, b>(1), .decay = 0", "decay", "0");
    in_text(".f = [&](tt_val x) { int a = 1, b = 2; return x; }, .decay = 0", "decay", "0");
    in_text(" .decay = 0 }, .rate = 1", "rate", NULL);   /* a list within braces ends with them */
    in_text(".decay", "decay", "");
    in_text(". decay = 0", "decay", "0");
    in_text(".decay == 0", "decay", "= 0");              /* no C; no end either */
    in_text("\"0\", .decay = 0", "decay", "0");
    in_text(".a = \"unfinished", "b", NULL);
    in_text(".a = (unfinished, .b = 0", "b", NULL);
    in_text("}, .b = 0", "b", NULL);
}

/* ---- what TT_OPTS hands over ---- */

#define RATE_OF(r)   .rate = (r)
#define NO_DECAY     RATE_OF(0.0), .decay = 0
static const tt_adam_opts *adam_opts(const tt_adam_opts *o) { return o; }
#define OPTS_(T, ...) adam_opts(TT_OPTS(T, __VA_ARGS__))
#define OPTS(...)    OPTS_(__VA_ARGS__, )

static void handed(void)
{
    const double r = 0;
    CHECK(!tt_given(OPTS(tt_adam_opts, .b1 = 1), "rate"), "another");
    CHECK(tt_given(OPTS(tt_adam_opts, .rate = 0), "rate"), "a number");
    CHECK(tt_given(OPTS(tt_adam_opts, .rate = r, .b1 = 1), "rate"), "a variable that is 0");
    CHECK(tt_given(OPTS(tt_adam_opts, NO_DECAY), "decay"), "an option in a macro of the user's");
    CHECK(tt_given(OPTS(tt_adam_opts, NO_DECAY), "rate"), "one in a macro in a macro");
    CHECK(!tt_given(OPTS(tt_adam_opts), "rate") && !tt_given(NULL, "rate"), "none");
    const tt_adam_opts by_hand = { .size = sizeof by_hand, .given = ".decay, .b1" };
    CHECK(tt_given(&by_hand, "decay") && tt_given(&by_hand, "b1") && !tt_given(&by_hand, "rate"), "by hand");
    char to[64];
    const tt_res_opts in = { .size = sizeof in,
                             .given = ".stride = 1, .norm = { .eps = 0, .dims = \"}\" }, .norm.momentum = 0" };
    const char *inner = tt_given_in(&in, "norm", to, sizeof to);
    CHECK(inner && !strcmp(inner, ".eps, .dims, .momentum, "), "%s", inner ? inner : "none");
    CHECK(!tt_given_in(&in, "stride", to, sizeof to) && !tt_given_in(NULL, "norm", to, sizeof to), "no struct");
}

/* ---- values: each option whose default is not zero ---- */

static tt_val params(void) { return tt_dict("w", tt_array(TT_F32, ((float[]){ 1, 2 }), 2)); }
static double first(tt_val p) { return tt_num(tt_take(tt_get(p, "w"), tt_i(0), 0)); }

/* One step by a gradient of g everywhere: where 1 has gone. */
static double stepped(tt_val opt, double g)
{
    tt_val p = params();
    tt_opt_step(&p, &opt, tt_add(tt_mul(p, tt_i(0)), tt_f(g)));
    const double at = first(p);
    CHECK(tt_ok(), "%s", tt_error());
    tt_clear();
    return at;
}

static void optimizers(void)
{
    const tt_val p = params();
    const double r = 0;
    CHECK(stepped(tt_adamw(p, .rate = 1, .decay = 0), 0) == 1, "no decay moves nothing");
    CHECK(stepped(tt_adamw(p, .rate = 1), 0) != 1, "the default decays");
    CHECK(stepped(tt_adamw(p, .rate = 1, .decay = 0, .keras = 1), 0) == 1, "nor does Keras's");
    CHECK(stepped(tt_lion(p, .rate = 1, .decay = 0), 0) == 1 && stepped(tt_lion(p, .rate = 1), 0) != 1, "lion's");
    CHECK(stepped(tt_adam(p, .rate = r), 1) == 1 && stepped(tt_adam(p), 1) != 1, "a rate of 0 stands still");
    CHECK(stepped(tt_sgd(p, .rate = 0), 1) == 1 && stepped(tt_sgd(p), 1) != 1, "sgd's");
    CHECK(stepped(tt_sgd(p, .rate = 0, .keras = 1), 1) == 1, "Keras's");
    CHECK(stepped(tt_lion(p, .rate = r), 1) == 1 && stepped(tt_lars(p, .rate = r), 1) == 1, "lion's, lars's");
    CHECK(stepped(tt_rmsprop(p, .rate = r), 1) == 1 && stepped(tt_adagrad(p, .rate = r), 1) == 1, "rmsprop's");
    CHECK(stepped(tt_adadelta(p, .rate = r), 1) == 1 && stepped(tt_lamb(p, .rate = r), 1) == 1, "adadelta's");
    tt_clear();
}

/* The chain that the options make, in its own words. */
static void chain(tt_val opt, const char *has)
{
    CHECK(tt_ok() && strstr(tt_tag(opt), has), "%s: %s", has, tt_ok() ? tt_tag(opt) : tt_error());
    tt_clear();
}

static void chains(void)
{
    const tt_val p = params();
    chain(tt_adam(p, .b1 = 0), "b1=0)");
    chain(tt_adam(p, .b2 = 0), "b2=0)");
    chain(tt_adam(p, .eps = 0), "eps=0)");
    chain(tt_adam(p, .b1 = 0, .keras = 1), "beta_1=0)");
    chain(tt_lion(p, .b1 = 0), "b1=0)");
    chain(tt_lion(p, .b2 = 0), "b2=0)");
    chain(tt_rmsprop(p, .rho = 0), "decay=0)");
    chain(tt_rmsprop(p, .eps = 0), "eps=0)");
    chain(tt_adagrad(p, .initial = 0), "initial_accumulator_value=0)");
    chain(tt_adagrad(p, .eps = 0), "eps=0)");
    chain(tt_adadelta(p, .rho = 0), "rho=0)");
    chain(tt_adadelta(p, .eps = 0), "eps=0)");
    chain(tt_lars(p, .trust = 0), "trust_coefficient=0)");
    chain(tt_lars(p, .momentum = 0), "trace(decay=0)");
    chain(tt_lamb(p, .eps = 0), "eps=0)");
    tt_sgd(p, .rate = 0, .schedule = "linear(1, 0, 10)");
    CHECK(!tt_ok() && strstr(tt_error(), "both .rate = 0 and .schedule"), "%s", tt_error());
    tt_clear();
}

static tt_val norm(tt_nn m, tt_val x) { return tt_batch_norm(m, "n", x, .momentum = 0, .eps = 0); }
static tt_val norm_layer(tt_nn m, tt_val x) { return tt_layer_norm(m, "n", x, .eps = 0); }
static tt_val block(tt_nn m, tt_val x) { return tt_res_block(m, "b", x, 2, .norm = { .momentum = 0 }); }
static tt_val block_dots(tt_nn m, tt_val x) { return tt_res_block(m, "b", x, 2, .norm.momentum = 0); }
static tt_val attend(tt_nn m, tt_val x) { return tt_attention_layer(m, "a", x, 1, .window = { 0, 0 }); }
static tt_val attend_all(tt_nn m, tt_val x) { return tt_attention_layer(m, "a", x, 1); }

static void layers(void)
{
    const tt_val x = tt_array(TT_F32, ((float[]){ 1, 3 }), 2, 1), vars = tt_init(norm, tt_key(0), x);
    const tt_val out = tt_apply_train(norm, vars, x, tt_key(1));
    CHECK(tt_num(tt_get(tt_item(out, 1), "n.mean")) == 2, "the running mean is the batch's: %s",
          tt_value_text(tt_get(tt_item(out, 1), "n.mean")));
    CHECK(tt_num(tt_amin(tt_item(out, 0))) == -1 &&
          tt_num(tt_amax(tt_item(out, 0))) == 1, "without epsilon 1 and -1: %s", tt_value_text(tt_item(out, 0)));
    const tt_val row = tt_reshape(x, 1, 2), y = tt_apply(norm_layer, tt_init(norm_layer, tt_key(0), row), row);
    CHECK(tt_num(tt_amax(y)) == 1, "layer norm: %s", tt_value_text(y));
    const tt_val image = tt_normal(tt_key(3), TT_F32, 2, 4, 4, 2), start = tt_init(block, tt_key(0), image);
    for (int i = 0; i < 2; i++) {
        tt_module *const f = i ? block_dots : block;
        const tt_val mean = tt_get(tt_item(tt_apply_train(f, start, image, tt_key(1)), 1), "b.bn1.mean");
        CHECK(tt_ok() && tt_num(tt_amax(tt_abs(mean))) > 0.02, "of a block's norm: %s", tt_value_text(mean));
    }
    const tt_val seq = tt_normal(tt_key(5), TT_F32, 1, 3, 2), av = tt_init(attend, tt_key(0), seq);
    const tt_val own = tt_apply(attend, av, seq), all = tt_apply(attend_all, av, seq);
    CHECK(tt_ok() && tt_num(tt_amax(tt_abs(tt_sub(own, all)))) > 1e-3, "a window of the position itself");
    tt_clear();
}

static tt_val turn(tt_val carry, tt_val x) { (void)x; return tt_tuple(tt_add(carry, tt_f(1)), tt_none()); }
static tt_val three(void) { return tt_f(3); }

static void arrays(void)
{
    const tt_val q = tt_normal(tt_key(0), TT_F32, 1, 3, 1, 2), v = tt_normal(tt_key(1), TT_F32, 1, 3, 1, 2);
    CHECK(tt_num(tt_amax(tt_abs(tt_sub(tt_attention(q, q, v, .window = { 0, 0 }), v)))) == 0, "a window of one key");
    const tt_val mean = tt_mean(v, .dims = "1", .keepdims = 1), flat = tt_attention(q, q, v, .scale = 0);
    CHECK(tt_num(tt_amax(tt_abs(tt_sub(flat, mean)))) < 1e-6, "a scale of 0: every key alike");
    const tt_val one = tt_full(1, TT_F32), near = tt_full(1.000001, TT_F32);
    CHECK(tt_num(tt_isclose(one, near)) == 1 && tt_num(tt_isclose(one, near, .rtol = 0)) == 0, "rtol");
    CHECK(tt_num(tt_isclose(tt_f(0), tt_full(1e-9, TT_F32))) == 1 &&
          tt_num(tt_isclose(tt_f(0), tt_full(1e-9, TT_F32), .atol = 0)) == 0, "atol");
    CHECK(tt_dim(tt_eye(TT_F32, 2, .columns = 0), 1) == 0 && tt_dim(tt_eye(TT_F32, 2), 1) == 2, "columns");
    const tt_variance_opts none = { .size = sizeof none, .given = ".scale" };
    const int64_t dims[] = { 2, 2, TT_DIM_END };
    CHECK(tt_num(tt_sum(tt_abs(tt_variance_scaling_at(0, tt_key(0), TT_F32, dims, &none)))) == 0, "scale");
    const int64_t wide[] = { 4, 9, TT_DIM_END }, kernel[] = { 4, 3, 2, 5, TT_DIM_END };
    const tt_val geo = tt_init_named_at(0, "variance_scaling(6, fan_geo_avg)", tt_key(1), TT_F32, wide);
    const tt_val plain = tt_init_named_at(0, "variance_scaling(4, fan_in)", tt_key(1), TT_F32, wide);
    CHECK(tt_num(tt_amax(tt_abs(tt_sub(geo, plain)))) == 0, "the root of 4 by 9 is 6: %s", tt_error());
    const tt_val delta = tt_init_named_at(0, "delta_orthogonal", tt_key(1), TT_F32, kernel);
    const tt_val middle = tt_reshape(tt_take(tt_take(delta, tt_i(1), 0), tt_i(1), 0), 2, 5);
    const double all = tt_num(tt_sum(tt_square(delta))), own = tt_num(tt_sum(tt_square(middle)));
    const double across = tt_num(tt_sum(tt_mul(tt_take(middle, tt_i(0), 0), tt_take(middle, tt_i(1), 0))));
    CHECK(all == own && own > 1.99999 && own < 2.00001 && across > -1e-6 && across < 1e-6, "%g of %g, %g: %s", own, all,
          across, tt_error());
    CHECK(tt_ok(), "%s", tt_error());
    CHECK(tt_num(tt_item(tt_scan(turn, tt_f(0), tt_none(), .length = 0), 0)) == 0, "no turn: %s", tt_error());
    tt_clear();
    tt_scan(turn, tt_f(0), tt_none());
    CHECK(!tt_ok() && strstr(tt_error(), "the number of iterations is not given"), "%s", tt_error());
    tt_clear();
    tt_scan(turn, tt_f(0), tt_zeros(TT_F32, 3), .length = 0);
    CHECK(!tt_ok() && strstr(tt_error(), "3 rows, not 0"), "%s", tt_error());
    tt_clear();
    CHECK(tt_dim(tt_call(tt_vmap(three, .length = 0)), 0) == 0 && tt_ok(), "%s", tt_error());
    tt_clear();
    tt_call(tt_vmap(tt_sin, .length = 4), tt_zeros(TT_F32, 3));
    CHECK(!tt_ok() && strstr(tt_error(), "3 elements, but .length is 4"), "%s", tt_error());
    tt_clear();
    const tt_val still = tt_leaf(tt_ones(TT_F32, 1), .frozen = 1);
    CHECK(tt_leaf_frozen(tt_leaf(still, .axes = "a")) && !tt_leaf_frozen(tt_leaf(still, .frozen = 0)), "frozen");
    tt_clear();
}

/* ---- what is refused, and what NULL is ---- */

static void refused(const char *message, const char *hint)
{
    CHECK(!tt_ok() && strstr(tt_error(), message), "expected: %s; found: %s", message, tt_ok() ? "" : tt_error());
    CHECK(!hint || (!tt_ok() && strstr(tt_error(), hint)), "expected: %s; found: %s", hint, tt_error());
    tt_clear();
}

#ifdef __clang__                                         /* it says so itself, of an enum constant */
#pragma clang diagnostic ignored "-Wnon-literal-null-conversion"
#endif
static void pointers(void)
{
    enum { ROWS = 0 };
    const char *none = NULL, *some = "0";
    const tt_val x = tt_ones(TT_F32, 3, 3), no_value = { 0 };
    const tt_mesh no_mesh = { NULL };
    tt_sum(x, .dims = 0);
    refused("sum: .dims = 0 is C's null pointer\n  at   tests/api/options/options.c", "hint: write .dims = \"0\"");
    tt_mean(x, .dims = ROWS);
    refused("mean: .dims = ROWS is C's null pointer", ".dims = ROWS ? ROWS : NULL where its default is meant");
    tt_amax(x, .keepdims = 1, .dims = none);
    refused("amax: .dims = none is C's null pointer", NULL);
    tt_argmax(x, .dims = (const char *)(intptr_t)1);
    refused("argmax: .dims is the number 1, not a text", "write .dims = \"1\"");
    tt_sum(x, 0);
    refused("sum: an option without its name", NULL);
    tt_jit(tt_sin, .donate = 0);
    refused("tt_jit: .donate = 0 is C's null pointer", NULL);
    tt_jit(tt_sin, .mesh = no_mesh);
    refused("tt_jit: .mesh = no_mesh is an empty tt_mesh", NULL);
    tt_grad(tt_sin, .wrt = 0);
    refused("tt_grad: .wrt = 0 is C's null pointer", NULL);
    tt_mesh("a:2", .order = 0);
    refused("tt_mesh: .order = 0 is C's null pointer", "leave .order out");
    tt_rope(tt_ones(TT_F32, 1, 1, 1, 2), .positions = no_value);
    refused("rope: .positions = no_value is an empty tt_val", NULL);
    CHECK(tt_rank(tt_sum(x, .dims = NULL)) == 0 && tt_rank(tt_sum(x, .dims = none ? none : NULL)) == 0, "NULL");
    CHECK(tt_rank(tt_sum(x, .dims = some ? some : NULL)) == 1, "a text or NULL");
    CHECK(tt_jit(tt_sin, .rules = none).slot && tt_ok(), "a variable that is NULL, of a text without numbers");
    CHECK(tt_jit(tt_sin, .mesh = (tt_mesh){ NULL }).slot || tt_ok(), "an empty mesh, spelled");
    CHECK(tt_rank(tt_sum_at("here", x, NULL)) == 0 && tt_rank(tt_mean_at("here", x, NULL)) == 0, "NULL for all");
    CHECK(tt_ok(), "%s", tt_error());
    tt_clear();
}

static tt_val dense_over(tt_nn m, tt_val x) { return tt_dense(m, "d", x, 4, .split = { 2, 0 }); }
static tt_val block_axis(tt_nn m, tt_val x) { return tt_res_block(m, "b", x, 2, .norm = { .axis = 0 }); }
static tt_val conv_stride(tt_nn m, tt_val x) { return tt_conv(m, "c", x, 2, .window = { 3, 3 }, .stride = { 2 }); }

static void numbers(void)
{
    const tt_val x = tt_ones(TT_F32, 1, 8, 8, 2), p = params();
    const int every = 0;
    tt_max_pool(x);
    refused("window_max: .window is missing", ".window = { 2, 2 }");
    tt_max_pool(x, .window = { 2, 0 });
    refused("window_max: .window = { 2, 0 }; expected 1 or more", NULL);
    tt_avg_pool(x, .window = { 2 });
    refused("avg_pool", NULL);
    tt_max_pool(x, .window = { 2, 2, 2 });
    refused("window_max: .window has 3 numbers for 2 spatial dims", NULL);
    tt_max_pool(x, .window = { 2, 2 }, .stride = { 2, -2 });
    refused("window_max: .stride[1] = -2; expected 1 or more", NULL);
    tt_convolve(x, tt_ones(TT_F32, 3, 3, 2, 2), .groups = 0);
    refused("tt_convolve: .groups = 0; expected 1 or more", "leave .groups out for its default");
    tt_convolve(x, tt_ones(TT_F32, 3, 3, 2, 2), .stride = { 2 });
    refused("convolve: .stride has 1 number for 2 spatial dims", NULL);
    tt_adam(p, .every = every);
    refused("adam: .every = every; expected 1 or more", NULL);
    tt_adam(p, .clip_norm = 0);
    refused("adam: .clip_norm = 0; expected a number above 0", "leave .clip_norm out");
    tt_dataset(p, .batch = 0);
    refused("dataset: .batch = 0; expected 1 or more", NULL);
    tt_init(dense_over, tt_key(0), tt_ones(TT_F32, 2, 2));
    refused("dense: .split = { 2, 0 }; expected 1 or more", NULL);
    tt_init(block_axis, tt_key(0), x);
    refused("res_block: .norm.axis = 0 is C's null pointer", NULL);
    tt_init(conv_stride, tt_key(0), x);
    refused("conv: .stride has 1 number for a window of 2", NULL);
}

/* ---- arguments that are NULL or empty ---- */

/* The result of a call that has failed is poison. */
static void failed(const char *what, tt_val v)
{
    CHECK(!tt_ok(), "%s: no error", what);
    tt_clear();
    CHECK(v.slot == tt_poison.slot, "%s: a value", what);
}

static void arguments(void)
{
    const tt_val x = tt_ones(TT_F32, 2), p = params(), empty = { 0 };
    const tt_nn nobody = { 0 };
    const char *no_text = NULL;
    float *nowhere = NULL;
    tt_dict("a", x, "b");
    refused("dict: \"b\" has no value\n  at   tests/api/options/options.c", "names and values alternate");
    tt_dict(no_text, x);
    refused("dict: name 0 is NULL\n  at   tests/api/options/options.c", NULL);
    tt_dict("a", x, no_text, x);
    refused("dict: name 1 is NULL", NULL);
    tt_dict("a", empty, "b", x);
    refused("no value: this tt_val is empty", NULL);
    CHECK(tt_items(tt_dict("a", x, "b", x)) == 2 && tt_ok(), "two items");
    tt_optimizer(p, no_text);
    refused("optimizer: the text is NULL\n  at   tests/api/options/options.c", NULL);
    tt_schedule(no_text, tt_i(0));
    refused("schedule: the text is NULL\n  at   tests/api/options/options.c", NULL);
    tt_read(x, nowhere, 2 * sizeof(float));
    refused("tt_read: the buffer for f32[2] is NULL\n  at   tests/api/options/options.c", NULL);
    tt_call_n("here: call", tt_fn_of1("f", tt_sin), 1, NULL);
    refused("tt_call_n: 1 values, and the list of values is NULL\n  at   here: call", NULL);
    tt_tuple_at("here: tuple", NULL);
    refused("tt_tuple: the list of values is NULL\n  at   here: tuple", NULL);
    tt_unpack_at("here: unpack", x, NULL);
    refused("tt_unpack: the list of variables is NULL\n  at   here: unpack", NULL);
    tt_einsum_at("here: einsum", NULL, NULL);
    refused("einsum: its text is NULL\n  at   here: einsum", NULL);
    tt_dense(nobody, "d", x, 2);
    refused("a layer of an empty tt_nn\n  at   tests/api/options/options.c", NULL);
    CHECK(!tt_training(nobody) && !tt_ok(), "no module trains");
    tt_clear();
    const tt_val h = tt_ones(TT_F32, 2, 2), steps = tt_ones(TT_F32, 3, 2, 2);
    failed("embed", tt_embed(nobody, "e", tt_zeros(TT_I32, 2), 3, 2));
    failed("gru_cell", tt_gru_cell(nobody, "c", h, h));
    failed("lstm_cell", tt_lstm_cell(nobody, "c", tt_tuple(h, h), h));
    failed("simple_cell", tt_simple_cell(nobody, "c", h, h));
    failed("mgu_cell", tt_mgu_cell(nobody, "c", h, h));
    failed("rnn", tt_rnn(nobody, "r", tt_gru_cell, h, steps));
    failed("instance_norm", tt_instance_norm(nobody, "n", steps));
    failed("called", tt_called(nobody, "ReLU", h));
    CHECK(!tt_config_value("plam") && strstr(tt_error(), "TUTTI has no word \"plam\"") &&
          strstr(tt_error(), "did you mean \"plan\"?"), "%s", tt_error());
    tt_clear();
    CHECK(!tt_config_value(NULL) && tt_ok() && !*tt_names_with(NULL, 0, "a") && !tt_ok(), "no word, no names");
    tt_clear();
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    CHECK_RUN(texts());
    CHECK_RUN(handed());
    CHECK_RUN(optimizers());
    CHECK_RUN(chains());
    CHECK_RUN(layers());
    CHECK_RUN(arrays());
    CHECK_RUN(pointers());
    CHECK_RUN(numbers());
    CHECK_RUN(arguments());
    return check_done();
}
