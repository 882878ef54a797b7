/* nn/cell.c - recurrent cells (GRU, LSTM, simple, minimal gated), and their run over time as a scan.
 *
 * The gates are dense layers of x and of the state, named as in Flax Linen (ir, iz, in; hr, hz, hn; ...). GRU: Cho and
 * others, 2014, with the reset gate after the recurrent product, or before it as in the original; LSTM: Hochreiter and
 * Schmidhuber, 1997, without a constant added to the forget gate; minimal gated: Zhou and others, 2016.
 */
#include "nn.h"

#include <stdio.h>
#include <string.h>

/* A term of a gate: v times kernel, plus a bias with that initializer (NULL: no bias). */
static tt_val cell_part(nn_frame *f, const char *name, tt_val v, int64_t hidden, const char *bias)
{
    const nn_cell *c = &f->root->cell;
    const bool none = !bias || c->no_bias;
    const tt_dense_opts o = { .size = sizeof o, .no_bias = none, .bias_init = none ? NULL : c->bias ? c->bias : bias,
                              .kernel_init = *name != 'h' ? c->kernel : c->recurrent ? c->recurrent : "orthogonal",
                              .dtype = c->dtype, .param_dtype = c->kept };
    return tt_dense_at(f->site, (tt_nn){ f, f->alive }, name, v, hidden, &o);
}

/* The activation of the cell, and of its gates. */
static tt_val act(const nn_frame *f, tt_val v)
{
    return nn_activated(f->site, "rnn: .act", f->root->cell.act ? f->root->cell.act : tt_tanh_at, v);
}
static tt_val gated(const nn_frame *f, tt_val v)
{
    return nn_activated(f->site, "rnn: .gate", f->root->cell.gate ? f->root->cell.gate : tt_logistic_at, v);
}

static tt_val blend(const char *site, tt_val z, tt_val now, tt_val old)  /* (1 - z) now + z old */
{
    return tt_add_at(site, tt_mul_at(site, tt_sub_at(site, tt_f(1), z), now), tt_mul_at(site, z, old));
}

static tt_val twice(const char *site, tt_val v) { return tt_tuple_at(site, (const tt_val[]){ v, v, tt_end }); }

/* before: the reset gate multiplies the state, not the state's product with the kernel; that product then has no
 * bias. */
static tt_val gru(const char *site, tt_nn m, const char *name, tt_val h, tt_val x, bool before)
{
    nn_frame f;
    if (!nn_enter(&f, m, site, "GRUCell", name)) return tt_poison;
    const int64_t n = tt_dim_at(site, h, -1);
    tt_val gate[2];
    static const char *const of[2][2] = { { "ir", "hr" }, { "iz", "hz" } };
    for (int i = 0; i < 2; i++)
        gate[i] = gated(&f, tt_add_at(site, cell_part(&f, of[i][0], x, n, "zeros"),
                                      cell_part(&f, of[i][1], h, n, NULL)));
    const tt_val in = cell_part(&f, "in", x, n, "zeros");
    const tt_val hn = before ? cell_part(&f, "hn", tt_mul_at(site, gate[0], h), n, NULL)
                             : tt_mul_at(site, gate[0], cell_part(&f, "hn", h, n, "zeros"));
    return twice(site, blend(site, gate[1], act(&f, tt_add_at(site, in, hn)), h));
}

tt_val tt_gru_cell_at(const char *site, tt_nn m, const char *name, tt_val h, tt_val x)
{
    TT_ENTRY(site);
    return gru(site, m, name, h, x, false);
}
tt_val tt_gru_before_cell_at(const char *site, tt_nn m, const char *name, tt_val h, tt_val x)
{
    TT_ENTRY(site);
    return gru(site, m, name, h, x, true);
}

/* carry (c, h): c' = f c + i g, h' = o tanh(c') */
tt_val tt_lstm_cell_at(const char *site, tt_nn m, const char *name, tt_val carry, tt_val x)
{
    TT_ENTRY(site);
    nn_frame f;
    static const char *const of[4][2] = { { "ii", "hi" }, { "if", "hf" }, { "ig", "hg" }, { "io", "ho" } };
    tt_val c, h, gate[4];
    if (tt_ok() && (tt_rank_at(site, carry) >= 0 || tt_items_at(site, carry) != 2))
        return tt_fail_at(site, TT_ETREE, "lstm_cell: the carry is %s; expected a tuple (c, h)",
                          tt_type_text_at(site, carry));
    if (!tt_unpack_at(site, carry, (tt_val *const[]){ &c, &h, NULL }) || !nn_enter(&f, m, site, "LSTMCell", name))
        return tt_poison;
    const int64_t n = tt_dim_at(site, h, -1);
    for (int i = 0; i < 4; i++) {
        const tt_val in = cell_part(&f, of[i][0], x, n, NULL);
        const tt_val sum = tt_add_at(site, in, cell_part(&f, of[i][1], h, n, "zeros"));
        gate[i] = i == 2 ? act(&f, sum) : gated(&f, sum);
    }
    c = tt_add_at(site, tt_mul_at(site, gate[1], c), tt_mul_at(site, gate[0], gate[2]));
    h = tt_mul_at(site, gate[3], act(&f, c));
    const tt_val next = tt_tuple_at(site, (const tt_val[]){ c, h, tt_end });
    return tt_tuple_at(site, (const tt_val[]){ next, h, tt_end });
}

tt_val tt_simple_cell_at(const char *site, tt_nn m, const char *name, tt_val h, tt_val x)
{
    TT_ENTRY(site);
    nn_frame f;
    if (!nn_enter(&f, m, site, "SimpleCell", name)) return tt_poison;
    const int64_t n = tt_dim_at(site, h, -1);
    return twice(site, act(&f, tt_add_at(site, cell_part(&f, "i", x, n, "zeros"), cell_part(&f, "h", h, n, NULL))));
}

/* The bias of the forget gate starts at 1, as in Flax (Jozefowicz and others, 2015). */
tt_val tt_mgu_cell_at(const char *site, tt_nn m, const char *name, tt_val h, tt_val x)
{
    TT_ENTRY(site);
    nn_frame f;
    if (!nn_enter(&f, m, site, "MGUCell", name)) return tt_poison;
    const int64_t n = tt_dim_at(site, h, -1);
    const tt_val gate = gated(&f, tt_add_at(site, cell_part(&f, "if", x, n, "ones"), cell_part(&f, "hf", h, n, NULL)));
    const tt_val in = cell_part(&f, "in", x, n, "zeros"), hn = cell_part(&f, "hn", h, n, "zeros");
    const tt_val now = act(&f, tt_add_at(site, in, tt_mul_at(site, gate, hn)));
    return twice(site, blend(site, gate, now, h));
}

/* ---- over time ---- */

typedef struct {
    tt_cell *cell; nn_cell requested; const char *site; tt_val vars, key; nn_mode mode; nn_keys keys;
    char path[NN_PATH];
    const nn_through *through;
} run;

/* What a cell did cannot be: a step has no place for new statistics, nor for a counter of all modules. */
static tt_val step_kept(const run *r, const nn_frame *root, tt_val y)
{
    if (!tt_ok()) return y;
    if (root->fresh.slot != r->vars.slot || root->fresh.born != r->vars.born) {
        tt_fail_at(r->site, TT_EARG, "rnn: the cell changes variables; they are the same in every step");
        tt_hint("statistics, of a batch norm or a dropout with .seed, are for layers outside of the cell");
        return tt_poison;
    }
    if (r->keys != NN_KERAS || !root->counts->n) return y;
    tt_fail_at(r->site, TT_EARG, "rnn: the cell draws by Keras's keys, one counter for all modules");
    tt_hint("make the variables with keys \"linen\", or draw outside of the cell");
    return tt_poison;
}

/* One step. The variables and the key are those of the layer, the same in every step. */
static tt_val cell_step(void *env, int n, const tt_val *arg)
{
    const run *r = env;
    nn_counts counts = { 0 };
    nn_frame root = { .site = r->site, .mode = r->mode, .keys = r->keys, .vars = r->vars, .fresh = r->vars,
                      .key = r->key, .counts = &counts, .cell = r->requested };
    nn_frame f = { .site = r->site, .root = &root, .through = r->through };
    (void)n;
    root.root = &root;
    memcpy(f.path, r->path, sizeof f.path);
    return step_kept(r, &root, nn_close(&f, r->cell(r->site, nn_open(&f), ".", arg[0], arg[1])));
}

/* xs [T, batch, features]: (last carry, every step's output [T, batch, hidden]) */
tt_val tt_rnn_at(const char *site, tt_nn m, const char *name, tt_cell *cell, tt_val carry, tt_val xs,
                 const tt_rnn_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_rnn_opts, site, "rnn", o)) return tt_poison;
    nn_frame f;
    run r;
    if (!cell) return tt_fail_at(site, TT_EARG, "rnn: the cell is NULL");
    if (!nn_enter(&f, m, site, "RNN", name)) return tt_poison;
    if (tt_ok() && (tt_rank_at(site, xs) < 1 || tt_dim_at(site, xs, 0) < 1))
        return tt_fail_at(site, TT_ESHAPE, "rnn: xs is %s; expected one step or more, [time, batch, features]",
                          tt_type_text_at(site, xs));
    tt_val state;
    if (tt_ok() && tt_tree_leaves_at(site, carry, 1, &state) > 0
        && tt_rank_at(site, state) != tt_rank_at(site, xs) - 1) {
        tt_fail_at(site, TT_ESHAPE, "rnn: xs %s do not fit the carry %s", tt_type_text_at(site, xs),
                   tt_type_text_at(site, state));
        tt_hint("xs is [time, batch, features], the carry [batch, hidden]");
        return tt_poison;
    }
    if (tt_ok() && cell == tt_simple_cell_at && o->gate)
        return tt_fail_at(site, TT_EARG, "rnn: .gate has no effect on tt_simple_cell, which has no gate");
    if (o->no_bias && o->bias_init) return nn_nothing(site, "rnn", "bias_init", "no_bias");
    if (!nn_may_lift(&f)) return tt_poison;
    memset(&r, 0, sizeof r);
    r.requested = (nn_cell){ o->act, o->gate, o->no_bias, o->kernel_init, o->recurrent_init, o->bias_init, o->dtype,
                         o->param_dtype };
    if (f.root->mode == NN_INIT) {
        const nn_cell before = f.root->cell;
        f.root->cell = r.requested;
        nn_close(&f, cell(site, nn_open(&f), ".", carry, tt_take_at(site, xs, tt_i(0), 0, NULL)));
        f.root->cell = before;
    }
    r.cell = cell, r.site = site, r.vars = nn_now(&f), r.key = f.root->key, r.keys = f.root->keys;
    r.through = f.through;
    r.mode = f.root->mode == NN_INIT ? NN_APPLY : f.root->mode;
    memcpy(r.path, f.path, sizeof r.path);
    const tt_fn one = tt_bind_env_at(NULL, "step", cell_step, &r, sizeof r, 2);
    return tt_scan_at(site, one, carry, xs, &(tt_scan_opts){ .size = sizeof(tt_scan_opts), .reverse = o->reverse });
}

tt_val tt_bidirectional_at(const char *site, tt_nn m, const char *name, tt_cell *cell, tt_val carry, tt_val xs,
                           const tt_rnn_opts *o)
{
    if (!TT_CHECKED(tt_rnn_opts, site, "bidirectional", o)) return tt_poison;
    nn_frame f;
    if (o->reverse) {
        tt_fail_at(site, TT_EARG, "bidirectional: .reverse has no effect");
        tt_hint("one run goes forward, the other backward: tt_rnn(.reverse = 1) goes backward alone");
        return tt_poison;
    }
    if (!nn_enter(&f, m, site, "Bidirectional", name)) return tt_poison;
    tt_rnn_opts back = *o;
    back.reverse = 1;
    const tt_nn in = { &f, f.alive };
    const tt_val a = tt_rnn_at(site, in, "forward_rnn", cell, carry, xs, o);
    const tt_val b = tt_rnn_at(site, in, "backward_rnn", cell, carry, xs, &back);
    const tt_val last[] = { tt_item_at(site, a, 0), tt_item_at(site, b, 0), tt_end };
    const tt_val y = tt_concat_at(site, -1, (const tt_val[]){ tt_item_at(site, a, 1), tt_item_at(site, b, 1), tt_end });
    nn_leave(&f, y);
    return tt_tuple_at(site, (const tt_val[]){ tt_tuple_at(site, last), y, tt_end });
}
