/* chat.c - examples/chat.c with small models: it continues texts and speaks by a template, fine-tunes on a text, and
 * what it saves is read by Tutti and, where TUTTI_TRANSFORMERS names a Python that has it, by `transformers`. */
#include "model/gguf_file.h"
#include "model/peers.h"

#include <libgen.h>
#include <sys/stat.h>

static char chat[600], dir[64], to[100];

/* A folder with the small model of a golden case, and a tokenizer whose 256 ids are the bytes. */
static void made(const char *id)
{
    json_t *const cases = json_load_file("tests/goldens/models/cases.json", 0, NULL), *c, *p = NULL;
    size_t i;
    char path[100];
    json_array_foreach(cases, i, c)
        if (!strcmp(json_string_value(json_object_get(c, "id")), id)) p = json_object_get(c, "params");
    strcpy(dir, "/tmp/tutti-chat-XXXXXX");
    if (!p || !check_folder(dir) || !folder_write(dir, json_object_get(p, "config"), json_object_get(p, "tensors"),
                                                  strchr(id, '/') + 1, 0, 2)) exit(1);
    json_decref(cases);
    snprintf(path, sizeof path, "%s/tokenizer.json", dir), snprintf(to, sizeof to, "%s-saved", dir);
    CHECK(tt_tokenizer_train(path, "a", 256), "%s", tt_error());
}

static void write_text(const char *name, const char *text)
{
    FILE *const f = folder_file(dir, name);
    if (f) fputs(text, f), fclose(f);
}

static void continues(void)
{
    made("llama/f32");
    CHECK(run("%s %s --prompt 'Once upon' --new 12 --temperature 0 2>&1", chat, dir) == 0, "%s", said);
    const tt_tokenizer t = tt_tokenizer_open(dir);
    const tt_model m = tt_model_load(dir);
    const tt_val out = tt_item(tt_generate(m, tt_tokenizer_encode(t, "Once upon"), 12), 0);
    CHECK(!strncmp(said, "Once upon", 9) && !strncmp(said + 9, tt_tokenizer_decode(t, out), strlen(said) - 10), "%s",
          said);
    CHECK(run("echo hello | %s %s --new 3 2>&1", chat, dir) == 0 && strstr(said, "turns as plain text"), "%s", said);
    write_text("chat_template.jinja", "{{ '<|im_start|>' }}");
    CHECK(run("printf 'a\\nb\\n' | %s %s --new 3 2>&1", chat, dir) == 0 && strstr(said, "turns as ChatML"), "%s", said);
    CHECK(run("%s %s --sped 3 2>&1", chat, dir) == 2 && strstr(said, "--sped: there is no such option"), "%s", said);
    CHECK(run("%s %s --seed 3 --seed 3 2>&1", chat, dir) == 2 && strstr(said, "--seed: given twice"), "%s", said);
    CHECK(run("%s --help 2>&1", chat) == 2 && strstr(said, "usage"), "%s", said);
    CHECK(run("%s 2>&1", chat) == 2 && strstr(said, "usage"), "%s", said);
    CHECK(run("%s /nowhere 2>&1", chat) != 0 && strstr(said, "/nowhere"), "%s", said);
    folder_remove(dir);
}

/* The folder's model and tokenizer in one file, weights of Q4_0: the answers are the library's. */
static void of_gguf(void)
{
    static gguf_file file;
    char path[100], from[100];
    made("qwen3/f32");
    snprintf(from, sizeof from, "%s/tokenizer.json", dir), snprintf(path, sizeof path, "%s/model.gguf", dir);
    json_t *const cases = json_load_file("tests/goldens/models/cases.json", 0, NULL), *c, *p = NULL, *v;
    json_t *const words = json_load_file(from, 0, NULL), *const tokens = json_array();
    size_t i;
    json_array_foreach(cases, i, c)
        if (!strcmp(json_string_value(json_object_get(c, "id")), "qwen3/f32")) p = json_object_get(c, "params");
    const tt_model folder = tt_model_load(dir);
    gguf_keys(&file, json_object_get(p, "config"), "qwen3");
    gguf_weights(&file, json_object_get(p, "config"), json_object_get(p, "tensors"), GGUF_Q4_0,
                 tt_model_params(folder));
    for (i = 0; i < 256; i++) json_array_append_new(tokens, json_string(""));
    const char *piece;
    json_object_foreach(json_object_get(json_object_get(words, "model"), "vocab"), piece, v)
        json_array_set_new(tokens, (size_t)json_integer_value(v), json_string(piece));
    gguf_word(&file, "tokenizer.ggml.model", "gpt2"), gguf_list(&file, "tokenizer.ggml.tokens", 8, tokens);
    gguf_list(&file, "tokenizer.ggml.merges", 8, json_array());
    gguf_word(&file, "tokenizer.chat_template", "{{ messages }}");
    gguf_key *const form = &file.k[file.keys - 1];
    gguf_word(&file, "tokenizer.note", "<|im_start|>");      /* no part of the template */
    CHECK(tt_ok() && gguf_write(&file, path), "%s", tt_ok() ? "not written" : tt_error());
    CHECK(run("echo hello | %s %s --new 3 2>&1", chat, path) == 0 && strstr(said, "turns as plain text"), "%s", said);
    form->text = "{{ '<|im_start|>' }}";
    CHECK(tt_ok() && gguf_write(&file, path), "%s", tt_ok() ? "not written" : tt_error());
    CHECK(run("%s %s --prompt 'Once upon' --new 12 --temperature 0 2>&1", chat, path) == 0, "%s", said);
    const tt_tokenizer t = tt_tokenizer_open(path);
    const tt_model m = tt_model_load(path, .tokenizer = &t);
    const tt_val out = tt_item(tt_generate(m, tt_tokenizer_encode(t, "Once upon"), 12), 0);
    CHECK(tt_ok() && !strncmp(said, "Once upon", 9) &&
              !strncmp(said + 9, tt_tokenizer_decode(t, out), strlen(said) - 10), "%s", tt_ok() ? said : tt_error());
    CHECK(run("echo hello | %s %s --new 3 2>&1", chat, path) == 0 && strstr(said, "turns as ChatML"), "%s", said);
    gguf_free(&file), folder_remove(dir);
    json_decref(cases), json_decref(words);
}

static const char script[] =
    "import sys, torch, transformers\n"
    "m, info = transformers.AutoModelForCausalLM.from_pretrained(sys.argv[1], output_loading_info=True)\n"
    "assert not info['missing_keys'] and not info['unexpected_keys'], info\n"
    "with torch.no_grad(): y = m(torch.arange(12)[None]).logits.float()\n"
    "print(*y[0, -1].tolist())\n";

/* The logits of the saved folder by `transformers` are those by Tutti. */
static void read_back(double tolerance)
{
    const tt_model m = tt_model_load(to);
    const tt_val y = tt_model_logits(m, tt_model_params(m), tt_reshape(tt_arange(TT_I32, 12), 1, 12));
    by_transformers(tt_model_config(m)->family, script, to, y, tolerance);
}

static void tunes(const char *id, const char *more, double tolerance)
{
    char text[2000] = "";
    double first = 0, last = 0;
    made(id);
    for (int i = 0; i < 60; i++) strcat(text, "The wheel turns, the wheel ");
    write_text("text.txt", text);
    CHECK(run("%s %s --lora %s/text.txt --steps 12 --block 12 --rate 0.02 --save %s %s 2>&1", chat, dir, dir, to,
              more) == 0, "%s", said);
    const char *const a = strstr(said, "step 0: loss "), *const b = strstr(said, "step 11: loss ");
    if (a && b) first = tt_strtod(a + 13, NULL), last = tt_strtod(b + 14, NULL);
    CHECK(first > 0 && last < first * 0.8, "the loss falls from %g to %g: %s", first, last, said);
    read_back(tolerance);
    CHECK(tt_ok(), "%s", tt_error());
    folder_remove(to), folder_remove(dir);
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    char *const self = strdup(argv[0]);
    snprintf(chat, sizeof chat, "%s/../examples/chat", dirname(self));
    free(self);
    if (access(chat, X_OK)) {
        CHECK_SKIP("no examples in this build");
        return check_done();
    }
    CHECK_RUN(continues());
    CHECK_RUN(of_gguf());
    CHECK_RUN(tunes("llama/f32", "", 1e-4));
    CHECK_RUN(tunes("llama/bf16", "--mesh data:2 --rules batch:data", 3e-2));
    CHECK_RUN(tunes("gpt2/f32", "", 1e-4));
    CHECK_RUN(tunes("mixtral/f32", "", 1e-4));
    CHECK_RUN(tunes("gemma3_text/f32", "", 1e-4));
    return check_done();
}
