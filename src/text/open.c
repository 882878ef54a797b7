/* text/open.c - finds the file of a tokenizer, by its content, and opens it. */
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The file that a folder has; the path itself if it is none. malloc'ed */
static char *file_of(text_at at, const char *path)
{
    static const char *const names[] = { "tokenizer.json", "tokenizer.model", "vocab.json" };
    const size_t n = strlen(path), all = n + 20;
    char *const to = malloc(all);
    struct stat st;
    if (!to) text_no_memory(at);
    else if (!is_folder(path)) return memcpy(to, path, n + 1);
    for (int i = 0; to && i < 3; i++) {
        snprintf(to, all, "%s/%s", path, names[i]);
        if (stat(to, &st) == 0) return to;
    }
    if (to) text_fail(at, TT_EIO, "has neither tokenizer.json nor tokenizer.model nor vocab.json");
    free(to);
    return NULL;
}

static bool open_json(text_at at, text_tokenizer *t, const text_buf *b, const char *special)
{
    const size_t n = strlen(at.path);
    if (n < 10 || strcmp(at.path + n - 10, "vocab.json")) return text_open_json(at, t, b->p, b->n);
    json_t *const vocab = text_json(at, b->p, b->n);
    const bool ok = vocab && text_open_pairs(at, t, vocab, special);
    json_decref(vocab);
    return ok;
}

static bool open_file(text_at at, text_tokenizer *t, const char *special)
{
    text_buf b = { 0 };
    const bool gguf = text_is_gguf(at.path);
    bool ok = gguf || text_read(at, &b);
    const size_t blank = ok && !gguf ? strspn(b.p, " \t\r\n") : 0;
    for (int i = 0; i < 256; i++) t->byte_id[i] = -1;
    t->unknown = -1;
    if (gguf) ok = text_open_gguf(at, t);                /* not all of it is in memory */
    else if (ok && b.n && b.p[blank] == '{') ok = open_json(at, t, &b, special);
    else if (ok) ok = text_open_sentencepiece(at, t, b.p, b.n);
    if (ok && special && strcmp(t->format, "vocab.json"))
        ok = text_fail(at, TT_EARG, ".special has no effect: a %s says which tokens are special", t->format);
    text_free(&b);
    return ok;
}

tt_tokenizer tt_tokenizer_open_at(const char *site, const char *path, const tt_tokenizer_opts *o)
{
    TT_ENTRY(site);
    text_tokenizer *t = NULL;
    const text_at no_file = { site, NULL };
    if (!TT_CHECKED(tt_tokenizer_opts, site, "tt_tokenizer_open", o)) return (tt_tokenizer){ 0 };
    if (!path || !*path) tt_fail_at(site, TT_EARG, "tt_tokenizer_open: the path is %s", path ? "empty" : "NULL");
    else if (!(t = calloc(1, sizeof *t))) text_no_memory(no_file);
    if (t && (t->path = file_of((text_at){ site, path }, path)) &&
        open_file((text_at){ site, t->path }, t, o->special)) {
        tt_own(t, text_tokenizer_free);                  /* without memory, t is freed */
        return tt_ok() ? (tt_tokenizer){ t, tt_alive_at(site) } : (tt_tokenizer){ 0 };
    }
    text_tokenizer_free(t);
    tt_ok();
    return (tt_tokenizer){ 0 };
}
