/* names.c - conventions of names and keys: Keras's names, defaults and seeds; layers that are used twice; logical
 * axes and their rules; the tables and texts that are made of them. Numbers are the goldens' part. */
#include "check.h"

#include <string.h>
#include <tutti.h>

static void quiet(const tt_error_info *e, void *env) { (void)e; (void)env; }
static bool is(const char *got, const char *want)
{
    CHECK(got && !strcmp(got, want), "got\n%s\nexpected\n%s", got ? got : "(none)", want);
    return true;
}
static void refused(const char *what, const char *text)
{
    CHECK(!tt_ok() && strstr(tt_error(), text), "%s: %s", what, tt_ok() ? "was accepted" : tt_error());
    tt_clear();
}

static tt_val keras(tt_nn m, tt_val x)
{
    x = tt_called(m, "Rescaling", tt_mul(x, tt_f(0.5)));
    for (int i = 0; i < 2; i++)
        x = tt_called(m, "ReLU", tt_batch_norm(m, NULL, tt_conv(m, NULL, x, 4, .window = { 3, 3 }, .no_bias = 1)));
    x = tt_dropout(m, tt_flatten(x, 1), 0.5, .seed = tt_seed(7));
    return tt_dense(m, NULL, x, 2);
}

static tt_val small(tt_nn m, tt_val x)
{
    x = tt_called(m, "ReLU", tt_batch_norm(m, NULL, x));
    x = tt_conv(m, "large_k", x, 300, .window = { 3, 3 });
    return tt_dropout(m, tt_flatten(x, 1), 0.5, .seed = tt_seed(7));
}

static void keras_names(void)
{
    const char *want[] = { "conv2d.kernel", "batch_normalization.gamma", "batch_normalization.beta",
                           "batch_normalization.moving_mean", "batch_normalization.moving_variance", "conv2d_1.kernel",
                           "batch_normalization_1.gamma", "batch_normalization_1.beta",
                           "batch_normalization_1.moving_mean", "batch_normalization_1.moving_variance", "dropout.seed",
                           "dense.kernel", "dense.bias" };
    tt_variable v[20];
    const int n = tt_variables(keras, tt_shape(TT_F32, 1, 4, 4, 1), 20, v, .keys = "keras");
    CHECK(n == 13, "%d variables", n);
    for (int i = 0; i < n && i < 13; i++) {
        is(v[i].path, want[i]);
        CHECK(v[i].trainable == !(strstr(want[i], "moving") || strstr(want[i], "seed")), "%s learns", want[i]);
    }
    CHECK(tt_dim(v[0].like, 3) == 4 && tt_dim(v[11].like, 0) == 64, "types");
    is(tt_layers(small, tt_shape(TT_F32, 1, 4, 4, 1), .keys = "keras", .name = "net"),
       "Model: \"net\"\n"
       "┏━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━┓\n"
       "┃ Layer (type)                             ┃ Output Shape           ┃       Param # ┃\n"
       "┡━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━┩\n"
       "│ input_layer (InputLayer)                 │ (None, 4, 4, 1)        │             0 │\n"
       "├──────────────────────────────────────────┼────────────────────────┼───────────────┤\n"
       "│ batch_normalization (BatchNormalization) │ (None, 4, 4, 1)        │             4 │\n"
       "├──────────────────────────────────────────┼────────────────────────┼───────────────┤\n"
       "│ re_lu (ReLU)                             │ (None, 4, 4, 1)        │             0 │\n"
       "├──────────────────────────────────────────┼────────────────────────┼───────────────┤\n"
       "│ large_k (Conv2D)                         │ (None, 4, 4, 300)      │         3,000 │\n"
       "├──────────────────────────────────────────┼────────────────────────┼───────────────┤\n"
       "│ dropout (Dropout)                        │ (None, 4800)           │             0 │\n"
       "└──────────────────────────────────────────┴────────────────────────┴───────────────┘\n"
       " Total params: 3,004 (11.73 KB)\n Trainable params: 3,002 (11.73 KB)\n Non-trainable params: 2 (8.00 B)\n");
}

static tt_val keras_loss(tt_val vars, tt_val x)
{
    const tt_val out = tt_apply_train(keras, vars, x, tt_none());
    return tt_tuple(tt_mean(tt_item(out, 0)), tt_item(out, 1));
}

/* The state of the dropout is among the variables: it has no gradient, no moments, and moves on by (0, 1). */
static void keras_seed(void)
{
    uint32_t seed[2];
    const tt_val x = tt_ones(TT_F32, 2, 4, 4, 1);
    tt_val vars = tt_init(keras, tt_seed(3), x, .keys = "keras"), l, next, g;
    tt_unpack(tt_call(tt_jit(tt_value_and_grad(keras_loss, .aux = 1)), vars, x), &l, &next, &g);
    tt_val opt = tt_adam(vars, .keras = 1);
    CHECK(tt_count(tt_get(g, "dropout.seed")) == 0, "a gradient of %s", tt_type_text(tt_get(g, "dropout.seed")));
    CHECK(tt_count(tt_get(g, "conv2d.kernel")) == 36, "%s", tt_type_text(tt_get(g, "conv2d.kernel")));
    tt_opt_step(&next, &opt, g);
    CHECK(tt_read(tt_get(next, "dropout.seed"), seed, sizeof seed), "%s", tt_error());
    CHECK(seed[0] == 7 && seed[1] == 1, "the seed is (%u, %u)", seed[0], seed[1]);
    is(tt_tag(next), "keras");
    tt_call(tt_grad(keras_loss, .wrt = "0, 1", .aux = 1), vars, tt_zeros(TT_I32, 2, 4, 4, 1));
    refused("a gradient by integers", "has no derivative");
}

static tt_val twice(tt_nn m, tt_val x)
{
    x = tt_dense(m, "a", x, 3);
    tt_alias(m, "b", "a");
    return tt_dense(m, "b", x, 3);
}
static tt_val clash(tt_nn m, tt_val x) { return tt_dense(m, "a", tt_dense(m, "a", x, 3), 3); }
static tt_val early(tt_nn m, tt_val x) { return tt_alias(m, "b", "a"), tt_dense(m, "b", x, 3); }

static void aliases(void)
{
    const tt_val x = tt_ones(TT_F32, 2, 3), vars = tt_init(twice, tt_key(0), x), k = tt_get(vars, "a.kernel");
    CHECK(tt_tree_leaves(vars, 0, NULL) == 2, "%d variables", tt_tree_leaves(vars, 0, NULL));
    const tt_val far = tt_amax(tt_abs(tt_sub(tt_apply(twice, vars, x), tt_matmul(tt_matmul(x, k), k))));
    CHECK(tt_num(far) < 1e-6, "differs by %g", tt_num(far));
    tt_init(clash, tt_key(0), x);
    refused("one name for two layers", "two variables are named");
    tt_init(early, tt_key(0), x);
    refused("an alias of nothing", "there is no layer \"a\"");
}

static tt_val block(tt_nn m, tt_val x)
{
    return tt_dense(m, "d", x, 4, .axes = "embed, hidden", .no_bias = 1);
}
static tt_val layers(tt_nn m, tt_val x) { return tt_stack(m, "s", block, 3, x, .layer = "layer"); }
TT_RECORD(train_state, step, params, opt_state);
static tt_val begun(tt_val key, tt_val x)
{
    const tt_val p = tt_init(layers, key, x);
    return train_state_val((train_state){ tt_zeros(TT_I32), p, tt_adam(p) });
}

/* What is longer than usual counts as a whole, or is refused. */
static void any_number(void)
{
    char rules[1200] = "", names[1200] = "";
    for (int i = 0; i < 80; i++) sprintf(rules + strlen(rules), "n%d:x, ", i);
    strcat(rules, "last:y");
    is(tt_logical_spec("last", rules), "y");
    is(tt_logical_spec("b, a", "a:m0+m1+m2+m3+m4+m5+m6+m7+m8+m9+m10+m11+m12, b:m12"),
       "_, m0+m1+m2+m3+m4+m5+m6+m7+m8+m9+m10+m11+m12");
    for (int i = 0; i < 12; i++) sprintf(names + strlen(names), "%sn%d", i ? ", " : "", i);
    is(tt_names_with(names, 0, "a"), "a, n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10, n11");
    strcat(names, ", n12");
    tt_logical_spec(names, "a:x");
    refused("names of 13 dims", "more than the limit of 12 dims");
    tt_names_with(names, 0, "a");
    refused("one more than 13 names", "more than the limit of 12 dims");
    tt_names_without(names, 0);
    refused("one fewer than 13 names", "more than the limit of 12 dims");
    tt_names_with("a", 13, "b");
    refused("a name at 13", "dim 13; expected 0 to 12");
    memset(names, 'n', sizeof names - 1);
    tt_logical_spec(names, "a:x");
    CHECK(tt_ok(), "a long name that has no rule");
    tt_names_with(names, 1, "a");
    refused("a long name", "more than 1023 characters");
    CHECK(tt_logical_spec(NULL, "a:x") && !tt_ok(), "an empty text where there is an error, and no NULL");
    tt_clear();
}

static char long_name[700];
static tt_val long_param(tt_nn m, tt_val x)
{
    return tt_add(x, tt_param(m, long_name, ((int64_t[]){ 4, TT_DIM_END }), .dtype = TT_F32));
}
static tt_val long_alias(tt_nn m, tt_val x)
{
    x = tt_dense(m, long_name, x, 4);
    tt_alias(m, "other", long_name);
    return tt_dense(m, "other", x, 4);
}
static tt_val long_stream(tt_nn m, tt_val x) { return tt_add(x, tt_uniform(tt_stream_key(m, long_name), TT_F32, 4)); }

/* Names that do not fit are errors; cut, two of them would be one. */
static void long_names(void)
{
    const tt_val x = tt_ones(TT_F32, 2, 4);
    memset(long_name, 'n', 100);
    CHECK(tt_has(tt_init(long_param, tt_key(0), x), long_name), "a parameter of 100 letters: %s", tt_error());
    tt_init(long_alias, tt_key(0), x);
    refused("an alias of 100 letters", "a name has more than the limit of 63 characters");
    tt_init(long_stream, tt_key(0), x);
    refused("a stream of 100 letters", "is longer than 63 characters");
    memset(long_name, 'n', sizeof long_name - 1);
    tt_init(long_param, tt_key(0), x);
    refused("a parameter of 699 letters", "longer than 575 characters");
    const tt_val row = tt_ones(TT_F32, 3);
    CHECK(!strcmp(tt_curve_at(0, row, &(tt_curve_opts){ .size = 1 }), "") && !tt_ok(), "a curve, by options of 1 byte");
    tt_clear();
    CHECK(!strcmp(tt_state_text_at(0, row, &(tt_state_opts){ .size = 1 }), "") && !tt_ok(), "a state likewise");
    tt_clear();
    CHECK(!strcmp(tt_layers_at(0, long_param, row, &(tt_layers_opts){ .size = 1 }), "") && !tt_ok(), "layers likewise");
    tt_clear();
}

static void logical(void)
{
    is(tt_logical_spec("layer, embed, hidden", "batch:data, hidden:model"), "_, _, model");
    is(tt_logical_spec("embed, hidden", "embed:model, hidden:model"), "model, _");
    is(tt_logical_spec("embed, hidden", "embed:model, hidden:model", .lookup = 1), "model, model");
    is(tt_logical_spec("a, _, b", "b:x+y, a:y, a:z"), "z, _, x+y");
    is(tt_logical_spec("", "a:b"), "");
    tt_logical_spec("a, b, a", "a:x");
    refused("twins", "is the name of two dims");
    tt_logical_spec("a", "a");
    refused("a rule without a colon", "has no ':'");
    any_number();
    long_names();
    const tt_val s = tt_eval_shape(begun, tt_shape(TT_U32, 2), tt_shape(TT_F32, 2, 4)), p = tt_get(s, "params");
    is(tt_state_text(p), "FrozenDict({\n    s: {\n        d: {\n            kernel: PartitionSpec('layer', 'embed', "
                         "'hidden'),\n        },\n    },\n})");
    is(tt_state_text(tt_get(p, "s"), .rules = "hidden:x, layer:y+z"),
       "FrozenDict({\n    d: {\n        kernel: PartitionSpec(('y', 'z'), None, 'x'),\n    },\n})");
    is(tt_state_text(tt_get(p, "s.d"), .form = "logical"),
       "FrozenDict({\n    kernel: LogicallyPartitioned(value=(3, 4, 4), names=('layer', 'embed', 'hidden'), mesh=None, "
       "rules=None),\n})");
    is(tt_state_text(tt_tuple(tt_get(s, "step"), tt_get(p, "s.d")), .form = "box"),
       "((), FrozenDict({\n    kernel: Partitioned(value=(3, 4, 4), names=('layer', 'embed', 'hidden'), "
       "mesh=None),\n}))");
    const char *all = tt_state_text(s);
    CHECK(!strncmp(all, "train_state(step=PartitionSpec(), params=FrozenDict({\n", 54), "%s", all);
    CHECK(strstr(all, "opt_state=(ScaleByAdamState(count=PartitionSpec(), mu=FrozenDict({\n"), "%s", all);
    CHECK(strstr(all, "})), EmptyState()))"), "%s", all);
    tt_state_text(p, .form = "none");
    refused("a form", "form \"none\"");
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    tt_on_error(quiet, NULL);
    CHECK_RUN(keras_names());
    CHECK_RUN(keras_seed());
    CHECK_RUN(aliases());
    CHECK_RUN(logical());
    CHECK(tt_ok(), "%s", tt_error());
    tt_done();
    return check_done();
}
