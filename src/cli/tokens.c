/* cli/tokens.c - tutti tokens: the ids of a text and their pieces, by the tokenizer of a model.
 *
 *     tutti tokens FILE "Hello world"     each id with its piece
 *     tutti tokens FILE <book.txt         of what stdin has */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tutti.h>

static const char usage[] = "usage: tutti tokens FILE [TEXT]\n";

/* All of stdin; NULL: no memory, or an error of reading. */
static char *from_stdin(size_t *n)
{
    size_t cap = 0;
    char *text = NULL;
    *n = 0;
    for (;;) {
        if (*n == cap) {
            char *const more = realloc(text, cap = cap ? 2 * cap : 1 << 16);
            if (!more) break;
            text = more;
        }
        const size_t got = fread(text + *n, 1, cap - *n, stdin);
        *n += got;
        if (!got && !ferror(stdin)) return text;
        if (!got) break;
    }
    free(text);
    return NULL;
}

static int print_ids(tt_tokenizer t, const char *text, size_t n)
{
    static const char command[] = "tutti tokens";
    const tt_encode_opts o = { .size = sizeof o, .given = ".length", .length = (int64_t)n };
    const int64_t count = tt_tokenizer_ids_at(command, t, text, 0, NULL, &o);
    int32_t *const ids = count >= 0 ? malloc(((size_t)count + 1) * sizeof *ids) : NULL;
    if (!ids) return 1;
    tt_tokenizer_ids_at(command, t, text, count, ids, &o);
    for (int64_t i = 0; i < count; i++) printf("%7d  %s\n", ids[i], tt_tokenizer_piece(t, ids[i]));
    printf("%lld ids of %zu bytes; %d pieces (%s)\n", (long long)count, n, tt_tokenizer_size(t), tt_tokenizer_kind(t));
    free(ids);
    return tt_ok() ? 0 : 1;
}

int cli_tokens(int argc, char **argv)
{
    if (argc < 2 || argc > 3 || argv[1][0] == '-') {
        fputs(usage, stderr);
        return 2;
    }
    const tt_tokenizer t = tt_tokenizer_open_at("tutti tokens", argv[1], NULL);
    if (!tt_ok()) return 1;
    if (argc == 3) return print_ids(t, argv[2], strlen(argv[2]));
    size_t n;
    char *const text = from_stdin(&n);
    if (!text) fputs("tutti tokens: stdin does not read\n", stderr);
    const int status = text ? print_ids(t, text, n) : 1;
    free(text);
    return status;
}
