/* model/config.c - config.json of the families that are built; defaults are those of `transformers`. */
#include "model.h"

#include <math.h>
#include <string.h>

static const struct { const char *type, *class; bool tied; double eps; } families[MODEL_FAMILIES] = {
    [MODEL_LLAMA] = { "llama", "LlamaForCausalLM", false, 1e-6 },
    [MODEL_MISTRAL] = { "mistral", "MistralForCausalLM", false, 1e-6 },
    [MODEL_QWEN3] = { "qwen3", "Qwen3ForCausalLM", false, 1e-6 },
    [MODEL_GEMMA3] = { "gemma3_text", "Gemma3ForCausalLM", true, 1e-6 },
    [MODEL_MIXTRAL] = { "mixtral", "MixtralForCausalLM", false, 1e-5 },
    [MODEL_ARCEE] = { "arcee", "ArceeForCausalLM", false, 1e-5 },
    [MODEL_GPT2] = { "gpt2", "GPT2LMHeadModel", true, 1e-5 },
};
const char *model_family_name(model_family f) { return families[f].type; }

/* The first of the names in "architectures", which may be missing. */
static const json_t *first_class(const json_t *o, model_issues *s)
{
    const json_t *const list = model_given(o, "architectures"), *one;
    bool names = !list || json_is_array(list);
    char text[64];
    size_t i;
    json_array_foreach(list, i, one) names &= json_is_string(one);
    if (!names)
        model_issue(s, "config.json: \"architectures\" is %s; expected a list of names", model_shown(list, text));
    return json_array_get(list, 0);
}

static bool family_of(const json_t *o, model_config *c, model_issues *s)
{
    const char *const type = model_word(o, "model_type", NULL, s);
    const json_t *const class = first_class(o, s);
    int f = 0;
    while (f < MODEL_FAMILIES && strcmp(type, families[f].type)) f++;
    if (f == MODEL_FAMILIES) {
        if (*type || json_is_string(model_given(o, "model_type")))
            model_issue(s, "config.json: \"model_type\" is \"%.40s\"; built are llama, mistral, qwen3, gemma3_text, "
                        "mixtral, arcee and gpt2", type);
        return false;
    }
    c->family = (model_family)f;
    if (json_is_string(class) && strcmp(json_string_value(class), families[f].class))
        model_issue(s, "config.json: \"architectures\" has \"%.60s\"; expected \"%s\"", json_string_value(class),
                    families[f].class);
    return true;
}

static void dtype_read(const json_t *o, model_config *c, model_issues *s)
{
    static const struct { const char *name; tt_dtype is; } types[] = {
        { "float32", TT_F32 }, { "bfloat16", TT_BF16 }, { "float16", TT_F16 },
    };
    const char *const name = model_word(o, model_given(o, "dtype") ? "dtype" : "torch_dtype", "float32", s);
    for (int i = 0; i < 3; i++) if (!strcmp(name, types[i].name)) c->dtype = types[i].is;
    if (!c->dtype)
        model_issue(s, "config.json: \"dtype\" is \"%.40s\"; expected float32, bfloat16 or float16", name);
}

static void act_of(const json_t *o, const char *key, const char *usual, model_config *c, model_issues *s)
{
    const char *act = model_word(o, key, usual, s);
    if (!strcmp(act, "gelu_new")) act = "gelu_pytorch_tanh";
    static const char *const built[] = { "silu", "gelu", "gelu_pytorch_tanh", "relu", "relu2" };
    for (size_t i = 0; i < sizeof built / sizeof *built; i++) if (!strcmp(act, built[i])) strcpy(c->act, act);
    if (!*c->act)
        model_issue(s, "config.json: \"%s\" is \"%.40s\"; built are silu, gelu, gelu_pytorch_tanh, gelu_new, relu and "
                    "relu2", key, act);
}

/* What asks for a function that is not built: a field that is neither missing nor the value that changes nothing. */
static void asks(const json_t *o, const char *key, bool usual, model_issues *s)
{
    const json_t *const v = model_given(o, key);
    char text[64];
    if (v && !(json_is_boolean(v) && json_is_true(v) == usual))
        model_issue(s, "config.json: \"%s\" is %s, which is not supported", key, model_shown(v, text));
}

/* ---- which layers have a window ---- */

static void listed(const json_t *list, model_config *c, model_issues *s)
{
    if (!json_is_array(list) || (int64_t)json_array_size(list) != c->layers) {
        model_issue(s, "config.json: \"layer_types\" is no list of \"num_hidden_layers\" kinds");
        return;
    }
    for (int64_t i = 0; i < c->layers; i++) {
        const json_t *const v = json_array_get(list, (size_t)i);
        const char *const kind = json_is_string(v) ? json_string_value(v) : "";
        c->local[i] = !strcmp(kind, "sliding_attention");
        if (!c->local[i] && strcmp(kind, "full_attention"))
            model_issue(s, "config.json: layer %lld is \"%.40s\"; expected full_attention or sliding_attention",
                        (long long)i, kind);
    }
}

static void windows(const json_t *o, model_config *c, model_issues *s)
{
    const model_family f = c->family;
    const bool windowed = json_object_get(o, "sliding_window") ? model_given(o, "sliding_window") != NULL
                                                               : f == MODEL_MISTRAL || f == MODEL_GEMMA3;
    const json_t *const list = model_given(o, "layer_types");
    const int64_t size = windowed ? model_whole(o, "sliding_window", 4096, s) : 0;
    const int64_t every = model_whole(o, "sliding_window_pattern", 6, s), first = f == MODEL_QWEN3
        ? model_whole(o, "max_window_layers", 28, s) : 0;
    const bool used = windowed && (f == MODEL_MISTRAL || f == MODEL_MIXTRAL || f == MODEL_GEMMA3 ||
                                   (f == MODEL_QWEN3 && model_flag(o, "use_sliding_window", false, s)));
    if (list && f != MODEL_MISTRAL && f != MODEL_MIXTRAL) listed(list, c, s);
    else
        for (int64_t i = 0; i < c->layers && used; i++)
            c->local[i] = f == MODEL_GEMMA3 ? (i + 1) % every != 0 : i >= first;
    bool any = false;
    for (int64_t i = 0; i < c->layers; i++) any |= c->local[i];
    if (any && !used) model_issue(s, "config.json: layers of sliding_attention without a \"sliding_window\"");
    if (any) c->window = size;
}

/* ---- families ---- */

static void sizes_of_gpt2(const json_t *o, model_config *c, model_issues *s)
{
    c->layers = model_whole(o, "n_layer", -1, s), c->heads = c->kv_heads = model_whole(o, "n_head", -1, s);
    c->features = model_whole(o, "n_embd", -1, s), c->hidden = model_whole(o, "n_inner", 4 * c->features, s);
    c->positions = model_whole(o, "n_positions", 1024, s);
    c->eps = model_real(o, "layer_norm_epsilon", 1e-5, s);
    act_of(o, "activation_function", "gelu_new", c, s);
    c->depth = c->features / c->heads, c->bias = c->mlp_bias = c->turned = 1;
    c->scale = model_flag(o, "scale_attn_weights", true, s) ? 1 / sqrt((double)c->depth) : 1;
    asks(o, "scale_attn_by_inverse_layer_idx", false, s);
    asks(o, "add_cross_attention", false, s);
}

static void sizes(const json_t *o, model_config *c, model_issues *s)
{
    const model_family f = c->family;
    const bool own = f == MODEL_LLAMA || f == MODEL_ARCEE;       /* keys of each head, if nothing else is said */
    c->layers = model_whole(o, "num_hidden_layers", -1, s), c->heads = model_whole(o, "num_attention_heads", -1, s);
    c->features = model_whole(o, "hidden_size", -1, s), c->hidden = model_whole(o, "intermediate_size", -1, s);
    c->kv_heads = model_whole(o, "num_key_value_heads", own ? c->heads : f == MODEL_GEMMA3 ? 4 : 8, s);
    const int64_t usual = f == MODEL_LLAMA ? 2048 : f == MODEL_ARCEE ? 4096 : 131072;
    c->positions = model_whole(o, "max_position_embeddings", usual, s);
    c->eps = model_real(o, "rms_norm_eps", families[f].eps, s);
    c->depth = model_whole(o, "head_dim", f == MODEL_QWEN3 ? 128 : f == MODEL_GEMMA3 ? 256 : c->features / c->heads, s);
    c->normed = f == MODEL_QWEN3 || f == MODEL_GEMMA3, c->plus_one = f == MODEL_GEMMA3;
    c->bias = model_flag(o, "attention_bias", false, s), c->mlp_bias = model_flag(o, "mlp_bias", false, s);
    act_of(o, f == MODEL_GEMMA3 ? "hidden_activation" : "hidden_act", f == MODEL_GEMMA3 ? "gelu_pytorch_tanh"
           : f == MODEL_ARCEE ? "relu2" : "silu", c, s);
    c->scale = 1 / sqrt(f == MODEL_GEMMA3 ? model_real(o, "query_pre_attn_scalar", 256, s) : (double)c->depth);
    if (f == MODEL_GEMMA3) c->cap = model_real(o, "final_logit_softcapping", 0, s);
    if (f == MODEL_GEMMA3) asks(o, "attn_logit_softcapping", false, s);
    if (f == MODEL_GEMMA3) asks(o, "use_bidirectional_attention", false, s);
    if (f == MODEL_MIXTRAL) {
        c->experts = model_whole(o, "num_local_experts", 8, s), c->top = model_whole(o, "num_experts_per_tok", 2, s);
        if (c->top > c->experts)
            model_issue(s, "config.json: %lld experts per token of %lld", (long long)c->top, (long long)c->experts);
    }
    if (c->heads % c->kv_heads)
        model_issue(s, "config.json: %lld heads do not divide by %lld key heads", (long long)c->heads,
                    (long long)c->kv_heads);
    if (c->depth % 2) model_issue(s, "config.json: heads of depth %lld; expected an even number", (long long)c->depth);
}

/* Weights of f8 with a scale for each block of [rows, columns], as FineGrainedFP8Config of `transformers` has them:
 * activations are not rounded. */
static void quantised(const json_t *o, model_config *c, model_issues *s)
{
    const json_t *const block = model_given(o, "weight_block_size");
    if (!o) return;
    const char *const method = model_word(o, "quant_method", NULL, s), *const fmt = model_word(o, "fmt", "e4m3", s);
    const char *const act = model_word(o, "activation_scheme", "dynamic", s);
    if (strcmp(method, "fp8"))
        model_issue(s, "config.json: \"quant_method\" is \"%.40s\"; built is fp8 with \"weight_block_size\"", method);
    else if (strcmp(fmt, "e4m3") || strcmp(act, "dynamic") || c->turned)
        model_issue(s, "config.json: weights of f8 with \"fmt\" \"%.40s\" and \"activation_scheme\" \"%.40s\" are not "
                    "supported for %s; built are e4m3, dynamic", fmt, act, families[c->family].type);
    else if (json_array_size(block) != 2)
        model_issue(s, "config.json: \"quantization_config\" has no \"weight_block_size\" of two numbers; f8 with one "
                    "scale for a tensor or a channel is not supported");
    for (int i = 0; i < 2 && json_array_size(block) == 2; i++) {
        c->block[i] = json_integer_value(json_array_get(block, (size_t)i));
        if (c->block[i] < 1) model_issue(s, "config.json: \"weight_block_size\" has %lld", (long long)c->block[i]);
    }
}

static void stops_of(const json_t *o, model_stops *to, model_issues *s)
{
    const json_t *const v = model_given(o, "eos_token_id");
    const size_t n = json_is_array(v) ? json_array_size(v) : v != NULL;
    if (n > MODEL_STOPS) model_issue(s, "\"eos_token_id\" has %zu ids; there may be %d", n, MODEL_STOPS);
    for (size_t i = 0; i < n && i < MODEL_STOPS; i++) {
        const json_t *const id = json_is_array(v) ? json_array_get(v, i) : v;
        if (json_is_integer(id)) to->id[to->n++] = json_integer_value(id);
        else model_issue(s, "\"eos_token_id\" has something that is no id");
    }
}

bool model_read_config(const json_t *o, model_config *c, model_stops *stops, model_issues *s)
{
    memset(c, 0, sizeof *c);
    if (!family_of(o, c, s)) return false;
    dtype_read(o, c, s);
    if (c->family == MODEL_GPT2) sizes_of_gpt2(o, c, s);
    else sizes(o, c, s);
    if (c->layers > MODEL_LAYERS) {
        model_issue(s, "config.json: %lld layers; there may be %d", (long long)c->layers, MODEL_LAYERS);
        return false;
    }
    if (c->layers * c->experts > MODEL_EXPERTS) {
        model_issue(s, "config.json: %lld experts in each of %lld layers; there may be %d in all",
                    (long long)c->experts, (long long)c->layers, MODEL_EXPERTS);
        return false;
    }
    c->vocab = model_whole(o, "vocab_size", -1, s);
    c->tied = model_flag(o, "tie_word_embeddings", families[c->family].tied, s);
    if (c->features % c->heads && !model_given(o, "head_dim"))
        model_issue(s, "config.json: %lld features do not divide by %lld heads", (long long)c->features,
                    (long long)c->heads);
    quantised(model_object(o, "quantization_config", s), c, s);
    if (c->family != MODEL_GPT2) windows(o, c, s), model_read_rotary(o, c, s);
    stops_of(o, stops, s);
    return !s->count;
}
