/* oracle/layers/layer_keras_rnn.c - Keras's recurrent layers: x [batch, time, features]. Its fused kernels are cut into
 * gates. */
#include "layer_keras.h"

#include <stdio.h>

static bool no_bias(void) { return json_is_false(json_object_get(keras_options(), "use_bias")); }
static tt_val columns(tt_val v, int64_t i, int64_t n) { return tt_slice(v, -1, i * n, (i + 1) * n, 1); }

typedef struct { const char *cell, *in[4], *state[4]; int gates; } fused;
static const fused gru_gates = { "gru_cell", { "iz", "ir", "in" }, { "hz", "hr", "hn" }, 3 },
                   lstm_gates = { "lstm_cell", { "ii", "if", "ig", "io" }, { "hi", "hf", "hg", "ho" }, 4 },
                   simple_gates = { "simple_rnn_cell", { "i" }, { "h" }, 1 };

static tt_val with(tt_val vars, const char *module, const char *leaf, tt_val v)
{
    char at[64];
    snprintf(at, sizeof at, "%s.%s", module, leaf);
    return tt_set_at(0, vars, at, v);
}

static tt_val weights_of(const fused *g, const char *what)
{
    char role[64];
    snprintf(role, sizeof role, "%s.%s", g->cell, what);
    return layer_arg(role);
}

/* The gates' kernels and biases. Two rows of bias (GRU): of x's and of the state's product, which only hn parts. */
static tt_val biased(const fused *g, tt_val vars, int i, tt_val bias)
{
    const bool two = tt_rank(bias) == 2, last = two && i == 2;
    if (last) vars = with(vars, g->state[i], "bias", tt_take(bias, tt_i(1), 0));
    if (two) bias = last ? tt_take(bias, tt_i(0), 0) : tt_sum(bias, .dims = "0");
    return with(vars, g->gates == 4 ? g->state[i] : g->in[i], "bias", bias);
}
static tt_val gates_of(const fused *g)
{
    const int64_t n = oracle_int(keras_options(), "units", 1);
    const tt_val w = weights_of(g, "kernel"), u = weights_of(g, "recurrent_kernel");
    tt_val vars = tt_dict_n(0, 0, NULL, NULL);
    for (int i = 0; i < g->gates; i++) {
        vars = with(with(vars, g->in[i], "kernel", columns(w, i, n)), g->state[i], "kernel", columns(u, i, n));
        if (!no_bias()) vars = biased(g, vars, i, columns(weights_of(g, "bias"), i, n));
    }
    return vars;
}

static tt_cell *running;
static tt_val rnn(tt_nn m, tt_val x)
{
    const int64_t n = oracle_int(keras_options(), "units", 1);
    const tt_val h = tt_zeros(TT_F32, tt_dim(x, 0), n), xs = tt_transpose(x, 1, 0, 2);
    const tt_rnn_opts o = { .size = sizeof o, .reverse = oracle_flag(keras_options(), "go_backwards"),
                            .no_bias = no_bias(), .act = keras_activation("activation", "tanh"),
                            .gate = running == tt_simple_cell_at ? NULL : keras_activation("recurrent_activation",
                                                                                                "sigmoid") };
    return tt_rnn_at(0, m, ".", running, running == tt_lstm_cell_at ? tt_tuple(h, h) : h, xs, &o);
}

/* The last output, or all in the order in which they were made; with return_state the states after it. */
static tt_val ran(const fused *g, tt_cell *cell)
{
    const json_t *o = keras_options();
    running = cell;
    const tt_val out = tt_apply(rnn, gates_of(g), layer_arg("x")), last = tt_item(out, 0);
    const bool lstm = cell == tt_lstm_cell_at;
    const tt_val h = lstm ? tt_item(last, 1) : last;
    tt_val y = h;
    if (oracle_flag(o, "return_sequences")) {
        y = tt_transpose(tt_item(out, 1), 1, 0, 2);
        if (oracle_flag(o, "go_backwards")) y = tt_reverse(y, 1);
    }
    if (!oracle_flag(o, "return_state")) return y;
    return lstm ? tt_dict("y0", y, "y1", h, "y2", tt_item(last, 0)) : tt_dict("y0", y, "y1", h);
}
static tt_val do_gru(void)
{
    const bool before = json_is_false(json_object_get(keras_options(), "reset_after"));
    return ran(&gru_gates, before ? tt_gru_before_cell_at : tt_gru_cell_at);
}
static tt_val do_lstm(void) { return ran(&lstm_gates, tt_lstm_cell_at); }
static tt_val do_simple(void) { return ran(&simple_gates, tt_simple_cell_at); }

const layer_row layer_keras_rnn[] = {
    { "keras.GRU", do_gru }, { "keras.LSTM", do_lstm }, { "keras.SimpleRNN", do_simple }, { NULL, NULL },
};
