/* export.c - modules of nn's layers written as hubs publish models: what tt_model_load makes of the folder, and where
 * TUTTI_TRANSFORMERS names a Python that has it `transformers`, is the module's function; examples/gpt.c does so; what
 * does not fit is told in one message. */
#include "model/peers.h"

#include <libgen.h>

enum { VOCAB = 256, WIDTH = 32, HEADS = 4, LAYERS = 3, TIME = 12 };

static char dir[64], to[100], gpt_program[600], chat_program[600];

/* ---- modules ---- */

static tt_val arcee_block(tt_nn m, tt_val x)
{
    tt_val h = tt_attention_layer(m, "attention", tt_rms_norm(m, "norm1", x), HEADS, .causal = 1, .rope = 1e4,
                                  .no_bias = 1);
    x = tt_add(x, h);
    h = tt_square(tt_relu(tt_dense(m, "up", tt_rms_norm(m, "norm2", x), 3 * WIDTH, .no_bias = 1)));
    return tt_add(x, tt_dense(m, "down", h, WIDTH, .no_bias = 1));
}
static tt_val arcee(tt_nn m, tt_val ids)
{
    tt_val x = tt_embed(m, "words", ids, VOCAB, WIDTH);
    return tt_attend(m, "words", tt_rms_norm(m, "norm", tt_stack(m, "layers", arcee_block, LAYERS, x)));
}

static tt_val llama_block(tt_nn m, tt_val x)
{
    x = tt_add(x, tt_attention_layer(m, "self", tt_rms_norm(m, "before", x), HEADS, .kv_heads = 2, .causal = 1,
                                     .rope = 5e3, .no_bias = 1));
    return tt_add(x, tt_gated_mlp(m, "mlp", tt_rms_norm(m, "between", x), 40));
}
static tt_val llama(tt_nn m, tt_val ids)
{
    tt_val x = tt_embed(m, "words", ids, VOCAB, WIDTH);
    x = tt_rms_norm(m, "norm", tt_stack(m, "layers", llama_block, LAYERS, x));
    return tt_dense(m, "head", x, VOCAB, .no_bias = 1);
}

static tt_val gpt2_block(tt_nn m, tt_val x)
{
    x = tt_add(x, tt_attention_layer(m, "attention", tt_layer_norm(m, "norm1", x, .eps = 1e-5), HEADS, .causal = 1,
                                     .bias_init = "normal(0.1)"));
    const tt_val h = tt_gelu(tt_dense(m, "up", tt_layer_norm(m, "norm2", x, .eps = 1e-5), 4 * WIDTH,
                                      .bias_init = "normal(0.1)"));
    return tt_add(x, tt_dense(m, "down", h, WIDTH, .bias_init = "normal(0.1)"));
}
static tt_val gpt2(tt_nn m, tt_val ids)
{
    tt_val x = tt_add(tt_embed(m, "words", ids, VOCAB, WIDTH),
                      tt_embed(m, "places", tt_arange(TT_I32, tt_dim(ids, 1)), 16, WIDTH));
    for (int i = 0; i < LAYERS; i++) {
        char name[20];
        snprintf(name, sizeof name, "layer%d", i);
        x = tt_sub_module(m, name, gpt2_block, x);
    }
    return tt_attend(m, "words", tt_layer_norm(m, "norm", x, .eps = 1e-5));
}

#define JSON(...) #__VA_ARGS__
static const struct { const char *what; tt_module *module; const char *config, *names; } all[] = {
    { "arcee", arcee, JSON({ "model_type": "arcee", "vocab_size": 256, "hidden_size": 32, "intermediate_size": 96,
        "num_hidden_layers": 3, "num_attention_heads": 4, "max_position_embeddings": 16, "rms_norm_eps": 1e-6,
        "rope_theta": 1e4, "tie_word_embeddings": true, "eos_token_id": null, "bos_token_id": null }),
      "words: embed_tokens, norm: norm, layers.norm1: layers.*.input_layernorm, "
      "layers.norm2: layers.*.post_attention_layernorm, layers.attention: layers.*.self_attn, layers: layers.*.mlp" },
    { "llama", llama, JSON({ "model_type": "llama", "architectures": ["LlamaForCausalLM"], "vocab_size": 256,
        "hidden_size": 32, "intermediate_size": 40, "num_hidden_layers": 3, "num_attention_heads": 4,
        "num_key_value_heads": 2, "max_position_embeddings": 16, "rms_norm_eps": 1e-6, "rope_theta": 5e3,
        "eos_token_id": null, "bos_token_id": null }),
      "words: embed_tokens, norm: norm, head: lm_head, layers.before: layers.*.input_layernorm, "
      "layers.between: layers.*.post_attention_layernorm, layers.self: layers.*.self_attn, "
      "layers.mlp: layers.*.mlp" },
    { "gpt2", gpt2, JSON({ "model_type": "gpt2", "vocab_size": 256, "n_embd": 32, "n_layer": 3, "n_head": 4,
        "n_positions": 16, "eos_token_id": null, "bos_token_id": null }),
      "words: wte, places: wpe, norm: ln_f, layer*.norm1: h.*.ln_1, layer*.norm2: h.*.ln_2, "
      "layer*.attention.query + layer*.attention.key + layer*.attention.value: h.*.attn.c_attn, "
      "layer*.attention.out: h.*.attn.c_proj, layer*.up: h.*.mlp.c_fc, layer*.down: h.*.mlp.c_proj" },
};

static tt_val some_ids(void)
{
    static const int32_t some[] = { 5, 17, 99, 3, 250, 42, 7, 7, 128, 64, 31, 200 };
    return tt_reshape(tt_array(TT_I32, some, TIME), 1, TIME);
}

/* Scales that are not all 1. */
static tt_val shaken(void *env, const char *path, tt_val leaf)
{
    const char *const end = strrchr(path, '.');
    (void)env;
    if (strcmp(end, ".scale")) return leaf;
    const tt_val by = tt_mul(tt_f(0.1), tt_sin(tt_mul(tt_f(3), tt_arange(TT_F32, (double)tt_bytes(leaf) / 4))));
    return tt_add(leaf, tt_rank(leaf) == 2 ? tt_reshape(by, tt_dim(leaf, 0), -1) : by);
}
static tt_val shaken_params(int i)
{
    const tt_val p = tt_init(all[i].module, tt_key(i), some_ids());
    return tt_tree_map_with_path(shaken, NULL, p);
}

/* ---- what is read again ---- */

static const char script[] =
    "import sys, torch, transformers\n"
    "m, info = transformers.AutoModelForCausalLM.from_pretrained(sys.argv[1], output_loading_info=True)\n"
    "assert not info['missing_keys'] and not info['unexpected_keys'], info\n"
    "t, text = transformers.AutoTokenizer.from_pretrained(sys.argv[1]), 'Wie sch\\u00f6n, \\u2603!\\n'\n"
    "ids = t(text)['input_ids']\n"
    "assert ids == list(text.encode()) and t.decode(ids) == text, ids\n"
    "x = torch.tensor([[5, 17, 99, 3, 250, 42, 7, 7, 128, 64, 31, 200]])\n"
    "with torch.no_grad(): y = m(x).logits.float()\n"
    "print(*y[0, -1].tolist())\n";

static void opened(void)
{
    strcpy(dir, "/tmp/tutti-export-XXXXXX");
    if (!check_folder(dir)) exit(1);
    snprintf(to, sizeof to, "%s-hub", dir);
}

static void written(int i)
{
    opened();
    const tt_val p = shaken_params(i);
    CHECK(tt_model_export(p, to, .config = all[i].config, .names = all[i].names, .bytes = 1), "%s", tt_error());
    const tt_tokenizer t = tt_tokenizer_open(to);
    const tt_model m = tt_model_load(to, .tokenizer = &t);
    const tt_val a = tt_apply(all[i].module, p, some_ids());
    const tt_val b = tt_model_logits(m, tt_model_params(m), some_ids());
    const double far = tt_num(tt_amax(tt_abs(tt_sub(a, b)))), most = tt_num(tt_amax(tt_abs(a)));
    CHECK(tt_ok() && most > 1e-2 && far <= 1e-5 * most, "%s: %g apart of %g %s", all[i].what, far, most,
          tt_ok() ? "" : tt_error());
    int32_t ids[8];
    const char text[] = "a\303\266\n\377";                 /* damaged at its end: U+FFFD there */
    CHECK(tt_tokenizer_ids(t, text, 8, ids) == 7 && ids[0] == 'a' && ids[1] == 0303 && ids[2] == 0266 &&
              ids[3] == '\n' && ids[4] == 0357, "ids are bytes");
    by_transformers(all[i].what, script, to, b, 1e-5);
    CHECK(!tt_model_export(p, to, .config = all[i].config, .names = all[i].names) &&
              strstr(tt_error(), "is there already"), "written twice");
    tt_clear();
    folder_remove(to), folder_remove(dir);
}

/* The types of a file; a tokenizer that is copied. */
static void narrower(void)
{
    char config[700], words[100];
    opened();
    snprintf(config, sizeof config, "%.*s, \"dtype\": \"bfloat16\" }", (int)strlen(all[0].config) - 1, all[0].config);
    snprintf(words, sizeof words, "%s/words.json", dir);
    CHECK(tt_tokenizer_bytes(words), "%s", tt_error());
    CHECK(tt_model_export(shaken_params(0), to, .config = config, .names = all[0].names, .tokenizer = words), "%s",
          tt_error());
    const tt_model m = tt_model_load(to);
    CHECK(tt_dtype_of(tt_get(tt_model_params(m), "model.norm.weight")) == TT_BF16, "%s", tt_error());
    CHECK(tt_tokenizer_size(tt_tokenizer_open(to)) == 256 && tt_ok(), "%s", tt_error());
    folder_remove(to), folder_remove(dir);
}

static void by_example(void)
{
    if (access(gpt_program, X_OK) || access(chat_program, X_OK)) {
        CHECK_SKIP("no examples in this build");
        return;
    }
    opened();
    CHECK(run("%s --layers 2 --heads 2 --width 24 --block 16 --steps 20 --warmup 4 --eval 0 --sample 0 --rate 1e-2 "
              "--hub %s 2>&1", gpt_program, to) == 0 && strstr(said, "published as"), "%s", said);
    const tt_model m = tt_model_load(to);
    const tt_val y = tt_model_logits(m, tt_model_params(m), some_ids());
    const tt_model_facts *const f = tt_model_config(m);
    CHECK(tt_ok() && !strcmp(f->family, "arcee") && f->layers == 2 && f->features == 24 && f->hidden == 96 &&
              f->positions == 16, "%s", tt_error());
    CHECK(run("%s %s --prompt ROMEO: --seed 3 2>&1", chat_program, to) == 0 && !strncmp(said, "ROMEO:", 6), "%s", said);
    CHECK(run("%s --dtype f16 2>&1", gpt_program) == 2 && strstr(said, "gpt: --dtype f16: expected f32"), "%s", said);
    CHECK(run("%s --help 2>&1", gpt_program) == 2 && strstr(said, "gpt: --help: there is no such option"), "%s", said);
    CHECK(run("%s --steps 2>&1", gpt_program) == 2 && strstr(said, "gpt: --steps: a value is missing"), "%s", said);
    CHECK(run("%s --steps '' 2>&1", gpt_program) == 2 && strstr(said, "not a number"), "%s", said);
    CHECK(run("%s --seed 1 --seed 2 2>&1", gpt_program) == 2 && strstr(said, "gpt: --seed: given twice"), "%s", said);
    by_transformers("examples/gpt.c", script, to, y, 1e-5);
    folder_remove(to), folder_remove(dir);
}

/* ---- what does not fit ---- */

static void refused(const char *part)
{
    CHECK(!tt_ok() && strstr(tt_error(), part), "not \"%s\": %s", part, tt_ok() ? "no error" : tt_error());
}

static void misfits(void)
{
    opened();
    const tt_val p = shaken_params(0);
    char config[700], names[700];
    snprintf(names, sizeof names, "nrm: norm, norm: embed_tokens, norm2: layers.*.norm, words: norm, a b, %s",
             "layers.norm1: layers.*.input_layernorm, layers.attention: layers.*.self_attn, layers: layers.*.mlp");
    tt_model_export(tt_set(p, "more.kernel", tt_ones(TT_F32, 2, 2)), to, .config = all[0].config, .names = names);
    refused("10 things do not fit");
    refused(".names: \" a b\"; expected \"layer.of.the.params: layer.of.the.file\"");
    refused(".names: \"norm\" is given twice");
    refused("model.norm.weight: params has no \"nrm.kernel\"");
    refused("model.embed_tokens.weight: \"norm.scale\" is f32[32]; config.json says [256, 32]");
    refused("model.layers.0.post_attention_layernorm.weight: .names gives it no layer of params");
    refused(".names: config.json has no weight \"layers.*.norm\"");
    refused("params has \"more.kernel\", which is in no weight");
    tt_clear();
    memcpy(strcpy(config, all[0].config) + (strstr(config, "te_size\": 96") - config), "te_size\": 97", 12);
    tt_model_export(p, to, .config = config, .names = all[0].names);
    refused("2 things do not fit");                      /* of the layers of a stack the first is told */
    refused("model.layers.0.mlp.up_proj.weight: \"layers.up.kernel\" is f32[3, 32, 96]; config.json says [97, 32]");
    tt_clear();
    tt_model_export(p, to, .config = "{ \"model_type\": ", .names = all[0].names);
    refused("1 thing does not fit");
    refused("config.json: line 1:");
    tt_clear();
    tt_model_export(p, to, .config = "{ \"model_type\": \"bert\" }", .names = all[0].names);
    refused("\"model_type\" is \"bert\"; built are");
    tt_clear();
    memcpy(strcpy(config, all[0].config) + (strstr(config, "256") - config), "200", 3);
    tt_model_export(p, to, .config = config, .names = all[0].names, .bytes = 1);
    refused("the tokenizer has 256 ids; config.json says 200");
    refused("model.embed_tokens.weight: \"words.embedding\" is f32[256, 32]; config.json says [200, 32]");
    tt_clear();
    tt_model_export(p, to, .config = all[0].config);
    refused("no .names is given");
    tt_clear();
    tt_model_export(p, to, .config = all[0].config, .names = all[0].names, .bytes = 1, .tokenizer = "x");
    refused("both .tokenizer and .bytes");
    tt_clear();
    tt_model_export(p, to, .config = all[0].config, .names = all[0].names, .tokenizer = "/nowhere.json");
    refused("/nowhere.json");
    tt_clear();
    tt_model_export(p, "/nowhere/at/all", .config = all[0].config, .names = all[0].names);
    refused("No such file");
    tt_clear();
    tt_tokenizer_bytes("/nowhere/at/all");
    refused("No such file");
    tt_clear();
    CHECK(access(to, F_OK) != 0, "a folder of what was refused");
    folder_remove(dir);
}

/* Params that have more than the config says, below layers that a pair names. */
static void more_than_asked(void)
{
    char names[400];
    opened();
    const tt_val p = shaken_params(0);
    tt_model_export(tt_set(p, "layers.gate.kernel", tt_get(p, "layers.up.kernel")), to, .config = all[0].config,
                    .names = all[0].names);
    refused("1 thing does not fit");
    refused("params has \"layers.gate.kernel\", which is in no weight");
    tt_clear();
    const tt_val two = tt_set(tt_set(p, "norm0", tt_get(p, "norm")), "norm1", tt_get(p, "norm"));
    snprintf(names, sizeof names, "norm*: norm, words: embed_tokens, %s", strstr(all[0].names, "layers.norm1"));
    tt_model_export(two, to, .config = all[0].config, .names = names);
    refused("2 things do not fit");
    refused("params has \"norm.scale\", which is in no weight");
    refused("params has \"norm1.scale\", which is in no weight");
    tt_clear();
    CHECK(access(to, F_OK) != 0, "a folder of what was refused");
    folder_remove(to), folder_remove(dir);
}

static void slash_at_the_end(void)
{
    char path[110];
    opened();
    snprintf(path, sizeof path, "%s//", to);
    CHECK(tt_model_export(shaken_params(0), path, .config = all[0].config, .names = all[0].names), "%s", tt_error());
    CHECK((tt_model_load(to), tt_ok()), "%s", tt_error());
    tt_clear();
    folder_remove(to), folder_remove(dir);
}

static void quiet(const tt_error_info *e, void *env) { (void)e, (void)env; }

int main(int argc, char **argv)
{
    check_main(argc, argv);
    char *const self = strdup(argv[0]);
    const char *const beside = dirname(self);
    snprintf(gpt_program, sizeof gpt_program, "%s/../examples/gpt", beside);
    snprintf(chat_program, sizeof chat_program, "%s/../examples/chat", beside);
    free(self);
    tt_on_error(quiet, NULL);
    for (int i = 0; i < 3; i++) CHECK_RUN(written(i));
    CHECK_RUN(narrower());
    CHECK_RUN(by_example());
    CHECK_RUN(misfits());
    CHECK_RUN(more_than_asked());
    CHECK_RUN(slash_at_the_end());
    return check_done();
}
