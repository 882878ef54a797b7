/* text/bytes.c - the tokenizer of a model of bytes: an id is a byte. */
#include "text.h"

#include <errno.h>
#include <string.h>

static json_t *bytes_as_pieces(void)
{
    uint32_t code[256];
    json_t *const vocab = json_object();
    text_alphabet(code);
    for (int byte = 0; byte < 256; byte++) {
        text_buf b = { 0 };
        text_put_char(&b, code[byte]), text_put(&b, "", 1);
        if (!b.bad) json_object_set_new(vocab, b.p, json_integer(byte));
        text_free(&b);
    }
    if (json_object_size(vocab) == 256) return vocab;
    json_decref(vocab);
    return NULL;
}

/* ByteLevel without a regular expression: a text is not split. */
static json_t *whole_texts(void)
{
    return json_pack("{s:s, s:b, s:b, s:b}", "type", "ByteLevel", "add_prefix_space", 0, "trim_offsets", 1, "use_regex",
                     0);
}

bool tt_tokenizer_bytes_at(const char *site, const char *path)
{
    TT_ENTRY(site);
    const text_at at = { site, path && *path ? path : NULL };
    if (!at.path) return text_fail(at, TT_EARG, "tt_tokenizer_bytes: the path is %s", path ? "empty" : "NULL");
    json_t *const vocab = bytes_as_pieces();
    if (!vocab) return text_no_memory(at);
    json_t *const model = json_pack("{s:s, s:n, s:n, s:n, s:n, s:b, s:b, s:b, s:o, s:[]}", "type", "BPE", "dropout",
                                    "unk_token", "continuing_subword_prefix", "end_of_word_suffix", "fuse_unk", 0,
                                    "byte_fallback", 0, "ignore_merges", 0, "vocab", vocab, "merges");
    json_t *const file = json_pack("{s:s, s:[], s:n, s:o, s:n, s:o, s:o}", "version", "1.0", "added_tokens",
                                   "normalizer", "pre_tokenizer", whole_texts(), "post_processor", "decoder",
                                   whole_texts(), "model", model);
    const bool ok = !file ? text_no_memory(at) : json_dump_file(file, path, JSON_COMPACT) == 0 ||
                                                     text_fail(at, TT_EIO, "%s", strerror(errno));
    json_decref(file);
    return ok;
}
