/* tokenizers.c - what a tokenizer refuses and how it says so, streams, handles, long texts and hostile patterns. Ids
 * and texts are compared with those of `tokenizers` and SentencePiece by the oracle (suite tokenizers). */
#include "check.h"

#include <time.h>
#include <tutti.h>

static char dir[64] = "/tmp/tutti-tokenizers-XXXXXX";
static const char goldens[] = "tests/goldens/tokenizers";

static void silent(const tt_error_info *e, void *env) { (void)e, (void)env; }

static const char *file(const char *name, const char *text)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *const f = fopen(path, "wb");
    if (f) fputs(text, f), fclose(f);
    return path;
}

static tt_tokenizer golden(const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", goldens, name);
    const tt_tokenizer t = tt_tokenizer_open(path);
    CHECK(tt_ok(), "%s", tt_error());
    return t;
}

/* ---- what a file asks that is not supported ---- */

static void refused(const char *parts, const char *why)
{
    char text[2000];
    snprintf(text, sizeof text, "{%s}", parts);
    tt_tokenizer_open(file("tokenizer.json", text));
    CHECK(!tt_ok() && strstr(tt_error(), why), "%s: %s, expected %s", parts, tt_ok() ? "was opened" : tt_error(), why);
    tt_clear();
}

static void refusals(void)
{
#define MODEL          "\"model\":{\"type\":\"WordLevel\",\"vocab\":{\"a\":0,\"b\":1},\"unk_token\":\"a\"}"
#define BPE(more)      "\"model\":{\"type\":\"BPE\"," more "}"
#define PRE(text)      MODEL ",\"pre_tokenizer\":" text
#define SPLIT(pattern) PRE("{\"type\":\"Split\",\"pattern\":{\"Regex\":\"" pattern "\"},\"behavior\":\"Isolated\"}")
    static const char *const cases[][2] = {
        { MODEL ",\"extra\":1", "\"extra\" is not supported" },
        { "\"version\":\"1.0\"", "has no model" },
        { "\"model\":{\"type\":\"Char\",\"vocab\":{}}", "the type \"Char\" is not supported" },
        { MODEL ",\"normalizer\":{\"type\":\"Nmt\"}", "normalizer: \"Nmt\" is not supported" },
        { MODEL ",\"normalizer\":{\"type\":\"Prepend\",\"prepend\":\"a\",\"where\":1}", "\"where\" is not supported" },
        { PRE("{\"type\":\"UnicodeScripts\"}"), "pre_tokenizer: \"UnicodeScripts\" is not supported" },
        { PRE("{\"type\":\"Split\",\"pattern\":{\"String\":\" \"},\"behavior\":\"Merged\"}"),
          "the behavior \"Merged\" is not supported" },
        { PRE("{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":\"ByteLevel\"},{\"type\":\"Digits\"}]}"),
          "Digits after ByteLevel is not supported" },
        { PRE("{\"type\":\"ByteLevel\"}"), "ByteLevel before a model other than BPE" },
        { SPLIT("a\\\\bc"), "\\b is not supported" },
        { SPLIT("[a[b]]"), "[ in brackets" },
        { SPLIT("a{1,2}+"), "a repetition of {n,m}" },
        { SPLIT("(?<n>a)"), "a group of a kind that is not supported" },
        { SPLIT("(a"), "the regular expression \"(a\": " },
        { MODEL ",\"decoder\":{\"type\":\"CTC\"}", "decoder: \"CTC\" is not supported" },
        { MODEL ",\"post_processor\":{\"type\":\"Other\"}", "post_processor: \"Other\" is not supported" },
        { MODEL ",\"padding\":{\"strategy\":{\"Fixed\":9}}", "a strategy other than BatchLongest is not supported" },
        { MODEL ",\"truncation\":{\"max_length\":0}", "max_length: expected a number of 1 or more" },
        { MODEL ",\"added_tokens\":[{\"id\":1,\"content\":\"c\"}]", "the id 1 has two pieces, \"b\" and \"c\"" },
        { MODEL ",\"added_tokens\":[{\"id\":7,\"content\":\"b\"}]", "\"b\" has the ids 1, in the model, and 7" },
        { BPE("\"vocab\":{\"a\":0,\"b\":1},\"merges\":[\"a b\"]"), "merge 1: \"ab\" is not in the vocabulary" },
        { BPE("\"vocab\":{\"a\":0,\"b\":1},\"merges\":[\"a  b\"]"), "merge 1 is not a pair of pieces" },
        { BPE("\"vocab\":{\"a\":0},\"merges\":[],\"dropout\":0.1"), "BPE: dropout is not supported" },
        { BPE("\"vocab\":{\"a\":0},\"merges\":[],\"unk_token\":\"u\""), "unk_token \"u\" is not in the vocabulary" },
        { BPE("\"vocab\":{\"a\":0,\"a\":1},\"merges\":[]"), "duplicate object key" },
        { BPE("\"vocab\":{\"a\":1000000},\"merges\":[]"), "ids up to 1000000 for 1 pieces" },
        { "\"model\":{\"type\":\"Unigram\",\"vocab\":[[\"a\",0],[\"b\"]]}", "piece 1 is not [text, score]" },
        { "\"model\":{\"type\":\"Unigram\",\"unk_id\":3,\"vocab\":[[\"a\",0]]}", "unk_id is not the id of a piece" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) refused(cases[i][0], cases[i][1]);
    tt_tokenizer_open(file("tokenizer.model", "no protobuf"));
    CHECK(!tt_ok() && strstr(tt_error(), "is not a SentencePiece model"), "%s", tt_error());
    tt_clear();
    tt_tokenizer_open(file("vocab.json", "{\"a\":0}"));
    CHECK(!tt_ok() && strstr(tt_error(), "merges.txt: No such file"), "%s", tt_error());
    tt_clear();
    file("merges.txt", "#version: 0.2\na b\n");
    tt_tokenizer_open(file("vocab.json", "{\"a\":0,\"b\":1,\"ab\":2}"), .special = "<s>");
    CHECK(!tt_ok() && strstr(tt_error(), "the special token \"<s>\" is not in the vocabulary"), "%s", tt_error());
    tt_clear();
    const tt_tokenizer t = tt_tokenizer_open(file("tokenizer.json", "{" BPE("\"vocab\":{\"a\":0},\"merges\":[]") "}"));
    CHECK(tt_tokenizer_ids(t, "aa", 0, NULL) == 2 && tt_tokenizer_ids(t, "az", 0, NULL) == -1,
          "a character without a piece");
    CHECK(strstr(tt_error(), "has no piece for \"z\""), "%s", tt_error());
    tt_clear();
}

/* ---- calls ---- */

/* ---- ids as `tokenizers` 0.23 has them, of files that no model is published with ---- */

static void as_there(const char *parts, const char *text, const char *ids)
{
    char all[4000], is[400] = "";
    int32_t id[64];
    snprintf(all, sizeof all, "{%s}", parts);
    const tt_tokenizer t = tt_tokenizer_open(file("tokenizer.json", all));
    const int64_t n = tt_tokenizer_ids(t, text, 64, id);
    for (int64_t i = 0; i < n && i < 64; i++)
        snprintf(is + strlen(is), sizeof is - strlen(is), i ? " %d" : "%d", (int)id[i]);
    CHECK(tt_ok() && !strcmp(is, ids), "\"%s\" is %s, expected %s: %s", text, is, ids, tt_error());
    tt_clear();
}

/* "first" asks whether a text begins where the whole one did, before normalizers took something away. */
static void beginnings(void)
{
#define AFTER(normalizer) \
    "\"normalizer\":" normalizer ",\"pre_tokenizer\":{\"type\":\"Metaspace\",\"replacement\":\"_\"," \
    "\"prepend_scheme\":\"first\",\"split\":true},\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"?\",\"vocab\":{" \
    "\"?\":0,\"_a\":1,\"a\":2,\"_b\":3,\"b\":4,\"_xb\":5,\"xb\":6}}"
    static const char strip[] = AFTER("{\"type\":\"Strip\",\"strip_left\":true,\"strip_right\":true}");
    static const char right[] = AFTER("{\"type\":\"Strip\",\"strip_left\":false,\"strip_right\":true}");
    static const char accents[] = AFTER("{\"type\":\"StripAccents\"}");
    static const char gone[] = AFTER("{\"type\":\"Replace\",\"pattern\":{\"String\":\"a\"},\"content\":\"\"}");
    static const char one[] = AFTER("{\"type\":\"Replace\",\"pattern\":{\"String\":\"a\"},\"content\":\"x\"}");
    static const char two[] = AFTER("{\"type\":\"Replace\",\"pattern\":{\"String\":\"aa\"},\"content\":\"x\"}");
#undef AFTER
    as_there(strip, "a b", "1 3"), as_there(strip, "  a b", "2 3"), as_there(strip, "a  ", "1");
    as_there(right, "a b ", "1 3");
    as_there(accents, "a b", "1 3"), as_there(accents, "\xcc\x81" "a b", "2 3");
    as_there(gone, "ab b", "4 3"), as_there(gone, "b b", "3 3");
    as_there(one, "ab b", "5 3"), as_there(two, "aab b", "6 3");
}

static void bytes_of_suffixes(void)                      /* a character falls back to the bytes of the piece it lacks */
{
    static const char bytes[] =
        "\"model\":{\"type\":\"BPE\",\"end_of_word_suffix\":\"<\",\"byte_fallback\":true,\"unk_token\":\"?\","
        "\"merges\":[],\"vocab\":{\"?\":0,\"a\":1,\"<0x62>\":2,\"<0x3C>\":3,\"a<\":4,\"c\":5}}";
    as_there(bytes, "aa", "1 4"), as_there(bytes, "bab", "2 1 2 3"), as_there(bytes, "cc", "5 0");
}

/* A piece of a byte-level model with a character that stands for no byte is found by no text, and decoded as it is. */
static void no_bytes(void)
{
    static const char odd[] =
        "\"pre_tokenizer\":{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"use_regex\":true},"
        "\"decoder\":{\"type\":\"ByteLevel\"},"
        "\"model\":{\"type\":\"BPE\",\"unk_token\":\"?\",\"ignore_merges\":true,\"merges\":[],"
        "\"vocab\":{\"?\":0,\"a\":1,\"\\t\":2,\"b\":3,\"\\u0109\":4,\"\\u4f60\":5,\" a\":6,\"\\n\":7}}";
    as_there(odd, "a\tb", "1 4 3"), as_there(odd, "a\n", "1 0"), as_there(odd, "\xe4\xbd\xa0", "0 0 0");
    as_there(odd, "b a", "3 0 1");
    const tt_tokenizer t = tt_tokenizer_open(dir);
    const int32_t id[] = { 5, 4, 7 };
    CHECK(!strcmp(tt_tokenizer_text(t, 3, id), "\xe4\xbd\xa0\t\n"), "%s", tt_error());
}

static void no_decoders(void)                            /* a Sequence of none joins; no decoder at all: with blanks */
{
#define VOCAB "\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"?\",\"vocab\":{\"?\":0,\"a\":1,\"b\":2}}"
    static const char empty[] = "{\"decoder\":{\"type\":\"Sequence\",\"decoders\":[]}," VOCAB "}";
    const int32_t id[] = { 1, 2, 0 };
    tt_tokenizer t = tt_tokenizer_open(file("tokenizer.json", empty));
    CHECK(!strcmp(tt_tokenizer_text(t, 3, id), "ab?"), "%s %s", tt_tokenizer_text(t, 3, id), tt_error());
    t = tt_tokenizer_open(file("tokenizer.json", "{\"decoder\":null," VOCAB "}"));
    CHECK(!strcmp(tt_tokenizer_text(t, 3, id), "a b ?"), "%s %s", tt_tokenizer_text(t, 3, id), tt_error());
#undef VOCAB
}

static void calls(void)
{
    const tt_tokenizer t = golden("gpt2.json");
    const tt_val ids = tt_tokenizer_encode(t, "Hello <|endoftext|>");
    int32_t list[64];
    const int64_t n = tt_tokenizer_ids(t, "Hello <|endoftext|>", 64, list);
    int32_t same[64] = { 0 };
    CHECK(tt_dtype_of(ids) == TT_I32 && tt_dim(ids, 0) == n && tt_read(ids, same, (size_t)n * 4) &&
              !memcmp(list, same, (size_t)n * 4),
          "%s", tt_error());
    CHECK(!strcmp(tt_tokenizer_decode(t, ids), "Hello "), "%s", tt_tokenizer_decode(t, ids));
    CHECK(!strcmp(tt_tokenizer_decode(t, ids, .special = 1), "Hello <|endoftext|>"), "a special token");
    CHECK(!strcmp(tt_tokenizer_decode(t, tt_cast(ids, TT_U16)), "Hello "), "u16");
    CHECK(tt_tokenizer_id(t, "<|endoftext|>") == list[n - 1] && tt_tokenizer_is_special(t, list[n - 1]), "the last");
    CHECK(!tt_tokenizer_is_special(t, list[0]) && tt_tokenizer_id(t, "no such piece") == -1, "no special token");
    CHECK(!strcmp(tt_tokenizer_piece(t, list[n - 1]), "<|endoftext|>") && !*tt_tokenizer_piece(t, 1 << 20), "pieces");
    CHECK(tt_tokenizer_size(t) == 320 && !strcmp(tt_tokenizer_kind(t), "BPE, tokenizer.json"), "%s",
          tt_tokenizer_kind(t));
    CHECK(tt_tokenizer_ids(t, "", 0, NULL) == 0 && tt_tokenizer_ids(t, "abc", 0, NULL, .length = 0) == 0, "no text");
    CHECK(tt_tokenizer_ids(t, "a\0b", 64, list, .length = 3) == 3, "a zero in the text");
    int64_t length = 0;
    const char *const text = tt_tokenizer_text(t, 3, list, .length = &length);
    CHECK(length == 3 && !memcmp(text, "a\0b", 3), "a zero in the text");
    CHECK(tt_ok(), "%s", tt_error());
    const tt_tokenizer bos = golden("llama3.json");
    CHECK(tt_tokenizer_ids(bos, "a", 0, NULL) == 2 && tt_tokenizer_ids(bos, "a", 0, NULL, .bare = 1) == 1, "bare");
    tt_tokenizer_text(t, 1, &(int32_t){ 320 });
    CHECK(!tt_ok() && strstr(tt_error(), "has no piece with the id 320; ids are 0 to 319"), "%s", tt_error());
    tt_clear();
    tt_tokenizer_decode(t, tt_ones(TT_F32, 3));
    CHECK(!tt_ok() && strstr(tt_error(), "the ids are f32[3]; expected integers of rank 0 or 1"), "%s", tt_error());
    tt_clear();
    tt_tokenizer_open(goldens);
    CHECK(!tt_ok() && strstr(tt_error(), "has neither tokenizer.json nor tokenizer.model nor vocab.json"), "%s",
          tt_error());
    tt_clear();
    tt_tokenizer_size((tt_tokenizer){ 0 });
    CHECK(!tt_ok() && strstr(tt_error(), "tt_tokenizer_size: the tt_tokenizer is empty"), "%s", tt_error());
    tt_clear();
    const tt_scope scope = tt_scope_open();
    const tt_tokenizer inner = golden("gpt2.json");
    tt_scope_close(scope);
    tt_tokenizer_size(inner);
    CHECK(!tt_ok() && strstr(tt_error(), "tt_tokenizer_size"), "a tokenizer whose scope has closed");
    tt_clear();
}

/* ---- streams: a character whose bytes are three ids ---- */

static void streamed(const char *name, const char *text)
{
    const tt_tokenizer t = golden(name);
    int32_t ids[256];
    char all[1024] = "";
    const int64_t n = tt_tokenizer_ids(t, text, 256, ids);
    const tt_token_stream s = tt_tokenizer_stream(t);
    for (int turn = 0; turn < 2; turn++) { /* a stream begins anew */
        *all = 0;
        for (int64_t i = 0; i < n; i++) {
            const char *const part = tt_token_stream_next(s, ids[i]);
            CHECK(!strstr(part, "\xef\xbf\xbd"), "%s: a part of a character: %s", name, part);
            strcat(all, part);
        }
        strcat(all, tt_token_stream_end(s));
        CHECK(!strcmp(all, text), "%s: \"%s\" came back as \"%s\"", name, text, all);
    }
    tt_token_stream_next(s, ids[0]);
    CHECK(tt_ok(), "%s", tt_error());
}

static void streams(void)
{
    static const char *const names[] = { "gpt2.json", "llama2.json", "gemma.json", "sp_bpe.model",
                                         "sp_unigram_bytes.model" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        streamed(names[i],
                 "The \xe4\xbd\xa0\xe5\xa5\xbd \xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x9a\x80 and na\xc3\xafve");
    const tt_tokenizer t = golden("gpt2.json");
    const tt_token_stream s = tt_tokenizer_stream(t);
    int32_t ids[8];
    const int64_t n = tt_tokenizer_ids(t, "\xf0\x9f\x9a\x80", 8, ids);
    for (int64_t i = 0; i + 1 < n; i++) tt_token_stream_next(s, ids[i]);
    CHECK(!strcmp(tt_token_stream_end(s), "\xef\xbf\xbd"), "an end inside a character");
}

/* ---- training: a file that opens, and what is refused ---- */

static void trained(void)
{
    const char *const path = file("trained.json", "");
    const char text[] = "the cat and the hat and the bat; the end of the band. \xe4\xbd\xa0\xe5\xa5\xbd\xff";
    CHECK(tt_tokenizer_train(path, text, 270, .special = "<s>  </s>"), "%s", tt_error());
    const tt_tokenizer t = tt_tokenizer_open(path);
    CHECK(tt_tokenizer_size(t) == 270 && tt_tokenizer_id(t, "</s>") == 1 && tt_tokenizer_is_special(t, 0), "%s",
          tt_error());
    CHECK(tt_tokenizer_id(t, "\xc4\xa0the") > 0, "a frequent word is a piece");
    const char *const back = tt_tokenizer_decode(t, tt_tokenizer_encode(t, text));
    CHECK(!strncmp(back, text, sizeof text - 2), "%s", back);
    CHECK(tt_tokenizer_train(path, text, 1000, .least = 3), "%s", tt_error());
    CHECK(tt_tokenizer_size(tt_tokenizer_open(path)) < 270, "pairs that occur less than three times stay apart");
    CHECK(tt_tokenizer_train(path, "", 300), "%s", tt_error());
    CHECK(tt_tokenizer_size(tt_tokenizer_open(path)) == 256, "the bytes alone");
    CHECK(!tt_tokenizer_train(path, text, 255) && strstr(tt_error(), "255 pieces; expected 256 or more"), "%s",
          tt_error());
    tt_clear();
    CHECK(!tt_tokenizer_train(goldens, text, 300) && strstr(tt_error(), "Is a directory"), "%s", tt_error());
    tt_clear();
}

/* ---- time ---- */

static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double seconds_of(tt_tokenizer t, const char *unit, size_t n)
{
    char *const text = malloc(n + 1);
    if (!text) return 0;
    for (size_t i = 0; i < n; i++) text[i] = unit[i % strlen(unit)];
    double best = 1e9;
    for (int turn = 0; turn < 3; turn++) {
        const double began = cpu();
        const int64_t count = tt_tokenizer_ids(t, text, 0, NULL, .length = (int64_t)n);
        CHECK(count >= 0, "%s", tt_error());
        best = cpu() - began < best ? cpu() - began : best;
    }
    free(text);
    return best;
}

/* Sixteen times the text takes some sixteen times as long; with the square it would be 256 times. */
static void linear(void)
{
    static const char *const names[] = { "gpt2.json",    "llama3.json",      "llama2.json",
                                         "mistral.json", "bert_cased.json",  "unigram.json",
                                         "sp_bpe.model", "sp_unigram.model", "clip.json" };
    static const char *const units[] = { "a", " ", "the ", "e\xcc\x81\xcc\xa3", "<|endoftext|", "\n \t" };
    const size_t n = (size_t)check_share(8192);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const tt_tokenizer t = golden(names[i]);
        for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
            const double few = seconds_of(t, units[k], n), many = seconds_of(t, units[k], 16 * n);
            CHECK(many < 64 * few + 0.02, "%s, \"%s\": %.4f s, then %.4f s", names[i], units[k], few, many);
        }
    }
}

/* A pattern whose search is exponential is given up, in time that is linear in the text. */
static void endless_pattern(void)
{
    const tt_tokenizer t = tt_tokenizer_open(file("tokenizer.json", "{" SPLIT("(?:(?:a|a)+)+[bc]") "}"));
    char text[4001];
    memset(text, 'a', 4000), text[4000] = 0;
    const double began = cpu();
    const int64_t n = tt_tokenizer_ids(t, text, 0, NULL);
    CHECK(n == -1 && strstr(tt_error(), "takes too long"), "%s", tt_ok() ? "was encoded" : tt_error());
    CHECK(cpu() - began < 20, "%.1f s", cpu() - began);
    tt_clear();
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    tt_on_error(silent, NULL);
    if (!check_folder(dir)) return 1;
    CHECK_RUN(refusals());
    CHECK_RUN(beginnings());
    CHECK_RUN(bytes_of_suffixes());
    CHECK_RUN(no_bytes());
    CHECK_RUN(no_decoders());
    CHECK_RUN(calls());
    CHECK_RUN(streams());
    CHECK_RUN(trained());
    CHECK_RUN(linear());
    CHECK_RUN(endless_pattern());
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", dir);
    CHECK(system(command) == 0, "%s stays", dir);
    tt_done();
    return check_done();
}
