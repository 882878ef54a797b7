/* oracle/seeds_shardmap.c - the data-parallel and fully sharded classifier: kinds `init_dp`, `dp_train`, `dp_grads`,
 * `dp_stages`, `dp_dropout_mask`, `fsdp_specs`, `accumulate`. The case is read from where the kind left it while its
 * functions are traced. Roles, not places, say which array is which. */
#include "kinds.h"

#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const json_t *now;                                /* params of the case that runs */

static int64_t number(const char *key, int64_t usual) { return oracle_int(now, key, usual); }
static bool says(const char *key, const char *word) { return !strcmp(oracle_text(now, key, ""), word); }

/* ---- roles ---- */

static int role_of(const char *list, const char *role)   /* -1: none */
{
    const json_t *all = json_object_get(now, list);
    for (size_t i = 0; i < json_array_size(all); i++)
        if (!strcmp(json_string_value(json_array_get(all, i)), role)) return (int)i;
    return -1;
}

static tt_val input(oracle_case *c, const char *role)
{
    const int i = role_of("args", role);
    if (i >= 0) return oracle_in(c, i);
    oracle_fail(c, "no input has the role %s", role);
    return tt_f(0);
}

/* Elements 0, stride, 2 stride, ... of what has more than 4096. */
static tt_val sampled(tt_val v)
{
    const int64_t stride = number("stride", 1), n = tt_count(v);
    return stride > 1 && n > 4096 ? tt_slice(tt_reshape(v, n), 0, 0, n, stride) : v;
}

static void expect(oracle_case *c, const char *role, tt_val got)         /* if the case asks for it */
{
    const int i = role_of("outs", role);
    if (i >= 0 && tt_ok()) oracle_expect(c, i, sampled(got));
}

static const char *const leaves[] = { "input_dense.bias", "input_dense.kernel", "output_dense.bias",
                                      "output_dense.kernel" };

static void expect_leaves(oracle_case *c, const char *before, tt_val tree)
{
    char role[80];
    for (int i = 0; i < 4; i++) {
        snprintf(role, sizeof role, "%s%s", before, leaves[i]);
        expect(c, role, tt_get_at(0, tree, leaves[i]));
    }
}

static tt_val params_in(oracle_case *c)
{
    tt_val p = tt_dict_n(0, 0, NULL, NULL);
    for (int i = 0; i < 4; i++) p = tt_set_at(0, p, leaves[i], input(c, leaves[i]));
    return p;
}

static tt_val batch_in(oracle_case *c) { return tt_dict("inputs", input(c, "inputs"), "labels", input(c, "labels")); }

/* ---- the model ---- */

static tt_dtype computed(void) { return says("dtype", "bf16") ? TT_BF16 : TT_F32; }

static tt_val classifier(tt_nn m, tt_val x)
{
    x = tt_silu(tt_dense(m, "input_dense", x, number("hidden", 1), .dtype = computed()));
    x = tt_dropout(m, x, oracle_real(now, "dropout", 0));
    return tt_cast(tt_dense(m, "output_dense", x, number("classes", 1), .dtype = computed()), TT_F32);
}

static tt_val shard(tt_val p) { return tt_shard_params(p, "data", number("min_weight_size", 0)); }
static tt_val gather(tt_val p) { return tt_gather_params(p, "data"); }
static tt_val model(tt_nn m, tt_val x)
{
    return says("mode", "fsdp") ? tt_with_params(m, gather, shard, classifier, x) : classifier(m, x);
}

static tt_val loss(tt_val params, tt_val batch, tt_val key)
{
    const tt_val labels = tt_get(batch, "labels"), own = tt_fold_in_axis(key, "data");
    const tt_val logits = tt_item(tt_apply_train(model, params, tt_get(batch, "inputs"), own), 0);
    const tt_val each = tt_xent(logits, labels), n = tt_i(tt_dim(labels, 0));
    const tt_val hit = tt_sum(tt_cast(tt_eq(tt_argmax(logits, .dims = "1"), labels), TT_I32));
    const tt_val metrics = tt_dict("loss", tt_tuple(tt_sum(each), n), "accuracy", tt_tuple(hit, n));
    return tt_tuple(tt_mean(each), metrics);
}

/* ---- a step ---- */

TT_RECORD(state, params, opt, rng, step);

static tt_val create(tt_val params, tt_val rng)
{
    const tt_val opt = tt_adamw(params, .rate = oracle_real(now, "lr", 1e-3), .b1 = oracle_real(now, "b1", 0.9),
                                .b2 = oracle_real(now, "b2", 0.999), .eps = oracle_real(now, "eps", 1e-8),
                                .decay = oracle_real(now, "weight_decay", 1e-4));
    return state_val((state){ params, opt, rng, tt_zeros(TT_I32) });
}

static tt_val init(tt_val key, tt_val x)
{
    const tt_val two = tt_split(key, 2);
    return create(tt_init(model, tt_take(two, tt_i(0), 0), x), tt_take(two, tt_i(1), 0));
}

/* A state of parameters that are there: in FSDP every device keeps its slices. */
static tt_val given(tt_val params, tt_val rng)
{
    return create(says("mode", "fsdp") ? shard(params) : params, rng);
}

static tt_val gradients(state st, tt_val batch, tt_val key)      /* (own gradient, metrics) */
{
    return tt_accumulate(loss, number("minibatches", 1), st.params, batch, key, .scan = says("accumulate", "scan"));
}

static tt_val train(tt_val s, tt_val batch)
{
    state st = state_of(s);
    const tt_val two = tt_split(st.rng, 2), out = gradients(st, batch, tt_take(two, tt_i(1), 0));
    tt_opt_step(&st.params, &st.opt, tt_sync_grads(tt_item(out, 0), "data"));
    st.rng = tt_take(two, tt_i(0), 0);
    st.step = tt_add(st.step, tt_i(1));
    return tt_tuple(state_val(st), tt_psum(tt_item(out, 1), "data"));
}

static tt_val rowed(tt_val leaf) { return tt_expand_dims(leaf, 0); }

static tt_val first_grads(tt_val s, tt_val batch)        /* (averaged, own, own metrics) */
{
    const state st = state_of(s);
    const tt_val out = gradients(st, batch, tt_take(tt_split(st.rng, 2), tt_i(1), 0)), own = tt_item(out, 0);
    const tt_val hits = tt_get(tt_item(out, 1), "accuracy.0"), sum = tt_get(tt_item(out, 1), "loss.0");
    return tt_tuple(tt_sync_grads(own, "data"), tt_tree_map(rowed, own), tt_expand_dims(sum, 0),
        tt_expand_dims(hits, 0));
}

static tt_mesh line(void)
{
    char text[32];
    snprintf(text, sizeof text, "data:%lld", (long long)number("devices", 1));
    return tt_mesh(text);
}

#define REGION(f, ins, outs) tt_jit(tt_shard_map(f, .mesh = line(), .in = ins, .out = outs, .unchecked = 1))

static void begin(oracle_case *c)
{
    now = c->params;
    trace_jit_forget();                                  /* functions read the case while they are traced */
    tt_set_random_layout(oracle_text(now, "threefry", NULL));
}

void oracle_init_dp(oracle_case *c)
{
    begin(c);
    const tt_val three = tt_split(tt_key(number("seed", 0)), 3), key = input(c, "key");
    const tt_val x = tt_normal(tt_take(three, tt_i(1), 0), TT_F32, number("batch", 1), number("input", 1));
    const tt_val classes = tt_i(number("classes", 1));
    const tt_val y = tt_randint(tt_take(three, tt_i(2), 0), TT_I32, tt_i(0), classes, number("batch", 1));
    const state st = state_of(tt_call(REGION(init, "_; data", "@"), key, x));
    expect(c, "init_key", tt_take(tt_split(key, 2), tt_i(0), 0));
    expect(c, "rng", st.rng);
    expect(c, "inputs", x);
    expect(c, "labels", y);
    expect_leaves(c, "", st.params);
    tt_set_random_layout(NULL);
}

static bool recorded(int64_t step)
{
    const json_t *all = json_object_get(now, "record");
    for (size_t i = 0; i < json_array_size(all); i++)
        if (json_integer_value(json_array_get(all, i)) == step) return true;
    return false;
}

static void expect_state(oracle_case *c, int64_t step, tt_val s)
{
    static const struct { const char *role, *path; } part[] = {
        { "", "params" }, { "mu.", "opt.mu" }, { "nu.", "opt.nu" },
    };
    char role[64];
    for (int i = 0; i < 3; i++) {
        snprintf(role, sizeof role, "step%lld.%s", (long long)step, part[i].role);
        expect_leaves(c, role, tt_get_at(0, s, part[i].path));
    }
    snprintf(role, sizeof role, "step%lld.rng", (long long)step);
    expect(c, role, state_of(s).rng);
}

void oracle_dp_train(oracle_case *c)
{
    begin(c);
    const int64_t steps = number("steps", 1);
    float *losses = calloc((size_t)steps, sizeof *losses);
    int32_t *correct = calloc((size_t)steps, sizeof *correct);
    const tt_val batch = batch_in(c);
    const tt_fn make = REGION(given, "_; _", "@");
    const tt_fn step = tt_jit(tt_shard_map(train, .mesh = line(), .in = "@; data", .out = "@; _", .unchecked = 1),
                              .donate = "0");
    tt_val s = tt_call(make, params_in(c), input(c, "rng"));
    double mean = 0;
    for (tt_loop it = tt_steps(steps); tt_next(&it);) {
        const tt_val out = tt_call(step, s, batch);
        tt_assign(&s, tt_item(out, 0));
        losses[it.i] = (float)tt_num(tt_get(tt_item(out, 1), "loss.0"));
        correct[it.i] = (int32_t)tt_num(tt_get(tt_item(out, 1), "accuracy.0"));
        if (it.i < 15) mean += (double)losses[it.i] / (15.0 * (double)number("batch", 1));
        if (recorded(it.i + 1)) expect_state(c, it.i + 1, s);
        if (tt_num(tt_get(tt_item(out, 1), "loss.1")) != (double)number("count", number("batch", 1)))
            oracle_fail(c, "the loss is a sum over another number of rows");
    }
    const double want = oracle_real(now, "mean15", mean);
    const double off = oracle_real(json_object_get(c->json, "tol"), "rtol", 0) * want;
    if (steps >= 15 && (mean - want > off || want - mean > off))
        oracle_fail(c, "the mean loss of 15 steps is %.9g, expected %.9g", mean, want);
    expect(c, "loss", tt_array(TT_F32, losses, steps));
    const int hits = role_of("outs", "correct");
    if (hits >= 0 && tt_ok())
        oracle_expect_counts(c, hits, tt_array(TT_I32, correct, steps), number("correct_slack", 0));
    free(losses);
    free(correct);
    tt_set_random_layout(NULL);
}

void oracle_dp_grads(oracle_case *c)
{
    begin(c);
    const tt_val s = tt_call(REGION(given, "_; _", "@"), params_in(c), input(c, "rng")), batch = batch_in(c);
    const bool own = role_of("outs", "own.loss") >= 0;
    const tt_val out = tt_call(REGION(first_grads, "@; data", "@; data; data; data"), s, batch);
    expect_leaves(c, "", tt_item(out, 0));
    if (own) {
        expect_leaves(c, "own.", tt_item(out, 1));
        expect(c, "own.loss", tt_item(out, 2));
        expect(c, "own.correct", tt_item(out, 3));
    }
    tt_set_random_layout(NULL);
}

void oracle_accumulate(oracle_case *c)
{
    begin(c);
    const tt_val s = tt_call(REGION(given, "_; _", "@"), params_in(c), input(c, "rng"));
    const tt_val out = tt_call(REGION(first_grads, "@; data", "@; data; data; data"), s, batch_in(c));
    expect_leaves(c, "", tt_item(out, 0));
    expect(c, "loss", tt_sum(tt_item(out, 2)));
    expect(c, "correct", tt_sum(tt_item(out, 3)));
    tt_set_random_layout(NULL);
}

/* ---- stage by stage, one device ---- */

static tt_val dropped(tt_nn m, tt_val x) { return tt_dropout(m, x, oracle_real(now, "dropout", 0)); }
static tt_val dense_in(tt_nn m, tt_val x) { return tt_dense(m, ".", x, number("hidden", 1), .dtype = computed()); }
static tt_val dense_out(tt_nn m, tt_val x) { return tt_dense(m, ".", x, number("classes", 1), .dtype = computed()); }

/* (mean loss, stages): to each stage a probe of zeros is added, whose gradient is the cotangent there. */
static tt_val stages(tt_val params, tt_val probe, tt_val batch, tt_val key)
{
    const tt_val x = tt_get(batch, "inputs"), none = tt_dict_n(0, 0, NULL, NULL);
    const tt_val pre = tt_add(tt_apply(dense_in, tt_get(params, "input_dense"), x), tt_get(probe, "pre"));
    const tt_val act = tt_add(tt_silu(pre), tt_get(probe, "act"));
    const tt_val kept = tt_add(tt_item(tt_apply_train(dropped, none, act, key), 0), tt_get(probe, "dropped"));
    const tt_val logits = tt_add(tt_apply(dense_out, tt_get(params, "output_dense"), kept), tt_get(probe, "logits"));
    const tt_val row = tt_xent(tt_cast(logits, TT_F32), tt_get(batch, "labels")), mean = tt_mean(row);
    return tt_tuple(mean, tt_dict("pre", pre, "act", act, "dropped", kept, "logits", logits, "row_loss", row, "loss",
                                  mean));
}

static tt_val probed(tt_val params, tt_val probe, tt_val batch, tt_val key)
{
    return tt_call(tt_value_and_grad(stages, .wrt = "0, 1", .aux = 1), params, probe, batch, key);
}

void oracle_dp_stages(oracle_case *c)
{
    static const char *const names[] = { "pre", "act", "dropped", "logits", "row_loss", "loss" };
    char role[64];
    begin(c);
    const int64_t rows = number("rows", 1), hidden = number("hidden", 1), classes = number("classes", 1);
    const tt_dtype d = computed();
    const tt_val batch = tt_dict("inputs", tt_slice(input(c, "inputs"), 0, 0, rows, 1), "labels",
                                 tt_slice(input(c, "labels"), 0, 0, rows, 1));
    const tt_val wide = tt_zeros(d, rows, hidden), probe = tt_dict("pre", wide, "act", wide, "dropped", wide, "logits",
                                                                  tt_zeros(d, rows, classes));
    const tt_val out = tt_call(tt_jit(probed), params_in(c), probe, batch, input(c, "dropout_key"));
    const tt_val grads = tt_item(out, 2);
    for (int i = 0; i < 6; i++) expect(c, names[i], tt_get_at(0, tt_item(out, 1), names[i]));
    for (int i = 0; i < 4; i++) {
        snprintf(role, sizeof role, "d_%s", names[i]);
        expect(c, role, tt_get_at(0, tt_item(grads, 1), names[i]));
    }
    expect_leaves(c, "d_", tt_item(grads, 0));
    tt_set_random_layout(NULL);
}

/* ---- keys and masks ---- */

static tt_val tap(tt_nn m, tt_val x) { return (void)x, tt_stream_key(m, "dropout"); }
static tt_val drawn(tt_nn m, tt_val x) { return tt_sub_module(m, "Dropout_0", tap, x); }

static tt_val layer_key(tt_val key)                      /* what Dropout_0 draws below the root */
{
    return tt_item(tt_apply_train(drawn, tt_dict_n(0, 0, NULL, NULL), tt_f(0), key), 0);
}

static tt_val mask_of(tt_val key)
{
    const tt_val ones = tt_ones(TT_F32, number("rows", 1), number("hidden", 1));
    return tt_ne(tt_item(tt_apply_train(dropped, tt_dict_n(0, 0, NULL, NULL), ones, key), 0), tt_f(0));
}

static tt_val own_key(tt_val key) { return tt_fold_in_axis(key, "data"); }

static tt_val own_masks(tt_val keys)                     /* of this device: a row [m, 1, ...] of each */
{
    const tt_val own = tt_call(tt_vmap(own_key), keys);
    return tt_tuple(tt_expand_dims(own, 1), tt_expand_dims(tt_call(tt_vmap(layer_key), own), 1),
                    tt_expand_dims(tt_call(tt_vmap(mask_of), own), 1));
}

void oracle_dp_dropout_mask(oracle_case *c)
{
    begin(c);
    const tt_val two = tt_split(input(c, "rng"), 2), next = tt_take(two, tt_i(0), 0), step = tt_take(two, tt_i(1), 0);
    const tt_val keys = tt_split(step, number("minibatches", 1));
    const tt_val out = tt_call(REGION(own_masks, "_", "_, data"), keys);
    expect(c, "next_rng", next);
    expect(c, "step_rng", step);
    expect(c, "minibatch_keys", keys);
    expect(c, "device_keys", tt_item(out, 0));
    expect(c, "layer_keys", tt_item(out, 1));
    expect(c, "mask", tt_item(out, 2));
    tt_set_random_layout(NULL);
}

/* ---- layouts of a state ---- */

static int by_text(const void *a, const void *b) { return strcmp(a, b); }

void oracle_fsdp_specs(oracle_case *c)
{
    enum { LINES = 64, LINE = 160 };
    static char line_of[LINES][LINE], text[LINES * (LINE + 1) + 1];
    int n = 0;
    size_t used = 0;
    *text = 0;
    begin(c);
    const tt_val key = tt_shape(TT_U32, 2), x = tt_shape(TT_F32, number("batch", 1), number("input", 1));
    const tt_val s = tt_eval_shape(REGION(init, "_; data", "@"), key, x);
    for (int i = 0; i < tt_tree_leaves(s, 0, NULL) && n < LINES && tt_ok(); i++) {
        const char *path = tt_leaf_path(s, i), *spec = tt_spec(tt_get_at(0, s, path));
        if (!strcmp(path, "opt.rate")) continue;         /* Tutti's own leaf */
        size_t at = (size_t)snprintf(line_of[n], LINE, "%s ", path);
        for (char *p = line_of[n]; *p; p++) if (*p == '.') *p = '/';
        for (const char *p = spec ? spec : ""; *p && at + 1 < LINE; p++)
            if (*p != ' ') line_of[n][at++] = *p == '_' ? '-' : *p;
        line_of[n][at] = 0;
        n++;
    }
    qsort(line_of, (size_t)n, LINE, by_text);
    for (int i = 0; i < n; i++) used += (size_t)sprintf(text + used, "%s\n", line_of[i]);
    if (tt_ok()) oracle_expect_text(c, text);
    tt_set_random_layout(NULL);
}
