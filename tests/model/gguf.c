/* gguf.c - models of GGUF files: their logits are those of a folder with the same weights as f32, packed weights stay
 * packed in memory, on meshes, with low-rank terms; generation; what does not fit. */
#include "check.h"
#include "model/gguf_file.h"

#include <sys/stat.h>
#include <sys/wait.h>

static json_t *cases;
static gguf_file file;

static void quiet(const tt_error_info *e, void *env) { (void)e, (void)env; }

static const int32_t some[] = { 5, 17, 99, 3, 250, 42, 7, 7, 128, 64, 31, 200 };
static tt_val prompt(void) { return tt_array(TT_I32, some, 12); }
static tt_val batch(void) { return tt_reshape(prompt(), 1, 12); }

static void refused(const char *part)
{
    CHECK(!tt_ok() && strstr(tt_error(), part), "not \"%s\": %s", part, tt_ok() ? "no error" : tt_error());
    tt_clear();
}

static void near(const char *what, tt_val a, tt_val b, double most)
{
    const double far = tt_num(tt_amax(tt_abs(tt_sub(a, b)))), size = tt_num(tt_amax(tt_abs(b)));
    CHECK(tt_ok() && far <= most * size, "%s: %g apart of %g %s", what, far, size, tt_ok() ? "" : tt_error());
}

static char dir[64], path[100];

/* What a GGUF file says by the architecture alone, or by the frequencies of Llama 3.1. */
static void expressible(json_t *config)
{
    json_t *const rope = json_object_get(config, "rope_parameters");
    if (json_object_get(rope, "original_max_position_embeddings"))
        json_object_set_new(rope, "original_max_position_embeddings", json_integer(8192));
    if (!json_object_get(config, "query_pre_attn_scalar")) return;
    json_object_set(config, "query_pre_attn_scalar", json_object_get(config, "head_dim"));
    json_object_set_new(config, "layer_types", json_pack("[s, s]", "sliding_attention", "sliding_attention"));
}

/* rope_freqs.weight: by what each frequency is divided. */
static void frequencies(const json_t *config)
{
    const json_t *const rope = json_object_get(config, "rope_parameters");
    const double factor = json_number_value(json_object_get(rope, "factor"));
    const double theta = json_number_value(json_object_get(rope, "rope_theta"));
    const int n = (int)json_integer_value(json_object_get(config, "head_dim")) / 2;
    float by[64];
    if (factor == 0) return;
    for (int i = 0; i < n; i++) {                        /* as llama.cpp's converter computes them */
        const double length = 2 * M_PI * pow(theta, (double)i / n);
        if (length < 8192. / 4) by[i] = 1;
        else if (length > 8192) by[i] = (float)factor;
        else {
            const double smooth = (8192 / length - 1) / (4 - 1);
            by[i] = (float)(1 / ((1 - smooth) / factor + smooth));
        }
    }
    gguf_add(&file, "rope_freqs.weight", 0, n, GGUF_F32, by);
}

/* A folder of the case and a GGUF file in it, and the folder's model with the file's weights as f32. */
static tt_model made(const char *id, const char *arch, int type, tt_val *wide)
{
    json_t *config, *tensors;
    char name[40];
    snprintf(name, sizeof name, "%s/f32", id);
    folder_case(cases, name, &config, &tensors);
    expressible(config);
    strcpy(dir, "/tmp/tutti-gguf-XXXXXX");
    if (!check_folder(dir) || !folder_write(dir, config, tensors, "f32", 0, 1)) exit(1);
    const tt_model folder = tt_model_load(dir);
    CHECK(tt_ok(), "%s", tt_error());
    gguf_free(&file), gguf_keys(&file, config, arch);
    *wide = gguf_weights(&file, config, tensors, type, tt_model_params(folder));
    frequencies(config);
    snprintf(path, sizeof path, "%s/model.gguf", dir);
    CHECK(tt_ok() && gguf_write(&file, path), "%s", tt_ok() ? "not written" : tt_error());
    json_decref(config), json_decref(tensors);
    return folder;
}

static void families(void)
{
    static const struct { const char *id, *arch; } all[] = {
        { "llama", "llama" }, { "qwen3", "qwen3" }, { "gemma3_text", "gemma3" }, { "gpt2", "gpt2" },
    };
    static const struct { int type; const char *name; } types[] = {
        { GGUF_F32, "F32" }, { GGUF_Q8_0, "Q8_0" }, { GGUF_Q4_0, "Q4_0" },
    };
    for (int f = 0; f < 4; f++)
        for (int t = 0; t < 3; t++) {
            char what[60];
            tt_val wide;
            snprintf(what, sizeof what, "%s of %s", all[f].id, types[t].name);
            const tt_model folder = made(all[f].id, all[f].arch, types[t].type, &wide), m = tt_model_load(path);
            CHECK(tt_ok(), "%s: %s", what, tt_error());
            if (!tt_ok()) { tt_clear(), folder_remove(dir); continue; }
            near(what, tt_model_logits(m, tt_model_params(m), batch()), tt_model_logits(folder, wide, batch()), 2e-5);
            const char *const table = f == 3 ? "wte.weight.blocks" : "model.embed_tokens.weight.blocks";
            const char *const codes = f == 3 ? "wte.weight.codes" : "model.embed_tokens.weight.codes";
            CHECK(tt_has(tt_model_params(m), table) == (t > 0), "%s: the table's blocks", what);
            if (t) {                                     /* blocks are bytes */
                const tt_val p = tt_model_params(m), floats = tt_cast(tt_get(p, table), TT_F32);
                tt_model_logits(m, tt_set(p, table, floats), batch());
                CHECK(!tt_ok() && strstr(tt_error(), "is f32[") && strstr(tt_error(), "; the model has ["), "%s",
                      tt_error());
                tt_clear();
            }
            const tt_model apart = tt_model_load(path, .copy = 1);       /* the same numbers, and the same sums */
            CHECK(tt_ok() && tt_has(tt_model_params(apart), codes) == (t > 0), "%s: the table's codes", what);
            CHECK(t == 0 || tt_num(tt_array_equal(tt_model_logits(m, tt_model_params(m), batch()),
                                                  tt_model_logits(apart, tt_model_params(apart), batch()))),
                  "%s: blocks have other logits than codes and scales %s", what, tt_error());
            CHECK(t == 0 || tt_num(tt_array_equal(tt_model_logits(m, tt_model_params(apart), batch()),
                                                  tt_model_logits(apart, tt_model_params(m), batch()))),
                  "%s: params of the other model %s", what, tt_error());
            int32_t a[20], b[20];
            const tt_val said = tt_item(tt_generate(m, prompt(), 20, .go_on = 1), 0);
            const tt_val would = tt_item(tt_generate(folder, prompt(), 20, .go_on = 1, .params = wide), 0);
            CHECK(tt_ok() && tt_read(said, a, sizeof a) && tt_read(would, b, sizeof b) && !memcmp(a, b, sizeof a),
                  "%s: another text %s", what, tt_ok() ? "" : tt_error());
            folder_remove(dir);
        }
}

/* ---- meshes, types, memory ---- */

static void on_a_mesh(void)
{
    tt_val wide;
    const tt_model folder = made("llama", "llama", GGUF_Q8_0, &wide);
    const tt_val y = tt_model_logits(folder, wide, batch());
    const tt_mesh mesh = tt_mesh("data:2, model:2");
    static const char *const rules[] = { "vocab:model", "heads:model, kv_heads:model, hidden:model, vocab:model",
                                         "embed:data", "embed:data, hidden:model" };
    float a[12 * 256];
    for (int i = 0; i < 4; i++) {
        const tt_model m = tt_model_load(path, .mesh = mesh, .rules = rules[i]);
        tt_read(tt_model_logits(m, tt_model_params(m), batch()), a, sizeof a);
        near(rules[i], tt_array(TT_F32, a, 1, 12, 256), y, 2e-5);
    }
    const tt_model m = tt_model_load(path, .dtype = TT_BF16);
    near("in bf16", tt_model_logits(m, tt_model_params(m), batch()), y, 0.05);
    folder_remove(dir);
}

static tt_model tuned;
static tt_val loss(tt_val p)
{
    const tt_val y = tt_model_logits(tuned, p, batch());
    return tt_mean(tt_xent(tt_slice(y, 1, 0, 11, 1), tt_slice(batch(), 1, 1, 12, 1)));
}

static void low_rank(void)
{
    tt_val wide;
    made("qwen3", "qwen3", GGUF_Q4_0, &wide);
    tuned = tt_model_load(path);
    tt_val p = tt_model_lora(tuned, tt_model_params(tuned), 2, tt_key(0)), opt = tt_adamw(p, .rate = 1e-2);
    const double first = tt_num(loss(p));
    for (int i = 0; i < 5; i++) {
        const tt_val both = tt_call(tt_value_and_grad(loss), p);
        tt_opt_step(&p, &opt, tt_item(both, 1));
    }
    const double last = tt_num(loss(p));
    CHECK(tt_ok() && last < 0.9 * first, "loss %g, then %g %s", first, last, tt_ok() ? "" : tt_error());
    const tt_val whole = tt_model_merge(tuned, p), y = tt_model_logits(tuned, p, batch());
    const char *const query = "model.layers.0.self_attn.q_proj.weight";
    const char *const table = "model.embed_tokens.weight.blocks";
    CHECK(tt_ok() && tt_dtype_of(tt_get(whole, query)) == TT_F32 && tt_has(whole, table), "merged: %s", tt_error());
    CHECK(!tt_has(whole, "model.layers.0.self_attn.q_proj.lora_a"), "merged params have terms");
    near("merged", tt_model_logits(tuned, whole, batch()), y, 2e-5);
    char saved[100];
    snprintf(saved, sizeof saved, "%s/tuned", dir);
    CHECK(tt_save(saved, p), "%s", tt_error());           /* params of a GGUF file are kept as a checkpoint */
    CHECK(tt_num(tt_array_equal(tt_model_logits(tuned, tt_load(saved), batch()), y)), "as saved: %s", tt_error());
    tt_on_error(quiet, NULL);
    tt_model_save(tuned, tt_model_params(tuned), "/tmp/nowhere");
    refused("model.gguf is a GGUF file; folders are saved");
    tt_on_error(NULL, NULL);
    folder_remove(dir);
}

static int64_t resident(const char *field)               /* KiB */
{
    char line[200];
    long long n = -1;
    FILE *const f = fopen("/proc/self/status", "r");
    const size_t k = strlen(field);
    while (f && fgets(line, sizeof line, f)) if (!strncmp(line, field, k)) n = strtoll(line + k, NULL, 10);
    if (f) fclose(f);
    return n;
}

static int load(const char *from)
{
    struct stat st;
    const int64_t before = resident("VmHWM:");
    const tt_model m = tt_model_load(from);
    if (stat(from, &st)) return 1;
    const int64_t loaded = resident("VmHWM:") - before, bytes = st.st_size / 1024;
    tt_generate(m, prompt(), 4, .go_on = 1);
    const int64_t spoke = resident("VmHWM:") - before;
    printf("loading a file of %lld KiB grew the peak by %lld, four new ids by %lld\n", (long long)bytes,
           (long long)loaded, (long long)spoke);
    if (!tt_ok()) printf("%s\n", tt_error());
    fflush(stdout);
    return tt_ok() && loaded < bytes * 5 / 4 && spoke < bytes * 3 / 2 ? 0 : 1;
}

/* A file of random words' model, whose matrices are of the type. */
static void large(int type, int64_t vocab, int64_t layers)
{
    static float row[4096];
    static const int64_t wide = 1024, hidden = 4096;
    strcpy(dir, "/tmp/tutti-gguf-XXXXXX");
    if (!check_folder(dir)) exit(1);
    snprintf(path, sizeof path, "%s/large.gguf", dir);
    gguf_free(&file);
    gguf_word(&file, "general.architecture", "llama");
    gguf_whole(&file, "llama.block_count", layers), gguf_whole(&file, "llama.embedding_length", wide);
    gguf_whole(&file, "llama.feed_forward_length", hidden), gguf_whole(&file, "llama.attention.head_count", 16);
    gguf_whole(&file, "llama.context_length", 256), gguf_real(&file, "llama.attention.layer_norm_rms_epsilon", 1e-5);
    for (int i = 0; i < 4096; i++) row[i] = (float)(i * 37 % 101 - 50) / 500;
    static const char *const names[] = { "attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up",
                                         "ffn_down" };
    for (int l = -1; l < layers; l++)
        for (int i = 0; i < (l < 0 ? 1 : 7); i++) {
            const int64_t in = i == 6 ? hidden : wide, out = l < 0 ? vocab : i == 4 || i == 5 ? hidden : wide;
            float *const x = malloc((size_t)(in * out) * 4);
            char name[100];
            for (int64_t r = 0; r < out; r++) memcpy(x + r * in, row, (size_t)in * 4);
            snprintf(name, sizeof name, "blk.%d.%s.weight", l, names[i]);
            gguf_add(&file, l < 0 ? "token_embd.weight" : name, out, in, type, x);
            free(x);
        }
    for (int i = 0; i < 1024; i++) row[i] = 1;
    for (int l = 0; l < layers; l++)
        for (int i = 0; i < 2; i++) {
            char name[100];
            snprintf(name, sizeof name, "blk.%d.%s.weight", l, i ? "ffn_norm" : "attn_norm");
            gguf_add(&file, name, 0, wide, GGUF_F32, row);
        }
    gguf_add(&file, "output_norm.weight", 0, wide, GGUF_F32, row);
    CHECK(gguf_write(&file, path), "not written");
    gguf_free(&file);
}

/* This program, on the file, as a process with nothing else in its memory: 0 if all was well. */
static int other(const char *how)
{
    const int child = tt_ok() ? fork() : -1;
    if (!child) {
        execl("/proc/self/exe", "gguf", how, path, (char *)NULL);
        _exit(2);
    }
    int status = 1;
    if (child > 0) waitpid(child, &status, 0);
    return status;
}

/* A file of some 50 MB of codes: loading and a few new ids take little more. */
static void stays_packed(void)
{
    if (CHECK_SANITIZED) {
        CHECK_SKIP("the process's memory is a sanitizer's");
        return;
    }
    large(GGUF_Q8_0, 8192, 3);
    const int status = other("--load");
    CHECK(status == 0, "the weights are in memory as more than their bytes (status %d)", status);
    folder_remove(dir);
}

static bool spoke(tt_model m, int32_t to[4])
{
    return tt_read(tt_item(tt_generate(m, prompt(), 4, .go_on = 1), 0), to, 4 * sizeof *to);
}

/* What the process has of its own beside the file's memory, without .copy and with it; the texts are the same. */
static int map(const char *from)
{
    struct stat st;
    int32_t a[4], b[4];
    if (stat(from, &st)) return 1;
    const int64_t before = resident("RssAnon:"), bytes = st.st_size / 1024;
    const tt_model m = tt_model_load(from);
    const int64_t loaded = resident("RssAnon:") - before;
    const bool one = spoke(m, a);
    const int64_t used = resident("RssAnon:") - before;
    const tt_model copied = tt_model_load(from, .copy = 1);
    const int64_t copy = resident("RssAnon:") - before - used;
    printf("of a file of %lld KiB the process has %lld of its own, four new ids later %lld, of a copy %lld\n",
           (long long)bytes, (long long)loaded, (long long)used, (long long)copy);
    const bool good = one && spoke(copied, b) && !memcmp(a, b, sizeof a);
    if (!good) printf("%s\n", tt_ok() ? "another text" : tt_error());
    fflush(stdout);
    return good && loaded < bytes / 16 && used < bytes / 4 && copy > bytes * 15 / 16 ? 0 : 1;
}

/* A file of some 70 MB of floats. */
static void stays_in_the_file(void)
{
    if (CHECK_SANITIZED) {
        CHECK_SKIP("the process's memory is a sanitizer's");
        return;
    }
    large(GGUF_F32, 1024, 1);
    const int status = other("--map");
    CHECK(status == 0, "the weights are not the file's memory (status %d)", status);
    folder_remove(dir);
}

/* ---- what does not fit ---- */

static void misfits(void)
{
    tt_val wide;
    made("llama", "llama", GGUF_Q8_0, &wide);
    strcpy(file.t[2].name, "blk.7.attn_q.weight");
    gguf_write(&file, path), tt_model_load(path);
    refused("2 things do not fit");
    file.k[0].text = "mamba";
    gguf_write(&file, path), tt_model_load(path);
    refused("\"general.architecture\" is \"mamba\"; built are llama, qwen3, gemma3 and gpt2");
    file.k[0].text = "llama", file.k[1].name[0] = 'x';
    gguf_write(&file, path), tt_model_load(path);
    refused("the file has no key \"llama.");
    file.k[1].name[0] = 'l', gguf_whole(&file, "llama.expert_count", 4);
    gguf_write(&file, path), tt_model_load(path);
    refused("\"llama.expert_count\" is given");
    FILE *const f = fopen(path, "wb");
    if (f) fputs("no", f), fclose(f);
    tt_model_load(path);
    CHECK(!tt_ok(), "no model");
    tt_clear();
    folder_remove(dir);
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "--load")) return load(argv[2]);
    if (argc == 3 && !strcmp(argv[1], "--map")) return map(argv[2]);
    check_main(argc, argv);
    cases = json_load_file("tests/goldens/models/cases.json", 0, NULL);
    if (!cases) return printf("no tests/goldens/models/cases.json\n"), 1;
    CHECK_RUN(families());
    CHECK_RUN(on_a_mesh());
    CHECK_RUN(low_rank());
    CHECK_RUN(stays_packed());
    CHECK_RUN(stays_in_the_file());
    tt_on_error(quiet, NULL);
    CHECK_RUN(misfits());
    gguf_free(&file);
    json_decref(cases);
    return check_done();
}
