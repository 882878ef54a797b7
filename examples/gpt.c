/* gpt.c - a language model of bytes, trained on Shakespeare's plays. The model is written with logical axes alone; a
 * mesh and rules lay it out: data parallel, fully sharded, tensor parallel, both, or sharded along the sequence.
 *
 *     gpt --mesh "data:8" --rules "batch:data"                                 data parallel
 *     gpt --mesh "data:8" --rules "batch:data, embed:data"                     fully sharded
 *     gpt --mesh "model:4" --rules "heads:model, hidden:model, vocab:model"    tensor parallel
 *     gpt --mesh "data:2, model:4" --rules "batch:data, heads:model, hidden:model, vocab:model"
 *     gpt --mesh "seq:4" --rules "time:seq"                                    sequence parallel
 *
 * With --save a run that was killed goes on where its last checkpoint was, with the losses that it would have had. With
 * --metrics runs/first its losses are lines of runs/first/metrics.jsonl, and what tensorboard --logdir runs draws. With
 * --hub mine the model becomes a folder as hubs publish it, which chat.c and `transformers` read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tutti.h>

static struct {
    long long layers, heads, width, block, batch, accumulate, steps, warmup, eval, every, sample, seed;
    double rate, decay, dropout, clip;
    const char *data, *mesh, *rules, *save, *hub, *losses, *metrics, *dtype;
} o = { .layers = 4, .heads = 4, .width = 128, .block = 64, .batch = 12, .accumulate = 1, .steps = 2000, .warmup = 100,
        .eval = 250, .every = 500, .sample = 500, .seed = 1337, .rate = 1e-3, .decay = 0.1, .dropout = 0, .clip = 1,
        .data = "tinyshakespeare.txt", .mesh = "data:1", .rules = "batch:data", .save = "", .hub = "",
        .losses = "", .metrics = "", .dtype = "bf16" };

enum { VOCAB = 256, PARTS = 20 };                        /* bytes; an evaluation is over 20 batches */
TT_RECORD(state, params, opt, step, losses);
static tt_dtype type(void) { return strcmp(o.dtype, "f32") ? TT_BF16 : TT_F32; }         /* of computation */

/* ---- the model ---- */
static tt_val norm(tt_nn m, const char *name, tt_val x) { return tt_rms_norm(m, name, x, .axes = "embed"); }

static tt_val block(tt_nn m, tt_val x)
{
    tt_val h = tt_attention_layer(m, "attention", norm(m, "norm1", x), o.heads, .causal = 1, .rope = 1e4, .no_bias = 1,
                                  .dropout = o.dropout, .dtype = type(), .axes = "embed, heads, depth");
    x = tt_add(x, tt_dropout(m, h, o.dropout));
    h = tt_dense(m, "up", norm(m, "norm2", x), 4 * o.width, .no_bias = 1, .dtype = type(), .axes = "embed, hidden");
    h = tt_logical_constraint(tt_gelu(h), "batch, time, hidden");
    h = tt_dense(m, "down", h, o.width, .no_bias = 1, .dtype = type(), .axes = "hidden, embed");
    return tt_logical_constraint(tt_add(x, tt_dropout(m, h, o.dropout)), "batch, time, _");
}

static tt_val gpt(tt_nn m, tt_val ids)
{
    tt_val x = tt_embed(m, "words", ids, VOCAB, o.width, .init = "normal(0.02)", .dtype = type(),
                        .axes = "vocab, embed");
    x = tt_logical_constraint(tt_dropout(m, x, o.dropout), "batch, time, _");
    x = norm(m, "norm", tt_stack(m, "layers", block, o.layers, x, .remat = 1));
    return tt_cast(tt_attend(m, "words", x, .dtype = type()), TT_F32);       /* the table of the first layer again */
}

/* ---- training ---- */
/* Rows [n, block + 1] of the text, at places that the key draws. */
static tt_val rows(tt_val text, tt_val key, long long n)
{
    tt_val from = tt_randint(key, TT_I32, tt_i(0), tt_i(tt_dim(text, 0) - o.block - 1), n, 1);
    tt_val ids = tt_take(text, tt_add(from, tt_arange(TT_I32, o.block + 1)), 0, .mode = "promise_in_bounds");
    return tt_logical_constraint(tt_cast(ids, TT_I32), "batch, time");
}

static tt_val loss(tt_val params, tt_val ids, tt_val key)
{
    tt_val x = tt_slice(ids, 1, 0, o.block, 1), y = tt_slice(ids, 1, 1, o.block + 1, 1);
    tt_val l = tt_mean(tt_xent(tt_item(tt_apply_train(gpt, params, x, key), 0), y));
    return tt_tuple(l, tt_dict("loss", tt_tuple(l, tt_f(1))));
}

static tt_val create(tt_val key)
{
    char schedule[120];
    tt_snprintf(schedule, sizeof schedule, "warmup_cosine_decay(0, %g, %lld, %lld, %g)", o.rate, o.warmup, o.steps,
                o.rate / 10);
    tt_val p = tt_init(gpt, key, tt_zeros(TT_I32, 1, o.block));
    tt_val opt = tt_adamw(p, .schedule = schedule, .b2 = 0.99, .decay = o.decay, .mask = "kernel embedding",
                          .clip_norm = o.clip);
    return state_val((state){ p, opt, tt_full(0, TT_I32), tt_zeros(TT_F32, o.steps) });
}

static tt_val train(tt_val s, tt_val text)
{
    state st = state_of(s);
    tt_val key = tt_fold_in(tt_key(o.seed), st.step), g, m;
    tt_val batch = rows(text, tt_fold_in(key, tt_i(0)), o.batch * o.accumulate);
    tt_unpack(tt_accumulate(loss, o.accumulate, st.params, batch, tt_fold_in(key, tt_i(1)), .scan = 1), &g, &m);
    tt_opt_step(&st.params, &st.opt, g);
    tt_val l = tt_div(tt_get(m, "loss.0"), tt_get(m, "loss.1"));
    st.losses = tt_dynamic_update_slice(st.losses, tt_reshape(l, 1), 0, st.step);
    st.step = tt_add(st.step, tt_i(1));
    return tt_tuple(state_val(st), l);
}

static tt_val one_loss(tt_val sum_and_params, tt_val ids)
{
    tt_val p = tt_item(sum_and_params, 1), x = tt_slice(ids, 1, 0, o.block, 1), y = tt_slice(ids, 1, 1, o.block + 1, 1);
    tt_val l = tt_mean(tt_xent(tt_apply(gpt, p, x), y));
    return tt_tuple(tt_tuple(tt_add(tt_item(sum_and_params, 0), l), p), tt_none());
}

static tt_val evaluate(tt_val params, tt_val text)
{
    tt_val all = tt_reshape(rows(text, tt_key(o.seed + 1), PARTS * o.batch), PARTS, o.batch, o.block + 1);
    tt_val out = tt_scan(one_loss, tt_tuple(tt_full(0, TT_F32), params), all);
    return tt_div(tt_item(tt_item(out, 0), 0), tt_f(PARTS));
}

/* ---- speaking: one byte more in each iteration, from the last `block` ones ---- */
static tt_val speak(tt_val carry, tt_val i)
{
    tt_val p = tt_item(carry, 0), seen = tt_item(carry, 1), last = tt_amin(tt_stack_values(0, i, tt_i(o.block - 1)));
    tt_val logits = tt_squeeze(tt_dynamic_slice(tt_apply(gpt, p, seen), 1, last, 1), 1);
    tt_val next = tt_categorical(tt_fold_in(tt_key(o.seed), i), tt_div(logits, tt_f(0.8)));
    tt_val row = tt_reshape(tt_cast(next, TT_I32), 1, 1), at = tt_add(i, tt_i(1));
    tt_val rest = tt_concat(1, tt_slice(seen, 1, 1, o.block, 1), row), more = tt_dynamic_update_slice(seen, row, 1, at);
    return tt_tuple(tt_tuple(p, tt_where(tt_lt(at, tt_i(o.block)), more, rest)), tt_cast(next, TT_U8));
}
static tt_val sample(tt_val params)
{
    tt_val start = tt_full('\n', TT_I32, 1, o.block);
    return tt_flatten(tt_item(tt_scan(speak, tt_tuple(params, start), tt_arange(TT_I32, o.sample)), 1), 0);
}

/* ---- as hubs publish models: Arcee's architecture is this one ---- */
static bool publish(tt_val params)
{
    char text[600];
    tt_snprintf(text, sizeof text, "{\"model_type\": \"arcee\", \"hidden_act\": \"gelu_pytorch_tanh\", "
        "\"tie_word_embeddings\": true, \"vocab_size\": 256, \"rms_norm_eps\": 1e-6, \"rope_theta\": 1e4, "
        "\"bos_token_id\": null, \"eos_token_id\": null, \"hidden_size\": %lld, \"intermediate_size\": %lld, "
        "\"num_hidden_layers\": %lld, \"num_attention_heads\": %lld, \"max_position_embeddings\": %lld}",
        o.width, 4 * o.width, o.layers, o.heads, o.block);
    return tt_model_export(params, o.hub, .config = text, .bytes = 1, .names = "words: embed_tokens, norm: norm, "
        "layers.norm1: layers.*.input_layernorm, layers.norm2: layers.*.post_attention_layernorm, "
        "layers.attention: layers.*.self_attn, layers: layers.*.mlp");
}

/* ---- the program ---- */
static int options(int argc, char **argv)
{
#define OF(x) { #x, &o.x, _Generic(o.x, long long: 'n', double: 'x', default: 's') }
    static const struct { const char *name; void *at; char kind; } all[] = {
        OF(layers), OF(heads), OF(width), OF(block), OF(batch), OF(accumulate), OF(steps), OF(warmup), OF(eval),
        OF(every), OF(sample), OF(seed), OF(rate), OF(decay), OF(dropout), OF(clip), OF(data), OF(mesh), OF(rules),
        OF(save), OF(hub), OF(losses), OF(metrics), OF(dtype) };
    for (int i = 1, given = 0; i < argc; i += 2) {
        size_t k = 0;
        char *end = "";
        while (k < sizeof all / sizeof *all && strcmp(argv[i] + 2 * !strncmp(argv[i], "--", 2), all[k].name)) k++;
        const char *const wrong = k == sizeof all / sizeof *all ? "there is no such option"
                                : i + 1 == argc ? "a value is missing" : given >> k & 1 ? "given twice" : NULL;
        if (wrong) return fprintf(stderr, "gpt: %s: %s\n", argv[i], wrong), 0;
        given |= 1 << k;
        if (all[k].kind == 's') *(const char **)all[k].at = argv[i + 1];
        else if (all[k].kind == 'x') *(double *)all[k].at = tt_strtod(argv[i + 1], &end);
        else if ((*(long long *)all[k].at = strtoll(argv[i + 1], &end, 10)) < 0) end = argv[i + 1];
        if (*end || (all[k].kind != 's' && !*argv[i + 1]))
            return fprintf(stderr, "gpt: %s %s: not a number\n", argv[i], argv[i + 1]), 0;
    }
    return !strcmp(o.dtype, "f32") || !strcmp(o.dtype, "bf16") ||
        !fprintf(stderr, "gpt: --dtype %s: expected f32 or bf16\n", o.dtype);
}

int main(int argc, char **argv)
{
    if (!options(argc, argv)) return 2;
    tt_mesh mesh = tt_mesh(o.mesh);
    tt_val text = tt_read_text(o.data), s, out;
    long long n = tt_dim(text, 0) * 9 / 10, first = 0;
    tt_val learnt = tt_slice(text, 0, 0, n, 1), held = tt_slice(text, 0, n, tt_dim(text, 0), 1);
    tt_fn make, step, test, say;
    for (TT_WITH(mesh, .rules = o.rules))
        make = tt_jit(create), step = tt_jit(train, .donate = "0"), test = tt_jit(evaluate), say = tt_jit(sample);
    tt_manager saved = { 0 };
    if (*o.save) saved = tt_manager_open(o.save, .keep = 2), first = tt_manager_newest(saved);
    s = *o.save && first >= 0 ? tt_manager_load(saved, first, .mesh = mesh, .rules = o.rules)
                              : tt_call(make, tt_key(o.seed));
    if (first < 0) first = 0;
    if (!tt_ok()) return tt_done();
    tt_print("%lld parameters, from step %lld", (long long)tt_bytes(tt_get(s, "params")) / 4, first);
    tt_metric_writer w = { 0 };
    if (*o.metrics) w = tt_metric_writer_open(o.metrics, .purge_step = first + 1);
    for (tt_loop it = tt_steps(o.steps, .start = first, .bar = "train"); tt_next(&it); ) {
        long long at = it.i + 1;
        tt_assign(&s, tt_item(out = tt_call(step, s, learnt), 0));
        tt_val l = tt_item(out, 1);
        tt_note(&it, "loss %.4f", tt_num(l));
        if (*o.metrics) tt_write_scalars(w, at, tt_dict("loss", l));
        if (o.eval && at % o.eval == 0) {
            tt_val v = tt_call(test, tt_get(s, "params"), held);
            tt_print("step %lld: loss %.4f, validation %.4f", at, tt_num(l), tt_num(v));
            if (*o.metrics) tt_write_scalars(w, at, tt_dict("validation", v));
        }
        if (*o.save && o.every && (at % o.every == 0 || at == o.steps)) tt_manager_save(saved, at, s, .force = 1);
    }
    long long done = (long long)tt_num(tt_get(s, "step"));      /* fewer after Ctrl-C */
    tt_val losses = tt_get(s, "losses"), of = tt_slice(losses, 0, 0, done, 1);
    if (done > 0) printf("%s", tt_curve(of, .title = "loss", .xlabel = "step", .smooth = 0.9));
    if (*o.losses) tt_write_npy(o.losses, losses);
    if (*o.hub && publish(tt_get(s, "params"))) printf("published as %s\n", o.hub);
    char *words = calloc((size_t)o.sample + 1, 1);
    if (o.sample && tt_read(tt_call(say, tt_get(s, "params")), words, (size_t)o.sample)) printf("%s\n", words);
    free(words);
    return tt_done();
}
