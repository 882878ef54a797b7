/* text/text.h - declarations shared by the files of this room: texts that grow, vocabularies, steps that a file names,
 * models. Includes public headers only.
 *
 * Text inside the room is valid UTF-8: what comes from outside is repaired first (utf8.c). Sizes are in bytes. A
 * function that returns bool sets the library's error before it returns false. */
#ifndef TUTTI_TEXT_ROOM_H
#define TUTTI_TEXT_ROOM_H

#include <jansson.h>
#include <tutti.h>

/* Limits: of a file, of a piece of the vocabulary, of the steps of one kind that a file names. */
enum { TEXT_FILE = 1 << 30, TEXT_PIECE = 1024, TEXT_STEPS = 64 };

/* The call that fails, and the file that it is about (NULL: none). */
typedef struct { const char *site, *path; } text_at;
bool text_fail(text_at, tt_code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
bool text_no_memory(text_at);

/* ---- texts and ids that grow (grow.c); bad: memory ran out, and what was added since is missing ---- */

typedef struct { char *p; size_t n, cap; bool bad; } text_buf;
void text_put(text_buf *, const void *, size_t n);
void text_cut(text_buf *, size_t n);                     /* shortens it to n bytes */
void text_free(text_buf *);
typedef struct { int32_t *p; size_t n, cap; bool bad; } text_ids;
void text_add(text_ids *, int32_t);
char *text_copy(const char *, size_t n);                 /* malloc'ed, with a 0 behind it; NULL: no memory */
bool text_read(text_at, text_buf *);                     /* the file at the path, and a 0 behind it */

/* ---- UTF-8 (utf8.c) ---- */

/* The bytes of the character at p, 1 to 4. No character: minus the bytes of the longest beginning of one, at least 1;
 * *cut is true if the text ends inside a character. n > 0. */
int text_width(const char *p, size_t n, bool *cut);
uint32_t text_char(const char *p, int width);            /* the code point of a character of so many bytes */
void text_put_char(text_buf *, uint32_t);
/* Appends the text, U+FFFD for what is no character: for the longest beginning of one, or for each of its bytes. */
void text_repair(text_buf *, const char *, size_t n, bool each);
bool text_is_valid(const char *, size_t n);

/* ---- properties of characters (unicode.c): libunistring, opened when it is first needed ---- */

const char *text_unicode_missing(void);                  /* NULL: it is present; else the reason why not */
typedef enum { TEXT_NFC, TEXT_NFD, TEXT_NFKC, TEXT_NFKD } text_form;
bool text_normal_form(text_at, text_form, const char *, size_t n, text_buf *out);
uint32_t text_lower(uint32_t);                           /* the simple mapping */
/* General categories as bits: "L" is the five lowest. */
enum { TEXT_L = 0x1f, TEXT_MN = 0x20, TEXT_M = 0xe0, TEXT_N = 0x700, TEXT_P = 0x3f800, TEXT_OTHER = 0x1e000000 };
bool text_in_category(uint32_t c, uint32_t categories);
bool text_is_space(uint32_t);                            /* White_Space */
/* breaks[i]: 1 if a grapheme begins at byte i */
void text_graphemes(const char *, size_t n, char *breaks);

/* ---- regular expressions (regex.c): PCRE2, opened when it is first needed; syntax.c translates ---- */

typedef struct text_regex text_regex;
const char *text_regex_missing(void);
text_regex *text_regex_new(text_at, const char *pattern, size_t n);
void text_regex_free(text_regex *);
/* The pattern in PCRE2's syntax; false: it asks for what is not built. */
bool text_regex_translate(text_at, const char *pattern, size_t n, text_buf *out);
/* What matches of one call share; steps: what is left of the steps that the call may take beyond the usual. */
typedef struct { void *data, *context; int64_t steps; } text_matches;
void text_matches_free(text_matches *);
/* The next match at or behind `from`: 1, *start and *end are set; 0: none; -1: an error. */
int text_regex_next(text_at, const text_regex *, text_matches *, const char *, size_t n, size_t from, size_t *start,
                    size_t *end);

/* ---- pieces by text, and by prefix (vocab.c, trie.c). Hashes have a seed of the process's own ---- */

uint64_t text_seed(void);
uint64_t text_hash(uint64_t seed, const void *, size_t n);
uint64_t text_hash2(uint64_t seed, uint64_t a);
typedef struct { uint32_t at, n; } text_piece;           /* n UINT32_MAX: there is no such id */
typedef struct {
    int32_t n;                                           /* ids are below it */
    text_piece *piece;
    text_buf bytes;
    uint64_t seed; uint32_t mask; int32_t *slot;         /* ids by the hash of their text; -1: empty */
} text_vocab;
bool text_vocab_new(text_at, text_vocab *, int64_t pieces, int64_t ids);
bool text_vocab_set(text_at, text_vocab *, int64_t id, const char *, size_t n);  /* another text of the id: an error */
int32_t text_vocab_find(const text_vocab *, const char *, size_t n);     /* -1: none */
const char *text_vocab_at(const text_vocab *, int32_t id, size_t *n);    /* NULL: there is no such id */
void text_vocab_free(text_vocab *);
typedef struct { uint64_t *edge, seed; uint32_t mask, nodes, first[256]; int32_t *id; } text_trie;
bool text_trie_new(text_at, text_trie *, size_t bytes);  /* for texts of so many bytes together */
void text_trie_add(text_trie *, const char *, size_t n, int32_t id);     /* n > 0 */
uint32_t text_trie_next(const text_trie *, uint32_t node, uint8_t byte); /* 0: none; node 0 is the root */
void text_trie_free(text_trie *);

/* ---- SentencePiece's precompiled maps of characters (charsmap.c) ---- */

typedef struct { uint32_t *unit; size_t units; char *text; size_t n; } text_charsmap;
bool text_charsmap_new(text_at, text_charsmap *, const char *blob, size_t n);
/* The replacement of a beginning of the text; *used: its bytes. longest: of all beginnings, else the shortest. NULL:
 * there is none. */
const char *text_charsmap_find(const text_charsmap *, const char *, size_t n, bool longest, size_t *used);
bool text_base64(text_at, const char *, text_buf *out);

/* ---- steps ---- */

typedef enum {
    TEXT_TO_FORM, TEXT_TO_LOWER, TEXT_TO_OTHER, TEXT_TO_BEGIN, TEXT_TO_STRIP, TEXT_TO_NO_ACCENTS, TEXT_TO_BERT,
    TEXT_TO_MAPPED, TEXT_TO_SENTENCEPIECE,               /* normalizers */
    TEXT_AT_BYTES, TEXT_AT_MATCH, TEXT_AT_METASPACE, TEXT_AT_NUMBER, TEXT_AT_PUNCTUATION, TEXT_AT_SPACE,
    TEXT_AT_BERT,                                        /* pre-tokenizers */
    TEXT_FROM_BYTES, TEXT_FROM_FALLBACK, TEXT_FROM_FUSE, TEXT_FROM_STRIP, TEXT_FROM_OTHER, TEXT_FROM_METASPACE,
    TEXT_FROM_WORDPIECE, TEXT_FROM_SENTENCEPIECE         /* decoders */
} text_what;
typedef enum { TEXT_REMOVED, TEXT_ISOLATED, TEXT_WITH_PREVIOUS, TEXT_WITH_NEXT, TEXT_CONTIGUOUS } text_behavior;
typedef enum { TEXT_ALWAYS, TEXT_FIRST, TEXT_NEVER } text_scheme;
/* Fields by what: form; a, b: a pattern without regex and what takes its place; flags as the file's names. */
typedef struct {
    text_what what;
    text_form form;
    text_behavior behavior;
    text_scheme scheme;
    char *a, *b; size_t na, nb;
    text_regex *regex;
    text_charsmap map;
    bool left, right, invert, clean, chinese, accents, lower, split, prefix, cleanup, fused;
    int64_t start, stop;
} text_step;
typedef struct { int n; text_step step[TEXT_STEPS]; } text_steps;
void text_steps_free(text_steps *);

/* ---- tokens that are found before the model sees the text (added.c) ---- */

typedef struct {
    int32_t id;
    bool special, normalized, lstrip, rstrip, single;
    char *content; size_t n;
} text_token;
typedef struct { int n; text_token *token; text_trie plain, normal; bool has_plain, has_normal; } text_added;

/* ---- a tokenizer ---- */

typedef enum { TEXT_BPE, TEXT_UNIGRAM, TEXT_WORDPIECE, TEXT_WORDLEVEL } text_model;
typedef struct { uint64_t pair; int32_t rank, id; } text_merge;          /* id -1: an empty slot */
typedef struct tt_tokenizer_s {
    char *path;
    const char *format;                                  /* "tokenizer.json", ... */
    text_model model;
    text_vocab vocab, raw;                               /* raw: bytes that byte-level pieces stand for; of a
                                                            SentencePiece file those pieces that text may become */
    uint32_t limit;                                      /* bytes of the model's own pieces: others are added tokens */
    bool has_raw, byte_level;                            /* byte_level: the model's texts are raw */
    bool sentencepiece;                                  /* as that library computes: sums in float, no pairs in BPE */
    int32_t unknown, byte_id[256];                       /* -1: none */
    bool fuse_unknown, byte_fallback, ignore_merges;
    char *prefix, *suffix; size_t nprefix, nsuffix;      /* of pieces inside a word, at its end; NULL: none */
    text_merge *merge; uint32_t merges; uint64_t seed;   /* a table of a power of two */
    float *score; double *score64, least; float most;    /* of Unigram pieces; of SentencePiece's BPE too */
    int32_t *rank;                                       /* of SentencePiece's BPE: by score, the best is 0 */
    uint8_t *type;                                       /* of SentencePiece's pieces, by its numbers; else NULL */
    bool cuts;                                           /* no merge joins "x" and "\u2581y": text is cut there */
    size_t longest;                                      /* bytes of the longest piece */
    text_trie trie, inside;                              /* all pieces; those inside a word, without the prefix. Of a
                                                            SentencePiece file: inside has the pieces of the user */
    bool has_trie, has_inside;
    int64_t word_chars;                                  /* WordPiece: longer words are unknown */
    text_steps normal, split, decode;
    text_added added;
    int32_t before[TEXT_STEPS], after[TEXT_STEPS]; int nbefore, nafter;      /* what the template adds */
    int64_t most_ids; bool cut_left;                     /* truncation; 0: none */
    char *unknown_text;                                  /* what SentencePiece decodes an unknown piece to */
} text_tokenizer;

/* The vocabulary in which the model looks up: texts that it sees. */
static inline const text_vocab *text_model_vocab(const text_tokenizer *t)
{
    return t->byte_level || t->sentencepiece ? &t->raw : &t->vocab;
}

int32_t text_model_find(const text_tokenizer *, const char *, size_t n);     /* a piece of the model; -1: none */

/* Readers of files: fill a cleared tokenizer whose path is set. */
bool text_open_json(text_at, text_tokenizer *, const char *, size_t n);                      /* json.c */
bool text_json_model(text_at, text_tokenizer *, const json_t *);                             /* json_model.c */
bool text_json_normalizer(text_at, text_steps *, const json_t *, int deep);                  /* json_steps.c */
bool text_json_splitter(text_at, text_steps *, const json_t *, int deep);
bool text_json_decoder(text_at, text_steps *, const json_t *, int deep);
/* vocab.json, as it was read, and merges.txt; special: names of special tokens, separated by blanks (pairs.c) */
bool text_open_pairs(text_at, text_tokenizer *, const json_t *vocab, const char *special);
bool text_open_sentencepiece(text_at, text_tokenizer *, const char *, size_t n);             /* sentencepiece.c */
/* gguf.c: a file that begins as GGUF does; its keys */
bool text_is_gguf(const char *path);
bool text_open_gguf(text_at, text_tokenizer *);
json_t *text_json(text_at, const char *, size_t n);      /* NULL with the error set */
/* True if the object has no other names than those (separated by blanks). where: its place in messages */
bool text_json_only(text_at, const json_t *, const char *where, const char *names);
bool text_json_vocab(text_at, text_tokenizer *, const json_t *);
bool text_merges_new(text_at, text_tokenizer *, size_t n);
bool text_merges_add(text_at, text_tokenizer *, int32_t rank, const char *a, size_t na, const char *b, size_t nb);
const text_merge *text_merges_find(const text_tokenizer *, int32_t a, int32_t b);            /* NULL: none */
bool text_byte_level(text_at, text_tokenizer *);         /* computes raw, and byte_id if byte_level */
void text_alphabet(uint32_t code_point[256]);             /* GPT-2's, by byte */
bool text_fallback_ids(text_tokenizer *);                /* byte_id of "<0x00>", ...; true if all are there */
void text_find_cuts(text_tokenizer *);                   /* sets cuts, of BPE */
bool text_tries(text_at, text_tokenizer *);              /* of the models that search prefixes */
bool text_added_index(text_at, text_tokenizer *);
bool text_set_byte_level(text_at, text_step *, bool splits);             /* as GPT-2: the pattern; json_steps.c */
void text_tokenizer_free(void *);

/* ---- encoding ---- */

typedef struct text_work text_work;                      /* memory that the words of one call share (bpe.c) */
typedef struct text_call {
    text_at at;
    const text_tokenizer *t;
    text_ids *out;
    bool (*word)(struct text_call *, const char *, size_t n); void *env;     /* gets the words, if not NULL */
    text_matches matches;
    text_work *work;
    bool lost;                                           /* the normalizers took the text's beginning away */
} text_call;
/* Emits text of a step; first: it is the beginning of the whole text. */
typedef bool text_emit(text_call *, int step, const char *, size_t n, bool first);
bool text_normalize(text_call *, const char *, size_t n, text_buf *out);                     /* normalize.c */
bool text_sentencepiece_normal(text_call *, const text_step *, const char *, size_t n, text_buf *out);
bool text_split(text_call *, int step, const char *, size_t n, bool first);  /* split.c; ends in text_word */
bool text_word(text_call *, const char *, size_t n);                         /* encode.c */
bool text_bpe(text_call *, const char *, size_t n);
bool text_unigram(text_call *, const char *, size_t n);
bool text_wordpiece(text_call *, const char *, size_t n);
bool text_unknown(text_call *, const char *, size_t n);  /* adds the unknown piece; an error if there is none */
void text_work_free(text_work *);
/* Calls f with each stretch of text and with each token (id >= 0), in order. */
typedef bool text_found(text_call *, int32_t id, const char *, size_t n, bool first);
bool text_added_each(text_call *, bool normalized, const char *, size_t n, bool first, text_found *f);
/* All of it. bare: without what the template adds. */
bool text_encode(text_at, const text_tokenizer *, const char *, size_t n, bool bare, text_ids *out);

/* ---- decoding, token by token (decode.c) ---- */

typedef struct { text_buf hold; bool begun; int64_t left; } text_state;
typedef struct {
    text_at at;
    const text_tokenizer *t;
    bool special, prompt, begun;     /* shows special tokens; gives bytes as soon as they are characters */
    text_buf out;
    text_matches matches;
    text_state state[TEXT_STEPS];
} text_decoder;
bool text_decode_begin(text_decoder *);
bool text_decode(text_decoder *, int64_t id);            /* appends to out */
bool text_decode_end(text_decoder *);
void text_decode_free(text_decoder *);

#endif
