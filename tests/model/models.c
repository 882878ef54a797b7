/* models.c - models as hubs publish them: what is told of folders that do not fit, meshes and rules, older configs;
 * low-rank terms, and folders that are saved as they were. What the functions give is compared with `transformers` in
 * tests/oracle. */
#include "check.h"
#include "model/folder.h"

#include <sys/stat.h>
#include <tutti.h>

static json_t *cases;

static char *made(char dir[64], json_t *config, json_t *tensors, const char *dtype)
{
    strcpy(dir, "/tmp/tutti-models-XXXXXX");
    if (!check_folder(dir) || !folder_write(dir, config, tensors, dtype, 0, 1)) exit(1);
    json_decref(config);
    json_decref(tensors);
    return dir;
}

static char *made_as(char dir[64], const char *id)
{
    json_t *config, *tensors;
    folder_case(cases, id, &config, &tensors);
    return made(dir, config, tensors, strchr(id, '/') + 1);
}

static const int32_t some[] = { 5, 17, 99, 3, 250, 42, 7, 7, 128, 64, 31, 200 };
static tt_val prompt(void) { return tt_array(TT_I32, some, 12); }

static void near(const char *what, tt_val a, tt_val b, double most)
{
    const double far = tt_num(tt_amax(tt_abs(tt_sub(a, b))));
    CHECK(far <= most, "%s: %g apart %s", what, far, tt_ok() ? "" : tt_error());
}

static void refused(const char *part)
{
    CHECK(!tt_ok() && strstr(tt_error(), part), "not \"%s\": %s", part, tt_ok() ? "no error" : tt_error());
}

/* ---- folders that do not fit ---- */

static void misfits(void)
{
    json_t *config, *tensors;
    char dir[64];
    folder_case(cases, "llama/f32", &config, &tensors);
    json_object_set_new(config, "vocab_size", json_integer(300));
    json_object_del(tensors, "model.layers.1.mlp.up_proj.weight");
    json_object_set_new(tensors, "model.layers.7.mlp.up_proj.weight", json_pack("[i, i]", 2, 3));
    tt_model_load(made(dir, config, tensors, "f32"));
    refused("4 things do not fit");                      /* the embedding, the last layer, two tensors */
    refused("model.embed_tokens.weight is [256, 64]; config.json says [300, 64]");
    refused("model.layers.1.mlp.up_proj.weight is missing");
    refused("model.layers.7.mlp.up_proj.weight: config.json has no such tensor");
    tt_clear();
    folder_remove(dir);

    folder_case(cases, "llama/f32", &config, &tensors);
    json_object_del(config, "num_hidden_layers");
    json_object_set_new(config, "hidden_act", json_string("swish9"));
    json_object_set_new(config, "num_key_value_heads", json_string("2"));
    json_object_set_new(config, "quantization_config", json_pack("{s:s}", "quant_method", "fp8"));
    json_object_set_new(config, "rope_parameters", json_pack("{s:s, s:f}", "rope_type", "longrope", "factor", 2.0));
    tt_model_load(made(dir, config, tensors, "f32"));
    refused("5 things do not fit");
    refused("config.json has no \"num_hidden_layers\"");
    refused("\"hidden_act\" is \"swish9\"; built are");
    refused("\"num_key_value_heads\" is \"2\"; expected a whole number");
    refused("\"quantization_config\" has no \"weight_block_size\" of two numbers");
    refused("rotary positions of type \"longrope\"");
    tt_clear();
    folder_remove(dir);

    folder_case(cases, "llama/f32", &config, &tensors);
    json_object_set_new(config, "model_type", json_string("t5"));
    tt_model_load(made(dir, config, tensors, "f32"));
    refused("\"model_type\" is \"t5\"; built are llama");
    tt_clear();
    folder_remove(dir);
    tt_model_load("/nowhere");
    refused("config.json: No such file");
    tt_clear();
    tt_model_load(NULL);
    refused("the path is NULL");
    tt_clear();
    tt_model_load(made_as(dir, "gpt2/f32"), .dtype = TT_I32);
    refused(".dtype = i32; expected f32, bf16 or f16");
    tt_clear();
    tt_model_load(dir, .rules = "heads:model");
    refused(".rules without .mesh");
    tt_clear();
    const tt_model none = { 0 };
    tt_model_params(none);
    refused("model_params: the tt_model is empty");
    tt_clear();
    CHECK(!*tt_model_config(none)->family, "facts of no model");
    tt_clear();
    folder_remove(dir);
}

static void odd_field(const char *key, json_t *value, const char *part)
{
    json_t *config, *tensors;
    char dir[64];
    folder_case(cases, "llama/f32", &config, &tensors);
    json_object_set_new(config, key, value);
    tt_model_load(made(dir, config, tensors, "f32"));
    refused(part);
    tt_clear();
    folder_remove(dir);
}

/* Folders in place of the files of a model. */
static void folders_as_files(void)
{
    static const char *const file[] = { "config.json", "generation_config.json" };
    char dir[64], path[100], said[80];
    for (int i = 0; i < 2; i++) {
        made_as(dir, "llama/f32");
        snprintf(path, sizeof path, "%s/%s", dir, file[i]);
        CHECK((remove(path), !mkdir(path, 0777)), "%s", path);
        snprintf(said, sizeof said, "%s: is a folder; expected a file", file[i]);
        tt_model_load(dir);
        refused(said);
        tt_clear();
        CHECK(!rmdir(path), "%s", path);
        folder_remove(dir);
    }
}

static void odd_fields(void)
{
    json_t *config, *tensors;
    char dir[64];
    folder_case(cases, "llama/f32", &config, &tensors);
    json_object_set_new(config, "model_type", json_string(""));
    tt_model_load(made(dir, config, tensors, "f32"));
    refused("\"model_type\" is \"\"; built are llama");
    tt_clear();
    folder_remove(dir);
    folder_case(cases, "llama/f32", &config, &tensors);             /* it has rope_parameters */
    json_object_set_new(config, "rope_scaling", json_pack("{s:s, s:f}", "rope_type", "linear", "factor", 2.0));
    tt_model_load(made(dir, config, tensors, "f32"));
    refused("both \"rope_parameters\" and \"rope_scaling\" are given");
    tt_clear();
    folder_remove(dir);
    folder_case(cases, "llama/f32", &config, &tensors);
    json_object_set_new(config, "rope_parameters", json_integer(1));
    json_object_set_new(config, "rope_scaling", json_string("linear"));
    tt_model_load(made(dir, config, tensors, "f32"));
    refused("\"rope_parameters\" is 1; expected an object");
    refused("\"rope_scaling\" is \"linear\"; expected an object");
    tt_clear();
    folder_remove(dir);
    folder_case(cases, "llama/f32", &config, &tensors);
    json_object_set_new(config, "partial_rotary_factor", json_real(0.5));
    tt_model_load(made(dir, config, tensors, "f32"));
    refused("\"partial_rotary_factor\" is not 1");
    tt_clear();
    folder_remove(dir);
    odd_field("architectures", json_string("LlamaForCausalLM"), "is \"LlamaForCausalLM\"; expected a list of names");
    odd_field("architectures", json_pack("[i]", 3), "\"architectures\" is [3]; expected a list of names");
    odd_field("architectures", json_pack("{s:s}", "a", "b"), "\"architectures\" is {\"a\":\"b\"}; expected a list");
    folder_case(cases, "mixtral/f32", &config, &tensors);
    json_object_set_new(config, "num_local_experts", json_integer(2000000));
    tt_model_load(made(dir, config, tensors, "f32"));
    refused("2000000 experts in each of");
    tt_clear();
    folder_remove(dir);
    folder_case(cases, "mixtral/f32", &config, &tensors);
    json_object_set_new(config, "num_local_experts", json_integer(10000));
    tt_model_load(made(dir, config, tensors, "f32"));
    refused("10000 experts in each of 2 layers have 60000 weights; the files have ");
    tt_clear();
    folder_remove(dir);
}

/* Weights in a file and, by an index, in others; rules of which none is for an axis of the model. */
static void given_twice(void)
{
    char dir[64];
    json_t *const one = json_pack("{s:{s:s}}", "weight_map", "model.norm.weight", "a.safetensors");
    made_as(dir, "llama/f32");
    folder_json(dir, "model.safetensors.index.json", one);
    tt_model_load(dir);
    refused("has model.safetensors, and an index of other files");
    tt_clear();
    char index[100];
    snprintf(index, sizeof index, "%s/model.safetensors.index.json", dir);
    unlink(index), json_decref(one);
    const tt_mesh mesh = tt_mesh("model:2");
    tt_model_load(dir, .mesh = mesh, .rules = "haeds:model, vocab:model");
    refused("the rule for \"haeds\" is for no axis of the model"), refused("did you mean \"heads\"?");
    tt_clear();
    tt_model_load(dir, .mesh = mesh, .rules = "layer:model");
    refused(".rules = \"layer:model\" has no axis of the model");
    tt_clear();
    tt_model_load(dir, .mesh = mesh, .rules = "");
    refused(".rules = \"\" has no axis of the model");
    tt_clear();
    tt_model_load(dir, .mesh = mesh, .rules = "heads:model, layer:model");
    CHECK(tt_ok(), "a rule for another program: %s", tt_error());
    folder_remove(dir);
}

static void vocabularies(void)
{
    char dir[64], path[100], text[3000] = "";
    snprintf(path, sizeof path, "%s/bpe.json", made_as(dir, "llama/f32"));
    for (int i = 0; i < 200; i++) tt_snprintf(text + strlen(text), 20, "w%d ab%d ", i % 17, i % 29);
    CHECK(tt_tokenizer_train(path, text, 270), "%s", tt_error());
    const tt_tokenizer t = tt_tokenizer_open(path);
    tt_model_load(dir, .tokenizer = &t);
    refused("the tokenizer has 270 ids; config.json says 256");
    tt_clear();
    folder_remove(dir);
}

/* ---- the same model otherwise ---- */

static void older_config(void)
{
    json_t *config, *tensors;
    char dir[64], older[64];
    folder_case(cases, "llama/f32", &config, &tensors);
    json_t *const rope = json_object_get(config, "rope_parameters");
    json_object_set(config, "rope_scaling", rope);
    json_object_set(config, "rope_theta", json_object_get(rope, "rope_theta"));
    json_object_del(config, "rope_parameters");
    made(older, config, tensors, "f32");
    const tt_model a = tt_model_load(made_as(dir, "llama/f32")), b = tt_model_load(older);
    const tt_val ids = tt_reshape(prompt(), 1, -1);
    near("rope_theta and rope_scaling", tt_model_logits(a, tt_model_params(a), ids),
         tt_model_logits(b, tt_model_params(b), ids), 0);
    const tt_model_facts *const f = tt_model_config(a);
    CHECK(!strcmp(f->family, "llama") && f->layers == 2 && f->vocab == 256 && f->heads == 4 && f->kv_heads == 2 &&
              f->dtype == TT_F32 && f->positions == 512, "facts");
    folder_remove(dir), folder_remove(older);
}

static void on_mesh(const char *id, const char *mesh, const char *rules, const char *leaf, const char *spec)
{
    char dir[64];
    made_as(dir, id);
    const tt_model one = tt_model_load(dir), many = tt_model_load(dir, .mesh = tt_mesh(mesh), .rules = rules);
    const tt_val ids = tt_reshape(prompt(), 2, -1);
    const tt_val a = tt_model_logits(one, tt_model_params(one), ids),
                 b = tt_model_logits(many, tt_model_params(many), ids);
    near(mesh, a, b, 1e-5 * (1 + tt_num(tt_amax(tt_abs(a)))));
    CHECK(!strcmp(tt_spec(tt_get(tt_model_params(many), leaf)), spec), "%s is laid out as \"%s\"", leaf,
          tt_spec(tt_get(tt_model_params(many), leaf)));
    const tt_val x = tt_item(tt_generate(one, prompt(), 20), 0), y = tt_item(tt_generate(many, prompt(), 20), 0);
    near("ids", x, y, 0);
    CHECK(tt_ok(), "%s", tt_error());
    folder_remove(dir);
}

/* ---- fine-tuning and saving ---- */

typedef struct { tt_model m; } tuned;
static tt_val loss(void *env, int n, const tt_val *x)
{
    (void)n;
    const tt_val y = tt_model_logits(((tuned *)env)->m, x[0], tt_slice(x[1], 1, 0, 11, 1));
    return tt_mean(tt_xent(y, tt_slice(x[1], 1, 1, 12, 1)));
}

static void tuning(const char *id)
{
    char dir[64], to[100];
    tuned t = { tt_model_load(made_as(dir, id)) };
    const tt_val ids = tt_reshape(prompt(), 1, -1), old = tt_model_params(t.m);
    snprintf(to, sizeof to, "%s-saved", dir);
    CHECK(tt_model_save(t.m, old, to), "%s", tt_error());
    CHECK(folder_same(dir, to, "model.safetensors", 0, -1), "%s: the tensors are as they were", id);
    CHECK(folder_same(dir, to, "config.json", 0, -1), "%s: the config is as it was", id);
    CHECK(!tt_model_save(t.m, old, to) && strstr(tt_error(), "is there already"), "%s", tt_error());
    tt_clear();
    folder_remove(to);
    tt_val p = tt_model_lora(t.m, old, 4, tt_key(0)), opt = tt_adam(p, .rate = 0.01);
    near("terms begin at zero", tt_model_logits(t.m, p, ids), tt_model_logits(t.m, old, ids), 0);
    const tt_fn f = tt_bind_env("loss", loss, &t, sizeof t, 2), step = tt_jit(tt_value_and_grad(f));
    const double first = tt_num(tt_call(f, p, ids));
    for (int i = 0; i < 12; i++) tt_opt_step(&p, &opt, tt_item(tt_call(step, p, ids), 1));
    CHECK(tt_num(tt_call(f, p, ids)) < first * 0.8, "the loss falls from %g to %g", first, tt_num(tt_call(f, p, ids)));
    CHECK(!tt_model_save(t.m, p, to) && strstr(tt_error(), "params has"), "%s", tt_error());
    tt_clear();
    const tt_val whole = tt_model_merge(t.m, p), y = tt_model_logits(t.m, p, ids);
    const double most = tt_num(tt_amax(tt_abs(y)));
    near("merged", y, tt_model_logits(t.m, whole, ids), strstr(id, "f32") ? 1e-4 * most : 0.05 * most);
    CHECK(tt_model_save(t.m, whole, to), "%s", tt_error());
    const tt_model again = tt_model_load(to);
    near("read again", tt_model_logits(again, tt_model_params(again), ids), tt_model_logits(t.m, whole, ids), 0);
    CHECK(folder_same(dir, to, "model.safetensors", 0, 800), "the header");
    CHECK(tt_ok(), "%s", tt_error());
    folder_remove(to), folder_remove(dir);
}

static void tuning_refusals(void)
{
    char dir[64];
    const tt_model m = tt_model_load(made_as(dir, "llama/f32"));
    tt_model_lora(m, tt_model_params(m), 0, tt_key(0));
    refused("rank 0; expected 1 to 64");
    tt_clear();
    tt_model_lora(m, tt_model_lora(m, tt_model_params(m), 2, tt_key(0)), 2, tt_key(0));
    refused("has low-rank terms already");
    tt_clear();
    tt_model_merge(m, tt_model_params(m));
    refused("no weight has low-rank terms");
    tt_clear();
    tt_model_logits(m, tt_model_params(m), prompt());
    refused("ids are i32[12]");
    tt_clear();
    tt_model_logits(m, tt_model_params(m), tt_zeros(TT_I32, 1, 513));
    refused("513 positions; the model has 512");
    tt_clear();
    const tt_val p = tt_model_params(m), low = tt_model_lora(m, p, 2, tt_key(0)), ids = tt_zeros(TT_I32, 1, 4);
    const struct { tt_val params; const char *why; } wrong[] = {
        { tt_set(p, "model.layers.0.mlp.up_proj.lora_b", tt_ones(TT_F32, 2, 96)), "up_proj.lora_b without lora_a" },
        { tt_set(low, "model.layers.7.mlp.up_proj.lora_a", tt_ones(TT_F32, 64, 2)),
          "params has model.layers.7.mlp.up_proj.lora_a, which the model does not have" },
        { tt_set(low, "model.norm.lora_a", tt_ones(TT_F32, 64, 2)), "params has model.norm.lora_a" },
        { tt_set(low, "model.layers.0.mlp.up_proj.lora_c", tt_f(1)), "params has model.layers.0.mlp.up_proj.lora_c" },
        { tt_set(p, "model.norm.weight", tt_ones(TT_I32, 64)), "model.norm.weight is i32[64]; expected floating" },
        { tt_set(p, "model.norm.weight", tt_ones(TT_C64, 64)), "model.norm.weight is c64[64]; expected floating" },
        { tt_set(low, "model.norm.weight", tt_ones(TT_F32, 1)), "model.norm.weight is f32[1]; the model has [64]" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK(tt_ok(), "%s", tt_error());
        tt_model_logits(m, wrong[i].params, ids);
        refused(wrong[i].why);
        tt_clear();
        tt_model_merge(m, wrong[i].params);
        refused(wrong[i].why);
        tt_clear();
        tt_generate(m, prompt(), 2, .params = wrong[i].params);
        refused(wrong[i].why);
        tt_clear();
    }
    tt_model_logits(m, p, tt_zeros(TT_I32, 1, 0));
    refused("ids are i32[1, 0]; expected one position or more");
    tt_clear();
    tt_model_save(m, tt_set(p, "model.norm.weight", tt_zeros(TT_I32, 64)), "/tmp/tutti-never");
    refused("model_save: model.norm.weight is i32[64]; expected floating-point numbers");
    tt_clear();
    tt_model_save(m, tt_set(tt_model_params(m), "model.norm.weight", tt_zeros(TT_F32, 3)), "/tmp/tutti-never");
    refused("model.norm.weight is f32[3]; the model has [64]");
    tt_clear();
    folder_remove(dir);
}

static void quiet(const tt_error_info *e, void *env) { (void)e, (void)env; }

int main(int argc, char **argv)
{
    check_main(argc, argv);
    json_error_t why;
    cases = json_load_file("tests/goldens/models/cases.json", 0, &why);
    if (!cases) return fprintf(stderr, "%s: %s\n", why.source, why.text), 1;
    tt_on_error(quiet, NULL);
    CHECK_RUN(misfits());
    CHECK_RUN(odd_fields());
    CHECK_RUN(folders_as_files());
    CHECK_RUN(given_twice());
    CHECK_RUN(vocabularies());
    CHECK_RUN(older_config());
    CHECK_RUN(on_mesh("llama/f32", "data:2, model:2",
                      "batch:data, heads:model, kv_heads:model, hidden:model, vocab:model",
                      "model.layers.0.mlp.down_proj.weight", "_, model"));
    CHECK_RUN(on_mesh("gemma3_text/f32", "data:2", "batch:data, embed:data", "model.norm.weight", "data"));
    CHECK_RUN(on_mesh("mixtral/f32", "model:3", "hidden:model", "model.layers.0.self_attn.q_proj.weight", "_, _"));
    CHECK_RUN(on_mesh("gpt2/f32", "model:2", "heads:model, hidden:model", "transformer.h.0.mlp.c_fc.weight",
                      "_, model"));
    CHECK_RUN(tuning("llama/f32"));
    CHECK_RUN(tuning("llama/bf16"));
    CHECK_RUN(tuning("gpt2/f32"));
    CHECK_RUN(tuning("mixtral/f32"));
    CHECK_RUN(tuning_refusals());
    json_decref(cases);
    return check_done();
}
