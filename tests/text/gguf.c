/* gguf.c - tokenizers in GGUF files: the ids of the tokenizer.json or tokenizer.model that they were made of, as
 * llama.cpp's converter makes them; what is refused. */
#include "check.h"
#include "model/gguf_file.h"

static gguf_file file;
static const char goldens[] = "tests/goldens/tokenizers";
static char dir[64] = "/tmp/tutti-text-XXXXXX", path[80];

static void quiet(const tt_error_info *e, void *env) { (void)e, (void)env; }

static const char *const texts[] = {
    "", "Once upon a time, there were 12345 tokens.", "  two  spaces\n\n\tand a tab ", "I'll don't we've IT'S",
    "naïve café — œuvre", "Привет, мир! 你好，世界。 こんにちは", "def f(x):\r\n    return x**2  # 3.14159",
    "🙂🙃 a\xf0\x9f\x99",
    "<s>[INST] hi </s>", "<|endoftext|>x<|im_start|>user\n<|eot_id|>", "\u2581\u2581under_score",
    "aaaaaaaaaaaaaaaa 000000000",
};

static void compare(const char *name, tt_tokenizer a, tt_tokenizer b, int begin)
{
    int32_t x[512], y[512];
    CHECK(tt_tokenizer_size(a) == tt_tokenizer_size(b), "%s: %d and %d ids", name, tt_tokenizer_size(a),
          tt_tokenizer_size(b));
    for (size_t i = 0; i < sizeof texts / sizeof *texts && tt_ok(); i++) {
        const int64_t n = tt_tokenizer_ids(a, texts[i], 500, x), m = tt_tokenizer_ids(b, texts[i], 500, y);
        const int more = begin >= 0;
        const bool same = m == n + more && (!more || y[0] == begin) && !memcmp(x, y + more, (size_t)n * 4);
        CHECK(same, "%s: other ids of \"%s\": %d and %d", name, texts[i], (int)n, (int)m);
        char back[2000];
        snprintf(back, sizeof back, "%s", tt_tokenizer_decode(a, tt_tokenizer_encode(a, texts[i])));
        const char *const same_back = tt_tokenizer_decode(b, tt_tokenizer_encode(a, texts[i]));
        CHECK(!strcmp(back, same_back), "%s: \"%s\" decoded", name, back);
    }
}

/* Sets place i of a list that grows. */
static void put(json_t *list, size_t i, json_t *v, json_t *fill)
{
    while (json_array_size(list) <= i) json_array_append(list, fill);
    json_array_set_new(list, i, v);
}

static void of_json(const char *name, const char *pre, const char *begin)
{
    char from[200], both[400];
    snprintf(from, sizeof from, "%s/%s", goldens, name);
    json_t *const o = json_load_file(from, 0, NULL), *const model = json_object_get(o, "model");
    json_t *const tokens = json_array(), *const types = json_array(), *const merges = json_array(), *v;
    json_t *const none = json_string("[unused]"), *const unused = json_integer(5), *const empty = json_integer(1);
    const char *piece;
    size_t i;
    json_object_foreach(json_object_get(model, "vocab"), piece, v) {
        put(tokens, (size_t)json_integer_value(v), json_string(piece), none);
        put(types, (size_t)json_integer_value(v), json_integer(1), unused);
    }
    json_array_foreach(json_object_get(o, "added_tokens"), i, v) {
        const size_t id = (size_t)json_integer_value(json_object_get(v, "id"));
        put(tokens, id, json_incref(json_object_get(v, "content")), none);
        put(types, id, json_integer(json_is_true(json_object_get(v, "special")) ? 3 : 4), unused);
    }
    json_array_foreach(json_object_get(model, "merges"), i, v) {
        if (json_is_string(v)) json_array_append(merges, v);
        else {
            snprintf(both, sizeof both, "%s %s", json_string_value(json_array_get(v, 0)),
                     json_string_value(json_array_get(v, 1)));
            json_array_append_new(merges, json_string(both));
        }
    }
    gguf_free(&file);
    gguf_word(&file, "general.architecture", "llama"), gguf_word(&file, "tokenizer.ggml.model", "gpt2");
    gguf_word(&file, "tokenizer.ggml.pre", pre);
    int first = -1;
    json_array_foreach(tokens, i, v) if (begin && !strcmp(json_string_value(v), begin)) first = (int)i;
    if (begin) gguf_whole(&file, "tokenizer.ggml.bos_token_id", (uint64_t)first);
    if (begin) gguf_new_key(&file, "tokenizer.ggml.add_bos_token", 7)->whole = 1;
    gguf_list(&file, "tokenizer.ggml.tokens", 8, tokens), gguf_list(&file, "tokenizer.ggml.token_type", 5, types);
    gguf_list(&file, "tokenizer.ggml.merges", 8, merges);
    CHECK(gguf_write(&file, path), "not written");
    const tt_tokenizer a = tt_tokenizer_open(from), b = tt_tokenizer_open(path);
    int32_t bare[4];
    compare(name, a, b, tt_ok() && tt_tokenizer_ids(a, "", 4, bare) ? -1 : first);
    json_decref(none), json_decref(unused), json_decref(empty), json_decref(o);
}

/* ---- a SentencePiece file's pieces: field 1, each a text, a score and a type ---- */

static uint64_t varint(const uint8_t **p)
{
    uint64_t x = 0;
    for (int shift = 0;; shift += 7) {
        x |= (uint64_t)(**p & 127) << shift;
        if (*(*p)++ < 128) return x;
    }
}

static void of_pieces(const char *name)
{
    static uint8_t bytes[1 << 22];
    char from[200], piece[400];
    snprintf(from, sizeof from, "%s/%s", goldens, name);
    FILE *const f = fopen(from, "rb");
    const size_t n = f ? fread(bytes, 1, sizeof bytes, f) : 0;
    if (f) fclose(f);
    json_t *const tokens = json_array(), *const scores = json_array(), *const types = json_array();
    for (const uint8_t *p = bytes; p < bytes + n;) {
        const uint64_t key = varint(&p), length = varint(&p);        /* the fields of a ModelProto are messages */
        const uint8_t *const end = p + length;
        float score = 0;
        int type = 1;
        *piece = 0;
        while (key == (1 << 3 | 2) && p < end) {
            const uint64_t field = varint(&p);
            if (field == (1 << 3 | 2)) {
                const int k = (int)varint(&p);
                snprintf(piece, sizeof piece, "%.*s", k, (const char *)p);
                p += k;
            } else if (field == (2 << 3 | 5)) memcpy(&score, p, 4), p += 4;
            else type = (int)varint(&p);
        }
        p = end;
        if (key != (1 << 3 | 2)) continue;
        json_array_append_new(tokens, json_string(piece)), json_array_append_new(scores, json_real((double)score));
        json_array_append_new(types, json_integer(type));
    }
    gguf_free(&file);
    gguf_word(&file, "general.architecture", "llama"), gguf_word(&file, "tokenizer.ggml.model", "llama");
    gguf_whole(&file, "tokenizer.ggml.bos_token_id", 1);
    gguf_new_key(&file, "tokenizer.ggml.remove_extra_whitespaces", 7)->whole = 1;
    gguf_list(&file, "tokenizer.ggml.tokens", 8, tokens), gguf_list(&file, "tokenizer.ggml.scores", 6, scores);
    gguf_list(&file, "tokenizer.ggml.token_type", 5, types);
    CHECK(gguf_write(&file, path), "not written");
    compare(name, tt_tokenizer_open(from), tt_tokenizer_open(path), 1);
}

static void refused(const char *part)
{
    tt_tokenizer_open(path);
    CHECK(!tt_ok() && strstr(tt_error(), part), "not \"%s\": %s", part, tt_ok() ? "no error" : tt_error());
    tt_clear();
}

static void misfits(void)
{
    gguf_free(&file);
    gguf_word(&file, "tokenizer.ggml.model", "bert");
    gguf_write(&file, path), refused("has no tokenizer.ggml.tokens");
    gguf_list(&file, "tokenizer.ggml.tokens", 8, json_pack("[s, s]", "a", "b"));
    gguf_write(&file, path), refused("tokenizer.ggml.model is \"bert\"; built are gpt2 and llama");
    file.k[0].text = "llama";
    gguf_write(&file, path), refused("0 scores for 2 tokens");
    file.k[0].text = "gpt2";
    gguf_write(&file, path), refused("has no tokenizer.ggml.merges");
    gguf_word(&file, "tokenizer.ggml.pre", "tekken");
    gguf_write(&file, path), refused("tokenizer.ggml.pre is \"tekken\"; built are");
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    if (!check_folder(dir)) return 1;
    snprintf(path, sizeof path, "%s/text.gguf", dir);
    CHECK_RUN(of_json("gpt2.json", "gpt-2", NULL));
    CHECK_RUN(of_json("llama3.json", "llama-bpe", "<|begin_of_text|>"));
    CHECK_RUN(of_json("qwen.json", "qwen2", NULL));
    CHECK_RUN(of_pieces("sp_bpe.model"));
    tt_on_error(quiet, NULL);
    CHECK_RUN(misfits());
    gguf_free(&file);
    remove(path), remove(dir);
    return check_done();
}
