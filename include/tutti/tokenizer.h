/* tutti/tokenizer.h - text to the ids that a language model reads, and back, by the files that models are published
 * with.
 *
 *     const tt_tokenizer t = tt_tokenizer_open("model/tokenizer.json");
 *     tt_val ids = tt_tokenizer_encode(t, "Hello world");          // i32 [N]
 *     puts(tt_tokenizer_decode(t, ids));
 *
 * Ids are those of the library that wrote the file:
 * - tokenizer.json, of `tokenizers`: models BPE (Sennrich et al., arXiv:1508.07909), Unigram (Kudo, arXiv:1804.10959),
 *   WordPiece, WordLevel; normalizers NFC, NFD, NFKC, NFKD, Lowercase, StripAccents, Strip, Replace, Prepend,
 *   BertNormalizer, Precompiled; pre-tokenizers ByteLevel, Split, Metaspace, Digits, Punctuation, Whitespace,
 *   WhitespaceSplit, BertPreTokenizer; post-processors TemplateProcessing, ByteLevel, BertProcessing,
 *   RobertaProcessing; decoders ByteLevel, ByteFallback, Fuse, Strip, Replace, Metaspace, WordPiece; Sequences of them;
 *   added tokens; truncation. Any other component in a file is an error that names the component.
 * - vocab.json with merges.txt beside it: byte-level BPE as in GPT-2.
 * - tokenizer.model, of SentencePiece: BPE and Unigram, with byte fallback and pieces of the user. Nothing is added.
 * - a GGUF file, by its keys: byte-level BPE (tokenizer.ggml.pre gpt-2, llama-bpe or qwen2) and SentencePiece's BPE,
 *   with the tokens that the file adds at both ends. Control tokens are found in texts.
 *
 * Text is UTF-8. Invalid UTF-8 is encoded as the text with U+FFFD in the place of the damage: of a tokenizer.json one
 * for the longest beginning of a character, as Python's errors="replace"; of a tokenizer.model one for each byte. A
 * character for which a model has no piece, and no unknown token, is an error; `tokenizers` drops it.
 *
 * Regular expressions need libpcre2-8 (10.40 or newer), normal forms and properties of characters libunistring; both
 * are opened when a file asks for them. Characters are those of these libraries' version of Unicode.
 *
 * Time and memory are linear in the text, and in the file when it is opened. A tokenizer may be used by several threads
 * at once. */
#include <tutti.h>
#ifndef TUTTI_TOKENIZER_H
#define TUTTI_TOKENIZER_H

#ifdef __cplusplus
extern "C" {
#endif

/* path: one of the files above, or a folder that has one (tokenizer.json before tokenizer.model before vocab.json).
 * special: of a vocab.json, names of pieces that are special tokens, separated by blanks: "<|endoftext|>". Without it
 * there are none: vocab.json does not mark special tokens.
 *     const tt_tokenizer gpt2 = tt_tokenizer_open("vocab.json", .special = "<|endoftext|>"); */
typedef struct { struct tt_tokenizer_s *p; tt_val alive; } tt_tokenizer;     /* belongs to the scope of its opening */
typedef struct tt_tokenizer_opts { TT_OPTION_HEAD const char *special TT_DEFAULT; } tt_tokenizer_opts;
#define tt_tokenizer_open(...) TT_TOKENIZER_(TT_AT("tt_tokenizer_open(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_TOKENIZER_(at, path, ...) tt_tokenizer_open_at(at, path, TT_OPTS(tt_tokenizer_opts, __VA_ARGS__))
TT_API tt_tokenizer tt_tokenizer_open_at(const char *site, const char *path, const tt_tokenizer_opts *);

/* ---- text to ids ---- */

/* The ids of the text, i32 [N]. length: the text's bytes, which may have zeros among them; without it the text ends at
 * its 0. bare = 1: without the tokens that the file's template adds, such as the one for the beginning. Special tokens
 * that stand in the text become their ids.
 *     tt_val bare = tt_tokenizer_encode(t, "Hello world", .bare = 1); */
typedef struct tt_encode_opts {
    TT_OPTION_HEAD
    int64_t length TT_DEFAULT; int bare TT_DEFAULT;
} tt_encode_opts;
#define tt_tokenizer_encode(...) TT_ENCODE_(TT_AT("tt_tokenizer_encode(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_ENCODE_(at, t, text, ...) tt_tokenizer_encode_at(at, t, text, TT_OPTS(tt_encode_opts, __VA_ARGS__))
TT_API tt_val tt_tokenizer_encode_at(const char *site, tt_tokenizer, const char *text, const tt_encode_opts *);
/* The number of ids, of which the first `most` are written to `ids` (NULL with most 0: only counted); -1 with the error
 * set.
 *     int32_t some[64]; const int64_t n64 = tt_tokenizer_ids(t, "Hello world", 64, some); */
#define tt_tokenizer_ids(...) TT_IDS_(TT_AT("tt_tokenizer_ids(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_IDS_(at, t, text, most, ids, ...) \
    tt_tokenizer_ids_at(at, t, text, most, ids, TT_OPTS(tt_encode_opts, __VA_ARGS__))
TT_API int64_t tt_tokenizer_ids_at(const char *site, tt_tokenizer, const char *text, int64_t most, int32_t *ids,
    const tt_encode_opts *);

/* ---- ids to text ---- */

/* The text of ids: an integer array of rank 1, or a scalar; or n ids. It belongs to the current scope; "" with the
 * error set. special = 1: special tokens are shown; without it they are left out. Bytes that are no character are
 * U+FFFD. length: where the number of the text's bytes is written, for texts with zeros among them. Errors: an id
 * that the vocabulary does not have.
 *     puts(tt_tokenizer_decode(t, ids, .special = 1)), puts(tt_tokenizer_text(t, 3, some_ids)); */
typedef struct tt_decode_opts {
    TT_OPTION_HEAD
    int special TT_DEFAULT; int64_t *length TT_DEFAULT;
} tt_decode_opts;
#define tt_tokenizer_decode(...) TT_DECODE_(TT_AT("tt_tokenizer_decode(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_DECODE_(at, t, ids, ...) tt_tokenizer_decode_at(at, t, ids, TT_OPTS(tt_decode_opts, __VA_ARGS__))
TT_API const char *tt_tokenizer_decode_at(const char *site, tt_tokenizer, tt_val ids, const tt_decode_opts *);
#define tt_tokenizer_text(...) TT_TEXT_OF_(TT_AT("tt_tokenizer_text(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_TEXT_OF_(at, t, n, ids, ...) tt_tokenizer_text_at(at, t, n, ids, TT_OPTS(tt_decode_opts, __VA_ARGS__))
TT_API const char *tt_tokenizer_text_at(const char *site, tt_tokenizer, int64_t n, const int32_t *ids,
    const tt_decode_opts *);
/* Decodes ids one by one, as they are generated: tt_token_stream_next returns the text that is certain now, "" while a
 * character is not complete; tt_token_stream_end what is left, after which a stream may begin anew. The texts in a
 * row are that of all ids; but where bytes ("<0xE2>") in a row are damaged, characters before the damage stay. A text
 * lives until the next call on the stream; length is written by each call.
 *
 *     tt_token_stream s = tt_tokenizer_stream(t);
 *     while (generating) fputs(tt_token_stream_next(s, id), stdout);
 *     puts(tt_token_stream_end(s)); */
typedef struct { struct tt_token_stream_s *p; tt_val alive; } tt_token_stream;       /* belongs to the current scope */
#define tt_tokenizer_stream(...) TT_STREAM_(TT_AT("tt_tokenizer_stream(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_STREAM_(at, t, ...) tt_tokenizer_stream_at(at, t, TT_OPTS(tt_decode_opts, __VA_ARGS__))
TT_API tt_token_stream tt_tokenizer_stream_at(const char *site, tt_tokenizer, const tt_decode_opts *);
#define tt_token_stream_next(stream, id) \
    tt_token_stream_next_at(TT_AT("tt_token_stream_next(" #stream ", " #id ")"), stream, id)
#define tt_token_stream_end(stream) tt_token_stream_end_at(TT_AT("tt_token_stream_end(" #stream ")"), stream)
TT_API const char *tt_token_stream_next_at(const char *site, tt_token_stream, int64_t id);
TT_API const char *tt_token_stream_end_at(const char *site, tt_token_stream);

/* ---- the vocabulary ---- */

/* The vocabulary's size; every id is below it; 0 with the error set.
 *     tt_val x = tt_embed(m, "tokens", ids, tt_tokenizer_size(t), 768); */
#define tt_tokenizer_size(t) tt_tokenizer_size_at(TT_AT("tt_tokenizer_size(" #t ")"), t)
TT_API int tt_tokenizer_size_at(const char *site, tt_tokenizer);
/* The piece of an id as the file has it, "\u0120world" or "\u2581world"; "" if no piece has the id. It lives until the
 * thread's next call.
 *     puts(tt_tokenizer_piece(t, 42)); */
#define tt_tokenizer_piece(t, id) tt_tokenizer_piece_at(TT_AT("tt_tokenizer_piece(" #t ", " #id ")"), t, id)
TT_API const char *tt_tokenizer_piece_at(const char *site, tt_tokenizer, int64_t id);
/* The id of such a piece, "<|endoftext|>"; -1: there is none.
 *     if (id == tt_tokenizer_id(t, "<|endoftext|>") || tt_tokenizer_is_special(t, id)) puts("the end"); */
#define tt_tokenizer_id(t, piece) tt_tokenizer_id_at(TT_AT("tt_tokenizer_id(" #t ", " #piece ")"), t, piece)
TT_API int tt_tokenizer_id_at(const char *site, tt_tokenizer, const char *piece);
/* True if the id is that of a special token (of SentencePiece: of a control piece). */
#define tt_tokenizer_is_special(t, id) \
    tt_tokenizer_is_special_at(TT_AT("tt_tokenizer_is_special(" #t ", " #id ")"), t, id)
TT_API bool tt_tokenizer_is_special_at(const char *site, tt_tokenizer, int64_t id);
/* "BPE, tokenizer.json": the model and the format; "" with the error set.
 *     puts(tt_tokenizer_kind(t)); */
#define tt_tokenizer_kind(t) tt_tokenizer_kind_at(TT_AT("tt_tokenizer_kind(" #t ")"), t)
TT_API const char *tt_tokenizer_kind_at(const char *site, tt_tokenizer);

/* ---- training ---- */

/* Trains byte-level BPE on a text and writes it to path, as a tokenizer.json with GPT-2's pre-tokenizer: special tokens
 * (names separated by blanks), the 256 bytes, then merges until there are `size` pieces or no pair occurs `least` times
 * (default: once). The merges are those that `tokenizers` makes (BpeTrainer with ByteLevel's alphabet, the text as
 * one). length: as in tt_tokenizer_encode. False with the error set.
 *
 *     tt_tokenizer_train("bpe.json", text, 8000, .special = "<|endoftext|>"); */
typedef struct tt_tokenizer_train_opts {
    TT_OPTION_HEAD
    int64_t length TT_DEFAULT; const char *special TT_DEFAULT; int64_t least TT_DEFAULT;
} tt_tokenizer_train_opts;
#define tt_tokenizer_train(...) TT_TRAIN_(TT_AT("tt_tokenizer_train(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_TRAIN_(at, path, text, size, ...) \
    tt_tokenizer_train_at(at, path, text, size, TT_OPTS(tt_tokenizer_train_opts, __VA_ARGS__))
TT_API bool tt_tokenizer_train_at(const char *site, const char *path, const char *text, int64_t size,
    const tt_tokenizer_train_opts *);
/* Writes to path a tokenizer.json of 256 ids, each that of a byte of the text: the tokenizer of a model of bytes. False
 * with the error set.
 *     tt_tokenizer_bytes("model/tokenizer.json"); */
#define tt_tokenizer_bytes(path) tt_tokenizer_bytes_at(TT_AT("tt_tokenizer_bytes(" #path ")"), path)
TT_API bool tt_tokenizer_bytes_at(const char *site, const char *path);

#ifdef __cplusplus
}
#endif
#endif
